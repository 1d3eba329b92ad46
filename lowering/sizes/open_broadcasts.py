"""Which ops broadcast operands of open sizes that need not be the same, and so are not for a chip.

A sub-model whose sizes vary is compiled for the largest ones. There, two sizes that follow from different
inputs look alike; in a run where one of them is 1 and the other is not, the result has a wrong shape,
without an error (measured: tpu-mlir 1.30.2, Add of Nx4x8x8 and Mx4x8x8 with N = 1 and M = 2 gives 1x4x8x8).

Sizes that follow from the same sizes of inputs are assumed to be equal, as those on both sides of a residual
connection are: otherwise the model would run only where all of them are 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from autosplit.core.weights import store_for
from autosplit.devices import Chip
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, ReturnOp, operand
from autosplit.dialects.platform import (
    ANONYMOUS,
    DimsAttr,
    PlatformOp,
    platform_graph,
    shape_of,
    shape_text,
)
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.sizes.affine import AffineExpr, Atom, Number, least, most
from autosplit.lowering.sizes.known_sizes import Shape
from autosplit.lowering.sizes.onnx_rules import BROADCAST, IMAGES
from autosplit.lowering.sizes.size_walk import SizeWalk

SIZES_AT = {"Expand": 1}
"""Ops with an operand that holds the sizes to broadcast another to: its index."""


@dataclass(frozen=True)
class Sources:
    """The open sizes of inputs from which a size follows."""

    names: frozenset[str] = frozenset()
    exact: bool = True
    """Whether it follows from all of them; else from some, unknown which."""

    def __or__(self, other: Sources) -> Sources:
        return Sources(self.names | other.names, self.exact and other.exact)

    def may_be(self, other: Sources) -> bool:
        """Whether two sizes may follow from the same inputs."""
        if self.exact and other.exact:
            return self.names == other.names
        return not self.names or not other.names or not self.names.isdisjoint(other.names)


class _Walk:
    """One pass over a graph, producers before readers."""

    def __init__(self, module: ModuleOp):
        self.graph = platform_graph(module)
        self.sizes = SizeWalk(Constants(store_for(module)))
        self._axes: dict[tuple[SSAValue, int], Sources] = {}
        self._all: dict[SSAValue, Sources] = {}
        for name, value in self.graph.graph_inputs():
            labels = _labels(name, value)
            self._axes |= {(value, i): Sources(frozenset({label})) for i, label in labels.items()}
            self._all[value] = Sources(frozenset(labels.values()), exact=False)

    def broadcasts(self) -> Iterator[tuple[PlatformOp, str]]:
        """The ops whose operands may be of different sizes, and along which axis they are."""
        for op in data_order(self.graph.regions[0].block):
            if not isinstance(op, PlatformOp) or isinstance(op, InitializerOp | GraphOp | ReturnOp):
                continue
            if isinstance(op, OnnxOp):
                self.sizes.enter(op)
            self.sizes.learn(op)
            self._follow(op)
            if isinstance(op, OnnxOp) and (text := self._differing(op)) is not None:
                yield op, text

    def _follow(self, op: PlatformOp) -> None:
        """Notes what the sizes of an op's results follow from."""
        read = {v for inner in op.walk() for v in inner.operands}
        whole = _union(self._all[v] for v in read if v in self._all)
        whole = Sources(whole.names, exact=False)
        for result in op.results:
            if result in self._all:
                continue
            for axis, size in enumerate(self.sizes.shape(result) or ()):
                if isinstance(size, AffineExpr):
                    self._axes[result, axis] = self._sources_of(op, result, axis, size, whole)
            self._all[result] = whole

    def _sources_of(
        self, op: PlatformOp, result: SSAValue, axis: int, size: AffineExpr, whole: Sources
    ) -> Sources:
        leaves = list(_leaves(size))
        if not any(atom.of[:1] == (result,) or atom.name == "open" for atom in leaves):
            return self._of(leaves)
        resized = op.op_type == "Resize" and isinstance(op, OnnxOp) and operand(op, 3) is None
        if op.op_type in IMAGES or resized:
            return self._axes.get((op.operands[0], axis), whole)
        return whole

    def _of(self, leaves: Iterable[Atom]) -> Sources:
        operands: list[Sources] = []
        for atom in leaves:
            if atom.name == "open":
                continue
            value, place = cast("tuple[SSAValue, int]", atom.of)
            sources = self._axes.get((value, place)) if atom.name == "size" else None
            operands.append(sources or self._all.get(value, Sources(exact=False)))
        return _union(operands)

    def _differing(self, op: OnnxOp) -> str | None:
        shapes = self._shapes(op)
        ranked = [(i, shape) for i, shape in enumerate(shapes) if shape is not None]
        for (i, a), (j, b) in combinations(ranked, 2):
            for back in range(1, min(len(a), len(b)) + 1):
                x, y = a[-back], b[-back]
                if self._same(x, y):
                    continue
                dims = " and ".join(shape_text(shape_of(op.operands[k].type) or ()) for k in (i, j))
                axis = -back - (2 if op.op_type == "MatMul" else 0)
                return (
                    f"has operands {i} and {j} of {dims}, whose sizes along axis {axis} "
                    f"({self._named(x)} and {self._named(y)}) need not be the same"
                )
        return None

    def _shapes(self, op: OnnxOp) -> list[Shape | None]:
        """The shapes that an op broadcasts to each other."""
        if op.domain != "":
            return []
        if op.op_type in BROADCAST or op.op_type == "PRelu":
            return [self.sizes.shape(v) for v in op.operands]
        if op.op_type == "MatMul":
            return [None if (s := self.sizes.shape(v)) is None else s[:-2] for v in op.operands]
        if (index := SIZES_AT.get(op.op_type)) is not None:
            sizes = self.sizes.elements(op.operands[index])
            return [self.sizes.shape(op.operands[0]), None if sizes is None else tuple(sizes)]
        return []

    def _same(self, a: Number, b: Number) -> bool:
        """Whether two sizes are assumed to be equal, or one of them is always 1."""
        if a == b or _is_one(a) or _is_one(b):
            return True
        if isinstance(a, int) and isinstance(b, int):
            return True
        if min(least(a) or 0, least(b) or 0) > 1:
            return True
        if isinstance(a, int) or isinstance(b, int):
            return False
        return self._of(_leaves(a)).may_be(self._of(_leaves(b)))

    def _named(self, size: Number) -> str:
        if isinstance(size, int):
            return str(size)
        return ", ".join(sorted(self._of(_leaves(size)).names)) or "unknown"


def refused_broadcasts(module: ModuleOp, chip: Chip) -> dict[Operation, ReasonAttr]:
    """The ops of a whole model in canonical ONNX that no sub-model of open sizes may have, and why.

    A cut hides where sizes come from, so sub-models are not asked.
    """
    inputs = platform_graph(module).graph_inputs()
    if all(all(d >= 0 for d in shape_of(value.type) or (-1,)) for _, value in inputs):
        return {}
    return {
        op: ReasonAttr.of(
            "dynamic-shape",
            f"{op.op_type} {text}: {chip.vendor_name} gives a wrong shape where only one of them is 1",
        )
        for op, text in _Walk(module).broadcasts()
    }


def _labels(name: str, value: SSAValue) -> dict[int, str]:
    """The names of the open sizes of an input, by axis: sizes with the same name are equal."""
    encoding = getattr(value.type, "encoding", None)
    named = [n.data for n in encoding.names] if isinstance(encoding, DimsAttr) else []
    return {
        i: named[i] if named and named[i] not in ANONYMOUS else f"{name}[{i}]"
        for i, size in enumerate(shape_of(value.type) or ())
        if size < 0
    }


def _leaves(of: object) -> Iterator[Atom]:
    """The numbers that an unknown one is computed from, down to the sizes and elements of values."""
    if isinstance(of, AffineExpr):
        for atom, _ in of.terms:
            if atom.name in ("element", "open", "size"):
                yield atom
            else:
                yield from _leaves(atom.of)
    elif isinstance(of, tuple | frozenset):
        for part in cast("Iterable[object]", of):
            yield from _leaves(part)


def _union(parts: Iterable[Sources]) -> Sources:
    total = Sources()
    for sources in parts:
        total |= sources
    return total


def _is_one(size: Number) -> bool:
    bound = most(size)
    return bound is not None and bound <= 1
