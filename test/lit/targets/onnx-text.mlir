// RUN: autosplit-opt %s -t 'onnx-text{graph=1}' | filecheck %s
// RUN: not autosplit-opt %s -t onnx-text 2>&1 | filecheck %s --check-prefix=WHICH

// One sub-model of an outlined module, in ONNX's own text. Weights print without their values.

// WHICH: autosplit-opt: error: the module is outlined: choose one of graph_0, graph_1

builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 13 : i64, "mine" = 2 : i64}, onnx.ir_version = 7 : i64} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["x"], output_names = ["a"]}> ({
  ^bb0(%x : tensor<1x8xf32>):
    %a = onnx.Relu "first" (%x) -> ["a"] : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %a : tensor<1x8xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684">, input_names = ["a"], output_names = ["y", "z"]}> ({
  ^bb0(%a : tensor<1x8xf32>):
    %w = onnx.initializer "w" () <{value = #platform.weight<"w", "8f14e45fceea167a", tensor<2048x8xf32>>}> : () -> tensor<2048x8xf32>
    %b = onnx.initializer "b" () <{value = dense<1.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %y = onnx.Gemm "gemm" (%a, %w, %b) -> ["y"] <{transB = 1 : i64}> : (tensor<1x8xf32>, tensor<2048x8xf32>, tensor<1xf32>) -> tensor<1x2048xf32>
    %t = onnx.Clip "clip" (%y, _, %b) -> ["t"] : (tensor<1x2048xf32>, tensor<1xf32>) -> tensor<1x2048xf32>
    device.return %y, %t : tensor<1x2048xf32>, tensor<1x2048xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>, input_names = ["x"], output_names = ["y", "z"]}> ({
  ^bb0(%x : tensor<1x8xf32>):
    %a = device.call @graph_0(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %y, %z = device.call @graph_1(%a) : (tensor<1x8xf32>) -> (tensor<1x2048xf32>, tensor<1x2048xf32>)
    device.return %y, %z : tensor<1x2048xf32>, tensor<1x2048xf32>
  }) : () -> ()
}

// CHECK:      ir_version: 7,
// CHECK:      opset_import: ["" : 13, "mine" : 2]
// CHECK:      graph_1 (float[1,8] a) => (float[1,2048] y, float[1,2048] z)
// CHECK:      float[2048,8] w
// CHECK-SAME: float[1] b =  {1}
// CHECK-SAME: float[1,2048] t
// CHECK:      [gemm] y = Gemm <transB: int = 1> (a, w, b)
// CHECK:      [clip] t = Clip (y, "", b)
// CHECK:      z = Identity (t)
