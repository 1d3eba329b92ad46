"""Writes graph files in oneDNN Graph's JSON form: a good one, and one for each way to get it wrong.

python make.py FOLDER
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Top = dict[str, Any]


def tensor(id: int, dtype: str, shape: list[int], **more: Any) -> Top:
    stride = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        stride[i] = stride[i + 1] * shape[i + 1]
    fields = {"stride": stride, "layout_type": "strided", "property_type": "undef"}
    return {"id": id, "dtype": dtype, "shape": shape, **fields, **more}


def attribute(type: str, value: Any) -> Top:
    return {"type": type, "value": value}


def good() -> Top:
    quant = {
        "qtype": attribute("string", "per_tensor"),
        "axis": attribute("s64", 1),
        "scales": attribute("f32[]", [0.05]),
        "zps": attribute("s64[]", [7]),
    }
    last = {"stride": [8, 1, 4], "layout_type": "strided"}
    return {
        "version": "3.2.0",
        "engine_kind": "cpu",
        "fpmath_mode": "strict",
        "input_ports": [0],
        "output_ports": [9],
        "graph": [
            {
                "id": 10,
                "name": "DQ_x",
                "kind": "Dequantize",
                "attrs": quant,
                "inputs": [tensor(0, "u8", [2, 4, 2], **last, property_type="variable")],
                "outputs": [tensor(2, "f32", [2, 4, 2])],
            },
            {
                "id": 11,
                "name": "relu",
                "kind": "ReLU",
                "inputs": [tensor(2, "f32", [2, 4, 2])],
                "outputs": [tensor(9, "f32", [2, 4, 2], layout_type="any", stride=[])],
            },
        ],
    }


def _ops(top: Top) -> list[Top]:
    return top["graph"]


def unknown_kind(top: Top) -> None:
    _ops(top)[1]["kind"] = "RelU"


def unknown_attribute(top: Top) -> None:
    _ops(top)[1]["attrs"] = {"alpha": attribute("f32", 1)}


def unknown_type(top: Top) -> None:
    _ops(top)[0]["attrs"]["axis"]["type"] = "s32"


def other_type(top: Top) -> None:
    _ops(top)[0]["attrs"]["axis"]["type"] = "f32"


def wrong_value(top: Top) -> None:
    _ops(top)[0]["attrs"]["axis"]["value"] = "one"


def contradiction(top: Top) -> None:
    _ops(top)[1]["inputs"] = [tensor(2, "f32", [2, 4, 1])]


def two_producers(top: Top) -> None:
    _ops(top)[1]["outputs"][0]["id"] = 2


def cycle(top: Top) -> None:
    _ops(top)[0]["inputs"] = [tensor(9, "u8", [2, 4, 2])]
    _ops(top)[1]["outputs"] = [tensor(9, "u8", [2, 4, 2])]


def same_id(top: Top) -> None:
    _ops(top)[1]["id"] = 10


def missing_key(top: Top) -> None:
    del _ops(top)[1]["inputs"][0]["dtype"]


def unknown_dtype(top: Top) -> None:
    _ops(top)[1]["inputs"][0]["dtype"] = "f64"


def opaque(top: Top) -> None:
    _ops(top)[1]["outputs"][0]["layout_type"] = "opaque"


def huge_number(top: Top) -> None:
    _ops(top)[0]["attrs"]["axis"]["value"] = 10**30


def huge_float(top: Top) -> None:
    _ops(top)[0]["attrs"]["scales"]["value"] = [1e60]


def huge_id(top: Top) -> None:
    _ops(top)[0]["id"] = 1 << 63


def negative_size(top: Top) -> None:
    _ops(top)[0]["inputs"][0]["shape"] = [2, -4, 2]


def many_dimensions(top: Top) -> None:
    _ops(top)[0]["inputs"] = [tensor(0, "u8", [1] * 13)]


def strides(top: Top) -> None:
    _ops(top)[0]["inputs"][0]["stride"] = [1]


def port(top: Top) -> None:
    top["output_ports"] = [5]


def no_list(top: Top) -> None:
    top["graph"] = {}


def unknown_key(top: Top) -> None:
    top["versions"] = "3"


BROKEN: list[Callable[[Top], None]] = [
    unknown_kind,
    unknown_attribute,
    unknown_type,
    other_type,
    wrong_value,
    contradiction,
    two_producers,
    cycle,
    same_id,
    missing_key,
    unknown_dtype,
    opaque,
    huge_number,
    huge_float,
    huge_id,
    negative_size,
    many_dimensions,
    strides,
    port,
    no_list,
    unknown_key,
]

TEXTS = {
    "empty": "",
    "broken": '{"graph": [',
    "other": '{"nodes": []}',
    "list": "[1, 2]",
    "nan": '{"graph": [NaN]}',
    "deep": "[" * 100_000,
    "digits": '{"graph": [' + "9" * 5000 + "]}",
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "good.json").write_text(json.dumps(good(), indent=2))
    for spoil in BROKEN:
        spoiled = good()
        spoil(spoiled)
        (folder / f"{spoil.__name__}.json").write_text(json.dumps(spoiled))
    for name, text in TEXTS.items():
        (folder / f"{name}.json").write_text(text)
    (folder / "bytes.json").write_bytes(b'{"graph": "\xff\xfe"}')
