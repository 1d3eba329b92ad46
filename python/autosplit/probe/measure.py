"""A measurement: a one-op model is lowered, compiled, run on the emulator, compared with ONNX Runtime."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any, cast

import ml_dtypes

from autosplit.calibration.table_files import quantize_table
from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES, Deviation, Tolerance, difference
from autosplit.core.units import counted
from autosplit.devices import LEVELS
from autosplit.platforms import load_model
from autosplit.probe.records import RESULTS, Record
from autosplit.registry import make_context
from autosplit.toolchains.bmodel_compile import BMODEL, WORK, CompileError, Settings, compile_top

if TYPE_CHECKING:
    from onnx import ModelProto
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.core.weights import Array
    from autosplit.devices import Chip
    from autosplit.probe.case import Case
    from autosplit.toolchains.bmodel_compile import Port
    from autosplit.toolchains.tpu_mlir import TpuMlir

EXACT = Tolerance(cosine=1.0, relative=0.0)
"""What booleans and positions must keep to in every mode."""

STEP_TIMEOUT = 120.0
RUN_TIMEOUT = 180.0
"""Seconds that a step of the compilation and the emulator may take."""

UNSET = 0xFF
"""What is in the emulator's memories before a run: a number that nobody wrote is not a number then."""

LONGEST_CAUSE = 160

MODEL = "model.onnx"
OPEN = "open.onnx"
"""The model, and the one whose sizes are open."""
CALIBRATION = "calibration_table"
QUANTIZE = "quantize_table"
STEM = "probe"
"""What the files and the network are called."""


@dataclass(frozen=True)
class Setup:
    """What measurements are made with."""

    chip: Chip
    mode: str
    toolchain: TpuMlir
    step_timeout: float = STEP_TIMEOUT
    run_timeout: float = RUN_TIMEOUT
    kept: Path | None = None
    """A folder that keeps what was measured, and spares measuring the same Top module again."""


@dataclass(frozen=True)
class Varying:
    """What makes a model one of sizes that vary."""

    proto: ModelProto
    """The model with its sizes open: this one is asked for, and computes what is expected."""
    feeds: Sequence[Mapping[str, Array]]
    """Inputs of smaller sizes."""
    as_is: bool = False
    """Whether no other op takes the place of one that the chip does not run."""


def measure_case(case: Case, setup: Setup) -> Record:
    """What becomes of a case. Never raises for what the tool chain does."""
    if not case.smaller:
        return measure_model(case.model(), case.feeds(), case.outputs, setup, case.dynamic)
    smaller = [case.feeds(1 + i) for i in range(len(case.smaller))]
    varying = Varying(case.model(largest=False), smaller, case.as_is)
    return measure_model(case.model(), case.feeds(), case.outputs, setup, True, varying)


def measure_model(
    proto: ModelProto,
    feeds: Mapping[str, Array],
    outputs: Sequence[str],
    setup: Setup,
    dynamic: bool = False,
    varying: Varying | None = None,
) -> Record:
    """What becomes of a small ONNX model whose inputs are `feeds`, the largest ones where it is `varying`."""
    from autosplit.lowering.convert_onnx_to_top.check import check_module
    from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins
    from autosplit.lowering.submodel.settle_sizes import fix_sizes

    runs = [feeds] if varying is None else in_turn(feeds, varying.feeds)
    runs = [{name: rounded(a, setup.mode) for name, a in run.items()} for run in runs]
    with tempfile.TemporaryDirectory(prefix="autosplit-probe-") as name:
        folder = Path(name)
        if varying is None:
            module, kept = _canonical(proto, folder)
        else:
            module, kept = _canonical(varying.proto, folder, OPEN)
            if not varying.as_is:
                put_stand_ins(module, setup.chip, setup.mode)
        refusals = check_module(module, setup.chip, dynamic, setup.mode)
        refused = next(iter(refusals.values()), None)
        reason = ("", "") if refused is None else (refused.code.data, refused.text.data)
        if varying is not None:
            fix_sizes(module, {name: array.shape for name, array in feeds.items()})
        record = _compiled_and_run(module, runs, outputs, setup, dynamic, folder, reason[0])
        del kept
    return replace(record, code=reason[0], text=reason[1])


def rounded(array: Array, mode: str) -> Array:
    """What a mode can hold of an f32 operand: what is measured is the op, not the loss at its border.

    A Floor of 2.9999 is 3 once that number is rounded to f16, and right.
    """
    import numpy as np

    if array.dtype != np.float32 or mode == "F32":
        return array
    if mode == "INT8":
        largest = np.abs(array, where=np.isfinite(array), out=np.zeros_like(array)).max(initial=0.0)
        step = largest / LEVELS
        return (np.rint(array / step) * step).astype(np.float32) if step else array

    narrow = np.float16 if mode == "F16" else ml_dtypes.bfloat16
    return array.astype(narrow).astype(np.float32)


def in_turn(
    largest: Mapping[str, Array], smaller: Sequence[Mapping[str, Array]]
) -> list[Mapping[str, Array]]:
    """The runs of a model whose sizes vary: what one leaves in memory is there in the next."""
    return [*smaller, largest, *smaller]


def _canonical(proto: ModelProto, folder: Path, name: str = MODEL) -> tuple[ModuleOp, object]:
    """The model in canonical form, and what must live as long as it."""
    from autosplit.lowering.convert_to_onnx import lower_to_onnx

    path = folder / name
    path.write_bytes(proto.SerializeToString(deterministic=True))
    model = load_model(path, "onnx")
    lower_to_onnx(make_context(), model.module)
    return model.module, model


def _compiled_and_run(
    module: ModuleOp,
    runs: Sequence[Mapping[str, Array]],
    outputs: Sequence[str],
    setup: Setup,
    dynamic: bool,
    folder: Path,
    refused: str,
) -> Record:
    from autosplit.formats.top_mlir.writer import write_top
    from autosplit.runtime.frameworks.onnx import OnnxExecutor

    try:
        top = _lowered(module, setup, dynamic)
    except Exception as e:
        # Conversions may fall over anything that the check refuses, and nothing else.
        if refused:
            return Record("refused")
        return Record("no conversion", cause=_reduced(f"{type(e).__name__}: {e}"))
    executor = OnnxExecutor(folder / (OPEN if len(runs) > 1 else MODEL))
    expected = [executor.run(feeds, outputs) for feeds in runs]
    try:
        text, weights = write_top(top, folder, STEM)
        key = _digest(setup, dynamic, expected, runs, text, weights)
        if (known := _earlier(setup, key)) is not None:
            return known
        modes = _compile(top, runs, setup, dynamic, folder)
        actual = _run(runs, setup, folder)
    except CompileError as e:
        slow = "timeout" if "was not done after" in str(e) else "error"
        return Record(slow, cause=_reduced(e.cause or str(e)))
    except AutosplitError as e:
        slow = "timeout" if "no answer within" in str(e) else "error"
        return Record(slow, cause=_reduced(str(e)))
    placed = _placed(modes, dynamic)
    records = [judged(e, a, setup.mode, placed) for e, a in zip(expected, actual, strict=True)]
    record = worst_of(records, runs)
    _keep(setup, key, record)
    return record


def _digest(
    setup: Setup,
    dynamic: bool,
    expected: Sequence[Mapping[str, Array]],
    runs: Sequence[Mapping[str, Array]],
    *files: Path,
) -> str:
    """What a measurement depends on, as one word."""
    hashed = sha256(f"{setup.chip.name} {setup.mode} {setup.toolchain.version} {dynamic}".encode())
    for feeds, results in zip(runs, expected, strict=True):
        for name, array in (*feeds.items(), *results.items()):
            hashed.update(f"{name} {array.dtype} {array.shape}".encode())
            hashed.update(array.tobytes())
    for file in files:
        hashed.update(file.read_bytes())
    return hashed.hexdigest()


def _earlier(setup: Setup, key: str) -> Record | None:
    if setup.kept is None:
        return None
    try:
        record = Record(**json.loads((setup.kept / f"{key}.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        # A file that cannot be read is written anew.
        return None
    return record if record.result in RESULTS else None


def _keep(setup: Setup, key: str, record: Record) -> None:
    if setup.kept is None:
        return
    setup.kept.mkdir(parents=True, exist_ok=True)
    path = setup.kept / f"{key}.json"
    partial = path.with_suffix(f".{get_ident()}-{os.getpid()}")
    partial.write_text(json.dumps(record.as_json()) + "\n", encoding="utf-8")
    partial.replace(path)


def _lowered(module: ModuleOp, setup: Setup, dynamic: bool) -> ModuleOp:
    from autosplit.lowering.submodel.lower_submodel import chip_top

    return chip_top(make_context(), module, setup.chip, dynamic, STEM, setup.mode, checked=True)


def _compile(
    top: ModuleOp,
    runs: Sequence[Mapping[str, Array]],
    setup: Setup,
    dynamic: bool,
    folder: Path,
) -> set[str]:
    """Compiles into `folder`; returns the run modes of the bmodel's parts, such as `TPU_STATIC`."""
    from autosplit.calibration.calibrate import tables
    from autosplit.lowering.top.f32_values import f32_values

    inputs, outputs = top_ports(top)
    settings = Settings(
        mlir=f"{STEM}.mlir",
        weights=f"{STEM}_weights.npz",
        chip=setup.chip.name,
        mode=setup.mode,
        net=STEM,
        inputs=inputs,
        outputs=outputs,
        optimize=2,
        dynamic=dynamic,
        timeout=setup.step_timeout,
        record=False,
        keep=True,
    )
    quantize = quantize_table(f32_values(top), "F32")
    if setup.mode == "INT8":
        # Outputs that are kept are 8 bits, and so is all before them.
        kept = [port["name"] for port in outputs]
        tables_of = tables(top, whole_runs(runs, inputs), setup.toolchain, kept, chip=setup.chip)
        (folder / CALIBRATION).write_text(tables_of.calibration, encoding="utf-8")
        settings["calibration_table"] = CALIBRATION
        quantize = tables_of.quantize
    if quantize:
        (folder / QUANTIZE).write_text(quantize, encoding="utf-8")
        settings["quantize_table"] = QUANTIZE
    compile_top(settings, str(folder), str(setup.toolchain.root), say=lambda _: None)
    return run_modes((folder / WORK / "final.mlir").read_text(encoding="utf-8"))


def whole_runs(
    runs: Sequence[Mapping[str, Array]], inputs: Sequence[Port]
) -> list[Mapping[str, Array]]:
    """The runs with the sizes that a Top module is written for, which alone it can be calibrated with."""
    shapes = {port["name"]: tuple(port["shape"]) for port in inputs}
    return [run for run in runs if all(run[name].shape == s for name, s in shapes.items())]


def run_modes(final: str) -> set[str]:
    """The run modes that a scheduled module, as text, says of its parts."""
    return set(re.findall(r"#tpu<run_mode (\w+)>", final))


def top_ports(top: ModuleOp) -> tuple[list[Port], list[Port]]:
    """The inputs and the outputs of a Top module, as the compiler's settings have them."""
    from xdsl.dialects.func import FuncOp, ReturnOp

    from autosplit.dialects.top import TopOp

    main = next(op for op in top.body.ops if isinstance(op, FuncOp))
    inputs_of = [op for op in main.body.block.ops if isinstance(op, TopOp) and op.kind == "Input"]
    inputs = [_port(op.names[0], op.results[0].type) for op in inputs_of]
    terminator = main.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    outputs: list[Port] = []
    for value in terminator.operands:
        owner = value.owner
        assert isinstance(owner, TopOp)
        outputs.append(
            _port(owner.names[list(owner.results).index(cast("Any", value))], value.type)
        )
    return inputs, outputs


def _port(name: str, type: object) -> Port:
    from xdsl.dialects.builtin import TensorType

    assert isinstance(type, TensorType)
    return {"name": name, "shape": list(type.get_shape()), "dtype": "float32"}


def _run(runs: Sequence[Mapping[str, Array]], setup: Setup, folder: Path) -> list[list[Array]]:
    """What the emulator computes, in the order of the network's outputs, in one process."""
    from autosplit.runtime.bmodel.process import BmodelProcess

    outputs: list[list[Array]] = []
    with BmodelProcess(
        folder / BMODEL,
        setup.chip.name,
        setup.toolchain,
        timeout=setup.run_timeout,
        fill=UNSET,
    ) as process:
        network = process.networks[0]
        for feeds in runs:
            arrays = {t.name: feeds[t.name].astype(t.dtype) for t in network.inputs}
            results = process.run(arrays)
            outputs.append([results[t.name] for t in network.outputs])
    return outputs


def _placed(modes: set[str], dynamic: bool) -> str:
    """`host` or `dynamic` where a part does not run as it was asked to."""
    if any("CPU" in mode for mode in modes):
        return "host"
    return "dynamic" if "TPU_DYNAMIC" in modes and not dynamic else ""


def judged(
    expected: Mapping[str, Array], actual: Sequence[Array], mode: str, placed: str = ""
) -> Record:
    """The record of what was computed."""
    import numpy as np

    if len(expected) != len(actual):
        return Record(
            "wrong", cause=f"has {counted(len(actual), 'output')}, expected {len(expected)}"
        )
    worst = Deviation(1.0, 0.0, 0.0)
    right = True
    for (name, e), a in zip(expected.items(), actual, strict=True):
        try:
            if mode == "INT8" and not e.dtype.name.startswith("float"):
                a = np.rint(a)
            off = difference(e, a.reshape(e.shape) if e.ndim == 0 else a)
        except ValueError as error:
            return Record("wrong", cause=f"{name} has {error}")
        right = right and off.within(_tolerance(e.dtype.name, mode))
        worst = max(worst, off, key=lambda d: (d.relative, -d.cosine))
    return Record(placed or ("correct" if right else "wrong"), off=f"{worst.relative:.0e}")


def worst_of(records: Sequence[Record], runs: Sequence[Mapping[str, Array]]) -> Record:
    """The record of several runs: of the first that is not right, with its sizes, else of the worst."""
    if len(records) == 1:
        return records[0]
    for record, feeds in zip(records, runs, strict=True):
        if record.result != "correct":
            sizes = ", ".join("x".join(map(str, a.shape)) for a in feeds.values())
            return replace(record, cause=f"at {sizes}: {record.cause}".removesuffix(": "))
    return max(records, key=lambda r: float(r.off or 0))


def _tolerance(dtype: str, mode: str) -> Tolerance:
    if dtype == "float16":
        # The expected numbers are no better than that themselves.
        return TOLERANCES["F16"]
    return TOLERANCES[mode] if dtype.startswith("float") else EXACT


def _reduced(text: str) -> str:
    """A cause as records keep it: one line, without paths, addresses and times."""
    text = " ".join(text.split())
    text = re.sub(r"(?<![\w.'])/([\w.+-]+/)*(?=[\w.+-])", "", text)
    text = re.sub(r"([\w+-]+/)+(?=[\w+-]+\.(cpp|h|so)\b)", "", text)
    text = re.sub(r"0x[0-9a-fA-F]+", "0x?", text)
    return text[:LONGEST_CAUSE].strip()


def measure_all(
    cases: Mapping[str, Case],
    setup: Setup,
    jobs: int = 1,
    progress: Callable[[str, Record], None] = lambda _key, _record: None,
) -> dict[str, Record]:
    """What becomes of each case, several at a time; `progress` hears of each as it ends."""
    records: dict[str, Record] = {}
    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(measure_case, case, setup): key for key, case in cases.items()}
        try:
            for future in as_completed(futures):
                key = futures[future]
                records[key] = future.result()
                progress(key, records[key])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return dict(sorted(records.items()))
