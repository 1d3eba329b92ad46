// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=border}' --split-input-file | filecheck %s

// What a partition makes is quantized by other parameters in the library, too.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK:      dnnl.partition "single"
// CHECK-NEXT: dnnl.Dequantize
// CHECK:      dnnl.partition "single"
// CHECK-NEXT: dnnl.Quantize
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%m) {scales = [0.5], zps = [3]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  %r = dnnl.Dequantize(%q) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %s = dnnl.Quantize(%r) {scales = [0.75], zps = [3]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  dnnl.return %s : tensor<4x4xui8>
}) : () -> ()

// -----
// Where no partition makes it, another runtime does both.
// CHECK-NOT: dnnl.partition
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>):
  %r = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %s = dnnl.Quantize(%r) {scales = [0.75], zps = [3]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  dnnl.return %s : tensor<4x4xui8>
}) : () -> ()
