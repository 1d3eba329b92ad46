"""What `autosplit package` does: writes a converted folder as a program that runs without autosplit.

    out/                     app/
      graph_0.onnx             models/graph_0.onnx
      graph_ir_1/...           models/graph_1.bmodel
      graph_infos.json         manifest.json
                               runner.py, and what it imports

The program is the text of `portable` and of the few modules that it needs; its imports become relative.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import autosplit
from autosplit.core.errors import AutosplitError
from autosplit.folder.batches import net_name, read_batches
from autosplit.folder.compilation import sha256
from autosplit.folder.compiled import locked
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.plans import is_compiled
from autosplit.folder.staging import staged_folder
from autosplit.inputs.preprocess import NOTHING, Preprocess
from autosplit.platforms import native
from autosplit.portable.runner import MANIFEST, VERSION
from autosplit.runtime.bmodel.one_file import find_one_file
from autosplit.runtime.modes import remedy
from autosplit.runtime.runner import ends_of

if TYPE_CHECKING:
    from autosplit.folder.compilation import Compilation
    from autosplit.folder.infos_reader import GraphEntry
    from autosplit.inputs.picture_input import PictureInput

COPIED = (
    "core/casting.py",
    "core/errors.py",
    "portable/batches.py",
    "portable/bmodels.py",
    "portable/borders.py",
    "portable/ends.py",
    "portable/feeds.py",
    "portable/frameworks.py",
    "portable/integers.py",
    "portable/names.py",
    "portable/networks.py",
    "portable/pictures.py",
    "portable/runner.py",
    "portable/wire.py",
    "toolchains/bmodel_child.py",
)
"""The modules of a program, none of which imports another one of ours."""

FRAMEWORKS = ("tensorflow",)
"""What a device may have beside ONNX Runtime, if the user says so."""

TITLES = {"onnx": "ONNX Runtime", "tensorflow": "TensorFlow"}

MODELS, CPP = "models", "run_bmodel.cpp"

INIT = '''\
"""A model for {chip}, as autosplit packaged it: `infer(load(), {{name: array}})`; see runner.py."""

from .runner import infer, load

__all__ = ["infer", "load"]
'''

MAIN = '''\
"""python -m {name} --input NAME=FILE; python {name} does the same."""

import sys
from importlib import import_module
from pathlib import Path

if __package__:
    runner = import_module(".runner", __package__)
else:
    folder = Path(__file__).resolve().parent
    sys.path[0] = str(folder.parent)
    runner = import_module(f"{{folder.name}}.runner")
sys.exit(runner.main())
'''


@dataclass
class Packaged:
    """A folder that was packaged."""

    folder: Path
    chip: str
    steps: list[str]
    """`graph_0: ONNX Runtime`, ... in the order in which they run."""
    needs: list[str]
    """What the device must have, beside Python and numpy."""
    example: str
    """A command that runs it."""
    notes: list[str] = field(default_factory=list[str])


def package_folder(
    folder: Path | str, out: Path | str, *, frameworks: Collection[str] = (), cpp: bool = False
) -> Packaged:
    """Writes a converted folder as a program, a Python package of its own, into the folder `out`.

    `frameworks`: what the device has beside ONNX Runtime, see `FRAMEWORKS`. `cpp`: with a program in C++ that
    runs one bmodel. Raises AutosplitError, writing nothing, where the folder is not converted, or holds what
    cannot run there.
    """
    folder, out = Path(folder), Path(out)
    infos = GraphInfos.load(folder)
    if not out.resolve().name.isidentifier():
        raise AutosplitError(
            f"{out}: is no name of a Python package; expected letters, digits and _, as in app"
        )
    for name in frameworks:
        if name not in FRAMEWORKS:
            names = ", ".join(FRAMEWORKS)
            raise AutosplitError(f"framework {name!r}: expected one of {names}")
    if is_compiled(folder):
        raise AutosplitError(
            f"{folder}: is compiled for oneDNN; package takes what split and convert, or deploy, wrote"
        )
    _check_inputs(infos)
    with locked(folder, patience=5.0, shared=True), staged_folder(out) as staging:
        contents = _Contents(infos, staging / MODELS, frameworks)
        manifest = contents.manifest()
        text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
        (staging / MANIFEST).write_text(text, encoding="utf-8")
        if cpp:
            shutil.copyfile(Path(autosplit.__file__).parent / "portable" / CPP, staging / CPP)
        _write_program(staging, out.resolve().name, contents.chip.upper() or "the CPU")
    return Packaged(
        out,
        contents.chip.upper(),
        contents.steps,
        contents.needs(),
        _example(out, manifest["inputs"]),
        contents.notes,
    )


def _check_inputs(infos: GraphInfos) -> None:
    """Raises for inputs that are not arrays of a dtype that numpy has."""
    for name in infos.inputs:
        tensor = infos.tensors[name]
        if tensor.value is not None:
            raise AutosplitError(
                f"{infos.folder}: input {name!r} is not an array, and a packaged model takes arrays only"
            )
    for tensor in infos.tensors.values():
        if tensor.dtype is not None and tensor.dtype.startswith(("bfloat16", "float8")):
            raise AutosplitError(
                f"{infos.folder}: tensor {tensor.name!r} is {tensor.dtype}, which numpy alone does not have"
            )


class _Contents:
    """The models of a folder, copied into one of the program, and what the manifest says of them."""

    def __init__(self, infos: GraphInfos, models: Path, frameworks: Collection[str]):
        self.infos = infos
        self.models = models
        self.frameworks = frameworks
        self.chip = ""
        self.steps: list[str] = []
        self.notes: list[str] = []
        self._used: set[str] = set()
        self._one_file = find_one_file(infos)
        self._inside = ""
        """Where the models of other numbers of samples go."""
        models.mkdir()

    def manifest(self) -> dict[str, Any]:
        """Copies the models; what manifest.json holds."""
        infos = self.infos
        entries = {**self._part(), **self._batches()}
        # A library may be replaced by one for another processor.
        files = sorted(path for path in self.models.rglob("*") if path.is_file())
        custom = [self._copy(path, f"custom_ops/{path.name}") for path in infos.libraries()]
        if custom:
            self.notes.append(
                f"{', '.join(custom)}: machine code of this machine; replace it by the device's"
            )
        return {
            "version": VERSION,
            "autosplit": autosplit.__version__,
            "chip": self.chip,
            **entries,
            "custom_ops": custom,
            "files": {p.relative_to(self.models.parent).as_posix(): sha256(p) for p in files},
        }

    def _batches(self) -> dict[str, Any]:
        """The same for other numbers of samples, where the folder is for several."""
        infos = self.infos
        if (batches := read_batches(infos)) is None:
            return {}
        others: dict[str, Any] = {}
        for size, place in batches.others.items():
            self.infos, self._inside = GraphInfos.load(infos.folder / place), f"{place}/"
            others[str(size)] = self._part()
        self.infos, self._inside = infos, ""
        entry = {"inputs": [*batches.inputs], "first": batches.first, "others": others}
        return {"batches": entry}

    def _part(self) -> dict[str, Any]:
        """Copies the models of a folder; what manifest.json holds of them."""
        infos = self.infos
        self._check_frameworks()
        entries = [self._on_tpu(g) if g.device == "tpu" else self._on_cpu(g) for g in infos.graphs]
        promised = infos.own.get("promised")
        names = cast("list[str]", promised) if isinstance(promised, list) else []
        shapes = {n: infos.tensors[n].shape for n in names if n in infos.tensors}
        return {
            "dynamic": infos.dynamic,
            "inputs": [self._input(name) for name in infos.inputs],
            "outputs": infos.outputs,
            "steps": entries,
            "io": self._io(),
            "fixed": infos.own.get("fixed", {}),
            "dims": infos.own.get("dims", {}),
            "promised": {n: list(shape) for n, shape in shapes.items() if shape is not None},
        }

    def _io(self) -> dict[str, Any]:
        """By sub-model, the model's inputs and outputs that are 8-bit integers."""
        ends = ends_of(self.infos)
        by_net: dict[str, Any] = {}
        for graph in self.infos.graphs:
            names = {*graph.inputs, *graph.outputs}
            if entries := {name: end.entry for name, end in ends.items() if name in names}:
                by_net[net_name(self.infos, f"graph_{graph.index}")] = entries
        return by_net

    def needs(self) -> list[str]:
        """What the device must have, beside Python and numpy."""
        titles = [title for name, title in TITLES.items() if name in self._used]
        if self.chip:
            titles.append("the vendor's runtime (libbmrt or sophon.sail)")
        return titles

    def _check_frameworks(self) -> None:
        """Raises if sub-models on the CPU need what is not on the device."""
        for graph in self.infos.graphs:
            framework = self._framework(graph) if graph.device == "cpu" else "onnx"
            if framework in ("onnx", *self.frameworks):
                continue
            others = [
                g.label
                for g in self.infos.graphs
                if g.device == "cpu" and self._framework(g) == framework
            ]
            what = f"{self.infos.folder}: {', '.join(others)} on the CPU need {framework}"
            if framework in FRAMEWORKS:
                raise AutosplitError(
                    f"{what}, which devices rarely have; allow it with --framework {framework}, or convert "
                    "the model to ONNX before the split"
                )
            raise AutosplitError(
                f"{what}, and a packaged model runs only ONNX Runtime and {', '.join(FRAMEWORKS)}; convert "
                "the model to ONNX before the split"
            )

    def _framework(self, graph: GraphEntry) -> str:
        files = native(self.infos.platform, self.infos.folder, graph.model_info)
        return self.infos.platform if files is None else files.platform.name

    def _on_cpu(self, graph: GraphEntry) -> dict[str, Any]:
        framework = self._framework(graph)
        name = next(iter(graph.model_info.values()))
        for file in (name, f"{name}.data"):
            # Weights of large ONNX models lie in a file of their own.
            if (self.infos.folder / file).is_file():
                self.infos.check_file(file)
                self._copy(self.infos.folder / file, Path(file).name)
        self._used.add(framework)
        step = net_name(self.infos, f"graph_{graph.index}")
        self.steps.append(f"{step}: CPU, {TITLES[framework]}")
        return {
            "name": step,
            "device": "cpu",
            "framework": framework,
            "model": f"{MODELS}/{self._inside}{Path(name).name}",
            "inputs": list(graph.inputs),
            "outputs": list(graph.outputs),
        }

    def _on_tpu(self, graph: GraphEntry) -> dict[str, Any]:
        infos, name = self.infos, net_name(self.infos, f"graph_{graph.index}")
        entry: dict[str, Any] = {
            "name": name,
            "device": "tpu",
            "inputs": list(graph.inputs),
            "outputs": list(graph.outputs),
        }
        if (constants := infos.constants_file(graph)) is not None:
            entry["constants"] = self._copy(constants, f"{name}_constants.npz")
        if infos.is_constant(graph):
            self.steps.append(f"{name}: constants")
            return entry
        record = self._record(graph)
        if self.chip not in ("", record.chip):
            raise AutosplitError(
                f"{infos.folder}: the bmodels are for several chips, {self.chip.upper()} and "
                f"{record.chip.upper()}; convert again for one"
            )
        self.chip = record.chip
        self.steps.append(f"{name}: {record.chip.upper()}, {record.mode}")
        if self._one_file is None:
            bmodel = self._copy(infos.bmodel(graph), f"{name}.bmodel")
        else:
            bmodel = f"{MODELS}/{self._one_file.name}"
            if not (self.models / self._one_file.name).is_file():
                shutil.copyfile(self._one_file, self.models / self._one_file.name)
        return {
            **entry,
            "bmodel": bmodel,
            "net": record.net,
            "mode": record.mode,
            "network": {
                "inputs": [asdict(port) for port in record.inputs],
                "outputs": [asdict(port) for port in record.outputs],
            },
        }

    def _record(self, graph: GraphEntry) -> Compilation:
        """What is recorded of a sub-model's bmodel. Raises if there is none."""
        infos = self.infos
        if not infos.bmodel(graph).is_file():
            raise AutosplitError(
                f"{infos.bmodel(graph)}: there is no such file, so {graph.label} cannot run on the TPU; "
                f"{remedy(infos, graph)}"
            )
        for name in graph.model_info.values():
            infos.check_file(name)
        if (record := infos.compilation(graph)) is None:
            raise AutosplitError(
                f"{infos.bmodel(graph)}: nothing is recorded of its compilation; compile it again, with "
                "autosplit convert"
            )
        return record

    def _copy(self, source: Path, name: str) -> str:
        """Copies a file; its name relative to the program."""
        place = self.models / self._inside / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)
        return f"{MODELS}/{self._inside}{name}"

    def _input(self, name: str) -> dict[str, Any]:
        infos, tensor = self.infos, self.infos.tensors[name]
        entry: dict[str, Any] = {
            "name": name,
            "shape": None if tensor.shape is None else list(tensor.shape),
            "dtype": tensor.dtype,
            "varying": infos.varying(name),
        }
        if (picture := picture_entry(infos.picture_input(name))) is not None:
            entry["picture"] = picture
        return entry


def picture_entry(item: PictureInput) -> dict[str, Any] | None:
    """What becomes of a picture at an input, in full; None if nothing says that."""
    if not item.takes_pictures:
        return None
    try:
        affine = item.affine
    except AutosplitError:
        return None
    description = item.described or Preprocess()
    return {
        "frame": asdict(item.frame),
        "size": description.size,
        "short": description.short,
        "pad": list(description.pad),
        "color": description.color,
        "affine": None if affine == NOTHING else affine.to_json(),
    }


def _write_program(folder: Path, name: str, chip: str) -> None:
    root = Path(autosplit.__file__).parent
    for module in COPIED:
        text = (root / module).read_text(encoding="utf-8")
        (folder / Path(module).name).write_text(standalone(text), encoding="utf-8")
    (folder / "__init__.py").write_text(INIT.format(chip=chip), encoding="utf-8")
    (folder / "__main__.py").write_text(MAIN.format(name=name), encoding="utf-8")


def standalone(text: str) -> str:
    """A module's text with relative imports: all that it needs lies beside it."""
    text = re.sub(
        r"(?m)^(\s*)from autosplit\.\w+ import (\w+ as \w+)$", r"\1from . import \2", text
    )
    return re.sub(r"(?m)^(\s*)from autosplit(?:\.\w+)*\.(\w+) import ", r"\1from .\2 import ", text)


def _example(out: Path, inputs: Iterable[Mapping[str, Any]]) -> str:
    """The command that runs the program, with a file for each input."""
    arguments: Sequence[str] = [
        f" --input {entry['name']}={'photo.jpg' if 'picture' in entry else 'array.npy'}"
        for entry in inputs
    ]
    return f"python -m {out.resolve().name}{''.join(arguments)}"
