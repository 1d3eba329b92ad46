"""What oneDNN Graph runs of a compiled model, by which rules, and why not the rest: read from the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.json import Json
from autosplit.folder.plans import functions, partitions_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

    from autosplit.dialects.device import FuncOp, ReasonAttr
    from autosplit.dialects.dnnl import PartitionOp

REASONS = ("dnnl.unfused", "quant.refused", "dnnl.unmapped")
"""The attributes that say why an op is in no partition: no rule takes it, its scales are not such as the
library takes, or the library has no such op."""

SAVED, SAVED_CALL, SPENT = 2.2, 4.0, 40.0
"""What oneDNN saves, in µs, for a million multiply-adds and for a partition, and what a segment costs.

Fitted on nets of 3x3 convolutions with sines between, of 0.1 to 260 million multiply-adds, on 2 threads with
AVX-512 VNNI: they break even at some 12 million for each segment.
"""


@dataclass(frozen=True)
class Member:
    """One op of a partition."""

    kind: str
    """The library's name of the kind of op."""
    name: str
    """The node of the model that it comes from."""


@dataclass(frozen=True)
class Fusion:
    """One partition: what the library runs as one."""

    name: str
    graph: str
    """The sub-model, `graph_N`."""
    rule: str
    ops: tuple[Member, ...]
    operands: tuple[str, ...]
    """Types; constants are marked as such."""
    results: tuple[str, ...]
    code: str = ""
    """Of the reason why a cast is a partition by itself; "" for one of several ops."""
    text: str = ""
    work: int | None = None
    """The multiply-adds of its products; None if a size is unknown."""

    @property
    def kinds(self) -> str:
        return " ".join(op.kind for op in self.ops)


@dataclass(frozen=True)
class Outside:
    """One op that is in no partition."""

    name: str
    type: str
    graph: str
    code: str
    """Of the reason; "" where none is recorded."""
    text: str


@dataclass(frozen=True)
class Moved:
    """One op between partitions that only moves bytes: the plan itself does that."""

    name: str
    type: str
    graph: str


@dataclass(frozen=True)
class Stage:
    """One sub-model of the plan."""

    name: str
    device: str
    """`dnnl`, or `cpu` for ONNX Runtime."""
    partitions: int
    ops: int
    """In partitions or, for ONNX Runtime, in the segment; without constants."""


@dataclass(frozen=True)
class Int8Explanation:
    """All of it."""

    version: str
    """The version of oneDNN that the plan is for."""
    policy: str
    stages: list[Stage]
    partitions: list[Fusion]
    outside: list[Outside]
    tuned: str = ""
    """What `compile --tune` measured and chose; "" where it did not."""
    moves: list[Moved] = field(default_factory=list[Moved])

    @property
    def gain(self) -> float | None:
        """The µs that a run is expected to save beside ONNX Runtime; None if sizes are unknown."""
        work = [p.work for p in self.partitions]
        if None in work:
            return None
        segments = sum(stage.device != "dnnl" for stage in self.stages)
        millions = sum(n for n in work if n is not None) / 1e6
        return millions * SAVED + len(work) * SAVED_CALL - segments * SPENT

    def rules(self) -> list[tuple[str, int]]:
        """How many partitions each rule made, the most first."""
        return _counted(p.rule for p in self.partitions)

    def reasons(self) -> list[tuple[str, int]]:
        """How many ops each reason keeps out of partitions, the most first."""
        return _counted(op.code for op in self.outside if op.code)

    def find(self, name: str) -> list[Fusion | Moved | Outside]:
        """What became of the op called `name`. Raises AutosplitError, with the nearest name, if unknown."""
        ops: list[Fusion | Moved | Outside] = [
            p for p in self.partitions if name in {p.name, *(op.name for op in p.ops)}
        ]
        ops += [op for op in (*self.moves, *self.outside) if op.name == name]
        if not ops:
            names = [op.name for p in self.partitions for op in p.ops]
            names += [op.name for op in (*self.moves, *self.outside)]
            raise AutosplitError(
                f"there is no op called {name!r}{choice(name, list(dict.fromkeys(names)))}"
            )
        return ops

    def to_json(self, only: list[Fusion | Moved | Outside] | None = None) -> dict[str, Json]:
        """Everything as JSON values; `only` restricts the ops."""
        partitions = [p for p in self.partitions if only is None or p in only]
        outside = [op for op in self.outside if only is None or op in only]
        measured: dict[str, Json] = {"tuned": self.tuned} if self.tuned else {}
        moves = [op for op in self.moves if only is None or op in only]
        return {
            "version": self.version,
            "policy": self.policy,
            **measured,
            "stages": [cast("Json", asdict(s)) for s in self.stages],
            "rules": dict[str, Json](self.rules()),
            "reasons": dict[str, Json](self.reasons()),
            "partitions": [cast("Json", asdict(p)) for p in partitions],
            "moves": [cast("Json", asdict(op)) for op in moves],
            "outside": [cast("Json", asdict(op)) for op in outside],
        }


def _counted(items: Iterator[str]) -> list[tuple[str, int]]:
    return sorted(Counter(items).items(), key=lambda item: (-item[1], item[0]))


def explain_int8(module: ModuleOp) -> Int8Explanation:
    """Reads an outlined plan. Raises AutosplitError for a module that is none."""
    from autosplit.folder.infos_writer import Outline, plan_json

    outline = Outline.of(module)
    plan = plan_json(module)
    stages: list[Stage] = []
    partitions: list[Fusion] = []
    outside: list[Outside] = []
    moves: list[Moved] = []
    for func in outline.graphs:
        fusions = [_fusion(func, p) for p in partitions_of(func)]
        outside_ops = list(_outside(func))
        name, device = func.sym_name.data, func.target.kind.data
        ops = sum(len(p.ops) for p in fusions) + len(outside_ops)
        stages.append(Stage(name, device, len(fusions), ops))
        partitions += fusions
        if func.target.is_dnnl:
            moves += [Moved(op.name, op.type, op.graph) for op in outside_ops]
        else:
            outside += outside_ops
    if not functions(module):
        raise AutosplitError("the module is not a plan: it has no device.func")
    return Int8Explanation(
        _text(plan, "version"),
        _text(plan, "policy"),
        stages,
        partitions,
        outside,
        _text(plan, "tuned"),
        moves,
    )


def _text(plan: Mapping[str, Json], key: str) -> str:
    value = plan.get(key)
    return value if isinstance(value, str) else ""


def _fusion(func: FuncOp, partition: PartitionOp) -> Fusion:
    from autosplit.dialects.platform import location_names
    from autosplit.lowering.dnnl.work import multiply_adds

    constants = set(partition.constant_indices)
    code, text = _reason_of(partition)
    return Fusion(
        name=partition.identity,
        graph=func.sym_name.data,
        rule=partition.rule.data,
        ops=tuple(
            Member(op.kind, next(iter(location_names(op.location)), ""))
            for op in partition.body_ops
        ),
        operands=tuple(
            f"{value.type}{', constant' if i in constants else ''}"
            for i, value in enumerate(partition.inputs)
        ),
        results=tuple(str(type) for type in partition.result_types),
        code=code,
        text=text,
        work=multiply_adds(partition),
    )


def _outside(func: FuncOp) -> Iterator[Outside]:
    from autosplit.dialects.platform import PlatformOp, identity_of, location_names

    for op in func.body.block.ops:
        if not isinstance(op, PlatformOp) or op.IS_CONSTANT:
            continue
        code, text = _reason_of(op)
        # What oneDNN's dialect gave back has no node name, but still says where it is from.
        name = next(iter(location_names(op.location)), identity_of(op))
        yield Outside(name, op.op_type, func.sym_name.data, code, text)


def output_scales(module: ModuleOp) -> dict[str, float]:
    """For each output of a plan that a dequantize makes, per tensor: its scale, the step of its values."""
    from xdsl.ir import OpResult

    from autosplit.dialects.device import CallOp, FuncOp

    funcs = {f.sym_name.data: f for f in functions(module)}
    scales: dict[str, float] = {}
    for name, value in funcs[FuncOp.HOST].outputs:
        if not isinstance(value, OpResult) or not isinstance(call := value.op, CallOp):
            continue
        results = funcs[call.callee.root_reference.data].outputs
        scale = _scale_of(results[value.index][1])
        if scale is not None:
            scales[name] = scale
    return scales


def _scale_of(value: SSAValue) -> float | None:
    """The scale of the dequantize, in oneDNN or ONNX Runtime, that makes a value of a sub-model."""
    from xdsl.ir import OpResult

    from autosplit.dialects.dnnl import DnnlOp, PartitionOp
    from autosplit.dialects.onnx.ops import OnnxOp, constant_array

    owner = value.owner
    if isinstance(owner, PartitionOp) and isinstance(value, OpResult):
        producer = owner.returned[value.index].owner
        if not isinstance(producer, DnnlOp) or producer.kind != "Dequantize":
            return None
        scales = producer.attrs.get("scales")
        values = list(scales) if isinstance(scales, Sequence) else []
        return float(values[0]) if len(values) == 1 else None
    if isinstance(owner, OnnxOp) and owner.op_type == "DequantizeLinear":
        array = constant_array(owner.operands[1], None)
        return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None
    return None


def _reason_of(op: Operation) -> tuple[str, str]:
    """Code and text of the reason of an op; "" where nothing says one."""
    reason = outside_reason(op)
    return ("", "") if reason is None else (reason.code.data, reason.text.data)


def outside_reason(op: Operation) -> ReasonAttr | None:
    """Why an op is in no partition, or a cast in one by itself; None if nothing says so."""
    from autosplit.dialects.device import ReasonAttr

    for key in REASONS:
        if isinstance(reason := op.attributes.get(key), ReasonAttr):
            return reason
    return None
