// RUN: AUTOSPLIT_ROUNDTRIP

// Images and detections: resizing, decoding, choosing the best. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.AdjustContrastv2 "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>
%x.AdjustContrastv2 = "test.op"() : () -> tensor<1x8x8x3xf32>
%w.AdjustContrastv2 = "test.op"() : () -> tensor<f32>
%y.AdjustContrastv2 = tf.AdjustContrastv2 "n" (%x.AdjustContrastv2, %w.AdjustContrastv2) <{T = f32}> : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x8x8x3xf32>

// CHECK: %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} = tf.CombinedNonMaxSuppression "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) : (tensor<1x9x1x4xf32>, tensor<1x9x2xf32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<1x5x4xf32>, tensor<1x5xf32>, tensor<1x5xf32>, tensor<1xi32>)
%a.CombinedNonMaxSuppression = "test.op"() : () -> tensor<1x9x1x4xf32>
%b.CombinedNonMaxSuppression = "test.op"() : () -> tensor<1x9x2xf32>
%c.CombinedNonMaxSuppression = "test.op"() : () -> tensor<i32>
%d.CombinedNonMaxSuppression = "test.op"() : () -> tensor<i32>
%e.CombinedNonMaxSuppression = "test.op"() : () -> tensor<f32>
%f.CombinedNonMaxSuppression = "test.op"() : () -> tensor<f32>
%y.CombinedNonMaxSuppression, %z.CombinedNonMaxSuppression, %u.CombinedNonMaxSuppression, %v.CombinedNonMaxSuppression = tf.CombinedNonMaxSuppression "n" (%a.CombinedNonMaxSuppression, %b.CombinedNonMaxSuppression, %c.CombinedNonMaxSuppression, %d.CombinedNonMaxSuppression, %e.CombinedNonMaxSuppression, %f.CombinedNonMaxSuppression) : (tensor<1x9x1x4xf32>, tensor<1x9x2xf32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<1x5x4xf32>, tensor<1x5xf32>, tensor<1x5xf32>, tensor<1xi32>)

// CHECK: %{{.+}} = tf.CropAndResize "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x8x8x3xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x4x3xf32>
%a.CropAndResize = "test.op"() : () -> tensor<1x8x8x3xf32>
%b.CropAndResize = "test.op"() : () -> tensor<2x4xf32>
%c.CropAndResize = "test.op"() : () -> tensor<2xi32>
%d.CropAndResize = "test.op"() : () -> tensor<2xi32>
%y.CropAndResize = tf.CropAndResize "n" (%a.CropAndResize, %b.CropAndResize, %c.CropAndResize, %d.CropAndResize) <{T = f32}> : (tensor<1x8x8x3xf32>, tensor<2x4xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x4x4x3xf32>

// CHECK: %{{.+}} = tf.DecodeJpeg "n" (%{{.+}}) : (tensor<!tf.string>) -> tensor<?x?x?xui8>
%x.DecodeJpeg = "test.op"() : () -> tensor<!tf.string>
%y.DecodeJpeg = tf.DecodeJpeg "n" (%x.DecodeJpeg) : (tensor<!tf.string>) -> tensor<?x?x?xui8>

// CHECK: %{{.+}} = tf.DecodePng "n" (%{{.+}}) : (tensor<!tf.string>) -> tensor<?x?x?xui8>
%x.DecodePng = "test.op"() : () -> tensor<!tf.string>
%y.DecodePng = tf.DecodePng "n" (%x.DecodePng) : (tensor<!tf.string>) -> tensor<?x?x?xui8>

// CHECK: %{{.+}} = tf.DecodeRaw "n" (%{{.+}}) <{out_type = ui8}> : (tensor<!tf.string>) -> tensor<?xui8>
%x.DecodeRaw = "test.op"() : () -> tensor<!tf.string>
%y.DecodeRaw = tf.DecodeRaw "n" (%x.DecodeRaw) <{out_type = ui8}> : (tensor<!tf.string>) -> tensor<?xui8>

// CHECK: %{{.+}} = tf.HSVToRGB "n" (%{{.+}}) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
%x.HSVToRGB = "test.op"() : () -> tensor<8x8x3xf32>
%y.HSVToRGB = tf.HSVToRGB "n" (%x.HSVToRGB) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>

// CHECK: %{{.+}} = tf.NonMaxSuppression "n" (%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>) -> tensor<?xi32>
%x.NonMaxSuppression = "test.op"() : () -> tensor<9x4xf32>
%w.NonMaxSuppression = "test.op"() : () -> tensor<9xf32>
%b.NonMaxSuppression = "test.op"() : () -> tensor<i32>
%y.NonMaxSuppression = tf.NonMaxSuppression "n" (%x.NonMaxSuppression, %w.NonMaxSuppression, %b.NonMaxSuppression) : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>) -> tensor<?xi32>

// CHECK: %{{.+}} = tf.NonMaxSuppressionV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>) -> tensor<?xi32>
%a.NonMaxSuppressionV2 = "test.op"() : () -> tensor<9x4xf32>
%b.NonMaxSuppressionV2 = "test.op"() : () -> tensor<9xf32>
%c.NonMaxSuppressionV2 = "test.op"() : () -> tensor<i32>
%d.NonMaxSuppressionV2 = "test.op"() : () -> tensor<f32>
%y.NonMaxSuppressionV2 = tf.NonMaxSuppressionV2 "n" (%a.NonMaxSuppressionV2, %b.NonMaxSuppressionV2, %c.NonMaxSuppressionV2, %d.NonMaxSuppressionV2) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>) -> tensor<?xi32>

// CHECK: %{{.+}} = tf.NonMaxSuppressionV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?xi32>
%a.NonMaxSuppressionV3 = "test.op"() : () -> tensor<9x4xf32>
%b.NonMaxSuppressionV3 = "test.op"() : () -> tensor<9xf32>
%c.NonMaxSuppressionV3 = "test.op"() : () -> tensor<i32>
%d.NonMaxSuppressionV3 = "test.op"() : () -> tensor<f32>
%e.NonMaxSuppressionV3 = "test.op"() : () -> tensor<f32>
%y.NonMaxSuppressionV3 = tf.NonMaxSuppressionV3 "n" (%a.NonMaxSuppressionV3, %b.NonMaxSuppressionV3, %c.NonMaxSuppressionV3, %d.NonMaxSuppressionV3, %e.NonMaxSuppressionV3) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?xi32>

// CHECK: %{{.+}}, %{{.+}} = tf.NonMaxSuppressionV4 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<i32>)
%a.NonMaxSuppressionV4 = "test.op"() : () -> tensor<9x4xf32>
%b.NonMaxSuppressionV4 = "test.op"() : () -> tensor<9xf32>
%c.NonMaxSuppressionV4 = "test.op"() : () -> tensor<i32>
%d.NonMaxSuppressionV4 = "test.op"() : () -> tensor<f32>
%e.NonMaxSuppressionV4 = "test.op"() : () -> tensor<f32>
%y.NonMaxSuppressionV4, %z.NonMaxSuppressionV4 = tf.NonMaxSuppressionV4 "n" (%a.NonMaxSuppressionV4, %b.NonMaxSuppressionV4, %c.NonMaxSuppressionV4, %d.NonMaxSuppressionV4, %e.NonMaxSuppressionV4) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<i32>)

// CHECK: %{{.+}}, %{{.+}}, %{{.+}} = tf.NonMaxSuppressionV5 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
%a.NonMaxSuppressionV5 = "test.op"() : () -> tensor<9x4xf32>
%b.NonMaxSuppressionV5 = "test.op"() : () -> tensor<9xf32>
%c.NonMaxSuppressionV5 = "test.op"() : () -> tensor<i32>
%d.NonMaxSuppressionV5 = "test.op"() : () -> tensor<f32>
%e.NonMaxSuppressionV5 = "test.op"() : () -> tensor<f32>
%f.NonMaxSuppressionV5 = "test.op"() : () -> tensor<f32>
%y.NonMaxSuppressionV5, %z.NonMaxSuppressionV5, %u.NonMaxSuppressionV5 = tf.NonMaxSuppressionV5 "n" (%a.NonMaxSuppressionV5, %b.NonMaxSuppressionV5, %c.NonMaxSuppressionV5, %d.NonMaxSuppressionV5, %e.NonMaxSuppressionV5, %f.NonMaxSuppressionV5) <{T = f32}> : (tensor<9x4xf32>, tensor<9xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)

// CHECK: %{{.+}} = tf.RGBToHSV "n" (%{{.+}}) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>
%x.RGBToHSV = "test.op"() : () -> tensor<8x8x3xf32>
%y.RGBToHSV = tf.RGBToHSV "n" (%x.RGBToHSV) <{T = f32}> : (tensor<8x8x3xf32>) -> tensor<8x8x3xf32>

// CHECK: %{{.+}} = tf.ResizeBicubic "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
%x.ResizeBicubic = "test.op"() : () -> tensor<1x4x4x3xf32>
%w.ResizeBicubic = "test.op"() : () -> tensor<2xi32>
%y.ResizeBicubic = tf.ResizeBicubic "n" (%x.ResizeBicubic, %w.ResizeBicubic) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>

// CHECK: %{{.+}} = tf.ResizeBilinear "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
%x.ResizeBilinear = "test.op"() : () -> tensor<1x4x4x3xf32>
%w.ResizeBilinear = "test.op"() : () -> tensor<2xi32>
%y.ResizeBilinear = tf.ResizeBilinear "n" (%x.ResizeBilinear, %w.ResizeBilinear) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>

// CHECK: %{{.+}} = tf.ResizeNearestNeighbor "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>
%x.ResizeNearestNeighbor = "test.op"() : () -> tensor<1x4x4x3xf32>
%w.ResizeNearestNeighbor = "test.op"() : () -> tensor<2xi32>
%y.ResizeNearestNeighbor = tf.ResizeNearestNeighbor "n" (%x.ResizeNearestNeighbor, %w.ResizeNearestNeighbor) <{T = f32}> : (tensor<1x4x4x3xf32>, tensor<2xi32>) -> tensor<1x8x8x3xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.TopK "n" (%{{.+}}) <{k = 3 : i64, T = f32}> : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
%x.TopK = "test.op"() : () -> tensor<2x9xf32>
%y.TopK, %z.TopK = tf.TopK "n" (%x.TopK) <{k = 3 : i64, T = f32}> : (tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)

// CHECK: %{{.+}}, %{{.+}} = tf.TopKV2 "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x9xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
%x.TopKV2 = "test.op"() : () -> tensor<2x9xf32>
%w.TopKV2 = "test.op"() : () -> tensor<i32>
%y.TopKV2, %z.TopKV2 = tf.TopKV2 "n" (%x.TopKV2, %w.TopKV2) <{T = f32}> : (tensor<2x9xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
