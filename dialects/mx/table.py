"""The ops of MXNet, as data."""

from __future__ import annotations

from autosplit.dialects.mx.spec import (
    BOOL,
    FLOAT,
    INT,
    SHAPE,
    STRING,
    AttrSpec,
    AttrValue,
    OpSpec,
    ports,
)

__all__ = ["ALIASES", "OP_TABLE"]

_table: dict[str, OpSpec] = {}


def _op(kind: str, inputs: str, outputs: str, *attrs: AttrSpec, aux: str = "") -> None:
    named = {attr.name: attr for attr in attrs}
    _table[kind] = OpSpec(kind, ports(inputs), ports(outputs), named, tuple(aux.split()))


def _need(
    name: str, kind: str, choices: tuple[str, ...] = (), *, or_none: bool = False
) -> AttrSpec:
    return AttrSpec(name, kind, True, None, choices, or_none)


def _may(
    name: str,
    kind: str,
    default: AttrValue = None,
    choices: tuple[str, ...] = (),
    *,
    or_none: bool = False,
) -> AttrSpec:
    return AttrSpec(name, kind, False, default, choices, or_none)


_op(
    "Activation",
    "data",
    "output",
    _need("act_type", STRING, ("relu", "sigmoid", "softrelu", "softsign", "tanh")),
)
_op(
    "BatchNorm",
    "data gamma beta moving_mean moving_var",
    "output mean~!output_mean_var var~!output_mean_var",
    _may("eps", FLOAT, 0.0010000000474974513),
    _may("momentum", FLOAT, 0.899999976),
    _may("fix_gamma", BOOL, True),
    _may("use_global_stats", BOOL, False),
    _may("output_mean_var", BOOL, False),
    _may("axis", INT, 1),
    _may("cudnn_off", BOOL, False),
    _may("min_calib_range", FLOAT, or_none=True),
    _may("max_calib_range", FLOAT, or_none=True),
    aux="moving_mean moving_var",
)
_op("Concat", "arg*num_args", "output", _need("num_args", INT), _may("dim", INT, 1))
_op(
    "Convolution",
    "data weight bias?!no_bias",
    "output",
    _need("kernel", SHAPE),
    _may("stride", SHAPE, ()),
    _may("dilate", SHAPE, ()),
    _may("pad", SHAPE, ()),
    _need("num_filter", INT),
    _may("num_group", INT, 1),
    _may("workspace", INT, 1024),
    _may("no_bias", BOOL, False),
    _may("cudnn_tune", STRING, None, ("fastest", "limited_workspace", "off"), or_none=True),
    _may("cudnn_off", BOOL, False),
    _may("layout", STRING, None, ("NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"), or_none=True),
)
_op(
    "SliceChannel",
    "data",
    "output*num_outputs",
    _need("num_outputs", INT),
    _may("axis", INT, 1),
    _may("squeeze_axis", BOOL, False),
)
_op(
    "SoftmaxOutput",
    "data label",
    "output",
    _may("grad_scale", FLOAT, 1.0),
    _may("ignore_label", FLOAT, -1.0),
    _may("multi_output", BOOL, False),
    _may("use_ignore", BOOL, False),
    _may("preserve_shape", BOOL, False),
    _may("normalization", STRING, "null", ("batch", "null", "valid")),
    _may("out_grad", BOOL, False),
    _may("smooth_alpha", FLOAT, 0.0),
)
_op("elemwise_add", "lhs rhs", "output")

OP_TABLE: dict[str, OpSpec] = dict(sorted(_table.items()))
"""The ops by MXNet's name of the kind."""

ALIASES: dict[str, str] = {"_Plus": "elemwise_add", "_plus": "elemwise_add", "concat": "Concat"}
"""Other names of ops, which files may have: the kind that each stands for."""
