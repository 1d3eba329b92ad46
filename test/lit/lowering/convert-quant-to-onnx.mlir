// RUN: autosplit-opt %s -p convert-quant-to-onnx --split-input-file | filecheck %s

// A cast that came from a node is that node again; the constants have their names and shapes.
// CHECK-LABEL: onnx.graph "there_and_back"
// CHECK-DAG: %[[S:.+]] = onnx.initializer "s" () <{value = dense<2.000000e-02> : tensor<1xf32>}>
// CHECK-DAG: %[[Z:.+]] = onnx.initializer "z" () <{value = dense<128> : tensor<1xui8>}>
// CHECK: %[[Q:.+]] = onnx.QuantizeLinear "q" (%x, %[[S]], %[[Z]]) -> ["x_q"] <{axis = 1 : i64}> : (tensor<4xf32>, tensor<1xf32>, tensor<1xui8>) -> tensor<4xui8>
// CHECK-NEXT: %[[D:.+]] = onnx.DequantizeLinear "d" (%[[Q]], %[[S]], %[[Z]]) -> ["y"] : (tensor<4xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<4xf32>
// CHECK-NEXT: onnx.return %[[D]]
onnx.graph "there_and_back" (%x "x" : tensor<4xf32>) -> ["y"] {
  %q = quant.qcast %x {node_name = "q", value_names = ["x_q"], source = {inputs = ["s", "z"], scale_vector, zero_point_vector, fields = {axis = 1 : i64}}} : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.02:128>>
  %y = quant.dcast %q {node_name = "d", value_names = ["y"], source = {inputs = ["s", "z"], scale_vector, zero_point_vector}} : tensor<4x!quant.uniform<u8:f32, 0.02:128>> to tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----
// One that a pass made gets names, its zero point is written, and so is the axis where it is not 1.
// CHECK-LABEL: onnx.graph "new"
// CHECK-DAG: onnx.initializer "y_scale" () <{value = dense<[1.000000e-01, 2.000000e-01]> : tensor<2xf32>}>
// CHECK-DAG: onnx.initializer "y_zero_point" () <{value = dense<0> : tensor<2xi8>}>
// CHECK: onnx.DequantizeLinear "" (%w, %{{.+}}, %{{.+}}) -> ["y"] <{axis = 0 : i64}>
onnx.graph "new" () -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<2> : tensor<2x3xi8>}> : () -> tensor<2x3xi8>
  %q = quant.scast %w : tensor<2x3xi8> to tensor<2x3x!quant.uniform<i8:f32:0, {0.1, 0.2}>>
  %y = quant.dcast %q {value_names = ["y"]} : tensor<2x3x!quant.uniform<i8:f32:0, {0.1, 0.2}>> to tensor<2x3xf32>
  onnx.return %y : tensor<2x3xf32>
}

// -----
// A name that another constant has meanwhile.
// CHECK-LABEL: onnx.graph "taken"
// CHECK-DAG: onnx.initializer "s" () <{value = dense<5.000000e-01>
// CHECK-DAG: onnx.initializer "s__2" () <{value = dense<1.000000e-01>
onnx.graph "taken" (%x "x" : tensor<4xf32>) -> ["y", "s"] {
  %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
  %q = quant.qcast %x {node_name = "q", value_names = ["y"], source = {inputs = ["s"]}} : tensor<4xf32> to tensor<4x!quant.uniform<u8:f32, 0.1>>
  %y = quant.scast %q : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xui8>
  onnx.return %y, %s : tensor<4xui8>, tensor<f32>
}

// -----
// Copies of a dequantize are one node.
// CHECK-LABEL: onnx.graph "copies"
// CHECK: %[[D:.+]] = onnx.DequantizeLinear "d" {{.*}} -> ["x_d"]
// CHECK-NEXT: onnx.Add "add" (%[[D]], %[[D]])
onnx.graph "copies" (%i "i" : tensor<4xui8>) -> ["y"] {
  %q = quant.scast %i : tensor<4xui8> to tensor<4x!quant.uniform<u8:f32, 0.1>>
  %d = quant.dcast %q {node_name = "d", value_names = ["x_d"]} : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xf32>
  %e = quant.dcast %q {node_name = "d", value_names = ["x_d__copy"]} : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xf32>
  %y = onnx.Add "add" (%d, %e) -> ["y"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----
// Statistics have no node; the input of a graph may be quantized.
// CHECK-LABEL: onnx.graph "rest" (%q "q" : tensor<4xui8>)
// CHECK: %[[D:.+]] = onnx.DequantizeLinear
// CHECK-NEXT: onnx.return %[[D]]
onnx.graph "rest" (%q "q" : tensor<4x!quant.uniform<u8:f32, 0.1>>) -> ["y"] {
  %d = quant.dcast %q {value_names = ["y"]} : tensor<4x!quant.uniform<u8:f32, 0.1>> to tensor<4xf32>
  %y = quant.stats %d {layerStats = dense<[0.0, 1.0]> : tensor<2xf32>} : tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}

// -----
// A model that is not quantized stays as it is.
// CHECK-LABEL: onnx.graph "plain"
// CHECK-NEXT: onnx.Relu
// CHECK-NEXT: onnx.return
onnx.graph "plain" (%x "x" : tensor<4xf32>) -> ["y"] {
  %y = onnx.Relu "r" (%x) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}
