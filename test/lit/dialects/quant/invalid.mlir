// RUN: autosplit-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: scale 0 is 0, expected a positive, finite, normal float32
"test.op"() {t = !quant.uniform<u8:f32, 0.0>} : () -> ()

// -----
// CHECK: scale 1 is -0.5, expected a positive, finite, normal float32
"test.op"() {t = !quant.uniform<u8:f32:0, {0.1, -0.5}>} : () -> ()

// -----
// Too small to be normal.
// CHECK: scale 0 is 1e-39, expected a positive, finite, normal float32
"test.op"() {t = !quant.uniform<u8:f32, 1.0e-39>} : () -> ()

// -----
// CHECK: scale 0 is inf, expected a positive, finite, normal float32
"test.op"() {t = !quant.uniform<u8:f32, 1.0e39>} : () -> ()

// -----
// CHECK: a zero point has more than 32 bits
"test.op"() {t = !quant.uniform<u8:f32, 0.1:2147483648>} : () -> ()

// -----
// CHECK: zero point 0 is -1, expected one in the range 0:255
"test.op"() {t = !quant.uniform<u8:f32, 0.1:-1>} : () -> ()

// -----
// CHECK: zero point 1 is 128, expected one in the range -128:127
"test.op"() {t = !quant.uniform<i8:f32:0, {0.1:127, 0.1:128}>} : () -> ()

// -----
// CHECK: zero point 0 is -128, expected one in the range -127:127
"test.op"() {t = !quant.uniform<i8<-127:127>:f32, 0.1:-128>} : () -> ()

// -----
// CHECK: zero point 0 is 1; integers of 32 bits have the zero point 0
"test.op"() {t = !quant.uniform<i32:f32, 0.1:1>} : () -> ()

// -----
// CHECK: found the stored type u32, expected one of i4, u4, i8, u8, i16, u16, i32
"test.op"() {t = !quant.uniform<u32:f32, 0.1>} : () -> ()

// -----
// CHECK: expected a stored type such as i8 or u8, found 'f32'
"test.op"() {t = !quant.uniform<f32:f32, 0.1>} : () -> ()

// -----
// CHECK: found the range -129:127, expected a part of -128:127
"test.op"() {t = !quant.uniform<i8<-129:127>:f32, 0.1>} : () -> ()

// -----
// CHECK: found the real type i32, expected f32, f16 or bf16
"test.op"() {t = !quant.uniform<i8:i32, 0.1>} : () -> ()

// -----
// CHECK: found no scale
"test.op"() {t = !quant.uniform<i8:f32:0, {}>} : () -> ()

// -----
// CHECK: expected numbers of 8 hexadecimal digits each, found 'CDCC'
"test.op"() {t = #quant.params<@q5cb2b8fa5a4ae0c2, "CDCC", 0>} : () -> ()

// -----
// CHECK: found 1 scale and 2 zero points, expected as many
"test.op"() {t = #quant.params<@q5cb2b8fa5a4ae0c2, "CDCCCC3D", "0000000001000000">} : () -> ()

// -----
// The numbers are not what the digest says.
// CHECK: the parameters are @q{{[0-9a-f]+}}, found @q00
"test.op"() {t = #quant.params<@q00, "CDCCCC3D", 0>} : () -> ()

// -----
// The table has none with this digest.
// CHECK: the parameters @q0123456789abcdef are unknown: the module's attribute 'quant.params' lists them
%q = "test.op"() : () -> tensor<20x!quant.uniform<i8:f32:0, 20 x @q0123456789abcdef>>
%x = quant.dcast %q : tensor<20x!quant.uniform<i8:f32:0, 20 x @q0123456789abcdef>> to tensor<20xf32>

// -----
// One digest, two lengths.
// CHECK: @q0123456789abcdee has 20 parameters, found 21
"test.op"() {t = !quant.uniform<i8:f32:0, 20 x @q0123456789abcdee>, u = !quant.uniform<i8:f32:0, 21 x @q0123456789abcdee>} : () -> ()

// -----
// CHECK: found tensor<2xui8>, expected a tensor of !quant.uniform
%x = "test.op"() : () -> tensor<2xf32>
%q = quant.qcast %x : tensor<2xf32> to tensor<2xui8>

// -----
// CHECK: tensor<2x!quant.uniform<u8:f32, 0.1>> stands for f32, found tensor<2xf16>
%x = "test.op"() : () -> tensor<2xf16>
%q = quant.qcast %x : tensor<2xf16> to tensor<2x!quant.uniform<u8:f32, 0.1>>

// -----
// CHECK: a cast keeps the shape
%x = "test.op"() : () -> tensor<2xf32>
%q = quant.qcast %x : tensor<2xf32> to tensor<3x!quant.uniform<u8:f32, 0.1>>

// -----
// CHECK: a cast keeps the shape
%x = "test.op"() : () -> tensor<2xf32>
%q = quant.qcast %x : tensor<2xf32> to tensor<*x!quant.uniform<u8:f32, 0.1>>

// -----
// CHECK: the axis 1 is none of tensor<2x!quant.uniform<i8:f32:1, {0.1, 0.2}>>
%q = "test.op"() : () -> tensor<2x!quant.uniform<i8:f32:1, {0.1, 0.2}>>
%x = quant.dcast %q : tensor<2x!quant.uniform<i8:f32:1, {0.1, 0.2}>> to tensor<2xf32>

// -----
// CHECK: dimension 0 of tensor<3x!quant.uniform<i8:f32:0, {0.1, 0.2}>> is 3, found 2 scales for it
%q = "test.op"() : () -> tensor<3x!quant.uniform<i8:f32:0, {0.1, 0.2}>>
%x = quant.dcast %q : tensor<3x!quant.uniform<i8:f32:0, {0.1, 0.2}>> to tensor<3xf32>

// -----
// CHECK: is stored as i8, found tensor<2xui8>
%i = "test.op"() : () -> tensor<2xui8>
%q = quant.scast %i : tensor<2xui8> to tensor<2x!quant.uniform<i8:f32, 0.1>>

// -----
// CHECK: one of them is quantized, the other is its stored type
%i = "test.op"() : () -> tensor<2xui8>
%q = quant.scast %i : tensor<2xui8> to tensor<2xi8>

// -----
// CHECK: found 2 names of the result, expected one
%x = "test.op"() : () -> tensor<2xf32>
%q = quant.qcast %x {value_names = ["a", "b"]} : tensor<2xf32> to tensor<2x!quant.uniform<u8:f32, 0.1>>

// -----
// CHECK: gives tensor<3xf32> for tensor<2xf32>
%x = "test.op"() : () -> tensor<2xf32>
%y = "quant.stats"(%x) <{node_name = "", layerStats = dense<[0.0, 1.0]> : tensor<2xf32>}> : (tensor<2xf32>) -> tensor<3xf32>

// -----
// CHECK: layerStats is tensor<3xf32>, expected tensor<2xf32>
%x = "test.op"() : () -> tensor<2xf32>
%y = quant.stats %x {layerStats = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>} : tensor<2xf32>

// -----
// CHECK: a minimum of layerStats is above its maximum, or one is not a number
%x = "test.op"() : () -> tensor<2xf32>
%y = quant.stats %x {layerStats = dense<[1.0, 0.0]> : tensor<2xf32>} : tensor<2xf32>

// -----
// CHECK: axis and axisStats come together, found only one of them
%x = "test.op"() : () -> tensor<2xf32>
%y = quant.stats %x {layerStats = dense<[0.0, 1.0]> : tensor<2xf32>, axis = 0 : i64} : tensor<2xf32>

// -----
// CHECK: the axis 1 is none of tensor<2xf32>
%x = "test.op"() : () -> tensor<2xf32>
%y = quant.stats %x {layerStats = dense<[0.0, 1.0]> : tensor<2xf32>, axisStats = dense<[[0.0, 1.0]]> : tensor<1x2xf32>, axis = 1 : i64} : tensor<2xf32>

// -----
// CHECK: axisStats is tensor<1x2xf32>, expected tensor<2x2xf32>
%x = "test.op"() : () -> tensor<2xf32>
%y = quant.stats %x {layerStats = dense<[0.0, 1.0]> : tensor<2xf32>, axisStats = dense<[[0.0, 1.0]]> : tensor<1x2xf32>, axis = 0 : i64} : tensor<2xf32>
