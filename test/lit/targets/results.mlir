// RUN: autosplit-opt %s -t results | filecheck %s
// RUN: %python -c "import numpy, sys; numpy.save(sys.argv[1], numpy.array([[-2, 1, 3, -4]], numpy.float32))" %t.npy
// RUN: autosplit-opt %s -t 'results{inputs="x=%t.npy"}' | filecheck %s --check-prefix=GIVEN
// RUN: not autosplit-opt %s -t 'results{inputs="z=%t.npy"}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not autosplit-opt %S/../pipelines/place.mlir -t results 2>&1 | filecheck %s --check-prefix=WHOLE

// NAME: autosplit-opt: error: there is no input 'z'; inputs are x
// WHOLE: autosplit-opt: error: the module is not outlined: run device-outline first, as split and int8 do

// Each sub-model in its framework, what oneDNN runs in numpy; inputs that are not given are random.
// CHECK: y: float32 1x4 = [{{.+}}, {{.+}}, {{.+}}, {{.+}}]
// GIVEN: y: float32 1x4 = [0., 2., 6., 0.]
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 8 : i64, onnx.opsets = {"ai.onnx" = 17 : i64}} {
  device.func @graph_0 <cpu> (%x "x" : tensor<1x4xf32>) -> ["f"] {
    %f = onnx.Relu "relu" (%x) -> ["f"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    device.return %f : tensor<1x4xf32>
  }
  device.func @graph_1 <dnnl> (%f "f" : tensor<1x4xf32>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<2.0> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
    %y = dnnl.partition "binary" (%a: tensor<1x4xf32> = %f, %b: tensor<1x4xf32> = %w) -> (tensor<1x4xf32>) {
      %c = dnnl.Multiply(%a, %b) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
      dnnl.return %c : tensor<1x4xf32>
    }
    device.return %y : tensor<1x4xf32>
  }
  device.func @main <host> (%x "x" : tensor<1x4xf32>) -> ["y"] {
    %f = device.call @graph_0(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = device.call @graph_1(%f) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    device.return %y : tensor<1x4xf32>
  }
}
