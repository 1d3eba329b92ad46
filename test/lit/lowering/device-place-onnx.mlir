// RUN: autosplit-opt %s --split-input-file --no-locations -p infer-shapes,device-place-onnx | filecheck %s

// The product has an ONNX counterpart, and its work counts; the Bessel function has none, and says so.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %x = aten.input "x" () : () -> tensor<2x8xf32>
    // CHECK: aten.param "w" {{.+}} {device.constant} :
    %w = aten.param "w" () <{node.value = dense<0.5> : tensor<4x8xf32>, node.kind = "parameter", node.fqn = "fc.weight"}> : () -> tensor<4x8xf32>
    // CHECK-NEXT: aten.linear "fc" {{.+}} {device.accepts = ["cpu", "dnnl"], device.work = 64 : i64} :
    %f = aten.linear "fc" (%x, %w) <{node.ports = ["input", "weight"], bias = #aten.none}> : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
    // CHECK-NEXT: aten.opaque "y" {{.+}} {device.accepts = ["cpu"], device.refused = {dnnl = #device.reason<"unsupported-op", "special_i1 has no conversion to onnx">}} :
    %y = aten.opaque "y" (%f) <{node.ports = ["self"], node.target = "torch.ops.aten.special_i1.default"}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  }
}

// -----

// What updates memory that stays as it is, and what shares it, is the CPU's.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["z"]
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["z"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    // CHECK: aten.abs "y" (%x) {device.loop = "y", device.accepts = ["cpu"], device.refused = {dnnl = #device.reason<"mutation",
    %y = aten.abs "y" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    // CHECK-NEXT: aten.expand "e" {{.+}} {device.loop = "y", device.accepts = ["cpu"],
    %e = aten.expand "e" (%y) <{size = array<i64: 2, 3>}> : (tensor<3xf32>) -> tensor<2x3xf32>
    // CHECK-NEXT: aten.add_.Scalar "f" {{.+}} {device.loop = "y", device.accepts = ["cpu"],
    %f = aten.add_.Scalar "f" (%e) <{other = 1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    // CHECK-NEXT: aten.neg "z" {{.+}} {device.accepts = ["cpu", "dnnl"]} :
    %z = aten.neg "z" (%y) : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----

// What nothing refuses is free to become partitions: an ONNX model, or its ops, needs no conversion.
// CHECK-LABEL: onnx.graph "g"
// CHECK: onnx.Relu "r" {{.+}} {device.accepts = ["cpu", "dnnl"]} :
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
    %y = onnx.Relu "r" (%x) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
    onnx.return %y : tensor<4xf32>
  }
}
