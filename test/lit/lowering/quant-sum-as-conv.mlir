// RUN: autosplit-opt %s -p 'quant-sum-as-conv{sums=close}' --split-input-file --no-locations | filecheck %s
// RUN: autosplit-opt %s -p 'quant-sum-as-conv{sums=fast}' --split-input-file --no-locations | filecheck %s --check-prefix=FAST

// One operand is multiplied by one, channel by channel.
// CHECK-LABEL: onnx.graph "residual"
// CHECK-NEXT: %[[A:.+]] = quant.dcast %x
// CHECK-NEXT: %[[B:.+]] = quant.dcast %z
// CHECK-NEXT: %[[I:.+]] = onnx.initializer "s__ones" () <{value = dense<2> : tensor<3x1x1x1xi8>}>
// CHECK-NEXT: %[[Q:.+]] = quant.scast %[[I]] : tensor<3x1x1x1xi8> to tensor<3x1x1x1x!quant.uniform<i8:f32, 0.5>>
// CHECK-NEXT: %[[W:.+]] = quant.dcast %[[Q]]
// CHECK-NEXT: %[[C:.+]] = onnx.Conv "" (%[[B]], %[[W]]) -> ["s__same"] <{group = 3 : i64
// CHECK-NEXT: %[[S:.+]] = onnx.Add "sum" (%[[A]], %[[C]]) -> ["s"]
// CHECK-NEXT: onnx.Relu "relu" (%[[S]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "residual" (%x "x" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %z : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %r : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// The kernel writes over its summand, so that is the operand that is stored as the result is; sizes may be open.
// CHECK-LABEL: onnx.graph "mixed"
// CHECK: %[[A:.+]] = quant.dcast %x
// CHECK: %[[B:.+]] = quant.dcast %z
// CHECK: %[[C:.+]] = onnx.Conv "" (%[[A]],
// CHECK: onnx.Add "sum" (%[[C]], %[[B]])
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "mixed" (%x "x" : tensor<?x3x?x?x!quant.uniform<i8:f32, 0.1>>, %z "z" : tensor<?x3x?x?x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<?x3x?x?x!quant.uniform<i8:f32, 0.1>> to tensor<?x3x?x?xf32>
    %b = quant.dcast %z : tensor<?x3x?x?x!quant.uniform<u8:f32, 0.1:7>> to tensor<?x3x?x?xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
    %y = quant.qcast %r : tensor<?x3x?x?xf32> to tensor<?x3x?x?x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<?x3x?x?x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// Neither operand is.
// CHECK-LABEL: onnx.graph "signs"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "signs" (%x "x" : tensor<1x3x4x4x!quant.uniform<i8:f32, 0.1>>, %z "z" : tensor<1x3x4x4x!quant.uniform<i8:f32, 0.1>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<i8:f32, 0.1>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %z : tensor<1x3x4x4x!quant.uniform<i8:f32, 0.1>> to tensor<1x3x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %r : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// An operand is broadcast.
// CHECK-LABEL: onnx.graph "broadcast"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "broadcast" (%x "x" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<1x3x1x1x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %z : tensor<1x3x1x1x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x1x1xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x3x4x4xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %r : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// Not an image.
// CHECK-LABEL: onnx.graph "rows"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "rows" (%x "x" : tensor<5x3x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<5x3x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<5x3x!quant.uniform<u8:f32, 0.1:7>> to tensor<5x3xf32>
    %b = quant.dcast %z : tensor<5x3x!quant.uniform<u8:f32, 0.1:7>> to tensor<5x3xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<5x3xf32>) -> tensor<5x3xf32>
    %y = quant.qcast %r : tensor<5x3xf32> to tensor<5x3x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<5x3x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// How many channels there are is unknown.
// CHECK-LABEL: onnx.graph "channels"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "channels" (%x "x" : tensor<1x?x4x4x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<1x?x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x?x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x?x4x4xf32>
    %b = quant.dcast %z : tensor<1x?x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x?x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x?x4x4xf32>, tensor<1x?x4x4xf32>) -> tensor<1x?x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x?x4x4xf32>) -> tensor<1x?x4x4xf32>
    %y = quant.qcast %r : tensor<1x?x4x4xf32> to tensor<1x?x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x?x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// Parameters by the channel.
// CHECK-LABEL: onnx.graph "by_channel"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "by_channel" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1:7, 0.2:7}>>, %z "z" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32:1, {0.1:7, 0.2:7}>> to tensor<1x2x4x4xf32>
    %b = quant.dcast %z : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// More than 8 bits.
// CHECK-LABEL: onnx.graph "wide"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "wide" (%x "x" : tensor<1x3x4x4x!quant.uniform<u16:f32, 0.1>>, %z "z" : tensor<1x3x4x4x!quant.uniform<u16:f32, 0.1>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u16:f32, 0.1>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %z : tensor<1x3x4x4x!quant.uniform<u16:f32, 0.1>> to tensor<1x3x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %r : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u16:f32, 0.1>>
    onnx.return %y : tensor<1x3x4x4x!quant.uniform<u16:f32, 0.1>>
  }
}

// -----

// What stands between is not a ReLU.
// CHECK-LABEL: onnx.graph "between"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "between" (%x "x" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %z : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.Exp "relu" (%s) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %r : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
  }
}

// -----

// The sum is an output, too.
// CHECK-LABEL: onnx.graph "returned"
// CHECK-NOT:   onnx.Conv
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "returned" (%x "x" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>, %z "z" : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>>) -> ["y", "s"] {
    %a = quant.dcast %x : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %b = quant.dcast %z : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.1:7>> to tensor<1x3x4x4xf32>
    %s = onnx.Add "sum" (%a, %b) -> ["s"] : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
    %y = quant.qcast %r : tensor<1x3x4x4xf32> to tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>
    onnx.return %y, %s : tensor<1x3x4x4x!quant.uniform<u8:f32, 0.2:9>>, tensor<1x3x4x4xf32>
  }
}

// -----

// It can be computed with the convolution in front of it, if that is not rounded.
// CHECK-LABEL: onnx.graph "sum"
// CHECK:       onnx.initializer "s__ones"
// FAST-LABEL:  onnx.graph "sum"
// FAST-NOT:    onnx.initializer "s__ones"
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "sum" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>, %k "k" : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>) -> ["y"] {
    %xd = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %w = quant.dcast %k : tensor<2x2x1x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %od = quant.dcast %o : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>> to tensor<1x2x4x4xf32>
    %q = quant.qcast %c {node_name = "q", value_names = ["c_q"]} : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>>
    %d = quant.dcast %q {node_name = "d", value_names = ["c_d"]} : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1:128>> to tensor<1x2x4x4xf32>
    %s = onnx.Add "add" (%d, %od) -> ["s"] : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %r = onnx.Relu "relu" (%s) -> ["r"] : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
    %y = quant.qcast %r : tensor<1x2x4x4xf32> to tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
    onnx.return %y : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.02:9>>
  }
}

// -----

// Of three dimensions the second is the channels where a convolution makes an operand; rows of numbers are left alone.
// CHECK-LABEL: onnx.graph "sequences"
// CHECK:       onnx.initializer "s__ones" () <{value = dense<2> : tensor<2x1x1xi8>}>
// CHECK-NOT:   onnx.initializer "t__ones"
!b = tensor<1x2x4x!quant.uniform<u8:f32, 0.02:9>>
!r = tensor<1x2x4xf32>
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "sequences" (%x "x" : !b, %k "k" : tensor<2x2x1x!quant.uniform<i8:f32, 0.01>>, %o "o" : !b) -> ["y", "z"] {
    %xd = quant.dcast %x : !b to !r
    %w = quant.dcast %k : tensor<2x2x1x!quant.uniform<i8:f32, 0.01>> to tensor<2x2x1xf32>
    %c = onnx.Conv "conv" (%xd, %w, _) -> ["c"] : (!r, tensor<2x2x1xf32>) -> !r
    %q = quant.qcast %c : !r to !b
    %d = quant.dcast %q : !b to !r
    %od = quant.dcast %o : !b to !r
    %s = onnx.Add "sum" (%d, %od) -> ["s"] : (!r, !r) -> !r
    %y = quant.qcast %s : !r to !b
    %xe = quant.dcast %x : !b to !r
    %oe = quant.dcast %o : !b to !r
    %t = onnx.Add "rows" (%xe, %oe) -> ["t"] : (!r, !r) -> !r
    %z = quant.qcast %t : !r to !b
    onnx.return %y, %z : !b, !b
  }
}
