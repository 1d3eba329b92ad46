// RUN: autosplit-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// Counts.
// CHECK: has 0 operands, expected 1
%y = "top.Abs"() : () -> tensor<4xf32> loc("y")

// -----
// CHECK: has 4 operands, expected 1 to 2
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.Reshape"(%x, %x, %x, %x) {shape = [4 : i64]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("y")

// -----
// CHECK: has 0 results, expected 1
%x = "test.op"() : () -> tensor<4xf32>
"top.Abs"(%x) : (tensor<4xf32>) -> () loc("y")

// -----
// CHECK: has 1 region, expected 2
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.If"(%x) ({
  "top.Yield"(%x) : (tensor<4xf32>) -> ()
}) : (tensor<4xf32>) -> tensor<4xf32> loc("y")

// -----
// Types.
// CHECK: operand 0 (input) is none, expected a tensor
%none = "top.None"() : () -> none
%y = "top.Abs"(%none) : (none) -> tensor<4xf32> loc("y")

// -----
// CHECK: operand 2 (bias) is i32, expected a tensor or none
%x, %b = "test.op"() : () -> (tensor<4xf32>, i32)
%y = "top.Conv"(%x, %x, %b) {kernel_shape = [1 : i64], strides = [1 : i64], pads = [0 : i64, 0 : i64]} : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32> loc("y")

// -----
// CHECK: result 0 (output) is none, expected a tensor
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.Abs"(%x) : (tensor<4xf32>) -> none loc("y")

// -----
// Attributes.
// CHECK: needs the attribute 'strides' (i64[])
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.AvgPool"(%x) {kernel_shape = [1 : i64], pads = [0 : i64, 0 : i64]} : (tensor<4xf32>) -> tensor<4xf32> loc("y")

// -----
// CHECK: has no attribute 'stride' (did you mean 'strides'?)
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.AvgPool"(%x) {kernel_shape = [1 : i64], stride = [1 : i64], pads = [0 : i64, 0 : i64]} : (tensor<4xf32>) -> tensor<4xf32> loc("y")

// -----
// CHECK: attribute 'axis' is 1 : i64, expected a value of type si32
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.Concat"(%x) {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32> loc("y")

// -----
// CHECK: attribute 'kernel_shape' is [1 : i32], expected a value of type i64[]
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.AvgPool"(%x) {kernel_shape = [1 : i32], strides = [1 : i64], pads = [0 : i64, 0 : i64]} : (tensor<4xf32>) -> tensor<4xf32> loc("y")

// -----
// CHECK: attribute 'mode' is 'cubic', expected one of nearest, linear
%x, %none = "test.op"() : () -> (tensor<4xf32>, none)
%y = "top.Interp"(%x, %none) {scale_h = 2.0 : f64, scale_w = 2.0 : f64, mode = "cubic", coord_mode = "half_pixel"} : (tensor<4xf32>, none) -> tensor<4xf32> loc("y")

// -----
// Names.
// CHECK: has 1 result and 0 names, expected a location such as loc("name")
%w = "top.Weight"() : () -> tensor<4xf32>

// -----
// CHECK: has 2 results and 1 name, expected a location such as loc("name"), or of several results loc(fused["a", "b"])
%x = "test.op"() : () -> tensor<4xf32>
%v, %i = "top.TopK"(%x) {axis = 0 : i64, K = 2 : i64, largest = true, sorted = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) loc("y")

// -----
// CHECK: has a result without a name; its location is an empty string
%w = "top.Weight"() : () -> tensor<4xf32> loc("")

// -----
// CHECK: two results of the function have the name 'y'
func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
  %x = "top.Input"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
  %y = "top.Abs"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
  %z = "top.Exp"(%y) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
  func.return %z : tensor<4xf32>
}

// -----
// CHECK: two results of the function have the name 'y'
%x = "test.op"() : () -> tensor<4xf32>
%y = "top.If"(%x) ({
  %a = "top.Abs"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
  "top.Yield"(%a) : (tensor<4xf32>) -> ()
}, {
  "top.Yield"(%x) : (tensor<4xf32>) -> ()
}) : (tensor<4xf32>) -> tensor<4xf32> loc("y")
