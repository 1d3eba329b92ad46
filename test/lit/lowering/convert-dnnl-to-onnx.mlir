// RUN: autosplit-opt %s --split-input-file -p convert-dnnl-to-onnx | filecheck %s

// What is in no partition is ONNX again, with the model's names.
// CHECK-LABEL: onnx.graph "rest"
// CHECK:       %[[Q:.+]] = onnx.QuantizeLinear "" (%x, %{{.+}}, %{{.+}}) -> ["q"] : (tensor<1x4x2x2xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x2x2xui8>
// CHECK:       %[[R:.+]] = onnx.DequantizeLinear "" (%[[Q]], %{{.+}}, %{{.+}}) -> ["r"]
// CHECK:       %[[P:.+]] = dnnl.partition "{{[^"]+}}" (%{{[^:,]+}}: {{[^,]+}} = %[[R]])
// CHECK:         dnnl.ReLU
// CHECK:       %[[A:.+]] = onnx.AveragePool "" (%[[P]]) -> ["a"] <{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, kernel_shape = array<i64: 2, 2>, count_include_pad = 0 : i64}>
// CHECK:       %[[SHAPE:.+]] = onnx.initializer "y__shape" () <{value = dense<[0, -1]> : tensor<2xi64>}>
// CHECK-NEXT:  onnx.Reshape "" (%[[A]], %[[SHAPE]]) -> ["y"]
!x = tensor<1x4x2x2xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "rest" (%x "x" : !x) -> ["y"] {
    %q = dnnl.Quantize(%x) {qtype = "per_tensor", scales = [0.5], zps = [3], value_names = ["q"]} : (!x) -> tensor<1x4x2x2xui8>
    %r = dnnl.Dequantize(%q) {qtype = "per_tensor", scales = [0.5], zps = [3], value_names = ["r"]} : (tensor<1x4x2x2xui8>) -> !x
    %p = "dnnl.partition"(%r) <{rule = "unary", value_names = ["p"]}> ({
    ^bb0(%i : !x):
      %o = dnnl.ReLU(%i) : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %a = dnnl.AvgPool(%p) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], exclude_pad = true, kernel = [2, 2], data_format = "NCX", value_names = ["a"]} : (!x) -> tensor<1x4x1x1xf32>
    %y = dnnl.StaticReshape(%a) {shape = [0, -1], special_zero = true, value_names = ["y"]} : (tensor<1x4x1x1xf32>) -> tensor<1x4xf32>
    onnx.return %y : tensor<1x4xf32>
  }
}

// -----

// A product with flags and a bias is what it was made from: a Gemm, or a transposition, a product and a sum.
// CHECK-LABEL: onnx.graph "products"
// CHECK:       onnx.Gemm "" (%x, %w, %b) -> ["g"] <{transB = 1 : i64}>
// CHECK:       %[[T:.+]] = onnx.Transpose "m__turned_1" (%w) -> ["m__turned_1"] <{perm = array<i64: 1, 0>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:  %[[P:.+]] = onnx.MatMul "m__product" (%x, %[[T]]) -> ["m__product"]
// CHECK-NEXT:  onnx.Add "" (%[[P]], %b) -> ["m"]
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "products" (%x "x" : tensor<2x4xf32>, %w "w" : tensor<3x4xf32>, %b "b" : tensor<3xf32>) -> ["g", "m"] {
    %g = dnnl.MatMul(%x, %w, %b) {transpose_b = true, value_names = ["g"]} attributes {onnx.op_type = "Gemm"} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %m = dnnl.MatMul(%x, %w, %b) {transpose_b = true, value_names = ["m"]} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    onnx.return %g, %m : tensor<2x3xf32>, tensor<2x3xf32>
  }
}

// -----

// Reasons stay readable on what goes back.
// CHECK-LABEL: onnx.graph "reasons"
// CHECK:       onnx.Exp "" (%x) -> ["y"] {dnnl.unfused = #device.reason<"alone", "nothing to fuse with">}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "reasons" (%x "x" : tensor<4xf32>) -> ["y"] {
    %y = dnnl.Exp(%x) {value_names = ["y"]} attributes {dnnl.unfused = #device.reason<"alone", "nothing to fuse with">} : (tensor<4xf32>) -> tensor<4xf32>
    onnx.return %y : tensor<4xf32>
  }
}
