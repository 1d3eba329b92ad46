"""What `autosplit compile` does, as a function: quantized model in, folder of a compiled plan out.

The quantized parts of the model become partitions of oneDNN Graph; what lies between them is left to ONNX
Runtime. The library itself is only needed to run the plan, and for the policy `backend`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError, first_line
from autosplit.core.versions import DEFAULT_VERSION, parse_version
from autosplit.inputs.custom_ops import libraries
from autosplit.registry import get_all_passes, make_context

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute

    from autosplit.core.printing import Show
    from autosplit.core.weights import WeightStore
    from autosplit.inputs.custom_ops import CustomOps, Libraries
    from autosplit.inputs.preprocess import Preprocess
    from autosplit.inputs.specs import InputSpec
    from autosplit.platforms import Model
    from autosplit.runtime.plan.plan import Plan
    from autosplit.toolchains.onednn import WaitPolicy

PIPELINE = "int8"
POLICIES = ("patterns", "backend")
SUMS = ("exact", "close", "fast")


@dataclass(frozen=True)
class CompileOptions:
    """The options of `autosplit compile`; see its help."""

    model: Path
    out: Path | None = None
    inputs: Mapping[str, InputSpec] = field(default_factory=dict[str, "InputSpec"])
    outputs: Sequence[str] = ()
    platform: str = "auto"
    version: str = DEFAULT_VERSION
    """The version of oneDNN that the partitions are for; any newer one runs them too."""
    policy: str = "patterns"
    """Who says what is a partition: our rules (`patterns`) or the installed library (`backend`)."""
    sums: str = "exact"
    """How sums of quantized values are computed. `exact`: every operand is rounded as the model says.
    `close`: products that oneDNN cannot add so are added unrounded, but saturated. `fast`: all are added
    unrounded, and values beyond the range of their integers pass as they are."""
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    """What becomes of pictures, by input; the empty name is for all that have none of their own."""
    custom_ops: Libraries = ()
    """The libraries of ops that ONNX Runtime does not have; the folder gets copies."""
    force: bool = False
    progress: Callable[[str], None] = lambda _: None
    """Called with the name of each step as it starts."""
    show: Show = lambda _, __: None
    """Called with each pass that has run, and the module."""


@dataclass
class CompileResult:
    """A model that has been compiled."""

    module: ModuleOp
    """The plan: sub-models for `dnnl` and `cpu`, and the host's line of calls."""
    model: Model
    """The model as it was read, with the inputs and outputs that were asked for."""
    out: Path | None

    @property
    def store(self) -> WeightStore:
        return self.model.store


def compile_model(options: CompileOptions) -> CompileResult:
    """Imports, rewrites, cuts and, where `options.out` is given, writes a model.

    Sizes that the model leaves open, and that no input fixes, stay open: the plan runs with any. Raises
    AutosplitError for whatever a user can mend; nothing is written then.
    """
    from autosplit.flows.splitting.given_inputs import cast_inputs, named_inputs, with_scalars
    from autosplit.flows.splitting.model_pictures import Pictures, sized
    from autosplit.platforms import load_model

    check_options(options)
    destination = None
    if options.out is not None:
        from autosplit.folder.staging import check_destination

        kept = [options.model, *options.custom_ops]
        destination = check_destination(options.out, force=options.force, keep=kept)
    with collector_paused():
        options.progress("reading the model")
        model = load_model(options.model, options.platform, options.custom_ops)
        check_platform(model)
        inputs = sized(model, named_inputs(model, options.inputs), options.preprocess, None)
        inputs = with_scalars(model, inputs)
        shapes = {name: spec.shape for name, spec in inputs.items()}
        model.platform.prepare(model, shapes, list(options.outputs))
        cast_inputs(model, inputs)
        pictures = Pictures.of(model, model.module, options.preprocess, None)
        module = lower(model, options)
        check_numbers(model, module)
        note_plan(module, pictures.plan_entries())
        if destination is not None:
            from autosplit.explain.int8 import explain_int8
            from autosplit.folder.plans import write_compiled

            options.progress("writing the plan")
            write_compiled(
                module,
                model,
                destination,
                reasons=dict(explain_int8(module).reasons()),
                force=options.force,
                custom_ops=options.custom_ops,
            )
    return CompileResult(module, model, options.out)


def check_options(options: CompileOptions) -> None:
    """Raises AutosplitError for a version, a policy or a kind of sums that there is not."""
    parse_version(options.version)
    for name, value, known in (
        ("policy", options.policy, POLICIES),
        ("sums", options.sums, SUMS),
    ):
        if value not in known:
            raise AutosplitError(f"{name} {value!r} is unknown; choose {' or '.join(known)}")


def lower(model: Model, options: CompileOptions) -> ModuleOp:
    """A copy of the model as a plan: its quantized parts in partitions, cut and outlined.

    Raises AutosplitError, naming the model, where a pass refuses it.
    """
    from xdsl.utils.exceptions import PassFailedException, VerifyException

    from autosplit.lowering.pipelines import build_passes
    from autosplit.lowering.shared.verified import verify

    module = model.module.clone()
    ctx = make_context()
    try:
        for step in build_passes(pipeline_text(options), get_all_passes()):
            options.progress(f"running {step.name}")
            step.apply(ctx, module)
            options.show(step, module)
        options.progress("verifying the plan")
        verify(module)
    except (PassFailedException, VerifyException, AutosplitError) as error:
        raise AutosplitError(f"{model.path}: {first_line(error)}") from error
    _note_options(module, options)
    _drop_marks(module)
    return module


def check_numbers(model: Model, module: ModuleOp) -> None:
    """Raises where a plan takes or gives something else than tensors of numbers, which no plan passes on."""
    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.platform import LocalType, element_type

    main = next(
        (f for f in module.body.ops if isinstance(f, FuncOp) and f.sym_name.data == FuncOp.HOST),
        None,
    )
    borders = [] if main is None else [("input", *i) for i in main.inputs]
    borders += [] if main is None else [("output", *o) for o in main.outputs]
    for what, name, value in borders:
        kind = element_type(value.type)
        is_local = isinstance(value.type, LocalType)
        if is_local or (kind is not None and dtype_of(kind) is None):
            found = value.type.WHAT if isinstance(value.type, LocalType) else "of strings"
            raise AutosplitError(
                f"{model.path}: {what} {name!r} is {found}, and a compiled model takes and gives tensors of "
                "numbers; compile a part of it, with --input and --output, or use autosplit split"
            )


def pipeline_text(options: CompileOptions) -> str:
    """The pipeline with its options, as `autosplit-opt -p` takes it."""
    version = ".".join(map(str, parse_version(options.version)))
    return f'{PIPELINE}{{version="{version}" policy={options.policy} sums={options.sums}}}'


def _note_options(module: ModuleOp, options: CompileOptions) -> None:
    """Adds to the module's `device.plan` what the user asked for, which the partitions depend on."""
    from xdsl.dialects.builtin import StringAttr

    version = ".".join(map(str, parse_version(options.version)))
    asked = {"sums": options.sums, "policy": options.policy, "version": version}
    note_plan(module, {key: StringAttr(value) for key, value in asked.items()})


def note_plan(module: ModuleOp, entries: Mapping[str, Attribute]) -> None:
    """Adds entries to the module's `device.plan`."""
    from xdsl.dialects.builtin import DictionaryAttr

    from autosplit.folder.infos_writer import plan_of

    module.attributes["device.plan"] = DictionaryAttr({**plan_of(module), **entries})


def _drop_marks(module: ModuleOp) -> None:
    """Removes what placing and clustering wrote on ops: in a plan, where an op stands says all of it."""
    for op in module.walk():
        for key in ("device.accepts", "device.constant", "device.stage"):
            op.attributes.pop(key, None)


def check_platform(model: Model) -> None:
    """Raises AutosplitError for a model of another framework than ONNX."""
    if model.platform.name != "onnx":
        raise AutosplitError(
            f"{model.path}: is a {model.platform.name} model; quantized models are compiled from ONNX, "
            "so export it first"
        )


def load_plan(
    folder: Path | str,
    *,
    threads: int = 0,
    wait_policy: WaitPolicy | None = None,
    custom_ops: CustomOps | None = None,
) -> Plan:
    """A folder that `compile_model` wrote, ready to run.

    `threads` and `wait_policy` as for `Plan.from_module`. `custom_ops`: libraries in place of those that the
    folder holds. Raises AutosplitError where the folder is damaged,
    or the library is missing or too old for it.
    """
    from autosplit.folder.plans import load_compiled
    from autosplit.runtime.plan.plan import Plan

    compiled = load_compiled(folder)
    plan = Plan.from_module(
        compiled.module,
        compiled.store,
        threads=threads,
        wait_policy=wait_policy,
        custom_ops=libraries(custom_ops) or compiled.infos.libraries(),
    )
    plan.infos = compiled.infos
    return plan
