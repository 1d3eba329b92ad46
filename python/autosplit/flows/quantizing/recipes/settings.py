"""What a user asks for, and what recipes say: how a model is quantized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autosplit.calibration.calibrators import DEFAULT_CALIBRATOR
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.flows.quantizing.recipes.formats import RecipeFile, merged
from autosplit.flows.quantizing.recipes.model_names import ModelNames
from autosplit.runtime.dnnl.saturation import isa_name


@dataclass(frozen=True)
class Asked:
    """What a user asks for; by default, what recipes say."""

    calibrator: str = ""
    weight_bits: int = 0
    isa: str = ""
    equalize: bool = False
    smooth: float | None = None
    correct_biases: bool | None = None
    formats: Sequence[str] = ()
    """What a recipe is written in besides, which has to be able to say all of this."""


def _within(recipe: Recipe, names: ModelNames) -> Recipe:
    """What a recipe of a whole model says of a part of it."""
    ops, values = names.by_name, names.value_names
    return replace(
        recipe,
        ranges={name: ends for name, ends in recipe.ranges.items() if name in values},
        ops={name: op for name, op in recipe.ops.items() if name in ops},
        exponents={name: n for name, n in recipe.exponents.items() if name in values},
        means={name: n for name, n in recipe.means.items() if name in ops},
    )


def _first(*choices: bool | None) -> bool:
    """The first that is not None."""
    return next(bool(one) for one in choices if one is not None)


class Settings:
    """How a model is quantized: what is asked for, in front of what recipes say.

    Recipes of other tools say something of values once `look_up` knows the model's names.
    Raises AutosplitError if both contradict each other.
    """

    def __init__(self, asked: Asked, recipe: Recipe, files: Sequence[RecipeFile] = ()):
        self._asked, self._recipe, self._files = asked, recipe, files
        self._foreign = [name for name in asked.formats if name != "autosplit"]
        self._isa = isa_name(asked.isa) if asked.isa else ""
        self.stated = merged([recipe, *(file.settings for file in files)])
        """What recipes say of the whole model."""
        stated = self.stated.for_isa(self._isa)
        self.calibrator = asked.calibrator or stated.calibrator or DEFAULT_CALIBRATOR
        self.weight_bits = asked.weight_bits or stated.weight_bits or 8
        if self.weight_bits not in (7, 8):
            raise AutosplitError(f"weights of {counted(self.weight_bits, 'bit')}: expected 7 or 8")
        self.isa = stated.isa
        self.samples = stated.samples
        """How many the ranges are of."""
        self.names = ModelNames((), ())
        self._take(stated)

    def look_up(self, names: ModelNames, *, is_part: bool = False) -> None:
        """Takes what recipes say of the values and ops that a model has.

        `is_part`: whether it is a part of the model that the recipe is of.
        """
        self.names = names
        recipe = merged([self._recipe, *(file.recipe(names) for file in self._files)])
        if is_part:
            recipe = _within(recipe, names)
        self._take(replace(recipe, isa=self.stated.isa).for_isa(self._isa))

    def _take(self, recipe: Recipe) -> None:
        asked = self._asked
        self.equalize = asked.equalize or recipe.equalize
        self.smooth = recipe.smooth if asked.smooth is None else asked.smooth
        # Formats of other tools cannot say it: by default, what is made of them is the same model.
        is_sayable = not (recipe.ranges or self._foreign)
        self.correct_biases = _first(asked.correct_biases, recipe.correct_biases, is_sayable)
        is_same = (self.equalize, self.smooth) == (recipe.equalize, recipe.smooth)
        self._check(recipe, is_same)
        self.exponents = recipe.exponents if is_same else {}
        self.ranges, self.means = dict(recipe.ranges), dict(recipe.means)
        self.kept = recipe.kept
        self._bits = {name: op.weight_bits for name, op in recipe.ops.items()}

    def _check(self, recipe: Recipe, is_same: bool) -> None:
        asked = self._asked
        if recipe.ranges and not is_same:
            raise AutosplitError(
                "the recipe's ranges are those of channels that were scaled in another way: equalize and "
                "smooth as it says, or take its ranges out of it"
            )
        if recipe.ranges and asked.calibrator not in ("", recipe.calibrator) and recipe.calibrator:
            raise AutosplitError(
                f"the recipe's ranges are by {recipe.calibrator}: leave {asked.calibrator} out, or take the "
                "ranges out of the recipe"
            )
        if self._foreign and (self.equalize or self.smooth is not None):
            raise AutosplitError(
                f"{self._foreign[0]} cannot say how channels were scaled: write it without equalizing "
                "and smoothing"
            )

    def bits(self, name: str) -> int:
        """The bits of a product's weights, where they are said; 0 where they follow from the processor."""
        if self._asked.weight_bits or self.weight_bits == 7:
            return self.weight_bits
        return self._bits.get(name, 0)

    def written(self, recipe: Recipe) -> Recipe:
        """A recipe of the model's values and ops, with these settings."""
        return replace(
            recipe,
            calibrator=self.calibrator,
            samples=self.samples,
            weight_bits=self.weight_bits,
            isa=self.isa,
            equalize=self.equalize,
            smooth=self.smooth,
            correct_biases=self.correct_biases,
        )
