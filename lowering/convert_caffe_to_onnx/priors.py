"""Default boxes: what follows from the sizes of blobs alone."""

from __future__ import annotations

from math import sqrt

import numpy as np
from xdsl.ir import SSAValue

from autosplit.core.weights import Array
from autosplit.dialects.caffe import CaffeOp
from autosplit.lowering.convert_caffe_to_onnx.builder import CaffeEmitter, converts
from autosplit.lowering.convert_caffe_to_onnx.sizes import Sizes, aspect_ratios
from autosplit.lowering.shared.refusal import Refusal


@converts("Const")
def _const(e: CaffeEmitter) -> SSAValue:
    """const -> initializer"""
    return e.blob(0)


@converts("PriorBox")
def _prior_box(e: CaffeEmitter) -> SSAValue:
    """prior_box(x, image) -> a constant"""
    grid, image = (e.fixed(value, "makes boxes for each place") for value in e.op.operands)
    return e.constant("boxes", prior_boxes(e.op, grid, image))


def prior_boxes(op: CaffeOp, grid: Sizes, image: Sizes) -> Array:
    """The result of a PriorBox for blobs of these sizes: 1x2xN, the boxes and their variances, f32.

    Raises Refusal where OpenCV differs from Caffe.
    """
    if op.get("width") or op.get("offset_h") or op.get("offset_w"):
        raise Refusal("attribute", "lists boxes and offsets, which only OpenCV reads")
    for name in ("img_size", "img_h", "img_w"):
        if op.get(name):
            raise Refusal("not-exact", f"OpenCV, which runs the model, ignores {name}")
    height, width = image[2:]
    step_h = op.get("step_h") or op.get("step") or height / grid[2]
    step_w = op.get("step_w") or op.get("step") or width / grid[3]
    shapes = np.array(_boxes(op), np.float32)
    offset = np.float32(op.get("offset"))
    y = (np.arange(grid[2], dtype=np.float32) + offset) * np.float32(step_h)
    x = (np.arange(grid[3], dtype=np.float32) + offset) * np.float32(step_w)
    boxes = np.empty((grid[2], grid[3], len(shapes), 4), np.float32)
    half = shapes * np.float32(0.5)
    boxes[..., 0] = (x[None, :, None] - half[:, 0]) / np.float32(width)
    boxes[..., 1] = (y[:, None, None] - half[:, 1]) / np.float32(height)
    boxes[..., 2] = (x[None, :, None] + half[:, 0]) / np.float32(width)
    boxes[..., 3] = (y[:, None, None] + half[:, 1]) / np.float32(height)
    if op.get("clip"):
        boxes = boxes.clip(0, 1)
    return np.stack([boxes.reshape(-1), _variances(op, boxes.size)])[None]


def _boxes(op: CaffeOp) -> list[tuple[float, float]]:
    """Width and height of the boxes at each place."""
    smallest, largest = op.get("min_size"), op.get("max_size")
    if not smallest or len(largest) not in (0, len(smallest)):
        raise Refusal("malformed-op", f"has {len(smallest)} min_size and {len(largest)} max_size")
    boxes: list[tuple[float, float]] = []
    for i, least in enumerate(smallest):
        boxes.append((least, least))
        if largest:
            side = sqrt(least * largest[i])
            boxes.append((side, side))
        boxes += [(least * sqrt(r), least / sqrt(r)) for r in aspect_ratios(op)[1:]]
    return boxes


def _variances(op: CaffeOp, count: int) -> Array:
    variances = op.get("variance") or [0.1]
    if len(variances) not in (1, 4):
        raise Refusal("malformed-op", f"has {len(variances)} variance, expected 1 or 4")
    return np.resize(np.array(variances, np.float32), count)
