"""What TPU sub-models are compared and calibrated with: inputs of the model, and what the CPU makes of them.

Running the whole folder on the CPU, on samples of the model's inputs, gives each TPU sub-model's inputs and
outputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from autosplit.flows.gate.figures import Traced
from autosplit.folder.infos_reader import FILE_NAME
from autosplit.inputs.fixed import read_fixed
from autosplit.inputs.values import Value
from autosplit.runtime.runner import Runner, input_checks, open_runner

if TYPE_CHECKING:
    from autosplit.folder.infos_reader import GraphEntry, GraphInfos
    from autosplit.inputs.custom_ops import Libraries
    from autosplit.inputs.samples import Data

Array = NDArray[np.generic]


class Reference:
    """The folder, run on the CPU in its framework, with its own libraries of custom ops or others."""

    def __init__(self, infos: GraphInfos, custom_ops: Libraries = ()):
        self.infos = infos
        self.custom_ops = custom_ops
        self._runner: Runner | None = None

    def trace(self, sample: Mapping[str, Value], wanted: Sequence[int]) -> dict[int, Traced]:
        """What the sub-models `wanted` take and make where the model is given `sample`."""
        if self._runner is None:
            self._runner = open_runner(self.infos.folder, 0, custom_ops=self.custom_ops)
        traces: dict[int, Traced] = {}

        def watch(
            graph: GraphEntry, feeds: Mapping[str, Array], results: Mapping[str, Array]
        ) -> None:
            if graph.index in wanted:
                traces[graph.index] = Traced(dict(feeds), {n: results[n] for n in graph.outputs})

        self._runner.infer(sample, watch=watch)
        return traces

    def feeds(self, data: Data, index: int) -> Iterator[dict[str, Array]]:
        """What sub-model `index` takes, for each sample."""
        infos, inputs = self.infos, self.infos.graphs[index].inputs
        if set(inputs) <= set(infos.inputs):
            # Nothing has to be computed for it, and the framework may take longer to load than the compiler.
            fixed = read_fixed(infos.own, infos.folder / FILE_NAME)
            checks = input_checks(infos, fixed)
            for sample in data.samples():
                values = checks.checked(sample)
                yield {name: values[name] for name in inputs}
            return
        for sample in data.samples():
            yield dict(self.trace(sample, [index])[index].feeds)
