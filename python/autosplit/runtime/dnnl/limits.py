"""Valid ops that end the process when the library compiles them: found by compiling random graphs.

The library throws where it has no kernel, and nothing catches that. Each rule here says which ops do it,
for sizes that are known.

Not refused here, since a plan can run it: on processors with AMX, a 1x1 convolution of oneDNN before 3.6
whose images have 17 to 48 positions writes 16 positions more than there are, behind its result. Whoever binds
such a partition to memory of its own leaves room for them, has the result channels-last, and computes sums
image by image; see `plan.partitions.Pointwise`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autosplit.core.units import counted
from autosplit.dialects.dnnl import DnnlOp
from autosplit.dialects.dnnl.shapes import dilations_of, spatial_axes

Shape = tuple[int, ...]

BINARY = frozenset(
    {"Add", "Divide", "Maximum", "Minimum", "Multiply", "SquaredDifference", "Subtract"}
)

NORMS = ("LayerNorm", "GroupNorm")
PRODUCTS = frozenset({"Convolution", "ConvTranspose", "MatMul"})


def fixed_limit(op: DnnlOp) -> str | None:
    """Why an op is not given to the library whatever the sizes of its operands are, or None."""
    for name, value in op.attrs.items():
        values = value if isinstance(value, list) else [value]
        if any(isinstance(v, int) and not -(2**31) <= v < 2**31 for v in values):
            return f"has {name} = {value}, more than 32 bits"
    return None


def limit(op: DnnlOp, shapes: Sequence[Shape]) -> str | None:
    """Why an op with operands of these sizes is not given to the library, or None."""
    kind = op.kind
    if kind.startswith("Reduce"):
        return _reduce(op, shapes[0])
    if kind == "ConvTranspose" and any(n < 0 for n in op.ints("output_padding")):
        return f"has output_padding {op.ints('output_padding')}, expected numbers from 0 on"
    if kind in ("AvgPool", "MaxPool", "Convolution", "ConvTranspose"):
        return _window(op, shapes[0])
    if kind in ("SoftMax", "LogSoftmax"):
        return _axis(op, len(shapes[0]))
    if kind in NORMS and op.flag("keep_stats") != (len(op.results) == 3):
        return f"has {counted(len(op.results), 'result')} and keep_stats = {op.flag('keep_stats')}"
    if kind in NORMS and op.flag("use_affine") and len(shapes) == 1:
        return "scales by gamma (use_affine) and has none; set use_affine = false"
    if kind in ("LayerNorm", "PReLU") and len(shapes[0]) < 2:
        return f"has an operand of {counted(len(shapes[0]), 'dimension')}, expected at least 2"
    if kind == "Clamp" and not op.number("min") <= op.number("max"):
        return f"clamps to {op.number('min')} .. {op.number('max')}, expected a range"
    if kind == "MatMul" and len(shapes) == 3:
        return _bias(shapes)
    if kind == "StaticTranspose" and not shapes[0]:
        return "transposes a scalar"
    if kind == "StaticTranspose" and not op.ints("order"):
        return f"has no order for {counted(len(shapes[0]), 'dimension')}"
    return None


def fusion_limit(
    op: DnnlOp, shapes: Sequence[Shape], results: Sequence[Shape], partition: Collection[DnnlOp]
) -> str | None:
    """Why an op that makes these sizes is not given to the library as one of several ops, or None."""
    if op.kind == "MatMul" and 1 in map(len, shapes[:2]) and len(partition) > 1:
        return "multiplies a vector"
    if op.kind not in BINARY:
        return None
    inner = [v.owner in partition for v in op.operands]
    if all(inner) and len(set(op.operands)) == 1:
        return "reads one result twice"
    if all(inner) and not any(other.kind in PRODUCTS for other in partition):
        return "joins two results of elementwise ops"
    if any(inner) and all(
        shape != results[0] for shape, own in zip(shapes, inner, strict=True) if own
    ):
        return "broadcasts the result that it is to be fused with"
    if any(len(shape) != len(results[0]) for shape in shapes) and any(
        other.kind == "Interpolate" for other in partition
    ):
        return "is to be fused with a resize and has operands of different rank"
    return None


def _bias(shapes: Sequence[Shape]) -> str | None:
    a, b, bias = shapes
    if len(a) > 1 and len(b) > 1 and all(n == 1 for n in bias[:-1]):
        return None
    return f"adds a bias of {list(bias)} to a product of {list(a)} and {list(b)}; add it by an op of its own"


def _reduce(op: DnnlOp, shape: Shape) -> str | None:
    axes = op.ints("axes")
    if all(shape[a] == 1 for a in axes):
        return f"reduces axes {axes} of {list(shape)}, which have one element"
    return None


def _axis(op: DnnlOp, rank: int) -> str | None:
    axis = op.integer("axis")
    return None if -rank <= axis < rank else f"has axis {axis} of {counted(rank, 'dimension')}"


def _window(op: DnnlOp, shape: Shape) -> str | None:
    axes = spatial_axes(op.text("data_format"), len(shape))
    begin, end = op.ints("pads_begin"), op.ints("pads_end")
    if len(begin) != len(axes) or len(end) != len(axes):
        return f"has paddings {begin} and {end} for {counted(len(axes), 'spatial dimension')}"
    if "kernel" not in op.ATTRS or op.text("auto_pad") != "None":
        return None
    kernel = op.ints("kernel")
    dilations, strides = dilations_of(op, len(axes)), op.ints("strides")
    for i, axis in enumerate(axes):
        reach = (kernel[i] - 1) * dilations[i]
        if max(begin[i], end[i]) > reach:
            return f"has windows of {kernel} that lie in the paddings {begin}, {end}"
        room = shape[axis] + begin[i] + end[i] - reach - 1
        if op.text("rounding_type") == "ceil" and -(-room // strides[i]) * strides[i] >= (
            shape[axis] + begin[i]
        ):
            return "has a last window that lies behind the operand; use rounding_type = floor"
    return None
