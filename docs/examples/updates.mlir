builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["cat", "sum"] {
    %n = aten.state "b_n" () <{node.value = dense<0.0> : tensor<4xf32>, node.kind = "buffer", node.fqn = "n"}> : () -> tensor<4xf32>
    %x = aten.input "x" () : () -> tensor<4x3xf32>
    %add = aten.add.Tensor "add" (%x) <{other = 1 : i64}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %select = aten.select.int "select" (%add) <{dim = 1 : i64, index = 0 : i64}> : (tensor<4x3xf32>) -> tensor<4xf32>
    %mul_ = aten.mul_.Tensor "mul_" (%select) <{other = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    %add_ = aten.add_.Tensor "add_" (%n, %select) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %cat = aten.cat "cat" (%x, %add) <{dim = 1 : i64}> : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
    %neg = aten.neg "neg" (%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %expand = aten.expand "expand" (%neg) <{size = array<i64: 2, 4, 3>}> : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
    %fill_ = aten.fill_.Scalar "fill_" (%expand) <{value = 0.0 : f64}> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %sum = aten.sum "sum" (%neg) : (tensor<4x3xf32>) -> tensor<f32>
  }
}
