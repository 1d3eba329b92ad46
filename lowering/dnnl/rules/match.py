"""Finding the groups of ops that fusion rules describe.

The ops of a block are indexed once (`Graph`); matching walks from a rule's root up its sources and down its
tail. A value between two ops of a group is read by the group alone, so that a group has one way out and no
group can come to depend on another that depends on it. `acyclic` checks that all the same.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from autosplit.dialects.dnnl import AttrValue, DnnlOp, dtype_name, property_type
from autosplit.dialects.platform import shape_of
from autosplit.lowering.dnnl.rules.operands import has_fast_operand
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
    """What makes each operand; None if that is not an op of the graph."""
    users: list[tuple[Node, int]] = field(default_factory=list["tuple[Node, int]"])
    """What reads the first result, and by which operand, in order."""
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
        """An attribute or its default; None if the kind has no such."""
        return self.op.attr(name) if name in self.op.ATTRS else None

    def reads(self, dtype: str, start: int = 0) -> bool:
        """Whether all operands from `start` on have this element type."""
        return all(dtype_name(t) == dtype for t in self.op.operand_types[start:])

    def makes(self, dtype: str) -> bool:
        return all(dtype_name(t) == dtype for t in self.op.result_types)

    def producer_inputs(self) -> int:
        """How many operands the op has that makes the first operand; 0 where there is none."""
        return len(first.inputs) if self.inputs and (first := self.inputs[0]) is not None else 0

    def reads_constant(self) -> bool:
        """Whether the first operand is a constant, or comes from outside the graph."""
        return self.inputs[0] is None or property_type(self.op.operands[0]) == "constant"

    def feeds(self, kind: str) -> bool:
        return any(user.kind == kind for user, _ in self.users)

    def one_scale(self) -> bool:
        """Whether the first reader and what makes the operands all have the same scales and zero points."""
        around = [*(user for user, _ in self.users[:1]), *self.inputs]
        scales = [
            (node.given("scales"), node.given("zps")) if node is not None else (None, None)
            for node in around
        ]
        return bool(self.users) and scales[0][0] is not None and all(f == scales[0] for f in scales)

    def sum_type_fits(self) -> bool:
        """Whether the library adds what this dequantizes as the ops say.

        It adds in the memory of the result, and reads bytes of the other sign there as if they had its own.
        Of several scales it takes one.
        """
        if self.text("qtype") != "per_tensor":
            return False
        dtype, at = dtype_name(self.op.operand_types[0]), self
        while at.kind != "Quantize":
            if (ahead := at.reader) is None:
                return True
            at = ahead[0]
        wanted = dtype_name(at.op.result_types[0])
        return dtype == wanted or (dtype == "s8" and self._is_added_to("Convolution"))

    def _is_added_to(self, kind: str) -> bool:
        """Whether the sum that reads the result adds it to a product of some kind."""
        reader, at = self.reader, self
        while reader is not None and reader[0].kind == "TypeCast":
            at, reader = reader[0], reader[0].reader
        others = [p for p in reader[0].inputs if p is not at] if reader is not None else []
        above = others[0] if others else None
        while above is not None and above.kind == "BiasAdd":
            above = above.inputs[0]
        return above is not None and above.kind == kind

    def keeps_type(self) -> bool:
        """Whether what the operands are dequantized from and what the result is quantized to has one type."""
        sources = [p for p in self.inputs if p is not None and p.kind == "Dequantize"]
        types = {dtype_name(p.op.operand_types[0]) for p in sources}
        at: Node | None = self
        while at is not None and at.kind != "Quantize":
            at = at.reader[0] if at.reader is not None else None
        if at is not None:
            types.add(dtype_name(at.op.result_types[0]))
        return len(types) <= 1

    def joins(self) -> bool:
        """Whether a binary op reads different values, and one of the graph's own as large as its result.

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
        """Whether the product before a binary op takes the other operand into a kernel that is fast."""
        operands = self.op.operands
        if self.kind not in BINARY or len(operands) != 2:
            return True
        result = shape_of(self.op.result_types[0])
        for port, above in enumerate(self.inputs):
            product = None if above is None else above.product()
            other = shape_of(operands[1 - port].type)
            if product is not None and not has_fast_operand(product.kind, result, other):
                return False
        return True

    def product(self) -> Node | None:
        """The product that a result is, behind elementwise ops."""
        at: Node | None = self
        while at is not None and at.kind in (*ELEMENTWISE, "BiasAdd"):
            at = next((p for p in at.inputs if p is not None and p.kind != "Dequantize"), None)
        return at if at is not None and at.kind in PRODUCTS else None

    def fills(self, port: int) -> bool:
        """Whether the result is as large as this operand, or may be: the library writes it in its place."""
        shape = shape_of(self.op.operands[port].type)
        return shape is None or shape_of(self.op.result_types[0]) in (None, shape)

    def adds_to_last(self) -> bool:
        """Whether a BiasAdd behind a MatMul goes along the last dimension, as the library takes it."""
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
        """The one op that reads the result; None if there is none or several."""
        return self.users[0] if len(self.users) == 1 and not self.escapes else None


@dataclass(eq=False, slots=True)
class Group:
    """Ops that run as one, by the rule that found them."""

    rule: str
    nodes: list[Node]


class Graph:
    """The dnnl ops of one block, in order, and who reads whom."""

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
        # The library marks what is needed outside and read inside by an op of its own, at the end.
        outputs = [n for n in self.nodes if n not in counted]
        outputs += [n for n in self.nodes if n in counted and n.escapes]
        self.order = _visiting_order(len(self.nodes), outputs)
        self._by_kind: dict[str, list[Node]] = {}
        for node in sorted(self.nodes, key=lambda n: self.order[n.index]):
            self._by_kind.setdefault(node.kind, []).append(node)

    def roots(self, rule: Rule) -> list[Node]:
        """The ops that a rule may begin at and no group has, in the order in which the library tries them."""
        kinds = rule.root.kinds
        nodes = [n for kind in kinds for n in self._by_kind.get(kind, ()) if n.group is None]
        return sorted(nodes, key=lambda n: (self._start(n, rule), self.order[n.index]))

    @contextmanager
    def without_groups(self) -> Generator[None]:
        """The graph as it was before any group was made; those made in the context are not kept."""
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
    """For each node its place in the library's order: depth first from the last output, operands first."""
    order = [-1] * size
    todo = list(outputs)
    count = 0
    while todo:
        node = todo[-1]
        if order[node.index] >= 0:
            todo.pop()
            continue
        waiting = [p for p in node.inputs if p is not None and order[p.index] < 0]
        if waiting:
            todo.extend(reversed(waiting))
            continue
        todo.pop()
        order[node.index] = count
        count += 1
    return order


Taken = dict[Node, None]
"""The nodes of a match so far, in the order of finding them."""


def match(rule: Rule, root: Node) -> list[Node] | None:
    """The ops of the group that `rule` makes around `root`, or None."""
    taken: Taken = {}
    if not _take(root, None, rule.root, taken, is_start=rule.rereads_source):
        return None
    if rule.every is not None and not all(
        _source(root, i, rule.every, taken, is_start=i == 0 and rule.rereads_source)
        for i in range(len(root.inputs))
    ):
        return None
    started = list(taken)
    if not _follow(root, rule.tail, taken):
        return None
    return (
        list(taken)
        if all(u in taken for n in started if n is not root for u, _ in n.users)
        else None
    )


def _holds(node: Node, checks: tuple[str, ...]) -> bool:
    return all(CHECKS[name].holds(node) for name in checks)


def _take(
    node: Node, port: int | None, step: Step, taken: Taken, *, is_start: bool = False
) -> bool:
    """Adds a node and its sources to a match, if it is what `step` wants; leaves `taken` alone if not.

    `port` is the operand by which the chain enters; None for a root.
    """
    if node.group is not None or node in taken or node.kind not in step.kinds:
        return False
    commutes = node.kind in COMMUTATIVE
    if port is not None and not commutes and port != step.enters:
        return False
    again = any(p in taken for at, p in enumerate(node.inputs) if at != port)
    if port is not None and again and not step.rereads:
        return False
    if not _holds(node, step.checks):
        return False
    if port is not None and "joins" in step.checks and not node.fills(port):
        return False
    tried = taken | {node: None}
    for wanted, source in step.sources:
        at = 1 - port if commutes and port is not None else wanted
        if not _source(node, at, source, tried, is_start=is_start and at == 0):
            return False
    taken |= tried
    return True


def _source(node: Node, at: int, source: Source, taken: Taken, *, is_start: bool) -> bool:
    """Adds what stands before operand `at`; leaves `taken` alone where the source does not fit.

    Where a match starts, its ops may read the source several times; elsewhere it is read once.
    """
    tried = dict(taken)
    reader, place = node, at
    for link in source.chain:
        above = _above(reader, place, link, tried)
        if above is None or (
            above.reader is None and not (is_start and _reads_first(reader, place, above))
        ):
            return source.optional
        tried[above] = None
        reader, place = above, 0
    if source.filled is not None:
        filler = _above(reader, 0, source.filled, tried)
        if filler is not None and filler.reader is not None:
            tried[filler] = None
    taken |= tried
    return True


def _reads_first(node: Node, at: int, above: Node) -> bool:
    return above.users[0] == (node, at) and not above.escapes


def _above(node: Node, at: int, link: Link, taken: Taken) -> Node | None:
    """The op that makes an operand, if it is free and what `link` wants."""
    above = node.inputs[at] if at < len(node.inputs) else None
    if above is None or above.kind != link.kind or above.group is not None or above in taken:
        return None
    return above if _holds(above, link.checks) else None


def _is_optional(tail: Tail) -> bool:
    return all(part.optional for part in tail)


def _follow(node: Node, tail: Tail, taken: Taken) -> bool:
    """Adds what a tail takes behind `node`. Where the tail does not fit, it may only be optional."""
    if not tail:
        return True
    tried = dict(taken)
    fits = bool(node.users) and not node.escapes and _enter(*node.users[0], tail, tried)
    # Other readers are fine where they joined too, as in x * sigmoid(x).
    if fits and all(user in tried for user, _ in node.users[1:]):
        taken |= tried
        return True
    return _is_optional(tail)


def _enter(node: Node, port: int, tail: Tail, taken: Taken) -> bool:
    """Adds what the tail takes from `node` on, which the chain enters by operand `port`."""
    part, rest = tail[0], tail[1:]
    if isinstance(part, Choice):
        for option in part.options:
            tried = dict(taken)
            if _enter(node, port, (*option, *rest), tried):
                taken |= tried
                return True
        return part.optional and bool(rest) and _enter(node, port, rest, taken)
    count, last, at = 0, node, (node, port)
    while _take(*at, part, taken):
        last, count = at[0], count + 1
        if count == part.most or (ahead := last.reader) is None:
            break
        at = ahead
    if count < part.least:
        return False
    if count == 0:
        return bool(rest) and _enter(node, port, rest, taken)
    return _follow(last, rest, taken)


def find_groups(graph: Graph, rules: Iterable[Rule]) -> list[Group]:
    """All groups that the rules find, each rule on all roots before the next; in the order of finding."""
    groups = (claim(rule, root) for rule in rules for root in graph.roots(rule))
    return [group for group in groups if group is not None]


def claim(rule: Rule, root: Node) -> Group | None:
    """The group that `rule` makes around `root`, which no other has any part of; None if there is none."""
    if root.group is not None or (nodes := match(rule, root)) is None:
        return None
    return make_group(rule.name, nodes)


def refusal(rule: Rule, root: Node) -> str:
    """Which part of a rule does not fit, where `match` finds nothing around a root."""
    taken: Taken = {}
    bare = replace(rule.root, sources=())
    if root.group is not None:
        return f"rule {root.group.rule} has taken it"
    if not _take(root, None, bare, taken):
        return "; ".join(CHECKS[c].text for c in bare.checks if not CHECKS[c].holds(root))
    sources = rule.root.sources
    if rule.every is not None:
        sources = tuple((i, rule.every) for i in range(len(root.inputs)))
    for at, source in sources:
        if not _source(root, at, source, taken, is_start=at == 0 and rule.rereads_source):
            return f"operand {at} does not come from what the rule wants there, or not alone"
    return "what follows it does not fit, or reads it elsewhere too"


def make_group(rule: str, nodes: Iterable[Node]) -> Group:
    group = Group(rule, sorted(nodes, key=lambda n: n.index))
    for node in group.nodes:
        node.group = group
    return group


def drop_cyclic(graph: Graph, groups: Sequence[Group]) -> list[Group]:
    """The groups without those that would depend on themselves by way of others.

    Where groups depend on each other in a circle, the one that was found last is given up, until
    none is left.
    """
    kept = list(groups)
    while (circle := _circle(graph)) is not None:
        worst = max(circle, key=kept.index)
        kept.remove(worst)
        for node in worst.nodes:
            node.group = None
    return kept


def _circle(graph: Graph) -> list[Group] | None:
    """Groups of which each depends on another of them; None if there are no such."""
    waiting: dict[int, int] = {}
    readers: dict[int, list[Node | Group]] = {}

    def unit(node: Node) -> Node | Group:
        return node.group or node

    units: dict[int, Node | Group] = {}
    for node in graph.nodes:
        mine = unit(node)
        units[id(mine)] = mine
        for source in node.inputs:
            if source is None or unit(source) is mine:
                continue
            waiting[id(mine)] = waiting.get(id(mine), 0) + 1
            readers.setdefault(id(unit(source)), []).append(mine)
    ready = [u for key, u in units.items() if key not in waiting]
    while ready:
        done = ready.pop()
        units.pop(id(done))
        for reader in readers.get(id(done), ()):
            waiting[id(reader)] -= 1
            if waiting[id(reader)] == 0:
                ready.append(reader)
    left = [u for u in units.values() if isinstance(u, Group)]
    return left or None
