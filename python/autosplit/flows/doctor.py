"""What autosplit finds on this machine, and whether it works: it is really run.

Nothing is loaded into this process. A part that is missing is no fault; one that is there and fails is.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.toolchains import bmodel_compile
from autosplit.toolchains.bmodel_compile import CompileError, Settings
from autosplit.toolchains.onednn import RELEASE, find_library
from autosplit.toolchains.onednn import VARIABLE as LIBRARY_VARIABLE
from autosplit.toolchains.tpu_mlir import TPU_MLIR_VERSION, VARIABLE, TpuMlir, discover

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

State = Literal["ok", "missing", "broken"]

TIMEOUT = 120.0
"""Seconds that each try may take."""


@dataclass(frozen=True)
class HealthCheck:
    """What was found out about one part."""

    name: str
    state: State
    detail: str
    hint: str = ""
    """What to do, where something is missing, broken or could be faster."""
    seconds: float | None = None
    """What the try took, where something was run."""


PACKAGES = (
    ("onnxruntime", ("onnxruntime", "onnxruntime-gpu"), "run", "runs sub-models of ONNX models"),
    (
        "tensorflow",
        ("tensorflow-cpu", "tensorflow", "tensorflow-intel"),
        "tensorflow",
        "runs sub-models of TensorFlow models",
    ),
    ("mxnet", ("mxnet",), "mxnet", "runs sub-models of MXNet models"),
    ("torch", ("torch",), "torch", "runs sub-models of PyTorch programs"),
    (
        "opencv",
        ("opencv-python-headless", "opencv-python"),
        "caffe",
        "runs sub-models of Caffe models",
    ),
)
"""Packages that are looked for: name, names on the package index, our extra, what it is for."""


def check_all(progress: Callable[[str], None] = lambda _: None) -> Iterator[HealthCheck]:
    """Looks at one part after the other."""
    yield HealthCheck("python", "ok", f"{platform.python_version()}, {sys.executable}")
    for name, packages, extra, why in PACKAGES:
        yield check_package(name, packages, extra, why)
    progress("running oneDNN")
    yield check_onednn()
    progress("looking for TPU-MLIR")
    try:
        tools = discover()
    except AutosplitError as e:
        yield _no_toolchain(e)
    else:
        yield _toolchain(tools)
        for chip in bmodel_compile.MODES:
            progress(f"compiling and running a convolution for {chip}")
            yield from check_chip(tools, chip)
    yield check_card()


def check_package(name: str, packages: tuple[str, ...], extra: str, why: str) -> HealthCheck:
    """Whether a Python package is installed; it is not imported."""
    for package in packages:
        try:
            return HealthCheck(name, "ok", f"{metadata.version(package)} ({package})")
        except metadata.PackageNotFoundError:
            continue
    return HealthCheck(name, "missing", why, f"pip install 'autosplit[{extra}]'")


ONEDNN = """
import json, sys
from autosplit.core.errors import AutosplitError
from autosplit.runtime.dnnl.process import library
try:
    lib = library(threads=1)
except AutosplitError as e:
    sys.exit(str(e))
print(json.dumps({"release": str(lib.release), "isa": lib.isa, "path": str(lib.path)}))
"""


def check_onednn() -> HealthCheck:
    """Loads libdnnl in a process of its own."""
    start = time.monotonic()
    try:
        find_library()
    except MissingExtraError:
        return HealthCheck(
            "oneDNN", "missing", "runs quantized models", "pip install 'autosplit[onednn]'"
        )
    except AutosplitError as e:
        return HealthCheck("oneDNN", "broken", str(e), _library_again())
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", ONEDNN],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return HealthCheck(
            "oneDNN", "broken", f"did not answer within {TIMEOUT:g} s", _library_again()
        )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        how = bmodel_compile.ending(done.returncode)
        detail = f"loading it {how}{': ' + lines[-1] if lines else ''}"
        return HealthCheck("oneDNN", "broken", detail, _library_again())
    answer = json.loads(done.stdout.splitlines()[-1])
    detail = f"{answer['release']}, {answer['isa']}, {answer['path']}"
    newer = tuple(map(int, answer["release"].split("."))) < tuple(map(int, RELEASE.split(".")))
    hint = (
        f"autosplit toolchain install onednn gets {RELEASE}, faster for most networks"
        if newer
        else ""
    )
    return HealthCheck("oneDNN", "ok", detail, hint, time.monotonic() - start)


def _library_again() -> str:
    """What to do about a libdnnl that does not work."""
    if os.environ.get(LIBRARY_VARIABLE):
        return f"set {LIBRARY_VARIABLE} right, or unset it"
    return "pip install --force-reinstall 'autosplit[onednn]'"


def _no_toolchain(error: AutosplitError) -> HealthCheck:
    if os.environ.get(VARIABLE):
        return HealthCheck("TPU-MLIR", "broken", str(error), f"set {VARIABLE} right, or unset it")
    if "was not found" not in str(error):
        return HealthCheck("TPU-MLIR", "broken", str(error), _set_up_again())
    what = "compiles sub-models for the TPU, and runs them on emulators"
    return HealthCheck("TPU-MLIR", "missing", what, "autosplit toolchain install tpu-mlir")


def _set_up_again() -> str:
    """What to do about a TPU-MLIR that does not work."""
    if os.environ.get(VARIABLE):
        return (
            f"set {VARIABLE} to one that works, or unset it: autosplit toolchain install tpu-mlir"
        )
    return "autosplit toolchain install tpu-mlir --force"


def _toolchain(tools: TpuMlir) -> HealthCheck:
    named = f" ({VARIABLE})" if os.environ.get(VARIABLE) else ""
    hint = ""
    if tools.version != TPU_MLIR_VERSION:
        hint = f"all was measured with {TPU_MLIR_VERSION}: autosplit toolchain install tpu-mlir"
    return HealthCheck("TPU-MLIR", "ok", f"{tools.version}, {tools.root}{named}", hint)


def check_chip(tools: TpuMlir, chip: str) -> Iterator[HealthCheck]:
    """Compiles a small convolution for a chip, runs it on the chip's emulator and looks at the numbers."""
    mode = bmodel_compile.MODES[chip][0]
    with tempfile.TemporaryDirectory(prefix="autosplit-doctor-") as name:
        folder = Path(name)
        start = time.monotonic()
        try:
            write_convolution(folder)
            settings: Settings = {**CONVOLUTION, "chip": chip, "mode": mode}
            compiled = bmodel_compile.compile_top(settings, folder, tools.root, lambda _: None)
        except CompileError as e:
            # The log goes with the folder.
            detail = str(e).replace(f"; see {e.log}", "")
            yield HealthCheck(f"{chip} compiler", "broken", detail, _set_up_again())
            return
        took = time.monotonic() - start
        yield HealthCheck(f"{chip} compiler", "ok", f"a convolution in {mode}", seconds=took)
        start = time.monotonic()
        try:
            worst = run_convolution(tools, Path(compiled.bmodel))
        except AutosplitError as e:
            detail = str(e).removeprefix(f"{compiled.bmodel} (emulator of {chip}): ")
            yield HealthCheck(f"{chip} emulator", "broken", detail, _set_up_again())
            return
        took = time.monotonic() - start
        if not worst <= TOLERANCE:
            wrong = (
                f"computes a convolution wrong: off by {worst:.2g}, expected {TOLERANCE:g} at most"
            )
            yield HealthCheck(f"{chip} emulator", "broken", wrong, _set_up_again(), took)
            return
        yield HealthCheck(f"{chip} emulator", "ok", f"right, off by {worst:.1g} at most", "", took)


def check_card() -> HealthCheck:
    """Whether a real chip is in this machine."""
    cards = sorted(Path("/dev").glob("bm-sophon[0-9]*"))
    if not cards:
        return HealthCheck(
            "TPU card", "missing", "sub-models for the TPU run on emulators without one"
        )
    names = ", ".join(str(card) for card in cards)
    for card in cards:
        if not os.access(card, os.R_OK | os.W_OK):
            what = f"{card} may not be opened by this user"
            return HealthCheck("TPU card", "broken", what, "ask for read and write access to it")
    from autosplit.runtime.bmodel.process import find_driver

    if find_driver() is None:
        hint = "install libsophon, the driver's libraries"
        return HealthCheck(
            "TPU card", "broken", f"{names}, but libbmrt of its driver is missing", hint
        )
    return HealthCheck("TPU card", "ok", names)


# A small convolution: x of 1x2x6x6 with weights of 3x2x3x3.

TOLERANCE = 1e-5

TEXT = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2x6x6xf32>) -> tensor<1x3x6x6xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x2x6x6xf32>):
    %0 = "top.Input"(%arg0) : (tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32> loc("x")
    %1 = "top.Weight"() : () -> tensor<3x2x3x3xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<3xf32> loc("b")
    %3 = "top.Conv"(%0, %1, %2) {dilations = [1 : i64, 1 : i64], do_relu = false, group = 1 : i64,
      kernel_shape = [3 : i64, 3 : i64], pads = [1 : i64, 1 : i64, 1 : i64, 1 : i64],
      strides = [1 : i64, 1 : i64]} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>)
      -> tensor<1x3x6x6xf32> loc("y")
    "func.return"(%3) : (tensor<1x3x6x6xf32>) -> () loc(unknown)
  }) : () -> () loc(unknown)
}) {module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32",
  module.top_run_mode = "STATIC", module.weight_file = "doctor_weights.npz", sym_name = "doctor"}
  : () -> () loc(unknown)
"""

CONVOLUTION: Settings = {
    "mlir": "doctor.mlir",
    "weights": "doctor_weights.npz",
    "chip": "bm1684",
    "mode": "F32",
    "net": "doctor",
    "inputs": [{"name": "x", "shape": [1, 2, 6, 6]}],
    "outputs": [{"name": "y", "shape": [1, 3, 6, 6]}],
    "timeout": TIMEOUT,
}


def write_convolution(folder: Path) -> None:
    """Writes the convolution's text and weights."""
    import numpy as np

    (folder / "doctor.mlir").write_text(TEXT, encoding="utf-8")
    _, weights, bias = _numbers()
    np.savez(folder / "doctor_weights.npz", w=weights, b=bias)


def run_convolution(tools: TpuMlir, bmodel: Path) -> float:
    """Runs the convolution's bmodel on its chip's emulator; the largest difference from the right numbers."""
    import numpy as np

    from autosplit.runtime.bmodel.process import BmodelProcess

    x, weights, bias = _numbers()
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    expected = np.zeros((3, 36), np.float32) + bias[:, None]
    for i in range(3):
        for j in range(3):
            window = padded[0, :, i : i + 6, j : j + 6].reshape(2, 36)
            expected = expected + weights[:, :, i, j] @ window
    with BmodelProcess(bmodel, toolchain=tools, timeout=TIMEOUT) as process:
        y = process.run({"x": x})["y"]
    return float(np.abs(y.astype(np.float32).reshape(3, 36) - expected).max())


def _numbers() -> tuple[Array, Array, Array]:
    import numpy as np

    def ramp(*shape: int) -> Array:
        # Small multiples of 1/8, which even float16 holds exactly.
        count = int(np.prod(shape))
        return ((np.arange(count) * 7 % 17 - 8) / 8).reshape(shape).astype(np.float32)

    return ramp(1, 2, 6, 6), ramp(3, 2, 3, 3), ramp(3)
