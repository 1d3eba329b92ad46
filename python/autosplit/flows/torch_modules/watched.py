"""A module whose values are seen while it is shown samples: as one program, or in parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from autosplit.core.errors import AutosplitError, choice
from autosplit.flows.quantize import QuantizeOptions, QuantizeResult, Quantizing
from autosplit.flows.quantizing.quant_calibrate import NothingToQuantize
from autosplit.flows.quantizing.recipe import Recipe
from autosplit.flows.quantizing.recipes.formats import RecipeFile, merged
from autosplit.flows.quantizing.recipes.model_names import ModelNames, all_names
from autosplit.flows.torch_modules.border import Array, to_array
from autosplit.flows.torch_modules.built import NotConvertedError, refusal
from autosplit.flows.torch_modules.exported import Exported, NotExportedError
from autosplit.flows.torch_modules.parts import NO_PRODUCT, ProgramPart, in_parts, run_in_torch
from autosplit.platforms import load_model

if TYPE_CHECKING:
    from autosplit.flows.quantizing.observed import ObservedModel

Leaves = Sequence[Any]
"""The arguments of a call, and the buffers in front of them that the module updates."""


Key = TypeVar("Key")
Watcher = TypeVar("Watcher")


def _shared(
    own: Mapping[Key, Watcher], others: Iterable[Mapping[Key, Watcher]]
) -> dict[Key, Watcher]:
    """What watches each key of `own`; that of `others` in its place where there is one."""
    shared = {key: watcher for other in others for key, watcher in other.items()}
    return {key: shared.get(key, watcher) for key, watcher in own.items()}


@dataclass(frozen=True)
class Settled:
    """What became of a module: its recipe, and the results for each part that is quantized."""

    recipe: Recipe
    names: ModelNames
    results: Sequence[QuantizeResult | None]
    """In the order of the parts."""

    @property
    def whole(self) -> QuantizeResult | None:
        """The result where the module is one part."""
        return self.results[0] if len(self.results) == 1 else None


@dataclass
class WatchedPart:
    """A part of a program, and what sees its values; nothing does where torch runs it."""

    part: ProgramPart
    quantizing: Quantizing | None = None
    observed: ObservedModel | None = None


@dataclass
class Watched:
    """The module, exported for calls of one form, and what sees the values of its ops."""

    exported: Exported
    parts: Sequence[WatchedPart]
    samples: int = 0
    """How many it was shown."""

    @staticmethod
    def of(exported: Exported, options: QuantizeOptions, samples: Sequence[Leaves]) -> Watched:
        """Chooses what is quantized. Raises NotExportedError if that is nothing.

        `options.model` is the program's file. `samples`: what is smoothed on.
        """
        parts = [whole_of(exported, options)]
        try:
            return Watched(exported, _watched(exported, parts, options, samples))
        except NotConvertedError as e:
            parts = in_parts(options.model, exported.computed, e)
        own = _with_recipes(parts, options) if options.recipe_files else options
        watched = _watched(exported, parts, own, samples)
        if not any(one.quantizing for one in watched):
            raise NotExportedError(NO_PRODUCT)
        _check_skip(watched, options)
        return Watched(exported, watched)

    def take(self, leaves: Leaves) -> None:
        """Shows the values that a call has to those who watch."""
        self.samples += 1
        seen = [one.observed for one in self.parts]
        for observed, feeds in zip(seen, _feeds(self.exported, self._parts, leaves), strict=True):
            if observed is not None:
                observed.take([feeds], lambda _: None)

    @property
    def _parts(self) -> list[ProgramPart]:
        return [one.part for one in self.parts]

    def join(self, first: Watched) -> None:
        """Lets what watches another form watch this one too."""
        seen = [one.observed for one in first.parts if one.observed is not None]
        calibrators = [observed.calibrators for observed in seen]
        channels = [observed.channels for observed in seen]
        for one in self.parts:
            if (observed := one.observed) is not None:
                observed.calibrators = _shared(observed.calibrators, calibrators)
                observed.channels = _shared(observed.channels, channels)

    def settle(self, samples: int, *, symmetric: bool) -> Settled:
        """The module in 8 bits, by what was seen of `samples`."""
        results = [self._settle(one, samples, symmetric) for one in self.parts]
        settled = [result for result in results if result is not None]
        if len(results) == 1:
            return Settled(settled[0].recipe, settled[0].names, results)
        names = ModelNames.joined(result.names for result in settled)
        return Settled(merged(result.recipe for result in settled), names, results)

    def _settle(self, one: WatchedPart, samples: int, symmetric: bool) -> QuantizeResult | None:
        quantizing, observed = one.quantizing, one.observed
        if quantizing is None or observed is None:
            return None
        observed.samples = samples
        if symmetric and samples:
            ends = observed.ranges()
            around_zero = {
                n: (-max(-low, high), max(-low, high)) for n, (low, high) in ends.items()
            }
            quantizing.settings.ranges = around_zero | quantizing.settings.ranges
        quantizing.finish(observed)
        return quantizing.result()

    def close(self) -> None:
        """Removes what only observing needs."""
        for one in self.parts:
            if one.observed is not None:
                one.observed.close()


def whole_of(exported: Exported, options: QuantizeOptions) -> ProgramPart:
    """A program as its only part."""
    inputs = [name for name in exported.inputs if name is not None]
    return ProgramPart(options.model, inputs, exported.computed)


def quantized(
    exported: Exported, options: QuantizeOptions
) -> tuple[Sequence[ProgramPart], Sequence[QuantizeResult | None]]:
    """A program quantized by the recipe that `options` has; its parts, and what became of each.

    Raises NotExportedError if nothing is.
    """
    parts = [whole_of(exported, options)]
    try:
        return parts, [_quantized(parts[0], options)]
    except NotConvertedError as e:
        parts = in_parts(options.model, exported.computed, e)
    results = [_quantized(part, _options_of(part, options)) for part in parts]
    if not any(results):
        raise NotExportedError(NO_PRODUCT)
    return parts, results


def _quantized(part: ProgramPart, options: QuantizeOptions) -> QuantizeResult | None:
    if not part.converts:
        return None
    quantizing = Quantizing.of(options)
    try:
        quantizing.run()
    except AutosplitError as e:
        if options.is_part and isinstance(e.__cause__, NothingToQuantize):
            return None
        raise refusal(e) from e
    return quantizing.result()


def _watched(
    exported: Exported,
    parts: Sequence[ProgramPart],
    options: QuantizeOptions,
    samples: Sequence[Leaves],
) -> list[WatchedPart]:
    by_sample = [list(_feeds(exported, parts, leaves)) for leaves in samples]
    watched: list[WatchedPart] = []
    for i, part in enumerate(parts):
        own = _options_of(part, options) if len(parts) > 1 else options
        feeds = [one[i] for one in by_sample]
        watched.append(_watch(part, replace(own, samples=feeds or None, weight_limits=True)))
    return watched


def _watch(part: ProgramPart, options: QuantizeOptions) -> WatchedPart:
    if not part.converts:
        return WatchedPart(part)
    quantizing = Quantizing.of(options)
    try:
        return WatchedPart(part, quantizing, quantizing.choose())
    except NothingToQuantize as e:
        if options.is_part:
            return WatchedPart(part)
        raise NotExportedError(NO_PRODUCT) from e
    except AutosplitError as e:
        raise refusal(e) from e


def _options_of(part: ProgramPart, options: QuantizeOptions) -> QuantizeOptions:
    return replace(options, model=part.file, outputs=part.outputs, is_part=True)


def _with_recipes(parts: Sequence[ProgramPart], options: QuantizeOptions) -> QuantizeOptions:
    """The same with one recipe, in which the names of all files are looked up in all parts."""
    bare = replace(options, recipe=None, recipe_files=(), weight_limits=True)
    names = ModelNames.joined(
        [Quantizing.of(_options_of(part, bare)).names() for part in parts if part.converts],
        all_names(load_model(options.model, options.platform).module),
    )
    files = [RecipeFile.read(path).recipe(names) for path in options.recipe_files]
    return replace(options, recipe=merged([options.recipe or Recipe(), *files]), recipe_files=())


def _check_skip(parts: Sequence[WatchedPart], options: QuantizeOptions) -> None:
    """Raises AutosplitError if `skip` names what no part has, whether or not torch runs it."""
    names = [op.name for one in parts for op in one.part.ops]
    for one in parts:
        if one.quantizing is not None:
            names += one.quantizing.settings.names.by_name
    for name in options.skip:
        if name not in names:
            raise AutosplitError(f"skip: the model has no op {name!r}{choice(name, names)}")


def _feeds(
    exported: Exported, parts: Sequence[ProgramPart], leaves: Leaves
) -> Iterator[Mapping[str, Array]]:
    """What each part reads in a call."""
    named = dict(zip(exported.inputs, [*exported.states, *leaves], strict=True))
    by_name = {name: leaf for name, leaf in named.items() if name is not None}
    if len(parts) == 1:
        yield {name: to_array(leaf, name) for name, leaf in by_name.items()}
        return
    tensors = {name: torch.as_tensor(leaf) for name, leaf in by_name.items()}
    for _, read in run_in_torch(parts, tensors):
        yield {name: to_array(tensor, name) for name, tensor in read.items()}
