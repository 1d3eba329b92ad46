"""A `.pt2` archive to a module of the `aten` dialect."""

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
"""What reading JSON of another form than the schema's raises."""

_TARGETS = {
    "buffer_mutation": "buffer_name",
    "parameter_mutation": "parameter_name",
    "user_input_mutation": "user_input_name",
}
"""Outputs that are written back, and what says to where."""


Written = Mapping[str, Sequence[str]]


def import_file(path: Path, written: Written | None = None) -> tuple[ModuleOp, WeightStore]:
    """The module and the weights of an archive.

    `written`: the arguments that ops write to which the table does not have, by their targets, as far as
    that is known. Nothing in the archive is unpickled. Raises AutosplitError, naming the file, on anything
    wrong with it.
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
    """The tensors of an archive as a store, by their names in the module."""
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
    _keep_states(builder)
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
    """A graph that an op of a program has as an argument, as `torch.cond` has two."""

    inputs: Sequence[SSAValue]
    nodes: Sequence[AtenOp]
    outputs: Sequence[SSAValue]


def import_branch(graph: Json) -> Branch:
    """A graph inside of a program. Raises AutosplitError on what is not read."""
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
    """Makes the ops of a program, one after the other."""

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
        """What the program reads: its tensors, and what a caller gives."""
        inputs, specs = self.graph["inputs"], self.signature["input_specs"]
        if len(inputs) != len(specs):
            raise AutosplitError(
                f"has {counted(len(inputs), 'input')}, and its signature {len(specs)}"
            )
        for given, spec in zip(inputs, specs, strict=True):
            op = self._source(given, spec)
            if op is not None:
                self._add(op)

    def add_inputs(self) -> list[SSAValue]:
        """What is given to a graph that has no signature."""
        ops = [op for given in self.graph["inputs"] if (op := self._input(given)) is not None]
        if len(ops) < len(self.graph["inputs"]):
            raise AutosplitError("has a branch that is given more than tensors and sizes")
        for op in ops:
            self._add(op)
        return [op.results[0] for op in ops]

    def returned(self, output: Json) -> SSAValue:
        """What a graph that has no signature returns at one place."""
        if (name := name_in(output)) is None:
            raise AutosplitError("has a branch that returns more than tensors and sizes")
        return self._value(name)

    def _source(self, given: Json, spec: Json) -> SourceOp | None:
        kind, about = only_item(spec)
        match kind:
            case "parameter":
                return self._tensor(about["arg"]["name"], PARAMETER, about["parameter_name"])
            case "buffer":
                stored = BUFFER if about["persistent"] else TEMPORARY
                return self._tensor(about["arg"]["name"], stored, about["buffer_name"])
            case "tensor_constant":
                return self._tensor(about["arg"]["name"], CONSTANT, about["tensor_constant_name"])
            case "user_input":
                return self._input(given)
            case "constant_input":
                # The program is of this one value, and nothing reads it.
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
        more = {"value": value, "kind": StringAttr(kind), "fqn": StringAttr(fqn)}
        op = ParamOp.make(name, {}, [], [type], more=more)
        self.by_fqn[fqn] = op.results[0]
        return op

    def _input(self, given: Json) -> SourceOp | None:
        kind, about = only_item(given)
        if kind == "as_tensor":
            return InputOp.make(about["name"], {}, [], [self._type(about["name"])])
        symbol = kind.removeprefix("as_")
        if symbol in SYMBOL_TABLES and "as_name" in about:
            more = {"kind": StringAttr(symbol)}
            return InputOp.make(about["as_name"], {}, [], [symbol_type(symbol)], more=more)
        return None

    def _type(self, name: str) -> Attribute:
        try:
            return type_of_meta(self.graph["tensor_values"].get(name), self.rest["symbols"])
        except AutosplitError as error:
            raise AutosplitError(f"the tensor {name!r} {error}") from None

    def add_node(self, node: Json) -> None:
        """A node, as an opaque op where the table does not have it or does not have an argument of it."""
        target = str(node["target"])
        cls = class_of_target(target)
        given: list[Json] = node["inputs"]
        if cls is not None and cls.SPEC is not None:
            known = cls.SPEC.arg_by_name
            if any(argument["name"] not in known for argument in given):
                cls = None
        chosen = OpaqueOp if cls is None else cls
        names, types = self._results(node)
        name = node.get("name") or next(iter(names), target)
        if not isinstance(name, str):
            raise AutosplitError(f"has a node whose name is {name!r}, expected text")
        try:
            op = self._op(chosen, name, given, names, types, target)
            op.verify_()
        except (AutosplitError, VerifyException) as error:
            raise AutosplitError(f"node {name!r} ({target}) {error}") from None
        self._note_memory(op)
        self._add(op)
        own = {k: node[k] for k in ("metadata", "is_hop_single_tensor_return") if node.get(k)}
        places = {value: i for i, value in enumerate(dict.fromkeys(_names_in(given)))}
        own |= {"inputs": abstract(given, places)}
        own |= {"outputs": abstract(node["outputs"], {n: i for i, n in enumerate(names)})}
        self.rest["nodes"][name] = own

    def _note_memory(self, op: AtenOp) -> None:
        """Notes on an op that copies only if it must whether it did, and on `as_strided` what it reads."""
        if op.SPEC is None or op.SPEC.base not in RESHAPING | CONVERTING | {"as_strided"}:
            return
        metas = self.graph["tensor_values"]
        given, made = metas.get(value_name(op.operands[0])), metas.get(op.value_name(0))
        if op.SPEC.base == "as_strided":
            about = op.ints("size"), op.ints("stride"), op.integer("storage_offset") or 0
            if given is not None and order_of(given, *about):
                op.attributes[MEMORY] = ORDERED
            return
        if given is not None and made is not None:
            memory = memory_of(op.SPEC.base, given, made)
            if memory is not None:
                op.attributes[MEMORY] = memory

    def _op(
        self,
        cls: type[AtenOp],
        name: str,
        given: Sequence[Json],
        names: Sequence[str],
        types: Sequence[Attribute],
        target: str,
    ) -> AtenOp:
        attributes: dict[str, Attribute] = {}
        operands: list[tuple[str, SSAValue]] = []
        symbols: list[str] = []
        for place, argument in enumerate(given):
            called = argument["name"] or f"arg{place}"
            if not isinstance(called, str):
                raise AutosplitError(f"has an argument that is called {called!r}, expected text")
            spec = None if cls.SPEC is None else cls.SPEC.arg_by_name[called]
            read = read_argument(argument["arg"], self._value, spec)
            operands += [(called, value) for value in read.operands]
            if read.attribute is not None:
                attributes[called] = read.attribute
            if read.is_symbol and (spec is None or spec.is_tensor):
                symbols.append(called)
        more: dict[str, Attribute] = {"symbols": strings(symbols)} if symbols else {}
        if cls is OpaqueOp:
            more["target"] = StringAttr(target)
        if cls is OpaqueOp and target in self.written:
            more["writes"] = strings(self.written[target])
        elif target == AUTOCAST and not _updates(given):
            more["writes"] = strings([])
        return cls.make(name, attributes, operands, types, names, more)

    def _results(self, node: Json) -> tuple[list[str], list[Attribute]]:
        results: list[tuple[str, Attribute]] = []
        for output in node["outputs"]:
            results += self._output(output)
        return [name for name, _ in results], [type for _, type in results]

    def _output(self, output: Json) -> Iterator[tuple[str, Attribute]]:
        kind, about = only_item(output)
        if kind == "as_tensors":
            yield from ((item["name"], self._type(item["name"])) for item in about)
        elif kind == "as_tensor":
            yield about["name"], self._type(about["name"])
        elif kind == "as_optional_tensors":
            tensors = [item["as_tensor"]["name"] for item in about if "as_tensor" in item]
            yield from ((name, self._type(name)) for name in tensors)
        elif (symbol := kind.removeprefix("as_")) in SYMBOL_TABLES and "as_name" in about:
            yield about["as_name"], symbol_type(symbol)
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
        """What is written back, and the names of what a caller gets."""
        names: list[str] = []
        outputs, specs = self.graph["outputs"], self.signature["output_specs"]
        if len(outputs) != len(specs):
            raise AutosplitError(
                f"has {counted(len(outputs), 'output')}, and its signature {len(specs)}"
            )
        for output, spec in zip(outputs, specs, strict=True):
            kind, about = only_item(spec)
            name = name_in(output)
            if name is None:
                continue
            value = self._value(name)
            if kind in _TARGETS:
                called = about[_TARGETS[kind]]
                target = self.by_fqn.get(called) or self._value(called)
                self._add(write_back(name, called, target, value))
            elif name not in names:
                names.append(name)
        return names


def _updates(given: Sequence[Json]) -> bool:
    """Whether a graph among the arguments of a node may update what it reads."""
    graphs = [a["arg"]["as_graph"]["graph"] for a in given if "as_graph" in a["arg"]]
    return any(op.written() for graph in graphs for op in import_branch(graph).nodes)


def write_back(name: str, target_name: str, target: SSAValue, value: SSAValue) -> WriteBackOp:
    """Writes `value`, which is called `name`, to `target`."""
    ports = [("self", target), ("value", value)]
    return WriteBackOp.make(f"{name}_to_{target_name}", {}, ports, [])


def name_in(argument: Json) -> str | None:
    """The name of the one value that an argument is; None if it is a constant."""
    kind, about = only_item(argument)
    if kind == "as_tensor":
        return about["name"]
    if kind.removeprefix("as_") in SYMBOL_TABLES:
        return about.get("as_name")
    return None


def _names_in(given: Any) -> Iterator[str]:
    """The names of values that arguments have, in order."""
    for argument in given:
        yield from names_of(argument["arg"])


def _keep_states(builder: _Builder) -> None:
    """Makes the tensors that the program writes to `aten.state`.

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
    for place, op in enumerate(builder.ops):
        if not isinstance(op, ParamOp) or op.results[0] not in written:
            continue
        state = StateOp.create(result_types=[op.results[0].type], properties=dict(op.properties))
        state.location = op.location
        state.results[0].name_hint = op.results[0].name_hint
        op.results[0].replace_all_uses_with(state.results[0])
        builder.ops[place] = state
