// RUN: autosplit-opt %s -p quant-split-products --no-locations --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p quant-split-products --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Each half of the results has a product of its own; what the first half is multiplied by is in its weights.
// CHECK-LABEL: onnx.graph "halves"
// CHECK:       onnx.initializer "s__weights" {{.*}}dense<[[1, 2]]>
// CHECK:       quant.scast {{.*}} tensor<1x2xi8> to tensor<1x2x!quant.uniform<i8:f32:1, {0.25, 0.5}>>
// CHECK:       %[[A:.+]] = onnx.MatMul "s__product" (%a, %{{.+}})
// CHECK:       onnx.initializer "s__weights_2" {{.*}}dense<[[3, 4]]>
// CHECK:       quant.scast {{.*}} tensor<1x2xi8> to tensor<1x2x!quant.uniform<i8:f32:1, {1.5, 2.0}>>
// CHECK:       %[[B:.+]] = onnx.MatMul "s__product_2" (%a, %{{.+}})
// CHECK-NOT:   onnx.Split
// CHECK-NOT:   onnx.Mul
// CHECK:       onnx.return %[[A]], %[[B]]
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "halves" (%x "x" : tensor<3x1x!quant.uniform<u8:f32, 0.1>>) -> ["m", "t"] {
    %a = quant.dcast %x : tensor<3x1x!quant.uniform<u8:f32, 0.1>> to tensor<3x1xf32>
    %w = onnx.initializer "w" () <{value = dense<[[1, 2, 3, 4]]> : tensor<1x4xi8>}> : () -> tensor<1x4xi8>
    %q = quant.scast %w : tensor<1x4xi8> to tensor<1x4x!quant.uniform<i8:f32:1, {0.5, 1.0, 1.5, 2.0}>>
    %r = quant.dcast %q : tensor<1x4x!quant.uniform<i8:f32:1, {0.5, 1.0, 1.5, 2.0}>> to tensor<1x4xf32>
    %p = onnx.MatMul "p" (%a, %r) -> ["p"] : (tensor<3x1xf32>, tensor<1x4xf32>) -> tensor<3x4xf32>
    %s, %t = onnx.Split "split" (%p, _) -> ["s", "t"] <{axis = 1 : i64, num_outputs = 2 : i64}> : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
    %half = onnx.initializer "half" () <{value = dense<0.5> : tensor<f32>}> : () -> tensor<f32>
    %m = onnx.Mul "m" (%s, %half) -> ["m"] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
    onnx.return %m, %t : tensor<3x2xf32>, tensor<3x2xf32>
  }
}

// -----
// Scales by the row of weights belong to no column.
// WHY: SplitProduct: onnx.MatMul (p): its weights are no matrix with scales by column
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "rows" (%x "x" : tensor<3x2x!quant.uniform<u8:f32, 0.1>>) -> ["s", "t"] {
    %a = quant.dcast %x : tensor<3x2x!quant.uniform<u8:f32, 0.1>> to tensor<3x2xf32>
    %w = onnx.initializer "w" () <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
    %q = quant.scast %w : tensor<2x2xi8> to tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>>
    %r = quant.dcast %q : tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 1.0}>> to tensor<2x2xf32>
    %p = onnx.MatMul "p" (%a, %r) -> ["p"] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
    %s, %t = onnx.Split "split" (%p, _) -> ["s", "t"] <{axis = 1 : i64, num_outputs = 2 : i64}> : (tensor<3x2xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>)
    onnx.return %s, %t : tensor<3x1xf32>, tensor<3x1xf32>
  }
}

// -----
// A Gemm is a product and a sum, and casts behind a reshape that are those in front of it are no other ones.
// CHECK-LABEL: onnx.graph "places"
// CHECK:       onnx.initializer "t__weights" {{.*}}dense<[[2, 4]]>
// CHECK:       onnx.MatMul "t__product"
// CHECK:       onnx.initializer "t__bias" {{.*}}dense<[1.000000e+00, 2.000000e+00]>
// CHECK:       onnx.Add "t__sum"
// CHECK:       onnx.initializer "s__weights" {{.*}}dense<[[1, 3]]>
// CHECK-NOT:   onnx.Gemm
// CHECK-NOT:   onnx.Gather
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "places" (%x "x" : tensor<3x1x!quant.uniform<u8:f32, 0.1>>) -> ["s", "t"] {
    %a = quant.dcast %x : tensor<3x1x!quant.uniform<u8:f32, 0.1>> to tensor<3x1xf32>
    %w = onnx.initializer "w" () <{value = dense<[[1, 2, 3, 4]]> : tensor<1x4xi8>}> : () -> tensor<1x4xi8>
    %q = quant.scast %w : tensor<1x4xi8> to tensor<1x4x!quant.uniform<i8:f32, 0.5>>
    %r = quant.dcast %q : tensor<1x4x!quant.uniform<i8:f32, 0.5>> to tensor<1x4xf32>
    %b = onnx.initializer "b" () <{value = dense<[0.5, 1.0, 1.5, 2.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %p = onnx.Gemm "p" (%a, %r, %b) -> ["p"] <{alpha = 1.0 : f32, beta = 1.0 : f32, transA = 0 : i64, transB = 0 : i64}> : (tensor<3x1xf32>, tensor<1x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %c = quant.qcast %p : tensor<3x4xf32> to tensor<3x4x!quant.uniform<u8:f32, 0.2>>
    %d = quant.dcast %c : tensor<3x4x!quant.uniform<u8:f32, 0.2>> to tensor<3x4xf32>
    %sizes = onnx.initializer "sizes" () <{value = dense<[1, 3, 2, 2]> : tensor<4xi64>}> : () -> tensor<4xi64>
    %e = onnx.Reshape "apart" (%d, %sizes) -> ["e"] : (tensor<3x4xf32>, tensor<4xi64>) -> tensor<1x3x2x2xf32>
    %f = quant.qcast %e : tensor<1x3x2x2xf32> to tensor<1x3x2x2x!quant.uniform<u8:f32, 0.2>>
    %g = quant.dcast %f : tensor<1x3x2x2x!quant.uniform<u8:f32, 0.2>> to tensor<1x3x2x2xf32>
    %h = quant.dcast %f : tensor<1x3x2x2x!quant.uniform<u8:f32, 0.2>> to tensor<1x3x2x2xf32>
    %first = onnx.initializer "first" () <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
    %second = onnx.initializer "second" () <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %s = onnx.Gather "s" (%g, %first) -> ["s"] <{axis = 3 : i64}> : (tensor<1x3x2x2xf32>, tensor<i64>) -> tensor<1x3x2xf32>
    %t = onnx.Gather "t" (%h, %second) -> ["t"] <{axis = 3 : i64}> : (tensor<1x3x2x2xf32>, tensor<i64>) -> tensor<1x3x2xf32>
    onnx.return %s, %t : tensor<1x3x2xf32>, tensor<1x3x2xf32>
  }
}

// -----

// The halves of a convolution, each with its own scales and biases, as activations read them.
// CHECK-LABEL: onnx.graph "gate"
// CHECK:       dense<[[[1], [2]]]> : tensor<1x2x1xi8>
// CHECK:       %[[W0:.+]] = quant.dcast {{.+}} : tensor<1x2x1x!quant.uniform<i8:f32:0, {0.1}>>
// CHECK:       %[[B0:.+]] = onnx.initializer {{.+}} dense<1.000000e+00> : tensor<1xf32>
// CHECK:       %[[A:.+]] = onnx.Conv {{.+}} (%[[X:.+]], %[[W0]], %[[B0]])
// CHECK:       dense<[[[3], [4]]]> : tensor<1x2x1xi8>
// CHECK:       %[[W1:.+]] = quant.dcast {{.+}} : tensor<1x2x1x!quant.uniform<i8:f32:0, {0.2}>>
// CHECK:       %[[B1:.+]] = onnx.initializer {{.+}} dense<2.000000e+00> : tensor<1xf32>
// CHECK:       %[[B:.+]] = onnx.Conv {{.+}} (%[[X]], %[[W1]], %[[B1]])
// CHECK-NOT:   onnx.Split
// CHECK:       onnx.Tanh "tanh" (%[[A]])
// CHECK:       onnx.Sigmoid "sigmoid" (%[[B]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "gate" (%x "x" : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %k = onnx.initializer "k" () <{value = dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi8>}> : () -> tensor<2x2x1xi8>
    %bias = onnx.initializer "bias" () <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %xd = quant.dcast %x : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x8xf32>
    %ks = quant.scast %k : tensor<2x2x1xi8> to tensor<2x2x1x!quant.uniform<i8:f32:0, {0.1, 0.2}>>
    %w = quant.dcast %ks : tensor<2x2x1x!quant.uniform<i8:f32:0, {0.1, 0.2}>> to tensor<2x2x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, %bias) -> ["c"] : (tensor<1x2x8xf32>, tensor<2x2x1xf32>, tensor<2xf32>) -> tensor<1x2x8xf32>
    %a, %b = onnx.Split "split" (%c, _) -> ["a", "b"] <{axis = 1 : i64, num_outputs = 2 : i64}> : (tensor<1x2x8xf32>) -> (tensor<1x1x8xf32>, tensor<1x1x8xf32>)
    %t = onnx.Tanh "tanh" (%a) -> ["t"] : (tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %s = onnx.Sigmoid "sigmoid" (%b) -> ["s"] : (tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %y = onnx.Mul "mul" (%t, %s) -> ["y"] : (tensor<1x1x8xf32>, tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    onnx.return %y : tensor<1x1x8xf32>
  }
}

// -----

// CHECK-LABEL: onnx.graph "pooled"
// CHECK:       onnx.Split "split"
// WHY: SplitConvolution: onnx.Conv (conv): something else than an elementwise op reads a part of it
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "pooled" (%x "x" : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>>) -> ["t", "b"] {
    %k = onnx.initializer "k" () <{value = dense<1> : tensor<2x2x1xi8>}> : () -> tensor<2x2x1xi8>
    %xd = quant.dcast %x : tensor<1x2x8x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x8xf32>
    %ks = quant.scast %k : tensor<2x2x1xi8> to tensor<2x2x1x!quant.uniform<i8:f32, 0.1>>
    %w = quant.dcast %ks : tensor<2x2x1x!quant.uniform<i8:f32, 0.1>> to tensor<2x2x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x8xf32>, tensor<2x2x1xf32>) -> tensor<1x2x8xf32>
    %a, %b = onnx.Split "split" (%c, _) -> ["a", "b"] <{axis = 1 : i64, num_outputs = 2 : i64}> : (tensor<1x2x8xf32>) -> (tensor<1x1x8xf32>, tensor<1x1x8xf32>)
    %t = onnx.Tanh "tanh" (%a) -> ["t"] : (tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    onnx.return %t, %b : tensor<1x1x8xf32>, tensor<1x1x8xf32>
  }
}
