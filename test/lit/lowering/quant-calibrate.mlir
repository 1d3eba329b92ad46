// RUN: autosplit-opt %s -p 'quant-calibrate{data="%S/Inputs/samples.npy"}' | filecheck %s
// RUN: autosplit-opt %s -p 'quant-calibrate{data="%S/Inputs/samples.npy" most=1}' | filecheck %s --check-prefix=ONE
// RUN: not autosplit-opt %s -p 'quant-calibrate{data="%S/Inputs/samples.npy" calibrator=minmex}' 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not autosplit-opt %s -p quant-calibrate 2>&1 | filecheck %s --check-prefix=NONE

// What is read as 8 bits has the range that it had over the samples; the reshape has that of what it reshapes.
// CHECK:      %[[X:.+]] = quant.stats %x {value_names = ["x_stats"], layerStats = dense<[-5.000000e-01, 1.000000e+00]>
// CHECK:      %[[R:.+]] = onnx.Reshape "r" (%[[X]]
// CHECK:      %[[S:.+]] = quant.stats %[[R]] {{.*}}layerStats = dense<[-5.000000e-01, 1.000000e+00]>
// CHECK:      %[[M:.+]] = onnx.MatMul "m" (%[[S]]
// CHECK:      %[[N:.+]] = quant.stats %[[M]] {{.*}}layerStats = dense<[-1.000000e+00, 2.000000e+00]>
// CHECK:      onnx.MatMul "last" (%[[N]]

// ONE:   quant.stats %x {{.*}}layerStats = dense<[-2.500000e-01, 5.000000e-01]>
// WRONG: there is no calibrator 'minmex' (did you mean 'minmax'?); they are entropy, histogram, minmax, moving-average, percentile
// NONE:  there is no data: quantizing needs samples, see --data
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 10 : i64, onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x2xf32>) -> ["y"] {
    %n = onnx.initializer "n" () <{value = dense<[2, 1]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %w = onnx.initializer "w" () <{value = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %r = onnx.Reshape "r" (%x, %n) -> ["r"] {quant.operands = array<i64: 0>} : (tensor<1x2xf32>, tensor<2xi64>) -> tensor<2x1xf32>
    %m = onnx.MatMul "m" (%r, %w) -> ["m"] {quant.operands = array<i64: 0, 1>} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
    %y = onnx.MatMul "last" (%m, %w) -> ["y"] {quant.operands = array<i64: 0, 1>} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
    onnx.return %y : tensor<2x1xf32>
  }
}
