"""Recognizes model files that autosplit does not read, and advises how to convert them."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

SAVE_PROGRAM = "torch.export.save(torch.export.export(module, example_inputs), 'model.pt2')"
"""The code that saves a PyTorch module in a format that is read."""

_ARCHIVES = {
    "config.json": "Keras",
    "constants.pkl": "TorchScript",
    "serialized_exported_program.json": "old program",
    "data.pkl": "pickle",
}
"""A member's name, without folders -> the kind of archive; the first match counts."""

_ADVICE = {
    "TorchScript": "is a TorchScript archive, which is not read; export the nn.Module that it was made from: "
    + SAVE_PROGRAM,
    "old program": "was saved by a PyTorch before 2.8; load it there with torch.export.load, and save it "
    "with torch.export.save of PyTorch 2.8 or later",
    "pickle": "is a pickle, as torch.save writes it, which is never read, because loading it runs what it "
    "says; load it where you trust it, and save the module as a program: " + SAVE_PROGRAM,
}

_PICKLE = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""The first bytes of pickles."""


_FIRST = (
    "archive_",
    "data/aoti",
    "data/constants/",
    "data/sample",
    "data/weights/",
    "extra/",
    "models/",
)
"""The prefixes of the members' names in a `.pt2` archive, below their common folder."""


def looks_like_pt2(head: bytes) -> bool:
    """Whether a file that starts with `head` is a `.pt2` archive, whole or not."""
    if head[:4] != b"PK\x03\x04" or len(head) < 30:
        return False
    (length,) = struct.unpack_from("<H", head, 26)
    _, slash, member = head[30 : 30 + length].decode(errors="replace").partition("/")
    return bool(slash) and member.startswith(_FIRST)


def advice(path: Path) -> str | None:
    """What a file saved by Keras or PyTorch is, and what to do; None for any other file."""
    kind = _kind(path)
    if kind == "Keras":
        saved_name = path.stem + "_saved"
        return (
            "is a Keras model; save it as a SavedModel, and give that folder: python3 -c "
            f'"import tensorflow as tf; tf.keras.models.load_model({str(path)!r}).export({saved_name!r})"'
        )
    return None if kind is None else _ADVICE[kind]


def _kind(path: Path) -> str | None:
    with path.open("rb") as file:
        head = file.read(512)
    # HDF5, Keras's older format of models and of weights.
    if head[:8] == b"\x89HDF\r\n\x1a\n":
        return "Keras"
    if head[:2] in _PICKLE:
        return "pickle"
    if head[:4] != b"PK\x03\x04" or looks_like_pt2(head):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.rpartition("/")[2] for name in archive.namelist()}
    except (OSError, zipfile.BadZipFile, ValueError):
        return None
    return next((kind for member, kind in _ARCHIVES.items() if member in names), None)
