"""Writes a module of the `aten` dialect as a `.pt2` archive, which `torch.export.load` opens."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.target import Target

from autosplit.core.dtypes import dim_names, dtype_of, ranked_type
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import Array, WeightStore, store_for
from autosplit.dialects.aten.graph import (
    CONSTANT,
    PARAMETER,
    TEMPORARY,
    GraphOp,
    SourceOp,
    TensorSource,
    WriteBackOp,
    nodes_of,
)
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import WeightAttr
from autosplit.formats.pytorch.archive import TensorRecord
from autosplit.formats.pytorch.arguments import symbol_kind
from autosplit.formats.pytorch.metas import SYMBOL_TABLES, meta_of_type
from autosplit.formats.pytorch.rest import (
    SIGNATURE,
    implied_meta,
    is_meta_of,
    module_rest,
    names_of,
    signature_of,
    written_node,
)
from autosplit.formats.pytorch.schema import Json

NAME = "model"
"""The name of the program in the archives that are written."""

_LEAF: Json = {"type": None, "context": None, "children_spec": []}

_NEW_PROGRAM: Json = {
    "opset_version": {"aten": 10},
    "range_constraints": {},
    "schema_version": {"major": 8, "minor": 20},
    "verifiers": ["TRAINING"],
    "torch_version": "2.13.0",
    "guards_code": [],
}
"""Defaults for a program that was not read from a file."""

_ORDER = ("graph_module", "opset_version", "range_constraints", "schema_version")


@dataclass
class Pt2Files:
    """A program and its tensors, ready to be written."""

    program: Json
    weights: Json = field(default_factory=dict[str, Any])
    """The tables of the archive, by the name of the tensor."""
    constants: Json = field(default_factory=dict[str, Any])
    data: dict[str, bytes | Array] = field(default_factory=dict[str, "bytes | Array"])
    """The bytes of tensors, by member."""

    def write(self, path: Path) -> None:
        """Writes the archive. Same program, same bytes."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for member, content in self._members():
                # The folder may have any name; a fixed one keeps copies of a file identical.
                info = zipfile.ZipInfo(f"{NAME}/{member}", (1980, 1, 1, 0, 0, 0))
                with archive.open(info, "w", force_zip64=True) as file:
                    file.write(content)

    def _members(self) -> Iterator[tuple[str, bytes]]:
        for member, content in self.data.items():
            yield member, content if isinstance(content, bytes) else content.tobytes()
        yield f"data/weights/{NAME}_weights_config.json", _json({"config": self.weights})
        yield f"data/constants/{NAME}_constants_config.json", _json({"config": self.constants})
        yield f"models/{NAME}.json", _json(self.program)
        # Example inputs would be a pickle; PyTorch accepts a file without them.
        yield f"data/sample_inputs/{NAME}.pt", b""
        yield "archive_format", b"pt2"
        yield "archive_version", b"0"
        yield ".data/version", b"6\n"
        yield "byteorder", b"little"


def _json(content: Json) -> bytes:
    return json.dumps(content).encode()


def export_graph(module: ModuleOp, graph: GraphOp, store: WeightStore | None) -> Pt2Files:
    """The program of a graph, with all of its tensors; an imported one is written as its file had it.

    Raises AutosplitError for weights that are missing.
    """
    rest = module_rest(module)
    files = Pt2Files(_program(graph, rest))
    _add_tensors(files, graph, store)
    return files


def _program(graph: GraphOp, rest: Json) -> Json:
    names = names_of(graph)
    kept_program: Json = rest.get("program", {})
    module: Json = kept_program.get("graph_module", {})
    nodes = [op for op in nodes_of(graph) if not isinstance(op, SourceOp | WriteBackOp)]
    signature_parts = _signature(graph, names, rest)
    tables = _tables(graph, names, rest)
    graph_json: Json = {
        "inputs": signature_parts["inputs"],
        "outputs": signature_parts["outputs"],
        "nodes": [written_node(op, names, rest) for op in nodes],
        "tensor_values": tables["tensor_values"],
        "sym_int_values": tables["sym_int_values"],
        "sym_bool_values": tables["sym_bool_values"],
        "is_single_tensor_return": False,
        "custom_obj_values": {},
        "sym_float_values": tables["sym_float_values"],
    }
    graph_json |= module.get("graph", {})
    signature = {key: signature_parts[key] for key in ("input_specs", "output_specs")}
    calls = module.get("module_call_graph") or [_call(graph)]
    module_fields: Json = {"metadata": {}, "treespec_namedtuple_fields": {}}
    module_fields |= {k: v for k, v in module.items() if k not in ("graph", "module_call_graph")}
    graph_module = {
        "graph": graph_json,
        "signature": signature,
        "module_call_graph": calls,
        **module_fields,
    }
    program = {**_NEW_PROGRAM, **kept_program, "graph_module": graph_module}
    ordered = {key: program[key] for key in _ORDER}
    return {**ordered, **program}


def _signature(graph: GraphOp, names: Mapping[SSAValue, str], rest: Json) -> Json:
    """The inputs and outputs, as in the file if all the values they name still exist."""
    derived: Json = dict(zip(SIGNATURE, signature_of(graph, names), strict=True))
    known = set(names.values())
    for kind in ("input", "output"):
        names_key, specs_key = f"{kind}s", f"{kind}_specs"
        candidate = {key: rest.get(key, derived[key]) for key in (names_key, specs_key)}
        if names_key not in rest and specs_key not in rest:
            continue
        mentioned = {name for entry in candidate[names_key] for name in _names_in(entry)}
        if (
            mentioned == {name for entry in derived[names_key] for name in _names_in(entry)}
            and mentioned <= known
        ):
            derived |= candidate
    return derived


def _names_in(json_value: Any) -> Iterator[str]:
    if isinstance(json_value, dict):
        for key, item in cast("Json", json_value).items():
            if key in ("name", "as_name") and isinstance(item, str):
                yield item
            else:
                yield from _names_in(item)


def _call(graph: GraphOp) -> Json:
    """How a sub-model's program is called: its inputs in order, returning a tuple of its outputs."""
    names = [name for name, _ in graph.graph_inputs()]
    arguments = _tuple([_LEAF] * len(names))
    spec = _tuple([arguments, {"type": "builtins.dict", "context": "[]", "children_spec": []}])
    outputs = _tuple([_LEAF] * len(graph.graph_outputs()))
    return {
        "fqn": "",
        "signature": {
            "inputs": [],
            "outputs": [],
            "in_spec": json.dumps([1, spec]),
            "out_spec": json.dumps([1, outputs]),
            "forward_arg_names": names,
        },
    }


def _tuple(children: Sequence[Json]) -> Json:
    return {"type": "builtins.tuple", "context": "null", "children_spec": list(children)}


def _tables(graph: GraphOp, names: Mapping[SSAValue, str], rest: Json) -> Json:
    """The tables that describe each value."""
    defaults: Json = {"symbols": {}, "values": {}, "grad": False, **rest}
    symbols = _Symbols(dict(defaults["symbols"]))
    tables: Json = {"tensor_values": {}, **{table: {} for table in SYMBOL_TABLES.values()}}
    for value, name in names.items():
        original: Json | None = defaults["values"].get(name)
        if (kind := symbol_kind(value)) is not None:
            tables[SYMBOL_TABLES[kind]][name] = original or symbols.number(kind)
        elif original is not None and is_meta_of(original, value.type):
            tables["tensor_values"][name] = original
        else:
            meta = implied_meta(value, defaults) or symbols.meta(value.type)
            if meta is not None:
                tables["tensor_values"][name] = meta
    return tables


@dataclass
class _Symbols:
    """Makes symbols for sizes that have no name in a file."""

    known: Json
    count: int = 0

    def fresh(self) -> Json:
        """A new symbol for a size."""
        self.count += 1
        text = f"Symbol('s{9000 + self.count}', positive=True, integer=True)"
        return {"as_expr": {"expr_str": text, "hint": {"as_int": 2}}}

    def number(self, kind: str) -> Json:
        """The entry of a number about which nothing is known."""
        if kind == "sym_int":
            return self.fresh()
        name, letter = ("zf", "real") if kind == "sym_float" else ("b", "bool")
        self.count += 1
        return {"as_expr": {"expr_str": f"Symbol('{name}{9000 + self.count}', {letter}=True)"}}

    def meta(self, type: Attribute) -> Json | None:
        """The metadata of a tensor with unknown sizes; None if the rank is unknown too."""
        if not isinstance(type, TensorType):
            return None
        tensor = cast("TensorType[Attribute]", type)
        if dtype_of(tensor) is None:
            return None
        symbols, labels = dict(self.known), list[str]()
        for size, name in zip(tensor.get_shape(), dim_names(tensor), strict=True):
            labels.append(name if size >= 0 or name in symbols else f"open{len(labels)}")
            if size < 0 and labels[-1] not in symbols:
                symbols[labels[-1]] = self.fresh()
        return _open_meta(ranked_type(tensor.element_type, tensor.get_shape(), labels), symbols)


def _open_meta(type: TensorType[Attribute], symbols: Json) -> Json:
    """The metadata of a contiguous tensor with symbolic sizes; its strides follow from their hints."""
    sizes = list(zip(type.get_shape(), dim_names(type), strict=True))
    hinted = [_hint(symbols[name]) if size < 0 else size for size, name in sizes]
    meta = meta_of_type(ranked_type(type.element_type, hinted), symbols, grad=False)
    assert meta is not None
    meta["sizes"] = [symbols[name] if size < 0 else {"as_int": size} for size, name in sizes]
    return meta


def _hint(size: Json) -> int:
    hint: Json = size["as_expr"].get("hint") or {}
    return int(hint.get("as_int", 2))


def _add_tensors(files: Pt2Files, graph: GraphOp, store: WeightStore | None) -> None:
    """Adds the tensors in the order of their file; those with the same storage share their bytes."""
    order = {} if store is None else {key: i for i, key in enumerate(store)}
    sources = [op for op in graph.body_ops() if isinstance(op, TensorSource)]
    sources.sort(key=lambda op: order.get(op.fqn.data, len(order)))
    members: dict[str, str] = {}
    for op in sources:
        # Non-persistent buffers are stored as constants.
        is_constant = op.kind.data in (CONSTANT, TEMPORARY)
        folder, prefix = ("constants", "tensor_") if is_constant else ("weights", "weight_")
        table = files.constants if is_constant else files.weights
        source = _source(op, store)
        key = (
            f"data/{folder}/{op.fqn.data}"
            if source is None
            else f"{source.archive.path}:{source.member}"
        )
        if key not in members:
            count = sum(m.startswith(f"data/{folder}/") for m in members.values())
            members[key] = f"data/{folder}/{prefix}{count}"
            data = _array(op, store) if source is None else source.archive.read(source.member)
            files.data[members[key]] = data
        entry: Json = _entry(op) if source is None else dict(source.entry)
        table[op.fqn.data] = entry | {"path_name": members[key].rpartition("/")[2]}


def _source(op: TensorSource, store: WeightStore | None) -> TensorRecord | None:
    """The tensor in the file that the module was read from; None for one created later."""
    source = None if store is None else store.source(op.fqn.data)
    if not isinstance(source, TensorRecord):
        return None
    if isinstance(op.value, WeightAttr):
        return source if op.value.key.data == op.fqn.data else None
    array = tensor_array(op.value)
    if array is None or array.dtype != source.dtype or array.shape != source.sizes:
        return None
    return source if np.asarray(array).tobytes() == source.load().tobytes() else None


def _array(op: TensorSource, store: WeightStore | None) -> Array:
    if isinstance(op.value, WeightAttr):
        return np.ascontiguousarray((store or WeightStore()).array(op.value))
    array = tensor_array(op.value)
    assert array is not None
    return np.ascontiguousarray(array)


def _entry(op: TensorSource) -> Json:
    """The table's entry of a tensor that is not from a file."""
    is_param = op.kind.data == PARAMETER
    meta = meta_of_type(op.results[0].type, {}, grad=is_param)
    if meta is None:
        raise AutosplitError(f"{op.fqn.data!r} is of {op.results[0].type}, which no file can have")
    return {"path_name": "", "is_param": is_param, "use_pickle": False, "tensor_meta": meta}


@dataclass(frozen=True)
class Pt2ProgramTarget(Target):
    """The program as the JSON that a `.pt2` holds, without the tensors."""

    name = "pt2-program"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        platform = module.attributes.get("platform.name")
        if isinstance(platform, StringAttr) and platform.data != "pytorch":
            raise PassFailedException(f"the module is of {platform.data}, expected pytorch")
        graph = next((op for op in module.body.block.ops if isinstance(op, GraphOp)), None)
        if graph is None:
            raise PassFailedException(
                "found no aten.graph in the module: device-outline leaves none"
            )
        program = export_graph(module, graph, store_for(module)).program
        output.write(json.dumps(program, indent=1) + "\n")
