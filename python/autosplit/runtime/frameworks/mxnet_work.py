"""How much a node of MXNet multiplies and adds, from the shapes that it is run with."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, prod

Shape = Sequence[int]


def work_in_mxnet(kind: str, inputs: Sequence[Shape | None], result: Shape | None) -> int:
    """The multiply-adds of one execution of an op; 0 for others, and where shapes are unknown."""
    shapes = [shape for shape in inputs if shape is not None]
    if result is None or len(shapes) != len(inputs) or len(shapes) < 2:
        return 0
    x, w = shapes[0], shapes[1]
    match kind:
        case "Convolution" | "_sg_mkldnn_conv" | "_contrib_quantized_conv":
            return prod(result) * prod(w[1:])
        case "Deconvolution":
            return prod(x) * prod(w[1:])
        case "FullyConnected" | "_sg_mkldnn_fully_connected":
            return prod(result) * (w[-1] if w else 1)
        case "dot" | "batch_dot" | "_linalg_gemm2" if prod(result):
            # (m, k) by (k, n): the operands' sizes multiplied, divided by the result's, are k squared.
            batch = prod(result[:-2]) if kind != "dot" else 1
            return prod(result) * isqrt(prod(x) * prod(w) // (prod(result) * batch))
        case _:
            return 0
