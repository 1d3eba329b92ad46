"""Stages against the enumeration of all assignments, on graphs small enough for it."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autosplit.core.errors import AutosplitError
from autosplit.lowering.device import closures
from autosplit.lowering.device import stages as stages_module
from autosplit.lowering.device.closures import heaviest_by_rank, least_and_greatest
from autosplit.lowering.device.stage_graph import StageGraph
from autosplit.lowering.device.stages import (
    DEVICES,
    HOST,
    InfeasibleError,
    Point,
    Problem,
    StagePlan,
    Values,
    contract_cycles,
    earliest_stages,
    fewest,
)

ints = np.int64
Row = tuple[int, list[int], int, bool]


def problem_of(
    kinds: str,
    edges: list[tuple[int, int]],
    work: list[int],
    ops: list[int] | None = None,
    values: list[Row] | None = None,
) -> Problem:
    """Kinds: a letter for each atom, c: only the CPU, t: only the TPU, b: both, n: none."""
    return Problem(
        count=len(kinds),
        edges=np.array(edges, dtype=ints).reshape(-1, 2),
        cpu=np.array([k in "cb" for k in kinds], dtype=np.bool_),
        tpu=np.array([k in "tb" for k in kinds], dtype=np.bool_),
        work=np.array(work, dtype=ints),
        ops=np.array(ops or [1] * len(kinds), dtype=ints),
        values=Values.of(values or []),
    )


@st.composite
def problems(draw: st.DrawFn, most: int = 6) -> Problem:
    count = draw(st.integers(1, most))
    kinds = "".join(draw(st.lists(st.sampled_from("cbbbt"), min_size=count, max_size=count)))
    if draw(st.booleans()):
        kinds = kinds.replace("t", "b")
    names = draw(st.permutations(range(count)))  # not every graph is numbered in topological order
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    chosen = draw(st.lists(pairs, max_size=10))
    edges = [(names[min(p)], names[max(p)]) for p in chosen if p[0] != p[1]]
    amounts = st.integers(0, 4)
    scale = draw(st.sampled_from([1, 2**31 + 7, 2**50 + 1]))
    work = [scale * draw(amounts) + draw(st.integers(0, 1)) for _ in range(count)]
    fewest_ops = draw(st.integers(0, 1))
    ops = [draw(st.integers(fewest_ops, 3)) for _ in range(count)]
    readers: dict[int, list[int]] = {atom: [] for atom in range(count)}
    for tail, head in edges:
        readers[tail].append(head)
    size = st.sampled_from([0, 1, 2, 3, 5, 2**40])
    values: list[Row] = []
    for atom in range(count):
        if readers[atom] and draw(st.booleans()):
            some = draw(st.lists(st.sampled_from(readers[atom]), min_size=1, max_size=3))
            values.append((atom, some, draw(size), draw(st.booleans())))
        elif draw(st.booleans()):
            values.append((atom, readers[atom], draw(size), draw(st.booleans())))
    if draw(st.booleans()):
        atoms = st.lists(st.integers(0, count - 1), min_size=1, max_size=3)
        values.append((HOST, draw(atoms), draw(size), False))
    return problem_of(kinds, edges, work, ops, values)


def live_bytes(problem: Problem, stages: tuple[int, ...], count: int, first: int) -> int:
    """Counted border by border: a value is live if it exists already and somebody still needs it."""
    values, total = problem.values, 0
    for v, producer in enumerate(values.producers.tolist()):
        readers = values.readers[values.starts[v] : values.starts[v + 1]].tolist()
        for border in range(count + 1):  # the border before stage `border`
            made_on_tpu_just_now = (
                producer != HOST
                and stages[producer] == border - 1
                and (stages[producer] + first) % 2 == 1
            )
            from_start = border > 0 or first == 1
            exists = from_start if producer == HOST else stages[producer] < border
            needed = any(stages[reader] >= border for reader in readers)
            needed |= bool(values.outputs[v]) and made_on_tpu_just_now
            total += int(values.bytes[v]) * (exists and needed)
    return total


def merge_empty(stages: tuple[int, ...], first: int) -> tuple[list[int], list[str]]:
    devices: list[str] = []
    number: dict[int, int] = {}
    for stage in sorted(set(stages)):
        device = DEVICES[(stage + first) % 2]
        if not devices or devices[-1] != device:
            devices.append(device)
        number[stage] = len(devices) - 1
    return [number[stage] for stage in stages], devices


def brute_force(
    problem: Problem, keep: float, most: int
) -> tuple[list[tuple[int, int, int]], tuple[list[int], list[str], int]] | None:
    """The curve (K, work, ops), and the plan (stages, devices, live bytes); None when there is no plan."""
    accepts = [problem.cpu.tolist(), problem.tpu.tolist()]
    pairs = [tuple(pair) for pair in problem.edges.tolist()]
    possible = (
        sum(w for w, t in zip(problem.work.tolist(), accepts[1], strict=True) if t),
        sum(o for o, t in zip(problem.ops.tolist(), accepts[1], strict=True) if t),
    )
    curve: list[tuple[int, int, int]] = []
    best: list[dict[int, list[tuple[int, ...]]]] = []
    for count in range(1, most + 1):
        value: tuple[int, int] | None = None
        plans: dict[int, list[tuple[int, ...]]] = {}
        for first in (0, 1):
            domains = [
                [s for s in range(count) if accepts[(s + first) % 2][atom]]
                for atom in range(problem.count)
            ]
            for stages in itertools.product(*domains):
                if any(stages[a] > stages[b] for a, b in pairs):
                    continue
                there = [a for a, s in enumerate(stages) if (s + first) % 2 == 1]
                got = (int(problem.work[there].sum()), int(problem.ops[there].sum()))
                if value is None or got > value:
                    value, plans = got, {}
                if got == value:
                    plans.setdefault(first, []).append(stages)
        if value is None:
            continue
        curve.append((count, *value))
        best.append(plans)
        if value == possible:
            break
    if not curve:
        return None
    column = 1 if curve[-1][1] else 2
    index = next(i for i, p in enumerate(curve) if p[column] >= Fraction(keep) * curve[-1][column])
    found: list[tuple[int, int, list[int], list[str]]] = []
    for first, stages in best[index].items():
        count = curve[index][0]
        costs = [live_bytes(problem, s, count, first) for s in stages]
        cheapest = [s for s, c in zip(stages, costs, strict=True) if c == min(costs)]
        least = tuple(min(column) for column in zip(*cheapest, strict=True))
        assert least in cheapest
        found.append((min(costs), first, *merge_empty(least, first)))
    cost, _, stages, devices = min(found)
    return curve, (stages, devices, cost)


def check_feasible(problem: Problem, plan: StagePlan) -> None:
    tails, heads = problem.arcs()
    assert (plan.stages[tails] <= plan.stages[heads]).all()
    on_tpu = np.array([device == "tpu" for device in plan.devices])[plan.stages]
    assert problem.tpu[on_tpu].all()
    assert problem.cpu[~on_tpu].all()
    assert np.unique(plan.stages).tolist() == list(range(len(plan.devices)))
    assert all(a != b for a, b in itertools.pairwise(plan.devices))
    assert plan.work_on_tpu == problem.work[on_tpu].sum()
    assert plan.ops_on_tpu == problem.ops[on_tpu].sum()
    assert len(plan.border_bytes) == len(plan.devices) + 1


@settings(max_examples=500, deadline=None)
@given(problems(), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 4))
def test_every_objective_equals_enumeration(problem: Problem, keep: float, most: int) -> None:
    expected = brute_force(problem, keep, most)
    if expected is None:
        with pytest.raises(InfeasibleError, match="sub-models"):
            fewest(problem, keep, most)
        return
    plan, curve = fewest(problem, keep, most)
    assert [(p.stages, p.work, p.ops) for p in curve] == expected[0]
    stages, devices, cost = expected[1]
    assert plan.devices == devices
    assert plan.stages.tolist() == stages
    assert plan.border_bytes.sum() == cost
    check_feasible(problem, plan)


def test_graph_output_of_a_late_stage_costs_one_border() -> None:
    """An output that may be made in any TPU stage goes to the host once, over the next border."""
    values: list[Row] = [(1, [4], 1, False), (4, [], 7, True)]
    problem = problem_of("cbcbb", [(0, 1), (1, 2), (2, 3)], [0, 5, 0, 5, 1], values=values)
    plan, _ = fewest(problem, 1.0)
    assert plan.stages.tolist() == [0, 1, 2, 3, 1]
    assert plan.border_bytes.tolist() == [0, 0, 7, 0, 0]
    # Two more borders for what it reads, and still one for itself.
    assert live_bytes(problem, (0, 1, 2, 3, 3), 4, 0) == 2 * 1 + 7


@settings(max_examples=60, deadline=None)
@given(problems(5), st.integers(5, 6))
def test_curve_equals_enumeration_with_more_stages(problem: Problem, most: int) -> None:
    expected = brute_force(problem, 1.0, most)
    if expected is None:
        return
    plan, curve = fewest(problem, 1.0, most)
    assert [(p.stages, p.work, p.ops) for p in curve] == expected[0]
    assert plan.stages.tolist() == expected[1][0]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_heaviest_closures_equal_enumeration(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 7))
    ranks = data.draw(st.integers(1, 3))
    scale = data.draw(st.sampled_from([1, 2**33, 2**57]))
    small = st.integers(-3, 3)
    weights = np.array(
        [[data.draw(small) * scale + data.draw(small) for _ in range(count)] for _ in range(ranks)],
        dtype=ints,
    )
    node = st.integers(0, count - 1)
    arcs = data.draw(st.lists(st.tuples(node, node), max_size=10))
    closed = [
        chosen
        for chosen in itertools.product([0, 1], repeat=count)
        if all(chosen[a] <= chosen[b] for a, b in arcs)
    ]
    value = {
        c: [sum(w * x for w, x in zip(row, c, strict=True)) for row in weights.tolist()]
        for c in closed
    }
    optima = [c for c in closed if value[c] == max(value.values())]
    pairs = np.array(arcs, dtype=ints).reshape(-1, 2)
    exact = heaviest_by_rank(weights, pairs[:, 0], pairs[:, 1])
    assert exact.astype(int).tolist() == [min(column) for column in zip(*optima, strict=True)]
    found = least_and_greatest(weights, pairs[:, 0], pairs[:, 1])
    weighty = weights.any(axis=0)
    for closure, end in zip(found, (min, max), strict=True):
        assert tuple(closure.astype(int).tolist()) in optima
        extreme = np.array([end(column) for column in zip(*optima, strict=True)])
        assert (closure == extreme)[weighty].all()


@pytest.mark.parametrize("seed", range(6))
def test_flow_of_large_weights_is_certified_by_its_cut(seed: int) -> None:
    """Weak duality: a flow that is conserved and equals a cut is a maximum, whatever solver found it."""
    random = np.random.default_rng(seed)
    count = 60
    weights = random.integers(-(2**55), 2**55, size=count)
    tails, heads = np.triu_indices(count, 1)
    some = random.random(len(tails)) < 0.1
    order = random.permutation(count)
    tails, heads = order[tails[some]], order[heads[some]]
    gain, loss = np.maximum(weights, 0), np.maximum(-weights, 0)
    flow, source, sink = closures._maximum_flow(gain, loss, tails, heads)
    assert (flow >= 0).all()
    assert (source >= 0).all() and (source <= gain).all()  # noqa: PT018
    assert (sink >= 0).all() and (sink <= loss).all()  # noqa: PT018
    balance = source - sink
    np.add.at(balance, heads, flow)
    np.add.at(balance, tails, -flow)
    assert not balance.any()
    least = closures.heaviest(weights, tails, heads).least
    assert (least[tails] <= least[heads]).all()
    assert sum(weights[least].tolist()) == sum(gain.tolist()) - sum(source.tolist())
    assert 0 < least.sum() < count


def test_weights_beyond_the_limit_are_refused() -> None:
    with pytest.raises(OverflowError, match=r"2\*\*62"):
        fewest(problem_of("bcb", [(0, 1), (1, 2)], [2**62, 1, 2**62]), max_stages=2)


@settings(max_examples=100, deadline=None)
@given(problems(6))
def test_earliest_stages_equal_enumeration(problem: Problem) -> None:
    tpu = problem.tpu
    stages, devices = earliest_stages(problem.count, problem.edges, tpu)
    pairs = problem.edges.tolist()
    options: list[tuple[int, int, tuple[int, ...]]] = []
    for first in (0, 1):
        domains = [
            [s for s in range(7) if ((s + first) % 2 == 1) == bool(tpu[atom])][:3]
            for atom in range(problem.count)
        ]
        plans = [
            plan
            for plan in itertools.product(*domains)
            if all(plan[a] <= plan[b] for a, b in pairs)
        ]
        if not plans:
            continue
        least = tuple(min(column) for column in zip(*plans, strict=True))
        assert least in plans
        options.append((max(least) + 1, first, least))
    if not options:  # more than the stages that were enumerated
        return
    fewer, first, least = min(options)
    if fewer > 5:
        return
    assert (stages.tolist(), list(devices)) == merge_empty(least, first)


def test_earliest_stages_refuses_a_cycle() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 1]], dtype=ints)
    with pytest.raises(InfeasibleError, match="cycle") as caught:
        earliest_stages(3, edges, np.zeros(3, dtype=np.bool_))
    assert caught.value.members == [1, 2]


def test_earliest_stages_alternate_along_a_chain() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 3], [0, 3]], dtype=ints)
    tpu = np.array([False, True, True, False])
    stages, devices = earliest_stages(4, edges, tpu)
    assert stages.tolist() == [0, 1, 1, 2]
    assert devices == ["cpu", "tpu", "cpu"]


def test_tie_and_path_around_it_become_one_atom() -> None:
    """A tie of both ends of an edge, and a path of another device between the same ends."""
    # n0 cpu -> n1 tpu -> n2 cpu -> n4 tpu -> n6 tpu, and n0 -> n6 which may not be cut.
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]
    values: list[Row] = [(0, [1, 4], 8, False), (1, [2], 8, False), (4, [], 4, True)]
    problem = problem_of("ctbbb", edges, [0, 5, 0, 5, 5], values=values)
    with pytest.raises(InfeasibleError) as caught:
        contract_cycles(problem, np.array([[0, 4]], dtype=ints))
    assert caught.value.members == [0, 1, 2, 3, 4]
    assert isinstance(caught.value, AutosplitError)
    free = problem_of("cbcbb", edges, [0, 5, 0, 5, 5], values=values)
    contracted, labels = contract_cycles(free, np.array([[0, 4]], dtype=ints))
    assert labels.tolist() == [0] * 5
    assert contracted.cpu.tolist() == [True]
    assert contracted.tpu.tolist() == [False]
    assert contracted.values.producers.tolist() == [0]
    plan, curve = fewest(contracted)
    assert plan.devices == ["cpu"]
    assert plan.bytes_out.tolist() == [4]
    assert [point.stages for point in curve] == [1]
    untied, curve = fewest(free, keep=1.0)
    assert untied.devices == ["cpu", "tpu", "cpu", "tpu"]


@pytest.mark.parametrize("seed", range(24))
def test_narrow_windows_hold_every_best_plan(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes are searched within them only: they must be no fewer without."""
    problem = generated(90, seed, width=3 + seed % 6)
    random = np.random.default_rng(seed)
    if seed % 2:  # many plans are equally good
        problem = replace(problem, work=random.integers(0, 3, size=problem.count))
    pinned = problem.tpu & (random.random(problem.count) < 0.03 * (seed % 3))
    problem = replace(problem, cpu=problem.cpu & ~pinned)
    most = 2 + seed % 7

    def windows(whole: StageGraph, _part: object, _most: object, count: int, first: int) -> Any:
        return whole.windows(count, first)

    for keep in (0.8, 1.0):
        try:
            narrow, _ = fewest(problem, keep, most)
        except InfeasibleError:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(stages_module, "_best_windows", windows)
            whole, _ = fewest(problem, keep, most)
        assert narrow.stages.tolist() == whole.stages.tolist()
        assert narrow.border_bytes.tolist() == whole.border_bytes.tolist()


def mutually_reachable(count: int, arcs: list[tuple[int, int]]) -> list[int]:
    """The first member of each atom's component, from the transitive closure."""
    reach = np.eye(count, dtype=np.bool_)
    for a, b in arcs:
        reach[a, b] = True
    for middle in range(count):
        reach |= np.outer(reach[:, middle], reach[middle])
    both = reach & reach.T
    return [int(np.flatnonzero(both[a])[0]) for a in range(count)]


@settings(max_examples=100, deadline=None)
@given(problems(7), st.data())
def test_cycles_are_contracted_to_their_components(problem: Problem, data: st.DataObject) -> None:
    node = st.integers(0, problem.count - 1)
    ties = data.draw(st.lists(st.tuples(node, node), max_size=3))
    back = data.draw(st.lists(st.tuples(node, node), max_size=2))
    edges = np.array([*map(tuple, problem.edges.tolist()), *back], dtype=ints).reshape(-1, 2)
    cyclic = replace(problem, edges=edges)
    arcs = [*map(tuple, edges.tolist()), *ties, *((b, a) for a, b in ties)]
    expected = mutually_reachable(problem.count, arcs)
    parts = {head: [a for a in range(problem.count) if expected[a] == head] for head in expected}
    stuck = [m for m in parts.values() if not problem.cpu[m].all() and not problem.tpu[m].all()]
    if stuck:
        with pytest.raises(InfeasibleError) as caught:
            contract_cycles(cyclic, np.array(ties, dtype=ints))
        assert caught.value.members in stuck
        return
    contracted, labels = contract_cycles(cyclic, np.array(ties, dtype=ints))
    heads = sorted(parts)
    assert [heads[label] for label in labels] == expected
    assert contracted.work.tolist() == [problem.work[parts[h]].sum() for h in heads]
    assert contracted.cpu.tolist() == [problem.cpu[parts[h]].all() for h in heads]
    try:
        plan, _ = fewest(contracted)
    except InfeasibleError:
        return
    check_feasible(contracted, plan)
    stages = plan.stages[labels]
    assert all(stages[a] <= stages[b] for a, b in edges.tolist())
    # Bytes do not depend on whether values within an atom were dropped.
    first = DEVICES.index(plan.devices[0])
    cost = live_bytes(problem, tuple(stages.tolist()), len(plan.devices), first)
    assert cost == plan.border_bytes.sum()


def generated(count: int, seed: int, width: int) -> Problem:
    """A layered graph of `count` atoms of all kinds, numbered at random."""
    random = np.random.default_rng(seed)
    names = random.permutation(count)
    edges: list[tuple[int, int]] = []
    rows: list[Row] = []
    readers: list[list[int]] = [[] for _ in range(count)]
    for atom in range(1, count):
        for _ in range(1 + int(random.random() < 0.4)):
            producer = max(0, atom - 1 - int(random.integers(0, width)))
            edges.append((int(names[producer]), int(names[atom])))
            readers[producer].append(int(names[atom]))
    for atom in range(count):
        size = int(random.integers(0, 1 << 30))
        rows.append((int(names[atom]), readers[atom], size, not readers[atom]))
    kinds = "".join(random.choice(list("cbbbbbbb"), size=count))
    work = random.integers(0, 1 << 40, size=count) * (random.random(count) < 0.5)
    return problem_of(kinds, edges, work.tolist(), values=rows)


@pytest.mark.parametrize("seed", range(8))
def test_larger_plans_are_feasible_and_no_small_change_is_better(seed: int) -> None:
    problem = generated(300, seed, width=3 + seed)
    plan, curve = fewest(problem, keep=0.8, max_stages=6)
    check_feasible(problem, plan)
    point = next(p for p in curve if p.stages == len(plan.devices))
    assert (plan.work_on_tpu, plan.ops_on_tpu) == (point.work, point.ops)
    assert all((a.work, a.ops) <= (b.work, b.ops) for a, b in itertools.pairwise(curve))
    first, count = DEVICES.index(plan.devices[0]), len(plan.devices)
    stages = tuple(plan.stages.tolist())
    assert live_bytes(problem, stages, count, first) == plan.border_bytes.sum()
    tails, heads = problem.arcs()
    score = (plan.work_on_tpu, plan.ops_on_tpu, -int(plan.border_bytes.sum()))
    random = np.random.default_rng(seed)
    moved = 0
    # Move an atom and all that must move with it: no such plan scores better, none earlier as well.
    for _ in range(400):
        other = plan.stages.copy()
        atom, stage = random.integers(0, problem.count), random.integers(0, count)
        earlier = stage < other[atom]
        other[atom] = stage
        while True:
            before = other.copy()
            if earlier:
                np.minimum.at(other, tails, other[heads])
            else:
                np.maximum.at(other, heads, other[tails])
            if (before == other).all():
                break
        on_tpu = (other + first) % 2 == 1
        if not problem.tpu[on_tpu].all() or not problem.cpu[~on_tpu].all():
            continue
        if (other == plan.stages).all():
            continue
        moved += 1
        cost = live_bytes(problem, tuple(other.tolist()), count, first)
        reached = (int(problem.work[on_tpu].sum()), int(problem.ops[on_tpu].sum()), -cost)
        assert reached < score or (reached == score and not earlier)
    assert moved > 10


def greedy_stages(problem: Problem, count: int, first: int) -> int:
    """Work on the TPU of a plain descent: a lower bound of the best, from another direction."""
    tails, heads = problem.arcs()
    fixed = ~problem.cpu | ~problem.tpu
    tpu = problem.tpu.copy()
    while True:
        stages = np.zeros(problem.count, dtype=ints)
        while True:
            before = stages.copy()
            stages += (stages + first) % 2 != tpu
            np.maximum.at(stages, heads, stages[tails])
            if (before == stages).all():
                break
        late = np.flatnonzero(tpu & (stages >= count) & ~fixed)
        if not len(late):
            return int(problem.work[tpu].sum()) if stages.max() < count else 0
        tpu[late] = False


@pytest.mark.parametrize("seed", range(4))
def test_no_greedy_plan_keeps_more(seed: int) -> None:
    problem = generated(400, 100 + seed, width=12)
    _, curve = fewest(problem, max_stages=5)
    found = [max(greedy_stages(problem, p.stages, first) for first in (0, 1)) for p in curve]
    assert any(found)
    assert all(p.work >= work for p, work in zip(curve, found, strict=True))


DETERMINISM = """
import sys
sys.path.insert(0, sys.argv[1])
from test_stages import generated
from autosplit.lowering.device.stages import fewest
plan, curve = fewest(generated(500, 3, 6), max_stages=5)
print(plan.stages.tolist(), plan.devices, plan.border_bytes.tolist(), curve)
"""


def test_same_plan_for_every_hash_seed() -> None:
    digests: set[str] = set()
    for seed in ("0", "1", "4711"):
        result = subprocess.run(
            [sys.executable, "-c", DETERMINISM, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=120,
        )
        assert len(result.stdout) > 500
        digests.add(hashlib.sha256(result.stdout).hexdigest())
    assert len(digests) == 1


def chain(kinds: str, work: list[int], sizes: list[int] | None = None) -> Problem:
    count = len(kinds)
    rows: list[Row] = [
        (a, [a + 1] if a + 1 < count else [], (sizes or [1] * count)[a], a + 1 == count)
        for a in range(count)
    ]
    return problem_of(kinds, [], work, values=[(HOST, [0], 1, False), *rows])


def test_lone_op_without_work_is_not_worth_two_more_sub_models() -> None:
    plan, curve = fewest(chain("cbccbbc", [0, 0, 0, 0, 100, 0, 0]))
    assert plan.devices == ["cpu", "tpu", "cpu"]
    assert plan.stages.tolist() == [0, 0, 0, 0, 1, 1, 2]
    assert [(p.stages, p.work, p.ops) for p in curve] == [
        (1, 0, 0),
        (2, 0, 0),
        (3, 100, 2),
        (4, 100, 2),
        (5, 100, 3),
    ]


def test_ops_decide_when_there_is_no_work() -> None:
    plan, _ = fewest(chain("cbc", [0, 0, 0]))
    assert plan.devices == ["cpu", "tpu", "cpu"]


def test_nothing_for_the_tpu_is_one_cpu_sub_model() -> None:
    plan, curve = fewest(chain("ccc", [5, 5, 5]))
    assert plan.devices == ["cpu"]
    assert (curve[0].work_share, curve[0].ops_share) == (1.0, 1.0)
    assert len(curve) == 1
    assert plan.border_bytes.tolist() == [0, 0]


def test_everything_for_the_tpu_is_one_tpu_sub_model() -> None:
    plan, curve = fewest(chain("bbb", [5, 0, 5], [10, 20, 30]))
    assert plan.devices == ["tpu"]
    assert [point.stages for point in curve] == [1]
    assert plan.border_bytes.tolist() == [1, 30]
    assert (plan.bytes_in.tolist(), plan.bytes_out.tolist()) == ([1], [30])


def test_keep_chooses_the_point_of_the_curve() -> None:
    problem = chain("bcbcb", [90, 0, 6, 0, 4])
    by_keep = {keep: len(fewest(problem, keep)[0].devices) for keep in (0.9, 0.95, 1.0)}
    assert by_keep == {0.9: 2, 0.95: 4, 1.0: 5}
    # By default 1 % may stay on the CPU.
    assert [len(fewest(chain("bcb", [100 - n, 0, n]))[0].devices) for n in (1, 2)] == [2, 3]
    # Of what can be had with at most three: 94 would be the best of tpu cpu tpu.
    assert len(fewest(problem, 0.99, max_stages=3)[0].devices) == 3


def test_slack_takes_the_fewest_bytes() -> None:
    """An op of the CPU may stand before or behind those of the TPU: where less crosses the borders."""
    edges = [(0, 1), (1, 2), (0, 3), (3, 2)]
    for size, stage in ((1000, 2), (1, 0)):
        rows: list[Row] = [(0, [1], 5, False), (0, [3], 50, False), (1, [2], 5, False)]
        rows.append((3, [2], size, False))
        plan, _ = fewest(problem_of("cbcc", edges, [0, 9, 0, 0], values=rows))
        assert plan.stages.tolist() == [0, 1, 2, stage]


def test_pinned_ops_need_their_stages() -> None:
    problem = chain("tctctc", [1] * 6)
    with pytest.raises(InfeasibleError, match="need 6 sub-models, at most 5"):
        fewest(problem, max_stages=5)
    plan, curve = fewest(problem, max_stages=6)
    assert plan.devices == ["tpu", "cpu"] * 3
    assert [point.stages for point in curve] == [6]


def test_an_atom_that_no_device_takes_is_named() -> None:
    with pytest.raises(InfeasibleError, match="no device takes atom 1") as caught:
        fewest(problem_of("bnb", [], [0, 0, 0]))
    assert caught.value.members == [1]


def test_cyclic_problems_and_bad_options_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="cycle"):
        fewest(problem_of("bb", [(0, 1), (1, 0)], [1, 1]))
    for keep, most in ((1.5, 3), (-0.1, 3), (0.9, 0)):
        with pytest.raises(ValueError, match="expected"):
            fewest(problem_of("b", [], [1]), keep, most)


def test_empty_problem() -> None:
    plan, curve = fewest(problem_of("", [], []))
    assert (plan.devices, plan.stages.tolist(), curve) == ([], [], [])
    stages, devices = earliest_stages(0, np.zeros((0, 2), dtype=ints), np.zeros(0, dtype=np.bool_))
    assert (stages.tolist(), devices) == ([], [])


def test_point_is_the_plan_at_its_number_of_stages() -> None:
    _, curve = fewest(chain("bcb", [90, 0, 10]))
    assert curve[1] == Point(2, 90, 1, 0.9, 0.5, "tpu")
