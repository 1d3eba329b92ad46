"""Writes graphs and partitions in the library's own JSON format, as it dumps them itself.

Ops and tensors that were read from such a file keep their numbers; others are numbered in order of
occurrence. The same module gives the same text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

from xdsl.ir import Block, OpResult
from xdsl.utils.target import Target

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.versions import DEFAULT_VERSION
from autosplit.dialects.platform import location_names, shape_of

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import BlockArgument, SSAValue

    from autosplit.dialects.dnnl import DnnlOp, GraphOp, LayoutAttr, PartitionOp

LIBRARY_VERSION = f"{DEFAULT_VERSION}.0"
"""The library version that files of our own graphs name."""


def graph_json(graph: GraphOp) -> str:
    """The text of a graph file for a `dnnl.graph`; partitions are replaced by the ops inside."""
    from autosplit.dialects.dnnl.partition import flat_ops

    numbers = _Numbers.of(flat_ops(graph.body.block), graph.body.block)
    header = {
        "version": graph.version.data,
        "engine_kind": graph.engine_kind.data,
        "fpmath_mode": graph.fpmath_mode.data,
    }
    if graph.fpmath_mode_apply_to_int is not None:
        header["fpmath_mode_apply_to_int"] = graph.fpmath_mode_apply_to_int.data
    ports: dict[str, list[int]] = {}
    is_read = graph.input_ids is not None
    if graph.input_ports is not None:
        ports["input_ports"] = _ints(graph.input_ports)
    elif not is_read:
        ports["input_ports"] = [numbers.tensor(v) for v in graph.body.block.args]
    if graph.output_ports is not None:
        ports["output_ports"] = _ints(graph.output_ports)
    elif not is_read:
        ports["output_ports"] = [numbers.tensor(v) for v in graph.returned]
    return _text({**header, **ports, "graph": numbers.ops()})


def partition_json(
    partition: PartitionOp,
    *,
    version: str | None = None,
    engine_kind: str = "cpu",
    fpmath_mode: str = "strict",
) -> str:
    """The text of a graph file that holds one partition.

    Its input ports are the partition's operands and its output ports the results, in order. `version`
    None stands for that of the graph around it.
    """
    from autosplit.dialects.dnnl import GraphOp

    parent = partition.parent_op()
    if version is None:
        version = parent.version.data if isinstance(parent, GraphOp) else LIBRARY_VERSION
    if isinstance(parent, GraphOp):
        engine_kind, fpmath_mode = parent.engine_kind.data, parent.fpmath_mode.data
    block = partition.body.block
    numbers = _Numbers.of(partition.body_ops, block)
    for index in partition.constant_indices:
        numbers.kinds[block.args[index]] = "constant"
    return _text(
        {
            "version": version,
            "engine_kind": engine_kind,
            "fpmath_mode": fpmath_mode,
            "input_ports": [numbers.tensor(v) for v in block.args],
            "output_ports": [numbers.tensor(v) for v in partition.returned],
            "graph": numbers.ops(),
        }
    )


def _text(top: Mapping[str, object]) -> str:
    return json.dumps(top, indent=2) + "\n"


def _ints(array: Any) -> list[int]:
    return [int(v) for v in array.get_values()]


@dataclass
class _Numbers:
    """The numbers of a graph's ops and tensors, and the property types of its tensors."""

    root: Block
    listed: Sequence[DnnlOp]
    op_ids: dict[DnnlOp, int]
    tensor_ids: dict[SSAValue, int]
    kinds: dict[SSAValue, str]

    @classmethod
    def of(cls, ops: Sequence[DnnlOp], root: Block) -> _Numbers:
        from autosplit.dialects.dnnl import property_type, tensor_id

        inner = (_origin(v, root) for op in ops for v in (*op.inputs, *op.outputs))
        values = list(dict.fromkeys([*root.args, *inner]))
        tensor_ids = {v: tensor_id(v) for v in values}
        op_ids = {op: op.op_id.value.data if op.op_id is not None else None for op in ops}
        kinds = {v: property_type(v) for v in values}
        return cls(root, ops, _numbered(op_ids), _numbered(tensor_ids), kinds)

    def tensor(self, value: SSAValue) -> int:
        return self.tensor_ids[_origin(value, self.root)]

    def ops(self) -> list[dict[str, object]]:
        return [self._op(op) for op in self.listed]

    def _op(self, op: DnnlOp) -> dict[str, object]:
        names = location_names(op.location)
        return {
            "id": self.op_ids[op],
            "name": names[0] if names else f"{op.kind}_{self.op_ids[op]}",
            "kind": op.spelling.data if op.spelling is not None else op.kind,
            "attrs": {k: _attribute(op.ATTRS[k].type, v) for k, v in op.attrs.items()},
            "inputs": [self._tensor(v, _use_layout(op, i)) for i, v in enumerate(op.inputs)],
            "outputs": [self._tensor(v, None) for v in op.outputs],
        }

    def _tensor(self, value: SSAValue, layout: LayoutAttr | None) -> dict[str, object]:
        from autosplit.dialects.dnnl import dtype_name
        from autosplit.formats.dnnl_json.reader import UNKNOWN_DIM

        origin = _origin(value, self.root)
        dtype = dtype_name(origin.type)
        if dtype is None:
            raise AutosplitError(
                f"the library has no tensors of {origin.type}: it cannot be written"
            )
        shape = shape_of(origin.type)
        layout_type, stride = (
            ("strided", [UNKNOWN_DIM]) if shape is None else _layout(origin, layout)
        )
        return {
            "id": self.tensor_ids[origin],
            "dtype": dtype,
            "shape": [UNKNOWN_DIM if d < 0 else d for d in shape or ()]
            if shape is not None
            else [UNKNOWN_DIM],
            "stride": stride,
            "layout_type": layout_type,
            "property_type": self.kinds[origin],
        }


def _origin(value: SSAValue, root: Block) -> SSAValue:
    """The value that stands for `value` in the file of the block `root`.

    For a partition inside of it, block arguments become its operands, and results the values it returns.
    """
    from autosplit.dialects.dnnl import PartitionOp

    if isinstance(value, OpResult):
        op = value.op
        return _origin(op.returned[value.index], root) if isinstance(op, PartitionOp) else value
    owner = value.owner
    parent = owner.parent_op() if isinstance(owner, Block) else None
    if owner is root or not isinstance(parent, PartitionOp):
        return value
    return _origin(parent.inputs[cast("BlockArgument", value).index], root)


def _numbered(numbers_or_none: Mapping[Any, int | None]) -> dict[Any, int]:
    """The existing numbers, and the next free ones for the rest."""
    next_number = max((n for n in numbers_or_none.values() if n is not None), default=-1) + 1
    numbers: dict[Any, int] = {}
    for key, number in numbers_or_none.items():
        if number is None:
            number, next_number = next_number, next_number + 1
        numbers[key] = number
    return numbers


def _use_layout(op: DnnlOp, index: int) -> LayoutAttr | None:
    layouts = op.input_layouts
    layout = layouts.data.get(str(index)) if layouts is not None else None
    return cast("LayoutAttr | None", layout)


def _layout(value: SSAValue, use_layout: LayoutAttr | None) -> tuple[str, list[int]]:
    """The layout's name in files, and the strides."""
    from autosplit.dialects.dnnl import (
        AnyLayout,
        OpaqueLayout,
        StridedLayout,
        UndefLayout,
        layout_of,
        strides_of,
    )
    from autosplit.formats.dnnl_json.reader import UNKNOWN_DIM

    layout = use_layout or layout_of(value.type)
    match layout:
        case AnyLayout():
            return "any", list(layout.strides)
        case UndefLayout():
            return "undef", list(layout.strides)
        case OpaqueLayout():
            raise AutosplitError(
                f"{value.type} lies in a layout of one process, which no file can hold"
            )
        case _:
            strides = (
                layout.strides if isinstance(layout, StridedLayout) else strides_of(value.type)
            )
            return "strided", [UNKNOWN_DIM if s < 0 else s for s in strides or ()]


def _attribute(type: str, value: Any) -> dict[str, object]:
    """An attribute as in files; the library's reader expects the type first."""
    match type:
        case "bool":
            value = int(value)
        case "f32":
            value = _short(value)
        case "f32[]":
            value = [_short(v) for v in value]
        case _:
            pass
    return {"type": type, "value": value}


def _short(value: float) -> float:
    """The number with the fewest digits that is the same f32."""
    import numpy as np

    if not math.isfinite(value):
        raise AutosplitError(f"an attribute is {value}, which JSON has no number for")
    return float(str(np.float32(value)))


@dataclass(frozen=True)
class DnnlJsonTarget(Target):
    """Prints a graph, or one partition, in oneDNN Graph's JSON form, which its tools read.

    A module with one `dnnl.graph` is printed whole unless `partition` says which of its partitions to print;
    in any other module partitions are counted from its beginning.
    Example: `autosplit-opt graph.json -p dnnl-fuse -t 'dnnl-json{partition=0}'`
    """

    name = "dnnl-json"
    partition: int = -1
    """The partition to print; required if the module has several and no graph around them."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        from autosplit.dialects.dnnl import GraphOp, PartitionOp

        graphs = [op for op in module.walk() if isinstance(op, GraphOp)]
        partitions = [op for op in module.walk() if isinstance(op, PartitionOp)]
        if self.partition < 0 and len(graphs) == 1:
            output.write(graph_json(graphs[0]))
            return
        index = 0 if self.partition < 0 and len(partitions) == 1 else self.partition
        if not graphs and not partitions:
            raise AutosplitError(
                "found no dnnl.graph and no partitions in the module: run dnnl-fuse first"
            )
        if not 0 <= index < len(partitions):
            which = "no graph" if not graphs else counted(len(graphs), "graph")
            raise AutosplitError(
                f"found {which} and {counted(len(partitions), 'partition')} in the module: name "
                "one that there is, "
                "as in -t 'dnnl-json{partition=0}'"
            )
        output.write(partition_json(partitions[index]))
