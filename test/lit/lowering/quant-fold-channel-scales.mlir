// RUN: autosplit-opt %s -p 'quant-fold-channel-scales' --split-input-file --no-locations | filecheck %s

// The scales 0.1 and 0.4 become 0.4 for both, and the weights of the first channel a quarter of what they were. In
// front, the first channel is multiplied by 4, in the weights of the convolution; the Relu repeats what saturating does.
// CHECK-LABEL: onnx.graph "depthwise"
// CHECK: %[[W:.+]] = quant.scast %v {{.*}}: tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {2.0, 0.5}>>
// CHECK-NEXT: %[[R:.+]] = quant.dcast %[[W]]
// CHECK-NEXT: %[[C:.+]] = onnx.Conv "conv" (%{{[^,]+}}, %[[R]])
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[C]] {{.*}}to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.4>>
// CHECK-NEXT: %[[D:.+]] = quant.dcast %[[Q]]
// CHECK-NEXT: %[[U:.+]] = quant.scast %w : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.0625, 0.25}>>
// CHECK-NEXT: %[[V:.+]] = quant.dcast %[[U]]
// CHECK-NEXT: onnx.Conv "depthwise" (%[[D]], %[[V]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "depthwise" (%x "x" : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1>>) -> ["y"] {
    %v = onnx.initializer "v" () <{value = dense<[[[[2]]], [[[3]]]]> : tensor<2x1x1x1xi8>}> : () -> tensor<2x1x1x1xi8>
    %w = onnx.initializer "w" () <{value = dense<[[[[4]]], [[[5]]]]> : tensor<2x1x1x1xi8>}> : () -> tensor<2x1x1x1xi8>
    %a = quant.dcast %x : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x1x4x4xf32>
    %vq = quant.scast %v : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32, 0.5>>
    %vr = quant.dcast %vq : tensor<2x1x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<2x1x1x1xf32>
    %c = onnx.Conv "conv" (%a, %vr) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%c) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %q = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1, 0.4}>>
    %d = quant.dcast %q : tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1, 0.4}>> to tensor<1x2x4x4xf32>
    %wq = quant.scast %w : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32, 0.25>>
    %wr = quant.dcast %wq : tensor<2x1x1x1x!quant.uniform<i8:f32, 0.25>> to tensor<2x1x1x1xf32>
    %y = onnx.Conv "depthwise" (%d, %wr) -> ["y"] <{group = 2 : i64}> : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %y : tensor<1x2x4x4xf32>
  }
}

// -----

// A convolution that mixes channels cannot take their scales over.
// CHECK-LABEL: onnx.graph "mixes"
// CHECK: quant.dcast {{.*}}!quant.uniform<u8:f32:1, {0.1, 0.4}>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "mixes" (%x "x" : tensor<1x2x4x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<3> : tensor<2x2x1x1xi8>}> : () -> tensor<2x2x1x1xi8>
    %q = quant.qcast %x : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1, 0.4}>>
    %d = quant.dcast %q : tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1, 0.4}>> to tensor<1x2x4x4xf32>
    %wq = quant.scast %w : tensor<2x2x1x1xi8> to tensor<2x2x1x1x!quant.uniform<i8:f32, 0.25>>
    %wr = quant.dcast %wq : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.25>> to tensor<2x2x1x1xf32>
    %y = onnx.Conv "mix" (%d, %wr) -> ["y"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %y : tensor<1x2x4x4xf32>
  }
}
