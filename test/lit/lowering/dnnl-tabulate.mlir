// RUN: autosplit-opt %s -p dnnl-tabulate --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p dnnl-tabulate --split-input-file --debug-match 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// A function between casts beside a move of bytes is a table: a ReLU here, for which half of the bytes are 0.
// CHECK-LABEL: onnx.graph "relu"
// CHECK-NOT:   onnx.DequantizeLinear
// CHECK:       %[[Y:.+]] = onnx.opaque "relu" (%x) -> ["q"] <{op_type = "Lookup", domain = "autosplit", node_fields = {table = array<i64: 0, {{[0, ]+}}, 0, 1, 2, {{.+}}, 126, 127>}}> : (tensor<1x4xui8>) -> tensor<1x4xui8>
// CHECK-NEXT:  onnx.Transpose "turn" (%[[Y]])
builtin.module attributes {onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "relu" (%x "x" : tensor<1x4xui8>) -> ["y"] {
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %z = onnx.initializer "z" () <{value = dense<128> : tensor<ui8>}> : () -> tensor<ui8>
    %n = onnx.initializer "n" () <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %d = onnx.DequantizeLinear "real" (%x, %s, %z) -> ["d"] : (tensor<1x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4xf32>
    %r = onnx.Relu "relu" (%d) -> ["r"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = onnx.QuantizeLinear "stored" (%r, %s, %n) -> ["q"] : (tensor<1x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4xui8>
    %y = onnx.Transpose "turn" (%q) -> ["y"] <{perm = array<i64: 1, 0>}> : (tensor<1x4xui8>) -> tensor<4x1xui8>
    onnx.return %y : tensor<4x1xui8>
  }
}

// -----

// Where ONNX Runtime computes what is around it, it stays there; so does what two tensors make.
// CHECK-LABEL: onnx.graph "alone"
// CHECK:       onnx.Relu "relu"
// CHECK:       onnx.Mul "both"
// WHY:         Tabulate: onnx.QuantizeLinear (stored): ONNX Runtime computes what is around it
// WHY:         Tabulate: onnx.QuantizeLinear (other): what it quantizes is no function of one tensor of bytes
builtin.module attributes {onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "alone" (%x "x" : tensor<1x4xui8>, %w "w" : tensor<1x4xui8>) -> ["q", "y"] {
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %z = onnx.initializer "z" () <{value = dense<128> : tensor<ui8>}> : () -> tensor<ui8>
    %d = onnx.DequantizeLinear "real" (%x, %s, %z) -> ["d"] : (tensor<1x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4xf32>
    %r = onnx.Relu "relu" (%d) -> ["r"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %q = onnx.QuantizeLinear "stored" (%r, %s, %z) -> ["q"] : (tensor<1x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4xui8>
    %e = onnx.DequantizeLinear "second" (%w, %s, %z) -> ["e"] : (tensor<1x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4xf32>
    %m = onnx.Mul "both" (%d, %e) -> ["m"] : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %p = onnx.QuantizeLinear "other" (%m, %s, %z) -> ["p"] : (tensor<1x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4xui8>
    %y = onnx.Transpose "turn" (%p) -> ["y"] <{perm = array<i64: 1, 0>}> : (tensor<1x4xui8>) -> tensor<4x1xui8>
    onnx.return %q, %y : tensor<1x4xui8>, tensor<4x1xui8>
  }
}
