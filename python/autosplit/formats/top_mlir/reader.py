"""Reads modules of the Top dialect: our own text, and that of TPU-MLIR's tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import ParseError, UnregisteredConstructException, VerifyException

from autosplit.core.errors import AutosplitError, first_line
from autosplit.core.parsing import parse_mlir
from autosplit.core.units import counted
from autosplit.core.weights import WeightStore, read_archive, register
from autosplit.dialects.top import TopOp, location_of, names_of
from autosplit.dialects.top.check import check_op
from autosplit.formats.top_mlir.writer import WEIGHT_FILE, weight_ops
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_FUNC_ORDER = tuple(name for name, _ in FuncOp.get_irdl_definition().properties.items())


def read_top(path: Path) -> ModuleOp:
    """The module in a text file, verified; its weights stay in the archive that it names.

    Ops get the form in which we build them, see `normalize`. Raises AutosplitError, in one line, for invalid
    text and for missing weights.
    """
    module = _parse(path)
    normalize(module)
    attach_weights(module, path.parent)
    return module


def attach_weights(module: ModuleOp, folder: Path) -> None:
    """Registers the weights of a module, from the archive in `folder` that it names.

    Raises AutosplitError if the archive, or a weight in it, is missing.
    """
    store = _open_weights(module, folder)
    if store is None:
        return
    register(store, module)


def _parse(path: Path) -> ModuleOp:
    try:
        text = path.read_text(encoding="utf-8")
        module = parse_mlir(make_context(), text, str(path))
    except ParseError as e:
        message = " ".join(e.msg.split())
        raise AutosplitError(f"{e.span.get_location()}: {message}") from None
    except OSError as e:
        raise AutosplitError(f"{path}: {e.strerror}") from e
    except (ValueError, RecursionError, VerifyException, UnregisteredConstructException) as e:
        raise AutosplitError(f"{path}: {first_line(e)}") from None
    for op in (op for op in module.walk() if isinstance(op, TopOp)):
        _drop_joined(op)
        try:
            check_op(op)
        except VerifyException as e:
            raise AutosplitError(
                f"{path}: {op.name} {', '.join(map(repr, op.names))}: {e}"
            ) from None
    try:
        module.verify()
    except VerifyException as e:
        raise AutosplitError(f"{path}: {first_line(e)}") from None
    return module


def _drop_joined(op: TopOp) -> None:
    """Removes the name that the tool chain's first step adds when it joins an Arg and a Reduce."""
    names = names_of(op.location)
    if op.kind == "Arg" and len(names) == 3 and names[2].endswith("_r_values"):
        op.location = location_of(names[:2])


def normalize(module: ModuleOp) -> None:
    """Gives ops the form in which we build them.

    Attributes are in the order of the table, without those that equal their default; no location refers to
    the file that was read.
    """
    for op in module.walk():
        names = names_of(op.location) if isinstance(op, TopOp) else ()
        op.location = location_of(names) if names else _without_lines(op.location)
        for argument in (a for region in op.regions for block in region.blocks for a in block.args):
            argument.location = _without_lines(argument.location)
        if isinstance(op, TopOp):
            op.attributes = {
                name: op.attributes[name]
                for name, attr in op.SPEC.attrs.items()
                if name in op.attributes and op.attr(name) != attr.default
            }
        elif isinstance(op, FuncOp):
            op.properties = {n: op.properties[n] for n in _FUNC_ORDER if n in op.properties}


def _without_lines(location: LocationAttr) -> LocationAttr:
    return UnknownLoc() if isinstance(location, FileLineColLoc | CallSiteLoc) else location


def _open_weights(module: ModuleOp, folder: Path) -> WeightStore | None:
    """The archive with the module's weights; None if it has none."""
    names = [op.names[0] for op in weight_ops(module)]
    if not names:
        return None
    file_name = module.attributes.get(WEIGHT_FILE)
    if not isinstance(file_name, StringAttr):
        raise AutosplitError(
            f"the module has {counted(len(names), 'weight')} and no {WEIGHT_FILE!r}"
        )
    if Path(file_name.data).name != file_name.data:
        raise AutosplitError(
            f"{WEIGHT_FILE!r} is {file_name.data!r}, expected a file in the module's own folder"
        )
    path = folder / file_name.data
    if not path.is_file():
        raise AutosplitError(f"{path}: there is no such file; it holds the module's weights")
    store = read_archive(path)
    if missing := [name for name in names if name not in store]:
        raise AutosplitError(f"{path}: has no weight {missing[0]!r}, which the module reads")
    return store
