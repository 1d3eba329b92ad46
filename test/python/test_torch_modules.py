"""Modules of PyTorch's in `autosplit.quantization`: results beside torch's own INT8, borders, the calls of
Intel's extension, and what is left to torch."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import module_cases as nets  # noqa: E402

from autosplit import quantization  # noqa: E402
from autosplit.core.errors import AutosplitError  # noqa: E402
from autosplit.flows.torch_modules.border import to_array  # noqa: E402
from autosplit.quantization import QuantConf, calibrate, convert, prepare  # noqa: E402
from autosplit.testing.int8 import expect_vnni  # noqa: E402


def leaves(result):
    return [t for t in torch.utils._pytree.tree_leaves(result) if isinstance(t, torch.Tensor)]


def error(found, exact) -> float:
    """The root of the mean square, beside that of what is right."""
    off = torch.cat([(a - b).flatten() for a, b in zip(leaves(found), leaves(exact), strict=True)])
    size = torch.cat([b.flatten() for b in leaves(exact)])
    return float(off.square().mean().sqrt() / size.square().mean().sqrt())


@pytest.fixture(scope="module")
def converted():
    """The module of each case with the one in 8 bits, made once."""
    made = {}

    def of(name: str):
        if name not in made:
            case = nets.CASES[name]
            module, samples = case.module(), case.samples()
            made[name] = module, convert(module, QuantConf(), samples), samples
        return made[name]

    return of


def torch_int8(module, samples):
    """What torch itself makes of a module in 8 bits, with its engine on oneDNN."""
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = "onednn"
    try:
        mapping = get_default_qconfig_mapping("onednn")
        prepared = prepare_fx(copy.deepcopy(module), mapping, samples[0])
        for sample in samples:
            prepared(*sample)
        return convert_fx(prepared)
    finally:
        torch.backends.quantized.engine = before


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", ["net", "residual"])
@torch.no_grad()
def test_as_near_to_float32_as_torchs_own_int8(name: str, converted):
    module, ours, samples = converted(name)
    theirs = torch_int8(module, samples)
    exact = [module(*s) for s in samples]
    own = error([ours(*s) for s in samples], exact)
    other = error([theirs(*s) for s in samples], exact)
    assert ours.explained.partitions
    assert 0 < own <= other


@pytest.mark.parametrize(
    ("name", "most"),
    [("net", 0.02), ("residual", 0.02), ("block", 0.02), ("bmm", 0.02), ("named", 0.02)],
)
@torch.no_grad()
def test_results_have_the_form_and_nearly_the_numbers_of_the_module(name, most, converted):
    module, ours, samples = converted(name)
    if name == "bmm":
        # Without VNNI a product of two activations stays in float32.
        expect_vnni()
    exact, found = module(*samples[3]), ours(*samples[3])
    assert torch.utils._pytree.tree_structure(found) == torch.utils._pytree.tree_structure(exact)
    assert [(t.shape, t.dtype) for t in leaves(found)] == [
        (t.shape, t.dtype) for t in leaves(exact)
    ]
    assert 0 < error(found, exact) < most
    assert ours.explained.partitions


@torch.no_grad()
def test_arguments_by_name_and_switches(converted):
    module, ours, samples = converted("named")
    (image,) = samples[0]
    mask = (torch.arange(64).reshape(8, 8) % 2).float()
    for call in ({"mask": mask}, {"double": True}, {"mask": mask, "double": True}):
        exact, found = module(image, **call), ours(image, **call)
        assert found["rest"][1:] == [None, 7]
        assert error(found, exact) < 0.02
    assert torch.equal(ours(image=image)["map"], ours(image)["map"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'mark'"):
        ours(image, mark=mask)


def addresses(monkeypatch) -> tuple[list[int], list[int]]:
    """Where the arrays lie that plans are given and give."""
    from autosplit.runtime.plan.plan import Plan

    given, made, run = list[int](), list[int](), Plan.run

    def watched(self, feeds, **options):
        found = run(self, feeds, **options)
        given.extend(a.ctypes.data for a in feeds.values())
        made.extend(a.ctypes.data for a in found.values())
        return found

    monkeypatch.setattr(Plan, "run", watched)
    return given, made


@pytest.mark.parametrize("name", ["net", "bmm"])
@pytest.mark.parametrize("channels_last", [False, True])
@torch.no_grad()
def test_no_tensor_is_copied_at_the_border(name, channels_last, converted, monkeypatch):
    if name == "bmm":
        # Without VNNI a product of two activations stays in float32.
        expect_vnni()
    _, ours, samples = converted(name)
    inputs = samples[1]
    if channels_last and inputs[0].dim() == 4:
        inputs = [t.to(memory_format=torch.channels_last) for t in inputs]
    given, made = addresses(monkeypatch)
    found = ours(*inputs)
    assert given == [t.data_ptr() for t in inputs]
    assert made == [found.data_ptr()]
    account = ours.plan.account()
    assert [s.name for s in account.steps if s.kind == "copy" and s.bytes] == []
    assert torch.equal(found, ours(*[t.contiguous() for t in inputs]))


def test_inputs_with_gradients_are_read_as_they_are(converted, monkeypatch):
    _, ours, samples = converted("net")
    given, _ = addresses(monkeypatch)
    x = samples[0][0].clone().requires_grad_()
    found = ours(x)
    assert given == [x.data_ptr()]
    assert not found.requires_grad


class Padded(torch.nn.Module):
    """An attention that sees no padding, and of which padding sees nothing."""

    def __init__(self, floats: bool):
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(32, 96), torch.nn.Linear(32, 32)
        self.floats = floats

    def forward(self, x, real):
        q, k, v = (t.unflatten(-1, (4, 8)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        mask = real[:, None, :, None] & real[:, None, None, :]
        if self.floats:
            mask = torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
        return self.out(mixed.transpose(1, 2).flatten(2))


@pytest.mark.parametrize("floats", [False, True])
@torch.no_grad()
def test_rows_that_see_nothing_are_zero_as_in_torch(floats: bool):
    torch.manual_seed(0)
    module = Padded(floats).eval()
    real = torch.arange(6)[None] < torch.tensor([[6], [3]])
    samples = [(torch.randn(2, 6, 32), real) for _ in range(4)]
    ours = convert(module, QuantConf(), samples)
    for sample in samples[:2]:
        found, exact = ours(*sample), module(*sample)
        assert 0 < error(found, exact) < 0.02
        assert error(found[1, 3:], exact[1, 3:]) < 0.01


@torch.no_grad()
def test_results_outlive_later_calls(converted):
    _, ours, samples = converted("net")
    first = ours(*samples[0])
    kept = first.clone()
    for sample in samples:
        ours(*sample)
    assert torch.equal(first, kept)
    first.zero_()
    assert torch.equal(ours(*samples[0]), kept)


@torch.no_grad()
def test_other_sizes_are_compiled_when_they_come(converted):
    module, ours, samples = converted("net")
    many = torch.cat([x for (x,) in samples])
    assert error(ours(many), module(many)) < 0.02
    # What is known of one size is known of all: the first images come out as they did alone.
    assert torch.allclose(ours(many)[:2], ours(*samples[0]), atol=1e-5)
    wide = torch.randn(1, 3, 9, 20)
    assert error(ours(wide), module(wide)) < 0.05


def test_what_the_module_itself_refuses(converted):
    _, ours, _ = converted("residual")
    with pytest.raises(RuntimeError, match="expected input"):
        ours(torch.ones(2, 4, 24, 24))


@torch.no_grad()
def test_samples_of_several_sizes_make_one_recipe():
    case = nets.CASES["net"]
    module, samples = case.module(), case.samples()
    whole, parts = QuantConf(calibrator="minmax"), QuantConf(calibrator="minmax")
    convert(module, whole, samples)
    prepared = prepare(module, parts, samples[0])
    for (x,) in samples[:4]:
        prepared(x[:1])
        prepared(x[1:])
    prepared(torch.cat([x for (x,) in samples[4:]]))
    convert(prepared)
    assert parts.recipe.samples == 9
    assert list(parts.recipe.ranges) == list(whole.recipe.ranges)
    for name, ends in whole.recipe.ranges.items():
        # Products of another number of images may be summed in another order.
        assert parts.recipe.ranges[name] == pytest.approx(ends, rel=1e-6), name


def test_a_prepared_module_computes_what_the_module_does():
    case = nets.CASES["net"]
    module, samples = case.module(), case.samples()
    prepared = prepare(module, QuantConf(), example_inputs=samples[0])
    assert repr(prepared) == "PreparedModule(Net: 0 samples seen)"
    assert torch.equal(prepared(*samples[0]), module(*samples[0]))
    assert repr(prepared) == "PreparedModule(Net: 1 sample seen)"
    with pytest.raises(AutosplitError, match=r"cannot be copied: prepare a copy"):
        copy.deepcopy(prepared)
    convert(prepared)
    with pytest.raises(AutosplitError, match=r"ranges are settled.*prepare it again"):
        prepared(*samples[0])


@torch.no_grad()
def test_it_stands_in_for_the_module(converted):
    module, ours, samples = converted("residual")
    assert isinstance(ours, torch.nn.Module)
    assert not ours.training
    assert ours.eval() is ours
    state = ours.state_dict()
    assert state.keys() == module.state_dict().keys()
    assert all(torch.equal(state[name], tensor) for name, tensor in module.state_dict().items())
    assert [n for n, _ in ours.named_parameters()] == [n for n, _ in module.named_parameters()]
    assert ours.head is module.head
    assert ours.to("cpu") is ours
    ours(*samples[0])
    assert repr(ours).startswith("QuantizedModule(Residual: ")
    assert "partitions of oneDNN" in repr(ours)
    with pytest.raises(AttributeError, match="has no attribute 'tail'"):
        _ = ours.tail
    other = copy.deepcopy(ours)
    assert torch.equal(other(*samples[0]), ours(*samples[0]))


@pytest.mark.parametrize(
    ("act", "match"),
    [
        (lambda m: m.train(), "cannot be trained: train the module"),
        (lambda m: m.load_state_dict(m.state_dict()), "takes no other weights"),
        (lambda m: m.half(), "stays as it is on the CPU"),
        (lambda m: m.to("meta"), "stays as it is on the CPU"),
        (pickle.dumps, "cannot be pickled: save the recipe"),
        (lambda m: m(torch.ones(2, 3, 24, 24).to("meta")), "is on the device meta"),
    ],
)
def test_what_it_refuses(act, match: str, converted):
    _, ours, _ = converted("residual")
    with pytest.raises(AutosplitError, match=match):
        act(ours)


def test_a_module_in_training_is_refused():
    with pytest.raises(AutosplitError, match=r"Net is in training mode: call its eval\(\)"):
        prepare(nets.Net(), QuantConf(), torch.ones(1, 3, 8, 8))


def test_nothing_was_shown():
    with pytest.raises(AutosplitError, match="was shown no inputs: call it, or give convert"):
        convert(nets.Net().eval())


@torch.no_grad()
def test_what_cannot_be_exported_is_left_to_torch_with_its_reason(caplog):
    module, x = nets.Branching().eval(), torch.ones(2, 8)
    ours = convert(module, QuantConf(), x)
    assert ours.reason.startswith("torch.export refuses it: Could not guard on data-dependent")
    assert "Branching is left to torch: torch.export refuses it" in caplog.text
    assert repr(ours).startswith("QuantizedModule(Branching: is left to torch: torch.export")
    assert torch.equal(ours(x), module(x))
    assert torch.equal(ours(-x), module(-x))
    assert ours.explained is None
    with pytest.raises(AutosplitError, match="cannot be saved as ONNX: torch"):
        ours.save("net.onnx")


@torch.no_grad()
def test_buffers_that_a_module_updates_are_updated():
    torch.manual_seed(0)
    module = nets.Counting().eval()
    other, samples = copy.deepcopy(module), [torch.randn(2, 8) for _ in range(4)]
    ours = convert(module, QuantConf(), samples)
    assert ours.reason == ""
    module.count.zero_()
    module.seen.zero_()
    for x in samples:
        assert 0 < error(ours(x), other(x)) < 0.05
        assert torch.equal(ours.count, other.count)
        assert torch.allclose(ours.seen, other.seen, atol=1e-6)
    assert float(other.count) == 4


class Writing(torch.nn.Module):
    """Writes to its argument."""

    def forward(self, x):
        x[:, 0] = 0
        return x @ x.mT


@torch.no_grad()
def test_what_writes_to_its_inputs_is_left_to_torch():
    ours = convert(Writing().eval(), QuantConf(), torch.ones(2, 8))
    assert ours.reason == "it writes to its input 'x', which outlives a call"
    x = torch.ones(2, 8)
    ours(x)
    assert float(x.sum()) == 14


class Passing(torch.nn.Module):
    """Returns an argument, a constant, a result twice, and uses one argument for nothing."""

    fixed: torch.Tensor

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(8, 8)
        self.register_buffer("fixed", torch.arange(3.0))

    def forward(self, x, unused, y):
        z = self.fc(x)
        return y, self.fixed, z, z, (z + y,)


@torch.no_grad()
def test_arguments_and_constants_that_are_results():
    torch.manual_seed(0)
    module = Passing().eval()
    inputs = [torch.randn(4, 8), torch.randn(2), torch.randn(4, 8)]
    ours = convert(module, QuantConf(), tuple(inputs))
    assert ours.reason == ""
    found, exact = ours(*inputs), module(*inputs)
    assert torch.equal(found[0], exact[0])
    assert torch.equal(found[1], exact[1])
    assert 0 < error(found, exact) < 0.02
    # As in torch, these are the tensors themselves.
    assert found[0] is inputs[2]
    assert found[1].data_ptr() == module.fixed.data_ptr()
    assert found[2] is found[3]


@torch.no_grad()
def test_the_steps_of_version_1_10(tmp_path: Path):
    case = nets.CASES["net"]
    module, samples = case.module(), case.samples()
    conf = QuantConf(qscheme=torch.per_tensor_affine)
    with calibrate(conf):
        for sample in samples:
            module(*sample)
    conf.save(tmp_path / "conf.json")
    ours = convert(module, conf, samples[0])
    again = convert(module, QuantConf(tmp_path / "conf.json"), samples[0])
    plain = convert(module, QuantConf(), samples)
    for sample in samples:
        assert torch.equal(ours(*sample), plain(*sample))
        assert torch.equal(again(*sample), plain(*sample))
    other = nets.Branching().eval()
    match = "calibrate has seen a Net before this Branching"
    with pytest.raises(AutosplitError, match=match), calibrate(conf):
        other(torch.ones(1, 8))


@torch.no_grad()
def test_symmetric_ranges(tmp_path: Path):
    case = nets.CASES["net"]
    conf = QuantConf(qscheme=torch.per_tensor_symmetric)
    convert(case.module(), conf, case.samples())
    assert conf.recipe.ranges
    assert all(low == -high for low, high in conf.recipe.ranges.values())


@torch.no_grad()
def test_the_steps_of_version_1_12(tmp_path: Path):
    case = nets.CASES["net"]
    module, samples = case.module(), case.samples()
    mapping = quantization.default_static_qconfig_mapping
    prepared = prepare(module, mapping, example_inputs=samples[0], inplace=False)
    for sample in samples:
        prepared(*sample)
    prepared.save_qconf_summary(qconf_summary=tmp_path / "summary.json")
    ours = convert(prepared)
    plain = convert(module, QuantConf(), samples)
    assert all(torch.equal(ours(*sample), plain(*sample)) for sample in samples)
    later = prepare(module, mapping, example_inputs=samples[0], inplace=False)
    later.load_qconf_summary(qconf_summary=tmp_path / "summary.json")
    again = convert(later)
    exact = [module(*s) for s in samples]
    assert error([again(*s) for s in samples], exact) < 0.02


@torch.no_grad()
def test_a_qconfig_leaves_modules_in_float32():
    from torch.ao.quantization import QConfigMapping

    case = nets.CASES["net"]
    module, samples = case.module(), case.samples()
    for mapping in (
        QConfigMapping()
        .set_global(quantization.default_static_qconfig)
        .set_module_name("head", None),
        quantization.default_static_qconfig_mapping.set_object_type(torch.nn.Linear, None),
    ):
        prepared = prepare(module, mapping, samples[0])
        prepared(*samples[0])
        ours = convert(prepared)
        ours(*samples[0])
        kinds = " ".join(p.kinds for p in ours.explained.partitions)
        assert "MatMul" not in kinds
        assert "Convolution" in kinds


def test_descriptions_that_are_not_taken():
    from torch.ao.quantization import (
        MinMaxObserver,
        QConfig,
        QConfigMapping,
        default_dynamic_qconfig,
    )

    module, x = nets.Net().eval(), torch.ones(1, 3, 8, 8)
    static = quantization.default_static_qconfig
    other = QConfig(activation=MinMaxObserver, weight=static.weight)
    for mapping, match in (
        (default_dynamic_qconfig, "dynamic quantization has no partitions of oneDNN"),
        (QConfigMapping(), "has no global QConfig: set one with set_global"),
        (
            QConfigMapping().set_global(static).set_module_name("head", other),
            "own QConfig for 'head'",
        ),
        (QConfigMapping().set_global(static).set_module_name_regex("he.*", None), "is not taken"),
        (
            QConfig(activation=static.activation, weight=torch.ao.quantization.PlaceholderObserver),
            "weights of",
        ),
    ):
        with pytest.raises(AutosplitError, match=match):
            prepare(module, mapping, x)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@torch.no_grad()
def test_a_trace_calls_the_plan(converted):
    _, ours, samples = converted("net")
    trace = torch.jit.freeze(torch.jit.trace(ours, samples[0]).eval())
    assert "autosplit::plan" in str(trace.graph)
    for sample in samples[:3]:
        assert torch.equal(trace(*sample), ours(*sample))


@torch.no_grad()
def test_it_is_saved_as_onnx(converted, tmp_path: Path):
    import onnxruntime

    _, ours, samples = converted("net")
    ours.save(tmp_path / "net.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "net.onnx")
    (found,) = session.run(None, {"x": to_array(samples[0][0])})
    assert np.allclose(found, ours(*samples[0]).numpy(), atol=0.02)
    assert (tmp_path / "net.recipe.json").is_file()


def test_nothing_imports_torch_before_a_module_comes():
    code = (
        "import sys, autosplit.quantization as q; assert 'torch' not in sys.modules; q.QuantConf(); "
        "assert not hasattr(q, 'no_such_name'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_of_the_docs(tmp_path: Path, monkeypatch):
    import doctest

    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "pytorch_int8.md"
    text = page.read_text("utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    found = doctest.DocTestRunner().run(test)
    assert found.attempted > 20
    assert found.failed == 0
