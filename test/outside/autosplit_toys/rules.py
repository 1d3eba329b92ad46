"""A fusion rule of oneDNN Graph for one kernel more."""

from autosplit.lowering.dnnl.rules.parts import Link, Rule, Source, Step

RULE = Rule(
    "toys-sigmoid",
    "a sigmoid of an 8-bit tensor, to 8 bits",
    root=Step(("Sigmoid",), sources=((0, Source((Link("Dequantize"),))),)),
    tail=(Step(("Quantize",), checks=("per-tensor",)),),
)
