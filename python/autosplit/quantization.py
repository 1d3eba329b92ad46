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
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.core.files import write_text
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
    from autosplit.flows.quantizing.observed import ObservedModel
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocessing

__all__ = ["PreparedModel", "QuantConf", "QuantizedModel", "convert", "prepare", "quantize"]

Array = NDArray[Any]
Sample = Mapping[str, Array]


@dataclass
class QuantConf:
    """What is quantized, and how."""

    calibrator: str = ""
    """`histogram` (the default), `minmax`, `moving-average`, `percentile` or `entropy`."""
    weight_bits: int = 0
    """8, or 7 for processors without VNNI; by default what `isa` needs, or 8."""
    isa: str = ""
    """The instruction set of the processor that will compute, by oneDNN's name, as in `avx2`."""
    kinds: Sequence[str] = ()
    """The types of the products that are quantized; all by default."""
    skip: Sequence[str] = ()
    """The names of ops that stay in float32."""
    equalize: bool = False
    """Whether channels between two products are scaled, so that weights have one size on both sides."""
    smooth: float | None = None
    """SmoothQuant's alpha; None: what the recipe says, or not at all."""
    correct_biases: bool = False
    """Whether biases take back what rounding weights shifts in the mean."""
    configure_file: Path | str | Sequence[Path | str] | None = None
    """Recipes, in any format: their ranges are not measured, and what they keep stays in float32."""
    fixed: Fixed | None = None
    """Values of inputs that become constants of the model, by name."""
    recipe: Recipe = field(default_factory=Recipe)
    """What was done; empty before `convert`."""
    names: ModelNames = field(default_factory=lambda: ModelNames((), ()))
    """What the recipe's names are names of."""

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
        """Writes the recipe, in one of `formats.FORMATS`. Raises AutosplitError before `convert`."""
        check_format(format)
        if not self.recipe.ops:
            raise AutosplitError("there is no recipe yet: convert makes it")
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
        """Runs the model on a sample. Raises AutosplitError where it does not fit, or after `convert`."""
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


def prepare(
    model: Path | str, conf: QuantConf | None = None, inputs: Iterable[Sample] = ()
) -> PreparedModel:
    """A model that is shown samples: an .onnx file, or one of TensorFlow, MXNet or Caffe.

    `inputs` are the first samples; those that are smoothed on, where `conf.smooth` says so, which reads them
    twice. Raises AutosplitError where the model cannot be read, or nothing of it can be quantized.
    """
    conf = conf or QuantConf()
    options = replace(conf.options(model), samples=inputs, weight_limits=True)
    quantizing = Quantizing.of(options)
    prepared = PreparedModel(conf, quantizing, quantizing.choose())
    for sample in inputs:
        prepared(sample)
    return prepared


def convert(
    model: PreparedModel | Path | str,
    conf: QuantConf | None = None,
    inputs: Iterable[Sample] = (),
) -> QuantizedModel:
    """A quantized model, of a prepared one or in one step of a file; `inputs` are (further) samples.

    Raises AutosplitError where there are none, or they do not fit.
    """
    if isinstance(model, PreparedModel):
        prepared = model
        prepared.check()
        for sample in inputs:
            prepared(sample)
    else:
        prepared = prepare(model, conf, inputs)
    prepared.quantizing.finish(prepared.observed)
    prepared.observed.close()
    prepared.converted = True
    result = prepared.quantizing.result()
    prepared.conf.recipe, prepared.conf.names = result.recipe, result.names
    return QuantizedModel(result)


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
