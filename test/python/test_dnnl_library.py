"""The binding of oneDNN Graph: finding the library, numbers against numpy, threads, errors, memory."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import struct
import sys
import threading
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dnnl_c_graphs as graphs
import numpy as np
import pytest
from dnnl_c_graphs import child

from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.runtime.dnnl import api as dnnl_api
from autosplit.runtime.dnnl import library as dnnl_library
from autosplit.runtime.dnnl.library import GraphBuilder, LogicalTensor, library, new_id, row_major
from autosplit.runtime.dnnl.threads import prepare_threads
from autosplit.toolchains import onednn
from autosplit.toolchains.onednn import VARIABLE, find_library

HERE = Path(__file__).parent


pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the library's package is for Linux on x86_64",
)


# --- finding ---------------------------------------------------------------------------------------------


def test_the_installed_library_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    found = find_library()
    assert found.name == "libdnnl.so.3"
    assert found.is_absolute()


def test_the_variable_goes_before_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other.so"
    other.symlink_to(find_library())
    monkeypatch.setenv(VARIABLE, str(other))
    assert find_library() == other


def elf(machine: int = 62, text: bytes = b"", segment: int = 0) -> bytes:
    """The headers of a shared library for a machine, with a segment of so many bytes more than it has."""
    header = struct.pack(
        "<4sBB10xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 3, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    size = 64 + 56 + len(text) + segment
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096) + text


GRAPH = b"\0dnnl_graph_compiled_partition_execute\0"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no such file"),
        (b"", "is empty"),
        (b"hello", "is not a shared library"),
        (b"hello" * 100, "is not a shared library"),
        (elf(183), "is for aarch64, this machine is x86_64"),
        (elf(9999), "is for an unknown machine"),
        (elf(62, GRAPH, 1), "is cut off"),
        (elf(62), "is a shared library, but no libdnnl"),
        (elf(62, b"\0dnnl_version\0"), "without the Graph API"),
    ],
)
def test_a_file_that_is_no_library_is_one_line(
    content: bytes | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "libdnnl.so.3"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv(VARIABLE, str(path))
    with pytest.raises(AutosplitError, match=told) as raised:
        find_library()
    assert "\n" not in str(raised.value)
    assert VARIABLE in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_folder_is_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(AutosplitError, match="no such file"):
        find_library()


def test_a_library_cut_off_is_refused_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "libdnnl.so.3"
    path.write_bytes(find_library().read_bytes()[: 1 << 20])
    monkeypatch.setenv(VARIABLE, str(path))
    with pytest.raises(AutosplitError, match="is cut off"):
        find_library()


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(onednn, "user_library", lambda: Path("nowhere"))
    monkeypatch.setattr(onednn.metadata, "files", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'autosplit\[onednn\]'"):
        find_library()


def test_a_package_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(onednn, "user_library", lambda: Path("nowhere"))
    monkeypatch.setattr(onednn.metadata, "files", lambda name: [])
    with pytest.raises(AutosplitError, match=r"holds no libdnnl\.so\.3"):
        find_library()


def test_libgomp_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "libdnnl.so.3"
    path.write_bytes(find_library().read_bytes().replace(b"libgomp.so.1\0", b"libgomp.so.9\0"))
    done = child("library()", **{VARIABLE: str(path)})
    assert done.returncode == 1
    assert "needs libgomp.so.9, which this system lacks" in done.stderr.splitlines()[-1]
    assert "apt-get install libgomp1" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("version", [(2, 7, 1), (3, 0, 0), (4, 0, 0)])
def test_another_version_is_refused(
    version: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = dict(zip(("major", "minor", "patch"), version, strict=True), cpu_runtime=2)

    class Fake:
        def dnnl_version(self) -> object:
            return SimpleNamespace(contents=SimpleNamespace(**fields))

    monkeypatch.setattr(dnnl_library.ctypes, "CDLL", lambda path, mode=0: Fake())
    monkeypatch.setattr(dnnl_library.api, "declare", lambda dll: [])
    text = ".".join(map(str, version))
    with pytest.raises(AutosplitError, match=rf"is oneDNN {text}; expected 3\.1 or later"):
        dnnl_library.Library(Path("lib"), None, "default")


# --- the library object ----------------------------------------------------------------------------------


def test_one_library_for_the_process() -> None:
    lib = library()
    assert lib is library()
    assert lib.version >= (3, 1, 0)
    assert lib.release.count(".") == 2
    assert lib.isa in dnnl_api.ISA_NAMES.values() or lib.isa.startswith("0x")


def test_other_settings_afterwards_are_refused() -> None:
    other = (library().threads or 1) + 1
    with pytest.raises(AutosplitError, match=f"threads={other}: oneDNN was loaded with threads="):
        library(threads=other)


def test_settings_that_do_not_exist() -> None:
    with pytest.raises(AutosplitError, match="threads=0: expected 1 or more"):
        prepare_threads(0, "default")
    with pytest.raises(AutosplitError, match="wait_policy='active': expected"):
        prepare_threads(1, "active")  # pyright: ignore


GOMP = "ctypes.CDLL('libgomp.so.1')"


@pytest.mark.parametrize(
    ("arguments", "env", "threads"),
    [
        ("threads=1", {}, 1),
        ("threads=3", {}, 3),
        ("threads=1", {"OMP_NUM_THREADS": "2"}, 2),
    ],
)
def test_threads_are_set_before_loading(arguments: str, env: dict[str, str], threads: int) -> None:
    start = "" if env else "import os; os.environ.pop('OMP_NUM_THREADS', None)\n"
    code = f"{start}import ctypes\nlibrary({arguments})\nprint({GOMP}.omp_get_max_threads())"
    assert child(code, **env).stdout == f"{threads}\n"


def test_threads_where_libgomp_is_loaded_already() -> None:
    code = (
        "import ctypes, os, threading; os.environ.pop('OMP_NUM_THREADS', None)\n"
        f"gomp = {GOMP}\nlib = library(threads=1)\nlib.stream()\n"
        "counts = [gomp.omp_get_max_threads()]\n"
        "def work(): lib.stream(); counts.append(gomp.omp_get_max_threads())\n"
        "t = threading.Thread(target=work); t.start(); t.join()\nprint(counts)"
    )
    assert child(code).stdout == "[1, 1]\n"


def test_passive_waiting() -> None:
    code = "import os; library(wait_policy='passive'); print(os.environ['OMP_WAIT_POLICY'])"
    start = "import os; os.environ.pop('OMP_WAIT_POLICY', None)\n"
    assert child(start + code).stdout == "passive\n"
    assert child(code, OMP_WAIT_POLICY="active").stdout == "active\n"


@pytest.mark.parametrize(
    ("arguments", "env", "spins"),
    [
        ("", {}, "30000"),
        ("", {"GOMP_SPINCOUNT": "77"}, "77"),
        ("", {"OMP_WAIT_POLICY": "active"}, "None"),
        ("wait_policy='passive'", {}, "None"),
    ],
)
def test_threads_spin_for_a_moment(arguments: str, env: dict[str, str], spins: str) -> None:
    others = [name for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY") if name not in env]
    clear = f"import os; [os.environ.pop(name, None) for name in {others}]\n"
    code = f"library({arguments}); print(os.environ.get('GOMP_SPINCOUNT'))"
    assert child(clear + code, **env).stdout == f"{spins}\n"


PLACED = """
import os
from autosplit.runtime.dnnl.threads import loaded_gomp
before = os.sched_getaffinity(0), set(os.listdir('/proc/self/task'))
stream = library().stream()
with stream.home:
    home = os.sched_getaffinity(0)
made = set(os.listdir('/proc/self/task')) - before[1]
others = [os.sched_getaffinity(int(task)) for task in made]
whole = set().union(home, *others)
print(loaded_gomp().omp_get_max_threads() == 1 + len(made), os.sched_getaffinity(0) == before[0])
print(whole == before[0], len(whole) == len(home) + sum(map(len, others)))
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor")
def test_threads_of_a_team_share_no_processor() -> None:
    assert child(PLACED, OMP_NUM_THREADS="2").stdout == "True True\nTrue True\n"


@pytest.mark.parametrize(
    "env", [{"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "false"}]
)
def test_threads_that_stay_where_they_are(env: dict[str, str]) -> None:
    code = "print(sorted(library().stream().home.processors))"
    assert child(code, **env).stdout == "[]\n"


def test_teams_begin_at_different_places() -> None:
    code = (
        "import threading; found = [library().stream().home.processors]\n"
        "t = threading.Thread(target=lambda: found.append(library().stream().home.processors))\n"
        "t.start(); t.join(); print(bool(found[0] & found[1]))"
    )
    assert child(code, OMP_NUM_THREADS="2").stdout == "False\n"


@pytest.mark.parametrize("used", [False, True])
def test_a_fork_of_a_process_that_computed_is_refused(used: bool) -> None:
    """libgomp has no threads there, and waits for them forever."""
    code = (
        "import os, sys\ncase = ConvCase(); x = case.activations(0, 1, 6)\n"
        f"if {used}:\n    call, y = case.call(case.compile(x.shape), x); call()\n"
        "if os.fork() == 0:\n"
        "    try:\n        call, y = case.call(case.compile(x.shape), x); call(); print('computed')\n"
        "    except Exception as e: print(str(e)[:28])\n"
        "    sys.stdout.flush(); os._exit(0)\n"
        "os.wait()"
    )
    expected = "this process was forked from" if used else "computed"
    assert child(code, OMP_NUM_THREADS="2").stdout == f"{expected}\n"


def test_passive_waiting_too_late_is_told() -> None:
    start = "import os, ctypes; os.environ.pop('OMP_WAIT_POLICY', None)\n"
    code = f"{start}{GOMP}; library(wait_policy='passive')"
    assert "has no effect: libgomp is loaded already" in child(code).stderr


def test_objects_that_live_to_the_end_of_the_process() -> None:
    done = child(
        "case = ConvCase(); x = case.activations(0, 1, 6)\n"
        "compiled = case.compile(x.shape); call, y = case.call(compiled, x); call()\n"
        "cycle = [case, compiled, call]; cycle.append(cycle)"
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- logical tensors -------------------------------------------------------------------------------------


def test_the_structure_is_the_librarys() -> None:
    assert ctypes.sizeof(dnnl_api.LogicalTensorStruct) == 224


@pytest.mark.parametrize(
    "tensor",
    [
        LogicalTensor(1, "u8", (1, 8, 6, 6), strides=(288, 1, 48, 8)),
        LogicalTensor(2, "f32", (), strides=()),
        LogicalTensor(3, "s8", None),
        LogicalTensor(4, "f32", (-1, 8), strides=(8, 1)),
        LogicalTensor(5, "bf16", (3, -1), strides=(-1, 1), constant=True),
        LogicalTensor(6, "f32", (2, 2), layout="any"),
        LogicalTensor(7, "s8", (2, 2), layout="opaque", layout_id=17),
        LogicalTensor(8, "s32", (2, 2), layout="undef"),
    ],
)
def test_logical_tensors_there_and_back(tensor: LogicalTensor) -> None:
    assert LogicalTensor.of(tensor.struct()) == tensor


@pytest.mark.parametrize(
    ("tensor", "told"),
    [
        (LogicalTensor(1, "s4", (2,)), "'s4' is not supported"),
        (LogicalTensor(1, "f32", (2,), layout="blocked"), "'blocked' is not supported"),
        (LogicalTensor(1, "f32", (1,) * 13), "has rank 13; oneDNN has at most 12"),
        (LogicalTensor(1, "f32", (2, 3), strides=(1,)), "has 2 sizes and 1 stride"),
    ],
)
def test_logical_tensors_that_cannot_be_told(tensor: LogicalTensor, told: str) -> None:
    with pytest.raises(AutosplitError, match=told):
        tensor.struct()


def test_strides_and_sizes() -> None:
    assert row_major((2, 3, 4)) == (12, 4, 1)
    assert row_major((2, -1, 4)) == (-1, 4, 1)
    assert row_major(()) == ()
    assert LogicalTensor(1, "f32", (2, 3)).nbytes == 24
    assert LogicalTensor(1, "u8", (2, 3), strides=(10, 1)).nbytes == 13
    assert LogicalTensor(1, "u8", (0, 3)).nbytes == 0
    with pytest.raises(AutosplitError, match="has no fixed size"):
        _ = LogicalTensor(1, "u8", (-1, 3)).nbytes


# --- numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", ["u8", "s8"])
@pytest.mark.parametrize(("inputs", "outputs", "kernel"), [(8, 4, 3), (3, 16, 1), (32, 32, 3)])
def test_numbers_of_a_convolution(inputs: int, outputs: int, kernel: int, result: str) -> None:
    case = graphs.ConvCase(1, inputs, outputs, kernel, result=result)
    for batch, size in ((1, 5), (2, 9), (3, 14)):
        x = case.activations(size, batch, size)
        assert np.array_equal(case.run(x), case.expected(x))


def test_numbers_of_full_range_weights_need_vnni() -> None:
    # Two products of 255 and 127 are more than 16 bits hold: without VNNI their sum saturates.
    case = graphs.ConvCase(2, 32, 16, 3, limit=128)
    x = case.activations(2, 1, 9)
    far = np.abs(case.run(x).astype(int) - case.expected(x).astype(int)).max()
    assert (far == 0) == library().has_vnni


def test_numbers_of_signed_activations() -> None:
    # Without VNNI the library halves weights for signed activations, and loses their last bit.
    case = graphs.ConvCase(3, 32, 16, 3, activation="s8")
    x = case.activations(3, 1, 9)
    far = np.abs(case.run(x).astype(int) - case.expected(x).astype(int)).max()
    assert far <= (0 if library().has_vnni else 32)


def test_numbers_with_channels_last() -> None:
    case = graphs.ConvCase(4)
    x = case.activations(4, 2, 7)
    channels_last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    strides = tuple(channels_last.strides)
    compiled = case.compile(x.shape, strides, dims=(2, 4, 5, 5), strides=(100, 1, 20, 4))
    call, y = case.call(compiled, channels_last)
    call()
    assert y.strides == (100, 1, 20, 4)
    assert np.array_equal(y, case.expected(x))


def test_an_open_output_becomes_channels_last() -> None:
    case = graphs.ConvCase(4)
    compiled = case.compile((2, 8, 7, 7))
    assert compiled.outputs[0].layout == "strided"
    assert compiled.outputs[0].dims == (2, 4, 5, 5)
    assert compiled.outputs[0].strides == (100, 1, 20, 4)


def test_numbers_of_a_matmul_with_vnni_or_seven_bits() -> None:
    random = np.random.default_rng(5)
    graph = graphs.Graph()
    x = random.integers(0, 256, (6, 32)).astype(np.uint8)
    w = random.integers(-64, 64, (32, 16)).astype(np.int8)
    scales = random.uniform(0.01, 0.02, 16).astype(np.float32)
    b = random.normal(size=16).astype(np.float32)
    real = graph.dequantize(graph.input("u8", x), 0.02, 100)
    weights = graph.dequantize(graph.input("s8", w, constant=True), scales, axis=1)
    bias = graph.input("f32", b, constant=True)
    y = graph.op("MatMul", [real, weights, bias], (6, 16))
    q = graph.quantize(y, 0.05, 7)
    made = graph.run(graph.only())[q.id]
    sums = (x.astype(np.int64) - 100) @ w.astype(np.int64)
    exact = sums * (np.float64(np.float32(0.02)) * scales) + b
    assert np.array_equal(made, graphs.quantized(exact, 0.05, 7))


def test_a_call_reads_its_buffers_anew_each_time() -> None:
    case = graphs.ConvCase(6)
    x = case.activations(1, 1, 6)
    call, y = case.call(case.compile(x.shape), x)
    for seed in (2, 3):
        x[:] = case.activations(seed, 1, 6)
        call()
        assert np.array_equal(y, case.expected(x))


def test_a_call_can_move_to_other_memory() -> None:
    case = graphs.ConvCase(6)
    x, other = case.activations(1, 1, 6), case.activations(2, 1, 6)
    compiled = case.compile(x.shape)
    call, y = case.call(compiled, x)
    position = [port.id for port in compiled.inputs].index(case.x_port.id)
    call.inputs[position].move(other.ctypes.data)
    call()
    assert np.array_equal(y, case.expected(other))


# --- errors ----------------------------------------------------------------------------------------------


def test_buffers_are_checked() -> None:
    case = graphs.ConvCase(7)
    x = case.activations(1, 1, 6)
    compiled = case.compile(x.shape)
    for wrong, told in (
        (x.astype(np.int8), "got an array of int8"),
        (x[:, :, :5], "got an array of shape"),
        (x.transpose(0, 1, 3, 2), "has strides"),
    ):
        with pytest.raises(AutosplitError, match=told):
            case.call(compiled, wrong)
    with pytest.raises(AutosplitError, match="has 3 inputs and 1 output, got 1 and 0 buffers"):
        compiled.bind([x], [])


def test_ports_are_checked() -> None:
    case = graphs.ConvCase(8)
    ports = case.partition.inputs
    sized = [replace(port, dims=port.dims and tuple(abs(n) for n in port.dims)) for port in ports]
    with pytest.raises(AutosplitError, match="has ports"):
        case.partition.compile(sized[:1], case.partition.outputs)
    other = [replace(sized[0], dtype="f32"), *sized[1:]]
    with pytest.raises(AutosplitError, match="got tensor"):
        case.partition.compile(other, case.partition.outputs)
    with pytest.raises(AutosplitError, match="needs known sizes"):
        case.partition.compile(ports, case.partition.outputs)


def test_ops_are_checked_when_they_are_added() -> None:
    graph = GraphBuilder(library())
    x, y = graphs.four_rows(), graphs.four_rows()
    with pytest.raises(AutosplitError, match="adding op 'Clamp' failed: invalid operation"):
        graphs.add(graph, "Clamp", [x], [y])
    with pytest.raises(AutosplitError, match=r"op 'Clamp': 'zero' is not of type f32"):
        graphs.add(graph, "Clamp", [x], [y], min="zero", max=1.0)
    with pytest.raises(AutosplitError, match="adding op 'Quantize' failed"):
        graphs.add(graph, "Quantize", [x], [y], scales=[1.0], zps=[0])
    graphs.add(graph, "ReLU", [x], [y])
    with pytest.raises(AutosplitError, match="is produced by both 'ReLU' and 'Abs'"):
        graphs.add(graph, "Abs", [x], [y])
    graph.finalize()
    with pytest.raises(AutosplitError, match="a graph that is finished"):
        graphs.add(graph, "ReLU", [y], [x])
    with pytest.raises(AutosplitError, match="policy 'best': expected fusion or debug"):
        graph.partitions("best")
    with pytest.raises(AutosplitError, match="fpmath_mode 'fast': expected one of strict"):
        GraphBuilder(library(), "fast")


def test_an_error_names_the_op_and_the_version() -> None:
    graph = GraphBuilder(library())
    with pytest.raises(AutosplitError) as raised:
        graph.add_op(graphs.kind_of("ReLU"), "the relu", [], [], [])
    assert str(raised.value).startswith(f"oneDNN {library().release}: adding op 'the relu' failed:")


# --- ids, lifetimes, threads -----------------------------------------------------------------------------


def test_ids_are_unique_over_threads() -> None:
    found: list[list[int]] = [[] for _ in range(4)]

    def take(index: int) -> None:
        found[index] = [new_id() for _ in range(5000)]

    workers = [threading.Thread(target=take, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len({i for ids in found for i in ids}) == 20000


@pytest.fixture
def destroyed(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """The addresses that were destroyed, by function, of what is made while the test runs."""
    calls: dict[str, list[int]] = {}
    dll = library().dll

    def counted(name: str) -> Any:
        real = getattr(dll, name)

        def destroy(handle: ctypes.c_void_p) -> int:
            calls.setdefault(name, []).append(handle.value or 0)
            return real(handle)

        return destroy

    for name in dnnl_api.PROTOTYPES:
        if name.endswith("_destroy"):
            monkeypatch.setattr(dll, name, counted(name), raising=False)
    return calls


def test_each_object_is_destroyed_once(destroyed: dict[str, list[int]]) -> None:
    case = graphs.ConvCase(9)
    x = case.activations(1, 1, 6)
    compiled = case.compile(x.shape)
    call, y = case.call(compiled, x)
    del case.graph, case.partition, compiled
    gc.collect()
    call()
    assert np.array_equal(y, case.expected(x))
    assert "dnnl_graph_compiled_partition_destroy" not in destroyed
    assert len(destroyed.pop("dnnl_graph_graph_destroy")) == 1
    del call
    gc.collect()
    counts = {name: len(found) for name, found in destroyed.items()}
    assert counts == {
        "dnnl_graph_op_destroy": 5,
        "dnnl_graph_partition_destroy": 1,
        "dnnl_graph_compiled_partition_destroy": 1,
        "dnnl_graph_tensor_destroy": 4,
    }
    for found in destroyed.values():
        assert all(found)


def test_a_failed_compilation_leaves_nothing(destroyed: dict[str, list[int]]) -> None:
    case = graphs.ConvCase(9)
    with pytest.raises(AutosplitError, match=r"compiling the partition of .* failed"):
        case.compile((1, 8, 6, 6), dims=(1, 4, 9, 9), strides=(324, 81, 9, 1))
    gc.collect()
    assert len(destroyed["dnnl_graph_compiled_partition_destroy"]) == 1


def memory(field: str = "VmRSS") -> int:
    """Bytes that this process has in memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(field)


def soak(runs: int) -> int:
    """Mixed shapes from 4 threads that share compiled partitions; the growth of memory in bytes."""
    cases = [graphs.ConvCase(seed, outputs=4 + seed) for seed in range(2)]
    shapes = [(1, 5), (2, 7), (1, 12), (3, 9)]
    compiled = {(c.seed, s): c.compile((s[0], 8, s[1], s[1])) for c in cases for s in shapes}
    wrong: list[str] = []
    ready, go = threading.Barrier(5), threading.Barrier(5)

    def work(index: int) -> None:
        random = np.random.default_rng(index)
        calls = []
        for case in cases:
            for shape in shapes:
                x = case.activations(index, *shape)
                call, y = case.call(compiled[case.seed, shape], x)
                calls.append((call, y, case.expected(x)))

        def run(count: int) -> None:
            for i in random.integers(0, len(calls), count):
                call, y, expected = calls[i]
                y.fill(99)
                call()
                if not np.array_equal(y, expected):
                    wrong.append(f"thread {index}, call {i}")

        run(200)
        ready.wait()
        go.wait()
        run(runs // 4)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    ready.wait()
    before = memory()
    go.wait()
    for worker in workers:
        worker.join()
    assert wrong == []
    return memory() - before


def test_four_threads_of_mixed_shapes() -> None:
    assert soak(2000) < 8 << 20


@pytest.mark.nightly
def test_four_threads_of_mixed_shapes_for_long() -> None:
    assert soak(100_000) < 8 << 20


def test_the_first_calls_of_threads_may_come_together() -> None:
    # The first call packs the weights into the constant cache.
    for seed in range(10):
        case = graphs.ConvCase(100 + seed, 32, 32)
        x = case.activations(seed, 1, 9)
        compiled, expected = case.compile(x.shape), case.expected(x)
        results: list[Any] = [None] * 4
        start = threading.Barrier(4)

        def work(index: int, case: Any, compiled: Any, x: Any, start: Any, results: Any) -> None:
            call, y = case.call(compiled, x)
            start.wait()
            call()
            results[index] = y

        arguments = (case, compiled, x, start, results)
        workers = [threading.Thread(target=work, args=(i, *arguments)) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert all(np.array_equal(y, expected) for y in results)


def test_compiling_and_dropping_in_turns_from_threads() -> None:
    # A new object often gets the address of the last: nothing may be known by addresses.
    case = graphs.ConvCase(10)
    wrong: list[int] = []

    def work(index: int) -> None:
        for turn in range(40):
            x = case.activations(turn, 1 + turn % 3, 4 + (turn * 7 + index) % 11)
            if not np.array_equal(case.run(x), case.expected(x)):
                wrong.append(turn)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_a_call_costs_little() -> None:
    # One thread: several that spin on a busy machine take a thousand times as long.
    code = """
import time
case = ConvCase(11, 8, 8, 1)
x = case.activations(1, 1, 4)
call, y = case.call(case.compile(x.shape), x)
times = []
for _ in range(20):
    start = time.perf_counter()
    for _ in range(100):
        call()
    times.append((time.perf_counter() - start) / 100)
print(min(times))
"""
    # Some 4 microseconds on an idle machine; this one need not be idle.
    assert float(child(code, OMP_NUM_THREADS="1").stdout) < 100e-6
