"""`convert --metric` in INT8: which ops are computed with real numbers so that the whole model reaches it.

Bmodels on the emulator have the word. Where they reach less, trials of the whole model say which ops cost it
most, and these are computed with real numbers in the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from autosplit.core.units import counted
from autosplit.dialects.top import TopOp
from autosplit.flows.converting.real_mode import other_ways, real_mode
from autosplit.lowering.convert_top_to_onnx import top_function

if TYPE_CHECKING:
    from autosplit.calibration.calibrate import Tables
    from autosplit.devices import Chip
    from autosplit.flows.converting.options import ConvertOptions
    from autosplit.flows.converting.whole_blame import WholeBlame

ROUNDS = 4
"""How often sub-models are compiled at most."""


@dataclass
class WholeTarget:
    """What all sub-models of a folder compute with real numbers, over all rounds."""

    is_searching: bool = False
    """Whether ops may be chosen at all."""
    tables: dict[int, Tables] = field(default_factory=dict[int, "Tables"])
    """Of each sub-model, before anything was chosen; those taken from an earlier run are not known."""
    anew: set[int] = field(default_factory=set[int])
    """The sub-models whose tables are not taken from an earlier run any more."""
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """The ops that are chosen, by what they make, and why."""
    rounds: int = 1

    @staticmethod
    def of(options: ConvertOptions) -> WholeTarget:
        """Nothing is chosen where the user says which ops they are, or asks each sub-model for a cosine."""
        is_said = bool(options.table or options.quantize_table or options.f32)
        has_metric = options.metric is not None and options.mode == "INT8"
        return WholeTarget(has_metric and not is_said and not options.target_cosine)

    def is_made(self, index: int) -> bool:
        """Whether the tables of a sub-model are made in this run, whatever an earlier one left."""
        return index in self.tables or index in self.anew

    def chosen(
        self, index: int, make: Callable[[], Tables], chip: Chip, fixed: Container[str]
    ) -> Tables:
        """The tables of a sub-model with what is chosen so far; `make` is asked in the first round.

        `fixed`: values that are 8 bits in any case.
        """
        if not self.is_searching:
            return make()
        if index not in self.tables:
            self.tables[index] = make()
        tables = self.tables[index]
        ops = top_function(tables.module).body.block.ops
        names = {name for op in ops if isinstance(op, TopOp) for name in op.names}
        free = {name for name in names if name not in fixed}
        texts = {name: text for name, text in self.reasons.items() if name in free}
        modes = {name: real_mode(tables, name, chip) for name in texts}
        reasons = {name: f"{text}, so in {modes[name]}" for name, text in texts.items()}
        return replace(
            tables, modes={**tables.modes, **modes}, reasons={**tables.reasons, **reasons}
        )

    def unknown(self, indices: Iterable[int]) -> list[int]:
        """The sub-models whose tables an earlier run has made, which are to be made now."""
        found = [index for index in indices if not self.is_made(index)]
        self.anew.update(found)
        return found

    def again(self, blame: WholeBlame) -> bool:
        """Whether another round is worth it; its ops are chosen then."""
        ops = {name: kind for name, kind in blame.ops.items() if name not in self.reasons}
        if not ops or self.rounds >= ROUNDS:
            return False
        self.rounds += 1
        for name, kind in ops.items():
            self.reasons[name] = f"{kind} {name!r}: INT8 in it costs the whole model"
        return True

    def tried(self, chip: Chip) -> str:
        """What was done in vain, as the end of a message; empty where nothing was."""
        if not self.reasons:
            return ""
        ops = counted(len(self.reasons), "op")
        return f"; that is with {ops} computed with real numbers: {other_ways(chip)}"
