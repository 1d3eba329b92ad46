// RUN: autosplit-opt %s --no-locations -p dnnl-turn-pools --split-input-file | filecheck %s
// RUN: autosplit-opt %s -p dnnl-turn-pools --split-input-file --debug-match 2>&1 >/dev/null | filecheck %s --check-prefix=WHY
// RUN: autosplit-opt %s --no-locations -p 'dnnl-turn-pools,dnnl-propagate-layout' --split-input-file | filecheck %s --check-prefix=LAYOUT

// An image that no partition makes is turned, and seen as it was: one of the transposes moves nothing. The second
// pool reads what the first one makes.
// CHECK-LABEL: onnx.graph "pools"
// CHECK:       %[[T:.+]] = onnx.Transpose {{.+}} (%x) {{.+}} <{perm = array<i64: 0, 2, 3, 1>}> : (tensor<1x8x4x4xui8>) -> tensor<1x4x4x8xui8>
// CHECK-NEXT:  %[[S:.+]] = onnx.Transpose {{.+}} (%[[T]]) {{.+}} <{perm = array<i64: 0, 3, 1, 2>}>
// CHECK-NEXT:  dnnl.partition {{.*}}= %[[S]])
// CHECK-NOT:   onnx.Transpose
// WHY:         TurnPool: dnnl.partition (no name): its operand has the channels last
// LAYOUT:      onnx.Transpose {{.+}} <{perm = array<i64: 0, 3, 1, 2>}> : ({{.+}}) -> tensor<1x8x4x4xui8, #dnnl.order<[0, 2, 3, 1]>>
!x = tensor<1x8x4x4xui8>
!f = tensor<1x8x4x4xf32>
builtin.module {
  onnx.graph "pools" (%x "x" : !x) -> ["b"] {
    %a = "dnnl.partition"(%x) <{rule = "int8-pool"}> ({
    ^bb0(%i : !x):
      %r = dnnl.Dequantize(%i) {qtype = "per_tensor", scales = [0.5], zps = [3]} : (!x) -> !f
      %p = dnnl.MaxPool(%r) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [1, 1], data_format = "NCX"} : (!f) -> !f
      %o = dnnl.Quantize(%p) {qtype = "per_tensor", scales = [0.5], zps = [3]} : (!f) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    %b = "dnnl.partition"(%a) <{rule = "int8-pool"}> ({
    ^bb0(%i : !x):
      %r = dnnl.Dequantize(%i) {qtype = "per_tensor", scales = [0.5], zps = [3]} : (!x) -> !f
      %p = dnnl.MaxPool(%r) {strides = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], kernel = [1, 1], data_format = "NCX"} : (!f) -> !f
      %o = dnnl.Quantize(%p) {qtype = "per_tensor", scales = [0.5], zps = [3]} : (!f) -> !x
      dnnl.return %o : !x
    }) : (!x) -> !x
    onnx.return %b : !x
  }
}
