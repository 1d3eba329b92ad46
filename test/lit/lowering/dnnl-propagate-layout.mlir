// RUN: autosplit-opt %s --split-input-file -p dnnl-propagate-layout | filecheck %s
// RUN: autosplit-opt %s --split-input-file -p dnnl-propagate-layout,dnnl-propagate-layout | filecheck %s

// The image between two convolutions is channels-last at both ends; what comes in and goes out is row-major.
// CHECK-LABEL: onnx.graph "chain"
// CHECK:       dnnl.partition "{{.+}}" (%{{[a-z]+}}: tensor<1x8x4x4xf32> = %x, %{{[a-z]+}}: tensor<8x8x1x1xf32> = %{{.+}}) -> (tensor<1x8x4x4xf32, #dnnl.order<[0, 2, 3, 1]>>)
// CHECK:       dnnl.return %{{.+}} : tensor<1x8x4x4xf32, #dnnl.order<[0, 2, 3, 1]>>
// CHECK:       (%{{.+}}: tensor<1x8x4x4xf32, #dnnl.order<[0, 2, 3, 1]>> = %{{.+}}, %{{.+}}: tensor<8x8x1x1xf32> = %{{.+}}) -> (tensor<1x8x4x4xf32>) {
// CHECK:       onnx.return %{{.+}} : tensor<1x8x4x4xf32>
!x = tensor<1x8x4x4xf32>
!w = tensor<8x8x1x1xf32>
builtin.module {
  onnx.graph "chain" (%x "x" : !x, %w "w" : !w) -> ["z"] {
    %y = "dnnl.partition"(%x, %w) <{rule = "conv"}> ({
    ^bb0(%a : !x, %b : !w):
      %c = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (!x, !w) -> !x
      dnnl.return %c : !x
    }) : (!x, !w) -> !x
    %z = "dnnl.partition"(%y, %w) <{rule = "conv"}> ({
    ^bb0(%a : !x, %b : !w):
      %c = dnnl.Convolution(%a, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (!x, !w) -> !x
      dnnl.return %c : !x
    }) : (!x, !w) -> !x
    onnx.return %z : !x
  }
}

// -----

// An elementwise partition passes the order on, whatever the sizes are.
// CHECK-LABEL: onnx.graph "through"
// CHECK:       -> (tensor<?x8x?x?xf32, #dnnl.order<[0, 2, 3, 1]>>) {
// CHECK:       (%{{.+}}: tensor<?x8x?x?xf32, #dnnl.order<[0, 2, 3, 1]>> = %{{.+}}) -> (tensor<?x8x?x?xf32, #dnnl.order<[0, 2, 3, 1]>>) {
// CHECK:       (%{{.+}}: tensor<?x8x?x?xf32, #dnnl.order<[0, 2, 3, 1]>> = %{{.+}}, %{{.+}}: tensor<8x8x1x1xf32> = %{{.+}}) -> (tensor<?x8x?x?xf32>) {
!x = tensor<?x8x?x?xf32>
!w = tensor<8x8x1x1xf32>
builtin.module {
  onnx.graph "through" (%x "x" : !x, %w "w" : !w) -> ["z"] {
    %a = "dnnl.partition"(%x) <{rule = "unary"}> ({
    ^bb0(%i : !x):
      %o = dnnl.Tanh(%i) : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %b = "dnnl.partition"(%a) <{rule = "unary"}> ({
    ^bb0(%i : !x):
      %o = dnnl.Exp(%i) : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %c = "dnnl.partition"(%b, %w) <{rule = "conv"}> ({
    ^bb0(%i : !x, %j : !w):
      %o = dnnl.Convolution(%i, %j) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (!x, !w) -> !x
      dnnl.return %o : !x
    }) : (!x, !w) -> !x
    onnx.return %c : !x
  }
}

// -----

// What ONNX Runtime reads too, and what the graph gives out, stays row-major.
// CHECK-LABEL: onnx.graph "outside"
// CHECK-NOT:   #dnnl.order
// CHECK:       onnx.return
!x = tensor<1x8x4x4xf32>
builtin.module {
  onnx.graph "outside" (%x "x" : !x) -> ["b", "n"] {
    %a = "dnnl.partition"(%x) <{rule = "pool"}> ({
    ^bb0(%i : !x):
      %o = dnnl.MaxPool(%i) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [1, 1], data_format = "NCX"} : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %b = "dnnl.partition"(%a) <{rule = "pool"}> ({
    ^bb0(%i : !x):
      %o = dnnl.MaxPool(%i) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [1, 1], data_format = "NCX"} : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %n = onnx.Neg "n" (%a) -> ["n"] : (!x) -> !x
    onnx.return %b, %n : !x, !x
  }
}

// -----

// A matmul wants its rows; so do values that no image touches.
// CHECK-LABEL: onnx.graph "rows"
// CHECK-NOT:   #dnnl.order
// CHECK:       onnx.return
!x = tensor<2x4x4xf32>
builtin.module {
  onnx.graph "rows" (%x "x" : !x) -> ["c"] {
    %a = "dnnl.partition"(%x) <{rule = "unary"}> ({
    ^bb0(%i : !x):
      %o = dnnl.Tanh(%i) : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %b = "dnnl.partition"(%a) <{rule = "unary"}> ({
    ^bb0(%i : !x):
      %o = dnnl.Exp(%i) : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %c = "dnnl.partition"(%b) <{rule = "matmul"}> ({
    ^bb0(%i : !x):
      %o = dnnl.MatMul(%i, %i) : (!x, !x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    onnx.return %c : !x
  }
}

// -----

// The other operand of an addition behind a convolution is an image too; a pool that ends in a reshape reads one.
// CHECK-LABEL: onnx.graph "sum"
// CHECK-COUNT-4: #dnnl.order<[0, 2, 3, 1]>
// CHECK:       -> tensor<1x128xf32>
!x = tensor<1x8x4x4xf32>
!w = tensor<8x8x1x1xf32>
builtin.module {
  onnx.graph "sum" (%x "x" : !x, %w "w" : !w) -> ["c"] {
    %a = "dnnl.partition"(%x) <{rule = "unary"}> ({
    ^bb0(%i : !x):
      %o = dnnl.Tanh(%i) : (!x) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %b = "dnnl.partition"(%x, %w, %a) <{rule = "conv"}> ({
    ^bb0(%i : !x, %j : !w, %k : !x):
      %o = dnnl.Convolution(%i, %j) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (!x, !w) -> !x
      %p = dnnl.Add(%o, %k) : (!x, !x) -> !x
      dnnl.return %p : !x
    }) : (!x, !w, !x) -> !x
    %c = "dnnl.partition"(%b) <{rule = "pool"}> ({
    ^bb0(%i : !x):
      %o = dnnl.MaxPool(%i) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [1, 1], data_format = "NCX"} : (!x) -> !x
      %p = dnnl.StaticReshape(%o) {shape = [1, -1], special_zero = false} : (!x) -> tensor<1x128xf32>
      dnnl.return %p : tensor<1x128xf32>
    }) : (!x) -> tensor<1x128xf32>
    onnx.return %c : tensor<1x128xf32>
  }
}

// -----

// What is joined lies as its parts do, and a transpose of it to channels last changes nothing in memory. What the
// caller reads is row-major.
// CHECK-LABEL: onnx.graph "moves"
// CHECK:       -> (tensor<1x8x4x4xui8, #dnnl.order<[0, 2, 3, 1]>>)
// CHECK:       onnx.Concat {{.*}} -> tensor<1x16x4x4xui8, #dnnl.order<[0, 2, 3, 1]>>
// CHECK:       onnx.Reshape {{.*}} -> tensor<1x16x16xui8, #dnnl.order<[0, 2, 1]>>
// CHECK:       onnx.Transpose {{.*}} -> tensor<1x16x16xui8>
!x = tensor<1x8x4x4xui8>
!f = tensor<1x8x4x4xf32>
!w = tensor<8x8x1x1xf32>
builtin.module {
  onnx.graph "moves" (%x "x" : !x, %w "w" : !w) -> ["z"] {
    %sizes = onnx.initializer "sizes" () <{value = dense<[1, 16, 16]> : tensor<3xi64>}> : () -> tensor<3xi64>
    %y = "dnnl.partition"(%x, %w) <{rule = "conv"}> ({
    ^bb0(%a : !x, %b : !w):
      %d = dnnl.Dequantize(%a) {qtype = "per_tensor", scales = [0.1], zps = [0]} : (!x) -> !f
      %c = dnnl.Convolution(%d, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (!f, !w) -> !f
      %q = dnnl.Quantize(%c) {qtype = "per_tensor", scales = [0.1], zps = [0]} : (!f) -> !x
      dnnl.return %q : !x
    }) : (!x, !w) -> !x
    %c = onnx.Concat "c" (%y, %y) -> ["c"] <{axis = 1 : i64}> : (!x, !x) -> tensor<1x16x4x4xui8>
    %r = onnx.Reshape "r" (%c, %sizes) -> ["r"] : (tensor<1x16x4x4xui8>, tensor<3xi64>) -> tensor<1x16x16xui8>
    %z = onnx.Transpose "t" (%r) -> ["z"] <{perm = array<i64: 0, 2, 1>}> : (tensor<1x16x16xui8>) -> tensor<1x16x16xui8>
    onnx.return %z : tensor<1x16x16xui8>
  }
}
