"""What is said of the inputs and outputs of a model that is split, checked and joined with what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import TensorType

from autosplit.core.casting import cast_input
from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.platform import (
    LocalType,
    element_type,
    platform_graph,
    static_shape,
    value_name,
)
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.options import joined
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.infer_shapes import infer_types
from autosplit.portable.names import bare
from autosplit.registry import make_context

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from autosplit.platforms import Model


def has_open_inputs(model: Model) -> bool:
    """Whether a size of an input is unknown; without one nothing varies, whatever was asked for."""
    inputs = platform_graph(model.module).graph_inputs()
    return any(static_shape(value.type) is None for _, value in inputs)


def check_varying(options: SplitOptions) -> None:
    """Raises if a size shall vary, but sub-models are to have fixed sizes."""
    for name, spec in options.inputs.items():
        if spec.varying and not options.dynamic:
            axis = spec.varying[0]
            size = (spec.shape or ())[axis]
            raise AutosplitError(
                f"--input {name}: size {axis} is ..{size}, which says that it varies; add "
                f"--dynamic, or give {size}"
            )


def check_fixed(options: SplitOptions) -> None:
    """Raises if an input that is fixed is described elsewhere too."""
    described = {bare(name) for name in (*options.inputs, *options.shapes)}
    for name in options.fixed:
        if bare(name) in described:
            raise AutosplitError(
                f"--set {name}: --input or --shape speaks of it too; leave one out"
            )


def open_shapes(
    model: Model,
    largest: Mapping[str, Sequence[int] | None],
    specs: Mapping[str, InputSpec],
) -> dict[str, Sequence[int] | None]:
    """The shapes to prepare a dynamic model with: what the model leaves open stays open.

    Only ranks are taken from the largest shapes, for inputs of which the model does not even say that.
    Where a spec says which sizes vary, only those are open.
    """
    if any(spec.varying for spec in specs.values()):
        return {
            name: None
            if shape is None
            else [-1 if i in specs[name].varying else d for i, d in enumerate(shape)]
            for name, shape in largest.items()
        }
    graph = platform_graph(model.module)
    names = {bare(name) for name, _ in graph.graph_inputs()}
    if any(bare(name) not in names for name in largest):
        # Of tensors inside of the model, files need not say what follows from it.
        infer_types(make_context(), model.module)
    ranked = {bare(n) for n, v in graph.graph_inputs() if isinstance(v.type, TensorType)}
    ranked |= {
        bare(value_name(result))
        for op in graph.body_ops()
        for result in op.results
        if isinstance(result.type, TensorType)
    }
    return {
        name: None if shape is None or bare(name) in ranked else [-1] * len(shape)
        for name, shape in largest.items()
    }


def named_inputs(model: Model, specs: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs by name, where one of them may have the empty name: that of a model's only input."""
    if "" not in specs:
        return dict(specs)
    names = [name for name, _ in platform_graph(model.module).graph_inputs()]
    if len(names) != 1:
        raise AutosplitError(
            f"{model.path}: has {counted(len(names), 'input')}, so each is given with its name, "
            f"as in --input NAME=1,3,224,224; they are {', '.join(names) or 'not known'}"
        )
    return {name or names[0]: spec for name, spec in specs.items()}


def with_shapes(model: Model, options: SplitOptions) -> SplitOptions:
    """The options, the shapes of inputs being among what is said of inputs; the others are promises.

    Tensors inside of the model that are given are inputs too. Raises AutosplitError for another shape than
    that of what is given.
    """
    inputs = [name for name, _ in platform_graph(model.module).graph_inputs()]
    specs = named_inputs(model, options.inputs)
    names = {bare(name) for name in (*inputs, *specs)}
    of_inputs = {n: InputSpec(tuple(s)) for n, s in options.shapes.items() if bare(n) in names}
    others = {name: shape for name, shape in options.shapes.items() if name not in of_inputs}
    return replace(options, inputs=joined(specs, of_inputs), shapes=others)


def with_scalars(model: Model, specs: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs; one that says a dtype alone is of a scalar where the model does not even say the rank."""
    inputs = platform_graph(model.module).graph_inputs()
    unranked = {bare(name) for name, v in inputs if not isinstance(v.type, TensorType | LocalType)}
    return {
        name: replace(spec, shape=()) if spec.shape is None and bare(name) in unranked else spec
        for name, spec in specs.items()
    }


def check_sizes(model: Model) -> None:
    """Raises AutosplitError if a size of an input stays unknown."""
    where = f"{model.path}: " if model.path is not None else ""
    for name, value in platform_graph(model.module).graph_inputs():
        if isinstance(value.type, LocalType) and value.type.EXCHANGED:
            continue
        if isinstance(value.type, LocalType):
            raise AutosplitError(
                f"{where}input {name!r} is {value.type.WHAT}, which sub-models cannot take; choose "
                "outputs that do not need it, with --output, or tensors behind it as inputs, with --input"
            )
        if element_type(value.type) is None:
            raise AutosplitError(
                f"{where}input {name!r}: the model does not say of which type it is; expected a tensor"
            )
        if static_shape(value.type) is None:
            raise AutosplitError(
                f"{where}input {name!r}: the model leaves its shape open{_shown(value.type)}; "
                f"give it, as in --input {bare(name)}={_example(value.type)}"
            )


def check_outputs(model: Model) -> None:
    """Raises if the model returns something that its framework does not hand to the caller."""
    where = f"{model.path}: " if model.path is not None else ""
    for name, value in platform_graph(model.module).graph_outputs():
        if isinstance(value.type, LocalType) and not value.type.EXCHANGED:
            raise AutosplitError(
                f"{where}output {name!r} is {value.type.WHAT}, expected a tensor; choose others with --output"
            )


def cast_inputs(model: Model, specs: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs with their arrays in the dtypes of the model's inputs, see `cast_input`.

    Raises AutosplitError if an array's values do not fit, or if a spec has another dtype than the model.
    """
    where = f"{model.path}: " if model.path is not None else ""
    inputs = {bare(n): value for n, value in platform_graph(model.module).graph_inputs()}
    fitted = dict(specs)
    for name, spec in specs.items():
        value = inputs.get(bare(name))
        kind = None if value is None else element_type(value.type)
        dtype = None if kind is None else dtype_of(kind)
        if kind is not None and spec.whole is not None:
            what = type(spec.value).__name__
            raise AutosplitError(f"{where}input {name!r} is a {what}, expected a numpy array")
        if dtype is None or spec.dtype is None:
            continue
        if spec.array is not None:
            array = cast_input(spec.array, dtype.name, f"{where}input {name!r}")
            fitted[name] = replace(spec, array=array, dtype=dtype.name)
        elif spec.dtype != dtype.name:
            raise AutosplitError(
                f"{where}input {name!r}: found dtype {spec.dtype}, the model takes {dtype}"
            )
    return fitted


def _shown(type: Attribute) -> str:
    """A tensor type without the names of its dimensions, in parentheses; "" where nothing is known."""
    if not isinstance(type, TensorType):
        return ""
    text = str(cast("object", type))
    return " (" + text.split(", #platform")[0].removesuffix(">") + ">)"


def _example(type: Attribute) -> str:
    if not isinstance(type, TensorType):
        return "1,224,224,3"
    return ",".join(
        str(d) if d >= 0 else "1" if i == 0 else "224" for i, d in enumerate(type.get_shape())
    )
