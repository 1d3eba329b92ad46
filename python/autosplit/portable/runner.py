"""Runs a model that `autosplit package` wrote, on a TPU or on its emulator; `APP` is the folder's name.

    python -m APP --input photo=me.jpg -o out.npz

    from APP import infer, load
    outputs = infer(load(), {"photo": array})

`manifest.json` lists the sub-models in the order in which they run. Each takes tensors by name from the
model's inputs and from earlier sub-models. Those for the TPU run through the vendor's runtime, libbmrt, or
its package `sophon.sail`; the others in ONNX Runtime, or in the framework that the manifest names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from autosplit.core.casting import dtype_by_name
from autosplit.core.errors import AutosplitError, choice
from autosplit.portable.batches import Batches
from autosplit.portable.bmodels import opener
from autosplit.portable.borders import Borders, shared_forms
from autosplit.portable.ends import asked_ends, read_ends
from autosplit.portable.feeds import Feeds
from autosplit.portable.frameworks import open_onnx, open_tensorflow
from autosplit.portable.names import bare
from autosplit.portable.networks import NetworkPort, RawPicture, find_network
from autosplit.portable.pictures import Frame, read_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from autosplit.portable.bmodels import BmodelDevice

    Array = NDArray[np.generic]

MANIFEST, VERSION = "manifest.json", 1


def load(
    folder: str | Path | None = None,
    *,
    device: int = 0,
    library: str | Path | None = None,
    emulator: str | Path | None = None,
    runtime: str = "",
    optimize: bool = False,
    io: str = "",
) -> PackagedRunner:
    """Loads all sub-models; `infer` then runs them any number of times.

    `folder`: that of the models and their manifest; the one that this file is in. `device`: the number of
    the TPU. `library`: the vendor's libbmrt.so, where it is not in its usual place. `emulator`: the folder
    of TPU-MLIR, whose emulator runs the bmodels in place of a TPU; "" is the one that is installed.
    `runtime`: `bmrt` or `sail`; by default bmrt, or sail where only that is installed. `optimize` lets ONNX
    Runtime optimize its graphs, which is faster and may change the last bits. `io`: `int8` gives outputs as
    the 8-bit integers that bmodels have, after `convert --io int8`.

    Raises AutosplitError, in one line, if something is missing or not as it was packaged.
    """
    place = Path(__file__).resolve().parent if folder is None else Path(folder)
    return PackagedRunner(
        place,
        device=device,
        library=None if library is None else str(library),
        emulator=None if emulator is None else str(emulator),
        runtime=runtime,
        optimize=optimize,
        io=io,
    )


def infer(runner: PackagedRunner, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a loaded model once; see `PackagedRunner.infer`."""
    return runner.infer(inputs)


# The model


class PackagedInput:
    """An input of the model."""

    def __init__(self, entry: Mapping[str, Any]):
        self.name: str = entry["name"]
        shape = entry["shape"]
        self.shape: tuple[int, ...] | None = None if shape is None else tuple(shape)
        self.dtype: str | None = entry["dtype"]
        self.value = None
        self.varying: list[int] | None = entry.get("varying")
        self.picture: Mapping[str, Any] | None = entry.get("picture")
        """What becomes of a picture; None if nothing says that."""
        self.is_counted = False
        """Whether its first size is the number of samples, any of which are taken."""

    def read(self, *paths: Path) -> Array:
        """A picture as this input, or several as its batch."""
        if self.picture is None:
            raise AutosplitError(
                f"input {self.name!r}: nothing says what becomes of a picture there; give an array (.npy), "
                "or split again with --preprocess"
            )
        says = self.picture
        axes: dict[str, Any] = {**says["frame"], "largest": tuple(says["frame"]["largest"])}
        if self.is_counted and axes["batch"] is not None:
            axes["batch"] = len(paths)
        frame = Frame(**axes)
        affine = (
            None if says["affine"] is None else (says["affine"]["mean"], says["affine"]["scale"])
        )
        return read_batch(
            paths, frame, PictureFit(says), affine, self.dtype or "float32", self.name
        )


class PictureFit:
    """How a picture comes to an input's size."""

    def __init__(self, says: Mapping[str, Any]):
        self.size: str = says["size"]
        self.short: int | None = says["short"]
        self.pad: tuple[int, ...] = tuple(says["pad"])
        self.color: str = says["color"]


class PackagedModel:
    """The sub-models for the sizes that `manifest`, a part of the file of that name, says."""

    def __init__(
        self,
        folder: Path,
        manifest: Mapping[str, Any],
        open_device: Callable[[str], BmodelDevice],
        custom_ops: Sequence[str],
        optimize: bool,
        io: str = "",
    ):
        self.folder = folder
        self.inputs = {entry["name"]: PackagedInput(entry) for entry in manifest["inputs"]}
        self.outputs: dict[str, str] = manifest["outputs"]
        """The model's outputs, and the tensor that holds each."""
        self.times: dict[str, float] = {}
        """Seconds of each sub-model in the last run."""
        self.dump: Path | None = None
        """A folder for what bmodels take and give, as bytes; see `run_bmodel.cpp`."""
        self._promised: Mapping[str, list[int]] = manifest["promised"]
        self._steps: list[PackagedStep] = []
        libraries = [str(folder / name) for name in custom_ops]
        try:
            for entry in manifest["steps"]:
                if entry["device"] == "tpu":
                    self._steps.append(TpuStep(folder, entry, open_device))
                else:
                    self._steps.append(CpuStep(folder, entry, libraries, optimize))
        except BaseException:
            self.close()
            raise
        kept = {*self.outputs.values(), *self.inputs}
        sides = [((*s.inputs, *s.outputs), s.borders) for s in self._steps]
        named = [(s.name, (*s.inputs, *s.outputs)) for s in self._steps]
        self.ends = read_ends(manifest.get("io", {}), named, kept)
        """The model's inputs and outputs that may be given, and are, as 8-bit integers."""
        self._asked = asked_ends(self.ends, io, str(folder))
        self._raw = shared_forms(sides, kept).union(self._asked)
        self._read = {name for step in self._steps for name in step.inputs}
        self._feeds = Feeds(
            str(folder),
            list(self.inputs.values()),
            needed=self._read.union(self.outputs.values()),
            dynamic=manifest["dynamic"],
            varying={name: tensor.varying for name, tensor in self.inputs.items()},
            dims=manifest["dims"],
            fixed={
                name: np.array(e["values"], dtype_by_name(e["dtype"])).reshape(e["shape"])
                for name, e in manifest["fixed"].items()
            },
            ends=self.ends,
            as_integers=True,
        )

    def infer(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Runs the sub-models in order; returns the model's outputs by name."""
        values = self._feeds.checked(inputs)
        wanted = set(self.outputs.values())
        self.times = {}
        for place, step in enumerate(self._steps):
            start = time.perf_counter()
            results = step.run({name: values[name] for name in step.inputs}, self._raw, self.dump)
            self.times[step.name] = time.perf_counter() - start
            for name in step.outputs:
                if name not in results:
                    raise AutosplitError(f"{self.folder}: {step.name} did not compute {name!r}")
                self._check_promise(name, results[name])
                if name in wanted or name in self._read:
                    values[name] = results[name]
            later = {name for after in self._steps[place + 1 :] for name in after.inputs}
            values = {name: v for name, v in values.items() if name in wanted or name in later}
        for name in wanted.intersection(self._asked):
            values[name] = self._asked[name].integers(values[name])
        return {name: values[tensor] for name, tensor in self.outputs.items()}

    def close(self) -> None:
        """Ends what runs bmodels."""
        for step in self._steps:
            step.close()

    def _check_promise(self, name: str, array: Any) -> None:
        promised = self._promised.get(name)
        if promised is not None and list(array.shape) != promised:
            raise AutosplitError(
                f"{self.folder}: tensor {name!r}: --shape promised {promised}, found {list(array.shape)}; "
                "split again with a promise that holds, or without one"
            )


class PackagedRunner:
    """A loaded model; arguments as for `load`."""

    def __init__(
        self,
        folder: Path,
        *,
        device: int = 0,
        library: str | None = None,
        emulator: str | None = None,
        runtime: str = "",
        optimize: bool = False,
        io: str = "",
    ):
        self.folder = folder
        self.manifest = manifest = read_manifest(folder)
        self.times: dict[str, float] = {}
        """Seconds of each sub-model in the last run."""
        self.dump: Path | None = None
        """A folder for what bmodels take and give, as bytes; see `run_bmodel.cpp`."""
        # A bmodel may hold the networks of several sub-models.
        open_device = once(opener(manifest["chip"], device, library, emulator, runtime))
        batches = manifest.get("batches")
        parts: dict[Any, Mapping[str, Any]] = {0: manifest}
        if batches is not None:
            parts = {batches["first"]: manifest, **batches["others"]}
        self._models: dict[int, PackagedModel] = {}
        """By the number of samples, the first one being that of `inputs`."""
        try:
            for size, part in parts.items():
                self._models[int(size)] = PackagedModel(
                    folder, part, open_device, manifest["custom_ops"], optimize, io
                )
        except BaseException:
            self.close()
            raise
        self._own = next(iter(self._models.values()))
        self.inputs, self.outputs = self._own.inputs, self._own.outputs
        self._batches: Batches | None = None
        if batches is not None:
            runs = {size: partial(self._run, model) for size, model in self._models.items()}
            self._batches = Batches(str(folder), batches["inputs"], runs)
            for name in batches["inputs"]:
                self.inputs[name].is_counted = True

    def infer(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Runs the sub-models in order; returns the model's outputs by name.

        Inputs are numpy arrays by name, with or without `:0`. Other dtypes than the model's are cast where no
        value changes. Inputs that the bmodels have as 8-bit integers are taken as these too. A model that was
        split with --batches takes any number of samples, see `portable.batches`. Raises
        AutosplitError for inputs that are missing or do not fit.
        """
        self.times = {}
        if self._batches is None or not (count := self._batches.count(inputs)):
            return self._run(self._own, inputs)
        return self._batches.infer(inputs, count)

    def _run(self, model: PackagedModel, inputs: Mapping[str, Any]) -> dict[str, Any]:
        model.dump = self.dump
        results = model.infer(inputs)
        for name, seconds in model.times.items():
            self.times[name] = self.times.get(name, 0.0) + seconds
        return results

    def read(self, name: str, *paths: str | Path) -> Array:
        """An input from a picture, or from several as its batch: what `infer` takes."""
        if name not in self.inputs:
            raise AutosplitError(
                f"{name!r} is not an input of the model{choice(name, list(self.inputs))}"
            )
        return self.inputs[name].read(*map(Path, paths))

    def close(self) -> None:
        """Ends what runs bmodels."""
        for model in self._models.values():
            model.close()


def read_manifest(folder: Path) -> dict[str, Any]:
    """What was packaged. Raises AutosplitError if a file is missing or another one."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AutosplitError(f"{path}: cannot be read: {error}") from None
    if manifest.get("version") != VERSION:
        version = manifest.get("version")
        raise AutosplitError(
            f"{path}: is of version {version!r}, expected {VERSION}; package it again"
        )
    for name, digest in manifest["files"].items():
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            raise AutosplitError(f"{folder / name}: cannot be read: {error.strerror}") from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise AutosplitError(
                f"{folder / name}: is not the file that was packaged; copy it again"
            )
    return manifest


# Sub-models


class PackagedStep:
    """A sub-model."""

    borders: Borders | None = None

    def __init__(self, entry: Mapping[str, Any]):
        self.name: str = entry["name"]
        self.inputs: list[str] = entry["inputs"]
        self.outputs: list[str] = entry["outputs"]

    def run(
        self, feeds: Mapping[str, Array], raw: Collection[str], dump: Path | None
    ) -> dict[str, Any]:
        """Computes the outputs; those in `raw` may stay as the bmodel has them."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends what it runs on."""


class CpuStep(PackagedStep):
    """A sub-model on the CPU, in its framework."""

    def __init__(
        self, folder: Path, entry: Mapping[str, Any], libraries: Sequence[str], optimize: bool
    ):
        super().__init__(entry)
        open_model = {"onnx": open_onnx, "tensorflow": open_tensorflow}[entry["framework"]]
        self._model = open_model(str(folder / entry["model"]), libraries, optimize)

    def run(
        self, feeds: Mapping[str, Array], raw: Collection[str], dump: Path | None
    ) -> dict[str, Any]:
        try:
            return dict(zip(self.outputs, self._model(feeds, self.outputs)))  # noqa: B905
        except Exception as error:
            text = " ".join(str(error).split())
            raise AutosplitError(f"{self.name} failed on the CPU: {text[:400]}") from error


def once(open_device: Callable[[str], BmodelDevice]) -> Callable[[str], BmodelDevice]:
    """A function that opens each bmodel once, however often it is asked for."""
    devices: dict[str, BmodelDevice] = {}

    def open_known(bmodel: str) -> BmodelDevice:
        if bmodel not in devices:
            devices[bmodel] = open_device(bmodel)
        return devices[bmodel]

    return open_known


class TpuStep(PackagedStep):
    """A sub-model on the TPU: its bmodel, and outputs that are always the same."""

    def __init__(
        self,
        folder: Path,
        entry: Mapping[str, Any],
        open_device: Callable[[str], BmodelDevice],
    ):
        super().__init__(entry)
        self._constants: dict[str, Array] = {}
        self._device: BmodelDevice | None = None
        if entry.get("constants"):
            with np.load(str(folder / entry["constants"]), allow_pickle=False) as archive:
                self._constants = {name: archive[name] for name in archive.files}
        if entry.get("bmodel"):
            bmodel = str(folder / entry["bmodel"])
            self._device = device = open_device(bmodel)
            network = find_network(bmodel, device.networks, entry["net"])
            inputs, outputs = (read_ports(entry["network"][side]) for side in ("inputs", "outputs"))
            self.borders = Borders(bmodel, network, inputs, outputs)

    def run(
        self, feeds: Mapping[str, Array], raw: Collection[str], dump: Path | None
    ) -> dict[str, Any]:
        outputs = {name: array.copy() for name, array in self._constants.items()}
        if self._device is not None and self.borders is not None:
            arrays = self.borders.feeds(feeds)
            results = self._device.run(arrays, self.borders.network)
            if dump is not None:
                for name, array in {**arrays, **results}.items():
                    array.tofile(str(dump / f"{self.name}.{name.replace('/', '_')}.bin"))
            outputs.update(self.borders.results(results, self.outputs, raw))
        return outputs

    def close(self) -> None:
        if self._device is not None:
            self._device.close()


def read_ports(entries: Sequence[Mapping[str, Any]]) -> list[NetworkPort]:
    """Inputs or outputs of a network, as JSON has them."""
    ports: list[NetworkPort] = []
    for entry in entries:
        fields: dict[str, Any] = {**entry, "shape": tuple(entry["shape"])}
        raw = entry.get("raw")
        if raw:
            named: dict[str, Any] = {
                **raw,
                "mean": tuple(raw["mean"]),
                "scale": tuple(raw["scale"]),
            }
            fields["raw"] = RawPicture(**named)
        ports.append(NetworkPort(**fields))
    return ports


# The command line


def _read_input(tensor: PackagedInput, text: str) -> Array:
    """An input from a file: an array (.npy), bytes as they are (.bin, .raw), or a picture."""
    path = Path(text)
    if not path.is_file():
        raise AutosplitError(f"{path}: there is no such file")
    if path.suffix == ".npy":
        return np.load(str(path), allow_pickle=False)
    if path.suffix not in (".bin", ".raw"):
        return tensor.read(path)
    data = np.fromfile(str(path), np.dtype(tensor.dtype or "float32"))
    shape = tensor.shape or ()
    if -1 in shape or data.size != np.prod(shape, dtype=np.int64):
        raise AutosplitError(
            f"{path}: holds {data.size} numbers of {data.dtype.name}, input {tensor.name!r} takes "
            f"{list(shape)}; give a .npy file, which has its shape"
        )
    return data.reshape(shape)


def _inputs(runner: PackagedRunner, texts: Sequence[str]) -> dict[str, Array]:
    feeds: dict[str, Array] = {}
    names = {bare(name): name for name in runner.inputs}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals and len(names) == 1:
            name, path = next(iter(names)), text
        if bare(name) not in names:
            hint = choice(name, list(runner.inputs))
            raise AutosplitError(f"--input {text}: expected NAME=FILE{hint}")
        tensor = runner.inputs[names[bare(name)]]
        feeds[tensor.name] = _read_input(tensor, path)
    return feeds


def _show(runner: PackagedRunner, outputs: Mapping[str, Any]) -> None:
    for name, seconds in runner.times.items():
        print(f"{name}: {seconds * 1e3:.1f} ms")
    for name, value in outputs.items():
        array: Any = value
        if not isinstance(value, np.ndarray):
            print(f"{name}: {type(array).__name__}")
            continue
        first = " ".join(
            f"{v:.6g}" if isinstance(v, float) else str(v) for v in array.reshape(-1)[:4].tolist()
        )
        size = "x".join(map(str, array.shape)) or "scalar"
        print(f"{name}: {array.dtype.name} {size}: {first}{' ...' * (array.size > 4)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {Path(__file__).resolve().parent.name}",
        description="Runs the model that is packaged here.",
    )
    add = parser.add_argument
    add(
        "--input", metavar="NAME=FILE", action="append", default=[], dest="inputs",
        help="an input: a picture, an array (.npy), or bytes as the model takes them (.bin, .raw); NAME= may "
        "be left out where there is one input",
    )  # fmt: skip
    add("-o", "--output", metavar="OUT.npz", help="write the outputs to a file")
    add("--device", metavar="N", type=int, default=0, help="the number of the TPU (default: 0)")
    add(
        "--library",
        metavar="FILE",
        help="the vendor's libbmrt.so, where it is not in its usual place",
    )
    add(
        "--emulator", metavar="DIR", nargs="?", const="",
        help="run on the chip's emulator: the folder of TPU-MLIR (default: that of AUTOSPLIT_TPU_MLIR, or "
        "what autosplit installed)",
    )  # fmt: skip
    add(
        "--runtime",
        choices=["bmrt", "sail"],
        default="",
        help="by default what is installed, bmrt first",
    )
    add("--repeat", metavar="N", type=int, default=1, help="run so often, and show the last times")
    add(
        "--dump",
        metavar="DIR",
        help="write what bmodels take and give, as bytes, into a new folder",
    )
    add("--optimize", action="store_true", help="let ONNX Runtime optimize graphs")
    add(
        "--io", choices=["int8"], default="",
        help="give those outputs as 8-bit integers that the bmodels have so",
    )  # fmt: skip
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0, or 1 with one line on standard error."""
    logging.basicConfig(format="%(message)s")
    args = _parser().parse_args(argv)
    try:
        runner = load(
            device=args.device,
            library=args.library,
            emulator=args.emulator,
            runtime=args.runtime,
            optimize=args.optimize,
            io=args.io,
        )
        try:
            feeds = _inputs(runner, args.inputs)
            if args.dump:
                runner.dump = Path(args.dump)
                runner.dump.mkdir(parents=True)
            outputs = runner.infer(feeds)
            for _ in range(args.repeat - 1):
                outputs = runner.infer(feeds)
        finally:
            runner.close()
        if args.output:
            with open(args.output, "wb") as file:
                np.savez(file, **{name: np.asarray(value) for name, value in outputs.items()})
    except (AutosplitError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    _show(runner, outputs)
    if args.output:
        print(f"wrote {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
