"""TensorFlow frozen graphs: the `Platform` of GraphDef files.

Reading, preparing, cutting and writing need no TensorFlow; only running does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from autosplit.core.errors import AutosplitError
from autosplit.core.scratch import scratch_folder
from autosplit.core.weights import Array, WeightStore
from autosplit.dialects.platform import (
    PlatformGraph,
    PlatformOp,
    element_type,
    free_name,
    value_name,
)
from autosplit.dialects.tf import GraphOp, TfOp, make_constant, make_node, make_placeholder
from autosplit.dialects.tf.graphs import control_flow
from autosplit.dialects.tf.outputs import note_custom_outputs
from autosplit.formats.tensorflow.reader import (
    import_file,
    import_weights,
    looks_like_graph,
    looks_like_meta,
    looks_like_saved_model,
    looks_like_text,
    read_graph,
)
from autosplit.formats.tensorflow.variables import saved_model_folder
from autosplit.formats.tensorflow.writer import export_func, write_graph
from autosplit.inputs.custom_ops import check_loading, with_advice
from autosplit.lowering.convert_tf_to_onnx import convert
from autosplit.platforms import Executor, Measurements, Model, Platform, named_files
from autosplit.platforms.outlined import graph_body, with_attributes
from autosplit.platforms.tensorflow.prepare import fix_input, prepare
from autosplit.runtime.frameworks.tensorflow import TensorFlowExecutor, measure
from autosplit.runtime.frameworks.tensorflow_loads import refusal

if TYPE_CHECKING:
    from xdsl.context import Context

    from autosplit.dialects.device import FuncOp

BORDER_SUFFIX = "sophon_auto"
"""Ends the names of identities that carry an output other than the first over a border."""


class TensorFlow(Platform):
    """The `Platform` of TensorFlow frozen graphs."""

    name: str = "tensorflow"
    title: str = "a TensorFlow graph"
    files: ClassVar[Mapping[str, str]] = {"model_path": ".pb"}
    default_layout: str = "NHWC"

    NODE_OUTPUT: ClassVar[str] = ":0"

    def recognises(self, head: bytes, path: Path) -> bool:
        """Whether the file is a GraphDef, binary or text, a MetaGraphDef, or a SavedModel's file."""
        if looks_like_saved_model(head, path) or looks_like_meta(head, path):
            return True
        return looks_like_graph(head) or looks_like_text(head)

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        """Reads a GraphDef file, or freezes a SavedModel or a graph that has its variables beside it.

        Raises AutosplitError, naming file and cause, on anything wrong with it.
        """

        outputs = check_loading(self.name, custom_ops)
        module, store = import_file(path, custom_ops)
        note_custom_outputs(module, outputs)
        return Model(module, store, self, path, custom_ops)

    def weights(self, path: Path, file_digest: str = "") -> WeightStore:
        """Only the large tensors of a file, by the keys that `load` gives them."""
        return import_weights(path, file_digest)

    def prepare(
        self,
        model: Model,
        inputs: Mapping[str, Sequence[int] | None],
        outputs: Sequence[str],
    ) -> None:
        """Fixes inputs, outputs and the inputs' shapes, and drops the nodes that the outputs do not need.

        Any tensor that is the first output of a node can be an input: the node becomes a placeholder.
        Raises AutosplitError for names that are unknown and for shapes that contradict the model.
        """
        prepare(model, inputs, outputs)

    def fix(self, model: Model, name: str, array: Array) -> None:
        fix_input(model, name, array)

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        convert(ctx, module, cleanup)

    def frames(self, graph: PlatformGraph) -> Mapping[Operation, str]:
        """The while frame or conditional of each op, with those around it: one a line, outermost first."""
        flow = control_flow(graph)
        outer = flow.conditionals
        frames: dict[Operation, str] = {**outer}
        for op, path in flow.frames.items():
            frames[op] = "\n".join((outer[op], *path) if op in outer else path)
        return frames

    def constant(self, name: str, array: Array, store: WeightStore) -> PlatformOp:
        """A Const node; `name` may end in `:0`."""
        return make_constant(name.removesuffix(":0"), array, store)

    def crosses(self, element: Attribute) -> bool:
        return True

    def border(self, value: SSAValue) -> tuple[str, PlatformOp | None]:
        """The tensor's name, and for an output other than the first an Identity that gives it one."""
        if not isinstance(value, OpResult) or not isinstance(value.op, TfOp):
            return value_name(value), None
        if value.index == 0:
            return value.op.value_name(0), None
        name = _border_name(value.op, value.index)
        element = element_type(value.type)
        if element is None:
            raise AutosplitError(
                f"{value_name(value)} crosses from one sub-model to another, "
                f"and its dtype is unknown (its type is {value.type})"
            )
        identity = make_node(
            "Identity", [value], name, attributes={"T": element}, result_types=[value.type]
        )
        return identity.value_name(0), identity

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        """A copy of one outlined sub-model as a module of its own, with a graph like an imported one."""
        body, _ = graph_body(func, lambda n, value: make_placeholder(n.removesuffix(":0"), value))
        names = ([n.data for n in func.input_names], [n.data for n in func.output_names])
        return with_attributes(GraphOp(body, *names), module, "tf.")

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        """Writes one outlined sub-model as a GraphDef; returns its `model_info`."""
        info = named_files(self, stem)
        write_graph(export_func(module, func, store), folder / info["model_path"])
        return info

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> Executor:
        """A session on a GraphDef file, without graph optimizations unless they are asked for.

        Raises MissingExtraError if tensorflow is not installed.
        """
        path = folder / model_info["model_path"]
        return TensorFlowExecutor(path, optimize=optimize, custom_ops=custom_ops)

    def refusal(
        self,
        models: Sequence[Mapping[str, str]],
        folder: Path,
        custom_ops: Sequence[Path] = (),
    ) -> tuple[int, str] | None:
        """Loads native models once, where TensorFlow is installed; other files are frozen first."""
        with scratch_folder("loading sub-models") as scratch:
            plain = [folder / info["model_path"] for info in models]
            for place, path in enumerate(plain):
                if not _is_graph_def(path):
                    plain[place] = scratch / f"graph_{place}.pb"
                    plain[place].write_bytes(read_graph(path, custom_ops).data)
            problem = refusal(plain, custom_ops)
        return (
            None
            if problem is None
            else (problem[0], with_advice(problem[1].rstrip("."), custom_ops))
        )

    def measure(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Sequence[str],
        *,
        work: bool = False,
    ) -> Measurements:
        """Runs the model in a process of its own and reports the named tensors' shapes and dtypes.

        Tensors that have none, such as those inside of loops, are left out.
        """
        return measure(model, feeds, names, work=work)


def _is_graph_def(path: Path) -> bool:
    """Whether a model is a binary GraphDef, which needs no freezing or translating."""
    if saved_model_folder(path) is not None:
        return False
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return not (looks_like_meta(head, path) or looks_like_text(head))


def _border_name(op: TfOp, index: int) -> str:
    """The name of the identity that carries output `index` of `op` over a border; no node has it."""
    taken = (
        {n.node_name.data for n in op.parent.ops if isinstance(n, TfOp)}
        if op.parent
        else set[str]()
    )
    return free_name(taken, f"{op.node_name.data}_{index}_{BORDER_SUFFIX}")


PLATFORM = TensorFlow()
