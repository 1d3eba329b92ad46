"""What the library does that nobody expects, and what our guards make of it.

Where a guard stands between us and a crash, a child process without the guard shows that it is needed.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import dnnl_c_graphs as graphs
import numpy as np
import pytest
from dnnl_c_graphs import child

from autosplit.core.errors import AutosplitError
from autosplit.runtime.dnnl.library import GraphBuilder, library
from autosplit.toolchains.onednn import VARIABLE

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the library's package is for Linux on x86_64",
)


def is_old() -> bool:
    """Whether the library is one of the releases before 3.6, which was tried."""
    return library().version < (3, 6)


# --- 1. a dequantize has one consumer --------------------------------------------------------------------


def residual(shared: bool):
    """A graph of two matmuls of one quantized tensor, with one dequantize or one for each."""
    random = np.random.default_rng(0)
    graph = graphs.Graph()
    x = random.integers(0, 256, (4, 16)).astype(np.uint8)
    source = graph.input("u8", x)
    real = graph.dequantize(source, 0.05, 128)
    outputs = []
    for _ in range(2):
        w = random.integers(-64, 64, (16, 16)).astype(np.int8)
        weights = graph.dequantize(graph.input("s8", w, constant=True), 0.02)
        data = real if shared else graph.dequantize(source, 0.05, 128)
        y = graph.quantize(graph.op("MatMul", [data, weights], (4, 16)), 0.1, 128)
        exact = graphs.dequantized(x, 0.05, 128) @ graphs.dequantized(w, 0.02, 0)
        outputs.append((y.id, graphs.quantized(exact, 0.1, 128)))
    if not shared:
        # The first dequantize has no reader then.
        graph.op("ReLU", [real])
    return graph, outputs


@pytest.mark.parametrize("shared", [True, False])
def test_a_shared_dequantize_is_not_fused(shared: bool) -> None:
    graph, outputs = residual(shared)
    sizes = sorted(len(p.op_ids) for p in graph.partitions())
    # Each product alone is dequantize, dequantize, matmul, quantize.
    assert (sizes.count(4) == 2) == (not shared)
    graph.run_all()
    for id, expected in outputs:
        assert np.array_equal(graph.arrays[id], expected)


# --- 2. stale constants ----------------------------------------------------------------------------------


def test_equal_graphs_with_different_weights() -> None:
    first, second = graphs.ConvCase(1), graphs.ConvCase(2)
    x = first.activations(0, 1, 6)
    for case in (first, second, first, second):
        assert np.array_equal(case.run(x), case.expected(x))
    assert not np.array_equal(first.expected(x), second.expected(x))


def test_one_partition_for_many_shapes_with_its_weights() -> None:
    # Different sizes may pack the weights differently, under one entry of the cache or several.
    case = graphs.ConvCase(3, 32, 32)
    shapes = [(1, 5), (1, 40), (8, 6), (1, 5), (4, 17)]
    calls = []
    for batch, size in shapes:
        x = case.activations(size, batch, size)
        calls.append((*case.call(case.compile(x.shape), x), case.expected(x)))
    for call, y, expected in [*calls, *reversed(calls)]:
        y.fill(99)
        call()
        assert np.array_equal(y, expected)


def test_other_weights_for_one_partition_are_refused() -> None:
    case = graphs.ConvCase(4)
    x = case.activations(0, 1, 6)
    case.run(x)
    (port,) = (t for t in case.partition.inputs if t.dtype == "s8")
    case.graph.arrays[port.id] = case.w.copy()
    with pytest.raises(AutosplitError, match="has other memory than in the first call"):
        case.run(x)


def test_without_the_guard_other_weights_are_ignored() -> None:
    # What the guard is for: while the library keeps compiled partitions, it answers with the first weights.
    code = """
from autosplit.runtime.dnnl.library import Partition
library().dll.dnnl_graph_set_compiled_partition_cache_capacity(1024)
Partition.hold_constant = lambda self, port, buffer: None
case = ConvCase(4)
x = case.activations(0, 1, 6)
first = case.run(x)
(port,) = (t for t in case.partition.inputs if t.dtype == "s8")
case.graph.arrays[port.id] = -case.w
print(np.array_equal(case.run(x), first), library().version < (3, 6))
"""
    stale, old = child(code).stdout.split()
    assert stale == "True" or old == "False"


def test_memory_of_constants_is_not_used_again() -> None:
    # Freed weights could have an heir at their address, which would pass for them.
    case = graphs.ConvCase(5)
    x = case.activations(0, 1, 6)
    case.run(x)
    held = [port for port in case.partition.inputs if port.constant]
    assert len(held) == 2
    address = case.w.ctypes.data
    case.graph.arrays.clear()
    del case.w
    others = [np.ones((4, 8, 3, 3), np.int8) for _ in range(50)]
    assert address not in {other.ctypes.data for other in others}


# --- 3. the constant cache is set once -------------------------------------------------------------------


def test_changing_the_cache_in_between_ends_the_process() -> None:
    code = """
case = ConvCase()
x = case.activations(0, 1, 6)
call, y = case.call(case.compile(x.shape), x)
library().dll.dnnl_graph_set_constant_tensor_cache(0)
call()
print("survived")
"""
    done = child(code)
    if is_old():
        assert done.returncode < 0
    assert "set_constant_tensor_cache" not in dir(library())


# --- 4. op kinds that the library does not know ----------------------------------------------------------


def test_kinds_that_are_too_new_are_refused() -> None:
    lib = library()
    graph = GraphBuilder(lib)
    x, y = graphs.four_rows(), graphs.four_rows()
    for kind in (lib.kind_count, lib.kind_count + 1, 1000, -1):
        with pytest.raises(AutosplitError, match=f"'new' has kind {kind}, which oneDNN"):
            graph.add_op(kind, "new", [], [x], [y])


def test_without_the_guard_they_crash() -> None:
    code = """
lib = library()
kind, lib.kind_count = lib.kind_count, 1000
graph = GraphBuilder(lib)
graph.add_op(kind, "new", [], [four_rows()], [four_rows()])
graph.finalize()
graph.partitions()
"""
    assert child(code).returncode < 0


def test_all_kinds_that_the_table_has_for_the_version_are_known() -> None:
    version = library().version[:2]
    codes = [s.code for s in graphs.OP_TABLE.values() if s.since <= version]
    assert max(codes) < library().kind_count


# --- 5. open layouts of inputs ---------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["any", "undef"])
def test_an_open_input_is_refused(layout: str) -> None:
    case = graphs.ConvCase(6, dims=(1, 8, 6, 6))
    inputs = [replace(port, layout=layout, strides=None) for port in case.partition.inputs]
    with pytest.raises(AutosplitError, match=r"input tensor .* needs a strided or opaque layout"):
        case.partition.compile(inputs, case.partition.outputs)


def test_without_the_guard_an_open_input_ends_the_process() -> None:
    # Other kinds of ops hang, or choose a layout that nobody can ask for.
    code = """
from autosplit.runtime.dnnl.library import CompiledPartition
graph = Graph()
x = four_rows()
graph.op("ReLU", [x])
partition = graph.only()
CompiledPartition(partition, [replace(x, layout="any")], list(partition.outputs))
"""
    assert child(code).returncode < 0


# --- 6. what add_op checks, and what it does not ---------------------------------------------------------


def test_zero_points_are_not_optional_before_3_3() -> None:
    graph = GraphBuilder(library())
    x, y = graphs.four_rows(), graphs.tensor("u8", (4, 8))
    if is_old():
        with pytest.raises(AutosplitError, match="adding op 'Quantize' failed: invalid operation"):
            graphs.add(graph, "Quantize", [x], [y], scales=[0.1])
    graphs.add(graph, "Quantize", [x], [y], scales=[0.1], zps=[0])


@pytest.mark.parametrize(
    ("kind", "attrs"),
    [
        ("Quantize", {"scales": [0.1, 0.2], "zps": [0, 0]}),
        ("Quantize", {"qtype": "per_channel", "axis": 1, "scales": [0.1], "zps": [0, 0]}),
        ("Quantize", {"zps": [0]}),
        ("Convolution", {}),
    ],
)
def test_attributes_that_are_checked(kind: str, attrs: dict[str, object]) -> None:
    graph = GraphBuilder(library())
    with pytest.raises(AutosplitError, match=f"adding op '{kind}' failed: invalid operation"):
        graphs.add(graph, kind, [graphs.four_rows()], [graphs.tensor("u8", (4, 8))], **attrs)


def test_two_producers_are_refused_by_us() -> None:
    graph = GraphBuilder(library())
    x, y = graphs.four_rows(), graphs.four_rows()
    graphs.add(graph, "ReLU", [x], [y])
    with pytest.raises(AutosplitError, match="is produced by both 'ReLU' and 'Abs'"):
        graphs.add(graph, "Abs", [x], [y])


def test_without_the_guard_two_producers_are_accepted() -> None:
    code = """
graph = GraphBuilder(library())
x, y = four_rows(), four_rows()
add(graph, "ReLU", [x], [y])
graph._producers.clear()
add(graph, "Abs", [x], [y])
graph.finalize()
print("accepted")
"""
    assert child(code).stdout == "accepted\n"


# --- 7. a tensor in the middle that is needed outside ----------------------------------------------------


def middle(end: bool):
    graph = graphs.Graph()
    random = np.random.default_rng(1)
    x = random.integers(0, 256, (4, 16)).astype(np.uint8)
    w = random.integers(-64, 64, (16, 8)).astype(np.int8)
    real = graph.dequantize(graph.input("u8", x), 0.05, 128)
    weights = graph.dequantize(graph.input("s8", w, constant=True), 0.02)
    y = graph.op("MatMul", [real, weights], (4, 8))
    q = graph.quantize(graph.op("ReLU", [y]), 0.1, 0)
    if end:
        graphs.add(graph.builder, "End", [y], [])
    exact = graphs.dequantized(x, 0.05, 128) @ graphs.dequantized(w, 0.02, 0)
    return graph, y, q, exact


def test_a_result_in_the_middle_splits_the_partition() -> None:
    graph, y, q, exact = middle(end=True)
    graph.run_all()
    assert np.allclose(graph.arrays[y.id], exact, rtol=1e-6, atol=1e-6)
    assert np.array_equal(graph.arrays[q.id], graphs.quantized(np.maximum(exact, 0), 0.1, 0))
    assert len([p for p in graph.partitions() if p.names != ("End",)]) > 1


def test_without_a_mark_it_is_not_there() -> None:
    graph, y, q, _ = middle(end=False)
    partition = graph.only()
    assert [port.id for port in partition.outputs] == [q.id]
    graph.run_all()
    assert y.id not in graph.arrays


# --- 8. orders -------------------------------------------------------------------------------------------


def test_ops_may_be_added_in_any_order() -> None:
    graph = graphs.Graph()
    random = np.random.default_rng(2)
    x = random.integers(0, 256, (4, 16)).astype(np.uint8)
    w = random.integers(-64, 64, (16, 8)).astype(np.int8)
    source, weights = graph.input("u8", x), graph.input("s8", w, constant=True)
    real, real_w = graphs.tensor("f32", (4, 16)), graphs.tensor("f32", (16, 8))
    y, q = graphs.tensor("f32", (4, 8)), graphs.tensor("u8", (4, 8))
    cast = {"qtype": "per_tensor", "zps": [0]}
    graphs.add(graph.builder, "Quantize", [y], [q], scales=[0.1], **cast)
    graphs.add(graph.builder, "MatMul", [real, real_w], [y])
    graphs.add(graph.builder, "Dequantize", [weights], [real_w], scales=[0.02], **cast)
    graphs.add(graph.builder, "Dequantize", [source], [real], scales=[0.05], **cast)
    made = graph.run(graph.only())[q.id]
    exact = graphs.dequantized(x, 0.05, 0) @ graphs.dequantized(w, 0.02, 0)
    assert np.array_equal(made, graphs.quantized(exact, 0.1, 0))


def test_ports_are_found_by_their_ids() -> None:
    case = graphs.ConvCase(7, dims=(1, 8, 6, 6))
    x = case.activations(0, 1, 6)
    inputs = list(reversed(case.partition.inputs))
    compiled = case.partition.compile(
        inputs, [replace(case.partition.outputs[0], dims=None, layout="any")]
    )
    assert [t.id for t in compiled.inputs] == [t.id for t in case.partition.inputs]
    call, y = case.call(compiled, x)
    call()
    assert np.array_equal(y, case.expected(x))


# --- 9. attributes and constants -------------------------------------------------------------------------


def test_every_type_of_attribute_arrives() -> None:
    # Each attribute changes what comes out.
    x = np.linspace(-2, 2, 24).astype(np.float32).reshape(1, 2, 3, 4)
    for kind, attrs, expected in (
        ("Clamp", {"min": -0.5, "max": 1.25}, np.clip(x, -0.5, 1.25)),
        ("SoftMax", {"axis": 2}, np.exp(x) / np.exp(x).sum(2, keepdims=True)),
        ("ReduceSum", {"axes": [1, 3], "keep_dims": True}, x.sum((1, 3), keepdims=True)),
        ("Elu", {"alpha": 0.5}, np.where(x > 0, x, 0.5 * (np.exp(x) - 1))),
    ):
        graph = graphs.Graph()
        y = graph.op(kind, [graph.input("f32", x)], expected.shape, **attrs)
        made = graph.run(graph.only())[y.id]
        assert np.allclose(made, expected, rtol=1e-5, atol=1e-6), kind


@pytest.mark.parametrize("shape", [(1,), ()])
def test_a_product_that_is_divided_by_a_constant(shape: tuple[int, ...]) -> None:
    graph = graphs.Graph()
    random = np.random.default_rng(3)
    a = random.integers(0, 256, (2, 4, 16)).astype(np.uint8)
    # The library takes 128 off: without VNNI what is left must have 7 bits.
    b = random.integers(64, 192, (2, 16, 8)).astype(np.uint8)
    left = graph.dequantize(graph.input("u8", a), 0.043, 10)
    right = graph.dequantize(graph.input("u8", b), 0.017, 20)
    y = graph.op("MatMul", [left, right], (2, 4, 8))
    scale = graph.input("f32", np.full(shape, 8, np.float32), constant=True)
    q = graph.quantize(graph.op("Divide", [y, scale]), 0.051, 4)
    if shape:
        graph.only()
    graph.run_all()
    exact = graphs.dequantized(a, 0.043, 10) @ graphs.dequantized(b, 0.017, 20) / 8
    assert np.array_equal(graph.arrays[q.id], graphs.quantized(exact, 0.051, 4))


def test_statistics_of_a_layer_norm_are_kept_unless_told() -> None:
    graph = GraphBuilder(library())
    x, y = graphs.four_rows(), graphs.four_rows()
    gamma, beta = graphs.tensor("f32", (8,)), graphs.tensor("f32", (8,))
    graphs.add(graph, "LayerNorm", [x, gamma, beta], [y], keep_stats=False)
    with pytest.raises(AutosplitError, match="adding op 'LayerNorm' failed"):
        graphs.add(graph, "LayerNorm", [x, gamma, beta], [graphs.four_rows()], keep_stats=True)


# --- 10. lifetimes, results in place ---------------------------------------------------------------------


def test_graph_and_partition_may_go_after_compilation() -> None:
    case = graphs.ConvCase(8)
    x = case.activations(0, 1, 6)
    call, y = case.call(case.compile(x.shape), x)
    expected = case.expected(x)
    del case
    call()
    assert np.array_equal(y, expected)


def test_numbers_of_a_sum_written_in_place() -> None:
    # Whether the library offers it depends on its kernels, hence on the processor.
    random = np.random.default_rng(4)
    graph = graphs.Graph()
    x = random.integers(0, 256, (1, 16, 6, 6)).astype(np.uint8)
    w = random.integers(-64, 64, (16, 16, 1, 1)).astype(np.int8)
    other = random.integers(0, 256, (1, 16, 6, 6)).astype(np.uint8)
    real = graph.dequantize(graph.input("u8", x), 0.043, 0)
    weights = graph.dequantize(graph.input("s8", w, constant=True), 0.017)
    y = graph.op("Convolution", [real, weights], (1, 16, 6, 6), groups=1, **graphs.CONV)
    shortcut = graph.input("u8", other)
    total = graph.op("Add", [y, graph.dequantize(shortcut, 0.11, 5)])
    q = graph.quantize(total, 0.23, 9)
    partition = graph.only()
    exact = graphs.conv_sums(x, w) * (np.float64(np.float32(0.043)) * np.float32(0.017))
    expected = graphs.quantized(exact + graphs.dequantized(other, 0.11, 5), 0.23, 9)
    last = (16 * 36, 1, 16 * 6, 16)
    inputs = [replace(p, strides=last if p.id == shortcut.id else None) for p in partition.inputs]
    compiled = partition.compile(inputs, [replace(partition.outputs[0], strides=last)])
    assert compiled.inplace in ((), ((shortcut.id, q.id),))
    shared = np.ascontiguousarray(other.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    buffers = [shared if p.id == shortcut.id else graph.arrays[p.id] for p in compiled.inputs]
    target = shared if compiled.inplace else graphs.empty(compiled.outputs[0])
    compiled.execute(buffers, [target])
    assert np.array_equal(target, expected)


# --- 11. the policy that fuses nothing -------------------------------------------------------------------


def test_the_debug_policy_gives_the_same_numbers() -> None:
    graph, _, q, exact = middle(end=False)
    partitions = graph.partitions("debug")
    assert [len(p.op_ids) for p in partitions] == [1] * 5
    graph.run_all("debug")
    assert np.array_equal(graph.arrays[q.id], graphs.quantized(np.maximum(exact, 0), 0.1, 0))


# --- 12. element types that the processor does not have --------------------------------------------------


def with_type(dtype: str):
    graph = graphs.Graph()
    x, w = graphs.tensor(dtype, (4, 8)), graphs.tensor(dtype, (8, 4), constant=True)
    graph.op("MatMul", [x, w], (4, 4), dtype)
    return graph


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_types_that_the_processor_lacks_are_refused(dtype: str) -> None:
    (partition,) = with_type(dtype).partitions()
    if library().computes(dtype):
        assert partition.compile(partition.inputs, partition.outputs).outputs[0].dims == (4, 4)
        return
    with pytest.raises(AutosplitError, match=f"has no {dtype} on this processor|does not support"):
        partition.compile(partition.inputs, partition.outputs)


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_types_are_refused_on_a_lesser_processor(dtype: str) -> None:
    code = f"""
from autosplit.core.errors import AutosplitError
graph = Graph()
x, w = tensor({dtype!r}, (4, 8)), tensor({dtype!r}, (8, 4))
graph.op("MatMul", [x, w], (4, 4), {dtype!r})
(partition,) = graph.partitions()
print(partition.library.isa)
try:
    partition.compile(partition.inputs, partition.outputs)
except AutosplitError as e:
    print(e)
"""
    done = child(code, ONEDNN_MAX_CPU_ISA="AVX2")
    assert done.returncode == 0, done.stderr
    isa, told = done.stdout.splitlines()
    assert isa in ("avx2", "avx", "sse41")
    assert "on this processor" in told or "does not support" in told


def test_without_the_guard_bf16_ends_the_process_there() -> None:
    code = """
from autosplit.runtime.dnnl import api as dnnl_api
dnnl_api.NEEDS_ISA.clear()
graph = Graph()
x, w = tensor("bf16", (4, 8)), tensor("bf16", (8, 4))
graph.op("MatMul", [x, w], (4, 4), "bf16")
(partition,) = graph.partitions()
if partition.supported:
    partition.compile(partition.inputs, partition.outputs)
"""
    done = child(code, ONEDNN_MAX_CPU_ISA="AVX2")
    if is_old():
        assert done.returncode < 0


# --- 13. depthwise kernels that are packed without their sums --------------------------------------------


def test_without_the_guard_depthwise_kernels_lose_their_sums() -> None:
    # The library needs the sums for the zero point: without one, the same kernels are right.
    code = """
print(library().isa)
for kernel, zp in [((4, 2), 117), ((4, 2), 0), ((4, 4), 117)]:
    random = np.random.default_rng(0)
    x = random.integers(0, 256, (1, 8, 8, 8)).astype(np.uint8)
    w = random.integers(-63, 64, (8, 1, *kernel)).astype(np.int8)
    centred = x.astype(np.int64) - zp
    sums = np.concatenate([conv_sums(centred[:, [c]], w[[c]]) for c in range(8)], axis=1)
    graph = Graph()
    source = graph.dequantize(graph.input("u8", x), 1.0, zp)
    weights = graph.dequantize(graph.input("s8", w, constant=True), 1.0)
    real = graph.op("Convolution", [source, weights], sums.shape, groups=8, **CONV)
    y = graph.quantize(real, 512.0, 128)
    graph.run(graph.only())
    print(np.array_equal(graph.arrays[y.id], quantized(sums, 512.0, 128)))
"""
    done = child(code, ONEDNN_MAX_CPU_ISA="AVX2")
    isa, *right = done.stdout.split()
    assert right == [str(isa != "avx2"), "True", "True"], done.stderr


# --- empty tensors ---------------------------------------------------------------------------------------


def test_an_empty_input_is_refused() -> None:
    case = graphs.ConvCase(9)
    with pytest.raises(AutosplitError, match="is empty, there is nothing to run"):
        case.compile((0, 8, 6, 6))


# --- the same on other processors, and with another library ----------------------------------------------

FILES = (
    "test_dnnl_library.py",
    "test_dnnl_pitfalls.py",
    "test_dnnl_build.py",
    "test_dnnl_fuse.py",
    "test_dnnl_plan.py",
    "test_dnnl_plan_kernels.py",
)


def run_tests(select: str, **env: str) -> str:
    """Run these test files in a child; its last line. Fails with its output where it fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", "-k", select]
    done = subprocess.run(
        [*command, *(str(HERE / name) for name in FILES)],
        env={**os.environ, **env},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return done.stdout.splitlines()[-1]


def test_numbers_without_vnni_in_a_child() -> None:
    select = "(numbers or whose_sums) and not in_a_child"
    assert "passed" in run_tests(select, ONEDNN_MAX_CPU_ISA="AVX2")


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["AVX2", "AVX512_CORE", "AVX512_CORE_VNNI"])
def test_all_on_other_processors_in_a_child(isa: str) -> None:
    assert "passed" in run_tests("not in_a_child", ONEDNN_MAX_CPU_ISA=isa)


SECOND = "paddlepaddle==3.3.1"
MEMBER = "paddle/libs/libdnnl.so.3"


@pytest.fixture(scope="session")
def second_library() -> Path:
    """oneDNN 3.6, out of the package of a framework; only this file of it is kept."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "autosplit"
    path = cache / "onednn-3.6" / "libdnnl.so.3"
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "-q"]
    done = subprocess.run(
        [*command, "-d", str(path.parent), SECOND], capture_output=True, text=True, check=False
    )
    wheels = list(path.parent.glob("paddlepaddle-*.whl"))
    if done.returncode != 0 or not wheels:
        pytest.skip(f"{SECOND} cannot be had: {done.stderr.strip().splitlines()[-1:]}")
    with ZipFile(wheels[0]) as wheel:
        part = path.with_suffix(".part")
        part.write_bytes(wheel.read(MEMBER))
    part.rename(path)
    for wheel in wheels:
        wheel.unlink()
    return path


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["", "AVX2"])
def test_all_with_the_second_library_in_a_child(isa: str, second_library: Path) -> None:
    env = {"ONEDNN_MAX_CPU_ISA": isa} if isa else {}
    version = child("print(library().version)", **{VARIABLE: str(second_library)})
    assert version.stdout == "(3, 6, 2)\n"
    assert "passed" in run_tests("not in_a_child", **{VARIABLE: str(second_library)}, **env)
