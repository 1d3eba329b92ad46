// RUN: autosplit-opt %s -p 'convert-onnx-to-top{check=true}' | filecheck %s --check-prefixes=CHECK,BM1684
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=BM1684X check=true}' | filecheck %s --check-prefixes=CHECK,BM1684X
// RUN: not autosplit-opt %s -p 'convert-onnx-to-top{target=bm1682}' 2>&1 | filecheck %s --check-prefix=CHIP
// RUN: not autosplit-opt %s -p convert-onnx-to-top --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// CHIP: 'BM1682' has no device table

// WHY:      ToTop(Relu): onnx.Relu (half): Relu has operand 0 ('h') of f16, BM1684 computes it in f32
// WHY-NEXT: NoConversion: onnx.Det (det): Det is not among the ONNX ops that TPU-MLIR 1.30.2 lowers
// WHY-NEXT: ToTop(Reshape): onnx.Reshape (view): Reshape has shape (operand 1 ('n')) computed, needs a constant
// WHY-NEXT: NoConversion: onnx.NonZero (nz): NonZero has as many results as the data has non-zeros
// WHY-NEXT: error: 4 ops cannot run on BM1684; the first is 'half'

// What a chip runs says nothing; what it refuses says why.
// CHECK:       onnx.Relu "relu"
// CHECK-NOT:   device.refused
// CHECK-SAME:  : (tensor<1x3x4x4xf32>)
// BM1684:      onnx.Relu "half" {{.+}}device.refused = {tpu = #device.reason<"dtype", "Relu has operand 0 ('h') of f16, BM1684 computes
// BM1684X:     onnx.Relu "half" (%{{[a-z]+}}) -> ["e"] : (
// CHECK:       onnx.Det "det" {{.+}}#device.reason<"unsupported-op", "Det is not among the ONNX ops that TPU-MLIR 1.30.2 lowers">
// CHECK:       onnx.Reshape "view" {{.+}}#device.reason<"constant-operand", "Reshape has shape (operand 1 ('n')) computed, needs a constant">
// CHECK:       onnx.NonZero "nz" {{.+}}#device.reason<"data-dependent",
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x3x4x4xf32>, %n "n" : tensor<2xi64>, %h "h" : tensor<1x3x4x4xf16>) -> ["c", "v", "z", "e"] {
    %r = onnx.Relu "relu" (%x) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %e = onnx.Relu "half" (%h) -> ["e"] : (tensor<1x3x4x4xf16>) -> tensor<1x3x4x4xf16>
    %c = onnx.Det "det" (%r) -> ["c"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %v = onnx.Reshape "view" (%r, %n) -> ["v"] : (tensor<1x3x4x4xf32>, tensor<2xi64>) -> tensor<3x16xf32>
    %z = onnx.NonZero "nz" (%r) -> ["z"] : (tensor<1x3x4x4xf32>) -> tensor<4x?xi64>
    onnx.return %c, %v, %z, %e : tensor<1x3x4x4xf32>, tensor<3x16xf32>, tensor<4x?xi64>, tensor<1x3x4x4xf16>
  }
}
