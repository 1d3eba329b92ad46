"""PyTorch: the `Platform` of programs that `torch.export` made, `.pt2` files.

Reading, preparing, cutting and writing need no PyTorch; only running does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from autosplit.core.dtypes import dtype_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import digest_of
from autosplit.dialects.aten.base import is_symbol
from autosplit.dialects.aten.build import make_constant, make_input
from autosplit.dialects.aten.graph import GraphOp, TensorSource
from autosplit.formats.others import looks_like_pt2
from autosplit.formats.pytorch.archive import Pt2Archive
from autosplit.formats.pytorch.arguments import symbol_kind
from autosplit.formats.pytorch.reader import import_file, store_of
from autosplit.formats.pytorch.schema import DTYPE_NUMBERS
from autosplit.formats.pytorch.writer import export_graph
from autosplit.inputs.custom_ops import check_loading
from autosplit.lowering.convert_aten_to_onnx import convert
from autosplit.lowering.device.notes import note
from autosplit.platforms import Measurements, Model, named_files
from autosplit.platforms.ordered import OrderedPlatform
from autosplit.platforms.pytorch.checks import kept_checks, left_out
from autosplit.platforms.pytorch.memory import kept_together
from autosplit.platforms.pytorch.prepare import (
    check_ranges,
    fix_sizes,
    named_sizes,
    needed_ops,
    take_numbers,
)
from autosplit.runtime.frameworks.torch import TorchExecutor, measure, refusal

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue

    from autosplit.core.weights import Array, WeightStore
    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.named_graph import OrderedGraph
    from autosplit.dialects.platform import PlatformGraph, PlatformOp
    from autosplit.platforms import Executor


class Pytorch(OrderedPlatform):
    """The `Platform` of PyTorch programs."""

    name: str = "pytorch"
    title: str = "a PyTorch program"
    # The key is the original's.
    files: ClassVar[Mapping[str, str]] = {"pth_path": ".pt2"}
    default_layout: str = "NCHW"
    graph_type: ClassVar[type[OrderedGraph]] = GraphOp
    parameter_type: ClassVar[type[PlatformOp]] = TensorSource
    prefix: ClassVar[str] = "aten."
    whole: ClassVar[str] = "program"
    part: ClassVar[str] = "value"
    shape_advice: ClassVar[str] = "; see dynamic_shapes of torch.export"
    frame_title: str = "shares memory that is updated in place with"
    """What an op does that is in one of `frames`, before the name of that."""

    def recognises(self, head: bytes, path: Path) -> bool:
        """Whether the file is a `.pt2` archive, or the beginning of one."""
        return looks_like_pt2(head)

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        """Reads an archive, without unpickling anything; raises AutosplitError on anything wrong with it.

        The libraries say what the ops in them write to.
        """
        module, store = import_file(path, check_loading(self.name, custom_ops))
        return Model(module, store, self, path, custom_ops)

    def weights(self, path: Path, file_digest: str = "") -> WeightStore:
        """The tensors of an archive by their names in the module."""
        archive = Pt2Archive(path)
        return store_of(archive, archive.tensors(), file_digest or digest_of(path))

    def placeholder(self, name: str, value: SSAValue) -> PlatformOp:
        """What a caller gives: a tensor or a number."""
        return make_input(name, value.type, symbol_kind(value))

    def needed(self, graph: OrderedGraph, values: Iterable[SSAValue]) -> set[object]:
        """What the values depend on, what writes to these too, and what is written back."""
        return needed_ops(graph, values)

    def also_kept(self, module: ModuleOp, graph: OrderedGraph, needed: set[object]) -> set[object]:
        """Keeps the checks that cost nothing; notes what is not checked any more."""
        checks = kept_checks(graph, needed)
        note(module, left_out(graph, checks))
        return checks

    def settle_sizes(
        self, graph: OrderedGraph, shapes: Mapping[str, tuple[Attribute, Sequence[int]]]
    ) -> None:
        """Fixes the program's named sizes that the shapes tell, wherever it has them."""
        sizes = named_sizes(shapes)
        check_ranges(graph, sizes)
        fix_sizes(graph, sizes)

    def fix(self, model: Model, name: str, array: Array) -> None:
        if is_symbol(self.graph_of(model.module).values()[name]):
            raise AutosplitError(f"input {name!r} is a number, which no constant can stand for")
        super().fix(model, name, array)

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        convert(module)

    def frames(self, graph: PlatformGraph) -> Mapping[Operation, str]:
        """What shares memory that the program updates, by the name of the op that has the memory first."""
        return kept_together(graph)

    def constant(self, name: str, array: Array, store: WeightStore) -> PlatformOp:
        return make_constant(name, array, store)

    def crosses(self, element: Attribute) -> bool:
        """Whether PyTorch and numpy have the dtype both."""
        dtype = dtype_of(element)
        return dtype is None or (super().crosses(element) and dtype.name in DTYPE_NUMBERS)

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        """A copy of one outlined sub-model as a module of its own, with a graph like an imported one."""
        copy = super().standalone(module, func)
        take_numbers(self.graph_of(copy))
        return copy

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        """Writes one outlined sub-model as an archive."""
        info = named_files(self, stem)
        whole = self.standalone(module, func)
        graph = self.graph_of(whole)
        assert isinstance(graph, GraphOp)
        export_graph(whole, graph, store).write(folder / info["pth_path"])
        return info

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> Executor:
        """Makes the nodes of a program calls of PyTorch, which optimizes nothing.

        Raises MissingExtraError where torch is not installed.
        """
        return TorchExecutor(folder / model_info["pth_path"], custom_ops)

    def refusal(
        self,
        models: Sequence[Mapping[str, str]],
        folder: Path,
        custom_ops: Sequence[Path] = (),
    ) -> tuple[int, str] | None:
        """Looks the ops of programs up once, where PyTorch is installed, in a process of its own."""
        return refusal([folder / info["pth_path"] for info in models], custom_ops)

    def measure(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Sequence[str],
        *,
        work: bool = False,
    ) -> Measurements:
        """Runs the program in PyTorch, in a process of its own, and reports shapes and dtypes."""
        return measure(model, feeds, names, work=work)


PLATFORM = Pytorch()
