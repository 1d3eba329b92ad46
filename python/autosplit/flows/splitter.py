"""`Splitter`: splits models of any framework, given a few functions that answer for it.

A subclass for a framework implements the virtual functions; `convert_and_split` does the rest. The compiler's
own front ends know far more of a model; `TensorflowSplitter` and `OnnxSplitter` give them the same face.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from autosplit.core.errors import AutosplitError, choice, first_line
from autosplit.core.logs import log
from autosplit.core.units import counted
from autosplit.devices import DEFAULT_CHIP, DEFAULT_KEEP
from autosplit.flows.op_graph import KEEP, Operator, OperatorGraph, Subgraph
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compiled import note_entries
from autosplit.folder.infos_reader import FILE_NAME, context_dir
from autosplit.folder.staging import check_destination, staged_folder
from autosplit.inputs.custom_ops import libraries
from autosplit.inputs.specs import InputSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]


class Splitter(ABC):
    """Splits one model into sub-models for CPU and TPU.

    `model_descriptor` is a dictionary of whatever `initialize` needs; `layout` (default NCHW) and `dynamic`
    (default False) are read from it here.

    Attributes that `initialize` sets:

    platform: the framework's name, as graph_infos.json shall say.
    ops: all operators of the model, in objects of any kind; the functions below are asked about them.
    input_tensors: an array for each input tensor of the model, by tensor name.
    output_names: the names of the model's output tensors.
    input_names: the names of the input tensors; by default those of `input_tensors`.
    graph_infos: what graph_infos.json will hold. It may be given entries of its own, beside those that
      docs/graph_infos.md describes, which `convert_and_split` fills in.
    keep: the share of the computing operators that must stay on the TPU, from 0 to 1.

    Raises AutosplitError if one of the first four is missing.
    """

    keep: float = KEEP

    def __init__(self, model_descriptor: Mapping[str, Any]):
        self.model_descriptor = model_descriptor
        self.layout: str = model_descriptor.get("layout", "NCHW")
        self.dynamic: bool = model_descriptor.get("dynamic", False)
        self.platform: str | None = None
        self.ops: Iterable[Any] | None = None
        self.input_tensors: Mapping[str, Array] | None = None
        self.input_names: Iterable[str] | None = None
        self.output_names: Iterable[str] | None = None
        self.graph_infos: dict[str, Any] = {
            "graphs": [],
            "tensors": {},
            "dynamic": self.dynamic,
            "layout": self.layout,
        }
        self.tensors: dict[str, Array] = {}
        """The tensors at borders that are known so far, while `convert_and_split` runs."""
        self.initialize()
        for name in ("platform", "ops", "input_tensors", "output_names"):
            if not getattr(self, name):
                raise AutosplitError(
                    f"{type(self).__name__}.initialize did not set {name}, or set it to nothing"
                )
        if self.input_names is None:
            self.input_names = list(self.input_tensors or ())
        self.graph_infos["platform"] = self.platform

    @abstractmethod
    def initialize(self) -> None:
        """Reads the model that `model_descriptor` names and sets the attributes that the class lists."""

    @abstractmethod
    def get_op_name(self, operator: Any) -> str:
        """The name of an operator, unique in the model."""

    @abstractmethod
    def is_op_support(self, operator: Any) -> bool:
        """Whether the TPU can run an operator."""

    def is_op_compute(self, operator: Any) -> bool:
        """Whether an operator computes much, such as a convolution.

        The sub-models are as few as keep nearly all of these on the TPU; without any, all operators count.
        By default none is.
        """
        return False

    def is_op_dangerous(self, operator: Any) -> bool:
        """Whether what an operator makes may not be an output of a sub-model, unless it is one of the model.

        Such an operator and its readers stay together. By default none is dangerous.
        """
        return False

    @abstractmethod
    def is_input_op(self, operator: Any) -> bool:
        """Whether an operator stands for an input of the model, such as a placeholder.

        It computes nothing: it is in every sub-model that reads it, and its own inputs are not looked at.
        """

    @abstractmethod
    def is_output_op(self, operator: Any) -> bool:
        """Whether an operator makes an output of the model."""

    @abstractmethod
    def get_inputs_list(self, operator: Any) -> Sequence[str]:
        """The names of the operators that an operator reads; repeats do not matter."""

    @abstractmethod
    def save_subgraph(
        self, graph: Subgraph, save_folder: str, index: int, tensors: Mapping[str, Array]
    ) -> tuple[dict[str, str], list[str], list[str]]:
        """Writes one sub-graph as a model of the framework.

        graph: the operators, by name; where they come from and go to; `support` says for which device.
        save_folder: the folder to write to. It is renamed when all is done: do not note the path.
        index: the place in the order; files are best called `graph_<index>`.
        tensors: the arrays of all tensors known so far: the model's inputs and what sub-models before
        this one make.

        Returns the file names as `model_info`, relative to the folder; the names of the tensors that the
        sub-model takes, all of them known; the names of those that it makes, among them the model's
        outputs that it holds.
        """

    @abstractmethod
    def infer_output_tensors(
        self,
        save_folder: str,
        model_info: Mapping[str, str],
        sub_inputs: Sequence[str],
        sub_outputs: Sequence[str],
        tensors: Mapping[str, Array],
    ) -> Sequence[Array]:
        """Runs a sub-model that was just saved; returns an array for each of `sub_outputs`, in order.

        The other arguments are as for `save_subgraph`. Only the arrays' shapes and dtypes are kept in
        graph_infos.json, but later sub-models are run on their values.
        """

    def get_tensor_dtype(self, tensor_name: str) -> Any:
        """The dtype of a tensor for graph_infos.json: numpy's, or a name or number of the framework.

        By default that of the tensor's array.
        """
        return self.tensors[tensor_name].dtype

    def save_graph_infos(self, save_folder: str) -> None:
        """Writes `graph_infos` as graph_infos.json into the folder.

        Raises AutosplitError if an entry is not what JSON can hold.
        """
        self._check_entries()
        text = json.dumps(self.graph_infos, indent=2) + "\n"
        (Path(save_folder) / FILE_NAME).write_text(text, encoding="utf-8")

    def _check_entries(self) -> None:
        for name, value in self.graph_infos.items():
            try:
                json.dumps(value)
            except (TypeError, ValueError) as error:
                raise AutosplitError(
                    f"graph_infos[{name!r}] of {type(self).__name__} cannot be written: {first_line(error)}"
                ) from None

    def destroy(self) -> None:  # noqa: B027 - optional
        """Frees what `initialize` opened; called once, at the end, even after an error."""

    def convert_and_split(self, save_folder: str | Path) -> None:
        """Splits the model and saves the sub-models and graph_infos.json in a folder.

        The folder must be missing or empty; it appears when all is done, and not at all after an error.
        Raises AutosplitError if the virtual functions contradict each other.
        """
        destination = check_destination(save_folder, force=False)
        try:
            subgraphs = self.get_subgraphs()
            self.tensors = dict(self.input_tensors or {})
            self.graph_infos |= {"graphs": [], "tensors": {}}
            with staged_folder(destination) as folder:
                for i, graph in enumerate(subgraphs):
                    device = "tpu" if graph.support else "cpu"
                    log.info("sub-model %d: %s, %d operators", i, device, len(graph.ops))
                    self.graph_infos["graphs"].append(self._save(graph, str(folder), i))
                self._describe()
                self.save_graph_infos(str(folder))
        finally:
            self.destroy()

    def get_subgraphs(self) -> list[Subgraph]:
        """Asks about all operators and cuts; the sub-graphs are in an order in which they can run."""
        graph = OperatorGraph(self.keep)
        graph.parse_from_operators(
            Operator(
                self.get_op_name(op),
                self.is_op_support(op),
                self.is_op_compute(op),
                self.is_op_dangerous(op),
                self.is_input_op(op),
                self.is_output_op(op),
                self.get_inputs_list(op),
            )
            for op in self.ops or ()
        )
        return graph.get_final_subgraphs()

    def _save(self, graph: Subgraph, folder: str, index: int) -> dict[str, Any]:
        """Saves and runs one sub-model; returns its entry of graph_infos.json."""
        types = dict(self.tensors)
        info, inputs, outputs = self.save_subgraph(graph, folder, index, types)
        for name in inputs:
            if name not in types:
                hint = choice(name, list(types))
                raise AutosplitError(
                    f"sub-model {index} takes {name!r}, which none before it makes{hint}"
                )
        for name in outputs:
            if name in types:
                raise AutosplitError(f"sub-model {index} makes {name!r}, which is already there")
        tensors = list(self.infer_output_tensors(folder, info, inputs, outputs, types))
        if len(tensors) != len(outputs):
            raise AutosplitError(
                f"infer_output_tensors gave {counted(len(tensors), 'tensor')} for the "
                f"{counted(len(outputs), 'output')} of sub-model {index}"
            )
        self.tensors.update(zip(outputs, tensors, strict=True))
        entry: dict[str, Any] = {
            "outputs": list(outputs),
            "model_info": dict(info),
            "inputs": list(inputs),
            "device": "tpu" if graph.support else "cpu",
        }
        if graph.support:
            entry["context_dir"] = context_dir(index)
        return entry

    def _describe(self) -> None:
        """Adds what graph_infos.json says beside the graphs."""
        inputs, outputs = list(self.input_names or ()), list(self.output_names or ())
        for name in outputs:
            if name not in self.tensors:
                hint = choice(name, list(self.tensors))
                raise AutosplitError(f"no sub-model makes the output {name!r}{hint}")
        for name, array in self.tensors.items():
            role = "intermediate"
            if name in inputs:
                role = "input"
            elif name in outputs:
                role = "output"
            self.graph_infos["tensors"][name] = {
                "shape": list(array.shape),
                "dtype": _dtype_entry(self.get_tensor_dtype(name), array),
                "attr": role,
            }
        self.graph_infos |= {
            "graph_num": len(self.graph_infos["graphs"]),
            "platform": self.platform,
            "dynamic": bool(self.dynamic),
            "layout": self.layout,
            "autosplit": {
                **self.graph_infos.get("autosplit", {}),
                "inputs": inputs,
                "outputs": {name: name for name in outputs},
            },
        }


def _dtype_entry(dtype: Any, array: Array) -> str | int:
    """A dtype as graph_infos.json holds it: numpy's name, or 0 where the framework has another notion."""
    if dtype is None or type(dtype) is int:
        return 0
    import numpy as np

    try:
        return np.dtype(cast("str", dtype)).name
    except TypeError:
        return array.dtype.name


class _DriverSplitter(Splitter):
    """The face of `Splitter` for a framework that the compiler reads itself.

    `model_descriptor`: `model_path`, `input_tensors` by name, `output_names` (None or empty: the model's
    own), `layout`, `dynamic`, and perhaps `params_path`, the file of the weights where the framework keeps
    them apart (default: that beside the model), `target`, the chip (default BM1684), and `custom_ops`,
    libraries.
    """

    PLATFORM: ClassVar[str]
    MODEL: ClassVar[str] = "model_path"
    """What `model_descriptor` calls the model's file."""
    keep: float = DEFAULT_KEEP

    def initialize(self) -> None:
        for name in (self.MODEL, "input_tensors"):
            if name not in self.model_descriptor:
                raise AutosplitError(f"the model_descriptor has no {name!r}")
        self.platform = self.PLATFORM
        self.input_tensors = self.model_descriptor["input_tensors"]
        self.output_names = self.model_descriptor.get("output_names") or ["(those of the model)"]
        # The compiler asks about operators itself.
        self.ops = [None]

    def convert_and_split(self, save_folder: str | Path) -> None:
        for name in _ASKED:
            if getattr(type(self), name) is not getattr(_DriverSplitter, name):
                raise AutosplitError(
                    f"{type(self).__name__}.{name} would not be asked: the compiler knows "
                    f"{self.PLATFORM} models itself; derive from Splitter, or split with pins"
                )
        self._check_entries()
        params = self.model_descriptor.get("params_path")
        from autosplit.flows.split import split_model

        split_model(
            SplitOptions(
                model=Path(self.model_descriptor[self.MODEL]),
                params=None if params is None else Path(params),
                out=Path(save_folder),
                inputs={name: InputSpec.of(a) for name, a in (self.input_tensors or {}).items()},
                outputs=list(self.model_descriptor.get("output_names") or ()),
                target=str(self.model_descriptor.get("target", DEFAULT_CHIP)).lower(),
                platform=self.PLATFORM,
                layout=self.model_descriptor.get("layout"),
                dynamic=bool(self.dynamic),
                keep=self.keep,
                custom_ops=libraries(self.model_descriptor.get("custom_ops")),
            )
        )
        note_entries(Path(save_folder), self.graph_infos)

    def get_op_name(self, operator: Any) -> str:
        raise _unasked()

    def is_op_support(self, operator: Any) -> bool:
        raise _unasked()

    def is_input_op(self, operator: Any) -> bool:
        raise _unasked()

    def is_output_op(self, operator: Any) -> bool:
        raise _unasked()

    def get_inputs_list(self, operator: Any) -> Sequence[str]:
        raise _unasked()

    def save_subgraph(
        self, graph: Subgraph, save_folder: str, index: int, tensors: Mapping[str, Array]
    ) -> tuple[dict[str, str], list[str], list[str]]:
        raise _unasked()

    def infer_output_tensors(
        self,
        save_folder: str,
        model_info: Mapping[str, str],
        sub_inputs: Sequence[str],
        sub_outputs: Sequence[str],
        tensors: Mapping[str, Array],
    ) -> Sequence[Array]:
        raise _unasked()


_ASKED = (
    "get_op_name",
    "is_op_support",
    "is_op_compute",
    "is_op_dangerous",
    "is_input_op",
    "is_output_op",
    "get_inputs_list",
    "save_subgraph",
    "infer_output_tensors",
)


def _unasked() -> AutosplitError:
    return AutosplitError("the compiler answers for operators itself here; use convert_and_split")


class TensorflowSplitter(_DriverSplitter):
    """Splits TensorFlow frozen graphs."""

    PLATFORM = "tensorflow"


class OnnxSplitter(_DriverSplitter):
    """Splits ONNX models."""

    PLATFORM = "onnx"


class MxnetSplitter(_DriverSplitter):
    """Splits MXNet symbols; `model_descriptor` calls the symbol's file `json_path`."""

    PLATFORM = "mxnet"
    MODEL = "json_path"


class CaffeSplitter(_DriverSplitter):
    """Splits Caffe networks."""

    PLATFORM = "caffe"


class PytorchSplitter(_DriverSplitter):
    """Splits PyTorch programs."""

    PLATFORM = "pytorch"
