"""A folder of sub-models as the original AutoSplit wrote it: no dtypes, no plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

OUTPUTS = ["detection_boxes:0", "num_detections:0"]
PICTURE, BOXES, SCORES, ANCHORS, COUNT = (
    "Preprocessor/sub:0",
    "Squeeze:0",
    "Postprocessor/convert_scores:0",
    "Postprocessor/Reshape_1:0",
    "Postprocessor/div:0",
)
SHAPES = {
    "image_tensor:0": [1, 20, 24, 3],
    PICTURE: [1, 16, 16, 3],
    COUNT: [1],
    BOXES: [1, 256, 4],
    SCORES: [1, 256, 2],
    ANCHORS: [256, 4],
    "detection_boxes:0": [1, 256, 4],
    "num_detections:0": [1],
}


def preprocess(tf: Any, image: Any) -> None:
    floats = tf.image.resize_bilinear(tf.cast(image, tf.float32), [16, 16])
    tf.subtract(floats, 127.5, name=PICTURE[:-2])
    tf.divide(tf.cast(tf.shape(image)[:1], tf.float32), 2.0, name=COUNT[:-2])


def detect(tf: Any, picture: Any) -> None:
    rng = np.random.default_rng(0)
    hidden = tf.nn.relu(tf.nn.conv2d(picture, rng.normal(size=(3, 3, 3, 8)).astype("f"), 1, "SAME"))
    boxes = tf.nn.conv2d(hidden, rng.normal(size=(1, 1, 8, 4)).astype("f") / 100, 1, "SAME")
    scores = tf.nn.conv2d(hidden, rng.normal(size=(1, 1, 8, 2)).astype("f") / 100, 1, "SAME")
    tf.reshape(boxes, [1, 256, 4], name=BOXES[:-2])
    tf.sigmoid(tf.reshape(scores, [1, 256, 2]), name=SCORES[:-2])
    # The anchors depend on the picture's size alone.
    size = tf.cast(tf.shape(picture)[1:3], tf.float32)
    rows, columns = tf.meshgrid(tf.range(0.0, size[0]), tf.range(0.0, size[1]), indexing="ij")
    corners = tf.stack([rows, columns, rows + 2.0, columns + 3.0], -1)
    tf.reshape(corners, [256, 4], name=ANCHORS[:-2])


def postprocess(tf: Any, boxes: Any, scores: Any, anchors: Any, count: Any) -> None:
    found = tf.cast(scores[..., 1:] > scores[..., :1], tf.float32)
    tf.multiply(boxes + anchors, found, name="detection_boxes")
    tf.multiply(count, tf.reduce_sum(scores), name="num_detections")


def graphs(tf: Any, *, shaped: bool) -> dict[str, Any]:
    """The GraphDefs of the whole model and of its three sub-models."""

    def hold(name: str, dtype: Any = tf.float32, shape: Any = None) -> Any:
        shape = SHAPES[name] if shaped and shape is None else shape
        return tf.placeholder(dtype, shape, name=name[:-2])

    made: dict[str, Any] = {}
    with tf.Graph().as_default() as graph:
        image = hold("image_tensor:0", tf.uint8, [None, None, None, 3])
        preprocess(tf, image)
        made["graph_0"] = graph.as_graph_def()
        detect(tf, graph.get_tensor_by_name(PICTURE))
        borders = [graph.get_tensor_by_name(name) for name in (BOXES, SCORES, ANCHORS, COUNT)]
        postprocess(tf, *borders)
        made["whole"] = graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        detect(tf, hold(PICTURE))
        made["graph_1"] = graph.as_graph_def()
    with tf.Graph().as_default() as graph:
        postprocess(tf, *(hold(name) for name in (BOXES, SCORES, ANCHORS, COUNT)))
        made["graph_2"] = graph.as_graph_def()
    return made


def infos(*, listed: bool = False) -> dict[str, Any]:
    """graph_infos.json with the keys, in the order, of the original's document."""

    def graph(index: int, inputs: list[str], outputs: list[str]) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "outputs": outputs,
            "model_info": {"model_path": f"graph_{index}.pb"},
            "inputs": inputs,
            "device": "tpu" if index == 1 else "cpu",
        }
        return entry | ({"context_dir": "graph_ir_1"} if index == 1 else {})

    def role(name: str) -> str:
        return (
            "input" if name == "image_tensor:0" else "output" if name in OUTPUTS else "intermediate"
        )

    tensors: Any = {name: {"shape": shape, "attr": role(name)} for name, shape in SHAPES.items()}
    if listed:
        tensors = [{"name": name, **entry} for name, entry in tensors.items()]
    return {
        "graphs": [
            graph(0, ["image_tensor:0"], [PICTURE, COUNT]),
            graph(1, [PICTURE], [BOXES, SCORES, ANCHORS]),
            graph(2, [COUNT, BOXES, SCORES, ANCHORS], OUTPUTS),
        ],
        "tensors": tensors,
        "graph_num": 3,
        "platform": "tensorflow",
        "dynamic": False,
        "layout": "NHWC",
    }


def write_original(folder: Path, *, listed: bool = False, shaped: bool = False) -> Path:
    """Writes the folder, and the whole model as `whole.pb` beside it; needs TensorFlow.

    `listed`: tensors as a list. `shaped`: whether placeholders of the sub-models know their shapes.
    """
    import tensorflow

    folder.mkdir()
    for name, graph in graphs(tensorflow.compat.v1, shaped=shaped).items():
        place = folder.parent if name == "whole" else folder
        (place / f"{name}.pb").write_bytes(graph.SerializeToString(deterministic=True))
    (folder / "graph_infos.json").write_text(json.dumps(infos(listed=listed), indent=2))
    return folder
