"""The base of platforms whose graphs list their nodes in the order in which they are computed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import TensorType, f32

from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.named_graph import OrderedGraph
from autosplit.dialects.platform import (
    PlatformOp,
    element_type,
    platform_graph,
    set_type,
    value_name,
)
from autosplit.platforms import Model, Platform, errors_at
from autosplit.platforms.outlined import graph_body, with_attributes
from autosplit.platforms.preparing import check_shape, own_name, replace_op, together

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.core.weights import Array
    from autosplit.dialects.device import FuncOp


class OrderedPlatform(Platform):
    """A platform of `OrderedGraph`s: preparing, fixing and taking sub-models out of a module."""

    graph_type: ClassVar[type[OrderedGraph]]
    parameter_type: ClassVar[type[PlatformOp]]
    """The base of parameters: they come with the model, and nobody can give them."""
    prefix: ClassVar[str]
    """How the attributes begin that a module of the dialect has: `mx.`."""
    whole: ClassVar[str] = "model"
    """What messages call the model."""
    part: ClassVar[str] = "tensor"
    """What messages call a value of it."""
    shape_advice: ClassVar[str] = ""
    """What to do where a shape contradicts the model."""

    @abstractmethod
    def placeholder(self, name: str, value: SSAValue) -> PlatformOp:
        """An input called `name`, of the value's type."""

    def own_name(self, values: Mapping[str, SSAValue], name: str) -> str | None:
        """The name among those of `values` that `name` stands for; None if there is none."""
        return own_name(values, name)

    def needed(self, graph: OrderedGraph, values: Iterable[SSAValue]) -> set[object]:
        """The ops that the values depend on, their own among them."""
        needed: set[object] = set()
        pending: list[object] = [value.owner for value in values]
        while pending:
            op = pending.pop()
            if op not in needed and isinstance(op, PlatformOp):
                needed.add(op)
                pending.extend(value.owner for value in op.operands)
        return needed

    def also_kept(self, module: ModuleOp, graph: OrderedGraph, needed: set[object]) -> set[object]:
        """The ops that stay although no output needs them, with what is `needed`."""
        return set()

    def settle_sizes(
        self, graph: OrderedGraph, shapes: Mapping[str, tuple[Attribute, Sequence[int]]]
    ) -> None:
        """Puts what the shapes of the inputs tell into the graph's types.

        `shapes`: by the inputs' names, their types before they had the shapes, and these.
        """

    def graph_of(self, module: ModuleOp) -> OrderedGraph:
        """The graph of a module. Raises AutosplitError if it is of another platform."""
        graph = platform_graph(module)
        if not isinstance(graph, self.graph_type):
            article = "an" if self.graph_type.name[0] in "aeiom" else "a"
            raise AutosplitError(f"expected {article} {self.graph_type.name}, found {graph.name}")
        return graph

    def prepare(
        self,
        model: Model,
        inputs: Mapping[str, Sequence[int] | None],
        outputs: Sequence[str],
    ) -> None:
        """Fixes inputs, outputs and sizes, and drops the nodes that the outputs do not need.

        Any value can be an input. Raises AutosplitError for names that are unknown and for shapes that
        contradict the model.
        """
        with errors_at(model):
            self._prepare(model.module, inputs, outputs)

    def _prepare(
        self,
        module: ModuleOp,
        inputs: Mapping[str, Sequence[int] | None],
        outputs: Sequence[str],
    ) -> None:
        graph = self.graph_of(module)
        values = graph.values()
        wanted = [self._find(graph, values, name, "output") for name in outputs]
        if not outputs:
            wanted = [name for name, _ in graph.graph_outputs()]
        shapes: dict[str, tuple[Attribute, Sequence[int]]] = {}
        chosen: list[str] = []
        for name, shape in inputs.items():
            own = self._find(graph, values, name, "input")
            if own in chosen:
                raise AutosplitError(f"input {own!r} appears twice")
            if shape is not None:
                shapes[own] = (values[own].type, shape)
            self._set_input(graph, values[own], own, shape)
            chosen.append(own)
        self.settle_sizes(graph, shapes)
        values = graph.values()
        needed = self.needed(graph, [values[name] for name in wanted])
        nodes = [op for op in graph.body.block.ops if isinstance(op, PlatformOp)]
        chosen += [op.value_name(0) for op in nodes if op in needed and graph.is_input(op)]
        needed |= self.also_kept(module, graph, needed)
        kept = needed | {values[name].owner for name in chosen}
        for op in reversed(nodes):
            if op not in kept:
                op.detach()
                op.erase()
        graph.set_ends(dict.fromkeys(chosen), dict.fromkeys(wanted))

    def _find(
        self, graph: OrderedGraph, values: Mapping[str, SSAValue], name: str, what: str
    ) -> str:
        """The own name of a value. Raises AutosplitError if there is none."""
        if (own := self.own_name(values, name)) is not None:
            return own
        names = [n for n, v in values.items() if what == "input" and graph.is_input(v.owner)]
        raise AutosplitError(
            f"{what} {name!r} is not a {self.part} of the {self.whole}{choice(name, names or [*values])}"
        )

    def _set_input(
        self, graph: OrderedGraph, value: SSAValue, name: str, shape: Sequence[int] | None
    ) -> None:
        """Makes the value an input of the given shape."""
        op = value.owner
        assert isinstance(op, PlatformOp)
        if shape is not None:
            check_shape(name, value.type, shape, self.whole, self.shape_advice)
            set_type(value, TensorType(element_type(value.type) or f32, shape))
        if graph.is_input(op):
            return
        if isinstance(op, self.parameter_type):
            raise AutosplitError(
                f"input {name!r} is a parameter of the {self.whole}; choose one of its inputs, "
                f"or a {self.part} inside"
            )
        for other in op.results:
            if other is not value and other.first_use is not None:
                # The node stays for its other outputs, and its name for theirs.
                raise together(name, op.value_name(other.index), self.whole, self.part)
        replace_op(op, value, self.placeholder(name, value))

    def fix(self, model: Model, name: str, array: Array) -> None:
        graph = self.graph_of(model.module)
        op = graph.values()[name].owner
        assert isinstance(op, PlatformOp)
        constant = self.constant(op.node_name.data, array, model.store)
        replace_op(op, op.results[0], constant)
        graph.drop_input(name)

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        """A copy of one outlined sub-model as a module of its own, with a graph like an imported one."""
        body, ends = graph_body(func, self.placeholder)
        inputs = [name.data for name in func.input_names]
        # A folder of the original's has other names for them.
        graph = self.graph_type(body, inputs, [value_name(v) for v in ends])
        return with_attributes(graph, module, self.prefix)
