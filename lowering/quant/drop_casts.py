"""quant-drop-casts: an activation reads the product before it as it was computed, not rounded to integers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from autosplit.core.versions import (
    DEFAULT_ROUNDING,
    DEFAULT_VERSION,
    Rounding,
    Version,
    parse_version,
)
from autosplit.core.weights import store_for
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.build import make_node
from autosplit.dialects.onnx.constants import make_constant
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    UniformType,
    uniform_of,
    update_params,
)
from autosplit.lowering.building import ModuleValues
from autosplit.lowering.quant.canonical import UnusedCast
from autosplit.lowering.quant.chains.affine import FoldAffine
from autosplit.lowering.quant.chains.curves import KNOWN, Numbers
from autosplit.lowering.quant.chains.products import UNARY, WITH_CONSTANT, product_behind
from autosplit.lowering.quant.chains.ranges import EVERYTHING, RANGES
from autosplit.lowering.quant.chains.stages import (
    CurveChain,
    CurveStage,
    Pair,
    Treat,
    chain_behind,
    nearly_saturated,
    number_of,
    only_reader,
    pair_behind,
    passing,
    rounded,
    saturated,
)
from autosplit.lowering.quant.convert_onnx_to_quant import is_unused
from autosplit.lowering.quant.names import Names
from autosplit.lowering.rewriting import Pattern, apply_patterns, located, set_operand, why
from autosplit.lowering.shared.dead import remove_dead_ops
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.protos import opset_of

Curves = Mapping[str, Callable[[Numbers], Numbers]]

QUANTA = "quant.quanta"
"""The attribute of a module: the total effect of all omitted roundings, in steps of its results."""


def add_quanta(module: ModuleOp, steps: float) -> None:
    """Adds the effect of newly omitted roundings, in steps."""
    quanta = module.attributes.get(QUANTA)
    previous = quanta.value.data if isinstance(quanta, FloatAttr) else 0.0
    if steps:
        module.attributes[QUANTA] = FloatAttr(previous + steps, f64)


MOST: tuple[tuple[Version, int], ...] = (((3, 6), 4), ((3, 1), 3))
"""How many elementwise ops the library computes behind a product, by version."""

SPELLED = (("Sigmoid", "Mul"),)
"""Stages of several ops that the library fuses as they are, directly behind a product: only its result may be
read twice. HardSigmoid and Mul have a slow kernel; with Softplus, Tanh and Mul the library hangs."""

KNOWN_SINCE = 20
"""The opset that has all of the activations that are created."""

ALIKE = 0.01
"""How far a spelled activation may be from the known one, relative to its input: constants are quantized,
too. x * sigmoid(x) and x * hard_sigmoid(x) differ by five times as much. If the casts inside round by more
than this, that is the tolerance, but at most twice this."""


@dataclass(frozen=True)
class _Form:
    """What a stage becomes: the single op `known`, or its own ops without the casts in between."""

    known: str
    cost: int

    @property
    def is_spelled(self) -> bool:
        """Whether it is only allowed directly behind a product, without a clip in between."""
        return self.cost > 1


@dataclass(frozen=True)
class _Fit:
    """The stages of a chain that lose their casts, what each becomes, and what remains of each pair."""

    stages: Sequence[CurveStage]
    forms: Sequence[_Form]
    clips: Sequence[str]
    """For each stage, the replacement of the pair in front: nothing, `Relu` or `Clip`."""
    quanta: float
    """How far results may be from those with the casts, in steps of what quantizes them."""


class DropCasts(Pattern[QuantizeCastOp]):
    """`f(dcast(qcast(product))) -> f(product)`, with a clip where the range of the integers matters.

    `f` is a chain of elementwise ops, of which those become one op that spell one out. Refused if it is
    more than the library computes behind a product, and if something else reads a value on the way.
    """

    def __init__(self, module: ModuleOp, most: int):
        self.constants = Constants(store_for(module))
        self.names = Names(module)
        self.order = {op: i for i, op in enumerate(module.walk())}
        self.most = most
        self.known: Curves = KNOWN if opset_of(module) >= KNOWN_SINCE else {}
        self.quanta = 0.0

    def rewrite(self, cast: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        behind = product_behind(cast.input, self.constants)
        if behind is None:
            why(cast, "what it quantizes is not an integer product that nothing else reads")
            return
        if (first_pair := pair_behind(cast.input)) is None:
            why(cast, "its integers are not bytes of one scale, or something else reads them")
            return
        if not _is_fused(behind.product):
            why(cast, "the library has no kernel for the product with these weights")
            return
        chain = chain_behind(first_pair, self.constants, self.order)
        if not chain.stages:
            why(cast, "what reads it is not an activation that nothing else shares")
            return
        fit = self._fit(chain, behind.steps)
        if fit is None:
            why(cast, "what follows is more than the library computes behind a product")
            return
        _Emitter(self, chain, rewriter).emit(fit)
        self.quanta += fit.quanta

    def _fit(self, chain: CurveChain, used_ops: int) -> _Fit | None:
        """The longest part of a chain that the library computes behind a product and `used_ops` ops."""
        formed = list(_formed(chain, used_ops, self.known))
        for count in range(len(formed), 0, -1):
            stages, forms = zip(*formed[:count], strict=True)
            remaining = self.most - used_ops - sum(f.cost for f in forms)
            if remaining < 0 or not _ends_well(stages[-1].result):
                continue
            fit = _with_clips(chain, stages, forms, remaining)
            if fit is not None:
                return fit
        return None


class RoundOnce(Pattern[QuantizeCastOp]):
    """`qcast(dcast(qcast(product))) -> qcast(product)`, where the first range holds the second one.

    So is a ReLU written that a quantizer left out: the second range begins at 0.
    """

    def __init__(self, module: ModuleOp):
        self.constants = Constants(store_for(module))
        self.quanta = 0.0

    def rewrite(self, cast: QuantizeCastOp, rewriter: PatternRewriter, /) -> None:
        dequantize = cast.input.owner
        if not isinstance(dequantize, DequantizeCastOp) or not cast.input.has_one_use():
            return
        first = dequantize.input.owner
        if not isinstance(first, QuantizeCastOp) or not first.output.has_one_use():
            return
        behind = product_behind(first.input, self.constants)
        if behind is None or not _is_fused(behind.product):
            why(cast, "what is quantized twice is not a product that the library computes")
            return
        before, after = uniform_of(first.output.type), uniform_of(cast.output.type)
        if before is None or after is None or before.is_per_axis or after.is_per_axis:
            why(cast, "one of two quantizations is by the channel")
            return
        (low, high), step = before.bounds[0], before.scales[0]
        inner_low, inner_high = after.bounds[0]
        if inner_low < low - step / 2 or inner_high > high + step / 2:
            why(cast, "the range of the quantization in front ends before its own")
            return
        set_operand(rewriter, cast, 0, first.input)
        rewriter.erase(dequantize)
        rewriter.erase(first)
        self.quanta += step / 2 / after.scales[0]


def _is_fused(product: OnnxOp) -> bool:
    """Whether the library has a kernel for a product of these types: bytes, and weights around 0."""
    source, weights = (v.owner for v in product.operands[:2])
    while isinstance(weights, OnnxOp) and weights.op_type == "Transpose":
        weights = weights.operands[0].owner
    if not isinstance(source, DequantizeCastOp) or not isinstance(weights, DequantizeCastOp):
        return False
    image, filters = uniform_of(source.input.type), uniform_of(weights.input.type)
    if image is None or filters is None or image.is_per_axis:
        return False
    if {image.storage.width.data, filters.storage.width.data} != {8}:
        return False
    if product.op_type == "MatMul" and not isinstance(weights.input.owner, StorageCastOp):
        return True
    zero = 128 if filters.is_unsigned else 0
    return bool((filters.zero_points == zero).all())


def _formed(chain: CurveChain, used_ops: int, curves: Curves) -> Iterator[tuple[CurveStage, _Form]]:
    """The stages of a chain with what they become, as far as the library computes them."""
    todo = list(chain.stages)
    while todo:
        stage = todo.pop(0)
        form = _form(chain, stage, curves)
        if form is None and todo and len(stage.ops) > 1:
            # A number that a spelled activation is divided by belongs to it.
            stage = stage.with_next(todo.pop(0))
            form = _form(chain, stage, curves)
        if form is None or (form.is_spelled and (used_ops or stage is not chain.stages[0])):
            return
        yield stage, form


def _form(chain: CurveChain, stage: CurveStage, curves: Curves) -> _Form | None:
    """What a stage becomes; None if the library does not compute it behind a product."""
    ops = stage.ops
    if len(ops) == 1:
        return _Form("", 1) if _is_simple(chain, stage, ops[0]) else None
    if (curve := _activation(chain, stage, curves)) is not None:
        return _Form(curve, 1)
    op_types = tuple(op.op_type for op in ops)
    return _Form("", len(ops)) if op_types in SPELLED and _rereads(stage) else None


def _is_simple(chain: CurveChain, stage: CurveStage, op: OnnxOp) -> bool:
    if op.op_type in UNARY:
        return True
    if op.op_type not in WITH_CONSTANT:
        return False
    left, right = op.operands
    if op.op_type in ("Sub", "Div"):
        return stage.reads(left) and chain.number(right) is not None
    return chain.number(left) is not None or chain.number(right) is not None


def _rereads(stage: CurveStage) -> bool:
    """Whether the second of two ops multiplies the first one's result by the entry."""
    gate, product = stage.ops
    return stage.reads(gate.operands[0]) and any(stage.reads(v) for v in product.operands)


def _activation(chain: CurveChain, stage: CurveStage, curves: Curves) -> str | None:
    """The single op that a stage of several is equal to, within its range."""
    low, high = stage.front.bounds if stage.front is not None else (-8.0, 8.0)
    x = np.linspace(low, high, 1025)
    results = chain.numbers(stage, x, saturated)
    alike = ALIKE * np.maximum(np.abs(x), 1)
    rounding = float(np.abs(chain.numbers(stage, x, rounded) - results).max())
    room = np.clip(rounding, alike, 2 * alike)
    nearly = chain.numbers(stage, x, nearly_saturated)
    off = {
        kind: np.minimum(np.abs(y - results), np.abs(y - nearly))
        for kind, y in ((kind, curve(x)) for kind, curve in curves.items())
    }
    fitting = [kind for kind, distance in off.items() if bool((distance <= room).all())]
    return min(fitting, key=lambda kind: float(off[kind].max()), default=None)


def _ends_well(value: SSAValue) -> bool:
    """Whether a kernel may end with a value: all of its users are quantizes to bytes, or none is."""
    users = [use.operation for use in value.uses]
    casts = [r for r in users if isinstance(r, QuantizeCastOp)]
    if not casts:
        return bool(users)
    types = [uniform_of(cast.output.type) for cast in casts]
    return len(casts) == len(users) and all(u is not None and _is_byte(u) for u in types)


def _is_byte(uniform: UniformType) -> bool:
    return not uniform.is_per_axis and uniform.storage.width.data == 8


def _final(value: SSAValue) -> UniformType | None:
    """What the only quantize of a value makes of it."""
    user = only_reader(value)
    return uniform_of(user.output.type) if isinstance(user, QuantizeCastOp) else None


def _with_clips(
    chain: CurveChain, stages: Sequence[CurveStage], forms: Sequence[_Form], remaining: int
) -> _Fit | None:
    """The fewest clips with which the stages saturate as they do with their casts."""
    final = _final(stages[-1].result)
    low, high = final.bounds[0] if final is not None else EVERYTHING
    x = _probes(chain.first)
    exact = np.clip(_run(chain, stages, x, rounded), low, high)
    expected = np.clip(_run(chain, stages, x, _loose(stages[0], forms[0])), low, high)
    step = float(final.scales[0]) if final is not None else 0.0
    # Saturation may be dropped if it makes no more difference than rounding does.
    tolerance = max(step, float(np.abs(exact - expected).max()))
    for clips in _choices(stages, forms, remaining):
        clipped = np.clip(_run_forms(chain, stages, forms, clips, x), low, high)
        if bool((np.abs(clipped - expected) <= tolerance).all()):
            off = float(np.abs(clipped - exact).max())
            return _Fit(stages, forms, clips, off / (step or tolerance or 1.0))
    return None


def _probes(pair: Pair) -> Numbers:
    """Possible numbers within the range of a pair of casts, near it, and far outside."""
    low, high = pair.bounds
    span = high - low
    distant = np.geomspace(span, 1e4 * span, 64)
    x = np.concatenate(
        [
            np.linspace(low - span, high + span, 4099),
            np.linspace(-8, 8, 1025),
            low - distant,
            high + distant,
        ]
    )
    op = pair.source.owner
    least, most = RANGES.get(op.op_type, EVERYTHING) if isinstance(op, OnnxOp) else EVERYTHING
    return np.clip(x, least, most)


def _loose(stage: CurveStage, form: _Form) -> Treat:
    """Saturates like pairs do, except for one whose clip the library would not compute in the same kernel.

    A range that begins at 0 is a ReLU that the quantizer omitted. Any other is from calibration, and values
    outside it are closer to the original model if they pass.
    """
    front = stage.front
    if not form.is_spelled or front is None or front.bounds[0] >= 0:
        return saturated
    return lambda pair, x: x if pair is front else saturated(pair, x)


def _run(chain: CurveChain, stages: Sequence[CurveStage], x: Numbers, treat: Treat) -> Numbers:
    for stage in stages:
        x = chain.numbers(stage, x if stage.front is None else treat(stage.front, x), treat)
    return x


def _run_forms(
    chain: CurveChain,
    stages: Sequence[CurveStage],
    forms: Sequence[_Form],
    clips: Sequence[str],
    x: Numbers,
) -> Numbers:
    for stage, form, clip in zip(stages, forms, clips, strict=True):
        if clip and stage.front is not None:
            x = np.maximum(x, 0) if clip == "Relu" else saturated(stage.front, x)
        x = KNOWN[form.known](x) if form.known else chain.numbers(stage, x, passing)
    return x


def _choices(
    stages: Sequence[CurveStage], forms: Sequence[_Form], remaining: int
) -> Iterator[tuple[str, ...]]:
    """The possible replacements of pairs, the fewest clips first."""
    ways = [
        [""]
        if stage.front is None or form.is_spelled
        else ["", *["Relu"] * (stage.front.bounds[0] == 0), "Clip"]
        for stage, form in zip(stages, forms, strict=True)
    ]
    choices = sorted(itertools.product(*ways), key=lambda c: (sum(map(bool, c)), c.count("Clip")))
    yield from (c for c in choices if sum(map(bool, c)) <= remaining)


class _Emitter:
    """Rewrites the stages of a chain."""

    def __init__(self, pattern: DropCasts, chain: CurveChain, rewriter: PatternRewriter):
        self.pattern = pattern
        self.chain = chain
        self.rewriter = rewriter

    def emit(self, fit: _Fit) -> None:
        value = self.chain.first.source
        dead_ops: list[Operation] = []
        for stage, form, clip in zip(fit.stages, fit.forms, fit.clips, strict=True):
            if stage.front is not None:
                dead_ops += [stage.front.quantize, *stage.front.dequantizes]
                if clip:
                    value = self._clip(stage.front, value, clip)
            for step in stage.inner:
                dead_ops += [step.quantize, *step.dequantizes]
            if form.known:
                dead_ops += stage.ops
                value = self._activation(stage, form.known, value)
            else:
                self._rewire(stage, value)
                value = stage.result
        self._erase(dead_ops)

    def _activation(self, stage: CurveStage, kind: str, value: SSAValue) -> SSAValue:
        last = stage.ops[-1]
        activation = self._node(
            kind, [value], last.value_name(0), last.node_name.data, last.results[0]
        )
        located(activation, *stage.ops)
        self.rewriter.insert(activation, InsertPoint.before(last))
        self.rewriter.replace_all_uses_with(stage.result, activation.results[0])
        return activation.results[0]

    def _rewire(self, stage: CurveStage, value: SSAValue) -> None:
        """Makes the ops of a stage read the operands of the casts, and plain constants."""
        replaced: dict[SSAValue, SSAValue] = {stage.entry: value}
        if stage.front is not None:
            replaced = {d.output: value for d in stage.front.dequantizes}
        for pair in stage.inner:
            replaced |= {d.output: pair.source for d in pair.dequantizes}
        for op in stage.ops:
            for index, operand in enumerate(op.operands):
                if operand in replaced:
                    set_operand(self.rewriter, op, index, replaced[operand])
                elif isinstance(operand.owner, DequantizeCastOp):
                    set_operand(self.rewriter, op, index, self._number(op, operand))

    def _number(self, op: OnnxOp, operand: SSAValue) -> SSAValue:
        number = number_of(operand, self.pattern.constants)
        name = self.pattern.names.fresh(f"{op.value_name(0) or 'value'}__number")
        constant = make_constant(name, np.array([number], np.float32), None)
        self.rewriter.insert(constant, InsertPoint.before(op))
        return constant.results[0]

    def _clip(self, pair: Pair, value: SSAValue, kind: str) -> SSAValue:
        names = self.pattern.names
        name = names.fresh(f"{pair.dequantizes[0].value_name(0) or 'value'}__clipped")
        bounds: list[OnnxOp] = []
        if kind == "Clip":
            bounds = [
                make_constant(names.fresh(f"{name}__{role}"), np.array(bound, np.float32), None)
                for role, bound in zip(("min", "max"), pair.bounds, strict=True)
            ]
        operands = [value, *(b.results[0] for b in bounds)]
        clip = self._node(kind, operands, name, pair.quantize.node_name.data, value)
        located(clip, pair.quantize, *pair.dequantizes)
        self.rewriter.insert([*bounds, clip], InsertPoint.before(pair.quantize))
        return clip.results[0]

    def _node(
        self, kind: str, operands: Sequence[SSAValue], name: str, node: str, like: SSAValue
    ) -> OnnxOp:
        return make_node(
            kind, operands, [name], attributes={}, result_types=[like.type], node_name=node
        )

    def _erase(self, dead_ops: Sequence[Operation]) -> None:
        """Erases dead ops, and the constants that only they used."""
        todo = sorted(dead_ops, key=lambda op: self.pattern.order.get(op, -1), reverse=True)
        producers = [v.owner for op in todo for v in op.operands if isinstance(v.owner, Operation)]
        for op in todo:
            self.rewriter.erase(op)
        erased = set(todo)
        for op in dict.fromkeys(producers):
            if op not in erased and is_unused(op):
                self.rewriter.erase(op)


@dataclass(frozen=True)
class QuantDropCastsPass(ModulePass):
    """Removes the quantizes and dequantizes between a product and the activations behind it.

    A library computes `activation(product)` in one kernel, but not where the product is rounded to integers
    first: then activations run elsewhere, each between two casts. What is spelled out of several ops with
    casts between, such as a HardSwish, becomes the one op that it is. A product that is quantized twice in a
    row is quantized once, where the first range holds the second one.

    Quantizing also saturates. A clip stays in the place of a pair where leaving it out would change results
    by more than their own step, or than the rounding does. Values are nearer to what the model was before it
    was quantized than with the casts. The module says as `quant.quanta` how much further from what it says
    now all results together can be, in their own steps.

    Refused: products for which the library has no kernel, chains of more ops than it computes behind a
    product, and values on the way that something else reads.
    """

    name = "quant-drop-casts"

    rounding: Rounding = DEFAULT_ROUNDING
    """`exact` leaves all casts where they are."""
    version: str | float = DEFAULT_VERSION
    """The library's version. Write versions from 3.10 on in quotes."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.rounding == "exact":
            return
        version = parse_version(str(self.version))
        most = next((most for since, most in MOST if since <= version), MOST[-1][1])
        while drop_casts(op, most):
            update_params(op)


def drop_casts(module: ModuleOp, most: int) -> bool:
    """Drops casts, and folds factors into products; True if that made room for more."""
    once, pattern = RoundOnce(module), DropCasts(module, most)
    apply_patterns(module, [once], recursive=False)
    apply_patterns(module, [pattern], recursive=False)
    add_quanta(module, once.quanta + pattern.quanta)
    folded = apply_patterns(module, [FoldAffine(ModuleValues(module))], recursive=False)
    if folded:
        apply_patterns(module, [UnusedCast()], backwards=True)
        remove_dead_ops(module)
    return folded
