"""Encoders whose batch and length are open, as exporters write them: they compute the shapes of Reshapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from onnx import TensorProto, helper, numpy_helper

from autosplit.core.tolerances import TOLERANCES, difference
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_writer import plan_json
from autosplit.inputs.specs import InputSpec
from autosplit.lowering.normalize_onnx import normalize
from autosplit.lowering.shared.fold import Constants
from autosplit.platforms import load_model
from autosplit.runtime.runner import Runner
from autosplit.testing.split import run_whole

HIDDEN, HEADS, WORDS, LONGEST = 32, 4, 50, 64


class Encoder:
    """A BERT-like encoder of random weights; each method gives the name of a new value."""

    def __init__(self, layers: int, batch: int | str):
        self.random = np.random.default_rng(layers)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}
        states = self.norm(self("Add", self.words(), self.places()))
        mask = self.mask()
        for _ in range(layers):
            states = self.norm(self("Add", self.attention(states, mask), states))
            states = self.norm(self("Add", self.linear(self.gelu(states), 2 * HIDDEN), states))
        first = self("Gather", states, self.given(np.array(0)), axis=1)
        pooled = self("Tanh", self("Gemm", first, self.weight(HIDDEN, HIDDEN)))
        graph = helper.make_graph(
            self.nodes,
            "encoder",
            [
                helper.make_tensor_value_info(name, TensorProto.INT64, [batch, "length"])
                for name in ("words", "mask")
            ],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
                for name in (states, pooled)
            ],
            [numpy_helper.from_array(a, name) for name, a in self.constants.items()],
        )
        opset = [helper.make_opsetid("", 14)]
        self.model = helper.make_model(graph, opset_imports=opset, ir_version=8)

    def __call__(self, kind: str, *inputs: str, **attributes) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(kind, inputs, [name], name=f"{kind}_{name}", **attributes)
        )
        return name

    def given(self, array: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def number(self, value: float) -> str:
        return self.given(np.float32(value))

    def weight(self, *shape: int) -> str:
        drawn = self.random.standard_normal(shape) / np.sqrt(shape[0])
        return self.given(drawn.astype(np.float32))

    def size(self, x: str, axis: int) -> str:
        found = self("Gather", self("Shape", x), self.given(np.array(axis)))
        return self("Unsqueeze", found, self.given(np.array([0])))

    def words(self) -> str:
        return self("Gather", self.weight(WORDS, HIDDEN), "words")

    def places(self) -> str:
        zero, one = self.given(np.array([0])), self.given(np.array([1]))
        numbers = self.given(np.arange(LONGEST)[None])
        taken = self("Slice", numbers, zero, self.size("words", 1), one, one)
        return self("Gather", self.weight(LONGEST, HIDDEN), taken)

    def mask(self) -> str:
        wide = self("Unsqueeze", "mask", self.given(np.array([1, 2])))
        hidden = self("Sub", self.number(1), self("Cast", wide, to=TensorProto.FLOAT))
        return self("Mul", hidden, self.number(-10000))

    def norm(self, x: str) -> str:
        centred = self("Sub", x, self("ReduceMean", x, axes=[-1]))
        square = self("ReduceMean", self("Pow", centred, self.number(2)), axes=[-1])
        deviation = self("Sqrt", self("Add", square, self.number(1e-5)))
        scaled = self("Mul", self("Div", centred, deviation), self.weight(HIDDEN))
        return self("Add", scaled, self.weight(HIDDEN))

    def linear(self, x: str, size: int = HIDDEN, out: int = HIDDEN) -> str:
        return self("Add", self.weight(out), self("MatMul", x, self.weight(size, out)))

    def gelu(self, x: str) -> str:
        wide = self.linear(x, out=2 * HIDDEN)
        error = self("Erf", self("Div", wide, self.number(np.sqrt(2))))
        gate = self("Add", error, self.number(1))
        return self("Mul", self("Mul", wide, gate), self.number(0.5))

    def attention(self, states: str, mask: str) -> str:
        def heads(order: list[int]) -> str:
            x = self.linear(states)
            parts = [self.given(np.array([n])) for n in (HEADS, HIDDEN // HEADS)]
            shape = self("Concat", self.size(x, 0), self.size(x, 1), *parts, axis=0)
            return self("Transpose", self("Reshape", x, shape), perm=order)

        scores = self("MatMul", heads([0, 2, 1, 3]), heads([0, 2, 3, 1]))
        scores = self("Div", scores, self.number(np.sqrt(HIDDEN // HEADS)))
        weights = self("Softmax", self("Add", scores, mask), axis=-1)
        mixed = self("MatMul", weights, heads([0, 2, 1, 3]))
        mixed = self("Transpose", mixed, perm=[0, 2, 1, 3])
        last = self.given(np.array([HIDDEN]))
        shape = self("Concat", self.size(mixed, 0), self.size(mixed, 1), last, axis=0)
        return self.linear(self("Reshape", mixed, shape))


def split(
    folder: Path, layers: int, batch: int | str, chip: str, out: Path | None = None
) -> list[object]:
    """The devices of the plan, of which nearly all work must be on the TPU."""
    path = folder / "encoder.onnx"
    onnx.save(Encoder(layers, batch).model, path)
    varying = (1,) if isinstance(batch, int) else (0, 1)
    spec = InputSpec((batch if isinstance(batch, int) else 3, 24), varying=varying)
    inputs = {"words": spec, "mask": spec}
    options = SplitOptions(path, out, inputs, target=chip, dynamic=True)
    plan = plan_json(split_model(options).module)
    done, possible, stages = plan["work_on_tpu"], plan["work_possible"], plan["stages"]
    assert isinstance(done, int)
    assert isinstance(possible, int)
    assert isinstance(stages, list)
    assert done > 0.99 * possible
    return stages


@pytest.mark.parametrize(
    ("batch", "chip"),
    [(1, "bm1684x"), (2, "bm1684x"), *(("batch", c) for c in ("bm1684", "bm1684x", "bm1688"))],
)
def test_an_encoder_of_any_length_has_at_most_three_sub_models(
    batch: int | str, chip: str, tmp_path: Path
):
    stages = split(tmp_path, 3, batch, chip)
    assert len(stages) <= 3
    assert stages.count("tpu") == 1


def reshapes(path: Path) -> list[list[int]]:
    """What the Reshapes of a model's copy say, where that is a constant."""
    loaded = load_model(path)
    normalize(loaded.module)
    constants = Constants(loaded.store)
    ops = [op for op in loaded.module.walk() if isinstance(op, OnnxOp) and op.op_type == "Reshape"]
    found = [constants.array(op.operands[1]) for op in ops]
    return [array.tolist() for array in found if array is not None]


def shapes(folder: Path, batch: int | str) -> list[list[int]]:
    onnx.save(Encoder(1, batch).model, folder / "encoder.onnx")
    return reshapes(folder / "encoder.onnx")


def test_computed_shapes_are_constants_with_what_stays_as_it_is(tmp_path: Path):
    assert shapes(tmp_path, 2) == [[2, -1, 4, 8]] * 3 + [[2, -1, 32]]
    assert shapes(tmp_path, "batch") == [[0, -1, 4, 8]] * 3 + [[0, -1, 32]]


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize("chip", ["bm1684", "bm1684x", "bm1688"])
@pytest.mark.parametrize("batch", [1, "batch"])
def test_it_is_right_at_several_sizes(batch: int | str, chip: str, tmp_path: Path):
    folder = tmp_path / "out"
    split(tmp_path, 2, batch, chip, folder)
    convert_folder(ConvertOptions(folder, compare=True)).check()
    random = np.random.default_rng(0)
    most = 1 if batch == 1 else 3
    with Runner(folder, 2, use_cmodel=True) as runner:
        for size in ((most, 24), (1, 7), (most, 19), (1, 1)):
            words = random.integers(0, WORDS, size)
            mask = (np.arange(size[1]) < (size[1] + 2) // 2).astype(np.int64)
            feeds = {"words": words, "mask": np.broadcast_to(mask, size).copy()}
            made = runner.infer(feeds)
            whole = run_whole(tmp_path / "encoder.onnx", feeds, list(made))
            for name, array in whole.items():
                assert difference(array, made[name]).within(TOLERANCES["F32"]), (size, name)


def test_a_constant_shape_of_zeros_says_one_open_size_by_minus_one(tmp_path: Path):
    """Of [0, 0, 4, 8] BM1684X was measured to make 1x5x1x8."""
    shape = numpy_helper.from_array(np.array([0, 0, 4, 8]), "shape")
    graph = helper.make_graph(
        [helper.make_node("Reshape", ["x", "shape"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "length", 32])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "length", 4, 8])],
        [shape],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "encoder.onnx")
    assert reshapes(tmp_path / "encoder.onnx") == [[0, -1, 4, 8]]
