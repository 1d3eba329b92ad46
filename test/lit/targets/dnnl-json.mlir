// RUN: autosplit-opt %s --split-input-file -t dnnl-json | filecheck %s

// A graph of our own has no numbers: ops and tensors are counted as they stand. Attributes have their type first.
// CHECK:      {
// CHECK-NEXT:   "version": "3.2.0",
// CHECK-NEXT:   "engine_kind": "cpu",
// CHECK-NEXT:   "fpmath_mode": "strict",
// CHECK-NEXT:   "input_ports": [
// CHECK-NEXT:     0
// CHECK-NEXT:   ],
// CHECK-NEXT:   "output_ports": [
// CHECK-NEXT:     1
// CHECK-NEXT:   ],
// CHECK-NEXT:   "graph": [
// CHECK-NEXT:     {
// CHECK-NEXT:       "id": 0,
// CHECK-NEXT:       "name": "q",
// CHECK-NEXT:       "kind": "Quantize",
// CHECK-NEXT:       "attrs": {
// CHECK-NEXT:         "scales": {
// CHECK-NEXT:           "type": "f32[]",
// CHECK-NEXT:           "value": [
// CHECK-NEXT:             0.1
// CHECK-NEXT:           ]
// CHECK-NEXT:         }
// CHECK-NEXT:       },
// CHECK-NEXT:       "inputs": [
// CHECK-NEXT:         {
// CHECK-NEXT:           "id": 0,
// CHECK-NEXT:           "dtype": "f32",
// CHECK-NEXT:           "shape": [
// CHECK-NEXT:             2,
// CHECK-NEXT:             -9223372036854775808
// CHECK-NEXT:           ],
// CHECK-NEXT:           "stride": [
// CHECK-NEXT:             -9223372036854775808,
// CHECK-NEXT:             1
// CHECK-NEXT:           ],
// CHECK-NEXT:           "layout_type": "strided",
// CHECK-NEXT:           "property_type": "undef"
// CHECK-NEXT:         }
// CHECK-NEXT:       ],
// CHECK-NEXT:       "outputs": [
// CHECK-NEXT:         {
// CHECK-NEXT:           "id": 1,
// CHECK-NEXT:           "dtype": "u8",
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%x: tensor<2x?xf32>):
  %q = dnnl.Quantize(%x) {scales = [0.1]} : (tensor<2x?xf32>) -> tensor<2x?xui8> loc("q")
  dnnl.return %q : tensor<2x?xui8>
}) : () -> ()

// -----

// A partition outside of a graph; its operands are the input ports, and the weights are constant.
// CHECK:         "input_ports": [
// CHECK-NEXT:     0,
// CHECK-NEXT:     1
// CHECK-NEXT:   ],
// CHECK-NEXT:   "output_ports": [
// CHECK-NEXT:     2
// CHECK:            "name": "MatMul_0",
// CHECK:            "transpose_b": {
// CHECK-NEXT:           "type": "bool",
// CHECK-NEXT:           "value": 1
// CHECK:            "property_type": "undef"
// CHECK:            "property_type": "constant"
// CHECK:            "property_type": "undef"
builtin.module {
  %x, %w = "test.op"() : () -> (tensor<2x8xf32>, tensor<4x8xf32>)
  %y = "dnnl.partition"(%x, %w) <{rule = "matmul", constants = array<i64: 1>}> ({
  ^bb0(%a: tensor<2x8xf32>, %b: tensor<4x8xf32>):
    %c = dnnl.MatMul(%a, %b) {transpose_b = true} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
    dnnl.return %c : tensor<2x4xf32>
  }) : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
}
