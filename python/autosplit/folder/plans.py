"""Folders of compiled models: the CPU sub-model as it was, and beside it what oneDNN Graph runs of it.

    out/
      graph_infos.json     as of any folder of sub-models; `autosplit.dnnl` names the files below
      graph_0.onnx         the model itself
      dnnl_0/              how graph_0 runs with oneDNN Graph:
        plan.mlir          which partition or segment reads what, in order
        partition_0.json   each partition in oneDNN Graph's own JSON form
        graph_1.onnx       each segment that ONNX Runtime computes
        weights.npz        the constants of the partitions

What is read back is plan.mlir with the weights; a partition file that says something else is refused. So
nothing is stated twice without being compared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.core.json import Json
from autosplit.core.units import counted
from autosplit.core.versions import DEFAULT_VERSION
from autosplit.folder.compilation import sha256
from autosplit.folder.infos_reader import FILE_NAME, PLAN_NAME, DnnlFiles, GraphInfos
from autosplit.folder.staging import digests, emitted_stores, set_files, staged_folder
from autosplit.inputs.custom_ops import copy_libraries
from autosplit.inputs.fixed import fixed_json
from autosplit.inputs.picture_entries import picture_entries
from autosplit.lowering.device.whole import whole_as_one
from autosplit.platforms import model_key, platform_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from autosplit.core.weights import WeightStore
    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.dnnl import PartitionOp
    from autosplit.dialects.platform import WeightAttr
    from autosplit.folder.infos_writer import Outline
    from autosplit.folder.staging import Destination
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.platforms import Model

    Array = NDArray[np.generic]

OWN_KEY = "dnnl"
"""The entry of graph_infos.json, under `autosplit`, that says how CPU sub-models use oneDNN."""

WEIGHTS_NAME = "weights.npz"


def folder_name(index: int) -> str:
    """The folder beside sub-model `index` with what oneDNN Graph runs of it."""
    return f"dnnl_{index}"


# Writing


def write_compiled(
    module: ModuleOp,
    model: Model,
    destination: Path | str | Destination,
    *,
    reasons: Mapping[str, int],
    force: bool = False,
    custom_ops: Libraries = (),
) -> GraphInfos:
    """Writes a plan, as `autosplit.flows.compile` makes it, and the model that it was made from.

    `reasons`: how many ops oneDNN does not run, by the code of the reason. `custom_ops`: libraries that it
    needs, which are copied. All or nothing, like `write_folder`. Raises AutosplitError if the
    destination cannot be used.
    """
    from autosplit.dialects.device import Kind
    from autosplit.folder.infos_writer import Outline, dumps, graph_infos, plan_json, plan_of

    whole = whole_as_one(model)
    if not Outline.of(whole).graphs:
        raise AutosplitError(f"{model.path}: has no op, its outputs are inputs: nothing to compile")
    keep = [*custom_ops, *([] if model.path is None else [model.path])]
    with staged_folder(destination, force=force, keep=keep) as folder:
        copies = copy_libraries(custom_ops, folder)
        (func,) = Outline.of(whole).graphs
        set_files(func, model.platform.emit(whole, func, model.store, folder, "graph_0"))
        inner = folder / folder_name(0)
        inner.mkdir()
        files = _write_plan(module, model, inner)
        infos = graph_infos(whole, digests=digests(folder))
        own = cast("dict[str, Json]", infos["autosplit"])
        own["target"] = Kind.dnnl
        own["plan"] = plan_json(module)
        own |= picture_entries(plan_of(module))
        own |= fixed_json(plan_of(module))
        own["reasons"] = dict[str, Json](reasons)
        if copies:
            own["custom_ops"] = [*copies]
        own[OWN_KEY] = {"graph_0": _entry(files, folder_name(0))}
        (folder / FILE_NAME).write_text(dumps(infos), encoding="utf-8")
        # What was written must be what a reader accepts.
        load_compiled(folder)
    return GraphInfos.load(str(destination))


def _write_plan(module: ModuleOp, model: Model, folder: Path) -> DnnlFiles:
    """Writes all of `dnnl_N`; the names in the result are relative to that folder."""
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

    from autosplit.core.printing import module_text
    from autosplit.core.weights import write_archive
    from autosplit.folder.infos_writer import Outline, plan_json

    platform = platform_of(module)
    version = str(plan_json(module).get("version", DEFAULT_VERSION))
    partitions: list[str] = []
    segments: list[str] = []
    for i, func in enumerate(Outline.of(module).graphs):
        if not func.target.is_dnnl:
            info = platform.emit(module, func, model.store, folder, f"graph_{i}")
            set_files(func, info)
            segments.append(info[model_key(platform)])
            continue
        names: list[str] = []
        for partition in partitions_of(func):
            names.append(f"partition_{len(partitions)}.json")
            partitions.append(names[-1])
            (folder / names[-1]).write_text(file_text(partition, version), encoding="utf-8")
        func.files = DictionaryAttr({"partitions": ArrayAttr([StringAttr(n) for n in names])})
    weights = {ref.key.data: ref for ref in _archived(module)}
    arrays = ((key, model.store.array(ref)) for key, ref in weights.items())
    write_archive(folder / WEIGHTS_NAME, arrays)
    with emitted_stores(module, [WEIGHTS_NAME, *segments], folder):
        (folder / PLAN_NAME).write_text(module_text(module), encoding="utf-8")
    return DnnlFiles(version, PLAN_NAME, WEIGHTS_NAME, tuple(partitions), tuple(segments))


def file_text(partition: PartitionOp, version: str) -> str:
    """A partition in oneDNN Graph's JSON form, for the version of the library that it was made for."""
    from autosplit.formats.dnnl_json.writer import partition_json

    return partition_json(partition, version=version if version.count(".") > 1 else f"{version}.0")


def _archived(module: ModuleOp) -> Iterator[WeightAttr]:
    """The weights that no segment's file holds under the key that the plan knows them by."""
    from autosplit.dialects.onnx.ops import InitializerOp

    for func in functions(module):
        for op in func.walk():
            name = None
            if isinstance(op, InitializerOp) and op.parent_op() is func and not func.target.is_dnnl:
                name = op.node_name.data
            for ref in weights_of(op):
                if ref.key.data != name:
                    yield ref


def weights_of(op: Operation) -> Iterator[WeightAttr]:
    """The weights that the properties of an op refer to."""
    from autosplit.dialects.onnx.ops import TensorAttr
    from autosplit.dialects.platform import WeightAttr

    for attr in op.properties.values():
        inner = attr.value if isinstance(attr, TensorAttr) else attr
        if isinstance(inner, WeightAttr):
            yield inner


def functions(module: ModuleOp) -> list[FuncOp]:
    """The sub-models of an outlined module and the host's function, as they stand in it."""
    from autosplit.dialects.device import FuncOp

    return [op for op in module.body.ops if isinstance(op, FuncOp)]


def partitions_of(func: FuncOp) -> list[PartitionOp]:
    """The partitions of a sub-model, in order."""
    from autosplit.dialects.dnnl import PartitionOp

    return [op for op in func.body.block.ops if isinstance(op, PartitionOp)]


def _entry(files: DnnlFiles, inside: str) -> Json:
    return {
        "version": files.version,
        "plan": f"{inside}/{files.plan}",
        "weights": f"{inside}/{files.weights}",
        "partitions": [f"{inside}/{name}" for name in files.partitions],
        "segments": [f"{inside}/{name}" for name in files.segments],
    }


# Reading


@dataclass(frozen=True)
class CompiledModel:
    """A folder of a compiled model that has been read."""

    infos: GraphInfos
    files: DnnlFiles
    module: ModuleOp
    """The plan, outlined."""
    store: WeightStore
    """All weights that the plan refers to; each is compared with its digest when it is read."""


def is_compiled(folder: Path) -> bool:
    """Whether a folder of sub-models says that one of them uses oneDNN. Says False if it is damaged."""
    try:
        data: object = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    own = cast("dict[str, object]", data).get("autosplit") if isinstance(data, dict) else None
    return isinstance(own, dict) and OWN_KEY in own


def load_compiled(folder: Path | str) -> CompiledModel:
    """Reads what `write_compiled` wrote.

    The plan is read from its text and the weights; each partition file must say the same as the plan. Raises
    AutosplitError, naming the file and the cause, for files that are missing, damaged, changed since they
    were written, or that contradict each other. The library is not needed.
    """
    from autosplit.folder.reader import parse_plan

    infos = GraphInfos.load(folder)
    if 0 not in infos.dnnl or len(infos.graphs) != 1:
        raise AutosplitError(
            f"{infos.folder / FILE_NAME}: names no plan of a compiled model: expected one sub-model "
            "and autosplit.dnnl for it, as `autosplit compile` writes them"
        )
    files = infos.dnnl[0]
    _check_digests(infos, files)
    path = infos.folder / files.plan
    with collector_paused():
        module, outline = parse_plan(path)
    _check_border(infos, outline, path)
    _check_partitions(infos, files, module, path)
    return CompiledModel(infos, files, module, _open_weights(infos, files, module))


def _check_digests(infos: GraphInfos, files: DnnlFiles) -> None:
    recorded = infos.own.get("files")
    digests = recorded if isinstance(recorded, dict) else {}
    for name in files.files:
        actual = sha256(infos.folder / name)
        if name not in digests:
            raise AutosplitError(
                f"{infos.folder / FILE_NAME}: has no digest of {name!r} under autosplit.files"
            )
        if actual != digests[name]:
            raise AutosplitError(
                f"{infos.folder / name}: was changed since it was written: its SHA-256 is {actual[:16]}..., "
                f"{FILE_NAME} says {str(digests[name])[:16]}...; compile the model again"
            )


def _check_border(infos: GraphInfos, outline: Outline, path: Path) -> None:
    """Raises if the plan does not take and give what the sub-model does."""
    from autosplit.folder.infos_writer import dtype_name, shape_of

    recorded = (infos.inputs, tuple(infos.outputs))
    planned = (outline.inputs, tuple(outline.outputs))
    for what, ours, theirs in zip(("inputs", "outputs"), planned, recorded, strict=True):
        if ours != theirs:
            raise AutosplitError(
                f"{path}: the {what} are {', '.join(ours)}, {FILE_NAME} says {', '.join(theirs)}"
            )
    held = {name: name for name in infos.inputs} | infos.outputs
    types = {name: outline.tensors[name] for name in outline.inputs}
    types |= {name: outline.tensors[tensor] for name, tensor in outline.outputs.items()}
    for name, tensor in held.items():
        listed, type = infos.tensors[tensor], types[name]
        actual = shape_of(type, None), dtype_name(type)
        expected = None if listed.shape is None else list(listed.shape), listed.dtype
        if not _compatible(*actual, *expected):
            raise AutosplitError(
                f"{path}: {name!r} is {actual[1]} {actual[0]}, {FILE_NAME} says {expected[1]} {expected[0]}"
            )


def _compatible(
    shape: list[int] | None, dtype: str | None, listed: list[int] | None, named: str | None
) -> bool:
    """Whether both can be said of one tensor; what one of them leaves open agrees with anything."""
    if None not in (dtype, named) and dtype != named:
        return False
    if shape is None or listed is None:
        return True
    return len(shape) == len(listed) and all(
        -1 in (a, b) or a == b for a, b in zip(shape, listed, strict=True)
    )


def _check_partitions(infos: GraphInfos, files: DnnlFiles, module: ModuleOp, path: Path) -> None:
    """Raises if a partition file says something other than the plan."""
    planned = [p for f in functions(module) if f.target.is_dnnl for p in partitions_of(f)]
    if len(planned) != len(files.partitions):
        raise AutosplitError(
            f"{path}: has {counted(len(planned), 'partition')}, {FILE_NAME} names "
            f"{counted(len(files.partitions), 'file')}"
        )
    for partition, name in zip(planned, files.partitions, strict=True):
        file = infos.folder / name
        try:
            written: object = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise AutosplitError(f"{file}: is not valid JSON: {error}") from None
        expected: object = json.loads(file_text(partition, files.version))
        if written != expected:
            raise AutosplitError(
                f"{file}: differs from {files.plan}: {_difference(expected, written)}; "
                "compile the model again"
            )


def _difference(plan: object, file: object, where: str = "the graph") -> str:
    """The first place where two JSON values differ, in words."""
    ours, theirs = _entries(plan), _entries(file)
    if type(plan) is not type(file) or ours is None or theirs is None:
        return f"{where} is {_short(file)}, in the plan {_short(plan)}"
    for key in [*ours, *theirs]:
        if key not in theirs or key not in ours:
            return f"{where} has {key!r} in {'the plan' if key in ours else 'the file'} only"
        if ours[key] != theirs[key]:
            return _difference(ours[key], theirs[key], f"{key!r} of {where}")
    return "they are equal"


def _entries(value: object) -> dict[object, object] | None:
    """The parts of a JSON object by key, of a list by index; None for anything else."""
    if isinstance(value, dict):
        return cast("dict[object, object]", value)
    return dict(enumerate(cast("list[object]", value))) if isinstance(value, list) else None


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) < 40 else text[:40] + "..."


def _open_weights(infos: GraphInfos, files: DnnlFiles, module: ModuleOp) -> WeightStore:
    """The weights that the plan refers to, from the archive and the segments."""
    from autosplit.core.weights import WeightStore
    from autosplit.platforms.stores import open_store

    weights = WeightStore(infos.folder / files.weights)
    for name in (*files.segments, files.weights):
        weights.update(open_store(infos.folder / name))
    checked = WeightStore(infos.folder / files.weights)
    for func in functions(module):
        for op in func.walk():
            for ref in weights_of(op):
                if ref.key.data not in weights:
                    raise AutosplitError(
                        f"{infos.folder / files.weights}: has no weight {ref.key.data!r}, "
                        f"which {files.plan} reads"
                    )
                checked.add(ref.key.data, lambda ref=ref: _checked(weights, ref))
    return checked


def _checked(store: WeightStore, ref: WeightAttr) -> Array:
    """A weight, compared with what the plan says of it."""
    from autosplit.core.dtypes import dtype_of
    from autosplit.core.weights import digest

    array = store.array(ref)
    dtype = dtype_of(ref.type)
    if dtype is not None and array.dtype.kind == "V" and array.dtype.itemsize == dtype.itemsize:
        # numpy's file format does not know the element types of ml_dtypes by name.
        array = array.view(dtype)
    if array.shape != ref.type.get_shape() or array.dtype != dtype:
        raise AutosplitError(
            f"{store.path}: weight {ref.key.data!r} is {array.dtype} {list(array.shape)}, the plan says "
            f"{dtype} {list(ref.type.get_shape())}"
        )
    if (actual := digest(array)) != ref.digest.data:
        raise AutosplitError(
            f"{store.path}: weight {ref.key.data!r} has the digest {actual}, the plan says {ref.digest.data}"
        )
    return array
