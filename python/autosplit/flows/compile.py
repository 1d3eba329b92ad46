"""What `autosplit compile` does, as a function: quantized model in, folder of a compiled plan out.

The quantized parts of the model become partitions of oneDNN Graph; what lies between them is left to ONNX
Runtime. The library itself is only needed to run the plan, and for the policy `backend`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.core.versions import (
    DEFAULT_ROUNDING,
    DEFAULT_SUMS,
    DEFAULT_VERSION,
    ROUNDINGS,
    SUMS,
    parse_version,
)
from autosplit.explain.int8 import explain_int8
from autosplit.flows.splitting.given_inputs import check_fixed
from autosplit.flows.splitting.job import SplitJob
from autosplit.flows.splitting.options import SplitOptions
from autosplit.flows.splitting.platform_prepare import PlatformPreparePass
from autosplit.flows.splitting.steps import run_steps
from autosplit.folder.plans import CompiledModel, load_compiled, write_compiled
from autosplit.folder.staging import check_destination
from autosplit.inputs.custom_ops import libraries
from autosplit.lowering.pipelines import build_passes, with_options
from autosplit.platforms import Model, load_model
from autosplit.registry import get_all_passes
from autosplit.runtime.plan.pool import MAX_SIZES

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.core.printing import Show
    from autosplit.core.weights import WeightStore
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.custom_ops import CustomOps, Libraries
    from autosplit.inputs.fixed import Array, Fixed
    from autosplit.inputs.preprocess import Preprocess
    from autosplit.inputs.specs import InputSpec
    from autosplit.runtime.plan.plan import Plan
    from autosplit.toolchains.onednn import WaitPolicy

PIPELINE = "int8"
POLICIES = ("patterns", "backend")


@dataclass(frozen=True)
class CompileOptions:
    """The options of `autosplit compile`; see its help."""

    model: Path
    out: Path | None = None
    inputs: Mapping[str, InputSpec] = field(default_factory=dict[str, "InputSpec"])
    outputs: Sequence[str] = ()
    platform: str = "auto"
    params: Path | None = None
    """The file of the model's weights, where its framework keeps them apart; None is the one beside it."""
    version: str = DEFAULT_VERSION
    """The version of oneDNN that the partitions are for; any newer one runs them too."""
    policy: str = "patterns"
    """Who says what is a partition: our rules (`patterns`) or the installed library (`backend`)."""
    sums: str = DEFAULT_SUMS
    """How sums of quantized values are computed. `exact`: every operand is rounded as the model says.
    `close`: products that oneDNN cannot add so are added unrounded, but saturated. `fast`: all are added
    unrounded, and values beyond the range of their integers pass as they are. `auto`: `fast`, or `exact`
    where `rounding` is."""
    rounding: str = DEFAULT_ROUNDING
    """Whether all is rounded as the model says (`exact`), or activations read products as they are computed,
    and what is joined has one scale (`close`)."""
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    """What becomes of pictures, by input; the empty name is for all that have none of their own."""
    fixed: Fixed = field(default_factory=dict[str, float])
    """The inputs that become constants of the model, with their values, by name."""
    were_fixed: Mapping[str, Array] = field(default_factory=dict[str, "Array"])
    """Those that the file has as constants already, which the folder is to remember."""
    custom_ops: Libraries = ()
    """The libraries of ops that ONNX Runtime does not have; the folder gets copies."""
    tune: bool = False
    """Whether the plan is measured; ONNX Runtime runs the regions, or the whole, that it is faster with."""
    leave: Sequence[str] = ()
    """The names of ops that ONNX Runtime is to run, whatever oneDNN could do."""
    force: bool = False
    progress: Callable[[str], None] = lambda _: None
    """Called with the name of each step as it starts."""
    show: Show | None = None
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
    check_options(options)
    destination = None
    if options.out is not None:
        kept = [options.model, *options.custom_ops]
        destination = check_destination(options.out, force=options.force, keep=kept)
    with collector_paused():
        options.progress("reading the model")
        model = load_model(options.model, options.platform, options.custom_ops, options.params)
        split_options = SplitOptions(
            options.model,
            inputs=options.inputs,
            outputs=options.outputs,
            fixed=options.fixed,
            preprocess=options.preprocess,
            custom_ops=options.custom_ops,
        )
        check_fixed(split_options)
        model.fixed.update(options.were_fixed)
        module, model = lower(SplitJob(model, split_options, model), options)
    if options.tune:
        from autosplit.flows.tune import Tuned, tuned

        def again(leave: Sequence[str]) -> Tuned:
            read = load_model(options.model, options.platform, options.custom_ops, options.params)
            read.fixed.update(options.were_fixed)
            return Tuned(*lower(SplitJob(read, split_options, read), replace(options, leave=leave)))

        faster = tuned(Tuned(module, model), again, options.custom_ops, options.progress)
        module, model = faster.module, faster.model
    with collector_paused():
        if destination is not None:
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
    """Raises AutosplitError for a version, a policy, a kind of sums or of rounding that there is not."""
    parse_version(options.version)
    for name, value, values in (
        ("policy", options.policy, POLICIES),
        ("sums", options.sums, SUMS),
        ("rounding", options.rounding, ROUNDINGS),
    ):
        if value not in values:
            raise AutosplitError(f"{name} {value!r} is unknown; choose {' or '.join(values)}")


def lower(job: SplitJob, options: CompileOptions) -> tuple[ModuleOp, Model]:
    """Runs the pipeline `int8` on a model, in place; returns the plan, and the model as it was prepared.

    Raises AutosplitError, naming the model, if a pass refuses it.
    """
    model, module = job.model, job.model.module
    version = ".".join(map(str, parse_version(options.version)))
    passes = with_options(
        build_passes(PIPELINE, get_all_passes()),
        {
            "version": version,
            "policy": options.policy,
            "sums": options.sums,
            "rounding": options.rounding,
            "leave": tuple(options.leave),
            "job": job,
        },
    )
    prepared = model
    for step in run_steps(passes, model, options.progress, options.show):
        if isinstance(step, PlatformPreparePass):
            # The folder holds the model too.
            prepared = replace(model, module=module.clone())
    return module, prepared


def load_plan(
    folder: Path | str,
    *,
    threads: int = 0,
    wait_policy: WaitPolicy | None = None,
    custom_ops: CustomOps | None = None,
    max_sizes: int | None = None,
) -> Plan:
    """A folder that `compile_model` wrote, ready to run; see `open_plan`.

    `custom_ops`: libraries in place of those that the folder holds. Raises AutosplitError if the folder is
    damaged, or the library is missing or too old for it.
    """
    compiled = load_compiled(folder)
    return open_plan(
        compiled,
        threads=threads,
        wait_policy=wait_policy,
        custom_ops=libraries(custom_ops) or compiled.infos.libraries(),
        max_sizes=max_sizes,
    )


def open_plan(
    compiled: CompiledModel,
    *,
    threads: int = 0,
    wait_policy: WaitPolicy | None = None,
    custom_ops: Libraries = (),
    max_sizes: int | None = None,
) -> Plan:
    """What was read of a folder, ready to run.

    `threads`, `wait_policy` and `max_sizes` as for `Plan.from_module`.
    """
    from autosplit.runtime.plan.plan import Plan

    if max_sizes is not None and max_sizes < 1:
        raise AutosplitError(f"max_sizes={max_sizes}: expected 1 or more")
    infos = compiled.infos
    plan = Plan.from_module(
        compiled.module,
        compiled.store,
        threads=threads,
        wait_policy=wait_policy,
        custom_ops=custom_ops,
        max_sizes=MAX_SIZES if max_sizes is None else max_sizes,
        whole=whole_model(infos),
    )
    plan.infos = infos
    return plan


def whole_model(infos: GraphInfos) -> Path | None:
    """The model itself, where the folder holds it as ONNX."""
    (graph,) = infos.graphs
    name = graph.model_info.get("model_path", "")
    return infos.folder / name if name.endswith(".onnx") else None
