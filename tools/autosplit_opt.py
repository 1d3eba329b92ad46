"""autosplit-opt: reads a model or IR, runs passes over it, prints it or one of the emitted files.

It is xDSL's optimizer driver with the dialects and passes of this project, front ends that know files by
their content, named pipelines, and locations in its output.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.util import find_spec
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

from xdsl.dialects.builtin import StringAttr
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    VerifyException,
)
from xdsl.xdsl_opt_main import xDSLOptMain

import autosplit
from autosplit.core.collector import collector_paused
from autosplit.core.errors import AutosplitError
from autosplit.lowering.pipelines import all_pipelines, build_passes, one_line
from autosplit.lowering.shared.verified import wrong_name, wrong_op
from autosplit.platforms import is_model
from autosplit.tools.cli.ui import piped

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass
    from xdsl.utils.lexer import Span

    from autosplit.platforms import Model


def _usage_error(message: str) -> NoReturn:
    raise AutosplitError(message)


class AutosplitOptMain(xDSLOptMain):
    """The driver; `run` raises on errors, `main` prints them."""

    version_format = f"autosplit-opt {autosplit.__version__} on xDSL {{xdsl_version}}"

    def __init__(self, args: Sequence[str] | None = None):
        # Weight stores live as long as their models.
        self.models: list[Model] = []
        self.held: StringIO | None = None
        self.module: ModuleOp | None = None
        """What was verified last."""
        self.spans: dict[Operation, Span] = {}
        self.written = 0
        """How many modules were printed into a file."""
        super().__init__("Runs autosplit's passes on models and on IR.", args)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.prog = "autosplit-opt"
        # A wrong option is a user's mistake like any other: one line, exit code 1.
        arg_parser.error = _usage_error
        arg_parser.add_argument(
            "--pipeline",
            default="",
            metavar="NAME",
            help="a named pipeline, run before -p; options in braces go to the passes that have "
            f"them. Available: {', '.join(all_pipelines())}",
        )
        arg_parser.add_argument(
            "--weights",
            action="append",
            default=[],
            metavar="FILE",
            help="a model file, or a folder of them, in which the module's weights are looked for",
        )
        arg_parser.add_argument(
            "--params",
            metavar="FILE",
            type=Path,
            help="the file of a model's weights, where its framework keeps them apart (default: the one "
            "beside it)",
        )
        arg_parser.add_argument(
            "--debug-match",
            action="store_true",
            help="say on stderr why patterns declined an op",
        )
        arg_parser.add_argument(
            "--inline-quant-params",
            action="store_true",
            help="print all scales and zero points in the types, as MLIR does",
        )
        arg_parser.add_argument(
            "--no-locations", action="store_true", help="print no locations at all"
        )

    def register_all_targets(self) -> None:
        from autosplit.core.printing import LocatedTarget

        super().register_all_targets()
        self.available_targets["mlir"] = lambda: LocatedTarget

    def register_all_frontends(self) -> None:
        self.available_frontends["mlir"] = self._parse
        self.available_frontends["onnx"] = lambda _: self._import_model("onnx")
        self.available_frontends["pb"] = lambda _: self._import_model("tensorflow")
        self.available_frontends["model"] = lambda _: self._import_model("auto")
        self.available_frontends["folder"] = lambda _: self._read_folder()
        self.available_frontends["json"] = lambda _: self._read_graph()

    def setup_pipeline(self) -> None:
        if self.args.no_locations:
            from xdsl.targets.mlir import MLIRTarget

            self.available_targets["mlir"] = lambda: MLIRTarget
        text = ",".join(part for part in (self.args.pipeline, self.args.passes) if part)
        passes = build_passes(text, self.available_passes)
        started = time.perf_counter()

        def between(before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
            nonlocal started
            if self.args.time_passes and before is not None:
                took = time.perf_counter() - started
                print(f"{before.name}: {took * 1e3:.1f} ms", file=sys.stderr)
            if not self.args.disable_verify:
                self.module = module
                module.verify()
            if before is not None and after is not None and self.args.print_between_passes:
                from autosplit.core.printing import show_ir

                show_ir(before, module)
            started = time.perf_counter()

        self.pipeline = PassPipeline(passes, between)

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        for given in self.args.weights:
            if not Path(given).exists():
                raise AutosplitError(f"--weights {given}: there is no such file")
        kind = self.args.frontend or self._kind_of_input()
        if kind == "mlir":
            self.args.frontend = "mlir"
            return super().prepare_input()
        return [(BytesIO(), 0)], kind

    def prepare_output(self) -> IO[str]:
        if self.args.output_file is None:
            return sys.stdout
        # Nothing is written until all has gone well.
        self.held = _Held()
        return self.held

    def output_resulting_program(self, prog: ModuleOp) -> str:
        if self.args.output_file is None or self.args.target != "mlir":
            return super().output_resulting_program(prog)
        from autosplit.formats.made_weights import beside

        text = Path(self.args.output_file)
        # Several modules may go into one file.
        self.written += 1
        name = text if self.written == 1 else text.with_suffix(f".{self.written}.mlir")
        with beside(prog, name):
            return super().output_resulting_program(prog)

    def run(self) -> None:
        with collector_paused(), self._debug_match(), self._inline_params():
            super().run()
        if self.held is not None:
            try:
                Path(self.args.output_file).write_text(self.held.getvalue())
            except OSError as e:
                raise AutosplitError(f"{self.args.output_file}: {e.strerror}") from e

    def _debug_match(self) -> AbstractContextManager[None]:
        if not self.args.debug_match:
            return nullcontext()
        from autosplit.lowering.rewriting import hearing_why

        return hearing_why(partial(print, file=sys.stderr))

    def _inline_params(self) -> AbstractContextManager[None]:
        if not self.args.inline_quant_params:
            return nullcontext()
        from autosplit.dialects.quant import inline_params

        return inline_params()

    def _weight_paths(self) -> list[Path]:
        """The paths where weights are searched: those of --weights, and the folder of the input."""
        paths = [Path(path) for path in self.args.weights]
        if self.args.input_file is not None:
            paths.append(Path(self.args.input_file).absolute().parent)
        return paths

    def _kind_of_input(self) -> str:
        if self.args.input_file is None:
            return "mlir"
        path = Path(self.args.input_file)
        if path.is_dir():
            return "folder" if (path / "graph_infos.json").exists() else "model"
        if not path.exists():
            raise AutosplitError(f"{path}: there is no such file")
        if path.suffix == ".mlir" or self.args.split_input_file:
            return "mlir"
        with path.open("rb") as file:
            head = file.read(1 << 12)
        if _is_binary(head) or not head or is_model(path):
            return "model"
        return "json" if path.suffix == ".json" else "mlir"

    def _parse(self, text: IO[bytes]) -> ModuleOp:
        from autosplit.core.parsing import parse_mlir

        name = self.get_input_name()
        try:
            content = text.read().decode()
        except UnicodeDecodeError as e:
            raise AutosplitError(f"{name}: is not UTF-8 text ({e.reason})") from e
        implicit_module = not self.args.no_implicit_module
        module = parse_mlir(
            self.ctx, content, name, implicit_module=implicit_module, spans=self.spans
        )
        self._find_weights(module)
        return module

    def _find_weights(self, module: ModuleOp) -> None:
        """Registers lookup of the weights; those of a Top module are next to its file."""
        if "platform.stores" in module.attributes:
            from autosplit.platforms.stores import find_weights

            find_weights(module, self._weight_paths())
        named = module.attributes.get("module.weight_file")
        if not isinstance(named, StringAttr) or self.args.input_file is None:
            return
        folder = Path(self.args.input_file).parent
        if (folder / Path(named.data).name).is_file():
            from autosplit.formats.top_mlir.reader import attach_weights

            attach_weights(module, folder)

    def _import_model(self, platform: str) -> ModuleOp:
        from autosplit.platforms import load_model

        if self.args.input_file is None:
            raise AutosplitError("a model is read from a file, not from standard input")
        model = load_model(Path(self.args.input_file), platform, params=self.args.params)
        self.models.append(model)
        return model.module

    def _read_folder(self) -> ModuleOp:
        if find_spec("autosplit.folder.infos_writer") is None:
            raise AutosplitError("this build of autosplit cannot read split folders")
        from autosplit.folder.reader import read_folder
        from autosplit.platforms.stores import find_weights

        folder = Path(self.args.input_file)
        module = read_folder(folder)
        if self.args.weights:
            find_weights(module, [*self._weight_paths(), folder])
        return module

    def _read_graph(self) -> ModuleOp:
        from autosplit.formats.dnnl_json.reader import read_graph

        if self.args.input_file is None:
            raise AutosplitError("a graph is read from a file, not from standard input")
        return read_graph(Path(self.args.input_file))


class _Held(StringIO):
    """Output that outlives the driver's closing it."""

    def close(self) -> None:
        pass


def _is_binary(head: bytes) -> bool:
    # A protobuf that starts with text is possible; one without a control byte in 4 KiB is not.
    return any(b < 9 or 13 < b < 32 for b in head)


def describe(error: BaseException, main: AutosplitOptMain | None = None) -> str:
    """One line for an error that the input or the command line is to blame for.

    `main` is the driver that ended with it, which knows the op and its place in the text.
    """
    match error:
        case ParseError():
            where = error.span.get_location()
            return f"{where}: {' '.join(error.msg.split())}"
        case DiagnosticException():
            where = _wrong_op(main, error) if isinstance(error, VerifyException) and main else ""
            return " ".join(f"{where or _failing_op(error)}{error}".split())
        case ArgSpecParseError():
            # Pass lists are read elsewhere.
            return one_line("the target", str(error))
        case _:
            return str(error)


def _wrong_op(main: AutosplitOptMain, error: VerifyException) -> str:
    """The place and the names of the innermost op that does not verify, as a prefix; '' where all do."""
    module = main.module
    if module is None or (op := wrong_op(module, error)) is None:
        return ""
    return f"{_place(main, op)}{wrong_name(module, error)}"


def _place(main: AutosplitOptMain, op: Operation) -> str:
    return f"{main.spans[op].get_location()}: " if op in main.spans else ""


def _failing_op(error: BaseException) -> str:
    """The name of the op that xDSL underlined in its note on a verifier error, as a prefix."""
    for note in getattr(error, "__notes__", ()):
        lines = str(note).splitlines()
        for line, marks in pairwise(lines):
            if marks.lstrip().startswith("^") and (match := re.search(r'"([\w.]+)"', line)):
                return f"{match[1]}: "
    return ""


def main(args: Sequence[str] | None = None) -> int:
    """The entry point: 0, or 1 with one line on stderr where the input or the options are wrong.

    141 where nothing reads the output any more.
    """
    return piped(lambda: _run(args))


def _run(args: Sequence[str] | None) -> int:
    main = None
    try:
        main = AutosplitOptMain(args)
        main.run()
    except (AutosplitError, ParseError, DiagnosticException, ArgSpecParseError) as e:
        print(f"autosplit-opt: error: {describe(e, main)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
