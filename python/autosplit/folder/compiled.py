"""The folder of a conversion: staging beside its sub-models, moving into place, and what is noted of it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.folder.compilation import (
    INPUT_REF_NAME,
    LOG_NAME,
    OUTPUT_REF_NAME,
    RECORD_NAME,
    REFUSED_BMODEL,
    REFUSED_RECORD,
    Compilation,
    read_compilation,
    sha256,
)
from autosplit.folder.infos_reader import BMODEL_NAME, FILE_NAME, context_dir
from autosplit.folder.tpu import (
    calibration_name,
    constants_name,
    quantize_name,
    source_names,
    text_name,
    weights_name,
)
from autosplit.toolchains.bmodel_compile import WORK

if TYPE_CHECKING:
    from autosplit.inputs.preprocess import Preprocess


@contextmanager
def locked(folder: Path, patience: float = 0.0, *, shared: bool = False) -> Generator[None]:
    """While it lasts, no other conversion works on the folder, and no compile script in it.

    Raises if one does, and still does after `patience` seconds. What only looks at the folder takes
    `shared` locks, several of which may be taken at once. The locks go with the process, whatever ends it.
    """
    until = time.monotonic() + patience
    with ExitStack() as held:
        held.enter_context(_locked(folder, "another conversion is at work on it", until, shared))
        for place in sorted(folder.glob(_PLACES)):
            if place.is_dir() and not place.is_symlink():
                why = "a compile script is at work in it"
                held.enter_context(_locked(place, why, until, shared))
        yield


@contextmanager
def _locked(folder: Path, otherwise: str, until: float, shared: bool) -> Generator[None]:
    with writing(folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        while not _has_lock(handle, shared):
            if time.monotonic() >= until:
                raise AutosplitError(
                    f"{folder}: {otherwise}; wait for its end, or end it, and try again"
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(handle)


def _has_lock(handle: int, shared: bool) -> bool:
    """Takes the lock of an open folder, where nobody else has it."""
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # Not every file system has locks.
    return True


STAGING_SUFFIX = ".part"
ONE_FILE = "sub_models.bmodel"
"""The one bmodel that holds those of all sub-models, where that is asked for."""
_PLACES = f"{context_dir(0)[:-1]}*"


def remove_stale(folder: Path) -> None:
    """Removes what killed conversions and compile scripts left behind; the folder is locked."""
    partial = [*folder.glob(f".{_PLACES}{STAGING_SUFFIX}"), *folder.glob(f"{_PLACES}/{WORK}")]
    for path in partial:
        if path.is_dir() and not path.is_symlink() and not path.parent.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f".{FILE_NAME}.*"):
        with suppress(OSError):
            path.unlink()


@contextmanager
def writing(folder: Path) -> Generator[None]:
    """Turns the file system's errors into one line."""
    try:
        yield
    except OSError as error:
        raise AutosplitError(f"{folder}: cannot be written: {error.strerror}") from error


def make_staging(folder: Path, index: int) -> Path:
    """A new folder in the folder, for what becomes of a sub-model."""
    with writing(folder):
        path = tempfile.mkdtemp(f"{STAGING_SUFFIX}", f".{context_dir(index)}.", folder)
    return Path(path)


def known_names(index: int) -> tuple[str, ...]:
    """The files in a bmodel's folder that a conversion writes, the record last."""
    return (
        constants_name(index),
        text_name(index),
        weights_name(index),
        calibration_name(index),
        quantize_name(index),
        INPUT_REF_NAME,
        OUTPUT_REF_NAME,
        LOG_NAME,
        REFUSED_BMODEL,
        REFUSED_RECORD,
        BMODEL_NAME,
        RECORD_NAME,
    )


def install(staging: Path, folder: Path, index: int) -> None:
    """Moves what lies in a staging folder into its place; what an earlier run left there goes.

    The record goes first and comes last: whatever happens between, no record speaks of another's bmodel.
    """
    from autosplit.folder.compile_script import script_name

    source, place = staging / context_dir(index), folder / context_dir(index)
    with writing(place):
        place.mkdir(exist_ok=True)
        for name in reversed(known_names(index)):
            (place / name).unlink(missing_ok=True)
        for name in known_names(index):
            if (source / name).is_file():
                (source / name).replace(place / name)
        script = script_name(context_dir(index))
        if (staging / script).is_file():
            (staging / script).replace(folder / script)


def restore(staging: Path, folder: Path, index: int) -> None:
    """Moves the sources of a bmodel that stays into place: those there may be missing or changed."""
    from autosplit.folder.compile_script import script_name

    inner = context_dir(index)
    script = script_name(inner)
    names = [f"{inner}/{name}" for name in source_names(staging / inner, index)]
    with writing(folder / inner):
        for name in [*names, script]:
            (staging / name).replace(folder / name)


def install_log(staging: Path, folder: Path, index: int) -> Path:
    """After a failure: only the log takes the place of what was there; its path."""
    source, place = staging / context_dir(index), folder / context_dir(index)
    with writing(place):
        place.mkdir(exist_ok=True)
        old = (RECORD_NAME, BMODEL_NAME, REFUSED_RECORD, REFUSED_BMODEL)
        for name in (*old, LOG_NAME, constants_name(index)):
            (place / name).unlink(missing_ok=True)
        if (source / LOG_NAME).is_file():
            (source / LOG_NAME).replace(place / LOG_NAME)
    return place / LOG_NAME


def forget(folder: Path, index: int) -> None:
    """Removes what an earlier run compiled of a sub-model; the record goes first."""
    place = folder / context_dir(index)
    with writing(place):
        for name in (RECORD_NAME, BMODEL_NAME, REFUSED_RECORD, REFUSED_BMODEL):
            (place / name).unlink(missing_ok=True)
    note_compiled(folder, index, None)


_infos_lock = threading.Lock()


def note_compiled(folder: Path, index: int, record: Compilation | None) -> None:
    """Writes into graph_infos.json what was compiled of a sub-model, or that it is no longer compiled."""
    from autosplit.folder.compile_script import script_name

    def change(data: dict[str, Any]) -> None:
        own = _object(data, "autosplit")
        compiled = _object(own, "compiled")
        compiled.pop(f"graph_{index}", None)
        if record is not None:
            compiled[f"graph_{index}"] = {
                "compiler": record.compiler,
                "toolchain": record.toolchain,
                "chip": record.chip,
                "mode": record.mode,
                "dynamic": record.dynamic,
                "optimize": record.optimize,
            }
            if ends := _own_ends(record):
                compiled[f"graph_{index}"]["io"] = ends
        own["compiled"] = {name: compiled[name] for name in sorted(compiled, key=_place)}
        files = _object(own, "files")
        inner = context_dir(index)
        for name in [n for n in files if n.startswith(f"{inner}/")]:
            del files[name]
        if record is not None:
            files.update({f"{inner}/{name}": value for name, value in record.sources.items()})
            files[f"{inner}/{BMODEL_NAME}"] = record.bmodel
        for name in (script_name(inner), f"{inner}/{constants_name(index)}"):
            if (folder / name).is_file():
                files[name] = sha256(folder / name)
        own["files"] = dict(sorted(files.items()))

    _rewrite(folder, change)


def _own_ends(record: Compilation) -> dict[str, Any]:
    """By tensor, the inputs and outputs of the whole model that a bmodel has as 8-bit integers."""
    return {
        b.tensor: {
            "dtype": b.network_dtype,
            "scale": b.network_step,
            "zero_point": b.network_zero_point,
        }
        for b in (*record.inputs, *record.outputs)
        if b.network_step
    }


def note_preprocess(folder: Path, descriptions: Mapping[str, Preprocess]) -> None:
    """Writes into graph_infos.json what becomes of pictures, by input."""

    def change(data: dict[str, Any]) -> None:
        own = _object(data, "autosplit")
        own["preprocess"] = {name: value.to_json() for name, value in descriptions.items()}

    _rewrite(folder, change)


def note_one_file(folder: Path, digest: str, networks: Mapping[str, str]) -> None:
    """Writes into graph_infos.json what the one file of all bmodels holds, or that there is none."""

    def change(data: dict[str, Any]) -> None:
        own = _object(data, "autosplit")
        own.pop("one_file", None)
        if digest:
            own["one_file"] = {"bmodel": digest, "networks": dict(networks)}

    _rewrite(folder, change)


def note_own(folder: Path, key: str, value: Any) -> None:
    """Writes an entry of ours into graph_infos.json."""

    def change(data: dict[str, Any]) -> None:
        _object(data, "autosplit")[key] = value

    _rewrite(folder, change)


def note_files(
    folder: Path, index: int, model_info: Mapping[str, str], files: Iterable[Path]
) -> None:
    """Writes into graph_infos.json which files a sub-model has now, and what is in them.

    `model_info`: what changes of it; `files`: relative paths of new ones.
    """
    digests = {path.as_posix(): sha256(folder / path) for path in files}

    def change(data: dict[str, Any]) -> None:
        _object(data["graphs"][index], "model_info").update(model_info)
        _object(_object(data, "autosplit"), "files").update(digests)

    _rewrite(folder, change)


def note_entries(folder: Path, entries: Mapping[str, Any]) -> None:
    """Adds entries of another tool to graph_infos.json; those that are there stay."""
    _rewrite(folder, lambda data: data.update({**entries, **data}))


def _rewrite(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes graph_infos.json, at once."""
    from autosplit.folder.infos_writer import dumps

    with _infos_lock, writing(folder):
        path = folder / FILE_NAME
        old = path.read_text(encoding="utf-8")
        data = json.loads(old)
        change(data)
        text = dumps(data)
        if text == old:
            return
        handle, staged = tempfile.mkstemp(prefix=f".{FILE_NAME}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            shutil.copymode(path, staged)
            Path(staged).replace(path)
        finally:
            Path(staged).unlink(missing_ok=True)


def _object(data: dict[str, Any], key: str) -> dict[str, Any]:
    """The object under `key`, a new one where a hand-edited file has something else there."""
    if not isinstance(data.get(key), dict):
        data[key] = {}
    return data[key]


def _place(name: str) -> tuple[int, str]:
    """`graph_10` comes behind `graph_9`."""
    number = name.rpartition("_")[2]
    return (int(number) if number.isdecimal() else -1, name)


def write_record(folder: Path, record: Compilation) -> None:
    """Writes compilation.json beside a bmodel that is being made."""
    (folder / RECORD_NAME).write_text(record.text(), encoding="utf-8")


def set_aside(place: Path, record: Compilation) -> None:
    """Sets the bmodel in a folder aside as refused, in place of one set aside before."""
    with writing(place):
        (place / RECORD_NAME).unlink(missing_ok=True)
        if (place / BMODEL_NAME).is_file():
            (place / BMODEL_NAME).replace(place / REFUSED_BMODEL)
        (place / REFUSED_RECORD).write_text(record.text(), encoding="utf-8")


def take_back(place: Path, record: Compilation) -> None:
    """Lets the bmodel that was set aside be that of the folder."""
    with writing(place):
        (place / REFUSED_BMODEL).replace(place / BMODEL_NAME)
        write_record(place, record)
        (place / REFUSED_RECORD).unlink(missing_ok=True)


def refused(place: Path) -> Compilation | None:
    """The record of the bmodel that was set aside in a folder; None as for `usable`."""
    return usable(place, REFUSED_BMODEL, REFUSED_RECORD)


def usable(
    place: Path, bmodel_name: str = BMODEL_NAME, record_name: str = RECORD_NAME
) -> Compilation | None:
    """The record of the bmodel in a folder; None if one of the two is missing, damaged or another's."""
    bmodel = place / bmodel_name
    if place.is_symlink() or bmodel.is_symlink() or not bmodel.is_file():
        return None
    try:
        record = read_compilation(place, record_name)
        return record if record is not None and record.bmodel == sha256(bmodel) else None
    except (AutosplitError, OSError):
        return None
