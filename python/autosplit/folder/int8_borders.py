"""Values that cross the border of a TPU sub-model as the 8-bit integers that both sides hold.

They go from one TPU sub-model to others only; or they are integers in the model already, which the CPU makes
or reads, with a scale that QuantizeLinear or DequantizeLinear states; or, where that is asked for, they are
inputs and outputs of the whole model.

An INT8 network takes and gives f32 unless it is told otherwise: it would turn a value into f32 at its end,
four bytes an element, only for the next network to turn it back. Where all sides hold a value with the same
type and the same step, the casts are left out on both sides.

Whether they can be is not for us to say: a chip computes some ops in f32 all the same. So it is read from
what TPU-MLIR's second step makes of each sub-model, with calibration tables that agree on the value's range.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.calibration.calibrate import run_step
from autosplit.calibration.table_files import Range, read_table, table_text
from autosplit.core.errors import AutosplitError
from autosplit.toolchains.bmodel_compile import link_sources, steps

if TYPE_CHECKING:
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.portable.networks import NetworkPort
    from autosplit.toolchains.bmodel_compile import Settings
    from autosplit.toolchains.tpu_mlir import TpuMlir


@dataclass(frozen=True)
class Crossing:
    """A value that one TPU sub-model makes, and only TPU sub-models read."""

    tensor: str
    producer: int
    """The index of the sub-model."""
    consumers: tuple[int, ...]


@dataclass(frozen=True)
class Held:
    """How a network holds a value: as integers that stand for that many steps."""

    dtype: str
    """`int8` or `uint8`."""
    step: float
    zero_point: int = 0

    @property
    def range(self) -> Range:
        """The range in a calibration table that makes a network use these steps."""
        return Range(-127 * self.step if self.dtype == "int8" else 0.0, self._most * self.step)

    @property
    def _most(self) -> int:
        return 127 if self.dtype == "int8" else 255


def crossings(infos: GraphInfos, compiled: Iterable[int]) -> list[Crossing]:
    """The values that stay among the sub-models that are compiled, in the order of their producers.

    A value that is also an output of the whole model is not among them.
    """
    chosen, wanted = set(compiled), set(infos.outputs.values())
    readers: dict[str, list[int]] = {}
    for graph in infos.graphs:
        for name in graph.inputs:
            readers.setdefault(name, []).append(graph.index)
    crossing: list[Crossing] = []
    for graph in infos.graphs:
        if graph.index not in chosen:
            continue
        for name in graph.outputs:
            consumers = readers.get(name, [])
            if consumers and name not in wanted and chosen.issuperset(consumers):
                crossing.append(Crossing(name, graph.index, tuple(consumers)))
    return crossing


def with_ranges(table: str, ranges: Mapping[str, Range], samples: int) -> str:
    """A calibration table with some values' ranges replaced: a value has one range in all sub-models."""
    recorded = read_table(table)
    return table_text(
        {name: ranges.get(name, range_) for name, range_ in recorded.items()}, samples
    )


# What the second step made

_DEFINITION = re.compile(r"^\s*((?:%\w+(?::\d+)?(?:, )?)+) = \"([\w.]+)\"\(([^)]*)\)")
_RETURN = re.compile(r"^\s*(?:func\.)?\"?(?:func\.)?return\"?\(?\s*(%[^:)]*)\)? :")
_VALUE = re.compile(r"%\w+(?:#\d+)?")
_HELD = re.compile(r"!quant\.uniform<([iu])8:f\d+, ([-+.\deE]+)(?::(-?\d+))?>")


def held_ports(text: str) -> tuple[list[Held | None], list[Held | None]]:
    """How a lowered module holds its inputs and outputs, None if it takes or gives f32.

    `text` is what the step `lower` of TPU-MLIR printed. Raises AutosplitError for a text that is none.
    """
    defined: dict[str, str] = {}
    uses: dict[str, list[str]] = {}
    inputs: list[str] = []
    returned: list[str] | None = None
    for line in text.splitlines():
        if (match := _DEFINITION.match(line)) is not None:
            result, kind, operands = match.groups()
            defined[result.split(":")[0]] = line
            for value in _VALUE.findall(operands):
                uses.setdefault(value, []).append(line)
            if kind == "top.Input":
                inputs.append(result)
        elif (match := _RETURN.match(line)) is not None:
            returned = _VALUE.findall(match.group(1))
            for value in returned:
                uses.setdefault(value, []).append(line)
    if returned is None or not inputs:
        raise AutosplitError("what TPU-MLIR lowered has no inputs or no return: it cannot be read")
    return (
        [_taken(uses.get(name, [])) for name in inputs],
        [_held_output(defined.get(name, ""), uses[name]) for name in returned],
    )


def _taken(readers: list[str]) -> Held | None:
    """How an input is held: it is only cast."""
    if len(readers) != 1 or '"tpu.Cast"' not in readers[0]:
        return None
    return _held(readers[0].rsplit(" -> ", 1)[-1])


def _held_output(definition: str, readers: list[str]) -> Held | None:
    """How an output is held: it is only cast back, for nobody else."""
    if len(readers) != 1 or '"tpu.Cast"' not in definition:
        return None
    return _held(definition.rsplit(" -> ", 1)[0])


def _held(type: str) -> Held | None:
    match = _HELD.search(type)
    if match is None:
        return None
    sign, step, zero_point = match.groups()
    return Held("int8" if sign == "i" else "uint8", float(step), int(zero_point or 0))


def lowered(settings: Settings, folder: Path, toolchain: TpuMlir) -> str:
    """What TPU-MLIR's first two steps make of the sub-model in `folder`, with its calibration table.

    Raises AutosplitError if they fail.
    """
    with tempfile.TemporaryDirectory(prefix="autosplit-") as name:
        work = Path(name)
        link_sources(settings, str(folder), name)
        for _, _, command in steps(str(toolchain.tpuc_opt), settings)[:2]:
            run_step(command, work, toolchain.environment())
        return (work / "tpu.mlir").read_text(encoding="utf-8")


# What crosses


@dataclass(frozen=True)
class Ports:
    """How a sub-model holds its inputs and outputs, by the folder's names."""

    inputs: Mapping[str, Held | None]
    outputs: Mapping[str, Held | None]


def agreed(crossings: Iterable[Crossing], ports: Mapping[int, Ports]) -> dict[str, Held]:
    """The values that all their sides hold as the same integers, with 0 for 0: ranges say no more."""
    same: dict[str, Held] = {}
    for crossing in crossings:
        held = ports[crossing.producer].outputs.get(crossing.tensor)
        if held is None or held.zero_point:
            continue
        sides = [ports[index].inputs.get(crossing.tensor) for index in crossing.consumers]
        if all(side is not None and _equal(held, side) for side in sides):
            same[crossing.tensor] = held
    return same


def _equal(one: Held, other: Held) -> bool:
    same_numbers = (one.dtype, one.zero_point) == (other.dtype, other.zero_point)
    return same_numbers and abs(one.step - other.step) <= 1e-6 * one.step


# The model's own ends


def own_ends(infos: GraphInfos, compiled: Iterable[int]) -> dict[str, str]:
    """The inputs and outputs of the whole model, and why each stays as it is; empty if it need not."""
    chosen = set(compiled)
    readers: dict[str, set[int]] = {}
    makers = {name: graph.index for graph in infos.graphs for name in graph.outputs}
    for graph in infos.graphs:
        for name in graph.inputs:
            readers.setdefault(name, set()).add(graph.index)
    ends: dict[str, str] = {}
    for name in infos.inputs:
        ends[name] = _stays(infos, name, readers.get(name, set()), chosen, "reads")
    for name in infos.outputs.values():
        sources = {makers[name]} if name in makers else set[int]()
        ends[name] = _stays(infos, name, sources, chosen, "makes")
        if readers.get(name):
            ends[name] = ends[name] or "another sub-model reads it too"
    return ends


def _stays(infos: GraphInfos, name: str, sides: set[int], chosen: set[int], does: str) -> str:
    dtype = infos.tensors[name].dtype or "of an unknown dtype"
    if not dtype.startswith("float"):
        return f"the model has it as {dtype}, not as real numbers"
    if not sides:
        return f"no sub-model {does} it"
    others = [graph for graph in infos.graphs if graph.index in sides - chosen]
    if not others:
        return ""
    if others[0].device == "cpu":
        return f"graph_{others[0].index} {does} it, on the CPU"
    return f"graph_{others[0].index} {does} it, and is not compiled now"


def held_ends(
    ends: Mapping[str, str], ports: Mapping[int, Ports]
) -> tuple[dict[str, Held], dict[str, str]]:
    """Those ends that all their sub-models hold as the same integers, and why others stay real numbers."""
    same: dict[str, Held] = {}
    reasons: dict[str, str] = {}
    for name, reason in ends.items():
        sides = [s for p in ports.values() for s in (p.inputs, p.outputs) if name in s]
        held = [side[name] for side in sides]
        first = held[0] if held else None
        if reason or not held:
            reasons[name] = reason or "the network does not have it"
        elif first is None or None in held:
            reasons[name] = "the network computes it in floats, or uses it as such too"
        elif not all(one is not None and _equal(first, one) for one in held):
            reasons[name] = "the networks that read it count in different steps"
        else:
            same[name] = first
    return same, reasons


def misfit(border: NetworkPort, held: Held | None) -> str:
    """Why integers of the model cannot cross as those that a network holds; empty if they can.

    `border` is one with a step, `held` how the network holds the value.
    """
    from autosplit.lowering.quant.own_scales import Scale

    wanted = Scale(border.dtype, border.step, border.zero_point).chip_dtype
    if not wanted:
        return (
            f"{border.dtype} with zero point {border.zero_point}; a chip has 0 in the middle or at the "
            "lower end"
        )
    if held is None:
        return "the network computes it in floats, or uses it as such too"
    if held.dtype != wanted:
        return f"the network holds it as {held.dtype}, which would have to be {wanted}"
    if not _equal(held, Held(wanted, border.step)):
        return f"the network counts in steps of {held.step:.6g}, the model in {border.step:.6g}"
    return ""


def saved(shape: Sequence[int], sides: int) -> int:
    """The bytes that are not moved: three an element, in or out of each TPU sub-model."""
    return 3 * prod(shape) * sides
