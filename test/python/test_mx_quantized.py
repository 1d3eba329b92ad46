"""INT8 graphs of MXNet: what MXNet itself quantized, and the networks that GluonCV publishes as fused.

MXNet runs them too, on oneDNN. Where it adds a u8 operand into an s8 result, it reads the operand's numbers
from 128 on as negative ones; there the model before it was quantized says what is right.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import PartitionOp
from autosplit.flows.compile import CompileOptions, compile_model, load_plan
from autosplit.inputs.specs import InputSpec
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.int8 import expect_vnni
from autosplit.testing.models import model_path

if find_spec("mxnet") is None:
    pytest.skip("mxnet is not installed", allow_module_level=True)
Array = np.ndarray[Any, Any]


def run_mxnet(path: Path, x: Array) -> list[Array]:
    mx: Any = import_mxnet("a test")
    made, args, aux = mx.model.load_checkpoint(str(path).removesuffix("-symbol.json"), 0)
    bound = made.bind(mx.cpu(), {**args, "data": mx.nd.array(x)}, aux_states=aux)
    return [a.asnumpy() for a in bound.forward(is_train=False)]


def quantized(folder: Path, x: Array, *, residual: bool) -> tuple[Path, Path]:
    """A small network and what MXNet quantized of it, calibrated with `x`."""
    mx: Any = import_mxnet("a test")
    from mxnet.contrib.quantization import quantize_model_mkldnn  # pyright: ignore

    s, rng = mx.sym, np.random.default_rng(3)
    data = s.Variable("data")
    y = s.Convolution(data, kernel=(3, 3), pad=(1, 1), stride=(2, 2), num_filter=16, no_bias=True)
    y = s.Activation(s.BatchNorm(y, fix_gamma=False, name="n0"), act_type="relu")
    z = s.Convolution(y, kernel=(1, 1), num_filter=16, name="c1")
    z = s.BatchNorm(z, fix_gamma=True, name="n1")
    y = s.Activation(z + y, act_type="relu") if residual else z
    y = s.Convolution(y, kernel=(3, 3), pad=(1, 1), num_filter=16, num_group=16, name="depthwise")
    y = s.Pooling(y, kernel=(2, 2), stride=(2, 2), pool_type="max")
    y = s.Pooling(y, global_pool=True, kernel=(1, 1), pool_type="avg")
    y = s.FullyConnected(s.Flatten(y), num_hidden=10, name="f0")
    made = s.FullyConnected(s.Activation(y, act_type="relu"), num_hidden=5, name="f1")
    args, aux = made_params(made, x, rng)
    mx.model.save_checkpoint(str(folder / "net"), 0, made, args, aux)
    found = quantize_model_mkldnn(
        made, args, aux, ctx=mx.cpu(), calib_mode="naive", quantized_dtype="auto",
        calib_data=mx.io.NDArrayIter(x, batch_size=len(x)), num_calib_examples=len(x),
    )  # fmt: skip
    mx.model.save_checkpoint(str(folder / "int8"), 0, *found)
    return folder / "net-symbol.json", folder / "int8-symbol.json"


def made_params(
    made: Any, x: Array, rng: np.random.Generator
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of a symbol whose activations stay in range."""
    mx: Any = import_mxnet("a test")
    shapes, _, states = made.infer_shape(data=x.shape)
    found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    listed = (made.list_arguments(), shapes), (made.list_auxiliary_states(), states)
    for kept, (names, sizes) in zip(found, listed, strict=True):
        for name, shape in zip(names, sizes, strict=True):
            if name == "data":
                continue
            fan = max(int(np.prod(shape[1:])), 1)
            array = (
                rng.normal(0, (2 / fan) ** 0.5, shape)
                if len(shape) > 1
                else rng.uniform(-0.2, 0.2, shape)
            )
            if name.endswith(("gamma", "var")):
                array = rng.uniform(0.7, 1.3, shape)
            kept[name] = mx.nd.array(array.astype(np.float32))
    return found


def compiled(path: Path, x: Array, out: Path | None = None, outputs: tuple[str, ...] = ()) -> Any:
    given = {"data": InputSpec(x.shape)}
    return compile_model(CompileOptions(path, out, given, list(outputs)))


def run_plan(path: Path, x: Array, folder: Path) -> list[Array]:
    compiled(path, x, folder)
    return list(load_plan(folder).run({"data": x}).values())


def test_what_mxnet_quantized(tmp_path: Path):
    x = np.random.default_rng(1).uniform(-1, 1, (4, 3, 32, 32)).astype(np.float32)
    _, path = quantized(tmp_path, x, residual=False)
    (got,), (wanted,) = run_plan(path, x, tmp_path / "out"), run_mxnet(path, x)
    expect_vnni()
    assert np.abs(got - wanted).max() <= 0.02 * np.abs(wanted).max()


def test_parameters_that_lie_elsewhere(tmp_path: Path):
    x = np.random.default_rng(1).uniform(-1, 1, (4, 3, 32, 32)).astype(np.float32)
    _, path = quantized(tmp_path, x, residual=False)
    compiled(path, x, tmp_path / "beside")
    params = (tmp_path / "int8-0000.params").rename(tmp_path / "weights")
    (tmp_path / "net-0000.params").unlink()
    shapes = {"data": x.shape}
    with pytest.raises(AutosplitError, match=r"has weights that are computed"):
        api.compile(path, tmp_path / "out", shapes)
    api.compile(path, tmp_path / "out", shapes, params_path=params)
    for got, wanted in zip(
        api.load_compiled(tmp_path / "out").run({"data": x}).values(),
        api.load_compiled(tmp_path / "beside").run({"data": x}).values(),
        strict=True,
    ):
        np.testing.assert_array_equal(got, wanted)
    explanation = api.explain(path, int8=True, params_path=params, shapes=shapes)
    assert explanation


def test_a_sum_of_unsigned_numbers(tmp_path: Path):
    x = np.random.default_rng(1).uniform(-1, 1, (4, 3, 32, 32)).astype(np.float32)
    model, path = quantized(tmp_path, x, residual=True)
    (got,), (wanted,) = run_plan(path, x, tmp_path / "out"), run_mxnet(model, x)
    assert np.abs(got - wanted).max() <= 0.05 * np.abs(wanted).max()


PUBLISHED = [
    pytest.param("mobilenet1.0", 224, 26, 0.99),
    # MXNet reads the signed operand of four sums as unsigned.
    pytest.param("resnet50_v1", 224, 52, 0.95, marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("name", "size", "convolutions", "least"), PUBLISHED)
def test_published_classifiers(
    tmp_path: Path, name: str, size: int, convolutions: int, least: float
):
    """The symbol is GluonCV's, with the ranges of its trained model; the parameters are made up.

    The input has no range: the first convolution reads numbers whose scale follows from the data.
    """
    mx: Any = import_mxnet("a test")
    made = mx.sym.load(str(model_path(f"{name}_int8-symbol.json")))
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, (1, 3, size, size)).astype(np.float32)
    mx.model.save_checkpoint(str(tmp_path / "m"), 0, made, *made_params(made, x, rng))
    path = tmp_path / "m-symbol.json"
    result = compiled(path, x, tmp_path / "out")
    rules = [op.rule for op in result.module.walk() if isinstance(op, PartitionOp)]
    assert sum("conv" in str(rule) for rule in rules) == convolutions
    (got,) = load_plan(tmp_path / "out").run({"data": x}).values()
    (wanted,) = run_mxnet(path, x)
    cosine = float((got * wanted).sum() / np.linalg.norm(got) / np.linalg.norm(wanted))
    assert cosine > least


def test_a_detector_is_compiled_up_to_its_boxes(tmp_path: Path):
    mx: Any = import_mxnet("a test")
    made = mx.sym.load(str(model_path("ssd_512_mobilenet1.0_voc_int8-symbol.json")))
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, (1, 3, 512, 512)).astype(np.float32)
    mx.model.save_checkpoint(str(tmp_path / "m"), 0, made, *made_params(made, x, rng))
    with pytest.raises(AutosplitError, match=r"_contrib_box_nms '.*' is not ONNX: keeps the best"):
        compiled(tmp_path / "m-symbol.json", x)
