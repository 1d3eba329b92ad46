"""The ONNX platform: reading model files, fixing inputs and outputs, and what else differs by framework."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from autosplit.core.errors import AutosplitError
from autosplit.formats.onnx.wire import looks_like_onnx, truncation
from autosplit.inputs.custom_ops import check_loading
from autosplit.platforms import Measurements, Model, Platform, errors_at, named_files
from autosplit.registry import make_context

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.core.weights import WeightStore
    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.onnx.ops import GraphOp
    from autosplit.dialects.platform import PlatformOp
    from autosplit.platforms import Executor

    Array = NDArray[np.generic]

OLDEST_OPSET = 7


class OnnxPlatform(Platform):
    """What autosplit knows about ONNX; see `autosplit.platforms.Platform`."""

    name = "onnx"
    title = "an ONNX model"
    files: ClassVar[Mapping[str, str]] = {"model_path": ".onnx"}
    default_layout = "NCHW"

    def recognises(self, head: bytes, path: Path) -> bool:
        with path.open("rb") as file:
            return looks_like_onnx(file, os.fstat(file.fileno()).st_size)

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        from google.protobuf.message import DecodeError

        from autosplit.core.weights import WeightStore, digest_of, register
        from autosplit.formats.onnx.functions import inline_functions
        from autosplit.formats.onnx.reader import read_model
        from autosplit.formats.onnx.sparing import read_file

        check_loading(self.name, custom_ops)
        with path.open("rb") as file:
            cut = truncation(file, os.fstat(file.fileno()).st_size)
        if cut is not None:
            raise AutosplitError(f"{path}: the ONNX model is truncated: {cut}")
        try:
            proto, large = read_file(path)
        except DecodeError as e:
            raise AutosplitError(f"{path}: is not an ONNX model, or a damaged one") from e
        store = WeightStore(path, digest_of(path))
        try:
            inline_functions(proto)
            _check_versions(proto)
            module = read_model(proto, store, path.parent, large)
        except AutosplitError as e:
            raise AutosplitError(f"{path}: {e}") from e
        register(store, module)
        return Model(module, store, self, path, custom_ops)

    def weights(self, path: Path, file_digest: str = "") -> WeightStore:
        from autosplit.formats.onnx.weights import read_weights

        return read_weights(path, file_digest)

    def prepare(
        self,
        model: Model,
        inputs: Mapping[str, Sequence[int] | None],
        outputs: Sequence[str],
    ) -> None:
        """Fixes inputs, outputs and shapes. What a node alone makes can be an input."""
        from autosplit.platforms.onnx.prepare import inner_tensors, prepare_graph

        graph = onnx_graph(model.module)
        with errors_at(model):
            if inner_tensors(graph, inputs):
                from autosplit.lowering.infer_shapes import infer_types

                infer_types(make_context(), model.module)
            prepare_graph(graph, inputs, outputs)

    def fix(self, model: Model, name: str, array: Array) -> None:
        from autosplit.platforms.onnx.prepare import fix_input

        fix_input(onnx_graph(model.module), name, self.constant(name, array, model.store))

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        """Does nothing: these models are ONNX."""

    def constant(self, name: str, array: Array, store: WeightStore) -> PlatformOp:
        from autosplit.dialects.onnx.ops import make_constant

        return make_constant(name, array, store)

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        from xdsl.dialects.builtin import ModuleOp

        from autosplit.dialects.onnx.ops import GraphOp, ReturnOp

        body = func.body.clone()
        end = body.block.last_op
        values = list(end.operands) if end is not None else []
        if end is not None:
            end.detach()
            end.erase()
        body.block.add_op(ReturnOp(values))
        names = [n.data for n in func.input_names], [n.data for n in func.output_names]
        copy = ModuleOp([GraphOp(func.sym_name.data, *names, body)])
        copy.attributes.update(
            {k: v for k, v in module.attributes.items() if k.startswith(("platform.", "onnx."))}
        )
        return copy

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        from autosplit.formats.onnx.files import write_func

        info = named_files(self, stem)
        write_func(module, func, store, folder / info["model_path"])
        return info

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> Executor:
        from autosplit.runtime.frameworks.onnx import OnnxExecutor

        path = folder / model_info["model_path"]
        return OnnxExecutor(path, optimize=optimize, custom_ops=custom_ops)

    def refusal(
        self,
        models: Sequence[Mapping[str, str]],
        folder: Path,
        custom_ops: Sequence[Path] = (),
    ) -> tuple[int, str] | None:
        from autosplit.runtime.frameworks.onnx import check_loads

        for place, info in enumerate(models):
            try:
                check_loads(folder / info["model_path"], custom_ops)
            except AutosplitError as error:
                return place, str(error)
        return None

    def measure(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Sequence[str],
        *,
        work: bool = False,
    ) -> Measurements:
        from autosplit.runtime.frameworks.onnx import measure_values

        return measure_values(model, feeds, names, work=work)


def onnx_graph(module: ModuleOp) -> GraphOp:
    """The graph of a module of the dialect. Raises AutosplitError if it holds none."""
    from autosplit.dialects.onnx.ops import GraphOp

    for op in module.body.ops:
        if isinstance(op, GraphOp):
            return op
    raise AutosplitError("the module holds no onnx.graph")


def _check_versions(proto: object) -> None:
    """Raises for models that are older or newer than what the dialect holds."""
    import onnx
    from onnx.defs import onnx_opset_version

    model = cast("onnx.ModelProto", proto)
    if not model.HasField("graph"):
        raise AutosplitError("the ONNX model has no graph")
    versions = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    newest = onnx_opset_version()
    if not model.opset_import:
        raise AutosplitError("the ONNX model names no operator set; expected opset_import")
    for version in versions:
        if not OLDEST_OPSET <= version <= newest:
            hint = (
                "convert it with onnx.version_converter"
                if version < OLDEST_OPSET
                else "install a newer onnx"
            )
            raise AutosplitError(
                f"is of opset {version}; autosplit reads {OLDEST_OPSET} to {newest}: {hint}"
            )


PLATFORM = OnnxPlatform()
