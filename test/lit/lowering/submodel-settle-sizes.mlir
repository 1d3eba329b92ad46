// RUN: autosplit-opt %s -p 'submodel-settle-sizes{target=bm1684x sizes=open largest="x=4,3,8,8"}' | filecheck %s
// RUN: autosplit-opt %s -p 'submodel-settle-sizes{target=bm1684x}' | filecheck %s --check-prefix=FIXED
// RUN: autosplit-opt %s -p 'infer-shapes,submodel-settle-sizes{target=bm1684x sizes=open largest="x=4,3,8,8"},convert-onnx-to-top{target=bm1684x}' | filecheck %s --check-prefix=TOP

// How many pictures come varies: memory is planned for the most, and the network is compiled for sizes that vary.
// CHECK: device.varying
// CHECK: onnx.graph "g" (%x "x" : tensor<4x3x8x8xf32>)
// CHECK: onnx.Relu {{.+}} -> tensor<4x3x8x8xf32>
// FIXED-NOT: device.varying
// FIXED: onnx.Relu {{.+}} -> tensor<?x3x8x8xf32>
// TOP: module.top_run_mode = "DYNAMIC"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<?x3x8x8xf32>) -> ["y"] {
    %y = onnx.Relu "relu" (%x) -> ["y"] : (tensor<?x3x8x8xf32>) -> tensor<?x3x8x8xf32>
    onnx.return %y : tensor<?x3x8x8xf32>
  }
}
