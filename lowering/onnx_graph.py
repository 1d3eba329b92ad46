"""onnx-graph: a model of another framework whose ops are all ONNX ones by now, as an ONNX model."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.device import reason_of
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.ops import GraphOp
from autosplit.dialects.platform import PlatformOp, identity_of, platform_graph
from autosplit.lowering.shared.extract import extract_onnx
from autosplit.lowering.shared.order import expect_before


class NotOnnxError(PassFailedException):
    """An op has no ONNX counterpart; `reason` says which, and why."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(f"{reason}; take a part of the model, with --input and --output")


@dataclass(frozen=True)
class OnnxGraphPass(ModulePass):
    """The graph is an `onnx.graph` of the same inputs and outputs, and the module an ONNX model.

    Runs behind `convert-to-onnx`, on a model with fixed inputs and outputs. Fails with the first op that has
    no ONNX counterpart.
    """

    name = "onnx-graph"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name, {"dnnl.partition": "dnnl-fuse"})
        graph = platform_graph(op)
        if isinstance(graph, GraphOp):
            return
        inputs = dict(graph.graph_inputs())
        for inner in graph.body_ops():
            if isinstance(inner, OnnxOp) or inputs.keys() & _names(inner):
                continue
            if isinstance(inner, PlatformOp):
                raise NotOnnxError(_why(inner))
        outputs = [name for name, _ in graph.graph_outputs()]
        model = extract_onnx(op, outputs, list(inputs))
        new = model.body.block.first_op
        assert new is not None
        new.detach()
        graph.detach()
        graph.erase()
        op.body.block.add_op(new)
        dialect = graph.name.partition(".")[0]
        for key in [k for k in op.attributes if k.startswith(f"{dialect}.")]:
            del op.attributes[key]
        op.attributes |= {k: v for k, v in model.attributes.items() if k.startswith("onnx.")}
        op.attributes["platform.name"] = StringAttr("onnx")


def _names(op: object) -> set[str]:
    if not isinstance(op, PlatformOp):
        return set()
    return {op.value_name(i) for i in range(len(op.results))}


def _why(op: PlatformOp) -> str:
    reason = reason_of(op)
    text = "it has no conversion; run convert-to-onnx first" if reason is None else reason.text.data
    return f"{op.op_type} {identity_of(op)!r} is not ONNX: {text}"
