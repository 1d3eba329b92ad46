// RUN: autosplit-opt %s -p dnnl-fuse | filecheck %s --check-prefix=INT8
// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=border}' | filecheck %s --check-prefix=BORDER
// RUN: autosplit-opt %s -p 'dnnl-fuse{keep=all}' | filecheck %s --check-prefix=ALL
// RUN: autosplit-opt %s -p 'dnnl-fuse{version=3.6}' | filecheck %s --check-prefix=NEWER
// RUN: not autosplit-opt %s -p 'dnnl-fuse{version="x"}' 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not autosplit-opt %s -p 'dnnl-fuse{version="3.13" policy=backend}' 2>&1 | filecheck %s --check-prefix=OTHER

// WRONG: version 'x': expected the version of oneDNN, such as 3.2
// OTHER: policy=backend asks the installed oneDNN 3.{{.*}}, the target says 3.13

// A softmax with a zero point behind it is one partition from 3.6 on.
// INT8:       dnnl.Quantize(%f)
// INT8-NEXT:  dnnl.partition "int8-matmul"
// INT8:       dnnl.SoftMax{{.*}}#device.reason<"version", "rule softmax needs oneDNN 3.6, the target says 3.2">
// BORDER:     dnnl.partition "single" (%{{.+}}: {{.+}} = %f)
// BORDER:     {dnnl.unfused = #device.reason<"no-producer", "what it quantizes is not made by an op of oneDNN">}
// BORDER:     dnnl.partition "int8-matmul"
// BORDER:     dnnl.SoftMax
// ALL-NOT: dnnl.unfused
// ALL-COUNT-2: dnnl.partition "{{single|int8-matmul}}"
// ALL:        dnnl.partition "softmax"
// ALL:        dnnl.partition "single"
// NEWER:      dnnl.partition "int8-matmul"
// NEWER:      dnnl.partition "softmax"
"dnnl.graph"() <{version = "3.2.0", engine_kind = "cpu", fpmath_mode = "strict"}> ({
^bb0(%f: tensor<4x4xf32>, %b: tensor<4x4xi8>, %s: tensor<4x4xf32>):
  %a = dnnl.Quantize(%f) {scales = [0.5], zps = [3]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  %da = dnnl.Dequantize(%a) {scales = [0.5], zps = [3]} : (tensor<4x4xui8>) -> tensor<4x4xf32>
  %db = dnnl.Dequantize(%b) {scales = [0.25], zps = [0]} : (tensor<4x4xi8>) -> tensor<4x4xf32>
  %m = dnnl.MatMul(%da, %db) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = dnnl.SoftMax(%s) {axis = 1} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = dnnl.Quantize(%p) {scales = [0.00390625], zps = [1]} : (tensor<4x4xf32>) -> tensor<4x4xui8>
  dnnl.return %m, %q : tensor<4x4xf32>, tensor<4x4xui8>
}) : () -> ()
