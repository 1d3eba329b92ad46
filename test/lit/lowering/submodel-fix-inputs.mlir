// RUN: autosplit-opt %s -p 'submodel-fix-inputs{largest="x=4,16"}' | filecheck %s
// RUN: autosplit-opt %s -p 'submodel-fix-inputs{largest="x=4,16" sizes=open}' | filecheck %s --check-prefix=OPEN
// RUN: autosplit-opt %s -p submodel-fix-inputs | filecheck %s --check-prefix=OPEN
// RUN: not autosplit-opt %s -p 'submodel-fix-inputs{largest="y=4,16"}' 2>&1 | filecheck %s --check-prefix=WRONG

// A sub-model for fixed sizes has those of the largest input. The other types follow, by infer-shapes.
// CHECK: onnx.graph "g" (%x "x" : tensor<4x16xf32>) -> ["y"]
// OPEN:  onnx.graph "g" (%x "x" : tensor<?x16xf32>) -> ["y"]
// WRONG: input 'x' of a TPU sub-model is tensor<?x16xf32>, needs a shape that is known
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<?x16xf32>) -> ["y"] {
    %y = onnx.Relu "relu" (%x) -> ["y"] : (tensor<?x16xf32>) -> tensor<?x16xf32>
    onnx.return %y : tensor<?x16xf32>
  }
}
