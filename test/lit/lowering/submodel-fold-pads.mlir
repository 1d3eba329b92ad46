// RUN: autosplit-opt %s -p submodel-fold-pads --split-input-file --no-locations | filecheck %s
// RUN: autosplit-opt %s -p submodel-fold-pads --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// The picture of a Keras network: pads of height and width go behind the Transpose and the Cast.
// CHECK-LABEL: onnx.graph "keras"
// CHECK-NOT: onnx.Pad
// CHECK: %[[T:.+]] = onnx.Transpose "t__bare" (%x) -> ["t__bare"] <{perm = array<i64: 0, 3, 1, 2>}> : (tensor<1x6x8x3xf16>) -> tensor<1x3x6x8xf16>
// CHECK-NEXT: %[[C:.+]] = onnx.Cast "c__bare" (%[[T]]) -> ["c__bare"] <{to = 1 : i64}> : (tensor<1x3x6x8xf16>) -> tensor<1x3x6x8xf32>
// CHECK-NEXT: onnx.Conv "conv" (%[[C]], %w) -> ["y"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 0, 1, 2, 0>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "keras" (%x "x" : tensor<1x6x8x3xf16>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<2x3x3x3xf32>}> : () -> tensor<2x3x3x3xf32>
    %a = onnx.initializer "a" () <{value = dense<[0, 0, 1, 0, 0, 2, 0, 0]> : tensor<8xi64>}> : () -> tensor<8xi64>
    %p = onnx.Pad "pad" (%x, %a, _, _) -> ["p"] : (tensor<1x6x8x3xf16>, tensor<8xi64>) -> tensor<1x8x9x3xf16>
    %t = onnx.Transpose "turn" (%p) -> ["t"] <{perm = array<i64: 0, 3, 1, 2>}> : (tensor<1x8x9x3xf16>) -> tensor<1x3x8x9xf16>
    %c = onnx.Cast "cast" (%t) -> ["c"] <{to = 1 : i64}> : (tensor<1x3x8x9xf16>) -> tensor<1x3x8x9xf32>
    %y = onnx.Conv "conv" (%c, %w, _) -> ["y"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>}> : (tensor<1x3x8x9xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x6x7xf32>
    onnx.return %y : tensor<1x2x6x7xf32>
  }
}

// -----

// What adds to the padded value does not find zeros any more behind it: the Pad stays.
// CHECK-LABEL: onnx.graph "affine"
// CHECK: onnx.Pad "pad"
// CHECK: onnx.Conv "conv" (%{{.*}}, %w) -> ["y"] <{kernel_shape = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>
// WHY: FoldShortPad: onnx.Pad (pad): nothing that reads it can have these pads
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "affine" (%x "x" : tensor<1x1x2x2xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
    %b = onnx.initializer "b" () <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
    %a = onnx.initializer "a" () <{value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}> : () -> tensor<8xi64>
    %p = onnx.Pad "pad" (%x, %a, _, _) -> ["p"] : (tensor<1x1x2x2xf32>, tensor<8xi64>) -> tensor<1x1x4x4xf32>
    %s = onnx.Add "sum" (%p, %b) -> ["s"] : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
    %y = onnx.Conv "conv" (%s, %w, _) -> ["y"] <{kernel_shape = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}> : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    onnx.return %y : tensor<1x1x4x4xf32>
  }
}

// -----

// An average counts zeros that were padded, so it counts its pads. With pads that do not count, it cannot.
// CHECK-LABEL: onnx.graph "averages"
// CHECK: %[[P:.+]] = onnx.Pad "pad"
// CHECK-DAG: onnx.AveragePool "counts" (%x) -> ["m"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, count_include_pad = 1 : i64}>
// CHECK-DAG: onnx.AveragePool "leaves_out" (%[[P]]) -> ["n"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 0, 1, 0, 1>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "averages" (%x "x" : tensor<1x1x6x6xf32>) -> ["m", "n"] {
    %a = onnx.initializer "a" () <{value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}> : () -> tensor<8xi64>
    %p = onnx.Pad "pad" (%x, %a, _, _) -> ["p"] : (tensor<1x1x6x6xf32>, tensor<8xi64>) -> tensor<1x1x8x8xf32>
    %m = onnx.AveragePool "counts" (%p) -> ["m"] <{kernel_shape = array<i64: 3, 3>}> : (tensor<1x1x8x8xf32>) -> tensor<1x1x6x6xf32>
    %n = onnx.AveragePool "leaves_out" (%p) -> ["n"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 0, 1, 0, 1>}> : (tensor<1x1x8x8xf32>) -> tensor<1x1x6x8xf32>
    onnx.return %m, %n : tensor<1x1x6x6xf32>, tensor<1x1x6x8xf32>
  }
}

// -----

// Zeros around numbers that are not negative are never the only largest ones; around others they are.
// CHECK-LABEL: onnx.graph "largest"
// CHECK: onnx.Pad "signed"
// CHECK: onnx.MaxPool "stays" (%{{.*}}) -> ["n"] <{kernel_shape = array<i64: 3, 3>}>
// CHECK: %[[R:.+]] = onnx.Relu "relu"
// CHECK-NEXT: onnx.MaxPool "takes" (%[[R]]) -> ["m"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "largest" (%x "x" : tensor<1x1x6x6xf32>) -> ["m", "n"] {
    %a = onnx.initializer "a" () <{value = dense<[0, 0, 1, 1, 0, 0, 1, 1]> : tensor<8xi64>}> : () -> tensor<8xi64>
    %q = onnx.Pad "signed" (%x, %a, _, _) -> ["q"] : (tensor<1x1x6x6xf32>, tensor<8xi64>) -> tensor<1x1x8x8xf32>
    %n = onnx.MaxPool "stays" (%q) -> ["n"] <{kernel_shape = array<i64: 3, 3>}> : (tensor<1x1x8x8xf32>) -> tensor<1x1x6x6xf32>
    %r = onnx.Relu "relu" (%x) -> ["r"] : (tensor<1x1x6x6xf32>) -> tensor<1x1x6x6xf32>
    %p = onnx.Pad "pad" (%r, %a, _, _) -> ["p"] : (tensor<1x1x6x6xf32>, tensor<8xi64>) -> tensor<1x1x8x8xf32>
    %m = onnx.MaxPool "takes" (%p) -> ["m"] <{kernel_shape = array<i64: 3, 3>}> : (tensor<1x1x8x8xf32>) -> tensor<1x1x6x6xf32>
    onnx.return %m, %n : tensor<1x1x6x6xf32>, tensor<1x1x6x6xf32>
  }
}

// -----

// A signal, seen as a picture of one row.
// CHECK-LABEL: onnx.graph "signal"
// CHECK-NOT: onnx.Pad
// CHECK: onnx.Reshape "v__bare" (%x, %{{.*}}) -> ["v__bare"] : (tensor<1x4x9xf32>, tensor<4xi64>) -> tensor<1x4x1x9xf32>
// CHECK-NEXT: onnx.Conv "conv" (%{{.*}}, %w) -> ["y"] <{kernel_shape = array<i64: 1, 3>, pads = array<i64: 0, 2, 0, 0>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "signal" (%x "x" : tensor<1x4x9xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<2x4x1x3xf32>}> : () -> tensor<2x4x1x3xf32>
    %a = onnx.initializer "a" () <{value = dense<[2, 0]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %l = onnx.initializer "l" () <{value = dense<[-1]> : tensor<1xi64>}> : () -> tensor<1xi64>
    %u = onnx.initializer "u" () <{value = dense<[2]> : tensor<1xi64>}> : () -> tensor<1xi64>
    %p = onnx.Pad "pad" (%x, %a, _, %l) -> ["p"] : (tensor<1x4x9xf32>, tensor<2xi64>, tensor<1xi64>) -> tensor<1x4x11xf32>
    %v = onnx.Unsqueeze "view" (%p, %u) -> ["v"] : (tensor<1x4x11xf32>, tensor<1xi64>) -> tensor<1x4x1x11xf32>
    %y = onnx.Conv "conv" (%v, %w, _) -> ["y"] <{kernel_shape = array<i64: 1, 3>}> : (tensor<1x4x1x11xf32>, tensor<2x4x1x3xf32>) -> tensor<1x2x1x9xf32>
    onnx.return %y : tensor<1x2x1x9xf32>
  }
}
