"""convert-onnx-to-top: an ONNX module as one of Top, or why it cannot run on a chip.

Placing asks `check`, and `convert` asks the same `check` and then rewrites: an op is placed on a chip
exactly when it converts. What is not known to be computed right is refused. The rows of `table.py` and the
functions of `rules.py` are the check halves; the rewrite halves are in files by subject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest, hold, store_for
from autosplit.devices import Chip, get_chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import (
    UnknownType,
    element_type,
    location_names,
    platform_graph,
    shape_of,
    shape_text,
    static_shape,
    type_text,
    value_name,
)
from autosplit.dialects.top import AttrValue, TopOp, location_of
from autosplit.lowering.convert_onnx_to_top.base import CONVERSIONS, Conversion, Target, f32_tensor
from autosplit.lowering.convert_onnx_to_top.forms import refused_form
from autosplit.lowering.convert_onnx_to_top.precision import f32_reason
from autosplit.lowering.convert_onnx_to_top.rules import EXTRA, Query
from autosplit.lowering.convert_onnx_to_top.table import (
    BOOL,
    CAST,
    COMPARE,
    INDEX,
    INTEGERS,
    REFUSED_OUTRIGHT,
    RULES,
    SELECT,
    VIEW,
    Rule,
)
from autosplit.lowering.rewriting import become, why
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_after, expect_before
from autosplit.lowering.sizes.data_dependent import data_dependent
from autosplit.lowering.top.f32_values import set_f32_values
from autosplit.lowering.top.identities import Identity, identities

__all__ = [
    "CONVERSIONS",
    "ConvertOnnxToTopPass",
    "check",
    "check_module",
    "convert",
    "f32_reasons",
]

FAMILIES = (
    "activations",
    "comparisons",
    "convolutions",
    "elementwise",
    "indexing",
    "matrices",
    "norms",
    "pools",
    "recurrent",
    "reductions",
    "resize",
    "views",
    "vision",
)
"""The modules beside this one whose import fills `CONVERSIONS`."""

for _family in (*FAMILIES, "varying_kernels"):
    import_module(f"{__name__}.{_family}")


def check(
    op: OnnxOp,
    chip: Chip,
    constants: Constants,
    dynamic: bool = False,
    uncertain: Container[SSAValue] = (),
    mode: str = "F32",
) -> ReasonAttr | None:
    """Why `op`, in the canonical form of `normalize-onnx`, cannot run on `chip`; None where it can.

    `uncertain` are the values whose shape depends on the data (see `infer_shapes.data_dependent`); they
    are refused in dynamic sub-models too. `mode` is what the chip computes in; what F32 refuses, every mode
    does, but for large LSTMs in BF16. `dialects/reasons.py` has the codes of reasons.
    """
    q = Query(op, chip, constants, dynamic, mode)
    found = _kind(q)
    if isinstance(found, ReasonAttr):
        return found
    return (
        _counts(q, found)
        or _types(q, found, uncertain)
        or _constants(q, found)
        or (EXTRA[op.op_type](q) if found.extra else None)
        or refused_form(q)
    )


def _kind(q: Query) -> Rule | ReasonAttr:
    """The rule for the op's type, or why that type is refused in every form."""
    op, chip = q.op, q.chip
    if op.domain not in ("", "ai.onnx"):
        return ReasonAttr.of(
            "unsupported-op",
            f"{op.op_type} is of domain {op.domain!r}; TPU-MLIR lowers ops of ai.onnx only",
        )
    if (outright := REFUSED_OUTRIGHT.get(op.op_type)) is not None:
        return q.refuse(*outright)
    rule = RULES.get(op.op_type)
    if rule is None:
        return q.refuse("unsupported-op", "is not among the ONNX ops that TPU-MLIR 1.30.2 lowers")
    if rule.refused is not None:
        return q.refuse(*rule.refused)
    if rule.written_out:
        return rule
    if (evidence := chip.missing_ops.get(op.op_type)) is not None:
        return q.refuse("unsupported-op", f"is not lowered for {chip.vendor_name} ({evidence})")
    if (evidence := chip.host_ops.get(op.op_type)) is not None:
        return q.refuse("host-op", f"would not run on {chip.vendor_name} itself ({evidence})")
    if not q.dynamic and (evidence := chip.dynamic_ops.get(op.op_type)) is not None:
        return q.refuse("dynamic-op", f"needs a sub-model compiled with --dynamic ({evidence})")
    return rule


def _counts(q: Query, rule: Rule) -> ReasonAttr | None:
    least, most = rule.operands
    given = len(q.op.inputs)
    if not least <= given <= most:
        needed = str(least) if least == most else f"{least} to {most}"
        return q.refuse("operand-count", f"has {given} operands, needs {needed}")
    for index, name in rule.absent.items():
        if q.value(index) is not None:
            return q.refuse(
                "operand-count", f"has {name} ({q.operand(index)}), which is not lowered"
            )
    for index, result in enumerate(q.op.results):
        if index >= rule.results and result.first_use is not None:
            return q.refuse("result", f"has its result {index} used, only {rule.results} computed")
    return None


def _types(q: Query, rule: Rule, uncertain: Container[SSAValue]) -> ReasonAttr | None:
    first = True
    for index, value in enumerate(q.op.inputs):
        if value is None or index in rule.constant:
            continue
        kinds = _operand_kinds(q.chip, rule, index)
        what = partial(q.operand, index)
        if reason := _dtype(q, value, what, kinds):
            return reason
        if q.constants.is_constant(value):
            continue
        if reason := _tensor(q, value, what, uncertain):
            return reason
        if first and (reason := _rank(q, rule, value, what)):
            return reason
        first = False
    for index, result in enumerate(q.op.results[: rule.results]):
        if index and result.first_use is None:
            continue
        what = partial(q.result, index)
        kinds = _result_kinds(q.chip, rule, index, q.op.op_type)
        if reason := _dtype(q, result, what, kinds) or _tensor(q, result, what, uncertain):
            return reason
    return None


def _operand_kinds(chip: Chip, rule: Rule, index: int) -> tuple[str, ...]:
    floats = chip.float_dtypes
    if rule.kind == BOOL or (rule.kind == SELECT and index == 0):
        return ("i1",)
    if index in rule.positions:
        return INTEGERS
    if rule.kind == CAST:
        return (*floats, "i1", *INTEGERS)
    return (*floats, "i1") if rule.kind in (COMPARE, SELECT, VIEW) else floats


def _result_kinds(chip: Chip, rule: Rule, index: int, op_type: str) -> tuple[str, ...]:
    if rule.kind in (BOOL, COMPARE):
        return ("i1",)
    # TopK gives values first and their positions second.
    if rule.kind == INDEX and (op_type != "TopK" or index == 1):
        return ("i64",)
    if rule.kind == CAST:
        return (*chip.float_dtypes, "i1", *INTEGERS)
    if rule.kind in (SELECT, VIEW):
        return (*chip.float_dtypes, "i1")
    return chip.float_dtypes


def _dtype(
    q: Query, value: SSAValue, what: Callable[[], str], kinds: tuple[str, ...]
) -> ReasonAttr | None:
    found = element_type(value.type)
    if found is None:
        if isinstance(value.type, UnknownType):
            return q.refuse("unknown-type", f"has {what()} of which nothing is known")
        return q.refuse("dtype", f"has {what()} of type {value.type}, needs a tensor")
    text = type_text(found)
    if text in kinds:
        return None
    note = ", f64 would be rounded to f32" if text == "f64" else ""
    if text.lstrip("u") in ("i8", "i16", "i32", "i64"):
        note = "; integers would be computed in float32"
    return q.refuse(
        "dtype",
        f"has {what()} of {found}, {q.chip.vendor_name} computes it in {' or '.join(kinds)}{note}",
    )


def _tensor(
    q: Query, value: SSAValue, what: Callable[[], str], uncertain: Container[SSAValue]
) -> ReasonAttr | None:
    """What holds for every tensor on the chip: a fixed shape of 1 to 8 dimensions that fits."""
    shape = shape_of(value.type)
    if shape is None:
        if value in uncertain:
            return q.refuse("data-dependent", f"has {what()} whose size depends on the data")
        return q.refuse("dynamic-shape", f"has {what()} of unknown rank")
    if any(d < 0 for d in shape):
        if value in uncertain:
            return q.refuse(
                "data-dependent",
                f"has {what()} of {shape_text(shape)}, whose size depends on the data",
            )
        if not q.dynamic:
            unknown = ", ".join(str(i) for i, d in enumerate(shape) if d < 0)
            return q.refuse(
                "dynamic-shape",
                f"has {what()} of {shape_text(shape)}, with dimension {unknown} unknown; give the input "
                "shapes, or compile with --dynamic",
            )
    if not 1 <= len(shape) <= q.chip.max_rank:
        return q.refuse(
            "rank",
            f"has {what()} of rank {len(shape)}, tensors on {q.chip.vendor_name} have "
            f"1 to {q.chip.max_rank} dimensions",
        )
    if 0 in shape:
        return q.refuse(
            "empty-tensor", f"has {what()} of {shape_text(shape)}, which has no elements"
        )
    return _size(q, value, shape, what)


def _size(
    q: Query, value: SSAValue, shape: tuple[int, ...], what: Callable[[], str]
) -> ReasonAttr | None:
    dtype = dtype_of(value.type)
    size = prod(max(d, 1) for d in shape) * (4 if dtype is None else dtype.itemsize)
    if size <= q.chip.memory:
        return None
    return q.refuse(
        "size",
        f"has {what()} of {size} bytes, {q.chip.vendor_name} has {q.chip.memory} bytes of memory",
    )


def _rank(q: Query, rule: Rule, value: SSAValue, what: Callable[[], str]) -> ReasonAttr | None:
    least, most = rule.ranks
    rank = len(shape_of(value.type) or ())
    if least <= rank <= most:
        return None
    needed = str(least) if least == most else f"{least} to {most}"
    return q.refuse("rank", f"has {what()} of rank {rank}, needs rank {needed}")


def _constants(q: Query, rule: Rule) -> ReasonAttr | None:
    for index, name in rule.constant.items():
        value = q.value(index)
        if value is not None and not q.constants.is_constant(value):
            return q.refuse(
                "constant-operand", f"has {name} ({q.operand(index)}) computed, needs a constant"
            )
    return None


def check_module(
    module: ModuleOp, chip: Chip, dynamic: bool = False, mode: str = "F32"
) -> dict[Operation, ReasonAttr]:
    """The refused ops of a module in canonical form, whether it is a model or outlined functions.

    Ops inside the bodies of other ops are not asked: they go where the op goes that has the body.
    """
    constants = Constants(store_for(module))
    uncertain = data_dependent(module)
    refused: dict[Operation, ReasonAttr] = {}
    for op in top_level_ops(module):
        if (reason := check(op, chip, constants, dynamic, uncertain, mode)) is not None:
            refused[op] = reason
            why(op, reason.text.data)
    return refused


def f32_reasons(
    module: ModuleOp, chip: Chip, dynamic: bool = False, mode: str = "F32"
) -> list[str]:
    """Of each op of a module in canonical form that `mode` computes in f32 all the same, which and why."""
    constants = Constants(store_for(module))
    found: list[str] = []
    for op in top_level_ops(module):
        reason = f32_reason(Query(op, chip, constants, dynamic, mode))
        if reason is not None:
            found.append(f"{op.op_type} {op.value_name(0)!r} {reason}")
    return found


def top_level_ops(module: ModuleOp) -> list[OnnxOp]:
    """The nodes of all graphs and functions of a module, without constants and nested bodies."""
    found: list[OnnxOp] = []
    stack: list[Operation] = [module]
    while stack:
        op = stack.pop()
        if isinstance(op, OnnxOp) and not isinstance(op, GraphOp | ReturnOp | InitializerOp):
            found.append(op)
            continue
        stack.extend(o for r in reversed(op.regions) for b in r.blocks for o in reversed(b.ops))
    return found


NET_NAME = "net"
"""What a Top module is called where nothing else is said; the compiled network has the name."""


def convert(
    module: ModuleOp,
    chip: Chip,
    dynamic: bool = False,
    name: str = NET_NAME,
    *,
    mode: str = "F32",
    checked: bool = False,
) -> ModuleOp:
    """The Top module that computes what `module`, a graph in canonical form, does; `module` stays as it is.

    Every tensor is f32; inputs and outputs have the names of the graph's, in its order. Weights are read only
    when the module is written, so the store of `module` must live as long. `mode` is what the chip computes
    in. `checked` says that `check_module` has refused nothing. Raises AutosplitError naming the first op that
    `chip` refuses.
    """
    if not checked and (refused := check_module(module, chip, dynamic, mode)):
        op, reason = next(iter(refused.items()))
        names = ", ".join(location_names(op.location))
        raise AutosplitError(
            f"{len(refused)} ops cannot run on {chip.vendor_name}; the first is {names!r}: {reason.text.data}"
        )
    graph = platform_graph(module)
    inputs = graph.graph_inputs()
    store = WeightStore()
    block = Block(arg_types=[_input_type(value) for _, value in inputs])
    target = Target(block, Constants(store_for(module)), store)
    for (given, value), argument in zip(inputs, block.args, strict=True):
        made = target.insert("Input", [argument], [argument.type], [target.fresh(given)])
        target.values[value] = made.results[0]
    order = [op for op in data_order(graph.regions[0].block) if isinstance(op, OnnxOp)]
    for op in order:
        if not isinstance(op, InitializerOp | GraphOp | ReturnOp) and op.op_type != "Constant":
            _convert_op(Query(op, chip, target.constants, dynamic, mode), target)
    parts_copied = mode == "INT8" and "part-output" in chip.workarounds
    outputs = _outputs(target, graph.graph_outputs(), parts_copied)
    target.builder.insert(func.ReturnOp(*outputs))
    types = FunctionType.from_lists([a.type for a in block.args], [v.type for v in outputs])
    made = ModuleOp(
        [func.FuncOp("main", types, Region(block))],
        {
            "module.chip": StringAttr("ALL"),
            "module.platform": StringAttr("ONNX"),
            "module.state": StringAttr("TOP_F32"),
            "module.top_run_mode": StringAttr("DYNAMIC" if dynamic else "STATIC"),
        },
        StringAttr(name),
    )
    set_f32_values(made, [name for op in target.f32_ops for name in op.names])
    store.file_digest = _content(made, store, str(module.attributes.get("platform.stores")))
    hold(store, made)
    return made


def _input_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of an input. One that nothing reads, the tool chain removes, whatever its shape is."""
    is_open = static_shape(value.type) is None
    return TensorType(f32, [1]) if is_open and value.first_use is None else f32_tensor(value)


def _content(made: ModuleOp, store: WeightStore, source: str) -> str:
    """A digest of a Top module's weights: of small ones their numbers, of large ones where they come from."""
    parts = [source]
    for op in made.walk():
        if isinstance(op, TopOp) and op.kind == "Weight":
            small = prod(static_shape(op.results[0].type) or ()) <= INLINE_LIMIT
            content = digest(store.array(op.names[0])) if small else ""
            parts.append(f"{op.names[0]} {op.results[0].type} {content}")
    return digest("\n".join(parts).encode())


def _convert_op(q: Query, target: Target) -> None:
    op = q.op
    missing = [v for v in op.operands if target.constants.is_missing(v)]
    if missing:
        raise AutosplitError(
            f"the weight {value_name(missing[0])!r} is missing: give the model file with --weights"
        )
    target.in_f32 = f32_reason(q) is not None
    made = CONVERSIONS[op.op_type](Conversion(q, target))
    target.in_f32 = False
    values = [made] if isinstance(made, SSAValue) else list(made)
    target.values.update(zip(op.results, values, strict=False))


def _outputs(
    target: Target, outputs: Sequence[tuple[str, SSAValue]], parts_copied: bool
) -> list[SSAValue]:
    """The Top values of the graph's outputs: each computed by an op, and none of them twice.

    The tool chain aborts where nothing is left to compute of an output. With `parts_copied`, none of them is
    a part of another value.
    """
    made = [(name, _made(target, value)) for name, value in outputs]
    known = identities(target.block, target.store)
    used = Counter[tuple[Identity, Attribute]]()
    found: list[SSAValue] = []
    for name, value in made:
        key = (known[value], value.type)
        # Equal copies would be one again, so each is a copy of one more.
        is_part = isinstance(value.owner, TopOp) and value.owner.kind in ("Slice", "Split")
        for _ in range(used[key] + (known[value].changes_nothing or (parts_copied and is_part))):
            value = _copied(target, name, value)
        used[key] += 1
        found.append(value)
    return found


def _made(target: Target, value: SSAValue) -> SSAValue:
    return target.constant(value) if target.constants.is_constant(value) else target.values[value]


def _copied(target: Target, name: str, value: SSAValue) -> SSAValue:
    """A copy that the tool chain does not remove, called `name`."""
    owner = value.owner
    if (
        isinstance(owner, TopOp)
        and owner.names == (name,)
        and owner.kind not in ("Input", "Weight")
    ):
        owner.location = location_of([target.fresh(f"{name}/kept")])
        target.names.discard(name)
    # Exact, also for infinities and NaN.
    attrs: dict[str, AttrValue] = {"alpha": 1.0}
    copy = target.insert("LeakyRelu", [value], [value.type], [target.fresh(name)], attrs)
    return copy.results[0]


@dataclass(frozen=True)
class ConvertOnnxToTopPass(ModulePass):
    """The module, in the canonical form of `normalize-onnx`, is one of Top that computes the same.

    Fails naming the first op that the chip refuses. With `check` nothing is converted, and every refused op
    gets its reason, as `device.refused = {tpu = ...}`. With `dynamic`, other ops stand in for some that
    the chip cannot run with varying sizes. Ops for which `mode` is too coarse are listed in the module's
    `autosplit.f32`. Runs behind `normalize-onnx` and `infer-shapes`, and in front of
    `legalize-top`, which keeps what the tool chain gets wrong from it.
    Example: `convert-onnx-to-top{chip=bm1684x dynamic=true}`
    """

    name = "convert-onnx-to-top"

    chip: str = "bm1684"
    """The name of a device table."""
    dynamic: bool = False
    """Whether sub-models are compiled for shapes that vary."""
    mode: str = "F32"
    """What the chip computes in; some ops are refused in some modes only."""
    check: bool = False
    """Whether ops are only asked."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins

        expect_before(op, self.name)
        chip = get_chip(self.chip)
        if self.dynamic:
            put_stand_ins(op, chip, self.mode)
        refused = check_module(op, chip, self.dynamic, self.mode)
        if self.check:
            for found, reason in refused.items():
                found.attributes["device.refused"] = DictionaryAttr({"tpu": reason})
            return
        expect_after(op, {"tf": "convert-tf-to-onnx"})
        try:
            made = convert(op, chip, self.dynamic, mode=self.mode)
        except AutosplitError as error:
            raise PassFailedException(str(error)) from error
        become(op, made)
