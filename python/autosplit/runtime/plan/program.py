"""What a compiled plan computes, read from an outlined module: values, steps, and stretches of steps.

`@main` is a line of calls. A call of a function for oneDNN Graph is one step for each partition in it; a call
of a function for the CPU is one step, an ONNX model. Where a step makes a value whose sizes depend on more
than the sizes of its inputs, a stretch ends: what follows is prepared for the sizes that were found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.device import CallOp, FuncOp, ReturnOp
from autosplit.dialects.dnnl import DnnlOp, PartitionOp
from autosplit.dialects.dnnl.layouts import (
    AnyLayout,
    OpaqueLayout,
    OrderLayout,
    StridedLayout,
    layout_of,
)
from autosplit.dialects.dnnl.moves import VIEWED, moved_operands, reading_of
from autosplit.dialects.onnx.ops import InitializerOp, OnnxOp, constant_array
from autosplit.dialects.platform import WeightAttr, element_type, set_type, shape_of
from autosplit.runtime.dnnl.bodies import as_told, slow_together
from autosplit.runtime.dnnl.build import build
from autosplit.runtime.dnnl.library import Library
from autosplit.runtime.dnnl.limits import BINARY
from autosplit.runtime.plan.memory import aligned
from autosplit.runtime.plan.partitions import PartitionStep, Pointwise, loses_zero_point, sources_of
from autosplit.runtime.plan.saturation import large_weights
from autosplit.runtime.plan.segments import SegmentModel
from autosplit.runtime.plan.steps import MoveStep, SegmentStep, Step, ViewStep
from autosplit.runtime.plan.values import Value

Array = NDArray[np.generic]


@dataclass
class Stretch:
    """Steps whose values have sizes that follow from those of `reads`."""

    index: int
    steps: list[Step]
    reads: list[int]
    """Values from outside, other than constants."""
    exports: list[int]
    """Values made here that later stretches read."""
    results: list[int]
    """Values made here that are outputs of the plan."""


@dataclass
class Program:
    """A plan as it was read: its values, what it takes and gives, and its stretches in order."""

    values: list[Value] = field(default_factory=list[Value])
    inputs: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    outputs: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    steps: list[Step] = field(default_factory=list[Step])
    large: list[str] = field(default_factory=list[str])
    """The weights of products whose sums may saturate on this processor."""

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The steps, cut after each segment whose outputs have unknown sizes."""
        groups: list[list[Step]] = [[]]
        for step in self.steps:
            groups[-1].append(step)
            if isinstance(step, SegmentStep) and not self._is_static(step):
                groups.append([])
        stretches = [Stretch(i, steps, [], [], []) for i, steps in enumerate(filter(None, groups))]
        maker = {v: s.index for s in stretches for step in s.steps for v in _written(step)}
        wanted = {index for _, index in self.outputs}
        for stretch in stretches:
            read = dict.fromkeys(v for step in stretch.steps for v in _read(step))
            for v in read:
                if self.values[v].constant is None and maker.get(v) != stretch.index:
                    stretch.reads.append(v)
                    if v in maker and v not in stretches[maker[v]].exports:
                        stretches[maker[v]].exports.append(v)
            written = (v for step in stretch.steps for v in _written(step))
            stretch.results += [v for v in written if v in wanted]
        return stretches

    def _is_static(self, step: SegmentStep) -> bool:
        return all(self.values[v].is_static for v in _written(step))


def _written(step: Step) -> list[int]:
    match step:
        case PartitionStep() | MoveStep():
            return step.outputs
        case SegmentStep():
            return [v for _, v in step.outputs]
        case ViewStep():
            return [step.target]


def _read(step: Step) -> list[int]:
    match step:
        case PartitionStep() | MoveStep():
            return step.inputs
        case SegmentStep():
            return [v for _, v in step.inputs]
        case ViewStep():
            return [step.source]


_VIEWS = ("Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze")
"""ONNX's ops that change no element and no order."""


def _is_view(func: FuncOp) -> bool:
    """Whether a function only gives its first input other sizes, at most one of which is unknown."""
    if len(func.outputs) != 1:
        return False
    value = func.outputs[0][1]
    shape = shape_of(value.type)
    while isinstance(op := value.owner, OnnxOp):
        if op.op_type not in _VIEWS or op.domain not in ("", "ai.onnx"):
            return False
        value = op.operands[0]
    is_input = value is func.body.block.args[0] if func.body.block.args else False
    return is_input and shape is not None and sum(n < 0 for n in shape) <= 1


def read_program(
    module: ModuleOp,
    store: WeightStore,
    library: Library | None,
    segment: Callable[[FuncOp], SegmentModel],
) -> Program:
    """The program of an outlined module; `segment` loads a function for the CPU, `library` runs the others.

    Raises AutosplitError where the module is not outlined, holds sub-models for other devices, or the
    library cannot run a partition.
    """
    return _Reader(module, store, library, segment).read()


class _Reader:
    def __init__(
        self,
        module: ModuleOp,
        store: WeightStore,
        library: Library | None,
        segment: Callable[[FuncOp], SegmentModel],
    ):
        self.store = store
        self.library = library
        self.segment = segment
        self.funcs = {f.sym_name.data: f for f in module.body.ops if isinstance(f, FuncOp)}
        self.program = Program()
        self.indices: dict[SSAValue, int] = {}
        self.weights: dict[str, Array] = {}

    def read(self) -> Program:
        main = self.funcs.get(FuncOp.HOST)
        if main is None:
            raise AutosplitError(
                "the module is not a plan: it has no @main, run device-outline first"
            )
        for name, value in main.inputs:
            self.program.inputs.append((name, self._add(value, name)))
        for op in main.body.block.ops:
            if isinstance(op, CallOp):
                self._call(op)
            elif not isinstance(op, ReturnOp):
                raise AutosplitError(f"{op.name} in @main: a plan's @main is a line of device.call")
        for name, value in main.outputs:
            self.program.outputs.append((name, self.indices[value]))
        return self.program

    def _call(self, call: CallOp) -> None:
        func = self.funcs[call.callee.root_reference.data]
        if func.target.is_dnnl:
            self._read_dnnl(call, func)
            return
        if func.target.is_tpu:
            raise AutosplitError(
                f"@{func.sym_name.data} is for {func.target.chip.data}: a compiled plan runs on oneDNN "
                "and the CPU only"
            )
        names = [n.data for n in func.output_names]
        inputs = [
            (n.data, self.indices[value])
            for n, value in zip(func.input_names, call.arguments, strict=True)
        ]
        outputs = [
            (name, self._add(value, name)) for name, value in zip(names, call.outputs, strict=True)
        ]
        if _is_view(func):
            self.program.steps.append(self._view(func, inputs[0][1], outputs[0][1]))
            return
        step = SegmentStep(
            len(self.program.steps), func.sym_name.data, self.segment(func), inputs, outputs
        )
        self.program.steps.append(step)

    def _view(self, func: FuncOp, source: int, target: int) -> ViewStep:
        shape = self.program.values[target].shape or ()
        return ViewStep(len(self.program.steps), func.sym_name.data, source, target, shape)

    def _read_dnnl(self, call: CallOp, func: FuncOp) -> None:
        block = func.body.block
        for argument, value in zip(block.args, call.arguments, strict=True):
            self.indices[argument] = self.indices[value]
        names = {value: name for name, value in func.outputs}
        for op in block.ops:
            match op:
                case InitializerOp():
                    self._add_constant(op)
                case PartitionOp():
                    self._read_partition(op, names)
                case OnnxOp():
                    self._read_move(op, func)
                case ReturnOp():
                    for result, value in zip(call.outputs, op.values, strict=True):
                        self.indices[result] = self.indices[value]
                case _ if op.name == "quant.scast":
                    self.indices[op.results[0]] = self.indices[op.operands[0]]
                case _:
                    raise AutosplitError(
                        f"{op.name} in @{func.sym_name.data}: a function for oneDNN holds partitions and "
                        "initializers"
                    )

    def _read_move(self, op: OnnxOp, func: FuncOp) -> None:
        """One step for an op that only moves bytes."""
        move = reading_of(op, lambda value: constant_array(value, self.store))
        if move is None:
            raise AutosplitError(
                f"{op.name} {op.identity!r} in @{func.sym_name.data}: a function for oneDNN holds "
                "partitions, initializers and ops that move bytes"
            )
        reads = [self.indices[value] for value in moved_operands(op)]
        writes = [
            self._add(result, name)
            for result, name in zip(op.results, op.output_names, strict=True)
        ]
        self.program.steps.append(
            MoveStep(
                len(self.program.steps),
                op.identity,
                op.op_type,
                move,
                reads,
                writes,
                VIEWED in op.attributes,
            )
        )

    def _add(self, value: SSAValue, name: str, constant: Array | None = None) -> int:
        """A new value of the program for a value of the module."""
        type = value.type
        dtype = dtype_of(type)
        element = element_type(type)
        if dtype is None or element is None:
            raise AutosplitError(f"{name!r} is {type}: a plan passes on tensors of numbers only")
        entry = Value(name, element, dtype, shape_of(type), constant=constant)
        match layout_of(type):
            case OrderLayout() as layout:
                entry.order = layout.order
            case StridedLayout() as layout if min(layout.strides, default=0) >= 0:
                entry.strides = layout.strides
            case AnyLayout():
                entry.open = True
            case OpaqueLayout() as layout:
                raise AutosplitError(f"{name!r} has {layout}: plans are made with strided layouts")
            case _:
                pass
        self.indices[value] = len(self.program.values)
        self.program.values.append(entry)
        return self.indices[value]

    def _add_constant(self, op: InitializerOp) -> None:
        array = constant_array(op.results[0], self.store)
        if array is None:
            raise AutosplitError(f"initializer {op.identity!r} has no value that can be read")
        # The same weights may be read by several functions, each with an initializer of its own.
        attr = op.value
        key = f"{attr.key.data} {attr.digest.data}" if isinstance(attr, WeightAttr) else None
        kept = self.weights.get(key) if key is not None else None
        if kept is None:
            kept = aligned(array)
        if key is not None:
            self.weights[key] = kept
        self._add(op.results[0], op.identity, kept)

    def _read_partition(self, op: PartitionOp, names: Mapping[SSAValue, str]) -> None:
        """One step for each partition that the library makes of the body: one, unless versions differ."""
        library = self.library
        assert library is not None, "a module with partitions is read with a library"
        name = op.identity or op.rule.data
        results = list(op.outputs)
        operands = list(op.inputs)
        op, origins = as_told(op)
        op = _with_open_images(op, library)
        for argument, origin in zip(op.body.block.args, origins, strict=True):
            self.indices[argument] = self.indices[operands[origin]]
        constants = {op.body.block.args[i] for i in op.constant_indices}
        built = build(
            op.body_ops, library, constants=constants, apart=slow_together(op.body_ops, library)
        )
        values = {tensor.id: value for value, tensor in built.tensors.items()}
        outer = dict(zip(op.returned, results, strict=True))
        for partition in built.builder.partitions():
            if not built.ops_of(partition):
                continue
            if not partition.supported:
                raise AutosplitError(
                    f"oneDNN {library.release} does not support the {partition} of {name!r}"
                )
            writes: list[int] = []
            for tensor in partition.outputs:
                inner = values[tensor.id]
                result = outer.get(inner, inner)
                writes.append(self._add(result, names.get(result, name)))
                self.indices[inner] = writes[-1]
            reads = [self.indices[values[tensor.id]] for tensor in partition.inputs]
            ops = built.ops_of(partition)
            met = _met_by_images(ops)
            if not library.has_vnni:
                large = (self.indices[v] for v in large_weights(ops, self._constant))
                self.program.large += [self.program.values[i].name for i in large]
            pointwise = [Pointwise.of(o, built, library) for o in ops]
            self.program.steps.append(
                PartitionStep(
                    len(self.program.steps),
                    name,
                    op.rule.data,
                    partition,
                    reads,
                    writes,
                    self.program.values,
                    pointwise=[p for p in pointwise if p is not None],
                    keeps_layout=loses_zero_point(ops, library),
                    beside=[i for i, t in enumerate(partition.inputs) if values[t.id] in met],
                )
            )

    def _constant(self, value: SSAValue) -> Array | None:
        index = self.indices.get(value)
        return None if index is None else self.program.values[index].constant


def _met_by_images(ops: Sequence[DnnlOp]) -> set[SSAValue]:
    """The real numbers that an elementwise op reads beside the result of a convolution."""
    images = [op for op in ops if op.kind in ("Convolution", "ConvTranspose")]
    if not any(op.text("data_format") == "NCX" for op in images):
        return set()
    results = {result for op in ops for result in op.results}
    met = {v for op in ops if op.kind in BINARY for v in op.inputs if v not in results}
    return met


def _with_open_images(op: PartitionOp, library: Library) -> PartitionOp:
    """The partition, or a copy that takes any number of images: they may have to be computed one by one."""
    products = [o for o in op.body_ops if Pointwise.concerns(o, library)]
    shape = shape_of(products[0].results[0].type) if products else None
    if shape is None or shape[0] in (DYNAMIC_INDEX, 1):
        return op
    copy = op.clone()
    weights = sources_of(
        v for o in copy.body_ops if o.kind == "Convolution" for v in o.operands[1:]
    )
    for value in (*copy.body.block.args, *(r for o in copy.body_ops for r in o.results)):
        tensor = value.type
        sizes = shape_of(tensor)
        if value in weights or sizes is None or len(sizes) != len(shape):
            continue
        if isinstance(tensor, TensorType) and sizes[0] == shape[0]:
            tensor = cast("TensorType[Attribute]", tensor)
            opened = TensorType(tensor.element_type, [DYNAMIC_INDEX, *sizes[1:]], tensor.encoding)
            set_type(value, opened)
    return copy
