"""The sizes of TensorFlow ops' results, for ops that no conversion to ONNX takes.

Those are ops that ONNX lacks, and what loops and conditionals are made of: tensor arrays and lists, Switch
and Merge. What leaves a loop has the sizes that it has in every iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from autosplit.dialects.platform import LocalType
from autosplit.dialects.tf import ControlType, TfOp
from autosplit.lowering.shared.fold import AnyArray
from autosplit.lowering.sizes.affine import Number, minimum, product
from autosplit.lowering.sizes.known_sizes import (
    ElementRule,
    KnownSizes,
    NoteRule,
    Shape,
    ShapeRule,
    Shapes,
    agreed,
    fixed,
    numbers,
    open_size,
)

CUT = "tf.cut"
"""On a Merge whose back edge was cut: the axes along which the loop variable changes, or `*` for all."""


OPENED = "tf.opened"
"""On an op whose functions were expanded in front of it: it reads their results, each in its place.

A conditional reads its predicate, then the results of the true branch, then those of the false one.
"""


def declared(sizes: Sequence[int] | None) -> Shape | None:
    """The shape that an attribute says."""
    return None if sizes is None else tuple(n if n >= 0 else open_size() for n in sizes)


def joined(shapes: Sequence[Shape | None]) -> Shape | None:
    """What several statements about one shape say together."""
    ranked = [s for s in shapes if s is not None]
    if not ranked or len({len(s) for s in ranked}) > 1:
        return None
    return tuple(
        next((n for n in sizes if isinstance(n, int)), sizes[0])
        for sizes in zip(*ranked, strict=True)
    )


# Ops that ONNX lacks


def _crop_and_resize(s: KnownSizes, op: TfOp) -> Shapes:
    image, boxes, size = s.shape(op.inputs[0]), s.shape(op.inputs[1]), s.elements(op.inputs[3])
    count = open_size() if boxes is None else boxes[0]
    height, width = (open_size(), open_size()) if size is None else size
    return [(count, height, width, open_size() if image is None else image[3])]


def _resize(s: KnownSizes, op: TfOp) -> Shapes:
    image, size = s.shape(op.inputs[0]), s.elements(op.inputs[1])
    if image is None or size is None:
        return []
    return [(image[0], size[0], size[1], image[3])]


def _padded_nms(s: KnownSizes, op: TfOp) -> Shapes:
    count = s.number(op.inputs[2]) if op.attribute("pad_to_max_output_size", False) else None
    shape = (open_size() if count is None else count,)
    return [*[shape] * (len(op.outputs) - 1), ()]


def _combined_nms(s: KnownSizes, op: TfOp) -> Shapes:
    boxes, scores = s.shape(op.inputs[0]), s.shape(op.inputs[1])
    each, total = s.number(op.inputs[2]), s.number(op.inputs[3])
    if boxes is None or scores is None or each is None or total is None:
        return []
    if op.attribute("pad_per_class", False):
        total = minimum(total, product([each, scores[2]]))
    return [(boxes[0], total, 4), (boxes[0], total), (boxes[0], total), (boxes[0],)]


# Loops and conditionals


def _same(s: KnownSizes, op: TfOp) -> Shapes:
    return [s.shape(op.inputs[0])] * len(op.outputs)


def _leaving(s: KnownSizes, op: TfOp) -> Shapes:
    return [fixed(s.shape(op.inputs[0]))]


def _merge(s: KnownSizes, op: TfOp) -> Shapes:
    alive = [v for v in op.inputs if v not in s.dead]
    cut = op.attributes.get(CUT)
    if not isinstance(cut, StringAttr):
        return [agreed([s.shape(v) for v in alive]), ()]
    shape = fixed(s.shape(alive[0])) if cut.data != "*" else None
    if shape is None:
        return [None, ()]
    changing = {int(axis) for axis in cut.data.split()}
    return [tuple(open_size() if i in changing else n for i, n in enumerate(shape)), ()]


def _choose(s: KnownSizes, op: TfOp) -> None:
    """If the condition of a Switch is known, its other output is dead."""
    predicate = s.number(op.inputs[1])
    if isinstance(predicate, int):
        s.dead.add(op.outputs[0 if predicate else 1])


def _switch_elements(s: KnownSizes, op: TfOp) -> list[AnyArray | None]:
    return [s.elements(op.inputs[0])] * 2


def _merge_elements(s: KnownSizes, op: TfOp) -> list[AnyArray | None]:
    if CUT in op.attributes:
        return []
    arrays = [s.elements(v) for v in op.inputs if v not in s.dead]
    first = arrays[0]
    if first is None or any(a is None or a.shape != first.shape for a in arrays):
        return []
    flat = zip(*(cast("AnyArray", a).reshape(-1) for a in arrays), strict=True)
    elements = [n[0] if len(set(n)) == 1 else open_size() for n in flat]
    return [numbers(elements).reshape(first.shape)]


def _same_elements(s: KnownSizes, op: TfOp) -> list[AnyArray | None]:
    return [s.elements(op.inputs[0])]


def _opened(s: KnownSizes, op: TfOp) -> Shapes:
    return [fixed(s.shape(v)) for v in op.inputs] if OPENED in op.attributes else []


def _ways(op: TfOp) -> list[tuple[SSAValue, SSAValue]]:
    """The results of an opened conditional where its predicate is true, and where it is false."""
    if OPENED not in op.attributes:
        return []
    _, *values = op.inputs
    half = len(values) // 2
    return list(zip(values[:half], values[half:], strict=True))


def _passed(op: TfOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The operands of an opened op, each with the result that it becomes."""
    if op.op_type in ("If", "StatelessIf"):
        for ways, result in zip(_ways(op), op.outputs, strict=True):
            yield from ((way, result) for way in ways)
    else:
        yield from zip(op.inputs, op.outputs, strict=True)


def _if(s: KnownSizes, op: TfOp) -> Shapes:
    predicate = s.number(op.inputs[0])
    if isinstance(predicate, int):
        return [s.shape(true if predicate else false) for true, false in _ways(op)]
    return [agreed([s.shape(true), s.shape(false)]) for true, false in _ways(op)]


def _opened_elements(s: KnownSizes, op: TfOp) -> list[AnyArray | None]:
    return [s.elements(v) for v in op.inputs] if OPENED in op.attributes else []


# Tensor arrays and lists

PASSING = frozenset(
    {
        "Enter",
        "Exit",
        "Identity",
        "Merge",
        "NextIteration",
        "RefEnter",
        "RefExit",
        "RefMerge",
        "RefNextIteration",
        "RefSwitch",
        "Switch",
        "TensorListPushBack",
        "TensorListResize",
        "TensorListSetItem",
    }
)
"""Ops whose output handle refers to the same array as their input handle."""

READING = frozenset(
    {
        "TensorArrayCloseV3",
        "TensorArrayConcatV3",
        "TensorArrayGatherV3",
        "TensorArrayReadV3",
        "TensorArraySizeV3",
        "TensorListConcatV2",
        "TensorListElementShape",
        "TensorListGather",
        "TensorListGetItem",
        "TensorListLength",
        "TensorListStack",
    }
)


class Arrays:
    """The tensor arrays and lists of a graph: which handles refer to the same one, what is put into it."""

    def __init__(self, ops: Sequence[Operation]):
        self._root: dict[SSAValue, SSAValue] = {}
        self.users: dict[SSAValue, list[TfOp]] = {}
        """The ops that create, read or write an array, by one of its handles."""
        listed = [
            op
            for op in ops
            if isinstance(op, TfOp) and any(map(_is_handle, (*op.inputs, *op.outputs)))
        ]
        for op in listed:
            handles = [v for v in (*op.inputs, *op.outputs) if _is_handle(v)]
            if OPENED in op.attributes:
                for value, handle in _passed(op):
                    self._same(value, handle)
            elif op.op_type in PASSING:
                for handle in handles[1:]:
                    self._same(handles[0], handle)
        for op in listed:
            for handle in {self.of(v) for v in (*op.inputs, *op.outputs) if _is_handle(v)}:
                self.users.setdefault(handle, []).append(op)

    def _same(self, one: SSAValue, other: SSAValue) -> None:
        if _is_handle(one) and _is_handle(other) and self.of(one) is not self.of(other):
            self._root[self.of(other)] = self.of(one)

    def of(self, handle: SSAValue) -> SSAValue:
        """The handle that represents all handles of an array."""
        while (above := self._root.get(handle, handle)) is not handle:
            handle = above
        return handle


def _is_handle(value: SSAValue) -> bool:
    return isinstance(value.type, LocalType) and not isinstance(value.type, ControlType)


def _arrays(s: KnownSizes, op: TfOp) -> Arrays:
    arrays = s.facts.get("arrays")
    if not isinstance(arrays, Arrays):
        block = op.parent
        assert block is not None
        arrays = s.facts["arrays"] = Arrays(list(block.ops))
    return arrays


def element_shape(s: KnownSizes, op: TfOp) -> Shape | None:
    """The shape of all elements of the array that an op reads; None if they may differ."""
    arrays = _arrays(s, op)
    root = arrays.of(op.inputs[0])
    declared_shapes: list[Shape | None] = []
    written: list[Shape | None] = []
    for user in arrays.users.get(root, ()):
        kind = user.op_type
        if kind == "TensorArrayV3":
            declared_shapes.append(declared(user.attribute("element_shape")))
        elif kind in ("TensorListReserve", "EmptyTensorList"):
            declared_shapes.append(_element_of(s, user.inputs[0]))
        elif kind == "TensorArrayWriteV3" or kind == "TensorListSetItem":
            written.append(fixed(s.shape(user.inputs[2])))
        elif kind == "TensorListPushBack":
            written.append(fixed(s.shape(user.inputs[1])))
        elif kind == "TensorArrayScatterV3":
            written.append(_rows(s.shape(user.inputs[2])))
        elif kind == "TensorListFromTensor":
            written.append(_rows(s.shape(user.inputs[0])))
        elif kind not in PASSING | READING and OPENED not in user.attributes:
            return joined(declared_shapes)
    return joined([*declared_shapes, agreed(written)])


def _rows(shape: Shape | None) -> Shape | None:
    return None if not shape else fixed(shape[1:])


def _element_of(s: KnownSizes, value: SSAValue) -> Shape | None:
    """The shape that an operand of a list op gives; a scalar -1 is any."""
    sizes = s.integers(value)
    if sizes is None or (s.shape(value) == () and sizes[0] < 0):
        return None
    return declared(sizes)


def _handle_and_flow(s: KnownSizes, op: TfOp) -> Shapes:
    return [None, ()]


def _written(s: KnownSizes, op: TfOp) -> Shapes:
    """The flow value that orders the ops of an array is a scalar."""
    return [()]


def _read(s: KnownSizes, op: TfOp) -> Shapes:
    return [element_shape(s, op)]


def _get_item(s: KnownSizes, op: TfOp) -> Shapes:
    return [joined([_element_of(s, op.inputs[2]), element_shape(s, op)])]


def _gather(s: KnownSizes, op: TfOp) -> Shapes:
    requested = declared(op.attribute("element_shape"))
    element, indices = joined([requested, element_shape(s, op)]), s.shape(op.inputs[1])
    if element is None:
        return []
    return [(open_size() if not indices else indices[0], *element)]


def _stack(s: KnownSizes, op: TfOp) -> Shapes:
    element = joined([_element_of(s, op.inputs[1]), element_shape(s, op)])
    if element is None:
        return []
    count = op.attribute("num_elements", -1)
    return [(count if count >= 0 else array_size(s, op), *element)]


def array_size(s: KnownSizes, op: TfOp) -> Number:
    """The number of elements of the array that an op reads."""
    arrays = _arrays(s, op)
    users = arrays.users.get(arrays.of(op.inputs[0]), ())
    if any(_grows(user) for user in users):
        return open_size()
    sizes = [size for user in users if (size := _initial_size(s, user)) is not None]
    return sizes[0] if len(sizes) == 1 else open_size()


def _grows(op: TfOp) -> bool:
    """Whether an op may change the length of an array."""
    return (
        op.op_type in ("TensorListPushBack", "TensorListPopBack", "TensorListResize")
        or bool(op.attribute("dynamic_size", False))
        or bool(op.attribute("resize_if_index_out_of_bounds", False))
    )


def _initial_size(s: KnownSizes, op: TfOp) -> Number | None:
    """The number of elements of the array that an op creates; None if it creates none, or it is unknown."""
    match op.op_type:
        case "TensorArrayV3":
            return s.number(op.inputs[0])
        case "TensorListReserve":
            return s.number(op.inputs[1])
        case "TensorListFromTensor":
            shape = s.shape(op.inputs[0])
            return shape[0] if shape else None
        case _:
            return None


def _size(s: KnownSizes, op: TfOp) -> list[AnyArray | None]:
    return [numbers([array_size(s, op)]).reshape(())]


SHAPES: dict[str, ShapeRule] = {
    "CombinedNonMaxSuppression": _combined_nms,
    "CropAndResize": _crop_and_resize,
    "Enter": _same,
    "Exit": _leaving,
    "If": _if,
    "Merge": _merge,
    "NextIteration": _same,
    "NonMaxSuppressionV4": _padded_nms,
    "NonMaxSuppressionV5": _padded_nms,
    "PartitionedCall": _opened,
    "RefEnter": _same,
    "RefExit": _leaving,
    "RefMerge": _merge,
    "RefNextIteration": _same,
    "RefSwitch": _same,
    "ResizeBicubic": _resize,
    "ResizeBilinear": _resize,
    "ResizeNearestNeighbor": _resize,
    "StatefulPartitionedCall": _opened,
    "StatelessIf": _if,
    "StatelessWhile": _opened,
    "Switch": _same,
    "TensorArrayGatherV3": _gather,
    "TensorArrayReadV3": _read,
    "TensorArrayScatterV3": _written,
    "TensorArraySplitV3": _written,
    "TensorArrayV3": _handle_and_flow,
    "TensorArrayWriteV3": _written,
    "TensorListGetItem": _get_item,
    "TensorListStack": _stack,
    "While": _opened,
}
"""The shapes of an op's data outputs, by TensorFlow's name of the op."""

ELEMENTS: dict[str, ElementRule] = {
    "Enter": _same_elements,
    "Merge": _merge_elements,
    "PartitionedCall": _opened_elements,
    "RefEnter": _same_elements,
    "RefMerge": _merge_elements,
    "RefSwitch": _switch_elements,
    "StatefulPartitionedCall": _opened_elements,
    "Switch": _switch_elements,
    "TensorArraySizeV3": _size,
    "TensorListLength": _size,
}
"""The integers of an op's data outputs, by TensorFlow's name of the op."""

NOTES: dict[str, NoteRule] = {"RefSwitch": _choose, "Switch": _choose}
"""What is noted of an op whatever is known of its results, by TensorFlow's name of the op."""

__all__ = ["CUT", "ELEMENTS", "NOTES", "SHAPES", "Arrays", "element_shape"]
