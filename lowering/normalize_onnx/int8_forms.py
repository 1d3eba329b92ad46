"""The forms of ONNX ops that fuse best: what `normalize-onnx{int8=true}` adds."""

from __future__ import annotations

from autosplit.lowering.normalize_onnx.activations import (
    ActivationFirst,
    FuseActivation,
    SharedSlope,
    SplitSwish,
)
from autosplit.lowering.normalize_onnx.batch_norm import FoldBatchNorm
from autosplit.lowering.normalize_onnx.binary import DropNeutral, NumberAsVector, NumberSecond
from autosplit.lowering.normalize_onnx.casts import DropClip, DropSameCast, MergeCasts
from autosplit.lowering.normalize_onnx.causal import FoldCausalPad, FoldCut
from autosplit.lowering.normalize_onnx.gemm import ScaleGemm
from autosplit.lowering.normalize_onnx.identities import ReshapedBack
from autosplit.lowering.normalize_onnx.int8.norms import FuseNorm
from autosplit.lowering.normalize_onnx.int8.runtime_ops import ExpandRuntimeOp
from autosplit.lowering.normalize_onnx.int8.splits import JoinSlices, SplitJoined
from autosplit.lowering.normalize_onnx.reductions import MeanAsPool
from autosplit.lowering.normalize_onnx.sizes import DeferSize

INT8_FORMS = (
    ExpandRuntimeOp,
    FuseActivation,
    FuseNorm,
    SplitSwish,
    SharedSlope,
    ActivationFirst,
    MeanAsPool,
    ScaleGemm,
    FoldBatchNorm,
    NumberSecond,
    DropNeutral,
    NumberAsVector,
    ReshapedBack,
    DropSameCast,
    MergeCasts,
    DropClip,
    DeferSize,
    SplitJoined,
    JoinSlices,
    FoldCausalPad,
    FoldCut,
)
"""In the order in which they are asked; the first that changes an op ends its turn."""
