"""Running GraphDefs in TensorFlow, and measuring what shapes their tensors have.

Sub-models that run one after the other must give the bits of the whole model. So TensorFlow runs what the
graph says: no rewriting of the graph, no fusing, one thread for each op.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Container, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from ctypes import CDLL
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from autosplit.core.children import run_child
from autosplit.core.errors import AutosplitError, MissingExtraError, choice
from autosplit.core.scratch import scratch_folder
from autosplit.dialects.platform import LocalType, element_type, platform_graph
from autosplit.dialects.tf import GraphOp, StringType, TfOp
from autosplit.dialects.tf.graphs import control_flow
from autosplit.formats.tensorflow.variables import VARIABLES, saved_model_folder
from autosplit.inputs.custom_ops import loaded_twin, why_not_loaded, with_advice
from autosplit.platforms import Measured, Measurements
from autosplit.runtime.frameworks.executed_work import tensorflow_work

if TYPE_CHECKING:
    from autosplit.platforms import Model

Array = NDArray[np.generic]


def import_tensorflow(why: str) -> Any:
    """TensorFlow, quiet unless the user's own settings say otherwise.

    Raises MissingExtraError, saying that `why` needs it, where it is not installed.
    """
    if find_spec("tensorflow") is None:
        raise MissingExtraError("tensorflow", "tensorflow", why)
    if "tensorflow" not in sys.modules:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        # Else all sessions of a process have the threads that its first one asked for.
        os.environ.setdefault("TF_OVERRIDE_GLOBAL_THREADPOOL", "1")
    with _stderr_closed():
        tf: Any = import_module("tensorflow")
    return tf


@contextmanager
def _stderr_closed() -> Generator[None]:
    """Keeps from the screen what native code writes before its log level can be set."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@dataclass(frozen=True)
class _Library:
    """A library by its content: with a second copy of one, TensorFlow has every kernel twice."""

    digest: str
    path: Path = field(compare=False)


def load_libraries(tf: Any, custom_ops: Sequence[Path]) -> dict[str, list[str]]:
    """Loads libraries of ops; returns the outputs of those, see `autosplit.inputs.custom_ops.check_loading`.

    Raises AutosplitError for a library that TensorFlow does not take.
    """
    outputs: dict[str, list[str]] = {}
    for path in custom_ops:
        outputs |= _load_library(tf, _Library(sha256(path.read_bytes()).hexdigest(), path))
    return outputs


@cache
def _load_library(tf: Any, library: _Library) -> Mapping[str, list[str]]:
    # The user's own program may have loaded it from somewhere else.
    path = loaded_twin(library.path) or library.path
    what = f"{path}: does not load as custom ops of TensorFlow {tf.__version__}"
    try:
        ops = tf.load_op_library(str(path))
    except (tf.errors.OpError, RuntimeError) as error:
        text = one_line(error).removeprefix(f"{path}: ")
        raise AutosplitError(f"{what}: {why_not_loaded(text)}") from None
    if hasattr(CDLL(str(path)), "RegisterCustomOps"):
        raise AutosplitError(f"{what}: is a library for ONNX Runtime (it has RegisterCustomOps)")
    registry: Any = import_module("tensorflow.python.framework.op_def_registry")
    definitions = {name: registry.get(name) for name in dir(ops) if name[:1].isupper()}
    return {
        name: [_spelled(output) for output in definition.output_arg]
        for name, definition in definitions.items()
        if definition is not None
    }


def _spelled(output: Any) -> str:
    """An output of an op, with the attribute that says how many it stands for."""
    several = output.number_attr or output.type_list_attr
    return f"{output.name}*{several}" if several else output.name


def session_config(tf: Any, *, optimize: bool, threads: int) -> Any:
    """How a session runs: see `TensorFlowExecutor`."""
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=threads,
        allow_soft_placement=True,
    )
    if not optimize:
        options = config.graph_options
        options.rewrite_options.disable_meta_optimizer = True
        options.optimizer_options.opt_level = -1
        options.optimizer_options.do_common_subexpression_elimination = False
        options.optimizer_options.do_constant_folding = False
        options.optimizer_options.global_jit_level = -1
    return config


class TensorFlowExecutor:
    """A GraphDef file in a session.

    `optimize` lets TensorFlow rewrite the graph, which may change the last bits. `threads` is how many it
    takes, 0 for as many as there are cores; more than one may change the last bits too. `custom_ops`:
    libraries of ops that it may use.

    Raises MissingExtraError where tensorflow is not installed, AutosplitError for a file that it refuses.
    """

    def __init__(
        self,
        path: Path,
        *,
        optimize: bool = False,
        threads: int = 0,
        custom_ops: Sequence[Path] = (),
    ):
        self.path = path
        self._tf = import_tensorflow(f"running {path.name}")
        load_libraries(self._tf, custom_ops)
        config = session_config(self._tf, optimize=optimize, threads=threads)
        own = None if optimize else config.SerializeToString(deterministic=True)
        self._graph = _load(self._tf, path, custom_ops, own)
        self._session: Any = self._tf.compat.v1.Session(graph=self._graph, config=config)
        self._calls: dict[tuple[tuple[str, ...], tuple[str, ...]], Any] = {}
        self._tensors: dict[str, Any] = {}

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes the named tensors. Names come with or without `:0`; results go by the names given.

        Raises AutosplitError for unknown names, wrong dtypes or shapes, and for whatever fails.
        """
        arrays = [self._checked(name, np.asarray(array)) for name, array in feeds.items()]
        key = (tuple(feeds), tuple(outputs))
        call = self._calls.get(key)
        if call is None:
            fed = [self._tensor(name, "input") for name in feeds]
            fetched = [self._tensor(name, "output") for name in outputs]
            call = self._calls[key] = self._session.make_callable(fetched, feed_list=fed)
        try:
            results = cast("list[Any]", call(*arrays))
        except (self._tf.errors.OpError, ValueError, TypeError) as error:
            raise AutosplitError(f"{self.path}: TensorFlow failed: {one_line(error)}") from error
        return {name: np.asarray(a) for name, a in zip(outputs, results, strict=True)}

    def shapes(
        self, feeds: Mapping[str, Array], names: Sequence[str]
    ) -> dict[str, tuple[list[int], str]]:
        """Shape and dtype of each named tensor; those that cannot be computed are left out.

        Only what does not follow from the graph is run. Raises AutosplitError where nothing can be computed.
        """
        tf = self._tf
        measured: dict[str, tuple[list[int], str]] = {}
        asked: dict[str, Any] = {}
        for name in names:
            if self._has_no_output(name):
                # Of a type that nobody knows, a node is thought to have an output.
                continue
            tensor = self._tensor(name, "tensor")
            if tensor.dtype in (tf.resource, tf.variant):
                continue
            if tensor.shape.is_fully_defined():
                measured[name] = (tensor.shape.as_list(), _dtype_name(tensor))
                continue
            with self._graph.as_default(), self._graph.control_dependencies(None):
                asked[name] = tf.raw_ops.Shape(input=tensor, out_type=tf.int64)
        arrays = {
            self._tensor(name, "input"): self._checked(name, np.asarray(array))
            for name, array in feeds.items()
        }
        failed: list[Exception] = []
        shapes = self._fetch_each(arrays, asked, failed)
        for name, shape in shapes.items():
            measured[name] = ([int(d) for d in shape], _dtype_name(self._tensors[name]))
        if failed and not shapes:
            raise AutosplitError(f"TensorFlow failed: {one_line(failed[0])}")
        return measured

    def work(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, int]:
        """The multiply-adds of each node that computes any on the way to the outputs, by its name.

        Nothing where TensorFlow fails.
        """
        v1 = self._tf.compat.v1
        arrays = {
            self._tensor(name, "input"): self._checked(name, np.asarray(array))
            for name, array in feeds.items()
        }
        record = v1.RunMetadata()
        try:
            self._traceable_session().run(
                [self._tensor(name, "output").name for name in outputs],
                feed_dict={tensor.name: array for tensor, array in arrays.items()},
                options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE),
                run_metadata=record,
            )
        except (self._tf.errors.OpError, ValueError):
            return {}
        return tensorflow_work(record.step_stats)

    def _traceable_session(self) -> Any:
        """A session that records what functions execute too.

        TensorFlow does so only where it has put their nodes in the place of those that call them.
        """
        proto = self._graph.as_graph_def()
        if not proto.library.function:
            return self._session
        for nodes in _all_nodes(proto):
            for node in nodes:
                if node.op.removeprefix("Stateless") in ("While", "If", "Case"):
                    node.attr["_lower_using_switch_merge"].b = True
        graph = self._tf.Graph()
        with graph.as_default():
            self._tf.compat.v1.import_graph_def(proto, name="")
        config = session_config(self._tf, optimize=False, threads=0)
        return self._tf.compat.v1.Session(graph=graph, config=config)

    def _fetch_each(
        self, feeds: Mapping[Any, Array], asked: dict[str, Any], failed: list[Exception]
    ) -> dict[str, Array]:
        """Fetches all that can be fetched: together, or where that fails, each half on its own."""
        if not asked:
            return {}
        try:
            return self._session.run(asked, feed_dict=feeds)
        except (self._tf.errors.OpError, ValueError) as error:
            failed.append(error)
            if len(asked) == 1:
                return {}
        names = list(asked)
        half = len(names) // 2
        parts = [{n: asked[n] for n in part} for part in (names[:half], names[half:])]
        return {
            **self._fetch_each(feeds, parts[0], failed),
            **self._fetch_each(feeds, parts[1], failed),
        }

    def _has_no_output(self, name: str) -> bool:
        """Whether a node is there that makes no tensor at all."""
        try:
            operation = self._graph.get_operation_by_name(name.partition(":")[0])
        except (KeyError, ValueError):
            return False
        return not operation.outputs

    def _tensor(self, name: str, what: str) -> Any:
        tensor = self._tensors.get(name)
        if tensor is None:
            try:
                tensor = self._graph.get_tensor_by_name(name if ":" in name else f"{name}:0")
            except (KeyError, ValueError):
                names = [str(op.name) for op in self._graph.get_operations()]
                if what == "input":
                    names = self._placeholders() or names
                raise AutosplitError(
                    f"{self.path}: {what} {name!r} is not a tensor of the graph"
                    f"{choice(name.removesuffix(':0'), names)}"
                ) from None
            self._tensors[name] = tensor
        return tensor

    def _placeholders(self) -> list[str]:
        return [
            str(o.name) for o in self._graph.get_operations() if o.type.startswith("Placeholder")
        ]

    def _checked(self, name: str, array: Array) -> Array:
        tensor = self._tensor(name, "input")
        expected = np.dtype(tensor.dtype.as_numpy_dtype)
        if array.dtype != expected and not (expected.kind == "O" and array.dtype.kind in "SUO"):
            raise AutosplitError(
                f"{self.path}: input {name!r} has the dtype {array.dtype}, expected {expected}"
            )
        if not tensor.shape.is_compatible_with(array.shape):
            raise AutosplitError(
                f"{self.path}: input {name!r} has the shape {list(array.shape)}, "
                f"expected {_shape_text(tensor.shape)}"
            )
        return array


def _shape_text(shape: Any) -> str:
    dims = cast("list[int | None]", shape.as_list())
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"


def _dtype_name(tensor: Any) -> str:
    return np.dtype(tensor.dtype.as_numpy_dtype).name


def _load(tf: Any, path: Path, custom_ops: Sequence[Path], config: bytes | None) -> Any:
    """The tf.Graph of a GraphDef file, or of a model that is frozen first; calls run as `config` says."""
    if not path.is_file() and saved_model_folder(path) is None:
        raise AutosplitError(f"{path}: there is no such file")
    plain = path.suffix == ".pb" and saved_model_folder(path) is None
    proto = _parsed(tf, path, path.read_bytes()) if plain else None
    if proto is None or any(node.op in VARIABLES for node in proto.node):
        from autosplit.formats.tensorflow.reader import read_graph

        proto = _parsed(tf, path, read_graph(path, custom_ops).data)
    if config is not None:
        _configure_calls(proto, config)
    graph = tf.Graph()
    with graph.as_default():
        try:
            tf.compat.v1.import_graph_def(proto, name="")
        except (ValueError, TypeError, tf.errors.OpError) as error:
            line = with_advice(one_line(error), custom_ops)
            raise AutosplitError(f"{path}: TensorFlow does not take the graph: {line}") from None
    return graph


def _configure_calls(proto: Any, config: bytes) -> None:
    """Makes functions run as the session does: SavedModels say of each call that it is optimized."""
    for nodes in _all_nodes(proto):
        for node in nodes:
            if "config_proto" in node.attr:
                node.attr["config_proto"].s = config


def _all_nodes(proto: Any) -> Iterable[Any]:
    """The nodes of a GraphDef, and of each of its functions."""
    return (proto.node, *(function.node_def for function in proto.library.function))


def _parsed(tf: Any, path: Path, data: bytes) -> Any:
    from google.protobuf.message import DecodeError

    try:
        return tf.compat.v1.GraphDef.FromString(data)
    except DecodeError as error:
        raise AutosplitError(f"{path}: is not a whole GraphDef: {one_line(error)}") from None


_FRAMING = ("Graph execution error", "Detected at node", "Node:", "[[", "File ", "Original stack")


def one_line(error: BaseException) -> str:
    """The line that says what went wrong, of what an exception says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(_FRAMING)]
    return next(iter(telling or lines), type(error).__name__)


def measure(
    model: Model, feeds: Mapping[str, Array], names: Sequence[str], *, work: bool = False
) -> Measurements:
    """Runs the model in a process of its own and reports the named tensors' shapes and dtypes.

    With `work` the multiply-adds of its nodes too; what a function computes counts for the call of it.

    Tensors that have none are left out: control edges, handles, those inside of loops and conditionals, and
    those that TensorFlow fails on. Raises MissingExtraError, and AutosplitError where the run fails.
    """
    from autosplit.formats.tensorflow.writer import export_graph, write_graph

    if find_spec("tensorflow") is None:
        raise MissingExtraError("tensorflow", "tensorflow", "measuring shapes")
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    flow = control_flow(graph)
    loops, ways = flow.frames, flow.conditionals
    values = graph.values()
    fetchable = {
        name
        for name, value in values.items()
        if not isinstance(value.type, LocalType)
        and isinstance(value.op, TfOp)
        and (value.op not in loops or value.op.op_type in ("Exit", "RefExit"))
        and (value.op in loops or value.op not in ways or value.op.op_type in ("Merge", "RefMerge"))
    }
    wanted = [name for name in dict.fromkeys(names) if (_full(name)) in fetchable]
    if not wanted and not work:
        return Measurements({})
    with scratch_folder("measuring shapes") as folder:
        write_graph(export_graph(model.module, graph, model.store), folder / "graph.pb")
        for i, array in enumerate(feeds.values()):
            np.save(folder / f"feed_{i}.npy", array)
        outputs = [name for name, _ in graph.graph_outputs()] if work else []
        libraries = [str(library) for library in model.custom_ops]
        request = {
            "feeds": list(feeds),
            "names": wanted,
            "outputs": outputs,
            "custom_ops": libraries,
        }
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        where = f"{model.path}: " if model.path else ""
        result = cast(
            "dict[str, Any]",
            run_child(
                "runtime.frameworks.tensorflow", folder, f"{where}measuring shapes in TensorFlow"
            ),
        )
    measured = {
        name: Measured(tuple(shape), dtype)
        for name, (shape, dtype) in result["values"].items()
        if dtype != "object" or _is_string(values[_full(name)].type)
    }
    names_of_nodes = {op.identity for op in graph.body_ops() if isinstance(op, TfOp)}
    return Measurements(measured, _by_node(result["work"], names_of_nodes))


def _by_node(work: Mapping[str, int], nodes: Container[str]) -> dict[str, int]:
    """The work of a graph's nodes; what was executed inside of a function has the name of a call in front."""
    amounts = Counter[str]()
    for name, amount in work.items():
        while name and name not in nodes:
            name = name.rpartition("/")[0]
        if name:
            amounts[name] += amount
    return dict(amounts)


def _full(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _is_string(type: object) -> bool:
    return isinstance(element_type(cast("Any", type)), StringType)


def _measure_here(folder: Path) -> None:
    """The child's part of `measure`: reads request.json and writes answer.json."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    # Strings are pickled; the parent has written the files a moment ago.
    feeds = {
        name: np.load(folder / f"feed_{i}.npy", allow_pickle=True)
        for i, name in enumerate(request["feeds"])
    }
    libraries = [Path(library) for library in request["custom_ops"]]
    executor = TensorFlowExecutor(folder / "graph.pb", custom_ops=libraries)
    outputs = request["outputs"]
    answer = {
        "values": executor.shapes(feeds, request["names"]) if request["names"] else {},
        "work": executor.work(feeds, outputs) if outputs else {},
    }
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")


def main(args: Sequence[str] | None = None) -> int:
    """Measures what the folder's request asks for."""
    (folder,) = sys.argv[1:] if args is None else args
    try:
        _measure_here(Path(folder))
    except AutosplitError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
