// RUN: autosplit-opt %s --no-locations -p 'platform-prepare{fix="rate=16000"}' | filecheck %s
// RUN: not autosplit-opt %s -p 'platform-prepare{fix="speed=1"}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not autosplit-opt %s -p 'platform-prepare{fix="rate=fast"}' 2>&1 | filecheck %s --check-prefix=VALUE

// The input is a constant, and its value goes into the plan, for comparisons with the whole model.
// CHECK: device.notes = {fixed = {rate = "{{.*}}[16000]{{.*}}"}}
// CHECK: onnx.graph "g" (%{{.+}} "x" : tensor<4xi64>) -> ["y"]
// CHECK-NEXT: onnx.initializer "rate" {{.+}} dense<16000>
// CHECK-NEXT: onnx.Mul

// NAME: --set speed: is not an input of the model (there are 'x', 'rate')
// VALUE: --set rate=fast: expected NAME=VALUE with a number, true, false or a .npy file, as in sr=16000
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "g" (%x "x" : tensor<4xi64>, %rate "rate" : tensor<i64>) -> ["y"] {
    %y = onnx.Mul "mul" (%x, %rate) -> ["y"] : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
    onnx.return %y : tensor<4xi64>
  }
}
