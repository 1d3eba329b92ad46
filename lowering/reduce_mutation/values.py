"""The value of each tensor at one point of the program, as the rewrite goes from begin to end."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.dialects.aten import AtenOp
from autosplit.lowering.reduce_mutation.aliases import Aliases
from autosplit.lowering.reduce_mutation.calls import call_of
from autosplit.lowering.reduce_mutation.forms import TensorForm
from autosplit.lowering.reduce_mutation.making import Maker
from autosplit.lowering.reduce_mutation.views import Rebuild, inverse_of
from autosplit.lowering.rewriting import set_operand


@dataclass
class TensorValues:
    """The values of tensors as functional ops compute them.

    An update gives a tensor a new value, and every tensor that it is a view of a value rebuilt around that.
    Other views of these are recreated where an op reads them.
    """

    aliases: Aliases
    names: set[str]
    """The names that are taken."""
    created: list[Operation] = field(default_factory=list[Operation])
    """The ops that the rewrite made, which may turn out to be unread."""
    copies: dict[Operation, AtenOp] = field(default_factory=dict[Operation, AtenOp])
    """The recreated views, with their originals."""

    def maker(self, op: Operation, rewriter: PatternRewriter) -> Maker:
        """Makes ops in front of one that reads or updates tensors."""
        return Maker(op, InsertPoint.before(op), rewriter, self.names, self.created)

    def current(self, form: TensorForm, make: Maker) -> SSAValue:
        """The current value of a tensor."""
        if form.is_current or form.view is None:
            return form.value
        op = form.view.op
        assert isinstance(op, AtenOp)
        results = make.reapply(op, self.current(form.view.of, make))
        self.copies[results[0].op] = op
        for sibling, value in zip(self.aliases.results[op], results, strict=True):
            if not sibling.is_current:
                self._set(sibling, value)
        return form.value

    def update(self, form: TensorForm, value: SSAValue, make: Maker) -> None:
        """Sets the value of a tensor from here on."""
        before = [self.current(view.of, make) for view in form.path()]
        form.memory.version += 1
        self._set(form, value)
        for view, tensor in zip([*form.path()], before, strict=True):
            call = call_of(view.op)
            inverse = None if call is None else inverse_of(call)
            assert call is not None
            assert inverse is not None
            value = inverse(Rebuild(make, call, view.index, tensor, value))
            self._set(view.of, value)

    def read(self, op: Operation, rewriter: PatternRewriter, make: Maker) -> None:
        """Makes an op read the current values of its tensors."""
        for index, form in enumerate(self.aliases.reads[op]):
            if form is None or not form.memory.is_reduced:
                continue
            value = self.current(form, make)
            if op.operands[index] is not value:
                set_operand(rewriter, op, index, value)
        for form in self.aliases.results[op]:
            # A view of the current value of a tensor.
            if form.view is not None and form.view.op is op:
                form.version = form.memory.version

    @staticmethod
    def _set(form: TensorForm, value: SSAValue) -> None:
        form.value, form.version = value, form.memory.version
