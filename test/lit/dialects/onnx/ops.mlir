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
// CHECK:         onnx.Resize "r" (%xbn, _, %sbn, _) -> ["r"] <{mode = "nearest"}>
// CHECK:         onnx.LSTM "l" (%xbn, %wbn, %wbn, _, _, %hbn, _, _) -> ["", "yh"]
// CHECK:         onnx.Clip "k" (%xbn, _, %sbn) -> ["k"]
// CHECK:         onnx.Concat "cat" (%xbn, %xbn, %xbn) -> ["cat"] <{axis = 0 : i64}>
onnx.graph "positions" (%xbn "x" : tensor<*xf32>, %sbn "s" : tensor<4xf32>, %wbn "w" : tensor<*xf32>, %hbn "h" : tensor<*xf32>) -> [] {
  %rbn = onnx.Resize "r" (%xbn, _, %sbn, _) -> ["r"] <{mode = "nearest"}> : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  %lbn, %yhbn = onnx.LSTM "l" (%xbn, %wbn, %wbn, _, _, %hbn, _, _) -> ["", "yh"] : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> (!platform.unknown, tensor<*xf32>)
  %kbn = onnx.Clip "k" (%xbn, _, %sbn) -> ["k"] : (tensor<*xf32>, tensor<4xf32>) -> tensor<*xf32>
  %catbn = onnx.Concat "cat" (%xbn, %xbn, %xbn) -> ["cat"] <{axis = 0 : i64}> : (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  onnx.return
}

// Bodies read the values around them.

// CHECK-LABEL: onnx.graph "bodies"
// CHECK:         %zcn = onnx.If "if" (%ccn) -> ["z"] ({
// CHECK-NEXT:      onnx.graph "then" () -> ["a"] {
// CHECK-NEXT:        %acn = onnx.Neg "" (%xcn) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:        onnx.return %acn : tensor<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }, {
// CHECK-NEXT:      onnx.graph "else" () -> ["x"] {
// CHECK-NEXT:        onnx.return %xcn : tensor<4xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }) : (tensor<i1>) -> tensor<4xf32>
// CHECK:         %qcn = onnx.Loop "loop" (%mcn, _, %xcn) -> ["q"] ({
// CHECK-NEXT:      onnx.graph "body" (%icn "i" : tensor<i64>, %dcn "d" : tensor<i1>, %vcn "v" : tensor<4xf32>) -> ["d", "u"] {
onnx.graph "bodies" (%ccn "c" : tensor<i1>, %mcn "m" : tensor<i64>, %xcn "x" : tensor<4xf32>) -> ["z", "q"] {
  %zcn = onnx.If "if" (%ccn) -> ["z"] ({
    onnx.graph "then" () -> ["a"] {
      %acn = onnx.Neg "" (%xcn) -> ["a"] : (tensor<4xf32>) -> tensor<4xf32>
      onnx.return %acn : tensor<4xf32>
    }
  }, {
    onnx.graph "else" () -> ["x"] {
      onnx.return %xcn : tensor<4xf32>
    }
  }) : (tensor<i1>) -> tensor<4xf32>
  %qcn = onnx.Loop "loop" (%mcn, _, %xcn) -> ["q"] ({
    onnx.graph "body" (%icn "i" : tensor<i64>, %dcn "d" : tensor<i1>, %vcn "v" : tensor<4xf32>) -> ["d", "u"] {
      %ucn = onnx.Add "add" (%vcn, %zcn) -> ["u"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      onnx.return %dcn, %ucn : tensor<i1>, tensor<4xf32>
    }
  }) : (tensor<i64>, tensor<4xf32>) -> tensor<4xf32>
  onnx.return %zcn, %qcn : tensor<4xf32>, tensor<4xf32>
}

// A node of another domain is opaque, and says which inputs are there.

// CHECK-LABEL: onnx.graph "others"
// CHECK:         onnx.opaque "g" (%xdn, _, %xdn) -> ["g"] <{op_type = "FusedGemm", domain = "com.microsoft", node_fields = {activation = "Relu", alpha = 1.000000e+00 : f32}, present = array<i32: 1, 0, 1>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK:         onnx.opaque "p" (%xdn) -> ["p"] <{op_type = "Apply", domain = "mine", region_names = ["fn"]}> ({
// CHECK:         onnx.ml.Binarizer "b" (%xdn) -> ["b"] <{threshold = 0x7f800000 : f32}>
onnx.graph "others" (%xdn "x" : tensor<4xf32>) -> [] {
  %gdn = onnx.opaque "g" (%xdn, _, %xdn) -> ["g"] <{op_type = "FusedGemm", domain = "com.microsoft",
      node_fields = {activation = "Relu", alpha = 1.0 : f32}, present = array<i32: 1, 0, 1>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %pdn = onnx.opaque "p" (%xdn) -> ["p"] <{op_type = "Apply", domain = "mine", region_names = ["fn"]}> ({
    onnx.graph "fn" () -> ["x"] {
      onnx.return %xdn : tensor<4xf32>
    }
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %bdn = onnx.ml.Binarizer "b" (%xdn) -> ["b"] <{threshold = 0x7f800000 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return
}

// Constants: inline, as exact bits, as strings, with the encoding of the file, in the weight store, as it was.

// CHECK-LABEL: onnx.graph "constants"
// CHECK:         value = dense<[true, false]> : tensor<2xi1>
// CHECK:         value = #onnx.bits<"000080FF0000C07F" : tensor<2xf32>>
// CHECK:         value = #onnx.bits<"7F" : tensor<1xf8E4M3FN>>
// CHECK:         value = #onnx.strings<["a", "é"], tensor<2x!onnx.string>>
// CHECK:         value = #onnx.tensor<"", typed, dense<[1, -1]> : tensor<2xi64>>
// CHECK:         value = #platform.weight<"big", "8f14e45fceea167a", tensor<64x64xf32>>
// CHECK:         sparse
onnx.graph "constants" () -> [] {
  %ben = onnx.initializer "b" () <{value = dense<[true, false]> : tensor<2xi1>}> : () -> tensor<2xi1>
  %fen = onnx.initializer "f" () <{value = #onnx.bits<"000080FF0000C07F" : tensor<2xf32>>}> : () -> tensor<2xf32>
  %een = onnx.initializer "e" () <{value = #onnx.bits<"7F" : tensor<1xf8E4M3FN>>}> : () -> tensor<1xf8E4M3FN>
  %sen = onnx.initializer "s" () <{value = #onnx.strings<["a", "é"], tensor<2x!onnx.string>>}> : () -> tensor<2x!onnx.string>
  %ten = onnx.initializer "t" () <{value = #onnx.tensor<"", typed, dense<[1, -1]> : tensor<2xi64>>}> : () -> tensor<2xi64>
  %wen = onnx.initializer "big" () <{value = #platform.weight<"big", "8f14e45fceea167a", tensor<64x64xf32>>}> : () -> tensor<64x64xf32>
  %pen = onnx.initializer "p" () <{value = #platform.proto<"\0A\00">, sparse}> : () -> tensor<4xf32>
  onnx.return
}

// Values that are not tensors.

// CHECK-LABEL: onnx.graph "types"
// CHECK-SAME:    (%afn "a" : !onnx.sequence<tensor<?xf32>>, %bfn "b" : !onnx.optional<tensor<*xi64>>, %cfn "c" : !onnx.map<i64, tensor<f32>>, %dfn "d" : !onnx.sparse_tensor<tensor<?x8xf32>>)
// CHECK:         onnx.SequenceAt "" (%afn, %ifn) -> ["at"]
onnx.graph "types" (%afn "a" : !onnx.sequence<tensor<?xf32>>, %bfn "b" : !onnx.optional<tensor<*xi64>>,
                    %cfn "c" : !onnx.map<i64, tensor<f32>>, %dfn "d" : !onnx.sparse_tensor<tensor<?x8xf32>>) -> ["at"] {
  %ifn = onnx.initializer "i" () <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  %atfn = onnx.SequenceAt "" (%afn, %ifn) -> ["at"] : (!onnx.sequence<tensor<?xf32>>, tensor<i64>) -> tensor<?xf32>
  onnx.return %atfn : tensor<?xf32>
}

// Names of any characters; numbers that dense attributes would not keep; what only an exporter reads.

// CHECK-LABEL: onnx.graph "Graph é"
// CHECK-SAME:    (%0 "入力" : tensor<?xf32, #platform.dims<["大きさ"]>>) -> ["出力"]
// CHECK:         "Schwelle é" (%0) -> ["出力"] <{alpha = -0.000000e+00 : f32, beta = 0x7fc00000 : f32, rest = #platform.proto<"2\03doc">}>
onnx.graph "Graph é" (%0 "入力" : tensor<?xf32, #platform.dims<["大きさ"]>>) -> ["出力"] {
  %1 = onnx.HardSigmoid "Schwelle é" (%0) -> ["出力"] <{alpha = -0.0 : f32, beta = 0x7fc00000 : f32, rest = #platform.proto<"2\03doc">}> : (tensor<?xf32, #platform.dims<["大きさ"]>>) -> tensor<?xf32>
  onnx.return %1 : tensor<?xf32>
}

}
