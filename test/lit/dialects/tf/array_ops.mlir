// RUN: AUTOSPLIT_ROUNDTRIP

// Moving, selecting and making elements; shapes as values. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.BatchToSpaceND "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>
%x.BatchToSpaceND = "test.op"() : () -> tensor<4x2x2x1xf32>
%w.BatchToSpaceND = "test.op"() : () -> tensor<2xi32>
%b.BatchToSpaceND = "test.op"() : () -> tensor<2x2xi32>
%y.BatchToSpaceND = tf.BatchToSpaceND "n" (%x.BatchToSpaceND, %w.BatchToSpaceND, %b.BatchToSpaceND) <{T = f32}> : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>

// CHECK: %{{.+}} = tf.BroadcastArgs "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
%x.BroadcastArgs = "test.op"() : () -> tensor<2xi32>
%w.BroadcastArgs = "test.op"() : () -> tensor<2xi32>
%y.BroadcastArgs = tf.BroadcastArgs "n" (%x.BroadcastArgs, %w.BroadcastArgs) <{T = i32}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>

// CHECK: %{{.+}} = tf.BroadcastTo "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
%x.BroadcastTo = "test.op"() : () -> tensor<4xf32>
%w.BroadcastTo = "test.op"() : () -> tensor<2xi32>
%y.BroadcastTo = tf.BroadcastTo "n" (%x.BroadcastTo, %w.BroadcastTo) <{T = f32}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Concat "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{N = 2 : i64, T = f32}> : (tensor<i32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
%a.Concat = "test.op"() : () -> tensor<i32>
%b.Concat = "test.op"() : () -> tensor<2x3xf32>
%c.Concat = "test.op"() : () -> tensor<2x1xf32>
%y.Concat = tf.Concat "n" (%a.Concat, %b.Concat, %c.Concat) <{N = 2 : i64, T = f32}> : (tensor<i32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.ConcatV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{N = 2 : i64, T = f32}> : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<i32>) -> tensor<2x4xf32>
%a.ConcatV2 = "test.op"() : () -> tensor<2x3xf32>
%b.ConcatV2 = "test.op"() : () -> tensor<2x1xf32>
%c.ConcatV2 = "test.op"() : () -> tensor<i32>
%y.ConcatV2 = tf.ConcatV2 "n" (%a.ConcatV2, %b.ConcatV2, %c.ConcatV2) <{N = 2 : i64, T = f32}> : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<i32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.DepthToSpace "n" (%{{.+}}) <{T = f32, block_size = 2 : i64}> : (tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32>
%x.DepthToSpace = "test.op"() : () -> tensor<1x2x2x4xf32>
%y.DepthToSpace = tf.DepthToSpace "n" (%x.DepthToSpace) <{T = f32, block_size = 2 : i64}> : (tensor<1x2x2x4xf32>) -> tensor<1x4x4x1xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.DynamicPartition "n" (%{{.+}}, %{{.+}}) <{num_partitions = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?xf32>)
%x.DynamicPartition = "test.op"() : () -> tensor<4xf32>
%w.DynamicPartition = "test.op"() : () -> tensor<4xi32>
%y.DynamicPartition, %z.DynamicPartition = tf.DynamicPartition "n" (%x.DynamicPartition, %w.DynamicPartition) <{num_partitions = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?xf32>)

// CHECK: %{{.+}} = tf.DynamicStitch "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{N = 2 : i64, T = f32}> : (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
%a.DynamicStitch = "test.op"() : () -> tensor<2xi32>
%b.DynamicStitch = "test.op"() : () -> tensor<2xi32>
%c.DynamicStitch = "test.op"() : () -> tensor<2xf32>
%d.DynamicStitch = "test.op"() : () -> tensor<2xf32>
%y.DynamicStitch = tf.DynamicStitch "n" (%a.DynamicStitch, %b.DynamicStitch, %c.DynamicStitch, %d.DynamicStitch) <{N = 2 : i64, T = f32}> : (tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.EnsureShape "n" (%{{.+}}) <{shape = #tf.shape<[4]>, T = f32}> : (tensor<*xf32>) -> tensor<4xf32>
%x.EnsureShape = "test.op"() : () -> tensor<*xf32>
%y.EnsureShape = tf.EnsureShape "n" (%x.EnsureShape) <{shape = #tf.shape<[4]>, T = f32}> : (tensor<*xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.ExpandDims "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<i32>) -> tensor<1x4xf32>
%x.ExpandDims = "test.op"() : () -> tensor<4xf32>
%w.ExpandDims = "test.op"() : () -> tensor<i32>
%y.ExpandDims = tf.ExpandDims "n" (%x.ExpandDims, %w.ExpandDims) <{T = f32}> : (tensor<4xf32>, tensor<i32>) -> tensor<1x4xf32>

// CHECK: %{{.+}} = tf.ExtractImagePatches "n" (%{{.+}}) <{ksizes = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, rates = array<i64: 1, 1, 1, 1>, T = f32, padding = "VALID"}> : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x12xf32>
%x.ExtractImagePatches = "test.op"() : () -> tensor<1x8x8x3xf32>
%y.ExtractImagePatches = tf.ExtractImagePatches "n" (%x.ExtractImagePatches) <{ksizes = array<i64: 1, 2, 2, 1>, strides = array<i64: 1, 2, 2, 1>, rates = array<i64: 1, 1, 1, 1>, T = f32, padding = "VALID"}> : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x12xf32>

// CHECK: %{{.+}} = tf.Fill "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>
%x.Fill = "test.op"() : () -> tensor<2xi32>
%w.Fill = "test.op"() : () -> tensor<f32>
%y.Fill = tf.Fill "n" (%x.Fill, %w.Fill) <{T = f32}> : (tensor<2xi32>, tensor<f32>) -> tensor<2x3xf32>

// CHECK: %{{.+}} = tf.Gather "n" (%{{.+}}, %{{.+}}) <{Tparams = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
%x.Gather = "test.op"() : () -> tensor<4x2xf32>
%w.Gather = "test.op"() : () -> tensor<3xi32>
%y.Gather = tf.Gather "n" (%x.Gather, %w.Gather) <{Tparams = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>

// CHECK: %{{.+}} = tf.GatherNd "n" (%{{.+}}, %{{.+}}) <{Tparams = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
%x.GatherNd = "test.op"() : () -> tensor<4x2xf32>
%w.GatherNd = "test.op"() : () -> tensor<3x1xi32>
%y.GatherNd = tf.GatherNd "n" (%x.GatherNd, %w.GatherNd) <{Tparams = f32, Tindices = i32}> : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>

// CHECK: %{{.+}} = tf.GatherV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{Tparams = f32, Tindices = i32, Taxis = i32}> : (tensor<4x2xf32>, tensor<3xi32>, tensor<i32>) -> tensor<3x2xf32>
%x.GatherV2 = "test.op"() : () -> tensor<4x2xf32>
%w.GatherV2 = "test.op"() : () -> tensor<3xi32>
%b.GatherV2 = "test.op"() : () -> tensor<i32>
%y.GatherV2 = tf.GatherV2 "n" (%x.GatherV2, %w.GatherV2, %b.GatherV2) <{Tparams = f32, Tindices = i32, Taxis = i32}> : (tensor<4x2xf32>, tensor<3xi32>, tensor<i32>) -> tensor<3x2xf32>

// CHECK: %{{.+}} = tf.InvertPermutation "n" (%{{.+}}) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>
%x.InvertPermutation = "test.op"() : () -> tensor<4xi32>
%y.InvertPermutation = tf.InvertPermutation "n" (%x.InvertPermutation) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.LinSpace "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
%x.LinSpace = "test.op"() : () -> tensor<f32>
%w.LinSpace = "test.op"() : () -> tensor<f32>
%b.LinSpace = "test.op"() : () -> tensor<i32>
%y.LinSpace = tf.LinSpace "n" (%x.LinSpace, %w.LinSpace, %b.LinSpace) <{T = f32}> : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.ListDiff "n" (%{{.+}}, %{{.+}}) <{T = i32}> : (tensor<4xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
%x.ListDiff = "test.op"() : () -> tensor<4xi32>
%w.ListDiff = "test.op"() : () -> tensor<2xi32>
%y.ListDiff, %z.ListDiff = tf.ListDiff "n" (%x.ListDiff, %w.ListDiff) <{T = i32}> : (tensor<4xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)

// CHECK: %{{.+}} = tf.MirrorPad "n" (%{{.+}}, %{{.+}}) <{T = f32, mode = "REFLECT"}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>
%x.MirrorPad = "test.op"() : () -> tensor<4xf32>
%w.MirrorPad = "test.op"() : () -> tensor<1x2xi32>
%y.MirrorPad = tf.MirrorPad "n" (%x.MirrorPad, %w.MirrorPad) <{T = f32, mode = "REFLECT"}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>

// CHECK: %{{.+}} = tf.OneHot "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, TI = i32}> : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
%a.OneHot = "test.op"() : () -> tensor<4xi32>
%b.OneHot = "test.op"() : () -> tensor<i32>
%c.OneHot = "test.op"() : () -> tensor<f32>
%d.OneHot = "test.op"() : () -> tensor<f32>
%y.OneHot = tf.OneHot "n" (%a.OneHot, %b.OneHot, %c.OneHot, %d.OneHot) <{T = f32, TI = i32}> : (tensor<4xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>

// CHECK: %{{.+}} = tf.OnesLike "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.OnesLike = "test.op"() : () -> tensor<4xf32>
%y.OnesLike = tf.OnesLike "n" (%x.OnesLike) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Pack "n" (%{{.+}}, %{{.+}}) <{N = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
%a.Pack = "test.op"() : () -> tensor<4xf32>
%b.Pack = "test.op"() : () -> tensor<4xf32>
%y.Pack = tf.Pack "n" (%a.Pack, %b.Pack) <{N = 2 : i64, T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Pad "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>
%x.Pad = "test.op"() : () -> tensor<4xf32>
%w.Pad = "test.op"() : () -> tensor<1x2xi32>
%y.Pad = tf.Pad "n" (%x.Pad, %w.Pad) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<6xf32>

// CHECK: %{{.+}} = tf.PadV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<6xf32>
%x.PadV2 = "test.op"() : () -> tensor<4xf32>
%w.PadV2 = "test.op"() : () -> tensor<1x2xi32>
%b.PadV2 = "test.op"() : () -> tensor<f32>
%y.PadV2 = tf.PadV2 "n" (%x.PadV2, %w.PadV2, %b.PadV2) <{T = f32}> : (tensor<4xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<6xf32>

// CHECK: %{{.+}} = tf.Range "n" (%{{.+}}, %{{.+}}, %{{.+}}) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>
%x.Range = "test.op"() : () -> tensor<i32>
%w.Range = "test.op"() : () -> tensor<i32>
%b.Range = "test.op"() : () -> tensor<i32>
%y.Range = tf.Range "n" (%x.Range, %w.Range, %b.Range) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5xi32>

// CHECK: %{{.+}} = tf.Rank "n" (%{{.+}}) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>
%x.Rank = "test.op"() : () -> tensor<2x4xf32>
%y.Rank = tf.Rank "n" (%x.Rank) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>

// CHECK: %{{.+}} = tf.Reshape "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<8xf32>
%x.Reshape = "test.op"() : () -> tensor<2x4xf32>
%w.Reshape = "test.op"() : () -> tensor<1xi32>
%y.Reshape = tf.Reshape "n" (%x.Reshape, %w.Reshape) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<8xf32>

// CHECK: %{{.+}} = tf.Reverse "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<2xi1>) -> tensor<2x4xf32>
%x.Reverse = "test.op"() : () -> tensor<2x4xf32>
%w.Reverse = "test.op"() : () -> tensor<2xi1>
%y.Reverse = tf.Reverse "n" (%x.Reverse, %w.Reverse) <{T = f32}> : (tensor<2x4xf32>, tensor<2xi1>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.ReverseSequence "n" (%{{.+}}, %{{.+}}) <{seq_dim = 1 : i64, T = f32}> : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
%x.ReverseSequence = "test.op"() : () -> tensor<2x4xf32>
%w.ReverseSequence = "test.op"() : () -> tensor<2xi64>
%y.ReverseSequence = tf.ReverseSequence "n" (%x.ReverseSequence, %w.ReverseSequence) <{seq_dim = 1 : i64, T = f32}> : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.ReverseV2 "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
%x.ReverseV2 = "test.op"() : () -> tensor<2x4xf32>
%w.ReverseV2 = "test.op"() : () -> tensor<1xi32>
%y.ReverseV2 = tf.ReverseV2 "n" (%x.ReverseV2, %w.ReverseV2) <{T = f32}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Roll "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Tshift = i32, Taxis = i32}> : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>
%x.Roll = "test.op"() : () -> tensor<4xf32>
%w.Roll = "test.op"() : () -> tensor<i32>
%b.Roll = "test.op"() : () -> tensor<i32>
%y.Roll = tf.Roll "n" (%x.Roll, %w.Roll, %b.Roll) <{T = f32, Tshift = i32, Taxis = i32}> : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.ScatterNd "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Tindices = i32}> : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> tensor<4xf32>
%x.ScatterNd = "test.op"() : () -> tensor<2x1xi32>
%w.ScatterNd = "test.op"() : () -> tensor<2xf32>
%b.ScatterNd = "test.op"() : () -> tensor<1xi32>
%y.ScatterNd = tf.ScatterNd "n" (%x.ScatterNd, %w.ScatterNd, %b.ScatterNd) <{T = f32, Tindices = i32}> : (tensor<2x1xi32>, tensor<2xf32>, tensor<1xi32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Select "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%x.Select = "test.op"() : () -> tensor<4xi1>
%w.Select = "test.op"() : () -> tensor<4xf32>
%b.Select = "test.op"() : () -> tensor<4xf32>
%y.Select = tf.Select "n" (%x.Select, %w.Select, %b.Select) <{T = f32}> : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.SelectV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
%x.SelectV2 = "test.op"() : () -> tensor<4xi1>
%w.SelectV2 = "test.op"() : () -> tensor<2x4xf32>
%b.SelectV2 = "test.op"() : () -> tensor<f32>
%y.SelectV2 = tf.SelectV2 "n" (%x.SelectV2, %w.SelectV2, %b.SelectV2) <{T = f32}> : (tensor<4xi1>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.Shape "n" (%{{.+}}) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2xi32>
%x.Shape = "test.op"() : () -> tensor<2x4xf32>
%y.Shape = tf.Shape "n" (%x.Shape) <{T = f32}> : (tensor<2x4xf32>) -> tensor<2xi32>

// CHECK: %{{.+}}, %{{.+}} = tf.ShapeN "n" (%{{.+}}, %{{.+}}) <{N = 2 : i64, T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2xi32>, tensor<1xi32>)
%a.ShapeN = "test.op"() : () -> tensor<2x4xf32>
%b.ShapeN = "test.op"() : () -> tensor<4xf32>
%y.ShapeN, %z.ShapeN = tf.ShapeN "n" (%a.ShapeN, %b.ShapeN) <{N = 2 : i64, T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2xi32>, tensor<1xi32>)

// CHECK: %{{.+}} = tf.Size "n" (%{{.+}}) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>
%x.Size = "test.op"() : () -> tensor<2x4xf32>
%y.Size = tf.Size "n" (%x.Size) <{T = f32}> : (tensor<2x4xf32>) -> tensor<i32>

// CHECK: %{{.+}} = tf.Slice "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Index = i32}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
%x.Slice = "test.op"() : () -> tensor<4xf32>
%w.Slice = "test.op"() : () -> tensor<1xi32>
%b.Slice = "test.op"() : () -> tensor<1xi32>
%y.Slice = tf.Slice "n" (%x.Slice, %w.Slice, %b.Slice) <{T = f32, Index = i32}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.SpaceToBatchND "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4x2x2x1xf32>
%x.SpaceToBatchND = "test.op"() : () -> tensor<1x4x4x1xf32>
%w.SpaceToBatchND = "test.op"() : () -> tensor<2xi32>
%b.SpaceToBatchND = "test.op"() : () -> tensor<2x2xi32>
%y.SpaceToBatchND = tf.SpaceToBatchND "n" (%x.SpaceToBatchND, %w.SpaceToBatchND, %b.SpaceToBatchND) <{T = f32}> : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4x2x2x1xf32>

// CHECK: %{{.+}} = tf.SpaceToDepth "n" (%{{.+}}) <{T = f32, block_size = 2 : i64}> : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x4xf32>
%x.SpaceToDepth = "test.op"() : () -> tensor<1x4x4x1xf32>
%y.SpaceToDepth = tf.SpaceToDepth "n" (%x.SpaceToDepth) <{T = f32, block_size = 2 : i64}> : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x4xf32>

// CHECK: %{{.+}} = tf.SparseToDense "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Tindices = i32}> : (tensor<2x1xi32>, tensor<1xi32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
%a.SparseToDense = "test.op"() : () -> tensor<2x1xi32>
%b.SparseToDense = "test.op"() : () -> tensor<1xi32>
%c.SparseToDense = "test.op"() : () -> tensor<2xf32>
%d.SparseToDense = "test.op"() : () -> tensor<f32>
%y.SparseToDense = tf.SparseToDense "n" (%a.SparseToDense, %b.SparseToDense, %c.SparseToDense, %d.SparseToDense) <{T = f32, Tindices = i32}> : (tensor<2x1xi32>, tensor<1xi32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.Split "n" (%{{.+}}, %{{.+}}) <{num_split = 2 : i64, T = f32}> : (tensor<i32>, tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
%x.Split = "test.op"() : () -> tensor<i32>
%w.Split = "test.op"() : () -> tensor<2x4xf32>
%y.Split, %z.Split = tf.Split "n" (%x.Split, %w.Split) <{num_split = 2 : i64, T = f32}> : (tensor<i32>, tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)

// CHECK: %{{.+}}, %{{.+}} = tf.SplitV "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{num_split = 2 : i64, T = f32, Tlen = i32}> : (tensor<2x4xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
%x.SplitV = "test.op"() : () -> tensor<2x4xf32>
%w.SplitV = "test.op"() : () -> tensor<2xi32>
%b.SplitV = "test.op"() : () -> tensor<i32>
%y.SplitV, %z.SplitV = tf.SplitV "n" (%x.SplitV, %w.SplitV, %b.SplitV) <{num_split = 2 : i64, T = f32, Tlen = i32}> : (tensor<2x4xf32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)

// CHECK: %{{.+}} = tf.Squeeze "n" (%{{.+}}) <{T = f32}> : (tensor<1x4x1xf32>) -> tensor<4xf32>
%x.Squeeze = "test.op"() : () -> tensor<1x4x1xf32>
%y.Squeeze = tf.Squeeze "n" (%x.Squeeze) <{T = f32}> : (tensor<1x4x1xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.StridedSlice "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Index = i32}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
%a.StridedSlice = "test.op"() : () -> tensor<4xf32>
%b.StridedSlice = "test.op"() : () -> tensor<1xi32>
%c.StridedSlice = "test.op"() : () -> tensor<1xi32>
%d.StridedSlice = "test.op"() : () -> tensor<1xi32>
%y.StridedSlice = tf.StridedSlice "n" (%a.StridedSlice, %b.StridedSlice, %c.StridedSlice, %d.StridedSlice) <{T = f32, Index = i32}> : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>

// CHECK: %{{.+}} = tf.TensorScatterUpdate "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{T = f32, Tindices = i32}> : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
%x.TensorScatterUpdate = "test.op"() : () -> tensor<4xf32>
%w.TensorScatterUpdate = "test.op"() : () -> tensor<2x1xi32>
%b.TensorScatterUpdate = "test.op"() : () -> tensor<2xf32>
%y.TensorScatterUpdate = tf.TensorScatterUpdate "n" (%x.TensorScatterUpdate, %w.TensorScatterUpdate, %b.TensorScatterUpdate) <{T = f32, Tindices = i32}> : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Tile "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<8xf32>
%x.Tile = "test.op"() : () -> tensor<4xf32>
%w.Tile = "test.op"() : () -> tensor<1xi32>
%y.Tile = tf.Tile "n" (%x.Tile, %w.Tile) <{T = f32}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<8xf32>

// CHECK: %{{.+}} = tf.Transpose "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<4x2xf32>
%x.Transpose = "test.op"() : () -> tensor<2x4xf32>
%w.Transpose = "test.op"() : () -> tensor<2xi32>
%y.Transpose = tf.Transpose "n" (%x.Transpose, %w.Transpose) <{T = f32}> : (tensor<2x4xf32>, tensor<2xi32>) -> tensor<4x2xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.Unique "n" (%{{.+}}) <{T = i32}> : (tensor<4xi32>) -> (tensor<?xi32>, tensor<4xi32>)
%x.Unique = "test.op"() : () -> tensor<4xi32>
%y.Unique, %z.Unique = tf.Unique "n" (%x.Unique) <{T = i32}> : (tensor<4xi32>) -> (tensor<?xi32>, tensor<4xi32>)

// CHECK: %{{.+}}, %{{.+}} = tf.Unpack "n" (%{{.+}}) <{num = 2 : i64, T = f32}> : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
%x.Unpack = "test.op"() : () -> tensor<2x4xf32>
%y.Unpack, %z.Unpack = tf.Unpack "n" (%x.Unpack) <{num = 2 : i64, T = f32}> : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)

// CHECK: %{{.+}} = tf.Where "n" (%{{.+}}) <{T = i1}> : (tensor<4xi1>) -> tensor<?x1xi64>
%x.Where = "test.op"() : () -> tensor<4xi1>
%y.Where = tf.Where "n" (%x.Where) <{T = i1}> : (tensor<4xi1>) -> tensor<?x1xi64>

// CHECK: %{{.+}} = tf.ZerosLike "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.ZerosLike = "test.op"() : () -> tensor<4xf32>
%y.ZerosLike = tf.ZerosLike "n" (%x.ZerosLike) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
