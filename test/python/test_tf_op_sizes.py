"""Sizes and dtypes of TensorFlow ops without an ONNX form, against TensorFlow's own inference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import element_type, platform_graph, shape_of
from autosplit.dialects.tf import GraphOp, TfOp, data_type_of
from autosplit.dialects.tf.opaque import listed_types
from autosplit.lowering.infer_shapes import infer_types
from autosplit.lowering.sizes.tf_ops import SHAPES
from autosplit.platforms import load_model
from autosplit.registry import make_context
from autosplit.testing.split import assert_equal, run_folder, run_whole, split

tf: Any = pytest.importorskip("tensorflow", reason="the extra tensorflow is not installed")

PAIRS = [
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Igamma", "Igammac", "LeftShift", "NextAfter"),
    *("Polygamma", "RightShift", "Xdivy", "Xlog1py", "Xlogy", "Zeta"),
]
"""Ops of two operands, which broadcast."""


def cases() -> dict[str, Any]:
    """For each op a call of it, by the op's name and perhaps what is special behind a space."""
    old = tf.compat.v1
    raw: Any = tf.raw_ops

    def given(dtype: Any, *shape: int) -> Any:
        return old.placeholder(dtype, shape)

    f, i, text = tf.float32, tf.int32, tf.string
    picture, matrix, words = given(f, 2, 6, 8, 3), given(f, 2, 4, 4), given(text, 3)
    byte_picture = given(tf.uint8, 6, 8, 3)
    signal, spectrum = given(f, 2, 16), given(tf.complex64, 2, 4, 4, 8)
    whole, ids = given(i, 4, 5), given(i, 4)
    seed = tf.constant([1, 2])
    shape = tf.constant([2, 3])
    key, counter, alg = tf.zeros([1], tf.uint64), tf.zeros([2], tf.uint64), tf.constant(1)
    found: dict[str, Any] = {
        "DecodeWav": raw.DecodeWav(contents=given(text), desired_channels=1, desired_samples=16000),
        "DecodeWav open": raw.DecodeWav(contents=given(text)),
        "AudioSpectrogram": raw.AudioSpectrogram(
            input=given(f, 16000, 1), window_size=640, stride=320
        ),
        "AudioSpectrogram short": raw.AudioSpectrogram(
            input=given(f, 100, 2), window_size=128, stride=3
        ),
        "Mfcc": raw.Mfcc(spectrogram=given(f, 1, 49, 513), sample_rate=given(i)),
        "EncodeWav": raw.EncodeWav(audio=given(f, 8, 1), sample_rate=given(i)),
        "DecodeJpeg": raw.DecodeJpeg(contents=given(text), channels=3),
        "DecodePng": raw.DecodePng(contents=given(text)),
        "DecodeBmp": raw.DecodeBmp(contents=given(text), channels=1),
        "DecodeGif": raw.DecodeGif(contents=given(text)),
        "DecodeAndCropJpeg": raw.DecodeAndCropJpeg(
            contents=given(text), crop_window=[1, 2, 3, 4], channels=3
        ),
        "ExtractJpegShape": raw.ExtractJpegShape(contents=given(text)),
        "EncodeJpeg": raw.EncodeJpeg(image=byte_picture),
        "ExtractGlimpse": raw.ExtractGlimpse(input=picture, size=shape, offsets=given(f, 2, 2)),
        "ExtractGlimpseV2": raw.ExtractGlimpseV2(input=picture, size=shape, offsets=given(f, 2, 2)),
        "DrawBoundingBoxes": raw.DrawBoundingBoxes(images=picture, boxes=given(f, 2, 5, 4)),
        "DrawBoundingBoxesV2": raw.DrawBoundingBoxesV2(
            images=picture, boxes=given(f, 2, 5, 4), colors=given(f, 1, 3)
        ),
        "AdjustContrastv2": raw.AdjustContrastv2(images=picture, contrast_factor=2.0),
        "AdjustHue": raw.AdjustHue(images=picture, delta=0.1),
        "AdjustSaturation": raw.AdjustSaturation(images=picture, scale=0.1),
        "RGBToHSV": raw.RGBToHSV(images=picture),
        "HSVToRGB": raw.HSVToRGB(images=picture),
        "ImageProjectiveTransformV2": raw.ImageProjectiveTransformV2(
            images=picture, transforms=given(f, 2, 8), output_shape=shape, interpolation="NEAREST"
        ),
        "ImageProjectiveTransformV3": raw.ImageProjectiveTransformV3(
            images=picture, transforms=given(f, 2, 8), output_shape=shape, interpolation="NEAREST",
            fill_value=0.0,
        ),
        "ScaleAndTranslate": raw.ScaleAndTranslate(
            images=picture, size=shape, scale=[1.0, 1.0], translation=[0.0, 0.0]
        ),
        "ReadFile": raw.ReadFile(filename=given(text)),
        "SerializeTensor": raw.SerializeTensor(tensor=picture),
        "StringToNumber": raw.StringToNumber(string_tensor=words),
        "StringToNumber integers": raw.StringToNumber(string_tensor=words, out_type=tf.int64),
        "AsString": raw.AsString(input=whole),
        "RegexReplace": raw.RegexReplace(input=words, pattern="a", rewrite="b"),
        "StaticRegexReplace": raw.StaticRegexReplace(input=words, pattern="a", rewrite="b"),
        "RegexFullMatch": raw.RegexFullMatch(input=words, pattern="a"),
        "StaticRegexFullMatch": raw.StaticRegexFullMatch(input=words, pattern="a"),
        "StringToHashBucket": raw.StringToHashBucket(string_tensor=words, num_buckets=8),
        "StringToHashBucketFast": raw.StringToHashBucketFast(input=words, num_buckets=8),
        "StringToHashBucketStrong": raw.StringToHashBucketStrong(
            input=words, num_buckets=8, key=[1, 2]
        ),
        "DecodeCompressed": raw.DecodeCompressed(bytes=words),
        "UnicodeTranscode": raw.UnicodeTranscode(
            input=words, input_encoding="UTF-8", output_encoding="UTF-16-BE"
        ),
        "Substr": raw.Substr(input=words, pos=0, len=2),
        "StringJoin": raw.StringJoin(inputs=[words, given(text), words]),
        "StringSplit": raw.StringSplit(input=words, delimiter=","),
        "StringSplitV2": raw.StringSplitV2(input=words, sep=","),
        "DecodeRaw": raw.DecodeRaw(bytes=words, out_type=f),
        "DecodePaddedRaw": raw.DecodePaddedRaw(input_bytes=words, fixed_length=16, out_type=f),
        "DecodeCSV": raw.DecodeCSV(records=words, record_defaults=[[1.0], [2]]),
        "MatrixSolve": raw.MatrixSolve(matrix=matrix, rhs=given(f, 2, 4, 5)),
        "MatrixTriangularSolve": raw.MatrixTriangularSolve(matrix=matrix, rhs=given(f, 2, 4, 5)),
        "MatrixBandPart": raw.MatrixBandPart(input=matrix, num_lower=1, num_upper=1),
        "MatrixSetDiag": raw.MatrixSetDiag(input=matrix, diagonal=given(f, 2, 4)),
        "MatrixSetDiagV2": raw.MatrixSetDiagV2(input=matrix, diagonal=given(f, 2, 4), k=0),
        "MatrixSetDiagV3": raw.MatrixSetDiagV3(input=matrix, diagonal=given(f, 2, 4), k=0),
        "MatrixLogarithm": raw.MatrixLogarithm(input=given(tf.complex64, 2, 4, 4)),
        "Betainc": raw.Betainc(a=matrix, b=1.0, x=matrix),
        "Cumprod": raw.Cumprod(x=matrix, axis=1),
        "CumulativeLogsumexp": raw.CumulativeLogsumexp(x=matrix, axis=1),
        "Reverse": raw.Reverse(tensor=matrix, dims=[True, False, True]),
        "ReverseV2": raw.ReverseV2(tensor=matrix, axis=given(i, 1)),
        "ReverseSequence": raw.ReverseSequence(input=matrix, seq_lengths=given(i, 2), seq_dim=1),
        "Roll": raw.Roll(input=matrix, shift=given(i), axis=given(i)),
        "InvertPermutation": raw.InvertPermutation(x=ids),
        "ClipByValue": raw.ClipByValue(t=matrix, clip_value_min=0.0, clip_value_max=1.0),
        "Bucketize": raw.Bucketize(input=matrix, boundaries=[0.0, 1.0]),
        "PopulationCount": raw.PopulationCount(x=whole),
        "Invert": raw.Invert(x=whole),
        "Bincount": raw.Bincount(arr=ids, size=7, weights=given(f, 4)),
        "DenseBincount": raw.DenseBincount(input=whole, size=7, weights=given(f, 4, 5)),
        "HistogramFixedWidth": raw.HistogramFixedWidth(
            values=matrix, value_range=[0.0, 1.0], nbins=7
        ),
        "RFFT": raw.RFFT(input=signal, fft_length=[16]),
        "IRFFT": raw.IRFFT(input=given(tf.complex64, 2, 9), fft_length=[16]),
        "SparseToDense": raw.SparseToDense(
            sparse_indices=given(i, 3, 2), output_shape=shape, sparse_values=given(f, 3), default_value=0.0
        ),
        "SparseTensorDenseMatMul": raw.SparseTensorDenseMatMul(
            a_indices=given(tf.int64, 3, 2), a_values=given(f, 3),
            a_shape=tf.constant([5, 4], tf.int64), b=given(f, 4, 6),
        ),
        "InTopK": raw.InTopK(predictions=given(f, 4, 5), targets=ids, k=2),
        "InTopKV2": raw.InTopKV2(predictions=given(f, 4, 5), targets=ids, k=2),
        "Multinomial": raw.Multinomial(logits=given(f, 4, 5), num_samples=6),
        "StatelessMultinomial": raw.StatelessMultinomial(
            logits=given(f, 4, 5), num_samples=6, seed=seed
        ),
        "RandomUniform": raw.RandomUniform(shape=shape, dtype=f),
        "RandomUniformInt": raw.RandomUniformInt(shape=shape, minval=0, maxval=4),
        "RandomStandardNormal": raw.RandomStandardNormal(shape=shape, dtype=f),
        "TruncatedNormal": raw.TruncatedNormal(shape=shape, dtype=f),
        "RandomShuffle": raw.RandomShuffle(value=matrix),
        "RandomGamma": raw.RandomGamma(shape=shape, alpha=given(f, 4)),
        "StatelessRandomUniformInt": raw.StatelessRandomUniformInt(
            shape=shape, seed=seed, minval=0, maxval=4
        ),
        "StatelessRandomUniformIntV2": raw.StatelessRandomUniformIntV2(
            shape=shape, key=key, counter=counter, alg=alg, minval=0, maxval=4
        ),
        "Complex": raw.Complex(real=signal, imag=given(f, 16)),
        "L2Loss": raw.L2Loss(t=matrix),
        "Where": raw.Where(condition=given(tf.bool, 3, 4)),
        "ListDiff": raw.ListDiff(x=ids, y=given(i, 2)),
        "FakeQuantWithMinMaxArgs": raw.FakeQuantWithMinMaxArgs(inputs=matrix),
        "FakeQuantWithMinMaxVars": raw.FakeQuantWithMinMaxVars(inputs=matrix, min=0.0, max=1.0),
        "FakeQuantWithMinMaxVarsPerChannel": raw.FakeQuantWithMinMaxVarsPerChannel(
            inputs=matrix, min=given(f, 4), max=given(f, 4)
        ),
        "LookupTableFindV2": raw.LookupTableFindV2(
            table_handle=raw.HashTableV2(key_dtype=text, value_dtype=f), keys=words, default_value=0.0
        ),
        "UniqueV2": raw.UniqueV2(x=ids, axis=tf.constant([0])),
        "ReduceJoin": raw.ReduceJoin(inputs=words, reduction_indices=0),
        "EncodePng": raw.EncodePng(image=byte_picture),
        "LookupTableFind": None,
    }  # fmt: skip
    for name in ["V2", "V3", "V4"]:
        op = getattr(raw, f"QuantizeAndDequantize{name}")
        extra = {"num_bits": 8} if name == "V3" else {}
        found[f"QuantizeAndDequantize{name}"] = op(
            input=matrix, input_min=0.0, input_max=1.0, **extra
        )
    for name in ["Update", "Add", "Sub", "Max", "Min"]:
        op = getattr(raw, f"TensorScatter{name}")
        found[f"TensorScatter{name}"] = op(
            tensor=given(f, 5, 3), indices=given(i, 2, 1), updates=given(f, 2, 3)
        )
    for name in ["Sum", "Max", "Min", "Prod"]:
        op = getattr(raw, f"UnsortedSegment{name}")
        found[f"UnsortedSegment{name}"] = op(data=given(f, 4, 5), segment_ids=ids, num_segments=7)
    for name in ["Sum", "Max", "Min", "Prod", "Mean"]:
        op = getattr(raw, f"Segment{name}")
        found[f"Segment{name}"] = op(data=given(f, 4, 5), segment_ids=ids)
    for name in ["RandomNormal", "RandomUniform", "TruncatedNormal"]:
        found[f"Stateless{name}"] = getattr(raw, f"Stateless{name}")(shape=shape, seed=seed)
        found[f"Stateless{name}V2"] = getattr(raw, f"Stateless{name}V2")(
            shape=shape, key=key, counter=counter, alg=alg
        )
    for name in PAIRS:
        op = getattr(raw, name)
        left, right = (given(i, 4, 1), given(i, 5)) if "Bit" in name or "Shift" in name else (
            given(f, 4, 1), given(f, 5)
        )  # fmt: skip
        keys = [k for k in op.__signature__.parameters if k != "name"]
        found[name] = op(**dict(zip(keys, (left, right, right), strict=False)))
    for name in set(SHAPES) | set(listed_types()):
        if name in found:
            continue
        op = getattr(raw, name)
        key = next(iter(op.__signature__.parameters))
        like = words
        if "FFT" in name or name in ("Angle", "ComplexAbs", "Conj", "Imag", "Real"):
            like = spectrum
        elif not name.startswith(("String", "Decode", "Encode")):
            like = matrix
        found[name] = op(**{key: like})
    return found


def outputs(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return [tensor for item in result for tensor in outputs(item)]
    return [result]


def test_sizes_are_tensorflows(tmp_path: Path) -> None:
    """Nothing contradicts TensorFlow's inference, and what has a rule knows as much."""
    graph = tf.Graph()
    with graph.as_default():
        expected = {k: outputs(v) for k, v in cases().items() if v is not None}
    path = tmp_path / "m.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    model = load_model(path)
    module = model.module
    values: Any = platform_graph(module)
    assert isinstance(values, GraphOp)
    infer_types(make_context(), module)
    found = values.values()
    wrong: list[str] = []
    for name, tensors in expected.items():
        for tensor in tensors:
            type = found[tensor.name].type
            kind, known = element_type(type), shape_of(type)
            rank = tensor.shape.rank
            wanted = None if rank is None else [-1 if d is None else d for d in tensor.shape]
            said = None if known is None else [d if d >= 0 else -1 for d in known]
            number = None if kind is None else data_type_of(kind)
            if number != tensor.dtype.as_datatype_enum:
                wrong.append(f"{name}: {tensor.name} is {tensor.dtype}, found {kind}")
            # Of a table, TensorFlow's inference knows nothing in a graph.
            listed = name.split()[0] in SHAPES and wanted is not None
            if said != wanted and (listed or None not in (said, wanted)):
                wrong.append(f"{name}: {tensor.name} is {wanted}, found {said}")
    assert not wrong, "\n".join(wrong)


def test_keyword_spotters_run_on_the_chip(tmp_path: Path) -> None:
    """What follows the sound's spectra converts, because their sizes are known."""
    random = np.random.default_rng(0)
    old = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        wav = old.placeholder(tf.string, [], "wav")
        sound, rate = tf.raw_ops.DecodeWav(contents=wav, desired_channels=1, desired_samples=16000)
        spectra = tf.raw_ops.AudioSpectrogram(
            input=sound, window_size=640, stride=320, magnitude_squared=True
        )
        x = tf.raw_ops.Mfcc(spectrogram=spectra, sample_rate=rate, dct_coefficient_count=10)
        x = tf.reshape(tf.reshape(x, [-1, 490]), [-1, 49, 10, 1])
        for channels in ((1, 8), (8, 8)):
            kernel = random.standard_normal((10, 4, *channels)).astype(np.float32)
            x = tf.nn.relu(tf.nn.conv2d(x, kernel, 2, "SAME"))
        x = tf.reshape(x, [-1, 13 * 3 * 8]) @ random.standard_normal((312, 12)).astype(np.float32)
        tf.nn.softmax(x, name="label")
        tone = np.sin(np.arange(12000, dtype=np.float32) / 9).reshape(-1, 1)
        encoded = tf.audio.encode_wav(tone, 16000, name="encoded")
        with old.Session() as session:
            data = session.run(encoded)
        definition = old.graph_util.extract_sub_graph(graph.as_graph_def(), ["label"])
    path = tmp_path / "m.pb"
    path.write_bytes(definition.SerializeToString())
    feeds = {"wav": np.array(data, dtype=object)}
    result = split(path, tmp_path / "out", feeds)
    funcs = [op for op in result.module.body.ops if isinstance(op, FuncOp)]
    on_chip = [
        op.op_type
        for f in funcs
        if f.target.is_tpu
        for op in f.body.block.ops
        if isinstance(op, TfOp)
    ]
    assert on_chip.count("Conv2D") == 2
    assert "MatMul" in on_chip
    got = run_folder(tmp_path / "out", feeds)
    assert_equal(got, run_whole(path, feeds, ["label:0"]))
