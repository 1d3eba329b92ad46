"""What all rewrite passes share: patterns that keep locations, found by the type of their op.

xDSL's rewriter gives new ops no location, and ours are identities: reasons and plans speak of an op
by the names in its location. `Pattern` stamps them in one place. A pass with several patterns
applies them with `apply_patterns`, which looks at an op's type once instead of asking every pattern.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from types import UnionType
from typing import Any, Generic, TypeVar, Union, cast, final, get_args, get_origin, get_type_hints

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from autosplit.core.weights import hand_over
from autosplit.dialects.platform import location_names, name_location

OpT = TypeVar("OpT", bound=Operation)

debug_match = False
"""Whether `why` prints. --debug-match sets `rewriting.debug_match`; do not import the name."""


def why(op: Operation, text: str | Callable[[], str]) -> None:
    """Says why a pattern declined `op`, when --debug-match is on.

    Give a function instead of a string where making the text costs anything.
    """
    if not debug_match:
        return
    names = ", ".join(location_names(op.location)) or "no name"
    print(f"{op.name} ({names}): {text if isinstance(text, str) else text()}", file=sys.stderr)


def located(op: OpT, *sources: Operation) -> OpT:
    """Gives `op` the fused names of the ops that it stands for, and returns it."""
    op.location = name_location(n for source in sources for n in location_names(source.location))
    return op


class Pattern(RewritePattern, Generic[OpT]):
    """A rewrite whose new ops carry the names of the ops they replace.

    Subclasses implement `rewrite`; the annotation of its first parameter (a class or a union of
    classes) says which ops it is asked about. After it ran, every op that it inserted without a
    location gets the names of the matched op and of the ops that it erased. A pattern whose new op
    also stands for ops that it leaves to dead code elimination names them with `located`.
    """

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
        names = list(location_names(op.location))

        def note_removal(removed: Operation) -> None:
            names.extend(location_names(removed.location))

        rewriter.operation_insertion_handler.append(inserted.append)
        rewriter.operation_removal_handler.append(note_removal)
        try:
            self.rewrite(op, rewriter)
        finally:
            rewriter.operation_insertion_handler.remove(inserted.append)
            rewriter.operation_removal_handler.remove(note_removal)
        if not inserted:
            return
        location = name_location(names)
        for new in inserted:
            for inner in new.walk():
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

    Patterns for the same type are tried in the order given.
    """

    def __init__(self, patterns: Iterable[Pattern[Any]]):
        self.patterns = tuple(patterns)
        self._by_type: dict[type[Operation], tuple[Pattern[Any], ...]] = {}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        kind = type(op)
        if (patterns := self._by_type.get(kind)) is None:
            patterns = tuple(p for p in self.patterns if issubclass(kind, _types_of(type(p))))
            self._by_type[kind] = patterns
        for pattern in patterns:
            pattern.run(op, rewriter)
            if rewriter.has_done_action:
                return


def become(module: ModuleOp, made: ModuleOp) -> None:
    """Puts what `made` holds in the place of what `module` holds; `made` is used up, its weights are kept."""
    module.attributes = made.attributes
    module.properties = made.properties
    module.detach_region(module.body).drop_all_references()
    module.add_region(made.detach_region(made.body))
    hand_over(made, module)


def apply_patterns(
    module: ModuleOp, patterns: Sequence[Pattern[Any]], *, recursive: bool = True
) -> bool:
    """Rewrites the module in place; True where anything changed.

    `recursive` also visits new and changed ops, until nothing changes. No dead code is removed.
    """
    walker = PatternRewriteWalker(PatternSet(patterns), apply_recursively=recursive)
    return walker.rewrite_module(module)
