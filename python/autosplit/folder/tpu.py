"""What there is to compile of a TPU sub-model: Top text, weights and a script that compiles them.

graph_ir_1/graph_1.mlir, graph_1_weights.npz
compile_to_graph_ir_1.py
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from autosplit.calibration.table_files import quantize_table
from autosplit.folder.compilation import Compilation
from autosplit.folder.infos_reader import context_dir
from autosplit.lowering.pipelines import build_passes, run_shown, with_options
from autosplit.portable.networks import NetworkPort
from autosplit.registry import get_all_passes, make_context
from autosplit.toolchains.tpu_mlir import TPU_MLIR_VERSION

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.core.printing import Show
    from autosplit.devices import Chip
    from autosplit.dialects.device import FuncOp
    from autosplit.lowering.quant.own_scales import Scale
    from autosplit.lowering.submodel.sizes import Sizes
    from autosplit.platforms import Platform
    from autosplit.portable.networks import RawPicture
    from autosplit.toolchains.bmodel_compile import Build, Port, Settings
    from autosplit.toolchains.tpu_mlir import TpuMlir

    Array = NDArray[np.generic]

COMPILER = "tpu-mlir"
LEVEL = 2
"""The compiler's own optimization level."""


def stem(index: int) -> str:
    """What the files of sub-model `index` begin with; the network is called so too."""
    return f"graph_{index}"


def text_name(index: int) -> str:
    """The file with the sub-model as Top text."""
    return f"{stem(index)}.mlir"


def weights_name(index: int) -> str:
    """The archive of the weights of that text."""
    return f"{stem(index)}_weights.npz"


def calibration_name(index: int) -> str:
    """The calibration table of a sub-model that is compiled as INT8."""
    return f"{stem(index)}_calibration"


def quantize_name(index: int) -> str:
    """The file with the values of a sub-model of a narrower mode that are computed in f32 all the same."""
    return f"{stem(index)}_quantize"


def constants_name(index: int) -> str:
    """The archive of those outputs of a sub-model that are always the same; the bmodel does not give them."""
    return f"{stem(index)}_constants.npz"


def source_names(folder: Path, index: int) -> tuple[str, ...]:
    """The files, in the folder of the bmodel, that it is compiled from."""
    tables = [n for n in (calibration_name(index), quantize_name(index)) if (folder / n).is_file()]
    return (text_name(index), weights_name(index), *tables)


@dataclass(frozen=True)
class Written:
    """What was written of a sub-model."""

    record: Compilation
    """What the script will note of the compilation, without digests. It has no outputs where all of them are
    constants: there is nothing to compile then, no text and no script."""
    scales: Mapping[str, Scale]
    """By the names of Top, the values that the model itself holds as integers."""
    top: ModuleOp | None = None
    """The module of the text; None if there is none."""


def write_tpu_files(
    ctx: Context,
    module: ModuleOp,
    func: FuncOp,
    index: int,
    platform: Platform,
    chip: Chip,
    folder: Path,
    *,
    mode: str = "F32",
    sizes: Sizes | None = None,
    optimize: int | None = None,
    largest: Mapping[str, Sequence[int]] | None = None,
    lowered: ModuleOp | None = None,
    data: str = "",
    build: Mapping[str, int] | None = None,
    raw: Mapping[str, RawPicture] | None = None,
    foreseen: bool = False,
    net: str = "",
    show: Show | None = None,
    equalize: bool = False,
) -> Written:
    """Writes the files of TPU sub-model `index` of an outlined module into `folder`, which exists.

    `sizes` (default: all are fixed), `largest` and `lowered` as for `lower_submodel`. `raw`: the inputs that
    take the bytes of pictures, by tensor. `data` and `build` are noted in the record, see `Compilation`.
    `foreseen` says that `widen` may follow. `net`: what the network is called; `graph_N` by default. `show`
    is called with each pass that has run, and the module. `equalize` as for `lower_submodel`. The tool chain
    is not needed.
    """
    from autosplit.core.weights import write_archive
    from autosplit.formats.top_mlir.writer import write_top
    from autosplit.lowering.submodel.lower_submodel import lower_submodel
    from autosplit.lowering.submodel.sizes import Sizes
    from autosplit.lowering.top.f32_values import f32_values

    sizes, net = sizes or Sizes.fixed, net or stem(index)
    lower = partial(lower_submodel, ctx, module, func, platform, chip, show=show)
    submodel = lower(sizes, largest, lowered, mode, foreseen, raw, net, equalize=equalize)
    top = submodel.top
    inner = folder / context_dir(index)
    inner.mkdir(exist_ok=True)
    if submodel.constants:
        write_archive(inner / constants_name(index), submodel.constants.items())
    if len(submodel.constants) == len(func.output_names):
        return Written(_nothing(index, chip, mode), {})
    record = compilation_of(
        top, func, net, chip, mode, submodel.varying, optimize, data, submodel.constants.keys()
    )
    inputs = _taking_pictures(_scaled(record.inputs, submodel.borders), raw or {})
    write_top(top, inner, stem(index))
    # In INT8 the calibration knows more of them.
    if mode != "INT8" and (names := f32_values(top)):
        (inner / quantize_name(index)).write_text(quantize_table(names, "F32"), encoding="utf-8")
    record = replace(
        record,
        inputs=inputs,
        outputs=_scaled(record.outputs, submodel.borders),
        in_f32=tuple(submodel.in_f32),
        build=build or {},
    )
    write_script(record, index, folder)
    # An output may be a copy of the value, with a name of its own.
    ends = {
        b.name: submodel.borders[b.tensor] for b in record.outputs if b.tensor in submodel.borders
    }
    return Written(record, {**submodel.values, **ends}, top)


def _nothing(index: int, chip: Chip, mode: str) -> Compilation:
    """The record of a sub-model of which there is nothing to compile."""
    return Compilation(COMPILER, "", chip.name, mode, False, LEVEL, stem(index), (), (), {})


def widen(
    record: Compilation,
    index: int,
    chip: Chip,
    samples: Iterable[Mapping[str, Array]],
    toolchain: TpuMlir,
    folder: Path,
    show: Show | None = None,
) -> Compilation:
    """Lets a sub-model that was written for F16 compute in f32 what goes beyond F16 on any sample.

    A sample is an array for each input, by its name in the network. That is what the pipeline `widen` does;
    `show` is called with each pass that has run, and the module. Returns the record, with the reasons.
    """
    from autosplit.calibration.overflow import overflow
    from autosplit.formats.top_mlir.reader import read_top
    from autosplit.formats.top_mlir.writer import top_text
    from autosplit.lowering.top.f32_values import f32_values

    inner = folder / context_dir(index)
    top = read_top(inner / text_name(index))
    large = overflow(top, samples, toolchain)
    if not large.names:
        return record
    passes = with_options(
        build_passes("widen", get_all_passes()),
        {"target": chip.name, "values": large.names, "beyond": tuple(sorted(large.beyond))},
    )
    run_shown(make_context(), top, passes, show)
    # The weights have not changed.
    text = top_text(top, weights_name(index))
    (inner / text_name(index)).write_text(text, encoding="utf-8", newline="\n")
    table = quantize_table(f32_values(top), "F32")
    (inner / quantize_name(index)).write_text(table, encoding="utf-8")
    record = replace(record, in_f32=(*record.in_f32, *large.reasons))
    write_script(record, index, folder)
    return record


def _taking_pictures(
    borders: Sequence[NetworkPort], raw: Mapping[str, RawPicture]
) -> tuple[NetworkPort, ...]:
    """The borders, with what becomes of pictures where some are taken."""
    return tuple(_picture(b, raw[b.tensor]) if b.tensor in raw else b for b in borders)


def _picture(border: NetworkPort, raw: RawPicture) -> NetworkPort:
    # The module has planes.
    batch, channels, height, width = border.shape
    shape = (batch, height, width, channels) if raw.last else border.shape
    return replace(border, shape=shape, raw=raw, network_dtype="uint8")


def _scaled(borders: Sequence[NetworkPort], scales: Mapping[str, Scale]) -> tuple[NetworkPort, ...]:
    """The borders, with what their integers stand for."""
    return tuple(
        replace(b, step=scales[b.tensor].step, zero_point=scales[b.tensor].zero_point)
        if b.tensor in scales
        else b
        for b in borders
    )


def compilation_of(
    top: ModuleOp,
    func: FuncOp,
    net: str,
    chip: Chip,
    mode: str,
    dynamic: bool,
    optimize: int | None,
    data: str = "",
    constants: Container[str] = (),
) -> Compilation:
    """What is known of a compilation before it is made. `constants`: outputs that the network has not."""
    inputs, outputs = _borders(top, func, constants)
    return Compilation(
        compiler=COMPILER,
        toolchain=TPU_MLIR_VERSION,
        chip=chip.name,
        mode=mode,
        dynamic=dynamic,
        optimize=LEVEL if optimize is None else optimize,
        net=net,
        inputs=inputs,
        outputs=outputs,
        sources={},
        data=data,
    )


def _borders(
    top: ModuleOp, func: FuncOp, constants: Container[str]
) -> tuple[tuple[NetworkPort, ...], tuple[NetworkPort, ...]]:
    """The inputs and outputs of a sub-model, with the names and shapes that they have in its Top module.

    An input that nothing in the Top module reads is not among them, for instance one of which only the shape
    is used: the tool chain removes it.
    """
    from xdsl.dialects.func import FuncOp as TopFuncOp
    from xdsl.ir import OpResult

    from autosplit.dialects.platform import shape_of
    from autosplit.dialects.top import TopOp
    from autosplit.folder.infos_writer import dtype_name

    main = next(op for op in top.body.ops if isinstance(op, TopFuncOp))
    returned = main.body.block.last_op
    assert returned is not None

    def border(tensor: str, type: Attribute, value: SSAValue) -> NetworkPort:
        assert isinstance(value, OpResult)
        assert isinstance(value.op, TopOp)
        name = value.op.names[value.index]
        return NetworkPort(tensor, name, shape_of(value.type) or (), dtype_name(type) or "float32")

    entries = [op for op in main.body.block.ops if isinstance(op, TopOp) and op.kind == "Input"]
    ends = func.body.block.last_op
    assert ends is not None
    inputs = tuple(
        border(name.data, argument.type, op.results[0])
        for name, argument, op in zip(func.input_names, func.body.block.args, entries, strict=True)
        if op.results[0].first_use is not None
    )
    computed = [
        (name.data, value.type)
        for name, value in zip(func.output_names, ends.operands, strict=True)
        if name.data not in constants
    ]
    outputs = tuple(
        border(name, type, result)
        for (name, type), result in zip(computed, returned.operands, strict=True)
    )
    return inputs, outputs


def write_script(record: Compilation, index: int, folder: Path) -> Path:
    """Writes the compile script of a sub-model, whose other files are there; its path."""
    from autosplit.folder.compile_script import compile_script, script_name

    path = folder / script_name(context_dir(index))
    path.write_text(compile_script(settings_of(record, index, folder)), encoding="utf-8")
    return path


def settings_of(record: Compilation, index: int, folder: Path) -> Settings:
    """What the compile script of a sub-model in `folder` says."""
    quantize = quantize_name(index)
    has_quantize = (folder / context_dir(index) / quantize).is_file()
    settings: Settings = {
        "context_dir": context_dir(index),
        "mlir": text_name(index),
        "weights": weights_name(index),
        "calibration_table": calibration_name(index) if record.mode == "INT8" else None,
        "quantize_table": quantize if has_quantize else None,
        "chip": record.chip,
        "mode": record.mode,
        "dynamic": record.dynamic,
        "optimize": record.optimize,
        "net": record.net,
        "inputs": [_port(border) for border in record.inputs],
        "outputs": [_port(border) for border in record.outputs],
        "data": record.data,
    }
    if record.build:
        settings["build"] = cast("Build", record.build)
    if record.in_f32:
        settings["in_f32"] = record.in_f32
    return settings


def _port(border: NetworkPort) -> Port:
    port: Port = {
        "tensor": border.tensor,
        "name": border.name,
        "shape": list(border.shape),
        "dtype": border.dtype,
    }
    if border.network_dtype != "float32":
        port["network_dtype"] = border.network_dtype
    if border.step:
        port["step"], port["zero_point"] = border.step, border.zero_point
    if border.network_step:
        port["network_step"] = border.network_step
        port["network_zero_point"] = border.network_zero_point
    if border.reason:
        port["reason"] = border.reason
    if border.raw is not None:
        port["raw"] = asdict(border.raw)
    return port
