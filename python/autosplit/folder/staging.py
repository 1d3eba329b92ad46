"""Folders of sub-models, written as a whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.core.logs import log
from autosplit.core.units import first_of
from autosplit.devices import get_chip
from autosplit.folder.compilation import sha256
from autosplit.folder.compiled import locked, note_files
from autosplit.folder.infos_reader import FILE_NAME, PLAN_NAME, GraphInfos, context_dir
from autosplit.folder.own_files import foreign_files, read_entries
from autosplit.folder.tpu import constants_name, source_names, write_tpu_files
from autosplit.inputs.custom_ops import Libraries, copy_libraries
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute

    from autosplit.core.weights import WeightStore
    from autosplit.dialects.device import FuncOp
    from autosplit.folder.infos_writer import Outline
    from autosplit.platforms import Measured, Platform


@dataclass(frozen=True)
class Destination:
    """An output folder that may be written, and what was in it when that was found."""

    named: Path
    """As the user wrote it."""
    path: Path
    """Resolved."""
    files: frozenset[tuple[str, int, int]] = frozenset()
    """Relative path, time of change in ns and size in bytes of everything in it."""

    def __str__(self) -> str:
        return str(self.named)


def check_destination(
    destination: Path | str | Destination, *, force: bool, keep: Sequence[Path] = ()
) -> Destination:
    """An output folder; worth calling before the long work starts.

    It may be missing or empty; with `force` it may also hold an earlier split, which is replaced only as it
    is now. Raises AutosplitError for anything else: a file, the file system's root, a folder that holds one
    of the files `keep`, or a file that autosplit did not write.
    """
    if isinstance(destination, Destination):
        return destination
    named = Path(destination)
    path = named.resolve()
    if path == path.parent:
        raise AutosplitError(f"{named}: is the root of the file system; name a folder below it")
    if path.exists() and not path.is_dir():
        raise AutosplitError(f"{named}: is a file; expected a folder to write the sub-models to")
    blocking = next((p for p in path.parents if p.exists()), None)
    if blocking is not None and not blocking.is_dir():
        raise AutosplitError(f"{named}: {blocking} is a file, so there can be no folder in it")
    if not path.is_dir():
        return Destination(named, path)
    try:
        files = _files_in(path)
    except OSError as error:
        raise AutosplitError(f"{named}: cannot be listed: {error.strerror}") from None
    if not files:
        return Destination(named, path)
    if not force:
        raise AutosplitError(
            f"{named}: is not empty; name another folder, or replace it with --force"
        )
    held = next((f for f in keep if f.resolve().is_relative_to(path)), None)
    if held is not None:
        raise AutosplitError(
            f"{named}: holds {held.name}, which is being split; name another folder"
        )
    if Path.cwd().is_relative_to(path) or Path.home().is_relative_to(path):
        raise AutosplitError(f"{named}: holds the current or the home folder; name another folder")
    if (entries := read_entries(path)) is None:
        raise AutosplitError(
            f"{named}: --force replaces an earlier split only, and this folder has no {FILE_NAME} "
            "that lists graphs; name another folder, or empty this one"
        )
    if foreign := foreign_files(path, entries, {name for name, _, _ in files}):
        others = first_of([*map(repr, foreign)], 1)
        raise AutosplitError(
            f"{named}: --force replaces what autosplit wrote, and {others} in it is not that; "
            "move it elsewhere, or name another folder"
        )
    with locked(path, patience=1.0, shared=True):
        # A conversion that works here now would go on in the folder that takes its place.
        return Destination(named, path, files)


def _files_in(folder: Path) -> frozenset[tuple[str, int, int]]:
    """What is in a folder, so that changes can be seen. Raises OSError if it cannot be listed."""
    files: set[tuple[str, int, int]] = set()
    for path in folder.iterdir():
        inner = path.rglob("*") if path.is_dir() and not path.is_symlink() else ()
        for item in (path, *inner):
            state = item.lstat()
            files.add((item.relative_to(folder).as_posix(), state.st_mtime_ns, state.st_size))
    return frozenset(files)


@contextmanager
def staged_folder(
    destination: Path | str | Destination, *, force: bool = False, keep: Sequence[Path] = ()
) -> Generator[Path]:
    """A fresh folder beside `destination`, which takes its place when the block ends without an exception.

    After an exception, or Ctrl-C, all is as it was. What came into the destination since it was checked
    stays, and is an AutosplitError. `force` and `keep` as for `check_destination`.
    """
    checked = check_destination(destination, force=force, keep=keep)
    path = checked.path
    parents = _make_parents(path.parent)
    staging: Path | None = None
    try:
        staging = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
        yield staging
        # mkdtemp keeps others out; the result is an ordinary folder.
        staging.chmod(0o777 & ~_umask())
        _replace(staging, checked)
    except BaseException as error:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)
        for parent in parents:
            with suppress(OSError):
                parent.rmdir()
        if staging is not None and _is_full(error.__cause__) and isinstance(error, AutosplitError):
            # The staging folder is gone, and the user knows only the destination.
            text = str(error).replace(str(staging), str(destination))
            raise AutosplitError(text) from error
        if isinstance(error, OSError) and (staging is None or _is_full(error)):
            raise AutosplitError(f"{destination}: cannot be written: {error.strerror}") from error
        raise


def _is_full(error: BaseException | None) -> bool:
    return isinstance(error, OSError) and error.errno in _WRITE_ERRORS


_CHANGE_ERRORS = (errno.EEXIST, errno.EISDIR, errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY)
_WRITE_ERRORS = (
    errno.EACCES,
    errno.EBUSY,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.ENOSPC,
    errno.EPERM,
    errno.EROFS,
)


def _make_parents(folder: Path) -> list[Path]:
    """Makes `folder` and those above it; returns the new ones, innermost first."""
    missing = [p for p in (folder, *folder.parents) if not p.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()
        raise AutosplitError(f"{folder}: cannot be made: {error.strerror}") from None
    return missing


def _umask() -> int:
    """The process's umask; the only way to read it is to set it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _replace(staging: Path, destination: Destination) -> None:
    """Renames `staging` to the destination; an old folder goes only after the new one is in its place.

    Raises AutosplitError if the destination is not as it was when it was checked.
    """
    path = destination.path
    if not destination.files:
        # Renaming onto an empty folder is one step, and onto any other it fails.
        with _as_change(destination):
            staging.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".old", dir=path.parent))
    try:
        with _as_change(destination), _alone(path):
            path.rename(old)
            # Compared here, where nobody else writes to it.
            if _files_in(old) != destination.files:
                raise _changed(destination)
            staging.rename(path)
    except BaseException:
        _put_back(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _alone(path: Path) -> AbstractContextManager[None]:
    """Keeps conversions off the folder; waits for those that only look at it."""
    return locked(path, patience=1.0) if path.is_dir() else nullcontext()


def _put_back(old: Path, path: Path) -> None:
    """Undoes what `_replace` did; where somebody else has the place, the old folder stays beside it."""
    with suppress(OSError):
        if next(old.iterdir(), None) is None:
            old.rmdir()
        else:
            old.rename(path)


@contextmanager
def _as_change(destination: Destination) -> Generator[None]:
    """If renaming fails since the destination is not as it was: says that somebody else changed it."""
    try:
        yield
    except OSError as error:
        if error.errno in _CHANGE_ERRORS:
            raise _changed(destination) from None
        raise


def _changed(destination: Destination) -> AutosplitError:
    return AutosplitError(
        f"{destination}: something came into the folder meanwhile, perhaps from another autosplit; it is "
        "left as it is: name another folder"
    )


def write_folder(
    module: ModuleOp,
    store: WeightStore,
    platform: Platform,
    destination: Path | str | Destination,
    *,
    force: bool = False,
    layout: str | None = None,
    dynamic: bool | None = None,
    measured: Mapping[str, Measured] | None = None,
    keep: Sequence[Path] = (),
    lowered: Mapping[str, ModuleOp] | None = None,
    custom_ops: Libraries = (),
    source: Mapping[str, str] | None = None,
    has_sources: bool = True,
) -> GraphInfos:
    """Writes an outlined module: sub-models, what the TPU's are compiled from, plan.mlir, graph_infos.json.

    `layout`, `dynamic` and `measured` are noted in the module's `device.plan` where they are given; else
    what stands there holds. `keep`: files that must survive `force`, beside the one that the weights come
    from. `lowered`: TPU sub-models in canonical ONNX, by symbol, where they are at hand. `custom_ops`:
    libraries that the sub-models need, which are copied. `source`: the files of the whole model, as its
    `model_info` would name them. `has_sources`: whether what the TPU sub-models are compiled from is written,
    see `write_sources`. Sets `files` of each `device.func`.

    Raises AutosplitError if the module is not outlined or the destination cannot be used, and leaves
    everything as it was then.
    """
    from autosplit.core.printing import module_text
    from autosplit.folder.infos_writer import Outline, dumps, graph_infos

    outline = Outline.of(module)
    sources = [*keep, *([store.path] if store.path is not None else [])]
    with staged_folder(destination, force=force, keep=sources) as folder:
        copies = copy_libraries(custom_ops, folder)
        _note(module, outline.tensors.keys(), layout, dynamic, measured, copies)
        for i, func in enumerate(outline.graphs):
            set_files(func, platform.emit(module, func, store, folder, f"graph_{i}"))
        copied = tuple(folder / name for name in copies)
        _check_loads(outline, platform, folder, copied, source)
        if has_sources:
            _write_tpu(module, dict(enumerate(outline.graphs)), platform, folder, lowered or {})
        names = [name for i, func in enumerate(outline.graphs) for name in _files(func, i)]
        with emitted_stores(module, names, folder):
            (folder / PLAN_NAME).write_text(module_text(module), encoding="utf-8")
        infos = graph_infos(module, digests=digests(folder))
        (folder / FILE_NAME).write_text(dumps(infos), encoding="utf-8")
        # What was written must be what a reader accepts.
        GraphInfos.load(folder)
    return GraphInfos.load(str(destination))


def _check_loads(
    outline: Outline,
    platform: Platform,
    folder: Path,
    custom_ops: Libraries,
    source: Mapping[str, str] | None,
) -> None:
    """Raises if the framework does not load a sub-model of a folder that is being written.

    Unless it does not load the model itself, with ops that only another runtime has. `source`: its files.
    """
    from autosplit.folder.infos_writer import model_info

    models = [model_info(func, i, platform.name) for i, func in enumerate(outline.graphs)]
    if (refused := platform.refusal(models, folder, custom_ops)) is None:
        return
    own = None if source is None else platform.refusal([source], folder, custom_ops)
    if own is not None:
        log.warning(
            "%s: does not load on this machine, so its sub-models were not tried: %s",
            next(iter(source.values())) if source else "",
            own[1],
        )
        return
    raise AutosplitError(
        f"sub-model graph_{refused[0]} would not load in its framework: {refused[1]}; "
        "pin ops of it to the other device"
    )


def write_sources(module: ModuleOp, platform: Platform, folder: Path) -> None:
    """Writes what TPU sub-models of a folder are compiled from, where that is not there; notes the files."""
    from autosplit.folder.compile_script import script_name
    from autosplit.folder.infos_writer import Outline

    graphs: dict[int, FuncOp] = {}
    for i, func in enumerate(Outline.of(module).graphs):
        if func.target.is_tpu and not (folder / script_name(context_dir(i))).is_file():
            graphs[i] = func
    _write_tpu(module, graphs, platform, folder, {})
    for i in graphs:
        inner = Path(context_dir(i))
        names = [constants_name(i), *source_names(folder / inner, i)]
        files = [Path(script_name(context_dir(i))), *(inner / name for name in names)]
        note_files(folder, i, {}, [file for file in files if (folder / file).is_file()])


def _write_tpu(
    module: ModuleOp,
    graphs: Mapping[int, FuncOp],
    platform: Platform,
    folder: Path,
    lowered: Mapping[str, ModuleOp],
) -> None:
    """Writes what the TPU sub-models are compiled from: Top text, weights and scripts."""
    from autosplit.folder.infos_writer import is_dynamic, mode_of, plan_of, planned_measurements
    from autosplit.lowering.submodel.sizes import Sizes

    ctx, plan = make_context(), plan_of(module)
    largest = {name: measured.shape for name, measured in planned_measurements(plan).items()}
    for i, func in graphs.items():
        if func.target.is_tpu:
            write_tpu_files(
                ctx,
                module,
                func,
                i,
                platform,
                get_chip(func.target.chip.data),
                folder,
                # INT8 is calibrated by `convert`; until then the script is for F32.
                mode="F32" if mode_of(plan) == "INT8" else mode_of(plan),
                sizes=Sizes.of(is_dynamic(plan)),
                largest=largest,
                lowered=lowered.get(func.sym_name.data),
            )


def _note(
    module: ModuleOp,
    borders: Collection[str],
    layout: str | None,
    dynamic: bool | None,
    measured: Mapping[str, Measured] | None,
    custom_ops: Sequence[str],
) -> None:
    """Writes what the caller knows into `device.plan`, so that plan.mlir alone says everything."""
    from xdsl.dialects.builtin import (
        ArrayAttr,
        DictionaryAttr,
        IntegerAttr,
        StringAttr,
    )

    from autosplit.folder.infos_writer import measured_attr, plan_of, planned_measurements

    plan = plan_of(module)
    if layout is not None:
        plan["layout"] = StringAttr(layout)
    if dynamic is not None:
        plan["dynamic"] = IntegerAttr(int(dynamic), 1)
    if custom_ops:
        plan["custom_ops"] = ArrayAttr([StringAttr(name) for name in custom_ops])
    if measured is not None:
        measurements = {**planned_measurements(plan), **measured}
        measurements = {
            name: read for name, read in sorted(measurements.items()) if name in borders
        }
        plan["tensors"] = measured_attr(measurements)
    module.attributes["device.plan"] = DictionaryAttr(plan)


def set_files(func: FuncOp, model_info: Mapping[str, str]) -> None:
    """Notes on a sub-model which files it was written to."""
    from xdsl.dialects.builtin import DictionaryAttr, StringAttr

    func.files = DictionaryAttr({key: StringAttr(name) for key, name in model_info.items()})


@contextmanager
def emitted_stores(module: ModuleOp, names: Sequence[str], folder: Path) -> Generator[None]:
    """While it lasts, the module names the files `names` of the folder as the places of its weights."""
    from xdsl.dialects.builtin import ArrayAttr

    original = module.attributes.get("platform.stores")
    stores: list[Attribute] = [_store_attr(name, folder / name) for name in names]
    module.attributes["platform.stores"] = ArrayAttr(stores)
    try:
        yield
    finally:
        if original is None:
            del module.attributes["platform.stores"]
        else:
            module.attributes["platform.stores"] = original


def _files(func: FuncOp, index: int) -> list[str]:
    from autosplit.folder.infos_writer import model_info

    return list(model_info(func, index, "").values())


def _store_attr(name: str, path: Path) -> Attribute:
    from autosplit.core.weights import digest_of
    from autosplit.dialects.platform import StoreAttr, StoreFile

    return StoreAttr(StoreFile(name, digest_of(path)))


def digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file in the folder, by relative path."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): sha256(p) for p in files}
