"""How much a node of PyTorch multiplies and adds, from the shapes that it is run with."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

Shape = Sequence[int]


def work_in_torch(kind: str, inputs: Sequence[Shape | None], result: Shape | None) -> int:
    """The multiply-adds of one execution of an op; 0 for others, and where shapes are unknown."""
    shapes = [shape for shape in inputs if shape is not None]
    if result is None or len(shapes) != len(inputs) or len(shapes) < 2:
        return 0
    x, w = shapes[0], shapes[1]
    base = kind.partition(".")[0]
    match base:
        case "conv1d" | "conv2d" | "conv3d" | "convolution" | "_convolution":
            return prod(result) * prod(w[1:])
        case "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d":
            return prod(x) * prod(w[1:])
        case "linear":
            return prod(result) * (w[-1] if w else 1)
        case "mm" | "bmm" | "matmul" | "mv" | "dot":
            return prod(result) * (x[-1] if x else 1)
        case "addmm" | "baddbmm" if len(shapes) > 2:
            return prod(result) * shapes[1][-1]
        case "scaled_dot_product_attention":
            return prod(x) * w[-2] * 2
        case _:
            return 0
