"""The way back from Top to ONNX: what was lowered computes what the model did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import needs_toolchain
from onnx import ModelProto
from sampled import sample
from xdsl.dialects.builtin import ModuleOp

from autosplit.calibration.calibrate import optimized
from autosplit.core.weights import store_for
from autosplit.devices import get_chip
from autosplit.dialects.top import OP_TABLE
from autosplit.lowering.convert_onnx_to_top.check import check_module
from autosplit.lowering.convert_onnx_to_top.table import RULES
from autosplit.lowering.convert_top_to_onnx import RETURNS, convert_back
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.submodel.lower_submodel import chip_top
from autosplit.platforms import Model, load_model
from autosplit.probe.case import Case
from autosplit.probe.cases import all_cases
from autosplit.registry import make_context

Array = np.ndarray[Any, Any]


def run(model: ModelProto, feeds: dict[str, Array]) -> dict[str, Array]:
    ort = pytest.importorskip("onnxruntime")
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def as_onnx(top: ModuleOp) -> ModelProto:
    from autosplit.formats.onnx.writer import model_proto

    back = convert_back(top)
    back.verify()
    return model_proto(back, store_for(back))


def load(model: ModelProto, folder: Path) -> Model:
    """A model in canonical form; who holds it holds its weights."""
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    loaded = load_model(path)
    normalize(loaded.module)
    return loaded


def as_floats(arrays: dict[str, Array]) -> dict[str, Array]:
    """Arrays as Top has them: f32, and no scalars."""
    return {k: v.astype(np.float32).reshape(v.shape or (1,)) for k, v in arrays.items()}


def compare_case(case: Case, chip: str, folder: Path) -> bool:
    """Whether the chip takes a case; asserts that it then computes the same on the way back."""
    loaded = load(case.model(), folder)
    module = loaded.module
    if check_module(module, get_chip(chip), case.dynamic):
        return False
    feeds = case.feeds()
    wanted = run(case.model(), feeds)
    found = run(
        as_onnx(chip_top(make_context(), module, get_chip(chip), case.dynamic)),
        as_floats(feeds),
    )
    assert found.keys() == wanted.keys()
    # All is f32 in Top, also what the model holds in less.
    halves = "float16" in str(case) or case.attributes.get("to") == 10
    tolerance = 1e-3 if halves else 1e-4
    for name, value in wanted.items():
        assert found[name].dtype == np.float32
        expected = as_floats({name: value})[name]
        np.testing.assert_allclose(found[name], expected, tolerance, tolerance)
    return True


@pytest.mark.parametrize("key", sample(all_cases(), 2))
def test_case(key: str, tmp_path: Path) -> None:
    case = all_cases()[key]
    if not any(compare_case(case, chip, tmp_path) for chip in ("bm1684x", "bm1684")):
        pytest.skip("no chip takes it")


def test_every_kind_that_is_lowered_to_has_a_way_back() -> None:
    wanted = {kind for rule in RULES.values() if rule.refused is None for kind in rule.top}
    assert wanted - set(RETURNS) == set()


def test_ways_back_are_of_kinds_that_there_are() -> None:
    assert set(RETURNS) <= set(OP_TABLE)


@needs_toolchain
@pytest.mark.parametrize(
    "key",
    [
        pytest.param(key, marks=[] if i % 97 == 0 else [pytest.mark.nightly])
        for i, key in enumerate(all_cases())
    ],
)
def test_case_as_the_first_step_leaves_it(key: str, tmp_path: Path) -> None:
    """What TPU-MLIR makes of a module before anything else has its way back too."""
    case = all_cases()[key]
    loaded = load(case.model(), tmp_path)
    chip = get_chip("bm1684x")
    if case.dynamic or check_module(loaded.module, chip):
        pytest.skip("the chip does not take it")
    wanted = run(case.model(), case.feeds())
    found = run(
        as_onnx(optimized(chip_top(make_context(), loaded.module, chip))), as_floats(case.feeds())
    )
    # Names may be others: where the last op only reshapes, the one before it is the output.
    for value, expected in zip(found.values(), as_floats(wanted).values(), strict=True):
        np.testing.assert_allclose(value, expected, 1e-3, 1e-3)
