"""Verifying modules, with errors that name the op that is wrong."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError, first_line
from autosplit.dialects.bodies import OrderException
from autosplit.dialects.platform import PlatformOp


def verify(module: ModuleOp) -> None:
    """Raises AutosplitError, naming the op, if a module does not verify."""
    try:
        module.verify()
    except VerifyException as error:
        raise AutosplitError(f"{wrong_name(module, error)}{first_line(error)}") from error


def wrong_name(module: ModuleOp, error: VerifyException) -> str:
    """The name of the op that does not verify, as a prefix; "" where the error has it."""
    if isinstance(error, OrderException) or (op := wrong_op(module, error)) is None:
        return ""
    return f"{op.name} {op.identity!r}: " if isinstance(op, PlatformOp) else f"{op.name}: "


def wrong_op(module: ModuleOp, error: VerifyException) -> Operation | None:
    """The innermost op that does not verify."""
    if isinstance(error, OrderException):
        return error.op
    for op in module.walk(reverse=True):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException:
            return op
    return None
