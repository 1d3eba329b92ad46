// RUN: AUTOSPLIT_ROUNDTRIP

builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}, onnx.ir_version = 8 : i64} {

// Inputs, values and outputs have their names in the model; constants are small here, so they are in the text.

// CHECK-LABEL: onnx.graph "main"
// CHECK-SAME:    (%x "x" : tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>) -> ["y"] {
// CHECK-NEXT:    %w = onnx.initializer "w" () <{value = dense<1.000000e+00> : tensor<4x3x1x1xf32>}> : () -> tensor<4x3x1x1xf32>
// CHECK-NEXT:    %c = onnx.Conv "conv" (%x, %w) -> ["c"] <{group = 1 : i64, pads = array<i64: 0, 0, 0, 0>}> : (tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>, tensor<4x3x1x1xf32>) -> !platform.unknown
// CHECK-NEXT:    %y = onnx.Relu "" (%c) -> ["y"] : (!platform.unknown) -> tensor<?x4x8x8xf32>
// CHECK-NEXT:    onnx.return %y : tensor<?x4x8x8xf32>
onnx.graph "main" (%x "x" : tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<4x3x1x1xf32>}> : () -> tensor<4x3x1x1xf32>
  %c = onnx.Conv "conv" (%x, %w) -> ["c"] <{group = 1 : i64, pads = array<i64: 0, 0, 0, 0>}>
      : (tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>, tensor<4x3x1x1xf32>) -> !platform.unknown
  %y = onnx.Relu "" (%c) -> ["y"] : (!platform.unknown) -> tensor<?x4x8x8xf32>
  onnx.return %y : tensor<?x4x8x8xf32>
}

// An input in the middle may be left out, an output as well; several at the end are a list.

// CHECK-LABEL: onnx.graph "positions"
// CHECK:         onnx.Resize "r" (%x, _, %s, _) -> ["r"] <{mode = "nearest"}>
// CHECK:         onnx.LSTM "l" (%x, %w, %w, _, _, %h, _, _) -> ["", "yh"]
// CHECK:         onnx.Clip "k" (%x, _, %s) -> ["k"]
// CHECK:         onnx.Concat "cat" (%x, %x, %x) -> ["cat"] <{axis = 0 : i64}>
onnx.graph "positions" (%x "x" : tensor<*xf32>, %s "s" : tensor<4xf32>, %w "w" : tensor<*xf32>, %h "h" : tensor<*xf32>) -> [] {
  %r = onnx.Resize "r" (%x, _, %s, _) -> ["r"] <{mode = "nearest"}> : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  %l, %yh = onnx.LSTM "l" (%x, %w, %w, _, _, %h, _, _) -> ["", "yh"] : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> (!platform.unknown, tensor<*xf32>)
  %k = onnx.Clip "k" (%x, _, %s) -> ["k"] : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  %cat = onnx.Concat "cat" (%x, %x, %x) -> ["cat"] <{axis = 0 : i64}> : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  onnx.return
}

// Bodies read the values around them.

// CHECK-LABEL: onnx.graph "bodies"
// CHECK:         %z = onnx.If "if" (%c) -> ["z"] ({
// CHECK-NEXT:      onnx.graph "then" () -> ["a"] {
// CHECK-NEXT:        %a = onnx.Neg "" (%x) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:        onnx.return %a : tensor<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }, {
// CHECK-NEXT:      onnx.graph "else" () -> ["x"] {
// CHECK-NEXT:        onnx.return %x : tensor<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }) : (tensor<i1>) -> tensor<4xf32>
// CHECK:         %q = onnx.Loop "loop" (%m, _, %x) -> ["q"] ({
// CHECK-NEXT:      onnx.graph "body" (%i "i" : tensor<i64>, %d "d" : tensor<i1>, %v "v" : tensor<4xf32>) -> ["d", "u"] {
onnx.graph "bodies" (%c "c" : tensor<i1>, %m "m" : tensor<i64>, %x "x" : tensor<4xf32>) -> ["z", "q"] {
  %z = onnx.If "if" (%c) -> ["z"] ({
    onnx.graph "then" () -> ["a"] {
      %a = onnx.Neg "" (%x) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
      onnx.return %a : tensor<4xf32>
    }
  }, {
    onnx.graph "else" () -> ["x"] {
      onnx.return %x : tensor<4xf32>
    }
  }) : (tensor<i1>) -> tensor<4xf32>
  %q = onnx.Loop "loop" (%m, _, %x) -> ["q"] ({
    onnx.graph "body" (%i "i" : tensor<i64>, %d "d" : tensor<i1>, %v "v" : tensor<4xf32>) -> ["d", "u"] {
      %u = onnx.Add "add" (%v, %z) -> ["u"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      onnx.return %d, %u : tensor<i1>, tensor<4xf32>
    }
  }) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32>
  onnx.return %z, %q : tensor<4xf32>, tensor<4xf32>
}

// A node of another domain is opaque, and says which inputs are there.

// CHECK-LABEL: onnx.graph "others"
// CHECK:         onnx.opaque "g" (%x, _, %x) -> ["g"] <{op_type = "FusedGemm", domain = "com.microsoft", node_fields = {activation = "Relu", alpha = 1.000000e+00 : f32}, present = array<i32: 1, 0, 1>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK:         onnx.opaque "p" (%x) -> ["p"] <{op_type = "Apply", domain = "mine", region_names = ["fn"]}> ({
// CHECK:         onnx.ml.Binarizer "b" (%x) -> ["b"] <{threshold = 0x7f800000 : f32}>
onnx.graph "others" (%x "x" : tensor<4xf32>) -> [] {
  %g = onnx.opaque "g" (%x, _, %x) -> ["g"] <{op_type = "FusedGemm", domain = "com.microsoft",
      node_fields = {activation = "Relu", alpha = 1.0 : f32}, present = array<i32: 1, 0, 1>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %p = onnx.opaque "p" (%x) -> ["p"] <{op_type = "Apply", domain = "mine", region_names = ["fn"]}> ({
    onnx.graph "fn" () -> ["x"] {
      onnx.return %x : tensor<4xf32>
    }
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %b = onnx.ml.Binarizer "b" (%x) -> ["b"] <{threshold = 0x7f800000 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return
}

// Constants: inline, as exact bits, as strings, with the encoding of the file, in the weight store, as it was.

// CHECK-LABEL: onnx.graph "constants"
// CHECK:         value = dense<[true, false]> : tensor<2xi1>
// CHECK:         value = #onnx.bits<"000080FF0000C07F" : tensor<2xf32>>
// CHECK:         value = #onnx.bits<"7F" : tensor<1xf8E4M3FN>>
// CHECK:         value = #onnx.strings<["a", "\C3\A9"], tensor<2x!onnx.string>>
// CHECK:         value = #onnx.tensor<"", typed, dense<[1, -1]> : tensor<2xi64>>
// CHECK:         value = #platform.weight<"big", "8f14e45fceea167a", tensor<64x64xf32>>
// CHECK:         sparse
onnx.graph "constants" () -> [] {
  %b = onnx.initializer "b" () <{value = dense<[true, false]> : tensor<2xi1>}> : () -> tensor<2xi1>
  %f = onnx.initializer "f" () <{value = #onnx.bits<"000080FF0000C07F" : tensor<2xf32>>}> : () -> tensor<2xf32>
  %e = onnx.initializer "e" () <{value = #onnx.bits<"7F" : tensor<1xf8E4M3FN>>}> : () -> tensor<1xf8E4M3FN>
  %s = onnx.initializer "s" () <{value = #onnx.strings<["a", "\C3\A9"], tensor<2x!onnx.string>>}> : () -> tensor<2x!onnx.string>
  %t = onnx.initializer "t" () <{value = #onnx.tensor<"", typed, dense<[1, -1]> : tensor<2xi64>>}> : () -> tensor<2xi64>
  %w = onnx.initializer "big" () <{value = #platform.weight<"big", "8f14e45fceea167a", tensor<64x64xf32>>}> : () -> tensor<64x64xf32>
  %p = onnx.initializer "p" () <{value = #platform.proto<"\0A\00">, sparse}> : () -> tensor<4xf32>
  onnx.return
}

// Values that are no tensors.

// CHECK-LABEL: onnx.graph "types"
// CHECK-SAME:    (%a "a" : !onnx.sequence<tensor<?xf32>>, %b "b" : !onnx.optional<tensor<*xi64>>, %c "c" : !onnx.map<i64, tensor<f32>>, %d "d" : !onnx.sparse_tensor<tensor<?x8xf32>>)
// CHECK:         onnx.SequenceAt "" (%a, %i) -> ["at"]
onnx.graph "types" (%a "a" : !onnx.sequence<tensor<?xf32>>, %b "b" : !onnx.optional<tensor<*xi64>>,
                    %c "c" : !onnx.map<i64, tensor<f32>>, %d "d" : !onnx.sparse_tensor<tensor<?x8xf32>>) -> ["at"] {
  %i = onnx.initializer "i" () <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  %at = onnx.SequenceAt "" (%a, %i) -> ["at"] : (!onnx.sequence<tensor<?xf32>>, tensor<i64>) -> tensor<?xf32>
  onnx.return %at : tensor<?xf32>
}

// Names of any characters; numbers that dense attributes would not keep; what only an exporter reads.

// CHECK-LABEL: onnx.graph "Graph é"
// CHECK-SAME:    (%0 "入力" : tensor<?xf32, #platform.dims<["大きさ"]>>) -> ["出力"]
// CHECK:         "quote \22 é" (%0) -> ["出力"] <{alpha = -0.000000e+00 : f32, beta = 0x7fc00000 : f32, rest = #platform.proto<"2\03doc">}>
onnx.graph "Graph é" (%0 "入力" : tensor<?xf32, #platform.dims<["大きさ"]>>) -> ["出力"] {
  %1 = onnx.HardSigmoid "quote \22 \C3\A9" (%0) -> ["出力"] <{alpha = -0.0 : f32, beta = 0x7fc00000 : f32, rest = #platform.proto<"2\03doc">}> : (tensor<?xf32, #platform.dims<["大きさ"]>>) -> tensor<?xf32>
  onnx.return %1 : tensor<?xf32>
}

}
