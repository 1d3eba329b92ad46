"""`tf.opaque`, the op for nodes whose type has no class, and the dtypes of their outputs.

Consumers of a node convert if its dtype is known; its sizes follow from `lowering/sizes/tf_ops.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, prop_def

from autosplit.dialects.platform import ProtoAttr
from autosplit.dialects.tf.attributes import element_of
from autosplit.dialects.tf.base import ManyInputs, ManyOutputs, TfOp
from autosplit.dialects.tf.ops import DECLARED


@irdl_op_definition
class OpaqueOp(ManyInputs, ManyOutputs):
    """A node whose type has no declared class; it keeps the type as a property.

    Its data outputs are those that other nodes read, at least one. Example:

        %y = tf.opaque "o" (%x) <{node.op = "MyOp", T = f32}> : (tensor<4xf32>) -> !platform.unknown
    """

    name = "tf.opaque"
    IS_OPAQUE: ClassVar[bool] = True
    op = prop_def(StringAttr)

    @property
    def op_type(self) -> str:
        return self.op.data

    def declared(self) -> type[TfOp] | None:
        return DECLARED.get(self.op_type)


_NUMBERS = {"f32": 1, "i32": 3, "u8": 4, "string": 7, "c64": 8, "i64": 9, "bool": 10}

# The dtype of each output, or the attribute that has it, `=` its default; after `*` a list of them.
_TABLE = {
    "f32": "AudioSpectrogram ExtractGlimpse ExtractGlimpseV2 Mfcc ScaleAndTranslate",
    "f32 i32": "DecodeWav",
    "u8": "DecodeAndCropJpeg DecodeBmp DecodeGif PopulationCount",
    "i32": "Bucketize StringLength",
    "i64": "StringToHashBucket StringToHashBucketFast StringToHashBucketStrong",
    "bool": "InTopK InTopKV2 RegexFullMatch StaticRegexFullMatch",
    "string": "AsString DecodeBase64 DecodeCompressed EncodeBase64 EncodeJpeg EncodePng EncodeWav ReadFile "
    "ReduceJoin RegexReplace SerializeTensor StaticRegexReplace StringJoin StringLower StringStrip "
    "StringUpper Substr UnicodeTranscode",
    "i64 string i64": "StringSplit StringSplitV2",
    "T": "BesselI0 BesselI0e BesselI1 BesselI1e Betainc Bincount BitwiseXor Cholesky CumulativeLogsumexp "
    "Cumprod DenseBincount Digamma Erfinv Igamma Igammac MatrixDeterminant "
    "MatrixInverse MatrixLogarithm MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSolve "
    "MatrixSquareRoot MatrixTriangularSolve Ndtri Polygamma QuantizeAndDequantizeV4 RandomGamma "
    "RandomShuffle SegmentMax SegmentMean SegmentMin SegmentProd SparseTensorDenseMatMul "
    "TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub UnsortedSegmentMax "
    "UnsortedSegmentMin UnsortedSegmentProd Xdivy Xlog1py Zeta",
    "T=f32": "AdjustHue AdjustSaturation DrawBoundingBoxes DrawBoundingBoxesV2 NextAfter",
    "T out_idx=i32": "UniqueV2",
    "dtype": "ImageProjectiveTransformV2 ImageProjectiveTransformV3 StatelessRandomUniformInt "
    "StatelessRandomUniformIntV2 TruncatedNormal",
    "dtype=f32": "StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform "
    "StatelessRandomUniformV2 "
    "StatelessTruncatedNormal StatelessTruncatedNormalV2",
    "dtype=i32": "HistogramFixedWidth",
    "output_dtype=i64": "Multinomial StatelessMultinomial",
    "output_type=i32": "ExtractJpegShape",
    "out_type": "DecodePaddedRaw",
    "out_type=f32": "StringToNumber",
    "Tout": "LookupTableFind",
    "Tout=f32": "Angle",
    "Tcomplex=c64": "FFT2D FFT3D IFFT IFFT2D IFFT3D",
    "Treal=f32": "IRFFT",
    "*OUT_TYPE": "DecodeCSV",
}  # fmt: skip


@cache
def _specs() -> dict[str, list[str]]:
    return {op: spec.split() for spec, ops in _TABLE.items() for op in ops.split()}


def listed_types() -> list[str]:
    """The op types whose dtypes are known here."""
    return sorted(_specs())


def opaque_dtypes(op_type: str, attrs: Mapping[str, Attribute]) -> list[Attribute | None] | None:
    """The dtypes of a node's outputs; None for types that are not listed."""
    specs = _specs().get(op_type)
    if specs is None:
        return None
    dtypes: list[Attribute | None] = []
    for spec in specs:
        name, _, default = spec.partition("=")
        attr = attrs.get(name.removeprefix("*"))
        if name.startswith("*"):
            if not isinstance(attr, ArrayAttr):
                return None
            dtypes += cast("ArrayAttr[Attribute]", attr).data
        elif name in _NUMBERS:
            dtypes.append(element_of(_NUMBERS[name]))
        elif attr is not None:
            dtypes.append(None if isinstance(attr, ProtoAttr) else attr)
        else:
            dtypes.append(element_of(_NUMBERS[default]) if default else None)
    return dtypes
