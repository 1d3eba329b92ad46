// RUN: autosplit-opt %s -p quant-select --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-select{isa=avx2}' --split-input-file | filecheck %s --check-prefix=NARROW

// Products read 8 bits. What a kernel computes behind its product does not: casts stand between kernels.
// CHECK-LABEL: onnx.graph "chain"
// CHECK: onnx.Conv "c1" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.Relu "r1" {{.*}}: (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
// CHECK: onnx.Conv "c2" {{.*}}{quant.operands = array<i64: 0, 1>}
onnx.graph "chain" (%x "x" : tensor<1x4x4x4xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<4x4x1x1xf32>}> : () -> tensor<4x4x1x1xf32>
  %a = onnx.Conv "c1" (%x, %w) -> ["a"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %b = onnx.Relu "r1" (%a) -> ["b"] : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = onnx.Conv "c2" (%b, %w) -> ["y"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  onnx.return %y : tensor<1x4x4x4xf32>
}

// -----
// A product adds the other operand of its sum: its own side stays real. Behind the last product nothing is cast.
// CHECK-LABEL: onnx.graph "residual"
// CHECK: onnx.Conv "c1" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.Add "sum" {{.*}}{quant.operands = array<i64: 1>}
// CHECK: onnx.Conv "c2" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.Add "last" (%{{.+}}, %{{.+}}) -> ["y"] : (
onnx.graph "residual" (%x "x" : tensor<1x4x4x4xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<4x4x1x1xf32>}> : () -> tensor<4x4x1x1xf32>
  %a = onnx.Conv "c1" (%x, %w) -> ["a"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %s = onnx.Add "sum" (%a, %x) -> ["s"] : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %r = onnx.Relu "r" (%s) -> ["r"] : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %b = onnx.Conv "c2" (%r, %w) -> ["b"] : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %y = onnx.Add "last" (%b, %x) -> ["y"] : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  onnx.return %y : tensor<1x4x4x4xf32>
}

// -----
// What moves or pools numbers on their way to a product has bytes on both sides; on the way out it has not.
// CHECK-LABEL: onnx.graph "ways"
// CHECK: onnx.MaxPool "pool" {{.*}}{quant.operands = array<i64: 0>}
// CHECK: onnx.Flatten "flat" {{.*}}{quant.operands = array<i64: 0>}
// CHECK: onnx.MatMul "last" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.Reshape "out" (%{{.+}}, %{{.+}}) -> ["y"] : (
onnx.graph "ways" (%x "x" : tensor<1x1x4x4xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<4x2xf32>}> : () -> tensor<4x2xf32>
  %n = onnx.initializer "n" () <{value = dense<2> : tensor<1xi64>}> : () -> tensor<1xi64>
  %p = onnx.MaxPool "pool" (%x) -> ["p"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
  %f = onnx.Flatten "flat" (%p) -> ["f"] : (tensor<1x1x2x2xf32>) -> tensor<1x4xf32>
  %m = onnx.MatMul "last" (%f, %w) -> ["m"] : (tensor<1x4xf32>, tensor<4x2xf32>) -> tensor<1x2xf32>
  %y = onnx.Reshape "out" (%m, %n) -> ["y"] : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
  onnx.return %y : tensor<2xf32>
}

// -----
// Of an attention, both products read bytes; the scores and the softmax between them are real.
// CHECK-LABEL: onnx.graph "attention"
// CHECK: onnx.MatMul "scores" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.Softmax "p" (%{{.+}}) -> ["p"] : (
// CHECK: onnx.MatMul "mixed" {{.*}}{quant.operands = array<i64: 0, 1>}
// Without VNNI they could saturate: no weights are there that could have fewer bits.
// NARROW-LABEL: onnx.graph "attention"
// NARROW: onnx.MatMul "scores" {{.*}}{quant.kept = #device.reason<"saturation", "both operands are computed: sums of two products may exceed 16 bits">}
// NARROW: onnx.MatMul "mixed" {{.*}}{quant.kept = #device.reason<"saturation"
onnx.graph "attention" (%q "q" : tensor<2x4xf32>, %k "k" : tensor<4x2xf32>, %v "v" : tensor<2x4xf32>) -> ["y"] {
  %s = onnx.MatMul "scores" (%q, %k) -> ["s"] : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %p = onnx.Softmax "p" (%s) -> ["p"] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = onnx.MatMul "mixed" (%p, %v) -> ["y"] : (tensor<2x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  onnx.return %y : tensor<2x4xf32>
}

// -----
// What a norm by the channel reads is joined from bytes with steps of their own, and not rounded again.
// CHECK-LABEL: onnx.graph "dense"
// CHECK: onnx.Concat "join" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK: onnx.BatchNormalization "norm" ({{.*}}) -> ["n"] : (
// CHECK: onnx.Conv "last" {{.*}}{quant.operands = array<i64: 0, 1>}
// CHECK-LABEL: onnx.graph "places"
// CHECK: onnx.BatchNormalization "norm" {{.*}}{quant.operands = array<i64: 0>}
onnx.graph "dense" (%x "x" : tensor<1x2x4x4xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<2x2x1x1xf32>}> : () -> tensor<2x2x1x1xf32>
  %v = onnx.initializer "v" () <{value = dense<1.0> : tensor<2x4x1x1xf32>}> : () -> tensor<2x4x1x1xf32>
  %s = onnx.initializer "s" () <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<4xf32>
  %a = onnx.Conv "first" (%x, %w) -> ["a"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %c = onnx.Concat "join" (%x, %a) -> ["c"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
  %n = onnx.BatchNormalization "norm" (%c, %s, %s, %s, %s) -> ["n"] : (tensor<1x4x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %r = onnx.Relu "r" (%n) -> ["r"] : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %y = onnx.Conv "last" (%r, %v) -> ["y"] : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
  onnx.return %y : tensor<1x2x4x4xf32>
}

// -----
onnx.graph "places" (%x "x" : tensor<1x2x2x4xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<2x2x1x1xf32>}> : () -> tensor<2x2x1x1xf32>
  %s = onnx.initializer "s" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %a = onnx.Conv "first" (%x, %w) -> ["a"] : (tensor<1x2x2x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x4xf32>
  %c = onnx.Concat "join" (%x, %a) -> ["c"] <{axis = 2 : i64}> : (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x4x4xf32>
  %n = onnx.BatchNormalization "norm" (%c, %s, %s, %s, %s) -> ["n"] : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %r = onnx.Relu "r" (%n) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = onnx.Conv "last" (%r, %w) -> ["y"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  onnx.return %y : tensor<1x2x4x4xf32>
}
