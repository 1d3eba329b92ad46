"""The converted part of a graph of another framework as an ONNX model of its own."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from autosplit.core.errors import AutosplitError, nearest
from autosplit.dialects.onnx.ops import GraphOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import platform_graph, value_name

CANONICAL_OPSET = 21
IR_VERSION = 10


def extract_onnx(module: ModuleOp, outputs: Sequence[str], inputs: Sequence[str] = ()) -> ModuleOp:
    """A module with one `onnx.graph` of the onnx ops that compute `outputs`.

    Its inputs, by tensor name, are `inputs` and whatever else is read from inputs and from ops that
    stayed, in the order in which it is read. Raises AutosplitError for an output that no onnx op makes, with
    the nearest name.
    """
    results: dict[str, SSAValue] = {}
    ops = platform_graph(module).body_ops()
    for op in ops:
        if isinstance(op, OnnxOp):
            results |= {value_name(r): r for r in op.results}
    for name in outputs:
        if name not in results:
            raise AutosplitError(f"no onnx op makes {name!r}{nearest(name, list(results))}")
    values = dict(platform_graph(module).graph_inputs()) | results
    starts = [values[name] for name in inputs if name in values]
    needed = _needed([results[name] for name in outputs], {*starts})
    copies: dict[SSAValue, SSAValue] = {}
    read = (value for op in ops if op in needed for value in op.operands)
    border = list(dict.fromkeys([*starts, *(v for v in read if not isinstance(v.owner, OnnxOp))]))
    block = Block(arg_types=[v.type for v in border])
    for value, argument in zip(border, block.args, strict=True):
        copies[value] = argument
    for op in ops:
        if op in needed:
            block.add_op(op.clone(copies))
    block.add_op(ReturnOp([copies[results[name]] for name in outputs]))
    graph = GraphOp("converted", [value_name(v) for v in border], outputs, block)
    attributes: dict[str, Attribute] = {
        k: v for k, v in module.attributes.items() if k == "platform.stores"
    }
    attributes["onnx.opsets"] = DictionaryAttr({"ai.onnx": IntegerAttr(CANONICAL_OPSET, i64)})
    attributes["onnx.ir_version"] = IntegerAttr(IR_VERSION, i64)
    return ModuleOp([graph], attributes)


def _needed(values: Sequence[SSAValue], starts: set[SSAValue]) -> set[Operation]:
    ops: set[Operation] = set()
    pending = [v.owner for v in values if v not in starts]
    while pending:
        owner = pending.pop()
        if isinstance(owner, OnnxOp) and owner not in ops:
            ops.add(owner)
            pending.extend(v.owner for v in owner.operands if v not in starts)
    return ops
