"""`convert --one-file`: the bmodels of a folder as networks of one file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_models import X, split_two
from convert_toolchain import needs_toolchain

from autosplit.core.errors import AutosplitError
from autosplit.flows.convert.folder import convert_folder
from autosplit.flows.converting.options import ConvertOptions, ConvertResult
from autosplit.folder.compiled import ONE_FILE
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.own_files import foreign_files, read_entries
from autosplit.runtime.bmodel.executor import BmodelExecutor
from autosplit.runtime.bmodel.one_file import find_one_file
from autosplit.runtime.runner import open_runner


def convert(folder: Path, **options: Any) -> ConvertResult:
    result = convert_folder(ConvertOptions(folder, **options))
    result.check()
    return result


@pytest.fixture(scope="module")
def combined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two TPU sub-models, whose bmodels are in one file too."""
    folder = split_two(tmp_path_factory.mktemp("one") / "out", "bm1688", mode="F16")
    assert convert(folder, one_file=True).one_file == folder / ONE_FILE
    return folder


@pytest.fixture
def folder(combined: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(combined, tmp_path / "out"))


def test_bm1684_is_refused(tmp_path: Path) -> None:
    folder = split_two(tmp_path / "out", "bm1684")
    with pytest.raises(AutosplitError, match=r"--one-file: not for BM1684 \(measured: "):
        convert(folder, one_file=True)


@needs_toolchain
def test_the_runner_takes_it(folder: Path) -> None:
    parts = [(folder / f"graph_ir_{i}/compilation.bmodel").stat().st_size for i in (0, 2)]
    one = folder / ONE_FILE
    assert one.stat().st_size < sum(parts) - 5_000_000, "the kernel module is in it once"
    with open_runner(folder, 2) as runner:
        executors = [e for e in runner.models if isinstance(e, BmodelExecutor)]
        assert len({e.process for e in executors}) == 1
        assert [e.process.bmodel for e in executors] == [one, one]
        (shared,) = runner.infer({"x": X}).values()
    one.unlink()
    with open_runner(folder, 2) as runner:
        executors = [e for e in runner.models if isinstance(e, BmodelExecutor)]
        assert len({e.process for e in executors}) == 2
        (alone,) = runner.infer({"x": X}).values()
    np.testing.assert_array_equal(np.asarray(shared), np.asarray(alone))


@needs_toolchain
def test_the_same_bmodels_give_the_same_file(folder: Path) -> None:
    before = (folder / ONE_FILE).read_bytes()
    result = convert(folder, one_file=True)
    assert {graph.state for graph in result.graphs} == {"taken"}
    assert (folder / ONE_FILE).read_bytes() == before
    # It is as good as before if nobody asks for it.
    convert(folder)
    assert find_one_file(GraphInfos.load(folder)) == folder / ONE_FILE


@needs_toolchain
def test_other_bmodels_remove_it(folder: Path) -> None:
    convert(folder, mode="F32")
    assert not (folder / ONE_FILE).exists()
    assert "one_file" not in json.loads((folder / "graph_infos.json").read_text())["autosplit"]


@needs_toolchain
def test_another_file_is_refused(folder: Path) -> None:
    with (folder / ONE_FILE).open("ab") as file:
        file.write(b"x")
    with pytest.raises(AutosplitError, match="is not the file that `convert --one-file` wrote"):
        open_runner(folder, 2)


@needs_toolchain
def test_it_is_nobody_elses(combined: Path) -> None:
    entries = read_entries(combined)
    assert entries is not None
    assert foreign_files(combined, entries, [ONE_FILE, "notes.txt"]) == ["notes.txt"]
