"""The backend of torch.compile: `torch.compile(module, backend="autosplit")`.

A graph with casts, as PyTorch's own quantization makes them, becomes a plan. Any other runs as torch runs it,
unless options={"samples": N} has the first N calls calibrate it. Graphs are what PyTorch makes of the module:
breaks, and what it guards, are its own.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.logs import log
from autosplit.flows.quantize import QuantizeOptions
from autosplit.flows.torch_modules.built import Built
from autosplit.flows.torch_modules.calls import Call, Caller, Key
from autosplit.flows.torch_modules.exported import Exported, NotExportedError, export, is_cast
from autosplit.flows.torch_modules.preparing import ModuleOptions, Preparation
from autosplit.flows.torch_modules.wrappers import MAX_FORMS

OPTIONS = ("conf", "samples")

UPDATES = "it writes to its weights or buffers"

MAX_CHANGES = 4
"""How often weights may change before a graph is left to torch."""


def autosplit(
    graph: torch.fx.GraphModule,
    inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """What runs a graph in place of torch. Raises AutosplitError for an option that there is not.

    `options`: `samples`, how many calls calibrate a float32 graph, which torch computes; `conf`, the
    QuantConf by which it is quantized.
    """
    chosen = dict(options or {})
    for name in chosen:
        if name not in OPTIONS:
            raise AutosplitError(f"there is no option {name!r}{choice(name, list(OPTIONS))}")
    samples, conf = int(chosen.get("samples", 0)), chosen.get("conf")
    if any(is_cast(node) for node in graph.graph.nodes):
        return CompiledGraph(graph, inputs, 0, QuantizeOptions(Path("graph")))
    if samples < 1:
        return graph.forward
    asked = QuantizeOptions(Path("graph")) if conf is None else conf.options("graph")
    return CompiledGraph(graph, inputs, samples, asked)


class FrozenGraph(torch.nn.Module):
    """A graph that has its weights, where PyTorch passes them as inputs."""

    def __init__(self, graph: torch.fx.GraphModule, weights: Mapping[int, torch.Tensor]):
        super().__init__()
        self.graph = graph
        self.places = list(weights)
        for i, weight in weights.items():
            self.register_buffer(f"weight_{i}", weight.detach())
        self.eval()

    def forward(self, *inputs: Any) -> Any:
        """What the graph computes of the inputs that are left."""
        arguments = list(inputs)
        for i in self.places:
            arguments.insert(i, getattr(self, f"weight_{i}"))
        return self.graph(*arguments)


class CompiledGraph:
    """A graph, and plans for the forms in which it is called."""

    def __init__(
        self,
        graph: torch.fx.GraphModule,
        inputs: Sequence[Any],
        samples: int,
        options: QuantizeOptions,
    ):
        self.graph, self.samples, self.options = graph, samples, options
        self.weights = [i for i, one in enumerate(inputs) if is_weight(one)]
        self.reason = ""
        """Why torch runs it; empty if plans run it, or calls still calibrate it."""
        self._seen: list[tuple[torch.Tensor, int]] = []
        self._changes = -1
        self._lock = threading.Lock()

    def __call__(self, *args: Any) -> Any:
        """The outputs of the graph."""
        if self.reason:
            return self.graph(*args)
        with self._lock:
            if not self._is_same(args):
                self._freeze(args)
            run = None if self.reason else self._of(args)
        return self.graph(*args) if run is None else run()

    def _of(self, args: tuple[Any, ...]) -> Callable[[], Any] | None:
        """What computes the outputs; None if torch is to."""
        rest = tuple(one for i, one in enumerate(args) if i not in self._places)
        call = self.caller.bound(rest, {})
        if self._left > 0:
            self._left -= 1
            self.preparation.observe(call)
            self.reason = self.preparation.reason or self._updates()
            return None
        leaves, tree = self.caller.leaves(call)
        key = self.caller.key(leaves, tree)
        if key not in self._plans:
            self._plans[key] = self._built(call)
            if len(self._plans) > MAX_FORMS:
                self._plans.popitem(last=False)
        built = self._plans[key]
        return None if built is None else lambda: built(leaves)

    def _built(self, call: Call) -> Built | None:
        try:
            if self.samples:
                self.preparation.settle()
                return self.preparation.build(call)
            return Built.of(without_states(export(self.module, *call)))
        except NotExportedError as e:
            log.warning("a graph of torch.compile is left to torch: %s", e)
            self.reason = str(e)
            return None

    def _updates(self) -> str:
        """Why torch runs a graph that updates weights; empty for any other."""
        forms = self.preparation.forms.values()
        if not any(one.exported.states for one in forms):
            return ""
        log.warning("a graph of torch.compile is left to torch: %s", UPDATES)
        return UPDATES

    def _is_same(self, args: tuple[Any, ...]) -> bool:
        """Whether the weights are those that plans hold."""
        if self._changes < 0:
            return False
        return all(
            args[i] is tensor and tensor._version == version
            for i, (tensor, version) in zip(self.weights, self._seen, strict=True)
        )

    def _freeze(self, args: tuple[Any, ...]) -> None:
        """Begins anew, with the weights as they are now."""
        self._changes += 1
        if self._changes > MAX_CHANGES:
            self.reason = "its weights change from call to call"
            log.warning("a graph of torch.compile is left to torch: %s", self.reason)
            return
        self._seen = [(args[i], args[i]._version) for i in self.weights]
        self._places = frozenset(self.weights)
        self.module = FrozenGraph(self.graph, {i: args[i] for i in self.weights})
        self.caller = Caller(self.module)
        self.preparation = Preparation(self.module, ModuleOptions(self.options))
        self._left = self.samples
        self._plans = OrderedDict[Key, Built | None]()


def without_states(exported: Exported) -> Exported:
    """The program. Raises NotExportedError if it updates weights, which would always be new ones."""
    if exported.states:
        raise NotExportedError(UPDATES)
    return exported


def is_weight(value: object) -> bool:
    """Whether an input of a graph is a parameter or a buffer, as PyTorch marks them."""
    if isinstance(value, torch.nn.Parameter):
        return True
    return isinstance(value, torch.Tensor) and hasattr(value, "_dynamo_static_input_type")
