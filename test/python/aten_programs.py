"""Random PyTorch modules of views and in-place updates: the same for the same seed.

A program is text, so that a failure shows what to run. Each line is tried on real tensors while the program
grows; what PyTorch refuses is left out. All arithmetic rounds exactly once, so that results do not depend on
which kernel a layout of memory asks for.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.aten import (
    AtenOp,
    GraphOp,
    InputOp,
    TensorSource,
    WriteBackOp,
    nodes_of,
)
from autosplit.dialects.aten.values import Argument
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import shape_of
from autosplit.formats.pytorch.reader import import_file

torch: Any = pytest.importorskip("torch")
Tensor: TypeAlias = Any
Module: TypeAlias = Any

SHAPES = ((4,), (3, 4), (2, 6), (4, 4), (2, 3, 4), (2, 2, 2, 3))
SCALARS = (0, 1, 2, -1, 0.5, -2.0, 3)

Line = Callable[[random.Random, "Growing"], str]


@dataclass(frozen=True)
class Program:
    """A module's source: what it is called with, its buffers, and its lines."""

    inputs: tuple[Tensor, ...]
    buffers: tuple[Tensor, ...]
    lines: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def text(self) -> str:
        """The source of `forward`."""
        head = [f"s{i} = self.s{i}" for i in range(len(self.buffers))]
        names = ", ".join(["self", *(f"x{i}" for i in range(len(self.inputs)))])
        body = [*head, *self.lines, f"return ({', '.join(self.outputs)},)"]
        return "\n    ".join([f"def forward({names}):", *body])

    def module(self) -> Module:
        """A new module, its buffers as they are at first."""
        space: dict[str, Any] = {"torch": torch}
        exec(compile(self.text, "<program>", "exec"), space)
        made = type("Made", (torch.nn.Module,), {"forward": space["forward"]})()
        for i, buffer in enumerate(self.buffers):
            made.register_buffer(f"s{i}", buffer.clone())
        return made

    def feeds(self, run: int = 0) -> tuple[Tensor, ...]:
        """The inputs of a run, none of which an earlier run has changed."""
        return tuple((x + run).to(x.dtype) if run else x.clone() for x in self.inputs)


@dataclass
class Growing:
    """A program as far as it has grown: its tensors, and those of which something is a view."""

    rng: random.Random
    values: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    lines: list[str] = field(default_factory=list[str])

    def pick(self, rank: int = 0, floating: bool = False) -> str:
        """The name of a tensor, later ones more often."""
        names = [
            n
            for n, v in self.values.items()
            if v.dim() >= rank and (v.is_floating_point() or not floating)
        ]
        if not names:
            raise IndexError
        return names[max(self.rng.randrange(len(names)), self.rng.randrange(len(names)))]

    def attempt(self, line: str) -> None:
        """Adds a line where PyTorch takes it and its tensors stay small."""
        space: dict[str, Any] = {"torch": torch, **self.values}
        try:
            exec(compile(line, "<line>", "exec"), space)
        except (RuntimeError, IndexError, ValueError, TypeError):
            return
        made = {k: v for k, v in space.items() if isinstance(v, torch.Tensor)}
        if any(not 0 < v.numel() <= 200 or v.dim() > 5 for v in made.values()):
            return
        self.values = made
        self.lines.append(line)


def grown(seed: int, steps: int = 14) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    growing = Growing(rng)
    shapes = [rng.choice(SHAPES) for _ in range(rng.randint(1, 2))]
    inputs = {f"x{i}": _numbers(rng, shape) for i, shape in enumerate(shapes)}
    states = {f"s{i}": _numbers(rng, rng.choice(SHAPES)) for i in range(rng.randint(0, 2))}
    growing.values = {k: v.clone() for k, v in (inputs | states).items()}
    growing.attempt("v0 = x0 + 1")
    for step in range(1, steps):
        line = rng.choices((_view, _update, _pure), (4, 4, 2))[0]
        try:
            growing.attempt(line(rng, growing).replace("NEW", f"v{step}"))
        except IndexError:
            continue
    names = [n for n in growing.values if n not in inputs and n not in states]
    kept = [n for n in names if rng.random() < 0.7] or names[:1]
    return Program(
        tuple(inputs.values()), tuple(states.values()), tuple(growing.lines), tuple(kept)
    )


def _numbers(rng: random.Random, shape: tuple[int, ...]) -> Tensor:
    count = torch.Size(shape).numel()
    return torch.tensor([rng.randint(-6, 6) / 2 for _ in range(count)]).reshape(shape)


def _dim(rng: random.Random, value: Tensor) -> int:
    return rng.randrange(-value.dim(), value.dim())


def _view(rng: random.Random, growing: Growing) -> str:
    name = growing.pick(rank=1)
    value = growing.values[name]
    dim = _dim(rng, value)
    size = value.shape[dim]
    start, stop, step = rng.randrange(size), rng.randint(1, size), rng.choice((1, 1, 2))
    shape = [rng.choice((-1, *value.shape)) for _ in range(rng.randint(1, 3))]
    other = rng.randrange(value.dim())
    order = rng.sample(range(value.dim()), value.dim())
    parts = rng.choice(
        ("split({n}, {d})", "chunk({n}, {d})", "unbind({d})", "tensor_split({n}, {d})")
    )
    one = parts.format(n=rng.randint(1, 3), d=dim)
    forms = (
        f"NEW = {name}.select({dim}, {rng.randrange(-size, size)})",
        f"NEW = {name}[..., {min(start, stop)}:{max(start, stop)}:{step}]",
        f"NEW = {name}[{start}:]",
        f"NEW = {name}[{-stop}:, ...]",
        f"NEW = {name}.narrow({dim}, {start}, {max(1, size - start)})",
        f"NEW = {name}.transpose({dim}, {other})",
        f"NEW = {name}.permute({order})",
        f"NEW = {name}.view({shape})",
        f"NEW = {name}.view(-1)",
        f"NEW = {name}.reshape({shape})",
        f"NEW = {name}.flatten()",
        f"NEW = {name}.unflatten({dim}, [{rng.choice((1, 2))}, -1])",
        f"NEW = {name}.unsqueeze({dim})",
        f"NEW = {name}.squeeze()",
        f"NEW = {name}.squeeze({dim})",
        f"NEW = {name}.diagonal({rng.choice((0, 0, 1))}, {dim}, {other})",
        f"NEW = {name}.movedim({dim}, {other})",
        f"NEW = {name}.{one}[{rng.randrange(-1, 1)}]",
        f"NEW = {name}.split_with_sizes([{start}, {size - start}], {dim})[1]",
        f"NEW = {name}.expand(2, *{name}.shape)",
        f"NEW = {name}.contiguous()",
        f"NEW = {name}.to(torch.{rng.choice(('float32', 'float16', 'float64'))})",
        f"NEW = {name}.detach()",
        f"NEW = {name}.mT",
        f"NEW = {name}.t()",
        f"NEW = {name}.unfold({dim}, {rng.randint(1, 2)}, 1)",
        f"NEW = {name}.as_strided([2], [1])",
    )
    # The last two do not reduce: few programs have them.
    return rng.choice(forms if rng.random() < 0.1 else forms[:-2])


def _update(rng: random.Random, growing: Growing) -> str:
    name, other = growing.pick(floating=True), growing.pick(floating=True)
    number = rng.choice(SCALARS)
    size = growing.values[name].shape[0] if growing.values[name].dim() else 1
    forms = (
        f"{name}.relu_()",
        f"{name}.neg_()",
        f"{name}.abs_()",
        f"{name}.add_({number})",
        f"{name}.mul_({number})",
        f"{name}.add_({other})",
        f"{name}.sub_({other}, alpha=2)",
        f"{name}.mul_({other})",
        f"{name}.clamp_(-1, {abs(number)})",
        f"{name}.clamp_min_({number})",
        f"torch.nn.functional.hardtanh({name}, -1.0, 2.0, inplace=True)",
        f"torch.nn.functional.relu6({name}, inplace=True)",
        f"torch.nn.functional.leaky_relu({name}, 0.5, inplace=True)",
        f"torch.nn.functional.threshold({name}, 0.5, 2.0, inplace=True)",
        f"{name}.fill_({number})",
        f"{name}.zero_()",
        f"{name}.copy_({other})",
        f"{name}[...] = {other}",
        f"{name}[{rng.randrange(size)}] = {number}",
        f"{name}[:, {rng.randrange(2)}:] += {number}",
        f"{name}[{name} > {number}] = {number}",
        f"{name}.masked_fill_({name} < 0, {number})",
        f"{name}.index_put_((torch.tensor([{rng.randrange(size)}, 0]),), torch.tensor(2.0), accumulate=True)",
        f"{name}.index_fill_(0, torch.tensor([{rng.randrange(size)}]), {number})",
        f"{name}.addcmul_({other}, {other}, value=2)",
        f"{name}.gt_({number})",
        f"NEW = {name}.add_(1)",
        f"NEW = {name}.relu_()[..., 0]",
        f"{name}.unsqueeze_(0)",
        f"{name}.t_()",
    )
    # The last two are rare; they cannot change the sizes of what lives longer than a run.
    lives = any(growing.values[name] is v for k, v in growing.values.items() if k[0] in "xs")
    few = forms[:-2] if lives or rng.random() < 0.9 else forms
    return rng.choice(few)


def _pure(rng: random.Random, growing: Growing) -> str:
    name, other = growing.pick(), growing.pick()
    forms = (
        f"NEW = {name} * 2",
        f"NEW = torch.relu({name})",
        f"NEW = {name} + {other}",
        f"NEW = torch.cat([{name}, {other}])",
        f"NEW = torch.stack([{name}, {other}])",
        f"NEW = {name}.clone()",
        f"NEW = {name}.half()",
        f"NEW = {name}.amax(0)",
        f"NEW = torch.zeros_like({name})",
        f"NEW = torch.where({name} > 0, {name}, -1.0)",
    )
    return rng.choice(forms)


def imported(module: Module, feeds: tuple[Tensor, ...], path: Path) -> ModuleOp:
    """A module as `torch.export` gives it, before it is functionalized, read from a file."""
    torch.export.save(torch.export.export(module, feeds, strict=False), path)
    return import_file(path)[0]


def executed(graph: GraphOp, feeds: Iterable[Tensor], states: dict[str, Tensor]) -> list[Tensor]:
    """The outputs of a program whose ops PyTorch runs one by one; what it updates is updated.

    `states`: the buffers by their names in the module; those that are missing are as the program has them.
    """
    values: dict[SSAValue, Any] = {}
    given = iter(feeds)
    written: list[tuple[Tensor, Tensor]] = []
    for op in nodes_of(graph):
        if isinstance(op, InputOp):
            values[op.results[0]] = next(given)
        elif isinstance(op, TensorSource):
            values[op.results[0]] = _held(op, states)
        elif isinstance(op, WriteBackOp):
            written.append((values[op.operands[0]], values[op.operands[1]]))
        else:
            made = _made(_called(op, values), len(op.results))
            for result, value in zip(op.results, made, strict=True):
                values[result] = value
                _check(result.type, value)
    outputs = [values[value] for _, value in graph.graph_outputs()]
    for target, value in [(target, value.clone()) for target, value in written]:
        target.copy_(value)
    return outputs


def _made(result: Any, count: int) -> list[Any]:
    """What an op gave, one for each of its results."""
    return [*result] if isinstance(result, list | tuple) else [result][:count]


def _held(op: TensorSource, states: dict[str, Tensor]) -> Tensor:
    name = op.fqn.data
    if name not in states:
        array = tensor_array(op.value)
        assert array is not None, name
        states[name] = torch.from_numpy(array.copy()).reshape(array.shape)
    return states[name]


def _check(type: Attribute, value: Any) -> None:
    if isinstance(value, torch.Tensor):
        shape = shape_of(type) or ()
        assert len(shape) == value.dim(), (type, value.shape)
        assert all(a in (b, DYNAMIC_INDEX) for a, b in zip(shape, value.shape, strict=True)), type
        assert str(value.dtype) == f"torch.{dtype_of(type)}", (type, value.dtype)


def _called(op: AtenOp, values: dict[SSAValue, Any]) -> Any:
    assert op.SPEC is not None, op.name
    arguments = {k: _argument(v, values) for k, v in op.arguments().items()}
    if op.SPEC.namespace != "aten":
        return getattr(operator, op.SPEC.base)(*arguments.values())
    packet = getattr(torch.ops.aten, op.SPEC.base)
    named = {"dtype": "dtype", "memory_format": "memory_format", "layout": "layout"}
    for name in named.keys() & arguments.keys():
        if isinstance(word := arguments[name], str):
            arguments[name] = getattr(torch, word)
    places = [arg.name for arg in op.SPEC.args if not arg.keyword_only]
    first: list[Any] = []
    for name in places:
        if name not in arguments:
            break
        first.append(arguments.pop(name))
    return getattr(packet, op.SPEC.overload or "default")(*first, **arguments)


def _argument(value: Argument, values: dict[SSAValue, Any]) -> Any:
    if isinstance(value, list):
        return [_argument(item, values) for item in value]
    return values[value] if isinstance(value, SSAValue) else value
