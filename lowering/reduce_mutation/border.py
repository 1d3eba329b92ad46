"""What the caller gets from a program with functional updates: its outputs, and what is written back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.aten import GraphOp, SourceOp, TensorSource, WriteBackOp
from autosplit.dialects.platform import value_name
from autosplit.lowering.reduce_mutation.forms import TensorForm
from autosplit.lowering.reduce_mutation.making import Maker, rename
from autosplit.lowering.reduce_mutation.values import TensorValues
from autosplit.lowering.rewriting import Pattern, located


@dataclass(frozen=True)
class Output:
    """A value that the caller gets, as it was before the rewrite."""

    name: str
    value: SSAValue
    form: TensorForm | None


class ReturnUpdates(Pattern[GraphOp]):
    """A graph that returns or owns tensors that were updated `->` one that returns their final values.

    Buffers and inputs get an `aten.write_back`. An output keeps its name, and the value that had it gets
    another; only an input that is returned after an update keeps its own.
    """

    def __init__(self, values: TensorValues, outputs: Sequence[Output]):
        self.values = values
        self.outputs = outputs

    def rewrite(self, op: GraphOp, rewriter: PatternRewriter, /) -> None:
        block = op.body.block
        if (last := block.last_op) is None:
            return
        created = self.values.created
        make = Maker(last, InsertPoint.at_end(block), rewriter, self.values.names, created)
        names: list[str] = []
        for output in self.outputs:
            names.append(self._returned(op, output, names, make))
        op.set_ends([name for name, _ in op.graph_inputs()], names)
        for source in [s for s in block.ops if isinstance(s, SourceOp)]:
            self._write_back(source, make, rewriter)

    def _returned(self, graph: GraphOp, output: Output, names: Sequence[str], make: Maker) -> str:
        """The name under which an output is returned."""
        if output.form is None or not output.form.memory.is_reduced:
            return output.name
        value = self.values.current(output.form, make)
        holder = graph.values().get(output.name)
        if value is holder:
            return output.name
        others = {o.name for o in self.outputs} - {output.name}
        is_shared = isinstance(value.owner, SourceOp) or value_name(value) in others
        if is_shared or value_name(value) in names:
            value = make("alias", {"self": value}, value.type)
        if isinstance(holder, OpResult) and isinstance(holder.op, SourceOp):
            return value_name(value)
        if isinstance(holder, OpResult):
            rename(holder, make.fresh(output.name))
        assert isinstance(value, OpResult)
        rename(value, output.name)
        return output.name

    def _write_back(self, source: SourceOp, make: Maker, rewriter: PatternRewriter) -> None:
        form = self.values.aliases.last(source.results[0])
        if not form.memory.is_reduced or not form.memory.version:
            return
        value = self.values.current(form, make)
        target = source.fqn.data if isinstance(source, TensorSource) else source.node_name.data
        name = make.fresh(f"{value_name(value)}_to_{target}")
        new = WriteBackOp.make(name, {}, [("self", source.results[0]), ("value", value)], [])
        rewriter.insert(located(new, source), make.place)
