"""Finds the groups of ops that fusion rules describe.

The ops of a block are indexed once (`Graph`); matching walks from a rule's root up its sources and down its
tail. A value between two ops of a group is read by the group alone, so a group has a single result and groups
cannot depend on each other in a cycle. `drop_cyclic` still checks that.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from autosplit.dialects.dnnl import AttrValue, DnnlOp, dtype_name, property_type
from autosplit.dialects.platform import shape_of
from autosplit.lowering.dnnl.rules.operands import has_fast_operand, takes_mask
from autosplit.lowering.dnnl.rules.parts import (
    BINARY,
    CHECKS,
    COMMUTATIVE,
    ELEMENTWISE,
    PRODUCTS,
    Choice,
    Link,
    Rule,
    Source,
    Step,
    Tail,
)


@dataclass(eq=False, slots=True)
class Node:
    """One op as the rules see it."""

    op: DnnlOp
    index: int
    kind: str
    inputs: list[Node | None]
    """The producer of each operand; None if it is not an op of the graph."""
    users: list[tuple[Node, int]] = field(default_factory=list["tuple[Node, int]"])
    """The users of the first result, and their operand index, in order."""
    escapes: bool = False
    """Whether something other than an op of the graph reads a result."""
    group: Group | None = None

    @property
    def operand_count(self) -> int:
        return len(self.inputs)

    def text(self, name: str) -> str:
        return str(self.given(name))

    def flag(self, name: str) -> bool:
        return bool(self.given(name))

    def ints(self, name: str) -> list[int]:
        return cast("list[int] | None", self.given(name)) or []

    def given(self, name: str) -> AttrValue | None:
        """An attribute or its default; None if the kind has no such attribute."""
        return self.op.attr(name) if name in self.op.ATTRS else None

    def reads(self, dtype: str, start: int = 0) -> bool:
        """Whether all operands from `start` on have this element type."""
        return all(dtype_name(t) == dtype for t in self.op.operand_types[start:])

    def makes(self, dtype: str) -> bool:
        return all(dtype_name(t) == dtype for t in self.op.result_types)

    def producer_inputs(self) -> int:
        """How many operands the producer of the first operand has; 0 if there is none."""
        return len(first.inputs) if self.inputs and (first := self.inputs[0]) is not None else 0

    def reads_constant(self) -> bool:
        """Whether the first operand is a constant, or comes from outside the graph."""
        return self.inputs[0] is None or property_type(self.op.operands[0]) == "constant"

    def feeds(self, kind: str) -> bool:
        return any(user.kind == kind for user, _ in self.users)

    def one_scale(self) -> bool:
        """Whether the first user and the producers of all operands have the same scales and zero points."""
        around = [*(user for user, _ in self.users[:1]), *self.inputs]
        scales = [
            (node.given("scales"), node.given("zps")) if node is not None else (None, None)
            for node in around
        ]
        return bool(self.users) and scales[0][0] is not None and all(f == scales[0] for f in scales)

    def sum_type_fits(self) -> bool:
        """Whether the library adds the dequantized value correctly.

        It adds in the memory of the result, and misreads bytes of the other signedness there. Of several
        scales it uses only one.
        """
        if self.text("qtype") != "per_tensor":
            return False
        dtype, node = dtype_name(self.op.operand_types[0]), self
        while node.kind != "Quantize":
            if (user := node.reader) is None:
                return True
            node = user[0]
        result_dtype = dtype_name(node.op.result_types[0])
        return dtype == result_dtype or (dtype == "s8" and self._is_added_to("Convolution"))

    def _is_added_to(self, kind: str) -> bool:
        """Whether the sum that reads the result adds it to a product of some kind."""
        reader, node = self.reader, self
        while reader is not None and reader[0].kind == "TypeCast":
            node, reader = reader[0], reader[0].reader
        others = [p for p in reader[0].inputs if p is not node] if reader is not None else []
        producer = others[0] if others else None
        while producer is not None and producer.kind == "BiasAdd":
            producer = producer.inputs[0]
        return producer is not None and producer.kind == kind

    def keeps_type(self) -> bool:
        """Whether the operands are dequantized from the type that the result is quantized to."""
        sources = [p for p in self.inputs if p is not None and p.kind == "Dequantize"]
        types = {dtype_name(p.op.operand_types[0]) for p in sources}
        at: Node | None = self
        while at is not None and at.kind != "Quantize":
            at = at.reader[0] if at.reader is not None else None
        if at is not None:
            types.add(dtype_name(at.op.result_types[0]))
        return len(types) <= 1

    def joins(self) -> bool:
        """Whether a binary op reads different values, one from the graph and of the result's size.

        True for ops of one operand.
        """
        operands = self.op.operands
        if self.kind not in BINARY or len(operands) != 2:
            return True
        result = shape_of(self.op.result_types[0])
        computed = [v for v, p in zip(operands, self.inputs, strict=True) if p is not None]
        shapes = [shape_of(v.type) for v in computed]
        return operands[0] is not operands[1] and (
            not computed or result in shapes or None in shapes
        )

    def has_fast_operand(self) -> bool:
        """Whether the product before a binary op has a fast kernel with the other operand."""
        result = shape_of(self.op.result_types[0])
        return all(has_fast_operand(kind, result, other) for kind, other in self._joined())

    def takes_mask(self) -> bool:
        """Whether an attention takes what this op adds to its scores."""
        scores = shape_of(self.op.result_types[0])
        return all(takes_mask(scores, other) for _, other in self._joined())

    def _joined(self) -> Iterator[tuple[str, tuple[int, ...] | None]]:
        """The kind of each product before a binary op, and the shape of the other operand."""
        operands = self.op.operands
        if self.kind not in BINARY or len(operands) != 2:
            return
        for port, above in enumerate(self.inputs):
            product = None if above is None else above.product()
            if product is not None:
                yield product.kind, shape_of(operands[1 - port].type)

    def product(self) -> Node | None:
        """The product that a result comes from, through elementwise ops."""
        at: Node | None = self
        while at is not None and at.kind in (*ELEMENTWISE, "BiasAdd"):
            at = next((p for p in at.inputs if p is not None and p.kind != "Dequantize"), None)
        return at if at is not None and at.kind in PRODUCTS else None

    def fills(self, port: int) -> bool:
        """Whether the result is, or may be, as large as this operand: the library writes it in place."""
        shape = shape_of(self.op.operands[port].type)
        return shape is None or shape_of(self.op.result_types[0]) in (None, shape)

    def adds_to_last(self) -> bool:
        """Whether a BiasAdd behind a MatMul is along the last dimension, as the library assumes."""
        above = self.inputs[0]
        if above is None or above.kind != "MatMul":
            return True
        return self.text("data_format") == "NXC" or self.rank() == 2

    def rank(self) -> int | None:
        type = self.op.operand_types[0]
        return len(type.get_shape()) if isinstance(type, TensorType) else None

    def normalizes_last_axis(self) -> bool:
        axis, rank = self.given("begin_norm_axis"), self.rank()
        return axis in (None, -1) or (rank is not None and axis == rank - 1)

    def weights_are(self, size: int) -> bool:
        """Whether all spatial sizes of a convolution's weights are `size`."""
        type = self.op.operand_types[1]
        if not isinstance(type, TensorType):
            return False
        shape = type.get_shape()
        spatial = shape[:-2] if self.text("weights_format").endswith(("IO", "OI")) else shape[2:]
        return all(n == size for n in spatial)

    @property
    def reader(self) -> tuple[Node, int] | None:
        """The only user of the result; None if there are none or several."""
        return self.users[0] if len(self.users) == 1 and not self.escapes else None


@dataclass(eq=False, slots=True)
class Group:
    """Ops that run as one, with the rule that matched them."""

    rule: str
    nodes: list[Node]


class Graph:
    """The dnnl ops of one block, in order, with their producers and users."""

    def __init__(self, ops: Iterable[DnnlOp]):
        self.nodes: list[Node] = []
        self.of: dict[Operation, Node] = {}
        node_of: dict[SSAValue, Node] = {}
        counted: dict[Node, int] = {}
        for op in ops:
            node = Node(op, len(self.nodes), op.kind, [node_of.get(v) for v in op.operands])
            self.nodes.append(node)
            self.of[op] = node
            for port, value in enumerate(op.operands):
                if (source := node_of.get(value)) is not None:
                    counted[source] = counted.get(source, 0) + 1
                    if cast("OpResult", value).index == 0:
                        source.users.append((node, port))
            node_of.update(dict.fromkeys(op.results, node))
        for node in self.nodes:
            reads = sum(1 for r in node.op.results for _ in r.uses)
            node.escapes = reads > counted.get(node, 0)
        # The library marks values that are used both outside and inside by an op of its own, at the end.
        outputs = [n for n in self.nodes if n not in counted]
        outputs += [n for n in self.nodes if n in counted and n.escapes]
        self.order = _visiting_order(len(self.nodes), outputs)
        self._by_kind: dict[str, list[Node]] = {}
        for node in sorted(self.nodes, key=lambda n: self.order[n.index]):
            self._by_kind.setdefault(node.kind, []).append(node)

    def roots(self, rule: Rule) -> list[Node]:
        """The possible roots of a rule that are in no group, in the order in which the library tries them."""
        kinds = rule.root.kinds
        nodes = [n for kind in kinds for n in self._by_kind.get(kind, ()) if n.group is None]
        return sorted(nodes, key=lambda n: (self._start(n, rule), self.order[n.index]))

    @contextmanager
    def without_groups(self) -> Generator[None]:
        """Clears all groups within the context, and restores them afterwards."""
        groups = [node.group for node in self.nodes]
        for node in self.nodes:
            node.group = None
        yield
        for node, group in zip(self.nodes, groups, strict=True):
            node.group = group

    def _start(self, root: Node, rule: Rule) -> int:
        """Where the library's search for a rule begins: at the top of the first operand's source."""
        source = rule.every or next((s for at, s in rule.root.sources if at == 0), None)
        top = root
        for _ in source.chain if source is not None else ():
            above = top.inputs[0] if top.inputs else None
            if above is None:
                break
            top = above
        return self.order[top.index]


def _visiting_order(size: int, outputs: Sequence[Node]) -> list[int]:
    """Each node's position in the library's order: depth first from the last output, operands first."""
    order = [-1] * size
    todo = list(outputs)
    count = 0
    while todo:
        node = todo[-1]
        if order[node.index] >= 0:
            todo.pop()
            continue
        pending = [p for p in node.inputs if p is not None and order[p.index] < 0]
        if pending:
            todo.extend(reversed(pending))
            continue
        todo.pop()
        order[node.index] = count
        count += 1
    return order


Matched = dict[Node, None]
"""The nodes of a match so far, in the order in which they were added."""


def match(rule: Rule, root: Node) -> list[Node] | None:
    """The ops of the group that `rule` makes around `root`, or None."""
    matched: Matched = {}
    if not _match_step(root, None, rule.root, matched, is_start=rule.rereads_source):
        return None
    if rule.every is not None and not all(
        _match_source(root, i, rule.every, matched, is_start=i == 0 and rule.rereads_source)
        for i in range(len(root.inputs))
    ):
        return None
    at_root = list(matched)
    if not _match_tail(root, rule.tail, matched):
        return None
    return (
        list(matched)
        if all(u in matched for n in at_root if n is not root for u, _ in n.users)
        else None
    )


def _passes(node: Node, checks: tuple[str, ...]) -> bool:
    return all(CHECKS[name].holds(node) for name in checks)


def _match_step(
    node: Node, port: int | None, step: Step, matched: Matched, *, is_start: bool = False
) -> bool:
    """Adds a node and its sources to a match, if it fits `step`; leaves `matched` alone if not.

    `port` is the operand by which the chain enters; None for a root.
    """
    if node.group is not None or node in matched or node.kind not in step.kinds:
        return False
    commutes = node.kind in COMMUTATIVE
    if port is not None and not commutes and port != step.enters:
        return False
    reads_match_again = any(p in matched for at, p in enumerate(node.inputs) if at != port)
    if port is not None and reads_match_again and not step.rereads:
        return False
    if not _passes(node, step.checks):
        return False
    if port is not None and "joins" in step.checks and not node.fills(port):
        return False
    attempt = matched | {node: None}
    for operand_index, source in step.sources:
        at = 1 - port if commutes and port is not None else operand_index
        if not _match_source(node, at, source, attempt, is_start=is_start and at == 0):
            return False
    matched |= attempt
    return True


def _match_source(node: Node, at: int, source: Source, matched: Matched, *, is_start: bool) -> bool:
    """Adds the source of operand `at`; leaves `matched` alone if it does not fit.

    At the start of a match, its ops may read the source several times; elsewhere only once.
    """
    attempt = dict(matched)
    user, operand_index = node, at
    for link in source.chain:
        producer = _producer_matching(user, operand_index, link, attempt)
        if producer is None or (
            producer.reader is None
            and not (is_start and _reads_first(user, operand_index, producer))
        ):
            return source.optional
        attempt[producer] = None
        user, operand_index = producer, 0
    if source.filled is not None:
        filler = _producer_matching(user, 0, source.filled, attempt)
        if filler is not None and filler.reader is not None:
            attempt[filler] = None
    matched |= attempt
    return True


def _reads_first(node: Node, at: int, producer: Node) -> bool:
    return producer.users[0] == (node, at) and not producer.escapes


def _producer_matching(node: Node, at: int, link: Link, matched: Matched) -> Node | None:
    """The producer of an operand, if it is free and fits `link`."""
    above = node.inputs[at] if at < len(node.inputs) else None
    if above is None or above.kind != link.kind or above.group is not None or above in matched:
        return None
    return above if _passes(above, link.checks) else None


def _is_optional(tail: Tail) -> bool:
    return all(step.optional for step in tail)


def _match_tail(node: Node, tail: Tail, matched: Matched) -> bool:
    """Adds the ops of a tail behind `node`. If the tail does not fit, it must be optional."""
    if not tail:
        return True
    attempt = dict(matched)
    fits = bool(node.users) and not node.escapes and _match_tail_at(*node.users[0], tail, attempt)
    # Other users are fine if they are part of the match too, as in x * sigmoid(x).
    if fits and all(user in attempt for user, _ in node.users[1:]):
        matched |= attempt
        return True
    return _is_optional(tail)


def _match_tail_at(node: Node, port: int, tail: Tail, matched: Matched) -> bool:
    """Adds the ops of a tail from `node` on, which the chain enters by operand `port`."""
    step, remaining = tail[0], tail[1:]
    if isinstance(step, Choice):
        for option in step.options:
            attempt = dict(matched)
            if _match_tail_at(node, port, (*option, *remaining), attempt):
                matched |= attempt
                return True
        return step.optional and bool(remaining) and _match_tail_at(node, port, remaining, matched)
    count, last_node, position = 0, node, (node, port)
    while _match_step(*position, step, matched):
        last_node, count = position[0], count + 1
        if count == step.most or (user := last_node.reader) is None:
            break
        position = user
    if count < step.least:
        return False
    if count == 0:
        return bool(remaining) and _match_tail_at(node, port, remaining, matched)
    return _match_tail(last_node, remaining, matched)


def find_groups(graph: Graph, rules: Iterable[Rule]) -> list[Group]:
    """All groups that the rules match, each rule on all roots before the next, in that order."""
    groups = (claim(rule, root) for rule in rules for root in graph.roots(rule))
    return [group for group in groups if group is not None]


def claim(rule: Rule, root: Node) -> Group | None:
    """The group that `rule` matches around `root`, disjoint from all others; None if there is none."""
    if root.group is not None or (nodes := match(rule, root)) is None:
        return None
    return make_group(rule.name, nodes)


def refusal(rule: Rule, root: Node) -> str:
    """Which part of a rule does not fit if `match` finds nothing around a root."""
    matched: Matched = {}
    bare = replace(rule.root, sources=())
    if root.group is not None:
        return f"rule {root.group.rule} has taken it"
    if not _match_step(root, None, bare, matched):
        return "; ".join(CHECKS[c].text for c in bare.checks if not CHECKS[c].holds(root))
    sources = rule.root.sources
    if rule.every is not None:
        sources = tuple((i, rule.every) for i in range(len(root.inputs)))
    for at, source in sources:
        if not _match_source(root, at, source, matched, is_start=at == 0 and rule.rereads_source):
            return f"operand {at} does not come from what the rule wants there, or not alone"
    return "what follows it does not fit, or reads it elsewhere too"


def make_group(rule: str, nodes: Iterable[Node]) -> Group:
    group = Group(rule, sorted(nodes, key=lambda n: n.index))
    for node in group.nodes:
        node.group = group
    return group


def drop_cyclic(graph: Graph, groups: Sequence[Group]) -> list[Group]:
    """The groups without those that would depend on themselves through others.

    Of groups that depend on each other in a cycle, the one found last is dropped, until no cycle is left.
    """
    remaining = list(groups)
    while (circle := _circle(graph)) is not None:
        worst = max(circle, key=remaining.index)
        remaining.remove(worst)
        for node in worst.nodes:
            node.group = None
    return remaining


def _circle(graph: Graph) -> list[Group] | None:
    """Groups that depend on each other in a cycle; None if there are none."""
    pending_counts: dict[int, int] = {}
    users: dict[int, list[Node | Group]] = {}

    def unit(node: Node) -> Node | Group:
        return node.group or node

    units: dict[int, Node | Group] = {}
    for node in graph.nodes:
        own_unit = unit(node)
        units[id(own_unit)] = own_unit
        for source in node.inputs:
            if source is None or unit(source) is own_unit:
                continue
            pending_counts[id(own_unit)] = pending_counts.get(id(own_unit), 0) + 1
            users.setdefault(id(unit(source)), []).append(own_unit)
    ready = [u for key, u in units.items() if key not in pending_counts]
    while ready:
        finished = ready.pop()
        units.pop(id(finished))
        for user in users.get(id(finished), ()):
            pending_counts[id(user)] -= 1
            if pending_counts[id(user)] == 0:
                ready.append(user)
    cyclic = [u for u in units.values() if isinstance(u, Group)]
    return cyclic or None
