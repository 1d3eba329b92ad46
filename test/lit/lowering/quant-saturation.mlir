// RUN: autosplit-opt %s -p 'quant-saturation{isa=avx2}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-saturation{isa=AVX512_CORE}' --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p 'quant-saturation{isa=avx512_core_vnni}' --split-input-file | filecheck %s --check-prefix=VNNI
// RUN: autosplit-opt %s -p quant-saturation --split-input-file | filecheck %s --check-prefix=VNNI
// RUN: autosplit-opt %s -p 'quant-saturation{isa=avx2},quant-insert' --split-input-file | filecheck %s --check-prefix=INSERT
// RUN: not autosplit-opt %s -p 'quant-saturation{isa=avx3}' --split-input-file 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not autosplit-opt %s -p 'quant-insert,quant-saturation{isa=avx2}' --split-input-file 2>&1 | filecheck %s --check-prefix=LATE

// WRONG: there is no instruction set 'avx3' (did you mean 'avx'?); they are sse41
// LATE: run quant-saturation before quant-insert

// Two weights of the second column add up to too much: 7 bits. What is decided is kept as a reason.
// CHECK-LABEL: onnx.graph "saturation"
// CHECK: onnx.MatMul "m" {{.*}}quant.weight_bits = 7 : i64, quant.weights = #device.reason<"saturation", "two weights of channel 1 add up to 191, and 191 x 255 is more than 32767">
// VNNI-LABEL: onnx.graph "saturation"
// VNNI-NOT: quant.weight
// INSERT-LABEL: onnx.graph "saturation"
// INSERT: onnx.initializer "w_bytes" {{.*}}[63, 31], [-63, 63]
// INSERT: onnx.MatMul "m" {{.*}}{quant.weights = #device.reason
onnx.graph "saturation" (%x "x" : tensor<1x2xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[1.0, 0.5], [-1.0, 1.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %s = quant.stats %x {layerStats = dense<[-0.51, 2.04]> : tensor<2xf32>, value_names = ["x_stats"]} : tensor<1x2xf32>
  %y = onnx.MatMul "m" (%s, %w) -> ["y"] {quant.operands = array<i64: 0, 1>} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  onnx.return %y : tensor<1x2xf32>
}

// -----
// Weights of different signs do not add up.
// CHECK-LABEL: onnx.graph "fits"
// CHECK: onnx.Gemm "g" {{.*}}quant.weight_bits = 8 : i64, quant.weights = #device.reason<"fits", "two weights of channel 0 add up to 127, and 127 x 255 is no more than 32767">
// VNNI-LABEL: onnx.graph "fits"
// VNNI-NOT: quant.weight
// INSERT-LABEL: onnx.graph "fits"
// INSERT: onnx.initializer "w_bytes" {{.*}}[127, -127], [-64, 127]
onnx.graph "fits" (%x "x" : tensor<1x2xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[1.0, -1.0], [-0.5, 1.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
  %s = quant.stats %x {layerStats = dense<[-0.51, 2.04]> : tensor<2xf32>, value_names = ["x_stats"]} : tensor<1x2xf32>
  %y = onnx.Gemm "g" (%s, %w) -> ["y"] <{transB = 1}> {quant.operands = array<i64: 0, 1>} : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  onnx.return %y : tensor<1x2xf32>
}

// -----
// A sigmoid makes no more than 1, which is half of the range here: its bytes are at most 128.
// CHECK-LABEL: onnx.graph "limited"
// CHECK: onnx.MatMul "m" {{.*}}quant.weight_bits = 8 : i64, quant.weights = #device.reason<"fits", "two weights of channel 0 add up to 254, and 254 x 128 is no more than 32767">
// VNNI-LABEL: onnx.graph "limited"
// INSERT-LABEL: onnx.graph "limited"
onnx.graph "limited" (%x "x" : tensor<1x2xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<[[1.0], [1.0]]> : tensor<2x1xf32>}> : () -> tensor<2x1xf32>
  %r = onnx.Sigmoid "r" (%x) -> ["r"] : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %s = quant.stats %r {layerStats = dense<[0.0, 2.0]> : tensor<2xf32>, value_names = ["r_stats"]} : tensor<1x2xf32>
  %y = onnx.MatMul "m" (%s, %w) -> ["y"] {quant.operands = array<i64: 0, 1>} : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>
  onnx.return %y : tensor<1x1xf32>
}

// -----
// Kernels of depthwise convolutions multiply one by one.
// CHECK-LABEL: onnx.graph "depthwise"
// CHECK: onnx.Conv "c" {{.*}}quant.weight_bits = 8 : i64, quant.weights = #device.reason<"one-by-one", "a depthwise convolution adds in 32 bits">
// VNNI-LABEL: onnx.graph "depthwise"
// INSERT-LABEL: onnx.graph "depthwise"
onnx.graph "depthwise" (%x "x" : tensor<1x2x3x3xf32>) -> ["y"] {
  %w = onnx.initializer "w" () <{value = dense<1.0> : tensor<2x1x3x3xf32>}> : () -> tensor<2x1x3x3xf32>
  %s = quant.stats %x {layerStats = dense<[0.0, 2.0]> : tensor<2xf32>, value_names = ["x_stats"]} : tensor<1x2x3x3xf32>
  %y = onnx.Conv "c" (%s, %w) -> ["y"] <{group = 2}> {quant.operands = array<i64: 0, 1>} : (tensor<1x2x3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x1x1xf32>
  onnx.return %y : tensor<1x2x1x1xf32>
}
