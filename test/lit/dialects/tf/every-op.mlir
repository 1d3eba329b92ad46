// RUN: autosplit-opt %s --allow-unregistered-dialect | autosplit-opt --allow-unregistered-dialect --print-op-generic | autosplit-opt --allow-unregistered-dialect | filecheck %s

// Each op of the dialect, as the example in its docstring shows it.

// CHECK: tf.Const "
builtin.module {
  %y = tf.Const "n" () <{value = dense<[1, 2]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
}

// CHECK: tf.Conv2D "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x3xf32>
  %w = "test.op"() : () -> tensor<3x3x3x4xf32>
  %y = tf.Conv2D "n" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
}

// CHECK: tf.Conv2DBackpropInput "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %w = "test.op"() : () -> tensor<3x3x4x2xf32>
  %b = "test.op"() : () -> tensor<1x4x4x2xf32>
  %y = tf.Conv2DBackpropInput "n" (%x, %w, %b) <{T = f32, strides = array<i64: 1, 2, 2, 1>, padding = "SAME"}> : (tensor<4xi32>, tensor<3x3x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x8x8x4xf32>
}

// CHECK: tf.DepthwiseConv2dNative "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x3xf32>
  %w = "test.op"() : () -> tensor<3x3x3x1xf32>
  %y = tf.DepthwiseConv2dNative "n" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x1xf32>) -> tensor<1x8x8x3xf32>
}

// CHECK: tf.Conv3D "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x8x8x3xf32>
  %w = "test.op"() : () -> tensor<3x3x3x3x4xf32>
  %y = tf.Conv3D "n" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x4x8x8x3xf32>, tensor<3x3x3x3x4xf32>) -> tensor<1x4x8x8x4xf32>
}

// CHECK: tf.Dilation2D "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x3xf32>
  %w = "test.op"() : () -> tensor<3x3x3xf32>
  %y = tf.Dilation2D "n" (%x, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, rates = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3xf32>) -> tensor<1x8x8x3xf32>
}

// CHECK: tf.BiasAdd "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.BiasAdd "n" (%x, %w) <{T = f32}> : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
}

// CHECK: tf.FusedBatchNorm "
builtin.module {
  %a = "test.op"() : () -> tensor<1x8x8x4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %c = "test.op"() : () -> tensor<4xf32>
  %d = "test.op"() : () -> tensor<4xf32>
  %e = "test.op"() : () -> tensor<4xf32>
  %y, %z, %u, %v, %s = tf.FusedBatchNorm "n" (%a, %b, %c, %d, %e) <{T = f32, is_training = false}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK: tf.FusedBatchNormV2 "
builtin.module {
  %a = "test.op"() : () -> tensor<1x8x8x4xf16>
  %b = "test.op"() : () -> tensor<4xf32>
  %c = "test.op"() : () -> tensor<4xf32>
  %d = "test.op"() : () -> tensor<4xf32>
  %e = "test.op"() : () -> tensor<4xf32>
  %y, %z, %u, %v, %s = tf.FusedBatchNormV2 "n" (%a, %b, %c, %d, %e) <{T = f16, U = f32, is_training = false}> : (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
}

// CHECK: tf.FusedBatchNormV3 "
builtin.module {
  %a = "test.op"() : () -> tensor<1x8x8x4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %c = "test.op"() : () -> tensor<4xf32>
  %d = "test.op"() : () -> tensor<4xf32>
  %e = "test.op"() : () -> tensor<4xf32>
  %y, %z, %u, %v, %s, %r = tf.FusedBatchNormV3 "n" (%a, %b, %c, %d, %e) <{T = f32, U = f32, is_training = false}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<*xf32>)
}

// CHECK: tf.LRN "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x4xf32>
  %y = tf.LRN "n" (%x) <{T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
}

// CHECK: tf.MaxPool "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x4xf32>
  %y = tf.MaxPool "n" (%x) <{T = f32, ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID"}> : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// CHECK: tf.MaxPoolV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x4xf32>
  %w = "test.op"() : () -> tensor<4xi32>
  %b = "test.op"() : () -> tensor<4xi32>
  %y = tf.MaxPoolV2 "n" (%x, %w, %b) <{T = f32, padding = "VALID"}> : (tensor<1x8x8x4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x4x4xf32>
}

// CHECK: tf.MaxPoolWithArgmax "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x4xf32>
  %y, %z = tf.MaxPoolWithArgmax "n" (%x) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>)
}

// CHECK: tf.MaxPool3D "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x8x8x4xf32>
  %y = tf.MaxPool3D "n" (%x) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>
}

// CHECK: tf.AvgPool "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x4xf32>
  %y = tf.AvgPool "n" (%x) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
}

// CHECK: tf.AvgPool3D "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x8x8x4xf32>
  %y = tf.AvgPool3D "n" (%x) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>
}

// CHECK: tf.Relu "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Relu "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Relu6 "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Relu6 "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Elu "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Elu "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Selu "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Selu "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.LeakyRelu "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.LeakyRelu "n" (%x) <{alpha = 1.000000e-01 : f32, T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Softplus "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Softplus "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Softsign "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Softsign "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Softmax "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y = tf.Softmax "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.LogSoftmax "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y = tf.LogSoftmax "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.L2Loss "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.L2Loss "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<f32>
}

// CHECK: tf.FakeQuantWithMinMaxArgs "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.FakeQuantWithMinMaxArgs "n" (%x) : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.FakeQuantWithMinMaxVars "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<f32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.FakeQuantWithMinMaxVars "n" (%x, %w, %b) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
}

// CHECK: tf.FakeQuantWithMinMaxVarsPerChannel "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.FakeQuantWithMinMaxVarsPerChannel "n" (%x, %w, %b) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.QuantizeAndDequantizeV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<f32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.QuantizeAndDequantizeV2 "n" (%x, %w, %b) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
}

// CHECK: tf.QuantizeAndDequantizeV3 "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<f32>
  %c = "test.op"() : () -> tensor<f32>
  %d = "test.op"() : () -> tensor<i32>
  %y = tf.QuantizeAndDequantizeV3 "n" (%a, %b, %c, %d) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
}

// CHECK: tf.Abs "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Abs "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Acos "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Acos "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Add "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Add "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.AddV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.AddV2 "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Asin "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Asin "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Atan "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Atan "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Atan2 "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Atan2 "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.BitwiseAnd "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.BitwiseAnd "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
}

// CHECK: tf.BitwiseOr "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.BitwiseOr "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
}

// CHECK: tf.Cast "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Cast "n" (%x) <{SrcT = f32, DstT = i32}> : (tensor<4xf32>) -> tensor<4xi32>
}

// CHECK: tf.Ceil "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Ceil "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.ClipByValue "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<f32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.ClipByValue "n" (%x, %w, %b) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
}

// CHECK: tf.Complex "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Complex "n" (%x, %w) <{T = f32, Tout = complex<f32>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
}

// CHECK: tf.ComplexAbs "
builtin.module {
  %x = "test.op"() : () -> tensor<4xcomplex<f32>>
  %y = tf.ComplexAbs "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
}

// CHECK: tf.Conj "
builtin.module {
  %x = "test.op"() : () -> tensor<4xcomplex<f32>>
  %y = tf.Conj "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
}

// CHECK: tf.Cos "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Cos "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Cosh "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Cosh "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Div "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Div "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.DivNoNan "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.DivNoNan "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Equal "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Equal "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
}

// CHECK: tf.Erf "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Erf "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Exp "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Exp "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Expm1 "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Expm1 "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Floor "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Floor "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.FloorDiv "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.FloorDiv "n" (%x, %w) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
}

// CHECK: tf.FloorMod "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.FloorMod "n" (%x, %w) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
}

// CHECK: tf.Greater "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Greater "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
}

// CHECK: tf.GreaterEqual "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.GreaterEqual "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
}

// CHECK: tf.Imag "
builtin.module {
  %x = "test.op"() : () -> tensor<4xcomplex<f32>>
  %y = tf.Imag "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
}

// CHECK: tf.Invert "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %y = tf.Invert "n" (%x) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>
}

// CHECK: tf.IsFinite "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.IsFinite "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: tf.IsInf "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.IsInf "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: tf.IsNan "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.IsNan "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: tf.LeftShift "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.LeftShift "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
}

// CHECK: tf.Less "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Less "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
}

// CHECK: tf.LessEqual "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.LessEqual "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
}

// CHECK: tf.Lgamma "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Lgamma "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Log "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Log "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Log1p "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Log1p "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.LogicalAnd "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi1>
  %w = "test.op"() : () -> tensor<4xi1>
  %y = tf.LogicalAnd "n" (%x, %w) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
}

// CHECK: tf.LogicalNot "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi1>
  %y = tf.LogicalNot "n" (%x) : (tensor<4xi1>) -> tensor<4xi1>
}

// CHECK: tf.LogicalOr "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi1>
  %w = "test.op"() : () -> tensor<4xi1>
  %y = tf.LogicalOr "n" (%x, %w) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
}

// CHECK: tf.Maximum "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Maximum "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Minimum "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Minimum "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Mod "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.Mod "n" (%x, %w) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
}

// CHECK: tf.Mul "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Mul "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Neg "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Neg "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.NotEqual "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.NotEqual "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
}

// CHECK: tf.Pow "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Pow "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Real "
builtin.module {
  %x = "test.op"() : () -> tensor<4xcomplex<f32>>
  %y = tf.Real "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
}

// CHECK: tf.RealDiv "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.RealDiv "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Reciprocal "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Reciprocal "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.RightShift "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.RightShift "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
}

// CHECK: tf.Rint "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Rint "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Round "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Round "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Rsqrt "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Rsqrt "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Sigmoid "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Sigmoid "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Sign "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Sign "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Sin "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Sin "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Sinh "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Sinh "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Sqrt "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Sqrt "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Square "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Square "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.SquaredDifference "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.SquaredDifference "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Sub "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Sub "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Tan "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Tan "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Tanh "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Tanh "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.TruncateDiv "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.TruncateDiv "n" (%x, %w) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
}

// CHECK: tf.Xlogy "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<4xf32>
  %y = tf.Xlogy "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.AddN "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.AddN "n" (%a, %b) <{N = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.All "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi1>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.All "n" (%x, %w) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>
}

// CHECK: tf.Any "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xi1>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Any "n" (%x, %w) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>
}

// CHECK: tf.ArgMax "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<i32>
  %y = tf.ArgMax "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>
}

// CHECK: tf.ArgMin "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<i32>
  %y = tf.ArgMin "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>
}

// CHECK: tf.BatchMatMul "
builtin.module {
  %x = "test.op"() : () -> tensor<2x3x4xf32>
  %w = "test.op"() : () -> tensor<2x4x5xf32>
  %y = tf.BatchMatMul "n" (%x, %w) <{T = f32}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
}

// CHECK: tf.BatchMatMulV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<2x3x4xf32>
  %w = "test.op"() : () -> tensor<2x4x5xf32>
  %y = tf.BatchMatMulV2 "n" (%x, %w) <{T = f32}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
}

// CHECK: tf.BatchMatMulV3 "
builtin.module {
  %x = "test.op"() : () -> tensor<2x3x4xi8>
  %w = "test.op"() : () -> tensor<2x4x5xi8>
  %y = tf.BatchMatMulV3 "n" (%x, %w) <{Ta = i8, Tb = i8, Tout = i32}> : (tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>
}

// CHECK: tf.Cumsum "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<i32>
  %y = tf.Cumsum "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
}

// CHECK: tf.Einsum "
builtin.module {
  %a = "test.op"() : () -> tensor<2x3xf32>
  %b = "test.op"() : () -> tensor<3x4xf32>
  %y = tf.Einsum "n" (%a, %b) <{equation = "ij,jk->ik", N = 2 : i64, T = f32}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.FFT "
builtin.module {
  %x = "test.op"() : () -> tensor<8xcomplex<f32>>
  %y = tf.FFT "n" (%x) <{Tcomplex = complex<f32>}> : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
}

// CHECK: tf.MatMul "
builtin.module {
  %x = "test.op"() : () -> tensor<2x3xf32>
  %w = "test.op"() : () -> tensor<3x4xf32>
  %y = tf.MatMul "n" (%x, %w) <{T = f32}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.MatrixBandPart "
builtin.module {
  %x = "test.op"() : () -> tensor<4x4xf32>
  %w = "test.op"() : () -> tensor<i64>
  %b = "test.op"() : () -> tensor<i64>
  %y = tf.MatrixBandPart "n" (%x, %w, %b) <{T = f32}> : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
}

// CHECK: tf.Max "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Max "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.Mean "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Mean "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.Min "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Min "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.Prod "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Prod "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.RFFT "
builtin.module {
  %x = "test.op"() : () -> tensor<8xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.RFFT "n" (%x, %w) <{Tcomplex = complex<f32>}> : (tensor<8xf32>, tensor<1xi32>) -> tensor<5xcomplex<f32>>
}

// CHECK: tf.SegmentSum "
builtin.module {
  %x = "test.op"() : () -> tensor<4x2xf32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y = tf.SegmentSum "n" (%x, %w) <{T = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<4xi32>) -> tensor<3x2xf32>
}

// CHECK: tf.Sum "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Sum "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.UnsortedSegmentSum "
builtin.module {
  %x = "test.op"() : () -> tensor<4x2xf32>
  %w = "test.op"() : () -> tensor<4xi32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.UnsortedSegmentSum "n" (%x, %w, %b) <{T = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> tensor<3x2xf32>
}

// CHECK: tf.BatchToSpaceND "
builtin.module {
  %x = "test.op"() : () -> tensor<4x2x2x1xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %b = "test.op"() : () -> tensor<2x2xi32>
  %y = tf.BatchToSpaceND "n" (%x, %w, %b) <{T = f32}> : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>
}

// CHECK: tf.BroadcastArgs "
builtin.module {
  %x = "test.op"() : () -> tensor<2xi32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y = tf.BroadcastArgs "n" (%x, %w) <{T = i32}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
}

// CHECK: tf.BroadcastTo "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y = tf.BroadcastTo "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
}

// CHECK: tf.Concat "
builtin.module {
  %a = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<2x3xf32>
  %c = "test.op"() : () -> tensor<2x1xf32>
  %y = tf.Concat "n" (%a, %b, %c) <{N = 2 : i64, T = f32}> : (tensor<i32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.ConcatV2 "
builtin.module {
  %a = "test.op"() : () -> tensor<2x3xf32>
  %b = "test.op"() : () -> tensor<2x1xf32>
  %c = "test.op"() : () -> tensor<i32>
  %y = tf.ConcatV2 "n" (%a, %b, %c) <{N = 2 : i64, T = f32}> : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<i32>) -> tensor<2x4xf32>
}

// CHECK: tf.DepthToSpace "
builtin.module {
  %x = "test.op"() : () -> tensor<1x2x2x4xf32>
  %y = tf.DepthToSpace "n" (%x) <{T = f32, block_size = 2 : i64}> : (tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32>
}

// CHECK: tf.DynamicPartition "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<4xi32>
  %y, %z = tf.DynamicPartition "n" (%x, %w) <{num_partitions = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?xf32>)
}

// CHECK: tf.DynamicStitch "
builtin.module {
  %a = "test.op"() : () -> tensor<2xi32>
  %b = "test.op"() : () -> tensor<2xi32>
  %c = "test.op"() : () -> tensor<2xf32>
  %d = "test.op"() : () -> tensor<2xf32>
  %y = tf.DynamicStitch "n" (%a, %b, %c, %d) <{N = 2 : i64, T = f32}> : (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
}

// CHECK: tf.EnsureShape "
builtin.module {
  %x = "test.op"() : () -> tensor<*xf32>
  %y = tf.EnsureShape "n" (%x) <{shape = #tf.shape<[4]>, T = f32}> : (tensor<*xf32>) -> tensor<4xf32>
}

// CHECK: tf.ExpandDims "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<i32>
  %y = tf.ExpandDims "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<i32>) -> tensor<1x4xf32>
}

// CHECK: tf.ExtractImagePatches "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x3xf32>
  %y = tf.ExtractImagePatches "n" (%x) <{ksizes = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, rates = array<i64: 1, 1, 1, 1>, T = f32, padding = "VALID"}> : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x12xf32>
}

// CHECK: tf.Fill "
builtin.module {
  %x = "test.op"() : () -> tensor<2xi32>
  %w = "test.op"() : () -> tensor<f32>
  %y = tf.Fill "n" (%x, %w) <{T = f32}> : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>
}

// CHECK: tf.Gather "
builtin.module {
  %x = "test.op"() : () -> tensor<4x2xf32>
  %w = "test.op"() : () -> tensor<3xi32>
  %y = tf.Gather "n" (%x, %w) <{Tparams = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
}

// CHECK: tf.GatherNd "
builtin.module {
  %x = "test.op"() : () -> tensor<4x2xf32>
  %w = "test.op"() : () -> tensor<3x1xi32>
  %y = tf.GatherNd "n" (%x, %w) <{Tparams = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
}

// CHECK: tf.GatherV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<4x2xf32>
  %w = "test.op"() : () -> tensor<3xi32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.GatherV2 "n" (%x, %w, %b) <{Tparams = f32, Tindices = i32, Taxis = i32}> : (tensor<4x2xf32>, tensor<3xi32>, tensor<i32>) -> tensor<3x2xf32>
}

// CHECK: tf.InvertPermutation "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %y = tf.InvertPermutation "n" (%x) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>
}

// CHECK: tf.LinSpace "
builtin.module {
  %x = "test.op"() : () -> tensor<f32>
  %w = "test.op"() : () -> tensor<f32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.LinSpace "n" (%x, %w, %b) <{T = f32}> : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
}

// CHECK: tf.ListDiff "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y, %z = tf.ListDiff "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
}

// CHECK: tf.MirrorPad "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<1x2xi32>
  %y = tf.MirrorPad "n" (%x, %w) <{T = f32, mode = "REFLECT"}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>
}

// CHECK: tf.OneHot "
builtin.module {
  %a = "test.op"() : () -> tensor<4xi32>
  %b = "test.op"() : () -> tensor<i32>
  %c = "test.op"() : () -> tensor<f32>
  %d = "test.op"() : () -> tensor<f32>
  %y = tf.OneHot "n" (%a, %b, %c, %d) <{T = f32, TI = i32}> : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
}

// CHECK: tf.OnesLike "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.OnesLike "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Pack "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.Pack "n" (%a, %b) <{N = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
}

// CHECK: tf.Pad "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<1x2xi32>
  %y = tf.Pad "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>
}

// CHECK: tf.PadV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<1x2xi32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.PadV2 "n" (%x, %w, %b) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<6xf32>
}

// CHECK: tf.Range "
builtin.module {
  %x = "test.op"() : () -> tensor<i32>
  %w = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.Range "n" (%x, %w, %b) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>
}

// CHECK: tf.Rank "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y = tf.Rank "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>
}

// CHECK: tf.Reshape "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Reshape "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<8xf32>
}

// CHECK: tf.Reverse "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<2xi1>
  %y = tf.Reverse "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<2xi1>) -> tensor<2x4xf32>
}

// CHECK: tf.ReverseSequence "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<2xi64>
  %y = tf.ReverseSequence "n" (%x, %w) <{seq_dim = 1 : i64, T = f32}> : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
}

// CHECK: tf.ReverseV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.ReverseV2 "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
}

// CHECK: tf.Roll "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.Roll "n" (%x, %w, %b) <{T = f32, Tshift = i32, Taxis = i32}> : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>
}

// CHECK: tf.ScatterNd "
builtin.module {
  %x = "test.op"() : () -> tensor<2x1xi32>
  %w = "test.op"() : () -> tensor<2xf32>
  %b = "test.op"() : () -> tensor<1xi32>
  %y = tf.ScatterNd "n" (%x, %w, %b) <{T = f32, Tindices = i32}> : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> tensor<4xf32>
}

// CHECK: tf.Select "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi1>
  %w = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.Select "n" (%x, %w, %b) <{T = f32}> : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.SelectV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi1>
  %w = "test.op"() : () -> tensor<2x4xf32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.SelectV2 "n" (%x, %w, %b) <{T = f32}> : (tensor<4xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
}

// CHECK: tf.Shape "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y = tf.Shape "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2xi32>
}

// CHECK: tf.ShapeN "
builtin.module {
  %a = "test.op"() : () -> tensor<2x4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y, %z = tf.ShapeN "n" (%a, %b) <{N = 2 : i64, T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2xi32>, tensor<1xi32>)
}

// CHECK: tf.Size "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y = tf.Size "n" (%x) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>
}

// CHECK: tf.Slice "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %b = "test.op"() : () -> tensor<1xi32>
  %y = tf.Slice "n" (%x, %w, %b) <{T = f32, Index = i32}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.SpaceToBatchND "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x4x1xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %b = "test.op"() : () -> tensor<2x2xi32>
  %y = tf.SpaceToBatchND "n" (%x, %w, %b) <{T = f32}> : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4x2x2x1xf32>
}

// CHECK: tf.SpaceToDepth "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x4x1xf32>
  %y = tf.SpaceToDepth "n" (%x) <{T = f32, block_size = 2 : i64}> : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x4xf32>
}

// CHECK: tf.SparseToDense "
builtin.module {
  %a = "test.op"() : () -> tensor<2x1xi32>
  %b = "test.op"() : () -> tensor<1xi32>
  %c = "test.op"() : () -> tensor<2xf32>
  %d = "test.op"() : () -> tensor<f32>
  %y = tf.SparseToDense "n" (%a, %b, %c, %d) <{T = f32, Tindices = i32}> : (tensor<2x1xi32>, tensor<1xi32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
}

// CHECK: tf.Split "
builtin.module {
  %x = "test.op"() : () -> tensor<i32>
  %w = "test.op"() : () -> tensor<2x4xf32>
  %y, %z = tf.Split "n" (%x, %w) <{num_split = 2 : i64, T = f32}> : (tensor<i32>, tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
}

// CHECK: tf.SplitV "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %b = "test.op"() : () -> tensor<i32>
  %y, %z = tf.SplitV "n" (%x, %w, %b) <{num_split = 2 : i64, T = f32, Tlen = i32}> : (tensor<2x4xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
}

// CHECK: tf.Squeeze "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x1xf32>
  %y = tf.Squeeze "n" (%x) <{T = f32}> : (tensor<1x4x1xf32>) -> tensor<4xf32>
}

// CHECK: tf.StridedSlice "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<1xi32>
  %c = "test.op"() : () -> tensor<1xi32>
  %d = "test.op"() : () -> tensor<1xi32>
  %y = tf.StridedSlice "n" (%a, %b, %c, %d) <{T = f32, Index = i32}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
}

// CHECK: tf.TensorScatterUpdate "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<2x1xi32>
  %b = "test.op"() : () -> tensor<2xf32>
  %y = tf.TensorScatterUpdate "n" (%x, %w, %b) <{T = f32, Tindices = i32}> : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
}

// CHECK: tf.Tile "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.Tile "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<8xf32>
}

// CHECK: tf.Transpose "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y = tf.Transpose "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<4x2xf32>
}

// CHECK: tf.Unique "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi32>
  %y, %z = tf.Unique "n" (%x) <{T = i32}> : (tensor<4xi32>) -> (tensor<?xi32>, tensor<4xi32>)
}

// CHECK: tf.Unpack "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %y, %z = tf.Unpack "n" (%x) <{num = 2 : i64, T = f32}> : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

// CHECK: tf.Where "
builtin.module {
  %x = "test.op"() : () -> tensor<4xi1>
  %y = tf.Where "n" (%x) <{T = i1}> : (tensor<4xi1>) -> tensor<?x1xi64>
}

// CHECK: tf.ZerosLike "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.ZerosLike "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.AdjustContrastv2 "
builtin.module {
  %x = "test.op"() : () -> tensor<1x8x8x3xf32>
  %w = "test.op"() : () -> tensor<f32>
  %y = tf.AdjustContrastv2 "n" (%x, %w) <{T = f32}> : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
}

// CHECK: tf.CombinedNonMaxSuppression "
builtin.module {
  %a = "test.op"() : () -> tensor<1x9x1x4xf32>
  %b = "test.op"() : () -> tensor<1x9x2xf32>
  %c = "test.op"() : () -> tensor<i32>
  %d = "test.op"() : () -> tensor<i32>
  %e = "test.op"() : () -> tensor<f32>
  %f = "test.op"() : () -> tensor<f32>
  %y, %z, %u, %v = tf.CombinedNonMaxSuppression "n" (%a, %b, %c, %d, %e, %f) : (tensor<1x9x1x4xf32>, tensor<1x9x2xf32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<1x5x4xf32>, tensor<1x5xf32>, tensor<1x5xf32>, tensor<1xi32>)
}

// CHECK: tf.CropAndResize "
builtin.module {
  %a = "test.op"() : () -> tensor<1x8x8x3xf32>
  %b = "test.op"() : () -> tensor<2x4xf32>
  %c = "test.op"() : () -> tensor<2xi32>
  %d = "test.op"() : () -> tensor<2xi32>
  %y = tf.CropAndResize "n" (%a, %b, %c, %d) <{T = f32}> : (tensor<1x8x8x3xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x4x3xf32>
}

// CHECK: tf.DecodeJpeg "
builtin.module {
  %x = "test.op"() : () -> tensor<!tf.string>
  %y = tf.DecodeJpeg "n" (%x) : (tensor<!tf.string>) -> tensor<?x?x?xui8>
}

// CHECK: tf.DecodePng "
builtin.module {
  %x = "test.op"() : () -> tensor<!tf.string>
  %y = tf.DecodePng "n" (%x) : (tensor<!tf.string>) -> tensor<?x?x?xui8>
}

// CHECK: tf.DecodeRaw "
builtin.module {
  %x = "test.op"() : () -> tensor<!tf.string>
  %y = tf.DecodeRaw "n" (%x) <{out_type = ui8}> : (tensor<!tf.string>) -> tensor<?xui8>
}

// CHECK: tf.HSVToRGB "
builtin.module {
  %x = "test.op"() : () -> tensor<8x8x3xf32>
  %y = tf.HSVToRGB "n" (%x) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
}

// CHECK: tf.NonMaxSuppression "
builtin.module {
  %x = "test.op"() : () -> tensor<9x4xf32>
  %w = "test.op"() : () -> tensor<9xf32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.NonMaxSuppression "n" (%x, %w, %b) : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>) -> tensor<?xi32>
}

// CHECK: tf.NonMaxSuppressionV2 "
builtin.module {
  %a = "test.op"() : () -> tensor<9x4xf32>
  %b = "test.op"() : () -> tensor<9xf32>
  %c = "test.op"() : () -> tensor<i32>
  %d = "test.op"() : () -> tensor<f32>
  %y = tf.NonMaxSuppressionV2 "n" (%a, %b, %c, %d) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>) -> tensor<?xi32>
}

// CHECK: tf.NonMaxSuppressionV3 "
builtin.module {
  %a = "test.op"() : () -> tensor<9x4xf32>
  %b = "test.op"() : () -> tensor<9xf32>
  %c = "test.op"() : () -> tensor<i32>
  %d = "test.op"() : () -> tensor<f32>
  %e = "test.op"() : () -> tensor<f32>
  %y = tf.NonMaxSuppressionV3 "n" (%a, %b, %c, %d, %e) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?xi32>
}

// CHECK: tf.NonMaxSuppressionV4 "
builtin.module {
  %a = "test.op"() : () -> tensor<9x4xf32>
  %b = "test.op"() : () -> tensor<9xf32>
  %c = "test.op"() : () -> tensor<i32>
  %d = "test.op"() : () -> tensor<f32>
  %e = "test.op"() : () -> tensor<f32>
  %y, %z = tf.NonMaxSuppressionV4 "n" (%a, %b, %c, %d, %e) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<i32>)
}

// CHECK: tf.NonMaxSuppressionV5 "
builtin.module {
  %a = "test.op"() : () -> tensor<9x4xf32>
  %b = "test.op"() : () -> tensor<9xf32>
  %c = "test.op"() : () -> tensor<i32>
  %d = "test.op"() : () -> tensor<f32>
  %e = "test.op"() : () -> tensor<f32>
  %f = "test.op"() : () -> tensor<f32>
  %y, %z, %u = tf.NonMaxSuppressionV5 "n" (%a, %b, %c, %d, %e, %f) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
}

// CHECK: tf.RGBToHSV "
builtin.module {
  %x = "test.op"() : () -> tensor<8x8x3xf32>
  %y = tf.RGBToHSV "n" (%x) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
}

// CHECK: tf.ResizeBicubic "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x4x3xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y = tf.ResizeBicubic "n" (%x, %w) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
}

// CHECK: tf.ResizeBilinear "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x4x3xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y = tf.ResizeBilinear "n" (%x, %w) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
}

// CHECK: tf.ResizeNearestNeighbor "
builtin.module {
  %x = "test.op"() : () -> tensor<1x4x4x3xf32>
  %w = "test.op"() : () -> tensor<2xi32>
  %y = tf.ResizeNearestNeighbor "n" (%x, %w) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
}

// CHECK: tf.TopK "
builtin.module {
  %x = "test.op"() : () -> tensor<2x9xf32>
  %y, %z = tf.TopK "n" (%x) <{k = 3 : i64, T = f32}> : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
}

// CHECK: tf.TopKV2 "
builtin.module {
  %x = "test.op"() : () -> tensor<2x9xf32>
  %w = "test.op"() : () -> tensor<i32>
  %y, %z = tf.TopKV2 "n" (%x, %w) <{T = f32}> : (tensor<2x9xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
}

// CHECK: tf.Placeholder "
builtin.module {
  %y = tf.Placeholder "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}> : () -> tensor<1x?xf32>
}

// CHECK: tf.PlaceholderV2 "
builtin.module {
  %y = tf.PlaceholderV2 "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}> : () -> tensor<1x?xf32>
}

// CHECK: tf.PlaceholderWithDefault "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.PlaceholderWithDefault "n" (%x) <{dtype = f32, shape = #tf.shape<[4]>}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Identity "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Identity "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.IdentityN "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<2xi32>
  %y, %z = tf.IdentityN "n" (%a, %b) <{T = [f32, i32]}> : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
}

// CHECK: tf.Snapshot "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Snapshot "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.StopGradient "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.StopGradient "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.PreventGradient "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.PreventGradient "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.CheckNumerics "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.CheckNumerics "n" (%x) <{T = f32, message = "bad"}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.NoOp "
builtin.module {
  tf.NoOp "n" () : () -> ()
}

// CHECK: tf.Assert "
builtin.module {
  %a = "test.op"() : () -> tensor<i1>
  %b = "test.op"() : () -> tensor<4xf32>
  tf.Assert "n" (%a, %b) <{T = [f32]}> : (tensor<i1>, tensor<4xf32>) -> ()
}

// CHECK: tf.Print "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.Print "n" (%a, %b) <{T = f32, U = [f32]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.PyFunc "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %y = tf.PyFunc "n" (%a) <{token = "f", Tin = [f32], Tout = [f32]}> : (tensor<4xf32>) -> tensor<*xf32>
}

// CHECK: tf.Switch "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %w = "test.op"() : () -> tensor<i1>
  %y, %z = tf.Switch "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
}

// CHECK: tf.Merge "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y, %z = tf.Merge "n" (%a, %b) <{T = f32, N = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
}

// CHECK: tf.Enter "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Enter "n" (%x) <{T = f32, frame_name = "loop"}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.Exit "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.Exit "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.NextIteration "
builtin.module {
  %x = "test.op"() : () -> tensor<4xf32>
  %y = tf.NextIteration "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.LoopCond "
builtin.module {
  %x = "test.op"() : () -> tensor<i1>
  %y = tf.LoopCond "n" (%x) : (tensor<i1>) -> tensor<i1>
}

// CHECK: tf.PartitionedCall "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %y = tf.PartitionedCall "n" (%a) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.StatefulPartitionedCall "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %y = tf.StatefulPartitionedCall "n" (%a) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.If "
builtin.module {
  %a = "test.op"() : () -> tensor<i1>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.If "n" (%a, %b) <{Tcond = i1, Tin = [f32], Tout = [f32], then_branch = #platform.proto<"R\03\0A\01f">, else_branch = #platform.proto<"R\03\0A\01f">}> : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.StatelessIf "
builtin.module {
  %a = "test.op"() : () -> tensor<i1>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.StatelessIf "n" (%a, %b) <{Tcond = i1, Tin = [f32], Tout = [f32], then_branch = #platform.proto<"R\03\0A\01f">, else_branch = #platform.proto<"R\03\0A\01f">}> : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.While "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %y = tf.While "n" (%a) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">, body = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.StatelessWhile "
builtin.module {
  %a = "test.op"() : () -> tensor<4xf32>
  %y = tf.StatelessWhile "n" (%a) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">, body = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: tf.RandomUniform "
builtin.module {
  %x = "test.op"() : () -> tensor<1xi32>
  %y = tf.RandomUniform "n" (%x) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>
}

// CHECK: tf.RandomUniformInt "
builtin.module {
  %x = "test.op"() : () -> tensor<1xi32>
  %w = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<i32>
  %y = tf.RandomUniformInt "n" (%x, %w, %b) <{Tout = i32, T = i32}> : (tensor<1xi32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
}

// CHECK: tf.RandomStandardNormal "
builtin.module {
  %x = "test.op"() : () -> tensor<1xi32>
  %y = tf.RandomStandardNormal "n" (%x) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>
}

// CHECK: tf.TensorArrayV3 "
builtin.module {
  %x = "test.op"() : () -> tensor<i32>
  %y, %z = tf.TensorArrayV3 "n" (%x) <{dtype = f32}> : (tensor<i32>) -> (!tf.resource, tensor<f32>)
}

// CHECK: tf.TensorArrayReadV3 "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  %w = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.TensorArrayReadV3 "n" (%x, %w, %b) <{dtype = f32}> : (!tf.resource, tensor<i32>, tensor<f32>) -> tensor<*xf32>
}

// CHECK: tf.TensorArrayWriteV3 "
builtin.module {
  %a = "test.op"() : () -> !tf.resource
  %b = "test.op"() : () -> tensor<i32>
  %c = "test.op"() : () -> tensor<4xf32>
  %d = "test.op"() : () -> tensor<f32>
  %y = tf.TensorArrayWriteV3 "n" (%a, %b, %c, %d) <{T = f32}> : (!tf.resource, tensor<i32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
}

// CHECK: tf.TensorArrayGatherV3 "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  %w = "test.op"() : () -> tensor<2xi32>
  %b = "test.op"() : () -> tensor<f32>
  %y = tf.TensorArrayGatherV3 "n" (%x, %w, %b) <{dtype = f32}> : (!tf.resource, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
}

// CHECK: tf.TensorArrayScatterV3 "
builtin.module {
  %a = "test.op"() : () -> !tf.resource
  %b = "test.op"() : () -> tensor<2xi32>
  %c = "test.op"() : () -> tensor<2x4xf32>
  %d = "test.op"() : () -> tensor<f32>
  %y = tf.TensorArrayScatterV3 "n" (%a, %b, %c, %d) <{T = f32}> : (!tf.resource, tensor<2xi32>, tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
}

// CHECK: tf.TensorArrayConcatV3 "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  %w = "test.op"() : () -> tensor<f32>
  %y, %z = tf.TensorArrayConcatV3 "n" (%x, %w) <{dtype = f32}> : (!tf.resource, tensor<f32>) -> (tensor<*xf32>, tensor<2xi64>)
}

// CHECK: tf.TensorArraySplitV3 "
builtin.module {
  %a = "test.op"() : () -> !tf.resource
  %b = "test.op"() : () -> tensor<4xf32>
  %c = "test.op"() : () -> tensor<2xi64>
  %d = "test.op"() : () -> tensor<f32>
  %y = tf.TensorArraySplitV3 "n" (%a, %b, %c, %d) <{T = f32}> : (!tf.resource, tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<f32>
}

// CHECK: tf.TensorArraySizeV3 "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  %w = "test.op"() : () -> tensor<f32>
  %y = tf.TensorArraySizeV3 "n" (%x, %w) : (!tf.resource, tensor<f32>) -> tensor<i32>
}

// CHECK: tf.TensorArrayCloseV3 "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  tf.TensorArrayCloseV3 "n" (%x) : (!tf.resource) -> ()
}

// CHECK: tf.TensorListFromTensor "
builtin.module {
  %x = "test.op"() : () -> tensor<2x4xf32>
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.TensorListFromTensor "n" (%x, %w) <{element_dtype = f32, shape_type = i32}> : (tensor<2x4xf32>, tensor<1xi32>) -> !tf.variant
}

// CHECK: tf.TensorListGetItem "
builtin.module {
  %x = "test.op"() : () -> !tf.variant
  %w = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<1xi32>
  %y = tf.TensorListGetItem "n" (%x, %w, %b) <{element_dtype = f32}> : (!tf.variant, tensor<i32>, tensor<1xi32>) -> tensor<4xf32>
}

// CHECK: tf.TensorListReserve "
builtin.module {
  %x = "test.op"() : () -> tensor<1xi32>
  %w = "test.op"() : () -> tensor<i32>
  %y = tf.TensorListReserve "n" (%x, %w) <{element_dtype = f32, shape_type = i32}> : (tensor<1xi32>, tensor<i32>) -> !tf.variant
}

// CHECK: tf.TensorListSetItem "
builtin.module {
  %x = "test.op"() : () -> !tf.variant
  %w = "test.op"() : () -> tensor<i32>
  %b = "test.op"() : () -> tensor<4xf32>
  %y = tf.TensorListSetItem "n" (%x, %w, %b) <{element_dtype = f32}> : (!tf.variant, tensor<i32>, tensor<4xf32>) -> !tf.variant
}

// CHECK: tf.TensorListStack "
builtin.module {
  %x = "test.op"() : () -> !tf.variant
  %w = "test.op"() : () -> tensor<1xi32>
  %y = tf.TensorListStack "n" (%x, %w) <{element_dtype = f32}> : (!tf.variant, tensor<1xi32>) -> tensor<2x4xf32>
}

// CHECK: tf.VarHandleOp "
builtin.module {
  %y = tf.VarHandleOp "n" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> !tf.resource
}

// CHECK: tf.ReadVariableOp "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  %y = tf.ReadVariableOp "n" (%x) <{dtype = f32}> : (!tf.resource) -> tensor<4xf32>
}

// CHECK: tf.VariableV2 "
builtin.module {
  %y = tf.VariableV2 "n" () <{shape = #tf.shape<[4]>, dtype = f32}> : () -> tensor<4x!tf.dtype<101>>
}

// CHECK: tf.HashTableV2 "
builtin.module {
  %y = tf.HashTableV2 "n" () <{key_dtype = i64, value_dtype = i64}> : () -> !tf.resource
}

// CHECK: tf.LookupTableFindV2 "
builtin.module {
  %x = "test.op"() : () -> !tf.resource
  %w = "test.op"() : () -> tensor<4xi64>
  %b = "test.op"() : () -> tensor<i64>
  %y = tf.LookupTableFindV2 "n" (%x, %w, %b) <{Tin = i64, Tout = i64}> : (!tf.resource, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
}
