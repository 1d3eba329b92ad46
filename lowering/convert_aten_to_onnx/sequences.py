"""Attention, einsum, and recurrent layers on whole sequences, and their cells.

ATen has separate weights for each recurrent layer and direction, ONNX those of both directions in one tensor,
with their gates in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from xdsl.ir import SSAValue

from autosplit.lowering.convert_aten_to_onnx.builder import AtenBuilder, Dim, converts
from autosplit.lowering.convert_aten_to_onnx.layers import linear
from autosplit.lowering.convert_aten_to_onnx.masks import has_open_rows, is_boolean, largest_of
from autosplit.lowering.shared.refusal import Refusal


@converts("_scaled_dot_product_flash_attention_for_cpu", "scaled_dot_product_attention")
def _attention(b: AtenBuilder) -> list[SSAValue | None]:
    """attention(q, k, v, mask) -> mat_mul(softmax(add(mat_mul(q * scale, transpose(k)), mask)), v)

    Times 0 for queries that may see no key, if the mask may have such.
    """
    if b.real("dropout_p"):
        raise Refusal("random", "drops numbers at random: export the model in eval()")
    q, k, v = (b.tensor(name) for name in ("query", "key", "value"))
    if b.flag_or("enable_gqa", default=False):
        k, v = (_repeated_heads(b, value, q) for value in (k, v))
    rank = b.rank(k)
    flipped = b.transpose(k, [*range(rank - 2), rank - 1, rank - 2])
    scores = b.apply("MatMul", _scaled(b, q), flipped)
    if b.flag("is_causal"):
        scores = b.apply("Add", scores, _causal(b, q, k))
    mask = b.optional("attn_mask")
    if mask is None:
        return [b.apply("MatMul", b.apply("Softmax", scores, axis=-1), v)]
    if not is_boolean(mask):
        mask = b.cast(mask, b.element(scores))
    if has_open_rows(b, mask):
        weights = b.apply("Softmax", _masked(b, scores, mask, -inf), axis=-1)
        return [b.apply("MatMul", weights, v)]
    low = -largest_of(b, scores)
    # Half of it, so that no sum with a score is infinite: if one key is seen, all others are still 0.
    weights = b.apply("Softmax", _masked(b, scores, mask, low / 2), axis=-1)
    return [b.apply("Mul", b.apply("MatMul", weights, v), _sees_a_key(b, scores, mask, low))]


def _scaled(b: AtenBuilder, q: SSAValue) -> SSAValue:
    scale = b.get("scale")
    if not isinstance(scale, int | float):
        width = b.shape(q)[-1]
        if width < 0:
            raise Refusal("dynamic-shape", "the scale follows from a size that is unknown")
        scale = 1 / sqrt(width)
    return q if scale == 1 else b.apply("Mul", q, b.filled(scale, b.element(q), "scale"))


def _repeated_heads(b: AtenBuilder, value: SSAValue, q: SSAValue) -> SSAValue:
    """Keys or values, each head repeated for all query heads that use it."""
    heads, query_heads = (
        b.static(value, "the number of heads", 1)[0],
        b.static(q, "the number of heads", 1)[0],
    )
    if heads == query_heads:
        return value
    sizes = b.sizes(value)
    ones: list[Dim] = [1, 1, query_heads // heads, 1, 1]
    wide = b.apply("Expand", b.unsqueeze(value, [2]), b.vector(ones))
    return b.shaped(wide, [sizes[0], query_heads, *sizes[2:]])


def _causal(b: AtenBuilder, q: SSAValue, k: SSAValue) -> SSAValue:
    """-inf where a key comes after the query."""
    rows, columns = b.size(q, b.rank(q) - 2), b.size(k, b.rank(k) - 2)
    dtype = b.dtype(q)
    if isinstance(rows, int) and isinstance(columns, int):
        table = np.triu(np.full((rows, columns), -np.inf), 1).astype(dtype)
        return b.constant("causal", table)
    full = b.apply(
        "Expand", b.filled(float("-inf"), b.element(q), "low"), b.vector([rows, columns])
    )
    return b.apply("Trilu", full, b.constant("diagonal", np.array(1, np.int64)), upper=1)


def _masked(b: AtenBuilder, scores: SSAValue, mask: SSAValue, low: float) -> SSAValue:
    """Scores, `low` or less than any other where a key is not seen."""
    if is_boolean(mask):
        return b.apply("Where", mask, scores, b.filled(low, b.element(scores), "low"))
    return b.apply("Add", scores, mask if low == -inf else _finite(b, mask, low))


def _finite(b: AtenBuilder, mask: SSAValue, low: float) -> SSAValue:
    """A mask with `low` in place of -inf, and nothing else below half of it.

    The lowest finite number is a common mask, too: if a row has no larger one, such keys are seen.
    """
    kind = b.element(mask)
    hidden = b.apply("Less", mask, b.filled(-largest_of(b, mask), kind, "lowest"))
    raised = b.apply("Max", mask, b.filled(low / 2, kind, "raised"))
    return b.apply("Where", hidden, b.filled(low, kind, "low"), raised)


def _sees_a_key(b: AtenBuilder, scores: SSAValue, mask: SSAValue, low: float) -> SSAValue:
    """1 for a query that may see a key, 0 for any other."""
    kind, last = b.element(scores), b.rank(mask) - 1
    if is_boolean(mask):
        return b.reduced("ReduceMax", b.cast(mask, kind), [last], keep=True)
    most = b.reduced("ReduceMax", mask, [last], keep=True)
    return b.cast(b.apply("GreaterOrEqual", most, b.filled(low, kind, "low")), kind)


@converts("einsum")
def _einsum(b: AtenBuilder) -> SSAValue:
    """einsum(xs) -> einsum(xs)"""
    equation = b.text("equation").replace(" ", "")
    return b.node("einsum", "Einsum", b.tensors("tensors"), {"equation": equation})


@converts("cosine_similarity")
def _cosine(b: AtenBuilder) -> SSAValue:
    """cosine_similarity(x, y) -> sum(x / max(norm(x), eps) * (y / max(norm(y), eps)))"""
    parts: list[SSAValue] = []
    axis = b.axis(b.tensor("x1"), b.integer("dim"))
    for name in ("x1", "x2"):
        x = b.operand(name, b.out)
        size = b.reduced("ReduceL2", x, [axis], keep=True)
        parts.append(b.apply("Div", x, b.apply("Max", size, b.filled(b.real("eps"), b.out, "eps"))))
    return b.reduced("ReduceSum", b.apply("Mul", *parts), [axis], keep=False)


# Recurrent layers

ORDERS = {"GRU": (1, 0, 2), "LSTM": (0, 3, 1, 2), "RNN": (0,)}
"""The order in which each ONNX op has ATen's gates."""

OPS = {"gru.input": "GRU", "lstm.input": "LSTM", "rnn_relu.input": "RNN", "rnn_tanh.input": "RNN"}


@dataclass(frozen=True)
class _Net:
    """What all layers of one op share."""

    b: AtenBuilder
    directions: int
    has_biases: bool
    hidden: int
    per_cell: int
    """The number of tensors of a layer in one direction."""

    @property
    def gates(self) -> tuple[int, ...]:
        return ORDERS[OPS[self.b.kind]]


@converts(*OPS)
def _recurrent(b: AtenBuilder) -> list[SSAValue | None]:
    """lstm(x, [h, c], weights) -> lstm(x, weights, h, c) layer by layer, gru, rnn_relu and rnn_tanh alike"""
    if b.flag("train") and b.real("dropout"):
        raise Refusal("random", "drops numbers at random: export the model in eval()")
    x = b.tensor("input")
    if b.rank(x) != 3:
        raise Refusal("rank", f"{b.kind} of {b.rank(x)} dimensions, expected a batch of sequences")
    states, weights = b.tensors("hx"), b.tensors("params")
    net = _net(b, states[0], weights)
    x = b.transpose(x, [1, 0, 2]) if b.flag("batch_first") else x
    layers = b.integer("num_layers")
    ends: list[list[SSAValue]] = []
    for layer in range(layers):
        step = net.directions * net.per_cell
        part = weights[layer * step : (layer + 1) * step]
        first = layer * net.directions
        initial = [_rows(b, s, first, net.directions, layers) for s in states]
        x, last = _layer(net, x, part, initial)
        ends.append(last)
    finals = [list(column) for column in zip(*ends, strict=True)]
    joined = [f[0] if len(f) == 1 else b.node("state", "Concat", f, {"axis": 0}) for f in finals]
    return [b.transpose(x, [1, 0, 2]) if b.flag("batch_first") else x, *joined]


def _net(b: AtenBuilder, state: SSAValue, weights: Sequence[SSAValue]) -> _Net:
    hidden = b.static(state, "the number of units", 2)[0]
    directions = 2 if b.flag("bidirectional") else 1
    has_biases = b.flag("has_biases")
    per_cell = 4 if has_biases else 2
    if len(weights) != per_cell * directions * b.integer("num_layers"):
        raise Refusal("unsupported-op", "projects its states, as no ONNX op does")
    return _Net(b, directions, has_biases, hidden, per_cell)


def _rows(b: AtenBuilder, state: SSAValue, first: int, count: int, layers: int) -> SSAValue:
    """The part of a state that belongs to a layer."""
    return state if layers == 1 else b.part(state, 0, first, first + count)


def _layer(
    net: _Net, x: SSAValue, weights: Sequence[SSAValue], states: Sequence[SSAValue]
) -> tuple[SSAValue, list[SSAValue]]:
    """What a layer computes at each step, and the states after the last one."""
    b = net.b
    cells = [weights[i : i + net.per_cell] for i in range(0, len(weights), net.per_cell)]
    kernel, recurrent = (_stacked(net, [cell[i] for cell in cells]) for i in (0, 1))
    bias = None
    if net.has_biases:
        both = [_stacked(net, [cell[i] for cell in cells]) for i in (2, 3)]
        bias = b.node("bias", "Concat", both, {"axis": 1})
    attributes: dict[str, object] = {
        "hidden_size": net.hidden,
        "direction": "bidirectional" if net.directions == 2 else "forward",
    }
    if b.kind.startswith("gru"):
        # ATen applies the reset gate after the product with the state.
        attributes["linear_before_reset"] = 1
    if b.kind == "rnn_relu.input":
        attributes["activations"] = ["Relu"] * net.directions
    inputs = [x, kernel, recurrent, bias, None, *states]
    outputs = b.nodes("layer", OPS[b.kind], inputs, attributes, 1 + len(states))
    return _side_by_side(net, outputs[0]), outputs[1:]


def _side_by_side(net: _Net, steps: SSAValue) -> SSAValue:
    """[length, directions, batch, units] as [length, batch, directions * units]."""
    b = net.b
    if net.directions == 1:
        return b.squeeze(steps, [1])
    moved = b.transpose(steps, [0, 2, 1, 3])
    return b.reshape(moved, [0, 0, net.directions * net.hidden])


def _stacked(net: _Net, values: Sequence[SSAValue]) -> SSAValue:
    """The weights of all directions as one tensor, gates in ONNX's order."""
    b = net.b
    ordered = [_reordered(net, value) for value in values]
    parts = [b.unsqueeze(value, [0]) for value in ordered]
    return parts[0] if len(parts) == 1 else b.node("weights", "Concat", parts, {"axis": 0})


def _reordered(net: _Net, value: SSAValue) -> SSAValue:
    """Weights with their gates in ONNX's order."""
    b, gates = net.b, net.gates
    if len(gates) == 1:
        return value
    if (array := b.values.array(value)) is not None:
        blocks = np.split(np.asarray(array), len(gates))
        return b.constant("gates", np.concatenate([blocks[i] for i in gates]))
    pieces = b.nodes("gates", "Split", [value], {"axis": 0, "num_outputs": len(gates)}, len(gates))
    return b.node("gates", "Concat", [pieces[i] for i in gates], {"axis": 0})


# Cells


@converts("rnn_relu_cell", "rnn_tanh_cell")
def _plain_cell(b: AtenBuilder) -> SSAValue:
    """rnn_tanh_cell(x, h) -> tanh(add(linear(x), linear(h))), rnn_relu_cell alike"""
    activation = "Relu" if b.kind == "rnn_relu_cell" else "Tanh"
    return b.apply(activation, b.apply("Add", *_products(b, b.tensor("hx"))))


@converts("gru_cell")
def _gru_cell(b: AtenBuilder) -> SSAValue:
    """gru_cell(x, h) -> add(mul(sub(h, n), z), n), n = tanh(add(linear(x), mul(r, linear(h))))"""
    h = b.tensor("hx")
    of_x, of_h = (_gates(b, value, 3) for value in _products(b, h))
    r, z = (b.apply("Sigmoid", b.apply("Add", of_x[i], of_h[i])) for i in (0, 1))
    n = b.apply("Tanh", b.apply("Add", of_x[2], b.apply("Mul", r, of_h[2])))
    return b.apply("Add", b.apply("Mul", b.apply("Sub", h, n), z), n)


@converts("lstm_cell")
def _lstm_cell(b: AtenBuilder) -> list[SSAValue | None]:
    """lstm_cell(x, [h, c]) -> mul(o, tanh(d)), d = add(mul(f, c), mul(i, g))"""
    h, c = b.tensors("hx")
    i, f, g, o = _gates(b, b.apply("Add", *_products(b, h)), 4)
    carried = b.apply("Mul", b.apply("Sigmoid", f), c)
    cell = b.apply("Add", carried, b.apply("Mul", b.apply("Sigmoid", i), b.apply("Tanh", g)))
    return [b.apply("Mul", b.apply("Sigmoid", o), b.apply("Tanh", cell)), cell]


def _products(b: AtenBuilder, state: SSAValue) -> list[SSAValue]:
    """The products of the weights with the input, and with the state."""
    return [
        linear(b, b.tensor("input"), b.tensor("w_ih"), b.optional("b_ih")),
        linear(b, state, b.tensor("w_hh"), b.optional("b_hh")),
    ]


def _gates(b: AtenBuilder, value: SSAValue, count: int) -> list[SSAValue]:
    attributes = {"axis": b.rank(value) - 1, "num_outputs": count}
    return b.nodes("gates", "Split", [value], attributes, count)
