"""infer-shapes: the best type that the input shapes imply, for every value.

The module itself is not rewritten. A copy is lowered to canonical `onnx` and folded to a fixpoint together
with the inference, since most shapes of a detector come out of arithmetic on other shapes; what is
learned of the copy's values goes back by their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass

from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.weights import WeightStore
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    DimsAttr,
    LocalType,
    PlatformGraph,
    PlatformOp,
    UnknownType,
    element_type,
    external_operands,
    platform_graph,
    set_type,
    static_shape,
    value_name,
)
from autosplit.lowering.device.handover import Handover
from autosplit.lowering.shared.blocks import data_order, outer_blocks

# Types


def measurable(type: Attribute) -> bool:
    """Whether running the model can tell the shape of a value of this type: tensors, and unknown types."""
    return isinstance(type, UnknownType | UnrankedTensorType | TensorType)


def contradicts(known: Attribute, inferred: Attribute) -> bool:
    """Whether no value can be of both types."""
    a, b = _tensor(known), _tensor(inferred)
    if a is None or b is None:
        return False
    if a.element_type != b.element_type:
        return True
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)):
        return False
    left, right = a.get_shape(), b.get_shape()
    if len(left) != len(right):
        return True
    return any(x != y and x >= 0 and y >= 0 for x, y in zip(left, right, strict=True))


def join(known: Attribute, inferred: Attribute) -> Attribute:
    """What two types of one value say together. Where they contradict each other, `known`."""
    if known == inferred:
        return known
    a, b = _tensor(known), _tensor(inferred)
    if isinstance(known, UnknownType) and isinstance(inferred, LocalType):
        return inferred
    if b is None or contradicts(known, inferred):
        return known
    if a is None:
        return inferred if isinstance(known, UnknownType) else known
    if not isinstance(b, TensorType):
        return known
    if not isinstance(a, TensorType):
        return inferred
    sizes = [x if x >= 0 else y for x, y in zip(a.get_shape(), b.get_shape(), strict=True)]
    names = [n or m for n, m in zip(_dim_names(a), _dim_names(b), strict=True)]
    names = [n if size < 0 else "" for n, size in zip(names, sizes, strict=True)]
    if not any(names):
        encoding = None if isinstance(a.encoding, DimsAttr) else a.encoding
        return _tensor_type(a.element_type, sizes, encoding)
    return _tensor_type(a.element_type, sizes, DimsAttr(ArrayAttr([StringAttr(n) for n in names])))


AnyTensor = TensorType[Attribute] | UnrankedTensorType[Attribute]


def _tensor(type: Attribute) -> AnyTensor | None:
    return cast("AnyTensor", type) if isinstance(type, TensorType | UnrankedTensorType) else None


def _tensor_type(
    element: Attribute, sizes: list[int], encoding: Attribute | None
) -> TensorType[Attribute]:
    if encoding is None:
        return TensorType(element, sizes)
    return TensorType(element, sizes, encoding)


def _dim_names(type: TensorType[Attribute]) -> list[str]:
    if isinstance(type.encoding, DimsAttr):
        return [n.data for n in type.encoding.names]
    return [""] * len(type.get_shape())


# Inference on canonical modules


SAME_TYPE = frozenset({"GroupNormalization", "MeanVarianceNormalization"})
"""Ops whose result has the type of their first operand, which the onnx package does not infer."""


def refine_types(module: ModuleOp, store: WeightStore | None, correct: bool = False) -> bool:
    """Gives the values of an ONNX module the types that one run of the inference finds.

    Never loses what is known. True where any type became better. With `correct`, a declared shape that
    contradicts what follows from the inputs gives way, as it does in a runtime; exporters often get the
    shapes of outputs wrong. Another element type raises AutosplitError.
    """
    from autosplit.lowering.shared.protos import StrippedModel, opset_of, type_of_proto

    changed = False
    for block in outer_blocks(module):
        if not any(isinstance(op, OnnxOp) for op in block.ops):
            continue
        names = _symbols(block)
        changed |= _refine_same_types(block)
        model = StrippedModel(block, opset_of(module), store)
        for _ in range(2):
            inferred = model.inferred()
            better = False
            missed = False
            for value, proto in inferred.items():
                found = type_of_proto(proto, names)
                if found is None or found == value.type:
                    continue
                if correct and contradicts(value.type, found):
                    joined = _corrected(value, found)
                else:
                    joined = join(value.type, found)
                if joined != value.type:
                    set_type(value, joined)
                    better = True
                elif not isinstance(value.type, UnknownType):
                    missed = True
            changed |= better
            if not missed:
                break
            # Once more with the types that the model declares, where the inference alone knew less.
            model.add_known_types()
    return changed


def _refine_same_types(block: Block) -> bool:
    changed = False
    for op in block.walk():
        if isinstance(op, OnnxOp) and op.op_type in SAME_TYPE and op.domain == "":
            joined = join(op.results[0].type, op.operands[0].type)
            changed |= joined != op.results[0].type
            set_type(op.results[0], joined)
    return changed


def _symbols(block: Block) -> frozenset[str]:
    """The names of dimensions that the inputs of a graph declare."""
    found: set[str] = set()
    for argument in block.args:
        if isinstance(argument.type, TensorType):
            found.update(_dim_names(cast("TensorType[Attribute]", argument.type)))
    return frozenset(found - {""})


def named_values(blocks: Iterable[Block]) -> Iterator[tuple[str, SSAValue]]:
    """All values of blocks and of bodies inside them, by name; values without a name are left out."""
    for block in blocks:
        for argument in block.args:
            yield value_name(argument), argument
        for op in block.ops:
            if isinstance(op, PlatformOp):
                for index, result in enumerate(op.results):
                    if name := op.value_name(index):
                        yield name, result
            yield from named_values(b for r in op.regions for b in r.blocks)


def lowered_copy(ctx: Context, module: ModuleOp) -> ModuleOp:
    """A copy of a platform module in canonical ONNX, as far as that goes, with all of its names.

    Raises AutosplitError as `infer_types` does.
    """
    from autosplit.lowering.normalize_onnx import normalize

    copy = module.clone()
    if _needs_conversion(copy):
        from autosplit.lowering.convert_tf_to_onnx import convert

        _name_outputs(copy)
        convert(ctx, copy)
    normalize(copy, simplify=False)
    return copy


def _name_outputs(copy: ModuleOp) -> None:
    """Writes down which outputs a graph has that does not name them: who reads what changes in lowering."""
    for op in copy.body.ops:
        if isinstance(op, PlatformGraph):
            op.keep_outputs([name for name, _ in op.graph_outputs()])


def infer_types(ctx: Context, module: ModuleOp, *, trusted: bool = False) -> ModuleOp:
    """Gives every value of a platform module the best type that inference finds, in place.

    Sizes that the model declares of what depends on data are forgotten, unless they are `trusted`. Returns
    the lowered copy in which the types were found. Raises AutosplitError where a type that the model declares
    contradicts what follows from its inputs.
    """
    from autosplit.lowering.sizes.branches import note_branches

    if not trusted:
        forget_declared(module)
    copy = lowered_copy(ctx, module)
    _carry_back(module, copy)
    if _needs_conversion(module) and _start_from_loops(ctx, module):
        copy = lowered_copy(ctx, module)
        _carry_back(module, copy)
    note_branches(module, copy)
    return copy


def _carry_back(module: ModuleOp, copy: ModuleOp) -> None:
    """Gives the values of a module the types that were found in its copy."""
    found = dict(_outer_values(copy))
    # Bodies stay as the model wrote them: what follows from these sizes in a branch that they never take may
    # contradict it, and a runtime that is told so refuses the model.
    for name, value in _outer_values(module):
        if (other := found.get(name)) is None:
            continue
        if contradicts(value.type, other.type):
            set_type(value, _corrected(value, other.type))
        else:
            set_type(value, join(value.type, other.type))


def _start_from_loops(ctx: Context, module: ModuleOp) -> bool:
    """Gives values the types that follow from loops and conditionals, which stay whole in the copy.

    True where a type became better. Only where the sizes of what leaves one are open is it worth the time.
    """
    from autosplit.lowering.sizes.loop_types import leaves_open, loop_types

    changed = False
    found = loop_types(ctx, module) if leaves_open(module) else {}
    for name, value in _outer_values(module) if found else ():
        if (type := found.get(name)) is not None and (
            joined := join(value.type, type)
        ) != value.type:
            set_type(value, joined)
            changed = True
    return changed


def _corrected(value: SSAValue, inferred: Attribute) -> Attribute:
    """The inferred type of a value whose declared shape contradicts it.

    Raises AutosplitError where the element types differ: no runtime takes that.
    """
    if element_type(value.type) == element_type(inferred):
        return inferred
    raise AutosplitError(
        f"value {value_name(value)!r} is declared as {value.type}, but the inputs make it {inferred}: "
        "correct the types that the model declares"
    )


def _outer_values(module: ModuleOp) -> Iterator[tuple[str, SSAValue]]:
    """The values of graphs and functions by name, without those inside of bodies."""
    for block in outer_blocks(module):
        values = [*block.args, *(result for op in block.ops for result in op.results)]
        for value in values:
            if name := value_name(value):
                yield name, value


def _needs_conversion(module: ModuleOp) -> bool:
    return any(
        isinstance(op, PlatformOp) and not isinstance(op, OnnxOp)
        for block in outer_blocks(module)
        for op in block.ops
    )


def set_inputs(module: ModuleOp, text: str) -> None:
    """Gives graph inputs the shapes of `NAME=1x3x300x300;NAME=...`.

    Raises AutosplitError for text of another form, unknown names (with the nearest), and shapes that
    contradict the model.
    """
    inputs = dict(platform_graph(module).graph_inputs())
    for part in filter(None, (p.strip() for p in text.split(";"))):
        name, equals, dims = part.rpartition("=")
        try:
            shape = [int(d) for d in dims.replace(",", "x").split("x") if d.strip()]
        except ValueError:
            shape = [-1]
        if not equals or not name or any(d < 0 for d in shape):
            raise AutosplitError(f"input {part!r}: expected NAME=SHAPE, as in image=1x3x224x224")
        value = inputs.get(name)
        if value is None:
            raise AutosplitError(
                f"there is no input {name!r}{nearest(name, list(inputs))}; inputs are "
                f"{', '.join(inputs)}"
            )
        declared = _tensor(value.type)
        if declared is None:
            raise AutosplitError(f"input {name!r} is {value.type}, which takes no shape")
        given = TensorType(declared.element_type, shape)
        if contradicts(declared, given):
            raise AutosplitError(
                f"input {name!r} is {value.type} in the model, was given shape {dims}"
            )
        set_type(value, join(declared, given))


@dataclass(frozen=True)
class InferShapesPass(ModulePass):
    """Every value has the best type that the input shapes imply.

    Example: `infer-shapes{inputs="image=1x3x224x224;size=1x2"}`
    """

    name = "infer-shapes"

    inputs: str = ""
    """Shapes of inputs, as `NAME=1x3x224x224`, with `;` between them."""

    gives: Handover = field(default_factory=Handover, init=False, repr=False, compare=False)
    """Where the copy goes in which the types were found."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.inputs:
            set_inputs(op, self.inputs)
        self.gives.give(op, infer_types(ctx, op))


# Sizes that depend on data

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
"""Operands of ONNX ops whose elements, not only their shapes, decide on the sizes of results."""

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

    Everything behind an op of `GENERATORS`, or behind one of which a size operand is computed from data,
    until the type of a value says that its shape is fixed. Ops of other domains are taken to have
    sizes that follow from their operands' shapes.
    """
    found: set[SSAValue] = set()
    for block in outer_blocks(module):
        found |= _data_dependent(block)
    return found


def forget_declared(module: ModuleOp) -> None:
    """Opens the sizes that a model declares of values whose shape depends on the data.

    A file holds what one run of an exporter saw. What ops imply is inferred again; sizes of ops with bodies,
    and of other domains, nobody but the model can tell.
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

    With `declared`, those of which the type says that it is fixed do not; else only types of ops of which
    nothing is inferred hold.
    """
    shapes: set[SSAValue] = {
        a for a in block.args if isinstance(a.type, LocalType) and a.type.EXCHANGED
    }
    """Values whose shape depends on data; what is in a sequence that a caller gives does."""
    elements: set[SSAValue] = {a for a in block.args if not isinstance(a.type, LocalType)}
    """Values whose elements depend on data."""
    ops = [op for op in data_order(block) if isinstance(op, PlatformOp) and not op.IS_CONSTANT]
    # Bodies of graph regions may read a value before it is defined, so go round until nothing changes.
    again = True
    while again:
        before = len(shapes) + len(elements)
        for op in ops:
            _spread(op, shapes, elements, declared)
        again = len(shapes) + len(elements) > before and any(op.IN_GRAPH_REGION for op in ops)
    return shapes


def _is_contributed(op: PlatformOp) -> bool:
    domain = op.domain if isinstance(op, OnnxOp) else ""
    return domain == "com.microsoft" and not re.search(
        "NonMax|Unique|Search|Sampling|Token", op.op_type
    )


def _branches_differ(operands: list[SSAValue]) -> bool:
    """Whether the sizes of a conditional may depend on the branch taken; never those of a loop's merge."""
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
    moved = any(v in shapes for v in operands)
    reads = moved or (kind not in SHAPE_READERS and any(v in elements for v in operands))
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
        given = (inputs[i] for i in positions if i < len(inputs))
        if not any(v in elements for v in given if v is not None):
            return
    if kind in SHAPE_READERS:
        return
    holds = declared or op.regions or not isinstance(op, OnnxOp) or op.domain != ""
    # A user's promise is kept in every run; see `lowering/sizes/promises.py`.
    holds = holds or "device.promised" in op.attributes
    own = [r for r in op.results if not holds or static_shape(r.type) is None]
    if kind in ("StatelessWhile", "While") and not moved:
        # A loop fills the lists that it is given; how long they are is said where they are made.
        own = [r for r in own if not isinstance(r.type, LocalType)]
    if kind in ("Loop", "Scan") and isinstance(op, OnnxOp) and op.domain == "" and not moved:
        from autosplit.lowering.sizes.onnx_loop_rules import stacked

        known = stacked(op, elements)
        own = [r for r in own if r not in known]
    shapes.update(own)


__all__ = [
    "InferShapesPass",
    "contradicts",
    "data_dependent",
    "infer_types",
    "join",
    "lowered_copy",
    "measurable",
    "named_values",
    "refine_types",
]
