"""tf-inline-calls: calls of functions of the graph's library become the functions' nodes.

A call of a function is a single op, which runs where TensorFlow does. Inlined, each of the function's nodes
finds its own device. A call stays if it is inside a loop or a conditional, which are kept whole anyway, if
its function has nothing that converts, or if the inlined nodes might compute something else.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.core.weights import WeightStore, store_for
from autosplit.dialects.platform import (
    LocalType,
    PlatformGraph,
    ProtoAttr,
    element_type,
    free_name,
    set_type,
)
from autosplit.dialects.tf import GraphOp, OpaqueOp, TfOp, make_node
from autosplit.dialects.tf.attributes.proto import (
    AttrValue,
    FunctionDef,
    NameAttrList,
    NodeDef,
    new_attr,
    new_graph,
    new_node,
)
from autosplit.dialects.tf.attributes.values import AttrReader, attr_bytes
from autosplit.dialects.tf.graphs import (
    VISIBLE,
    acts,
    control_flow,
    nodes_of,
    touches,
)
from autosplit.dialects.tf.ops import DECLARED
from autosplit.dialects.tf.outputs import output_ranges
from autosplit.formats.tensorflow.functions import (
    FunctionLibrary,
    called_by,
)
from autosplit.formats.tensorflow.reader import PendingNode, make_op
from autosplit.lowering.convert_tf_to_onnx import CONVERSIONS
from autosplit.lowering.convert_tf_to_onnx.patterns import replace_node
from autosplit.lowering.rewriting import Pattern, apply_to, why
from autosplit.lowering.shared.types import join

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
KEPT = "tf.kept"
"""The attribute of a call that stays, with the reason."""

_IDLE = frozenset({"Identity", "IdentityN", "Const", "NoOp", "Placeholder", "Reshape", "Shape"})
"""Converted types that are no work for a chip."""


class Stays(Exception):
    """Why a call is not inlined, as in `where it calls itself`."""


def quiet_calls(module: ModuleOp, graph: GraphOp) -> set[TfOp]:
    """The ops that call functions, of kinds that may have effects, and whose functions have none."""
    graph_def = module.attributes.get("tf.rest")
    if not isinstance(graph_def, ProtoAttr) or not (data := new_graph(graph_def.data.data).library):
        return set()
    library = FunctionLibrary.of(data)
    calls: set[TfOp] = set()
    for op in nodes_of(graph):
        if op.op_type in VISIBLE:
            names = [name for name in called_by(op) if name in library.functions]
            if names and not any(library.effects(library.functions[name]) for name in names):
                calls.add(op)
    return calls


def inline_calls(module: ModuleOp, graph: GraphOp, keep: Iterable[str] = ()) -> None:
    """Inlines the calls of a graph, and those in what is inlined, as far as possible.

    `keep`: names of tensors that must exist afterwards, besides the graph's outputs.
    """
    graph_def = module.attributes.get("tf.rest")
    if not isinstance(graph_def, ProtoAttr):
        return
    proto = new_graph(graph_def.data.data)
    if not proto.library:
        return
    library = FunctionLibrary.of(proto.library, module)
    names = {*keep, *(name for name, _ in graph.graph_outputs())}
    pattern = InlineCall(graph, library, store_for(module), proto.versions.producer, names)
    changed = False
    while calls := pattern.find_calls():
        changed |= apply_to(calls, [pattern])
    if changed:
        proto.library = library.only(n for op in nodes_of(graph) for n in called_by(op))
        module.attributes["tf.rest"] = ProtoAttr.of(proto.SerializeToString(deterministic=True))


class NodeNames:
    """The names of a graph's nodes."""

    def __init__(self, graph: PlatformGraph):
        self._taken = {op.node_name.data for op in nodes_of(graph)}

    def unique(self, name: str) -> str:
        """The name, or one like it if a node has it already; taken from now on."""
        return free_name(self._taken, name, first=1)


class InlineCall(Pattern[TfOp]):
    """A call -> the nodes of its function, and a node with the call's name if anything needs that."""

    def __init__(
        self,
        graph: GraphOp,
        library: FunctionLibrary,
        store: WeightStore,
        producer: int,
        keep: set[str],
    ):
        self.graph = graph
        self.library = library
        self.store = store
        self.producer = producer
        self.keep = keep
        self.reader = AttrReader()
        self.names = NodeNames(graph)
        self.within: dict[TfOp, tuple[str, ...]] = {}
        """The functions that an inlined op was in, outermost first."""
        self.useful: dict[str, bool] = {}
        self.calls: dict[TfOp, NameAttrList] = {}
        """The functions that the ops of this round call, with attributes."""
        self.whole: Container[Operation] = ()
        """The ops that are in loops and conditionals."""

    def find_calls(self) -> list[TfOp]:
        """The calls that have not been examined yet."""
        self.calls = {
            op: call for op in nodes_of(self.graph) if (call := self._call(op)) is not None
        }
        self.whole = control_flow(self.graph) if self.calls else ()
        return list(self.calls)

    def _call(self, op: TfOp) -> NameAttrList | None:
        """The function that a call names; None if it has been examined, or `op` is no call."""
        if KEPT in op.attributes:
            return None
        function = op.node_attrs.data.get("f") if op.op_type in CALLS else None
        if isinstance(function, ProtoAttr):
            return new_attr(function.data.data).func
        if not isinstance(op, OpaqueOp) or op.op_type not in self.library.functions:
            return None
        call = new_attr().func
        call.name = op.op_type
        for name, attr in op.node_attrs.data.items():
            call.attr[name].ParseFromString(attr_bytes(attr))
        return call

    def rewrite(self, op: TfOp, rewriter: PatternRewriter, /) -> None:
        try:
            if op in self.whole:
                raise Stays("inside of what runs as a whole")
            self._inline(op, self.calls[op], rewriter)
        except Stays as reason:
            op.attributes[KEPT] = StringAttr(str(reason))
            why(op, f"stays a call, {reason}")

    def _inline(self, op: TfOp, call: NameAttrList, rewriter: PatternRewriter) -> None:
        body = self._body(op, call)
        ops, results = body.make(lambda n: make_op(n, self.reader, self.store, self.producer))
        effects: list[SSAValue] = [v for i in body.effects if (v := ops[i].done) is not None]
        named = bool(effects) or any(op.value_name(v.index) in self.keep for v in op.outputs)
        for old, new in zip(op.outputs, results, strict=True):
            set_type(new, join(new.type, old.type))
        carrier = _carrier(op, results, effects) if named else None
        read = [v for old, v in zip(op.outputs, results, strict=True) if named or old.first_use]
        needed = _ancestors([*read, *effects], set(ops))
        for new in ops:
            if new not in needed:
                new.operands = ()
            elif op.controls and (acts(new) or touches(new)):
                new.operands = [*new.operands, *op.controls]
        added = [new for new in ops if new in needed] + ([] if carrier is None else [carrier])
        inner = (*self.within.get(op, ()), call.name)
        self.within.update(dict.fromkeys(added, inner))
        rewriter.insert(added)
        done = None if carrier is None else carrier.done
        replace_node(op, results if carrier is None else carrier.outputs, rewriter, done)

    def _body(self, op: TfOp, call: NameAttrList) -> FunctionBody:
        """The nodes of a function. Raises Stays where it is not inlined."""
        function = self.library.functions.get(call.name)
        if function is None:
            raise Stays(f"of which there is no {call.name!r}")
        if call.name in self.within.get(op, ()):
            raise Stays("where it calls itself")
        if not self._is_useful(call.name):
            raise Stays("where it has no node that a chip runs")
        xla = "_XlaMustCompile"
        flags = [attrs[xla].b for attrs in (call.attr, function.attr) if xla in attrs]
        if any(flags) or op.attribute(xla):
            raise Stays("where XLA compiles it, with other results")
        effects = self.library.effects(function)
        inputs = list(op.inputs)
        return FunctionBody(
            function, call, op, inputs, effects, self.names.unique, self.library.outputs
        )

    def _is_useful(self, name: str) -> bool:
        """Whether a function, or what it calls, has a node that may run on a chip."""
        if name not in self.useful:
            self.useful[name] = any(
                node.op in CONVERSIONS and node.op not in _IDLE
                for function in self.library.reached([name]).values()
                for node in function.node_def
            )
        return self.useful[name]


Source = SSAValue | tuple[int, int]
"""What a node of a function reads: an argument of the call, or (node, output)."""


class FunctionBody:
    """The nodes of a function as those of the graph that calls it.

    `inputs`: the arguments that `op` passes. `effects`: the function's nodes that must run. `unique`: a name
    for a node of the graph. `outputs`: names of the outputs of functions and custom ops. Raises Stays where
    the function and the call do not fit.
    """

    def __init__(
        self,
        function: FunctionDef,
        call: NameAttrList,
        op: TfOp,
        inputs: Sequence[SSAValue],
        effects: Iterable[str],
        unique: Callable[[str], str],
        outputs: Mapping[str, Sequence[str]],
    ):
        self.call = call
        self.outputs = outputs
        self.arguments = self._arguments(function, inputs)
        self.index = {node.name: i for i, node in enumerate(function.node_def)}
        self.nodes = [PendingNode(self._copy(node, op)) for node in function.node_def]
        self.names: dict[int, str] = {}
        """How the function names the output of a node of an unknown type."""
        self.sources = [self._sources(i, node) for i, node in enumerate(function.node_def)]
        self.results = [
            source
            for arg in function.signature.output_arg
            for source in self._read(function.ret[arg.name])
        ]
        self.effects = [self.index[name] for name in effects]
        for i in self.effects:
            self.nodes[i].waited_for = True
        if len(self.results) != len(op.outputs):
            raise Stays("where it gives another number of results")
        for node in self.nodes:
            node.proto.name = unique(f"{op.node_name.data}/{node.proto.name}")

    def make(self, make_one: Callable[[PendingNode], TfOp]) -> tuple[list[TfOp], list[SSAValue]]:
        """The ops, in no block yet, and what the function returns."""
        ops = [make_one(node) for node in self.nodes]
        for new, node, sources in zip(ops, self.nodes, self.sources, strict=True):
            data = [_value(source, ops) for source in sources]
            new.operands = [*data, *(ops[i].results[-1] for i in node.controls)]
        return ops, [_value(source, ops) for source in self.results]

    def _arguments(
        self, function: FunctionDef, inputs: Sequence[SSAValue]
    ) -> dict[str, Sequence[SSAValue]]:
        arguments: dict[str, Sequence[SSAValue]] = {}
        for arg in function.signature.input_arg:
            several = arg.number_attr or arg.type_list_attr
            size = self._size(self.call.attr, several) if several else 1
            arguments[arg.name], inputs = inputs[:size], inputs[size:]
            if len(arguments[arg.name]) != size:
                raise Stays("where it takes more arguments")
        if inputs:
            raise Stays("where it takes fewer arguments")
        return arguments

    @staticmethod
    def _size(attrs: Mapping[str, AttrValue], name: str) -> int:
        if name not in attrs:
            raise Stays(f"where the attribute {name!r} is missing")
        value = attrs[name]
        return value.i if value.WhichOneof("value") == "i" else len(value.list.type)

    def _copy(self, node: NodeDef, op: TfOp) -> NodeDef:
        """The node with the call's attributes and device; names of loops are the call's own."""
        copy = new_node(node.SerializeToString())
        copy.ClearField("input")
        for name in list(copy.attr):
            if name == "_class":
                del copy.attr[name]
            elif copy.attr[name].WhichOneof("value") == "placeholder":
                value = self.call.attr.get(copy.attr[name].placeholder)
                if value is None:
                    raise Stays(f"where the attribute {copy.attr[name].placeholder!r} is missing")
                copy.attr[name].CopyFrom(value)
        if "frame_name" in copy.attr:
            copy.attr["frame_name"].s = f"{op.node_name.data}/".encode() + copy.attr["frame_name"].s
        if not copy.device and op.device is not None:
            copy.device = op.device.data
        return copy

    def _sources(self, i: int, node: NodeDef) -> list[Source]:
        sources: list[Source] = []
        for text in node.input:
            if not text.startswith("^"):
                sources += self._read(text)
            elif text[1:] in self.index:
                producer = self.index[text[1:]]
                self.nodes[i].controls.append(producer)
                self.nodes[producer].waited_for = True
        # Their number decides on the class of the op.
        self.nodes[i].inputs = [s if isinstance(s, tuple) else (-1, 0) for s in sources]
        return sources

    def _read(self, text: str) -> list[Source]:
        """What `argument`, `argument:1`, `node:values:0` or `node:values` stands for."""
        name, *output_parts = text.split(":")
        if name in self.arguments:
            values = self.arguments[name]
            return [values[int(output_parts[0])]] if output_parts else list(values)
        if name not in self.index:
            raise Stays(f"where it reads {text!r}, which is not there")
        producer = self.index[name]
        output = self._output(producer, output_parts)
        self.nodes[producer].outputs = max(self.nodes[producer].outputs, output + 1)
        return [(producer, output)]

    def _output(self, producer: int, parts: list[str]) -> int:
        """Which output of a node `values:0` is."""
        proto = self.nodes[producer].proto
        name = parts[0] if parts else ""
        at = int(parts[1]) if len(parts) > 1 else 0
        size = partial(self._size, proto.attr)
        ranges = output_ranges(proto.op, size, self.outputs)
        if ranges is None:
            # A custom op whose library was not given: which of several outputs has the name is unknown.
            if self.names.setdefault(producer, name) != name or _has_several(proto):
                raise Stays(f"where the outputs of {proto.op} are unknown")
            return at
        if name not in ranges or at >= len(ranges[name]):
            raise Stays(f"where it reads {name!r} of {proto.op}, which has none")
        return ranges[name][at]


def _has_several(node: NodeDef) -> bool:
    """Whether a node of an unknown type notes the shapes of its outputs, and of more than one."""
    if DECLARED.get(node.op) is not None or "_output_shapes" not in node.attr:
        return False
    return len(node.attr["_output_shapes"].list.shape) > 1


def _value(source: Source, ops: list[TfOp]) -> SSAValue:
    return ops[source[0]].results[source[1]] if isinstance(source, tuple) else source


def _ancestors(values: Iterable[SSAValue], among: set[TfOp]) -> set[TfOp]:
    """The ops of `among` that the values are computed from."""
    pending = [v.owner for v in values]
    ancestors: set[TfOp] = set()
    while pending:
        owner = pending.pop()
        if isinstance(owner, TfOp) and owner in among and owner not in ancestors:
            ancestors.add(owner)
            pending += [v.owner for v in owner.operands]
    return ancestors


def _carrier(op: TfOp, results: list[SSAValue], effects: list[SSAValue]) -> TfOp:
    """A node with the call's name that returns its results, once the effects have happened."""
    types = [v.type if isinstance(v.type, LocalType) else element_type(v.type) for v in results]
    elements = [t for t in types if t is not None]
    if len(elements) < len(types):
        raise Stays("where the type of a result is unknown")
    kind = ("NoOp", "Identity")[len(results)] if len(results) < 2 else "IdentityN"
    attributes: dict[str, object] = {}
    if results:
        attributes["T"] = elements[0] if len(results) == 1 else ArrayAttr(elements)
    return make_node(
        kind,
        results,
        op.node_name.data,
        attributes=attributes,
        controls=effects,
        result_types=[v.type for v in results],
        done=op.done is not None,
        device="" if op.device is None else op.device.data,
    )


@dataclass(frozen=True)
class TfInlineCallsPass(ModulePass):
    """Calls are replaced by the nodes of their functions, named `call/node`, if possible.

    A call remains, with the reason in `tf.kept`, if it is in a loop or a conditional, if XLA compiles
    it, if it is recursive, or if it has no node that a chip runs. A call whose results are requested by
    name, or whose function has effects, leaves an Identity of its name.
    """

    name = "tf-inline-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for graph in op.body.block.ops:
            if isinstance(graph, GraphOp):
                inline_calls(op, graph)
