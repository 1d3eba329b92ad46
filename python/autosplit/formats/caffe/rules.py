"""Selects the layers for inference from a prototxt that also describes training."""

from __future__ import annotations

from autosplit.formats.caffe.text import Message


def is_included(layer: Message, net: Message) -> bool:
    """Whether a layer's rules include it in the network's TEST phase."""
    include, exclude = layer.messages("include"), layer.messages("exclude")
    state = next(iter(net.messages("state")), Message())
    if include:
        return any(_is_met(rule, state) for rule in include)
    return not any(_is_met(rule, state) for rule in exclude)


def _is_met(rule: Message, state: Message) -> bool:
    if rule.text("phase", "TEST") not in ("TEST", "1"):
        return False
    level = _level(state.text("level", "0"))
    if not _level(rule.text("min_level"), level) <= level <= _level(rule.text("max_level"), level):
        return False
    stages = set(state.scalars("stage"))
    return stages.issuperset(rule.scalars("stage")) and stages.isdisjoint(rule.scalars("not_stage"))


def _level(text: str, default: int = 0) -> int:
    try:
        return int(text)
    except ValueError:
        return default
