"""A module as torch.export sees it: the program in a file, and what its inputs and outputs are for a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree as trees

from autosplit.core.errors import first_line

CASTS = "quantized_decomposed"
"""The namespace of the casts that PyTorch's own quantization puts in."""


PRODUCTS = ("linear", "matmul", "mm", "bmm", "addmm", "baddbmm")
"""PyTorch's ops, beside convolutions, that 8 bits are for."""


class NotExportedError(Exception):
    """A module cannot be exported; the text is the reason, as PyTorch gives it."""


@dataclass(frozen=True)
class ResultLeaf:
    """A leaf of a result: what the program computes, or a value that is there anyway."""

    name: str = ""
    """Of what is computed; empty for anything else."""
    value: Any = None
    """A number, a parameter, a constant and the like."""
    leaf: int | None = None
    """Which of the arguments it is."""


@dataclass(frozen=True)
class Exported:
    """A program, and how calls become its inputs and its outputs become results."""

    program: Any
    inputs: Sequence[str | None]
    """By leaf of the arguments the input's name; None for what is fixed."""
    outputs: Sequence[ResultLeaf]
    """By leaf of the result."""
    spec: Any
    """The tree of the result."""
    states: Sequence[torch.Tensor] = ()
    """Buffers that the module updates: the first leaves; their new values come behind the result."""

    @property
    def has_casts(self) -> bool:
        """Whether the program is quantized already."""
        return any(map(is_cast, self.program.graph.nodes))

    def products(
        self, module: torch.nn.Module, skips: Callable[[str, torch.nn.Module], bool]
    ) -> list[str]:
        """The names of the products in modules of which `skips` says so, by path and module."""
        modules: dict[str, torch.nn.Module] = dict(_named_modules(module))
        return [
            node.name
            for node in self.program.graph.nodes
            if node.op == "call_function" and _is_product(node.target)
            for path in [_path(node)]
            if path in modules and skips(path, modules[path])
        ]

    def write(self, path: Path) -> None:
        """Writes the program, as it was before views and updates in place were taken out."""
        torch.export.save(self.program, path)

    @property
    def computed(self) -> list[str]:
        """The names of the outputs that the program computes."""
        return list(dict.fromkeys(output.name for output in self.outputs if output.name))

    def result(self, tensors: Mapping[str, torch.Tensor], leaves: Sequence[Any]) -> Any:
        """What the module returns, of the outputs by name and the arguments; its buffers are updated."""
        results = [
            leaves[output.leaf]
            if output.leaf is not None
            else tensors.get(output.name, output.value)
            for output in self.outputs
        ]
        result = results[0] if self.spec.is_leaf() else trees.tree_unflatten(results, self.spec)
        if not self.states:
            return result
        result, updated = result
        with torch.no_grad():
            for state, tensor in zip(self.states, updated, strict=True):
                state.copy_(tensor)
        return result


class WithStates(torch.nn.Module):
    """A module whose buffers of some names are passed to it, and returned behind its result."""

    def __init__(self, module: torch.nn.Module, names: Sequence[str]):
        super().__init__()
        self.module, self.names = module, list(names)
        self.training = module.training

    def forward(self, states: list[torch.Tensor], /, *args: Any, **kwargs: Any) -> Any:
        """The result, and what the buffers are then."""
        own = {name: state.clone() for name, state in zip(self.names, states, strict=True)}
        result = torch.func.functional_call(self.module, own, args, kwargs)
        return result, [own[name] for name in self.names]


def export(
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic_shapes: Any = None,
) -> Exported:
    """The program of a module for such calls. Raises NotExportedError if PyTorch makes none."""
    program = _program(module, args, kwargs, dynamic_shapes)
    written = _written(program)
    names = [spec.target for spec in written if spec.kind.name == "BUFFER"]
    for spec in written:
        if spec.kind.name != "BUFFER":
            what = f"its input {spec.arg.name!r}" if spec.target is None else repr(spec.target)
            raise NotExportedError(f"it writes to {what}, which outlives a call")
    states: list[torch.Tensor] = []
    if names:
        states = [module.get_buffer(name) for name in names]
        clones = [tensor.clone() for tensor in states]
        program = _program(WithStates(module, names), (clones, *args), kwargs, dynamic_shapes)
    signature = program.graph_signature
    inputs = [_name(spec.arg) for spec in signature.input_specs if spec.kind.name == "USER_INPUT"]
    outputs = [
        _output(program, spec.arg, inputs)
        for spec in signature.output_specs
        if spec.kind.name == "USER_OUTPUT"
    ]
    exported = Exported(program, inputs, outputs, program.call_spec.out_spec, states)
    if not exported.computed:
        raise NotExportedError("it computes nothing")
    return exported


def _output(program: Any, argument: Any, inputs: Sequence[str | None]) -> ResultLeaf:
    name = _name(argument)
    if name is None:
        return ResultLeaf(value=getattr(argument, "value", None))
    if name in inputs:
        return ResultLeaf(leaf=inputs.index(name))
    for spec in program.graph_signature.input_specs:
        if spec.arg.name == name:
            held = program.state_dict.get(spec.target)
            return ResultLeaf(value=program.constants[spec.target] if held is None else held)
    return ResultLeaf(name)


def _program(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic_shapes: Any
) -> Any:
    if dynamic_shapes is not None and isinstance(module, WithStates):
        raise NotExportedError("it writes to buffers, and its sizes vary: leave dynamic_shapes out")
    try:
        with torch.no_grad():
            return torch.export.export(
                module, args, kwargs, dynamic_shapes=dynamic_shapes, strict=False
            )
    except Exception as e:
        # What a module's own code raises while it is traced comes out as it is.
        raise NotExportedError(f"torch.export refuses it: {first_line(e)}") from e


def _name(argument: Any) -> str | None:
    """The name of a tensor; None for anything else."""
    return argument.name if type(argument).__name__ == "TensorArgument" else None


def _written(program: Any) -> list[Any]:
    """The inputs, parameters and buffers that ops of the program write to, themselves or by views."""
    roots: dict[Any, set[str]] = {}
    written: set[str] = set()
    for node in program.graph.nodes:
        if node.op == "placeholder":
            roots[node] = {node.name}
        schema = getattr(node.target, "_schema", None)
        if node.op != "call_function" or schema is None:
            continue
        roots[node] = set[str]()
        named = dict(zip((a.name for a in schema.arguments), node.args, strict=False))
        named |= node.kwargs
        for argument in schema.arguments:
            if argument.alias_info is None or argument.name not in named:
                continue
            behind = trees.tree_leaves(named[argument.name])
            there = set[str]().union(*(roots.get(one, ()) for one in behind))
            roots[node] |= there
            if argument.alias_info.is_write:
                written |= there
    return [spec for spec in program.graph_signature.input_specs if spec.arg.name in written]


def _named_modules(module: Any) -> Any:
    return module.named_modules()


def is_cast(node: Any) -> bool:
    """Whether a node of a graph is a cast of PyTorch's own quantization."""
    return node.op == "call_function" and getattr(node.target, "namespace", "") == CASTS


def _is_product(target: Any) -> bool:
    name = str(getattr(target, "__name__", target)).partition(".")[0]
    return name.startswith("conv") or name in PRODUCTS


def _path(node: Any) -> str:
    """The path of the module that a node is of; empty for the outermost one, and where it is not known."""
    stack = list(node.meta.get("nn_module_stack", {}).values())
    return stack[-1][0].removeprefix("module.") if stack else ""
