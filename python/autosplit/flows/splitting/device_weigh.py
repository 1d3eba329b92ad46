"""device-weigh: how much the ops of a model compute whose sizes vary."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from autosplit.core.errors import AutosplitError
from autosplit.devices import DEFAULT_CHIP, get_chip
from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.flows.splitting.job import JobPass
from autosplit.flows.splitting.measuring import measure, with_idle
from autosplit.lowering.device.place import annotate_work, capability_of
from autosplit.lowering.device.work import open_work
from autosplit.lowering.infer_shapes.promises import infer_promised


@dataclass(frozen=True)
class DeviceWeighPass(JobPass):
    """The `device.work` of a placed model whose sizes vary is what its ops compute at the largest sizes.

    Without `dynamic`, and where the sizes of all inputs are known, nothing changes.
    """

    name = "device-weigh"

    target: str = DEFAULT_CHIP
    """The chip; see `autosplit/devices`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.dynamic:
            return
        job = self.start(op)
        largest, options = job.largest, job.options
        if largest is job.model:
            return
        lowered = infer_promised(ctx, largest.module, options.shapes)
        executed: Mapping[str, int] | None = None
        if open_work(lowered):
            options.progress("measuring what the ops compute")
            # Where the model does not run, the plan says that it is unknown.
            with suppress(AutosplitError):
                measured = measure(largest, options, [], work=True)
                executed = with_idle(measured, largest, options, lowered).work
        chip = get_chip(self.target)
        weighed = capability_of(ctx, largest.module, chip, True, lowered, executed=executed)
        for member in platform_graph(op).body_ops():
            if isinstance(member, PlatformOp) and "device.accepts" in member.attributes:
                annotate_work(member, weighed)
