"""The benchmark's networks: true to size, and folded as measured."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onednn_installed import needs_library

from autosplit.core.tolerances import nearness
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.runtime.plan.plan import Plan
from autosplit.testing.networks.builder import Net, build
from autosplit.testing.networks.files import OTHERS, SEEDED, TRAINED, names, network

# As published, or counted by their authors' own code.
PARAMETERS = {
    # Without the pooler, and 128 of 512 places; both types of tokens are one constant.
    "bert_base": 109_482_240 - 590_592 - 384 * 768 - 768,
    "convnext_tiny": 28_589_128,
    "densenet121": 7_978_856,
    "efficientnet_b0": 5_288_548,
    "mobilenet_v2": 3_504_872,
    "mobilenet_v3_large": 5_483_032,
    "resnet50": 25_557_032,
    "swin_tiny": 28_288_354,
    "unet": 31_037_698,
    "vit_small": 22_050_664,
    # Without the 16 numbers of the bins, which are no weights.
    "yolov8n": 3_157_200 - 16,
}


def test_every_network_is_counted() -> None:
    assert sorted([*PARAMETERS, *TRAINED]) == names()


@pytest.mark.parametrize("name", sorted(PARAMETERS))
def test_a_network_has_the_published_parameters(name: str) -> None:
    net = Net(name, 0)
    SEEDED[name].write(net)
    assert net.parameters == PARAMETERS[name]


def _small(n: Net) -> None:
    x = n.input("image", (2, 3, 9, 9))
    x = n.silu(n.conv(x, 3, 8, 3, stride=2))
    x = n.op("Relu", n.batch_norm(x, 8))
    x = n.conv(x, 8, 6, 3, groups=2)
    n.output(n.conv(x, 6, 4, 2, stride=2, transposed=True), "out")


def test_folded_norms_are_the_measured_ones() -> None:
    feeds = {"image": np.random.default_rng(0).standard_normal((2, 3, 9, 9), np.float32)}
    model = build("small", _small, feeds)
    kinds = [node.op_type for node in model.graph.node]
    assert kinds.count("BatchNormalization") == 1
    assert "ReduceMean" not in kinds
    session = onnxruntime.InferenceSession(model.SerializeToString())
    out = session.run(None, feeds)[0]
    written = Net("small", 0)
    _small(written)
    # Each channel has the mean and deviation that the norm's own parameters say.
    measured = written.measure(feeds)
    assert len(measured) == 4
    mean, deviation = out.mean((0, 2, 3)), out.std((0, 2, 3))
    assert np.all(np.abs(mean) < 0.5)
    assert np.all((deviation > 0.45) & (deviation < 1.55))


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_networks_of_other_kinds_are_models(name: str) -> None:
    assert name not in names()
    net = Net(name, 0)
    OTHERS[name].write(net)
    assert net.parameters > 0
    inputs = {i.name for i in net.model().graph.input}
    assert inputs == set(OTHERS[name].inputs())


@needs_library
@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(OTHERS))
def test_networks_of_other_kinds_are_near_to_float32(name: str) -> None:
    """As near as ONNX Runtime's INT8, or nearer: roundings are left out, no other ones are added."""
    files = network(name)
    plan = _compiled(files.int8)
    real, quantized = (onnxruntime.InferenceSession(str(f)) for f in (files.f32, files.int8))
    wanted = [o.name for o in real.get_outputs()]
    near: list[tuple[float, float]] = []
    for seed in (2, 3, 4):
        feeds = OTHERS[name].feeds(np.random.default_rng(seed))
        made = plan.run(feeds)
        exact = dict(zip(wanted, real.run(wanted, feeds), strict=True))
        theirs = dict(zip(wanted, quantized.run(wanted, feeds), strict=True))
        near.append((nearness(theirs, exact), nearness(made, exact)))
    of_peer, ours = np.mean(near, axis=0)
    assert ours >= of_peer - 0.002


def _compiled(path: Path) -> Plan:
    result = compile_model(CompileOptions(path))
    return Plan.from_module(result.module, result.store)
