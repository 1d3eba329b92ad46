// RUN: autosplit-opt --split-input-file -p 'convert-tf-to-onnx' %s | filecheck %s
// RUN: autosplit-opt --split-input-file -p 'convert-tf-to-onnx{cleanup=false}' %s | filecheck %s --check-prefix=ALL

// A chain of channels-last convolutions needs transposes at its ends only. Inner values are called `/nchw`; what
// TensorFlow named keeps its layout under its name.

builtin.module attributes {test = "chain"} {
  tf.graph outputs ["r:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 9, 9, 2]>}> : () -> tensor<1x9x9x2xf32>
    %w = tf.Const "w" () <{value = dense<1.0> : tensor<3x3x2x4xf32>, dtype = f32}> : () -> tensor<3x3x2x4xf32>
    %i = tf.Identity "i" (%w) <{T = f32}> : (tensor<3x3x2x4xf32>) -> tensor<3x3x2x4xf32>
    %c = tf.Conv2D "c" (%x, %i) <{T = f32, strides = array<i64: 1, 2, 2, 1>, padding = "SAME"}> : (tensor<1x9x9x2xf32>, tensor<3x3x2x4xf32>) -> tensor<*xf32>
    %v = tf.Const "v" () <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>, dtype = f32}> : () -> tensor<4xf32>
    %b = tf.BiasAdd "b" (%c, %v) <{T = f32}> : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
    %r = tf.Relu6 "r" (%b) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "chain"
// CHECK:      %[[X:.+]] = tf.Placeholder "x"
// CHECK-NEXT: %[[W:.+]] = onnx.initializer "c:0/oihw" () <{value = dense<1.0{{.*}}> : tensor<4x2x3x3xf32>}>
// CHECK-NEXT: %[[T:.+]] = onnx.Transpose "c/x_nchw" (%[[X]]) -> ["c:0/x_nchw"] <{perm = array<i64: 0, 3, 1, 2>}> : (tensor<1x9x9x2xf32>) -> tensor<1x2x9x9xf32> loc("c"
// CHECK:      %[[C:.+]] = onnx.Conv "c/nchw" (%[[T]], %[[W]]) -> ["c:0/nchw"] <{strides = array<i64: 2, 2>, kernel_shape = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>}> : {{.*}} -> tensor<1x4x5x5xf32> loc("c"
// CHECK:      %[[V:.+]] = onnx.initializer "b:0/operand1_moved" () <{value = dense<{{.*}}> : tensor<4x1x1xf32>}>
// CHECK-NEXT: %[[B:.+]] = onnx.Add "b/nchw" (%[[C]], %[[V]]) -> ["b:0/nchw"]
// CHECK:      %[[R:.+]] = onnx.Clip "r/nchw" (%[[B]], {{.*}}) -> ["r:0/nchw"]
// CHECK-NEXT: onnx.Transpose "r" (%[[R]]) -> ["r:0"] <{perm = array<i64: 0, 2, 3, 1>}> : (tensor<1x4x5x5xf32>) -> tensor<1x5x5x4xf32>
// CHECK-NEXT: }

// ALL-LABEL: "chain"
// ALL:      onnx.initializer "w:0"
// ALL:      onnx.Identity "i" ({{.*}}) -> ["i:0"]
// ALL:      onnx.Transpose "c" ({{.*}}) -> ["c:0"] {{.*}} -> tensor<1x5x5x4xf32>
// ALL:      onnx.Add "b" ({{.*}}) -> ["b:0"] : {{.*}} -> tensor<1x5x5x4xf32>
// ALL:      onnx.Clip "r" ({{.*}}) -> ["r:0"] : {{.*}} -> tensor<1x5x5x4xf32>

// -----

// A batch norm written as arithmetic becomes one op again. It stands for the two nodes that read x; the rest was
// arithmetic on constants.

builtin.module attributes {test = "batch-norm"} {
  tf.graph outputs ["y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4, 4, 2]>}> : () -> tensor<1x4x4x2xf32>
    %var = tf.Const "var" () <{value = dense<[1.0, 2.0]> : tensor<2xf32>, dtype = f32}> : () -> tensor<2xf32>
    %eps = tf.Const "eps" () <{value = dense<0.25> : tensor<f32>, dtype = f32}> : () -> tensor<f32>
    %gamma = tf.Const "gamma" () <{value = dense<[3.0, 4.0]> : tensor<2xf32>, dtype = f32}> : () -> tensor<2xf32>
    %beta = tf.Const "beta" () <{value = dense<[5.0, 6.0]> : tensor<2xf32>, dtype = f32}> : () -> tensor<2xf32>
    %mean = tf.Const "mean" () <{value = dense<[7.0, 8.0]> : tensor<2xf32>, dtype = f32}> : () -> tensor<2xf32>
    %a = tf.AddV2 "a" (%var, %eps) <{T = f32}> : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %r = tf.Rsqrt "r" (%a) <{T = f32}> : (tensor<2xf32>) -> tensor<2xf32>
    %m = tf.Mul "m" (%r, %gamma) <{T = f32}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %p = tf.Mul "p" (%x, %m) <{T = f32}> : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
    %q = tf.Mul "q" (%mean, %m) <{T = f32}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %s = tf.Sub "s" (%beta, %q) <{T = f32}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = tf.AddV2 "y" (%p, %s) <{T = f32}> : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  }
}

// CHECK-LABEL: "batch-norm"
// CHECK-DAG:  %[[SCALE:.+]] = onnx.initializer "y:0/scale" () <{value = dense<[3.{{.*}}, 4.{{.*}}]>
// CHECK-DAG:  %[[B:.+]] = onnx.initializer "y:0/offset" () <{value = dense<[5.{{.*}}, 6.{{.*}}]>
// CHECK-DAG:  %[[MEAN:.+]] = onnx.initializer "y:0/mean" () <{value = dense<[7.{{.*}}, 8.{{.*}}]>
// CHECK-DAG:  %[[VAR:.+]] = onnx.initializer "y:0/variance" () <{value = dense<[1.{{.*}}, 2.{{.*}}]>
// CHECK:      onnx.BatchNormalization "y/nchw" ({{%.+}}, %[[SCALE]], %[[B]], %[[MEAN]], %[[VAR]]) -> ["y:0/nchw"] <{epsilon = 2.5{{.*}}e-01 : f32}> : {{.*}} loc(fused["p"{{.*}}, "y"
// CHECK-NEXT: onnx.Transpose "y"
// CHECK-NOT:  onnx.Mul

// ALL-LABEL: "batch-norm"
// ALL:      onnx.Reciprocal "r" ({{.*}}) -> ["r:0"]
// ALL-NOT:  onnx.BatchNormalization

// -----

// Parameters that are computed do not make a batch norm.

builtin.module attributes {test = "no-batch-norm"} {
  tf.graph outputs ["y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4, 4, 2]>}> : () -> tensor<1x4x4x2xf32>
    %var = tf.Placeholder "var" () <{dtype = f32, shape = #tf.shape<[2]>}> : () -> tensor<2xf32>
    %eps = tf.Const "eps" () <{value = dense<0.25> : tensor<f32>, dtype = f32}> : () -> tensor<f32>
    %mean = tf.Const "mean" () <{value = dense<[7.0, 8.0]> : tensor<2xf32>, dtype = f32}> : () -> tensor<2xf32>
    %a = tf.AddV2 "a" (%var, %eps) <{T = f32}> : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %m = tf.Rsqrt "m" (%a) <{T = f32}> : (tensor<2xf32>) -> tensor<2xf32>
    %p = tf.Mul "p" (%x, %m) <{T = f32}> : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
    %q = tf.Mul "q" (%mean, %m) <{T = f32}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %s = tf.Sub "s" (%mean, %q) <{T = f32}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = tf.AddV2 "y" (%p, %s) <{T = f32}> : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  }
}

// CHECK-LABEL: "no-batch-norm"
// CHECK-NOT:  onnx.BatchNormalization
// CHECK:      onnx.Add "y" ({{.*}}) -> ["y:0"]

// -----

// Slices, shapes and masks.

builtin.module attributes {test = "slices"} {
  tf.graph outputs ["n:0", "y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[-1, 5, 6]>}> : () -> tensor<?x5x6xf32>
    %s = tf.Shape "s" (%x) <{T = f32}> : (tensor<?x5x6xf32>) -> tensor<3xi32>
    %zero = tf.Const "zero" () <{value = dense<0> : tensor<1xi32>, dtype = i32}> : () -> tensor<1xi32>
    %one = tf.Const "one" () <{value = dense<1> : tensor<1xi32>, dtype = i32}> : () -> tensor<1xi32>
    %n = tf.StridedSlice "n" (%s, %zero, %one, %one) <{T = i32, Index = i32, shrink_axis_mask = 1 : i64}> : (tensor<3xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<i32>
    %b = tf.Const "b" () <{value = dense<[0, 1]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
    %e = tf.Const "e" () <{value = dense<[0, 4]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
    %t = tf.Const "t" () <{value = dense<[1, 2]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
    %y = tf.StridedSlice "y" (%x, %b, %e, %t) <{T = f32, Index = i32, ellipsis_mask = 1 : i64}> : (tensor<?x5x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "slices"
// CHECK:      %[[S:.+]] = onnx.Shape
// CHECK:      %[[S32:.+]] = onnx.Cast "s" (%[[S]]) -> ["s:0"] <{to = 6 : i64}>
// CHECK:      onnx.Gather "n" (%[[S32]], {{.*}}) -> ["n:0"] <{axis = 0 : i64}>
// CHECK:      onnx.initializer "y:0/axes" () <{value = dense<-1>
// CHECK:      onnx.Slice "y" ({{.*}}) -> ["y:0"] : {{.*}} -> tensor<?x5x2xf32>

// -----

// What has no exact counterpart stays, and says why.

builtin.module attributes {test = "refused"} {
  tf.graph {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4, 4, 2]>}> : () -> tensor<1x4x4x2xf32>
    %p = tf.Const "p" () <{value = dense<1> : tensor<4x2xi32>, dtype = i32}> : () -> tensor<4x2xi32>
    %m = tf.MirrorPad "m" (%x, %p) <{T = f32, Tpaddings = i32, mode = "SYMMETRIC"}> : (tensor<1x4x4x2xf32>, tensor<4x2xi32>) -> tensor<*xf32>
    %k = tf.MaxPool "k" (%x) <{T = f32, ksize = array<i64: 1, 1, 1, 2>, strides = array<i64: 1, 1, 1, 2>, padding = "SAME"}> : (tensor<1x4x4x2xf32>) -> tensor<*xf32>
    %a = tf.Placeholder "a" () <{dtype = i32, shape = #tf.shape<[]>}> : () -> tensor<i32>
    %e = tf.ExpandDims "e" (%x, %a) <{T = f32, Tdim = i32}> : (tensor<1x4x4x2xf32>, tensor<i32>) -> tensor<*xf32>
    %o = tf.opaque "o" (%x) <{node.op = "MyOp", T = f32}> : (tensor<1x4x4x2xf32>) -> !platform.unknown
    %c = tf.CheckNumerics "c" (%x) <{T = f32, message = "bad"}> : (tensor<1x4x4x2xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "refused"
// CHECK:      tf.MirrorPad "m" {{.*}} {device.refused = {tpu = #device.reason<"attribute", "mode is SYMMETRIC, expected REFLECT">}}
// CHECK:      tf.MaxPool "k" {{.*}} {device.refused = {tpu = #device.reason<"attribute", "ksize is [1, 1, 1, 2], expected 1 along batch and channels">}}
// CHECK:      tf.ExpandDims "e" {{.*}} {device.refused = {tpu = #device.reason<"operand-value", "the axis (operand 1) is computed, not constant">}}
// CHECK:      tf.opaque "o" {{.*}} {device.refused = {tpu = #device.reason<"unsupported-op", "MyOp has no conversion to onnx">}}
// CHECK:      tf.CheckNumerics "c" {{.*}} #device.reason<"host-op"

// -----

// A while loop runs in TensorFlow, as a whole; what is behind it converts. Control edges end at what converts.

builtin.module attributes {test = "loop"} {
  tf.graph outputs ["y:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[3]>}> : () -> tensor<3xf32>
    %enter = tf.Enter "enter" (%x) <{T = f32, frame_name = "loop"}> : (tensor<3xf32>) -> tensor<3xf32>
    %merge, %i = tf.Merge "merge" (%enter, %next) <{T = f32, N = 2 : i64}> : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>)
    %p = tf.Placeholder "p" () <{dtype = i1, shape = #tf.shape<[]>}> : () -> tensor<i1>
    %q = tf.Enter "q" (%p) <{T = i1, frame_name = "loop", is_constant = true}> : (tensor<i1>) -> tensor<i1>
    %cond = tf.LoopCond "cond" (%q) <{}> : (tensor<i1>) -> tensor<i1>
    %f, %t = tf.Switch "switch" (%merge, %cond) <{T = f32}> : (tensor<3xf32>, tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    %body = tf.Tanh "body" (%t) <{T = f32}> : (tensor<3xf32>) -> tensor<3xf32>
    %next = tf.NextIteration "next" (%body) <{T = f32}> : (tensor<3xf32>) -> tensor<3xf32>
    %exit = tf.Exit "exit" (%f) <{T = f32}> : (tensor<3xf32>) -> tensor<3xf32>
    %y, %done = tf.Relu "y" (%exit) <{T = f32}> : (tensor<3xf32>) -> (tensor<3xf32>, !tf.control)
    tf.NoOp "wait" (%done) <{}> : (!tf.control) -> ()
  }
}

// CHECK-LABEL: "loop"
// CHECK:      tf.Tanh "body" {{.*}} #device.reason<"control-flow", "in the while loop 'loop', which TensorFlow runs as a whole">
// CHECK:      %[[E:.+]] = tf.Exit "exit"
// CHECK:      onnx.Relu "y" (%[[E]]) -> ["y:0"] : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: tf.NoOp "wait" () {{.*}} #device.reason<"host-op"

// -----

// Where the graph leaves it to its nodes what its outputs are, it lists them before those nodes go.

builtin.module attributes {test = "unlisted"} {
  tf.graph {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[3]>}> : () -> tensor<3xf32>
    %y = tf.Relu "y" (%x) <{T = f32}> : (tensor<3xf32>) -> tensor<*xf32>
  }
}

// CHECK-LABEL: "unlisted"
// CHECK-NEXT: tf.graph outputs ["y:0"] {
