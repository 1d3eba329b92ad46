"""Two-stage detectors as the TensorFlow object detection API builds them, small and with random weights.

The graphs are of the API's shape, not of its size: a map over images that resizes them, a first stage
with anchors made from the sizes of its features, boxes decoded and suppressed in a map over images and padded
to a fixed number, a second stage on crops of the features, another suppression, and perhaps masks on crops
of the remaining boxes. `PADDINGS` are the ways in which different versions of the API pad to a fixed number.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

OUTPUTS = ("detection_boxes", "detection_scores", "detection_classes", "num_detections")

PADDINGS = ("cond", "nd", "minimum", "where", "padded-v4", "padded-v5")
"""Ways to give a list of boxes a fixed length, see `padder`; the last two are ops that do it themselves."""


@dataclass(frozen=True)
class Detector:
    """The sizes of a two-stage detector; the defaults are for tests."""

    size: int = 64
    """Height and width that images are resized to."""
    widths: tuple[int, ...] = (8, 16, 16)
    """Channels of the convolutions of stride 2 in front of both stages."""
    depth: int = 16
    """Channels of the first stage's own convolution."""
    proposals: int = 12
    detections: int = 6
    classes: int = 3
    crop: int = 6
    """Height and width of a crop, which a pool of stride 2 halves."""
    head: tuple[int, ...] = (16, 24)
    """Channels of the second stage's convolutions."""
    masks: bool = False
    mask_size: int = 6
    padding: str = "nd"
    keep_aspect: bool = False
    """Whether an image is resized to a range of sizes, with a conditional, not to a fixed size."""
    asserts: bool = True
    declared: bool = True
    """Whether ops that stack the results of maps state the shape of one, as the API's `set_shape` does."""
    functional: bool = False
    """Whether loops and conditionals call functions, as TensorFlow 2 writes them."""


@dataclass
class _Boxes:
    """Boxes of one image, with fields for each."""

    boxes: Any
    fields: dict[str, Any]

    def gather(self, tf: Any, indices: Any) -> _Boxes:
        fields = {name: tf.gather(value, indices) for name, value in self.fields.items()}
        return _Boxes(tf.gather(self.boxes, indices), fields)


@contextmanager
def first_control_flow(tf: Any, functional: bool = False) -> Generator[None]:
    """Inside the block, loops and conditionals are Enter, Switch and Merge, as in the API's graphs.

    With `functional`, they are While and If.
    """
    v1 = tf.compat.v1
    switch = {True: v1.enable_control_flow_v2, False: v1.disable_control_flow_v2}
    enabled = v1.control_flow_v2_enabled()
    switch[functional]()
    try:
        yield
    finally:
        switch[enabled]()


def detector(net: Detector, seed: int = 0) -> bytes:
    """The frozen graph of a detector, serialized; its input is `image_tensor:0`, uint8 [?, ?, ?, 3].

    Its outputs are `OUTPUTS` and, with masks, `detection_masks`.
    """
    import tensorflow

    tf: Any = tensorflow
    with first_control_flow(tf, net.functional), tf.Graph().as_default() as graph:
        _Builder(tf, net, seed).build()
    proto = graph.as_graph_def()
    if not net.declared:
        for node in proto.node:
            node.attr.pop("element_shape", None)
    return proto.SerializeToString(deterministic=True)


class _Suppression:
    """The API's suppression of boxes that overlap, and its padding of the lists of those that remain."""

    def __init__(self, tf: Any, net: Detector):
        self.tf = tf
        self.v1: Any = tf.compat.v1
        self.net = net

    def sizes(self, x: Any) -> list[Any]:
        """The sizes of a tensor: numbers where they are static, as in the API."""
        shape = self.tf.shape(x)
        return [shape[i] if d is None else d for i, d in enumerate(x.shape.as_list())]

    def batch_nms(
        self,
        boxes: Any,
        scores: Any,
        clip: Any,
        limits: tuple[int, int],
        threshold: float,
        overlap: float,
        valid: Any = None,
    ) -> tuple[Any, Any, Any, Any]:
        """Suppression in a map over images: boxes [b, n, q, 4], scores [b, n, c], windows [b, 4].

        `limits`: how many boxes for a class and in all. Returns boxes, scores, classes, counts.
        """
        tf = self.tf
        q, c = boxes.shape.as_list()[2], scores.shape.as_list()[2]
        if valid is None:
            valid = tf.ones([self.sizes(boxes)[0]], tf.int32) * self.sizes(boxes)[1]

        def per_image(args: Sequence[Any]) -> list[Any]:
            image_boxes, image_scores, window, number = args
            b = tf.slice(image_boxes, [0, 0, 0], tf.stack([number, -1, -1]))
            s = tf.slice(image_scores, [0, 0], tf.stack([number, -1]))
            b, s = tf.reshape(b, [-1, q, 4]), tf.reshape(s, [-1, c])
            best, count = self.multiclass_nms(b, s, window, limits, threshold, overlap)
            pad = self.padder(limits[1])
            return [
                pad(best.boxes),
                pad(best.fields["scores"]),
                pad(best.fields["classes"]),
                tf.minimum(count, limits[1]),
            ]

        return self.v1.map_fn(
            per_image,
            [boxes, scores, clip, valid],
            dtype=[tf.float32, tf.float32, tf.float32, tf.int32],
            parallel_iterations=4,
        )

    def multiclass_nms(
        self,
        boxes: Any,
        scores: Any,
        window: Any,
        limits: tuple[int, int],
        threshold: float,
        overlap: float,
    ) -> tuple[_Boxes, Any]:
        """The boxes [n, q, 4] that remain in one image, best first, and how many count."""
        tf = self.tf
        number, classes = tf.shape(scores)[0], scores.shape.as_list()[1]
        by_class = tf.unstack(boxes, axis=1)
        remaining: list[_Boxes] = []
        counts: list[Any] = []
        for k in range(classes):
            class_scores = tf.reshape(tf.slice(scores, [0, k], tf.stack([number, 1])), [-1])
            candidates = _Boxes(by_class[k if len(by_class) > 1 else 0], {"scores": class_scores})
            best, count = self.nms(candidates, window, limits[0], threshold, overlap)
            best.fields["classes"] = tf.zeros_like(best.fields["scores"]) + k
            remaining.append(best)
            counts.append(count)
        joined = _Boxes(
            tf.concat([f.boxes for f in remaining], 0),
            {
                name: tf.concat([f.fields[name] for f in remaining], 0)
                for name in ("scores", "classes")
            },
        )
        total = tf.shape(joined.boxes)[0]
        _, order = tf.nn.top_k(joined.fields["scores"], total, sorted=True)
        best = joined.gather(tf, order)
        first = tf.range(tf.minimum(limits[1], tf.shape(best.boxes)[0]))
        return best.gather(tf, first), tf.add_n(counts)

    def nms(
        self, candidates: _Boxes, window: Any, limit: int, threshold: float, overlap: float
    ) -> tuple[_Boxes, Any]:
        """The boxes of one class that remain, and how many of them count."""
        tf = self.tf
        if self.net.padding.startswith("padded"):
            return self.padded_nms(self.clip(candidates, window, drop=False), limit, overlap)
        above = tf.reshape(tf.where(tf.greater(candidates.fields["scores"], threshold)), [-1])
        candidates = candidates.gather(tf, self.v1.to_int32(above))
        candidates = self.clip(candidates, window, drop=True)
        max_count = tf.minimum(limit, tf.shape(candidates.boxes)[0])
        selected = tf.image.non_max_suppression(
            candidates.boxes, candidates.fields["scores"], max_count, overlap
        )
        return candidates.gather(tf, selected), tf.shape(selected)[0]

    def padded_nms(self, candidates: _Boxes, limit: int, overlap: float) -> tuple[_Boxes, Any]:
        """Suppression by an op that pads its result: padded scores are -1."""
        tf = self.tf
        args = {
            "boxes": candidates.boxes,
            "scores": candidates.fields["scores"],
            "max_output_size": limit,
            "iou_threshold": overlap,
            "score_threshold": float("-inf"),
            "pad_to_max_output_size": True,
        }
        if self.net.padding == "padded-v4":
            selected, count = tf.raw_ops.NonMaxSuppressionV4(**args)
        else:
            selected, _, count = tf.raw_ops.NonMaxSuppressionV5(**args, soft_nms_sigma=0.0)
        best = candidates.gather(tf, selected)
        valid = tf.less(tf.range(limit), count)
        scores = best.fields["scores"]
        best.fields["scores"] = tf.where(valid, scores, -1 * tf.ones_like(scores))
        return best, count

    def clip(self, boxes: _Boxes, window: Any, drop: bool) -> _Boxes:
        """Boxes clipped to a window [4]; with `drop`, those without area are left out."""
        tf = self.tf
        y_min, x_min, y_max, x_max = tf.split(boxes.boxes, 4, 1)
        w = tf.unstack(window)
        clipped = tf.concat(
            [
                tf.maximum(tf.minimum(y_min, w[2]), w[0]),
                tf.maximum(tf.minimum(x_min, w[3]), w[1]),
                tf.maximum(tf.minimum(y_max, w[2]), w[0]),
                tf.maximum(tf.minimum(x_max, w[3]), w[1]),
            ],
            1,
        )
        clipped = _Boxes(clipped, boxes.fields)
        if not drop:
            return clipped
        y_min, x_min, y_max, x_max = tf.split(clipped.boxes, 4, 1)
        area = tf.squeeze((y_max - y_min) * (x_max - x_min), [1])
        nonempty = tf.reshape(tf.where(tf.greater(area, 0.0)), [-1])
        return clipped.gather(tf, self.v1.to_int32(nonempty))

    def padder(self, n: int) -> Callable[[Any], Any]:
        """A function that gives a tensor the first size `n`, in the way of some version of the API."""
        forms: dict[str, Callable[[Any, int], Any]] = {
            "cond": self.pad_cond,
            "minimum": self.pad_minimum,
            "where": self.pad_where,
        }
        pad = forms.get(self.net.padding, self.pad_nd)

        def padded(t: Any) -> Any:
            static = t.shape.as_list()
            t = pad(t, n)
            t.set_shape([n, *static[1:]])
            return t

        return padded

    def pad_cond(self, t: Any, n: int) -> Any:
        """A conditional: the first n, or zeros behind."""
        tf = self.tf

        def longer() -> Any:
            missing = tf.expand_dims(n - tf.shape(t)[0], 0)
            zeros = tf.cond(
                tf.rank(t) > 1, lambda: tf.concat([missing, tf.shape(t)[1:]], 0), lambda: missing
            )
            return tf.concat([t, tf.zeros(zeros, t.dtype)], 0)

        return tf.cond(tf.shape(t)[0] > n, lambda: tf.gather(t, tf.range(n)), longer)

    def pad_nd(self, t: Any, n: int) -> Any:
        """Slice by a computed size, then Pad by computed paddings."""
        tf = self.tf
        shape = tf.shape(t)
        target = [n, *t.shape.as_list()[1:]]
        sizes = [tf.where(shape[i] - size > 0, size, -1) for i, size in enumerate(target)]
        clipped = tf.slice(t, tf.zeros(len(sizes), tf.int32), sizes)
        remaining = tf.shape(clipped)
        padding = [size - remaining[i] for i, size in enumerate(target)]
        return tf.pad(clipped, tf.stack([tf.zeros(len(padding), tf.int32), padding], axis=1))

    def pad_minimum(self, t: Any, n: int) -> Any:
        """The first min(n, size), and n - min(n, size) zeros behind."""
        tf = self.tf
        count = tf.minimum(tf.shape(t)[0], n)
        zeros = tf.zeros(tf.concat([[n - count], tf.shape(t)[1:]], 0), t.dtype)
        return tf.concat([t[:count], zeros], 0)

    def pad_where(self, t: Any, n: int) -> Any:
        """The same with a selected count, and padding."""
        tf = self.tf
        size = tf.shape(t)[0]
        count = tf.where(tf.greater(size, n), n, size)
        paddings = [[0, n - count], *([0, 0] for _ in t.shape.as_list()[1:])]
        return tf.pad(t[:count], paddings)


class _Builder(_Suppression):
    def __init__(self, tf: Any, net: Detector, seed: int):
        super().__init__(tf, net)
        self.random = np.random.default_rng(seed)

    def build(self) -> None:
        tf, net = self.tf, self.net
        image = self.v1.placeholder(tf.uint8, [None, None, None, 3], "image_tensor")
        with tf.name_scope("Preprocessor"):
            images, shapes = self.preprocess(self.v1.to_float(image))
        with tf.name_scope("FirstStageFeatureExtractor"):
            features = self.features(images)
        clip = tf.concat([tf.zeros_like(shapes[:, :2]), shapes[:, :2]], 1)
        clip = self.v1.to_float(clip)
        with tf.name_scope("FirstStage"):
            boxes, scores = self.first_stage(features, tf.shape(images))
        with tf.name_scope("FirstStagePostprocessor"):
            limits = (net.proposals, net.proposals)
            proposals, _, _, count = self.batch_nms(boxes, scores, clip, limits, 0.0, 0.7)
        normalized = self.change_frame(proposals, shapes)
        with tf.name_scope("SecondStage"):
            crops = self.crops(features, normalized)
            encodings, classes, _ = self.second_stage(crops)
        with tf.name_scope("SecondStagePostprocessor"):
            detections = self.postprocess(encodings, classes, proposals, count, clip)
        boxes, scores, labels, number = detections
        boxes = self.change_frame(boxes, shapes)
        if net.masks:
            with tf.name_scope("ThirdStage"):
                masks = self.masks(self.crops(features, boxes), labels)
            tf.identity(masks, "detection_masks")
        tf.identity(boxes, "detection_boxes")
        tf.identity(scores, "detection_scores")
        tf.add(labels, 1.0, "detection_classes")
        self.v1.to_float(number, "num_detections")

    # Layers

    def weight(self, shape: Sequence[int]) -> Any:
        scale = (2.0 / np.prod(shape[:-1])) ** 0.5
        return self.tf.constant(self.random.normal(0, scale, shape).astype(np.float32))

    def conv(self, x: Any, channels: int, kernel: int, stride: int = 1, act: bool = True) -> Any:
        weight = self.weight([kernel, kernel, x.shape[-1], channels])
        y = self.tf.nn.conv2d(x, weight, [1, stride, stride, 1], "SAME")
        y = self.tf.nn.bias_add(y, self.weight([channels]))
        return self.tf.nn.relu6(y) if act else y

    def dense(self, x: Any, channels: int) -> Any:
        return self.tf.nn.bias_add(
            self.tf.matmul(x, self.weight([x.shape[-1], channels])), self.weight([channels])
        )

    # Preprocessing

    def preprocess(self, images: Any) -> tuple[Any, Any]:
        tf = self.tf
        resized, shapes = self.v1.map_fn(
            self.resize, images, dtype=[tf.float32, tf.int32], parallel_iterations=4
        )
        return resized - [123.68, 116.779, 103.939], shapes

    def resize(self, image: Any) -> list[Any]:
        tf, v1, size = self.tf, self.v1, self.net.size
        if not self.net.keep_aspect:
            new = tf.stack([size, size])
        else:
            shape = tf.shape(image)
            height, width = v1.to_float(shape[0]), v1.to_float(shape[1])
            short, long = tf.minimum(height, width), tf.maximum(height, width)

            def scaled(factor: Any) -> Any:
                return tf.stack([v1.to_int32(tf.round(s * factor)) for s in (height, width)])

            large = scaled(size / short)
            new = tf.cond(
                tf.reduce_max(large) > 2 * size, lambda: scaled(2 * size / long), lambda: large
            )
        resized = v1.image.resize_images(image, new)
        return [resized, tf.concat([new, [3]], 0)]

    def features(self, images: Any) -> Any:
        tf = self.tf
        if self.net.asserts:
            big = tf.logical_and(tf.shape(images)[1] >= 33, tf.shape(images)[2] >= 33)
            check = self.v1.Assert(big, ["image size must at least be 33 in both dimensions."])
            with tf.control_dependencies([check]):
                images = tf.identity(images)
        for width in self.net.widths:
            images = self.conv(images, width, 3, 2)
        return images

    # First stage

    def anchors(self, shape: Any, image: Any) -> Any:
        """A grid of boxes for the features' height and width, [n, 4], inside of the image."""
        tf, v1 = self.tf, self.v1
        scales, ratios = tf.meshgrid([0.5, 1.0], [0.5, 1.0, 2.0])
        scales, ratios = tf.reshape(scales, [-1]), tf.sqrt(tf.reshape(ratios, [-1]))
        heights, widths = scales / ratios * 32.0, scales * ratios * 32.0
        stride = 2.0 ** len(self.net.widths)
        y = v1.to_float(tf.range(shape[1])) * stride
        x = v1.to_float(tf.range(shape[2])) * stride
        x, y = tf.meshgrid(x, y)
        widths, x = self.meshgrid(widths, x)
        heights, y = self.meshgrid(heights, y)
        centers = tf.reshape(tf.stack([y, x], axis=3), [-1, 2])
        sizes = tf.reshape(tf.stack([heights, widths], axis=3), [-1, 2])
        boxes = tf.concat([centers - 0.5 * sizes, centers + 0.5 * sizes], 1)
        window = v1.to_float(tf.stack([0, 0, image[1], image[2]]))
        return self.clip(_Boxes(boxes, {}), window, drop=False).boxes

    def meshgrid(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The API's own meshgrid, for operands of any rank."""
        tf = self.tf
        x_rank, y_rank = tf.rank(x), tf.rank(y)
        wide = tf.concat([tf.ones([y_rank], tf.int32), tf.shape(x)], 0)
        high = tf.concat([tf.shape(y), tf.ones([x_rank], tf.int32)], 0)
        return tf.tile(tf.reshape(x, wide), high), tf.tile(tf.reshape(y, high), wide)

    def first_stage(self, features: Any, image: Any) -> tuple[Any, Any]:
        tf = self.tf
        shape = tf.shape(features)
        anchors = self.anchors(shape, image)
        hidden = self.conv(features, self.net.depth, 3)
        grid = shape[1] * shape[2] * 6
        boxes = self.conv(hidden, 6 * 4, 1, act=False)
        boxes = tf.squeeze(tf.reshape(boxes, tf.stack([shape[0], grid, 1, 4])), [2])
        scores = tf.reshape(self.conv(hidden, 6 * 2, 1, act=False), tf.stack([shape[0], grid, 2]))
        tiled = tf.tile(tf.expand_dims(anchors, 0), tf.stack([shape[0], 1, 1]))
        decoded = self.decode(tf.expand_dims(boxes, 2), tiled)
        return decoded, tf.expand_dims(tf.nn.softmax(scores)[:, :, 1], 2)

    def decode(self, encodings: Any, anchors: Any) -> Any:
        """Boxes [b, n, q, 4] of encodings against anchors [b, n, 4]."""
        tf = self.tf
        shape = self.sizes(encodings)
        tiled = tf.tile(tf.expand_dims(anchors, 2), tf.stack([1, 1, shape[2], 1]))
        a0, a1, a2, a3 = tf.unstack(tf.transpose(tf.reshape(tiled, [-1, 4])))
        width, height = a3 - a1, a2 - a0
        y_center, x_center = a0 + height / 2.0, a1 + width / 2.0
        ty, tx, th, tw = tf.unstack(tf.transpose(tf.reshape(encodings, [-1, 4])))
        h, w = tf.exp(tf.minimum(th / 5.0, 2.0)) * height, tf.exp(tf.minimum(tw / 5.0, 2.0)) * width
        y, x = ty / 10.0 * height + y_center, tx / 10.0 * width + x_center
        corners = tf.stack([y - h / 2.0, x - w / 2.0, y + h / 2.0, x + w / 2.0])
        return tf.reshape(tf.transpose(corners), tf.stack([shape[0], shape[1], shape[2], 4]))

    # Second stage

    def change_frame(self, boxes: Any, shapes: Any) -> Any:
        """Boxes [b, n, 4] in pixels as parts of the image, in a map over images."""
        tf = self.tf

        def per_image(args: Sequence[Any]) -> Any:
            image_boxes, shape = args
            size = self.v1.to_float(tf.tile(shape[:2], [2]))
            return image_boxes / size

        return self.v1.map_fn(per_image, [boxes, shapes], dtype=tf.float32, parallel_iterations=4)

    def crops(self, features: Any, boxes: Any) -> Any:
        """Crops of the features under boxes [b, n, 4], halved: [b * n, crop / 2, crop / 2, c]."""
        tf = self.tf
        shape = self.sizes(boxes)
        ones = tf.ones(tf.stack(shape[:2]), tf.int32)
        indices = tf.reshape(ones * tf.expand_dims(tf.range(shape[0]), 1), [-1])
        flat = tf.reshape(boxes, tf.stack([shape[0] * shape[1], 4]))
        crops = tf.image.crop_and_resize(features, flat, indices, [self.net.crop] * 2)
        return tf.nn.max_pool2d(crops, 2, 2, "SAME")

    def second_stage(self, crops: Any) -> tuple[Any, Any, Any]:
        tf, net = self.tf, self.net
        x = crops
        for channels in net.head:
            x = self.conv(x, channels, 3)
        flat = tf.squeeze(tf.reduce_mean(x, [1, 2], keepdims=True), [1, 2])
        boxes = tf.reshape(self.dense(flat, net.classes * 4), [-1, net.classes, 4])
        return boxes, tf.reshape(self.dense(flat, net.classes + 1), [-1, net.classes + 1]), x

    def postprocess(
        self, encodings: Any, classes: Any, proposals: Any, count: Any, clip: Any
    ) -> tuple[Any, Any, Any, Any]:
        tf, net = self.tf, self.net
        encodings = tf.reshape(encodings, [-1, net.proposals, net.classes, 4])
        classes = tf.reshape(classes, [-1, net.proposals, net.classes + 1])
        decoded = self.decode(encodings, proposals)
        scores = tf.slice(tf.nn.softmax(classes), [0, 0, 1], [-1, -1, -1])
        limits = (net.detections, net.detections)
        return self.batch_nms(decoded, scores, clip, limits, 0.05, 0.6, count)

    def masks(self, crops: Any, labels: Any) -> Any:
        """Masks [b, n, m, m] of the detected classes, from a head on crops of their own."""
        tf, net = self.tf, self.net
        x = crops
        for channels in net.head:
            x = self.conv(x, channels, 3)
        x = self.v1.image.resize_bilinear(x, [net.mask_size] * 2, align_corners=False)
        x = tf.transpose(
            self.conv(self.conv(x, net.depth, 3), net.classes, 3, act=False), [0, 3, 1, 2]
        )
        shape = self.sizes(x)
        flat = tf.reshape(x, tf.stack([-1, net.mask_size, net.mask_size]))
        index = tf.range(shape[0]) * net.classes + self.v1.to_int32(tf.reshape(labels, [-1]))
        selected = tf.reshape(
            tf.gather(flat, index),
            tf.stack([self.sizes(labels)[0], net.detections, net.mask_size, net.mask_size]),
        )
        return tf.sigmoid(selected)
