"""Records how the installed oneDNN groups the graphs of JSON files, for tests of the fusion rules.

    python -m autosplit.tools.generate.dnnl_partitions FOLDER -o test/python/data/onednn_partitions_3.2.json

Each file goes to the library in a process of its own, straight from its JSON and not by way of the compiler's
IR, because some end the process. The table has, for each file, the groups as lists of op ids, or the reason
why there are none.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from autosplit.core.errors import AutosplitError
from autosplit.dialects.dnnl.table import OLD_KINDS
from autosplit.runtime.dnnl.api import LogicalTensor

Json: TypeAlias = Mapping[str, Any]


def groups_of(path: Path) -> list[list[int]]:
    """The library's groups for one file, in its order; AutosplitError if it refuses the graph."""
    from autosplit.dialects.dnnl import ATTR_CODES, OP_TABLE
    from autosplit.runtime.dnnl.library import GraphBuilder, library

    graph: Json = json.loads(path.read_text())
    builder = GraphBuilder(library())
    op_ids: dict[int, int] = {}
    tensors: dict[int, LogicalTensor] = {}

    def tensor(entry: Json) -> LogicalTensor:
        # Files describe one tensor with two layouts, which is not what is asked here.
        described = _tensor(entry)
        first_described = tensors.setdefault(described.id, described)
        return replace(described, layout=first_described.layout, strides=first_described.strides)

    for op in cast("Sequence[Json]", graph["graph"]):
        kind = str(OLD_KINDS.get(op["kind"]) or op["kind"])
        attrs = dict(cast("Json", op.get("attrs", {})))
        if kind in ("Quantize", "Dequantize") and "zps" not in attrs:
            # 3.2 insists on them; later versions take absence for 0.
            zeros = [0] * len(attrs["scales"]["value"])
            attrs["zps"] = {"type": "s64[]", "value": zeros}
        number = builder.add_op(
            OP_TABLE[kind].code,
            op["name"],
            [(ATTR_CODES[name], a["type"], _value(a)) for name, a in attrs.items()],
            [tensor(t) for t in op["inputs"]],
            [tensor(t) for t in op["outputs"]],
        )
        op_ids[number] = op["id"]
    return [[op_ids[i] for i in p.op_ids] for p in builder.partitions()]


def _value(attribute: Json) -> Any:
    return bool(attribute["value"]) if attribute["type"] == "bool" else attribute["value"]


def _tensor(entry: Json) -> LogicalTensor:
    strided = entry["layout_type"] == "strided"
    return LogicalTensor(
        entry["id"],
        entry["dtype"],
        tuple(entry["shape"]),
        "strided" if strided else "any",
        tuple(entry["stride"]) if strided else None,
        constant=entry["property_type"] == "constant",
    )


def record(folder: Path) -> Json:
    """The table of all JSON files of a folder."""
    table: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        child = [sys.executable, "-m", "autosplit.tools.generate.dnnl_partitions", str(path)]
        process = subprocess.run(child, capture_output=True, text=True, timeout=300, check=False)
        if process.returncode < 0:
            table[path.name] = {"refused": f"the process ended with signal {-process.returncode}"}
        else:
            process.check_returncode()
            table[path.name] = json.loads(process.stdout)
    return table


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("path", type=Path, help="a folder of graphs, or one graph")
    parser.add_argument("-o", "--output", type=Path, help="where the table goes (standard output)")
    args = parser.parse_args(argv)
    if args.path.is_dir():
        rows = record(args.path)
        lines = (f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        text = "{\n" + ",\n".join(lines) + "\n}\n"
    else:
        text = json.dumps(_answer(args.path)) + "\n"
    if args.output is None:
        sys.stdout.write(text)
    else:
        args.output.write_text(text)


def _answer(path: Path) -> Json:
    try:
        return {"groups": sorted(sorted(g) for g in groups_of(path))}
    except AutosplitError as e:
        return {"refused": str(e)}


if __name__ == "__main__":
    main()
