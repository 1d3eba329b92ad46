"""What infer-shapes says of MXNet symbols, against MXNet's own infer_shape and infer_type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.mx.graph import ParamOp
from autosplit.dialects.mx.table import OP_TABLE
from autosplit.dialects.platform import platform_graph, shape_of, value_name
from autosplit.formats.mxnet.reader import LEARNED
from autosplit.lowering.infer_shapes import infer_types
from autosplit.lowering.sizes.mx_rules import SHAPES
from autosplit.platforms import Model, load_model
from autosplit.registry import make_context
from autosplit.runtime.frameworks.mxnet import import_mxnet
from autosplit.testing.zoos.mxnet import gluon_model, gluoncv_model

pytestmark = pytest.mark.skipif(find_spec("mxnet") is None, reason="mxnet is not installed")

Shapes = Mapping[str, tuple[int, ...]]

CASES: list[tuple[str, list[tuple[int, ...]], dict[str, Any]]] = [
    ("BilinearSampler", [(2, 3, 4, 5), (2, 2, 6, 7)], {}),
    ("CTCLoss", [(6, 2, 5), (2, 3)], {}),
    ("Dropout", [(2, 3)], {"mode": "always"}),
    ("GridGenerator", [(2, 6)], {"transform_type": "affine", "target_shape": (4, 5)}),
    ("GridGenerator", [(2, 2, 4, 5)], {"transform_type": "warp"}),
    ("RNN", [(5, 2, 3), (24,), (1, 2, 3)], {"state_size": 3, "num_layers": 1, "mode": "rnn_tanh"}),
    (
        "RNN",
        [(5, 2, 3), (288,), (2, 2, 4), (2, 2, 4)],
        {"state_size": 4, "num_layers": 1, "mode": "lstm", "bidirectional": True, "state_outputs": True},
    ),
    ("ROIPooling", [(1, 3, 8, 9), (7, 5)], {"pooled_size": (2, 3), "spatial_scale": 0.5}),
    ("SpatialTransformer", [(2, 3, 4, 5), (2, 6)],
     {"target_shape": (6, 7), "transform_type": "affine", "sampler_type": "bilinear"}),
    ("_contrib_DeformableConvolution", [(1, 3, 8, 9), (1, 18, 6, 7), (4, 3, 3, 3), (4,)],
     {"kernel": (3, 3), "num_filter": 4}),
    ("_contrib_DeformablePSROIPooling", [(1, 18, 8, 9), (7, 5)],
     {"spatial_scale": 1.0, "output_dim": 2, "group_size": 3, "pooled_size": 3, "no_trans": True}),
    ("_contrib_ModulatedDeformableConvolution",
     [(1, 3, 8, 9), (1, 18, 8, 9), (1, 9, 8, 9), (4, 3, 3, 3), (4,)],
     {"kernel": (3, 3), "num_filter": 4, "pad": (1, 1)}),
    ("_contrib_MultiBoxDetection", [(2, 4, 9), (2, 36), (1, 9, 4)], {}),
    ("_contrib_MultiBoxTarget", [(1, 9, 4), (2, 3, 5), (2, 4, 9)], {}),
    ("_contrib_MultiProposal", [(2, 24, 5, 6), (2, 48, 5, 6), (2, 3)],
     {"rpn_post_nms_top_n": 11, "output_score": True}),
    ("_contrib_PSROIPooling", [(1, 18, 8, 9), (7, 5)],
     {"spatial_scale": 1.0, "output_dim": 2, "pooled_size": 3}),
    ("_contrib_Proposal", [(1, 24, 5, 6), (1, 48, 5, 6), (1, 3)], {"rpn_post_nms_top_n": 11}),
    ("_contrib_ROIAlign", [(1, 3, 8, 9), (7, 5)], {"pooled_size": (2, 3), "spatial_scale": 0.5}),
    ("_contrib_ROIAlign", [(1, 12, 8, 9), (7, 5)],
     {"pooled_size": (2, 3), "spatial_scale": 0.5, "position_sensitive": True}),
    ("_contrib_RROIAlign", [(1, 3, 8, 9), (7, 6)], {"pooled_size": (2, 3), "spatial_scale": 0.5}),
    ("_contrib_box_decode", [(2, 9, 4), (1, 9, 4)], {}),
    ("_contrib_box_encode", [(2, 9), (2, 9), (2, 9, 4), (2, 3, 4), (4,), (4,)], {}),
    ("_contrib_box_iou", [(2, 3, 4), (5, 4)], {}),
    ("_contrib_box_nms", [(2, 9, 6)], {}),
    ("_contrib_dequantize", [(2, 3), (1,), (1,)], {"dtypes": {"x0": "int8"}}),
    ("_contrib_quantize", [(2, 3), (1,), (1,)], {"out_type": "int8"}),
    ("_contrib_quantize_v2", [(2, 3)], {"out_type": "uint8"}),
    ("_contrib_quantize_v2", [(2, 3)],
     {"out_type": "auto", "min_calib_range": 0.0, "max_calib_range": 2.0}),
    ("_contrib_requantize", [(2, 3), (1,), (1,)], {"dtypes": {"x0": "int32"}}),
    ("_contrib_round_ste", [(2, 3)], {}),
    ("_contrib_sign_ste", [(2, 3)], {}),
    ("_hypot_scalar", [(2, 3)], {"scalar": 2}),
    ("_rmod_scalar", [(2, 3)], {"scalar": 2}),
    ("batch_take", [(4, 3), (4,)], {"dtypes": {"x1": "int32"}}),
    ("erfinv", [(2, 3)], {}),
    ("gamma", [(2, 3)], {}),
    ("gammaln", [(2, 3)], {}),
    ("nanprod", [(2, 3, 4)], {"axis": (0, 2), "keepdims": True}),
    ("nansum", [(2, 3, 4)], {"axis": 1, "exclude": True}),
    ("nansum", [(2, 3, 4)], {}),
    ("scatter_nd", [(3,), (2, 3)], {"shape": (4, 5)}),
    ("softmax_cross_entropy", [(4, 3), (4,)], {}),
]  # fmt: skip

UNKNOWN_TO_MXNET = frozenset({"_contrib_boolean_mask", "_contrib_quantized_act"})
"""Kinds of whose shapes MXNet itself says nothing, or which it does not run alone."""


def symbol(kind: str, *inputs: Any, **attrs: Any) -> Any:
    mx: Any = import_mxnet("a test")
    if kind.startswith("_contrib_"):
        return getattr(mx.sym.contrib, kind.removeprefix("_contrib_"))(*inputs, name="n", **attrs)
    place = mx.sym._internal if kind.startswith("_") else mx.sym
    return getattr(place, kind)(*inputs, name="n", **attrs)


def inferred(path: Path, shapes: Shapes) -> Model:
    model = load_model(path)
    model.platform.prepare(model, {k: [*v] for k, v in shapes.items()}, ())
    infer_types(make_context(), model.module)
    return model


@pytest.mark.parametrize(("kind", "shapes", "attrs"), CASES, ids=[c[0] for c in CASES])
def test_of_ops_that_do_not_convert(
    kind: str, shapes: list[tuple[int, ...]], attrs: dict[str, Any], tmp_path: Path
):
    mx: Any = import_mxnet("a test")
    attrs = dict(attrs)
    dtypes: dict[str, str] = attrs.pop("dtypes", {})
    given = {f"x{i}": shape for i, shape in enumerate(shapes)}
    made = symbol(kind, *(mx.sym.var(n, dtype=dtypes.get(n, "float32")) for n in given), **attrs)
    _, wanted, _ = made.infer_shape(**given)
    _, types, _ = made.infer_type()
    path = tmp_path / "m-symbol.json"
    made.save(str(path))
    mx.nd.save(str(tmp_path / "m-0000.params"), learned(made, given))
    model = load_model(path)
    names = {name for name, _ in platform_graph(model.module).graph_inputs()}
    model.platform.prepare(model, {k: [*v] for k, v in given.items() if k in names}, ())
    infer_types(make_context(), model.module)
    ends = [value for _, value in platform_graph(model.module).graph_outputs()]
    assert [shape_of(value.type) for value in ends] == wanted
    assert [dtype_of(value.type) for value in ends] == [np.dtype(t) for t in types]


def learned(made: Any, given: Shapes) -> dict[str, Any]:
    """The file of parameters: MXNet calls these inputs by names of what is learned."""
    mx: Any = import_mxnet("a test")
    kind: str = json.loads(made.tojson())["nodes"][-1]["op"]
    return {
        f"arg:x{i}": mx.nd.zeros(given[f"x{i}"])
        for i, port in enumerate(OP_TABLE[kind].inputs[: len(given)])
        if port.name in LEARNED
    }


def test_every_rule_is_compared_with_mxnet():
    assert {kind for kind, _, _ in CASES} | UNKNOWN_TO_MXNET == set(SHAPES)


def check_all(path: Path, size: tuple[int, int]) -> None:
    """Each tensor that a node of the model reads is of the shape that MXNet infers."""
    mx: Any = import_mxnet("a test")
    shape = (1, 3, *size)
    internals = mx.sym.load(str(path)).get_internals()
    _, outputs, _ = internals.infer_shape_partial(data=shape)
    wanted = dict(zip(internals.list_outputs(), outputs, strict=True))
    model = inferred(path, {"data": shape})
    compared = 0
    for op in platform_graph(model.module).body_ops():
        for result in () if isinstance(op, ParamOp) else op.results:
            name = value_name(result)
            if result.first_use is not None and 0 not in wanted.get(name, (0,)):
                assert shape_of(result.type) == wanted[name], name
                compared += 1
    assert compared > 20


def test_a_net():
    check_all(gluon_model("mobilenet0.25"), (224, 224))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("ssd_512_mobilenet1.0_voc", 512),
        ("yolo3_darknet53_voc", 416),
        ("faster_rcnn_resnet50_v1b_voc", 600),
        ("deeplab_resnet50_ade", 480),
    ],
)
def test_every_tensor_of_detectors(name: str, size: int):
    check_all(gluoncv_model(name, size), (size, size))
