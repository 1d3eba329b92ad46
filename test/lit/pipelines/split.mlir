// RUN: autosplit-opt %s --split-input-file --no-locations --pipeline split | filecheck %s
// RUN: autosplit-opt %s --split-input-file --no-locations -p platform-prepare,reduce-mutation,infer-shapes,promise-shapes,measure-shapes,device-place,device-weigh,device-cluster,device-confirm,device-record,device-outline | filecheck %s
// RUN: autosplit-opt %s --split-input-file --no-locations --pipeline 'split{keep=0.9 target=bm1688}' | filecheck %s --check-prefix=OPTIONS

// Doubles are rounded on the CPU, the network runs on the TPU, what was found is collected on the CPU.
// CHECK:      device.func @graph_0 <cpu> (%{{.+}} "x" : {{.+}}) -> ["f"]
// CHECK:        onnx.Cast "decode"
// CHECK:      device.func @graph_1 <tpu, "bm1684"> (%{{.+}} "f" : {{.+}}) -> ["r"]
// CHECK:        onnx.initializer "w"
// CHECK:        onnx.Conv "conv"
// CHECK:        onnx.Relu "relu"
// CHECK:      device.func @graph_2 <cpu> (%{{.+}} "r" : {{.+}}) -> ["y"]
// CHECK:        onnx.NonZero "find"
// CHECK:      device.func @main <host> (%{{.+}} "x" : {{.+}}) -> ["y"]
// CHECK:        %[[F:.+]] = device.call @graph_0(%{{.+}}) : (tensor<1x3x8x8xf64>) -> tensor<1x3x8x8xf32>
// CHECK-NEXT:   %[[R:.+]] = device.call @graph_1(%[[F]]) : (tensor<1x3x8x8xf32>) -> tensor<1x4x6x6xf32>
// CHECK-NEXT:   %[[Y:.+]] = device.call @graph_2(%[[R]]) : (tensor<1x4x6x6xf32>) -> tensor<4x?xi64>
// CHECK-NEXT:   device.return %[[Y]] : tensor<4x?xi64>
// OPTIONS:    target = "bm1688", keep = 9.000000e-01 : f64
// OPTIONS:    device.func @graph_1 <tpu, "bm1688">
builtin.module attributes {platform.name = "onnx", onnx.ir_version = 8 : i64, onnx.opsets = {"ai.onnx" = 17 : i64}} {
  onnx.graph "detector" (%x "x" : tensor<1x3x8x8xf64>) -> ["y"] {
    %w = onnx.initializer "w" () <{value = dense<0.5> : tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
    %f = onnx.Cast "decode" (%x) -> ["f"] <{to = 1 : i64}> : (tensor<1x3x8x8xf64>) -> !platform.unknown
    %c = onnx.Conv "conv" (%f, %w) -> ["c"] : (!platform.unknown, tensor<4x3x3x3xf32>) -> !platform.unknown
    %r = onnx.Relu "relu" (%c) -> ["r"] : (!platform.unknown) -> !platform.unknown
    %y = onnx.NonZero "find" (%r) -> ["y"] : (!platform.unknown) -> !platform.unknown
    onnx.return %y : !platform.unknown
  }
}

// -----

// The same in TensorFlow.
// CHECK:      device.func @graph_0 <cpu> (%{{.+}} "x:0" : {{.+}}) -> ["decode:0"]
// CHECK:      device.func @graph_1 <tpu, "bm1684"> (%{{.+}} "decode:0" : {{.+}}) -> ["relu:0"]
// CHECK:        tf.Conv2D "conv"
// CHECK:      device.func @graph_2 <cpu> (%{{.+}} "relu:0" : {{.+}}) -> ["find:0"]
// CHECK:        tf.Cast "find"
builtin.module attributes {platform.name = "tensorflow"} {
  tf.graph outputs ["find:0"] {
    %x = tf.Placeholder "x" () <{dtype = f64, shape = #tf.shape<[1, 8, 8, 3]>}> : () -> tensor<1x8x8x3xf64>
    %w = tf.Const "w" () <{dtype = f32, value = dense<0.5> : tensor<3x3x3x4xf32>}> : () -> tensor<3x3x3x4xf32>
    %f = tf.Cast "decode" (%x) <{SrcT = f64, DstT = f32}> : (tensor<1x8x8x3xf64>) -> tensor<*xf32>
    %c = tf.Conv2D "conv" (%f, %w) <{T = f32, strides = array<i64: 1, 1, 1, 1>, padding = "SAME"}> : (tensor<*xf32>, tensor<3x3x3x4xf32>) -> tensor<*xf32>
    %r = tf.Relu6 "relu" (%c) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
    %y = tf.Cast "find" (%r) <{SrcT = f32, DstT = f64}> : (tensor<*xf32>) -> tensor<*xf64>
  }
}
