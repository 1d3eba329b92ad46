"""All dialects, passes and targets of autosplit, by name.

Each entry is a factory that imports its module when it is called, so that a tool pays only for what the
command line names. To add a dialect, a pass or a target, add its line here; the tools, the documentation
and the tests that walk everything find it by that line alone. Other packages add theirs by entry points of
the groups `autosplit.dialects`, `autosplit.passes` and so on, see docs/write_your_own.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

from autosplit.core.errors import AutosplitError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from xdsl.context import Context
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass
    from xdsl.utils.target import Target

T = TypeVar("T")

_DIALECTS = {
    "aten": "autosplit.dialects.aten:Aten",
    "caffe": "autosplit.dialects.caffe:Caffe",
    "device": "autosplit.dialects.device:Device",
    "dnnl": "autosplit.dialects.dnnl:Dnnl",
    "mx": "autosplit.dialects.mx:Mx",
    "onnx": "autosplit.dialects.onnx.ops:Onnx",
    "platform": "autosplit.dialects.platform:Platform",
    "quant": "autosplit.dialects.quant:Quant",
    "tf": "autosplit.dialects.tf:Tf",
    "top": "autosplit.dialects.top:Top",
}

_PASSES: dict[str, str] = {
    "convert-aten-to-onnx": "autosplit.lowering.convert_aten_to_onnx:ConvertAtenToOnnxPass",
    "convert-caffe-to-onnx": "autosplit.lowering.convert_caffe_to_onnx:ConvertCaffeToOnnxPass",
    "convert-dnnl-to-onnx": "autosplit.lowering.dnnl.convert_dnnl_to_onnx:ConvertDnnlToOnnxPass",
    "convert-mx-to-onnx": "autosplit.lowering.convert_mx_to_onnx:ConvertMxToOnnxPass",
    "convert-onnx-to-dnnl": "autosplit.lowering.dnnl.convert_onnx_to_dnnl:ConvertOnnxToDnnlPass",
    "convert-onnx-to-quant": "autosplit.lowering.quant.convert_onnx_to_quant:ConvertOnnxToQuantPass",
    "convert-onnx-to-top": "autosplit.lowering.convert_onnx_to_top:ConvertOnnxToTopPass",
    "convert-quant-to-onnx": "autosplit.lowering.quant.convert_quant_to_onnx:ConvertQuantToOnnxPass",
    "convert-tf-to-onnx": "autosplit.lowering.convert_tf_to_onnx:ConvertTfToOnnxPass",
    "convert-to-onnx": "autosplit.lowering.convert_to_onnx:ConvertToOnnxPass",
    "convert-top-to-onnx": "autosplit.lowering.convert_top_to_onnx:ConvertTopToOnnxPass",
    "device-cluster": "autosplit.lowering.device.cluster:DeviceClusterPass",
    "device-confirm": "autosplit.lowering.device.confirm:DeviceConfirmPass",
    "device-outline": "autosplit.lowering.device.outline:DeviceOutlinePass",
    "device-place": "autosplit.lowering.device.place:DevicePlacePass",
    "device-place-onnx": "autosplit.lowering.device.place_onnx:DevicePlaceOnnxPass",
    "device-record": "autosplit.flows.splitting.device_record:DeviceRecordPass",
    "device-weigh": "autosplit.flows.splitting.device_weigh:DeviceWeighPass",
    "dnnl-fuse": "autosplit.lowering.dnnl.fuse:DnnlFusePass",
    "dnnl-place": "autosplit.lowering.dnnl.place:DnnlPlacePass",
    "dnnl-propagate-layout": "autosplit.lowering.dnnl.propagate_layout:DnnlPropagateLayoutPass",
    "dnnl-record": "autosplit.lowering.dnnl.record:DnnlRecordPass",
    "dnnl-tabulate": "autosplit.lowering.dnnl.tabulate:DnnlTabulatePass",
    "dnnl-turn-pools": "autosplit.lowering.dnnl.turn_pools:DnnlTurnPoolsPass",
    "infer-shapes": "autosplit.lowering.infer_shapes:InferShapesPass",
    "measure-shapes": "autosplit.flows.splitting.measure_shapes:MeasureShapesPass",
    "normalize-onnx": "autosplit.lowering.normalize_onnx:NormalizeOnnxPass",
    "note-pictures": "autosplit.flows.splitting.note_pictures:NotePicturesPass",
    "onnx-graph": "autosplit.lowering.onnx_graph:OnnxGraphPass",
    "platform-prepare": "autosplit.flows.splitting.platform_prepare:PlatformPreparePass",
    "promise-shapes": "autosplit.lowering.infer_shapes.promise_shapes:PromiseShapesPass",
    "quant-attention": "autosplit.lowering.quant.encoders.quant_attention:QuantAttentionPass",
    "quant-before-moves": "autosplit.lowering.quant.moves.quant_before_moves:QuantBeforeMovesPass",
    "quant-calibrate": "autosplit.flows.quantizing.quant_calibrate:QuantCalibratePass",
    "quant-center-weights": (
        "autosplit.lowering.quant.convolutions.quant_center_weights:QuantCenterWeightsPass"
    ),
    "quant-correct-biases": "autosplit.lowering.quant.quantize.quant_correct_biases:QuantCorrectBiasesPass",
    "quant-drop-casts": "autosplit.lowering.quant.drop_casts:QuantDropCastsPass",
    "quant-equalize": "autosplit.lowering.quant.quantize.quant_equalize:QuantEqualizePass",
    "quant-fold-channel-scales": (
        "autosplit.lowering.quant.convolutions.quant_fold_channel_scales:QuantFoldChannelScalesPass"
    ),
    "quant-fold-requantize": "autosplit.lowering.quant.fold_requantize:QuantFoldRequantizePass",
    "quant-fold-zero-points": (
        "autosplit.lowering.quant.convolutions.quant_fold_zero_points:QuantFoldZeroPointsPass"
    ),
    "quant-gate-as-conv": "autosplit.lowering.quant.convolutions.quant_gate_as_conv:QuantGateAsConvPass",
    "quant-insert": "autosplit.lowering.quant.quantize.quant_insert:QuantInsertPass",
    "quant-join-scales": "autosplit.lowering.quant.join_scales:QuantJoinScalesPass",
    "quant-keep-real": "autosplit.lowering.quant.encoders.quant_keep_real:QuantKeepRealPass",
    "quant-lift": "autosplit.lowering.quant.lift:QuantLiftPass",
    "quant-move-bytes": "autosplit.lowering.quant.move_bytes:QuantMoveBytesPass",
    "quant-own-scales": "autosplit.lowering.quant.own_scales:QuantOwnScalesPass",
    "quant-real-moves": "autosplit.lowering.quant.moves.quant_real_moves:QuantRealMovesPass",
    "quant-saturation": "autosplit.lowering.quant.quantize.quant_saturation:QuantSaturationPass",
    "quant-select": "autosplit.lowering.quant.quantize.quant_select:QuantSelectPass",
    "quant-smooth": "autosplit.flows.quantizing.quant_smooth:QuantSmoothPass",
    "quant-split-dequant": "autosplit.lowering.quant.split_dequant:QuantSplitDequantPass",
    "quant-split-products": "autosplit.lowering.quant.encoders.quant_split_products:QuantSplitProductsPass",
    "quant-sum-as-conv": "autosplit.lowering.quant.convolutions.quant_sum_as_conv:QuantSumAsConvPass",
    "quant-turn-gates": "autosplit.lowering.quant.convolutions.quant_turn_gates:QuantTurnGatesPass",
    "quant-turn-resize": "autosplit.lowering.quant.quant_turn_resize:QuantTurnResizePass",
    "quant-turn-softmax": "autosplit.lowering.quant.encoders.quant_turn_softmax:QuantTurnSoftmaxPass",
    "quant-widen-kernels": "autosplit.lowering.quant.convolutions.quant_widen_kernels:QuantWidenKernelsPass",
    "reduce-mutation": "autosplit.lowering.reduce_mutation:ReduceMutationPass",
    "submodel-equalize": "autosplit.lowering.submodel.equalize:SubmodelEqualizePass",
    "submodel-fix-inputs": "autosplit.lowering.submodel.fix_inputs:SubmodelFixInputsPass",
    "submodel-fold-pads": "autosplit.lowering.submodel.fold_pads:SubmodelFoldPadsPass",
    "submodel-settle-sizes": "autosplit.lowering.submodel.settle_sizes:SubmodelSettleSizesPass",
    "submodel-take-constants": "autosplit.lowering.submodel.take_constants:SubmodelTakeConstantsPass",
    "tf-inline-calls": "autosplit.lowering.convert_tf_to_onnx.tf_inline_calls:TfInlineCallsPass",
    "top-correct-biases": "autosplit.lowering.top.correct_biases:TopCorrectBiasesPass",
    "top-divide-by-roots": "autosplit.lowering.top.divide_by_roots:TopDivideByRootsPass",
    "top-f32-values": "autosplit.lowering.top.f32_values:TopF32ValuesPass",
    "top-finite-masks": "autosplit.lowering.top.finite_masks:TopFiniteMasksPass",
    "top-flatten-products": "autosplit.lowering.top.flatten_products:TopFlattenProductsPass",
    "top-plain-names": "autosplit.lowering.top.plain_names:TopPlainNamesPass",
    "top-protect-operands": "autosplit.lowering.top.protect_operands:TopProtectOperandsPass",
    "top-separate-attention": "autosplit.lowering.top.separate_attention:TopSeparateAttentionPass",
    "top-separate-pairs": "autosplit.lowering.top.separate_pairs:TopSeparatePairsPass",
    "top-separate-twins": "autosplit.lowering.top.separate_twins:TopSeparateTwinsPass",
    "top-take-pictures": "autosplit.lowering.top.take_pictures:TopTakePicturesPass",
    "top-widen": "autosplit.lowering.top.widen:TopWidenPass",
}

_TARGETS: dict[str, str] = {
    "bmnet-script": "autosplit.folder.bmnet_script:BmnetScriptTarget",
    "compile-script": "autosplit.folder.compile_script:CompileScriptTarget",
    "dnnl-json": "autosplit.formats.dnnl_json.writer:DnnlJsonTarget",
    "graph-infos": "autosplit.folder.infos_writer:GraphInfosTarget",
    "graphdef-text": "autosplit.formats.tensorflow.writer:GraphDefTextTarget",
    "mxnet-symbol": "autosplit.formats.mxnet.writer:MxnetSymbolTarget",
    "onnx-text": "autosplit.formats.onnx.files:OnnxTextTarget",
    "pt2-program": "autosplit.formats.pytorch.writer:Pt2ProgramTarget",
    "results": "autosplit.interpret.module:ResultsTarget",
    "svg": "autosplit.explain.svg:SvgTarget",
    "top-mlir": "autosplit.formats.top_mlir.writer:TopMlirTarget",
}


def make_context() -> Context:
    """A context that knows all dialects and MLIR's `func`, each loaded when it is first met."""
    from xdsl.context import Context
    from xdsl.dialects.builtin import Builtin

    ctx = Context()
    ctx.load_dialect(Builtin)
    for name, factory in get_all_dialects().items():
        ctx.register_dialect(name, factory)
    # Modules of Top are functions.
    ctx.register_dialect("func", _factory("xdsl.dialects.func:Func"))
    return ctx


def get_all_dialects(*, ours: bool = False) -> dict[str, Callable[[], Dialect]]:
    """Factories of the dialects, sorted by name; with `ours` without those of other packages."""
    return _factories("dialects", _DIALECTS, ours)


def get_all_passes(*, ours: bool = False) -> dict[str, Callable[[], type[ModulePass]]]:
    """Factories of the passes, sorted by name; with `ours` without those of other packages."""
    return _factories("passes", _PASSES, ours)


def get_all_targets(*, ours: bool = False) -> dict[str, Callable[[], type[Target]]]:
    """Factories of the output formats of `autosplit-opt -t`, sorted by name; `ours` as for the passes."""
    return _factories("targets", _TARGETS, ours)


def added(group: str, ours: Container[str]) -> dict[str, EntryPoint]:
    """What installed packages add under the entry points `autosplit.GROUP`, sorted by name.

    Raises AutosplitError if one has a name of `ours`, or that of another package's.
    """
    by_name: dict[str, EntryPoint] = {}
    points = _entry_points(f"autosplit.{group}", tuple(sys.path))
    for point in sorted(points, key=lambda p: (p.name, _package(p))):
        if point.name in ours:
            owner = "autosplit has one"
        elif point.name in by_name and by_name[point.name].value != point.value:
            owner = f"{_package(by_name[point.name])} adds one"
        else:
            by_name[point.name] = point
            continue
        raise AutosplitError(
            f"{_package(point)} adds {point.name!r} to the {group}, and {owner} of that name already: "
            f"rename it in the entry points autosplit.{group} of the package, or uninstall that"
        )
    return by_name


@cache
def _entry_points(group: str, path: tuple[str, ...]) -> EntryPoints:
    """The entry points of what is installed on a search path, which is sys.path.

    Kept, as every context asks for them, and the files of all packages are read for them.
    """
    return _selection(path)(group=group)


@cache
def _selection(_: tuple[str, ...]) -> Callable[..., EntryPoints]:
    from importlib.metadata import entry_points

    return entry_points().select


def load_added(point: EntryPoint) -> object:
    """What an entry point stands for. Raises AutosplitError if it does not load or is called otherwise."""
    where = f"{_package(point)}: the entry point {point.name} = {point.value} of {point.group}"
    try:
        loaded = point.load()
    except (ImportError, AttributeError) as e:
        raise AutosplitError(f"{where} does not load: {e}") from e
    name = getattr(loaded, "name", point.name)
    if name != point.name:
        raise AutosplitError(
            f"{where} is called {name!r}; its name and its entry point's must be one"
        )
    return loaded


def _package(point: EntryPoint) -> str:
    return "a package" if point.dist is None else f"package {point.dist.name}"


def _factories(group: str, entries: dict[str, str], ours: bool) -> dict[str, Callable[[], T]]:
    factories: dict[str, Callable[[], T]] = {
        name: _factory(entry) for name, entry in entries.items()
    }
    if not ours:
        factories |= {name: _factory_of(point) for name, point in added(group, entries).items()}
    return dict(sorted(factories.items()))


def _factory_of(point: EntryPoint) -> Callable[[], T]:
    return lambda: cast("T", load_added(point))


def _factory(entry: str) -> Callable[[], T]:
    def load() -> T:
        module, attribute = entry.split(":")
        return getattr(import_module(module), attribute)

    return load
