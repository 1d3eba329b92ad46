"""INT8 that would be useless gets real numbers where that helps, and where nothing does, a line says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import real
from test_blame import outlier

from autosplit.calibration.calibrate import tables
from autosplit.devices import get_chip
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting import rescue as rescuing
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.converting.rescue import PARTS, Parts, finite_cosine, rescue
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.top_mlir.reader import read_top
from autosplit.runtime.runner import open_runner

ort = pytest.importorskip("onnxruntime")

SAMPLES = np.random.default_rng(1).standard_normal((6, 1, 10, 16)).astype(np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    real()
    (tmp_path / "data").mkdir()
    for i, sample in enumerate(SAMPLES[:4]):
        np.save(tmp_path / "data" / f"{i}.npy", sample)
    model = outlier(tmp_path / "net.onnx")
    split_model(SplitOptions(model, out=tmp_path / "out", target="bm1688", mode="INT8"))
    return tmp_path / "out"


def converted(folder: Path, **options: Any) -> tuple[Any, str]:
    notes: list[str] = []
    data = [str(folder.parent / "data")]
    given = ConvertOptions(folder, mode="INT8", data=data, note=notes.append, **options)
    return convert_folder(given).graphs[0], "\n".join(notes)


def cosines(folder: Path) -> list[float]:
    """Of samples that it was not calibrated with."""
    session = ort.InferenceSession(str(folder.parent / "net.onnx"))
    found: list[float] = []
    with open_runner(folder, 2, use_cmodel=True) as runner:
        for sample in SAMPLES[4:]:
            exact = np.ravel(session.run(None, {"x": sample})[0])
            made = np.ravel(runner.infer({"x": sample})["y"])
            lengths = np.linalg.norm(exact) * np.linalg.norm(made)
            found.append(float(exact @ made / max(lengths, 1e-9)))
    return found


def test_without_options_what_int8_destroys_is_computed_in_f16(folder: Path):
    graph, notes = converted(folder)
    assert graph.state == "compiled"
    assert "1 of 4 ops is computed in F16: by trials, all in INT8 would leave" in notes
    assert min(cosines(folder)) > 0.99
    # The table of an earlier run is taken with all that was decided.
    assert converted(folder)[0].state == "taken"


def test_who_says_what_is_computed_in_f32_has_decided(folder: Path):
    """An op in f32 that is not to blame leaves the outputs useless."""
    graph, notes = converted(folder, f32=["first"])
    assert graph.state == "compiled"
    assert "by trials" not in notes
    assert max(cosines(folder)) < 0.5


def test_where_nothing_helps_there_is_a_warning(folder: Path):
    chip = get_chip("bm1688")
    top = read_top(folder / "graph_ir_0" / "graph_0.mlir")
    samples = [{"x": sample} for sample in SAMPLES[:4]]
    made = tables(top, samples, chip=chip)
    # What is 8 bits in any case is what to blame.
    notes: list[str] = []
    blamed = [name for name in made.ranges if name in ("c", "d")]
    assert blamed
    same = rescue("graph_0", made, samples, chip, blamed, note=notes.append)
    assert same is made
    assert "warning: by trials, INT8 leaves a cosine of" in notes[0]
    # So it is where all values are 8 bits in any case, as they are in a quantized model.
    assert rescue("graph_0", made, samples, chip, [*made.ranges], note=notes.append) is made
    assert "warning: by trials, INT8 leaves a cosine of" in notes[1]
    # A table that is good as it is stays as it is.
    fine = replace(made, modes={**made.modes, **dict.fromkeys(["c", "d"], "F16")})
    assert rescue("graph_0", fine, samples, chip, note=notes.append) is fine
    assert len(notes) == 2


def test_a_first_sample_that_is_good_settles_it(folder: Path):
    chip = get_chip("bm1688")
    top = read_top(folder / "graph_ir_0" / "graph_0.mlir")
    samples = [{"x": sample} for sample in SAMPLES[:4]]
    made = tables(top, samples, chip=chip)
    fine = replace(made, modes={**made.modes, **dict.fromkeys(["c", "d"], "F16")})
    left = iter(samples)
    assert rescue("graph_0", fine, left, chip) is fine
    assert len([*left]) == 3
    # What is useless is tried with all of them.
    left = iter(samples)
    assert rescue("graph_0", made, left, chip) is not made
    assert not [*left]
    assert rescue("graph_0", made, [], chip) is made


def test_weights_of_4_bits_may_be_as_far_off_as_the_gate_allows(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    chip = get_chip("bm1688")
    top = read_top(folder / "graph_ir_0" / "graph_0.mlir")
    samples = [{"x": sample} for sample in SAMPLES[:4]]
    made = tables(top, samples, chip=chip)
    # Between both limits, 0.95 and 0.9.
    monkeypatch.setattr(rescuing, "finite_cosine", between)
    assert rescue("graph_0", made, samples, chip, mode="W4INT8") is made
    notes: list[str] = []
    rescue("graph_0", made, samples, chip, note=notes.append)
    assert "by trials, INT8 leaves a cosine of 0.9300" in notes[0]


def between(made: object, exact: object) -> float:
    """What both limits disagree on."""
    return 0.93


def test_numbers_that_are_infinite_say_nothing():
    exact = {"y": np.array([1.0, -np.inf, 2.0, 0.0]), "n": np.array([3, 4])}
    made = {"y": np.array([1.0, -np.inf, 2.1, np.inf]), "n": np.array([3, 4])}
    assert 0.999 < finite_cosine([made], [exact]) < 1
    assert finite_cosine([{**made, "y": -made["y"]}], [exact]) < 0


def test_parts_are_neighbours_and_all_ops():
    class Ops:
        """Something with ops."""

        types = {f"op{i}": "Conv" for i in range(100)}

    from autosplit.flows.converting.rescue import cut

    parts = Parts(Ops(), cut(list(Ops.types)))
    assert len(parts.parts) == PARTS
    assert parts.ops(parts.products) == list(Ops.types)
    assert {len(ops) for ops in parts.parts.values()} == {3, 4}
    assert cut([]) == {}
