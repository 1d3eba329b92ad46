"""The common base of the ops of the `tf` dialect; `graphs` describes how nodes form a graph."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.irdl import (
    VarOperandDef,
    opt_prop_def,
    opt_result_def,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.platform import (
    PlatformOp,
    ProtoAttr,
)
from autosplit.dialects.tf.attributes import (
    ControlType,
    Kind,
    kind_of,
)
from autosplit.dialects.tf.attributes.python import to_python

CONTROL = ControlType()

MOST_OUTPUTS = 1 << 16
"""The most outputs of a node; a larger number means a damaged file."""

_OWN = {
    "node.op": "op",
    "node.device": "device",
    "node.inputs": "spelled_inputs",
    "node.rest": "rest",
}
"""The names in the text of properties that are not NodeDef attributes. No attribute's name has a dot."""


class TfOp(PlatformOp, ABC):
    """A node of a TensorFlow graph."""

    node_attrs = prop_def(DictionaryAttr)
    """The NodeDef's attributes as they were written; `attribute()` reads one, defaults included."""
    device = opt_prop_def(StringAttr)
    """The device string, where the node has one."""
    spelled_inputs = opt_prop_def(ArrayAttr[StringAttr])
    """The node's inputs as the file spells them, where that is not the usual way (`a:0` for `a`)."""
    rest = opt_prop_def(ProtoAttr)
    """A NodeDef with the fields that the compiler does not read."""

    IN_GRAPH_REGION: ClassVar[bool] = True

    ATTRIBUTES: ClassVar[Mapping[str, object]] = {}
    """The attributes by name: a `Kind` for those that a node must have, else the default."""

    OUTPUTS: ClassVar[tuple[str | Attribute, ...] | None] = None
    """The dtype of each output: a type, or the name of the attribute that says it. `N * T` is as many as
    attribute N says, and an attribute that is a list of types one output for each. None: not declared."""

    @property
    def inputs(self) -> list[SSAValue]:
        """The data inputs."""
        return [v for v in self.operands if not isinstance(v.type, ControlType)]

    @property
    def controls(self) -> list[SSAValue]:
        """The control inputs."""
        return [v for v in self.operands if isinstance(v.type, ControlType)]

    @property
    def outputs(self) -> list[OpResult]:
        """The data outputs."""
        return [v for v in self.results if not isinstance(v.type, ControlType)]

    @property
    def done(self) -> OpResult | None:
        """The control output, if any node waits for this one."""
        results = self.results
        return results[-1] if results and isinstance(results[-1].type, ControlType) else None

    def value_name(self, index: int) -> str:
        if isinstance(self.results[index].type, ControlType):
            return f"^{self.node_name.data}"
        return f"{self.node_name.data}:{index}"

    def own_names(self) -> Iterator[str]:
        yield self.node_name.data

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as a Python value; if absent, the op's declared default, then `default`."""
        attr = self.node_attrs.data.get(name)
        if attr is not None:
            return to_python(attr)
        declared = self.ATTRIBUTES.get(name)
        if declared is None or isinstance(declared, Kind):
            return default
        if isinstance(declared, tuple):
            return list(cast("tuple[object, ...]", declared))
        return to_python(declared) if isinstance(declared, Attribute) else declared

    def dtype(self, name: str) -> Attribute | None:
        """The IR's element type in attribute `name`; None if it has none."""
        value = self.attribute(name)
        return value if isinstance(value, Attribute) else None

    @classmethod
    def output_dtypes(cls, attrs: Mapping[str, Attribute]) -> list[Attribute | None] | None:
        """The dtype of each output of a node with these attributes; None if that is not declared."""
        if cls.OUTPUTS is None:
            return None
        dtypes: list[Attribute | None] = []
        for spec in cls.OUTPUTS:
            if isinstance(spec, Attribute):
                dtypes.append(spec)
                continue
            count, _, name = spec.rpartition(" * ")
            element = _lookup(cls.ATTRIBUTES, attrs, name)
            if isinstance(element, ArrayAttr):
                dtypes += cast("ArrayAttr[Attribute]", element).data
                continue
            repeats = to_python(attrs[count]) if count in attrs else None if count else 1
            if not isinstance(repeats, int) or not 0 <= repeats <= MOST_OUTPUTS:
                return None
            dtypes += [element] * repeats
        return dtypes

    @classmethod
    def input_count(cls, attrs: Mapping[str, Attribute]) -> int | None:
        """How many data inputs a node with these attributes has; None if they do not determine it."""
        return _arity(cls)

    @classmethod
    def check_inputs(
        cls, op_type: str, name: str, inputs: int, attrs: Mapping[str, Attribute]
    ) -> None:
        """Raises AutosplitError if TensorFlow takes another number of data inputs for such a node.

        Newer versions of a type have other attributes, but never other inputs.
        """
        if (expected := cls.input_count(attrs)) not in (None, inputs):
            raise AutosplitError(
                f"{op_type} {name!r} has {counted(inputs, 'input')}, expected {expected}"
            )

    def shown_properties(self) -> dict[str, Attribute]:
        node = {text: self.properties[k] for text, k in _OWN.items() if k in self.properties}
        return node | self.node_attrs.data

    @classmethod
    def read_properties(cls, shown: dict[str, Attribute]) -> dict[str, Attribute]:
        node = {name: shown.pop(text) for text, name in _OWN.items() if text in shown}
        return node | {"node_attrs": DictionaryAttr(shown)}

    def verify_(self) -> None:
        _check_order("operand", self.operands)
        _check_order("result", self.results)
        if sum(isinstance(v.type, ControlType) for v in self.results) > 1:
            raise VerifyException(f"{self.node_name.data!r} has two results of type !tf.control")
        for name, declared in self.ATTRIBUTES.items():
            attr = self.node_attrs.data.get(name)
            kind = kind_of(declared)
            if attr is None and isinstance(declared, Kind):
                raise VerifyException(
                    f"{self.node_name.data!r} has no attribute {name}, a {self.op_type} needs it"
                )
            if attr is not None and not kind.accepts(attr):
                raise VerifyException(
                    f"attribute {name} of {self.node_name.data!r} is {attr}, expected a {kind.value}"
                )


def _lookup(
    declared: Mapping[str, object], attrs: Mapping[str, Attribute], name: str
) -> Attribute | None:
    """The dtype, or list of them, in attribute `name` or its default."""
    attr = attrs.get(name)
    if attr is None:
        attr = declared.get(name)
    return attr if isinstance(attr, Attribute) and not isinstance(attr, ProtoAttr) else None


def _check_order(label: str, values: Sequence[SSAValue]) -> None:
    after_control = False
    for i, value in enumerate(values):
        control = isinstance(value.type, ControlType)
        if after_control and not control:
            raise VerifyException(f"{label} {i} is {value.type}, which stands behind a !tf.control")
        after_control = after_control or control


def _count(attr: Attribute | None) -> int | None:
    if isinstance(attr, ArrayAttr):
        return len(cast("ArrayAttr[Attribute]", attr))
    value = None if attr is None else to_python(attr)
    return value if isinstance(value, int) else None


@cache
def _arity(cls: type[TfOp]) -> int:
    operands = cls.get_irdl_definition().operands
    return sum(not isinstance(definition, VarOperandDef) for _, definition in operands)


class FixedInputs(TfOp, ABC):
    """Base of ops that declare each data input; the control inputs follow them."""

    waits_for = var_operand_def(ControlType)


class ManyInputs(TfOp, ABC):
    """Base of ops with any number of data inputs."""

    INPUTS: ClassVar[tuple[str, ...]] = ()
    """The attributes that say how many: a number, or a list of types; `""` stands for one input."""

    args = var_operand_def()

    @classmethod
    def input_count(cls, attrs: Mapping[str, Attribute]) -> int | None:
        counts = [_count(attrs.get(name)) if name else 1 for name in cls.INPUTS]
        known_counts = [count for count in counts if count is not None]
        return sum(known_counts) if known_counts and len(known_counts) == len(counts) else None

    def verify_(self) -> None:
        super().verify_()
        if (cls := self.declared()) is None:
            return
        try:
            cls.check_inputs(
                self.op_type, self.node_name.data, len(self.inputs), self.node_attrs.data
            )
        except AutosplitError as error:
            raise VerifyException(str(error)) from None

    def declared(self) -> type[TfOp] | None:
        """The class that is declared for nodes of this type."""
        return type(self)


class FixedOutputs(TfOp, ABC):
    """Base of ops that declare each data output; the control output follows them."""

    completion = opt_result_def(ControlType)


class ManyOutputs(TfOp, ABC):
    """Base of ops with any number of data outputs."""

    outs = var_result_def()


class NodeOp(FixedInputs, FixedOutputs, ABC):
    """Base of the usual ops: each input and each output declared."""
