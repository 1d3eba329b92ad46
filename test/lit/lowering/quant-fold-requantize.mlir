// RUN: autosplit-opt %s -p 'quant-fold-requantize{sums=close}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-fold-requantize{sums=fast}' --split-input-file | filecheck %s --check-prefix=RELU

// What the integers stand for is a range, which a clip keeps; the sum has the rest to itself.
// CHECK-LABEL: onnx.graph "sum"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NEXT: %[[O:.+]] = quant.dcast %o
// CHECK-NEXT: %[[L:.+]] = onnx.initializer "c_d__min" () <{value = dense<-1.280000e+01> : tensor<f32>}>
// CHECK-NEXT: %[[H:.+]] = onnx.initializer "c_d__max" () <{value = dense<1.270000e+01> : tensor<f32>}>
// CHECK-NEXT: %[[K:.+]] = onnx.Clip "q" (%[[C]], %[[L]], %[[H]]) -> ["c_d"]
// CHECK-NEXT: %[[S:.+]] = onnx.Add "add" (%[[K]], %[[O]])
// CHECK-NEXT: onnx.Relu "relu" (%[[S]])
// CHECK-NEXT: quant.qcast
// Without the clip, what is beyond the range passes.
// RELU-LABEL: onnx.graph "sum"
// RELU: %[[C:.+]] = onnx.Conv "conv"
// RELU-NEXT: %[[O:.+]] = quant.dcast %o
// RELU-NEXT: onnx.Add "add" (%[[C]], %[[O]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "sum" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// Quantizers leave out a ReLU before a quantize whose range begins at 0: the clip is that ReLU.
// CHECK-LABEL: onnx.graph "hidden_relu"
// CHECK-DAG: onnx.initializer "c_d__min" () <{value = dense<0.000000e+00> : tensor<f32>}>
// CHECK-DAG: onnx.initializer "c_d__max" () <{value = dense<2.550000e+01> : tensor<f32>}>
// CHECK: %[[K:.+]] = onnx.Clip "q"
// CHECK: onnx.Add "add" (%[[K]], %{{.+}})
// RELU-LABEL: onnx.graph "hidden_relu"
// RELU: %[[K:.+]] = onnx.Relu "q" (%{{.+}}) -> ["c_d"]
// RELU-NEXT: onnx.Add "add" (%[[K]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "hidden_relu" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// A ReLU that is there goes into the clip.
// CHECK-LABEL: onnx.graph "relu"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NOT: onnx.Relu "r0"
// CHECK-DAG: onnx.initializer "c_d__min" () <{value = dense<0.000000e+00> : tensor<f32>}>
// CHECK-DAG: onnx.initializer "c_d__max" () <{value = dense<1.270000e+01> : tensor<f32>}>
// CHECK: onnx.Clip "q" (%[[C]],
// RELU-LABEL: onnx.graph "relu"
// RELU: %[[R:.+]] = onnx.Relu "r0"
// RELU: onnx.Add "add" (%[[R]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "relu" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %e = onnx.Relu "r0" (%c) -> ["e"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %e {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// A Clip within the range needs no other one.
// CHECK-LABEL: onnx.graph "inside"
// CHECK: %[[R:.+]] = onnx.Clip "clip"
// CHECK-NEXT: quant.dcast
// CHECK-NEXT: onnx.Add "add" (%[[R]], %{{.+}})
// RELU-LABEL: onnx.graph "inside"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "inside" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %lo = onnx.initializer "lo" () <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %hi = onnx.initializer "hi" () <{value = dense<6.0> : tensor<f32>}> : () -> tensor<f32>
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %e = onnx.Clip "clip" (%c, %lo, %hi) -> ["e"] : (tensor<1x2x4x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %e {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// Both are products: only the one that is computed last is changed.
// CHECK-LABEL: onnx.graph "both"
// CHECK: onnx.Conv "conv"
// CHECK: onnx.Conv "conv2"
// CHECK: %[[Q:.+]] = quant.qcast
// CHECK-NEXT: %[[D:.+]] = quant.dcast %[[Q]]
// CHECK: %[[K:.+]] = onnx.Clip
// CHECK: onnx.Add "add" (%[[D]], %[[K]])
// RELU-LABEL: onnx.graph "both"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "both" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %xe = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %v = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c2 = onnx.Conv "conv2" (%xe, %v, _) -> ["c2"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %q2 = quant.qcast %c2 {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:128>>
    %d2 = quant.dcast %q2 {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %d2) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// An epilogue and a bias lie between product and quantize.
// CHECK-LABEL: onnx.graph "epilogue"
// CHECK: %[[G:.+]] = onnx.Sigmoid
// CHECK-NEXT: quant.dcast
// CHECK-NOT: quant.qcast
// CHECK: onnx.Add "add" (%[[G]], %{{.+}})
// RELU-LABEL: onnx.graph "epilogue"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "epilogue" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %b = onnx.initializer "b" () <{value = dense<0.5> : tensor<1x2x1x1xf32>}> : () -> tensor<1x2x1x1xf32>
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %e = onnx.Add "bias" (%c, %b) -> ["e"] : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %g = onnx.Sigmoid "sigmoid" (%e) -> ["g"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %g {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// Before opset 11 the bounds are attributes.
// CHECK-LABEL: onnx.graph "opset10"
// CHECK: onnx.Clip "q" (%{{.+}}, _, _) -> ["c_d"] <{{{.*}}max = 1.270000e+01 : f32
// RELU-LABEL: onnx.graph "opset10"
builtin.module attributes {onnx.opsets = {ai.onnx = 10 : i64}} {
  onnx.graph "opset10" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<i8:f32, 0.1>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<i8:f32, 0.1>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// The integers are read elsewhere too.
// CHECK-LABEL: onnx.graph "shared"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "shared"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "shared" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y", "i"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %i = quant.scast %q : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xui8>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y, %i : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, tensor<1x2x4x4xui8>
  }
}

// -----
// So is the dequantized value.
// CHECK-LABEL: onnx.graph "shared_real"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "shared_real"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "shared_real" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y", "d"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y, %d : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, tensor<1x2x4x4xf32>
  }
}

// -----
// So is the product itself.
// CHECK-LABEL: onnx.graph "shared_product"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "shared_product"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "shared_product" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y", "c"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y, %c : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, tensor<1x2x4x4xf32>
  }
}

// -----
// No product: there is nothing to fuse the sum with.
// CHECK-LABEL: onnx.graph "no_product"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "no_product"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "no_product" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c0 = onnx.Conv "conv" (%xd, %w, _) -> ["c0"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %c = onnx.MaxPool "pool" (%c0) -> ["c"] <{kernel_shape = array<i64: 1, 1>}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// A product of reals.
// CHECK-LABEL: onnx.graph "real"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "real"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "real" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %a = onnx.Neg "neg" (%xd) -> ["a"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%a, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// A scale for each channel; no clip has bounds for each.
// CHECK-LABEL: onnx.graph "channels"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "channels"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "channels" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1, 0.2}>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1, 0.2}>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----
// The product is broadcast.
// CHECK-LABEL: onnx.graph "broadcast"
// CHECK-NOT: onnx.Clip
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "broadcast"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "broadcast" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %p "p" : tensor<3x2x4x4x!quant.uniform<u8:f32, 0.1>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %p : tensor<3x2x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<3x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %y = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<3x2x4x4xf32>) -> tensor<3x2x4x4xf32>
    onnx.return %y : tensor<3x2x4x4xf32>
  }
}

// -----
// The other operand is a product that was never rounded: the sum is computed with that one.
// CHECK-LABEL: onnx.graph "unrounded"
// CHECK: onnx.Conv "conv2"
// CHECK: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// CHECK: onnx.Add "add" (%[[D]], %{{.+}})
// RELU-LABEL: onnx.graph "unrounded"
// RELU: %[[D:.+]] = quant.dcast %{{.+}} {node_name = "d"
// RELU: onnx.Add "add" (%[[D]], %{{.+}})
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "unrounded" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w2 = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c2 = onnx.Conv "conv2" (%od, %w2, _) -> ["c2"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %y = onnx.Add "add" (%d, %c2) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %y : tensor<1x2x4x4xf32>
  }
}
