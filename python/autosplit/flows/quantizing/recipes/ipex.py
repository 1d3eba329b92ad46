"""The summary that Intel's extension for PyTorch writes since version 1.12: `save_qconf_summary`.

For each op that it records: the path of its module, its type, and scale and zero point of what it reads and
makes. An op whose inputs are all forced to float32 stays so. Modules are found by their paths, the second
run of one as the second op of it. A function has no path: the n-th sum is the n-th Add that no module is,
if there are as many; where there are not, a product is an error, and any other is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from autosplit.core.errors import choice
from autosplit.core.units import counted, first_of
from autosplit.flows.quantizing.recipe import QuantizedOp, Range, Recipe
from autosplit.flows.quantizing.recipes.model_names import ModelNames, OpNames
from autosplit.flows.quantizing.recipes.recipe_file import FileContent, json_text
from autosplit.flows.quantizing.recipes.torch_names import (
    PRODUCTS,
    STORED,
    TYPES,
    Modules,
    check_channels,
    computed,
    is_of,
    kind,
    kind_of_op,
    operands_of,
    range_of,
    scale_of,
    weight_scales,
)

FUNCTIONS: Mapping[str, str] = {
    "add": "<method 'add' of 'torch._C.TensorBase' objects>",
    "adaptiveavgpool": "<function adaptive_avg_pool{n}d>",
    "avgpool": "<built-in function avg_pool{n}d>",
    "flatten": "<built-in method flatten of type object>",
    "matmul": "<built-in method matmul of type object>",
    "maxpool": "<function max_pool{n}d>",
    "relu": "<built-in method relu of type object>",
}

MODULES: Mapping[str, str] = {
    "adaptiveavgpool": "pooling.AdaptiveAvgPool{n}d",
    "avgpool": "pooling.AvgPool{n}d",
    "conv": "conv.Conv{n}d",
    "convtranspose": "conv.ConvTranspose{n}d",
    "flatten": "flatten.Flatten",
    "linear": "linear.Linear",
    "maxpool": "pooling.MaxPool{n}d",
    "relu": "activation.ReLU",
}

ACTIVATIONS = {
    "name": "MinMaxObserver",
    "dtype": "torch.quint8",
    "qscheme": "torch.per_tensor_affine",
    "reduce_range": False,
    "quant_min": 0,
    "quant_max": 255,
}

WEIGHTS = {
    "name": "PerChannelMinMaxObserver",
    "ch_axis": 0,
    "dtype": "torch.qint8",
    "qscheme": "torch.per_channel_symmetric",
    "reduce_range": False,
    "quant_min": -128,
    "quant_max": 127,
}

FLOAT = "torch.float32"
BYTES = "torch.quint8"


def is_summary(content: FileContent) -> bool:
    """Whether JSON has recorded ops for each module."""
    layers = content.object.values()
    return bool(layers) and all(isinstance(v, dict) and "q_op_infos" in v for v in layers)


@dataclass(frozen=True)
class _Recorded:
    """An op in the file."""

    number: str
    kind: str
    path: str
    inputs: Sequence[dict[str, Any]]
    outputs: Sequence[dict[str, Any]]
    weights: Sequence[dict[str, Any]]
    dtype: str
    """What the observer of its activations makes."""

    @property
    def what(self) -> str:
        return f"op {self.number} ({self.kind}{f' {self.path!r}' if self.path else ''})"

    @property
    def kept(self) -> bool:
        """Whether all that is read is forced to be real."""
        forced = [info["force_dtype"] for info in self.inputs if "force_dtype" in info]
        return bool(forced) and not any(dtype in STORED for dtype in forced)


def read_summary(content: FileContent, model: ModelNames) -> Recipe:
    """Ranges, and what is kept in float32."""
    recorded = [
        _recorded(content, number, content.entries(entry, f"op {number}"))
        for path, layer in content.object.items()
        for number, entry in content.entries(layer["q_op_infos"], f"q_op_infos of {path!r}").items()
    ]
    modules = Modules(model)
    recipe = Recipe()
    for one, op in _matched(content, recorded, modules):
        for info in one.weights:
            check_channels(
                op,
                content.items(info.get("scale", []), f"a scale of {one.what}"),
                content.path,
                one.what,
            )
        if one.kept and one.kind in PRODUCTS:
            recipe.ops[op.name] = QuantizedOp(op.type, kept="in float32 in Intel's extension")
        ends = [
            *zip(one.inputs, op.inputs, strict=False),
            *zip(one.outputs, [modules.result(op)], strict=False),
        ]
        for info, value in ends:
            ends_of = _range(content, one, info)
            if value and ends_of is not None:
                recipe.ranges.setdefault(value, ends_of)
    return recipe


def _recorded(content: FileContent, number: str, entry: Mapping[str, Any]) -> _Recorded:
    def infos(key: str) -> list[dict[str, Any]]:
        items = content.items(entry.get(key, []), f"{key} of op {number}")
        return [content.entries(i, f"an entry of {key} of op {number}") for i in items]

    observer = content.entries(entry.get("activation_observer", {}), f"the observer of op {number}")
    # One that shifts scales between activations and weights has the observer inside.
    observer = cast("dict[str, Any]", observer.get("act_observer", observer))
    return _Recorded(
        number,
        kind(str(entry.get("op_type", ""))),
        str(entry.get("fqn") or "").strip(),
        infos("input_tensor_infos"),
        infos("output_tensor_infos"),
        infos("weight_tensor_infos"),
        str(observer.get("dtype", BYTES)),
    )


def _matched(
    content: FileContent, recorded: Sequence[_Recorded], modules: Modules
) -> list[tuple[_Recorded, OpNames]]:
    """Each recorded op with that of the model, modules first. Raises AutosplitError if one has none."""
    pairs: list[tuple[_Recorded, OpNames]] = []
    runs: dict[tuple[str, str], int] = {}
    of_types = [one for one in recorded if one.kind in TYPES]
    for one in of_types:
        if not one.path:
            continue
        ops = modules.ops(one.path, one.kind)
        run = runs.setdefault((one.path, one.kind), 0)
        runs[one.path, one.kind] += 1
        if run < len(ops):
            pairs.append((one, ops[run]))
        elif not modules.is_gone(one.path):
            paths = [modules.paths[op.name] for op in modules.model.ops if is_of(op, one.kind)]
            again = f", which runs {counted(len(ops), 'time')} there" if ops else ""
            hint = "" if ops else choice(one.path, list(dict.fromkeys(filter(None, paths))))
            raise content.error(f"the model has no module for {one.what}{again}{hint}")
    taken = {op.name for _, op in pairs}
    left = [op for op in modules.model.ops if op.name not in taken]
    for name in dict.fromkeys(one.kind for one in of_types if not one.path):
        bare = [one for one in of_types if not one.path and one.kind == name]
        there = [
            op for op in left if is_of(op, name) and (name != "add" or len(list(computed(op))) == 2)
        ]
        if len(bare) == len(there):
            pairs += zip(bare, there, strict=True)
        elif name in PRODUCTS:
            names = first_of([repr(op.name) for op in there], 4)
            raise content.error(
                f"it has {len(bare)} of the kind {name} without a path, and the model has {len(there)} that "
                "no path is for" + (f": {names}" if there else "")
            )
    return pairs


def _range(content: FileContent, one: _Recorded, info: Mapping[str, Any]) -> Range | None:
    if not info.get("scale"):
        return None
    what = f"a value of {one.what}"
    pair: list[float] = []
    for key in ("scale", "zero_point"):
        value: object = info.get(key)
        if isinstance(value, dict):
            # Several consumers of one value may each have their own; the first counts.
            value = next(iter(cast("dict[str, object]", value).values()), None)
        numbers = content.items(value, f"{key} of {what}")
        if len(numbers) != 1:
            raise content.error(
                f"{key} of {what} has {counted(len(numbers), 'number')}, expected one"
            )
        pair.append(content.number(numbers[0], f"{key} of {what}"))
    dtype = one.dtype
    if dtype not in STORED:
        raise content.error(
            f"{what} is of the type {dtype!r}, expected torch.quint8 or torch.qint8"
        )
    return range_of(pair[0], pair[1], dtype)


def write_summary(recipe: Recipe, model: ModelNames) -> str:
    """What `load_qconf_summary` takes: each op of a kind that the extension records."""
    modules = Modules(model)
    numbers: dict[str, int] = {}
    ops = [op for op in model.ops if kind_of_op(op)]
    infos = {str(i): _info(recipe, op, modules, numbers) for i, op in enumerate(ops)}
    layer: dict[str, Any] = {"q_op_infos": infos, "nonq_op_infos": {}, "layer_output_infos": []}
    return json_text({" ": layer})


def _info(recipe: Recipe, op: OpNames, modules: Modules, numbers: dict[str, int]) -> dict[str, Any]:
    name, path = kind_of_op(op), modules.own_path(op)
    bytes_of = operands_of(recipe, op)
    sizes = {"n": max(op.rank - 2, 1)}
    entry = (
        f"<class 'torch.nn.modules.{MODULES[name]}'>"
        if name in MODULES and path
        else FUNCTIONS.get(name, name)
    )

    def tensor(value: str, dtype: str) -> dict[str, Any]:
        number = numbers.setdefault(value, len(numbers))
        info: dict[str, Any] = {"id": number, "orig_dtype": FLOAT, "inf_dtype": dtype}
        if value in recipe.ranges:
            scale, zero = scale_of(*recipe.ranges[value])
            info |= {"scale": [scale], "zero_point": [zero]}
        return info

    inputs: list[dict[str, Any]] = []
    for i, value in enumerate(op.inputs):
        if value:
            dtype = BYTES if i in bytes_of else FLOAT
            inputs.append(tensor(value, dtype) | {"force_dtype": dtype})
    if name == "flatten" and not path:
        # The function's argument that is no tensor has an entry too.
        inputs.append({})
    weights: list[dict[str, Any]] = []
    if op.weights:
        scales = weight_scales(op)
        dtype = "torch.qint8" if bytes_of else FLOAT
        weights.append(
            {
                "orig_dtype": FLOAT,
                "inf_dtype": dtype,
                "scale": scales,
                "zero_point": [0] * len(scales),
            }
        )
    return {
        "op_type": entry.format(**sizes),
        "op_type_is_module": bool(path) and name in MODULES,
        "fqn": path if name in MODULES else "",
        "input_tensor_infos": inputs,
        "weight_tensor_infos": weights,
        "output_tensor_infos": [tensor(modules.result(op), FLOAT)],
        "activation_observer": ACTIVATIONS,
        "weight_observer": WEIGHTS,
    }
