"""graph_infos.json: its structure against the documented example, and what a reader refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import Device
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.infos_writer import dumps, graph_infos
from autosplit.platforms import Measured

# The documented example, cut down to names: three sub-models, cpu / tpu / cpu.
SSD = """
!photo = tensor<1x500x500x3xui8>
!image = tensor<1x300x300x3xf32>
!boxes = tensor<1x1917x4xf32>
!count = tensor<1xf32>
builtin.module attributes {
  platform.name = "tensorflow",
  device.plan = {layout = "NHWC", dynamic = false, kept = 9.980000e-01 : f64, ops = array<i64: 1, 2>}
} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>,
                    input_names = ["image_tensor:0"], output_names = ["pre:0", "Postprocessor/div:0"]}> ({
  ^bb0(%x : !photo):
    %y, %z = "test.op"(%x) {device.refused = {tpu = #device.reason<"dtype", "u8">}}
      : (!photo) -> (!image, !count)
    device.return %y, %z : !image, !count
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684">,
                    input_names = ["pre:0"], output_names = ["Squeeze:0"]}> ({
  ^bb0(%x : !image):
    %y = "test.op"(%x) : (!image) -> !boxes
    device.return %y : !boxes
  }) : () -> ()
  "device.func"() <{sym_name = "graph_2", target = #device.target<cpu>,
                    input_names = ["Postprocessor/div:0", "Squeeze:0"],
                    output_names = ["detection_boxes:0"]}> ({
  ^bb0(%x : !count, %y : !boxes):
    %z = "test.op"(%x, %y) {device.refused = {tpu = #device.reason<"unsupported-op", "no NMS">}}
      : (!count, !boxes) -> tensor<1x?x4xf32>
    %w = "test.op"(%z) {device.moved = #device.reason<"unsupported-op", "its operand">}
      : (tensor<1x?x4xf32>) -> tensor<1x?x4xf32>
    device.return %w : tensor<1x?x4xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>,
                    input_names = ["image_tensor:0"], output_names = ["detection_boxes:0"]}> ({
  ^bb0(%photo : !photo):
    %image, %count = device.call @graph_0(%photo) : (!photo) -> (!image, !count)
    %boxes = device.call @graph_1(%image) : (!image) -> !boxes
    %found = device.call @graph_2(%count, %boxes) : (!count, !boxes) -> tensor<1x?x4xf32>
    device.return %found : tensor<1x?x4xf32>
  }) : () -> ()
}
"""


def parse(text: str) -> ModuleOp:
    ctx = Context(allow_unregistered=True)
    ctx.load_dialect(Builtin)
    ctx.load_dialect(Device)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def test_documented_structure():
    infos = graph_infos(
        parse(SSD), measured={"detection_boxes:0": Measured((1, 100, 4), "float32")}
    )
    own = infos.pop("autosplit")
    assert infos == {
        "graphs": [
            {
                "outputs": ["pre:0", "Postprocessor/div:0"],
                "model_info": {"model_path": "graph_0.pb"},
                "inputs": ["image_tensor:0"],
                "device": "cpu",
            },
            {
                "outputs": ["Squeeze:0"],
                "model_info": {"model_path": "graph_1.pb"},
                "inputs": ["pre:0"],
                "device": "tpu",
                "context_dir": "graph_ir_1",
            },
            {
                "outputs": ["detection_boxes:0"],
                "model_info": {"model_path": "graph_2.pb"},
                "inputs": ["Postprocessor/div:0", "Squeeze:0"],
                "device": "cpu",
            },
        ],
        "tensors": {
            "image_tensor:0": {"shape": [1, 500, 500, 3], "dtype": "uint8", "attr": "input"},
            "pre:0": {"shape": [1, 300, 300, 3], "dtype": "float32", "attr": "intermediate"},
            "Postprocessor/div:0": {"shape": [1], "dtype": "float32", "attr": "intermediate"},
            "Squeeze:0": {"shape": [1, 1917, 4], "dtype": "float32", "attr": "intermediate"},
            "detection_boxes:0": {"shape": [1, 100, 4], "dtype": "float32", "attr": "output"},
        },
        "graph_num": 3,
        "platform": "tensorflow",
        "dynamic": False,
        "layout": "NHWC",
    }
    assert isinstance(own, dict)
    assert own["target"] == "bm1684"
    assert own["measured"] == ["detection_boxes:0"]
    assert own["plan"] == {"kept": 0.998, "ops": [1, 2]}
    assert own["reasons"] == {"unsupported-op": 2, "dtype": 1}
    assert own["inputs"] == ["image_tensor:0"]
    assert own["outputs"] == {"detection_boxes:0": "detection_boxes:0"}


def test_unknown_sizes_and_types():
    text = SSD.replace("tensor<1x?x4xf32>", "tensor<*xf32>")
    tensors: Any = graph_infos(parse(text))["tensors"]
    assert tensors["detection_boxes:0"] == {"shape": None, "dtype": "float32", "attr": "output"}
    tensors = graph_infos(parse(SSD))["tensors"]
    assert tensors["detection_boxes:0"]["shape"] == [1, -1, 4]
    # A measurement of another rank tells nothing of the sizes.
    tensors = graph_infos(parse(SSD), measured={"detection_boxes:0": Measured((7,), "float32")})[
        "tensors"
    ]
    assert tensors["detection_boxes:0"]["shape"] == [1, -1, 4]


def test_dtypes_are_numpy_names():
    import numpy as np

    for element, name in (
        ("i8", "int8"),
        ("ui8", "uint8"),
        ("i64", "int64"),
        ("f64", "float64"),
        ("f16", "float16"),
        ("i1", "bool"),
    ):
        tensors: Any = graph_infos(parse(SSD.replace("1x500x500x3xui8", f"2x{element}")))["tensors"]
        assert tensors["image_tensor:0"]["dtype"] == name
        assert np.dtype(tensors["image_tensor:0"]["dtype"]).name == name


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('sym_name = "main"', 'sym_name = "start"', "not outlined"),
        ("@graph_0(%photo)", "@graph_2(%photo)", None),
        ('input_names = ["pre:0"]', 'input_names = ["other:0"]', "takes"),
        ('output_names = ["Squeeze:0"]', 'output_names = ["pre:0"]', "computed twice"),
    ],
)
def test_what_does_not_fit_is_refused(old: str, new: str, message: str | None):
    text = SSD.replace(old, new)
    assert text != SSD
    if message is None:
        with pytest.raises(Exception, match=r"takes|next in the order"):
            graph_infos(parse(text))
        return
    with pytest.raises(AutosplitError, match=message):
        graph_infos(parse(text))


# --------------------------------------------------------------------------------------------------
# Reading


def example() -> dict[str, Any]:
    """A folder of three as the original tool might have written it."""
    return {
        "graphs": [
            {
                "inputs": ["x:0"],
                "outputs": ["a:0", "b:0"],
                "device": "cpu",
                "model_info": {"model_path": "graph_0.pb"},
            },
            {
                "inputs": ["a:0"],
                "outputs": ["c:0"],
                "device": "tpu",
                "context_dir": "graph_ir_1",
                "model_info": {"model_path": "graph_1.pb"},
            },
            {
                "inputs": ["b:0", "c:0"],
                "outputs": ["y:0"],
                "device": "cpu",
                "model_info": {"model_path": "graph_2.pb"},
            },
        ],
        "tensors": {
            "x:0": {"shape": [1, 3], "dtype": "float32", "attr": "input"},
            "a:0": {"shape": [1, 3], "dtype": "float32", "attr": "intermediate"},
            "b:0": {"shape": [1], "dtype": "int64", "attr": "intermediate"},
            "c:0": {"shape": [1], "dtype": "float32", "attr": "intermediate"},
            "y:0": {"shape": [1], "dtype": "float32", "attr": "output"},
        },
        "graph_num": 3,
        "platform": "tensorflow",
        "dynamic": False,
        "layout": "NHWC",
    }


def write(folder: Path, data: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "graph_infos.json").write_text(json.dumps(data))
    for i in range(3):
        (folder / f"graph_{i}.pb").write_bytes(b"model")
    return folder


def test_read_what_was_documented(tmp_path: Path):
    infos = GraphInfos.load(write(tmp_path, example()))
    assert [g.device for g in infos.graphs] == ["cpu", "tpu", "cpu"]
    assert infos.graphs[1].context_dir == "graph_ir_1"
    assert infos.bmodel(infos.graphs[1]) == tmp_path / "graph_ir_1" / "compilation.bmodel"
    assert infos.inputs == ("x:0",)
    assert infos.outputs == {"y:0": "y:0"}
    assert infos.tensors["b:0"].shape == (1,)
    assert infos.tensors["b:0"].dtype == "int64"


def test_variants(tmp_path: Path):
    """tensors as a list, dtype absent or 0, keys that nobody knows, context_dir absent."""
    data = example()
    plain = GraphInfos.load(write(tmp_path, data))
    data["tensors"] = [{"name": n, **t} for n, t in data["tensors"].items()]
    assert GraphInfos.load(write(tmp_path, data)).tensors == plain.tensors
    data["tensors"][0].pop("dtype")
    data["tensors"][1]["dtype"] = 0
    data["tensors"][2]["comment"] = "?"
    data["author"] = {"name": "someone"}
    data["graphs"][0]["speed"] = 3
    del data["graphs"][1]["context_dir"]
    infos = GraphInfos.load(write(tmp_path, data))
    assert [infos.tensors[n].dtype for n in ("x:0", "a:0", "b:0")] == [None, None, "int64"]
    assert infos.graphs == plain.graphs


def test_what_we_write_is_read(tmp_path: Path):
    infos = graph_infos(parse(SSD))
    write(tmp_path, {})
    (tmp_path / "graph_infos.json").write_text(dumps(infos))
    read = GraphInfos.load(tmp_path)
    assert read.own == infos["autosplit"]
    assert [list(g.inputs) for g in read.graphs] == [g["inputs"] for g in _graphs(infos)]
    assert list(read.tensors) == list(_dict(infos["tensors"]))


def _graphs(infos: dict[str, Any]) -> Any:
    return infos["graphs"]


def _dict(value: Any) -> Any:
    return value


def change(path: str, value: object) -> Any:
    """A function that sets `a/0/b` of a nested structure; `DELETE` removes it."""

    def apply(data: Any) -> None:
        *keys, last = [int(k) if k.isdigit() else k for k in path.split("/")]
        for key in keys:
            data = data[key]
        if value is DELETE:
            del data[last]
        else:
            data[last] = value

    return apply


DELETE = object()


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change("graph_num", 2), "graph_num is 2, but graphs has 3"),
        (change("platform", DELETE), "no key 'platform'"),
        (change("graphs", {}), "graphs is an object, expected a list"),
        (change("tensors", "x"), "tensors is a string"),
        (change("graphs/0/device", "gpu"), "'gpu', expected 'cpu' or 'tpu'"),
        (
            change("graphs/0/inputs", ["xx:0"]),
            r"'xx:0', which is not a tensor \(did you mean 'x:0'",
        ),
        (change("graphs/0/inputs", ["y:0"]), "only graph 2 computes: the graphs are not in order"),
        (change("tensors/x:0/attr", "intermediate"), "no graph computes and which is not an input"),
        (change("tensors/x:0/attr", "in"), "attr of tensor 'x:0' is 'in'"),
        (change("tensors/x:0/shape", [1, "3"]), "expected sizes"),
        (change("tensors/x:0/shape", [1, True]), "expected sizes"),
        (change("tensors/x:0/dtype", "floaty"), "is 'floaty', expected a numpy name"),
        (change("graphs/2/outputs", ["a:0"]), "computes 'a:0', which is already there"),
        (change("graphs/2/outputs", []), "'y:0' is an output of the model, but no graph"),
        (change("graphs/0/model_info", {}), "no key 'model_path'"),
        (
            change("graphs/0/model_info/model_path", "gone.pb"),
            "'gone.pb', and there is no such file",
        ),
        (change("graphs/0/model_info/model_path", "../graph_0.pb"), "leaves the folder"),
        (change("graphs/0/model_info/model_path", "/etc/passwd"), "leaves the folder"),
        (change("graphs/0/model_info/model_path", "link.pb"), "a link that leaves the folder"),
        (change("graphs/0/model_info/model_path", ""), "expected a file name"),
        (change("graphs/0/model_info/model_path", "a\0b"), "expected a file name"),
        (change("graphs/0/model_info/model_path", 3), "the number 3, expected a string"),
        (change("graphs/1/context_dir", "../out"), "leaves the folder"),
        (change("graphs/1/context_dir", "linked"), "a link that leaves the folder"),
        (change("graphs/0", "graph"), "graph 0 is a string, expected an object"),
    ],
)
def test_refused(tmp_path: Path, edit: Any, message: str):
    data = example()
    edit(data)
    folder = write(tmp_path / "split", data)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "model.pb").write_bytes(b"model")
    os.symlink(tmp_path / "outside" / "model.pb", folder / "link.pb")
    os.symlink(tmp_path / "outside", folder / "linked")
    with pytest.raises(AutosplitError, match=message) as caught:
        GraphInfos.load(folder)
    text = str(caught.value)
    assert str(folder / "graph_infos.json") in text
    assert "\n" not in text


@pytest.mark.parametrize("name", ["graph_infos.json", "plan.mlir"])
def test_links_out_of_the_folder_are_not_read(tmp_path: Path, name: str):
    folder = write(tmp_path / "split", example())
    (folder / "plan.mlir").write_text("builtin.module {}")
    GraphInfos.load(folder)
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    with pytest.raises(AutosplitError, match=rf"{name}: is a link that leaves the folder"):
        GraphInfos.load(folder)
    (folder / name).unlink()
    (folder / name).symlink_to(folder / name)
    with pytest.raises(AutosplitError, match=rf"{name}: is a link that leads back to itself"):
        GraphInfos.load(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[1]", "is a list, expected an object"),
        ("null", "is null"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_files_that_are_no_graph_infos(tmp_path: Path, text: str, message: str):
    (tmp_path / "graph_infos.json").write_text(text)
    with pytest.raises(AutosplitError, match=message):
        GraphInfos.load(tmp_path)


def test_folders_that_are_none(tmp_path: Path):
    with pytest.raises(AutosplitError, match="no such folder"):
        GraphInfos.load(tmp_path / "gone")
    with pytest.raises(AutosplitError, match=r"graph_infos\.json: there is no such file"):
        GraphInfos.load(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(AutosplitError, match="is a file"):
        GraphInfos.load(tmp_path / "file")
    (tmp_path / "graph_infos.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(AutosplitError, match="cannot be read"):
        GraphInfos.load(tmp_path)


def test_reading_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys, autosplit.folder.infos_reader as g;"
        "print([m for m in ('numpy', 'xdsl', 'onnx', 'google') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
