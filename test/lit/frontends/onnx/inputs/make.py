"""Writes an ONNX file from ONNX's own text: make.py TEXT MODEL [CUT], of which CUT bytes are left out at the end."""

import sys
from pathlib import Path

import onnx.parser

text, model, *cut = sys.argv[1:]
data = onnx.parser.parse_model(Path(text).read_text()).SerializeToString(deterministic=True)
Path(model).write_bytes(data[: len(data) - int(cut[0])] if cut else data)
