"""Opening the files that hold the weights of modules that were read as text."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import ARCHIVE_SUFFIX, WeightStore, find_by, read_archive
from autosplit.dialects.platform import StoreFile
from autosplit.formats.made_weights import made_weights, take_made
from autosplit.platforms import check_readable, detect_platform


def open_store(path: Path, file_digest: str = "") -> WeightStore:
    """The tensors of a model file, or of an archive that `write_archive` made.

    `file_digest`: the store's, where it is known already.
    """
    if path.suffix == ARCHIVE_SUFFIX:
        return read_archive(path)
    check_readable(path)
    return detect_platform(path).weights(path, file_digest)


def find_weights(module: ModuleOp, places: Sequence[Path], unchanged: Collection[str] = ()) -> None:
    """Lets the weights of `module` be looked for in `places`, files and folders, when they are asked for.

    Files called as in `unchanged` are known to be what the module was written with, so they are not read for
    their digests again. A file that is found but has another digest is an error; one that is not found leaves
    its weights missing, and reading one of them is the error.
    """

    added = take_made(module)

    def find(files: Sequence[StoreFile]) -> Iterator[WeightStore]:
        for file in files:
            digest = file.digest if file.path in unchanged else ""
            if (store := _find(file, places, digest)) is not None:
                yield store
        if added is not None and (store := _find(added, places, "")) is not None:
            yield made_weights(store, module)

    find_by(module, find)


def _find(file: StoreFile, places: Sequence[Path], digest: str) -> WeightStore | None:
    if not file.path:
        return None
    other: tuple[Path, str] | None = None
    is_archive = file.path.endswith(ARCHIVE_SUFFIX)
    for place in places:
        path = place if place.is_file() else place / file.path
        if path.is_file() and (path.suffix == ARCHIVE_SUFFIX) == is_archive:
            opened = open_store(path, digest)
            if opened.file_digest == file.digest:
                return opened
            # Folders of several splits may be searched, and their files are called alike.
            other = other or (path, opened.file_digest)
    if other is None:
        return None
    raise AutosplitError(
        f"{other[0]} is not the file that the module was made from: "
        f"its digest is {other[1]}, expected {file.digest}"
    )
