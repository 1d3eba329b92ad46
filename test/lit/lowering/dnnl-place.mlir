// RUN: autosplit-opt %s --split-input-file --no-locations -p dnnl-place | filecheck %s
// RUN: autosplit-opt %s --split-input-file --no-locations -p 'dnnl-place,device-cluster{device=dnnl objective=fixed},device-outline' | filecheck %s --check-prefix=OUTLINE

// A partition runs in oneDNN, its values are called what they are in the model; the rest runs on the CPU.
// CHECK-LABEL: onnx.graph "one"
// CHECK:         onnx.initializer "w" () {{.*}} {device.constant}
// CHECK:         onnx.Relu "relu" {{.*}} {device.accepts = ["cpu"]}
// CHECK:         dnnl.partition "matmul" (%{{.+}}: tensor<2x4xf32> = %{{.+}}, %{{.+}}: tensor<4x3xf32> = %{{.+}}) -> (tensor<2x3xf32>) <{constants = array<i64: 1>, value_names = ["product"]}> attributes {device.accepts = ["dnnl"]}
// CHECK:         onnx.NonZero "find" {{.*}} {device.accepts = ["cpu"]}
// OUTLINE:      stages = [#device.target<cpu>, #device.target<dnnl>, #device.target<cpu>]
// OUTLINE:      device.func @graph_0 <cpu> (%{{[^,]+}} "x" : {{[^,]+}}) -> ["r"]
// OUTLINE:        onnx.Relu "relu"
// OUTLINE:      device.func @graph_1 <dnnl> (%{{[^,]+}} "r" : {{[^,]+}}) -> ["product"]
// OUTLINE:        onnx.initializer "w"
// OUTLINE:        dnnl.partition
// OUTLINE:      device.func @graph_2 <cpu> (%{{[^,]+}} "product" : {{[^,]+}}) -> ["y"]
// OUTLINE:        onnx.NonZero "find"
// OUTLINE:      device.func @main
// OUTLINE:        %[[R:.+]] = device.call @graph_0
// OUTLINE-NEXT:   %[[P:.+]] = device.call @graph_1(%[[R]])
// OUTLINE-NEXT:   %[[Y:.+]] = device.call @graph_2(%[[P]])
// OUTLINE-NEXT:   device.return %[[Y]]
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "one" (%x "x" : tensor<2x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x3xf32>}> : () -> tensor<4x3xf32>
    %r = onnx.Relu "relu" (%x) -> ["r"] : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %p = "dnnl.partition"(%r, %w) <{rule = "matmul", constants = array<i64: 1>, value_names = ["product"]}> ({
    ^bb0(%a : tensor<2x4xf32>, %b : tensor<4x3xf32>):
      %c = dnnl.MatMul(%a, %b) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
      dnnl.return %c : tensor<2x3xf32>
    }) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %y = onnx.NonZero "find" (%p) -> ["y"] : (tensor<2x3xf32>) -> tensor<2x?xi64>
    onnx.return %y : tensor<2x?xi64>
  }
}

// -----

// A value without a name takes that of the op that it comes from; one that the model returns has the model's name,
// and no two values have the same. What needs no device change between is one sub-model.
// CHECK-LABEL: onnx.graph "names"
// CHECK:         dnnl.partition "relu" (%{{.+}}: tensor<2xf32> = %x) -> (tensor<2xf32>) <{value_names = ["x#2"]}>
// CHECK:         dnnl.partition "relu" (%{{.+}}: tensor<2xf32> = %{{.+}}) -> (tensor<2xf32>) <{value_names = ["y"]}>
// OUTLINE:      stages = [#device.target<dnnl>]
// OUTLINE:      device.func @graph_0 <dnnl> (%{{[^,]+}} "x" : {{[^,]+}}) -> ["y"]
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "names" (%x "x" : tensor<2xf32>) -> ["y"] {
    %p = "dnnl.partition"(%x) <{rule = "relu"}> ({
    ^bb0(%a : tensor<2xf32>):
      %c = dnnl.ReLU(%a) : (tensor<2xf32>) -> tensor<2xf32>
      dnnl.return %c : tensor<2xf32>
    }) : (tensor<2xf32>) -> tensor<2xf32> loc("x")
    %q = "dnnl.partition"(%p) <{rule = "relu", value_names = ["inner"]}> ({
    ^bb0(%a : tensor<2xf32>):
      %c = dnnl.ReLU(%a) : (tensor<2xf32>) -> tensor<2xf32>
      dnnl.return %c : tensor<2xf32>
    }) : (tensor<2xf32>) -> tensor<2xf32> loc("second")
    onnx.return %q : tensor<2xf32>
  }
}

// -----

// The fewest sub-models, however many: what reads nothing of oneDNN's joins the first sub-model of the CPU.
// OUTLINE:      stages = [#device.target<cpu>, #device.target<dnnl>, #device.target<cpu>]
// OUTLINE:      device.func @graph_0
// OUTLINE:        onnx.Relu "first"
// OUTLINE:        onnx.Abs "side"
// OUTLINE:      device.func @graph_1
// OUTLINE:      device.func @graph_2
// OUTLINE:        onnx.Add "join"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "sides" (%x "x" : tensor<2xf32>) -> ["y"] {
    %r = onnx.Relu "first" (%x) -> ["r"] : (tensor<2xf32>) -> tensor<2xf32>
    %p = "dnnl.partition"(%r) <{rule = "relu", value_names = ["p"]}> ({
    ^bb0(%a : tensor<2xf32>):
      %c = dnnl.ReLU(%a) : (tensor<2xf32>) -> tensor<2xf32>
      dnnl.return %c : tensor<2xf32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %s = onnx.Abs "side" (%x) -> ["s"] : (tensor<2xf32>) -> tensor<2xf32>
    %y = onnx.Add "join" (%p, %s) -> ["y"] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    onnx.return %y : tensor<2xf32>
  }
}

// -----

// Nothing to do is a plan too.
// OUTLINE:      stages = []
// OUTLINE:      device.func @main <host> (%{{[^,]+}} "x" : {{[^,]+}}) -> ["y"]
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "nothing" (%x "x" : tensor<2xf32>) -> ["y"] {
    onnx.return %x : tensor<2xf32>
  }
}

// -----

// What only moves bytes beside a partition is done by the plan; the convolution reads one half where it lies. What
// moves bytes elsewhere is ONNX Runtime's.
// CHECK-LABEL: onnx.graph "moves"
// CHECK:         onnx.Slice "half" {{.*}} {device.accepts = ["dnnl"], dnnl.viewed}
// CHECK:         onnx.Concat "both" {{.*}} {device.accepts = ["dnnl"]}
// CHECK:         onnx.Transpose "far" {{.*}} {device.accepts = ["cpu"]}
// OUTLINE:      device.func @graph_0 <cpu>
// OUTLINE:        onnx.Transpose "far"
// OUTLINE:      device.func @graph_1 <dnnl>
// OUTLINE:        onnx.Slice "half"
// OUTLINE:        dnnl.partition
// OUTLINE:        onnx.Concat "both"
!x = tensor<1x8x4x4xui8>
!h = tensor<1x4x4x4xui8>
!w = tensor<4x4x1x1xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "moves" (%x "x" : !x, %w "w" : !w, %v "v" : tensor<2x3xui8>) -> ["z", "t"] {
    %0 = onnx.initializer "zero" () <{value = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %4 = onnx.initializer "four" () <{value = dense<4> : tensor<1xi64>}> : () -> tensor<1xi64>
    %1 = onnx.initializer "one" () <{value = dense<1> : tensor<1xi64>}> : () -> tensor<1xi64>
    %h = onnx.Slice "half" (%x, %0, %4, %1, _) -> ["h"] : (!x, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> !h
    %y = "dnnl.partition"(%h, %w) <{rule = "conv"}> ({
    ^bb0(%a : !h, %b : !w):
      %d = dnnl.Dequantize(%a) {qtype = "per_tensor", scales = [0.1], zps = [0]} : (!h) -> tensor<1x4x4x4xf32>
      %c = dnnl.Convolution(%d, %b) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], dilations = [1, 1], data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x4x4xf32>, !w) -> tensor<1x4x4x4xf32>
      %q = dnnl.Quantize(%c) {qtype = "per_tensor", scales = [0.1], zps = [0]} : (tensor<1x4x4x4xf32>) -> !h
      dnnl.return %q : !h
    }) : (!h, !w) -> !h
    %z = onnx.Concat "both" (%y, %x) -> ["z"] <{axis = 1 : i64}> : (!h, !x) -> tensor<1x12x4x4xui8>
    %t = onnx.Transpose "far" (%v) -> ["t"] <{perm = array<i64: 1, 0>}> : (tensor<2x3xui8>) -> tensor<3x2xui8>
    onnx.return %z, %t : tensor<1x12x4x4xui8>, tensor<3x2xui8>
  }
}

// -----

// Real numbers that move from partitions to partitions are moved by the plan; what another runtime meets is its own.
// CHECK-LABEL: onnx.graph "real"
// CHECK:         onnx.Reshape "flat" {{.*}} {device.accepts = ["dnnl"]}
// CHECK:         onnx.Transpose "turn" {{.*}} {device.accepts = ["dnnl"]
// CHECK:         onnx.Transpose "end" {{.*}} {device.accepts = ["cpu"]}
// OUTLINE:      device.func @graph_0 <dnnl>
// OUTLINE:      device.func @graph_1 <cpu>
// OUTLINE-NEXT:   onnx.Transpose "end"
// OUTLINE-NEXT:   device.return
!y = tensor<1x2x2x3xf32>
!r = tensor<1x6x2xf32>
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "real" (%x "x" : !y) -> ["z"] {
    %s = onnx.initializer "sizes" () <{value = dense<[1, 2, 6]> : tensor<3xi64>}> : () -> tensor<3xi64>
    %p = "dnnl.partition"(%x) <{rule = "relu", value_names = ["p"]}> ({
    ^bb0(%a : !y):
      %c = dnnl.ReLU(%a) : (!y) -> !y
      dnnl.return %c : !y
    }) : (!y) -> !y
    %f = onnx.Reshape "flat" (%p, %s) -> ["f"] : (!y, tensor<3xi64>) -> tensor<1x2x6xf32>
    %t = onnx.Transpose "turn" (%f) -> ["t"] <{perm = array<i64: 0, 2, 1>}> : (tensor<1x2x6xf32>) -> !r
    %q = "dnnl.partition"(%t) <{rule = "relu", value_names = ["q"]}> ({
    ^bb0(%a : !r):
      %c = dnnl.ReLU(%a) : (!r) -> !r
      dnnl.return %c : !r
    }) : (!r) -> !r
    %z = onnx.Transpose "end" (%q) -> ["z"] <{perm = array<i64: 0, 2, 1>}> : (!r) -> tensor<1x2x6xf32>
    onnx.return %z : tensor<1x2x6xf32>
  }
}
