// RUN: autosplit-opt %s --allow-unregistered-dialect -t 'compile-script{graph=1 mode=INT8}' | filecheck %s
// RUN: not autosplit-opt %s --allow-unregistered-dialect -t 'compile-script{mode=F16}' 2>&1 | filecheck %s --check-prefix=F16

// INT8 needs a table; what the chip cannot compute in is refused.

builtin.module attributes {platform.name = "tensorflow", device.plan = {}} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>,
                    input_names = ["x:0"], output_names = ["it's:0"]}> ({
  ^bb0(%x : tensor<1x8xf32>):
    %y = "test.op"(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %y : tensor<1x8xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684">,
                    input_names = ["it's:0"], output_names = ["y:0"]}> ({
  ^bb0(%x : tensor<1x8xf32>):
    %y = "test.op"(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %y : tensor<1x8xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>,
                    input_names = ["x:0"], output_names = ["y:0"]}> ({
  ^bb0(%x : tensor<1x8xf32>):
    %y = device.call @graph_0(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %z = device.call @graph_1(%y) : (tensor<1x8xf32>) -> tensor<1x8xf32>
    device.return %z : tensor<1x8xf32>
  }) : () -> ()
}

// CHECK:      SETTINGS = {
// CHECK:          'calibration_table': 'graph_1_calibration',
// CHECK-NEXT:     'chip': 'bm1684',
// CHECK-NEXT:     'mode': 'INT8',

// F16: graph_ir_1: bm1684 does not compute in 'F16', only in F32 and INT8
