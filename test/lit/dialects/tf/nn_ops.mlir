// RUN: AUTOSPLIT_ROUNDTRIP

// Convolutions, pools, normalizations and activations. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.Conv2D "n" (%{{.+}}, %{{.+}}) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>
%x.Conv2D = "test.op"() : () -> tensor<1x8x8x3xf32>
%w.Conv2D = "test.op"() : () -> tensor<3x3x3x4xf32>
%y.Conv2D = tf.Conv2D "n" (%x.Conv2D, %w.Conv2D) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x8x4xf32>

// CHECK: %{{.+}} = tf.Conv2DBackpropInput "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, strides = array<i64: 1, 2, 2, 1>, padding = "SAME"}> : (tensor<4xi32>, tensor<3x3x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x8x8x4xf32>
%x.Conv2DBackpropInput = "test.op"() : () -> tensor<4xi32>
%w.Conv2DBackpropInput = "test.op"() : () -> tensor<3x3x4x2xf32>
%b.Conv2DBackpropInput = "test.op"() : () -> tensor<1x4x4x2xf32>
%y.Conv2DBackpropInput = tf.Conv2DBackpropInput "n" (%x.Conv2DBackpropInput, %w.Conv2DBackpropInput, %b.Conv2DBackpropInput) <{T = f32, strides = array<i64: 1, 2, 2, 1>, padding = "SAME"}> : (tensor<4xi32>, tensor<3x3x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x8x8x4xf32>

// CHECK: %{{.+}} = tf.DepthwiseConv2dNative "n" (%{{.+}}, %{{.+}}) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x1xf32>) -> tensor<1x8x8x3xf32>
%x.DepthwiseConv2dNative = "test.op"() : () -> tensor<1x8x8x3xf32>
%w.DepthwiseConv2dNative = "test.op"() : () -> tensor<3x3x3x1xf32>
%y.DepthwiseConv2dNative = tf.DepthwiseConv2dNative "n" (%x.DepthwiseConv2dNative, %w.DepthwiseConv2dNative) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x1xf32>) -> tensor<1x8x8x3xf32>

// CHECK: %{{.+}} = tf.Conv3D "n" (%{{.+}}, %{{.+}}) <{T = f32, strides = array<i64: 1, 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x4x8x8x3xf32>, tensor<3x3x3x3x4xf32>) -> tensor<1x4x8x8x4xf32>
%x.Conv3D = "test.op"() : () -> tensor<1x4x8x8x3xf32>
%w.Conv3D = "test.op"() : () -> tensor<3x3x3x3x4xf32>
%y.Conv3D = tf.Conv3D "n" (%x.Conv3D, %w.Conv3D) <{T = f32, strides = array<i64: 1, 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x4x8x8x3xf32>, tensor<3x3x3x3x4xf32>) -> tensor<1x4x8x8x4xf32>

// CHECK: %{{.+}} = tf.Dilation2D "n" (%{{.+}}, %{{.+}}) <{T = f32, strides = array<i64: 1, 1, 1, 1>, rates = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3xf32>) -> tensor<1x8x8x3xf32>
%x.Dilation2D = "test.op"() : () -> tensor<1x8x8x3xf32>
%w.Dilation2D = "test.op"() : () -> tensor<3x3x3xf32>
%y.Dilation2D = tf.Dilation2D "n" (%x.Dilation2D, %w.Dilation2D) <{T = f32, strides = array<i64: 1, 1, 1, 1>, rates = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3xf32>) -> tensor<1x8x8x3xf32>

// CHECK: %{{.+}} = tf.BiasAdd "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
%x.BiasAdd = "test.op"() : () -> tensor<1x8x8x4xf32>
%w.BiasAdd = "test.op"() : () -> tensor<4xf32>
%y.BiasAdd = tf.BiasAdd "n" (%x.BiasAdd, %w.BiasAdd) <{T = f32}> : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>

// CHECK: %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} = tf.FusedBatchNorm "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, is_training = false}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
%a.FusedBatchNorm = "test.op"() : () -> tensor<1x8x8x4xf32>
%b.FusedBatchNorm = "test.op"() : () -> tensor<4xf32>
%c.FusedBatchNorm = "test.op"() : () -> tensor<4xf32>
%d.FusedBatchNorm = "test.op"() : () -> tensor<4xf32>
%e.FusedBatchNorm = "test.op"() : () -> tensor<4xf32>
%y.FusedBatchNorm, %z.FusedBatchNorm, %u.FusedBatchNorm, %v.FusedBatchNorm, %s.FusedBatchNorm = tf.FusedBatchNorm "n" (%a.FusedBatchNorm, %b.FusedBatchNorm, %c.FusedBatchNorm, %d.FusedBatchNorm, %e.FusedBatchNorm) <{T = f32, is_training = false}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)

// CHECK: %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} = tf.FusedBatchNormV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f16, U = f32, is_training = false}> : (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
%a.FusedBatchNormV2 = "test.op"() : () -> tensor<1x8x8x4xf16>
%b.FusedBatchNormV2 = "test.op"() : () -> tensor<4xf32>
%c.FusedBatchNormV2 = "test.op"() : () -> tensor<4xf32>
%d.FusedBatchNormV2 = "test.op"() : () -> tensor<4xf32>
%e.FusedBatchNormV2 = "test.op"() : () -> tensor<4xf32>
%y.FusedBatchNormV2, %z.FusedBatchNormV2, %u.FusedBatchNormV2, %v.FusedBatchNormV2, %s.FusedBatchNormV2 = tf.FusedBatchNormV2 "n" (%a.FusedBatchNormV2, %b.FusedBatchNormV2, %c.FusedBatchNormV2, %d.FusedBatchNormV2, %e.FusedBatchNormV2) <{T = f16, U = f32, is_training = false}> : (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)

// CHECK: %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} = tf.FusedBatchNormV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, U = f32, is_training = false}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<*xf32>)
%a.FusedBatchNormV3 = "test.op"() : () -> tensor<1x8x8x4xf32>
%b.FusedBatchNormV3 = "test.op"() : () -> tensor<4xf32>
%c.FusedBatchNormV3 = "test.op"() : () -> tensor<4xf32>
%d.FusedBatchNormV3 = "test.op"() : () -> tensor<4xf32>
%e.FusedBatchNormV3 = "test.op"() : () -> tensor<4xf32>
%y.FusedBatchNormV3, %z.FusedBatchNormV3, %u.FusedBatchNormV3, %v.FusedBatchNormV3, %s.FusedBatchNormV3, %r.FusedBatchNormV3 = tf.FusedBatchNormV3 "n" (%a.FusedBatchNormV3, %b.FusedBatchNormV3, %c.FusedBatchNormV3, %d.FusedBatchNormV3, %e.FusedBatchNormV3) <{T = f32, U = f32, is_training = false}> : (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<*xf32>)

// CHECK: %{{.+}} = tf.LRN "n" (%{{.+}}) <{T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
%x.LRN = "test.op"() : () -> tensor<1x8x8x4xf32>
%y.LRN = tf.LRN "n" (%x.LRN) <{T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>

// CHECK: %{{.+}} = tf.MaxPool "n" (%{{.+}}) <{T = f32, ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID"}> : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
%x.MaxPool = "test.op"() : () -> tensor<1x8x8x4xf32>
%y.MaxPool = tf.MaxPool "n" (%x.MaxPool) <{T = f32, ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID"}> : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>

// CHECK: %{{.+}} = tf.MaxPoolV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, padding = "VALID"}> : (tensor<1x8x8x4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x4x4xf32>
%x.MaxPoolV2 = "test.op"() : () -> tensor<1x8x8x4xf32>
%w.MaxPoolV2 = "test.op"() : () -> tensor<4xi32>
%b.MaxPoolV2 = "test.op"() : () -> tensor<4xi32>
%y.MaxPoolV2 = tf.MaxPoolV2 "n" (%x.MaxPoolV2, %w.MaxPoolV2, %b.MaxPoolV2) <{T = f32, padding = "VALID"}> : (tensor<1x8x8x4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x4x4xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.MaxPoolWithArgmax "n" (%{{.+}}) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>)
%x.MaxPoolWithArgmax = "test.op"() : () -> tensor<1x8x8x4xf32>
%y.MaxPoolWithArgmax, %z.MaxPoolWithArgmax = tf.MaxPoolWithArgmax "n" (%x.MaxPoolWithArgmax) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>)

// CHECK: %{{.+}} = tf.MaxPool3D "n" (%{{.+}}) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>
%x.MaxPool3D = "test.op"() : () -> tensor<1x4x8x8x4xf32>
%y.MaxPool3D = tf.MaxPool3D "n" (%x.MaxPool3D) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>

// CHECK: %{{.+}} = tf.AvgPool "n" (%{{.+}}) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
%x.AvgPool = "test.op"() : () -> tensor<1x8x8x4xf32>
%y.AvgPool = tf.AvgPool "n" (%x.AvgPool) <{ksize = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>

// CHECK: %{{.+}} = tf.AvgPool3D "n" (%{{.+}}) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>
%x.AvgPool3D = "test.op"() : () -> tensor<1x4x8x8x4xf32>
%y.AvgPool3D = tf.AvgPool3D "n" (%x.AvgPool3D) <{ksize = array<i64: 1, 2, 2, 2, 1>, strides = array<i64: 1, 2, 2, 2, 1>, padding = "VALID", T = f32}> : (tensor<1x4x8x8x4xf32>) -> tensor<1x2x4x4x4xf32>

// CHECK: %{{.+}} = tf.Relu "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Relu = "test.op"() : () -> tensor<4xf32>
%y.Relu = tf.Relu "n" (%x.Relu) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Relu6 "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Relu6 = "test.op"() : () -> tensor<4xf32>
%y.Relu6 = tf.Relu6 "n" (%x.Relu6) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Elu "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Elu = "test.op"() : () -> tensor<4xf32>
%y.Elu = tf.Elu "n" (%x.Elu) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Selu "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Selu = "test.op"() : () -> tensor<4xf32>
%y.Selu = tf.Selu "n" (%x.Selu) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.LeakyRelu "n" (%{{.+}}) <{alpha = 1.000000e-01 : f32, T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.LeakyRelu = "test.op"() : () -> tensor<4xf32>
%y.LeakyRelu = tf.LeakyRelu "n" (%x.LeakyRelu) <{alpha = 1.000000e-01 : f32, T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Softplus "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Softplus = "test.op"() : () -> tensor<4xf32>
%y.Softplus = tf.Softplus "n" (%x.Softplus) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Softsign "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Softsign = "test.op"() : () -> tensor<4xf32>
%y.Softsign = tf.Softsign "n" (%x.Softsign) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Softmax "n" (%{{.+}}) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
%x.Softmax = "test.op"() : () -> tensor<2x4xf32>
%y.Softmax = tf.Softmax "n" (%x.Softmax) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.LogSoftmax "n" (%{{.+}}) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
%x.LogSoftmax = "test.op"() : () -> tensor<2x4xf32>
%y.LogSoftmax = tf.LogSoftmax "n" (%x.LogSoftmax) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.L2Loss "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<f32>
%x.L2Loss = "test.op"() : () -> tensor<4xf32>
%y.L2Loss = tf.L2Loss "n" (%x.L2Loss) <{T = f32}> : (tensor<4xf32>) -> tensor<f32>

// CHECK: %{{.+}} = tf.FakeQuantWithMinMaxArgs "n" (%{{.+}}) : (tensor<4xf32>) -> tensor<4xf32>
%x.FakeQuantWithMinMaxArgs = "test.op"() : () -> tensor<4xf32>
%y.FakeQuantWithMinMaxArgs = tf.FakeQuantWithMinMaxArgs "n" (%x.FakeQuantWithMinMaxArgs) : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.FakeQuantWithMinMaxVars "n" (%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
%x.FakeQuantWithMinMaxVars = "test.op"() : () -> tensor<4xf32>
%w.FakeQuantWithMinMaxVars = "test.op"() : () -> tensor<f32>
%b.FakeQuantWithMinMaxVars = "test.op"() : () -> tensor<f32>
%y.FakeQuantWithMinMaxVars = tf.FakeQuantWithMinMaxVars "n" (%x.FakeQuantWithMinMaxVars, %w.FakeQuantWithMinMaxVars, %b.FakeQuantWithMinMaxVars) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.FakeQuantWithMinMaxVarsPerChannel "n" (%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.FakeQuantWithMinMaxVarsPerChannel = "test.op"() : () -> tensor<2x4xf32>
%w.FakeQuantWithMinMaxVarsPerChannel = "test.op"() : () -> tensor<4xf32>
%b.FakeQuantWithMinMaxVarsPerChannel = "test.op"() : () -> tensor<4xf32>
%y.FakeQuantWithMinMaxVarsPerChannel = tf.FakeQuantWithMinMaxVarsPerChannel "n" (%x.FakeQuantWithMinMaxVarsPerChannel, %w.FakeQuantWithMinMaxVarsPerChannel, %b.FakeQuantWithMinMaxVarsPerChannel) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.QuantizeAndDequantizeV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
%x.QuantizeAndDequantizeV2 = "test.op"() : () -> tensor<4xf32>
%w.QuantizeAndDequantizeV2 = "test.op"() : () -> tensor<f32>
%b.QuantizeAndDequantizeV2 = "test.op"() : () -> tensor<f32>
%y.QuantizeAndDequantizeV2 = tf.QuantizeAndDequantizeV2 "n" (%x.QuantizeAndDequantizeV2, %w.QuantizeAndDequantizeV2, %b.QuantizeAndDequantizeV2) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.QuantizeAndDequantizeV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
%a.QuantizeAndDequantizeV3 = "test.op"() : () -> tensor<4xf32>
%b.QuantizeAndDequantizeV3 = "test.op"() : () -> tensor<f32>
%c.QuantizeAndDequantizeV3 = "test.op"() : () -> tensor<f32>
%d.QuantizeAndDequantizeV3 = "test.op"() : () -> tensor<i32>
%y.QuantizeAndDequantizeV3 = tf.QuantizeAndDequantizeV3 "n" (%a.QuantizeAndDequantizeV3, %b.QuantizeAndDequantizeV3, %c.QuantizeAndDequantizeV3, %d.QuantizeAndDequantizeV3) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
