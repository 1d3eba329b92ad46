"""convert-top-to-onnx: a module of Top as an ONNX model that computes the same.

So what was lowered can be run without a chip or its emulator: for calibration, which wants the range of every
value by the name that TPU-MLIR has for it; for reference numbers; and to hold lowerings against the models
that they come from. It takes our own modules and those that TPU-MLIR's first step has rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NoneType,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore, digest, register, store_for
from autosplit.dialects.onnx.ops import GraphOp
from autosplit.dialects.onnx.ops import ReturnOp as OnnxReturnOp
from autosplit.dialects.platform import value_name
from autosplit.dialects.top import TopOp
from autosplit.lowering.convert_top_to_onnx import elementwise, layers, selections, views
from autosplit.lowering.convert_top_to_onnx.base import RETURNS, Back, OnnxGraph, Reading
from autosplit.lowering.rewriting import become

__all__ = ["FAMILIES", "RETURNS", "ConvertTopToOnnxPass", "convert_back", "top_function"]

FAMILIES = (elementwise, layers, selections, views)
"""The modules that fill `RETURNS`."""

OPSET = 21
IR_VERSION = 10


def convert_back(
    module: ModuleOp, *, everything: bool = False, reading: Reading | None = None
) -> ModuleOp:
    """A new module with one ONNX graph that computes what `main` of a Top module does.

    Values have the names that their locations give them; all are f32. With `everything` all results of all
    ops are outputs of the graph, in order, in place of those that `main` returns. `reading` says what ops
    read in place of other ops' results. Raises AutosplitError for an op that has no way back, and for weights
    that are missing.
    """
    reading = reading or Reading()
    func = top_function(module)
    weights, store = store_for(module), WeightStore()
    block = Block()
    graph = OnnxGraph(block, weights, store, _names(func))
    inputs = [_input(op, graph) for op in func.body.block.ops if _is(op, "Input")]
    inputs += reading.inputs(graph)
    for op in func.body.block.ops:
        if isinstance(op, TopOp) and op.kind not in ("None", "Weight", "Input"):
            _convert(op, graph, reading)
    outputs = _everything(func, graph) if everything else _outputs(func, graph, reading)
    block.add_op(OnnxReturnOp([value for _, value in outputs]))
    name = module.sym_name.data if module.sym_name is not None else "main"
    converted = ModuleOp(
        [GraphOp(name, inputs, [n for n, _ in outputs], block)],
        {
            "platform.name": StringAttr("onnx"),
            "onnx.ir_version": IntegerAttr(IR_VERSION, i64),
            "onnx.opsets": DictionaryAttr({"ai.onnx": IntegerAttr(OPSET, i64)}),
        },
    )
    if list(store):
        store.file_digest = digest("\n".join([name, weights.file_digest, *store]).encode())
        register(store, converted)
    return converted


def top_function(module: ModuleOp) -> FuncOp:
    """The function `main` of a Top module. Raises AutosplitError if there is none."""
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == "main" and op.body.blocks:
            return op
    raise AutosplitError(
        "the module has no function main, expected one of the Top dialect: run convert-onnx-to-top first"
    )


def _is(op: object, kind: str) -> bool:
    return isinstance(op, TopOp) and op.kind == kind


def _names(func: FuncOp) -> set[str]:
    return {name for op in func.body.block.ops if isinstance(op, TopOp) for name in op.names}


def _input(op: object, graph: OnnxGraph) -> str:
    """The graph's input for a `top.Input`.

    What becomes of images there is a note for the pass that puts it in front: the numbers are those after it.
    """
    assert isinstance(op, TopOp)
    node = Back(op, graph)
    argument = graph.block.insert_arg(TensorType(f32, node.result_shape()), len(graph.block.args))
    graph.values[op.outputs[0]] = argument
    return node.name()


def _convert(op: TopOp, graph: OnnxGraph, reading: Reading) -> None:
    node = Back(op, graph)
    convert = RETURNS.get(op.kind)
    if convert is None:
        raise node.refusal("has no way back to ONNX")
    replacements = reading.read(op, graph)
    originals = {value: graph.values.pop(value, None) for value in replacements}
    graph.values |= replacements
    convert(node)
    for value, original in originals.items():
        # Weights are created on first use.
        del graph.values[value]
        if original is not None:
            graph.values[value] = original


def _outputs(func: FuncOp, graph: OnnxGraph, reading: Reading) -> list[tuple[str, SSAValue]]:
    """What the function returns, by name; what is returned in place of a value has a name of its own."""
    terminator = func.body.block.last_op
    if not isinstance(terminator, ReturnOp):
        raise AutosplitError("function main has no func.return")
    outputs: list[tuple[str, SSAValue]] = []
    replacements = reading.returned(terminator.operands, graph)
    for value in terminator.operands:
        if value in replacements:
            outputs.append((value_name(replacements[value]), replacements[value]))
            continue
        if not isinstance(value, OpResult) or not isinstance(value.op, TopOp):
            raise AutosplitError("function main returns what no op of the Top dialect computes")
        result = (
            graph.values[value] if value in graph.values else Back(value.op, graph).weight(value)
        )
        outputs.append((Back(value.op, graph).name(value.index), result))
    return outputs


def _everything(func: FuncOp, graph: OnnxGraph) -> list[tuple[str, SSAValue]]:
    """What all ops compute, by name."""
    values: dict[str, SSAValue] = {}
    for op in func.body.block.ops:
        if not isinstance(op, TopOp) or op.kind in ("None", "Weight", "Input"):
            continue
        for i, result in enumerate(op.outputs):
            if result in graph.values and not isinstance(result.type, NoneType):
                values.setdefault(Back(op, graph).name(i), graph.values[result])
    return list(values.items())


@dataclass(frozen=True)
class ConvertTopToOnnxPass(ModulePass):
    """The module, one of Top, is an ONNX model with the same numbers and the names of its locations.

    Every value is f32. The pass also accepts modules that TPU-MLIR has canonicalized.
    """

    name = "convert-top-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            converted = convert_back(op)
        except AutosplitError as error:
            raise PassFailedException(str(error)) from error
        become(op, converted)
