"""A picture of a split model: sub-models as boxes in their order, tensors as arrows between them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from autosplit.core.units import count, counted, share, size
from autosplit.explain.plan import Border, Explanation, SubModel, explain

# All sizes are pixels.
WIDTH = 860
MARGIN = 30
BOX = 104
PILL = 34
ROW = 22
ARROW = MARGIN + 55
"""The middle of the arrows."""
LABEL, TYPE, BYTES = MARGIN + 100, WIDTH - MARGIN - 110, WIDTH - MARGIN
"""Where the columns beside an arrow are: names begin, types end, sizes end."""
_SIZES = re.compile(r"(?<=[\d?])x(?=[\d?])")

LONGEST = 6
"""Tensors that are named beside an arrow; more are counted."""

INK, GREY, LINE = "#1f2733", "#667085", "#98a2b3"
FILL = {"cpu": "#eef3fb", "tpu": "#fdf1e3"}
EDGE = {"cpu": "#3d63a8", "tpu": "#c2640f"}
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def svg(explanation: Explanation) -> str:
    """The picture as SVG text."""
    elements = [_text(MARGIN, MARGIN + 14, _title(explanation), size=16, bold=True)]
    y = MARGIN + 34
    rows = ["input", *(g.name for g in explanation.graphs), "output"]
    graphs = {g.name: g for g in explanation.graphs}
    for i, row in enumerate(rows):
        graph = graphs.get(row)
        elements += _pill(row + "s", y) if graph is None else _box(graph, y, explanation)
        y += PILL if graph is None else BOX
        if i + 1 == len(rows):
            break
        crossing = _crossing(explanation.borders, rows, i)
        gap = max(48, ROW * len(crossing) + 24)
        elements += _arrow(y, gap, crossing)
        y += gap
    y += MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
        f'viewBox="0 0 {WIDTH} {y}" font-family="{FONT}">\n'
        f'<rect width="{WIDTH}" height="{y}" rx="12" fill="white"/>\n'
        + "\n".join(elements)
        + "\n</svg>\n"
    )


def _title(explanation: Explanation) -> str:
    graphs = counted(len(explanation.graphs), "sub-model")
    if not explanation.work:
        return graphs
    on_tpu = share(explanation.tpu_work, explanation.work)
    return f"{graphs}, {on_tpu} of {count(explanation.work)} multiply-adds on the TPU"


def _text(
    x: int,
    y: int,
    text: str,
    *,
    size: int = 13,
    fill: str = INK,
    bold: bool = False,
    end: bool = False,
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}{anchor}>'
        f"{escape(text, quote=False)}</text>"
    )


def _pill(label: str, y: int) -> list[str]:
    width = 2 * (ARROW - MARGIN)
    shape = (
        f'<rect x="{MARGIN}" y="{y}" width="{width}" height="{PILL}" rx="{PILL // 2}" '
        f'fill="#f4f5f7" stroke="{LINE}"/>'
    )
    text = _text(ARROW, y + 22, label, fill=GREY)
    return [shape, text.replace("<text ", '<text text-anchor="middle" ')]


def _box(graph: SubModel, y: int, explanation: Explanation) -> list[str]:
    fill, edge = FILL.get(graph.device, "#f4f5f7"), EDGE.get(graph.device, GREY)
    wide = WIDTH - 2 * MARGIN
    left, right = MARGIN + 22, WIDTH - MARGIN - 22
    ops = counted(graph.ops, "op")
    work = f"{count(graph.work)} multiply-adds" if graph.work else "no multiply-adds"
    kinds = Counter(op.type for op in explanation.ops if op.graph == graph.name and not op.constant)
    common = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common(8))
    device = f"{graph.device.upper()}  {graph.chip.upper()}".strip()
    lines = [
        f'<rect x="{MARGIN}" y="{y}" width="{wide}" height="{BOX}" rx="10" fill="{fill}" '
        f'stroke="{edge}" stroke-width="1.5"/>',
        _text(left, y + 31, graph.name, size=18, bold=True),
        _text(right, y + 31, device, size=15, fill=edge, bold=True, end=True),
        _text(left, y + 55, f"{ops}, {work}"),
        _text(left, y + 75, _fit(common, right - left, 12), size=12, fill=GREY),
    ]
    if not explanation.work:
        return lines
    lines.append(_text(right, y + 55, share(graph.work, explanation.work), end=True))
    bar = right - left
    filled = round(bar * graph.work / explanation.work)
    lines.append(f'<rect x="{left}" y="{y + 86}" width="{bar}" height="5" rx="2.5" fill="white"/>')
    if filled:
        lines.append(
            f'<rect x="{left}" y="{y + 86}" width="{filled}" height="5" rx="2.5" fill="{edge}"/>'
        )
    return lines


def _crossing(borders: list[Border], rows: list[str], index: int) -> list[tuple[str, str, str]]:
    """What passes between row `index` and the next: name, type and size of each tensor."""
    row_index = {row: i for i, row in enumerate(rows)}
    passing = [
        b
        for b in borders
        if b.read_by and row_index[b.made_by] <= index < max(row_index[r] for r in b.read_by)
    ]
    lines: list[tuple[str, str, str]] = []
    listed = passing if len(passing) <= LONGEST else passing[: LONGEST - 1]
    for border in listed:
        first_reader = min(row_index[r] for r in border.read_by if row_index[r] > index)
        past = f"  (for {rows[first_reader]})" if first_reader > index + 1 else ""
        lines.append(
            (
                border.name + past,
                _SIZES.sub("\N{MULTIPLICATION SIGN}", border.shown),
                size(border.bytes),
            )
        )
    if unlisted := passing[len(listed) :]:
        sizes = [b.bytes for b in unlisted if b.bytes is not None]
        total = size(sum(sizes)) if len(sizes) == len(unlisted) else "?"
        lines.append((f"and {counted(len(unlisted), 'more tensor')}", "", total))
    return lines


def _arrow(y: int, gap: int, lines: list[tuple[str, str, str]]) -> list[str]:
    tip = y + gap
    elements = [
        f'<line x1="{ARROW}" y1="{y}" x2="{ARROW}" y2="{tip - 9}" stroke="{LINE}" '
        'stroke-width="2"/>',
        f'<path d="M{ARROW - 6} {tip - 11}L{ARROW + 6} {tip - 11}L{ARROW} {tip - 1}z" fill="{LINE}"/>',
    ]
    top = y + (gap - ROW * len(lines)) // 2 + 15
    for i, (name, type, bytes_) in enumerate(lines):
        at = top + ROW * i
        room = TYPE - LABEL - width_of(type, 12) - 16
        row = [
            _text(LABEL, at, _fit(name, int(room), 12), size=12),
            _text(TYPE, at, type, size=12, fill=GREY, end=True),
            _text(BYTES, at, bytes_, size=12, fill=GREY, end=True),
        ]
        elements.append("".join(row))
    return elements


def width_of(text: str, size: int) -> float:
    """About how wide a text is, rather too much than too little; a file knows nothing of the fonts."""
    narrow, wide = set("fijltrI.,:;'|!()[]/ "), set("mwMW@%—")
    units = sum(
        0.36 if c in narrow else 0.92 if c in wide else 0.66 if c.isupper() else 0.6 for c in text
    )
    return units * size


def _fit(text: str, width: int, size: int) -> str:
    """The text, or as much of its beginning and end as there is room for."""
    if width_of(text, size) <= width:
        return text
    length = len(text)
    while length > 8:
        length -= 1
        head, tail = length - length // 2, length // 2
        short = f"{text[:head]}…{text[len(text) - tail :]}"
        if width_of(short, size) <= width:
            return short
    return text[:length]


@dataclass(frozen=True)
class SvgTarget(Target):
    """A picture of an outlined module, as SVG.

    Example: `autosplit-opt out/ -t svg > out.svg`
    """

    name = "svg"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(svg(explain(module)))
