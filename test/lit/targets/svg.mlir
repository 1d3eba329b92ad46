// RUN: autosplit-opt %s -t svg | filecheck %s
// RUN: autosplit-opt %s -t svg > %t.svg
// RUN: %python -c "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])" %t.svg
// RUN: not autosplit-opt %S/../pipelines/place.mlir -t svg 2>&1 | filecheck %s --check-prefix=WHOLE

// WHOLE: the module is not split: it has no device.func for the host

// From top to bottom: the inputs, each sub-model, the outputs; beside the arrows, what crosses.
// Names are escaped.
// CHECK:      <svg xmlns="http://www.w3.org/2000/svg"
// CHECK:      photo
// CHECK:      graph_0
// CHECK:      CPU
// CHECK:      f&lt;1&gt;
// CHECK-SAME: 1×4 f32
// CHECK:      graph_1
// CHECK:      BM1684X
// CHECK:      y
// CHECK:      </svg>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["photo"], output_names = ["f<1>"]}> ({
  ^bb0(%x : tensor<1x4xui8> loc("photo")):
    %f = onnx.Cast "decode" (%x) -> ["f<1>"] <{to = 1 : i64}> : (tensor<1x4xui8>) -> tensor<1x4xf32>
    device.return %f : tensor<1x4xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684x">, input_names = ["f<1>"], output_names = ["y"]}> ({
  ^bb0(%f : tensor<1x4xf32> loc("f<1>")):
    %y = onnx.Relu "relu" (%f) -> ["y"] {device.work = 4 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    device.return %y : tensor<1x4xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>, input_names = ["photo"], output_names = ["y"]}> ({
  ^bb0(%x : tensor<1x4xui8> loc("photo")):
    %f = device.call @graph_0(%x) : (tensor<1x4xui8>) -> tensor<1x4xf32>
    %y = device.call @graph_1(%f) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    device.return %y : tensor<1x4xf32>
  }) : () -> ()
}
