// RUN: autosplit-opt %s --split-input-file -p 'convert-onnx-to-dnnl{version=3.2}' | filecheck %s

// A quantized convolution: what the casts stand for is in attributes, the bias of 32 bits is a real constant, and
// unsigned weights around 128 are signed.
// CHECK-LABEL: onnx.graph "conv"
// CHECK:       %[[S:.+]] = onnx.initializer "w__signed" () <{value = dense<{{.*}}[2]{{.*}}[-3]{{.*}}> : tensor<2x1x1x1xi8>}>
// CHECK:       %[[Q:.+]] = dnnl.Quantize(%x) {qtype = "per_tensor", scales = [0.5], zps = [128]{{.*}}} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xui8>
// CHECK:       %[[X:.+]] = dnnl.Dequantize(%[[Q]]) {qtype = "per_tensor", scales = [0.5], zps = [128]{{.*}}}
// CHECK:       %[[W:.+]] = dnnl.Dequantize(%[[S]]) {qtype = "per_channel", axis = 0, scales = [0.25, 0.5], zps = [0, 0]{{.*}}}
// CHECK-NEXT:  %[[B:.+]] = onnx.initializer {{.+}}dense<[2.500000e+00, -5.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:  %[[Y:.+]] = dnnl.Convolution(%[[X]], %[[W]], %[[B]]) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX", value_names = ["y"]}
// CHECK-NEXT:  dnnl.ReLU(%[[Y]])
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "conv" (%x "x" : tensor<1x1x4x4xf32>) -> ["z"] {
    %w = onnx.initializer "w" () <{value = dense<[[[[130]]], [[[125]]]]> : tensor<2x1x1x1xui8>}> : () -> tensor<2x1x1x1xui8>
    %b = onnx.initializer "b" () <{value = dense<[10, -20]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %q = quant.qcast %x : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.5:128>>
    %r = quant.dcast %q : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.5:128>> to tensor<1x1x4x4xf32>
    %wq = quant.scast %w : tensor<2x1x1x1xui8> to tensor<2x1x1x1x!quant.uniform<u8:f32:0, {0.25:128, 0.5:128}>>
    %wr = quant.dcast %wq : tensor<2x1x1x1x!quant.uniform<u8:f32:0, {0.25:128, 0.5:128}>> to tensor<2x1x1x1xf32>
    %bq = quant.scast %b : tensor<2xi32> to tensor<2x!quant.uniform<i32:f32, 0.25>>
    %br = quant.dcast %bq : tensor<2x!quant.uniform<i32:f32, 0.25>> to tensor<2xf32>
    %y = onnx.Conv "conv" (%r, %wr, %br) -> ["y"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %z = onnx.Relu "relu" (%y) -> ["z"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %z : tensor<1x2x4x4xf32>
  }
}

// -----

// A vector added to a product is its bias, a transposition in front of it a flag.
// CHECK-LABEL: onnx.graph "linear"
// CHECK-NOT:   StaticTranspose
// CHECK:       dnnl.MatMul(%x, %w, %{{.+}}) {transpose_b = true, value_names = ["y"]} : (tensor<?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x3xf32>
// CHECK-NOT:   dnnl.Add
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "linear" (%x "x" : tensor<?x4xf32>, %w "w" : tensor<3x4xf32>) -> ["y"] {
    %b = onnx.initializer "b" () <{value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}> : () -> tensor<3xf32>
    %t = onnx.Transpose "turn" (%w) -> ["t"] <{perm = array<i64: 1, 0>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %p = onnx.MatMul "product" (%x, %t) -> ["p"] : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>
    %y = onnx.Add "add" (%p, %b) -> ["y"] : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    onnx.return %y : tensor<?x3xf32>
  }
}

// -----

// What stays next to quantized values says why; what stays elsewhere says nothing.
// CHECK-LABEL: onnx.graph "refused"
// CHECK:       onnx.Gelu "gelu" {{.*}} {dnnl.unmapped = #device.reason<"version", "Gelu needs oneDNN {{[0-9.]+}} or later, the target is 3.2">}
// CHECK:       onnx.Transpose "turn" {{.*}} {dnnl.unmapped = #device.reason<"dtype", "Transpose has src of u8, the library's StaticTranspose takes f32 or bf16 or f16">}
// CHECK:       quant.qcast {{.*}}dnnl.unmapped = #device.reason<"dtype", "is stored as i16, the library quantizes to i8 and u8">
// CHECK:       onnx.Erf "erf" (%x) -> ["e"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "refused" (%x "x" : tensor<1x4xf32>) -> ["g", "d", "n", "e"] {
    %q = quant.qcast %x : tensor<1x4xf32> to tensor<1x4x!quant.uniform<u8:f32, 0.5:128>>
    %r = quant.dcast %q : tensor<1x4x!quant.uniform<u8:f32, 0.5:128>> to tensor<1x4xf32>
    %g = onnx.Gelu "gelu" (%r) -> ["g"] <{approximate = "tanh"}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %t = onnx.Transpose "turn" (%q) -> ["t"] <{perm = array<i64: 1, 0>}> : (tensor<1x4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4x1x!quant.uniform<u8:f32, 0.5:128>>
    %d = quant.dcast %t : tensor<4x1x!quant.uniform<u8:f32, 0.5:128>> to tensor<4x1xf32>
    %m = quant.qcast %x : tensor<1x4xf32> to tensor<1x4x!quant.uniform<i16:f32, 0.5>>
    %n = quant.dcast %m : tensor<1x4x!quant.uniform<i16:f32, 0.5>> to tensor<1x4xf32>
    %e = onnx.Erf "erf" (%x) -> ["e"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.return %g, %d, %n, %e : tensor<1x4xf32>, tensor<4x1xf32>, tensor<1x4xf32>, tensor<1x4xf32>
  }
}

// -----

// What the library has a slow kernel for stays ONNX's: here maxima that get another scale.
// CHECK-LABEL: onnx.graph "slow"
// CHECK:       quant.qcast {{.*}}dnnl.unmapped = #device.reason<"slow-kernel", "changes the scale or the zero point of the maxima of 'pool', for which the library has a reference kernel only">
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "slow" (%x "x" : tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>>) -> ["y"] {
    %r = quant.dcast %x : tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>> to tensor<1x4x6x6xf32>
    %p = onnx.MaxPool "pool" (%r) -> ["p"] <{kernel_shape = array<i64: 2, 2>}> : (tensor<1x4x6x6xf32>) -> tensor<1x4x5x5xf32>
    %q = quant.qcast %p : tensor<1x4x5x5xf32> to tensor<1x4x5x5x!quant.uniform<u8:f32, 0.25>>
    %y = quant.dcast %q : tensor<1x4x5x5x!quant.uniform<u8:f32, 0.25>> to tensor<1x4x5x5xf32>
    onnx.return %y : tensor<1x4x5x5xf32>
  }
}

// -----

// A product transposes its second operand itself, unless the first one has a zero point.
// CHECK-LABEL: onnx.graph "second"
// CHECK-NOT:   onnx.Transpose
// CHECK:       dnnl.MatMul({{.+}}) {transpose_b = true, value_names = ["y"]}
// CHECK-LABEL: onnx.graph "with_zero_point"
// CHECK:       %[[B:.+]] = onnx.Transpose {{.+}} : (tensor<2x3x4xui8>) -> tensor<2x4x3xui8>
// CHECK-NEXT:  %[[D:.+]] = dnnl.Dequantize(%[[B]])
// CHECK-NEXT:  dnnl.MatMul(%{{.+}}, %[[D]]) {value_names = ["y"]}
!q = tensor<2x3x4x!quant.uniform<u8:f32, 0.1>>
!t = tensor<2x4x3x!quant.uniform<u8:f32, 0.1>>
!z = tensor<2x3x4x!quant.uniform<u8:f32, 0.1:7>>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "second" (%a "a" : !q, %b "b" : !q) -> ["y"] {
    %ad = quant.dcast %a : !q to tensor<2x3x4xf32>
    %t = onnx.Transpose "turn" (%b) -> ["t"] <{perm = array<i64: 0, 2, 1>}> : (!q) -> !t
    %bd = quant.dcast %t : !t to tensor<2x4x3xf32>
    %y = onnx.MatMul "product" (%ad, %bd) -> ["y"] : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
    onnx.return %y : tensor<2x3x3xf32>
  }
}

// -----

!q = tensor<2x3x4x!quant.uniform<u8:f32, 0.1>>
!t = tensor<2x4x3x!quant.uniform<u8:f32, 0.1>>
!z = tensor<2x3x4x!quant.uniform<u8:f32, 0.1:7>>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "with_zero_point" (%a "a" : !z, %b "b" : !q) -> ["y"] {
    %ad = quant.dcast %a : !z to tensor<2x3x4xf32>
    %t = onnx.Transpose "turn" (%b) -> ["t"] <{perm = array<i64: 0, 2, 1>}> : (!q) -> !t
    %bd = quant.dcast %t : !t to tensor<2x4x3xf32>
    %y = onnx.MatMul "product" (%ad, %bd) -> ["y"] : (tensor<2x3x4xf32>, tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
    onnx.return %y : tensor<2x3x3xf32>
  }
}

// -----

// A norm of rows, as that of groups of channels is written, if it scales nothing.
// CHECK-LABEL: onnx.graph "rows"
// CHECK:       dnnl.LayerNorm(%x) {keep_stats = false, use_affine = false, value_names = ["y"]}
// CHECK-SAME:  attributes {onnx.op_type = "InstanceNormalization"}
// CHECK:       onnx.InstanceNormalization "scaled"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "rows" (%x "x" : tensor<1x2x9xf32>) -> ["y", "z"] {
    %1 = onnx.initializer "one" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %0 = onnx.initializer "zero" () <{value = dense<0.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %y = onnx.InstanceNormalization "norm" (%x, %1, %0) -> ["y"] : (tensor<1x2x9xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x9xf32>
    %z = onnx.InstanceNormalization "scaled" (%x, %1, %1) -> ["z"] : (tensor<1x2x9xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x9xf32>
    onnx.return %y, %z : tensor<1x2x9xf32>, tensor<1x2x9xf32>
  }
}
