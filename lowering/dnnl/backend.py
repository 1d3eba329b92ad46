"""Asking the library itself which ops it runs as one."""

from __future__ import annotations

from collections.abc import Collection

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import DnnlOp, Version
from autosplit.lowering.dnnl.rules.match import Graph, Group, Node, make_group
from autosplit.lowering.dnnl.rules.parts import BINARY, ELEMENTWISE

BACKEND = "backend"
"""The rule of a partition that the library chose."""


def ask(graph: Graph, version: Version, *, exact: bool) -> list[Group]:
    """The groups that the installed library makes of a graph and can compile, each of them whole.

    It is not asked about ops that it would crash on, nor, where `exact`, about those that it would compute
    wrongly with others. Ops that it would not run stay without a group. AutosplitError if there is no
    library, if it is of another version than the target says, and if it refuses an op.
    """
    from autosplit.runtime.dnnl.build import answers
    from autosplit.runtime.dnnl.library import library

    found = library().version
    if found[:2] != version:
        raise AutosplitError(
            f"policy=backend asks the installed oneDNN {'.'.join(map(str, found))}, the target says"
            f" {'.'.join(map(str, version))}: name the installed version, or use policy=patterns"
        )
    nodes = {
        n.op: n
        for n in graph.nodes
        if not (_crashes(n, version) or (exact and _misfused(n, version)))
    }
    found = answers(list(nodes)) if nodes else []
    # What the library cannot run as it groups it is left out, and the library asked again.
    while exact and (wrong := [op for a in found for op in a.ops if not _fills(nodes[op], a.ops)]):
        for op in wrong:
            del nodes[op]
        found = answers(list(nodes)) if nodes else []
    return [
        make_group(BACKEND, (nodes[op] for op in answer.ops))
        for answer in found
        if answer.supported
    ]


def _fills(node: Node, group: Collection[DnnlOp]) -> bool:
    """Whether a binary op's result is as large as one of its operands that are made in the same group."""
    inside = [i for i, p in enumerate(node.inputs) if p is not None and p.op in group]
    return node.kind not in BINARY or not inside or any(node.fills(i) for i in inside)


def _crashes(node: Node, version: Version) -> bool:
    """Whether a library from 3.6 on may crash: at a convolution of dequantized data with weights given."""
    if node.kind != "Convolution" or version < (3, 6):
        return False
    data, weights = node.inputs[:2]
    return data is not None and data.kind == "Dequantize" and weights is None


def _misfused(node: Node, version: Version) -> bool:
    """Whether the library may group an op with others and then compute something else, or nothing."""
    match node.kind:
        case "Dequantize":
            if len(node.users) > 1:
                return True
            return (_is_added(node) and not node.sum_type_fits()) or _is_u8_weights(node)
        case "Quantize":
            if node.inputs[0] is None:
                return False
            is_split = version < (3, 6) and _ends_softmax_chain(node)
            return node.text("qtype") != "per_tensor" or is_split
        case "BiasAdd":
            return not node.adds_to_last()
        case "Reorder":
            return True
        case "Concat" | "MaxPool" | "AvgPool":
            return not node.keeps_type()
        case _:
            return not node.joins()


def _ends_softmax_chain(node: Node) -> bool:
    """Whether elementwise ops stand between a softmax and a quantize."""
    at, count = node.inputs[0], 0
    while at is not None and at.kind in (*ELEMENTWISE, "TypeCast") and at.reader is not None:
        count += at.kind != "TypeCast"
        at = next((p for p in at.inputs if p is not None and p.reader is not None), None)
    return at is not None and at.kind == "SoftMax" and count > 0


def _is_u8_weights(node: Node) -> bool:
    reader = node.reader
    while reader is not None and reader[0].kind == "TypeCast":
        reader = reader[0].reader
    if reader is None or reader[0].kind not in ("Convolution", "ConvTranspose"):
        return False
    return reader[1] == 1 and not node.reads("s8")


def _is_added(node: Node) -> bool:
    reader = node.reader
    while reader is not None and reader[0].kind == "TypeCast":
        reader = reader[0].reader
    return reader is not None and reader[0].kind == "Add"
