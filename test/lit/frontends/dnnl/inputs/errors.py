"""Prints what the importer says of each broken file that make.py wrote, in the order of its lists."""

import sys
from pathlib import Path

from make import BROKEN, TEXTS

from autosplit.core.errors import AutosplitError
from autosplit.formats.dnnl_json.reader import read_graph

folder = Path(sys.argv[1])
for name in [*sorted([*TEXTS, "bytes"]), *(f.__name__ for f in BROKEN)]:
    path = folder / f"{name}.json"
    try:
        read_graph(path)
    except AutosplitError as e:
        # More than one line would not match.
        print(str(e).replace(f"{path}: ", f"{name}: "))
