// RUN: autosplit-opt %s -p dnnl-fuse --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'dnnl-fuse{policy=backend}' --split-input-file | filecheck %s --check-prefix=BACKEND

// The patterns from 8-bit integers to 8-bit integers: each once as it fuses, once as it does not.

// conv, to 8 bits.
// CHECK:      dnnl.partition "int8-conv"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q : tensor<1x8x4x4xui8>
}) : () -> ()

// -----
// No quantize in conv whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q, %p : tensor<1x8x4x4xui8>, tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// linear, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q : tensor<4x8xui8>
}) : () -> ()

// -----
// No quantize in linear whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q, %p : tensor<4x8xui8>, tensor<4x8xf32>
}) : () -> ()

// -----
// conv-relu, to 8 bits.
// CHECK:      dnnl.partition "int8-conv"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q : tensor<1x8x4x4xui8>
}) : () -> ()

// -----
// No quantize in conv-relu whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q, %v0 : tensor<1x8x4x4xui8>, tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// conv-sum, to 8 bits.
// CHECK:      dnnl.partition "int8-conv-sum"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Add
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q : tensor<1x8x4x4xui8>
}) : () -> ()

// -----
// No quantize in conv-sum whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q, %v0 : tensor<1x8x4x4xui8>, tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// conv-sum-relu, to 8 bits.
// CHECK:      dnnl.partition "int8-conv-sum"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Add
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %v1 = dnnl.ReLU(%v0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%v1) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q : tensor<1x8x4x4xui8>
}) : () -> ()

// -----
// No quantize in conv-sum-relu whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %v1 = dnnl.ReLU(%v0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %q = dnnl.Quantize(%v1) {scales = [1.0], zps = [7]} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xui8>
  dnnl.return %q, %v1 : tensor<1x8x4x4xui8>, tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// linear-relu, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q : tensor<4x8xui8>
}) : () -> ()

// -----
// No quantize in linear-relu whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q, %v0 : tensor<4x8xui8>, tensor<4x8xf32>
}) : () -> ()

// -----
// linear-gelu, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.GELU
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.GELU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q : tensor<4x8xui8>
}) : () -> ()

// -----
// No quantize in linear-gelu whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.GELU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q, %v0 : tensor<4x8xui8>, tensor<4x8xf32>
}) : () -> ()

// -----
// linear-sigmoid, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Sigmoid
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.Sigmoid(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q : tensor<4x8xui8>
}) : () -> ()

// -----
// No quantize in linear-sigmoid whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.Sigmoid(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q, %v0 : tensor<4x8xui8>, tensor<4x8xf32>
}) : () -> ()

// -----
// linear-sum, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul-sum"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Add
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>, %o: tensor<4x8xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q : tensor<4x8xui8>
}) : () -> ()

// -----
// No quantize in linear-sum whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>, %o: tensor<4x8xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<4x8xf32>) -> tensor<4x8xui8>
  dnnl.return %q, %v0 : tensor<4x8xui8>, tensor<4x8xf32>
}) : () -> ()

// -----
// bmm, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<2x4x4xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xui8>, %w: tensor<2x8x4xi8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<2x4x8xui8>) -> tensor<2x4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<2x4x4xf32>) -> tensor<2x4x4xui8>
  dnnl.return %q : tensor<2x4x4xui8>
}) : () -> ()

// -----
// No quantize in bmm whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xui8>, %w: tensor<2x8x4xi8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<2x4x8xui8>) -> tensor<2x4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<2x4x4xf32>) -> tensor<2x4x4xui8>
  dnnl.return %q, %p : tensor<2x4x4xui8>, tensor<2x4x4xf32>
}) : () -> ()

// -----
// bmm-div, to 8 bits.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Divide
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<2x4x4xui8>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xui8>, %w: tensor<2x8x4xi8>, %d: tensor<1xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<2x4x8xui8>) -> tensor<2x4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %v0 = dnnl.Divide(%p, %d) : (tensor<2x4x4xf32>, tensor<1xf32>) -> tensor<2x4x4xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<2x4x4xf32>) -> tensor<2x4x4xui8>
  dnnl.return %q : tensor<2x4x4xui8>
}) : () -> ()

// -----
// No quantize in bmm-div whose reals are needed outside.
// CHECK:     dnnl.Quantize{{.*}}#device.reason<"shared-result"
// BACKEND:   dnnl.Quantize{{.*}}dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xui8>, %w: tensor<2x8x4xi8>, %d: tensor<1xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<2x4x8xui8>) -> tensor<2x4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %v0 = dnnl.Divide(%p, %d) : (tensor<2x4x4xf32>, tensor<1xf32>) -> tensor<2x4x4xf32>
  %q = dnnl.Quantize(%v0) {scales = [1.0], zps = [7]} : (tensor<2x4x4xf32>) -> tensor<2x4x4xui8>
  dnnl.return %q, %v0 : tensor<2x4x4xui8>, tensor<2x4x4xf32>
}) : () -> ()

// -----
// max_pool2d, to 8 bits.
// CHECK:      dnnl.partition "int8-pool"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MaxPool
// CHECK-NEXT:   dnnl.Quantize
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %p = dnnl.MaxPool(%dx) {strides = [2, 2], kernel = [2, 2], pads_begin = [0, 0], pads_end = [0, 0], data_format = "NCX"} : (tensor<1x8x4x4xf32>) -> tensor<1x8x2x2xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xui8>
  dnnl.return %q : tensor<1x8x2x2xui8>
}) : () -> ()

// -----
// No max_pool2d that changes the type of the bytes.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.MaxPool
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.MaxPool
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %p = dnnl.MaxPool(%dx) {strides = [2, 2], kernel = [2, 2], pads_begin = [0, 0], pads_end = [0, 0], data_format = "NCX"} : (tensor<1x8x4x4xf32>) -> tensor<1x8x2x2xf32>
  %q = dnnl.Quantize(%p) {scales = [1.0], zps = [7]} : (tensor<1x8x2x2xf32>) -> tensor<1x8x2x2xi8>
  dnnl.return %q : tensor<1x8x2x2xi8>
}) : () -> ()
