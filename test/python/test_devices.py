"""The device tables: complete, sourced, and in agreement with what was measured."""

from __future__ import annotations

import dataclasses
import inspect
import tomllib
from pathlib import Path

import pytest

import autosplit.devices
from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.devices import (
    DEFAULT_CHIP,
    FIGURES,
    KINDS,
    LIMITS,
    WORKAROUNDS,
    all_chips,
    chip_names,
    get_chip,
    read_table,
)
from autosplit.dialects.top.table import OP_TABLE
from autosplit.lowering.convert_onnx_to_top.table import RULES
from autosplit.registry import get_all_passes
from autosplit.tools.cli.main import build_parser

FOLDER = Path(autosplit.devices.__file__).parent


def table(name: str = "bm1684"):
    return tomllib.loads((FOLDER / f"{name}.toml").read_text())


def test_all_tables_load():
    assert chip_names() == ("bm1684", "bm1684x", "bm1688")
    assert [chip.name for chip in all_chips()] == list(chip_names())


@pytest.mark.parametrize("name", chip_names())
def test_every_figure_says_where_it_comes_from(name: str):
    chip = get_chip(name)
    assert chip.modes_source
    for key, figure in chip.figures.items():
        assert figure.kind in KINDS, key
        assert figure.source, key
        assert figure.unit, key
    for ops in (chip.host_ops, chip.missing_ops, chip.dynamic_ops):
        assert set(ops) <= set(RULES)
        assert all(evidence.split(":")[0] in KINDS for evidence in ops.values())


def test_published_rates():
    """TOPS and TFLOPS as the vendor states them."""
    assert [c.rate("i8") for c in all_chips()] == [17.6e12, 32e12, 16e12]
    assert [c.rate("f32") for c in all_chips()] == [2.2e12, 2e12, 0.5e12]
    assert get_chip("bm1684x").rate("f16") == 16e12
    assert get_chip("bm1688").rate("bf16") == 4e12


def test_modes_are_those_the_tool_chain_built():
    assert set(get_chip("bm1684").modes) == {"F32", "INT8"}
    assert set(get_chip("bm1684x").modes) == {"F32", "F16", "BF16", "INT8"}
    with pytest.raises(AutosplitError, match="BM1684 does not compute in f16, only in f32, i8"):
        get_chip("bm1684").rate("f16")


@pytest.mark.parametrize("name", ["BM1684X", " bm1684x ", "Bm1684x"])
def test_names_in_any_case(name: str):
    assert get_chip(name).name == "bm1684x"


def test_unknown_chips_name_the_nearest():
    with pytest.raises(AutosplitError, match=r"'bm1683' is unknown .did you mean 'bm168"):
        get_chip("bm1683")


def test_bm1682_says_what_to_use():
    with pytest.raises(AutosplitError, match=r"'BM1682' has no device table.*bm1684x or bm1688"):
        get_chip("BM1682")


@pytest.mark.parametrize(
    ("name", "why"), [("BM1690", "libtpuv7_modelrt"), ("cv186x", "its ops were not measured")]
)
def test_chips_without_measurements_say_so(name: str, why: str):
    with pytest.raises(AutosplitError, match=f"'{name.upper()}' has no device table.*{why}"):
        get_chip(name)


@pytest.mark.parametrize("key", FIGURES)
def test_a_missing_figure_is_named(key: str):
    broken = table()
    del broken["figures"][key]
    with pytest.raises(AutosplitError, match=f"x.toml: device table has no figure '{key}'"):
        read_table(broken, "x.toml")


def test_a_missing_key_is_named():
    broken = table()
    del broken["modes"]
    with pytest.raises(AutosplitError, match=r"x\.toml: device table has no key 'modes'"):
        read_table(broken, "x.toml")


def test_a_figure_without_an_honest_source_is_refused():
    broken = table()
    broken["figures"]["launch"]["kind"] = "guess"
    with pytest.raises(AutosplitError, match="'launch' is of kind 'guess', expected one of"):
        read_table(broken, "x.toml")


def test_a_mode_needs_a_rate():
    broken = table()
    broken["modes"]["F16"] = "f16"
    with pytest.raises(AutosplitError, match="no figure 'f16_rate'"):
        read_table(broken, "x.toml")


def test_figures_are_positive():
    broken = table()
    broken["figures"]["memory"]["value"] = 0
    with pytest.raises(AutosplitError, match=r"'memory' is 0\.0, expected more than 0"):
        read_table(broken, "x.toml")


@pytest.mark.parametrize(
    ("key", "entry"), [("workarounds", "measured: odd"), ("limits", {"value": 1, "source": ""})]
)
def test_what_conversions_do_not_know_is_refused(key: str, entry: object):
    broken = table()
    broken[key]["odd"] = entry
    with pytest.raises(AutosplitError, match=f"x.toml: {key} has 'odd', expected one of "):
        read_table(broken, "x.toml")


def test_each_workaround_has_a_chip_and_evidence():
    for names, key in ((WORKAROUNDS, "workarounds"), (LIMITS, "limits")):
        assert {name for chip in all_chips() for name in getattr(chip, key)} == set(names)
    for chip in all_chips():
        said = [*chip.workarounds.values(), *chip.spoiling.values()]
        said += [limit.source for limit in chip.limits.values()]
        assert all(text.startswith("measured: ") for text in said)
        assert set(chip.spoiling) <= set(OP_TABLE)


def test_one_chip_is_the_default():
    """Of the command lines, of Python, and of all passes."""
    asked: list[object] = []
    parser = build_parser()
    commands = next(a.choices for a in parser._actions if isinstance(a.choices, dict))
    for command in commands.values():
        asked += [a.default for a in command._actions if "--target" in a.option_strings]
    asked += [inspect.signature(f).parameters["target"].default for f in (api.split, api.explain)]
    for load in get_all_passes(ours=True).values():
        asked += [f.default for f in dataclasses.fields(load()) if f.name == "target"]
    assert len(asked) > 10
    assert {str(a).lower() for a in asked if a is not None} == {DEFAULT_CHIP}
