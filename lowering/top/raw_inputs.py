"""Inputs that take the bytes of pictures: TPU-MLIR's `fuse-preprocess` reads what becomes of them here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp
from xdsl.pattern_rewriter import PatternRewriter

from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.top.copies import TopPattern

if TYPE_CHECKING:
    from autosplit.portable.networks import NetworkPort


class TakePicture(TopPattern):
    """`input(numbers)` -> `permute(input {what becomes of pictures}(planes))`

    The module still computes with the numbers that the bytes become: a pass of the tool chain's puts the
    rest in front. That pass knows of planes only, and makes nonsense of channels that are the last axis.
    """

    KINDS = ("Input",)

    def __init__(self, module: ModuleOp, ports: Iterable[NetworkPort]):
        super().__init__(module)
        self.ports = {port.name: port for port in ports if port.raw is not None}

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        port = self.ports.pop(op.names[0], None)
        if port is None or port.raw is None:
            return
        picture = port.raw
        batch, height, width, channels = port.network_shape
        said = {
            "do_preprocess": True,
            "pixel_format": picture.color,
            "channel_format": "nchw",
            "resize_dims": [height, width],
            "keep_aspect_ratio": False,
            "keep_ratio_mode": "letterbox",
            "pad_value": 0,
            "pad_type": "center",
            "scale": _each(picture.scale, channels),
            "mean": _each(picture.mean, channels),
        }
        before, planes = op.outputs[0].type, TensorType(f32, [batch, channels, height, width])
        rewriter.replace_value_with_new_type(op.inputs[0], planes)
        made = [make_op("Input", [op.inputs[0]], [planes], op.names, said)]
        if picture.last:
            order, names = {"order": [0, 2, 3, 1]}, [self.fresh(f"{op.names[0]}/last")]
            made.append(make_op("Permute", [made[0].outputs[0]], [before], names, order))
        rewriter.replace(op, made, [made[-1].outputs[0]])


def take_pictures(module: ModuleOp, ports: Iterable[NetworkPort]) -> None:
    """Says of the inputs of a Top module that take pictures what becomes of these.

    They are planes then, whatever they were before.
    """
    pattern = TakePicture(module, ports)
    if not pattern.ports:
        return
    apply_patterns(module, [pattern], recursive=False)
    for func in module.body.ops:
        if isinstance(func, FuncOp):
            func.update_function_type()


def _each(numbers: tuple[float, ...], channels: int) -> list[float]:
    return [*numbers] * channels if len(numbers) == 1 else [*numbers]
