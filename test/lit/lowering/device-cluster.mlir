// RUN: autosplit-opt %s --split-input-file -p 'infer-shapes,device-place,device-cluster{keep=0.9}' | filecheck %s --check-prefixes=CHECK,FEW
// RUN: autosplit-opt %s --split-input-file -p infer-shapes,device-place,device-cluster | filecheck %s --check-prefixes=CHECK,ALL
// RUN: autosplit-opt %s --split-input-file -p 'infer-shapes,device-place,device-cluster{keep=0.9},device-cluster' | filecheck %s --check-prefixes=CHECK,ALL

// No chip makes noise. Two sub-models keep 93 % of the multiply-adds on the TPU, three keep all: the curve.
// With keep=0.9 two are enough, and the small convolution says why it is on the CPU.
// CHECK:       device.plan = {objective = "fewest", target = "bm1684",
// FEW-SAME:    stages = [#device.target<tpu, "bm1684">, #device.target<cpu>], work_on_tpu = 3888 : i64, work_possible = 4176 : i64, ops_on_tpu = 1 : i64, ops_possible = 2 : i64,
// ALL-SAME:    stages = [#device.target<tpu, "bm1684">, #device.target<cpu>, #device.target<tpu, "bm1684">], work_on_tpu = 4176 : i64, work_possible = 4176 : i64, ops_on_tpu = 2 : i64, ops_possible = 2 : i64,
// CHECK-SAME:  curve = [{sub_models = 1 : i64, work = 0 : i64, ops = 0 : i64}, {sub_models = 2 : i64, work = 3888 : i64, ops = 1 : i64}, {sub_models = 3 : i64, work = 4176 : i64, ops = 2 : i64}]
// CHECK-LABEL: onnx.graph "two islands"
// CHECK-NEXT:  onnx.initializer "w" () {{.+}} {device.constant} :
// CHECK-NEXT:  onnx.initializer "v" () {{.+}} {device.constant} :
// CHECK-NEXT:  onnx.Conv "large" {{.+}} device.stage = 0 : i64}
// CHECK-NEXT:  onnx.RandomNormalLike "noise" {{.+}} device.stage = 1 : i64}
// FEW-NEXT:    onnx.Conv "small" {{.+}} device.stage = 1 : i64, device.moved = #device.reason<"fewest", "left on the CPU so that 2 sub-models are enough; on the TPU it would make them up to 3">}
// ALL-NEXT:    onnx.Conv "small" {{.+}} device.stage = 2 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "two islands" (%x "x" : tensor<1x3x8x8xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
    %v = onnx.initializer "v" () <{value = dense<0.5> : tensor<2x4x1x1xf32>}> : () -> tensor<2x4x1x1xf32>
    %c = onnx.Conv "large" (%x, %w) -> ["c"] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> !platform.unknown
    %e = onnx.RandomNormalLike "noise" (%c) -> ["e"] : (!platform.unknown) -> !platform.unknown
    %y = onnx.Conv "small" (%e, %v) -> ["y"] : (!platform.unknown, tensor<2x4x1x1xf32>) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Stages alternate, and never decrease along an edge: what depends on nothing refused is in the first.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">, #device.target<cpu>]
// CHECK-LABEL: onnx.graph "sandwich"
// CHECK:       onnx.Cast "decode" {{.+}} device.stage = 0 : i64}
// CHECK:       onnx.Conv "conv" {{.+}} device.stage = 1 : i64}
// CHECK:       onnx.Relu "relu" {{.+}} device.stage = 1 : i64}
// CHECK:       onnx.NonZero "find" {{.+}} device.stage = 2 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "sandwich" (%x "x" : tensor<1x3x8x8xf64>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
    %f = onnx.Cast "decode" (%x) -> ["f"] <{to = 1 : i64}> : (tensor<1x3x8x8xf64>) -> !platform.unknown
    %c = onnx.Conv "conv" (%f, %w) -> ["c"] : (!platform.unknown, tensor<4x3x3x3xf32>) -> !platform.unknown
    %r = onnx.Relu "relu" (%c) -> ["r"] : (!platform.unknown) -> !platform.unknown
    %y = onnx.NonZero "find" (%r) -> ["y"] : (!platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// All of it on the TPU: one sub-model.
// CHECK:       stages = [#device.target<tpu, "bm1684">], work_on_tpu = 0 : i64, work_possible = 0 : i64, ops_on_tpu = 2 : i64
// CHECK-LABEL: onnx.graph "whole"
// CHECK:       onnx.Relu "a" {{.+}} device.stage = 0 : i64}
// CHECK:       onnx.Sigmoid "b" {{.+}} device.stage = 0 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "whole" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %a = onnx.Relu "a" (%x) -> ["a"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.Sigmoid "b" (%a) -> ["y"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.return %y : tensor<1x4xf32>
  }
}

// -----

// Without multiply-adds no border is worth it, wherever the TPU could take ops: one sub-model, on the CPU if need be.
// CHECK:       stages = [#device.target<cpu>], work_on_tpu = 0 : i64, work_possible = 0 : i64, ops_on_tpu = 0 : i64, ops_possible = 3 : i64
// CHECK-LABEL: onnx.graph "nothing is multiplied"
// CHECK:       onnx.Relu "a" {{.+}} device.stage = 0 : i64, device.moved = #device.reason<"fewest", "left on the CPU so that 1 sub-model is enough; on the TPU it would make them up to 5">}
// CHECK:       onnx.Sigmoid "e" {{.+}} device.moved = #device.reason<"fewest",
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "nothing is multiplied" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %a = onnx.Relu "a" (%x) -> ["a"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %b = onnx.RandomNormalLike "b" (%a) -> ["b"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = onnx.Exp "c" (%b) -> ["c"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = onnx.RandomNormalLike "d" (%c) -> ["d"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.Sigmoid "e" (%d) -> ["y"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.return %y : tensor<1x4xf32>
  }
}

// -----

// A size that is known crosses no border: its reader has it as a constant. So nobody reads the op that
// computes it, and it belongs to no sub-model: the model's parts do not depend on each other here.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">]
// CHECK-LABEL: onnx.graph "folded"
// CHECK:       onnx.MatMul "multiply" {{.+}} device.stage = 1 : i64}
// CHECK:       onnx.Shape "sizes" {{.+}} {device.accepts = ["cpu", "tpu"], device.value = [dense<[1, 4]> : tensor<2xi64>], device.folded} :
// CHECK:       onnx.Reshape "view" {{.+}} device.stage = 0 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "folded" (%x "x" : tensor<1x4xf32>, %d "d" : tensor<2x2xf64>) -> ["r", "y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %r = onnx.MatMul "multiply" (%x, %w) -> ["r"] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %s = onnx.Shape "sizes" (%r) -> ["s"] : (tensor<1x4xf32>) -> !platform.unknown
    %y = onnx.Reshape "view" (%d, %s) -> ["y"] : (tensor<2x2xf64>, !platform.unknown) -> !platform.unknown
    onnx.return %r, %y : tensor<1x4xf32>, !platform.unknown
  }
}

// -----

// Known sizes put nothing in an order: the output "n" is computed on the CPU, what reads it as a size stays on the
// TPU with the convolution, and two sub-models keep all. "sizes" is read on the CPU, where the convolution's
// result is not, so that its value is a constant there.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">], work_on_tpu = 288 : i64, work_possible = 288 : i64
// CHECK-LABEL: onnx.graph "a size as an output"
// CHECK:       onnx.Conv "conv" {{.+}} device.stage = 1 : i64}
// CHECK:       onnx.Shape "sizes" {{.+}} device.folded}
// CHECK:       onnx.Gather "batch" {{.+}} device.stage = 0 : i64}
// CHECK:       onnx.Concat "shape" {{.+}} device.folded}
// CHECK:       onnx.Reshape "view" {{.+}} device.stage = 1 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "a size as an output" (%x "x" : tensor<1x2x6x6xf32>) -> ["n", "y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x2x1x1xf32>}> : () -> tensor<4x2x1x1xf32>
    %first = onnx.initializer "first" () <{value = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %rest = onnx.initializer "rest" () <{value = dense<-1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %c = onnx.Conv "conv" (%x, %w) -> ["c"] : (tensor<1x2x6x6xf32>, tensor<4x2x1x1xf32>) -> !platform.unknown
    %s = onnx.Shape "sizes" (%c) -> ["s"] : (!platform.unknown) -> !platform.unknown
    %n = onnx.Gather "batch" (%s, %first) -> ["n"] : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %t = onnx.Concat "shape" (%n, %rest) -> ["t"] <{axis = 0 : i64}> : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %y = onnx.Reshape "view" (%c, %t) -> ["y"] : (!platform.unknown, !platform.unknown) -> !platform.unknown
    onnx.return %n, %y : !platform.unknown, !platform.unknown
  }
}

// -----

// A known size stays where it is read, if what it is computed from is there too.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">]
// CHECK-LABEL: onnx.graph "a size that stays"
// CHECK:       onnx.Sinh "sinh" {{.+}} device.stage = 0 : i64}
// CHECK:       onnx.Shape "sizes" {{.+}} device.stage = 0 : i64, device.moved = #device.reason<"known",
// CHECK:       onnx.Reshape "view" {{.+}} device.stage = 0 : i64}
// CHECK:       onnx.MatMul "multiply" {{.+}} device.stage = 1 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "a size that stays" (%x "x" : tensor<1x4xf64>, %z "z" : tensor<1x4xf32>) -> ["y", "r"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %e = onnx.Sinh "sinh" (%x) -> ["e"] : (tensor<1x4xf64>) -> tensor<1x4xf64>
    %s = onnx.Shape "sizes" (%e) -> ["s"] : (tensor<1x4xf64>) -> !platform.unknown
    %y = onnx.Reshape "view" (%e, %s) -> ["y"] : (tensor<1x4xf64>, !platform.unknown) -> !platform.unknown
    %r = onnx.MatMul "multiply" (%z, %w) -> ["r"] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    onnx.return %y, %r : !platform.unknown, tensor<1x4xf32>
  }
}

// -----

// Dequantize, op, epilogue and quantize stay together, so that no cut destroys a fusion.
// CHECK:       stages = [#device.target<cpu>]
// CHECK-LABEL: onnx.graph "quantized group"
// CHECK:       onnx.Exp "exp" {{.+}} {device.accepts = ["cpu", "tpu"], device.stage = 0 : i64, device.moved = #device.reason<"tied", "goes where DequantizeLinear 'dequantize' goes: it is part of a quantized group">}
// CHECK:       onnx.Relu "relu" {{.+}} device.moved = #device.reason<"tied",
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "quantized group" (%x "x" : tensor<1x4xui8>) -> ["y"] {
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %z = onnx.initializer "z" () <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %d = onnx.DequantizeLinear "dequantize" (%x, %s, %z) -> ["d"] : (tensor<1x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4xf32>
    %e = onnx.Exp "exp" (%d) -> ["e"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = onnx.Relu "relu" (%e) -> ["r"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.QuantizeLinear "quantize" (%r, %s, %z) -> ["y"] : (tensor<1x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4xui8>
    onnx.return %y : tensor<1x4xui8>
  }
}

// -----

// Where all work is in such groups, the chip is not called for what is left.
// CHECK:       stages = [#device.target<cpu>], work_on_tpu = 0 : i64, work_possible = 0 : i64,
// CHECK-LABEL: onnx.graph "work in groups only"
// CHECK:       onnx.Exp "exp" {{.+}} device.stage = 0 : i64, device.moved = #device.reason<"fewest",
// CHECK:       onnx.Conv "conv" {{.+}} device.moved = #device.reason<"tied",
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "work in groups only" (%x "x" : tensor<1x3x8x8xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %z = onnx.initializer "z" () <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %e = onnx.Exp "exp" (%x) -> ["e"] : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
    %q = onnx.QuantizeLinear "quantize" (%e, %s, %z) -> ["q"] : (tensor<1x3x8x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x8x8xui8>
    %d = onnx.DequantizeLinear "dequantize" (%q, %s, %z) -> ["d"] : (tensor<1x3x8x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x3x8x8xf32>
    %c = onnx.Conv "conv" (%d, %w) -> ["c"] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
    %y = onnx.QuantizeLinear "again" (%c, %s, %z) -> ["y"] : (tensor<1x4x6x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x4x6x6xui8>
    onnx.return %y : tensor<1x4x6x6xui8>
  }
}

// -----

// What a dequantized value with several readers feeds is not a group.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">]
// CHECK-LABEL: onnx.graph "no group"
// CHECK:       onnx.Exp "exp" {{.+}} device.stage = 1 : i64}
// CHECK:       onnx.MatMul "multiply" {{.+}} device.stage = 1 : i64}
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "no group" (%x "x" : tensor<1x4xui8>) -> ["y", "z"] {
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %o = onnx.initializer "o" () <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %d = onnx.DequantizeLinear "dequantize" (%x, %s, %o) -> ["d"] : (tensor<1x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4xf32>
    %y = onnx.Exp "exp" (%d) -> ["y"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %z = onnx.MatMul "multiply" (%d, %w) -> ["z"] : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    onnx.return %y, %z : tensor<1x4xf32>, tensor<1x4xf32>
  }
}

// -----

// A while frame is one atom, its constants and its loop-invariant ops too, although it is a cycle.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">]
// CHECK-LABEL: tf.graph outputs ["after:0"]
// CHECK:       tf.Enter "i/enter" {{.+}}#device.reason<"control-flow", "in the while loop 'loop', which TensorFlow runs as a whole">}, device.stage = 0 : i64}
// CHECK:       tf.Merge "i" {{.+}} device.stage = 0 : i64}
// CHECK:       tf.Const "limit" {{.+}} {device.constant} :
// CHECK:       tf.Enter "limit/enter" {{.+}} device.stage = 0 : i64}
// CHECK:       tf.Const "one" {{.+}} device.stage = 0 : i64}
// CHECK:       tf.Relu "in the loop" {{.+}} {device.loop = "loop", {{.+}} device.stage = 0 : i64}
// CHECK:       tf.NextIteration "a/next" {{.+}} device.stage = 0 : i64}
// CHECK:       tf.Exit "a/exit" {{.+}} device.stage = 0 : i64}
// CHECK:       tf.MatMul "after" {{.+}} {device.accepts = ["cpu", "tpu"], device.work = 16 : i64, device.stage = 1 : i64}
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["after:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4]>}> : () -> tensor<1x4xf32>
    %zero = tf.Const "zero" () <{dtype = i32, value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %i0 = tf.Enter "i/enter" (%zero) <{T = i32, frame_name = "loop"}> : (tensor<i32>) -> tensor<i32>
    %a0 = tf.Enter "a/enter" (%x) <{T = f32, frame_name = "loop"}> : (tensor<1x4xf32>) -> tensor<*xf32>
    %i, %i_which = tf.Merge "i" (%i0, %i_next) <{T = i32, N = 2 : i64}> : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    %a, %a_which = tf.Merge "a" (%a0, %a_next) <{T = f32, N = 2 : i64}> : (tensor<*xf32>, tensor<*xf32>) -> (tensor<*xf32>, tensor<i32>)
    %limit = tf.Const "limit" () <{dtype = i32, value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %limit_in = tf.Enter "limit/enter" (%limit) <{T = i32, frame_name = "loop", is_constant = true}> : (tensor<i32>) -> tensor<i32>
    %less = tf.Less "less" (%i, %limit_in) <{T = i32}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go = tf.LoopCond "go" (%less) : (tensor<i1>) -> tensor<i1>
    %i_end, %i_in = tf.Switch "i/switch" (%i, %go) <{T = i32}> : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>)
    %a_end, %a_in = tf.Switch "a/switch" (%a, %go) <{T = f32}> : (tensor<*xf32>, tensor<i1>) -> (tensor<*xf32>, tensor<*xf32>)
    %i_body, %c = tf.Identity "i/body" (%i_in) <{T = i32}> : (tensor<i32>) -> (tensor<i32>, !tf.control)
    %one = tf.Const "one" (%c) <{dtype = i32, value = dense<1> : tensor<i32>}> : (!tf.control) -> tensor<i32>
    %i_more = tf.Add "i/more" (%i_body, %one) <{T = i32}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a_more = tf.Relu "in the loop" (%a_in) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
    %i_next = tf.NextIteration "i/next" (%i_more) <{T = i32}> : (tensor<i32>) -> tensor<i32>
    %a_next = tf.NextIteration "a/next" (%a_more) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
    %a_out = tf.Exit "a/exit" (%a_end) <{T = f32}> : (tensor<*xf32>) -> tensor<1x4xf32>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %y = tf.MatMul "after" (%a_out, %w) <{T = f32}> : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  }
}

// -----

// An op that another waits for goes where that one goes: a control edge may not leave its sub-model.
// CHECK:       stages = [#device.target<cpu>, #device.target<tpu, "bm1684">]
// CHECK-LABEL: tf.graph outputs ["z:0", "ordered:0"]
// CHECK:       tf.Relu "waited for" {{.+}} device.stage = 0 : i64, device.moved = #device.reason<"tied", "goes where NeverHeardOf 'ordered' goes: a !tf.control may not leave its sub-model">}
// CHECK:       tf.opaque "ordered" {{.+}} device.stage = 0 : i64}
// CHECK:       tf.MatMul "z" {{.+}} device.stage = 1 : i64}
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["z:0", "ordered:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4]>}> : () -> tensor<1x4xf32>
    %r, %c = tf.Relu "waited for" (%x) <{T = f32}> : (tensor<1x4xf32>) -> (tensor<1x4xf32>, !tf.control)
    %o = tf.opaque "ordered" (%x, %c) <{node.op = "NeverHeardOf"}> : (tensor<1x4xf32>, !tf.control) -> tensor<1x4xf32>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %z = tf.MatMul "z" (%r, %w) <{T = f32}> : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  }
}

// -----

// Nothing to place.
// CHECK:       stages = [], work_on_tpu = 0 : i64
// CHECK-LABEL: onnx.graph "through"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "through" (%x "x" : tensor<1x4xf32>) -> ["x"] {
    onnx.return %x : tensor<1x4xf32>
  }
}

// -----

// Sizes that no memory holds do not overflow.
// CHECK:       stages = [#device.target<cpu>]
// CHECK-LABEL: onnx.graph "huge"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "huge" (%x "x" : tensor<?x1099511627776x1099511627776xf32>) -> ["y"] {
    %r = onnx.RandomNormalLike "noise" (%x) -> ["r"] : (tensor<?x1099511627776x1099511627776xf32>) -> !platform.unknown
    %y = onnx.RandomNormalLike "again" (%r) -> ["y"] : (!platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Of a sequence that only a Shape reads nothing is needed: no sub-model makes it.
// CHECK:       stages = [#device.target<tpu, "bm1684">]
// CHECK-LABEL: onnx.graph "sequence"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "sequence" (%x "x" : tensor<1x3x8x8xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<3x3x3x3xf32>}> : () -> tensor<3x3x3x3xf32>
    %i = onnx.initializer "i" () <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %q = onnx.SequenceConstruct "q" (%x, %x) -> ["q"] : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> !platform.unknown
    %a = onnx.SequenceAt "a" (%q, %i) -> ["a"] : (!platform.unknown, tensor<i64>) -> !platform.unknown
    %s = onnx.Shape "s" (%a) -> ["s"] : (!platform.unknown) -> !platform.unknown
    %c = onnx.Conv "c" (%x, %w) -> ["c"] <{pads = array<i64: 1, 1, 1, 1>}> : (tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32>) -> !platform.unknown
    %y = onnx.Reshape "y" (%c, %s) -> ["y"] : (!platform.unknown, !platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
