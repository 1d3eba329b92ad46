"""note-pictures: what becomes of the pictures that a model takes."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from autosplit.flows.splitting.job import JobPass
from autosplit.flows.splitting.model_pictures import Pictures
from autosplit.lowering.device.notes import note


@dataclass(frozen=True)
class NotePicturesPass(JobPass):
    """`device.notes` says what becomes of pictures: what `preprocess` says, and what the model does itself.

    Of ONNX models; in the pipeline `split`, `measure-shapes` does it, which knows other models as ONNX.
    """

    name = "note-pictures"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        job = self.start(op, runs=False)
        options = job.options
        pictures = Pictures.of(job.model, op, options.preprocess, options.layout)
        note(op, pictures.plan_entries())
