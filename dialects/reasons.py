"""Every code of a reason and what it means, by the attribute that holds the reason; docs/reasons.md shows it.

`not-exact` and `malformed-op` come from the conversions to `onnx`, `pinned` from device-place,
`constant-result` from device-confirm, `probe` from `autosplit split --probe`.
"""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, Mapping[str, str]] = {
    # An op that a device cannot have.
    "device.refused": {
        "unsupported-op": "the tool chain has no lowering for this kind of op",
        "wrong-numbers": "the tool chain takes the op and was measured to compute something else",
        "dtype": "a tensor has an element type that the chip does not compute in",
        "rank": "a tensor has more or fewer dimensions than the op's kernels take",
        "unknown-type": "nothing is known of a tensor's type",
        "dynamic-shape": "a dimension is not known, and sub-models are compiled for fixed shapes",
        "data-dependent": "a size depends on the data, not only on the input shapes",
        "empty-tensor": "a dimension is 0",
        "size": "a tensor is larger than the memory of the chip",
        "constant-operand": "an operand must be a constant of the model and is computed",
        "operand-value": "a constant operand has a value that the op's kernels do not take",
        "operand-count": "the op has more or fewer operands than its kernels take",
        "attribute": "an attribute has a value that the op's kernels do not take",
        "result": "a result is used that the op's kernels do not compute",
        "control-flow": "the op has bodies that run a varying number of times",
        "random": "the op's results are random numbers",
        "host-op": "the tool chain leaves the op to the host CPU",
        "dynamic-op": "the op makes its sub-model a dynamic one",
        "not-exact": "no ONNX op computes quite the same numbers",
        "malformed-op": "the op's operands and attributes do not fit each other",
        "pinned": "the user's --pin keeps the op on the other device",
        "promised": "the user's --shape promises the shape of what the op makes, and the runner looks at it",
        "constant-result": "the op's result is a constant, and is an output of the sub-model",
        "probe": "the op was tried on the chip's emulator, and failed or gave wrong numbers",
    },
    # An op that the TPU accepts and that is on the CPU all the same.
    "device.moved": {
        "tied": "the op may not be parted from one that the TPU does not take",
        "no-work": "the model computes nothing that the TPU could do",
        "fewest": "having the op on the TPU would take more sub-models than the plan has",
        "known": "all that is read of the op is known beforehand, or nothing is; it stays where it was",
    },
    # A node that stays QuantizeLinear or DequantizeLinear.
    "quant.refused": {
        "blocked": "scales are for blocks, the types have one for the tensor or one a channel",
        "dtype": "its integers, or the real numbers that they stand for, have a type that the casts have not",
        "dynamic-scale": "the scale or the zero point is computed, not a constant of the model",
        "dynamic-shape": "the rank of the tensor is not known, and the axis is counted from its end",
        "subnormal-scale": "a scale is smaller than any normal float32",
    },
    # An ONNX op near quantized values that is no op of oneDNN Graph.
    "dnnl.unmapped": {
        "attribute": "an attribute asks for something that the library's op does not do",
        "broadcast": "a smaller tensor meets a product that the library flattens, and would be read wrongly",
        "dtype": "the library's op does not take this element type",
        "dynamic-shape": "an attribute of the library's op depends on a size that is not known",
        "operand": "the library's op needs the operand as a constant, or of another shape",
        "per-axis": "there is a scale for each channel where the library computes with one",
        "range": "a quantize stops short of the ends of its integers, the library's does not",
        "rank": "a tensor has more or fewer dimensions than the library's op takes, or an unknown number",
        "unsupported-op": "oneDNN Graph has no such op",
        "version": "the library has the op, or an attribute of it, from a later version on",
        "weights-axis": "the weights' scales lie along another dimension than the results' channels",
        "weights-dtype": "the weights are stored as another type than s8",
        "weights-zero-point": "the weights have a zero point other than 0, and are not u8 around 128",
        "zero-point": "padding counts as 0 stored, which is not the number 0",
    },
    # An op of oneDNN Graph that is in no partition.
    "dnnl.unfused": {
        "chain-length": "more ops stand between the product and its quantize than a rule takes",
        "needs-quantize": "a pool or a concatenation of integers is fused with a quantize behind it only",
        "no-producer": "what is quantized comes from outside, so that there is nothing to fuse it with",
        "no-reader": "no op of the library reads what is dequantized",
        "no-rule": "no rule of this version takes the op where it stands",
        "not-a-sum": "an 8-bit tensor joins behind a product by another op than Add",
        "not-quantized": "the op reads real numbers and makes some",
        "operand": "an operand of the product is not dequantized, or is fused without it",
        "parameters": "scales or zero points before and behind the op are not those that the rule needs",
        "shared-dequantize": "several ops read what is dequantized, or the caller does",
        "shared-result": "several ops read a value inside of the group, or the caller does",
        "sum-needs-quantize": "an 8-bit tensor is added into a product only where a quantize follows",
        "sum-position": "an 8-bit tensor is added into a product right behind it only, before other ops",
        "sum-type": "the library would add this tensor wrongly",
        "version": "a rule of a later version takes the op",
        "weights-type": "the weights of the convolution are stored as another type than s8",
    },
}
