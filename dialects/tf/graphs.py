"""TensorFlow graphs: the op, and analyses of order, loops, conditionals and sinks.

A node's data inputs are operands, in order, followed by the control inputs, of type `!tf.control`. Its data
outputs are results; a node that others wait for has a last result of type `!tf.control`. The
NodeDef's attributes are the dictionary `node_attrs`, which the text shows as the op's own properties:

    %y = tf.Relu "r" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

Bodies are graph regions: ops stand in the order of the file, and while loops are cycles.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.dialects.named_graph import NamedGraph
from autosplit.dialects.order import Cycle, topological_order
from autosplit.dialects.platform import LocalType, PlatformOp
from autosplit.dialects.tf.attributes import ResourceType
from autosplit.dialects.tf.base import TfOp
from autosplit.dialects.tf.opaque import OpaqueOp


@irdl_op_definition
class GraphOp(NamedGraph):
    """A whole TensorFlow graph.

    `inputs` and `outputs` are the names of the tensors that a caller passes and receives. By default,
    the inputs are the placeholders, and the outputs are the tensors that nothing reads. Example:

        tf.graph inputs ["x:0"] outputs ["y:0"] {
          %x = tf.Placeholder "x" () <{dtype = f32}> : () -> tensor<*xf32>
          %y = tf.Relu "y" (%x) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
        }
    """

    name = "tf.graph"

    def values(self) -> dict[str, OpResult]:
        """All data outputs of all nodes by tensor name, in the order of the file."""
        return {
            op.value_name(v.index): v
            for op in self.body.block.ops
            if isinstance(op, TfOp)
            for v in op.outputs
        }

    def graph_inputs(self) -> list[tuple[str, SSAValue]]:
        if self.inputs is not None:
            return _named(self.inputs, self.body.block.ops)
        return [
            (op.value_name(0), op.results[0])
            for op in self.body.block.ops
            if isinstance(op, TfOp) and op.op_type in ("Placeholder", "PlaceholderV2")
        ]

    def graph_outputs(self) -> list[tuple[str, SSAValue]]:
        if self.outputs is not None:
            return _named(self.outputs, reversed(self.body.block.ops))
        return [(v.op.value_name(v.index), v) for v in sinks(self) if isinstance(v.op, TfOp)]

    def verify_(self) -> None:
        nodes: set[str] = set()
        tensors: set[str] = set()
        for op in self.body.block.ops:
            if not isinstance(op, PlatformOp):
                raise VerifyException(f"holds {op.name}, expected only nodes of a model")
            tensors.update(op.value_name(v.index) for v in op.results)
            name = op.node_name.data
            if isinstance(op, TfOp) and name in nodes:
                raise VerifyException(f"two nodes are called {name!r}")
            nodes.add(name)
        for role, listed in (("input", self.inputs), ("output", self.outputs)):
            for tensor in listed or ():
                if tensor.data not in tensors or tensor.data.startswith("^"):
                    raise VerifyException(f"{role} {tensor.data!r} is not a tensor of the graph")
        try:
            topological(nodes_of(self))
        except AutosplitError as error:
            raise VerifyException(str(error)) from None


def _named(names: ArrayAttr[StringAttr], ops: Iterable[Operation]) -> list[tuple[str, SSAValue]]:
    """The values with these names; `ops` is searched in order."""
    # Conversions leave ops of other dialects among the nodes, under the same names.
    name_set = {name.data for name in names}
    values: dict[str, SSAValue] = {}
    for op in ops:
        if len(values) == len(name_set):
            break
        if not isinstance(op, PlatformOp):
            continue
        for value in op.results:
            if (name := op.value_name(value.index)) in name_set:
                values.setdefault(name, value)
    return [(name.data, values[name.data]) for name in names]


Path = tuple[str, ...]

# Types that matter only for their effect.
_EFFECTS = frozenset({"Assert", "NoOp", "Print", "TensorArrayCloseV3"})
# Types whose value the caller passes.
_PLACEHOLDERS = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})


VISIBLE = frozenset(
    {
        "Assert",
        "Case",
        "CheckNumerics",
        "CheckNumericsV2",
        "If",
        "Print",
        "PrintV2",
        "StatefulPartitionedCall",
        "While",
    }
)
"""Types with an observable effect: a message, or stopping the run.

They include the stateful types that call functions: graphs with functions contain assertions in that form.
"""


READS = frozenset(
    {
        "HashTableV2",
        "Identity",
        "IdentityN",
        "LookupTableExportV2",
        "LookupTableFindV2",
        "LookupTableSizeV2",
        "ReadVariableOp",
        "ResourceGather",
        "ResourceGatherNd",
        "VarHandleOp",
        "VarIsInitializedOp",
        "VariableShape",
    }
)
"""Types that use handles without changing anything."""

FILLS = frozenset({"InitializeTableFromTextFileV2", "InitializeTableV2", "LookupTableImportV2"})
"""Types that fill a table, which only its readers can observe."""


def acts(op: TfOp) -> bool:
    """Whether running an op is observable other than through the handles it uses."""
    if op.op_type in READS or op.op_type in FILLS:
        return False
    return isinstance(op, OpaqueOp) or op.op_type in VISIBLE or touches(op)


def touches(op: TfOp) -> bool:
    """Whether an op uses a handle of something that others may change."""
    handles = any(isinstance(v.type, ResourceType) for v in (*op.operands, *op.results))
    return handles and not op.op_type.startswith("TensorArray")


def nodes_of(graph: Operation) -> list[TfOp]:
    """The nodes directly in the body of a graph or a function, in the order of the module."""
    return [op for op in graph.regions[0].block.ops if isinstance(op, TfOp)]


def topological(nodes: Iterable[TfOp]) -> list[TfOp]:
    """The nodes in topological order, as close to the given order as possible.

    Back edges of loops, into a Merge, are ignored. Raises AutosplitError for any other cycle.
    """
    node_list = list(nodes)
    return [node_list[i] for i in _ordered(node_list, _links(node_list))]


Links = list[list[int]]
"""For each node, the indices of those that it depends on."""


def _links(nodes: Sequence[TfOp]) -> Links:
    # By id: ops compare by identity, and their `__hash__` is slow Python code.
    index = {id(op): i for i, op in enumerate(nodes)}
    links = [[i for v in op.operands if (i := index.get(id(v.owner))) is not None] for op in nodes]
    for op, dependencies in zip(nodes, links, strict=True):
        if dependencies and op.op_type in _MERGE:
            dependencies[:] = [i for i in dependencies if nodes[i].op_type not in _NEXT]
    return links


def _ordered(nodes: Sequence[TfOp], links: Links) -> Sequence[int]:
    """The indices of the nodes in the order of `topological`."""
    if all(dependency < i for i, dependencies in enumerate(links) for dependency in dependencies):
        return range(len(nodes))
    try:
        return topological_order(links)
    except Cycle as cycle:
        raise AutosplitError(
            f"node {nodes[cycle.nodes[0]].node_name.data!r} depends on its own output, "
            "and on no way around is a NextIteration; expected a graph without such cycles"
        ) from None


_NEXT = frozenset({"NextIteration", "RefNextIteration"})
_MERGE = frozenset({"Merge", "RefMerge"})
_ENTER = frozenset({"Enter", "RefEnter"})
_EXIT = frozenset({"Exit", "RefExit"})
_SWITCH = frozenset({"Switch", "RefSwitch"})


@dataclass(frozen=True)
class ControlFlow:
    """The loops and conditionals of a graph."""

    order: list[TfOp]
    """All nodes, see `topological`."""
    frames: dict[TfOp, Path]
    """The while frame that each node belongs to, as the names of the frames around it, outermost first.

    From Enter to Exit, both included, loop-invariant nodes as well. Nodes outside of all frames are left out.
    """
    conditionals: dict[TfOp, str]
    """The conditional outside of while frames that each node belongs to: from Switch to Merge.

    Values between the two may be dead, and a dead value cannot leave a sub-model, so a conditional is kept
    whole, with those and the loops inside of it. It goes by the name of its first node.
    """

    def __contains__(self, op: object) -> bool:
        return op in self.frames or op in self.conditionals

    def has_one_value(self, op: TfOp) -> bool:
        """Whether an op runs just once: it is outside of loops and conditionals, or ends one.

        The end of a loop inside of another has a value in each iteration of that.
        """
        if op in self.frames:
            return op.op_type in _EXIT and len(self.frames[op]) == 1
        return op not in self.conditionals or op.op_type in _MERGE


def control_flow(graph: Operation) -> ControlFlow:
    """The loops and conditionals of a graph, of which many questions need both."""
    nodes = nodes_of(graph)
    links = _links(nodes)
    indices = _ordered(nodes, links)
    loops = _frames(nodes, links, indices)
    order = [nodes[i] for i in indices]
    return ControlFlow(order, loops, _conditionals(nodes, order, loops))


def _frames(nodes: Sequence[TfOp], links: Links, order: Sequence[int]) -> dict[TfOp, Path]:
    frames: dict[TfOp, Path] = {}
    leaves: dict[int, Path] = {}
    for i in order:
        op = nodes[i]
        kind = op.op_type
        frame_path: Path = ()
        # Most graphs have no loop, and in others most nodes are outside of them.
        if leaves and not leaves.keys().isdisjoint(links[i]):
            frame_path = max((leaves.get(producer, ()) for producer in links[i]), key=len)
        if kind in _ENTER:
            frame_path = (*frame_path, str(op.attribute("frame_name", "")))
        if frame_path:
            frames[op] = frame_path
            if outgoing_path := frame_path[:-1] if kind in _EXIT else frame_path:
                leaves[i] = outgoing_path
    return frames


Branch = tuple[str, int]
"""A predicate's tensor name and the branch: 0 false, 1 true."""

_ALWAYS = frozenset[Branch]()


def _conditionals(
    nodes: Sequence[TfOp], order: Sequence[TfOp], loops: Container[TfOp]
) -> dict[TfOp, str]:
    # The branches that a value depends on, if it may be dead.
    alive: dict[SSAValue, frozenset[Branch]] = {}
    groups: dict[TfOp, TfOp] = {}

    def root(op: TfOp) -> TfOp:
        groups.setdefault(op, op)
        while groups[op] is not op:
            groups[op] = groups[groups[op]]
            op = groups[op]
        return op

    for op in order:
        kind = op.op_type
        if kind not in _SWITCH and (not alive or alive.keys().isdisjoint(op.operands)):
            continue
        operand_branches = [alive.get(v, _ALWAYS) for v in op.operands]
        for value, branches in zip(op.operands, operand_branches, strict=True):
            if branches and isinstance(value.owner, TfOp):
                groups[root(op)] = root(value.owner)
        if kind in _MERGE and op not in loops and operand_branches:
            common = _ALWAYS.union(operand_branches[0]).intersection(*operand_branches)
        else:
            common = _ALWAYS.union(*operand_branches)
        if common:
            alive.update((result, common) for result in op.results)
        if kind in _SWITCH and op not in loops and len(op.inputs) == 2:
            root(op)
            predicate = _name(op.inputs[1])
            for side, result in enumerate(op.outputs):
                alive[result] = common | {(predicate, side)}
    names: dict[TfOp, str] = {}
    for op in nodes:
        if op in groups:
            names.setdefault(root(op), op.node_name.data)
    return {op: names[root(op)] for op in nodes if op in groups}


def _name(value: SSAValue) -> str:
    if isinstance(value, OpResult) and isinstance(value.op, TfOp):
        return value.op.value_name(value.index)
    return value.name_hint or "argument"


def sinks(graph: Operation, flow: ControlFlow | None = None) -> list[OpResult]:
    """The data outputs of the nodes whose outputs are all unused. `flow`: its control flow, if at hand.

    Excludes placeholders, constants, asserts and the like, handles, and nodes inside while frames or
    conditionals.
    """
    control = flow or control_flow(graph)
    values: list[OpResult] = []
    for op in nodes_of(graph):
        if op.IS_CONSTANT or op.op_type in _EFFECTS or op.op_type in _PLACEHOLDERS:
            continue
        if not control.has_one_value(op):
            continue
        if any(_is_read(v) for v in op.results):
            continue
        values += [v for v in op.outputs if not isinstance(v.type, LocalType)]
    return values


def _is_read(value: SSAValue) -> bool:
    return value.first_use is not None


def ancestors(values: Iterable[SSAValue]) -> set[Operation]:
    """The ops that the values are computed from, control edges included."""
    pending = [v.owner for v in values]
    producers: set[Operation] = set()
    while pending:
        owner = pending.pop()
        if isinstance(owner, Operation) and owner not in producers:
            producers.add(owner)
            pending.extend(v.owner for v in owner.operands)
    return producers
