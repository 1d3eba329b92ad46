"""Frameworks that are asked, in a process of their own, for shapes of tensors and for what they take."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.core.children import answer_parent, run_child
from autosplit.core.errors import AutosplitError, MissingExtraError
from autosplit.core.scratch import scratch_folder
from autosplit.platforms import Measured

if TYPE_CHECKING:
    from autosplit.core.weights import Array
    from autosplit.platforms import Model

Types = Mapping[str, tuple[Sequence[int], str]]
"""Shapes and dtypes of tensors, by name."""

Files = Sequence[Path | None]
"""The files of a model: its own, and that of its weights."""


@dataclass(frozen=True)
class AskedFramework:
    """A framework, asked through the module of this package that runs it, which is a program too."""

    title: str
    """Its name in messages: `MXNet`."""
    package: str
    """What it is imported as: `mxnet`."""
    extra: str
    """The extra of autosplit that installs it."""
    module: str
    """The program, such as `runtime.frameworks.mxnet`."""

    def check_installed(self, name: str = "") -> None:
        """Raises MissingExtraError where the framework is not there. `name`: what pip calls it."""
        if find_spec(self.package) is None:
            raise MissingExtraError(name or self.package, self.extra, "measuring shapes")

    def types(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Iterable[str],
        write: Callable[[Path], object],
    ) -> dict[str, Measured]:
        """The shapes and dtypes of a model's tensors, the named ones among them if the framework has them.

        `write` puts the model into a folder, where `answer` finds it. Its libraries are loaded before.
        """
        where = f"{model.path}: " if model.path else ""
        with scratch_folder("measuring shapes") as folder:
            write(folder)
            for i, array in enumerate(feeds.values()):
                np.save(folder / f"feed_{i}.npy", array)
            request = {
                "feeds": list(feeds),
                "names": list(names),
                "custom_ops": [str(library) for library in model.custom_ops],
            }
            types = self._ask(folder, request, f"{where}measuring shapes in {self.title}")
        return {name: Measured(tuple(shape), dtype) for name, (shape, dtype) in types.items()}

    def first_refused(
        self, models: Sequence[Files], custom_ops: Sequence[Path] = ()
    ) -> tuple[int, str] | None:
        """The place of the first model that the framework does not take, and why; None where it takes all.

        `custom_ops`: libraries of ops that the models may have.
        """
        if not models:
            return None
        files = [[path and str(path.absolute()) for path in model] for model in models]
        with scratch_folder("loading sub-models") as folder:
            request = {"load": files, "custom_ops": [str(path.absolute()) for path in custom_ops]}
            place = self._ask(folder, request, f"loading sub-models in {self.title}")
        return None if place is None else (int(place[0]), str(place[1]))

    def _ask(self, folder: Path, request: Mapping[str, object], what: str) -> Any:
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        return run_child(self.module, folder, what)


def answer(
    types: Callable[[Path, Mapping[str, Array], Sequence[str]], Types],
    first_refused: Callable[[Sequence[Files]], tuple[int, str] | None],
    args: Sequence[str] | None,
    load: Callable[[Sequence[Path]], object] | None = None,
) -> int:
    """The program's side: does what the request asks for.

    `types` gets the folder with the model, the inputs and the names of the tensors. `load` gets the
    libraries of custom ops, before all else.
    """

    def answer_request(folder: Path) -> object:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
        if load is not None:
            load([Path(path) for path in request.get("custom_ops", ())])
        if "load" in request:
            return first_refused([[path and Path(path) for path in one] for one in request["load"]])
        feeds = {
            name: np.load(folder / f"feed_{i}.npy", allow_pickle=False)
            for i, name in enumerate(request["feeds"])
        }
        return types(folder, feeds, request["names"])

    return answer_parent(answer_request, args)


def first_that_fails(
    models: Sequence[Files], load: Callable[[Path, Path | None], object]
) -> tuple[int, str] | None:
    """The place of the first model that does not load, and why; None where all do."""
    for place, (path, *weights) in enumerate(models):
        assert path is not None
        try:
            load(path, weights[0] if weights else None)
        except AutosplitError as error:
            return place, str(error)
    return None
