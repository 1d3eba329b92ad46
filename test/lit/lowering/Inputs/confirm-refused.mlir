// On the whole model the sizes were known; the border gives them as a tensor. What it takes: ../device-confirm.mlir.
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<tpu, "bm1684">, input_names = ["x", "n"], output_names = ["y", "z"]}> ({
  ^bb0(%x : tensor<1x4xf32> loc("x"), %n : tensor<2xi64> loc("n")):
    %y = onnx.Tile "pick" (%x, %n) -> ["y"] : (tensor<1x4xf32>, tensor<2xi64>) -> tensor<1x8xf32>
    %z = onnx.Erf "erf" (%x) -> ["z"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    device.return %y, %z : tensor<1x8xf32>, tensor<1x4xf32>
  }) : () -> ()
}
