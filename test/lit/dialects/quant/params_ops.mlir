// RUN: AUTOSPLIT_ROUNDTRIP
// RUN: autosplit-opt %s --inline-quant-params | filecheck %s --check-prefix=INLINE
// RUN: autosplit-opt %s --inline-quant-params | autosplit-opt | filecheck %s --check-prefix=AGAIN

// More than 16 parameters stand once, in the module.
// CHECK: builtin.module attributes {quant.params = [#quant.params<@q16c7c4d12233e988, "
// CHECK-SAME: ", 0>]} {
builtin.module attributes {quant.params = [#quant.params<@q16c7c4d12233e988, "CDCCCC3DCDCC4C3E9A99993ECDCCCC3E0000003F9A99193F3333333FCDCC4C3F6666663F0000803FCDCC8C3F9A99993F6666A63F3333B33F0000C03FCDCCCC3F9A99D93F", 0>]} {
  // INLINE: %q = "test.op"() : () -> tensor<17x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}>>
  // AGAIN: %q = "test.op"() : () -> tensor<17x!quant.uniform<i8:f32:0, 17 x @q16c7c4d12233e988>>
  // CHECK: %q = "test.op"() : () -> tensor<17x!quant.uniform<i8:f32:0, 17 x @q16c7c4d12233e988>>
  %q = "test.op"() : () -> tensor<17x!quant.uniform<i8:f32:0, 17 x @q16c7c4d12233e988>>
  // Numbers in the type and numbers of the table are one type.
  // CHECK: %d = quant.dcast %q : tensor<17x!quant.uniform<i8:f32:0, 17 x @q16c7c4d12233e988>> to tensor<17xf32>
  %d = quant.dcast %q : tensor<17x!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7}>> to tensor<17xf32>
}
