"""convert-dnnl-to-onnx: ops of oneDNN Graph that are in no partition become ops of ONNX again.

So ONNX Runtime runs what the library does not fuse, with the original results: each op becomes the ONNX op
that it was made from. `Quantize` and `Dequantize` are converted through the `quant` dialect, with all casts
that remain there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import PassFailedException

from autosplit.dialects.dnnl import DnnlOp, layout_of, with_layout
from autosplit.dialects.platform import (
    PlatformGraph,
    element_type,
    location_names,
    shape_of,
    value_names,
)
from autosplit.dialects.quant import (
    DequantizeCastOp,
    QuantizeCastOp,
    StorageCastOp,
    with_element,
)
from autosplit.formats.onnx.values import CODE_OF_ELEMENT
from autosplit.lowering.building import BuildingPattern, ModuleValues, Replacement
from autosplit.lowering.dnnl.table import KEPT_TYPE, stored_type
from autosplit.lowering.quant.convert_quant_to_onnx import quant_to_onnx
from autosplit.lowering.rewriting import apply_to
from autosplit.lowering.shared.blocks import outer_blocks


class _Back(Replacement[DnnlOp]):
    """Builds ONNX ops in front of the op that they replace."""

    @property
    def name(self) -> str:
        return (value_names(self.op) or [self.op.identity or self.op.kind])[0]

    def finish(
        self,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        attributes: Mapping[str, object] | None = None,
    ) -> None:
        """Replaces the op by an ONNX op, with the model's names of the node and its result."""
        name, node = _names_of(self.op)
        name = name or self.fresh("result")
        types = [_plain(self.op.outputs[0].type)]
        new = self.put(op_type, inputs, attributes, names=[name], types=types, node_name=node)
        new.attributes.pop(KEPT_TYPE, None)


NCX = StringAttr("NCX")

Inverse: TypeAlias = "Callable[[_Back, DnnlOp], None]"


def _plain(type: Attribute) -> Attribute:
    """The type without a layout of the library: ONNX Runtime's tensors are row-major."""
    if layout_of(type) is None:
        return type
    return with_layout(cast("TensorType[Attribute]", type), None)


def _kept_type(op: DnnlOp) -> str:
    """The type of the ONNX op that `op` was, if its kind does not determine it."""
    op_type = op.attributes.get(KEPT_TYPE)
    return op_type.data if isinstance(op_type, StringAttr) else ""


def _with_same_operands(op_type: str, *fields: str) -> Inverse:
    """An op with the same operands, and attributes of the same names."""
    return lambda b, op: b.finish(op_type, op.inputs, {name: op.attr(name) for name in fields})


# Quantization


def _quantize(b: _Back, op: DnnlOp) -> None:
    stored = op.outputs[0].type
    type = with_element(stored, stored_type(op, stored))
    name, node = _names_of(op)
    cast = QuantizeCastOp(op.inputs[0], type, node_name=node, value_name=name, location=op.location)
    storage_cast = StorageCastOp(cast.output, _plain(stored), location=op.location)
    b.builder.insert([cast, storage_cast])
    b.replace_value(storage_cast.output)


def _dequantize(b: _Back, op: DnnlOp) -> None:
    type = with_element(op.inputs[0].type, stored_type(op, op.inputs[0].type))
    name, node = _names_of(op)
    quantized = StorageCastOp(op.inputs[0], type, location=op.location)
    real = DequantizeCastOp(
        quantized.output,
        _plain(op.outputs[0].type),
        node_name=node,
        value_name=name,
        location=op.location,
    )
    b.builder.insert([quantized, real])
    b.replace_value(real.output)


def _names_of(op: DnnlOp) -> tuple[str, str]:
    """The model's names of the result of an op, and of its node if that differs."""
    names, nodes = value_names(op), location_names(op.location)
    name = names[0] if names else ""
    return name, nodes[-1] if nodes and nodes[-1] != name else ""


# Convolutions and pools


def _window(op: DnnlOp) -> dict[str, object]:
    fields: dict[str, object] = {"strides": op.ints("strides")}
    if (auto := op.text("auto_pad")) != "None":
        return fields | {"auto_pad": auto}
    return fields | {"pads": op.ints("pads_begin") + op.ints("pads_end")}


def _conv(b: _Back, op: DnnlOp) -> None:
    fields = _window(op) | {"dilations": op.ints("dilations"), "group": op.integer("groups")}
    weights = shape_of(op.inputs[1].type) or ()
    fields["kernel_shape"] = list(weights[2:])
    if op.kind == "ConvTranspose":
        if any(extra := op.ints("output_padding")):
            fields["output_padding"] = extra
        b.finish("ConvTranspose", op.inputs, fields)
    else:
        b.finish("Conv", op.inputs, fields)


def _pool(b: _Back, op: DnnlOp) -> None:
    if (op_type := _kept_type(op)).startswith("Global"):
        b.finish(op_type, op.inputs)
        return
    fields = _window(op) | {"kernel_shape": op.ints("kernel")}
    if op.text("rounding_type") == "ceil":
        fields["ceil_mode"] = 1
    if op.kind == "AvgPool":
        fields["count_include_pad"] = int(not op.flag("exclude_pad"))
        b.finish("AveragePool", op.inputs, fields)
        return
    if any(d != 1 for d in op.ints("dilations")):
        fields["dilations"] = op.ints("dilations")
    b.finish("MaxPool", op.inputs, fields)


def _interpolate(b: _Back, op: DnnlOp) -> None:
    """Linear with half pixels; nearest with integer factors, for which all coordinate modes agree."""
    x = op.inputs[0]
    sizes = [*(shape_of(x.type) or ())[:2], *op.ints("sizes")]
    linear = op.text("mode") != "nearest"
    fields = {
        "mode": "linear" if linear else "nearest",
        "coordinate_transformation_mode": "half_pixel" if linear else "asymmetric",
        "nearest_mode": "floor",
    }
    b.finish("Resize", [x, None, None, b.ints("sizes", sizes)], fields)


# Matrices


def _matmul(b: _Back, op: DnnlOp) -> None:
    flags = (op.flag("transpose_a"), op.flag("transpose_b"))
    if _kept_type(op) == "Gemm":
        fields = {"transA": int(flags[0]), "transB": int(flags[1])}
        b.finish("Gemm", op.inputs, {k: v for k, v in fields.items() if v})
        return
    operands = [_turned(b, op, i) if flag else op.inputs[i] for i, flag in enumerate(flags)]
    if len(op.inputs) == 2:
        b.finish("MatMul", operands)
        return
    product = b.node("product", "MatMul", operands, type=_plain(op.outputs[0].type))
    b.finish("Add", [product, op.inputs[2]])


def _turned(b: _Back, op: DnnlOp, index: int) -> SSAValue:
    """An operand with its last two dimensions swapped."""
    value = op.inputs[index]
    shape = list(shape_of(value.type) or ())
    perm = list(range(len(shape)))
    perm[-2:] = perm[:-3:-1]
    element = element_type(value.type)
    assert element is not None
    type = TensorType(element, [shape[i] for i in perm])
    return b.node(f"turned_{index}", "Transpose", [value], {"perm": perm}, type)


# Elementwise


def _binary(op_type: str) -> Inverse:
    def convert(b: _Back, op: DnnlOp) -> None:
        if _kept_type(op) != "Clip" or (array := b.values.array(op.inputs[1])) is None:
            b.finish(op_type, op.inputs)
            return
        bound = b.constant("bound", array.reshape(()))
        inputs = [op.inputs[0], bound] if op.kind == "Maximum" else [op.inputs[0], None, bound]
        b.finish("Clip", inputs)

    return convert


def _relu(b: _Back, op: DnnlOp) -> None:
    if _kept_type(op) == "Clip":
        b.finish("Clip", [op.inputs[0], b.number("min", 0.0, op.inputs[0])])
    else:
        b.finish("Relu", op.inputs)


def _clamp(b: _Back, op: DnnlOp) -> None:
    bounds = [b.number(name, op.number(name), op.inputs[0]) for name in ("min", "max")]
    b.finish("Clip", [op.inputs[0], *bounds])


def _square(b: _Back, op: DnnlOp) -> None:
    if _kept_type(op) == "Pow":
        b.finish("Pow", [op.inputs[0], b.number("exponent", 2.0, op.inputs[0])])
    else:
        b.finish("Mul", [op.inputs[0], op.inputs[0]])


def _pow(b: _Back, op: DnnlOp) -> None:
    b.finish("Pow", [op.inputs[0], b.number("exponent", op.number("beta"), op.inputs[0])])


def _gelu(b: _Back, op: DnnlOp) -> None:
    fields = {"approximate": "tanh"} if op.text("mode") == "gelu_tanh" else {}
    b.finish("Gelu", op.inputs, fields)


def _prelu(b: _Back, op: DnnlOp) -> None:
    slope = b.values.array(op.inputs[1])
    rank = len(shape_of(op.inputs[0].type) or ())
    if slope is None:
        raise PassFailedException(f"dnnl.PReLU {op.identity!r} has slopes that are computed")
    column = slope.reshape(-1, *[1] * (rank - 2))
    b.finish("PRelu", [op.inputs[0], b.constant("slope", column)])


def _cast(b: _Back, op: DnnlOp) -> None:

    element = element_type(op.outputs[0].type)
    assert element is not None
    b.finish("Cast", op.inputs, {"to": CODE_OF_ELEMENT[element]})


# Norms, reductions, shapes


def _layer_norm(b: _Back, op: DnnlOp) -> None:
    if _kept_type(op) == "InstanceNormalization":
        _, count, _ = shape_of(op.inputs[0].type) or (0, 0, 0)
        one, zero = (
            b.constant(n, np.full(count, v, np.float32)) for n, v in (("scale", 1), ("bias", 0))
        )
        fields = {"epsilon": op.number("epsilon")}
        b.finish("InstanceNormalization", [op.inputs[0], one, zero], fields)
        return
    fields = {"axis": op.integer("begin_norm_axis"), "epsilon": op.number("epsilon")}
    b.finish("LayerNormalization", op.inputs, fields)


def _reduce(b: _Back, op: DnnlOp) -> None:
    if (op_type := _kept_type(op)).startswith("Global"):
        b.finish(op_type, op.inputs)
        return
    axes = b.ints("axes", op.ints("axes"))
    b.finish(op.kind, [op.inputs[0], axes], {"keepdims": int(op.flag("keep_dims"))})


def _reshape(b: _Back, op: DnnlOp) -> None:
    if _kept_type(op) == "Flatten":
        b.finish("Flatten", op.inputs, {"axis": 1})
        return
    sizes = op.ints("shape")
    fields = {"allowzero": 1} if 0 in sizes and not op.flag("special_zero") else {}
    b.finish("Reshape", [op.inputs[0], b.ints("shape", sizes)], fields)


def _transpose(b: _Back, op: DnnlOp) -> None:
    b.finish("Transpose", op.inputs, {"perm": op.ints("order")})


INVERSES: dict[str, Inverse] = {
    "Abs": _with_same_operands("Abs"),
    "Add": _binary("Add"),
    "AvgPool": _pool,
    "BatchNormInference": _with_same_operands("BatchNormalization", "epsilon"),
    "Clamp": _clamp,
    "Concat": _with_same_operands("Concat", "axis"),
    "ConvTranspose": _conv,
    "Convolution": _conv,
    "Dequantize": _dequantize,
    "Divide": _binary("Div"),
    "Elu": _with_same_operands("Elu", "alpha"),
    "Exp": _with_same_operands("Exp"),
    "GELU": _gelu,
    "HardSigmoid": _with_same_operands("HardSigmoid", "alpha", "beta"),
    "HardSwish": _with_same_operands("HardSwish"),
    "Interpolate": _interpolate,
    "LayerNorm": _layer_norm,
    "LeakyReLU": _with_same_operands("LeakyRelu", "alpha"),
    "Log": _with_same_operands("Log"),
    "LogSoftmax": _with_same_operands("LogSoftmax", "axis"),
    "MatMul": _matmul,
    "MaxPool": _pool,
    "Maximum": _binary("Max"),
    "Minimum": _binary("Min"),
    "Mish": _with_same_operands("Mish"),
    "Multiply": _binary("Mul"),
    "PReLU": _prelu,
    "Pow": _pow,
    "Quantize": _quantize,
    "ReLU": _relu,
    "Reciprocal": _with_same_operands("Reciprocal"),
    "ReduceL1": _reduce,
    "ReduceL2": _reduce,
    "ReduceMax": _reduce,
    "ReduceMean": _reduce,
    "ReduceMin": _reduce,
    "ReduceProd": _reduce,
    "ReduceSum": _reduce,
    "Reorder": _with_same_operands("Identity"),
    "Round": _with_same_operands("Round"),
    "Select": _with_same_operands("Where"),
    "Sigmoid": _with_same_operands("Sigmoid"),
    "SoftMax": _with_same_operands("Softmax", "axis"),
    "SoftPlus": _with_same_operands("Softplus"),
    "Sqrt": _with_same_operands("Sqrt"),
    "Square": _square,
    "StaticReshape": _reshape,
    "StaticTranspose": _transpose,
    "Subtract": _binary("Sub"),
    "Tanh": _with_same_operands("Tanh"),
    "TypeCast": _cast,
}
"""By the library's kind."""


class DnnlToOnnx(BuildingPattern[DnnlOp]):
    """`dnnl.kind(x) -> ` the ONNX op that it was made from, by `INVERSES`.

    It is an error if no ONNX op computes an op; no pass produces such ops from a model.
    """

    def rewrite(self, op: DnnlOp, rewriter: PatternRewriter, /) -> None:
        inverse = INVERSES.get(op.kind)
        if inverse is None or op.properties.get("data_format", NCX) != NCX:
            raise PassFailedException(
                f"dnnl.{op.kind} {op.identity!r} is in no partition, and no ONNX op computes it"
            )
        inverse(_Back(self.values, op, rewriter), op)


def convert_back(module: ModuleOp) -> None:
    """Does what the pass does, in place.

    Raises PassFailedException for an op that no ONNX op computes; no pass produces such ops from a model.
    """
    pattern = DnnlToOnnx(ModuleValues(module))
    for block in outer_blocks(module):
        if isinstance(block.parent_op(), PlatformGraph):
            apply_to(list(block.ops), [pattern])
    quant_to_onnx(module)


@dataclass(frozen=True)
class ConvertDnnlToOnnxPass(ModulePass):
    """Ops outside of partitions are ONNX ops again, including leftover casts of the `quant` dialect.

    Runs behind `dnnl-fuse`.
    """

    name = "convert-dnnl-to-onnx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_back(op)
