"""Recurrent networks: GRU and LSTM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import NoneType, TensorType, f32
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Conversion, converts
from autosplit.lowering.convert_onnx_to_top.parts.query import Query, refuses
from autosplit.lowering.convert_onnx_to_top.parts.steps import as_result, loaded, sizes

Results = list[SSAValue | None]
"""One for each result of the ONNX op; None if nothing reads it."""


def _refuse_recurrent(q: Query, activations: list[str]) -> ReasonAttr | None:
    direction = q.text("direction", "forward")
    if direction not in ("forward", "reverse", "bidirectional"):
        return q.refuse("attribute", f"has direction = {direction!r}, which ONNX does not define")
    if q.op.attribute("clip") is not None:
        return q.refuse("attribute", "has clip, which is not lowered")
    attribute = cast("list[str | bytes] | None", q.op.attribute("activations"))
    if attribute is not None:
        texts = [a.decode(errors="replace") if isinstance(a, bytes) else a for a in attribute]
        names = [text.capitalize() for text in texts]
        if names != activations * (len(names) // len(activations)):
            return q.refuse("attribute", f"has activations {names}, needs {activations}")
    lengths, steps = q.ints(4), (q.shape(0) or (-1,))[0]
    if lengths is not None and any(n != steps for n in lengths):
        return q.refuse(
            "operand-value",
            f"has sequence_lens {lengths}, needs all {counted(steps, 'step')} of each sequence",
        )
    return q.attribute_is("layout", 0, 0, "sequences come first")


@refuses("LSTM")
def refuse_lstm(q: Query) -> ReasonAttr | None:
    return _refuse_recurrent(q, ["Sigmoid", "Tanh", "Tanh"]) or q.attribute_is(
        "input_forget", 0, 0, "the gates are not coupled"
    )


@converts("LSTM")
def lstm(c: Conversion) -> list[SSAValue]:
    """An LSTM. Top has forward and bidirectional; backward is forward over the reversed sequence."""
    if c.q.text("direction", "forward") == "reverse":
        return _with_names(c, _backward(c, _operands(c)))
    is_bidirectional = c.q.text("direction", "forward") == "bidirectional"
    return _with_names(c, _layer(c, c.operand(0), _operands(c), "", is_bidirectional))


@refuses("GRU")
def refuse_gru(q: Query) -> ReasonAttr | None:
    return _refuse_recurrent(q, ["Sigmoid", "Tanh"]) or q.attribute_is(
        "linear_before_reset",
        0,
        1,
        "the chip's GRU was measured to multiply by the reset gate after the product all the same",
    )


@converts("GRU")
def gru(c: Conversion) -> list[SSAValue]:
    """A GRU for each direction: both in one were measured to give other numbers on BM1684."""
    direction = c.q.text("direction", "forward")
    if direction == "forward":
        return _with_names(c, _layer(c, c.operand(0), _operands(c), ""))
    if direction == "reverse":
        return _with_names(c, _backward(c, _operands(c)))
    forward = _layer(c, c.operand(0), _operands(c, 0), "forward/")
    backward = _backward(c, _operands(c, 1))
    joined: Results = []
    for index, (a, b) in enumerate(zip(forward, backward, strict=True)):
        if a is None or b is None:
            joined.append(None)
            continue
        axis = 1 if index == 0 else 0
        shape = list(sizes(a))
        shape[axis] = 2
        joined.append(c.emit("Concat", [a, b], {"axis": axis}, shape=shape, suffix=f"both{index}"))
    return _with_names(c, joined)


def _with_names(c: Conversion, results: Results) -> list[SSAValue]:
    """The results, named as the ONNX op's are; an unused one is a `top.None`."""
    return [
        c.none() if value is None else as_result(c, value, index)
        for index, value in enumerate(results)
    ]


def _operands(c: Conversion, direction: int | None = None) -> list[SSAValue]:
    """Weights, bias and initial states; of one direction, or of all."""
    indices = (1, 2, 3, 5, 6) if c.op.op_type == "LSTM" else (1, 2, 3, 5)
    if direction is None:
        return [c.operand(i) for i in indices]
    return [_of_direction(c, i, direction) for i in indices]


def _of_direction(c: Conversion, index: int, direction: int) -> SSAValue:
    """The part of operand `index` for one direction."""
    if c.q.value(index) is None:
        return c.none()
    shape = (1, *(c.q.shape(index) or ())[1:])
    suffix = f"operand{index}/direction{direction}"
    if c.q.is_constant(index):
        load = loaded(c, index)
        return c.lazy_weight(lambda: load()[direction : direction + 1], shape, suffix)
    attrs = {"offset": [direction], "steps": [1], "ends": [direction + 1], "axes": [0]}
    none = c.none()
    return c.emit("Slice", [c.operand(index), none, none, none], attrs, shape=shape, suffix=suffix)


def _backward(c: Conversion, operands: Sequence[SSAValue]) -> Results:
    """One layer over the reversed sequence."""
    x = c.operand(0)
    x = c.emit("Reverse", [x], {"axis": 0}, shape=sizes(x), suffix="backward")
    results = _layer(c, x, operands, "backward/")
    if results[0] is not None:
        y = results[0]
        results[0] = c.emit("Reverse", [y], {"axis": 0}, shape=sizes(y), suffix="backward/Y")
    return results


def _layer(
    c: Conversion,
    x: SSAValue,
    operands: Sequence[SSAValue],
    prefix: str,
    is_bidirectional: bool = False,
) -> Results:
    """One Top op; results that nothing reads have no type."""
    kind = c.op.op_type
    steps, batch = sizes(x)[:2]
    hidden = (c.q.shape(2) or (0,))[-1]
    state = (2 if is_bidirectional else 1, batch, hidden)
    shapes = [(steps, *state[:1], batch, hidden), state, state][: 3 if kind == "LSTM" else 2]
    is_used = [i < len(c.op.results) and c.op.results[i].first_use is not None for i in range(3)]
    types = [TensorType(f32, s) if u else NoneType() for s, u in zip(shapes, is_used, strict=False)]
    names = [c.target.fresh(f"{c.name()}/{prefix}step{i}") for i in range(len(shapes))]
    attrs = {"hidden_size": hidden, "bidirectional": is_bidirectional}
    if kind == "GRU":
        attrs["linear_before_reset"] = True
    else:
        operands = [*operands, c.none()]
    values = c.target.insert(kind, [x, *operands], types, names, attrs).results
    results: Results = [v if u else None for v, u in zip(values, is_used, strict=False)]
    return results[: len(c.op.results)]
