"""The ONNX backend suite: split models, whole and cut at random, give the bits that ONNX Runtime gives.

All node cases that ONNX Runtime runs are run; exceptions stand in backend_exceptions.toml, with their causes.
"""

from __future__ import annotations

import re
import tomllib
import warnings
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from autosplit.backend import prepare, supports_device
from autosplit.core.errors import AutosplitError
from autosplit.testing.random_cut import random_cuts

EXCEPTIONS = tomllib.loads(Path(__file__).with_name("backend_exceptions.toml").read_text())
NUMBER = 1884
"""Node cases of onnx 1.23; others that a later release adds are not run."""
SAMPLE = range(7, NUMBER, 47)


@cache
def cases() -> list[Any]:
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            found = load_model_tests(kind="node")
    return sorted(found, key=lambda case: case.name)


def expected(model: onnx.ModelProto, inputs: Sequence[Any]) -> list[Any]:
    """What ONNX Runtime computes without optimizations; skips where it does not take the model."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    names = [value.name for value in model.graph.input]
    inputs = [np.asarray(value) if np.isscalar(value) else value for value in inputs]
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, dict(zip(names, inputs, strict=False)))
    except Exception as error:
        pytest.skip(f"ONNX Runtime does not run it: {str(error)[:80]}")


def has_halves(model: onnx.ModelProto) -> bool:
    """Whether float16 is computed in, for which ONNX Runtime has no kernels on the CPU; see the README."""
    text = onnx.printer.to_text(model)
    casts = any(
        a.name == "to" and a.i == TensorProto.FLOAT16 for n in model.graph.node for a in n.attribute
    )
    return casts or "float16" in text


def assert_same(found: Any, wanted: Any, exact: bool) -> None:
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_same(a, b, exact)
        return
    if wanted is None:
        assert found is None
        return
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if exact or wanted.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-2, atol=1e-3)


def check(index: int) -> None:
    if index >= len(cases()):
        pytest.skip("the installed onnx has fewer cases")
    case = cases()[index]
    for exception in EXCEPTIONS["exception"]:
        if re.fullmatch(exception["cases"], case.name):
            pytest.skip(f"{case.name}: {exception['cause']}")
    inputs = [
        numpy_helper.to_array(value) if isinstance(value, TensorProto) else value
        for value in case.data_sets[0][0]
    ]
    wanted = expected(case.model, inputs)
    assert_same(list(prepare(case.model).run(inputs)), wanted, exact=True)
    with random_cuts(zlib.crc32(case.name.encode())):
        parts = prepare(case.model).run(inputs)
    assert_same(list(parts), wanted, exact=not has_halves(case.model))


@pytest.mark.parametrize("index", SAMPLE)
def test_some_cases(index: int):
    check(index)


@pytest.mark.nightly
@pytest.mark.parametrize("index", range(NUMBER))
def test_all_cases(index: int):
    check(index)


def test_models_that_are_too_old_to_be_split_are_converted():
    old = [case for case in cases() if case.name in ("test_not_2d", "test_not_3d", "test_not_4d")]
    for case in old:
        assert case.model.opset_import[0].version < 7
        inputs = list(case.data_sets[0][0])
        assert_same(list(prepare(case.model).run(inputs)), expected(case.model, inputs), exact=True)
    assert len(old) == 3
    any_size = [onnx.helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "xy"]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Upsample", ["x"], ["y"], height_scale=2.0, width_scale=2.0)],
        "g",
        any_size[:1],
        any_size[1:],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 1)])
    with pytest.raises(AutosplitError, match="of opset 1, and the onnx package cannot convert it"):
        prepare(model)


def test_the_interface():
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    values = [onnx.helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 3]) for n in "xy"]
    graph = onnx.helper.make_graph([node], "relu", values[:1], values[1:])
    model = onnx.helper.make_model(
        graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)]
    )
    split = prepare(model, target="bm1684x")
    for rows in (2, 5, 2):
        x = np.linspace(-1, 1, rows * 3, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_array_equal(split.run([x])[0], np.maximum(x, 0))
    assert supports_device("CPU")
    with pytest.raises(AutosplitError, match="device 'CUDA' is unknown"):
        prepare(model, "CUDA")
    with pytest.raises(AutosplitError, match="found 2 inputs, the model takes 1: x"):
        split.run([x, x])
