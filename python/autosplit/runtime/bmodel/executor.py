"""A TPU sub-model on its bmodel, in a process of its own; `portable.borders` casts what goes in and out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.portable.borders import Borders
from autosplit.portable.networks import NetworkPort, find_network
from autosplit.runtime.bmodel.process import TIMEOUT, Array, BmodelProcess

if TYPE_CHECKING:
    from autosplit.folder.compilation import Compilation
    from autosplit.folder.infos_reader import GraphEntry, GraphInfos
    from autosplit.toolchains.tpu_mlir import TpuMlir


class BmodelExecutor:
    """Runs a bmodel as a sub-model of a folder.

    `record` says which tensors of the folder are the network's inputs and outputs. `chip`, `toolchain`,
    `timeout` and `card` as for BmodelProcess. `channels_last`: tensors of rank 4 are NHWC outside and NCHW
    inside. `process`: one that has the network loaded already, among others. Raises AutosplitError where the
    bmodel's inputs and outputs are not those of the sub-model.
    """

    def __init__(
        self,
        bmodel: Path,
        inputs: Sequence[NetworkPort],
        outputs: Sequence[NetworkPort],
        *,
        net: str | None = None,
        chip: str | None = None,
        toolchain: TpuMlir | None = None,
        timeout: float | None = TIMEOUT,
        card: int | None = None,
        channels_last: bool = False,
        process: BmodelProcess | None = None,
    ):
        self.chip = chip
        self.process = process or BmodelProcess(bmodel, chip, toolchain, timeout, card)
        try:
            network = find_network(bmodel, self.process.networks, net)
            self.borders = Borders(bmodel, network, inputs, outputs, channels_last=channels_last)
        except BaseException:
            self.process.close()
            raise

    @staticmethod
    def of_record(
        bmodel: Path,
        record: Compilation,
        toolchain: TpuMlir | None = None,
        timeout: float | None = TIMEOUT,
        card: int | None = None,
        process: BmodelProcess | None = None,
    ) -> BmodelExecutor:
        """For a bmodel and what is recorded of its compilation."""
        return BmodelExecutor(
            bmodel,
            record.inputs,
            record.outputs,
            net=record.net,
            chip=record.chip,
            toolchain=toolchain,
            timeout=timeout,
            card=card,
            process=process,
        )

    @staticmethod
    def of_graph(
        infos: GraphInfos,
        graph: GraphEntry,
        bmodel: Path | None = None,
        timeout: float | None = TIMEOUT,
        card: int | None = None,
        shared: BmodelProcess | None = None,
    ) -> BmodelExecutor:
        """For a TPU sub-model of a folder, on its bmodel there or on another one.

        `shared`: a process that has the one file of all bmodels loaded.
        Raises AutosplitError where a bmodel there is not one of the sub-model as it is now.
        """
        path = bmodel or infos.bmodel(graph)
        if bmodel is None and (record := infos.compilation(graph)) is not None:
            for name in graph.model_info.values():
                infos.check_file(name)
            return BmodelExecutor.of_record(path, record, None, timeout, card, shared)

        def borders(names: Sequence[str]) -> list[NetworkPort]:
            tensors = [infos.tensors[name] for name in names]
            return [NetworkPort(t.name, t.name, t.shape or (), t.dtype or "") for t in tensors]

        target = infos.own.get("target")
        constant = infos.constant_outputs(graph)
        return BmodelExecutor(
            path,
            borders(graph.inputs),
            borders([name for name in graph.outputs if name not in constant]),
            chip=target if isinstance(target, str) and target else None,
            timeout=timeout,
            card=card,
            channels_last=not infos.own and infos.layout == "NHWC",
        )

    def run(
        self, feeds: Mapping[str, Array], outputs: Sequence[str], raw: Collection[str] = ()
    ) -> dict[str, Array]:
        """Computes the named tensors of the folder. Those in `raw` come as the bmodel has them."""
        arrays = self.process.run(self.borders.feeds(feeds), self.borders.network.name)
        return self.borders.results(arrays, outputs, raw)

    def close(self) -> None:
        """Ends the process."""
        self.process.close()
