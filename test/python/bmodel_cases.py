"""Bmodels for tests: real ones of a small network, and files that only have a header."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from autosplit.toolchains.bmodel_compile import compile_top

Array = np.ndarray[Any, Any]

CHIPS = {"bm1684": "F32", "bm1684x": "F16", "bm1688": "F16"}
"""Each chip, and a mode that it computes in quickly."""

SHAPE = (1, 3, 6, 7)

MODULE = """
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<IN>) -> tensor<OUT>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<IN>):
    %0 = "top.Input"(%arg0) : (tensor<IN>) -> tensor<IN> loc("x")
    %1 = "top.Weight"() : () -> tensor<4x3x3x3xf32> loc("w")
    %2 = "top.Weight"() : () -> tensor<4xf32> loc("b")
    %3 = "top.Conv"(%0, %1, %2) {dilations = [1 : i64, 1 : i64], do_relu = false, group = 1 : i64,
      kernel_shape = [3 : i64, 3 : i64], pads = [1 : i64, 1 : i64, 1 : i64, 1 : i64],
      strides = [1 : i64, 1 : i64]} : (tensor<IN>, tensor<4x3x3x3xf32>, tensor<4xf32>)
      -> tensor<OUT> loc("y")
    "func.return"(%3) : (tensor<OUT>) -> () loc(unknown)
  }) : () -> () loc(unknown)
}) {module.chip = "ALL", module.platform = "ONNX", module.state = "TOP_F32",
    module.top_run_mode = "RUN_MODE", module.weight_file = "w.npz", sym_name = "net"} : () -> ()
    loc(unknown)
"""

TABLE = "# op_name threshold min max\nx 4.0 -4.0 4.0\ny 20.0 -20.0 20.0\n"


def weights() -> dict[str, Array]:
    """The convolution's."""
    kernel = np.random.default_rng(0).standard_normal((4, 3, 3, 3)).astype(np.float32)
    return {"w": kernel, "b": np.arange(4, dtype=np.float32)}


def image(shape: tuple[int, ...] = SHAPE, seed: int = 1) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).clip(-4, 4).astype(np.float32)


def expected(x: Array) -> Array:
    """What the network computes, by numpy."""
    arrays = weights()
    padded = np.pad(x.astype(np.float32), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, arrays["w"]) + arrays["b"][:, None, None]


def compile_conv(
    folder: Path,
    chip: str,
    mode: str | None = None,
    *,
    dynamic: bool = False,
    shape: tuple[int, ...] = SHAPE,
    **port: Any,
) -> Path:
    """A bmodel of one convolution; `port` is for its input and output, `network_dtype` say."""
    folder.mkdir(parents=True, exist_ok=True)
    n, _, h, w = shape
    text = MODULE.replace("IN>", f"{n}x3x{h}x{w}xf32>").replace("OUT>", f"{n}x4x{h}x{w}xf32>")
    (folder / "net.mlir").write_text(text.replace("RUN_MODE", "DYNAMIC" if dynamic else "STATIC"))
    np.savez(folder / "w.npz", **weights())  # pyright: ignore[reportArgumentType]
    settings: dict[str, Any] = {
        "mlir": "net.mlir",
        "weights": "w.npz",
        "chip": chip,
        "mode": mode or CHIPS[chip],
        "net": "net",
        "dynamic": dynamic,
    }
    if mode == "INT8":
        (folder / "table").write_text(TABLE)
        settings["calibration_table"] = "table"
    if port:
        shapes = {"inputs": ("x", list(shape)), "outputs": ("y", [n, 4, h, w])}
        for key, (name, sizes) in shapes.items():
            settings[key] = [{"name": name, "shape": sizes, "dtype": "float32", **port}]
    compiled = compile_top(settings, str(folder), say=lambda line: None)  # pyright: ignore[reportArgumentType]
    return Path(compiled.bmodel)


def header_only(path: Path, chip: str = "BM1684", *, code: int = 0) -> Path:
    """A file that looks like a bmodel until it is loaded; `code`: bytes of a library for the host in it."""
    fields = [0, 0, 0, 4, 0, 0, 0, 0, 8]
    table = 4 + 4 + 2 * len(fields)
    table += -table % 4
    data = bytearray(struct.pack("<I", table))
    data += struct.pack(f"<2H{len(fields)}H", 4 + 2 * len(fields), 12, *fields)
    data += bytes(table - len(data))
    text, module_fields, module = table + 12, table + 32, table + 40
    data += struct.pack("<iII", table - 4, text - (table + 4), module - (table + 8))
    data += struct.pack("<I16s", len(chip), chip.encode())
    data += struct.pack("<4H", 8, 24, 0, 4)
    data += struct.pack("<iQQ", module - module_fields, 0, code)
    path.write_bytes(struct.pack("<4I", 0xFF55AAEE, 64, len(data), 0) + bytes(48) + data)
    return path
