"""normalize-onnx: one form for every ONNX op, and nothing left to compute that is already known.

Runs on the copy of a model that is asked what devices can run: a conversion then meets one form of each
op, and sizes that a model computes from its shapes are constants. For INT8 it also brings every op to the
form that fuses best (`int8_forms.py`), and leaves quantized weights quantized.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import (
    GraphOp,
    InitializerOp,
    OnnxOp,
    ReturnOp,
    attribute,
    operand,
)
from autosplit.dialects.onnx.tensors import tensor_type
from autosplit.dialects.platform import PlatformOp, element_type, set_type, shape_of, static_shape
from autosplit.lowering.normalize_onnx.canonical import Canonical
from autosplit.lowering.normalize_onnx.pads import explicit_pads
from autosplit.lowering.normalize_onnx.rows import last_axis
from autosplit.lowering.rewriting import located
from autosplit.lowering.shared.blocks import data_order, outer_blocks, protected_names
from autosplit.lowering.shared.fold import (
    AnyArray,
    Constants,
    can_fold,
    evaluate,
    folded_constant,
    writable_store,
)
from autosplit.lowering.shared.names import fresh_name, named_values
from autosplit.lowering.shared.order import expect_before
from autosplit.lowering.shared.types import join, refine_types
from autosplit.lowering.sizes.branches import branch_taken
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
    store = store_for(module)
    normalizer = _Normalizer(module, version, Constants(store), simplify, int8, known)
    normalizer.run()


class _Normalizer:
    def __init__(
        self,
        module: ModuleOp,
        version: int,
        constants: Constants,
        simplify: bool,
        int8: bool,
        known: dict[str, Attribute] | None,
    ):
        self.module = module
        self.version = version
        self.constants = constants
        self.simplify = simplify
        self.int8 = int8
        self.known = known
        self.store = writable_store(module)
        self.blocks = outer_blocks(module)
        self.protected = {block: protected_names(block) for block in self.blocks}
        self.sizes = SizeWalk(constants)
        self.names = {name for name, _ in named_values(self.blocks)}
        """All names of values: what is known of a value travels by its name, so no two may share one."""
        self.canonical = Canonical(CANONICAL_OPSET, constants, self.store, self.names)

    def run(self) -> None:
        for op in self._ops():
            if op.op_type == "Constant" and op.domain == "":
                self._become_initializer(op)
        if self.version < CANONICAL_OPSET:
            # Some conversions ask for ranks and dtypes.
            refine_types(self.module, self.constants.store, not self.simplify)
            canonical = Canonical(self.version, self.constants, self.store, self.names)
            for op in self._ops():
                canonical.convert(op)
            _set_opset(self.module)
        self._fold()
        if self.int8:
            self._prepare()
        if self.simplify:
            self._clean()

    def _fold(self) -> None:
        for _ in range(MAX_ROUNDS):
            refined = refine_types(self.module, self.constants.store, not self.simplify)
            self.sizes = SizeWalk(self.constants)
            folded = [self._fold_block(block) for block in self.blocks]
            if not any(folded) and not refined:
                break

    def _clean(self) -> None:
        for block in self.blocks:
            kept = self.protected[block]
            self._remove_names(block, kept)
            _remove_dead(block, kept)

    def _prepare(self) -> None:
        """The forms that fuse best. Dead ops go first and between: they would count as readers."""
        from autosplit.lowering.normalize_onnx.int8_forms import prepare

        kept = frozenset[str]().union(*self.protected.values())
        for _ in range(MAX_ROUNDS):
            self._clean()
            if not prepare(self.canonical, self._ops(), kept):
                break
            self._fold()

    def _ops(self) -> list[OnnxOp]:
        """All nodes, those of bodies too, in the order of the module."""
        return [
            op
            for block in self.blocks
            for outer in data_order(block)
            for op in outer.walk()
            if isinstance(op, OnnxOp) and not isinstance(op, InitializerOp)
        ]

    # Folding

    def _fold_block(self, block: Block) -> bool:
        changed = False
        for op in data_order(block):
            if not isinstance(op, PlatformOp) or isinstance(op, InitializerOp):
                continue
            if not isinstance(op, OnnxOp):
                changed |= self.sizes.learn(op)
                continue
            changed |= self.sizes.enter(op)
            for _, graph in op.graphs:
                changed |= self._fold_block(graph.body.block)
            if op.domain == "":
                changed |= self.sizes.learn(op)
            if op.regions:
                changed |= op.op_type == "If" and self._fold_if(op)
            elif op.domain == "":
                changed |= (
                    self._fold_node(op)
                    or (self.simplify and last_axis(self.canonical, op))
                    or self._fix_sizes(op)
                    or explicit_pads(op)
                )
        return changed

    def _fold_node(self, op: OnnxOp) -> bool:
        if (known := self._known(op)) is None:
            return False
        self._become_constants(op, known)
        return True

    def _become_initializer(self, op: OnnxOp) -> None:
        """Makes an initializer of a Constant node; one that holds a tensor keeps the very attribute."""
        value = op.fields.get("value")
        if value is None or (type := tensor_type(value)) is None:
            self._fold_node(op)
            return
        new = InitializerOp(op.value_name(0), value, type, op.location)
        self._note(op.value_name(0), value)
        Rewriter.insert_op(new, InsertPoint.before(op))
        op.results[0].replace_all_uses_with(new.results[0])
        Rewriter.erase_op(op)

    def _become_constants(self, op: OnnxOp, arrays: Sequence[AnyArray]) -> None:
        for index, (result, array) in enumerate(zip(op.results, arrays, strict=False)):
            if not (name := op.value_name(index)) and result.first_use is None:
                continue
            new = folded_constant(name, array, self.store, op.location)
            new.results[0].name_hint = result.name_hint
            self._note(name, new.value)
            Rewriter.insert_op(new, InsertPoint.before(op))
            result.replace_all_uses_with(new.results[0])
        self.constants.forget(op.results)
        Rewriter.erase_op(op)

    def _note(self, name: str, value: Attribute) -> None:
        if self.known is not None and name:
            self.known[name] = value

    def _known(self, op: OnnxOp) -> list[AnyArray] | None:
        """The results of an op, where they follow from constants and from shapes."""
        kind = op.op_type
        if kind == "Constant":
            array = self.constants.array(op.results[0])
            return None if array is None or array.dtype.kind in "OUS" else [array]
        if not can_fold(op) or not op.operands or (self.int8 and _is_weight(op)):
            return None
        if kind == "Size" and (shape := static_shape(op.operands[0].type)) is not None:
            return [np.array(np.prod(shape, dtype=np.int64), np.int64)]
        if all(self.constants.is_constant(v) for v in op.operands):
            return self._evaluate(op)
        return self._followed(op)

    def _followed(self, op: OnnxOp) -> list[AnyArray] | None:
        """The results of an op of which all elements follow from sizes that are known."""
        found: list[AnyArray] = []
        for result in op.results:
            partial = self.sizes.computed(result)
            element = element_type(result.type)
            if partial is None or not all(isinstance(n, int) for n in partial.reshape(-1)):
                return None
            dtype = None if element is None else dtype_of(element)
            try:
                found.append(partial.astype(np.int64 if dtype is None else dtype))
            except OverflowError:
                # Sizes are followed as Python's integers, which do not wrap as the model's do.
                return None
        return found

    def _evaluate(self, op: OnnxOp) -> list[AnyArray] | None:
        sizes = [static_shape(r.type) for r in op.results]
        inputs = sum(prod(static_shape(v.type) or (0,)) for v in op.operands)
        if any(s is not None and prod(s) > max(inputs, 1 << 20) for s in sizes):
            return None
        operands = [None if v is None else self.constants.array(v) for v in op.inputs]
        if any(a is None for a, v in zip(operands, op.inputs, strict=True) if v is not None):
            return None
        return evaluate(op, operands, self.constants.store)

    def _fix_sizes(self, op: OnnxOp) -> bool:
        """Where the result's shape is known, an operand that only says it is a constant of it.

        Of a Reshape one size may be unknown, which follows from the others, and those that it keeps.
        """
        index = {"Reshape": 1, "Expand": 1, "Resize": 3}.get(op.op_type)
        if index is None or (value := operand(op, index)) is None:
            return False
        shape = shape_of(op.results[0].type)
        if shape is None or 0 in shape:
            return False
        unknown = [i for i, d in enumerate(shape) if d < 0]
        if self.constants.is_constant(value) and not (unknown and self._only_keeps(op, value)):
            return False
        if unknown and op.op_type != "Reshape":
            return False
        kept = self._kept_sizes(op, value, unknown)
        if len(unknown) - len(kept) > 1:
            return False
        # Compilers take one -1 best; more than one 0 was measured to go wrong without.
        kept = kept[:-1] if len(kept) == len(unknown) else kept
        shape = tuple(0 if i in kept else -1 if d < 0 else d for i, d in enumerate(shape))
        if op.op_type == "Resize" and (len(shape) == 0 or attribute(op, "axes") is not None):
            return False
        name = fresh_name(self.names, op, "sizes")
        new = folded_constant(name, np.array(shape, np.int64), self.store, op.location)
        Rewriter.insert_op(new, InsertPoint.before(op))
        position = list(op.operands).index(value, 1)
        op.operands[position] = new.results[0]
        return True

    def _only_keeps(self, op: OnnxOp, value: SSAValue) -> bool:
        """Whether all sizes that a Reshape leaves open are those of its operand, said by a 0."""
        given = self.sizes.known(value)
        keeps = op.op_type == "Reshape" and not attribute(op, "allowzero", 0)
        return keeps and given is not None and 0 in given and -1 not in given

    def _kept_sizes(self, op: OnnxOp, value: SSAValue, axes: Sequence[int]) -> list[int]:
        """The axes among these along which a Reshape to the sizes `value` has those of its operand."""
        before, after = self.sizes.shape(op.operands[0]), self.sizes.elements(value)
        if before is None or after is None or attribute(op, "allowzero", 0):
            return []
        wanted = after.reshape(-1)
        return [
            i for i in axes if i < min(len(before), len(wanted)) and wanted[i] in (0, before[i])
        ]

    def _fold_if(self, op: OnnxOp) -> bool:
        """An If whose condition is known is its branch."""
        graph = dict(op.graphs).get(branch_taken(op, self.constants))
        if graph is None:
            return False
        values = [v for _, v in graph.graph_outputs()]
        if not self.simplify:
            joined = [join(r.type, v.type) for r, v in zip(op.results, values, strict=True)]
            changed = joined != [r.type for r in op.results]
            for result, type in zip(op.results, joined, strict=True):
                set_type(result, type)
            return changed
        for inner in list(graph.body.block.ops):
            if isinstance(inner, ReturnOp):
                continue
            inner.detach()
            Rewriter.insert_op(inner, InsertPoint.before(op))
            located(inner, op, inner)
        for result, value in zip(op.results, values, strict=True):
            result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
        return True

    # Simplifying

    def _remove_names(self, block: Block, kept: frozenset[str]) -> None:
        """Identity and a Dropout that does not train are their operand."""
        for op in list(block.ops):
            for region in op.regions:
                for inner in region.blocks:
                    self._remove_names(inner, frozenset())
            if not isinstance(op, OnnxOp) or op.domain != "" or not self._is_identity(op):
                continue
            if op.value_name(0) not in kept:
                source = op.operands[0]
                set_type(source, join(source.type, op.results[0].type))
                op.results[0].replace_all_uses_with(source)
                Rewriter.erase_op(op)

    def _is_identity(self, op: OnnxOp) -> bool:
        if op.op_type == "Identity":
            return True
        if op.op_type != "Dropout" or any(r.first_use is not None for r in op.results[1:]):
            return False
        training = operand(op, 2)
        if training is None:
            return True
        array = self.constants.array(training)
        return array is not None and not array.any()


def _is_weight(op: OnnxOp) -> bool:
    """Whether an op dequantizes more than a single number, so that its operand may be quantized weights."""
    if op.op_type != "DequantizeLinear":
        return False
    shape = static_shape(op.operands[0].type)
    return shape not in ((), (1,))


def _set_opset(module: ModuleOp) -> None:
    old = module.attributes.get("onnx.opsets")
    versions = dict(old.data) if isinstance(old, DictionaryAttr) else {}
    versions["ai.onnx"] = IntegerAttr(CANONICAL_OPSET, i64)
    module.attributes["onnx.opsets"] = DictionaryAttr(versions)


def _remove_dead(block: Block, kept: frozenset[str]) -> None:
    """Removes ONNX ops, pure as all are, whose results nobody reads."""
    for op in reversed(data_order(block)):
        if not isinstance(op, OnnxOp) or not op.results:
            continue
        if any(r.first_use is not None for r in op.results) or not kept.isdisjoint(op.output_names):
            for region in op.regions:
                for inner in region.blocks:
                    _remove_dead_body(inner)
            continue
        Rewriter.erase_op(op)


def _remove_dead_body(block: Block) -> None:
    for op in block.ops:
        if isinstance(op, GraphOp):
            _remove_dead(op.body.block, frozenset())


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
