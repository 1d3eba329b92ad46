"""The modules that Intel's extension for PyTorch tests its fuser on: the same ops in the same groups.

What the extension makes of them was recorded by `benchmarks/ipex/groups.py`. Both are compared by what a
group computes: dequantizes are part of each, and a quantize alone is none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fuser_modules import CASES, Case
from onednn_installed import needs_library

from autosplit.testing.int8 import expect_vnni

torch: Any = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
RECORDED = json.loads((ROOT / "benchmarks/results/ipex_groups.json").read_text())["modules"]

Groups = list[tuple[str, ...]]

THEIRS = {
    "_convolution": "conv",
    "clamp": "clamp",
    "hardtanh": "clamp",
    "linear": "product",
    "matmul": "product",
    "quantize_per_tensor": "quantize",
    "max_pool2d": "max_pool",
}
OURS = {
    "Convolution": "conv",
    "ConvTranspose": "conv",
    "Clamp": "clamp",
    "Maximum": "clamp",
    "Minimum": "clamp",
    "MatMul": "product",
    "MaxPool": "max_pool",
    "Multiply": "mul",
    "Divide": "div",
    "HardSwish": "hardswish",
    "LeakyReLU": "leaky_relu",
    "LayerNorm": "layer_norm",
}
SILENT = frozenset({"dequantize", "to", "typecast"})

OTHERWISE: dict[str, Groups] = {
    "3d_bmm_int8_in_f32_out": [("product",)],
    "conv_relu_sigmoid_mul": [
        ("avgpool", "quantize"),
        ("conv",),
        ("conv", "mul", "quantize"),
        ("conv", "quantize"),
        ("conv", "relu", "quantize"),
        ("conv", "sigmoid", "quantize"),
    ],
    "conv_reshape": [("conv", "relu", "quantize"), ("product",)],
    "conv_share_dequant_weight": [("conv",), ("conv", "add"), ("conv", "quantize")],
    "ffn_residual": [("layer_norm",), ("product", "add"), ("product", "gelu", "quantize")],
    "inplace_computation_accuracy": [
        ("conv",),
        ("conv", "add", "quantize"),
        ("conv", "relu", "quantize"),
        ("conv", "sigmoid", "quantize"),
    ],
}
"""Where the groups differ; docs/pytorch_fuser.md says why."""

QUICK = (
    "add_scalar_input",
    "bmm_div_scalar",
    "conv2d_relu_",
    "conv2d_sum",
    "ffn_residual",
    "inplace_computation_accuracy",
    "lift_up_quant_unsupported",
    "linear_sum_inplace",
    "max_pool2d",
    "wildcard",
)
"""One of each kind; the others are nightly."""

OF_ACTIVATIONS = {name for name in CASES if "bmm" in name} | {
    "lift_up_quant",
    "mha_pattern_int8_fp32",
}

FLOAT32 = [name for name, case in CASES.items() if not case.bf16]


def groups(kinds: list[list[str]], names: dict[str, str]) -> Groups:
    """What each group computes; sorted, since groups without an order between them have none."""
    found: Groups = []
    for group in kinds:
        plain = [names.get(kind, kind.lower()) for kind in group]
        plain = [kind for kind in plain if kind not in SILENT]
        while plain and plain[0] == "quantize":
            plain = plain[1:]
        text = " ".join(plain).replace("hardsigmoid mul", "hardswish")
        found += [tuple(text.split())] if plain else []
    return sorted(found)


def quantized(case: Case) -> Any:
    """The module as `autosplit.quantization.convert` makes it, called once."""
    from autosplit.quantization import QuantConf, convert

    module = convert(case.module(), QuantConf(), [case.inputs(1), case.inputs(2)])
    module(*case.inputs(1))
    return module


def outputs(module: Any, case: Case, seed: int) -> list[Any]:
    with torch.no_grad():
        found = module(*case.inputs(seed))
    return list(found) if isinstance(found, tuple | list) else [found]


@needs_library
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.nightly) for n in FLOAT32],
)
def test_groups_are_those_of_the_original(name: str):
    if name in OF_ACTIVATIONS:
        # Without VNNI a product of two activations stays in float32.
        expect_vnni()
    case = CASES[name]
    module = quantized(case)
    if not RECORDED[name]["groups"] and name not in OTHERWISE:
        assert module.explained is None
        assert module.reason == "it has no product of float32 numbers to be quantized"
        return
    assert module.reason == ""
    made = groups([[op.kind for op in p.ops] for p in module.explained.partitions], OURS)
    assert made == OTHERWISE.get(name, groups(RECORDED[name]["groups"], THEIRS))
    for seed in (1, 2):
        for own, exact in zip(
            outputs(module, case, seed), outputs(case.module(), case, seed), strict=True
        ):
            near = torch.nn.functional.cosine_similarity(own.flatten(), exact.flatten(), 0)
            assert near > 0.99


def test_differences_are_explained():
    """Each in a row of the page, and there are no others."""
    page = (ROOT / "docs/pytorch_fuser.md").read_text()
    assert all(f"| `{name}` |" in page for name in OTHERWISE)
    assert page.count("\n| `") == len(OTHERWISE)
    for name, own in OTHERWISE.items():
        assert own == sorted(own)
        assert own != groups(RECORDED[name]["groups"], THEIRS)
