"""Whether a TPU sub-model is compiled for fixed sizes or for sizes that vary.

A chip runs fewer ops where sizes vary, and other ones, and it is one or the other for a sub-model as a whole.
So one that nothing open crosses into is compiled for fixed sizes, whatever varies elsewhere.
"""

from __future__ import annotations

from enum import StrEnum, auto

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, ReturnOp
from autosplit.dialects.platform import platform_graph, static_shape
from autosplit.lowering.convert_onnx_to_top.check import check_module
from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins


class Sizes(StrEnum):
    """What of a model's sizes varies from run to run."""

    fixed = auto()
    """Nothing."""
    open = auto()
    """What the types leave open."""
    varying = auto()
    """All: they may be smaller than the types say."""

    @staticmethod
    def of(dynamic: bool) -> Sizes:
        """Those of a model that is split with or without `--dynamic`."""
        return Sizes.open if dynamic else Sizes.fixed


def has_open_sizes(lowered: ModuleOp) -> bool:
    """Whether a size of an input, or of what is computed from them, is unknown."""
    graph = platform_graph(lowered)
    if any(static_shape(value.type) is None for _, value in graph.graph_inputs()):
        return True
    return any(
        static_shape(result.type) is None and result.first_use is not None
        for op in graph.body_ops()
        if not isinstance(op, InitializerOp | GraphOp | ReturnOp)
        for result in op.results
    )


def is_varying(lowered: ModuleOp, chip: Chip, sizes: Sizes, mode: str = "F32") -> bool:
    """Whether a sub-model, in canonical ONNX, is compiled for sizes that vary.

    One of fixed sizes is where it has ops that chips run in such sub-models only.
    """
    if sizes is not Sizes.open:
        return sizes is Sizes.varying
    if has_open_sizes(lowered):
        return True
    if not refusals(lowered, chip, False, mode):
        return False
    return not refusals(lowered.clone(), chip, True, mode)


def refusals(
    lowered: ModuleOp, chip: Chip, dynamic: bool = False, mode: str = "F32"
) -> dict[Operation, ReasonAttr]:
    """What the chip refuses of a sub-model in canonical ONNX.

    Where its sizes vary, the chip may have other ops for some of them, which then take their places.
    """
    if dynamic:
        put_stand_ins(lowered, chip, mode)
    return check_module(lowered, chip, dynamic, mode)
