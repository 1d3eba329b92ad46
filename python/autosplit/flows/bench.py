"""How long a quantized model takes in autosplit, ONNX Runtime and OpenVINO, in turns on the same inputs.

    result = bench(BenchOptions(model, vs=("onnxruntime", "openvino")))
    print(result.to_json())

Every engine runs in a process of its own, so that one's threads do not disturb the other's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, MissingExtraError, choice
from autosplit.core.json import Json
from autosplit.core.tolerances import nearness
from autosplit.flows.compile import CompileOptions, compile_model
from autosplit.folder.plans import is_compiled
from autosplit.runtime.latency.engines import MODULES, TITLES
from autosplit.runtime.latency.turns import Child, Side, Times, read_answer, start, take_turns

Array = NDArray[Any]

PEERS = tuple(engine for engine in MODULES if engine != "autosplit")
ROUNDS, RUNS = 10, 5


@dataclass(frozen=True)
class BenchOptions:
    """What to measure, and against what."""

    model: Path
    """A quantized ONNX model, or a folder that it was compiled to."""
    feeds: Callable[[Path], Mapping[str, Array]]
    """The inputs, for a compiled folder."""
    f32: Path | None = None
    """The model before it was quantized: measured too, and what outputs are compared with."""
    vs: Sequence[str] = PEERS
    threads: int = 0
    rounds: int = ROUNDS
    runs: int = RUNS
    """In each round."""
    progress: Callable[[str], None] = field(default=lambda _: None)
    own: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Engines that run another quantized file than `model`."""


@dataclass(frozen=True)
class Bench:
    """What was measured."""

    times: list[Times]
    """The first is autosplit's."""
    idle: float
    threads: int
    reference: str
    """What outputs are compared with: the title of one of the sides."""
    missing: Sequence[str] = ()
    """Which engines cannot run the model, and what they said."""

    def cosine(self, times: Times) -> float | None:
        """How near the outputs are to the reference's, in the output that is farthest; None for itself."""
        outputs = {t.side.title: t.outputs for t in self.times}
        if times.side.title == self.reference or self.reference not in outputs:
            return None
        return nearness(times.outputs, outputs[self.reference])

    def to_json(self) -> dict[str, Json]:
        ours = self.times[0]
        sides: list[Json] = []
        for times in self.times:
            middle, low, high = ours.ratio(times)
            sides.append(
                {
                    "engine": times.side.engine,
                    "precision": times.side.precision,
                    "version": times.version,
                    "min_ms": round(times.least * 1e3, 4),
                    "median_ms": round(times.median * 1e3, 4),
                    "ratio": round(middle, 4),
                    "ratio_quartiles": [round(low, 4), round(high, 4)],
                    "cosine": self.cosine(times),
                }
            )
        return {
            "threads": self.threads,
            "rounds": int(ours.seconds.shape[0]),
            "runs": int(ours.seconds.shape[1]),
            "idle": round(self.idle, 3),
            "reference": self.reference,
            "sides": sides,
            "missing": list[Json](self.missing),
        }


def bench(options: BenchOptions) -> Bench:
    """Measures one model, in those engines that can run it.

    Raises AutosplitError if an engine is not installed, or autosplit cannot run the model.
    """
    check(options)
    with tempfile.TemporaryDirectory(prefix="autosplit-bench-") as name, ExitStack() as ends:
        folder, original = compiled_form(options, Path(name))
        sides = [Side("autosplit", "int8", folder)]
        sides += [Side(e, "int8", options.own.get(e, original)) for e in options.vs]
        if options.f32 is not None:
            engines = options.vs or ["onnxruntime"]
            sides += [Side(engine, "f32", options.f32) for engine in engines]
        feeds = options.feeds(folder)
        children: list[Child] = []
        missing: list[str] = []
        for number, side in enumerate(sides):
            options.progress(f"loading {side.title}")
            own = Path(name) / f"side_{number}"
            try:
                children.append(ends.enter_context(Child(side, feeds, options.threads, own)))
            except AutosplitError as error:
                if side.engine == "autosplit":
                    raise
                missing.append(str(error))
        options.progress("measuring")
        times, idle = take_turns(children, options.rounds, options.runs)
        loaded = [child.side for child in children]
        return Bench(times, idle, options.threads, reference(loaded), missing)


def reference(sides: Sequence[Side]) -> str:
    """The title of the side that outputs are compared with: float32 where there is one."""
    others = [s for s in sides if s.engine != "autosplit"]
    best = sorted(others, key=lambda s: (s.precision != "f32", s.engine != "onnxruntime"))
    return best[0].title if best else ""


def check(options: BenchOptions) -> None:
    """Raises AutosplitError if the options make no sense, or an engine is missing."""
    instead = "choose other engines with --vs"
    for engine in options.vs:
        if engine not in PEERS:
            raise AutosplitError(f"--vs {engine}: no such engine{choice(engine, list(PEERS))}")
        if find_spec(MODULES[engine]) is None:
            raise MissingExtraError(engine, "bench", f"measuring {TITLES[engine]}", instead)
    for name in ("rounds", "runs"):
        if getattr(options, name) < 1:
            raise AutosplitError(f"--{name} {getattr(options, name)}: expected 1 or more")
    if options.threads < 0:
        raise AutosplitError(f"--threads {options.threads}: expected 0 (one a core) or more")
    if options.f32 is not None and not options.f32.is_file():
        raise AutosplitError(f"--f32 {options.f32}: no such file")


def compiled_form(options: BenchOptions, work: Path) -> tuple[Path, Path]:
    """The compiled folder and the model that it was made from."""
    if options.model.is_dir():
        if not is_compiled(options.model):
            raise AutosplitError(
                f"{options.model} is not what `autosplit compile` writes; expected such a folder, or a model"
            )
        return options.model, options.model / "graph_0.onnx"
    options.progress("compiling the model")
    compile_model(CompileOptions(options.model, out=work / "compiled"))
    return work / "compiled", options.model


def profile(options: BenchOptions) -> Any:
    """What each step of the plan takes, and which of the library's implementations it is; as
    `runtime.latency.profile.profile` returns it."""
    check(options)
    with tempfile.TemporaryDirectory(prefix="autosplit-bench-") as name:
        folder, _ = compiled_form(options, Path(name))
        work = {
            "engine": "profile",
            "model": str(folder.absolute()),
            "threads": options.threads,
            "runs": options.rounds * options.runs,
        }
        own = Path(name) / "profile"
        with start(work, options.feeds(folder), options.threads, own) as process:
            return read_answer(process, own, "autosplit")
