"""Compiled plans on hand-made modules: results against numpy, shapes, layouts, memory, copies, errors."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import plan_sketch as ps
import pytest
from xdsl.dialects.builtin import ModuleOp

from autosplit.core.errors import AutosplitError
from autosplit.dialects.device import Kind
from autosplit.dialects.dnnl import DnnlOp
from autosplit.dialects.dnnl import base as dnnl_base

pytest.importorskip("onnxruntime")


def load(network: Any, **options: Any) -> Any:
    from autosplit.runtime.plan.plan import Plan

    return Plan.from_module(network.module, network.store, **options)


def check(plan: Any, network: Any, feeds: dict[str, Any]) -> None:
    found = plan.run(feeds)["y"]
    expected = network.expected(feeds)
    assert found.shape == expected.shape
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("segment", [True, False])
def test_equals_numpy(segment: bool):
    network = ps.Network(segment=segment)
    plan = load(network)
    assert plan.input_names == ["x"]
    assert plan.output_names == ["y"]
    for seed in range(5):
        check(plan, network, network.feeds(seed))
    account = plan.account()
    assert account.copied_bytes == 0
    assert [s.kind for s in account.steps] == ["partition"] * (5 if segment else 4) + (
        ["segment"] if segment else []
    )
    assert account.steps[3].rule == "conv-sum"


def test_known_shapes_compile_nothing():
    network = ps.Network((-1, 3, -1, -1))
    plan = load(network)
    sizes = [{"n": 1, "h": 8}, {"n": 4, "h": 5, "w": 9}, {"n": 1, "h": 8}, {"n": 3}]
    compiles: list[int] = []
    for i, size in enumerate(sizes * 2):
        check(plan, network, network.feeds(i, **size))
        compiles.append(plan.account().compiles)
    # Five partitions for each of three shapes, and nothing after that.
    assert compiles == [5, 10, 10, 15, 15, 15, 15, 15]
    assert plan.account().contexts == 3


def test_results_are_the_callers():
    network = ps.Network()
    plan = load(network)
    first = plan.run(network.feeds(1))["y"]
    kept = first.copy()
    plan.run(network.feeds(2))
    assert np.array_equal(first, kept)
    first[:] = 0
    check(plan, network, network.feeds(1))


def test_run_into():
    network = ps.Network()
    plan = load(network)
    feeds = network.feeds(3)
    out = np.empty((1, 8, 8, 8), np.float32)
    plan.run_into(feeds, {"y": out})
    np.testing.assert_allclose(out, network.expected(feeds), rtol=1e-6)
    assert plan.account().copied_bytes == 0
    with pytest.raises(
        AutosplitError, match=r"output 'y' is float32 \[8, 8, 8\], expected a row-major"
    ):
        plan.run_into(feeds, {"y": out[0]})
    with pytest.raises(AutosplitError, match="float64"):
        plan.run_into(feeds, {"y": out.astype(np.float64)})
    with pytest.raises(AutosplitError, match=r"'z' is not an output of the plan"):
        plan.run_into(feeds, {"z": out})
    read_only = np.zeros_like(out)
    read_only.flags.writeable = False
    with pytest.raises(AutosplitError, match=r"output 'y' is read-only"):
        plan.run_into(feeds, {"y": read_only})
    assert not read_only.any()
    check(plan, network, feeds)


def test_an_output_may_lie_where_an_input_does():
    """The input is read again after the output is there."""
    from autosplit.runtime.plan.plan import Plan

    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [2, 3])
    type = ps.tensor("float32", [2, 3])
    with sketch.cpu(x) as f:
        f.give("y", f.node("Add", [f.args[0], f.args[0]], {"y": type}))
    with sketch.cpu(x) as g:
        g.give("z", g.node("Neg", [g.args[0]], {"z": type}))
    plan = Plan.from_module(sketch.finish(y=f.results[0], z=g.results[0]), sketch.store)
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    negative = np.empty_like(array)
    plan.run_into({"x": array}, {"y": array, "z": negative})
    assert np.array_equal(array, [[0, 2, 4], [6, 8, 10]])
    assert np.array_equal(negative, [[0, -1, -2], [-3, -4, -5]])


def test_sums_are_written_in_place():
    network = ps.Network()
    plan = load(network)
    check(plan, network, network.feeds())
    account = plan.account()
    assert account.in_place == 1
    # q, y and z live at once; the sum takes over z, the floats come after all of them.
    assert account.arena_bytes < 3 * 8 * 64 + 64 * 3 + 4 * 8 * 64 * 2


class Sums:
    """x -> q, y = conv(q) + r, where r is q itself, or a value that is read again after the sum.

    The sum may only be written over r where r is not needed any more and lies in the same layout.
    """

    def __init__(self, case: str):
        self.case = case
        self.w = np.random.default_rng(3).integers(-63, 64, (8, 8, 3, 3)).astype(np.int8)
        sketch = ps.Sketch()
        x = sketch.input("x", "uint8", [1, 8, 6, 6])
        last = ps.channels_last(4)
        other = None if case == "other layout" else last

        def total(ops: Any, a: Any, w: Any, r: Any = None) -> Any:
            weights = ops.weights(w, [ps.W3] * 8)
            y = ops.conv(ops.dequantize(a, ps.MIDDLE), weights, 1, [1, 8, 6, 6])
            y = ops.same("Add", y, ops.dequantize(a if r is None else r, ps.MIDDLE))
            return ops.quantize(y, ps.SUM, order=last)

        def real(ops: Any, a: Any) -> Any:
            return ops.dequantize(a, ps.MIDDLE)

        with sketch.dnnl(x) as f:
            x32 = f.partition("dequantize", [f.args[0]], real)
            q = f.partition("q", [x32], lambda ops, a: ops.quantize(a, ps.MIDDLE, order=last))
            r = f.partition("q", [x32], lambda ops, a: ops.quantize(a, ps.MIDDLE, order=other))
            w = f.weight("w", self.w)
            reads = [q, w] if case == "itself" else [q, w, r]
            y = f.partition("conv-sum", reads, total, [1])
            f.give("y", f.partition("dequantize", [y], lambda ops, a: ops.dequantize(a, ps.SUM)))
            if case in ("read again", "read later"):
                f.give("r", f.partition("dequantize", [r], real) if case == "read again" else r)
        outputs = {"y": f.results[0]}
        if case == "read again":
            outputs["r"] = f.results[1]
        if case == "read later":
            with sketch.cpu(x) as g:
                g.give("n", g.node("NonZero", [g.args[0]], {"n": ps.tensor("int64", [4, -1])}))
            with sketch.dnnl(f.results[1]) as h:
                h.give("r", h.partition("dequantize", [h.args[0]], real))
            outputs |= {"n": g.results[0], "r": h.results[0]}
        self.module = sketch.finish(**outputs)
        self.store = sketch.store

    def expected(self, feeds: Any) -> Any:
        r = ps.real(feeds["x"], ps.MIDDLE)
        y = ps.convolved(r, self.w * np.float64(np.float32(ps.W3)), 1) + r
        return ps.real(ps.quantized(y, ps.SUM), ps.SUM)


@pytest.mark.parametrize("case", ["itself", "other layout", "read again", "read later", "dead"])
def test_what_is_still_needed_is_not_overwritten(case: str):
    network = Sums(case)
    plan = load(network)
    feeds = {"x": np.random.default_rng(5).integers(0, 256, (1, 8, 6, 6)).astype(np.uint8)}
    for _ in range(2):
        check(plan, network, feeds)
        if case.startswith("read"):
            found = plan.run(feeds)["r"]
            np.testing.assert_allclose(found, ps.real(feeds["x"], ps.MIDDLE), rtol=1e-6)
    assert plan.account().in_place == (case == "dead")
    assert plan.account().copied_bytes == 0


def layouts(*, direct: bool) -> Any:
    """A plan whose channels-last value goes to a partition, a segment and, if `direct`, to the caller."""
    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [2, 3, 4, 5])
    last = ps.channels_last(4)
    with sketch.dnnl(x) as f:
        f.give(
            "q",
            f.partition("q", [f.args[0]], lambda ops, a: ops.quantize(a, ps.IMAGE, order=last)),
        )
    (q,) = f.results
    with sketch.cpu(q) as g:
        g.give("s", g.node("Cast", [g.args[0]], {"s": ps.tensor("int32", [2, 3, 4, 5])}, to=6))
    outputs = {"s": g.results[0]}
    if direct:
        outputs["q"] = q
    return sketch, outputs


@pytest.mark.parametrize("direct", [True, False])
def test_a_change_of_layout_is_one_counted_copy(direct: bool):
    from autosplit.runtime.plan.plan import Plan

    sketch, outputs = layouts(direct=direct)
    plan = Plan.from_module(sketch.finish(**outputs), sketch.store)
    x = np.random.default_rng(1).standard_normal((2, 3, 4, 5)).astype(np.float32)
    for _ in range(3):
        found = plan.run({"x": x})
        assert np.array_equal(found["s"], ps.quantized(x, ps.IMAGE))
        if direct:
            assert np.array_equal(found["q"], found["s"])
            assert found["q"].dtype == np.uint8
    copies = [s for s in plan.account().steps if s.kind == "copy"]
    assert [(s.name, s.bytes) for s in copies] == [("copy q", 3 * 120)]


def test_inputs_in_other_orders_are_copied_and_counted():
    network = ps.Network()
    plan = load(network)
    x = network.feeds()["x"]
    turned = np.ascontiguousarray(x.transpose(1, 0, 3, 2)).transpose(1, 0, 3, 2)
    check(plan, network, {"x": turned})
    with_gaps = np.repeat(x, 2, axis=3)[..., ::2]
    check(plan, network, {"x": with_gaps})
    assert [(s.name, s.bytes) for s in plan.account().steps if s.kind == "copy"] == [
        ("input x", 2 * x.nbytes)
    ]
    read_only = x.copy()
    read_only.flags.writeable = False
    check(plan, network, {"x": read_only})
    assert plan.account().copied_bytes == 2 * x.nbytes


def test_channels_last_inputs_are_read_where_they_lie():
    network = ps.Network()
    plan = load(network)
    x = network.feeds()["x"]
    image = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    assert not image.flags.c_contiguous
    for _ in range(2):
        check(plan, network, {"x": image})
    check(plan, network, {"x": x})
    assert plan.account().copied_bytes == 0
    assert plan.account().contexts == 2


@pytest.mark.parametrize("channels", [64, 20])
@pytest.mark.parametrize("size", [(5, 5), (8, 8)])
def test_lone_casts_of_channels_last_images_keep_their_zero_points(
    channels: int, size: tuple[int, int]
):
    from autosplit.runtime.plan.plan import Plan

    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [1, channels, *size])
    with sketch.dnnl(x) as f:
        f.give("q", f.partition("q", [f.args[0]], lambda ops, a: ops.quantize(a, ps.IMAGE)))
    plan = Plan.from_module(sketch.finish(q=f.results[0]), sketch.store)
    values = np.random.default_rng(2).standard_normal((1, channels, *size)).astype(np.float32)
    image = np.ascontiguousarray(values.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    assert np.array_equal(plan.run({"x": image})["q"], ps.quantized(values, ps.IMAGE))


def test_sizes_that_depend_on_data_are_found_in_each_run():
    """NonZero makes an unknown number of columns; a partition and a segment follow."""
    from autosplit.runtime.plan.plan import Plan

    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [4, 6])
    with sketch.dnnl(x) as f:
        f.give("q", f.partition("q", [f.args[0]], lambda ops, a: ops.quantize(a, ps.IMAGE)))
    with sketch.cpu(*f.results) as g:
        limit = g.weight("limit", np.array(200, np.uint8))
        over = g.node("Greater", [g.args[0], limit], {"over": ps.tensor("bool", [4, 6])})
        found = g.node("NonZero", [over], {"found": ps.tensor("int64", [2, -1])})
        g.give("found", found)
        g.give("where", g.node("Cast", [found], {"where": ps.tensor("float32", [2, -1])}, to=1))
    found, where = g.results
    with sketch.dnnl(where) as h:
        h.give("w", h.partition("q", [h.args[0]], lambda ops, a: ops.quantize(a, (0.5, 3))))
    with sketch.cpu(*h.results, *f.results) as k:
        k.give("n", k.node("Cast", [k.args[0]], {"n": ps.tensor("int32", [2, -1])}, to=6))
        k.give("m", k.node("Identity", [k.args[1]], {"m": ps.tensor("uint8", [4, 6])}))
    plan = Plan.from_module(
        sketch.finish(found=found, n=k.results[0], m=k.results[1], w=h.results[0]), sketch.store
    )
    random = np.random.default_rng(0)
    kept: list[tuple[Any, Any]] = []
    for spread in (2.0, 3.0, 2.0, 5.0, 2.0, 3.0):
        x_array = (random.standard_normal((4, 6)) * spread).astype(np.float32)
        made = plan.run({"x": x_array})
        q = ps.quantized(x_array, ps.IMAGE)
        expected = np.array(np.nonzero(q > 200))
        assert np.array_equal(made["found"], expected)
        assert np.array_equal(made["w"], 2 * expected + 3)
        assert np.array_equal(made["n"], 2 * expected + 3)
        assert np.array_equal(made["m"], q)
        kept.append((made["found"], expected))
    # Memory that ONNX Runtime took is not used again while a caller holds it.
    assert all(np.array_equal(a, b) for a, b in kept)
    assert plan.account().copied_bytes == 0


@pytest.mark.parametrize("names", [("twice", "found"), ("found", "twice")])
def test_outputs_of_known_and_of_unknown_size_of_one_segment(names: tuple[str, str]):
    """One is written to the caller's memory, the other to ONNX Runtime's, where a later segment reads it."""
    from autosplit.runtime.plan.plan import Plan

    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [2, 4])
    columns = ps.tensor("int64", [2, -1])
    with sketch.cpu(x) as f:
        made = {
            "twice": f.node("Add", [f.args[0], f.args[0]], {"twice": ps.tensor("float32", [2, 4])}),
            "found": f.node("NonZero", [f.args[0]], {"found": columns}),
        }
        for name in names:
            f.give(name, made[name])
    results = dict(zip(names, f.results, strict=True))
    with sketch.cpu(results["found"]) as g:
        g.give("negative", g.node("Neg", [g.args[0]], {"negative": columns}))
    plan = Plan.from_module(sketch.finish(**results, negative=g.results[0]), sketch.store)
    for count in (1, 5, 2):
        array = np.zeros((2, 4), np.float32)
        array.flat[:count] = 3
        outputs = plan.run({"x": array})
        expected = np.array(np.nonzero(array))
        assert np.array_equal(outputs["twice"], 2 * array)
        assert np.array_equal(outputs["found"], expected)
        assert np.array_equal(outputs["negative"], -expected)


def flattened(shape: list[int], order: list[int] | None, *, data_between: bool = False) -> Any:
    """x -> u8 -> Flatten -> f32; the flat u8 and a view of the input are outputs too."""
    sketch = ps.Sketch()
    x = sketch.input("x", "float32", shape)
    rest = int(np.prod(shape[1:]))
    with sketch.dnnl(x) as f:
        make = lambda ops, a: ops.quantize(a, ps.IMAGE, order=order)  # noqa: E731
        f.give("q", f.partition("q", [f.args[0]], make))
    flat_type = ps.tensor("uint8", [shape[0], rest])
    with sketch.cpu(*f.results) as g:
        g.give("flat", g.node("Flatten", [g.args[0]], {"flat": flat_type}, axis=1))
    if data_between:
        with sketch.cpu(x) as k:
            k.give("n", k.node("NonZero", [k.args[0]], {"n": ps.tensor("int64", [len(shape), -1])}))
    with sketch.dnnl(*g.results) as h:
        h.give("y", h.partition("d", [h.args[0]], lambda ops, a: ops.dequantize(a, ps.IMAGE)))
    with sketch.cpu(x) as v:
        v.give("v", v.node("Flatten", [v.args[0]], {"v": ps.tensor("float32", [shape[0], rest])}))
    outputs = {"y": h.results[0], "flat": g.results[0], "v": v.results[0]}
    if data_between:
        outputs["n"] = k.results[0]
    return sketch, outputs


@pytest.mark.parametrize("batch", [2, -1])
@pytest.mark.parametrize("data_between", [True, False])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("space", [1, 3])
def test_views_cost_nothing(batch: int, data_between: bool, last: bool, space: int):
    from autosplit.runtime.plan.plan import Plan

    order = ps.channels_last(4) if last else None
    sketch, outputs = flattened([batch, 6, space, space], order, data_between=data_between)
    plan = Plan.from_module(sketch.finish(**outputs), sketch.store)
    account = plan.account()
    assert [s.kind for s in account.steps if s.name in ("graph_1",)] == ["view"]
    for size in (2,) if batch > 0 else (2, 5, 2):
        x = np.random.default_rng(size).standard_normal((size, 6, space, space)).astype("f")
        found = plan.run({"x": x})
        flat = ps.quantized(x, ps.IMAGE).reshape(size, -1)
        assert np.array_equal(found["flat"], flat)
        np.testing.assert_allclose(found["y"], ps.real(flat, ps.IMAGE), rtol=1e-6)
        assert np.array_equal(found["v"], x.reshape(size, -1))
        found["v"][:] = 0
        assert x.any()
    # A view of the caller's input is copied; channels-last is not row-major where there is space.
    copied = {s.name for s in plan.account().steps if s.kind == "copy"}
    assert copied == {"copy v"} | ({"copy q"} if last and space > 1 else set())


def test_inputs_and_constants_as_outputs_are_copies():
    from autosplit.runtime.plan.plan import Plan

    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [2, 3])
    with sketch.dnnl(x) as f:
        f.give("c", f.weight("c", np.arange(3, dtype=np.float32)))
        f.give("q", f.partition("q", [f.args[0]], lambda ops, a: ops.quantize(a, ps.IMAGE)))
    plan = Plan.from_module(
        sketch.finish(x=x, c=f.results[0], q=f.results[1], p=f.results[1]), sketch.store
    )
    array = np.ones((2, 3), np.float32)
    for _ in range(2):
        found = plan.run({"x": array})
        assert np.array_equal(found["x"], array)
        assert found["c"].tolist() == [0, 1, 2]
        assert np.array_equal(found["p"], found["q"])
        for name in found:
            found[name][...] = 9
        assert array[0, 0] == 1


def test_one_plan_for_each_set_of_weights():
    """What the library packs from one plan's weights is not used by another of the same structure."""
    networks = [ps.Network(shift=i) for i in range(3)]
    plans = [load(network) for network in networks]
    for _ in range(2):
        for network, plan in zip(networks, plans, strict=True):
            check(plan, network, network.feeds(4))


def test_new_sizes_verify_nothing_again(monkeypatch: pytest.MonkeyPatch):
    """Attributes and types were checked when the plan was read: what is left is arithmetic."""
    network = ps.Network((-1, 3, -1, -1))
    plan = load(network)
    read: list[object] = []
    monkeypatch.setattr(DnnlOp, "verify_", lambda op: read.append(op))
    check(plan, network, network.feeds())
    monkeypatch.setattr(dnnl_base, "to_python", read.append)
    for i in range(3):
        check(plan, network, network.feeds(i, h=9 + i, w=7))
    assert read == []


def test_waiting_contexts_are_limited():
    network = ps.Network((-1, 3, -1, -1))
    plan = load(network, max_sizes=2)
    for i, size in enumerate([3, 4, 5, 6, 7, 8, 3]):
        check(plan, network, network.feeds(i, h=size))
    account = plan.account()
    assert account.contexts == 7
    assert account.compiles == 7 * 5
    small = account.arena_bytes
    # The last two stayed.
    check(plan, network, network.feeds(0, h=3))
    check(plan, network, network.feeds(0, h=8))
    assert plan.account().contexts == 7
    assert plan.account().arena_bytes == small
    plan = load(network, max_bytes=0)
    check(plan, network, network.feeds())
    check(plan, network, network.feeds())
    # One may always stay.
    assert plan.account().contexts == 1


def test_a_plan_that_is_gone_leaves_nothing():
    network = ps.Network()
    plan = load(network)
    check(plan, network, network.feeds())
    gone = weakref.ref(plan)
    del plan
    gc.collect()
    assert gone() is None


def test_times_are_accounted_for():
    network = ps.Network()
    plan = load(network)
    for i in range(20):
        plan.run(network.feeds(), timed=i >= 10)
    account = plan.account()
    assert (account.runs, account.timed_runs) == (20, 10)
    assert all(s.seconds > 0 for s in account.steps)
    assert 0 < account.overhead < account.seconds
    assert account.seconds_of("partition") + account.seconds_of("segment") == pytest.approx(
        account.seconds - account.overhead
    )
    text = str(account)
    assert "conv-sum" in text
    assert "5 compilations, 1 context in 20 runs" in text


X = np.zeros((1, 3, 8, 8), np.float32)

BAD_FEEDS = {
    r"input 'x' is missing; the plan takes x": {},
    r"input 'x' is missing.*": {"image": X},
    r"input 'x': found dtype float64, expected float32, which cannot": {
        "x": X.astype(np.float64) + 1e-12
    },
    r"input 'x' has the shape \[1, 3, 8, 9\], expected \[\?, 3, 8, 8\]": {
        "x": np.zeros((1, 3, 8, 9), "f")
    },
    r"input 'x' has the shape \[8, 8\], expected \[\?, 3, 8, 8\]": {"x": X[0, 0]},
    r"input 'x' is a list, expected a numpy array": {"x": [1.0]},
}


@pytest.mark.parametrize("message", BAD_FEEDS)
def test_wrong_inputs_are_one_clear_line(message: str):
    network = ps.Network((-1, 3, 8, 8))
    plan = load(network)
    for _ in range(2):
        with pytest.raises(AutosplitError, match=message) as error:
            plan.run(BAD_FEEDS[message])
        assert "\n" not in str(error.value)
        # What it leaves for the next run is for inputs that lie as these do.
        check(plan, network, network.feeds())


def test_inputs_are_cast_and_extra_ones_warned_of(caplog: pytest.LogCaptureFixture):
    network = ps.Network((-1, 3, 8, 8))
    plan = load(network)
    expected = plan.run({"x": X})
    for _ in range(2):
        found = plan.run({"x": X.astype(np.float64), "xx": X})
        assert all(np.array_equal(found[name], expected[name]) for name in expected)
    said = "'xx' is not an input of the model (did you mean 'x'?); it is not used"
    assert [r.getMessage() for r in caplog.records if "xx" in r.getMessage()] == [said]


def test_a_segment_that_fails_fails_alone():
    """Reshape to a size that does not fit is found by ONNX Runtime; the next run is right again."""
    from autosplit.runtime.plan.plan import Plan

    sketch = ps.Sketch()
    x, shape = sketch.input("x", "float32", [2, 6]), sketch.input("shape", "int64", [2])
    with sketch.cpu(x, shape) as g:
        g.give("y", g.node("Reshape", list(g.args), {"y": ps.tensor("float32", [-1, -1])}))
    plan = Plan.from_module(sketch.finish(y=g.results[0]), sketch.store)
    array = np.arange(12, dtype=np.float32).reshape(2, 6)
    for _ in range(2):
        with pytest.raises(AutosplitError, match="the segment @graph_0 failed: ") as error:
            plan.run({"x": array, "shape": np.array([5, 5])})
        assert "\n" not in str(error.value)
        found = plan.run({"x": array, "shape": np.array([3, 4])})["y"]
        assert np.array_equal(found, array.reshape(3, 4))


def test_modules_that_are_no_plans_are_refused():
    from autosplit.runtime.plan.plan import Plan

    with pytest.raises(AutosplitError, match="is not a plan: it has no @main"):
        Plan.from_module(ModuleOp([]), ps.Network().store)
    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [2])
    with sketch.function(Kind.tpu, x, chip="bm1684") as f:
        f.give("y", f.node("Relu", [f.args[0]], {"y": ps.tensor("float32", [2])}))
    with pytest.raises(
        AutosplitError, match="@graph_0 is for bm1684: a compiled plan runs on oneDNN"
    ):
        Plan.from_module(sketch.finish(y=f.results[0]), sketch.store)
    with pytest.raises(AutosplitError, match="threads=-1"):
        load(ps.Network(), threads=-1)


def test_a_plan_for_a_newer_library_is_refused():
    load(ps.Network(version="3.1"))
    with pytest.raises(AutosplitError, match=r"compiled for oneDNN 3\.99, found 3\.\d+\.\d+ in /"):
        load(ps.Network(version="3.99"))


CHILD = """
import logging, sys
from pathlib import Path
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
sys.path.insert(0, sys.argv[1])
import numpy as np
import plan_sketch as ps
from autosplit.runtime.plan.plan import Plan

network = ps.Network(largest=int(sys.argv[2]))
plan = Plan.from_module(network.module, network.store)
feeds = network.feeds()
print("isa", plan.isa)
print("wrong", float(np.abs(plan.run(feeds)["y"] - network.expected(feeds)).max() > 1e-4))
"""


def in_child(largest: int) -> str:
    """What a child process without VNNI says of a network with weights up to `largest`."""
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), str(largest)]
    env = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_weights_of_8_bits_are_warned_of_without_vnni():
    said = in_child(127)
    assert "isa avx2" in said
    warnings = [line for line in said.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == 1
    assert (
        "may saturate, of 2 weights (the first is w3): this processor (avx2) has no VNNI"
        in warnings[0]
    )
    # Two products of 255 and 64 are no more than 16 bits hold.
    said = in_child(64)
    assert "WARNING" not in said
    assert "wrong 0.0" in said


def test_a_plan_without_partitions_needs_no_library(monkeypatch: pytest.MonkeyPatch):
    from autosplit.runtime.plan import plan as plan_module
    from autosplit.runtime.plan.plan import Plan

    monkeypatch.setattr(plan_module, "library", None)
    sketch = ps.Sketch()
    x = sketch.input("x", "float32", [3])
    with sketch.cpu(x) as f:
        f.give("y", f.node("Neg", [f.args[0]], {"y": ps.tensor("float32", [3])}))
    plan = Plan.from_module(sketch.finish(y=f.results[0]), sketch.store)
    assert plan.run({"x": np.arange(3, dtype=np.float32)})["y"].tolist() == [0, -1, -2]
    assert plan.isa == ""
