"""normalize-onnx: one form for every ONNX op, and everything known in advance is folded.

Runs on the copy of a model that decides what devices can run: conversions then see one form of each op, and
sizes that a model computes from its shapes are constants. For INT8 it also brings every op to the
form that fuses best (`int8_forms.py`), and leaves quantized weights quantized.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from autosplit.core.errors import AutosplitError
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.platform import PlatformOp
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.normalize_onnx.canonical import CanonicalForm
from autosplit.lowering.normalize_onnx.constants import ConstantNode, FoldConstants, FoldIf
from autosplit.lowering.normalize_onnx.fixed_sizes import FixSizes
from autosplit.lowering.normalize_onnx.identities import DropIdentity
from autosplit.lowering.normalize_onnx.int8_forms import INT8_FORMS
from autosplit.lowering.normalize_onnx.pads import ExplicitPads
from autosplit.lowering.normalize_onnx.reductions import SoftmaxOfRows
from autosplit.lowering.rewriting import Pattern, apply_to
from autosplit.lowering.shared.blocks import data_order, outer_blocks, protected_names
from autosplit.lowering.shared.dead import remove_dead
from autosplit.lowering.shared.order import expect_before
from autosplit.lowering.shared.types import Orders, refine_types
from autosplit.lowering.sizes.size_walk import SizeWalk

CANONICAL_OPSET = 21
"""The opset of the canonical form; what later ones changed does not concern the forms used here."""

OLDEST_OPSET = 7
MAX_ROUNDS = 40
"""Rounds of inference and folding; each unlocks the next. Real models need two or three, loops more."""


def normalize(
    module: ModuleOp,
    *,
    simplify: bool = True,
    int8: bool = False,
    known: dict[str, Attribute] | None = None,
) -> None:
    """Brings all ONNX ops of a module to canonical form, in place; other ops stay as they are.

    Every value has its inferred type afterwards. Without `simplify` no op is removed that is not folded,
    so that every name that a value of the model had is still there. With `int8` no DequantizeLinear of more
    than one number is folded, and ops get the form that fuses best. `known` gets the value of each result
    that is folded, by its name, also of those of which nothing is left.
    Raises AutosplitError for an opset before 7 and, without `simplify`, where the types that the model
    declares contradict what follows from its inputs.
    """
    from autosplit.lowering.shared.protos import opset_of

    version = opset_of(module)
    if version < OLDEST_OPSET:
        raise AutosplitError(
            f"the model is of ONNX opset {version}, expected {OLDEST_OPSET} or later: convert it with "
            "onnx.version_converter"
        )
    _Normalizer(module, simplify, int8, known).run(version)


class _Normalizer:
    """The rounds of patterns over one module."""

    def __init__(
        self,
        module: ModuleOp,
        simplify: bool,
        int8: bool,
        known: dict[str, Attribute] | None,
    ):
        self.module = module
        self.simplify = simplify
        self.int8 = int8
        self.known = known
        self.values = ModuleValues(module)
        self.blocks = outer_blocks(module)
        self.protected = {block: protected_names(block) for block in self.blocks}

    def run(self, version: int) -> None:
        apply_to(self._ops(), [ConstantNode(self.values, self.known)])
        if version < CANONICAL_OPSET:
            # Some conversions need ranks and dtypes.
            self._refine(self._orders())
            apply_to(self._ops(), [CanonicalForm(self.values, version)])
            _set_opset(self.module)
        self._fold()
        if self.int8:
            self._prepare()
        if self.simplify:
            self._clean()

    def _orders(self) -> Orders:
        return {block: data_order(block) for block in self.blocks}

    def _refine(self, orders: Orders) -> bool:
        store = self.values.constants.store
        return refine_types(self.module, store, orders, not self.simplify)

    def _fold(self) -> None:
        for _ in range(MAX_ROUNDS):
            orders = self._orders()
            refined = self._refine(orders)
            sizes = SizeWalk(self.values.constants)
            learned: list[bool] = []
            ops = _followed(orders.values(), sizes, learned)
            if not (apply_to(ops, self._folding(sizes)) or any(learned) or refined):
                break

    def _folding(self, sizes: SizeWalk) -> list[Pattern[Any]]:
        return [
            FoldIf(self.values, self.simplify),
            FoldConstants(self.values, self.known, sizes, self.int8),
            *([SoftmaxOfRows(self.values)] if self.simplify else []),
            FixSizes(self.values, sizes),
            ExplicitPads(),
        ]

    def _prepare(self) -> None:
        """Brings ops to the forms that fuse best. Dead ops go first: they would count as users."""
        kept = frozenset[str]().union(*self.protected.values())
        forms = [form(self.values) for form in INT8_FORMS]
        for _ in range(MAX_ROUNDS):
            self._clean()
            # Activations are matched at their last op, before the ops inside them change form.
            free = [op for op in reversed(self._ops()) if kept.isdisjoint(op.output_names)]
            if not apply_to(free, forms):
                break
            self._fold()

    def _clean(self) -> None:
        for block, kept in self.protected.items():
            apply_to(list(block.walk()), [DropIdentity(self.values, kept)])
            remove_dead(block, kept)

    def _ops(self) -> list[OnnxOp]:
        """All nodes, those of bodies too, in the order of the module."""
        return [
            op
            for block in self.blocks
            for outer in data_order(block)
            for op in outer.walk()
            if isinstance(op, OnnxOp) and not isinstance(op, InitializerOp)
        ]


def _followed(
    orders: Iterable[Sequence[Operation]], sizes: SizeWalk, learned: list[bool]
) -> Iterator[OnnxOp]:
    """The nodes of ONNX's own, bodies first; `sizes` has learned of each when it comes.

    `learned` gets whether that made a type better.
    """
    for op in chain.from_iterable(orders):
        if not isinstance(op, PlatformOp) or isinstance(op, InitializerOp):
            continue
        if isinstance(op, OnnxOp):
            learned.append(sizes.enter(op))
            bodies = (data_order(graph.body.block) for _, graph in op.graphs)
            yield from _followed(bodies, sizes, learned)
            if op.domain != "":
                continue
        learned.append(sizes.learn(op))
        if isinstance(op, OnnxOp):
            yield op


def _set_opset(module: ModuleOp) -> None:
    old_opsets = module.attributes.get("onnx.opsets")
    versions = dict(old_opsets.data) if isinstance(old_opsets, DictionaryAttr) else {}
    versions["ai.onnx"] = IntegerAttr(CANONICAL_OPSET, i64)
    module.attributes["onnx.opsets"] = DictionaryAttr(versions)


@dataclass(frozen=True)
class NormalizeOnnxPass(ModulePass):
    """Every ONNX op is in the form of opset 21, constants are folded, identities are gone.

    Works on ONNX modules and on those that a conversion to `onnx` left mixed.
    Example: `normalize-onnx{int8=true}`
    """

    name = "normalize-onnx"

    int8: bool = False
    """Whether ops also get the form that fuses best, and quantized weights stay quantized."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name, {"dnnl.partition": "dnnl-fuse"})
        normalize(op, int8=self.int8)
