// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684x}' | filecheck %s
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684x mode=F16},legalize-top{target=bm1684x mode=F16}' | filecheck %s --check-prefix=F16
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684x mode=BF16},legalize-top{target=bm1684x mode=BF16}' | filecheck %s --check-prefix=BF16
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684 mode=INT8},legalize-top{target=bm1684 mode=INT8}' | filecheck %s --check-prefix=INT8
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684x mode=INT8},legalize-top{target=bm1684x mode=INT8}' | filecheck %s --check-prefix=INT8X

// What a mode is too coarse for is computed in f32, by the names of its values: positions and sums of many
// numbers in narrow floats, what the chip's table says in INT8. A Relu behind is part of such an op.
// CHECK-NOT:  autosplit.f32
// F16:        autosplit.f32 = ["place/behind", "place/place", "place/place/values", "place"]
// BF16:       autosplit.f32 = ["sum", "above", "place/behind"
// INT8:       autosplit.f32 = ["most", "place"
// INT8X:      autosplit.f32 = ["most", "share", "place/behind"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<4x3000xf32>, %z "z" : tensor<4x200xf32>) -> ["most", "above", "place", "share"] {
    %one = onnx.initializer "one" () <{value = dense<1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %most = onnx.Max "max" (%x, %x) -> ["most"] : (tensor<4x3000xf32>, tensor<4x3000xf32>) -> tensor<4x3000xf32>
    %sum = onnx.ReduceSum "reduce" (%z, %one) -> ["sum"] : (tensor<4x200xf32>, tensor<1xi64>) -> tensor<4x1xf32>
    %above = onnx.Relu "relu" (%sum) -> ["above"] : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %share = onnx.Softmax "softmax" (%z) -> ["share"] <{axis = 1 : i64}> : (tensor<4x200xf32>) -> tensor<4x200xf32>
    %place = onnx.ArgMax "arg" (%most) -> ["place"] <{axis = 1 : i64}> : (tensor<4x3000xf32>) -> tensor<4x1xi64>
    onnx.return %most, %above, %place, %share : tensor<4x3000xf32>, tensor<4x1xf32>, tensor<4x1xi64>, tensor<4x200xf32>
  }
}
