"""Probing the ops of a model: each at its own shapes, with its own attributes and constants.

What was measured is kept in the user's cache folder, so that a model is probed once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import numpy as np

from autosplit.probe.case import OPSET, VALUES, tensor
from autosplit.probe.cases_elementwise import UNARY
from autosplit.probe.cases_views import REDUCTIONS
from autosplit.probe.measure import Setup, measure_model
from autosplit.probe.records import RESULTS, Record
from autosplit.toolchains.tpu_mlir import discover

if TYPE_CHECKING:
    from onnx import ModelProto
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

    from autosplit.core.weights import Array
    from autosplit.devices import Chip
    from autosplit.dialects.device import ReasonAttr
    from autosplit.dialects.onnx.base import OnnxOp
    from autosplit.lowering.shared.fold import Constants

LARGE = 64
"""Of constants of more elements, only the type decides which probe an op shares with others."""

RANGES: Mapping[str, str] = {
    **{op: next(iter(ranges)) for op, ranges in UNARY.items()},
    **REDUCTIONS,
    "ArgMax": "grid",
    "ArgMin": "grid",
    "Div": "signed",
    "Pow": "positive",
    "TopK": "grid",
}
"""What computed operands are drawn from, where it is not `normal`."""

FAILURES = ("wrong", "error", "host", "dynamic")
"""The results for which an op is refused; one that took too long says nothing."""


@dataclass(frozen=True)
class Probe:
    """A one-op model made of an op of a model."""

    op_type: str
    proto: ModelProto
    feeds: Mapping[str, Array]
    outputs: tuple[str, ...]
    key: str
    """Equal for ops that share a probe."""


def probe_module(
    module: ModuleOp,
    chip: Chip,
    mode: str = "F32",
    *,
    jobs: int = 1,
    cache: Path | None = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> dict[Operation, ReasonAttr]:
    """The ops of a module in canonical form that `chip` computes wrong or not at all, with the reasons.

    Only ops that the check accepts and whose sizes are known are probed. `cache`: where measurements are
    kept, the user's cache folder by default. Raises AutosplitError if the tool chain is not here.
    """
    from autosplit.dialects.device import ReasonAttr

    reasons: dict[Operation, ReasonAttr] = {}
    for op, record in measure_module(
        module, chip, mode, jobs=jobs, cache=cache, progress=progress
    ).items():
        if record.result in FAILURES:
            text = f"{op.op_type} {describe(record)}: probed for {chip.vendor_name} in {mode}"
            reasons[op] = ReasonAttr.of("probe", text)
    return reasons


def describe(record: Record) -> str:
    """A result in words."""
    more = record.cause or (f"off by {record.off} of the largest number" if record.off else "")
    return RESULTS[record.result] + (f" ({more})" if more else "")


def measure_module(
    module: ModuleOp,
    chip: Chip,
    mode: str = "F32",
    *,
    jobs: int = 1,
    cache: Path | None = None,
    progress: Callable[[str], None] = lambda _text: None,
) -> dict[OnnxOp, Record]:
    """What becomes of each accepted op of a module in canonical form; equal ops are measured once."""
    setup = Setup(chip, mode, discover(), kept=cache_folder() if cache is None else cache)
    probes = dict(module_probes(module, chip))
    distinct = {probe.key: probe for probe in probes.values()}
    done = 0

    def measure(probe: Probe) -> Record:
        nonlocal done
        record = measure_model(probe.proto, probe.feeds, probe.outputs, setup)
        done += 1
        progress(f"probing ops, {done} of {len(distinct)}: {probe.op_type} is {record.result}")
        return record

    with ThreadPoolExecutor(jobs) as pool:
        records = dict(zip(distinct, pool.map(measure, distinct.values()), strict=True))
    return {op: records[probe.key] for op, probe in probes.items()}


def module_probes(module: ModuleOp, chip: Chip) -> Iterator[tuple[OnnxOp, Probe]]:
    """A probe for each op that the check accepts and whose sizes are known."""
    from autosplit.core.weights import store_for
    from autosplit.lowering.convert_onnx_to_top.check import check_module, top_level_ops
    from autosplit.lowering.shared.fold import Constants

    refused = check_module(module, chip)
    constants = Constants(store_for(module))
    for op in top_level_ops(module):
        if op in refused or op.op_type == "Constant":
            continue
        if (probe := op_probe(op, constants)) is not None:
            yield op, probe


def op_probe(op: OnnxOp, constants: Constants) -> Probe | None:
    """The one-op model of an op; None if a size or a constant is unknown."""
    from onnx import helper

    from autosplit.core.dtypes import dtype_of
    from autosplit.dialects.platform import static_shape
    from autosplit.formats.onnx.values import CODE_OF_ELEMENT
    from autosplit.formats.onnx.writer import node_proto

    names: dict[SSAValue, str] = {}
    inputs, initializers, feeds, said_of = list[Any](), list[Any](), dict[str, Any](), list[str]()
    for value in op.inputs:
        if value is None or value in names:
            continue
        shape, dtype = static_shape(value.type), dtype_of(value.type)
        if shape is None or dtype is None:
            return None
        if constants.is_constant(value):
            if (array := constants.array(value)) is None:
                return None
            names[value] = name = f"c{len(names)}"
            initializers.append(tensor(array, name))
            small = array.size <= LARGE or array.dtype.kind != "f"
            said_of.append(f"{name} {array.dtype}{array.shape}")
            said_of += [sha256(np.ascontiguousarray(array).tobytes()).hexdigest()] * small
            continue
        names[value] = name = f"x{len(names)}"
        feeds[name] = _drawn(op.op_type, name, shape, dtype)
        said_of.append(f"{name} {dtype}{shape}")
        kind = helper.np_dtype_to_tensor_dtype(dtype)
        inputs.append(helper.make_tensor_value_info(name, kind, shape))
    used = [i for i, r in enumerate(op.results) if i == 0 or r.first_use is not None]
    results = [op.results[i] for i in used]
    shapes = [static_shape(r.type) for r in results]
    if any(s is None for s in shapes):
        return None
    input_names = ["" if value is None else names[value] for value in op.inputs]
    node = node_proto(op, input_names, [f"y{i}" for i in range(len(op.results))], constants.store)
    outputs = [
        helper.make_tensor_value_info(
            f"y{i}", CODE_OF_ELEMENT.get(cast("Any", r.type).element_type, 0), shape
        )
        for i, r, shape in zip(used, results, shapes, strict=True)
    ]
    said_of += [*input_names, *map(str, used)]
    graph = helper.make_graph([node], "probe", inputs, outputs, initializers)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    text = node.SerializeToString(deterministic=True) + "\n".join(said_of).encode()
    return Probe(op.op_type, proto, feeds, tuple(f"y{i}" for i in used), sha256(text).hexdigest())


def _drawn(op_type: str, name: str, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    random = np.random.default_rng(crc32(f"{op_type} {name} {shape}".encode()))
    values = "bits" if dtype.kind != "f" else RANGES.get(op_type, "normal")
    return np.asarray(VALUES[values](random, tuple(shape))).astype(dtype)


def cache_folder() -> Path:
    """Where measurements are kept: in AUTOSPLIT_CACHE, else in `~/.cache/autosplit`."""
    if chosen := os.environ.get("AUTOSPLIT_CACHE"):
        return Path(chosen) / "probes"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "autosplit" / "probes"
