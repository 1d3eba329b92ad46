"""What became of the TPU sub-models of an outlined module."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.device import ReasonAttr
from autosplit.lowering.shared.handover import Handover


@dataclass
class Confirmed:
    """What became of the TPU sub-models of an outlined module."""

    outlined: ModuleOp
    refused: dict[str, ReasonAttr] = field(default_factory=dict[str, ReasonAttr])
    """The nodes that the chip refuses, with the reasons."""
    lowered: dict[str, ModuleOp] = field(default_factory=dict[str, ModuleOp])
    """Each sub-model in canonical ONNX, by its symbol."""
    varying: set[str] = field(default_factory=set[str])
    """The symbols of those that are compiled for sizes that vary."""


class ConfirmedCut(Handover[Confirmed]):
    """Hands on the sub-models of a model: of one that is not outlined yet, those of a copy."""
