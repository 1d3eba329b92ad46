// RUN: autosplit-opt %s -p 'quant-before-moves' --split-input-file --no-locations | filecheck %s
// RUN: autosplit-opt %s -p 'quant-before-moves{requantize=true}' --split-input-file --no-locations | filecheck %s --check-prefix=AGAIN

// The parts are quantized as the whole was, and so is what is pooled.
// CHECK-LABEL: onnx.graph "joined"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK: %[[Q:.+]] = quant.qcast %[[C]] : {{.*}}!quant.uniform<u8:f32, 0.1:128>>
// CHECK: %[[D:.+]] = quant.dcast %[[Q]]
// CHECK: %[[M:.+]] = onnx.MaxPool "pool" (%[[D]])
// CHECK: %[[P:.+]] = quant.qcast %[[M]] : {{.*}}!quant.uniform<u8:f32, 0.1:128>>
// CHECK: %[[E:.+]] = quant.dcast %[[P]]
// CHECK: %[[J:.+]] = onnx.Concat "join" (%{{.+}}, %[[E]])
// CHECK: quant.qcast %[[J]] {{.*}}!quant.uniform<u8:f32, 0.1:128>>
onnx.graph "joined" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.05>>) -> ["q"] {
  %w = onnx.initializer "w" () <{value = dense<3> : tensor<2x2x1x1xi8>}> : () -> tensor<2x2x1x1xi8>
  %ws = quant.scast %w : tensor<2x2x1x1xi8> to tensor<2x2x1x1x!quant.uniform<i8:f32, 0.5>>
  %wr = quant.dcast %ws : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<2x2x1x1xf32>
  %r = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.05>> to tensor<1x2x4x4xf32>
  %c = onnx.Conv "conv" (%r, %wr) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %m = onnx.MaxPool "pool" (%c) -> ["m"] <{kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %j = onnx.Concat "join" (%c, %m) -> ["j"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
  %q = quant.qcast %j {value_names = ["q"]} : tensor<1x4x4x4xf32> to tensor<1x4x4x4x!quant.uniform<u8:f32, 0.1:128>>
  onnx.return %q : tensor<1x4x4x4x!quant.uniform<u8:f32, 0.1:128>>
}

// -----
// Each half is quantized by its own parameters: so is the whole, twice.
// CHECK-LABEL: onnx.graph "halves"
// CHECK-COUNT-2: onnx.Split
// CHECK-NOT: onnx.Split
onnx.graph "halves" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.05>>) -> ["p", "q"] {
  %w = onnx.initializer "w" () <{value = dense<3> : tensor<2x2x1x1xi8>}> : () -> tensor<2x2x1x1xi8>
  %ws = quant.scast %w : tensor<2x2x1x1xi8> to tensor<2x2x1x1x!quant.uniform<i8:f32, 0.5>>
  %wr = quant.dcast %ws : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<2x2x1x1xf32>
  %r = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.05>> to tensor<1x2x4x4xf32>
  %c = onnx.Conv "conv" (%r, %wr) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %a, %b = onnx.Split "split" (%c) -> ["a", "b"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>)
  %p = quant.qcast %a {value_names = ["p"]} : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1:128>>
  %q = quant.qcast %b {value_names = ["q"]} : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.2:128>>
  onnx.return %p, %q : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.1:128>>, tensor<1x1x4x4x!quant.uniform<u8:f32, 0.2:128>>
}

// -----
// Among real numbers a quantize stays where it is.
// CHECK-LABEL: onnx.graph "real"
// CHECK: onnx.Concat "join" (%x, %x)
onnx.graph "real" (%x "x" : tensor<1x2xf32>) -> ["q"] {
  %j = onnx.Concat "join" (%x, %x) -> ["j"] <{axis = 1 : i64}> : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %q = quant.qcast %j {value_names = ["q"]} : tensor<1x4xf32> to tensor<1x4x!quant.uniform<u8:f32, 0.1:128>>
  onnx.return %q : tensor<1x4x!quant.uniform<u8:f32, 0.1:128>>
}

// -----
// What has different scales is quantized again, by that of the whole.
// CHECK-LABEL: onnx.graph "scales"
// CHECK: onnx.Concat "join" (%a, %b)
// AGAIN-LABEL: onnx.graph "scales"
// AGAIN: %[[A:.+]] = quant.qcast %a : {{.*}}!quant.uniform<u8:f32, 0.3>>
// AGAIN: %[[C:.+]] = quant.dcast %[[A]]
// AGAIN: %[[B:.+]] = quant.qcast %b : {{.*}}!quant.uniform<u8:f32, 0.3>>
// AGAIN: %[[D:.+]] = quant.dcast %[[B]]
// AGAIN: onnx.Concat "join" (%[[C]], %[[D]])
onnx.graph "scales" (%x "x" : tensor<1x2x!quant.uniform<u8:f32, 0.05>>) -> ["q"] {
  %w = onnx.initializer "w" () <{value = dense<3> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
  %ws = quant.scast %w : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  %wr = quant.dcast %ws : tensor<2x2x!quant.uniform<i8:f32, 0.5>> to tensor<2x2xf32>
  %a = quant.dcast %x : tensor<1x2x!quant.uniform<u8:f32, 0.05>> to tensor<1x2xf32>
  %c = onnx.MatMul "product" (%a, %wr) -> ["c"] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %p = quant.qcast %c : tensor<1x2xf32> to tensor<1x2x!quant.uniform<u8:f32, 0.2>>
  %b = quant.dcast %p {value_names = ["b"]} : tensor<1x2x!quant.uniform<u8:f32, 0.2>> to tensor<1x2xf32>
  %j = onnx.Concat "join" (%a, %b) -> ["j"] <{axis = 1 : i64}> : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %q = quant.qcast %j {value_names = ["q"]} : tensor<1x4xf32> to tensor<1x4x!quant.uniform<u8:f32, 0.3>>
  onnx.return %q : tensor<1x4x!quant.uniform<u8:f32, 0.3>>
}
