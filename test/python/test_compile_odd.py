"""Models of unusual form: what is compiled computes the same as ONNX Runtime computes of the model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onednn_installed import needs_library
from onnx import ModelProto, TensorProto, helper, numpy_helper

from autosplit.explain.int8 import explain_int8
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.folder.plans import load_compiled
from autosplit.runtime.frameworks.onnx import OnnxExecutor
from autosplit.testing.qdq import QdqBuilder
from autosplit.testing.qdq_models import transformer_layer_builder

Array = NDArray[np.generic]


pytestmark = needs_library


def linear(outputs: int = 6, batch: int | str = 2) -> QdqBuilder:
    """A quantized linear layer with a ReLU; its output is the builder's last value."""
    b = QdqBuilder(seed=8, name="linear")
    y = b.relu(b.linear(b.qdq(b.input("x", (batch, 8))), (outputs, 8)))
    b.output(b.qdq(y))
    return b


def check(
    model: ModelProto,
    feeds: Mapping[str, Array],
    tmp_path: Path,
    *,
    partitions: int | None = 1,
    tolerance: float = 0.02,
) -> None:
    """Compiles, writes, reads and runs a model, and compares it with ONNX Runtime's results."""
    from autosplit.runtime.plan.plan import Plan

    onnx.checker.check_model(model)
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    compile_model(CompileOptions(path, tmp_path / "out"))
    read = load_compiled(tmp_path / "out")
    fused = [p for p in explain_int8(read.module).partitions if len(p.ops) > 1]
    assert partitions is None or len(fused) == partitions
    whole = OnnxExecutor(path)
    expected = whole.run(feeds, whole.output_names)
    found = Plan.from_module(read.module, read.store).run(feeds)
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == array.dtype
        np.testing.assert_allclose(
            found[name].astype(np.float64), array.astype(np.float64), atol=tolerance
        )


def test_an_output_that_is_an_input_and_one_that_is_there_twice(tmp_path: Path):
    b = linear()
    model = b.build()
    name = model.graph.output[0].name
    for twin, source in (("again", name), ("same", "x")):
        model.graph.node.append(helper.make_node("Identity", [source], [twin]))
        shape = [2, 6] if source == name else [2, 8]
        model.graph.output.append(helper.make_tensor_value_info(twin, TensorProto.FLOAT, shape))
    check(model, b.feeds(), tmp_path)


def test_an_output_that_is_a_constant(tmp_path: Path):
    b = linear()
    model = b.build()
    value = np.arange(5, dtype=np.float32)
    model.graph.initializer.append(numpy_helper.from_array(value, "fixed"))
    model.graph.output.append(helper.make_tensor_value_info("fixed", TensorProto.FLOAT, [5]))
    check(model, b.feeds(), tmp_path)


def test_an_input_that_nothing_reads(tmp_path: Path):
    b = linear()
    model = b.build()
    model.graph.input.append(helper.make_tensor_value_info("idle", TensorProto.INT64, [3]))
    check(model, b.feeds() | {"idle": np.zeros(3, np.int64)}, tmp_path)


def test_quantized_inputs_and_outputs(tmp_path: Path):
    """The model takes and gives integers: the casts at its ends belong to the partition."""
    b = QdqBuilder(seed=2, name="integers")
    y = b.relu(b.linear(b.qdq(b.input("x", (2, 8))), (6, 8)))
    b.output(b.qdq(y))
    model = b.build()
    first = next(n for n in model.graph.node if n.op_type == "QuantizeLinear")
    last = next(n for n in model.graph.node if n.output[0] == model.graph.output[0].name)
    assert last.op_type == "DequantizeLinear"
    del model.graph.input[:], model.graph.output[:]
    model.graph.input.append(
        helper.make_tensor_value_info(first.output[0], TensorProto.UINT8, [2, 8])
    )
    model.graph.output.append(
        helper.make_tensor_value_info(last.input[0], TensorProto.UINT8, [2, 6])
    )
    model.graph.node.remove(first)
    model.graph.node.remove(last)
    feeds = {first.output[0]: np.random.default_rng(0).integers(0, 256, (2, 8)).astype(np.uint8)}
    check(model, feeds, tmp_path, tolerance=1.0)


def test_weights_that_are_inputs_too(tmp_path: Path):
    """Old models list their initializers as inputs; nobody needs to feed them."""
    b = linear()
    model = b.build()
    for initializer in model.graph.initializer:
        model.graph.input.append(
            helper.make_tensor_value_info(
                initializer.name, initializer.data_type, list(initializer.dims)
            )
        )
    check(model, b.feeds(), tmp_path, partitions=None)


def test_names_that_no_file_could_have(tmp_path: Path):
    b = linear(200)
    model = b.build()
    # The IR's text holds other letters than ASCII, and quotes, but not both in one name.
    odd = ("ü %0", '" \\ \n')
    names = {name: f"../{name}/{odd[i % 2]}:{i}" for i, name in enumerate(_names(model))}
    for node in model.graph.node:
        node.name = f"node {node.name}/../é"
        for names_of in (node.input, node.output):
            values = [names.get(n, n) for n in names_of]
            del names_of[:]
            names_of.extend(values)
    for item in (*model.graph.initializer, *model.graph.input, *model.graph.output):
        item.name = names[item.name]
    check(model, {names["x"]: b.feeds()["x"]}, tmp_path)
    held = sorted(p.name for p in (tmp_path / "out").rglob("*") if p.is_file())
    assert all(name.isascii() and " " not in name for name in held)


def _names(model: ModelProto) -> list[str]:
    made = [n for node in model.graph.node for n in node.output]
    return [*made, *(i.name for i in model.graph.initializer), *(i.name for i in model.graph.input)]


def test_a_branch_that_reads_what_a_partition_makes(tmp_path: Path):
    b = linear()
    model = b.build()
    inner = model.graph.output[0].name
    del model.graph.output[:]
    branches = {
        f"{side}_branch": helper.make_graph(
            [helper.make_node(kind, [inner], [f"{side}_out"])],
            side,
            [],
            [helper.make_tensor_value_info(f"{side}_out", TensorProto.FLOAT, [2, 6])],
        )
        for side, kind in (("then", "Neg"), ("else", "Exp"))
    }
    model.graph.input.append(helper.make_tensor_value_info("which", TensorProto.BOOL, []))
    model.graph.node.append(helper.make_node("If", ["which"], ["y"], **branches))
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 6]))
    for which in (True, False):
        folder = tmp_path / str(which)
        folder.mkdir()
        check(model, b.feeds() | {"which": np.array(which)}, folder)


def test_sizes_that_depend_on_the_data(tmp_path: Path):
    """What NonZero finds decides how many rows the second layer gets."""
    b = QdqBuilder(seed=6, name="found")
    x = b.input("x", (16, 8))
    first = b.linear(b.qdq(x), (1, 8))
    mask = b.node("Cast", b.node("Relu", b.qdq(first)), to=TensorProto.BOOL)
    rows = b.node(
        "Compress", x, b.node("Reshape", mask, b.constant(np.array([-1], np.int64))), axis=0
    )
    b.output(b.qdq(b.linear(b.qdq(rows), (4, 8))))
    model = b.build()
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check(model, b.feeds(seed), folder, partitions=2)


def test_a_transformer_layer_of_any_length(tmp_path: Path):
    """A shape that was there before compiles nothing anew."""
    from autosplit.runtime.plan.plan import Plan

    b = transformer_layer_builder(batch="N", length="L", hidden=32, heads=2, inner=64)
    path = tmp_path / "model.onnx"
    onnx.save(b.build(b.feeds(N=1, L=16)), path)
    compile_model(CompileOptions(path, tmp_path / "out"))
    read = load_compiled(tmp_path / "out")
    plan = Plan.from_module(read.module, read.store)
    whole = OnnxExecutor(path)
    (name,) = whole.output_names
    compiles: list[int] = []
    for batch, length in ((1, 16), (2, 7), (1, 16), (2, 7)):
        feeds = b.feeds(N=batch, L=length)
        found = plan.run(feeds)[name]
        expected = whole.run(feeds, [name])[name]
        np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), atol=0.05)
        compiles.append(plan.account().compiles)
    assert compiles[0] > 0
    assert compiles[1] == 2 * compiles[0]
    assert compiles[2:] == [compiles[1]] * 2


def test_one_weight_in_two_layers(tmp_path: Path):
    b = QdqBuilder(seed=7, name="shared")
    x = b.qdq(b.input("x", (3, 8)))
    w = b.weight((8, 8), None)
    y = b.qdq(b.node("MatMul", x, w))
    b.output(b.qdq(b.node("MatMul", y, w)))
    check(b.build(), b.feeds(), tmp_path, partitions=2, tolerance=0.1)


def test_an_op_of_a_domain_that_nobody_knows(tmp_path: Path):
    """It is ONNX Runtime's own, and it stays in a segment."""
    b = linear()
    model = b.build()
    inner = model.graph.output[0].name
    del model.graph.output[:]
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    model.graph.node.append(helper.make_node("Gelu", [inner], ["y"], domain="com.microsoft"))
    model.graph.output.append(helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 6]))
    check(model, b.feeds(), tmp_path)


def test_a_model_that_does_nothing(tmp_path: Path):
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    node = helper.make_node("Identity", ["x"], ["y"])
    graph = helper.make_graph(
        [node], "nothing", [value], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    check(model, {"x": np.ones(2, np.float32)}, tmp_path, partitions=0)


@pytest.mark.parametrize("opset", [13, 19, 21])
def test_other_opsets(tmp_path: Path, opset: int):
    b = QdqBuilder(seed=8, opset=opset, name="opset")
    b.output(b.qdq(b.relu(b.linear(b.qdq(b.input("x", (2, 8))), (6, 8)))))
    check(b.build(), b.feeds(), tmp_path)
