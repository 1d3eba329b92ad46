"""What all rewrite passes share: patterns that keep locations, found by the type of their op.

xDSL's rewriter gives new ops no location, and ours are identities: reasons and plans speak of an op
by the names in its location. `Pattern` stamps them in one place. A pass with several patterns
applies them with `apply_patterns`, which looks at an op's type once instead of trying every pattern.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from types import UnionType
from typing import Any, Generic, TypeVar, Union, final, get_args, get_origin, get_type_hints

from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import PlatformOp, location_names, name_location

OpT = TypeVar("OpT", bound=Operation)

Say = Callable[[str], object]


@dataclass(frozen=True)
class _Listener:
    """Who listens to why patterns decline, and the pattern being tried."""

    say: Say
    pattern: str = ""


_listener: ContextVar[_Listener | None] = ContextVar("listener", default=None)


@contextmanager
def hearing_why(say: Say) -> Generator[None]:
    """Gives `say` a line for each op that a pattern declines, as long as the context lasts."""
    before = _listener.set(_Listener(say))
    try:
        yield
    finally:
        _listener.reset(before)


def why(op: Operation, text: str | Callable[[], str]) -> None:
    """Says why the current pattern declined `op`, if anything listens (--debug-match).

    Pass a function instead of a string if the text is expensive to make.
    """
    if (listener := _listener.get()) is None:
        return
    names = ", ".join(location_names(op.location)) or "no name"
    prefix = f"{listener.pattern}: " if listener.pattern else ""
    listener.say(f"{prefix}{op.name} ({names}): {text if isinstance(text, str) else text()}")


def located(op: OpT, *sources: Operation) -> OpT:
    """Gives `op` the fused names of the ops that it stands for, and returns it."""
    op.location = name_location(n for source in sources for n in location_names(source.location))
    return op


class Pattern(RewritePattern, Generic[OpT]):
    """A rewrite whose new ops carry the names of the ops they replace.

    Subclasses implement `rewrite`; the annotation of its first parameter (a class or a union of
    classes) says which ops it is tried on. After it ran, every op that it inserted without a
    location, and all ops inside that, get the names of the matched op and of the ops that it erased.
    A pattern whose new op also stands for ops that it leaves to dead code elimination names them with
    `located`.
    """

    @property
    def label(self) -> str:
        """The pattern's name in --debug-match."""
        return type(self).__name__

    @abstractmethod
    def rewrite(self, op: OpT, rewriter: PatternRewriter, /) -> None:
        """Rewrites `op`, or returns without having changed anything."""

    @classmethod
    def matched_types(cls) -> tuple[type[Operation], ...]:
        """The op classes that `rewrite` is annotated with."""
        hints = get_type_hints(cls.rewrite)
        hints.pop("return", None)
        hint = next(iter(hints.values()), Operation)
        if isinstance(hint, TypeVar):
            hint = hint.__bound__
        types: tuple[Any, ...] = get_args(hint) if _is_union(hint) else (hint,)
        return tuple(get_origin(t) or t for t in types)

    def takes(self, op: Operation) -> bool:
        """Whether the pattern is tried on ops of this class, and of this type if the class is opaque."""
        return isinstance(op, _types_of(type(self)))

    @final
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if self.takes(op):
            self._dispatcher.dispatch(op, (self,), rewriter)

    @cached_property
    def _dispatcher(self) -> _Dispatcher:
        return _Dispatcher()


class _Dispatcher:
    """Tries patterns on ops, and stamps what they insert.

    It attaches to a rewriter once, at the first op that has it: a walk has one rewriter for all its ops, most
    of which no pattern changes.
    """

    def __init__(self):
        self._rewriter: PatternRewriter | None = None
        self._inserted: list[Operation] = []
        self._locations: list[LocationAttr] = []

    def dispatch(
        self, op: Operation, patterns: Iterable[Pattern[Any]], rewriter: PatternRewriter
    ) -> None:
        """Tries patterns for ops of this type, until one has changed something."""
        if rewriter is not self._rewriter:
            self._rewriter = rewriter
            rewriter.operation_insertion_handler.append(self._inserted.append)
            rewriter.operation_removal_handler.append(self._note_removal)
        if self._inserted or self._locations:
            self._inserted.clear()
            self._locations.clear()
        location, listener = op.location, _listener.get()
        for pattern in patterns:
            if listener is None:
                pattern.rewrite(op, rewriter)
            else:
                _rewrite_aloud(pattern, op, rewriter, listener)
            if rewriter.has_done_action:
                self._stamp(location)
                return

    def _note_removal(self, removed: Operation) -> None:
        self._locations.append(removed.location)

    def _stamp(self, first: LocationAttr) -> None:
        nameless = [new for new in self._inserted if isinstance(new.location, UnknownLoc)]
        if nameless:
            places = (first, *self._locations)
            location = name_location(n for place in places for n in location_names(place))
            _stamp(nameless, location)


def _rewrite_aloud(
    pattern: Pattern[Any], op: Operation, rewriter: PatternRewriter, listener: _Listener
) -> None:
    before = _listener.set(replace(listener, pattern=pattern.label))
    try:
        pattern.rewrite(op, rewriter)
    finally:
        _listener.reset(before)


def _stamp(ops: Iterable[Operation], location: LocationAttr) -> None:
    for op in ops:
        for inner in op.walk():
            if isinstance(inner.location, UnknownLoc):
                inner.location = location


_matched: dict[type[Any], tuple[type[Operation], ...]] = {}


def _types_of(pattern: type[Pattern[Any]]) -> tuple[type[Operation], ...]:
    if (types := _matched.get(pattern)) is None:
        types = _matched[pattern] = pattern.matched_types()
    return types


def _is_union(hint: object) -> bool:
    return get_origin(hint) in (Union, UnionType)


class PatternSet(RewritePattern):
    """Applies the first of several patterns that changes an op, found by the op's type.

    Patterns for the same type are tried in the order given. After a user's mistake none is tried any more,
    and `error` holds it: xDSL would add the whole module to its text.
    """

    def __init__(self, patterns: Iterable[Pattern[Any]]):
        self.patterns = tuple(patterns)
        self.error: AutosplitError | PassFailedException | None = None
        self.by_type: dict[object, tuple[Pattern[Any], ...]] = {}
        self.dispatcher = _Dispatcher()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (patterns := self.patterns_for(op)) and self.error is None:
            try:
                self.dispatcher.dispatch(op, patterns, rewriter)
            except (AutosplitError, PassFailedException) as error:
                self.error = error

    def patterns_for(self, op: Operation) -> tuple[Pattern[Any], ...]:
        """The patterns that are tried on an op."""
        kind: object = type(op)
        if (patterns := self.by_type.get(kind)) is not None:
            return patterns
        if isinstance(op, PlatformOp) and op.IS_OPAQUE:
            kind = (op.name, op.op_type)
        if (patterns := self.by_type.get(kind)) is None:
            patterns = self.by_type[kind] = tuple(p for p in self.patterns if p.takes(op))
        return patterns


def become(module: ModuleOp, other: ModuleOp) -> None:
    """Replaces the contents of `module` by those of `other`, which is used up."""
    module.attributes = other.attributes
    module.properties = other.properties
    module.detach_region(module.body).drop_all_references()
    module.add_region(other.detach_region(other.body))


def set_operand(rewriter: PatternRewriter, op: Operation, index: int, value: SSAValue) -> None:
    """Makes an op read another value."""
    op.operands[index] = value
    rewriter.notify_op_modified(op)


def apply_patterns(
    module: ModuleOp,
    patterns: Sequence[Pattern[Any]],
    *,
    recursive: bool = True,
    backwards: bool = False,
) -> bool:
    """Rewrites the module in place; True if anything changed.

    `recursive` also visits new and changed ops, until nothing changes; `backwards` visits the last op first.
    No dead code is removed.
    """
    every = PatternSet(patterns)
    walker = PatternRewriteWalker(
        every, apply_recursively=recursive, walk_reverse=backwards, walk_regions_first=backwards
    )
    changed = walker.rewrite_module(module)
    if every.error is not None:
        raise every.error
    return changed


def apply_to(ops: Iterable[Operation], patterns: Sequence[Pattern[Any]]) -> bool:
    """Tries the patterns on these ops only, in this order; True if anything changed.

    Ops that are erased before their turn are left out.
    """
    every = PatternSet(patterns)
    rewriter: PatternRewriter | None = None
    changed = False
    for op in ops:
        if (matching := every.by_type.get(type(op))) is None:
            matching = every.patterns_for(op)
        if not matching or (block := op.parent) is None:
            continue
        place = InsertPoint(block, op)
        if rewriter is None:
            rewriter = PatternRewriter(place)
        rewriter.insertion_point, rewriter.has_done_action = place, False
        every.dispatcher.dispatch(op, matching, rewriter)
        changed |= rewriter.has_done_action
    return changed
