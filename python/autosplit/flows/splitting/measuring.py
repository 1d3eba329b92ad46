"""Running a model in its framework where sizes do not follow from the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import UnrankedTensorType

from autosplit.core.dtypes import dtype_of, element_type_of, ranked_type
from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.tensors import StringType
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    platform_graph,
    set_type,
    static_shape,
    value_name,
)
from autosplit.flows.splitting.given_inputs import has_open_inputs
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.inputs.value_inputs import random_array, random_value
from autosplit.inputs.value_types import value_type_of
from autosplit.lowering.device.work import open_multiplications, open_work
from autosplit.lowering.shared.types import measurable
from autosplit.lowering.sizes.data_dependent import data_dependent
from autosplit.platforms import Measurements
from autosplit.portable.names import bare

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.inputs.values import Value
    from autosplit.platforms import Measured, Model


def make_feeds(model: Model, specs: Mapping[str, InputSpec], seed: int = 0) -> dict[str, Value]:
    """Values for all inputs of the model: the given ones, seeded random ones for the others."""
    arrays = {bare(name): spec.array for name, spec in specs.items()}
    wholes = {bare(n): spec.value for n, spec in specs.items() if spec.whole is not None}
    random = np.random.default_rng(seed)
    feeds: dict[str, Value] = {}
    for name, value in platform_graph(model.module).graph_inputs():
        if (value_type := value_type_of(value.type)) is not None:
            own = bare(name) in wholes
            feeds[name] = wholes[bare(name)] if own else random_value(random, value_type, name)
            continue
        array = arrays.get(bare(name))
        shape = static_shape(value.type)
        kind = element_type(value.type)
        dtype = None if kind is None else dtype_of(kind)
        if array is None and (shape is None or dtype is None):
            raise AutosplitError(
                f"input {name!r} is {value.type}, so random input will not do; give it, as in "
                f"--input {name}=file.npy"
            )
        feeds[name] = random_array(random, shape or (), dtype) if array is None else array
    return feeds


def measure_open(model: Model, options: SplitOptions, lowered: ModuleOp) -> Measurements | None:
    """Gives values whose sizes inference does not know those that one run of the model tells.

    Sizes that depend on the data, not only on the input shapes, stay unknown in the types. Returns what was
    measured, None if nothing had to be. `lowered`: the copy that `infer` made.
    """
    if options.dynamic and has_open_inputs(model):
        return Measurements({}, None)
    graph = platform_graph(model.module)
    frames = model.platform.frames(graph)
    uncertain = data_dependent(model.module)
    outputs = {value for _, value in graph.graph_outputs()}
    unknown = {
        value_name(result): result
        for op in graph.body_ops()
        if op not in frames and not (isinstance(op, PlatformOp) and op.IS_CONSTANT)
        for result in op.results
        if static_shape(result.type) is None and measurable(result.type)
        # Sizes of what nothing reads, such as the mask of a Dropout, are of no use.
        if result.first_use is not None or result in outputs
    }
    unknown.pop("", None)
    values = {name: value for name, value in unknown.items() if value not in uncertain}
    is_needed = bool(values)
    values |= unproven_values(model)
    # A dtype does not depend on the data: sub-models need it where they take such a value.
    typeless = {
        n: v for n, v in unknown.items() if n not in values and element_type(v.type) is None
    }
    is_open = bool(open_work(lowered))
    if not values and not typeless and not is_open:
        return None
    options.progress("measuring shapes in the framework")
    # Some of the others may be at borders: asking now is cheap, another run is not.
    others = [n for n in unknown if n not in values and n not in typeless]
    try:
        measured = measure(model, options, [*values, *typeless, *others], work=is_open)
    except AutosplitError:
        if is_needed:
            raise
        # What the ops compute, and whether declared sizes are true, is good to know; the plan says that it
        # is not.
        return Measurements({}, None if is_open else {})
    for name, measurement in measured.values.items():
        if name in values:
            set_measured(values[name], measurement)
        elif name in typeless and (kind := measured_element(measurement)) is not None:
            set_type(typeless[name], UnrankedTensorType(kind))
    return with_idle(measured, model, options, lowered)


def with_idle(
    measured: Measurements, model: Model, options: SplitOptions, lowered: ModuleOp
) -> Measurements:
    """What was measured, and a work of 0 for nodes of which random values tell nothing.

    One is a loop that runs as often as an input says: random numbers are 0 or 1.
    """
    with_values = {bare(n) for n, spec in options.inputs.items() if has_value(spec)}
    names = {bare(name) for name, _ in platform_graph(model.module).graph_inputs()}
    if measured.work is None or names <= with_values:
        return measured
    idle = {name: 0 for name in open_multiplications(lowered) if name not in measured.work}
    return Measurements(measured.values, {**measured.work, **idle})


def has_value(spec: InputSpec) -> bool:
    """Whether an input was given, and not only its shape or dtype."""
    return spec.array is not None or spec.whole is not None


def unproven_values(model: Model) -> dict[str, SSAValue]:
    """The values whose sizes only the model declares: those that inference cannot tell, and all behind."""
    unproven: dict[str, SSAValue] = {}
    behind: set[SSAValue] = set()
    for op in platform_graph(model.module).body_ops():
        if not isinstance(op, OnnxOp):
            continue
        if op.domain in ("", "ai.onnx") and behind.isdisjoint(op.operands):
            continue
        behind |= {*op.results}
        for result in op.results:
            if static_shape(result.type) is not None and (name := value_name(result)):
                unproven[name] = result
    return unproven


def measure(
    model: Model, options: SplitOptions, names: list[str], *, work: bool = False
) -> Measurements:
    """Runs the model on the given inputs; names the tensor that needs it where the framework is missing."""

    feeds = make_feeds(model, options.inputs)
    what = f"the shape of {names[0]!r}" if names else "what its ops compute"
    try:
        return model.platform.measure(model, feeds, names, work=work)
    except MissingExtraError as error:
        raise AutosplitError(
            f"{options.model}: {what} does not follow from the input shapes "
            f"and must be measured; {error}"
        ) from error
    except AutosplitError as error:
        raise AutosplitError(
            f"{error}; the model was run because {what} does not follow from the input "
            "shapes: where the model declares it, there is no need to"
        ) from error


def set_measured(value: SSAValue, measured: Measured) -> None:
    """Sets a value's type to what was measured."""
    kind = element_type(value.type) or measured_element(measured)
    if kind is not None:
        set_type(value, ranked_type(kind, measured.shape))


def measured_element(measured: Measured) -> Attribute | None:
    """The element type that was measured, of which only ONNX's may be unknown; None if the IR has none."""
    try:
        return StringType() if measured.dtype == "object" else element_type_of(measured.dtype)
    except ValueError:
        return None
