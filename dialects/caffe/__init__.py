"""Caffe networks as their framework wrote them.

Every layer of a prototxt is one op of this dialect: a declared one where its type is known
(`caffe.Convolution`), else `caffe.opaque`. The fields of the layer are its attributes, and its weights, which
a caffemodel has, are the attribute `layer.blobs`. `messages` lists the fields, `spec` the types of layers,
`graphs` holds a network:

    %y = caffe.ReLU "relu1" (%x) -> ["conv1"] <{relu_param = {negative_slope = 0.1 : f32}}>
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
"""

from __future__ import annotations

from xdsl.ir import Dialect

from autosplit.dialects.caffe.base import CaffeOp
from autosplit.dialects.caffe.build import make_constant, make_input, make_layer
from autosplit.dialects.caffe.graphs import GraphOp, layers_of
from autosplit.dialects.caffe.ops import DECLARED, InputOp, OpaqueOp

__all__ = [
    "DECLARED",
    "Caffe",
    "CaffeOp",
    "GraphOp",
    "InputOp",
    "OpaqueOp",
    "layers_of",
    "make_constant",
    "make_input",
    "make_layer",
]

Caffe = Dialect("caffe", [GraphOp, OpaqueOp, *DECLARED.values()], [])
