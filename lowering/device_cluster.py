"""device-cluster: which sub-model each op belongs to.

The ops are contracted to atoms (what must stay together: a loop, a quantized group, both ends of a value
that may not cross a border), and `lowering/stages.py` gives every atom a stage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
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
    TensorType,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.device import Kind, ReasonAttr, TargetAttr
from autosplit.dialects.platform import (
    LocalType,
    PlatformGraph,
    element_type,
    external_operands,
    identity_of,
    is_member,
    platform_graph,
)
from autosplit.lowering.device_place import accepts
from autosplit.lowering.stages import (
    HOST,
    InfeasibleError,
    Plan,
    Point,
    Problem,
    Values,
    contract_cycles,
    fewest,
    fixed,
)

CODES = {
    "tied": "the op may not be parted from one that the TPU does not take",
    "fewest": "having the op on the TPU would take more sub-models than the plan has",
}
"""The codes of the reasons for which an op that the TPU accepts is on the CPU, and what each means."""


@dataclass
class Atoms:
    """The ops of a graph that have a place of their own, and which of them may not be parted."""

    ops: list[Operation] = field(default_factory=list[Operation])
    index: dict[Operation | Block, int] = field(default_factory=dict[Operation | Block, int])
    edges: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    ties: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    why: dict[int, str] = field(default_factory=dict[int, str])
    """For ops that are tied: what to, in words."""

    def tie(self, a: int, b: int, why: str) -> None:
        self.ties.append((a, b))
        self.why.setdefault(a, why)
        self.why.setdefault(b, why)


def collect_atoms(module: ModuleOp, *, groups: bool = True) -> Atoms:
    """The ops of a placed module, the edges between them, and what ties them together.

    `groups`: whether quantized groups stay together too.
    """
    graph = platform_graph(module)
    inputs = {value for _, value in graph.graph_inputs()}
    returned = {value for _, value in graph.graph_outputs()}
    atoms = Atoms()
    for op in graph.body_ops():
        if not is_member(op) or not inputs.isdisjoint(op.results):
            continue
        if "device.constant" in op.attributes and returned.isdisjoint(op.results):
            continue
        if "device.folded" in op.attributes:
            continue
        atoms.index[op] = len(atoms.ops)
        atoms.ops.append(op)
    first_of_loop: dict[str, int] = {}
    for user, op in enumerate(atoms.ops):
        for value in external_operands(op):
            if (maker := atoms.index.get(value.owner)) is None or maker == user:
                continue
            if _is_constant(value):
                continue
            atoms.edges.append((maker, user))
            if isinstance(value.type, LocalType):
                atoms.tie(maker, user, f"a {value.type} may not leave its sub-model")
        if isinstance(loop := op.attributes.get("device.loop"), StringAttr):
            head = first_of_loop.setdefault(loop.data, user)
            atoms.tie(head, user, f"it is part of the loop {loop.data!r}")
    if groups:
        _tie_quantized_groups(atoms)
    return atoms


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
        maker = _maker(op.operands[0], atoms)
        while maker is not None and _only_user(maker, atoms) is not None:
            chain.append(atoms.index[maker])
            if any(_kind(v.owner) == DEQUANTIZE for v in maker.operands):
                for a, b in pairwise(chain):
                    atoms.tie(b, a, why)
                break
            maker = _maker(maker.operands[0], atoms) if maker.operands else None


def _kind(op: object) -> str:
    """The framework's name of a kind of op; "" for ops of other dialects, and for blocks."""
    return getattr(op, "op_type", "")


def _only_user(op: Operation, atoms: Atoms) -> int | None:
    users = {atoms.index.get(_top_level(use.operation)) for r in op.results for use in r.uses}
    return users.pop() if len(users) == 1 else None


def _maker(value: SSAValue, atoms: Atoms) -> Operation | None:
    index = atoms.index.get(value.owner)
    return None if index is None else atoms.ops[index]


def _top_level(op: Operation) -> Operation:
    """The op of the model's own graph that `op` is, or is inside of."""
    while (graph := op.parent_op()) is not None and graph.parent_op() is not None:
        if isinstance(graph, PlatformGraph) and isinstance(graph.parent_op(), ModuleOp):
            return op
        op = graph
    return op


def size_in_bytes(type: Attribute) -> int:
    """The bytes of a tensor; unknown dimensions count as 1, unknown element types as 4 bytes."""
    kind = element_type(type)
    bits = kind.bitwidth if isinstance(kind, FixedBitwidthType) else 32
    if not isinstance(type, TensorType):
        return -(-bits // 8)
    return -(-prod(max(d, 1) for d in type.get_shape()) * bits // 8)


def make_problem(module: ModuleOp, atoms: Atoms, device: str = Kind.tpu) -> Problem:
    """The clustering problem of a placed module, one atom for each op; ties are contracted later.

    `device` is what `lowering/stages.py` calls the TPU: the one beside the CPU.
    """
    graph = platform_graph(module)
    returned = {value for _, value in graph.graph_outputs()}
    readers: dict[SSAValue, list[int]] = {}
    for index, op in enumerate(atoms.ops):
        for value in external_operands(op):
            if not _is_constant(value):
                readers.setdefault(value, []).append(index)
    rows: list[tuple[int, list[int], int, bool]] = []
    for value in dict.fromkeys([*readers, *returned_in_order(graph)]):
        maker = atoms.index.get(value.owner, HOST)
        small = _is_shape_value(value)
        rows.append(
            (
                maker,
                readers.get(value, []),
                0 if small else size_in_bytes(value.type),
                value in returned,
            )
        )
    devices = [accepts(op) for op in atoms.ops]
    return Problem(
        count=len(atoms.ops),
        edges=np.array(atoms.edges, dtype=np.int64).reshape(-1, 2),
        cpu=np.array(["cpu" in d for d in devices], dtype=np.bool_),
        tpu=np.array([device in d for d in devices], dtype=np.bool_),
        work=np.array([work_of(op) for op in atoms.ops], dtype=np.int64),
        ops=np.ones(len(atoms.ops), dtype=np.int64),
        values=Values.of(rows),
    )


def returned_in_order(graph: PlatformGraph) -> list[SSAValue]:
    """The values that the model returns, each once."""
    return list(dict.fromkeys(value for _, value in graph.graph_outputs()))


def _is_constant(value: SSAValue) -> bool:
    """Whether each reader of a value has a copy of its own, even where the model returns it."""
    return "device.constant" in getattr(value.owner, "attributes", {})


def _is_shape_value(value: SSAValue) -> bool:
    """Whether a value is known beforehand: it crosses as a constant, which costs nothing."""
    return "device.value" in getattr(value.owner, "attributes", {})


def work_of(op: Operation) -> int:
    """The multiply-adds that `device-place` found in an op."""
    attr = op.attributes.get("device.work")
    return attr.value.data if isinstance(attr, IntegerAttr) else 0


def _solve(
    problem: Problem, atoms: Atoms, options: DeviceClusterPass
) -> tuple[Plan, list[Point], list[int]]:
    """The plan, the curve, and the atom that each op became part of."""
    ties = np.array(atoms.ties, dtype=np.int64).reshape(-1, 2)
    try:
        contracted, label = contract_cycles(problem, ties)
        if options.objective == "fixed":
            return fixed(contracted), [], label.tolist()
        work, keep = contracted.work, options.keep
        # Without work that the TPU could take, from a model that has some, a sub-model there is not worth it.
        if work.any() and not work[contracted.tpu].any():
            keep = 0.0
        return *fewest(contracted, keep, options.max_stages), label.tolist()
    except InfeasibleError as error:
        names = ", ".join(repr(identity_of(atoms.ops[m])) for m in error.members[:4])
        raise PassFailedException(f"{error}{f' ({names})' if names else ''}") from None


def _unread(module: ModuleOp, atoms: Atoms, stages: list[int], plan: Plan) -> list[Operation]:
    """The ops that nobody would read, since their readers have a known value as a constant.

    A known value does not cross the border of a TPU sub-model, and what only it was computed from is not
    needed either; left in the plan, such an op could be a sub-model that gives nothing.
    """
    returned = set(returned_in_order(platform_graph(module)))
    unread: dict[int, Operation] = {}
    for index in reversed(range(len(atoms.ops))):
        op = atoms.ops[index]
        users = {_top_level(use.operation) for result in op.results for use in result.uses}
        if not users or not returned.isdisjoint(op.results):
            continue
        live = [i for u in users if (i := atoms.index.get(u)) is not None and i not in unread]
        if "device.value" in op.attributes:
            own = plan.devices[stages[index]]
            live = [
                i
                for i in live
                if stages[i] == stages[index] or "tpu" not in (plan.devices[stages[i]], own)
            ]
        if not live:
            unread[index] = op
    return list(unread.values())


def _explain_moves(
    atoms: Atoms, stages: list[int], plan: Plan, curve: list[Point], label: list[int]
) -> None:
    """Says of every op that the TPU accepts, and that is not there, why."""
    refused: dict[int, Operation] = {}
    for index, op in enumerate(atoms.ops):
        if "tpu" not in accepts(op):
            refused.setdefault(label[index], op)
    for index, op in enumerate(atoms.ops):
        op.attributes.pop("device.moved", None)
        if plan.devices[stages[index]] == "tpu" or "tpu" not in accepts(op):
            continue
        if (culprit := refused.get(label[index])) is not None:
            why = atoms.why.get(index, "they depend on each other in a cycle")
            text = f"goes where {_kind(culprit)} {identity_of(culprit)!r} goes: {why}"
            op.attributes["device.moved"] = ReasonAttr.of("tied", text)
            continue
        op.attributes["device.moved"] = ReasonAttr.of("fewest", _kept_few(plan, curve))


def _kept_few(plan: Plan, curve: list[Point]) -> str:
    """Why an op that the TPU accepts, and that nothing ties to another, is on the CPU."""
    few, last = len(plan.devices), curve[-1]
    enough = "1 sub-model is enough" if few == 1 else f"{few} sub-models are enough"
    # The curve ends where all is on the TPU, or where it was told to.
    bound = "up to" if last.ops == plan.ops_possible else "more than"
    return f"left on the CPU so that {enough}; on the TPU it would make them {bound} {last.stages}"


def _plan_attr(plan: Plan, curve: list[Point], options: DeviceClusterPass) -> DictionaryAttr:
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
            "target": StringAttr(chip),
            "keep": FloatAttr(options.keep, f64),
            "stages": ArrayAttr(targets),
            "work_on_tpu": integer(plan.work_on_tpu),
            "work_possible": integer(plan.work_possible),
            "ops_on_tpu": integer(plan.ops_on_tpu),
            "ops_possible": integer(plan.ops_possible),
            "curve": ArrayAttr(points),
        }
    )


def _is_placed(op: Operation) -> bool:
    return "device.accepts" in op.attributes or "device.constant" in op.attributes


@dataclass(frozen=True)
class DeviceClusterPass(ModulePass):
    """Every op belongs to a stage, `device.stage`; the plan is the module's `device.plan`.

    The plan has the fewest sub-models that keep the asked share of the work on the TPU, and of those the most
    work there; its curve says what other numbers of sub-models would do. Ops that the TPU accepts and that
    run on the CPU all the same say why, as `device.moved`.
    """

    name = "device-cluster"

    objective: Literal["fewest", "fixed"] = "fewest"
    """What the plan is the best for; `fixed`: every op has one device, the fewest sub-models for that."""
    keep: float = 0.95
    """The share of the possible multiply-adds that must stay on the TPU."""
    max_stages: int = 9
    """Sub-models at the most."""
    target: str = "bm1684"
    """The chip that TPU stages are for."""
    device: Literal["tpu", "dnnl"] = "tpu"
    """The device beside the CPU."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for member in platform_graph(op).body_ops():
            member.attributes.pop("device.folded", None)
            member.attributes.pop("device.stage", None)
        while True:
            atoms = collect_atoms(op, groups=self.objective != "fixed")
            if atoms.ops and not any(_is_placed(member) for member in atoms.ops):
                raise PassFailedException("no op has a placement: run device-place first")
            problem = make_problem(op, atoms, self.device)
            plan, curve, label = _solve(problem, atoms, self)
            stages = [int(plan.stages[a]) for a in label]
            if not (unread := _unread(op, atoms, stages, plan)):
                break
            for member in unread:
                member.attributes["device.folded"] = UnitAttr()
        for member, stage in zip(atoms.ops, stages, strict=True):
            member.attributes["device.stage"] = IntegerAttr(stage, i64)
        if self.objective != "fixed":
            _explain_moves(atoms, stages, plan, curve, label)
        op.attributes["device.plan"] = _plan_attr(plan, curve, self)
