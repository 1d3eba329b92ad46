// RUN: autosplit-opt %s --split-input-file -p normalize-onnx | filecheck %s

// Attributes of old forms are inputs; names and locations stay.
// CHECK-LABEL: onnx.graph "clip"
// CHECK-DAG:   %[[LOW:.+]] = onnx.initializer "y__min" () <{value = dense<0.000000e+00> : tensor<f32>}>
// CHECK-DAG:   %[[HIGH:.+]] = onnx.initializer "y__max" () <{value = dense<6.000000e+00> : tensor<f32>}>
// CHECK:       onnx.Clip "limit" (%{{.+}}, %[[LOW]], %[[HIGH]]) -> ["y"] : {{.+}} -> tensor<2x3xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 9 : i64}} {
  onnx.graph "clip" (%x "x" : tensor<2x3xf32>) -> ["y"] {
    %y = onnx.Clip "limit" (%x, _, _) -> ["y"] <{min = 0.0 : f32, max = 6.0 : f32}> : (tensor<2x3xf32>) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Sizes that follow from a shape are constants, named as the op that computed them.
// CHECK-LABEL: onnx.graph "flatten"
// CHECK-NOT:   onnx.Shape
// CHECK:       %[[SIZE:.+]] = onnx.initializer "t" () <{value = dense<[2, -1]> : tensor<2xi64>}>
// CHECK-NEXT:  onnx.Reshape "view" (%{{.+}}, %[[SIZE]]) -> ["y"] : {{.+}} -> tensor<2x12xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "flatten" (%x "x" : tensor<2x3x4xf32>) -> ["y"] {
    %minus = onnx.initializer "minus" () <{value = dense<-1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %s = onnx.Shape "" (%x) -> ["s"] <{start = 0 : i64, end = 1 : i64}> : (tensor<2x3x4xf32>) -> !platform.unknown
    %t = onnx.Concat "" ([%s, %minus]) -> ["t"] <{axis = 0 : i64}> : (!platform.unknown, tensor<1xi64>) -> !platform.unknown
    %y = onnx.Reshape "view" (%x, %t) -> ["y"] : (tensor<2x3x4xf32>, !platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Identities and dropouts are their operands; random numbers are not folded.
// CHECK-LABEL: onnx.graph "names"
// CHECK:       onnx.RandomNormalLike
// CHECK-NOT:   onnx.Identity
// CHECK-NOT:   onnx.Dropout
// CHECK:       onnx.Add "add"
// CHECK-NEXT:  onnx.return
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "names" (%x "x" : tensor<2xf32>) -> ["y"] {
    %c = onnx.initializer "c" () <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>
    %r = onnx.RandomNormalLike "" (%c) -> ["r"] : (tensor<2xf32>) -> tensor<2xf32>
    %i = onnx.Identity "" (%x) -> ["i"] : (tensor<2xf32>) -> tensor<2xf32>
    %d = onnx.opaque "" (%i) -> ["d"] <{op_type = "Dropout", domain = ""}> : (tensor<2xf32>) -> tensor<2xf32>
    %a = onnx.Add "add" (%d, %r) -> ["a"] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %y = onnx.Identity "" (%a) -> ["y"] : (tensor<2xf32>) -> tensor<2xf32>
    onnx.return %y : tensor<2xf32>
  }
}

// -----

// Ops of other domains stay as they are.
// CHECK-LABEL: onnx.graph "foreign"
// CHECK:       onnx.opaque "magic"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "foreign" (%x "x" : tensor<2xf32>) -> ["y"] {
    %y = onnx.opaque "magic" (%x) -> ["y"] <{op_type = "Clip", domain = "my.ops"}> : (tensor<2xf32>) -> tensor<2xf32>
    onnx.return %y : tensor<2xf32>
  }
}
