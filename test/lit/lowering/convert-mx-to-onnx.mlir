// RUN: autosplit-opt --split-input-file -p convert-mx-to-onnx %s | filecheck %s

// Each op becomes the ONNX ops that compute the same; types are inferred on the way.

builtin.module attributes {test = "net"} {
  mx.graph inputs ["data"] outputs ["fc_output"] {
    %x = mx.null "data" () : () -> tensor<1x3x8x8xf32>
    %w = mx.param "conv_weight" () <{node.value = dense<1.0> : tensor<4x3x3x3xf32>, node.kind = "arg"}> : () -> tensor<4x3x3x3xf32>
    %g = mx.param "bn_gamma" () <{node.value = dense<2.0> : tensor<4xf32>, node.kind = "arg"}> : () -> tensor<4xf32>
    %b = mx.param "bn_beta" () <{node.value = dense<3.0> : tensor<4xf32>, node.kind = "arg"}> : () -> tensor<4xf32>
    %m = mx.param "bn_moving_mean" () <{node.value = dense<4.0> : tensor<4xf32>, node.kind = "aux"}> : () -> tensor<4xf32>
    %v = mx.param "bn_moving_var" () <{node.value = dense<5.0> : tensor<4xf32>, node.kind = "aux"}> : () -> tensor<4xf32>
    %c = mx.Convolution "conv" (%x, %w) <{kernel = "(3, 3)", stride = "(2, 2)", pad = "(1, 1)", num_filter = "4", no_bias = "True"}> : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> !platform.unknown
    %n, %n1, %n2 = mx.BatchNorm "bn" (%c, %g, %b, %m, %v) <{eps = "1e-05", fix_gamma = "True"}> : (!platform.unknown, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (!platform.unknown, !platform.unknown, !platform.unknown)
    %r = mx.Activation "relu" (%n) <{act_type = "relu"}> : (!platform.unknown) -> !platform.unknown
    %fw = mx.param "fc_weight" () <{node.value = dense<1.0> : tensor<2x64xf32>, node.kind = "arg"}> : () -> tensor<2x64xf32>
    %y = mx.FullyConnected "fc" (%r, %fw) <{num_hidden = "2", no_bias = "True"}> : (!platform.unknown, tensor<2x64xf32>) -> !platform.unknown
  }
}

// CHECK-LABEL: "net"
// CHECK:      %[[X:.+]] = mx.null "data" () : () -> tensor<1x3x8x8xf32>
// CHECK-NEXT: %[[W:.+]] = onnx.initializer "conv_weight"
// CHECK:      %[[C:.+]] = onnx.Conv "conv" (%[[X]], %[[W]]) -> ["conv_output"] <{{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}}> : {{.*}} -> tensor<1x4x4x4xf32>
// A gamma that is fixed is 1, whatever the file says.
// CHECK-NEXT: %[[G:.+]] = onnx.initializer "bn__gamma" () <{value = dense<1.0{{.*}}> : tensor<4xf32>}>
// CHECK-NEXT: %[[N:.+]] = onnx.BatchNormalization "bn" (%[[C]], %[[G]], {{.*}}) -> ["bn_output"]
// CHECK-NEXT: %[[R:.+]] = onnx.Relu {{.*}} (%[[N]]) -> ["relu_output"]
// CHECK:      %[[F:.+]] = onnx.Flatten {{.*}} (%[[R]]) -> ["fc__flatten"] {{.*}} -> tensor<1x64xf32> loc("fc"
// CHECK-NEXT: onnx.Gemm "fc" (%[[F]], {{.*}}) -> ["fc_output"] {{.*}} -> tensor<1x2xf32>

// -----

// The codes of a Reshape are worked out, also where the size of the batch is unknown.

builtin.module attributes {test = "codes"} {
  mx.graph inputs ["x"] outputs ["a_output", "b_output"] {
    %x = mx.null "x" () : () -> tensor<?x6x4x5xf32>
    %a = mx.Reshape "a" (%x) <{shape = "(0, -4, 2, -1, -3)"}> : (tensor<?x6x4x5xf32>) -> !platform.unknown
    %b = mx.Reshape "b" (%x) <{shape = "(-3, 0, 0)"}> : (tensor<?x6x4x5xf32>) -> !platform.unknown
  }
}

// CHECK-LABEL: "codes"
// CHECK: dense<[-1, 2, 3, 20]>
// CHECK: -> ["a_output"] : {{.*}} -> tensor<?x2x3x20xf32>
// CHECK: dense<[-1, 4, 5]>
// CHECK: -> ["b_output"] : {{.*}} -> tensor<?x4x5xf32>

// -----

// Comparisons give numbers; a scalar has the type of the other operand.

builtin.module attributes {test = "compare"} {
  mx.graph inputs ["x"] outputs ["g_output"] {
    %x = mx.null "x" () : () -> tensor<2x3xf32>
    %g = mx._greater_scalar "g" (%x) <{scalar = "0.5"}> : (tensor<2x3xf32>) -> !platform.unknown
  }
}

// CHECK-LABEL: "compare"
// CHECK: %[[N:.+]] = onnx.initializer {{.*}} dense<5.{{.*}}> : tensor<f32>
// CHECK: %[[G:.+]] = onnx.Greater {{.*}} (%{{.+}}, %[[N]]) {{.*}} -> tensor<2x3xi1>
// CHECK: onnx.Cast {{.*}} (%[[G]]) -> ["g_output"] <{to = 1 : i64{{.*}} -> tensor<2x3xf32>

// -----

// What has no exact counterpart stays, with the reason.

builtin.module attributes {test = "boxes"} {
  mx.graph inputs ["x"] outputs ["n_output0", "d_output"] {
    %x = mx.null "x" () : () -> tensor<1x9x6xf32>
    %n, %h = mx._contrib_box_nms "n" (%x) : (tensor<1x9x6xf32>) -> (!platform.unknown, !platform.unknown)
    %d, %e = mx.Dropout "d" (%x) <{mode = "always"}> : (tensor<1x9x6xf32>) -> (!platform.unknown, !platform.unknown)
    %s = mx.Pooling "p" (%x) <{kernel = "(2,)", pooling_convention = "same"}> : (tensor<1x9x6xf32>) -> !platform.unknown
  }
}

// CHECK-LABEL: "boxes"
// CHECK: mx._contrib_box_nms "n" {{.*}}device.refused = {tpu = #device.reason<"unsupported-op", "keeps the best of overlapping boxes
// CHECK: mx.Dropout "d" {{.*}}device.refused = {tpu = #device.reason<"random", "drops numbers at random">}
// CHECK: mx.Pooling "p" {{.*}}device.refused = {tpu = #device.reason<"attribute", "pooling_convention is same, expected valid or full">}

// -----

// A node that lacks an input of its kind is read as opaque, and stays.

builtin.module attributes {test = "misfit"} {
  mx.graph inputs ["x"] outputs ["f_output"] {
    %x = mx.null "x" () : () -> tensor<1x6xf32>
    %f = mx.opaque "f" (%x) <{node.op = "FullyConnected", num_hidden = "2"}> : (tensor<1x6xf32>) -> !platform.unknown
  }
}

// CHECK-LABEL: "misfit"
// CHECK: mx.opaque "f" {{.*}}device.refused = {tpu = #device.reason<"malformed-op", "FullyConnected has not the inputs and outputs of its kind">}

// -----

// A label is read in training alone: it goes with the op that reads it, and stays where that does.

builtin.module attributes {test = "labels"} {
  mx.graph inputs ["x"] outputs ["softmax_output", "mine_output"] {
    %x = mx.null "x" () : () -> tensor<1x4xf32>
    %l = mx.label "softmax_label" () : () -> tensor<*xf32>
    %k = mx.label "mine_label" () : () -> tensor<*xf32>
    %y = mx.SoftmaxOutput "softmax" (%x, %l) : (tensor<1x4xf32>, tensor<*xf32>) -> !platform.unknown
    %z = mx.opaque "mine" (%x, %k) <{node.op = "MyOutput"}> : (tensor<1x4xf32>, tensor<*xf32>) -> !platform.unknown
  }
}

// CHECK-LABEL: "labels"
// CHECK-NEXT: mx.graph
// CHECK-NEXT: mx.null "x"
// CHECK-NEXT: mx.label "mine_label"
// CHECK-NEXT: onnx.Softmax "softmax"
// CHECK-NEXT: mx.opaque "mine"
