"""How much a run of a model multiplied and added, from what the frameworks record of the run.

The records have the shapes of each execution of each node, inside of loops, branches and functions too, so
that the sum over them is right however often a body was run.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.dialects.platform import PlatformOp
from autosplit.lowering.device.work import DOMAINS, Call, Shape, work_in_tensorflow, work_of_call
from autosplit.platforms import Measured, Measurements

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto

    from autosplit.dialects.named_graph import OrderedGraph

WorkRule = Callable[[str, Sequence[Shape | None], Shape | None], int]
"""The work of an op by its type, the shapes of its operands and of its result."""


def label_nodes(graph: GraphProto, prefix: str = "") -> dict[str, NodeProto]:
    """Names the nodes of a graph and of its bodies by their places, as in `3/0/7`; returns them by name.

    What ONNX Runtime records of a run then tells which node it is about.
    """
    nodes: dict[str, NodeProto] = {}
    for index, node in enumerate(graph.node):
        node.name = f"{prefix}{index}"
        nodes[node.name] = node
        bodies = [a.g for a in node.attribute if a.HasField("g")]
        bodies += [g for a in node.attribute for g in a.graphs]
        for number, body in enumerate(bodies):
            nodes |= label_nodes(body, f"{node.name}/{number}/")
    return nodes


_WRITTEN_OUT = re.compile(r"^_inlfunc_.*_(?=\d+/\d+/\d)")
"""What ONNX Runtime puts before the names in the body of an op that it writes out, such as SequenceMap."""


def onnx_work(profile: Path, nodes: Mapping[str, NodeProto]) -> dict[str, int]:
    """The multiply-adds of each node of the model's own graph that computed any, by its label.

    `profile`: what ONNX Runtime has recorded; `nodes`: those of `label_nodes`.
    """
    amounts = Counter[str]()
    for event in json.loads(profile.read_text(encoding="utf-8")):
        label = event.get("name", "").removesuffix("_kernel_time")
        label = _WRITTEN_OUT.sub("", label)
        node = nodes.get(label)
        args = event.get("args", {})
        if node is None or node.domain not in DOMAINS or "output_type_shape" not in args:
            continue
        inputs = [_recorded_shape(entry) for entry in args.get("input_type_shape", [])]
        outputs = [_recorded_shape(entry) for entry in args["output_type_shape"]]
        attributes = {a.name: a for a in node.attribute}
        result = outputs[0] if outputs else None
        amounts[label.split("/")[0]] += work_of_call(
            Call(args.get("op_name", ""), inputs, result, _getter(attributes))
        )
    return {label: work for label, work in amounts.items() if work}


def _recorded_shape(entry: Mapping[str, list[int]]) -> Shape:
    """The shape in an entry such as `{"float": [1, 8]}`."""
    sizes = next(iter(entry.values()), list[int]())
    return tuple(int(size) for size in sizes) or (1,)


def _getter(attributes: Mapping[str, Any]) -> Any:
    def get(name: str, default: Any = None) -> Any:
        from onnx import helper

        if name not in attributes:
            return default
        value = helper.get_attribute_value(attributes[name])
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    return get


_LABEL = re.compile(r"(?:\[[^]]*\] )*(?P<name>\S+) = (?P<kind>\w+)\((?P<inputs>.*)\)", re.DOTALL)
"""How TensorFlow writes an executed node: `name = MatMul(x, w:1)`.

Where it takes 0.1 MB or more, what allocators gave stands in front: `[cpu 0.3MB 0.3MB] name = ...`.
"""


def tensorflow_work(step_stats: Any) -> dict[str, int]:
    """The multiply-adds of each executed node that computed any, by its name.

    `step_stats`: a StepStats message of a run that was traced in full.
    """
    shapes: dict[str, Shape] = {}
    executed: list[tuple[str, str, list[str], Shape]] = []
    for stats in _node_stats(step_stats):
        for output in stats.output:
            dims = output.tensor_description.shape.dim
            shapes[f"{stats.node_name}:{output.slot}"] = tuple(int(d.size) for d in dims)
        if (match := _LABEL.fullmatch(stats.timeline_label)) is None or not stats.output:
            continue
        kind = re.sub(r"^_Mkl(Native)?", "", match["kind"])
        names = [n.strip() for n in match["inputs"].split(",") if n.strip()]
        inputs = [n if ":" in n else f"{n}:0" for n in names if not n.startswith("^")]
        result = shapes[f"{stats.node_name}:{stats.output[0].slot}"]
        executed.append((stats.node_name, kind, inputs, result))
    amounts = Counter[str]()
    for name, kind, inputs, result in executed:
        operands = [shapes[n] for n in inputs if n in shapes]
        if len(operands) == len(inputs):
            amounts[name] += work_in_tensorflow(kind, operands, result)
    return {name: work for name, work in amounts.items() if work}


def _node_stats(step_stats: Any) -> Iterable[Any]:
    for device in step_stats.dev_stats:
        yield from device.node_stats


def measurements(
    graph: OrderedGraph, types: Mapping[str, Measured], names: Iterable[str], rule: WorkRule | None
) -> Measurements:
    """What a framework says of the named tensors, and with `rule` the multiply-adds of each node.

    `types`: all tensors that the framework says anything of, by name.
    """
    values = {name: types[name] for name in dict.fromkeys(names) if name in types}
    return Measurements(values, {} if rule is None else _work_by_shapes(graph, types, rule))


def _work_by_shapes(
    graph: OrderedGraph, types: Mapping[str, Measured], rule: WorkRule
) -> dict[str, int]:
    names = {value: name for name, value in graph.values().items()}
    amounts: dict[str, int] = {}
    for op in graph.body_ops():
        if isinstance(op, PlatformOp) and op.operands and op.results:
            inputs = [types.get(names[value]) for value in op.operands]
            result = types.get(names[op.results[0]])
            shapes = [None if t is None else t.shape for t in inputs]
            amount = rule(op.op_type, shapes, result and result.shape)
            amounts |= {op.identity: amount} if amount else {}
    return amounts
