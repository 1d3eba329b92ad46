// RUN: autosplit-opt %s --no-locations -p 'platform-prepare{inputs="x=2x3x8x8" outputs="p"}' | filecheck %s
// RUN: autosplit-opt %s --no-locations -p 'platform-prepare{inputs="p=2x3x4x4"}' | filecheck %s --check-prefix=INNER
// RUN: autosplit-opt %s --no-locations -p 'platform-prepare{inputs="x=..2x3x8x8" dynamic=true}' | filecheck %s --check-prefix=OPEN
// RUN: not autosplit-opt %s -p 'platform-prepare{inputs="q=1x3x8x8"}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not autosplit-opt %s -p 'platform-prepare{inputs="x=1x3x9x8"}' 2>&1 | filecheck %s --check-prefix=SIZE

// The input has the given sizes, also where the model names one of them, and what the output does not need is gone.
// CHECK:      onnx.graph "g" (%{{.+}} "x" : tensor<2x3x8x8xf32>) -> ["p"]
// CHECK-NEXT: onnx.MaxPool "pool"
// CHECK-NEXT: onnx.return

// INNER:      onnx.graph "g" (%{{.+}} "p" : tensor<2x3x4x4xf32>) -> ["y"]
// INNER-NEXT: onnx.Relu "relu"
// OPEN:       onnx.graph "g" (%{{.+}} "x" : tensor<?x3x8x8xf32

// NAME: the model has no input 'q'; it has 'x'
// SIZE: input 'x' is declared as Nx3x8x8: dimension 2 is 8, not 9
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 9 : i64}} {
  onnx.graph "g" (%x "x" : tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>) -> ["y"] {
    %p = onnx.MaxPool "pool" (%x) -> ["p"] <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (tensor<?x3x8x8xf32, #platform.dims<["N", "", "", ""]>>) -> tensor<?x3x4x4xf32, #platform.dims<["N", "", "", ""]>>
    %y = onnx.Relu "relu" (%p) -> ["y"] : (tensor<?x3x4x4xf32, #platform.dims<["N", "", "", ""]>>) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
