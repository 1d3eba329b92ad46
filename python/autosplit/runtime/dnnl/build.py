"""From ops of the `dnnl` dialect to graphs of the library, and from its partitions back to ops.

    partitions_of(ops)                       what the library makes of ops
    loaded = LoadedPartition(op, library())  a `dnnl.partition`, once for its set of weights
    ready = loaded.compile(shapes)           for these shapes; as often as shapes come
    ready.bind(inputs, outputs)()            inputs and outputs in the order of the op's

The library believes what it is told of shapes and crashes where that is wrong, so ops are verified and the
shapes inside are computed before it sees them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.dnnl import (
    AnyLayout,
    AttrValue,
    DnnlOp,
    OpaqueLayout,
    OrderLayout,
    PartitionOp,
    StridedLayout,
    UndefLayout,
    dense_strides,
    dtype_name,
    layout_of,
    property_type,
)
from autosplit.dialects.platform import element_type, shape_of
from autosplit.runtime.dnnl.api import KIND_END, LogicalTensor, new_id
from autosplit.runtime.dnnl.bodies import as_told
from autosplit.runtime.dnnl.library import (
    Array,
    BoundCall,
    CompiledPartition,
    GraphBuilder,
    Library,
    Partition,
    Stream,
    library,
)
from autosplit.runtime.dnnl.sizes import Inference, name_of, wrong

Shape = tuple[int, ...]

_CASTS = ("Quantize", "Dequantize")
_SAME = ("quant.scast", "builtin.unrealized_conversion_cast")
_CONSTANTS = ("onnx.initializer", "onnx.Constant")


def logical_tensor(value: SSAValue, *, constant: bool = False) -> LogicalTensor:
    """A value as the library sees it, with a new id; AutosplitError where its type is not the library's."""
    type = value.type
    dtype = dtype_name(type)
    if dtype is None or element_type(type) is None:
        raise AutosplitError(f"oneDNN has no tensors of type {type}")
    dims = shape_of(type)
    layout, strides, layout_id = _layout(type, dims)
    return LogicalTensor(new_id(), dtype, dims, layout, strides, layout_id, constant)


def _layout(type: Attribute, dims: Shape | None) -> tuple[str, tuple[int, ...] | None, int]:
    """Kind of layout, strides and layout id that a tensor type asks for."""
    match layout_of(type):
        case AnyLayout():
            return "any", None, 0
        case UndefLayout():
            return "undef", None, 0
        case OpaqueLayout() as layout:
            return "opaque", None, layout.layout_id.data
        case StridedLayout() as layout:
            return "strided", layout.strides, 0
        case OrderLayout() as layout if dims is not None:
            return "strided", dense_strides(dims, layout.order), 0
        case _:
            return "strided", None, 0


@dataclass
class BuiltGraph:
    """A library graph of ops, with the ways back: tensor ids to values, op ids to ops."""

    builder: GraphBuilder
    tensors: dict[SSAValue, LogicalTensor]
    ops: dict[int, DnnlOp]

    def ops_of(self, partition: Partition) -> list[DnnlOp]:
        """The ops of a partition, without marks of outputs; none for a partition that is only such a mark."""
        return [self.ops[i] for i in partition.op_ids if i in self.ops]


def build(
    ops: Sequence[DnnlOp],
    lib: Library,
    *,
    end: Collection[SSAValue] | None = None,
    constants: Collection[SSAValue] | None = None,
    apart: Collection[SSAValue] = (),
    fpmath_mode: str = "strict",
) -> BuiltGraph:
    """A finished library graph of `ops`.

    `end` are results that are needed outside although ops read them (by default those that other ops
    read too); nothing is fused to what makes one of `apart`. `constants` are inputs that never change (by
    default those whose type or owner says so).
    AutosplitError where an op is wrong, or newer than the library.
    """
    members = set(ops)
    results = [r for op in ops for r in op.results]
    inputs = {v for op in ops for v in op.operands} - set(results)
    fixed = {v for v in inputs if is_constant(v)} if constants is None else set(constants)
    tensors = {v: logical_tensor(v, constant=v in fixed) for op in ops for v in op.operands}
    tensors |= {r: logical_tensor(r) for r in results if r not in tensors}
    by_id: dict[int, DnnlOp] = {}
    builder = GraphBuilder(lib, fpmath_mode, Inference(by_id, tensors))
    built = BuiltGraph(builder, tensors, by_id)
    for op in ops:
        identity = builder.add_op(
            op.KIND_CODE,
            name_of(op),
            attributes(op, lib),
            [tensors[v] for v in op.operands],
            [tensors[r] for r in op.results],
        )
        built.ops[identity] = op
    for value in results:
        read = any(use.operation in members for use in value.uses)
        outside = any(use.operation not in members for use in value.uses)
        if value in apart or (read and (outside if end is None else value in end)):
            builder.add_op(KIND_END, "output", [], [tensors[value]], [])
    builder.finalize()
    return built


def is_constant(value: SSAValue) -> bool:
    """Whether a value outside a partition never changes: a file says so, or a constant op makes it."""
    if property_type(value) == "constant":
        return True
    maker = value.owner
    while isinstance(maker, Operation) and maker.name in _SAME:
        maker = maker.operands[0].owner
    return isinstance(maker, Operation) and maker.name in _CONSTANTS


def attributes(op: DnnlOp, lib: Library) -> list[tuple[int, str, AttrValue]]:
    """An op's attributes as the library takes them, without defaults that it is too old to know.

    AutosplitError where a library of this version has no such op.
    """
    try:
        op.verify_()
    except VerifyException as e:
        raise wrong(op, e) from e
    version = lib.version[:2]
    if version < op.SINCE:
        raise AutosplitError(f"{name_of(op)} needs oneDNN {_text(op.SINCE)}, this is {lib.release}")
    values = op.attrs
    if "zps" in op.ATTRS and "scales" in values and op.kind in _CASTS:
        # Not optional before 3.3, and no zero points are zero points of 0.
        values.setdefault("zps", [0] * len(op.numbers("scales")))
    entries: list[tuple[int, str, AttrValue]] = []
    for name, value in values.items():
        spec = op.ATTRS[name]
        if value == [] and not spec.required:
            continue  # Means the same as leaving it out, but crashes the library.
        if version >= spec.since:
            entries.append((spec.code, spec.type, value))
        elif value != spec.default:
            raise AutosplitError(
                f"{name_of(op)}: {name} = {value!r} needs oneDNN {_text(spec.since)},"
                f" this is {lib.release}"
            )
    return entries


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


@dataclass(frozen=True)
class Answer:
    """A partition that the library makes: its ops in their order, and whether it can compile it."""

    ops: tuple[DnnlOp, ...]
    supported: bool


def answers(ops: Sequence[DnnlOp], lib: Library | None = None, **options: Any) -> list[Answer]:
    """What the library makes of `ops`, in its order; options are those of `build`."""
    built = build(ops, lib or library(), **options)
    replies = [Answer(tuple(built.ops_of(p)), p.supported) for p in built.builder.partitions()]
    return [answer for answer in replies if answer.ops]


def partitions_of(ops: Sequence[DnnlOp], lib: Library | None = None) -> list[list[DnnlOp]]:
    """The groups of ops that the library makes, in its order, those that it cannot compile among them."""
    return [list(answer.ops) for answer in answers(ops, lib)]


class LoadedPartition:
    """A `dnnl.partition` op in the library: built once, for one set of weights, compiled for many shapes.

    `inputs` are, for each port of the library, the index of the op's operand; `outputs` of its result.
    AutosplitError unless the library makes exactly one partition of it, which it supports.

    The caller has to heed what `limits` says of kernels that write behind their result; plans do.
    """

    def __init__(self, op: PartitionOp, lib: Library | None = None):
        self.library = lib or library()
        self.name = op.identity or op.rule.data
        op, origins = as_told(op)
        arguments, returned = list(op.body.block.args), op.returned
        self.built = build(
            op.body_ops,
            self.library,
            end=set(returned),
            constants={arguments[i] for i in op.constant_indices},
        )
        self.partition = self._only()
        operands = {
            self.built.tensors[a].id: i for a, i in zip(arguments, origins, strict=True) if a.uses
        }
        results = {
            self.built.tensors[r].id: i for i, r in enumerate(returned) if r not in arguments
        }
        self.result_types = list(op.result_types)
        try:
            self.inputs = tuple(operands[port.id] for port in self.partition.inputs)
            self.outputs = tuple(results[port.id] for port in self.partition.outputs)
        except KeyError as e:
            raise AutosplitError(
                f"partition {self.name!r}: oneDNN {self.library.release} gives out a tensor that it does"
                " not return; remove results that nothing reads"
            ) from e
        if len(self.outputs) != len(returned):
            raise AutosplitError(
                f"partition {self.name!r} returns {counted(len(returned), 'value')}, of which oneDNN"
                f" {self.library.release} gives out {len(self.outputs)}"
            )

    def _only(self) -> Partition:
        partitions = [p for p in self.built.builder.partitions() if self.built.ops_of(p)]
        if len(partitions) == 1 and partitions[0].supported:
            return partitions[0]
        texts = "; ".join(f"{p}{'' if p.supported else ' (not supported)'}" for p in partitions)
        raise AutosplitError(
            f"partition {self.name!r}: oneDNN {self.library.release} makes {len(partitions)} of it,"
            f" expected one that it supports: {texts}"
        )

    def compile(
        self, shapes: Sequence[Shape], strides: Sequence[Sequence[int] | None] | None = None
    ) -> ReadyPartition:
        """The partition for operands of these shapes, and strides where they are not row-major.

        The results get the layouts of their types. AutosplitError where shapes do not fit or the library
        cannot compile it.
        """
        steps = strides or [None] * len(shapes)
        inputs: list[LogicalTensor] = []
        for port, index in zip(self.partition.inputs, self.inputs, strict=True):
            stride = steps[index]
            inputs.append(
                replace(
                    port,
                    dims=tuple(shapes[index]),
                    layout="strided",
                    strides=None if stride is None else tuple(stride),
                )
            )
        sizes = self.partition.shapes({t.id: t.dims for t in inputs if t.dims is not None})
        outputs: list[LogicalTensor] = []
        for port, index in zip(self.partition.outputs, self.outputs, strict=True):
            dims = sizes[port.id]
            layout, step, _ = _layout(self.result_types[index], dims)
            outputs.append(replace(port, dims=dims, layout=layout, strides=step))
        return ReadyPartition(self, self.partition.compile(inputs, outputs))


class ReadyPartition:
    """A compiled `dnnl.partition`; `results` are its outputs as they lie in memory, in the op's order."""

    def __init__(self, loaded: LoadedPartition, compiled: CompiledPartition):
        self.loaded = loaded
        self.compiled = compiled
        by_result = dict(zip(loaded.outputs, compiled.outputs, strict=True))
        self.results = tuple(by_result[i] for i in range(len(by_result)))
        operands = dict(zip((t.id for t in compiled.inputs), loaded.inputs, strict=True))
        results = dict(zip((t.id for t in compiled.outputs), loaded.outputs, strict=True))
        read = Counter(loaded.inputs)
        self.inplace = tuple(
            (operands[i], results[o]) for i, o in compiled.inplace if read[operands[i]] == 1
        )
        """Pairs of an operand and a result that may share memory, by index; not of one that is read again."""

    def bind(
        self,
        operands: Sequence[Array | int],
        results: Sequence[Array | int],
        stream: Stream | None = None,
    ) -> BoundCall:
        """A call on buffers (arrays or addresses) in the order of the op's operands and results."""
        return self.compiled.bind(
            [operands[i] for i in self.loaded.inputs],
            [results[i] for i in self.loaded.outputs],
            stream,
        )
