"""The nodes of a program as calls of PyTorch's functions: what is called, and with which arguments.

Nothing of a file is run but these calls: a program names functions, and what is not one of PyTorch's own ops,
or of its functions on sizes, is refused.
"""

from __future__ import annotations

import json
import math
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from autosplit.core.dtypes import dtype_named, dtype_of
from autosplit.core.errors import AutosplitError, MissingExtraError, first_line
from autosplit.core.weights import Array
from autosplit.dialects.aten.base import AtenOp, is_symbol
from autosplit.dialects.aten.opaque import OpaqueOp
from autosplit.dialects.aten.values import (
    Argument,
    DeviceAttr,
    DtypeAttr,
    JsonAttr,
    MemoryFormatAttr,
    WordAttr,
)
from autosplit.dialects.platform import strings
from autosplit.formats.pytorch.reader import import_branch
from autosplit.formats.pytorch.rest import target_of
from autosplit.inputs.custom_ops import loaded_twin, why_not_loaded

REGISTERED_BY = {
    "quantized_decomposed": "torch.ao.quantization.fx._decomposed",
    "torchvision": "torchvision",
}
"""The modules that register the ops of a namespace when they are imported."""

_MODULES = {"_operator": operator, "math": math}
"""The modules of functions on sizes, besides PyTorch's own."""

BLOCKS = "torch.ops.higher_order."
"""How the names of the ops begin that run graphs inside of a program."""

FILES = "torch.ops.aten.from_file."
"""How the names of the ops begin that open files."""

_VIEWED = {"bfloat16": "uint16"} | {
    name: "uint8"
    for name in (
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e8m0fnu",
    )
}
"""Dtypes that go from numpy to PyTorch as integers of as many bits."""


def import_torch(why: str) -> Any:
    """PyTorch. Raises MissingExtraError, saying that `why` needs it, where it is not installed."""
    if find_spec("torch") is None:
        raise MissingExtraError("torch", "torch", why)
    try:
        return import_module("torch")
    except (ImportError, OSError) as error:
        raise AutosplitError(f"torch is installed and does not load: {error}") from error


def load_libraries(torch: Any, custom_ops: Sequence[Path]) -> dict[str, list[str]]:
    """Loads libraries of ops: Python files that register them, and shared objects.

    Returns the arguments that each op in them writes to, by what a program calls it. Raises AutosplitError
    for what does not load.
    """
    before = frozenset(torch._C._dispatch_get_all_op_names())
    for path in custom_ops:
        _load_library(torch, path)
    written: dict[str, list[str]] = {}
    for name in sorted(frozenset(torch._C._dispatch_get_all_op_names()) - before):
        space, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        target = f"torch.ops.{space}.{base}.{overload or 'default'}"
        if (schema := _schema(torch, target)) is not None:
            written[target] = _written(schema)
    return written


def _load_library(torch: Any, path: Path) -> None:
    what = f"{path}: does not load as custom ops of PyTorch {torch.__version__}"
    if path.suffix == ".py":
        _import_file(path, what)
        return
    try:
        # The user's own program may have loaded it from somewhere else.
        torch.ops.load_library(str(loaded_twin(path) or path))
    except (OSError, RuntimeError) as error:
        # PyTorch's own error names the file alone; the linker's, which says why, is its cause.
        reason = first_line(error.__cause__ or error)
        raise AutosplitError(f"{what}: {why_not_loaded(reason)}") from None


def _import_file(path: Path, what: str) -> None:
    """Runs a Python file, unless a module of the same text is loaded already."""
    text = path.read_bytes()
    for module in [*sys.modules.values()]:
        other = getattr(module, "__file__", None)
        if isinstance(other, str) and other.endswith(".py") and _holds(Path(other), text):
            return
    name = f"autosplit_custom_ops_{sha256(text).hexdigest()[:16]}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise AutosplitError(f"{what}: {type(error).__name__}: {first_line(error)}") from error


def _holds(path: Path, text: bytes) -> bool:
    try:
        return path.stat().st_size == len(text) and path.read_bytes() == text
    except OSError:
        return False


def to_tensor(torch: Any, array: Array) -> Any:
    """A tensor with the elements of an array, which it shares where it may write to them."""
    array = np.ascontiguousarray(array).reshape(array.shape)
    if not array.flags.writeable:
        array = array.copy()
    if (bits := _VIEWED.get(array.dtype.name)) is not None:
        whole = torch.from_numpy(array.reshape(-1).view(bits)).view(
            getattr(torch, array.dtype.name)
        )
        return whole.reshape(array.shape)
    return torch.from_numpy(array)


def to_array(torch: Any, value: Any, type: Attribute) -> Array:
    """What a program computed as an array of its own."""
    if not isinstance(value, torch.Tensor):
        return np.asarray(value, dtype_of(type))
    # Negated and conjugated tensors are marked as such; numpy asks for their elements.
    tensor = value.detach().resolve_neg().resolve_conj().contiguous()
    name = str(tensor.dtype).removeprefix("torch.")
    if (bits := _VIEWED.get(name)) is not None:
        array: Array = tensor.view(getattr(torch, bits)).numpy().view(dtype_named(name))
        return array.reshape(tensor.shape).copy()
    return np.array(tensor.numpy(), copy=True)


Values = Mapping[SSAValue, Any]


@dataclass(frozen=True)
class TorchCall:
    """A node that is ready to be called."""

    op: AtenOp
    function: Callable[..., Any]
    positional: Sequence[Callable[[Values], Any]]
    keywords: Mapping[str, Callable[[Values], Any]]

    @property
    def is_check(self) -> bool:
        """Whether it computes nothing, and may only fail."""
        return self.op.SPEC is not None and self.op.SPEC.is_check

    def run(self, values: Values) -> list[Any]:
        """The results, one for each of the op's."""
        results = self.function(
            *[getter(values) for getter in self.positional],
            **{name: getter(values) for name, getter in self.keywords.items()},
        )
        return [*_flat(results)]


def _flat(results: Any) -> Iterator[Any]:
    """The results that a call returns, in lists or not; None is none."""
    if isinstance(results, list | tuple):
        for item in cast("Sequence[Any]", results):
            yield from _flat(item)
    elif results is not None:
        yield results


def call_of(torch: Any, op: AtenOp) -> TorchCall:
    """A node as a call. Raises AutosplitError where PyTorch has no such op."""
    target = target_of(op)
    try:
        function = _function(torch, target, is_known=op.SPEC is not None)
    except AutosplitError as error:
        raise AutosplitError(f"node {op.node_name.data!r}: {error}") from None
    positional: list[Callable[[Values], Any]] = []
    keywords: dict[str, Callable[[Values], Any]] = {}
    specs = () if op.SPEC is None else op.SPEC.args
    in_order = [arg.name for arg in specs if not arg.keyword_only]
    sizes = not target.startswith("torch.ops.")
    for name, argument in op.arguments().items():
        getter = _getter(torch, op, name, argument)
        place = len(positional)
        if sizes or (not keywords and place < len(in_order) and in_order[place] == name):
            positional.append(getter)
        else:
            keywords[name] = getter
    return TorchCall(op, function, positional, keywords)


def _function(torch: Any, target: str, *, is_known: bool) -> Any:
    space, _, rest = target.removeprefix("torch.ops.").partition(".")
    if target.startswith(BLOCKS):
        run = _RUN_GRAPHS.get(target.removeprefix(BLOCKS))
        if run is None:
            raise AutosplitError(f"{target!r} runs a graph in a way that is not known here")
        return _in_order(torch, run)
    if target.startswith(FILES):
        raise AutosplitError(f"{target!r} opens files, which no program may")
    if not target.startswith("torch.ops."):
        if not is_known:
            # It could be any function of any module.
            raise AutosplitError(f"{target!r} is not an op of PyTorch; only these are run")
        return getattr(_MODULES.get(space, torch), rest)
    if space in REGISTERED_BY and not _is_registered(torch, target):
        module = REGISTERED_BY[space]
        try:
            import_module(module)
        except ImportError:
            raise AutosplitError(
                f"{target!r} is an op of {module}, which is not installed"
            ) from None
    if not _is_registered(torch, target):
        raise AutosplitError(
            f"PyTorch {torch.__version__} has no op {target!r}; where a Python file or a library registers "
            "it, give that with --custom-ops FILE"
        )
    function = torch.ops
    for part in target.removeprefix("torch.ops.").split("."):
        function = getattr(function, part)
    return function


def _in_order(torch: Any, run: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """A function whose arguments are called by their places."""

    def call(**operands: Any) -> list[Any]:
        names = [f"arg{i}" for i in range(len(operands))]
        if operands.keys() != set(names):
            raise TypeError(f"has the arguments {', '.join(operands)}, expected {', '.join(names)}")
        return run(torch, *[operands[name] for name in names])

    return call


def _is_registered(torch: Any, target: str) -> bool:
    return _schema(torch, target) is not None


def _schema(torch: Any, target: str) -> Any:
    """The schema of an overload; None where PyTorch has none of this name.

    The registry is asked, so that a name reaches nothing else.
    """
    parts = target.removeprefix("torch.ops.").split(".")
    if len(parts) != 3:
        return None
    wanted = "" if parts[2] == "default" else parts[2]
    schemas = torch._C._jit_get_schemas_for_operator(f"{parts[0]}::{parts[1]}")
    return next((schema for schema in schemas if schema.overload_name == wanted), None)


def note_writes(torch: Any, module: ModuleOp) -> None:
    """Notes what ops write to that the table does not have, where their library is loaded."""
    for op in module.walk():
        if not isinstance(op, OpaqueOp) or (schema := _schema(torch, op.target.data)) is None:
            continue
        op.properties["writes"] = strings(_written(schema))


def _written(schema: Any) -> list[str]:
    """The arguments that an op writes to."""
    return [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write]


def _getter(torch: Any, op: AtenOp, name: str, argument: Argument) -> Callable[[Values], Any]:
    attr = op.node_args.data.get(name)
    if isinstance(attr, WordAttr):
        word = _word(torch, attr)
        return lambda _: word
    if isinstance(attr, JsonAttr):
        constant = _kept(torch, op, name, attr)
        return lambda _: constant
    if isinstance(argument, SSAValue):
        return lambda values: values[argument]
    if isinstance(argument, list) and any(isinstance(item, SSAValue) for item in argument):
        items = argument
        return lambda values: [values[i] if isinstance(i, SSAValue) else i for i in items]
    return lambda _: argument


def _word(torch: Any, attr: WordAttr) -> Any:
    word = attr.word.data
    match attr:
        case DeviceAttr():
            # Programs of other devices run here, where the whole of them does.
            return torch.device("cpu")
        case DtypeAttr() | MemoryFormatAttr():
            return getattr(torch, word)
        case _:
            return getattr(torch, word, torch.strided)


def _kept(torch: Any, op: AtenOp, name: str, attr: JsonAttr) -> Any:
    kind, held = next(iter(json.loads(attr.text.data).items()))
    if kind == "as_complex":
        return complex(held["real"], held["imag"])
    if kind == "as_graph":
        return _branch(torch, held["graph"])
    raise AutosplitError(
        f"node {op.node_name.data!r} ({op.op_type}) has {name} of kind {kind.removeprefix('as_')!r}, "
        "which is not run; export the module without it"
    )


def _branch(torch: Any, graph: Any) -> Callable[..., list[Any]]:
    """A branch as a function of its inputs."""
    branch = import_branch(graph)
    calls = [call_of(torch, op) for op in branch.nodes]

    def run(*operands: Any) -> list[Any]:
        values = dict(zip(branch.inputs, operands, strict=True))
        for call in calls:
            values.update(zip(call.op.results, call.run(values), strict=False))
        return [values[value] for value in branch.outputs]

    return run


Graph = Callable[..., list[Any]]
"""A graph inside of a program, as a function of its inputs."""


def _cond(_: Any, chosen: Any, first: Graph, second: Graph, args: Sequence[Any] = ()) -> list[Any]:
    """`torch.cond`: one of two graphs, by a condition."""
    return (first if chosen else second)(*args)


def _while_loop(
    torch: Any, goes_on: Graph, body: Graph, carried: Sequence[Any], more: Sequence[Any] = ()
) -> list[Any]:
    """`while_loop`: a graph of what it returned before, for as long as another one says."""
    values = [v.clone() if isinstance(v, torch.Tensor) else v for v in carried]
    while goes_on(*values, *more)[0]:
        values = body(*values, *more)
    return values


def _map(torch: Any, body: Graph, over: Sequence[Any], more: Sequence[Any] = ()) -> list[Any]:
    """`map`: a graph of each row of tensors."""
    rows = [body(*row, *more) for row in zip(*over, strict=True)]
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def _scan(
    torch: Any, body: Graph, first: Sequence[Any], over: Sequence[Any], more: Sequence[Any] = ()
) -> list[Any]:
    """`scan`: a graph of each row, and of what it returned for the row before."""
    carried, rows = [*first], list[list[Any]]()
    for row in zip(*over, strict=True):
        results = body(*carried, *row, *more)
        carried = results[: len(first)]
        rows.append(results[len(first) :])
    return [*carried, *(torch.stack(column) for column in zip(*rows, strict=True))]


def _autocast(
    torch: Any, device: str, dtype: Any, enabled: bool, cached: Any, body: Graph, *operands: Any
) -> list[Any]:
    """A block of `torch.autocast`."""
    with torch.autocast(device, dtype, enabled, cached):
        return body(*operands)


_RUN_GRAPHS: Mapping[str, Callable[..., list[Any]]] = {
    "cond": _cond,
    "map_impl": _map,
    "scan": _scan,
    "while_loop": _while_loop,
    "wrap_with_autocast": _autocast,
}
"""What the ops that run graphs do with them, by their names."""


def number_of(array: Array, value: SSAValue) -> Any:
    """What a program gets for a number that crosses a border as an array of one element."""
    assert is_symbol(value)
    return np.asarray(array).reshape(()).item()
