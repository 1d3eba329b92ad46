"""Reading a folder of sub-models back into the IR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import (
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

from autosplit.dialects.device import CallOp, FuncOp, Kind, ReturnOp, TargetAttr
from autosplit.dialects.platform import StoreAttr, platform_graph, static_shape
from autosplit.emit.graph_folder import (
    FILE_NAME,
    MODEL_FILES,
    PLAN_NAME,
    Graph,
    GraphInfos,
    Json,
    Tensor,
)
from autosplit.errors import AutosplitError, first_line

if TYPE_CHECKING:
    from autosplit.emit.graph_infos import Outline
    from autosplit.platforms import Model, Platform


def read_folder(folder: Path | str) -> ModuleOp:
    """The outlined module of a folder of sub-models.

    plan.mlir is read where there is one; else the sub-models are imported and joined as graph_infos.json
    says. The weights stay in the folder. Raises AutosplitError where something is missing or the two
    files disagree, or a bmodel is not the one that its record speaks of.
    """
    infos = GraphInfos.load(folder)
    for graph in infos.graphs:
        if graph.device == "tpu":
            infos.compilation(graph)
    return read_graphs(infos)


def read_graphs(infos: GraphInfos) -> ModuleOp:
    """The outlined module of a folder, as `read_folder` reads it, whatever bmodels lie there."""
    from autosplit import weights

    path = infos.folder / PLAN_NAME
    module = _read_plan(infos, path) if path.is_file() else _join(infos)
    if (base := infos.folder.resolve()) not in weights.search_paths:
        weights.search_paths.append(base)
    return module


def parse_plan(path: Path) -> tuple[ModuleOp, Outline]:
    """The outlined module that a file holds as text, verified, and what it says of its sub-models.

    Raises AutosplitError for a file that is damaged, or names weights outside of its folder.
    """
    from xdsl.utils.exceptions import ParseError, VerifyException

    from autosplit.emit.graph_infos import Outline
    from autosplit.parsing import parse_text
    from autosplit.registry import make_context

    try:
        text = path.read_text(encoding="utf-8")
        module = parse_text(make_context(), text, str(path))
        module.verify()
    except ParseError as error:
        raise AutosplitError(f"{error.span.get_location()}: {error.msg}") from None
    except (OSError, ValueError, RecursionError, VerifyException) as error:
        raise AutosplitError(f"{path}: {first_line(error)}") from None
    for store in _stores(module):
        if isinstance(store, StoreAttr):
            _check_inside(path, store.path.data)
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


def _stores(module: ModuleOp) -> list[Attribute]:
    found = module.attributes.get("platform.stores")
    return list(cast("ArrayAttr[Attribute]", found)) if isinstance(found, ArrayAttr) else []


def _outer(func: FuncOp) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    inputs = tuple(n.data for n in func.input_names)
    outputs = tuple(n.data for n in func.output_names)
    return func.target.kind.data, inputs, outputs


def _check_inside(path: Path, relative: str) -> None:
    if Path(relative).is_absolute() or ".." in Path(relative).parts:
        raise AutosplitError(f"{path}: names the weights {relative!r}, which leave the folder")


def _join(infos: GraphInfos) -> ModuleOp:
    """Imports each sub-model and joins them by tensor names."""
    from autosplit.platforms import get_platform

    if infos.platform in MODEL_FILES and "model_path" not in MODEL_FILES[infos.platform]:
        raise AutosplitError(
            f"{infos.folder}: sub-models of {infos.platform} cannot be read yet; "
            "onnx and tensorflow can"
        )
    platform = get_platform(infos.platform)
    main = Block()
    values: dict[str, SSAValue] = {}
    funcs: list[FuncOp] = []
    attributes: dict[str, Attribute] = {}
    stores: list[Attribute] = []
    for graph in infos.graphs:
        model = _load(infos, graph, platform)
        own = model.module.attributes
        stores.extend(_stores(model.module))
        attributes = {**own, **attributes}
        func = _as_func(infos, graph, model, values)
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


def _load(infos: GraphInfos, graph: Graph, platform: Platform) -> Model:
    from autosplit.platforms import check_readable

    path = infos.file(graph, "model_path")
    check_readable(path)
    model = platform.load(path)
    shapes: dict[str, tuple[int, ...] | None] = {}
    for name in graph.inputs:
        tensor = infos.tensors[name]
        known = tensor.shape is not None and all(d >= 0 for d in tensor.shape)
        shapes[name] = tensor.shape if known and not infos.dynamic else None
    platform.prepare(model, shapes, graph.outputs)
    return model


def _as_func(infos: GraphInfos, graph: Graph, model: Model, known: dict[str, SSAValue]) -> FuncOp:
    """Turns an imported model into a function; borders get the types that `known` values have."""
    body = platform_graph(model.module)
    inputs = dict(body.graph_inputs())
    outputs = dict(body.graph_outputs())
    path = infos.file(graph, "model_path")
    for what, names, held in (("input", graph.inputs, inputs), ("output", graph.outputs, outputs)):
        for name in names:
            if name not in held:
                raise AutosplitError(f"{path}: has no {what} {name!r}, which {FILE_NAME} names")
    block = Block()
    for name in graph.inputs:
        type = known[name].type if name in known else inputs[name].type
        argument = block.insert_arg(type, len(block.args), _named(name))
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
        _with_type(v, infos.tensors[n], dynamic=infos.dynamic)
        for n, v in zip(graph.outputs, returned, strict=True)
    ]
    block.add_op(ReturnOp(typed))
    chip = _chip(infos.own.get("target"))
    target = TargetAttr.of(graph.device, chip if graph.device == "tpu" else "")
    return FuncOp(f"graph_{graph.index}", target, graph.inputs, graph.outputs, Region(block))


def _chip(own: Json) -> str:
    """The chip that the split was for; folders of the original AutoSplit do not say, and mean BM1684."""
    return own if isinstance(own, str) and own else "bm1684"


def _with_type(value: SSAValue, tensor: Tensor, *, dynamic: bool) -> SSAValue:
    """The value, its type as exact as graph_infos.json allows where the model itself says less."""
    from autosplit.dtypes import element_type_of

    if not isinstance(value, OpResult) or static_shape(value.type) is not None or dynamic:
        return value
    if tensor.shape is None or -1 in tensor.shape or tensor.dtype in (None, "object"):
        return value
    import numpy as np

    element = element_type_of(np.dtype(tensor.dtype))
    return Rewriter.replace_value_with_new_type(value, TensorType(element, tensor.shape))


def _named(name: str) -> NameLoc:
    return NameLoc(StringAttr(name), UnknownLoc())
