"""Which values have sizes that depend on the data, and not only on the sizes of the inputs."""

from __future__ import annotations

import re
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block, SSAValue

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    LocalType,
    PlatformOp,
    external_operands,
    set_type,
    static_shape,
)
from autosplit.lowering.shared.blocks import data_order, outer_blocks

GENERATORS = frozenset(
    {
        # ONNX
        "Compress",
        "If",
        "Loop",
        "NonMaxSuppression",
        "NonZero",
        "Scan",
        "SequenceConstruct",
        "SequenceMap",
        "SplitToSequence",
        "StringSplit",
        "Unique",
        # TensorFlow
        "BooleanMask",
        "DenseToDenseSetOperation",
        "DynamicPartition",
        "ListDiff",
        "NonMaxSuppressionV2",
        "NonMaxSuppressionV3",
        "NonMaxSuppressionV4",
        "NonMaxSuppressionV5",
        "NonMaxSuppressionWithOverlaps",
        "PyFunc",
        "SegmentSum",
        "SparseToDense",
        "StatelessIf",
        "StatelessWhile",
        "StringSplitV2",
        "UniqueV2",
        "UniqueWithCounts",
        "UniqueWithCountsV2",
        "Where",
        "While",
    }
)
"""Ops whose results have sizes that depend on the data, in ONNX and TensorFlow.

`Where` is one in TensorFlow; ONNX's, which selects elements, has three operands.
"""


SIZE_OPERANDS: dict[str, tuple[int, ...]] = {
    "AffineGrid": (1,),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "ConstantOfShape": (0,),
    "DFT": (1, 2),
    "Expand": (1,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "MaxUnpool": (2,),
    "MelWeightMatrix": (0, 1),
    "OneHot": (1,),
    "Pad": (1, 3),
    "Range": (0, 1, 2),
    "ReduceL1": (1,),
    "ReduceL2": (1,),
    "ReduceLogSum": (1,),
    "ReduceLogSumExp": (1,),
    "ReduceMax": (1,),
    "ReduceMean": (1,),
    "ReduceMin": (1,),
    "ReduceProd": (1,),
    "ReduceSum": (1,),
    "ReduceSumSquare": (1,),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
}
"""Operands of ONNX ops whose elements, not only their shapes, determine the sizes of results."""


TF_SIZE_OPERANDS: dict[str, tuple[int, ...]] = {
    "All": (1,),
    "Any": (1,),
    "ArgMax": (1,),
    "ArgMin": (1,),
    "BatchToSpaceND": (1, 2),
    "BroadcastTo": (1,),
    "CombinedNonMaxSuppression": (2, 3),
    "Concat": (0,),
    "ConcatV2": (-1,),
    "Conv2DBackpropInput": (0,),
    "CropAndResize": (3,),
    "ExpandDims": (1,),
    "Fill": (0,),
    "GatherV2": (2,),
    "LinSpace": (2,),
    "Max": (1,),
    "Mean": (1,),
    "Min": (1,),
    "MirrorPad": (1,),
    "OneHot": (1,),
    "Pad": (1,),
    "PadV2": (1,),
    "Prod": (1,),
    "RFFT": (1,),
    "RandomStandardNormal": (0,),
    "RandomUniform": (0,),
    "RandomUniformInt": (0,),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "ResizeArea": (1,),
    "ResizeBicubic": (1,),
    "ResizeBilinear": (1,),
    "ResizeNearestNeighbor": (1,),
    "ScatterNd": (2,),
    "Slice": (1, 2),
    "SpaceToBatchND": (1, 2),
    "Split": (0,),
    "SplitV": (1, 2),
    "StridedSlice": (1, 2, 3),
    "Sum": (1,),
    "TensorArrayV3": (0,),
    "TensorListReserve": (1,),
    "Tile": (1,),
    "TopKV2": (1,),
    "Transpose": (1,),
    "TruncatedNormal": (0,),
    "UnsortedSegmentSum": (2,),
}
"""The same for TensorFlow, where other ops have some of the names. -1 is the last operand."""


SHAPE_READERS = frozenset({"Shape", "ShapeN", "Size", "Rank", "TensorArraySizeV3"})
"""Ops that read an operand's shape and not its elements."""


def data_dependent(module: ModuleOp) -> set[SSAValue]:
    """The values whose shape depends on the data, not only on the shapes of the inputs.

    Everything behind an op of `GENERATORS`, or behind one with a size operand that is computed from data,
    until the type of a value says that its shape is fixed. Ops of other domains are taken to have
    sizes that follow from their operands' shapes.
    """
    values: set[SSAValue] = set()
    for block in outer_blocks(module):
        values |= _data_dependent(block)
    return values


def forget_declared(module: ModuleOp) -> None:
    """Opens the sizes that a model declares of values whose shape depends on the data.

    A file holds what one run of an exporter saw. What ops imply is inferred again; sizes of ops with bodies,
    and of other domains, only the model can tell.
    """
    for block in outer_blocks(module):
        if not any(isinstance(op, OnnxOp) for op in block.ops):
            continue
        for value in _data_dependent(block, declared=False):
            if isinstance(value.type, TensorType):
                type = cast("TensorType[Attribute]", value.type)
                set_type(
                    value, TensorType(type.element_type, [DYNAMIC_INDEX] * type.get_num_dims())
                )


def _data_dependent(block: Block, declared: bool = True) -> set[SSAValue]:
    """The values of a block whose shape depends on the data.

    With `declared`, values whose types say that it is fixed do not count; else only the types of ops of
    which nothing is inferred are believed.
    """
    shapes: set[SSAValue] = {
        a for a in block.args if isinstance(a.type, LocalType) and a.type.EXCHANGED
    }
    """Values whose shape depends on data, as those in a sequence from a caller do."""
    elements: set[SSAValue] = {a for a in block.args if not isinstance(a.type, LocalType)}
    """Values whose elements depend on data."""
    ops = [op for op in data_order(block) if isinstance(op, PlatformOp) and not op.IS_CONSTANT]
    # Bodies of graph regions may read a value before it is defined, so go round until nothing changes.
    changed = True
    while changed:
        before = len(shapes) + len(elements)
        for op in ops:
            _spread(op, shapes, elements, declared)
        changed = len(shapes) + len(elements) > before and any(op.IN_GRAPH_REGION for op in ops)
    return shapes


def _is_contributed(op: PlatformOp) -> bool:
    domain = op.domain if isinstance(op, OnnxOp) else ""
    return domain == "com.microsoft" and not re.search(
        "NonMax|Unique|Search|Sampling|Token", op.op_type
    )


def _branches_differ(operands: list[SSAValue]) -> bool:
    """Whether the sizes of a conditional may depend on the branch; those of a loop's merge never do."""
    branches = [v for v in operands if not isinstance(v.type, LocalType)]
    if any(
        isinstance(v.owner, PlatformOp) and v.owner.op_type == "NextIteration" for v in branches
    ):
        return False
    shapes = {static_shape(v.type) for v in branches}
    return len(shapes) != 1 or None in shapes


def _spread(op: PlatformOp, shapes: set[SSAValue], elements: set[SSAValue], declared: bool) -> None:
    kind = op.op_type
    operands = external_operands(op) if op.regions else list(op.operands)
    moved = not shapes.isdisjoint(operands)
    reads = moved or (kind not in SHAPE_READERS and not elements.isdisjoint(operands))
    if reads or kind.startswith("Placeholder"):
        elements.update(op.results)
    generates = kind in GENERATORS and not (kind == "Where" and len(operands) == 3)
    generates = generates or (kind == "Merge" and _branches_differ(operands))
    generates = generates or (op.name.endswith(".opaque") and not _is_contributed(op))
    if not (moved or generates):
        if isinstance(op, OnnxOp):
            positions = SIZE_OPERANDS.get(kind, ())
            inputs = list(op.inputs)
        else:
            positions = TF_SIZE_OPERANDS.get(kind, ())
            inputs = [v for v in operands if not isinstance(v.type, LocalType)]
        read = (inputs[i] for i in positions if i < len(inputs))
        if not any(v in elements for v in read if v is not None):
            return
    if kind in SHAPE_READERS:
        return
    holds = declared or op.regions or not isinstance(op, OnnxOp) or op.domain != ""
    # A user's promise is kept in every run; see `lowering/infer_shapes/promises.py`.
    holds = holds or "device.promised" in op.attributes
    dependent = [r for r in op.results if not holds or static_shape(r.type) is None]
    if kind in ("StatelessWhile", "While") and not moved:
        # A loop fills the lists that it gets; their lengths are set where they are created.
        dependent = [r for r in dependent if not isinstance(r.type, LocalType)]
    if kind in ("Loop", "Scan") and isinstance(op, OnnxOp) and op.domain == "" and not moved:
        from autosplit.lowering.sizes.onnx_loop_rules import stacked

        fixed = stacked(op, elements)
        dependent = [r for r in dependent if r not in fixed]
    shapes.update(dependent)
