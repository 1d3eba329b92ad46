"""convert-onnx-to-top: which ops of an ONNX module a chip can run, and why not the others.

This is the check half. The conversion itself will ask the same `check` and then rewrite, so that an op is
placed on a chip exactly when it converts. What is not known to be computed right is refused.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from autosplit.devices import Chip, get_chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx_base import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import UnknownType, element_type, shape_of
from autosplit.dtypes import dtype_of
from autosplit.lowering.fold import Constants
from autosplit.lowering.rewriting import why
from autosplit.lowering.top_rules import EXTRA, Query, show
from autosplit.lowering.top_table import (
    BOOL,
    CODES,
    COMPARE,
    INDEX,
    REFUSED_OUTRIGHT,
    RULES,
    SELECT,
    TO_FLOAT,
    Rule,
)
from autosplit.weights import store_for

__all__ = ["CODES", "ConvertOnnxToTopPass", "check", "check_module"]


def check(
    op: OnnxOp,
    chip: Chip,
    constants: Constants,
    dynamic: bool = False,
    uncertain: Container[SSAValue] = (),
) -> ReasonAttr | None:
    """Why `op`, in the canonical form of `normalize-onnx`, cannot run on `chip`; None where it can.

    `uncertain` are the values whose shape depends on the data (see `infer_shapes.data_dependent`); they
    are refused in dynamic sub-models too. Codes of reasons are those of `CODES`.
    """
    q = Query(op, chip, constants, dynamic)
    found = _kind(q)
    if isinstance(found, ReasonAttr):
        return found
    return (
        _counts(q, found)
        or _types(q, found, uncertain)
        or _constants(q, found)
        or (EXTRA[op.op_type](q) if found.extra else None)
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
        if reason := _dtype(q, value, q.operand(index), kinds):
            return reason
        if q.constants.is_constant(value):
            continue
        if reason := _tensor(q, value, q.operand(index), uncertain):
            return reason
        if first and (reason := _rank(q, rule, value, q.operand(index))):
            return reason
        first = False
    for index, result in enumerate(q.op.results[: rule.results]):
        if index and result.first_use is None:
            continue
        what = f"result {index} ({q.op.value_name(index)!r})"
        kinds = _result_kinds(q.chip, rule, index, q.op.op_type)
        if reason := _dtype(q, result, what, kinds) or _tensor(q, result, what, uncertain):
            return reason
    return None


def _operand_kinds(chip: Chip, rule: Rule, index: int) -> tuple[str, ...]:
    floats = chip.float_dtypes
    if rule.kind == BOOL or (rule.kind == SELECT and index == 0):
        return ("i1",)
    return (*floats, "i1") if rule.kind in (COMPARE, TO_FLOAT) else floats


def _result_kinds(chip: Chip, rule: Rule, index: int, op_type: str) -> tuple[str, ...]:
    if rule.kind in (BOOL, COMPARE):
        return ("i1",)
    # TopK gives values first and their positions second.
    if rule.kind == INDEX and (op_type != "TopK" or index == 1):
        return ("i64",)
    return chip.float_dtypes


def _dtype(q: Query, value: SSAValue, what: str, kinds: tuple[str, ...]) -> ReasonAttr | None:
    found = element_type(value.type)
    if found is None:
        if isinstance(value.type, UnknownType):
            return q.refuse("unknown-type", f"has {what} of which nothing is known")
        return q.refuse("dtype", f"has {what} of type {value.type}, needs a tensor")
    if str(found) in kinds:
        return None
    note = ", f64 would be rounded to f32" if str(found) == "f64" else ""
    if str(found).lstrip("u") in ("i8", "i16", "i32", "i64"):
        note = "; integers would be computed in float32"
    return q.refuse(
        "dtype",
        f"has {what} of {found}, {q.chip.vendor_name} computes it in {' or '.join(kinds)}{note}",
    )


def _tensor(
    q: Query, value: SSAValue, what: str, uncertain: Container[SSAValue]
) -> ReasonAttr | None:
    """What holds for every tensor on the chip: a fixed shape of 1 to 8 dimensions that fits."""
    shape = shape_of(value.type)
    if shape is None:
        if value in uncertain:
            return q.refuse("data-dependent", f"has {what} whose size depends on the data")
        return q.refuse("dynamic-shape", f"has {what} of unknown rank")
    if any(d < 0 for d in shape):
        if value in uncertain:
            return q.refuse(
                "data-dependent", f"has {what} of {show(shape)}, whose size depends on the data"
            )
        if not q.dynamic:
            unknown = ", ".join(str(i) for i, d in enumerate(shape) if d < 0)
            return q.refuse(
                "dynamic-shape",
                f"has {what} of {show(shape)}, with dimension {unknown} unknown; give the input "
                "shapes, or compile with --dynamic",
            )
    if not 1 <= len(shape) <= q.chip.max_rank:
        return q.refuse(
            "rank",
            f"has {what} of rank {len(shape)}, tensors on {q.chip.vendor_name} have "
            f"1 to {q.chip.max_rank} dimensions",
        )
    if 0 in shape:
        return q.refuse("empty-tensor", f"has {what} of {show(shape)}, which has no elements")
    return _size(q, value, shape, what)


def _size(q: Query, value: SSAValue, shape: tuple[int, ...], what: str) -> ReasonAttr | None:
    dtype = dtype_of(value.type)
    size = prod(max(d, 1) for d in shape) * (4 if dtype is None else dtype.itemsize)
    if size <= q.chip.memory:
        return None
    return q.refuse(
        "size",
        f"has {what} of {size} bytes, {q.chip.vendor_name} has {q.chip.memory} bytes of memory",
    )


def _rank(q: Query, rule: Rule, value: SSAValue, what: str) -> ReasonAttr | None:
    least, most = rule.ranks
    rank = len(shape_of(value.type) or ())
    if least <= rank <= most:
        return None
    needed = str(least) if least == most else f"{least} to {most}"
    return q.refuse("rank", f"has {what} of rank {rank}, needs rank {needed}")


def _constants(q: Query, rule: Rule) -> ReasonAttr | None:
    for index, name in rule.constant.items():
        value = q.value(index)
        if value is not None and not q.constants.is_constant(value):
            return q.refuse(
                "constant-operand", f"has {name} ({q.operand(index)}) computed, needs a constant"
            )
    return None


def check_module(
    module: ModuleOp, chip: Chip, dynamic: bool = False
) -> dict[Operation, ReasonAttr]:
    """The refused ops of a module in canonical form, whether it is a model or outlined functions.

    Ops inside the bodies of other ops are not asked: they go where the op goes that has the body.
    """
    from autosplit.lowering.infer_shapes import data_dependent

    constants = Constants(store_for(module))
    uncertain = data_dependent(module)
    refused: dict[Operation, ReasonAttr] = {}
    for op in top_level_ops(module):
        if (reason := check(op, chip, constants, dynamic, uncertain)) is not None:
            refused[op] = reason
            why(op, reason.text.data)
    return refused


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


@dataclass(frozen=True)
class ConvertOnnxToTopPass(ModulePass):
    """Every op that the chip cannot run has the reason, as `device.refused = {tpu = ...}`.

    Asks about the canonical form, so it runs behind `normalize-onnx` and `infer-shapes`.
    Example: `convert-onnx-to-top{chip=bm1684x dynamic=true}`
    """

    name = "convert-onnx-to-top"

    chip: str = "bm1684"
    """The name of a device table."""
    dynamic: bool = False
    """Whether sub-models are compiled for shapes that vary."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for refused, reason in check_module(op, get_chip(self.chip), self.dynamic).items():
            refused.attributes["device.refused"] = DictionaryAttr({"tpu": reason})
