"""Caffe networks: the `Platform` of prototxt and caffemodel.

Reading, preparing, cutting and writing need no framework; running does, which is OpenCV's dnn module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import Array, WeightStore
from autosplit.dialects.caffe import GraphOp, InputOp, make_constant, make_input
from autosplit.dialects.platform import PlatformOp, platform_graph
from autosplit.formats.caffe.reader import import_files, looks_like_prototxt
from autosplit.formats.caffe.weights import looks_like_caffemodel, read_weights
from autosplit.formats.caffe.writer import export_func
from autosplit.lowering.convert_caffe_to_onnx import convert
from autosplit.platforms import Executor, Measurements, Model, Platform, errors_at, named_files
from autosplit.platforms.caffe.prepare import prepare_graph
from autosplit.platforms.outlined import graph_body, with_attributes
from autosplit.platforms.preparing import replace_op
from autosplit.runtime.frameworks.opencv import OpenCvExecutor, measure, refusal

if TYPE_CHECKING:
    from xdsl.context import Context

    from autosplit.dialects.device import FuncOp


class Caffe(Platform):
    """What autosplit knows about Caffe; see `autosplit.platforms.Platform`."""

    name: str = "caffe"
    title: str = "a Caffe network"
    files: ClassVar[Mapping[str, str]] = {"proto": ".prototxt", "weight": ".caffemodel"}
    default_layout: str = "NCHW"

    def recognises(self, head: bytes, path: Path) -> bool:
        """Whether the file is a prototxt, or a caffemodel, which `load` then says not to give."""
        return looks_like_prototxt(head) or (
            path.suffix == ".caffemodel" and looks_like_caffemodel(head)
        )

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        """Reads a prototxt, and its weights from `params`.

        Raises AutosplitError on anything wrong with them.
        """
        with path.open("rb") as file:
            head = file.read(1 << 16)
        if looks_like_caffemodel(head) and not looks_like_prototxt(head):
            raise AutosplitError(
                f"{path}: holds the weights of a Caffe network; give its prototxt, and this with --params"
            )
        if custom_ops:
            raise AutosplitError(
                "--custom-ops: OpenCV, which runs Caffe networks, loads no libraries of ops"
            )
        weights = None if params is None else read_weights(params)
        module, store = import_files(path, weights)
        return Model(module, store, self, path)

    def params_beside(self, path: Path) -> Path | None:
        """The caffemodel that is called as the prototxt, else the only one in its folder."""
        stem = path.name.partition(".prototxt")[0].removesuffix(".pt")
        named = path.with_name(f"{stem}.caffemodel")
        if named.is_file():
            return named
        others = sorted(path.absolute().parent.glob("*.caffemodel"))
        return others[0] if len(others) == 1 else None

    def weights(self, path: Path, file_digest: str = "") -> WeightStore:
        """The weights of a caffemodel, or of the one beside a prototxt."""
        with path.open("rb") as file:
            is_prototxt = looks_like_prototxt(file.read(1 << 16))
        params = self.params_beside(path) if is_prototxt else path
        return WeightStore() if params is None else read_weights(params, file_digest).store()

    def prepare(
        self,
        model: Model,
        inputs: Mapping[str, Sequence[int] | None],
        outputs: Sequence[str],
    ) -> None:
        """Fixes inputs, outputs and the inputs' shapes, and drops the layers that the outputs do not need.

        Any blob can be an input.
        """
        graph = _graph(model.module)
        with errors_at(model):
            prepare_graph(graph, inputs, outputs, model.store)

    def fix(self, model: Model, name: str, array: Array) -> None:
        value = _graph(model.module).values()[name]
        op = value.owner
        assert isinstance(op, InputOp)
        replace_op(op, value, make_constant(name, array, model.store))

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        convert(module)

    def constant(self, name: str, array: Array, store: WeightStore) -> PlatformOp:
        return make_constant(name, array, store)

    def crosses(self, element: Attribute) -> bool:
        return element == f32

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        """A copy of one outlined sub-model as a module of its own, with a graph like an imported one."""
        body, _ = graph_body(func, lambda name, value: make_input(name, value.type))
        graph = GraphOp(body, [name.data for name in func.output_names])
        return with_attributes(graph, module, "caffe.")

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        """Writes one outlined sub-model as prototxt and caffemodel; returns its `model_info`."""
        info = named_files(self, stem)
        export_func(func, store).write(folder / info["proto"], folder / info["weight"])
        return info

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> Executor:
        """The network in OpenCV, without fusion unless it is asked for.

        Raises MissingExtraError if OpenCV is not installed.
        """
        weight = model_info.get("weight")
        params = None if weight is None else folder / weight
        return OpenCvExecutor(folder / model_info["proto"], params, optimize=optimize)

    def refusal(
        self,
        models: Sequence[Mapping[str, str]],
        folder: Path,
        custom_ops: Sequence[Path] = (),
    ) -> tuple[int, str] | None:
        return refusal([[folder / name for name in info.values()] for info in models])

    def measure(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Sequence[str],
        *,
        work: bool = False,
    ) -> Measurements:
        return measure(model, feeds, names, work=work)


def _graph(module: ModuleOp) -> GraphOp:
    graph = platform_graph(module)
    if not isinstance(graph, GraphOp):
        raise AutosplitError(f"expected a caffe.graph, found {graph.name}")
    return graph


PLATFORM = Caffe()
