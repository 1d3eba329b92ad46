"""Programs compute what they computed before `reduce-mutation`, bit for bit, and leave the same behind."""

from __future__ import annotations

import json
import logging
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from aten_programs import Program, executed, grown, imported, torch
from xdsl.dialects.builtin import ModuleOp

from autosplit.core.parsing import parse_mlir
from autosplit.dialects.aten import GraphOp, WriteBackOp, nodes_of
from autosplit.dialects.aten.memory import can_view, is_contiguous
from autosplit.dialects.platform import platform_graph
from autosplit.lowering.reduce_mutation.kept import KEPT
from autosplit.lowering.reduce_mutation.reduction import reduce_mutation
from autosplit.registry import make_context

nn: Any = torch.nn
functional: Any = torch.nn.functional


@pytest.fixture(autouse=True)
def _quiet(recwarn: pytest.WarningsRecorder) -> None:
    """PyTorch warns of much that random programs do."""
    logging.getLogger("torch").setLevel(logging.CRITICAL)


def reduced(module: ModuleOp) -> GraphOp:
    """The graph after the pass, which leaves it as it is the second time."""
    graph = platform_graph(module)
    assert isinstance(graph, GraphOp)
    reduce_mutation(module)
    module.verify()
    text = str(module)
    reduce_mutation(module)
    assert str(module) == text
    return graph


def is_whole(graph: GraphOp) -> bool:
    """Whether nothing is updated in place any more; what is, says why."""
    left = [op for op in nodes_of(graph) if op.written() and not isinstance(op, WriteBackOp)]
    assert all(KEPT in op.attributes for op in left)
    assert bool(left) == any(KEPT in op.attributes for op in nodes_of(graph))
    return not left


def returned_names(path: Path) -> list[str]:
    """The names of a program's outputs in its file, repeated ones too."""
    with zipfile.ZipFile(path) as archive:
        name = next(n for n in archive.namelist() if n.endswith("models/model.json"))
        program = json.loads(archive.read(name))["graph_module"]
    outputs, specs = program["graph"]["outputs"], program["signature"]["output_specs"]
    return [
        output["as_tensor"]["name"]
        for output, spec in zip(outputs, specs, strict=True)
        if "user_output" in spec
    ]


def listed(result: Any) -> list[Any]:
    return [*result] if isinstance(result, tuple) else [result]


def compare(module: Any, graph: GraphOp, names: list[str], feeds: Any, runs: int = 2) -> None:
    """Runs a module and its program side by side, with what an earlier run left in the buffers."""
    states: dict[str, Any] = {}
    places = {name: i for i, name in enumerate(dict.fromkeys(names))}
    for run in range(runs):
        here, there = feeds(run), feeds(run)
        with torch.no_grad():
            expected = listed(module(*here))
        outputs = executed(graph, there, states)
        assert len(outputs) == len(places)
        found = [outputs[places[name]] for name in names]
        tensors = {**dict(module.named_buffers()), **dict(module.named_parameters())}
        for a, b in [
            *zip(expected, found, strict=True),
            *zip(here, there, strict=True),
            *((tensors[name], value) for name, value in states.items() if name in tensors),
        ]:
            assert a.dtype == b.dtype
            assert torch.equal(a.nan_to_num(), b.nan_to_num())


def check(program: Program, path: Path) -> bool | None:
    """Compares one program; whether it was reduced completely, None where PyTorch does not export it."""
    try:
        module = imported(program.module(), program.feeds(), path)
    except (RuntimeError, IndexError):
        return None
    graph = reduced(module)
    compare(program.module(), graph, returned_names(path), program.feeds)
    return is_whole(graph)


def check_many(seeds: range, path: Path) -> None:
    found: dict[bool | None, list[int]] = {True: [], False: [], None: []}
    for seed in seeds:
        program = grown(seed)
        try:
            found[check(program, path)].append(seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}\n{program.text}") from error
    print(f"reduced {len(found[True])}, in part {len(found[False])}, no export {len(found[None])}")
    # Each one that stays in part has a view or an update that is refused; few have.
    assert len(found[True]) > 0.8 * len(seeds)


def test_random_programs(tmp_path: Path):
    check_many(range(60), tmp_path / "m.pt2")


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_many_random_programs(tmp_path: Path):
    check_many(range(60, 2060), tmp_path / "m.pt2")


Module: Any = nn.Module


class Norms(Module):
    """Running statistics, a counter, and activations in place."""

    def __init__(self) -> None:
        Module.__init__(self)
        self.first, self.second = nn.BatchNorm2d(3), nn.BatchNorm2d(3)
        self.conv = nn.Conv2d(3, 3, 3)

    def forward(self, x: Any) -> Any:
        y = functional.relu(self.first(x), inplace=True)
        return functional.silu(self.second(self.conv(y)), inplace=True)


class Types(Module):
    """Updates that keep the type of their tensor."""

    def forward(self, x: Any, h: Any, i: Any, l: Any) -> Any:  # noqa: E741
        h, i, b, y = h.clone(), i.clone(), x > 0, x.clone()
        h.add_(x).mul_(2.5).sub_(l)
        i.add_(l).mul_(3).sub_(l.sum())
        b.logical_or_(l > 2)
        b.bitwise_and_(x < 1)
        y.gt_(0.5).copy_(i).eq_(l).logical_not_()
        y.pow_(2).floor_divide_(3).div_(l + 1, rounding_mode="floor")
        y.clamp_(min=h.float()).scatter_(0, l.clamp(0, 1), 3.0)
        y.index_add_(0, torch.tensor([1, 1]), x).lerp_(x, 0.5).addcdiv_(x, l + 10)
        return h, i, b, y, l.clone().fill_(3.0).masked_fill_(b, 7)


class Lists(Module):
    """Parts of tensors, in lists."""

    def forward(self, x: Any) -> Any:
        y = x + 1
        parts = list(y.split([1, 2, 1], 1))
        parts[1].mul_(2)
        parts[0] += parts[2]
        rows = y.unbind(0)
        rows[1].zero_()
        left, right = y.chunk(2, 1)
        left *= right
        return torch.cat(parts, 1), torch.stack(rows), y


class Open(Module):
    """Sizes that are unknown."""

    def forward(self, x: Any) -> Any:
        y = x * 2
        z = y.view(y.shape[0], -1)
        z[:, ::2].add_(1)
        y.flatten(0, 1).mul_(3)
        y[1:].sub_(1)
        y.transpose(0, 1).add_(x.transpose(0, 1))
        y.narrow(0, 1, y.shape[0] - 1).mul_(2)
        return y, z


class Views(Module):
    """Each view that has an inverse."""

    def forward(self, x: Any) -> Any:
        y = x + 1
        y.mT.add_(1)
        y.movedim(0, -1)[0].mul_(2)
        y.swapaxes(0, 1).sub_(1)
        y.unflatten(1, (2, 2))[:, 1].neg_()
        y.diagonal()[1:].fill_(5)
        y.view(torch.int32).bitwise_and_(0x7FFFFFFF)
        y.view(-1, 2).t()[0] = 4
        y.T.abs_()
        y.squeeze().unsqueeze(0)[..., 1].add_(1)
        y.ravel()[3:].clamp_(max=2)
        y.view_as(x).add_(x)
        y.expand(4, 4).add_(1)
        functional.dropout(y, training=False).mul_(2)
        torch.view_as_complex(y.view(4, 2, 2)).mul_(2)
        return y, y.hsplit(2)[1].mul_(3)


class Cache(Module):
    """Buffers that are written to in part and read back."""

    count: Any

    def __init__(self) -> None:
        Module.__init__(self)
        self.register_buffer("keys", torch.zeros(1, 8, 4))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Any) -> Any:
        self.keys[:, 2:4] = x
        self.count += 1
        scores = (x @ self.keys.transpose(1, 2)).div_(2.0)
        scores.masked_fill_(scores < 0, float("-inf")).add_(self.count)
        return scores.softmax(-1) @ self.keys.mul_(0.5)


def numbers(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(7))


MODULES = {
    "norms": (lambda: Norms().train(), (numbers(2, 3, 6, 6),)),
    "norms-eval": (lambda: Norms().eval(), (numbers(2, 3, 6, 6),)),
    "types": (
        Types,
        (
            numbers(2, 3),
            numbers(2, 3).half(),
            torch.ones(2, 3, dtype=torch.int8),
            torch.arange(6).reshape(2, 3),
        ),
    ),
    "lists": (Lists, (numbers(3, 4),)),
    "open": (Open, (numbers(4, 3, 2),)),
    "views": (Views, (numbers(4, 4),)),
    "cache": (Cache, (numbers(1, 2, 4),)),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules(tmp_path: Path, name: str):
    make, given = MODULES[name]
    torch.manual_seed(7)
    module = make()
    path = tmp_path / "m.pt2"
    copy = make()
    copy.load_state_dict(module.state_dict())
    sizes = ({0: torch.export.Dim("n", min=3, max=50)},) if name == "open" else None
    program = torch.export.export(copy, given, strict=False, dynamic_shapes=sizes)
    torch.export.save(program, path)
    graph = reduced(imported_file(path))
    assert is_whole(graph)

    def feeds(run: int) -> Any:
        longer = run and sizes
        return tuple(torch.cat([x, x + 1]) if longer else x.clone() for x in given)

    compare(module, graph, returned_names(path), feeds)


def imported_file(path: Path) -> ModuleOp:
    from autosplit.formats.pytorch.reader import import_file

    return import_file(path)[0]


def test_layouts_are_those_of_pytorch():
    """`can_view` agrees with `Tensor.view` on tensors of any strides."""
    rng = random.Random(0)
    seen = {True: 0, False: 0}
    for _ in range(1500):
        x = torch.zeros([rng.choice((1, 2, 3, 4, 6)) for _ in range(rng.randint(0, 4))])
        for _ in range(rng.randint(0, 3) if x.dim() else 0):
            dim = rng.randrange(x.dim())
            x = rng.choice(
                (
                    x.permute(rng.sample(range(x.dim()), x.dim())),
                    x.narrow(dim, 0, rng.randint(1, x.shape[dim])),
                    x.unsqueeze(dim),
                    x.unfold(dim, 1, 2),
                )
            )
        shape: list[int] = []
        left = int(x.numel())
        while left > 1:
            shape.append(rng.choice([k for k in range(2, left + 1) if left % k == 0]))
            left //= shape[-1]
        try:
            x.view(shape)
            can = True
        except RuntimeError:
            can = False
        assert can_view(x.shape, x.stride(), shape) == can
        assert is_contiguous(x.shape, x.stride()) == x.is_contiguous()
        seen[can] += 1
    assert min(seen.values()) > 100


def test_unknown_sizes_leave_the_layout_open():
    assert is_contiguous([None, 3, 2], [6, 2, 1])
    assert is_contiguous([3, None, 2], [None, 2, 1]) is None
    assert is_contiguous([3, None, 2], [None, 4, 1]) is False


def test_text_is_reduced_as_files_are():
    text = """
    builtin.module attributes {platform.name = "pytorch"} {
      aten.graph inputs ["x"] outputs ["y"] {
        %x = aten.input "x" () : () -> tensor<2xf32>
        %y = aten.neg "y" (%x) : (tensor<2xf32>) -> tensor<2xf32>
        %a = aten.add_.Tensor "add_" (%y, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      }
    }
    """
    graph = reduced(parse_mlir(make_context(), text, "text"))
    (y,) = executed(graph, [torch.tensor([1.0, 2.0])], {})
    assert y.tolist() == [0.0, 0.0]
