"""The rewrites of `reduce-mutation`, for the ops of a program in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.aten import AtenOp, OpaqueOp
from autosplit.dialects.platform import element_type
from autosplit.lowering.reduce_mutation.calls import AtenCall, call_of
from autosplit.lowering.reduce_mutation.forms import TensorForm, View
from autosplit.lowering.reduce_mutation.making import Maker, Part, parts_of, symbols_of
from autosplit.lowering.reduce_mutation.promotion import result_type
from autosplit.lowering.reduce_mutation.updates import Twin, changes_view, twin_of
from autosplit.lowering.reduce_mutation.values import TensorValues
from autosplit.lowering.rewriting import Pattern, set_operand, why


class UpdateView(Pattern[AtenOp]):
    """`unsqueeze_(x) -> unsqueeze(x)`: from then on `x` is the view."""

    def __init__(self, values: TensorValues):
        self.values = values

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        call = call_of(op)
        if (
            call is None
            or not changes_view(call)
            or (twin := _reducible(self.values, call)) is None
        ):
            return
        (form,) = self.values.aliases.results[op]
        assert form.view is not None
        make = self.values.maker(op, rewriter)
        self.values.read(op, rewriter, make)
        types = [result.type for result in op.results]
        results = make.call(twin.spec.kind, _arguments(op, twin), types, op)
        form.view = View(form.view.of, results[0].op, 0)
        self.values.aliases.results[results[0].op] = (form,)
        form.value, form.version = results[0], form.memory.version
        rewriter.replace(op, [], results)


class UpdateInPlace(Pattern[AtenOp]):
    """`add_(x, y) -> add(x, y)`, which is `x` from then on.

    If `x` is a view, the tensor that it is a view of is rebuilt: `mul_(select(x, 1, 0), 2)` becomes
    `select_scatter(x, mul(select(x, 1, 0), 2), 1, 0)`. Refused if the memory stays as it is.
    """

    def __init__(self, values: TensorValues):
        self.values = values

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        call = call_of(op)
        if call is None or changes_view(call) or (twin := _reducible(self.values, call)) is None:
            return
        updated = _updated(self.values, call, twin)
        make = self.values.maker(op, rewriter)
        self.values.read(op, rewriter, make)
        types = list(_types(call, twin))
        symbols = [name for name, source in twin.names.items() if source in symbols_of(op)]
        new = make.call(twin.spec.kind, _arguments(op, twin), types, op, symbols)
        for (form, type), value in zip(updated, new[twin.returned :], strict=True):
            is_right = element_type(value.type) == element_type(type)
            self.values.update(form, value if is_right else make.cast(value, type), make)
        returned = iter(new[: twin.returned])
        results: list[SSAValue] = []
        for form in self.values.aliases.results[op]:
            if all(form is not other for other, _ in updated):
                form.value = next(returned)
            results.append(self.values.current(form, make))
        rewriter.replace(op, [], results)


class ReadAnew(Pattern[AtenOp]):
    """An op that reads a tensor behind an update of it `->` the same op, reading the updated value."""

    def __init__(self, values: TensorValues):
        self.values = values

    def rewrite(self, op: AtenOp, rewriter: PatternRewriter, /) -> None:
        self.values.read(op, rewriter, self.values.maker(op, rewriter))


class CopyOperands(Pattern[OpaqueOp]):
    """An op that may update what another op has read before `->` the same op on copies."""

    def __init__(self, copied: Mapping[OpaqueOp, Sequence[SSAValue]], names: set[str]):
        self.copied = copied
        self.names = names

    def rewrite(self, op: OpaqueOp, rewriter: PatternRewriter, /) -> None:
        make = Maker(op, InsertPoint.before(op), rewriter, self.names, [])
        for value in self.copied[op]:
            copy = make("clone", {"self": value}, value.type)
            for index, operand in enumerate(op.operands):
                if operand is value:
                    set_operand(rewriter, op, index, copy)


def _reducible(values: TensorValues, call: AtenCall) -> Twin | None:
    """The twin of an update whose memories can all be reduced."""
    forms = [form for i in call.written if (form := values.aliases.reads[call.op][i]) is not None]
    if not forms:
        return None
    if refusal := next((r for f in forms for r in f.memory.refusals.values()), None):
        why(call.op, refusal.text.data)
        return None
    return twin_of(call)


def _updated(
    values: TensorValues, call: AtenCall, twin: Twin
) -> list[tuple[TensorForm, Attribute]]:
    """The tensors that an op updates, and their types, in the order of the twin's results."""
    updated: list[tuple[TensorForm, Attribute]] = []
    for name in twin.updates:
        for i in call.written:
            form = values.aliases.reads[call.op][i]
            if call.slots[i].name == name and form is not None:
                updated.append((form, call.op.operands[i].type))
    return updated


def _arguments(op: AtenOp, twin: Twin) -> Mapping[str, Part]:
    parts = parts_of(op)
    return {name: parts[source] for name, source in twin.names.items() if source in parts}


def _types(call: AtenCall, twin: Twin) -> Iterator[Attribute]:
    """The types of a twin's results."""
    written = [(call.slots[i].name, call.op.operands[i].type) for i in call.written]
    plain = [r.type for r in call.op.results]
    for i in range(twin.returned):
        # What a norm in training saves beside its result has one number per channel, like what it updates.
        yield plain[i] if i < len(plain) else written[0][1]
    for name in twin.updates:
        yield from (result_type(call, twin, type) for port, type in written if port == name)
