"""What `autosplit probe` does, as functions: the ops of a model, or the one-op models, on the emulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.splitting.given_inputs import with_shapes
from autosplit.flows.splitting.inference import infer
from autosplit.lowering.convert_to_onnx import lower_to_onnx
from autosplit.platforms import load_model
from autosplit.probe.case import select
from autosplit.probe.cases import DYNAMIC, cases_of
from autosplit.probe.measure import Setup, measure_all
from autosplit.probe.model import measure_module
from autosplit.probe.records import Record
from autosplit.registry import make_context
from autosplit.toolchains.tpu_mlir import discover

if TYPE_CHECKING:
    from autosplit.devices import Chip
    from autosplit.dialects.onnx.base import OnnxOp
    from autosplit.flows.splitting.options import SplitOptions


def measure_file(
    options: SplitOptions, chip: Chip, mode: str = "F32", *, jobs: int = 1
) -> dict[OnnxOp, Record]:
    """What becomes of each accepted op of a model file, at the shapes that `options.inputs` says."""
    options.progress("reading the model")
    model = load_model(options.model, options.platform, options.custom_ops, options.params)
    options = with_shapes(model, options)
    shapes = {name: spec.shape for name, spec in options.inputs.items()}
    model.platform.prepare(model, shapes, options.outputs)
    infer(model, options)
    lower_to_onnx(make_context(), model.module)
    return measure_module(model.module, chip, mode, jobs=jobs, progress=options.progress)


def measure_cases(
    chip: Chip, mode: str, pattern: str | None = None, *, dynamic: bool = False, jobs: int = 1
) -> dict[str, Record]:
    """What becomes of the one-op models that `pattern` selects, all for None, by the case's name."""
    cases = select(cases_of(mode + DYNAMIC * dynamic), pattern)
    if not cases:
        raise AutosplitError(f"op is {pattern!r}: no op type and no case has that name")
    return measure_all(cases, Setup(chip, mode, discover()), jobs)
