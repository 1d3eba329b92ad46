// RUN: AUTOSPLIT_ROUNDTRIP

// Reductions, products of matrices, transforms. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.AddN "n" (%{{.+}}, %{{.+}}) <{N = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%a.AddN = "test.op"() : () -> tensor<4xf32>
%b.AddN = "test.op"() : () -> tensor<4xf32>
%y.AddN = tf.AddN "n" (%a.AddN, %b.AddN) <{N = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.All "n" (%{{.+}}, %{{.+}}) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>
%x.All = "test.op"() : () -> tensor<2x4xi1>
%w.All = "test.op"() : () -> tensor<1xi32>
%y.All = tf.All "n" (%x.All, %w.All) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>

// CHECK: %{{.+}} = tf.Any "n" (%{{.+}}, %{{.+}}) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>
%x.Any = "test.op"() : () -> tensor<2x4xi1>
%w.Any = "test.op"() : () -> tensor<1xi32>
%y.Any = tf.Any "n" (%x.Any, %w.Any) : (tensor<2x4xi1>, tensor<1xi32>) -> tensor<2xi1>

// CHECK: %{{.+}} = tf.ArgMax "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>
%x.ArgMax = "test.op"() : () -> tensor<2x4xf32>
%w.ArgMax = "test.op"() : () -> tensor<i32>
%y.ArgMax = tf.ArgMax "n" (%x.ArgMax, %w.ArgMax) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>

// CHECK: %{{.+}} = tf.ArgMin "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>
%x.ArgMin = "test.op"() : () -> tensor<2x4xf32>
%w.ArgMin = "test.op"() : () -> tensor<i32>
%y.ArgMin = tf.ArgMin "n" (%x.ArgMin, %w.ArgMin) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2xi64>

// CHECK: %{{.+}} = tf.BatchMatMul "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
%x.BatchMatMul = "test.op"() : () -> tensor<2x3x4xf32>
%w.BatchMatMul = "test.op"() : () -> tensor<2x4x5xf32>
%y.BatchMatMul = tf.BatchMatMul "n" (%x.BatchMatMul, %w.BatchMatMul) <{T = f32}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>

// CHECK: %{{.+}} = tf.BatchMatMulV2 "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
%x.BatchMatMulV2 = "test.op"() : () -> tensor<2x3x4xf32>
%w.BatchMatMulV2 = "test.op"() : () -> tensor<2x4x5xf32>
%y.BatchMatMulV2 = tf.BatchMatMulV2 "n" (%x.BatchMatMulV2, %w.BatchMatMulV2) <{T = f32}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>

// CHECK: %{{.+}} = tf.BatchMatMulV3 "n" (%{{.+}}, %{{.+}}) <{Ta = i8, Tb = i8, Tout = i32}> : (tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>
%x.BatchMatMulV3 = "test.op"() : () -> tensor<2x3x4xi8>
%w.BatchMatMulV3 = "test.op"() : () -> tensor<2x4x5xi8>
%y.BatchMatMulV3 = tf.BatchMatMulV3 "n" (%x.BatchMatMulV3, %w.BatchMatMulV3) <{Ta = i8, Tb = i8, Tout = i32}> : (tensor<2x3x4xi8>, tensor<2x4x5xi8>) -> tensor<2x3x5xi32>

// CHECK: %{{.+}} = tf.Cumsum "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
%x.Cumsum = "test.op"() : () -> tensor<2x4xf32>
%w.Cumsum = "test.op"() : () -> tensor<i32>
%y.Cumsum = tf.Cumsum "n" (%x.Cumsum, %w.Cumsum) <{T = f32}> : (tensor<2x4xf32>, tensor<i32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Einsum "n" (%{{.+}}, %{{.+}}) <{equation = "ij,jk->ik", N = 2 : i64, T = f32}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
%a.Einsum = "test.op"() : () -> tensor<2x3xf32>
%b.Einsum = "test.op"() : () -> tensor<3x4xf32>
%y.Einsum = tf.Einsum "n" (%a.Einsum, %b.Einsum) <{equation = "ij,jk->ik", N = 2 : i64, T = f32}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.FFT "n" (%{{.+}}) <{Tcomplex = complex<f32>}> : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
%x.FFT = "test.op"() : () -> tensor<8xcomplex<f32>>
%y.FFT = tf.FFT "n" (%x.FFT) <{Tcomplex = complex<f32>}> : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>

// CHECK: %{{.+}} = tf.MatMul "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
%x.MatMul = "test.op"() : () -> tensor<2x3xf32>
%w.MatMul = "test.op"() : () -> tensor<3x4xf32>
%y.MatMul = tf.MatMul "n" (%x.MatMul, %w.MatMul) <{T = f32}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.MatrixBandPart "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>
%x.MatrixBandPart = "test.op"() : () -> tensor<4x4xf32>
%w.MatrixBandPart = "test.op"() : () -> tensor<i64>
%b.MatrixBandPart = "test.op"() : () -> tensor<i64>
%y.MatrixBandPart = tf.MatrixBandPart "n" (%x.MatrixBandPart, %w.MatrixBandPart, %b.MatrixBandPart) <{T = f32}> : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x4xf32>

// CHECK: %{{.+}} = tf.Max "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
%x.Max = "test.op"() : () -> tensor<2x4xf32>
%w.Max = "test.op"() : () -> tensor<1xi32>
%y.Max = tf.Max "n" (%x.Max, %w.Max) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.Mean "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
%x.Mean = "test.op"() : () -> tensor<2x4xf32>
%w.Mean = "test.op"() : () -> tensor<1xi32>
%y.Mean = tf.Mean "n" (%x.Mean, %w.Mean) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.Min "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
%x.Min = "test.op"() : () -> tensor<2x4xf32>
%w.Min = "test.op"() : () -> tensor<1xi32>
%y.Min = tf.Min "n" (%x.Min, %w.Min) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.Prod "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
%x.Prod = "test.op"() : () -> tensor<2x4xf32>
%w.Prod = "test.op"() : () -> tensor<1xi32>
%y.Prod = tf.Prod "n" (%x.Prod, %w.Prod) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.RFFT "n" (%{{.+}}, %{{.+}}) <{Tcomplex = complex<f32>}> : (tensor<8xf32>, tensor<1xi32>) -> tensor<5xcomplex<f32>>
%x.RFFT = "test.op"() : () -> tensor<8xf32>
%w.RFFT = "test.op"() : () -> tensor<1xi32>
%y.RFFT = tf.RFFT "n" (%x.RFFT, %w.RFFT) <{Tcomplex = complex<f32>}> : (tensor<8xf32>, tensor<1xi32>) -> tensor<5xcomplex<f32>>

// CHECK: %{{.+}} = tf.SegmentSum "n" (%{{.+}}, %{{.+}}) <{T = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<4xi32>) -> tensor<3x2xf32>
%x.SegmentSum = "test.op"() : () -> tensor<4x2xf32>
%w.SegmentSum = "test.op"() : () -> tensor<4xi32>
%y.SegmentSum = tf.SegmentSum "n" (%x.SegmentSum, %w.SegmentSum) <{T = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<4xi32>) -> tensor<3x2xf32>

// CHECK: %{{.+}} = tf.Sum "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>
%x.Sum = "test.op"() : () -> tensor<2x4xf32>
%w.Sum = "test.op"() : () -> tensor<1xi32>
%y.Sum = tf.Sum "n" (%x.Sum, %w.Sum) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.UnsortedSegmentSum "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> tensor<3x2xf32>
%x.UnsortedSegmentSum = "test.op"() : () -> tensor<4x2xf32>
%w.UnsortedSegmentSum = "test.op"() : () -> tensor<4xi32>
%b.UnsortedSegmentSum = "test.op"() : () -> tensor<i32>
%y.UnsortedSegmentSum = tf.UnsortedSegmentSum "n" (%x.UnsortedSegmentSum, %w.UnsortedSegmentSum, %b.UnsortedSegmentSum) <{T = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<4xi32>, tensor<i32>) -> tensor<3x2xf32>
