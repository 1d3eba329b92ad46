"""What platforms share where they fix a model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import shape_of

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation, SSAValue


def check_shape(
    name: str, type: Attribute, shape: Sequence[int], whole: str = "model", advice: str = ""
) -> None:
    """Raises if `shape` is not a shape, or contradicts the type of the input `name`.

    `whole`: what the model is called. `advice`: what to do about a contradiction.
    """
    if any(d < -1 for d in shape):
        raise AutosplitError(f"input {name!r}: {list(shape)} is not a shape")
    stated = shape_of(type)
    if stated is None:
        return
    if len(stated) != len(shape) or any(
        s != d and s >= 0 for s, d in zip(stated, shape, strict=True)
    ):
        raise AutosplitError(
            f"input {name!r}: the shape {list(shape)} contradicts the {whole}'s, "
            f"which is [{', '.join('?' if d < 0 else str(d) for d in stated)}]{advice}"
        )


def together(name: str, other: str, whole: str, part: str) -> AutosplitError:
    """The error where an input is one of several values of a node, of which another is read too."""
    return AutosplitError(
        f"input {name!r} is made together with {other!r}, which the {whole} reads too; "
        f"choose another {part}"
    )


def replace_op(op: Operation, value: SSAValue, new: Operation) -> None:
    """Replaces `op`, which makes `value`, by the op `new`, whose first result takes the value's place."""
    Rewriter.insert_op(new, InsertPoint.before(op))
    value.replace_all_uses_with(new.results[0])
    op.detach()
    op.erase()


def own_name(values: Mapping[str, object], name: str) -> str | None:
    """A name among those of `values`, which may come with TensorFlow's `:0`; None if it is not there."""
    return next((tried for tried in (name, name.removesuffix(":0")) if tried in values), None)
