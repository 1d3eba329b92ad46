// RUN: autosplit-opt %s --allow-unregistered-dialect -t 'bmnet-script{graph=1}' | filecheck %s
// RUN: autosplit-opt %s --allow-unregistered-dialect -t bmnet-script | filecheck %s
// RUN: not autosplit-opt %s --allow-unregistered-dialect -t 'bmnet-script{graph=0}' 2>&1 | filecheck %s --check-prefix=CPU

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

// CHECK:      os.chdir(os.path.dirname(os.path.abspath(__file__)))
// CHECK:      model = 'graph_1.pb'
// CHECK-NEXT: outdir = 'graph_ir_1'
// CHECK-NEXT: target = 'BM1684'
// CHECK-NEXT: input_names = [
// CHECK-NEXT:     "it's:0",
// CHECK-NEXT: ]
// CHECK-NEXT: output_names = [
// CHECK-NEXT:     'y:0',
// CHECK-NEXT: ]
// CHECK-NEXT: shapes = [
// CHECK-NEXT:     [1, 8],
// CHECK-NEXT: ]
// CHECK-NEXT: net_name = 'auto_tf_' + os.path.basename(os.getcwd()) + '_graph_ir_1'
// CHECK-NEXT: opt = 2
// CHECK-NEXT: dyn = False
// CHECK-NEXT: cmp = False
// CHECK:      import bmnett
// CHECK:      bmnett.compile(
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

// CPU: graph 0 is not a TPU sub-model in the module; TPU sub-models are 1
