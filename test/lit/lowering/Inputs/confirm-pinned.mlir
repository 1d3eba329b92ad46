// A sub-model of the TPU that is one op of unknown size. What it takes: ../device-confirm.mlir.
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "open" (%x "x" : tensor<?x4xf32>) -> ["y"] {
    %y = onnx.Identity "same" (%x) -> ["y"] {device.accepts = ["tpu"]} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    onnx.return %y : tensor<?x4xf32>
  }
}
