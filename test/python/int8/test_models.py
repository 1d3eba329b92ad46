"""Whole quantized networks: ResNet-50 by size, and real detectors and classifiers on a photograph.

What "equal to ONNX Runtime's INT8" means here:

- Layer by layer (`layers`): every partition gets the integers that ONNX Runtime computed for its inputs, and
  each integer that it computes is ONNX Runtime's or the next to it. Other than in sums whose inner rounding
  `quant-fold-requantize` removed, at most one in a thousand is not the very same; with that rounding kept,
  that holds for all of them. (Not for quantizes of inputs: pixels often lie halfway between two integers, and
  there the library, which adds the zero point before it rounds, goes to the other side for odd ones.)
- As a whole: differences of one quantum add up over a network, in ONNX Runtime itself too when it fuses. So
  outputs are compared by their mean difference: ours is nearer to ONNX Runtime's INT8 (with its optimizations
  and without) than that is to the float32 model. And both find the same things in the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from sampled import sample_rows
from scipy import ndimage

from autosplit.dialects.dnnl import DnnlOp
from autosplit.dialects.platform import value_names
from autosplit.flows.compile import CompileOptions, CompileResult, compile_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing import pictures, qdq, qdq_models
from autosplit.testing.int8 import Compiled, compile_builder, groups_in, layers, outside_in
from autosplit.testing.models import QUANTIZED, model_path
from autosplit.testing.quantize import prepared, quantized_model

Array = NDArray[Any]
Box = tuple[float, float, float, float]

ACCURACY = 0.001
"""The share of a layer's integers that may differ from ONNX Runtime's, by one."""


@dataclass
class Model:
    name: str
    quantized: onnx.ModelProto
    floats: onnx.ModelProto
    feeds: Mapping[str, Array]
    result: CompileResult

    @cached_property
    def plan(self) -> list[Array]:
        """The outputs of the plan."""
        found = Plan.from_module(self.result.module, self.result.store).run(self.feeds)
        return [found[o.name] for o in self.quantized.graph.output]

    @cached_property
    def runtime(self) -> list[list[Array]]:
        """The outputs of ONNX Runtime's INT8, without its optimizations and with them."""
        return [qdq.run(self.quantized, self.feeds, optimize=o) for o in (False, True)]

    @cached_property
    def exact(self) -> list[Array]:
        """The outputs of the float32 model."""
        return qdq.run(self.floats, self.feeds)

    @property
    def everyones(self) -> list[list[Array]]:
        return [self.plan, *self.runtime, self.exact]


@cache
def _model(name: str, sums: str = "exact", rounding: str = "exact") -> Model:
    path = quantized_model(name)
    feeds = pictures.feeds(name)
    floats = prepared(onnx.load(model_path(name)), feeds)
    result = compile_model(CompileOptions(path, sums=sums, rounding=rounding))
    return Model(name, onnx.load(path), floats, feeds, result)


PARTITIONS = {
    # Products, and sums that are groups of their own, of each model.
    "centerface.onnx": (63, 13),
    "pnet.onnx": (5, 0),
    "rnet.onnx": (6, 0),
    "onet.onnx": (8, 0),
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": (54, 7),
    "ch_PP-OCRv4_det_infer.onnx": (64, 11),
}


@pytest.mark.parametrize("name", QUANTIZED)
def test_all_products_are_in_groups(name: str):
    """No convolution or matrix product of a quantized model is left to ONNX Runtime."""
    model = _model(name)
    products, sums = PARTITIONS[name]
    nodes = Counter(node.op_type for node in model.quantized.graph.node)
    kinds = ("Conv", "ConvTranspose", "MatMul", "Gemm")
    assert sum(nodes[kind] for kind in kinds) == products
    groups = groups_in(model.result.module)
    made = sum(any(k in g.split() for k in ("conv", "deconv", "matmul")) for g in groups)
    assert sum("add" in g.split() for g in groups) == sums
    # Sums, gates and activations between casts are products with ones, and so are batch norms.
    assert made - products == _products_with_ones(model.result, model.quantized) >= sums
    assert not {kind: n for kind, n in outside_in(model.result.module).items() if kind in kinds}


def _products_with_ones(result: CompileResult, proto: onnx.ModelProto) -> int:
    """Those that were sums, gates and activations, and those that were batch norms."""
    norms = {n.output[0] for n in proto.graph.node if n.op_type == "BatchNormalization"}
    ops = [op for op in result.module.walk() if isinstance(op, DnnlOp) and op.kind == "Convolution"]
    names = [name for op in ops for name in value_names(op)]
    return sum(name.endswith("__same") or name in norms for name in names)


def _sums(proto: onnx.ModelProto) -> set[str]:
    """The names of the quantizes of sums."""
    made = {n.output[0] for n in proto.graph.node if n.op_type == "Add"}
    return {n.name for n in proto.graph.node if n.input and n.input[0] in made}


def _check_layers(compiled: Compiled, feeds: Mapping[str, Array], sums: str) -> None:
    """Within one quantum; with `fast`, sums of values beyond their range may be off by more."""
    folded = _sums(compiled.proto) if sums == "fast" else set[str]()
    for layer in layers(compiled.result, compiled.proto, feeds):
        if layer.name not in folded:
            assert layer.off <= (1 if layer.dtype != "float32" else 1e-5), layer


@pytest.mark.parametrize(("name", "sums"), sample_rows(product(QUANTIZED, ("exact", "close")), 4))
def test_each_layer_within_one_quantum(name: str, sums: str):
    model = _model(name, sums)
    found = layers(model.result, model.quantized, model.feeds)
    assert len(found) >= PARTITIONS[name][0]
    summed = _sums(model.quantized)
    for layer in found:
        if layer.dtype == "float32":
            assert layer.off <= 1e-5, layer
            continue
        assert layer.off <= 1, layer
        # Sums of integers are often exact ties, which the library rounds after adding the zero point.
        if layer.rule != "single" and layer.name not in summed:
            assert layer.share <= ACCURACY, layer


def _mean_off(a: Array, b: Array) -> float:
    return float(np.mean(np.abs(a.astype(np.float64) - b.astype(np.float64))))


@pytest.mark.parametrize("name", QUANTIZED)
def test_outputs_near_onnx_runtimes(name: str):
    model = _model(name)
    for wanted in model.runtime:
        for mine, other, exact in zip(model.plan, wanted, model.exact, strict=True):
            assert mine.shape == other.shape
            assert mine.dtype == other.dtype
            # An int8 output of few steps may hit the float one by chance: two steps of 1/255 are always fine.
            limit = max(_mean_off(other, exact), 2 * float(np.ptp(exact)) / 255)
            assert _mean_off(mine, other) <= limit


def _overlap(a: Box, b: Box) -> float:
    """Intersection over union."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    inner = width * height
    return inner / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inner)


def _suppressed(boxes: Sequence[tuple[float, Box]]) -> list[Box]:
    """The boxes, best first, without those that overlap a better one."""
    kept: list[Box] = []
    for _, box in sorted(boxes, reverse=True):
        if all(_overlap(box, other) < 0.3 for other in kept):
            kept.append(box)
    return kept


def _faces(outputs: Sequence[Array]) -> list[Box]:
    """What centerface's outputs (heat, log size, offset, landmarks, on a grid of 4 pixels) mean."""
    heat, size, offset, _ = (o[0] for o in outputs)
    found: list[tuple[float, Box]] = []
    for y, x in np.argwhere(heat[0] > 0.5):
        height, width = (float(np.exp(v)) * 4 for v in size[:, y, x])
        down, right = (float(v) for v in offset[:, y, x])
        left, top = (x + right + 0.5) * 4 - width / 2, (y + down + 0.5) * 4 - height / 2
        found.append((float(heat[0, y, x]), (left, top, left + width, top + height)))
    return _suppressed(found)


def _text(outputs: Sequence[Array]) -> list[Box]:
    """The boxes around connected areas of probable text that are large enough to read."""
    probable = outputs[0][0, 0]
    areas, _ = ndimage.label(probable > 0.3)
    found: list[Box] = []
    for rows, columns in ndimage.find_objects(areas):
        if (rows.stop - rows.start) * (columns.stop - columns.start) >= 100:
            found.append((columns.start, rows.start, columns.stop, rows.stop))
    return sorted(found)


def _same_boxes(mine: Sequence[Box], other: Sequence[Box], overlap: float) -> None:
    assert len(mine) == len(other)
    for box in mine:
        assert max(_overlap(box, b) for b in other) >= overlap, f"{box} is none of {other}"


def test_centerface_finds_the_face():
    mine, *others = (_faces(outputs) for outputs in _model("centerface.onnx").everyones)
    assert len(mine) == 1
    for other in others:
        _same_boxes(mine, other, 0.8)
    # Where the face is in the photograph.
    left, top, size = (v * 416 / 512 for v in pictures.FACE)
    assert _overlap(mine[0], (left, top, left + size, top + size)) > 0.4


def test_text_detector_finds_the_words():
    mine, *others = (_text(outputs) for outputs in _model("ch_PP-OCRv4_det_infer.onnx").everyones)
    assert len(mine) == len(pictures.WORDS)
    for other in others:
        _same_boxes(mine, other, 0.8)


def test_text_classifier_tells_up_from_down():
    for outputs in _model("ch_ppocr_mobile_v2.0_cls_infer.onnx").everyones:
        assert outputs[0].argmax(axis=1).tolist() == [0, 1] * 3


@pytest.mark.parametrize("name", ["rnet.onnx", "onet.onnx"])
def test_mtcnn_tells_faces_from_others(name: str):
    """Every second crop is of the face. Of some the models are unsure, and then ours is as unsure."""
    mine, *others = (outputs[-1][:, 1] for outputs in _model(name).everyones)
    assert np.median(mine[::2]) > 0.7
    assert np.median(mine[1::2]) < 0.1
    for other in others[:2]:
        np.testing.assert_allclose(mine, other, atol=0.05)


def test_mtcnns_first_stage_finds_the_same_places():
    mine, raw, optimized, _ = (
        outputs[-1][..., 1] > 0.6 for outputs in _model("pnet.onnx").everyones
    )
    assert mine.sum() >= 20
    for other in (raw, optimized):
        assert (mine != other).sum() <= 0.05 * mine.sum()


SUMS = ("exact", "fast")
"""What becomes of residual sums: see test_sum.py."""


@pytest.mark.parametrize(
    "sums", [pytest.param(s, marks=[pytest.mark.nightly] * (s == "exact")) for s in SUMS]
)
def test_vision_resnet50(sums: str, tmp_path: Path):
    """[vision_resnet50] One group a layer: 53 convolutions, 16 with a sum, two pools, a linear."""
    b = qdq_models.resnet50_builder(size=64, batch="N")
    compiled = compile_builder(b, tmp_path, {"N": 1}, sums=sums)
    assert Counter(compiled.groups) == {
        "dq dq conv q": 53 if sums == "exact" else 37,
        "dq dq dq conv add q": 16,
        "dq maxpool q": 1,
        "dq avgpool q": 1,
        "dq dq matmul q": 1,
    }
    kinds = ("Conv", "Add", "Gemm", "MaxPool", "GlobalAveragePool")
    assert not [kind for kind in kinds if compiled.outside[kind]]
    for batch in (1, 3):
        feeds = b.feeds(batch, N=batch)
        mine = compiled.run(feeds)[0]
        for optimize in (False, True):
            wanted = qdq.run(compiled.proto, feeds, optimize=optimize)[0]
            assert mine.shape == wanted.shape == (batch, 1000)
            assert np.corrcoef(mine.ravel(), wanted.ravel())[0, 1] > 0.99
    _check_layers(compiled, b.feeds(N=2), sums)


@pytest.mark.parametrize("sums", SUMS)
def test_mobilenet_v2(sums: str, tmp_path: Path):
    b = qdq_models.mobilenet_v2_builder(size=64, batch="N")
    compiled = compile_builder(b, tmp_path, {"N": 1}, sums=sums)
    assert Counter(compiled.groups) == {
        "dq dq conv q": 52 if sums == "exact" else 42,
        "dq dq dq conv add q": 10,
        "dq avgpool q": 1,
        "dq dq matmul q": 1,
    }
    _check_layers(compiled, b.feeds(N=2), sums)


def test_transformer_layer(tmp_path: Path):
    """Batch and length are open; all matrix products are in groups."""
    sizes = {"batch": "N", "length": "L", "hidden": 128, "heads": 4, "inner": 512}
    b = qdq_models.transformer_layer_builder(**sizes)
    compiled = compile_builder(b, tmp_path, {"N": 2, "L": 24})
    assert sum(group.split().count("matmul") for group in compiled.groups) == 8
    assert not compiled.outside["MatMul"]
    for n, length in ((2, 24), (1, 57)):
        feeds = b.feeds(n, N=n, L=length)
        mine, wanted = compiled.run(feeds)[0], qdq.run(compiled.proto, feeds, optimize=False)[0]
        assert mine.shape == wanted.shape == (n, length, 128)
        assert np.corrcoef(mine.ravel(), wanted.ravel())[0, 1] > 0.9999
