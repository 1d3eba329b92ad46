"""The recipe of a quantized model: what became 8 bits with which range, and what did not, and why.

A JSON file that people read and edit:

    {
      "recipe": 1,
      "model": "detector.onnx",
      "calibrator": "minmax",
      "samples": 32,
      "weight_bits": 8,
      "isa": "avx2",
      "preprocess": {"image": "mean=127.5,scale=1/127.5"},
      "ranges": {"relu_1": [0.0, 5.25]},
      "ops": {
        "conv_1": {"type": "Conv", "operands": [0, 1], "weight_bits": 7},
        "scores": {"type": "MatMul", "kept": "recipe: the recipe keeps it in float32"}
      }
    }

Of corrections it says which were made, and holds what was measured for them; channels in front of depthwise
convolutions have exponents without `smooth`, too:

      "equalize": true,
      "smooth": 0.5,
      "exponents": {"norm_1": [0, -2, 1]},
      "correct_biases": true,
      "means": {"conv_1": [0.125, -1.5, 0.75]},

An op is left in float32 where `operands` is replaced by `kept`, with any text. A range that is changed is the
range that the value gets. `isa`, and an op's `weight_bits`, are there if the processor that will compute is
known. What the file does not say is decided and measured anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp

from autosplit.core.errors import AutosplitError
from autosplit.core.units import counted
from autosplit.dialects.device import ReasonAttr
from autosplit.dialects.onnx.base import OnnxOp
from autosplit.dialects.onnx.tensors import tensor_array
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.dialects.quant import StatisticsOp
from autosplit.flows.quantizing.quant_smooth import exponents_on
from autosplit.lowering.quant.chains.channel_means import means_of
from autosplit.lowering.quant.quantize.quant_select import KEPT, bits_of_weights, selected_operands

FORMAT = 1
"""The number in `recipe`."""

TABLES = ("preprocess", "ranges", "ops", "exponents", "means")
"""What has an entry in a line of its own."""

LARGEST = 3.4028234e38
"""The largest float32."""

Range = tuple[float, float]

_N = TypeVar("_N", int, float)


@dataclass
class QuantizedOp:
    """What the recipe says of one op."""

    type: str
    operands: tuple[int, ...] = ()
    """The operands that are 8 bits; none for an op that is kept in float32."""
    kept: str = ""
    """Why it is."""
    weight_bits: int = 0
    """7 or 8; 0: as the recipe says of all."""

    def to_json(self) -> dict[str, Any]:
        if self.operands:
            bits = {"weight_bits": self.weight_bits} if self.weight_bits else {}
            return {"type": self.type, "operands": list(self.operands), **bits}
        return {"type": self.type, "kept": self.kept}


@dataclass
class Recipe:
    """See the head of this file."""

    model: str = ""
    calibrator: str = ""
    samples: int = 0
    weight_bits: int = 0
    """7 or 8; 0: nothing is said."""
    isa: str = ""
    """The instruction set of the processor that computes, where it is known."""
    preprocess: dict[str, str] = field(default_factory=dict[str, str])
    ranges: dict[str, Range] = field(default_factory=dict[str, Range])
    ops: dict[str, QuantizedOp] = field(default_factory=dict[str, QuantizedOp])
    equalize: bool = False
    smooth: float | None = None
    """SmoothQuant's alpha; None: it is not done."""
    exponents: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """By which powers of two channels are scaled, by the name of the value."""
    correct_biases: bool | None = None
    """None: nothing is said."""
    means: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """Of the channels that products read, by the name of the product."""

    @property
    def kept(self) -> list[str]:
        """The ops that stay in float32."""
        return [name for name, op in self.ops.items() if not op.operands]

    def for_isa(self, isa: str) -> Recipe:
        """What is left of it for another instruction set; all of it where none is named."""
        if isa in ("", self.isa):
            return self
        ops = {
            name: replace(op, weight_bits=0)
            for name, op in self.ops.items()
            if not op.kept.startswith("saturation:")
        }
        return replace(self, isa=isa, ops=ops)

    def to_json(self) -> dict[str, Any]:
        """As the file has it."""
        return {
            "recipe": FORMAT,
            "model": self.model,
            "calibrator": self.calibrator,
            "samples": self.samples,
            "weight_bits": self.weight_bits,
            **({"isa": self.isa} if self.isa else {}),
            "preprocess": self.preprocess,
            "ranges": {name: list(ends) for name, ends in self.ranges.items()},
            "ops": {name: op.to_json() for name, op in self.ops.items()},
        } | self._corrections()

    def _corrections(self) -> dict[str, Any]:
        """The entries that are there only where it was done."""
        entries: dict[str, Any] = {}
        if self.equalize:
            entries |= {"equalize": True}
        if self.smooth is not None:
            entries |= {"smooth": self.smooth}
        if self.smooth is not None or self.exponents:
            entries |= {"exponents": self.exponents}
        if self.correct_biases is not None:
            entries |= {"correct_biases": self.correct_biases}
        if self.correct_biases:
            entries |= {"means": self.means}
        return entries

    def text(self) -> str:
        """The file: a line for each range and each op."""
        rows: list[str] = []
        for key, value in self.to_json().items():
            if key in TABLES and value:
                entries: Iterable[tuple[str, Any]] = value.items()
                inner = ",\n".join(f"    {_dump(k)}: {_dump(v)}" for k, v in entries)
                rows.append(f"  {_dump(key)}: {{\n{inner}\n  }}")
            else:
                rows.append(f"  {_dump(key)}: {_dump(value)}")
        return "{\n" + ",\n".join(rows) + "\n}\n"

    @staticmethod
    def read(path: Path) -> Recipe:
        """The recipe in a file. Raises AutosplitError, naming what is wrong and where."""
        try:
            entries = _entries(path, json.loads(path.read_text()), "it")
        except FileNotFoundError:
            raise AutosplitError(f"{path}: there is no such file") from None
        except (OSError, ValueError) as error:
            raise AutosplitError(f"{path}: is not a recipe: {error}") from None
        if entries.get("recipe") != FORMAT:
            raise AutosplitError(f'{path}: is not a recipe: expected "recipe": {FORMAT}')
        parts = {key: _entries(path, entries.get(key, {}), key) for key in TABLES}
        try:
            return Recipe(
                str(entries.get("model", "")),
                str(entries.get("calibrator", "")),
                _whole(entries.get("samples", 0)),
                _whole(entries.get("weight_bits", 0)),
                str(entries.get("isa", "")),
                {k: str(v) for k, v in parts["preprocess"].items()},
                {k: _ends(path, k, v) for k, v in parts["ranges"].items()},
                {k: _op(path, k, v) for k, v in parts["ops"].items()},
                bool(entries.get("equalize", False)),
                None if (alpha := entries.get("smooth")) is None else float(alpha),
                {k: _numbers(path, _whole, k, v) for k, v in parts["exponents"].items()},
                None if (corrects := entries.get("correct_biases")) is None else bool(corrects),
                {k: _numbers(path, float, k, v) for k, v in parts["means"].items()},
            )
        except (TypeError, ValueError, OverflowError) as error:
            raise AutosplitError(f"{path}: is not a recipe: {error}") from None


def _entries(path: Path, value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise AutosplitError(f"{path}: is not a recipe: {what} is no object")
    return cast("dict[str, Any]", value)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _ends(path: Path, name: str, ends: Any) -> Range:
    try:
        low, high = map(float, [] if isinstance(ends, str) else ends)
    except (TypeError, ValueError, OverflowError):
        raise AutosplitError(
            f"{path}: the range of {name!r} is {ends}, expected two numbers"
        ) from None
    if not -LARGEST <= low <= high <= LARGEST:
        raise AutosplitError(
            f"{path}: the range of {name!r} is {ends}, expected float32 numbers, the lower end first"
        )
    return low, high


def _whole(value: Any) -> int:
    """An integer. Raises ValueError for a number that is none."""
    if int(value) != value:
        raise ValueError(f"expected an integer, found {value!r}")
    return int(value)


def _numbers(path: Path, kind: Callable[[Any], _N], name: str, value: Any) -> list[_N]:
    if not isinstance(value, list):
        raise AutosplitError(f"{path}: expected a list of numbers for {name!r}, found {value}")
    numbers = [kind(n) for n in cast("list[Any]", value)]
    if not all(isfinite(n) for n in numbers):
        raise AutosplitError(f"{path}: the numbers for {name!r} are not all finite")
    return numbers


def _op(path: Path, name: str, entry: Any) -> QuantizedOp:
    entries = _entries(path, entry, f"op {name!r}")
    if ("operands" in entries) == ("kept" in entries):
        raise AutosplitError(f"{path}: op {name!r} needs either operands or kept")
    numbers = tuple(_whole(n) for n in entries.get("operands", []))
    bits = _whole(entries.get("weight_bits", 0))
    if bits not in (0, 7, 8):
        raise AutosplitError(
            f"{path}: op {name!r} has weights of {counted(bits, 'bit')}: expected 7 or 8"
        )
    return QuantizedOp(str(entries.get("type", "")), numbers, str(entries.get("kept", "")), bits)


def recipe_of(module: ModuleOp) -> Recipe:
    """What `quant-smooth`, `quant-select` and `quant-calibrate` have written into a module."""
    recipe = Recipe()
    for op in platform_graph(module).body_ops():
        if isinstance(op, StatisticsOp):
            ends = tensor_array(op.layer_stats)
            assert ends is not None  # the op's verifier asks for two numbers
            recipe.ranges[value_name(op.input)] = float(ends[0]), float(ends[1])
        if not isinstance(op, OnnxOp):
            continue
        if (exponents := exponents_on(op)) is not None:
            recipe.exponents[value_name(op.results[0])] = exponents
        if (means := means_of(op)) is not None:
            recipe.means[op.identity] = means
        numbers, reason = selected_operands(op), op.attributes.get(KEPT)
        if numbers:
            recipe.ops[op.identity] = QuantizedOp(
                op.op_type, numbers, weight_bits=bits_of_weights(op)
            )
        elif isinstance(reason, ReasonAttr):
            text = f"{reason.code.data}: {reason.text.data}"
            recipe.ops[op.identity] = QuantizedOp(op.op_type, kept=text)
    return recipe
