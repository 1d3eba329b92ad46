"""A `.pt2` does not say what a custom op updates: whatever it does, the sub-models compute the same."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from sampled import sample

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import Array
from autosplit.dialects.aten import nodes_of
from autosplit.dialects.platform import platform_graph
from autosplit.folder.infos_reader import GraphInfos
from autosplit.formats.pytorch.reader import import_file
from autosplit.inputs.custom_ops import check_loading
from autosplit.lowering.reduce_mutation.kept import KEPT
from autosplit.lowering.reduce_mutation.reduction import reduce_mutation
from autosplit.runtime import runner
from autosplit.testing.custom_ops import compiled, pytorch_library
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


@pytest.mark.parametrize("seed", sample(range(3)))
def test_random_programs_cut_anywhere(tmp_path: Path, seed: int) -> None:
    check(Chosen(seed).eval(), tmp_path, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3, 100))
def test_more_random_programs(tmp_path: Path, seed: int) -> None:
    check(Chosen(seed).eval(), tmp_path, seed)


OPS = """
import torch

@torch.library.custom_op("autosplit_{name}::plain", mutates_args=())
def plain(x: torch.Tensor) -> torch.Tensor:
    return x * 2 + 1

plain.register_fake(torch.empty_like)
library = torch.library.Library("autosplit_{name}_too", "DEF")
library.define("scaled(Tensor(a!) x, float k) -> Tensor")

def scaled(x, k):
    return x.mul_(k).sum(0)

library.impl("scaled", scaled, "CPU")
library.impl("scaled", lambda x, k: x.new_empty(x.shape[1:]), "Meta")
"""


class FromFile(nn.Module):
    """Ops of a file between layers: one that updates nothing, and one that updates its operand."""

    def __init__(self, name: str):
        super().__init__()
        torch.manual_seed(0)
        self.a, self.b, self.c = nn.Linear(6, 64), nn.Linear(64, 64), nn.Linear(64, 64)
        self.name = name

    def forward(self, x: Tensor) -> Tensor:
        x = self.a(x)
        y = self.b(getattr(torch.ops, f"autosplit_{self.name}").plain(x) + x)
        z = getattr(torch.ops, f"autosplit_{self.name}_too").scaled(y, 0.5)
        return self.c(y + z)


def ops_file(name: str, folder: Path) -> Path:
    """A Python file that registers ops, which this process imports as a program of a user's would."""
    file = folder / "ops.py"
    file.write_text(OPS.format(name=name))
    spec = spec_from_file_location(f"ops_of_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return file


def test_a_file_of_ops_says_what_they_update(tmp_path: Path) -> None:
    file = ops_file("file", tmp_path)
    assert "autosplit_file.plain" in kept_without(tmp_path)
    names = check(FromFile("file"), tmp_path, None, custom_ops=(file,))
    assert names == ["graph_0.pt2", "graph_1.pt2", "graph_2.pt2"]
    infos = GraphInfos.load(str(tmp_path / "out"))
    assert [graph.device for graph in infos.graphs] == ["tpu", "cpu", "tpu"]
    assert infos.custom_ops == ("custom_ops/ops.py",)
    # Another process, which has never seen the file, runs the folder by its copy.
    file.unlink()
    assert "1 of 1 output is bit-equal" in compared(tmp_path)


def compared(tmp_path: Path) -> str:
    """What `run --compare` prints in a process of its own."""
    np.save(tmp_path / "x.npy", torch.randn(4, 6).numpy())
    feed = f"x={tmp_path / 'x.npy'}"
    return command("run", tmp_path / "out", "--input", feed, "--compare", tmp_path / "net.pt2")


def command(*args: str | Path) -> str:
    """What a command of autosplit's prints, in a process of its own."""
    line = [sys.executable, "-m", "autosplit.tools.cli.main", *map(str, args)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept_without(tmp_path: Path, name: str = "file") -> set[str]:
    """What stays beside an update where nobody says what the ops do."""
    saved(FromFile(name), torch.randn(4, 6), tmp_path / "net.pt2")
    return kept(tmp_path / "net.pt2")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of ops in C++, which this process has loaded as a program of a user's would."""
    path = pytorch_library(tmp_path_factory.mktemp("library"))
    torch.ops.load_library(path)
    return path


@pytest.mark.nightly
def test_a_compiled_library_says_what_its_ops_update(tmp_path: Path, library: Path) -> None:
    assert "autosplit_compiled.plain" in kept_without(tmp_path, "compiled")
    names = check(FromFile("compiled"), tmp_path, None, custom_ops=(library,))
    assert names == ["graph_0.pt2", "graph_1.pt2", "graph_2.pt2"]
    infos = GraphInfos.load(str(tmp_path / "out"))
    assert [graph.device for graph in infos.graphs] == ["tpu", "cpu", "tpu"]
    assert infos.custom_ops == (f"custom_ops/{library.name}",)


def test_a_compiled_library_from_the_command_line(tmp_path: Path, library: Path) -> None:
    """Neither process has the library from anywhere else; the folder runs by its copy after a move."""
    path = saved(FromFile("compiled"), torch.randn(4, 6), tmp_path / "net.pt2")
    own = tmp_path / "mine.so"
    own.write_bytes(library.read_bytes())
    command("split", path, "--custom-ops", own, "-o", tmp_path / "first")
    own.unlink()
    (tmp_path / "first").rename(tmp_path / "out")
    assert "1 of 1 output is bit-equal" in compared(tmp_path)


def test_a_library_that_does_not_link(tmp_path: Path) -> None:
    path = saved(nn.Linear(6, 6), torch.randn(4, 6), tmp_path / "net.pt2")
    source = "int autosplit_missing(void); int f(void) { return autosplit_missing(); }"
    library = compiled(source, tmp_path, "lib.so", "-Wl,-z,now")
    with pytest.raises(AutosplitError, match="does not load as custom ops of PyTorch") as error:
        split(path, tmp_path / "out", {}, custom_ops=(library,))
    assert "needs autosplit_missing, which this release does not have" in str(error.value)
    assert "\n" not in str(error.value)


WRONG = {
    "import autosplit_no_such_module\n": "ModuleNotFoundError: No module named",
    "raise ValueError('no device')\n": "ValueError: no device",
    "def f(:\n": "SyntaxError: ",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_does_not_load(tmp_path: Path, text: str) -> None:
    path = saved(nn.Linear(6, 6), torch.randn(4, 6), tmp_path / "net.pt2")
    (tmp_path / "wrong.py").write_text(text)
    with pytest.raises(AutosplitError, match="does not load as custom ops of PyTorch") as error:
        split(path, tmp_path / "out", {}, custom_ops=(tmp_path / "wrong.py",))
    assert WRONG[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_python_files_are_for_pytorch_alone(tmp_path: Path) -> None:
    (tmp_path / "ops.py").write_text("")
    with pytest.raises(
        AutosplitError, match=r"ops\.py: is a Python file, which only PyTorch models take"
    ):
        check_loading("onnx", (tmp_path / "ops.py",))
