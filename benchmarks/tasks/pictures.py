"""Pictures of faces and of words: those for calibration show nothing of those to measure with."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from autosplit.testing.models import model_path
from tasks.task import Array

BACKGROUNDS = {
    "calibration": ("china.jpg", "coffee.png", "chelsea.png", "motorcycle_left.png"),
    "held out": ("flower.jpg", "rocket.jpg", "camera.png", "brick.png"),
}
PORTRAITS = {"calibration": ("astronaut.png",), "held out": ("grace_hopper.jpg", "zidane.jpg")}

FACES = {"calibration": range(0, 50), "held out": range(50, 100)}
"""Of the small faces that scikit-image has."""

FONTS = ("DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf", "STIXGeneral.ttf", "cmr10.ttf")

WORDS = {
    "calibration": "table figure water light number answer second people letter mother father system "
    "yellow change machine heavy travel thousand warm island 1815 2.50 $399 No.7 A4 Zurich OPEN EXIT",
    "held out": "river station orange music window ticket market coffee engine bridge garden silver "
    "platform doctor summer kitchen paper winter north valley 1969 12:45 $18 No.3 B52 Vienna CLOSED STOP",
}


@cache
def photograph(name: str) -> Image.Image:
    """A photograph, in colours."""
    return Image.open(model_path(name)).convert("RGB")


@cache
def _small_faces() -> Array:
    return np.load(model_path("lfw_subset.npy"))


def scene(part: str, seed: int, width: int, height: int) -> Array:
    """A photograph on which another one of people lies, and some small faces: uint8[height, width, 3]."""
    random = np.random.default_rng(seed)
    behind = photograph(BACKGROUNDS[part][seed % 4])
    made = behind.resize((width, height), Image.Resampling.BILINEAR)
    people = photograph(PORTRAITS[part][seed % len(PORTRAITS[part])])
    share = random.uniform(0.4, 0.8)
    size = (int(people.width * share * height / people.height), int(share * height))
    corner = (
        int(random.uniform(0, max(width - size[0], 1))),
        int(random.uniform(0, height - size[1])),
    )
    made.paste(people.resize(size, Image.Resampling.BILINEAR), corner)
    for _ in range(3):
        face = _small_faces()[int(random.choice(FACES[part]))]
        tones = Image.fromarray(np.uint8(np.clip(face * 255, 0, 255))).convert("RGB")
        edge = int(random.uniform(0.12, 0.3) * height)
        where = int(random.uniform(0, width - edge)), int(random.uniform(0, height - edge))
        made.paste(tones.resize((edge, edge), Image.Resampling.BICUBIC), where)
    return np.asarray(made, np.uint8)


def words(part: str, random: np.random.Generator, count: int) -> str:
    """Some words."""
    return " ".join(random.choice(WORDS[part].split(), count))


def line(text: str, random: np.random.Generator, width: int, height: int) -> Image.Image:
    """A line of text as it may be printed: some font, two colours, not quite sharp."""
    paper, ink = random.uniform(150, 256, 3).astype(int), random.uniform(0, 110, 3).astype(int)
    made = Image.new("RGB", (width, height), tuple(paper))
    font = ImageFont.truetype(str(model_path(str(random.choice(FONTS)))), int(height * 0.62))
    drawn = ImageDraw.Draw(made)
    drawn.text((height // 6, height // 2), text, fill=tuple(ink), font=font, anchor="lm")
    made = made.rotate(random.uniform(-1.5, 1.5), fillcolor=tuple(paper))
    made = made.filter(ImageFilter.GaussianBlur(random.uniform(0, 0.9)))
    noisy = np.asarray(made, float) + random.normal(0, random.uniform(0, 12), (height, width, 1))
    return Image.fromarray(np.uint8(np.clip(noisy, 0, 255)))


def page(part: str, seed: int, width: int, height: int) -> Array:
    """A photograph with lines of text on it: uint8[height, width, 3]."""
    random = np.random.default_rng(seed)
    made = photograph(BACKGROUNDS[part][seed % 4]).resize((width, height))
    top = 8
    while top < height - 48:
        tall = int(random.uniform(20, 48))
        wide = int(tall * random.uniform(4, 9))
        if wide < width:
            text = line(words(part, random, 3), random, wide, tall)
            made.paste(text, (int(random.uniform(0, width - wide)), top))
        top += tall + int(random.uniform(8, 40))
    return np.asarray(made, np.uint8)
