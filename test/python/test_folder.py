"""Output folders: whole or not at all, never over something that is not ours, the same bytes each time."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore, digest
from autosplit.dialects.device import Device, FuncOp
from autosplit.dialects.platform import Platform as PlatformDialect
from autosplit.folder.compiled import known_names, locked
from autosplit.folder.infos_reader import GraphInfos
from autosplit.folder.staging import check_destination, staged_folder, write_folder
from autosplit.platforms import Measured, Platform
from autosplit.registry import make_context

MODULE = """
builtin.module attributes {platform.name = "onnx", device.plan = {share = 1.0 : f64},
                           platform.stores = [#platform.store<"whole.onnx", "0123">]} {
  "device.func"() <{sym_name = "graph_0", target = #device.target<cpu>,
                    input_names = ["x"], output_names = ["y"]}> ({
  ^bb0(%x : tensor<2x?xf32> loc("x")):
    %y = "test.op"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32> loc("conv")
    device.return %y : tensor<2x?xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "graph_1", target = #device.target<tpu, "bm1684x">,
                    input_names = ["y"], output_names = ["z"]}> ({
  ^bb0(%x : tensor<2x?xf32> loc("y")):
    %y = "test.op"(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32> loc("relu")
    device.return %y : tensor<2x?xf32>
  }) : () -> ()
  "device.func"() <{sym_name = "main", target = #device.target<host>,
                    input_names = ["x"], output_names = ["z"]}> ({
  ^bb0(%x : tensor<2x?xf32> loc("x")):
    %y = device.call @graph_0(%x) : (tensor<2x?xf32>) -> tensor<2x?xf32>
    %z = device.call @graph_1(%y) : (tensor<2x?xf32>) -> tensor<2x?xf32>
    device.return %z : tensor<2x?xf32>
  }) : () -> ()
}
"""

LOWERED = """
builtin.module attributes {platform.name = "onnx", onnx.opsets = {"ai.onnx" = 21 : i64}} {
  onnx.graph "graph_1" (%y "y" : tensor<2x5xf32>) -> ["z"] {
    %z = onnx.Relu "relu" (%y) -> ["z"] : (tensor<2x5xf32>) -> tensor<2x5xf32>
    onnx.return %z : tensor<2x5xf32>
  }
}
"""

MEASURED = {name: Measured((2, 5), "float32") for name in ("x", "y", "z", "inner")}


def context() -> Context:
    ctx = Context(allow_unregistered=True)
    for dialect in (Builtin, Device, PlatformDialect):
        ctx.load_dialect(dialect)
    return ctx


def module() -> ModuleOp:
    return Parser(context(), MODULE).parse_module()


class FakePlatform:
    """Writes the name of each function where a model would be."""

    name = "onnx"
    files = {"model_path": ".onnx"}

    def __init__(self, fail_at: int | None = None, error: BaseException | None = None):
        self.count = 0
        self.fail_at = fail_at
        self.error = error

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        path = folder / f"{stem}.onnx"
        if self.count == self.fail_at and self.error is not None:
            path.write_text("half")
            raise self.error
        self.count += 1
        path.write_text(func.sym_name.data)
        return {"model_path": path.name}

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        return Parser(make_context(), LOWERED).parse_module()

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        pass

    def refusal(
        self, models: Sequence[Mapping[str, str]], folder: Path, custom_ops: Sequence[Path] = ()
    ) -> None:
        assert all((folder / name).is_file() for model in models for name in model.values())


def fake(*args: Any) -> Platform:
    platform: Any = FakePlatform(*args)
    return platform


def write(destination: Path, **options: Any) -> GraphInfos:
    platform = options.pop("platform", fake())
    store = options.pop("store", WeightStore())
    return write_folder(
        module(), store, platform, destination, measured=MEASURED, layout="NCHW", **options
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def test_what_is_in_the_folder(tmp_path: Path):
    out = tmp_path / "out"
    infos = write(out)
    files = contents(out)
    assert sorted(files) == [
        "compile_to_graph_ir_1.py",
        "graph_0.onnx",
        "graph_1.onnx",
        "graph_infos.json",
        "graph_ir_1/graph_1.mlir",
        "graph_ir_1/graph_1_weights.npz",
        "plan.mlir",
    ]
    assert files["graph_1.onnx"] == b"graph_1"
    assert infos.tensors["y"].shape == (2, 5)
    assert infos.layout == "NCHW"
    sums: Any = infos.own["files"]
    for name, text in files.items():
        if name != "graph_infos.json":
            assert sums[name] == hashlib.sha256(text).hexdigest()
    assert set(sums) == set(files) - {"graph_infos.json"}
    # An ordinary folder: as mkdir would have made it.
    (tmp_path / "other").mkdir()
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_plan_is_the_module_with_the_emitted_stores(tmp_path: Path):
    original = module()
    write_folder(original, WeightStore(), fake(), tmp_path / "out", measured=MEASURED)
    # The module in memory still names the store that its weights are read from.
    assert "whole.onnx" in str(original.attributes["platform.stores"])
    text = (tmp_path / "out" / "plan.mlir").read_text()
    assert "whole.onnx" not in text
    for name in ("graph_0", "graph_1"):
        assert f'#platform.store<"{name}.onnx", "{digest(name.encode())}">' in text
    assert str(tmp_path) not in text
    read = Parser(context(), text).parse_module()
    read.verify()
    locations = {
        op.name: str(op.location) for op in read.walk() if op.name == "builtin.unregistered"
    }
    assert locations == {"builtin.unregistered": 'loc("relu")'}
    # The plan alone says what graph_infos.json says.
    from autosplit.folder.infos_writer import graph_infos

    again = graph_infos(read)
    listed = json.loads((tmp_path / "out" / "graph_infos.json").read_text())
    del listed["autosplit"]["files"]
    assert again == listed
    assert "inner" not in text, "only what crosses a border belongs into the plan"


def test_same_bytes_each_time(tmp_path: Path):
    write(tmp_path / "a")
    write(tmp_path / "deeper" / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "deeper" / "b")


@pytest.mark.parametrize(
    "error", [AutosplitError("no"), KeyboardInterrupt(), RuntimeError("bug"), OSError(28, "full")]
)
@pytest.mark.parametrize("existing", ["missing", "empty", "split"])
def test_nothing_is_left_after_a_failure(tmp_path: Path, error: BaseException, existing: str):
    out = tmp_path / "new" / "out"
    if existing == "empty":
        out.mkdir(parents=True)
    if existing == "split":
        write(out)
    before = snapshot(tmp_path)
    expected = AutosplitError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        write(out, platform=fake(1, error), force=True)
    assert snapshot(tmp_path) == before


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in folder.rglob("*")}


def test_invalid_module_leaves_nothing(tmp_path: Path):
    with pytest.raises(AutosplitError, match="not outlined"):
        write_folder(ModuleOp([]), WeightStore(), fake(), tmp_path / "out")
    assert snapshot(tmp_path) == {}


def test_force_replaces_a_split_and_only_a_split(tmp_path: Path):
    out = tmp_path / "out"
    write(out)
    stale = out / "graph_ir_1" / ".compile" / "stale"
    stale.parent.mkdir(parents=True)
    stale.write_text("x")
    with pytest.raises(AutosplitError, match="--force"):
        write(out)
    assert stale.exists()
    write(out, force=True)
    assert not stale.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]

    other = tmp_path / "letters"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(AutosplitError, match="replaces an earlier split only"):
        write(other, force=True)
    (other / "graph_infos.json").write_text("[]")
    with pytest.raises(AutosplitError, match="replaces an earlier split only"):
        write(other, force=True)
    assert (other / "letter.txt").exists()


@pytest.mark.parametrize(
    "name",
    ["photo.npy", "notes/a.txt", "graph_ir_1/mine.bin", "graph_ir_0/compilation.bmodel", "link"],
)
def test_force_replaces_no_file_of_the_users(tmp_path: Path, name: str):
    out = tmp_path / "out"
    write(out)
    mine = out / name
    mine.parent.mkdir(exist_ok=True)
    if name == "link":
        mine.symlink_to(tmp_path)
    else:
        mine.write_text("mine")
    before = snapshot(tmp_path)
    with pytest.raises(AutosplitError, match=rf"{name!r} in it is not that; move it elsewhere"):
        write(out, force=True)
    assert snapshot(tmp_path) == before
    mine.unlink()
    write(out, force=True)


def test_force_names_one_file_and_counts_the_others(tmp_path: Path):
    out = tmp_path / "out"
    write(out)
    for name in ("b", "a", "c"):
        (out / name).touch()
    with pytest.raises(AutosplitError, match="'a' and 2 more in it is not that"):
        check_destination(out, force=True)


def test_force_replaces_what_is_compiled(tmp_path: Path):
    out = tmp_path / "out"
    write(out)
    inner = out / "graph_ir_1"
    inner.mkdir(exist_ok=True)
    for name in known_names(1):
        (inner / name).touch()
    (out / ".graph_ir_1.x.part").mkdir()
    (out / ".graph_ir_1.x.part" / "left").touch()
    assert check_destination(out, force=True).files


@pytest.mark.parametrize("kind", ["original", "vendor"])
def test_force_replaces_what_the_vendors_compilers_leave(tmp_path: Path, kind: str):
    out = tmp_path / "out"
    write(out)
    path = out / "graph_infos.json"
    infos = json.loads(path.read_text())
    if kind == "original":
        del infos["autosplit"]
        path.write_text(json.dumps(infos))
        (out / "plan.mlir").unlink()
    else:
        text = (
            '"""Compiles one sub-model of a split for the TPU, with bmneto of the vendor\'s SDK.\n'
        )
        (out / "compile_to_graph_ir_1.py").write_text(text)
    (out / "graph_ir_1").mkdir(exist_ok=True)
    (out / "graph_ir_1" / "io_info.dat").touch()
    assert check_destination(out, force=True).files
    (out / "notes.txt").touch()
    with pytest.raises(AutosplitError, match=r"'notes\.txt' in it"):
        check_destination(out, force=True)


@pytest.mark.parametrize(
    "infos",
    ['{"graphs": 1}', '{"graphs": [1, {"model_info": 3, "context_dir": 4}], "autosplit": []}',
     '{"graphs": [], "autosplit": {"files": ["mine"]}}'],
)  # fmt: skip
def test_force_takes_no_damaged_folder_for_its_own(tmp_path: Path, infos: str):
    (tmp_path / "graph_infos.json").write_text(infos)
    (tmp_path / "mine").touch()
    with pytest.raises(AutosplitError, match="'mine' in it is not that"):
        check_destination(tmp_path, force=True)


def test_the_model_is_never_deleted(tmp_path: Path):
    out = tmp_path / "out"
    write(out)
    # Splitting a sub-model of a split again, into its own folder.
    model = out / "graph_0.onnx"
    with pytest.raises(AutosplitError, match=r"holds graph_0\.onnx, which is being split"):
        write(out, force=True, store=WeightStore(model))
    with pytest.raises(AutosplitError, match="is being split"):
        write(out, force=True, keep=[model])
    assert model.exists()


def test_dangerous_destinations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(AutosplitError, match="root of the file system"):
        check_destination("/", force=True)
    with pytest.raises(AutosplitError, match="root of the file system"):
        check_destination("/tmp/../..", force=True)
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(AutosplitError, match="is a file"):
        check_destination(file, force=True)
    with pytest.raises(AutosplitError, match="is a file, so there can be no folder"):
        check_destination(file / "a" / "b", force=False)
    out = tmp_path / "out"
    write(out)
    monkeypatch.chdir(out)
    with pytest.raises(AutosplitError, match="current or the home folder"):
        check_destination(".", force=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(out))
    with pytest.raises(AutosplitError, match="current or the home folder"):
        check_destination("out", force=True)


def test_links(tmp_path: Path):
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "graph_infos.json").is_file()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_parent(tmp_path: Path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(AutosplitError, match="cannot be"):
            write(tmp_path / "a" / "out")
    finally:
        tmp_path.chmod(0o700)


def test_failure_while_renaming_restores_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    out = tmp_path / "out"
    write(out)
    before = snapshot(tmp_path)
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise OSError(5, "broken disk")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(AutosplitError, match="cannot be written: broken disk"):
        write(out, force=True)
    assert snapshot(tmp_path) == before


def test_staged_folder_alone(tmp_path: Path):
    with staged_folder(tmp_path / "a" / "b") as folder:
        (folder / "x").write_text("1")
        assert not (tmp_path / "a" / "b").exists()
    assert contents(tmp_path) == {"a/b/x": b"1"}


def _as_split(folder: Path, text: str) -> None:
    own = {"files": {"inner/x": ""}}
    infos = {"graphs": [], "by": text, "autosplit": own}
    (folder / "graph_infos.json").write_text(json.dumps(infos))
    (folder / "inner").mkdir()
    (folder / "inner" / "x").write_text(text)


@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize("force", [False, True])
def test_what_came_meanwhile_stays(tmp_path: Path, was_there: bool, force: bool):
    out = tmp_path / "out"
    if was_there:
        out.mkdir()

    def meanwhile() -> None:
        with staged_folder(out, force=force) as folder:
            (folder / "x").write_text("1")
            out.mkdir(exist_ok=True)
            (out / "mine.txt").write_text("2")

    with pytest.raises(AutosplitError, match="out: something came into the folder meanwhile"):
        meanwhile()
    assert contents(tmp_path) == {"out/mine.txt": b"2"}
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("change", ["new", "inner", "content", "gone", "file"])
def test_force_replaces_only_what_was_checked(tmp_path: Path, change: str):
    out = tmp_path / "out"
    out.mkdir()
    _as_split(out, "old")
    destination = check_destination(out, force=True)
    match change:
        case "new":
            (out / "mine.txt").write_text("2")
        case "inner":
            (out / "inner" / "mine.txt").write_text("2")
        case "content":
            (out / "inner" / "x").write_text("another one")
        case "gone":
            shutil.rmtree(out)
        case _:
            shutil.rmtree(out)
            out.write_text("a file")
    before = contents(tmp_path)

    def late() -> None:
        with staged_folder(destination) as folder:
            _as_split(folder, "new")

    with pytest.raises(AutosplitError, match="something came into the folder meanwhile"):
        late()
    assert contents(tmp_path) == before
    assert [p.name for p in tmp_path.iterdir()] == ([] if change == "gone" else ["out"])


@pytest.mark.parametrize("place", [".", "graph_ir_1"])
def test_what_is_being_converted_is_not_replaced(place: str, tmp_path: Path):
    """Neither when it is checked nor when its turn has come."""
    write(tmp_path / "out")
    before = contents(tmp_path / "out")
    (tmp_path / "out" / "graph_ir_1").mkdir(exist_ok=True)
    checked = check_destination(tmp_path / "out", force=True)
    with locked(tmp_path / "out" / place):
        for destination in (tmp_path / "out", checked):
            with (
                pytest.raises(AutosplitError, match=r"is at work (on|in) it; wait for its end"),
                staged_folder(destination, force=True) as folder,
            ):
                (folder / "new").touch()
    assert contents(tmp_path / "out") == before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    with staged_folder(checked, force=True) as folder:
        (folder / "new").touch()
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["new"]


@pytest.mark.parametrize("force", [False, True])
def test_of_several_with_one_folder_one_wins(tmp_path: Path, force: bool):
    for number in range(10):
        out = tmp_path / str(number)
        if force:
            out.mkdir()
            _as_split(out, "old")
        start = Barrier(4, timeout=60)

        def work(text: str, out: Path = out, start: Barrier = start) -> str:
            destination = check_destination(out, force=force)
            start.wait()
            with suppress(AutosplitError), staged_folder(destination) as folder:
                _as_split(folder, text)
                return text
            return ""

        with ThreadPoolExecutor(4) as pool:
            winners = [w for w in pool.map(work, "abcd") if w]
        assert len(winners) == 1
        assert contents(out)["inner/x"] == winners[0].encode()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(map(str, range(10)))
