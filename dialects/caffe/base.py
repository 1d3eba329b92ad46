"""The common base of the ops of the `caffe` dialect."""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import opt_prop_def, prop_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from autosplit.core.units import counted
from autosplit.dialects.caffe.messages import MESSAGES
from autosplit.dialects.caffe.params import default_of, problem, to_value
from autosplit.dialects.caffe.spec import LayerSpec
from autosplit.dialects.platform import PlatformOp, parse_name, strings

_OWN = {"layer.tops": "tops", "layer.blobs": "blobs", "layer.type": "layer_type"}
"""The names in the text of properties that are not fields of the layer. No field's name has a dot."""


class CaffeOp(PlatformOp, ABC):
    """A layer of a Caffe network.

    What it reads and gives are values. Where layers write over what they read (`top` is `bottom`), only the
    last value has the blob's own name, and the earlier ones are called `BLOB@LAYER`.
    """

    value_names = prop_def(ArrayAttr[StringAttr])
    """The name of each result, which no other value has."""
    tops = opt_prop_def(ArrayAttr[StringAttr])
    """The blobs that the results are in the file, where these are not called as the values."""
    params = prop_def(DictionaryAttr)
    """The fields of the layer, as `params` has them; without name, type, bottoms, tops and weights."""
    blobs = opt_prop_def(ArrayAttr)
    """The weights: `#platform.weight`, or dense if they are small."""
    bottoms = var_operand_def()
    outputs = var_result_def()

    SPELLED: ClassVar[frozenset[str]] = PlatformOp.SPELLED | {"value_names"}
    SPEC: ClassVar[LayerSpec | None] = None

    def value_name(self, index: int) -> str:
        return self.value_names.data[index].data

    @property
    def names(self) -> list[str]:
        """The names of the results."""
        return [name.data for name in self.value_names]

    @property
    def top_names(self) -> list[str]:
        """The blobs that the results are in the file."""
        return self.names if self.tops is None else [name.data for name in self.tops]

    @property
    def weights(self) -> list[Attribute]:
        """The weights, as the IR holds them."""
        return [] if self.blobs is None else list(self.blobs)

    @property
    def own_params(self) -> dict[str, Attribute]:
        """The fields of the message that is for this type of layer."""
        params = None if self.SPEC is None else self.params.data.get(self.SPEC.param)
        return dict(params.data) if isinstance(params, DictionaryAttr) else {}

    def get(self, name: str) -> Any:
        """A field of the layer's own parameters as a Python value; its default where it is not set.

        None if it has no default, `[]` and `{}` for repeated fields and messages. Raises KeyError for a
        field that the layer does not have.
        """
        assert self.SPEC is not None
        spec = MESSAGES[MESSAGES["Layer"][self.SPEC.param].kind][name]
        attr = self.own_params.get(name)
        return default_of(spec) if attr is None else to_value(attr)

    def print_result_names(self, printer: Printer) -> None:
        printer.print_string(" -> ")
        with printer.in_square_brackets():
            printer.print_list(self.names, printer.print_string_literal)

    @classmethod
    def parse_result_names(cls, parser: Parser) -> dict[str, Attribute]:
        parser.parse_punctuation("->")
        names = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_name(parser, "the name of a result")
        )
        return {"value_names": strings(names)}

    def shown_properties(self) -> dict[str, Attribute]:
        own = {text: self.properties[k] for text, k in _OWN.items() if k in self.properties}
        return own | self.params.data

    @classmethod
    def read_properties(cls, shown: dict[str, Attribute]) -> dict[str, Attribute]:
        own_properties = {own: shown.pop(text) for text, own in _OWN.items() if text in shown}
        return own_properties | {"params": DictionaryAttr(shown)}

    def verify_(self) -> None:
        label = f"{self.op_type} {self.node_name.data!r}"
        if len(self.value_names) != len(self.results):
            raise VerifyException(
                f"{label} has {counted(len(self.results), 'result')} and "
                f"{counted(len(self.value_names), 'name')} for them"
            )
        if self.tops is not None and len(self.tops) != len(self.results):
            raise VerifyException(
                f"{label} has {counted(len(self.results), 'result')} and {counted(len(self.tops), 'top')}"
            )
        if (text := problem("Layer", self.params.data)) is not None:
            raise VerifyException(f"{label}: {text}")
        if self.SPEC is not None:
            counts = len(self.operands), len(self.results), len(self.weights)
            if (text := misfit(self.SPEC, *counts)) is not None:
                raise VerifyException(f"{label} {text}")


def misfit(spec: LayerSpec, bottoms: int, tops: int, weights: int) -> str | None:
    """What is wrong with a layer's number of bottoms, tops and weights; None if nothing is."""
    for noun, count, (low, high) in (
        ("bottom", bottoms, spec.bottoms),
        ("top", tops, spec.tops),
        ("weight", weights, (0, spec.weights[1])),
    ):
        if count < low or (high is not None and count > high):
            return f"has {counted(count, noun)}, expected {_range_text(low, high)}"
    return None


def _range_text(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    return str(low) if low == high else f"{low} to {high}"
