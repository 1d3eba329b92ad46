"""The passes of the quant dialect on whole models: ONNX Runtime before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.parser import Parser

from autosplit.core.dtypes import element_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.printing import module_text
from autosplit.core.weights import WeightStore, register
from autosplit.dialects import quant
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx import base
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.platform import element_type, shape_of
from autosplit.dialects.quant import DequantizeCastOp, QuantizeCastOp, QuantOp, uniform_of
from autosplit.formats.onnx.reader import read_model
from autosplit.formats.onnx.writer import model_proto
from autosplit.lowering.pipelines import build_passes
from autosplit.registry import get_all_passes, make_context
from autosplit.testing.qdq import QdqBuilder, run
from autosplit.testing.qdq_models import mobilenet_v2, resnet50, transformer_layer

pytest.importorskip("onnxruntime")

TO_QUANT = "infer-shapes,convert-onnx-to-quant"
BACK = "convert-quant-to-onnx"


class Loaded:
    """A model as a module; `run` applies passes, verifying after each."""

    def __init__(self, model: ModelProto):
        self.store = WeightStore(Path("model.onnx"), "0123456789abcdef")
        self.module = read_model(model, self.store, Path())
        register(self.store, self.module)

    def run(self, passes: str) -> Loaded:
        ctx = make_context()
        for step in build_passes(passes, get_all_passes() | _upstream()):
            step.apply(ctx, self.module)
            self.module.verify()
        return self

    def model(self) -> ModelProto:
        return model_proto(self.module, self.store)

    def ops(self, kind: type) -> list:
        return [op for op in self.module.walk() if isinstance(op, kind)]


def _upstream():
    from xdsl.transforms import get_all_passes as upstream

    return {"canonicalize": upstream()["canonicalize"]}


def feeds_of(model: ModelProto, gain: float = 1.0, seed: int = 3) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    constants = {i.name for i in model.graph.initializer}
    return {
        i.name: (
            random.standard_normal([d.dim_value or 2 for d in i.type.tensor_type.shape.dim]) * gain
        ).astype(np.float32)
        for i in model.graph.input
        if i.name not in constants
    }


def assert_same_bits(before: ModelProto, after: ModelProto, **options: float) -> None:
    onnx.checker.check_model(after)
    feeds = feeds_of(before, **options)
    for a, b in zip(
        run(before, feeds, optimize=False), run(after, feeds, optimize=False), strict=True
    ):
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()


def assert_same_model(before: ModelProto, after: ModelProto) -> None:
    """Nodes, ends, and constants by name; constants may stand in another order."""
    assert list(after.graph.node) == list(before.graph.node)
    assert list(after.graph.output) == list(before.graph.output)
    assert list(after.graph.input) == list(before.graph.input)
    old, new = (
        {i.name: numpy_helper.to_array(i) for i in m.graph.initializer} for m in (before, after)
    )
    assert sorted(new) == sorted(old)
    for name, array in old.items():
        assert new[name].dtype == array.dtype, name
        assert new[name].shape == array.shape, name
        assert new[name].tobytes() == array.tobytes(), name


@st.composite
def networks(draw: st.DrawFn) -> ModelProto:
    """Small quantized networks of every kind of neighbourhood that casts have."""
    b = QdqBuilder(draw(st.integers(0, 99)))
    dtype = st.sampled_from(["uint8", "int8"])
    x = b.qdq(b.input("x", (2, 4, 6, 6)), draw(dtype))
    earlier = [x]
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["conv", "relu", "pool", "add", "heads", "again", "concat"]))
        match kind:
            case "conv":
                y = b.conv(x, (4, 4, 3, 3), pads=1, bias=draw(st.booleans()))
            case "relu":
                y = b.relu(b.conv(x, (4, 4, 1, 1)))
            case "pool":
                y = b.node("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
            case "add":
                y = b.node("Add", b.qdq(b.conv(x, (4, 4, 1, 1))), draw(st.sampled_from(earlier)))
            case "heads":
                sizes = b.constant(np.array([2, 4, 9, 4]), "sizes")
                y = b.node("Transpose", b.node("Reshape", x, sizes), perm=[0, 3, 2, 1])
                b.output(b.qdq(y, draw(dtype)))
                continue
            case "concat":
                y = b.node("Mul", x, draw(st.sampled_from(earlier)))
            case _:
                y = x
        x = b.qdq(y, draw(dtype))
        earlier.append(x)
    if draw(st.booleans()):
        b.output(*earlier[1:2])
    b.output(b.relu(x))
    return b.build()


# There and back


@given(networks())
@settings(max_examples=25, deadline=None)
def test_there_and_back_is_the_same_model(model: ModelProto):
    loaded = Loaded(model).run(TO_QUANT)
    assert not [o for o in loaded.ops(OnnxOp) if "QuantizeLinear" in o.op_type]
    text = module_text(loaded.module)
    back = loaded.run(BACK).model()
    assert_same_model(model, back)
    assert_same_bits(model, back)
    # From text, too.
    again = Parser(make_context(), text).parse_module()
    again.verify()
    assert module_text(again) == text


@pytest.mark.parametrize(
    "build", [lambda: mobilenet_v2(size=32), lambda: resnet50(size=32), transformer_layer]
)
def test_whole_networks_come_back_as_they_were(build):
    model = build()
    loaded = Loaded(model).run(TO_QUANT)
    text = module_text(loaded.module)
    assert len(text) < 1 << 20
    found = {u for o in loaded.ops(QuantOp) if (u := uniform_of(o.output.type)) is not None}
    assert any(u.count > quant.INLINE_PARAMS for u in found) or build is transformer_layer
    assert_same_model(model, loaded.run(BACK).model())
    assert quant.TABLE not in loaded.module.attributes
    # The parameters of the text are those of the model.
    again = Parser(make_context(), text).parse_module()
    assert {uniform_of(r.type) for o in again.walk() for r in o.results} >= found


@given(networks())
@settings(max_examples=25, deadline=None)
def test_split_lifted_and_folded_casts_give_the_same_integers(model: ModelProto):
    passes = f"{TO_QUANT},quant-split-dequant,quant-lift,canonicalize,{BACK}"
    loaded = Loaded(model).run(passes)
    assert_same_bits(model, loaded.model(), gain=1.0)
    assert_same_bits(model, loaded.model(), gain=30.0)


@given(networks())
@settings(max_examples=25, deadline=None)
def test_after_splitting_every_dequantize_has_one_user(model: ModelProto):
    loaded = Loaded(model).run(f"{TO_QUANT},quant-split-dequant")
    assert all(o.output.has_one_use() for o in loaded.ops(DequantizeCastOp))
    names = [n for o in loaded.ops(OnnxOp) for n in o.output_names]
    names += [o.value_name(0) for o in loaded.ops(DequantizeCastOp)]
    assert len(names) == len(set(names))
    assert_same_model(model, loaded.run(BACK).model())


def test_views_are_crossed_and_the_result_is_integers():
    b = QdqBuilder(2)
    x = b.qdq(b.input("x", (2, 4, 6, 6)))
    y = b.conv(x, (8, 4, 1, 1))
    sizes = b.constant(np.array([2, 8, 36]), "sizes")
    b.output(b.qdq(b.node("Transpose", b.node("Reshape", y, sizes), perm=[0, 2, 1])))
    model = b.build()
    after = Loaded(model).run(f"{TO_QUANT},quant-lift,{BACK}").model()
    kinds = [n.op_type for n in after.graph.node]
    assert kinds[kinds.index("Conv") :] == [
        "Conv",
        "QuantizeLinear",
        "Reshape",
        "Transpose",
        "DequantizeLinear",
    ]
    assert_same_bits(model, after, gain=10.0)


# quant-turn-softmax


@given(st.permutations(range(4)), st.integers(-4, 3), st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_softmax_runs_along_the_last_dimension_and_gives_the_same_integers(
    perm: list[int], axis: int, quantized: bool
):
    b = QdqBuilder(6)
    x = b.qdq(b.node("Transpose", b.qdq(b.input("x", (2, 3, 5, 7))), perm=list(perm)))
    y = b.node("Softmax", x, axis=axis)
    b.output(b.qdq(y) if quantized else y)
    model = b.build()
    loaded = Loaded(model).run(f"{TO_QUANT},quant-split-dequant,quant-turn-softmax,quant-lift")
    (softmax,) = [o for o in loaded.ops(OnnxOp) if o.op_type == "Softmax"]
    assert base.attribute(softmax, "axis", -1) in (-1, 3)
    turned = [o for o in loaded.ops(OnnxOp) if o.op_type == "Transpose"]
    assert all(element_type(o.results[0].type) != f32 for o in turned) or not quantized
    after, feeds = loaded.run(BACK).model(), feeds_of(model)
    onnx.checker.check_model(after)
    for old, new in zip(
        run(model, feeds, optimize=False), run(after, feeds, optimize=False), strict=True
    ):
        np.testing.assert_allclose(new, old, rtol=0, atol=1 if quantized else 1e-6)


# quant-fold-requantize


def residual(kind: str, **options) -> ModelProto:
    """A convolution, its quantize, and a sum; quantized for small inputs, so that large ones saturate."""
    b = QdqBuilder(4)
    x = b.qdq(b.input("x", (1, 4, 6, 6), low=-1, high=1))
    y = b.conv(x, (4, 4, 3, 3), pads=1)
    if kind == "relu":
        y = b.relu(y)
    if kind == "hidden":
        y = b.float_node("Relu", y)
    if kind == "sigmoid":
        y = b.node("Sigmoid", y)
    d = b.qdq(y, **options)
    s = b.node("Add", d, x)
    b.output(b.qdq(b.relu(s)), d)
    return b.build()


def sum_model(kind: str, **options) -> tuple[ModelProto, float]:
    """A model of which nothing but the sum is read; the scale of the quantize of the sum's operand."""
    model = residual(kind, **options)
    del model.graph.output[1:]
    add = next(n for n in model.graph.node if n.op_type == "Add")
    return model, scale_of(model, add.input[0])


def scale_of(model: ModelProto, value: str) -> float:
    """The scale by which `value` was dequantized."""
    (name,) = (n.input[1] for n in model.graph.node if n.output[0] == value)
    (scale,) = (numpy_helper.to_array(i) for i in model.graph.initializer if i.name == name)
    return float(scale.reshape(-1)[0])


def operand_of_sum(model: ModelProto, feeds) -> np.ndarray:
    """What the sum of a model reads first."""
    shown = ModelProto()
    shown.CopyFrom(model)
    add = next(n for n in shown.graph.node if n.op_type == "Add")
    shown.graph.output.append(helper.make_tensor_value_info(add.input[0], TensorProto.FLOAT, None))
    return run(shown, feeds, [add.input[0]], optimize=False)[0]


CASES = [
    ("plain", {}),
    ("plain", {"dtype": "int8", "symmetric": True}),
    ("relu", {}),
    ("relu", {"dtype": "int8", "symmetric": True}),
    ("hidden", {}),
    ("sigmoid", {}),
]


@pytest.mark.parametrize(("kind", "options"), CASES)
@pytest.mark.parametrize("gain", [0.3, 1.0, 20.0])
def test_what_a_sum_reads_is_at_most_half_a_scale_off(kind: str, options, gain: float):
    model, scale = sum_model(kind, **options)
    loaded = Loaded(model).run(f"{TO_QUANT},quant-split-dequant")
    before = len(loaded.ops(QuantizeCastOp))
    loaded.run("quant-fold-requantize{sums=close}")
    assert len(loaded.ops(QuantizeCastOp)) == before - 1
    after = loaded.run(BACK).model()
    onnx.checker.check_model(after)
    feeds = feeds_of(model, gain=gain)
    # The convolution's input saturates, too: the same in both.
    old, new = operand_of_sum(model, feeds), operand_of_sum(after, feeds)
    assert np.abs(old - new).max() <= 0.5 * scale * (1 + 1e-4)
    assert not np.array_equal(old, new)
    y_old, y_new = (run(m, feeds, optimize=False)[0] for m in (model, after))
    step = scale_of(model, model.graph.output[0].name)
    assert np.abs(y_old - y_new).max() <= 0.5 * scale + 1.01 * step


@pytest.mark.parametrize("kind", ["plain", "hidden"])
def test_without_the_clip_large_values_would_be_far_off(kind: str):
    """So the test above can fail: a naive removal of the pair, or one that keeps the ReLU only."""
    model, scale = sum_model(kind, **SMALL)
    exact = Loaded(model).run(f"{TO_QUANT},quant-fold-requantize{{sums=close}},{BACK}").model()
    passing = Loaded(model).run(f"{TO_QUANT},quant-fold-requantize{{sums=fast}},{BACK}").model()
    feeds = feeds_of(model, gain=20.0)
    old = operand_of_sum(model, feeds)
    assert np.abs(old - operand_of_sum(exact, feeds)).max() <= 0.5 * scale * (1 + 1e-4)
    loose = operand_of_sum(passing, feeds)
    assert np.abs(old - loose).max() > 10 * scale
    # The ReLU that the quantizer left out is there in both.
    assert kind != "hidden" or loose.min() == 0


SMALL = {"scale": 0.00203, "zero_point": 0}


# quant-sum-as-conv


def two_quantized(dtype: str, *, relu: bool, seed: int = 5) -> ModelProto:
    """A sum of two pooled inputs with casts all around, the second of which saturates for large inputs."""
    b = QdqBuilder(seed)
    x = b.qdq(b.input("x", (2, 5, 7, 6)), dtype)
    y = b.qdq(b.input("y", (2, 5, 7, 6)), dtype, scale=0.01)
    s = b.node("Add", x, y)
    b.output(b.qdq(b.relu(s) if relu else s, dtype))
    return b.build()


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_a_sum_as_a_convolution_has_the_same_bits(dtype: str, relu: bool):
    model = two_quantized(dtype, relu=relu)
    loaded = Loaded(model).run(f"{TO_QUANT},quant-split-dequant,quant-sum-as-conv")
    assert [op.op_type for op in loaded.ops(OnnxOp) if op.op_type in ("Conv", "Add")] == [
        "Conv",
        "Add",
    ]
    after = loaded.run(BACK).model()
    for gain in (0.1, 1.0, 30.0):
        assert_same_bits(model, after, gain=gain)


@given(networks())
@settings(max_examples=25, deadline=None)
def test_sums_of_any_network_keep_their_bits(model: ModelProto):
    passes = f"{TO_QUANT},quant-split-dequant,quant-sum-as-conv,{BACK}"
    assert_same_bits(model, Loaded(model).run(passes).model(), gain=3.0)


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_the_library_sums_as_the_model_does(dtype: str, relu: bool, tmp_path: Path):
    """One partition, and numbers that differ on ties at most, which the library rounds another way."""
    from autosplit.flows.compile import CompileOptions, compile_model
    from autosplit.runtime.plan.plan import Plan
    from autosplit.testing.int8 import groups_in

    path = tmp_path / "sum.onnx"
    model = two_quantized(dtype, relu=relu)
    onnx.save(model, path)
    result = compile_model(CompileOptions(path))
    assert groups_in(result.module) == ["dq dq dq conv add" + " relu" * relu + " q"]
    plan = Plan.from_module(result.module, result.store)
    add = next(n for n in model.graph.node if n.op_type == "Add")
    for gain in (0.1, 1.0, 30.0):
        feeds = feeds_of(model, gain=gain)
        shown = ModelProto()
        shown.CopyFrom(model)
        shown.graph.output.append(
            helper.make_tensor_value_info(add.output[0], TensorProto.FLOAT, None)
        )
        wanted, total = run(shown, feeds, optimize=False)
        (name,) = plan.output_names
        scale = scale_of(model, name)
        off = np.abs(plan.run(feeds)[name] - wanted) / scale
        assert off.max() < 1.01
        place = total / scale
        tie = np.abs(place - np.floor(place) - 0.5) < 1e-3
        assert (off[~tie] < 0.01).all()


# Ops on quantized tensors

MICROSOFT = "com.microsoft"
X = ((1, 4, 6, 6), np.uint8, 0.02, 117)
LAST = ((1, 6, 6, 4), np.uint8, 0.02, 117)
Y = (0.05, 100)


class Operator:
    """A model of one op whose first tensor is the input; operands are added in their order."""

    def __init__(self, kind: str, domain: str = MICROSOFT, seed: int = 1, **attributes):
        self.kind, self.domain, self.attributes = kind, domain, attributes
        self.random = np.random.default_rng(seed)
        self.names: list[str] = []
        self.constants: dict[str, np.ndarray] = {}
        self.input: tuple[tuple[int, ...], type] = (X[0], np.uint8)
        self.is_real = False

    def given(self, array) -> Operator:
        self.names.append(name := f"c{len(self.names)}")
        self.constants[name] = np.asarray(array)
        return self

    def parameters(self, scale, zero_point, dtype=np.uint8) -> Operator:
        return self.given(np.asarray(scale, np.float32)).given(
            np.full(np.shape(scale), zero_point, dtype)
        )

    def tensor(self, shape, dtype, scale, zero_point) -> Operator:
        if "x" not in self.names:
            self.names.append("x")
            self.input = (shape, dtype)
        else:
            # Weights of 7 bits, so that no kernel saturates in between.
            limits = np.iinfo(dtype)
            self.given(self.random.integers(limits.min // 2, limits.max // 2, shape).astype(dtype))
        return self.parameters(scale, zero_point, dtype)

    def bias(self, *shape: int) -> Operator:
        return self.given(self.random.integers(-99, 99, shape).astype(np.int32))

    def model(self) -> ModelProto:
        node = helper.make_node(
            self.kind, self.names, ["y"], "op", domain=self.domain, **self.attributes
        )
        kind = TensorProto.FLOAT if self.is_real else TensorProto.UINT8
        graph = helper.make_graph(
            [node],
            "g",
            [
                helper.make_tensor_value_info(
                    "x", helper.np_dtype_to_tensor_dtype(np.dtype(self.input[1])), self.input[0]
                )
            ],
            [helper.make_tensor_value_info("y", kind, None)],
            [numpy_helper.from_array(a, n) for n, a in self.constants.items()],
        )
        imports = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=8)

    def real(self) -> Operator:
        self.is_real = True
        return self


def elementwise(kind: str) -> Operator:
    return Operator(kind).tensor(*X).tensor((4, 1, 1), np.uint8, 0.03, 5).parameters(*Y)


def conv(domain: str = MICROSOFT, x=X, **attributes) -> Operator:
    op = Operator("QLinearConv", domain, **attributes).tensor(*x)
    return op.tensor((3, 4, 3, 3), np.int8, [0.01, 0.02, 0.03], 0).parameters(0.2, 128)


def gemm(scales=0.01, *, bias: bool = True, turned: int = 0, **attributes) -> Operator:
    op = Operator("QGemm", transB=turned, **attributes).tensor((3, 6), np.uint8, 0.02, 117)
    op.tensor((5, 6) if turned else (6, 5), np.int8, scales, 0)
    if bias:
        return op.bias(5)
    op.names.append("")
    return op


def matmul_to_real(scales, zero_point: int, *, numbers: bool = False) -> Operator:
    """Scales and zero points stand behind both tensors."""
    op = Operator("MatMulIntegerToFloat")
    op.names, op.input = ["x"], ((3, 6), np.uint8)
    op.given(op.random.integers(-63, 64, (6, 5)).astype(np.int8)).given(np.float32(0.02))
    op.given(np.asarray(scales, np.float32)).given(np.uint8(117))
    op.given(np.full(np.shape(scales), zero_point, np.int8))
    return (op.given(op.random.random(5).astype(np.float32)) if numbers else op).real()


FIVE = [0.01, 0.02, 0.03, 0.04, 0.05]
OPERATORS = {
    "conv": conv(""),
    "grouped conv": Operator("QLinearConv", "", group=2).tensor(*X)
    .tensor((4, 2, 1, 1), np.int8, 0.01, 0).parameters(0.1, 0).bias(4),
    "matmul": Operator("QLinearMatMul", "").tensor(*X).tensor((6, 5), np.int8, FIVE, 0).parameters(0.1, 99),
    "matmul with a zero point": Operator("QLinearMatMul", "").tensor(*X)
    .tensor((6, 5), np.int8, 0.01, 3).parameters(0.1, 99),
    "add": elementwise("QLinearAdd"),
    "mul": elementwise("QLinearMul"),
    "sigmoid": Operator("QLinearSigmoid").tensor(*X).parameters(1 / 256, 0),
    "leaky relu": Operator("QLinearLeakyRelu", alpha=0.25).tensor(*X).parameters(0.02, 20),
    "global average": Operator("QLinearGlobalAveragePool").tensor(*X).parameters(0.01, 100),
    "global average, channels last": Operator("QLinearGlobalAveragePool", channels_last=1)
    .tensor(*LAST).parameters(0.01, 100),
    "average": Operator("QLinearAveragePool", kernel_shape=[2, 2]).tensor(*X).parameters(0.02, 100),
    "average, channels last": Operator(
        "QLinearAveragePool", kernel_shape=[2, 2], strides=[2, 2], channels_last=1
    ).tensor(*LAST).parameters(0.02, 100),
    "runtime's conv": conv(),
    "conv, channels last": conv(x=LAST, channels_last=1, pads=[1, 1, 1, 1]),
    "concat": Operator("QLinearConcat", axis=1).parameters(*Y).tensor(*X)
    .tensor((1, 2, 6, 6), np.uint8, 0.03, 5),
    "softmax": Operator("QLinearSoftmax", axis=1, opset=13).tensor(*X).parameters(1 / 256, 0),
    "softmax of rows": Operator("QLinearSoftmax", axis=3, opset=12).tensor(*X).parameters(1 / 256, 0),
    "where": Operator("QLinearWhere").given(np.eye(6) > 0).tensor(*X)
    .tensor((6, 6), np.uint8, 0.03, 5).parameters(*Y),
    "gemm": gemm().parameters(0.05, 99),
    "gemm by column": gemm(FIVE).parameters(0.05, 99),
    "gemm, turned": gemm(FIVE, turned=1).parameters(0.05, 99),
    "gemm with alpha": gemm(FIVE, alpha=0.5).parameters(0.05, 99),
    "matmul to real numbers": matmul_to_real(0.01, 3),
    "matmul by column to real numbers": matmul_to_real(FIVE, 0, numbers=True),
    "gemm to real numbers": gemm(bias=False).real(),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_an_op_on_quantized_tensors_is_its_casts(name):
    operator = OPERATORS[name]
    model = operator.model()
    shape, dtype = operator.input
    x = np.random.default_rng(0).integers(0, 256, shape).astype(dtype)
    (old,) = run(model, {"x": x}, optimize=False)
    loaded = Loaded(model).run("infer-shapes")
    (op,) = (o for o in loaded.ops(OnnxOp) if o.op_type == operator.kind)
    assert (shape_of(op.results[0].type), element_type(op.results[0].type)) == (
        old.shape,
        element_type_of(old.dtype.name),
    )
    loaded.run("convert-onnx-to-quant")
    assert not [op for op in loaded.ops(OnnxOp) if op.op_type == operator.kind]
    (new,) = run(loaded.run(BACK).model(), {"x": x}, optimize=False)
    assert len(np.unique(old)) > 10 or old.size < 50
    if operator.is_real:
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-5)
        return
    off = np.abs(old.astype(int) - new.astype(int))
    assert off.max() <= 1
    assert (off != 0).mean() < 0.1


@pytest.mark.parametrize("opset", [17, 21])
def test_a_mean_of_a_quantized_tensor_is_its_casts(opset):
    """ONNX Runtime declares the op and has no kernel for it on CPUs."""
    operator = Operator("QLinearReduceMean", axes=[2, 3], keepdims=0).tensor(*X)
    model = operator.parameters(0.01, 100).model()
    model.opset_import[0].version = opset
    loaded = Loaded(model).run("infer-shapes")
    (op,) = (o for o in loaded.ops(OnnxOp) if o.op_type == operator.kind)
    assert shape_of(op.results[0].type) == (1, 4)
    after = loaded.run("convert-onnx-to-quant").run(BACK).model()
    x = np.random.default_rng(0).integers(0, 256, X[0]).astype(np.uint8)
    mean = ((x.astype(np.float64) - 117) * 0.02).mean(axis=(2, 3))
    wanted = np.clip(np.rint(mean / 0.01) + 100, 0, 255)
    assert np.abs(run(after, {"x": x}, optimize=False)[0] - wanted).max() <= 1


def test_channels_that_come_last_stay_so_between_two_ops():
    """Of the transpositions behind one op and before the next nothing is left."""
    model = OPERATORS["average, channels last"].model()
    (first,) = model.graph.node
    second = onnx.NodeProto()
    second.CopyFrom(first)
    second.input[0], second.output[0], second.name = "y", "z", "second"
    model.graph.node.append(second)
    model.graph.output[0].name = "z"
    loaded = Loaded(model).run("infer-shapes,convert-onnx-to-quant,onnx-graph")
    turns = [op for op in loaded.ops(OnnxOp) if op.op_type == "Transpose"]
    read = [op for op in turns if op.results[0].first_use is not None]
    assert len(read) == 2


REFUSED_OPERATORS = {
    "dynamic-scale": ("has a scale that is computed", {1: "scale"}),
    "operand-count": ("lacks operands", {3: ""}),
}


@pytest.mark.parametrize("code", REFUSED_OPERATORS)
def test_an_op_that_cannot_be_casts_says_why(code):
    text, changed = REFUSED_OPERATORS[code]
    model = OPERATORS["add"].model()
    for index, name in changed.items():
        model.graph.node[0].input[index] = name
    model.graph.input.append(helper.make_tensor_value_info("scale", TensorProto.FLOAT, []))
    loaded = Loaded(model).run(TO_QUANT)
    (op,) = (o for o in loaded.ops(OnnxOp) if o.op_type == "QLinearAdd")
    reason = op.attributes["quant.refused"]
    assert isinstance(reason, ReasonAttr)
    assert (reason.code.data, reason.text.data) == (code, f"QLinearAdd {text}")


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf])
def test_an_op_with_a_scale_that_is_none_is_one_line(scale):
    model = elementwise("QLinearMul")
    model.constants["c1"] = np.float32(scale)
    with pytest.raises(AutosplitError, match="scale") as e:
        Loaded(model.model()).run(TO_QUANT)
    assert "\n" not in str(e.value)


def test_runtime_casts_of_16_bits_are_casts():
    x = np.random.default_rng(0).uniform(-3, 3, (2, 3)).astype(np.float32)
    casts = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], domain=MICROSOFT),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], domain=MICROSOFT),
    ]
    constants = [np.array(0.001, np.float32), np.array(7, np.uint16)]
    graph = helper.make_graph(
        casts,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in zip("sz", constants, strict=True)],
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8)
    loaded = Loaded(model).run(TO_QUANT)
    assert len(loaded.ops(QuantizeCastOp)) == len(loaded.ops(DequantizeCastOp)) == 1
    after = loaded.run(BACK).model()
    np.testing.assert_array_equal(run(model, {"x": x})[0], run(after, {"x": x})[0])


# Bad input


def casts(scale, zero_point, *, kind: str = "DequantizeLinear", x=None, **attributes) -> Loaded:
    if x is None:
        x = np.zeros((2, 3), np.float32 if kind == "QuantizeLinear" else zero_point.dtype)
    given = helper.np_dtype_to_tensor_dtype(x.dtype)
    shown = zero_point.dtype if kind == "QuantizeLinear" else np.dtype(np.float32)
    result = helper.np_dtype_to_tensor_dtype(shown)
    graph = helper.make_graph(
        [helper.make_node(kind, ["x", "s", "z"], ["y"], "cast", **attributes)],
        "g",
        [helper.make_tensor_value_info("x", given, x.shape)],
        [helper.make_tensor_value_info("y", result, x.shape)],
        [numpy_helper.from_array(np.asarray(scale), "s"), numpy_helper.from_array(zero_point, "z")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return Loaded(model)


F = np.float32
Z = np.array(0, np.int8)


@pytest.mark.parametrize("kind", ["QuantizeLinear", "DequantizeLinear"])
@pytest.mark.parametrize(
    ("scale", "zero_point", "attributes", "says"),
    [
        (F(0), Z, {}, "scale 0 is 0, expected a positive"),
        (F(-1), Z, {}, "scale 0 is -1, expected a positive"),
        (F(np.nan), Z, {}, "scale 0 is nan, expected a positive"),
        (F(np.inf), Z, {}, "scale 0 is inf, expected a positive"),
        (np.ones(4, F), np.zeros(4, np.int8), {"axis": 1}, "found 4 scales for dimension 1 of 'x'"),
        (np.ones(3, F), np.zeros(2, np.int8), {}, r"zero points are of shape \[2\]"),
        (np.ones(3, F), np.zeros(3, np.int8), {"axis": 2}, "the axis 2 for 'x', which has 2 dim"),
        (np.array([1, 0, 1], F), np.zeros(3, np.int8), {}, "scale 1 is 0"),
    ],
)
def test_parameters_that_make_no_sense_are_one_line(kind, scale, zero_point, attributes, says):
    loaded = casts(scale, zero_point, kind=kind, **attributes)
    with pytest.raises(AutosplitError, match=says) as caught:
        loaded.run("convert-onnx-to-quant")
    assert str(caught.value).startswith(f"{kind} 'cast': ")
    assert "\n" not in str(caught.value)


def test_a_zero_point_of_a_bias_is_refused():
    with pytest.raises(AutosplitError, match="'cast': zero point 0 is 1; integers of 32 bits"):
        casts(F(1), np.array(1, np.int32)).run("convert-onnx-to-quant")


def test_a_zero_point_of_another_type_is_refused():
    with pytest.raises(AutosplitError, match="the zero point is int8, the integers are ui8"):
        casts(F(1), Z, x=np.zeros((2, 3), np.uint8)).run("convert-onnx-to-quant")


def test_one_scale_is_a_scalar_or_a_vector_of_one():
    before = casts(np.array([0.5], F), Z).model()
    assert_same_model(before, Loaded(before).run(f"{TO_QUANT},{BACK}").model())


def cast_nodes(x: str, y: str) -> list[onnx.NodeProto]:
    return [
        helper.make_node("QuantizeLinear", [x, "s", "z"], [f"{y}_q"], f"q_{y}"),
        helper.make_node("DequantizeLinear", [f"{y}_q", "s", "z"], [y], f"d_{y}"),
    ]


def test_bodies_convert_and_come_back():
    """The branches of an If read the scale of the graph around them; on the way back it is there again."""
    info = helper.make_tensor_value_info
    branches = {
        name: helper.make_graph(
            cast_nodes("x", f"y_{name}"), name, [], [info(f"y_{name}", TensorProto.FLOAT, [4])]
        )
        for name in ("then_branch", "else_branch")
    }
    graph = helper.make_graph(
        [helper.make_node("If", ["c"], ["y"], "if", **branches)],
        "g",
        [info("c", TensorProto.BOOL, []), info("x", TensorProto.FLOAT, [4])],
        [info("y", TensorProto.FLOAT, [4])],
        [numpy_helper.from_array(np.array(0.5, F), "s"), numpy_helper.from_array(Z, "z")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    loaded = Loaded(model).run(TO_QUANT)
    assert len(loaded.ops(QuantizeCastOp)) == 2
    assert not [o for o in loaded.ops(OnnxOp) if o.op_type in ("initializer", "QuantizeLinear")]
    after = loaded.run(BACK).model()
    # The types of values in bodies are not written before.
    for attribute in after.graph.node[0].attribute:
        del attribute.g.value_info[:]
    assert_same_model(Loaded(model).model(), after)
    x = np.linspace(-3, 3, 4, dtype=F)
    for condition in (True, False):
        feeds = {"c": np.array(condition), "x": x}
        assert run(after, feeds)[0].tobytes() == run(model, feeds)[0].tobytes()


def test_a_scale_that_a_caller_may_replace_stays_in_the_model():
    """Models of old list constants among their inputs."""
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        cast_nodes("x", "y"),
        "g",
        [info("x", TensorProto.FLOAT, [4]), info("s", TensorProto.FLOAT, [])],
        [info("y", TensorProto.FLOAT, [4])],
        [numpy_helper.from_array(np.array(0.5, F), "s"), numpy_helper.from_array(Z, "z")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10)], ir_version=3)
    loaded = Loaded(model).run(TO_QUANT)
    assert [o.value_name(0) for o in loaded.ops(InitializerOp)] == ["s"]
    assert_same_model(model, loaded.run(BACK).model())


@pytest.mark.parametrize("dtype", ["int16", "uint16", "int8", "uint8"])
def test_all_stored_types_convert(dtype: str):
    before = casts(F(0.5), np.array(3, dtype), kind="QuantizeLinear").model()
    loaded = Loaded(before).run("convert-onnx-to-quant")
    (cast,) = loaded.ops(QuantizeCastOp)
    uniform = uniform_of(cast.output.type)
    assert uniform is not None
    assert (uniform.scales.tolist(), uniform.zero_points.tolist()) == ([0.5], [3])
    assert_same_model(before, loaded.run(BACK).model())


def test_a_module_without_a_model_is_left_alone():
    module = ModuleOp([])
    for name in ("convert-onnx-to-quant", "quant-split-dequant", "quant-fold-requantize"):
        get_all_passes()[name]()().apply(make_context(), module)
    assert not list(module.ops)
