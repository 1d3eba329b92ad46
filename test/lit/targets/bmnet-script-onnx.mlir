// RUN: autosplit-opt %s --allow-unregistered-dialect -t bmnet-script | filecheck %s

// ONNX models are compiled by bmneto, which takes all by keyword.

builtin.module attributes {platform.name = "onnx", device.plan = {}} {
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

// CHECK:      model = 'graph_1.onnx'
// CHECK:      net_name = 'auto_onnx_' + os.path.basename(os.getcwd()) + '_graph_ir_1'
// CHECK:      bmneto.compile(
// CHECK-NEXT:     model=model,
// CHECK-NEXT:     outdir=outdir,
// CHECK-NEXT:     target=target,
// CHECK-NEXT:     shapes=shapes,
// CHECK-NEXT:     net_name=net_name,
// CHECK-NEXT:     input_names=input_names,
// CHECK-NEXT:     output_names=output_names,
// CHECK-NEXT:     opt=opt,
// CHECK-NEXT:     dyn=dyn,
// CHECK-NEXT:     cmp=cmp,
// CHECK-NEXT: )
