"""Checks that every split must pass, for tests and benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autosplit.dialects.device import FuncOp
from autosplit.dialects.platform import PlatformOp
from autosplit.flows.split import SplitResult, split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.flows.splitting.platform_prepare import PlatformPreparePass
from autosplit.inputs.specs import InputSpec
from autosplit.platforms import load_model, whole_files
from autosplit.registry import make_context
from autosplit.runtime import runner

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

Array = NDArray[np.generic]

HEAVY = frozenset(
    {"Conv", "ConvTranspose", "MatMul", "Gemm", "Conv2D", "DepthwiseConv2dNative", "BatchMatMulV2"}
)


def split(model: Path, out: Path, feeds: Mapping[str, Array], **options: Any) -> SplitResult:
    """Splits `model` for the shapes of `feeds` into the folder `out`."""
    inputs = {name: InputSpec.of(array) for name, array in feeds.items()}
    return split_model(SplitOptions(model, out, inputs, **options))


def run_folder(
    folder: Path, feeds: Mapping[str, Array], optimize: bool = False
) -> dict[str, Array]:
    """The outputs of the chained sub-models, each in its own framework."""
    return runner.infer(runner.load(str(folder), mode=0, optimize=optimize), dict(feeds))


def run_whole(
    model: Path, feeds: Mapping[str, Array], outputs: Sequence[str], optimize: bool = False
) -> dict[str, Array]:
    """The outputs of the unsplit model in its framework."""
    platform = load_model(model).platform
    info = whole_files(platform, model)
    return platform.executor(info, model.parent, optimize=optimize).run(feeds, outputs)


def assert_equal(actual: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """Fails unless both hold the same names, dtypes, shapes and bits."""
    assert list(actual) == list(expected)
    for name, array in expected.items():
        assert actual[name].dtype == array.dtype, name
        np.testing.assert_array_equal(actual[name], array, err_msg=name, strict=True)


def assert_close(
    actual: Mapping[str, Array], expected: Mapping[str, Array], relative: float
) -> None:
    """Fails if an output is further off than `relative` of its largest magnitude."""
    assert list(actual) == list(expected)
    for name, array in expected.items():
        scale = float(np.max(np.abs(array.astype(np.float64)), initial=0.0))
        error = np.abs(actual[name].astype(np.float64) - array.astype(np.float64))
        assert float(np.max(error, initial=0.0)) <= relative * max(scale, 1e-30), name


def node_counts(module: ModuleOp) -> list[Counter[tuple[str, str]]]:
    """For each sub-model of an outlined module: its nodes (kind, name), without constants."""
    return [
        Counter(
            (op.op_type, op.identity)
            for op in func.body.block.ops
            if isinstance(op, PlatformOp) and "device.stage" in op.attributes
        )
        for func in module.body.ops
        if isinstance(func, FuncOp) and func.target.kind.data != "host"
    ]


def assert_computed_once(result: SplitResult) -> None:
    """Fails if a node that is not a constant is in two sub-models."""
    total: Counter[tuple[str, str]] = Counter()
    for counts in node_counts(result.module):
        total += counts
    twice = [node for node, count in total.items() if count > 1]
    assert not twice, f"computed twice: {twice}"


def set_inputs(module: ModuleOp, text: str) -> None:
    """Gives the inputs of a model the shapes of `NAME=1x3x300x300;NAME=...`."""
    PlatformPreparePass(inputs=tuple(filter(None, text.split(";")))).apply(make_context(), module)
