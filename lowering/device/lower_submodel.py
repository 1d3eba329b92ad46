"""A TPU sub-model as a module of Top: what `autosplit split` writes and `autosplit convert` compiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType

from autosplit.core.errors import AutosplitError
from autosplit.devices import Chip
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import element_type, platform_graph, set_type, static_shape
from autosplit.lowering.convert_onnx_to_top import NET_NAME, convert
from autosplit.lowering.convert_onnx_to_top.check import f32_reasons
from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins
from autosplit.lowering.device.constant_outputs import take_constants
from autosplit.lowering.device.submodel_sizes import Sizes, has_open_sizes, is_varying
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.pipelines import run_passes
from autosplit.lowering.quant.own_scales import Scale, border_scales, take_scales, value_scales
from autosplit.platforms import Platform

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Lowered:
    """A sub-model as a module of Top, and what the model itself says of the integers in it."""

    top: ModuleOp
    borders: Mapping[str, Scale]
    """The inputs and outputs that are 8-bit integers: what these stand for. The network has real numbers."""
    values: Mapping[str, Scale]
    """The values that the model holds as integers."""
    in_f32: Sequence[str]
    """The ops that are computed in f32 although the mode is a narrower one, and why."""
    constants: Mapping[str, Array]
    """The outputs whose values are known, by name; the network does not have them."""
    varying: bool
    """Whether it is for sizes that vary."""


def lower_submodel(
    ctx: Context,
    module: ModuleOp,
    func: FuncOp,
    platform: Platform,
    chip: Chip,
    sizes: Sizes = Sizes.fixed,
    largest: Mapping[str, Sequence[int]] | None = None,
    lowered: ModuleOp | None = None,
    mode: str = "F32",
) -> Lowered:
    """The Top module of one outlined sub-model; `module` stays as it is.

    `sizes`: what of the model varies. `largest`: by name, the largest shapes of inputs whose sizes vary; the
    tool chain plans memory for them. `lowered`: the sub-model in canonical ONNX, where that has been made
    already. `mode`: what the chip computes in. The network is called as the function.

    Raises AutosplitError naming the first op that `chip` refuses, and for an input whose sizes nobody knows.
    """
    if lowered is None:
        lowered = _canonical(ctx, platform.standalone(module, func), platform)
    varying = is_varying(lowered, chip, sizes, mode)
    if varying:
        put_stand_ins(lowered, chip, mode)
        fix_sizes(lowered, largest or {})
    elif has_open_sizes(lowered):
        lowered = platform.standalone(module, func)
        fix_inputs(lowered, largest or {})
        lowered = _canonical(ctx, lowered, platform)
    constants = take_constants(lowered)
    top = chip_top(ctx, lowered, chip, varying, func.sym_name.data, mode)
    in_f32 = [] if mode == "F32" else f32_reasons(lowered, chip, varying, mode)
    borders, values = border_scales(lowered), value_scales(lowered)
    return Lowered(top, borders, values, in_f32, constants, varying)


def chip_top(
    ctx: Context,
    module: ModuleOp,
    chip: Chip,
    dynamic: bool = False,
    name: str = NET_NAME,
    mode: str = "F32",
    checked: bool = False,
) -> ModuleOp:
    """The Top module that the tool chain compiles for `chip`, of one in canonical ONNX; as `convert`."""
    top = convert(module, chip, dynamic, name, mode=mode, checked=checked)
    run_passes(ctx, top, f"legalize-top{{target={chip.name} mode={mode}}}")
    return top


def fix_sizes(lowered: ModuleOp, largest: Mapping[str, Sequence[int]]) -> None:
    """Gives a module in canonical ONNX the shapes `largest` of its inputs, and what follows from them.

    What was found out while its sizes were open stays: a shape with a -1 is not one of the largest size.
    """
    fix_inputs(lowered, largest)
    normalize(lowered)


def _canonical(ctx: Context, module: ModuleOp, platform: Platform) -> ModuleOp:
    platform.to_onnx(ctx, module)
    # A sub-model that was placed for another mode has none.
    take_scales(module)
    return module


def fix_inputs(module: ModuleOp, largest: Mapping[str, Sequence[int]]) -> None:
    """Gives the inputs of a model the shapes `largest` where theirs are open."""
    for name, value in platform_graph(module).graph_inputs():
        if static_shape(value.type) is not None:
            continue
        shape, kind = largest.get(name), element_type(value.type)
        if shape is None or kind is None or any(d < 0 for d in shape):
            raise AutosplitError(
                f"input {name!r} of a TPU sub-model is {value.type}, needs a shape that is known"
            )
        set_type(value, TensorType(kind, shape))
