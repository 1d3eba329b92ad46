"""What of graphs is looked up without scipy, beside scipy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autosplit.lowering.device.closures import components, without_shortcuts

Ints = NDArray[np.int64]


def random_arcs(seed: int) -> tuple[int, Ints, Ints]:
    """Arcs from lower to higher nodes, each once, in order."""
    random = np.random.default_rng(seed)
    count = int(random.integers(1, 40))
    pairs = np.sort(random.integers(0, count, (int(random.integers(0, 3 * count)), 2)), axis=1)
    arcs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0).astype(np.int64)
    return count, arcs[:, 0], arcs[:, 1]


@pytest.mark.parametrize("seed", range(40))
def test_connected_components_are_those_of_scipy(seed: int) -> None:
    count, tails, heads = random_arcs(seed)
    names = np.random.default_rng(seed).permutation(count)
    tails, heads = names[tails], names[heads]
    found = components(count, tails, heads, strong=False)
    ones = np.ones(len(tails))
    number, labels = connected_components(csr_matrix((ones, (tails, heads)), shape=(count, count)))
    assert found.max() + 1 == number
    # Numbered by their first members.
    assert [*dict.fromkeys(found.tolist())] == [*range(number)]
    assert len({*zip(found.tolist(), labels.tolist(), strict=True)}) == number


@pytest.mark.parametrize("seed", range(40))
def test_an_arc_is_a_shortcut_where_two_others_lead_the_same_way(seed: int) -> None:
    count, tails, heads = random_arcs(seed)
    arcs = {*zip(tails.tolist(), heads.tolist(), strict=True)}
    kept = {*zip(*(ends.tolist() for ends in without_shortcuts(count, tails, heads)), strict=True)}
    detours = {(u, v) for u, w in arcs for x, v in arcs if w == x}
    assert kept == arcs - detours


def test_splitting_a_model_that_is_all_for_the_chip_does_not_load_scipy(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(n, 1, [1, 8]) for n in "xy")
    nodes = [helper.make_node(k, [a], [b]) for k, a, b in (("Relu", "x", "r"), ("Exp", "r", "y"))]
    graph = helper.make_graph(nodes, "small", [x], [y])
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), tmp_path / "m.onnx")
    code = (
        "import sys\n"
        "from autosplit.tools.cli.main import main\n"
        f"main(['split', {str(tmp_path / 'm.onnx')!r}, '-o', {str(tmp_path / 'out')!r}])\n"
        "print('scipy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "False"
