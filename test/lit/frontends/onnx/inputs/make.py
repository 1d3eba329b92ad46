"""Writes ONNX files from ONNX's own text: make.py FOLDER NAME...; NAME-40 lacks its last 40 bytes."""

import sys
from pathlib import Path

import onnx.parser

folder, *names = sys.argv[1:]
Path(folder).mkdir(parents=True, exist_ok=True)
for name in names:
    stem, _, cut = name.partition("-")
    text = Path(__file__).with_name(f"{stem}.onnxtxt").read_text()
    data = onnx.parser.parse_model(text).SerializeToString(deterministic=True)
    Path(folder, f"{name}.onnx").write_bytes(data[: len(data) - int(cut or 0)])
