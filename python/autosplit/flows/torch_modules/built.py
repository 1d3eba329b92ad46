"""A plan in place of a module, for calls of one form."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.flows.torch_modules.border import to_array, to_tensor
from autosplit.flows.torch_modules.exported import NotExportedError
from autosplit.lowering.onnx_graph import NotOnnxError
from autosplit.runtime.plan.plan import Plan

if TYPE_CHECKING:
    import torch

    from autosplit.explain.int8 import Int8Explanation
    from autosplit.flows.quantize import QuantizeResult
    from autosplit.flows.torch_modules.exported import Exported

PLATFORM = "pytorch"


def refusal(error: AutosplitError) -> Exception:
    """The error, or what says that torch is to run the module, where an op has no counterpart."""
    cause = error.__cause__
    return NotExportedError(cause.reason) if isinstance(cause, NotOnnxError) else error


@dataclass
class Built:
    """A compiled plan whose inputs and outputs are those of an exported module."""

    exported: Exported
    plan: Plan
    explained: Int8Explanation
    """What became of each op."""
    _folder: tempfile.TemporaryDirectory[str]
    """Holds what the plan was made of, as long as that may be read."""

    @staticmethod
    def of(exported: Exported, quantized: QuantizeResult | None = None) -> Built:
        """Compiles what was made of the module, or the program itself where it has its casts.

        Raises NotExportedError where an op has no counterpart, AutosplitError for anything else.
        """
        folder = tempfile.TemporaryDirectory(prefix="autosplit-")
        path = Path(folder.name) / ("model.onnx" if quantized else "model.pt2")
        if quantized is not None:
            quantized.write(path)
        else:
            exported.write(path)
        try:
            if quantized is None:
                said = CompileOptions(path, platform=PLATFORM, outputs=exported.computed)
            else:
                said = CompileOptions(path, platform="onnx")
            made = compile_model(said)
        except AutosplitError as e:
            raise refusal(e) from e
        plan = Plan.from_module(made.module, made.store, whole=path if quantized else None)
        return Built(exported, plan, explain_int8(made.module), folder)

    def __post_init__(self) -> None:
        # A plan has no input that nothing reads.
        leaves = {name: i for i, name in enumerate(self.exported.inputs) if name is not None}
        self._feeds = [(leaves[name], name) for name in self.plan.input_names]
        self.made = self.exported.computed
        """The names of what is computed."""

    def __call__(self, leaves: Sequence[Any]) -> Any:
        """What the module returns for these arguments, in tensors that are the caller's own."""
        given = [*self.exported.states, *leaves]
        return self.result(self.run(self.taken(given)), given)

    def taken(self, leaves: Sequence[Any]) -> list[torch.Tensor]:
        """The tensors that the plan reads, of all arguments."""
        return [leaves[i] for i, _ in self._feeds]

    def result(self, made: Sequence[torch.Tensor], leaves: Sequence[Any]) -> Any:
        """What the module returns, of the tensors that `run` makes."""
        return self.exported.result(dict(zip(self.made, made, strict=True)), leaves)

    def run(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """What the plan makes of the tensors that it reads."""
        feeds = {
            name: to_array(tensor, name)
            for (_, name), tensor in zip(self._feeds, tensors, strict=True)
        }
        found = self.plan.run(feeds)
        return [to_tensor(found[name]) for name in self.made]
