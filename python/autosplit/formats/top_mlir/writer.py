"""Writes modules of the Top dialect as TPU-MLIR reads them: text, and an archive of weights next to it.

The text is MLIR's generic form with every location in its place. The archive holds the weights by name,
uncompressed, in the order of the text. Same module, same bytes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.utils.target import Target

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.printing import LocationPrinter
from autosplit.core.weights import Array, WeightStore, store_for, write_archive
from autosplit.dialects.top import TopOp

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute

WEIGHT_FILE = "module.weight_file"
"""The attribute of a module that names the archive of its weights, in the same folder."""

STORES = "platform.stores"
NOTES = "device."
"""The prefix of attributes that passes leave for whoever compiles the module."""
READABLE = frozenset({"float32", "int32", "uint32", "int8", "uint8"})
"""The dtypes that weights may have: TPU-MLIR crashes when it reads other arrays."""


def write_top(module: ModuleOp, folder: Path, stem: str) -> tuple[Path, Path]:
    """Writes `<stem>.mlir` and `<stem>_weights.npz`; returns the two paths. The module stays as it is.

    Weights are loaded one at a time. Raises AutosplitError for a weight that is missing or not of the type
    in the module, and for names that TPU-MLIR cannot read.
    """
    text_file, weight_file = folder / f"{stem}.mlir", folder / f"{stem}_weights.npz"
    text = top_text(module, weight_file.name)
    store = store_for(module)
    arrays = ((op.names[0], weight_array(op, store)) for op in weight_ops(module))
    try:
        write_archive(weight_file, arrays)
        text_file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as e:
        raise AutosplitError(f"{e.filename or folder}: {e.strerror}") from e
    return text_file, weight_file


def top_text(module: ModuleOp, weight_file: str) -> str:
    """The text of a module whose weights are in the archive `weight_file`."""
    _check_names(module)
    output = StringIO()
    with _attributes(module, weight_file):
        LocationPrinter(stream=output, print_generic_format=True).print_op(module)
    return output.getvalue() + "\n"


def weight_ops(module: ModuleOp) -> Iterator[TopOp]:
    """The weights whose bytes are in the archive, in the order of the module."""
    for op in module.walk():
        if isinstance(op, TopOp) and op.kind == "Weight" and not op.text("inline_bytes"):
            yield op


def weight_array(op: TopOp, store: WeightStore) -> Array:
    """The array of a weight. Raises AutosplitError if it is not of the op's type."""
    name, type = op.names[0], cast("TensorType[Attribute]", op.outputs[0].type)
    array, dtype = store.array(name), dtype_of(type)
    if dtype is None or dtype.name not in READABLE:
        raise AutosplitError(
            f"weight {name!r} is {type}, which TPU-MLIR cannot read: "
            f"its elements must be {', '.join(sorted(READABLE))}"
        )
    if array.dtype != dtype or array.shape != type.get_shape():
        raise AutosplitError(
            f"weight {name!r} is an array of {array.dtype} {list(array.shape)}, the module says {type}"
        )
    return array


def _check_names(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, TopOp) and any("\0" in name for name in op.names):
            raise AutosplitError(
                f"{op.name} has a result called {op.names[0]!r}: TPU-MLIR reads no names with the "
                "character 0; rename it in the model"
            )


@contextmanager
def _attributes(module: ModuleOp, weight_file: str) -> Generator[None]:
    """Temporarily gives the module the attributes that it is written with."""
    original = module.attributes
    attributes = {n: a for n, a in original.items() if n != STORES and not n.startswith(NOTES)}
    attributes[WEIGHT_FILE] = StringAttr(weight_file)
    module.attributes = dict(sorted(attributes.items()))
    try:
        yield
    finally:
        module.attributes = original


@dataclass(frozen=True)
class TopMlirTarget(Target):
    """Prints a module of the Top dialect as TPU-MLIR reads it, without its weights.

    Example: `autosplit-opt model.mlir -p convert-onnx-to-top -t top-mlir`
    """

    name = "top-mlir"
    weight_file: str = ""
    """The archive that the text names; by default the one that the module names."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        file_name = module.attributes.get(WEIGHT_FILE)
        default = file_name.data if isinstance(file_name, StringAttr) else "weights.npz"
        output.write(top_text(module, self.weight_file or default))
