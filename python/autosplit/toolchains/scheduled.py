"""What the tool chain's scheduled module, `final.mlir`, computes and moves: one stage after the other.

A stage is a group of layers that work in local memory, or an op outside of groups that reads device memory
and writes it.

    %1 = "tpu.Permute"(%0) {order = [0, 3, 1, 2]} : (tensor<2x24x24x3xf16, 4096 : i64>) -> tensor<...> loc(#l)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

VIEWS = frozenset({"Reshape", "Unsqueeze", "Squeeze", "ShapeReduce", "Identity", "Yield"})
"""Kinds that move nothing."""

PARTS = frozenset({"Slice", "Gather", "Permute"})
"""Kinds that read as much of their operand as they make."""

MOVING = frozenset({*PARTS, "Pad", "Concat", "Tile", "ShapeCast", "Depth2Space", "SwapDimInner"})
"""Kinds that only move numbers: commands of theirs go to the DMA engine."""

_OP = re.compile(r'^\s*(?:%[\w:]+ = )?"(?:tpu|top)\.(\w+)"\(')
_GROUP_END = re.compile(r"^\s*\}\) \{")
_TENSOR = re.compile(
    r"tensor<((?:\d+x)*)((?:!quant\.uniform<[^<>]*>)|[a-z]\w*)(?:, (\d+) : i64)?>|none"
)
_LOCATION = re.compile(r"loc\((#loc\d*)\)\s*$")
_DEFINED = re.compile(r'^(#loc\d+) = loc\((?:"((?:[^"\\]|\\.)*)"|fused\[(.*)\])', re.DOTALL)
_SLICES = ("nsecs", "csecs", "dsecs", "hsecs", "wsecs")


@dataclass(frozen=True)
class ChipTensor:
    """A tensor's type."""

    shape: tuple[int, ...]
    dtype: str
    """`f16`, `i8`, ..., of what is stored."""
    address: int | None = None

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def width(self) -> int:
        """Bytes of an element."""
        bits = re.search(r"\d+", self.dtype)
        return max(int(bits[0]) // 8, 1) if bits else 4

    @property
    def bytes(self) -> int:
        return self.elements * self.width


@dataclass
class ChipStage:
    """A group, or an op outside of groups."""

    name: str = ""
    """The value that it makes last."""
    kinds: list[str] = field(default_factory=list[str])
    products: Counter[str] = field(default_factory=Counter[str])
    """Operations, two to a multiply-add, of convolutions and matrix products, by dtype."""
    others: Counter[int] = field(default_factory=Counter[int])
    """Operations of other kinds, by bytes of an element."""
    moved: int = 0
    """Bytes between device memory and the chip."""
    slices: int = 1
    """Into how many parts a group cuts its tensors; commands are written for each."""


def stages(text: str) -> list[ChipStage]:
    """The stages of a scheduled module, in order."""
    names = _names(text)
    found: list[ChipStage] = []
    group: ChipStage | None = None
    for line in text.splitlines():
        if _GROUP_END.match(line) and group is not None:
            group.slices = prod(_number(line, key) for key in _SLICES)
            group.name = _name(line, names)
            found.append(group)
            group = None
            continue
        if (matched := _OP.match(line)) is None:
            continue
        kind = matched[1]
        if line.rstrip().endswith("({"):
            group = ChipStage()
            continue
        if kind in ("None", "Weight", "Input") or kind in VIEWS:
            continue
        stage = ChipStage() if group is None else group
        _add(stage, kind, line)
        if group is None:
            stage.moved = _moved(kind, line)
            stage.name = _name(line, names)
            found.append(stage)
    return found


def _add(stage: ChipStage, kind: str, line: str) -> None:
    operands, results = _types(line)
    if kind in ("Load", "Store"):
        stage.moved += sum(t.bytes for t in results)
        return
    stage.kinds.append(kind)
    if not operands or not results:
        return
    if count := _products(kind, line, operands, results[0]):
        stage.products[operands[0].dtype] += count
    elif kind not in MOVING:
        result = results[0]
        stage.others[result.width] += result.elements * (prod(_sizes(line, "kernel_shape")) or 1)


def _products(kind: str, line: str, operands: list[ChipTensor], result: ChipTensor) -> int:
    """Operations of a convolution or a matrix product; 0 for other kinds."""
    source = operands[0]
    if kind in ("Conv2D", "Conv3D", "Deconv") and len(source.shape) > 1:
        kernel, groups = prod(_sizes(line, "kernel_shape")), _number(line, "group")
        if kind == "Deconv":
            return 2 * source.elements * kernel * result.shape[1] // groups
        return 2 * result.elements * kernel * source.shape[1] // groups
    if kind in ("MatMul", "A16MatMul") and source.shape:
        inner = -2 if "left_transpose = true" in line and len(source.shape) > 1 else -1
        return 2 * result.elements * source.shape[inner]
    if kind in ("LSTM", "GRU") and len(source.shape) == 3:
        return 2 * source.shape[0] * source.shape[1] * sum(t.elements for t in operands[1:3])
    return 0


def _moved(kind: str, line: str) -> int:
    """Bytes that an op outside of groups reads and writes."""
    operands, results = _types(line)
    places = {t.address for t in operands if t.address is not None}
    written = sum(t.bytes for t in results if t.address is None or t.address not in places)
    if not written:
        return 0
    return 2 * written if kind in PARTS else written + sum(t.bytes for t in operands)


def _types(line: str) -> tuple[list[ChipTensor], list[ChipTensor]]:
    head, _, results = line.rpartition(") -> ")
    at = head.rfind(" : (")
    return ([*_tensors(head[at:])] if at >= 0 else []), [*_tensors(results)]


def _tensors(text: str) -> Iterator[ChipTensor]:
    for match in _TENSOR.finditer(text):
        if match[2] is None:
            continue
        shape = tuple(int(size) for size in match[1].split("x") if size)
        address = int(match[3]) if match[3] else None
        yield ChipTensor(shape, _stored(match[2]), address)


def _stored(dtype: str) -> str:
    """What a tensor's elements are stored as."""
    if dtype.startswith("!quant"):
        return "i8" if "<i8" in dtype or "<u8" in dtype else dtype.partition("<")[2].split(":")[0]
    return {"si8": "i8", "ui8": "i8"}.get(dtype, dtype)


def _number(line: str, key: str) -> int:
    match = re.search(rf"\b{key} = (\d+) : ", line)
    return max(int(match[1]), 1) if match else 1


def _sizes(line: str, key: str) -> list[int]:
    match = re.search(rf"\b{key} = \[([\d, ]+)\]", line)
    return [int(size) for size in match[1].split(",")] if match else []


def _names(text: str) -> Mapping[str, str]:
    """What locations are called."""
    names: dict[str, str] = {}
    fused: dict[str, str] = {}
    for line in _defining(text.splitlines()):
        if (match := _DEFINED.match(line)) is None:
            continue
        if match[2] is not None:
            names[match[1]] = match[2]
        else:
            fused[match[1]] = match[3].split(",")[0].strip()
    return {**names, **{alias: names.get(first, "") for alias, first in fused.items()}}


def _defining(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.startswith("#loc"))


def _name(line: str, names: Mapping[str, str]) -> str:
    match = _LOCATION.search(line)
    return names.get(match[1], "") if match else ""
