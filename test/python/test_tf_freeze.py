"""Models whose weights are variables: frozen where TensorFlow and the values are there, else refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.errors import AutosplitError
from autosplit.dialects.tf import TfOp
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.tensorflow import variables as tf_freeze
from autosplit.inputs.specs import InputSpec
from autosplit.platforms import load_model
from autosplit.testing.split import assert_equal, run_folder, split
from autosplit.tools.cli import main as cli

tf: Any = pytest.importorskip("tensorflow", reason="the extra tensorflow is not installed")

X = np.random.default_rng(0).random((1, 8, 8, 3)).astype(np.float32)
RANDOM = np.random.default_rng(1)
KERNEL = RANDOM.random((3, 3, 3, 4)).astype(np.float32)
BIAS = RANDOM.random(4).astype(np.float32)


class Network(tf.Module):
    """A convolution, a table of strings, and a loop whose body reads a variable."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = tf.Variable(KERNEL)
        self.bias = tf.Variable(BIAS)
        pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
        self.table = tf.lookup.StaticHashTable(pairs, -1)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 8, 8, 3], tf.float32, name="x"),
            tf.TensorSpec([None], tf.string, name="word"),
        ]
    )
    def __call__(self, x: Any, word: Any) -> dict[str, Any]:
        y = tf.nn.relu(tf.nn.conv2d(x, self.kernel, 1, "SAME"))
        _, y = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y + self.bias), (tf.constant(0), y)
        )
        return {"image": y, "number": self.table.lookup(word)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "model"
    network = Network()
    tf.saved_model.save(network, str(folder), signatures=network.__call__)
    return folder


class Deep(tf.Module):
    """Variables that are read in branches and steps of functions that functions call."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = tf.Variable(RANDOM.random((6, 4)).astype(np.float32))
        self.blocks = tf.Variable(RANDOM.random((2, 3, 4)).astype(np.float32))
        self.scale = tf.Variable(1.5)

    @tf.function
    def looked(self, i: Any, at: Any) -> Any:
        return tf.switch_case(
            i % 3,
            [
                lambda: tf.gather(self.rows, at),
                lambda: tf.gather_nd(self.rows, at[:, None]),
                lambda: tf.gather(self.blocks, at[:, None] % 3, batch_dims=1)[:, 0] * self.scale,
            ],
        )

    @tf.function
    def step(self, i: Any, y: Any, at: Any) -> Any:
        return tf.cond(
            tf.reduce_sum(y) > 3.0,
            lambda: y - self.looked(i, at) * self.scale,
            lambda: tf.while_loop(
                lambda j, y: j < 2,
                lambda j, y: (j + 1, tf.cond(i > j, lambda: self.looked(j, at), lambda: y) + y),
                (tf.constant(0), y),
            )[1],
        )

    @tf.function(
        input_signature=[tf.TensorSpec([2, 4], tf.float32, "y"), tf.TensorSpec([2], tf.int32, "at")]
    )
    def __call__(self, y: Any, at: Any) -> Any:
        return tf.while_loop(
            lambda i, y: i < 4, lambda i, y: (i + 1, self.step(i, y, at)), (tf.constant(0), y)
        )[1]


FEEDS: dict[str, Any] = {"x": X, "word": np.array([b"b", b"c"], dtype=object)}


def test_a_saved_model_is_frozen(saved: Path, tmp_path: Path) -> None:
    split(saved, tmp_path / "out", FEEDS)
    got = run_folder(tmp_path / "out", FEEDS)
    assert list(got) == ["image:0", "number:0"]
    fresh = tf.saved_model.load(str(saved)).signatures["serving_default"]
    wanted = fresh(**{k: tf.constant(v) for k, v in FEEDS.items()})
    np.testing.assert_array_equal(got["number:0"], wanted["number"].numpy())
    np.testing.assert_array_equal(got["image:0"], wanted["image"].numpy())


def test_variables_in_functions_of_functions_are_frozen(tmp_path: Path) -> None:
    network = Deep()
    tf.saved_model.save(network, str(tmp_path / "model"), signatures=network.__call__)
    feeds = {"y": np.full((2, 4), 0.3, np.float32), "at": np.array([5, 2], np.int32)}
    split(tmp_path / "model", tmp_path / "out", feeds)
    got = list(run_folder(tmp_path / "out", feeds).values())
    (wanted,) = tf.saved_model.load(str(tmp_path / "model")).signatures["serving_default"](
        **{k: tf.constant(v) for k, v in feeds.items()}
    ).values()  # fmt: skip
    np.testing.assert_array_equal(got, [wanted.numpy()])
    assert not np.array_equal(wanted, feeds["y"])


@pytest.mark.nightly
def test_the_same_model_gives_the_same_bytes(saved: Path) -> None:
    first, second = (load_model(path) for path in (saved, saved / "saved_model.pb"))
    assert first.store.file_digest == second.store.file_digest


def test_the_command_line_takes_folders(saved: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    ends = ["--input", "x=1,8,8,3", "--output", "image"]
    assert cli.main(["split", str(saved), *ends, "-o", out]) == 0
    # What the image does not need is not asked for.
    assert cli.main(["run", out]) == 0


def trained(folder: Path, resource: bool, kind: str) -> Path:
    """A graph of TensorFlow 1 with what it was trained by; its variables lie beside it."""
    old = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default(), old.Session() as session:
        x = old.placeholder(tf.float32, [None, 8, 8, 3], "x")
        label = old.placeholder(tf.float32, [None, 4], "label")
        old.placeholder(tf.float32, [], "unread")
        with old.variable_scope("net", use_resource=resource):
            kernel = old.get_variable("kernel", initializer=KERNEL)
            bias = old.get_variable("bias", initializer=BIAS)
        y = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME") + bias)
        mean = tf.reduce_mean(y, [1, 2], name="mean")
        out = tf.identity(mean, "out")
        loss = tf.reduce_sum((mean - label) ** 2, name="loss")
        step = old.train.get_or_create_global_step()
        old.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step)
        saver = old.train.Saver()
        session.run(old.global_variables_initializer())
        saver.save(session, str(folder / "model.ckpt"), 7, write_meta_graph=kind == "meta")
        if kind == "meta":
            return folder / "model.ckpt-7.meta"
        if kind == "saved":
            place = str(folder / "saved")
            old.saved_model.simple_save(session, place, {"picture": x}, {"m": mean, "o": out})
            return Path(place)
    tf.io.write_graph(graph, str(folder), f"model.{kind}", as_text=kind == "pbtxt")
    return folder / f"model.{kind}"


FEEDS_SPECS = {"x": InputSpec((1, 8, 8, 3))}


def expected() -> Any:
    y = tf.nn.relu(tf.nn.conv2d(X, KERNEL, 1, "SAME") + BIAS)
    return tf.reduce_mean(y, [1, 2]).numpy()


@pytest.mark.parametrize(
    ("kind", "resource"),
    [
        ("pb", False),
        pytest.param("pb", True, marks=pytest.mark.nightly),
        pytest.param("meta", True, marks=pytest.mark.nightly),
        pytest.param("saved", False, marks=pytest.mark.nightly),
    ],
)
def test_graphs_of_tensorflow_1(kind: str, resource: bool, tmp_path: Path) -> None:
    """What trains and saves is not an output, and placeholders that nobody reads are none."""
    feeds = {"x": X} if kind == "saved" else {"x": X, "label": np.ones((1, 4), np.float32)}
    result = split(trained(tmp_path, resource, kind), tmp_path / "out", feeds)
    got = run_folder(tmp_path / "out", feeds)
    assert list(got) == (["mean:0", "out:0"] if kind == "saved" else ["out:0", "loss:0"])
    np.testing.assert_array_equal(got["out:0"], expected())
    kinds = {op.op_type for op in result.module.walk() if isinstance(op, TfOp)}
    assert not {"VariableV2", "VarHandleOp", "Assign"} & kinds


def test_what_scatters_into_a_new_tensor_is_inference(tmp_path: Path) -> None:
    """ScatterNd is called as what writes variables is, and writes none."""
    old = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default(), old.Session() as session:
        x = old.placeholder(tf.float32, [2, 4], "x")
        bias = old.get_variable("bias", initializer=BIAS, use_resource=False)
        y = tf.scatter_nd(tf.constant([[2], [0]]), x * bias, [3, 4])
        tf.raw_ops.ScatterNdNonAliasingAdd(input=y, indices=[[1]], updates=x[:1], name="y")
        session.run(old.global_variables_initializer())
        old.train.Saver().save(session, str(tmp_path / "net"), write_state=False)
    tf.io.write_graph(graph, str(tmp_path), "model.pb", as_text=False)
    feeds = {"x": np.ones((2, 4), np.float32)}
    split(tmp_path / "model.pb", tmp_path / "out", feeds)
    (got,) = run_folder(tmp_path / "out", feeds).values()
    np.testing.assert_array_equal(got, [BIAS, np.ones(4), BIAS])


@pytest.mark.parametrize("resource", [False, True])
def test_variables_without_values_are_refused(resource: bool, tmp_path: Path) -> None:
    model = trained(tmp_path, resource, "pb")
    alone = tmp_path / "alone" / "model.pb"
    alone.parent.mkdir()
    shutil.copy(model, alone)
    feeds = {"x": InputSpec((1, 8, 8, 3))}
    with pytest.raises(
        AutosplitError, match=r"not frozen: variable 'net/\w+' and 1 more .* beside"
    ):
        split_model(SplitOptions(alone, tmp_path / "out", feeds, ["out"]))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("resource", [False, True])
def test_what_only_initializes_gives_no_value(resource: bool, tmp_path: Path) -> None:
    """Without outputs that are named, the ops that set variables stay; no one waits for them."""
    old = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        x = old.placeholder(tf.float32, [1, 8, 8, 3], "x")
        kernel = old.get_variable("kernel", initializer=KERNEL, use_resource=resource)
        tf.nn.conv2d(x, kernel, 1, "SAME", name="y")
    path = tmp_path / "model.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    with pytest.raises(AutosplitError, match=r"not frozen: variable 'kernel' .* beside"):
        split_model(SplitOptions(path, tmp_path / "out", FEEDS_SPECS))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["pb", "meta", "saved"])
def test_without_tensorflow(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained(tmp_path, False, kind)
    monkeypatch.setattr(tf_freeze, "find_spec", lambda _: None)
    with pytest.raises(AutosplitError, match=r"not installed: pip install .*, or freeze it"):
        split_model(SplitOptions(model, tmp_path / "out", FEEDS_SPECS, ["out"]))


def test_several_checkpoints_are_refused(tmp_path: Path) -> None:
    model = trained(tmp_path, False, "pb")
    (tmp_path / "checkpoint").unlink()
    for file in list(tmp_path.glob("model.ckpt-7.*")):
        shutil.copy(file, tmp_path / file.name.replace("-7", "-8"))
    with pytest.raises(AutosplitError, match=r"model.ckpt-7, model.ckpt-8; keep one of them there"):
        load_model(model)


def test_values_set_in_the_graph_are_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that the graph itself writes before it is read needs no freezing."""
    monkeypatch.chdir(tmp_path)
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2], "x")
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])
        with tf.control_dependencies([tf.raw_ops.AssignVariableOp(resource=handle, value=x)]):
            tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32, name="y")
    path = Path("written.pb")
    path.write_bytes(graph.as_graph_def().SerializeToString())
    split(path, Path("out"), {"x": np.ones(2, np.float32)})
    assert_equal(
        run_folder(Path("out"), {"x": np.ones(2, np.float32)}), {"y:0": np.ones(2, np.float32)}
    )


def queued(fill: bool) -> bytes:
    """A graph that takes its pictures from a queue, as scripts for training write them."""
    with tf.Graph().as_default() as graph:
        queue = tf.queue.FIFOQueue(4, [tf.float32], [X.shape])
        filled = [queue.enqueue([tf.constant(X)])] if fill else []
        with tf.control_dependencies(filled):
            x = tf.identity(queue.dequeue(), "taken")
        tf.nn.relu(tf.nn.conv2d(x, tf.constant(KERNEL), 1, "SAME"), "y")
        return graph.as_graph_def().SerializeToString()


def test_a_queue_that_nothing_fills_is_refused(tmp_path: Path):
    """TensorFlow would wait for it for ever."""
    path = tmp_path / "model.pb"
    path.write_bytes(queued(fill=False))
    said = r"QueueDequeueV2\) waits for values that nothing in the graph gives: make what it gives inputs"
    with pytest.raises(AutosplitError, match=said):
        split_model(SplitOptions(path, out=tmp_path / "out", outputs=["y"]))
    split(path, tmp_path / "out", {"taken": X}, outputs=["y"])
    found = run_folder(tmp_path / "out", {"taken": X})
    want = tf.nn.relu(tf.nn.conv2d(X, KERNEL, 1, "SAME")).numpy()
    (got,) = found.values()
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_a_queue_that_the_graph_fills_is_taken(tmp_path: Path):
    path = tmp_path / "model.pb"
    path.write_bytes(queued(fill=True))
    assert load_model(path, "tensorflow", ()).module is not None
    split_model(SplitOptions(path, out=tmp_path / "out", outputs=["y"]))
    (got,) = run_folder(tmp_path / "out", {}).values()
    want = tf.nn.relu(tf.nn.conv2d(X, KERNEL, 1, "SAME")).numpy()
    np.testing.assert_allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize("waits", [False, True])
def test_a_table_that_only_a_session_fills_is_refused(tmp_path: Path, waits: bool):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.int64, [3], "x")
        table = tf.raw_ops.HashTableV2(key_dtype=tf.int64, value_dtype=tf.float32)
        keys, values = tf.constant([1, 2], tf.int64), tf.constant([0.5, 0.25])
        fill = tf.raw_ops.InitializeTableV2(table_handle=table, keys=keys, values=values)
        with tf.control_dependencies([fill] if waits else []):
            tf.raw_ops.LookupTableFindV2(
                table_handle=table, keys=x, default_value=tf.constant(-1.0), name="y"
            )
    path = tmp_path / "model.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    feeds = {"x": np.array([2, 1, 7])}
    if waits:
        split(path, tmp_path / "out", feeds, outputs=["y"])
        want = {"y:0": np.array([0.25, 0.5, -1], np.float32)}
        assert_equal(run_folder(tmp_path / "out", feeds), want)
        return
    said = r"nothing that the graph runs fills table 'HashTableV2' \(HashTableV2\), which only a session"
    with pytest.raises(AutosplitError, match=said):
        split_model(SplitOptions(path, out=tmp_path / "out", outputs=["y"]))
    assert not (tmp_path / "out").exists()
