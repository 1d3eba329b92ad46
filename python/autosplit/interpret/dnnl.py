"""The `dnnl` dialect in numpy: the reference that fused partitions are compared with.

Floats are float64 inside, whatever their element type, and only bfloat16 and float16 are rounded where an op
gives them; `dnnl.Quantize` rounds half to even. What leaves a graph or a partition has its element type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import InterpretationError

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.dnnl import (
    OP_CLASSES,
    DnnlOp,
    GraphOp,
    PartitionOp,
    ReturnOp,
    dtype_name,
)
from autosplit.dialects.platform import shape_of
from autosplit.interpret.dnnl_ops import KERNELS

Array = NDArray[Any]


class DnnlFunctions(InterpreterFunctions):
    """Every op of the dialect, for xDSL's interpreter; values are arrays, floats are float64."""

    @impl(PartitionOp)
    def run_partition(
        self, interpreter: Interpreter, op: PartitionOp, args: PythonValues
    ) -> PythonValues:
        return interpreter.run_ssacfg_region(op.body, args, op.rule.data)

    @impl_terminator(ReturnOp)
    def run_return(
        self, interpreter: Interpreter, op: ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


def _run_op(
    functions: DnnlFunctions, interpreter: Interpreter, op: DnnlOp, args: PythonValues
) -> PythonValues:
    inputs = [_widened(v, a) for v, a in zip(op.inputs, args, strict=True)]
    with np.errstate(all="ignore"):
        results = evaluate(op, inputs)
    return tuple(_rounded(v, a) for v, a in zip(op.outputs, results, strict=False))


for _kind, _cls in OP_CLASSES.items():
    setattr(DnnlFunctions, f"run_{_kind}", impl(_cls)(_run_op))
register_impls(DnnlFunctions)


def run(graph: GraphOp | PartitionOp, inputs: Sequence[Array]) -> list[Array]:
    """The results of a graph (its output ports) or of a partition, for the values of its inputs.

    Raises AutosplitError if an input does not have the type that the graph declares, and if an op has
    no reference: those of training.
    """
    arguments = list(graph.body.block.args)
    if len(inputs) != len(arguments):
        raise AutosplitError(
            f"{graph.name} takes {counted(len(arguments), 'input')}, found {len(inputs)}"
        )
    for index, (argument, array) in enumerate(zip(arguments, inputs, strict=True)):
        check_value(f"input {index}", argument, array)
    interpreter = Interpreter(ModuleOp([]))
    interpreter.register_implementations(DnnlFunctions())
    widened = tuple(_widened(v, a) for v, a in zip(arguments, inputs, strict=True))
    try:
        results = interpreter.run_ssacfg_region(graph.body, widened, graph.name)
    except InterpretationError as error:
        raise AutosplitError(f"{graph.name} cannot run here: {error}") from None
    return [narrowed(v, a) for v, a in zip(graph.returned, results, strict=True)]


def evaluate(op: DnnlOp, inputs: Sequence[Array]) -> list[Array]:
    """The results of one op in float64, for operands whose floats are float64.

    There may be more arrays than results: statistics that the op does not give. Raises AutosplitError if
    the op has no reference.
    """
    kernel = KERNELS.get(op.kind)
    if kernel is None:
        raise AutosplitError(f"dnnl.{op.kind} has no reference in numpy: only inference has one")
    return kernel(op, inputs)


def check_value(label: str, value: SSAValue, array: Array) -> None:
    """Raises AutosplitError if an array does not have the type of a value; errors call it `label`."""
    dtype, shape = dtype_of(value.type), shape_of(value.type)
    if dtype is not None and array.dtype != dtype:
        raise AutosplitError(f"{label} has elements of {array.dtype}, expected {dtype}")
    if shape is None:
        return
    fits = len(shape) == array.ndim
    if not fits or any(d >= 0 and d != n for d, n in zip(shape, array.shape, strict=True)):
        raise AutosplitError(f"{label} has the shape {list(array.shape)}, expected {value.type}")


def _is_float(value: SSAValue) -> bool:
    return dtype_name(value.type) in ("f32", "bf16", "f16", "f8_e4m3", "f8_e5m2")


def _widened(value: SSAValue, array: Array) -> Array:
    return array.astype(np.float64, copy=False) if _is_float(value) else array


def _rounded(value: SSAValue, array: Array) -> Array:
    """The value of an op's result: rounded to the narrow floats, an integer where it is one."""
    dtype = dtype_of(value.type)
    if dtype is None or dtype_name(value.type) == "f32":
        return array
    narrow = array.astype(dtype)
    return narrow.astype(np.float64) if _is_float(value) else narrow


def narrowed(value: SSAValue, array: Array) -> Array:
    """The value in its element type."""
    dtype = dtype_of(value.type)
    return np.asarray(array if dtype is None else array.astype(dtype, copy=False), order="C")
