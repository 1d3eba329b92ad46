"""ONNX Runtime's own quantizer on a model file, for tests on real models."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, shape_inference, version_converter

from autosplit.core.errors import choice
from autosplit.testing.models import (
    QUANTIZED,
    RECIPE,
    ModelUnavailable,
    cache_folder,
    locked,
    model_path,
    photo_path,
)
from autosplit.testing.pictures import calibration

Array = NDArray[np.generic]

OPSET = 17
"""Per-channel DequantizeLinear needs 13; LayerNormalization is an operator from 17 on."""


class Feeds:
    """Calibration data in the quantizer's protocol: one input after the other, then None."""

    def __init__(self, feeds: Sequence[Mapping[str, Array]]):
        self._feeds = iter(feeds)

    def get_next(self) -> dict[str, Array] | None:
        feeds = next(self._feeds, None)
        return dict(feeds) if feeds is not None else None


def prepared(model: ModelProto, feeds: Mapping[str, Array]) -> ModelProto:
    """The model in operator set 17, its sizes open, inputs of the ranks of `feeds`.

    A model may declare the sizes that it was exported with, which are not those that it is used with.
    """
    used = {name for node in model.graph.node for name in node.input}
    initializers = [i for i in model.graph.initializer if i.name in used]
    constants = {i.name for i in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in constants]
    del model.graph.input[:], model.graph.value_info[:], model.graph.initializer[:]
    model.graph.input.extend(inputs)
    # Without the counters of batch norms in training, which nothing uses.
    model.graph.initializer.extend(initializers)
    for value in [*model.graph.input, *model.graph.output]:
        shape = value.type.tensor_type.shape
        for number, dim in enumerate(shape.dim):
            if value.name not in feeds or number != (3 if _channels_last(feeds[value.name]) else 1):
                dim.Clear()
                dim.dim_param = f"{value.name}_{number}"
    # Without constants as inputs, which no later format needs, but older ones demand.
    model.ir_version = max(model.ir_version, 8)
    return version_converter.convert_version(model, OPSET)


def of_fixed_sizes(model: ModelProto, feeds: Mapping[str, Array]) -> ModelProto:
    """The model in operator set 17, for inputs of exactly the sizes of `feeds`."""
    fixed = prepared(model, feeds)
    for value in fixed.graph.input:
        shape = value.type.tensor_type.shape
        for dim, size in zip(shape.dim, feeds[value.name].shape, strict=True):
            dim.dim_value = size
    for value in fixed.graph.output:
        value.type.tensor_type.ClearField("shape")
    return fixed


def _read(path: Path) -> ModelProto:
    return ModelProto.FromString(path.read_bytes())


def _channels_last(array: Array) -> bool:
    return array.ndim == 4 and array.shape[3] == 3


def quantize_file(
    model: Path,
    out: Path,
    feeds: Sequence[Mapping[str, Array]],
    *,
    reduce_range: bool = True,
    fixed: bool = False,
    **options: Any,
) -> None:
    """Writes the QDQ form of a model: u8 activations, s8 weights per channel, in [-64, 64] with
    `reduce_range`; calibrated on the smallest and largest values that `feeds` lead to. With `fixed` the
    model is used as it is, with its operator set and sizes."""
    quantization: Any = import_module("onnxruntime.quantization")
    shapes: Any = import_module("onnxruntime.quantization.shape_inference")
    with tempfile.TemporaryDirectory() as folder:
        source, folded = Path(folder) / "model.onnx", Path(folder) / "folded.onnx"
        proto = _read(model) if fixed else prepared(_read(model), feeds[0])
        source.write_bytes(proto.SerializeToString())
        # Symbolic inference would need another package; batch norms are folded without it.
        shapes.quant_pre_process(str(source), str(folded), skip_symbolic_shape=True)
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)
        try:
            quantization.quantize_static(
                str(folded),
                str(out),
                Feeds(feeds),
                quant_format=quantization.QuantFormat.QDQ,
                activation_type=quantization.QuantType.QUInt8,
                weight_type=quantization.QuantType.QInt8,
                per_channel=True,
                reduce_range=reduce_range,
                **options,
            )
        finally:
            root.setLevel(level)
    _tidy(out)


def _tidy(path: Path) -> None:
    """Removes the operator sets that ONNX Runtime declares and nothing uses, and adds shapes."""
    model = _read(path)
    used = {node.domain for node in model.graph.node}
    sets = [o for o in model.opset_import if o.domain in used]
    del model.opset_import[:]
    model.opset_import.extend(sets)
    path.write_bytes(shape_inference.infer_shapes(model).SerializeToString())


def quantized_model(name: str, *, reduce_range: bool = True) -> Path:
    """The model `name` as QDQ, quantized by ONNX Runtime on the photograph on the first use.

    u8 activations, s8 weights per channel of 7 bits (of 8 without `reduce_range`). Safe to call from
    several processes at once. Raises KeyError for a name that is not in QUANTIZED, ModelUnavailable if
    the model, the photograph, ONNX Runtime or Pillow is unavailable.
    """
    if name not in QUANTIZED:
        raise KeyError(f"no quantized model is called {name!r}{choice(name, list(QUANTIZED))}")
    missing = [m for m in ("onnxruntime", "onnx", "PIL") if find_spec(m) is None]
    if missing:
        raise ModelUnavailable(f"{name} cannot be quantized: {missing[0]} is not installed")
    source, _ = model_path(name), photo_path()
    folder_name = f"quantized-{RECIPE}-onnxruntime-{version('onnxruntime')}"
    folder = cache_folder() / (folder_name if reduce_range else f"{folder_name}-8bit")
    path = folder / name
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / f".{name}.lock"):
        if not path.exists():
            with tempfile.TemporaryDirectory(dir=folder) as work:
                work_file = Path(work) / name
                quantize_file(source, work_file, calibration(name), reduce_range=reduce_range)
                work_file.rename(path)
    return path
