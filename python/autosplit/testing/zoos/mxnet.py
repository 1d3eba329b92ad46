"""Models of MXNet for tests: the nets of gluon's and gluoncv's model zoos, with random weights.

Each is made once, in a process of its own, and stays in the cache folder (see `autosplit.testing.models`).

    from autosplit.testing.zoos.mxnet import gluon_model, gluoncv_model
    path = gluon_model("squeezenet1.1")
    path = gluoncv_model("ssd_512_mobilenet1.0_voc")
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.models import ModelUnavailable, cache_folder, locked

TIMEOUT = 300
"""Seconds that creating one net may take."""

VERSION = 2
"""Of the weights: nets of another one are made again."""


_FOR_DOWNLOADS = ("tqdm", "portalocker")
"""Packages that gluoncv imports, but needs only to download weights."""


_STARTS = {"ones": ("gamma", "_var"), "zeros": ("beta", "_mean", "bias")}
"""Initial values of vectors, which the initializer of weights does not cover."""


def gluon_names() -> list[str]:
    """The 34 names of gluon's own model zoo."""
    widths = ("1.0", "0.75", "0.5", "0.25")
    depths = (18, 34, 50, 101, 152)
    vgg = [f"vgg{n}{bn}" for n in (11, 13, 16, 19) for bn in ("", "_bn")]
    return [
        "alexnet",
        *(f"densenet{n}" for n in (121, 161, 169, 201)),
        "inceptionv3",
        *(f"mobilenet{w}" for w in widths),
        *(f"mobilenetv2_{w}" for w in widths),
        *(f"resnet{d}_v{v}" for d in depths for v in (1, 2)),
        "squeezenet1.0",
        "squeezenet1.1",
        *vgg,
    ]


def gluon_model(name: str, size: int = 0) -> Path:
    """The symbol of a net of gluon's zoo, called `NAME-symbol.json`, its parameters beside it.

    `size`: of the picture that it was made for; 0 for the usual one. Raises ModelUnavailable if mxnet is
    not installed or making the net takes too long.
    """
    usual = 299 if name == "inceptionv3" else 224
    return _cached("gluon", name, size or usual)


def gluoncv_model(name: str, size: int) -> Path:
    """The same of a net of gluoncv's zoo, for pictures of `size` by `size`."""
    return _cached("gluoncv", name, size)


def _cached(zoo: str, name: str, size: int) -> Path:
    for package in ("mxnet", "gluoncv") if zoo == "gluoncv" else ("mxnet",):
        if find_spec(package) is None:
            raise ModelUnavailable(f"{package} is not installed")
    folder = cache_folder() / f"{zoo}-models-{VERSION}" / f"{name}-{size}"
    symbol = folder / f"{name}-symbol.json"
    if symbol.is_file():
        return symbol
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / f".{name}-{size}.lock"):
        if not symbol.is_file():
            with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as work:
                _make(zoo, name, size, Path(work) / "made")
                (Path(work) / "made").rename(folder)
    return symbol


def _make(zoo: str, name: str, size: int, folder: Path) -> None:
    folder.mkdir()
    command = [sys.executable, "-m", "autosplit.testing.zoos.mxnet"]
    command += [zoo, name, str(size), str(folder)]
    try:
        completed = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailable(f"{name} of {zoo} is not made within {TIMEOUT} s") from error
    if completed.returncode:
        error_lines = [line for line in completed.stderr.splitlines() if line.strip()]
        reason = error_lines[-1] if error_lines else f"ended with {completed.returncode}"
        # Not one more reason to skip a test: everything that this needs is installed.
        raise RuntimeError(f"{name} of {zoo} cannot be made: {reason}")


def _zoo(name: str) -> Any:
    if name == "gluon":
        return import_module("mxnet.gluon.model_zoo.vision")
    # It is older than numpy 1.24, and nothing else runs in this process.
    for kind in (bool, int, float, object):
        setattr(np, kind.__name__, kind)
    for absent in _FOR_DOWNLOADS:
        if find_spec(absent) is None:
            sys.modules[absent] = MagicMock()
    # Its nets for MXNet need no PyTorch, and it refuses the versions from 2.0 on.
    hidden: dict[str, Any] = {"torch": None}
    sys.modules.update(hidden)
    return import_module("gluoncv.model_zoo")


def main(args: Sequence[str] | None = None) -> int:
    """Makes a net: `ZOO NAME SIZE FOLDER`."""
    zoo, name, size, folder = sys.argv[1:] if args is None else args
    mx = import_mxnet("making nets")
    mx.random.seed(7)
    base = {} if zoo == "gluon" else {"pretrained_base": False}
    net = _zoo(zoo).get_model(name, pretrained=False, **base)
    for parameter in net.collect_params().values():
        for start, endings in _STARTS.items():
            if parameter.name.endswith(endings):
                parameter.init = start
    net.initialize(mx.init.Xavier("gaussian", "in", 2))
    net.hybridize()
    net(mx.nd.random.uniform(-1, 1, (1, 3, int(size), int(size))))
    net.export(str(Path(folder) / name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
