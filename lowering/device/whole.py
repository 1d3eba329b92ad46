"""A model as one sub-model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.platforms import Model


def whole_as_one(model: Model) -> ModuleOp:
    """The model as an outlined module whose only sub-model, for the CPU, is all of it."""
    from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr

    from autosplit.dialects.device import Kind
    from autosplit.dialects.platform import PlatformOp, platform_graph
    from autosplit.lowering.device.cluster import DeviceClusterPass
    from autosplit.lowering.device.outline import DeviceOutlinePass

    module = model.module.clone()
    for op in platform_graph(module).body_ops():
        if isinstance(op, PlatformOp) and op.IS_CONSTANT:
            op.attributes["device.constant"] = UnitAttr()
        elif isinstance(op, PlatformOp):
            op.attributes["device.accepts"] = ArrayAttr([StringAttr(Kind.cpu)])
    ctx = make_context()
    DeviceClusterPass(objective="fixed").apply(ctx, module)
    DeviceOutlinePass().apply(ctx, module)
    return module
