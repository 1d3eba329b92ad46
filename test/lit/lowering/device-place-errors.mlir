// RUN: not autosplit-opt %s -p 'device-place{pins="fist=cpu"}' 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not autosplit-opt %s -p 'device-place{pins="fir=cpu"}' 2>&1 | filecheck %s --check-prefix=PART
// RUN: not autosplit-opt %s -p 'device-place{pins="fourth=tpu"}' 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not autosplit-opt %s -p 'device-place{pins="fir(=cpu"}' 2>&1 | filecheck %s --check-prefix=REGEX
// RUN: not autosplit-opt %s -p 'device-place{pins="first=gpu"}' 2>&1 | filecheck %s --check-prefix=DEVICE
// RUN: not autosplit-opt %s -p 'device-place{pins="first"}' 2>&1 | filecheck %s --check-prefix=HALF
// RUN: not autosplit-opt %s -p 'device-place{target=bm1684z}' 2>&1 | filecheck %s --check-prefix=CHIP

// Pins that match nothing, or that ask for what cannot be, are errors.
// NOTHING: pin 'fist' matches no node (did you mean 'first'?)
// PART:    pin 'fir' matches no node
// REFUSED: pin fourth=tpu: Relu 'fourth' cannot run there: Relu has operand 0 ('h') of f16
// REGEX:   pin 'fir(' is not a regular expression
// DEVICE:  pin first=gpu: a device is cpu or tpu
// HALF:    pin 'first': expected REGEX=cpu or REGEX=tpu
// CHIP:    chip 'bm1684z' is unknown (did you mean 'bm1684'?); expected one of bm1684, bm1684x, bm1688

builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "g" (%x "x" : tensor<1x4xf32>, %o "o" : tensor<?x4xf32>, %h "h" : tensor<1x4xf16>) -> ["y", "z", "c"] {
    %a = onnx.Relu "first" (%x) -> ["a"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %b = onnx.Relu "second" (%a) -> ["b"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %c = onnx.Relu "third" (%b) -> ["c"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.Relu "fourth" (%h) -> ["y"] : (tensor<1x4xf16>) -> tensor<1x4xf16>
    %z = onnx.Relu "fifth" (%o) -> ["z"] : (tensor<?x4xf32>) -> tensor<?x4xf32>
    onnx.return %y, %z, %c : tensor<1x4xf16>, tensor<?x4xf32>, tensor<1x4xf32>
  }
}
