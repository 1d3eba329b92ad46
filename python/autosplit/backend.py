"""autosplit as a backend of the onnx package: `autosplit.backend.prepare(model).run(inputs)`.

A model is split for the shapes of its inputs, and the sub-models run on the CPU one after the other, so
that what ONNX's own backend tests expect can be asked of split models.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, version_converter
from onnx.backend.base import Backend, BackendRep

from autosplit.core.errors import AutosplitError, first_line
from autosplit.core.units import counted
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.inputs.values import flat
from autosplit.platforms.onnx import OLDEST_OPSET
from autosplit.runtime.runner import Runner


class SplitModel(BackendRep):
    """A model that is split when its input shapes are known; other shapes are another split.

    One that is older than what is split is converted by the onnx package first.
    `options` are those of `autosplit.flows.splitting.options.SplitOptions`, as `target`, `keep` or `pins`.
    """

    def __init__(self, model: ModelProto, **options: Any):
        self._scratch = tempfile.TemporaryDirectory(prefix="autosplit-backend-")
        self._folder = Path(self._scratch.name)
        self._model = self._folder / "model.onnx"
        self._options = options
        self._runs: dict[tuple[tuple[int, ...], ...], Any] = {}
        model = _converted(model)
        self._model.write_bytes(model.SerializeToString())
        graph = model.graph
        held = {tensor.name for tensor in graph.initializer}
        self.inputs = [value.name for value in graph.input if value.name not in held]
        self.outputs = [value.name for value in graph.output]

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs of the model, in its order.

        `inputs`: arrays in the order of the model's inputs, or by name. Raises AutosplitError if the model
        cannot be split or the inputs do not fit it.
        """
        feeds = self._feeds(inputs)
        shapes = tuple(array.shape for array in flat(feeds).values())
        runner = self._runs.get(shapes)
        if runner is None:
            runner = self._runs[shapes] = self._split(feeds)
        results = runner.infer(feeds)
        return tuple(results[name] for name in self.outputs)

    def _feeds(self, inputs: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
        if isinstance(inputs, Mapping):
            return {name: _plain(value) for name, value in inputs.items()}
        values = [_plain(value) for value in inputs]
        if len(values) > len(self.inputs):
            raise AutosplitError(
                f"found {counted(len(values), 'input')}, the model takes {len(self.inputs)}: "
                f"{', '.join(self.inputs)}"
            )
        return dict(zip(self.inputs, values, strict=False))

    def _split(self, feeds: Mapping[str, Any]) -> Any:
        out = self._folder / f"split_{len(self._runs)}"
        specs = {name: InputSpec.of(value) for name, value in feeds.items()}
        split_model(SplitOptions(self._model, out, specs, **self._options))
        return Runner(out, 0)


def _converted(model: ModelProto) -> ModelProto:
    """The model, at the oldest opset that is read where it is older. Raises AutosplitError if that fails."""
    versions = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    if not versions or min(versions) >= OLDEST_OPSET:
        return model
    try:
        return version_converter.convert_version(model, OLDEST_OPSET)
    except Exception as error:
        # The converter is of C++, and says what it lacks in many ways.
        raise AutosplitError(
            f"the model is of opset {min(versions)}, and the onnx package cannot convert it to "
            f"{OLDEST_OPSET}: {first_line(error)}"
        ) from None


def _plain(value: Any) -> Any:
    """An array of a number; sequences, and optional values that are missing, as they are."""
    return np.asarray(value) if np.isscalar(value) else value


class AutosplitBackend(Backend):
    """See the module's text. The device is the CPU, in which TPU sub-models run in ONNX Runtime."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> SplitModel:
        """A model to run; `kwargs` are options of the split."""
        if not cls.supports_device(device):
            raise AutosplitError(f"device {device!r} is unknown to this backend; expected CPU")
        return SplitModel(model, **kwargs)

    @classmethod
    def run_model(
        cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


is_compatible = AutosplitBackend.is_compatible
prepare = AutosplitBackend.prepare
run_model = AutosplitBackend.run_model
supports_device = AutosplitBackend.supports_device
