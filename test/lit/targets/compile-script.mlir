// RUN: autosplit-opt %s --allow-unregistered-dialect -t compile-script | filecheck %s
// RUN: not autosplit-opt %s --allow-unregistered-dialect -t 'compile-script{graph=0}' 2>&1 | filecheck %s --check-prefix=CPU

// Names are data: quotes in them end no string.

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

// CHECK:      """Compiles one sub-model of a split for BM1684, with TPU-MLIR.
// CHECK:      SETTINGS = {
// CHECK-NEXT:     'context_dir': 'graph_ir_1',
// CHECK-NEXT:     'mlir': 'graph_1.mlir',
// CHECK-NEXT:     'weights': 'graph_1_weights.npz',
// CHECK-NEXT:     'calibration_table': None,
// CHECK-NEXT:     'chip': 'bm1684',
// CHECK-NEXT:     'mode': 'F32',
// CHECK-NEXT:     'net': 'graph_1',
// CHECK-NEXT:     'dynamic': False,
// CHECK-NEXT:     'inputs': [{'name': "it's:0", 'shape': [1, 8], 'dtype': 'float32'}],
// CHECK-NEXT:     'outputs': [{'name': 'y:0', 'shape': [1, 8], 'dtype': 'float32'}],
// CHECK-NEXT:     'record': True,
// CHECK-NEXT:     'tolerance': {'cosine': {{.*}}, 'relative': {{.*}}},
// CHECK-NEXT: }
// CHECK:      def compile_top(
// CHECK:          sys.exit(main(SETTINGS, os.path.dirname(os.path.abspath(__file__))))

// CPU: graph 0 is not a TPU sub-model in the module; TPU sub-models are 1
