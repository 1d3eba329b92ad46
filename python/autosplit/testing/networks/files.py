"""The networks of the benchmark as files: float32, and quantized by ONNX Runtime's own quantizer.

They are made on the first use and stay in the models' cache folder, in a folder whose name follows from
their source.
"""

from __future__ import annotations

import hashlib
import inspect
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from autosplit.core.errors import choice
from autosplit.testing.models import cache_folder, locked, model_path
from autosplit.testing.networks import kinds, sequences
from autosplit.testing.networks.builder import Net, build
from autosplit.testing.networks.dense import densenet121, resnet50, unet
from autosplit.testing.networks.mobile import efficientnet_b0, mobilenet_v2, mobilenet_v3_large
from autosplit.testing.networks.transformers import VOCABULARY, bert_base
from autosplit.testing.networks.vision import convnext_tiny, swin_tiny, vit_small
from autosplit.testing.networks.yolo import yolov8n
from autosplit.testing.pictures import of_one_size
from autosplit.testing.quantize import of_fixed_sizes, quantize_file

Feeds = dict[str, NDArray[Any]]

RECIPE = 1
"""Part of the keys of the files: changed with what this file says of them."""

CALIBRATIONS = 4
"""How many inputs a network of seeded weights is calibrated on."""


def _image(random: np.random.Generator, size: int = 224) -> Feeds:
    return {"image": random.standard_normal((1, 3, size, size)).astype(np.float32)}


def _tokens(random: np.random.Generator) -> Feeds:
    ids = random.uniform(0, VOCABULARY, (1, 128)).astype(np.int64)
    return {"ids": ids, "mask": np.ones((1, 128), np.int64)}


def _pixels(random: np.random.Generator) -> Feeds:
    return {"images": random.standard_normal((1, 3, 640, 640)).astype(np.float32)}


@dataclass(frozen=True)
class Seeded:
    """An architecture, written by `write`, with seeded weights."""

    write: Callable[[Net], None]
    feeds: Callable[[np.random.Generator], Feeds] = _image

    def inputs(self) -> Feeds:
        return self.feeds(np.random.default_rng(2))

    def source(self) -> bytes:
        files = [inspect.getfile(f) for f in (build, self.write)]
        return b"".join(Path(f).read_bytes() for f in files)

    def calibration(self) -> list[Feeds]:
        """The calibration inputs."""
        random = np.random.default_rng(1)
        return [self.feeds(random) for _ in range(CALIBRATIONS)]

    def make(self, name: str, f32: Path) -> None:
        """Writes the network in float32."""
        f32.write_bytes(build(name, self.write, self.calibration()[0]).SerializeToString())


@dataclass(frozen=True)
class Trained:
    """A real network, of `autosplit.testing.models`, for pictures of one size."""

    model: str

    def calibration(self) -> list[Feeds]:
        """The calibration inputs."""
        return [dict(f) for f in of_one_size(self.model)]

    def make(self, name: str, f32: Path) -> None:
        """Writes the network in float32."""
        model = ModelProto.FromString(model_path(self.model).read_bytes())
        f32.write_bytes(of_fixed_sizes(model, self.calibration()[0]).SerializeToString())

    def source(self) -> bytes:
        return self.model.encode()

    def inputs(self) -> Feeds:
        return dict(of_one_size(self.model)[0])


SEEDED: Mapping[str, Seeded] = {
    "bert_base": Seeded(bert_base, _tokens),
    "convnext_tiny": Seeded(convnext_tiny),
    "densenet121": Seeded(densenet121),
    "efficientnet_b0": Seeded(efficientnet_b0),
    "mobilenet_v2": Seeded(mobilenet_v2),
    "mobilenet_v3_large": Seeded(mobilenet_v3_large),
    "resnet50": Seeded(resnet50),
    "swin_tiny": Seeded(swin_tiny),
    "unet": Seeded(unet, partial(_image, size=256)),
    "vit_small": Seeded(vit_small),
    "yolov8n": Seeded(yolov8n, _pixels),
}

TRAINED: Mapping[str, Trained] = {
    "centerface": Trained("centerface.onnx"),
    "nudenet_320n": Trained("320n.onnx"),
    "pp_ocr_cls": Trained("ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    "pp_ocr_det": Trained("ch_PP-OCRv4_det_infer.onnx"),
    "pp_ocr_rec": Trained("ch_PP-OCRv4_rec_infer.onnx"),
}


def _of(*sizes: int) -> Callable[[np.random.Generator], Feeds]:
    return lambda random: {"image": random.standard_normal(sizes).astype(np.float32)}


def _words(random: np.random.Generator) -> Feeds:
    return {"ids": random.uniform(0, sequences.WORDS, (1, 64)).astype(np.int64)}


OTHERS: Mapping[str, Seeded] = {
    "causal": Seeded(sequences.causal, _of(1, 16, 1024)),
    "darknet": Seeded(kinds.darknet, _of(1, 3, 416, 416)),
    "decoder": Seeded(sequences.decoder, _words),
    "denoiser": Seeded(kinds.denoiser, _of(1, 3, 128, 128)),
    "diffusion": Seeded(kinds.diffusion, _of(1, 4, 64, 64)),
    "enlarger": Seeded(kinds.enlarger, _of(1, 3, 128, 128)),
    "focused": Seeded(kinds.focused, _of(1, 3, 320, 320)),
    "gated": Seeded(sequences.gated, _of(1, 1, 4096)),
    "ghostnet": Seeded(kinds.ghostnet),
    "inception": Seeded(kinds.inception),
    "levit": Seeded(sequences.levit),
    "mixer": Seeded(sequences.mixer),
    "recurrent": Seeded(sequences.recurrent, _of(50, 1, 64)),
    "resnext": Seeded(kinds.resnext),
    "rows": Seeded(sequences.rows, _of(16, 256)),
    "segmenter": Seeded(kinds.segmenter, _of(1, 3, 256, 256)),
    "shufflenet": Seeded(kinds.shufflenet),
    "spoken": Seeded(sequences.spoken, _of(1, 40, 400)),
    "vocoder": Seeded(sequences.vocoder, _of(1, 80, 64)),
}
"""Networks of other kinds, so that not only those are measured that were optimized."""

NETWORKS: Mapping[str, Seeded | Trained] = {**SEEDED, **TRAINED, **OTHERS}


@dataclass(frozen=True)
class Files:
    """One network, before and after quantization."""

    name: str
    f32: Path
    int8: Path


def names() -> list[str]:
    """The networks of the goals, sorted."""
    return sorted({**SEEDED, **TRAINED})


def network(name: str) -> Files:
    """The files of a network, made on the first use. Safe to call from several processes at once.

    Raises KeyError for an unknown name, ModelUnavailable if a real network cannot be downloaded.
    """
    if name not in NETWORKS:
        raise KeyError(f"no network is called {name!r}{choice(name, sorted(NETWORKS))}")
    folder = cache_folder() / "networks" / f"{name}-{_key(name)}"
    files = Files(name, folder / f"{name}.f32.onnx", folder / f"{name}.int8.onnx")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        if not files.f32.exists() or not files.int8.exists():
            _make(files, folder)
    return files


def _make(files: Files, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as work:
        f32, int8 = Path(work) / files.f32.name, Path(work) / files.int8.name
        network = NETWORKS[files.name]
        network.make(files.name, f32)
        quantize_file(f32, int8, network.calibration(), reduce_range=False, fixed=True)
        f32.rename(files.f32)
        int8.rename(files.int8)


def _key(name: str) -> str:
    """A hash of all that the files depend on: the calibration, the network's source, and the quantizer."""
    digest = hashlib.sha256(f"{RECIPE} {version('onnxruntime')}".encode())
    digest.update(NETWORKS[name].source())
    return digest.hexdigest()[:12]
