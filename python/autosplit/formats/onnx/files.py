"""Writes ONNX files, and prints ONNX's own text format."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from xdsl.utils.target import Target

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import FuncOp
from autosplit.dialects.onnx.ops import InitializerOp
from autosplit.dialects.platform import WeightAttr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnx import ModelProto, TensorProto
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from autosplit.core.weights import WeightStore

    Array = NDArray[np.generic]

PROTO_LIMIT = 2**31 - 2**24
"""Larger models get their weights in a separate file: protobuf cannot hold 2 GiB."""

ALIGNMENT = 4096
"""External tensors begin at a page boundary, so that they can be mapped."""


def write_func(module: ModuleOp, func: FuncOp, store: WeightStore, path: Path) -> None:
    """Writes one `device.func` of an outlined module as an ONNX model.

    The operator sets and the IR version are the original's. Raises AutosplitError if the store lacks a
    weight.
    """
    from autosplit.formats.onnx.writer import func_proto

    weights = _external_file(func, path, store)
    _write(func_proto(module, func, store, weights), path, weights)


def write_model(module: ModuleOp, store: WeightStore, path: Path, *, apart: bool = False) -> None:
    """Writes a module that has not been outlined as an ONNX model.

    `apart`: whether all large weights go into a separate file next to it, so that they are never in memory
    together and a runtime can map them.
    """
    from autosplit.formats.onnx.writer import model_proto

    weights = _external_file(module, path, store, apart=apart)
    _write(model_proto(module, store, weights), path, weights)


def _write(proto: ModelProto, path: Path, weights: ExternalFile | None) -> None:
    path.write_bytes(proto.SerializeToString(deterministic=True))
    if weights is not None:
        weights.close()


class ExternalFile:
    """The file next to a model that holds its large tensors, written one by one."""

    def __init__(self, path: Path):
        self.path = path
        self._file = path.open("wb")

    def write(self, proto: TensorProto, array: Array) -> None:
        """Writes a tensor's elements, and records their location in `proto`."""
        from onnx import TensorProto

        data = _contiguous(array)
        self._file.write(b"\0" * (-self._file.tell() % ALIGNMENT))
        offset = self._file.tell()
        self._file.write(data)
        proto.data_location = TensorProto.EXTERNAL
        entries = {"location": self.path.name, "offset": str(offset), "length": str(len(data))}
        for key, value in entries.items():
            proto.external_data.add(key=key, value=value)

    def close(self) -> None:
        self._file.close()


def _contiguous(array: Array) -> memoryview | bytes:
    import numpy as np

    from autosplit.formats.onnx.values import raw_bytes

    if array.dtype.kind not in "biufc":
        return raw_bytes(array)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _external_file(
    op: FuncOp | ModuleOp, path: Path, store: WeightStore, *, apart: bool = False
) -> ExternalFile | None:
    """The file for external data, if requested or if the weights under `op` exceed one message.

    Weights that are external in the original stay external: they are copied one by one and are never in
    memory together.
    """
    total = 0
    has_external = False
    for inner in op.walk():
        if isinstance(inner, InitializerOp) and isinstance(inner.value, WeightAttr):
            total += _size(inner.value)
            has_external |= inner.value.key.data in store.mapped
    is_needed = apart or has_external or total > PROTO_LIMIT
    return ExternalFile(path.with_name(path.name + ".data")) if is_needed else None


def _size(weight: Any) -> int:
    from autosplit.core.dtypes import dtype_of

    dtype = dtype_of(weight.type)
    return prod(weight.type.get_shape()) * (dtype.itemsize if dtype is not None else 16)


@dataclass(frozen=True)
class OnnxTextTarget(Target):
    """Prints a model, or one sub-model of an outlined module, in ONNX's text form.

    Large constants print without their values unless `weights` says otherwise.
    Example: `autosplit-opt plan.mlir -t 'onnx-text{graph=1}'`
    """

    name = "onnx-text"
    graph: int = -1
    """The sub-model to print; required if the module is outlined."""
    weights: bool = False
    """Whether to print all values of large constants, read from the model's file."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        import onnx.printer

        from autosplit.core.weights import store_for
        from autosplit.formats.onnx.writer import func_proto, model_proto

        store = store_for(module) if self.weights else None
        funcs = {f.sym_name.data: f for f in module.body.ops if isinstance(f, FuncOp)}
        if not funcs:
            proto = model_proto(module, store, elide=not self.weights)
        elif (name := f"graph_{self.graph}") in funcs:
            proto = func_proto(module, funcs[name], store, elide=not self.weights)
        else:
            names = ", ".join(n for n in funcs if n != FuncOp.HOST)
            if not names:
                raise AutosplitError(
                    "the module has no sub-models: run device-outline without regions=true"
                )
            problem = "is outlined" if self.graph < 0 else f"has no sub-model {name}"
            raise AutosplitError(
                f"the module {problem}: choose one of {names}, as in -t 'onnx-text{{graph=0}}'"
            )
        text = cast("str", cast("Any", onnx.printer).to_text(proto))
        output.write(text.rstrip() + "\n")
