// RUN: autosplit-opt --split-input-file -p convert-aten-to-onnx %s | filecheck %s

// Each op becomes the ONNX ops that compute the same, under the names of the program.

builtin.module attributes {test = "net"} {
  aten.graph inputs ["x"] outputs ["linear"] {
    %w = aten.param "w" () <{node.value = dense<1.0> : tensor<4x3x3x3xf32>, node.kind = "parameter", node.fqn = "conv.weight"}> : () -> tensor<4x3x3x3xf32>
    %b = aten.param "b" () <{node.value = dense<2.0> : tensor<4xf32>, node.kind = "parameter", node.fqn = "bn.bias"}> : () -> tensor<4xf32>
    %fw = aten.param "fw" () <{node.value = dense<3.0> : tensor<2x4xf32>, node.kind = "parameter", node.fqn = "fc.weight"}> : () -> tensor<2x4xf32>
    %x = aten.input "x" () : () -> tensor<?x3x8x8xf32>
    %c = aten.conv2d "conv2d" (%x, %w) <{stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x4x4xf32>
    %n = aten.batch_norm "bn" (%c, %b, %b, %b, %b) <{training = false, momentum = 0.1 : f64, eps = 0.001 : f64, cudnn_enabled = false}> : (tensor<?x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x4x4xf32>
    %r = aten.hardtanh "relu6" (%n) <{min_val = 0.0 : f64, max_val = 6.0 : f64}> : (tensor<?x4x4x4xf32>) -> tensor<?x4x4x4xf32>
    %p = aten.adaptive_avg_pool2d "pool" (%r) <{output_size = array<i64: 1, 1>}> : (tensor<?x4x4x4xf32>) -> tensor<?x4x1x1xf32>
    %f = aten.flatten.using_ints "flatten" (%p) <{start_dim = 1 : i64}> : (tensor<?x4x1x1xf32>) -> tensor<?x4xf32>
    %y = aten.linear "linear" (%f, %fw) : (tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<?x2xf32>
  }
}

// CHECK-LABEL: "net"
// CHECK:      %[[W:.+]] = onnx.initializer "w"
// CHECK:      %[[X:.+]] = aten.input "x" () : () -> tensor<?x3x8x8xf32>
// CHECK-NEXT: %[[C:.+]] = onnx.Conv "conv2d" (%[[X]], %[[W]]) -> ["conv2d"] <{{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}}> : {{.*}} -> tensor<?x4x4x4xf32>
// CHECK-NEXT: %[[N:.+]] = onnx.BatchNormalization "bn" (%[[C]], {{.*}}) -> ["bn"]
// CHECK:      %[[R:.+]] = onnx.Clip "relu6" (%[[N]], {{.*}}) -> ["relu6"]
// CHECK-NEXT: %[[P:.+]] = onnx.GlobalAveragePool "pool" (%[[R]])
// CHECK-NEXT: %[[F:.+]] = onnx.Flatten "flatten" (%[[P]])
// CHECK-NEXT: onnx.Gemm "linear" (%[[F]], {{.*}}) -> ["linear"] <{transB = 1 : i64}> : {{.*}} -> tensor<?x2xf32>

// -----

// Where one size of a view is open, ONNX finds it from the others; where two are, they are computed.

builtin.module attributes {test = "sizes"} {
  aten.graph inputs ["x"] outputs ["v", "u"] {
    %x = aten.input "x" () : () -> tensor<?x?x12xf32>
    %n = aten.sym_size.int "n" (%x) <{dim = 0 : i64}> : (tensor<?x?x12xf32>) -> tensor<i64>
    %m = aten.sym_size.int "m" (%x) <{dim = 1 : i64}> : (tensor<?x?x12xf32>) -> tensor<i64>
    %nm = aten.operator.mul "nm" (%n, %m) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %v = aten.view "v" (%x, %nm) <{size = [#aten.value, 12 : i64]}> : (tensor<?x?x12xf32>, tensor<i64>) -> tensor<?x12xf32>
    %u = aten.view "u" (%x, %n, %m) <{size = [#aten.value, #aten.value, 3 : i64, 4 : i64]}> : (tensor<?x?x12xf32>, tensor<i64>, tensor<i64>) -> tensor<?x?x3x4xf32>
  }
}

// CHECK-LABEL: "sizes"
// CHECK: dense<[-1, 12]>
// CHECK: onnx.Reshape "v" {{.*}} -> tensor<?x12xf32>
// CHECK: onnx.Concat
// CHECK: onnx.Reshape "u" {{.*}} -> tensor<?x?x3x4xf32>

// -----

// Numbers and tensors of several types are computed on in the type that PyTorch has for them together.

builtin.module attributes {test = "promotion"} {
  aten.graph inputs ["x"] outputs ["half", "less"] {
    %x = aten.input "x" () : () -> tensor<4xi64>
    %h = aten.mul.Tensor "half" (%x) <{other = 0.5 : f64}> : (tensor<4xi64>) -> tensor<4xf32>
    %l = aten.lt.Scalar "less" (%x) <{other = 2.5 : f64}> : (tensor<4xi64>) -> tensor<4xi1>
  }
}

// CHECK-LABEL: "promotion"
// CHECK: %[[C:.+]] = onnx.Cast {{.*}} -> tensor<4xf32>
// CHECK: onnx.Mul "half" (%[[C]], {{.*}}) {{.*}} -> tensor<4xf32>
// CHECK: onnx.Less "less" {{.*}} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>

// -----

// Attention is written out, with the scale on the queries.

builtin.module attributes {test = "attention"} {
  aten.graph inputs ["q"] outputs ["a"] {
    %q = aten.input "q" () : () -> tensor<1x2x5x4xf32>
    %a = aten.scaled_dot_product_attention "a" (%q, %q, %q) <{is_causal = true}> : (tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> tensor<1x2x5x4xf32>
  }
}

// CHECK-LABEL: "attention"
// CHECK: onnx.Transpose {{.*}} <{perm = array<i64: 0, 1, 3, 2>}>
// CHECK: onnx.initializer "a__scale" () <{value = dense<5.000000e-01> : tensor<f32>}>
// CHECK: onnx.Mul
// CHECK: onnx.MatMul
// CHECK: onnx.Add
// CHECK: onnx.Softmax {{.*}} <{axis = -1 : i64}>
// CHECK: onnx.MatMul "a"

// -----

// What writes to a tensor stays, and so does what draws numbers or has no ONNX op; each says why.

builtin.module attributes {test = "stays"} {
  aten.graph inputs ["x"] outputs ["r", "d", "k", "p"] {
    %s = aten.state "s" () <{node.value = dense<0.0> : tensor<1xf32>, node.kind = "buffer", node.fqn = "n"}> : () -> tensor<1xf32>
    %x = aten.input "x" () : () -> tensor<1x4x4x4xf32>
    %r = aten.relu_ "r" (%x) : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %d = aten.dropout "d" (%x) <{p = 0.5 : f64, train = true}> : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %k, %ki = aten.kthvalue "k" (%x) -> ["k", "ki"] <{k = 2 : i64}> : (tensor<1x4x4x4xf32>) -> (tensor<1x4x4xf32>, tensor<1x4x4xi64>)
    %p, %i = aten.max_pool2d_with_indices "p" (%x) -> ["p", "i"] <{kernel_size = array<i64: 2, 2>}> : (tensor<1x4x4x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2x2xi64>)
    aten.write_back "w" (%s, %s) : (tensor<1xf32>, tensor<1xf32>) -> ()
  }
}

// CHECK-LABEL: "stays"
// CHECK: aten.state "s" {{.*}}"state"
// CHECK: aten.relu_ "r" {{.*}}"mutation"
// CHECK: aten.dropout "d" {{.*}}"random"
// CHECK: aten.kthvalue "k" {{.*}}"unsupported-op"
// CHECK: onnx.MaxPool "p"
// CHECK: aten.write_back {{.*}}"state"

// -----

// So does what shares memory with an update in place, up to the update; what reads it behind that does not.

builtin.module attributes {test = "shares"} {
  aten.graph inputs ["x"] outputs ["cat"] {
    %x = aten.input "x" () : () -> tensor<4x3xf32>
    %n = aten.neg "neg" (%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %v = aten.expand "expand" (%n) <{size = array<i64: 2, 4, 3>}> : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
    %f = aten.fill_.Scalar "fill" (%v) <{value = 0.0 : f64}> : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %c = aten.cat "cat" (%x, %n) <{dim = 1 : i64}> : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  }
}

// CHECK-LABEL: "shares"
// CHECK: aten.neg "neg" {{.*}}"mutation", "shares memory with 'fill'
// CHECK: aten.expand "expand" {{.*}}"mutation"
// CHECK: aten.fill_.Scalar "fill" {{.*}}"mutation"
// CHECK: onnx.Concat "cat"
