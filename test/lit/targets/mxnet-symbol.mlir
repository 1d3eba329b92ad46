// RUN: autosplit-opt %s -t 'mxnet-symbol{graph=1}' | filecheck %s
// RUN: not autosplit-opt %s -t 'mxnet-symbol{graph=7}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not autosplit-opt %s -t mxnet-symbol 2>&1 | filecheck %s --check-prefix=WHOLE

// NONE: found no device.func @graph_7 in the module
// WHOLE: found no mx.graph; of an outlined module, say which sub-model: mxnet-symbol{graph=0}

// What a sub-model takes are variables, with dtype and shape where they are known.
// CHECK:      "op": "null",
// CHECK-NEXT:      "name": "conv0_output",
// CHECK-NEXT:      "attrs": {
// CHECK-NEXT:        "__dtype__": "2",
// CHECK-NEXT:        "__shape__": "(0, 4)"
// CHECK-NEXT:      },
// CHECK-NEXT:      "inputs": []
// CHECK:      "op": "Activation",
// CHECK-NEXT:      "name": "relu0",
// CHECK-NEXT:      "attrs": {"act_type": "relu"},
// CHECK-NEXT:      "inputs": {{\[\[}}0, 0, 0]]
// CHECK:      "op": "_Plus",
// CHECK-NEXT:      "name": "sum",
// CHECK-NEXT:      "inputs": {{\[\[}}1, 0, 0], [2, 0, 0]]
// CHECK:      "arg_nodes": [0, 2],
// CHECK-NEXT: "node_row_ptr": [0, 1, 2, 3, 4],
// CHECK-NEXT: "heads": {{\[\[}}3, 0, 0]],
// CHECK-NEXT: "attrs": {"mxnet_version": ["int", 10500]}

builtin.module attributes {platform.name = "mxnet", mx.rest = "{\22graph\22: {\22attrs\22: {\22mxnet_version\22: [\22int\22, 10500]}}}"} {
  "device.func"() <{sym_name = "graph_1", target = #device.target<cpu>, input_names = ["conv0_output"], output_names = ["sum_output"]}> ({
  ^bb0(%x : tensor<?x4xf16>):
    %r = mx.Activation "relu0" (%x) <{act_type = "relu"}> : (tensor<?x4xf16>) -> tensor<?x4xf16>
    %b = mx.param "b" () <{node.value = dense<1.0> : tensor<1x4xf16>, node.kind = "arg"}> : () -> tensor<1x4xf16>
    %y = mx.elemwise_add "sum" (%r, %b) <{node.op = "_Plus"}> : (tensor<?x4xf16>, tensor<1x4xf16>) -> tensor<?x4xf16>
    device.return %y : tensor<?x4xf16>
  }) : () -> ()
}
