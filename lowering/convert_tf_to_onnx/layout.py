"""Ops that ONNX defines for channels-first tensors only: convolutions, pools, batch norms, resizing.

For channels-last operands they become Transpose, the op, Transpose. The inner result is called
`node:0/nchw`; the outer one has the TensorFlow name and layout. `clean-up` removes most of the transposes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, f32
from xdsl.ir import SSAValue

from autosplit.core.units import counted
from autosplit.lowering.convert_tf_to_onnx.builder import Builder, converts
from autosplit.lowering.convert_tf_to_onnx.types import (
    Shape,
    permuted,
    shape_of,
    tensor,
)
from autosplit.lowering.shared.refusal import Refusal

UNKNOWN = DYNAMIC_INDEX


@dataclass(frozen=True)
class Layout:
    """Where batch, channels and the spatial dimensions are."""

    channels_last: bool
    spatial: int
    """How many spatial dimensions there are."""

    @classmethod
    def of(cls, b: Builder, spatial: int = 2) -> Layout:
        """The layout that attribute `data_format` names. Refuses vectorized ones."""
        default = "NHWC" if spatial == 2 else "NDHWC"
        text = b.text("data_format", default)
        if text not in ("NHWC", "NCHW", "NDHWC", "NCDHW"):
            raise Refusal("attribute", f"data_format is {text}, expected NHWC or NCHW")
        return cls(text.endswith("C"), spatial)

    @property
    def first(self) -> int:
        """The first spatial dimension."""
        return 1 if self.channels_last else 2

    @property
    def channel(self) -> int:
        return self.spatial + 1 if self.channels_last else 1

    @property
    def to_first(self) -> list[int]:
        """The permutation that makes channels-last tensors channels-first."""
        return [0, self.spatial + 1, *range(1, self.spatial + 1)]

    @property
    def to_last(self) -> list[int]:
        return [0, *range(2, self.spatial + 2), 1]

    def sizes(self, values: Sequence[int]) -> list[int]:
        """The spatial entries of a list with one entry per dimension."""
        return list(values[self.first : self.first + self.spatial])

    def spatial_list(self, b: Builder, name: str) -> list[int]:
        """The spatial entries of a list attribute. Refuses steps along batch or channels."""
        values = b.attribute(name, None)
        if values is None:
            return [1] * self.spatial
        if len(values) != self.spatial + 2:
            raise Refusal(
                "malformed-op",
                f"{name} is {values}, expected {counted(self.spatial + 2, 'entry', 'entries')}",
            )
        if values[0] != 1 or values[self.channel] != 1:
            raise Refusal("attribute", f"{name} is {values}, expected 1 along batch and channels")
        return self.sizes(values)

    def inward(self, b: Builder, x: SSAValue, what: str = "x_nchw") -> SSAValue:
        """`x` with its channels first."""
        return b.transpose(x, self.to_first, what) if self.channels_last else x

    def outward(self, b: Builder, y: SSAValue) -> SSAValue:
        """A result, channels first, in the layout of the op."""
        return b.transpose(y, self.to_last, "out") if self.channels_last else y

    def first_shape(self, b: Builder, x: SSAValue) -> Shape:
        """The shape of `x` as if its channels were first; the rank is known from the op."""
        shape = shape_of(x)
        if shape is None:
            return (UNKNOWN,) * (self.spatial + 2)
        if len(shape) != self.spatial + 2:
            raise Refusal("malformed-op", f"operand has rank {len(shape)}, not {self.spatial + 2}")
        return (permuted(shape, self.to_first) if self.channels_last else shape) or shape


@dataclass(frozen=True)
class Window:
    """A sliding window: what Conv and the pools share. Entries are spatial; negative means unknown."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    padding: str
    explicit: list[int]
    """Begins and then ends, as ONNX writes them; for padding EXPLICIT."""

    def attributes(self, sizes: Sequence[int]) -> dict[str, object]:
        """ONNX's attributes, with the padding in numbers wherever they are known.

        Refuses what depends on unknown sizes and has no exact attribute.
        """
        attributes: dict[str, object] = {"strides": self.strides}
        if any(d != 1 for d in self.dilations):
            attributes["dilations"] = self.dilations
        if all(k > 0 for k in self.kernel):
            attributes["kernel_shape"] = self.kernel
        pads = self.pads(sizes)
        if pads is None:
            reaches = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]
            if any(r < s for r, s in zip(reaches, self.strides, strict=True)):
                # ONNX's formula may give a negative padding then, TensorFlow's never does.
                raise Refusal(
                    "dynamic-shape", "SAME with strides above the kernel, of unknown sizes"
                )
            attributes["auto_pad"] = "SAME_UPPER"
        elif any(pads):
            attributes["pads"] = pads
        return attributes

    def pads(self, sizes: Sequence[int]) -> list[int] | None:
        """Begins and then ends of the padding; None if SAME depends on an unknown size."""
        if self.padding == "VALID":
            return [0] * 2 * len(self.strides)
        if self.padding == "EXPLICIT":
            return self.explicit
        begins: list[int] = []
        ends: list[int] = []
        for size, k, s, d in zip(sizes, self.kernel, self.strides, self.dilations, strict=True):
            reach = (k - 1) * d + 1
            if k < 0 or (size < 0 and s != 1 and reach != 1):
                return None
            if size < 0 and reach == 1:
                # A window of one element is never padded.
                begins.append(0)
                ends.append(0)
                continue
            # With stride 1 the padding is the same for all sizes.
            total = reach - 1 if s == 1 else max((-(-size // s) - 1) * s + reach - size, 0)
            begins.append(total // 2)
            ends.append(total - total // 2)
        return begins + ends

    def output(self, sizes: Sequence[int]) -> list[int]:
        """The sizes of the result."""
        n = len(self.strides)
        pads = self.pads(sizes)
        out: list[int] = []
        for i in range(n):
            size, k, s, d = sizes[i], self.kernel[i], self.strides[i], self.dilations[i]
            if size < 0 or (self.padding != "SAME" and k < 0):
                out.append(UNKNOWN)
            elif self.padding == "SAME" or pads is None:
                out.append(-(-size // s))
            else:
                out.append((size + pads[i] + pads[i + n] - (k - 1) * d - 1) // s + 1)
        return out


def window(b: Builder, layout: Layout, kernel: list[int]) -> Window:
    """The window that the op's attributes describe. Refuses paddings that TensorFlow does not define."""
    padding = b.text("padding", "VALID")
    if padding not in ("SAME", "VALID", "EXPLICIT"):
        raise Refusal("attribute", f"padding is {padding!r}, expected SAME, VALID or EXPLICIT")
    explicit: list[int] = []
    if padding == "EXPLICIT":
        pairs = b.attribute("explicit_paddings", [])
        if len(pairs) != 2 * (layout.spatial + 2):
            raise Refusal(
                "malformed-op", f"explicit_paddings has {counted(len(pairs), 'entry', 'entries')}"
            )
        explicit = layout.sizes(pairs[0::2]) + layout.sizes(pairs[1::2])
    return Window(
        kernel,
        layout.spatial_list(b, "strides"),
        layout.spatial_list(b, "dilations"),
        padding,
        explicit,
    )


def _filter_shape(w: SSAValue, spatial: int) -> Shape:
    shape = shape_of(w)
    if shape is None:
        return (UNKNOWN,) * (spatial + 2)
    if len(shape) != spatial + 2:
        raise Refusal("malformed-op", f"the filter has rank {len(shape)}, expected {spatial + 2}")
    return shape


@dataclass(frozen=True)
class _Filter:
    """A convolution's filter as ONNX takes it."""

    weight: SSAValue
    kernel: list[int]
    group: int
    outputs: int
    """The number of output channels; negative where unknown."""


def _full_filter(b: Builder, layout: Layout, x: SSAValue, w: SSAValue) -> _Filter:
    """[..., in, out] as [out, in, ...]; grouped where x has more channels than the filter reads."""
    n = layout.spatial
    *kernel, read, outputs = _filter_shape(w, n)
    channels = layout.first_shape(b, x)[1]
    group = 1
    if channels > 0 and read > 0:
        if channels % read:
            raise Refusal(
                "malformed-op", f"the filter reads {read} of {counted(channels, 'channel')}"
            )
        group = channels // read
    weight = b.rearranged(w, [n + 1, n, *range(n)], None, "oihw")
    return _Filter(weight, kernel, group, outputs)


def _depthwise_filter(b: Builder, layout: Layout, x: SSAValue, w: SSAValue) -> _Filter:
    """[H, W, C, M] as [C * M, 1, H, W] in C groups: channel c * M + m is channel c under filter m."""
    *kernel, channels, multiplier = _filter_shape(w, 2)
    if channels < 0:
        channels = layout.first_shape(b, x)[1]
    if channels < 0:
        raise Refusal(
            "dynamic-shape", "the number of channels, which is the group count, is unknown"
        )
    outputs = channels * multiplier if multiplier > 0 else UNKNOWN
    shape = [outputs, 1, *kernel] if outputs > 0 and min(kernel) > 0 else [-1, 1, 0, 0]
    return _Filter(b.rearranged(w, [2, 3, 0, 1], shape, "oihw"), kernel, channels, outputs)


@converts("Conv2D", "Conv3D")
def _conv(b: Builder) -> SSAValue:
    """conv2d(x, w) -> nhwc(conv(nchw(x), oihw(w))). Refused for steps along batch or channels."""
    layout = Layout.of(b, 2 if b.op.op_type == "Conv2D" else 3)
    x = b.input(0)
    filter_ = _full_filter(b, layout, x, b.input(1))
    return _emit_conv(b, layout, x, filter_, window(b, layout, filter_.kernel))


@converts("DepthwiseConv2dNative")
def _depthwise(b: Builder) -> SSAValue:
    """depthwise_conv2d(x, w) -> nhwc(conv(nchw(x), w as [C * M, 1, H, W], group=C))

    Refused if the number of channels is unknown.
    """
    layout = Layout.of(b)
    x = b.input(0)
    filter_ = _depthwise_filter(b, layout, x, b.input(1))
    return _emit_conv(b, layout, x, filter_, window(b, layout, filter_.kernel))


def dilated_convolution(
    b: Builder, kind: str, x: SSAValue, w: SSAValue, block: list[int], pads: list[int]
) -> SSAValue:
    """batch_to_space(conv2d(space_to_batch(x, block), w), block) -> nhwc(conv(nchw(x), oihw(w), block))"""
    layout = Layout(channels_last=True, spatial=2)
    make_filter = _full_filter if kind == "Conv2D" else _depthwise_filter
    filter_ = make_filter(b, layout, x, w)
    return _emit_conv(
        b, layout, x, filter_, Window(filter_.kernel, [1, 1], block, "EXPLICIT", pads)
    )


def _emit_conv(b: Builder, layout: Layout, x: SSAValue, filter_: _Filter, win: Window) -> SSAValue:
    shape = layout.first_shape(b, x)
    attributes = win.attributes(shape[2:])
    if filter_.group != 1:
        attributes["group"] = filter_.group
    y = b.node(
        "Conv",
        layout.inward(b, x),
        filter_.weight,
        type=tensor(b.element(x), (shape[0], filter_.outputs, *win.output(shape[2:]))),
        what="nchw",
        **attributes,
    )
    return layout.outward(b, y)


@converts("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def _conv_transpose(b: Builder) -> SSAValue:
    """conv2d_backprop_input(sizes, w, y) -> nhwc(conv_transpose(nchw(y), oihw(w)))

    The forward convolution's padding is cut from the result; rows that it never read become
    output_padding. Refused if the spatial sizes are unknown, from which both follow.
    """
    spatial = 2 if b.op.op_type == "Conv2DBackpropInput" else 3
    layout = Layout.of(b, spatial)
    w, y = b.input(1), b.input(2)
    *kernel, outputs, read = _filter_shape(w, spatial)
    win = window(b, layout, kernel)
    if min(kernel) < 0:
        raise Refusal("dynamic-shape", "the sizes of the filter are unknown")
    shape = layout.first_shape(b, y)
    if read > 0 and shape[1] > 0 and read != shape[1]:
        raise Refusal(
            "attribute", f"the filter makes {read} of {counted(shape[1], 'channel')}: grouped"
        )
    sizes = _requested_sizes(b, layout)
    n = spatial
    pads, extra = [0] * 2 * n, [0] * n
    for i in range(n):
        size, k, s, d = sizes[i], kernel[i], win.strides[i], win.dilations[i]
        reach = (k - 1) * d + 1
        if win.padding == "EXPLICIT":
            pads[i], pads[i + n] = win.explicit[i], win.explicit[i + n]
        if s == 1 and win.padding != "EXPLICIT":
            total = reach - 1 if win.padding == "SAME" else 0
            pads[i], pads[i + n] = total // 2, total - total // 2
            continue
        if size < 0 or shape[2 + i] < 0:
            raise Refusal("dynamic-shape", "the sizes of a strided transposed convolution vary")
        if win.padding == "SAME":
            total = max((shape[2 + i] - 1) * s + reach - size, 0)
            pads[i], pads[i + n] = total // 2, total - total // 2
        extra[i] = size - ((shape[2 + i] - 1) * s + reach - pads[i] - pads[i + n])
        if extra[i] < 0:
            raise Refusal("malformed-op", f"sizes {sizes} do not fit an operand of {shape[2:]}")
    attributes: dict[str, object] = {"strides": win.strides, "kernel_shape": kernel}
    if any(d != 1 for d in win.dilations):
        attributes["dilations"] = win.dilations
    if any(pads):
        attributes["pads"] = pads
    if any(extra):
        attributes["output_padding"] = extra
    weight = b.rearranged(w, [spatial + 1, spatial, *range(spatial)], None, "oihw")
    out = b.node(
        "ConvTranspose",
        layout.inward(b, y, "y_nchw"),
        weight,
        type=tensor(b.element(y), (shape[0], outputs, *sizes)),
        what="nchw",
        **attributes,
    )
    return layout.outward(b, out)


def _requested_sizes(b: Builder, layout: Layout) -> list[int]:
    """The spatial sizes that operand 0 requests; negative where unknown."""
    partial = b.constants.partial(b.input(0))
    if partial is None:
        return [UNKNOWN] * layout.spatial
    values = [
        int(v) if k else UNKNOWN
        for v, k in zip(partial.values.reshape(-1), partial.known.reshape(-1), strict=True)
    ]
    # Newer models may give the spatial sizes alone.
    return values if len(values) == layout.spatial else layout.sizes(values)


@converts("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D")
def _pool(b: Builder) -> SSAValue:
    """max_pool(x) -> nhwc(max_pool(nchw(x))), avg_pool alike

    TensorFlow's averages leave padding out, as ONNX's do. Refused for windows over batch or channels.
    """
    layout = Layout.of(b, 3 if b.op.op_type.endswith("3D") else 2)
    kernel = layout.spatial_list(b, "ksize")
    return _emit_pool(b, layout, window(b, layout, kernel))


@converts("MaxPoolV2")
def _max_pool_v2(b: Builder) -> SSAValue:
    """max_pool_v2(x, ksize, strides) -> nhwc(max_pool(nchw(x))). Refused if the window is computed."""
    layout = Layout.of(b)
    ksize, strides = b.ints(1, "ksize"), b.ints(2, "strides")
    for what, values in (("ksize", ksize), ("strides", strides)):
        if len(values) != 4 or values[0] != 1 or values[layout.channel] != 1:
            raise Refusal("attribute", f"{what} is {values}, expected 1 along batch and channels")
    win = Window(layout.sizes(ksize), layout.sizes(strides), [1, 1], b.text("padding", "VALID"), [])
    return _emit_pool(b, layout, win)


def _emit_pool(b: Builder, layout: Layout, win: Window) -> SSAValue:
    x = b.input(0)
    shape = layout.first_shape(b, x)
    kind = "MaxPool" if b.op.op_type.startswith("Max") else "AveragePool"
    y = b.node(
        kind,
        layout.inward(b, x),
        type=tensor(b.element(x), (*shape[:2], *win.output(shape[2:]))),
        what="nchw",
        **win.attributes(shape[2:]),
    )
    return layout.outward(b, y)


@converts("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(b: Builder) -> list[SSAValue | None]:
    """fused_batch_norm(x, scale, offset, mean, variance)
    -> nhwc(batch_normalization(nchw(x), scale, offset, mean, variance)), mean, variance

    Refused in training mode, which computes the statistics from the batch.
    """
    if b.attribute("is_training", True):
        raise Refusal("attribute", "is_training is true, expected an inference graph")
    x = b.input(0)
    shape = shape_of(x)
    layout = Layout.of(b, 3 if shape is not None and len(shape) == 5 else 2)
    parameters = [b.input(i) for i in range(1, 5)]
    y = b.node(
        "BatchNormalization",
        layout.inward(b, x),
        *parameters,
        type=tensor(b.element(x), layout.first_shape(b, x)),
        what="nchw",
        epsilon=float(b.attribute("epsilon", 1e-4)),
    )
    used = [bool(r.uses.get_length()) for r in b.op.outputs]
    results: list[SSAValue | None] = [layout.outward(b, y)]
    # The other results repeat the statistics, for training; almost nothing reads them.
    if any(used[1:3]):
        results += [parameters[2], parameters[3]]
    return results


@converts("LRN")
def _lrn(b: Builder) -> SSAValue:
    """lrn(x) -> nhwc(lrn(nchw(x))), where ONNX's alpha is for the sum, not for each summand"""
    layout = Layout(channels_last=True, spatial=2)
    x = b.input(0)
    size = 2 * int(b.attribute("depth_radius", 5)) + 1
    y = b.node(
        "LRN",
        layout.inward(b, x),
        type=tensor(b.element(x), layout.first_shape(b, x)),
        what="nchw",
        size=size,
        bias=float(b.attribute("bias", 1.0)),
        alpha=float(b.attribute("alpha", 1.0)) * size,
        beta=float(b.attribute("beta", 0.5)),
    )
    return layout.outward(b, y)


@converts("BiasAdd", "BiasAddV1")
def _bias_add(b: Builder) -> SSAValue:
    """bias_add(x, c) -> add(x, c), c with trailing dimensions of size 1 where channels come first"""
    x, bias = b.input(0), b.input(1)
    if b.text("data_format", "NHWC") != "NCHW":
        return b.node("Add", x, bias, type=x.type)
    rank = b.rank(x, "data_format is NCHW")
    channels = shape_of(bias) or (UNKNOWN,)
    if rank > 2:
        bias = b.rearranged(
            bias, [0], [channels[0] if channels[0] > 0 else -1, *[1] * (rank - 2)], "bias"
        )
    return b.node("Add", x, bias, type=x.type)


@converts("DepthToSpace", "SpaceToDepth")
def _depth_to_space(b: Builder) -> SSAValue:
    """depth_to_space(x) -> nhwc(depth_to_space(nchw(x), mode=DCR)), space_to_depth alike"""
    layout = Layout.of(b)
    x = b.input(0)
    block = int(b.attribute("block_size", 0))
    if block < 1:
        raise Refusal("malformed-op", f"block_size is {block}")
    n, c, h, w = layout.first_shape(b, x)
    if b.op.op_type == "DepthToSpace":
        shape = (n, c // block**2, h * block, w * block)
        attributes = {"blocksize": block, "mode": "DCR"}
    else:
        shape = (n, c * block**2, h // block, w // block)
        attributes = {"blocksize": block}
    shape = tuple(d if d > 0 else UNKNOWN for d in shape)
    y = b.node(
        b.op.op_type,
        layout.inward(b, x),
        type=tensor(b.element(x), shape),
        what="nchw",
        **attributes,
    )
    return layout.outward(b, y)


@converts("ResizeBilinear")
def _resize_bilinear(b: Builder) -> SSAValue:
    """resize_bilinear(x, [h, w]) -> nhwc(resize(nchw(float(x)), [h, w], mode=linear))

    align_corners, half_pixel_centers and neither of them are ONNX's align_corners, half_pixel, asymmetric.
    """
    x = b.cast(b.input(0), f32)
    return _emit_resize(b, x, mode="linear", coordinate_transformation_mode=_coordinates(b))


@converts("ResizeNearestNeighbor")
def _resize_nearest(b: Builder) -> SSAValue:
    """resize_nearest_neighbor(x, [h, w]) -> nhwc(resize(nchw(x), [h, w], mode=nearest))

    Refused if TensorFlow's arithmetic in float32 picks other rows or columns than the exact one.
    """
    coordinates = _coordinates(b)
    # With half-pixel centers TensorFlow takes floor((i + 0.5) * scale), which is ONNX's x + 0.5 floored.
    rounding = "floor" if coordinates == "asymmetric" else "round_prefer_ceil"
    layout = Layout(channels_last=True, spatial=2)
    spatial = layout.first_shape(b, b.input(0))[2:]
    sizes = b.array(1)
    if sizes is not None and min(spatial) > 0:
        for size, out in zip(spatial, sizes.reshape(-1).tolist(), strict=True):
            _check_nearest(coordinates, size, int(out))
    return _emit_resize(
        b,
        b.input(0),
        mode="nearest",
        coordinate_transformation_mode=coordinates,
        nearest_mode=rounding,
    )


def _coordinates(b: Builder) -> str:
    align, half = b.attribute("align_corners", False), b.attribute("half_pixel_centers", False)
    if align and half:
        raise Refusal("malformed-op", "align_corners and half_pixel_centers are both true")
    return "align_corners" if align else "half_pixel" if half else "asymmetric"


def _check_nearest(coordinates: str, size: int, out: int) -> None:
    """Refuses a resizing whose rows TensorFlow picks by a rounded product and ONNX by an exact quotient."""
    i = np.arange(out, dtype=np.int64)
    if coordinates == "align_corners":
        scale = np.float32(size - 1) / np.float32(out - 1) if out > 1 else np.float32(0)
        position = i.astype(np.float32) * scale
        # roundf: halves away from zero.
        theirs = np.floor(position.astype(np.float64) + 0.5)
        ours = (2 * i * (size - 1) + max(out - 1, 1)) // (2 * max(out - 1, 1))
    else:
        scale = np.float32(size) / np.float32(out)
        half = coordinates == "half_pixel"
        position = i.astype(np.float32) + np.float32(0.5) if half else i.astype(np.float32)
        theirs = np.floor(position * scale)
        ours = (2 * i + 1) * size // (2 * out) if half else i * size // out
    theirs = np.minimum(theirs, size - 1).astype(np.int64)
    wrong = np.flatnonzero(theirs != np.minimum(ours, size - 1))
    if wrong.size:
        raise Refusal(
            "not-exact",
            f"resizing {size} to {out} by nearest neighbour: TensorFlow's float32 arithmetic picks "
            f"{theirs[wrong[0]]} for {wrong[0]}, exact arithmetic {ours[wrong[0]]}",
        )


def _emit_resize(b: Builder, x: SSAValue, **attributes: object) -> SSAValue:
    layout = Layout(channels_last=True, spatial=2)
    n, c, *_ = layout.first_shape(b, x)
    array = b.array(1)
    sizes = [UNKNOWN, UNKNOWN] if array is None else [int(v) for v in array.reshape(-1)]
    if min(n, c, *sizes) >= 0:
        # In full where possible: fewer tools know the attribute `axes`.
        sizes_value = b.i64([n, c, *sizes], "sizes")
    else:
        sizes_value = b.to_i64(1, "sizes", vector=True)
        attributes["axes"] = [2, 3]
    y = b.node(
        "Resize",
        layout.inward(b, x),
        None,
        None,
        sizes_value,
        type=tensor(b.element(x), (n, c, *sizes)),
        what="nchw",
        **attributes,
    )
    return layout.outward(b, y)
