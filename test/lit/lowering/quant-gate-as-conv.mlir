// RUN: autosplit-opt %s -p quant-gate-as-conv --split-input-file --no-locations | filecheck %s

// What is gated is multiplied by one, channel by channel; the gate's factor follows.
// CHECK-LABEL: onnx.graph "attention"
// CHECK-NEXT: %[[X:.+]] = quant.dcast %x
// CHECK-NEXT: %[[G:.+]] = quant.dcast %g
// CHECK-NEXT: %[[I:.+]] = onnx.initializer "m__ones" () <{value = dense<2> : tensor<8x1x1x1xi8>}>
// CHECK-NEXT: %[[Q:.+]] = quant.scast %[[I]] : tensor<8x1x1x1xi8> to tensor<8x1x1x1x!quant.uniform<i8:f32, 0.5>>
// CHECK-NEXT: %[[W:.+]] = quant.dcast %[[Q]]
// CHECK-NEXT: %[[C:.+]] = onnx.Conv "" (%[[X]], %[[W]]) -> ["m__same"] <{group = 8 : i64
// CHECK-NEXT: onnx.Mul "gated" (%[[G]], %[[C]]) -> ["m"]
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "attention" (%x "x" : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>>, %g "g" : tensor<1x8x1x1x!quant.uniform<u8:f32, 0.004>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x8x4x4xf32>
    %b = quant.dcast %g : tensor<1x8x1x1x!quant.uniform<u8:f32, 0.004>> to tensor<1x8x1x1xf32>
    %m = onnx.Mul "gated" (%b, %a) -> ["m"] : (tensor<1x8x1x1xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %y = quant.qcast %m : tensor<1x8x4x4xf32> to tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// Of two whole tensors, what was computed last goes through the convolution. The gate may be real numbers.
// CHECK-LABEL: onnx.graph "whole"
// CHECK: %[[A:.+]] = quant.dcast %x
// CHECK: %[[B:.+]] = quant.dcast %{{.*}}u8:f32, 0.2
// CHECK: %[[C:.+]] = onnx.Conv "" (%[[B]],
// CHECK: onnx.Mul "one" (%[[A]], %[[C]])
// CHECK: %[[D:.+]] = onnx.Conv "" (%{{.*}}) -> ["o__same"]
// CHECK: onnx.Mul "two" (%r, %[[D]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "whole" (%x "x" : tensor<?x8x?x?x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<?x8x?x?xf32>, %r "r" : tensor<?x8x?x?xf32>) -> ["y"] {
    %a = quant.dcast %x : tensor<?x8x?x?x!quant.uniform<u8:f32, 0.1:7>> to tensor<?x8x?x?xf32>
    %q = quant.qcast %z : tensor<?x8x?x?xf32> to tensor<?x8x?x?x!quant.uniform<u8:f32, 0.2>>
    %b = quant.dcast %q : tensor<?x8x?x?x!quant.uniform<u8:f32, 0.2>> to tensor<?x8x?x?xf32>
    %m = onnx.Mul "one" (%a, %b) -> ["m"] : (tensor<?x8x?x?xf32>, tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
    %n = quant.qcast %m : tensor<?x8x?x?xf32> to tensor<?x8x?x?x!quant.uniform<u8:f32, 0.1:7>>
    %c = quant.dcast %n : tensor<?x8x?x?x!quant.uniform<u8:f32, 0.1:7>> to tensor<?x8x?x?xf32>
    %o = onnx.Mul "two" (%r, %c) -> ["o"] : (tensor<?x8x?x?xf32>, tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
    %y = quant.qcast %o : tensor<?x8x?x?xf32> to tensor<?x8x?x?x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<?x8x?x?x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// A tensor that is its own gate is convolved once.
// CHECK-LABEL: onnx.graph "swish"
// CHECK-NEXT: %[[A:.+]] = quant.dcast %x
// CHECK: %[[C:.+]] = onnx.Conv "" (%[[A]],
// CHECK-NEXT: %[[S:.+]] = onnx.Sigmoid "sigmoid" (%[[C]])
// CHECK-NEXT: onnx.Mul "swish" (%[[C]], %[[S]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "swish" (%x "x" : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x8x4x4xf32>
    %b = quant.dcast %x : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x8x4x4xf32>
    %s = onnx.Sigmoid "sigmoid" (%a) -> ["s"] : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %m = onnx.Mul "swish" (%b, %s) -> ["m"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %y = quant.qcast %m : tensor<1x8x4x4xf32> to tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// An activation of integers that the library makes; one of an input is ONNX Runtime's.
// CHECK-LABEL: onnx.graph "activation"
// CHECK: %[[P:.+]] = onnx.GlobalAveragePool
// CHECK: %[[C:.+]] = onnx.Conv ""
// CHECK-NEXT: onnx.HardSigmoid "gate" (%[[C]])
// CHECK-NOT: onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "activation" (%x "x" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y", "z"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %p = onnx.GlobalAveragePool "pool" (%a) -> ["p"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x1x1xf32>
    %q = quant.qcast %p : tensor<1x3x1x1xf32> to tensor<1x3x1x1x!quant.uniform<u8:f32, 0.1:7>>
    %d = quant.dcast %q : tensor<1x3x1x1x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x1x1xf32>
    %g = onnx.HardSigmoid "gate" (%d) -> ["g"] : (tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
    %y = quant.qcast %g : tensor<1x3x1x1xf32> to tensor<1x3x1x1x!quant.uniform<u8:f32, 0.004>>
    %h = onnx.HardSigmoid "other" (%b) -> ["h"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %z = quant.qcast %h : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.004>>
    onnx.return %y, %z : tensor<1x3x1x1x!quant.uniform<u8:f32, 0.004>>, tensor<1x3x4x4x!quant.uniform<u8:f32, 0.004>>
  }
}

// -----

// A gate for each image of several, for which the library has a reference kernel only.
// CHECK-LABEL: onnx.graph "images"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "images" (%x "x" : tensor<2x3x4x4x!quant.uniform<u8:f32, 0.1:7>>, %g "g" : tensor<2x1x1x1x!quant.uniform<u8:f32, 0.004>>) -> ["y"] {
    %a = quant.dcast %x : tensor<2x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<2x3x4x4xf32>
    %b = quant.dcast %g : tensor<2x1x1x1x!quant.uniform<u8:f32, 0.004>> to tensor<2x1x1x1xf32>
    %m = onnx.Mul "gated" (%b, %a) -> ["m"] : (tensor<2x1x1x1xf32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    %y = quant.qcast %m : tensor<2x3x4x4xf32> to tensor<2x3x4x4x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<2x3x4x4x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// What is dequantized is smaller than the product; and the product is read unrounded.
// CHECK-LABEL: onnx.graph "larger"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "larger" (%x "x" : tensor<1x3x4x4xf32>, %g "g" : tensor<1x3x1x1x!quant.uniform<u8:f32, 0.004>>, %z "z" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1>>) -> ["y", "n"] {
    %b = quant.dcast %g : tensor<1x3x1x1x!quant.uniform<u8:f32, 0.004>> to tensor<1x3x1x1xf32>
    %m = onnx.Mul "gated" (%b, %x) -> ["m"] : (tensor<1x3x1x1xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %m : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>
    %c = quant.dcast %z : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x3x4x4xf32>
    %n = onnx.Mul "unrounded" (%c, %x) -> ["n"] : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    onnx.return %y, %n : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>, tensor<1x3x4x4xf32>
  }
}

// -----

// Rows, not an image.
// CHECK-LABEL: onnx.graph "rows"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "rows" (%x "x" : tensor<4x3x!quant.uniform<u8:f32, 0.1:7>>, %g "g" : tensor<1x3xf32>) -> ["y"] {
    %a = quant.dcast %x : tensor<4x3x!quant.uniform<u8:f32, 0.1:7>> to tensor<4x3xf32>
    %m = onnx.Mul "gated" (%g, %a) -> ["m"] : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %y = quant.qcast %m : tensor<4x3xf32> to tensor<4x3x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<4x3x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// A batch norm is a convolution with ones whose scales are its factors; a negative factor is a negative weight.
// CHECK-LABEL: onnx.graph "norm"
// CHECK: onnx.initializer "n__ones" () <{value = dense<{{\[\[\[\[2\]\]\], \[\[\[-2\]\]\]\]}}> : tensor<2x1x1x1xi8>}>
// CHECK: quant.scast {{.*}} to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
// CHECK: onnx.initializer "n__shifts" () <{value = dense<[-1.000000e+00, 5.000000e+00]> : tensor<2xf32>}>
// CHECK: %[[C:.+]] = onnx.Conv {{.*}} -> ["n"]
// CHECK-NEXT: onnx.Relu "relu" (%[[C]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "norm" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %gamma = onnx.initializer "gamma" () <{value = dense<[1.0, -2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %beta = onnx.initializer "beta" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %mean = onnx.initializer "mean" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %var = onnx.initializer "var" () <{value = dense<0.25> : tensor<2xf32>}> : () -> tensor<2xf32>
    %a = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x2x4x4xf32>
    %n = onnx.BatchNormalization "norm" (%a, %gamma, %beta, %mean, %var) -> ["n"] <{epsilon = 0.000000e+00 : f32}> : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%n) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// Without AVX-512 the library spoils the last channels of a depthwise convolution that meets another tensor.
// CHECK-LABEL: onnx.graph "last channels"
// CHECK-NOT: onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "last channels" (%x "x" : tensor<1x12x4x4x!quant.uniform<u8:f32, 0.1:7>>, %g "g" : tensor<1x12x1x1xf32>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x12x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x12x4x4xf32>
    %m = onnx.Mul "gated" (%g, %a) -> ["m"] : (tensor<1x12x1x1xf32>, tensor<1x12x4x4xf32>) -> tensor<1x12x4x4xf32>
    %y = quant.qcast %m : tensor<1x12x4x4xf32> to tensor<1x12x4x4x!quant.uniform<u8:f32, 0.1:7>>
    onnx.return %y : tensor<1x12x4x4x!quant.uniform<u8:f32, 0.1:7>>
  }
}

// -----

// What scales and shifts channels is a convolution with the factors as scales, also with a silu behind it. What is
// along another dimension is not.
// CHECK-LABEL: onnx.graph "scaled"
// CHECK-DAG:     onnx.initializer "t__shifts" () <{value = dense<[-1.000000e+00, 3.000000e+00]> : tensor<2xf32>}>
// CHECK-DAG:     quant.scast %{{.+}} : tensor<2x1x1x1xi8> to tensor<2x1x1x1x!quant.uniform<i8:f32:0, {0.25, 1.0}>>
// CHECK:         %[[T:.+]] = onnx.Conv "" (%{{.+}}, %{{.+}}, %{{.+}}) -> ["t"]
// CHECK-NEXT:    onnx.Sigmoid "gate" (%[[T]])
// CHECK:         onnx.Mul "rows"
!q = tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>>
!r = tensor<1x2x4x4xf32>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "scaled" (%x "x" : !q) -> ["y", "z"] {
    %a = onnx.initializer "a" () <{value = dense<[[[0.5]], [[-2.0]]]> : tensor<2x1x1xf32>}> : () -> tensor<2x1x1xf32>
    %b = onnx.initializer "b" () <{value = dense<[[[1.0]], [[-3.0]]]> : tensor<2x1x1xf32>}> : () -> tensor<2x1x1xf32>
    %e = onnx.initializer "e" () <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %d = quant.dcast %x : !q to !r
    %m = onnx.Mul "factor" (%a, %d) -> ["m"] : (tensor<2x1x1xf32>, !r) -> !r
    %t = onnx.Sub "shift" (%m, %b) -> ["t"] : (!r, tensor<2x1x1xf32>) -> !r
    %g = onnx.Sigmoid "gate" (%t) -> ["g"] : (!r) -> !r
    %s = onnx.Mul "silu" (%t, %g) -> ["s"] : (!r, !r) -> !r
    %y = quant.qcast %s : !r to !q
    %f = quant.dcast %x : !q to !r
    %n = onnx.Mul "rows" (%f, %e) -> ["n"] : (!r, tensor<4xf32>) -> !r
    %z = quant.qcast %n : !r to !q
    onnx.return %y, %z : !q, !q
  }
}
