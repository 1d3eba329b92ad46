"""All ops that are declared: their classes by TensorFlow's name of their type."""

from autosplit.dialects.tf import array, constants, control, image, linear, math, nn, state
from autosplit.dialects.tf.base import TfOp

DECLARED: dict[str, type[TfOp]] = {
    op.name.removeprefix("tf."): op
    for subject in (constants, nn, math, linear, array, image, control, state)
    for op in subject.OPS
}
