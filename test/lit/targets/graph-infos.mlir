// RUN: autosplit-opt %s --allow-unregistered-dialect -t graph-infos | filecheck %s

// The documented example in small: what each key holds, in the documented order.

builtin.module attributes {
  platform.name = "tensorflow",
  device.plan = {layout = "NHWC", dynamic = false, share = 1.0 : f64,
                 tensors = {"boxes:0" = {shape = array<i64: 1, 100, 4>, dtype = "float32"}}}
} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>,
                    input_names = ["image_tensor:0"], output_names = ["Preprocessor/map:0"]}> ({
  ^bb0(%photo : tensor<1x500x500x3xui8>):
    %image = "test.prepare"(%photo)
      {device.refused = {tpu = #device.reason<"unsupported-op", "no TPU op">}}
      : (tensor<1x500x500x3xui8>) -> tensor<1x300x300x3xf32>
    device.return %image : tensor<1x300x300x3xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684x">,
                    input_names = ["Preprocessor/map:0"], output_names = ["boxes:0"]}> ({
  ^bb0(%image : tensor<1x300x300x3xf32>):
    %boxes = "test.network"(%image) : (tensor<1x300x300x3xf32>) -> tensor<1x?x4xf32>
    device.return %boxes : tensor<1x?x4xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>,
                    input_names = ["image_tensor:0"], output_names = ["boxes:0"]}> ({
  ^bb0(%photo : tensor<1x500x500x3xui8>):
    %image = device.call @graph_0(%photo) : (tensor<1x500x500x3xui8>) -> tensor<1x300x300x3xf32>
    %boxes = device.call @graph_1(%image) : (tensor<1x300x300x3xf32>) -> tensor<1x?x4xf32>
    device.return %boxes : tensor<1x?x4xf32>
  }) : () -> ()
}

// CHECK:      {
// CHECK-NEXT:   "graphs": [
// CHECK-NEXT:     {
// CHECK-NEXT:       "outputs": [
// CHECK-NEXT:         "Preprocessor/map:0"
// CHECK-NEXT:       ],
// CHECK-NEXT:       "model_info": {
// CHECK-NEXT:         "model_path": "graph_0.pb"
// CHECK-NEXT:       },
// CHECK-NEXT:       "inputs": [
// CHECK-NEXT:         "image_tensor:0"
// CHECK-NEXT:       ],
// CHECK-NEXT:       "device": "cpu"
// CHECK-NEXT:     },
// CHECK:            "model_path": "graph_1.pb"
// CHECK:            "device": "tpu",
// CHECK-NEXT:       "context_dir": "graph_ir_1"
// CHECK:        "tensors": {
// CHECK-NEXT:     "image_tensor:0": {
// CHECK-NEXT:       "shape": [
// CHECK-NEXT:         1,
// CHECK-NEXT:         500,
// CHECK-NEXT:         500,
// CHECK-NEXT:         3
// CHECK-NEXT:       ],
// CHECK-NEXT:       "dtype": "uint8",
// CHECK-NEXT:       "attr": "input"
// CHECK-NEXT:     },
// CHECK:          "Preprocessor/map:0": {
// CHECK:            "attr": "intermediate"
// CHECK:          "boxes:0": {
// CHECK-NEXT:       "shape": [
// CHECK-NEXT:         1,
// CHECK-NEXT:         100,
// CHECK-NEXT:         4
// CHECK-NEXT:       ],
// CHECK-NEXT:       "dtype": "float32",
// CHECK-NEXT:       "attr": "output"
// CHECK-NEXT:     }
// CHECK-NEXT:   },
// CHECK-NEXT:   "graph_num": 2,
// CHECK-NEXT:   "platform": "tensorflow",
// CHECK-NEXT:   "dynamic": false,
// CHECK-NEXT:   "layout": "NHWC",
// CHECK-NEXT:   "autosplit": {
// CHECK:          "target": "bm1684x",
// CHECK:          "measured": [
// CHECK-NEXT:       "boxes:0"
// CHECK-NEXT:     ],
// CHECK:          "share": 1.0
// CHECK:          "unsupported-op": 1
