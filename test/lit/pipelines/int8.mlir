// RUN: autosplit-opt %s --split-input-file --no-locations --pipeline int8 | filecheck %s
// RUN: autosplit-opt %s --split-input-file --no-locations --pipeline 'int8{version=3.2 policy=patterns}' | filecheck %s

// A quantized linear layer with a ReLU is one partition; the cast at the model's border runs in oneDNN too. What no
// rule takes is left to ONNX Runtime, with the reason, and so are its casts: what crosses over is bytes.
// CHECK:      device.plan = {objective = "fixed", target = "dnnl", stages = [#device.target<dnnl>, #device.target<cpu>], sums = "fast", rounding = "close", policy = "patterns", version = "{{[0-9.]+}}"}
// CHECK:      device.func @graph_0 <dnnl> (%{{[^,]+}} "x" : {{[^,]+}}) -> ["{{.+}}"]
// CHECK:        %[[W:.+]] = onnx.initializer "w"
// CHECK:        %[[Q:.+]] = dnnl.partition "single" (%{{[^,]+}}: tensor<?x4xf32> = %{{[^,]+}})
// CHECK:          dnnl.Quantize
// CHECK:        %[[R:.+]] = dnnl.partition "int8-matmul" ({{.*}} = %[[W]]{{.*}})
// CHECK-DAG:      dnnl.Dequantize({{.*}}) {qtype = "per_tensor", scales = [0.05], zps = [3]
// CHECK-DAG:      dnnl.Dequantize({{.*}}) {qtype = "per_tensor", scales = [0.1], zps = [0]
// CHECK:          dnnl.MatMul
// CHECK-NEXT:     dnnl.ReLU
// CHECK-NEXT:     dnnl.Quantize({{.*}}) {qtype = "per_tensor", scales = [0.2], zps = [0]
// CHECK:        device.return %[[R]] : tensor<?x3xui8>
// CHECK:      device.func @graph_1 <cpu>
// CHECK:        onnx.DequantizeLinear
// CHECK:        onnx.CumSum "sums"
// CHECK:      device.func @main <host> (%{{[^,]+}} "x" : {{[^,]+}}) -> ["y"]
// CHECK:        %[[D:.+]] = device.call @graph_0(%{{.+}}) : (tensor<?x4xf32>) -> tensor<?x3xui8>
// CHECK-NEXT:   %[[Y:.+]] = device.call @graph_1(%[[D]])
// CHECK-NEXT:   device.return %[[Y]]
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "linear" (%x "x" : tensor<?x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<[[1, -2, 3], [4, 5, -6], [7, 8, 9], [-10, 11, 12]]> : tensor<4x3xi8>}> : () -> tensor<4x3xi8>
    %xs = onnx.initializer "xs" () <{value = dense<0.05> : tensor<f32>}> : () -> tensor<f32>
    %xz = onnx.initializer "xz" () <{value = dense<3> : tensor<ui8>}> : () -> tensor<ui8>
    %ws = onnx.initializer "ws" () <{value = dense<0.1> : tensor<f32>}> : () -> tensor<f32>
    %wz = onnx.initializer "wz" () <{value = dense<0> : tensor<i8>}> : () -> tensor<i8>
    %ys = onnx.initializer "ys" () <{value = dense<0.2> : tensor<f32>}> : () -> tensor<f32>
    %yz = onnx.initializer "yz" () <{value = dense<0> : tensor<ui8>}> : () -> tensor<ui8>
    %axis = onnx.initializer "axis" () <{value = dense<1> : tensor<i64>}> : () -> tensor<i64>
    %q = onnx.QuantizeLinear "q" (%x, %xs, %xz) -> ["q"] : (tensor<?x4xf32>, tensor<f32>, tensor<ui8>) -> !platform.unknown
    %d = onnx.DequantizeLinear "d" (%q, %xs, %xz) -> ["d"] : (!platform.unknown, tensor<f32>, tensor<ui8>) -> !platform.unknown
    %wd = onnx.DequantizeLinear "wd" (%w, %ws, %wz) -> ["wd"] : (tensor<4x3xi8>, tensor<f32>, tensor<i8>) -> !platform.unknown
    %m = onnx.MatMul "m" (%d, %wd) -> ["m"] : (!platform.unknown, !platform.unknown) -> !platform.unknown
    %r = onnx.Relu "r" (%m) -> ["r"] : (!platform.unknown) -> !platform.unknown
    %yq = onnx.QuantizeLinear "yq" (%r, %ys, %yz) -> ["yq"] : (!platform.unknown, tensor<f32>, tensor<ui8>) -> !platform.unknown
    %yd = onnx.DequantizeLinear "yd" (%yq, %ys, %yz) -> ["yd"] : (!platform.unknown, tensor<f32>, tensor<ui8>) -> !platform.unknown
    %y = onnx.CumSum "sums" (%yd, %axis) -> ["y"] : (!platform.unknown, tensor<i64>) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// Nothing is quantized: all is one segment.
// CHECK:      stages = [#device.target<cpu>]
// CHECK:      device.func @graph_0 <cpu> (%{{[^,]+}} "x" : {{[^,]+}}) -> ["y"]
// CHECK:        onnx.Relu {{.*}} {dnnl.unfused = #device.reason<"not-quantized"
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "float" (%x "x" : tensor<2x4xf32>) -> ["y"] {
    %r = onnx.Relu "r" (%x) -> ["r"] : (tensor<2x4xf32>) -> !platform.unknown
    %y = onnx.Exp "e" (%r) -> ["y"] : (!platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}
