"""Finds faces with the packaged model: python faces_on_chip.py chip|emulator|MODEL.onnx PICTURE..."""

import sys

import numpy as np
from faces import infer, load
from PIL import Image

FACES = {1: "woman's face", 12: "man's face"}


def overlap(a, b):
    sides = np.minimum(a[2:4], b[2:4]) - np.maximum(a[:2], b[:2])
    common = np.prod(np.clip(sides, 0, None))
    return common / (np.prod(a[2:4] - a[:2]) + np.prod(b[2:4] - b[:2]) - common)


where, *pictures = sys.argv[1:]
runner = load(emulator="" if where != "chip" else None)
for name in pictures:
    feeds = {"images": runner.read("images", name)}
    if where.endswith(".onnx"):
        import onnxruntime

        session = onnxruntime.InferenceSession(where, providers=["CPUExecutionProvider"])
        outputs = {"output0": session.run(None, feeds)[0]}
    else:
        outputs = infer(runner, feeds)
    rows = outputs["output0"][0].T
    half, kinds, scores = rows[:, 2:4] / 2, rows[:, 4:].argmax(1), rows[:, 4:].max(1)
    # The picture is in the middle of a square of 320.
    size = np.array(Image.open(name).size)
    scale = 320 / size.max()
    margin = (320 - size * scale) / 2
    boxes = np.column_stack([rows[:, :2] - half - margin, rows[:, :2] + half - margin]) / scale
    kept = []
    for i in np.argsort(-scores):
        if kinds[i] in FACES and scores[i] > 0.3 and all(overlap(boxes[i], k) < 0.45 for k in kept):
            kept.append(boxes[i])
            edges = ", ".join(f"{edge:.0f}" for edge in boxes[i])
            print(f"{name}: {FACES[kinds[i]]}, {scores[i]:.2f}, at {edges}")
runner.close()
