"""Two-stage detectors as the TensorFlow object detection API builds them, against TensorFlow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import static_shape, value_name
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.platforms import load_model
from autosplit.runtime.frameworks.tensorflow import TensorFlowExecutor
from autosplit.runtime.runner import Runner
from autosplit.testing.detection import OUTPUTS, PADDINGS, Detector, detector
from autosplit.testing.split import assert_equal, run_folder, run_whole, split
from autosplit.testing.toolchain import toolchain

pytest.importorskip("tensorflow")

WHOLE = Detector(size=128, widths=(16, 32, 64, 64), proposals=50, detections=20, classes=8)


def save(folder: Path, net: Detector) -> Path:
    path = folder / "frozen_inference_graph.pb"
    path.write_bytes(detector(net))
    return path


def image(net: Detector):
    random = np.random.default_rng(1)
    size = (1, net.size * 5 // 4, net.size * 3 // 2, 3)
    return {"image_tensor:0": random.integers(0, 256, size, np.uint8)}


def outputs(net: Detector) -> list[str]:
    names = [*OUTPUTS, "detection_masks"] if net.masks else OUTPUTS
    return [f"{name}:0" for name in names]


def devices(module) -> list[str]:
    funcs = [op for op in module.body.ops if isinstance(op, FuncOp)]
    return [func.target.kind.data for func in funcs if func.target.kind.data in ("cpu", "tpu")]


def check(folder: Path, net: Detector, stages: int) -> None:
    """Both stages are on the TPU, all of their work is, and nothing is computed otherwise."""
    model, feeds = save(folder, net), image(net)
    result = split(model, folder / "out", feeds, outputs=outputs(net))
    found = devices(result.module)
    assert found == ["cpu", *["tpu", "cpu"] * stages][: len(found)]
    assert found.count("tpu") == stages
    assert len(found) <= 2 * stages + 1
    plan = result.plan.data
    assert not plan["tensors"].data, "a size was measured that follows from the model"
    heavy = [
        op.identity
        for func in result.module.body.ops
        if isinstance(func, FuncOp) and func.target.kind.data == "cpu"
        for op in func.body.block.ops
        if "device.work" in op.attributes
    ]
    assert not heavy
    wanted = run_whole(model, feeds, outputs(net))
    assert 0 < wanted["num_detections:0"][0] <= net.detections
    got = run_folder(folder / "out", feeds)
    assert_equal({name: got[name] for name in wanted}, wanted)


def check_types(folder: Path, net: Detector) -> None:
    """What is inferred of any value outside of loops is what TensorFlow computes."""
    from xdsl.context import Context

    from autosplit.lowering.infer_shapes import infer_types

    path, feeds = save(folder, net), image(net)
    model = load_model(path)
    shapes = {name: array.shape for name, array in feeds.items()}
    model.platform.prepare(model, shapes, outputs(net))
    graph = next(iter(model.module.body.ops))
    infer_types(Context(), model.module)
    frames = model.platform.frames(graph)
    known = {
        value_name(result): static_shape(result.type)
        for op in graph.body_ops()
        if op not in frames
        for result in op.results
        if static_shape(result.type) is not None
    }
    found = TensorFlowExecutor(path).shapes(feeds, list(known))
    assert len(known) > 400
    assert {name: tuple(found[name][0]) for name in known if name in found} == {
        name: shape for name, shape in known.items() if name in found
    }


def test_faster_rcnn(tmp_path: Path):
    """Five sub-models, two of them on the TPU, as was published of the original."""
    check(tmp_path, Detector(), 2)


def test_mask_rcnn(tmp_path: Path):
    """Six sub-models, three of them on the TPU; nothing says how long the results of maps are."""
    check(tmp_path, Detector(masks=True, padding="cond", keep_aspect=True, declared=False), 3)


def test_mask_rcnn_of_functions(tmp_path: Path):
    """The same with loops and conditionals that call functions, as SavedModels have them."""
    check(tmp_path, Detector(masks=True, keep_aspect=True, functional=True), 3)


def test_inferred_types_are_those_of_the_run(tmp_path: Path):
    check_types(tmp_path, Detector(masks=True, padding="minimum", declared=False))


@pytest.mark.nightly
@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("masks", [False, True])
def test_all_forms(tmp_path: Path, padding: str, masks: bool, declared: bool):
    net = Detector(padding=padding, masks=masks, declared=declared, keep_aspect=declared)
    check(tmp_path, net, 3 if masks else 2)
    check_types(tmp_path, replace(net, asserts=False))


@pytest.mark.nightly
@pytest.mark.parametrize("padding", PADDINGS)
def test_all_forms_of_functions(tmp_path: Path, padding: str):
    net = Detector(padding=padding, masks=True, functional=True, asserts=False)
    check(tmp_path, net, 3)
    check_types(tmp_path, net)


@pytest.mark.nightly
@pytest.mark.parametrize("masks", [False, True])
def test_larger(tmp_path: Path, masks: bool):
    net = replace(WHOLE, masks=masks, keep_aspect=True)
    check(tmp_path, net, 3 if masks else 2)


def test_a_promise_of_a_second_output(tmp_path: Path):
    """`--shape` of a tensor that crosses under another name, in TensorFlow."""
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.int32, [9], "x")
        _, places = tf.raw_ops.TopKV2(input=x, k=tf.reduce_sum(x), name="top")
        counts = tf.cast(places, tf.float32)
        weight = tf.constant(np.arange(64, dtype=np.float32).reshape(1, 64))
        tf.nn.relu(tf.matmul(tf.expand_dims(counts, 1), weight), "y")
    path = tmp_path / "u.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    feeds = {"x:0": np.array([0, 1, 0, 2, 0, 0, 1, 0, 0], np.int32)}
    result = split(path, tmp_path / "out", feeds, outputs=["y:0"], shapes={"top:1": (4,)})
    assert devices(result.module) == ["cpu", "tpu"]
    assert_equal(run_folder(tmp_path / "out", feeds), run_whole(path, feeds, ["y:0"]))
    feeds["x:0"][-1] = 1
    with pytest.raises(AutosplitError, match=r"top_1.*--shape promised \[4\], found \[5\]"):
        run_folder(tmp_path / "out", feeds)


@pytest.mark.nightly
def test_on_the_emulator(tmp_path: Path):
    """All three stages of a Mask R-CNN as bmodels of a BM1684, in F32."""
    toolchain()
    net = Detector(masks=True)
    model, feeds = save(tmp_path, net), image(net)
    split(model, tmp_path / "out", feeds, outputs=outputs(net))
    convert_folder(ConvertOptions(folder=tmp_path / "out", target="bm1684", compare=True)).check()
    wanted = run_whole(model, feeds, outputs(net))
    with Runner(tmp_path / "out", 2, use_cmodel=True) as runner:
        got = runner.infer(feeds)
        assert [step.device for step in runner.steps].count("tpu-emulator") == 3
    for name in wanted:
        np.testing.assert_allclose(got[name], wanted[name], rtol=1e-4, atol=1e-5, err_msg=name)
