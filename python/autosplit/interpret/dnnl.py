"""The `dnnl` dialect in numpy: the reference that fused partitions are compared with.

Floats are float64 inside, whatever their element type, and only bfloat16 and float16 are rounded where an op
gives them; `dnnl.Quantize` rounds half to even. What leaves a graph or a partition has its element type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import DnnlOp, GraphOp, PartitionOp, ReturnOp, dtype_name
from autosplit.dialects.platform import shape_of
from autosplit.interpret.dnnl_ops import KERNELS

Array = NDArray[Any]


def run(graph: GraphOp | PartitionOp, inputs: Sequence[Array]) -> list[Array]:
    """The results of a graph (its output ports) or of a partition, for the values of its inputs.

    Raises AutosplitError where an input does not have the type that the graph declares, and where an op has
    no reference: those of training.
    """
    arguments = list(graph.body.block.args)
    if len(inputs) != len(arguments):
        raise AutosplitError(f"{graph.name} takes {len(arguments)} inputs, found {len(inputs)}")
    for index, (argument, array) in enumerate(zip(arguments, inputs, strict=True)):
        _check(f"input {index}", argument, array)
    return run_ops(graph.body.block.ops, dict(zip(arguments, inputs, strict=True)), graph.returned)


def run_ops(
    ops: Iterable[Operation], values: dict[SSAValue, Array], wanted: Sequence[SSAValue]
) -> list[Array]:
    """Runs ops in order on the values so far, and gives those that are wanted in their element types.

    Partitions may stand between the ops. Raises AutosplitError where an op has no reference.
    """
    inside: dict[SSAValue, Array] = {v: _widened(v, a) for v, a in values.items()}
    with np.errstate(all="ignore"):
        _run(ops, inside)
        return [_narrowed(v, inside[v]) for v in wanted]


def _run(ops: Iterable[Operation], values: dict[SSAValue, Array]) -> None:
    for op in ops:
        if isinstance(op, PartitionOp):
            for argument, operand in zip(op.body.block.args, op.inputs, strict=True):
                values[argument] = values[operand]
            _run(op.body.block.ops, values)
            for result, value in zip(op.outputs, op.returned, strict=True):
                values[result] = values[value]
        elif isinstance(op, DnnlOp):
            results = evaluate(op, [values[v] for v in op.inputs])
            for result, array in zip(op.outputs, results, strict=False):
                values[result] = _rounded(result, array)
        elif not isinstance(op, ReturnOp):
            raise AutosplitError(f"{op.name} is no op of oneDNN Graph, it cannot run here")


def evaluate(op: DnnlOp, inputs: Sequence[Array]) -> list[Array]:
    """The results of one op in float64, for operands whose floats are float64.

    There may be more arrays than results: statistics that the op does not give. Raises AutosplitError where
    the op has no reference.
    """
    kernel = KERNELS.get(op.kind)
    if kernel is None:
        raise AutosplitError(f"dnnl.{op.kind} has no reference in numpy: only inference has one")
    return kernel(op, inputs)


def _check(what: str, value: SSAValue, array: Array) -> None:
    dtype, shape = dtype_of(value.type), shape_of(value.type)
    if dtype is not None and array.dtype != dtype:
        raise AutosplitError(f"{what} has elements of {array.dtype}, expected {dtype}")
    if shape is None:
        return
    fits = len(shape) == array.ndim
    if not fits or any(d >= 0 and d != n for d, n in zip(shape, array.shape, strict=True)):
        raise AutosplitError(f"{what} has the shape {list(array.shape)}, expected {value.type}")


def _is_float(value: SSAValue) -> bool:
    return dtype_name(value.type) in ("f32", "bf16", "f16", "f8_e4m3", "f8_e5m2")


def _widened(value: SSAValue, array: Array) -> Array:
    return array.astype(np.float64) if _is_float(value) else array


def _rounded(value: SSAValue, array: Array) -> Array:
    """The value of an op's result: rounded to the narrow floats, an integer where it is one."""
    dtype = dtype_of(value.type)
    if dtype is None or dtype_name(value.type) == "f32":
        return array
    narrow = array.astype(dtype)
    return narrow.astype(np.float64) if _is_float(value) else narrow


def _narrowed(value: SSAValue, array: Array) -> Array:
    dtype = dtype_of(value.type)
    return np.asarray(array if dtype is None else array.astype(dtype), order="C")
