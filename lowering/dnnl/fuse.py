"""dnnl-fuse: ops that oneDNN Graph runs as one become partitions."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.versions import DEFAULT_VERSION, parse_version
from autosplit.dialects.dnnl import DnnlOp, PartitionOp, Version, property_type
from autosplit.dialects.platform import PlatformOp, shape_of
from autosplit.lowering.dnnl.match import Graph, Group, drop_cyclic, find_groups, make_group
from autosplit.lowering.dnnl.rule_parts import CASTS
from autosplit.lowering.dnnl.rules import library_rules, rules_of
from autosplit.lowering.dnnl.unfused import UNFUSED, Refusals

Policy = Literal["patterns", "backend"]
Keep = Literal["int8", "border", "all"]

Kept = dict[Operation | Block, Group]
"""The ops that become partitions, each with its group; blocks are none, and asked about all the same."""


def fuse(
    module: ModuleOp,
    version: Version,
    policy: Policy = "patterns",
    keep: Keep = "int8",
) -> list[PartitionOp]:
    """Makes partitions in every block that holds ops of the dialect, in place; returns them in order.

    AutosplitError where the library must be asked and cannot be.
    """
    made: list[PartitionOp] = []
    for block in _blocks(module):
        made += fuse_block(block, version, policy, keep)
    return made


def _blocks(module: ModuleOp) -> list[Block]:
    found: dict[Block, None] = {}
    for op in module.walk():
        block = op.parent_block()
        if block is None or not isinstance(op, DnnlOp) or isinstance(op.parent_op(), PartitionOp):
            continue
        found[block] = None
    return list(found)


def fuse_block(
    block: Block, version: Version, policy: Policy = "patterns", keep: Keep = "int8"
) -> list[PartitionOp]:
    """What `fuse` does in one block."""
    ops = [op for op in block.ops if isinstance(op, DnnlOp)]
    for op in ops:
        op.attributes.pop(UNFUSED, None)
    known = [op for op in ops if op.needs_version() <= version]
    graph = Graph(known)
    if policy == "backend":
        from autosplit.lowering.dnnl.backend import ask

        groups = ask(graph, version, exact=keep != "all")
    else:
        # Only for counting may groups be wanted that compute something else.
        groups = find_groups(graph, library_rules(version) if keep == "all" else rules_of(version))
    groups = drop_cyclic(graph, groups)
    kept = _chosen(graph, groups, keep)
    refusals = Refusals(graph, version)
    for op in ops:
        # A cast that runs alone at the border of a partition is fused with nothing either.
        if op not in kept or (keep == "border" and kept[op].rule == SINGLE):
            op.attributes[UNFUSED] = refusals.reason(op)
    return _rebuild(block, kept) if kept else []


def _chosen(graph: Graph, groups: Sequence[Group], keep: Keep) -> Kept:
    """The ops that become partitions, each with its group."""
    if keep == "all":
        alone = [n for n in graph.nodes if n.group is None]
        groups = [*groups, *(make_group(SINGLE, [n]) for n in alone)]
        return {n.op: g for g in groups for n in g.nodes}
    kept: Kept = {n.op: g for g in groups if is_quantized(g) for n in g.nodes}
    if keep == "border":
        for group in [g for g in groups if is_quantized(g) and _is_pool(g)]:
            if not _is_among_partitions(group, kept):
                for node in group.nodes:
                    del kept[node.op]
        kept |= {g.nodes[0].op: g for g in _borders(graph, kept)}
    return kept


SINGLE = "single"
"""The rule of an op that runs alone."""

POOLS = ("AvgPool", "MaxPool")


def is_quantized(group: Group) -> bool:
    """Whether a group quantizes or dequantizes and does more than that alone."""
    return len(group.nodes) > 1 and any(n.kind in CASTS for n in group.nodes)


def _is_pool(group: Group) -> bool:
    return any(n.kind in POOLS for n in group.nodes)


def _is_among_partitions(group: Group, kept: Kept) -> bool:
    """Whether only partitions, casts and the model's border touch what a group reads and gives out.

    The library's pools of bytes are fast with the channels innermost only, and a hundred times slower in the
    order that other runtimes want.
    """
    ops = {n.op for n in group.nodes}
    outer = [v for n in group.nodes for v in n.op.operands if v.owner not in ops]
    given = [r for n in group.nodes for r in n.op.results]
    touching = [v.owner for v in outer]
    # What has one place only, as behind a global pool, lies the same in all orders.
    spread = [v for v in (*outer, *given) if set((shape_of(v.type) or (0, 0, 0))[2:]) != {1}]
    touching += [use.operation for v in spread for use in v.uses]
    return all(
        op in ops or _is_at_home(op, kept) or (isinstance(op, DnnlOp) and op.kind == "Dequantize")
        for op in touching
    )


def _is_at_home(op: Operation | Block, kept: Kept) -> bool:
    """Whether an op is in a partition, or a cast between one and the model's border."""
    if isinstance(op, DnnlOp) and op.kind in CASTS and op not in kept:
        return all(_is_border(o) or o in kept for o in _on_the_real_side(op))
    return _is_border(op) or op in kept


def _is_border(op: Operation | Block) -> bool:
    return isinstance(op, Block) or op.has_trait(IsTerminator)


def _borders(graph: Graph, kept: Kept) -> Iterator[Group]:
    """Casts that stand alone between a partition and the model's border, or another partition.

    Between a partition and something that is computed elsewhere they stay with that: bytes cross the border
    then, and other runtimes have kernels for an op with its casts, too. Not so where a pool reads or makes
    the bytes, see `_is_among_partitions`.
    """
    for node in graph.nodes:
        if node.kind not in CASTS or node.op in kept:
            continue
        beside = [p for p in node.inputs if p is not None] + [u for u, _ in node.users]
        if any(n.op in kept for n in beside) and (
            _is_at_home(node.op, kept) or _is_pooled(node.op, kept)
        ):
            yield Group(SINGLE, [node])


def _is_pooled(cast: DnnlOp, kept: Kept) -> bool:
    """Whether the bytes that a cast reads go into a pool that is a partition, or come out of one."""
    if cast.kind != "Dequantize":
        return False
    touching = [cast.operands[0].owner, *(use.operation for use in cast.operands[0].uses)]
    return any(op in kept and _is_pool(kept[op]) for op in touching)


def _on_the_real_side(cast: DnnlOp) -> list[Operation | Block]:
    """What makes the real numbers that a cast quantizes, or reads those that it dequantizes."""
    if cast.kind == "Quantize":
        return [cast.operands[0].owner]
    return [use.operation for use in cast.results[0].uses]


def _rebuild(block: Block, kept: Kept) -> list[PartitionOp]:
    """Makes partitions of groups, in place; returns them in order.

    A group stands where its last op stood, and what reads it stands behind it; the order of all else stays as
    far as it can.
    """
    ops = list(block.ops)
    units = _units_in_order(ops, kept)
    # One by one in a block of its own, a group is made in time that does not depend on what else there is.
    for op in ops:
        op.detach()
    made: list[PartitionOp] = []
    ordered: list[Operation] = []
    for unit in units:
        group = kept.get(unit[0]) if isinstance(unit[0], DnnlOp) else None
        if group is None:
            ordered += unit
            continue
        made.append(_partition(group))
        ordered.append(made[-1])
    block.add_ops(ordered)
    return made


def _units_in_order(ops: Sequence[Operation], kept: Kept) -> list[list[Operation]]:
    """The groups and the other ops, each behind what it reads."""
    unit_of: dict[Operation, int] = {}
    members: list[list[Operation]] = []
    numbers: dict[Group, int] = {}
    for op in ops:
        group = kept.get(op) if isinstance(op, DnnlOp) else None
        unit = numbers.setdefault(group, len(members)) if group is not None else len(members)
        if unit == len(members):
            members.append([])
        members[unit].append(op)
        unit_of[op] = unit
    place = {op: i for i, op in enumerate(ops)}
    readers: list[list[int]] = [[] for _ in members]
    waiting = [0] * len(members)
    for op in ops:
        before = {unit_of[source] for source in _sources(op, unit_of)} - {unit_of[op]}
        waiting[unit_of[op]] += len(before)
        for unit in before:
            readers[unit].append(unit_of[op])
    ready = [(place[m[-1]], u) for u, m in enumerate(members) if not waiting[u]]
    heapq.heapify(ready)
    ordered: list[list[Operation]] = []
    while ready:
        _, unit = heapq.heappop(ready)
        ordered.append(members[unit])
        for reader in readers[unit]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, (place[members[reader][-1]], reader))
    if len(ordered) < len(members):
        raise AutosplitError("groups of ops depend on each other by way of ops between them")
    # The last op ends the block, whether it reads the others or not.
    last = unit_of[ops[-1]]
    return [u for u in ordered if u is not members[last]] + [members[last]]


def _sources(op: Operation, known: dict[Operation, int]) -> Iterator[Operation]:
    """The ops of the same block whose results `op` reads, inside its regions too."""
    inner = op.walk() if op.regions else (op,)
    for each in inner:
        for value in each.operands:
            owner = value.owner
            if isinstance(owner, Operation) and owner in known:
                yield owner


def _partition(group: Group) -> PartitionOp:
    ops = [n.op for n in group.nodes]
    Block(ops)
    partition = PartitionOp.create_from(ops, group.rule)
    partition.detach()
    partition.set_constants([v for v in partition.inputs if _is_constant(v)])
    if group.rule == SINGLE and (reason := ops[0].attributes.pop(UNFUSED, None)) is not None:
        partition.attributes[UNFUSED] = reason
    return partition


def _is_constant(value: SSAValue) -> bool:
    """Whether a value never changes: a file says so, or an op that only holds a value makes it."""
    owner = value.owner
    if isinstance(owner, PlatformOp) and owner.IS_CONSTANT:
        return True
    return property_type(value) == "constant"


@dataclass(frozen=True)
class DnnlFusePass(ModulePass):
    """Groups of ops that oneDNN Graph runs as one are `dnnl.partition`s; what stays outside says why."""

    name = "dnnl-fuse"

    version: str | float = DEFAULT_VERSION
    """The version of the library whose rules hold. Write versions from 3.10 on in quotes."""
    policy: Policy = "patterns"
    """Who says what is a group: `patterns`, the rules for that version, the same on every machine; or
    `backend`, the installed library, whose groups are taken whole."""
    keep: Keep = "int8"
    """Which groups become partitions: `int8`, those that quantize or dequantize and do more than that;
    `border`, also lone casts beside them; `all`, every op, as the library groups them. The last is for
    counting and comparing: some of those groups it computes wrongly or not at all."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            fuse(op, parse_version(str(self.version)), self.policy, self.keep)
        except AutosplitError as e:
            raise PassFailedException(str(e)) from e
