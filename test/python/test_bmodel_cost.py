"""What a bmodel costs the chip: sizes and commands as the tool chain has them, times against its analyser."""

from __future__ import annotations

import json
import re
import runpy
import sys

import numpy as np
import onnx
import pytest
from convert_toolchain import real
from onnx import TensorProto, helper, numpy_helper

from autosplit.devices import get_chip
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.gate.cost import seconds, warning
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.folder.compilation import Cost, read_compilation
from autosplit.toolchains.bmodel_cost import DeviceMemory, device_memory
from autosplit.toolchains.scheduled import stages
from autosplit.tools.cli.main import main

TARGETS = [("bm1684", "F32"), ("bm1684x", "F16"), ("bm1688", "F16")]

SCHEDULED = """\
#loc7 = loc("wide")
#loc8 = loc("shown_f32")
    %1 = "tpu.Cast"(%arg0) {with_scale = true} : (tensor<1x8x16x16xf32, 4096 : i64>) -> tensor<1x8x16x16xf16, 8192 : i64> loc(#loc6)
    %3 = "top.Weight"() : () -> tensor<1x4x1x72xf16, 100 : i64> loc(#loc6)
    %12 = "tpu.Group"(%1) ({
      %29 = "tpu.Load"(%1) {id = 0} : (tensor<1x8x16x16xf16, 8192 : i64>) -> tensor<1x8x16x16xf16> loc(#loc6)
      %30 = "tpu.Load"(%3) {id = 1} : (tensor<1x4x1x72xf16, 100 : i64>) -> tensor<1x4x1x72xf16> loc(#loc6)
      %33 = "tpu.Conv2D"(%29, %30, %0) {group = 2 : i64, kernel_shape = [3, 3]} : (tensor<1x8x16x16xf16>, tensor<1x4x1x72xf16>, none) -> tensor<1x4x16x16xf16> loc(#loc6)
      %47 = "tpu.Store"(%33, %0) {id = 2} : (tensor<1x4x16x16xf16>, none) -> tensor<1x4x16x16xf16, 9000 : i64> loc(#loc6)
      "tpu.Yield"(%47) : (tensor<1x4x16x16xf16, 9000 : i64>) -> () loc(#loc6)
    }) {csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, nsecs = 2 : i64, wsecs = 1 : i64} : (tensor<1x8x16x16xf16, 8192 : i64>) -> tensor<1x4x16x16xf16, 9000 : i64> loc(#loc9)
    %13 = "tpu.Reshape"(%12) : (tensor<1x4x16x16xf16, 9000 : i64>) -> tensor<4x256xf16, 9000 : i64> loc(#loc6)
    %14 = "tpu.MatMul"(%13, %3, %0) {left_transpose = false} : (tensor<4x256x!quant.uniform<i8:f32, 0.25>, 9000 : i64>, tensor<256x10xi8, 50 : i64>, none) -> tensor<4x10x!quant.uniform<i8:f32, 0.5>, 70 : i64> loc(#loc8)
#loc9 = loc(fused[#loc7, #loc6])
"""  # noqa: E501


def test_stages_are_groups_and_what_is_outside_of_them():
    cast, group, product = stages(SCHEDULED)
    assert (cast.kinds, cast.moved, cast.others) == (["Cast"], 2048 * 6, {2: 2048})
    assert (group.name, group.kinds, group.slices) == ("wide", ["Conv2D"], 6)
    assert group.products == {"f16": 2 * 4 * 256 * 9 * 4}
    assert group.moved == 2 * (2048 + 288 + 1024)
    assert (product.name, product.products) == ("shown_f32", {"i8": 2 * 40 * 256})
    assert product.moved == 1024 + 2560 + 40


def test_a_stage_takes_as_long_as_its_slower_side():
    chip = get_chip("bm1688")
    _, group, _ = stages(SCHEDULED)
    computing = group.products["f16"] / (chip.rate("f16") / 2)
    moving = group.moved / chip.memory_bandwidth
    assert moving > computing
    assert seconds(group, chip) == moving
    group.moved = 0
    assert seconds(group, chip) == pytest.approx(computing)
    assert seconds(group, chip, cores=2) == pytest.approx(computing / 2)


def test_memory_is_what_the_tool_says():
    told = "x\ndevice mem size: 302080 (weight: 262144, instruct: 7168, runtime: 32768)\ny\n"
    assert device_memory(told) == DeviceMemory(7168, 262144, 32768)
    assert device_memory("nothing") is None


def test_the_warning_is_for_commands_that_outweigh_weights():
    cost = Cost(6_300_000, 2_900, 0, 1.0, cause="65 K of 66 K commands are of Permute 'x'")
    assert warning(cost) == (
        "6.3 MB of commands, more than the 2.9 KB of weights: 65 K of 66 K commands are of Permute 'x'"
    )
    assert not warning(Cost(2_900, 2_900, 0, 1.0))


def network(path):
    """A few layers, the last of them in many small pieces."""
    random = np.random.default_rng(0)
    weights = {
        "w1": random.standard_normal((32, 3, 3, 3)),
        "w2": random.standard_normal((64, 32, 3, 3)),
        "w3": random.standard_normal((64, 100)),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], "a", pads=[1] * 4, strides=[2, 2]),
        helper.make_node("Relu", ["a"], ["b"], "b"),
        helper.make_node("Conv", ["b", "w2"], ["c"], "c", pads=[1] * 4),
        helper.make_node("Relu", ["c"], ["d"], "d"),
        helper.make_node("Transpose", ["d"], ["e"], "e", perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["e", "w3"], ["f"], "f"),
        helper.make_node("Softmax", ["f"], ["y"], "y"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 64, 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 32, 100])],
        [numpy_helper.from_array(a.astype(np.float32), n) for n, a in weights.items()],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path
    )
    return 1024 * (32 * 27 + 64 * 288 + 64 * 100)


@pytest.mark.parametrize(("chip", "mode"), TARGETS)
def test_what_is_recorded_is_what_the_tool_chain_says(tmp_path, chip, mode, capsys):
    real()
    network(tmp_path / "net.onnx")
    split_model(SplitOptions(tmp_path / "net.onnx", out=tmp_path / "out", target=chip, mode=mode))
    (made,) = convert_folder(ConvertOptions(tmp_path / "out")).graphs
    place = tmp_path / "out" / "graph_ir_0"
    told = (place / "compile.log").read_text()
    assert made.cost == read_compilation(place).cost
    assert f"weight: {made.cost.weights}, instruct: {made.cost.commands}, " in told
    assert re.search(rf"device mem size: {made.cost.device} ", told)
    assert made.cost.milliseconds > 0
    # Its own timing knows of waits and of lanes without work.
    assert (made.cost.simulated > made.cost.milliseconds) == (chip != "bm1684")
    assert not [*place.glob(".compile")]
    capsys.readouterr()
    assert main(["explain", str(tmp_path / "out"), "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["compiled"]
    assert said["cost"]["commands"] == made.cost.commands
    assert main(["explain", str(tmp_path / "out")]) == 0
    assert "What a run costs the chip" in capsys.readouterr().out


def test_a_network_without_weights_is_warned_of(tmp_path, capsys):
    real()
    graph = helper.make_graph(
        [helper.make_node("Softmax", ["x"], ["y"], "y")],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 200])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64, 200])],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        tmp_path / "s.onnx",
    )
    assert main(["deploy", str(tmp_path / "s.onnx"), "-o", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"warning: graph_0: .* commands are of Softmax 'y'", said)


@pytest.mark.parametrize(("chip", "mode"), TARGETS)
def test_the_least_time_agrees_with_the_analyser_of_the_wheel(tmp_path, chip, mode):
    """Its roofline moves every value through device memory; ours leaves out what a group keeps."""
    tools = real()
    work = network(tmp_path / "net.onnx")
    split_model(SplitOptions(tmp_path / "net.onnx", out=tmp_path / "out", target=chip, mode=mode))
    script = tmp_path / "out" / "compile_to_graph_ir_0.py"
    old = sys.argv
    try:
        sys.argv = [str(script), "--keep", "--tpu-mlir", str(tools.root)]
        with pytest.raises(SystemExit, match="0"):
            runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv = old
    kept = tmp_path / "out" / "graph_ir_0" / ".compile"
    analyser = runpy.run_path(str(tools.root / "python" / "tools" / "mlir_analyse.py"))
    ops, kinds, _ = analyser["parse_mlir_file"](str(kept / "tpu.mlir"))
    table = get_chip(chip)
    peak = table.rate(table.modes[mode]) / table.cores
    theirs = 0.0
    for op in ops:
        kind = op.op_type.split(".")[-1]
        if op.op_type in analyser["SKIP_OPS"]:
            continue
        rate = peak if kind in analyser["KEY_OPS"] else peak / 8
        moved = sum(analyser["calc_data_volume"](op, kinds))
        theirs += max(analyser["calc_flops"](op) / rate, moved / table.memory_bandwidth)
    found = stages((kept / "final.mlir").read_text())
    assert sum(sum(stage.products.values()) for stage in found) == 2 * work
    ours = sum(seconds(stage, table) for stage in found)
    assert 0.3 * theirs < ours < 1.05 * theirs
