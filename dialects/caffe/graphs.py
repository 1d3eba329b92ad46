"""Caffe networks: the op that holds one.

Layers stand in the order in which Caffe runs them. The inputs are ops too, as Caffe's Input layers are.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, region_def, traits_def
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from autosplit.dialects.bodies import check_order
from autosplit.dialects.caffe.base import CaffeOp
from autosplit.dialects.caffe.ops import InputOp
from autosplit.dialects.platform import PlatformGraph, PlatformOp, strings


@irdl_op_definition
class GraphOp(PlatformGraph):
    """A whole Caffe network.

    `outputs` are the names of the values that a caller receives; by default those that nothing reads. `net`
    is what the prototxt says beside its layers. Example:

        caffe.graph outputs ["y"] net {name = "n"} {
          %x = caffe.Input "x" () -> ["x"] : () -> tensor<1x8xf32>
          %y = caffe.ReLU "y" (%x) -> ["y"] : (tensor<1x8xf32>) -> tensor<1x8xf32>
        }
    """

    name = "caffe.graph"
    outputs = opt_prop_def(ArrayAttr[StringAttr])
    net = opt_prop_def(DictionaryAttr)
    body = region_def("single_block")
    assembly_format = "(`outputs` $outputs^)? (`net` $net^)? attr-dict-with-keyword $body"
    traits = traits_def(NoTerminator())

    def __init__(
        self,
        body: Region,
        outputs: Iterable[str] | None = None,
        net: DictionaryAttr | None = None,
    ):
        super().__init__(
            properties={"outputs": None if outputs is None else strings(outputs), "net": net},
            regions=[body],
        )

    def layers(self) -> list[CaffeOp]:
        """The layers, inputs included."""
        return [op for op in self.body.block.ops if isinstance(op, CaffeOp)]

    def values(self) -> dict[str, SSAValue]:
        """All values by name, in the order in which they are made."""
        return {
            op.value_name(i): v
            for op in self.body.block.ops
            if isinstance(op, PlatformOp)
            for i, v in enumerate(op.results)
        }

    def graph_inputs(self) -> list[tuple[str, SSAValue]]:
        return [
            (op.value_name(0), op.results[0])
            for op in self.body.block.ops
            if isinstance(op, InputOp)
        ]

    def graph_outputs(self) -> list[tuple[str, SSAValue]]:
        values = self.values()
        if self.outputs is not None:
            return [(name.data, values[name.data]) for name in self.outputs]
        return [
            (n, v)
            for n, v in values.items()
            if v.first_use is None and not _holds_no_layer(v.owner)
        ]

    def keep_outputs(self, names: Container[str]) -> None:
        self.outputs = strings(name for name, _ in self.graph_outputs() if name in names)

    def verify_(self) -> None:
        names: set[str] = set()
        for op in self.body.block.ops:
            if not isinstance(op, PlatformOp):
                raise VerifyException(f"holds {op.name}, expected only layers of a network")
            for i in range(len(op.results)):
                if (name := op.value_name(i)) in names:
                    raise VerifyException(f"two values are called {name!r}")
                names.add(name)
        for name in cast("Iterable[StringAttr]", self.outputs or ()):
            if name.data not in names:
                raise VerifyException(f"output {name.data!r} is not a value of the network")
        check_order(self.body.block)


def _holds_no_layer(owner: object) -> bool:
    return isinstance(owner, CaffeOp) and (owner.IS_CONSTANT or isinstance(owner, InputOp))


def layers_of(holder: Operation) -> list[CaffeOp]:
    """The layers of a network, or of a sub-model that was cut from one."""
    return [op for op in holder.regions[0].block.ops if isinstance(op, CaffeOp)]
