"""Partitions whose arguments are read once each, as all releases of the library compute them right."""

from __future__ import annotations

from autosplit.dialects.dnnl import DnnlOp, PartitionOp


def without_shared_inputs(op: PartitionOp) -> tuple[PartitionOp, list[int]]:
    """The partition, or a copy, with every argument read once; and which operand each argument stands for.

    Where one tensor is both what a convolution reads and what is added to it, 3.6 computes wrong sums; two
    tensors that lie in the same memory are right in all versions.
    """
    origins, constants = list(range(len(op.inputs))), list(op.constant_indices)
    if all(argument.uses.get_length() < 2 for argument in op.body.block.args):
        return op, origins
    copy = op.clone()
    block = copy.body.block
    for index, argument in enumerate(list(block.args)):
        for use in list(argument.uses)[1:]:
            if isinstance(use.operation, DnnlOp):
                if index in constants:
                    constants.append(len(block.args))
                use.operation.operands[use.index] = block.insert_arg(argument.type, len(block.args))
                origins.append(index)
    copy.set_constants(constants)
    return copy, origins
