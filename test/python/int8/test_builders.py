"""The models that the other tests here are made of: are they what a quantizer would make?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from autosplit.testing import qdq, qdq_models
from autosplit.testing.models import QUANTIZED
from autosplit.testing.qdq import QdqBuilder
from autosplit.testing.quantize import quantize_file, quantized_model

BUILDERS = {
    "resnet50": qdq_models.resnet50_builder,
    "mobilenet_v2": qdq_models.mobilenet_v2_builder,
}


def _constants(model: onnx.ModelProto) -> dict[str, np.ndarray[Any, Any]]:
    return {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}


def _counts(model: onnx.ModelProto) -> Counter[str]:
    return Counter(node.op_type for node in model.graph.node)


@pytest.mark.parametrize(
    "name", [pytest.param("resnet50", marks=pytest.mark.nightly), "mobilenet_v2"]
)
def test_networks_equal_quantize_static(name: str, tmp_path: Path):
    """The same nodes, the same weights bit for bit, the same scales, from the float32 model."""
    b = BUILDERS[name](size=64)
    ours = b.build()
    onnx.checker.check_model(ours)
    source, made = tmp_path / "float.onnx", tmp_path / "quantized.onnx"
    source.write_bytes(b.build_float().SerializeToString())
    quantize_file(source, made, [b.feeds()])
    theirs = onnx.load(made)
    assert _counts(ours) == _counts(theirs)
    mine, other = _constants(ours), _constants(theirs)
    weights = [n for n in mine if n.startswith("weight") and n.endswith("_quantized")]
    assert len(weights) == _counts(ours)["Conv"] + 1
    for weight in weights:
        np.testing.assert_array_equal(mine[weight], other[weight], strict=True)
        assert abs(mine[weight]).max() == 64
    scales = [
        sorted(float(v) for n, v in found.items() if n.endswith("_scale") and v.ndim == 0)
        for found in (mine, other)
    ]
    np.testing.assert_allclose(*scales, rtol=1e-6)


def test_resnet50_is_resnet50():
    """53 convolutions and a linear; 25.5 million weights, 4.09 billion products."""
    model = qdq_models.resnet50(size=64)
    counts = _counts(model)
    assert (counts["Conv"], counts["Gemm"], counts["Add"], counts["MaxPool"]) == (53, 1, 16, 1)
    weights = [v for n, v in _constants(model).items() if n.endswith("_quantized") and v.ndim > 1]
    # torchvision's resnet50 has 25,557,032, of which 53,120 are of batch norms and 1,000 of the bias.
    assert sum(v.size for v in weights) == 25_557_032 - 53_120 - 1_000
    inputs = model.graph.input[0].type.tensor_type.shape.dim
    assert [d.dim_value for d in inputs] == [1, 3, 64, 64]


@pytest.mark.parametrize("name", BUILDERS)
def test_values_use_the_range(name: str):
    """No quantized value lives in a corner of its range, and the network still tells inputs apart."""
    b = BUILDERS[name](size=64)
    model = b.build()
    inner = [n.output[0] for n in model.graph.node if n.op_type == "QuantizeLinear"]
    for value in inner:
        model.graph.output.append(onnx.helper.make_empty_tensor_value_info(value))
    feeds = b.feeds()
    found = qdq.run(model, feeds, [*inner, model.graph.output[0].name], optimize=False)
    for value, array in zip(inner, found, strict=False):
        assert int(array.max()) - int(array.min()) > 200, value
    wanted = qdq.run(b.build_float(), feeds)[0]
    assert np.corrcoef(found[-1].ravel(), wanted.ravel())[0, 1] > 0.99


def test_same_seed_same_model():
    first, second = (qdq_models.mobilenet_v2(seed=3, size=32) for _ in range(2))
    assert first.SerializeToString(deterministic=True) == second.SerializeToString(
        deterministic=True
    )
    assert first != qdq_models.mobilenet_v2(seed=4, size=32)


def test_dynamic_batch():
    model = qdq_models.mobilenet_v2(size=32, batch="N")
    x = np.random.default_rng(0).standard_normal((3, 3, 32, 32)).astype(np.float32)
    together = qdq.run(model, {"data": x})[0]
    assert together.shape == (3, 1000)
    np.testing.assert_array_equal(qdq.run(model, {"data": x[1:2]})[0], together[1:2])


def test_transformer_layer_near_float():
    b = qdq_models.transformer_layer_builder(batch="N", length="L", hidden=64, heads=4, inner=128)
    feeds = b.feeds(1, N=2, L=24)
    model = b.build(b.feeds(N=2, L=24))
    onnx.checker.check_model(model)
    found, wanted = (qdq.run(m, feeds)[0] for m in (model, b.build_float()))
    assert found.shape == (2, 24, 64)
    assert np.corrcoef(found.ravel(), wanted.ravel())[0, 1] > 0.99


def test_quantized_is_onnx_runtimes():
    """Ties and saturation too, per tensor and per channel."""
    value = (np.arange(-40, 40, dtype=np.float32) * np.float32(0.25)).reshape(8, 10)
    for axis, scale, zero in (
        (None, np.float32(0.5).reshape(()), np.array(3, np.int8)),
        (0, np.linspace(0.01, 0.5, 8, dtype=np.float32), np.arange(8, dtype=np.uint8)),
    ):
        options = {} if axis is None else {"axis": axis}
        node = onnx.helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], **options)
        elem = onnx.helper.np_dtype_to_tensor_dtype(zero.dtype)
        graph = onnx.helper.make_graph(
            [node], "g", [onnx.helper.make_tensor_value_info("x", 1, [8, 10])],
            [onnx.helper.make_tensor_value_info("q", elem, [8, 10])],
            [numpy_helper.from_array(scale, "s"), numpy_helper.from_array(zero, "z")],
        )  # fmt: skip
        opsets = [onnx.helper.make_opsetid("", 17)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
        wanted = qdq.run(model, {"x": value}, optimize=False)[0]
        np.testing.assert_array_equal(qdq.quantized(value, scale, zero, axis), wanted, strict=True)


@pytest.mark.parametrize("bits", [7, 8])
def test_bits(bits: int):
    b = QdqBuilder(bits=bits)
    x = b.qdq(b.input("x", (1, 4, 5, 5)))
    b.output(b.conv(x, (6, 4, 3, 3)))
    weight = _constants(b.build())["weight_quantized"]
    assert (
        abs(weight.astype(np.int32)).max(axis=(1, 2, 3)).tolist() == [64 if bits == 7 else 127] * 6
    )


def test_parameters_of_a_value_without_range():
    """A value that is always zero gets a scale that can be divided by."""
    b = QdqBuilder()
    x = b.input("x", (2, 3), low=0.0, high=0.0)
    b.output(b.qdq(x))
    assert qdq.run(b.build(), b.feeds())[0].tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("name", QUANTIZED)
def test_real_models_are_qdq(name: str):
    model = onnx.load(quantized_model(name))
    onnx.checker.check_model(model)
    assert {(o.domain, o.version) for o in model.opset_import} == {("", 17)}
    weights = [v for v in _constants(model).values() if v.dtype == np.int8 and v.ndim > 1]
    assert len(weights) >= 3
    assert max(int(abs(v.astype(np.int32)).max()) for v in weights) <= 64


def test_unknown_names_are_errors():
    with pytest.raises(KeyError, match=r"did you mean 'pnet\.onnx'"):
        quantized_model("pnet.onx")
