"""The formats of recipes: which there are, and which one a file is in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.files import check_output
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.flows.quantizing.recipes import (
    ipex,
    ipex_list,
    nncf_scopes,
    onnx_runtime,
    tpu_mlir,
)
from autosplit.flows.quantizing.recipes.model_names import ModelNames
from autosplit.flows.quantizing.recipes.recipe_file import FileContent


def _is_own(content: FileContent) -> bool:
    return "recipe" in content.object


def _read_own(content: FileContent, model: ModelNames) -> Recipe:
    stated = Recipe.read(content.path)
    ranges = {name: ends for name, ends in stated.ranges.items() if model.value(name, content.path)}
    ops = {name: op for name, op in stated.ops.items() if model.op(name, content.path)}
    return replace(stated, ranges=ranges, ops=ops)


def _write_own(recipe: Recipe, model: ModelNames) -> str:
    return recipe.text()


@dataclass(frozen=True)
class RecipeFormat:
    """A format."""

    fits: Callable[[FileContent], bool]
    """Whether a file is in it, by what it has in it."""
    read: Callable[[FileContent, ModelNames], Recipe]
    """Raises AutosplitError, naming the file, for what does not fit and for names that a model lacks."""
    write: Callable[[Recipe, ModelNames], str]
    """Leaves out what the format has no place for. Raises AutosplitError for a name that it cannot hold."""
    limits: bool = False
    """Whether scales of weights are written."""


FORMATS: Mapping[str, RecipeFormat] = {
    "autosplit": RecipeFormat(_is_own, _read_own, _write_own),
    "ipex": RecipeFormat(ipex.is_summary, ipex.read_summary, ipex.write_summary, limits=True),
    "ipex-1.10": RecipeFormat(
        ipex_list.is_list, ipex_list.read_list, ipex_list.write_list, limits=True
    ),
    "nncf": RecipeFormat(
        nncf_scopes.is_ignored_scope,
        nncf_scopes.read_ignored_scope,
        nncf_scopes.write_ignored_scope,
    ),
    "onnxruntime": RecipeFormat(
        onnx_runtime.is_tensor_ranges,
        onnx_runtime.read_tensor_ranges,
        onnx_runtime.write_tensor_ranges,
    ),
    "tpu-mlir": RecipeFormat(
        tpu_mlir.is_calibration_table, tpu_mlir.read_calibration, tpu_mlir.write_calibration
    ),
    "tpu-mlir-qtable": RecipeFormat(
        tpu_mlir.is_quantize_table, tpu_mlir.read_modes, tpu_mlir.write_modes
    ),
}


@dataclass(frozen=True)
class RecipeFile:
    """A file whose names are yet to be looked up."""

    content: FileContent
    format: str

    @staticmethod
    def read(path: Path) -> RecipeFile:
        """A file in whichever format. Raises AutosplitError for one that is in none."""
        content = FileContent.read(path)
        name = next((name for name, one in FORMATS.items() if one.fits(content)), "")
        if not name:
            raise content.error(
                f"is not a recipe in any format that autosplit reads; these are {', '.join(FORMATS)}"
            )
        file = RecipeFile(content, name)
        _ = file.settings
        return file

    @cached_property
    def settings(self) -> Recipe:
        """What it says of samples and weights, without ranges and ops; only autosplit's own format does."""
        if self.format != "autosplit":
            return Recipe()
        recipe = Recipe.read(self.content.path)
        return replace(recipe, ranges={}, ops={})

    def recipe(self, model: ModelNames) -> Recipe:
        """What it says of a model. Raises AutosplitError for names that the model does not have."""
        return FORMATS[self.format].read(self.content, model)


def merged(recipes: Iterable[Recipe]) -> Recipe:
    """All that several recipes say; where two contradict each other, the later one is right."""
    recipe = Recipe()
    for one in recipes:
        recipe = Recipe(
            model=one.model or recipe.model,
            calibrator=one.calibrator or recipe.calibrator,
            samples=one.samples or recipe.samples,
            weight_bits=one.weight_bits or recipe.weight_bits,
            isa=one.isa or recipe.isa,
            preprocess=recipe.preprocess | one.preprocess,
            ranges=recipe.ranges | one.ranges,
            ops=recipe.ops | one.ops,
            equalize=one.equalize or recipe.equalize,
            smooth=recipe.smooth if one.smooth is None else one.smooth,
            exponents=recipe.exponents | one.exponents,
            correct_biases=(
                recipe.correct_biases if one.correct_biases is None else one.correct_biases
            ),
            means=recipe.means | one.means,
        )
    return recipe


def parse_targets(texts: Iterable[str]) -> list[tuple[str, Path]]:
    """`FORMAT=FILE`, as a format and a file. Raises AutosplitError for what is none."""
    targets: list[tuple[str, Path]] = []
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not path:
            raise AutosplitError(f"--write-recipe {text}: expected FORMAT=FILE")
        check_format(name)
        targets.append((name, Path(path)))
    return targets


def check_format(name: str) -> None:
    """Raises AutosplitError for a format that there is not."""
    if name not in FORMATS:
        raise AutosplitError(
            f"there is no format {name!r} of recipes{choice(name, list(FORMATS), 9)}"
        )


def check_targets(
    targets: Sequence[tuple[str, Path]], taken: Iterable[Path], *, force: bool
) -> None:
    """Raises AutosplitError if a file cannot be written: worth knowing before the long work."""
    others = {path.resolve() for path in taken}
    for name, path in targets:
        check_format(name)
        if path.resolve() in others:
            raise AutosplitError(f"{path}: is another file of the same run; name another one")
        others.add(path.resolve())
        check_output(path, force=force)
