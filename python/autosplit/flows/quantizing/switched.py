"""A float32 model whose ops read 8 bits, as a quantized model's do, or real numbers, as a run says.

What an op reads becomes `Where(real, x, cast(x))`, and `real` an input of the model. So hundreds of choices
are tried on one model that is loaded once. It computes with what the casts leave of numbers, in float32; what
a runtime with kernels of integers makes of the quantized model differs by the rounding of sums.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore, store_for
from autosplit.dialects.onnx.base import OnnxOp, attribute, operand
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.ops import GraphOp
from autosplit.dialects.platform import platform_graph, shape_of, value_name
from autosplit.formats.onnx.files import write_model
from autosplit.lowering.quant.quantize.roles import PRODUCTS, kind_of
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.lowering.shared.fold import Constants, folded_constant
from autosplit.runtime.frameworks.onnx import OnnxExecutor

Array = NDArray[Any]

ROUNDED = 0.25
"""How far rounding takes weights at most, as a share of their norm: with one scale for all of them."""

PREFIX = "real numbers for "
"""The prefix of the inputs that say what an op reads."""


@dataclass(frozen=True)
class Cast:
    """What rounds a computed value."""

    scale: Array
    zero: Array
    """Its dtype is that of the integers."""
    axis: int

    def range(self) -> tuple[float, float]:
        """The least and the largest number that the integers stand for."""
        info, zero = np.iinfo(self.zero.dtype), self.zero.astype(np.float64)
        low, high = (info.min - zero) * self.scale, (info.max - zero) * self.scale
        return float(np.min(low)), float(np.max(high))


@dataclass
class QuantizedOperands:
    """What an op of a quantized model reads, by the number of the operand."""

    type: str
    """Of the op."""
    casts: dict[int, Cast]
    weights: dict[int, Array]
    """As numbers, of constants."""
    bias: Array | None = None
    """What is added to the results, see `_bias`."""


def quantized_operands(module: ModuleOp, store: WeightStore | None) -> dict[str, QuantizedOperands]:
    """The ops of a model that read what QuantizeLinear and DequantizeLinear have rounded, by name."""
    constants = Constants(store)
    by_op: dict[str, QuantizedOperands] = {}
    for op in platform_graph(module).body_ops():
        if not isinstance(op, OnnxOp) or kind_of(op) in ("QuantizeLinear", "DequantizeLinear"):
            continue
        read = QuantizedOperands(op.op_type, {}, {})
        for number, value in enumerate(op.operands):
            cast = value.owner
            if not isinstance(cast, OnnxOp) or kind_of(cast) != "DequantizeLinear":
                continue
            if constants.is_constant(cast.operands[0]):
                if (array := _numbers(cast, constants)) is not None:
                    read.weights[number] = array
            elif (
                kind_of(cast.operands[0].owner) == "QuantizeLinear"
                and (operand := _cast(cast, constants)) is not None
            ):
                read.casts[number] = operand
        if read.casts or read.weights:
            by_op[op.identity] = replace(
                read, bias=None if 2 in read.weights else _bias(op, constants)
            )
    return by_op


def _bias(op: OnnxOp, constants: Constants) -> Array | None:
    """The constant that a product adds to its results, or the only reader of a MatMul does.

    None if there is none, or it is unknown.
    """
    if kind_of(op) == "MatMul":
        uses = list(op.results[0].uses)
        reader = uses[0].operation if len(uses) == 1 else None
        if not isinstance(reader, OnnxOp) or kind_of(reader) != "Add":
            return None
        return constants.array(reader.operands[1 - uses[0].index])
    value = operand(op, 2) if kind_of(op) in PRODUCTS else None
    array: Array | None = None if value is None else constants.array(value)
    if array is None:
        return None
    if kind_of(op) == "Gemm":
        return np.multiply(array, float(attribute(op, "beta", 1.0)))
    return array.reshape(-1, *[1] * (len(shape_of(op.operands[1].type) or ()) - 2))


def _shift(op: OnnxOp, recorded: QuantizedOperands, constants: Constants) -> Array | None:
    """What a quantized product adds to its results beyond what the float32 one does; None for nothing."""
    if recorded.bias is None:
        return None
    real = _bias(op, constants)
    if real is None and kind_of(op) != "MatMul" and operand(op, 2) is None:
        real = np.zeros_like(recorded.bias)
    if real is None:
        # A sum behind one of them only may be one that the other has elsewhere.
        return None
    if real.shape != recorded.bias.shape or np.array_equal(real, recorded.bias):
        return None
    return recorded.bias - real


def _cast(op: OnnxOp, constants: Constants) -> Cast | None:
    scale = constants.array(op.operands[1])
    zero = constants.array(op.operands[2]) if len(op.operands) > 2 else np.uint8(0)
    if scale is None or zero is None or attribute(op, "block_size", 0):
        return None
    if np.asarray(zero).dtype.kind not in "iu":
        return None
    return Cast(scale, np.asarray(zero), int(attribute(op, "axis", 1)))


def _numbers(op: OnnxOp, constants: Constants) -> Array | None:
    """What a DequantizeLinear makes of a constant."""
    stored, cast = constants.array(op.operands[0]), _cast(op, constants)
    if stored is None or cast is None:
        return None
    sizes = [1] * stored.ndim
    if cast.scale.size > 1:
        sizes[cast.axis] = -1
    zero = np.reshape(cast.zero, sizes if cast.zero.size > 1 else []).astype(np.int32)
    scale = np.reshape(cast.scale, sizes if cast.scale.size > 1 else [])
    return (stored.astype(np.int32) - zero).astype(scale.dtype) * scale


class SwitchedModel:
    """A float32 model with the casts of a quantized one, `operands`, in front of its ops of the same names.

    Raises AutosplitError if there is none.
    """

    def __init__(
        self,
        module: ModuleOp,
        store: WeightStore | None,
        operands: Mapping[str, QuantizedOperands],
        custom_ops: Sequence[Path] = (),
    ):
        store = store or store_for(module)
        graph = platform_graph(module)
        # A graph of another framework may call an output otherwise than the value.
        self.outputs = {
            name: value_name(value)
            for name, value in graph.graph_outputs()
            if isinstance(value.owner, OnnxOp)
        }
        inputs = [name for name, _ in graph.graph_inputs()]
        module = extract_onnx(module, list(self.outputs.values()), inputs)
        constants = Constants(store)
        ops = {
            op.identity: op
            for op in platform_graph(module).body_ops()
            if isinstance(op, OnnxOp) and _is_the_same(op, operands.get(op.identity), constants)
        }
        self.types = {name: kind_of(op) for name, op in ops.items()}
        """The ops that can be switched, in the order of the model, and their types."""
        self.unknown = [name for name in operands if name not in ops]
        """What only the quantized model has."""
        if not ops:
            raise AutosplitError(
                "the models have no quantized op in common: expected the float32 model that the other one "
                "was made of, whose ops have the same names and weights"
            )
        self._readers = {
            name: _readers(op, ops)
            for name, op in reversed(ops.items())
            if kind_of(op) not in PRODUCTS
        }
        _Switches(module, store).add(ops, operands)
        with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
            path = Path(folder) / "switched.onnx"
            write_model(module, store, path)
            self._executor = OnnxExecutor(path, optimize=True, custom_ops=custom_ops)

    @property
    def products(self) -> list[str]:
        """The ops that 8 bits are for."""
        return [name for name, kind in self.types.items() if kind in PRODUCTS]

    def run(self, feeds: Mapping[str, Any], real: Collection[str]) -> dict[str, Array]:
        """The outputs, with real numbers for some ops."""
        executor = self._executor
        switches = {PREFIX + name: np.array(name in real) for name in self.types}
        inputs = switches | {n: feeds[n] for n in executor.input_names if n not in switches}
        results = executor.run(inputs, executor.output_names)
        return {name: results[value] for name, value in self.outputs.items()}

    def settled(self, kept: Collection[str]) -> set[str]:
        """The ops that read real numbers if some products do: what only those read is not rounded either."""
        real = set(kept)
        for name, readers in self._readers.items():
            if readers and readers <= real:
                real.add(name)
        return real


def _is_the_same(op: OnnxOp, recorded: QuantizedOperands | None, constants: Constants) -> bool:
    """Whether an op of the float32 model is the one that was quantized, and has its weights."""
    if recorded is None or recorded.type != op.op_type:
        return False
    real = dict(enumerate(op.operands))
    return all(n in real for n in recorded.casts) and all(
        _are_near(constants.array(real[n]), array)
        for n, array in recorded.weights.items()
        # A bias may be one that was made of a sum behind the product.
        if n < len(real)
    )


def _are_near(real: Array | None, rounded: Array) -> bool:
    if real is None or real.size != rounded.size:
        return False
    off = np.linalg.norm(real.ravel().astype(np.float64) - rounded.ravel())
    return bool(off <= ROUNDED * np.linalg.norm(real))


def _readers(op: OnnxOp, ops: Mapping[str, OnnxOp]) -> frozenset[str]:
    """The quantized ops that read what becomes of an op's results."""
    names: set[str] = set()
    seen: set[Operation] = set()
    pending: list[Operation] = [op]
    while pending:
        for result in pending.pop().results:
            for use in result.uses:
                reader = use.operation
                if isinstance(reader, OnnxOp) and reader.identity in ops:
                    names.add(reader.identity)
                elif reader not in seen:
                    seen.add(reader)
                    pending.append(reader)
    return frozenset(names)


class _Switches:
    """Puts the casts of a quantized model into a float32 one, and the switches as inputs."""

    def __init__(self, module: ModuleOp, store: WeightStore):
        graph = platform_graph(module)
        assert isinstance(graph, GraphOp)
        self.graph, self.store = graph, store
        self.block = graph.body.block
        self._casts: dict[tuple[SSAValue, bytes, bytes], SSAValue] = {}
        self._count = 0
        self._constants = Constants(store)

    def add(self, ops: Mapping[str, OnnxOp], operands: Mapping[str, QuantizedOperands]) -> None:
        """Puts them in front of ops, which are in the order of the model."""
        names = [name for name, _ in self.graph.graph_inputs()]
        for name, op in ops.items():
            switch = self.block.insert_arg(TensorType(i1, []), len(self.block.args))
            names.append(PREFIX + name)
            for number, rounded in self._rounded(op, operands[name]).items():
                real = op.operands[number]
                op.operands[number] = self._node(op, "Where", [switch, real, rounded], real)
            shift = _shift(op, operands[name], self._constants)
            if shift is not None and len(shift.shape) <= len(shape_of(op.results[0].type) or ()):
                self._move(op, switch, shift.astype(np.float32))
        outputs = [name for name, _ in self.graph.graph_outputs()]
        title, rest, body = self.graph.graph_name.data, self.graph.rest, self.graph.detach_region(0)
        Rewriter.replace_op(self.graph, GraphOp(title, names, outputs, body, rest=rest), [])

    def _move(self, op: OnnxOp, switch: SSAValue, shift: Array) -> None:
        """Adds something to the results of an op if it reads 8 bits."""
        none, moved = (self._constant(op, array) for array in (np.zeros_like(shift), shift))
        added = self._node(op, "Where", [switch, none, moved], moved)
        result = op.results[0]
        node = make_node(
            "Add", [result, added], [f"bias of {op.identity}"], result_types=[result.type]
        )
        result.replace_uses_with_if(node.results[0], lambda use: use.operation is not node)
        Rewriter.insert_op(node, InsertPoint.after(op))

    def _rounded(self, op: OnnxOp, recorded: QuantizedOperands) -> dict[int, SSAValue]:
        """What an op reads if it reads 8 bits."""
        rounded = {n: self._cast(op, op.operands[n], c) for n, c in recorded.casts.items()}
        return rounded | {
            n: self._constant(op, array.reshape(shape_of(op.operands[n].type) or ()))
            for n, array in recorded.weights.items()
            if n < len(op.operands)
        }

    def _cast(self, op: OnnxOp, value: SSAValue, cast: Cast) -> SSAValue:
        key = value, cast.scale.tobytes(), cast.zero.tobytes()
        if key not in self._casts:
            parameters = [self._constant(op, cast.scale), self._constant(op, cast.zero)]
            stored = self._node(
                op, "QuantizeLinear", [value, *parameters], parameters[1], cast.axis
            )
            self._casts[key] = self._node(
                op, "DequantizeLinear", [stored, *parameters], value, cast.axis
            )
        return self._casts[key]

    def _node(
        self,
        op: OnnxOp,
        kind: str,
        inputs: Sequence[SSAValue],
        like: SSAValue,
        axis: int | None = None,
    ) -> SSAValue:
        self._count += 1
        attributes = {} if axis is None else {"axis": axis}
        name = f"{kind} {self._count} of {op.identity}"
        node = make_node(kind, inputs, [name], attributes=attributes, result_types=[like.type])
        Rewriter.insert_op(node, InsertPoint.before(op))
        return node.results[0]

    def _constant(self, op: OnnxOp, array: Array) -> SSAValue:
        self._count += 1
        constant = folded_constant(
            f"constant {self._count} of {op.identity}", array, self.store, op.location
        )
        Rewriter.insert_op(constant, InsertPoint.before(op))
        return constant.results[0]
