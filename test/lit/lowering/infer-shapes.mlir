// RUN: autosplit-opt %s -p infer-shapes | filecheck %s
// RUN: autosplit-opt %s -p 'platform-prepare{inputs="x=2x3x8x8"},infer-shapes' | filecheck %s --check-prefix=GIVEN

// What the input shapes imply, through arithmetic on shapes; the ops themselves stay.
// CHECK:       onnx.MaxPool "pool" {{.+}} -> tensor<?x3x4x4xf32
// CHECK:       onnx.Shape "" {{.+}} -> tensor<4xi64>
// CHECK:       onnx.Slice "" {{.+}} -> tensor<2xi64>
// CHECK:       onnx.ConstantOfShape "" {{.+}} -> tensor<4x4xf32>
// CHECK:       onnx.Add "sum" {{.+}} -> tensor<?x3x4x4xf32

// GIVEN:       onnx.graph "g" (%{{.+}} "x" : tensor<2x3x8x8xf32>)
// GIVEN:       onnx.Add "sum" {{.+}} -> tensor<2x3x4x4xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 9 : i64}} {
  onnx.graph "g" (%x "x" : tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>) -> ["y"] {
    %p = onnx.MaxPool "pool" (%x) -> ["p"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>) -> !platform.unknown
    %s = onnx.Shape "" (%p) -> ["s"] : (!platform.unknown) -> !platform.unknown
    %hw = onnx.Slice "" (%s, _, _, _, _) -> ["hw"] <{starts = array<i64: 2>, ends = array<i64: 4>}> : (!platform.unknown) -> !platform.unknown
    %z = onnx.ConstantOfShape "" (%hw) -> ["z"] : (!platform.unknown) -> !platform.unknown
    %y = onnx.Add "sum" (%p, %z) -> ["y"] : (!platform.unknown, !platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
