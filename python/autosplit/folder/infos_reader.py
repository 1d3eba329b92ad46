"""Reading graph_infos.json: what a folder of sub-models holds, checked value by value.

Imports nothing heavy, so that a runner starts quickly. `autosplit.folder.infos_writer` writes the file;
docs/graph_infos.md describes the format.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast
from zipfile import BadZipFile, ZipFile

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.json import Json
from autosplit.core.units import counted
from autosplit.folder.checked_json import CheckedJson, resolved
from autosplit.folder.compilation import RECORD_NAME, read_compilation, sha256
from autosplit.inputs.picture_input import PictureInput, resolve
from autosplit.inputs.preprocess import Descriptions, Normalization, Preprocess

if TYPE_CHECKING:
    from autosplit.folder.compilation import Compilation
    from autosplit.inputs.value_types import ValueType


FILE_NAME = "graph_infos.json"
PLAN_NAME = "plan.mlir"
BMODEL_NAME = "compilation.bmodel"
VALUES = "values"
"""The entry under `autosplit` that describes tensors that are not arrays."""

Role = Literal["input", "output", "intermediate"]


def context_dir(index: int) -> str:
    """The folder, beside the sub-models, in which sub-model `index` is compiled for the TPU."""
    return f"graph_ir_{index}"


MODEL_FILES = {
    "onnx": ("model_path",),
    "tensorflow": ("model_path",),
    "mxnet": ("json",),
    "caffe": ("proto", "weight"),
    "pytorch": ("pth_path",),
}
"""The `model_info` keys that each platform must have; mxnet's `params` is optional."""

_EXTRA_DTYPES = {"bfloat16", "object", "str", "string"}


@dataclass(frozen=True)
class BorderTensor:
    """A tensor at the border of a sub-model."""

    name: str
    shape: tuple[int, ...] | None
    """-1 where a size is unknown; None if even the rank is not. Largest sizes in dynamic mode."""
    dtype: str | None
    """numpy's name; None if the file does not say."""
    attr: Role
    value: ValueType | None = None
    """Its type if it is not an array; None for arrays, or if the file does not say."""


@dataclass(frozen=True)
class GraphEntry:
    """One sub-model."""

    index: int
    device: Literal["cpu", "tpu"]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    model_info: dict[str, str]
    context_dir: str | None
    """Where the compiled bmodel lies, relative to the folder; None for the CPU."""

    @property
    def label(self) -> str:
        """How messages speak of the sub-model."""
        files = ", ".join(self.model_info.values())
        return f"graph {self.index} ({files})" if files else f"graph {self.index}"


@dataclass(frozen=True)
class DnnlFiles:
    """How a CPU sub-model runs with oneDNN Graph: files, relative to the folder."""

    version: str
    """The version of oneDNN that the partitions are for."""
    plan: str
    weights: str
    partitions: tuple[str, ...]
    segments: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        return (self.plan, self.weights, *self.partitions, *self.segments)


@dataclass(frozen=True)
class GraphInfos:
    """A folder of sub-models, as its graph_infos.json describes it."""

    folder: Path
    platform: str
    layout: str
    dynamic: bool
    graphs: tuple[GraphEntry, ...]
    tensors: dict[str, BorderTensor]
    inputs: tuple[str, ...]
    """The model's inputs."""
    outputs: dict[str, str]
    """The model's outputs in order: the model's name of each, and the tensor that holds it."""
    own: dict[str, Json]
    """What lies under `autosplit`; empty for folders of other tools."""
    dnnl: dict[int, DnnlFiles] = field(default_factory=dict[int, DnnlFiles])
    """The files for oneDNN of each CPU sub-model that uses it, by its index."""
    preprocess: dict[str, Preprocess] = field(default_factory=dict[str, Preprocess])
    """By input: what becomes of its pictures."""
    normalizes: dict[str, Normalization] = field(default_factory=dict[str, Normalization])
    """By input: what the model itself begins with."""
    custom_ops: tuple[str, ...] = ()
    """Libraries of ops that the framework does not have: files, relative to the folder."""

    def picture_input(self, name: str) -> PictureInput:
        """What has to be known of an input to read pictures for it."""
        tensor = self.tensors[name]
        described, own = self.preprocess.get(name), self.normalizes.get(name)
        varying = tuple(self.varying(name) or ()) if self.dynamic else ()
        return PictureInput(name, tensor.shape, tensor.dtype, self.layout, described, own, varying)

    @property
    def read(self) -> frozenset[str]:
        """The tensors that a sub-model reads, or that hold an output of the model."""
        read = {name for graph in self.graphs for name in graph.inputs}
        return frozenset(read.union(self.outputs.values()))

    def varying(self, name: str) -> list[int] | None:
        """The axes of an input whose sizes may vary; None if the folder does not say."""
        entry = self.own.get("varying")
        axes = entry.get(name) if isinstance(entry, dict) else None
        return [a for a in axes if isinstance(a, int)] if isinstance(axes, list) else None

    def described(self, descriptions: Descriptions) -> GraphInfos:
        """With descriptions of pictures in front of those that are recorded.

        Raises AutosplitError for a name that is no input, and for an input that one does not fit.
        """
        inputs = [self.picture_input(name) for name in self.inputs]
        return replace(self, preprocess={**self.preprocess, **resolve(descriptions, inputs)})

    @property
    def mode(self) -> str:
        """What the TPU computes in, as the model was split for it; F32 where the folder does not say."""
        mode = self.own.get("mode")
        return mode if isinstance(mode, str) else "F32"

    @staticmethod
    def load(folder: Path | str) -> GraphInfos:
        """Reads and checks `folder/graph_infos.json`.

        Accepts the documented variants: tensors as a list or a dict, dtype absent or 0, keys that it does
        not know. Raises AutosplitError, naming the file and the cause, for anything that is missing or
        does not fit: files, paths that leave the folder, names, graph_num, the order of the graphs.
        """
        folder = Path(folder)
        path = folder / FILE_NAME
        if not folder.is_dir():
            problem = "is a file" if folder.exists() else "there is no such folder"
            raise AutosplitError(f"{folder}: {problem}; expected a folder of sub-models")
        for file in (path, folder / PLAN_NAME):
            if not resolved(file).is_relative_to(resolved(folder)):
                raise AutosplitError(f"{file}: is a link that leaves the folder")
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise AutosplitError(f"{path}: there is no such file; is {folder} a split?") from None
        except (OSError, UnicodeDecodeError) as error:
            raise AutosplitError(f"{path}: cannot be read: {error}") from None
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise AutosplitError(f"{path}: is not valid JSON: {error}") from None
        return _Reader(folder, path).read(data)

    def document(self) -> dict[str, Json]:
        """graph_infos.json in the form that AutoSplit's document shows, with nothing left out.

        `tensors` is an object, by name; what the file has besides is there too.
        """
        text = (self.folder / FILE_NAME).read_text(encoding="utf-8")
        data = cast("dict[str, Json]", json.loads(text))
        if isinstance(listed := data["tensors"], list):
            entries = cast("list[dict[str, Json]]", listed)
            data["tensors"] = {str(entry["name"]): entry for entry in entries}
        return {
            **data,
            "graph_num": len(self.graphs),
            "dynamic": self.dynamic,
            "layout": self.layout,
        }

    def file(self, graph: GraphEntry, key: str) -> Path:
        """The path of one of a sub-model's files."""
        return self.folder / graph.model_info[key]

    def bmodel(self, graph: GraphEntry) -> Path:
        """Where the compiled sub-model is expected; it may not be there yet."""
        return self.folder / (graph.context_dir or context_dir(graph.index)) / BMODEL_NAME

    @property
    def is_complete(self) -> bool:
        """Whether the document says the dtype of each tensor; otherwise see `folder.reader.completed`."""
        return all(tensor.dtype or tensor.value for tensor in self.tensors.values())

    def constants_file(self, graph: GraphEntry) -> Path | None:
        """The archive of a TPU sub-model's outputs that are always the same; None if all are computed.

        Raises AutosplitError if it is not the recorded one.
        """
        name = f"{graph.context_dir}/graph_{graph.index}_constants.npz"
        path = self.folder / name
        if not path.is_file():
            return None
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise AutosplitError(f"{path}: is a link that leaves the folder; {_AGAIN}")
        self.check_file(name)
        return path

    def constant_outputs(self, graph: GraphEntry) -> frozenset[str]:
        """The outputs of a TPU sub-model that are always the same, which its bmodel does not give."""
        if (path := self.constants_file(graph)) is None:
            return frozenset()
        try:
            with ZipFile(path) as archive:
                return frozenset(name.removesuffix(".npy") for name in archive.namelist())
        except (OSError, BadZipFile) as error:
            raise AutosplitError(f"{path}: cannot be read: {error}; {_AGAIN}") from None

    def is_constant(self, graph: GraphEntry) -> bool:
        """Whether all that a TPU sub-model gives is always the same, so that it needs no bmodel."""
        return graph.device == "tpu" and self.constant_outputs(graph).issuperset(graph.outputs)

    def libraries(self) -> tuple[Path, ...]:
        """The libraries of custom ops. Raises AutosplitError for one that is not as it was split."""
        paths = tuple((self.folder / name).absolute() for name in self.custom_ops)
        for name, path in zip(self.custom_ops, paths, strict=True):
            if not path.is_file():
                raise AutosplitError(
                    f"{path}: there is no such library, and {FILE_NAME} lists it under custom_ops; name one "
                    "with --custom-ops"
                )
            try:
                self.check_file(name)
            except AutosplitError as error:
                raise AutosplitError(f"{error}, or name a library with --custom-ops") from None
        return paths

    def check_file(self, name: str) -> bool:
        """Whether a file is known to be as it was split; False if that is not recorded, or it is missing.

        Raises AutosplitError if it is another one.
        """
        path, listed = self.folder / name, self.own.get("files")
        if not isinstance(listed, dict) or name not in listed or not path.is_file():
            return False
        if sha256(path) != listed[name]:
            raise AutosplitError(
                f"{path}: was changed after the split (its SHA-256 is not the one in {FILE_NAME}); "
                "split again"
            )
        return True

    def compilation(self, graph: GraphEntry) -> Compilation | None:
        """What is recorded of a TPU sub-model's compilation; None without a record or a bmodel.

        Raises AutosplitError if the bmodel is not the recorded one, or not one of this sub-model.
        """
        bmodel = self.bmodel(graph)
        if not bmodel.is_file() or (compilation := read_compilation(bmodel.parent)) is None:
            return None
        again = "compile it again with autosplit convert, or remove both files"
        record = bmodel.parent / RECORD_NAME
        if not bmodel.resolve().is_relative_to(self.folder.resolve()):
            raise AutosplitError(f"{bmodel}: is a link that leaves the folder; {again}")
        if sha256(bmodel) != compilation.bmodel:
            raise AutosplitError(
                f"{bmodel}: is not the bmodel that {RECORD_NAME} speaks of; {again}"
            )
        constant = self.constant_outputs(graph)
        computed = [name for name in graph.outputs if name not in constant]
        for what, borders, names in (
            ("inputs", compilation.inputs, graph.inputs),
            ("outputs", compilation.outputs, graph.outputs),
        ):
            recorded = tuple(border.tensor for border in borders)
            # A bmodel has no input of which only the shape is used, and no constant output.
            read = [n for n in names if n in recorded] if what == "inputs" else computed
            if recorded != tuple(read):
                raise AutosplitError(
                    f"{record}: is of another sub-model: its {what} are {list(recorded)}, those of "
                    f"{graph.label} {list(names)}; {again}"
                )
        listed = self.own.get("files")
        files: dict[str, Json] = listed if isinstance(listed, dict) else {}
        for name, value in compilation.sources.items():
            source = f"{graph.context_dir}/{name}"
            if files.get(source, value) != value:
                raise AutosplitError(
                    f"{record}: is of another sub-model: {source} is not the file that it was compiled from; "
                    f"{again}"
                )
        return compilation


_AGAIN = "compile again, with autosplit convert"


class _Reader(CheckedJson):
    """Checks graph_infos.json."""

    def read(self, data: object) -> GraphInfos:
        top = self.mapping(data, "the file")
        platform = self.string(self.get(top, "platform", "the file"), "platform")
        tensors = self.tensors(self.get(top, "tensors", "the file"))
        entries = self.sequence(self.get(top, "graphs", "the file"), "graphs")
        count = top.get("graph_num", len(entries))
        if count != len(entries):
            raise self.fail(
                f"graph_num is {count!r}, but graphs has {counted(len(entries), 'entry', 'entries')}"
            )
        graphs = tuple(self.graph(i, entry, platform, tensors) for i, entry in enumerate(entries))
        own = top.get("autosplit")
        own = cast("dict[str, Json]", own) if isinstance(own, dict) else {}
        tensors |= self.values(own, tensors)
        inputs = tuple(t.name for t in tensors.values() if t.attr == "input")
        outputs = self.outputs(own, tensors)
        self.check_order(graphs, inputs, outputs)
        layout = self.string(top.get("layout", "NCHW"), "layout")
        dynamic = bool(top.get("dynamic", False))
        return GraphInfos(
            self.folder,
            platform,
            layout,
            dynamic,
            graphs,
            tensors,
            inputs,
            outputs,
            own,
            self.dnnl(own, graphs),
            self.preprocess(own, inputs),
            self.normalizes(own, inputs),
            self.custom_ops(own),
        )

    def tensors(self, value: object) -> dict[str, BorderTensor]:
        """Tensors are an object by name, or (as one of the documents has it) a list."""
        if not isinstance(value, list):
            entries = self.mapping(value, "tensors")
        else:
            entries = dict[str, object]()
            for i, item in enumerate(cast("list[object]", value)):
                entry = self.mapping(item, f"tensor {i}")
                name = self.string(
                    self.get(entry, "name", f"tensor {i}"), f"the name of tensor {i}"
                )
                if name in entries:
                    raise self.fail(f"tensor {name!r} is listed twice")
                entries[name] = entry
        return {name: self.tensor(name, entry) for name, entry in entries.items()}

    def tensor(self, name: str, value: object) -> BorderTensor:
        where = f"tensor {name!r}"
        entry = self.mapping(value, where)
        attr = self.get(entry, "attr", where)
        if attr not in ("input", "output", "intermediate"):
            raise self.fail(
                f"the attr of {where} is {attr!r}, expected input, output or intermediate"
            )
        shape = entry.get("shape")
        if shape is not None:
            shape = self.sequence(shape, f"the shape of {where}")
            if not all(type(d) is int and d >= -1 for d in shape):
                raise self.fail(f"the shape of {where} is {shape!r}, expected sizes")
            shape = tuple(cast("list[int]", shape))
        return BorderTensor(name, shape, self.dtype(entry.get("dtype"), where), attr)

    def values(
        self, own: dict[str, Json], tensors: dict[str, BorderTensor]
    ) -> dict[str, BorderTensor]:
        """The tensors that are not arrays."""
        if VALUES not in own:
            return {}
        # Here, since it needs numpy.
        from autosplit.inputs.value_types import ValueType, read_type

        values: dict[str, BorderTensor] = {}
        for name, entry in self.mapping(own[VALUES], f"{VALUES} of autosplit").items():
            try:
                type = read_type(entry)
            except (ValueError, RecursionError) as error:
                raise self.fail(f"what tensor {name!r} is: {error}") from None
            if name not in tensors or not isinstance(type, ValueType):
                raise self.fail(f"{VALUES} of autosplit names {name!r}, which is no such tensor")
            values[name] = replace(tensors[name], value=type)
        return values

    def dtype(self, value: object, where: str) -> str | None:
        """Absent, null and 0 (what the MXNet splitter wrote) mean that the file does not say."""
        if value is None or (type(value) is int and value == 0):
            return None
        name = self.string(value, f"the dtype of {where}")
        if name in _EXTRA_DTYPES or name.startswith("float8"):
            return name
        import numpy as np

        try:
            return np.dtype(name).name
        except (TypeError, ValueError):
            raise self.fail(
                f"the dtype of {where} is {name!r}, expected a numpy name such as 'float32'"
            ) from None

    def graph(
        self, index: int, value: object, platform: str, tensors: dict[str, BorderTensor]
    ) -> GraphEntry:
        where = f"graph {index}"
        entry = self.mapping(value, where)
        device = self.get(entry, "device", where)
        if device not in ("cpu", "tpu"):
            raise self.fail(f"the device of {where} is {device!r}, expected 'cpu' or 'tpu'")
        names: dict[str, tuple[str, ...]] = {}
        for key in ("inputs", "outputs"):
            listed = self.sequence(self.get(entry, key, where), f"{key} of {where}")
            names[key] = tuple(self.string(n, f"a name in {key} of {where}") for n in listed)
            for name in names[key]:
                if name not in tensors:
                    hint = choice(name, list(tensors)) if tensors else ""
                    raise self.fail(f"{key} of {where} name {name!r}, which is not a tensor{hint}")
        info = self.mapping(self.get(entry, "model_info", where), f"model_info of {where}")
        files = {k: self.string(v, f"{k} in model_info of {where}") for k, v in info.items()}
        required = MODEL_FILES.get(platform, ())
        for key in required:
            self.get(info, key, f"model_info of {where}")
        for key, file in files.items():
            place = self.inside(file, f"{key} of {where}")
            if key in required and not place.is_file():
                raise self.fail(f"{key} of {where} is {file!r}, and there is no such file")
        context = None
        if device == "tpu":
            context = entry.get("context_dir", context_dir(index))
            context = self.string(context, f"context_dir of {where}")
            self.inside(context, f"context_dir of {where}")
        return GraphEntry(index, device, names["inputs"], names["outputs"], files, context)

    def dnnl(self, own: dict[str, Json], graphs: tuple[GraphEntry, ...]) -> dict[int, DnnlFiles]:
        """The entry `dnnl` under `autosplit`: an object by `graph_N`."""
        by_name = {f"graph_{graph.index}": graph for graph in graphs}
        by_graph: dict[int, DnnlFiles] = {}
        for name, value in self.mapping(own.get("dnnl", {}), "autosplit.dnnl").items():
            where = f"autosplit.dnnl of {name!r}"
            if name not in by_name or by_name[name].device != "cpu":
                raise self.fail(f"autosplit.dnnl names {name!r}, which is not a graph of the CPU")
            entry = self.mapping(value, where)
            text = {
                key: self.string(self.get(entry, key, where), f"{key} in {where}")
                for key in ("version", "plan", "weights")
            }
            lists: dict[str, tuple[str, ...]] = {}
            for key in ("partitions", "segments"):
                listed = self.sequence(self.get(entry, key, where), f"{key} in {where}")
                lists[key] = tuple(self.string(f, f"a file of {key} in {where}") for f in listed)
            files = DnnlFiles(
                text["version"],
                text["plan"],
                text["weights"],
                lists["partitions"],
                lists["segments"],
            )
            for file in files.files:
                if not self.inside(file, f"a file in {where}").is_file():
                    raise self.fail(f"{where} names {file!r}, and there is no such file")
            by_graph[by_name[name].index] = files
        return by_graph

    def preprocess(self, own: dict[str, Json], inputs: tuple[str, ...]) -> dict[str, Preprocess]:
        """The entry `preprocess` under `autosplit`: a description by input."""
        by_input: dict[str, Preprocess] = {}
        for name, value in self.by_input(own, "preprocess", inputs).items():
            try:
                by_input[name] = Preprocess.of_json(value)
            except AutosplitError as error:
                raise self.fail(f"autosplit.preprocess of {name!r}: {error}") from None
        return by_input

    def normalizes(self, own: dict[str, Json], inputs: tuple[str, ...]) -> dict[str, Normalization]:
        """The entry `normalizes` under `autosplit`: mean and scale by input."""
        by_input: dict[str, Normalization] = {}
        for name, value in self.by_input(own, "normalizes", inputs).items():
            try:
                by_input[name] = Preprocess.of_json(value).affine
            except AutosplitError as error:
                raise self.fail(f"autosplit.normalizes of {name!r}: {error}") from None
        return by_input

    def custom_ops(self, own: dict[str, Json]) -> tuple[str, ...]:
        """The entry `custom_ops` under `autosplit`: a list of files."""
        listed = self.sequence(own.get("custom_ops", []), "autosplit.custom_ops")
        names = tuple(self.string(name, "a file of autosplit.custom_ops") for name in listed)
        # They must be there only if no others replace them.
        for name in names:
            self.inside(name, "a file of autosplit.custom_ops")
        return names

    def by_input(
        self, own: dict[str, Json], key: str, inputs: tuple[str, ...]
    ) -> dict[str, object]:
        entries = self.mapping(own.get(key, {}), f"autosplit.{key}")
        for name in entries:
            if name not in inputs:
                raise self.fail(
                    f"autosplit.{key} names {name!r}, which is not an input of the model"
                )
        return entries

    def outputs(self, own: dict[str, Json], tensors: dict[str, BorderTensor]) -> dict[str, str]:
        listed = own.get("outputs")
        if not isinstance(listed, dict):
            return {t.name: t.name for t in tensors.values() if t.attr == "output"}
        for name, tensor in listed.items():
            if not isinstance(tensor, str) or tensor not in tensors:
                raise self.fail(f"output {name!r} is held by {tensor!r}, which is not a tensor")
        return cast("dict[str, str]", listed)

    def check_order(
        self, graphs: tuple[GraphEntry, ...], inputs: tuple[str, ...], outputs: dict[str, str]
    ) -> None:
        maker_of = {name: -1 for name in inputs}
        makers = {name: g.index for g in graphs for name in g.outputs}
        for graph in graphs:
            for name in graph.inputs:
                if name in maker_of:
                    continue
                later = makers.get(name)
                cause = (
                    "which no graph computes and which is not an input of the model"
                    if later is None
                    else f"which only graph {later} computes: the graphs are not in order"
                )
                raise self.fail(f"{graph.label} reads {name!r}, {cause}")
            for name in graph.outputs:
                if name in maker_of:
                    raise self.fail(f"{graph.label} computes {name!r}, which is already there")
                maker_of[name] = graph.index
        for name in outputs.values():
            if name not in maker_of:
                raise self.fail(f"{name!r} is an output of the model, but no graph computes it")
