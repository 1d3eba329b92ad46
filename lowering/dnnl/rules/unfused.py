"""Why an op of oneDNN Graph is in no partition, as a sentence for `dnnl.unfused`."""

from __future__ import annotations

from functools import cached_property

from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.dnnl import DnnlOp, Version, dtype_name
from autosplit.lowering.dnnl.rules.match import Graph, Node, find_groups
from autosplit.lowering.dnnl.rules.operands import SLOW_OPERAND
from autosplit.lowering.dnnl.rules.parts import CASTS, ELEMENTWISE, POOLS, PRODUCTS, Rule
from autosplit.lowering.dnnl.rules.versions import all_rules, rules_of

UNFUSED = "dnnl.unfused"
"""The attribute that holds the reason."""


class Refusals:
    """Why ops of a graph were left out; used after the groups are found, before they become partitions."""

    def __init__(self, graph: Graph, version: Version):
        self.graph = graph
        self.version = version

    def reason(self, op: DnnlOp) -> ReasonAttr:
        """The reason of one op that is in no partition."""
        node = self.graph.of.get(op)
        if (float8 := float8_of(op)) is not None:
            return ReasonAttr.of("no-rule", f"the rules take 8-bit integers, found {float8}")
        if node is None:
            return self._too_new(op)
        if (newer := self._newer.get(op)) is not None:
            return ReasonAttr.of(
                "version",
                f"rule {newer.name} needs oneDNN {_text(newer.since)}, the target says"
                f" {_text(self.version)}",
            )
        match node.kind:
            case "Dequantize":
                return self._dequantize(node)
            case "Quantize":
                return self._quantize(node)
            case _:
                return self._other(node)

    def _too_new(self, op: DnnlOp) -> ReasonAttr:
        newer = [
            (f"{op.kind} with {name}", spec.since)
            for name, spec in op.ATTRS.items()
            if name in op.properties and spec.since > self.version
        ]
        feature, since = (op.kind, op.SINCE) if self.version < op.SINCE or not newer else newer[0]
        return ReasonAttr.of(
            "version",
            f"{feature} needs oneDNN {_text(since)}, the target says {_text(self.version)}",
        )

    @cached_property
    def _newer(self) -> dict[DnnlOp, Rule]:
        """The ops that rules of a newer version would fuse with a cast, each with its rule."""
        newest = max(rule.since for rule in all_rules())
        if newest <= self.version:
            return {}
        rules = {rule.name: rule for rule in rules_of(newest)}
        with self.graph.without_groups():
            groups = find_groups(self.graph, rules.values())
        return {
            node.op: rules[group.rule]
            for group in groups
            if len(group.nodes) > 1 and any(n.kind in CASTS for n in group.nodes)
            if rules[group.rule].since > self.version
            for node in group.nodes
        }

    def _dequantize(self, node: Node) -> ReasonAttr:
        if shared := _shared(node):
            return shared
        if not node.users:
            return ReasonAttr.of("no-reader", "no op of oneDNN reads what it dequantizes")
        (user, port) = node.users[0]
        if user.kind in ("Convolution", "ConvTranspose") and port == 1 and not node.reads("s8"):
            dtype = dtype_name(node.op.operand_types[0])
            return ReasonAttr.of("weights-type", f"weights of {user.kind} are {dtype}, expected s8")
        if user.kind in PRODUCTS and user.group is not None and len(user.group.nodes) > 1:
            return self._left_out(user, port)
        if user.kind in PRODUCTS:
            return _missing_operand(user) or self._no_rule_takes(user)
        if user.kind == "Add" and not node.sum_type_fits():
            return ReasonAttr.of(
                "sum-type",
                f"oneDNN adds a {dtype_name(node.op.operand_types[0])} tensor wrongly where it has several"
                " scales or the quantize behind makes another type: it is dequantized by itself",
            )
        if user.kind == "Add" and user.group is not None and _has_product(user):
            other_producer = user.inputs[1 - port]
            if other_producer is not None and other_producer.kind not in (*PRODUCTS, "BiasAdd"):
                return ReasonAttr.of(
                    "sum-position",
                    "a dequantized tensor joins right behind the product,"
                    f" found {other_producer.kind} between",
                )
            return ReasonAttr.of(
                "sum-needs-quantize",
                "add of a dequantized tensor needs a quantize behind it: an int8 sum with f32 output is"
                " two partitions",
            )
        if user.kind in ELEMENTWISE and user.group is not None and _has_product(user):
            return ReasonAttr.of(
                "not-a-sum",
                f"only Add takes a dequantized tensor behind a product, found {user.kind}",
            )
        if user.kind in (*POOLS, "Concat", "Reorder", "BatchNormInference"):
            return _needs_quantize(user)
        return self._no_rule_takes(user)

    def _left_out(self, user: Node, port: int) -> ReasonAttr:
        missing = _missing_operand(user)
        return missing or ReasonAttr.of(
            "operand", f"{user.kind} is fused without the dequantize of its operand {port}"
        )

    def _no_rule_takes(self, user: Node) -> ReasonAttr:
        return ReasonAttr.of(
            "no-rule",
            f"no rule of oneDNN {_text(self.version)} takes a dequantized tensor into {user.kind}",
        )

    def _quantize(self, node: Node) -> ReasonAttr:
        above = node.inputs[0]
        if above is None:
            return ReasonAttr.of("no-producer", "what it quantizes is not made by an op of oneDNN")
        if shared := _shared(above):
            return shared
        behind: list[Node] = []
        at: Node | None = above
        while at is not None and at.kind in ELEMENTWISE and at.reader is not None:
            behind.append(at)
            at = next((p for p in at.inputs if p is not None and p.reader is not None), None)
        if at is not None and at.kind in PRODUCTS and len(behind) > 1:
            return ReasonAttr.of(
                "chain-length",
                f"{counted(len(behind), 'op stands', 'ops stand')} between {at.kind} and the quantize, "
                f"more than a rule of oneDNN {_text(self.version)} takes with this start",
            )
        if at is not None and at.kind in PRODUCTS and (missing := _missing_operand(at)):
            return missing
        return ReasonAttr.of(
            "no-rule",
            f"no rule of oneDNN {_text(self.version)} ends {above.kind} with a quantize here",
        )

    def _other(self, node: Node) -> ReasonAttr:
        if not node.has_fast_operand():
            return ReasonAttr.of("slow-kernel", SLOW_OPERAND)
        casts = [p for p in node.inputs if p is not None and p.kind == "Dequantize"]
        for cast in casts:
            if shared := _shared(cast):
                return shared
        if node.kind in PRODUCTS and casts and (missing := _missing_operand(node)):
            return missing
        if casts and node.kind in (*POOLS, "Concat"):
            return _needs_quantize(node)
        if casts:
            return self._no_rule_takes(node)
        for above in node.inputs:
            if above is not None and above.group is not None and (shared := _shared(above)):
                return shared
        return ReasonAttr.of(
            "not-quantized", f"{node.kind} reads no dequantized tensor: it runs in f32"
        )


def float8_of(op: DnnlOp) -> str | None:
    """The library's name of the float8 type that an op reads or produces; no rule has these."""
    names = (dtype_name(value.type) for value in (*op.operands, *op.results))
    return next((name for name in names if name is not None and name.startswith("f8")), None)


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def _shared(node: Node) -> ReasonAttr | None:
    """Why a result with several users ends a group; None if it does not."""
    count = len(node.users)
    if node.kind == "Dequantize" and (count > 1 or (count and node.escapes)):
        outside = " and is needed outside" if node.escapes else ""
        return ReasonAttr.of(
            "shared-dequantize", f"dequantize has {counted(count, 'user')}{outside}"
        )
    if count and node.escapes:
        return ReasonAttr.of("shared-result", f"{node.kind}'s result is also needed outside")
    if count > 1:
        kinds = " and ".join(dict.fromkeys(user.kind for user, _ in node.users))
        return ReasonAttr.of("shared-result", f"{node.kind}'s result is read by {kinds}")
    return None


def _has_product(node: Node) -> bool:
    return node.group is not None and any(n.kind in PRODUCTS for n in node.group.nodes)


def _missing_operand(node: Node) -> ReasonAttr | None:
    """The first operand of a product that keeps it from being quantized."""
    for port, producer in enumerate(node.inputs[:2]):
        while producer is not None and producer.kind == "TypeCast":
            producer = producer.inputs[0]
        if producer is None or producer.kind != "Dequantize":
            origin = "comes from outside" if producer is None else f"is made by {producer.kind}"
            return ReasonAttr.of(
                "operand", f"operand {port} of {node.kind} {origin}, expected Dequantize"
            )
        if shared := _shared(producer):
            return shared
    return None


def _needs_quantize(node: Node) -> ReasonAttr:
    if shared := _shared(node):
        return shared
    if node.users and node.users[0][0].kind == "Quantize":
        return ReasonAttr.of(
            "parameters",
            f"{node.kind} between a dequantize and a quantize is fused per tensor only"
            if node.kind in POOLS
            else f"{node.kind} needs equal scales and zero points before and behind it",
        )
    return ReasonAttr.of(
        "needs-quantize", f"{node.kind} of a dequantized tensor needs a quantize behind it"
    )
