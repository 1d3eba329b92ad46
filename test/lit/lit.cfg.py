"""How the lit tests run: `lit test/lit`, or `make test` for everything.

Substitutions: `AUTOSPLIT_ROUNDTRIP` parses the file, prints it and reads that back, through the generic
form and back again, and checks the result against the file's CHECK lines. `%python` is the interpreter.
`autosplit-opt` and `filecheck` are forked off a process that has imported all (`warm_server.py`), which takes
a third of the time; `lit --param cold=1` starts each anew.
"""

import os
import subprocess
import sys
from pathlib import Path

import lit.formats
from lit.LitConfig import LitConfig
from lit.TestingConfig import TestingConfig

from autosplit.toolchains.onednn import package_library

config: TestingConfig
lit_config: LitConfig

here = Path(__file__).parent

config.name = "autosplit"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["inputs", "Inputs"]
config.test_source_root = str(here)
config.test_exec_root = str(here.parent.parent / "build" / "lit")

# The tools of the interpreter that runs lit, whether or not its environment is activated.
bin_dir = str(Path(sys.executable).absolute().parent)
config.environment["PATH"] = os.pathsep.join([bin_dir, os.environ.get("PATH", "")])
for name in ("HOME", "AUTOSPLIT_CACHE", "XDG_CACHE_HOME"):
    if value := os.environ.get(name):
        config.environment[name] = value
# Tests are of the library that is installed beside the tools, not of one that the user has set up.
config.environment.setdefault("AUTOSPLIT_DNNL_LIB", str(package_library()))
# One core each: lit runs tests side by side already.
config.environment["OMP_NUM_THREADS"] = "1"
config.environment["TF_CPP_MIN_LOG_LEVEL"] = "2"


def warm_tools() -> None:
    """Starts the server, which ends with lit, and puts its clients in front of the PATH."""
    server = subprocess.Popen(
        [sys.executable, str(here / "warm_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=config.environment,
    )
    assert server.stdout is not None
    config.environment["AUTOSPLIT_LIT_SERVER"] = server.stdout.readline().strip()
    clients = Path(config.test_exec_root) / "warm"
    clients.mkdir(parents=True, exist_ok=True)
    text = (here / "warm_client.py").read_text(encoding="utf-8")
    for tool in ("autosplit-opt", "filecheck"):
        client = clients / tool
        client.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
        client.chmod(0o755)
    config.environment["PATH"] = os.pathsep.join([str(clients), config.environment["PATH"]])


if "cold" not in lit_config.params:
    warm_tools()

opt = "autosplit-opt --split-input-file"
config.substitutions += [
    (
        "AUTOSPLIT_ROUNDTRIP",
        f"{opt} %s | {opt} --print-op-generic | {opt} | filecheck %s",
    ),
    ("%python", sys.executable),
]

supported, _ = lit_config.maxIndividualTestTimeIsSupported
if supported:
    config.maxIndividualTestTime = 60
