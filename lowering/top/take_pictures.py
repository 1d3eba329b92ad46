"""top-take-pictures: inputs that take the bytes of pictures.

TPU-MLIR's `fuse-preprocess` reads from such an input how the bytes become numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.platform import shape_of
from autosplit.dialects.top import TopOp, make_op
from autosplit.lowering.rewriting import apply_patterns
from autosplit.lowering.top.copies import TopPattern

if TYPE_CHECKING:
    from autosplit.portable.networks import RawPicture


@dataclass(frozen=True)
class Picture:
    """How the bytes of a picture become numbers: `numbers = (bytes - mean) * scale`."""

    color: str
    """The order of the channels, `rgb` or `bgr`."""
    last: bool
    """Whether the channels are the last axis of the numbers."""
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    """One number for each channel, or one for all, as `mean`."""


class TakePicture(TopPattern):
    """`input(numbers)` -> `permute(input {preprocessing}(planes))`

    The module still computes with the numbers that the bytes become: a pass of the tool chain puts the
    preprocessing in front. That pass handles planes only, and gets channels that are the last axis wrong.
    """

    KINDS = ("Input",)

    def __init__(self, module: ModuleOp, pictures: Mapping[str, Picture]):
        super().__init__(module)
        self.pictures = dict(pictures)

    def rewrite(self, op: TopOp, rewriter: PatternRewriter) -> None:
        # The tool chain removes an input that nothing reads.
        if op.outputs[0].first_use is None:
            return
        picture = self.pictures.pop(op.names[0], None)
        if picture is None:
            return
        numbers_type = op.outputs[0].type
        batch, channels, height, width = _planes(op, picture)
        attributes = {
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
        planes = TensorType(f32, [batch, channels, height, width])
        rewriter.replace_value_with_new_type(op.inputs[0], planes)
        ops = [make_op("Input", [op.inputs[0]], [planes], op.names, attributes)]
        if picture.last:
            order, names = {"order": [0, 2, 3, 1]}, [self.fresh(f"{op.names[0]}/last")]
            ops.append(make_op("Permute", [ops[0].outputs[0]], [numbers_type], names, order))
        rewriter.replace(op, ops, [ops[-1].outputs[0]])


def _planes(op: TopOp, picture: Picture) -> tuple[int, int, int, int]:
    """Batch, channels, height and width of an input."""
    shape = shape_of(op.outputs[0].type) or ()
    if len(shape) != 4 or min(shape) < 1:
        raise PassFailedException(
            f"top-take-pictures: the input {op.names[0]!r} is {op.outputs[0].type}; "
            "expected four fixed sizes, as pictures have"
        )
    if not picture.last:
        batch, channels, height, width = shape
    else:
        batch, height, width, channels = shape
    return batch, channels, height, width


def _each(numbers: tuple[float, ...], channels: int) -> list[float]:
    return [*numbers] * channels if len(numbers) == 1 else [*numbers]


def picture_option(name: str, raw: RawPicture) -> str:
    """An item of the option `pictures` of `top-take-pictures`, for one input."""
    words = [raw.color, *(["last"] if raw.last else [])]
    words += ["mean", *map(repr, raw.mean), "scale", *map(repr, raw.scale)]
    return f"{name}={' '.join(words)}"


def _picture(text: str) -> tuple[str, Picture]:
    """The input's name and its picture, see `picture_option`; raises PassFailedException for other text."""
    name, _, description = text.rpartition("=")
    order, _, numbers = description.partition(" mean ")
    mean, _, scale = numbers.partition(" scale ")
    color, *flags = order.split() or [""]
    try:
        picture = Picture(color, flags == ["last"], _floats(mean), _floats(scale))
    except ValueError:
        picture = None
    if picture is None or not name or color not in ("rgb", "bgr") or flags not in ([], ["last"]):
        raise PassFailedException(
            f"top-take-pictures: cannot read the picture {text!r}; expected NAME=rgb or NAME=bgr, "
            "then `last` where the channels are the last axis, `mean` and `scale` with their numbers, "
            "as in x=bgr mean 127.5 scale 0.0078125"
        )
    return name, picture


def _floats(text: str) -> tuple[float, ...]:
    numbers = tuple(map(float, text.split()))
    if not numbers:
        raise ValueError(text)
    return numbers


def take_pictures(module: ModuleOp, texts: Iterable[str]) -> None:
    """Makes inputs of a Top module take pictures, see `picture_option`.

    They become planes, whatever they were before.
    """
    pictures = dict(map(_picture, texts))
    if not pictures:
        return
    apply_patterns(module, [TakePicture(module, pictures)], recursive=False)
    for func in module.body.ops:
        if isinstance(func, FuncOp):
            func.update_function_type()


@dataclass(frozen=True)
class TopTakePicturesPass(ModulePass):
    """The inputs that `pictures` names are ready to take the bytes of pictures.

    They are planes, with attributes that say how bytes become the numbers that the module computes with:
    `numbers = (bytes - mean) * scale`. TPU-MLIR's `fuse-preprocess` puts that in front. Where the channels
    were the last axis, a `top.Permute` moves them back there.
    Example: `top-take-pictures{pictures="x=bgr mean 127.5 scale 0.0078125"}`
    """

    name = "top-take-pictures"

    pictures: tuple[str, ...] = ()
    """For each such input its name, `=`, `rgb` or `bgr`, `last` where its channels are the last axis, `mean`
    and `scale` with one number for all channels or one for each."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        take_pictures(op, self.pictures)
