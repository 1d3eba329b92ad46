"""convert-aten-to-onnx against PyTorch: each op in a program of its family, and whole nets.

The cases of a family are exported as one program, which is imported, converted, exported as ONNX and run by
ONNX Runtime. What is expected is PyTorch's own result: values, shape, and element type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import numpy as np
import pytest
from aten_cases import ATTENTION, CONVOLUTIONS, NORMS, POOLINGS, PRODUCTS, RESIZING, Case
from aten_direct_cases import LAYERS, NAMES, NUMBERS, QUANTIZED
from aten_nets import NETS, OPEN, net_of, open_shapes
from aten_small_cases import (
    ACTIVATIONS,
    BINARY,
    CREATION,
    INDEXING,
    MOVEMENT,
    REDUCTIONS,
    SHAPES,
    UNARY,
)
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp

from autosplit.core.dtypes import element_type_of
from autosplit.core.weights import WeightStore
from autosplit.dialects.aten.base import AtenOp
from autosplit.dialects.aten.graph import InputOp
from autosplit.dialects.aten.table import OP_TABLE
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.platform import platform_graph
from autosplit.formats.onnx.writer import model_proto
from autosplit.formats.pytorch.reader import import_file
from autosplit.lowering.convert_aten_to_onnx import CONVERSIONS, ConvertAtenToOnnxPass
from autosplit.lowering.reduce_mutation import ReduceMutationPass
from autosplit.lowering.reduce_mutation.promotion import promoted
from autosplit.lowering.shared.extract import extract_onnx

torch: Any = pytest.importorskip("torch")
ort: Any = pytest.importorskip("onnxruntime")
Array = np.ndarray[Any, Any]


# Exporting, converting, running.


class Several(torch.nn.Module):
    """Some functions on inputs of their own; the results of all, one behind the other."""

    def __init__(self, functions: Sequence[Callable[..., Any]]):
        super().__init__()
        self.functions = functions

    def forward(self, *inputs: Any) -> Any:
        return [f(*given) for f, given in zip(self.functions, inputs, strict=True)]


def exported(module: Any, inputs: tuple[Any, ...], **more: Any) -> tuple[ModuleOp, WeightStore]:
    """The program of a module, as it is read from a file."""
    program = torch.export.export(module.eval(), inputs, strict=False, **more)
    return imported(program)


@cache
def scratch() -> TemporaryDirectory[str]:
    """A folder for files that are read as long as the tests run: weights are mapped."""
    return TemporaryDirectory()


def imported(program: Any) -> tuple[ModuleOp, WeightStore]:
    path = Path(mkdtemp(dir=scratch().name)) / "m.pt2"
    torch.export.save(program, path)
    return import_file(path)


def convert(module: ModuleOp) -> ModuleOp:
    ReduceMutationPass().apply(Context(), module)
    ConvertAtenToOnnxPass().apply(Context(), module)
    module.verify()
    return module


def refusals(module: ModuleOp) -> dict[str, ReasonAttr]:
    """The reasons on the aten ops that stayed, by type."""
    found: dict[str, ReasonAttr] = {}
    for op in module.walk():
        if not isinstance(op, AtenOp) or isinstance(op, InputOp):
            continue
        refused = op.attributes["device.refused"]
        assert isinstance(refused, DictionaryAttr)
        reason = refused.data["tpu"]
        assert isinstance(reason, ReasonAttr)
        found[op.op_type] = reason
    return found


def run_onnx(module: ModuleOp, store: WeightStore, inputs: Sequence[Any]) -> list[Array]:
    graph = platform_graph(module)
    outputs = [name for name, _ in graph.graph_outputs()]
    proto = model_proto(extract_onnx(module, outputs), store)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(proto.SerializeToString(), options)
    names = [name for name, _ in graph.graph_inputs()]
    feeds = dict(zip(names, (i.numpy() for i in inputs), strict=True))
    return session.run(outputs, {i.name: feeds[i.name] for i in session.get_inputs()})


def compare(got: Array, wanted: Array, tolerance: float = 1e-5) -> None:
    """Equal in type and shape, and in value up to a part of the largest."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    with np.errstate(all="ignore"):
        largest = np.nanmax(np.abs(wanted[np.isfinite(wanted)]), initial=0.0)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=tolerance * max(largest, 1e-30))


FAMILIES: dict[str, dict[str, Case]] = {
    "activations": ACTIVATIONS,
    "attention": ATTENTION,
    "binary": BINARY,
    "casts to integers": QUANTIZED,
    "convolutions": CONVOLUTIONS,
    "creation": CREATION,
    "indexing": INDEXING,
    "layers by name": LAYERS,
    "movement": MOVEMENT,
    "names": NAMES,
    "norms": NORMS,
    "numbers": NUMBERS,
    "poolings": POOLINGS,
    "products": PRODUCTS,
    "reductions": REDUCTIONS,
    "resizing": RESIZING,
    "shapes": SHAPES,
    "unary": UNARY,
}


@dataclass(frozen=True)
class Outcome:
    """What became of a family: results by case, and what stayed in PyTorch."""

    got: Mapping[str, Array]
    wanted: Mapping[str, Array]
    stayed: Mapping[str, ReasonAttr]


@cache
def outcome(family: str, decomposed: bool) -> Outcome:
    """The results of a family, from PyTorch and from ONNX Runtime."""
    cases = FAMILIES[family]
    given = [inputs for _, inputs in cases.values()]
    net = Several([function for function, _ in cases.values()])
    program = torch.export.export(Flat(net, given), tuple(flat(given)), strict=False)
    module, store = imported(program.run_decompositions() if decomposed else program)
    stayed = {k: v for k, v in refusals(convert(module)).items() if not k.startswith("_assert")}
    if stayed:
        return Outcome({}, {}, stayed)
    with torch.no_grad():
        wanted = [value.numpy() for value in net(*given)]
    got = run_onnx(module, store, flat(given))
    return Outcome(
        dict(zip(cases, got, strict=True)), dict(zip(cases, wanted, strict=True)), stayed
    )


class Flat(torch.nn.Module):
    """A net of several functions, on one list of inputs."""

    def __init__(self, net: Several, inputs: Sequence[Sequence[Any]]):
        super().__init__()
        self.net = net
        self.counts = [len(given) for given in inputs]

    def forward(self, *inputs: Any) -> Any:
        rest = iter(inputs)
        return self.net(*([next(rest) for _ in range(n)] for n in self.counts))


def flat(inputs: Sequence[Sequence[Any]]) -> list[Any]:
    return [value for given in inputs for value in given]


@pytest.mark.parametrize(
    ("family", "case"), [(family, case) for family, cases in FAMILIES.items() for case in cases]
)
def test_op(family: str, case: str):
    found = outcome(family, decomposed=False)
    assert not found.stayed
    compare(found.got[case], found.wanted[case])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("family", "case"), [(family, case) for family, cases in FAMILIES.items() for case in cases]
)
def test_op_in_core(family: str, case: str):
    """The same after `run_decompositions`."""
    found = outcome(family, decomposed=True)
    assert not found.stayed
    compare(found.got[case], found.wanted[case])


# Whole nets.

DAILY = frozenset({"gpt", "sizes", "swin"})
"""The nets whose open sizes are tried on every change."""


def flattened(values: Any) -> list[Array]:
    return [leaf.numpy() for leaf in torch.utils._pytree.tree_leaves(values)]


def converted(program: Any) -> tuple[ModuleOp, WeightStore]:
    """A program as ONNX; nothing of it stays."""
    module, store = imported(program)
    assert refusals(convert(module)) == {}
    return module, store


@pytest.mark.parametrize("decomposed", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", NETS)
def test_net(name: str, decomposed: bool):
    net, inputs = net_of(name), NETS[name][1]
    program = torch.export.export(net, inputs, strict=False)
    module, store = converted(program.run_decompositions() if decomposed else program)
    with torch.no_grad():
        wanted = flattened(net(*inputs))
    for got, expected in zip(run_onnx(module, store, inputs), wanted, strict=True):
        compare(got, expected)


@pytest.mark.parametrize(
    "name",
    [n if n in DAILY else pytest.param(n, marks=pytest.mark.nightly) for n in OPEN],
)
def test_open_sizes(name: str):
    """One model for several sizes of its inputs."""
    net, inputs = net_of(name), NETS[name][1]
    program = torch.export.export(net, inputs, strict=False, dynamic_shapes=open_shapes(name))
    module, store = converted(program)
    for times in (1, 2):
        given = [x.repeat(times, *[1] * (x.dim() - 1)) for x in inputs]
        with torch.no_grad():
            wanted = flattened(net(*given))
        for got, expected in zip(run_onnx(module, store, given), wanted, strict=True):
            compare(got, expected)


# What does not convert.

X = torch.ones(2, 4, 5, 5)

REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str, str]] = {
    "mask": (lambda x: x[x > 0], (X,), "index.Tensor", "data-dependent"),
    "dropout": (lambda x: torch.dropout(x, 0.5, True), (X,), "dropout", "random"),
    "rand": (lambda x: x + torch.rand(5), (X,), "rand", "random"),
    "batch_norm": (
        lambda x: torch.nn.functional.batch_norm(x, None, None, training=True),
        (X,),
        "batch_norm",
        "training",
    ),
    "complex": (lambda x: torch.fft.rfft(x).abs(), (X,), "fft_rfft", "dtype"),
    "indices": (
        lambda x: torch.nn.functional.max_pool2d(x, 2, return_indices=True),
        (X,),
        "max_pool2d_with_indices",
        "result",
    ),
    "window": (
        lambda x: torch.nn.functional.avg_pool2d(x, 3, 3, 1, ceil_mode=True),
        (torch.ones(1, 1, 6, 6),),
        "avg_pool2d",
        "attribute",
    ),
    "norm": (lambda x: torch.linalg.vector_norm(x, 3.0), (X,), "linalg_vector_norm", "attribute"),
    "power": (torch.pow, (torch.ones(3, dtype=torch.int64),) * 2, "pow.Tensor_Tensor", "dtype"),
    "strides": (
        lambda x: x.transpose(0, 1).as_strided((2, 2), (1, 2)),
        (X,),
        "as_strided",
        "unsupported-op",
    ),
    "memory": (
        lambda x: x[0].as_strided((2, 2), (100, 1)),
        (X,),
        "as_strided",
        "unsupported-op",
    ),
    "kthvalue": (lambda x: x.kthvalue(2)[0], (X,), "kthvalue", "unsupported-op"),
}
"""A function, its inputs, the op that stays, and the code of the reason."""


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str):
    function, inputs, kind, code = REFUSED[name]
    program = torch.export.export(Several([function]), (list(inputs),), strict=False)
    found = refusals(convert(imported(program)[0]))
    assert found[kind].code.data == code


TYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
)


def test_promotion():
    """Every pair of types, as tensors, scalars and numbers, beside `torch.result_type`."""
    made = [
        ((element_type_of(name), rank), torch.ones([1] * rank, dtype=getattr(torch, name)))
        for name in TYPES
        for rank in (0, 2)
    ]
    made += [(number, number) for number in (True, 3, 2.5)]
    for one, first in made:
        for other, second in made:
            wanted = str(torch.result_type(first, second)).removeprefix("torch.")
            assert promoted([one, other]) == element_type_of(wanted), (one, other)


def test_every_rule_is_for_an_op_of_the_table():
    assert set(CONVERSIONS) <= set(OP_TABLE)
