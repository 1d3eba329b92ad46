"""Sub-models whose sizes vary: the cases that measure them, the tables made of them, check and flow."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import TensorProto, helper, numpy_helper
from sampled import sample, sample_rows
from top_numbers import module_of
from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr, TensorType, f32
from xdsl.dialects.test import TestOp as Source
from xdsl.ir import Block

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.core.weights import store_for
from autosplit.devices import Chip, all_chips, chip_names, get_chip
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.top import TopOp, make_op
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.inputs.options import parse_input
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.convert_onnx_to_top.check import check_module
from autosplit.lowering.convert_onnx_to_top.parts.query import Query
from autosplit.lowering.convert_onnx_to_top.precision import f32_reason
from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins
from autosplit.lowering.convert_onnx_to_top.table import RULES
from autosplit.lowering.convert_onnx_to_top.varying import VARYING_FORMS
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.top.separate_twins import TopSeparateTwinsPass
from autosplit.platforms import load_model
from autosplit.probe.case import In
from autosplit.probe.cases import DYNAMIC, dynamic_cases
from autosplit.probe.cases_chains import CHAIN, Chain
from autosplit.probe.cases_dynamic import STATIC, STILL
from autosplit.probe.measure import (
    Setup,
    Varying,
    _canonical,
    in_turn,
    measure_case,
    measure_model,
    worst_of,
)
from autosplit.probe.records import Record, chip_records
from autosplit.probe.varying_sizes import ANY
from autosplit.runtime.runner import Runner
from autosplit.testing.models import model_path
from autosplit.testing.split import run_whole
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import tpu_mlir

MODE = f"F32{DYNAMIC}"


# The cases


def test_every_case_has_smaller_sizes():
    for key, case in dynamic_cases().items():
        assert case.dynamic, key
        largest = [o.shape for o in case.operands if isinstance(o, In)]
        assert case.smaller, key
        for run in case.smaller:
            assert len(run) == len(largest), key
            for small, large in zip(run, largest, strict=True):
                assert len(small) == len(large), key
                assert all(a <= b for a, b in zip(small, large, strict=True)), key
        if case.name != STILL:
            assert len({largest[0], *(run[0] for run in case.smaller)}) >= 3, key


@pytest.mark.parametrize("key", list(dynamic_cases())[::17])
def test_open_models_take_all_their_sizes(key: str):
    import onnxruntime

    case = dynamic_cases()[key]
    for largest in (True, False):
        onnx.checker.check_model(case.model(largest=largest), full_check=True)
    session = onnxruntime.InferenceSession(
        case.model(largest=False).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for i in range(1 + len(case.smaller)):
        assert session.run(list(case.outputs), case.feeds(i))


def test_open_sizes_are_named_alike():
    shapes = dynamic_cases()["MatMul/dynamic-heads-length"].open_shapes()
    assert shapes["x0"][:2] == [1, 3]
    assert shapes["x0"][3] == 16
    assert isinstance(shapes["x0"][2], str)
    assert shapes["x1"] == [1, 3, 16, shapes["x0"][2]]


def test_cases_of_what_is_as_large_as_ever():
    still = {case.op for case in dynamic_cases().values() if case.name == STILL}
    assert still == set(STATIC)


def test_runs_follow_each_other():
    """What a larger run leaves in memory must not show in a smaller one, nor the other way round."""
    sizes = [next(iter(run.values())).size for run in in_turn(*FEEDS)]
    assert sizes == [3, 2, 9, 3, 2]


FEEDS = ({"x": np.zeros(9, np.float32)}, [{"x": np.zeros(n, np.float32)} for n in (3, 2)])


def test_the_first_size_that_is_wrong_is_named():
    runs = in_turn(*FEEDS)
    right = [Record("correct", off) for off in ("0e+00", "3e-07", "1e-07", "0e+00", "0e+00")]
    assert worst_of(right, runs) == right[1]
    wrong = [*right[:1], Record("wrong", "2e-01"), Record("wrong", cause="y0 is odd"), *right[3:]]
    assert worst_of(wrong, runs).cause == "at 2"
    assert worst_of([*right[:2], *wrong[2:]], runs).cause == "at 9: y0 is odd"


# The tables


@pytest.mark.parametrize("chip", all_chips(), ids=lambda c: c.name)
def test_tables_name_what_was_measured_to_be_right(chip):
    records = chip_records(chip.name).of(MODE)
    for table in (chip.varying_ops, chip.fixed_ops):
        for op, evidence in table.items():
            assert evidence.startswith("measured: "), op
            names = re.split(", | and ", evidence.removeprefix("measured: "))
            for name in names:
                if not name.endswith(" more"):
                    record = records[f"{op}/dynamic-{name}"]
                    assert record.result == "correct", (op, name)
    assert not set(chip.varying_ops) & set(chip.fixed_ops)


def test_forms_have_evidence():
    """A form that a table names refuses a case that was measured not to be right there."""
    used = Counter[str]()
    for chip in all_chips():
        tables = {"F32": chip.varying_forms, **chip.wrong_varying}
        for mode, names in tables.items():
            records = chip_records(chip.name).of(mode + DYNAMIC)
            for name, evidence in names.items():
                used[name] += 1
                assert evidence.startswith("measured: ")
                refused = [r for r in records.values() if evidence in r.text]
                failed = ("error", "wrong")
                assert any(r.result in failed for r in refused), (chip.name, mode, name)
        for names in chip.f32_varying.values():
            used.update([*names])
    assert {name for name in used if name not in RULES} == set(VARYING_FORMS)


@pytest.mark.parametrize("chip", all_chips(), ids=lambda c: c.name)
def test_what_stays_in_f32_was_measured_to_be_right_so(chip):
    for mode, names in chip.f32_varying.items():
        records = chip_records(chip.name).of(mode + DYNAMIC)
        for name, evidence in names.items():
            assert evidence.startswith("measured: ")
            op_types = VARYING_FORMS[name].op_types if name in VARYING_FORMS else (name,)
            found = [r for key, r in records.items() if key.split("/")[0] in op_types]
            assert any(r.accepted for r in found), name


@pytest.mark.parametrize(
    ("nodes", "in_f32"),
    [
        ([("Gemm", ["x", "w"]), ("Relu", ["a"])], ["Gemm", "Relu"]),
        ([("Gemm", ["x", "w"]), ("Sigmoid", ["a"])], ["Gemm"]),
        ([("Mul", ["x", "one"]), ("Relu", ["a"])], []),
        ([("Add", ["x", "x"]), ("Sigmoid", ["a"])], ["Add"]),
        ([("Add", ["x", "one"]), ("Sigmoid", ["a"])], []),
        ([("Mul", ["x", "row"]), ("Sigmoid", ["a"])], ["Mul"]),
        ([("Exp", ["x"]), ("Sigmoid", ["a"])], ["Exp"]),
    ],
)
def test_int8_computes_in_f32_what_it_gets_wrong_where_sizes_vary(nodes, in_f32, tmp_path: Path):
    first, last = nodes
    made = [helper.make_node(*first, ["a"]), helper.make_node(*last, ["y"])]
    used = {"w": np.ones((3, 3), np.float32)} if first[0] == "Gemm" else {}
    used |= {"one": np.float32(1)} if "one" in first[1] else {}
    used |= {"row": np.array([1, 2, 3], np.float32)} if "row" in first[1] else {}
    path = tmp_path / "model.onnx"
    onnx.save(small(made, ["y"], ["n", 3], **used), path)
    loaded = load_model(path)
    normalize(loaded.module)
    ops = [op for op in loaded.module.walk() if isinstance(op, OnnxOp) and op.operands]
    constants = Constants(store_for(loaded.module))
    for name in ("bm1684x", "bm1688"):
        chip = get_chip(name)

        def found(dynamic: bool, chip: Chip = chip) -> list[str]:
            queries = [Query(op, chip, constants, dynamic, "INT8") for op in ops]
            return [q.op.op_type for q in queries if f32_reason(q)]

        assert found(dynamic=True) == in_f32
        assert found(dynamic=False) == []


@pytest.mark.parametrize("chip", all_chips(), ids=lambda c: c.name)
def test_what_is_accepted_is_right_in_every_mode_that_was_measured(chip):
    modes = [mode for mode in chip.modes if chip_records(chip.name).of(mode + DYNAMIC)]
    assert "F32" in modes
    for mode in modes:
        records = chip_records(chip.name).of(mode + DYNAMIC)
        wrong = {key: r for key, r in records.items() if r.accepted and r.result != "correct"}
        assert not wrong, mode


@pytest.mark.parametrize("chip", chip_names())
def test_chains_are_refused_or_right(chip: str):
    """Ops that are right alone are not always right in a row."""
    chains = {k: r for k, r in chip_records(chip).of(MODE).items() if k.startswith(f"{CHAIN}/")}
    right = [k for k, r in chains.items() if r.result == "correct" and r.accepted]
    assert len(right) >= 20
    assert all(r.result == "correct" for r in chains.values() if r.accepted)


@pytest.mark.parametrize("chip", chip_names())
def test_the_check_says_what_was_recorded(chip: str, tmp_path: Path):
    for i, (key, case) in enumerate(list(dynamic_cases().items())[len(chip) :: 9]):
        folder = tmp_path / str(i)
        folder.mkdir()
        module, kept = _canonical(case.model(largest=False), folder)
        if not case.as_is:
            put_stand_ins(module, get_chip(chip))
        found = next(iter(check_module(module, get_chip(chip), dynamic=True).values()), None)
        code = "" if found is None else found.code.data
        assert code == chip_records(chip).of(MODE)[key].code, key
        del kept


# The check


def refusals(
    model: onnx.ModelProto, chip: str, folder: Path, *, as_is: bool = False
) -> dict[str, str]:
    """Op type and text of what a chip refuses where sizes vary; `as_is`: without stand-ins."""
    module, kept = _canonical(model, folder)
    if not as_is:
        put_stand_ins(module, get_chip(chip))
    found = check_module(module, get_chip(chip), dynamic=True)
    del kept
    return {op.op_type: r.text.data for op, r in found.items() if isinstance(op, OnnxOp)}


def small(nodes: list[onnx.NodeProto], outputs: list[str], shape: list[int | str], **constants):
    arrays = [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        arrays,
    )
    opset = [helper.make_opsetid("", 21)]
    return onnx.shape_inference.infer_shapes(
        helper.make_model(graph, opset_imports=opset, ir_version=10)
    )


WEIGHTS = np.zeros((4, 3, 3, 3), np.float32)


def test_relu_needs_an_op_that_takes_it_in(tmp_path: Path):
    conv = helper.make_node("Conv", ["x", "w"], ["c"])
    relu = helper.make_node("Relu", ["c"], ["y"])
    joined = small([conv, relu], ["y"], [1, 3, "h", "w"], w=WEIGHTS)
    assert refusals(joined, "bm1684", tmp_path) == {}
    read_twice = small([conv, relu], ["c", "y"], [1, 3, "h", "w"], w=WEIGHTS)
    assert "is not merged into" in refusals(read_twice, "bm1684", tmp_path, as_is=True)["Relu"]
    assert refusals(read_twice, "bm1684", tmp_path) == {}
    assert refusals(read_twice, "bm1684x", tmp_path, as_is=True) == {}
    alone = small([helper.make_node("Relu", ["x"], ["y"])], ["y"], ["n", 3])
    assert "is not merged into" in refusals(alone, "bm1684", tmp_path, as_is=True)["Relu"]


def test_what_is_as_large_as_ever_may_be_where_its_sizes_are_fixed(tmp_path: Path):
    nodes = [
        helper.make_node("GlobalAveragePool", ["x"], ["p"]),
        helper.make_node("Pad", ["p", "pads"], ["y"]),
    ]
    pads = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    assert refusals(small(nodes, ["y"], [1, 3, "h", "w"], pads=pads), "bm1684", tmp_path) == {}
    varying = refusals(small(nodes, ["y"], ["n", 3, 8, 8], pads=pads), "bm1684", tmp_path)
    assert "Pad" in varying


def test_differences_are_for_f32_where_kernels_lack(tmp_path: Path):
    less = [helper.make_node("Sub", ["one", "x"], ["y"]), helper.make_node("Gelu", ["y"], ["z"])]
    path = tmp_path / "model.onnx"
    onnx.save(small(less, ["z"], ["n", 3, 8, 8], one=np.float32(1)), path)
    loaded = load_model(path)
    normalize(loaded.module)
    chip = get_chip("bm1684")
    assert not check_module(loaded.module, chip, dynamic=True)
    refused = check_module(loaded.module, chip, dynamic=True, mode="INT8")
    assert {op.op_type for op in refused} == {"Gelu", "Sub"}


def test_what_was_not_measured_is_refused(tmp_path: Path):
    model = small([helper.make_node("Celu", ["x"], ["y"])], ["y"], ["n", 3])
    for chip in chip_names():
        assert "Celu" in refusals(model, chip, tmp_path)


@pytest.mark.parametrize(
    ("factors", "how", "taken"),
    [
        ([1, 1, 2, 2], ("asymmetric", "floor"), True),
        ([1, 1, 2, 3], ("asymmetric", "floor"), True),
        ([1, 1, 1.5, 2], ("asymmetric", "floor"), False),
        ([1, 2, 2, 2], ("asymmetric", "floor"), False),
        ([1, 1, 2, 2], ("asymmetric", "ceil"), False),
        ([1, 1, 2, 2], ("half_pixel", "floor"), False),
    ],
)
def test_pictures_of_any_size_are_repeated(factors, how, taken: bool, tmp_path: Path):
    node = helper.make_node(
        "Resize",
        ["x", "", "s"],
        ["y"],
        mode="nearest",
        coordinate_transformation_mode=how[0],
        nearest_mode=how[1],
    )
    model = small([node], ["y"], [1, 3, "h", "w"], s=np.array(factors, np.float32))
    for chip in chip_names():
        assert ("Resize" not in refusals(model, chip, tmp_path)) == taken
    assert "Resize" in refusals(model, "bm1684", tmp_path, as_is=True)


# The canonical form


def canonical(model: onnx.ModelProto, folder: Path) -> list[OnnxOp]:
    path = folder / "model.onnx"
    onnx.save(model, path)
    loaded = load_model(path)
    normalize(loaded.module)
    return [op for op in loaded.module.walk() if isinstance(op, OnnxOp) and op.operands]


def test_a_reshape_whose_one_open_size_follows_has_a_constant_shape(tmp_path: Path):
    nodes = [
        helper.make_node("Shape", ["x"], ["s"], start=1, end=2),
        helper.make_node("Concat", ["one", "s", "rest"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["y"]),
    ]
    constants = {"one": np.array([1]), "rest": np.array([4, 8])}
    model = small(nodes, ["y"], [1, "w", 32], **constants)
    kinds = [op.op_type for op in canonical(model, tmp_path)]
    assert kinds == ["Reshape"]
    assert refusals(model, "bm1684x", tmp_path) == {}
    # Of two, which is which is unknown.
    both = small(nodes, ["y"], ["n", "w", 32], one=np.array([-1]), rest=constants["rest"])
    assert "Reshape" in [op.op_type for op in canonical(both, tmp_path)]


def test_softmax_of_rows_is_one_of_the_last_axis(tmp_path: Path):
    """Where the rank is known only after folding, as exporters of older opsets leave it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Reshape", ["x", "s"], ["r"]),
        helper.make_node("Softmax", ["r"], ["y"], axis=2),
    ]
    model = small(nodes, ["y"], [1, "w", 32])
    model.opset_import[0].version = 12
    for values in (model.graph.value_info, model.graph.output):
        for value in values:
            value.type.tensor_type.ClearField("shape")
    kinds = {op.op_type: op for op in canonical(model, tmp_path)}
    assert "Flatten" not in kinds
    assert kinds["Softmax"].attribute("axis") == 2


# Values that are read twice


@needs_toolchain
@pytest.mark.parametrize("chip", sample(["bm1684x", "bm1688"]))
@pytest.mark.parametrize("first", ["Mul 0 0", "Relu 0"])
def test_positive_products_of_signed_numbers_keep_their_upper_half(chip: str, first: str):
    """Kernels for sizes that vary wrote them as signed: all above 127 of 255 came out negative."""
    op, operands = first.split(" ", 1)
    largest, *smaller = ANY["any"]
    steps = (
        (op, operands, {}),
        ("Mul", "-1 -1" if op == "Mul" else "-1 0", {}),
        ("Mul", "-1 0", {}),
    )
    case = Chain(
        CHAIN,
        "products",
        (In(largest),),
        dynamic=True,
        smaller=tuple((shape,) for shape in smaller),
        steps=steps[: 2 if op == "Mul" else 3],
    )
    record = measure_case(case, Setup(get_chip(chip), "INT8", toolchain()))
    assert (record.result, record.code) == ("correct", "")


def test_second_readings_are_of_copies():
    value = TensorType(f32, [2, 3])
    source = Source(result_types=[value, value])
    block = Block([source])
    x, other = source.results
    for name, operands in (("square", [x, x]), ("again", [x, x]), ("plain", [x, other])):
        block.add_op(make_op("Mul", operands, [value], [name]))
    module = module_of(block)
    TopSeparateTwinsPass().apply(Context(), module)
    assert "LeakyRelu" not in str(module)
    module.attributes["module.top_run_mode"] = StringAttr("DYNAMIC")
    TopSeparateTwinsPass().apply(Context(), module)
    ops = [op for op in block.ops if isinstance(op, TopOp)]
    slopes = [op.number("alpha") for op in ops if op.kind == "LeakyRelu"]
    assert len(set(slopes)) == 2
    assert all(np.float32(slope) == 1 for slope in slopes)
    for op in ops:
        assert op.kind != "Mul" or op.inputs[0] is not op.inputs[1]


# The flow


def test_sizes_that_vary_are_written_with_dots():
    name, spec = parse_input("x=1,3,..48,..320:float32")
    assert (name, spec) == ("x", InputSpec((1, 3, 48, 320), "float32", varying=(2, 3)))
    assert parse_input("x=..8")[1].varying == (0,)
    for text in ("x=...8", "x=1..8", "x=.8", "x=..0"):
        with pytest.raises(AutosplitError):
            parse_input(text)


@pytest.fixture
def convolution(tmp_path: Path) -> Path:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["y"]),
    ]
    model = small(nodes, ["y"], ["n", 3, "h", "w"], w=WEIGHTS + 0.25)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    return path


def test_only_marked_sizes_vary(convolution: Path, tmp_path: Path):
    spec = InputSpec((1, 3, 16, 24), varying=(3,))
    options = SplitOptions(convolution, tmp_path / "out", {"x": spec}, dynamic=True)
    split_model(options)
    infos = GraphInfos.load(tmp_path / "out")
    assert infos.own["varying"] == {"x": [3]}
    assert infos.tensors["x"].shape == (1, 3, 16, 24)


def test_without_marks_all_that_is_open_varies(convolution: Path, tmp_path: Path):
    spec = InputSpec((1, 3, 16, 24))
    split_model(SplitOptions(convolution, tmp_path / "out", {"x": spec}, dynamic=True))
    assert GraphInfos.load(tmp_path / "out").own["varying"] == {"x": [0, 2, 3]}


def test_what_cannot_vary(convolution: Path, tmp_path: Path):
    spec = InputSpec((1, 3, 16, 24), varying=(1,))
    with pytest.raises(AutosplitError, match="dimension 1 is 3 and cannot vary"):
        split_model(SplitOptions(convolution, tmp_path / "out", {"x": spec}, dynamic=True))
    with pytest.raises(AutosplitError, match=re.escape("is ..3, which says that it varies")):
        split_model(SplitOptions(convolution, tmp_path / "out", {"x": spec}))


# On the emulator


def setup(chip: str) -> Setup:
    return Setup(get_chip(chip), "F32", tpu_mlir.discover())


@needs_toolchain
@pytest.mark.parametrize(
    ("chip", "key"),
    sample_rows(
        [
            ("bm1684", "Chain/dynamic-conv-relu-pool-conv-add-sizes"),
            ("bm1684", "Flatten/dynamic-any"),
            ("bm1684x", "Chain/dynamic-norm-written-out-length"),
            ("bm1684x", "Resize/dynamic-nearest-sizes"),
        ],
        2,
    ),
)
def test_measured_again(chip: str, key: str):
    found = measure_case(dynamic_cases()[key], setup(chip))
    assert found.agrees(chip_records(chip).of(MODE)[key])


KINDS = ("Abs", "HardSwish", "LeakyRelu", "Relu", "Sigmoid", "Tanh")


def random_net(seed: int, sizes: list[int | str], count: int = 6) -> onnx.ModelProto:
    """Convolutions, pools and what is computed element by element, with several readers of a value."""
    random = np.random.default_rng(seed)
    values, nodes, constants = ["x"], list[onnx.NodeProto](), dict[str, np.ndarray]()

    def any_value() -> str:
        return values[-1 - int(min(random.exponential(1.2), len(values) - 1))]

    for i in range(count):
        name, kind = f"v{i}", int(random.integers(6))
        if kind <= 1:
            constants[f"w{i}"] = (random.standard_normal((6, 6, 3, 3)) / 7).astype(np.float32)
            same = {"pads": [1, 1, 1, 1]}
            node = helper.make_node("Conv", [any_value(), f"w{i}"], [name], **same)
        elif kind == 2:
            pool = str(random.choice(["MaxPool", "AveragePool"]))
            window = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
            node = helper.make_node(pool, [any_value()], [name], **window)
        elif kind == 3:
            operator = str(random.choice(["Add", "Mul", "Sub", "Max"]))
            node = helper.make_node(operator, [any_value(), any_value()], [name])
        else:
            node = helper.make_node(str(random.choice(KINDS)), [any_value()], [name])
        nodes.append(node)
        values.append(name)
    read = {operand for node in nodes for operand in node.input}
    ends = [value for value in values[1:] if value not in read]
    return small(nodes, ends, [sizes[0], 6, *sizes[1:]], **constants)


def check_random(seed: int, chip: str) -> None:
    largest, smaller = (3, 17, 20), [(1, 9, 13), (2, 16, 5)]
    model, opened = random_net(seed, list(largest)), random_net(seed, ["n", "h", "w"])
    if "x" not in {operand for node in model.graph.node for operand in node.input}:
        pytest.skip("reads no input")
    random = np.random.default_rng(seed)

    def feeds(sizes: tuple[int, ...]) -> dict[str, np.ndarray]:
        shape = (sizes[0], 6, *sizes[1:])
        return {"x": random.uniform(-2, 2, shape).astype(np.float32)}

    varying = Varying(opened, [feeds(sizes) for sizes in smaller])
    outputs = [value.name for value in model.graph.output]
    record = measure_model(model, feeds(largest), outputs, setup(chip), True, varying)
    if record.code:
        pytest.skip(f"refused: {record.text}")
    assert record.result == "correct", record


@needs_toolchain
@pytest.mark.parametrize("chip", ["bm1684x", "bm1688"])
def test_products_in_int8(chip: str):
    """Of positive numbers, the tool chain's INT8 product is off by 2 where sizes vary."""
    random = np.random.default_rng(0)
    nodes = [helper.make_node("Sigmoid", ["x"], ["s"]), helper.make_node("Gemm", ["s", "w"], ["y"])]
    weights = random.standard_normal((32, 10)).astype(np.float32)
    largest, *smaller = [
        {"x": random.standard_normal((rows, 32)).astype(np.float32)} for rows in (4, 1, 3)
    ]
    whole, varying = (small(nodes, ["y"], [rows, 32], w=weights) for rows in (4, "n"))
    found = measure_model(
        whole,
        largest,
        ("y",),
        Setup(get_chip(chip), "INT8", tpu_mlir.discover()),
        dynamic=True,
        varying=Varying(varying, smaller),
    )
    assert found.result == "correct"


@needs_toolchain
@pytest.mark.parametrize("seed", sample(range(8)))
def test_random_nets(seed: int):
    check_random(seed, ("bm1684", "bm1684x")[seed % 2])


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 220))
def test_many_random_nets(seed: int):
    check_random(seed, chip_names()[seed % 3])


MODELS = {
    "words": (
        "ch_PP-OCRv4_rec_infer.onnx",
        "x",
        "1,3,48,..320",
        [(1, 3, 48, w) for w in (320, 201, 48)],
    ),
    "parts": (
        "320n.onnx",
        "images",
        "1,3,..320,..320",
        [(1, 3, 320, 320), (1, 3, 160, 256), (1, 3, 96, 224)],
    ),
}
"""A model, its input, what is said of it, and what it is run with."""


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x"])
def test_models_of_any_size(name: str, chip: str, tmp_path: Path):
    """Split and compiled once, right at several sizes; on BM1684X in one TPU sub-model."""
    file, given, said, sizes = MODELS[name]
    model, folder = model_path(file), tmp_path / "out"
    spec = parse_input(f"{given}={said}")[1]
    split_model(SplitOptions(model, folder, {given: spec}, target=chip, dynamic=True))
    convert_folder(ConvertOptions(folder, compare=True)).check()
    on_tpu = [graph for graph in GraphInfos.load(folder).graphs if graph.device == "tpu"]
    assert chip != "bm1684x" or len(on_tpu) == 1
    for shape in sizes:
        feeds = {given: np.random.default_rng(shape[-1]).random(shape).astype(np.float32)}
        with Runner(folder, 2, use_cmodel=True, timeout=3000) as runner:
            made = runner.infer(feeds)
        for output, array in run_whole(model, feeds, list(made)).items():
            found = difference(array, made[output])
            assert found.within(TOLERANCES["F32"]), (shape, output, found)
