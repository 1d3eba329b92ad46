"""Reads a `.pt2` archive into a module of the `aten` dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from autosplit.core.dtypes import tensor_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest, digest_of, register
from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import (
    BUFFER,
    CONSTANT,
    PARAMETER,
    TEMPORARY,
    GraphOp,
    InputOp,
    ParamOp,
    SourceOp,
    StateOp,
    WriteBackOp,
)
from autosplit.dialects.aten.memory import CONVERTING, MEMORY, ORDERED, RESHAPING
from autosplit.dialects.aten.opaque import OpaqueOp
from autosplit.dialects.aten.ops import class_of_target
from autosplit.dialects.onnx.base import name_hint
from autosplit.dialects.onnx.tensors import tensor_attr
from autosplit.dialects.platform import WeightAttr, strings, tell_apart, value_name
from autosplit.formats.pytorch.archive import Pt2Archive, TensorRecord
from autosplit.formats.pytorch.arguments import read_argument
from autosplit.formats.pytorch.blocks import AUTOCAST, names_of, without_blocks
from autosplit.formats.pytorch.metas import (
    SYMBOL_TABLES,
    memory_of,
    order_of,
    symbol_type,
    type_of_meta,
)
from autosplit.formats.pytorch.rest import REST, abstract, keep_rest
from autosplit.formats.pytorch.schema import Json, only_item

_DAMAGED = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
"""What reading JSON that does not follow the schema raises."""

_TARGETS = {
    "buffer_mutation": "buffer_name",
    "parameter_mutation": "parameter_name",
    "user_input_mutation": "user_input_name",
}
"""Outputs that are written back, and the key that names their target."""


Written = Mapping[str, Sequence[str]]


def import_file(path: Path, written: Written | None = None) -> tuple[ModuleOp, WeightStore]:
    """The module and the weights of an archive.

    `written`: the arguments that ops missing from the table write to, by target, as far as known. Nothing
    in the archive is unpickled. Raises AutosplitError, naming the file, on anything wrong with it.
    """
    archive = Pt2Archive(path)
    records = archive.tensors()
    store = store_of(archive, records, digest_of(path))
    program = archive.program
    try:
        module = _import_program(program, records, written or {})
    except AutosplitError as error:
        raise AutosplitError(f"{path}: {error}") from None
    except _DAMAGED as error:
        raise AutosplitError(
            f"{path}: models/{archive.name}.json is damaged: it is not as PyTorch's schema says "
            f"({type(error).__name__}: {error})"
        ) from None
    register(store, module)
    return module, store


def store_of(
    archive: Pt2Archive, records: Mapping[str, TensorRecord], file_digest: str
) -> WeightStore:
    """A store of the archive's tensors, by their names in the module."""
    store = WeightStore(archive.path, file_digest)
    for fqn, record in records.items():
        store.add(fqn, record.load, record)
    return store


def _import_program(
    program: Json, records: Mapping[str, TensorRecord], written: Written
) -> ModuleOp:
    builder = _Builder(program, records, written)
    builder.add_sources()
    for node in builder.graph["nodes"]:
        builder.add_node(node)
    inputs = [op.value_name(0) for op in builder.ops if isinstance(op, InputOp)]
    outputs = builder.add_outputs()
    _make_states(builder)
    tell_apart(builder.ops)
    block = Block()
    block.add_ops(builder.ops)
    graph = GraphOp(Region(block), inputs, outputs)
    module = ModuleOp([graph])
    module.attributes["platform.name"] = StringAttr("pytorch")
    module.attributes[REST] = StringAttr(json.dumps(keep_rest(program, graph, builder.rest)))
    return module


@dataclass(frozen=True)
class Branch:
    """A graph that is an argument of an op; `torch.cond` has two."""

    inputs: Sequence[SSAValue]
    nodes: Sequence[AtenOp]
    outputs: Sequence[SSAValue]


def import_branch(graph: Json) -> Branch:
    """A graph inside a program. Raises AutosplitError for what cannot be read."""
    builder = _Builder({"graph_module": {"graph": graph, "signature": {}}}, {}, {}, is_whole=False)
    try:
        inputs = builder.add_inputs()
        for node in builder.graph["nodes"]:
            builder.add_node(node)
        outputs = [builder.returned(output) for output in builder.graph["outputs"]]
    except _DAMAGED as error:
        raise AutosplitError(
            f"has a branch that is not as PyTorch's schema says ({type(error).__name__}: {error})"
        ) from None
    return Branch(inputs, builder.ops[len(inputs) :], outputs)


class _Builder:
    """Builds the ops of a program one by one."""

    def __init__(
        self,
        program: Json,
        records: Mapping[str, TensorRecord],
        written: Written,
        *,
        is_whole: bool = True,
    ):
        graph: Json = program["graph_module"]["graph"]
        self.graph: Json = without_blocks(graph, is_whole=is_whole)
        self.signature: Json = program["graph_module"]["signature"]
        self.records = records
        self.written = written
        self.ops: list[AtenOp] = []
        self.values: dict[str, SSAValue] = {}
        self.by_fqn: dict[str, SSAValue] = {}
        self.rest: Json = {"symbols": {}, "nodes": {}}

    def add_sources(self) -> None:
        """Adds the program's sources: its tensors, and what a caller passes."""
        inputs, specs = self.graph["inputs"], self.signature["input_specs"]
        if len(inputs) != len(specs):
            raise AutosplitError(
                f"has {counted(len(inputs), 'input')}, and its signature {len(specs)}"
            )
        for graph_input, spec in zip(inputs, specs, strict=True):
            op = self._source(graph_input, spec)
            if op is not None:
                self._add(op)

    def add_inputs(self) -> list[SSAValue]:
        """Adds the inputs of a graph that has no signature."""
        ops = [op for arg in self.graph["inputs"] if (op := self._input(arg)) is not None]
        if len(ops) < len(self.graph["inputs"]):
            raise AutosplitError("has a branch that is given more than tensors and sizes")
        for op in ops:
            self._add(op)
        return [op.results[0] for op in ops]

    def returned(self, output: Json) -> SSAValue:
        """An output of a graph that has no signature."""
        if (name := name_in(output)) is None:
            raise AutosplitError("has a branch that returns more than tensors and sizes")
        return self._value(name)

    def _source(self, graph_input: Json, spec: Json) -> SourceOp | None:
        kind, fields = only_item(spec)
        match kind:
            case "parameter":
                return self._tensor(fields["arg"]["name"], PARAMETER, fields["parameter_name"])
            case "buffer":
                stored = BUFFER if fields["persistent"] else TEMPORARY
                return self._tensor(fields["arg"]["name"], stored, fields["buffer_name"])
            case "tensor_constant":
                return self._tensor(fields["arg"]["name"], CONSTANT, fields["tensor_constant_name"])
            case "user_input":
                return self._input(graph_input)
            case "constant_input":
                # The program is specialized to this value, and nothing reads it.
                return None
            case _:
                raise AutosplitError(
                    f"has an input of kind {kind!r}; only tensors and numbers are read, no objects"
                )

    def _tensor(self, name: str, kind: str, fqn: str) -> SourceOp:
        record = self.records.get(fqn) if isinstance(cast("object", fqn), str) else None
        if record is None:
            raise AutosplitError(f"has no elements of the {kind} {fqn!r}")
        array = record.load()
        type = tensor_type_of(array)
        if name in self.graph["tensor_values"] and (declared := self._type(name)) != type:
            raise AutosplitError(f"the {kind} {fqn!r} is {type}, and in the program {declared}")
        value: Attribute
        if array.size > INLINE_LIMIT:
            value = WeightAttr(StringAttr(fqn), StringAttr(digest(array)), type)
        else:
            value = tensor_attr(array)
        properties = {"value": value, "kind": StringAttr(kind), "fqn": StringAttr(fqn)}
        op = ParamOp.make(name, {}, [], [type], more=properties)
        self.by_fqn[fqn] = op.results[0]
        return op

    def _input(self, graph_input: Json) -> SourceOp | None:
        kind, fields = only_item(graph_input)
        if kind == "as_tensor":
            return InputOp.make(fields["name"], {}, [], [self._type(fields["name"])])
        symbol = kind.removeprefix("as_")
        if symbol in SYMBOL_TABLES and "as_name" in fields:
            properties = {"kind": StringAttr(symbol)}
            return InputOp.make(fields["as_name"], {}, [], [symbol_type(symbol)], more=properties)
        return None

    def _type(self, name: str) -> Attribute:
        try:
            return type_of_meta(self.graph["tensor_values"].get(name), self.rest["symbols"])
        except AutosplitError as error:
            raise AutosplitError(f"the tensor {name!r} {error}") from None

    def add_node(self, node: Json) -> None:
        """Adds a node, as an opaque op if the table lacks it or one of its arguments."""
        target = str(node["target"])
        cls = class_of_target(target)
        arguments: list[Json] = node["inputs"]
        if cls is not None and cls.SPEC is not None:
            known_args = cls.SPEC.arg_by_name
            if any(argument["name"] not in known_args for argument in arguments):
                cls = None
        op_class = OpaqueOp if cls is None else cls
        names, types = self._results(node)
        name = node.get("name") or next(iter(names), target)
        if not isinstance(name, str):
            raise AutosplitError(f"has a node whose name is {name!r}, expected text")
        try:
            op = self._op(op_class, name, arguments, names, types, target)
            op.verify_()
        except (AutosplitError, VerifyException) as error:
            raise AutosplitError(f"node {name!r} ({target}) {error}") from None
        self._note_memory(op)
        self._add(op)
        node_rest = {k: node[k] for k in ("metadata", "is_hop_single_tensor_return") if node.get(k)}
        operand_index = {value: i for i, value in enumerate(dict.fromkeys(_names_in(arguments)))}
        node_rest |= {"inputs": abstract(arguments, operand_index)}
        node_rest |= {"outputs": abstract(node["outputs"], {n: i for i, n in enumerate(names)})}
        self.rest["nodes"][name] = node_rest

    def _note_memory(self, op: AtenOp) -> None:
        """Records whether an op that copies only if it must did, and what `as_strided` reads."""
        if op.SPEC is None or op.SPEC.base not in RESHAPING | CONVERTING | {"as_strided"}:
            return
        metas = self.graph["tensor_values"]
        source, result = (metas.get(value_name(op.operands[0])), metas.get(op.value_name(0)))
        if op.SPEC.base == "as_strided":
            view_arguments = op.ints("size"), op.ints("stride"), op.integer("storage_offset") or 0
            if source is not None and order_of(source, *view_arguments):
                op.attributes[MEMORY] = ORDERED
            return
        if source is not None and result is not None:
            memory = memory_of(op.SPEC.base, source, result)
            if memory is not None:
                op.attributes[MEMORY] = memory

    def _op(
        self,
        cls: type[AtenOp],
        name: str,
        arguments: Sequence[Json],
        names: Sequence[str],
        types: Sequence[Attribute],
        target: str,
    ) -> AtenOp:
        attributes: dict[str, Attribute] = {}
        operands: list[tuple[str, SSAValue]] = []
        symbols: list[str] = []
        for index, argument in enumerate(arguments):
            arg_name = argument["name"] or f"arg{index}"
            if not isinstance(arg_name, str):
                raise AutosplitError(f"has an argument that is called {arg_name!r}, expected text")
            spec = None if cls.SPEC is None else cls.SPEC.arg_by_name[arg_name]
            parsed = read_argument(argument["arg"], self._value, spec)
            operands += [(arg_name, value) for value in parsed.operands]
            if parsed.attribute is not None:
                attributes[arg_name] = parsed.attribute
            if parsed.is_symbol and (spec is None or spec.is_tensor):
                symbols.append(arg_name)
        properties: dict[str, Attribute] = {"symbols": strings(symbols)} if symbols else {}
        if cls is OpaqueOp:
            properties["target"] = StringAttr(target)
        if cls is OpaqueOp and target in self.written:
            properties["writes"] = strings(self.written[target])
        elif target == AUTOCAST and not _updates(arguments):
            properties["writes"] = strings([])
        return cls.make(name, attributes, operands, types, names, properties)

    def _results(self, node: Json) -> tuple[list[str], list[Attribute]]:
        results: list[tuple[str, Attribute]] = []
        for output in node["outputs"]:
            results += self._output(output)
        return [name for name, _ in results], [type for _, type in results]

    def _output(self, output: Json) -> Iterator[tuple[str, Attribute]]:
        kind, fields = only_item(output)
        if kind == "as_tensors":
            yield from ((item["name"], self._type(item["name"])) for item in fields)
        elif kind == "as_tensor":
            yield fields["name"], self._type(fields["name"])
        elif kind == "as_optional_tensors":
            tensors = [item["as_tensor"]["name"] for item in fields if "as_tensor" in item]
            yield from ((name, self._type(name)) for name in tensors)
        elif (symbol := kind.removeprefix("as_")) in SYMBOL_TABLES and "as_name" in fields:
            yield fields["as_name"], symbol_type(symbol)
        elif kind not in ("as_none", "as_int", "as_float", "as_bool"):
            raise AutosplitError(f"has an output of kind {kind!r}, which is not read")

    def _value(self, name: str) -> SSAValue:
        if name not in self.values:
            raise AutosplitError(f"reads {name!r}, which nothing before it computes")
        return self.values[name]

    def _add(self, op: AtenOp) -> None:
        for i, result in enumerate(op.results):
            name = op.value_name(i)
            if not isinstance(cast("object", name), str):
                raise AutosplitError(f"has a value that is called {name!r}, expected text")
            if name in self.values:
                raise AutosplitError(f"has two values that are called {name!r}")
            self.values[name] = result
            result.name_hint = name_hint(name)
        self.ops.append(op)

    def add_outputs(self) -> list[str]:
        """Adds the write-backs; returns the names of the values that a caller gets."""
        names: list[str] = []
        outputs, specs = self.graph["outputs"], self.signature["output_specs"]
        if len(outputs) != len(specs):
            raise AutosplitError(
                f"has {counted(len(outputs), 'output')}, and its signature {len(specs)}"
            )
        for output, spec in zip(outputs, specs, strict=True):
            kind, fields = only_item(spec)
            name = name_in(output)
            if name is None:
                continue
            value = self._value(name)
            if kind in _TARGETS:
                target_name = fields[_TARGETS[kind]]
                target = self.by_fqn.get(target_name) or self._value(target_name)
                self._add(write_back(name, target_name, target, value))
            elif name not in names:
                names.append(name)
        return names


def _updates(arguments: Sequence[Json]) -> bool:
    """Whether a graph among the arguments of a node may update its inputs."""
    graphs = [a["arg"]["as_graph"]["graph"] for a in arguments if "as_graph" in a["arg"]]
    return any(op.written() for graph in graphs for op in import_branch(graph).nodes)


def write_back(name: str, target_name: str, target: SSAValue, value: SSAValue) -> WriteBackOp:
    """An op that writes `value`, named `name`, to `target`."""
    ports = [("self", target), ("value", value)]
    return WriteBackOp.make(f"{name}_to_{target_name}", {}, ports, [])


def name_in(argument: Json) -> str | None:
    """The name of the value that an argument is; None if it is a constant."""
    kind, fields = only_item(argument)
    if kind == "as_tensor":
        return fields["name"]
    if kind.removeprefix("as_") in SYMBOL_TABLES:
        return fields.get("as_name")
    return None


def _names_in(arguments: Any) -> Iterator[str]:
    """The names of values in the arguments, in order."""
    for argument in arguments:
        yield from names_of(argument["arg"])


def _make_states(builder: _Builder) -> None:
    """Turns the tensors that the program writes into `aten.state`.

    What an op writes to may be a view of another value; the table says which results may be views.
    """
    roots: dict[SSAValue, set[SSAValue]] = {}
    written: set[SSAValue] = set()
    for op in builder.ops:
        for i, result in enumerate(op.results):
            shared = op.aliased(i)
            roots[result] = set().union(*(roots[v] for v in shared)) if shared else {result}
        for operand in op.written():
            written |= roots[operand]
    for index, op in enumerate(builder.ops):
        if not isinstance(op, ParamOp) or op.results[0] not in written:
            continue
        state = StateOp.create(result_types=[op.results[0].type], properties=dict(op.properties))
        state.location = op.location
        state.results[0].name_hint = op.results[0].name_hint
        op.results[0].replace_all_uses_with(state.results[0])
        builder.ops[index] = state
