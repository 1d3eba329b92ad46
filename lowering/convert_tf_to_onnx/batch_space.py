"""Moving blocks of space into the batch and back, and dilated convolutions as older models write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from autosplit.core.weights import WeightStore
from autosplit.dialects.tf import TfOp, constant_array
from autosplit.lowering.convert_tf_to_onnx.builder import Builder, converts
from autosplit.lowering.convert_tf_to_onnx.layout import dilated_convolution
from autosplit.lowering.convert_tf_to_onnx.types import Shape, static_of, tensor
from autosplit.lowering.shared.refusal import Refusal


@dataclass(frozen=True)
class Dilated:
    """A dilated convolution written as a plain one between SpaceToBatchND and BatchToSpaceND."""

    spread: TfOp
    convolution: TfOp
    collect: TfOp
    block: tuple[int, ...]
    pads: tuple[int, ...]
    """Begins and then ends, less what is cropped afterwards."""

    @property
    def ops(self) -> tuple[TfOp, TfOp, TfOp]:
        return self.spread, self.convolution, self.collect

    def build(self, b: Builder) -> SSAValue:
        """The convolution; the builder has been started on `collect`."""
        kind = self.convolution.op_type
        x, w = self.spread.inputs[0], self.convolution.inputs[1]
        return dilated_convolution(b, kind, x, w, list(self.block), list(self.pads))


def find_dilated(nodes: Iterable[TfOp], store: WeightStore) -> dict[TfOp, Dilated]:
    """The dilated convolutions among `nodes`, by each of their three ops.

    Only where block, paddings and crops are constant, the inner convolution has stride 1 and no padding of
    its own, and nothing else reads what lies between.
    """
    by_op: dict[TfOp, Dilated] = {}
    for op in nodes:
        if op.op_type == "BatchToSpaceND" and (dilated := _match(op, store)) is not None:
            by_op |= dict.fromkeys(dilated.ops, dilated)
    return by_op


def _match(collect: TfOp, store: WeightStore) -> Dilated | None:
    convolution = _sole_producer(collect)
    if convolution is None or convolution.op_type not in ("Conv2D", "DepthwiseConv2dNative"):
        return None
    spread = _sole_producer(convolution)
    if spread is None or spread.op_type != "SpaceToBatchND" or len(spread.inputs) != 3:
        return None
    if convolution.attribute("padding") != "VALID":
        return None
    if convolution.attribute("data_format", "NHWC") != "NHWC":
        return None
    for name in ("strides", "dilations"):
        if any(v != 1 for v in convolution.attribute(name) or ()):
            return None
    lists: list[list[int]] = []
    for op in (spread, collect):
        for value in op.inputs[1:]:
            array = constant_array(value, store)
            if array is None:
                return None
            lists.append([int(v) for v in array.reshape(-1)])
    block, padding, collect_block, crops = lists
    if len(block) != 2 or block != collect_block or len(padding) != 4 or len(crops) != 4:
        return None
    pads = [p - c for p, c in zip(padding, crops, strict=True)]
    if min(pads) < 0:
        return None
    return Dilated(spread, convolution, collect, tuple(block), (*pads[0::2], *pads[1::2]))


def _sole_producer(op: TfOp) -> TfOp | None:
    """The producer of the first operand, if only `op` reads that and nobody waits for the producer."""
    if not op.inputs:
        return None
    producer = op.inputs[0].owner
    if not isinstance(producer, TfOp) or producer.done is not None:
        return None
    return producer if op.inputs[0].has_one_use() else None


@converts("SpaceToBatchND", "BatchToSpaceND")
def _space_to_batch(b: Builder) -> SSAValue:
    """space_to_batch_nd(x, block, paddings) -> pad, reshape, transpose, reshape; batch_to_space_nd back

    Refused if sizes, block or paddings are unknown.
    """
    x = b.input(0)
    block = b.ints(1, "block_shape")
    edges = b.ints(2, "paddings or crops")
    shape = static_of(x)
    if shape is None:
        raise Refusal("dynamic-shape", "the shape of operand 0 is not known in full")
    m = len(block)
    if len(shape) < m + 1 or len(edges) != 2 * m:
        raise Refusal("malformed-op", f"block_shape {block} does not fit an operand of {shape}")
    low, high = edges[0::2], edges[1::2]
    if b.op.op_type == "SpaceToBatchND":
        return _to_batch(b, x, shape, block, low, high)
    return _from_batch(b, x, shape, block, low, high)


def _reshape(b: Builder, x: SSAValue, shape: Sequence[int], what: str) -> SSAValue:
    dims = b.i64(shape, f"{what}_shape")
    return b.node("Reshape", x, dims, type=tensor(b.element(x), shape), what=what)


def _to_batch(
    b: Builder, x: SSAValue, shape: Shape, block: list[int], low: list[int], high: list[int]
) -> SSAValue:
    m = len(block)
    tail = shape[m + 1 :]
    if any(low) or any(high):
        none = [0] * len(tail)
        padded = [shape[i + 1] + low[i] + high[i] for i in range(m)]
        pads = b.i64([0, *low, *none, 0, *high, *none], "pads")
        x = b.node("Pad", x, pads, type=tensor(b.element(x), (shape[0], *padded, *tail)))
        shape = (shape[0], *padded, *tail)
    if any(shape[i + 1] % block[i] for i in range(m)):
        raise Refusal("malformed-op", f"block_shape {block} does not divide {shape}")
    split = [n for i in range(m) for n in (shape[i + 1] // block[i], block[i])]
    x = _reshape(b, x, [shape[0], *split, *tail], "split")
    inner = list(range(2 * m + 1, 2 * m + 1 + len(tail)))
    perm = [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m + 1, 2), *inner]
    x = b.transpose(x, perm, "moved")
    spatial = [shape[i + 1] // block[i] for i in range(m)]
    return _reshape(b, x, [shape[0] * prod(block), *spatial, *tail], "out")


def _from_batch(
    b: Builder, x: SSAValue, shape: Shape, block: list[int], low: list[int], high: list[int]
) -> SSAValue:
    m = len(block)
    tail = shape[m + 1 :]
    if shape[0] % prod(block):
        raise Refusal("malformed-op", f"block_shape {block} does not divide a batch of {shape[0]}")
    batch = shape[0] // prod(block)
    x = _reshape(b, x, [*block, batch, *shape[1:]], "split")
    inner = list(range(2 * m + 1, 2 * m + 1 + len(tail)))
    perm = [m, *(n for i in range(m) for n in (m + 1 + i, i)), *inner]
    x = b.transpose(x, perm, "moved")
    spatial = [shape[i + 1] * block[i] for i in range(m)]
    x = _reshape(b, x, [batch, *spatial, *tail], "joined")
    if not any(low) and not any(high):
        return x
    ends = [spatial[i] - high[i] for i in range(m)]
    return b.node(
        "Slice",
        x,
        b.i64(low, "starts"),
        b.i64(ends, "ends"),
        b.i64(range(1, m + 1), "axes"),
        type=tensor(b.element(x), (batch, *(e - s for s, e in zip(low, ends, strict=True)), *tail)),
    )
