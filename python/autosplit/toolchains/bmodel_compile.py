"""Compiles a Top module to a bmodel with TPU-MLIR, and checks what came out.

Standard library only, Python 3.8 or later: this text is also the body of the compile scripts, which run
where autosplit is not installed.
"""

from __future__ import annotations

import _thread
import argparse
import array
import ast
import ctypes
import fcntl
import functools
import glob
import hashlib
import importlib.metadata
import json
import math
import os
import platform
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import types
import zipfile
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypedDict

TPU_MLIR_VERSION = "1.30.2"
"""The release that everything was measured with."""
UNKNOWN = "unknown"
"""Stands for the release of a tool chain that does not say which it is."""

VARIABLE = "AUTOSPLIT_TPU_MLIR"
"""Names the TPU-MLIR to use: its folder `tpu_mlir`, one that holds it, or a virtual environment."""

BMODEL = "compilation.bmodel"
RECORD = "compilation.json"
LOG = "compile.log"
WORK = ".compile"
"""Where the steps run, inside the sub-model's folder; removed at the end."""
OPTIMIZED = ".optimized"
"""Holds what the first step made, where that was done before, inside the sub-model's folder."""
INPUTS, OUTPUTS = "input_ref_data.npz", "output_ref_data.npz"
"""Reference inputs and outputs for a comparison, by the network's names, in the sub-model's folder."""

MODES = {
    "bm1684": ("F32", "INT8"),
    "bm1684x": ("F32", "F16", "BF16", "INT8"),
    "bm1688": ("F32", "F16", "BF16", "INT8"),
}
"""The chips, and what each computes in."""

OLDEST_GLIBC = (2, 34)
"""What the tools need of the system."""

TIMEOUT = 7200.0
"""Seconds that one step may take, unless the settings say otherwise."""

TAIL = 1 << 20
"""Bytes at the end of a step's output in which the cause of its failure is looked for."""

EMULATOR = ""
"""The program that runs a bmodel, `autosplit.toolchains.bmodel_child`; compile scripts have it here."""


class NamedPort(TypedDict):
    """What each input and output has."""

    name: str
    """What the network calls it: the location of its value in the module."""
    shape: Sequence[int]
    """The largest sizes, where they vary."""


class Port(NamedPort, total=False):
    """An input or output."""

    tensor: str
    """What the folder calls it; the same if left out."""
    dtype: str
    """What the folder holds it as; float32 if left out."""
    network_dtype: str
    """What the network takes or gives: int8, uint8 or float32; if left out, float32 or int32."""
    step: float
    """Where the folder's integers stand for real numbers: what 1 stands for. Noted in the record only."""
    zero_point: int
    """Which of these integers stands for 0; noted likewise."""
    reason: str
    """Why such a value crosses as float32; noted likewise."""
    network_step: float
    """What 1 of the network's integers stands for, at the model's own ends; noted likewise."""
    network_zero_point: int
    """Which of the network's integers stands for 0 there; noted likewise."""
    raw: Mapping[str, Any] | None
    """Where the network is to take the bytes of pictures: what it makes of them. The module says that too, of
    it only the order of channels that are given is used here."""


class Tolerance(TypedDict):
    """How far an output may be from its reference."""

    cosine: float
    relative: float
    """The largest difference, as a share of the largest magnitude of the reference."""


class Job(TypedDict):
    """What to compile. Files are names in the sub-model's folder."""

    mlir: str
    weights: str
    chip: str
    mode: str
    net: str
    """What the network is called in the bmodel: the module's own name."""


class Build(TypedDict, total=False):
    """What is asked of the tool chain beside the chip and the mode."""

    cores: int
    """How many cores work on a run; 1 if left out."""
    weight_bits: int
    """How many bits a number of the weights of products of matrices has, 8 or 4, where the mode computes in
    F16. If left out, as many as the mode."""
    asymmetric: bool
    """Whether ranges in INT8 need not have 0 in their middle."""


class Settings(Job, total=False):
    """What to compile, and how."""

    context_dir: str
    """The sub-model's folder, beside the script."""
    calibration_table: str | None
    """For INT8: its file."""
    quantize_table: str | None
    """The file that says which values are computed in another mode."""
    dynamic: bool
    """Whether sizes may be smaller at run time."""
    optimize: int
    """1: layers in groups as large as can be; 2 (default) and 3: groups chosen by their cost."""
    build: Build
    inputs: Sequence[Port]
    """In the network's order. Where they are left out, they are not checked."""
    outputs: Sequence[Port]
    data: str
    """A digest of what the calibration table was made from."""
    in_f32: Sequence[str]
    """What is computed in f32 although the mode is a narrower one, and why. Noted in the record only."""
    tolerance: Tolerance
    """For a comparison."""
    timeout: float
    record: bool
    """Whether to write compilation.json."""
    keep: bool
    """Whether the files between the steps stay."""
    optimized: bool
    """Whether the first step was done before; its files are then moved out of the folder `OPTIMIZED`."""


class CompileError(Exception):
    """The compilation failed; the text is one line.

    `step` says where (empty outside of the tool chain's steps), `cause` is the tool's own message, `names`
    are the values that it names, `log` is the file with everything.
    """

    def __init__(
        self,
        message: str,
        step: str = "",
        cause: str = "",
        names: Sequence[str] = (),
        log: str = "",
    ):
        super().__init__(message)
        self.step = step
        self.cause = cause
        self.names = tuple(names)
        self.log = log


@dataclass(frozen=True)
class Step:
    """A step that was done."""

    name: str
    seconds: float


@dataclass(frozen=True)
class Measured:
    """How far an output of the emulator was from its reference."""

    cosine: float
    maximum: float
    relative: float


@dataclass(frozen=True)
class Compiled:
    """What a compilation gave."""

    bmodel: str
    steps: tuple[Step, ...]
    comparison: Mapping[str, Measured]
    """By the folder's names of the outputs; empty where nothing was compared."""

    @property
    def seconds(self) -> float:
        """What all steps took together."""
        return sum(step.seconds for step in self.steps)


# The tool chain


def find_toolchain(named: str | None = None) -> str:
    """The folder `tpu_mlir` of the tool chain to use; CompileError where there is none.

    That is `named`, or what AUTOSPLIT_TPU_MLIR names, or the user's own, or an installed package.
    """
    folder = named or os.environ.get(VARIABLE)
    if folder:
        root = toolchain_in(folder)
        if root is None:
            by = "" if named else f"{VARIABLE} names "
            raise CompileError(
                f"{by}{folder}: there is no TPU-MLIR; expected a folder with tpu_mlir/bin/tpuc-opt in it"
            )
    else:
        root = toolchain_in(user_folder()) or _installed()
    if root is None:
        raise CompileError(
            f"TPU-MLIR was not found: `autosplit toolchain install tpu-mlir` sets it up in {user_folder()};"
            f" without autosplit: python3 -m pip install --no-deps --ignore-requires-python"
            f" --target DIR tpu-mlir=={TPU_MLIR_VERSION}, and set {VARIABLE} to DIR"
        )
    for tool in ("tpuc-opt", "model_tool"):
        path = os.path.join(root, "bin", tool)
        if not os.path.isfile(path):
            raise CompileError(f"{root}: this TPU-MLIR is not complete: bin/{tool} is missing")
        if not os.access(path, os.X_OK):
            raise CompileError(f"{path}: may not be executed; chmod +x {shlex.quote(path)}")
    return root


def toolchain_in(folder: str) -> str | None:
    """The folder `tpu_mlir` that `folder` is or holds, also as a virtual environment's package."""
    folder = os.path.abspath(os.path.expanduser(folder))
    packages = os.path.join(glob.escape(folder), "lib", "python3*", "site-packages")
    # The folder itself comes last: beside a package lie wrappers of the same names, in bin.
    places = [os.path.join(f, "tpu_mlir") for f in [folder, *sorted(glob.glob(packages))]]
    for place in [*places, folder]:
        if os.path.isfile(os.path.join(place, "bin", "tpuc-opt")):
            return place
    return None


def user_folder() -> str:
    """Where `autosplit toolchain install tpu-mlir` puts it."""
    return os.path.join(data_folder(), f"tpu-mlir-{TPU_MLIR_VERSION}")


def data_folder() -> str:
    """Where tool chains of the user's own are."""
    data = os.environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):
        data = os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, "autosplit")


def _installed() -> str | None:
    # This loads the library for mail, and is rarely needed.
    try:
        package = importlib.metadata.distribution("tpu-mlir")
    except importlib.metadata.PackageNotFoundError:
        return None
    return toolchain_in(str(package.locate_file("")))


def toolchain_version(root: str) -> str:
    """The release of the tool chain in `root`, or UNKNOWN."""
    beside = os.path.join(glob.escape(os.path.dirname(root)), "tpu_mlir-*.dist-info")
    versions = [
        os.path.basename(path)[len("tpu_mlir-") : -len(".dist-info")] for path in glob.glob(beside)
    ]
    return versions[0] if len(versions) == 1 else UNKNOWN


def system_library_folder() -> str:
    """The folder of this system's C library; CompileError where it is not one that the tools run on."""
    here = f"{sys.platform} on {platform.machine()}"
    if here != "linux on x86_64":
        raise CompileError(f"TPU-MLIR runs on Linux on x86_64 only; this is {here}")
    version = re.fullmatch(r"glibc (\d+)\.(\d+).*", _libc_version())
    if version and (int(version[1]), int(version[2])) < OLDEST_GLIBC:
        raise CompileError(
            f"TPU-MLIR needs the GNU C library {'.'.join(map(str, OLDEST_GLIBC))} or later; this system has"
            f" {_libc_version()}"
        )
    # The loader and its C library come as one: what lies beside the loader fits it.
    for library in [os.path.realpath("/lib64/ld-linux-x86-64.so.2"), *_mapped_libraries()]:
        folder = os.path.dirname(library)
        if os.path.isfile(os.path.join(folder, "libc.so.6")):
            return folder
    raise CompileError("TPU-MLIR needs the GNU C library, which this system does not have")


def _libc_version() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):
        return ""


def _mapped_libraries() -> list[str]:
    """The C libraries in this process."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = {line.split(None, 5)[-1].strip() for line in maps}
    except OSError:
        return []
    return sorted(p for p in paths if os.path.basename(p).startswith(("libc.so.6", "libc-2.")))


def environment(root: str) -> dict[str, str]:
    """The environment in which the tools of the `tpu_mlir` folder `root` run."""
    # The package brings the C library of another system, which crashes under this system's loader. Only that
    # one is replaced: other libraries of this system may be older than what the tools need.
    system = system_library_folder()
    replaced = [os.path.join(system, n) for n in ("libc.so.6", "libm.so.6", "libpthread.so.0")]
    lib = os.path.join(root, "lib")
    env = {k: os.environ[k] for k in ("PATH", "TMPDIR", "OMP_NUM_THREADS") if k in os.environ}
    env["LC_ALL"] = "C"
    env["TPUC_ROOT"] = root
    # HOME, PWD and PPL_PROJECT_ROOT stay out: with them kernels that would be compiled on demand fail, and
    # the bmodel is made all the same and wrong; without them the step ends with an error.
    # Naming the frames of a crash takes seconds, and they say nothing to a user.
    env["LLVM_DISABLE_SYMBOLIZATION"] = "1"
    env["LD_PRELOAD"] = ":".join(path for path in replaced if os.path.isfile(path))
    env["LD_LIBRARY_PATH"] = f"{lib}:{os.path.join(lib, 'third_party')}"
    return env


SET = {"MALLOC_PERTURB_": "1"}
"""Has glibc hand out memory that is not 0: 4.4 GB of it in the last step for bm1684, which takes seconds."""

_SHOWN = ("TPUC_ROOT", "LD_PRELOAD", "LD_LIBRARY_PATH")
"""The variables of the environment that matter, and are in the log."""


# The steps


GROUP = 64
"""How many narrow weights share a scale. TPU-MLIR 1.30.2 computes something else without groups."""

OPTIMIZE = ("--struct-optimize", "--shape-infer", "--canonicalize", "--extra-optimize")
"""What the first step does."""
FIRST = "top.mlir"
"""What it makes, beside an archive of weights."""

_SOURCE = "source.mlir"
"""What the module's file is called where the steps run."""


def steps(tool: str, settings: Settings) -> list[tuple[str, str, list[str]]]:
    """Of each step the name, the file that it makes and the command.

    Each is a process of its own: done in one, the code for bm1684 computes zeros without an error.
    """
    chip, mode, build = settings["chip"], settings["mode"], settings.get("build", {})
    asymmetric, bits = bool(build.get("asymmetric")), build.get("weight_bits", 0)
    their_mode = f"W{bits}{mode}" if bits else mode
    lower = [
        f"--processor-assign=chip={chip} mode={their_mode} num_device=1 num_core={build.get('cores', 1)}"
        " addr_mode=auto high_precision=False"
    ]
    mixed = "qtable=quantize " if settings.get("quantize_table") else ""
    if mode == "INT8":
        lower.append(f"--import-calibration-table=file=calibration asymmetric={asymmetric}")
    lower += [
        "--processor-top-optimize",
        *_fused_preprocessing(settings),
        f"--convert-top-to-tpu={mixed}weightFileName=tpu_weights.npz asymmetric={asymmetric}"
        f" doWinograd=False q_group_size={GROUP if bits else 0} q_symmetric=False matmul_perchannel=False"
        " gelu_mode=normal",
        "--canonicalize",
        "--weight-fold",
    ]
    quantized_in, quantized_out = (_quantized(settings.get(k, ())) for k in ("inputs", "outputs"))
    schedule = [
        "--mlir-disable-threading",
        f"--strip-io-quant=quant_input={bool(quantized_in)} quant_output={bool(quantized_out)}"
        f" quant_input_list={quantized_in} quant_output_list={quantized_out}"
        " quant_output_bf16=False quant_input_int8=False quant_output_int8=False",
        "--processor-tpu-optimize",
        "--dev-parallel",
        "--weight-reorder",
        f"--subnet-divide=dynamic={bool(settings.get('dynamic'))}",
        "--op-reorder",
        "--topo-sort",
        f"--layer-group=opt={settings.get('optimize', 2)} group_by_cores=auto compress_mode=none",
        "--affine-opt",
        "--core-parallel",
        "--after-layergroup-weight-reorder",
        "--address-assign",
    ]
    # Beside the bmodel files then say what it costs, and the mode of bm1684's is never 0: see `clear_mode`.
    generate = (
        f"--codegen=model_file={BMODEL} embed_debug_info=False model_version=latest bmodel_only=False"
        " gdma_check=False"
    )
    return [
        ("optimize", FIRST, [tool, _SOURCE, *OPTIMIZE, "-o", FIRST]),
        ("lower", "tpu.mlir", [tool, FIRST, *lower, "-o", "tpu.mlir"]),
        ("schedule", "final.mlir", [tool, "tpu.mlir", *schedule, "-o", "final.mlir"]),
        ("generate", BMODEL, [tool, "final.mlir", generate, "-o", os.devnull]),
    ]


RECIPE = 4
"""Counts changes of what is done to a bmodel that stands in no command: `environment`, `remove_clock`,
`clear_mode`, `open_reshapes`."""


def recipe(settings: Settings) -> str:
    """A digest of all that is done to the files of a compilation, which another release may do otherwise."""
    commands = [command for _, _, command in steps("tpuc-opt", settings)]
    return hashlib.sha256(json.dumps([RECIPE, commands]).encode()).hexdigest()


def _fused_preprocessing(settings: Settings) -> list[str]:
    """The option that has the network begin with the bytes of pictures, if an input takes them."""
    orders = {raw["given"] for port in settings.get("inputs", ()) if (raw := port.get("raw"))}
    return [
        f"--fuse-preprocess=mode={settings['mode']} customization_format={order.upper()}_PACKED align=False"
        for order in sorted(orders)
    ]


def _quantized(ports: Sequence[Port]) -> str:
    """The places, from 1, of the ports that the network holds as 8-bit integers of its own."""
    dtypes = [None if port.get("raw") else port.get("network_dtype") for port in ports]
    return ",".join(str(i + 1) for i, dtype in enumerate(dtypes) if dtype in ("int8", "uint8"))


def compile_top(
    settings: Settings,
    folder: str | os.PathLike[str],
    root: str | os.PathLike[str] | None = None,
    say: Callable[[str], None] = print,
    compare: bool = False,
) -> Compiled:
    """Compiles the module in `folder` to `compilation.bmodel` there; CompileError where that fails.

    `root`: the tool chain's folder `tpu_mlir`, found where it is not given. `say` takes a line for each step.
    `compare`: run the bmodel on the chip's emulator too, on the reference inputs in `folder`, and fail where
    the outputs are too far from the references there. Where it fails, no bmodel is left, and compile.log
    says more.
    """
    folder, root = os.fspath(folder), find_toolchain() if root is None else os.fspath(root)
    check_settings(settings)
    if not os.path.isdir(folder):
        raise CompileError(f"{folder}: there is no such folder; expected {settings['mlir']} in it")
    try:
        with _locked(folder):
            return _compile_fresh(settings, folder, root, say, compare)
    except BrokenPipeError:
        # Nobody listens to `say`.
        raise
    except OSError as e:
        raise CompileError(f"{folder}: cannot be compiled in: {e}") from e


def _compile_fresh(
    settings: Settings, folder: str, root: str, say: Callable[[str], None], compare: bool
) -> Compiled:
    for name in (INPUTS, OUTPUTS) if compare else ():
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            raise CompileError(f"{path}: is missing; `autosplit convert --compare` writes it")
    work = os.path.join(folder, WORK)
    # Whatever happens from here on, nothing of an earlier compilation must seem to be of this one.
    for stale in (BMODEL, RECORD, LOG, WORK):
        _remove(os.path.join(folder, stale))
    check_sources(settings, folder)
    os.mkdir(work)
    try:
        return _compile(settings, folder, root, say, compare)
    finally:
        if not settings.get("keep"):
            _remove(work)


def _compile(
    settings: Settings, folder: str, root: str, say: Callable[[str], None], compare: bool
) -> Compiled:
    work, log_path = os.path.join(folder, WORK), os.path.join(folder, LOG)
    link_sources(settings, folder, work)
    # Hundreds of megabytes may have to be read for these: it is done while the first step runs.
    names = source_names(settings) if settings.get("record") else []
    sources = {name: Digest(os.path.join(folder, name)) for name in names}
    env = environment(root)
    timeout = settings.get("timeout", TIMEOUT)
    version = toolchain_version(root)
    with open(log_path, "xb") as log:
        log.write(f"TPU-MLIR {version}, {settings['chip']}, {settings['mode']}\n".encode())
        set_to = " ".join(f"{name}={shlex.quote(env[name])}" for name in _SHOWN)
        log.write(f"{set_to}\n".encode("utf-8", "surrogateescape"))
        done = _run_steps(settings, work, root, env, log, say)
        command = [os.path.join(root, "bin", "model_tool"), "--info", BMODEL]
        step, text = _run_step("check", "the check of the bmodel", command, work, env, timeout, log)
        done.append(step)
        problem = bmodel_problem(text, settings)
        if problem:
            raise CompileError(
                f"the bmodel is not what was asked for: {problem}", "check", problem, (), log_path
            )
        comparison: dict[str, Measured] = {}
        if compare:
            start = time.monotonic()
            comparison = compare_outputs(
                settings, folder, os.path.join(work, BMODEL), root, log, say
            )
            done.append(Step("compare", time.monotonic() - start))
    if settings.get("record"):
        bmodel = Digest(os.path.join(work, BMODEL))
        if not settings.get("keep"):
            # Removing large files takes as long as reading one.
            for name in set(os.listdir(work)) - {BMODEL}:
                _remove(os.path.join(work, name))
        digests = {name: digest.result() for name, digest in sources.items()}
        _write_record(settings, folder, version, digests, bmodel.result(), comparison)
    for file in (BMODEL, RECORD):
        if os.path.exists(os.path.join(work, file)):
            os.replace(os.path.join(work, file), os.path.join(folder, file))
    return Compiled(os.path.join(folder, BMODEL), tuple(done), comparison)


def _run_steps(
    settings: Settings,
    work: str,
    root: str,
    env: dict[str, str],
    log: IO[bytes],
    say: Callable[[str], None],
) -> list[Step]:
    """Runs the steps that make the bmodel, and checks what each of them wrote."""
    timeout = settings.get("timeout", TIMEOUT)
    done: list[Step] = []
    todo = steps(os.path.join(root, "bin", "tpuc-opt"), settings)
    for i, (name, output, command) in enumerate(todo):
        if i == 0 and settings.get("optimized"):
            _take_optimized(os.path.dirname(work), work, log)
            continue
        what = f"step {i + 1} of {len(todo)} ({name})"
        step, _ = _run_step(name, what, command, work, env, timeout, log)
        if not _is_filled(os.path.join(work, output)):
            raise CompileError(
                f"{what} of TPU-MLIR ended without an error, but wrote no {output}; see {log.name}",
                name, f"wrote no {output}", (), log.name,
            )  # fmt: skip
        unset = output == BMODEL and settings["chip"] == "bm1684"
        if unset and not clear_mode(os.path.join(work, output)):
            step, _ = _run_step(name, what, command, work, {**env, **SET}, timeout, log)
            clear_mode(os.path.join(work, output))
        done.append(step)
        say(f"  {name:10} {step.seconds:8.1f} s")
    remove_clock(os.path.join(work, BMODEL))
    if settings["chip"] == "bm1684" and settings.get("dynamic"):
        left = open_reshapes(os.path.join(work, "final.mlir"), os.path.join(work, BMODEL))
        if left:
            raise CompileError(
                f"step 4 of {len(todo)} (generate) of TPU-MLIR wrote {left} in another way than "
                f"expected; see {log.name}",
                "generate", f"wrote {left} in another way", (), log.name,
            )  # fmt: skip
    return done


def _take_optimized(folder: str, work: str, log: IO[bytes]) -> None:
    """Moves the earlier results of the first step to where the other steps look for them."""
    source = os.path.join(folder, OPTIMIZED)
    for name in sorted(os.listdir(source)):
        os.replace(os.path.join(source, name), os.path.join(work, name))
    os.rmdir(source)
    log.write(b"\n[optimize: was done for the calibration]\n")
    log.flush()


def remove_clock(bmodel: str) -> None:
    """Puts the epoch in place of the time at which a bmodel was made: the same input gives the same bytes."""
    with open(bmodel, "r+b") as file:
        head = file.read(12)
        if len(head) < 12 or head[:4] != b"\xee\xaa\x55\xff":
            return
        start, described = struct.unpack_from("<2I", head, 4)
        file.seek(start)
        clock = _CLOCK.search(file.read(described))
        if clock:
            file.seek(start + clock.start())
            file.write(b"Thu Jan  1 00:00:00 1970\n")


def clear_mode(bmodel: str) -> bool:
    """Puts 0 for the mode of a bmodel's kernel module, so that the same input gives the same bytes.

    For bm1684, tpuc-opt 1.30.2 never sets it, and writes what the memory held before: where it lists files
    beside the bmodel, half of an address. Where that is 0, it leaves the number out, and all that follows
    lies elsewhere: False is returned. Programs of dynamic networks have padding that comes from the stack,
    three bytes a group of layers, which stays arbitrary.
    """
    with open(bmodel, "r+b") as file:
        head = file.read(12)
        if len(head) < 12 or head[:4] != b"\xee\xaa\x55\xff":
            return True
        start, described = struct.unpack_from("<2I", head, 4)
        file.seek(start)
        data = file.read(described)
        # A FlatBuffer: of `Model` field 6 is `kernel_module`, of which field 2 is `mode`.
        (model,) = struct.unpack_from("<I", data)
        place = _field(data, model, 6)
        if not place:
            return True
        place = _field(data, place + struct.unpack_from("<I", data, place)[0], 2)
        if not place:
            return False
        file.seek(start + place)
        file.write(bytes(4))
        return True


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a table of a FlatBuffer lies; 0 where it is left out."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, fields)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", data, fields + 4 + 2 * number)
    return table + offset if offset else 0


def open_reshapes(final: str, bmodel: str) -> str:
    """Has the Reshapes of a dynamic bm1684 network make what sizes are given in a run.

    The chip's program takes 0 for a size of the operand, at the same place, and -1 for what is left; tpuc-opt
    writes the largest sizes there instead, and they are what would come out. Here they are put right, as the
    Reshapes of the scheduled module say. The first one that is not found is returned as text; none is "".
    """
    with open(final, encoding="utf-8") as text:
        reshapes = _dynamic_reshapes(text)
    if not reshapes:
        return ""
    with open(bmodel, "r+b") as file:
        content, start = bytearray(file.read()), 0
        for wanted, before, after in reshapes:
            kept = [i for i, size in enumerate(wanted) if size == 0]
            if len(wanted) != len(after) or any(before[i : i + 1] != [after[i]] for i in kept):
                return f"a Reshape to {wanted}"
            # The number of sizes, the sizes, at least four, and the first one of the operand.
            padded = [*after, *[1] * (4 - len(after)), *[0] * 8][:8]
            written = struct.pack("<10i", len(after), *padded, before[0])
            start = content.find(written, start)
            if start < 0:
                return f"a Reshape to {wanted}"
            struct.pack_into(f"<{len(wanted)}i", content, start + 4, *wanted)
            start += len(written)
        file.seek(0)
        file.write(content)
    return ""


def _dynamic_reshapes(lines: Iterable[str]) -> list[tuple[list[int], list[int], list[int]]]:
    """Of each Reshape what it is to make, the operand's largest sizes, and those of what it makes."""
    reshapes: list[tuple[list[int], list[int], list[int]]] = []
    dynamic = False
    for line in lines:
        if "#tpu<run_mode" in line:
            dynamic = "#tpu<run_mode TPU_DYNAMIC>" in line
        if not dynamic or '"tpu.Reshape"(' not in line:
            continue
        wanted = re.search(r"[{ ]shape = \[([-\d, ]*)\]", line)
        types = re.search(r": \(tensor<((?:\d+x)+).*?-> tensor<((?:\d+x)+)", line)
        if wanted and wanted.group(1) and types:
            texts = (wanted.group(1), *types.groups())
            sizes = [[int(size) for size in re.findall(r"-?\d+", text)] for text in texts]
            reshapes.append((sizes[0], sizes[1], sizes[2]))
    return reshapes


_CLOCK = re.compile(rb"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\n")


def _run_step(
    name: str,
    what: str,
    command: list[str],
    work: str,
    env: dict[str, str],
    timeout: float,
    log: IO[bytes],
) -> tuple[Step, str]:
    """Runs one process; the end of what it printed. CompileError where it fails."""
    log.write(f"\n$ {shlex.join(command)}\n".encode("utf-8", "surrogateescape"))
    log.flush()
    begin, start = log.tell(), time.monotonic()
    child = _Child(command, work, env, log)
    try:
        try:
            late = not child.run(min(timeout, threading.TIMEOUT_MAX))
        finally:
            # Whatever ended the wait, nobody may write to `work` after this.
            child.end()
        if child.error is not None:
            raise child.error
        rc: int | None = None if late else child.code
        how = f"was not done after {timeout:g} s" if rc is None else ending(rc)
    except OSError as e:
        rc, how = None, f"could not be started ({e.strerror})"
    seconds = time.monotonic() - start
    text = _printed(log.name, begin)
    # The process wrote to the same file, so that the place to write at is its end.
    log.seek(0, os.SEEK_END)
    log.write(f"\n[{name}: {how}, {seconds:.2f} s]\n".encode())
    log.flush()
    if rc == 0:
        return Step(name, seconds), text
    cause, names = reduced_cause(text)
    message = f"{what} of TPU-MLIR {how}" + (f": {cause}" if cause else "") + f"; see {log.name}"
    raise CompileError(message, name, cause or how, names, log.name)


class _Child:
    """A process that a thread starts and waits for.

    What a signal raises comes in the main thread, where it could come between a process's start and the
    place that would end it. `Thread.start` is no place for it either: it may become a RuntimeError there.
    """

    def __init__(self, command: list[str], work: str, env: dict[str, str], log: IO[bytes]):
        self.code = 0
        self.error: Exception | None = None
        """Why it could not be started."""
        self._start = functools.partial(
            subprocess.Popen, command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, preexec_fn=tied(),
        )  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._lock, self._running = threading.Lock(), threading.Lock()

    def run(self, seconds: float) -> bool:
        """Whether it was done in time."""
        self._running.acquire()
        _thread.start_new_thread(self._run, ())
        return self._running.acquire(timeout=seconds)

    def _run(self) -> None:
        try:
            with self._lock:
                if self._ended:
                    return
                self._process = self._start()
            self.code = self._process.wait()
        except Exception as e:
            self.error = e
        finally:
            self._running.release()

    def end(self) -> None:
        """Kills the process where it runs; one that has not started never will."""
        with self._lock:
            self._ended = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()


def tied() -> Callable[[], None]:
    """The `preexec_fn` of a process that is to end with this one, however this one ends.

    The kernel then kills it, for SIGKILL leaves nobody to do it. It goes by the thread that starts the
    process, so that one must wait for it.
    """
    prctl = ctypes.PyDLL(None).prctl
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong]
    parent = os.getpid()

    def tie() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # A parent that was killed before that sends no signal any more.
        if os.getppid() != parent:
            os._exit(1)

    return tie


_PR_SET_PDEATHSIG = 1
"""Of linux/prctl.h."""


def ending(rc: int) -> str:
    """How a process ended, in words."""
    if rc >= 0:
        return f"ended with exit code {rc}"
    try:
        name = signal.Signals(-rc).name
    except ValueError:
        name = f"signal {-rc}"
    words = {
        "SIGABRT": "gave up",
        "SIGSEGV": "crashed",
        "SIGBUS": "crashed",
        "SIGFPE": "crashed",
        "SIGILL": "needs an instruction that this processor lacks",
        "SIGKILL": "was killed, perhaps for want of memory",
    }
    return f"{words.get(name, 'was ended')} ({name})"


def _printed(path: str, begin: int) -> str:
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(begin, end - TAIL))
        return file.read().decode("utf-8", "replace")


@contextmanager
def _locked(folder: str) -> Generator[None, None, None]:
    """Holds `folder` for this process; CompileError where another compilation has it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CompileError(f"{folder}: another compilation is at work in this folder") from None
        except OSError:
            pass  # Some network file systems have no locks.
        yield
    finally:
        os.close(handle)


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def _is_filled(path: str) -> bool:
    return os.path.isfile(path) and os.path.getsize(path) > 0


# What is checked


def check_settings(settings: Settings) -> None:
    """Raises CompileError for what cannot be compiled."""
    chip, mode = settings["chip"], settings["mode"]
    if chip == "bm1682":
        raise CompileError(
            "TPU-MLIR has no chip bm1682; the older compilers have: --compiler bmnet"
        )
    if chip not in MODES:
        raise CompileError(f"chip {chip!r} is unknown; expected one of {', '.join(MODES)}")
    if mode not in MODES[chip]:
        raise CompileError(
            f"{chip} does not compute in {mode!r}, only in {' and '.join(MODES[chip])}"
        )
    if mode == "INT8" and not settings.get("calibration_table"):
        raise CompileError("INT8 needs a calibration table, and there is none")
    if not settings.get("timeout", TIMEOUT) > 0:
        raise CompileError(
            f"the timeout is {settings.get('timeout'):g} s, expected more than 0 seconds"
        )
    if settings.get("optimize", 2) not in (1, 2, 3):
        raise CompileError(f"optimize is {settings.get('optimize')!r}, expected 1, 2 or 3")
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", settings["net"]):
        raise CompileError(f"net {settings['net']!r}: expected letters, digits, '_', '.' and '-'")
    for name in source_names(settings):
        if os.path.basename(name) != name or name in ("", ".", ".."):
            raise CompileError(f"{name!r}: expected a file's name, without folders")
    # The steps read the weights by their own name, and must not write over them.
    if re.match(rf"{re.escape(settings['net'])}_(top|tpu)_|tpu_weights\.npz$", settings["weights"]):
        raise CompileError(f"{settings['weights']!r}: TPU-MLIR itself writes a file of that name")


def source_names(settings: Settings) -> list[str]:
    """The files that are compiled."""
    return [settings["mlir"], settings["weights"], *_tables(settings)]


def _tables(settings: Settings) -> dict[str, str]:
    """The tables that are used, by file: the name that the steps have for each."""
    calibration = settings.get("calibration_table") if settings["mode"] == "INT8" else None
    quantize = settings.get("quantize_table")
    tables = ((calibration, "calibration"), (quantize, "quantize"))
    return {file: name for file, name in tables if file}


def check_sources(settings: Settings, folder: str) -> None:
    """Raises CompileError where a file is missing or does not fit the others.

    TPU-MLIR itself only warns of missing weights and gives up steps later.
    """
    for name in source_names(settings):
        path = os.path.join(folder, name)
        if not _is_filled(path):
            state = "is empty" if os.path.exists(path) else "is missing"
            raise CompileError(f"{path}: {state}; split the model again")
    path = os.path.join(folder, settings["mlir"])
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    named = re.search(rf'module\.weight_file = "({_QUOTED})"', text)
    if named and unescape(named[1]) != settings["weights"]:
        raise CompileError(
            f"{path}: names the weights {unescape(named[1])!r}, expected {settings['weights']!r}"
        )
    mode = re.search(r'module\.top_run_mode = "(\w+)"', text)
    wanted = "DYNAMIC" if settings.get("dynamic") else "STATIC"
    if mode and mode[1] != wanted:
        raise CompileError(f"{path}: its module.top_run_mode is {mode[1]}, expected {wanted}")
    weights = os.path.join(folder, settings["weights"])
    try:
        with zipfile.ZipFile(weights) as archive:
            held = set(archive.namelist())
    except (OSError, zipfile.BadZipFile) as e:
        raise CompileError(
            f"{weights}: is not an archive of weights ({e}); split the model again"
        ) from None
    for quoted in re.findall(rf'"top\.Weight"\(\)[^\n]*?loc\("({_QUOTED})"', text):
        if f"{unescape(quoted)}.npy" not in held:
            raise CompileError(
                f"{weights}: the weight {unescape(quoted)!r} is missing; split the model again"
            )


_QUOTED = r'(?:[^"\\]|\\.)*'


def unescape(quoted: str) -> str:
    """The text of a string as MLIR prints it."""
    data = re.sub(
        rb"\\([0-9A-Fa-f]{2}|.)",
        lambda m: bytes.fromhex(m[1].decode()) if len(m[1]) == 2 else m[1],
        quoted.encode("utf-8", "surrogateescape"),
    )
    return data.decode("utf-8", "surrogateescape")


def link_sources(settings: Settings, folder: str, work: str) -> None:
    """Links the files of `folder` that are compiled into `work`, under the names that the steps have."""
    inner = {settings["mlir"]: _SOURCE, **_tables(settings)}
    for name in source_names(settings):
        source = os.path.abspath(os.path.join(folder, name))
        target = os.path.join(work, inner.get(name, name))
        _remove(target)
        os.symlink(source, target)


@dataclass(frozen=True)
class Network:
    """A network in a bmodel, as `model_tool --info` describes it."""

    name: str
    dynamic: bool
    inputs: Mapping[str, tuple[tuple[int, ...], str]]
    """Shape and dtype by name."""
    outputs: Mapping[str, tuple[tuple[int, ...], str]]
    cores: int = 1


def bmodel_info(text: str) -> tuple[str, list[Network]]:
    """The chip and the networks that `model_tool --info` printed; ValueError where it printed none."""
    chip = re.search(r"^chip: (\S+)$", text, re.MULTILINE)
    if chip is None:
        raise ValueError("model_tool names no chip")
    parts = re.split(r"^net \d+: \[(.*)\]\s+(static|dynamic)\s*$", text, flags=re.MULTILINE)
    networks: list[Network] = []
    for name, kind, body in (parts[i : i + 3] for i in range(1, len(parts), 3)):
        ports: dict[str, dict[str, tuple[tuple[int, ...], str]]] = {"input": {}, "output": {}}
        for port in _PORT.finditer(body):
            sizes = tuple(int(size) for size in re.findall(r"-?\d+", port["shape"]))
            ports[port["side"]][port["name"]] = (sizes, port["dtype"])
        cores = re.search(r"^stage \d+, core num: (\d+)", body, re.MULTILINE)
        networks.append(
            Network(
                name,
                kind == "dynamic",
                ports["input"],
                ports["output"],
                int(cores[1]) if cores else 1,
            )
        )
    return chip[1].lower(), networks


_PORT = re.compile(
    r"^(?P<side>input|output): (?P<name>.*?), \[(?P<shape>[^\]\n]*)\], (?P<dtype>\w+), scale: ",
    re.MULTILINE | re.DOTALL,
)


def bmodel_problem(text: str, settings: Settings) -> str:
    """What a bmodel, by what `model_tool --info` printed of it, has other than was asked for; or ''."""
    try:
        chip, networks = bmodel_info(text)
    except ValueError as e:
        return str(e)
    if chip != settings["chip"]:
        return f"it is for {chip}, expected {settings['chip']}"
    if [network.name for network in networks] != [settings["net"]]:
        names = ", ".join(repr(n.name) for n in networks) or "none"
        return f"its networks are {names}, expected {settings['net']!r}"
    network = networks[0]
    # The other way round is right: some ops make any network a dynamic one.
    if settings.get("dynamic") and not network.dynamic:
        return "its sizes are fixed, expected that they may vary"
    cores = settings.get("build", {}).get("cores", 1)
    if network.cores != cores:
        return f"it is for {network.cores} of the chip's cores, expected {cores}"
    return _port_problem("input", settings.get("inputs"), network.inputs) or _port_problem(
        "output", settings.get("outputs"), network.outputs
    )


def _port_problem(
    side: str, expected: Sequence[Port] | None, ports: Mapping[str, tuple[tuple[int, ...], str]]
) -> str:
    if expected is None:
        return ""
    listed = ", ".join(repr(name) for name in ports) or "none"
    if len(expected) != len(ports):
        return f"it has {len(ports)} {side}s ({listed}), expected {len(expected)}"
    expected = [_as_inside(port) for port in expected]
    names = network_names(expected, list(ports), renamed=side == "output")
    for i, port in enumerate(expected):
        name = names[i]
        if name is None:
            return f"{side} {port['name']!r} is missing; it has {listed}"
        shape, dtype = ports[name]
        if shape != tuple(port["shape"]):
            return f"{side} {name!r} has shape {list(shape)}, expected {list(port['shape'])}"
        # Positions, such as those of a maximum, are integers whatever the module says.
        dtypes = [port["network_dtype"]] if "network_dtype" in port else ["float32", "int32"]
        if dtype not in dtypes:
            return f"{side} {name!r} is {dtype}, expected {dtypes[0]}"
    return ""


def _as_inside(port: Port) -> Port:
    """A port as the network has it: what takes pictures is called otherwise there, and is packed."""
    raw = port.get("raw")
    if not raw:
        return port
    batch, *sizes = port["shape"]
    packed = [batch, *sizes] if raw["last"] else [batch, *sizes[1:], sizes[0]]
    return {**port, "name": port["name"] + RAW_SUFFIX, "shape": packed}


RAW_SUFFIX = "_raw"
"""What TPU-MLIR appends to the name of an input that takes pictures."""


def network_names(
    ports: Sequence[Port], own_names: Sequence[str], renamed: bool = True
) -> list[str | None]:
    """What a network with the names `own_names` calls its ports; None where it has none.

    Where 8 bits are cast back at the end, `_f32` is behind a name. Outputs that are `renamed` otherwise,
    since an op was moved or merged there, are known by their place: the order is always kept.
    """
    names = [_same_name(port["name"], own_names) for port in ports]
    if not renamed or len(own_names) != len(ports):
        return names
    taken = set(names)
    for i, name in enumerate(names):
        if name is None and own_names[i] not in taken:
            names[i] = own_names[i]
    return names


def _same_name(name: str, own_names: Sequence[str]) -> str | None:
    return next((spelling for spelling in (name, name + "_f32") if spelling in own_names), None)


def reduced_cause(text: str) -> tuple[str, list[str]]:
    """What a tool's output says of its failure, in a line, and the names of the values concerned."""
    lines = [line.strip() for line in text.replace("\r", "\n").splitlines()]
    # A crash prints its stack last.
    stack = next((i for i, line in enumerate(lines) if _STACK.match(line)), len(lines))
    messages = [line for line in lines[:stack] if line and not _NOISE.search(line)]
    ops = [line for line in messages if _OP.match(line)]
    messages = [
        _ASSERTION.sub("", line)
        for line in messages
        if not _OP.match(line) and not line.startswith("func.return")
    ]
    errors = [line for line in messages if "error:" in line]
    if errors:
        names = _names(errors[0])
        return _clipped(_LOC.sub("", errors[0].split("error:", 1)[1]).lstrip(" :")), names
    failed = [i for i, line in enumerate(messages) if _FAILED.search(line)]
    # The line before a failed check says more.
    first = max(failed[0] - 1, 0) if failed else max(len(messages) - 2, 0)
    marked = [line for line in ops if line.startswith("->")] or ops[-1:]
    names = _names(marked[-1]) if marked else []
    cause = "; ".join(messages[first : first + 3]).replace(_THEIR_FOLDER, "")
    kind = re.search(r'"(\w+\.\w+)"', marked[-1]) if marked else None
    if kind and names:
        cause = f"{cause} (at {kind[1]} {', '.join(map(repr, names))})".lstrip()
    return _clipped(cause), names


_THEIR_FOLDER = "/__w/tpu-mlir/tpu-mlir/"
"""Where TPU-MLIR was built."""
_STACK = re.compile(
    r"PLEASE submit a bug report|Stack dump:|Obtained \d+ stack frames|#\d+ 0x[0-9a-f]+|\*\*\* .* terminated"
    r"|\S*\(\S*\+0x[0-9a-f]+\)\s*\[0x"
)
_ASSERTION = re.compile(r"^.*(?=Assertion `)|^\[\d+\]\S*/(?=[\w.]+:\d+: \w+: Assertion \")")
"""What stands in front of what failed: a whole signature in C++, or the folder of a kernel in C."""
_NOISE = re.compile(
    r"bmcpu init|libusercpu|compiler_profile|^[=\-\s*]+$|\d+%|note: |^Operation:$|^: Running|^Run \w+Pass"
    r"|^Can not open (config|hash) file|^- current directory:|^Getting cost table|^GroupMethod_process"
    r"|^GmemAllocator use|^process base group|^output_bytes:|^in cmodel|^\[\d+\]\[ERR\] .*failed!$"
)
_FAILED = re.compile(r"^ASSERT |^UNREACHABLE |Assertion [`\"]|^FATAL|terminate called")
_OP = re.compile(r'(-> )?(%[\w:, %]+ = )?"\w+\.\w+"\(')
_LOC = re.compile(rf'loc\((?:fused[^\[]*\[)?(?:"{_QUOTED}"(?:, )?)+\]?\)')


def _names(line: str) -> list[str]:
    locations = _LOC.findall(line)
    if not locations:
        return []
    return [unescape(quoted) for quoted in re.findall(rf'"({_QUOTED})"', locations[-1])]


def _clipped(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:297] + "..."


# The record


def _write_record(
    settings: Settings,
    folder: str,
    version: str,
    sources: Mapping[str, str],
    bmodel: str,
    comparison: Mapping[str, Measured],
) -> None:
    """Says what the bmodel was compiled from, and how; `sources` and `bmodel` are digests."""
    record: dict[str, Any] = {
        "version": 1,
        "compiler": "tpu-mlir",
        "toolchain": version,
        "chip": settings["chip"],
        "mode": settings["mode"],
        "dynamic": bool(settings.get("dynamic")),
        "optimize": settings.get("optimize", 2),
        "build": settings.get("build", {}),
        "net": settings["net"],
        "inputs": [_border(port) for port in settings.get("inputs", ())],
        "outputs": [_border(port) for port in settings.get("outputs", ())],
        "recipe": recipe(settings),
        "sources": sources,
        "data": settings.get("data", ""),
        "in_f32": list(settings.get("in_f32", ())),
        "bmodel": bmodel,
        "comparison": {name: vars(measured) for name, measured in comparison.items()},
    }
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    # Names of models may hold what no encoding has; JSON has a form for it.
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        text = json.dumps(record, indent=2) + "\n"
    with open(os.path.join(folder, WORK, RECORD), "w", encoding="utf-8") as file:
        file.write(text)


def _border(port: Port) -> dict[str, Any]:
    defaults = {"tensor": tensor_name(port), "name": port["name"], "shape": list(port["shape"])}
    return {**defaults, "dtype": "float32", **port}


def tensor_name(port: Port) -> str:
    """What the folder calls a port."""
    return port.get("tensor", port["name"])


class Digest(threading.Thread):
    """The SHA-256 of a file, which is taken while other work goes on."""

    def __init__(self, path: str):
        super().__init__(name="digest", daemon=True)
        self._path = path
        self._hex = ""
        self._error: OSError | None = None
        self.start()

    def run(self) -> None:
        digest, block = hashlib.sha256(), memoryview(bytearray(1 << 18))
        try:
            with open(self._path, "rb", buffering=0) as file:
                for size in iter(lambda: file.readinto(block), 0):
                    digest.update(block[:size])
            self._hex = digest.hexdigest()
        except OSError as e:
            self._error = e

    def result(self) -> str:
        """In hex. Waits for it; OSError where the file cannot be read."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._hex


# Comparing with the references


@dataclass(frozen=True)
class Tensor:
    """An array, as its bytes."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def values(self) -> Sequence[float]:
        """Its elements, in rows."""
        if self.dtype == "float16":
            return struct.unpack(f"<{len(self.data) // 2}e", self.data)
        elements: array.array[Any] = array.array(_TYPECODES[self.dtype])
        elements.frombytes(self.data)
        return elements


_TYPECODES = {
    **{"float32": "f", "float64": "d", "int8": "b", "uint8": "B", "bool": "B", "int16": "h"},
    **{"uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q"},
}
_NPY_DTYPES = {
    **{"<f2": "float16", "<f4": "float32", "<f8": "float64", "|b1": "bool", "|i1": "int8"},
    **{"|u1": "uint8", "<i2": "int16", "<u2": "uint16", "<i4": "int32", "<u4": "uint32"},
    **{"<i8": "int64", "<u8": "uint64"},
}


def read_npz(path: str) -> dict[str, Tensor]:
    """The arrays of an .npz file; CompileError where it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [n for n in archive.namelist() if n.endswith(".npy")]
            return {name[: -len(".npy")]: _read_npy(archive.read(name)) for name in members}
    except (OSError, ValueError, KeyError, SyntaxError, struct.error, zipfile.BadZipFile) as e:
        raise CompileError(f"{path}: cannot be read as arrays: {e}") from None


def _read_npy(data: bytes) -> Tensor:
    if data[:6] != b"\x93NUMPY":
        raise ValueError("a member is no .npy file")
    length, start = ("<H", 10) if data[6] == 1 else ("<I", 12)
    end = start + struct.unpack_from(length, data, 8)[0]
    header = ast.literal_eval(data[start:end].decode("utf-8").strip())
    dtype = _NPY_DTYPES.get(header["descr"])
    if dtype is None or (header["fortran_order"] and len(header["shape"]) > 1):
        raise ValueError(f"dtype {header['descr']!r}, or an order by columns, is not supported")
    return Tensor(dtype, tuple(header["shape"]), data[end:])


def compare_outputs(
    settings: Settings,
    folder: str,
    bmodel: str,
    root: str,
    log: IO[bytes],
    say: Callable[[str], None] = print,
) -> dict[str, Measured]:
    """Runs `bmodel` on the reference inputs in `folder`; how far each output is from its reference.

    CompileError where one is too far, where the references do not fit, and where the emulator fails.
    """
    inputs, expected = (read_npz(os.path.join(folder, name)) for name in (INPUTS, OUTPUTS))
    with _emulator(bmodel, settings["chip"], root, log, settings.get("timeout", TIMEOUT)) as ask:
        network: dict[str, Any] = ask({}, [])[0]["networks"][0]
        feeds = {port["name"]: _feed(port, inputs, folder) for port in network["inputs"]}
        tensors = [{"name": n, "dtype": f.dtype, "shape": f.shape} for n, f in feeds.items()]
        request = {"network": network["name"], "tensors": tensors}
        answer, data = ask(request, [feed.data for feed in feeds.values()])
    outputs: dict[str, Sequence[float]] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for i, port in enumerate(network["outputs"]):
        header: dict[str, Any] = answer["tensors"][i]
        shapes[port["name"]] = tuple(header["shape"])
        outputs[port["name"]] = _floats(port, Tensor(header["dtype"], (), bytes(data[i])))
    return _judge(settings, folder, expected, outputs, shapes, say)


STEP = 2.0**-25
"""A reference whose numbers are all multiples of this was rounded at the size of 1, as a Sigmoid's are."""
ROUNDING = 8 * STEP
"""How far such a reference may be off by itself."""


def _judge(
    settings: Settings,
    folder: str,
    expected: Mapping[str, Tensor],
    outputs: Mapping[str, Sequence[float]],
    shapes: Mapping[str, tuple[int, ...]],
    say: Callable[[str], None],
) -> dict[str, Measured]:
    tolerance = settings.get("tolerance", {"cosine": 1.0, "relative": 0.0})
    ports = settings.get("outputs", [{"name": name, "shape": shapes[name]} for name in outputs])
    comparison: dict[str, Measured] = {}
    names = network_names(ports, list(outputs))
    for i, port in enumerate(ports):
        name = names[i]
        reference = expected.get(port["name"])
        if name is None or reference is None:
            where = "bmodel" if name is None else os.path.join(folder, OUTPUTS)
            raise CompileError(f"output {port['name']!r} is not in the {where}", "compare")
        if shapes[name] != reference.shape and len(outputs[name]) != 1:
            raise CompileError(
                f"output {name!r} has shape {list(shapes[name])}, its reference {list(reference.shape)}",
                "compare",
            )
        measured = measure(reference.values(), outputs[name])
        comparison[tensor_name(port)] = measured
        text = f"cosine {measured.cosine:.6f}, relative {measured.relative:.2g}"
        say(f"  output {tensor_name(port)!r}: {text}, largest difference {measured.maximum:.3g}")
        if measured.cosine >= tolerance["cosine"] and measured.relative <= tolerance["relative"]:
            continue
        if only_rounding(reference.values(), measured):
            say("    that is how far the reference's own numbers may be rounded, and says nothing")
            continue
        raise CompileError(
            f"output {tensor_name(port)!r} of the emulator is not that of the model: {text}; expected a"
            f" cosine of {tolerance['cosine']:g} or more and at most {tolerance['relative']:g} relative",
            "compare", "", [port["name"]],
        )  # fmt: skip
    return comparison


def measure(expected: Sequence[float], actual: Sequence[float]) -> Measured:
    """How far values are from those expected; infinities and NaNs must be where they are expected."""
    worst = Measured(0.0, math.inf, math.inf)
    if len(expected) != len(actual):
        return worst
    maximum = largest = 0.0
    dot = square = other = 0.0
    for i, e in enumerate(expected):
        a = actual[i]
        if not math.isfinite(e) or not math.isfinite(a):
            if e == a or (e != e and a != a):
                continue
            return worst
        maximum = max(maximum, abs(e - a))
        largest = max(largest, abs(e))
        dot += e * a
        square += e * e
        other += a * a
    lengths = math.sqrt(square) * math.sqrt(other)
    cosine = 1.0 if maximum == 0.0 else dot / lengths if lengths else 0.0
    return Measured(cosine, maximum, maximum / largest if largest else maximum)


def only_rounding(expected: Sequence[float], measured: Measured) -> bool:
    """Whether values are off by no more than the rounding of those expected, whatever share that is."""
    if measured.maximum == 0.0:
        return True
    finite = (e for e in expected if math.isfinite(e))
    return measured.maximum <= ROUNDING and all(e % STEP == 0 for e in finite)


def _feed(port: Mapping[str, Any], tensors: Mapping[str, Tensor], folder: str) -> Tensor:
    """An input as the network takes it; scales of inputs multiply."""
    name, dtype = port["name"], port["dtype"]
    tensor = tensors.get(name)
    if tensor is None:
        raise CompileError(f"input {name!r} is not in {os.path.join(folder, INPUTS)}", "compare")
    if tensor.dtype == dtype:
        return tensor
    values = tensor.values()
    if dtype in ("int8", "uint8") and tensor.dtype.startswith("float"):
        low, high = (-128, 127) if dtype == "int8" else (0, 255)
        scaled = (v * port["scale"] + port["zero_point"] for v in values)
        values = [min(max(round(v), low), high) for v in scaled]
    try:
        data = array.array(
            _TYPECODES[dtype], (float(v) if dtype == "float32" else int(v) for v in values)
        )
    except (KeyError, OverflowError, ValueError) as e:
        raise CompileError(
            f"input {name!r} cannot be converted to {dtype}: {e}", "compare"
        ) from None
    return Tensor(dtype, tensor.shape, data.tobytes())


def _floats(port: Mapping[str, Any], tensor: Tensor) -> Sequence[float]:
    """What an output of the network stands for."""
    values = tensor.values()
    if port["scale"] == 1 and port["zero_point"] == 0:
        return values
    return [(v - port["zero_point"]) * port["scale"] for v in values]


if TYPE_CHECKING:
    Ask = Callable[[Mapping[str, Any], Sequence[bytes]], tuple[dict[str, Any], list[Any]]]
    """Sends a process a message and its tensors; returns the answer and its tensors."""


@contextmanager
def _emulator(
    bmodel: str, chip: str, root: str, log: IO[bytes], timeout: float
) -> Generator[Ask, None, None]:
    """A process that runs `bmodel`, as a function that asks it. The first message is {}."""
    source = EMULATOR or _emulator_source()
    child = types.ModuleType("bmodel_child")
    exec(compile(source, "bmodel_child.py", "exec"), vars(child))
    late = threading.Event()
    scratch = tempfile.mkdtemp(prefix="bmodel-")
    process = None

    def give_up() -> None:
        late.set()
        if process is not None:
            process.kill()

    timer = threading.Timer(min(timeout, threading.TIMEOUT_MAX), give_up)
    try:
        first, env = _emulator_start(child, bmodel, chip, root, scratch)
        log.write(f"\n$ (the emulator of {chip})\n".encode())
        log.flush()
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", source], cwd=scratch, env=env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
        running, (requests, answers) = process, _pipes(process)
        timer.start()

        def receive(size: int) -> bytes:
            data = answers.read(size)
            if len(data) == size:
                return data
            rc = running.wait()
            how = f"was not done after {timeout:g} s" if late.is_set() else ending(rc)
            raise CompileError(f"the emulator {how}; see {log.name}", "compare", "", (), log.name)

        def ask(
            header: Mapping[str, Any], tensors: Sequence[bytes]
        ) -> tuple[dict[str, Any], list[Any]]:
            try:
                for piece in child.pack(header or first, tensors):
                    requests.write(piece)
                requests.flush()
            except BrokenPipeError:
                pass  # What it said last, and how it ended, says more.
            answer, results = child.unpack(receive)
            if "error" in answer:
                raise CompileError(
                    f"the emulator: {answer['error']}; see {log.name}", "compare", "", (), log.name
                )
            return answer, results

        yield ask
    finally:
        timer.cancel()
        if process is not None:
            process.kill()
            process.communicate()
        shutil.rmtree(scratch, ignore_errors=True)


def _emulator_start(
    child: Any, bmodel: str, chip: str, root: str, scratch: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """The first message to an emulator, and its environment."""
    try:
        first = child.emulator_settings(os.path.abspath(bmodel), chip, root, scratch)
        return first, child.emulator_environment(root, scratch)
    except child.BmodelError as e:
        raise CompileError(str(e), "compare") from None


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _emulator_source() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "bmodel_child.py"), encoding="utf-8") as file:
        return file.read()


# The program


def main(settings: Settings, folder: str, arguments: Sequence[str] | None = None) -> int:
    """What a compile script does: compiles the sub-model in the folder `context_dir` of `folder`.

    Returns its exit code: 128 + N where signal N ended it, a closed pipe counting as SIGPIPE.
    """
    try:
        try:
            return _main(settings, folder, arguments)
        finally:
            # Here, for what is written while Python ends cannot be caught.
            print(end="", flush=True)
    except BrokenPipeError:
        # Python would complain again while it closes the streams.
        null = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(null, stream)
        return 128 + signal.SIGPIPE


def _main(settings: Settings, folder: str, arguments: Sequence[str] | None) -> int:
    where = settings.get("context_dir", ".")
    parser = argparse.ArgumentParser(
        description=f"Compiles {where}/{settings['mlir']} for {settings['chip'].upper()}"
        f" into {where}/{BMODEL}."
    )
    parser.add_argument(
        "--tpu-mlir",
        metavar="DIR",
        help=f"the TPU-MLIR to use (default: {VARIABLE}, or an installed one)",
    )
    parser.add_argument(
        "--compare", action="store_true",
        help=f"run {INPUTS} on the chip's emulator too and compare with {OUTPUTS}",
    )  # fmt: skip
    parser.add_argument(
        "--keep", action="store_true", help=f"leave what lies between the steps in {WORK}"
    )
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, help="how long one step may take"
    )
    parser.add_argument("--optimized", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    settings = settings.copy()
    settings["keep"], settings["optimized"] = chosen.keep, chosen.optimized
    if chosen.timeout is not None:
        settings["timeout"] = chosen.timeout
    # The steps and what they left must go too.
    signal.signal(signal.SIGTERM, _stop)
    try:
        root = find_toolchain(chosen.tpu_mlir)
        # Messages then name files as they lie beside the script.
        os.chdir(folder)
        version = toolchain_version(root)
        _say(f"{where}: {settings['chip'].upper()}, {settings['mode']}, TPU-MLIR {version}")
        if version != TPU_MLIR_VERSION:
            _say(f"warning: all was measured with TPU-MLIR {TPU_MLIR_VERSION}")
        done = compile_top(settings, where, root, _say, chosen.compare)
    except CompileError as e:
        print(f"{where}: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{where}: stopped", file=sys.stderr)
        return 130
    size = os.path.getsize(done.bmodel)
    text = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} KB"
    _say(f"wrote {where}/{BMODEL} ({text}) in {done.seconds:.1f} s")
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


def _stop(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)
