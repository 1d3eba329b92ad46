"""Functions of ONNX models: inlined they compute what ONNX Runtime makes of the calls, and reach the TPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, parser

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.explain.plan import explain
from autosplit.formats.onnx.functions import inline_functions
from autosplit.platforms import load_model
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

Array = NDArray[np.generic]

HEAD = '<ir_version: 10, opset_import: ["" : 17, "my" : 1]>'
FUNCTION = '<domain: "my", opset_import: ["" : 17, "my" : 1]>'

CONV = f"""{HEAD}
net (float[1,3,8,8] x) => (float[1,2,3,3] y)
<float[2,3,3,3] w = {{{",".join(str((i * 7 % 11 - 5) / 8) for i in range(54))}}}, float[2] b = {{0.5, -1}}>
{{
  [block1] a = my.Block <alpha = 0.2> (x, w, b)
  y = my.Pool (a)
}}
{FUNCTION} Block <alpha : float = 0.5> (x, w, b) => (y)
{{
  [conv] c = Conv (x, w, b)
  y = my.Act <slope : float = @alpha> (c)
}}
{FUNCTION} Act <slope : float = 0.25> (c) => (y) {{ y = LeakyRelu <alpha : float = @slope> (c) }}
{FUNCTION} Pool (x) => (y) {{ p = MaxPool <kernel_shape = [2,2], strides = [2,2]> (x)  y = Sinh (p) }}
"""

MODELS = {
    "conv": CONV,
    "defaults of nested calls": f"""{HEAD} g (float[1,4] x) => (float[1,4] y, float[1,4] z) {{
      y = my.F (x)
      z = my.F <alpha = 0.75> (x)
    }}
    {FUNCTION} F <alpha> (x) => (y) {{ a = my.Act <slope : float = @alpha> (x)  y = my.Act (a) }}
    {FUNCTION} Act <slope : float = 0.25> (c) => (y) {{ y = LeakyRelu <alpha : float = @slope> (c) }}""",
    "names that clash": f"""{HEAD} g (float[1,4] x, float[1,4] t) => (float[1,4] y, float[1,4] z) {{
      [call] a = my.F (x)
      call = my.F (t)
      "call/t" = Neg (a)
      y = Add ("call/t", call)
      z = my.F (y)
    }}
    {FUNCTION} F (x) => (a) {{ t = Exp (x)  [t] a = Sub (t, x) }}""",
    "bodies": f"""{HEAD} g (float[1,4] x, bool c) => (float[1,4] y) {{
      y = If (c) <
        then_branch = t () => (float[1,4] p) {{ q = my.F <k = 3> (x)  p = my.F (q) }},
        else_branch = e () => (float[1,4] p) {{ p = my.G (x, c) }}>
    }}
    {FUNCTION} F <k : int = 2> (x) => (y) {{
      n = Constant <value_int : int = @k> ()
      go = Constant <value = bool {{1}}> ()
      y = Loop (n, go, x) <body = b (int64 i, bool cond, float[1,4] v) => (bool out, float[1,4] w) {{
        out = Identity (cond)
        s = Sinh (x)
        w = Add (v, s)
      }}>
    }}
    {FUNCTION} G (x, c) => (y) {{
      y = If (c) <
        then_branch = t () => (float[1,4] p) {{ p = my.H (x) }},
        else_branch = e () => (float[1,4] p) {{ s = my.H (x)  p = my.H (s) }}>
    }}
    {FUNCTION} H (x) => (y) {{ h = Constant <value = float {{0.5}}> ()  m = Mul (x, h)  y = Exp (m) }}""",
    "left out": f"""{HEAD} g (float[1,4] x) => (float[1,4] y, float[1,2] z) {{
      y = my.Bound (x)
      , z = my.Halves (y)
    }}
    {FUNCTION} Bound (x, low, high) => (y) {{ y = Clip (x, low, high) }}
    {FUNCTION} Halves (x) => (a, b) {{ a, b = Split <axis = -1> (x) }}""",
    "another operator set": """<ir_version: 10, opset_import: ["" : 17]>
    g (float[1,4] x) => (float[1,4] y) { y = other.F (x) }
    <domain: "other", opset_import: ["" : 18]> F (x) => (y) { a = Exp (x)  y = Tanh (a) }""".replace(
        '["" : 17]', '["" : 17, "other" : 1]', 1
    ),
    "operator sets of functions only": """<ir_version: 10, opset_import: ["my" : 1]>
    g (float[1,4] x) => (float[1,4] y) { y = my.F (x) }
    <domain: "my", opset_import: ["" : 17, "com.microsoft" : 1]>
    F (x) => (y) { a = com.microsoft.QuickGelu (x)  y = Tanh (a) }""",
    "a softmax of before": f"""{HEAD} g (float[2,3,4] x) => (float[2,3,4] y) {{ a = my.F (x)  y = Neg (a) }}
    <domain: "my", opset_import: ["" : 11]> F (x) => (y) {{ y = Softmax <axis = 1> (x) }}""",
    "an op's own name": """<ir_version: 10, opset_import: ["" : 20, "com.microsoft" : 1]>
    g (float[1,4] x) => (float[1,4] y, float[1,4] z) {
      y = Gelu (x)
      z = com.microsoft.Gelu (x)
    }
    <domain: "", opset_import: ["" : 20]> Gelu (x) => (y) { y = Neg (x) }
    <domain: "com.microsoft", opset_import: ["" : 20]> Gelu (x) => (y) { y = Neg (x) }""",
}


def feeds_of(proto: ModelProto) -> dict[str, Array]:
    random = np.random.default_rng(3)
    feeds: dict[str, Array] = {}
    for info in proto.graph.input:
        type = info.type.tensor_type
        shape = [d.dim_value for d in type.shape.dim]
        floats = random.standard_normal(shape).astype(np.float32)
        feeds[info.name] = np.array(False) if type.elem_type == TensorProto.BOOL else floats
    return feeds


def saved(text: str, folder: Path) -> Path:
    path = folder / "model.onnx"
    onnx.save(parser.parse_model(text), path)
    return path


def ops_of(model: Path) -> list[PlatformOp]:
    module = load_model(model).module
    ops = platform_graph(module).body_ops()
    return [op for op in ops if isinstance(op, PlatformOp) and not op.IS_CONSTANT]


@pytest.mark.parametrize("name", MODELS)
def test_the_same_bits_wherever_it_is_cut(name: str, tmp_path: Path):
    model = saved(MODELS[name], tmp_path)
    proto = onnx.load(model)
    feeds, outputs = feeds_of(proto), [o.name for o in proto.graph.output]
    # The file as it is, its functions as ONNX Runtime takes them.
    expected = run_whole(model, feeds, outputs)
    names = [op.identity for op in ops_of(model)]
    assert len(set(names)) == len(names)
    for number in range(2):
        pins = dict.fromkeys(names[::2], "cpu") if number else {}
        split(model, tmp_path / "out", feeds, pins=list(pins.items()), keep=1.0, force=True)
        assert_equal(run_folder(tmp_path / "out", feeds), expected)


def test_work_in_functions_reaches_the_tpu(tmp_path: Path):
    model = saved(CONV, tmp_path)
    feeds = feeds_of(onnx.load(model))
    found = explain(split(model, tmp_path / "out", feeds).module)
    assert [g.device for g in found.graphs] == ["tpu"]
    assert found.work == found.tpu_work == 2 * 36 * 27
    assert [op.name for op in found.ops][-4:] == ["block1/conv", "block1/y/y", "y/p", "y/y"]


def test_calls_stay_where_the_runtime_takes_another_op(tmp_path: Path):
    kinds = {
        name: [(op.op_type, op.name.startswith("onnx.opaque")) for op in ops_of(path)]
        for name in ("a softmax of before", "an op's own name")
        if (path := saved(MODELS[name], tmp_path))
    }
    assert kinds == {
        # Softmax of opset 11 is not an op of opset 17, by which the runtime takes the nodes of bodies.
        "a softmax of before": [("F", True), ("Neg", False)],
        "an op's own name": [("Gelu", False), ("Gelu", True)],
    }


def test_attributes_that_nobody_gives_are_left_out(tmp_path: Path):
    model = parser.parse_model(MODELS["defaults of nested calls"])
    inline_functions(model)
    given = [[(a.name, round(a.f, 3)) for a in node.attribute] for node in model.graph.node]
    assert given == [[("alpha", 0.25)], [("alpha", 0.25)], [("alpha", 0.75)], [("alpha", 0.25)]]
    assert not model.functions


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ([("F", "G"), ("G", "F")], "the function 'my.F' calls itself, which ONNX does not allow"),
        ([("F", "F")], "the function 'my.F' calls itself"),
        ([("F", "Neg"), ("F", "Abs")], "there are two functions called 'my.F'"),
    ],
)
def test_functions_that_make_no_sense(
    functions: list[tuple[str, str]], message: str, tmp_path: Path
):
    names = {name for name, _ in functions}
    bodies = [
        f"{FUNCTION} {name} (x) => (y) {{ y = {'my.' * (calls in names)}{calls} (x) }}"
        for name, calls in functions
    ]
    model = saved(
        "\n".join([f"{HEAD} g (float[1,4] x) => (float[1,4] y) {{ y = my.F (x) }}", *bodies]),
        tmp_path,
    )
    with pytest.raises(AutosplitError, match=f"model.onnx: .*{message}"):
        load_model(model)


def test_calls_of_too_many_nodes_stay():
    """Forty functions that each call the next twice stand for 2^40 nodes."""
    functions = [
        f"{FUNCTION} F{i} (x) => (y) {{ a = my.F{i + 1} (x)  y = my.F{i + 1} (a) }}"
        for i in range(40)
    ]
    last = f"{FUNCTION} F40 (x) => (y) {{ y = Neg (x) }}"
    graph = f"{HEAD} g (float[1,4] x) => (float[1,4] y) {{ y = my.F0 (x) }}"
    model = parser.parse_model("\n".join([graph, *functions, last]))
    inline_functions(model)
    assert [node.op_type for node in model.graph.node] == ["F0"]
    assert len(model.functions) == 41


def test_large_constants_of_functions_are_found_again(tmp_path: Path):
    """A folder that is read as text takes its weights from the model's file, by the names of the import."""
    numbers = ",".join(str(i / 64) for i in range(4096))
    model = saved(
        f"""{HEAD} g (float[1,64] x) => (float[1,64] y) {{ a = my.F (x)  y = my.F (a) }}
        {FUNCTION} F (x) => (y) {{
          w = Constant <value = float[64,64] {{{numbers}}}> ()
          y = MatMul (x, w)
        }}""",
        tmp_path,
    )
    loaded = load_model(model)
    assert list(loaded.platform.weights(model)) == list(loaded.store)
    assert len(list(loaded.store)) == 2


def test_tensors_inside_of_functions_are_inputs(tmp_path: Path):
    model = saved(CONV, tmp_path)
    inner = run_whole(model, feeds_of(onnx.load(model)), ["block1/c", "y"])
    feeds = {"block1/c": inner["block1/c"]}
    split(model, tmp_path / "out", feeds)
    assert_equal(run_folder(tmp_path / "out", feeds), {"y": inner["y"]})
    assert_equal(run_whole(model, feeds, ["y"]), {"y": inner["y"]})
