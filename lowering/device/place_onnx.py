"""device-place-onnx: what ONNX can say may become partitions of oneDNN; the rest stays in the framework.

For modules that are not cut for a chip: `device-place` without one. What the conversion to ONNX refuses, and
why, is all that is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from autosplit.dialects.device import Kind, ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import PlatformOp, location_names, platform_graph
from autosplit.lowering.device.notes import noted_work
from autosplit.lowering.device.place import ANNOTATIONS, annotate, own_reason, survey
from autosplit.lowering.shared.handover import LoweredCopy
from autosplit.lowering.shared.order import expect_before
from autosplit.platforms import platform_of


def refused_by_onnx(lowered: ModuleOp) -> dict[str, ReasonAttr]:
    """Why ops of a lowered copy have no ONNX counterpart, by the names of the nodes they come from."""
    graph = platform_graph(lowered)
    inputs = {value for _, value in graph.graph_inputs()}
    reasons: dict[str, ReasonAttr] = {}
    for op in graph.body_ops():
        if isinstance(op, OnnxOp) or not isinstance(op, PlatformOp):
            continue
        if inputs.isdisjoint(op.results) and (reason := own_reason(op)) is not None:
            for name in location_names(op.location):
                reasons.setdefault(name, reason)
    return reasons


@dataclass(frozen=True)
class DevicePlaceOnnxPass(ModulePass):
    """Every op with an ONNX counterpart is accepted by `dnnl`; every other says why it has none.

    All ops are accepted by the CPU, which is the model's framework. Constants and work are noted as
    `device-place` does. For `device-cluster{device=dnnl}`, which follows.
    """

    name = "device-place-onnx"

    takes: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where a copy comes from that `infer-shapes` has lowered already."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        graph = platform_graph(op)
        for member in graph.body_ops():
            for key in ANNOTATIONS:
                member.attributes.pop(key, None)
        capability, lowered, _ = survey(ctx, op, self.takes.take(op), noted_work(op))
        capability.refused = refused_by_onnx(lowered)
        annotate(op, capability, platform_of(op).frames(graph), [], Kind.dnnl)
