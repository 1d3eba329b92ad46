"""What AutoSplit documents as its API: `split` and `convert`; and AutoRunner's `load` and `infer`.

from autosplit.api import split
split("tensorflow", {"image_tensor:0": photo}, "out", "frozen_inference_graph.pb",
      outputs=["detection_boxes:0"], layout="NHWC")

Beside it, for quantized ONNX models on oneDNN: `compile` and `load_compiled`.

from autosplit.api import compile, infer, load_compiled
compile("detector-int8.onnx", "out")
outputs = infer(load_compiled("out"), {"input": photo})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from autosplit.errors import AutosplitError, nearest
from autosplit.logs import exception_wrapper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.runtime.dnnl_plan import Plan
    from autosplit.runtime.runner import Mode, Runner, Step
    from autosplit.runtime.values import Value
    from autosplit.toolchains.onednn import WaitPolicy

    Array = NDArray[np.generic]

__all__ = [
    "compile",
    "convert",
    "exception_wrapper",
    "infer",
    "infer_time",
    "load",
    "load_compiled",
    "load_from_zip",
    "split",
]

PathLike = Path | str

PLATFORMS = ("tensorflow", "onnx")
LATER_PLATFORMS = ("mxnet", "pytorch", "caffe")
TARGETS = ("BM1684", "BM1684X", "BM1688")


@exception_wrapper(message="Met an Error when split model.")
def split(
    platform: str,
    input_tensors: Mapping[str, Array],
    save_dir: PathLike,
    graph_path: PathLike,
    params_path: PathLike | None = None,
    outputs: Sequence[str] | None = None,
    dynamic: bool = False,
    layout: str = "NCHW",
) -> None:
    """Splits a model into sub-models for CPU and TPU (a BM1684), saved in a folder.

    Args:
      platform: the framework of the model, tensorflow or onnx.
      input_tensors: an array for each input of the model, by name; they give shapes and dtypes.
      save_dir: the folder to save to; it must be missing or empty.
      graph_path: the model file.
      params_path: the file with the weights, where the framework keeps them apart.
      outputs: the names of the output tensors; None means the model's own.
      dynamic: whether the sizes of the inputs may change; those given are the largest then.
      layout: the layout of the model's image tensors, NCHW or NHWC. For tensorflow, whose own is NHWC, the
        default counts as not given.

    Raises AutosplitError where the arguments, the model or the folder are not usable; nothing is saved then.
    """
    import numpy as np

    from autosplit.driver import InputSpec, SplitOptions, split_model

    _check_platform(platform)
    if params_path is not None:
        raise AutosplitError(
            f"params_path is {str(params_path)!r}: {platform} models hold their weights; leave it out"
        )
    if layout not in ("NCHW", "NHWC"):
        raise AutosplitError(f"layout is {layout!r}, expected 'NCHW' or 'NHWC'")
    if isinstance(outputs, str):
        raise AutosplitError(f"outputs is the string {outputs!r}, expected a list of tensor names")
    for name, array in _items(input_tensors):
        if not isinstance(array, np.ndarray):
            raise AutosplitError(
                f"input {name!r} is a {type(array).__name__}, expected a numpy.ndarray"
            )
    split_model(
        SplitOptions(
            model=Path(graph_path),
            out=Path(save_dir),
            inputs={name: InputSpec.of(array) for name, array in input_tensors.items()},
            outputs=list(outputs or ()),
            target="bm1684",
            platform=platform,
            layout=None if (platform, layout) == ("tensorflow", "NCHW") else layout,
            dynamic=bool(dynamic),
        )
    )


def _items(input_tensors: object) -> list[tuple[str, object]]:
    if not isinstance(input_tensors, Mapping):
        raise AutosplitError(
            f"input_tensors is a {type(input_tensors).__name__}, expected {{name: numpy.ndarray}}"
        )
    return list(cast("Mapping[str, object]", input_tensors).items())


def _check_platform(platform: str) -> None:
    if platform in PLATFORMS:
        return
    if platform in LATER_PLATFORMS:
        raise AutosplitError(
            f"platform {platform!r} comes with a later release; "
            f"this one splits {' and '.join(PLATFORMS)} models"
        )
    known = [*PLATFORMS, *LATER_PLATFORMS]
    raise AutosplitError(
        f"platform {platform!r} is not known{nearest(str(platform), known)}; "
        f"this release splits {' and '.join(PLATFORMS)} models"
    )


@exception_wrapper(message="Met an Error when compile model.")
def convert(
    folder: PathLike,
    optimize: int | None = None,
    compare: bool = False,
    target: str = "BM1682",
    *,
    mode: str = "",
    data: Sequence[PathLike] | PathLike = (),
    dynamic: bool = False,
    jobs: int | None = None,
    compiler: str = "tpu-mlir",
    timeout: float | None = None,
) -> None:
    """Compiles the TPU sub-models of a folder to bmodels, `graph_ir_N/compilation.bmodel`.

    Args:
      folder: what `split` saved.
      optimize: the compiler's optimization level, 1 to 3; None leaves it to the compiler.
      compare: whether each bmodel is run on the chip's emulator and compared with the CPU.
      target: BM1684, BM1684X or BM1688. BM1682, the documented default, means that none is given: the chip
        that the folder was split for. With the compiler bmnet it is the chip of that name.
      mode: what the TPU computes in, F32, F16, BF16 or INT8 (the BM1684 has F32 and INT8); by default that
        which the folder was split for, F32 where `split` was not told.
      data: files or folders with samples of the model's inputs, as `[NAME=]PATH`: those that INT8 is
        calibrated with, or that show what is too large for F16; the first of them is compared with.
      dynamic: whether sizes may be smaller at run time; they may in a folder that was split so.
      jobs: how many sub-models are compiled at a time; None means one a core.
      compiler: `tpu-mlir`, or `bmnet` for the vendor's older compilers.
      timeout: seconds that compiling, and then running, one sub-model may take.

    What an earlier call compiled from the same, with the same options, is taken. Raises AutosplitError where
    arguments, folder or tool chain are not usable, and where a sub-model does not compile or is computed
    wrongly; the others are compiled all the same.
    """
    from autosplit.convert import TIMEOUT, ConvertOptions, convert_folder
    from autosplit.emit.graph_folder import GraphInfos
    from autosplit.logs import log

    GraphInfos.load(folder)
    listed = [data] if isinstance(data, str | Path) else data
    options = ConvertOptions(
        folder=Path(folder),
        target=_check_target(target, compiler),
        mode=str(mode).upper(),
        data=[str(item) for item in listed],
        optimize=optimize,
        compare=bool(compare),
        dynamic=bool(dynamic),
        jobs=jobs,
        compiler=compiler,
        timeout=TIMEOUT if timeout is None else timeout,
        note=log.warning,
    )
    convert_folder(options).check()


def _check_target(target: str, compiler: str) -> str | None:
    """The chip that is asked for; None where that is the documented default."""
    wanted = str(target).upper()
    if wanted not in ("BM1682", *TARGETS):
        raise AutosplitError(
            f"target is {target!r}{nearest(str(target), list(TARGETS))}; "
            f"expected one of {', '.join(TARGETS)}"
        )
    return wanted if compiler == "bmnet" or wanted != "BM1682" else None


def load(
    folder: PathLike,
    graphs_in_memory: Mapping[str, bytes] | None = None,
    use_cmodel: bool | int = False,
    mode: Mode | None = None,
) -> Runner:
    """Loads a folder of sub-models; see `autosplit.runtime.runner.load`."""
    from autosplit.runtime import runner

    return runner.load(folder, graphs_in_memory, use_cmodel, mode)


def load_from_zip(
    model_path: PathLike, use_cmodel: bool | int = False, mode: Mode | None = None
) -> Runner:
    """Loads a zipped folder of sub-models; see `autosplit.runtime.runner.load_from_zip`."""
    from autosplit.runtime import runner

    return runner.load_from_zip(model_path, use_cmodel, mode)


def infer(runner: Runner | Plan, input_tensors: Mapping[str, Array]) -> dict[str, Value]:
    """Runs a loaded folder of sub-models, see `autosplit.runtime.runner.infer`, or a compiled model.

    Outputs that are sequences, maps or absent are lists, dicts or None; all others are arrays.
    """
    from autosplit.runtime.runner import Runner, infer

    if isinstance(runner, Runner):
        return infer(runner, input_tensors)
    return runner.run(input_tensors)


def compile(
    model_path: PathLike,
    save_dir: PathLike,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    outputs: Sequence[str] | None = None,
    version: str | None = None,
    policy: str = "patterns",
    sums: str = "exact",
    force: bool = False,
) -> None:
    """Compiles a quantized (QDQ) ONNX model for oneDNN, saved in a folder.

    Args:
      model_path: the .onnx file.
      save_dir: the folder to save to; it must be missing or empty.
      input_shapes: sizes of inputs that the model leaves open; those that are not given stay open.
      outputs: the names of the output tensors; None means the model's own.
      version: the oneDNN to compile for, such as "3.2"; None means the one that autosplit installs.
      policy: who says what is a partition: `patterns` (autosplit's rules) or `backend` (the library).
      sums: how quantized values are added: `exact` rounds every operand as the model says, `close` adds
        matrix products unrounded but saturated, `fast` adds all unrounded, and values beyond the range of
        their integers pass.
      force: whether an earlier result in the folder is replaced.

    Raises AutosplitError where the arguments, the model or the folder are not usable; nothing is saved then.
    """
    from autosplit.driver import InputSpec
    from autosplit.int8 import VERSION, CompileOptions, compile_model

    if isinstance(outputs, str):
        raise AutosplitError(f"outputs is the string {outputs!r}, expected a list of tensor names")
    shapes = {name: InputSpec(tuple(shape)) for name, shape in (input_shapes or {}).items()}
    compile_model(
        CompileOptions(
            model=Path(model_path),
            out=Path(save_dir),
            inputs=shapes,
            outputs=list(outputs or ()),
            version=version or VERSION,
            policy=policy,
            sums=sums,
            force=force,
        )
    )


def load_compiled(
    folder: PathLike, threads: int = 0, wait_policy: WaitPolicy | None = None
) -> Plan:
    """Loads a folder that `compile` saved; see `autosplit.int8.load_plan`."""
    from autosplit.int8 import load_plan

    return load_plan(folder, threads=threads, wait_policy=wait_policy)


def infer_time(
    folder: PathLike | Runner,
    input_tensors: Mapping[str, Array],
    save_file: PathLike | None = None,
    mode: Mode | None = None,
) -> list[Step]:
    """The mean time of each sub-model; see `autosplit.runtime.runner.infer_time`."""
    from autosplit.runtime.runner import infer_time

    return infer_time(folder, input_tensors, save_file, mode)
