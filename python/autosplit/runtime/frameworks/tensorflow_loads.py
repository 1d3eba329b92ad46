"""Whether TensorFlow takes a graph, asked of its C library: importing the package takes ten times as long.

It has the importer that `tf.compat.v1.import_graph_def` calls, with the same errors.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from ctypes import CDLL, c_char_p, c_int, c_size_t, c_void_p
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from autosplit.core.children import run_child
from autosplit.core.errors import AutosplitError
from autosplit.core.scratch import scratch_folder

LIBRARY = "libtensorflow_cc.*"
"""What the library is called, which stands at the top of the package."""


def find_library() -> Path | None:
    """TensorFlow's C library; None where it is not installed, or of a version that has none."""
    spec = find_spec("tensorflow")
    places = [] if spec is None else spec.submodule_search_locations or []
    return next((path for place in places for path in sorted(Path(place).glob(LIBRARY))), None)


def refusal(paths: Sequence[Path], custom_ops: Sequence[Path] = ()) -> tuple[int, str] | None:
    """The place of the first of these GraphDef files that TensorFlow does not take, and why.

    None where it takes all, and where there is no TensorFlow. It is asked in this process where it is loaded
    anyway, else in one of its own. `custom_ops`: libraries of ops that the graphs may have.
    """
    library = find_library()
    if library is None or not paths:
        return None
    if "tensorflow" in sys.modules and not custom_ops:
        return _first_refused(library, paths)
    return _asked(library, paths, custom_ops)


def _asked(
    library: Path, paths: Sequence[Path], custom_ops: Sequence[Path]
) -> tuple[int, str] | None:

    request = {
        "library": str(library),
        "paths": [str(path.absolute()) for path in paths],
        "custom_ops": [str(path.absolute()) for path in custom_ops],
    }
    with scratch_folder("loading sub-models") as folder:
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        answer = run_child(
            "runtime.frameworks.tensorflow_loads", folder, "loading sub-models in TensorFlow"
        )
    return None if answer is None else (int(answer[0]), str(answer[1]))


def _first_refused(
    library: Path, paths: Sequence[Path], custom_ops: Sequence[Path] = ()
) -> tuple[int, str] | None:
    try:
        tf = TensorFlowLibrary(library)
    except OSError:
        # For this machine it is as good as not installed.
        return None
    for path in custom_ops:
        tf.load_ops(path)
    for place, path in enumerate(paths):
        if reason := tf.why_not(path.read_bytes()):
            return place, reason
    return None


class TensorFlowLibrary:
    """The part of TensorFlow's C interface that reads graphs."""

    def __init__(self, path: Path):
        self._library = CDLL(str(path))
        self._new_status = self._function("TF_NewStatus")
        self._delete_status = self._function("TF_DeleteStatus", c_void_p)
        self._code = self._function("TF_GetCode", c_void_p, result=c_int)
        self._message = self._function("TF_Message", c_void_p, result=c_char_p)

    def why_not(self, graph: bytes) -> str:
        """What is wrong with a serialized GraphDef, in one line; "" where nothing is."""
        new_buffer = self._function("TF_NewBufferFromString", c_char_p, c_size_t)
        new_options = self._function("TF_NewImportGraphDefOptions")
        import_graph = self._function("TF_GraphImportGraphDef", *[c_void_p] * 4, result=None)
        objects = {
            "TF_DeleteGraph": self._function("TF_NewGraph")(),
            "TF_DeleteBuffer": new_buffer(graph, len(graph)),
            "TF_DeleteImportGraphDefOptions": new_options(),
        }
        status = self._new_status()
        import_graph(*objects.values(), status)
        for name, item in objects.items():
            self._function(name, c_void_p, result=None)(item)
        return self._reason(status)

    def load_ops(self, path: Path) -> None:
        """Loads a library of ops, which stays. Raises AutosplitError where it does not load."""
        status = self._new_status()
        self._function("TF_LoadLibrary", c_char_p, c_void_p)(str(path).encode(), status)
        if reason := self._reason(status):
            raise AutosplitError(f"{path}: does not load: {reason}")

    def _reason(self, status: int) -> str:
        """The message of a status, which is deleted; "" where all is well."""
        failed = self._code(status) != 0
        text = self._message(status).decode(errors="replace") if failed else ""
        self._delete_status(status)
        return (" ".join(text.split()) or "it says no reason") if failed else ""

    def _function(self, name: str, *arguments: type, result: type | None = c_void_p) -> Any:
        function = self._library[name]
        function.argtypes, function.restype = arguments, result
        return function


def main() -> int:
    """The child's part: reads request.json and writes answer.json."""
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    libraries = [Path(path) for path in request["custom_ops"]]
    try:
        paths = [Path(path) for path in request["paths"]]
        answer = _first_refused(Path(request["library"]), paths, libraries)
    except AutosplitError as error:
        print(error, file=sys.stderr)
        return 1
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
