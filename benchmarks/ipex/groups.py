"""Records how Intel's extension for PyTorch groups the modules of its fuser's tests.

    PYTHON benchmarks/ipex/groups.py benchmarks/results/ipex_groups.json

PYTHON has torch and intel-extension-for-pytorch, 2.8 of both; autosplit need not be there. The file lists,
for each module, the ops of each group in the order of the graph, and the ops outside of the groups.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "python"))

from fuser_modules import CASES, Case

QUIET = ("prim::Constant", "prim::ListConstruct", "prim::TupleConstruct", "prim::ListUnpack")


def main(out: str) -> None:
    """Runs all modules and writes what became of them."""
    import intel_extension_for_pytorch as ipex

    warnings.simplefilter("ignore")
    found = {name: groups(case) for name, case in CASES.items()}
    told = {"torch": torch.__version__, "extension": ipex.__version__, "modules": found}
    Path(out).write_text(json.dumps(told, indent=1) + "\n")


def groups(case: Case) -> dict[str, object]:
    """The groups of one module, quantized by the extension's default recipe."""
    from intel_extension_for_pytorch.quantization import (
        convert,
        default_static_qconfig_mapping,
        prepare,
    )

    inputs = case.inputs()
    autocast = torch.autocast("cpu", dtype=torch.bfloat16, enabled=case.bf16)
    with torch.no_grad(), autocast:
        try:
            prepared = prepare(
                case.module(), default_static_qconfig_mapping, example_inputs=inputs, inplace=False
            )
            for seed in range(2):
                prepared(*case.inputs(seed + 1))
            traced = torch.jit.freeze(torch.jit.trace(convert(prepared), inputs).eval())
            for _ in range(3):
                traced(*inputs)
        except Exception as error:
            return {"error": str(error).splitlines()[0]}
        graph = traced.graph_for(*inputs)
    fused = [node for node in graph.nodes() if "LlgaFusionGroup" in node.kind()]
    return {
        "groups": [kinds(node.g("Subgraph")) for node in fused],
        "outside": [kind for kind in kinds(graph) if "LlgaFusionGroup" not in kind],
    }


def kinds(graph: torch._C.Graph) -> list[str]:
    """The kinds of a graph's ops, without those that only hold values."""
    return [n.kind().split("::")[1] for n in graph.nodes() if n.kind() not in QUIET]


if __name__ == "__main__":
    main(sys.argv[1])
