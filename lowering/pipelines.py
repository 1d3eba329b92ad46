"""The named pipelines: what the compiler does, in order.

`autosplit-opt --pipeline NAME` runs one, and its name can stand among the passes of `-p`. Options given
to a pipeline, as in `split{target=bm1684x}`, go to each of its passes that has an option of that name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError, choice, nearest
from autosplit.lowering.shared.handover import connect
from autosplit.registry import added, load_added

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass
    from xdsl.utils.arg_spec import ArgSpec

    from autosplit.core.printing import Show

PIPELINES = {
    # From a model that the TPU takes whole, such as a TPU sub-model, to what the tool chain compiles.
    "bmodel": "submodel-fix-inputs,infer-shapes,convert-to-onnx,quant-own-scales,"
    "submodel-settle-sizes,submodel-take-constants,submodel-fold-pads,submodel-equalize{equalize=false},"
    "convert-onnx-to-top,legalize-top",
    # From a quantized ONNX model to a line of oneDNN Graph partitions and what runs between them.
    "int8": "platform-prepare{open=true},reduce-mutation,note-pictures,infer-shapes,"
    "convert-to-onnx{int8=true},onnx-graph,convert-onnx-to-quant{merge=true},"
    "quant-real-moves,quant-split-products,quant-before-moves,quant-keep-real,quant-center-weights,quant-fold-channel-scales,"
    "quant-drop-casts,quant-join-scales,quant-before-moves{requantize=true},quant-move-bytes,"
    "quant-split-dequant,quant-gate-as-conv,quant-sum-as-conv,quant-fold-requantize,"
    "quant-turn-softmax,quant-turn-resize,quant-turn-gates,quant-lift,quant-attention,quant-fold-zero-points,"
    "quant-widen-kernels,"
    "convert-onnx-to-dnnl,dnnl-fuse{keep=border},convert-dnnl-to-onnx,dnnl-tabulate,dnnl-turn-pools,dnnl-propagate-layout,"
    "dnnl-place,"
    "device-cluster{device=dnnl objective=fixed},device-outline,dnnl-record",
    # Works around what the tool chain gets wrong in a Top module.
    "legalize-top": "top-divide-by-roots,top-finite-masks,top-flatten-products,top-separate-pairs,"
    "top-separate-attention,top-protect-operands,top-separate-twins,top-f32-values,top-take-pictures,top-plain-names",
    # From a module to parts: those that convert to ONNX whole, and those that its framework runs.
    "parts": "platform-prepare{open=true},reduce-mutation,infer-shapes,device-place-onnx,"
    "device-cluster{device=dnnl keep=1.0 max_stages=99},device-outline",
    # Every op gets the devices that accept it, the reasons of those that do not, and a sub-model.
    "place": "platform-prepare,reduce-mutation,infer-shapes,device-place,device-cluster",
    # From a float32 model and samples of its inputs to an ONNX model of integers.
    "quantize": "platform-prepare{open=true},reduce-mutation,note-pictures,infer-shapes,"
    "convert-to-onnx{int8=true},onnx-graph,quant-equalize{equalize=false},quant-smooth{smooth=false},quant-select,quant-calibrate{correct_biases=true},"
    "quant-saturation,quant-correct-biases,quant-insert,convert-quant-to-onnx",
    # From a model as its framework wrote it to a line of sub-models.
    "split": "platform-prepare,reduce-mutation,infer-shapes,promise-shapes,measure-shapes,device-place,"
    "device-weigh,device-cluster,device-confirm,device-record,device-outline",
    # From what was compiled for F16 to what computes in f32 where numbers are too large on data.
    "widen": "top-separate-attention{widened=true},top-widen",
}


def all_pipelines() -> dict[str, str]:
    """The pass lists of all pipelines by name, those of other packages too."""
    others = {name: str(load_added(p)) for name, p in added("pipelines", PIPELINES).items()}
    return PIPELINES | others


PassTable = Mapping[str, "Callable[[], type[ModulePass]]"]


def build_passes(text: str, available: PassTable) -> tuple[ModulePass, ...]:
    """The passes that a comma list names, the names of pipelines expanded.

    Raises AutosplitError for text that is not a pass list, for unknown passes (with the nearest name) and for
    options that a pass does not have or whose values do not fit.
    """
    from xdsl.utils.arg_spec import parse_pipeline
    from xdsl.utils.exceptions import ArgSpecParseError

    try:
        specs = list(parse_pipeline(text))
    except ArgSpecParseError as e:
        raise AutosplitError(one_line("the pass list", str(e))) from None
    passes = tuple(_build(spec, available) for spec in _expand(specs, available))
    connect(passes)
    return passes


def with_options(
    passes: Iterable[ModulePass], options: Mapping[str, object]
) -> tuple[ModulePass, ...]:
    """The passes with those of the options that each has; these need not be expressible as text."""
    changed = tuple(
        dataclasses.replace(
            step, **{f.name: options[f.name] for f in _options_of(type(step)) if f.name in options}
        )
        for step in passes
    )
    connect(changed)
    return changed


def _options_of(pass_class: type[ModulePass]) -> list[dataclasses.Field[Any]]:
    return [f for f in dataclasses.fields(pass_class) if f.init and f.name != "name"]


def run_passes(ctx: Context, module: ModuleOp, text: str) -> None:
    """Runs the passes of a comma list, in place. Raises as `build_passes`, and what the passes raise."""
    from autosplit.registry import get_all_passes

    for step in build_passes(text, get_all_passes()):
        step.apply(ctx, module)


def run_shown(
    ctx: Context, module: ModuleOp, passes: Iterable[ModulePass], show: Show | None
) -> None:
    """Runs passes, in place; `show` is called after each one with it and the module.

    Raises AutosplitError if a pass refuses the module.
    """
    from xdsl.utils.exceptions import PassFailedException

    for step in passes:
        try:
            step.apply(ctx, module)
        except PassFailedException as error:
            raise AutosplitError(str(error)) from error
        if show is not None:
            show(step, module)


def _expand(specs: Iterable[ArgSpec], available: PassTable) -> Iterator[ArgSpec]:
    from xdsl.utils.arg_spec import parse_pipeline

    for spec in specs:
        if spec.name in available or spec.name not in (pipelines := all_pipelines()):
            yield spec
            continue
        inner = list(_expand(parse_pipeline(pipelines[spec.name]), available))
        yield from _with_options(spec, inner, available)


def _with_options(
    pipeline: ArgSpec, inner: list[ArgSpec], available: PassTable
) -> Iterator[ArgSpec]:
    parameters = pipeline.normalize_parameter_names().parameters
    options: set[str] = set()
    for spec in inner:
        names = {f.name for f in _options_of(_pass_class(spec.name, available))}
        options |= names
        values = {k: v for k, v in parameters.items() if k in names}
        yield dataclasses.replace(spec, parameters=spec.parameters | values)
    for name in parameters:
        if name not in options:
            raise AutosplitError(
                f"pipeline {pipeline.name!r}: none of its passes has the option {name!r}"
                + nearest(name, sorted(options))
            )


def _pass_class(name: str, available: PassTable) -> type[ModulePass]:
    if name not in available:
        names = sorted([*available, *all_pipelines()])
        raise AutosplitError(f"there is no pass or pipeline called {name!r}{choice(name, names)}")
    return available[name]()


def _build(spec: ArgSpec, available: PassTable) -> ModulePass:
    pass_class = _pass_class(spec.name, available)
    options = {f.name for f in _options_of(pass_class)}
    for name in spec.normalize_parameter_names().parameters:
        if name not in options:
            takes = ", ".join(sorted(options)) or "none"
            raise AutosplitError(
                f"pass {spec.name!r} has no option {name!r}{nearest(name, sorted(options))}; "
                f"it takes {takes}"
            )
    try:
        return pass_class.from_pass_spec(spec)
    except ValueError as e:
        raise AutosplitError(f"pass {spec.name!r}: {e}") from e


def one_line(what: str, message: str) -> str:
    """xDSL's error for a malformed list or specification in one line: what it expected, and where."""
    lines = message.rstrip().splitlines()
    marker = next((i for i, line in enumerate(lines) if set(line.strip()) == {"^"}), None)
    if marker is None or marker + 1 >= len(lines):
        return f"cannot read {what}: {lines[-1]}"
    text, column = lines[marker - 1], lines[marker].index("^")
    return (
        f"cannot read {what} {text!r}: {lines[marker + 1].strip()}, "
        f"after {text[:column]!r} (column {column + 1})"
    )
