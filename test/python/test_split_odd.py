"""Models that are valid but unusual: cut anywhere, their parts compute what the whole computes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from sampled import sample_rows

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder
from autosplit.inputs.specs import InputSpec
from autosplit.platforms import load_model
from autosplit.testing.models import model_path
from autosplit.testing.split import (
    assert_computed_once,
    assert_equal,
    run_folder,
    run_whole,
    split,
)
from autosplit.tools.cli import main as cli

Feeds = dict[str, np.ndarray]
FLOAT, INT64, BOOL, STRING = (
    TensorProto.FLOAT,
    TensorProto.INT64,
    TensorProto.BOOL,
    TensorProto.STRING,
)
RANDOM = np.random.default_rng(0)
node = helper.make_node


def values(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


MOST_CUTS = 5
"""Nodes of one model, about evenly spread, that take their turns on the CPU."""

IMAGE = values(1, 3, 8, 8)
WEIGHTS: Feeds = {
    "w": values(4, 3, 3, 3),
    "v": values(2, 4, 3, 3),
    "one": np.array(1.5, np.float32),
    "two": np.array(2, np.int64),
    "axis": np.array([1], np.int64),
    "zero": np.array([0], np.int64),
}


def info(name: str, kind: int = FLOAT, shape: list[Any] | None = None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


X = info("x", FLOAT, [1, 3, 8, 8])


def conv(x: str, y: str, w: str = "w") -> onnx.NodeProto:
    return node("Conv", [x, w], [y], name=f"conv_{y}", pads=[1, 1, 1, 1])


def model(
    nodes: list[onnx.NodeProto],
    outputs: list[onnx.ValueInfoProto],
    inputs: list[onnx.ValueInfoProto] | None = None,
    opset: int = 18,
    ir_version: int = 9,
    **more: Any,
) -> onnx.ModelProto:
    """A model with those of `WEIGHTS` that its nodes and outputs name."""
    text = str(nodes) + str(outputs)
    weights = [numpy_helper.from_array(a, n) for n, a in WEIGHTS.items() if f'"{n}"' in text]
    given = [X] if inputs is None else inputs
    if ir_version < 4:
        # Before IR version 4 a constant is an input with a default.
        given = given + [info(t.name, t.data_type, list(t.dims)) for t in weights]
    graph = helper.make_graph(nodes, "g", given, outputs, weights)
    opsets = [helper.make_opsetid("", opset), *more.pop("opsets", [])]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version, **more)


def _branch(op: onnx.NodeProto) -> onnx.GraphProto:
    return helper.make_graph([op], op.output[0], [], [info(op.output[0])])


def _loop(*body: onnx.NodeProto) -> onnx.GraphProto:
    """A body that carries `a` to `b`, and gives `s` in each round."""
    return helper.make_graph(
        [node("Identity", ["go"], ["going"]), *body],
        "body",
        [info("i", INT64, []), info("go", BOOL, []), info("a")],
        [info("going", BOOL, []), info("b"), info("s")],
    )


FUNCTION = helper.make_function(
    "mine",
    "F",
    ["a", "b"],
    ["c"],
    [node("Add", ["a", "b"], ["t"]), node("Relu", ["t"], ["c"])],
    [helper.make_opsetid("", 18)],
)

ONNX: dict[str, tuple[onnx.ModelProto, Feeds]] = {
    "output-is-input": (model([conv("x", "y")], [info("y"), X]), {"x": IMAGE}),
    "output-is-weight": (model([conv("x", "y")], [info("y"), info("w")]), {"x": IMAGE}),
    "output-feeds-constants": (
        model(
            [
                node("Add", ["w", "one"], ["p"], name="p"),
                node("Mul", ["p", "one"], ["q"], name="q"),
                conv("x", "y", "q"),
                node("NonZero", ["y"], ["n"], name="n"),
                node("Cast", ["n"], ["f"], to=FLOAT),
                node("ReduceSum", ["f"], ["s"], keepdims=0),
                node("Mul", ["y", "s"], ["m"], name="m"),
                conv("m", "z", "v"),
                conv("x", "z2", "p"),
            ],
            [info("z"), info("z2"), info("p"), info("w"), info("one")],
        ),
        {"x": IMAGE},
    ),
    "only-constant": (
        model([node("Constant", [], ["c"], value_float=2.5)], [info("c")], []),
        {},
    ),
    "nothing": (model([], [X]), {"x": IMAGE}),
    "unused-input": (
        model([conv("x", "y")], [info("y")], [X, info("u", FLOAT, [2])]),
        {"x": IMAGE, "u": values(2)},
    ),
    "scalar-and-empty": (
        model(
            [
                node("Concat", ["x", "e"], ["c"], name="c", axis=0),
                conv("c", "y"),
                node("Mul", ["y", "k"], ["z"], name="z"),
            ],
            [info("z")],
            [X, info("e", FLOAT, [0, 3, 8, 8]), info("k", FLOAT, [])],
        ),
        {"x": IMAGE, "e": values(0, 3, 8, 8), "k": np.array(2, np.float32)},
    ),
    "strings": (
        model(
            [
                conv("x", "y"),
                node("Equal", ["t", "t"], ["q"], name="q"),
                node("Cast", ["q"], ["f"], to=FLOAT),
                node("ReduceSum", ["f"], ["s"], keepdims=0),
                node("Mul", ["y", "s"], ["m"], name="m"),
                node("Cast", ["m"], ["text"], to=STRING),
                node("StringConcat", ["t", "t"], ["tt"]),
            ],
            [info("m"), info("text", STRING), info("tt", STRING)],
            [X, info("t", STRING, [3])],
            opset=20,
        ),
        {"x": IMAGE, "t": np.array(["a", "bc", ""], object)},
    ),
    "only-if": (
        model(
            [
                node(
                    "If",
                    ["c"],
                    ["y"],
                    name="if",
                    then_branch=_branch(node("Identity", ["x"], ["t"])),
                    else_branch=_branch(node("Neg", ["x"], ["e"])),
                )
            ],
            [info("y")],
            [X, info("c", BOOL, [])],
        ),
        {"x": IMAGE, "c": np.array(False)},
    ),
    "name-of-a-generated-constant": (
        # Normalization names the constant sizes of `y` after it; here that name is taken.
        model(
            [
                node("ArgMax", ["x"], ["y__sizes"], name="best", axis=1, keepdims=0),
                node("Reshape", ["x", "s"], ["y"], name="reshape"),
                node("Relu", ["y"], ["z"], name="relu"),
            ],
            [info("z", FLOAT, [1, 192]), info("y", FLOAT, [1, 192]), info("y__sizes", INT64)],
            [X, info("s", INT64, [2])],
        ),
        {"x": IMAGE, "s": np.array([1, 192], np.int64)},
    ),
    "branch-never-taken": (
        # The first branch does not fit two rows; with the size left open it is a valid model.
        model(
            [
                node(
                    "If",
                    ["flag"],
                    ["y"],
                    name="choose",
                    then_branch=_branch(node("Squeeze", ["rows", "zero"], ["squeezed"])),
                    else_branch=_branch(node("Relu", ["rows"], ["kept"])),
                )
            ],
            [info("y")],
            [info("rows", FLOAT, ["n", 4]), info("flag", BOOL, [])],
        ),
        {"rows": values(2, 4), "flag": np.array(False)},
    ),
    "only-loop": (
        model(
            [
                node(
                    "Loop",
                    ["two", "", "x"],
                    ["l", "r"],
                    name="loop",
                    body=_loop(
                        node("Add", ["a", "x"], ["b"]),
                        node("ReduceSum", ["b"], ["s"], keepdims=0),
                    ),
                )
            ],
            [info("l"), info("r")],
        ),
        {"x": IMAGE},
    ),
    "left-out-operands": (
        model(
            [
                conv("x", "y"),
                node("Clip", ["y", "", "one"], ["c"], name="clip"),
                node("Dropout", ["c"], ["d", ""], name="drop"),
                node("MaxPool", ["d"], ["p", "at"], name="pool", kernel_shape=[2, 2]),
                conv("p", "z", "v"),
            ],
            [info("z"), info("at", INT64)],
        ),
        {"x": IMAGE},
    ),
    "sequence": (
        model(
            [
                conv("x", "y"),
                node("SplitToSequence", ["y"], ["q"], name="seq", axis=1),
                node("SequenceAt", ["q", "two"], ["a"], name="at"),
                node("Relu", ["a"], ["r"], name="relu"),
                node("SequenceLength", ["q"], ["n"], name="len"),
                node("ConcatFromSequence", ["q"], ["c"], name="cat", axis=1),
                conv("c", "z", "v"),
            ],
            [info("r"), info("n", INT64), info("z")],
        ),
        {"x": IMAGE},
    ),
    "optional": (
        model(
            [
                conv("x", "y"),
                node("Optional", ["y"], ["o"], name="opt"),
                node("OptionalGetElement", ["o"], ["e"], name="get"),
                conv("e", "z", "v"),
                node("NonZero", ["z"], ["n"], name="n"),
                node("Cast", ["n"], ["f"], to=FLOAT),
                node("ReduceSum", ["f"], ["s"], keepdims=0),
                node("OptionalGetElement", ["o"], ["e2"], name="get2"),
                node("Add", ["e2", "s"], ["a"], name="add"),
            ],
            [info("a"), info("z")],
        ),
        {"x": IMAGE},
    ),
    "function": (
        model(
            [conv("x", "y"), node("F", ["y", "y"], ["f"], name="f", domain="mine"),
             conv("f", "z", "v")],
            [info("z")],
            functions=[FUNCTION],
            opsets=[helper.make_opsetid("mine", 1)],
        ),
        {"x": IMAGE},
    ),
    "integers": (
        model(
            [
                node("Mul", ["a", "two"], ["m"], name="m"),
                node("Gather", ["m", "axis"], ["g"], name="g"),
                node("ReduceSum", ["g"], ["s"], name="s"),
            ],
            [info("m", INT64), info("s", INT64)],
            [info("a", INT64, [4, 3])],
        ),
        {"a": np.arange(12).reshape(4, 3)},
    ),
    "odd-names": (
        model(
            [
                node("Conv", ["x:0", "w"], ["y y"], name="né/con:v"),
                node("NonZero", ["y y"], ['n"z'], name='q"u\\o'),
                node("Relu", ["y y"], ["../r"]),
            ],
            [info('n"z', INT64), info("../r")],
            [info("x:0", FLOAT, [1, 3, 8, 8])],
        ),
        {"x:0": IMAGE},
    ),
    "shared-by-all": (
        model(
            [
                conv("x", "y"),
                node("NonZero", ["y"], ["n"], name="n"),
                conv("y", "z", "v"),
                node("Unique", ["y"], ["u"], name="u"),
                node("ReduceMean", ["y", "axis"], ["m"], name="m"),
                node("Add", ["z", "m"], ["a"], name="a"),
            ],
            [info("n", INT64), info("u"), info("a"), info("y")],
        ),
        {"x": IMAGE},
    ),
}  # fmt: skip

for _opset, _ir in ((7, 3), (9, 4), (11, 6), (13, 7), (17, 8), (21, 10), (23, 11)):
    ONNX[f"opset-{_opset}"] = (
        model(
            [
                conv("x", "y"),
                node("Relu", ["y"], ["r"], name="r"),
                node("Flatten", ["r"], ["f"], name="f"),
                node("Softmax", ["f"], ["s"], name="s", axis=1),
                node("ArgMax", ["s"], ["a"], name="a", axis=1),
                node("Dropout", ["s"], ["d"], name="d"),
            ],
            [info("d"), info("a", INT64)],
            opset=_opset,
            ir_version=_ir,
        ),
        {"x": IMAGE},
    )


def _check_cuts(path: Path, feeds: Feeds, folder: Path, outputs: tuple[str, ...] = ()) -> None:
    """Splits a model as it is, and with one node or another kept on the CPU."""
    whole = load_model(path)
    whole.platform.prepare(whole, {}, list(outputs))
    names = [
        op.identity
        for op in platform_graph(whole.module).body_ops()
        if isinstance(op, PlatformOp) and not op.IS_CONSTANT
    ]
    reference: Feeds = {}
    for i, name in enumerate([None, *names[:: 1 + len(names) // MOST_CUTS]]):
        out = folder / f"out_{i}"
        pins = [] if name is None else [(re.escape(name), "cpu")]
        try:
            result = split(path, out, feeds, target="bm1684x", keep=1.0, pins=pins, outputs=outputs)
        except Exception as error:
            # Some of the nodes are inputs or computed from constants, and have no place of their own.
            if name is not None and "matches" in str(error):
                continue
            raise
        assert_computed_once(result)
        got = run_folder(out, feeds)
        reference = reference or run_whole(path, feeds, list(got))
        assert_equal(got, reference)
        read_folder(out).verify()
        assert cli.main(["explain", str(out), "--json"]) == 0


@pytest.mark.parametrize("name", ONNX)
def test_onnx(name: str, tmp_path: Path) -> None:
    proto, feeds = ONNX[name]
    onnx.save(proto, tmp_path / "model.onnx")
    _check_cuts(tmp_path / "model.onnx", feeds, tmp_path)


def test_external_data(tmp_path: Path) -> None:
    proto, feeds = ONNX["shared-by-all"]
    copy = onnx.ModelProto.FromString(proto.SerializeToString())
    onnx.save(copy, tmp_path / "model.onnx", save_as_external_data=True, size_threshold=64)
    _check_cuts(tmp_path / "model.onnx", feeds, tmp_path)


def test_external_data_is_never_resident_as_a_whole(tmp_path: Path) -> None:
    """Half a gigabyte of weights (a file with a hole) passes through a split in little memory."""
    side, count = 4096, 8
    size = side * side * 4
    with (tmp_path / "weights.bin").open("wb") as file:
        file.truncate(size * count)
    weights = []
    for i in range(count):
        tensor = TensorProto(name=f"w{i}", data_type=FLOAT, dims=[side, side])
        tensor.data_location = TensorProto.EXTERNAL
        for key, at in (("location", "weights.bin"), ("offset", i * size), ("length", size)):
            tensor.external_data.add(key=key, value=str(at))
        weights.append(tensor)
    nodes = [
        node("MatMul", [f"h{i}" if i else "x", f"w{i}"], [f"h{i + 1}"], name=f"mm{i}")
        for i in range(count)
    ]
    ends = [info("x", FLOAT, [1, side])], [info(f"h{count}", FLOAT, [1, side])]
    graph = helper.make_graph(nodes, "big", *ends, weights)
    big = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (tmp_path / "big.onnx").write_bytes(big.SerializeToString())
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from autosplit.flows.split import SplitOptions, split_model\n"
        "split_model(SplitOptions(Path(sys.argv[1]), Path(sys.argv[2]), pins=[('mm3', 'cpu')], keep=1.0))\n"
        # Not ru_maxrss, which begins at what the parent had.
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "big.onnx"), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # ONNX Runtime, which loads each part once, and the one part that it loads are some 100 MB of it.
    assert int(done.stdout) / 1024 < 430, "MB at the most; the weights are 512"


def test_quantized(tmp_path: Path) -> None:
    """A network that ONNX Runtime has quantized to integers, with dequantizes and quantizes around ops."""
    quantization = pytest.importorskip("onnxruntime.quantization")

    class Reader(quantization.CalibrationDataReader):
        def __init__(self) -> None:
            self.left = [{"input_2": RANDOM.random((1, 24, 24, 3)).astype(np.float32)}]

        def get_next(self) -> Feeds | None:
            return self.left.pop() if self.left else None

    path = tmp_path / "model.onnx"
    quantization.quantize_static(
        model_path("rnet.onnx"), path, Reader(), quant_format=quantization.QuantFormat.QDQ
    )
    feeds = {"input_2": RANDOM.random((2, 24, 24, 3)).astype(np.float32)}
    for i, pins in enumerate(([], [(".*conv.*", "cpu")])):
        split(path, tmp_path / f"out_{i}", feeds, target="bm1684x", keep=1.0, pins=pins)
        got = run_folder(tmp_path / f"out_{i}", feeds)
        assert_equal(got, run_whole(path, feeds, list(got)))


def test_ops_of_other_domains(tmp_path: Path) -> None:
    """What ONNX Runtime does not know can be cut where its sizes are known; only running it fails."""
    nodes = [conv("x", "y"), node("Magic", ["y"], ["m"], name="magic", domain="acme"),
             node("Relu", ["m"], ["z"])]  # fmt: skip
    proto = model(nodes, [info("z")], opsets=[helper.make_opsetid("acme", 1)])
    onnx.save(proto, tmp_path / "open.onnx")
    with pytest.raises(AutosplitError, match=r"open.onnx: measuring the shape of .* acme:Magic"):
        split(tmp_path / "open.onnx", tmp_path / "out", {"x": IMAGE})
    assert not (tmp_path / "out").exists()
    proto.graph.value_info.append(info("m", FLOAT, [1, 4, 8, 8]))
    onnx.save(proto, tmp_path / "known.onnx")
    split(tmp_path / "known.onnx", tmp_path / "out", {"x": IMAGE})
    with pytest.raises(AutosplitError, match=r"graph_1.onnx: .*acme:Magic"):
        run_folder(tmp_path / "out", {"x": IMAGE})


# TensorFlow


def _tf_conv(tf: Any, x: Any, channels: int, name: str) -> Any:
    weights = tf.constant(values(3, 3, int(x.shape[3]), channels))
    return tf.nn.conv2d(x, weights, 1, "SAME", name=name)


def _several_results(tf: Any, x: Any) -> tuple[str, ...]:
    y = _tf_conv(tf, x, 8, "c1")
    a, b = tf.split(y, 2, axis=3, name="split")
    p = _tf_conv(tf, b, 4, "c2")
    top, _ = tf.nn.top_k(tf.reshape(p, [1, -1]), 5, name="top")
    parts = tf.unstack(tf.nn.relu(a, name="relu"), axis=3, name="parts")
    tf.multiply(parts[1], tf.reduce_sum(top), name="product")
    tf.unique(tf.reshape(tf.cast(b > 0, tf.int32), [-1]), name="unique")
    return "split:1", "top:1", "parts:3", "product", "unique:1", "split:0"


def _control_edges(tf: Any, x: Any) -> tuple[str, ...]:
    y = _tf_conv(tf, x, 4, "c1")
    with tf.control_dependencies([tf.compat.v1.Assert(tf.reduce_all(y > -1e9), [y])]):
        r = tf.nn.relu(y, name="r")
    with tf.control_dependencies([r]):
        k = tf.constant(2.0, name="k")
    tf.add(_tf_conv(tf, r, 2, "c2"), k, name="sum")
    return ("sum",)


def _default(tf: Any, x: Any) -> tuple[str, ...]:
    scale = tf.compat.v1.placeholder_with_default(tf.constant(0.5), [], name="scale")
    tf.multiply(_tf_conv(tf, x, 4, "c1"), scale, name="scaled")
    return ("scaled",)


def _nested_loops(tf: Any, x: Any) -> tuple[str, ...]:
    tf.compat.v1.disable_control_flow_v2()
    weights = tf.constant(values(3, 3, 3, 3) * np.float32(0.1))

    def outer(i: Any, a: Any) -> tuple[Any, Any]:
        def inner(j: Any, b: Any) -> tuple[Any, Any]:
            return j + 1, tf.nn.conv2d(b, weights, 1, "SAME")

        return i + 1, tf.while_loop(lambda j, _: j < 2, inner, [tf.constant(0), a])[1] + x

    y = _tf_conv(tf, x, 3, "c1")
    _, z = tf.while_loop(lambda i, _: i < 3, outer, [tf.constant(0), y], name="outer")
    _tf_conv(tf, z, 2, "c2")
    tf.compat.v1.enable_control_flow_v2()
    return ("c2",)


def _functional(tf: Any, x: Any) -> tuple[str, ...]:
    y = _tf_conv(tf, x, 3, "c1")
    y = tf.cond(tf.reduce_sum(y) > 0, lambda: y + 1.0, lambda: y * 2.0)
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * 1.5), [tf.constant(0), y])
    _tf_conv(tf, y, 2, "c2")
    return ("c2",)


def _strings(tf: Any, x: Any) -> tuple[str, ...]:
    text = tf.compat.v1.placeholder(tf.string, [2], name="text")
    size = tf.reduce_sum(tf.cast(tf.strings.length(text), tf.float32))
    z = tf.multiply(_tf_conv(tf, x, 4, "c1"), size, name="z")
    tf.strings.as_string(tf.argmax(tf.reshape(z, [-1])), name="where")
    tf.strings.join([text, text], name="twice")
    return "z", "where", "twice"


def _constants_only(tf: Any, x: Any) -> tuple[str, ...]:
    tf.constant(values(5), name="k")
    return "k", "x"


TENSORFLOW = [
    _several_results,
    _control_edges,
    _default,
    _nested_loops,
    _functional,
    _strings,
    _constants_only,
]


@pytest.mark.parametrize("build", TENSORFLOW, ids=lambda f: f.__name__[1:])
def test_tensorflow(build: Callable[[Any, Any], tuple[str, ...]], tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    feeds: Feeds = {"x:0": values(2, 8, 8, 3)}
    with tf.Graph().as_default() as graph:
        outputs = build(tf, tf.compat.v1.placeholder(tf.float32, [None, 8, 8, 3], name="x"))
    if build is _strings:
        feeds["text:0"] = np.array([b"ab", b"cde"], object)
    if build is _default:
        feeds["scale:0"] = np.array(3, np.float32)
    path = tmp_path / "model.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
    _check_cuts(path, feeds, tmp_path, outputs)


# Dynamic sizes

DYNAMIC = [
    ("ch_PP-OCRv4_det_infer.onnx", "x", (1, 3, 160, 224), [(1, 3, 96, 128), (1, 3, 64, 224)]),
    ("ch_PP-OCRv4_rec_infer.onnx", "x", (2, 3, 48, 320), [(1, 3, 48, 320), (2, 3, 48, 100)]),
    ("320n.onnx", "images", (2, 3, 320, 320), [(1, 3, 320, 320), (2, 3, 160, 224)]),
    ("pnet.onnx", "input_1", (2, 64, 64, 3), [(1, 37, 51, 3), (2, 12, 12, 3)]),
    ("frozen_inference_graph.pb", "image_tensor", (1, 300, 300, 3), [(1, 200, 240, 3)]),
]


@pytest.mark.parametrize(
    ("name", "given", "largest", "smaller"),
    sample_rows(DYNAMIC, 3), ids=[case[0].split(".")[0] for case in DYNAMIC],
)  # fmt: skip
def test_dynamic(
    name: str,
    given: str,
    largest: tuple[int, ...],
    smaller: list[tuple[int, ...]],
    tmp_path: Path,
) -> None:
    """One split serves all sizes up to the largest, which are the ones that graph_infos.json has."""
    model = model_path(name)
    out = tmp_path / "out"
    options = SplitOptions(model, out, {given: InputSpec(largest)}, target="bm1684x", dynamic=True)
    result = split_model(options)
    infos = GraphInfos.load(out)
    assert infos.dynamic
    assert any(graph.device == "tpu" for graph in infos.graphs)
    dtype = np.uint8 if name.endswith(".pb") else np.float32
    for size in [largest, *smaller]:
        feeds = {given: (RANDOM.random(size) * (255 if dtype is np.uint8 else 1)).astype(dtype)}
        got = run_folder(out, feeds)
        assert_equal(got, run_whole(model, feeds, list(got)))
        if size == largest:
            for output, array in got.items():
                tensor = infos.tensors[infos.outputs[output]]
                assert tensor.shape is not None
                assert tensor.shape == array.shape or "NonMax" in str(result.module)
    assert infos.tensors[infos.inputs[0]].shape == largest
    beyond = (largest[0] + 1, *largest[1:])
    with pytest.raises(AutosplitError, match="at most"):
        run_folder(out, {given: np.zeros(beyond, dtype)})
    with pytest.raises(AutosplitError):
        split_model(SplitOptions(model, tmp_path / "no", {given: InputSpec((1,))}, dynamic=True))


def test_dynamic_weighs_ops_at_the_largest_sizes(tmp_path: Path) -> None:
    """The multiply-adds of a dynamic split are those of the static one, where both place all ops alike."""
    model = model_path("pnet.onnx")
    inputs = {"input_1": InputSpec((2, 64, 64, 3))}
    plans = [
        split_model(SplitOptions(model, None, inputs, dynamic=dynamic)).plan
        for dynamic in (False, True)
    ]
    assert plans[0].data["work_possible"] == plans[1].data["work_possible"]
