"""convert-onnx-to-top: an ONNX module as one of Top, or why it cannot run on a chip.

Placing asks `check`, and `convert` asks the same `check` and then rewrites: an op is placed on a chip
exactly when it converts. What is not known to be computed right is refused. The rows of `table.py` are what
is checked of each type; conditions beyond them stand beside the conversions, in `families/` by subject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import INLINE_LIMIT, WeightStore, digest, register, store_for
from autosplit.devices import DEFAULT_CHIP, Chip, get_chip
from autosplit.dialects.platform import platform_graph, static_shape
from autosplit.dialects.top import AttrValue, TopOp, location_of
from autosplit.lowering.convert_onnx_to_top.check import check_module, f32_reasons
from autosplit.lowering.convert_onnx_to_top.families import CONVERSIONS
from autosplit.lowering.convert_onnx_to_top.parts.conversion import Target, f32_tensor
from autosplit.lowering.convert_onnx_to_top.patterns import ChipAnswers, to_top_patterns
from autosplit.lowering.convert_onnx_to_top.stand_ins import put_stand_ins
from autosplit.lowering.rewriting import apply_to, become
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.fold import Constants
from autosplit.lowering.shared.order import expect_before, expect_onnx
from autosplit.lowering.sizes.data_dependent import data_dependent
from autosplit.lowering.top.f32_values import listed_texts, set_f32_values
from autosplit.lowering.top.identities import Identity, identities

__all__ = [
    "CONVERSIONS",
    "ConvertOnnxToTopPass",
    "convert",
    "noted_in_f32",
]

NET_NAME = "net"
"""The default name of a Top module, which the compiled network gets too."""

VARYING = "device.varying"
"""The attribute of a module that is compiled for sizes that vary."""

IN_F32 = "device.in_f32"
"""The attribute of a Top module with what is computed in f32 although the mode is a narrower one, and why."""


def convert(
    module: ModuleOp,
    chip: Chip,
    dynamic: bool = False,
    name: str = NET_NAME,
    *,
    mode: str = "F32",
    checked: bool = False,
) -> ModuleOp:
    """The Top module that computes what `module`, a graph in canonical form, does; `module` stays as it is.

    Every tensor is f32; inputs and outputs have the names of the graph's, in its order. Weights are read only
    when the module is written, so the store of `module` must live as long. `mode` is what the chip computes
    in. `checked` says that `check_module` has refused nothing. Raises AutosplitError naming the first op that
    `chip` refuses.
    """
    graph = platform_graph(module)
    inputs = graph.graph_inputs()
    store = WeightStore()
    block = Block(arg_types=[_input_type(value) for _, value in inputs])
    target = Target(block, Constants(store_for(module)), store)
    for (input_name, value), argument in zip(inputs, block.args, strict=True):
        top_module = target.insert("Input", [argument], [argument.type], [target.fresh(input_name)])
        target.values[value] = top_module.results[0]
    uncertain = () if checked else data_dependent(module)
    answers = ChipAnswers(chip, dynamic, mode, uncertain, checked)
    apply_to(data_order(graph.regions[0].block), to_top_patterns(target, answers))
    answers.raise_refusal()
    parts_copied = mode == "INT8" and "part-output" in chip.workarounds
    outputs = _outputs(target, graph.graph_outputs(), parts_copied)
    block.add_op(func.ReturnOp(*outputs))
    types = FunctionType.from_lists([a.type for a in block.args], [v.type for v in outputs])
    top_module = ModuleOp(
        [func.FuncOp("main", types, Region(block))],
        {
            "module.chip": StringAttr("ALL"),
            "module.platform": StringAttr("ONNX"),
            "module.state": StringAttr("TOP_F32"),
            "module.top_run_mode": StringAttr("DYNAMIC" if dynamic else "STATIC"),
        },
        StringAttr(name),
    )
    set_f32_values(top_module, [name for op in target.f32_ops for name in op.names])
    store.file_digest = _content(top_module, store, str(module.attributes.get("platform.stores")))
    register(store, top_module)
    return top_module


def noted_in_f32(module: ModuleOp) -> list[str]:
    """The ops that a Top module computes in f32 although the mode is a narrower one, and why."""
    return listed_texts(module, IN_F32)


def _input_type(value: SSAValue) -> TensorType[Attribute]:
    """The type of an input. One that nothing reads, the tool chain removes, whatever its shape is."""
    is_open = static_shape(value.type) is None
    return TensorType(f32, [1]) if is_open and value.first_use is None else f32_tensor(value)


def _content(top_module: ModuleOp, store: WeightStore, source: str) -> str:
    """A digest of a Top module's weights: of small ones their numbers, of large ones where they come from."""
    lines = [source]
    for op in top_module.walk():
        if isinstance(op, TopOp) and op.kind == "Weight":
            small = prod(static_shape(op.results[0].type) or ()) <= INLINE_LIMIT
            content = digest(store.array(op.names[0])) if small else ""
            lines.append(f"{op.names[0]} {op.results[0].type} {content}")
    return digest("\n".join(lines).encode())


def _outputs(
    target: Target, outputs: Sequence[tuple[str, SSAValue]], parts_copied: bool
) -> list[SSAValue]:
    """The Top values of the graph's outputs: each computed by an op, and none of them twice.

    The tool chain aborts where nothing is left to compute of an output. With `parts_copied`, none of them is
    a part of another value.
    """
    returned = [(name, _value_of(target, value)) for name, value in outputs]
    same_as = identities(target.block, target.store)
    uses = Counter[tuple[Identity, Attribute]]()
    values: list[SSAValue] = []
    for name, value in returned:
        key = (same_as[value], value.type)
        # Equal copies would be one again, so each is a copy of one more.
        is_part = isinstance(value.owner, TopOp) and value.owner.kind in ("Slice", "Split")
        for _ in range(uses[key] + (same_as[value].changes_nothing or (parts_copied and is_part))):
            value = _copied(target, name, value)
        uses[key] += 1
        values.append(value)
    return values


def _value_of(target: Target, value: SSAValue) -> SSAValue:
    return target.constant(value) if target.constants.is_constant(value) else target.values[value]


def _copied(target: Target, name: str, value: SSAValue) -> SSAValue:
    """A copy that the tool chain does not remove, called `name`."""
    owner = value.owner
    if (
        isinstance(owner, TopOp)
        and owner.names == (name,)
        and owner.kind not in ("Input", "Weight")
    ):
        owner.location = location_of([target.fresh(f"{name}/kept")])
        target.names.discard(name)
    # Exact, also for infinities and NaN.
    attrs: dict[str, AttrValue] = {"alpha": 1.0}
    copy = target.insert("LeakyRelu", [value], [value.type], [target.fresh(name)], attrs)
    return copy.results[0]


@dataclass(frozen=True)
class ConvertOnnxToTopPass(ModulePass):
    """The module, in the canonical form of `normalize-onnx`, is one of Top that computes the same.

    Fails naming the first op that the chip refuses. With `check` nothing is converted, and every refused op
    gets its reason, as `device.refused = {tpu = ...}`. With `dynamic`, other ops stand in for some that
    the chip cannot run with varying sizes, as `submodel-settle-sizes` has done already where a module
    has `device.varying`. Ops for which `mode` is too coarse are listed in the module's `autosplit.f32`, and
    why, in `device.in_f32`. Runs behind `normalize-onnx` and `infer-shapes`, and in front of
    `legalize-top`, which keeps what the tool chain gets wrong from it.
    Example: `convert-onnx-to-top{target=bm1684x dynamic=true}`
    """

    name = "convert-onnx-to-top"

    target: str = DEFAULT_CHIP
    """The name of a device table."""
    dynamic: bool = False
    """Whether sub-models are compiled for shapes that vary."""
    mode: str = "F32"
    """What the chip computes in; some ops are refused in some modes only."""
    net: str = NET_NAME
    """What the module, and the compiled network, is called."""
    check: bool = False
    """Whether ops are only asked."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        chip = get_chip(self.target)
        if self.dynamic:
            put_stand_ins(op, chip, self.mode)
        if self.check:
            for refused, reason in check_module(op, chip, self.dynamic, self.mode).items():
                refused.attributes["device.refused"] = DictionaryAttr({"tpu": reason})
            return
        expect_onnx(op)
        dynamic = self.dynamic or VARYING in op.attributes
        try:
            made = convert(op, chip, dynamic, self.net, mode=self.mode)
        except AutosplitError as error:
            raise PassFailedException(str(error)) from error
        notes = {n: a for n, a in op.attributes.items() if n.startswith("device.")}
        if in_f32 := [] if self.mode == "F32" else f32_reasons(op, chip, dynamic, self.mode):
            notes[IN_F32] = ArrayAttr([StringAttr(line) for line in in_f32])
        made.attributes |= notes
        become(op, made)
