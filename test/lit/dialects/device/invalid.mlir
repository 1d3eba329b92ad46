// RUN: autosplit-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: a tpu target names its chip
"test.op"() {t = #device.target<tpu>} : () -> ()

// -----
// CHECK: a dnnl target has no chip, found '3.2'
"test.op"() {t = #device.target<dnnl, "3.2">} : () -> ()

// -----
// CHECK: a cpu target has no chip, found 'bm1684'
"test.op"() {t = #device.target<cpu, "bm1684">} : () -> ()

// -----
// CHECK: Expected `cpu`, `tpu`, `dnnl`, or `host`
"test.op"() {t = #device.target<gpu>} : () -> ()

// -----
// An input that has no name.
// CHECK: @graph_0 has 1 argument and 0 input names
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = []}> ({
^bb0(%x: tensor<1xf32>):
  device.return
}) : () -> ()

// -----
// An output that nothing gives.
// CHECK: @graph_0 returns 0 values and has 1 output name
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = ["y"]}> ({
  device.return
}) : () -> ()

// -----
// A use before the definition.
// CHECK: test.op reads operand 0 before it is defined
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = ["y"]}> ({
  %y = "test.op"(%x) : (tensor<1xf32>) -> tensor<1xf32>
  %x = "test.op"() : () -> tensor<1xf32>
  device.return %y : tensor<1xf32>
}) : () -> ()

// -----
// Two ops that wait for each other.
// CHECK: test.op reads operand 0 before it is defined
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = ["y"]}> ({
  %a = "test.op"(%b) : (tensor<1xf32>) -> tensor<1xf32>
  %b = "test.op"(%a) : (tensor<1xf32>) -> tensor<1xf32>
  device.return %b : tensor<1xf32>
}) : () -> ()

// -----
// Sub-models that wait for each other.
// CHECK: device.call reads operand 0 before it is defined
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["x"], output_names = ["y"]}> ({
^bb0(%x: tensor<1xf32>):
  device.return %x : tensor<1xf32>
}) : () -> ()
"device.func"() <{sym_name = "main", target = #device.target<host>, input_names = [], output_names = ["y"]}> ({
  %a = device.call @graph_0(%b) : (tensor<1xf32>) -> tensor<1xf32>
  %b = device.call @graph_0(%a) : (tensor<1xf32>) -> tensor<1xf32>
  device.return %b : tensor<1xf32>
}) : () -> ()

// -----
// A sub-model that reads what lies outside.
// CHECK: value defined out of its IsolatedFromAbove parent: TestOp
%x = "test.op"() : () -> tensor<1xf32>
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = ["y"]}> ({
  %y = "test.op"(%x) : (tensor<1xf32>) -> tensor<1xf32>
  device.return %y : tensor<1xf32>
}) : () -> ()

// -----
// A region that reads what lies outside.
// CHECK: value defined out of its IsolatedFromAbove parent: YieldOp
%x = "test.op"() : () -> tensor<1xf32>
%y = "device.region"() <{target = #device.target<cpu>}> ({
  device.yield %x : tensor<1xf32>
}) : () -> tensor<1xf32>

// -----
// CHECK: the body takes (tensor<2xf32>), is given (tensor<1xf32>)
%x = "test.op"() : () -> tensor<1xf32>
%y = "device.region"(%x) <{target = #device.target<cpu>}> ({
^bb0(%a: tensor<2xf32>):
  device.yield %a : tensor<2xf32>
}) : (tensor<1xf32>) -> tensor<2xf32>

// -----
// CHECK: the body gives (), is expected to give (tensor<1xf32>)
%y = "device.region"() <{target = #device.target<cpu>}> ({
  device.yield
}) : () -> tensor<1xf32>

// -----
// CHECK: calls @graph_7, which is not a device.func of this module
device.call @graph_7() : () -> ()

// -----
// CHECK: @graph_0 takes (tensor<1xf32>), is given ()
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["x"], output_names = []}> ({
^bb0(%x: tensor<1xf32>):
  device.return
}) : () -> ()
device.call @graph_0() : () -> ()

// -----
// CHECK: @graph_0 gives (tensor<1xf32>), is expected to give (tensor<1xi32>)
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["x"], output_names = ["y"]}> ({
^bb0(%x: tensor<1xf32>):
  device.return %x : tensor<1xf32>
}) : () -> ()
%x = "test.op"() : () -> tensor<1xf32>
%y = device.call @graph_0(%x) : (tensor<1xf32>) -> tensor<1xi32>

// -----
// CHECK: 'device.return' expects parent op 'device.func'
device.return

// -----
// CHECK: 'device.yield' expects parent op 'device.region'
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = []}> ({
  device.yield
}) : () -> ()

// -----
// CHECK: test.op reads operand 0 before it is defined
%y = "device.region"() <{target = #device.target<cpu>}> ({
  %a = "test.op"(%b) : (tensor<1xf32>) -> tensor<1xf32>
  %b = "test.op"(%a) : (tensor<1xf32>) -> tensor<1xf32>
  device.yield %b : tensor<1xf32>
}) : () -> tensor<1xf32>

// -----
// CHECK: @graph_0 is a sub-model and calls @graph_0; only the host calls
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = []}> ({
  device.call @graph_0() : () -> ()
  device.return
}) : () -> ()

// -----
// CHECK: calls @main, which is for the host and calls sub-models itself
"device.func"() <{sym_name = "main", target = #device.target<host>, input_names = [], output_names = []}> ({
  device.call @main() : () -> ()
  device.return
}) : () -> ()

// -----
// CHECK: graph_0
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = []}> ({
  device.return
}) : () -> ()
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = []}> ({
  device.return
}) : () -> ()

// -----
// What belongs to one run of one framework cannot be handed to another sub-model.
// CHECK: input 0 is !tf.resource, which may not leave its sub-model
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = ["table"], output_names = []}> ({
^bb0(%table: !tf.resource):
  device.return
}) : () -> ()

// -----
// CHECK: output 0 is !tf.variant, which may not leave its sub-model
"device.func"() <{sym_name = "graph_0", target = #device.target<cpu>, input_names = [], output_names = ["list"]}> ({
  %list = "test.op"() : () -> !tf.variant
  device.return %list : !tf.variant
}) : () -> ()

// -----
// CHECK: operand 0 is !tf.control, which may not leave its sub-model
%token = "test.op"() : () -> !tf.control
"device.region"(%token) <{target = #device.target<cpu>}> ({
^bb0(%t: !tf.control):
  device.yield
}) : (!tf.control) -> ()

// -----
// CHECK: result 0 is !tf.resource, which may not leave its sub-model
%table = "device.region"() <{target = #device.target<cpu>}> ({
  %t = "test.op"() : () -> !tf.resource
  device.yield %t : !tf.resource
}) : () -> !tf.resource

// -----
// A caller may give a sequence, and only to what its framework runs.
// CHECK: input 0 is !onnx.sequence<tensor<2xf32>>, which may not leave its sub-model
"device.func"() <{sym_name = "graph_0", target = #device.target<tpu, "bm1684">, input_names = ["q"], output_names = []}> ({
^bb0(%q: !onnx.sequence<tensor<2xf32>>):
  device.return
}) : () -> ()

// -----
// CHECK: operand 0 is !onnx.sequence<tensor<2xf32>>, which may not leave its sub-model
%q = "device.region"() <{target = #device.target<cpu>}> ({
  %s = "test.op"() : () -> !onnx.sequence<tensor<2xf32>>
  device.yield %s : !onnx.sequence<tensor<2xf32>>
}) : () -> !onnx.sequence<tensor<2xf32>>
"device.region"(%q) <{target = #device.target<cpu>}> ({
^bb0(%s: !onnx.sequence<tensor<2xf32>>):
  device.yield
}) : (!onnx.sequence<tensor<2xf32>>) -> ()
