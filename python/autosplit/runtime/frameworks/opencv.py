"""Running Caffe networks in OpenCV's dnn module, and measuring what shapes their blobs have.

OpenCV asks for blobs by the layers that make them, and so what is a blob here is looked up in the prototxt.
Sub-models that run one after the other must give the bits of the whole network, so OpenCV fuses no layers
unless that is asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autosplit.core.errors import AutosplitError, MissingExtraError, choice
from autosplit.dialects.caffe import GraphOp
from autosplit.dialects.platform import platform_graph
from autosplit.formats.caffe.reader import network_layers, read_prototxt, value_names
from autosplit.formats.caffe.text import Message
from autosplit.formats.caffe.writer import export_graph
from autosplit.platforms import Measurements
from autosplit.runtime.frameworks.asked import (
    AskedFramework,
    Files,
    Types,
    answer,
    first_that_fails,
)

if TYPE_CHECKING:
    from autosplit.platforms import Model

Array = NDArray[np.generic]

OPENCV = AskedFramework("OpenCV", "cv2", "caffe", "runtime.frameworks.opencv")


def import_opencv(why: str) -> Any:
    """OpenCV with the importer of Caffe networks, which releases before 5 have.

    Raises MissingExtraError, saying that `why` needs it, where there is none.
    """
    if find_spec("cv2") is None:
        raise MissingExtraError("opencv", "caffe", why)
    cv2: Any = import_module("cv2")
    if not hasattr(cv2.dnn, "readNetFromCaffe"):
        raise AutosplitError(
            f"{why} needs an OpenCV before release 5, which reads no Caffe networks; found "
            f"{cv2.__version__}: pip install 'autosplit[caffe]'"
        )
    return cv2


class OpenCvExecutor:
    """A network in OpenCV.

    `optimize` lets OpenCV fuse layers, which may change the last bits. Raises MissingExtraError where OpenCV
    is not installed, AutosplitError for files that it refuses.
    """

    def __init__(self, path: Path, params: Path | None, *, optimize: bool = False):
        self.path = path
        self._cv2 = import_opencv(f"running {path.name}")
        self._blobs, self._inputs = blobs_of(path)
        for file in (path, params):
            if file is not None and not file.is_file():
                raise AutosplitError(f"{file}: there is no such file")
        try:
            self._net: Any = self._cv2.dnn.readNetFromCaffe(
                str(path), "" if params is None else str(params)
            )
            self._net.enableFusion(optimize)
            # OpenCV may call layers otherwise than the prototxt, but has them in its order.
            self._layers: list[str] = list(self._net.getLayerNames())
        except self._cv2.error as error:
            raise self._refused(error) from None

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes the named blobs. Raises AutosplitError for unknown names, wrong dtypes, and what fails."""
        inputs = {self._checked(name, array): np.asarray(array) for name, array in feeds.items()}
        if missing := [name for name in self._inputs if name not in inputs]:
            raise AutosplitError(f"{self.path}: input {missing[0]!r} is missing")
        results: dict[str, Array] = {
            name: inputs[_bare(name, inputs)] for name in outputs if _bare(name, inputs) in inputs
        }
        wanted = {name: self._place(name) for name in outputs if name not in results}
        if not wanted:
            return results
        layers = list(dict.fromkeys(layer for layer, _ in wanted.values()))
        try:
            for name, array in inputs.items():
                self._net.setInput(np.ascontiguousarray(array), name)
            by_layer = dict(zip(layers, self._net.forwardAndRetrieve(layers), strict=True))
        except self._cv2.error as error:
            raise self._refused(error) from None
        for name, (layer, place) in wanted.items():
            results[name] = np.array(by_layer[layer][place])
        return {name: results[name] for name in outputs}

    def load(self) -> None:
        """Makes all layers. Raises AutosplitError for the first that OpenCV does not have."""
        try:
            for name in self._layers:
                self._net.getLayer(name)
        except self._cv2.error as error:
            raise self._refused(error) from None

    def _checked(self, name: str, array: Array) -> str:
        key = _bare(name, self._inputs)
        if key not in self._inputs:
            raise AutosplitError(
                f"{self.path}: input {name!r} is not one of the network{choice(name, self._inputs)}"
            )
        if np.asarray(array).dtype != np.float32:
            raise AutosplitError(
                f"{self.path}: input {name!r} has the dtype {np.asarray(array).dtype}, expected float32"
            )
        return key

    def _place(self, name: str) -> tuple[str, int]:
        key = _bare(name, self._blobs)
        if key not in self._blobs:
            raise AutosplitError(
                f"{self.path}: output {name!r} is not a blob of the network{choice(name, list(self._blobs))}"
            )
        layer, place = self._blobs[key]
        return self._layers[layer], place

    def _refused(self, error: Exception) -> AutosplitError:
        return AutosplitError(f"{self.path}: OpenCV failed: {one_line(error)}")


def _bare(name: str, names: Sequence[str] | Mapping[str, object]) -> str:
    return name if name in names else name.removesuffix(":0")


def one_line(error: BaseException) -> str:
    """What an error of OpenCV says, without the place in its source."""
    text = str(getattr(error, "err", "") or error)
    lines = [line.strip(" >'\"") for line in text.splitlines() if line.strip(" >'\"")]
    return "; ".join(lines[:3]) or type(error).__name__


def blobs_of(path: Path) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """For each blob of a prototxt the layer that makes it, as its place in OpenCV, and its own place there.

    The second item are the inputs.
    """
    layers = network_layers(read_prototxt(path))
    blobs: dict[str, tuple[int, int]] = {}
    inputs: list[str] = []
    count = 0
    for layer, names in zip(layers, value_names(layers), strict=True):
        if layer.text("type") == "Input":
            inputs += names
            continue
        count += _is_two_layers(layer)
        blobs |= {name: (count, place) for place, name in enumerate(names)}
        count += 1
    return blobs, inputs


def _is_two_layers(layer: Message) -> bool:
    """Whether OpenCV puts another layer in front of one."""
    params = [p.text("use_global_stats") for p in layer.messages("batch_norm_param")]
    return layer.text("type") == "Axpy" or params[-1:] == ["false"]


def refusal(models: Sequence[Files]) -> tuple[int, str] | None:
    """The place of the first network that OpenCV does not take, and why, asked in a process of its own.

    None where it takes all, and where there is no OpenCV.
    """
    return None if find_spec("cv2") is None else OPENCV.first_refused(models)


def measure(
    model: Model, feeds: Mapping[str, Array], names: Sequence[str], *, work: bool = False
) -> Measurements:
    """Runs the model in a process of its own and reports the named blobs' shapes.

    What a run computed is not counted: the sizes tell it. Raises MissingExtraError, and AutosplitError where
    the run fails.
    """
    OPENCV.check_installed("opencv")
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    values = graph.values()
    wanted = [name for name in dict.fromkeys(names) if name in values]
    if not wanted:
        return Measurements({})
    network = export_graph(graph, model.store, [values[name] for name in wanted])
    types = OPENCV.types(
        model,
        feeds,
        wanted,
        lambda folder: network.write(folder / "graph.prototxt", folder / "graph.caffemodel"),
    )
    return Measurements(types)


def _types(folder: Path, feeds: Mapping[str, Array], names: Sequence[str]) -> Types:
    executor = OpenCvExecutor(folder / "graph.prototxt", folder / "graph.caffemodel")
    blobs = executor.run(feeds, names)
    return {name: (blob.shape, blob.dtype.name) for name, blob in blobs.items()}


def _first_refused(models: Sequence[Files]) -> tuple[int, str] | None:
    return first_that_fails(models, lambda path, params: OpenCvExecutor(path, params).load())


def main(args: Sequence[str] | None = None) -> int:
    """Answers what the folder's request asks for."""
    return answer(_types, _first_refused, args)


if __name__ == "__main__":
    sys.exit(main())
