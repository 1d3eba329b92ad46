// RUN: AUTOSPLIT_ROUNDTRIP

// Layers: each type once, as its documentation shows it.

// CHECK: %{{.+}} = caffe.AbsVal "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%AbsVal.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%AbsVal.y0 = caffe.AbsVal "l" (%AbsVal.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ArgMax "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ArgMax.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ArgMax.y0 = caffe.ArgMax "l" (%ArgMax.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Axpy "l" (%{{.+}}, %{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Axpy.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Axpy.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Axpy.x2 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Axpy.y0 = caffe.Axpy "l" (%Axpy.x0, %Axpy.x1, %Axpy.x2) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.BNLL "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%BNLL.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%BNLL.y0 = caffe.BNLL "l" (%BNLL.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.BatchNorm "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%BatchNorm.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%BatchNorm.y0 = caffe.BatchNorm "l" (%BatchNorm.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Bias "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Bias.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Bias.y0 = caffe.Bias "l" (%Bias.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Concat "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Concat.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Concat.y0 = caffe.Concat "l" (%Concat.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Const "l" () -> ["y0"] : () -> tensor<*xf32>
%Const.y0 = caffe.Const "l" () -> ["y0"] : () -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Convolution "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Convolution.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Convolution.y0 = caffe.Convolution "l" (%Convolution.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ConvolutionDepthwise "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ConvolutionDepthwise.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ConvolutionDepthwise.y0 = caffe.ConvolutionDepthwise "l" (%ConvolutionDepthwise.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Crop "l" (%{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Crop.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Crop.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Crop.y0 = caffe.Crop "l" (%Crop.x0, %Crop.x1) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Deconvolution "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Deconvolution.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Deconvolution.y0 = caffe.Deconvolution "l" (%Deconvolution.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.DetectionOutput "l" (%{{.+}}, %{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%DetectionOutput.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%DetectionOutput.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%DetectionOutput.x2 = "test.op"() : () -> tensor<1x8x4x4xf32>
%DetectionOutput.y0 = caffe.DetectionOutput "l" (%DetectionOutput.x0, %DetectionOutput.x1, %DetectionOutput.x2) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Dropout "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Dropout.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Dropout.y0 = caffe.Dropout "l" (%Dropout.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ELU "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ELU.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ELU.y0 = caffe.ELU "l" (%ELU.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Eltwise "l" (%{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Eltwise.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Eltwise.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Eltwise.y0 = caffe.Eltwise "l" (%Eltwise.x0, %Eltwise.x1) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Exp "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Exp.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Exp.y0 = caffe.Exp "l" (%Exp.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Flatten "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Flatten.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Flatten.y0 = caffe.Flatten "l" (%Flatten.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.InnerProduct "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%InnerProduct.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%InnerProduct.y0 = caffe.InnerProduct "l" (%InnerProduct.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Interp "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Interp.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Interp.y0 = caffe.Interp "l" (%Interp.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.LRN "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%LRN.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%LRN.y0 = caffe.LRN "l" (%LRN.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Log "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Log.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Log.y0 = caffe.Log "l" (%Log.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.MVN "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%MVN.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%MVN.y0 = caffe.MVN "l" (%MVN.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Normalize "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Normalize.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Normalize.y0 = caffe.Normalize "l" (%Normalize.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.PReLU "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%PReLU.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%PReLU.y0 = caffe.PReLU "l" (%PReLU.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.PSROIPooling "l" (%{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%PSROIPooling.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%PSROIPooling.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%PSROIPooling.y0 = caffe.PSROIPooling "l" (%PSROIPooling.x0, %PSROIPooling.x1) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Permute "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Permute.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Permute.y0 = caffe.Permute "l" (%Permute.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Pooling "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Pooling.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Pooling.y0 = caffe.Pooling "l" (%Pooling.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Power "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Power.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Power.y0 = caffe.Power "l" (%Power.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.PriorBox "l" (%{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%PriorBox.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%PriorBox.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%PriorBox.y0 = caffe.PriorBox "l" (%PriorBox.x0, %PriorBox.x1) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Proposal "l" (%{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Proposal.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Proposal.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Proposal.y0 = caffe.Proposal "l" (%Proposal.x0, %Proposal.x1) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ROIPooling "l" (%{{.+}}, %{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ROIPooling.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ROIPooling.x1 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ROIPooling.y0 = caffe.ROIPooling "l" (%ROIPooling.x0, %ROIPooling.x1) -> ["y0"] : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ReLU "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ReLU.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ReLU.y0 = caffe.ReLU "l" (%ReLU.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ReLU6 "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ReLU6.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ReLU6.y0 = caffe.ReLU6 "l" (%ReLU6.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Reduction "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Reduction.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Reduction.y0 = caffe.Reduction "l" (%Reduction.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Reshape "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Reshape.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Reshape.y0 = caffe.Reshape "l" (%Reshape.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Scale "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Scale.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Scale.y0 = caffe.Scale "l" (%Scale.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.ShuffleChannel "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%ShuffleChannel.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%ShuffleChannel.y0 = caffe.ShuffleChannel "l" (%ShuffleChannel.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Sigmoid "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Sigmoid.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Sigmoid.y0 = caffe.Sigmoid "l" (%Sigmoid.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: caffe.Silence "l" (%{{.+}}) -> [] : (tensor<1x8x4x4xf32>) -> ()
%Silence.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
caffe.Silence "l" (%Silence.x0) -> [] : (tensor<1x8x4x4xf32>) -> ()

// CHECK: %{{.+}} = caffe.Slice "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Slice.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Slice.y0 = caffe.Slice "l" (%Slice.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Softmax "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Softmax.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Softmax.y0 = caffe.Softmax "l" (%Softmax.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Split "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Split.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Split.y0 = caffe.Split "l" (%Split.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.TanH "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%TanH.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%TanH.y0 = caffe.TanH "l" (%TanH.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Threshold "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Threshold.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Threshold.y0 = caffe.Threshold "l" (%Threshold.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Tile "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Tile.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Tile.y0 = caffe.Tile "l" (%Tile.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}} = caffe.Upsample "l" (%{{.+}}) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>
%Upsample.x0 = "test.op"() : () -> tensor<1x8x4x4xf32>
%Upsample.y0 = caffe.Upsample "l" (%Upsample.x0) -> ["y0"] : (tensor<1x8x4x4xf32>) -> tensor<*xf32>

