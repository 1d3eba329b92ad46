"""infer-shapes: the best type that the input shapes imply, for every value.

The module itself is not rewritten. A copy is lowered to canonical `onnx` and folded to a fixpoint together
with the inference, since most shapes of a detector come out of arithmetic on other shapes; what is
learned about the copy's values goes back by their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.platform import (
    PlatformGraph,
    PlatformOp,
    set_type,
    value_name,
)
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.blocks import outer_blocks
from autosplit.lowering.shared.handover import LoweredCopy
from autosplit.lowering.shared.order import expect_before
from autosplit.lowering.shared.types import contradicts, corrected, join
from autosplit.lowering.sizes.branches import note_branches
from autosplit.lowering.sizes.data_dependent import forget_declared
from autosplit.platforms import platform_of


def lowered_copy(ctx: Context, module: ModuleOp) -> ModuleOp:
    """A copy of a platform module in canonical ONNX, as far as possible, with all of its names.

    Raises AutosplitError as `infer_types` does.
    """
    copy = module.clone()
    if _needs_conversion(copy):
        _name_outputs(copy)
        platform_of(copy).convert(ctx, copy)
    normalize(copy, simplify=False)
    return copy


def _name_outputs(copy: ModuleOp) -> None:
    """Records the outputs of graphs that do not name them, since lowering changes what reads what."""
    for op in copy.body.ops:
        if isinstance(op, PlatformGraph):
            op.keep_outputs([name for name, _ in op.graph_outputs()])


def infer_types(ctx: Context, module: ModuleOp, *, trusted: bool = False) -> ModuleOp:
    """Gives every value of a platform module the best type that inference finds, in place.

    Declared sizes of values that depend on data are forgotten, unless they are `trusted`. Returns the
    lowered copy in which the types were found. Raises AutosplitError if a type that the model declares
    contradicts what follows from its inputs.
    """
    if not trusted:
        forget_declared(module)
    copy = lowered_copy(ctx, module)
    _carry_back(module, copy)
    if _needs_conversion(module) and _start_from_loops(ctx, module):
        copy = lowered_copy(ctx, module)
        _carry_back(module, copy)
    note_branches(module, copy)
    return copy


def _carry_back(module: ModuleOp, copy: ModuleOp) -> None:
    """Gives the values of a module the types that were found in its copy."""
    inferred = dict(_outer_values(copy))
    # Bodies stay as the model wrote them: what follows from these sizes in a branch that is never taken may
    # contradict it, and a runtime refuses a model that says so.
    for name, value in _outer_values(module):
        if (other := inferred.get(name)) is None:
            continue
        if contradicts(value.type, other.type):
            set_type(value, corrected(value, other.type))
        else:
            set_type(value, join(value.type, other.type))


def _start_from_loops(ctx: Context, module: ModuleOp) -> bool:
    """Gives values the types that follow from loops and conditionals, which stay whole in the copy.

    True if a type became better. That is worth the time only if sizes of what leaves one are open.
    """
    from autosplit.lowering.infer_shapes.loop_types import leaves_open, loop_types

    changed = False
    types = loop_types(ctx, module) if leaves_open(module) else {}
    for name, value in _outer_values(module) if types else ():
        if (type := types.get(name)) is not None and (
            joined := join(value.type, type)
        ) != value.type:
            set_type(value, joined)
            changed = True
    return changed


def _outer_values(module: ModuleOp) -> Iterator[tuple[str, SSAValue]]:
    """The values of graphs and functions by name, without those inside bodies."""
    for block in outer_blocks(module):
        values = [*block.args, *(result for op in block.ops for result in op.results)]
        for value in values:
            if name := value_name(value):
                yield name, value


def _needs_conversion(module: ModuleOp) -> bool:
    return any(
        isinstance(op, PlatformOp) and not isinstance(op, OnnxOp)
        for block in outer_blocks(module)
        for op in block.ops
    )


@dataclass(frozen=True)
class InferShapesPass(ModulePass):
    """Every value has the best type that the input shapes imply; see `platform-prepare` for these."""

    name = "infer-shapes"

    gives: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where the copy goes in which the types were found."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        self.gives.give(op, infer_types(ctx, op))
