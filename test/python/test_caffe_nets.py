"""Caffe networks of known kinds, written here with random weights: split, run, compiled for the TPU."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from caffe_writer import Array, NetWriter

from autosplit import api

cv2: Any = pytest.importorskip("cv2")


def resnet(net: NetWriter, size: int = 64) -> str:
    """ResNet-18 with half of its channels; returns its output."""
    x = net.input("data", 1, 3, size, size)
    x = net.relu(net.normalized(net.conv(x, 3, 16, 7, 2, 3), 16))
    x = net.layer("Pooling", x, "pooling_param { kernel_size: 3 stride: 2 }")
    channels = 16
    for stage, outputs in enumerate((16, 32, 64, 128)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            y = net.relu(net.normalized(net.conv(x, channels, outputs, 3, stride, 1), outputs))
            y = net.normalized(net.conv(y, outputs, outputs, 3, 1, 1), outputs)
            if stride > 1:
                x = net.normalized(net.conv(x, channels, outputs, 1, stride), outputs)
            x = net.relu(net.layer("Eltwise", [x, y]))
            channels = outputs
    x = net.layer("Pooling", x, "pooling_param { pool: AVE global_pooling: true }")
    weights = [net.floats(10, 128, low=-0.1, high=0.1), net.floats(10)]
    x = net.layer("InnerProduct", x, "inner_product_param { num_output: 10 }", weights)
    return net.layer("Softmax", x, name="prob")


def inception(net: NetWriter, x: str, channels: int, outputs: tuple[int, ...]) -> tuple[str, int]:
    """One module of GoogLeNet: four branches, one behind the other."""
    ones, less3, more3, less5, more5, pooled = outputs
    a = net.relu(net.conv(x, channels, ones, 1))
    b = net.relu(net.conv(net.relu(net.conv(x, channels, less3, 1)), less3, more3, 3, 1, 1))
    c = net.relu(net.conv(net.relu(net.conv(x, channels, less5, 1)), less5, more5, 5, 1, 2))
    d = net.layer("Pooling", x, "pooling_param { kernel_size: 3 stride: 1 pad: 1 }")
    d = net.relu(net.conv(d, channels, pooled, 1))
    return net.layer("Concat", [a, b, c, d]), ones + more3 + more5 + pooled


def googlenet(net: NetWriter, size: int = 96) -> str:
    """GoogLeNet's first four modules with fewer channels; returns its output."""
    norm = "lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }"
    pool = "pooling_param { kernel_size: 3 stride: 2 }"
    x = net.input("data", 1, 3, size, size)
    x = net.layer("Pooling", net.relu(net.conv(x, 3, 16, 7, 2, 3)), pool)
    x = net.layer("LRN", x, norm)
    x = net.relu(net.conv(net.relu(net.conv(x, 16, 16, 1)), 16, 48, 3, 1, 1))
    x = net.layer("Pooling", net.layer("LRN", x, norm), pool)
    channels = 48
    for outputs in ((16, 24, 32, 4, 8, 8), (32, 32, 48, 8, 24, 16)):
        x, channels = inception(net, x, channels, outputs)
    x = net.layer("Pooling", x, pool)
    for outputs in ((48, 24, 52, 4, 12, 16), (40, 28, 56, 6, 16, 16)):
        x, channels = inception(net, x, channels, outputs)
    x = net.layer("Pooling", x, "pooling_param { pool: AVE global_pooling: true }")
    x = net.layer("Dropout", x, "dropout_param { dropout_ratio: 0.4 }", tops=[x])
    weights = [net.floats(10, channels, low=-0.1, high=0.1), net.floats(10)]
    x = net.layer("InnerProduct", x, "inner_product_param { num_output: 10 }", weights)
    return net.layer("Softmax", x, name="prob")


NETS = {"resnet": (resnet, 64), "googlenet": (googlenet, 96)}


def saved(name: str, folder: Path) -> tuple[Path, Array, Array]:
    """The prototxt of a network, an input, and what OpenCV makes of it layer by layer."""
    build, size = NETS[name]
    writer = NetWriter()
    assert build(writer) == "prob"
    proto, weights = folder / f"{name}.prototxt", folder / f"{name}.caffemodel"
    writer.save(proto, weights)
    x = np.random.default_rng(1).uniform(-1, 1, (1, 3, size, size)).astype(np.float32)
    net = cv2.dnn.readNetFromCaffe(str(proto), str(weights))
    net.enableFusion(False)
    net.setInput(x)
    return proto, x, net.forward()


@pytest.mark.parametrize("name", NETS)
def test_a_network_is_one_sub_model_on_the_tpu(name: str, tmp_path: Path) -> None:
    proto, x, wanted = saved(name, tmp_path)
    assert float(wanted.max()) < 0.9
    result = api.split("caffe", {"data": x}, tmp_path / "out", proto)
    devices = [g["device"] for g in api_infos(tmp_path / "out")["graphs"]]
    assert devices == ["tpu"], result
    found = api.infer(api.load(tmp_path / "out", mode=0), {"data": x})["prob"]
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("name", NETS)
def test_a_network_that_is_cut_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    """Cut behind what is overwritten in place, and before what overwrites it."""
    proto, x, wanted = saved(name, tmp_path)
    pins = [(r"relu(4|10|21|22)|concat.*", "cpu")]
    api.split("caffe", {"data": x}, tmp_path / "out", proto, pins=pins)
    infos = api_infos(tmp_path / "out")
    assert len(infos["graphs"]) > 2
    assert all(set(g["model_info"]) == {"proto", "weight"} for g in infos["graphs"])
    found = api.infer(api.load(tmp_path / "out", mode=0), {"data": x})["prob"]
    assert np.array_equal(found, wanted)


def api_infos(folder: Path) -> Any:
    return json.loads((folder / "graph_infos.json").read_text("utf-8"))
