"""dnnl-place: partitions run in oneDNN Graph, everything else on the CPU.

There is nothing to choose here: `dnnl-fuse` has decided what is a partition, and ops that move bytes between
partitions belong to them. The pass records this in the attributes that `device-cluster` and `device-outline`
read, and names the values of partitions, because sub-models exchange values by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.device import Kind
from autosplit.dialects.dnnl import PartitionOp
from autosplit.dialects.dnnl.moves import VIEWED, Move, Slicing, Transposing
from autosplit.dialects.onnx.ops import GraphOp, InitializerOp, OnnxOp
from autosplit.dialects.platform import (
    free_name,
    identity_of,
    platform_graph,
    value_name,
    value_names,
)
from autosplit.lowering.dnnl.convert_onnx_to_dnnl import UNMAPPED
from autosplit.lowering.dnnl.moves import moves_beside_partitions, takes_gaps, takes_turns
from autosplit.lowering.rewriting import Pattern, apply_to


class _Names:
    """Names for the values of partitions that no other value of the graph has."""

    def __init__(self, graph: GraphOp):
        self.used_names = {name for name, _ in graph.graph_inputs()}
        for op in graph.body_ops():
            if isinstance(op, OnnxOp):
                self.used_names.update(value_name(result) for result in op.results)
        self.outputs = {value: name for name, value in reversed(graph.graph_outputs())}

    def of(self, partition: PartitionOp) -> list[str]:
        """A name for each result: the model's if it is known or an output, else based on the partition's."""
        own_names = value_names(partition)
        names: list[str] = []
        for i, result in enumerate(partition.results):
            model_name = own_names[i] if i < len(own_names) else ""
            base = self.outputs.get(result) or model_name or partition.identity or "partition"
            names.append(free_name(self.used_names, base, "#"))
        return names


class PlaceConstant(Pattern[InitializerOp]):
    """Places a constant of the model on every device."""

    def rewrite(self, op: InitializerOp, rewriter: PatternRewriter, /) -> None:
        op.attributes["device.constant"] = UnitAttr()
        rewriter.notify_op_modified(op)


class PlacePartition(Pattern[PartitionOp]):
    """Places a partition in the library, and gives its values unique names."""

    def __init__(self, names: _Names):
        self.names = names

    def rewrite(self, op: PartitionOp, rewriter: PatternRewriter, /) -> None:
        _accepts(op, Kind.dnnl)
        op.value_names = ArrayAttr([StringAttr(n) for n in self.names.of(op)])
        rewriter.notify_op_modified(op)


class PlaceMove(Pattern[OnnxOp]):
    """Places an op that only moves bytes next to partitions with them: the plan itself does it."""

    def __init__(self, moves: Mapping[OnnxOp, Move]):
        self.moves = moves

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        if (move := self.moves.get(op)) is None:
            return
        _accepts(op, Kind.dnnl)
        for reason in (UNMAPPED, VIEWED):
            op.attributes.pop(reason, None)
        if self._is_viewed(op, move):
            op.attributes[VIEWED] = UnitAttr()
        rewriter.notify_op_modified(op)

    def _is_viewed(self, op: OnnxOp, move: Move) -> bool:
        if isinstance(move, Transposing):
            return takes_turns(op.results[0])
        return isinstance(move, Slicing) and all(takes_gaps(r, self.moves) for r in op.results)


class PlaceNode(Pattern[OnnxOp]):
    """Places an ONNX op on the CPU."""

    def rewrite(self, op: OnnxOp, rewriter: PatternRewriter, /) -> None:
        _accepts(op, Kind.cpu)
        rewriter.notify_op_modified(op)


class RefuseOther(Pattern[Operation]):
    """Fails for an op that is neither a partition nor of ONNX: it runs nowhere."""

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        raise PassFailedException(
            f"{op.name} {identity_of(op)!r} is in no partition and is not an onnx op: "
            "run convert-dnnl-to-onnx first"
        )


def _accepts(op: Operation, device: Kind) -> None:
    op.attributes.pop("device.constant", None)
    op.attributes["device.accepts"] = ArrayAttr([StringAttr(device)])


def place(module: ModuleOp) -> None:
    """What `dnnl-place` does.

    Raises PassFailedException for an op that is neither a partition nor of the `onnx` dialect: nothing
    would run it.
    """
    graph = platform_graph(module)
    if not isinstance(graph, GraphOp):
        raise PassFailedException(f"found a {graph.name}, expected an onnx.graph")
    names = _Names(graph)
    moves = moves_beside_partitions(graph.body.block)
    patterns = (
        PlaceConstant(),
        PlacePartition(names),
        PlaceMove(moves),
        PlaceNode(),
        RefuseOther(),
    )
    apply_to(graph.body_ops()[:-1], patterns)


@dataclass(frozen=True)
class DnnlPlacePass(ModulePass):
    """Partitions have the device `dnnl`, all other ops the CPU, and every value has a name of its own.

    For `device-cluster{device=dnnl objective=fixed}`, which follows.
    """

    name = "dnnl-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        place(op)
