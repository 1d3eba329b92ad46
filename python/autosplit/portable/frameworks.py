"""Sub-models on the CPU of a device, in ONNX Runtime or in TensorFlow."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from autosplit.core.errors import AutosplitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.generic]
    Model = Callable[[Mapping[str, Array], Sequence[str]], Sequence[Any]]
    """Computes the named outputs of a sub-model, from its inputs by name."""


def open_onnx(path: str, libraries: Sequence[str], optimize: bool) -> Model:
    """A model in ONNX Runtime."""
    if find_spec("onnxruntime") is None:
        raise AutosplitError(f"{path}: needs ONNX Runtime: python -m pip install onnxruntime")
    ort: Any = import_module("onnxruntime")
    options = ort.SessionOptions()
    level = ort.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimize else level.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        for library in libraries:
            options.register_custom_ops_library(library)
        session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        text = " ".join(str(error).split())
        raise AutosplitError(f"{path}: ONNX Runtime does not load it: {text[:400]}") from error
    return lambda feeds, outputs: session.run(list(outputs), dict(feeds))


def open_tensorflow(path: str, libraries: Sequence[str], optimize: bool) -> Model:
    """The same in TensorFlow, of a frozen graph. Without `optimize` each op runs alone, as the graph says."""
    if find_spec("tensorflow") is None:
        raise AutosplitError(f"{path}: needs TensorFlow: python -m pip install tensorflow")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf: Any = import_module("tensorflow")
    for library in libraries:
        tf.load_op_library(library)
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    if not optimize:
        config.intra_op_parallelism_threads = config.inter_op_parallelism_threads = 1
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = -1
    definition = tf.compat.v1.GraphDef.FromString(Path(path).read_bytes())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    session = tf.compat.v1.Session(graph=graph, config=config)
    return lambda feeds, outputs: session.run(list(outputs), dict(feeds))
