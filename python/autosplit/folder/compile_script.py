"""compile_to_graph_ir_N.py: compiles a TPU sub-model with TPU-MLIR, as a script of its own.

The script is the text of `autosplit.toolchains.bmodel_compile` behind the settings, which are a literal: what
comes from a model is data there, never code. It needs Python and TPU-MLIR only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from pprint import pformat
from typing import IO, TYPE_CHECKING, Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from autosplit.core.errors import AutosplitError
from autosplit.core.tolerances import TOLERANCES
from autosplit.devices.builds import full_mode
from autosplit.folder.infos_reader import context_dir
from autosplit.toolchains import bmodel_child, bmodel_compile
from autosplit.toolchains.bmodel_compile import CompileError, Port, Settings, check_settings

if TYPE_CHECKING:
    from autosplit.platforms import Measured


def script_name(context_dir: str) -> str:
    """The file name of the script that compiles into `context_dir`."""
    return f"compile_to_{context_dir}.py"


def compile_script(settings: Settings) -> str:
    """The text of the script; it notes in compilation.json what it did.

    Raises AutosplitError for what TPU-MLIR cannot compile.
    """
    try:
        check_settings(settings)
    except CompileError as e:
        raise AutosplitError(f"{settings.get('context_dir', 'a TPU sub-model')}: {e}") from e
    for side in ("inputs", "outputs"):
        for port in settings.get(side, ()):
            if any(size < 0 for size in port["shape"]):
                raise AutosplitError(
                    f"{port['name']!r} of the TPU sub-model in {settings.get('context_dir')} has the "
                    f"shape {list(port['shape'])}: the compiler needs all sizes"
                )
    own_settings: dict[str, Any] = {**settings, "record": True}
    mode = full_mode(settings["mode"], cast("Mapping[str, int]", settings.get("build", {})))
    own_settings.setdefault("tolerance", asdict(TOLERANCES[mode]))
    return _TEMPLATE.format(
        chip=settings["chip"].upper(),
        settings=_literal(own_settings),
        body=_body(),
        emulator=_emulator(),
    )


def _literal(settings: Mapping[str, Any]) -> str:
    """The settings as Python text. No string of it goes over a line's end, so lines may be indented."""
    lines = "".join(
        f"    {key!r}: {pformat(_plain(value), width=92, sort_dicts=False)},".replace(
            "\n", "\n    "
        )
        + "\n"
        for key, value in settings.items()
    )
    return f"{{\n{lines}}}"


def _plain(value: object) -> object:
    """`value` as lists and dicts of what else it holds."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in cast("Mapping[str, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in cast("list[object]", value)]
    return value


_TEMPLATE = '''\
"""Compiles one sub-model of a split for {chip}, with TPU-MLIR.

    python3 this_script.py [--compare] [--keep] [--timeout SECONDS] [--tpu-mlir DIR]

It needs Python 3.8 or later on Linux (x86_64), nothing else of Python, and TPU-MLIR: where the environment
variable AUTOSPLIT_TPU_MLIR says, in the user's folder or as an installed package. Folder and script may be
carried to another machine. The steps run in the folder `context_dir` beside the script; the bmodel appears
there when it is complete and checked, with compilation.json, which says what it was made from, and
compile.log.
"""

from __future__ import annotations

SETTINGS = {settings}

{body}

EMULATOR = r\'\'\'{emulator}\'\'\'


if __name__ == "__main__":
    sys.exit(main(SETTINGS, os.path.dirname(os.path.abspath(__file__))))
'''


def _body() -> str:
    """The compiler's text, without what the script begins with itself."""
    text = Path(bmodel_compile.__file__).read_text(encoding="utf-8")
    _, _, body = text.partition("from __future__ import annotations\n")
    return body.strip()


def _emulator() -> str:
    return Path(bmodel_child.__file__).read_text(encoding="utf-8")


def jobs(
    module: ModuleOp,
    *,
    mode: str = "F32",
    dynamic: bool | None = None,
    measured: Mapping[str, Measured] | None = None,
) -> dict[int, Settings]:
    """What there is to compile in an outlined module: for each TPU sub-model, by its place in the order.

    Inputs and outputs are as the outlined module has them. `dynamic` and `measured` as for
    `autosplit.folder.infos_writer.graph_infos`.
    """
    from autosplit.folder.infos_writer import (
        Outline,
        dtype_name,
        is_varying,
        plan_of,
        planned_measurements,
        shape_of,
    )

    outline = Outline.of(module)
    plan = plan_of(module)
    measurements = {**planned_measurements(plan), **(measured or {})}

    def port(name: str) -> Port:
        shape = shape_of(outline.tensors[name], measurements.get(name))
        dtype = dtype_name(outline.tensors[name]) or "float32"
        return {"name": name, "shape": [-1] if shape is None else list(shape), "dtype": dtype}

    by_index: dict[int, Settings] = {}
    for i, func in enumerate(outline.graphs):
        if not func.target.is_tpu:
            continue
        by_index[i] = {
            "context_dir": context_dir(i),
            "mlir": f"graph_{i}.mlir",
            "weights": f"graph_{i}_weights.npz",
            "calibration_table": f"graph_{i}_calibration" if mode == "INT8" else None,
            "chip": func.target.chip.data,
            "mode": mode,
            "net": f"graph_{i}",
            "dynamic": is_varying(plan, func) if dynamic is None else dynamic,
            "inputs": [port(name.data) for name in func.input_names],
            "outputs": [port(name.data) for name in func.output_names],
        }
    return by_index


def find_graph(indices: Collection[int], graph: int | None) -> int:
    """`graph`, or the first of those known; AutosplitError if it is not among them."""
    chosen = next(iter(indices), None) if graph is None else graph
    if chosen is not None and chosen in indices:
        return chosen
    listed = ", ".join(map(str, indices)) or "none"
    what = "no TPU sub-model" if chosen is None else f"graph {chosen} is not a TPU sub-model"
    raise AutosplitError(f"{what} in the module; TPU sub-models are {listed}")


@dataclass(frozen=True)
class CompileScriptTarget(Target):
    """The script that compiles TPU sub-model `graph` of an outlined module; by default of the first one."""

    name = "compile-script"

    graph: int | None = None
    mode: str = "F32"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        by_index = jobs(module, mode=self.mode)
        output.write(compile_script(by_index[find_graph(by_index, self.graph)]))
