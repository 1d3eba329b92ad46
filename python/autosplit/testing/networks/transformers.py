"""Networks of attention: BERT-base, as its exporters write it."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from autosplit.testing.networks.builder import Net

VOCABULARY = 30522


def bert_base(n: Net, length: int = 128, width: int = 768, heads: int = 12) -> None:
    ids = n.input("ids", (1, length), TensorProto.INT64)
    mask = n.input("mask", (1, length), TensorProto.INT64)
    words = n.constant(n.normal(VOCABULARY, width, deviation=0.02), "words")
    x = n.op("Gather", words, ids, axis=0)
    x = n.op("Add", x, n.constant(n.normal(1, 1, width, deviation=0.02), "types"))
    x = n.op("Add", x, n.constant(n.normal(1, length, width, deviation=0.02), "positions"))
    x = n.layer_norm(x, width)
    keys = n.op("Unsqueeze", mask, np.array([1, 2]))
    hidden = n.op("Sub", 1.0, n.op("Cast", keys, to=TensorProto.FLOAT))
    hidden = n.op("Mul", hidden, float(np.finfo(np.float32).min))
    for _ in range(12):
        y = n.linear(_attention(n, x, hidden, length, width, heads), width, width)
        x = n.layer_norm(n.op("Add", y, x), width)
        y = n.linear(n.gelu(n.linear(x, width, 4 * width)), 4 * width, width)
        x = n.layer_norm(n.op("Add", y, x), width)
    n.output(x, "states")


def _attention(n: Net, x: str, hidden: str, length: int, width: int, heads: int) -> str:
    def projected(*order: int) -> str:
        y = n.linear(x, width, width)
        return n.transpose(n.reshape(y, 1, length, heads, width // heads), *order)

    query, key, value = projected(0, 2, 1, 3), projected(0, 2, 3, 1), projected(0, 2, 1, 3)
    scores = n.op("Div", n.op("MatMul", query, key), float(np.sqrt(width // heads)))
    weights = n.op("Softmax", n.op("Add", scores, hidden), axis=-1)
    y = n.transpose(n.op("MatMul", weights, value), 0, 2, 1, 3)
    return n.reshape(y, 1, length, width)
