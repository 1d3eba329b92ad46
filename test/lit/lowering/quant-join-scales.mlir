// RUN: autosplit-opt %s -p 'quant-join-scales{rounding=close}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-join-scales{rounding=exact}' --split-input-file | filecheck %s --check-prefix=EXACT
// RUN: autosplit-opt %s -p 'quant-join-scales{rounding=close}' --split-input-file --debug-match 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// The ranges are -2.60 to 2.58, 0 to 5.1, and that of the result -2.5 to 3.875: all lie in -2.60 to 5.1.
// CHECK-LABEL: onnx.graph "concat"
// CHECK: quant.qcast %a {{.*}} to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03018980{{[0-9]*}}:86>>
// %b is not below 0, which the type said before.
// CHECK: %[[B:.+]] = onnx.Clip "b_q__clipped" (%b, %{{.+}}, %{{.+}}) -> ["b_q__clipped"]
// CHECK: quant.qcast %[[B]] {{.*}} to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03018980{{[0-9]*}}:86>>
// CHECK: onnx.Concat "join"
// CHECK-NEXT: quant.qcast {{.*}} to tensor<1x4x4x4x!quant.uniform<u8:f32, 0.03018980{{[0-9]*}}:86>>
// EXACT-LABEL: onnx.graph "concat"
// EXACT: quant.qcast %a {{.*}}<u8:f32, 0.0203{{[0-9]*}}:128>>
// EXACT: quant.qcast %b {{.*}}<u8:f32, 0.02>>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "concat" (%a "a" : tensor<1x2x4x4xf32>, %b "b" : tensor<1x2x4x4xf32>) -> ["y"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0203:128>>
    %ad = quant.dcast %aq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0203:128>> to tensor<1x2x4x4xf32>
    %bq = quant.qcast %b {value_names = ["b_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02>>
    %bd = quant.dcast %bq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02>> to tensor<1x2x4x4xf32>
    %c = onnx.Concat "join" (%ad, %bd) -> ["c"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
    %cq = quant.qcast %c {value_names = ["c_q"]} : tensor<1x4x4x4xf32> to tensor<1x4x4x4x!quant.uniform<u8:f32, 0.025:100>>
    %y = quant.dcast %cq : tensor<1x4x4x4x!quant.uniform<u8:f32, 0.025:100>> to tensor<1x4x4x4xf32>
    onnx.return %y : tensor<1x4x4x4xf32>
  }
}

// -----
// A type whose range holds those of all is kept, as behind a pool.
// CHECK-LABEL: onnx.graph "pool"
// CHECK: quant.qcast %a {{.*}}<u8:f32, 0.04:128>>
// CHECK: onnx.MaxPool "pool"
// CHECK-NEXT: quant.qcast {{.*}}<u8:f32, 0.04:128>>
// EXACT-LABEL: onnx.graph "pool"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "pool" (%a "a" : tensor<1x2x4x4xf32>) -> ["y"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.04:128>>
    %ad = quant.dcast %aq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.04:128>> to tensor<1x2x4x4xf32>
    %p, %i = onnx.MaxPool "pool" (%ad) -> ["p", ""] <{kernel_shape = array<i64: 2, 2>}> : (tensor<1x2x4x4xf32>) -> (tensor<1x2x3x3xf32>, !platform.unknown)
    %pq = quant.qcast %p {value_names = ["p_q"]} : tensor<1x2x3x3xf32> to tensor<1x2x3x3x!quant.uniform<u8:f32, 0.03:128>>
    %y = quant.dcast %pq : tensor<1x2x3x3x!quant.uniform<u8:f32, 0.03:128>> to tensor<1x2x3x3xf32>
    onnx.return %y : tensor<1x2x3x3xf32>
  }
}

// -----
// Refused: what computes with %a would have a quarter of its steps.
// CHECK-LABEL: onnx.graph "coarse"
// CHECK: quant.qcast %a {{.*}}<u8:f32, 0.01:128>>
// CHECK: quant.qcast %b {{.*}}<u8:f32, 0.04:128>>
// WHY: JoinScales: onnx.Concat (join): 'a_q' would become 4.0 times as coarse
// EXACT-LABEL: onnx.graph "coarse"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "coarse" (%a "a" : tensor<1x2x4x4xf32>, %b "b" : tensor<1x2x4x4xf32>) -> ["y", "r"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.01:128>>
    %ad = quant.dcast %aq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.01:128>> to tensor<1x2x4x4xf32>
    %bq = quant.qcast %b {value_names = ["b_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.04:128>>
    %bd = quant.dcast %bq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.04:128>> to tensor<1x2x4x4xf32>
    %c = onnx.Concat "join" (%ad, %bd) -> ["c"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> loc("join")
    %cq = quant.qcast %c {value_names = ["c_q"]} : tensor<1x4x4x4xf32> to tensor<1x4x4x4x!quant.uniform<u8:f32, 0.04:128>>
    %y = quant.dcast %cq : tensor<1x4x4x4x!quant.uniform<u8:f32, 0.04:128>> to tensor<1x4x4x4xf32>
    %r = onnx.Relu "relu" (%ad) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %y, %r : tensor<1x4x4x4xf32>, tensor<1x2x4x4xf32>
  }
}

// -----
// Without the ReLU, only the Concat reads %a, whose result has large steps anyway.
// CHECK-LABEL: onnx.graph "moved_only"
// CHECK: quant.qcast %a {{.*}}<u8:f32, 0.04:128>>
// EXACT-LABEL: onnx.graph "moved_only"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "moved_only" (%a "a" : tensor<1x2x4x4xf32>, %b "b" : tensor<1x2x4x4xf32>) -> ["y"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.01:128>>
    %ad = quant.dcast %aq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.01:128>> to tensor<1x2x4x4xf32>
    %bq = quant.qcast %b {value_names = ["b_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.04:128>>
    %bd = quant.dcast %bq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.04:128>> to tensor<1x2x4x4xf32>
    %c = onnx.Concat "join" (%ad, %bd) -> ["c"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32>
    %cq = quant.qcast %c {value_names = ["c_q"]} : tensor<1x4x4x4xf32> to tensor<1x4x4x4x!quant.uniform<u8:f32, 0.04:128>>
    %y = quant.dcast %cq : tensor<1x4x4x4x!quant.uniform<u8:f32, 0.04:128>> to tensor<1x4x4x4xf32>
    onnx.return %y : tensor<1x4x4x4xf32>
  }
}

// -----
// Refused: integers that something else reads are what they are.
// CHECK-LABEL: onnx.graph "read"
// CHECK: quant.qcast %a {{.*}}<u8:f32, 0.02:128>>
// WHY: JoinScales: onnx.Concat (join): not all that it reads and gives is quantized here, to bytes of one scale each
// EXACT-LABEL: onnx.graph "read"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "read" (%a "a" : tensor<1x2x4x4xf32>, %b "b" : tensor<1x2x4x4xf32>) -> ["y", "a_q"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:128>>
    %ad = quant.dcast %aq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:128>> to tensor<1x2x4x4xf32>
    %bq = quant.qcast %b {value_names = ["b_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03:128>>
    %bd = quant.dcast %bq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.03:128>> to tensor<1x2x4x4xf32>
    %c = onnx.Concat "join" (%ad, %bd) -> ["c"] <{axis = 1 : i64}> : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x4x4x4xf32> loc("join")
    %cq = quant.qcast %c {value_names = ["c_q"]} : tensor<1x4x4x4xf32> to tensor<1x4x4x4x!quant.uniform<u8:f32, 0.03:128>>
    %y = quant.dcast %cq : tensor<1x4x4x4x!quant.uniform<u8:f32, 0.03:128>> to tensor<1x4x4x4xf32>
    onnx.return %y, %aq : tensor<1x4x4x4xf32>, tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:128>>
  }
}

// -----
// What only a product reads takes the scale of what is joined.
// CHECK-LABEL: onnx.graph "multiplied"
// CHECK: quant.qcast %a {{.*}}<u8:f32, 0.03:128>>
// CHECK: quant.qcast %b {{.*}}<u8:f32, 0.03:128>>
// EXACT-LABEL: onnx.graph "multiplied"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "multiplied" (%a "a" : tensor<1x1x4x4xf32>, %b "b" : tensor<1x1x4x4xf32>) -> ["y"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0203:128>>
    %ad = quant.dcast %aq : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0203:128>> to tensor<1x1x4x4xf32>
    %bq = quant.qcast %b {value_names = ["b_q"]} : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.03:128>>
    %bd = quant.dcast %bq : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.03:128>> to tensor<1x1x4x4xf32>
    %c = onnx.Concat "join" (%ad, %bd) -> ["c"] <{axis = 1 : i64}> : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
    %w = onnx.initializer "w" () <{value = dense<2> : tensor<1x2x1x1xi8>}> : () -> tensor<1x2x1x1xi8>
    %wq = quant.scast %w : tensor<1x2x1x1xi8> to tensor<1x2x1x1x!quant.uniform<i8:f32, 0.5>>
    %wr = quant.dcast %wq : tensor<1x2x1x1x!quant.uniform<i8:f32, 0.5>> to tensor<1x2x1x1xf32>
    %y = onnx.Conv "product" (%c, %wr) -> ["y"] : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
    onnx.return %y : tensor<1x1x4x4xf32>
  }
}

// -----
// The first range ends at -1 and 1, as a HardTanh does: the quantizer may have left one out, so a clip stays.
// CHECK-LABEL: onnx.graph "limited"
// CHECK: %[[A:.+]] = onnx.Clip "a_q__clipped" (%a, %{{.+}}, %{{.+}}) -> ["a_q__clipped"]
// CHECK: quant.qcast %[[A]] {{.*}}<u8:f32, 0.0301:128>>
// CHECK: quant.qcast %b {{.*}}<u8:f32, 0.0301:128>>
// EXACT-LABEL: onnx.graph "limited"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "limited" (%a "a" : tensor<1x1x4x4xf32>, %b "b" : tensor<1x1x4x4xf32>) -> ["y"] {
    %aq = quant.qcast %a {value_names = ["a_q"]} : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.007843138:128>>
    %ad = quant.dcast %aq : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.007843138:128>> to tensor<1x1x4x4xf32>
    %bq = quant.qcast %b {value_names = ["b_q"]} : tensor<1x1x4x4xf32> to tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0301:128>>
    %bd = quant.dcast %bq : tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0301:128>> to tensor<1x1x4x4xf32>
    %c = onnx.Concat "join" (%ad, %bd) -> ["c"] <{axis = 1 : i64}> : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
    %cq = quant.qcast %c {value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0301:128>>
    %y = quant.dcast %cq : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0301:128>> to tensor<1x2x4x4xf32>
    onnx.return %y : tensor<1x2x4x4xf32>
  }
}
