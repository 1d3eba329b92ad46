// RUN: AUTOSPLIT_ROUNDTRIP

builtin.module attributes {platform.name = "mxnet"} {

// CHECK:      mx.graph inputs ["data"] outputs ["relu0_output", "bn0_mean"] {
mx.graph inputs ["data"] outputs ["relu0_output", "bn0_mean"] {
  // CHECK-NEXT: %data = mx.null "data" () <{__dtype__ = "0", __shape__ = "(1, 3, 8, 8)"}> : () -> tensor<1x3x8x8xf32>
  %data = mx.null "data" () <{__dtype__ = "0", __shape__ = "(1, 3, 8, 8)"}> : () -> tensor<1x3x8x8xf32>
  // CHECK-NEXT: %w = mx.param "conv0_weight" () <{node.value = #platform.weight<"conv0_weight", "8f14e45fceea167a", tensor<4x3x1x1xf32>>, node.kind = "arg"}> : () -> tensor<4x3x1x1xf32>
  %w = mx.param "conv0_weight" () <{node.value = #platform.weight<"conv0_weight", "8f14e45fceea167a", tensor<4x3x1x1xf32>>, node.kind = "arg"}> : () -> tensor<4x3x1x1xf32>
  // CHECK-NEXT: %s = mx.param "sparse" () <{node.value = dense<1.000000e+00> : tensor<4xf32>, node.kind = "aux", node.storage = "row_sparse"}> : () -> tensor<4xf32>
  %s = mx.param "sparse" () <{node.value = dense<1.0> : tensor<4xf32>, node.kind = "aux", node.storage = "row_sparse"}> : () -> tensor<4xf32>
  // CHECK-NEXT: %y = mx.Convolution "conv0" (%data, %w) <{kernel = "(1, 1)", num_filter = "4", no_bias = "True"}> : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %y = mx.Convolution "conv0" (%data, %w) <{kernel = "(1, 1)", num_filter = "4", no_bias = "True"}> : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  // Outputs that nobody gets of the whole op are results all the same.
  // CHECK-NEXT: %n, %mean, %var = mx.BatchNorm "bn0" (%y, %s, %s, %s, %s) : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %n, %mean, %var = mx.BatchNorm "bn0" (%y, %s, %s, %s, %s) : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK-NEXT: %r = mx.Activation "relu0" (%n) <{node.name = "relu", act_type = "relu"}> : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %r = mx.Activation "relu0" (%n) <{node.name = "relu", act_type = "relu"}> : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK-NEXT: %a = mx.elemwise_add "sum" (%r, %n) <{node.op = "_Plus", node.rest = "{\22implied\22: true}"}> : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %a = mx.elemwise_add "sum" (%r, %n) <{node.op = "_Plus", node.rest = "{\22implied\22: true}"}> : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK-NEXT: %label = mx.label "softmax_label" () : () -> tensor<*xf32>
  %label = mx.label "softmax_label" () : () -> tensor<*xf32>
  // CHECK-NEXT: %p = mx.SoftmaxOutput "softmax" (%a, %label) : (tensor<1x4x8x8xf32>, tensor<*xf32>) -> !platform.unknown
  %p = mx.SoftmaxOutput "softmax" (%a, %label) : (tensor<1x4x8x8xf32>, tensor<*xf32>) -> !platform.unknown
  // CHECK-NEXT: %q = mx.opaque "mine" (%p) <{node.op = "Custom", "odd key" = "1"}> : (!platform.unknown) -> !platform.unknown
  %q = mx.opaque "mine" (%p) <{node.op = "Custom", "odd key" = "1"}> : (!platform.unknown) -> !platform.unknown
}
}
