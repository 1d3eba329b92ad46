"""Runs outlined modules in xDSL's interpreter: the meaning of IR, however it was produced.

Sub-models of a framework's ops run in the framework, those for TPUs too; partitions of oneDNN run in numpy.
`autosplit-opt FILE -t results` prints what a module gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_callable,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation
from xdsl.utils.target import Target

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.weights import WeightStore, store_for
from autosplit.dialects.device import CallOp, FuncOp, Kind, RegionOp, ReturnOp
from autosplit.dialects.dnnl.moves import (
    LOOKUP,
    MOVING,
    LookingUp,
    Move,
    moved_operands,
    reading_of,
)
from autosplit.dialects.dnnl.partition import PartitionOp
from autosplit.dialects.onnx.base import OnnxOp, OpaqueOp
from autosplit.dialects.onnx.ops import OP_CLASSES, InitializerOp, constant_array
from autosplit.dialects.platform import static_shape
from autosplit.inputs.value_inputs import random_array
from autosplit.interpret.dnnl import Array, DnnlFunctions, check_value, narrowed
from autosplit.platforms import platform_of


@register_impls
@dataclass
class DeviceFunctions(InterpreterFunctions):
    """Calls, and the functions that they call."""

    store: WeightStore

    @impl(CallOp)
    def run_call(self, interpreter: Interpreter, op: CallOp, args: PythonValues) -> PythonValues:
        return interpreter.call_op(op.callee, args)

    @impl_callable(FuncOp)
    def call_func(self, interpreter: Interpreter, op: FuncOp, args: PythonValues) -> PythonValues:
        if op.target.kind.data == Kind.host or _has_partitions(op):
            results = interpreter.run_ssacfg_region(op.body, args, op.sym_name.data)
            outputs = [value for _, value in op.outputs]
            return tuple(narrowed(v, a) for v, a in zip(outputs, results, strict=True))
        platform = platform_of(interpreter.module)
        names = [n.data for n in op.output_names]
        with TemporaryDirectory(prefix="autosplit-") as folder:
            stem = op.sym_name.data
            info = platform.emit(interpreter.module, op, self.store, Path(folder), stem)
            feeds = {n.data: array for n, array in zip(op.input_names, args, strict=True)}
            by_name = platform.executor(info, Path(folder)).run(feeds, names)
        return tuple(by_name[name] for name in names)

    @impl_terminator(ReturnOp)
    def run_return(
        self, interpreter: Interpreter, op: ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl(InitializerOp)
    def run_initializer(
        self, interpreter: Interpreter, op: InitializerOp, args: PythonValues
    ) -> PythonValues:
        return (constant_array(op.results[0], self.store),)


def _has_partitions(func: FuncOp) -> bool:
    """Whether a sub-model is a line of partitions; until it is lowered to that, its framework runs it."""
    return any(isinstance(op, PartitionOp) for op in func.body.block.ops)


class MoveFunctions(InterpreterFunctions):
    """The ops of ONNX that stand between partitions because they only move bytes."""


def moved(move: Move, sources: Sequence[Array]) -> list[Array]:
    """The results of a move, each in separate memory."""
    shapes = move.shapes([array.shape for array in sources])
    targets = [np.empty(shape, sources[0].dtype) for shape in shapes]
    if isinstance(move, LookingUp):
        numbers = np.frombuffer(move.table, np.uint8)
        targets[0].view(np.uint8)[...] = numbers[sources[0].view(np.uint8)]
        return targets
    for target, source in move.pairs(targets, sources):
        target[...] = source
    return targets


def _run_move(
    functions: MoveFunctions, interpreter: Interpreter, op: OnnxOp, args: PythonValues
) -> PythonValues:
    arrays = dict(zip(op.operands, args, strict=True))
    move = reading_of(op, arrays.get)
    assert move is not None, f"{op.identity!r} between partitions moves no bytes"
    return tuple(moved(move, [arrays[v] for v in moved_operands(op)]))


for _kind in MOVING:
    setattr(MoveFunctions, f"run_{_kind}", impl(OP_CLASSES["", _kind])(_run_move))
setattr(MoveFunctions, f"run_{LOOKUP}", impl(OpaqueOp)(_run_move))
register_impls(MoveFunctions)


def interpreter_of(module: ModuleOp) -> Interpreter:
    """An interpreter for the ops of outlined modules; others may register more."""
    interpreter = Interpreter(module)
    interpreter.register_implementations(DeviceFunctions(store_for(module)))
    interpreter.register_implementations(DnnlFunctions())
    interpreter.register_implementations(MoveFunctions())
    return interpreter


def run_module(module: ModuleOp, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of an outlined module by name, for arrays by the names of its inputs.

    Raises AutosplitError for a module that is not outlined, inputs that are missing or do not fit, and where
    the framework is missing.
    """
    main = _main(module)
    needed = dict(main.inputs)
    for name in inputs:
        if name not in needed:
            raise AutosplitError(
                f"there is no input {name!r}{nearest(name, list(needed))}; inputs are {', '.join(needed)}"
            )
    for name, value in main.inputs:
        if name not in inputs:
            raise AutosplitError(f"input {name!r} is missing; it is {value.type}")
        check_value(f"input {name!r}", value, inputs[name])
    results = interpreter_of(module).call_op(main, tuple(inputs[name] for name in needed))
    return {name: array for (name, _), array in zip(main.outputs, results, strict=True)}


def _main(module: ModuleOp) -> FuncOp:
    ops: list[Operation] = list(module.body.ops)
    for op in ops:
        if not isinstance(op, FuncOp) or op.target.kind.data != Kind.host:
            continue
        if any(isinstance(inner, RegionOp) for inner in op.body.block.ops):
            raise AutosplitError(
                "the module has regions, expected calls: run device-outline without regions=true"
            )
        return op
    raise AutosplitError(
        "the module is not outlined: run device-outline first, as split and int8 do"
    )


@dataclass(frozen=True)
class ResultsTarget(Target):
    """What an outlined module gives, one output a line, computed by its framework and by numpy.

    Inputs are `NAME=FILE.npy`, with `;` between them; the others are random, from 0 to 1 and the same in
    every run. Large outputs print as their range. Example: `autosplit-opt m.onnx -p split -t results`
    """

    name = "results"

    inputs: str = ""
    """Files with the values of inputs."""
    file: str = ""
    """A file `.npz` to which the outputs are written as well."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        files = dict(_pairs(self.inputs))
        feeds = {name: _load(name, path) for name, path in files.items()}
        random = np.random.default_rng(0)
        for name, value in _main(module).inputs:
            if name in feeds:
                continue
            if (shape := static_shape(value.type)) is None:
                raise AutosplitError(f"input {name!r} is {value.type}; give it as {name}=FILE.npy")
            feeds[name] = random_array(random, shape, dtype_of(value.type))
        results = run_module(module, feeds)
        for name, array in results.items():
            output.write(f"{name}: {_text(array)}\n")
        if self.file:
            np.savez(self.file, **results)


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = [part.strip().rpartition("=") for part in text.split(";") if part.strip()]
    for name, equals, path in pairs:
        if not equals or not name or not path:
            raise AutosplitError(f"inputs {text!r}: expected NAME=FILE.npy, with ; between them")
    return [(name, path) for name, _, path in pairs]


def _load(name: str, path: str) -> Array:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as e:
        raise AutosplitError(f"input {name!r}: {path} cannot be read as .npy: {e}") from e


def _text(array: Array) -> str:
    shape = "x".join(map(str, array.shape)) or "scalar"
    if array.size <= 16 or array.dtype.kind not in "fiu":
        values = np.array2string(array.reshape(-1)[:16], separator=", ", precision=6)
        return f"{array.dtype} {shape} = {' '.join(values.split())}"
    return f"{array.dtype} {shape} from {array.min():.6g} to {array.max():.6g}, mean {array.mean():.6g}"
