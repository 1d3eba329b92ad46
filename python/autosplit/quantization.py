"""Quantizing from Python: `quantize` for files; `convert`, or `prepare` and `convert`, for samples.

The names and the steps are those of Intel's extension for PyTorch, whose INT8 path this one follows.

from autosplit.quantization import QuantConf, convert, prepare

quantized = convert("net.onnx", QuantConf(skip=["head"]), samples)
quantized.save("net-int8.onnx")
outputs = quantized({"image": picture})

prepared = prepare("net.onnx")
for sample in samples:
    prepared(sample)
quantized = convert(prepared)

A sample is an array for each input, by name. Nothing is kept of it but what ranges need.

A module of PyTorch's is taken in place of a file, and gives a module, called as it was:

prepared = prepare(module, QuantConf(), example_inputs=picture)
for picture in pictures:
    prepared(picture)
quantized = convert(prepared)
scores = quantized(picture)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard, overload

from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.core.files import write_text
from autosplit.flows.bisect import Bisected, BisectOptions
from autosplit.flows.bisect import bisect as find_suspects
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, Quantizing, quantize_model
from autosplit.flows.quantize_folder import QuantizedFolder, is_split, quantize_folder
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.flows.quantizing.recipes.formats import FORMATS, check_format
from autosplit.flows.quantizing.recipes.model_names import ModelNames
from autosplit.folder.plans import load_compiled
from autosplit.inputs.fixed import checked_fixed
from autosplit.inputs.preprocess import descriptions
from autosplit.runtime.plan.plan import Plan

if TYPE_CHECKING:
    import torch

    from autosplit.flows.quantizing.observed import ObservedModel
    from autosplit.flows.torch_modules.calls import Call
    from autosplit.flows.torch_modules.preparing import Preparation
    from autosplit.flows.torch_modules.watched import Settled
    from autosplit.flows.torch_modules.wrappers import PreparedModule, QuantizedModule
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocessing

__all__ = [
    "PreparedModel",
    "QuantConf",
    "QuantizedModel",
    "bisect",
    "calibrate",
    "convert",
    "prepare",
    "quantize",
]

QCONFIGS = (
    "default_static_qconfig",
    "default_static_qconfig_mapping",
    "get_smooth_quant_qconfig_mapping",
)
"""What the extension has for PyTorch's own descriptions; see `flows.torch_modules.qconfigs`."""

Array = NDArray[Any]
Sample = Mapping[str, Array]


@dataclass
class QuantConf:
    """What is quantized, and how."""

    configure_file: Path | str | Sequence[Path | str] | None = None
    """Recipes, in any format: their ranges are not measured, and what they keep stays in float32."""
    calibrator: str = ""
    """`histogram` (the default), `minmax`, `moving-average`, `percentile` or `entropy`."""
    weight_bits: int = 0
    """8, or 7 for processors without VNNI; by default what `isa` needs, or 8."""
    isa: str = ""
    """The instruction set of the processor that will compute, by oneDNN's name, as in `avx2`. By default one
    with VNNI for models, and for modules that of this processor, unless `weight_bits` says otherwise."""
    kinds: Sequence[str] = ()
    """The types of the products that are quantized; all by default."""
    skip: Sequence[str] = ()
    """The names of ops that stay in float32."""
    equalize: bool = False
    """Whether channels between two products are scaled, so that weights have one size on both sides."""
    smooth: float | None = None
    """SmoothQuant's alpha; None: what the recipe says, or not at all."""
    correct_biases: bool | None = None
    """Whether biases take back what rounding weights shifts in the mean; None: what the recipe says, or yes
    where ranges are measured. Of all formats, only autosplit's own keeps it."""
    fixed: Fixed | None = None
    """Values of inputs that become constants of the model, by name."""
    qscheme: object = None
    """torch.per_tensor_symmetric, for ranges that reach as far below zero as above it; only for modules."""
    recipe: Recipe = field(default_factory=Recipe)
    """What was done; empty before `convert`."""
    names: ModelNames = field(default_factory=lambda: ModelNames((), ()))
    """What the recipe's names are names of."""
    calibrated: Preparation | None = field(default=None, repr=False, compare=False)
    """The module that `calibrate` has seen."""

    def options(self, model: Path | str) -> QuantizeOptions:
        """What is asked for, of a model."""
        known = self.configure_file
        files = [known] if isinstance(known, Path | str) else known or ()
        return QuantizeOptions(
            Path(model),
            calibrator=self.calibrator,
            weight_bits=self.weight_bits,
            isa=self.isa,
            kinds=self.kinds,
            skip=self.skip,
            equalize=self.equalize,
            smooth=self.smooth,
            correct_biases=self.correct_biases,
            fixed=checked_fixed(self.fixed),
            recipe_files=[Path(path) for path in files],
        )

    def save(self, path: Path | str, format: str = "autosplit") -> None:
        """Writes the recipe, in one of `formats.FORMATS`. Raises AutosplitError before there is one."""
        check_format(format)
        if self.calibrated is not None:
            self.calibrated.settle()
        if not self.recipe.ops:
            raise AutosplitError(
                "there is no recipe yet: convert makes it, or for a module calibrate"
            )
        write_text(Path(path), FORMATS[format].write(self.recipe, self.names))


@dataclass
class PreparedModel:
    """A float32 model that is shown samples."""

    conf: QuantConf
    quantizing: Quantizing
    observed: ObservedModel
    converted: bool = False
    """Whether `convert` took it: it shows samples no more."""

    def __call__(self, sample: Sample) -> None:
        """Runs the model on a sample. Raises AutosplitError if it does not fit, or after `convert`."""
        self.check()
        self.observed.take([sample], lambda _: None)

    def check(self) -> None:
        """Raises AutosplitError after `convert`."""
        if self.converted:
            raise AutosplitError(
                "the model was converted already: prepare it again for another one"
            )


@dataclass
class QuantizedModel:
    """A model of integers. Called, it runs in oneDNN and ONNX Runtime, as `autosplit compile` makes it."""

    result: QuantizeResult
    _plan: Plan | None = None
    _folder: tempfile.TemporaryDirectory[str] | None = None
    """Holds what the plan was made of, as long as that may be read."""

    def save(self, path: Path | str) -> None:
        """Writes it as ONNX, and its recipe beside it."""
        self.result.write(Path(path))

    def __call__(self, sample: Sample) -> dict[str, Array]:
        """The outputs, by name."""
        if self._plan is None:
            self._plan = self.compiled()
        return dict(self._plan.run(sample))

    def compiled(self) -> Plan:
        """The compiled plan."""
        self._folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        path, out = Path(self._folder.name) / "model.onnx", Path(self._folder.name) / "plan"
        self.result.write(path)
        compile_model(CompileOptions(path, out=out))
        compiled = load_compiled(out)
        return Plan.from_module(compiled.module, compiled.store)


@overload
def prepare(
    model: Path | str, conf: QuantConf | None = None, inputs: Iterable[Sample] = ()
) -> PreparedModel: ...
@overload
def prepare(
    model: torch.nn.Module,
    conf: Any = None,
    inputs: Any = None,
    *,
    example_inputs: Any = None,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    inplace: bool = False,
    dynamic_shapes: Any = None,
) -> PreparedModule: ...
def prepare(
    model: Any,
    conf: Any = None,
    inputs: Any = None,
    *,
    example_inputs: Any = None,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    inplace: bool = False,
    dynamic_shapes: Any = None,
) -> PreparedModel | PreparedModule:
    """A model that is shown samples: an .onnx file, or one of TensorFlow, MXNet or Caffe; or a module.

    `inputs` are the first samples; those that are smoothed on, where `conf.smooth` says so, which reads them
    twice. Raises AutosplitError if the model cannot be read, or nothing of it can be quantized.

    For a module, `inputs` (or `example_inputs`) are the arguments of a call: a tensor, a tuple, or a mapping
    by name; a list of them where they are smoothed on. They are not taken as samples. `conf` may be PyTorch's
    own QConfig or QConfigMapping. The module itself stays as it is, `inplace` or not. `dynamic_shapes`: which
    sizes may vary within one plan, as torch.export takes it. What cannot be exported is left to torch, and
    `reason` says why.
    """
    if _is_module(model):
        from autosplit.flows.torch_modules.calls import calls_of

        named = example_kwarg_inputs or {}
        examples = list(calls_of(inputs if example_inputs is None else example_inputs))
        calls = [
            (args, {**own, **named}) for args, own in examples or ([((), {})] if named else [])
        ]
        return _prepared(model, conf, calls, dynamic_shapes)
    conf = conf or QuantConf()
    samples: Iterable[Sample] = () if inputs is None else inputs
    options = replace(conf.options(model), samples=samples, weight_limits=True)
    quantizing = Quantizing.of(options)
    prepared = PreparedModel(conf, quantizing, quantizing.choose())
    for sample in samples:
        prepared(sample)
    return prepared


@overload
def convert(
    model: PreparedModel | Path | str,
    conf: QuantConf | None = None,
    inputs: Iterable[Sample] = (),
) -> QuantizedModel: ...
@overload
def convert(model: torch.nn.Module, conf: Any = None, inputs: Any = None) -> QuantizedModule: ...
def convert(model: Any, conf: Any = None, inputs: Any = None) -> QuantizedModel | QuantizedModule:
    """A quantized model, of a prepared one or in one step of a file; `inputs` are (further) samples.

    Raises AutosplitError if there are none, or they do not fit. Of a module they are the arguments of
    calls, as for `prepare`; a list has several. A module that PyTorch quantized itself keeps its own ranges.
    """
    if _is_module(model):
        return _converted(model, conf, inputs)
    samples: Iterable[Sample] = () if inputs is None else inputs
    if isinstance(model, PreparedModel):
        prepared = model
        prepared.check()
        for sample in samples:
            prepared(sample)
    else:
        path: Path | str = model
        prepared = prepare(path, conf, samples)
    prepared.quantizing.finish(prepared.observed)
    prepared.observed.close()
    prepared.converted = True
    result = prepared.quantizing.result()
    prepared.conf.recipe, prepared.conf.names = result.recipe, result.names
    return QuantizedModel(result)


@contextmanager
def calibrate(conf: QuantConf) -> Generator[QuantConf]:
    """Within the block, a module that is called is shown to `conf`, and its ranges are noted.

    Raises AutosplitError if another module is called than before.
    """
    from autosplit.flows.torch_modules.calibrating import watching

    def show(module: torch.nn.Module, call: Call) -> None:
        if conf.calibrated is None:
            conf.calibrated = _preparation(module, conf)
        if conf.calibrated.module is not module:
            raise AutosplitError(
                f"calibrate has seen a {type(conf.calibrated.module).__name__} before this "
                f"{type(module).__name__}: make a QuantConf for each module"
            )
        conf.calibrated.observe(call)

    with watching(show):
        yield conf


def __getattr__(name: str) -> Any:
    if name not in QCONFIGS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autosplit.flows.torch_modules import qconfigs

    attribute = getattr(qconfigs, name)
    return attribute if name.startswith("get_") else attribute()


def _is_module(model: object) -> TypeGuard[torch.nn.Module]:
    """Whether it is a module of PyTorch's, which is loaded in that case."""
    loaded = sys.modules.get("torch")
    return loaded is not None and isinstance(model, loaded.nn.Module)


def _preparation(module: torch.nn.Module, conf: Any, dynamic_shapes: Any = None) -> Preparation:
    from autosplit.flows.torch_modules.preparing import ModuleOptions, Preparation
    from autosplit.flows.torch_modules.qconfigs import Chosen, chosen, is_qconfig

    said = Chosen()
    if is_qconfig(conf):
        said = chosen(conf)
        conf = QuantConf(
            calibrator=said.calibrator, weight_bits=said.weight_bits, smooth=said.smooth
        )
    conf = conf or QuantConf()

    def settled(result: Settled) -> None:
        conf.recipe, conf.names = result.recipe, result.names

    known = conf.recipe if conf.recipe.ops else None
    options = ModuleOptions(
        replace(conf.options(type(module).__name__), recipe=known),
        dynamic_shapes,
        symmetric=said.symmetric or str(conf.qscheme).endswith("symmetric"),
        skips=said.skips if said.skip_modules or said.skip_types else None,
        settled=settled,
    )
    return Preparation(module, options)


def _prepared(
    module: torch.nn.Module,
    conf: Any,
    calls: Sequence[Call],
    dynamic_shapes: Any = None,
) -> PreparedModule:
    from autosplit.flows.torch_modules.wrappers import PreparedModule

    preparation = _preparation(module, conf, dynamic_shapes)
    smooth = preparation.options.quantize.smooth is not None
    if calls:
        preparation.prepare(calls[0], calls if smooth else ())
    return PreparedModule(preparation)


def _converted(module: torch.nn.Module, conf: Any, inputs: Any) -> QuantizedModule:
    from autosplit.flows.torch_modules.calls import calls_of
    from autosplit.flows.torch_modules.wrappers import PreparedModule, QuantizedModule

    calls = list(calls_of(inputs))
    if isinstance(module, PreparedModule):
        preparation = module.preparation
    elif isinstance(conf, QuantConf) and conf.calibrated and conf.calibrated.module is module:
        preparation = conf.calibrated
        # What they would be seen for is known.
        calls = [] if preparation.forms else calls
    else:
        preparation = _prepared(module, conf, calls).preparation
    for call in calls:
        preparation.observe(call)
    preparation.settle()
    return QuantizedModule(preparation)


def quantize(
    model: Path | str,
    out: Path | str,
    data: Path | str | Sequence[Path | str],
    conf: QuantConf | None = None,
    *,
    samples: int = 0,
    target_cosine: float = 0.0,
    preprocess: Preprocessing = None,
    force: bool = False,
) -> QuantizeResult | QuantizedFolder:
    """What `autosplit quantize` does: a model's file, or a folder of sub-models, and data in; files out.

    `out`: the .onnx file, or for sub-models the folder, that is written. `data`: files and folders as for
    `--data`, each with `NAME=` in front where the model has several inputs. `samples`: how many of them are
    taken; 0: all. `target_cosine`: how near to float32 each output must be. `preprocess`: what becomes of
    pictures, as for `api.split`. `force`: whether what is there is replaced. Raises AutosplitError for
    whatever a user can mend; nothing is written then.
    """
    options = replace(
        (conf or QuantConf()).options(model),
        out=Path(out),
        data=[str(data)] if isinstance(data, Path | str) else [str(path) for path in data],
        most=samples,
        target=target_cosine,
        preprocess=descriptions(preprocess),
        force=force,
    )
    return quantize_folder(options) if is_split(options.model) else quantize_model(options)


def bisect(
    quantized: Path | str,
    model: Path | str,
    data: Path | str | Sequence[Path | str],
    *,
    samples: int = 0,
    target_cosine: float = 0.0,
    preprocess: Preprocessing = None,
) -> Bisected:
    """What `autosplit bisect` does: which ops of a quantized model, or partitions of its compiled folder, add
    the error, with a recipe that keeps the fewest of them in float32.

    `model`: the float32 one; `data`, `samples` and the others as for `quantize`. Raises AutosplitError for
    whatever a user can mend.
    """
    floats = QuantizeOptions(
        Path(model),
        data=[str(data)] if isinstance(data, Path | str) else [str(path) for path in data],
        most=samples,
        target=target_cosine,
        preprocess=descriptions(preprocess),
    )
    return find_suspects(BisectOptions(Path(quantized), floats))
