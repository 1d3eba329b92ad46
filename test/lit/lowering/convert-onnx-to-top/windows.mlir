// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684 mode=INT8}' | filecheck %s

// A window that covers all of an axis has no next one: its stride is 1 there, as TPU-MLIR ends with an assertion
// for strides from 16 on. Where there is a next one, the stride stays.
// CHECK: top.AvgPool(%{{.*}}) {{.*}}strides = [1, 1]{{.*}}tensor<1x8x1x16xf32> loc("rows")
// CHECK: top.AvgPool(%{{.*}}) {{.*}}strides = [8, 1]{{.*}}tensor<1x8x2x16xf32> loc("halves")
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x8x16x16xf32>) -> ["rows", "halves"] {
    %rows = onnx.AveragePool "columns" (%x) -> ["rows"] <{kernel_shape = array<i64: 16, 1>, strides = array<i64: 16, 1>}> : (tensor<1x8x16x16xf32>) -> tensor<1x8x1x16xf32>
    %halves = onnx.AveragePool "parts" (%x) -> ["halves"] <{kernel_shape = array<i64: 8, 1>, strides = array<i64: 8, 1>}> : (tensor<1x8x16x16xf32>) -> tensor<1x8x2x16xf32>
    onnx.return %rows, %halves : tensor<1x8x1x16xf32>, tensor<1x8x2x16xf32>
  }
}
