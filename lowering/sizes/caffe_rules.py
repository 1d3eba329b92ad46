"""The sizes of Caffe layers' results, for layers that no conversion to ONNX takes."""

from __future__ import annotations

from autosplit.dialects.caffe import CaffeOp
from autosplit.lowering.convert_caffe_to_onnx.sizes import result_sizes
from autosplit.lowering.sizes.known_sizes import KnownSizes, Shape, ShapeRule, Shapes, open_size


def _by_caffe(s: KnownSizes, op: CaffeOp) -> Shapes:
    """By Caffe's own arithmetic; each size that it leaves open is a new unknown."""
    shapes: list[Shape | None] = []
    for sizes in result_sizes(op):
        shapes.append(None if sizes is None else tuple(d if d >= 0 else open_size() for d in sizes))
    return shapes


KINDS = (
    "DetectionOutput",
    "PSROIPooling",
    "PriorBox",
    "ROIPooling",
    "Pooling",
    "Slice",
    "BatchNorm",
)

SHAPES: dict[str, ShapeRule] = dict.fromkeys(KINDS, _by_caffe)
