"""The import paths and signatures of the original AutoSplit."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

PATHS = {
    "auto_deploy.api": ["split", "convert", "exception_wrapper"],
    "auto_deploy.common.base_splitter": ["Splitter"],
    "auto_deploy.common.graph": ["Graph", "Operator", "Subgraph"],
    "auto_deploy.common.base_compiler": ["Compiler"],
    "auto_deploy.splitter": ["TensorflowSplitter", "OnnxSplitter", "CaffeSplitter"],
    "auto_deploy.splitter.mxnet_splitter": ["MxnetSplitter"],
    "auto_deploy.splitter.caffe_splitter": ["CaffeSplitter"],
    "auto_deploy.splitter.tensorflow_splitter": ["TensorflowSplitter"],
    "auto_deploy.compiler": ["TensorflowCompiler", "MxnetCompiler"],
    "auto_deploy.compiler.tensorflow_compiler": ["TensorflowCompiler"],
}


@pytest.mark.parametrize("path", list(PATHS))
def test_paths(path: str):
    module = import_module(path)
    assert module.__doc__
    for name in PATHS[path]:
        assert getattr(module, name).__module__.startswith("autosplit."), "re-exported, no copy"


def documented(function: Callable[..., object]) -> list[tuple[str, object]]:
    """The parameters that may be given by position, with their defaults; further ones are keywords."""
    parameters = list(inspect.signature(function).parameters.values())
    known = [p for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    for further in parameters[len(known) :]:
        assert further.kind is inspect.Parameter.KEYWORD_ONLY
        assert further.default is not inspect.Parameter.empty
    return [(p.name, p.default) for p in known]


def test_documented_signatures():
    from auto_deploy.api import convert, split

    assert documented(split) == [
        ("platform", inspect.Parameter.empty),
        ("input_tensors", inspect.Parameter.empty),
        ("save_dir", inspect.Parameter.empty),
        ("graph_path", inspect.Parameter.empty),
        ("params_path", None),
        ("outputs", None),
        ("dynamic", False),
        ("layout", "NCHW"),
    ]
    assert documented(convert) == [
        ("folder", inspect.Parameter.empty),
        ("optimize", None),
        ("compare", False),
        ("target", "BM1682"),
    ]


def test_virtual_functions_are_documented():
    from auto_deploy.common.base_splitter import Splitter

    for name in (
        "initialize",
        "get_op_name",
        "is_op_support",
        "is_op_compute",
        "is_op_dangerous",
        "is_input_op",
        "is_output_op",
        "get_inputs_list",
        "save_subgraph",
        "infer_output_tensors",
        "get_tensor_dtype",
        "save_graph_infos",
        "destroy",
        "convert_and_split",
    ):
        assert len(inspect.getdoc(getattr(Splitter, name)) or "") > 20, name


def test_importing_is_cheap():
    """Nothing heavy is imported before it is needed."""
    code = (
        "import sys, auto_deploy.api, auto_deploy.splitter, auto_deploy.compiler\n"
        "print([m for m in ('numpy', 'xdsl', 'onnx', 'onnxruntime', 'tensorflow')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
