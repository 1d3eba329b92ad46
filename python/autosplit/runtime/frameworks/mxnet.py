"""Running symbols in MXNet, and asking it what shapes their tensors have.

Sub-models that run one after the other must give the bits of the whole model. So MXNet runs what the symbol
says: it fuses nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import CDLL, byref, c_char_p, c_int, c_uint, c_void_p
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from autosplit.core.errors import AutosplitError, MissingExtraError, choice
from autosplit.dialects.mx import GraphOp
from autosplit.dialects.mx.graph import LabelOp, NullOp, nodes_of, resolve_tensor_name
from autosplit.dialects.platform import platform_graph
from autosplit.formats.mxnet.params import read_params
from autosplit.formats.mxnet.reader import import_files
from autosplit.formats.mxnet.writer import export_model, export_values, uses_np_shape
from autosplit.platforms import Measurements
from autosplit.runtime.frameworks.asked import AskedFramework, Files, Types, answer
from autosplit.runtime.frameworks.executed_work import measurements
from autosplit.runtime.frameworks.mxnet_work import work_in_mxnet

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from autosplit.core.weights import Array
    from autosplit.platforms import Model

MXNET = AskedFramework("MXNet", "mxnet", "mxnet", "runtime.frameworks.mxnet")

_NAMES: Mapping[str, object] = {
    "bool": bool,
    "PZERO": 0.0,
    "NZERO": -0.0,
    "NINF": -np.inf,
    "PINF": np.inf,
    "Inf": np.inf,
    "NAN": np.nan,
    "NaN": np.nan,
    **{name: None for name in ("mirr", "npv", "pmt", "ppmt", "pv", "rate")},
    "alltrue": np.all,
    "sometrue": np.any,
    "product": np.prod,
    "round_": np.round,
    "in1d": np.isin,
    "msort": np.sort,
    "trapz": None,
}
"""What MXNet asks numpy for while it is imported, and numpy does not have any more."""


def import_mxnet(why: str) -> Any:
    """MXNet. Raises MissingExtraError, saying that `why` needs it, where it is not installed."""
    if find_spec("mxnet") is None:
        raise MissingExtraError("mxnet", "mxnet", why)
    if "mxnet" in sys.modules:
        return import_module("mxnet")
    with _old_numpy():
        try:
            return import_module("mxnet")
        except (ImportError, OSError) as error:
            raise AutosplitError(f"mxnet is installed and does not load: {error}") from error


@contextmanager
def _old_numpy() -> Generator[None]:
    """Gives numpy the names that MXNet asks for, as long as the block runs."""
    missing = {name: value for name, value in _NAMES.items() if name not in vars(np)}
    for name, value in missing.items():
        setattr(np, name, value)
    try:
        yield
    finally:
        for name in missing:
            delattr(np, name)


class MxnetExecutor:
    """A symbol and its parameters in MXNet.

    `optimize` lets MXNet fuse ops, which may change the last bits. Raises MissingExtraError where mxnet is
    not installed, AutosplitError for files that cannot be read.
    """

    def __init__(self, path: Path, params: Path | None, *, optimize: bool = False):
        self.path = path
        self.optimize = optimize
        self._mx = import_mxnet(f"running {path.name}")
        self._module, self._store = import_files(path, params)
        graph = platform_graph(self._module)
        assert isinstance(graph, GraphOp)
        self._graph = graph
        variables = [op for op in nodes_of(graph) if isinstance(op, NullOp | LabelOp)]
        self._takes = {op.node_name.data: isinstance(op, NullOp) for op in variables}
        """What may be given, and whether it must be."""
        self._np_shape = uses_np_shape(self._module)
        self._arrays: dict[str, Any] = {}
        if params is not None:
            with self._semantics():
                loaded: dict[str, Any] = self._mx.nd.load(str(params))
            self._arrays = {name.partition(":")[2] or name: a for name, a in loaded.items()}
        self._symbols: dict[tuple[str, ...], Any] = {}
        self._calls: dict[tuple[str, ...], Any] = {}

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes the named tensors; results go by the names given.

        Raises AutosplitError for unknown or missing names, wrong shapes, and for whatever fails.
        """
        arrays = {self._input(name): np.asarray(array) for name, array in feeds.items()}
        with self._semantics():
            try:
                return self._run(arrays, outputs)
            except (self._mx.base.MXNetError, ValueError, TypeError) as error:
                raise AutosplitError(f"{self.path}: MXNet failed: {told_line(error)}") from error

    def _run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        symbol = self._symbol(outputs)
        inputs = self._inputs(symbol, feeds)
        if self.optimize:
            states = set(symbol.list_auxiliary_states())
            bound = symbol.bind(
                self._mx.cpu(),
                args={name: array for name, array in inputs.items() if name not in states},
                aux_states={name: array for name, array in inputs.items() if name in states},
                grad_req="null",
            )
            results: Any = bound.forward(is_train=False)
        else:
            # What a net of gluon is run by; unlike a bound symbol, it is not rewritten.
            key = tuple(outputs)
            if key not in self._calls:
                self._calls[key] = self._mx.nd.CachedOp(symbol)
            results = self._calls[key](*inputs.values())
        arrays: list[Any] = [*results] if type(results) in (list, tuple) else [results]
        return {name: a.asnumpy() for name, a in zip(outputs, arrays, strict=True)}

    def _inputs(self, symbol: Any, feeds: Mapping[str, Array]) -> dict[str, Any]:
        """What each variable of a symbol holds, in the symbol's order."""
        arrays = {name: self._nd_array(array) for name, array in feeds.items()} | self._arrays
        needed = cast("list[str]", symbol.list_inputs())
        inputs = {name: arrays[name] for name in needed if name in arrays}
        missing = [name for name in needed if name not in inputs]
        for name in missing:
            if self._takes.get(name):
                raise AutosplitError(f"{self.path}: input {name!r} is missing")
        if missing:
            inputs |= self._anything(symbol, inputs, missing)
        return {name: inputs[name] for name in needed}

    def _anything(self, symbol: Any, inputs: Mapping[str, Any], missing: Sequence[str]) -> Any:
        """Values for variables that are read in training alone: zeros of the shapes that fit."""
        shapes = _inferred(symbol, {n: a.shape for n, a in inputs.items()})
        zeros: dict[str, Any] = {}
        for name in missing:
            shape = shapes.get(name)
            if shape is None:
                raise AutosplitError(f"{self.path}: nothing says of which shape {name!r} is")
            zeros[name] = self._mx.nd.zeros(shape)
        return zeros

    def _nd_array(self, array: Array) -> Any:
        return self._mx.nd.array(array, dtype=array.dtype)

    def _symbol(self, outputs: Sequence[str]) -> Any:
        key = tuple(outputs)
        if key not in self._symbols:
            values = self._graph.values()
            chosen: list[SSAValue] = []
            for name in outputs:
                if (own := resolve_tensor_name(values, name)) is None:
                    raise AutosplitError(
                        f"{self.path}: output {name!r} is not a tensor of the symbol"
                        f"{choice(name, list(values))}"
                    )
                chosen.append(values[own])
            text = export_values(self._module, self._graph, chosen)
            self._symbols[key] = self._mx.sym.load_json(text)
        return self._symbols[key]

    def _input(self, name: str) -> str:
        if name not in self._takes:
            raise AutosplitError(
                f"{self.path}: input {name!r} is not an input of the symbol"
                f"{choice(name, [n for n, needed in self._takes.items() if needed])}"
            )
        return name

    @contextmanager
    def _semantics(self) -> Generator[None]:
        """Makes shapes mean what they do in numpy, where the symbol says so."""
        if not self._np_shape:
            yield
            return
        with self._mx.util.np_shape(True):
            yield

    def types(
        self, feeds: Mapping[str, Array], names: Sequence[str]
    ) -> dict[str, tuple[list[int], str]]:
        """Shape and dtype of each named tensor, except those that MXNet cannot tell without running."""
        values = self._graph.values()
        text = export_values(self._module, self._graph, list(values.values()))
        with self._semantics():
            symbol = self._mx.sym.load_json(text)
            arrays = {
                n: self._mx.nd.array(a, dtype=a.dtype) for n, a in feeds.items()
            } | self._arrays
            arguments = set(symbol.list_arguments())
            inputs = {name: array for name, array in arrays.items() if name in arguments}
            try:
                shapes = symbol.infer_shape_partial(**{n: a.shape for n, a in inputs.items()})[1]
                types = symbol.infer_type(**{n: a.dtype for n, a in inputs.items()})[1]
            except (self._mx.base.MXNetError, ValueError, TypeError) as error:
                raise AutosplitError(f"MXNet failed: {told_line(error)}") from error
        measured: dict[str, tuple[list[int], str]] = {}
        for name, shape, kind in zip(values, shapes, types or [None] * len(shapes), strict=True):
            if shape is None or kind is None or any(d < 0 for d in shape):
                continue
            if not self._np_shape and (not shape or 0 in shape):
                continue
            measured[name] = ([int(d) for d in shape], np.dtype(kind).name)
        missing = [name for name in names if name not in measured]
        for name, array in self._ran(feeds, missing).items():
            measured[name] = (list(array.shape), array.dtype.name)
        return measured

    def _ran(self, feeds: Mapping[str, Array], names: Sequence[str]) -> dict[str, Array]:
        """What is known only after a run; nothing where that fails."""
        if not names:
            return {}
        try:
            return self.run(feeds, names)
        except AutosplitError:
            return {}


def _inferred(symbol: Any, shapes: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
    """The shapes that MXNet infers of arguments and states, by name."""
    names = cast("list[str]", symbol.list_arguments())
    inferred = symbol.infer_shape(**{name: shapes[name] for name in names if name in shapes})
    if inferred[0] is None:
        return {}
    names = [*names, *symbol.list_auxiliary_states()]
    return dict(zip(names, [*inferred[0], *inferred[2]], strict=True))


def told_line(error: BaseException) -> str:
    """The line that says what went wrong, of what MXNet says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [
        line for line in lines if not line.startswith(("Traceback", "[bt]", "File ", "Stack"))
    ]
    reason = next((line for line in telling if "Error" in line or "Check failed" in line), None)
    text = reason or next(iter(telling or lines), type(error).__name__)
    # In front stand the source file and its line.
    for mark in ("Check failed: ", "Error in operator", "MXNetError: "):
        if mark in text:
            text = text[text.index(mark) :].removeprefix("MXNetError: ")
    return text


def measure(
    model: Model, feeds: Mapping[str, Array], names: Sequence[str], *, work: bool = False
) -> Measurements:
    """Asks MXNet, in a process of its own, for the shapes and dtypes of the named tensors.

    With `work` the multiply-adds of its nodes too, which follow from the shapes. Tensors of which MXNet does
    not know any are left out. Raises MissingExtraError, and AutosplitError where MXNet fails.
    """
    MXNET.check_installed()
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    if not names and not work:
        return Measurements({})
    written = export_model(model.module, graph, model.store)
    types = MXNET.types(
        model,
        feeds,
        names,
        lambda folder: written.write(folder / "graph-symbol.json", folder / "graph.params"),
    )
    return measurements(graph, types, names, work_in_mxnet if work else None)


def refusal(files: Sequence[Files]) -> tuple[int, str] | None:
    """The place of the first symbol that MXNet does not take, and why, asked in a process of its own.

    None where it takes all, and where there is no MXNet.
    """
    return None if find_library() is None else MXNET.first_refused(files)


def find_library() -> Path | None:
    """MXNet's library; None where it is not installed."""
    spec = find_spec("mxnet")
    places = [] if spec is None else spec.submodule_search_locations or []
    return next((p for place in places if (p := Path(place) / "libmxnet.so").is_file()), None)


def _first_refused(files: Sequence[Files]) -> tuple[int, str] | None:
    """Asks MXNet's library alone: importing the package takes several times as long."""
    path = find_library()
    assert path is not None
    library: Any = CDLL(str(path))
    library.MXGetLastError.restype = c_char_p
    for place, (symbol, params) in enumerate(files):
        handle = c_void_p()
        failed = library.MXSymbolCreateFromFile(str(symbol).encode(), byref(handle))
        if not failed and params is not None:
            # MXNet reads arrays of numpy's semantics only where these are set.
            np_shape = any(not record.shape for record in read_params(params).values())
            library.MXSetIsNumpyShape(2 if np_shape else 0, byref(c_int()))
            sizes, names = (c_uint(), c_uint()), (c_void_p(), c_void_p())
            failed = library.MXNDArrayLoad(
                str(params).encode(),
                byref(sizes[0]),
                byref(names[0]),
                byref(sizes[1]),
                byref(names[1]),
            )
        if failed:
            text = cast("bytes", library.MXGetLastError()).decode(errors="replace")
            return place, told_line(RuntimeError(text))
    return None


def _types(folder: Path, feeds: Mapping[str, Array], names: Sequence[str]) -> Types:
    params = folder / "graph.params"
    executor = MxnetExecutor(folder / "graph-symbol.json", params if params.is_file() else None)
    return executor.types(feeds, names)


def main(args: Sequence[str] | None = None) -> int:
    """Does what the folder's request asks for."""
    return answer(_types, _first_refused, args)


if __name__ == "__main__":
    sys.exit(main())
