"""Every fuser test of PyTorch's oneDNN Graph integration has a test here: the table, and that it is whole.

The list is that of versions 1.10 and 1.11 (test_jit_llga_quantization_fuser.py) and of the last one
(test_ao_jit_llga_quantization_fuser.py). Four kinds of differences are on purpose, and
each test says its own:

- What a framework does beside the graph has no counterpart in ONNX: writing in place, methods instead of
  functions, memory formats, aliases, attributes left behind.
- A weight that the model quantizes itself is quantized when the model is compiled.
- Where the originals expect what only later versions of the library fuse (softmax or layer norm with a
  quantize), the tests ask for both versions.
- ResNet-50 is one group a layer: the original's seven came from an experimental back end for large groups.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

OPS, FUSION, SUM, BMM, LIFT, SHAPES, BF16, MODELS = (
    f"test_{name}.py"
    for name in ("ops", "fusion", "sum", "bmm", "lift", "shapes", "bf16", "models")
)

FIRST = "1.10"
"""Versions 1.10 and 1.11; the other is LAST."""
LAST = "last"

ORIGINAL_TESTS: dict[tuple[str, str], tuple[str, ...]] = {
    # (version, name): the tests here, as file and function.
    (FIRST, "conv2d_int8_in_f32_out"): (f"{OPS}::test_conv_int8_in_f32_out",),
    (FIRST, "linear_int8_in_f32_out"): (f"{OPS}::test_linear_int8_in_f32_out",),
    (FIRST, "linear_int8_in_int8_out"): (f"{OPS}::test_linear_int8_in_int8_out",),
    (FIRST, "linear_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (FIRST, "max_pool2d"): (f"{OPS}::test_max_pool2d",),
    (FIRST, "bmm_int8_in_f32_out"): (f"{OPS}::test_bmm_int8_in_f32_out",),
    (FIRST, "strided_bmm_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (FIRST, "add_scalar_input"): (f"{OPS}::test_add_scalar_input",),
    (FIRST, "conv2d_eltwise"): (f"{FUSION}::test_conv2d_eltwise",),
    (FIRST, "conv2d_bn"): (f"{FUSION}::test_conv2d_bn",),
    (FIRST, "conv2d_bn_relu"): (f"{FUSION}::test_conv2d_bn_relu",),
    (FIRST, "linear_eltwise"): (f"{FUSION}::test_linear_eltwise",),
    (FIRST, "conv2d_sum"): (
        f"{SUM}::test_conv2d_sum",
        f"{SUM}::test_conv2d_sum_as_quantize_static_writes_it",
        f"{SUM}::test_conv2d_sum_in_float",
    ),
    (FIRST, "linear_dropout_sum"): (f"{SUM}::test_linear_dropout_sum",),
    (FIRST, "linear_dropout_sum_bf16"): (f"{BF16}::test_linear_dropout_sum_bf16_of_1_10",),
    (FIRST, "linear_gelu_bf16"): (f"{BF16}::test_groups",),
    (FIRST, "defer_size"): (f"{LIFT}::test_defer_size",),
    (FIRST, "lift_up_quant"): (f"{LIFT}::test_lift_up_quant",),
    (FIRST, "lift_up_to_quant"): (f"{BF16}::test_groups",),
    (FIRST, "wildcard"): (f"{FUSION}::test_wildcard",),
    (FIRST, "bmm_div_scalar"): (f"{BMM}::test_bmm_div_scalar",),
    (FIRST, "bmm_div_identity"): (f"{BMM}::test_bmm_div_identity",),
    (FIRST, "bmm_div_tensor"): (f"{BMM}::test_bmm_div_tensor",),
    (FIRST, "bmm_div_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (FIRST, "strided_bmm_div_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (FIRST, "split_dequant_to"): (f"{BF16}::test_groups", f"{LIFT}::test_split_dequant"),
    (FIRST, "view_permute"): (f"{SHAPES}::test_view_permute",),
    (FIRST, "conv_reshape"): (f"{SHAPES}::test_conv_reshape",),
    (FIRST, "vision_resnet50"): (f"{MODELS}::test_vision_resnet50",),
    # Added by version 1.11.
    (FIRST, "linear_sum_inplace"): (f"{SUM}::test_linear_sum_inplace",),
    (FIRST, "bmm_div_add_int8_fp32"): (f"{BMM}::test_bmm_div_add_int8_fp32",),
    (FIRST, "bmm_div_add_int8_bf16"): (f"{BF16}::test_groups",),
    (FIRST, "mha_pattern_int8_fp32"): (f"{BMM}::test_mha_pattern_int8_fp32",),
    (FIRST, "mha_pattern_int8_bf16"): (f"{BF16}::test_mha_pattern_int8_bf16",),
    (LAST, "conv_int8_in_f32_out"): (
        f"{OPS}::test_conv_int8_in_f32_out",
        f"{OPS}::test_conv_with_signed_activations",
    ),
    (LAST, "deconv_int8_in_f32_out"): (f"{OPS}::test_deconv_int8_in_f32_out",),
    (LAST, "conv_no_freeze"): (
        f"{OPS}::test_conv_no_freeze",
        f"{OPS}::test_conv_of_a_float_weight",
    ),
    (LAST, "conv_share_dequant_weight"): (f"{OPS}::test_conv_share_dequant_weight",),
    (LAST, "linear_int8_in_f32_out"): (f"{OPS}::test_linear_int8_in_f32_out",),
    (LAST, "linear_int8_in_int8_out"): (f"{OPS}::test_linear_int8_in_int8_out",),
    (LAST, "linear_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (LAST, "max_pool2d"): (f"{OPS}::test_conv_and_max_pool2d",),
    (LAST, "add_scalar_input"): (f"{OPS}::test_add_scalar_input",),
    (LAST, "reshape_6D_linear"): (f"{OPS}::test_reshape_6d_linear",),
    (LAST, "3d_bmm_int8_in_f32_out"): (f"{OPS}::test_3d_bmm_int8_in_f32_out",),
    (LAST, "bmm_int8_in_f32_out"): (f"{OPS}::test_bmm_int8_in_f32_out",),
    (LAST, "strided_bmm_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (LAST, "mixed_precision_softmax"): (
        f"{OPS}::test_mixed_precision_softmax",
        f"{BF16}::test_mixed_precision_softmax",
    ),
    (LAST, "conv2d_eltwise"): (f"{FUSION}::test_conv2d_eltwise",),
    (LAST, "conv2d_clamp"): (f"{FUSION}::test_conv2d_clamp",),
    (LAST, "conv2d_silu"): (f"{FUSION}::test_conv2d_silu",),
    (LAST, "deconv_silu"): (f"{FUSION}::test_deconv_silu",),
    (LAST, "ensure_tensor_is_rewrapped"): (f"{FUSION}::test_ensure_tensor_is_rewrapped",),
    (LAST, "conv2d_bn"): (f"{FUSION}::test_conv2d_bn",),
    (LAST, "conv2d_bn_relu"): (f"{FUSION}::test_conv2d_bn_relu",),
    (LAST, "linear_bn"): (f"{FUSION}::test_linear_bn_1d", f"{FUSION}::test_linear_bn"),
    (LAST, "conv_bn_linear_bn"): (f"{FUSION}::test_conv_bn_linear_bn",),
    (LAST, "linear_eltwise"): (f"{FUSION}::test_linear_eltwise",),
    (LAST, "linear_silu"): (f"{FUSION}::test_linear_silu",),
    (LAST, "conv_relu_sigmoid_mul"): (f"{FUSION}::test_conv_relu_sigmoid_mul",),
    (LAST, "conv_eltwise_tensor_method"): (f"{FUSION}::test_conv_eltwise_tensor_method",),
    (LAST, "conv2d_sum"): (f"{SUM}::test_conv2d_sum",),
    (LAST, "add_quantization"): (f"{SUM}::test_add_quantization",),
    (LAST, "conv2d_sigmoid_mul_"): (
        f"{FUSION}::test_conv2d_sigmoid_mul_",
        f"{FUSION}::test_conv2d_sigmoid_mul_refused",
    ),
    (LAST, "conv2d_hardsigmoid_mul_"): (f"{FUSION}::test_conv2d_hardsigmoid_mul_",),
    (LAST, "linear_dropout_sum"): (f"{SUM}::test_linear_dropout_sum",),
    (LAST, "linear_dropout_sum_bf16"): (f"{BF16}::test_linear_dropout_sum_bf16",),
    (LAST, "linear_sum_inplace"): (f"{SUM}::test_linear_sum_inplace",),
    (LAST, "linear_with_multiple_add"): (f"{SUM}::test_linear_with_multiple_add",),
    (LAST, "linear_gelu_bf16"): (f"{BF16}::test_groups",),
    (LAST, "defer_size"): (f"{LIFT}::test_defer_size",),
    (LAST, "lift_up_quant"): (f"{LIFT}::test_lift_up_quant",),
    (LAST, "lift_up_to_quant_bf16"): (f"{BF16}::test_groups",),
    (LAST, "lift_up_quant_unsupported"): (f"{LIFT}::test_lift_up_quant_unsupported",),
    (LAST, "wildcard"): (f"{FUSION}::test_wildcard",),
    (LAST, "bmm_div_scalar"): (f"{BMM}::test_bmm_div_scalar",),
    (LAST, "bmm_div_identity"): (f"{BMM}::test_bmm_div_identity",),
    (LAST, "bmm_div_tensor"): (f"{BMM}::test_bmm_div_tensor",),
    (LAST, "bmm_div_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (LAST, "bmm_method_bf16"): (f"{BF16}::test_groups",),
    (LAST, "bmm_method_fp32"): (f"{BMM}::test_bmm_method_fp32",),
    (LAST, "strided_bmm_div_int8_in_bf16_out"): (f"{BF16}::test_groups",),
    (LAST, "bmm_div_add_int8_fp32"): (f"{BMM}::test_bmm_div_add_int8_fp32",),
    (LAST, "bmm_div_add_int8_bf16"): (f"{BF16}::test_groups",),
    (LAST, "mha_pattern_int8_fp32"): (f"{BMM}::test_mha_pattern_int8_fp32",),
    (LAST, "mha_pattern_int8_bf16"): (f"{BF16}::test_mha_pattern_int8_bf16",),
    (LAST, "split_dequant_to"): (f"{BF16}::test_groups", f"{LIFT}::test_split_dequant"),
    (LAST, "dequant_remove_attr"): (f"{LIFT}::test_dequant_remove_attr",),
    (LAST, "fx_converted_model"): (f"{FUSION}::test_fx_converted_model",),
    (LAST, "fx_ao_qat_converted_model"): (f"{FUSION}::test_fx_ao_qat_converted_model",),
    (LAST, "fx_ao_qat_model"): (f"{FUSION}::test_fx_ao_qat_model",),
    (LAST, "ffn_residual"): (f"{SUM}::test_ffn_residual",),
    (LAST, "inplace_computation_accuracy"): (f"{SUM}::test_inplace_computation_accuracy",),
    (LAST, "view_permute"): (f"{SHAPES}::test_view_permute",),
    (LAST, "conv_reshape"): (f"{SHAPES}::test_conv_reshape",),
    (LAST, "add_recipe"): (f"{SUM}::test_add_recipe",),
    (LAST, "vision_resnet50"): (f"{MODELS}::test_vision_resnet50",),
}

# The names, once more as the originals list them: a line lost above is a name missing here.
NAMES = {
    FIRST: """
        conv2d_int8_in_f32_out linear_int8_in_f32_out linear_int8_in_int8_out linear_int8_in_bf16_out
        max_pool2d bmm_int8_in_f32_out strided_bmm_int8_in_bf16_out add_scalar_input

        conv2d_eltwise conv2d_bn conv2d_bn_relu linear_eltwise conv2d_sum linear_dropout_sum
        linear_dropout_sum_bf16 linear_gelu_bf16 defer_size lift_up_quant lift_up_to_quant wildcard
        bmm_div_scalar bmm_div_identity bmm_div_tensor bmm_div_int8_in_bf16_out
        strided_bmm_div_int8_in_bf16_out split_dequant_to

        view_permute conv_reshape vision_resnet50

        linear_sum_inplace bmm_div_add_int8_fp32 bmm_div_add_int8_bf16 mha_pattern_int8_fp32
        mha_pattern_int8_bf16
    """,
    LAST: """
        conv_int8_in_f32_out deconv_int8_in_f32_out conv_no_freeze conv_share_dequant_weight
        linear_int8_in_f32_out linear_int8_in_int8_out linear_int8_in_bf16_out max_pool2d add_scalar_input
        reshape_6D_linear 3d_bmm_int8_in_f32_out bmm_int8_in_f32_out strided_bmm_int8_in_bf16_out
        mixed_precision_softmax

        conv2d_eltwise conv2d_clamp conv2d_silu deconv_silu ensure_tensor_is_rewrapped conv2d_bn
        conv2d_bn_relu linear_bn conv_bn_linear_bn linear_eltwise linear_silu conv_relu_sigmoid_mul
        conv_eltwise_tensor_method conv2d_sum add_quantization conv2d_sigmoid_mul_ conv2d_hardsigmoid_mul_
        linear_dropout_sum linear_sum_inplace linear_with_multiple_add linear_dropout_sum_bf16
        linear_gelu_bf16 defer_size lift_up_quant lift_up_to_quant_bf16 lift_up_quant_unsupported wildcard
        bmm_div_scalar bmm_div_identity bmm_div_tensor bmm_div_int8_in_bf16_out bmm_method_bf16
        bmm_method_fp32 strided_bmm_div_int8_in_bf16_out bmm_div_add_int8_fp32 mha_pattern_int8_fp32
        mha_pattern_int8_bf16 bmm_div_add_int8_bf16 split_dequant_to dequant_remove_attr
        fx_converted_model fx_ao_qat_converted_model fx_ao_qat_model ffn_residual
        inplace_computation_accuracy

        view_permute conv_reshape add_recipe vision_resnet50
    """,
}


def test_every_name_has_a_test():
    listed = {(version, name) for version, names in NAMES.items() for name in names.split()}
    assert len(listed) == 34 + 63
    assert set(ORIGINAL_TESTS) == listed


def _functions(file: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(Path(__file__).with_name(file).read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("file", [OPS, FUSION, SUM, BMM, LIFT, SHAPES, BF16, MODELS])
def test_the_tests_exist_and_run(file: str):
    """What the table names is there, asserts something, is not skipped, and says the original's name."""
    functions = _functions(file)
    mine = [
        (name, test.partition("::")[2])
        for (_, name), tests in ORIGINAL_TESTS.items()
        for test in tests
        if test.startswith(f"{file}::")
    ]
    assert mine
    for name, test in mine:
        function = functions[test]
        decorators = [ast.unparse(d) for d in function.decorator_list]
        assert not [d for d in decorators if "skip" in d or "xfail" in d], test
        body = ast.unparse(function)
        assert "expect(" in body or "assert " in body, test
        said = (ast.get_docstring(function) or "").partition("]")[0]
        if test == "test_groups":
            said = next(
                ast.unparse(n) for n in ast.parse(Path(__file__).with_name(file).read_text()).body
                if isinstance(n, ast.AnnAssign) and ast.unparse(n.target) == "CASES"
            )  # fmt: skip
            # One graph for the three ways of one test that differ by version.
            name = {"lift_up_to_quant": "lift_up_to_quant_bf16"}.get(name, name)
        assert name in said, f"{test} does not say {name}"
