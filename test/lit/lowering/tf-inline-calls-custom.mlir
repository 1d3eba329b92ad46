// RUN: autosplit-opt -p tf-inline-calls --split-input-file %s | filecheck %s

// A function reads the output `high` of a custom op. Its library, where it was given, says that it is the second one.

builtin.module attributes {platform.name = "tensorflow", tf.outputs = {MyParts = ["low", "high"]}, tf.rest = #platform.proto<"\12h\0Af\0A\15\0A\05block\12\05\0A\01x\18\01\1A\05\0A\01y\18\01\1A\11\0A\03own\12\07MyParts\1A\01x\1A!\0A\04relu\12\04Relu\1A\0Aown:high:0*\07\0A\01T\12\020\01\22\17\0A\01y\12\12relu:activations:0">} {
  tf.graph {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> tensor<4xf32>
    %y = tf.PartitionedCall "y" (%x) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\07\0A\05block">}> : (tensor<4xf32>) -> tensor<*xf32>
  }
}

// CHECK:      %x = tf.Placeholder "x"
// CHECK-NEXT: %{{.+}}, %[[HIGH:.+]] = tf.opaque "y/own" (%x)
// CHECK-NEXT: tf.Relu "y/relu" (%[[HIGH]])

// -----

// Of several nobody knows which it is.

builtin.module attributes {platform.name = "tensorflow", tf.rest = #platform.proto<"\12\87\01\0A\84\01\0A\15\0A\05block\12\05\0A\01x\18\01\1A\05\0A\01y\18\01\1A/\0A\03own\12\07MyParts\1A\01x*\1C\0A\0E_output_shapes\12\0A\0A\08:\02\18\01:\02\18\01\1A!\0A\04relu\12\04Relu\1A\0Aown:high:0*\07\0A\01T\12\020\01\22\17\0A\01y\12\12relu:activations:0">} {
  tf.graph {
    %x = tf.Placeholder "x" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> tensor<4xf32>
    %y = tf.PartitionedCall "y" (%x) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\07\0A\05block">}> : (tensor<4xf32>) -> tensor<*xf32>
  }
}

// CHECK:      tf.PartitionedCall "y" (%x) <{{.*}}> {tf.kept = "where the outputs of MyParts are unknown"}
