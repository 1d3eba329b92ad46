// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=border}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=border policy=backend}' --split-input-file | filecheck %s

// A norm of real numbers between two products is a partition of its own, and so is its quantize.
// CHECK:      dnnl.partition "{{int8-matmul|backend}}"
// CHECK:      dnnl.partition "norm"
// CHECK:      dnnl.partition "single"
// CHECK-NEXT: dnnl.Quantize
// CHECK:      dnnl.partition "{{int8-matmul|backend}}"
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>, %s: tensor<4xf32>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = dnnl.LayerNorm(%m, %s, %s) {keep_stats = false} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%n) {scales = [0.5], zps = [3]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  %dq = dnnl.Dequantize(%q) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %dw = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %y = dnnl.MatMul(%dq, %dw) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  dnnl.return %y : tensor<4x4xf32>
}) : () -> ()

// -----
// Among real numbers it stays: another runtime has the ops beside it.
// CHECK-NOT: dnnl.partition
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xf32>, %s: tensor<4xf32>):
  %m = dnnl.Exp(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = dnnl.LayerNorm(%m, %s, %s) {keep_stats = false} : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %y = dnnl.Exp(%n) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  dnnl.return %y : tensor<4x4xf32>
}) : () -> ()
