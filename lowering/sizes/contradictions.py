"""Operands that do not fit each other: what no runtime takes is found before a model is cut.

The inference of the onnx package passes over most of it. Each rule here looks at ops of canonical `onnx` and
only at what is known: sizes that are open fit anything. Bodies are left alone, since sizes may contradict a
branch that they never take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    location_names,
    platform_graph,
    shape_of,
    value_name,
)
from autosplit.lowering.shared.fold import Constants, ints

Shape = tuple[int, ...]
Rule = Callable[["_Op"], str | None]


def contradiction(module: ModuleOp, lowered: ModuleOp) -> str | None:
    """What does not fit in a model, in one sentence that names the op; None where nothing was found.

    `lowered`: the copy of `module` in canonical `onnx` in which its types were inferred.
    """
    constants = Constants(store_for(lowered))
    for op in platform_graph(lowered).body_ops():
        if not isinstance(op, OnnxOp) or op.domain != "" or (rule := RULES.get(op.op_type)) is None:
            continue
        if (reason := rule(_Op(op, constants))) is not None:
            return _sentence(module, op, reason)
    return None


def _sentence(module: ModuleOp, op: OnnxOp, reason: str) -> str:
    """The sentence for an op of a lowered copy; it speaks of the model's own op."""
    names = location_names(op.location)
    ops = (o for o in platform_graph(module).body_ops() if isinstance(o, PlatformOp))
    own = next((o for o in ops if o.identity in names[:1]), op)
    operands = ", ".join(f"{value_name(v)!r} of {_shown(v)}" for v in own.operands)
    return f"{own.op_type} {own.identity!r} does not fit its operands, {operands}: {reason}"


def _shown(value: SSAValue) -> str:
    shape, kind = shape_of(value.type), element_type(value.type)
    if shape is None:
        return str(value.type)
    return f"{_text(shape)} {kind}"


def _text(shape: Shape) -> str:
    return "x".join("?" if d < 0 else str(d) for d in shape) or "scalar"


class _Op:
    """An op, with what is known of its operands."""

    def __init__(self, op: OnnxOp, constants: Constants):
        self.op = op
        self.values = op.inputs
        self.constants = constants

    def value(self, index: int) -> SSAValue | None:
        return self.values[index] if index < len(self.values) else None

    def shape(self, index: int) -> Shape | None:
        value = self.value(index)
        return None if value is None else shape_of(value.type)

    def shapes(self) -> list[Shape]:
        """The shapes that are known."""
        found = (None if v is None else shape_of(v.type) for v in self.values)
        return [shape for shape in found if shape is not None]

    def known(self, index: int) -> list[int] | None:
        """The integers of a constant operand."""
        value = self.value(index)
        return None if value is None else ints(self.constants.array(value))

    def integer(self, name: str, default: int) -> int:
        found = self.op.attribute(name, default)
        return found if isinstance(found, int) else default


def _differ(a: int, b: int) -> bool:
    return a != b and a >= 0 and b >= 0


def _broadcast(shapes: Sequence[Shape]) -> str | None:
    """Why shapes do not broadcast to one."""
    rank = max((len(s) for s in shapes), default=0)
    for axis in range(1, rank + 1):
        sizes = {s[-axis] for s in shapes if len(s) >= axis} - {1}
        sizes = {size for size in sizes if size >= 0}
        if len(sizes) > 1:
            return f"sizes {' and '.join(map(str, sorted(sizes)))} do not broadcast"
    return None


def _elementwise(op: _Op) -> str | None:
    kinds = {str(element_type(v.type)) for v in op.values if v is not None} - {"None"}
    if len(kinds) > 1:
        return f"it takes one element type, not {' and '.join(sorted(kinds))}"
    return _broadcast(op.shapes())


def _any_types(op: _Op) -> str | None:
    return _broadcast(op.shapes())


def _into(index: int, what: str) -> Rule:
    """Operands from `index` on broadcast to the first one's shape, and do not enlarge it."""

    def rule(op: _Op) -> str | None:
        shape = op.shape(0)
        if shape is None:
            return None
        for other in (op.shape(i) for i in range(index, len(op.values))):
            if other is None:
                continue
            pairs = zip(reversed(shape), reversed(other), strict=False)
            if len(other) > len(shape) or any(b != 1 and _differ(a, b) for a, b in pairs):
                return f"the {what} of {_text(other)} does not broadcast to {_text(shape)}"
        return None

    return rule


def _conv(x: int, w: int, bias: int) -> Rule:
    def rule(op: _Op) -> str | None:
        image, kernel, offset = op.shape(x), op.shape(w), op.shape(bias)
        group = op.integer("group", 1)
        if image is None or kernel is None:
            return None
        if len(image) != len(kernel) or len(image) < 3:
            return f"the image has {len(image)} dimensions and the kernel {len(kernel)}"
        if kernel[1] >= 0 and _differ(image[1], kernel[1] * group):
            groups = f" in {group} groups" if group != 1 else ""
            return (
                f"the image has {image[1]} channels, the kernel is for {kernel[1] * group}{groups}"
            )
        return _bias(offset, kernel[0])

    return rule


def _bias(bias: Shape | None, channels: int) -> str | None:
    if bias is None or (len(bias) == 1 and not _differ(bias[0], channels)):
        return None
    return f"the bias of {_text(bias)} is for another number than {channels} channels"


def _conv_transpose(op: _Op) -> str | None:
    image, kernel, offset = op.shape(0), op.shape(1), op.shape(2)
    if image is None or kernel is None:
        return None
    if len(image) != len(kernel) or len(image) < 3:
        return f"the image has {len(image)} dimensions and the kernel {len(kernel)}"
    if _differ(image[1], kernel[0]):
        return f"the image has {image[1]} channels, the kernel is for {kernel[0]}"
    return _bias(offset, kernel[1] * op.integer("group", 1))


def _matmul(a: int, b: int) -> Rule:
    def rule(op: _Op) -> str | None:
        left, right = op.shape(a), op.shape(b)
        if left is None or right is None:
            return None
        if not left or not right:
            return "a scalar has no rows and columns"
        inner = right[-2:][0]
        if _differ(left[-1], inner):
            return f"the rows have {left[-1]} elements, the columns {inner}"
        return _broadcast([left[:-2], right[:-2]])

    return rule


def _gemm(op: _Op) -> str | None:
    a, b, c = op.shape(0), op.shape(1), op.shape(2)
    if a is None or b is None:
        return None
    if len(a) != 2 or len(b) != 2:
        return f"its matrices have {len(a)} and {len(b)} dimensions"
    rows, inner = a[::-1] if op.integer("transA", 0) else a
    other, columns = b[::-1] if op.integer("transB", 0) else b
    if _differ(inner, other):
        return f"the rows have {inner} elements, the columns {other}"
    pairs = zip((columns, rows), reversed(c or ()), strict=False)
    if any(size != 1 and _differ(size, known) for known, size in pairs):
        return f"the offset of {_text(c or ())} does not broadcast to {_text((rows, columns))}"
    return None


def _concat(op: _Op) -> str | None:
    shapes = op.shapes()
    if len({len(s) for s in shapes}) > 1:
        return f"it joins tensors of {' and '.join(map(str, sorted({len(s) for s in shapes})))} dimensions"
    if not shapes:
        return None
    rank = len(shapes[0])
    axis = op.integer("axis", 0)
    if not -rank <= axis < rank:
        return f"axis {axis} is not one of {rank} dimensions"
    for other in set(range(rank)) - {axis % rank}:
        sizes = sorted({s[other] for s in shapes if s[other] >= 0})
        if len(sizes) > 1:
            return f"sizes {' and '.join(map(str, sizes))} of dimension {other} differ"
    return None


def _per_channel(op: _Op) -> str | None:
    """Operands behind the first have one element for each channel."""
    image = op.shape(0)
    if image is None or len(image) < 2:
        return None
    for index in range(1, len(op.values)):
        other = op.shape(index)
        if other is not None and (len(other) != 1 or _differ(other[0], image[1])):
            return (
                f"operand {index} of {_text(other)} is for another number than {image[1]} channels"
            )
    return None


def _reshape(op: _Op) -> str | None:
    shape, wanted = op.shape(0), op.known(1)
    if shape is None or wanted is None or any(d < 0 for d in shape):
        return None
    if not op.integer("allowzero", 0):
        if any(d == 0 and i >= len(shape) for i, d in enumerate(wanted)):
            return f"a 0 in {wanted} copies a size that {_text(shape)} does not have"
        wanted = [shape[i] if d == 0 else d for i, d in enumerate(wanted)]
    size, rest = prod(shape), prod(d for d in wanted if d != -1)
    fits = size == rest if -1 not in wanted else (size % rest == 0 if rest else size == 0)
    return None if fits else f"{size} elements do not make {wanted}"


def _expand(op: _Op) -> str | None:
    shape, wanted = op.shape(0), op.known(1)
    return None if shape is None or wanted is None else _broadcast([shape, tuple(wanted)])


def _squeeze(op: _Op) -> str | None:
    shape, axes = op.shape(0), op.known(1)
    if shape is None or axes is None:
        return None
    for axis in axes:
        if not -len(shape) <= axis < len(shape):
            return f"axis {axis} is not one of {len(shape)} dimensions"
        if shape[axis] >= 0 and shape[axis] != 1:
            return f"dimension {axis} is of size {shape[axis]}, not 1"
    return None


def _split(op: _Op) -> str | None:
    shape, sizes = op.shape(0), op.known(1)
    axis = op.integer("axis", 0)
    if not shape or sizes is None or not -len(shape) <= axis < len(shape):
        return None
    if _differ(shape[axis], sum(sizes)):
        return f"parts of {sizes} are not the size {shape[axis]} of dimension {axis}"
    return None


def _transpose(op: _Op) -> str | None:
    shape, perm = op.shape(0), cast("list[int] | None", op.op.attribute("perm"))
    if shape is None or perm is None or len(perm) == len(shape):
        return None
    return f"perm {perm} is not for {len(shape)} dimensions"


def _recurrent(gates: int) -> Rule:
    def rule(op: _Op) -> str | None:
        x, w, r = op.shape(0), op.shape(1), op.shape(2)
        if x is None or w is None or r is None or not len(x) == len(w) == len(r) == 3:
            return None
        if _differ(x[2], w[2]):
            return f"the inputs have {x[2]} elements, the weights are for {w[2]}"
        if r[2] >= 0 and (_differ(r[1], gates * r[2]) or _differ(w[1], gates * r[2])):
            return f"weights of {_text(w)} and {_text(r)} are not for one hidden size"
        return None

    return rule


_SAME = (
    "Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or Sub Sum Xor"
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(_SAME.split(), _elementwise),
    "BatchNormalization": _per_channel,
    "Concat": _concat,
    "Conv": _conv(0, 1, 2),
    "ConvInteger": _conv(0, 1, 9),
    "ConvTranspose": _conv_transpose,
    "Expand": _expand,
    "GRU": _recurrent(3),
    "Gemm": _gemm,
    "InstanceNormalization": _per_channel,
    "LSTM": _recurrent(4),
    "LayerNormalization": _into(1, "scale or offset"),
    "MatMul": _matmul(0, 1),
    "MatMulInteger": _matmul(0, 1),
    "PRelu": _into(1, "slope"),
    "Pow": _any_types,
    "QLinearConv": _conv(0, 3, 8),
    "QLinearMatMul": _matmul(0, 3),
    "RNN": _recurrent(1),
    "Reshape": _reshape,
    "Split": _split,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Where": _any_types,
}
"""What is looked at, by the op's type."""
