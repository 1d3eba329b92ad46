"""The sizes that TensorFlow infers for the results of ops that ONNX lacks: sound, pictures, text, spectra.

The rules are those of TensorFlow's shape functions. An op about which nothing is known has no rule.
"""

from __future__ import annotations

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.tf import TfOp
from autosplit.lowering.sizes.affine import Number, floor_quotient
from autosplit.lowering.sizes.known_sizes import KnownSizes, Shape, ShapeRule, Shapes, open_size
from autosplit.lowering.sizes.onnx_rules import broadcast


def _same(s: KnownSizes, op: TfOp) -> Shapes:
    return [s.shape(op.inputs[0])]


def _broadcast(s: KnownSizes, op: TfOp) -> Shapes:
    return [broadcast([s.shape(v) for v in op.inputs])]


def _scalar(s: KnownSizes, op: TfOp) -> Shapes:
    return [()] * len(op.outputs)


def _or_open(number: Number | None) -> Number:
    """A size from an attribute; open if the attribute leaves it so."""
    return open_size() if number is None or (isinstance(number, int) and number <= 0) else number


def _vector(s: KnownSizes, op: TfOp, index: int) -> Shape | None:
    """The shape whose sizes an operand holds."""
    sizes = s.elements(op.inputs[index])
    if sizes is None:
        return None
    return tuple(open_size() if isinstance(n, int) and n < 0 else n for n in sizes.reshape(-1))


# Sound


def _decode_wav(s: KnownSizes, op: TfOp) -> Shapes:
    samples, channels = op.attribute("desired_samples", -1), op.attribute("desired_channels", -1)
    return [(_or_open(samples), _or_open(channels)), ()]


def _spectrogram(s: KnownSizes, op: TfOp) -> Shapes:
    sound = s.shape(op.inputs[0])
    window, stride = op.attribute("window_size"), op.attribute("stride")
    if sound is None or window < 2 or stride < 1:
        return []
    rows: Number | None = None
    if isinstance(sound[0], int):
        rows = 0 if sound[0] < window else 1 + (sound[0] - window) // stride
    return [
        (
            sound[1],
            _or_open(rows) if rows is None else rows,
            1 + (1 << (window - 1).bit_length()) // 2,
        )
    ]


def _mfcc(s: KnownSizes, op: TfOp) -> Shapes:
    spectra = s.shape(op.inputs[0])
    if spectra is None:
        return []
    return [(*spectra[:2], op.attribute("dct_coefficient_count", 13))]


# Pictures


def _picture(s: KnownSizes, op: TfOp) -> Shapes:
    return [(open_size(), open_size(), _or_open(op.attribute("channels", 0)))]


def _cropped_picture(s: KnownSizes, op: TfOp) -> Shapes:
    window = s.elements(op.inputs[1])
    height, width = (open_size(), open_size()) if window is None else window.reshape(-1)[2:]
    return [(height, width, _or_open(op.attribute("channels", 0)))]


def _film(s: KnownSizes, op: TfOp) -> Shapes:
    return [(open_size(), open_size(), open_size(), 3)]


def _resampled(index: int) -> ShapeRule:
    """Pictures of the sizes that operand `index` says."""

    def rule(s: KnownSizes, op: TfOp) -> Shapes:
        pictures, sizes = s.shape(op.inputs[0]), _vector(s, op, index)
        if pictures is None:
            return []
        height, width = sizes or (open_size(), open_size())
        return [(pictures[0], height, width, pictures[3])]

    return rule


def _three(s: KnownSizes, op: TfOp) -> Shapes:
    return [(3,)]


# Text


def _decode_raw(s: KnownSizes, op: TfOp) -> Shapes:
    text = s.shape(op.inputs[0])
    return [None if text is None else (*text, open_size())]


def _decode_padded(s: KnownSizes, op: TfOp) -> Shapes:
    text, length = s.shape(op.inputs[0]), s.number(op.inputs[1])
    kind = op.dtype("out_type")
    dtype = None if kind is None else dtype_of(kind)
    if text is None or dtype is None:
        return []
    count = floor_quotient(length, dtype.itemsize) if length is not None else None
    return [(*text, open_size() if count is None else count)]


def _each_same(s: KnownSizes, op: TfOp) -> Shapes:
    return [s.shape(op.inputs[0])] * len(op.outputs)


def _piece(s: KnownSizes, op: TfOp) -> Shapes:
    return [broadcast([s.shape(op.inputs[0]), s.shape(op.inputs[1])])]


def _join(s: KnownSizes, op: TfOp) -> Shapes:
    shapes = [s.shape(v) for v in op.inputs]
    whole = [shape for shape in shapes if shape != ()]
    return [whole[0] if whole else ()]


def _looked_up(s: KnownSizes, op: TfOp) -> Shapes:
    keys, default = s.shape(op.inputs[1]), s.shape(op.inputs[2])
    return [None if keys is None or default is None else (*keys, *default)]


def _divided(s: KnownSizes, op: TfOp) -> Shapes:
    parts = open_size()
    return [(parts, 2), (parts,), (2,)]


# Numbers


def _shaped(index: int) -> ShapeRule:
    """A tensor of the shape that operand `index` says."""
    return lambda s, op: [_vector(s, op, index)]


def _solution(s: KnownSizes, op: TfOp) -> Shapes:
    matrix, right = s.shape(op.inputs[0]), s.shape(op.inputs[1])
    if matrix is None or right is None or matrix[:-2] != right[:-2]:
        return []
    return [right]


def _without_matrix(s: KnownSizes, op: TfOp) -> Shapes:
    matrices = s.shape(op.inputs[0])
    return [None if matrices is None else matrices[:-2]]


def _rfft(s: KnownSizes, op: TfOp) -> Shapes:
    signal, length = s.shape(op.inputs[0]), s.number(op.inputs[1])
    half = floor_quotient(length, 2) if length is not None else None
    if signal is None:
        return []
    return [(*signal[:-1], open_size() if half is None else half + 1)]


def _irfft(s: KnownSizes, op: TfOp) -> Shapes:
    spectrum, length = s.shape(op.inputs[0]), s.number(op.inputs[1])
    return [None if spectrum is None else (*spectrum[:-1], _or_open(length))]


def _counted(index: int) -> ShapeRule:
    """As many rows as operand `index` says, of what follows the axes of the ids."""

    def rule(s: KnownSizes, op: TfOp) -> Shapes:
        data, ids, rows = s.shape(op.inputs[0]), s.shape(op.inputs[1]), s.number(op.inputs[index])
        if data is None or ids is None:
            return []
        return [(open_size() if rows is None else rows, *data[len(ids) :])]

    return rule


def _segments(s: KnownSizes, op: TfOp) -> Shapes:
    data = s.shape(op.inputs[0])
    return [None if data is None else (open_size(), *data[1:])]


def _bins(index: int) -> ShapeRule:
    def rule(s: KnownSizes, op: TfOp) -> Shapes:
        count = s.number(op.inputs[index])
        return [(open_size() if count is None else count,)]

    return rule


def _dense_bins(s: KnownSizes, op: TfOp) -> Shapes:
    values, count = s.shape(op.inputs[0]), s.number(op.inputs[1])
    if values is None:
        return []
    return [(*values[:-1], open_size() if count is None else count)]


def _sparse_product(s: KnownSizes, op: TfOp) -> Shapes:
    sizes, dense = s.elements(op.inputs[2]), s.shape(op.inputs[3])
    rows = columns = open_size()
    if sizes is not None:
        rows = sizes.reshape(-1)[1 if op.attribute("adjoint_a", False) else 0]
    if dense is not None:
        columns = dense[0 if op.attribute("adjoint_b", False) else 1]
    return [(rows, columns)]


def _targets(s: KnownSizes, op: TfOp) -> Shapes:
    return [s.shape(op.inputs[1])]


def _drawn(s: KnownSizes, op: TfOp) -> Shapes:
    rows, count = s.shape(op.inputs[0]), s.number(op.inputs[1])
    return [None if rows is None else (rows[0], open_size() if count is None else count)]


def _gamma(s: KnownSizes, op: TfOp) -> Shapes:
    front, each = _vector(s, op, 0), s.shape(op.inputs[1])
    return [None if front is None or each is None else (*front, *each)]


def _places(s: KnownSizes, op: TfOp) -> Shapes:
    condition = s.shape(op.inputs[0])
    return [(open_size(), open_size() if condition is None else len(condition))]


def _some(s: KnownSizes, op: TfOp) -> Shapes:
    return [(open_size(),)] * 2


_TABLE: dict[ShapeRule, str] = {
    _same: "AdjustContrastv2 AdjustHue AdjustSaturation Angle AsString BesselI0 BesselI0e BesselI1 BesselI1e "
    "Bucketize Cholesky ClipByValue ComplexAbs Conj Cumprod CumulativeLogsumexp DecodeBase64 "
    "DecodeCompressed Digamma DrawBoundingBoxes DrawBoundingBoxesV2 EncodeBase64 Erfinv FFT FFT2D "
    "FFT3D FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel HSVToRGB "
    "IFFT IFFT2D IFFT3D Imag Invert InvertPermutation Lgamma MatrixBandPart "
    "MatrixInverse MatrixLogarithm MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSquareRoot "
    "Ndtri PopulationCount QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 "
    "RGBToHSV RandomShuffle Real RegexFullMatch RegexReplace Reverse ReverseSequence ReverseV2 Roll "
    "StaticRegexFullMatch StaticRegexReplace StringLength StringLower StringStrip StringToHashBucket "
    "StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper TensorScatterAdd "
    "TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate UnicodeTranscode",
    _broadcast: "Betainc BitwiseAnd BitwiseOr BitwiseXor Complex Igamma Igammac LeftShift NextAfter "
    "Polygamma "
    "RightShift Xdivy Xlog1py Xlogy Zeta",
    _scalar: "EncodeJpeg EncodeWav L2Loss ReadFile SerializeTensor",
    _decode_wav: "DecodeWav",
    _spectrogram: "AudioSpectrogram",
    _mfcc: "Mfcc",
    _picture: "DecodeBmp DecodeJpeg DecodePng",
    _cropped_picture: "DecodeAndCropJpeg",
    _film: "DecodeGif",
    _resampled(1): "ExtractGlimpse ExtractGlimpseV2 ScaleAndTranslate",
    _resampled(2): "ImageProjectiveTransformV2 ImageProjectiveTransformV3",
    _three: "ExtractJpegShape",
    _decode_raw: "DecodeRaw",
    _decode_padded: "DecodePaddedRaw",
    _each_same: "DecodeCSV",
    _piece: "Substr",
    _join: "StringJoin",
    _looked_up: "LookupTableFind LookupTableFindV2",
    _divided: "StringSplit StringSplitV2",
    _shaped(0): "RandomStandardNormal RandomUniform RandomUniformInt StatelessRandomNormal "
    "StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformInt "
    "StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal "
    "StatelessTruncatedNormalV2 TruncatedNormal",
    _shaped(1): "SparseToDense",
    _solution: "MatrixTriangularSolve MatrixSolve",
    _without_matrix: "MatrixDeterminant",
    _rfft: "RFFT",
    _irfft: "IRFFT",
    _counted(2): "UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum",
    _segments: "SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum",
    _bins(1): "Bincount",
    _bins(2): "HistogramFixedWidth",
    _dense_bins: "DenseBincount",
    _sparse_product: "SparseTensorDenseMatMul",
    _targets: "InTopK InTopKV2",
    _drawn: "Multinomial StatelessMultinomial",
    _gamma: "RandomGamma",
    _places: "Where",
    _some: "ListDiff",
}

SHAPES: dict[str, ShapeRule] = {op: rule for rule, ops in _TABLE.items() for op in ops.split()}
"""The shapes of an op's data outputs, by TensorFlow's name of the op."""
