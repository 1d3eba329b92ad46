"""Runs every check and every test, and ends with one plain line: `make test`.

All steps run even when one fails, so that one run tells everything. `--only NAME` (repeatable) runs some.
Those without tests run side by side, for alone they leave cores idle, and each shows its output when it ends.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BUILD = ROOT / "build" / "check"
JOBS = str(min(os.cpu_count() or 1, 8))


@dataclass
class Counts:
    """What one step found."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


@dataclass
class Step:
    """A command, and how its tests are counted; a step without a counter is one test."""

    name: str
    command: list[str]
    count: Callable[[], Counts] | None = None
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0

    def run(self) -> None:
        """Runs it, and shows its output at once if it counts its tests, else when it has ended."""
        title = f"\n=== {self.name}: {Path(self.command[0]).name} ..."
        if self.count:
            print(title, flush=True)
        started = time.monotonic()
        done = subprocess.run(
            self.command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=None if self.count else subprocess.PIPE,
            stderr=None if self.count else subprocess.STDOUT,
            text=True,
        )
        self.seconds, code = time.monotonic() - started, done.returncode
        if not self.count:
            print(f"{title}\n{done.stdout}", end="", flush=True)
        try:
            self.counts = self.count() if self.count else Counts(passed=1 if code == 0 else 0)
        except (OSError, ValueError, ElementTree.ParseError) as e:
            print(f"{self.name}: its results cannot be read: {e}", flush=True)
            self.counts = Counts()
        # A crash that no single test stands for is a failure all the same.
        if code != 0 and self.counts.failed == 0:
            self.counts.failed = 1


def lit_counts() -> Counts:
    results = json.loads((BUILD / "lit.json").read_text())["tests"]
    codes = [test["code"] for test in results]
    skipped = codes.count("UNSUPPORTED") + codes.count("SKIPPED")
    passed = codes.count("PASS") + codes.count("XFAIL") + codes.count("FLAKYPASS")
    return Counts(passed, len(codes) - passed - skipped, skipped)


def pytest_counts() -> Counts:
    suites = ElementTree.parse(BUILD / "pytest.xml").getroot()
    found = Counts()
    for suite in suites.iter("testsuite"):
        total, skipped = int(suite.get("tests", "0")), int(suite.get("skipped", "0"))
        failed = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
        found.passed += total - skipped - failed
        found.failed += failed
        found.skipped += skipped
    return found


def steps(nightly: bool) -> list[Step]:
    python, ruff, lit = sys.executable, str(BIN / "ruff"), str(BIN / "lit")
    tests = [python, "-m", "pytest", "-q", "-n", JOBS, "--dist", "worksteal", "-rs"]
    tests += ["-m", "nightly"] if nightly else []
    tests += [f"--junitxml={BUILD / 'pytest.xml'}"]
    lit_tests = [lit, "-j", JOBS, "--order=lexical", "-o", str(BUILD / "lit.json")]
    lit_tests += ["-q" if os.environ.get("CI") else "-s", "-v", "test/lit"]
    if nightly:
        return [Step("pytest", tests, pytest_counts)]
    return [
        Step("lint", [ruff, "check", "--quiet", "--output-format=concise", "."]),
        Step("format", [ruff, "format", "--quiet", "--diff", "."]),
        Step("types", [str(BIN / "basedpyright")]),
        Step("docs", [python, "-m", "autosplit.tools.generate.pages", "--check"]),
        Step("lit", lit_tests, lit_counts),
        Step("pytest", tests, pytest_counts),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nightly", action="store_true", help="the slow tests instead")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    options = parser.parse_args()
    chosen = [s for s in steps(options.nightly) if not options.only or s.name in options.only]
    if not chosen:
        parser.error("no step has that name")
    BUILD.mkdir(parents=True, exist_ok=True)
    for old in BUILD.iterdir():
        old.unlink()
    with ThreadPoolExecutor() as pool:
        list(pool.map(Step.run, [step for step in chosen if not step.count]))
    for step in chosen:
        if step.count:
            step.run()
    print("\nsummary")
    for step in chosen:
        state = "FAILED" if step.counts.failed else "ok"
        told = f"{step.counts.passed} passed, {step.counts.failed} failed, {step.counts.skipped} skipped"
        print(f"  {step.name:8} {state:7} {step.seconds:7.1f} s   {told}")
    total = Counts(
        sum(s.counts.passed for s in chosen),
        sum(s.counts.failed for s in chosen),
        sum(s.counts.skipped for s in chosen),
    )
    print(f"\n{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
