"""A `.pt2` does not say what a custom op updates: whatever it does, the sub-models compute the same."""

from __future__ import annotations

import random
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autosplit.core.weights import Array
from autosplit.dialects.aten import nodes_of
from autosplit.dialects.platform import platform_graph
from autosplit.formats.pytorch.reader import import_file
from autosplit.lowering.reduce_mutation.kept import KEPT
from autosplit.lowering.reduce_mutation.reduction import reduce_mutation
from autosplit.runtime import runner
from autosplit.testing.random_cut import random_cuts
from autosplit.testing.split import split

if find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch
from torch import Tensor, nn


@torch.library.custom_op("autosplit_written::plain", mutates_args=())
def plain(x: Tensor) -> Tensor:
    """Updates nothing."""
    return x * 2 + 1


@torch.library.custom_op("autosplit_written::shifted", mutates_args={"x"})
def shifted(x: Tensor, k: float) -> Tensor:
    """Updates its operand and returns something else, too."""
    return x.mul_(k).add_(1).sum(0)


@torch.library.custom_op("autosplit_written::mixed", mutates_args={"y"})
def mixed(x: Tensor, y: Tensor, more: list[Tensor]) -> tuple[Tensor, Tensor]:
    """Updates one of several operands."""
    y.sub_(x.mean()).add_(sum(one.amax() for one in more))
    return x * y, y + 1


plain.register_fake(torch.empty_like)
shifted.register_fake(lambda x, k: x.new_empty(x.shape[1:]))
mixed.register_fake(lambda x, y, more: (torch.empty_like(x), torch.empty_like(y)))


class Chosen(nn.Module):
    """A random program; every tensor of it is 4x6, or a view that can be written to."""

    def __init__(self, seed: int, size: int = 14):
        super().__init__()
        torch.manual_seed(seed)
        self.layers = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))
        self.register_buffer("state", torch.randn(4, 6))
        self.seed, self.size = seed, size

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        pick = random.Random(self.seed)
        made = [self.layers[0](x), torch.relu(x), x + 1]
        if pick.random() < 0.3:
            made.append(self.state)
        for _ in range(self.size):
            a, b, c = (pick.choice(made) for _ in range(3))
            match pick.randrange(8):
                case 0:
                    made.append(pick.choice([*self.layers])(a))
                case 1:
                    made.append(a.view(6, 4).view(4, 6) if a.is_contiguous() else a + b)
                case 2:
                    a.add_(0.5)
                case 3:
                    made.append(plain(a))
                case 4:
                    made.append(b * shifted(a, 0.5))
                case 5:
                    made += mixed(a, b, [b.neg(), c + 1])
                case 6:
                    made.append(torch.sigmoid(a) + b)
                case _:
                    made.append(torch.relu(a))
        return (*[one * 1 for one in pick.sample(made, 3)], made[-1])


def saved(module: nn.Module, sample: Tensor, path: Path) -> Path:
    with torch.no_grad():
        torch.export.save(torch.export.export(module, (sample,)), path)
    return path


def check(module: nn.Module, tmp_path: Path, seed: int | None, **options: object) -> list[str]:
    """Splits a program, and compares two runs with torch's; the devices of the sub-models."""
    sample = torch.randn(4, 6)
    path = saved(module, sample, tmp_path / "net.pt2")
    feeds: dict[str, Array] = {"x": sample.numpy()}
    if seed is None:
        split(path, tmp_path / "out", feeds, **options)
    else:
        with random_cuts(seed):
            split(path, tmp_path / "out", feeds, **options)
    folder = runner.load(str(tmp_path / "out"), mode=0)
    with torch.no_grad():
        whole = torch.export.load(path).module()
        for _ in range(2):
            wanted = whole(sample.clone())
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            got = runner.infer(folder, dict(feeds))
            for ours, theirs in zip(got.values(), wanted, strict=True):
                np.testing.assert_array_equal(ours, theirs.numpy(), strict=True)
    return sorted(p.name for p in (tmp_path / "out").glob("graph_*.pt2"))


class Residual(nn.Module):
    """A custom op beside a residual connection, of which `later` says whether it is behind the op."""

    def __init__(self, kind, later: bool):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.c = nn.Linear(6, 64), nn.Linear(64, 64), nn.Linear(64, 64)
        self.kind, self.later = kind, later

    def forward(self, x: Tensor) -> Tensor:
        x = self.a(x)
        before = self.b(x)
        y = self.kind(x)
        return self.c(y + x) if self.later else self.c(before + y)


def scaled(x: Tensor) -> Tensor:
    return shifted(x, 0.5)


def kept(path: Path) -> set[str]:
    """The types of what `reduce-mutation` leaves beside an update."""
    module, _ = import_file(path)
    reduce_mutation(module)
    return {op.op_type for op in nodes_of(platform_graph(module)) if KEPT in op.attributes}


@pytest.mark.parametrize("kind", [plain, scaled])
@pytest.mark.parametrize("later", [False, True])
def test_only_what_reads_behind_the_op_stays_with_it(tmp_path: Path, kind, later: bool) -> None:
    # A file does not tell the one that updates nothing from the other.
    check(Residual(kind, later), tmp_path, None)
    name = f"autosplit_written.{'plain' if kind is plain else 'shifted'}"
    assert kept(tmp_path / "net.pt2") == ({"linear", name} if later else set())


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_cut_anywhere(tmp_path: Path, seed: int) -> None:
    check(Chosen(seed).eval(), tmp_path, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3, 100))
def test_more_random_programs(tmp_path: Path, seed: int) -> None:
    check(Chosen(seed).eval(), tmp_path, seed)
