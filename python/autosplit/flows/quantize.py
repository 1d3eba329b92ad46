"""What `autosplit quantize` does, as a function: a float32 model and data in, an INT8 model out.

The result is an ONNX model with QuantizeLinear and DequantizeLinear, which any runtime for ONNX takes, and
beside it the recipe that it was made by.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.core.files import check_output, write_text
from autosplit.core.units import counted
from autosplit.dialects.platform import value_name
from autosplit.flows.quantizing.keep_exact import Trials
from autosplit.flows.quantizing.means import ProductMeans
from autosplit.flows.quantizing.metrics import Metric, Outputs
from autosplit.flows.quantizing.observed import ObservedModel
from autosplit.flows.quantizing.quant_calibrate import QuantCalibratePass, measured_roots
from autosplit.flows.quantizing.quant_smooth import ALPHA, Levels
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe, recipe_of
from autosplit.flows.quantizing.recipes.formats import FORMATS, RecipeFile, check_targets
from autosplit.flows.quantizing.recipes.model_names import ModelNames, all_names
from autosplit.flows.quantizing.recipes.settings import Asked, Settings
from autosplit.flows.quantizing.reporting import REPORT_SUFFIXES, report_of, report_text
from autosplit.flows.quantizing.spread import Spread
from autosplit.flows.quantizing.switched import SwitchedModel, quantized_operands
from autosplit.flows.splitting.given_inputs import check_fixed
from autosplit.flows.splitting.job import SplitJob
from autosplit.flows.splitting.options import SplitOptions
from autosplit.flows.splitting.steps import run_steps
from autosplit.formats.onnx.files import write_model
from autosplit.inputs.preprocess import parse_options
from autosplit.lowering.pipelines import build_passes, with_options
from autosplit.lowering.quant.quantize.quant_equalize import QuantEqualizePass
from autosplit.lowering.quant.quantize.quant_saturation import QuantSaturationPass
from autosplit.platforms import Model, load_model, whole_files
from autosplit.registry import get_all_passes
from autosplit.runtime.frameworks.onnx import OnnxExecutor

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from autosplit.core.printing import Show
    from autosplit.explain.quantized import QuantizeReport
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocess
    from autosplit.inputs.specs import InputSpec
    from autosplit.inputs.values import Value

PIPELINE = "quantize"

FEW = 8
"""Fewer samples than this tell little of others."""


@dataclass(frozen=True)
class QuantizeOptions:
    """The options of `autosplit quantize`; see its help."""

    model: Path
    out: Path | None = None
    data: Sequence[str] = ()
    """Files and folders with samples, as for `--data`."""
    samples: Iterable[Mapping[str, Value]] | None = None
    """In place of `data`: for each sample an array for each input."""
    most: int = 0
    """How many samples are taken; 0: all."""
    jobs: int = 1
    """How many processes run samples."""
    scheduler: str = ""
    """The address of a scheduler of Dask, whose workers run samples in place of processes."""
    calibrator: str = ""
    target: float = 0.0
    """What the metric must reach: as few products stay in float32 as that needs. 0: all may be quantized."""
    metric: Metric | None = None
    """How good outputs are; the cosine by default."""
    weight_bits: int = 0
    """7 or 8; 0: what the recipe says, or what `isa` needs, or 8."""
    isa: str = ""
    """The instruction set of the processor that will compute, by oneDNN's name, where it is known."""
    level: bool = True
    """Whether channels in front of depthwise convolutions are levelled, see `quant-calibrate`."""
    equalize: bool = False
    """Whether channels between two products are scaled, see `quant-equalize`."""
    smooth: float | None = None
    """The alpha of `quant-smooth`; None: what the recipe says, or not at all."""
    correct_biases: bool | None = None
    """Whether biases take back what rounding weights shifts, see `quant-correct-biases`; None: what the
    recipe says, or yes where ranges are measured and no recipe of another format is written."""
    recipe: Recipe | None = None
    """What is known already: its ranges are not measured, and what it keeps stays in float32."""
    recipe_files: Sequence[Path] = ()
    """The same, in files of any format. They add up; of two that contradict each other the later is right."""
    write_recipes: Sequence[tuple[str, Path]] = ()
    """Formats, as in `formats.FORMATS`, and files that the recipe is written to besides."""
    report: Path | None = None
    """A .html or .txt file for what is known of values and ops."""
    weight_limits: bool = False
    """Whether the result's names come with the limits of weights, which some formats need."""
    is_part: bool = False
    """Whether the model is a part of another, which `recipe` and `skip` are of."""
    kinds: Sequence[str] = ()
    """The types of the products that are quantized; all by default."""
    skip: Sequence[str] = ()
    """The names of ops that stay in float32."""
    inputs: Mapping[str, InputSpec] = field(default_factory=dict[str, "InputSpec"])
    outputs: Sequence[str] = ()
    fixed: Fixed = field(default_factory=dict[str, float])
    """The inputs that become constants of the model, with their values, by name."""
    platform: str = "auto"
    params: Path | None = None
    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, "Preprocess"])
    custom_ops: Libraries = ()
    force: bool = False
    """Whether a file that is there is replaced."""
    progress: Callable[[str], None] = lambda _: None
    note: Callable[[str], None] = lambda _: None
    """Told what reached each input."""
    show: Show | None = None


@dataclass
class QuantizeResult:
    """A model that has been quantized."""

    module: ModuleOp
    model: Model
    recipe: Recipe
    out: Path | None
    """The model's file."""
    names: ModelNames
    """What the recipe's names are names of."""

    @property
    def recipe_path(self) -> Path | None:
        """The recipe's file."""
        return None if self.out is None else recipe_path(self.out)

    def write(self, out: Path) -> None:
        """Writes the model, and its recipe beside it: both or none.

        Raises AutosplitError if that is not possible.
        """
        try:
            with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
                staged = Path(folder) / out.name
                write_model(self.module, self.model.store, staged)
                recipe_path(staged).write_text(self.recipe.text())
                for path in sorted(Path(folder).iterdir()):
                    os.replace(path, out.parent / path.name)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise AutosplitError(f"{out}: there is no space left on the disk") from None
            raise AutosplitError(f"{out}: cannot be written: {error.strerror}") from None


def recipe_path(model: Path) -> Path:
    """Where the recipe of a quantized model lies."""
    return model.with_suffix(".recipe.json")


def quantize_model(options: QuantizeOptions) -> QuantizeResult:
    """Calibrates, quantizes and, where `options.out` is given, writes a model.

    Raises AutosplitError for whatever a user can mend; nothing is written then.
    """
    if options.metric is None and not 0 <= options.target < 1:
        raise AutosplitError(f"a cosine of {options.target:g}: expected one between 0 and 1")
    Spread(options.jobs, options.scheduler).check()
    if options.out is not None:
        check_file(options.out, options.model, force=options.force)
    taken = [options.model, *([options.out, recipe_path(options.out)] if options.out else [])]
    check_targets(options.write_recipes, taken, force=options.force)
    if options.report is not None:
        check_output(options.report, force=options.force, suffixes=REPORT_SUFFIXES)
    with collector_paused():
        quantizing = Quantizing.of(options)
        quantizing.run()
        result = quantizing.result()
        if options.target and not quantizing.seen:
            raise AutosplitError("a target is measured on samples: give some, see --data")
        trials: Trials | None = None
        if quantizing.seen and (options.target or options.report is not None):
            trials = _trials(quantizing, result, options)
        if options.target and trials is not None:
            result = _near_enough(result, options, trials)
        recipes = [
            (path, FORMATS[name].write(result.recipe, result.names))
            for name, path in options.write_recipes
        ]
        if options.out is not None:
            options.progress("writing the model")
            result.write(options.out)
        for path, text in recipes:
            write_text(path, text)
        if options.report is not None:
            report = _report(quantizing, result, trials)
            write_text(options.report, report_text(report, options.report))
    return replace(result, out=options.out)


def _say_nothing(text: str) -> None:
    """Notes need not be repeated for each trial."""


def _trials(first: Quantizing, result: QuantizeResult, options: QuantizeOptions) -> Trials:
    """The model, ready to be quantized in this way and in that."""
    options.progress("preparing to try what may be quantized")
    floats = Quantizing.of(_quietly(options, result.recipe)).chosen()
    model = _switched(result, floats, options.custom_ops)
    exact = float_outputs(options, result.model, list(model.outputs), first.seen)
    return Trials(model, exact, first.seen, options.progress, options.metric or Metric())


def _quietly(options: QuantizeOptions, recipe: Recipe) -> QuantizeOptions:
    """The same again, by a recipe that says all."""
    return replace(
        options,
        target=0.0,
        recipe=recipe,
        recipe_files=(),
        progress=_say_nothing,
        note=_say_nothing,
    )


def _near_enough(
    result: QuantizeResult, options: QuantizeOptions, trials: Trials
) -> QuantizeResult:
    """The model with as few products in float32 as the target needs."""
    metric, samples = trials.metric, trials.samples

    def again(kept: Mapping[str, str]) -> QuantizeResult:
        ops = dict(result.recipe.ops)
        ops |= {n: QuantizedOp(ops[n].type, kept=why) for n, why in kept.items()}
        other = Quantizing.of(_quietly(options, replace(result.recipe, ops=ops)))
        other.run()
        repeated = other.result()
        repeated.recipe.ops.update({name: ops[name] for name in kept})
        return repeated

    def confirm(kept: Collection[str]) -> float:
        with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
            path = Path(folder) / "trial.onnx"
            (again(dict.fromkeys(kept, "target")) if kept else result).write(path)
            executor = OnnxExecutor(path, optimize=True, custom_ops=options.custom_ops)
            names = executor.output_names
            inputs = [{n: feeds[n] for n in executor.input_names} for feeds in samples]
            return metric([executor.run(feeds, names) for feeds in inputs], trials.exact)

    kept, reached = list[str](), confirm(())
    if reached < options.target:
        kept, reached = trials.fewest(options.target, reached, confirm)
    count = counted(len(samples), "sample")
    products = counted(len(trials.model.products), "product")
    options.note(
        f"{metric.name} {reached:.5f} over {count}, with {len(kept)} of {products} in float32"
    )
    if len(samples) < FEW:
        options.note(f"{count} cannot stand for others: give {FEW} or more")
    if not kept:
        return result
    alone = {name: f"{trials.alone[name]:.5f}" for name in kept}
    return again(
        {n: f"target: quantizing it alone takes the {metric.name} to {a}" for n, a in alone.items()}
    )


def _report(first: Quantizing, result: QuantizeResult, trials: Trials | None) -> QuantizeReport:
    """What is known of the values and the ops of a model that has been quantized."""
    recipe, lost = result.recipe, dict[str, float]()
    lines = [
        f"Ranges by {recipe.calibrator} over {counted(recipe.samples, 'sample')}; weights of "
        f"{counted(recipe.weight_bits, 'bit')}."
    ]
    if trials is not None:
        types = trials.model.types
        best, whole = trials.score(types), trials.score(())
        alone = trials.alone_of({name: (name,) for name in types})
        lost = {name: best - score for name, score in alone.items()}
        lines.append(
            f"{trials.metric.name} over {counted(len(trials.samples), 'sample')}, with all of this in 8 "
            f"bits: {whole:.7f}."
        )
    name = (trials.metric if trials else Metric()).name
    return report_of(recipe, first.calibrators, lost, name, lines)


def _switched(result: QuantizeResult, floats: Model, custom_ops: Libraries) -> SwitchedModel:
    """The float32 model with the casts of the quantized one."""
    with tempfile.TemporaryDirectory(prefix="autosplit-") as folder:
        path = Path(folder) / "quantized.onnx"
        result.write(path)
        quantized = load_model(path, "onnx", custom_ops)
        operands = quantized_operands(quantized.module, quantized.store)
    return SwitchedModel(floats.module, floats.store, operands, custom_ops)


def float_outputs(
    options: QuantizeOptions,
    model: Model,
    names: Sequence[str],
    samples: Sequence[Mapping[str, Value]],
) -> list[Outputs]:
    """What the float32 model makes of samples, in its own framework."""
    options.progress("running the model in float32")
    platform = model.platform
    whole = platform.executor(
        whole_files(platform, options.model, options.params),
        options.model.parent,
        custom_ops=options.custom_ops,
    )
    # The whole model still asks for what is fixed.
    return [whole.run({**feeds, **model.fixed}, names) for feeds in samples]


def described(options: QuantizeOptions, recipe: Recipe) -> dict[str, Preprocess]:
    """What becomes of pictures: what is said, in front of what the recipe says."""
    texts = [f"{name}:{text}" if name else text for name, text in recipe.preprocess.items()]
    recorded = parse_options(texts)
    return {**recorded, **options.preprocess}


def asked(options: QuantizeOptions) -> Asked:
    """What of the options is said in front of recipes."""
    return Asked(
        calibrator=options.calibrator,
        weight_bits=options.weight_bits,
        isa=options.isa,
        equalize=options.equalize,
        smooth=options.smooth,
        correct_biases=options.correct_biases,
        formats=[name for name, _ in options.write_recipes],
    )


def check_file(out: Path, model: Path, *, force: bool) -> None:
    """Raises AutosplitError if a file cannot be written: worth knowing before the long work."""
    for path in (out, recipe_path(out)):
        if path.is_file() and path.resolve() == model.resolve():
            raise AutosplitError(f"{path}: is the model itself; name another file")
    check_output(out, force=force, suffixes=(".onnx",))
    check_output(recipe_path(out), force=force)


class Quantizing:
    """A model on its way: first what is quantized is chosen, then samples tell ranges, then casts are put in.

    With all samples at hand, call `run`; else `choose`, and `finish` with what was `observed`.
    """

    def __init__(self, job: SplitJob, options: QuantizeOptions, settings: Settings):
        self.job, self.options, self.settings = job, options, settings
        self.recipe = settings.stated
        self.seen: list[Mapping[str, Value]] = []
        """The first samples."""
        self.calibrators: dict[str, Any] = {}
        """What has seen each value."""

    @staticmethod
    def of(options: QuantizeOptions) -> Quantizing:
        """Reads the model. Raises AutosplitError if that is not possible."""
        files = [RecipeFile.read(path) for path in options.recipe_files]
        settings = Settings(asked(options), options.recipe or Recipe(), files)
        options.progress("reading the model")
        model = load_model(options.model, options.platform, options.custom_ops, options.params)
        split_options = SplitOptions(
            options.model,
            inputs=options.inputs,
            outputs=options.outputs,
            fixed=options.fixed,
            preprocess=described(options, settings.stated),
            custom_ops=options.custom_ops,
            note=options.note,
        )
        check_fixed(split_options)
        return Quantizing(SplitJob(model, split_options, model), options, settings)

    @property
    def model(self) -> Model:
        return self.job.model

    def run(self) -> None:
        """All of it, in place."""
        first = self._prepare()
        self._apply(self._passes()[first:])

    def names(self) -> ModelNames:
        """What recipes call the ops and values of the model."""
        self._prepare()
        return self.settings.names

    def chosen(self) -> Model:
        """The model as far as what is quantized is chosen, before any sample is seen."""
        first = self._prepare()
        passes = self._passes()
        self._apply(passes[first : _place_of(QuantCalibratePass, passes)])
        return self.model

    def choose(self) -> ObservedModel:
        """What is quantized; the model, to run samples on."""
        self.chosen()
        roots = measured_roots(self.model.module).values()
        names = list(dict.fromkeys(map(value_name, roots)))
        channels = self._product_means().watched() if self.settings.correct_biases else {}
        return ObservedModel(
            self.model.module,
            names,
            self.settings.calibrator,
            self.options.custom_ops,
            channels,
            self._levels().watched(),
        )

    def _levels(self) -> Levels:
        module = self.model.module
        roots = measured_roots(module) if self.options.level else {}
        return Levels(module, roots, self.settings.ranges)

    def _product_means(self) -> ProductMeans:
        return ProductMeans(self.model.module, self.settings.means)

    def finish(self, observed: ObservedModel) -> None:
        """The casts, for what samples told."""
        settings = self.settings
        if observed.samples:
            if settings.correct_biases:
                settings.means |= self._product_means().measured(observed)
            self._levels().apply(observed.calibrators, settings.means)
            settings.ranges = observed.ranges() | settings.ranges
            settings.samples = observed.samples
        passes = self._passes()
        self._apply(passes[_place_of(QuantCalibratePass, passes) :])

    def result(self) -> QuantizeResult:
        """The model and its recipe."""
        preprocess = {name: str(one) for name, one in self.job.options.preprocess.items()}
        recipe = replace(
            self.settings.written(self.recipe), model=self.options.model.name, preprocess=preprocess
        )
        return QuantizeResult(self.model.module, self.model, recipe, None, self.settings.names)

    def _prepare(self) -> int:
        """Makes the model one of ONNX ops, and looks up what recipes name. Returns the number of passes."""
        before = all_names(self.model.module)
        passes = self._passes()
        first = _place_of(QuantEqualizePass, passes)
        self._apply(passes[:first])
        limits = self.options.weight_limits or any(
            FORMATS[name].limits for name, _ in self.options.write_recipes
        )
        names = ModelNames.of(self.model.module, before, limits=limits)
        self.settings.look_up(names, is_part=self.options.is_part)
        return first

    def _passes(self) -> tuple[ModulePass, ...]:
        settings = self.settings
        options = {
            "job": self.job,
            "data": tuple(self.options.data),
            "samples": self.options.samples,
            "most": self.options.most,
            "jobs": self.options.jobs,
            "scheduler": self.options.scheduler,
            "calibrator": settings.calibrator,
            "known": settings.ranges,
            "weight_bits": settings.weight_bits,
            "level": self.options.level,
            "isa": settings.isa,
            "bits": settings.bits,
            "equalize": settings.equalize,
            "smooth": settings.smooth is not None,
            "alpha": ALPHA if settings.smooth is None else settings.smooth,
            "exponents": settings.exponents,
            "correct_biases": settings.correct_biases,
            "means": settings.means,
            "kinds": tuple(self.options.kinds),
            "skip": self._skip(),
            "seen": self.seen,
            "calibrators": self.calibrators,
            "watch": self._watch,
        }
        return with_options(build_passes(PIPELINE, get_all_passes()), options)

    def _skip(self) -> tuple[str, ...]:
        """The ops that stay in float32, as far as the model has them where it is a part of another."""
        names = dict.fromkeys([*self.settings.kept, *self.options.skip])
        if not self.options.is_part:
            return tuple(names)
        return tuple(name for name in names if name in self.settings.names.by_name)

    def _watch(self, count: int) -> None:
        self.settings.samples = count
        self.options.progress(f"calibrating, {counted(count, 'sample')} so far")

    def _apply(self, passes: Sequence[ModulePass]) -> None:
        options = self.options
        for step in run_steps(passes, self.model, options.progress, options.show):
            if isinstance(step, (QuantCalibratePass, QuantSaturationPass)):
                self.recipe = recipe_of(self.model.module)


def _place_of(kind: type[ModulePass], passes: Sequence[ModulePass]) -> int:
    return next(i for i, one in enumerate(passes) if isinstance(one, kind))
