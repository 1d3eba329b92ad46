// RUN: autosplit-opt %s -p 'quant-drop-casts{rounding=close}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-drop-casts{rounding=exact}' --split-input-file | filecheck %s --check-prefix=EXACT
// RUN: autosplit-opt %s -p 'quant-drop-casts{rounding=close}' --split-input-file --debug-match 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// The sigmoid reads the product, and so does the multiplication; what is left is the quantize of the end.
// CHECK-LABEL: onnx.graph "silu"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NEXT: %[[S:.+]] = onnx.Sigmoid "sigmoid" (%[[C]])
// CHECK-NEXT: %[[M:.+]] = onnx.Mul "mul" (%[[C]], %[[S]])
// CHECK-NEXT: %[[Y:.+]] = quant.qcast %[[M]]
// CHECK-NEXT: onnx.return %[[Y]]
// EXACT-LABEL: onnx.graph "silu"
// EXACT: onnx.Conv "conv"
// EXACT-NEXT: quant.qcast
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "silu" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>>
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Sigmoid "sigmoid" (%cd) -> ["s"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %sq = quant.qcast %s {node_name = "s_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.00392>>
    %sd = quant.dcast %sq {node_name = "s_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.00392>> to tensor<1x2x4x4xf32>
    %m = onnx.Mul "mul" (%cd, %sd) -> ["m"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %m : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03:9>>
  }
}

// -----
// A HardSwish as it is spelled out, with numbers that are quantized too: the range of the sum is its clip.
// CHECK-LABEL: onnx.graph "hard_swish"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NEXT: %[[H:.+]] = onnx.HardSwish "div" (%[[C]]) -> ["z"]
// CHECK-NEXT: quant.qcast %[[H]]
// EXACT-LABEL: onnx.graph "hard_swish"
// EXACT: onnx.Div "div"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "hard_swish" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %three = onnx.initializer "three" () <{value = dense<255> : tensor<1xui8>}> : () -> tensor<1xui8>
    %six = onnx.initializer "six" () <{value = dense<6.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %tq = quant.scast %three : tensor<1xui8> to tensor<1x!quant.uniform<u8:f32, 0.0117647>>
    %t = quant.dcast %tq : tensor<1x!quant.uniform<u8:f32, 0.0117647>> to tensor<1xf32>
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.064:128>>
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.064:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%cd, %t) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    %sq = quant.qcast %s {node_name = "s_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0235294>>
    %sd = quant.dcast %sq {node_name = "s_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0235294>> to tensor<1x2x4x4xf32>
    %m = onnx.Mul "mul" (%cd, %sd) -> ["m"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %mq = quant.qcast %m {node_name = "m_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:11>>
    %md = quant.dcast %mq {node_name = "m_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:11>> to tensor<1x2x4x4xf32>
    %z = onnx.Div "div" (%md, %six) -> ["z"] : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %z : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0333:11>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0333:11>>
  }
}

// -----
// A range that is narrower than what the activation makes of the values stays, as a clip.
// CHECK-LABEL: onnx.graph "narrow"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK: %[[K:.+]] = onnx.Clip "c_q" (%[[C]], %{{.+}}, %{{.+}})
// CHECK-NEXT: %[[T:.+]] = onnx.Tanh "tanh" (%[[K]])
// CHECK-NEXT: quant.qcast %[[T]]
// EXACT-LABEL: onnx.graph "narrow"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "narrow" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.006:128>>
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.006:128>> to tensor<1x2x4x4xf32>
    %t = onnx.Tanh "tanh" (%cd) -> ["t"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %t : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
  }
}

// -----
// A range that begins at 0 is the ReLU that a quantizer left out.
// CHECK-LABEL: onnx.graph "hidden_relu"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NEXT: %[[R:.+]] = onnx.Relu "c_q" (%[[C]])
// CHECK-NEXT: %[[T:.+]] = onnx.Tanh "tanh" (%[[R]])
// EXACT-LABEL: onnx.graph "hidden_relu"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "hidden_relu" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>>
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>> to tensor<1x2x4x4xf32>
    %t = onnx.Tanh "tanh" (%cd) -> ["t"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %t : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
  }
}

// -----
// Refused: the integers are wanted, too; the rest of them is computed in their kernel's place.
// CHECK-LABEL: onnx.graph "wanted"
// CHECK: onnx.Conv "conv"
// CHECK-NEXT: quant.qcast
// WHY: DropCasts: quant.qcast (c_q): its integers are not bytes of one scale, or something else reads them
// EXACT-LABEL: onnx.graph "wanted"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "wanted" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y", "c_q"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>> loc("c_q")
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>> to tensor<1x2x4x4xf32>
    %t = onnx.Tanh "tanh" (%cd) -> ["t"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %t : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
    onnx.return %y, %cq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>, tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>>
  }
}

// -----
// Refused: no kernel takes weights with a zero point.
// CHECK-LABEL: onnx.graph "weights"
// CHECK: onnx.Conv "conv"
// CHECK-NEXT: quant.qcast
// WHY: DropCasts: quant.qcast (c_q): the library has no kernel for the product with these weights
// EXACT-LABEL: onnx.graph "weights"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "weights" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01:5>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01:5>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>> loc("c_q")
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06>> to tensor<1x2x4x4xf32>
    %t = onnx.Tanh "tanh" (%cd) -> ["t"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %t : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.008:128>>
  }
}

// -----
// Refused: HardSigmoid times its operand is a slow kernel where it is no HardSwish; a pool is no activation.
// CHECK-LABEL: onnx.graph "gate"
// CHECK: onnx.Conv "conv"
// CHECK-NEXT: quant.qcast
// WHY: DropCasts: quant.qcast (c_q): what follows is more than the library computes behind a product
// EXACT-LABEL: onnx.graph "gate"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "gate" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>> loc("c_q")
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x4x4xf32>
    %s = onnx.HardSigmoid "gate" (%cd) -> ["s"] <{alpha = 0.25 : f32}> : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %m = onnx.Mul "mul" (%cd, %s) -> ["m"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %m : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03:9>>
  }
}

// -----
// CHECK-LABEL: onnx.graph "pool"
// CHECK: onnx.Conv "conv"
// CHECK-NEXT: quant.qcast
// WHY: DropCasts: quant.qcast (c_q): what reads it is not an activation that nothing else shares
// EXACT-LABEL: onnx.graph "pool"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "pool" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "c_q"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>> loc("c_q")
    %cd = quant.dcast %cq {node_name = "c_d"} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x4x4xf32>
    %p = onnx.GlobalAveragePool "pool" (%cd) -> ["p"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
    %y = quant.qcast %p : tensor<1x2x1x1xf32> to tensor<1x2x1x1x!quant.uniform<u8:f32, 0.03:9>>
    onnx.return %y : tensor<1x2x1x1x!quant.uniform<u8:f32, 0.03:9>>
  }
}

// -----
// What scales and shifts a convolution goes into its weights and its bias, so that there is room for the HardSwish
// behind it. The integers stay as they are.
// CHECK-LABEL: onnx.graph "scaled"
// CHECK: %[[S:.+]] = quant.scast %w {{.*}} to tensor<2x2x1x1x!quant.uniform<i8:f32, 0.02>>
// CHECK: %[[W:.+]] = quant.dcast %[[S]]
// CHECK: %[[B:.+]] = onnx.initializer {{.*}}dense<3.000000e+00>
// CHECK: %[[C:.+]] = onnx.Conv "conv" (%{{.+}}, %[[W]], %[[B]]) -> ["shifted"]
// CHECK-NEXT: onnx.HardSwish {{.*}}(%[[C]])
// EXACT-LABEL: onnx.graph "scaled"
// EXACT: onnx.Mul "scale"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "scaled" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<3> : tensor<2x2x1x1xi8>}> : () -> tensor<2x2x1x1xi8>
    %b = onnx.initializer "b" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %two = onnx.initializer "two" () <{value = dense<2.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %one = onnx.initializer "one" () <{value = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %ws = quant.scast %w : tensor<2x2x1x1xi8> to tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>
    %wd = quant.dcast %ws : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %wd, %b) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 1.0:128>>
    %cd = quant.dcast %cq : tensor<1x2x4x4x!quant.uniform<u8:f32, 1.0:128>> to tensor<1x2x4x4xf32>
    %m = onnx.Mul "scale" (%cd, %two) -> ["m"] : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    %s = onnx.Add "shift" (%m, %one) -> ["shifted"] : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    %h = onnx.HardSwish "act" (%s) -> ["h"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %h : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----
// A negative factor fits into no scale.
// CHECK-LABEL: onnx.graph "negative"
// CHECK: onnx.Mul "scale"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "negative" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<3> : tensor<2x2x1x1xi8>}> : () -> tensor<2x2x1x1xi8>
    %two = onnx.initializer "two" () <{value = dense<-2.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %ws = quant.scast %w : tensor<2x2x1x1xi8> to tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>
    %wd = quant.dcast %ws : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %wd, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %m = onnx.Mul "scale" (%c, %two) -> ["m"] : (tensor<1x2x4x4xf32>, tensor<1xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %m : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----
// Of two quantizations in a row, the one of the wider range goes; the narrower one stays.
// CHECK-LABEL: onnx.graph "twice"
// CHECK: %[[C:.+]] = onnx.Conv "conv"
// CHECK-NEXT: %[[D:.+]] = onnx.Conv "other"
// CHECK-NEXT: %[[Y:.+]] = quant.qcast %[[C]] {node_name = "relu"}
// CHECK-NEXT: %[[Q:.+]] = quant.qcast %[[D]] {node_name = "narrow"}
// EXACT-LABEL: onnx.graph "twice"
// EXACT: node_name = "wide"
// WHY: RoundOnce: quant.qcast (behind): the range of the quantization in front ends before its own
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "twice" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>) -> ["y", "z"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %d = onnx.Conv "other" (%xd, %w, _) -> ["d"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {node_name = "wide"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>>
    %cd = quant.dcast %cq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.06:128>> to tensor<1x2x4x4xf32>
    %y = quant.qcast %cd {node_name = "relu"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03>>
    %dq = quant.qcast %d {node_name = "narrow"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.01:128>>
    %dd = quant.dcast %dq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.01:128>> to tensor<1x2x4x4xf32>
    %z = quant.qcast %dd {node_name = "behind"} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03>>
    onnx.return %y, %z : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03>>, tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03>>
  }
}
