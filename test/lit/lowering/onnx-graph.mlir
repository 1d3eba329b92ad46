// RUN: autosplit-opt -p onnx-graph %s | filecheck %s

// A graph of TensorFlow whose ops are ONNX ones by now is an ONNX model: its inputs are those of the graph.
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph inputs ["x:0"] outputs ["y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4]>}> : () -> tensor<1x4xf32>
    %y = onnx.Relu "y" (%x) -> ["y:0"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
  }
}

// CHECK: platform.name = "onnx", onnx.opsets = {ai.onnx = 21 : i64}, onnx.ir_version = 10
// CHECK: onnx.graph "converted" (%[[X:.+]] "x:0" : tensor<1x4xf32>) -> ["y:0"]
// CHECK-NEXT: %[[Y:.+]] = onnx.Relu "y" (%[[X]]) -> ["y:0"]
// CHECK-NEXT: onnx.return %[[Y]]
