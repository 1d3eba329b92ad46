// RUN: autosplit-opt --split-input-file -p 'convert-caffe-to-onnx' %s | filecheck %s

// Layers become ONNX ops under the names of their blobs; sizes follow from the input's. Pooling rounds up in
// Caffe: here a last window reaches beyond the blob.

builtin.module attributes {test = "layers", platform.name = "caffe"} {
  caffe.graph outputs ["pool1"] {
    %x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x8x8xf32>
    %c = caffe.Convolution "conv1" (%x) -> ["conv1@conv1"] <{layer.tops = ["conv1"], layer.blobs = [dense<1.0> : tensor<4x3x3x3xf32>, dense<0.5> : tensor<4xf32>], convolution_param = {num_output = 4 : i64, kernel_size = [3 : i64], pad = [1 : i64]}}> : (tensor<1x3x8x8xf32>) -> tensor<*xf32>
    %r = caffe.ReLU "relu1" (%c) -> ["conv1"] : (tensor<*xf32>) -> tensor<*xf32>
    %p = caffe.Pooling "pool1" (%r) -> ["pool1"] <{pooling_param = {kernel_size = 3 : i64, stride = 2 : i64}}> : (tensor<*xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "layers"
// CHECK:      %[[X:.+]] = caffe.Input "data" () -> ["data"]
// CHECK-NEXT: %[[W:.+]] = onnx.initializer "conv1@conv1/weight0" () <{value = dense<1.0{{.*}}> : tensor<4x3x3x3xf32>}>
// CHECK-NEXT: %[[B:.+]] = onnx.initializer "conv1@conv1/weight1" () <{value = dense<5.0{{.*}}> : tensor<4xf32>}>
// CHECK-NEXT: %[[C:.+]] = onnx.Conv "conv1" (%[[X]], %[[W]], %[[B]]) -> ["conv1@conv1"] <{{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}}> : {{.*}} -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[R:.+]] = onnx.Relu "relu1" (%[[C]]) -> ["conv1"]
// CHECK-NEXT: onnx.MaxPool "pool1" (%[[R]]) -> ["pool1"] <{{.*}}ceil_mode = 1{{.*}}> : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>

// -----

// A window that is full is no reason to round.

builtin.module attributes {test = "full", platform.name = "caffe"} {
  caffe.graph outputs ["p"] {
    %x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x9x9xf32>
    %p = caffe.Pooling "p" (%x) -> ["p"] <{pooling_param = {pool = "AVE", kernel_size = 3 : i64, stride = 2 : i64}}> : (tensor<1x3x9x9xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "full"
// CHECK: onnx.AveragePool "p" {{.*}}ceil_mode = 0{{.*}} -> tensor<1x3x4x4xf32>

// -----

// Default boxes follow from the sizes of blobs. What keeps boxes stays, with the reason.

builtin.module attributes {test = "boxes", platform.name = "caffe"} {
  caffe.graph outputs ["d"] {
    %x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x8x8xf32>
    %f = caffe.Input "f" () -> ["f"] : () -> tensor<1x8x1x1xf32>
    %l = caffe.Input "l" () -> ["l"] : () -> tensor<1x4xf32>
    %c = caffe.Input "c" () -> ["c"] : () -> tensor<1x2xf32>
    %b = caffe.PriorBox "b" (%f, %x) -> ["b"] <{prior_box_param = {min_size = [4.0 : f32], variance = [0.25 : f32]}}> : (tensor<1x8x1x1xf32>, tensor<1x3x8x8xf32>) -> tensor<*xf32>
    %d = caffe.DetectionOutput "d" (%l, %c, %b) -> ["d"] : (tensor<1x4xf32>, tensor<1x2xf32>, tensor<*xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "boxes"
// CHECK: onnx.initializer "b" () <{value = dense<{{\[\[\[}}2.500000e-01, 2.500000e-01, 7.500000e-01, 7.500000e-01], [2.500000e-01, 2.500000e-01, 2.500000e-01, 2.500000e-01{{\]\]\]}}> : tensor<1x2x4xf32>}>
// CHECK: caffe.DetectionOutput "d" {{.*}}device.refused = {tpu = #device.reason<"data-dependent", "how many boxes it keeps depends on the data">}

// -----

// What does not fit stays too, and whatever is of a type that nobody knows.

builtin.module attributes {test = "kept", platform.name = "caffe"} {
  caffe.graph outputs ["r", "m"] {
    %x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x8x8xf32>
    %r = caffe.Permute "r" (%x) -> ["r"] <{permute_param = {order = [7 : i64]}}> : (tensor<1x3x8x8xf32>) -> tensor<*xf32>
    %m = caffe.opaque "m" (%x) -> ["m"] <{layer.type = "Mine"}> : (tensor<1x3x8x8xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "kept"
// CHECK: caffe.Permute "r" {{.*}}#device.reason<"malformed-op", "what it reads does not fit its parameters: order [7, 0, 1, 2, 3] of a blob of 4 axes">
// CHECK: caffe.opaque "m" {{.*}}#device.reason<"unsupported-op", "Mine has no conversion to onnx">
