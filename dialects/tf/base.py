"""The common base of the ops of the `tf` dialect, and the ops for graphs and for undeclared node types.

A node's data inputs are operands, in order; behind them come the control inputs, of type `!tf.control`. Its
data outputs are results; a node that others wait for has one more, of type `!tf.control`, at the end. The
NodeDef's attributes are the dictionary `node_attrs`, which the text shows as the op's own properties:

    %y = tf.Relu "r" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

Bodies are graph regions: ops stand in the order of the file, and while loops are cycles.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import (
    PlatformGraph,
    PlatformOp,
    ProtoAttr,
)
from autosplit.dialects.tf.attributes import (
    ControlType,
    Kind,
    kind_of,
    to_python,
)

CONTROL = ControlType()

MOST_OUTPUTS = 1 << 16
"""Of a node; a number beyond it is damage, and nobody could wait for so many."""

_OWN = {
    "node.op": "op",
    "node.device": "device",
    "node.inputs": "spelled_inputs",
    "node.rest": "rest",
}
"""How the text calls the properties that are not NodeDef attributes. No attribute's name has a dot."""


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
        """The control output, where any node waits for this one."""
        results = self.results
        return results[-1] if results and isinstance(results[-1].type, ControlType) else None

    def value_name(self, index: int) -> str:
        if isinstance(self.results[index].type, ControlType):
            return f"^{self.node_name.data}"
        return f"{self.node_name.data}:{index}"

    def own_names(self) -> Iterator[str]:
        yield self.node_name.data

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute as a Python value; the op's declared default, then `default`, where it is absent."""
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
        """The IR's element type that attribute `name` says; None where it does not."""
        value = self.attribute(name)
        return value if isinstance(value, Attribute) else None

    @classmethod
    def output_dtypes(cls, attrs: Mapping[str, Attribute]) -> list[Attribute | None] | None:
        """The dtype of each output of a node with these attributes; None where that is not declared."""
        if cls.OUTPUTS is None:
            return None
        found: list[Attribute | None] = []
        for spec in cls.OUTPUTS:
            if isinstance(spec, Attribute):
                found.append(spec)
                continue
            count, _, name = spec.rpartition(" * ")
            element = _lookup(cls.ATTRIBUTES, attrs, name)
            if isinstance(element, ArrayAttr):
                found += cast("ArrayAttr[Attribute]", element).data
                continue
            repeats = to_python(attrs[count]) if count in attrs else None if count else 1
            if not isinstance(repeats, int) or not 0 <= repeats <= MOST_OUTPUTS:
                return None
            found += [element] * repeats
        return found

    def shown_properties(self) -> dict[str, Attribute]:
        own = {text: self.properties[k] for text, k in _OWN.items() if k in self.properties}
        return own | self.node_attrs.data

    @classmethod
    def read_properties(cls, shown: dict[str, Attribute]) -> dict[str, Attribute]:
        read = {own: shown.pop(text) for text, own in _OWN.items() if text in shown}
        return read | {"node_attrs": DictionaryAttr(shown)}

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
    """The dtype, or list of them, that attribute `name` or its default says."""
    attr = attrs.get(name)
    if attr is None:
        attr = declared.get(name)
    return attr if isinstance(attr, Attribute) and not isinstance(attr, ProtoAttr) else None


def _check_order(what: str, values: Sequence[SSAValue]) -> None:
    seen = False
    for i, value in enumerate(values):
        control = isinstance(value.type, ControlType)
        if seen and not control:
            raise VerifyException(f"{what} {i} is {value.type}, which stands behind a !tf.control")
        seen = seen or control


class FixedInputs(TfOp, ABC):
    """Base of ops that declare each data input; the control inputs follow them."""

    waits_for = var_operand_def(ControlType)


class ManyInputs(TfOp, ABC):
    """Base of ops with any number of data inputs."""

    INPUTS: ClassVar[tuple[str, ...]] = ()
    """The attributes that say how many: a number, or a list of types; `""` stands for one input."""

    args = var_operand_def()

    def verify_(self) -> None:
        from autosplit.dialects.tf.build import check_inputs

        super().verify_()
        try:
            check_inputs(self.op_type, self.node_name.data, len(self.inputs), self.node_attrs.data)
        except AutosplitError as error:
            raise VerifyException(str(error)) from None


class FixedOutputs(TfOp, ABC):
    """Base of ops that declare each data output; the control output follows them."""

    completion = opt_result_def(ControlType)


class ManyOutputs(TfOp, ABC):
    """Base of ops with any number of data outputs."""

    outs = var_result_def()


class NodeOp(FixedInputs, FixedOutputs, ABC):
    """Base of the usual ops: each input and each output declared."""


@irdl_op_definition
class OpaqueOp(ManyInputs, ManyOutputs):
    """A node whose type has no declared class; it keeps the type as a property.

    Its data outputs are those that other nodes read, at least one. Example:

        %y = tf.opaque "o" (%x) <{node.op = "MyOp", T = f32}> : (tensor<4xf32>) -> !platform.unknown
    """

    name = "tf.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    op = prop_def(StringAttr)

    @property
    def op_type(self) -> str:
        return self.op.data


@irdl_op_definition
class GraphOp(PlatformGraph):
    """A whole TensorFlow graph.

    `inputs` and `outputs` are the names of the tensors that a caller passes and receives. By default,
    the inputs are the placeholders, and the outputs are the tensors that nothing reads. Example:

        tf.graph inputs ["x:0"] outputs ["y:0"] {
          %x = tf.Placeholder "x" () <{dtype = f32}> : () -> tensor<*xf32>
          %y = tf.Relu "y" (%x) <{T = f32}> : (tensor<*xf32>) -> tensor<*xf32>
        }
    """

    name = "tf.graph"
    inputs = opt_prop_def(ArrayAttr[StringAttr])
    outputs = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    assembly_format = "(`inputs` $inputs^)? (`outputs` $outputs^)? attr-dict-with-keyword $body"
    traits = traits_def(NoTerminator())

    def __init__(
        self,
        body: Region,
        inputs: Iterable[str] | None = None,
        outputs: Iterable[str] | None = None,
    ):
        super().__init__(
            properties={"inputs": _names(inputs), "outputs": _names(outputs)}, regions=[body]
        )

    def set_ends(self, inputs: Iterable[str] | None, outputs: Iterable[str] | None) -> None:
        """Names the inputs and outputs, in order."""
        self.inputs, self.outputs = _names(inputs), _names(outputs)

    def keep_outputs(self, names: Container[str]) -> None:
        self.outputs = _names([name for name, _ in self.graph_outputs() if name in names])

    def values(self) -> dict[str, OpResult]:
        """All data outputs of all nodes by tensor name, in the order of the file."""
        return {
            op.value_name(v.index): v
            for op in self.body.block.ops
            if isinstance(op, TfOp)
            for v in op.outputs
        }

    def graph_inputs(self) -> list[tuple[str, SSAValue]]:
        if self.inputs is not None:
            return _named(self.inputs, self.body.block.ops)
        return [
            (op.value_name(0), op.results[0])
            for op in self.body.block.ops
            if isinstance(op, TfOp) and op.op_type in ("Placeholder", "PlaceholderV2")
        ]

    def graph_outputs(self) -> list[tuple[str, SSAValue]]:
        from autosplit.dialects.tf.graphs import sinks

        if self.outputs is not None:
            return _named(self.outputs, reversed(self.body.block.ops))
        return [(v.op.value_name(v.index), v) for v in sinks(self) if isinstance(v.op, TfOp)]

    def verify_(self) -> None:
        nodes: set[str] = set()
        tensors: set[str] = set()
        for op in self.body.block.ops:
            if not isinstance(op, PlatformOp):
                raise VerifyException(f"holds {op.name}, expected only nodes of a model")
            tensors.update(op.value_name(v.index) for v in op.results)
            name = op.node_name.data
            if isinstance(op, TfOp) and name in nodes:
                raise VerifyException(f"two nodes are called {name!r}")
            nodes.add(name)
        for what, listed in (("input", self.inputs), ("output", self.outputs)):
            for tensor in listed or ():
                if tensor.data not in tensors or tensor.data.startswith("^"):
                    raise VerifyException(f"{what} {tensor.data!r} is no tensor of the graph")


def _named(names: ArrayAttr[StringAttr], ops: Iterable[Operation]) -> list[tuple[str, SSAValue]]:
    """The values of these names; `ops` may begin where they are soon found."""
    # Conversions leave ops of other dialects among the nodes, under the same names.
    wanted = {name.data for name in names}
    found: dict[str, SSAValue] = {}
    for op in ops:
        if len(found) == len(wanted):
            break
        if not isinstance(op, PlatformOp):
            continue
        for value in op.results:
            if (name := op.value_name(value.index)) in wanted:
                found.setdefault(name, value)
    return [(name.data, found[name.data]) for name in names]


def _names(names: Iterable[str] | None) -> ArrayAttr[StringAttr] | None:
    return None if names is None else ArrayAttr([StringAttr(n) for n in names])
