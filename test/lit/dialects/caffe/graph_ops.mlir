// RUN: AUTOSPLIT_ROUNDTRIP

// A network. Where a layer writes over what it reads, the last value has the blob's name.
// CHECK: caffe.graph outputs ["conv1"] net {name = "n"} {
caffe.graph outputs ["conv1"] net {name = "n"} {
  // CHECK-NEXT: %[[X:.+]] = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x8x8xf32>
  %x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x8x8xf32>
  // CHECK-NEXT: %[[C:.+]] = caffe.Convolution "conv1" (%[[X]]) -> ["conv1@conv1"] <{layer.tops = ["conv1"], layer.blobs = [#platform.weight<"conv1/0", "0123456789abcdef", tensor<64x3x3x3xf32>>, dense<0.000000e+00> : tensor<64xf32>], convolution_param = {num_output = 64 : i64, kernel_size = [3 : i64]}}>
  %c = caffe.Convolution "conv1" (%x) -> ["conv1@conv1"] <{layer.tops = ["conv1"], layer.blobs = [#platform.weight<"conv1/0", "0123456789abcdef", tensor<64x3x3x3xf32>>, dense<0.0> : tensor<64xf32>], convolution_param = {num_output = 64 : i64, kernel_size = [3 : i64]}}> : (tensor<1x3x8x8xf32>) -> tensor<1x64x6x6xf32>
  // CHECK-NEXT: %{{.+}} = caffe.ReLU "relu1" (%[[C]]) -> ["conv1"] <{relu_param = {negative_slope = 1.000000e-01 : f32}}>
  %y = caffe.ReLU "relu1" (%c) -> ["conv1"] <{relu_param = {negative_slope = 0.1 : f32}}> : (tensor<1x64x6x6xf32>) -> tensor<1x64x6x6xf32>
}

// -----

// A layer of a type that is not declared, and a field that is not: both are kept.
// CHECK: %{{.+}} = caffe.opaque "n" (%{{.+}}) -> ["n"] <{layer.type = "Mine", mine_param = {mode = @FAST, rate = 5.000000e-01 : f64}}> : (tensor<1x8xf32>) -> tensor<*xf32>
%x = "test.op"() : () -> tensor<1x8xf32>
%y = caffe.opaque "n" (%x) -> ["n"] <{layer.type = "Mine", mine_param = {mode = @FAST, rate = 5.0e-01 : f64}}> : (tensor<1x8xf32>) -> tensor<*xf32>
