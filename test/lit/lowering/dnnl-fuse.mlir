// RUN: autosplit-opt %s -p dnnl-fuse --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'dnnl-fuse{policy=backend}' --split-input-file | filecheck %s --check-prefix=BACKEND

// A quantized convolution with its ReLU runs as one.
// CHECK:      %y = dnnl.partition "int8-conv" (%{{.+}} = %x, %{{.+}} = %w, %{{.+}} = %b) -> (tensor<1x8x4x4xui8>) {
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   %{{.+}} = dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// CHECK-NEXT: }
// CHECK-NEXT: dnnl.return %y
// BACKEND: %y = dnnl.partition "backend" (%{{.+}} = %x, %{{.+}} = %w, %{{.+}} = %b) -> (tensor<1x8x4x4xui8>) {
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x1x1xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3], qtype = "per_tensor"} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0], qtype = "per_tensor"} : (tensor<8x8x1x1xi8>) -> tensor<8x8x1x1xf32>
  %c = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %r = dnnl.ReLU(%c) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %y = dnnl.Quantize(%r) {scales = [1.0], zps = [0], qtype = "per_tensor"} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %y : tensor<1x8x4x4xui8>
}) : () -> ()

// -----
// A sum of 8-bit tensors with a quantize behind it is one partition; silu is the product of a value and its sigmoid.
// CHECK:     dnnl.partition "int8-matmul-sum"
// CHECK-NOT: dnnl.unfused
// CHECK:     dnnl.partition "int8-matmul"
// CHECK:     dnnl.Sigmoid
// CHECK:     dnnl.Multiply
// CHECK:     dnnl.return %y
// BACKEND-COUNT-2: dnnl.partition "backend"
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>, %o: tensor<4x4xui8>, %w: tensor<4x4xi8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = dnnl.Add(%do, %m) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%s) {scales = [1.0], zps = [0]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  %dq = dnnl.Dequantize(%q) {scales = [1.0], zps = [0]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %n = dnnl.MatMul(%dq, %dw) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = dnnl.Sigmoid(%n) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = dnnl.Multiply(%n, %g) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  dnnl.return %y : tensor<4x4xf32>
}) : () -> ()

// -----
// Without the quantize the other side is dequantized by itself, and says why.
// CHECK:      dnnl.Dequantize(%o) {{.*}}#device.reason<"sum-needs-quantize", "add of a dequantized tensor needs a quantize behind it: an int8 sum with f32 output is two partitions">
// CHECK-NEXT: dnnl.partition "int8-matmul"
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>, %o: tensor<4x4xui8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = dnnl.Add(%m, %do) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  dnnl.return %s : tensor<4x4xf32>
}) : () -> ()

// -----
// A dequantize that two read destroys both fusions.
// CHECK-NOT: dnnl.partition
// CHECK:     #device.reason<"shared-dequantize", "dequantize has 2 users">
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>, %c: tensor<4x4xi8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %dc = dnnl.Dequantize(%c) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = dnnl.MatMul(%da, %dc) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  dnnl.return %m, %n : tensor<4x4xf32>, tensor<4x4xf32>
}) : () -> ()

// -----
// What is needed outside ends a group: the quantize stays.
// CHECK:     dnnl.partition "int8-matmul"
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result", "ReLU's result is read by Quantize and Exp">
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = dnnl.ReLU(%m) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%r) {scales = [1.0], zps = [0]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  %e = dnnl.Exp(%r) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  dnnl.return %q, %e : tensor<4x4xui8>, tensor<4x4xf32>
}) : () -> ()

// -----
// The library would add bytes of the other sign wrongly: they are dequantized by themselves.
// CHECK: dnnl.Dequantize(%o) {{.*}}#device.reason<"sum-type"
// CHECK: dnnl.partition "int8-matmul"
// BACKEND: dnnl.Dequantize(%o)
// BACKEND: dnnl.partition "backend"
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%a: tensor<4x4xui8>, %b: tensor<4x4xi8>, %o: tensor<4x4xi8>):
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = dnnl.Add(%m, %do) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%s) {scales = [1.0], zps = [0]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  dnnl.return %q : tensor<4x4xui8>
}) : () -> ()

// -----
// In a model other ops stand between and keep their order; weights are constants of the partition.
// CHECK:      %w = onnx.initializer "w"
// CHECK-NEXT: %e = onnx.Erf
// CHECK-NEXT: %{{.+}} = dnnl.partition "int8-matmul" (%{{.+}} = %x, %{{.+}} = %w) -> (tensor<4x4xui8>) <{constants = array<i64: 1>}>
// CHECK:      onnx.return
onnx.graph "model" (%x "x" : tensor<4x4xui8>, %z "z" : tensor<4x4xf32>) -> ["y", "e"] {
  %w = onnx.initializer "w" () <{value = dense<1> : tensor<4x4xi8>}> : () -> tensor<4x4xi8>
  %da = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %e = onnx.Erf "erf" (%z) -> ["e"] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%m) {scales = [1.0], zps = [0]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  onnx.return %q, %e : tensor<4x4xui8>, tensor<4x4xf32>
}
