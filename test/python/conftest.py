"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from warm_children import WarmChildren

from autosplit.testing.toolchain import toolchain
from autosplit.toolchains import onednn
from autosplit.toolchains.tpu_mlir import TpuMlir
from autosplit.tools.cli import ui

# A busy machine takes its time for any example.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# What a shell starts in the background ignores interrupts, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# TensorFlow's threads may share a sum out otherwise on a busy machine, which moves its last bit.
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")

# Lines about what takes long are none that a command prints otherwise.
ui.PATIENCE = 60.0

# Rules are those of the package's oneDNN, whatever other one the user has.
if onednn.user_library().exists():
    os.environ.setdefault(onednn.VARIABLE, str(onednn.package_library()))


def pytest_collection_finish() -> None:
    """All that was imported and collected lives to the end: searches for garbage leave it out."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def tpu_mlir() -> TpuMlir:
    """TPU-MLIR, installed on first use; skips the test where it cannot be had."""
    return toolchain()


@pytest.fixture(scope="session", autouse=True)
def warm_children() -> Iterator[None]:
    """What runs a framework in a process of its own forks one that has imported it."""
    children = WarmChildren()
    with children.used():
        yield
    children.close()
