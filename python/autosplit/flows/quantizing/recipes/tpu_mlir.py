"""TPU-MLIR's calibration table and its quantize table.

Both go by the names of values. Its converter of ONNX puts the op's type behind them, `y_Conv` for `y`: so
may a table, where the model has no value of the name itself. A value's range is from `min` to `max`, cut
off where the threshold is. A value in a mode of real numbers keeps the op that makes it in float32, or the
product in whose kernel that is computed: TPU-MLIR calls a convolution and the activation behind it by the
activation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from autosplit.calibration.table_files import (
    FLOAT_MODES,
    INT8_MODES,
    Range,
    quantize_table,
    read_quantize_table,
    table_lines,
    table_text,
)
from autosplit.core.errors import AutosplitError
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.flows.quantizing.recipes.model_names import ModelNames
from autosplit.flows.quantizing.recipes.recipe_file import FileContent

Line = TypeVar("Line")


def is_calibration_table(content: FileContent) -> bool:
    """Whether lines have three numbers."""
    first = next(iter(content.lines), "")
    if not first:
        return content.data is None and "threshold" in content.text
    return len(first.split()) == 4


def is_quantize_table(content: FileContent) -> bool:
    """Whether lines have a mode."""
    first = next(iter(content.lines), "").split()
    if not first:
        return content.data is None and "quantize_mode" in content.text
    return len(first) == 2 and (
        "quantize_mode" in content.text or first[1].upper() in (*FLOAT_MODES, *INT8_MODES)
    )


def read_calibration(content: FileContent, model: ModelNames) -> Recipe:
    """The ranges of a calibration table."""
    recipe = Recipe()
    for number, name, threshold, stated in _at(content, lambda text: list(table_lines(text))):
        value = _value(name, model, f"{content.path}, line {number}")
        if value is not None:
            limit = abs(threshold)
            low, high = (min(max(n, -limit), limit) for n in (stated.low, stated.high))
            recipe.ranges[value] = low, high
    return recipe


def write_calibration(recipe: Recipe, model: ModelNames) -> str:
    """A calibration table."""
    ranges = {name: Range(low, high) for name, (low, high) in recipe.ranges.items()}
    return table_text(ranges, recipe.samples, recipe.calibrator or "min-max")


def read_modes(content: FileContent, model: ModelNames) -> Recipe:
    """What a quantize table keeps in float32."""
    recipe = Recipe()
    for number, name, mode in _at(content, read_quantize_table):
        value = _value(name, model, f"{content.path}, line {number}")
        maker = None if value is None else model.makers.get(value)
        if maker is None or mode not in FLOAT_MODES:
            continue
        op = model.by_name.get(maker.product, maker)
        recipe.ops[op.name] = QuantizedOp(op.type, kept=f"{mode} in the quantize table")
    return recipe


def write_modes(recipe: Recipe, model: ModelNames) -> str:
    """A quantize table: what makes and what ends a kernel of an op that is kept."""
    kept = set(recipe.kept)
    ops = [op for op in model.ops if (op.product or op.name) in kept]
    names = dict.fromkeys(value for op in ops for value in op.outputs)
    return quantize_table(names, "F32") or "# op_name   quantize_mode\n"


def _at(content: FileContent, read: Callable[[str], list[Line]]) -> list[Line]:
    try:
        return read(content.text)
    except AutosplitError as error:
        raise content.error(str(error)) from None


def _value(name: str, model: ModelNames, where: str) -> str | None:
    if name not in model.values:
        plain, _, kind = name.rpartition("_")
        maker = model.makers.get(plain)
        if maker is not None and maker.type == kind:
            return plain
    return model.value(name, where)
