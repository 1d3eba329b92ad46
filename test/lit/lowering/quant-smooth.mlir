// RUN: autosplit-opt %s -p 'quant-smooth{data="%S/Inputs/outliers.npy"}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-smooth{data="%S/Inputs/outliers.npy" alpha=1.0}' --split-input-file | filecheck %s --check-prefix=ALL
// RUN: autosplit-opt %s -p 'quant-select,quant-calibrate{data="%S/Inputs/outliers.npy"}' --split-input-file | filecheck %s --check-prefix=LEVEL
// RUN: not autosplit-opt %s -p 'quant-smooth{data="%S/Inputs/outliers.npy" alpha=2.0}' --split-input-file 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not autosplit-opt %s -p quant-smooth --split-input-file 2>&1 | filecheck %s --check-prefix=NONE

// WRONG: an alpha of 2: expected a number from 0 to 1
// NONE:  there is no data: quantizing needs samples, see --data

// A channel with outliers is divided in the norm, and the weights of both products that read it are multiplied.
// CHECK-LABEL: onnx.graph "norm"
// CHECK-DAG:   %[[S:.+]] = onnx.initializer "s_scaled" {{.*}}dense<[8.000000e+00, 3.000000e+00]>
// CHECK-DAG:   %[[B:.+]] = onnx.initializer "b_scaled" {{.*}}dense<[8.000000e+00, 1.000000e+00]>
// CHECK-DAG:   %[[V:.+]] = onnx.initializer "v_scaled" {{.*}}dense<[[5.000000e-01], [2.500000e-01]]>
// CHECK-DAG:   %[[W:.+]] = onnx.initializer "w_scaled" {{.*}}dense<[[2.500000e-01], [1.250000e-01]]>
// CHECK:       onnx.LayerNormalization "n" (%x, %[[S]], %[[B]]) {{.*}}quant.exponents = array<i64: 3, -3>
// CHECK:       onnx.MatMul "m1" (%{{.+}}, %[[V]])
// CHECK:       onnx.MatMul "m2" (%{{.+}}, %[[W]])
// ALL-LABEL:   onnx.graph "norm"
// ALL:         quant.exponents = array<i64: 2, -2>
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 10 : i64, onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "norm" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %s = onnx.initializer "s" () <{value = dense<[1.0, 24.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %b = onnx.initializer "b" () <{value = dense<[1.0, 8.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %v = onnx.initializer "v" () <{value = dense<[[4.0], [0.03125]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
    %w = onnx.initializer "w" () <{value = dense<[[2.0], [0.015625]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
    %n = onnx.LayerNormalization "n" (%x, %s, %b) -> ["n"] <{axis = -1 : i64}> : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    %p = onnx.MatMul "m1" (%n, %v) -> ["p"] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
    %q = onnx.MatMul "m2" (%n, %w) -> ["q"] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
    %y = onnx.Add "sum" (%p, %q) -> ["y"] : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    onnx.return %y : tensor<1x1xf32>
  }
}

// -----
// Where a sum reads the norm too, nothing can be scaled without another op.
// CHECK-LABEL: onnx.graph "also read"
// CHECK-NOT:   _scaled
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 10 : i64, onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "also read" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %s = onnx.initializer "s" () <{value = dense<[1.0, 32.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %v = onnx.initializer "v" () <{value = dense<1.0> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %n = onnx.LayerNormalization "n" (%x, %s) -> ["n"] <{axis = -1 : i64}> : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
    %p = onnx.MatMul "m1" (%n, %v) -> ["p"] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
    %y = onnx.Add "sum" (%n, %p) -> ["y"] : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    onnx.return %y : tensor<1x2xf32>
  }
}

// -----
// Channels that a depthwise convolution reads are scaled up, whatever alpha is, as far as no end of them all moves.
// CHECK-LABEL: onnx.graph "depthwise"
// CHECK:       onnx.Conv "make" {{.*}}quant.exponents = array<i64: 0, 3>
// ALL-LABEL:   onnx.graph "depthwise"
// ALL:         quant.exponents = array<i64: 0, 3>
// That is done while ranges are measured, too.
// LEVEL-LABEL: onnx.graph "depthwise"
// LEVEL:       onnx.Conv "make" {{.*}}quant.exponents = array<i64: 0, 3>
// LEVEL:       quant.stats %r {{.*}}layerStats = dense<[0.000000e+00, 1.000000e+00]>
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 10 : i64, onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "depthwise" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %s = onnx.initializer "s" () <{value = dense<[1, 2, 1, 1]> : tensor<4xi64>}> : () -> tensor<4xi64>
    %w = onnx.initializer "w" () <{value = dense<[[[[1.0]], [[0.0]]], [[[0.125]], [[0.0]]]]> : tensor<2x2x1x1xf32>}> : () -> tensor<2x2x1x1xf32>
    %v = onnx.initializer "v" () <{value = dense<1.0> : tensor<2x1x1x1xf32>}> : () -> tensor<2x1x1x1xf32>
    %p = onnx.Reshape "shape" (%x, %s) -> ["p"] : (tensor<1x2xf32>, tensor<4xi64>) -> tensor<1x2x1x1xf32>
    %m = onnx.Conv "make" (%p, %w) -> ["m"] <{dilations = array<i64: 1, 1>, group = 1 : i64, kernel_shape = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}> : (tensor<1x2x1x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x1x1xf32>
    %r = onnx.Relu "relu" (%m) -> ["r"] : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
    %y = onnx.Conv "depthwise" (%r, %v) -> ["y"] <{dilations = array<i64: 1, 1>, group = 2 : i64, kernel_shape = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}> : (tensor<1x2x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x1x1xf32>
    onnx.return %y : tensor<1x2x1x1xf32>
  }
}
