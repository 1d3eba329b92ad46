"""Writes `dialects/mx/table.py` and a lit test, from the registry of an installed MXNet.

    python -m autosplit.tools.generate.mx_dialect            writes the files
    python -m autosplit.tools.generate.mx_dialect --check    exits with 1 where one is not up to date

The registry tells the names of inputs and attributes. Which inputs and outputs a node has depends on its
attributes and is found by making nodes: one with as few attributes as it takes, and one more for each value
of each Boolean or word among them.
"""

from __future__ import annotations

import ctypes
import json
import re
import runpy
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from autosplit.core.errors import AutosplitError
from autosplit.dialects.mx.ops import example
from autosplit.dialects.mx.spec import OpSpec
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.tools.generate.written import every_op_file, formatted, in_dialect, write_files

HEADER = '''"""The ops of MXNet, as data: of nets, detectors, arithmetic, shapes, and quantized ones.

Generated from the registry of MXNet {version} by `python -m autosplit.tools.generate.mx_dialect`; do not
edit.
"""

# Data, written by a program.

from __future__ import annotations

from autosplit.dialects.mx.spec import AttrSpec, OpSpec, ports
from autosplit.dialects.mx.values import parse_value

__all__ = ["ALIASES", "OP_TABLE"]

_table: dict[str, OpSpec] = {{}}


def _op(kind: str, inputs: str, outputs: str = "output", attrs: str = "", aux: str = "") -> None:
    named = {{attr.name: attr for attr in map(_attr, attrs.split())}}
    _table[kind] = OpSpec(kind, ports(inputs), ports(outputs), named, tuple(aux.split()))


def _attr(text: str) -> AttrSpec:
    """`name:kind!` must be there, `name:kind=default` need not; `kind?` may be None, `a|b` is a or b."""
    name, _, rest = text.partition(":")
    kind, equals, default = rest.partition("=")
    words, or_none = kind.rstrip("!?"), "?" in kind
    choices = tuple(words.split("|")) if "|" in words or words not in _KINDS else ()
    bare = AttrSpec(name, "string" if choices else words, "!" in kind, None, choices, or_none)
    if not equals:
        return bare
    return AttrSpec(name, bare.kind, False, parse_value(bare, default), choices, or_none)


_KINDS = frozenset({{"bool", "int", "float", "string", "shape", "floats", "shapes"}})

'''

FOOTER = '''
OP_TABLE: dict[str, OpSpec] = _table
"""The ops by MXNet's name of the kind."""

_aliases = """
{aliases}
"""

ALIASES: dict[str, str] = {{
    name: kind for name, _, kind in (pair.partition("=") for pair in _aliases.split())
}}
"""Other names of ops, which files may have: the kind that each stands for."""
'''

LEFT_OUT = re.compile(
    r"""
    _np|_backward|_broadcast_backward|_random|_sample|_image|_cv|_grad|_NDArray|_Native|_Custom|_Cross|_NoGr
    |_CachedOp|_split_v2_backward|_slice_assign|_scatter|_?multi_|_multi|_?mp_|preloaded|reset_|_set_value
    |_contrib_(backward|dgl|quad|calib|edge|getnnz|count|hawkes|group_ada|gradientm|index_copy|allclose|bip)
    |IdentityAttach|_imdecode|_copyto|_onehot|_crop_assign|_adamw|_sg_mkldnn|_histogram|_shuffle|_square_sum|_zeros_without
    |all_finite|amp_multicast|cast_storage|fill_element|khatri|_linalg_(?!gemm2)|_sparse_|_contrib_quantized_rnn
    |_linspace|.*update|.*_v1$
    """,
    re.VERBOSE,
)
"""Kinds for training, for drawing numbers, of the NumPy front end, and those that read pictures."""

KINDS = {
    "Shape(tuple)": "shape",
    "Shape or None": "shape?",
    "boolean": "bool",
    "boolean or None": "bool?",
    "double": "float",
    "double or None": "float?",
    "float": "float",
    "float or None": "float?",
    "int": "int",
    "int (non-negative)": "int",
    "int or None": "int?",
    "long": "int",
    "long (non-negative)": "int",
    "real_t": "float",
    "string": "string",
    "tuple of <Shape(tuple)>": "shapes",
    "tuple of <double>": "floats",
    "tuple of <float>": "floats",
    "tuple of <long>": "shape",
}
"""The kinds of attributes by what the registry calls them."""

TENSORS = frozenset({"NDArray-or-Symbol", "NDArray-or-Symbol[]"})

SAMPLES = {
    "act_type": "relu",
    "axes": "(1,)",
    "dtype": "float32",
    "kernel": "(2, 2)",
    "indices": "(0, 2, 4)",
    "mode": "constant",
    "num_args": "3",
    "num_outputs": "3",
    "pad_width": "(0, 0, 0, 0, 1, 1, 1, 1)",
    "pooled_size": "(2, 2)",
    "sample_type": "nearest",
    "sampler_type": "bilinear",
    "shape": "(4, 4)",
    "sizes": "(1,)",
    "transform_type": "affine",
}
"""Values for attributes that a node must have; numbers are 1."""

WRITTEN = {
    # Poolings of some kinds have a workspace for an output more, which nothing can read.
    "Pooling": ("data", "output"),
    "RNN": (
        "data parameters state state_cell?mode=lstm sequence_length?use_sequence_length",
        "output state?state_outputs state_cell?state_outputs&mode=lstm",
    ),
    "_split_v2": ("data", "output*sections?sections!=0 output*indices?sections=0"),
}
"""Kinds whose inputs or outputs follow from two attributes at once."""

NEEDS = {"_contrib_quantized_pooling": "kernel"}
"""Attributes that a node must have though the registry does not say so."""

NO_NODE = frozenset({"Custom", "_cond", "_foreach", "_while_loop"})
"""Kinds whose nodes hold what cannot be made here."""


@dataclass(frozen=True)
class ListedAttribute:
    """An attribute as the registry says it."""

    name: str
    kind: str
    needed: bool
    default: str

    @property
    def text(self) -> str:
        """The attribute as the table writes it."""
        mark = "!" if self.needed else f"={self.default}"
        return f"{self.name}:{self.kind}{mark}"

    @property
    def values(self) -> tuple[str, ...]:
        """The values to try: all that a Boolean or a word can have."""
        if self.kind.rstrip("?") == "bool":
            return ("True", "False")
        return tuple(self.kind.rstrip("?").split("|")) if "|" in self.kind else ()


@dataclass(frozen=True)
class TriedNode:
    """A node that MXNet made: its inputs, its outputs, how many of these are hidden, its states."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    hidden: int
    aux: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many outputs there are, hidden ones included."""
        return len(self.outputs) + self.hidden


class MxRegistry:
    """The ops of an installed MXNet."""

    def __init__(self) -> None:
        self.mx: Any = import_mxnet("the table of its ops")
        self.lib: Any = self.mx.base._LIB

    @cached_property
    def names(self) -> dict[str, list[str]]:
        """Each kind with the other names of it."""
        by_kind: dict[str, list[str]] = {}
        for name in sorted(self.mx.operator.get_all_registered_operators()):
            kind = self.info(name)[0]
            by_kind.setdefault(kind, [])
            if kind != name:
                by_kind[kind].append(name)
        return dict(sorted(by_kind.items()))

    def _handle(self, name: str) -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        self._check(self.lib.NNGetOpHandle(name.encode(), ctypes.byref(handle)))
        return handle

    def _check(self, code: int) -> None:
        if code != 0:
            raise AutosplitError(str(self.mx.base.py_str(self.lib.MXGetLastError())))

    def info(self, name: str) -> tuple[str, list[tuple[str, str]], str]:
        """The kind that a name stands for, its arguments with their types, what counts its inputs."""
        texts = [ctypes.c_char_p() for _ in range(4)]
        lists = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
        count = ctypes.c_int()
        kind, about, key, returns = texts
        outs = [kind, about, count, *lists, key, returns]
        handle = self._handle(name)
        self._check(self.lib.MXSymbolGetAtomicSymbolInfo(handle, *map(ctypes.byref, outs)))
        arguments = [(lists[0][i].decode(), lists[1][i].decode()) for i in range(count.value)]
        return (kind.value or b"").decode(), arguments, (key.value or b"").decode()

    def make(self, kind: str, attrs: Mapping[str, str]) -> TriedNode | None:
        """A node with variables for inputs; None if MXNet refuses the attributes."""
        handle = ctypes.c_void_p()
        keys = (ctypes.c_char_p * len(attrs))(*(k.encode() for k in attrs))
        values = (ctypes.c_char_p * len(attrs))(*(v.encode() for v in attrs.values()))
        try:
            self._check(
                self.lib.MXSymbolCreateAtomicSymbol(
                    self._handle(kind), len(attrs), keys, values, ctypes.byref(handle)
                )
            )
            self._check(self.lib.NNSymbolCompose(handle, b"n", 0, None, None))
            symbol: Any = self.mx.sym.Symbol(handle)
            graph = json.loads(symbol.tojson())
        except (AutosplitError, self.mx.base.MXNetError):
            return None
        inputs = tuple(str(n["name"]).removeprefix("n_") for n in graph["nodes"][:-1])
        outputs = tuple(str(n).removeprefix("n_") for n in symbol.list_outputs())
        total = graph["node_row_ptr"][-1] - graph["node_row_ptr"][-2]
        states = tuple(str(n).removeprefix("n_") for n in symbol.list_auxiliary_states())
        return TriedNode(inputs, outputs, total - len(outputs), states)


def attribute(name: str, type: str) -> ListedAttribute | None:
    """An argument that is an attribute; None if it is an input or a graph."""
    if type in TENSORS or type in ("Symbol", "Symbol or Symbol[]", "ptr", "NDArray", ""):
        return None
    if (words := re.match(r"\{(.*?)\}", type)) is not None:
        words_listed = [word.strip().strip("'") for word in words[1].split(",")]
        kind = "|".join(w for w in words_listed if w != "None") + "?" * ("None" in words_listed)
        if "|" not in kind:
            kind = "string?" if "?" in kind else "string"
    else:
        kind = KINDS[re.split(r",? ?(?:required|optional)", type)[0].strip(", ")]
    default = type.partition("default=")[2].strip("'").replace(" ", "")
    if kind.startswith("bool") and default in ("0", "1"):
        default = str(default == "1")
    if default == "None" and "?" not in kind:
        kind += "?"
    if "required" not in type and "default=" not in type:
        kind, default = f"{kind}?", "None"
    return ListedAttribute(name, kind, "required" in type, default)


def entry(registry: MxRegistry, kind: str) -> str:
    """The line of the table for a kind."""
    _, arguments, key = registry.info(kind)
    declared = [attribute(name, type) for name, type in arguments]
    attrs = [a for a in declared if a is not None]
    if key and key not in {a.name for a in attrs}:
        attrs.append(ListedAttribute(key, "int", True, ""))
    text = " ".join(a.text for a in attrs)
    if kind in WRITTEN:
        return f"_op({kind!r}, {WRITTEN[kind][0]!r}, {WRITTEN[kind][1]!r}, {text!r})"
    need = {a.name: _sample(a) for a in attrs if a.needed or a.name == NEEDS.get(kind)}
    base = registry.make(kind, need)
    if base is None:
        raise AutosplitError(f"{kind}: MXNet refuses {need}; add to SAMPLES what it takes")
    tried = [
        (a.name, value, node)
        for a in attrs
        for value in a.values
        if (node := registry.make(kind, {**need, a.name: value})) is not None
    ]
    if key:
        inputs = f"{base.inputs[0].rstrip('0123456789')}*{key}"
    else:
        inputs = " ".join(_ports([n.inputs for _, _, n in tried], base.inputs, tried, "inputs"))
    outputs = _outputs(kind, base, tried)
    fields = [repr(kind), repr(inputs)]
    if outputs != "output" or text or base.aux:
        fields.append(repr(outputs))
    fields += [repr(text)] if text else []
    fields += [f"aux={' '.join(base.aux)!r}"] if base.aux else []
    return f"_op({', '.join(fields)})"


def _sample(attr: ListedAttribute) -> str:
    words = attr.values
    sample = SAMPLES.get(attr.name, "1")
    if attr.kind == "int" and not sample.isdigit():
        return "1"
    return sample if not words or sample in words else words[0]


Tried = Sequence[tuple[str, str, TriedNode]]


def _ports(
    lists: Sequence[tuple[str, ...]], base: tuple[str, ...], tried: Tried, what: str
) -> Iterator[str]:
    """The ports in order, each with the condition under which it is there."""
    longest = max([base, *lists], key=len)
    for name in longest:
        yield name + _when(name in base, [(a, v, name in getattr(n, what)) for a, v, n in tried])


def _when(base: bool, tried: Sequence[tuple[str, str, bool]]) -> str:
    """The condition as the table writes it; empty if the port is always there."""
    differing = [(a, v) for a, v, present in tried if present != base]
    if not differing:
        return ""
    name = differing[0][0]
    if any(a != name for a, _ in differing):
        raise AutosplitError(f"{differing} together say whether there is a port: see WRITTEN")
    present = [v for a, v, is_there in tried if a == name and is_there]
    absent = [v for a, v, is_there in tried if a == name and not is_there]
    if {*present, *absent} == {"True", "False"}:
        return f"?{name}" if present == ["True"] else f"?!{name}"
    if len(present) == 1:
        return f"?{name}={present[0]}"
    if len(absent) == 1:
        return f"?{name}!={absent[0]}"
    return "?" + "&".join(f"{name}!={value}" for value in absent)


def _outputs(kind: str, base: TriedNode, tried: Tried) -> str:
    """The outputs as the table writes them, hidden ones last."""
    if kind == "SliceChannel":
        return "output*num_outputs"
    nodes = [("", "", base), *tried]
    longest = max((n.outputs for _, _, n in nodes), key=len)
    total = max(n.total for _, _, n in nodes)
    names = [name.rstrip("0123456789") if len(longest) > 1 else name for name in longest]
    names += ["hidden"] * (total - len(longest))
    out: list[str] = []
    for i, name in enumerate(names):
        condition = _when(i < base.total, [(a, v, i < n.total) for a, v, n in tried])
        with_it = [(a, v, i >= len(n.outputs)) for a, v, n in tried if i < n.total]
        is_hidden = i >= len(base.outputs) if i < base.total else with_it[0][2]
        hidden = _when(is_hidden, with_it).replace("?", "~", 1)
        out.append(name + condition + (hidden or "~" * is_hidden))
    return " ".join(out)


def generate() -> str:
    """The text of the file. Raises AutosplitError if MXNet is not installed."""
    registry = MxRegistry()
    kinds = [
        kind for kind in registry.names if LEFT_OUT.match(kind) is None and kind not in NO_NODE
    ]
    lines = [entry(registry, kind) for kind in sorted(kinds)]
    pairs = sorted(
        f"{other}={kind}"
        for kind in kinds
        for other in registry.names[kind]
        if not other.startswith("_np")
    )
    rows = textwrap.wrap(" ".join(pairs), 96, break_long_words=False, break_on_hyphens=False)
    header = HEADER.format(version=registry.mx.__version__)
    text = header + "\n".join(lines) + "\n" + FOOTER.format(aliases="\n".join(rows))
    text = re.sub(r"\n_op\(.*", lambda m: _wrapped(m[0]), text)
    return formatted(text, in_dialect("mx/table.py"))


def _wrapped(line: str) -> str:
    """A line whose long strings are cut at spaces."""
    if len(line) < 98:
        return line

    def cut(match: re.Match[str]) -> str:
        rows = textwrap.wrap(match[1], 88, break_long_words=False, break_on_hyphens=False)
        return " ".join(repr(row + " " * (row is not rows[-1])) for row in rows)

    return re.sub(r"'([^']{60,})'", cut, line)


LIT_HEADER = """// RUN: AUTOSPLIT_ROUNDTRIP

// Each kind of op with all of its attributes. Written by `python -m autosplit.tools.generate.mx_dialect`.
"""


def every_op(table: Mapping[str, OpSpec]) -> str:
    """The text of the lit test that has each op once."""
    lines = [LIT_HEADER]
    for spec in table.values():
        op, colon, types = example(spec, full=True).rpartition(" : ")
        text = op + colon + re.sub(r"\bT\b", TYPE, types)
        lines += ["builtin.module {", f'  %x = "test.op"() : () -> {TYPE}']
        lines += [f"  // CHECK: {text}", f"  {text}", "}", ""]
    return "\n".join(lines)


TYPE = "tensor<4xf32>"
"""Of all operands and results in the lit test."""


def files() -> Iterator[tuple[Path, str]]:
    """The table, and the lit test of it as it is then, which the imported one need not be."""
    table = in_dialect("mx/table.py")
    yield table, generate()
    yield every_op_file("mx"), every_op(runpy.run_path(str(table))["OP_TABLE"])


def main(args: list[str] | None = None) -> int:
    """The entry point. Returns 1 where `--check` finds a file out of date."""
    what = "Writes dialects/mx/table.py and a lit test."
    return write_files(what, "mx_dialect", files, args)


if __name__ == "__main__":
    sys.exit(main())
