"""The views of a tensor, and the inverse of each: the tensor rebuilt around its changed view.

| view | inverse |
| --- | --- |
| `select`, `slice`, `narrow`, `diagonal` | `select_scatter`, `slice_scatter`, `diagonal_scatter` |
| `split`, `chunk`, `unbind`, `tensor_split`, ... | `slice_scatter` or `select_scatter` of the one part |
| `view`, `reshape`, `flatten`, `unflatten`, `squeeze`, `unsqueeze` | `reshape` back |
| `permute`, `transpose`, `t`, `mT`, `movedim`, ... | `permute` back |
| `view.dtype` of the same size, `view_as_complex`, `view_as_real` | the opposite one |
| `alias`, `detach`, `expand` to the same shape, what copies only if it must | nothing to do |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.ir import SSAValue

from autosplit.dialects.aten.values import Argument
from autosplit.dialects.platform import shape_of
from autosplit.lowering.reduce_mutation.calls import AtenCall
from autosplit.lowering.reduce_mutation.making import SIZE, Maker, Part, dtype_attr, parts_of


@dataclass(frozen=True)
class Rebuild:
    """What an inverse is built from."""

    make: Maker
    call: AtenCall
    index: int
    """The index of the view among the results of the call."""
    tensor: SSAValue
    """The tensor as it was."""
    part: SSAValue
    """The new value of its view."""

    @property
    def rank(self) -> int:
        return len(shape_of(self.tensor.type) or ())

    def axis(self, name: str, default: int = 0) -> int:
        """An argument that is a dimension, counted from the front."""
        return self.call.integer(name, default) % max(self.rank, 1)

    def as_called(self, *names: str) -> dict[str, Part]:
        """Those of the named arguments that the view has."""
        parts = parts_of(self.call.op)
        return {name: parts[name] for name in names if name in parts}

    def scatter(self, kind: str, arguments: Mapping[str, Part]) -> SSAValue:
        """The tensor with the part written into it."""
        whole = {"self": self.tensor, "src": self.part, **arguments}
        return self.make(f"{kind}_scatter", whole, self.tensor.type)

    def reshaped(self) -> SSAValue:
        """The part in the tensor's shape."""
        return self.make.reshape(self.part, self.tensor)

    def permuted(self, order: Sequence[int]) -> SSAValue:
        """The part with dimension `i` where `order` took it from."""
        back: list[Argument] = [order.index(i) for i in range(len(order))]
        return self.make("permute", {"self": self.part, "dims": back}, self.tensor.type)


Inverse: TypeAlias = Callable[[Rebuild], SSAValue]


def _select(r: Rebuild) -> SSAValue:
    return r.scatter("select", r.as_called("dim", "index"))


def _slice(r: Rebuild) -> SSAValue:
    return r.scatter("slice", r.as_called("dim", "start", "end", "step"))


def _narrow(r: Rebuild) -> SSAValue:
    start, length = r.call.integer("start"), r.call["length"]
    end: Argument = length
    if isinstance(length, int):
        end = start + length
    elif start:
        end = r.make("operator.add", {"a": start, "b": length}, SIZE)
    return r.scatter("slice", {"dim": r.axis("dim"), "start": start, "end": end})


def _diagonal(r: Rebuild) -> SSAValue:
    return r.scatter("diagonal", r.as_called("offset", "dim1", "dim2"))


def _unbind(r: Rebuild) -> SSAValue:
    return r.scatter("select", {"dim": r.axis("dim"), "index": r.index})


def _part(r: Rebuild) -> SSAValue:
    dim = split_axis(r.call)
    sizes = [(shape_of(result.type) or ())[dim] for result in r.call.op.results]
    start = sum(sizes[: r.index])
    return r.scatter("slice", {"dim": dim, "start": start, "end": start + sizes[r.index]})


def split_axis(call: AtenCall) -> int:
    """The dimension along which an op cuts a tensor into parts."""
    rank = len(shape_of(call.op.operands[0].type) or ())
    match call.name:
        case "hsplit":
            return min(rank - 1, 1)
        case "vsplit":
            return 0
        case "dsplit":
            return 2
        case _:
            return call.integer("dim") % rank


def _reshaped(r: Rebuild) -> SSAValue:
    return r.reshaped()


def _same(r: Rebuild) -> SSAValue:
    return r.part


def _permute(r: Rebuild) -> SSAValue:
    return r.permuted([d % r.rank for d in r.call.integers("dims")])


def _transpose(r: Rebuild) -> SSAValue:
    names = [arg.name for arg in r.call.spec.args[1:3]]
    return r.permuted(_swapped(r.rank, *(r.axis(name) for name in names)))


def _swapped(rank: int, first: int, second: int) -> list[int]:
    order = list(range(rank))
    if rank:
        order[first], order[second] = order[second], order[first]
    return order


def _matrix(r: Rebuild) -> SSAValue:
    return r.permuted(_swapped(r.rank, r.rank - 2, r.rank - 1))


def _reversed(r: Rebuild) -> SSAValue:
    return r.permuted(list(range(r.rank))[::-1])


def _movedim(r: Rebuild) -> SSAValue:
    sources = [d % r.rank for d in r.call.integers("source")]
    targets = [d % r.rank for d in r.call.integers("destination")]
    others = iter(d for d in range(r.rank) if d not in sources)
    placed = dict(zip(targets, sources, strict=True))
    return r.permuted([placed[i] if i in placed else next(others) for i in range(r.rank)])


def _retyped(r: Rebuild) -> SSAValue:
    arguments: dict[str, Part] = {"self": r.part, "dtype": dtype_attr(r.tensor.type)}
    return r.make("view.dtype", arguments, r.tensor.type)


def _from_real(r: Rebuild) -> SSAValue:
    return r.make("view_as_complex", {"self": r.part}, r.tensor.type)


def _from_complex(r: Rebuild) -> SSAValue:
    return r.make("view_as_real", {"self": r.part}, r.tensor.type)


INVERSES: dict[str, Inverse] = {
    **dict.fromkeys(("select",), _select),
    **dict.fromkeys(("slice",), _slice),
    **dict.fromkeys(("narrow",), _narrow),
    **dict.fromkeys(("diagonal",), _diagonal),
    **dict.fromkeys(("unbind",), _unbind),
    **dict.fromkeys(
        (
            *("split", "split_with_sizes", "chunk", "tensor_split", "hsplit", "vsplit", "dsplit"),
            *("unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk"),
        ),
        _part,
    ),
    **dict.fromkeys(
        (
            *("view", "view_as", "reshape", "reshape_as", "flatten", "unflatten", "ravel"),
            *("squeeze", "unsqueeze", "_unsafe_view"),
        ),
        _reshaped,
    ),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), _transpose),
    **dict.fromkeys(("mT", "mH", "adjoint"), _matrix),
    **dict.fromkeys(("t", "numpy_T", "matrix_H"), _reversed),
    **dict.fromkeys(("movedim", "moveaxis"), _movedim),
    "permute": _permute,
    "view.dtype": _retyped,
    "view_as_real": _from_real,
    "view_as_complex": _from_complex,
    **dict.fromkeys(
        (
            *("expand", "expand_as", "broadcast_to", "sum_to_size"),
            *("alias", "detach", "lift_fresh", "contiguous", "to", "type_as", "cpu"),
            *("resolve_conj", "resolve_neg", "real", "conj"),
            *("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"),
            "_to_cpu",
        ),
        _same,
    ),
}
"""The inverse of each view, by the name of the op, or its kind where its overloads differ."""


def inverse_of(call: AtenCall) -> Inverse | None:
    """The inverse of a view; None where it has none."""
    # An update of a tensor's sizes (`unsqueeze_`) is a view like that of the functional op.
    return INVERSES.get(call.spec.kind) or INVERSES.get(call.name.removesuffix("_"))


REPEATING = ("expand", "expand_as", "broadcast_to", "sum_to_size")
IDENTICAL = frozenset(name for name, inverse in INVERSES.items() if inverse is _same)
PARTING = tuple(name for name, inverse in INVERSES.items() if inverse is _part)


def refusal_of_view(call: AtenCall) -> tuple[str, str] | None:
    """Why a tensor cannot be rebuilt from a view of it, as a code and a sentence; None if it can."""
    name = call.name.removesuffix("_")
    if inverse_of(call) is None:
        return "view", f"no op puts what a view by {name} has become back into its tensor"
    whole, viewed = shape_of(call.op.operands[0].type), shape_of(call.op.results[0].type)
    if whole is None or viewed is None:
        return "view", f"the rank of the tensor that {name} sees is unknown"
    if name in REPEATING and (whole != viewed or min(whole, default=0) < 0):
        return "overlap", f"elements of the view by {name} share memory"
    if name in PARTING:
        dim = split_axis(call)
        if any((shape_of(result.type) or (-1,) * (dim + 1))[dim] < 0 for result in call.op.results):
            return "view", f"the sizes of the parts that {name} makes are unknown"
    start = call.get("start")
    if name == "narrow" and not (isinstance(start, int) and start >= 0):
        return "view", "narrow starts at an index that is computed, or counted from the end"
    if call.spec.kind == "view.dtype" and whole != viewed:
        return "view", "the view joins or parts numbers"
    if name in ("real", "conj", "resolve_conj", "mH", "adjoint", "matrix_H") and call.is_complex:
        return "view", f"{name} of complex numbers has no inverse"
    return None
