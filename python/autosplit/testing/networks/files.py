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
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import choice
from autosplit.testing.models import cache_folder, locked
from autosplit.testing.networks.builder import Net, build
from autosplit.testing.networks.mobile import efficientnet_b0, mobilenet_v2, mobilenet_v3_large
from autosplit.testing.networks.transformers import VOCABULARY, bert_base
from autosplit.testing.networks.yolo import yolov8n
from autosplit.testing.quantize import quantize_file

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

    def make(self, name: str, f32: Path) -> list[Feeds]:
        """Writes the network in float32; returns what it is calibrated on."""
        random = np.random.default_rng(1)
        feeds = [self.feeds(random) for _ in range(CALIBRATIONS)]
        f32.write_bytes(build(name, self.write, feeds[0]).SerializeToString())
        return feeds


NETWORKS: Mapping[str, Seeded] = {
    "bert_base": Seeded(bert_base, _tokens),
    "efficientnet_b0": Seeded(efficientnet_b0),
    "mobilenet_v2": Seeded(mobilenet_v2),
    "mobilenet_v3_large": Seeded(mobilenet_v3_large),
    "yolov8n": Seeded(yolov8n, _pixels),
}


@dataclass(frozen=True)
class Files:
    """One network, before and after quantization."""

    name: str
    f32: Path
    int8: Path


def names() -> list[str]:
    """All networks, sorted."""
    return sorted(NETWORKS)


def network(name: str) -> Files:
    """The files of a network, made on the first use. Safe to call from several processes at once.

    Raises KeyError for an unknown name.
    """
    if name not in NETWORKS:
        raise KeyError(f"no network is called {name!r}{choice(name, names())}")
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
        feeds = NETWORKS[files.name].make(files.name, f32)
        quantize_file(f32, int8, feeds, reduce_range=False, fixed=True)
        f32.rename(files.f32)
        int8.rename(files.int8)


def _key(name: str) -> str:
    """What the files depend on: how they are calibrated, the network's source, and who quantizes."""
    digest = hashlib.sha256(f"{RECIPE} {version('onnxruntime')}".encode())
    for function in (build, NETWORKS[name].write):
        digest.update(Path(inspect.getfile(function)).read_bytes())
    return digest.hexdigest()[:12]
