"""Samples that are spread over processes, and over a cluster: the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from autosplit.calibration.calibrators import CALIBRATORS, CHUNK
from autosplit.core.errors import AutosplitError
from autosplit.flows.quantize import QuantizeOptions, quantize_model
from autosplit.testing.networks.builder import Net, build
from autosplit.tools.cli.main import main

pytest.importorskip("onnxruntime")

Array = NDArray[Any]
COUNT = 2 * CHUNK + 3


def block(net: Net) -> None:
    x = net.op("Relu", net.conv(net.input("x", (1, 3, 12, 12)), 3, 8, 3))
    y = net.op("Sigmoid", net.conv(x, 8, 8, 3))
    x = net.op("Add", net.conv(y, 8, 8, 3), x)
    net.output(net.linear(net.op("Flatten", net.op("GlobalAveragePool", x)), 8, 4), "y")


def samples() -> list[dict[str, Array]]:
    random = np.random.default_rng(0)
    return [
        {"x": (random.standard_normal((1, 3, 12, 12)) * (1 + i)).astype(np.float32)}
        for i in range(COUNT)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model = tmp_path / "model.onnx"
    model.write_bytes(build("block", block, samples()[0]).SerializeToString())
    return model


def files(path: Path, name: str, **options: Any) -> tuple[bytes, bytes]:
    """The bytes of the model and of the recipe."""
    out = path.parent / name / "int8.onnx"
    out.parent.mkdir()
    quantize_model(QuantizeOptions(path, out, **{"samples": samples(), **options}))
    return out.read_bytes(), out.with_suffix(".recipe.json").read_bytes()


@pytest.mark.parametrize("calibrator", sorted(CALIBRATORS))
def test_processes_give_the_same_bytes(path: Path, calibrator: str) -> None:
    told: list[str] = []
    one = files(path, "one", calibrator=calibrator, correct_biases=True)
    others = files(
        path, "others", calibrator=calibrator, correct_biases=True, jobs=3, progress=told.append
    )
    assert one == others
    counts = [t for t in told if t.startswith("calibrating, ")]
    assert counts == [f"calibrating, {n} samples so far" for n in (CHUNK, 2 * CHUNK, COUNT)]


def test_smoothing_is_spread_too(path: Path) -> None:
    assert files(path, "one", smooth=0.5) == files(path, "two", smooth=0.5, jobs=2)


def test_a_sample_that_does_not_fit_is_named_by_its_number(path: Path) -> None:
    given = samples()
    given[CHUNK + 1] = {"x": np.full((1, 3, 12, 12), np.nan, np.float32)}
    with pytest.raises(
        AutosplitError, match=rf"^sample {CHUNK + 2}: 'x' holds numbers that are not"
    ):
        files(path, "one", samples=given, jobs=2)
    assert not list((path.parent / "one").iterdir())
    with pytest.raises(AutosplitError, match=r"--jobs 0: expected at least 1"):
        files(path, "two", jobs=0)


def test_a_cluster_gives_the_same_bytes(path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    one = files(path, "one", calibrator="moving-average")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    ) as cluster:
        address = cluster.scheduler_address
        assert files(path, "two", calibrator="moving-average", scheduler=address) == one
        given = samples()
        given[1] = {"z": given[1]["x"]}
        with pytest.raises(AutosplitError, match=r"sample 2: the input 'x' is missing"):
            files(path, "three", samples=given, scheduler=address)


def test_no_cluster(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(AutosplitError, match=r"--scheduler tcp://127.0.0.1:1: cannot be reached"):
        files(path, "one", scheduler="tcp://127.0.0.1:1")
    out = path.parent / "plan"
    assert main(["compile", str(path), "--scheduler", "tcp://h:1", "-o", str(out)]) == 1
    assert "--scheduler: applies to samples; give them with --data" in capsys.readouterr().err
