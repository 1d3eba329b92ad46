"""What BM1684 makes of weights and biases: the numbers that TPU-MLIR writes and its emulator uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from convert_toolchain import needs_toolchain, real
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from autosplit.calibration.calibrate import Tables, run_step, tables
from autosplit.calibration.chip_switches import SwitchedChip, step_of
from autosplit.core.errors import AutosplitError
from autosplit.core.weights import store_for
from autosplit.devices import Chip, get_chip
from autosplit.dialects.platform import shape_of
from autosplit.dialects.top import TopOp
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.biases import corrected_biases
from autosplit.flows.converting.options import ConvertOptions
from autosplit.flows.split import split_model
from autosplit.flows.splitting.options import SplitOptions
from autosplit.formats.top_mlir.reader import read_top
from autosplit.formats.top_mlir.writer import write_top
from autosplit.lowering.convert_top_to_onnx.base import is_weight, weight_name
from autosplit.lowering.top.byte_weights import (
    BY_CHANNEL,
    OVERFLOW,
    PRODUCTS,
    WIDE,
    rounded_weights,
    shifted_product,
)
from autosplit.runtime.runner import open_runner

Array = NDArray[Any]

CHIP = get_chip("bm1684")

LOWER = (
    "--processor-assign=chip={chip} mode=INT8 num_device=1 num_core=1 addr_mode=auto high_precision=False",
    "--import-calibration-table=file=calibration asymmetric=False",
    "--processor-top-optimize",
    "--convert-top-to-tpu=weightFileName=tpu_weights.npz asymmetric=False",
    "--canonicalize",
    "--weight-fold",
)


def net(path: Path, seed: int, output: str = "y", factor: float = 4000) -> Path:
    """Convolutions, one by channel and one transposed, and a product; some biases are beyond 16 bits."""
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> Array:
        # Multiples of 1/64 are halves of steps more often than other numbers.
        return (np.round(random.normal(size=shape) * 16) / 64).astype(np.float32)

    arrays = {
        "w1": normal(64, 3, 3, 3),
        "b1": normal(64),
        "w2": normal(64, 1, 3, 3),
        "b2": normal(64),
    }
    arrays |= {"w3": normal(64, 8, 2, 2), "w4": normal(8, 5), "b4": normal(5)}
    # One of 64 is cut off; four of 64 make the shift shorter.
    arrays["b1"][:1] *= factor
    arrays["b2"][: 4 * (seed % 2)] *= factor
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1] * 4),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("Conv", ["r1", "w2", "b2"], ["c2"], group=64, pads=[1] * 4),
        helper.make_node("ConvTranspose", ["c2", "w3"], ["t"], strides=[2, 2]),
        helper.make_node("Relu", ["t"], ["r2"]),
        helper.make_node("GlobalMaxPool", ["r2"], ["p"]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "w4", "b4"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes[: next(i for i, n in enumerate(nodes) if output in n.output) + 1],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(a, n) for n, a in arrays.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, path)
    return path


def tables_of(
    folder: Path, model: Path, chip: Chip = CHIP, **options: Any
) -> tuple[Tables, list[dict[str, Array]]]:
    """The network's tables, by samples that have a mean, and these."""
    random = np.random.default_rng(1)
    split_model(SplitOptions(model, out=folder / "out", target=chip.name, mode="INT8"))
    (text,) = folder.glob("out/graph_ir_*/graph_*.mlir")
    samples = [{"x": random.random((1, 3, 8, 8), np.float32)} for _ in range(8)]
    return tables(read_top(text), samples, chip=chip, **options), samples


def products(made: Tables) -> Iterator[tuple[TopOp, Array, Array | None]]:
    """The products of a module, with their weights and biases."""
    store = store_for(made.module)
    for op in made.module.walk():
        if isinstance(op, TopOp) and op.kind in PRODUCTS:
            weights, *rest = (
                np.asarray(store.array(weight_name(v))).reshape(shape_of(v.type) or ())
                for v in op.inputs[1:]
                if is_weight(v)
            )
            yield op, weights, rest[0] if rest else None


def numbers_of_compiler(made: Tables, folder: Path, chip: str = "bm1684") -> dict[str, Array]:
    """The weights and biases that TPU-MLIR's second step writes, as integers."""
    chain = real()
    source, _ = write_top(made.module, folder, "model")
    (folder / "calibration").write_text(made.calibration)
    run_step(
        [
            str(chain.tpuc_opt),
            source.name,
            *(step.format(chip=chip) for step in LOWER),
            "-o",
            "tpu.mlir",
        ],
        folder,
        chain.environment(),
    )
    with np.load(folder / "tpu_weights.npz") as archive:
        return dict(archive)


@needs_toolchain
@pytest.mark.parametrize("seed", range(4))
def test_the_compiler_writes_the_same_integers(seed: int, tmp_path: Path):
    made, _ = tables_of(tmp_path, net(tmp_path / "net.onnx", seed))
    wanted = numbers_of_compiler(made, tmp_path)
    compared = cut = 0
    for op, weights, bias in products(made):
        (name,) = op.names
        source: Any = op.inputs[0].owner
        inner = step_of(made.ranges[source.names[0]])
        outer = step_of(made.ranges[name])
        found = shifted_product(weights, bias, inner, outer, op.kind)
        assert found is not None
        step = outer / 2.0**found.shift
        integers = np.rint(found.weights / (step / inner)).ravel()
        np.testing.assert_array_equal(integers, wanted[f"{name}_filter_int8"].ravel())
        if bias is not None:
            assert found.bias is not None
            np.testing.assert_array_equal(
                np.rint(found.bias / step).ravel(), wanted[f"{name}_bias_int16"].ravel()
            )
            cut += int((np.abs(bias / step) > WIDE + 1).sum())
        compared += 1
    assert compared == 4
    assert cut > 0


def of_products(path: Path, rank: int) -> Path:
    """A product of rows with weights."""
    random = np.random.default_rng(rank)
    arrays = {"w": random.normal(size=(64, 32)), "b": random.normal(size=32)}
    shape = np.array([1, 3, 64][3 - rank :])
    nodes = [
        helper.make_node("Reshape", ["x", "s"], ["f"]),
        helper.make_node("MatMul", ["f", "w"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [
            numpy_helper.from_array(shape, "s"),
            *(numpy_helper.from_array(a.astype(np.float32), n) for n, a in arrays.items()),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, path)
    return path


@needs_toolchain
@pytest.mark.parametrize(
    ("model", "output", "corrects", "tolerance"),
    [
        (lambda path: net(path, 0, "r1"), "r1", True, 1e-4),
        (lambda path: net(path, 1, "c2"), "c2", False, 1e-4),
        (lambda path: net(path, 2, "c2"), "c2", True, 1e-4),
        (lambda path: of_products(path, 2), "y", False, 1e-4),
        # In real numbers; a step of the result would be 0.1.
        (lambda path: of_products(path, 3), "y", False, 0.03),
    ],
    ids=["conv", "depthwise", "depthwise, corrected", "matrix", "matrices"],
)
def test_trials_compute_what_the_chip_does(
    model: Callable[[Path], Path], output: str, corrects: bool, tolerance: float, tmp_path: Path
):
    made, samples = tables_of(tmp_path, model(tmp_path / "net.onnx"), correct_biases=corrects)
    np.save(tmp_path / "x.npy", np.concatenate([s["x"] for s in samples]))
    convert_folder(
        ConvertOptions(
            tmp_path / "out",
            mode="INT8",
            data=[str(tmp_path / "x.npy")],
            calibrator="minmax",
            correct_biases=corrects,
            equalize=False,
        )
    )
    if corrects:
        made = replace(made, biases=corrected_biases(made, CHIP))
        assert made.biases
    trial = SwitchedChip(made, CHIP, switched=False)
    with open_runner(tmp_path / "out", 2, use_cmodel=True) as chip:
        for sample in samples:
            emulated = np.asarray(chip.infer(sample)[output])
            tried = trial.run(sample, ())[output].reshape(emulated.shape)
            # A step is 1e-2 or more.
            np.testing.assert_allclose(tried, emulated, rtol=0, atol=tolerance)


@needs_toolchain
def test_other_chips_have_steps_by_channel(tmp_path: Path):
    """But for products of matrices; weights that are whole numbers of steps already are left alone there."""
    model = onnx.load(net(tmp_path / "net.onnx", 0, factor=1))
    random = np.random.default_rng(0)
    for tensor in model.graph.initializer:
        array = random.normal(size=tuple(tensor.dims)).astype(np.float32)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    onnx.save(model, tmp_path / "net.onnx")
    made, _ = tables_of(tmp_path, tmp_path / "net.onnx", chip=get_chip("bm1688"))
    wanted = numbers_of_compiler(made, tmp_path, "bm1688")
    kinds: list[str] = []
    for op, weights, _ in products(made):
        by_channel = op.kind in BY_CHANNEL
        rounded = rounded_weights(weights, by_channel=by_channel)
        axes = tuple(range(1, weights.ndim)) if by_channel else None
        steps = np.abs(weights).max(axis=axes, keepdims=True) / 127
        (name,) = (n for n in wanted if n.startswith(f"{op.names[0]}_filter_i"))
        np.testing.assert_array_equal(np.rint(rounded / steps).ravel(), wanted[name].ravel())
        kinds.append(op.kind)
    assert kinds == ["Conv", "Conv", "Deconv", "MatMul"]


@given(st.integers(0, 2**32 - 1), st.floats(-12, 12), st.floats(-12, 12))
def test_weights_are_the_nearest_of_the_finest_steps(seed: int, inner_log: float, outer_log: float):
    random = np.random.default_rng(seed)
    weights = random.normal(size=(4, 3)).astype(np.float32)
    bias = random.normal(size=3).astype(np.float32)
    inner, outer = float(np.exp2(inner_log)), float(np.exp2(outer_log))
    found = shifted_product(weights, bias, inner, outer, "Conv")
    largest = np.abs(weights).max() * inner / outer
    if found is None:
        assert largest >= 127
        return
    step = outer / 2.0**found.shift
    assert np.abs(found.weights - weights).max() <= step / inner * (0.5 + 1e-4)
    assert found.bias is not None
    cut = np.abs(bias / step) > WIDE
    assert cut.mean() <= OVERFLOW or found.shift == 0
    assert np.abs(found.bias - bias)[~cut].max(initial=0) <= step * (0.5 + 1e-2)
    # One bit more would be too much for the weights, or for the biases.
    too_much = largest * 2 ** (found.shift + 1) >= 127 * (1 - 1e-6)
    assert too_much or found.shift == 31 or (np.abs(bias / step) * 2 > WIDE - 1).any()


@needs_toolchain
def test_an_equalized_folder_computes_the_same_and_its_table_is_taken_again(tmp_path: Path):
    _, samples = tables_of(tmp_path, net(tmp_path / "net.onnx", 2))
    np.save(tmp_path / "x.npy", np.concatenate([s["x"] for s in samples]))
    folder = tmp_path / "out"
    data = [str(tmp_path / "x.npy")]
    convert_folder(ConvertOptions(folder, mode="INT8", data=data, correct_biases=False))
    table, weights = (
        folder / "graph_ir_0" / f"graph_0_{n}" for n in ("calibration", "weights.npz")
    )
    assert table.read_text().startswith("# channels: equalized\n")
    with np.load(weights) as archive:
        equalized = dict(archive)
    text = table.read_text()
    (tmp_path / "table").write_text(text)
    convert_folder(ConvertOptions(folder, mode="INT8", table=tmp_path / "table"))
    with np.load(weights) as archive:
        assert {n: a.tobytes() for n, a in archive.items()} == {
            n: a.tobytes() for n, a in equalized.items()
        }
    assert table.read_text().startswith("# channels: equalized\n")
    # A table that was written without says so by saying nothing.
    (tmp_path / "table").write_text(text.partition("\n")[2])
    convert_folder(ConvertOptions(folder, mode="INT8", table=tmp_path / "table"))
    with np.load(weights) as archive:
        assert any(not np.array_equal(array, equalized.get(n)) for n, array in archive.items())
    with pytest.raises(AutosplitError, match="--equalize: is for INT8, the mode is F32"):
        convert_folder(ConvertOptions(folder, mode="F32", equalize=True))
