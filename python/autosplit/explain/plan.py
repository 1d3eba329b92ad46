"""Where every op of a split model runs, and why, read from the module's attributes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
)

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.json import Json
from autosplit.dialects.device import CallOp, ForeignOp, FuncOp, ReasonAttr, items_of
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    location_names,
    static_shape,
    type_text,
    value_name,
)
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.reader import read_folder

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue

    from autosplit.folder.compilation import Cost
    from autosplit.portable.networks import NetworkPort


TPU, HOST = "tpu", "host"

_TENSOR = re.compile(r"tensor<(?P<shape>(?:(?:\d+|\?|\*)x)*)(?P<element>[^,<>]+(?:<[^>]*>)?)")


@dataclass(frozen=True)
class Reason:
    """Why an op is not on a device: a stable code for counting, and a sentence."""

    device: str
    code: str
    text: str


@dataclass(frozen=True)
class PlacedOp:
    """One op of the model and its place."""

    name: str
    type: str
    graph: str
    """The sub-model, `graph_N`."""
    device: str
    accepts: tuple[str, ...]
    """The devices that could run it."""
    reasons: tuple[Reason, ...]
    """Why the others could not, and why it was moved from one that could."""
    work: int
    """Multiply-adds."""
    constant: bool
    """Whether it only holds a value; such ops follow their users, into several sub-models if need be."""
    operands: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    uncounted: bool = False
    """Whether nobody could tell how many multiply-adds: its sizes, or how often it runs, are unknown."""


@dataclass(frozen=True)
class Border:
    """A tensor that one sub-model gives and others take, or that the model takes or returns."""

    name: str
    type: str
    bytes: int | None
    made_by: str
    """`graph_N`, or `input`."""
    read_by: tuple[str, ...]
    """`graph_N`, `output`."""
    measured: tuple[int, ...] | None = None
    """The shape that one run had, where the type leaves it open."""
    held: str = ""
    """`int8` or `uint8` where bmodels hand it over as such integers."""
    saved: int = 0
    """The bytes that need not be moved because of that."""
    changes: tuple[str, ...] = ()
    """What becomes of it where it enters or leaves TPU sub-models, as in `NHWC to NCHW in graph_1`."""
    floats: tuple[str, ...] = ()
    """Where 8-bit integers of the model enter or leave bmodels as float32, and why."""
    promised: bool = False
    """Whether the shape is what the user said with --shape, which the runner checks."""

    @property
    def shown(self) -> str:
        """Shape and element type without the IR's brackets, such as `1x300x300x3 f32`."""
        match = _TENSOR.match(self.type)
        if match is None:
            return "unknown"
        shape = match["shape"].removesuffix("x")
        if self.measured is not None:
            return f"{'x'.join(map(str, self.measured))} {match['element']}, measured"
        shape = shape.replace("*", "any shape,") or "scalar"
        return f"{shape} {match['element']}" + (", promised" if self.promised else "")


@dataclass(frozen=True)
class SubModel:
    """One sub-model and what is in it."""

    name: str
    device: str
    chip: str
    ops: int
    """Without constants."""
    work: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    foreign: bool = False
    """Whether its files are of a framework that autosplit does not read, so that its ops are unknown."""


@dataclass(frozen=True)
class Total:
    """How many ops a reason keeps from the TPU."""

    code: str
    ops: int
    work: int
    types: tuple[tuple[str, int], ...]
    """The kinds of these ops, the most frequent first."""
    example: str
    """The first op's sentence."""
    example_op: str


@dataclass(frozen=True)
class BmodelInfo:
    """What the bmodel of a TPU sub-model was compiled for, and how well it computes."""

    graph: str
    bmodel: str
    """The file, relative to the folder; "" where there is none."""
    bytes: int
    compiler: str
    """"" where nothing is recorded of the bmodel."""
    toolchain: str = ""
    chip: str = ""
    mode: str = ""
    dynamic: bool = False
    optimize: int | None = None
    cosine: float | None = None
    """The least one of all outputs, where the bmodel was compared."""
    in_f32: tuple[str, ...] = ()
    """What is computed in f32 although the mode is a narrower one, and why."""
    refused: str = ""
    """Why the comparison refused it, where somebody accepted it all the same."""
    cost: Cost | None = None
    """None if that is not known."""


@dataclass(frozen=True)
class Explanation:
    """All of it."""

    platform: str
    target: str
    graphs: list[SubModel]
    ops: list[PlacedOp]
    borders: list[Border]
    curve: list[tuple[int, int]]
    """For each number of sub-models that was looked at: the multiply-adds that the TPU would get."""
    possible: int = 0
    """The multiply-adds of all ops that the TPU accepts."""
    plan: dict[str, Json] = field(default_factory=dict[str, Json])
    """The rest of `device.plan`, as it stands in the module."""
    unchecked: list[str] = field(default_factory=list[str])
    """The checks of the program that the sub-models do not make."""
    compiled: list[BmodelInfo] = field(default_factory=list["BmodelInfo"])
    """The bmodels of a folder."""

    @property
    def work(self) -> int:
        return sum(g.work for g in self.graphs)

    @property
    def tpu_work(self) -> int:
        return sum(g.work for g in self.graphs if g.device == TPU)

    def totals(self) -> list[Total]:
        """The reasons for which ops are on the CPU, the most work first."""
        by_code: dict[str, list[PlacedOp]] = {}
        for op in self.ops:
            if op.device == TPU or op.constant:
                continue
            code = op.reasons[0].code if op.reasons else "not recorded"
            by_code.setdefault(code, []).append(op)
        totals = [_total(code, ops) for code, ops in by_code.items()]
        return sorted(totals, key=lambda t: (-t.work, -t.ops, t.code))

    def find(self, name: str) -> list[PlacedOp]:
        """The ops called `name`; where there is none, those whose whole names the regex `name` matches.

        Raises AutosplitError, with the nearest name, if nothing matches.
        """
        if exact := [op for op in self.ops if op.name == name]:
            return exact
        try:
            pattern = re.compile(name)
        except re.error:
            pattern = None
        ops = [op for op in self.ops if pattern is not None and pattern.fullmatch(op.name)]
        if not ops:
            names = list(dict.fromkeys(op.name for op in self.ops))
            raise AutosplitError(f"there is no op called {name!r}{choice(name, names)}")
        return ops

    def to_json(self, ops: Iterable[PlacedOp] | None = None) -> dict[str, Json]:
        """Everything as JSON values; `ops` restricts the ops."""
        selected = self.ops if ops is None else list(ops)
        return {
            "platform": self.platform,
            "target": self.target,
            "work": self.work,
            "tpu_work": self.tpu_work,
            "possible_work": self.possible,
            "graphs": [_plain(g) for g in self.graphs],
            "borders": [_plain(b) for b in self.borders],
            "curve": [{"graphs": k, "tpu_work": work} for k, work in self.curve],
            "reasons": [_plain(t) for t in self.totals()],
            "ops": [_plain(op) for op in selected],
            "plan": self.plan,
            "compiled": [_plain(c) for c in self.compiled],
        }


def explain(module: ModuleOp) -> Explanation:
    """Reads an outlined module. Raises AutosplitError for one that is not."""
    funcs = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    main = next((f for f in funcs if f.target.kind.data == HOST), None)
    if main is None:
        raise AutosplitError(
            "the module is not split: it has no device.func for the host; run device-outline first"
        )
    graphs = [f for f in funcs if f is not main]
    ops = [op for f in graphs for op in _placed_ops(f)]
    plan = module.attributes.get("device.plan")
    entries = dict(plan.data) if isinstance(plan, DictionaryAttr) else {}
    name = module.attributes.get("platform.name")
    chips = sorted({f.target.chip.data for f in graphs} - {""})
    return Explanation(
        platform=name.data if isinstance(name, StringAttr) else "",
        target=", ".join(chips) or _text(entries.get("target")),
        graphs=[_sub_model(f, ops) for f in graphs],
        ops=ops,
        borders=_borders(main, entries),
        curve=_curve(entries.get("curve")),
        possible=_integer(entries.get("work_possible")),
        plan=_json_plan(entries),
        unchecked=_strings(entries.get("unchecked")),
    )


def explain_folder(folder: Path | str) -> Explanation:
    """Reads a folder that was split, and what was compiled of it. Raises AutosplitError for any other."""
    explanation, infos = explain(read_folder(folder, placed=True)), GraphInfos.load(folder)
    return with_compiled(replace(explanation, platform=infos.platform), infos)


def compiled_of(infos: GraphInfos) -> list[BmodelInfo]:
    """The bmodels in a folder, and TPU sub-models without one beside them.

    Raises AutosplitError for one that is not what its record says.
    """
    bmodels: list[BmodelInfo] = []
    for graph in infos.graphs:
        if graph.device != TPU:
            continue
        path, name = infos.bmodel(graph), f"graph_{graph.index}"
        if not path.is_file():
            bmodels.append(BmodelInfo(name, "", 0, ""))
            continue
        relative_path = path.relative_to(infos.folder).as_posix()
        if (record := infos.compilation(graph)) is None:
            bmodels.append(BmodelInfo(name, relative_path, path.stat().st_size, ""))
            continue
        bmodels.append(
            BmodelInfo(
                name,
                relative_path,
                path.stat().st_size,
                record.compiler,
                record.toolchain,
                record.chip,
                record.full_mode,
                record.dynamic,
                record.optimize,
                min((m.cosine for m in record.comparison.values()), default=None),
                record.in_f32,
                record.refused,
                record.cost,
            )
        )
    return bmodels if any(item.bmodel for item in bmodels) else []


def with_compiled(explanation: Explanation, infos: GraphInfos) -> Explanation:
    """An explanation of a folder, with what its bmodels add to it."""
    borders_of_tensor: dict[str, list[tuple[str, NetworkPort]]] = {}
    for graph in infos.graphs:
        record = infos.compilation(graph) if graph.device == TPU else None
        for border in (*record.inputs, *record.outputs) if record is not None else ():
            borders_of_tensor.setdefault(border.tensor, []).append((f"graph_{graph.index}", border))
    borders = [_with_recorded(b, borders_of_tensor.get(b.name, [])) for b in explanation.borders]
    return replace(explanation, compiled=compiled_of(infos), borders=borders)


def _with_recorded(border: Border, recorded: list[tuple[str, NetworkPort]]) -> Border:
    """A border, with how the bmodels on its sides take or give it."""
    from autosplit.folder.int8_borders import saved

    as_integers = [b for _, b in recorded if b.network_dtype != "float32"]
    floats = tuple(f"as float32 in {graph}: {b.reason}" for graph, b in recorded if b.reason)
    return replace(
        border,
        held=", ".join(dict.fromkeys(b.network_dtype for b in as_integers)),
        saved=sum(saved(b.shape, 1) for b in as_integers),
        floats=floats,
    )


def _placed_ops(func: FuncOp) -> Iterator[PlacedOp]:
    for op in func.body.block.ops:
        if isinstance(op, PlatformOp):
            yield _placed_op(func, op)


def _placed_op(func: FuncOp, op: PlatformOp) -> PlacedOp:
    names = location_names(op.location)
    return PlacedOp(
        name=names[0] if names else op.identity,
        type=op.op_type,
        graph=func.sym_name.data,
        device=func.target.kind.data,
        accepts=tuple(_strings(op.attributes.get("device.accepts"))),
        reasons=tuple(_reasons(op)),
        work=_integer(op.attributes.get("device.work")),
        constant=op.IS_CONSTANT or "device.constant" in op.attributes,
        uncounted="device.uncounted" in op.attributes,
        operands=tuple(_described(v) for v in op.operands),
        results=tuple(_described(v) for v in op.results),
    )


def _reasons(op: Operation) -> Iterator[Reason]:
    # What moved an op that the TPU accepts is why it is where it is; a refusal stands before it.
    refused = op.attributes.get("device.refused")
    for device, reason in refused.data.items() if isinstance(refused, DictionaryAttr) else ():
        if isinstance(reason, ReasonAttr):
            yield Reason(device, reason.code.data, reason.text.data)
    moved = op.attributes.get("device.moved")
    if isinstance(moved, ReasonAttr):
        yield Reason("tpu", moved.code.data, moved.text.data)


def _described(value: SSAValue) -> str:
    try:
        name = value_name(value)
    except ValueError:
        name = ""
    return f"{name or '(no name)'}: {type_text(value.type)}"


def _strings(attr: Attribute | None) -> list[str]:
    return [item.data for item in items_of(attr) if isinstance(item, StringAttr)]


def _text(attr: Attribute | None) -> str:
    return attr.data if isinstance(attr, StringAttr) else ""


def _integer(attr: Attribute | None) -> int:
    return attr.value.data if isinstance(attr, IntegerAttr) else 0


def _sub_model(func: FuncOp, ops: list[PlacedOp]) -> SubModel:
    graph_ops = [op for op in ops if op.graph == func.sym_name.data and not op.constant]
    return SubModel(
        name=func.sym_name.data,
        device=func.target.kind.data,
        chip=func.target.chip.data,
        ops=len(graph_ops),
        work=sum(op.work for op in graph_ops),
        inputs=tuple(n.data for n in func.input_names),
        outputs=tuple(n.data for n in func.output_names),
        foreign=any(isinstance(op, ForeignOp) for op in func.body.block.ops),
    )


def _borders(main: FuncOp, plan: Mapping[str, Attribute]) -> list[Border]:
    measured, changed = plan.get("tensors"), plan.get("changes")
    promised = {_text(name) for name in items_of(plan.get("promised"))}
    producers: dict[SSAValue, tuple[str, str]] = {
        value: (name, "input") for name, value in main.inputs
    }
    users_of: dict[SSAValue, list[str]] = {value: [] for value in producers}
    outer = main.parent_block()
    siblings = outer.ops if outer is not None else ()
    funcs = {f.sym_name.data: f for f in siblings if isinstance(f, FuncOp)}
    for call in main.body.block.ops:
        if not isinstance(call, CallOp):
            continue
        callee = call.callee.root_reference.data
        for value in dict.fromkeys(call.arguments):
            users_of.setdefault(value, []).append(callee)
        names = [n.data for n in funcs[callee].output_names] if callee in funcs else []
        for name, value in zip(names, call.outputs, strict=False):
            producers[value] = (name, callee)
            users_of[value] = []
    for _, value in main.outputs:
        if "output" not in users_of.setdefault(value, []):
            users_of[value].append("output")
    borders: list[Border] = []
    for value, (name, producer) in producers.items():
        number_of_bytes, shape = bytes_of(value.type), None
        if number_of_bytes is None:
            number_of_bytes, shape = _measured(name, measured)
        changes = _changes(name, changed)
        users = tuple(users_of[value])
        border = Border(
            name, str(value.type), number_of_bytes, producer, users, shape, changes=changes
        )
        borders.append(replace(border, promised=name in promised))
    return borders


def _changes(name: str, changed: Attribute | None) -> tuple[str, ...]:
    """What the plan says is changed of a tensor for the TPU."""
    entry = changed.data.get(name) if isinstance(changed, DictionaryAttr) else None
    if not isinstance(entry, DictionaryAttr):
        return ()
    return tuple(
        f"{_text(text)} in {graph}"
        for graph, texts in entry.data.items()
        for text in items_of(texts)
    )


def _measured(name: str, measured: Attribute | None) -> tuple[int | None, tuple[int, ...] | None]:
    """The size in bytes and the shape of a tensor by what was measured, where the plan holds that."""
    from autosplit.core.casting import dtype_by_name

    entry = measured.data.get(name) if isinstance(measured, DictionaryAttr) else None
    shape = entry.data.get("shape") if isinstance(entry, DictionaryAttr) else None
    dtype = entry.data.get("dtype") if isinstance(entry, DictionaryAttr) else None
    if not isinstance(shape, DenseArrayBase):
        return None, None
    sizes = tuple(int(size) for size in shape.get_values())
    if not isinstance(dtype, StringAttr) or dtype.data in ("object", "str", "string"):
        return None, sizes
    try:
        return prod(sizes) * dtype_by_name(dtype.data).itemsize, sizes
    except ValueError:
        return None, sizes


def bytes_of(type: Attribute) -> int | None:
    """The size of a tensor; None if shape or dtype are unknown."""
    from autosplit.core.dtypes import dtype_of

    shape = static_shape(type)
    element = element_type(type)
    dtype = None if element is None else dtype_of(element)
    return None if shape is None or dtype is None else prod(shape) * dtype.itemsize


def _curve(attr: Attribute | None) -> list[tuple[int, int]]:
    """The plan's curve: a list of `{sub_models = K, work = W, ops = N}`."""
    points: list[tuple[int, int]] = []
    for point in items_of(attr):
        if not isinstance(point, DictionaryAttr):
            continue
        graphs, work = point.data.get("sub_models"), point.data.get("work")
        if isinstance(graphs, IntegerAttr) and isinstance(work, IntegerAttr):
            points.append((graphs.value.data, work.value.data))
    return points


def _json_plan(entries: dict[str, Attribute]) -> dict[str, Json]:
    plain: dict[str, Json] = {}
    for key, value in entries.items():
        match value:
            case StringAttr():
                plain[key] = value.data
            case IntegerAttr() | FloatAttr():
                plain[key] = value.value.data
            case _:
                plain[key] = str(value)
    return {k: v for k, v in plain.items() if k not in ("curve", "tensors")}


def _total(code: str, ops: list[PlacedOp]) -> Total:
    example_op = next((op for op in ops if op.reasons), ops[0])
    return Total(
        code=code,
        ops=len(ops),
        work=sum(op.work for op in ops),
        types=tuple(sorted(Counter(op.type for op in ops).items(), key=lambda kv: (-kv[1], kv[0]))),
        example=example_op.reasons[0].text if example_op.reasons else "",
        example_op=example_op.name,
    )


def _plain(item: SubModel | Border | PlacedOp | Total | BmodelInfo) -> Json:
    fields: dict[str, Json] = asdict(item)
    return fields
