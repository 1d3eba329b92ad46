"""`convert --table`, `--quantize-table` and `--f32`: tables that a user gives, in TPU-MLIR's form."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_models import X, split_two, two_convolutions
from convert_toolchain import needs_toolchain

from autosplit.calibration.table_files import read_quantize_table, table_lines
from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions, ConvertResult
from autosplit.flows.deploy import deploy_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import read_compilation
from autosplit.inputs.specs import InputSpec

pytestmark = needs_toolchain

MODES = "quantize_table"


def convert(folder: Path, **options: Any) -> ConvertResult:
    result = convert_folder(ConvertOptions(folder, **{"mode": "INT8", **options}))
    result.check()
    return result


def table_of(folder: Path, kind: str = "calibration", index: int = 0) -> Path:
    return folder / f"graph_ir_{index}" / f"graph_{index}_{kind}"


def lines_of(text: str) -> dict[str, tuple[float, float, float]]:
    """Threshold, least and largest number, by name."""
    return {name: (limit, one.low, one.high) for _, name, limit, one in table_lines(text)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one sub-model, with its table."""
    folder = tmp_path_factory.mktemp("given") / "out"
    data = folder.with_name("x.npy")
    np.save(data, X)
    split_two(folder, "bm1684x", "Sigmoid", pins=[], mode="INT8")
    convert(folder, data=[str(data)])
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copy(whole.with_name("x.npy"), tmp_path / "x.npy")
    return Path(shutil.copytree(whole, tmp_path / "out"))


def data_of(folder: Path) -> list[str]:
    return [str(folder.with_name("x.npy"))]


def test_a_table_takes_the_place_of_samples(folder: Path, tmp_path: Path) -> None:
    text = table_of(folder).read_text("utf-8")
    given = tmp_path / "table"
    # Half of its range; and what the tool chain's own converter calls a value.
    line = next(line for line in text.splitlines() if line.startswith("m "))
    given.write_text(text.replace(line, "m_Sigmoid 0.25 -0.125 0.5"), "utf-8")
    convert(folder, table=given)
    used, before = lines_of(table_of(folder).read_text("utf-8")), lines_of(text)
    assert used.keys() == before.keys()
    assert used["m"] == (0.25, -0.125, 0.5)
    assert used["y"] == before["y"]
    # What was written is read back as the same, and the bmodel is of that table.
    first = table_of(folder).read_bytes(), (folder / "graph_ir_0/compilation.bmodel").read_bytes()
    shutil.copy(table_of(folder), given)
    convert(folder, table=given)
    again = (folder / "graph_ir_0/compilation.bmodel").read_bytes()
    assert again == first[1]
    assert lines_of(table_of(folder).read_text("utf-8")) == used


def test_a_smaller_threshold_saturates_on_the_emulator(folder: Path, tmp_path: Path) -> None:
    given = tmp_path / "table"
    text = table_of(folder).read_text("utf-8")
    given.write_text(re.sub(r"(?m)^y .*$", "y 0.5 0 0.5", text), "utf-8")
    with pytest.raises(AutosplitError, match="output 'y' of the emulator differs"):
        convert(folder, table=given, data=data_of(folder), compare=True)


def test_samples_give_what_a_table_lacks(folder: Path, tmp_path: Path) -> None:
    given, before = tmp_path / "table", lines_of(table_of(folder).read_text("utf-8"))
    given.write_text("r1 3 -1 3\n", "utf-8")
    with pytest.raises(
        AutosplitError, match=r"table: has no range for 'x' and 2 more; give samples"
    ):
        convert(folder, table=given)
    convert(folder, table=given, data=data_of(folder))
    found = lines_of(table_of(folder).read_text("utf-8"))
    assert found["r1"] == (3, -1, 3)
    assert found["y"] == before["y"]


def test_modes_are_those_of_the_quantize_table(folder: Path, tmp_path: Path) -> None:
    given = tmp_path / "modes"
    # The first convolution becomes part of its Relu.
    given.write_text("c1 F16\ny_Relu BF16\n", "utf-8")
    convert(folder, quantize_table=given, data=data_of(folder), compare=True)
    written = table_of(folder, "quantize").read_text("utf-8")
    assert [line[1:] for line in read_quantize_table(written)] == [("r1", "F16"), ("y", "BF16")]
    record = read_compilation(folder / "graph_ir_0")
    assert record is not None
    assert record.in_f32 == (
        "'r1': computed in F16, as asked for",
        "'y': computed in BF16, as asked for",
    )
    given.write_text(written, "utf-8")
    state = convert(folder, quantize_table=given, data=data_of(folder)).graphs[0].state
    assert state == "compiled"
    assert table_of(folder, "quantize").read_text("utf-8") == written


@pytest.mark.parametrize("mode", ["INT8", "F16"])
def test_ops_by_name_stay_in_f32(folder: Path, mode: str) -> None:
    convert(folder, mode=mode, f32=["conv1"], data=data_of(folder))
    written = table_of(folder, "quantize").read_text("utf-8")
    assert [line[1:] for line in read_quantize_table(written)] == [("r1", "F32")]


def test_all_in_f32_is_f32(folder: Path) -> None:
    made = convert(folder, f32=[".*"], data=data_of(folder), compare=True)
    assert made.graphs[0].comparison["y"].relative < 1e-5


def test_each_sub_model_takes_its_own_lines(tmp_path: Path) -> None:
    """The names of a CPU sub-model are no mistake."""
    model = two_convolutions(tmp_path / "two.onnx", "Sigmoid")
    split = SplitOptions(
        model, tmp_path / "out", {"x": InputSpec.of(X)}, target="bm1684x", mode="INT8",
        pins=[("middle", "cpu")], keep=1.0,
    )  # fmt: skip
    given, modes = tmp_path / "table", tmp_path / "modes"
    given.write_text("x 1 0 1\nr1 2 0 2\nm 1 0 1\ny 4 0 4\nmiddle 1 0 1\n", "utf-8")
    modes.write_text("m F32\ny F32\n", "utf-8")
    options = ConvertOptions(
        tmp_path, target="bm1684x", mode="INT8", table=given, quantize_table=modes
    )
    deploy_model(split, options)
    found = [lines_of(table_of(tmp_path / "out", index=i).read_text("utf-8")) for i in (0, 2)]
    assert [{name: numbers[0] for name, numbers in one.items()} for one in found] == [
        {"x": 1, "r1": 2},
        {"m": 1, "y": 4},
    ]
    assert not table_of(tmp_path / "out", "quantize").exists()
    assert "\ny F32\n" in table_of(tmp_path / "out", "quantize", 2).read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "option", "message"),
    [
        ("rr1 1 0 1\n", "table", "table, line 1: NONE has a value 'rr1' (did you mean 'r1'?)"),
        ("\nx F16\n", "table", "table: is a quantize table, expected a calibration table of TPU-MLIR"),
        ("x 1 0 1\n", MODES, "table: is a calibration table, expected a quantize table of TPU-MLIR"),
        ("y 1 2 nan\n", "table", "table: line 1 of the calibration table is 'y 1 2 nan', expected"),
        ("# modes\nc1 F16\nc3 F16\n", MODES, "table, line 3: NONE has a value 'c3'"),
        ("y W4F16\n", MODES, "table, line 1: BM1684X computes in F32, F16, BF16, INT8, not in W4F16"),
        ("", "", "--f32 'konv1' matches no op of a sub-model for the TPU (did you mean 'conv1'?)"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table(
    folder: Path, tmp_path: Path, text: str, option: str, message: str
) -> None:
    given = tmp_path / "table"
    given.write_text(text, "utf-8")
    before = (folder / "graph_ir_0/compilation.bmodel").read_bytes()
    options: dict[str, Any] = {option: given} if option else {"f32": ["konv1"]}
    message = message.replace("NONE", "no sub-model for the TPU")
    with pytest.raises(AutosplitError, match=re.escape(message)):
        convert(folder, data=data_of(folder), **options)
    assert (folder / "graph_ir_0/compilation.bmodel").read_bytes() == before


def test_modes_that_take_no_table(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(AutosplitError, match="has the ranges of INT8, the mode is F16"):
        convert(folder, mode="F16", table=tmp_path / "table")
    with pytest.raises(AutosplitError, match="in mode F32 all is computed in F32"):
        convert(folder, mode="F32", f32=["conv1"])
    with pytest.raises(AutosplitError, match="there is no such file"):
        convert(folder, table=tmp_path / "none")
