"""Running ONNX models in ONNX Runtime, and measuring what shapes their values have.

ONNX Runtime is imported when a model is loaded. Graph optimizations are off, so that sub-models compute
exactly what the whole does; `optimize=True` turns them on. All sessions have the same number of threads.
`sparing=True` forgoes those that copy weights.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.children import run_child
from autosplit.core.errors import AutosplitError, MissingExtraError, one_line
from autosplit.core.scratch import scratch_folder
from autosplit.dialects.platform import PlatformOp, platform_graph, value_name
from autosplit.formats.onnx.files import write_model
from autosplit.inputs.custom_ops import why_not_loaded, with_advice
from autosplit.inputs.values import Value, kind_of
from autosplit.platforms import Measured, Measurements
from autosplit.runtime.frameworks.executed_work import label_nodes, onnx_work

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto

    from autosplit.platforms import Model

Array = NDArray[np.generic]

THREADS = 0
"""Threads of every session; 0 is what a session of one's own takes, so that the bits are the same."""

QUIET = 4
"""ONNX Runtime's level of logging below which it says nothing; its errors are raised too."""

_DTYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(bfloat16)": "bfloat16",
    "tensor(bool)": "bool",
    "tensor(string)": "object",
} | {
    f"tensor({kind}{bits})": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
}
"""What ONNX Runtime calls the types of values -> numpy's name of their dtype."""


class _Value(Protocol):
    """An input or output of a session, as ONNX Runtime describes it."""

    name: str
    type: str
    shape: list[int | str | None]


class _Session(Protocol):
    """The part of ONNX Runtime's session that is used here."""

    def run(self, output_names: list[str], input_feed: Mapping[str, Value]) -> list[Array]: ...
    def get_inputs(self) -> list[_Value]: ...
    def get_overridable_initializers(self) -> list[_Value]: ...
    def get_outputs(self) -> list[_Value]: ...
    def end_profiling(self) -> str: ...


def import_runtime(why: str) -> Any:
    """ONNX Runtime. Raises MissingExtraError, saying that `why` needs it, where it is not installed."""
    # Imported by name: the package has no type information.
    try:
        return import_module("onnxruntime")
    except ImportError as e:
        raise MissingExtraError("onnxruntime", "run", why) from e


def session_options(runtime: Any, custom_ops: Sequence[Path] = ()) -> Any:
    """New options of a session that knows the ops of libraries.

    Raises AutosplitError for a library that does not load.
    """
    options = runtime.SessionOptions()
    for path in custom_ops:
        try:
            options.register_custom_ops_library(str(path))
        except Exception as e:
            text = str(e).rpartition("with error:")[2]
            reason = why_not_loaded((text or str(e)).strip().removeprefix(f"{path}: "))
            raise AutosplitError(
                f"{path}: does not load as custom ops of ONNX Runtime {runtime.__version__}: {reason}"
            ) from e
    return options


def _session(
    model: Path | bytes,
    folder: Path,
    why: str,
    *,
    optimize: bool,
    threads: int,
    sparing: bool = False,
    custom_ops: Sequence[Path] = (),
    profile: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> _Session:
    """A session of a model file, or of a serialized model whose external data lies in `folder`.

    `profile`: how the name of a file begins in which it records its runs. `settings`: entries of the
    session's configuration.
    """
    runtime = import_runtime(why)
    options = session_options(runtime, custom_ops)
    level = runtime.GraphOptimizationLevel
    most = level.ORT_ENABLE_EXTENDED if sparing else level.ORT_ENABLE_ALL
    options.graph_optimization_level = most if optimize else level.ORT_DISABLE_ALL
    if sparing:
        options.enable_cpu_mem_arena = False
        # A thread that waits would take the time of those that compute.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = QUIET
    if profile is not None:
        options.enable_profiling = True
        options.profile_file_prefix = str(profile)
    for key, value in (settings or {}).items():
        options.add_session_config_entry(key, value)
    if isinstance(model, bytes):
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", str(folder)
        )
    for path in (folder, model):
        if isinstance(path, Path) and not _is_text(path):
            raise AutosplitError(
                f"{why} failed: it opens only files whose path is UTF-8; rename this one"
            )
    source = model if isinstance(model, bytes) else str(model)
    try:
        session = runtime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as e:
        line = with_advice(one_line(e), custom_ops)
        raise AutosplitError(f"{why} failed: {line}") from e
    return cast("_Session", session)


def check_loads(path: Path, custom_ops: Sequence[Path] = ()) -> None:
    """Loads a model file once and forgets it, where ONNX Runtime is installed.

    Weights are neither copied into the form that kernels like best nor, where they are external, read. Raises
    AutosplitError with the runtime's reason, without the path.
    """
    if find_spec("onnxruntime") is None or not _is_text(path):
        return
    settings = {"session.disable_prepacking": "1"}
    try:
        _session(
            path,
            path.parent,
            "",
            optimize=False,
            threads=1,
            custom_ops=custom_ops,
            settings=settings,
        )
    except AutosplitError as error:
        text = str(error.__cause__ or error).replace(f"Load model from {path} failed:", "")
        raise AutosplitError(one_line(RuntimeError(text.replace(str(path), path.name)))) from None


def _is_text(path: Path) -> bool:
    """Whether the bytes of a path are UTF-8; Python puts surrogates in the place of others."""
    return not any("\ud800" <= c <= "\udfff" for c in str(path))


class OnnxExecutor:
    """A model file in ONNX Runtime, on the CPU.

    `custom_ops`: libraries of ops that it may use. `sparing`: whether it takes as little memory as it can: it
    makes no copies of weights in the layout that kernels like best, and gives back what a run needed. Raises
    AutosplitError where the file or a library is missing or cannot be loaded, MissingExtraError without ONNX
    Runtime.
    """

    def __init__(
        self,
        path: Path,
        *,
        optimize: bool = False,
        sparing: bool = False,
        threads: int = THREADS,
        custom_ops: Sequence[Path] = (),
    ):
        self.path = path
        self.optimize = optimize
        self.sparing = sparing
        self.custom_ops = tuple(custom_ops)
        self.threads = threads
        if not path.is_file():
            raise AutosplitError(f"{path}: there is no such file")
        self._session = self._load(path)
        self._parts: dict[tuple[tuple[str, ...], tuple[str, ...]], _Session] = {}

    @property
    def input_names(self) -> list[str]:
        """The inputs that must be given, in the order of the model."""
        return [i.name for i in self._session.get_inputs()]

    @property
    def output_names(self) -> list[str]:
        """The model's own outputs, in its order."""
        return [o.name for o in self._session.get_outputs()]

    def run(self, feeds: Mapping[str, Value], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes the named tensors; they and those that are given may be inner ones of the model.

        Inputs that nothing wanted needs may be left out. Raises AutosplitError for inputs that are missing,
        not known, or of the wrong dtype or shape, and for names that are not tensors of the model.
        """
        session = self._session_for(feeds, tuple(outputs))
        for declared in session.get_inputs():
            _check_feed(f"{self.path}: input {declared.name!r}", declared, feeds[declared.name])
        try:
            values = session.run(list(outputs), feeds)
        except Exception as e:
            raise AutosplitError(f"{self.path}: ONNX Runtime failed: {one_line(e)}") from e
        return dict(zip(outputs, values, strict=True))

    def _load(self, model: Path | bytes) -> _Session:
        return _session(
            model,
            self.path.parent,
            f"{self.path}: loading the model in ONNX Runtime",
            optimize=self.optimize,
            threads=self.threads,
            sparing=self.sparing,
            custom_ops=self.custom_ops,
        )

    def _session_for(self, feeds: Mapping[str, Value], outputs: tuple[str, ...]) -> _Session:
        """A session of the model, or of the part of it between what is given and what is wanted."""
        weights = [i.name for i in self._session.get_overridable_initializers()]
        is_whole = set(self.input_names) <= feeds.keys() <= {*self.input_names, *weights}
        inner = tuple(n for n in outputs if n not in self.output_names)
        if is_whole and not inner:
            return self._session
        key = ((), inner) if is_whole else (tuple(sorted(feeds)), outputs)
        if key not in self._parts:
            from autosplit.runtime.frameworks.onnx_cut import cut_model, expose

            proto = read_proto(self.path)
            if is_whole:
                expose(proto.graph, inner, str(self.path))
            else:
                types = partial(_type_text, self.path, self._load)
                cut_model(proto, feeds, outputs, str(self.path), types)
            self._parts[key] = self._load(proto.SerializeToString(deterministic=True))
        return self._parts[key]


def _type_text(path: Path, load: Callable[[bytes], _Session], name: str) -> str:
    """What ONNX Runtime calls the type of a tensor of the model in a file."""
    from autosplit.runtime.frameworks.onnx_cut import expose

    proto = read_proto(path)
    expose(proto.graph, [name], str(path))
    session = load(proto.SerializeToString(deterministic=True))
    return next(o.type for o in session.get_outputs() if o.name == name)


def _check_feed(what: str, declared: _Value, value: Value) -> None:
    if not declared.type.startswith("tensor("):
        # The runtime says of other values what is wrong with them.
        return
    if not isinstance(value, np.ndarray | np.generic):
        raise AutosplitError(f"{what} is {kind_of(value)}, expected an array")
    array = np.asarray(cast("Array", value))
    expected = _DTYPES.get(declared.type)
    dtype = "object" if array.dtype.kind in "OUS" else array.dtype.name
    if expected is not None and dtype != expected:
        raise AutosplitError(f"{what} is of dtype {dtype}, expected {expected}")
    # The runtime reports an unknown rank as [], as it does a scalar's.
    if not declared.shape:
        return
    fits = len(declared.shape) == array.ndim and all(
        size == want
        for size, want in zip(array.shape, declared.shape, strict=True)
        if isinstance(want, int) and want >= 0
    )
    if not fits:
        shape = [d if isinstance(d, str | int) else "?" for d in declared.shape]
        raise AutosplitError(f"{what} has the shape {list(array.shape)}, expected {shape}")


def read_proto(path: Path) -> ModelProto:
    """The model in a file with its functions inlined, its external data not read.

    Values inside of functions have the names that they have when the model is imported. Raises AutosplitError
    where the file holds none.
    """
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    from autosplit.formats.onnx.functions import inline_functions

    try:
        proto = ModelProto.FromString(path.read_bytes())
        inline_functions(proto)
    except DecodeError as e:
        raise AutosplitError(f"{path}: is not an ONNX model, or a damaged one") from e
    except AutosplitError as e:
        raise AutosplitError(f"{path}: {e}") from e
    return proto


def measure_values(
    model: Model, feeds: Mapping[str, Value], names: Sequence[str], *, work: bool = False
) -> Measurements:
    """Runs a model in a process of its own, and reports shape and dtype of the named values.

    With `work` the multiply-adds of its nodes too. Of a file with other inputs than the model, which may take
    inner tensors or need fewer, the part is run that the model is.

    Only shapes come back: the model computes them itself, in `Shape` nodes that are added to it. Values that
    are not tensors, such as sequences, are left out. Raises AutosplitError where the run fails, and names the
    first value where ONNX Runtime is missing.
    """
    if not names and not work:
        return Measurements({})
    if find_spec("onnxruntime") is None:
        what = f"measuring the shape of {names[0]!r}" if names else "measuring the model"
        raise MissingExtraError("onnxruntime", "run", what)
    with scratch_folder("measuring shapes") as folder:
        path = model.path
        if path is None or not path.is_file():
            path = folder / "model.onnx"
            write_model(model.module, model.store, path)
        # The file asks for inputs that are constants in the module.
        feeds = {**feeds, **model.fixed}
        for i, value in enumerate(feeds.values()):
            _save(folder / f"feed_{i}.npy", value)
        request = {
            "model": str(path.absolute()),
            "feeds": list(feeds),
            "names": list(names),
            "outputs": [name for name, _ in platform_graph(model.module).graph_outputs()],
            "work": work,
            "custom_ops": [str(library) for library in model.custom_ops],
        }
        (folder / "request.json").write_text(json.dumps(request))
        answer = run_child("runtime.frameworks.onnx", folder, "measuring shapes in ONNX Runtime")
    if (error := answer.get("error")) is not None:
        raise AutosplitError(str(error))
    values = {n: Measured(tuple(shape), dtype) for n, (shape, dtype) in answer["values"].items()}
    return Measurements(values, _by_identity(model, answer["work"]))


def _by_identity(model: Model, work: Mapping[str, int]) -> dict[str, int]:
    """The work of nodes by identity, where it is given by the name of their first result."""
    return {
        op.identity: work[name]
        for op in platform_graph(model.module).body_ops()
        if isinstance(op, PlatformOp)
        for name in map(value_name, op.results)
        if name in work
    }


def _measure(folder: Path) -> dict[str, Any]:
    """What the child process does: the shapes and dtypes that `request.json` asks for."""
    from autosplit.runtime.frameworks.onnx_cut import cut_model, expose

    request = json.loads((folder / "request.json").read_text())
    path = Path(request["model"])
    names: list[str] = request["names"]
    custom_ops = [Path(library) for library in request["custom_ops"]]
    feeds = {n: _load(folder / f"feed_{i}.npy") for i, n in enumerate(request["feeds"])}
    proto = read_proto(path)
    if not _required(proto.graph) <= feeds.keys() <= {i.name for i in proto.graph.input}:

        def load(data: bytes) -> _Session:
            return _measuring_session(data, path, names, None, custom_ops)

        wanted = [*request["outputs"], *names]
        cut_model(proto, feeds, wanted, str(path), partial(_type_text, path, load))
    labels = label_nodes(proto.graph) if request["work"] else {}
    profile = folder / "profile" if labels else None
    expose(proto.graph, names, str(path))
    try:
        session, shapes = _with_shapes(proto, path, names, profile, custom_ops)
    except AutosplitError:
        # The reason may be a value that is not a tensor; without Shape nodes its type can be asked for.
        plain = _measuring_session(
            proto.SerializeToString(deterministic=True), path, names, None, custom_ops
        )
        types = {o.name: o.type for o in plain.get_outputs()}
        tensors = [name for name in names if types[name].startswith("tensor(")]
        if len(tensors) == len(names):
            raise
        names = tensors
        session, shapes = _with_shapes(proto, path, names, profile, custom_ops)
    for value in session.get_inputs():
        if value.name not in feeds:
            raise AutosplitError(f"{path}: the input {value.name!r} is missing")
        _check_feed(f"{path}: input {value.name!r}", value, feeds[value.name])
    types = {o.name: o.type for o in session.get_outputs()}
    try:
        # Without a name all outputs come back.
        results = session.run(shapes, feeds)[: len(shapes)]
    except Exception as e:
        raise AutosplitError(f"{path}: ONNX Runtime failed: {one_line(e)}") from e
    values = {
        name: [[int(d) for d in shape], _DTYPES.get(types[name], types[name])]
        for name, shape in zip(names, results, strict=True)
    }
    executed = onnx_work(Path(session.end_profiling()), labels) if labels else {}
    work = {
        next(o for o in labels[label].output if o): amount for label, amount in executed.items()
    }
    return {"values": values, "work": work}


def _required(graph: GraphProto) -> set[str]:
    """The inputs of a graph that must be given."""
    return {i.name for i in graph.input} - {t.name for t in graph.initializer}


def _save(path: Path, value: Value) -> None:
    """Writes an array; another value becomes the only element of an array of records."""
    if isinstance(value, np.ndarray | np.generic):
        np.save(path, np.asarray(cast("Array", value)))
        return
    held: NDArray[Any] = np.empty(1, [("value", object)])
    held["value"][0] = value
    np.save(path, held)


def _load(path: Path) -> Value:
    """What `_save` wrote."""
    array: NDArray[Any] = np.load(path, allow_pickle=True)
    return array if array.dtype.names is None else array["value"][0]


def _measuring_session(
    model: bytes,
    path: Path,
    names: Sequence[str],
    profile: Path | None,
    custom_ops: Sequence[Path],
) -> _Session:
    what = f"the shape of {names[0]!r}" if names else "what the nodes compute"
    why = f"{path}: measuring {what}"
    return _session(
        model,
        path.parent,
        why,
        optimize=False,
        threads=THREADS,
        custom_ops=custom_ops,
        profile=profile,
        # The record lacks operands that a kernel has packed: of an LSTM in a loop its weights.
        settings={"session.disable_prepacking": "1"},
    )


def _with_shapes(
    proto: ModelProto,
    path: Path,
    names: Sequence[str],
    profile: Path | None,
    custom_ops: Sequence[Path],
) -> tuple[_Session, list[str]]:
    """A session of the model with the shapes of the named values as further outputs, and their names."""
    produced = {o for node in proto.graph.node for o in node.output}
    shapes = [_shape_name(i, produced) for i in range(len(names))]
    model = type(proto)()
    model.CopyFrom(proto)
    for name, shape in zip(names, shapes, strict=True):
        model.graph.node.add(op_type="Shape", input=[name], output=[shape])
        info = model.graph.output.add(name=shape)
        info.type.tensor_type.elem_type = 7
        info.type.tensor_type.shape.dim.add()
    data = model.SerializeToString(deterministic=True)
    return _measuring_session(data, path, names, profile, custom_ops), shapes


def _shape_name(index: int, taken: set[str]) -> str:
    name = f"autosplit_shape_{index}"
    while name in taken:
        name += "_"
    return name


def main() -> None:
    """The child process: writes `answer.json` into the folder that is its argument."""
    folder = Path(sys.argv[1])
    try:
        result = _measure(folder)
    except AutosplitError as e:
        result = {"error": str(e)}
    (folder / "answer.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()
