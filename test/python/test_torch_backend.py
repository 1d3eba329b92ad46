"""The backend of torch.compile, and programs that PyTorch itself quantized."""

import copy

import pytest

torch = pytest.importorskip("torch")

import module_cases as nets  # noqa: E402
from test_torch_modules import error  # noqa: E402

from autosplit.core.errors import AutosplitError  # noqa: E402
from autosplit.flows.torch_modules.built import Built  # noqa: E402
from autosplit.quantization import QuantConf, convert  # noqa: E402
from autosplit.testing.int8 import expect_vnni  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def built(monkeypatch) -> list[Built]:
    """The plans that are made."""
    made, of = list[Built](), Built.of

    def watched(*args):
        made.append(of(*args))
        return made[-1]

    monkeypatch.setattr(Built, "of", staticmethod(watched))
    return made


def test_it_is_known_by_its_name():
    assert "autosplit" in torch._dynamo.list_backends()


def test_an_option_that_there_is_not():
    run = torch.compile(nets.Net().eval(), backend="autosplit", options={"sample": 3})
    with pytest.raises(
        Exception, match=r"there is no option 'sample' \(did you mean 'samples'\?\)"
    ):
        run(torch.ones(1, 3, 8, 8))


@pytest.mark.parametrize("name", nets.CASES)
@torch.no_grad()
def test_a_float32_module_runs_as_torch_runs_it(name: str, built):
    case = nets.CASES[name]
    module, samples = case.module(), case.samples(2)
    run = torch.compile(module, backend="autosplit")
    for sample in samples:
        assert error(run(*sample), module(*sample)) == 0
    assert built == []


@pytest.mark.parametrize("name", nets.CASES)
@torch.no_grad()
def test_the_first_calls_may_calibrate(name: str, built):
    if name == "bmm":
        # Without VNNI a product of two activations stays in float32.
        expect_vnni()
    case = nets.CASES[name]
    module, samples = case.module(), case.samples(5)
    run = torch.compile(module, backend="autosplit", options={"samples": 4})
    for sample in samples[:4]:
        assert error(run(*sample), module(*sample)) == 0
    assert 0 < error(run(*samples[3]), module(*samples[3])) < 0.02
    assert [bool(one.explained.partitions) for one in built] == [True]


class Broken(torch.nn.Module):
    """Two nets, and numbers that are looked at in between."""

    def __init__(self):
        super().__init__()
        self.one, self.two = torch.nn.Linear(16, 16), torch.nn.Linear(16, 16)

    def forward(self, x):
        y = torch.relu(self.one(x))
        return self.two(y) if y.sum() > 0 else self.two(-y)


@torch.no_grad()
def test_graph_breaks_and_sizes_that_vary(built):
    torch.manual_seed(0)
    module = Broken().eval()
    options = {"samples": 1, "conf": QuantConf(calibrator="minmax")}
    run = torch.compile(module, backend="autosplit", options=options)
    rows = [torch.randn(n, 16) for n in (64, 64, 48, 48, 56, 56)]
    for x in rows:
        assert error(run(x), module(x)) < 0.1
    assert len(built) >= 4
    assert error(run(rows[-1]), module(rows[-1])) > 0


class Apart(torch.nn.Module):
    """Begins with a graph that has no product."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(16, 16)

    def forward(self, x):
        y = torch.relu(x) + 1
        return self.fc(y * 2 if y.sum() > 0 else y)


@torch.no_grad()
def test_a_graph_without_products_is_left_to_torch(built):
    torch.manual_seed(0)
    module, x = Apart().eval(), torch.randn(8, 16)
    run = torch.compile(module, backend="autosplit", options={"samples": 1})
    run(x)
    assert 0 < error(run(x), module(x)) < 0.02
    assert len(built) == 1


@torch.no_grad()
def test_weights_that_change_are_noticed(built):
    case = nets.CASES["net"]
    module, samples = case.module(), case.samples(3)
    run = torch.compile(module, backend="autosplit", options={"samples": 1})
    for sample in samples:
        run(*sample)
    module.head.weight.mul_(3)
    assert error(run(*samples[0]), module(*samples[0])) == 0
    assert 0 < error(run(*samples[0]), module(*samples[0])) < 0.05
    assert len(built) == 2


@torch.no_grad()
def test_what_writes_to_buffers_is_left_to_torch(built, caplog):
    module = nets.Counting().eval()
    run = torch.compile(module, backend="autosplit", options={"samples": 1})
    for _ in range(3):
        run(torch.ones(2, 8))
    assert float(module.count) == 3
    assert built == []
    assert "is left to torch: it writes to" in caplog.text


@pytest.fixture(scope="module")
def quantized():
    """PyTorch's own INT8 of a case, as its quantizer for x86 processors makes it."""
    pytest.importorskip("torchao", reason="torchao has PyTorch's quantizer for x86 processors")
    from torchao.quantization.pt2e import move_exported_model_to_eval
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    made = {}

    def of(name: str):
        if name not in made:
            case = nets.CASES[name]
            module, samples = case.module(), case.samples()
            quantizer = x86.X86InductorQuantizer()
            quantizer.set_global(x86.get_default_x86_inductor_quantization_config())
            program = torch.export.export(module, samples[0], strict=False).module()
            prepared = prepare_pt2e(program, quantizer)
            for sample in samples:
                prepared(*sample)
            made[name] = module, move_exported_model_to_eval(convert_pt2e(prepared)), samples
        return made[name]

    return of


@pytest.mark.parametrize("name", ["net", "residual", "block"])
@torch.no_grad()
def test_what_pytorch_quantized_keeps_its_casts(name: str, quantized):
    module, theirs, samples = quantized(name)
    ours = convert(theirs, QuantConf(), samples[0])
    assert ours.reason == ""
    ours(*samples[0])
    assert ours.explained.partitions
    expect_vnni()
    for sample in samples[:2]:
        found, same, exact = ours(*sample), theirs(*sample), module(*sample)
        # Sums round otherwise in integers than in floats, so that single values are a step off.
        assert error(found, same) < 0.5 * error(same, exact)


class Stage(torch.nn.Module):
    """A convolution and its activation, twice."""

    def __init__(self):
        super().__init__()
        self.one, self.act = torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU()
        self.two, self.act2 = torch.nn.Conv2d(16, 8, 3), torch.nn.ReLU()

    def forward(self, x):
        return self.act2(self.two(self.act(self.one(x))))


@torch.no_grad()
def test_both_ways_of_quantizing_make_the_same_partitions(quantized, monkeypatch):
    monkeypatch.setitem(nets.CASES, "stage", nets.Case(Stage, ((2, 3, 12, 12),)))
    module, theirs, samples = quantized("stage")
    ours, own = convert(theirs, None, samples[0]), convert(module, QuantConf(), samples)
    found, same = ours(*samples[0]), theirs(*samples[0])
    own(*samples[0])
    assert [p.kinds for p in ours.explained.partitions] == [
        p.kinds for p in own.explained.partitions
    ]
    expect_vnni()
    # The last convolution's sums are of integers that may be one step apart, and few are.
    assert float((found - same).abs().max()) <= 0.02 * float(same.abs().max())
    assert float((found - same).abs().gt(1e-4).float().mean()) < 0.05


@torch.no_grad()
def test_torch_compile_runs_what_pytorch_quantized(quantized, built):
    _, theirs, samples = quantized("net")
    run = torch.compile(copy.deepcopy(theirs), backend="autosplit")
    plain = convert(theirs, None, samples[0])
    for sample in samples[:3]:
        assert error(run(*sample), plain(*sample)) < 1e-6
    assert len(built) == 2


def test_a_module_that_pytorch_quantized_has_no_recipe(quantized, tmp_path):
    _, theirs, samples = quantized("net")
    ours = convert(theirs, None, samples[0])
    with pytest.raises(AutosplitError, match="was quantized by PyTorch; save its program"):
        ours.save(tmp_path / "net.onnx")
