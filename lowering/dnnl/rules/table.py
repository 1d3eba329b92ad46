"""The fusion rules as text, for tools and documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from autosplit.core.versions import Version
from autosplit.lowering.dnnl.rules.parts import (
    BINARY,
    CHECKS,
    ELEMENTWISE,
    REDUCE,
    UNARY,
    Choice,
    Rule,
    Source,
    Step,
)
from autosplit.lowering.dnnl.rules.versions import all_rules, rules_of


@dataclass(frozen=True)
class RuleRow:
    """A rule as the tools print it."""

    name: str
    versions: str
    ops: str
    conditions: str
    checks: tuple[str, ...]
    """The conditions by their names in CHECKS, as in `Add: joins`."""
    doc: str


def rules_table(version: Version | None = None) -> list[RuleRow]:
    """The rules of a version, or of all, as text for tables, in the order in which they are tried."""
    rules = all_rules() if version is None else rules_of(version)
    return [_row(rule) for rule in rules]


def _row(rule: Rule) -> RuleRow:
    checks = list(_conditions(rule))
    return RuleRow(
        rule.name,
        _versions(rule),
        _ops(rule),
        conditions="; ".join(dict.fromkeys(f"{kinds}: {CHECKS[c].text}" for kinds, c in checks)),
        checks=tuple(f"{kinds}: {c}" for kinds, c in checks),
        doc=rule.doc,
    )


def _versions(rule: Rule) -> str:
    since = ".".join(map(str, rule.since))
    return f"{since}-" if rule.until is None else f"{since} until {'.'.join(map(str, rule.until))}"


_SHORT = ((ELEMENTWISE, "elementwise"), (UNARY, "unary"), (BINARY, "binary"), (REDUCE, "Reduce*"))


def _ops(rule: Rule) -> str:
    sources = [_source(s) for _, s in rule.root.sources]
    if rule.every is not None:
        sources = [f"{_source(rule.every)}..."]
    tail = " > ".join([_kinds_text(rule.root.kinds), *map(_part_text, rule.tail)])
    return f"({', '.join(sources)}) > {tail}" if sources else tail


def _kinds_text(kinds: tuple[str, ...]) -> str:
    return next((name for group, name in _SHORT if set(group) == set(kinds)), "|".join(kinds))


def _source(source: Source) -> str:
    text = ">".join(link.kind for link in reversed(source.chain))
    if source.filled is not None:
        text = f"[{source.filled.kind}>]{text}"
    return f"[{text}]" if source.optional else text


def _part_text(step: Step | Choice) -> str:
    if isinstance(step, Choice):
        text = " | ".join(" > ".join(map(_part_text, option)) for option in step.options)
        return f"[{text}]" if step.optional else f"({text})"
    text = _kinds_text(step.kinds)
    if step.sources:
        text += f"({', '.join(_source(s) for _, s in step.sources)})"
    if (step.least, step.most) == (1, 1):
        return text
    return f"[{text}]" if (step.least, step.most) == (0, 1) else f"{text}x{step.least}-{step.most}"


def _conditions(rule: Rule) -> Iterator[tuple[str, str]]:
    """The checks of a rule, each once: the kinds of ops that it applies to, and its name."""
    conditions: dict[tuple[str, str], None] = {}

    def add(kinds: str, checks: tuple[str, ...]) -> None:
        conditions.update(dict.fromkeys((kinds, c) for c in checks))

    def step(part: Step) -> None:
        add(_kinds_text(part.kinds), part.checks)
        for _, source in part.sources:
            links = (*source.chain, *((source.filled,) if source.filled else ()))
            for link in links:
                add(link.kind, link.checks)

    step(rule.root)
    for part in rule.tail:
        for item in chain.from_iterable(part.options) if isinstance(part, Choice) else (part,):
            step(item)
    return iter(conditions)
