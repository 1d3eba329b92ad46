"""Plans of `split --dynamic`: what varies, what does not, and how few sub-models that takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.dialects.device import FuncOp
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.split import SplitResult, split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.infos_writer import plan_json
from autosplit.inputs.specs import InputSpec
from autosplit.runtime.runner import Runner
from autosplit.testing.models import model_path
from autosplit.testing.split import run_whole


def model_of(
    nodes: list[onnx.NodeProto], output: str, shape: list[int | str], **constants: np.ndarray
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()],
    )
    opset = [helper.make_opsetid("", 21)]
    return helper.make_model(graph, opset_imports=opset, ir_version=10)


def split(model: onnx.ModelProto | Path, folder: Path, spec: InputSpec, **options) -> SplitResult:
    path = model if isinstance(model, Path) else folder / "model.onnx"
    if isinstance(model, onnx.ModelProto):
        onnx.save(model, path)
    wanted = {"dynamic": True, "out": folder / "out"} | options
    return split_model(SplitOptions(path, inputs={"": spec}, **wanted))


def numbers(result: SplitResult) -> tuple[int, object]:
    """How many sub-models there are, and the work on the TPU."""
    plan = plan_json(result.module)
    stages = plan["stages"]
    assert isinstance(stages, list)
    return len(stages), plan["work_on_tpu"]


def devices(result: SplitResult) -> dict[str, str]:
    """By the name of each op that has one, where it is."""
    return {
        getattr(op, "identity", ""): func.target.kind.data
        for func in result.module.body.ops
        if isinstance(func, FuncOp)
        for op in func.body.block.ops
    }


def weights(*shape: int) -> np.ndarray:
    random = np.random.default_rng(len(shape))
    return (random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)


FIXED = "Cos"
"""An op that BM1684 runs at fixed sizes only."""


def test_where_nothing_varies_the_plan_is_the_fixed_one(tmp_path: Path):
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv"),
        helper.make_node(FIXED, ["c"], ["e"], "cos"),
        helper.make_node("Resize", ["e", "", "twice"], ["y"], "resize", mode="linear"),
    ]
    twice = np.array([1, 1, 2, 2], np.float32)
    model = model_of(nodes, "y", [1, 3, 8, 8], w=weights(4, 3, 3, 3), twice=twice)
    spec = InputSpec((1, 3, 8, 8))
    found = split(model, tmp_path, spec)
    assert numbers(found) == numbers(split(model, tmp_path, spec, dynamic=False, force=True))
    assert set(devices(found).values()) == {"tpu", "host"}
    assert plan_json(found.module)["varying"] == []


def test_a_classifier_of_fixed_sizes(tmp_path: Path):
    path = model_path("retrained_graph.pb")
    found = split(path, tmp_path, InputSpec((1, 224, 224, 3)), out=None)
    assert numbers(found) == (1, 568743378)


FRONT = [
    helper.make_node("Resize", ["x", "", "", "sizes"], ["r"], "resize", mode="linear"),
    helper.make_node("Conv", ["r", "w"], ["c"], "conv"),
    helper.make_node(FIXED, ["c"], ["y"], "cos"),
]
"""Pictures of any size, and behind the Resize of one."""


def pictures() -> onnx.ModelProto:
    sizes = np.array([1, 3, 10, 12])
    return model_of(FRONT, "y", [1, 3, "h", "w"], w=weights(4, 3, 3, 3), sizes=sizes)


def test_a_sub_model_that_takes_fixed_sizes_is_compiled_for_them(tmp_path: Path):
    found = split(pictures(), tmp_path, InputSpec((1, 3, 24, 32)))
    where = devices(found)
    assert [where[n] for n in ("resize", "conv", "cos")] == ["cpu", "tpu", "tpu"]
    infos = GraphInfos.load(tmp_path / "out")
    assert infos.dynamic
    plan = infos.own["plan"]
    assert isinstance(plan, dict)
    assert plan["varying"] == []
    text = (tmp_path / "out" / "graph_ir_1" / "graph_1.mlir").read_text()
    assert 'module.top_run_mode = "STATIC"' in text


@needs_toolchain
def test_it_is_right_behind_pictures_of_several_sizes(tmp_path: Path):
    split(pictures(), tmp_path, InputSpec((1, 3, 24, 32)))
    convert_folder(ConvertOptions(tmp_path / "out", compare=True)).check()
    infos = GraphInfos.load(tmp_path / "out")
    record = infos.compilation(infos.graphs[1])
    assert record is not None
    assert not record.dynamic
    random = np.random.default_rng(0)
    with Runner(tmp_path / "out", 2, use_cmodel=True) as runner:
        for h, w in ((24, 32), (9, 15), (24, 8)):
            feeds = {"x": random.random((1, 3, h, w), np.float32)}
            expected = run_whole(tmp_path / "model.onnx", feeds, ["y"])
            assert difference(expected["y"], runner.infer(feeds)["y"]).within(TOLERANCES["F32"])


def pooled(channels: int, wide: int) -> onnx.ModelProto:
    """A convolution of any size, pooled, with an op behind it that varying sizes do not allow."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "front"),
        helper.make_node("GlobalAveragePool", ["c"], ["p"], "pool"),
        helper.make_node(FIXED, ["p"], ["e"], "cos"),
        helper.make_node("Conv", ["e", "v"], ["y"], "back"),
    ]
    front, back = weights(channels, 3, 3, 3), weights(wide, channels, 1, 1)
    return model_of(nodes, "y", [1, 3, "h", "w"], w=front, v=back)


@pytest.mark.parametrize(("channels", "wide", "left"), [(64, 8, "cos"), (8, 4096, "front")])
def test_beside_open_sizes_fixed_ones_are_as_good_as_open(
    channels: int, wide: int, left: str, tmp_path: Path
):
    """What is right at fixed sizes only is in no sub-model of open ones; what computes less leaves."""
    found = split(pooled(channels, wide), tmp_path, InputSpec((1, 3, 12, 12)), keep=0.5)
    where = devices(found)
    assert where[left] == "cpu"
    assert {"front": "back", "cos": "front"}[left] in [n for n, d in where.items() if d == "tpu"]


OPEN = {
    "direction": ("ch_ppocr_mobile_v2.0_cls_infer.onnx", (1, 3, 48, 192), (3,)),
    "detection": ("ch_PP-OCRv4_det_infer.onnx", (1, 3, 320, 320), (2, 3)),
    "recognition": ("ch_PP-OCRv4_rec_infer.onnx", (1, 3, 48, 320), (3,)),
    "parts": ("320n.onnx", (1, 3, 320, 320), (2, 3)),
    "detector": ("frozen_inference_graph.pb", (1, 600, 600, 3), (1, 2)),
}
"""A model, the largest shape of its input, and which sizes vary."""
MORE = {"direction": 0, "detection": 0, "recognition": 2, "parts": 1, "detector": 0}
"""How many sub-models more that takes than fixed sizes do."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name",
    [n if n == "direction" else pytest.param(n, marks=pytest.mark.nightly) for n in OPEN],
)
def test_open_sizes_take_few_more_sub_models(name: str, tmp_path: Path):
    file, shape, varying = OPEN[name]
    path = model_path(file)
    fixed = split(path, tmp_path, InputSpec(shape), out=None, dynamic=False)
    found = split(path, tmp_path, InputSpec(shape, varying=varying), out=None)
    few, work = numbers(fixed)
    count, kept = numbers(found)
    assert count <= few + MORE[name]
    assert isinstance(work, int)
    assert isinstance(kept, int)
    assert kept >= 0.95 * work


def test_a_second_output_of_an_op_crosses(tmp_path: Path):
    """Its border tensor has a name that only the cut model knows; it is measured all the same."""
    tf = pytest.importorskip("tensorflow").compat.v1
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 2, 8], "x")
        _, second = tf.unstack(x, axis=1, name="parts")
        tf.matmul(second, tf.constant(np.ones((8, 4), np.float32)), name="y")
    path, out = tmp_path / "m.pb", tmp_path / "out"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    split(path, tmp_path, InputSpec((3, 2, 8)), pins=[("parts", "cpu")])
    data = np.random.default_rng(0).random((2, 2, 8), np.float32)
    (found,) = Runner(out, 0).infer({"x": data}).values()
    np.testing.assert_array_equal(found, data[:, 1] @ np.ones((8, 4), np.float32))
