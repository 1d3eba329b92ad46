"""Probing: the cases, what is made of their results, the records, and a sample measured anew."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import defaultdict
from zlib import crc32

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import autosplit.core.tolerances
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.devices import all_chips, chip_names, get_chip
from autosplit.dialects.reasons import REASONS
from autosplit.lowering.convert_onnx_to_top.forms import FORMS
from autosplit.lowering.convert_onnx_to_top.table import REFUSED_OUTRIGHT, RULES
from autosplit.lowering.convert_to_onnx import lower_to_onnx
from autosplit.probe import measure, model
from autosplit.probe.case import Case, In, select
from autosplit.probe.cases import DYNAMIC, LARGE, all_cases, cases_of, large_cases
from autosplit.probe.measure import Setup, judged, measure_case, run_modes
from autosplit.probe.records import (
    RESULTS,
    Record,
    Records,
    chip_records,
    read_records,
    records_path,
)
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import tpu_mlir
from autosplit.tools.cli import probe as command
from autosplit.tools.cli.main import main

RUNS = [(chip, mode) for chip in chip_names() for mode in chip_records(chip).modes]
OPS = sorted(op for op, rule in RULES.items() if rule.refused is None and op != "Constant")
SAMPLE = 10


def setup(chip="bm1684", mode="F32"):
    return Setup(get_chip(chip), mode, toolchain())


# The cases


def test_every_op_that_runs_has_cases():
    """Constants are there in the models of all others."""
    assert set(OPS) <= {case.op for case in all_cases().values()}
    assert not {case.op for case in all_cases().values()} & set(REFUSED_OUTRIGHT)


@pytest.mark.parametrize("key", list(all_cases())[::29])
def test_models_are_valid_and_always_the_same(key):
    case = all_cases()[key]
    proto = case.model()
    onnx.checker.check_model(proto, full_check=True)
    again = dataclasses.replace(case)
    assert proto.SerializeToString(deterministic=True) == again.model().SerializeToString(
        deterministic=True
    )
    assert {i.name for i in proto.graph.input} == set(case.feeds())
    assert all(np.array_equal(a, again.feeds()[n]) for n, a in case.feeds().items())
    assert [o.name for o in proto.graph.output] == list(case.outputs)


def test_large_cases_are_others():
    """So that a mode's cases can be measured without them, and a record says which they were."""
    assert not all_cases().keys() & large_cases().keys()
    assert {case.op for case in large_cases().values()} <= set(OPS)
    assert cases_of(f"F16{LARGE}") == large_cases()


def test_cases_reach_what_chips_get_wrong():
    """Ranks, tiles, lanes, broadcasting, constants: what a table of one shape an op would not find."""
    shapes = defaultdict(set)
    for case in all_cases().values():
        for operand in case.operands:
            if isinstance(operand, In):
                shapes[case.op].add(operand.shape)
    for op in ("Abs", "Add", "Relu", "Softmax", "Where"):
        assert {len(s) for s in shapes[op]} >= {1, 2, 3, 4, 5, 6}, op
    largest = {op: max(int(np.prod(s)) for s in found) * 4 for op, found in shapes.items()}
    for op in ("Abs", "Conv", "MaxPool", "Softmax", "PRelu"):
        lane = max(chip.local_memory // 64 for chip in all_chips())
        assert largest[op] > lane, op


def test_select():
    cases = all_cases()
    assert {c.op for c in select(cases, "Conv.*").values()} == {"Conv", "ConvTranspose"}
    assert list(select(cases, "Conv/3x3")) == ["Conv/3x3"]
    assert select(cases, None) == cases
    assert select(cases, "onv") == {}


# Judging


X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("mode", TOLERANCES)
def test_tolerances(mode):
    tolerance = TOLERANCES[mode]
    assert difference(X, X).within(tolerance)
    inside, outside = X.copy(), X.copy()
    inside[0, 0, 0] += tolerance.relative * 0.9
    outside[0, 0, 0] += tolerance.relative * 1.1
    assert difference(X, inside).within(tolerance)
    assert not difference(X, outside).within(tolerance)
    assert not difference(X, -X).within(tolerance)


def test_f32_is_not_met_by_f16():
    assert not difference(X, (X * 0.7).astype(np.float16) / np.float32(0.7)).within(
        autosplit.core.tolerances.Tolerance(0.99999, 1e-5)
    )
    half = (X * 1000.3).astype(np.float16)
    assert not difference(X * np.float32(1000.3), half).within(TOLERANCES["F32"])


def test_nan_and_infinity_must_be_where_they_are_expected():
    odd = X.copy()
    odd[0, 0, :3] = np.nan, np.inf, -np.inf
    assert difference(odd, odd).relative == 0
    assert not difference(X, odd).within(TOLERANCES["INT8"])
    assert not difference(odd, X).within(TOLERANCES["INT8"])
    assert not difference(X, np.full_like(X, np.nan)).within(TOLERANCES["INT8"])


def test_zeros():
    zeros = np.zeros(3, np.float32)
    assert difference(zeros, zeros).within(TOLERANCES["F32"])
    assert not difference(zeros, zeros + 1).within(TOLERANCES["INT8"])
    assert not difference(X, X * 0).within(TOLERANCES["INT8"])


def test_what_a_reference_rounds_away_is_no_error():
    """ONNX Runtime's Sigmoid comes in steps of 2^-25, so of tiny results only that they are tiny is known."""
    x = np.linspace(-19, -14.5, 1000, dtype=np.float32)
    session = onnxruntime.InferenceSession(one_sigmoid(len(x)), providers=["CPUExecutionProvider"])
    (rounded,) = session.run(None, {"x": x})
    exact = (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)
    found = difference(rounded, exact)
    assert found.relative > 10 * TOLERANCES["F32"].relative
    assert found.within(TOLERANCES["F32"])
    # Measured the other way round, nothing is excused: those numbers are not rounded.
    assert not difference(exact, rounded).within(TOLERANCES["F32"])
    assert not difference(rounded, exact + np.float32(3e-7)).within(TOLERANCES["F32"])
    assert not difference(rounded, np.full_like(exact, np.nan)).within(TOLERANCES["F32"])


def test_zeros_may_be_what_a_reference_rounds():
    zeros = np.zeros(3, np.float32)
    assert difference(zeros, zeros + 1e-8).within(TOLERANCES["F32"])
    assert not difference(zeros, zeros + 1e-6).within(TOLERANCES["F32"])


def one_sigmoid(size: int) -> bytes:
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [size]) for n in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Sigmoid", ["x"], ["y"])], "g", value[:1], value[1:]
    )
    opset = helper.make_opsetid("", 17)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


@pytest.mark.parametrize(
    ("expected", "actual", "mode", "result"),
    [
        (X, X, "F32", "correct"),
        (X, X + np.float32(1e-3), "F32", "wrong"),
        (X, X + np.float32(1e-3), "F16", "correct"),
        (X, X + np.float32(0.1), "F16", "wrong"),
        (X > 0, (X > 0).astype(np.float32), "F32", "correct"),
        (X > 0, (X > -0.01).astype(np.float32) * 0.99, "F16", "wrong"),
        (np.arange(5), np.arange(5, dtype=np.float32), "F16", "correct"),
        (np.arange(500), np.arange(500, dtype=np.float32) + 0.5, "F16", "wrong"),
        (X, X.reshape(-1), "F32", "wrong"),
    ],
)
def test_judged(expected, actual, mode, result):
    assert judged({"y0": expected}, [actual], mode).result == result


def test_placement_is_part_of_the_result():
    assert judged({"y0": X}, [X], "F32", "host").result == "host"
    assert judged({"y0": X}, [X, X], "F32").result == "wrong"
    text = "a = #tpu<run_mode TPU_STATIC>, b = #tpu<run_mode CPU>"
    assert run_modes(text) == {"TPU_STATIC", "CPU"}
    assert measure._placed({"TPU_STATIC", "CPU"}, dynamic=False) == "host"
    assert measure._placed({"TPU_DYNAMIC"}, dynamic=False) == "dynamic"
    assert measure._placed({"TPU_DYNAMIC"}, dynamic=True) == ""
    assert measure._placed({"TPU_STATIC"}, dynamic=False) == ""


FAKE = Setup(get_chip("bm1684"), "F32", tpu_mlir.TpuMlir(None, "9.9"))
RELU = Case("Relu", "test", (In((1, 3, 8, 8)),))


class Failing:
    """Stands for compiler or emulator."""

    def __init__(self, error):
        self.error = error

    def __call__(self, *args, **kwargs):
        raise self.error


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (AutosplitError("x: the process ended by signal SIGSEGV"), "error"),
        (AutosplitError("x: no answer within 5 seconds, so the run was ended"), "timeout"),
    ],
)
def test_failures_become_results(monkeypatch, error, result):
    monkeypatch.setattr(measure, "_compile", lambda *_: {"TPU_STATIC"})
    monkeypatch.setattr(measure, "_run", Failing(error))
    record = measure_case(RELU, FAKE)
    assert (record.result, record.accepted) == (result, True)
    assert record.cause


@pytest.mark.parametrize(
    ("text", "result"), [("step x was not done after 3 s", "timeout"), ("it ended with 1", "error")]
)
def test_compile_failures_become_results(monkeypatch, text, result):
    from autosplit.toolchains.bmodel_compile import CompileError

    monkeypatch.setattr(measure, "_compile", Failing(CompileError(text)))
    assert measure_case(RELU, FAKE).result == result


def test_wrong_numbers_become_results(monkeypatch):
    monkeypatch.setattr(measure, "_compile", lambda *_: {"TPU_STATIC"})
    monkeypatch.setattr(measure, "_run", lambda runs, *_: [[feeds["x0"]] for feeds in runs])
    record = measure_case(RELU, FAKE)
    assert record.result == "wrong"
    assert float(record.off) > 0.5


def test_a_missing_conversion_becomes_a_result(monkeypatch):
    from autosplit.lowering import convert_onnx_to_top

    monkeypatch.delitem(convert_onnx_to_top.CONVERSIONS, "Relu")
    record = measure_case(RELU, FAKE)
    assert record == Record("no conversion", cause="KeyError: 'Relu'")


def test_what_is_refused_and_has_no_conversion():
    record = measure_case(Case("Det", "test", (In((2, 3)),)), FAKE)
    assert (record.result, record.code) == ("refused", "unsupported-op")
    assert "Det" in record.text


def test_causes_have_no_paths_and_addresses():
    assert measure._reduced("at  /tmp/a-b/c.so(+0x12)\n[0xab]") == "at c.so(+0x?) [0x?]"
    assert len(measure._reduced("x" * 1000)) <= measure.LONGEST_CAUSE


# The records


def test_records_are_written_as_they_are_read(tmp_path):
    records = Records(
        "bm1684", "1.0", {"F32": {"B/b": Record("wrong", "3e-01"), "A/ä": Record("correct")}}
    )
    path = tmp_path / "x.json"
    records.write(path)
    assert read_records(path) == records
    assert [line.split(":")[0] for line in path.read_text().splitlines()[1:3]] == ['"A/ä"', '"B/b"']
    more = records.with_records("F16", {"A/a": Record("error", cause="c")})
    more = more.with_records("F32", {"A/ä": Record("wrong")})
    assert more.of("F32")["B/b"].result == "wrong"
    assert set(more.with_records("F32", {}, keep=False).of("F32")) == set()
    more.write(path)
    assert read_records(path) == more


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"chip": "x"}',
        '{"chip": "x", "toolchain": "1", "modes": {"F32": {"a": {"result": "fine"}}}}',
        '{"chip": "x", "toolchain": "1", "modes": {"F32": {"a": {"colour": "red"}}}}',
    ],
)
def test_damaged_records_are_an_error(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(AutosplitError, match=re.escape(str(path))):
        read_records(path)


@pytest.mark.parametrize("chip", chip_names())
def test_all_chips_are_recorded(chip):
    """In F32; records of other modes may be there, and then they are as complete."""
    modes = chip_records(chip).modes
    assert {"F32", f"F32{DYNAMIC}"} <= set(modes), "no records: make probe"
    known = {mode.removesuffix(DYNAMIC).removesuffix(LARGE) for mode in modes}
    assert known <= set(get_chip(chip).modes)


@pytest.mark.parametrize(("chip", "mode"), RUNS)
def test_records_are_of_these_cases_and_this_tool_chain(chip, mode):
    records = chip_records(chip)
    assert records.chip == chip
    assert records.toolchain == tpu_mlir.TPU_MLIR_VERSION
    missing = cases_of(mode).keys() - records.of(mode).keys()
    assert records.of(mode).keys() <= cases_of(mode).keys()
    # Emulators take minutes for some of the sizes of real networks: not all are measured everywhere. Where
    # sizes vary, narrower modes are measured for what F32 takes.
    assert not missing or mode.endswith(LARGE) or (mode.endswith(DYNAMIC) and "F32" not in mode)
    for key, record in records.of(mode).items():
        assert record.result in RESULTS, key
        assert not record.code or record.code in REASONS["device.refused"], key
        assert bool(record.code) == bool(record.text), key
    again = records_path(chip).read_text(encoding="utf-8")
    assert json.loads(again)["chip"] == chip


@pytest.mark.parametrize(("chip", "mode"), RUNS)
def test_what_is_accepted_is_correct(chip, mode):
    """The promise of the check: an op that is placed on a chip computes the right numbers there."""
    bad = {
        k: r for k, r in chip_records(chip).of(mode).items() if r.accepted and r.result != "correct"
    }
    assert bad == {}


@pytest.mark.parametrize("op", OPS)
def test_every_op_runs_somewhere(op):
    right = [
        key
        for chip in chip_names()
        for key, record in chip_records(chip).of("F32").items()
        if key.split("/")[0] == op and record.accepted and record.result == "correct"
    ]
    assert right


@pytest.mark.parametrize("chip", chip_names())
def test_the_check_says_what_was_recorded(chip):
    """Without the tool chain: the check's answers for the cases are those in the records."""
    from autosplit.lowering.convert_onnx_to_top.check import check_module

    for key in list(all_cases())[crc32(chip.encode()) % 7 :: 7]:
        case = all_cases()[key]
        module, kept = measure._canonical(case.model(), measure_folder())
        found = next(iter(check_module(module, get_chip(chip), case.dynamic).values()), None)
        recorded = chip_records(chip).of("F32")[key]
        assert ("" if found is None else found.code.data) == recorded.code, key
        del kept


_FOLDERS = []


def measure_folder():
    return _FOLDERS[-1]


@pytest.fixture(autouse=True)
def folder(tmp_path):
    _FOLDERS.append(tmp_path)
    yield
    _FOLDERS.pop()


def test_forms_have_evidence():
    """A form that a table names refuses a case that was measured not to be correct there."""
    used = set()
    for chip in all_chips():
        for mode, forms in (("F32", chip.dynamic_forms), *chip.wrong_forms.items()):
            for name, evidence in forms.items():
                used.add(name)
                assert evidence.startswith("measured: ")
                found = [
                    r
                    for key, r in chip_records(chip.name).of(mode).items()
                    if key.split("/")[0] in FORMS[name].op_types and evidence in r.text
                ]
                assert found, name
                assert any(
                    r.result in ("wrong", "error", "host", "dynamic", "timeout") for r in found
                ), name
        for mode, names in chip.f32_forms.items():
            used |= set(names) - set(RULES)
            assert mode != "F32"
            assert all(evidence.startswith("measured: ") for evidence in names.values())
            assert set(names) <= {*FORMS, *RULES}
    assert used == set(FORMS)


def test_what_stays_in_f32_was_measured_so():
    """Where a mode is recorded, all of each form that stays in f32 there is right."""
    for chip in all_chips():
        for mode, names in chip.f32_forms.items():
            records = chip_records(chip.name).of(mode)
            for name in names if records else ():
                op_types = FORMS[name].op_types if name in FORMS else (name,)
                found = [r for key, r in records.items() if key.split("/")[0] in op_types]
                assert any(r.accepted for r in found), (chip.name, mode, name)
                assert all(r.result == "correct" for r in found if r.accepted)


# The command


def test_operands_are_what_a_mode_holds():
    """What is expected is computed of these, so that no Floor differs by what a border rounds."""
    x = np.array([2.9999, -4.0, 1 / 3, 0.0], np.float32)
    assert measure.rounded(x, "F32") is x
    assert np.array_equal(measure.rounded(x, "F16"), x.astype(np.float16).astype(np.float32))
    assert measure.rounded(x, "BF16")[0] == 3.0
    steps = measure.rounded(x, "INT8") / (4.0 / 127)
    assert np.allclose(steps, [95, -127, 11, 0])
    odd = measure.rounded(np.array([np.inf, 1.0, 0.26], np.float32), "INT8")
    assert np.allclose(odd, [np.inf, 1.0, 33 / 127])
    assert np.array_equal(measure.rounded(x * 0, "INT8"), x * 0)
    positions = np.array([1000], np.int64)
    assert measure.rounded(positions, "BF16") is positions


def test_sample_follows_from_the_records():
    records = {key: Record("correct") for key in all_cases()}
    first = command.sample(all_cases(), records, 5, None)
    assert first == command.sample(all_cases(), records, 5, None)
    records[next(iter(records))] = Record("wrong")
    assert first != command.sample(all_cases(), records, 5, None)
    assert command.sample(all_cases(), records, 5, 1) == command.sample(all_cases(), records, 5, 1)
    refused = {key: Record("refused", code="x", text="x") for key in all_cases()}
    with pytest.raises(AutosplitError, match="no case was recorded"):
        command.sample(all_cases(), refused, 5, None)


def test_differences():
    found = {
        "A/a": Record("correct", "1e-07"),
        "A/b": Record("wrong", "2e-01"),
        "A/c": Record("correct"),
    }
    assert command.differences(found, found) == []
    old = {"A/a": Record("correct", "9e-07"), "A/b": Record("correct")}
    assert command.differences(found, old) == [
        "A/b: recorded as correct, is wrong (off by 2e-01)",
        "A/c: not recorded, is correct",
    ]
    now = {"A/a": Record("correct", code="rank", text="x")}
    assert command.differences(now, old) == [
        "A/a: recorded as correct, is correct, refused as rank"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "bm1682"], "BM1682"),
        (["--mode", "F16"], "BM1684 takes F32"),
        (["--target", "bm1684x", "--mode", "INT4"], "BM1684X takes F32, F16, BF16, INT8"),
        (["--op", "("], "not a regular expression"),
        (["--op", "Det"], "no op type"),
        (["--jobs", "0"], "--jobs 0"),
        (["--sample", "0"], "--sample 0"),
        (["missing.onnx", "--op", "Conv"], "--op: is for probing without MODEL"),
        (["missing.onnx", "--large"], "--large: is for probing without MODEL"),
        (["--dynamic", "--large"], "give one of them"),
    ],
)
def test_bad_options(options, message, capsys):
    assert main(["probe", *options]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_without_the_tool_chain(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("AUTOSPLIT_TPU_MLIR", str(tmp_path))
    assert main(["probe", "--op", "Relu"]) == 1
    assert "TPU-MLIR" in capsys.readouterr().err


def fake_measures(monkeypatch, record):
    monkeypatch.setattr(
        tpu_mlir, "discover", lambda: tpu_mlir.TpuMlir(None, tpu_mlir.TPU_MLIR_VERSION)
    )
    monkeypatch.setattr(measure, "measure_case", lambda case, setup: record)


def test_exit_codes(monkeypatch, capsys, tmp_path):
    fake_measures(monkeypatch, Record("correct", "0e+00"))
    assert main(["probe", "--op", "Relu/1d"]) == 0
    assert "0 of 1 are not as recorded" in capsys.readouterr().out
    fake_measures(monkeypatch, Record("wrong", "3e-01"))
    assert main(["probe", "--op", "Relu/1d"]) == 1
    assert "Relu/1d: recorded as correct, is wrong (off by 3e-01)" in capsys.readouterr().out
    path = tmp_path / "x.json"
    assert main(["probe", "--op", "Relu/1d", "--write", str(path)]) == 0
    assert read_records(path).of("F32") == {"Relu/1d": Record("wrong", "3e-01")}
    assert main(["probe", "--op", "Relu/1d", "--target", "bm1688", "--write", str(path)]) == 1
    assert "holds records of bm1684" in capsys.readouterr().err


def test_what_was_measured_until_an_interrupt_is_kept(monkeypatch, tmp_path):
    path = tmp_path / "x.json"
    before = {"Relu/1d": Record("wrong"), "Relu/2d": Record("wrong")}
    Records("bm1684", tpu_mlir.TPU_MLIR_VERSION, {"F32": before}).write(path)
    fake_measures(monkeypatch, Record("correct"))

    def some(cases, setup, jobs, progress):
        progress("Relu/1d", Record("correct"))
        raise KeyboardInterrupt

    monkeypatch.setattr(measure, "measure_all", some)
    assert main(["probe", "--write", str(path)]) != 0
    kept = read_records(path).of("F32")
    assert kept == {"Relu/1d": Record("correct"), "Relu/2d": Record("wrong")}


# The real thing


@pytest.mark.parametrize(
    "chip",
    [
        pytest.param("bm1684", marks=pytest.mark.nightly),
        "bm1684x",
        pytest.param("bm1688", marks=pytest.mark.nightly),
    ],
)
def test_a_sample_is_as_recorded(chip):
    cases = command.sample(all_cases(), chip_records(chip).of("F32"), SAMPLE // 2, None)
    found = measure.measure_all(cases, setup(chip), jobs=2)
    assert command.differences(found, chip_records(chip).of("F32")) == []


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_all_cases_of_bm1684_are_as_recorded():
    found = measure.measure_all(all_cases(), setup(), jobs=2)
    assert command.differences(found, chip_records("bm1684").of("F32")) == []


def two_convolutions(tmp_path):
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(0)
    weights = [
        numpy_helper.from_array(random.standard_normal((4, 4, 3, 3)).astype(np.float32), f"w{i}")
        for i in range(2)
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], "conv0", pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["a", "w1"], ["b"], "conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Log", ["b"], ["y"], "log"),
    ]
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 4, 8, 8]) for n in "xy"]
    graph = helper.make_graph(nodes, "g", value[:1], value[1:], weights)
    path = tmp_path / "model.onnx"
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path
    )
    return path


def test_ops_of_a_model_share_probes_and_are_kept(monkeypatch, tmp_path):
    from autosplit.platforms import load_model
    from autosplit.registry import make_context

    kept = load_model(two_convolutions(tmp_path))
    lower_to_onnx(make_context(), kept.module)
    asked = []

    def fake(proto, feeds, outputs, setup):
        asked.append(proto)
        wrong = proto.graph.node[0].op_type == "Conv"
        return Record("wrong", "3e-01") if wrong else Record("correct", "0e+00")

    monkeypatch.setattr(model, "measure_model", fake)
    monkeypatch.setattr(model, "discover", lambda: tpu_mlir.TpuMlir(None, "9.9"))
    chip = get_chip("bm1684x")
    found = model.probe_module(kept.module, chip, cache=tmp_path / "cache")
    assert len(asked) == 2
    for proto in asked:
        onnx.checker.check_model(proto, full_check=True)
    assert [(op.op_type, r.code.data) for op, r in found.items()] == [("Conv", "probe")] * 2
    text = next(iter(found.values())).text.data
    assert "BM1684X" in text
    assert "3e-01" in text
    assert "probe" in REASONS["device.refused"]


def test_what_was_measured_is_kept(monkeypatch, tmp_path):
    ran = []

    def run(runs, *_):
        ran.append(runs)
        return [[np.maximum(feeds["x0"], 0)] for feeds in runs]

    monkeypatch.setattr(measure, "_compile", lambda *_: {"TPU_STATIC"})
    monkeypatch.setattr(measure, "_run", run)
    tools = tpu_mlir.TpuMlir(None, "9.9")
    plain = Setup(get_chip("bm1684x"), "F32", tools)
    kept = dataclasses.replace(plain, kept=tmp_path / "cache")
    assert [measure_case(RELU, s) for s in (plain, plain)] == [Record("correct", "0e+00")] * 2
    assert len(ran) == 2
    assert [measure_case(RELU, s) for s in (kept, kept)] == [Record("correct", "0e+00")] * 2
    assert len(ran) == 3
    # Another mode, chip, version or model is another measurement.
    measure_case(RELU, dataclasses.replace(kept, mode="F16"))
    measure_case(RELU, dataclasses.replace(kept, chip=get_chip("bm1688")))
    measure_case(RELU, dataclasses.replace(kept, toolchain=tpu_mlir.TpuMlir(None, "9.8")))
    measure_case(dataclasses.replace(RELU, name="other"), kept)
    assert len(ran) == 7
    # A file that was damaged is made anew.
    for path in (tmp_path / "cache").iterdir():
        path.write_text("{")
    measure_case(RELU, kept)
    assert len(ran) == 8


def test_probing_a_model_for_real(tmp_path, monkeypatch, capsys):
    toolchain()
    monkeypatch.setenv("AUTOSPLIT_CACHE", str(tmp_path / "cache"))
    assert main(["probe", str(two_convolutions(tmp_path)), "--target", "bm1684"]) == 0
    said = capsys.readouterr().out
    assert "3 ops probed for BM1684" in said
    assert len(list((tmp_path / "cache" / "probes").iterdir())) == 2


def test_timeouts_refuse_nothing_and_are_not_kept(monkeypatch, tmp_path):
    from autosplit.platforms import load_model
    from autosplit.registry import make_context

    kept = load_model(two_convolutions(tmp_path))
    lower_to_onnx(make_context(), kept.module)
    monkeypatch.setattr(measure, "_compile", lambda *_: {"TPU_STATIC"})
    monkeypatch.setattr(measure, "_run", Failing(AutosplitError("no answer within 3 s")))
    monkeypatch.setattr(model, "discover", lambda: tpu_mlir.TpuMlir(None, "9.9"))
    assert model.probe_module(kept.module, get_chip("bm1684x"), cache=tmp_path / "cache") == {}
    assert not list((tmp_path / "cache").rglob("*.json"))
