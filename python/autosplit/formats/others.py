"""Model files of formats that autosplit does not read, and how to get one that it does."""

from __future__ import annotations

import zipfile
from pathlib import Path

_ARCHIVES = {"config.json": "Keras", "data.pkl": "PyTorch"}
"""A member's name, without folders -> what wrote such an archive."""


def advice(path: Path) -> str | None:
    """What a file is and what to do, of those that Keras and PyTorch save; None for any other file."""
    kind = _kind(path)
    if kind == "Keras":
        saved = path.stem + "_saved"
        return (
            "is a Keras model; save it as a SavedModel, and give that folder: python3 -c "
            f'"import tensorflow as tf; tf.keras.models.load_model({str(path)!r}).export({saved!r})"'
        )
    if kind == "PyTorch":
        return "is a PyTorch model; export it with torch.onnx.export, and give the .onnx file"
    return None


def _kind(path: Path) -> str | None:
    with path.open("rb") as file:
        head = file.read(8)
    # Keras's older format, and what it keeps weights in.
    if head == b"\x89HDF\r\n\x1a\n":
        return "Keras"
    if head[:4] != b"PK\x03\x04":
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.rpartition("/")[2] for name in archive.namelist()}
    except (OSError, zipfile.BadZipFile, ValueError):
        return None
    return next((kind for member, kind in _ARCHIVES.items() if member in names), None)
