// RUN: autosplit-opt %s | filecheck %s
// RUN: autosplit-opt %s | autosplit-opt --print-op-generic | autosplit-opt | filecheck %s

// What TPU-MLIR's tools print: locations behind the module, names byte by byte.
// CHECK:      builtin.module @net attributes
// CHECK-NEXT:   func.func @main
// CHECK-NEXT:     %0 = top.Input(%arg0) {do_preprocess = false} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("größe")
// CHECK-NEXT:     %1, %2 = top.TopK(%0) {K = 2, axis = 1} : (tensor<1x8xf32>) -> (tensor<*xf32>, none) loc(fused["values", "indices #loc1"])
// CHECK-NEXT:     func.return %1 : tensor<*xf32>
#loc2 = loc("net.mlir":3:8)
module @net attributes {module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32", module.top_run_mode = "STATIC"} {
  func.func @main(%arg0: tensor<1x8xf32> loc("net.mlir":3:8)) -> tensor<*xf32> {
    %0 = "top.Input"(%arg0) {do_preprocess = false} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc(#loc3)
    %1:2 = "top.TopK"(%0) {K = 2, axis = 1} : (tensor<1x8xf32>) -> (tensor<*xf32>, none) loc(#loc6)
    return %1#0 : tensor<*xf32> loc(#loc1)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("net.mlir":8:5)
#loc3 = loc("gr\C3\B6\C3\9Fe")
#loc4 = loc("values")
#loc5 = loc("indices #loc1")
#loc6 = loc(fused[#loc4, #loc5])
