// RUN: AUTOSPLIT_ROUNDTRIP

// Layouts are encodings; another dialect's encoding is row-major here.
// CHECK: %y = dnnl.ReLU(%x) : (tensor<2x8xf32, #dnnl.strided<[16, 1]>>) -> tensor<2x8xf32>
// CHECK: %z = dnnl.ReLU(%y) : (tensor<2x8xf32>) -> tensor<2x8xf32, #dnnl.any>
// CHECK: %u = dnnl.ReLU(%z) : (tensor<2x8xf32, #dnnl.any>) -> tensor<2x8xf32, #dnnl.undef<[8, 1]>>
// CHECK: %v = dnnl.ReLU(%u) : (tensor<2x8xf32, #dnnl.undef<[8, 1]>>) -> tensor<2x8xf32, #dnnl.opaque<17>>
// CHECK: %n = dnnl.Abs(%m) : (tensor<?x8x?x?xf32, #platform.dims<["N", "", "", ""]>>) -> tensor<?x8x?x?xf32, #dnnl.order<[0, 2, 3, 1]>>
builtin.module {
  %x, %m = "test.op"() : () -> (tensor<2x8xf32, #dnnl.strided<[16, 1]>>, tensor<?x8x?x?xf32, #platform.dims<["N", "", "", ""]>>)
  %y = dnnl.ReLU(%x) : (tensor<2x8xf32, #dnnl.strided<[16, 1]>>) -> tensor<2x8xf32>
  %z = dnnl.ReLU(%y) : (tensor<2x8xf32>) -> tensor<2x8xf32, #dnnl.any>
  %u = dnnl.ReLU(%z) : (tensor<2x8xf32, #dnnl.any>) -> tensor<2x8xf32, #dnnl.undef<[8, 1]>>
  %v = dnnl.ReLU(%u) : (tensor<2x8xf32, #dnnl.undef<[8, 1]>>) -> tensor<2x8xf32, #dnnl.opaque<17>>
  %n = dnnl.Abs(%m) : (tensor<?x8x?x?xf32, #platform.dims<["N", "", "", ""]>>) -> tensor<?x8x?x?xf32, #dnnl.order<[0, 2, 3, 1]>>
}

// -----

// Numbers keep all the digits of an f32; those that are none have names. Attributes of others stand apart.
// CHECK: %y = dnnl.Dequantize(%q) {qtype = "per_channel", axis = -1, scales = [0.1, 1.0e-30, 1024.5, 0.00784314], zps = [0, 1, -3, 127]} : (tensor<?x4xi8>) -> tensor<?x4xf32>
// CHECK: %z = dnnl.Clamp(%y) {min = -inf, max = 0.33333334} attributes {seen = true} : (tensor<?x4xf32>) -> tensor<?x4xf32> loc("clamped"
builtin.module {
  %q = "test.op"() : () -> tensor<?x4xi8>
  %y = dnnl.Dequantize(%q) {zps = [0, 1, -3, 127], scales = [0.1, 1.0e-30, 1024.5, 0.00784314], axis = -1, qtype = "per_channel"} : (tensor<?x4xi8>) -> tensor<?x4xf32>
  %z = dnnl.Clamp(%y) {min = -inf, max = 0.333333333333} attributes {seen = true} : (tensor<?x4xf32>) -> tensor<?x4xf32> loc("clamped")
}

// -----

// Many equal numbers are counted.
// CHECK: dnnl.Dequantize(%q) {qtype = "per_channel", axis = 1, scales = [17 x 0.5], zps = [17 x 0]} :
builtin.module {
  %q = "test.op"() : () -> tensor<?x17xi8>
  %y = dnnl.Dequantize(%q) {qtype = "per_channel", axis = 1, scales = [17 x 0.5], zps = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]} : (tensor<?x17xi8>) -> tensor<?x17xf32>
}

// -----

// A partition, and a graph around it that keeps the numbers of a file.
// CHECK:      dnnl.graph (%x: tensor<1x8xf32>, %w: tensor<8x4xf32>) <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict", input_ids = array<i64: 0, 7>}> {
// CHECK-NEXT:   %y = dnnl.partition "matmul" (%a: tensor<1x8xf32> = %x, %b: tensor<8x4xf32> = %w) -> (tensor<1x4xf32>) <{constants = array<i64: 1>}> {
// CHECK-NEXT:     %c = dnnl.MatMul(%a, %b) {op_id = 3, output_ids = [5]} : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:     dnnl.return %c : tensor<1x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   dnnl.return %y : tensor<1x4xf32>
// CHECK-NEXT: }
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict", input_ids = array<i64: 0, 7>}> ({
^bb0(%x: tensor<1x8xf32>, %w: tensor<8x4xf32>):
  %y = "dnnl.partition"(%x, %w) <{rule = "matmul", constants = array<i64: 1>}> ({
  ^bb0(%a: tensor<1x8xf32>, %b: tensor<8x4xf32>):
    %c = dnnl.MatMul(%a, %b) {op_id = 3, output_ids = [5]} : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
    dnnl.return %c : tensor<1x4xf32>
  }) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
  dnnl.return %y : tensor<1x4xf32>
}) : () -> ()
