// RUN: autosplit-opt -p tf-inline-calls %s | filecheck %s

// The library of the graph has `block`, which calls `double`, `quick`, which XLA compiles, and `again`, which calls
// itself. Afterwards it has what is still called. An output keeps its name.

builtin.module attributes {platform.name = "tensorflow", tf.rest = #platform.proto<"\12\83\04\0AC\0A\16\0A\06double\12\05\0A\01x\18\01\1A\05\0A\01y\18\01\1A\1B\0A\03sum\12\05AddV2\1A\01x\1A\01x*\07\0A\01T\12\020\01\22\0C\0A\01y\12\07sum:z:0\0A\B6\01\0A#\0A\05block\12\05\0A\01a\18\01\12\05\0A\01b\18\01\1A\05\0A\01c\18\01\1A\05\0A\01d\18\01\1A\18\0A\04relu\12\04Relu\1A\01a*\07\0A\01T\12\020\01\1AH\0A\04call\12\0FPartitionedCall\1A\01b*\0C\0A\03Tin\12\05\0A\032\01\01*\0D\0A\04Tout\12\05\0A\032\01\01*\0F\0A\01f\12\0AR\08\0A\06double\22\17\0A\01c\12\12relu:activations:0\22\12\0A\01d\12\0Dcall:output:0\0Aa\0A\15\0A\05quick\12\05\0A\01x\18\01\1A\05\0A\01y\18\01\1A\18\0A\04relu\12\04Relu\1A\01x*\07\0A\01T\12\020\01\22\17\0A\01y\12\12relu:activations:0*\15\0A\0F_XlaMustCompile\12\02(\01\0A\9F\01\0A\15\0A\05again\12\05\0A\01x\18\01\1A\05\0A\01y\18\01\1A\18\0A\04relu\12\04Relu\1A\01x*\07\0A\01T\12\020\01\1AX\0A\04call\12\0FPartitionedCall\1A\12relu:activations:0*\0C\0A\03Tin\12\05\0A\032\01\01*\0D\0A\04Tout\12\05\0A\032\01\01*\0E\0A\01f\12\09R\07\0A\05again\22\12\0A\01y\12\0Dcall:output:0">} {
  tf.graph {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> tensor<4xf32>
    %call, %call_1 = tf.PartitionedCall "call" (%x, %x) <{Tin = [f32, f32], Tout = [f32, f32], f = #platform.proto<"R\07\0A\05block">}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<*xf32>, tensor<*xf32>)
    %y = tf.Mul "y" (%call, %call_1) <{T = f32}> : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    %xla = tf.PartitionedCall "xla" (%y) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\07\0A\05quick">}> : (tensor<*xf32>) -> tensor<*xf32>
    %z = tf.PartitionedCall "z" (%xla) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\08\0A\06double">}> : (tensor<*xf32>) -> tensor<*xf32>
    %w = tf.PartitionedCall "w" (%xla) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\07\0A\05again">}> : (tensor<*xf32>) -> tensor<*xf32>
  }
}

// CHECK:      tf.rest = #platform.proto<"
// CHECK-NOT:  block
// CHECK-SAME: quick
// CHECK:      %x = tf.Placeholder "x"
// CHECK-NEXT: %[[RELU:.+]] = tf.Relu "call/relu" (%x)
// CHECK-NEXT: %[[SUM:.+]] = tf.AddV2 "call/call/sum" (%x, %x)
// CHECK-NEXT: %[[Y:.+]] = tf.Mul "y" (%[[RELU]], %[[SUM]])
// CHECK-NEXT: %[[XLA:.+]] = tf.PartitionedCall "xla" (%[[Y]]) <{{.*}}> {tf.kept = "where XLA compiles it, with other results"}
// CHECK-NEXT: %[[Z:.+]] = tf.AddV2 "z/sum" (%[[XLA]], %[[XLA]])
// CHECK-NEXT: tf.Identity "z" (%[[Z]])
// CHECK-NEXT: %[[W:.+]] = tf.Relu "w/relu" (%[[XLA]])
// CHECK-NEXT: %[[CALL:.+]] = tf.PartitionedCall "w/call" (%[[W]]) <{{.*}}> {tf.kept = "where it calls itself"}
// CHECK-NEXT: tf.Identity "w" (%[[CALL]])
