"""Questions about TensorFlow graphs: order, loops, conditionals, sinks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from xdsl.ir import Operation, OpResult, SSAValue

from autosplit.dialects.tf.attributes import ControlType
from autosplit.dialects.tf.base import TfOp
from autosplit.errors import AutosplitError

Path = tuple[str, ...]

# Types of which only their effect matters.
_EFFECTS = frozenset({"Assert", "NoOp", "Print", "TensorArrayCloseV3"})


def nodes_of(graph: Operation) -> list[TfOp]:
    """The nodes directly in the body of a graph or a function, in the order of the module."""
    return [op for op in graph.regions[0].block.ops if isinstance(op, TfOp)]


def topological(nodes: Iterable[TfOp]) -> list[TfOp]:
    """The nodes with each behind those that it reads, as near to their given order as that allows.

    What goes back to a loop's Merge is not waited for. Raises AutosplitError for any other cycle.
    """
    listed = list(nodes)
    place = {op: i for i, op in enumerate(listed)}
    waits = [0] * len(listed)
    readers: list[list[int]] = [[] for _ in listed]
    for i, op in enumerate(listed):
        for maker in {v.owner for v in op.operands}:
            if not isinstance(maker, TfOp) or maker not in place:
                continue
            if maker.op_type in _NEXT and op.op_type in _MERGE:
                continue
            readers[place[maker]].append(i)
            waits[i] += 1
    ready = [i for i, n in enumerate(waits) if n == 0]
    order: list[TfOp] = []
    while ready:
        i = heappop(ready)
        order.append(listed[i])
        for reader in readers[i]:
            waits[reader] -= 1
            if waits[reader] == 0:
                heappush(ready, reader)
    if len(order) < len(listed):
        stuck = next(listed[i] for i, n in enumerate(waits) if n > 0)
        raise AutosplitError(
            f"node {_in_cycle(stuck, place).node_name.data!r} depends on its own output, "
            "and on no way around is a NextIteration; expected a graph without such cycles"
        )
    return order


_NEXT = frozenset({"NextIteration", "RefNextIteration"})
_MERGE = frozenset({"Merge", "RefMerge"})
_ENTER = frozenset({"Enter", "RefEnter"})
_EXIT = frozenset({"Exit", "RefExit"})
_SWITCH = frozenset({"Switch", "RefSwitch"})


def _in_cycle(start: TfOp, place: Mapping[TfOp, int]) -> TfOp:
    """A node on a cycle that `start` is on or behind."""
    seen: set[TfOp] = set()
    op = start
    # `start` waits for something that is stuck too, so walking back never ends but on a cycle.
    order = topological_prefix(place)
    while op not in seen:
        seen.add(op)
        op = next(
            m
            for m in (v.owner for v in op.operands)
            if isinstance(m, TfOp) and m in place and m not in order
        )
    return op


def topological_prefix(place: Mapping[TfOp, int]) -> set[TfOp]:
    """The nodes that a topological order reaches before it meets a cycle."""
    done: set[TfOp] = set()
    changed = True
    while changed:
        changed = False
        for op in place:
            if op in done:
                continue
            makers = (v.owner for v in op.operands)
            loops = op.op_type in _MERGE
            if all(
                m not in place
                or m in done
                or (loops and isinstance(m, TfOp) and m.op_type in _NEXT)
                for m in makers
            ):
                done.add(op)
                changed = True
    return done


def frames(graph: Operation) -> dict[TfOp, Path]:
    """The while frame that each node belongs to, as the names of the frames around it, outermost first.

    From Enter to Exit, both included, loop-invariant nodes as well. Nodes outside of all frames are left
    out.
    """
    found: dict[TfOp, Path] = {}
    leaves: dict[TfOp, Path] = {}
    for op in topological(nodes_of(graph)):
        inside: Path = ()
        for value in op.operands:
            owner = value.owner
            if not isinstance(owner, TfOp) or (owner.op_type in _NEXT and op.op_type in _MERGE):
                continue
            path = leaves.get(owner, ())
            if len(path) > len(inside):
                inside = path
        if op.op_type in _ENTER:
            inside = (*inside, str(op.attribute("frame_name", "")))
        if inside:
            found[op] = inside
            leaves[op] = inside[:-1] if op.op_type in _EXIT else inside
    return found


Branch = tuple[str, int]
"""A predicate's tensor name, and which of its ways: 0 false, 1 true."""


def conditionals(graph: Operation) -> dict[TfOp, str]:
    """The conditional outside of while frames that each node belongs to: from Switch to Merge.

    Values between the two may be dead, and a dead value cannot leave a sub-model, so a conditional is kept
    whole, with those inside of it. It goes by the name of its first predicate.
    """
    loops = frames(graph)
    # What must be true for the results of a node to be alive, per result.
    alive: dict[SSAValue, frozenset[Branch]] = {}
    groups: dict[str, str] = {}
    member: dict[TfOp, str] = {}

    def root(name: str) -> str:
        while groups.setdefault(name, name) != name:
            name = groups[name]
        return name

    for op in topological(nodes_of(graph)):
        if op in loops and op.op_type not in _EXIT:
            continue
        needs = [alive.get(v, frozenset[Branch]()) for v in op.operands]
        merged = op.op_type in _MERGE and bool(needs)
        common = (
            frozenset[Branch].intersection(*needs) if merged else frozenset[Branch]().union(*needs)
        )
        involved = list(dict.fromkeys(name for need in needs for name, _ in sorted(need)))
        if op.op_type in _SWITCH and len(op.inputs) == 2:
            predicate = _name(op.inputs[1])
            involved.append(predicate)
            for way, result in enumerate(op.outputs):
                alive[result] = common | {(predicate, way)}
            if op.done is not None and common:
                alive[op.done] = common
        elif common:
            for result in op.results:
                alive[result] = common
        if involved:
            for name in involved[1:]:
                groups[root(name)] = root(involved[0])
            member[op] = involved[0]
    return {op: root(name) for op, name in member.items()}


def _name(value: SSAValue) -> str:
    if isinstance(value, OpResult) and isinstance(value.op, TfOp):
        return value.op.value_name(value.index)
    return value.name_hint or "argument"


def sinks(graph: Operation) -> list[OpResult]:
    """The data outputs of the nodes of which nothing reads any output.

    Not those of constants, asserts and the like, and not what is inside of while frames or conditionals.
    """
    inner = {*frames(graph), *conditionals(graph)}
    found: list[OpResult] = []
    for op in nodes_of(graph):
        if op.op_type in _EFFECTS or op.IS_CONSTANT:
            continue
        if op in inner and op.op_type not in _EXIT | _MERGE:
            continue
        if any(_is_read(v) for v in op.results):
            continue
        found += [v for v in op.outputs if not isinstance(v.type, ControlType)]
    return found


def _is_read(value: SSAValue) -> bool:
    return value.first_use is not None


def ancestors(values: Iterable[SSAValue]) -> set[Operation]:
    """The ops that the values are computed from, control edges included."""
    pending = [v.owner for v in values]
    found: set[Operation] = set()
    while pending:
        owner = pending.pop()
        if isinstance(owner, Operation) and owner not in found:
            found.add(owner)
            pending.extend(v.owner for v in owner.operands)
    return found


def named_values(graph: Operation) -> Iterator[tuple[str, OpResult]]:
    """The data outputs of all nodes by tensor name, in the order of the module."""
    for op in nodes_of(graph):
        for value in op.outputs:
            yield op.value_name(value.index), value
