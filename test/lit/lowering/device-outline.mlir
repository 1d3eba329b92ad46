// RUN: autosplit-opt %s --split-input-file --no-locations -p device-outline | filecheck %s
// RUN: autosplit-opt %s --split-input-file --no-locations -p 'device-outline{regions=true}' | filecheck %s --check-prefix=REGIONS
// RUN: autosplit-opt %s --split-input-file -p 'device-outline{regions=true}' --print-op-generic | autosplit-opt --split-input-file | filecheck %s --check-prefix=REGIONS

// Two sub-models, and the line of calls that runs them. Both hold the constant that both read.
// CHECK:       device.func @graph_0 <tpu, "bm1684"> (%x "x" : tensor<1x4xf32>) -> ["s"]
// CHECK-NEXT:    %[[HALF:.+]] = onnx.initializer "half" () {{.+}} {device.constant} :
// CHECK-NEXT:    %[[S:.+]] = onnx.Sub "center" (%x, %[[HALF]]) -> ["s"]
// CHECK-NEXT:    device.return %[[S]] : tensor<1x4xf32>
// CHECK:       device.func @graph_1 <cpu> (%[[S]] "s" : tensor<1x4xf32>) -> ["y"]
// CHECK-NEXT:    %[[HALF]] = onnx.initializer "half" () {{.+}} {device.constant} :
// CHECK-NEXT:    %[[E:.+]] = onnx.Erf "erf" (%[[S]]) -> ["e"]
// CHECK-NEXT:    %[[Y:.+]] = onnx.Mul "scale" (%[[E]], %[[HALF]]) -> ["y"]
// CHECK-NEXT:    device.return %[[Y]] : tensor<1x4xf32>
// CHECK:       device.func @main <host> (%x "x" : tensor<1x4xf32>) -> ["y"]
// CHECK-NEXT:    %[[S]] = device.call @graph_0(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    %[[Y]] = device.call @graph_1(%[[S]]) : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    device.return %[[Y]] : tensor<1x4xf32>
// CHECK-NOT:   onnx.graph

// REGIONS:       device.func @main <host> (%[[X:[a-z0-9_]+]] "x" : tensor<1x4xf32>{{.*}}) -> ["y"]
// REGIONS-NEXT:    %[[S:.+]] = device.region <tpu, "bm1684"> (%{{.+}}: tensor<1x4xf32>{{.*}} = %[[X]]) -> (tensor<1x4xf32>) {
// REGIONS-NEXT:      onnx.initializer "half"
// REGIONS-NEXT:      onnx.Sub "center"
// REGIONS-NEXT:      device.yield
// REGIONS-NEXT:    }
// REGIONS-NEXT:    %[[Y:.+]] = device.region <cpu> (%{{.+}}: tensor<1x4xf32>{{.*}} = %[[S]]) -> (tensor<1x4xf32>) {
// REGIONS:           onnx.initializer "half"
// REGIONS-NEXT:      onnx.Erf "erf"
// REGIONS-NEXT:      onnx.Mul "scale"
// REGIONS-NEXT:      device.yield
// REGIONS-NEXT:    }
// REGIONS-NEXT:    device.return %[[Y]] : tensor<1x4xf32>
builtin.module attributes {
  platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64},
  device.plan = {stages = [#device.target<tpu, "bm1684">, #device.target<cpu>]}
} {
  onnx.graph "end" (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %half = onnx.initializer "half" () <{value = dense<0.5> : tensor<f32>}> {device.constant} : () -> tensor<f32>
    %s = onnx.Sub "center" (%x, %half) -> ["s"] {device.stage = 0 : i64} : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    %e = onnx.Erf "erf" (%s) -> ["e"] {device.stage = 1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.Mul "scale" (%e, %half) -> ["y"] {device.stage = 1 : i64} : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
    onnx.return %y : tensor<1x4xf32>
  }
}

// -----

// A tensor that the model returns and several sub-models read, one of them inside of a body: given once,
// and main hands it to each.
// CHECK:       device.func @graph_0 <{{.+}}> (%x "x" : {{[^,]+}}) -> ["r"]
// CHECK:       device.func @graph_1 <cpu> (%b "b" : tensor<i1>, %[[R:.+]] "r" : tensor<1x4xf32>) -> ["i"]
// CHECK-NEXT:    onnx.If "if" (%b)
// CHECK:           onnx.Neg "neg" (%[[R]])
// CHECK:           onnx.Identity "id" (%[[R]])
// CHECK:       device.func @graph_2 <{{.+}}> (%{{[^,]+}} "i" : {{[^,]+}}, %{{[^,]+}} "r" : {{[^,]+}}) -> ["y"]
// CHECK:       device.func @main <{{.+}}> (%x "x" : tensor<1x4xf32>, %b "b" : tensor<i1>) -> ["r", "y"]
// CHECK-NEXT:    %[[R]] = device.call @graph_0(%x)
// CHECK-NEXT:    %[[I:.+]] = device.call @graph_1(%b, %[[R]])
// CHECK-NEXT:    %[[Y:.+]] = device.call @graph_2(%[[I]], %[[R]])
// CHECK-NEXT:    device.return %[[R]], %[[Y]] :
builtin.module attributes {
  platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64},
  device.plan = {stages = [#device.target<tpu, "bm1684">, #device.target<cpu>, #device.target<tpu, "bm1684">]}
} {
  onnx.graph "captures" (%x "x" : tensor<1x4xf32>, %b "b" : tensor<i1>) -> ["r", "y"] {
    %r = onnx.Relu "relu" (%x) -> ["r"] {device.stage = 0 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %i = onnx.If "if" (%b) -> ["i"] {device.stage = 1 : i64} ({
      onnx.graph "then" () -> ["t"] {
        %t = onnx.Neg "neg" (%r) -> ["t"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
        onnx.return %t : tensor<1x4xf32>
      }
    }, {
      onnx.graph "else" () -> ["f"] {
        %f = onnx.Identity "id" (%r) -> ["f"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
        onnx.return %f : tensor<1x4xf32>
      }
    }) : (tensor<i1>) -> tensor<1x4xf32>
    %y = onnx.Add "add" (%i, %r) -> ["y"] {device.stage = 2 : i64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    onnx.return %r, %y : tensor<1x4xf32>, tensor<1x4xf32>
  }
}

// -----

// A size that is known beforehand is read as it is in the sub-model that computes it, and is a constant in
// all others.
// CHECK:       device.func @graph_0 <{{.+}}> (%{{[^,]+}} "e" : {{[^,]+}}) -> ["s"]
// CHECK:         onnx.Shape "sizes"
// CHECK:       device.func @graph_1 <tpu, "bm1684"> (%{{[^,]+}} "e" : {{[^,]+}}) -> ["v"]
// CHECK:         %[[S:.+]] = onnx.initializer "s" () <{value = dense<[1, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
// CHECK-NEXT:    onnx.Reshape "view" (%{{.+}}, %[[S]])
// CHECK:       device.func @graph_2 <cpu> (%{{[^,]+}} "v" : {{[^,]+}}) -> ["y"]
// CHECK:         %[[T:.+]] = onnx.initializer "s" () <{value = dense<[1, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
// CHECK-NEXT:    %[[Q:.+]] = onnx.initializer "q" () <{value = dense<2> : tensor<2xi64>}> : () -> tensor<2xi64>
// CHECK-NEXT:    onnx.Expand "expand" (%v, %[[T]])
// CHECK-NEXT:    onnx.Reshape "square" (%{{.+}}, %[[Q]])
builtin.module attributes {
  platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64},
  device.plan = {stages = [#device.target<cpu>, #device.target<tpu, "bm1684">, #device.target<cpu>]}
} {
  onnx.graph "sizes" (%e "e" : tensor<1x4xf32>) -> ["y", "s"] {
    %s = onnx.Shape "sizes" (%e) -> ["s"] {device.stage = 0 : i64, device.value = [dense<[1, 4]> : tensor<2xi64>]} : (tensor<1x4xf32>) -> tensor<2xi64>
    %q = onnx.Add "more sizes" (%s, %s) -> ["q"] {device.folded, device.value = [dense<[2, 2]> : tensor<2xi64>]} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %v = onnx.Reshape "view" (%e, %s) -> ["v"] {device.stage = 1 : i64} : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %w = onnx.Expand "expand" (%v, %s) -> ["w"] {device.stage = 2 : i64} : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
    %y = onnx.Reshape "square" (%w, %q) -> ["y"] {device.stage = 2 : i64} : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    onnx.return %y, %s : tensor<2x2xf32>, tensor<2xi64>
  }
}

// -----

// TensorFlow: a sub-model's input can only be output 0 of a node, so an Identity carries output 1. The
// model's own output keeps its name. Constants come with what they are computed from.
// CHECK:       device.func @graph_0 <{{.+}}> (%{{[^,]+}} "x:0" : {{[^,]+}}) -> ["parts:1", "parts_1_sophon_auto:0"]
// CHECK:         tf.Const "axis" ()
// CHECK-NEXT:    tf.Identity "axis/read" (%axis)
// CHECK-NEXT:    %[[A:.+]], %[[B:.+]] = tf.Split "parts"
// CHECK-NEXT:    %[[I:.+]] = tf.Identity "parts_1_sophon_auto" (%[[B]]) <{T = f32}> : (tensor<1x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT:    device.return %[[B]], %[[I]] :
// CHECK:       device.func @graph_1 <{{.+}}> (%[[IN:.+]] "parts_1_sophon_auto:0" : tensor<1x2xf32>) -> ["z:0"]
// CHECK-NEXT:    tf.opaque "z" (%[[IN]])
// CHECK:       device.func @main <{{.+}}> (%{{[^,]+}} "x:0" : {{[^,]+}}) -> ["parts:1", "z:0"]
// CHECK:         %[[ONE:.+]], %[[TWO:.+]] = device.call @graph_0(%x)
// CHECK-NEXT:    %[[Z:.+]] = device.call @graph_1(%[[TWO]])
// CHECK-NEXT:    device.return %[[ONE]], %[[Z]] :
builtin.module attributes {
  platform.name = "tensorflow",
  device.plan = {stages = [#device.target<tpu, "bm1684">, #device.target<cpu>]}
} {
  tf.graph outputs ["parts:1", "z:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4]>}> : () -> tensor<1x4xf32>
    %axis = tf.Const "axis" () <{dtype = i32, value = dense<1> : tensor<i32>}> {device.constant} : () -> tensor<i32>
    %read = tf.Identity "axis/read" (%axis) <{T = i32}> {device.constant} : (tensor<i32>) -> tensor<i32>
    %a, %b = tf.Split "parts" (%read, %x) <{T = f32, num_split = 2 : i64}> {device.stage = 0 : i64} : (tensor<i32>, tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %z = tf.opaque "z" (%b) <{node.op = "NeverHeardOf"}> {device.stage = 1 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  }
}

// -----

// Such an Identity is on the CPU because what makes the value is.
// CHECK:         tf.Identity "a_1_sophon_auto" ({{.+}}) <{T = f32}> {device.moved = #device.reason<"tied", "goes where Split 'a' goes: it carries a result of that to others">}
// CHECK:         tf.Identity "b_1_sophon_auto" ({{.+}}) <{T = f32}> {device.moved = #device.reason<"pinned", "pinned to the CPU by 'b'">}
builtin.module attributes {
  platform.name = "tensorflow",
  device.plan = {stages = [#device.target<cpu>, #device.target<cpu>, #device.target<tpu, "bm1684">]}
} {
  tf.graph outputs ["y:0", "z:0"] {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[1, 4]>}> : () -> tensor<1x4xf32>
    %axis = tf.Const "axis" () <{dtype = i32, value = dense<1> : tensor<i32>}> {device.constant} : () -> tensor<i32>
    %a, %c = tf.Split "a" (%axis, %x) <{T = f32, num_split = 2 : i64}> {device.refused = {tpu = #device.reason<"form", "why">}, device.stage = 0 : i64} : (tensor<i32>, tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %b, %d = tf.Split "b" (%axis, %x) <{T = f32, num_split = 2 : i64}> {device.refused = {tpu = #device.reason<"pinned", "pinned to the CPU by 'b'">}, device.stage = 1 : i64} : (tensor<i32>, tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %y = tf.Relu "y" (%c) <{T = f32}> {device.stage = 2 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %z = tf.Relu "z" (%d) <{T = f32}> {device.stage = 2 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  }
}

// -----

// An input that is an output, and nothing else: a main without calls.
// CHECK:       device.func @main <host> (%x "x" : tensor<1x4xf32>) -> ["x"]
// CHECK-NEXT:    device.return %x : tensor<1x4xf32>
builtin.module attributes {
  platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}, device.plan = {stages = []}
} {
  onnx.graph "through" (%x "x" : tensor<1x4xf32>) -> ["x"] {
    onnx.return %x : tensor<1x4xf32>
  }
}
