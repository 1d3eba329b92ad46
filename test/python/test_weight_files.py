"""Opening only the tensors of a model file: the same as importing the model gives, by the same keys."""

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper, save

from autosplit.core.errors import AutosplitError
from autosplit.core.parsing import parse_mlir
from autosplit.core.printing import module_text
from autosplit.core.weights import WeightStore, store_for, stores_of, write_archive
from autosplit.formats.onnx import sparing
from autosplit.formats.onnx.writer import model_proto
from autosplit.platforms import load_model
from autosplit.platforms.stores import find_weights, open_store
from autosplit.registry import make_context


def model(path: Path) -> Path:
    """Large initializers as bytes, as numbers and outside; a large Constant here and in a branch."""
    random = np.random.default_rng(0)

    def array(size: int) -> np.ndarray:
        return random.random((size,), np.float32)

    typed = helper.make_tensor("typed", TensorProto.FLOAT, [1025], array(1025).tolist())
    documented = numpy_helper.from_array(array(1028), "documented")
    documented.doc_string = "said of it"
    held = [numpy_helper.from_array(array(n), name) for n, name in ((1026, "raw"), (3, "small"))]
    constant = helper.make_node(
        "Constant", [], ["constant"], value=numpy_helper.from_array(array(1027), "")
    )
    inner = helper.make_node("Constant", [], ["y"], value=numpy_helper.from_array(array(1029), ""))
    branch = helper.make_graph(
        [inner], "branch", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1029])]
    )
    choice = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    kept = [helper.make_node("Identity", [t.name], [f"{t.name}_out"]) for t in (typed, *held)]
    graph = helper.make_graph(
        [constant, choice, *kept],
        "g",
        [helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1029])],
        [typed, documented, *held],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save(made, path)
    return path


def check_same(found: WeightStore, expected: WeightStore) -> None:
    assert list(found) == list(expected)
    assert found.file_digest == expected.file_digest
    for key in expected:
        np.testing.assert_array_equal(found.array(key), expected.array(key))
        assert found.array(key).dtype == expected.array(key).dtype


def test_tensors_are_those_of_the_imported_model(tmp_path: Path):
    path = model(tmp_path / "m.onnx")
    expected = load_model(path).store
    assert list(expected) == ["typed", "documented", "raw", "constant", "y", "y#2"]
    found = open_store(path)
    check_same(found, expected)
    # What writing type, name and bytes would not give again, is kept as it is.
    assert found.source("raw") is None
    assert found.source("documented") == expected.source("documented")


def test_arrays_stay_when_another_file_takes_the_place(tmp_path: Path):
    path = model(tmp_path / "m.onnx")
    store = open_store(path)
    before = store.array("raw").copy()
    other = tmp_path / "other"
    other.write_bytes(b"")
    other.replace(path)
    np.testing.assert_array_equal(store.array("raw"), before)


def test_truncated_files_are_errors(tmp_path: Path):
    path = model(tmp_path / "m.onnx")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(AutosplitError, match=r"m\.onnx"):
        open_store(path)


def test_known_digests_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = model(tmp_path / "m.onnx")
    text = module_text(load_model(path).module)
    module = parse_mlir(make_context(), text, "m.mlir")
    with pytest.raises(AutosplitError, match="give the model file"):
        store_for(module).array("raw")
    find_weights(module, [tmp_path], ["m.onnx"])
    monkeypatch.setattr("autosplit.formats.onnx.weights.digest_of", None)
    (file,) = stores_of(module)
    assert store_for(module).file_digest == file.digest
    assert store_for(module).array("raw").shape == (1026,)


def test_clones_share_what_is_added(tmp_path: Path):
    module = load_model(model(tmp_path / "m.onnx")).module
    clone = module.clone()
    store_for(clone).add("folded", lambda: np.zeros(2))
    assert "folded" in store_for(module)
    assert "folded" not in store_for(load_model(tmp_path / "m.onnx").module)


def test_archives_are_as_numpy_writes_them(tmp_path: Path):
    grid = np.arange(12, dtype=np.float32).reshape(3, 4)
    arrays = {"a": grid, "b": grid.T, "c": grid[:, ::2], "d": np.float32(3), "e": grid[:0]}
    write_archive(tmp_path / "w.npz", arrays.items())
    with np.load(tmp_path / "w.npz") as found:
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].flags.f_contiguous == np.asarray(array).flags.f_contiguous


@pytest.mark.parametrize("limit", [0, 4000, 1 << 30])
def test_weights_that_stay_in_the_file_are_the_same(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The IR, the tensors, and the file that is written, whatever is read at once."""
    path = model(tmp_path / "m.onnx")
    whole = load_model(path)
    monkeypatch.setattr(sparing, "LARGE", limit)
    found = load_model(path)
    assert module_text(found.module) == module_text(whole.module)
    check_same(found.store, whole.store)
    written = model_proto(found.module, found.store)
    assert written.SerializeToString(deterministic=True) == ModelProto.FromString(
        path.read_bytes()
    ).SerializeToString(deterministic=True)
    # Those of the graph itself that are nothing but numbers: the others need their message.
    assert (found.store.source("raw") is None) == (limit < 1 << 30)
    assert found.store.source("documented") is not None


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sparing, "LARGE", 0)
    path = model(tmp_path / "m.onnx")
    loaded, data = load_model(path), path.read_bytes()
    replaced = tmp_path / "other.onnx"
    replaced.write_bytes(b"something else")
    first = loaded.store.array("raw")
    replaced.rename(path)
    np.testing.assert_array_equal(loaded.store.array("raw"), first)
    path.write_bytes(data)
    again = load_model(path)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(AutosplitError, match=r"m.onnx: was changed while it was in use"):
        again.store.array("raw")
