"""The checks of PyTorch programs: they never change the cut, and fail as in PyTorch where they stay."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import Array
from autosplit.explain.plan import Explanation, explain_folder
from autosplit.tools.cli import main as cli

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch
from torch import Tensor, nn

from autosplit.testing.torch_nets import UNTYPED, TorchCase, arrays_of


class Net(nn.Module):
    """Convolutions, between them a check of elements; rows by a number and by a mask, both checked."""

    def __init__(self, *, checks: bool) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.checks = checks

    def forward(self, x: Tensor, n: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        y = torch.relu(self.one(x))
        if self.checks:
            UNTYPED._assert_async(y.sum() > -1e9, "the sum is small")
        rows = n.item()
        UNTYPED._check(rows >= 1)
        UNTYPED._check(rows <= x.shape[2])
        places = torch.nonzero(n.reshape(1) > torch.arange(4))[:, 0]
        if self.checks:
            UNTYPED._check(places.shape[0] >= 2)
        # A cast makes torch.export check the element type.
        return self.two(y.to(torch.float32)), y[:, :, :rows].sum((2, 3)), places * 2


def case(*, checks: bool) -> TorchCase:
    UNTYPED.manual_seed(3)
    return TorchCase(Net(checks=checks).eval(), (torch.randn(2, 3, 8, 8), torch.tensor(3)))


def feeds(n: int) -> dict[str, Array]:
    x = np.random.default_rng(1).normal(size=(2, 3, 8, 8)).astype(np.float32)
    return {"x": x, "n": np.asarray(n)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both programs, cut."""
    made = tmp_path_factory.mktemp("checks")
    for name, checks in (("with", True), ("without", False)):
        case(checks=checks).save(made / f"{name}.pt2")
        args = ["split", str(made / f"{name}.pt2"), "-o", str(made / name)]
        assert cli.main(args) == 0
    return made


def shape_of_plan(found: Explanation) -> list[tuple[str, list[str]]]:
    """The sub-models, with the ops that compute."""
    return [
        (g.device, [o.type for o in found.ops if o.graph == g.name and "assert" not in o.type])
        for g in found.graphs
    ]


def test_checks_do_not_change_the_cut(folder: Path):
    found, plain = explain_folder(folder / "with"), explain_folder(folder / "without")
    tpu, wanted = (
        [kinds for device, kinds in shape_of_plan(f) if device == "tpu"] for f in (found, plain)
    )
    assert tpu == wanted
    assert [g.device for g in found.graphs] == [g.device for g in plain.graphs]
    kept = [op for op in found.ops if op.type == "_assert_scalar"]
    # Two bounds of the number, and two of how many places there are.
    assert len(kept) == 4
    assert {op.device for op in kept} == {"cpu"}


def test_numbers_are_checked_at_run_time(folder: Path):
    runner = api.load(folder / "with", mode=0)
    with torch.no_grad():
        module = torch.export.load(folder / "with.pt2").module()
        wanted = arrays_of(module(*map(torch.from_numpy, feeds(3).values())))
        for ours, theirs in zip(api.infer(runner, feeds(3)).values(), wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)
        for wrong in (0, 9, 1):
            with pytest.raises(RuntimeError, match="Runtime assertion failed"):
                module(*map(torch.from_numpy, feeds(wrong).values()))
            with pytest.raises(AutosplitError, match="Runtime assertion failed"):
                api.infer(runner, feeds(wrong))


def test_what_is_not_checked_is_told(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["explain", str(folder / "with")]) == 0
    lines = [x for x in capsys.readouterr().out.splitlines() if "not checked" in x]
    assert lines == ["not checked at run time: _assert_async.msg '_assert_async': the sum is small"]
    assert cli.main(["explain", str(folder / "without")]) == 0
    assert "not checked" not in capsys.readouterr().out


class Bounded(nn.Module):
    """A number of data, checked against a size of an input that nothing else reads."""

    def forward(self, x: Tensor, n: Tensor, other: Tensor) -> Tensor:
        rows = n.item()
        UNTYPED._check(rows >= 1)
        UNTYPED._check(rows <= x.shape[0])
        UNTYPED._check(rows <= other.shape[0])
        return x[:rows] * 2


def test_checks_keep_no_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    inputs = (torch.randn(4, 3), torch.tensor(3), torch.randn(5))
    sizes = (None, None, {0: torch.export.Dim("m", min=2, max=9)})
    UNTYPED.export.save(
        UNTYPED.export.export(Bounded(), inputs, dynamic_shapes=sizes), tmp_path / "net.pt2"
    )
    assert cli.main(["split", str(tmp_path / "net.pt2"), "-o", str(tmp_path / "out")]) == 0
    assert cli.main(["explain", str(tmp_path / "out")]) == 0
    assert "not checked at run time: _assert_scalar" in capsys.readouterr().out
