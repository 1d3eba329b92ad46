"""Puts the functions that ops of a copy call into its graph, where sizes are followed through them.

A functional loop becomes one round of its body between Merges, as in a graph of TensorFlow 1; a functional
conditional both branches; a call the function. The op itself stays behind them and reads their results
(`OPENED`). The copy never runs, so it does not matter what must not run twice, or must run.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, SSAValue

from autosplit.core.weights import store_for
from autosplit.dialects.platform import LocalType, ProtoAttr, element_type, platform_graph, set_type
from autosplit.dialects.tf import TfOp, make_node
from autosplit.dialects.tf.attributes.proto import new_attr, new_graph
from autosplit.dialects.tf.attributes.values import AttrReader
from autosplit.dialects.tf.graphs import nodes_of
from autosplit.formats.tensorflow.functions import FunctionLibrary
from autosplit.formats.tensorflow.reader import make_op
from autosplit.lowering.convert_tf_to_onnx.tf_inline_calls import (
    CALLS,
    FunctionBody,
    NodeNames,
    Stays,
)
from autosplit.lowering.shared.types import join
from autosplit.lowering.sizes.tf_rules import OPENED

LOOPS = frozenset({"StatelessWhile", "While"})
CONDITIONALS = frozenset({"If", "StatelessIf"})
OPENS = LOOPS | CONDITIONALS | CALLS

MOST_NODES = 50_000
"""Functions are put into a copy until they have added this many nodes."""


def open_functions(copy: ModuleOp) -> None:
    """Opens loops, conditionals and calls of a TensorFlow module, and those inside them."""
    graph = copy.attributes.get("tf.rest")
    if not isinstance(graph, ProtoAttr) or not (proto := new_graph(graph.data.data)).library:
        return
    opener = _Opener(copy, FunctionLibrary.of(proto.library, copy), proto.versions.producer)
    pending = list(nodes_of(platform_graph(copy)))
    while pending:
        op = pending.pop()
        if op.op_type in OPENS and opener.budget > 0:
            pending += opener.open(op)


class _Opener:
    def __init__(self, copy: ModuleOp, library: FunctionLibrary, producer: int):
        self.library = library
        self.producer = producer
        self.store = store_for(copy)
        self.reader = AttrReader()
        self.names = NodeNames(platform_graph(copy))
        self.within: dict[TfOp, tuple[str, ...]] = {}
        """The functions that an op came from, outermost first."""
        self.budget = MOST_NODES
        self.created: list[TfOp] = []
        """The nodes made for the op that is being opened."""

    def open(self, op: TfOp) -> list[TfOp]:
        """Opens an op; returns the nodes that came out of its functions, none if it stays closed."""
        self.created = []
        try:
            added, results = self._inside(op)
        except Stays:
            for node in self.created:
                node.operands = ()
            return []
        assert op.parent is not None
        op.parent.insert_ops_before(added, op)
        op.operands = results
        op.attributes[OPENED] = UnitAttr()
        self.budget -= len(added)
        return added

    def _inside(self, op: TfOp) -> tuple[list[TfOp], list[SSAValue]]:
        """The nodes of an op's functions, and the values that stand for the op's results."""
        if op.op_type in LOOPS:
            return self._loop(op)
        if op.op_type in CALLS:
            return self._body(op, "f", op.inputs)
        predicate, *inputs = op.inputs
        nodes, if_true = self._body(op, "then_branch", inputs)
        others, if_false = self._body(op, "else_branch", inputs)
        return [*nodes, *others], [predicate, *if_true, *if_false]

    def _loop(self, op: TfOp) -> tuple[list[TfOp], list[SSAValue]]:
        merges = [self._node(op, "Merge", value, N=2) for value in op.inputs]
        carried: list[SSAValue] = [merge.results[0] for merge in merges]
        nodes, results = self._body(op, "body", carried)
        backs = [self._node(op, "NextIteration", result) for result in results]
        for merge, back in zip(merges, backs, strict=True):
            merge.operands = [*merge.operands, back.results[0]]
        return [*merges, *nodes, *backs], carried

    def _body(
        self, op: TfOp, attribute: str, inputs: Sequence[SSAValue]
    ) -> tuple[list[TfOp], list[SSAValue]]:
        """The nodes of a function that an op calls, and what it returns."""
        attr = op.node_attrs.data.get(attribute)
        call = new_attr(attr.data.data).func if isinstance(attr, ProtoAttr) else None
        function = None if call is None else self.library.functions.get(call.name)
        if call is None or function is None or call.name in self.within.get(op, ()):
            raise Stays
        outputs = self.library.outputs
        body = FunctionBody(function, call, op, inputs, (), self.names.unique, outputs)
        ops, results = body.make(lambda n: make_op(n, self.reader, self.store, self.producer))
        self.created += ops
        inner = (*self.within.get(op, ()), call.name)
        self.within.update(dict.fromkeys(ops, inner))
        if op.op_type in CALLS:
            for old, new in zip(op.outputs, results, strict=True):
                set_type(new, join(new.type, old.type))
        return ops, results

    def _node(self, op: TfOp, kind: str, value: SSAValue, **attributes: int) -> TfOp:
        node = make_node(
            kind,
            [value],
            self.names.unique(f"{op.node_name.data}/{kind}"),
            attributes={"T": _dtype(value), **attributes},
        )
        self.created.append(node)
        return node


def _dtype(value: SSAValue) -> Attribute:
    """Raises Stays where it is unknown."""
    element = value.type if isinstance(value.type, LocalType) else element_type(value.type)
    if element is None:
        raise Stays
    return element
