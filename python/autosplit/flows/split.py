"""What `autosplit split` does, as a function: model file in, folder of sub-models out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.registry import make_context

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.core.weights import WeightStore
    from autosplit.devices import Chip
    from autosplit.dialects.device import ReasonAttr
    from autosplit.flows.model_pictures import Pictures
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocess
    from autosplit.inputs.values import Value
    from autosplit.lowering.device.confirm import Confirmed
    from autosplit.platforms import Measured, Measurements, Model

    Array = NDArray[np.generic]


@dataclass(frozen=True)
class Whole:
    """A value that is no array: a list, a dict, or None for an optional value that is absent."""

    value: Value


@dataclass(frozen=True)
class InputSpec:
    """What the user said of one input: a shape, perhaps a dtype, or an array that has both."""

    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    array: Array | None = field(default=None, compare=False)
    varying: tuple[int, ...] = ()
    """The axes whose sizes are the largest of those that vary; with none, all that the model leaves open."""
    picture: Path | None = None
    """A picture to make the array of, and the shape."""
    whole: Whole | None = field(default=None, compare=False)
    """In place of all that, the value of an input that takes no tensor."""

    @classmethod
    def of(cls, value: Value) -> InputSpec:
        """What is said by a value that is given: an array, a list, a dict or None."""
        import numpy as np

        if not isinstance(value, np.ndarray):
            return cls(whole=Whole(value))
        array = cast("Array", value)
        return cls(tuple(array.shape), str(array.dtype), array)

    @property
    def value(self) -> Value:
        """What is given, if anything is."""
        return self.array if self.whole is None else self.whole.value


@dataclass(frozen=True)
class SplitOptions:
    """The options of `autosplit split`; see its help."""

    model: Path
    out: Path | None = None
    inputs: Mapping[str, InputSpec] = field(default_factory=dict[str, InputSpec])
    outputs: Sequence[str] = ()
    target: str = "bm1684"
    mode: str = "F32"
    """What the TPU will compute in; some ops stay on the CPU in some modes only."""
    platform: str = "auto"
    layout: str | None = None
    dynamic: bool = False
    keep: float = 0.95
    pins: Sequence[tuple[str, str]] = ()
    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    """Promised shapes of tensors whose sizes do not follow from the model, by name; those of inputs are
    taken as if `inputs` said them."""
    fixed: Fixed = field(default_factory=dict[str, "float | Array"])
    """The inputs that become constants of the model, with their values, by name."""
    on_fallback: str = "warn"
    force: bool = False
    probe: bool = False
    custom_ops: Libraries = ()
    """The libraries of ops that the framework does not have; the folder gets copies."""
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    """What becomes of pictures, by input; the empty name is for all that have none of their own."""
    progress: Callable[[str], None] = lambda _: None
    """Called with the name of each step as it starts."""
    note: Callable[[str], None] = lambda _: None
    """Called with each line that the user should see."""


@dataclass
class SplitResult:
    """A model that has been cut."""

    module: ModuleOp
    """The outlined module."""
    model: Model
    out: Path | None

    @property
    def store(self) -> WeightStore:
        return self.model.store

    @property
    def plan(self) -> DictionaryAttr:
        from xdsl.dialects.builtin import DictionaryAttr

        plan = self.module.attributes["device.plan"]
        assert isinstance(plan, DictionaryAttr)
        return plan


@contextmanager
def collector_paused() -> Generator[None]:
    """No search for cyclic garbage meanwhile: IR is one large cycle that lives, and searching costs 15 %."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@collector_paused()
def split_model(options: SplitOptions) -> SplitResult:
    """Imports, places, cuts and, where `options.out` is given, writes a model.

    Raises AutosplitError for whatever a user can mend; nothing is written then.
    """
    from xdsl.utils.exceptions import PassFailedException

    from autosplit.devices import check_mode, get_chip
    from autosplit.flows.custom_sizes import with_custom_sizes
    from autosplit.flows.model_pictures import Pictures, sized
    from autosplit.flows.varying_promises import check_varying_promises
    from autosplit.inputs.fixed import fix_inputs
    from autosplit.inputs.value_inputs import whole_inputs
    from autosplit.platforms import load_model

    chip = get_chip(options.target)
    check_mode(chip, options.mode)
    if not 0.0 <= options.keep <= 1.0:
        raise AutosplitError(f"--keep {options.keep}: expected a share from 0 to 1")
    check_varying(options)
    if options.probe and options.dynamic:
        raise AutosplitError(
            "--probe: ops are tried at fixed sizes; leave out --dynamic, or --probe"
        )
    destination = None
    if options.out is not None:
        from autosplit.folder.staging import check_destination

        kept = [options.model, *options.custom_ops]
        destination = check_destination(options.out, force=options.force, keep=kept)
    options.progress("reading the model")
    model = load_model(options.model, options.platform, options.custom_ops)
    check_fixed(options)
    fix_inputs(model, options.fixed)
    options = with_shapes(model, options)
    inputs = whole_inputs(model, options.inputs)
    inputs = sized(model, inputs, options.preprocess, options.layout)
    options = replace(options, inputs=with_scalars(model, inputs))
    shapes = {name: spec.shape for name, spec in options.inputs.items()}
    largest, unprepared = model, None
    if options.dynamic:
        if options.shapes:
            unprepared = replace(model, module=model.module.clone())
        largest = replace(model, module=model.module.clone())
        largest.platform.prepare(largest, shapes, list(options.outputs))
        shapes = open_shapes(model, shapes, options.inputs)
    model.platform.prepare(model, shapes, list(options.outputs))
    # Of values inside of the model some types are known only now.
    inputs = whole_inputs(model, options.inputs)
    options = replace(options, inputs=cast_inputs(model, inputs))
    check_sizes(largest)
    if not has_open_inputs(model):
        largest = model
    lowered = infer(model, options)
    if unprepared is not None:
        check_varying_promises(unprepared, model, options)
    pictures = Pictures.of(largest, lowered, options.preprocess, options.layout)
    inputs = pictures.read(largest, options.inputs, options.layout, options.note)
    options = replace(options, inputs=inputs)
    check_outputs(model)
    lowered = with_custom_sizes(model, options, lowered)
    measured = measure_open(model, options, lowered)
    try:
        module, found = cut(model, chip, options, lowered, largest, measured.work)
    except PassFailedException as error:
        # Pins that match nothing, or that no device takes.
        raise AutosplitError(str(error)) from error
    check_fallback(module, options)
    record(module, largest, measured.values, options, found, pictures)
    if destination is not None:
        from autosplit.folder.staging import write_folder

        options.progress("writing the sub-models")
        write_folder(
            module,
            model.store,
            model.platform,
            destination,
            force=options.force,
            lowered=found.lowered,
            custom_ops=options.custom_ops,
        )
    return SplitResult(module, model, options.out)


def has_open_inputs(model: Model) -> bool:
    """Whether a size of an input is not known; without one nothing varies, whatever was asked for."""
    from autosplit.dialects.platform import platform_graph, static_shape

    inputs = platform_graph(model.module).graph_inputs()
    return any(static_shape(value.type) is None for _, value in inputs)


def check_varying(options: SplitOptions) -> None:
    """Raises where a size is said to vary, and sub-models are to be of fixed sizes."""
    for name, spec in options.inputs.items():
        if spec.varying and not options.dynamic:
            axis = spec.varying[0]
            size = (spec.shape or ())[axis]
            raise AutosplitError(
                f"--input {name}: size {axis} is given as ..{size}, which says that it varies; add "
                f"--dynamic, or give {size}"
            )


def check_fixed(options: SplitOptions) -> None:
    """Raises where something is said of an input that is fixed."""
    said = {_bare(name) for name in (*options.inputs, *options.shapes)}
    for name in options.fixed:
        if _bare(name) in said:
            raise AutosplitError(
                f"--fix {name}: --input or --shape speaks of it too; leave one out"
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
    from xdsl.dialects.builtin import TensorType

    from autosplit.dialects.platform import platform_graph, value_name
    from autosplit.lowering.infer_shapes import infer_types

    if any(spec.varying for spec in specs.values()):
        return {
            name: None
            if shape is None
            else [-1 if i in specs[name].varying else d for i, d in enumerate(shape)]
            for name, shape in largest.items()
        }
    graph = platform_graph(model.module)
    known = {_bare(name) for name, _ in graph.graph_inputs()}
    if any(_bare(name) not in known for name in largest):
        # Of tensors inside of the model, files need not say what follows from it.
        infer_types(make_context(), model.module)
    ranked = {_bare(n) for n, v in graph.graph_inputs() if isinstance(v.type, TensorType)}
    ranked |= {
        _bare(value_name(result))
        for op in graph.body_ops()
        for result in op.results
        if isinstance(result.type, TensorType)
    }
    return {
        name: None if shape is None or _bare(name) in ranked else [-1] * len(shape)
        for name, shape in largest.items()
    }


def named_inputs(model: Model, given: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs by name, where one of them may have the empty name: that of a model's only input."""
    from autosplit.dialects.platform import platform_graph

    if "" not in given:
        return dict(given)
    names = [name for name, _ in platform_graph(model.module).graph_inputs()]
    if len(names) != 1:
        raise AutosplitError(
            f"{model.path}: has {len(names)} inputs, so each is given with its name, "
            f"as in --input NAME=1,3,224,224; they are {', '.join(names) or 'not known'}"
        )
    return {name or names[0]: spec for name, spec in given.items()}


def with_shapes(model: Model, options: SplitOptions) -> SplitOptions:
    """The options, the shapes of inputs being among what is said of inputs; the others are promises.

    Tensors inside of the model that are given are inputs too. Raises AutosplitError for another shape than
    that of what is given.
    """
    from autosplit.dialects.platform import platform_graph
    from autosplit.inputs.options import joined

    known = [name for name, _ in platform_graph(model.module).graph_inputs()]
    given = named_inputs(model, options.inputs)
    names = {_bare(name) for name in (*known, *given)}
    of_inputs = {n: InputSpec(tuple(s)) for n, s in options.shapes.items() if _bare(n) in names}
    others = {name: shape for name, shape in options.shapes.items() if name not in of_inputs}
    return replace(options, inputs=joined(given, of_inputs), shapes=others)


def with_scalars(model: Model, given: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs; one that says a dtype alone is of a scalar where the model does not even say the rank."""
    from xdsl.dialects.builtin import TensorType

    from autosplit.dialects.platform import LocalType, platform_graph

    inputs = platform_graph(model.module).graph_inputs()
    unranked = {_bare(name) for name, v in inputs if not isinstance(v.type, TensorType | LocalType)}
    return {
        name: replace(spec, shape=()) if spec.shape is None and _bare(name) in unranked else spec
        for name, spec in given.items()
    }


def check_sizes(model: Model) -> None:
    """Raises AutosplitError where a size of an input stays unknown."""
    from autosplit.dialects.platform import LocalType, element_type, platform_graph, static_shape

    where = f"{model.path}: " if model.path is not None else ""
    for name, value in platform_graph(model.module).graph_inputs():
        if isinstance(value.type, LocalType) and value.type.EXCHANGED:
            continue
        if isinstance(value.type, LocalType):
            raise AutosplitError(
                f"{where}input {name!r} is {value.type.WHAT}, which sub-models cannot be given; choose "
                "outputs that do not need it, with --output, or tensors behind it as inputs, with --input"
            )
        if element_type(value.type) is None:
            raise AutosplitError(
                f"{where}input {name!r}: the model does not say of which type it is; expected a tensor"
            )
        if static_shape(value.type) is None:
            raise AutosplitError(
                f"{where}input {name!r}: the model leaves its shape open{_shown(value.type)}; "
                f"give it, as in --input {_bare(name)}={_example(value.type)}"
            )


def check_outputs(model: Model) -> None:
    """Raises where the model returns something that its framework does not hand to the caller."""
    from autosplit.dialects.platform import LocalType, platform_graph

    where = f"{model.path}: " if model.path is not None else ""
    for name, value in platform_graph(model.module).graph_outputs():
        if isinstance(value.type, LocalType) and not value.type.EXCHANGED:
            raise AutosplitError(
                f"{where}output {name!r} is {value.type.WHAT}, expected a tensor; choose others with --output"
            )


def cast_inputs(model: Model, given: Mapping[str, InputSpec]) -> dict[str, InputSpec]:
    """The specs with their arrays in the dtypes of the model's inputs, see `cast_input`.

    Raises AutosplitError where an array's values are no such numbers, or a dtype is said that is not the
    model's.
    """
    from autosplit.core.casting import cast_input
    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.platform import element_type, platform_graph

    where = f"{model.path}: " if model.path is not None else ""
    inputs = {_bare(n): value for n, value in platform_graph(model.module).graph_inputs()}
    found = dict(given)
    for name, spec in given.items():
        value = inputs.get(_bare(name))
        kind = None if value is None else element_type(value.type)
        dtype = None if kind is None else dtype_of(kind)
        if kind is not None and spec.whole is not None:
            what = type(spec.value).__name__
            raise AutosplitError(f"{where}input {name!r} is a {what}, expected a numpy array")
        if dtype is None or spec.dtype is None:
            continue
        if spec.array is not None:
            array = cast_input(spec.array, dtype.name, f"{where}input {name!r}")
            found[name] = replace(spec, array=array, dtype=dtype.name)
        elif spec.dtype != dtype.name:
            raise AutosplitError(
                f"{where}input {name!r}: found dtype {spec.dtype}, the model takes {dtype}"
            )
    return found


def _shown(type: Attribute) -> str:
    """A tensor type without the names of its dimensions, in parentheses; "" where nothing is known."""
    from xdsl.dialects.builtin import TensorType

    if not isinstance(type, TensorType):
        return ""
    text = str(cast("object", type))
    return " (" + text.split(", #platform")[0].removesuffix(">") + ">)"


def _example(type: Attribute) -> str:
    from xdsl.dialects.builtin import TensorType

    if not isinstance(type, TensorType):
        return "1,224,224,3"
    return ",".join(
        str(d) if d >= 0 else "1" if i == 0 else "224" for i, d in enumerate(type.get_shape())
    )


def _bare(name: str) -> str:
    return name.removesuffix(":0")


def make_feeds(model: Model, given: Mapping[str, InputSpec], seed: int = 0) -> dict[str, Value]:
    """Values for all inputs of the model: the given ones, seeded random ones for the others."""
    import numpy as np

    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.platform import element_type, platform_graph, static_shape
    from autosplit.inputs.value_inputs import random_value
    from autosplit.inputs.value_types import value_type_of

    arrays = {_bare(name): spec.array for name, spec in given.items()}
    wholes = {_bare(n): spec.value for n, spec in given.items() if spec.whole is not None}
    random = np.random.default_rng(seed)
    feeds: dict[str, Value] = {}
    for name, value in platform_graph(model.module).graph_inputs():
        if (known := value_type_of(value.type)) is not None:
            own = _bare(name) in wholes
            feeds[name] = wholes[_bare(name)] if own else random_value(random, known, name)
            continue
        array = arrays.get(_bare(name))
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


def random_array(
    random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[np.generic] | None
) -> Array:
    """Uniform values that an image model can take: 0..255 for bytes, 0..1 for floats, else 0 or 1."""
    import numpy as np

    draw = cast("Any", random)  # numpy's stubs leave the type of `integers` open
    dtype = np.dtype(np.float32) if dtype is None else dtype
    try:
        if dtype == np.uint8:
            return draw.integers(0, 256, shape).astype(dtype)
        if dtype.kind in "iub":
            return draw.integers(0, 2, shape).astype(dtype)
        return random.random(shape).astype(dtype)
    except (ValueError, MemoryError):
        raise AutosplitError(
            f"random input of the shape {list(shape)} is more than the memory holds; give smaller sizes"
        ) from None


def infer(model: Model, options: SplitOptions) -> ModuleOp:
    """Gives every value the best type that inference tells; returns the lowered copy that told it."""
    from autosplit.flows.custom_sizes import with_promised_dtypes
    from autosplit.lowering.infer_shapes.promises import infer_promised

    options.progress("inferring shapes")
    check_elements(model)
    with_promised_dtypes(model, options)
    try:
        lowered = infer_promised(make_context(), model.module, options.shapes)
    except AutosplitError as error:
        raise AutosplitError(f"{options.model}: {error}") from error
    check_elements(model)
    check_operands(model, options, lowered)
    return lowered


def check_elements(model: Model) -> None:
    """Raises where a tensor has so many elements that sums of them would not fit into 64 bits."""
    from autosplit.dialects.platform import platform_graph, value_name
    from autosplit.inputs.options import MOST_ELEMENTS
    from autosplit.lowering.device.cluster import known_elements

    where = f"{model.path}: " if model.path is not None else ""
    graph = platform_graph(model.module)
    inputs = [value for _, value in graph.graph_inputs()]
    for value in [*inputs, *(result for op in graph.body_ops() for result in op.results)]:
        if (count := known_elements(value.type)) > MOST_ELEMENTS:
            raise AutosplitError(
                f"{where}tensor {value_name(value)!r} has {count} elements, more than any model takes "
                f"({MOST_ELEMENTS})"
            )


def check_operands(model: Model, options: SplitOptions, lowered: ModuleOp) -> None:
    """Raises where operands of an op do not fit each other, as far as their sizes are known.

    A model that runs all the same is right: the sizes that it declares may be wrong.
    """
    from autosplit.dialects.platform import platform_graph
    from autosplit.lowering.sizes.contradictions import contradiction

    if (found := contradiction(model.module, lowered)) is None:
        return
    names = [name for name, _ in platform_graph(model.module).graph_outputs()]
    try:
        measure(model, options, names[:1])
    except AutosplitError:
        raise AutosplitError(f"{options.model}: {found}") from None


def measure_open(model: Model, options: SplitOptions, lowered: ModuleOp) -> Measurements:
    """Gives values whose sizes inference does not know those that one run of the model tells.

    Sizes that depend on the data, not only on the input shapes, stay unknown in the types. Returns what was
    measured. `lowered`: the copy that `infer` made.
    """
    from xdsl.dialects.builtin import UnrankedTensorType

    from autosplit.dialects.platform import (
        element_type,
        platform_graph,
        set_type,
        static_shape,
        value_name,
    )
    from autosplit.lowering.device.work import open_work
    from autosplit.lowering.shared.types import measurable
    from autosplit.lowering.sizes.data_dependent import data_dependent
    from autosplit.platforms import Measurements

    if options.dynamic and has_open_inputs(model):
        return Measurements({}, None)
    graph = platform_graph(model.module)
    frames = model.platform.frames(graph)
    uncertain = data_dependent(model.module)
    unknown = {
        value_name(result): result
        for op in graph.body_ops()
        if op not in frames
        for result in op.results
        if static_shape(result.type) is None and measurable(result.type)
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
        return Measurements({})
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
    for name, found in measured.values.items():
        if name in values:
            set_measured(values[name], found)
        elif name in typeless and (kind := measured_element(found)) is not None:
            set_type(typeless[name], UnrankedTensorType(kind))
    return measured


def unproven_values(model: Model) -> dict[str, SSAValue]:
    """The values whose sizes only the model declares: those of ops that inference knows nothing of."""
    from autosplit.dialects.onnx.base import OnnxOp
    from autosplit.dialects.platform import platform_graph, static_shape, value_name

    return {
        name: result
        for op in platform_graph(model.module).body_ops()
        if isinstance(op, OnnxOp) and op.domain not in ("", "ai.onnx")
        for result in op.results
        if static_shape(result.type) is not None and (name := value_name(result))
    }


def measure(
    model: Model, options: SplitOptions, names: list[str], *, work: bool = False
) -> Measurements:
    """Runs the model on the given inputs; names the tensor that needs it where the framework is missing."""
    from autosplit.core.errors import MissingExtraError

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


def set_measured(value: SSAValue, found: Measured) -> None:
    """Sets a value's type to what was measured."""
    from xdsl.dialects.builtin import TensorType

    from autosplit.dialects.platform import element_type, set_type

    kind = element_type(value.type) or measured_element(found)
    if kind is not None:
        set_type(value, TensorType(kind, found.shape))


def measured_element(found: Measured) -> Attribute | None:
    """The element type that was measured, of which only ONNX's may be unknown; None where the IR has none."""
    from autosplit.core.dtypes import element_type_of
    from autosplit.dialects.onnx.tensors import StringType

    try:
        return StringType() if found.dtype == "object" else element_type_of(found.dtype)
    except ValueError:
        return None


def cut(
    model: Model,
    chip: Chip,
    options: SplitOptions,
    lowered: ModuleOp,
    largest: Model,
    executed: Mapping[str, int] | None = None,
) -> tuple[ModuleOp, Confirmed]:
    """Places, clusters and outlines; what a cut-out TPU sub-model cannot hold leaves the TPU, and again.

    Returns the outlined module, and what became of its TPU sub-models. `lowered`: the copy that
    `infer` made; it is used up. `largest`: the model with the largest sizes; `model` itself where sizes do
    not vary. `executed`: what the nodes computed in a run.

    It ends: in each round at least one op leaves the TPU, and none comes back.
    """
    from autosplit.lowering.device.cluster import DeviceClusterPass
    from autosplit.lowering.device.confirm import confirm
    from autosplit.lowering.device.outline import DeviceOutlinePass
    from autosplit.lowering.device.place import place
    from autosplit.lowering.device.submodel_sizes import Sizes

    ctx = make_context()
    options.progress(f"asking the {chip.name} about each op")
    pins = list(options.pins)
    place(ctx, model.module, chip, options.dynamic, pins, lowered, options.mode, executed)
    if largest is not model:
        weigh(ctx, model, largest, chip, options)
    while True:
        options.progress("choosing the sub-models")
        DeviceClusterPass(keep=float(options.keep), target=chip.name).apply(ctx, model.module)
        module = model.module.clone()
        DeviceOutlinePass().apply(ctx, module)
        options.progress("confirming the TPU sub-models")
        found = confirm(ctx, module, chip, Sizes.of(options.dynamic), options.mode)
        refused = found.refused
        if not refused and options.probe:
            refused = probe(found.lowered, chip, options)
        if not refused:
            module.verify()
            return module, found
        demote(model, refused)


def probe(
    lowered: Mapping[str, ModuleOp], chip: Chip, options: SplitOptions
) -> dict[str, ReasonAttr]:
    """The nodes of TPU sub-models whose ops fail on the chip's emulator, with the reasons.

    Raises AutosplitError where the tool chain is missing.
    """
    from autosplit.dialects.platform import location_names
    from autosplit.probe.model import probe_module

    options.progress(f"trying the ops on the emulator of the {chip.name}")
    # One-op models are not calibrated.
    mode = "F32" if options.mode == "INT8" else options.mode
    return {
        name: reason
        for module in lowered.values()
        for op, reason in probe_module(module, chip, mode, progress=options.progress).items()
        for name in location_names(op.location)
    }


def weigh(ctx: Context, model: Model, largest: Model, chip: Chip, options: SplitOptions) -> None:
    """Notes on a placed dynamic model how much its ops compute at the largest sizes."""
    from autosplit.dialects.platform import PlatformOp, platform_graph
    from autosplit.lowering.device.place import annotate_work, capability
    from autosplit.lowering.device.work import open_work
    from autosplit.lowering.infer_shapes.promises import infer_promised

    lowered = infer_promised(ctx, largest.module, options.shapes)
    executed: Mapping[str, int] | None = None
    if open_work(lowered):
        options.progress("measuring what the ops compute")
        # Where the model does not run, the plan says that it is not known.
        with suppress(AutosplitError):
            executed = measure(largest, options, [], work=True).work
    found = capability(ctx, largest.module, chip, True, lowered, executed=executed)
    for op in platform_graph(model.module).body_ops():
        if isinstance(op, PlatformOp) and "device.accepts" in op.attributes:
            annotate_work(op, found)


def demote(model: Model, found: Mapping[str, ReasonAttr]) -> None:
    """Takes ops from the TPU that a cut-out sub-model could not hold."""
    from autosplit.dialects.platform import PlatformOp, platform_graph
    from autosplit.lowering.device.place import accepts, refuse

    moved = False
    pinned: PlatformOp | None = None
    for op in platform_graph(model.module).body_ops():
        if not isinstance(op, PlatformOp) or op.identity not in found or "tpu" not in accepts(op):
            continue
        if "cpu" in accepts(op):
            refuse(op, "tpu", found[op.identity])
            moved = True
        else:
            pinned = pinned or op
    if not moved and pinned is not None:
        # Others go first: without them it may be able to stay.
        raise AutosplitError(
            f"{model.path}: {pinned.op_type} {pinned.identity!r} is pinned to the TPU, and its sub-model "
            f"cannot hold it: {found[pinned.identity].text.data}; leave the pin out"
        )
    if not moved:
        name, reason = next(iter(found.items()))
        raise AutosplitError(
            f"{model.path}: {name!r} does not convert in its sub-model: {reason.text.data}; "
            f"pin what feeds it to the CPU"
        )


def check_fallback(module: ModuleOp, options: SplitOptions) -> None:
    """With `--on-fallback error`: raises where an op runs on the CPU that nobody pinned there."""
    from autosplit.dialects.device import FuncOp, reason_of
    from autosplit.dialects.platform import PlatformOp

    if options.on_fallback != "error":
        return
    for func in module.body.ops:
        if not isinstance(func, FuncOp) or func.target.kind.data != "cpu":
            continue
        for op in func.body.block.ops:
            reason = reason_of(op)
            if isinstance(op, PlatformOp) and reason is not None and reason.code.data != "pinned":
                raise AutosplitError(
                    f"{op.op_type} {op.identity!r} falls back to the CPU: {reason.text.data}; "
                    f"pin it there if that is wanted, or leave out --on-fallback error"
                )


def original_names(module: ModuleOp, model: Model) -> dict[str, str]:
    """What the model calls the border tensors that outlining gave a name of their own."""
    from xdsl.ir import Operation

    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.platform import platform_graph, value_name

    own = {value_name(r) for op in platform_graph(model.module).body_ops() for r in op.results}
    return {
        name: value_name(value.owner.operands[0])
        for func in module.body.ops
        if isinstance(func, FuncOp)
        for name, value in func.outputs
        if name not in own and isinstance(value.owner, Operation) and len(value.owner.operands) == 1
    }


def record(
    module: ModuleOp,
    model: Model,
    measured: Mapping[str, Measured],
    options: SplitOptions,
    confirmed: Confirmed,
    pictures: Pictures,
) -> None:
    """Completes `device.plan`: layout, mode, sizes of border tensors, what is changed of them for the TPU,
    and what becomes of pictures.

    Sizes that the types leave open, because they depend on the data or may vary, are measured on the given
    inputs.
    """
    from xdsl.dialects.builtin import (
        ArrayAttr,
        DenseArrayBase,
        DictionaryAttr,
        IntegerAttr,
        StringAttr,
        i1,
        i64,
    )

    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.platform import static_shape
    from autosplit.inputs.fixed import plan_entry as fixed_entry
    from autosplit.lowering.device.border_changes import border_changes, plan_entry
    from autosplit.lowering.infer_shapes.promises import promised_borders
    from autosplit.lowering.shared.types import measurable

    border = {
        name: value
        for func in module.body.ops
        if isinstance(func, FuncOp)
        for name, value in [*func.inputs, *func.outputs]
    }
    unknown = [
        name
        for name, value in border.items()
        if static_shape(value.type) is None and measurable(value.type)
    ]
    missing = [name for name in unknown if name not in measured]
    found = dict(measured)
    if missing:
        options.progress("measuring shapes in the framework")
        renamed = original_names(module, model)
        asked = dict.fromkeys(renamed.get(name, name) for name in missing)
        told = measure(model, options, list(asked)).values
        found |= {n: told[t] for n in missing if (t := renamed.get(n, n)) in told}
    tensors = {
        name: DictionaryAttr(
            {
                "shape": DenseArrayBase.from_list(i64, list(found[name].shape)),
                "dtype": StringAttr(found[name].dtype),
            }
        )
        for name in unknown
        if name in found
    }
    plan = module.attributes["device.plan"]
    assert isinstance(plan, DictionaryAttr)
    varying = ArrayAttr([StringAttr(name) for name in sorted(confirmed.varying)])
    promised = ArrayAttr([StringAttr(name) for name in promised_borders(module)])
    module.attributes["device.plan"] = DictionaryAttr(
        {
            **plan.data,
            **({"varying": varying} if options.dynamic else {}),
            "layout": StringAttr(options.layout or model.platform.default_layout),
            "dynamic": IntegerAttr(int(options.dynamic), i1),
            "mode": StringAttr(options.mode),
            "tensors": DictionaryAttr(tensors),
            **({"promised": promised} if promised.data else {}),
            "changes": plan_entry(
                {graph: border_changes(m) for graph, m in confirmed.lowered.items()}
            ),
            **pictures.plan_entries(),
            **fixed_entry(model.fixed),
        }
    )
