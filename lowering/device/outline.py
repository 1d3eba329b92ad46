"""device-outline: cut the model where its stages meet.

In two steps, each a pattern. `FormRegions`: the model becomes a function `@main` in which each stage is a
`device.region` that takes what it reads as operands. `OutlineRegion`: each region becomes a `device.func` of
its own, and `@main` a line of calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.weights import store_for
from autosplit.dialects.device import (
    CallOp,
    FuncOp,
    Kind,
    ReasonAttr,
    RegionOp,
    ReturnOp,
    TargetAttr,
    YieldOp,
    items_of,
    reason_of,
)
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import (
    PlatformGraph,
    PlatformOp,
    external_operands,
    identity_of,
    is_member,
    platform_graph,
    value_name,
)
from autosplit.lowering.device.cluster import plan_of
from autosplit.lowering.device.confirmed import ConfirmedCut
from autosplit.lowering.infer_shapes.promises import PROMISED, is_promised
from autosplit.lowering.rewriting import Pattern, apply_to
from autosplit.platforms import platform_of


def stage_of(op: Operation) -> int | None:
    """The stage that `device-cluster` gave an op; None for constants, inputs and terminators."""
    attr = op.attributes.get("device.stage")
    return attr.value.data if isinstance(attr, IntegerAttr) else None


class _RegionFormer:
    """Rebuilds a placed and clustered graph as a host function of `device.region`s."""

    def __init__(self, module: ModuleOp, targets: Sequence[TargetAttr]):
        self.graph = platform_graph(module)
        self.platform = platform_of(module)
        self.store = store_for(module)
        self.targets = targets
        self.stages: dict[SSAValue, int] = {}
        self.values: dict[SSAValue, DenseIntOrFPElementsAttr] = {}
        self.readers: dict[SSAValue, set[int]] = {}
        self.members: list[list[Operation]] = [[] for _ in targets]
        self.border: dict[SSAValue, SSAValue] = {}
        """For each value that crosses: what carries it in @main."""
        self.final: dict[SSAValue, SSAValue] = {}
        """For each value that the model returns: what carries it in @main."""

    def form(self) -> FuncOp:
        self._survey()
        inputs = self.graph.graph_inputs()
        outputs = self.graph.graph_outputs()
        main = Block()
        for name, value in inputs:
            argument = _argument(main, value, name)
            self.border[value] = self.final[value] = argument
        returned = {value for _, value in outputs}
        for stage in range(len(self.targets)):
            main.add_op(self._region(stage, returned))
        main.add_op(ReturnOp([self.final[value] for _, value in outputs]))
        names = [name for name, _ in inputs], [name for name, _ in outputs]
        func = FuncOp(FuncOp.HOST, TargetAttr.of(Kind.host), *names, Region(main))
        dialect = self.graph.dialect_name()
        for key in self.graph.KEPT:
            if (attr := self.graph.properties.get(key)) is not None:
                func.attributes[f"{dialect}.{key}"] = attr
        return func

    def _survey(self) -> None:
        for op in self.graph.body_ops():
            if not is_member(op):
                continue
            values = items_of(op.attributes.get("device.value"))
            stage = stage_of(op)
            for i, result in enumerate(op.results):
                if stage is not None:
                    self.stages[result] = stage
                value = values[i] if values else None
                if isinstance(value, DenseIntOrFPElementsAttr):
                    self.values[result] = value
            if stage is None:
                continue
            self.members[stage].append(op)
            for value in external_operands(op):
                self.readers.setdefault(value, set()).add(stage)

    def _region(self, stage: int, returned: set[SSAValue]) -> RegionOp:
        ops = self.members[stage]
        inside = {result for op in ops for result in op.results}
        block = Block()
        mapping: dict[SSAValue, SSAValue] = {}
        captures: list[SSAValue] = []
        for value in dict.fromkeys(v for op in ops for v in external_operands(op)):
            if value in mapping or (value in inside and not self._stays(value)):
                continue
            if self._is_folded(value, stage):
                self._fold(value, block, mapping)
            elif self._stays(value):
                self._copy_constant(value, stage, block, mapping)
            elif value in self.border:
                name = self.platform.border(value)[0]
                mapping[value] = _argument(block, value, name)
                captures.append(self.border[value])
        # What the copied constants are computed from may be in the stage too, as an output of the model.
        copies = [op.clone(mapping) for op in ops if mapping.keys().isdisjoint(op.results)]
        block.add_ops(copies)
        for copy in copies:
            _rewire(copy, mapping)
        exported = self._export(ops, stage, block, mapping, returned)
        block.add_op(YieldOp(exported))
        region = RegionOp(self.targets[stage], captures, [v.type for v in exported], Region(block))
        _keep_hints(exported, region)
        self._carry(ops, exported, mapping, region)
        return region

    def _stays(self, value: SSAValue) -> bool:
        """Whether the value is a constant that goes into each sub-model that reads it."""
        owner = value.owner
        if not isinstance(owner, Operation) or not is_member(owner):
            return False
        # A constant that the model returns has a stage, but its readers have their own copies all the same.
        return "device.constant" in owner.attributes or (
            stage_of(owner) is None and value not in self.border
        )

    def _is_folded(self, value: SSAValue, stage: int) -> bool:
        """Whether a value is known and not made in the stage, which then has it as a constant."""
        return value in self.values and self.stages.get(value) != stage

    def _copy_constant(
        self, value: SSAValue, stage: int, block: Block, mapping: dict[SSAValue, SSAValue]
    ) -> None:
        """Copies the op that makes a constant, and what it is computed from, in front of its users."""
        pending = [value]
        chain: list[Operation] = []
        while pending:
            owner = pending.pop().owner
            if isinstance(owner, Operation) and owner.results[0] not in mapping:
                chain.append(owner)
                pending.extend(owner.operands)
        for owner in dict.fromkeys(reversed(chain)):
            copy = owner.clone(mapping)
            if stage_of(owner) != stage:
                copy.attributes.pop("device.stage", None)
            block.add_op(copy)

    def _fold(self, value: SSAValue, block: Block, mapping: dict[SSAValue, SSAValue]) -> None:
        name = self.platform.border(value)[0]
        array = tensor_array(self.values[value])
        if array is None:
            raise PassFailedException(f"{name}: cannot read its known value {self.values[value]}")
        constant = self.platform.constant(name, array, self.store)
        # It stands for the node that makes the value; another node may have the value's name.
        constant.location = (
            value.owner.location if isinstance(value.owner, Operation) else _named(name)
        )
        block.add_op(constant)
        mapping[value] = constant.results[0]

    def _export(
        self,
        ops: list[Operation],
        stage: int,
        block: Block,
        mapping: dict[SSAValue, SSAValue],
        returned: set[SSAValue],
    ) -> list[SSAValue]:
        """The values that leave a stage: those of the copies inside its region."""
        exported: list[SSAValue] = []
        for value in (result for op in ops for result in op.results):
            if value in returned:
                exported.append(mapping[value])
            later = [s for s in self.readers.get(value, ()) if s != stage]
            promised = is_promised(value)
            if not promised and not [s for s in later if not self._is_folded(value, s)]:
                continue
            _, renamed = self.platform.border(value)
            if renamed is None:
                if value not in returned:
                    exported.append(mapping[value])
                continue
            if promised:
                carrier = StringAttr(value_name(renamed.results[0]))
                renamed.attributes[PROMISED] = ArrayAttr([carrier])
            if not self.targets[stage].is_tpu:
                _explain_carrier(renamed, value.owner)
            _rewire(renamed, mapping)
            renamed.location = _named(value_name(value))
            block.add_op(renamed)
            exported.append(renamed.results[0])
            mapping[renamed.results[0]] = renamed.results[0]
            self.border[value] = renamed.results[0]
        return exported

    def _carry(
        self,
        ops: list[Operation],
        exported: list[SSAValue],
        mapping: dict[SSAValue, SSAValue],
        region: RegionOp,
    ) -> None:
        """Notes which results of the region stand for which values of the model."""
        outer = dict(zip(exported, region.results, strict=True))
        for value in (result for op in ops for result in op.results):
            region_result = outer.get(mapping[value])
            if region_result is not None:
                self.final[value] = region_result
            carried = self.border.get(value)
            if carried is not None and carried in outer:
                self.border[value] = outer[carried]
            elif region_result is not None:
                self.border[value] = region_result


def _explain_carrier(carrier: Operation, producer: Operation) -> None:
    """Notes on an op that carries a value out of a CPU sub-model that it goes where the producer goes."""
    reason = reason_of(producer)
    if reason is None:
        return
    if reason.code.data != "pinned":
        kind = producer.op_type if isinstance(producer, PlatformOp) else producer.name
        text = f"goes where {kind} {identity_of(producer)!r} goes: it carries a result of that to others"
        reason = ReasonAttr.of("tied", text)
    carrier.attributes["device.moved"] = reason


def _argument(block: Block, value: SSAValue, name: str) -> BlockArgument:
    """A new argument of `block` that carries `value`, called `name`."""
    argument = block.insert_arg(value.type, len(block.args), _named(name))
    argument.name_hint = value.name_hint
    return argument


def _keep_hints(values: Sequence[SSAValue], op: Operation) -> None:
    """Gives the results of `op`, which stand for `values`, their name hints."""
    for value, result in zip(values, op.results, strict=True):
        result.name_hint = value.name_hint


def _named(name: str) -> NameLoc:
    return NameLoc(StringAttr(name), UnknownLoc())


def _rewire(op: Operation, mapping: dict[SSAValue, SSAValue]) -> None:
    """Maps what `op` and the ops inside it read; clones of cycles read values cloned after them."""
    for inner in op.walk():
        for i, operand in enumerate(inner.operands):
            if (new := mapping.get(operand)) is not None:
                inner.operands[i] = new


class FormRegions(Pattern[PlatformGraph]):
    """A clustered graph -> a host function `@main` with a `device.region` for each of its stages."""

    def __init__(self, targets: Sequence[TargetAttr]):
        self.targets = targets

    def rewrite(self, op: PlatformGraph, rewriter: PatternRewriter, /) -> None:
        module = op.parent_op()
        assert isinstance(module, ModuleOp)
        main = _RegionFormer(module, self.targets).form()
        rewriter.insert(main, InsertPoint.at_end(module.body.block))
        rewriter.erase(op, safe_erase=False)


class OutlineRegion(Pattern[RegionOp]):
    """A `device.region` of a host function -> a function `graph_N` in front of it, and a call."""

    def __init__(self, main: FuncOp):
        self.main = main
        self.count = 0

    def rewrite(self, op: RegionOp, rewriter: PatternRewriter, /) -> None:
        block = op.body.block
        end = block.last_op
        assert isinstance(end, YieldOp)
        values = list(end.operands)
        inputs = [value_name(argument) for argument in block.args]
        rewriter.replace(end, ReturnOp(values))
        func = FuncOp(
            f"graph_{self.count}",
            op.target,
            inputs,
            [value_name(value) for value in values],
            op.detach_region(op.body),
        )
        self.count += 1
        call = CallOp(func.sym_name.data, list(op.captures), [r.type for r in op.results])
        _keep_hints(op.results, call)
        func.location = call.location = _named(func.sym_name.data)
        rewriter.insert(func, InsertPoint.before(self.main))
        rewriter.replace(op, call)


@dataclass(frozen=True)
class DeviceOutlinePass(ModulePass):
    """Each stage is a `device.func`, `@main` calls them in order, constants are copied into their users.

    Integer values that follow from the shapes alone cross no border: sub-models that do not compute them
    have them as constants (marked by `device.value`).
    """

    name = "device-outline"

    regions: bool = False
    """Stop at `device.region` ops inside `@main`."""

    takes: ConfirmedCut = field(default_factory=ConfirmedCut, init=False, repr=False, compare=False)
    """Where a copy comes from that `device-confirm` has outlined already."""
    gives: ConfirmedCut = field(default_factory=ConfirmedCut, init=False, repr=False, compare=False)
    """Where its sub-models go as they were confirmed."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.regions and (confirmed := self.takes.take(op)) is not None:
            op.detach_region(op.body)
            op.add_region(confirmed.outlined.detach_region(0))
            confirmed.outlined = op
            self.gives.give(op, confirmed)
            return
        stages = [t for t in items_of(plan_of(op).get("stages")) if isinstance(t, TargetAttr)]
        apply_to([platform_graph(op)], [FormRegions(stages)])
        main = op.body.block.last_op
        assert isinstance(main, FuncOp)
        if not self.regions:
            apply_to(list(main.body.block.ops), [OutlineRegion(main)])
