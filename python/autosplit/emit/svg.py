"""A picture of a split model: sub-models as boxes in their order, tensors as arrows between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from autosplit.explain import Border, Explanation, SubModel, explain

WIDTH = 880
BOX = 400
LEFT = 40
HEIGHT = 84
ROW = 18
FILL = {"cpu": "#e8eef7", "tpu": "#fbe9d0"}
EDGE = {"cpu": "#3b5b8c", "tpu": "#b8681a"}
LONGEST = 4
"""Tensors that are named at an arrow; more are counted."""


def svg(found: Explanation) -> str:
    """The picture as SVG text; sizes are pixels."""
    parts: list[str] = []
    y = 20
    rows = ["input", *(g.name for g in found.graphs), "output"]

    for i, row in enumerate(rows):
        graph = next((g for g in found.graphs if g.name == row), None)
        height = HEIGHT if graph is not None else 34

        parts.append(_box(graph, row, y, found))
        y += height
        if i + 1 < len(rows):
            lines = _crossing(found.borders, rows, i)
            gap = max(46, ROW * len(lines) + 26)
            parts.append(_arrow(y, gap, lines))
            y += gap
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 20}" '
        f'viewBox="0 0 {WIDTH} {y + 20}" font-family="Helvetica, Arial, sans-serif" font-size="13">\n'
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#555"/></marker></defs>\n'
        '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: int, y: int, text: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'


def _box(graph: SubModel | None, row: str, y: int, found: Explanation) -> str:
    if graph is None:
        names = [b.name for b in found.borders if (b.made_by == row or row in b.read_by)]
        label = ", ".join(names[:LONGEST]) + (" ..." if len(names) > LONGEST else "")
        shape = f'<rect x="{LEFT}" y="{y}" width="{BOX}" height="34" rx="17" fill="#f4f4f4" stroke="#999"/>'
        return shape + _text(LEFT + 16, y + 22, f"{row}: {label}"[:58])
    share = f", {100 * graph.work / found.work:.1f} % of the multiply-adds" if found.work else ""
    kinds = Counter(op.type for op in found.ops if op.graph == graph.name and not op.constant)
    common = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common(3))
    device = graph.device.upper() + (f" {graph.chip}" if graph.chip else "")
    fill, edge = FILL.get(graph.device, "#eee"), EDGE.get(graph.device, "#333")
    return "".join(
        [
            f'<rect x="{LEFT}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="8" fill="{fill}" '
            f'stroke="{edge}" stroke-width="2"/>',
            _text(LEFT + 16, y + 26, graph.name, 'font-weight="bold" font-size="16"'),
            _text(LEFT + BOX - 16, y + 26, device, f'text-anchor="end" fill="{edge}"'),
            _text(LEFT + 16, y + 48, f"{graph.ops} ops{share}"),
            _text(LEFT + 16, y + 69, common[:56], 'fill="#555" font-size="12"'),
        ]
    )


def _crossing(borders: list[Border], rows: list[str], index: int) -> list[str]:
    """What passes between row `index` and the next, one line a tensor."""
    place = {row: i for i, row in enumerate(rows)}
    passing = [
        b
        for b in borders
        if b.read_by and place[b.made_by] <= index < max(place[r] for r in b.read_by)
    ]
    lines = [f"{b.name}  {_shown(b)}" for b in passing[:LONGEST]]
    if len(passing) > LONGEST:
        lines.append(f"and {len(passing) - LONGEST} more tensors")
    return lines


def _shown(border: Border) -> str:
    return border.type.split(", #platform")[0].removeprefix("tensor<").rstrip(">")


def _arrow(y: int, gap: int, lines: list[str]) -> str:
    x = LEFT + 60
    parts = [
        f'<line x1="{x}" y1="{y}" x2="{x}" y2="{y + gap - 2}" stroke="#555" stroke-width="1.6" '
        'marker-end="url(#tip)"/>'
    ]
    top = y + (gap - ROW * len(lines)) // 2 + 13
    parts += [
        _text(x + 16, top + ROW * i, line[:104], 'fill="#333" font-size="12"')
        for i, line in enumerate(lines)
    ]
    return "".join(parts)


@dataclass(frozen=True)
class SvgTarget(Target):
    """A picture of an outlined module, as SVG."""

    name = "svg"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(svg(explain(module)))
