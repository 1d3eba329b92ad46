"""Segments of a compiled plan: ONNX models that ONNX Runtime computes on the plan's own buffers.

A session is made once for a segment and shared; a binding belongs to one context. Outputs whose sizes are
known are written where the plan wants them. For the others ONNX Runtime takes memory of its own, which the
plan reads in its place, so that they are not copied either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from autosplit.core.errors import AutosplitError, MissingExtraError, one_line
from autosplit.formats.onnx.values import CODE_OF_ELEMENT
from autosplit.runtime.frameworks.onnx import QUIET, session_options

Array = NDArray[np.generic]

SPIN = "session.intra_op.allow_spinning"

FAULTY = "QDQPropagationTransformer"
"""An optimization of ONNX Runtime that makes models of opset 21 invalid where int8 casts stand around a
Reshape, a Transpose or a MaxPool."""


class OrtValue(Protocol):
    """A tensor in ONNX Runtime's memory."""

    def shape(self) -> list[int]: ...
    def data_ptr(self) -> int: ...
    def numpy(self) -> Array: ...


class _Binding(Protocol):
    """The part of ONNX Runtime's IOBinding that is used here."""

    def bind_input(
        self, name: str, device: str, index: int, type: int, shape: Sequence[int], pointer: int
    ) -> None: ...
    def bind_output(
        self,
        name: str,
        device: str = ...,
        index: int = ...,
        type: int | None = ...,
        shape: Sequence[int] | None = ...,
        pointer: int | None = ...,
    ) -> None: ...
    def get_outputs(self) -> list[OrtValue]: ...


class _Session(Protocol):
    """The part of ONNX Runtime's session that is used here."""

    def io_binding(self) -> _Binding: ...
    def run_with_iobinding(self, iobinding: _Binding) -> None: ...
    def run(self, output_names: list[str], input_feed: dict[str, Array]) -> list[Array]: ...


class SegmentModel:
    """An ONNX model in ONNX Runtime, loaded when it is first needed.

    `threads` and `spin` are ONNX Runtime's: how many compute, and whether they wait by spinning.
    `custom_ops`: libraries of ops that it does not have. Raises AutosplitError where ONNX
    Runtime refuses the model, MissingExtraError where it is not installed.
    """

    def __init__(
        self,
        name: str,
        model: bytes | Path,
        *,
        threads: int,
        spin: bool,
        custom_ops: Sequence[Path] = (),
    ):
        self.name = name
        try:
            runtime: Any = import_module("onnxruntime")
        except ImportError as e:
            raise MissingExtraError("onnxruntime", "run", f"running the segment @{name}") from e
        options = session_options(runtime, custom_ops)
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = QUIET
        options.add_session_config_entry(SPIN, "1" if spin else "0")
        source = str(model) if isinstance(model, Path) else model
        self._session = self._load(runtime, source, options)

    def _load(self, runtime: Any, model: bytes | str, options: Any) -> _Session:
        providers = ["CPUExecutionProvider"]
        problem: Exception | None = None
        for left_out in ([], [FAULTY]):
            try:
                session = runtime.InferenceSession(
                    model, options, providers=providers, disabled_optimizers=left_out
                )
                return cast("_Session", session)
            except Exception as e:
                problem = problem or e
        raise AutosplitError(
            f"ONNX Runtime refuses the segment @{self.name}: {one_line(problem)}"
        ) from problem

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Outputs in memory of their own. Raises AutosplitError where ONNX Runtime fails."""
        try:
            results = self._session.run(list(outputs), dict(feeds))
        except Exception as e:
            raise AutosplitError(f"the segment @{self.name} failed: {one_line(e)}") from e
        return dict(zip(outputs, results, strict=True))

    def bind(self) -> SegmentCall:
        """A call of the segment with nothing bound yet."""
        return SegmentCall(self.name, self._session)


class SegmentCall:
    """One segment and the memory that it reads and writes. Not for several threads at once."""

    def __init__(self, name: str, session: _Session):
        self.name = name
        self._session = session
        self._binding = session.io_binding()
        self._own: list[str] = []
        self._outputs: dict[str, None] = {}
        """In the order in which they were bound first, in which ONNX Runtime lists them."""

    def input(self, name: str, element: Attribute, shape: Sequence[int], address: int) -> None:
        """Reads the row-major tensor at `address` as the input `name`."""
        code = CODE_OF_ELEMENT[element]
        self._binding.bind_input(name, "cpu", 0, code, list(shape), address)

    def output(self, name: str, element: Attribute, shape: Sequence[int], address: int) -> None:
        """Writes the output `name` to `address`, row-major."""
        code = CODE_OF_ELEMENT[element]
        self._binding.bind_output(name, "cpu", 0, code, list(shape), address)
        self._outputs[name] = None

    def own_output(self, name: str) -> None:
        """Leaves the memory of the output `name` to ONNX Runtime, anew in each run."""
        self._binding.bind_output(name, "cpu")
        self._outputs[name] = None
        self._own.append(name)

    def run(self) -> int:
        """Computes the segment; 0. Raises AutosplitError where ONNX Runtime fails."""
        try:
            self._session.run_with_iobinding(self._binding)
        except Exception as e:
            raise AutosplitError(f"the segment @{self.name} failed: {one_line(e)}") from e
        return 0

    def renew(self) -> None:
        """Before a further run: forgets the memory that ONNX Runtime took in the last one.

        Else it would write there again, over what a caller may hold, and refuse another shape.
        """
        for name in self._own:
            self._binding.bind_output(name, "cpu")

    def values(self) -> dict[str, OrtValue]:
        """The outputs of the last run by name."""
        return dict(zip(self._outputs, self._binding.get_outputs(), strict=True))
