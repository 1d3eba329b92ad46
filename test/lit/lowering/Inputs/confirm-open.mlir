// An output is the sub-model's own input, of which nobody knows the rank.
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<tpu, "bm1684">, input_names = ["x", "a"], output_names = ["y", "b"]}> ({
  ^bb0(%x : tensor<*xf32> loc("x"), %a : tensor<1x4xf32> loc("a")):
    %y = onnx.Identity "same" (%x) -> ["y"] : (tensor<*xf32>) -> tensor<*xf32>
    %b = onnx.Relu "relu" (%a) -> ["b"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    device.return %y, %b : tensor<*xf32>, tensor<1x4xf32>
  }) : () -> ()
}
