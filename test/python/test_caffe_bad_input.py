"""Prototxts and caffemodels that are not right: one clear line, and nothing left behind."""

from pathlib import Path

import numpy as np
import pytest
from caffe_writer import caffemodel_bytes

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import platform_graph
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.platforms import load_model

NET = Path(__file__).parent / "data/net.prototxt"
SHAPES = {"conv1": [(4, 3, 3, 3), (4,)], "fc": [(2, 48), (2,)]}


def weights(**shapes: list[tuple[int, ...]]) -> bytes:
    named = {**SHAPES, **shapes}
    return caffemodel_bytes({n: [np.ones(s, np.float32) for s in all] for n, all in named.items()})


def save(folder: Path, text: str, data: bytes | None) -> Path:
    path = folder / "net.prototxt"
    path.write_text(text)
    if data is not None:
        (folder / "net.caffemodel").write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kernel_size: 3 pad: 1", 'kernel_size: "x"', "kernel_size is 'x', expected an integer"),
        ("pool: AVE", "pool: MEAN", "pooling_param.pool is 'MEAN', expected one of MAX, AVE, STOCHASTIC"),
        ("num_output: 4", "num_output: 5", "its weights are 4x3x3x3, expected 5 outputs and a kernel of 3x3"),
        ("num_output: 2", "num_output: 3", "its weights are 2x48, expected 3 outputs"),
        ('bottom: "pool"', 'bottom: "pol"', "reads 'pol', which no layer before it makes (did you mean"),
        ('top: "pool"', 'top: "a"', "layer 'pool' makes 'a', which another layer makes already"),
        ('type: "Mine"', "", "layer 'mine' has no type"),
        ("slice_point: [1] }", "slice_point: [1", "found '}', expected"),
        ('"Softmax"', '"Softmax', "is not a prototxt: line 17: found"),
        ("dim: 8 dim: 8", "dim: 0 dim: 8", "[1, 3, 0, 8] is not a shape"),
        ('input: "data"\n', 'input: "data" input: "more"\n', "gives 1 input_shape for 2 inputs"),
    ],
)  # fmt: skip
def test_a_prototxt_that_is_wrong(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = NET.read_text()
    assert old in text
    path = save(tmp_path, text.replace(old, new), weights())
    with pytest.raises(AutosplitError) as raised:
        split_model(SplitOptions(path, tmp_path / "out"))
    assert said in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.caffemodel", "net.prototxt"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "needs weights (of 'conv1', 'fc'), and no caffemodel is beside it"),
        (weights()[:100], "is not a whole caffemodel, it is truncated or damaged"),
        (weights(fc=[]), "has no weights of 'fc': it is of another network, or cut off"),
        (weights(conv1=[(4, 3, 3, 3)]), "has 1 weight, expected 2"),
        (weights(conv1=[(4, 3, 3, 3), (3,)]), "its bias is 3, expected 4 numbers"),
    ],
)  # fmt: skip
def test_weights_that_are_wrong(data: bytes | None, said: str, tmp_path: Path) -> None:
    path = save(tmp_path, NET.read_text(), data)
    with pytest.raises(AutosplitError) as raised:
        load_model(path)
    assert said in str(raised.value)


def test_a_caffemodel_is_not_a_network(tmp_path: Path) -> None:
    save(tmp_path, NET.read_text(), weights())
    with pytest.raises(AutosplitError, match="give its prototxt, and this with --params"):
        load_model(tmp_path / "net.caffemodel")


OLD = """
input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8
layers { name: "conv1" type: CONVOLUTION bottom: "data" top: "conv1" blobs_lr: 1 blobs_lr: 2
         convolution_param { num_output: 4 kernel_size: 3 } }
layers { name: "relu" type: RELU bottom: "conv1" top: "conv1" }
"""
OLDEST = """
input: "data" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8
layers { layer { name: "pad" type: "padding" pad: 1 } bottom: "data" top: "pad" }
layers { layer { name: "conv1" type: "conv" num_output: 4 kernelsize: 3 } bottom: "pad" top: "conv1" }
layers { layer { name: "relu" type: "relu" } bottom: "conv1" top: "conv1" }
"""


@pytest.mark.parametrize(("text", "pads"), [(OLD, []), (OLDEST, [1])])
def test_older_forms_are_read_as_todays(text: str, pads: list[int], tmp_path: Path) -> None:
    model = load_model(save(tmp_path, text, weights()))
    given, conv, relu = platform_graph(model.module).body_ops()
    assert [op.name for op in (given, conv, relu)] == [
        "caffe.Input",
        "caffe.Convolution",
        "caffe.ReLU",
    ]
    assert conv.get("pad") == pads
    assert conv.get("num_output") == 4
    assert relu.names == ["conv1"]
