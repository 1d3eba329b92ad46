"""Reading a folder of sub-models back into the IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    TensorType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import ParseError, VerifyException

from autosplit.core.errors import AutosplitError, first_line
from autosplit.core.json import Json
from autosplit.core.parsing import parse_text
from autosplit.devices import DEFAULT_CHIP, get_chip
from autosplit.dialects.device import CallOp, ForeignOp, FuncOp, Kind, ReturnOp, TargetAttr
from autosplit.dialects.platform import (
    PlatformGraph,
    StoreAttr,
    UnknownType,
    element_type,
    platform_graph,
)
from autosplit.folder.infos_reader import (
    FILE_NAME,
    PLAN_NAME,
    BorderTensor,
    GraphEntry,
    GraphInfos,
)
from autosplit.platforms import Native, check_readable, model_key, native, weights_key
from autosplit.registry import make_context

if TYPE_CHECKING:
    from autosplit.folder.infos_writer import Outline
    from autosplit.platforms import Model


def read_folder(folder: Path | str, *, placed: bool = False) -> ModuleOp:
    """The outlined module of a folder of sub-models.

    plan.mlir is read where there is one; else the sub-models are imported and joined as graph_infos.json
    says. With `placed` each op of these is asked what it computes and whether the chip can run it, as a plan
    says it. The weights stay in the folder. Raises AutosplitError if something is missing or the two
    files disagree, or a bmodel is not the one that its record speaks of.
    """
    infos = GraphInfos.load(folder)
    for graph in infos.graphs:
        if graph.device == "tpu":
            infos.compilation(graph)
    return read_graphs(infos, placed=placed)


def read_graphs(infos: GraphInfos, *, placed: bool = False) -> ModuleOp:
    """The outlined module of a folder, as `read_folder` reads it, whatever bmodels lie there."""
    from autosplit.platforms.stores import find_weights

    path = infos.folder / PLAN_NAME
    module = _read_plan(infos, path) if path.is_file() else _join(infos, placed=placed)
    find_weights(module, [infos.folder.resolve()])
    return module


def parse_plan(path: Path) -> tuple[ModuleOp, Outline]:
    """The outlined module that a file holds as text, verified, and what it says of its sub-models.

    Raises AutosplitError for a file that is damaged, or names weights outside of its folder.
    """
    from autosplit.core.weights import stores_of
    from autosplit.folder.infos_writer import Outline

    try:
        text = path.read_text(encoding="utf-8")
        module = parse_text(make_context(), text, str(path))
        module.verify()
    except ParseError as error:
        raise AutosplitError(f"{error.span.get_location()}: {error.msg}") from None
    except (OSError, ValueError, RecursionError, VerifyException) as error:
        raise AutosplitError(f"{path}: {first_line(error)}") from None
    for store in stores_of(module):
        _check_inside(path, store.path)
    try:
        return module, Outline.of(module)
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None


def _read_plan(infos: GraphInfos, path: Path) -> ModuleOp:
    module, outline = parse_plan(path)
    planned = [_outer(f) for f in outline.graphs]
    listed = [(g.device, g.inputs, g.outputs) for g in infos.graphs]
    if planned != listed:
        differing = next(
            (i for i, (a, b) in enumerate(zip(planned, listed, strict=False)) if a != b), None
        )
        what = "the number of graphs" if differing is None else f"graph {differing}"
        raise AutosplitError(
            f"{path}: differs from {FILE_NAME} about {what}; "
            f"remove {PLAN_NAME} to read the sub-models themselves"
        )
    return module


def _outer(func: FuncOp) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    inputs = tuple(n.data for n in func.input_names)
    outputs = tuple(n.data for n in func.output_names)
    return func.target.kind.data, inputs, outputs


def _check_inside(path: Path, relative: str) -> None:
    if Path(relative).is_absolute() or ".." in Path(relative).parts:
        raise AutosplitError(f"{path}: names the weights {relative!r}, which leave the folder")


def completed(infos: GraphInfos) -> GraphInfos:
    """What the folder holds, with the dtypes and shapes that graph_infos.json leaves out.

    The original AutoSplit's document shows it without any dtype: the sub-models know them. Where there is a
    plan, or the sub-models are of a framework that is not read, nothing is added. Raises AutosplitError as
    `read_folder` does.
    """
    from autosplit.folder.infos_writer import Outline, dtype_name, shape_of

    if infos.is_complete or (infos.folder / PLAN_NAME).is_file() or not any(_natives(infos)):
        return infos
    tensors = dict(infos.tensors)
    for name, type in Outline.of(_join(infos)).tensors.items():
        old = tensors[name]
        sizes = shape_of(type, None)
        shape = tuple(sizes) if old.shape is None and sizes is not None else old.shape
        tensors[name] = replace(old, shape=shape, dtype=old.dtype or dtype_name(type))
    return replace(infos, tensors=tensors)


def _join(infos: GraphInfos, *, placed: bool = False) -> ModuleOp:
    """Imports each sub-model and joins them by tensor names."""
    from autosplit.core.weights import stores_of

    main = Block()
    values: dict[str, SSAValue] = {}
    funcs: list[FuncOp] = []
    attributes: dict[str, Attribute] = {}
    stores: list[Attribute] = []
    models = [
        None if files is None else _load(infos, graph, files)
        for graph, files in zip(infos.graphs, _natives(infos), strict=True)
    ]
    types = _border_types(infos, models)
    for graph, model in zip(infos.graphs, models, strict=True):
        if model is None:
            func = _foreign(infos, graph, types)
        else:
            if placed:
                _place(infos, model)
            own = model.module.attributes
            stores.extend(map(StoreAttr, stores_of(model.module)))
            attributes = {**own, **attributes}
            func = _as_func(infos, graph, model, types)
        for name, argument in func.inputs:
            if name not in values:
                values[name] = main.insert_arg(argument.type, len(main.args), _named(name))
        call = CallOp(
            func.sym_name.data,
            [values[name] for name in graph.inputs],
            [value.type for _, value in func.outputs],
        )
        call.location = func.location = _named(func.sym_name.data)
        main.add_op(call)
        values |= zip(graph.outputs, call.results, strict=True)
        funcs.append(func)
    main.add_op(ReturnOp([values[tensor] for tensor in infos.outputs.values()]))
    inputs = [a.location.desc.data for a in main.args if isinstance(a.location, NameLoc)]
    host = TargetAttr.of(Kind.host)
    funcs.append(FuncOp(FuncOp.HOST, host, inputs, list(infos.outputs), Region(main)))
    attributes.setdefault("platform.name", StringAttr(infos.platform))
    attributes["platform.stores"] = ArrayAttr(stores)
    attributes["device.plan"] = DictionaryAttr(
        {
            "layout": StringAttr(infos.layout),
            "dynamic": IntegerAttr(int(infos.dynamic), 1),
            "mode": StringAttr(infos.mode),
            "stages": ArrayAttr([func.target for func in funcs[:-1]]),
        }
    )
    module = ModuleOp(list[Operation](funcs), attributes)
    module.verify()
    return module


def _natives(infos: GraphInfos) -> list[Native | None]:
    """How each sub-model is read; None for one of another framework than the first that is known."""
    natives = [native(infos.platform, infos.folder, graph.model_info) for graph in infos.graphs]
    first = next((item.platform for item in natives if item is not None), None)
    return [None if item is None or item.platform is not first else item for item in natives]


def unknown_graph(infos: GraphInfos, graphs: Sequence[GraphEntry]) -> GraphEntry | None:
    """The first of some sub-models that cannot be read; None if all can."""
    if (infos.folder / PLAN_NAME).is_file():
        return None
    natives = _natives(infos)
    return next((graph for graph in graphs if natives[graph.index] is None), None)


def _load(infos: GraphInfos, graph: GraphEntry, files: Native) -> Model:
    platform, key = files.platform, weights_key(files.platform)
    path = infos.folder / files.files[model_key(platform)]
    check_readable(path)
    params = infos.folder / files.files[key] if key in files.files else None
    model = platform.load(path, params=params)
    shapes: dict[str, tuple[int, ...] | None] = {}
    for name in graph.inputs:
        tensor = infos.tensors[name]
        is_fixed = tensor.shape is not None and all(d >= 0 for d in tensor.shape)
        shapes[name] = tensor.shape if is_fixed and not infos.dynamic else None
    platform.prepare(model, shapes, graph.outputs)
    return model


def _place(infos: GraphInfos, model: Model) -> None:
    """Annotates the ops of a sub-model with what its chip says of them."""
    from autosplit.lowering.device.place import place

    chip = get_chip(_chip(infos.own.get("target")))
    place(make_context(), model.module, chip, infos.dynamic, [], mode=infos.mode)


def _border_types(infos: GraphInfos, models: list[Model | None]) -> dict[str, Attribute]:
    """The type of each border tensor: what the sub-models on its sides and graph_infos.json know together.

    Where they contradict each other, what comes first in the order counts.
    """
    from autosplit.lowering.shared.types import join

    types: dict[str, Attribute] = {}
    for graph, model in zip(infos.graphs, models, strict=True):
        if model is None:
            continue
        body = platform_graph(model.module)
        held = {"input": dict(body.graph_inputs()), "output": _outputs(body, graph)}
        path = model.path
        for what, names in (("input", graph.inputs), ("output", graph.outputs)):
            for name in names:
                if name not in held[what]:
                    raise AutosplitError(f"{path}: has no {what} {name!r}, which {FILE_NAME} names")
                type = held[what][name].type
                types[name] = join(types[name], type) if name in types else type
    for graph, model in zip(infos.graphs, models, strict=True):
        if model is None:
            for name in (*graph.inputs, *graph.outputs):
                types.setdefault(name, UnknownType())
    return {
        name: join(type, _listed_type(infos.tensors[name], type, dynamic=infos.dynamic))
        for name, type in types.items()
    }


def _outputs(body: PlatformGraph, graph: GraphEntry) -> dict[str, SSAValue]:
    """The outputs of a model that was prepared for a graph, under the names that the graph has for them.

    They may differ from the model's: the original AutoSplit names MXNet's tensors after their nodes.
    """
    outputs = dict(body.graph_outputs())
    if len(outputs) != len(graph.outputs) or outputs.keys() >= set(graph.outputs):
        return outputs
    return dict(zip(graph.outputs, outputs.values(), strict=True))


def _listed_type(tensor: BorderTensor, type: Attribute, *, dynamic: bool) -> Attribute:
    """A tensor's type as graph_infos.json has it, with the element type of `type` where it says none."""
    from autosplit.core.casting import STRINGS, dtype_by_name
    from autosplit.core.dtypes import element_type_of

    element = element_type(type)
    if element is None and tensor.dtype is not None and tensor.dtype not in STRINGS:
        element = element_type_of(dtype_by_name(tensor.dtype))
    # A dynamic folder has the largest sizes.
    if tensor.shape is None or dynamic or element is None:
        return type
    return TensorType(element, [d if d >= 0 else DYNAMIC_INDEX for d in tensor.shape])


def _as_func(
    infos: GraphInfos, graph: GraphEntry, model: Model, types: Mapping[str, Attribute]
) -> FuncOp:
    """Turns an imported model into a function whose borders have the given types."""
    body = platform_graph(model.module)
    inputs, outputs = dict(body.graph_inputs()), _outputs(body, graph)
    block = Block()
    for name in graph.inputs:
        argument = block.insert_arg(types[name], len(block.args), _named(name))
        inputs[name].replace_all_uses_with(argument)
    # An input may be handed on as an output.
    returned = [
        block.args[graph.inputs.index(name)] if name in graph.inputs else outputs[name]
        for name in graph.outputs
    ]
    fed = set(inputs.values())
    for op in list(body.body_ops()):
        if fed.isdisjoint(op.results) and not op.has_trait(IsTerminator):
            op.detach()
            block.add_op(op)
    typed = [
        _with_type(value, types[name]) for name, value in zip(graph.outputs, returned, strict=True)
    ]
    block.add_op(ReturnOp(typed))
    name, target = f"graph_{graph.index}", _target(infos, graph)
    return FuncOp(name, target, graph.inputs, graph.outputs, Region(block))


def _foreign(infos: GraphInfos, graph: GraphEntry, types: Mapping[str, Attribute]) -> FuncOp:
    """A function for a sub-model that cannot be read."""
    block = Block()
    for name in graph.inputs:
        block.insert_arg(types[name], len(block.args), _named(name))
    op = ForeignOp(block.args, [types[name] for name in graph.outputs])
    block.add_op(op)
    block.add_op(ReturnOp(op.outputs))
    name, target = f"graph_{graph.index}", _target(infos, graph)
    func = FuncOp(name, target, graph.inputs, graph.outputs, Region(block))
    func.files = DictionaryAttr({k: StringAttr(v) for k, v in graph.model_info.items()})
    return func


def _target(infos: GraphInfos, graph: GraphEntry) -> TargetAttr:
    return TargetAttr.of(
        graph.device, _chip(infos.own.get("target")) if graph.device == "tpu" else ""
    )


def _with_type(value: SSAValue, type: Attribute) -> SSAValue:
    if not isinstance(value, OpResult) or value.type == type:
        return value
    return Rewriter.replace_value_with_new_type(value, type)


def _chip(own: Json) -> str:
    """The chip that a folder was split for; the original AutoSplit does not say, and means the default."""
    return own if isinstance(own, str) and own else DEFAULT_CHIP


def _named(name: str) -> NameLoc:
    return NameLoc(StringAttr(name), UnknownLoc())
