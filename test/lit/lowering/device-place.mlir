// RUN: autosplit-opt %s --split-input-file -p infer-shapes,device-place | filecheck %s

// The chip runs the convolution and the comparison; it refuses NonZero, and the op says why.
// CHECK-LABEL: onnx.graph "end of a detector"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "end of a detector" (%x "x" : tensor<1x3x8x8xf32>) -> ["where"] {
    // Constants have no place of their own.
    // CHECK-NEXT: onnx.initializer "w" () <{value = dense<{{.+}}>}> {device.constant} :
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
    // CHECK-NEXT: onnx.initializer "half" () {{.+}} {device.constant} :
    %half = onnx.initializer "half" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    // 4 x 6 x 6 results of 3 x 3 x 3 multiply-adds each.
    // CHECK-NEXT: onnx.Conv "conv" {{.+}} {device.accepts = ["cpu", "tpu"], device.work = 3888 : i64} : {{.+}} -> tensor<1x4x6x6xf32>
    %c = onnx.Conv "conv" (%x, %w) -> ["c"] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> !platform.unknown
    // CHECK-NEXT: onnx.Greater "mask" {{.+}} {device.accepts = ["cpu", "tpu"]} :
    %m = onnx.Greater "mask" (%c, %half) -> ["m"] : (!platform.unknown, tensor<f32>) -> !platform.unknown
    // CHECK-NEXT: onnx.NonZero "find" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"data-dependent", "NonZero has
    %n = onnx.NonZero "find" (%m) -> ["where"] : (!platform.unknown) -> !platform.unknown
    onnx.return %n : !platform.unknown
  }
}

// -----

// Arithmetic on sizes that are known beforehand: the ops stay, and each carries what it computes.
// CHECK-LABEL: onnx.graph "sizes"
// CHECK:       onnx.Shape "shape" {{.+}} {device.accepts = ["cpu", "tpu"], device.value = [dense<[2, 4, 8, 8]> : tensor<4xi64>]} :
// CHECK:       onnx.Gather "batch" {{.+}} {device.accepts = ["cpu", "tpu"], device.value = [dense<2> : tensor<i64>]} :
// CHECK:       onnx.Unsqueeze "row" {{.+}} {device.accepts = ["cpu", "tpu"], device.value = [dense<2> : tensor<1xi64>]} :
// CHECK:       onnx.Concat "rows" {{.+}} {device.accepts = ["cpu", "tpu"], device.value = [dense<[2, -1]> : tensor<2xi64>]}
// CHECK:       onnx.Reshape "view" {{.+}} {device.accepts = ["cpu", "tpu"]} : {{.+}} -> tensor<2x256xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "sizes" (%x "x" : tensor<2x4x8x8xf32>) -> ["y"] {
    %zero = onnx.initializer "zero" () <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %first = onnx.initializer "first" () <{value = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %rest = onnx.initializer "rest" () <{value = dense<-1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %s = onnx.Shape "shape" (%x) -> ["s"] : (tensor<2x4x8x8xf32>) -> !platform.unknown
    %b = onnx.Gather "batch" (%s, %zero) -> ["b"] : (!platform.unknown, tensor<i64>) -> !platform.unknown
    %r = onnx.Unsqueeze "row" (%b, %first) -> ["r"] : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %n = onnx.Concat "rows" (%r, %rest) -> ["n"] <{axis = 0 : i64}> : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %y = onnx.Reshape "view" (%x, %n) -> ["y"] : (tensor<2x4x8x8xf32>, !platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// What is computed from constants alone is a constant too, whether or not the chip knows the op.
// CHECK-LABEL: onnx.graph "constants"
// CHECK:       onnx.Mul "twice" {{.+}} {device.constant} :
// CHECK:       onnx.Sinh "sinh" {{.+}} {device.constant} :
// CHECK:       onnx.Add "add" {{.+}} {device.accepts = ["cpu", "tpu"]} :
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "constants" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<2.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %v = onnx.Mul "twice" (%w, %w) -> ["v"] : (tensor<2xf32>, tensor<2xf32>) -> !platform.unknown
    %s = onnx.Sinh "sinh" (%v) -> ["s"] : (!platform.unknown) -> !platform.unknown
    %y = onnx.Add "add" (%x, %s) -> ["y"] : (tensor<1x2xf32>, !platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Random numbers are not constants, though nothing is read.
// CHECK-LABEL: onnx.graph "random"
// CHECK:       onnx.RandomNormal "noise" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"random",
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "random" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %n = onnx.RandomNormal "noise" () -> ["n"] <{shape = array<i64: 1, 2>}> : () -> !platform.unknown
    %y = onnx.Add "add" (%x, %n) -> ["y"] : (tensor<1x2xf32>, !platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Refused for a dtype, for a size that nobody gave, for one that is computed from data; a domain that nobody knows.
// CHECK-LABEL: onnx.graph "refusals"
// CHECK:       onnx.Add "wide" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"dtype", "{{.+}} f64,
// CHECK:       onnx.Relu "open" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"dynamic-shape", "{{.+}} dimension 0 unknown
// CHECK:       onnx.Tile "repeat" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"data-dependent", "Tile has result 0 ('c') of ?x?, whose size depends
// CHECK:       onnx.opaque "magic" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"unsupported-op", "Clip is of domain 'my.ops'
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "refusals" (%d "d" : tensor<1x4xf64>, %o "o" : tensor<?x4xf32>, %x "x" : tensor<1x4xf32>, %n "n" : tensor<2xi64>) -> ["a", "b", "c", "e"] {
    %a = onnx.Add "wide" (%d, %d) -> ["a"] : (tensor<1x4xf64>, tensor<1x4xf64>) -> !platform.unknown
    %b = onnx.Relu "open" (%o) -> ["b"] : (tensor<?x4xf32>) -> !platform.unknown
    %c = onnx.Tile "repeat" (%x, %n) -> ["c"] : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    %e = onnx.opaque "magic" (%x) -> ["e"] <{op_type = "Clip", domain = "my.ops"}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.return %a, %b, %c, %e : !platform.unknown, !platform.unknown, tensor<2x2xf32>, tensor<1x4xf32>
  }
}

// -----

// TensorFlow: asked as ONNX, answered by the names of the nodes. What reads a variable only is constant.
// CHECK-LABEL: tf.graph outputs ["relu:0", "find:0", "mine:0"]
// CHECK:       tf.Const "w" () {{.+}} {device.constant} :
// CHECK:       tf.Identity "w/read" {{.+}} {device.constant} :
// CHECK:       tf.Conv2D "conv" {{.+}} {device.accepts = ["cpu", "tpu"], device.work = 6912 : i64} : {{.+}} -> tensor<1x8x8x4xf32>
// CHECK:       tf.Relu6 "relu" {{.+}} {device.accepts = ["cpu", "tpu"]} :
// CHECK:       tf.Where "find" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"data-dependent",
// CHECK:       tf.opaque "mine" {{.+}} {device.accepts = ["cpu"], device.refused = {tpu = #device.reason<"unsupported-op", "NeverHeardOf
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["relu:0", "find:0", "mine:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 8, 8, 3]>}> : () -> tensor<1x8x8x3xf32>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<3x3x3x4xf32>}> : () -> tensor<3x3x3x4xf32>
    %v = tf.Identity "w/read" (%w) <{T = f32}> : (tensor<3x3x3x4xf32>) -> tensor<3x3x3x4xf32>
    %c = tf.Conv2D "conv" (%x, %v) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<*xf32>
    %r = tf.Relu6 "relu" (%c) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
    %f = tf.Where "find" (%r) <{T = f32}> : (tensor<*xf32>) -> tensor<*xi64>
    %m = tf.opaque "mine" (%r) <{node.op = "NeverHeardOf"}> : (tensor<*xf32>) -> !platform.unknown
  }
}
