"""Programs with graphs inside: blocks such as torch.no_grad(), which are inlined, and branches."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch._higher_order_ops.map import map  # noqa: E402
from torch._higher_order_ops.scan import scan  # noqa: E402
from torch._higher_order_ops.while_loop import while_loop  # noqa: E402

from autosplit.dialects.platform import platform_graph  # noqa: E402
from autosplit.flows.split import SplitOptions, split_model  # noqa: E402
from autosplit.formats.pytorch.reader import import_file  # noqa: E402
from autosplit.formats.pytorch.writer import export_graph  # noqa: E402
from autosplit.quantization import QuantConf, convert  # noqa: E402
from autosplit.runtime import runner  # noqa: E402
from autosplit.runtime.frameworks.torch import TorchExecutor  # noqa: E402


class Blocks(nn.Module):
    """Blocks in a row and inside of each other; a result of one is what was given to it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)
        self.register_buffer("seen", torch.zeros(8))

    def forward(self, x):
        with torch.no_grad():
            y = self.a(x).relu()
            with torch.enable_grad():
                z = self.a(y + x)
            self.seen.add_(z.mean(0))
            whole, part = y, z[:, 2:6]
        with torch.no_grad():
            y = (whole - whole.mean()) * 2
        return self.b(y + z), part.relu(), self.seen * 1


class Branches(nn.Module):
    """A branch that reads weights, with another one inside."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x):
        y = self.a(x)

        def low(t):
            return torch.cond(t.mean() < -1, lambda u: u.cos(), lambda u: self.a(u) - 1, (t,))

        z = torch.cond(y.sum() > 0, lambda t: t.sin() + 1, low, (y,))
        return self.b(z)


class Loops(nn.Module):
    """A loop as long as data decide, with weights of the module, and one that never runs."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x):
        (same,) = while_loop(lambda t: t.sum() > 1e9, lambda t: (t * 2,), (x,))
        y = self.a(same)
        _, z = while_loop(
            lambda n, t: (n < 5) & (t.abs().sum() < 40),
            lambda n, t: (n + 1, self.a(t) + y.mean()),
            (torch.tensor(0), y),
        )
        return self.b(z + y), z.relu()


class Rows(nn.Module):
    """A graph for each row of a tensor, and one that goes on with what it made of the row before."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x):
        y = self.b(self.a(x))
        rows = map(lambda row, k: row.sin() * k, y, y.amax())
        last, sums = scan(lambda c, row: (c + row, c * row), y.mean(0), rows)
        return last, sums.relu()


class Autocast(nn.Module):
    """Ops in bfloat16 without a cast of their own; before, inside and behind them such in float32."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)
        self.norm = nn.BatchNorm1d(8)

    def forward(self, x):
        with torch.autocast("cpu", enabled=False):
            x = self.a(x)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(self.a(x)).relu()
            with torch.autocast("cpu", enabled=False):
                z = y.float() @ y.float().T
            w = self.a(z @ y.float())
        with torch.autocast("cpu", enabled=False):
            last = self.b(w.float())
        return last + 1


INPUTS = [torch.randn(3, 8, generator=torch.Generator().manual_seed(i)) * 3 for i in range(8)]


@pytest.fixture(params=[Blocks, Branches, Loops, Rows, Autocast])
def saved(request, tmp_path: Path):
    torch.manual_seed(0)
    module = request.param().eval()
    # With gradients on, as they are where a user exports.
    program = torch.export.export(module, (INPUTS[0],), strict=False)
    torch.export.save(program, tmp_path / "net.pt2")
    return module, tmp_path / "net.pt2"


KEPT = {
    Branches: {"higher_order.cond"},
    Loops: {"higher_order.while_loop"},
    Rows: {"higher_order.map_impl", "higher_order.scan"},
    Autocast: {"higher_order.wrap_with_autocast"},
}


def outputs(path: Path) -> list[str]:
    module, _ = import_file(path)
    return [name for name, _ in platform_graph(module).graph_outputs()]


@torch.no_grad()
def test_it_runs_op_by_op(saved):
    module, path = saved
    executor = TorchExecutor(path)
    for x in INPUTS:
        exact = module(x)
        found = executor.run({"x": x.numpy()}, outputs(path))
        expected = exact if isinstance(exact, tuple) else (exact,)
        for name, tensor in zip(outputs(path), expected, strict=True):
            assert np.array_equal(found[name], tensor.numpy()), name


@torch.no_grad()
def test_nothing_of_a_block_is_left(saved, tmp_path: Path):
    module, path = saved
    program, store = import_file(path)
    kinds = [op.op_type for op in platform_graph(program).body_ops() if hasattr(op, "op_type")]
    if not isinstance(module, Blocks):
        # Those that mean something are there.
        assert {kind for kind in kinds if "higher_order" in kind} == KEPT[type(module)]
        return
    assert not any("higher_order" in kind for kind in kinds)
    assert kinds.count("linear") == 3
    # Written again, PyTorch opens it.
    export_graph(program, platform_graph(program), store).write(tmp_path / "again.pt2")
    again = torch.export.load(tmp_path / "again.pt2").module()
    for x in INPUTS[:3]:
        for mine, own in zip(again(x), module(x), strict=True):
            assert torch.equal(mine, own)


@torch.no_grad()
def test_it_is_split(saved, tmp_path: Path):
    module, path = saved
    split_model(SplitOptions(path, out=tmp_path / "out", target="bm1684x"))
    exact = module(INPUTS[1])
    expected = exact if isinstance(exact, tuple) else (exact,)
    found = runner.infer(runner.load(str(tmp_path / "out"), mode=0), {"x": INPUTS[1].numpy()})
    for name, tensor in zip(outputs(path), expected, strict=True):
        assert np.array_equal(found[name], tensor.numpy()), name


@torch.no_grad()
def test_branches_are_run_by_torch_between_parts():
    torch.manual_seed(0)
    module = Branches().eval()
    ours = convert(module, QuantConf(), INPUTS)
    for x in INPUTS:
        found, exact = ours(x), module(x)
        assert 0 < float((found - exact).abs().max() / exact.abs().max()) < 0.05
    assert ours.left == {"cond": "chooses a graph to run"}
    assert ours.explained.partitions


class Strided(nn.Module):
    """Elements as they lie in memory, which the order of the channels decides."""

    def __init__(self, channels_last: bool):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 8, 3), nn.Conv2d(1, 4, 3, padding=1)
        self.channels_last = channels_last

    def forward(self, x):
        if self.channels_last:
            x = x.to(memory_format=torch.channels_last)
        return self.b(self.a(x).relu().as_strided((1, 1, 6, 6), (1, 1, 7, 5), 3))


@torch.no_grad()
@pytest.mark.parametrize("channels_last", [False, True])
def test_memory_is_read_as_it_lies_in_the_whole_program(tmp_path: Path, channels_last: bool):
    torch.manual_seed(0)
    module, x = Strided(channels_last).eval(), torch.randn(1, 3, 10, 10)
    torch.export.save(torch.export.export(module, (x,)), tmp_path / "net.pt2")
    split_model(SplitOptions(tmp_path / "net.pt2", out=tmp_path / "out", target="bm1684x"))
    folder = runner.load(str(tmp_path / "out"), mode=0)
    assert [graph.device for graph in folder.infos.graphs] == (
        ["cpu", "tpu"] if channels_last else ["tpu"]
    )
    (found,) = runner.infer(folder, {"x": x.numpy()}).values()
    assert np.array_equal(found, module(x).numpy())
