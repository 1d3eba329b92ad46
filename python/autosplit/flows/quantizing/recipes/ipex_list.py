"""The list that Intel's extension for PyTorch wrote up to version 1.10: `QuantConf.save`.

Ops have a kind and a number, in the order in which they run; there are no names. So the n-th convolution is
the n-th Conv of the model: products must be as many, and have weights of as many channels; other kinds of
which there is another number are left out. A product of which no input is quantized stays in float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted, first_of
from autosplit.flows.quantizing.recipe import QuantizedOp, Recipe
from autosplit.flows.quantizing.recipes.model_names import ModelNames, OpNames
from autosplit.flows.quantizing.recipes.recipe_file import FileContent, json_text
from autosplit.flows.quantizing.recipes.torch_names import (
    PRODUCTS,
    STORED,
    TYPES,
    Modules,
    check_channels,
    is_of,
    kind,
    kind_of_op,
    operands_of,
    range_of,
    scale_of,
    weight_scales,
)

NAMES: Mapping[str, str] = {
    "adaptiveavgpool": "adaptive_avg_pool{n}d",
    "avgpool": "avg_pool{n}d",
    "conv": "conv{n}d",
    "convtranspose": "conv_transpose{n}d",
    "maxpool": "max_pool{n}d",
}
"""How the extension calls a kind, where not as itself."""


def is_list(content: FileContent) -> bool:
    """Whether JSON is a list of ops."""
    items = cast("list[Any]", content.data) if isinstance(content.data, list) else []
    first: Any = items[0] if items else None
    keys = cast("dict[str, Any]", first).keys() if isinstance(first, dict) else set[str]()
    return {"id", "name", "inputs_quantized"} <= keys


def read_list(content: FileContent, model: ModelNames) -> Recipe:
    """Ranges, and what is kept in float32."""
    entries = [content.entries(entry, "an op") for entry in content.items(content.data, "it")]
    modules = Modules(model)
    recipe = Recipe()
    for entry, op in _matched(content, entries, model):
        what = f"op {entry.get('id')} ({entry.get('name')})"
        for scales in content.items(entry.get("weight_scales", []), f"weight_scales of {what}"):
            check_channels(
                op, content.items(scales, f"weight_scales of {what}"), content.path, what
            )
        quantized = content.items(entry.get("inputs_quantized"), f"inputs_quantized of {what}")
        if kind_of_op(op) in PRODUCTS and not any(quantized):
            recipe.ops[op.name] = QuantizedOp(op.type, kept="not quantized in Intel's extension")
        _take(content, recipe, entry, "input", op.inputs, what)
        _take(content, recipe, entry, "output", [modules.result(op)], what)
    return recipe


def _matched(
    content: FileContent, entries: Sequence[dict[str, Any]], model: ModelNames
) -> list[tuple[dict[str, Any], OpNames]]:
    """Each entry with the op of the model. Raises AutosplitError for another number of products."""
    pairs: list[tuple[dict[str, Any], OpNames]] = []
    kinds = [kind(str(entry.get("name", ""))) for entry in entries]
    for name in TYPES:
        of_kind = [entry for entry, one in zip(entries, kinds, strict=True) if one == name]
        there = [op for op in model.ops if is_of(op, name) and kind_of_op(op) in (name, "matmul")]
        if len(of_kind) == len(there):
            pairs += zip(of_kind, there, strict=True)
        elif name in PRODUCTS and (of_kind or name not in ("matmul", "bmm")):
            names = first_of([repr(op.name) for op in there], 4)
            raise content.error(
                f"it has {counted(len(of_kind), 'op')} of the kind {name}, the model has {len(there)}"
                + (f": {names}" if there else "")
            )
    return pairs


def _take(
    content: FileContent,
    recipe: Recipe,
    entry: Mapping[str, Any],
    side: str,
    values: Sequence[str],
    what: str,
) -> None:
    keys = (
        f"{side}s_quantized",
        f"{side}_scales",
        f"{side}_zero_points",
        f"{side}_quantized_dtypes",
    )
    lists = [content.items(entry.get(key), f"{key} of {what}") for key in keys]
    for value, quantized, scale, zero, dtype in zip(values, *lists, strict=False):
        if not quantized or not value:
            continue
        if dtype not in STORED:
            raise content.error(f"{keys[3]} of {what} has {dtype!r}, expected uint8 or int8")
        recipe.ranges[value] = range_of(
            content.number(scale, f"{keys[1]} of {what}"),
            content.number(zero, f"{keys[2]} of {what}"),
            dtype,
        )


def write_list(recipe: Recipe, model: ModelNames) -> str:
    """What `QuantConf(configure_file)` takes: each op of a kind that the extension records."""
    flows: dict[str, str] = {}
    modules = Modules(model)
    ops = [op for op in model.ops if kind_of_op(op)]
    return json_text([_entry(number, op, recipe, modules, flows) for number, op in enumerate(ops)])


def _entry(
    number: int, op: OpNames, recipe: Recipe, modules: Modules, flows: dict[str, str]
) -> dict[str, Any]:
    name = NAMES.get(kind_of_op(op), kind_of_op(op)).format(n=max(op.rank - 2, 1))
    operands = operands_of(recipe, op)
    inputs = [(i, value) for i, value in enumerate(op.inputs) if value]
    result = modules.result(op)
    quantized = [i in operands for i, _ in inputs]
    in_flow = [flows.get(value, f"{name}.{number}.input") for _, value in inputs]
    flows[result] = f"{name}.{number}.output"
    for is_byte, (_, value) in zip(quantized, inputs, strict=True):
        if is_byte and value not in recipe.ranges:
            raise AutosplitError(
                f"the format ipex-1.10 needs the range of {value!r}, which {op.name!r} reads as 8 bits"
            )
    # The scale of what is not quantized is not looked at.
    pairs = [scale_of(*recipe.ranges.get(value, (0.0, 1.0))) for _, value in inputs]
    out = scale_of(*recipe.ranges.get(result, (0.0, 1.0)))
    return {
        "id": number,
        "name": name,
        "algorithm": "min_max",
        "weight_granularity": "per_channel",
        "input_scales": [scale for scale, _ in pairs],
        "input_zero_points": [zero for _, zero in pairs],
        "output_scales": [out[0]],
        "output_zero_points": [out[1]],
        "weight_scales": [weight_scales(op)] if op.weights else [],
        "input_quantized_dtypes": ["uint8"] * len(inputs),
        "output_quantized_dtypes": ["uint8"],
        "inputs_quantized": quantized,
        "outputs_quantized": [False],
        "inputs_flow": in_flow,
        "outputs_flow": [f"{name}.{number}.output"],
    }
