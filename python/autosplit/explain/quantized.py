"""A report on a quantized model's values and ops, as text and as one page of HTML.

The page needs no network and no scripts: pictures are SVG in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from autosplit.core.units import count

BINS = 64
"""Bars of a picture."""

WIDTH, HEIGHT = 320, 60
"""Pixels of a picture."""

INK, GREY, BAR, OUT, RANGE = "#1f2733", "#667085", "#3d63a8", "#c2640f", "#eef3fb"

STYLE = f"""
body {{ font: 14px Helvetica, Arial, sans-serif; color: {INK}; margin: 24px; max-width: 1200px }}
h1 {{ font-size: 20px }} h2 {{ font-size: 16px; margin-top: 28px }}
table {{ border-collapse: collapse }} td, th {{ text-align: left; padding: 4px 12px }}
th {{ border-bottom: 1px solid {GREY} }}
td.n, th.n {{ text-align: right; font-variant-numeric: tabular-nums }}
tr:nth-child(even) td {{ background: #fafbfc }} .grey {{ color: {GREY} }}
"""


VALUE_COLUMNS = "".join(
    f'<th class="n">{title}</th>' for title in ("8 bits from", "to", "least", "most", "saturate")
)


@dataclass(frozen=True)
class ValueStatistics:
    """A value that is read as 8 bits."""

    name: str
    low: float
    high: float
    """What 8 bits reach from and to."""
    least: float
    most: float
    """The numbers that samples had."""
    outside: float = 0.0
    """The share of the numbers that saturate."""
    bars: tuple[int, ...] = ()
    """How many numbers lie in each of equal parts from `least` to `most`; empty if nobody counted."""


@dataclass(frozen=True)
class OpStatistics:
    """An op that computes with 8 bits, or stays in float32."""

    name: str
    type: str
    kept: str = ""
    """Why it is in float32; empty for 8 bits."""
    lost: float | None = None
    """What the metric loses if nothing but this op is quantized; None if that was not tried."""


@dataclass
class QuantizeReport:
    """All of it."""

    title: str
    summary: Sequence[str]
    metric: str = "cosine"
    values: list[ValueStatistics] = field(default_factory=list[ValueStatistics])
    ops: list[OpStatistics] = field(default_factory=list[OpStatistics])

    def text(self) -> str:
        """As lines of text."""
        rows = [
            (
                v.name,
                f"{v.low:.6g}",
                f"{v.high:.6g}",
                f"{v.least:.6g}",
                f"{v.most:.6g}",
                _share(v.outside),
            )
            for v in self.values
        ]
        ops = [(op.name, op.type, op.kept or "8 bits", _lost(op)) for op in self.ops]
        columns = ("value", "from", "to", "least", "most", "saturate")
        lines = [self.title, *self.summary, "", *_aligned([columns, *rows]), ""]
        lines += _aligned([("op", "type", "computes", f"{self.metric} lost alone"), *ops])
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """As a page."""
        lines = "".join(f"<p>{escape(line)}</p>\n" for line in self.summary)
        values = "".join(map(_value_row, self.values))
        worst = max((op.lost or 0.0 for op in self.ops), default=0.0)
        ops = "".join(_op_row(op, worst) for op in sorted(self.ops, key=lambda o: -(o.lost or 0.0)))
        title = escape(self.title)
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n{lines}"
            "<h2>Values that are read as 8 bits</h2>\n"
            '<p class="grey">How many numbers have each size, on a logarithmic scale. The shaded part is '
            "what 8 bits reach; what saturates is orange.</p>\n"
            f'<table id="values"><thead><tr><th>value</th><th>numbers of the samples</th>{VALUE_COLUMNS}'
            f"</tr></thead>\n<tbody>\n{values}</tbody></table>\n"
            '<h2>Ops</h2>\n<table id="ops"><thead><tr><th>op</th><th>type</th><th>computes with</th>'
            f'<th class="n">{escape(self.metric)} lost alone</th><th></th></tr></thead>\n'
            f"<tbody>\n{ops}</tbody></table>\n</body></html>\n"
        )


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _share(share: float) -> str:
    return f"{100 * share:.3g} %" if share else ""


def _lost(op: OpStatistics) -> str:
    return "" if op.lost is None else f"{op.lost:.2e}"


def _value_row(value: ValueStatistics) -> str:
    cells = [f"{n:.6g}" for n in (value.low, value.high, value.least, value.most)]
    cells.append(_share(value.outside))
    numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    return f"<tr><td>{escape(value.name)}</td><td>{_picture(value)}</td>{numbers}</tr>\n"


def _picture(value: ValueStatistics) -> str:
    """The numbers' sizes, as bars of an SVG; empty if nobody counted."""
    span = value.most - value.least
    if not value.bars or not span > 0:
        return ""

    def x(number: float) -> float:
        return min(max((number - value.least) / span, 0.0), 1.0) * WIDTH

    tallest = max(count.bit_length() for count in value.bars) or 1
    step = WIDTH / len(value.bars)
    bars: list[str] = []
    for i, number in enumerate(value.bars):
        height = HEIGHT * number.bit_length() / tallest
        middle = value.least + span * (i + 0.5) / len(value.bars)
        color = BAR if value.low <= middle <= value.high else OUT
        bars.append(
            f'<rect x="{i * step:.1f}" y="{HEIGHT - height:.1f}" width="{step - 0.5:.1f}" '
            f'height="{height:.1f}" fill="{color}"/>'
        )
    left, right = x(value.low), x(value.high)
    total = count(sum(value.bars))
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{total} numbers">'
        f'<rect x="{left:.1f}" y="0" width="{right - left:.1f}" height="{HEIGHT}" fill="{RANGE}"/>'
        f"{''.join(bars)}</svg>"
    )


def _op_row(op: OpStatistics, largest_loss: float) -> str:
    width = 200 * max(op.lost or 0.0, 0.0) / largest_loss if largest_loss > 0 else 0.0
    bar = (
        f'<svg width="200" height="12"><rect width="{width:.1f}" height="12" fill="{BAR}"/></svg>'
        if width
        else ""
    )
    cells = [
        escape(op.name),
        escape(op.type),
        escape(f"float32: {op.kept}" if op.kept else "8 bits"),
    ]
    return (
        "<tr>"
        + "".join(f"<td>{cell}</td>" for cell in cells)
        + f'<td class="n">{_lost(op)}</td><td>{bar}</td></tr>\n'
    )
