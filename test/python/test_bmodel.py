"""Bmodels in a process of their own: with real ones on the emulators, and with programs that behave badly."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bmodel_cases import CHIPS, SHAPE, compile_conv, expected, header_only, image
from processes import PATIENCE, runs, wait_for_end
from sampled import sample

from autosplit.core.errors import AutosplitError
from autosplit.portable.wire import to_bfloat16
from autosplit.runtime.bmodel import process as bmodel_module
from autosplit.runtime.bmodel.process import BmodelProcess, bmodel_chip, find_card
from autosplit.testing.toolchain import toolchain
from autosplit.toolchains.tpu_mlir import TpuMlir

Build = Callable[..., Path]

# How far a mode may be from float32, relative to the largest number.
CLOSE = {"F32": 1e-5, "F16": 5e-3, "BF16": 5e-2}


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles the convolution, each kind once."""
    toolchain()
    made: dict[str, Path] = {}

    def compiled(chip: str = "bm1684", mode: str | None = None, **options: Any) -> Path:
        key = f"{chip}-{mode}-{options}"
        if key not in made:
            made[key] = compile_conv(tmp_path_factory.mktemp(chip), chip, mode, **options)
        return made[key]

    return compiled


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process and no folder outlives a test."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    yield
    gc.collect()
    assert children() == []
    assert list(scratch.iterdir()) == []


def children() -> list[str]:
    """The processes that this one started and that run bmodels, zombies too."""
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        # Threads and processes may end meanwhile.
        with suppress(OSError):
            for pid in (task / "children").read_text().split():
                status = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
                if "bmodel" in status or "program" in status or not status:
                    found.append(f"{pid} {status}")
    return found


def close_to(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], mode: str) -> bool:
    return bool(np.abs(found - wanted).max() <= CLOSE[mode] * np.abs(wanted).max())


def y_of(made: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    (found,) = made.values()
    return found


# On the emulators


@pytest.mark.parametrize(("chip", "mode"), [*CHIPS.items(), ("bm1684x", "BF16"), ("bm1688", "F32")])
def test_numbers(build: Build, chip: str, mode: str):
    with BmodelProcess(build(chip, mode), chip, timeout=120) as process:
        (network,) = process.networks
        assert (network.name, network.is_dynamic) == ("net", False)
        assert [(t.name, t.dtype, t.shape) for t in network.inputs] == [("x", "float32", SHAPE)]
        (output,) = network.outputs
        # A cast at the end changes the name.
        assert output.name in ("y", "y_f32")
        assert (output.dtype, output.shape) == ("float32", (1, 4, 6, 7))
        for seed in range(3):
            made = process.run({"x": image(seed=seed)})
            assert list(made) == [output.name]
            assert y_of(made).dtype == np.float32
            assert close_to(y_of(made), expected(image(seed=seed)), mode)
        # What came back is the caller's: it can be written to, and later runs leave it alone.
        kept = y_of(made).copy()
        process.run({"x": image(seed=9)})
        np.testing.assert_array_equal(y_of(made), kept)
        y_of(made)[:] = 0


@pytest.mark.parametrize("chip", CHIPS)
def test_dynamic_shapes(build: Build, chip: str):
    with BmodelProcess(build(chip, dynamic=True), timeout=120) as process:
        assert process.networks[0].is_dynamic
        for size in ((6, 7), (4, 5), (3, 3), (6, 7)):
            x = image((1, 3, *size))
            assert close_to(y_of(process.run({"x": x})), expected(x), CHIPS[chip])
        with pytest.raises(
            AutosplitError, match=r"found shape \[1, 3, 8, 7\], at most \[1, 3, 6, 7\]"
        ):
            process.run({"x": image((1, 3, 8, 7))})


def test_arrays_that_are_not_contiguous(build: Build):
    x = image()
    with BmodelProcess(build(), timeout=120) as process:
        turned = np.asfortranarray(x)
        backwards = np.ascontiguousarray(x[..., ::-1])[..., ::-1]
        for odd in (turned, backwards, x.astype(">f4")):
            np.testing.assert_array_equal(
                y_of(process.run({"x": odd})), y_of(process.run({"x": x}))
            )


WRONG: list[tuple[Callable[[], dict[str, Any]], str]] = [
    (dict, "input 'x' of the bmodel is missing"),
    (lambda: {"x": image(), "z": image()}, "'z' is not an input of the bmodel, which has x"),
    (lambda: {"x": image().astype(np.float64)}, "found dtype float64, expected float32"),
    # As many bytes, so that nothing but the name tells.
    (lambda: {"x": image().astype(np.int32)}, "found dtype int32, expected float32"),
    (lambda: {"x": image()[:, :2]}, r"found shape \[1, 2, 6, 7\], expected \[1, 3, 6, 7\]"),
    (lambda: {"x": image((1, 3, 60, 70))}, r"found shape \[1, 3, 60, 70\]"),
    (lambda: {"x": image().ravel()}, r"found shape \[126\]"),
    (lambda: {"x": np.float32(1)}, r"found shape \[\]"),
    (lambda: {"x": image((1,) * 12)}, r"found shape \[1, 1, "),
    (lambda: {"x": np.array(["a"])}, "found dtype str"),
    (lambda: {"x": np.array([object()])}, "found dtype object"),
]


def test_wrong_feeds_never_reach_the_emulator(build: Build):
    with BmodelProcess(build(), timeout=120) as process:
        pid = process.pid
        for feeds, message in WRONG:
            with pytest.raises(AutosplitError, match=message) as caught:
                process.run(feeds())
            assert "\n" not in str(caught.value)
            assert "emulator of bm1684" in str(caught.value)
        with pytest.raises(AutosplitError, match="has no network 'other'; it has net"):
            process.run({"x": image()}, "other")
        assert close_to(y_of(process.run({"x": image()}, "net")), expected(image()), "F32")
        assert process.pid == pid


def test_int8_inputs_and_outputs_have_steps(build: Build):
    for chip in CHIPS:
        path = build(chip, "INT8", network_dtype="int8")
        with BmodelProcess(path, timeout=120) as process:
            (x,), (y,) = process.networks[0].inputs, process.networks[0].outputs
            assert (x.dtype, y.dtype, x.zero_point, y.zero_point) == ("int8", "int8", 0, 0)
            # Numbers times the input's scale are integers, integers times the output's are numbers.
            assert x.scale == pytest.approx(127 / 4.0)
            assert y.scale == pytest.approx(20.0 / 127)
            made = y_of(process.run({"x": np.rint(image() * x.scale).astype(np.int8)}))
            assert made.dtype == np.int8
            assert np.abs(made * y.scale - expected(image())).max() < 0.4


def test_a_bmodel_of_another_chip(build: Build):
    with pytest.raises(AutosplitError, match="is for bm1684, expected bm1688; convert"):
        BmodelProcess(build(), "bm1688")
    assert bmodel_chip(build("bm1684x")) == "bm1684x"


def test_cut_off_bmodels(build: Build, tmp_path: Path):
    data = build().read_bytes()
    path = tmp_path / "cut.bmodel"
    for size in (0, 3, 40, 64, 200, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(AutosplitError, match=r"cut\.bmodel: is (cut off|not a bmodel)"):
            BmodelProcess(path, timeout=60)


def test_damaged_bmodels(build: Build, tmp_path: Path):
    """Bits that are flipped end in one line or in numbers, never in a hang or a crash of this process."""
    data = build().read_bytes()
    path = tmp_path / "bad.bmodel"
    random = np.random.default_rng(0)
    described = int.from_bytes(data[8:12], "little")
    messages: list[str] = []
    for _ in range(8):
        bad = bytearray(data)
        bad[int(random.integers(64, 64 + described))] ^= 1 << int(random.integers(8))
        path.write_bytes(bad)
        try:
            with BmodelProcess(path, timeout=20) as process:
                process.run({"x": image()})
        except AutosplitError as error:
            messages.append(str(error))
    assert messages
    assert not any("\n" in message for message in messages)


MANY_RUNS = """
import os, sys
from pathlib import Path
import numpy as np
from autosplit.runtime.bmodel.process import BmodelProcess

def resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

x = np.random.default_rng(0).standard_normal((1, 3, 64, 64), np.float32)
with BmodelProcess(Path(sys.argv[1]), timeout=120) as process:
    first = process.run({"x": x})
    for _ in range(10):
        process.run({"x": x})
    before = resident(process.pid), resident(os.getpid())
    for _ in range(50):
        for name, array in process.run({"x": x}).items():
            np.testing.assert_array_equal(array, first[name])
    print(*(resident(pid) - old for pid, old in zip((process.pid, os.getpid()), before)))
"""


@pytest.mark.nightly
def test_many_runs_use_no_more_memory(build: Build):
    # In a process of its own: what other tests leave in this one moves by more than a leak would.
    command = [sys.executable, "-c", MANY_RUNS, str(build(shape=(1, 3, 64, 64)))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    emulator, own = map(int, done.stdout.split())
    # A run passes 112 KiB: what keeps that grows by 5.5 MiB. What allocators keep moves by one or two.
    assert emulator < 3 << 20
    assert own < 3 << 20


def test_two_chips_at_once(build: Build):
    with (
        BmodelProcess(build("bm1684"), timeout=120) as one,
        BmodelProcess(build("bm1684x"), timeout=120) as other,
    ):
        assert one.pid != other.pid
        for seed in range(2):
            x = image(seed=seed)
            assert close_to(y_of(one.run({"x": x})), expected(x), "F32")
            assert close_to(y_of(other.run({"x": x})), expected(x), "F16")


def test_threads_take_turns(build: Build):
    found: dict[int, Any] = {}
    with BmodelProcess(build(), timeout=120) as process:

        def work(seed: int) -> None:
            found[seed] = y_of(process.run({"x": image(seed=seed)}))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(close_to(found[seed], expected(image(seed=seed)), "F32") for seed in range(4))


def test_the_process_starts_again_after_it_was_killed(build: Build):
    with BmodelProcess(build(), timeout=120) as process:
        first = process.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        # Its threads end after it, and the process is only over with the last of them.
        running = process._child
        assert running is not None
        running.process.wait(PATIENCE)
        assert close_to(y_of(process.run({"x": image()})), expected(image()), "F32")
        assert process.pid not in (None, first)


def test_a_kill_in_the_middle_of_a_run(build: Build, monkeypatch: pytest.MonkeyPatch):
    with BmodelProcess(build("bm1684x"), timeout=120) as process:
        pid = process.pid
        assert pid is not None
        # A stopped process does not finish before.
        os.kill(pid, signal.SIGSTOP)
        pack = bmodel_module.child.pack

        def pack_and_kill(*message: Any) -> list[Any]:
            """It is known to run by then."""
            threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
            return pack(*message)

        with monkeypatch.context() as patch:
            patch.setattr(bmodel_module.child, "pack", pack_and_kill)
            with pytest.raises(AutosplitError, match=r"ended by signal SIGKILL.*run it again"):
                process.run({"x": image()})
        assert process.pid is None
        assert close_to(y_of(process.run({"x": image()})), expected(image()), "F16")


def test_a_run_that_takes_too_long(build: Build):
    with BmodelProcess(build("bm1684x"), timeout=120) as process:
        assert process.pid is not None
        # However quick the machine is.
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(AutosplitError, match=r"no answer within 0\.05 seconds.*longer timeout"):
            process.run({"x": image()}, timeout=0.05)
        assert close_to(y_of(process.run({"x": image()})), expected(image()), "F16")


FILLS = """
import ctypes, json, sys
sys.path.insert(0, sys.argv[1])
import bmodel_child as c
settings = json.loads(sys.argv[2])
runtime = c.Runtime(settings)
unit = ctypes.CDLL("libcmodel.so").get_local_memaddr_by_node
unit.restype = ctypes.c_void_p
count, size = c.UNITS[settings["chip"]]
found = {"first": ctypes.string_at(unit(0, 0), size), "last": ctypes.string_at(unit(0, count - 1), size)}
memory = c.Memory()
assert runtime.lib.bm_malloc_device_byte(runtime.device, ctypes.byref(memory), 1 << 16) == 0
data = ctypes.create_string_buffer(memory.size)
runtime.lib.bm_memcpy_d2s.argtypes = [ctypes.c_void_p, ctypes.c_char_p, c.Memory]
assert runtime.lib.bm_memcpy_d2s(runtime.device, data, memory) == 0
found["device"] = data.raw
print("FOUND", json.dumps({k: sorted(set(v)) for k, v in found.items()}), flush=True)
import os
os._exit(0)
"""


@pytest.mark.parametrize("chip", CHIPS)
def test_the_memories_are_filled(build: Build, chip: str, tmp_path: Path):
    """That of the device, as far as it is given away next, and of the first and the last computing unit."""
    child, root = bmodel_module.child, str(toolchain().root)
    links = tmp_path / "links"
    links.mkdir()
    settings = child.emulator_settings(str(build(chip)), chip, root, str(links), 90)
    done = subprocess.run(
        [sys.executable, "-c", FILLS, str(Path(child.__file__).parent), json.dumps(settings)],
        env=child.emulator_environment(root, str(links)),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.split("FOUND ")[1].splitlines()[0])
    assert found == {name: [90] for name in ("first", "last", "device")}


@pytest.mark.parametrize("chip", sample(CHIPS))
def test_numbers_do_not_depend_on_what_is_in_the_memories(build: Build, chip: str):
    made: list[bytes] = []
    for fill in (None, 0, 255, 90):
        with BmodelProcess(build(chip), timeout=120, fill=fill) as process:
            made.append(y_of(process.run({"x": image()})).tobytes())
    assert len(set(made)) == 1


def test_closing(build: Build):
    process = BmodelProcess(build(), timeout=120)
    process.close()
    process.close()
    with pytest.raises(AutosplitError, match="is closed"):
        process.run({"x": image()})
    assert children() == []


def test_what_is_not_closed_ends_with_the_object(build: Build):
    process = BmodelProcess(build(), timeout=120)
    assert len(children()) == 1
    del process


@pytest.mark.parametrize("runs_before", [0, 1, 3])
def test_the_process_ends_with_the_one_that_started_it(build: Build, runs_before: int):
    program = textwrap.dedent(
        f"""
        import numpy as np, sys
        from autosplit.runtime.bmodel.process import BmodelProcess
        process = BmodelProcess({str(build("bm1684x"))!r})
        print(process.pid, flush=True)
        while True:
            process.run({{"x": np.zeros({SHAPE}, np.float32)}})
            print(flush=True)
        """
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    for _ in range(runs_before):
        parent.stdout.readline()
    assert runs(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_for_end(pid)


# Files that are not bmodels; no tool chain is needed


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "is not a bmodel"), (b"garbage" * 99, "is not a bmodel: it starts with b'garb'")],
)
def test_garbage(tmp_path: Path, data: bytes, message: str):
    path = tmp_path / "garbage.bmodel"
    path.write_bytes(data)
    with pytest.raises(AutosplitError, match=message):
        BmodelProcess(path)


def test_missing_files(tmp_path: Path):
    with pytest.raises(AutosplitError, match=r"gone\.bmodel: cannot be read: No such file"):
        BmodelProcess(tmp_path / "gone.bmodel")
    with pytest.raises(AutosplitError, match="cannot be read: Is a directory"):
        BmodelProcess(tmp_path)


def test_headers_that_lead_astray(tmp_path: Path):
    good = header_only(tmp_path / "a.bmodel").read_bytes()
    assert bmodel_chip(tmp_path / "a.bmodel") == "bm1684"
    messages: list[str] = []
    for place in range(64, len(good)):
        for value in (0, 0x7F, 0x80, 0xFF):
            data = bytearray(good)
            data[place] = value
            (tmp_path / "b.bmodel").write_bytes(data)
            try:
                bmodel_chip(tmp_path / "b.bmodel")
            except AutosplitError as error:
                messages.append(str(error))
    assert len(messages) > 20
    assert not any("\n" in message for message in messages)


def test_code_for_this_machine_is_never_loaded(tmp_path: Path):
    """The runtime would put the library into a file and load it."""
    path = header_only(tmp_path / "code.bmodel", code=1000)
    with pytest.raises(AutosplitError, match="holds a library to be executed on this machine"):
        BmodelProcess(path)


def test_a_chip_that_has_no_emulator(tmp_path: Path):
    root = TpuMlir(tmp_path, "1")
    # The name in the file is not a path.
    (tmp_path / "lib" / "libcmodel_..").mkdir(parents=True)
    (tmp_path / "lib" / "etc").mkdir()
    (tmp_path / "lib" / "etc" / "x.so").touch()
    assert (tmp_path / "lib" / "libcmodel_../../etc/x.so").is_file()
    for chip in ("BM1682", "../../etc/x"):
        path = header_only(tmp_path / "a.bmodel", chip)
        with pytest.raises(AutosplitError, match="has no emulator of"):
            BmodelProcess(path, None, root)


# A program in place of the one that runs bmodels


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., BmodelProcess]:
    """Starts a program whose `answer(header, tensors)` is given."""
    lib = tmp_path / "root" / "lib"
    lib.mkdir(parents=True)
    for name in ("libcmodel_bm1684.so", "libbmlib.so.0", "libbmrt.so"):
        (lib / name).touch()
    path = header_only(tmp_path / "fake.bmodel")

    def start(body: str, timeout: float = 20.0, **options: Any) -> BmodelProcess:
        program = tmp_path / "program.py"
        child = Path(bmodel_module.child.__file__)
        program.write_text(
            f"import os, sys, time, signal; sys.path.insert(0, {str(child.parent)!r})\n"
            "import bmodel_child as c\n"
            "read, write = os.fdopen(0, 'rb'), os.fdopen(1, 'wb')\n"
            "X = {'name': 'x', 'dtype': 'float32', 'scale': 1, 'zero_point': 0, 'shapes': [[2]]}\n"
            "def send(header, tensors=[]):\n"
            "    write.write(b''.join(c.pack(header, tensors))); write.flush()\n"
            "def receive(size):\n"
            "    data = read.read(size)\n"
            "    return data if len(data) == size else os._exit(0)\n"
            "first, _ = c.unpack(receive)\n" + textwrap.dedent(body)
        )
        monkeypatch.setattr(bmodel_module, "PROGRAM", program)
        return BmodelProcess(path, None, TpuMlir(tmp_path / "root", "1"), timeout, **options)

    return start


HELLO = """
send({"networks": [{"name": "n", "is_dynamic": False, "inputs": [X], "outputs": [X]}]})
"""
ECHO = """
while True:
    header, data = c.unpack(receive)
    send({"tensors": header["tensors"]}, data)
"""
TWO = np.array([1, 2], np.float32)


def test_a_fake_answers(fake: Callable[..., BmodelProcess]):
    with fake(HELLO + ECHO) as process:
        for _ in range(300):
            np.testing.assert_array_equal(process.run({"x": TWO})["x"], TWO)


def test_large_tensors(fake: Callable[..., BmodelProcess]):
    values = np.random.default_rng(0).standard_normal((1 << 21) + 3).astype(np.float32)
    with fake(HELLO + ECHO) as process:
        for _ in range(3):
            np.testing.assert_array_equal(process.run({"x": values})["x"], values)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("os._exit(7)", "ended with code 7; run it again, or with mode 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "ended by signal SIGSEGV"),
        (
            "sys.stderr.write('first\\ncause\\nlib.so(+0x12) [0x7f]\\n'); sys.stderr.flush(); os._exit(1)",
            r"with code 1 \(it said last: first \| cause\)",
        ),
        ("os.write(1, b'\\x05'); os._exit(0)", "ended with code 0"),
        ("time.sleep(999)", "no answer within 1 seconds"),
        ("os.close(0); time.sleep(999)", "no answer within 1 seconds"),
        ("send({'error': 'no such thing', 'failed': True})", r"fake\.bmodel .*: no such thing"),
    ],
)
def test_programs_that_do_not_start(fake: Callable[..., BmodelProcess], body: str, message: str):
    start = time.monotonic()
    with pytest.raises(AutosplitError, match=message) as caught:
        fake(body, timeout=1.0 if "sleep" in body else PATIENCE)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - start < PATIENCE


def test_a_run_that_hangs(fake: Callable[..., BmodelProcess]):
    process = fake(HELLO + "time.sleep(999)", timeout=PATIENCE)
    with pytest.raises(AutosplitError, match=r"no answer within 0\.2 seconds"):
        process.run({"x": TWO}, timeout=0.2)
    assert process.pid is None
    assert children() == []


def test_large_feeds_to_a_program_that_does_not_read(fake: Callable[..., BmodelProcess]):
    process = fake(HELLO + "time.sleep(999)", timeout=PATIENCE)
    with pytest.raises(AutosplitError, match="no answer within"):
        process.run({"x": np.zeros(1 << 22, np.float32)}, timeout=0.5)


def test_programs_that_print_much(fake: Callable[..., BmodelProcess]):
    body = HELLO + "os.write(2, b'x' * (1 << 22))\nsys.stderr.write('\\nlast\\n')\n" + ECHO
    with fake(body) as process:
        np.testing.assert_array_equal(process.run({"x": TWO})["x"], TWO)


def test_a_failed_run_ends_the_process(fake: Callable[..., BmodelProcess]):
    body = """
    c.unpack(receive)
    sys.stderr.write("the cause"); sys.stderr.flush()
    send({"error": "failed to run", "failed": True})
    time.sleep(999)
    """
    process = fake(HELLO + textwrap.dedent(body))
    with pytest.raises(AutosplitError, match=r"failed to run \(it said last: the cause\)"):
        process.run({"x": TWO})
    assert process.pid is None


def test_an_interrupt_ends_the_process(
    fake: Callable[..., BmodelProcess], monkeypatch: pytest.MonkeyPatch
):
    # Once the request has come, this process is at waiting for the answer.
    body = "c.unpack(receive); os.kill(os.getppid(), signal.SIGINT); time.sleep(999)"
    process = fake(HELLO + body)
    with pytest.raises(KeyboardInterrupt):
        process.run({"x": TWO})
    assert process.pid is None


def test_the_environment_and_the_library_folder(fake: Callable[..., BmodelProcess], tmp_path: Path):
    body = """
    links = {n: os.readlink(os.path.join(first["scratch"], n)) for n in os.listdir(first["scratch"])}
    import json
    open(OUT, "w").write(json.dumps([first, links, dict(os.environ), os.getcwd()]))
    """
    out = tmp_path / "seen.json"
    with fake(f"OUT = {str(out)!r}\n" + textwrap.dedent(body) + HELLO + ECHO):
        first, links, environment, folder = json.loads(out.read_text())
        lib = tmp_path / "root" / "lib"
        assert links == {
            "libcmodel.so": str(lib / "libcmodel_bm1684.so"),
            "libbmlib.so.0": str(lib / "libbmlib.so.0"),
        }
        searched = environment["LD_LIBRARY_PATH"].split(":")
        assert searched[0] == first["scratch"]
        assert searched.index(str(lib)) < searched.index(str(lib / "third_party"))
        assert (Path(searched[1]) / "libc.so.6").exists()
        assert "" not in searched
        assert folder == "/"
        assert (first["emulator"], first["library"]) == (True, str(lib / "libbmrt.so"))
        assert not Path(first["scratch"]).exists()


@pytest.mark.parametrize("where", ["load", "run"])
def test_nobody_waits_for_the_answer(tmp_path: Path, where: str):
    """The process ends in the middle of its work when the other side is gone, and leaves no folder."""
    scratch = tmp_path / "links"
    scratch.mkdir()
    child = bmodel_module.child
    (tmp_path / "program.py").write_text(
        f"import sys, time; sys.path.insert(0, {str(Path(child.__file__).parent)!r})\n"
        "import bmodel_child as c\n"
        "class Runtime:\n"
        "    networks = []\n"
        "    def __init__(self, settings): hang('load')\n"
        "    def run(self, header, tensors): hang('run')\n"
        "def hang(where):\n"
        f"    if where == {where!r}: print('here', file=sys.stderr, flush=True); time.sleep(999)\n"
        "c.Runtime = Runtime\n"
        "c.main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "program.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        first, second = child.pack({"scratch": str(scratch)}, []), child.pack({"tensors": []}, [])
        process.stdin.write(b"".join([*first, *second]))
        process.stdin.flush()
        assert process.stderr.readline() == b"here\n"
        assert scratch.exists() == (where == "load")
        assert process.poll() is None
        process.stdout.close()
        assert process.wait(PATIENCE) == 1
        assert not scratch.exists()
    finally:
        process.kill()
        process.communicate()


def test_bytes_that_do_not_fill_the_shape():
    """The libraries would read past them."""
    tensor = {"name": "x", "dtype": "float32", "shapes": [[2, 3]]}
    network = {"name": "n", "is_dynamic": False, "inputs": [tensor], "outputs": []}
    feed: dict[str, Any] = {"name": "x", "dtype": "float32", "shape": [2, 3]}
    assert bmodel_module.child.check_feeds(network, [{**feed, "data": bytes(24)}]) == 0
    for size in (0, 23, 25):
        with pytest.raises(bmodel_module.child.BmodelError, match="do not agree"):
            bmodel_module.child.check_feeds(network, [{**feed, "data": bytes(size)}])


# Cards, which no test has


def test_a_card_runs_with_the_drivers_library(
    fake: Callable[..., BmodelProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    driver = tmp_path / "driver" / "libbmrt.so"
    driver.parent.mkdir()
    driver.touch()
    monkeypatch.setattr(bmodel_module, "DRIVER", driver)
    monkeypatch.setattr(bmodel_module, "CARD", tmp_path / "bm-sophon0")
    assert find_card() is None
    (tmp_path / "bm-sophon0").touch()
    assert find_card() == 0
    out = tmp_path / "seen.json"
    body = f"import json; open({str(out)!r}, 'w').write(json.dumps([first, dict(os.environ)]))\n"
    with fake(body + HELLO + ECHO, card=0) as process:
        np.testing.assert_array_equal(process.run({"x": TWO})["x"], TWO)
    first, environment = json.loads(out.read_text())
    assert (first["library"], first["emulator"], first["device"]) == (str(driver), False, 0)
    assert environment["LD_LIBRARY_PATH"].split(":")[0] == str(driver.parent)
    with pytest.raises(AutosplitError, match=r"\(card 0\): the process ended with code 3"):
        fake("os._exit(3)", card=0)


def test_a_card_without_its_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bmodel_module, "DRIVER", tmp_path / "none")
    monkeypatch.setattr(bmodel_module, "find_library", lambda name: None)
    monkeypatch.setattr(bmodel_module, "CARD", tmp_path)
    assert find_card() is None
    with pytest.raises(AutosplitError, match="no libbmrt of a card's driver"):
        BmodelProcess(header_only(tmp_path / "a.bmodel"), card=0)


def test_bfloat16():
    values = np.array([1.0, -2.5, 1.00390625, 1.01171875, 3.4e38, np.inf, np.nan], np.float32)
    wide = (to_bfloat16(values).astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(wide, np.float32([1, -2.5, 1, 1.015625, np.inf, np.inf, np.nan]))
