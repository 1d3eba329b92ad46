"""dnnl-fuse: ops that oneDNN Graph runs as one become partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.versions import DEFAULT_VERSION, parse_version
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.dnnl import DnnlOp, PartitionOp, Version, dtype_name, property_type
from autosplit.dialects.platform import PlatformOp, location_names, shape_of
from autosplit.lowering.dnnl.moves import moves_only, read_move
from autosplit.lowering.dnnl.rules.match import (
    Graph,
    Group,
    Node,
    claim,
    drop_cyclic,
    make_group,
    refusal,
)
from autosplit.lowering.dnnl.rules.parts import CASTS, POOLS, Rule
from autosplit.lowering.dnnl.rules.unfused import UNFUSED, Refusals, float8_of
from autosplit.lowering.dnnl.rules.versions import added_rules, is_of, library_rules, rules_of
from autosplit.lowering.rewriting import Pattern, apply_to, why

Policy = Literal["patterns", "backend"]
Keep = Literal["int8", "border", "all"]

SINGLE = "single"
"""The rule of an op that runs alone."""

NORM = "norm"
"""The rule of a layer norm of real numbers among partitions."""

PIXELS = "pixels"
"""The rule of what computes real numbers of single pixels behind partitions."""

MOVES = frozenset({"Concat", "Reorder", "StaticReshape", "StaticTranspose"})
"""The library's ops that compute nothing: plans move bytes themselves."""

LEFT = ReasonAttr.of("measured", "ONNX Runtime was measured to run this part of the model faster")


class BlockFusion:
    """State of one block that the patterns share: its graph, which groups to keep, and the pending pools."""

    def __init__(self, graph: Graph, keep: Keep, leave: frozenset[str] = frozenset()):
        self.graph = graph
        self.keep = keep
        self.leave = leave
        self.pools: dict[Group, None] = {}
        """Pools that become partitions if nothing but partitions touches them; known at the end only."""
        self.dropped: dict[Operation, ReasonAttr] = {}
        """The ops of groups that become none, with the reason."""

    def fuse(self, group: Group, rewriter: PatternRewriter) -> None:
        """Makes a partition of a group if it is to be kept."""
        if self.keep != "all" and not is_quantized(group):
            why(group.nodes[-1].op, f"rule {group.rule} takes it, and reads and makes real numbers")
        elif not self.leave.isdisjoint(computing(n.op for n in group.nodes)):
            why(group.nodes[-1].op, "another runtime is to run it")
            self.dropped |= dict.fromkeys((n.op for n in group.nodes), LEFT)
        elif self.keep == "border" and includes_pool(n.kind for n in group.nodes):
            self.pools[group] = None
        else:
            make_partition(group, rewriter)

    def choose_pools(self) -> None:
        """Keeps those pending pools that only partitions, casts and the model's border touch.

        The library's pools of bytes are fast with the channels innermost only, and a hundred times slower in
        the order that other runtimes want.
        """
        for group in list(self.pools):
            if (stranger := self._stranger(group)) is not None:
                reason = _beside(stranger, group)
                why(group.nodes[-1].op, reason.text.data)
                self.dropped |= dict.fromkeys((n.op for n in group.nodes), reason)
                del self.pools[group]

    def _stranger(self, group: Group) -> Operation | None:
        """An op next to a pool that is neither in a partition, nor a cast, nor the model's border."""
        ops = {n.op for n in group.nodes}
        outer = [v for n in group.nodes for v in n.op.operands if v.owner not in ops]
        results = [r for n in group.nodes for r in n.op.results]
        touching = [v.owner for v in outer]
        # A single pixel, as behind a global pool, has the same layout in all orders.
        spread = [v for v in (*outer, *results) if set((shape_of(v.type) or (0, 0, 0))[2:]) != {1}]
        touching += [use.operation for v in spread for use in v.uses]
        for op in touching:
            if not isinstance(op, Operation) or op in ops or self.is_at_home(op):
                continue
            if not isinstance(op, DnnlOp) or op.kind != "Dequantize":
                return self._behind_cast(op)
        return None

    def _behind_cast(self, op: Operation) -> Operation:
        """The op that computes or reads the real numbers of a cast; for another op, the op itself."""
        if not isinstance(op, DnnlOp) or op.kind not in CASTS or self.is_kept(op):
            return op
        neighbours = [o for o in _on_the_real_side(op) if isinstance(o, Operation)]
        return next((o for o in neighbours if not _is_border(o) and not self.is_kept(o)), op)

    def is_kept(self, op: Operation | Block) -> bool:
        """Whether an op is a partition of several ops, or becomes a part of one."""
        if isinstance(op, PartitionOp):
            return op.rule.data != SINGLE
        node = self.graph.of.get(op) if isinstance(op, Operation) else None
        return node is not None and node.group in self.pools

    def is_at_home(self, op: Operation | Block) -> bool:
        """Whether an op is a partition, a cast between one and the model's border, or moves bytes."""
        if isinstance(op, DnnlOp) and op.kind in CASTS and not self.is_kept(op):
            return all(_is_border(o) or self.is_kept(o) for o in _on_the_real_side(op))
        return _is_border(op) or self.is_kept(op) or read_move(op) is not None


def computing(ops: Iterable[DnnlOp]) -> list[str]:
    """The names of the ops that compute something, without casts."""
    return [name for op in ops if op.kind not in CASTS for name in location_names(op.location)]


def is_quantized(group: Group) -> bool:
    """Whether a group quantizes or dequantizes, and also computes something."""
    return len(group.nodes) > 1 and any(n.kind in CASTS for n in group.nodes)


def _beside(stranger: Operation, group: Group) -> ReasonAttr:
    """Why a pool next to an op of another runtime is in no partition."""
    (pool, *_) = (n.kind for n in group.nodes if n.kind in POOLS)
    name = stranger.name
    if isinstance(stranger, DnnlOp):
        name = stranger.kind
    elif isinstance(stranger, PlatformOp):
        name = f"{stranger.op_type} {stranger.identity!r}"
    return ReasonAttr.of(
        "pool-neighbour",
        f"{name} beside {pool} is in no partition, and pools of bytes are slow in the order in which other"
        " runtimes write them",
    )


def includes_pool(kinds: Iterable[str]) -> bool:
    return not set(POOLS).isdisjoint(kinds)


def _is_border(op: Operation | Block) -> bool:
    return isinstance(op, Block) or op.has_trait(IsTerminator)


def _on_the_real_side(cast: DnnlOp) -> list[Operation | Block]:
    """The producers of the real numbers that a cast quantizes, or the users of those that it dequantizes."""
    if cast.kind == "Quantize":
        return [cast.operands[0].owner]
    return [use.operation for use in cast.results[0].uses]


def make_partition(group: Group, rewriter: PatternRewriter) -> None:
    """Replaces a group by a partition at its last op."""
    ops = [n.op for n in group.nodes]
    group_ops, block = set[Operation](ops), ops[-1].parent_block()
    assert block is not None
    if any(use.operation not in group_ops for op in ops[:-1] for r in op.results for use in r.uses):
        # An op in between may read a result, and must then move behind the partition.
        partition = PartitionOp.create_from(ops, group.rule)
        next_op = partition.next_op
        partition.detach()
    else:
        next_op = ops[-1].next_op
        # In a separate block, the time to form a group does not depend on the size of the rest.
        for op in ops:
            op.detach()
        Block(ops)
        partition = PartitionOp.create_from(ops, group.rule)
        partition.detach()
    partition.set_constants([v for v in partition.inputs if _is_constant(v)])
    rewriter.insert(
        partition, InsertPoint.at_end(block) if next_op is None else InsertPoint.before(next_op)
    )


def _is_constant(value: SSAValue) -> bool:
    """Whether a value never changes: a file says so, or it is the result of a constant op."""
    owner = value.owner
    if isinstance(owner, PlatformOp) and owner.IS_CONSTANT:
        return True
    return property_type(value) == "constant"


class FusePartition(Pattern[DnnlOp]):
    """The ops around a root that a rule describes `->` one `dnnl.partition`.

    It claims them from later rules even if the partition is not kept, since the library would not run them
    in any other group.
    """

    def __init__(self, rule: Rule, fusion: BlockFusion):
        self.rule = rule
        self.fusion = fusion

    @property
    def label(self) -> str:
        return f"FusePartition({self.rule.name})"

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        root = self.fusion.graph.of.get(op)
        if root is None or root.kind not in self.rule.root.kinds:
            return
        if (group := claim(self.rule, root)) is None:
            why(op, lambda: refusal(self.rule, root))
            return
        self.fusion.fuse(group, rewriter)


class FuseAnswer(Pattern[DnnlOp]):
    """The ops of a group from the library itself `->` one `dnnl.partition`, matched at the last op."""

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        group = self.fusion.graph.of[op].group
        if group is not None and group.nodes[-1].op is op:
            self.fusion.fuse(group, rewriter)


class FusePool(Pattern[DnnlOp]):
    """The ops of a pending group with a pool `->` one `dnnl.partition`, matched at the last op."""

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        group = self.fusion.graph.of[op].group
        if group in self.fusion.pools and group.nodes[-1].op is op:
            del self.fusion.pools[group]
            make_partition(group, rewriter)


class FuseNormBeside(Pattern[DnnlOp]):
    """A layer norm of real numbers that casts and moves alone separate from a partition `->` a partition.

    Otherwise it would be a separate segment in another runtime.
    """

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        node = self.fusion.graph.of.get(op)
        if op.kind != "LayerNorm" or node is None:
            return
        if node.group is not None and len(node.group.nodes) > 1:
            return
        if not self._has_partition_beside(op):
            why(op, "no partition is beside it")
            return
        make_partition(make_group(NORM, [node]), rewriter)

    def _has_partition_beside(self, op: DnnlOp) -> bool:
        pending, visited = list[Operation]([op]), set[Operation]()
        while pending:
            visited.add(here := pending.pop())
            around = [v.owner for v in here.operands]
            around += [use.operation for result in here.results for use in result.uses]
            if any(o is not op and self.fusion.is_kept(o) for o in around):
                return True
            pending += [
                o for o in around if isinstance(o, Operation) and o not in visited and _passes(o)
            ]
        return False


def _passes(op: Operation) -> bool:
    """Whether an op casts or moves what it reads."""
    if isinstance(op, DnnlOp):
        return op.kind in CASTS or op.kind in MOVES
    return moves_only(op)


class FusePixels(Pattern[DnnlOp]):
    """An op or group on real numbers of single pixels, a global pool to one, or a product by such a gate,
    behind a partition `->` a partition.

    So are the gates of channels in a model that quantizes its large products only. Another runtime would
    first turn what the pool reads into its own order, which takes longer than the gate.
    """

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        node = self.fusion.graph.of.get(op)
        if node is None or op.kind in CASTS or op.kind in MOVES or op in self.fusion.dropped:
            return
        nodes = [node] if node.group is None else node.group.nodes
        if op is not nodes[-1].op or isinstance(op.parent_op(), PartitionOp):
            return
        ops = {n.op for n in nodes}
        inputs = [v for n in nodes for v in n.op.operands if v.owner not in ops]
        computed = [v for v in inputs if not _is_constant(v)]
        is_gating = _is_gating(nodes, computed)
        if not is_gating and not _is_of_pixels(nodes, computed):
            return
        behind = map(self._is_behind_partition, computed)
        if not (all(behind) if is_gating else any(behind)):
            why(op, "no partition makes what it reads")
            return
        make_partition(make_group(PIXELS, nodes), rewriter)

    def _is_behind_partition(self, value: SSAValue) -> bool:
        owner = value.owner
        if (
            isinstance(owner, DnnlOp)
            and owner.kind == "Dequantize"
            and not self.fusion.is_kept(owner)
        ):
            owner = owner.operands[0].owner
        return self.fusion.is_kept(owner)


def _is_of_pixels(nodes: Sequence[Node], computed: Sequence[SSAValue]) -> bool:
    """Whether nodes make single pixels, of such or by a pool."""
    if not all(_is_pixel(r) for n in nodes for r in n.op.results):
        return False
    return nodes[0].kind in POOLS or all(map(_is_pixel, computed))


def _is_gating(nodes: Sequence[Node], computed: Sequence[SSAValue]) -> bool:
    """Whether a node multiplies real numbers by a computed one for each channel."""
    if len(nodes) != 1 or nodes[0].kind != "Multiply" or len(computed) != 2:
        return False
    return any(map(_is_pixel, computed)) and dtype_name(nodes[0].op.results[0].type) == "f32"


def _is_pixel(value: SSAValue) -> bool:
    """Whether a tensor of float32 has one element for each channel."""
    shape = shape_of(value.type)
    return (
        shape is not None
        and len(shape) > 2
        and set(shape[2:]) == {1}
        and dtype_name(value.type) == "f32"
    )


class FuseRequantize(Pattern[DnnlOp]):
    """`quantize(dequantize(x)) ->` two partitions, if a partition makes x.

    So is what is joined with something of another scale: the bytes stay in the library's order.
    """

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        real = op.operands[0].owner if op.kind == "Quantize" else None
        if not isinstance(real, DnnlOp) or real.kind != "Dequantize":
            return
        nodes = [self.fusion.graph.of.get(cast) for cast in (real, op)]
        maker = real.operands[0].owner
        while isinstance(maker, Operation) and read_move(maker) is not None:
            maker = maker.operands[0].owner
        if not real.results[0].has_one_use() or not isinstance(maker, PartitionOp):
            why(op, "what it quantizes is read elsewhere too, or no partition makes it")
            return
        for node in nodes:
            if node is not None:
                make_partition(Group(SINGLE, [node]), rewriter)


class FuseBorder(Pattern[DnnlOp]):
    """A cast alone between a partition and the model's border, or another partition, `->` a partition.

    Between a partition and an op that runs elsewhere it stays with the latter: bytes then cross the border,
    and other runtimes also have kernels for an op with its casts. An exception is a cast whose bytes a pool
    reads or produces, see `BlockFusion.choose_pools`.
    """

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        if op.kind not in CASTS:
            return
        neighbours = [v.owner for v in op.operands] + [u.operation for u in op.results[0].uses]
        if not any(self.fusion.is_kept(o) for o in neighbours):
            why(op, "no partition is beside it")
        elif self.fusion.is_at_home(op) or self._is_pooled(op):
            make_partition(Group(SINGLE, [self.fusion.graph.of[op]]), rewriter)
        else:
            why(op, "it stays with what computes or reads the real numbers")

    def _is_pooled(self, cast: DnnlOp) -> bool:
        """Whether the bytes of a cast are read or produced by a pool that is a partition."""
        if cast.kind != "Dequantize":
            return False
        touching = [cast.operands[0].owner, *(use.operation for use in cast.operands[0].uses)]
        return any(
            isinstance(p, PartitionOp) and includes_pool(o.kind for o in p.body_ops)
            for p in touching
        )


class FuseRounded(Pattern[DnnlOp]):
    """An op on bfloat16 numbers in no group `->` a partition of its own.

    ONNX Runtime has no kernels for it, and takes no arrays of such numbers. Ops that move bytes are left to
    the plan, see `dnnl-place`.
    """

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        types = [value.type for value in (*op.operands, *op.results)]
        if op.kind in CASTS or op.kind in MOVES:
            return
        if not any(dtype_name(type) == "bf16" for type in types):
            return
        node = self.fusion.graph.of.get(op)
        if node is not None and not isinstance(op.parent_op(), PartitionOp):
            make_partition(make_group(SINGLE, [node]), rewriter)


class FuseAlone(Pattern[DnnlOp]):
    """An op in no group `->` a partition of its own."""

    def __init__(self, fusion: BlockFusion):
        self.fusion = fusion

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        make_partition(make_group(SINGLE, [self.fusion.graph.of[op]]), rewriter)


class SayUnfused(Pattern[DnnlOp]):
    """Records in `dnnl.unfused` why an op is in no partition, or why a cast is alone in one."""

    def __init__(self, refusals: Refusals, fusion: BlockFusion):
        self.refusals = refusals
        self.keep = fusion.keep
        self.dropped = fusion.dropped

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        partition = op.parent_op()
        if not isinstance(partition, PartitionOp):
            op.attributes[UNFUSED] = self.dropped.get(op) or self.refusals.reason(op)
        elif self.keep == "border" and partition.rule.data == SINGLE:
            partition.attributes[UNFUSED] = self.refusals.reason(op)


def fuse(
    module: ModuleOp,
    version: Version,
    policy: Policy = "patterns",
    keep: Keep = "int8",
    rules: Sequence[Rule] = (),
    leave: Sequence[str] = (),
) -> list[PartitionOp]:
    """Makes partitions in every block that holds ops of the dialect, in place; returns them in order.

    `rules` are tried before the library's. Ops named in `leave` are in none. AutosplitError if the library
    must be asked and cannot be.
    """
    partitions: list[PartitionOp] = []
    for block in _blocks(module):
        partitions += fuse_block(block, version, policy, keep, rules, leave)
    return partitions


def _blocks(module: ModuleOp) -> list[Block]:
    blocks: dict[Block, None] = {}
    for op in module.walk():
        block = op.parent_block()
        if block is None or not isinstance(op, DnnlOp) or isinstance(op.parent_op(), PartitionOp):
            continue
        blocks[block] = None
    return list(blocks)


def fuse_block(
    block: Block,
    version: Version,
    policy: Policy = "patterns",
    keep: Keep = "int8",
    rules: Sequence[Rule] = (),
    leave: Sequence[str] = (),
) -> list[PartitionOp]:
    """Like `fuse`, for one block."""
    existing = {op for op in block.ops if isinstance(op, PartitionOp)}
    ops = [op for op in block.ops if isinstance(op, DnnlOp)]
    for op in ops:
        op.attributes.pop(UNFUSED, None)
    graph = Graph(op for op in ops if op.needs_version() <= version and float8_of(op) is None)
    fusion = BlockFusion(graph, keep, frozenset(leave))
    if policy == "backend":
        from autosplit.lowering.dnnl.backend import ask

        groups = drop_cyclic(graph, ask(graph, version, exact=keep != "all"))
        apply_to((g.nodes[-1].op for g in groups), [FuseAnswer(fusion)])
    else:
        # Groups that compute something else may be kept only for counting.
        default_rules = library_rules(version) if keep == "all" else rules_of(version)
        for rule in (*(r for r in rules if is_of(r, version)), *default_rules):
            roots = graph.roots(rule)
            apply_to((root.op for root in roots), [FusePartition(rule, fusion)])
    if keep == "border":
        fusion.choose_pools()
        apply_to((g.nodes[-1].op for g in list(fusion.pools)), [FusePool(fusion)])
        apply_to((n.op for n in graph.nodes), [FuseNormBeside(fusion)])
        apply_to((n.op for n in graph.nodes), [FusePixels(fusion)])
        apply_to((n.op for n in graph.nodes), [FuseBorder(fusion)])
        apply_to((n.op for n in graph.nodes), [FuseRequantize(fusion)])
        apply_to((n.op for n in graph.nodes), [FuseRounded(fusion)])
    if keep == "all":
        apply_to((n.op for n in graph.nodes if n.group is None), [FuseAlone(fusion)])
    apply_to(ops, [SayUnfused(Refusals(graph, version), fusion)])
    return [op for op in block.ops if isinstance(op, PartitionOp) and op not in existing]


@dataclass(frozen=True)
class DnnlFusePass(ModulePass):
    """Groups of ops that oneDNN Graph runs as one kernel are `dnnl.partition`s; others have a reason."""

    name = "dnnl-fuse"

    version: str | float = DEFAULT_VERSION
    """The version of the library whose rules apply. Write versions from 3.10 on in quotes."""
    policy: Policy = "patterns"
    """What decides about groups: `patterns`, the rules for that version, the same on every machine; or
    `backend`, the installed library."""
    keep: Keep = "int8"
    """Which groups become partitions: `int8`, those that quantize or dequantize and do more than that;
    `border`, also lone casts beside them; `all`, every op, as the library groups them. The last is for
    counting and comparing: some of those groups it computes wrongly or not at all."""
    leave: tuple[str, ...] = ()
    """The names of ops that become part of no partition, as another runtime was measured to be faster."""

    rules: tuple[Rule, ...] = ()
    """Rules that are tried before the library's; given in Python. Those that packages add by the entry points
    `autosplit.fusion_rules` follow them."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            rules = (*self.rules, *added_rules())
            version = parse_version(str(self.version))
            fuse(op, version, self.policy, self.keep, rules, self.leave)
        except AutosplitError as e:
            raise PassFailedException(str(e)) from e
