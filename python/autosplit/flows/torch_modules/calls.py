"""Calls of a module: the arguments as a flat list of leaves, and what all calls of one form share."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from torch.utils import _pytree as trees

from autosplit.flows.torch_modules.border import to_array

_jit: Any = torch.jit
"""For what has no types."""

Call = tuple[tuple[Any, ...], dict[str, Any]]
"""What is passed by position and by name."""

Key = tuple[Hashable, ...]
"""What tells calls apart that need plans of their own."""


class Caller:
    """Takes the arguments of a module's calls apart, however they are passed."""

    def __init__(self, module: torch.nn.Module, *, open_sizes: bool = False):
        self._signature = inspect.signature(module.forward)
        self.open_sizes = open_sizes
        """Whether sizes do not tell calls apart."""

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The arguments, by position as far as that goes. Raises TypeError as the module itself does."""
        if not kwargs and all(isinstance(arg, torch.Tensor) for arg in args):
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        return bound.args, bound.kwargs

    def leaves(self, call: Call) -> tuple[list[Any], Hashable]:
        """The leaves of a bound call, and what stands for the tree that they are of."""
        args, kwargs = call
        if not kwargs and all(isinstance(arg, torch.Tensor) for arg in args):
            return list(args), len(args)
        return trees.tree_flatten((args, kwargs))

    def key(self, leaves: Sequence[Any], tree: Hashable) -> Key:
        """Tensors by type and sizes, anything else by its value."""
        return (tree, *map(self._leaf_key, leaves))

    def _leaf_key(self, leaf: Any) -> Hashable:
        if isinstance(leaf, torch.Tensor):
            return leaf.dtype, leaf.dim() if self.open_sizes else sizes_of(leaf)
        # 1, 1.0 and True are equal.
        return type(cast("object", leaf)), leaf if isinstance(leaf, Hashable) else id(leaf)


def sizes_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """The sizes of a tensor, as numbers."""
    if not _jit.is_tracing():
        return tensor.shape
    # While torch.jit.trace watches, sizes are tensors; an array's are not, but it warns of arrays.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", _jit.TracerWarning)
        return to_array(tensor).shape


def calls_of(inputs: Any) -> Iterator[Call]:
    """The calls that are given: a tensor or a tuple is one, a mapping by names too; else each item is one."""
    if inputs is None:
        return
    if isinstance(inputs, torch.Tensor | tuple | Mapping):
        yield _call(inputs)
        return
    for one in cast("Iterable[Any]", inputs):
        yield _call(one)


def _call(item: Any) -> Call:
    if isinstance(item, Mapping):
        return (), dict(cast("Mapping[str, Any]", item))
    if isinstance(item, tuple | list):
        return tuple(cast("Sequence[Any]", item)), {}
    return (item,), {}
