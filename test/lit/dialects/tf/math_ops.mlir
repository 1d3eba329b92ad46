// RUN: AUTOSPLIT_ROUNDTRIP

// Elementwise arithmetic and comparison. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.Abs "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Abs = "test.op"() : () -> tensor<4xf32>
%y.Abs = tf.Abs "n" (%x.Abs) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Acos "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Acos = "test.op"() : () -> tensor<4xf32>
%y.Acos = tf.Acos "n" (%x.Acos) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Add "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Add = "test.op"() : () -> tensor<2x4xf32>
%w.Add = "test.op"() : () -> tensor<4xf32>
%y.Add = tf.Add "n" (%x.Add, %w.Add) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.AddV2 "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.AddV2 = "test.op"() : () -> tensor<2x4xf32>
%w.AddV2 = "test.op"() : () -> tensor<4xf32>
%y.AddV2 = tf.AddV2 "n" (%x.AddV2, %w.AddV2) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Asin "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Asin = "test.op"() : () -> tensor<4xf32>
%y.Asin = tf.Asin "n" (%x.Asin) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Atan "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Atan = "test.op"() : () -> tensor<4xf32>
%y.Atan = tf.Atan "n" (%x.Atan) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Atan2 "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%x.Atan2 = "test.op"() : () -> tensor<4xf32>
%w.Atan2 = "test.op"() : () -> tensor<4xf32>
%y.Atan2 = tf.Atan2 "n" (%x.Atan2, %w.Atan2) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.BitwiseAnd "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%x.BitwiseAnd = "test.op"() : () -> tensor<4xi32>
%w.BitwiseAnd = "test.op"() : () -> tensor<4xi32>
%y.BitwiseAnd = tf.BitwiseAnd "n" (%x.BitwiseAnd, %w.BitwiseAnd) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.BitwiseOr "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%x.BitwiseOr = "test.op"() : () -> tensor<4xi32>
%w.BitwiseOr = "test.op"() : () -> tensor<4xi32>
%y.BitwiseOr = tf.BitwiseOr "n" (%x.BitwiseOr, %w.BitwiseOr) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.Cast "n" (%{{.+}}) <{SrcT = f32, DstT = i32}> : (tensor<4xf32>) -> tensor<4xi32>
%x.Cast = "test.op"() : () -> tensor<4xf32>
%y.Cast = tf.Cast "n" (%x.Cast) <{SrcT = f32, DstT = i32}> : (tensor<4xf32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.Ceil "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Ceil = "test.op"() : () -> tensor<4xf32>
%y.Ceil = tf.Ceil "n" (%x.Ceil) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.ClipByValue "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
%x.ClipByValue = "test.op"() : () -> tensor<4xf32>
%w.ClipByValue = "test.op"() : () -> tensor<f32>
%b.ClipByValue = "test.op"() : () -> tensor<f32>
%y.ClipByValue = tf.ClipByValue "n" (%x.ClipByValue, %w.ClipByValue, %b.ClipByValue) <{T = f32}> : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Complex "n" (%{{.+}}, %{{.+}}) <{T = f32, Tout = complex<f32>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
%x.Complex = "test.op"() : () -> tensor<4xf32>
%w.Complex = "test.op"() : () -> tensor<4xf32>
%y.Complex = tf.Complex "n" (%x.Complex, %w.Complex) <{T = f32, Tout = complex<f32>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>

// CHECK: %{{.+}} = tf.ComplexAbs "n" (%{{.+}}) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
%x.ComplexAbs = "test.op"() : () -> tensor<4xcomplex<f32>>
%y.ComplexAbs = tf.ComplexAbs "n" (%x.ComplexAbs) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Conj "n" (%{{.+}}) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
%x.Conj = "test.op"() : () -> tensor<4xcomplex<f32>>
%y.Conj = tf.Conj "n" (%x.Conj) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>

// CHECK: %{{.+}} = tf.Cos "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Cos = "test.op"() : () -> tensor<4xf32>
%y.Cos = tf.Cos "n" (%x.Cos) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Cosh "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Cosh = "test.op"() : () -> tensor<4xf32>
%y.Cosh = tf.Cosh "n" (%x.Cosh) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Div "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Div = "test.op"() : () -> tensor<2x4xf32>
%w.Div = "test.op"() : () -> tensor<4xf32>
%y.Div = tf.Div "n" (%x.Div, %w.Div) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.DivNoNan "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.DivNoNan = "test.op"() : () -> tensor<2x4xf32>
%w.DivNoNan = "test.op"() : () -> tensor<4xf32>
%y.DivNoNan = tf.DivNoNan "n" (%x.DivNoNan, %w.DivNoNan) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Equal "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
%x.Equal = "test.op"() : () -> tensor<2x4xf32>
%w.Equal = "test.op"() : () -> tensor<4xf32>
%y.Equal = tf.Equal "n" (%x.Equal, %w.Equal) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.Erf "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Erf = "test.op"() : () -> tensor<4xf32>
%y.Erf = tf.Erf "n" (%x.Erf) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Exp "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Exp = "test.op"() : () -> tensor<4xf32>
%y.Exp = tf.Exp "n" (%x.Exp) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Expm1 "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Expm1 = "test.op"() : () -> tensor<4xf32>
%y.Expm1 = tf.Expm1 "n" (%x.Expm1) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Floor "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Floor = "test.op"() : () -> tensor<4xf32>
%y.Floor = tf.Floor "n" (%x.Floor) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.FloorDiv "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
%x.FloorDiv = "test.op"() : () -> tensor<2x4xi32>
%w.FloorDiv = "test.op"() : () -> tensor<4xi32>
%y.FloorDiv = tf.FloorDiv "n" (%x.FloorDiv, %w.FloorDiv) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>

// CHECK: %{{.+}} = tf.FloorMod "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
%x.FloorMod = "test.op"() : () -> tensor<2x4xi32>
%w.FloorMod = "test.op"() : () -> tensor<4xi32>
%y.FloorMod = tf.FloorMod "n" (%x.FloorMod, %w.FloorMod) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>

// CHECK: %{{.+}} = tf.Greater "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
%x.Greater = "test.op"() : () -> tensor<2x4xf32>
%w.Greater = "test.op"() : () -> tensor<4xf32>
%y.Greater = tf.Greater "n" (%x.Greater, %w.Greater) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.GreaterEqual "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
%x.GreaterEqual = "test.op"() : () -> tensor<2x4xf32>
%w.GreaterEqual = "test.op"() : () -> tensor<4xf32>
%y.GreaterEqual = tf.GreaterEqual "n" (%x.GreaterEqual, %w.GreaterEqual) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.Imag "n" (%{{.+}}) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
%x.Imag = "test.op"() : () -> tensor<4xcomplex<f32>>
%y.Imag = tf.Imag "n" (%x.Imag) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Invert "n" (%{{.+}}) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>
%x.Invert = "test.op"() : () -> tensor<4xi32>
%y.Invert = tf.Invert "n" (%x.Invert) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.IsFinite "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
%x.IsFinite = "test.op"() : () -> tensor<4xf32>
%y.IsFinite = tf.IsFinite "n" (%x.IsFinite) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>

// CHECK: %{{.+}} = tf.IsInf "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
%x.IsInf = "test.op"() : () -> tensor<4xf32>
%y.IsInf = tf.IsInf "n" (%x.IsInf) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>

// CHECK: %{{.+}} = tf.IsNan "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
%x.IsNan = "test.op"() : () -> tensor<4xf32>
%y.IsNan = tf.IsNan "n" (%x.IsNan) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>

// CHECK: %{{.+}} = tf.LeftShift "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%x.LeftShift = "test.op"() : () -> tensor<4xi32>
%w.LeftShift = "test.op"() : () -> tensor<4xi32>
%y.LeftShift = tf.LeftShift "n" (%x.LeftShift, %w.LeftShift) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.Less "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
%x.Less = "test.op"() : () -> tensor<2x4xf32>
%w.Less = "test.op"() : () -> tensor<4xf32>
%y.Less = tf.Less "n" (%x.Less, %w.Less) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.LessEqual "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
%x.LessEqual = "test.op"() : () -> tensor<2x4xf32>
%w.LessEqual = "test.op"() : () -> tensor<4xf32>
%y.LessEqual = tf.LessEqual "n" (%x.LessEqual, %w.LessEqual) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.Lgamma "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Lgamma = "test.op"() : () -> tensor<4xf32>
%y.Lgamma = tf.Lgamma "n" (%x.Lgamma) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Log "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Log = "test.op"() : () -> tensor<4xf32>
%y.Log = tf.Log "n" (%x.Log) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Log1p "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Log1p = "test.op"() : () -> tensor<4xf32>
%y.Log1p = tf.Log1p "n" (%x.Log1p) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.LogicalAnd "n" (%{{.+}}, %{{.+}}) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
%x.LogicalAnd = "test.op"() : () -> tensor<2x4xi1>
%w.LogicalAnd = "test.op"() : () -> tensor<4xi1>
%y.LogicalAnd = tf.LogicalAnd "n" (%x.LogicalAnd, %w.LogicalAnd) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.LogicalNot "n" (%{{.+}}) : (tensor<4xi1>) -> tensor<4xi1>
%x.LogicalNot = "test.op"() : () -> tensor<4xi1>
%y.LogicalNot = tf.LogicalNot "n" (%x.LogicalNot) : (tensor<4xi1>) -> tensor<4xi1>

// CHECK: %{{.+}} = tf.LogicalOr "n" (%{{.+}}, %{{.+}}) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
%x.LogicalOr = "test.op"() : () -> tensor<2x4xi1>
%w.LogicalOr = "test.op"() : () -> tensor<4xi1>
%y.LogicalOr = tf.LogicalOr "n" (%x.LogicalOr, %w.LogicalOr) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.Maximum "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Maximum = "test.op"() : () -> tensor<2x4xf32>
%w.Maximum = "test.op"() : () -> tensor<4xf32>
%y.Maximum = tf.Maximum "n" (%x.Maximum, %w.Maximum) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Minimum "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Minimum = "test.op"() : () -> tensor<2x4xf32>
%w.Minimum = "test.op"() : () -> tensor<4xf32>
%y.Minimum = tf.Minimum "n" (%x.Minimum, %w.Minimum) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Mod "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
%x.Mod = "test.op"() : () -> tensor<2x4xi32>
%w.Mod = "test.op"() : () -> tensor<4xi32>
%y.Mod = tf.Mod "n" (%x.Mod, %w.Mod) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>

// CHECK: %{{.+}} = tf.Mul "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Mul = "test.op"() : () -> tensor<2x4xf32>
%w.Mul = "test.op"() : () -> tensor<4xf32>
%y.Mul = tf.Mul "n" (%x.Mul, %w.Mul) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Neg "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Neg = "test.op"() : () -> tensor<4xf32>
%y.Neg = tf.Neg "n" (%x.Neg) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.NotEqual "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
%x.NotEqual = "test.op"() : () -> tensor<2x4xf32>
%w.NotEqual = "test.op"() : () -> tensor<4xf32>
%y.NotEqual = tf.NotEqual "n" (%x.NotEqual, %w.NotEqual) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>

// CHECK: %{{.+}} = tf.Pow "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Pow = "test.op"() : () -> tensor<2x4xf32>
%w.Pow = "test.op"() : () -> tensor<4xf32>
%y.Pow = tf.Pow "n" (%x.Pow, %w.Pow) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Real "n" (%{{.+}}) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
%x.Real = "test.op"() : () -> tensor<4xcomplex<f32>>
%y.Real = tf.Real "n" (%x.Real) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.RealDiv "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.RealDiv = "test.op"() : () -> tensor<2x4xf32>
%w.RealDiv = "test.op"() : () -> tensor<4xf32>
%y.RealDiv = tf.RealDiv "n" (%x.RealDiv, %w.RealDiv) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Reciprocal "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Reciprocal = "test.op"() : () -> tensor<4xf32>
%y.Reciprocal = tf.Reciprocal "n" (%x.Reciprocal) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.RightShift "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%x.RightShift = "test.op"() : () -> tensor<4xi32>
%w.RightShift = "test.op"() : () -> tensor<4xi32>
%y.RightShift = tf.RightShift "n" (%x.RightShift, %w.RightShift) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.Rint "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Rint = "test.op"() : () -> tensor<4xf32>
%y.Rint = tf.Rint "n" (%x.Rint) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Round "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Round = "test.op"() : () -> tensor<4xf32>
%y.Round = tf.Round "n" (%x.Round) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Rsqrt "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Rsqrt = "test.op"() : () -> tensor<4xf32>
%y.Rsqrt = tf.Rsqrt "n" (%x.Rsqrt) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Sigmoid "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Sigmoid = "test.op"() : () -> tensor<4xf32>
%y.Sigmoid = tf.Sigmoid "n" (%x.Sigmoid) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Sign "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Sign = "test.op"() : () -> tensor<4xf32>
%y.Sign = tf.Sign "n" (%x.Sign) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Sin "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Sin = "test.op"() : () -> tensor<4xf32>
%y.Sin = tf.Sin "n" (%x.Sin) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Sinh "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Sinh = "test.op"() : () -> tensor<4xf32>
%y.Sinh = tf.Sinh "n" (%x.Sinh) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Sqrt "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Sqrt = "test.op"() : () -> tensor<4xf32>
%y.Sqrt = tf.Sqrt "n" (%x.Sqrt) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Square "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Square = "test.op"() : () -> tensor<4xf32>
%y.Square = tf.Square "n" (%x.Square) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.SquaredDifference "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.SquaredDifference = "test.op"() : () -> tensor<2x4xf32>
%w.SquaredDifference = "test.op"() : () -> tensor<4xf32>
%y.SquaredDifference = tf.SquaredDifference "n" (%x.SquaredDifference, %w.SquaredDifference) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Sub "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%x.Sub = "test.op"() : () -> tensor<2x4xf32>
%w.Sub = "test.op"() : () -> tensor<4xf32>
%y.Sub = tf.Sub "n" (%x.Sub, %w.Sub) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Tan "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Tan = "test.op"() : () -> tensor<4xf32>
%y.Tan = tf.Tan "n" (%x.Tan) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Tanh "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Tanh = "test.op"() : () -> tensor<4xf32>
%y.Tanh = tf.Tanh "n" (%x.Tanh) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.TruncateDiv "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
%x.TruncateDiv = "test.op"() : () -> tensor<2x4xi32>
%w.TruncateDiv = "test.op"() : () -> tensor<4xi32>
%y.TruncateDiv = tf.TruncateDiv "n" (%x.TruncateDiv, %w.TruncateDiv) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>

// CHECK: %{{.+}} = tf.Xlogy "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%x.Xlogy = "test.op"() : () -> tensor<4xf32>
%w.Xlogy = "test.op"() : () -> tensor<4xf32>
%y.Xlogy = tf.Xlogy "n" (%x.Xlogy, %w.Xlogy) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
