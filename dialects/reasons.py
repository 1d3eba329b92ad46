"""Every reason code and its meaning, by the attribute that holds the reason; docs/reasons.md shows it.

`not-exact` and `malformed-op` come from the conversions to `onnx`, `pinned` from device-place,
`constant-result` from device-confirm, `probe` from `autosplit split --probe`.
"""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, Mapping[str, str]] = {
    # An op that a device cannot run.
    "device.refused": {
        "unsupported-op": "the tool chain has no lowering for this kind of op",
        "wrong-numbers": "the tool chain accepts the op, but was measured to compute something else",
        "dtype": "a tensor has an element type that the chip does not compute in",
        "rank": "a tensor has more or fewer dimensions than the op's kernels accept",
        "unknown-type": "the type of a tensor is unknown",
        "dynamic-shape": "a dimension is unknown, but sub-models are compiled for fixed shapes",
        "data-dependent": "a size depends on the data, not only on the input shapes",
        "empty-tensor": "a dimension is 0",
        "size": "a tensor is larger than the memory of the chip",
        "constant-operand": "an operand is computed, but must be a constant of the model",
        "operand-value": "a constant operand has a value that the op's kernels do not accept",
        "operand-count": "the op has more or fewer operands than its kernels accept",
        "attribute": "an attribute has a value that the op's kernels do not accept",
        "result": "a result is used that the op's kernels do not compute",
        "control-flow": "the op has bodies that run a varying number of times",
        "random": "the op's results are random numbers",
        "mutation": "the op writes to a tensor that others may read",
        "state": "the value is kept from one run of the model to the next",
        "training": "the op behaves as in training, and the model should be exported for inference",
        "host-op": "the tool chain leaves the op to the host CPU",
        "dynamic-op": "the op makes its sub-model dynamic",
        "not-exact": "no ONNX op computes exactly the same numbers",
        "malformed-op": "the op's operands and attributes contradict each other",
        "pinned": "the user's --pin keeps the op on the other device",
        "promised": "the user's --shape promises the shape of the op's result, and the runner checks it",
        "constant-result": "the op's result is a constant, and is an output of the sub-model",
        "probe": "the op was tried on the chip's emulator, and failed or gave wrong numbers",
    },
    # An op that the TPU accepts, but that is on the CPU.
    "device.moved": {
        "tied": "the op must stay together with one that the TPU does not accept",
        "no-work": "the model computes nothing that the TPU could do",
        "fewest": "with the op on the TPU, the plan would need more sub-models",
        "known": "all results that are read are constants, or none is read; it stays in place",
    },
    # An op of PyTorch's that stays beside an update in place.
    "aten.kept": {
        "metadata": "an update would change the sizes of a tensor that the caller has",
        "no-twin": "no functional op computes what an update writes",
        "overlap": "elements of an updated view share memory, or an update reads what it writes elsewhere",
        "shared": "the op makes, reads or updates a tensor in memory that stays for another reason",
        "unknown": "it is unknown what shares the memory of a tensor that is updated",
        "view": "no op puts what an updated view has become back into its tensor",
    },
    # A node that stays QuantizeLinear or DequantizeLinear, or an op on quantized tensors such as QLinearAdd.
    "quant.refused": {
        "blocked": "there is a scale for each block; the types have one per tensor or per channel",
        "dtype": "its integers, or the real numbers that they represent, have a type that the casts lack",
        "dynamic-scale": "the scale or the zero point is computed, not a constant of the model",
        "dynamic-shape": "the rank of the tensor is unknown, and the axis is counted from its end",
        "operand-count": "the op lacks a tensor or a scale",
        "runtime-op": "ONNX Runtime does in one op what no op of the library does",
        "subnormal-scale": "a scale is smaller than any normal float32",
    },
    # A product, or what stands between products, that quantizing leaves in float32.
    "quant.kept": {
        "dtype": "an operand is not float32",
        "operand": "the weights are computed, or the first operand is a constant",
        "recipe": "the recipe says so",
        "saturation": "both operands are computed, and the processor adds two products of bytes in 16 bits",
    },
    # Why the weights of a product have 7 bits or 8, for a processor that adds two products in 16 bits.
    "quant.weights": {
        "fits": "8 bits: no two weights that may be added exceed 16 bits for the activations' largest byte",
        "one-by-one": "8 bits: the library's kernels add these products in 32 bits",
        "recipe": "the recipe says so",
        "saturation": "7 bits: two weights that may be added exceed 16 bits",
    },
    # An ONNX op next to quantized values that is not converted to an op of oneDNN Graph.
    "dnnl.unmapped": {
        "attribute": "an attribute asks for something that the library's op does not do",
        "broadcast": "a smaller tensor joins a product that the library flattens and would be read wrongly",
        "dtype": "the library's op does not accept this element type",
        "dynamic-shape": "an attribute of the library's op depends on an unknown size",
        "operand": "the library's op needs a constant operand, or one of another shape",
        "per-axis": "there is a scale for each channel, but the library uses only one",
        "range": "a quantize does not use the full range of its integers, but the library's does",
        "rank": "a tensor's number of dimensions is unknown, or one that the library's op does not accept",
        "slow-kernel": "the library computes it with a reference kernel, slower than ONNX Runtime's",
        "unsupported-op": "oneDNN Graph has no such op",
        "version": "only later versions of the library have the op, or one of its attributes",
        "weights-axis": "the weights' scales are along another dimension than the results' channels",
        "weights-dtype": "the weights are not stored as s8",
        "weights-zero-point": "the weights have a zero point other than 0 and are not u8 around 128",
        "zero-point": "padding is stored as 0, which does not represent the number 0",
    },
    # An op of oneDNN Graph that is in no partition.
    "dnnl.unfused": {
        "chain-length": "there are more ops between the product and its quantize than a rule allows",
        "measured": "`compile --tune` found that ONNX Runtime runs this part of the model faster",
        "needs-quantize": "a pool or a concatenation of integers is fused only with a quantize behind it",
        "no-producer": "the quantized value comes from outside, so there is no op to fuse with",
        "no-reader": "no op of the library reads the dequantized value",
        "no-rule": "no rule of this version matches the op in this position",
        "not-a-sum": "an 8-bit tensor is combined with a product by an op other than Add",
        "not-quantized": "the op reads and computes real numbers",
        "operand": "an operand of the product is not dequantized, or is fused without it",
        "parameters": "scales or zero points before and behind the op are not those that the rule needs",
        "pool-neighbour": "another runtime runs an op beside the pool; in its order of memory pools are slow",
        "shared-dequantize": "several ops, or the caller, read the dequantized value",
        "shared-result": "several ops, or the caller, read a value inside the group",
        "slow-kernel": "the library computes it with a reference kernel, slower than ONNX Runtime's",
        "sum-needs-quantize": "an 8-bit tensor is added to a product only if a quantize follows",
        "sum-position": "an 8-bit tensor is added to a product only directly behind it, before other ops",
        "sum-type": "the library would add this tensor wrongly",
        "version": "a rule of a later version takes the op",
        "weights-type": "the weights of the convolution are not stored as s8",
    },
}
