// RUN: autosplit-opt %s --no-locations --pipeline parts | filecheck %s

// Products go to parts that convert; what lies between two ops that do not stays with them.
// CHECK-LABEL: device.func @graph_0 <dnnl> (%x "x" : tensor<2x8xf32>) -> ["fc"]
// CHECK:       aten.linear "fc"
// CHECK-LABEL: device.func @graph_1 <cpu> (%f "fc" : tensor<2x8xf32>) -> ["b"]
// CHECK:       aten.opaque "a" {{.+}} device.refused = {dnnl = #device.reason<"unsupported-op", "special_i1 has no conversion to onnx">}
// CHECK:       aten.neg "n" {{.+}} device.moved = #device.reason<"fewest", "left on the CPU so that 3 sub-models are enough; in oneDNN it would make them up to 5">
// CHECK:       aten.opaque "b"
// CHECK-LABEL: device.func @graph_2 <dnnl> (%b "b" : tensor<2x8xf32>) -> ["y"]
// CHECK:       aten.linear "fc_1"
// CHECK-NEXT:  aten.relu "y"
// CHECK-LABEL: device.func @main <host> (%x "x" : tensor<2x8xf32>) -> ["y"]
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %x = aten.input "x" () : () -> tensor<2x8xf32>
    %w = aten.param "w" () <{node.value = dense<0.5> : tensor<8x8xf32>, node.kind = "parameter", node.fqn = "fc.weight"}> : () -> tensor<8x8xf32>
    %f = aten.linear "fc" (%x, %w) <{node.ports = ["input", "weight"], bias = #aten.none}> : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %a = aten.opaque "a" (%f) <{node.ports = ["self"], node.target = "torch.ops.aten.special_i1.default"}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %n = aten.neg "n" (%a) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %b = aten.opaque "b" (%n) <{node.ports = ["self"], node.target = "torch.ops.aten.special_i1.default"}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %g = aten.linear "fc_1" (%b, %w) <{node.ports = ["input", "weight"], bias = #aten.none}> : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    %y = aten.relu "y" (%g) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  }
}
