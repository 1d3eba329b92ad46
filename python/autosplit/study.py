"""A model in memory, for use from Python and in notebooks: read it, run passes, look at the result.

from autosplit.study import Study
study = Study.read("detector.onnx")
split = study.run("split{target=bm1684x}")
print(split)

In a notebook a split model shows as a picture, any other as text.
"""

from __future__ import annotations

from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.passes import PassPipeline
from xdsl.utils.arg_spec import parse_spec

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import parse_mlir
from autosplit.core.printing import module_text
from autosplit.dialects.device import FuncOp
from autosplit.explain.plan import explain
from autosplit.explain.svg import svg
from autosplit.folder.reader import read_folder
from autosplit.lowering.pipelines import build_passes
from autosplit.lowering.rewriting import apply_patterns
from autosplit.platforms import load_model
from autosplit.platforms.stores import find_weights
from autosplit.registry import get_all_passes, get_all_targets, make_context

if TYPE_CHECKING:
    from typing import Any

    from xdsl.dialects.builtin import ModuleOp

    from autosplit.lowering.rewriting import Pattern


class Study:
    """A module of any dialects. Methods that change it return a new one."""

    def __init__(self, module: ModuleOp):
        self.module = module

    @classmethod
    def read(cls, path: Path | str) -> Study:
        """Reads a model, a folder that was split, or IR from a .mlir file. Raises AutosplitError."""
        path = Path(path)
        if (path / "graph_infos.json").is_file():
            return cls(read_folder(path))
        if path.suffix != ".mlir":
            return cls(load_model(path).module)
        if not path.is_file():
            raise AutosplitError(f"{path}: there is no such file")
        study = cls.parse(path.read_text("utf-8"), str(path))
        find_weights(study.module, [path.absolute().parent])
        return study

    @classmethod
    def parse(cls, text: str, name: str = "text") -> Study:
        """Reads IR. Raises xDSL's ParseError and VerifyException, or AutosplitError."""
        module = parse_mlir(make_context(), text, name)
        module.verify()
        return cls(module)

    def run(self, passes: str) -> Study:
        """Runs passes and pipelines as `autosplit-opt -p` takes them, such as `place,device-outline`."""
        changed = Study(self.module.clone())
        chosen = build_passes(passes, get_all_passes())
        PassPipeline(chosen).apply(make_context(), changed.module)
        changed.module.verify()
        return changed

    def rewrite(self, *patterns: Pattern[Any]) -> Study:
        """Applies patterns until none changes anything."""
        changed = Study(self.module.clone())
        apply_patterns(changed.module, patterns)
        changed.module.verify()
        return changed

    def emit(self, target: str) -> str:
        """The text of an output format, such as `onnx-text`, as `autosplit-opt -t` takes it."""
        known = get_all_targets()
        spec = parse_spec(target)
        if spec.name not in known:
            names = ", ".join(known)
            raise AutosplitError(f"there is no output format {spec.name!r}; there are {names}")
        output = StringIO()
        known[spec.name]().from_spec(spec).emit(make_context(), self.module, output)
        return output.getvalue()

    def __str__(self) -> str:
        return module_text(self.module)

    def _repr_svg_(self) -> str | None:
        split = any(isinstance(op, FuncOp) for op in self.module.body.block.ops)
        return svg(explain(self.module)) if split else None

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
