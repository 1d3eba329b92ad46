"""Options that do not apply to what a command was given end it, in one line that names the option."""

from __future__ import annotations

from pathlib import Path

import pytest

from autosplit import api
from autosplit.core.errors import AutosplitError
from autosplit.tools.cli import main as cli
from autosplit.tools.cli.applies import options_in
from autosplit.tools.generate.blocks import copy_examples


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MODEL, Q (a quantized one), DIR (split) and C (compiled)."""
    path = tmp_path_factory.mktemp("applies")
    copy_examples(path)
    detector, quantized = str(path / "detector.onnx"), str(path / "quantized.onnx")
    assert cli.main(["split", detector, "-o", str(path / "DIR")]) == 0
    assert cli.main(["compile", quantized, "-o", str(path / "C")]) == 0
    return path


REFUSED = [
    *(
        (f"explain {folder} {option}", option.split()[0], "is for models")
        for folder in ("DIR", "C")
        for option in (
            "--keep 1", "--keep 0.95", "--pin a=cpu", "--target bm1684", "--mode F16", "--input 1,2",
            "--shape a=1", "--dynamic", "--layout NHWC", "--output y", "--platform onnx", "--sums fast",
            "--on-fallback error", "--custom-ops x.so", "--preprocess mean=1", "--version 3.2",
            "--policy backend", "--set a=1",
        )
    ),
    ("explain MODEL --sums fast", "--sums", "goes with --int8"),
    ("explain MODEL --rounding close", "--rounding", "goes with --int8"),
    ("explain MODEL --version=3.1", "--version", "goes with --int8"),
    ("explain Q --int8 --keep 1", "--keep", "is an option of split"),
    ("explain Q --int8 --target bm1684", "--target", "is an option of split"),
    ("explain --rules --all", "--all", "does not apply to --rules"),
    ("explain MODEL --rules", "MODEL", "the same for all models"),
    ("explain DIR --op conv1 --all", "--op and --all", "leave one out"),
    ("run DIR --threads 2", "--threads", "is for compiled models"),
    ("run DIR --repeat 10", "--repeat", "is for compiled models"),
    ("run DIR --tolerance 1", "--tolerance", "is for compiled models"),
    ("run DIR --wait-policy passive", "--wait-policy", "is for compiled models"),
    ("run DIR --timeout 3", "--timeout", "goes with --mode 2"),
    ("run DIR --mode 0 --cmodel", "--cmodel", "goes with --mode 2"),
    ("run C --mode 2", "--mode", "is for split models"),
    ("run C --cmodel", "--cmodel", "is for split models"),
    ("run C --tolerance 1", "--tolerance", "goes with --compare"),
    ("convert DIR --compiler bmnet --jobs 2", "--jobs", "is for TPU-MLIR"),
    ("convert DIR --compiler bmnet --data x", "--data", "is for TPU-MLIR"),
    ("probe --input x=1", "--input", "is for probing a MODEL"),
    ("probe --seed 1", "--seed", "goes with --sample"),
    ("probe MODEL --resume", "--resume", "is for probing without MODEL"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "option", "why"), REFUSED)
def test_what_does_not_apply_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str, option: str, why: str
):
    names = {"MODEL": "detector.onnx", "Q": "quantized.onnx", "DIR": "DIR", "C": "C"}
    words = [str(folder / names[w]) if w in names else w for w in command.split()]
    capsys.readouterr()
    assert cli.main(words) == 1
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    named = str(folder / names[option]) if option in names else option
    assert err.startswith(f"autosplit: error: {named}: ")
    assert why in err


@pytest.mark.parametrize(
    "command",
    ["explain DIR --json", "explain DIR --op .*", "explain C --all", "explain C --int8",
     "explain MODEL --keep 1 --pin .*=cpu", "explain Q --int8 --sums fast --all",
     "explain --rules --version 3.1 --json"],
)  # fmt: skip
def test_what_applies_is_taken(folder: Path, capsys: pytest.CaptureFixture[str], command: str):
    names = {"MODEL": "detector.onnx", "Q": "quantized.onnx", "DIR": "DIR", "C": "C"}
    words = [str(folder / names[w]) if w in names else w for w in command.split()]
    assert cli.main(words) == 0
    assert capsys.readouterr().out


def test_values_are_no_options():
    words = ["--op=--keep", "--keep=1", "x", "-o", "--", "--pin"]
    assert options_in(words) == {"--op", "--keep"}


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("DIR", {"keep": 1.0}, "keep: is for models"),
        ("DIR", {"pins": {"a": "cpu"}}, "pins: is for models"),
        ("C", {"sums": "fast", "int8": True}, "sums: is for models"),
        ("quantized.onnx", {"int8": True, "keep": 0.5}, "keep: is an argument of split"),
        ("detector.onnx", {"version": "3.1"}, "version: goes with int8"),
    ],
)
def test_arguments_of_explain(folder: Path, name: str, arguments: dict[str, object], expected: str):
    with pytest.raises(AutosplitError, match=expected):
        api.explain(folder / name, **arguments)
