// RUN: AUTOSPLIT_ROUNDTRIP

// A convolution without a bias: what is left out is a top.None, and names are locations.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %x = top.Input(%0) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("x")
// CHECK-NEXT:    %w = top.Weight() : () -> tensor<4x3x3x3xf32> loc("conv/weights:0")
// CHECK-NEXT:    %none = top.None() : () -> none
// CHECK-NEXT:    %y = top.Conv(%x, %w, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], do_relu = true} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<*xf32> loc("y")
// CHECK-NEXT:    func.return %y
func.func @main(%0: tensor<1x3x8x8xf32>) -> tensor<*xf32> {
  %x = "top.Input"(%0) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("x")
  %w = "top.Weight"() : () -> tensor<4x3x3x3xf32> loc("conv/weights:0")
  %none = "top.None"() : () -> none
  %y = "top.Conv"(%x, %w, %none) {kernel_shape = [3 : i64, 3 : i64], strides = [1 : i64, 1 : i64], pads = [1 : i64, 1 : i64, 1 : i64, 1 : i64], do_relu = true} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<*xf32> loc("y")
  func.return %y : tensor<*xf32>
}

// -----
// Names of several results, and names of any characters.
// CHECK: loc("größe")
// CHECK: loc(fused["values", "indices/\22quoted\22"])
func.func @main(%0: tensor<1x3x8x8xf32>) {
  %x = "top.Input"(%0) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("größe")
  %v, %i = "top.TopK"(%x) {axis = 3 : i64, K = 2 : i64, largest = true, sorted = true} : (tensor<1x3x8x8xf32>) -> (tensor<1x3x8x2xf32>, tensor<1x3x8x2xf32>) loc(fused["values", "indices/\22quoted\22"])
  func.return
}
