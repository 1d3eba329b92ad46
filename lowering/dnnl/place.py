"""dnnl-place: partitions run in oneDNN Graph, everything else on the CPU.

There is nothing to choose here: `dnnl-fuse` has decided what is a partition. The pass says so in the words
that `device-cluster` and `device-outline` read, and gives the values of partitions names, because what
crosses from one sub-model to another goes by its name.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.device import Kind
from autosplit.dialects.dnnl import PartitionOp
from autosplit.dialects.onnx.ops import GraphOp, InitializerOp, OnnxOp
from autosplit.dialects.platform import identity_of, platform_graph, value_name, value_names
from autosplit.lowering.shared.names import free_name


def place(module: ModuleOp) -> None:
    """What `dnnl-place` does.

    Raises PassFailedException for an op that is neither a partition nor of the `onnx` dialect: nothing
    would run it.
    """
    graph = platform_graph(module)
    if not isinstance(graph, GraphOp):
        raise PassFailedException(f"found a {graph.name}, expected an onnx.graph")
    names = _Names(graph)
    for op in graph.body_ops()[:-1]:
        op.attributes.pop("device.constant", None)
        if isinstance(op, InitializerOp):
            op.attributes["device.constant"] = UnitAttr()
            continue
        if isinstance(op, PartitionOp):
            _accepts(op, Kind.dnnl)
            op.value_names = ArrayAttr([StringAttr(n) for n in names.of(op)])
            continue
        if not isinstance(op, OnnxOp):
            first = (
                "convert-onnx-to-dnnl" if op.name.startswith("quant.") else "convert-dnnl-to-onnx"
            )
            raise PassFailedException(
                f"{op.name} {identity_of(op)!r} is in no partition and is no onnx op: run {first} first"
            )
        _accepts(op, Kind.cpu)


def _accepts(op: Operation, device: Kind) -> None:
    op.attributes["device.accepts"] = ArrayAttr([StringAttr(device)])


class _Names:
    """Names for the values of partitions that no other value of the graph has."""

    def __init__(self, graph: GraphOp):
        self.taken = {name for name, _ in graph.graph_inputs()}
        for op in graph.body_ops():
            if isinstance(op, OnnxOp):
                self.taken.update(value_name(result) for result in op.results)
        self.outputs = {value: name for name, value in reversed(graph.graph_outputs())}

    def of(self, partition: PartitionOp) -> list[str]:
        """A name for each result: the model's where it is an output or known, else that of the partition."""
        known = value_names(partition)
        found: list[str] = []
        for i, result in enumerate(partition.results):
            own = known[i] if i < len(known) else ""
            wanted = self.outputs.get(result) or own or partition.identity or "partition"
            found.append(free_name(self.taken, wanted, "#"))
        return found


@dataclass(frozen=True)
class DnnlPlacePass(ModulePass):
    """Partitions have the device `dnnl`, all other ops the CPU, and every value has a name of its own.

    For `device-cluster{device=dnnl objective=fixed}`, which follows.
    """

    name = "dnnl-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        place(op)
