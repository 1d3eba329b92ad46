"""device-place: which devices accept each op, and why the others do not.

Capability is convertibility: a copy of the model is lowered to canonical `onnx` and each op of it is asked
whether the chip can run it. The answers travel back by the names in the locations of its ops. The model
itself is only annotated.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from autosplit.core.errors import choice
from autosplit.core.weights import INLINE_LIMIT
from autosplit.devices import DEFAULT_CHIP, Chip, check_mode, get_chip
from autosplit.dialects.device import Kind, ReasonAttr
from autosplit.dialects.onnx.base import GraphOp, InitializerOp, OnnxOp, ReturnOp
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    location_names,
    platform_graph,
    set_type,
    static_shape,
    strings,
    type_text,
    value_name,
)
from autosplit.lowering.convert_onnx_to_top.parts.query import INTEGERS
from autosplit.lowering.convert_to_onnx import lower_to_onnx
from autosplit.lowering.device.notes import noted_work
from autosplit.lowering.device.work import is_open, multiply_adds
from autosplit.lowering.infer_shapes import lowered_copy
from autosplit.lowering.infer_shapes.promises import refusal as promised_refusal
from autosplit.lowering.quant.own_scales import take_scales
from autosplit.lowering.shared.blocks import data_order
from autosplit.lowering.shared.handover import LoweredCopy
from autosplit.lowering.shared.order import expect_before
from autosplit.lowering.shared.types import contradicts, join
from autosplit.lowering.sizes.open_broadcasts import refused_broadcasts
from autosplit.lowering.submodel.sizes import refusals
from autosplit.platforms import platform_of

Pin = tuple[str, str]
"""A regular expression over node names, and `cpu` or `tpu`."""

ANNOTATIONS = (
    "device.accepts",
    "device.constant",
    "device.loop",
    "device.refused",
    "device.uncounted",
    "device.value",
    "device.work",
)
"""What this pass writes on ops."""


UNIT = UnitAttr()


@dataclass
class Capability:
    """What lowering a copy of a module told about its ops, by node name, and its values, by value name."""

    refused: dict[str, ReasonAttr] = field(default_factory=dict)
    work: dict[str, int] = field(default_factory=dict)
    uncounted: set[str] = field(default_factory=set)
    """The nodes whose work only a run could have told."""
    lowered: set[str] = field(default_factory=set)
    """The nodes that are still computed in the copy; others were folded away or are names only."""
    values: dict[str, DenseIntOrFPElementsAttr] = field(default_factory=dict)
    """The values that folding found: the small ones of integers and booleans."""
    types: dict[str, Attribute] = field(default_factory=dict)


def capability_of(
    ctx: Context,
    module: ModuleOp,
    chip: Chip,
    dynamic: bool,
    lowered: ModuleOp | None = None,
    mode: str = "F32",
    executed: Mapping[str, int] | None = None,
) -> Capability:
    """Lowers a copy of `module` and asks which of its ops the chip can run.

    `lowered` and `executed` as for `survey`.
    """
    capability, copy, folded = survey(ctx, module, lowered, executed)
    if mode == "INT8":
        take_scales(copy)
    capability.refused = ask_either(copy, chip, mode) if dynamic else ask(copy, chip, mode=mode)
    _refuse_names(capability, module, chip, folded)
    return capability


def survey(
    ctx: Context,
    module: ModuleOp,
    lowered: ModuleOp | None = None,
    executed: Mapping[str, int] | None = None,
) -> tuple[Capability, ModuleOp, dict[str, Attribute]]:
    """What a lowered copy tells about work and values, before any device is asked; the copy; its constants.

    `lowered` is a copy that was lowered as far as possible when the types were less precise; it
    saves lowering another. `executed`: the multiply-adds of nodes in a run, as `Measurements.work` has them.
    """
    if lowered is None:
        # As `infer-shapes` would have lowered it: what conversions know is noted before it is cleaned away.
        copy = lowered_copy(ctx, module)
    else:
        copy = lowered
        _carry_types(module, copy)
    capability = Capability()
    folded = _constants(copy)
    lower_to_onnx(ctx, copy, folded)
    folded |= _constants(copy)
    _note_values(capability, folded)
    inputs = [value for _, value in platform_graph(copy).graph_inputs()]
    has_open_inputs = any(static_shape(value.type) is None for value in inputs)
    for op in platform_graph(copy).body_ops():
        for result in op.results:
            if name := value_name(result):
                capability.types[name] = result.type
        if isinstance(op, InitializerOp | GraphOp | ReturnOp):
            continue
        names = location_names(op.location)
        capability.lowered.update(names)
        if names:
            _count(capability, op, names[0], executed, has_open_inputs)
    return capability, copy, folded


def _constants(lowered: ModuleOp) -> dict[str, Attribute]:
    """The constants of a lowered copy, by name."""
    ops = platform_graph(lowered).body_ops()
    return {op.value_name(0): op.value for op in ops if isinstance(op, InitializerOp)}


def _refuse_names(
    capability: Capability, module: ModuleOp, chip: Chip, constants: Container[str]
) -> None:
    """Refuses ops that only pass on values of an element type that the chip does not hold.

    Lowering removes them, so that nothing else asks for the element type.
    """
    supported = (*chip.float_dtypes, "i1", *INTEGERS)
    for op in platform_graph(module).body_ops():
        if not isinstance(op, PlatformOp) or op.identity in capability.lowered:
            continue
        for result in op.results:
            kind = element_type(result.type)
            if kind is None or type_text(kind) in supported or value_name(result) in constants:
                continue
            reason = (
                f"{op.op_type} passes on elements of {kind}, which {chip.vendor_name} does not hold"
            )
            capability.refused.setdefault(op.identity, ReasonAttr.of("dtype", reason))


def _count(
    capability: Capability,
    op: Operation,
    name: str,
    executed: Mapping[str, int] | None,
    has_open_inputs: bool,
) -> None:
    """Adds the work of an op of a lowered copy to that of the node `name`.

    Sizes that are open because those of the inputs are count as 1. Those that depend on data do not count
    unless a run told the work.
    """
    if not is_open(op):
        amount = multiply_adds(op) if isinstance(op, OnnxOp) else 0
    elif executed is not None and executed.get(name) != 0:
        capability.work[name] = executed.get(name, 0)
        return
    else:
        capability.uncounted.add(name)
        amount = multiply_adds(op) if has_open_inputs and isinstance(op, OnnxOp) else 0
    capability.work[name] = capability.work.get(name, 0) + amount


def ask_either(lowered: ModuleOp, chip: Chip, mode: str = "F32") -> dict[str, ReasonAttr]:
    """What the chip refuses both in a sub-model of fixed sizes and in one whose sizes vary, as for `ask`.

    Which of the two an op will be in is not known before the cut. With open sizes it is the latter.
    """
    # Asking about varying sizes changes ops, so it comes last.
    fixed = ask(lowered, chip, False, mode)
    uneven = refused_broadcasts(lowered, chip)
    named = {name: reason for op, reason in uneven.items() for name in location_names(op.location)}
    varying = named | ask(lowered, chip, True, mode)
    return {
        name: reason if fixed[name].code.data == "dynamic-shape" else fixed[name]
        for name, reason in varying.items()
        if name in fixed
    }


def ask(
    lowered: ModuleOp, chip: Chip, dynamic: bool = False, mode: str = "F32"
) -> dict[str, ReasonAttr]:
    """Why the chip refuses ops of a lowered copy, by the names of the nodes that they come from."""
    refused = refusals(lowered, chip, dynamic, mode)
    reasons: dict[str, ReasonAttr] = {}
    for op in platform_graph(lowered).body_ops():
        if isinstance(op, InitializerOp | GraphOp | ReturnOp):
            continue
        if (reason := refused.get(op) or own_reason(op)) is not None:
            for name in location_names(op.location):
                reasons.setdefault(name, reason)
    return reasons


def _carry_types(module: ModuleOp, lowered: ModuleOp) -> None:
    """Gives the values of a lowered copy the types known by now, and its refused ops another chance."""
    types = {
        value_name(result): result.type
        for op in platform_graph(module).body_ops()
        for result in op.results
    }
    for op in platform_graph(lowered).body_ops():
        op.attributes.pop("device.refused", None)
        for result in op.results:
            if (type := types.get(value_name(result))) is not None:
                # What was measured is right even where the model declares something else.
                better = type if contradicts(result.type, type) else join(result.type, type)
                set_type(result, better)


def own_reason(op: Operation) -> ReasonAttr | None:
    """The reason that a conversion left on an op that it could not convert."""
    refused = op.attributes.get("device.refused")
    if isinstance(refused, DictionaryAttr) and isinstance(
        reason := refused.data.get("tpu"), ReasonAttr
    ):
        return reason
    if isinstance(op, OnnxOp):
        return None
    kind = op.op_type if isinstance(op, PlatformOp) else op.name
    return ReasonAttr.of("unsupported-op", f"{kind} has no conversion to onnx")


def _note_values(capability: Capability, folded: Mapping[str, Attribute]) -> None:
    """Notes the small values of integers and booleans among those that folding found."""
    for name, value in folded.items():
        if not isinstance(value, DenseIntOrFPElementsAttr):
            continue
        type = cast("Attribute", value.type)
        shape = static_shape(type)
        is_small = shape is not None and prod(shape) <= INLINE_LIMIT
        if is_small and isinstance(element_type(type), IntegerType):
            capability.values[name] = value


def place(
    ctx: Context,
    module: ModuleOp,
    chip: Chip,
    dynamic: bool,
    pins: list[Pin],
    lowered: ModuleOp | None = None,
    mode: str = "F32",
) -> None:
    """What `device-place` does; `lowered` as for `capability_of`."""
    for op in platform_graph(module).body_ops():
        # An earlier placement, perhaps for another chip, says nothing about this one.
        for key in ANNOTATIONS:
            op.attributes.pop(key, None)
    capability = capability_of(ctx, module, chip, dynamic, lowered, mode, noted_work(module))
    annotate(module, capability, platform_of(module).frames(platform_graph(module)), pins)


def annotate(
    module: ModuleOp,
    capability: Capability,
    frames: Mapping[Operation, str],
    pins: list[Pin],
    device: Kind = Kind.tpu,
) -> None:
    """Writes the `capability` of a device, and the user's pins, onto the ops of `module`.

    Raises PassFailedException for a pin that matches nothing, or that asks for a device that refuses.
    """
    graph = platform_graph(module)
    constants: set[Operation] = set()
    computed: list[PlatformOp] = []
    returned = {value for _, value in graph.graph_outputs()}
    inputs = {value for _, value in graph.graph_inputs()}
    for op in data_order(graph.regions[0].block):
        if isinstance(op, PlatformOp) and inputs.isdisjoint(op.results):
            computed.append(op)
    for op in computed:
        _refine_types(op, capability)
        if (loop := frames.get(op)) is not None:
            op.attributes["device.loop"] = StringAttr(loop.split("\n")[0])
        if op not in frames and _is_constant(op, capability, constants):
            constants.add(op)
            op.attributes["device.constant"] = UNIT
            continue
        if device == Kind.tpu and (reason := _bmodel_refusal(op, capability, returned)) is not None:
            capability.refused.setdefault(op.identity, reason)
        _annotate_op(op, capability, device)
    placed = [op for op in computed if op not in constants]
    _apply_pins(placed, [op for op in computed if op in constants], pins)


def _is_constant(op: PlatformOp, capability: Capability, constants: set[Operation]) -> bool:
    """Whether an op's results are the same in every run, and cheap to have in several sub-models."""
    if op.IS_CONSTANT and not op.operands:
        return True
    if op.regions or not op.results or op.identity in capability.lowered:
        return False
    return all(v.owner in constants for v in op.operands)


def _refine_types(op: PlatformOp, capability: Capability) -> None:
    for result in op.results:
        better = capability.types.get(value_name(result))
        if better is not None and (joined := join(result.type, better)) != result.type:
            set_type(result, joined)


CONSTANT_RESULT = "constant-result"
"""The reason of ops whose results a bmodel cannot give."""


def constant_result(op: PlatformOp) -> ReasonAttr:
    """Why an op that gives a constant to a caller, or to another sub-model, is not for the TPU.

    A bmodel that gives a constant gives zeros: measured with TPU-MLIR 1.30.2 on bm1684.
    """
    return ReasonAttr.of(
        CONSTANT_RESULT, f"{op.op_type} gives a constant, which a bmodel cannot give"
    )


def _bmodel_refusal(
    op: PlatformOp, capability: Capability, returned: Container[SSAValue]
) -> ReasonAttr | None:
    """Why no bmodel can have an op that the chip runs."""
    if _known_values(op, capability) and any(result in returned for result in op.results):
        return constant_result(op)
    return promised_refusal(op)


def _known_values(op: PlatformOp, capability: Capability) -> list[Attribute]:
    """The values of an op's results; empty where one of them is not known."""
    values = [capability.values.get(value_name(r)) for r in op.results]
    return [] if None in values else cast("list[Attribute]", values)


def _annotate_op(op: PlatformOp, capability: Capability, device: Kind) -> None:
    reason = capability.refused.get(op.identity)
    _set_devices(op, ["cpu"] if reason is not None else ["cpu", device])
    if reason is not None:
        op.attributes["device.refused"] = DictionaryAttr({device: reason})
    annotate_work(op, capability)
    if values := _known_values(op, capability):
        op.attributes["device.value"] = ArrayAttr(values)


def annotate_work(op: PlatformOp, capability: Capability) -> None:
    """Writes how much an op computes, replacing an earlier estimate."""
    for key in ("device.work", "device.uncounted"):
        op.attributes.pop(key, None)
    if work := capability.work.get(op.identity, 0):
        op.attributes["device.work"] = IntegerAttr(work, i64)
    if op.identity in capability.uncounted:
        op.attributes["device.uncounted"] = UnitAttr()


def _set_devices(op: Operation, devices: list[str]) -> None:
    op.attributes["device.accepts"] = strings(devices)


def accepts(op: Operation) -> list[str]:
    """The devices that accept an op, as `device-place` found."""
    attr = op.attributes.get("device.accepts")
    if not isinstance(attr, ArrayAttr):
        return ["cpu"]
    return [d.data for d in cast("ArrayAttr[Attribute]", attr) if isinstance(d, StringAttr)]


def refuse(op: Operation, device: str, reason: ReasonAttr) -> None:
    """Removes `device` from the devices that accept `op`."""
    _set_devices(op, [d for d in accepts(op) if d != device])
    old = op.attributes.get("device.refused")
    reasons = dict(old.data) if isinstance(old, DictionaryAttr) else {}
    op.attributes["device.refused"] = DictionaryAttr({**reasons, device: reason})


def _apply_pins(ops: list[PlatformOp], constants: list[PlatformOp], pins: list[Pin]) -> None:
    for pattern, device in pins:
        try:
            expression = re.compile(pattern)
        except re.error as error:
            raise PassFailedException(
                f"pin {pattern!r} is not a regular expression: {error}"
            ) from None
        if device not in ("cpu", "tpu"):
            raise PassFailedException(f"pin {pattern}={device}: a device is cpu or tpu")
        matched = [op for op in ops if expression.fullmatch(op.identity)]
        if not matched and any(expression.fullmatch(op.identity) for op in constants):
            raise PassFailedException(
                f"pin {pattern!r} matches constants only, and those go wherever they are read"
            )
        if not matched:
            hint = choice(pattern, [op.identity for op in ops])
            raise PassFailedException(f"pin {pattern!r} matches no node{hint}")
        for op in matched:
            _pin(op, pattern, device)


def _pin(op: PlatformOp, pattern: str, device: str) -> None:
    if device not in accepts(op):
        refused = cast("DictionaryAttr", op.attributes["device.refused"])
        reason = cast("ReasonAttr", refused.data[device])
        raise PassFailedException(
            f"pin {pattern}={device}: {op.op_type} {op.identity!r} cannot run there: {reason.text.data}"
        )
    other = "cpu" if device == "tpu" else "tpu"
    if other in accepts(op):
        refuse(op, other, ReasonAttr.of("pinned", f"pinned to the {device.upper()} by {pattern!r}"))


def parse_pins(texts: Sequence[str]) -> list[Pin]:
    """`RE=cpu` or `RE=cpu;RE=tpu` as pairs; the last `=` of each separates the two."""
    pins: list[Pin] = []
    # An expression may contain `;` too.
    parts = (part.strip() for text in texts for part in re.split(r"(?i)(?<==[ct]pu);", text))
    for part in filter(None, parts):
        pattern, separator, device = part.rpartition("=")
        if not separator or not pattern:
            raise PassFailedException(f"pin {part!r}: expected REGEX=cpu or REGEX=tpu")
        pins.append((pattern, device.lower()))
    return pins


@dataclass(frozen=True)
class DevicePlacePass(ModulePass):
    """Every op has the set of devices that accept it, and every refusal has a reason.

    Constants (and what is computed from constants alone) are marked `device.constant`: they have no
    device of their own, but follow their users. Ops whose integer results follow from the input shapes
    carry them as `device.value`. Values get the best type that lowering the copy implied.
    """

    name = "device-place"

    target: str = DEFAULT_CHIP
    """The chip; see `autosplit/devices`."""
    dynamic: bool = False
    """Whether sizes may be smaller at run time than the types say, or unknown."""
    mode: str = "F32"
    """What the chip will compute in: F32, F16, BF16 or INT8, as far as it does."""
    pins: tuple[str, ...] = ()
    """Where the user wants nodes, as `REGEX=cpu` or `REGEX=tpu`, each in quotes or with `;` between them."""

    takes: LoweredCopy = field(default_factory=LoweredCopy, init=False, repr=False, compare=False)
    """Where a copy comes from that `infer-shapes` has lowered already."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expect_before(op, self.name)
        chip = get_chip(self.target)
        check_mode(chip, self.mode)
        pins = parse_pins(self.pins)
        place(ctx, op, chip, self.dynamic, pins, self.takes.take(op), self.mode)
