"""The TensorFlow `Platform`: preparing, cutting to files, running, measuring."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Region, SSAValue

from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.dialects.device import FuncOp, Kind, ReturnOp, TargetAttr
from autosplit.dialects.platform import value_name
from autosplit.dialects.tf import GraphOp, TfOp, constant_array
from autosplit.dialects.tf.attributes.proto import new_graph
from autosplit.dialects.tf.graphs import ancestors, nodes_of
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.inputs.specs import InputSpec
from autosplit.platforms import Model, load_model
from autosplit.platforms.tensorflow import PLATFORM
from autosplit.runtime.frameworks.tensorflow import TensorFlowExecutor
from autosplit.testing.models import model_path
from autosplit.testing.split import run_folder

SSDLITE = "frozen_inference_graph.pb"
OUTPUTS = ["detection_boxes:0", "detection_scores:0", "detection_classes:0", "num_detections:0"]


def tensorflow() -> Any:
    return pytest.importorskip("tensorflow")


def graph_of(model: Model) -> GraphOp:
    graph = model.module.body.block.first_op
    assert isinstance(graph, GraphOp)
    return graph


def photo(size: int = 300) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(0, 256, (1, size, size, 3)).astype(np.uint8)


def save(build: Any, path: Path) -> Model:
    """The model of what `build` adds to a TensorFlow graph."""
    tf = tensorflow()
    graph = tf.Graph()
    with graph.as_default():
        build(tf, tf.compat.v1)
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return load_model(path)


def small(tf: Any, v1: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    k = v1.placeholder_with_default(2.0, [], name="k")
    with v1.control_dependencies([v1.assert_positive(k, name="check")]):
        y = tf.multiply(x, k, name="scaled")
    best, where = tf.nn.top_k(y, 2, name="best")
    tf.identity(best, name="values")
    tf.identity(where, name="places")
    tf.nn.relu(x, name="unused")


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return save(small, tmp_path / "small.pb")


def names(model: Model) -> set[str]:
    return {op.node_name.data for op in nodes_of(graph_of(model))}


# Preparing.


def test_outputs_default_to_the_sinks(model: Model):
    PLATFORM.prepare(model, {"x": [3, 4]}, [])
    graph = graph_of(model)
    assert [n for n, _ in graph.graph_outputs()] == ["values:0", "places:0", "unused:0"]
    ((name, value),) = graph.graph_inputs()
    assert name == "x:0"
    assert str(value.type) == "tensor<3x4xf32>"
    model.module.verify()


def test_what_outputs_do_not_need_is_dropped(model: Model):
    PLATFORM.prepare(model, {"x:0": None}, ["best:1"])
    assert "best" in names(model)
    assert not {"values", "places", "unused"} & names(model)
    # The check is needed: `scaled` waits for it.
    assert any(name.startswith("check/") for name in names(model))
    assert [n for n, _ in graph_of(model).graph_outputs()] == ["best:1"]
    model.module.verify()


def test_inputs_that_are_not_given_stay(model: Model):
    PLATFORM.prepare(model, {}, ["values"])
    assert [n for n, _ in graph_of(model).graph_inputs()] == ["x:0"]


def test_a_placeholder_with_default_can_be_given(model: Model):
    PLATFORM.prepare(model, {"k": [], "x": [1, 4]}, ["values"])
    assert [n for n, _ in graph_of(model).graph_inputs()] == ["k:0", "x:0"]
    assert "k/input" not in names(model)


def test_an_inner_tensor_can_be_an_input(model: Model):
    PLATFORM.prepare(model, {"scaled": [2, 4]}, ["values", "places"])
    assert names(model) == {"scaled", "best", "best/k", "values", "places"}
    model.module.verify()


@pytest.mark.parametrize(
    ("inputs", "outputs", "expected"),
    [
        ({"y": None}, [], "input 'y' is not a tensor of the model"),
        ({"x": None}, ["valeus"], "(did you mean 'values'?)"),
        ({"x": [3, 5]}, [], "contradicts the model's, which is [?, 4]"),
        ({"x": [4]}, [], "the shape [4] contradicts"),
        ({"x": [-3, 4]}, [], "is not a shape"),
        ({"x": None, "x:0": None}, [], "appears twice"),
        ({"best:1": None}, [], "expected a first output"),
        ({"best:0": None}, ["places"], "made together with 'best:1'"),
        ({}, ["best:7"], "output 'best:7' is not a tensor"),
        ({}, ["^x"], "is not a tensor"),
    ],
)
def test_mistakes(model: Model, inputs: Any, outputs: list[str], expected: str):
    with pytest.raises(AutosplitError) as caught:
        PLATFORM.prepare(model, inputs, outputs)
    assert expected in str(caught.value)
    assert str(model.path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_outputs_inside_of_loops_are_refused():
    model = load_model(model_path(SSDLITE))
    inside = next(
        op for op in nodes_of(graph_of(model)) if op.op_type == "TensorArrayReadV3"
    ).value_name(0)
    with pytest.raises(AutosplitError, match="inside of the loop"):
        PLATFORM.prepare(model, {}, [inside])
    handle = next(op for op in nodes_of(graph_of(model)) if op.op_type == "TensorArrayV3")
    with pytest.raises(AutosplitError, match="is a handle"):
        PLATFORM.prepare(model, {}, [handle.value_name(0)])


def of_a_table(tf: Any, v1: Any) -> None:
    table = v1.placeholder(tf.resource, [], name="table")
    keys = v1.placeholder(tf.int64, [1, 4], name="keys")
    zero = tf.constant(0.0)
    found = tf.raw_ops.LookupTableFindV2(
        table_handle=table, keys=keys, default_value=zero, name="found"
    )
    tf.matmul(tf.reshape(found, [4, 1]), tf.ones([1, 3]), name="y")


def of_a_list(tf: Any, v1: Any) -> None:
    elements = v1.placeholder(tf.variant, [], name="table")
    found = tf.raw_ops.TensorListGetItem(
        input_handle=elements, index=0, element_shape=[4, 1], element_dtype=tf.float32, name="found"
    )
    tf.matmul(found, tf.ones([1, 3]), name="y")


@pytest.mark.parametrize(
    ("build", "what", "shape"),
    [(of_a_table, "a handle of a resource", (1, 4)), (of_a_list, "a variant", (4, 1))],
)
@pytest.mark.parametrize("given", [{}, {"table": InputSpec((1,))}, {"table": InputSpec(())}])
def test_inputs_that_are_no_tensors_are_refused_with_advice_that_helps(
    build: Any, what: str, shape: tuple[int, ...], given: dict[str, InputSpec], tmp_path: Path
):
    path = tmp_path / "model.pb"
    save(build, path)
    said = f"input 'table:0' is {what}, which sub-models cannot take; .* behind it as inputs"
    with pytest.raises(AutosplitError, match=said):
        split_model(SplitOptions(path, inputs=given))
    out = tmp_path / "out"
    split_model(SplitOptions(path, out, {"found": InputSpec(shape)}))
    x = np.arange(4, dtype=np.float32).reshape(shape)
    np.testing.assert_array_equal(
        run_folder(out, {"found:0": x})["y:0"], x.reshape(4, 1) @ np.ones((1, 3), np.float32)
    )


# Cutting and running.


def cut(model: Model, tensors: list[str], folder: Path) -> list[str]:
    """Emits what is before and what is behind `tensors`; returns the outputs of the model."""
    graph = graph_of(model)
    outputs = graph.graph_outputs()
    border = [graph.values()[t] for t in tensors]
    before = ancestors(border)
    inputs = graph.graph_inputs()
    emit(model, 0, inputs, [(value_name(v), v) for v in border], [o for o in before], folder)
    taken = {v.owner for v in border}
    behind: list[Any] = []
    pending = [v.owner for _, v in outputs]
    seen = set[Any]()
    while pending:
        op = pending.pop()
        if op in seen or op in taken or not isinstance(op, TfOp):
            continue
        seen.add(op)
        behind.append(op)
        pending.extend(v.owner for v in op.operands)
    emit(model, 1, [(value_name(v), v) for v in border], outputs, behind, folder)
    return [n for n, _ in outputs]


def emit(
    model: Model,
    number: int,
    inputs: list[tuple[str, SSAValue]],
    outputs: list[tuple[str, SSAValue]],
    ops: list[Any],
    folder: Path,
) -> None:
    block = Block(arg_types=[v.type for _, v in inputs])
    mapping: dict[SSAValue, SSAValue] = {v: a for (_, v), a in zip(inputs, block.args, strict=True)}
    given = {v.owner for _, v in inputs}
    place = {op: i for i, op in enumerate(nodes_of(graph_of(model)))}
    copies = [op.clone(mapping) for op in sorted(ops, key=place.__getitem__) if op not in given]
    block.add_ops(copies)
    for copy in copies:
        for i, operand in enumerate(copy.operands):
            copy.operands[i] = mapping.get(operand, operand)
    block.add_op(ReturnOp([mapping[v] for _, v in outputs]))
    func = FuncOp(
        f"graph_{number}",
        TargetAttr.of(Kind.cpu),
        [n for n, _ in inputs],
        [n for n, _ in outputs],
        Region(block),
    )
    func.verify()
    info = PLATFORM.emit(model.module, func, model.store, folder, f"graph_{number}")
    assert info == {"model_path": f"graph_{number}.pb"}
    alone = PLATFORM.standalone(model.module, func)
    alone.verify()
    graph = alone.body.block.first_op
    assert isinstance(graph, GraphOp)
    assert [n for n, _ in graph.graph_inputs()] == [n for n, _ in inputs]
    assert [n for n, _ in graph.graph_outputs()] == [n for n, _ in outputs]


@pytest.mark.parametrize("size", [300, 200])
def test_cut_ssdlite_is_bit_equal(tmp_path: Path, size: int):
    tensorflow()
    path = model_path(SSDLITE)
    model = load_model(path)
    PLATFORM.prepare(model, {"image_tensor": [1, size, size, 3]}, OUTPUTS)
    preprocessed = "Preprocessor/map/TensorArrayStack/TensorArrayGatherV3:0"
    # Behind the cut only that tensor may be read.
    cut(model, [preprocessed], tmp_path)
    first = PLATFORM.executor({"model_path": "graph_0.pb"}, tmp_path)
    second = PLATFORM.executor({"model_path": "graph_1.pb"}, tmp_path)
    whole = PLATFORM.executor({"model_path": path.name}, path.parent)
    expected = whole.run({"image_tensor:0": photo(size)}, OUTPUTS)
    middle = first.run({"image_tensor": photo(size)}, [preprocessed])
    feeds: dict[str, Any] = dict(middle)
    inputs = {
        n.name
        for n in new_graph((tmp_path / "graph_1.pb").read_bytes()).node
        if n.op == "Placeholder"
    }
    if "image_tensor" in inputs:
        feeds["image_tensor:0"] = photo(size)
    found = second.run(feeds, OUTPUTS)
    for name in OUTPUTS:
        assert found[name].dtype == expected[name].dtype
        assert found[name].tobytes() == expected[name].tobytes()


def test_emitted_files_are_deterministic_and_complete(model: Model, tmp_path: Path):
    tf = tensorflow()
    PLATFORM.prepare(model, {"x": [-1, 4]}, ["values", "places"])
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        cut(model, ["scaled:0"], folder)
    for name in ("graph_0.pb", "graph_1.pb"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    original = {
        n.name: n
        for n in tf.compat.v1.GraphDef.FromString(Path(model.path or "").read_bytes()).node
    }
    graph = tf.compat.v1.GraphDef.FromString((tmp_path / "a" / "graph_1.pb").read_bytes())
    assert graph.versions.producer > 0
    first, *rest = graph.node
    assert (first.name, first.op) == ("scaled", "Placeholder")
    assert [d.size for d in first.attr["shape"].shape.dim] == [-1, 4] or first.attr[
        "shape"
    ].shape.unknown_rank
    for node in rest:
        assert node == original[node.name]


def test_border_of_a_second_output(model: Model):
    graph = graph_of(model)
    best = graph.values()["best:1"]
    name, identity = PLATFORM.border(best)
    assert name == "best_1_sophon_auto:0"
    assert isinstance(identity, TfOp)
    assert identity.op_type == "Identity"
    assert list(identity.operands) == [best]
    assert identity.attribute("T") == identity.dtype("T")
    assert PLATFORM.border(graph.values()["scaled:0"]) == ("scaled:0", None)


def test_constant(model: Model):
    array = np.array([1, 2], np.int64)
    op = PLATFORM.constant("shape:0", array, model.store)
    assert op.value_name(0) == "shape:0"
    found = constant_array(op.results[0], model.store)
    assert found is not None
    np.testing.assert_array_equal(found, array)


def executor(model: Model) -> TensorFlowExecutor:
    assert model.path is not None
    return TensorFlowExecutor(model.path)


def test_executor_computes(model: Model):
    x = np.array([[1, 4, 3, 2]], np.float32)
    found = executor(model).run({"x": x}, ["values", "places:0"])
    assert list(found) == ["values", "places:0"]
    assert found["values"].tolist() == [[8, 6]]
    assert found["places:0"].tolist() == [[1, 2]]
    doubled = executor(model).run({"x:0": x, "k": np.float32(3)}, ["values:0"])
    assert doubled["values:0"].tolist() == [[12, 9]]
    optimized = TensorFlowExecutor(model.path or Path(), optimize=True, threads=0)
    assert optimized.run({"x": x}, ["values"])["values"].tolist() == [[8, 6]]


THREADS = """
import time
import numpy as np
from autosplit.runtime.frameworks.tensorflow import import_tensorflow, session_config
tf = import_tensorflow("the test")
tf.compat.v1.disable_eager_execution()
x = tf.compat.v1.placeholder(tf.float32, [800, 800])
y = tf.matmul(x, x)
for threads in (2, 1):
    config = session_config(tf, optimize=False, threads=threads)
    with tf.compat.v1.Session(config=config) as session:
        run = session.make_callable(y, feed_list=[x])
        run(np.ones((800, 800), np.float32))
        start, computed = time.perf_counter(), time.process_time()
        for _ in range(30):
            run(np.ones((800, 800), np.float32))
        print((time.process_time() - computed) / (time.perf_counter() - start))
"""


def test_a_session_has_its_own_threads():
    """And not those of the first session of the process."""
    env = {n: v for n, v in os.environ.items() if not n.startswith("TF_")}
    command = [sys.executable, "-c", THREADS]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[1]) < 1.15


X = np.ones((1, 4), np.float32)


@pytest.mark.parametrize(
    ("feeds", "outputs", "expected"),
    [
        ({"z": X}, ["values"], "input 'z' is not a tensor of the graph (there "),
        (
            {"x": X},
            ["valuse"],
            "output 'valuse' is not a tensor of the graph (did you mean 'values'?)",
        ),
        ({"x": X.astype(np.float64)}, ["values"], "has the dtype float64, expected float32"),
        ({"x": X[:, :3]}, ["values"], "has the shape [1, 3], expected [?, 4]"),
        ({}, ["values"], "You must feed a value for placeholder tensor 'x'"),
        ({"x": X, "k": np.float32(-1)}, ["values"], "assertion failed"),
    ],
)
def test_executor_refuses(model: Model, feeds: Any, outputs: list[str], expected: str):
    with pytest.raises(AutosplitError) as caught:
        executor(model).run(feeds, outputs)
    assert expected in str(caught.value)
    assert str(model.path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_executor_refuses_files(tmp_path: Path):
    tensorflow()
    with pytest.raises(AutosplitError, match="there is no such file"):
        TensorFlowExecutor(tmp_path / "none.pb")
    (tmp_path / "bad.pb").write_bytes(b"\x0a\xff")
    with pytest.raises(AutosplitError, match="is not a whole GraphDef"):
        TensorFlowExecutor(tmp_path / "bad.pb")
    graph = tensorflow().compat.v1.GraphDef()
    graph.node.add(name="n", op="NoSuchOp")
    (tmp_path / "op.pb").write_bytes(graph.SerializeToString())
    with pytest.raises(AutosplitError, match="NoSuchOp"):
        TensorFlowExecutor(tmp_path / "op.pb")


def test_without_tensorflow(model: Model, monkeypatch: pytest.MonkeyPatch):
    import autosplit.runtime.frameworks.tensorflow as runtime

    monkeypatch.setattr(runtime, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"autosplit\[tensorflow\]"):
        executor(model)
    with pytest.raises(MissingExtraError, match="measuring shapes needs tensorflow"):
        PLATFORM.measure(model, {"x": X}, ["values:0"])


# Measuring.


def test_measured_shapes_are_those_of_the_arrays():
    tensorflow()
    path = model_path(SSDLITE)
    model = load_model(path)
    PLATFORM.prepare(model, {"image_tensor": [1, 300, 300, 3]}, OUTPUTS)
    graph = graph_of(model)
    kinds = ("Conv2D", "Where", "TensorArrayV3", "Exit", "Concat", "TopKV2", "Sub")
    asked = [
        value_name(v)
        for op in nodes_of(graph)
        if not op.IS_CONSTANT and op.op_type in kinds
        for v in op.outputs
    ]
    inside = [value_name(v) for op in PLATFORM.frames(graph) for v in op.results][:20]
    measured = PLATFORM.measure(
        model, {"image_tensor:0": photo()}, [*asked, *inside, *OUTPUTS]
    ).values
    assert set(OUTPUTS) <= set(measured)
    handles = {value_name(op.results[0]) for op in nodes_of(graph) if op.op_type == "TensorArrayV3"}
    assert not handles & set(measured)
    checked = list(measured)
    arrays = TensorFlowExecutor(path).run({"image_tensor": photo()}, checked)
    for name in checked:
        assert arrays[name].shape == measured[name].shape
        assert arrays[name].dtype.name == measured[name].dtype
    assert len([n for n in checked if n not in OUTPUTS]) > 50


def test_measuring_survives_tensors_that_fail(tmp_path: Path):
    def build(tf: Any, v1: Any) -> None:
        x = v1.placeholder(tf.float32, [None], name="x")
        tf.reshape(x, [7, -1], name="fails")
        tf.boolean_mask(x, x > 0, name="works")

    model = save(build, tmp_path / "g.pb")
    x = np.array([1, -1, 2], np.float32)
    names = [n for n in graph_of(model).values() if n.startswith(("fails", "works"))]
    measured = PLATFORM.measure(model, {"x": x}, names).values
    assert "fails:0" not in measured
    mask = next(n for n in measured if n.endswith("GatherV2:0"))
    assert measured[mask].shape == (2,)
    with pytest.raises(AutosplitError, match="measuring shapes in TensorFlow failed"):
        PLATFORM.measure(model, {"x": x.astype(np.int32)}, names)


def test_nothing_imports_tensorflow_before_it_runs(tmp_path: Path):
    code = (
        "import sys\n"
        "from autosplit.platforms import load_model\n"
        "m = load_model(sys.argv[1])\n"
        "m.platform.prepare(m, {}, [])\n"
        "assert 'tensorflow' not in sys.modules\n"
    )
    path = model_path(SSDLITE)
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_types_of_the_imported_graph_are_tensorflows():
    """Each dtype that the import found is the one TensorFlow gives the tensor, and none is missing."""
    tf = tensorflow()
    from autosplit.dialects.platform import element_type
    from autosplit.dialects.tf import data_type_of

    path = model_path(SSDLITE)
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.import_graph_def(tf.compat.v1.GraphDef.FromString(path.read_bytes()), name="")
    for name, value in graph_of(load_model(path)).values().items():
        theirs = graph.get_tensor_by_name(name)
        mine = element_type(value.type) or value.type
        assert data_type_of(mine) == theirs.dtype.as_datatype_enum, name
        if isinstance(value.type, TensorType):
            assert theirs.shape.is_compatible_with(
                [None if d < 0 else d for d in value.type.get_shape()]
            )
