"""A small model of each platform but ONNX, as text: a convolution and what stays on the CPU."""

TF = """
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["find:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 8, 8, 3]>}> : () -> tensor<1x8x8x3xf32>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<3x3x3x4xf32>}> : () -> tensor<3x3x3x4xf32>
    %c = tf.Conv2D "conv" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> :
        (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<*xf32>
    %r = tf.Relu6 "relu" (%c) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
    %y = tf.Where "find" (%r) <{T = f32}> : (tensor<*xf32>) -> tensor<*xi64>
  }
}
"""

MXNET = """
builtin.module attributes {platform.name = "mxnet"} {
  mx.graph inputs ["data"] outputs ["find_output"] {
    %x = mx.null "data" () : () -> tensor<1x3x8x8xf32>
    %w = mx.param "w" () <{node.value = dense<1.0> : tensor<4x3x3x3xf32>, node.kind = "arg"}> :
        () -> tensor<4x3x3x3xf32>
    %c = mx.Convolution "conv" (%x, %w) <{kernel = "(3, 3)", num_filter = "4", no_bias = "True"}> :
        (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> !platform.unknown
    %r = mx.Activation "relu" (%c) <{act_type = "relu"}> : (!platform.unknown) -> !platform.unknown
    %y = mx.argsort "find" (%r) : (!platform.unknown) -> !platform.unknown
  }
}
"""

CAFFE = """
builtin.module attributes {platform.name = "caffe"} {
  caffe.graph outputs ["own"] {
    %x = caffe.Input "data" () -> ["data"] : () -> tensor<1x3x8x8xf32>
    %c = caffe.Convolution "conv" (%x) -> ["conv@conv"] <{layer.tops = ["conv"],
        layer.blobs = [dense<1.0> : tensor<4x3x3x3xf32>, dense<0.5> : tensor<4xf32>],
        convolution_param = {num_output = 4 : i64, kernel_size = [3 : i64], pad = [1 : i64]}}> :
        (tensor<1x3x8x8xf32>) -> tensor<*xf32>
    %r = caffe.ReLU "relu" (%c) -> ["conv"] : (tensor<*xf32>) -> tensor<*xf32>
    %y = caffe.opaque "own" (%r) -> ["own"] <{layer.type = "Mine"}> : (tensor<*xf32>) -> tensor<*xf32>
  }
}
"""

PYTORCH = """
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["find", "sum"] {
    %w = aten.param "w" () <{node.value = dense<1.0> : tensor<4x3x3x3xf32>, node.kind = "parameter",
        node.fqn = "w"}> : () -> tensor<4x3x3x3xf32>
    %n = aten.state "n" () <{node.value = dense<0.0> : tensor<4xf32>, node.kind = "buffer", node.fqn = "n"}> :
        () -> tensor<4xf32>
    %x = aten.input "x" () : () -> tensor<1x3x8x8xf32>
    %c = aten.conv2d "conv" (%x, %w) <{stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> :
        (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
    %r = aten.relu_ "relu" (%c) : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %a = aten.add_.Tensor "add" (%n) <{other = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    %y = aten.nonzero "find" (%r) : (tensor<1x4x4x4xf32>) -> tensor<?x4xi64>
    %s = aten.sum "sum" (%c) : (tensor<1x4x4x4xf32>) -> tensor<f32>
  }
}
"""

TEXTS = {"caffe": CAFFE, "mxnet": MXNET, "pytorch": PYTORCH, "tensorflow": TF}
