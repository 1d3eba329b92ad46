"""What stands in for a module while it is quantized, and afterwards."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import torch

from autosplit.core.errors import AutosplitError
from autosplit.core.files import write_text
from autosplit.core.logs import log
from autosplit.core.units import counted
from autosplit.flows.quantizing.recipes.formats import FORMATS
from autosplit.flows.torch_modules.built import TORCH, Built
from autosplit.flows.torch_modules.calls import Call, Key
from autosplit.flows.torch_modules.exported import NotExportedError
from autosplit.flows.torch_modules.traced import is_traced, traced_call

if TYPE_CHECKING:
    from autosplit.explain.int8 import Int8Explanation
    from autosplit.flows.torch_modules.preparing import Preparation
    from autosplit.runtime.plan.plan import Plan

MAX_FORMS = 8
"""For how many forms of calls a module keeps plans; the one that was called longest ago goes first."""


class StandIn(torch.nn.Module):
    """Has the parameters, buffers, children and attributes of a module, under their own names."""

    def __init__(self, original: torch.nn.Module):
        super().__init__()
        own = self.__dict__
        own["original"] = original
        for kind in ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set"):
            own[kind] = original.__dict__[kind]
        own["training"] = False

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "original":
                raise
            return getattr(self.__dict__["original"], name)

    @property
    def _title(self) -> str:
        return type(self.__dict__["original"]).__name__

    def train(self, mode: bool = True) -> Self:
        """Raises AutosplitError: it cannot be trained."""
        if mode:
            raise AutosplitError(
                f"{self._title} is quantized, and cannot be trained: train the module that it comes from"
            )
        return self

    def load_state_dict(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises AutosplitError: plans hold the weights already."""
        raise AutosplitError(
            f"{self._title} is quantized, and takes no other weights: load them into the module that it was "
            "made of, and convert that"
        )

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        """Moves nothing: raises AutosplitError for what would move or convert weights."""
        probe = fn(torch.zeros(1))
        if probe.device.type != "cpu" or probe.dtype != torch.float32:
            raise AutosplitError(
                f"{self._title} is quantized, and stays as it is on the CPU: move or convert the module that "
                "it was made of, and convert that"
            )
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise AutosplitError(
            f"{self._title} is quantized, and cannot be pickled: save the recipe with conf.save and the "
            "weights with state_dict, and convert again; or save it as ONNX with its save"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._title}: {self.extra_repr()})"


class PreparedModule(StandIn):
    """A module that is shown samples: called, it computes what the module does, and ranges are noted."""

    def __init__(self, preparation: Preparation):
        super().__init__(preparation.module)
        self.__dict__["preparation"] = preparation

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's own result. Raises AutosplitError after `convert`."""
        preparation: Preparation = self.preparation
        preparation.observe((args, kwargs))
        return preparation.module(*args, **kwargs)

    def save_qconf_summary(self, qconf_summary: Path | str) -> None:
        """Writes the ranges that were seen, as Intel's extension for PyTorch does; then no more are.

        Raises AutosplitError if nothing was seen, or torch runs the module.
        """
        result = self.preparation.settle()
        if result is None:
            why = self.preparation.reason or "PyTorch has quantized it already"
            raise AutosplitError(f"{self._title} has no ranges here: {why}")
        write_text(Path(qconf_summary), FORMATS["ipex"].write(result.recipe, result.names))

    def load_qconf_summary(self, qconf_summary: Path | str) -> None:
        """Takes ranges from a file, in any format of recipes. Raises AutosplitError for what does not fit."""
        self.preparation.take_recipe(Path(qconf_summary))

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise AutosplitError(
            f"{self._title} is prepared, and cannot be copied: prepare a copy of the module that it "
            "comes from"
        )

    def extra_repr(self) -> str:
        preparation: Preparation = self.preparation
        if preparation.reason:
            return f"is left to torch: {preparation.reason}"
        if preparation.ready is not None:
            return "has its ranges already"
        seen = sum(one.samples for one in preparation.forms.values())
        return f"{counted(seen, 'sample')} seen"


class QuantizedModule(StandIn):
    """A module of integers, which oneDNN and ONNX Runtime run; called as the module that it comes from.

    Its results are tensors of their own, which no later call overwrites. Sizes and arguments that have not
    come before are compiled when they first do.
    """

    def __init__(self, preparation: Preparation):
        super().__init__(preparation.module)
        own = self.__dict__
        own["preparation"] = preparation
        own["_plans"] = OrderedDict[Key, Built | str]()
        own["_lock"] = threading.Lock()

    @property
    def reason(self) -> str:
        """Why torch runs it; empty if plans do."""
        return self.preparation.reason

    @property
    def explained(self) -> Int8Explanation | None:
        """What became of each op, for the calls that came last; None if torch runs the module."""
        built = self._latest()
        return None if built is None else built.explained

    @property
    def left(self) -> dict[str, str]:
        """The ops of a module in parts that torch runs, and why, for the calls that came last."""
        built = self._latest()
        return {} if built is None else built.left

    @property
    def plan(self) -> Plan | None:
        """The plan of the latest form of calls, the first of a module in parts; None if there is none."""
        built = self._latest()
        return None if built is None else built.plan

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module returns, computed in 8 bits. Raises AutosplitError for what does not fit."""
        preparation: Preparation = self.preparation
        if preparation.reason:
            return preparation.module(*args, **kwargs)
        caller = preparation.caller
        call = caller.bound(args, kwargs)
        leaves, tree = caller.leaves(call)
        key = caller.key(leaves, tree)
        built = self._plans.get(key) or self.build(call, key)
        if isinstance(built, str):
            return preparation.module(*args, **kwargs)
        return traced_call(built, leaves) if is_traced() else built(leaves)

    def build(self, call: Call, key: Key) -> Built | str:
        """A plan for calls of a form, or why there is none."""
        plans: OrderedDict[Key, Built | str] = self._plans
        with self._lock:
            if key not in plans:
                try:
                    plans[key] = self.preparation.build(call)
                except NotExportedError as e:
                    plans[key] = str(e)
                    log.warning("a form of calls of %s is left to torch: %s", self._title, e)
                if len(plans) > MAX_FORMS:
                    plans.popitem(last=False)
            return plans[key]

    def _latest(self) -> Built | None:
        plans: OrderedDict[Key, Built | str] = self._plans
        return next((p for p in reversed(plans.values()) if isinstance(p, Built)), None)

    def save(self, path: Path | str) -> None:
        """Writes it as ONNX, and its recipe beside it. Raises AutosplitError if torch runs it."""
        result = self.preparation.result
        if result is None or result.whole is None:
            why = self.reason
            if result is not None:
                why = "it is in parts, and torch runs some of them"
            elif not why:
                why = "it was quantized by PyTorch; save its program with torch.export.save"
            raise AutosplitError(f"{self._title} cannot be saved as ONNX: {why}")
        result.whole.write(Path(path))

    def __deepcopy__(self, memo: object) -> QuantizedModule:
        """Another one on the same plans, which nobody changes."""
        copy = QuantizedModule(self.preparation)
        copy.__dict__["_plans"] = OrderedDict(self._plans)
        # Both export the same module.
        copy.__dict__["_lock"] = self._lock
        return copy

    def extra_repr(self) -> str:
        if self.reason:
            return f"is left to torch: {self.reason}"
        built = self._latest()
        if built is None:
            return "not called yet"
        count = len(built.explained.partitions)
        devices = [stage.device for stage in built.explained.stages]
        cpu = counted(devices.count("cpu"), "segment")
        text = f"{counted(count, 'partition')} of oneDNN, {cpu} of ONNX Runtime"
        own = devices.count(TORCH)
        return f"{text}, {counted(own, 'part')} of torch" if own else text
