// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=border}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=border policy=backend}' --split-input-file | filecheck %s

// The gate of a product's channels computes real numbers of one pixel: so do partitions, and the dequantize in front.
// CHECK-LABEL: dnnl.graph
// CHECK:      dnnl.partition "{{int8-conv|backend}}"
// CHECK:      dnnl.partition "single"
// CHECK-NEXT: dnnl.Dequantize
// CHECK:      dnnl.partition "pixels"
// CHECK-NEXT: dnnl.AvgPool
// CHECK:      dnnl.partition "pixels"
// CHECK-NEXT: dnnl.Convolution
// CHECK-NEXT: dnnl.Sigmoid
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<1x4x6x6xui8>, %b: tensor<4x4x1x1xi8>, %w: tensor<4x4x1x1xf32>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<1x4x6x6xui8>) -> tensor<1x4x6x6xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4x1x1xi8>) -> tensor<4x4x1x1xf32>
  %c = dnnl.Convolution(%da, %db) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %q = dnnl.Quantize(%c) {scales = [0.5], zps = [3]} : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xui8>
  %dq = dnnl.Dequantize(%q) {scales = [0.5], zps = [3]} : (tensor<1x4x6x6xui8>) -> tensor<1x4x6x6xf32>
  %p = dnnl.AvgPool(%dq) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [6, 6], exclude_pad = false, data_format = "NCX"} : (tensor<1x4x6x6xf32>) -> tensor<1x4x1x1xf32>
  %g = dnnl.Convolution(%p, %w) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x1x1xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %s = dnnl.Sigmoid(%g) : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  dnnl.return %q, %s : tensor<1x4x6x6xui8>, tensor<1x4x1x1xf32>
}) : () -> ()

// -----
// Without a partition in front, another runtime has the pool as well.
// CHECK-NOT: dnnl.partition
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<1x4x6x6xf32>):
  %e = dnnl.Exp(%a) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %p = dnnl.AvgPool(%e) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [6, 6], exclude_pad = false, data_format = "NCX"} : (tensor<1x4x6x6xf32>) -> tensor<1x4x1x1xf32>
  dnnl.return %p : tensor<1x4x1x1xf32>
}) : () -> ()

// -----
// Real numbers of a product are multiplied by their gate in the library too, and quantized there.
// CHECK-LABEL: dnnl.graph
// CHECK:      dnnl.partition "{{int8-conv|backend}}"
// CHECK:      dnnl.partition "pixels"
// CHECK-NEXT: dnnl.AvgPool
// CHECK:      dnnl.partition "pixels"
// CHECK:      dnnl.partition "pixels"
// CHECK-NEXT: dnnl.Multiply
// CHECK:      dnnl.partition "single"
// CHECK-NEXT: dnnl.Quantize
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<1x4x6x6xui8>, %b: tensor<4x4x1x1xi8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<1x4x6x6xui8>) -> tensor<1x4x6x6xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4x1x1xi8>) -> tensor<4x4x1x1xf32>
  %c = dnnl.Convolution(%da, %db) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %p = dnnl.AvgPool(%c) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [6, 6], exclude_pad = false, data_format = "NCX"} : (tensor<1x4x6x6xf32>) -> tensor<1x4x1x1xf32>
  %s = dnnl.Sigmoid(%p) : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %m = dnnl.Multiply(%c, %s) : (tensor<1x4x6x6xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %q = dnnl.Quantize(%m) {scales = [0.5], zps = [3]} : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xui8>
  dnnl.return %q : tensor<1x4x6x6xui8>
}) : () -> ()
