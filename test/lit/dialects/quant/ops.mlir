// RUN: AUTOSPLIT_ROUNDTRIP

// CHECK: %x, %h, %i = "test.op"()
%x, %h, %i = "test.op"() : () -> (tensor<1x3xf32>, tensor<4xf16>, tensor<1x3xi8>)

// CHECK: %q = quant.qcast %x : tensor<1x3xf32> to tensor<1x3x!quant.uniform<u8:f32, 0.02:128>>
%q = quant.qcast %x : tensor<1x3xf32> to tensor<1x3x!quant.uniform<u8:f32, 0.02:128>>

// What a node of a model is called, and its parameters.
// CHECK: quant.dcast %q {node_name = "d", value_names = ["x_d"], source = {inputs = ["s", ""]}} : tensor<1x3x!quant.uniform<u8:f32, 0.02:128>> to tensor<1x3xf32>
%d = quant.dcast %q {node_name = "d", value_names = ["x_d"], source = {inputs = ["s", ""]}} : tensor<1x3x!quant.uniform<u8:f32, 0.02:128>> to tensor<1x3xf32>

// A scale for each channel; the integers use a part of what can be stored.
// CHECK: quant.scast %i : tensor<1x3xi8> to tensor<1x3x!quant.uniform<i8<-127:127>:f32:1, {0.1, 1.0e-05:3, 3.4e+38:-5}>>
%c = quant.scast %i : tensor<1x3xi8> to tensor<1x3x!quant.uniform<i8<-127:127>:f32:1, {0.1,1.0e-5:3,3.4e38:-5}>>

// The whole range is the default.
// CHECK: quant.scast %c
// CHECK-SAME: to tensor<1x3xi8>
%j = quant.scast %c : tensor<1x3x!quant.uniform<i8<-127:127>:f32:1, {0.1, 1.0e-05:3, 3.4e+38:-5}>> to tensor<1x3xi8>
// CHECK: quant.qcast %x : tensor<1x3xf32> to tensor<1x3x!quant.uniform<i4:f32, 0.5>>
%k = quant.qcast %x : tensor<1x3xf32> to tensor<1x3x!quant.uniform<i4<-8:7>:f32, 0.5:0>>

// CHECK: quant.qcast %h : tensor<4xf16> to tensor<4x!quant.uniform<u16:f16, 0.1:65535>>
%l = quant.qcast %h : tensor<4xf16> to tensor<4x!quant.uniform<u16:f16, 0.1:65535>>

// CHECK: quant.stats %x {layerStats = dense<[-1.000000e+00, 2.500000e+00]> : tensor<2xf32>} : tensor<1x3xf32>
%s = quant.stats %x {layerStats = dense<[-1.0, 2.5]> : tensor<2xf32>} : tensor<1x3xf32>

// CHECK: quant.stats %s {layerStats = dense<[-1.000000e+00, 2.500000e+00]> : tensor<2xf32>, axisStats = {{.*}} : tensor<3x2xf32>, axis = 1 : i64}
%t = quant.stats %s {layerStats = dense<[-1.0, 2.5]> : tensor<2xf32>, axisStats = dense<[[0.0, 1.0], [-1.0, 2.5], [-0.5, 0.0]]> : tensor<3x2xf32>, axis = 1 : i64} : tensor<1x3xf32>

// A tensor without a rank has one scale.
// CHECK: tensor<*x!quant.uniform<i32:f32, 0.002>>
%u = "test.op"() : () -> tensor<*x!quant.uniform<i32:f32, 0.002>>
// CHECK: quant.dcast %u : tensor<*x!quant.uniform<i32:f32, 0.002>> to tensor<*xf32>
%v = quant.dcast %u : tensor<*x!quant.uniform<i32:f32, 0.002>> to tensor<*xf32>
