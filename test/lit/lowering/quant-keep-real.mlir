// RUN: autosplit-opt %s -p 'quant-keep-real{rounding=close}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-keep-real{rounding=exact}' --split-input-file | filecheck %s --check-prefix=EXACT

// A residual sum and its norm: the sum adds real numbers, and the norm reads them.
// CHECK-LABEL: onnx.graph "residual"
// CHECK: %[[M:.+]] = onnx.MatMul
// CHECK-NEXT: %[[S:.+]] = onnx.Add "sum" (%[[M]], %x)
// CHECK-NEXT: %[[N:.+]] = onnx.LayerNormalization "norm" (%[[S]], %scale)
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[N]]
// CHECK-NEXT: onnx.return %[[Q]]
// EXACT-LABEL: onnx.graph "residual"
// EXACT: quant.qcast %m
// EXACT: quant.qcast %s
onnx.graph "residual" (%x "x" : tensor<2x8xf32>, %a "a" : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1> : tensor<8x8xi8>}> : () -> tensor<8x8xi8>
  %scale = onnx.initializer "scale" () <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<8xf32>
  %ws = quant.scast %w : tensor<8x8xi8> to tensor<8x8x!quant.uniform<i8:f32, 0.1>>
  %wf = quant.dcast %ws : tensor<8x8x!quant.uniform<i8:f32, 0.1>> to tensor<8x8xf32>
  %af = quant.dcast %a : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8xf32>
  %m = onnx.MatMul "mm" (%af, %wf) -> ["m"] : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %mq = quant.qcast %m : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>
  %mf = quant.dcast %mq : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8xf32>
  %s = onnx.Add "sum" (%mf, %x) -> ["s"] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %sq = quant.qcast %s : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>
  %sf = quant.dcast %sq : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8xf32>
  %n = onnx.LayerNormalization "norm" (%sf, %scale) -> ["n"] <{axis = -1 : i64}> : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %nq = quant.qcast %n : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>
  onnx.return %nq : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>
}

// -----
// A Gelu is found once nothing is rounded inside of it; its constants are quantized, too.
// CHECK-LABEL: onnx.graph "gelu"
// CHECK: onnx.Gelu "half" (%x) -> ["y"]
// CHECK-NEXT: onnx.return
// EXACT-LABEL: onnx.graph "gelu"
// EXACT: onnx.Erf
onnx.graph "gelu" (%x "x" : tensor<2x8xf32>) -> ["y"] {
  %root = onnx.initializer "root" () <{value = dense<1.41421354> : tensor<f32>}> : () -> tensor<f32>
  %one = onnx.initializer "one" () <{value = dense<100> : tensor<ui8>}> : () -> tensor<ui8>
  %half = onnx.initializer "half" () <{value = dense<50> : tensor<ui8>}> : () -> tensor<ui8>
  %onesc = quant.scast %one : tensor<ui8> to tensor<!quant.uniform<u8:f32, 0.01>>
  %onef = quant.dcast %onesc : tensor<!quant.uniform<u8:f32, 0.01>> to tensor<f32>
  %halfsc = quant.scast %half : tensor<ui8> to tensor<!quant.uniform<u8:f32, 0.01>>
  %halff = quant.dcast %halfsc : tensor<!quant.uniform<u8:f32, 0.01>> to tensor<f32>
  %d = onnx.Div "div" (%x, %root) -> ["d"] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %e = onnx.Erf "erf" (%d) -> ["e"] : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %eq = quant.qcast %e : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32, 0.01:127>>
  %ef = quant.dcast %eq : tensor<2x8x!quant.uniform<u8:f32, 0.01:127>> to tensor<2x8xf32>
  %p = onnx.Add "plus" (%ef, %onef) -> ["p"] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %pq = quant.qcast %p : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32, 0.01>>
  %pf = quant.dcast %pq : tensor<2x8x!quant.uniform<u8:f32, 0.01>> to tensor<2x8xf32>
  %g = onnx.Mul "gate" (%x, %pf) -> ["g"] : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = onnx.Mul "half" (%g, %halff) -> ["y"] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  onnx.return %y : tensor<2x8xf32>
}

// -----
// The bias behind a product.
// CHECK-LABEL: onnx.graph "bias"
// CHECK: %[[M:.+]] = onnx.MatMul
// CHECK-NEXT: onnx.Add "bias" (%[[M]], %b)
onnx.graph "bias" (%a "a" : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>, %c "c" : tensor<8x8xf32>) -> ["y"] {
  %b = onnx.initializer "b" () <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<8xf32>
  %af = quant.dcast %a : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8xf32>
  %m = onnx.MatMul "mm" (%af, %c) -> ["m"] : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %mq = quant.qcast %m : tensor<2x8xf32> to tensor<2x8x!quant.uniform<u8:f32, 0.1:3>>
  %mf = quant.dcast %mq : tensor<2x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<2x8xf32>
  %y = onnx.Add "bias" (%mf, %b) -> ["y"] : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  onnx.return %y : tensor<2x8xf32>
}

// -----
// Integers of a product that another product reads are made by it.
// CHECK-LABEL: onnx.graph "shared"
// CHECK: quant.qcast %m
// CHECK: onnx.Softmax "soft" (%mf)
onnx.graph "shared" (%a "a" : tensor<8x8x!quant.uniform<u8:f32, 0.1:3>>, %c "c" : tensor<8x8xf32>) -> ["y", "z"] {
  %af = quant.dcast %a : tensor<8x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<8x8xf32>
  %m = onnx.MatMul "mm" (%af, %c) -> ["m"] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %mq = quant.qcast %m : tensor<8x8xf32> to tensor<8x8x!quant.uniform<u8:f32, 0.1:3>>
  %mf = quant.dcast %mq : tensor<8x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<8x8xf32>
  %y = onnx.Softmax "soft" (%mf) -> ["y"] <{axis = -1 : i64}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = onnx.MatMul "next" (%mf, %c) -> ["z"] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  onnx.return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----
// Sums of images stay sums of integers.
// CHECK-LABEL: onnx.graph "images"
// CHECK-COUNT-2: quant.qcast
onnx.graph "images" (%a "a" : tensor<1x8x4x4xf32>, %b "b" : tensor<1x8x4x4xf32>) -> ["y"] {
  %aq = quant.qcast %a : tensor<1x8x4x4xf32> to tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:3>>
  %af = quant.dcast %aq : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x8x4x4xf32>
  %s = onnx.Add "sum" (%af, %b) -> ["s"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %sq = quant.qcast %s : tensor<1x8x4x4xf32> to tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:3>>
  %sf = quant.dcast %sq : tensor<1x8x4x4x!quant.uniform<u8:f32, 0.1:3>> to tensor<1x8x4x4xf32>
  %y = onnx.Erf "erf" (%b) -> ["y"] : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  onnx.return %sf : tensor<1x8x4x4xf32>
}

// -----
// Of a table of integers, the rows that are taken are dequantized.
// CHECK-LABEL: onnx.graph "table"
// CHECK: %[[G:.+]] = onnx.Gather "rows" (%t, %i) -> ["y__bytes"] {{.*}} -> tensor<3x8xui8>
// CHECK: quant.dcast
// EXACT-LABEL: onnx.graph "table"
// EXACT: onnx.Gather "rows" (%tf, %i)
onnx.graph "table" (%i "i" : tensor<3xi64>) -> ["y"] {
  %t = onnx.initializer "t" () <{value = dense<1> : tensor<100x8xui8>}> : () -> tensor<100x8xui8>
  %ts = quant.scast %t : tensor<100x8xui8> to tensor<100x8x!quant.uniform<u8:f32, 0.1:3>>
  %tf = quant.dcast %ts : tensor<100x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<100x8xf32>
  %y = onnx.Gather "rows" (%tf, %i) -> ["y"] <{axis = 0 : i64}> : (tensor<100x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  onnx.return %y : tensor<3x8xf32>
}

// -----
// The bias of places and the mask of windows are one operand, with a view between them too.
// CHECK-LABEL: onnx.graph "windows"
// CHECK: %[[B:.+]] = onnx.initializer "masked__biases" () <{value = dense<3.000000e+00> : tensor<4x2x3x3xf32>}>
// CHECK: %[[S:.+]] = onnx.Add {{.*}}(%{{.+}}, %[[B]]) -> ["masked"]
// CHECK-NEXT: onnx.Softmax "soft" (%[[S]])
onnx.graph "windows" (%a "a" : tensor<4x2x3x8xf32>, %b "b" : tensor<4x2x8x3xf32>) -> ["y"] {
  %five = onnx.initializer "five" () <{value = dense<[1, 4, 2, 3, 3]> : tensor<5xi64>}> : () -> tensor<5xi64>
  %four = onnx.initializer "four" () <{value = dense<[4, 2, 3, 3]> : tensor<4xi64>}> : () -> tensor<4xi64>
  %bias = onnx.initializer "bias" () <{value = dense<1.0> : tensor<1x2x3x3xf32>}> : () -> tensor<1x2x3x3xf32>
  %mask = onnx.initializer "mask" () <{value = dense<2.0> : tensor<1x4x1x3x3xf32>}> : () -> tensor<1x4x1x3x3xf32>
  %m = onnx.MatMul "mm" (%a, %b) -> ["m"] : (tensor<4x2x3x8xf32>, tensor<4x2x8x3xf32>) -> tensor<4x2x3x3xf32>
  %mq = quant.qcast %m : tensor<4x2x3x3xf32> to tensor<4x2x3x3x!quant.uniform<u8:f32, 0.1:3>>
  %mf = quant.dcast %mq : tensor<4x2x3x3x!quant.uniform<u8:f32, 0.1:3>> to tensor<4x2x3x3xf32>
  %s = onnx.Add "places" (%mf, %bias) -> ["s"] : (tensor<4x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<4x2x3x3xf32>
  %v = onnx.Reshape "apart" (%s, %five) -> ["v"] : (tensor<4x2x3x3xf32>, tensor<5xi64>) -> tensor<1x4x2x3x3xf32>
  %w = onnx.Add "strangers" (%v, %mask) -> ["w"] : (tensor<1x4x2x3x3xf32>, tensor<1x4x1x3x3xf32>) -> tensor<1x4x2x3x3xf32>
  %r = onnx.Reshape "together" (%w, %four) -> ["masked"] : (tensor<1x4x2x3x3xf32>, tensor<4xi64>) -> tensor<4x2x3x3xf32>
  %x = onnx.Softmax "soft" (%r) -> ["x"] <{axis = -1 : i64}> : (tensor<4x2x3x3xf32>) -> tensor<4x2x3x3xf32>
  %q = quant.qcast %x : tensor<4x2x3x3xf32> to tensor<4x2x3x3x!quant.uniform<u8:f32, 0.1:3>>
  %y = quant.dcast %q : tensor<4x2x3x3x!quant.uniform<u8:f32, 0.1:3>> to tensor<4x2x3x3xf32>
  onnx.return %y : tensor<4x2x3x3xf32>
}

// -----
// A GELU by tanh is the exact one where its result is rounded by more than the two differ.
// CHECK-LABEL: onnx.graph "tanh"
// CHECK: onnx.Gelu "gelu" ({{.*}}) -> ["y"] :
// CHECK: onnx.Gelu "fine" ({{.*}}) -> ["z"] <{approximate = "tanh"}>
onnx.graph "tanh" (%a "a" : tensor<8x8xf32>) -> ["p", "q"] {
  %aq = quant.qcast %a : tensor<8x8xf32> to tensor<8x8x!quant.uniform<u8:f32, 0.1:3>>
  %af = quant.dcast %aq : tensor<8x8x!quant.uniform<u8:f32, 0.1:3>> to tensor<8x8xf32>
  %y = onnx.Gelu "gelu" (%af) -> ["y"] <{approximate = "tanh"}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = onnx.Gelu "fine" (%af) -> ["z"] <{approximate = "tanh"}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = quant.qcast %y : tensor<8x8xf32> to tensor<8x8x!quant.uniform<u8:f32, 0.1:3>>
  %q = quant.qcast %z : tensor<8x8xf32> to tensor<8x8x!quant.uniform<u8:f32, 0.001:3>>
  onnx.return %p, %q : tensor<8x8x!quant.uniform<u8:f32, 0.1:3>>, tensor<8x8x!quant.uniform<u8:f32, 0.001:3>>
}
