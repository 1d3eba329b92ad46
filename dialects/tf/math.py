"""Elementwise arithmetic and comparison.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import f32, i1
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind, complex64
from autosplit.dialects.tf.base import NodeOp


class Unary(NodeOp, ABC):
    """Base of ops of one input, elementwise or not, that keep its dtype."""

    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


class Binary(NodeOp, ABC):
    """Base of elementwise ops of two inputs, broadcast, that keep their dtype."""

    x = operand_def()
    y = operand_def()
    z = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


class Comparison(NodeOp, ABC):
    """Base of ops that compare two inputs, broadcast."""

    x = operand_def()
    y = operand_def()
    z = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = (i1,)


class Predicate(NodeOp, ABC):
    """Base of ops that test each element."""

    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class AbsOp(Unary):
    """The magnitude.

    Example:

        %y = tf.Abs "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Abs"


@irdl_op_definition
class AcosOp(Unary):
    """The arc cosine.

    Example:

        %y = tf.Acos "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Acos"


@irdl_op_definition
class AddOp(Binary):
    """x + y, broadcast.

    Example:

        %y = tf.Add "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Add"


@irdl_op_definition
class AddV2Op(Binary):
    """x + y, broadcast; numbers only, where Add also joins strings.

    Example:

        %y = tf.AddV2 "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.AddV2"


@irdl_op_definition
class AsinOp(Unary):
    """The arc sine.

    Example:

        %y = tf.Asin "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Asin"


@irdl_op_definition
class AtanOp(Unary):
    """The arc tangent.

    Example:

        %y = tf.Atan "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Atan"


@irdl_op_definition
class Atan2Op(NodeOp):
    """The angle of the point (x, y).

    Example:

        %y = tf.Atan2 "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Atan2"
    y = operand_def()
    x = operand_def()
    z = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class BitwiseAndOp(Binary):
    """x & y, bit by bit.

    Example:

        %y = tf.BitwiseAnd "n" (%x, %w) <{T = i32}>
            : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    """

    name = "tf.BitwiseAnd"


@irdl_op_definition
class BitwiseOrOp(Binary):
    """x or y, bit by bit.

    Example:

        %y = tf.BitwiseOr "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    """

    name = "tf.BitwiseOr"


@irdl_op_definition
class CastOp(NodeOp):
    """x in another dtype; floats become integers by truncation towards zero.

    Example:

        %y = tf.Cast "n" (%x) <{SrcT = f32, DstT = i32}> : (tensor<4xf32>) -> tensor<4xi32>
    """

    name = "tf.Cast"
    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"SrcT": Kind.TYPE, "DstT": Kind.TYPE, "Truncate": False}
    OUTPUTS: ClassVar = ("DstT",)


@irdl_op_definition
class CeilOp(Unary):
    """The smallest integer that is not below x.

    Example:

        %y = tf.Ceil "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Ceil"


@irdl_op_definition
class ClipByValueOp(NodeOp):
    """`t` limited to `clip_value_min` and `clip_value_max`.

    Example:

        %y = tf.ClipByValue "n" (%x, %w, %b) <{T = f32}>
            : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    """

    name = "tf.ClipByValue"
    t = operand_def()
    clip_value_min = operand_def()
    clip_value_max = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ComplexOp(NodeOp):
    """Complex numbers from their parts.

    Example:

        %y = tf.Complex "n" (%x, %w) <{T = f32, Tout = complex<f32>}>
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f32>>
    """

    name = "tf.Complex"
    real = operand_def()
    imag = operand_def()
    out = result_def()
    ATTRIBUTES: ClassVar = {"T": f32, "Tout": complex64}
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class ComplexAbsOp(NodeOp):
    """The magnitude of complex numbers.

    Example:

        %y = tf.ComplexAbs "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    """

    name = "tf.ComplexAbs"
    x = operand_def()
    y = result_def()
    ATTRIBUTES: ClassVar = {"T": complex64, "Tout": f32}
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class ConjOp(NodeOp):
    """The complex conjugate.

    Example:

        %y = tf.Conj "n" (%x) <{T = complex<f32>}>
            : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    """

    name = "tf.Conj"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": complex64}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class CosOp(Unary):
    """The cosine.

    Example:

        %y = tf.Cos "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Cos"


@irdl_op_definition
class CoshOp(Unary):
    """The hyperbolic cosine.

    Example:

        %y = tf.Cosh "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Cosh"


@irdl_op_definition
class DivOp(Binary):
    """x / y, broadcast; of integers truncated towards zero.

    Example:

        %y = tf.Div "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Div"


@irdl_op_definition
class DivNoNanOp(Binary):
    """x / y, broadcast; zero where y is zero.

    Example:

        %y = tf.DivNoNan "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.DivNoNan"


@irdl_op_definition
class EqualOp(NodeOp):
    """x == y, broadcast.

    Example:

        %y = tf.Equal "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    """

    name = "tf.Equal"
    x = operand_def()
    y = operand_def()
    z = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "incompatible_shape_error": True}
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class ErfOp(Unary):
    """The Gauss error function.

    Example:

        %y = tf.Erf "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Erf"


@irdl_op_definition
class ExpOp(Unary):
    """e to the power of x.

    Example:

        %y = tf.Exp "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Exp"


@irdl_op_definition
class Expm1Op(Unary):
    """exp(x) - 1, exact near zero.

    Example:

        %y = tf.Expm1 "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Expm1"


@irdl_op_definition
class FloorOp(Unary):
    """The largest integer that is not above x.

    Example:

        %y = tf.Floor "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Floor"


@irdl_op_definition
class FloorDivOp(Binary):
    """x / y rounded down, broadcast.

    Example:

        %y = tf.FloorDiv "n" (%x, %w) <{T = i32}>
            : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
    """

    name = "tf.FloorDiv"


@irdl_op_definition
class FloorModOp(Binary):
    """x - y * floor(x / y), broadcast: the remainder has the sign of y.

    Example:

        %y = tf.FloorMod "n" (%x, %w) <{T = i32}>
            : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
    """

    name = "tf.FloorMod"


@irdl_op_definition
class GreaterOp(Comparison):
    """x > y, broadcast.

    Example:

        %y = tf.Greater "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    """

    name = "tf.Greater"


@irdl_op_definition
class GreaterEqualOp(Comparison):
    """x >= y, broadcast.

    Example:

        %y = tf.GreaterEqual "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    """

    name = "tf.GreaterEqual"


@irdl_op_definition
class ImagOp(NodeOp):
    """The imaginary part.

    Example:

        %y = tf.Imag "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    """

    name = "tf.Imag"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": complex64, "Tout": f32}
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class InvertOp(Unary):
    """All bits of x flipped.

    Example:

        %y = tf.Invert "n" (%x) <{T = i32}> : (tensor<4xi32>) -> tensor<4xi32>
    """

    name = "tf.Invert"


@irdl_op_definition
class IsFiniteOp(Predicate):
    """Whether x is neither infinite nor NaN.

    Example:

        %y = tf.IsFinite "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
    """

    name = "tf.IsFinite"


@irdl_op_definition
class IsInfOp(Predicate):
    """Whether x is infinite.

    Example:

        %y = tf.IsInf "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
    """

    name = "tf.IsInf"


@irdl_op_definition
class IsNanOp(Predicate):
    """Whether x is NaN.

    Example:

        %y = tf.IsNan "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xi1>
    """

    name = "tf.IsNan"


@irdl_op_definition
class LeftShiftOp(Binary):
    """x shifted left by y bits.

    Example:

        %y = tf.LeftShift "n" (%x, %w) <{T = i32}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    """

    name = "tf.LeftShift"


@irdl_op_definition
class LessOp(Comparison):
    """x < y, broadcast.

    Example:

        %y = tf.Less "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    """

    name = "tf.Less"


@irdl_op_definition
class LessEqualOp(Comparison):
    """x <= y, broadcast.

    Example:

        %y = tf.LessEqual "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    """

    name = "tf.LessEqual"


@irdl_op_definition
class LgammaOp(Unary):
    """The logarithm of the magnitude of the gamma function.

    Example:

        %y = tf.Lgamma "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Lgamma"


@irdl_op_definition
class LogOp(Unary):
    """The natural logarithm.

    Example:

        %y = tf.Log "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Log"


@irdl_op_definition
class Log1pOp(Unary):
    """log(1 + x), exact near zero.

    Example:

        %y = tf.Log1p "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Log1p"


@irdl_op_definition
class LogicalAndOp(NodeOp):
    """x and y, broadcast.

    Example:

        %y = tf.LogicalAnd "n" (%x, %w) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
    """

    name = "tf.LogicalAnd"
    x = operand_def()
    y = operand_def()
    z = result_def()
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class LogicalNotOp(NodeOp):
    """not x.

    Example:

        %y = tf.LogicalNot "n" (%x) : (tensor<4xi1>) -> tensor<4xi1>
    """

    name = "tf.LogicalNot"
    x = operand_def()
    y = result_def()
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class LogicalOrOp(NodeOp):
    """x or y, broadcast.

    Example:

        %y = tf.LogicalOr "n" (%x, %w) : (tensor<2x4xi1>, tensor<4xi1>) -> tensor<2x4xi1>
    """

    name = "tf.LogicalOr"
    x = operand_def()
    y = operand_def()
    z = result_def()
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class MaximumOp(Binary):
    """The larger of x and y, broadcast.

    Example:

        %y = tf.Maximum "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Maximum"


@irdl_op_definition
class MinimumOp(Binary):
    """The smaller of x and y, broadcast.

    Example:

        %y = tf.Minimum "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Minimum"


@irdl_op_definition
class ModOp(Binary):
    """The remainder of x / y truncated towards zero, broadcast: it has the sign of x.

    Example:

        %y = tf.Mod "n" (%x, %w) <{T = i32}> : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
    """

    name = "tf.Mod"


@irdl_op_definition
class MulOp(Binary):
    """x * y, broadcast.

    Example:

        %y = tf.Mul "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Mul"


@irdl_op_definition
class NegOp(Unary):
    """-x.

    Example:

        %y = tf.Neg "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Neg"


@irdl_op_definition
class NotEqualOp(NodeOp):
    """x != y, broadcast.

    Example:

        %y = tf.NotEqual "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi1>
    """

    name = "tf.NotEqual"
    x = operand_def()
    y = operand_def()
    z = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "incompatible_shape_error": True}
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class PowOp(Binary):
    """x to the power of y, broadcast.

    Example:

        %y = tf.Pow "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Pow"


@irdl_op_definition
class RealOp(NodeOp):
    """The real part.

    Example:

        %y = tf.Real "n" (%x) <{T = complex<f32>}> : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    """

    name = "tf.Real"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": complex64, "Tout": f32}
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class RealDivOp(Binary):
    """x / y of real numbers, broadcast.

    Example:

        %y = tf.RealDiv "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.RealDiv"


@irdl_op_definition
class ReciprocalOp(Unary):
    """1 / x.

    Example:

        %y = tf.Reciprocal "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Reciprocal"


@irdl_op_definition
class RightShiftOp(Binary):
    """x shifted right by y bits, keeping the sign.

    Example:

        %y = tf.RightShift "n" (%x, %w) <{T = i32}>
            : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    """

    name = "tf.RightShift"


@irdl_op_definition
class RintOp(Unary):
    """The nearest integer, halves to even.

    Example:

        %y = tf.Rint "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Rint"


@irdl_op_definition
class RoundOp(Unary):
    """The nearest integer, halves to even.

    Example:

        %y = tf.Round "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Round"


@irdl_op_definition
class RsqrtOp(Unary):
    """1 / sqrt(x).

    Example:

        %y = tf.Rsqrt "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Rsqrt"


@irdl_op_definition
class SigmoidOp(Unary):
    """1 / (1 + exp(-x)).

    Example:

        %y = tf.Sigmoid "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Sigmoid"


@irdl_op_definition
class SignOp(Unary):
    """-1, 0 or 1, as x is below, at or above zero.

    Example:

        %y = tf.Sign "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Sign"


@irdl_op_definition
class SinOp(Unary):
    """The sine.

    Example:

        %y = tf.Sin "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Sin"


@irdl_op_definition
class SinhOp(Unary):
    """The hyperbolic sine.

    Example:

        %y = tf.Sinh "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Sinh"


@irdl_op_definition
class SqrtOp(Unary):
    """The square root.

    Example:

        %y = tf.Sqrt "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Sqrt"


@irdl_op_definition
class SquareOp(Unary):
    """x * x.

    Example:

        %y = tf.Square "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Square"


@irdl_op_definition
class SquaredDifferenceOp(Binary):
    """(x - y) * (x - y), broadcast.

    Example:

        %y = tf.SquaredDifference "n" (%x, %w) <{T = f32}>
            : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.SquaredDifference"


@irdl_op_definition
class SubOp(Binary):
    """x - y, broadcast.

    Example:

        %y = tf.Sub "n" (%x, %w) <{T = f32}> : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    """

    name = "tf.Sub"


@irdl_op_definition
class TanOp(Unary):
    """The tangent.

    Example:

        %y = tf.Tan "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Tan"


@irdl_op_definition
class TanhOp(Unary):
    """The hyperbolic tangent.

    Example:

        %y = tf.Tanh "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Tanh"


@irdl_op_definition
class TruncateDivOp(Binary):
    """x / y of integers, truncated towards zero, broadcast.

    Example:

        %y = tf.TruncateDiv "n" (%x, %w) <{T = i32}>
            : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
    """

    name = "tf.TruncateDiv"


@irdl_op_definition
class XlogyOp(Binary):
    """x * log(y), broadcast; zero where x is zero.

    Example:

        %y = tf.Xlogy "n" (%x, %w) <{T = f32}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Xlogy"


OPS = (
    AbsOp,
    AcosOp,
    AddOp,
    AddV2Op,
    AsinOp,
    AtanOp,
    Atan2Op,
    BitwiseAndOp,
    BitwiseOrOp,
    CastOp,
    CeilOp,
    ClipByValueOp,
    ComplexOp,
    ComplexAbsOp,
    ConjOp,
    CosOp,
    CoshOp,
    DivOp,
    DivNoNanOp,
    EqualOp,
    ErfOp,
    ExpOp,
    Expm1Op,
    FloorOp,
    FloorDivOp,
    FloorModOp,
    GreaterOp,
    GreaterEqualOp,
    ImagOp,
    InvertOp,
    IsFiniteOp,
    IsInfOp,
    IsNanOp,
    LeftShiftOp,
    LessOp,
    LessEqualOp,
    LgammaOp,
    LogOp,
    Log1pOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MulOp,
    NegOp,
    NotEqualOp,
    PowOp,
    RealOp,
    RealDivOp,
    ReciprocalOp,
    RightShiftOp,
    RintOp,
    RoundOp,
    RsqrtOp,
    SigmoidOp,
    SignOp,
    SinOp,
    SinhOp,
    SqrtOp,
    SquareOp,
    SquaredDifferenceOp,
    SubOp,
    TanOp,
    TanhOp,
    TruncateDivOp,
    XlogyOp,
)
