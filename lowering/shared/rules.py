"""The rules of a conversion from one dialect: functions, each for the kinds of ops that it converts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

RuleT = TypeVar("RuleT")


class Rules(dict[str, RuleT]):
    """The rule of each kind of op, by the framework's name of the kind.

    CONVERSIONS: Rules[Conversion] = Rules()

    @CONVERSIONS.convert("Relu", "Relu6")
    def _relu(b: Builder) -> SSAValue: ...
    """

    def convert(self, *kinds: str) -> Callable[[RuleT], RuleT]:
        """Registers a function as the rule of the named kinds."""

        def register(function: RuleT) -> RuleT:
            self.update(dict.fromkeys(kinds, function))
            return function

        return register

    def by_rule(self) -> dict[RuleT, frozenset[str]]:
        """The kinds that each rule is for, in the order of their registration."""
        kinds_of: dict[RuleT, set[str]] = {}
        for kind, rule in self.items():
            kinds_of.setdefault(rule, set()).add(kind)
        return {rule: frozenset(kinds) for rule, kinds in kinds_of.items()}
