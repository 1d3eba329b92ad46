"""Shapes that a user promises, of tensors whose sizes do not follow from the model: `--shape`.

What follows from a promise is compiled into bmodels, so the tensor is computed on the CPU and leaves its
sub-model, where the runner compares its shape with the promise in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from autosplit.core.errors import AutosplitError, nearest
from autosplit.dialects.device import FuncOp, ReasonAttr
from autosplit.dialects.platform import (
    LocalType,
    PlatformOp,
    element_type,
    platform_graph,
    set_type,
    shape_of,
    static_shape,
    value_name,
)
from autosplit.lowering.infer_shapes import infer_types
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.types import contradicts, join
from autosplit.platforms import platform_of

PROMISED = "device.promised"
"""The attribute of an op that makes promised tensors: their names."""


class BrokenPromiseError(AutosplitError):
    """A promise that contradicts what follows from the model."""


def infer_promised(ctx: Context, module: ModuleOp, shapes: Mapping[str, Sequence[int]]) -> ModuleOp:
    """`infer_types`, then `keep_promises`."""
    return keep_promises(ctx, module, shapes, infer_types(ctx, module))


def keep_promises(
    ctx: Context, module: ModuleOp, shapes: Mapping[str, Sequence[int]], lowered: ModuleOp
) -> ModuleOp:
    """Infers types again with the promised shapes of what inference leaves open.

    `shapes`: sizes by tensor name, with or without the framework's `:0`. A shape that follows anyway needs no
    promise. `lowered`: the copy in which types were found; returns it, or the last one. Raises
    AutosplitError for names that are unknown (with the nearest), for inputs, for tensors inside loops,
    and for a promise that contradicts what follows from the model.
    """
    if not shapes:
        return lowered
    # Producers first, so that what follows from one promise is known when the next is checked.
    for value, name in sorted(_promised_values(module, shapes), key=_place(module)):
        if _promise(value, shapes[name], _option(name, shapes[name])):
            lowered = infer_types(ctx, module, trusted=True)
    return lowered


def promise_types(
    ctx: Context, module: ModuleOp, types: Mapping[SSAValue, TensorType[Attribute]]
) -> ModuleOp:
    """Promises types of tensors, even where their element types are unknown, and infers what follows.

    Returns the lowered copy.
    """
    for value, type in types.items():
        if isinstance(value.owner, Operation):
            _note(value, value.owner, type)
    return infer_types(ctx, module, trusted=True)


def _option(name: str, shape: Sequence[int]) -> str:
    return f"--shape {name}={','.join(map(str, shape))}"


def _place(module: ModuleOp) -> Callable[[tuple[SSAValue, str]], int]:
    order = {op: i for i, op in enumerate(data_order(platform_graph(module).regions[0].block))}
    return lambda pair: order[cast("Operation", pair[0].owner)]


def _promised_values(
    module: ModuleOp, shapes: Mapping[str, Sequence[int]]
) -> list[tuple[SSAValue, str]]:
    """The tensors that the promises name, with these names."""
    graph = platform_graph(module)
    values = {
        name: result
        for op in graph.body_ops()
        if isinstance(op, PlatformOp)
        for result in op.results
        if not isinstance(result.type, LocalType) and (name := value_name(result))
    }
    inputs = dict(graph.graph_inputs())
    frames = platform_of(module).frames(graph)
    promised: list[tuple[SSAValue, str]] = []
    for name, shape in shapes.items():
        option = _option(name, shape)
        if (graph_input := inputs.get(name, inputs.get(f"{name}:0"))) is not None:
            # platform-prepare has set it as the input's shape.
            if not _is_of(graph_input.type, shape):
                raise AutosplitError(f"{option}: is an input; give its shape with --input")
            continue
        value = values.get(name, values.get(f"{name}:0"))
        if value is None:
            raise AutosplitError(
                f"{option}: there is no tensor {name!r}{nearest(name, list(values))}"
            )
        if (loop := frames.get(value.op)) is not None:
            raise AutosplitError(
                f"{option}: is inside the loop or conditional {loop.splitlines()[0]!r}, where its shape "
                "cannot be checked; promise what leaves that"
            )
        promised.append((value, name))
    return promised


def _is_of(type: Attribute, shape: Sequence[int]) -> bool:
    """Whether a type says nothing but the shape, or leaves sizes open."""
    sizes = shape_of(type)
    return (
        sizes is not None
        and len(sizes) == len(shape)
        and all(a < 0 or a == b for a, b in zip(sizes, shape, strict=True))
    )


def _promise(value: SSAValue, shape: Sequence[int], option: str) -> bool:
    """Sets the type of a promised tensor; False if its shape follows anyway."""
    if (element := element_type(value.type)) is None:
        raise AutosplitError(f"{option}: not even the dtype of the tensor is known")
    type = TensorType(element, shape)
    if contradicts(value.type, type):
        raise BrokenPromiseError(f"{option}: follows from the model to be {_sizes(value.type)}")
    if static_shape(value.type) is not None or not isinstance(value.owner, Operation):
        return False
    _note(value, value.owner, type)
    return True


def _note(value: SSAValue, producer: Operation, type: TensorType[Attribute]) -> None:
    set_type(value, join(value.type, type))
    names = [*promised_by(producer), value_name(value)]
    producer.attributes[PROMISED] = ArrayAttr([StringAttr(name) for name in names])


def _sizes(type: Attribute) -> str:
    sizes = shape_of(type)
    return "of any rank" if sizes is None else ",".join("?" if d < 0 else str(d) for d in sizes)


def promised_by(op: Operation) -> list[str]:
    """The tensors that an op makes and whose shapes are promised."""
    names = op.attributes.get(PROMISED)
    if not isinstance(names, ArrayAttr):
        return []
    return [name.data for name in cast("ArrayAttr[StringAttr]", names)]


def is_promised(value: SSAValue) -> bool:
    """Whether the shape of a value is promised."""
    owner = value.owner
    names = promised_by(owner) if isinstance(owner, Operation) else []
    return bool(names) and value_name(value) in names


def refusal(op: Operation) -> ReasonAttr | None:
    """Why an op that makes a promised tensor stays on the CPU; None for other ops."""
    if not promised_by(op):
        return None
    return ReasonAttr.of(
        "promised", "its shape is promised, and is checked where the CPU has computed it"
    )


def promised_borders(module: ModuleOp) -> list[str]:
    """The tensors of an outlined module whose shapes the runner compares, by their names at borders."""
    return [
        name
        for func in module.body.ops
        if isinstance(func, FuncOp)
        for name, value in func.outputs
        if is_promised(value)
    ]
