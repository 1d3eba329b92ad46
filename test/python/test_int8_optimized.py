"""Models that ONNX Runtime optimized and saved: compiled as the models that they were made of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onednn_installed import needs_library
from onnx import ModelProto

from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model, load_plan
from autosplit.testing.qdq_models import mobilenet_v2

ort = pytest.importorskip("onnxruntime")

pytestmark = needs_library


def optimized(model: ModelProto, folder: Path) -> tuple[Path, Path]:
    """A model's file, and the file of what ONNX Runtime makes of it."""
    before, after = folder / "model.onnx", folder / "optimized.onnx"
    onnx.save(model, before)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(after)
    ort.InferenceSession(str(before), options, ["CPUExecutionProvider"])
    return before, after


@pytest.mark.nightly
def test_an_optimized_model_has_the_partitions_of_the_model(tmp_path: Path):
    files = optimized(mobilenet_v2(size=64), tmp_path)
    kinds = Counter(node.op_type for node in onnx.load(files[1]).graph.node)
    assert {"QLinearConv", "QLinearAdd", "QGemm"} <= set(kinds)
    plans = [compile_model(CompileOptions(path, path.with_suffix(""))) for path in files]
    before, after = (explain_int8(plan.module) for plan in plans)
    assert after.rules() == before.rules()
    assert [s.device for s in after.stages] == [s.device for s in before.stages]
    x = np.random.default_rng(0).standard_normal((1, 3, 64, 64)).astype(np.float32)
    one, other = (load_plan(path.with_suffix("")) for path in files)
    (name,) = one.input_names
    for a, b in zip(one.run({name: x}).values(), other.run({name: x}).values(), strict=True):
        np.testing.assert_array_equal(a, b)
