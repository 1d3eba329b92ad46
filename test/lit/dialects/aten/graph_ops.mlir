// RUN: AUTOSPLIT_ROUNDTRIP

// What a program reads, what it computes, and what it writes back.

// CHECK: builtin.module attributes {platform.name = "pytorch"} {
builtin.module attributes {platform.name = "pytorch"} {
  // CHECK-NEXT: aten.graph inputs ["x", "n"] outputs ["view", "mine"] {
  aten.graph inputs ["x", "n"] outputs ["view", "mine"] {
    // CHECK-NEXT: %p_fc_bias = aten.param "p_fc_bias" () <{node.value = dense<0.000000e+00> : tensor<8xf32>, node.kind = "parameter", node.fqn = "fc.bias"}> : () -> tensor<8xf32>
    %p_fc_bias = aten.param "p_fc_bias" () <{node.value = dense<0.000000e+00> : tensor<8xf32>, node.kind = "parameter", node.fqn = "fc.bias"}> : () -> tensor<8xf32>
    // CHECK-NEXT: %b_n = aten.state "b_n" () <{node.value = dense<0.000000e+00> : tensor<8xf32>, node.kind = "buffer", node.fqn = "n"}> : () -> tensor<8xf32>
    %b_n = aten.state "b_n" () <{node.value = dense<0.000000e+00> : tensor<8xf32>, node.kind = "buffer", node.fqn = "n"}> : () -> tensor<8xf32>
    // CHECK-NEXT: %x = aten.input "x" () : () -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
    %x = aten.input "x" () : () -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
    // CHECK-NEXT: %n = aten.input "n" () <{node.kind = "sym_int"}> : () -> tensor<i64>
    %n = aten.input "n" () <{node.kind = "sym_int"}> : () -> tensor<i64>
    // CHECK-NEXT: %sum = aten.add.Tensor "sum" (%x, %p_fc_bias) : (tensor<?x8xf32, #platform.dims<["s0", ""]>>, tensor<8xf32>) -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
    %sum = aten.add.Tensor "sum" (%x, %p_fc_bias) : (tensor<?x8xf32, #platform.dims<["s0", ""]>>, tensor<8xf32>) -> tensor<?x8xf32, #platform.dims<["s0", ""]>>
    // CHECK-NEXT: %a, %b = aten.chunk "chunk" (%sum) -> ["a", "b"] <{chunks = 2 : i64, dim = 1 : i64}> : (tensor<?x8xf32, #platform.dims<["s0", ""]>>) -> (tensor<?x4xf32, #platform.dims<["s0", ""]>>, tensor<?x4xf32, #platform.dims<["s0", ""]>>)
    %a, %b = aten.chunk "chunk" (%sum) -> ["a", "b"] <{chunks = 2 : i64, dim = 1 : i64}> : (tensor<?x8xf32, #platform.dims<["s0", ""]>>) -> (tensor<?x4xf32, #platform.dims<["s0", ""]>>, tensor<?x4xf32, #platform.dims<["s0", ""]>>)
    // CHECK-NEXT: %cat = aten.cat "cat" (%a, %b, %a) <{dim = 1 : i64}>
    %cat = aten.cat "cat" (%a, %b, %a) <{dim = 1 : i64}> : (tensor<?x4xf32, #platform.dims<["s0", ""]>>, tensor<?x4xf32, #platform.dims<["s0", ""]>>, tensor<?x4xf32, #platform.dims<["s0", ""]>>) -> tensor<?x12xf32, #platform.dims<["s0", ""]>>
    // CHECK-NEXT: %view = aten.view "view" (%cat, %n) <{size = [#aten.value, 2 : i64]}>
    %view = aten.view "view" (%cat, %n) <{size = [#aten.value, 2 : i64]}> : (tensor<?x12xf32, #platform.dims<["s0", ""]>>, tensor<i64>) -> tensor<?x2xf32>
    // CHECK-NEXT: %clamp = aten.clamp.Tensor "clamp" (%a, %b) <{node.ports = ["self", "max"]}>
    %clamp = aten.clamp.Tensor "clamp" (%a, %b) <{node.ports = ["self", "max"]}> : (tensor<?x4xf32, #platform.dims<["s0", ""]>>, tensor<?x4xf32, #platform.dims<["s0", ""]>>) -> tensor<?x4xf32>
    // CHECK-NEXT: %plus = aten.add.Tensor "plus" (%clamp, %n) <{node.symbols = ["other"]}>
    %plus = aten.add.Tensor "plus" (%clamp, %n) <{node.symbols = ["other"]}> : (tensor<?x4xf32>, tensor<i64>) -> tensor<?x4xf32>
    // CHECK-NEXT: %mine = aten.opaque "mine" (%plus) <{node.ports = ["x"], node.target = "torch.ops.mylib.mine.default", k = #aten.json<"{\22as_complex\22: {\22real\22: 0.0, \22imag\22: 1.0}}">}>
    %mine = aten.opaque "mine" (%plus) <{node.ports = ["x"], node.target = "torch.ops.mylib.mine.default", k = #aten.json<"{\22as_complex\22: {\22real\22: 0.0, \22imag\22: 1.0}}">}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
    // CHECK-NEXT: %add = aten.add.Tensor "add" (%b_n) <{other = 1 : i64}>
    %add = aten.add.Tensor "add" (%b_n) <{other = 1 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
    // CHECK-NEXT: aten.write_back "add_to_n" (%b_n, %add) : (tensor<8xf32>, tensor<8xf32>) -> ()
    aten.write_back "add_to_n" (%b_n, %add) : (tensor<8xf32>, tensor<8xf32>) -> ()
  }
}
