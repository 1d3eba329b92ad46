"""What `convert` asks of the tool chain beside a mode: cores, weights of fewer bits, asymmetric ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_models import X, split_two
from convert_toolchain import needs_toolchain

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.devices import BUILDS, all_chips, get_chip, read_table
from autosplit.devices.builds import NARROW, check_build, full_mode, split_mode
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import Converted, ConvertOptions
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import read_compilation
from autosplit.inputs.specs import InputSpec
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.testing.encoders import Encoder, encoder_feeds, encoder_model
from autosplit.toolchains.bmodel_compile import Settings, bmodel_problem, steps
from autosplit.tools.cli import main as cli


def convert(folder: Path, **options: Any) -> Converted:
    result = convert_folder(ConvertOptions(folder, **options))
    result.check()
    return result.graphs[0]


def test_narrow_modes_are_a_mode_and_bits() -> None:
    assert split_mode("F16") == ("F16", 0)
    for name in NARROW:
        mode, bits = split_mode(name)
        assert full_mode(mode, {"weight_bits": bits}) == name
    with pytest.raises(AutosplitError, match="computes zeros in it for BM1688"):
        split_mode("INT4")
    assert {n for chip in all_chips() for n in chip.builds if n in NARROW} <= set(TOLERANCES)


def test_each_chip_says_of_each_build_whether_it_has_it() -> None:
    for chip in all_chips():
        assert {*chip.builds, *chip.no_builds} == set(BUILDS)
        assert all(text.startswith("measured: ") for text in chip.builds.values())


def test_a_build_that_no_table_knows_is_refused() -> None:
    import tomllib

    from autosplit import devices

    path = Path(devices.__file__).parent / "bm1684.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    del table["no_builds"]["cores"]
    with pytest.raises(AutosplitError, match="'cores' in one of builds and no_builds"):
        read_table(table, "x.toml")


@pytest.mark.parametrize(
    ("chip", "mode", "build", "message"),
    [
        ("bm1684x", "F16", {"cores": 2}, r"--cores 2: BM1684X has 1 .*, expected 1$"),
        ("bm1688", "F16", {"cores": 3}, r"--cores 3: BM1688 has 2 .*, expected 1 to 2$"),
        ("bm1688", "F16", {"asymmetric": 1}, "--asymmetric: is for INT8, the mode is F16"),
        ("bm1684", "INT8", {"asymmetric": 1}, r"--asymmetric: not for BM1684 \(measured: "),
        ("bm1684", "F16", {"weight_bits": 4}, r"--mode W4F16: not for BM1684 \(the chip does not "),
        (
            "bm1688",
            "BF16",
            {"weight_bits": 8},
            r"W8BF16: not for BM1688 \(measured: .* W4F16, W4INT8",
        ),
        ("bm1684x", "INT8", {"weight_bits": 4}, r"--mode W4INT8: not for BM1684X \(measured: "),
    ],
)
def test_what_a_chip_has_not_is_refused(
    chip: str, mode: str, build: dict[str, int], message: str
) -> None:
    with pytest.raises(AutosplitError, match=message):
        check_build(get_chip(chip), mode, build)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--target bm1684x --cores 2", "--cores 2: BM1684X has 1"),
        ("--target bm1688 --mode W8BF16", "--mode W8BF16: not for BM1688"),
        ("--target bm1684 --asymmetric", "--asymmetric: is for INT8, the mode is F32"),
        ("--target bm1688 --mode int4", "mode INT4: TPU-MLIR"),
    ],
)
def test_deploy_refuses_before_it_reads_the_model(
    arguments: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["deploy", str(tmp_path / "none.onnx"), "-o", str(tmp_path / "out"), *arguments.split()]
    assert cli.main(line) == 1
    assert message in capsys.readouterr().err
    assert cli.main(["split", str(tmp_path / "x.onnx"), "-o", str(tmp_path / "o")]) == 1


SETTINGS: Settings = {
    **{"mlir": "n.mlir", "weights": "w.npz", "chip": "bm1688", "mode": "INT8", "net": "n"},
}


def test_builds_reach_the_steps() -> None:
    usual = str(steps("tpuc-opt", SETTINGS))
    assert "mode=INT8 num_device=1 num_core=1 " in usual
    assert "asymmetric=True" not in usual
    assert "q_group_size=0 " in usual
    build = str(steps("tpuc-opt", {**SETTINGS, "build": {"cores": 2, "asymmetric": True}}))
    assert "mode=INT8 num_device=1 num_core=2 " in build
    assert "--import-calibration-table=file=calibration asymmetric=True" in build
    assert "tpu_weights.npz asymmetric=True" in build
    narrow = str(steps("tpuc-opt", {**SETTINGS, "mode": "F16", "build": {"weight_bits": 4}}))
    assert "mode=W4F16 num_device=1 num_core=1 " in narrow
    assert "q_group_size=64 " in narrow


def test_the_cores_of_a_bmodel_are_checked() -> None:
    text = "chip: BM1688\nnet 0: [n]  static\n------------\nstage 0, core num: 2\n"
    wrong = bmodel_problem(text, SETTINGS)
    assert wrong == "it is for 2 of the chip's cores, expected 1"
    assert bmodel_problem(text, {**SETTINGS, "build": {"cores": 2}}) == ""


@needs_toolchain
def test_two_cores_compute_the_same(tmp_path: Path) -> None:
    folder = split_two(tmp_path / "out", "bm1688", "Sigmoid", pins=[], mode="F16")
    made: list[Any] = []
    for cores in (1, 2):
        graph = convert(folder, cores=cores)
        assert graph.state == "compiled", "another build is another bmodel"
        record = read_compilation(graph.bmodel.parent)
        assert record is not None
        assert record.build == ({} if cores == 1 else {"cores": 2})
        run = BmodelExecutor.of_record(graph.bmodel, record)
        made.append(run.run({"x": X}, ["y"])["y"])
        run.close()
    np.testing.assert_array_equal(made[0], made[1])
    assert convert(folder, cores=2).state == "taken"


@needs_toolchain
def test_attention_in_f16_on_bm1688(tmp_path: Path) -> None:
    """TPU-MLIR would make one op of it, and give up."""
    folder = split_encoder(tmp_path, Encoder(mask="none"), "F16")
    graph = convert(folder, compare=True, samples=1)
    (measure,) = graph.comparison.values()
    assert measure.cosine > 0.9999


@needs_toolchain
def test_narrow_weights_make_a_smaller_bmodel(tmp_path: Path) -> None:
    spec = Encoder(mask="none", hidden=128, inner=512)
    folder = split_encoder(tmp_path, spec, "F16")
    sizes: dict[int, int] = {}
    notes: list[str] = []
    for bits, least in ((0, 0.9999), (8, 0.999), (4, 0.95)):
        graph = convert(folder, weight_bits=bits, compare=True, samples=1, note=notes.append)
        (measure,) = graph.comparison.values()
        assert measure.cosine > least
        sizes[bits] = graph.size
        record = read_compilation(graph.bmodel.parent)
        assert record is not None
        assert record.full_mode == full_mode("F16", {"weight_bits": bits})
    # Of 0.39 MB of weights in F16; all else stays as large.
    assert sizes[0] - sizes[8] > 100_000
    assert sizes[8] - sizes[4] > 60_000
    # The encoder has 6 weights for products, and two products of values for the attention.
    said = [note for note in notes if "products of matrices" in note]
    assert [note.partition(";")[0] for note in said] == [
        f"graph_0: weights of {bits} bits in 6 of 8 products of matrices" for bits in (8, 4)
    ]


@needs_toolchain
def test_asymmetric_ranges_are_nearer(tmp_path: Path) -> None:
    """Of an input that is seldom below 0, symmetric ranges use little more than one half."""
    folder = split_two(tmp_path / "out", "bm1688", "Sigmoid", pins=[], mode="INT8")
    np.save(tmp_path / "x.npy", X.astype(np.float32) - 0.125)
    off: list[float] = []
    for asymmetric in (False, True):
        api.convert(
            folder, compare=True, mode="INT8", data=tmp_path / "x.npy", asymmetric=asymmetric
        )
        record = read_compilation(folder / "graph_ir_0")
        assert record is not None
        (measure,) = record.comparison.values()
        off.append(measure.relative)
    assert off[1] < off[0] < 0.05


def split_encoder(path: Path, spec: Encoder, mode: str) -> Path:
    """The folder of an encoder that is one sub-model for BM1688."""
    model, folder = path / "encoder.onnx", path / "out"
    onnx.save(encoder_model(spec), model)
    shapes = {name: InputSpec.of(array) for name, array in encoder_feeds(spec).items()}
    split_model(SplitOptions(model, folder, shapes, target="bm1688", mode=mode))
    return folder
