"""What all rewrite passes share: patterns that keep locations, found by the type of their op.

xDSL's rewriter gives new ops no location, and ours are identities: reasons and plans speak of an op
by the names in its location. `Pattern` stamps them in one place. A pass with several patterns
applies them with `apply_patterns`, which looks at an op's type once instead of asking every pattern.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, Generic, TypeVar, Union, cast, final, get_args, get_origin, get_type_hints

from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import hand_over
from autosplit.dialects.platform import location_names, name_location

OpT = TypeVar("OpT", bound=Operation)

Say = Callable[[str], object]


@dataclass(frozen=True)
class _Listener:
    """Who wants to hear why patterns decline, and the pattern that is being asked."""

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
    """Says why the pattern that is being asked declined `op`, where somebody listens (--debug-match).

    Give a function instead of a string where making the text costs anything.
    """
    if (listener := _listener.get()) is None:
        return
    names = ", ".join(location_names(op.location)) or "no name"
    asked = f"{listener.pattern}: " if listener.pattern else ""
    listener.say(f"{asked}{op.name} ({names}): {text if isinstance(text, str) else text()}")


def located(op: OpT, *sources: Operation) -> OpT:
    """Gives `op` the fused names of the ops that it stands for, and returns it."""
    op.location = name_location(n for source in sources for n in location_names(source.location))
    return op


class Pattern(RewritePattern, Generic[OpT]):
    """A rewrite whose new ops carry the names of the ops they replace.

    Subclasses implement `rewrite`; the annotation of its first parameter (a class or a union of
    classes) says which ops it is asked about. After it ran, every op that it inserted without a
    location, and all inside of that, gets the names of the matched op and of the ops that it erased.
    A pattern whose new op also stands for ops that it leaves to dead code elimination names them with
    `located`.
    """

    @property
    def label(self) -> str:
        """What --debug-match calls the pattern."""
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

    @final
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, _types_of(type(self))):
            self.run(cast("OpT", op), rewriter)

    @final
    def run(self, op: OpT, rewriter: PatternRewriter) -> None:
        """Applies `rewrite` to an op whose type is known to fit, and stamps what it inserted."""
        inserted: list[Operation] = []
        locations = [op.location]

        def note_removal(removed: Operation) -> None:
            locations.append(removed.location)

        rewriter.operation_insertion_handler.append(inserted.append)
        rewriter.operation_removal_handler.append(note_removal)
        try:
            self._rewrite(op, rewriter)
        finally:
            rewriter.operation_insertion_handler.remove(inserted.append)
            rewriter.operation_removal_handler.remove(note_removal)
        if nameless := [new for new in inserted if isinstance(new.location, UnknownLoc)]:
            _stamp(nameless, name_location(n for place in locations for n in location_names(place)))

    def _rewrite(self, op: OpT, rewriter: PatternRewriter) -> None:
        if (listener := _listener.get()) is None:
            self.rewrite(op, rewriter)
            return
        before = _listener.set(replace(listener, pattern=self.label))
        try:
            self.rewrite(op, rewriter)
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
    and `error` holds it: xDSL would print the whole module into it.
    """

    def __init__(self, patterns: Iterable[Pattern[Any]]):
        self.patterns = tuple(patterns)
        self.error: AutosplitError | PassFailedException | None = None
        self._by_type: dict[type[Operation], tuple[Pattern[Any], ...]] = {}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        kind = type(op)
        if (patterns := self._by_type.get(kind)) is None:
            patterns = tuple(p for p in self.patterns if issubclass(kind, _types_of(type(p))))
            self._by_type[kind] = patterns
        if not patterns or self.error is not None:
            return
        try:
            for pattern in patterns:
                pattern.run(op, rewriter)
                if rewriter.has_done_action:
                    return
        except (AutosplitError, PassFailedException) as error:
            self.error = error


def become(module: ModuleOp, made: ModuleOp) -> None:
    """Puts what `made` holds in the place of what `module` holds; `made` is used up, its weights are kept."""
    module.attributes = made.attributes
    module.properties = made.properties
    module.detach_region(module.body).drop_all_references()
    module.add_region(made.detach_region(made.body))
    hand_over(made, module)


def set_operand(rewriter: PatternRewriter, op: Operation, index: int, value: SSAValue) -> None:
    """Has an op read another value."""
    op.operands[index] = value
    rewriter.notify_op_modified(op)


def apply_patterns(
    module: ModuleOp,
    patterns: Sequence[Pattern[Any]],
    *,
    recursive: bool = True,
    backwards: bool = False,
) -> bool:
    """Rewrites the module in place; True where anything changed.

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


def apply_to(ops: Iterable[Operation], patterns: Sequence[Pattern[Any]]) -> None:
    """Asks the patterns about these ops alone, in this order; those that are gone by then are left out."""
    every = PatternSet(patterns)
    for op in ops:
        if op.parent is not None:
            every.match_and_rewrite(op, PatternRewriter(op))
        if every.error is not None:
            raise every.error
