"""What becomes of pictures: the text that says it, and what is done, against the same written otherwise."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.inputs.picture_input import PictureInput, Seen, resolve
from autosplit.inputs.preprocess import Normalization, Preprocess, descriptions, parse_options

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

Image: Any = pytest.importorskip("PIL.Image")


# The text


NUMBER = st.floats(allow_nan=False, allow_infinity=False)


def channels(number: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.one_of(st.just(()), st.tuples(number), st.tuples(number, number, number))


@st.composite
def preprocesses(draw: st.DrawFn) -> Preprocess:
    size: Any = draw(st.sampled_from(["stretch", "letterbox", "crop"]))
    return Preprocess(
        mean=draw(channels(NUMBER)),
        scale=draw(channels(NUMBER.filter(bool))),
        size=size,
        short=draw(st.none() | st.integers(1, 9999)) if size == "crop" else None,
        pad=draw(channels(st.integers(0, 255))) if size == "letterbox" else (),
        color=draw(st.sampled_from(["rgb", "bgr"])),
        layout=draw(st.sampled_from([None, "nchw", "nhwc"])),
    )


@given(preprocesses())
def test_the_text_and_the_json_read_back_as_the_same(said: Preprocess):
    assert Preprocess.parse(str(said)) == said
    assert Preprocess.of_json(json.loads(json.dumps(said.to_json()))) == said


@given(preprocesses(), st.text(min_size=1).filter(lambda name: "=" not in name))
def test_a_name_in_front_is_the_input(said: Preprocess, name: str):
    assert parse_options([f"{name}:{said}", str(said)]) == {name: said, "": said}


@given(st.text(alphabet="meanscl=size,pd/:.0123 short-", max_size=40) | st.text(max_size=20))
def test_any_text_is_a_description_or_one_line(text: str):
    try:
        said = parse_options([text])
    except AutosplitError:
        return
    assert [Preprocess.parse(str(one)) for one in said.values()] == [*said.values()]


def test_a_text_says():
    said = Preprocess.parse("mean=123.7, 116,103.5 ,scale=1/58.5,color=BGR,size=crop,short=256")
    assert said == Preprocess((123.7, 116.0, 103.5), (1 / 58.5,), "crop", 256, color="bgr")
    assert str(said) == (
        "mean=123.7,116,103.5,scale=0.017094017094017096,size=crop,short=256,color=bgr"
    )
    assert parse_options(["image_tensor:0:scale=1"]) == {"image_tensor:0": Preprocess(scale=(1.0,))}
    assert descriptions(None) == {}
    assert descriptions({"x": "mean=1", "y": said}) == {"x": Preprocess((1.0,)), "y": said}
    assert descriptions("x:mean=1") == {"x": Preprocess((1.0,))}
    assert descriptions(said) == {"": said}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mean", "found 'mean', expected KEY=VALUE as in mean=127.5,scale=1/128"),
        ("mean=", "expected KEY=VALUE"),
        ("mean=1,,2", "expected KEY=VALUE"),
        (
            "maen=1",
            r"'maen' is unknown \(did you mean 'mean'\?\); expected one of mean, scale, size",
        ),
        ("std=58", r"there is no std; \(x - mean\) \* scale is computed, so give scale=1/58.395"),
        ("mean=a", "mean=a: expected a number, such as 127.5 or 1/255"),
        ("scale=1/0", "scale=1/0: expected a number"),
        ("mean=1/2/3", "divided by commas, as in mean=1,2,3"),
        ("mean=1,2", "mean has 2 numbers, expected 1 or 3"),
        ("mean=inf", "mean is inf, expected finite numbers"),
        ("scale=0", "scale is 0"),
        ("mean=1,mean=2", "mean appears twice"),
        ("size=fit", "size is 'fit', expected stretch or letterbox or crop"),
        ("color=rbg", "color is 'rbg', expected rgb or bgr"),
        ("pad=1", "pad goes with size=letterbox, found size=stretch"),
        ("size=letterbox,pad=256", "pad is 256, expected bytes 0 to 255"),
        ("size=letterbox,pad=0.5", "pad is 0.5, expected whole numbers"),
        ("short=8", "short goes with size=crop"),
        ("size=crop,short=0", "short is 0, expected a number of pixels"),
    ],
)
def test_a_wrong_text_is_one_line(text: str, message: str):
    with pytest.raises(AutosplitError, match=f"^preprocess {re.escape(repr(text))}: .*{message}"):
        parse_options([text])


def test_twice_is_refused():
    with pytest.raises(AutosplitError, match="the description of 'x' appears twice"):
        parse_options(["x:mean=1", "x:mean=2"])
    with pytest.raises(AutosplitError, match="preprocess is a int, expected a text such as"):
        descriptions(cast("Any", 5))
    with pytest.raises(AutosplitError, match="mean is 5, expected a tuple"):
        Preprocess(mean=cast("Any", 5))


@pytest.mark.parametrize(
    "value", [5, {"means": [1]}, {"mean": 1}, {"mean": ["1"]}, {"short": "8"}, {"size": 5}]
)
def test_json_that_it_cannot_have_written_is_refused(value: object):
    with pytest.raises(AutosplitError):
        Preprocess.of_json(value)


# What it does


def weights(old: int, new: int) -> NDArray[np.int64]:
    """The shares of the old pixels in each new one, on a line: a triangle, as wide as what it covers.

    In 2**22ths, in which Pillow counts.
    """
    step = old / new
    wide = max(step, 1.0)
    places = (np.arange(old)[None] + 0.5 - (np.arange(new)[:, None] + 0.5) * step) / wide
    shares = np.maximum(0, 1 - np.abs(places))
    shares /= shares.sum(1, keepdims=True)
    return np.floor(shares * 2**22 + 0.5).astype(np.int64)


def resized(pixels: Numbers, height: int, width: int, rows_first: bool) -> Numbers:
    """Bilinear: one direction and then the other, rounded after each; which is first is up to Pillow."""
    for is_row in (rows_first, not rows_first):
        lines = pixels.transpose(1, 0, 2) if is_row else pixels
        new = height if is_row else width
        if lines.shape[1] != new:
            lines = (weights(lines.shape[1], new) @ lines + 2**21) >> 22
        pixels = lines.transpose(1, 0, 2) if is_row else lines
    return pixels


def half_up(number: float) -> int:
    return max(1, int(np.floor(number + 0.5)))


def expected(
    pixels: Bytes, said: Preprocess, height: int, width: int, rows_first: bool
) -> NDArray[np.float32]:
    """What the module's text says, in other words."""
    h, w = pixels.shape[:2]
    made = pixels.astype(np.int64)
    if said.size == "stretch":
        made = resized(made, height, width, rows_first)
    elif said.size == "letterbox":
        ratio = min(height / h, width / w)
        made = resized(made, half_up(h * ratio), half_up(w * ratio), rows_first)
        above, left = height - made.shape[0], width - made.shape[1]
        pads = (above // 2, above - above // 2), (left // 2, left - left // 2)
        pad = said.pad[::-1] if said.color == "bgr" else said.pad
        planes = (pad or (0,)) * made.shape[2]
        made = np.stack(
            [np.pad(made[..., i], pads, constant_values=planes[i]) for i in range(made.shape[2])],
            -1,
        )
    else:
        ratio = said.short / min(h, w) if said.short else max(height / h, width / w)
        made = resized(made, half_up(h * ratio), half_up(w * ratio), rows_first)
        top, left = (made.shape[0] - height) // 2, (made.shape[1] - width) // 2
        made = made[top : top + height, left : left + width]
    if said.color == "bgr":
        made = made[..., ::-1]
    if not (said.mean or said.scale):
        return made.astype(np.float32)
    mean, scale = (
        np.array(numbers, np.float32) for numbers in (said.mean or 0.0, said.scale or 1.0)
    )
    return (made.astype(np.float32) - mean) * scale


def picture(path: Path, height: int, width: int, channels: int = 3, seed: int = 0) -> Bytes:
    """Writes a PNG of random bytes; its pixels."""
    random = np.random.default_rng(seed)
    pixels = (random.random((height, width, channels)) * 256).astype(np.uint8)
    Image.fromarray(pixels if channels == 3 else pixels[..., 0]).save(path)
    return pixels


NUMBERS = channels(st.sampled_from([0.5, -2.0, 127.5, 1 / 64]))


@settings(max_examples=60, deadline=None)
@given(
    st.data(),
    st.tuples(*[st.integers(1, 40)] * 4),
    st.sampled_from([1, 3]),
    st.sampled_from(["nchw", "nhwc"]),
    st.booleans(),
)
def test_it_does_what_its_text_says(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    sizes: tuple[int, int, int, int],
    count: int,
    layout: Any,
    batched: bool,
):
    h, w, height, width = sizes
    said = data.draw(preprocesses())
    short = said.short and max(height, width) + said.short % 7
    most = 1 if count == 1 else 3
    mean, scale = data.draw(NUMBERS)[:most], data.draw(NUMBERS)[:most]
    said = Preprocess(mean, scale or (1.0,), said.size, short, said.pad[:most], said.color, layout)
    path = tmp_path_factory.mktemp("pictures") / "one.png"
    pixels = picture(path, h, w, count, seed=sum(sizes))
    shape = (height, width, count) if layout == "nhwc" else (count, height, width)
    item = PictureInput("x", (1, *shape) if batched else shape, "float32", described=said)
    got = item.read(path)
    assert (got.shape, got.dtype) == (item.shape, np.float32)
    assert item.sizes(path) == got.shape
    assert got.flags.c_contiguous
    wanted = [expected(pixels, said, height, width, rows_first) for rows_first in (False, True)]
    planes = [want if layout == "nhwc" else want.transpose(2, 0, 1) for want in wanted]
    assert any(np.array_equal(got.reshape(shape), want) for want in planes)


def test_float32_is_exact(tmp_path: Path):
    pixels = picture(tmp_path / "one.png", 5, 7)
    said = Preprocess.parse("mean=123.675,116.28,103.53,scale=1/58.395,1/57.12,1/57.375")
    got = PictureInput("x", (1, 3, 5, 7), "float32", described=said).read(tmp_path / "one.png")
    want = (pixels - np.array(said.mean, np.float32)) * np.array(said.scale, np.float32)
    np.testing.assert_array_equal(got, want.transpose(2, 0, 1)[None])


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_floats_are_cast(tmp_path: Path, dtype: str):
    pixels = picture(tmp_path / "one.png", 5, 7)
    item = PictureInput("x", (5, 7, 3), dtype, described=Preprocess.parse("scale=1/255"))
    want = (pixels * np.float32(1 / 255)).astype(dtype)
    np.testing.assert_array_equal(item.read(tmp_path / "one.png"), want)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64", "uint16"])
def test_integers_take_the_bytes(tmp_path: Path, dtype: str):
    pixels = picture(tmp_path / "one.png", 5, 7)
    item = PictureInput("x", (1, 5, 7, 3), dtype)
    got = item.read(tmp_path / "one.png")
    assert got.dtype == dtype
    np.testing.assert_array_equal(got[0], pixels)
    assert item.done("") == "RGB, stretched to 7x5, as bytes"
    other = PictureInput("x", (1, 5, 7, 3), dtype, described=Preprocess(color="bgr"))
    np.testing.assert_array_equal(other.read(tmp_path / "one.png")[0], pixels[..., ::-1])
    wrong = PictureInput("x", (1, 5, 7, 3), dtype, described=Preprocess((1.0,)))
    with pytest.raises(AutosplitError, match=f"is {dtype} and takes the bytes of pictures as they"):
        wrong.read(tmp_path / "one.png")


def test_int8_is_rounded_and_saturated(tmp_path: Path):
    pixels = picture(tmp_path / "one.png", 5, 7)
    with pytest.raises(AutosplitError, match="takes int8, and nothing says"):
        PictureInput("x", (1, 5, 7, 3), "int8").read(tmp_path / "one.png")
    said = Preprocess.parse("mean=128,scale=1.5")
    got = PictureInput("x", (1, 5, 7, 3), "int8", described=said).read(tmp_path / "one.png")
    want = np.clip(np.rint((pixels.astype(float) - 128) * 1.5), -128, 127)
    assert got.dtype == np.int8
    np.testing.assert_array_equal(got[0], want)


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ((-1, 3, -1, -1), (1, 3, 20, 30)),
        ((-1, 3, 10, -1), (1, 3, 10, 15)),
        ((-1, 3, -1, 10), (1, 3, 7, 10)),
        ((1, 3, 8, 9), (1, 3, 8, 9)),
    ],
)
def test_open_sizes_are_the_pictures_own(tmp_path: Path, shape: Any, found: Any):
    picture(tmp_path / "one.png", 20, 30)
    item = PictureInput("x", shape, "float32", described=Preprocess(scale=(1.0,)))
    assert item.read(tmp_path / "one.png").shape == item.sizes(tmp_path / "one.png") == found


@pytest.mark.parametrize(
    ("picture", "shape", "varying", "size", "found"),
    [
        ((20, 12), (1, 3, 32, 24), (2, 3), "stretch", (1, 3, 12, 20)),
        ((48, 12), (1, 3, 32, 24), (2, 3), "stretch", (1, 3, 6, 24)),
        ((20, 64), (1, 3, 32, 24), (2, 3), "stretch", (1, 3, 32, 10)),
        # The axis that is fixed says how large the other one is.
        ((20, 8), (1, 3, 16, 64), (3,), "stretch", (1, 3, 16, 40)),
        ((90, 8), (1, 3, 16, 64), (3,), "stretch", (1, 3, 16, 64)),
        ((20, 8), (1, 16, 64, 3), (1,), "stretch", (1, 16, 64, 3)),
        ((20, 2), (1, 16, 64, 3), (1,), "stretch", (1, 6, 64, 3)),
        # A box has the largest size.
        ((20, 12), (1, 3, 32, 24), (2, 3), "letterbox", (1, 3, 32, 24)),
        ((20, 12), (1, 3, 32, 24), (2, 3), "crop", (1, 3, 32, 24)),
        ((20, 12), (4, 3, 32, 24), (0,), "stretch", (4, 3, 32, 24)),
    ],
)
def test_sizes_that_vary_follow_the_picture(
    tmp_path: Path, picture: Any, shape: Any, varying: Any, size: Any, found: Any
):
    path = tmp_path / "p.png"
    Image.new("RGB", picture).save(path)
    said = Preprocess(mean=(1.0,), size=size)
    item = PictureInput("x", shape, "float32", described=said, varying=varying)
    assert item.read(path).shape == found == item.sizes(path)


def test_a_batch_begins_again_where_pictures_end(tmp_path: Path):
    pixels = [picture(tmp_path / f"{i}.png", 4, 5, seed=i) for i in range(2)]
    item = PictureInput("x", (3, 4, 5, 3), "uint8")
    got = item.read(tmp_path / "0.png", tmp_path / "1.png")
    np.testing.assert_array_equal(got, np.stack([pixels[0], pixels[1], pixels[0]]))
    assert item.read(tmp_path / "1.png").shape == item.sizes(tmp_path / "1.png") == (3, 4, 5, 3)
    picture(tmp_path / "2.png", 6, 5)
    with pytest.raises(
        AutosplitError, match=r"2.png: is of shape \[6, 5, 3\] in a batch with .*0.png"
    ):
        PictureInput("x", (2, -1, -1, 3), "uint8").read(tmp_path / "0.png", tmp_path / "2.png")


def test_random_numbers_are_those_of_pictures():
    uniform = np.array([0.0, 0.5, 0.999], np.float32).reshape(1, 3, 1, 1)
    said = Preprocess.parse("mean=127.5,0,0,scale=1,1,2")
    got = PictureInput("x", (1, 3, 1, 1), "float32", described=said).spread(uniform)
    assert (got.dtype, got.ravel().tolist()) == (np.float32, [-127.5, 128.0, 510.0])
    own = PictureInput("x", (1, 3, 1, 1), "float32", own=Normalization((127.5,), (1 / 128,)))
    assert own.spread(uniform).ravel().tolist() == [0.0, 128.0, 255.0]
    for item in (
        PictureInput("x", (1, 3, 1, 1), "float32"),
        PictureInput("x", (1, 3), "float32", described=said),
        PictureInput("x", (1, 3, 1, 1), "uint8", described=said),
    ):
        assert item.spread(uniform) is uniform


def test_the_layout_is_what_fits(tmp_path: Path):
    def frame(shape: tuple[int, ...], usual: str = "", layout: Any = None) -> tuple[int, int, bool]:
        item = PictureInput("x", shape, None, usual, Preprocess(layout=layout))
        return item.frame.height, item.frame.width, item.frame.last

    assert frame((1, 3, 8, 9)) == (8, 9, False)
    assert frame((1, 8, 9, 3)) == (8, 9, True)
    assert frame((1, 3, 9, 3), "NCHW") == (9, 3, False)
    assert frame((1, 3, 9, 3), "NHWC") == (3, 9, True)
    assert frame((1, 3, 9, 3), "NHWC", "nchw") == (9, 3, False)
    assert frame((-1, -1, 8, 9), "", "nchw") == (8, 9, False)
    for shape in ((1, 4, 8, 9), (2, 8), (3, 8), (1, 1, 3, 8, 9), (-1, -1, 8, 9)):
        with pytest.raises(AutosplitError, match="takes no pictures: expected 1 or 3 channels"):
            frame(shape)
    with pytest.raises(AutosplitError, match="takes no pictures with layout=nhwc"):
        frame((1, 3, 8, 9), "", "nhwc")
    for dtype in ("object", "bool", "bfloat16", "complex64"):
        assert not PictureInput("x", (1, 3, 8, 9), dtype).takes_pictures


def test_files_that_are_no_pictures_are_one_line(tmp_path: Path):
    item = PictureInput("x", (1, 3, 8, 9), "uint8")
    picture(tmp_path / "good.png", 40, 40)
    (tmp_path / "text.png").write_text("text")
    (tmp_path / "cut.png").write_bytes((tmp_path / "good.png").read_bytes()[:2000])
    Image.fromarray(np.zeros((4, 4), np.uint16)).save(tmp_path / "deep.png")
    for name, message in (
        ("text.png", "cannot read .*text.png as a picture"),
        ("cut.png", "cannot read .*cut.png as a picture"),
        ("gone.png", "cannot read .*gone.png as a picture"),
        ("deep.png", r"deep.png: has pixels of more than 8 bits"),
    ):
        with pytest.raises(AutosplitError, match=message):
            item.read(tmp_path / name)
    small = PictureInput(
        "x", (1, 3, 8, 9), "uint8", described=Preprocess.parse("size=crop,short=4")
    )
    with pytest.raises(AutosplitError, match="is 4x4 with short=4, smaller than the 9x8 to crop"):
        small.read(tmp_path / "good.png")


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "YCbCr", "HSV"])
def test_pictures_of_other_modes_are_taken(tmp_path: Path, mode: str):
    suffix = ".png" if mode in ("1", "L", "LA", "P", "RGBA") else ".jpg"
    suffix = ".png" if mode == "HSV" else suffix
    image = Image.new("RGB", (8, 8), (200, 30, 90)).convert("RGB" if mode == "HSV" else mode)
    image.save(tmp_path / f"one{suffix}")
    got = PictureInput("x", (8, 8, 3), "uint8").read(tmp_path / f"one{suffix}")
    assert got.shape == (8, 8, 3)
    assert PictureInput("x", (8, 8, 1), "uint8").read(tmp_path / f"one{suffix}").shape == (8, 8, 1)


def test_a_picture_is_upright(tmp_path: Path):
    pixels = np.zeros((4, 8, 3), np.uint8)
    pixels[:, :4] = 255
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned to the right
    Image.fromarray(pixels).save(tmp_path / "one.png", exif=exif)
    item = PictureInput("x", (-1, -1, -1, 3), "uint8")
    got = item.read(tmp_path / "one.png")
    assert got.shape == item.sizes(tmp_path / "one.png") == (1, 8, 4, 3)
    np.testing.assert_array_equal(got[0], np.rot90(pixels, -1))


def test_without_pillow_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    picture(tmp_path / "one.png", 4, 4)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(AutosplitError, match=r"one.png: .*needs Pillow.*: pip install pillow$"):
        PictureInput("x", (4, 4, 3), "uint8").read(tmp_path / "one.png")


# What is said


def test_floats_need_a_description(tmp_path: Path):
    picture(tmp_path / "one.png", 4, 4)
    bare = PictureInput("x", (1, 4, 4, 3), "float32")
    with pytest.raises(AutosplitError, match=r"one.png: input 'x' takes float32, and nothing says"):
        bare.read(tmp_path / "one.png")
    told = "add --preprocess mean=127.5,scale=1/128,size=stretch,color=bgr, for"
    with pytest.raises(AutosplitError, match=told):
        PictureInput("x", (1, 4, 4, 3), "float32", described=Preprocess(color="bgr")).done("")
    own = PictureInput("x", (1, 4, 4, 3), "float32", own=Normalization((0.485,), (4.37,)))
    with pytest.raises(AutosplitError, match=r"begins with \(x - 0.485\) \* 4.37, which is not"):
        own.done("")
    own = PictureInput("x", (1, 4, 4, 3), "float32", own=Normalization((127.5,), (1 / 128,)))
    assert own.done("") == (
        "RGB, stretched to 4x4, as bytes, since the model itself begins with (x - 127.5) * 0.0078125"
    )
    assert own.read(tmp_path / "one.png").max() > 200


@pytest.mark.parametrize(
    ("mean", "scale", "takes"),
    [
        ((0.0,), (1 / 255,), True),
        ((127.5,), (1 / 128,), True),
        ((103.9, 116.8, 123.7), (1.0,), True),
        ((255.0,), (-1 / 255,), True),
        ((0.485, 0.456, 0.406), (4.37, 4.46, 4.44), False),
        ((0.5,), (2.0,), False),
        ((0.0,), (255.0,), False),
        ((0.1, 120.0, 120.0), (1.0,), False),
    ],
)
def test_who_is_made_for_bytes(mean: Any, scale: Any, takes: bool):
    assert Normalization(mean, scale).takes_bytes == takes


def test_descriptions_go_to_inputs():
    a = PictureInput("a:0", (1, 8, 8, 3), "float32")
    b = PictureInput("b", (1, 1, 8, 8), "float32")
    ids = PictureInput("ids", (1, 128), "int64")
    one, other = Preprocess((1.0,)), Preprocess((2.0,))
    assert resolve({"": one, "a": other}, [a, b, ids]) == {"a:0": other, "b": one}
    assert resolve({}, [a, b, ids]) == {}
    wrong: list[tuple[Any, Any, str]] = [
        ({"c": one}, [a], r"'c' is not an input of the model \(there (is|are) 'a'"),
        ({"ids": one}, [a, ids], r"input 'ids' of shape \[1, 128\], int64, takes no pictures"),
        ({"": one}, [ids], "takes no pictures"),
        ({"b": Preprocess((1.0, 2.0, 3.0))}, [b], "mean has 3 numbers, input 'b' has 1 channel"),
        ({"a": one, "": one}, [a], "no other input"),
    ]
    for given_, inputs, message in wrong:
        with pytest.raises(AutosplitError, match=message):
            resolve(given_, inputs)


def test_what_reached_an_input():
    seen = Seen()
    assert str(seen) == ""
    seen.add(np.array([1, 2], np.uint8))
    seen.add(np.array([], np.float32))
    seen.add(np.array([[-3.5]], np.float16))
    assert str(seen) == "-3.5..2, mean -0.1667"


def test_nothing_is_imported_early():
    code = "import sys; from autosplit.inputs import preprocess; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
