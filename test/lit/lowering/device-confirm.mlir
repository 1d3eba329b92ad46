// RUN: autosplit-opt %s -p device-confirm | filecheck %s
// RUN: not autosplit-opt %S/Inputs/confirm-refused.mlir -p device-confirm 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not autosplit-opt %S/Inputs/confirm-open.mlir -p device-confirm 2>&1 | filecheck %s --check-prefix=OPEN

// A sub-model that converts as it was cut: nothing changes. CPU sub-models are not asked.
// CHECK:      device.func @graph_0 <tpu, "bm1684">
// CHECK:      %[[Y:.+]] = onnx.Reshape "view"
// CHECK-NEXT: device.return %[[Y]] : tensor<2x2xf32>
// CHECK:      onnx.Erf "erf"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<tpu, "bm1684">, input_names = ["x"], output_names = ["y"]}> ({
  ^bb0(%x : tensor<1x4xf32> loc("x")):
    %n = onnx.initializer "n" () <{value = dense<2> : tensor<2xi64>}> : () -> tensor<2xi64>
    %y = onnx.Reshape "view" (%x, %n) -> ["y"] : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    device.return %y : tensor<2x2xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<cpu>, input_names = ["y"], output_names = ["z"]}> ({
  ^bb0(%y : tensor<2x2xf32> loc("y")):
    %z = onnx.Erf "erf" (%y) -> ["z"] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    device.return %z : tensor<2x2xf32>
  }) : () -> ()
}

// REFUSED: 'pick' cannot stay in its TPU sub-model: Tile has repeats (operand 1 ('n')) computed
// OPEN: 'same' cannot stay in its TPU sub-model: Identity gives input 'x', whose sizes are not known
