"""device-cluster: which sub-model each op belongs to.

The ops are contracted to atoms (what must stay together: a loop, a quantized group, both ends of a value
that may not cross a border), and `lowering/device/stages.py` gives every atom a stage.

Integers that are known beforehand cross no border: sub-models that read them have them as constants. So
they impose no order, and ops that compute nothing else are not atoms. Once there is a plan, such an op
goes to a sub-model that reads it and already has its operands, or to none.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.units import counted
from autosplit.devices import DEFAULT_CHIP, DEFAULT_KEEP
from autosplit.dialects.device import Kind, ReasonAttr, TargetAttr
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    LocalType,
    PlatformGraph,
    element_type,
    external_operands,
    identity_of,
    is_member,
    platform_graph,
)
from autosplit.lowering.device.place import accepts
from autosplit.lowering.device.stage_graph import InfeasibleError
from autosplit.lowering.device.stages import (
    HOST,
    Point,
    Problem,
    StagePlan,
    Values,
    contract_cycles,
    fewest,
    fixed,
)
from autosplit.lowering.device.work import MOVES
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.types import known_elements
from autosplit.platforms import platform_of

ON: Mapping[str, str] = {Kind.tpu: "on the TPU", Kind.dnnl: "in oneDNN"}
"""Where an op would be if it were not on the CPU."""

MAX_AMOUNT = 1 << 50
"""The most that bytes and multiply-adds count as, so that their sums fit into 64 bits."""


@dataclass
class Atoms:
    """The ops of a graph that are given a stage, and which of them must stay together."""

    ops: list[Operation] = field(default_factory=list[Operation])
    index: dict[Operation | Block, int] = field(default_factory=dict[Operation | Block, int])
    edges: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    ties: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    why: dict[int, str] = field(default_factory=dict[int, str])
    """Why ops are tied, in words."""
    optional: set[Operation] = field(default_factory=set[Operation])
    """Ops that are not atoms, since only those of their results are read that are known beforehand."""

    def tie(self, a: int, b: int, why: str) -> None:
        self.ties.append((a, b))
        self.why.setdefault(a, why)
        self.why.setdefault(b, why)


def collect_atoms(module: ModuleOp, *, groups: bool = True) -> Atoms:
    """The ops of a placed module, the edges between them, and what ties them together.

    `groups`: whether quantized groups stay together too.
    """
    graph = platform_graph(module)
    platform = platform_of(module)
    inputs = {value for _, value in graph.graph_inputs()}
    returned = {value for _, value in graph.graph_outputs()}
    members = [
        op
        for op in graph.body_ops()
        if is_member(op)
        and inputs.isdisjoint(op.results)
        and not ("device.constant" in op.attributes and returned.isdisjoint(op.results))
    ]
    atoms = Atoms(optional=_optional_ops(members, returned))
    for op in members:
        if op not in atoms.optional:
            atoms.index[op] = len(atoms.ops)
            atoms.ops.append(op)
    first_of_loop: dict[str, int] = {}
    for user, op in enumerate(atoms.ops):
        for value in external_operands(op):
            if (producer := atoms.index.get(value.owner)) is None or producer == user:
                continue
            if _is_constant(value) or is_known(value):
                continue
            atoms.edges.append((producer, user))
            if isinstance(value.type, LocalType):
                atoms.tie(producer, user, f"a {value.type} may not leave its sub-model")
            elif (kind := element_type(value.type)) is not None and not platform.crosses(kind):
                atoms.tie(
                    producer, user, f"no array of {kind} can be taken from one sub-model to another"
                )
        if isinstance(loop := op.attributes.get("device.loop"), StringAttr):
            head = first_of_loop.setdefault(loop.data, user)
            what: str = getattr(platform, "frame_title", "is part of the loop")
            atoms.tie(head, user, f"it {what} {loop.data!r}")
    if groups:
        _tie_quantized_groups(atoms)
    return atoms


def _optional_ops(members: Sequence[Operation], returned: Container[SSAValue]) -> set[Operation]:
    """The ops that no sub-model needs, because they have no readers, or these can read constants instead.

    Those with known results only or without readers, and those that nothing but such ops reads.
    """
    inside = set(members)
    optional = {
        op
        for op in members
        if (_is_known(op) or not _users(op)) and op.results and _is_free(op, returned)
    }
    pending = [value.owner for op in optional for value in external_operands(op)]
    while pending:
        op = pending.pop()
        if not isinstance(op, Operation) or op in optional or op not in inside:
            continue
        if _is_free(op, returned) and all(user in optional for user in _users(op)):
            optional.add(op)
            pending += [value.owner for value in external_operands(op)]
    return optional


def _is_free(op: Operation, returned: Container[SSAValue]) -> bool:
    """Whether only the readers inside the model need an op: no caller does, and no loop."""
    if "device.loop" in op.attributes or any(result in returned for result in op.results):
        return False
    # An op that changes a handle may matter even if nobody reads it; ONNX ops change nothing.
    has_handle = any(isinstance(result.type, LocalType) and result.uses for result in op.results)
    return isinstance(op, OnnxOp) or not has_handle


def _users(op: Operation) -> set[Operation]:
    """The ops of the top-level graph that read an op, themselves or in their bodies."""
    return {_top_level(use.operation) for result in op.results for use in result.uses}


QUANTIZE = "QuantizeLinear"
DEQUANTIZE = "DequantizeLinear"


def _tie_quantized_groups(atoms: Atoms) -> None:
    """Ties dequantizes, op, epilogue and quantize, so that no cut destroys a fusion.

    A dequantize with several users belongs to no group: each user would need its own. From a quantize the
    group goes back over values with one user, to the first op that reads a dequantized value.
    """
    why = "it is part of a quantized group"
    for index, op in enumerate(atoms.ops):
        if _kind(op) == DEQUANTIZE and (user := _only_user(op, atoms)) is not None:
            atoms.tie(index, user, why)
        if _kind(op) != QUANTIZE:
            continue
        chain = [index]
        producer = _producer(op.operands[0], atoms)
        while producer is not None and _only_user(producer, atoms) is not None:
            chain.append(atoms.index[producer])
            if any(_kind(v.owner) == DEQUANTIZE for v in producer.operands):
                for a, b in pairwise(chain):
                    atoms.tie(b, a, why)
                break
            producer = _producer(producer.operands[0], atoms) if producer.operands else None


def _kind(op: object) -> str:
    """The framework's name of a kind of op; "" for ops of other dialects, and for blocks."""
    return getattr(op, "op_type", "")


def _only_user(op: Operation, atoms: Atoms) -> int | None:
    users = {atoms.index.get(user) for user in _users(op)}
    return users.pop() if len(users) == 1 else None


def _producer(value: SSAValue, atoms: Atoms) -> Operation | None:
    index = atoms.index.get(value.owner)
    return None if index is None else atoms.ops[index]


def _top_level(op: Operation) -> Operation:
    """The op of the top-level graph that is or contains `op`."""
    while (graph := op.parent_op()) is not None and graph.parent_op() is not None:
        if isinstance(graph, PlatformGraph) and isinstance(graph.parent_op(), ModuleOp):
            return op
        op = graph
    return op


def size_in_bytes(type: Attribute) -> int:
    """The bytes of a tensor; unknown dimensions count as 1, unknown element types as 4 bytes."""
    kind = element_type(type)
    bits = kind.bitwidth if isinstance(kind, FixedBitwidthType) else 32
    return -(-known_elements(type) * bits // 8)


def make_problem(module: ModuleOp, atoms: Atoms, device: str = Kind.tpu) -> Problem:
    """The clustering problem of a placed module, one atom for each op; ties are contracted later.

    `device` is what `lowering/device/stages.py` calls the TPU: the one beside the CPU.
    """
    graph = platform_graph(module)
    returned = {value for _, value in graph.graph_outputs()}
    readers: dict[SSAValue, list[int]] = {}
    for index, op in enumerate(atoms.ops):
        for value in external_operands(op):
            if not _is_constant(value) and not is_known(value):
                readers.setdefault(value, []).append(index)
    rows: list[tuple[int, list[int], int, bool]] = []
    for value in dict.fromkeys([*readers, *returned_in_order(graph)]):
        producer = atoms.index.get(value.owner, HOST)
        amount = min(size_in_bytes(value.type), MAX_AMOUNT)
        rows.append((producer, readers.get(value, []), amount, value in returned))
    devices = [accepts(op) for op in atoms.ops]
    return Problem(
        count=len(atoms.ops),
        edges=np.array(atoms.edges, dtype=np.int64).reshape(-1, 2),
        cpu=np.array(["cpu" in d for d in devices], dtype=np.bool_),
        tpu=np.array([device in d for d in devices], dtype=np.bool_),
        work=np.array([min(work_of(op), MAX_AMOUNT) for op in atoms.ops], dtype=np.int64),
        ops=np.ones(len(atoms.ops), dtype=np.int64),
        values=Values.of(rows),
    )


def returned_in_order(graph: PlatformGraph) -> list[SSAValue]:
    """The values that the model returns, each once."""
    return list(dict.fromkeys(value for _, value in graph.graph_outputs()))


def _is_constant(value: SSAValue) -> bool:
    """Whether each reader of a value has a copy of its own, even where the model returns it."""
    return "device.constant" in getattr(value.owner, "attributes", {})


def is_known(value: SSAValue) -> bool:
    """Whether a value is known beforehand: other sub-models have it as a constant."""
    return isinstance(value.owner, Operation) and _is_known(value.owner)


def _is_known(op: Operation) -> bool:
    return "device.value" in op.attributes


def work_of(op: Operation) -> int:
    """The multiply-adds that `device-place` found in an op."""
    attr = op.attributes.get("device.work")
    return attr.value.data if isinstance(attr, IntegerAttr) else 0


def _solve(
    problem: Problem, atoms: Atoms, options: DeviceClusterPass
) -> tuple[StagePlan, list[Point], list[int]]:
    """The plan, the curve, and the atom that each op became part of."""
    ties = np.array(atoms.ties, dtype=np.int64).reshape(-1, 2)
    try:
        contracted, label = contract_cycles(problem, ties)
        if options.objective == "fixed":
            return fixed(contracted), [], label.tolist()
        keep = options.keep if _is_worth_splitting(contracted, atoms, options.device) else 0.0
        return *fewest(contracted, keep, options.max_stages), label.tolist()
    except InfeasibleError as error:
        names = ", ".join(repr(identity_of(atoms.ops[m])) for m in error.members[:4])
        raise PassFailedException(f"{error}{f' ({names})' if names else ''}") from None


def _is_worth_splitting(problem: Problem, atoms: Atoms, device: str) -> bool:
    """Whether the device can take work, so that more sub-models may be worth it.

    If no work is known at all, ops whose work only a run can tell count as having some.
    """
    if problem.work.any():
        return bool(problem.work[problem.tpu].any())
    ops = [op for op in atoms.ops if device in accepts(op)]
    return any("device.uncounted" in op.attributes for op in ops)


def settle(
    module: ModuleOp, atoms: Atoms, stages: Sequence[int], plan: StagePlan, device: str = Kind.tpu
) -> dict[Operation, int]:
    """The stages of the optional ops that stay in the model; the plan never changes for them.

    An op stays in a stage that reads it, if any does, and that has all its operands anyway.
    """
    order = [
        op for op in data_order(platform_graph(module).regions[0].block) if op in atoms.optional
    ]
    stage_of = {op: stages[index] for index, op in enumerate(atoms.ops)}
    devices = [device if name == "tpu" else name for name in plan.devices]
    present = {op: {s for s, name in enumerate(devices) if name in accepts(op)} for op in order}
    for op in order:
        for value in external_operands(op):
            if not _is_constant(value):
                present[op] &= _holders(value, stage_of, present)
    settled: dict[Operation, int] = {}
    for op in reversed(order):
        users = _users(op)
        readers = {stage_of.get(user, settled.get(user)) for user in users}
        if candidates := sorted(present[op] & readers if users else present[op]):
            settled[op] = candidates[0]
    while bad := [op for op in settled if not _is_settled(op, settled, stage_of, atoms.optional)]:
        for op in bad:
            del settled[op]
    return settled


def _holders(
    value: SSAValue, stage_of: Mapping[Operation, int], present: Mapping[Operation, set[int]]
) -> set[int]:
    """The stages that hold a value, whether or not an optional op reads it there."""
    if isinstance(value.owner, Operation) and value.owner in present:
        return present[value.owner]
    stages = {
        stage_of[user] for use in value.uses if (user := _top_level(use.operation)) in stage_of
    }
    if is_known(value):
        # Elsewhere it is a constant, of which nothing needs to be computed.
        stages.clear()
    if isinstance(value.owner, Operation) and (stage := stage_of.get(value.owner)) is not None:
        stages.add(stage)
    return stages


def _is_settled(
    op: Operation,
    settled: Mapping[Operation, int],
    stage_of: Mapping[Operation, int],
    optional: Container[Operation | Block],
) -> bool:
    """Whether an optional op's operands and one of its readers are in its stage."""
    stage = settled[op]
    producers = [v.owner for v in external_operands(op) if v.owner in optional]
    if any(isinstance(p, Operation) and settled.get(p) != stage for p in producers):
        return False
    users = _users(op)
    return not users or any(stage_of.get(user, settled.get(user)) == stage for user in users)


def _is_idle(problem: Problem, atoms: Atoms) -> bool:
    """Whether the model computes nothing: it multiplies nothing, and what the TPU takes only moves data."""
    if problem.work.any():
        return False
    movable: list[int] = np.flatnonzero(problem.tpu & problem.cpu).tolist()
    return all(_kind(atoms.ops[index]) in MOVES for index in movable)


def _explain_moves(
    atoms: Atoms,
    stages: list[int],
    plan: StagePlan,
    curve: list[Point],
    label: list[int],
    device: str,
) -> None:
    """Notes why ops that the device accepts are not there. No curve: the model is idle."""
    refused: dict[int, Operation] = {}
    for index, op in enumerate(atoms.ops):
        if device not in accepts(op):
            refused.setdefault(label[index], op)
    for index, op in enumerate(atoms.ops):
        op.attributes.pop("device.moved", None)
        if plan.devices[stages[index]] == "tpu" or device not in accepts(op):
            continue
        if (culprit := refused.get(label[index])) is not None:
            why = atoms.why.get(index, "they depend on each other in a cycle")
            text = f"goes where {_kind(culprit)} {identity_of(culprit)!r} goes: {why}"
            op.attributes["device.moved"] = ReasonAttr.of("tied", text)
            continue
        if not curve:
            text = f"the model only moves data, which gains nothing {ON[device]}"
            op.attributes["device.moved"] = ReasonAttr.of("no-work", text)
            continue
        op.attributes["device.moved"] = ReasonAttr.of("fewest", _kept_few(plan, curve, device))


def _explain_settled(settled: Mapping[Operation, int], plan: StagePlan, device: str) -> None:
    for op, stage in settled.items():
        op.attributes.pop("device.moved", None)
        if plan.devices[stage] != "tpu" and device in accepts(op):
            op.attributes["device.moved"] = ReasonAttr.of("known", _why_settled(op))


def _why_settled(op: Operation) -> str:
    if not _users(op):
        return "nobody reads it; it stays where its operands are"
    if _is_known(op):
        return "its results are known beforehand; it stays where they are read"
    return "all that is read of it is known beforehand; it stays where that is read"


def _kept_few(plan: StagePlan, curve: list[Point], device: str) -> str:
    """Why an op that the device accepts, and that nothing ties to another, is on the CPU."""
    few, last = len(plan.devices), curve[-1]
    enough = counted(few, "sub-model is enough", "sub-models are enough")
    # The curve ends where everything is on the TPU, or at `max_stages`.
    bound = "up to" if last.ops == plan.ops_possible else "more than"
    return (
        f"left on the CPU so that {enough}; {ON[device]} it would make them {bound} {last.stages}"
    )


def _plan_attr(plan: StagePlan, curve: list[Point], options: DeviceClusterPass) -> DictionaryAttr:
    def integer(value: int) -> IntegerAttr:
        return IntegerAttr(value, i64)

    chip = options.target if options.device == Kind.tpu else ""
    other = TargetAttr.of(options.device, chip)
    targets = [other if device == "tpu" else TargetAttr.of(device) for device in plan.devices]
    if options.objective == "fixed":
        return DictionaryAttr(
            {
                "objective": StringAttr(options.objective),
                "target": StringAttr(chip or options.device),
                "stages": ArrayAttr(targets),
            }
        )
    points = [
        DictionaryAttr(
            {"sub_models": integer(p.stages), "work": integer(p.work), "ops": integer(p.ops)}
        )
        for p in curve
    ]
    return DictionaryAttr(
        {
            "objective": StringAttr(options.objective),
            "target": StringAttr(chip or options.device),
            "keep": FloatAttr(options.keep, f64),
            "stages": ArrayAttr(targets),
            "work_on_tpu": integer(plan.work_on_tpu),
            "work_possible": integer(plan.work_possible),
            "ops_on_tpu": integer(plan.ops_on_tpu),
            "ops_possible": integer(plan.ops_possible),
            "curve": ArrayAttr(points),
        }
    )


def plan_of(module: ModuleOp) -> dict[str, Attribute]:
    """The entries of a module's `device.plan`. Raises PassFailedException where it has none."""
    plan = module.attributes.get("device.plan")
    if not isinstance(plan, DictionaryAttr):
        raise PassFailedException("found no device.plan in the module: run device-cluster first")
    return dict(plan.data)


def _is_placed(op: Operation) -> bool:
    return "device.accepts" in op.attributes or "device.constant" in op.attributes


@dataclass(frozen=True)
class DeviceClusterPass(ModulePass):
    """Every op belongs to a stage, `device.stage`; the plan is the module's `device.plan`.

    The plan has the fewest sub-models that keep the requested share of the work on the TPU and, among
    those, the most work there; its curve shows other numbers of sub-models. If the TPU can do no
    multiply-adds, the plan has as few sub-models as possible: without pins just one, on the CPU unless
    the TPU takes all of it. Ops that the TPU accepts but that run on the CPU have the reason in
    `device.moved`.
    """

    name = "device-cluster"

    objective: Literal["fewest", "fixed"] = "fewest"
    """What the plan optimizes; `fixed`: every op has one device, and the plan has the fewest
    sub-models."""
    keep: float = DEFAULT_KEEP
    """The share of the possible multiply-adds that must stay on the device."""
    max_stages: int = 9
    """The largest number of sub-models."""
    target: str = DEFAULT_CHIP
    """The chip that TPU stages are for."""
    device: Literal["tpu", "dnnl"] = "tpu"
    """The device beside the CPU."""

    @classmethod
    def as_planned(cls, module: ModuleOp, max_stages: int) -> DeviceClusterPass:
        """The pass that clusters `module` again in the way its plan records.

        Raises PassFailedException where it has no plan.
        """
        plan = plan_of(module)
        device = "dnnl" if plan.get("target") == StringAttr("dnnl") else "tpu"
        objective = "fixed" if plan.get("objective") == StringAttr("fixed") else "fewest"
        target, keep = plan.get("target"), plan.get("keep")
        return cls(
            objective=objective,
            keep=keep.value.data if isinstance(keep, FloatAttr) else cls.keep,
            max_stages=max_stages,
            target=target.data if isinstance(target, StringAttr) else cls.target,
            device=device,
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for member in platform_graph(op).body_ops():
            member.attributes.pop("device.folded", None)
            member.attributes.pop("device.stage", None)
        atoms = collect_atoms(op, groups=self.objective != "fixed")
        if atoms.ops and not any(_is_placed(member) for member in atoms.ops):
            raise PassFailedException("no op has a placement: run device-place first")
        problem = make_problem(op, atoms, self.device)
        is_idle = self.objective != "fixed" and _is_idle(problem, atoms)
        if is_idle:
            problem = replace(problem, tpu=problem.tpu & ~problem.cpu)
        plan, curve, label = _solve(problem, atoms, self)
        stages = [int(plan.stages[a]) for a in label]
        settled = settle(op, atoms, stages, plan, self.device)
        for member, stage in [*zip(atoms.ops, stages, strict=True), *settled.items()]:
            member.attributes["device.stage"] = IntegerAttr(stage, i64)
        for member in atoms.optional - settled.keys():
            member.attributes["device.folded"] = UnitAttr()
        if self.objective != "fixed":
            _explain_moves(atoms, stages, plan, [] if is_idle else curve, label, self.device)
            _explain_settled(settled, plan, self.device)
        op.attributes["device.plan"] = _plan_attr(plan, curve, self)
