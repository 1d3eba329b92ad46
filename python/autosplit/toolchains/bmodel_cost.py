"""What a bmodel costs the chip, by what the tool chain leaves in the folder where its steps ran.

- `model_tool --info` says how many bytes commands, weights and the values between ops take;
- `*.bmodel.json` has the commands of each op, for the engine that computes and for the one that moves data;
- `compiler_profile_N.txt` is the tool chain's own timing of core N, command by command; bm1684 has none.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

SCHEDULED = "final.mlir"
"""The scheduled module."""

_MEMORY = re.compile(
    r"^device mem size: \d+ \(weight: (\d+), instruct: (\d+), runtime: (\d+)\)$", re.MULTILINE
)
_RUNTIME = re.compile(r"^flops: \d+, runtime: ([\d.]+)ms", re.MULTILINE)
_END = 512
"""Bytes at the end of a profile in which its sum stands."""


@dataclass(frozen=True)
class DeviceMemory:
    """Bytes of the chip's memory that a bmodel takes."""

    commands: int
    weights: int
    runtime: int
    """For inputs, outputs and what lies between."""


@dataclass(frozen=True)
class OpCommands:
    """An op of the scheduled module."""

    name: str
    """The value that it makes."""
    kind: str
    commands: int


def device_memory(text: str) -> DeviceMemory | None:
    """What `model_tool --info` says of a bmodel, in a text that has it; None where it does not."""
    networks = [tuple(map(int, sizes)) for sizes in _MEMORY.findall(text)]
    if not networks:
        return None
    weights, commands, runtime = (max(sizes) for sizes in zip(*networks, strict=True))
    return DeviceMemory(commands, weights, runtime)


def op_commands(work: Path) -> list[OpCommands]:
    """The ops, those with the most commands first; empty where the tool chain says nothing of them."""
    counted: Counter[tuple[str, str]] = Counter()
    for path in sorted(work.glob("*.bmodel.json")):
        for entry in cast("list[dict[str, Any]]", json.loads(path.read_text(encoding="utf-8"))):
            before, after = entry["tiu_dma_id(before)"], entry["tiu_dma_id(after)"]
            results = cast("list[dict[str, Any]]", entry["results"])
            name = next((str(r["name"]) for r in results if "name" in r), "")
            kind = str(entry["opcode"]).rpartition(".")[2]
            counted[name, kind] += sum(after) - sum(before)
    return [OpCommands(name, kind, n) for (name, kind), n in counted.most_common() if n > 0]


LOWERED = "tpu.mlir"
"""The module of the chip's ops, before it is scheduled."""


def narrowed(work: Path) -> tuple[int, int]:
    """How many products of matrices have narrow weights, in modes like W8F16, and how many there are."""
    text = (work / LOWERED).read_text(encoding="utf-8", errors="replace")
    narrow = text.count('"tpu.A16MatMul"(')
    return narrow, narrow + text.count('"tpu.MatMul"(')


def simulated(work: Path) -> float:
    """Milliseconds of a run as the tool chain sees them, those of the slowest core; 0 where it does not."""
    times = [0.0]
    for path in work.glob("compiler_profile_*.txt"):
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - _END, 0))
            profile = file.read().decode("utf-8", "replace")
        # A profile has a sum for each network; a bmodel of ours has one.
        times += [float(text) for text in _RUNTIME.findall(profile)]
    return max(times)
