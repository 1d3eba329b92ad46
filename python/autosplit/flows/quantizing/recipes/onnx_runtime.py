"""ONNX Runtime's tensor ranges: what `save_tensors_data` and `write_calibration_table` write, as JSON.

`quantize_static` takes such a file as `calibration_cache_path`. The other two files of
`write_calibration_table` have one number for a value, from which no range follows.
"""

from __future__ import annotations

from typing import Any, cast

from autosplit.core.units import counted
from autosplit.flows.quantizing.recipe import Range, Recipe
from autosplit.flows.quantizing.recipes.model_names import ModelNames
from autosplit.flows.quantizing.recipes.recipe_file import FileContent, json_text

ENDS = ("lowest", "highest")


def is_tensor_ranges(content: FileContent) -> bool:
    """Whether JSON says that it is TensorsData, or has nothing but TensorData in it."""
    entries = content.object
    if entries.get("CLS") == "TensorsData":
        return True
    return bool(entries) and all(
        isinstance(v, dict) and cast("dict[str, Any]", v).get("CLS") == "TensorData"
        for v in entries.values()
    )


def read_tensor_ranges(content: FileContent, model: ModelNames) -> Recipe:
    """The ranges."""
    entries = content.object
    if entries.get("CLS") == "TensorsData":
        entries = content.entries(entries.get("data"), "data")
    recipe = Recipe()
    for name, stated in entries.items():
        value = model.value(name, content.path)
        if value is not None:
            recipe.ranges[value] = _range(content, name, content.entries(stated, f"{name!r}"))
    return recipe


def _range(content: FileContent, name: str, stated: dict[str, Any]) -> Range:
    low, high = (_number(content, stated.get(end), f"{end} of {name!r}") for end in ENDS)
    return content.range(low, high, f"the range of {name!r}")


def _number(content: FileContent, value: object, what: str) -> float:
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value).get("data")
    while isinstance(value, list):
        items = cast("list[Any]", value)
        if len(items) != 1:
            raise content.error(
                f"{what} has {counted(len(items), 'number')}, expected one range for a value"
            )
        value = items[0]
    return content.number(value, what)


def write_tensor_ranges(recipe: Recipe, model: ModelNames) -> str:
    """What `load_tensors_data` and `quantize_static` take, as calibrated by the method MinMax."""
    data = {
        name: {end: _array(n) for end, n in zip(ENDS, ends, strict=True)} | {"CLS": "TensorData"}
        for name, ends in recipe.ranges.items()
    }
    method = {"CLS": "CalibrationMethod", "value": "CalibrationMethod.MinMax"}
    return json_text(
        {"CLS": "TensorsData", "data": data, "calibration_method": method, "smooth_quant": False}
    )


def _array(number: float) -> dict[str, Any]:
    return {"data": number, "dtype": "float32", "CLS": "numpy.array"}
