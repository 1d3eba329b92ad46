"""A module on its way to 8 bits: exported, shown samples, quantized, compiled.

For calls of another form, with other sizes or other arguments, the module is exported again; what was seen of
all of them makes one recipe, by which each form is quantized.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from autosplit.core.errors import AutosplitError
from autosplit.core.logs import log
from autosplit.core.units import first_of
from autosplit.flows.quantize import QuantizeOptions
from autosplit.flows.torch_modules.built import PLATFORM, Built
from autosplit.flows.torch_modules.calls import Call, Caller, Key
from autosplit.flows.torch_modules.exported import Exported, NotExportedError, export
from autosplit.flows.torch_modules.watched import Settled, Watched, quantized
from autosplit.runtime.dnnl.library import library

MOST_SAID = 4
"""How many of the ops that are left to torch the log names."""


@dataclass(frozen=True)
class ModuleOptions:
    """How a module is quantized."""

    quantize: QuantizeOptions
    """All but the model, its samples and where it goes."""
    dynamic_shapes: Any = None
    """As torch.export takes it: which sizes of the arguments may vary within one plan."""
    symmetric: bool = False
    """Whether ranges reach as far below zero as above it."""
    skips: Callable[[str, torch.nn.Module], bool] | None = None
    """Whether the module at a path stays in float32."""
    settled: Callable[[Settled], object] = lambda _: None
    """Called with the result, once ranges are known."""


def _for_this_processor(options: QuantizeOptions) -> QuantizeOptions:
    """A module runs here, so this processor decides what is left open: without VNNI sums saturate."""
    if options.isa or options.weight_bits or library().has_vnni:
        return options
    return replace(options, isa=library().isa)


class Preparation:
    """The module, and what is seen of it."""

    def __init__(self, module: torch.nn.Module, options: ModuleOptions):
        check_module(module)
        self.module = module
        self.options = replace(options, quantize=_for_this_processor(options.quantize))
        self.caller = Caller(module, open_sizes=options.dynamic_shapes is not None)
        self.folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        self.forms: dict[Key, Watched] = {}
        self.ready: Exported | None = None
        """The module where it has its casts already: there is nothing to observe."""
        self.reason = ""
        """Why torch runs it; empty if a plan is to."""
        self.result: Settled | None = None
        self.settled = False
        self._written = 0

    def prepare(self, call: Call, samples: Sequence[Call] = ()) -> Watched | None:
        """Exports the module and chooses what is quantized; None if there is nothing to be seen.

        `samples`: what is smoothed on. Raises AutosplitError for options that do not fit the module.
        """
        call = self.caller.bound(*call)
        leaves, tree = self.caller.leaves(call)
        key = self.caller.key(leaves, tree)
        if self.reason or self.ready or key in self.forms:
            return self.forms.get(key)
        try:
            exported = export(self.module, *call, self.options.dynamic_shapes)
            if exported.has_casts:
                self.ready = exported
                return None
            watched = self._watched(exported, samples)
        except NotExportedError as e:
            self._fall_back(str(e))
            return None
        self._join(watched)
        self.forms[key] = watched
        return watched

    def _watched(self, exported: Exported, samples: Sequence[Call]) -> Watched:
        leaves = [self.caller.leaves(self.caller.bound(*one))[0] for one in samples]
        watched = Watched.of(exported, self._options(exported, Path(self.folder.name)), leaves)
        left = [op for one in watched.parts for op in one.part.left]
        if left:
            ops = first_of([f"{op.type} {op.name!r} {op.text}" for op in left], MOST_SAID, "; ")
            log.warning("%s is cut, torch runs parts: %s", self._title, ops)
        return watched

    def _options(self, exported: Exported, folder: Path) -> QuantizeOptions:
        options = self.options.quantize
        skip = list(options.skip)
        if self.options.skips is not None:
            skip += exported.products(self.module, self.options.skips)
        return replace(
            options,
            model=self._file(exported, folder),
            platform=PLATFORM,
            outputs=exported.computed,
            skip=skip,
        )

    def _file(self, exported: Exported, folder: Path) -> Path:
        self._written += 1
        path = folder / f"{type(self.module).__name__}-{self._written}.pt2"
        exported.write(path)
        return path

    def take_recipe(self, path: Path) -> None:
        """Chooses again, by a file of ranges, too. Raises AutosplitError for one that does not fit."""
        options = self.options.quantize
        files = [*options.recipe_files, path]
        self.options = replace(self.options, quantize=replace(options, recipe_files=files))
        forms, self.forms = self.forms, {}
        for key, one in forms.items():
            other = self._watched(one.exported, ())
            self._join(other)
            self.forms[key] = other

    def _join(self, other: Watched) -> None:
        """Lets those who watch the first form watch the other one too."""
        for first in list(self.forms.values())[:1]:
            other.join(first)

    @property
    def _title(self) -> str:
        return type(self.module).__name__

    def _fall_back(self, reason: str) -> None:
        self.reason = reason
        log.warning("%s is left to torch: %s", self._title, reason)

    def observe(self, call: Call) -> None:
        """Shows the module's values to those who watch. Raises AutosplitError after `settle`."""
        if self.settled:
            raise AutosplitError(
                "the module's ranges are settled, by convert or by saving them: prepare it again"
            )
        watched = self.prepare(call)
        if watched is not None:
            watched.take(self.caller.leaves(self.caller.bound(*call))[0])

    def settle(self) -> Settled | None:
        """The module in 8 bits, by what was seen; None if there is nothing to be quantized here.

        Nothing more is seen then. Raises AutosplitError if nothing was seen of it and it is not known.
        """
        forms = list(self.forms.values())
        if not (forms or self.ready or self.reason):
            raise AutosplitError(
                "the module was shown no inputs: call it, or give convert the inputs of a call"
            )
        self.settled = True
        if self.result is not None or self.reason or not forms:
            return self.result
        samples = sum(one.samples for one in forms)
        self.result = forms[0].settle(samples, symmetric=self.options.symmetric)
        for one in forms:
            one.close()
        self.options.settled(self.result)
        return self.result

    def build(self, call: Call) -> Built:
        """Plans for such calls, by the recipe. Raises NotExportedError if there are none for them."""
        leaves, tree = self.caller.leaves(call)
        key = self.caller.key(leaves, tree)
        first = next(iter(self.forms), None)
        if self.result is not None and key == first:
            watched = self.forms[key]
            parts = [one.part for one in watched.parts]
            return Built.of(watched.exported, parts, self.result.results)
        if key in self.forms:
            exported = self.forms[key].exported
        else:
            exported = export(self.module, *call, self.options.dynamic_shapes)
        if exported.has_casts:
            return Built.of(exported)
        assert self.result is not None
        # There may be any number of forms: their programs are needed only here.
        with tempfile.TemporaryDirectory(prefix="form-", dir=self.folder.name) as folder:
            options = self._options(exported, Path(folder))
            options = replace(options, recipe=self.result.recipe, recipe_files=())
            return Built.of(exported, *quantized(exported, options))


def check_module(module: torch.nn.Module) -> None:
    """Raises AutosplitError for a module in training, or of weights that are not on the CPU."""
    # What torch.export makes has no modes.
    if module.training and not isinstance(module, torch.fx.GraphModule):
        raise AutosplitError(
            f"{type(module).__name__} is in training mode: call its eval() before it is quantized"
        )
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        if tensor.device.type != "cpu":
            raise AutosplitError(
                f"{name!r} of {type(module).__name__} is on the device {tensor.device}: move the module "
                "with .cpu()"
            )
