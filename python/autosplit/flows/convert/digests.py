"""Digests of what the results of a conversion depend on, so that an earlier run's can be taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autosplit.calibration import calibrate, calibrators, table_files
from autosplit.core.tolerances import TOLERANCES
from autosplit.flows.converting import rescue
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.converting.whole_target import WholeTarget
from autosplit.folder.compilation import sha256, sha256_of
from autosplit.folder.infos_reader import GraphInfos
from autosplit.lowering.top import byte_weights, correct_biases

if TYPE_CHECKING:
    from autosplit.inputs.samples import Data


class Digests:
    """What the tables and comparisons of a folder's sub-models depend on beside the sub-models themselves."""

    def __init__(self, infos: GraphInfos, options: ConvertOptions, data: Data):
        self._infos = infos
        self._options = options
        self._data = data
        self._data_digest: str | None = None
        self._digests: dict[Path, str] = {}
        """Of the sub-models' files, by path."""

    def calibration(self, index: int) -> str:
        """What tables depend on besides the sub-model's own files: its inputs, and how ranges are taken."""
        modules = (calibrate, calibrators, table_files, rescue, byte_weights, correct_biases)
        files = " ".join(sha256(Path(str(module.__file__))) for module in modules)
        options = self._options
        tables = [sha256(p) for p in (options.table, options.quantize_table) if p and p.is_file()]
        text = f"{options.calibrator} {' '.join([*tables, *options.f32])} {options.target_cosine:g}"
        text += " asymmetric" * options.asymmetric + " biases" * bool(options.correct_biases)
        text += " equalized" * bool(options.equalize)
        if WholeTarget.of(options).is_searching and options.metric is not None:
            text += f" {options.metric.name} {options.target_metric:g}"
        return sha256_of(f"{self._feeds(index)} {files} {text}")

    def comparison(self, index: int) -> str:
        """What a comparison depends on besides the bmodel: its inputs, and what is close enough."""
        options = self._options
        metric = options.metric.name if options.metric is not None else ""
        limits = f"{TOLERANCES[options.full_mode]} {sorted(options.tolerance.items())} {metric}"
        return sha256_of(f"{self._feeds(index)} {limits} {options.samples}")

    def _feeds(self, index: int) -> str:
        """A digest of what a sub-model takes: of the data, and of the sub-models before it."""
        infos = self._infos
        names = [n for g in infos.graphs[:index] for n in sorted(g.model_info.values())]
        libraries = self._options.custom_ops or infos.libraries()
        paths = [*(infos.folder / name for name in names), *libraries]
        digests = self._digests
        digests.update((p, sha256(p)) for p in paths if p not in digests and p.is_file())
        return " ".join([self._digest(), *(digests[path] for path in paths if path in digests)])

    def _digest(self) -> str:
        if self._data_digest is None:
            self._data_digest = self._data.digest()
        return self._data_digest
