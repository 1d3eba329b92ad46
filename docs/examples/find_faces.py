"""Finds faces in pictures with NudeNet: python find_faces.py MODEL.onnx|FOLDER PICTURE..."""

import sys

import numpy as np
import onnxruntime
from PIL import Image

from autosplit.api import infer, load_compiled

FACES = {1: "woman's face", 12: "man's face"}


def network(path: str):
    if path.endswith(".onnx"):
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        return lambda pixels: session.run(None, {"images": pixels})[0][0]
    plan = load_compiled(path)
    return lambda pixels: infer(plan, {"images": pixels})["output0"][0]


def overlap(a, b):
    sides = np.minimum(a[2:4], b[2:4]) - np.maximum(a[:2], b[:2])
    common = np.prod(np.clip(sides, 0, None))
    return common / (np.prod(a[2:4] - a[:2]) + np.prod(b[2:4] - b[:2]) - common)


find = network(sys.argv[1])
for name in sys.argv[2:]:
    picture = Image.open(name).convert("RGB")
    scale = 320 / max(picture.size)
    square = Image.new("RGB", (320, 320))
    square.paste(picture.resize([round(n * scale) for n in picture.size]))
    rows = find(np.float32(square).transpose(2, 0, 1)[None] / np.float32(255)).T
    half, kinds, scores = rows[:, 2:4] / 2, rows[:, 4:].argmax(1), rows[:, 4:].max(1)
    boxes = np.column_stack([rows[:, :2] - half, rows[:, :2] + half]) / scale
    kept = []
    for i in np.argsort(-scores):
        if kinds[i] in FACES and scores[i] > 0.3 and all(overlap(boxes[i], k) < 0.45 for k in kept):
            kept.append(boxes[i])
            edges = ", ".join(f"{edge:.0f}" for edge in boxes[i])
            print(f"{name}: {FACES[kinds[i]]}, {scores[i]:.2f}, at {edges}")
