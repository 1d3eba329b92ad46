"""quant-select: which ops compute with integers of 8 bits, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, f32, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from autosplit.core.errors import AutosplitError, choice
from autosplit.core.weights import store_for
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp, attribute
from autosplit.dialects.platform import element_type, platform_graph, shape_of
from autosplit.lowering.quant.chains.curves import CURVES
from autosplit.lowering.quant.chains.stages import made_by, only_reader
from autosplit.lowering.quant.quantize.fused_chains import PER_CHANNEL, FusedChains
from autosplit.lowering.quant.quantize.roles import JOINS, MOVES, POOLS, PRODUCTS, kind_of
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before, expect_onnx
from autosplit.runtime.dnnl.saturation import isa_name, saturates

SELECTED = "quant.operands"
"""The attribute of an op that says which of its operands are 8 bits."""

KEPT = "quant.kept"
"""The attribute of an op that says why it computes with real numbers."""


BITS = "quant.weight_bits"
"""The attribute of a product that says how many bits its weights get."""


def selected_operands(op: Operation) -> tuple[int, ...]:
    """The numbers of the operands that an op reads as 8 bits."""
    indices = op.attributes.get(SELECTED)
    return (
        tuple(int(i) for i in indices.iter_values()) if isinstance(indices, DenseArrayBase) else ()
    )


def bits_of_weights(op: Operation) -> int:
    """How many bits the weights of a product get; 0 where nothing says so."""
    bits = op.attributes.get(BITS)
    return bits.value.data if isinstance(bits, IntegerAttr) else 0


class Selection:
    """What becomes 8 bits in a graph.

    A product reads its operands so. What lies between two of them does too if it moves, pools or joins
    numbers; the ops that a kernel computes with its product do not, and their operands stay real. So casts
    stand where one kernel ends and the next begins.
    """

    def __init__(
        self,
        block: Block,
        constants: Constants,
        kinds: Iterable[str],
        skip: Iterable[str],
        *,
        saturates: bool = False,
    ):
        self.block = block
        self.constants = constants
        self.chains = FusedChains(constants)
        self.kinds, self.skip = frozenset(kinds), frozenset(skip)
        self.saturates = saturates
        """Whether the processor adds two products in 16 bits."""
        self.ops = [op for op in block.ops if isinstance(op, OnnxOp)]
        self.wanted: dict[SSAValue, None] = {}
        self.marks: dict[Operation, tuple[int, ...]] = {}
        self.products: dict[Operation, None] = {}
        self.heads: dict[Operation, None] = {}
        """Products, what joins tensors and the like: what follows number by number is computed with them."""
        self.inside: dict[Operation, None] = {}
        """The ops computed with them."""

    def run(self) -> None:
        """Marks the ops."""
        for op in self.ops:
            if kind_of(op) in PRODUCTS and self._takes(op):
                self.products[op] = None
            elif op in self.inside or not (self._joins(op) or self._follows_bytes(op)):
                continue
            self.heads[op] = None
            self.inside |= dict.fromkeys(self.chains.of(op.results[0]).ops)
        for op in reversed(self.ops):
            if numbers := self._operands(op):
                self.marks[op] = numbers
                self.wanted |= {
                    op.operands[i]: None
                    for i in numbers
                    if not self.constants.is_constant(op.operands[i])
                }
        self._share_bytes()
        for op, numbers in self.marks.items():
            op.attributes[SELECTED] = DenseArrayBase.from_list(i64, sorted(set(numbers)))

    def _takes(self, op: OnnxOp) -> bool:
        """Whether a product becomes one of integers; says why not."""
        code, text = self._refusal(op)
        if code:
            op.attributes[KEPT] = ReasonAttr.of(code, text)
        return not code

    def _refusal(self, op: OnnxOp) -> tuple[str, str]:
        for number in (0, 1):
            element = element_type(op.operands[number].type)
            if element != f32:
                return "dtype", f"operand {number} is {element}, expected f32"
        if self.constants.is_constant(op.operands[0]):
            return "operand", "its first operand is a constant"
        if kind_of(op) != "MatMul" and not self.constants.is_constant(op.operands[1]):
            return "operand", "its weights are computed"
        if self.saturates and not self.constants.is_constant(op.operands[1]):
            return (
                "saturation",
                "both operands are computed: sums of two products may exceed 16 bits",
            )
        if op.identity in self.skip or (self.kinds and op.op_type not in self.kinds):
            return "recipe", "the recipe keeps it in float32"
        return "", ""

    def _operands(self, op: OnnxOp) -> tuple[int, ...]:
        """The operands that an op reads as 8 bits, for what reads its results."""
        kind = kind_of(op)
        if op in self.products:
            return (0, 1)
        if kind in PRODUCTS or op in self.inside or not self._is_wanted(op):
            return ()
        if op.identity in self.skip:
            op.attributes[KEPT] = ReasonAttr.of("recipe", "the recipe keeps it in float32")
            return ()
        computed = self._computed(op)
        if self._normalizes_joined(op):
            # The scale of each channel goes into what the norm becomes; and with casts in between, OpenVINO
            # 2026.4 ends with a segmentation fault.
            return ()
        if op in self.heads:
            summed = self._summed(op) if kind == "Add" else None
            return tuple(i for i in computed if i != summed)
        if kind != "Concat" and (kind not in MOVES | POOLS or computed != [0]):
            return ()
        return () if _is_output(op) else tuple(computed)

    def _computed(self, op: OnnxOp) -> list[int]:
        return [i for i, v in enumerate(op.operands) if not self.constants.is_constant(v)]

    def _joins(self, op: OnnxOp) -> bool:
        return kind_of(op) in JOINS and len(self._computed(op)) > 1

    def _follows_bytes(self, op: OnnxOp) -> bool:
        """Whether an op computes number by number what comes out of something that has bytes, or can have."""
        computed = self._computed(op)
        if kind_of(op) not in CURVES.keys() | PER_CHANNEL or len(computed) != 1:
            return False
        owner = op.operands[computed[0]].owner
        return owner in self.heads or owner in self.inside or kind_of(owner) in MOVES | POOLS

    def _is_wanted(self, op: OnnxOp) -> bool:
        """Whether something reads the results as 8 bits, or what is computed with the op."""
        used_results = [r for r in op.results if r.first_use is not None]
        ends = [self.chains.of(r).end if op in self.heads else r for r in used_results]
        if not all(element_type(r.type) == f32 for r in used_results):
            return False
        reader = only_reader(op.results[0])
        if isinstance(reader, OnnxOp) and self._normalizes_joined(reader):
            return self._is_wanted(reader)
        return any(e in self.wanted for e in ends)

    def _normalizes_joined(self, op: OnnxOp) -> bool:
        """Whether an op is a norm by the channel of what a Concat joins for it alone."""
        if op not in self.heads or kind_of(op) not in PER_CHANNEL:
            return False
        joined, rank = made_by(op.operands[0], "Concat"), len(shape_of(op.operands[0].type) or ())
        if joined is None or not op.operands[0].has_one_use() or not rank:
            return False
        return int(attribute(joined, "axis", 0)) % rank == 1

    def _summed(self, op: OnnxOp) -> int | None:
        """The operand that a product makes which adds the other one to it: the later of two such."""
        shape = shape_of(op.results[0].type)
        addends: dict[Operation, int] = {}
        for product in self.products:
            end = self.chains.of(product.results[0]).end
            for number, value in enumerate(op.operands):
                if value is end and value.has_one_use() and shape_of(value.type) == shape:
                    addends[product] = number
        return addends[[p for p in self.products if p in addends][-1]] if addends else None

    def _share_bytes(self) -> None:
        """Who reads real numbers reads the bytes too if a kernel makes these: it would else make both.

        What is to stay real does not: its weights and its sums would be those of integers.
        """
        ends = {self.chains.of(op.results[0]).end for op in self.heads}
        ends |= {r for op in self.marks if op not in self.heads for r in op.results}
        for value in self.wanted:
            for use in value.uses if value in ends else ():
                op, number = use.operation, use.index
                if KEPT in op.attributes:
                    continue
                if isinstance(op, OnnxOp) and not op.has_trait(IsTerminator):
                    self.marks[op] = (*self.marks.get(op, ()), number)


def _is_output(op: Operation) -> bool:
    """Whether the graph gives a result of the op to its caller, who expects it without a rounding."""
    uses = (use for result in op.results for use in result.uses)
    return any(use.operation.has_trait(IsTerminator) for use in uses)


@dataclass(frozen=True)
class QuantSelectPass(ModulePass):
    """Every op that is to compute with 8 bits says which of its operands are, as `quant.operands`.

    Products do, and what moves, pools and joins numbers between them; what a kernel computes behind its
    product does not. In an attention, that is both products, but not the softmax between them: the library
    has one kernel for that. A product that stays real says why, as `quant.kept`.
    """

    name = "quant-select"

    kinds: tuple[str, ...] = ()
    """The types of the products that are quantized; all of them by default."""
    skip: tuple[str, ...] = ()
    """The names of ops that stay in float32."""
    isa: str = ""
    """The instruction set of the processor that will compute, by oneDNN's name: without VNNI, products of two
    computed operands stay real, too."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_onnx(op)
        expect_before(op, self.name)
        block = platform_graph(op).regions[0].block
        for inner in block.ops:
            if kind_of(inner) in ("QuantizeLinear", "DequantizeLinear"):
                raise AutosplitError("the model is quantized already: compile takes it as it is")
        for kind in self.kinds:
            if kind not in PRODUCTS:
                kinds = sorted(PRODUCTS)
                raise AutosplitError(
                    f"kinds: there is no product {kind!r}{choice(kind, kinds)}; they are {', '.join(kinds)}"
                )
        names = [o.identity for o in block.ops if isinstance(o, OnnxOp)]
        for name in self.skip:
            if name not in names:
                raise AutosplitError(f"skip: the model has no op {name!r}{choice(name, names)}")
        narrow = bool(self.isa) and saturates(isa_name(self.isa))
        constants = Constants(store_for(op))
        Selection(block, constants, self.kinds, self.skip, saturates=narrow).run()
