"""What AutoSplit documents as its API: `split` and `convert`; and AutoRunner's `load` and `infer`.

`deploy` does both in one, `explain` says where every op runs and why, `probe` measures ops on the emulator.

from autosplit.api import split
split("tensorflow", {"image_tensor:0": photo}, "out", "frozen_inference_graph.pb",
      outputs=["detection_boxes:0"], layout="NHWC")

Beside it, for quantized ONNX models on oneDNN: `compile` and `load_compiled`.

from autosplit.api import compile, infer, load_compiled
compile("detector-int8.onnx", "out")
outputs = infer(load_compiled("out"), {"input": photo})

Inputs may be pictures; what becomes of them, see `inputs.preprocess`, is said once: the folder keeps it.

split("onnx", {"data": "me.jpg"}, "out", "face.onnx", preprocess="mean=127.5,scale=1/128,color=bgr")
convert("out", mode="INT8", data="photos")
outputs = infer(load("out"), {"data": "you.jpg"})
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autosplit.core.errors import AutosplitError
from autosplit.core.logs import exception_wrapper
from autosplit.core.versions import DEFAULT_ROUNDING, DEFAULT_SUMS
from autosplit.devices import DEFAULT_CHIP, DEFAULT_KEEP
from autosplit.flows.split_arguments import check_platform, compile_options, split_options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from autosplit.explain.int8 import Int8Explanation
    from autosplit.explain.plan import Explanation
    from autosplit.flows.deploy import Deployed
    from autosplit.flows.package import Packaged
    from autosplit.flows.split_arguments import Pins, Shapes
    from autosplit.inputs.custom_ops import CustomOps
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocessing
    from autosplit.inputs.values import Given, Value
    from autosplit.probe.records import Record
    from autosplit.runtime.modes import Mode
    from autosplit.runtime.plan.plan import Plan
    from autosplit.runtime.runner import Runner, Timing
    from autosplit.toolchains.onednn import WaitPolicy

    Array = NDArray[np.generic]

__all__ = [
    "compile",
    "convert",
    "deploy",
    "exception_wrapper",
    "explain",
    "infer",
    "infer_time",
    "load",
    "load_compiled",
    "load_from_zip",
    "package",
    "probe",
    "split",
]

PathLike = Path | str
DEFAULT_TARGET = DEFAULT_CHIP.upper()


@exception_wrapper(message="Met an Error when split model.")
def split(
    platform: str,
    input_tensors: Mapping[str, Given],
    save_dir: PathLike,
    graph_path: PathLike,
    params_path: PathLike | None = None,
    outputs: Sequence[str] | None = None,
    dynamic: bool = False,
    layout: str = "NCHW",
    *,
    target: str = DEFAULT_TARGET,
    mode: str = "F32",
    keep: float = DEFAULT_KEEP,
    pins: Pins = (),
    shapes: Shapes | None = None,
    force: bool = False,
    probe: bool = False,
    on_fallback: str = "warn",
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
    fixed: Fixed | None = None,
    batches: Sequence[int] = (),
) -> None:
    """Splits a model into sub-models for CPU and TPU, saved in a folder.

    Args:
      platform: the framework of the model, as in `graph_infos.json`: tensorflow, onnx.
      input_tensors: an array, or the path of a picture, for each input of the model, by name; they give
        shapes and dtypes, and arrays are cast to the model's where no value changes.
      save_dir: the folder to save to; it must be missing or empty.
      graph_path: the model file.
      params_path: the file with the weights, where the framework keeps them apart; None means the one beside
        the model.
      outputs: the names of the output tensors; None means the model's own.
      dynamic: whether the sizes of the inputs may change; those given are the largest then.
      layout: the layout of the model's image tensors, NCHW or NHWC. For tensorflow, whose own is NHWC, the
        default counts as not given.
      target: the chip, BM1684, BM1684X or BM1688.
      mode: what the TPU will compute in, F32, F16, BF16 or INT8.
      keep: the share of the possible TPU work that the fewest sub-models must keep, from 0 to 1.
      pins: where ops run, `{"Postprocessor/.*": "cpu"}`: `cpu` or `tpu` by a regular expression for names.
      shapes: the sizes of inputs that no array is given for, which are random then, as in
        `{"x": (1, 3, 224, 224)}`; or text, `{"x": "1,3,48,..320"}`: with `dynamic` the size with dots varies,
        up to that one. Of other tensors a promise, `{"crops:0": (300, 14, 14, 576)}`, for sizes that do not
        follow from the model; the runner checks it.
      fixed: values of inputs that become constants of the model, `{"sr": 16000}`; nobody gives them any more.
      force: whether an earlier split in the folder is replaced, which has to be all that is in it.
      probe: whether each op that goes to the TPU is tried on the chip's emulator, and left to the CPU if it
        fails.
      on_fallback: `error` raises if work that nobody pinned to the CPU stays there; or `warn`.
      preprocess: what becomes of pictures, as `--preprocess` takes it, a `Preprocess`, or one of both for
        each input by name; the folder keeps it.
      custom_ops: the library of ops that the framework does not have, or several; what ONNX Runtime registers
        as custom ops, or `tf.load_op_library` loads. The folder gets copies.
      batches: `(1, 4)`: sub-models for so many samples at once, where the model leaves the first size of its
        inputs open; a runner of the folder takes any number then.

    Raises AutosplitError if the arguments, the model or the folder are not usable; nothing is saved then.
    """
    args = dict(locals())
    from autosplit.flows.split import split_batches

    check_platform(platform)
    if (platform, layout) == ("tensorflow", "NCHW"):
        args["layout"] = None
    split_batches(split_options(graph_path, **_taken(args, split_options)))


@exception_wrapper(message="Met an Error when compile model.")
def convert(
    folder: PathLike,
    optimize: int | None = None,
    compare: bool = False,
    target: str = "BM1682",
    *,
    mode: str = "",
    data: Sequence[PathLike] | PathLike = (),
    samples: int = 8,
    tolerance: Mapping[str, float] | None = None,
    metric: Callable[..., float] | str | None = None,
    target_metric: float = 0.0,
    calibrator: str = "",
    correct_biases: bool | None = None,
    equalize: bool | None = None,
    table: PathLike | None = None,
    quantize_table: PathLike | None = None,
    f32: Sequence[str] | str = (),
    target_cosine: float = 0.0,
    cores: int = 1,
    asymmetric: bool = False,
    fuse_preprocess: str = "",
    io: str = "",
    one_file: bool = False,
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
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
      target: BM1684, BM1684X or BM1688; BM1682 means that of the folder's split, for bmnet itself.
      mode: what the TPU computes in, F32, F16, BF16 or INT8 (the BM1684 has F32 and INT8); by default that
        which the folder was split for, F32 where `split` was not told. W4F16 and its kin narrow the weights.
      data: files or folders with samples of the model's inputs, as `[NAME=]PATH`: those that INT8 is
        calibrated with, or that show what is too large for F16; the first of them are compared with.
      samples: how many of them are compared with at most; so many random ones where there are none.
      tolerance: by output of a TPU sub-model the largest relative error, in place of what the mode allows.
      metric: decides instead: a function of what the folder and what the CPU alone makes of each sample, or a
        kind of task, as for `autosplit convert --metric`.
      target_metric: what it must reach; tasks have a default.
      calibrator: ranges in INT8: `histogram` (default), `minmax`, `percentile`, `entropy`, `moving-average`.
      correct_biases: whether biases take back what rounding weights shifts, in INT8.
      equalize: whether channels between two products are scaled, in INT8; by default on the BM1684.
      table: a calibration table of TPU-MLIR: the ranges of INT8 in place of those that `data` would show.
      quantize_table: a quantize table of TPU-MLIR: which values are computed in F32, F16 or BF16.
      f32: regular expressions of the names of ops that are computed in F32.
      target_cosine: what INT8 must reach with the fewest ops in F16 (BM1684: F32), `compare`: as emulated.
      cores: how many of the chip's cores work on a run; the BM1688 has 2.
      asymmetric: whether ranges in INT8 need not have 0 in their middle; not on the BM1684.
      fuse_preprocess: `rgb` or `bgr`: bmodels normalize pictures, whose bytes they take in this order.
      io: `int8` makes the model's own inputs and outputs the 8-bit integers that networks hold, in INT8.
      one_file: whether the bmodels become networks of one file too, `sub_models.bmodel`.
      preprocess: what becomes of pictures, as for `split`; by default what the folder says. It keeps this.
      custom_ops: libraries of ops that the framework does not have, in place of those that the folder holds.
      dynamic: whether sizes may be smaller at run time; they may in a folder that was split so.
      jobs: how many sub-models are compiled at a time; None means one a core.
      compiler: `tpu-mlir`, or `bmnet` for the vendor's older compilers.
      timeout: seconds that compiling, and then running, one sub-model may take.

    What an earlier call compiled from the same, with the same options, is taken. Raises AutosplitError if
    arguments, folder or tool chain are not usable, and if a sub-model does not compile or is computed
    wrongly; the others are compiled all the same.
    """
    args = dict(locals())
    from autosplit.core.logs import log
    from autosplit.flows.convert.arguments import convert_options
    from autosplit.flows.convert.folder import convert_folder
    from autosplit.folder.infos_reader import GraphInfos

    GraphInfos.load(folder)
    convert_folder(replace(convert_options(**args), note=log.warning)).check()


@exception_wrapper(message="Met an Error when deploy model.")
def deploy(
    model_path: PathLike,
    save_dir: PathLike,
    input_tensors: Mapping[str, Given] | None = None,
    *,
    platform: str = "auto",
    params_path: PathLike | None = None,
    outputs: Sequence[str] | None = None,
    dynamic: bool = False,
    layout: str | None = None,
    target: str = DEFAULT_TARGET,
    mode: str = "F32",
    keep: float = DEFAULT_KEEP,
    pins: Pins = (),
    shapes: Shapes | None = None,
    force: bool = False,
    on_fallback: str = "warn",
    data: Sequence[PathLike] | PathLike = (),
    calibrator: str = "",
    correct_biases: bool | None = None,
    equalize: bool | None = None,
    table: PathLike | None = None,
    quantize_table: PathLike | None = None,
    f32: Sequence[str] | str = (),
    target_cosine: float = 0.0,
    cores: int = 1,
    asymmetric: bool = False,
    fuse_preprocess: str = "",
    io: str = "",
    one_file: bool = False,
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
    fixed: Fixed | None = None,
    batches: Sequence[int] = (),
    optimize: int | None = None,
    compare: bool = False,
    samples: int = 8,
    tolerance: Mapping[str, float] | None = None,
    metric: Callable[..., float] | str | None = None,
    target_metric: float = 0.0,
    jobs: int | None = None,
    timeout: float | None = None,
) -> Deployed:
    """Splits a model and compiles its TPU sub-models to bmodels, in one step.

    Arguments are those of `split` and `convert`; the platform is found by the file's content if need be.
    Returns the folder, the split (see its `explanation`) and what became of each TPU sub-model. Raises
    AutosplitError if one of both fails; the folder is written where a sub-model was compiled, or refused.
    """
    args = dict(locals())
    from autosplit.flows.convert.arguments import convert_options
    from autosplit.flows.deploy import deploy_model

    # The folder of the split has the pictures' preprocessing and the libraries.
    unsaid = {"preprocess": None, "custom_ops": None}
    conversion = convert_options(save_dir, **_taken(args | unsaid, convert_options))
    options = split_options(model_path, **_taken(args | {"mode": conversion.mode}, split_options))
    deployed = deploy_model(options, conversion)
    deployed.converted.check()
    return deployed


def _taken(args: Mapping[str, Any], function: Callable[..., object]) -> dict[str, Any]:
    """Those arguments of a function that `function` has too."""
    names = signature(function).parameters
    return {name: value for name, value in args.items() if name in names}


@exception_wrapper(message="Met an Error when explain model.")
def explain(
    path: PathLike,
    input_tensors: Mapping[str, Given] | None = None,
    *,
    platform: str = "auto",
    params_path: PathLike | None = None,
    outputs: Sequence[str] | None = None,
    dynamic: bool = False,
    layout: str | None = None,
    target: str = DEFAULT_TARGET,
    mode: str = "F32",
    keep: float = DEFAULT_KEEP,
    pins: Pins = (),
    shapes: Shapes | None = None,
    on_fallback: str = "warn",
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
    fixed: Fixed | None = None,
    int8: bool = False,
    version: str | None = None,
    policy: str = "patterns",
    sums: str = DEFAULT_SUMS,
    rounding: str = DEFAULT_ROUNDING,
) -> Explanation | Int8Explanation:
    """Says where every op of a split or compiled folder, or of a model, runs, and why.

    The other arguments are those of `split`, and apply to a model, which is cut without writing anything.
    With `int8` it is compiled instead, for which `version`, `policy`, `sums` and `rounding` are those of
    `compile`. An Int8Explanation is what a folder has that `compile` saved, and what `int8` gives. Both have
    `find(NAME)` and `to_json()`. Raises AutosplitError for what is neither folder nor model.
    """
    args = dict(locals())
    from autosplit.explain.int8 import explain_int8
    from autosplit.explain.plan import explain, explain_folder
    from autosplit.flows.compile import compile_model
    from autosplit.flows.split import split_model
    from autosplit.folder.plans import is_compiled, load_compiled

    is_whole = is_compiled(Path(path)) or (int8 and Path(path).is_dir())
    if is_whole or (Path(path) / "graph_infos.json").is_file():
        _only(args, set(), f"is for models, and {path} is a folder")
        return explain_int8(load_compiled(Path(path)).module) if is_whole else explain_folder(path)
    if int8:
        what = "is an argument of split, and int8 explains what compile does"
        options = compile_options(path, **_only(args, _OF_COMPILE, what))
        return explain_int8(compile_model(options).module)
    of_split = args.keys() - {"path", "int8", "version", "policy", "sums", "rounding"}
    options = split_options(path, None, **_only(args, of_split, "goes with int8"))
    return explain(split_model(options).module)


_OF_COMPILE = {
    "input_tensors", "platform", "outputs", "shapes", "preprocess", "version", "policy", "sums",
    "rounding", "custom_ops", "fixed", "params_path",
}  # fmt: skip


def _only(args: Mapping[str, Any], allowed: Collection[str], otherwise: str) -> dict[str, Any]:
    """Those of `explain`'s arguments that are allowed; raises if another one says something.

    otherwise: why an argument is not allowed.
    """
    defaults = signature(explain).parameters
    for name, value in args.items():
        default: object = defaults[name].default
        is_allowed = name in ("path", "int8", *allowed)
        if not is_allowed and value is not default and value != default:
            raise AutosplitError(f"{name}: {otherwise}; leave it out")
    return {name: args[name] for name in allowed}


@exception_wrapper(message="Met an Error when probe ops.")
def probe(
    model_path: PathLike | None = None,
    input_tensors: Mapping[str, Array] | None = None,
    *,
    target: str = DEFAULT_TARGET,
    mode: str = "F32",
    shapes: Shapes | None = None,
    op: str | None = None,
    dynamic: bool = False,
    jobs: int = 1,
    custom_ops: CustomOps | None = None,
) -> dict[str, Record]:
    """Measures what the tool chain makes of ops on a chip's emulator, one at a time.

    Args:
      model_path: the model whose ops are tried, at their own shapes; None: the one-op models of every op that
        a chip may run.
      input_tensors, shapes, custom_ops: as for `split`, with a model.
      target: BM1684, BM1684X or BM1688.
      mode: F32, F16, BF16 or INT8.
      op: without a model, a regular expression for types of ops, or cases such as `Conv/3x3`.
      dynamic: without a model, those whose sizes vary.
      jobs: how many are tried at a time.

    Returns what was measured, by the node's name or the case's; `result` is `correct`, `wrong`, `error`, ...
    Raises AutosplitError if the tool chain is missing, or an argument says nothing.
    """
    from autosplit.devices import check_mode, get_chip
    from autosplit.dialects.platform import location_names
    from autosplit.flows.probe import measure_cases, measure_file

    chip = get_chip(target)
    check_mode(chip, mode.upper())
    if jobs < 1:
        raise AutosplitError(f"jobs is {jobs}, expected 1 or more")
    if model_path is None:
        return measure_cases(chip, mode.upper(), op, dynamic=dynamic, jobs=jobs)
    if op is not None or dynamic:
        raise AutosplitError("op and dynamic are for probing without a model")
    options = split_options(
        model_path,
        None,
        input_tensors,
        platform="auto",
        outputs=None,
        dynamic=False,
        layout=None,
        target=target,
        mode=mode,
        keep=1.0,
        pins=(),
        shapes=shapes,
        custom_ops=custom_ops,
    )
    records = measure_file(options, chip, options.mode, jobs=jobs)
    return {name: record for op, record in records.items() for name in location_names(op.location)}


def load(
    folder: PathLike,
    graphs_in_memory: Mapping[str, bytes] | None = None,
    use_cmodel: bool | int = False,
    mode: Mode | None = None,
    *,
    custom_ops: CustomOps | None = None,
    io: str = "",
) -> Runner:
    """Loads a folder of sub-models; see `autosplit.runtime.runner.load`."""
    from autosplit.runtime import runner

    return runner.load(folder, graphs_in_memory, use_cmodel, mode, custom_ops=custom_ops, io=io)


def load_from_zip(
    model_path: PathLike,
    use_cmodel: bool | int = False,
    mode: Mode | None = None,
    *,
    custom_ops: CustomOps | None = None,
) -> Runner:
    """Loads a zipped folder of sub-models; see `autosplit.runtime.runner.load_from_zip`."""
    from autosplit.runtime import runner

    return runner.load_from_zip(model_path, use_cmodel, mode, custom_ops)


@exception_wrapper(message="Met an Error when package models.")
def package(
    folder: PathLike, out: PathLike, *, frameworks: Collection[str] = (), cpp: bool = False
) -> Packaged:
    """Writes a converted folder as a program for the device, which needs no autosplit.

    Args:
      folder: what `deploy`, or `split` and `convert`, wrote.
      out: the program's folder, a Python package; it must be missing or empty.
      frameworks: what the device has beside ONNX Runtime for sub-models on the CPU: `tensorflow`.
      cpp: with a program in C++ that runs one bmodel.

    Raises AutosplitError if the folder is not converted, or holds what cannot run there; nothing is
    written then.
    """
    from autosplit.flows.package import package_folder

    return package_folder(folder, out, frameworks=frameworks, cpp=cpp)


@exception_wrapper(message="Met an Error when infer loaded models.")
def infer(
    runner: Runner | Plan,
    input_tensors: Mapping[str, Given],
    *,
    preprocess: Preprocessing = None,
) -> dict[str, Value]:
    """Runs a loaded folder of sub-models, see `autosplit.runtime.runner.infer`, or a compiled model.

    Outputs that are sequences, maps or absent are lists, dicts or None; all others are arrays.

    An input may be the path of a picture. `preprocess` as for `split`: what becomes of pictures, where it is
    not what the folder says.
    """
    from autosplit.runtime.runner import Runner

    feeds = _arrays(runner, input_tensors, preprocess)
    if isinstance(runner, Runner):
        return runner.infer(feeds)
    return {**runner.run(feeds)}


def _arrays(
    runner: Runner | Plan, given: Mapping[str, Given], preprocess: Preprocessing
) -> dict[str, Array]:
    """The inputs as arrays, where some are pictures."""
    from autosplit.core.logs import log
    from autosplit.flows.splitting.model_pictures import read_given

    return read_given(runner.infos, given, preprocess, log.info)


def compile(
    model_path: PathLike,
    save_dir: PathLike,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    outputs: Sequence[str] | None = None,
    version: str | None = None,
    policy: str = "patterns",
    sums: str = DEFAULT_SUMS,
    force: bool = False,
    *,
    params_path: PathLike | None = None,
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
    fixed: Fixed | None = None,
    rounding: str = DEFAULT_ROUNDING,
    tune: bool = False,
) -> None:
    """Compiles a quantized (QDQ) ONNX model, or an INT8 symbol of MXNet, for oneDNN, saved in a folder.

    Args:
      model_path: the .onnx file, or the symbol's.
      save_dir: the folder to save to; it must be missing or empty.
      input_shapes: sizes of inputs that the model leaves open; those that are not given stay open.
      outputs: the names of the output tensors; None means the model's own.
      version: the oneDNN to compile for, such as "3.2"; None means the one that autosplit installs.
      policy: who says what is a partition: `patterns` (autosplit's rules) or `backend` (the library).
      sums: how quantized values are added: `exact` rounds every operand as the model says, `close` adds
        matrix products unrounded but saturated, `fast` adds all unrounded, and values beyond the range of
        their integers pass; `auto` is `fast`, or `exact` where `rounding` is.
      force: whether an earlier result in the folder is replaced, which has to be all that is in it.
      params_path: the file with the weights, as for `split`.
      preprocess: what becomes of the pictures that the model will be given, as for `split`.
      custom_ops: libraries of ops that ONNX Runtime does not have; the folder gets copies.
      fixed: inputs that become constants of the model, by name, as for `split`.
      rounding: whether activations read products rounded as the model says (`exact`), or as they are
        computed (`close`), which is faster and nearer to the model before it was quantized.
      tune: whether the plan is measured on this machine, and ONNX Runtime left to run all of the model where
        that is faster.

    Raises AutosplitError if the arguments, the model or the folder are not usable; nothing is saved then.
    """
    from autosplit.flows.compile import compile_model

    options = compile_options(
        model_path,
        None,
        platform="auto",
        outputs=outputs,
        shapes=input_shapes,
        version=version,
        policy=policy,
        sums=sums,
        rounding=rounding,
        preprocess=preprocess,
        custom_ops=custom_ops,
        fixed=fixed,
        params_path=params_path,
    )
    compile_model(replace(options, out=Path(save_dir), force=force, tune=tune))


def load_compiled(
    folder: PathLike,
    threads: int = 0,
    wait_policy: WaitPolicy | None = None,
    custom_ops: CustomOps | None = None,
    max_sizes: int | None = None,
) -> Plan:
    """Loads a folder that `compile` saved; see `autosplit.flows.compile.load_plan`.

    `max_sizes`: how many sets of sizes stay prepared, where the model leaves sizes open; 64 if None.
    """
    from autosplit.flows.compile import load_plan

    return load_plan(
        folder, threads=threads, wait_policy=wait_policy, custom_ops=custom_ops, max_sizes=max_sizes
    )


def infer_time(
    folder: PathLike | Runner,
    input_tensors: Mapping[str, Given],
    save_file: PathLike | None = None,
    mode: Mode | None = None,
    *,
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
) -> list[Timing]:
    """The mean time of each sub-model; see `autosplit.runtime.runner.infer_time`; inputs as for `infer`."""
    from autosplit.runtime.runner import Runner, infer_time, open_runner

    opened = isinstance(folder, Runner)
    runner = folder if opened else open_runner(folder, mode, custom_ops=custom_ops)
    return infer_time(runner, _arrays(runner, input_tensors, preprocess), save_file)
