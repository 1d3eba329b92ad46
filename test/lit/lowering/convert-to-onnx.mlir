// RUN: autosplit-opt --split-input-file -p convert-to-onnx %s | filecheck %s

// A graph of TensorFlow: the conversion of its platform, and canonical ONNX behind it.
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4]>}> : () -> tensor<1x4xf32>
    %z = tf.Const "zero" () <{dtype = f32, value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %s = tf.AddV2 "same" (%x, %z) <{T = f32}> : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %y = tf.Relu "y" (%s) <{T = f32}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
  }
}

// CHECK: tf.graph
// CHECK: %[[X:.+]] = tf.Placeholder "x"
// CHECK: %[[S:.+]] = onnx.Add "same" (%[[X]], %{{.+}}) -> ["same:0"]
// CHECK: onnx.Relu "y" (%[[S]]) -> ["y:0"]

// -----

// A model of ONNX is brought into the form of operator set 21, where the axes are an operand.
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 11 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %y = onnx.Squeeze "squeeze" (%x, _) -> ["y"] <{axes = array<i64: 0>}> : (tensor<1x4xf32>) -> tensor<4xf32>
    onnx.return %y : tensor<4xf32>
  }
}

// CHECK: onnx.opsets = {ai.onnx = 21 : i64}
// CHECK: %[[A:.+]] = onnx.initializer "y__axes"
// CHECK: onnx.Squeeze "squeeze" (%{{.+}}, %[[A]]) -> ["y"] :
