"""What runs the bmodels of a packaged model: the vendor's runtime, its Python package, or an emulator."""

from __future__ import annotations

import glob
import os
import subprocess
import sys
import tempfile
from ctypes.util import find_library
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from autosplit.core.errors import AutosplitError
from autosplit.portable.networks import read_network
from autosplit.portable.wire import packed, unpacked
from autosplit.toolchains import bmodel_child as child

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from numpy.typing import NDArray

    from autosplit.portable.networks import BmodelNetwork

    Array = NDArray[np.generic]

    class BmodelDevice(Protocol):
        """Something that runs one bmodel."""

        networks: list[BmodelNetwork]

        def run(self, feeds: Mapping[str, Array], network: BmodelNetwork) -> dict[str, Array]:
            """The network's outputs by its names, from its inputs by its names."""
            ...

        def close(self) -> None: ...


DRIVER = "/opt/sophon/libsophon-current/lib/libbmrt.so"
"""Where the vendor's package puts its runtime."""


def opener(
    chip: str, device: int, library: str | None, emulator: str | None, runtime: str
) -> Callable[[str], BmodelDevice]:
    """A function that opens a bmodel of the chip; arguments as for `runner.load`."""
    if runtime not in ("", "bmrt", "sail"):
        raise AutosplitError(f"runtime is {runtime!r}, expected bmrt or sail")
    if emulator is not None:
        root = _toolchain(emulator)
        return lambda bmodel: Emulated(bmodel, chip, root)
    path = os.path.abspath(library) if library else None
    path = path or (DRIVER if os.path.isfile(DRIVER) else find_library("bmrt"))
    if runtime == "sail" or (not path and not runtime and _has_sail()):
        return lambda bmodel: InSail(bmodel, device)
    return lambda bmodel: InProcess(bmodel, chip, device, path)


def _toolchain(named: str) -> str:
    """The folder of TPU-MLIR; an empty name is that of AUTOSPLIT_TPU_MLIR, or what autosplit installed."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    installed = sorted(glob.glob(os.path.join(data, "autosplit", "tpu-mlir-*")))
    root = named or os.environ.get("AUTOSPLIT_TPU_MLIR") or (installed[-1] if installed else "")
    if not root:
        raise AutosplitError(
            "there is no TPU-MLIR here, whose emulator could run this; name its folder, or set "
            "AUTOSPLIT_TPU_MLIR to it"
        )
    inner = os.path.join(os.path.abspath(root), "tpu_mlir")
    return inner if os.path.isdir(inner) else os.path.abspath(root)


def _check_chip(bmodel: str, chip: str) -> None:
    """Raises if a file is no bmodel of the chip."""
    built_for = child.bmodel_chip(bmodel)
    if built_for != chip:
        raise AutosplitError(f"{bmodel}: is for {built_for}, expected {chip}")


class InProcess:
    """A bmodel in libbmrt, in this process."""

    def __init__(self, bmodel: str, chip: str, device: int, library: str | None):
        if library is None:
            raise AutosplitError(
                f"there is no TPU runtime here: neither {DRIVER} nor a libbmrt where the system looks for "
                "libraries; install the vendor's libsophon, name the file with --library, or run on the "
                "emulator with --emulator DIR, the folder of TPU-MLIR"
            )
        settings = {"bmodel": bmodel, "library": library, "emulator": False, "device": device}
        try:
            _check_chip(bmodel, chip)
            self._runtime = child.Runtime(settings)
        except child.BmodelError as error:
            raise AutosplitError(str(error)) from None
        self.bmodel = bmodel
        self._closed = False
        self.networks = [read_network(entry) for entry in self._runtime.networks]

    def run(self, feeds: Mapping[str, Array], network: BmodelNetwork) -> dict[str, Array]:
        tensors, arrays = packed(feeds, network, self.bmodel)
        request = {"network": network.name, "tensors": tensors}
        try:
            answer, data = self._runtime.run(request, [array.tobytes() for array in arrays])
        except child.BmodelError as error:
            raise AutosplitError(f"{self.bmodel}: {error}") from None
        return unpacked(answer["tensors"], data)

    def close(self) -> None:
        # Several sub-models may have it.
        if not self._closed:
            self._closed = True
            self._runtime.close()


class Emulated:
    """A bmodel on the chip's emulator, which needs a process of its own."""

    def __init__(self, bmodel: str, chip: str, root: str):
        self.bmodel = bmodel
        scratch = tempfile.mkdtemp(prefix="bmodel-")
        try:
            _check_chip(bmodel, chip)
            settings = child.emulator_settings(bmodel, chip, root, scratch)
            environment = child.emulator_environment(root, scratch)
        except child.BmodelError as error:
            os.rmdir(scratch)
            raise AutosplitError(str(error)) from None
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd="/",
        )
        answer, _ = self._exchange(settings, [])
        self.networks = [read_network(entry) for entry in answer["networks"]]

    def run(self, feeds: Mapping[str, Array], network: BmodelNetwork) -> dict[str, Array]:
        tensors, arrays = packed(feeds, network, self.bmodel)
        data = [array.tobytes() for array in arrays]
        answer, results = self._exchange({"network": network.name, "tensors": tensors}, data)
        return unpacked(answer["tensors"], results)

    def _exchange(
        self, header: dict[str, Any], data: list[bytes]
    ) -> tuple[dict[str, Any], list[Any]]:
        sending: Any = self._process.stdin
        try:
            for piece in child.pack(header, data):
                sending.write(piece)
            sending.flush()
            answer, results = child.unpack(self._receive)
        except (OSError, EOFError):
            raise AutosplitError(f"{self.bmodel}: the emulator ended") from None
        if "error" in answer:
            raise AutosplitError(f"{self.bmodel}: {answer['error']}")
        return answer, results

    def _receive(self, size: int) -> bytearray:
        receiving: Any = self._process.stdout
        data = bytearray(receiving.read(size))
        if len(data) < size:
            raise EOFError
        return data

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def _has_sail() -> bool:
    return find_spec("sophon") is not None and find_spec("sophon.sail") is not None


class InSail:
    """A bmodel in the vendor's Python package, for tensors in float32 of fixed sizes."""

    def __init__(self, bmodel: str, device: int):
        if not _has_sail():
            raise AutosplitError("the vendor's package sophon.sail is not installed")
        sail: Any = import_module("sophon.sail")
        self.bmodel = bmodel
        self._engine = sail.Engine(bmodel, device, sail.IOMode.SYSIO)
        self.networks = [self._network(name) for name in self._engine.get_graph_names()]

    def _network(self, name: str) -> BmodelNetwork:
        engine = self._engine
        sides: dict[str, list[dict[str, Any]]] = {}
        for side in ("input", "output"):
            of = {
                what: getattr(engine, f"get_{side}_{what}") for what in ("names", "shape", "dtype")
            }
            sides[side] = []
            for tensor in of["names"](name):
                dtype = str(of["dtype"](name, tensor)).rpartition("BM_")[2].lower()
                if dtype != "float32":
                    raise AutosplitError(
                        f"{self.bmodel}: {side} {tensor!r} is {dtype}; through sail only float32 is passed, "
                        "use libbmrt"
                    )
                shape = list(of["shape"](name, tensor))
                sides[side].append(
                    {
                        "name": tensor,
                        "dtype": dtype,
                        "shapes": [shape],
                        "scale": 1.0,
                        "zero_point": 0,
                    }
                )
        return read_network(
            {
                "name": name,
                "is_dynamic": False,
                "inputs": sides["input"],
                "outputs": sides["output"],
            }
        )

    def run(self, feeds: Mapping[str, Array], network: BmodelNetwork) -> dict[str, Array]:
        arrays = {name: np.ascontiguousarray(array) for name, array in feeds.items()}
        for tensor in network.inputs:
            if arrays[tensor.name].shape != tensor.shape:
                raise AutosplitError(
                    f"{self.bmodel}: input {tensor.name!r} is of shape {list(arrays[tensor.name].shape)}; "
                    f"through sail only {list(tensor.shape)} is passed, use libbmrt"
                )
        results = self._engine.process(network.name, arrays)
        return {tensor.name: np.asarray(results[tensor.name]) for tensor in network.outputs}

    def close(self) -> None:
        """The engine ends with the process."""
