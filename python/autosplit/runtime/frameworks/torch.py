"""Running programs in PyTorch, and asking it what shapes their tensors have.

A program's nodes are called one after the other, from the ops of the IR: a file is never given to PyTorch,
whose own reader unpickles. Tensors that a program updates keep their values from run to run, as those of a
module do.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autosplit.core.errors import AutosplitError, choice, first_line
from autosplit.core.units import counted
from autosplit.core.weights import WeightStore
from autosplit.dialects.aten.base import AtenOp, is_symbol
from autosplit.dialects.aten.graph import (
    GraphOp,
    InputOp,
    SourceOp,
    StateOp,
    TensorSource,
    WriteBackOp,
    nodes_of,
)
from autosplit.dialects.aten.ops import class_of_target
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import WeightAttr, platform_graph, shape_of
from autosplit.formats.pytorch.archive import Pt2Archive, TensorRecord
from autosplit.formats.pytorch.reader import import_file
from autosplit.formats.pytorch.writer import export_graph
from autosplit.platforms import Measurements
from autosplit.runtime.frameworks.asked import AskedFramework, answer, first_that_fails
from autosplit.runtime.frameworks.executed_work import measurements
from autosplit.runtime.frameworks.torch_calls import (
    REGISTERED_BY,
    TorchCall,
    call_of,
    import_torch,
    load_libraries,
    number_of,
    to_array,
    to_tensor,
)
from autosplit.runtime.frameworks.torch_work import work_in_torch

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from autosplit.core.weights import Array
    from autosplit.platforms import Model

TORCH = AskedFramework("PyTorch", "torch", "torch", "runtime.frameworks.torch")


class TorchExecutor:
    """A program in PyTorch.

    `custom_ops`: libraries of ops that the program may have. Raises MissingExtraError where torch is not
    installed, AutosplitError for a file that cannot be read and for ops that PyTorch does not have.
    """

    def __init__(self, path: Path, custom_ops: Sequence[Path] = ()):
        self.path = path
        self._torch = import_torch(f"running {path.name}")
        load_libraries(self._torch, custom_ops)
        module, store = import_file(path)
        graph = platform_graph(module)
        assert isinstance(graph, GraphOp)
        self._graph = graph
        nodes = nodes_of(graph)
        self._inputs = {op.value_name(0): op for op in nodes if isinstance(op, InputOp)}
        self._write_backs = [op for op in nodes if isinstance(op, WriteBackOp)]
        self._held = {
            op.results[0]: self._tensor(op, store) for op in nodes if isinstance(op, TensorSource)
        }
        try:
            self._calls = [
                call_of(self._torch, op)
                for op in nodes
                if not isinstance(op, SourceOp | WriteBackOp)
            ]
        except AutosplitError as error:
            raise AutosplitError(f"{path}: {error}") from None
        self._written = _written_sources(nodes)

    def _tensor(self, op: TensorSource, store: WeightStore) -> Any:
        array = (
            store.array(op.value) if isinstance(op.value, WeightAttr) else tensor_array(op.value)
        )
        assert array is not None
        # Inline values are shared by all modules that have them.
        array = array.copy() if isinstance(op, StateOp) else array
        tensor = to_tensor(self._torch, array)
        source = store.source(op.fqn.data)
        if not isinstance(source, TensorRecord) or source.sizes != array.shape:
            return tensor
        strides = tuple(int(stride["as_int"]) for stride in source.meta["strides"])
        if strides == tensor.stride() or 0 in strides or not array.size:
            return tensor
        # Which kernel computes, and so the last bits, may depend on it.
        return self._torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype).copy_(tensor)

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes the named values; results go by the names given.

        Raises AutosplitError for unknown or missing names, wrong shapes, and for whatever fails.
        """
        wanted = self._wanted(outputs)
        values = self._run(self._input_values(feeds), set(wanted.values()))
        return {name: to_array(self._torch, values[v], v.type) for name, v in wanted.items()}

    def run_tensors(self, feeds: Mapping[str, Any], outputs: Sequence[str]) -> dict[str, Any]:
        """The same with PyTorch's own tensors, none of which is copied but what the program writes to.

        Numbers are tensors of no dimensions. A result may be a view of an input, as in PyTorch.
        """
        wanted = self._wanted(outputs)
        inputs: dict[SSAValue, Any] = {}
        for name, tensor in feeds.items():
            value = self._inputs[name].results[0]
            held = tensor.clone() if value in self._written else tensor
            inputs[value] = tensor.item() if is_symbol(value) else held
        values = self._run(inputs, set(wanted.values()))
        return {name: self._torch.as_tensor(values[v]) for name, v in wanted.items()}

    def _wanted(self, outputs: Sequence[str]) -> dict[str, SSAValue]:
        """The values of these names. Raises AutosplitError for one that the program does not have."""
        values = self._graph.values()
        for name in outputs:
            if name not in values:
                raise AutosplitError(
                    f"{self.path}: output {name!r} is not a value of the program{choice(name, list(values))}"
                )
        return {name: values[name] for name in outputs}

    def types(self, feeds: Mapping[str, Array]) -> dict[str, tuple[list[int], str]]:
        """Shape and dtype of each value. Checks are not made: the inputs may be any numbers."""
        named = self._graph.values()
        values = self._run(self._input_values(feeds), set(named.values()), checks=False)
        types: dict[str, tuple[list[int], str]] = {}
        for name, value in named.items():
            held = values[value]
            if isinstance(held, self._torch.Tensor):
                types[name] = ([*held.shape], str(held.dtype).removeprefix("torch."))
            else:
                types[name] = ([], np.asarray(held).dtype.name)
        return types

    def _run(
        self, inputs: Mapping[SSAValue, Any], wanted: set[SSAValue], *, checks: bool = True
    ) -> dict[SSAValue, Any]:
        """Runs the program; returns what was wanted, and more."""
        values: dict[SSAValue, Any] = {**self._held, **inputs}
        last = self._last_reads(wanted)
        with self._torch.no_grad():
            for place, call in enumerate(self._calls):
                if checks or not call.is_check:
                    self._step(call, values)
                for value in last.get(place, ()):
                    values.pop(value, None)
            # What is returned is what it was before the states change.
            results = dict(values)
            if self._write_backs:
                results |= {v: self._copied(values[v]) for v in wanted}
            for op in self._write_backs:
                values[op.operands[0]].copy_(values[op.operands[1]])
        return results

    def _copied(self, held: Any) -> Any:
        return held.clone() if isinstance(held, self._torch.Tensor) else held

    def _step(self, call: TorchCall, values: dict[SSAValue, Any]) -> None:
        op = call.op
        try:
            results = call.run(values)
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
            raise AutosplitError(
                f"{self.path}: PyTorch failed in {op.op_type} {op.node_name.data!r}: {first_line(error)}"
            ) from error
        if len(results) != len(op.results) and len(op.results):
            raise AutosplitError(
                f"{self.path}: {op.op_type} {op.node_name.data!r} gave {counted(len(results), 'result')}, "
                f"and the program has {len(op.results)}"
            )
        values.update(zip(op.results, results, strict=False))

    def _last_reads(self, wanted: set[SSAValue]) -> dict[int, list[SSAValue]]:
        """The values that nobody needs any more behind each call."""
        last: dict[SSAValue, int] = {}
        for place, call in enumerate(self._calls):
            for value in (*call.op.operands, *call.op.results):
                last[value] = place
        kept = wanted | {v for op in self._write_backs for v in op.operands} | set(self._held)
        freed: dict[int, list[SSAValue]] = {}
        for value, place in last.items():
            if value not in kept:
                freed.setdefault(place, []).append(value)
        return freed

    def _input_values(self, feeds: Mapping[str, Array]) -> dict[SSAValue, Any]:
        """The values of the inputs. Raises AutosplitError for what does not fit them."""
        for name in feeds:
            if name not in self._inputs:
                raise AutosplitError(
                    f"{self.path}: input {name!r} is not an input of the program"
                    f"{choice(name, list(self._inputs))}"
                )
        values: dict[SSAValue, Any] = {}
        for name, op in self._inputs.items():
            value = op.results[0]
            if name not in feeds:
                if value.first_use is None and name not in dict(self._graph.graph_outputs()):
                    continue
                raise AutosplitError(f"{self.path}: input {name!r} is missing")
            array = np.asarray(feeds[name])
            self._check(name, array, value)
            if is_symbol(value):
                values[value] = number_of(array, value)
            else:
                array = array.copy() if value in self._written else array
                values[value] = to_tensor(self._torch, array)
        return values

    def _check(self, name: str, array: Array, value: SSAValue) -> None:
        shape = shape_of(value.type)
        if shape is None:
            return
        fits = len(shape) == array.ndim and all(
            d in (-1, n) or d < 0 for d, n in zip(shape, array.shape, strict=True)
        )
        if not fits:
            expected = ", ".join("?" if d < 0 else str(d) for d in shape)
            raise AutosplitError(
                f"{self.path}: input {name!r} has the shape {list(array.shape)}, expected [{expected}]"
            )


def _written_sources(nodes: Sequence[AtenOp]) -> set[SSAValue]:
    """The inputs that a program may write to, through views too."""
    roots: dict[SSAValue, set[SSAValue]] = {}
    written: set[SSAValue] = set()
    for op in nodes:
        for i, result in enumerate(op.results):
            shared = op.operands if op.IS_OPAQUE else op.aliased(i)
            roots[result] = set().union(*(roots[v] for v in shared)) if shared else {result}
        for value in op.operands if op.IS_OPAQUE else op.written():
            written |= roots[value]
    return written


def measure(
    model: Model, feeds: Mapping[str, Array], names: Sequence[str], *, work: bool = False
) -> Measurements:
    """Runs the program in PyTorch, in a process of its own, for the shapes and dtypes of the named values.

    With `work` the multiply-adds of its nodes too, which follow from the shapes. Raises MissingExtraError,
    and AutosplitError where PyTorch fails.
    """
    TORCH.check_installed()
    graph = platform_graph(model.module)
    assert isinstance(graph, GraphOp)
    if not names and not work:
        return Measurements({})
    written = export_graph(model.module, graph, model.store)
    types = TORCH.types(model, feeds, names, lambda folder: written.write(folder / "graph.pt2"))
    return measurements(graph, types, names, work_in_torch if work else None)


def refusal(files: Sequence[Path], custom_ops: Sequence[Path] = ()) -> tuple[int, str] | None:
    """The place of the first program that PyTorch does not take, and why, asked in a process of its own.

    None where it takes all, and where there is no PyTorch. It is not asked about programs of its own ops,
    since loading it takes seconds. `custom_ops`: libraries of ops that the programs may have.
    """
    if find_spec("torch") is None:
        return None
    asked = [place for place, path in enumerate(files) if not _has_only_own_ops(path)]
    refused = TORCH.first_refused([[files[place]] for place in asked], custom_ops)
    return None if refused is None else (asked[refused[0]], refused[1])


def _has_only_own_ops(path: Path) -> bool:
    """Whether a program calls nothing but ops of PyTorch's own that the table has, and no graphs."""
    return all(
        (cls := class_of_target(node["target"])) is not None
        and cls.SPEC is not None
        and cls.SPEC.namespace not in REGISTERED_BY
        for node in Pt2Archive(path).program["graph_module"]["graph"]["nodes"]
    )


def main(args: Sequence[str] | None = None) -> int:
    """Does what the folder's request asks for."""
    return answer(
        lambda folder, feeds, names: TorchExecutor(folder / "graph.pt2").types(feeds),
        lambda models: first_that_fails(models, lambda path, _: TorchExecutor(path)),
        args,
        lambda paths: load_libraries(import_torch("loading custom ops"), paths),
    )


if __name__ == "__main__":
    sys.exit(main())
