"""TPU-MLIR for tests: the installed one, else one that is installed into the tests' cache on first use.

from autosplit.testing.toolchain import toolchain
tools = toolchain()

python -m autosplit.testing.toolchain
"""

from __future__ import annotations

import os
import sys
from unittest import SkipTest

from autosplit.core.errors import AutosplitError
from autosplit.testing.models import cache_folder
from autosplit.toolchains.tpu_mlir import TPU_MLIR_VERSION, VARIABLE, TpuMlir, discover, install

_refused: list[str] = []
"""Why it is unavailable in this process: a second try would only cost time."""


class ToolchainUnavailable(SkipTest):
    """TPU-MLIR is unavailable; the message says why. Tests that let it pass are skipped with that."""


def toolchain() -> TpuMlir:
    """The TPU-MLIR that tests use; from then on, this process and those that it starts find it too.

    Safe to call from several processes at once. Raises ToolchainUnavailable if installing it fails, and
    AutosplitError if AUTOSPLIT_TPU_MLIR names something that does not work.
    """
    if os.environ.get(VARIABLE):
        return discover()
    if _refused:
        raise ToolchainUnavailable(_refused[0])
    try:
        installed = _find_or_install()
    except AutosplitError as e:
        _refused.append(f"TPU-MLIR {TPU_MLIR_VERSION}: {e}")
        raise ToolchainUnavailable(_refused[0]) from e
    os.environ[VARIABLE] = str(installed.root)
    return installed


def _find_or_install() -> TpuMlir:
    try:
        return discover()
    except AutosplitError:
        return install(folder=cache_folder() / f"tpu-mlir-{TPU_MLIR_VERSION}")


def main() -> int:
    """Installs it if need be, and prints where it is."""
    try:
        installed = toolchain()
    except ToolchainUnavailable as e:
        print(f"UNAVAILABLE: {e}")
        return 1
    print(installed.root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
