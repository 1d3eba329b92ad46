"""Parses PyTorch's own schemas, which make up the table of the dialect's ops (`table.py`).

    aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)

An annotation such as `(a)` says that a result may share the storage of the argument with the same letter;
`(a!)` that the op writes to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

ATEN = "aten"

_SPELLED = {"_operator": "operator"}
"""Namespaces that op types spell differently."""

_TORCH_OPS = frozenset({"_operator", "math", "torch"})
"""Namespaces that are Python modules: functions on sizes."""

WRITES_ONLY_IF: Mapping[str, str] = {
    "_native_batch_norm_legit": "training",
    "batch_norm": "training",
    "instance_norm": "use_input_stats",
    "native_batch_norm": "training",
}
"""Ops that write to their arguments only if this argument is true."""

CHECKS_OF_NUMBERS = frozenset(
    {"_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size"}
)
"""Ops that raise an error if a number, such as a size, is not as expected, and otherwise do nothing."""

CHECKS = CHECKS_OF_NUMBERS | {"_assert_async", "_assert_tensor_metadata"}
"""All ops that raise an error or do nothing."""


@dataclass(frozen=True)
class ArgSpec:
    """An argument of an op."""

    name: str
    type: str
    """As the schema has it, without annotations and lengths: `Tensor`, `Tensor?`, `SymInt[]`, `Scalar`."""
    alias: str = ""
    """The letters of what it shares storage with."""
    writes: bool = False
    keyword_only: bool = False
    default: str | None = None
    """The default as the schema has it; None if the argument is required."""

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return self.type.rstrip("?").endswith("]")

    @property
    def is_tensor(self) -> bool:
        """Whether it takes tensors, as opposed to numbers."""
        return self.type.startswith("Tensor")


@dataclass(frozen=True)
class ReturnSpec:
    """A result of an op, or a list of them."""

    type: str
    alias: str = ""
    writes: bool = False


class OpSpec:
    """One overload: its arguments and results. The schema is parsed on first use."""

    def __init__(self, schema: str):
        self.schema = schema
        qualified_name = schema.partition("(")[0]
        self.namespace, _, name = qualified_name.partition("::")
        self.base, _, self.overload = name.partition(".")

    @property
    def kind(self) -> str:
        """The op's type: `conv2d`, `add.Tensor`, `torchvision.nms`, `operator.mul`."""
        name = f"{self.base}.{self.overload}" if self.overload else self.base
        space = _SPELLED.get(self.namespace, self.namespace)
        return name if space == ATEN else f"{space}.{name}"

    @property
    def target(self) -> str:
        """What a `.pt2` calls the op: `torch.ops.aten.conv2d.default`."""
        if self.namespace in _TORCH_OPS:
            return f"{self.namespace}.{self.base}"
        return f"torch.ops.{self.namespace}.{self.base}.{self.overload or 'default'}"

    @cached_property
    def args(self) -> tuple[ArgSpec, ...]:
        """The arguments in the schema's order."""
        return self._parsed[0]

    @cached_property
    def returns(self) -> tuple[ReturnSpec, ...]:
        """The results."""
        return self._parsed[1]

    @cached_property
    def arg_by_name(self) -> Mapping[str, ArgSpec]:
        """The arguments by name."""
        return {arg.name: arg for arg in self.args}

    @property
    def writes_only_if(self) -> str | None:
        """The argument that must be true for the op to write; None if it always writes."""
        return WRITES_ONLY_IF.get(self.base) if self.namespace == ATEN else None

    @property
    def is_check(self) -> bool:
        """Whether the op only raises an error if its argument is not as expected."""
        return self.namespace == ATEN and self.base in CHECKS

    @cached_property
    def _parsed(self) -> tuple[tuple[ArgSpec, ...], tuple[ReturnSpec, ...]]:
        return parse_schema(self.schema)


def parse_schema(schema: str) -> tuple[tuple[ArgSpec, ...], tuple[ReturnSpec, ...]]:
    """The arguments and results that a schema declares."""
    arguments_text, _, right = schema.rpartition(" -> ")
    if arguments_text.count("(") != arguments_text.count(")"):
        # The arrow of `(a -> *)` occurs in the arguments of an op that returns nothing.
        raise ValueError(f"{schema!r} is not a schema")
    args: list[ArgSpec] = []
    keyword_only = False
    for item in _split_list(arguments_text[arguments_text.index("(") + 1 : -1]):
        if item == "*":
            keyword_only = True
            continue
        declared, equals, default = item.partition("=")
        type_text, _, name = declared.rpartition(" ")
        type, alias, writes = _type(type_text)
        args.append(ArgSpec(name, type, alias, writes, keyword_only, default if equals else None))
    items = right[1:-1] if right.startswith("(") and right.endswith(")") else right
    returns = [ReturnSpec(*_type(_without_name(item))) for item in _split_list(items)]
    return tuple(args), tuple(returns)


def _without_name(text: str) -> str:
    """A result's type; the schema may name it."""
    return re.sub(r" \w+$", "", text)


_ANNOTATION = re.compile(r"\(([a-z|]+)(!?)(?: -> [^)]*)?\)")
_LENGTH = re.compile(r"\[\d+\]")


@lru_cache(maxsize=512)
def _type(text: str) -> tuple[str, str, bool]:
    """A type without annotations and lengths, the letters of the annotation, whether it is written to."""
    annotation = _ANNOTATION.search(text)
    bare = _LENGTH.sub("[]", _ANNOTATION.sub("", text))
    return (bare, "", False) if annotation is None else (bare, annotation[1], bool(annotation[2]))


def _split_list(text: str) -> list[str]:
    """Splits a list at the commas outside brackets and quotes."""
    items: list[str] = []
    depth, start, quoted = 0, 0, False
    for index, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and not depth:
            items.append(text[start:index].strip())
            start = index + 1
    last_item = text[start:].strip()
    return [*items, last_item] if last_item else items
