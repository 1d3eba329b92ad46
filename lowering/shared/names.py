"""Names for the values that passes make."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx.base import OnnxOp, name_hint
from autosplit.dialects.platform import PlatformGraph, PlatformOp, strings, value_names


def words(text: str) -> frozenset[str]:
    """The words of a text: a readable way to write a set of op types."""
    return frozenset(text.split())


def taken_names(module: ModuleOp) -> set[str]:
    """The names of all values of a module, whatever dialects it mixes."""
    names: set[str] = set()
    for op in module.walk():
        if isinstance(op, PlatformOp):
            names.update(op.value_name(i) for i in range(len(op.results)))
        elif isinstance(op, PlatformGraph):
            names.update(name for name, _ in [*op.graph_inputs(), *op.graph_outputs()])
        elif isinstance(op, FuncOp):
            names.update(name for name, _ in [*op.inputs, *op.outputs])
        else:
            names.update(value_names(op))
    return names


def rename(op: OnnxOp, index: int, name: str) -> None:
    """Gives one result of a node another name."""
    op.properties["value_names"] = strings(
        name if i == index else old for i, old in enumerate(op.output_names)
    )
    op.results[index].name_hint = name_hint(name)
