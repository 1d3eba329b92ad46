"""Writes `dialects/onnx/microsoft.py` from the schemas that ONNX Runtime registers for ops of its own.

    python -m autosplit.tools.generate.runtime_dialect            writes the file
    python -m autosplit.tools.generate.runtime_dialect --check    exits with 1 where it is not up to date

Only the ops of `CHOSEN` are declared: those that quantizers, and ONNX Runtime's own optimizer, write into
models. The others are `onnx.opaque`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from autosplit.tools.generate.onnx_dialect import (
    Op,
    Slot,
    class_name,
    declaration,
)
from autosplit.tools.generate.written import formatted, in_dialect, write_files

DOMAIN = "com.microsoft"

CHOSEN = (
    "Attention",
    "BiasGelu",
    "DequantizeLinear",
    "DynamicQuantizeMatMul",
    "EmbedLayerNormalization",
    "FastGelu",
    "FusedConv",
    "FusedGemm",
    "FusedMatMul",
    "Gelu",
    "MatMulIntegerToFloat",
    "MultiHeadAttention",
    "QAttention",
    "QGemm",
    "QLinearAdd",
    "QLinearAveragePool",
    "QLinearConcat",
    "QLinearConv",
    "QLinearGlobalAveragePool",
    "QLinearLeakyRelu",
    "QLinearMul",
    "QLinearReduceMean",
    "QLinearSigmoid",
    "QLinearSoftmax",
    "QLinearWhere",
    "QuantizeLinear",
    "QuickGelu",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
    "TransposeMatMul",
)

HEADER = '''"""Ops of ONNX Runtime's own, domain `com.microsoft`: from schemas of onnxruntime {version}."""

# Written by `python -m autosplit.tools.generate.runtime_dialect`; do not edit.

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from autosplit.dialects.onnx.base import FLOAT, INT, INTS, LIST, SEGMENTS, STRING, OnnxOp
from autosplit.dialects.onnx.operands import FittingSizes, OneElementType
'''


def read_ops() -> list[Op]:
    """The chosen ops, by name."""
    runtime: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    schemas = cast("list[Any]", runtime.get_all_operator_schema())
    return [_op(s) for s in sorted(schemas, key=lambda s: s.name) if _is_chosen(s)]


def _is_chosen(schema: Any) -> bool:
    return schema.domain == DOMAIN and schema.name in CHOSEN


def _op(schema: Any) -> Op:
    op = Op(DOMAIN, schema.name, str(schema.doc), [schema.since_version], False, True)
    op.inputs = [_slot(s) for s in schema.inputs]
    op.outputs = [_slot(s) for s in schema.outputs]
    for attribute in sorted(schema.attributes.values(), key=lambda a: a.name):
        op.attributes[attribute.name] = (_last(attribute.type), bool(attribute.required))
    op.one_type = _one_type(schema)
    return op


def _slot(slot: Any) -> Slot:
    return Slot(slot.name, _last(slot.option), tuple(sorted(slot.types)))


def _last(value: object) -> str:
    return str(value).rsplit(".", 1)[-1]


def _one_type(schema: Any) -> list[str]:
    """The operands and results that have one type; a scale that is f32 in any case is none of them."""
    groups: list[str] = []
    input_types = [s.typeStr if s.isHomogeneous else "" for s in schema.inputs]
    output_types = [s.typeStr for s in schema.outputs]
    for name in dict.fromkeys(n for n in input_types if n and "(" not in n):
        operands = tuple(i for i, other in enumerate(input_types) if other == name)
        results = tuple(i for i, other in enumerate(output_types) if other == name)
        if len(operands) + len(results) > 1:
            groups.append(f"({operands}, {results})")
    return groups


def generate() -> str:
    """The text of the file, formatted."""
    ops = read_ops()
    declared = "\n".join(f"    {class_name(op)}," for op in ops)
    parts = [HEADER.format(version=version("onnxruntime")), *map(declaration, ops)]
    parts.append(f"\nMICROSOFT_OPS: tuple[type[OnnxOp], ...] = (\n{declared}\n)\n")
    return formatted("\n".join(parts), target())


def target() -> Path:
    """The file that is generated."""
    return in_dialect("onnx/microsoft.py")


def main(args: list[str] | None = None) -> int:
    """The entry point. Returns 1 where `--check` finds the file out of date."""
    what = "Writes dialects/onnx/microsoft.py."
    return write_files(what, "runtime_dialect", lambda: [(target(), generate())], args)


if __name__ == "__main__":
    sys.exit(main())
