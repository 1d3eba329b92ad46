"""What `autosplit probe MODEL` does, as a function: each op of a model on the emulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autosplit.flows.splitting.given_inputs import with_shapes
from autosplit.flows.splitting.inference import infer
from autosplit.platforms import load_model
from autosplit.probe.model import measure_module
from autosplit.probe.records import Record
from autosplit.registry import make_context

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.dialects.onnx.base import OnnxOp
    from autosplit.flows.splitting.options import SplitOptions


def measure_file(
    options: SplitOptions, chip: Chip, mode: str = "F32", *, jobs: int = 1
) -> dict[OnnxOp, Record]:
    """What becomes of each accepted op of a model file, at the shapes that `options.inputs` says."""
    options.progress("reading the model")
    model = load_model(options.model, options.platform, options.custom_ops)
    options = with_shapes(model, options)
    shapes = {name: spec.shape for name, spec in options.inputs.items()}
    model.platform.prepare(model, shapes, options.outputs)
    infer(model, options)
    model.platform.to_onnx(make_context(), model.module)
    return measure_module(model.module, chip, mode, jobs=jobs, progress=options.progress)
