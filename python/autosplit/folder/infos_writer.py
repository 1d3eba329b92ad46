"""graph_infos.json: what a folder of sub-models holds, written from an outlined module and read back.

The keys are those that AutoSplit documents; what is autosplit's own lies under the one key `autosplit`.
docs/graph_infos.md describes the format.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.target import Target

from autosplit import __version__
from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.json import Json
from autosplit.dialects.device import CallOp, FuncOp, ReasonAttr, RegionOp, TargetAttr, reason_of
from autosplit.dialects.platform import ANONYMOUS, DimsAttr, PlatformOp, element_type
from autosplit.folder.infos_reader import (
    VALUES,
    Role,
    context_dir,
)
from autosplit.inputs.fixed import fixed_json
from autosplit.inputs.picture_entries import NORMALIZES, PREPROCESS, picture_entries
from autosplit.inputs.value_types import value_type_of
from autosplit.platforms import Measured, get_platform, named_files, platform_names


@dataclass(frozen=True)
class Outline:
    """An outlined module, as graph_infos.json sees it."""

    graphs: tuple[FuncOp, ...]
    """The sub-models in the order in which they run."""
    inputs: tuple[str, ...]
    """The model's inputs, tensor names."""
    outputs: dict[str, str]
    """The model's outputs in order: the model's name of each, and the tensor that holds it."""
    tensors: dict[str, Attribute]
    """The type of each tensor that is an input or output of a sub-model or of the model."""

    @staticmethod
    def of(module: ModuleOp) -> Outline:
        """Reads the functions of an outlined module.

        Raises AutosplitError if the module is not outlined or its calls do not fit together.
        """
        funcs = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
        main = funcs.get(FuncOp.HOST)
        if main is None:
            raise AutosplitError(
                "the module is not outlined: expected device.func @main and one @graph_N for each "
                "sub-model; run device-outline first"
            )
        if any(isinstance(op, RegionOp) for op in main.body.block.ops):
            raise AutosplitError(
                "the module has regions in place of sub-models: run device-outline without regions=true"
            )
        names: dict[SSAValue, str] = {}
        tensors: dict[str, Attribute] = {}
        graphs: list[FuncOp] = []

        def add(name: str, value: SSAValue) -> None:
            if name in tensors:
                raise AutosplitError(f"tensor {name!r} is computed twice in the outlined module")
            names[value] = name
            tensors[name] = value.type

        for name, value in main.inputs:
            add(name, value)
        for op in main.body.block.ops:
            if not isinstance(op, CallOp):
                continue
            callee = op.callee.root_reference.data
            if callee != (expected := f"graph_{len(graphs)}") or callee not in funcs:
                raise AutosplitError(
                    f"@main calls @{callee} where @{expected} is next in the order"
                )
            func = funcs[callee]
            arguments = [names[v] for v in op.arguments]
            if arguments != (wanted := [n.data for n in func.input_names]):
                raise AutosplitError(f"@{callee} takes {wanted}, but @main gives it {arguments}")
            for name, value in zip(func.output_names, op.outputs, strict=True):
                add(name.data, value)
            graphs.append(func)
        outputs = {name: names[value] for name, value in main.outputs}
        inputs = tuple(name for name, _ in main.inputs)
        return Outline(tuple(graphs), inputs, outputs, tensors)

    def role(self, tensor: str) -> Role:
        """What a tensor is to the model. An input that is also an output counts as an input."""
        if tensor in self.inputs:
            return "input"
        return "output" if tensor in self.outputs.values() else "intermediate"


def graph_infos(
    module: ModuleOp,
    *,
    layout: str | None = None,
    dynamic: bool | None = None,
    measured: Mapping[str, Measured] | None = None,
    digests: Mapping[str, str] | None = None,
) -> dict[str, Json]:
    """The contents of graph_infos.json for an outlined module.

    `layout` and `dynamic` default to what `device.plan` says, then to NCHW (TensorFlow: NHWC) and False.
    `measured`: shapes and dtypes found by running the model, by tensor name; they stand in where the types
    leave something open, and in dynamic mode give the largest sizes. `digests`: SHA-256 by file name.

    A dimension that is unknown is -1, a shape whose rank is unknown is null, a dtype that is not
    known is left out. Raises AutosplitError if the module is not outlined.
    """
    outline = Outline.of(module)
    plan = plan_of(module)
    platform = platform_name(module)
    measured = {**planned_measurements(plan), **(measured or {})}
    is_ours = platform in platform_names()
    default_layout = get_platform(platform).default_layout if is_ours else "NCHW"
    layout = layout or _string(plan.get("layout"), default_layout)
    dynamic = is_dynamic(plan) if dynamic is None else dynamic
    return {
        "graphs": [_graph_entry(i, f, platform) for i, f in enumerate(outline.graphs)],
        "tensors": {
            name: _tensor_entry(type, outline.role(name), measured.get(name))
            for name, type in outline.tensors.items()
        },
        "graph_num": len(outline.graphs),
        "platform": platform,
        "dynamic": dynamic,
        "layout": layout,
        "autosplit": _own_entry(outline, plan, measured, digests),
    }


def dumps(infos: Mapping[str, Json]) -> str:
    """The text of graph_infos.json, as the documented example is laid out."""
    return json.dumps(infos, indent=2, ensure_ascii=False) + "\n"


def platform_name(module: ModuleOp) -> str:
    """The module's framework; '' if it does not say."""
    return _string(module.attributes.get("platform.name"), "")


def mode_of(plan: Mapping[str, Attribute]) -> str:
    """What the TPU computes in, as the plan was made for it."""
    return _string(plan.get("mode"), "F32")


def is_dynamic(plan: Mapping[str, Attribute]) -> bool:
    """Whether the plan is for inputs whose sizes may change."""
    return bool(_json(plan.get("dynamic")))


def is_varying(plan: Mapping[str, Attribute], func: FuncOp) -> bool:
    """Whether a TPU sub-model is compiled for sizes that vary, which not all of a dynamic plan need be."""
    listed = plan.get("varying")
    if not isinstance(listed, ArrayAttr):
        return is_dynamic(plan)
    return func.sym_name in cast("ArrayAttr[Attribute]", listed).data


def planned_measurements(plan: Mapping[str, Attribute]) -> dict[str, Measured]:
    """What `device.plan` notes, under `tensors`, of tensors that were measured."""
    entries = plan.get("tensors")
    measurements: dict[str, Measured] = {}
    for name, entry in entries.data.items() if isinstance(entries, DictionaryAttr) else ():
        if isinstance(entry, DictionaryAttr) and isinstance(
            shape := entry.data.get("shape"), DenseArrayBase
        ):
            sizes = tuple(int(d) for d in dense_values(cast("DenseArrayBase", shape)))
            measurements[name] = Measured(sizes, _string(entry.data.get("dtype"), ""))
    return measurements


def measured_attr(values: Mapping[str, Measured]) -> DictionaryAttr:
    """What `planned_measurements` reads."""
    return DictionaryAttr(
        {
            name: DictionaryAttr(
                {
                    "shape": DenseArrayBase.from_list(i64, list(measured.shape)),
                    "dtype": StringAttr(measured.dtype),
                }
            )
            for name, measured in values.items()
        }
    )


def dense_values(attr: DenseArrayBase) -> Sequence[int | float]:
    """The elements of a dense array attribute, integers or floats."""
    return cast("DenseArrayBase[AnyFloat]", attr).get_values()


def model_info(func: FuncOp, index: int, platform: str) -> dict[str, str]:
    """The files of a sub-model: those it was written to, or the names that they would get."""
    if isinstance(func.files, DictionaryAttr):
        return {key: _string(value, "") for key, value in func.files.data.items()}
    return named_files(get_platform(platform), f"graph_{index}")


def _graph_entry(index: int, func: FuncOp, platform: str) -> Json:
    entry: dict[str, Json] = {
        "outputs": [n.data for n in func.output_names],
        "model_info": dict[str, Json](model_info(func, index, platform)),
        "inputs": [n.data for n in func.input_names],
        "device": "tpu" if func.target.is_tpu else "cpu",
    }
    if func.target.is_tpu:
        entry["context_dir"] = context_dir(index)
    return entry


def shape_of(type: Attribute, measured: Measured | None) -> list[int] | None:
    """The sizes of a tensor; -1 for one that neither the type nor a measurement knows; None: no rank."""
    if not isinstance(type, TensorType):
        return list(measured.shape) if measured is not None else None
    shape = list(type.get_shape())
    if measured is None or len(measured.shape) != len(shape):
        return [d if d >= 0 else -1 for d in shape]
    return [d if d >= 0 else m for d, m in zip(shape, measured.shape, strict=True)]


def dtype_name(type: Attribute, measured: Measured | None = None) -> str | None:
    """numpy's name of a tensor's dtype, `object` for strings; None if it is unknown."""

    element = element_type(type)
    if element is None:
        return measured.dtype if measured is not None and measured.dtype else None
    dtype = dtype_of(element)
    return "object" if dtype is None else dtype.name


def _tensor_entry(type: Attribute, role: Role, measured: Measured | None) -> Json:
    shape = shape_of(type, measured)
    entry: dict[str, Json] = {"shape": None if shape is None else [*shape]}
    if (dtype := dtype_name(type, measured)) is not None:
        entry["dtype"] = dtype
    entry["attr"] = role
    return entry


def _own_entry(
    outline: Outline,
    plan: Mapping[str, Attribute],
    measured: Mapping[str, Measured],
    digests: Mapping[str, str] | None,
) -> dict[str, Json]:
    chips = sorted({f.target.chip.data for f in outline.graphs if f.target.is_tpu})
    own: dict[str, Json] = {
        "version": __version__,
        "target": ",".join(chips) if chips else _json(plan.get("target")),
        "mode": mode_of(plan),
        "inputs": [*outline.inputs],
        "outputs": dict[str, Json](outline.outputs),
        "measured": [
            name
            for name, type in outline.tensors.items()
            if name in measured and shape_of(type, None) != shape_of(type, measured[name])
        ],
        "plan": _plan_json(plan),
        **picture_entries(plan),
        **fixed_json(plan),
        "reasons": _reason_counts(outline.graphs),
    }
    types = {name: value_type_of(type) for name, type in outline.tensors.items()}
    if values := {name: type.to_json() for name, type in types.items() if type is not None}:
        own[VALUES] = cast("dict[str, Json]", values)
    if is_dynamic(plan):
        own["varying"] = {name: _open_axes(outline.tensors[name]) for name in outline.inputs}
        if shared := _shared_dims(outline):
            own["dims"] = shared
    for key in ("promised", "custom_ops"):
        if key in plan:
            own[key] = _json(plan[key])
    if digests is not None:
        own["files"] = dict[str, Json](digests)
    return own


def _open_axes(type: Attribute) -> list[Json]:
    """The axes of a tensor whose sizes are open."""
    shape = type.get_shape() if isinstance(type, TensorType) else ()
    return [axis for axis, size in enumerate(shape) if size < 0]


def _shared_dims(outline: Outline) -> dict[str, Json]:
    """By name, the dimensions of one size that several inputs have: of each the input and the axis."""
    places_of: dict[str, list[Json]] = {}
    for name in outline.inputs:
        encoding = getattr(outline.tensors[name], "encoding", None)
        if not isinstance(encoding, DimsAttr):
            continue
        for axis, dim in enumerate(encoding.names):
            if dim.data not in ANONYMOUS:
                places_of.setdefault(dim.data, []).append([name, axis])
    return {dim: places for dim, places in sorted(places_of.items()) if len(places) > 1}


def _reason_counts(graphs: Sequence[FuncOp]) -> dict[str, Json]:
    """How often each reason keeps an op off the TPU, the most frequent first."""
    counts: Counter[str] = Counter()
    for op in (op for f in graphs if not f.target.is_tpu for op in f.body.block.ops):
        # Constants are placed where they are read; a refused loop refuses its own, which says nothing.
        if isinstance(op, PlatformOp) and (op.IS_CONSTANT or "device.constant" in op.attributes):
            continue
        if (reason := reason_of(op)) is not None:
            counts[reason.code.data] += 1
    return {code: n for code, n in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))}


def plan_of(module: ModuleOp) -> dict[str, Attribute]:
    """The entries of the module's `device.plan`; empty if it has none."""
    plan = module.attributes.get("device.plan")
    return dict(plan.data) if isinstance(plan, DictionaryAttr) else {}


def plan_json(module: ModuleOp) -> dict[str, Json]:
    """The module's `device.plan` as graph_infos.json holds it."""
    return _plan_json(plan_of(module))


_ELSEWHERE = frozenset(
    {
        "custom_ops",
        "dynamic",
        "fixed",
        "layout",
        "mode",
        "promised",
        "tensors",
        PREPROCESS,
        NORMALIZES,
    }
)
"""Entries of `device.plan` that graph_infos.json does not hold under `plan`."""


def _plan_json(plan: Mapping[str, Attribute]) -> dict[str, Json]:
    return {key: _json(value) for key, value in plan.items() if key not in _ELSEWHERE}


def _string(attr: Attribute | None, default: str) -> str:
    return attr.data if isinstance(attr, StringAttr) else default


def _json(attr: Attribute | None) -> Json:
    """An attribute of the plan as a JSON value; what has no JSON form as its text."""
    match attr:
        case None:
            return None
        case UnitAttr():
            return True
        case StringAttr():
            return attr.data
        case IntegerAttr():
            value = int(attr.value.data)
            is_flag = isinstance(attr.type, IntegerType) and attr.type.width.data == 1
            return bool(value) if is_flag else value
        case FloatAttr():
            return float(attr.value.data)
        case ArrayAttr():
            return [_json(item) for item in attr]
        case DenseArrayBase():
            return [*dense_values(attr)]
        case DictionaryAttr():
            return {key: _json(value) for key, value in attr.data.items()}
        case TargetAttr():
            return attr.kind.data
        case ReasonAttr():
            return {"code": attr.code.data, "text": attr.text.data}
        case _:
            return str(attr)


@dataclass(frozen=True)
class GraphInfosTarget(Target):
    """graph_infos.json of an outlined module."""

    name = "graph-infos"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(dumps(graph_infos(module)))
