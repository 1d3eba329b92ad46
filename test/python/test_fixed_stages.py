"""The plan for fixed devices: as good as the search finds it, and for any number of sub-models."""

from __future__ import annotations

import numpy as np
import pytest

from autosplit.lowering.device.stages import HOST, InfeasibleError, Problem, Values, fewest, fixed


def random_problem(seed: int, count: int) -> Problem:
    random = np.random.default_rng(seed)
    tpu = random.random(count) < 0.5
    edges = [
        (a, b) for a in range(count) for b in range(a + 1, count) if random.random() < 2 / count
    ]
    values = [(HOST, [0], 4, False), *((a, [b], 4, False) for a, b in edges)]
    return Problem(
        count,
        np.array(edges, np.int64).reshape(-1, 2),
        ~tpu,
        tpu,
        np.ones(count, np.int64),
        np.ones(count, np.int64),
        Values.of(values),
    )


@pytest.mark.parametrize("seed", range(30))
def test_as_few_sub_models_as_the_search_finds(seed: int):
    problem = random_problem(seed, 12)
    plan = fixed(problem)
    assert len(plan.devices) == len(fewest(problem, max_stages=12)[0].devices)
    for a, b in problem.edges:
        assert plan.stages[a] <= plan.stages[b]
    for atom, stage in enumerate(plan.stages):
        assert plan.devices[stage] == ("tpu" if problem.tpu[atom] else "cpu")
    assert plan.ops_on_tpu == plan.ops_possible == int(problem.tpu.sum())


def test_there_is_no_limit_to_their_number():
    count = 200
    tpu = np.arange(count) % 2 == 1
    edges = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    ones = np.ones(count, np.int64)
    plan = fixed(Problem(count, edges, ~tpu, tpu, ones, ones))
    assert plan.stages.tolist() == list(range(count))


def test_no_atoms_are_no_sub_models():
    nothing = np.zeros(0, np.bool_)
    none = np.zeros(0, np.int64)
    plan = fixed(Problem(0, none.reshape(0, 2), nothing, nothing, none, none))
    assert plan.devices == []


def test_an_atom_that_both_devices_take_is_another_question():
    both = np.ones(1, np.bool_)
    one = np.ones(1, np.int64)
    edges = np.zeros((0, 2), np.int64)
    with pytest.raises(InfeasibleError, match="accepted by both devices"):
        fixed(Problem(1, edges, both, both, one, one))
    with pytest.raises(InfeasibleError, match="no device takes"):
        fixed(Problem(1, edges, ~both, ~both, one, one))
