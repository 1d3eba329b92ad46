"""Trying whether libraries of custom ops load; runs as a process of its own, since they may end it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from autosplit.core.errors import AutosplitError


def load(platform: str, libraries: Sequence[Path]) -> dict[str, list[str]]:
    """Loads libraries as a session of the platform's framework would.

    Returns what `autosplit.inputs.custom_ops.check_loading` returns.
    """
    if platform == "pytorch":
        from autosplit.runtime.frameworks import torch_calls

        return torch_calls.load_libraries(torch_calls.import_torch("loading custom ops"), libraries)
    if platform == "tensorflow":
        from autosplit.runtime.frameworks.tensorflow import import_tensorflow, load_libraries

        return load_libraries(import_tensorflow("loading custom ops"), libraries)
    from autosplit.runtime.frameworks.onnx import import_runtime, session_options

    session_options(import_runtime("loading custom ops"), libraries)
    return {}


def main(args: Sequence[str] | None = None) -> int:
    """Loads what the folder's request.json asks for.

    answer.json holds `error`, "" where nothing is wrong, and `ops`.
    """
    (folder,) = sys.argv[1:] if args is None else args
    request = json.loads((Path(folder) / "request.json").read_text(encoding="utf-8"))
    error, ops = "", dict[str, list[str]]()
    try:
        ops = load(request["platform"], [Path(path) for path in request["libraries"]])
    except AutosplitError as e:
        error = str(e)
    answer = {"error": error, "ops": ops}
    (Path(folder) / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
