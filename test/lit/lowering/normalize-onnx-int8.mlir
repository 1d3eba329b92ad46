// RUN: autosplit-opt %s --split-input-file -p 'normalize-onnx{int8=true}' | filecheck %s
// RUN: autosplit-opt %s --split-input-file -p 'normalize-onnx{int8=true}' --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Batch norm goes into the scales of quantized weights, the integers stay.
// CHECK-LABEL: onnx.graph "batch_norm"
// CHECK-DAG:   %[[W:.+]] = onnx.initializer "w" () <{value = dense<[{{.+}}[3]{{.+}}[-2]{{.+}}]> : tensor<2x1x1x1xi8>}>
// CHECK-DAG:   %[[SCALES:.+]] = onnx.initializer "c__folded_scales" () <{value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}>
// CHECK:       %[[REAL:.+]] = onnx.DequantizeLinear "c__folded_weights" (%[[W]], %[[SCALES]]) -> ["c__folded_weights"] <{axis = 0 : i64}>
// CHECK:       %{{.+}} = onnx.Conv "conv" (%{{.+}}, %[[REAL]], %{{.+}}) -> ["y"]
// CHECK-NEXT:  onnx.return
// CHECK-NOT:   onnx.BatchNormalization
//
// What declined says why, and which pattern it was.
// WHY: FoldBatchNorm: onnx.BatchNormalization (norm): a factor is not positive, and quantized weights take no other scale
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "batch_norm" (%x "x" : tensor<1x1x4x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<[[[[3]]], [[[-2]]]]> : tensor<2x1x1x1xi8>}> : () -> tensor<2x1x1x1xi8>
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %gamma = onnx.initializer "gamma" () <{value = dense<[2.0, 4.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %zero = onnx.initializer "zero" () <{value = dense<0.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %one = onnx.initializer "one" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %r = onnx.DequantizeLinear "real" (%w, %s, _) -> ["r"] : (tensor<2x1x1x1xi8>, tensor<f32>) -> tensor<2x1x1x1xf32>
    %c = onnx.Conv "conv" (%x, %r, _) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
    %y = onnx.BatchNormalization "norm" (%c, %gamma, %zero, %zero, %one) -> ["y"] <{epsilon = 0.0 : f32}> : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %y : tensor<1x2x4x4xf32>
  }
}

// -----

// A spelled-out hard swish is one op; the addition of nothing goes; the number in front changes places.
// CHECK-LABEL: onnx.graph "arithmetic"
// CHECK:       %[[H:.+]] = onnx.HardSwish "div" (%x) -> ["h"]
// CHECK:       %[[HALF:.+]] = onnx.initializer "y__number" () <{value = dense<5.000000e-01> : tensor<1xf32>}>
// CHECK-NEXT:  onnx.Mul "scale" (%[[H]], %[[HALF]]) -> ["y"]
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "arithmetic" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %three = onnx.initializer "three" () <{value = dense<3.0> : tensor<f32>}> : () -> tensor<f32>
    %zero = onnx.initializer "zero" () <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %six = onnx.initializer "six" () <{value = dense<6.0> : tensor<f32>}> : () -> tensor<f32>
    %half = onnx.initializer "half" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %a = onnx.Add "shift" (%x, %three) -> ["a"] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %c = onnx.Clip "clip" (%a, %zero, %six) -> ["c"] : (tensor<1x4xf32>, tensor<f32>, tensor<f32>) -> tensor<1x4xf32>
    %m = onnx.Mul "gate" (%x, %c) -> ["m"] : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %h = onnx.Div "div" (%m, %six) -> ["h"] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %n = onnx.Add "nothing" (%h, %zero) -> ["n"] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %y = onnx.Mul "scale" (%half, %n) -> ["y"] : (tensor<f32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.return %y : tensor<1x4xf32>
  }
}

// -----

// Sizes are read in front of what keeps them; a silu stays a sigmoid and a product.
// CHECK-LABEL: onnx.graph "sizes"
// CHECK:       onnx.Sigmoid "gate" (%x)
// CHECK:       onnx.Mul "silu"
// CHECK-NEXT:  onnx.Shape "sizes" (%x)
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "sizes" (%x "x" : tensor<?x4xf32>) -> ["y", "s"] {
    %g = onnx.Sigmoid "gate" (%x) -> ["g"] : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %y = onnx.Mul "silu" (%x, %g) -> ["y"] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %s = onnx.Shape "sizes" (%g) -> ["s"] : (tensor<?x4xf32>) -> tensor<2xi64>
    onnx.return %y, %s : tensor<?x4xf32>, tensor<2xi64>
  }
}

// -----

// A negative factor would need a negative scale, and is left to the batch norm.
// CHECK-LABEL: onnx.graph "negative"
// CHECK:       onnx.Conv "conv"
// CHECK-NEXT:  onnx.BatchNormalization "norm"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "negative" (%x "x" : tensor<1x1x4x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<3> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %gamma = onnx.initializer "gamma" () <{value = dense<-2.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %zero = onnx.initializer "zero" () <{value = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %one = onnx.initializer "one" () <{value = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %r = onnx.DequantizeLinear "real" (%w, %s, _) -> ["r"] : (tensor<1x1x1x1xi8>, tensor<f32>) -> tensor<1x1x1x1xf32>
    %c = onnx.Conv "conv" (%x, %r, _) -> ["c"] : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %y = onnx.BatchNormalization "norm" (%c, %gamma, %zero, %zero, %one) -> ["y"] <{epsilon = 0.0 : f32}> : (tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
    onnx.return %y : tensor<1x1x4x4xf32>
  }
}

// -----

// A Gemm's alpha goes into the scales of quantized weights, its beta into the bias.
// CHECK-LABEL: onnx.graph "gemm"
// CHECK-DAG:   onnx.initializer "y__scaled_bias" () <{value = dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>}>
// CHECK-DAG:   onnx.initializer "y__folded_scales" () <{value = dense<1.250000e-01> : tensor<1xf32>}>
// CHECK:       onnx.Gemm "fc" (%x, %{{.+}}, %{{.+}}) -> ["y"] : (
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "gemm" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<[[3, 1], [2, -4]]> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %c = onnx.initializer "c" () <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %r = onnx.DequantizeLinear "real" (%w, %s, _) -> ["r"] : (tensor<2x2xi8>, tensor<f32>) -> tensor<2x2xf32>
    %y = onnx.Gemm "fc" (%x, %r, %c) -> ["y"] <{alpha = 0.25 : f32, beta = 2.0 : f32}> : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    onnx.return %y : tensor<1x2xf32>
  }
}

// -----

// A scale is positive: a negative alpha is a product behind.
// CHECK-LABEL: onnx.graph "negative_gemm"
// CHECK:       %[[P:.+]] = onnx.Gemm "y__product" (%x, %{{.+}})
// CHECK:       onnx.Mul "fc" (%[[P]], %{{.+}}) -> ["y"]
// WHY: ScaleGemm: onnx.Gemm (fc): a factor is not positive, and quantized weights take no other scale
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "negative_gemm" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<[[3, 1], [2, -4]]> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %r = onnx.DequantizeLinear "real" (%w, %s, _) -> ["r"] : (tensor<2x2xi8>, tensor<f32>) -> tensor<2x2xf32>
    %y = onnx.Gemm "fc" (%x, %r, _) -> ["y"] <{alpha = -1.0 : f32}> : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
    onnx.return %y : tensor<1x2xf32>
  }
}

// -----

// A layer norm that is spelled out.
// CHECK-LABEL: onnx.graph "norm"
// CHECK:       onnx.LayerNormalization "shift" (%x, %y__scale, %y__bias) -> ["y"] <{axis = -1 : i64, epsilon = {{.+}} : f32}>
// CHECK-NEXT:  onnx.return
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "norm" (%x "x" : tensor<2x4xf32>) -> ["y"] {
    %e = onnx.initializer "e" () <{value = dense<1.000000e-05> : tensor<f32>}> : () -> tensor<f32>
    %two = onnx.initializer "two" () <{value = dense<2.0> : tensor<f32>}> : () -> tensor<f32>
    %s = onnx.initializer "s" () <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %b = onnx.initializer "b" () <{value = dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %m = onnx.ReduceMean "mean" (%x) -> ["m"] <{axes = array<i64: -1>}> : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %c = onnx.Sub "centre" (%x, %m) -> ["c"] : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    %p = onnx.Pow "square" (%c, %two) -> ["p"] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %v = onnx.ReduceMean "variance" (%p) -> ["v"] <{axes = array<i64: -1>}> : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %a = onnx.Add "above" (%v, %e) -> ["a"] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
    %r = onnx.Sqrt "root" (%a) -> ["r"] : (tensor<2x1xf32>) -> tensor<2x1xf32>
    %d = onnx.Div "divide" (%c, %r) -> ["d"] : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    %f = onnx.Mul "scale" (%d, %s) -> ["f"] : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %y = onnx.Add "shift" (%f, %b) -> ["y"] : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    onnx.return %y : tensor<2x4xf32>
  }
}

// -----

// The mean over another axis is none of a layer norm.
// CHECK-LABEL: onnx.graph "columns"
// CHECK:       onnx.Sqrt
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "columns" (%x "x" : tensor<4x4xf32>) -> ["y"] {
    %e = onnx.initializer "e" () <{value = dense<1.000000e-05> : tensor<f32>}> : () -> tensor<f32>
    %s = onnx.initializer "s" () <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %m = onnx.ReduceMean "mean" (%x) -> ["m"] <{axes = array<i64: 0>}> : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %c = onnx.Sub "centre" (%x, %m) -> ["c"] : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %p = onnx.Mul "square" (%c, %c) -> ["p"] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %v = onnx.ReduceMean "variance" (%p) -> ["v"] <{axes = array<i64: 0>}> : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %a = onnx.Add "above" (%v, %e) -> ["a"] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %r = onnx.Sqrt "root" (%a) -> ["r"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %d = onnx.Div "divide" (%c, %r) -> ["d"] : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %f = onnx.Mul "scale" (%d, %s) -> ["f"] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %y = onnx.Add "shift" (%f, %s) -> ["y"] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    onnx.return %y : tensor<4x4xf32>
  }
}

// -----

// The mean of a quantized image is a pool. Of a row, as norms have it, it stays.
// CHECK-LABEL: onnx.graph "means"
// CHECK:       %[[P:.+]] = onnx.GlobalAveragePool "mean" (%[[X:.+]]) -> ["p"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
// CHECK:       %[[Q:.+]] = onnx.GlobalAveragePool "q__pool" (%[[X]]) -> ["q__pool"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
// CHECK-NEXT:  onnx.Squeeze "flat" (%[[Q]], %{{.+}}) -> ["q"]
// CHECK:       onnx.ReduceMean "row"
// WHY: MeanAsPool: onnx.ReduceMean (row): it is not over an image whose size is known
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "means" (%x "x" : tensor<1x2x4x4xui8>) -> ["p", "q", "r"] {
    %s = onnx.initializer "s" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %image = onnx.initializer "image" () <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %last = onnx.initializer "last" () <{value = dense<3> : tensor<1xi64>}> : () -> tensor<1xi64>
    %d = onnx.DequantizeLinear "real" (%x, %s, _) -> ["d"] : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
    %p = onnx.ReduceMean "mean" (%d, %image) -> ["p"] : (tensor<1x2x4x4xf32>, tensor<2xi64>) -> tensor<1x2x1x1xf32>
    %q = onnx.ReduceMean "flat" (%d, %image) -> ["q"] <{keepdims = 0 : i64}> : (tensor<1x2x4x4xf32>, tensor<2xi64>) -> tensor<1x2xf32>
    %r = onnx.ReduceMean "row" (%d, %last) -> ["r"] : (tensor<1x2x4x4xf32>, tensor<1xi64>) -> tensor<1x2x4x1xf32>
    onnx.return %p, %q, %r : tensor<1x2x1x1xf32>, tensor<1x2xf32>, tensor<1x2x4x1xf32>
  }
}

// -----

// The boxes and scores of two scales, joined and split again: each is joined by itself.
// CHECK-LABEL: onnx.graph "heads"
// CHECK:       %[[A:.+]] = onnx.Reshape {{.+}} (%a, %{{.+}}) {{.+}} -> tensor<1x4x6xf32>
// CHECK:       %[[C:.+]] = onnx.Reshape {{.+}} (%c, %{{.+}}) {{.+}} -> tensor<1x4x2xf32>
// CHECK:       %[[BOXES:.+]] = onnx.Concat {{.+}} (%[[A]], %[[C]]) -> ["boxes"] <{axis = 2 : i64}>
// CHECK:       %[[B:.+]] = onnx.Reshape {{.+}} (%b, %{{.+}}) {{.+}} -> tensor<1x2x6xf32>
// CHECK:       %[[SCORES:.+]] = onnx.Concat {{.+}} (%[[B]], %{{.+}}) -> ["scores"] <{axis = 2 : i64}>
// CHECK-NEXT:  onnx.return %[[BOXES]], %[[SCORES]]
// WHY: SplitJoined: onnx.Split (same): what it splits is joined along the same axis, or read by something else
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "heads" (%a "a" : tensor<1x4x2x3xf32>, %b "b" : tensor<1x2x2x3xf32>, %c "c" : tensor<1x4x1x2xf32>, %d "d" : tensor<1x2x1x2xf32>) -> ["boxes", "scores"] {
    %first = onnx.initializer "first" () <{value = dense<[1, 6, 6]> : tensor<3xi64>}> : () -> tensor<3xi64>
    %second = onnx.initializer "second" () <{value = dense<[1, 6, 2]> : tensor<3xi64>}> : () -> tensor<3xi64>
    %sizes = onnx.initializer "sizes" () <{value = dense<[4, 2]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %l = onnx.Concat "large" (%a, %b) -> ["l"] <{axis = 1 : i64}> : (tensor<1x4x2x3xf32>, tensor<1x2x2x3xf32>) -> tensor<1x6x2x3xf32>
    %s = onnx.Concat "small" (%c, %d) -> ["s"] <{axis = 1 : i64}> : (tensor<1x4x1x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x6x1x2xf32>
    %lf = onnx.Reshape "large_flat" (%l, %first) -> ["lf"] : (tensor<1x6x2x3xf32>, tensor<3xi64>) -> tensor<1x6x6xf32>
    %sf = onnx.Reshape "small_flat" (%s, %second) -> ["sf"] : (tensor<1x6x1x2xf32>, tensor<3xi64>) -> tensor<1x6x2xf32>
    %w = onnx.Concat "whole" (%lf, %sf) -> ["w"] <{axis = 2 : i64}> : (tensor<1x6x6xf32>, tensor<1x6x2xf32>) -> tensor<1x6x8xf32>
    %boxes, %scores = onnx.Split "split" (%w, %sizes) -> ["boxes", "scores"] <{axis = 1 : i64}> : (tensor<1x6x8xf32>, tensor<2xi64>) -> (tensor<1x4x8xf32>, tensor<1x2x8xf32>)
    onnx.return %boxes, %scores : tensor<1x4x8xf32>, tensor<1x2x8xf32>
  }
}

// -----

// CHECK-LABEL: onnx.graph "same_axis"
// CHECK:       onnx.Split "same"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "same_axis" (%a "a" : tensor<1x4xf32>, %b "b" : tensor<1x2xf32>) -> ["x", "y"] {
    %sizes = onnx.initializer "sizes" () <{value = dense<[4, 2]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %w = onnx.Concat "whole" (%a, %b) -> ["w"] <{axis = 1 : i64}> : (tensor<1x4xf32>, tensor<1x2xf32>) -> tensor<1x6xf32>
    %x, %y = onnx.Split "same" (%w, %sizes) -> ["x", "y"] <{axis = 1 : i64}> : (tensor<1x6xf32>, tensor<2xi64>) -> (tensor<1x4xf32>, tensor<1x2xf32>)
    onnx.return %x, %y : tensor<1x4xf32>, tensor<1x2xf32>
  }
}

// -----

// What frameworks write in place of a Split, in any order. It is none where a part is read twice.
// CHECK-LABEL: onnx.graph "halves"
// CHECK:       %[[C:.+]] = onnx.Conv "conv"
// CHECK:       %[[A:.+]], %[[B:.+]] = onnx.Split {{.+}} (%[[C]], %{{.+}}) -> ["a", "b"] <{axis = 1 : i64}> {{.+}} -> (tensor<1x1x4xf32>, tensor<1x3x4xf32>)
// CHECK-NOT:   onnx.Slice
// CHECK:       onnx.Tanh "tanh" (%[[A]])
// CHECK:       onnx.Slice "whole"
// WHY: JoinSlices: onnx.Slice (whole): together, what reads the product does not take each number once
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "halves" (%x "x" : tensor<1x2x4xf32>) -> ["t", "b", "e"] {
    %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<4x2x1xf32>}> : () -> tensor<4x2x1xf32>
    %first = onnx.initializer "first" () <{value = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %one = onnx.initializer "one" () <{value = dense<1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %end = onnx.initializer "end" () <{value = dense<9223372036854775807> : tensor<1xi64>}> : () -> tensor<1xi64>
    %c = onnx.Conv "conv" (%x, %w, _) -> ["c"] : (tensor<1x2x4xf32>, tensor<4x2x1xf32>) -> tensor<1x4x4xf32>
    %b = onnx.Slice "behind" (%c, %one, %end, %one, _) -> ["b"] : (tensor<1x4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3x4xf32>
    %a = onnx.Slice "before" (%c, %first, %one, %one, _) -> ["a"] : (tensor<1x4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x1x4xf32>
    %t = onnx.Tanh "tanh" (%a) -> ["t"] : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
    %d = onnx.Conv "other" (%x, %w, _) -> ["d"] : (tensor<1x2x4xf32>, tensor<4x2x1xf32>) -> tensor<1x4x4xf32>
    %e = onnx.Slice "whole" (%d, %one, %end, %one, _) -> ["e"] : (tensor<1x4x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3x4xf32>
    onnx.return %t, %b, %e : tensor<1x1x4xf32>, tensor<1x3x4xf32>, tensor<1x3x4xf32>
  }
}

// -----

// The activation of a product joins it, in front of what moves its elements; what moves something else stays in front.
// CHECK-LABEL: onnx.graph "moved"
// CHECK:       onnx.MatMul "product"
// CHECK-NEXT:  onnx.Sigmoid
// CHECK-NEXT:  onnx.Mul
// CHECK-NEXT:  onnx.Transpose "turn" (%{{.+}}) -> ["y"]
// CHECK-NEXT:  onnx.Transpose "other" (%x)
// CHECK-NEXT:  onnx.Relu "relu"
// CHECK-NEXT:  onnx.return
// WHY: ActivationFirst: onnx.Tanh (tanh): something else reads the elements that it reads
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "moved" (%x "x" : tensor<4x4xf32>) -> ["y", "z"] {
    %p = onnx.MatMul "product" (%x, %x) -> ["p"] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %t = onnx.Transpose "turn" (%p) -> ["t"] <{perm = array<i64: 1, 0>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = onnx.Sigmoid "gate" (%t) -> ["s"] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %y = onnx.Mul "silu" (%t, %s) -> ["y"] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %o = onnx.Transpose "other" (%x) -> ["o"] <{perm = array<i64: 1, 0>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %z = onnx.Relu "relu" (%o) -> ["z"] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    onnx.return %y, %z : tensor<4x4xf32>, tensor<4x4xf32>
  }
}

// -----

builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "read" (%x "x" : tensor<4x4xf32>) -> ["y", "t"] {
    %p = onnx.MatMul "product" (%x, %x) -> ["p"] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %t = onnx.Transpose "turn" (%p) -> ["t"] <{perm = array<i64: 1, 0>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %y = onnx.Tanh "tanh" (%t) -> ["y"] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    onnx.return %y, %t : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
