"""Asks the library itself which ops it runs as one."""

from __future__ import annotations

from collections.abc import Collection

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl import DnnlOp, Version
from autosplit.lowering.dnnl.rules.match import Graph, Group, Node, make_group
from autosplit.lowering.dnnl.rules.parts import BINARY, ELEMENTWISE

BACKEND = "backend"
"""The rule of a partition that the library chose."""


def ask(graph: Graph, version: Version, *, exact: bool) -> list[Group]:
    """The groups that the installed library forms in a graph and can compile as a whole.

    It is not asked about ops that it would crash on, nor, if `exact`, about those that it would compute
    wrongly together with others. Ops that it would not run get no group. AutosplitError if there is no
    library, if it is of another version than the target says, and if it refuses an op.
    """
    from autosplit.runtime.dnnl.build import answers
    from autosplit.runtime.dnnl.library import library

    installed = library().version
    if installed[:2] != version:
        raise AutosplitError(
            f"policy=backend asks the installed oneDNN {'.'.join(map(str, installed))}, the target says"
            f" {'.'.join(map(str, version))}: name the installed version, or use policy=patterns"
        )
    nodes = {
        n.op: n
        for n in graph.nodes
        if not (_crashes(n, version) or (exact and _misfused(n, version)))
    }
    groups = answers(list(nodes)) if nodes else []
    # Ops that the library cannot run in its own groups are left out, and the library is asked again.
    while exact and (wrong := [op for a in groups for op in a.ops if not _fills(nodes[op], a.ops)]):
        for op in wrong:
            del nodes[op]
        groups = answers(list(nodes)) if nodes else []
    return [
        make_group(BACKEND, (nodes[op] for op in answer.ops))
        for answer in groups
        if answer.supported
    ]


def _fills(node: Node, group: Collection[DnnlOp]) -> bool:
    """Whether a binary op's result is as large as one of its operands from the same group."""
    ports = [i for i, p in enumerate(node.inputs) if p is not None and p.op in group]
    return node.kind not in BINARY or not ports or any(node.fills(i) for i in ports)


def _crashes(node: Node, version: Version) -> bool:
    """Whether a library from 3.6 on may crash: on a convolution of dequantized data with given weights."""
    if node.kind != "Convolution" or version < (3, 6):
        return False
    data, weights = node.inputs[:2]
    return data is not None and data.kind == "Dequantize" and weights is None


def _misfused(node: Node, version: Version) -> bool:
    """Whether the library may group an op with others and then compute it wrongly, or not at all."""
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
    """Whether there are elementwise ops between a softmax and a quantize."""
    at, count = node.inputs[0], 0
    while at is not None and at.kind in (*ELEMENTWISE, "TypeCast") and at.reader is not None:
        count += at.kind != "TypeCast"
        at = next((p for p in at.inputs if p is not None and p.reader is not None), None)
    return at is not None and at.kind == "SoftMax" and count > 0


def _is_u8_weights(node: Node) -> bool:
    user = node.reader
    while user is not None and user[0].kind == "TypeCast":
        user = user[0].reader
    if user is None or user[0].kind not in ("Convolution", "ConvTranspose"):
        return False
    return user[1] == 1 and not node.reads("s8")


def _is_added(node: Node) -> bool:
    user = node.reader
    while user is not None and user[0].kind == "TypeCast":
        user = user[0].reader
    return user is not None and user[0].kind == "Add"
