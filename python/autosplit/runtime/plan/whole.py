"""The whole model in ONNX Runtime, for sizes that come too seldom to be compiled for oneDNN."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError
from autosplit.runtime.plan.segments import SegmentModel

if TYPE_CHECKING:
    from autosplit.runtime.plan.program import Program

log = logging.getLogger("autosplit")

Array = NDArray[np.generic]

WHOLE = "the whole model"
"""How accounts speak of it."""


class WholeModel:
    """A model's file in ONNX Runtime with all its optimizations, loaded when it is first needed."""

    def __init__(self, path: Path, threads: int, custom_ops: Sequence[Path] = (), *, spin: bool):
        self.path = path
        self._threads, self._custom_ops, self._spin = threads, custom_ops, spin
        self._lock = threading.Lock()
        self._model: SegmentModel | None = None
        self._refused = False

    @staticmethod
    def takes(program: Program) -> bool:
        """Whether ONNX Runtime passes on what the plan takes and gives as numpy's arrays."""
        values = [program.values[index] for _, index in (*program.inputs, *program.outputs)]
        return all(value.dtype.isbuiltin == 1 for value in values)

    def load(self) -> bool:
        """Loads the model, where that was not done; whether it can be run."""
        with self._lock:
            if self._model is None and not self._refused:
                try:
                    self._model = SegmentModel(
                        self.path.stem,
                        self.path,
                        threads=self._threads,
                        spin=self._spin,
                        custom_ops=self._custom_ops,
                    )
                except AutosplitError as error:
                    # The plan runs it all the same, only slower where sizes are new.
                    log.warning("%s: sizes that are new are all compiled: %s", self.path, error)
                    self._refused = True
        return not self._refused

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """The outputs for inputs that fit. Raises AutosplitError where ONNX Runtime fails."""
        assert self._model is not None
        return self._model.run(feeds, outputs)
