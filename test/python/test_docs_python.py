"""The Python that README and docs show runs as it is written, on files of the names that it opens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_toolchain import real

ROOT = Path(__file__).parents[2]


def examples(page: str) -> list[str]:
    """The blocks of Python on a page that are not the output of a command."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    return [block for block in blocks if not block.startswith("$ ")]


def detector(path: Path) -> None:
    """A frozen graph with the names of the examples: convolutions, and a selection that no chip runs."""
    tensorflow: Any = pytest.importorskip("tensorflow")
    tf = tensorflow.compat.v1
    rng = np.random.default_rng(0)
    with tf.Graph().as_default() as graph:
        image = tf.cast(tf.placeholder(tf.uint8, [1, 300, 300, 3], name="image_tensor"), tf.float32)
        hidden = tf.nn.relu(
            tf.nn.conv2d(image / 255.0, rng.normal(size=(3, 3, 3, 8)).astype("f"), 8, "SAME")
        )
        boxes = tf.nn.conv2d(hidden, rng.normal(size=(1, 1, 8, 4)).astype("f"), 1, "SAME")
        found = tf.reshape(boxes, [1444, 4])
        tf.boolean_mask(found, found[:, 0] > 0, name="kept")
        tf.identity(graph.get_tensor_by_name("kept/GatherV2:0"), name="detection_boxes")
        path.write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


@pytest.mark.parametrize("page", ["README.md", "docs/graph_infos.md"])
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real()
    monkeypatch.chdir(tmp_path)
    detector(tmp_path / "frozen_inference_graph.pb")
    photo = np.random.default_rng(1).integers(0, 256, (1, 300, 300, 3)).astype(np.uint8)
    np.save("photo.npy", photo)
    (code,) = examples(page)
    known: dict[str, Any] = {"photo": photo}
    exec(compile(code, page, "exec"), known)
    assert known["boxes"].shape[1:] == (4,)
    assert known["runner"].mode == (2 if page == "README.md" else 0)
    known["runner"].close()
