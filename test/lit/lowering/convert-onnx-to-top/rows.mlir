// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1688 mode=INT8}' | filecheck %s
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1684 mode=INT8}' | filecheck %s --check-prefix=PLAIN
// RUN: autosplit-opt %s -p 'convert-onnx-to-top{target=bm1688 mode=F16}' | filecheck %s --check-prefix=PLAIN

// In INT8, two chips compute a Softmax of two dimensions wrong where there are more rows than lanes. Along the
// last of three dimensions it is right. What has too many numbers for 8 bits is computed in f32 as it is.
// CHECK:      top.Softmax(%{{.*}}) {axis = 2} : (tensor<1x320x40xf32>) -> tensor<1x320x40xf32>
// CHECK-NEXT: top.Reshape(%{{.*}}) {shape = [320, 40]} : (tensor<1x320x40xf32>) -> tensor<320x40xf32> loc("attention")
// CHECK-NOT:  tensor<1x320x200xf32>
// PLAIN-NOT:  top.Reshape
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<320x40xf32>, %z "z" : tensor<320x200xf32>) -> ["attention", "share"] {
    %attention = onnx.Softmax "heads" (%x) -> ["attention"] <{axis = -1 : i64}> : (tensor<320x40xf32>) -> tensor<320x40xf32>
    %share = onnx.Softmax "classes" (%z) -> ["share"] <{axis = 1 : i64}> : (tensor<320x200xf32>) -> tensor<320x200xf32>
    onnx.return %attention, %share : tensor<320x40xf32>, tensor<320x200xf32>
  }
}
