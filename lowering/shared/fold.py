"""Evaluating ONNX ops whose operands are all known, and reading constants.

Folding mostly meets arithmetic on shapes, a thousand tiny ops in a detector; those ops are implemented in
numpy here, as opset 21 defines them. All others go to the reference evaluator of the onnx
package. An op that cannot be evaluated, for whatever reason, is silently not folded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, LocationAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, OpResult, SSAValue

from autosplit.core.dtypes import tensor_type_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import INLINE_LIMIT, Array, WeightStore, digest, store_for
from autosplit.dialects.onnx.base import InitializerOp, OnnxOp
from autosplit.dialects.onnx.constants import constant_array, make_constant
from autosplit.dialects.platform import WeightAttr

GROWTH_LIMIT = 1 << 20
"""A result of more elements than this is folded only if its operands have as many."""

SIZE_LIMIT = 1 << 27
"""No result of more elements than this is folded."""

AnyArray = np.ndarray[Any, Any]
Operands = Sequence[AnyArray | None]
Get = Callable[..., Any]
"""`get(name, default)`: an attribute of the op as a plain value."""
Evaluator = Callable[[list[Any], Get, int], "list[AnyArray]"]


class Constants:
    """The constants of a module: which values are constant, and their arrays."""

    def __init__(self, store: WeightStore | None):
        self.store = store
        self._small: dict[SSAValue, Array | None] = {}

    def is_constant(self, value: SSAValue) -> bool:
        """Whether a value is an initializer or the result of a Constant node."""
        if not isinstance(value, OpResult):
            return False
        op = value.op
        return isinstance(op, InitializerOp) or (
            isinstance(op, OnnxOp) and op.op_type == "Constant" and op.domain == ""
        )

    def is_missing(self, value: SSAValue) -> bool:
        """Whether a value is a weight that the store lacks."""
        if not isinstance(value, OpResult) or not isinstance(value.op, InitializerOp):
            return False
        weight = value.op.value
        return isinstance(weight, WeightAttr) and (
            self.store is None or weight.key.data not in self.store
        )

    def array(self, value: SSAValue) -> Array | None:
        """The array of a constant.

        None for any other value, where its encoding is unknown, and for a large weight that the store
        lacks: a module can be read without its weights.
        """
        if value in self._small:
            return self._small[value]
        if not self.is_constant(value):
            return None
        try:
            array = constant_array(value, self.store)
        except AutosplitError:
            array = None
        if array is None or array.size <= INLINE_LIMIT:
            self._small[value] = array
        return array

    def forget(self, values: Iterable[SSAValue]) -> None:
        """Drops what is remembered about values that are about to be erased."""
        for value in values:
            self._small.pop(value, None)


def writable_store(module: ModuleOp) -> WeightStore | None:
    """The store to which folded weights of `module` can be added.

    None if the module names no store or several; large constants are dense attributes then.
    """
    stores = module.attributes.get("platform.stores")
    if not isinstance(stores, ArrayAttr) or len(cast("ArrayAttr[Attribute]", stores)) != 1:
        return None
    return store_for(module)


def folded_constant(
    name: str, array: AnyArray, store: WeightStore | None, location: LocationAttr
) -> InitializerOp:
    """An initializer for a folded result.

    A large one goes to the store under its name and digest, only once however often it is folded.
    """
    array = np.ascontiguousarray(array).reshape(array.shape)
    if store is None or array.size <= INLINE_LIMIT:
        return make_constant(name, array, None, location)
    content = digest(array)
    key = f"{name}@{content}"
    if key not in store:
        store.make(key, lambda: array)
    value = WeightAttr(StringAttr(key), StringAttr(content), tensor_type_of(array))
    return InitializerOp(name, value, None, location)


RANDOM = frozenset(
    {
        "Bernoulli",
        "Dropout",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    }
)
"""Ops that are never folded: their results are random."""

_NOT_HERE = ("Sequence", "Optional", "String", "ConcatFromSequence", "SplitToSequence")


def can_fold(op: OnnxOp) -> bool:
    """Whether ops of this type can be evaluated at all: pure ones on tensors, of ONNX's own set."""
    kind = op.op_type
    return (
        op.domain == ""
        and not op.regions
        and bool(op.results)
        and kind not in RANDOM
        and not kind.startswith(_NOT_HERE)
    )


def evaluate(op: OnnxOp, operands: Operands, store: WeightStore | None) -> list[AnyArray] | None:
    """The results of `op` on `operands` (None if one is left out); None if that fails.

    The op is in its opset 21 form. Integers are exact; floats are within rounding of any other
    implementation.
    """
    if any(a is not None and a.dtype.kind in "OUS" for a in operands):
        return None

    def get(name: str, default: Any = None) -> Any:
        return op.attribute(name, default, store)

    evaluator = EVALUATORS.get(op.op_type)
    try:
        with np.errstate(all="ignore"):
            if evaluator is None:
                arrays = _reference(op, operands, store)
            else:
                arrays = evaluator(list(operands), get, len(op.results))
    except Exception:  # whatever numpy dislikes is a model's fault that the framework will report
        return None
    if len(arrays) < len(op.results):
        return None
    size = sum(a.size for a in operands if a is not None)
    if any(a.size > SIZE_LIMIT or (a.size > GROWTH_LIMIT and a.size > size) for a in arrays):
        return None
    return arrays


def _reference(op: OnnxOp, operands: Operands, store: WeightStore | None) -> list[AnyArray]:
    """Runs one op in the reference evaluator of the onnx package."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    from autosplit.formats.onnx.writer import node_proto

    names = ["" if a is None else f"i{i}" for i, a in enumerate(operands)]
    outputs = [f"o{i}" for i in range(len(op.results))]
    node = node_proto(op, names, outputs, store)
    graph = onnx.GraphProto(node=[node], name="fold")
    graph.input.extend(onnx.ValueInfoProto(name=n) for n in names if n)
    graph.output.extend(onnx.ValueInfoProto(name=n) for n in outputs)
    model = onnx.ModelProto(ir_version=10, graph=graph)
    model.opset_import.add(domain="", version=21)
    feeds = {n: a for n, a in zip(names, operands, strict=True) if a is not None}
    run = cast("Callable[..., list[AnyArray]]", ReferenceEvaluator(model).run)
    with warnings.catch_warnings():
        # What numpy warns of, as the mean of nothing, no two runtimes agree on.
        warnings.simplefilter("error")
        return [np.asarray(a) for a in run(None, feeds)]


# Evaluators: operands (None if left out), attributes, number of results -> results.


def _unary(function: Callable[[AnyArray], AnyArray]) -> Evaluator:
    return lambda v, get, n: [np.asarray(function(v[0])).astype(v[0].dtype, copy=False)]


def _binary(function: Callable[[AnyArray, AnyArray], AnyArray]) -> Evaluator:
    return lambda v, get, n: [np.asarray(function(v[0], v[1])).astype(v[0].dtype, copy=False)]


def _predicate(function: Callable[[AnyArray, AnyArray], AnyArray]) -> Evaluator:
    return lambda v, get, n: [np.asarray(function(v[0], v[1])).astype(np.bool_)]


def _variadic(function: Callable[[AnyArray, AnyArray], AnyArray]) -> Evaluator:
    def run(v: list[Any], get: Get, n: int) -> list[AnyArray]:
        result = v[0]
        for other in v[1:]:
            result = np.asarray(function(result, other))
        return [np.asarray(result)]

    return run


def divide(a: AnyArray, b: AnyArray) -> AnyArray:
    """Division as ONNX defines it: integers are truncated towards zero.

    Raises ZeroDivisionError for integers where a divisor is 0, since no two runtimes agree then.
    """
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    if not np.all(b):
        raise ZeroDivisionError
    quotient = np.floor_divide(a, b)
    inexact = quotient * b != a
    return quotient + (inexact & ((a < 0) != (b < 0)))


def _mod(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    a, b = v
    if a.dtype.kind in "iu" and not np.all(b):
        raise ZeroDivisionError
    return [np.asarray(np.fmod(a, b) if get("fmod", 0) else np.mod(a, b)).astype(a.dtype)]


def _cast(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    from onnx import helper

    find = cast("Callable[[int], np.dtype[Any]]", helper.tensor_dtype_to_np_dtype)
    to = find(get("to"))
    # Every implementation rounds to bfloat16 alike; to the smaller floats they do not.
    if to.name != "bfloat16" and to.kind not in "biuf":
        raise ValueError("not a plain number type")
    x: AnyArray = v[0]
    if to.kind in "iu" and x.dtype.kind == "f" and x.size:
        limits = np.iinfo(to)
        low = x < limits.min
        # Processors agree on what is too small for a register: a logarithm of 0 becomes the least integer.
        if not x.max() < limits.max + 1 or (low.any() and (to.kind == "u" or to.itemsize < 4)):
            raise OverflowError
        return [np.where(low, limits.min, np.where(low, 0, x).astype(to))]
    return [x.astype(to)]


BACK_TO_THE_FRONT = (2**31 - 1, 2**63 - 1)


def slice_end(end: int, step: int) -> int:
    """The end of a Slice in Python's terms.

    Backwards to the largest integer is everything in ONNX Runtime, and nothing in the standard.
    """
    return -(2**63) if step < 0 and end in BACK_TO_THE_FRONT else end


def slice_array(
    x: AnyArray,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None,
    steps: Sequence[int] | None,
) -> AnyArray:
    """The result of Slice. Python clamps in the same way, except for a start before the first element.

    Backwards, runtimes begin with that element then, and Python takes nothing.
    """
    index = [slice(None)] * x.ndim
    for i, axis in enumerate(range(len(starts)) if axes is None else axes):
        step = 1 if steps is None else steps[i]
        start = max(starts[i], -x.shape[axis]) if step < 0 else starts[i]
        index[axis] = slice(start, slice_end(ends[i], step), step)
    return x[tuple(index)]


def ints(array: AnyArray | None) -> list[int] | None:
    """The elements of an integer array as a list."""
    return None if array is None else [int(i) for i in array.reshape(-1)]


def _slice(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    v = [*v, None, None]
    return [slice_array(v[0], ints(v[1]) or [], ints(v[2]) or [], ints(v[3]), ints(v[4]))]


def reshape_to(shape: Sequence[int], target: Sequence[int], allow_zero: bool) -> list[int]:
    """The shape that Reshape requests, with the sizes that its zeros copy; -1 stays."""
    return [shape[i] if d == 0 and not allow_zero else d for i, d in enumerate(target)]


def _reshape(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    return [v[0].reshape(reshape_to(v[0].shape, ints(v[1]) or [], bool(get("allowzero", 0))))]


def _unsqueeze(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    axes = ints(v[1]) or []
    rank = v[0].ndim + len(axes)
    inserted = {a % rank for a in axes}
    dims = iter(v[0].shape)
    return [v[0].reshape([1 if i in inserted else next(dims) for i in range(rank)])]


def _squeeze(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    axes = ints(v[1]) if len(v) > 1 else None
    # ONNX Runtime takes an empty list of axes as all axes.
    return [np.squeeze(v[0], tuple(axes) if axes else None)]


def _reduce(function: Callable[..., AnyArray]) -> Evaluator:
    def run(v: list[Any], get: Get, n: int) -> list[AnyArray]:
        axes = ints(v[1]) if len(v) > 1 else None
        if not axes and get("noop_with_empty_axes", 0):
            return [v[0]]
        keep = bool(get("keepdims", 1))
        result = function(v[0], axis=tuple(axes) if axes else None, keepdims=keep)
        return [np.asarray(result).astype(v[0].dtype, copy=False)]

    return run


def _range(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    start, limit, delta = (a.reshape(()) for a in v)
    count = max(int(np.ceil((limit.item() - start.item()) / delta.item())), 0)
    if count > GROWTH_LIMIT:
        raise OverflowError
    steps = np.arange(count).astype(start.dtype)
    return [(start + steps * delta).astype(start.dtype)]


def _constant_of_shape(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    shape = ints(v[0]) or []
    value = get("value")
    value = np.zeros(1, np.float32) if value is None else value
    if np.prod([*shape, 1.0]) > GROWTH_LIMIT:
        raise OverflowError
    return [np.full(shape, value.reshape(-1)[0], value.dtype)]


def _expand(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    shape = np.broadcast_shapes(v[0].shape, tuple(ints(v[1]) or ()))
    if np.prod([*shape, 1.0]) > max(GROWTH_LIMIT, v[0].size):
        raise OverflowError
    return [np.broadcast_to(v[0], shape)]


def _tile(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    repeats = ints(v[1]) or []
    if v[0].size * np.prod([*repeats, 1.0]) > max(GROWTH_LIMIT, v[0].size):
        raise OverflowError
    return [np.tile(v[0], repeats)]


def _split(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    axis = get("axis", 0)
    sizes = ints(v[1]) if len(v) > 1 else None
    if sizes is None:
        chunk = -(-v[0].shape[axis] // n)
        sizes = [chunk] * (n - 1) + [v[0].shape[axis] - chunk * (n - 1)]
    return list(np.split(v[0], np.cumsum(sizes)[:-1], axis))


def _gather(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    return [np.asarray(np.take(v[0], v[1], axis=get("axis", 0)))]


def _clip(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    result: AnyArray = v[0]
    low, high = [*v[1:], None, None][:2]
    result = result if low is None else np.asarray(np.maximum(result, low))
    result = result if high is None else np.asarray(np.minimum(result, high))
    return [result.astype(v[0].dtype, copy=False)]


def _flatten(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    x: AnyArray = v[0]
    axis = int(get("axis", 1))
    axis += x.ndim if axis < 0 else 0
    return [x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:]))]


def _transpose(v: list[Any], get: Get, n: int) -> list[AnyArray]:
    return [np.transpose(v[0], get("perm"))]


EVALUATORS: dict[str, Evaluator] = {
    "Abs": _unary(np.abs),
    "Add": _binary(np.add),
    "And": _predicate(np.logical_and),
    "Cast": _cast,
    "Ceil": _unary(np.ceil),
    "Clip": _clip,
    "Concat": lambda v, get, n: [np.concatenate(v, get("axis"))],
    "ConstantOfShape": _constant_of_shape,
    "Div": _binary(divide),
    "Equal": _predicate(np.equal),
    "Exp": _unary(np.exp),
    "Expand": _expand,
    "Flatten": _flatten,
    "Floor": _unary(np.floor),
    "Gather": _gather,
    "Greater": _predicate(np.greater),
    "GreaterOrEqual": _predicate(np.greater_equal),
    "Identity": lambda v, get, n: [v[0]],
    "Less": _predicate(np.less),
    "LessOrEqual": _predicate(np.less_equal),
    "Log": _unary(np.log),
    "Max": _variadic(np.maximum),
    "Min": _variadic(np.minimum),
    "Mod": _mod,
    "Mul": _binary(np.multiply),
    "Neg": _unary(np.negative),
    "Not": lambda v, get, n: [np.logical_not(v[0])],
    "Or": _predicate(np.logical_or),
    "Pow": _binary(np.power),
    "Range": _range,
    "Reciprocal": _unary(np.reciprocal),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "ReduceProd": _reduce(np.prod),
    "ReduceSum": _reduce(np.sum),
    "Reshape": _reshape,
    "Round": _unary(np.round),
    "Shape": lambda v, get, n: [np.array(v[0].shape[slice(get("start", 0), get("end"))], np.int64)],
    "Sign": _unary(np.sign),
    "Size": lambda v, get, n: [np.array(v[0].size, np.int64)],
    "Slice": _slice,
    "Split": _split,
    "Sqrt": _unary(np.sqrt),
    "Squeeze": _squeeze,
    "Sub": _binary(np.subtract),
    "Sum": _variadic(np.add),
    "Tile": _tile,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
    "Where": lambda v, get, n: [np.where(v[0], v[1], v[2])],
    "Xor": _predicate(np.logical_xor),
}
