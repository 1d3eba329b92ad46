"""The table of layer types: their numbers of bottoms, tops and weights, and their parameter field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LayerSpec:
    """One type of layer, with the minimum and maximum number of its bottoms, tops and weights.

    A maximum of None is any number. `param` is the field of a layer with its parameters, "" if there is none.
    """

    kind: str
    about: str
    param: str
    bottoms: tuple[int, int | None]
    tops: tuple[int, int | None]
    weights: tuple[int, int]


def _range(text: str) -> tuple[int, int | None]:
    low, _, high = text.partition("-")
    if text.endswith("+"):
        return int(text[:-1]), None
    return int(low), int(high or low)


def _layer(kind: str, text: str, about: str) -> LayerSpec:
    param, bottoms, tops, weights = text.split()
    low, high = _range(weights)
    return LayerSpec(
        kind,
        about,
        "" if param == "-" else param,
        _range(bottoms),
        _range(tops),
        (low, low if high is None else high),
    )


# Parameters, bottoms, tops, weights; what the layer computes.
_TABLE = {
    "AbsVal": ("- 1 1 0", "`|x|`"),
    "ArgMax": ("argmax_param 1 1 0", "The places of the greatest values, or these and the values"),
    "Axpy": ("- 3 1 0", "`a * x + y`, with one `a` for each channel"),
    "BNLL": ("- 1 1 0", "`log(1 + exp(x))`"),
    "BatchNorm": (
        "batch_norm_param 1 1 0-5",
        "`(x - mean) / sqrt(variance + eps)`; the third weight divides the others",
    ),
    "Bias": ("bias_param 1-2 1 0-1", "`x + b`, `b` along some axes"),
    "Concat": ("concat_param 1+ 1 0", "The operands behind each other along an axis"),
    "Const": ("- 0 1 1", "A constant: OpenCV's layer, for what passes make"),
    "Convolution": ("convolution_param 1+ 1+ 1-2", "Convolution, with a bias"),
    "ConvolutionDepthwise": ("convolution_param 1 1 1-2", "Convolution of each channel by itself"),
    "Crop": ("crop_param 2 1 0", "A part of the first operand, as large as the second"),
    "Deconvolution": ("convolution_param 1+ 1+ 1-2", "Transposed convolution, with a bias"),
    "DetectionOutput": (
        "detection_output_param 3-5 1 0",
        "Boxes decoded, and the best kept: one row of 7 numbers each",
    ),
    "Dropout": ("dropout_param 1 1-2 0", "`x`: only training drops anything"),
    "ELU": ("elu_param 1 1 0", "`x` where positive, else `alpha * (exp(x) - 1)`"),
    "Eltwise": ("eltwise_param 2+ 1 0", "Sum with coefficients, product, or maximum"),
    "Exp": ("exp_param 1 1 0", "`base ^ (scale * x + shift)`"),
    "Flatten": ("flatten_param 1 1 0", "Some axes as one"),
    "InnerProduct": ("inner_product_param 1 1 1-2", "Matrix product with the weights, and a bias"),
    "Interp": ("interp_param 1-2 1 0", "Pictures of another size, by linear interpolation"),
    "LRN": ("lrn_param 1 1 0", "Division by a norm over neighbouring channels, or places"),
    "Log": ("log_param 1 1 0", "`log(scale * x + shift)` to a base"),
    "MVN": ("mvn_param 1 1 0", "Mean taken away, and division by the deviation"),
    "Normalize": ("norm_param 1 1 1", "Division by the length of the vector, and a scale"),
    "PReLU": ("prelu_param 1 1 1", "`x` where positive, else `x` times a learned slope"),
    "PSROIPooling": ("psroi_pooling_param 2 1 0", "Position-sensitive averages over boxes"),
    "Permute": ("permute_param 1 1 0", "The axes in another order"),
    "Pooling": ("pooling_param 1 1-2 0", "Maxima or averages over windows"),
    "Power": ("power_param 1 1 0", "`(scale * x + shift) ^ power`"),
    "PriorBox": ("prior_box_param 2 1 0", "Default boxes, which follow from the sizes alone"),
    "Proposal": ("proposal_param 2-3 1-2 0", "Regions of interest"),
    "ROIPooling": ("roi_pooling_param 2 1 0", "Maxima over boxes"),
    "ReLU": ("relu_param 1 1 0", "`max(x, 0)`, or a slope where negative"),
    "ReLU6": ("- 1 1 0", "`min(max(x, 0), 6)`"),
    "Reduction": ("reduction_param 1 1 0", "A sum or mean over the last axes"),
    "Reshape": ("reshape_param 1 1 0", "Other sizes; 0 keeps one, -1 is what is left"),
    "Scale": ("scale_param 1-2 1 0-2", "`x * a + b`, `a` and `b` along some axes"),
    "ShuffleChannel": ("shuffle_channel_param 1 1 0", "The channels of groups in turn"),
    "Sigmoid": ("sigmoid_param 1 1 0", "`1 / (1 + exp(-x))`"),
    "Silence": ("- 1+ 0 0", "Nothing: keeps values that nothing reads from being printed"),
    "Slice": ("slice_param 1 1+ 0", "The operand in parts along an axis"),
    "Softmax": ("softmax_param 1 1 0", "`exp(x) / sum(exp(x))` along an axis"),
    "Split": ("- 1 1+ 0", "Copies of the operand"),
    "TanH": ("tanh_param 1 1 0", "`tanh(x)`"),
    "Threshold": ("threshold_param 1 1 0", "1 where greater than the threshold, else 0"),
    "Tile": ("tile_param 1 1 0", "Copies behind each other along an axis"),
    "Upsample": ("upsample_param 1-2 1 0", "Each element as a square of equal ones"),
}

LAYERS: dict[str, LayerSpec] = {
    kind: _layer(kind, text, about) for kind, (text, about) in _TABLE.items()
}
"""The declared layers by their type."""
