"""A TPU sub-model as a module of Top: what `autosplit split` writes and `autosplit convert` compiles.

That is what the pipeline `bmodel` makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from autosplit.devices import Chip
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import platform_graph, static_shape
from autosplit.lowering.convert_onnx_to_top import NET_NAME, VARYING, convert, noted_in_f32
from autosplit.lowering.pipelines import build_passes, run_passes, run_shown, with_options
from autosplit.lowering.quant.own_scales import Scale, border_scales, value_scales
from autosplit.lowering.submodel.settle_sizes import SubmodelSettleSizesPass
from autosplit.lowering.submodel.sizes import Sizes
from autosplit.lowering.submodel.take_constants import taken_constants
from autosplit.lowering.top.take_pictures import picture_option
from autosplit.platforms import Platform
from autosplit.registry import get_all_passes

if TYPE_CHECKING:
    from autosplit.core.printing import Show
    from autosplit.portable.networks import RawPicture

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
    tables: bool = False,
    pictures: Mapping[str, RawPicture] | None = None,
    net: str = NET_NAME,
    show: Show | None = None,
    *,
    equalize: bool = False,
) -> Lowered:
    """Runs the pipeline `bmodel` on one outlined sub-model; `module` stays as it is.

    `sizes`: what of the model varies. `largest`: by name, the largest shapes of inputs whose sizes vary; the
    tool chain plans memory for them. `lowered`: the sub-model in canonical ONNX, where that has been made
    already, which the pipeline then goes on with. `mode`: what the chip computes in. `tables` says that there
    will be a table of values. `pictures`: by name, the inputs that take the bytes of pictures. `net`: what
    the network is called. `show` is called with each pass that has run, and the module. `equalize`: whether
    channels between two products are scaled, see `submodel-equalize`.

    Raises AutosplitError naming the first op that `chip` refuses, and for an input whose sizes are unknown.
    """
    model = platform.standalone(module, func)
    inputs = {name: static_shape(v.type) for name, v in platform_graph(model).graph_inputs()}
    shapes = {name: shape for name, shape in (largest or {}).items() if name in inputs}
    passes = with_options(
        build_passes("bmodel", get_all_passes()),
        {
            "target": chip.name,
            "mode": mode,
            "sizes": sizes.value,
            "largest": tuple(f"{n}={','.join(map(str, shape))}" for n, shape in shapes.items()),
            "net": net,
            "tables": tables,
            "equalize": equalize,
            "pictures": tuple(picture_option(n, raw) for n, raw in (pictures or {}).items()),
        },
    )
    # An observer sees every pass.
    if (
        lowered is not None
        and show is None
        and (sizes is not Sizes.fixed or None not in inputs.values())
    ):
        pass_types = [type(step) for step in passes]
        model, passes = lowered, passes[pass_types.index(SubmodelSettleSizesPass) :]
    run_shown(ctx, model, passes, show)
    return Lowered(
        model,
        border_scales(model),
        value_scales(model),
        noted_in_f32(model),
        taken_constants(model),
        VARYING in model.attributes,
    )


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
