// RUN: autosplit-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: ReLU 'r' has 1 result and 2 names for them
%x = "test.op"() : () -> tensor<4xf32>
%y = caffe.ReLU "r" (%x) -> ["a", "b"] : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: ReLU 'r' has 1 result and 2 tops
%x = "test.op"() : () -> tensor<4xf32>
%y = caffe.ReLU "r" (%x) -> ["a"] <{layer.tops = ["a", "b"]}> : (tensor<4xf32>) -> tensor<4xf32>

// -----

// CHECK: Pooling 'p': pooling_param.kernel_size is "3", expected an integer
%x = "test.op"() : () -> tensor<1x4x4x1xf32>
%y = caffe.Pooling "p" (%x) -> ["p"] <{pooling_param = {kernel_size = "3"}}> : (tensor<1x4x4x1xf32>) -> tensor<*xf32>

// -----

// CHECK: Pooling 'p': pooling_param.pool is "MOST", expected one of MAX, AVE, STOCHASTIC
%x = "test.op"() : () -> tensor<1x4x4x1xf32>
%y = caffe.Pooling "p" (%x) -> ["p"] <{pooling_param = {pool = "MOST"}}> : (tensor<1x4x4x1xf32>) -> tensor<*xf32>

// -----

// CHECK: Permute 'p': permute_param.order is 1 : i64, expected a list
%x = "test.op"() : () -> tensor<1x4x4x1xf32>
%y = caffe.Permute "p" (%x) -> ["p"] <{permute_param = {order = 1 : i64}}> : (tensor<1x4x4x1xf32>) -> tensor<*xf32>

// -----

// CHECK: ReLU 'r': relu_param is true, expected a message
%x = "test.op"() : () -> tensor<1x4x4x1xf32>
%y = caffe.ReLU "r" (%x) -> ["p"] <{relu_param = true}> : (tensor<1x4x4x1xf32>) -> tensor<*xf32>

// -----

// CHECK: Crop 'c' has 1 bottom, expected 2
%x = "test.op"() : () -> tensor<1x4x4x1xf32>
%y = caffe.Crop "c" (%x) -> ["c"] : (tensor<1x4x4x1xf32>) -> tensor<*xf32>

// -----

// CHECK: Concat 'c' has 0 bottoms, expected at least 1
%y = caffe.Concat "c" () -> ["c"] : () -> tensor<*xf32>

// -----

// CHECK: two values are called 'x'
caffe.graph {
  %x = caffe.Input "x" () -> ["x"] : () -> tensor<4xf32>
  %y = caffe.ReLU "r" (%x) -> ["x"] : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

// CHECK: output 'z' is not a value of the network
caffe.graph outputs ["z"] {
  %x = caffe.Input "x" () -> ["x"] : () -> tensor<4xf32>
}

// -----

// CHECK: holds test.op, expected only layers of a network
caffe.graph {
  %x = "test.op"() : () -> tensor<4xf32>
}
