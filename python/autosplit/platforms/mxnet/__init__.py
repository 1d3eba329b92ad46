"""MXNet: the `Platform` of symbols and their parameters.

Reading, preparing, cutting and writing need no MXNet; only running does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore
from autosplit.dialects.mx import GraphOp, LabelOp, ParamOp, make_constant, make_placeholder
from autosplit.dialects.mx.graph import resolve_tensor_name
from autosplit.formats.mxnet.params import looks_like_params, number_of_dtype
from autosplit.formats.mxnet.reader import ParamsFile, import_files
from autosplit.formats.mxnet.writer import export_func
from autosplit.lowering.convert_mx_to_onnx import convert
from autosplit.platforms import Measurements, Model, named_files
from autosplit.platforms.ordered import OrderedPlatform
from autosplit.runtime.frameworks.mxnet import MxnetExecutor, measure, refusal

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.core.weights import Array, WeightStore
    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.named_graph import OrderedGraph
    from autosplit.dialects.platform import PlatformOp
    from autosplit.platforms import Executor

SYMBOL_ENDING = "-symbol.json"


class Mxnet(OrderedPlatform):
    """The `Platform` of MXNet symbols."""

    name: str = "mxnet"
    title: str = "an MXNet symbol"
    files: ClassVar[Mapping[str, str]] = {"json": SYMBOL_ENDING, "params": ".params"}
    default_layout: str = "NCHW"
    graph_type: ClassVar[type[OrderedGraph]] = GraphOp
    parameter_type: ClassVar[type[PlatformOp]] = ParamOp
    prefix: ClassVar[str] = "mx."

    def recognises(self, head: bytes, path: Path) -> bool:
        """Whether the file is a symbol, or one of parameters."""
        if looks_like_params(head):
            return True
        return head.lstrip()[:1] == b"{" and b'"nodes"' in head and b'"op"' in head

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        """Reads a symbol and its parameters; raises AutosplitError on anything wrong with them."""
        if custom_ops:
            raise AutosplitError(
                f"{custom_ops[0]}: libraries of custom ops are for onnx, pytorch and tensorflow models, "
                f"and {path} is of mxnet"
            )
        with path.open("rb") as file:
            if looks_like_params(file.read(8)):
                raise AutosplitError(
                    f"{path}: holds parameters; give the symbol, NAME{SYMBOL_ENDING}, and this file with "
                    "--params"
                )
        module, store = import_files(path, params)
        return Model(module, store, self, path, custom_ops)

    def params_beside(self, path: Path) -> Path | None:
        """`NAME.params` or `NAME-0000.params` of `NAME-symbol.json`; else the last epoch's that there is."""
        stem = path.name.removesuffix(SYMBOL_ENDING)
        stem = stem if stem != path.name else path.stem
        for name in (f"{stem}.params", f"{stem}-0000.params"):
            if (beside := path.with_name(name)).is_file():
                return beside
        digits = "[0-9]" * 4
        folder = path.parent
        epochs = sorted(p for p in folder.glob(f"*-{digits}.params") if p.name[:-12] == stem)
        return epochs[-1] if epochs else None

    def weights(self, path: Path, file_digest: str = "") -> WeightStore:
        """The arrays of a file of parameters, or of the one beside a symbol, by name."""
        params = path
        if path.suffix == ".json":
            params = self.params_beside(path)
        return WeightStore() if params is None else ParamsFile.read(params, file_digest).store()

    def placeholder(self, name: str, value: SSAValue) -> PlatformOp:
        """A variable that a caller gives."""
        op = value.owner
        return make_placeholder(name, value.type, op.texts if isinstance(op, LabelOp) else {})

    def own_name(self, values: Mapping[str, SSAValue], name: str) -> str | None:
        """The name of a tensor, which may be called as its node is."""
        return resolve_tensor_name(values, name)

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        convert(module)

    def constant(self, name: str, array: Array, store: WeightStore) -> PlatformOp:
        """A parameter."""
        return make_constant(name, array, store)

    def crosses(self, element: Attribute) -> bool:
        """Whether MXNet and numpy have the dtype both."""
        dtype = dtype_of(element)
        return dtype is None or (super().crosses(element) and number_of_dtype(dtype) is not None)

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        """Writes one outlined sub-model as a symbol, and its parameters if it has any."""
        info = named_files(self, stem)
        written = export_func(module, func, store)
        if not written.write(folder / info["json"], folder / info["params"]):
            del info["params"]
        return info

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> Executor:
        """Binds a symbol, with MXNet's rewriting of it only if it is asked for.

        Raises MissingExtraError if mxnet is not installed.
        """
        params = model_info.get("params")
        return MxnetExecutor(
            folder / model_info["json"],
            None if params is None else folder / params,
            optimize=optimize,
        )

    def refusal(
        self,
        models: Sequence[Mapping[str, str]],
        folder: Path,
        custom_ops: Sequence[Path] = (),
    ) -> tuple[int, str] | None:
        """Loads symbols and parameters once, where MXNet is installed, in a process of its own."""
        files = [
            (folder / info["json"], folder / info["params"] if "params" in info else None)
            for info in models
        ]
        return refusal(files)

    def measure(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Sequence[str],
        *,
        work: bool = False,
    ) -> Measurements:
        """Asks MXNet for the shapes and dtypes of the named tensors, in a process of its own."""
        return measure(model, feeds, names, work=work)


PLATFORM = Mxnet()
