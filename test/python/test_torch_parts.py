"""Modules with ops that ONNX has not: cut there, with torch in between."""

import copy
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from test_torch_modules import addresses, error  # noqa: E402
from torch import nn  # noqa: E402

from autosplit.core.errors import AutosplitError  # noqa: E402
from autosplit.flows.torch_modules.built import TORCH, Built, PlanStep  # noqa: E402
from autosplit.quantization import QuantConf, convert, prepare  # noqa: E402
from autosplit.testing.int8 import expect_vnni  # noqa: E402


@torch.library.custom_op("autosplit_tests::twist", mutates_args=())
def twist(x: torch.Tensor, k: float) -> torch.Tensor:
    """An op that nobody but torch knows."""
    return x.flip(-1).sin() * k


@twist.register_fake
def _(x, k):
    return torch.empty_like(x)


@torch.library.custom_op("autosplit_tests::scale_", mutates_args={"x"})
def scale_(x: torch.Tensor, k: float) -> None:
    """An op that nobody but torch knows, and that updates its operand."""
    x.mul_(k)


@torch.library.custom_op("autosplit_tests::scaled_sum", mutates_args={"x"})
def scaled_sum(x: torch.Tensor, k: float) -> torch.Tensor:
    """One that has a result, too."""
    return x.mul_(k).sum()


@scaled_sum.register_fake
def _(x, k):
    return x.new_empty(())


class Scaled(nn.Module):
    """Updates by such ops between two products."""

    def __init__(self, kind):
        super().__init__()
        self.a, self.b, self.kind = nn.Linear(16, 16), nn.Linear(16, 16), kind

    def forward(self, x):
        y = torch.relu_(self.a(x))
        result = self.kind(y, 3.0)
        return self.b(y) if result is None else self.b(y) + result


class Twisted(nn.Module):
    """Convolutions in front of such an op and behind it, a buffer, a list, an update in place."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 16, 3), nn.Conv2d(16, 16, 3)
        self.head = nn.Linear(16, 5)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen += 1
        y = torch.relu_(self.a(x))
        y = torch.relu(self.b(twist(y, 2.0) + 1))
        return {"scores": self.head(y.mean((2, 3))), "rest": [y.amax(1), x]}


class Edges(nn.Module):
    """Such ops at both ends, and one whose result is an output and an operand."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x):
        y = torch.special.i1(x)
        z = torch.special.i0e(self.a(y))
        return torch.special.i1(self.b(z)), y, z


class Memory(nn.Module):
    """Updates memory that is seen by strides."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        y = self.a(x)
        torch.as_strided(y, (4, 4), (16, 2)).add_(1.0)
        return self.b(y.relu())


class Narrow(nn.Module):
    """Between two products numbers that no array of numpy's holds."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        return self.b(torch.special.i0(self.a(x).bfloat16()).float())


class Open(nn.Module):
    """Sizes are computed in front of such an op and read behind it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 8, 3), nn.Linear(8, 4)

    def forward(self, x):
        y = torch.special.i1(self.a(x).relu())
        y = y.reshape(x.shape[0], 8, y.shape[2] * y.shape[3]).permute(0, 2, 1)
        return self.b(y) * x.shape[2]


CASES = {
    "twisted": (Twisted, (2, 3, 10, 10), ["dnnl", TORCH, "dnnl"]),
    "edges": (Edges, (3, 8), [TORCH, "dnnl", TORCH, "dnnl", TORCH]),
    "memory": (Memory, (4, 16), [TORCH, "dnnl"]),
    "narrow": (Narrow, (3, 16), ["dnnl", TORCH, "dnnl"]),
}


def case(name: str):
    torch.manual_seed(0)
    kind, sizes, _ = CASES[name]
    return kind().eval(), [torch.randn(sizes) for _ in range(6)]


def devices(explained) -> list[str]:
    """Where parts run; what ONNX Runtime runs of a part belongs to it."""
    found = [stage.device for stage in explained.stages if stage.device != "cpu"]
    return [one for i, one in enumerate(found) if i == 0 or found[i - 1] != one]


@pytest.mark.parametrize("name", CASES)
@torch.no_grad()
def test_what_converts_runs_in_integers(name: str, caplog):
    module, samples = case(name)
    other = copy.deepcopy(module)
    ours = convert(module, QuantConf(), samples)
    assert ours.reason == ""
    assert f"{type(module).__name__} is cut, torch runs parts: " in caplog.text
    for x in samples[:2]:
        assert 0 < error(ours(x), other(x)) < 0.02
    assert devices(ours.explained) == CASES[name][2]
    assert any(p.rule.startswith("int8") for p in ours.explained.partitions)
    assert all(ours.left.values())
    with pytest.raises(AutosplitError, match="it is in parts, and torch runs some of them"):
        ours.save("net.onnx")


@torch.no_grad()
@pytest.mark.parametrize("kind", [scale_, scaled_sum])
def test_updates_by_custom_ops_are_made(kind):
    torch.manual_seed(0)
    samples = [torch.randn(4, 16) for _ in range(6)]
    module = Scaled(kind).eval()
    ours = convert(module, QuantConf(), samples)
    assert 0 < error(ours(samples[0]), module(samples[0])) < 0.02
    assert devices(ours.explained)[-1] == "dnnl"


@torch.no_grad()
def test_each_op_of_torch_says_why():
    module, samples = case("twisted")
    ours = convert(module, QuantConf(), samples)
    before = module.seen.clone()
    ours(samples[0])
    assert module.seen == before + 1
    assert "twist" in ours.left
    assert "has no conversion to onnx" in ours.left["twist"]
    stages = {stage.name: stage.device for stage in ours.explained.stages}
    assert {stages[p.graph] for p in ours.explained.partitions} == {"dnnl"}
    assert repr(ours).endswith(" of ONNX Runtime, 1 part of torch)")


@torch.no_grad()
def test_no_tensor_is_copied_between_parts(monkeypatch):
    module, samples = case("edges")
    ours = convert(module, QuantConf(), samples)
    ours(samples[0])
    built = next(iter(ours._plans.values()))
    assert isinstance(built, Built)
    read = []
    for kind in {type(step) for step in built.steps}:

        def watched(step, given, run=kind.run):
            read.append([given[name].data_ptr() for name in step.inputs])
            return run(step, given)

        monkeypatch.setattr(kind, "run", watched)
    given, made = addresses(monkeypatch)
    ours(samples[0])
    plans = [i for i, step in enumerate(built.steps) if isinstance(step, PlanStep)]
    assert given == [address for i in plans for address in read[i]]
    # What a plan makes, torch reads where it lies.
    assert made == [address for i in plans for address in read[i + 1]]


@torch.no_grad()
def test_a_recipe_is_of_all_parts(tmp_path: Path):
    module, samples = case("edges")
    for name, correct in (("autosplit", None), ("ipex-1.10", False)):
        conf = QuantConf(correct_biases=correct)
        ours = convert(module, conf, samples)
        conf.save(tmp_path / name, name)
        same = convert(module, QuantConf(tmp_path / name), samples[0])
        assert error(same(samples[1]), ours(samples[1])) == 0
    prepared = prepare(module, QuantConf(), samples[0])
    for x in samples:
        prepared(x)
    prepared.save_qconf_summary(tmp_path / "summary")
    same = convert(module, QuantConf(tmp_path / "summary"), samples[0])
    assert error(same(samples[1]), ours(samples[1])) == 0
    kept = convert(module, QuantConf(skip=["linear"]), samples)
    kept(samples[0])
    names = [op.name for p in kept.explained.partitions for op in p.ops]
    assert "linear_1" in names
    assert "linear" not in names
    with pytest.raises(AutosplitError, match=r"no op 'linea' \(did you mean 'linear'\?\)"):
        convert(module, QuantConf(skip=["linea"]), samples)


@torch.no_grad()
def test_sizes_that_vary_within_parts():
    torch.manual_seed(0)
    module, samples = Open().eval(), [torch.randn(2, 3, 8, 8) for _ in range(4)]
    sizes = {i: torch.export.Dim(name, min=4, max=64) for i, name in ((2, "h"), (3, "w"))}
    sizes[0] = torch.export.Dim("n", max=8)
    prepared = prepare(module, QuantConf(), samples[0], dynamic_shapes=(sizes,))
    for x in samples:
        prepared(x)
    ours = convert(prepared)
    for shape in ((2, 3, 8, 8), (3, 3, 9, 12), (1, 3, 16, 5)):
        x = torch.randn(shape)
        assert 0 < error(ours(x), module(x)) < 0.05
    assert len(ours._plans) == 1
    # Without dynamic_shapes, other sizes are compiled when they come, by the same recipe.
    fixed = convert(module, QuantConf(), samples)
    files = sorted(Path(fixed.preparation.folder.name).rglob("*"))
    for shape in ((2, 3, 8, 8), (3, 3, 9, 12)):
        x = torch.randn(shape)
        assert 0 < error(fixed(x), module(x)) < 0.05
    assert sorted(Path(fixed.preparation.folder.name).rglob("*")) == files


@torch.no_grad()
def test_graphs_of_torch_compile():
    torch._dynamo.reset()
    module, samples = case("edges")
    run = torch.compile(module, backend="autosplit", options={"samples": 6})
    for x in samples:
        assert error(run(x), module(x)) == 0
    assert 0 < error(run(samples[0]), module(samples[0])) < 0.02
    torch._dynamo.reset()


@torch.no_grad()
def test_what_pytorch_quantized_is_cut_too():
    pytest.importorskip("torchao", reason="torchao has PyTorch's quantizer for x86 processors")
    from torchao.quantization.pt2e import move_exported_model_to_eval
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    module, samples = case("edges")
    quantizer = x86.X86InductorQuantizer()
    quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, (samples[0],)).module(), quantizer)
    for x in samples:
        prepared(x)
    theirs = move_exported_model_to_eval(convert_pt2e(prepared))
    ours = convert(theirs, None, samples[0])
    result = ours(samples[0])
    assert "int8-matmul" in {p.rule for p in ours.explained.partitions}
    assert set(ours.left) >= {"special_i1", "special_i0e"}
    expect_vnni()
    assert error(result, theirs(samples[0])) < 1e-3
    assert error(result, module(samples[0])) < 0.02


def test_nothing_that_converts_has_a_product():
    class Elsewhere(nn.Module):
        def forward(self, x):
            return torch.special.i1(x) + x.relu()

    ours = convert(Elsewhere().eval(), QuantConf(), torch.ones(2, 3))
    assert ours.reason == (
        "special_i1 'special_i1' is not ONNX: special_i1 has no conversion to onnx"
    )
    assert torch.equal(ours(torch.ones(2, 3)), Elsewhere()(torch.ones(2, 3)))
