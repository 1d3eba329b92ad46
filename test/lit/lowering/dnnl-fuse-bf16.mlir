// RUN: autosplit-opt %s --no-locations -p 'dnnl-fuse{keep=border}' | filecheck %s

// No other runtime computes on bfloat16: what is in no group is a partition of its own.
// CHECK:      %m = dnnl.partition "int8-bf16-matmul"
// CHECK:      %s = dnnl.partition "single" (%{{.+}}: tensor<4x8xbf16> = %m) -> (tensor<4x8xbf16>)
// CHECK-NEXT:   dnnl.SoftMax
// CHECK:      %r = dnnl.StaticReshape(%s)
// CHECK-NEXT: %f = dnnl.partition "single" (%{{.+}}: tensor<8x4xbf16> = %r) -> (tensor<8x4xf32>)
// CHECK-NEXT:   dnnl.TypeCast
// CHECK:      dnnl.Exp(%f) attributes {dnnl.unfused
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<4x16xui8>, %w: tensor<16x8xi8>):
  %a = dnnl.Dequantize(%x) {scales = [0.5], zps = [3]} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %b = dnnl.TypeCast(%a) : (tensor<4x16xf32>) -> tensor<4x16xbf16>
  %c = dnnl.Dequantize(%w) {scales = [0.5], zps = [0]} : (tensor<16x8xi8>) -> tensor<16x8xf32>
  %d = dnnl.TypeCast(%c) : (tensor<16x8xf32>) -> tensor<16x8xbf16>
  %m = dnnl.MatMul(%b, %d) : (tensor<4x16xbf16>, tensor<16x8xbf16>) -> tensor<4x8xbf16>
  %s = dnnl.SoftMax(%m) {axis = 1} : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %r = dnnl.StaticReshape(%s) {shape = [8, 4], special_zero = false} : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  %f = dnnl.TypeCast(%r) : (tensor<8x4xbf16>) -> tensor<8x4xf32>
  %e = dnnl.Exp(%f) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  dnnl.return %e : tensor<8x4xf32>
}) : () -> ()
