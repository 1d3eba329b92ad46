// RUN: autosplit-opt %s -p 'quant-center-weights' --no-locations | filecheck %s
// RUN: autosplit-opt %s -p 'quant-center-weights{rounding=exact}' --no-locations | filecheck %s --check-prefix=EXACT

// Around the zero point 100 lie -100 to 20 in the first channel, -50 to 150 in the second, which are divided by 150 / 127.
// CHECK: onnx.initializer "c__weights" {{.*}}dense<{{\[\[\[\[-100\]\], \[\[20\]\]\], \[\[\[-42\]\], \[\[127\]\]\]\]}}>
// CHECK: quant.scast {{.*}} tensor<2x2x1x1xi8> to tensor<2x2x1x1x!quant.uniform<i8:f32:0, {0.5, 0.5905512}>>
// EXACT: onnx.Conv "conv" (%a, %r)
builtin.module attributes {onnx.opsets = {ai.onnx = 21 : i64}} {
  onnx.graph "conv" (%x "x" : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>>) -> ["c"] {
    %a = quant.dcast %x : tensor<1x2x4x4x!quant.uniform<u8:f32, 0.1>> to tensor<1x2x4x4xf32>
    %w = onnx.initializer "w" () <{value = dense<[[[[0]], [[120]]], [[[50]], [[250]]]]> : tensor<2x2x1x1xui8>}> : () -> tensor<2x2x1x1xui8>
    %q = quant.scast %w : tensor<2x2x1x1xui8> to tensor<2x2x1x1x!quant.uniform<u8:f32, 0.5:100>>
    %r = quant.dcast %q : tensor<2x2x1x1x!quant.uniform<u8:f32, 0.5:100>> to tensor<2x2x1x1xf32>
    %c = onnx.Conv "conv" (%a, %r) -> ["c"] : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    onnx.return %c : tensor<1x2x4x4xf32>
  }
}
