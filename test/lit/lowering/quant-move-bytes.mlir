// RUN: autosplit-opt %s -p quant-move-bytes --split-input-file | filecheck %s

// Two values of one scale are joined as bytes, and the quantize behind it is gone.
// CHECK-LABEL: onnx.graph "join"
// CHECK-NEXT: %[[A:.+]] = quant.scast %x
// CHECK-NEXT: %[[B:.+]] = quant.scast %y
// CHECK-NEXT: %[[C:.+]] = onnx.Concat "concat" (%[[A]], %[[B]]) -> ["c__bytes"] <{axis = 1 : i64}> : (tensor<1x2x4x4xui8>, tensor<1x3x4x4xui8>) -> tensor<1x5x4x4xui8>
// CHECK-NEXT: %[[Q:.+]] = quant.scast %[[C]]
// CHECK-NEXT: onnx.return %[[Q]]
!q2 = tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>
!q3 = tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:3>>
!q5 = tensor<1x5x4x4x!quant.uniform<u8:f32, 0.1:3>>
onnx.graph "join" (%x "x" : !q2, %y "y" : !q3) -> ["z"] {
  %a = quant.dcast %x : !q2 to tensor<1x2x4x4xf32>
  %b = quant.dcast %y : !q3 to tensor<1x3x4x4xf32>
  %c = onnx.Concat "concat" (%a, %b) -> ["c"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x5x4x4xf32>
  %z = quant.qcast %c : tensor<1x5x4x4xf32> to !q5
  onnx.return %z : !q5
}

// -----
// What is split stays dequantized for those who read real numbers.
// CHECK-LABEL: onnx.graph "split"
// CHECK-NEXT: %[[A:.+]] = quant.scast %x
// CHECK-NEXT: onnx.Split "split" (%[[A]]) -> ["a__bytes", "b__bytes"] {{.*}} : (tensor<1x4x2xui8>) -> (tensor<1x2x2xui8>, tensor<1x2x2xui8>)
// CHECK: quant.dcast {{.*}} {value_names = ["b"]}
// CHECK: quant.dcast {{.*}} {value_names = ["a"]}
onnx.graph "split" (%x "x" : tensor<1x4x2x!quant.uniform<u8:f32, 0.1:3>>) -> ["a", "b"] {
  %r = quant.dcast %x : tensor<1x4x2x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x4x2xf32>
  %a, %b = onnx.Split "split" (%r, _) -> ["a", "b"] <{axis = 1 : i64, num_outputs = 2 : i64}> : (tensor<1x4x2xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>)
  onnx.return %a, %b : tensor<1x2x2xf32>, tensor<1x2x2xf32>
}

// -----
// Padding with 0 is padding with the zero point.
// CHECK-LABEL: onnx.graph "pad"
// CHECK: %[[Z:.+]] = onnx.initializer "p__zero" () <{value = dense<3> : tensor<ui8>}>
// CHECK: onnx.Pad "pad" (%{{.+}}, %pads, %[[Z]], _) -> ["p__bytes"]
onnx.graph "pad" (%x "x" : tensor<2x!quant.uniform<u8:f32, 0.1:3>>) -> ["p"] {
  %pads = onnx.initializer "pads" () <{value = dense<[1, 0]> : tensor<2xi64>}> : () -> tensor<2xi64>
  %zero = onnx.initializer "zero" () <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %r = quant.dcast %x : tensor<2x!quant.uniform<u8:f32, 0.1:3>> to tensor<2xf32>
  %p = onnx.Pad "pad" (%r, %pads, %zero, _) -> ["p"] : (tensor<2xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3xf32>
  onnx.return %p : tensor<3xf32>
}

// -----
// Different scales.
// CHECK-LABEL: onnx.graph "scales"
// CHECK: onnx.Concat {{.*}} : (tensor<2xf32>, tensor<2xf32>)
onnx.graph "scales" (%x "x" : tensor<2x!quant.uniform<u8:f32, 0.1:3>>, %y "y" : tensor<2x!quant.uniform<u8:f32, 0.2:3>>) -> ["c"] {
  %a = quant.dcast %x : tensor<2x!quant.uniform<u8:f32, 0.1:3>> to tensor<2xf32>
  %b = quant.dcast %y : tensor<2x!quant.uniform<u8:f32, 0.2:3>> to tensor<2xf32>
  %c = onnx.Concat "concat" (%a, %b) -> ["c"] <{axis = 0 : i64}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  onnx.return %c : tensor<4xf32>
}

// -----
// Padding with another number, and enlarging by a fraction.
// CHECK-LABEL: onnx.graph "computes"
// CHECK: onnx.Pad {{.*}} -> tensor<3xf32>
// CHECK: onnx.Resize {{.*}} -> tensor<3xf32>
onnx.graph "computes" (%x "x" : tensor<2x!quant.uniform<u8:f32, 0.1:3>>) -> ["p", "s"] {
  %pads = onnx.initializer "pads" () <{value = dense<[1, 0]> : tensor<2xi64>}> : () -> tensor<2xi64>
  %two = onnx.initializer "two" () <{value = dense<2.0> : tensor<f32>}> : () -> tensor<f32>
  %factor = onnx.initializer "factor" () <{value = dense<1.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = quant.dcast %x : tensor<2x!quant.uniform<u8:f32, 0.1:3>> to tensor<2xf32>
  %p = onnx.Pad "pad" (%r, %pads, %two, _) -> ["p"] : (tensor<2xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3xf32>
  %s = onnx.Resize "resize" (%r, _, %factor, _) -> ["s"] <{mode = "nearest"}> : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  onnx.return %p, %s : tensor<3xf32>, tensor<3xf32>
}

// -----
// Channels that become pixels are put into the order in which those of a pixel lie together.
// CHECK-LABEL: onnx.graph "blocks"
// CHECK: onnx.initializer {{.*}}dense<{{\[\[\[\[1\]\]\], \[\[\[5\]\]\], \[\[\[2\]\]\], \[\[\[6\]\]\], \[\[\[3\]\]\], \[\[\[7\]\]\], \[\[\[4\]\]\], \[\[\[8\]\]\]\]}}>
// CHECK: onnx.DepthToSpace {{.*}}<{blocksize = 2 : i64, mode = "DCR"}> : (tensor<1x8x4x4xui8>) -> tensor<1x2x8x8xui8>
onnx.graph "blocks" (%x "x" : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[[[1]]], [[[2]]], [[[3]]], [[[4]]], [[[5]]], [[[6]]], [[[7]]], [[[8]]]]> : tensor<8x1x1x1xi8>}> : () -> tensor<8x1x1x1xi8>
  %xd = quant.dcast %x : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x1x4x4xf32>
  %ws = quant.scast %w : tensor<8x1x1x1xi8> to tensor<8x1x1x1x!quant.uniform<i8:f32, 0.01>>
  %wd = quant.dcast %ws : tensor<8x1x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<8x1x1x1xf32>
  %c = onnx.Conv "conv" (%xd, %wd, _) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x4x4xf32>
  %q = quant.qcast %c : tensor<1x8x4x4xf32> to tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:128>>
  %d = quant.dcast %q : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x8x4x4xf32>
  %s = onnx.DepthToSpace "shuffle" (%d) -> ["s"] <{blocksize = 2 : i64, mode = "CRD"}> : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
  onnx.return %s : tensor<1x2x8x8xf32>
}

// -----
// The largest of dequantized numbers is one of them: it is quantized as they were, and a view of that has bytes too.
// CHECK-LABEL: onnx.graph "maxima"
// CHECK: %[[M:.+]] = onnx.MaxPool "pool"
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[M]] : tensor<1x2x2x2xf32> to tensor<1x2x2x2x!quant.uniform<u8:f32, 0.1:3>>
// CHECK-NEXT: %[[S:.+]] = quant.scast %[[Q]]
// CHECK-NEXT: onnx.Flatten "rows" (%[[S]]) {{.*}} -> tensor<1x8xui8>
onnx.graph "maxima" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<3> : tensor<8x5xi8>}> : () -> tensor<8x5xi8>
  %r = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x4x4xf32>
  %m = onnx.MaxPool "pool" (%r) -> ["m"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %f = onnx.Flatten "rows" (%m) -> ["f"] <{axis = 1 : i64}> : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
  %q = quant.scast %w : tensor<8x5xi8> to tensor<8x5x!quant.uniform<i8:f32, 0.25>>
  %s = quant.dcast %q : tensor<8x5x!quant.uniform<i8:f32, 0.25>> to tensor<8x5xf32>
  %y = onnx.Gemm "product" (%f, %s) -> ["y"] : (tensor<1x8xf32>, tensor<8x5xf32>) -> tensor<1x5xf32>
  onnx.return %y : tensor<1x5xf32>
}

// -----
// A view that nothing but real numbers needs stays one of real numbers.
// CHECK-LABEL: onnx.graph "viewed"
// CHECK: onnx.Flatten {{.*}} -> tensor<1x4xf32>
onnx.graph "viewed" (%x "x" : tensor<1x2x2x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %r = quant.dcast %x : tensor<1x2x2x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x2x2xf32>
  %f = onnx.Flatten "rows" (%r) -> ["f"] <{axis = 1 : i64}> : (tensor<1x2x2xf32>) -> tensor<1x4xf32>
  %y = onnx.Softmax "softmax" (%f) -> ["y"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
  onnx.return %y : tensor<1x4xf32>
}
