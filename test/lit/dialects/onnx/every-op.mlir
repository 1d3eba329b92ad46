// RUN: autosplit-opt %s --allow-unregistered-dialect | autosplit-opt --allow-unregistered-dialect --print-op-generic | autosplit-opt --allow-unregistered-dialect | filecheck %s

// Each op of the dialect, as the example in its docstring shows it.

// CHECK: onnx.Abs "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Abs "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Acos "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Acos "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Acosh "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Acosh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Add "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Add "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.AffineGrid "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.AffineGrid "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.And "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi1>, tensor<4xi1>)
  %r0 = onnx.And "n" (%0, %1) -> ["r0"] : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
}

// CHECK: onnx.ArgMax "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ArgMax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
}

// CHECK: onnx.ArgMin "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ArgMin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
}

// CHECK: onnx.Asin "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Asin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Asinh "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Asinh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Atan "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Atan "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Atanh "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Atanh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Attention "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Attention "n" (%0, %1, %2, _, _, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.AveragePool "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.AveragePool "n" (%0) -> ["r0"] <{kernel_shape = array<i64: 1>}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.BatchNormalization "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.BatchNormalization "n" (%0, %1, %2, %3, %4) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Bernoulli "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Bernoulli "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.BitCast "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.BitCast "n" (%0) -> ["r0"] <{to = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.BitShift "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi16>, tensor<4xi16>)
  %r0 = onnx.BitShift "n" (%0, %1) -> ["r0"] <{direction = "a"}>
              : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
}

// CHECK: onnx.BitwiseAnd "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi16>, tensor<4xi16>)
  %r0 = onnx.BitwiseAnd "n" (%0, %1) -> ["r0"] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
}

// CHECK: onnx.BitwiseNot "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi16>)
  %r0 = onnx.BitwiseNot "n" (%0) -> ["r0"] : (tensor<4xi16>) -> tensor<4xi16>
}

// CHECK: onnx.BitwiseOr "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi16>, tensor<4xi16>)
  %r0 = onnx.BitwiseOr "n" (%0, %1) -> ["r0"] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
}

// CHECK: onnx.BitwiseXor "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi16>, tensor<4xi16>)
  %r0 = onnx.BitwiseXor "n" (%0, %1) -> ["r0"] : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi16>
}

// CHECK: onnx.BlackmanWindow "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi32>)
  %r0 = onnx.BlackmanWindow "n" (%0) -> ["r0"] : (tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.Cast "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Cast "n" (%0) -> ["r0"] <{to = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.CastLike "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.CastLike "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.CausalConvWithState "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0, %r1 = onnx.CausalConvWithState "n" (%0, %1, _, _) -> ["r0", "r1"]
              : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

// CHECK: onnx.Ceil "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Ceil "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Celu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Celu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.CenterCropPad "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.CenterCropPad "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.Clip "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Clip "n" (%0, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Col2Im "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>)
  %r0 = onnx.Col2Im "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.Compress "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi1>)
  %r0 = onnx.Compress "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>
}

// CHECK: onnx.Concat "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4x4x4xf32>)
  %r0 = onnx.Concat "n" (%0) -> ["r0"] <{axis = 1 : i64}> : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
}

// CHECK: onnx.ConcatFromSequence "
builtin.module {
  %0 = "test.op"() : () -> (!onnx.sequence<tensor<4xi1>>)
  %r0 = onnx.ConcatFromSequence "n" (%0) -> ["r0"] <{axis = 1 : i64}>
              : (!onnx.sequence<tensor<4xi1>>) -> tensor<4xf32>
}

// CHECK: onnx.Constant "
builtin.module {
  %r0 = onnx.Constant "n" () -> ["r0"] : () -> tensor<4xf32>
}

// CHECK: onnx.ConstantOfShape "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi64>)
  %r0 = onnx.ConstantOfShape "n" (%0) -> ["r0"] : (tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.Conv "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>)
  %r0 = onnx.Conv "n" (%0, %1) -> ["r0"] : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
}

// CHECK: onnx.ConvInteger "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x4x4xi8>, tensor<4x4x4xi8>)
  %r0 = onnx.ConvInteger "n" (%0, %1, _, _) -> ["r0"]
              : (tensor<4x4x4xi8>, tensor<4x4x4xi8>) -> tensor<4x4x4xi32>
}

// CHECK: onnx.ConvTranspose "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>)
  %r0 = onnx.ConvTranspose "n" (%0, %1) -> ["r0"]
              : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
}

// CHECK: onnx.Cos "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Cos "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Cosh "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Cosh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.CumProd "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.CumProd "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.CumSum "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.CumSum "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.DFT "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.DFT "n" (%0, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.DeformConv "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.DeformConv "n" (%0, %1, %2, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.DepthToSpace "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.DepthToSpace "n" (%0) -> ["r0"] <{blocksize = 1 : i64}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.DequantizeLinear "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf8E4M3FN>, tensor<4xf32>)
  %r0 = onnx.DequantizeLinear "n" (%0, %1) -> ["r0"]
              : (tensor<4xf8E4M3FN>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Det "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Det "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Div "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Div "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Dropout "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Dropout "n" (%0, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.DynamicQuantizeLinear "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0, %r1, %r2 = onnx.DynamicQuantizeLinear "n" (%0) -> ["r0", "r1", "r2"]
              : (tensor<4xf32>) -> (tensor<4xui8>, tensor<4xf32>, tensor<4xui8>)
}

// CHECK: onnx.Einsum "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Einsum "n" (%0) -> ["r0"] <{equation = "a"}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Elu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Elu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Equal "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Equal "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.Erf "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Erf "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Exp "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Exp "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Expand "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.Expand "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.EyeLike "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.EyeLike "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Flatten "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Flatten "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Floor "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Floor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.GRU "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.GRU "n" (%0, %1, %2, _, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Gather "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.Gather "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.GatherElements "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.GatherElements "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.GatherND "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.GatherND "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.Gelu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Gelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Gemm "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %r0 = onnx.Gemm "n" (%0, %1) -> ["r0"] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
}

// CHECK: onnx.GlobalAveragePool "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.GlobalAveragePool "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.GlobalLpPool "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.GlobalLpPool "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.GlobalMaxPool "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.GlobalMaxPool "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Greater "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Greater "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.GreaterOrEqual "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.GreaterOrEqual "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.GridSample "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.GridSample "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.GroupNormalization "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.GroupNormalization "n" (%0, %1, %2) -> ["r0"] <{num_groups = 1 : i64}>
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.HammingWindow "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi32>)
  %r0 = onnx.HammingWindow "n" (%0) -> ["r0"] : (tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.HannWindow "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi32>)
  %r0 = onnx.HannWindow "n" (%0) -> ["r0"] : (tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.HardSigmoid "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.HardSigmoid "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.HardSwish "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.HardSwish "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Hardmax "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Hardmax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Identity "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Identity "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.If "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi1>)
  %r0 = onnx.If "n" (%0) -> ["r0"] ({
            onnx.graph "then_branch" () -> [] {
              onnx.return
            }
          }, {
            onnx.graph "else_branch" () -> [] {
              onnx.return
            }
          })
              : (tensor<4xi1>) -> tensor<4xf32>
}

// CHECK: onnx.ImageDecoder "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xui8>)
  %r0 = onnx.ImageDecoder "n" (%0) -> ["r0"] : (tensor<4xui8>) -> tensor<4xui8>
}

// CHECK: onnx.InstanceNormalization "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.InstanceNormalization "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.IsInf "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.IsInf "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.IsNaN "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.IsNaN "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.LRN "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.LRN "n" (%0) -> ["r0"] <{size = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.LSTM "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.LSTM "n" (%0, %1, %2, _, _, _, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.LayerNormalization "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.LayerNormalization "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.LeakyRelu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.LeakyRelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Less "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Less "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.LessOrEqual "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.LessOrEqual "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.LinearAttention "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0, %r1 = onnx.LinearAttention "n" (%0, %1, %2, _, _, _) -> ["r0", "r1"]
              <{kv_num_heads = 1 : i64, q_num_heads = 1 : i64}>
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}

// CHECK: onnx.Log "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Log "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.LogSoftmax "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.LogSoftmax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Loop "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Loop "n" (_, _, %0) -> ["r0"] ({
            onnx.graph "body" () -> [] {
              onnx.return
            }
          })
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.LpNormalization "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.LpNormalization "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.LpPool "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.LpPool "n" (%0) -> ["r0"] <{kernel_shape = array<i64: 1>}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MatMul "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.MatMul "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MatMulInteger "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi8>, tensor<4xi8>)
  %r0 = onnx.MatMulInteger "n" (%0, %1, _, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
}

// CHECK: onnx.Max "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Max "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MaxPool "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.MaxPool "n" (%0) -> ["r0"] <{kernel_shape = array<i64: 1>}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MaxRoiPool "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.MaxRoiPool "n" (%0, %1) -> ["r0"] <{pooled_shape = array<i64: 1>}>
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MaxUnpool "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.MaxUnpool "n" (%0, %1) -> ["r0"] <{kernel_shape = array<i64: 1>}>
              : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.Mean "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Mean "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MeanVarianceNormalization "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.MeanVarianceNormalization "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.MelWeightMatrix "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.MelWeightMatrix "n" (%0, %1, %2, %3, %4) -> ["r0"]
              : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Min "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Min "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Mish "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Mish "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Mod "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Mod "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Mul "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Mul "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Multinomial "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Multinomial "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi32>
}

// CHECK: onnx.Neg "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Neg "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.NegativeLogLikelihoodLoss "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.NegativeLogLikelihoodLoss "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.NonMaxSuppression "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.NonMaxSuppression "n" (%0, %1, _, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi64>
}

// CHECK: onnx.NonZero "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.NonZero "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
}

// CHECK: onnx.Not "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi1>)
  %r0 = onnx.Not "n" (%0) -> ["r0"] : (tensor<4xi1>) -> tensor<4xi1>
}

// CHECK: onnx.OneHot "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.OneHot "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Optional "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Optional "n" (%0) -> ["r0"]
              : (tensor<4xf32>) -> !onnx.optional<!onnx.sequence<tensor<4xbf16>>>
}

// CHECK: onnx.OptionalGetElement "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.OptionalGetElement "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.OptionalHasElement "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.OptionalHasElement "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi1>
}

// CHECK: onnx.Or "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi1>, tensor<4xi1>)
  %r0 = onnx.Or "n" (%0, %1) -> ["r0"] : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
}

// CHECK: onnx.PRelu "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.PRelu "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Pad "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Pad "n" (%0, _, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Pow "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Pow "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.QLinearConv "
builtin.module {
  %0, %1, %2, %3, %4, %5, %6, %7 = "test.op"() : () -> (tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>)
  %r0 = onnx.QLinearConv "n" (%0, %1, %2, %3, %4, %5, %6, %7) -> ["r0"]
              : (tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>,
              tensor<4x4x4xf32>, tensor<4x4x4xi8>) -> tensor<4x4x4xi8>
}

// CHECK: onnx.QLinearMatMul "
builtin.module {
  %0, %1, %2, %3, %4, %5, %6, %7 = "test.op"() : () -> (tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>)
  %r0 = onnx.QLinearMatMul "n" (%0, %1, %2, %3, %4, %5, %6, %7) -> ["r0"]
              : (tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>, tensor<4xf32>,
              tensor<4xf8E4M3FN>, tensor<4xf32>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
}

// CHECK: onnx.QuantizeLinear "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.QuantizeLinear "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf8E4M3FN>
}

// CHECK: onnx.RMSNormalization "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.RMSNormalization "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.RNN "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.RNN "n" (%0, %1, %2, _, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.RandomNormal "
builtin.module {
  %r0 = onnx.RandomNormal "n" () -> ["r0"] <{shape = array<i64: 1>}> : () -> tensor<4xf32>
}

// CHECK: onnx.RandomNormalLike "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.RandomNormalLike "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.RandomUniform "
builtin.module {
  %r0 = onnx.RandomUniform "n" () -> ["r0"] <{shape = array<i64: 1>}> : () -> tensor<4xf32>
}

// CHECK: onnx.RandomUniformLike "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.RandomUniformLike "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Range "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Range "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Reciprocal "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Reciprocal "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceL1 "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceL1 "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceL2 "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceL2 "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceLogSum "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceLogSum "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceLogSumExp "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceLogSumExp "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceMax "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceMax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceMean "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceMean "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceMin "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceMin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceProd "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceProd "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceSum "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceSum "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReduceSumSquare "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ReduceSumSquare "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.RegexFullMatch "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4x!onnx.string>)
  %r0 = onnx.RegexFullMatch "n" (%0) -> ["r0"] : (tensor<4x!onnx.string>) -> tensor<4xi1>
}

// CHECK: onnx.Relu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Relu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Reshape "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.Reshape "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.Resize "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Resize "n" (%0, _, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ReverseSequence "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.ReverseSequence "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.RoiAlign "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.RoiAlign "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.RotaryEmbedding "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.RotaryEmbedding "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Round "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Round "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.STFT "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.STFT "n" (%0, %1, _, _) -> ["r0"] : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.Scan "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Scan "n" (%0) -> ["r0"] <{num_scan_inputs = 1 : i64}> ({
            onnx.graph "body" () -> [] {
              onnx.return
            }
          })
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Scatter "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
  %r0 = onnx.Scatter "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ScatterElements "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
  %r0 = onnx.ScatterElements "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ScatterND "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>)
  %r0 = onnx.ScatterND "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Selu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Selu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.SequenceAt "
builtin.module {
  %0, %1 = "test.op"() : () -> (!onnx.sequence<tensor<4xi1>>, tensor<4xi32>)
  %r0 = onnx.SequenceAt "n" (%0, %1) -> ["r0"]
              : (!onnx.sequence<tensor<4xi1>>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.SequenceConstruct "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.SequenceConstruct "n" (%0) -> ["r0"]
              : (tensor<4xf32>) -> !onnx.sequence<tensor<4xi1>>
}

// CHECK: onnx.SequenceEmpty "
builtin.module {
  %r0 = onnx.SequenceEmpty "n" () -> ["r0"] : () -> !onnx.sequence<tensor<4xi1>>
}

// CHECK: onnx.SequenceErase "
builtin.module {
  %0 = "test.op"() : () -> (!onnx.sequence<tensor<4xi1>>)
  %r0 = onnx.SequenceErase "n" (%0) -> ["r0"]
              : (!onnx.sequence<tensor<4xi1>>) -> !onnx.sequence<tensor<4xi1>>
}

// CHECK: onnx.SequenceInsert "
builtin.module {
  %0, %1 = "test.op"() : () -> (!onnx.sequence<tensor<4xi1>>, tensor<4xf32>)
  %r0 = onnx.SequenceInsert "n" (%0, %1) -> ["r0"]
              : (!onnx.sequence<tensor<4xi1>>, tensor<4xf32>) -> !onnx.sequence<tensor<4xi1>>
}

// CHECK: onnx.SequenceLength "
builtin.module {
  %0 = "test.op"() : () -> (!onnx.sequence<tensor<4xi1>>)
  %r0 = onnx.SequenceLength "n" (%0) -> ["r0"] : (!onnx.sequence<tensor<4xi1>>) -> tensor<4xi64>
}

// CHECK: onnx.SequenceMap "
builtin.module {
  %0, %1 = "test.op"() : () -> (!onnx.sequence<tensor<4xi1>>, tensor<4xf32>)
  %r0 = onnx.SequenceMap "n" (%0, %1) -> ["r0"] ({
            onnx.graph "body" () -> [] {
              onnx.return
            }
          })
              : (!onnx.sequence<tensor<4xi1>>, tensor<4xf32>) -> !onnx.sequence<tensor<4xi1>>
}

// CHECK: onnx.Shape "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Shape "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
}

// CHECK: onnx.Shrink "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Shrink "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Sigmoid "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Sigmoid "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Sign "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Sign "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Sin "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Sin "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Sinh "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Sinh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Size "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Size "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xi64>
}

// CHECK: onnx.Slice "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Slice "n" (%0, _, _, _, _) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Softmax "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Softmax "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.SoftmaxCrossEntropyLoss "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi32>)
  %r0 = onnx.SoftmaxCrossEntropyLoss "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.Softplus "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Softplus "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Softsign "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Softsign "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.SpaceToDepth "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.SpaceToDepth "n" (%0) -> ["r0"] <{blocksize = 1 : i64}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Split "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Split "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.SplitToSequence "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.SplitToSequence "n" (%0) -> ["r0"]
              : (tensor<4xf32>) -> !onnx.sequence<tensor<4xbf16>>
}

// CHECK: onnx.Sqrt "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Sqrt "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Squeeze "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Squeeze "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.StringConcat "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x!onnx.string>, tensor<4x!onnx.string>)
  %r0 = onnx.StringConcat "n" (%0, %1) -> ["r0"]
              : (tensor<4x!onnx.string>, tensor<4x!onnx.string>) -> tensor<4x!onnx.string>
}

// CHECK: onnx.StringNormalizer "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4x!onnx.string>)
  %r0 = onnx.StringNormalizer "n" (%0) -> ["r0"]
              : (tensor<4x!onnx.string>) -> tensor<4x!onnx.string>
}

// CHECK: onnx.StringSplit "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4x!onnx.string>)
  %r0, %r1 = onnx.StringSplit "n" (%0) -> ["r0", "r1"]
              : (tensor<4x!onnx.string>) -> (tensor<4x!onnx.string>, tensor<4xi64>)
}

// CHECK: onnx.Sub "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Sub "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Sum "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Sum "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.SwiGLU "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.SwiGLU "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Swish "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Swish "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Tan "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Tan "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Tanh "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Tanh "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.TensorScatter "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.TensorScatter "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.TfIdfVectorizer "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi32>)
  %r0 = onnx.TfIdfVectorizer "n" (%0) -> ["r0"]
              <{max_gram_length = 1 : i64, max_skip_count = 1 : i64, min_gram_length = 1 : i64, mode = "a",
              ngram_counts = array<i64: 1>, ngram_indexes = array<i64: 1>}>
              : (tensor<4xi32>) -> tensor<4xf32>
}

// CHECK: onnx.ThresholdedRelu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ThresholdedRelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Tile "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.Tile "n" (%0, %1) -> ["r0"] : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.TopK "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0, %r1 = onnx.TopK "n" (%0) -> ["r0", "r1"]
              : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
}

// CHECK: onnx.Transpose "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Transpose "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Trilu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Trilu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Unique "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Unique "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Unsqueeze "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Unsqueeze "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Upsample "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.Upsample "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Where "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.Where "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.Xor "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi1>, tensor<4xi1>)
  %r0 = onnx.Xor "n" (%0, %1) -> ["r0"] : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
}

// CHECK: onnx.ml.ArrayFeatureExtractor "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi64>)
  %r0 = onnx.ml.ArrayFeatureExtractor "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi64>) -> tensor<4xf32>
}

// CHECK: onnx.ml.Binarizer "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.Binarizer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.CastMap "
builtin.module {
  %0 = "test.op"() : () -> (!onnx.map<i64, tensor<4xf32>>)
  %r0 = onnx.ml.CastMap "n" (%0) -> ["r0"] : (!onnx.map<i64, tensor<4xf32>>) -> tensor<4xf32>
}

// CHECK: onnx.ml.CategoryMapper "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xi64>)
  %r0 = onnx.ml.CategoryMapper "n" (%0) -> ["r0"] : (tensor<4xi64>) -> tensor<4xi64>
}

// CHECK: onnx.ml.DictVectorizer "
builtin.module {
  %0 = "test.op"() : () -> (!onnx.map<i64, tensor<4xf64>>)
  %r0 = onnx.ml.DictVectorizer "n" (%0) -> ["r0"]
              : (!onnx.map<i64, tensor<4xf64>>) -> tensor<4xf32>
}

// CHECK: onnx.ml.FeatureVectorizer "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.FeatureVectorizer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.Imputer "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.Imputer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.LabelEncoder "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.LabelEncoder "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.LinearClassifier "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0, %r1 = onnx.ml.LinearClassifier "n" (%0) -> ["r0", "r1"] <{coefficients = [1.0 : f32]}>
              : (tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>)
}

// CHECK: onnx.ml.LinearRegressor "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.LinearRegressor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.Normalizer "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.Normalizer "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.OneHotEncoder "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.OneHotEncoder "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.SVMClassifier "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0, %r1 = onnx.ml.SVMClassifier "n" (%0) -> ["r0", "r1"]
              : (tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>)
}

// CHECK: onnx.ml.SVMRegressor "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.SVMRegressor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.Scaler "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.Scaler "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.TreeEnsemble "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.TreeEnsemble "n" (%0) -> ["r0"]
              <{leaf_targetids = array<i64: 1>, leaf_weights = dense<1> : tensor<1xi64>, nodes_falseleafs =
              array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 1>,
              nodes_modes = dense<1> : tensor<1xi64>, nodes_splits = dense<1> : tensor<1xi64>,
              nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 1>, tree_roots = array<i64:
              1>}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.TreeEnsembleClassifier "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0, %r1 = onnx.ml.TreeEnsembleClassifier "n" (%0) -> ["r0", "r1"]
              : (tensor<4xf32>) -> (tensor<4xi64>, tensor<4xf32>)
}

// CHECK: onnx.ml.TreeEnsembleRegressor "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.TreeEnsembleRegressor "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ml.ZipMap "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ml.ZipMap "n" (%0) -> ["r0"]
              : (tensor<4xf32>) -> !onnx.sequence<!onnx.map<i64, tensor<4xf32>>>
}

// CHECK: onnx.ms.Attention "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.Attention "n" (%0, %1, _, _, _, _, _) -> ["r0"] <{num_heads = 1 : i64}>
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.BiasGelu "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.BiasGelu "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.DequantizeLinear "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xi16>, tensor<4xf32>)
  %r0 = onnx.ms.DequantizeLinear "n" (%0, %1) -> ["r0"]
              : (tensor<4xi16>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.DynamicQuantizeMatMul "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>)
  %r0 = onnx.ms.DynamicQuantizeMatMul "n" (%0, %1, %2, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.EmbedLayerNormalization "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.EmbedLayerNormalization "n" (%0, _, %1, %2, _, %3, %4, _, _) -> ["r0"]
              : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.FastGelu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ms.FastGelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.FusedConv "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>)
  %r0 = onnx.ms.FusedConv "n" (%0, %1, _, _) -> ["r0"]
              : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
}

// CHECK: onnx.ms.FusedGemm "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %r0 = onnx.ms.FusedGemm "n" (%0, %1) -> ["r0"]
              : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
}

// CHECK: onnx.ms.FusedMatMul "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.FusedMatMul "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.Gelu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ms.Gelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.MatMulIntegerToFloat "
builtin.module {
  %0, %1, %2, %3 = "test.op"() : () -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.MatMulIntegerToFloat "n" (%0, %1, %2, %3, _, _, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.MultiHeadAttention "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ms.MultiHeadAttention "n" (%0, _, _, _, _, _, _, _, _, _) -> ["r0"]
              <{num_heads = 1 : i64}>
              : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.QAttention "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QAttention "n" (%0, %1, %2, %3, %4, _, _, _, _) -> ["r0"]
              <{num_heads = 1 : i64}>
              : (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.QGemm "
builtin.module {
  %0, %1, %2, %3, %4, %5 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>)
  %r0 = onnx.ms.QGemm "n" (%0, %1, %2, %3, %4, %5, _, _, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) ->
              tensor<4xf32>
}

// CHECK: onnx.ms.QLinearAdd "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearAdd "n" (%0, %1, _, %2, %3, _, %4, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearAveragePool "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearAveragePool "n" (%0, %1, _, %2, _) -> ["r0"]
              <{kernel_shape = array<i64: 1>}>
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearConcat "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearConcat "n" (%0, %1, %2) -> ["r0"] <{axis = 1 : i64}>
              : (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearConv "
builtin.module {
  %0, %1, %2, %3, %4, %5, %6, %7 = "test.op"() : () -> (tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>)
  %r0 = onnx.ms.QLinearConv "n" (%0, %1, %2, %3, %4, %5, %6, %7) -> ["r0"]
              : (tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>, tensor<4x4x4xi8>, tensor<4x4x4xf32>,
              tensor<4x4x4xi8>, tensor<4x4x4xf32>, tensor<4x4x4xi8>) -> tensor<4x4x4xi8>
}

// CHECK: onnx.ms.QLinearGlobalAveragePool "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>)
  %r0 = onnx.ms.QLinearGlobalAveragePool "n" (%0, %1, %2, %3, %4) -> ["r0"]
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearLeakyRelu "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearLeakyRelu "n" (%0, %1, _, %2, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearMul "
builtin.module {
  %0, %1, %2, %3, %4 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearMul "n" (%0, %1, _, %2, %3, _, %4, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearReduceMean "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearReduceMean "n" (%0, %1, _, %2, _) -> ["r0"]
              <{axes = array<i64: 1>, keepdims = 1 : i64}>
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearSigmoid "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QLinearSigmoid "n" (%0, %1, _, %2, _) -> ["r0"]
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearSoftmax "
builtin.module {
  %0, %1, %2, %3 = "test.op"() : () -> (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>)
  %r0 = onnx.ms.QLinearSoftmax "n" (%0, %1, _, %2, %3) -> ["r0"] <{opset = 1 : i64}>
              : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QLinearWhere "
builtin.module {
  %0, %1, %2, %3, %4, %5, %6, %7, %8 = "test.op"() : () -> (tensor<4xi1>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>)
  %r0 = onnx.ms.QLinearWhere "n" (%0, %1, %2, %3, %4, %5, %6, %7, %8) -> ["r0"]
              : (tensor<4xi1>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xf32>,
              tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
}

// CHECK: onnx.ms.QuantizeLinear "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.QuantizeLinear "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi16>
}

// CHECK: onnx.ms.QuickGelu "
builtin.module {
  %0 = "test.op"() : () -> (tensor<4xf32>)
  %r0 = onnx.ms.QuickGelu "n" (%0) -> ["r0"] : (tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.SkipLayerNormalization "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.SkipLayerNormalization "n" (%0, %1, %2, _, _) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.SkipSimplifiedLayerNormalization "
builtin.module {
  %0, %1, %2 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.SkipSimplifiedLayerNormalization "n" (%0, %1, %2) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}

// CHECK: onnx.ms.TransposeMatMul "
builtin.module {
  %0, %1 = "test.op"() : () -> (tensor<4xf32>, tensor<4xf32>)
  %r0 = onnx.ms.TransposeMatMul "n" (%0, %1) -> ["r0"]
              : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
}
