// RUN: autosplit-opt %s -p dnnl-fuse --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'dnnl-fuse{policy=backend}' --split-input-file | filecheck %s --check-prefix=BACKEND

// The patterns from 8-bit integers to f32: each once as it fuses, once as it does not.

// conv, to f32.
// CHECK:      dnnl.partition "int8-conv"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %p : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// No conv of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of Convolution comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%x, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %p : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// linear, to f32.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  dnnl.return %p : tensor<4x8xf32>
}) : () -> ()

// -----
// No linear of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%x, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  dnnl.return %p : tensor<4x8xf32>
}) : () -> ()

// -----
// conv-relu, to f32.
// CHECK:      dnnl.partition "int8-conv"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %v0 : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// No conv-relu of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of Convolution comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%x, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %v0 : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// conv-sum, to f32: what is added is dequantized by itself.
// CHECK:      dnnl.Dequantize(%o) {{.*}}#device.reason<"sum-needs-quantize"
// CHECK:      dnnl.partition "int8-conv"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.Add
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.Dequantize(%o)
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %v0 : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// No conv-sum of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of Convolution comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%x, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %v0 : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// conv-sum-relu, to f32: what is added is dequantized by itself.
// CHECK:      dnnl.Dequantize(%o) {{.*}}#device.reason<"sum-needs-quantize"
// CHECK:      dnnl.partition "int8-conv"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Convolution
// CHECK-NEXT:   dnnl.Add
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.Dequantize(%o)
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<1x8x4x4xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xui8>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%dx, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %v1 = dnnl.ReLU(%v0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %v1 : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// No conv-sum-relu of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of Convolution comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x3x3xi8>, %b: tensor<8xf32>, %o: tensor<1x8x4x4xui8>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8x3x3xi8>) -> tensor<8x8x3x3xf32>
  %p = dnnl.Convolution(%x, %dw, %b) {strides = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<1x8x4x4xui8>) -> tensor<1x8x4x4xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %v1 = dnnl.ReLU(%v0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  dnnl.return %v1 : tensor<1x8x4x4xf32>
}) : () -> ()

// -----
// linear-relu, to f32.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.ReLU
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// No linear-relu of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%x, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.ReLU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// linear-gelu, to f32.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.GELU
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.GELU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// No linear-gelu of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%x, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.GELU(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// linear-sigmoid, to f32.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Sigmoid
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.Sigmoid(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// No linear-sigmoid of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xi8>, %b: tensor<8xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%x, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %v0 = dnnl.Sigmoid(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// linear-sum, to f32: what is added is dequantized by itself.
// CHECK:      dnnl.Dequantize(%o) {{.*}}#device.reason<"sum-needs-quantize"
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Add
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.Dequantize(%o)
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<4x8xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xui8>, %w: tensor<8x8xi8>, %b: tensor<8xf32>, %o: tensor<4x8xui8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%dx, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// No linear-sum of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x8xi8>, %b: tensor<8xf32>, %o: tensor<4x8xui8>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %p = dnnl.MatMul(%x, %dw, %b) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %do = dnnl.Dequantize(%o) {scales = [0.5], zps = [9]} : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %v0 = dnnl.Add(%p, %do) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  dnnl.return %v0 : tensor<4x8xf32>
}) : () -> ()

// -----
// bmm, to f32.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<2x4x4xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xui8>, %w: tensor<2x8x4xi8>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<2x4x8xui8>) -> tensor<2x4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  dnnl.return %p : tensor<2x4x4xf32>
}) : () -> ()

// -----
// No bmm of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xf32>, %w: tensor<2x8x4xi8>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%x, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  dnnl.return %p : tensor<2x4x4xf32>
}) : () -> ()

// -----
// bmm-div, to f32.
// CHECK:      dnnl.partition "int8-matmul"
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.Dequantize
// CHECK-NEXT:   dnnl.MatMul
// CHECK-NEXT:   dnnl.Divide
// CHECK-NEXT:   dnnl.return
// BACKEND:     dnnl.partition "backend"
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.return {{.*}} : tensor<2x4x4xf32>
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xui8>, %w: tensor<2x8x4xi8>, %d: tensor<1xf32>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<2x4x8xui8>) -> tensor<2x4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %v0 = dnnl.Divide(%p, %d) : (tensor<2x4x4xf32>, tensor<1xf32>) -> tensor<2x4x4xf32>
  dnnl.return %v0 : tensor<2x4x4xf32>
}) : () -> ()

// -----
// No bmm-div of data that is f32 already.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"operand", "operand 0 of MatMul comes from outside, expected Dequantize">
// BACKEND-NOT: dnnl.partition
// BACKEND:     dnnl.Dequantize(%w)
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x4x8xf32>, %w: tensor<2x8x4xi8>, %d: tensor<1xf32>):
  %dw = dnnl.Dequantize(%w) {scales = [0.25], zps = [0]} : (tensor<2x8x4xi8>) -> tensor<2x8x4xf32>
  %p = dnnl.MatMul(%x, %dw) : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %v0 = dnnl.Divide(%p, %d) : (tensor<2x4x4xf32>, tensor<1xf32>) -> tensor<2x4x4xf32>
  dnnl.return %v0 : tensor<2x4x4xf32>
}) : () -> ()

// -----
// No matmul of float8: no rule is known for it.
// CHECK-NOT: dnnl.partition
// CHECK:     dnnl.Dequantize(%x) {{.*}}#device.reason<"no-rule", "the rules take 8-bit integers, found f8_e4m3">
// CHECK:     dnnl.Dequantize(%w) {{.*}}#device.reason<"no-rule", "the rules take 8-bit integers, found f8_e5m2">
// CHECK:     dnnl.MatMul
"dnnl.graph"() <{version = "3.7.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x4xf8E5M2>):
  %dx = dnnl.Dequantize(%x) {scales = [0.5]} : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xf32>
  %dw = dnnl.Dequantize(%w) {scales = [0.25]} : (tensor<8x4xf8E5M2>) -> tensor<8x4xf32>
  %p = dnnl.MatMul(%dx, %dw) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  dnnl.return %p : tensor<4x4xf32>
}) : () -> ()

// -----
// A bias that repeats along the first dimension would make the library compute the whole product by reference.
// CHECK-LABEL: func.func @repeated
// CHECK:     dnnl.partition "int8-matmul"
// CHECK:     dnnl.Add({{.*}}#device.reason<"slow-kernel", "joins a product with an operand of a shape
func.func @repeated(%x: tensor<4x2x3x8xui8>, %z: tensor<4x2x8x3xui8>, %b: tensor<1x2x3x3xf32>) -> tensor<4x2x3x3xf32> {
  %dx = dnnl.Dequantize(%x) {scales = [0.1], zps = [3]} : (tensor<4x2x3x8xui8>) -> tensor<4x2x3x8xf32>
  %dz = dnnl.Dequantize(%z) {scales = [0.1], zps = [3]} : (tensor<4x2x8x3xui8>) -> tensor<4x2x8x3xf32>
  %p = dnnl.MatMul(%dx, %dz) : (tensor<4x2x3x8xf32>, tensor<4x2x8x3xf32>) -> tensor<4x2x3x3xf32>
  %y = dnnl.Add(%p, %b) : (tensor<4x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<4x2x3x3xf32>
  return %y : tensor<4x2x3x3xf32>
}
