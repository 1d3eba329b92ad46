"""Recurrences that do not fit into a chip's local memory: which sizes are taken is what was measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain
from top_numbers import Array, compare, one_op, refusals

RANDOM = np.random.default_rng(5)

RIGHT = {
    ("bm1684", "GRU"): "1024x64 1024x128 1024x256 1024x320 1280x64 768x512 512x512",
    ("bm1684", "LSTM"): "1024x64 1024x1024 1280x1024",
    ("bm1684x", "GRU"): "512x512 768x512 1024x64 1024x256",
    ("bm1684x", "LSTM"): "512x512 736x512 752x512 768x512 896x64",
    ("bm1688", "GRU"): "384x512 384x512x64 512x64 512x64x4 256x1024",
    (
        "bm1688",
        "LSTM",
    ): "128x128x256 128x1024 256x512 256x256x32 384x64x4 384x128x4 384x256 384x288 448x64 472x64 "
    "64x2048",
}
"""Hidden size, width and batch that were measured to be right in F32, and are taken."""

WRONG = {
    ("bm1684", "GRU"): "1024x384 1024x512 1024x1024 512x1024 512x2048 1280x256 1280x1024",
    ("bm1684x", "GRU"): "1024x384 1024x512",
    ("bm1684x", "LSTM"): "736x512x64 752x512x64 960x64 1024x64 1024x512",
    ("bm1688", "GRU"): "384x528 384x544 384x768 512x512 512x768 640x64 768x64 896x64 1024x64",
    (
        "bm1688",
        "LSTM",
    ): "128x2048 256x768 256x1024 384x256x16 384x256x128 384x288x2 384x296 384x320 384x512 480x64 "
    "496x64 512x8 512x64 512x64x4 512x512 1024x64",
}
"""As above, of those that were measured to be wrong, or to end the compiler or the emulator."""


def drawn(*shape: int) -> Array:
    return RANDOM.random(shape, np.float32) / 16 - np.float32(1 / 32)


def recurrence(
    kind: str, sizes: str, steps: int = 4, directions: int = 1
) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """A model of one, of `HIDDENxWIDTH` or `HIDDENxWIDTHxBATCH`, and what to feed it."""
    hidden, width, batch = ([int(n) for n in sizes.split("x")] + [1])[:3]
    gates = 4 if kind == "LSTM" else 3
    feeds = {"x": drawn(steps, batch, width) * 30}
    shapes = [(directions, gates * hidden, n) for n in (width, hidden)] + [
        (directions, 2 * gates * hidden)
    ]
    attributes: dict[str, Any] = {"hidden_size": hidden}
    if kind == "GRU":
        attributes["linear_before_reset"] = 1
    if directions == 2:
        attributes["direction"] = "bidirectional"
    return one_op(kind, ["x", *map(lambda s: drawn(*s), shapes)], feeds, **attributes), feeds


@pytest.mark.parametrize(("chip", "kind"), RIGHT)
def test_what_was_right_is_taken(chip: str, kind: str):
    for sizes in RIGHT[chip, kind].split():
        assert refusals(recurrence(kind, sizes)[0], chip) == [], sizes


@pytest.mark.parametrize(("chip", "kind"), WRONG)
def test_what_was_wrong_is_refused(chip: str, kind: str):
    for sizes in WRONG[chip, kind].split():
        ((code, text),) = refusals(recurrence(kind, sizes)[0], chip)
        assert code == "size", sizes
        assert text.startswith(f"{kind} keeps "), text


def test_each_mode_has_its_own_limit():
    """Recurrences are f32 in F16 too; in BF16 an LSTM is not, and is right at any size."""
    large, _ = recurrence("LSTM", "1024x1024")
    modes = ("F32", "F16", "BF16", "INT8")
    found = {mode: bool(refusals(large, "bm1688", mode)) for mode in modes}
    assert found == {"F32": True, "F16": True, "BF16": False, "INT8": True}
    assert "in BF16 it is right" in refusals(large, "bm1688")[0][1]
    gated, _ = recurrence("GRU", "1024x1024")
    assert all(refusals(gated, "bm1688", mode) for mode in modes)
    assert "BF16" not in refusals(gated, "bm1688")[0][1]


def test_directions_are_computed_one_after_the_other():
    assert refusals(recurrence("LSTM", "256x512", directions=2)[0], "bm1688") == []
    assert refusals(recurrence("LSTM", "384x384", directions=2)[0], "bm1688") != []


@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin", "Hardmax"])
def test_no_more_places_are_looked_for_than_compile(kind: str):
    """Of 1 x 19 x 100 x 128 the compiler takes all memory for BM1684X."""
    for (height, width), refused in (((96, 96), False), ((100, 128), True)):
        model = one_op(kind, ["x"], {"x": np.zeros((1, 19, height, width), np.float32)}, axis=1)
        found = refusals(model, "bm1684x")
        assert bool(found) == refused
        assert not refused or "looks for 12800 places, needs up to 9216" in found[0][1]
        assert refusals(model, "bm1688") == []


@needs_toolchain
@pytest.mark.parametrize(("chip", "kind", "sizes"), [("bm1688", "LSTM", "384x288")])
def test_the_largest_are_right(chip: str, kind: str, sizes: str):
    model, feeds = recurrence(kind, sizes)
    compare(model, feeds, chip)


@needs_toolchain
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("chip", "kind", "sizes", "mode"),
    [
        ("bm1688", "LSTM", "384x256x4", "F16"),
        ("bm1688", "GRU", "384x512x64", "F16"),
        ("bm1688", "LSTM", "1024x512", "BF16"),
        ("bm1684x", "LSTM", "768x512", "F32"),
        ("bm1684x", "GRU", "1024x256", "F16"),
        ("bm1684", "GRU", "1024x320", "F32"),
        ("bm1684", "LSTM", "1280x1024", "F32"),
    ],
)
def test_others_are_right_too(chip: str, kind: str, sizes: str, mode: str):
    model, feeds = recurrence(kind, sizes, directions=2)
    compare(model, feeds, chip, mode)
