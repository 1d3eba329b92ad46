"""Which ops of a module in canonical ONNX a chip refuses, and why."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial
from math import prod

from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.ir import Operation, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.core.units import counted
from autosplit.core.weights import store_for
from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import (
    UnknownType,
    element_type,
    shape_of,
    shape_text,
    type_text,
)
from autosplit.lowering.convert_onnx_to_top.families import EXTRA
from autosplit.lowering.convert_onnx_to_top.forms import refused_form
from autosplit.lowering.convert_onnx_to_top.integers import takes_integers
from autosplit.lowering.convert_onnx_to_top.parts.query import INTEGERS, Query
from autosplit.lowering.convert_onnx_to_top.precision import f32_reason
from autosplit.lowering.convert_onnx_to_top.table import (
    BOOL,
    CAST,
    COMPARE,
    INDEX,
    REFUSED_OUTRIGHT,
    RULES,
    SELECT,
    VIEW,
    TopRule,
)
from autosplit.lowering.rewriting import why
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.sizes.data_dependent import data_dependent


def check(
    op: OnnxOp,
    chip: Chip,
    constants: Constants,
    dynamic: bool = False,
    uncertain: Container[SSAValue] = (),
    mode: str = "F32",
) -> ReasonAttr | None:
    """Why `op`, in the canonical form of `normalize-onnx`, cannot run on `chip`; None if it can.

    `uncertain` are the values whose shape depends on the data (see `infer_shapes.data_dependent`); they
    are refused in dynamic sub-models too. `mode` is what the chip computes in; what F32 refuses, every mode
    does, but for large LSTMs in BF16. `dialects/reasons.py` has the codes of reasons.
    """
    q = Query(op, chip, constants, dynamic, mode)
    row = _kind(q)
    if isinstance(row, ReasonAttr):
        return row
    return (
        _counts(q, row)
        or _types(q, row, uncertain)
        or _constants(q, row)
        or (EXTRA[op.op_type](q) if op.op_type in EXTRA else None)
        or refused_form(q)
    )


def _kind(q: Query) -> TopRule | ReasonAttr:
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


def _counts(q: Query, rule: TopRule) -> ReasonAttr | None:
    least, most = rule.operands
    count = len(q.op.inputs)
    if not least <= count <= most:
        needed = str(least) if least == most else f"{least} to {most}"
        return q.refuse("operand-count", f"has {counted(count, 'operand')}, needs {needed}")
    for index, name in rule.absent.items():
        if q.value(index) is not None:
            return q.refuse(
                "operand-count", f"has {name} ({q.operand(index)}), which is not lowered"
            )
    for index, result in enumerate(q.op.results):
        if index >= rule.results and result.first_use is not None:
            return q.refuse("result", f"has its result {index} used, only {rule.results} computed")
    return None


def _types(q: Query, rule: TopRule, uncertain: Container[SSAValue]) -> ReasonAttr | None:
    first = True
    more = INTEGERS if takes_integers(q) else ()
    for index, value in enumerate(q.op.inputs):
        if value is None or index in rule.constant:
            continue
        kinds = (*_operand_kinds(q.chip, rule, index), *more)
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
        if rule.kind == VIEW:
            kinds = (*kinds, *more)
        if reason := _dtype(q, result, what, kinds) or _tensor(q, result, what, uncertain):
            return reason
    return None


def _operand_kinds(chip: Chip, rule: TopRule, index: int) -> tuple[str, ...]:
    floats = chip.float_dtypes
    if rule.kind == BOOL or (rule.kind == SELECT and index == 0):
        return ("i1",)
    if index in rule.positions:
        return INTEGERS
    if rule.kind == CAST:
        return (*floats, "i1", *INTEGERS)
    return (*floats, "i1") if rule.kind in (COMPARE, SELECT, VIEW) else floats


def _result_kinds(chip: Chip, rule: TopRule, index: int, op_type: str) -> tuple[str, ...]:
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
    q: Query, value: SSAValue, label: Callable[[], str], element_types: tuple[str, ...]
) -> ReasonAttr | None:
    element = element_type(value.type)
    if element is None:
        if isinstance(value.type, UnknownType):
            return q.refuse("unknown-type", f"has {label()} of which nothing is known")
        return q.refuse("dtype", f"has {label()} of type {value.type}, needs a tensor")
    text = type_text(element)
    if text in element_types:
        return None
    note = ", f64 would be rounded to f32" if text == "f64" else ""
    if text.lstrip("u") in ("i8", "i16", "i32", "i64"):
        note = "; integers would be computed in float32"
    return q.refuse(
        "dtype",
        f"has {label()} of {element}, {q.chip.vendor_name} computes it in {' or '.join(element_types)}{note}",
    )


def _tensor(
    q: Query, value: SSAValue, label: Callable[[], str], uncertain: Container[SSAValue]
) -> ReasonAttr | None:
    """What holds for every tensor on the chip: a fixed shape of 1 to 8 dimensions that fits."""
    shape = shape_of(value.type)
    if shape is None:
        if value in uncertain:
            return q.refuse("data-dependent", f"has {label()} whose size depends on the data")
        return q.refuse("dynamic-shape", f"has {label()} of unknown rank")
    if any(d < 0 for d in shape):
        if value in uncertain:
            return q.refuse(
                "data-dependent",
                f"has {label()} of {shape_text(shape)}, whose size depends on the data",
            )
        if not q.dynamic:
            unknown = ", ".join(str(i) for i, d in enumerate(shape) if d < 0)
            return q.refuse(
                "dynamic-shape",
                f"has {label()} of {shape_text(shape)}, with dimension {unknown} unknown; give the input "
                "shapes, or compile with --dynamic",
            )
    if not 1 <= len(shape) <= q.chip.max_rank:
        return q.refuse(
            "rank",
            f"has {label()} of rank {len(shape)}, tensors on {q.chip.vendor_name} have "
            f"1 to {counted(q.chip.max_rank, 'dimension')}",
        )
    if 0 in shape:
        return q.refuse(
            "empty-tensor", f"has {label()} of {shape_text(shape)}, which has no elements"
        )
    return _size(q, value, shape, label)


def _size(
    q: Query, value: SSAValue, shape: tuple[int, ...], label: Callable[[], str]
) -> ReasonAttr | None:
    dtype = dtype_of(value.type)
    size = prod(max(d, 1) for d in shape) * (4 if dtype is None else dtype.itemsize)
    if size <= q.chip.memory:
        return None
    return q.refuse(
        "size",
        f"has {label()} of {counted(size, 'byte')}, {q.chip.vendor_name} has "
        f"{counted(q.chip.memory, 'byte')} of memory",
    )


def _rank(q: Query, rule: TopRule, value: SSAValue, label: Callable[[], str]) -> ReasonAttr | None:
    low, high = rule.ranks
    rank = len(shape_of(value.type) or ())
    if low <= rank <= high:
        return None
    needed = str(low) if low == high else f"{low} to {high}"
    return q.refuse("rank", f"has {label()} of rank {rank}, needs rank {needed}")


def _constants(q: Query, rule: TopRule) -> ReasonAttr | None:
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
    reasons: list[str] = []
    for op in top_level_ops(module):
        reason = f32_reason(Query(op, chip, constants, dynamic, mode))
        if reason is not None:
            reasons.append(f"{op.op_type} {op.value_name(0)!r} {reason}")
    return reasons


def top_level_ops(module: ModuleOp) -> list[OnnxOp]:
    """The nodes of all graphs and functions of a module, without constants and nested bodies."""
    ops: list[OnnxOp] = []
    stack: list[Operation] = [module]
    while stack:
        op = stack.pop()
        if isinstance(op, OnnxOp) and not isinstance(op, GraphOp | ReturnOp | InitializerOp):
            ops.append(op)
            continue
        stack.extend(o for r in reversed(op.regions) for b in r.blocks for o in reversed(b.ops))
    return ops
