"""Which tensors of a program share memory, what updates it, and which updates cannot become functional.

The annotations of PyTorch's schemas say most of it: `slice.Tensor(Tensor(a) self, ...) -> Tensor(a)` is a
view, `relu_(Tensor(a!) self) -> Tensor(a!)` an update. `sharing.py` covers the ops that copy only if they
must.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from autosplit.dialects.aten import GraphOp, OpaqueOp, SourceOp, TensorSource, WriteBackOp
from autosplit.dialects.platform import PlatformOp, external_operands
from autosplit.lowering.reduce_mutation.calls import AtenCall, call_of
from autosplit.lowering.reduce_mutation.forms import Storage, TensorForm, View
from autosplit.lowering.reduce_mutation.overlaps import Overlap, overlap
from autosplit.lowering.reduce_mutation.sharing import Sharing, sharing_of, sources_of
from autosplit.lowering.reduce_mutation.updates import REPLACING, changes_view, twin_of
from autosplit.lowering.reduce_mutation.views import refusal_of_view


@dataclass(eq=False)
class _Tensor:
    """One tensor of the program, whatever number of values stand for it."""

    form: TensorForm


@dataclass(frozen=True)
class _Link:
    """Memories that all stay as they are if one of them does."""

    op: Operation
    memories: tuple[Storage, ...]
    doubt: str = ""
    """Why they may be the same; '' if they are not, and `op` merely updates all of them."""
    before: tuple[int, ...] = ()
    """How many updates of each precede `op`, which reads their results whatever it does."""

    @property
    def is_in_doubt(self) -> bool:
        """Whether one of the memories is updated when that may be an update of another one."""
        before = self.before or [0] * len(self.memories)
        counts = zip(self.memories, before, strict=True)
        return bool(self.doubt) and any(len(m.writers) > n for m, n in counts)


@dataclass
class Aliases:
    """The forms of all values of a block, and the memories behind them."""

    reads: dict[Operation, tuple[TensorForm | None, ...]] = field(
        default_factory=dict[Operation, "tuple[TensorForm | None, ...]"]
    )
    """For each op the form of each operand in front of the op; None for what it does not read."""
    results: dict[Operation, tuple[TensorForm, ...]] = field(
        default_factory=dict[Operation, "tuple[TensorForm, ...]"]
    )
    """For each op the form of each result, behind the op."""
    memories: list[Storage] = field(default_factory=list[Storage])
    _links: list[_Link] = field(default_factory=list[_Link])
    _tensors: dict[SSAValue, _Tensor] = field(default_factory=dict[SSAValue, _Tensor])
    _unsure: dict[OpaqueOp, dict[Storage, None]] = field(
        default_factory=dict[OpaqueOp, "dict[Storage, None]"]
    )
    """The ops that may or may not update what they read, and the memories of that."""
    to_copy: dict[OpaqueOp, list[SSAValue]] = field(
        default_factory=dict[OpaqueOp, "list[SSAValue]"]
    )
    """What such an op reads, and others before it but none behind it: it may as well update a copy."""

    @classmethod
    def of(cls, block: Block) -> Aliases:
        """The aliases of a block's tensors, in the order of the program."""
        aliases = cls()
        for argument in block.args:
            aliases._fresh(argument)
        for op in block.ops:
            aliases._visit(op)
        aliases._note_seen_updates(block)
        aliases._settle()
        return aliases

    def last(self, value: SSAValue) -> TensorForm:
        """The form of a value at the end of the block."""
        return self._tensors[value].form

    def updated(self) -> Iterator[tuple[Storage, ...]]:
        """The memories that ops update in place, grouped by what one op may join."""
        pending = {memory: None for memory in self.memories if memory.writers or memory.refusals}
        while pending:
            group = _joined(next(iter(pending)), self._links)
            for memory in group:
                pending.pop(memory, None)
            if any(memory.writers for memory in group):
                yield tuple(group)

    def _fresh(self, value: SSAValue) -> TensorForm:
        memory = Storage(value)
        self.memories.append(memory)
        form = TensorForm(memory, None, value)
        self._tensors[value] = _Tensor(form)
        return form

    def _visit(self, op: Operation) -> None:
        read = [self._tensors[v].form if v in self._tensors else None for v in op.operands]
        if isinstance(op, WriteBackOp):
            read[0] = None
        self.reads[op] = tuple(read)
        call = call_of(op)
        if call is None:
            self._visit_unknown(op)
        elif changes_view(call):
            self._visit_view_update(op, call)
        else:
            self.results[op] = tuple(self._result(op, call, i) for i in range(len(op.results)))
            self._visit_writes(op, call)
        for form in (*read, *self.results[op]):
            if form is not None:
                form.memory.members[op] = None

    def _visit_unknown(self, op: Operation) -> None:
        """An op that no schema describes: a border of the graph, or one that may do anything."""
        outside = {
            self._tensors[v].form.memory: None for v in external_operands(op) if v in self._tensors
        }
        results = tuple(self._fresh(value) for value in op.results)
        self.results[op] = results
        if isinstance(op, WriteBackOp) or op.has_trait(IsTerminator) or not outside:
            return
        memories = (*outside, *(form.memory for form in results))
        doubt = f"nobody knows what {_kind(op)} does with the memory of the tensors that it reads"
        self._links.append(_Link(op, memories, doubt, _updates(memories)))
        if isinstance(op, OpaqueOp):
            self._visit_opaque(op)

    def _visit_opaque(self, op: OpaqueOp) -> None:
        """An op whose file does not say what it updates; without results it updates what it reads."""
        for value in op.written():
            memory = self._tensors[value].form.memory
            if op.results and op.writes is None:
                self._unsure.setdefault(op, {})[memory] = None
                continue
            memory.writers.append(op)
            memory.refuse(op, "no-twin", f"no functional op computes what {_kind(op)} writes")

    def _visit_view_update(self, op: Operation, call: AtenCall) -> None:
        """`unsqueeze_(x)`: from here on, `x` is a view of what it was."""
        tensor = self._tensors[op.operands[0]]
        memory = tensor.form.memory
        if isinstance(memory.base.owner, SourceOp) and tensor.form.view is None:
            text = f"{call.name} changes the sizes of a tensor that the caller has"
            memory.refuse(op, "metadata", text)
        self._check_layout(op, call, memory)
        tensor.form = TensorForm(memory, View(tensor.form, op, 0), op.results[0])
        self._tensors[op.results[0]] = tensor
        self.results[op] = (tensor.form,)
        memory.writers.append(op)

    def _result(self, op: Operation, call: AtenCall, index: int) -> TensorForm:
        """The form of a result: an updated tensor, a view, or a tensor of its own."""
        value = op.results[index]
        sources = sources_of(call, index)
        for source in sources:
            if source in call.written:
                self._tensors[value] = self._tensors[op.operands[source]]
                return self._tensors[value].form
        sharing = sharing_of(call) if sources else Sharing.none
        forms = [form for source in sources if (form := self.reads[op][source]) is not None]
        if sharing is Sharing.view and forms:
            self._check_layout(op, call, forms[0].memory)
            form = TensorForm(forms[0].memory, View(forms[0], op, index), value)
            self._tensors[value] = _Tensor(form)
            return form
        form = self._fresh(value)
        if sharing is Sharing.unknown and forms:
            memories = (*(of.memory for of in forms), form.memory)
            doubt = f"{call.name} may copy, or may not"
            self._links.append(_Link(op, memories, doubt, _updates(memories)))
        return form

    def _check_layout(self, op: Operation, call: AtenCall, memory: Storage) -> None:
        """Notes that updated memory must stay as it is if a view depends on its layout."""
        if call.name.removesuffix("_") == "as_strided":
            text = f"{call.name} sees elements as they lie in memory"
            self._links.append(_Link(op, (memory,), text))

    def _visit_writes(self, op: Operation, call: AtenCall) -> None:
        forms = [form for i in call.written if (form := self.reads[op][i]) is not None]
        for form in forms:
            self._write(op, call, form)
        if call.name in REPLACING:
            doubt = f"{call.name} replaces the storage of a tensor"
            memories = tuple(form.memory for form in self.reads[op] if form is not None)
            self._links.append(_Link(op, memories, doubt))
        if len(forms) > 1:
            self._links.append(_Link(op, tuple(form.memory for form in forms)))

    def _write(self, op: Operation, call: AtenCall, form: TensorForm) -> None:
        memory = form.memory
        memory.writers.append(op)
        others = (other for other in self.reads[op] if other is not None)
        if any(o.memory is memory and overlap(form, o) is Overlap.unknown for o in others):
            text = f"{call.name} reads elements of what it updates, in another order or place"
            memory.refuse(op, "overlap", text)
        if twin_of(call) is None:
            text = f"no functional op computes what {call.name} writes"
            memory.refuse(op, "no-twin", text)
        for view in form.path():
            step = call_of(view.op)
            if step is not None and (refusal := refusal_of_view(step)) is not None:
                memory.refuse(op, refusal[0], f"{call.name} updates a view, but {refusal[1]}")

    def _note_seen_updates(self, block: Block) -> None:
        """Treats an op that may update what it reads as one that does, if anything would see that."""
        if not self._unsure:
            return
        place = {op: i for i, op in enumerate(block.ops)}
        returned = {self.last(value).memory for value in _returned(block)}
        for op, memories in self._unsure.items():
            links = [link for link in self._links if link.op is not op]
            for memory in memories:
                joined = _joined(memory, links)
                others = {other for m in joined for other in m.members} - {op}
                operands = self._operands_in(op, joined)
                is_read = any(self._reads(other, joined) for other in others)
                is_seen = (
                    any(m in returned or isinstance(m.base.owner, TensorSource) for m in joined)
                    or any(place[other] > place[op] for other in others)
                    or (is_read and len(operands) > 1)
                )
                if is_seen:
                    memory.writers.append(op)
                    text = f"nobody knows whether {_kind(op)} updates what it reads"
                    memory.refuse(op, "unknown", text)
                elif is_read:
                    self.to_copy.setdefault(op, []).extend(operands)

    def _operands_in(self, op: Operation, memories: Mapping[Storage, None]) -> list[SSAValue]:
        """The values in some memories that an op reads."""
        pairs = zip(op.operands, self.reads[op], strict=True)
        return list(dict.fromkeys(v for v, form in pairs if form and form.memory in memories))

    def _reads(self, op: Operation, memories: Mapping[Storage, None]) -> bool:
        """Whether an op reads elements in some memories, and does not just return another tensor in these."""
        if not isinstance(op, OpaqueOp) and any(
            form.memory in memories for form in self.results[op]
        ):
            return False
        return any(form is not None and form.memory in memories for form in self.reads[op])

    def _settle(self) -> None:
        """Refuses memory that may be the same as other memory, or is updated together with refused memory."""
        changed = True
        while changed:
            changed = False
            for link in self._links:
                if not link.is_in_doubt and not any(m.refusals for m in link.memories):
                    continue
                text = link.doubt or f"{_kind(link.op)} also updates memory that stays as it is"
                for memory in link.memories:
                    if not memory.refusals:
                        memory.refuse(link.op, "unknown" if link.doubt else "shared", text)
                        changed = True


def _returned(block: Block) -> list[SSAValue]:
    """The values that a graph returns; terminators of other blocks read theirs."""
    graph = block.parent_op()
    return [value for _, value in graph.graph_outputs()] if isinstance(graph, GraphOp) else []


def _joined(memory: Storage, links: Sequence[_Link]) -> dict[Storage, None]:
    """The memories that links join with one, directly or indirectly."""
    joined: dict[Storage, None] = {memory: None}
    size = 0
    while size != len(joined):
        size = len(joined)
        for link in links:
            if any(m in joined for m in link.memories):
                joined |= dict.fromkeys(link.memories)
    return joined


def _updates(memories: Sequence[Storage]) -> tuple[int, ...]:
    return tuple(len(memory.writers) for memory in memories)


def _kind(op: Operation) -> str:
    return op.op_type if isinstance(op, PlatformOp) else op.name
