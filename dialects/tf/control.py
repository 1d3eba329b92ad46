"""Inputs, identities, control flow and functions.

Examples show a node with the attributes that it must have.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import i1, i32
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from autosplit.dialects.tf.attributes import Kind, ShapeAttr
from autosplit.dialects.tf.base import FixedOutputs, ManyInputs, ManyOutputs, NodeOp


@irdl_op_definition
class PlaceholderOp(NodeOp):
    """A value that the caller gives.

    Example:

        %y = tf.Placeholder "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}>
            : () -> tensor<1x?xf32>
    """

    name = "tf.Placeholder"
    output = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE, "shape": ShapeAttr.of(None)}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class PlaceholderV2Op(NodeOp):
    """A Placeholder that must have a shape attribute.

    Example:

        %y = tf.PlaceholderV2 "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}>
            : () -> tensor<1x?xf32>
    """

    name = "tf.PlaceholderV2"
    output = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE, "shape": Kind.SHAPE}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class PlaceholderWithDefaultOp(NodeOp):
    """A value that the caller may give, else `input`.

    Example:

        %y = tf.PlaceholderWithDefault "n" (%x) <{dtype = f32, shape = #tf.shape<[4]>}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.PlaceholderWithDefault"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"dtype": Kind.TYPE, "shape": Kind.SHAPE}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class IdentityOp(NodeOp):
    """`input`.

    Example:

        %y = tf.Identity "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Identity"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class IdentityNOp(ManyInputs, ManyOutputs):
    """All inputs, each its own output.

    Example:

        %y, %z = tf.IdentityN "n" (%a, %b) <{T = [f32, i32]}>
            : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
    """

    name = "tf.IdentityN"
    INPUTS: ClassVar = ("T",)
    ATTRIBUTES: ClassVar = {"T": Kind.TYPES}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class SnapshotOp(NodeOp):
    """`input`, as a copy.

    Example:

        %y = tf.Snapshot "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Snapshot"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class StopGradientOp(NodeOp):
    """`input`; gradients end here.

    Example:

        %y = tf.StopGradient "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.StopGradient"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class PreventGradientOp(NodeOp):
    """`input`; asking for a gradient is an error.

    Example:

        %y = tf.PreventGradient "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.PreventGradient"
    input = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "message": ""}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class CheckNumericsOp(NodeOp):
    """`tensor`; an error if it holds NaN or infinities.

    Example:

        %y = tf.CheckNumerics "n" (%x) <{T = f32, message = "bad"}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.CheckNumerics"
    tensor = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "message": Kind.STRING}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class NoOpOp(NodeOp):
    """Nothing; others may wait for it.

    Example:

        tf.NoOp "n" () : () -> ()
    """

    name = "tf.NoOp"
    OUTPUTS: ClassVar = ()


@irdl_op_definition
class AssertOp(ManyInputs, FixedOutputs):
    """An error that shows `data` if `condition` is false.

    Example:

        tf.Assert "n" (%a, %b) <{T = [f32]}> : (tensor<i1>, tensor<4xf32>) -> ()
    """

    name = "tf.Assert"
    INPUTS: ClassVar = ("", "T")
    ATTRIBUTES: ClassVar = {"T": Kind.TYPES, "summarize": 3}
    OUTPUTS: ClassVar = ()


@irdl_op_definition
class PrintOp(ManyInputs, FixedOutputs):
    """`input`, shown along with `data`.

    Example:

        %y = tf.Print "n" (%a, %b) <{T = f32, U = [f32]}>
            : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Print"
    output = result_def()
    INPUTS: ClassVar = ("", "U")
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "U": Kind.TYPES,
        "message": "",
        "first_n": -1,
        "summarize": 3,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class PyFuncOp(ManyInputs, ManyOutputs):
    """The results of a Python function of the process that made the graph.

    Example:

        %y = tf.PyFunc "n" (%a) <{token = "f", Tin = [f32], Tout = [f32]}>
            : (tensor<4xf32>) -> tensor<*xf32>
    """

    name = "tf.PyFunc"
    INPUTS: ClassVar = ("Tin",)
    ATTRIBUTES: ClassVar = {"token": Kind.STRING, "Tin": Kind.TYPES, "Tout": Kind.TYPES}
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class SwitchOp(NodeOp):
    """`data` on the output that `pred` selects; the other one is dead.

    Example:

        %y, %z = tf.Switch "n" (%x, %w) <{T = f32}>
            : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
    """

    name = "tf.Switch"
    data = operand_def()
    pred = operand_def()
    output_false = result_def()
    output_true = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T", "T")


@irdl_op_definition
class MergeOp(ManyInputs, FixedOutputs):
    """The one input that is not dead, and its index.

    Example:

        %y, %z = tf.Merge "n" (%a, %b) <{T = f32, N = 2 : i64}>
            : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
    """

    name = "tf.Merge"
    output = result_def()
    value_index = result_def()
    INPUTS: ClassVar = ("N",)
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE, "N": Kind.INT}
    OUTPUTS: ClassVar = ("T", i32)


@irdl_op_definition
class EnterOp(NodeOp):
    """Brings `data` into the while frame frame_name; a constant one for all iterations.

    Example:

        %y = tf.Enter "n" (%x) <{T = f32, frame_name = "loop"}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Enter"
    data = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPE,
        "frame_name": Kind.STRING,
        "is_constant": False,
        "parallel_iterations": 10,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class ExitOp(NodeOp):
    """Brings `data` out of its while frame, after the last iteration.

    Example:

        %y = tf.Exit "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.Exit"
    data = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class NextIterationOp(NodeOp):
    """Brings `data` into the next iteration of its while frame.

    Example:

        %y = tf.NextIteration "n" (%x) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.NextIteration"
    data = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"T": Kind.TYPE}
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class LoopCondOp(NodeOp):
    """Whether the while frame goes on; its Switches read it.

    Example:

        %y = tf.LoopCond "n" (%x) : (tensor<i1>) -> tensor<i1>
    """

    name = "tf.LoopCond"
    input = operand_def()
    output = result_def()
    OUTPUTS: ClassVar = (i1,)


@irdl_op_definition
class PartitionedCallOp(ManyInputs, ManyOutputs):
    r"""The results of function f of the graph's library.

    Example:

        %y = tf.PartitionedCall "n" (%a)
            <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.PartitionedCall"
    INPUTS: ClassVar = ("Tin",)
    ATTRIBUTES: ClassVar = {
        "Tin": Kind.TYPES,
        "Tout": Kind.TYPES,
        "f": Kind.FUNC,
        "config": "",
        "config_proto": "",
        "executor_type": "",
    }
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class StatefulPartitionedCallOp(ManyInputs, ManyOutputs):
    r"""PartitionedCall of a function that may have side effects.

    Example:

        %y = tf.StatefulPartitionedCall "n" (%a)
            <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.StatefulPartitionedCall"
    INPUTS: ClassVar = ("Tin",)
    ATTRIBUTES: ClassVar = {
        "Tin": Kind.TYPES,
        "Tout": Kind.TYPES,
        "f": Kind.FUNC,
        "config": "",
        "config_proto": "",
        "executor_type": "",
    }
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class IfOp(ManyInputs, ManyOutputs):
    r"""The results of then_branch or else_branch, whichever `cond` selects.

    Example:

        %y = tf.If "n" (%a, %b) <{Tcond = i1, Tin = [f32], Tout = [f32],
              then_branch = #platform.proto<"R\03\0A\01f">,
              else_branch = #platform.proto<"R\03\0A\01f">}>
            : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.If"
    INPUTS: ClassVar = ("", "Tin")
    ATTRIBUTES: ClassVar = {
        "Tcond": Kind.TYPE,
        "Tin": Kind.TYPES,
        "Tout": Kind.TYPES,
        "then_branch": Kind.FUNC,
        "else_branch": Kind.FUNC,
    }
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class StatelessIfOp(ManyInputs, ManyOutputs):
    r"""If without side effects.

    Example:

        %y = tf.StatelessIf "n" (%a, %b) <{Tcond = i1, Tin = [f32], Tout = [f32],
              then_branch = #platform.proto<"R\03\0A\01f">,
              else_branch = #platform.proto<"R\03\0A\01f">}>
            : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.StatelessIf"
    INPUTS: ClassVar = ("", "Tin")
    ATTRIBUTES: ClassVar = {
        "Tcond": Kind.TYPE,
        "Tin": Kind.TYPES,
        "Tout": Kind.TYPES,
        "then_branch": Kind.FUNC,
        "else_branch": Kind.FUNC,
    }
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class WhileOp(ManyInputs, ManyOutputs):
    r"""The results of running body repeatedly, while cond holds.

    Example:

        %y = tf.While "n" (%a) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">,
              body = #platform.proto<"R\03\0A\01f">}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.While"
    INPUTS: ClassVar = ("T",)
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPES,
        "cond": Kind.FUNC,
        "body": Kind.FUNC,
        "parallel_iterations": 10,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class StatelessWhileOp(ManyInputs, ManyOutputs):
    r"""While without side effects.

    Example:

        %y = tf.StatelessWhile "n" (%a) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">,
              body = #platform.proto<"R\03\0A\01f">}>
            : (tensor<4xf32>) -> tensor<4xf32>
    """

    name = "tf.StatelessWhile"
    INPUTS: ClassVar = ("T",)
    ATTRIBUTES: ClassVar = {
        "T": Kind.TYPES,
        "cond": Kind.FUNC,
        "body": Kind.FUNC,
        "parallel_iterations": 10,
    }
    OUTPUTS: ClassVar = ("T",)


@irdl_op_definition
class RandomUniformOp(NodeOp):
    """Random numbers from 0 to below 1, in the shape `shape`.

    Example:

        %y = tf.RandomUniform "n" (%x) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>
    """

    name = "tf.RandomUniform"
    shape = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"seed": 0, "seed2": 0, "dtype": Kind.TYPE, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("dtype",)


@irdl_op_definition
class RandomUniformIntOp(NodeOp):
    """Random integers from `minval` to below `maxval`.

    Example:

        %y = tf.RandomUniformInt "n" (%x, %w, %b) <{Tout = i32, T = i32}>
            : (tensor<1xi32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
    """

    name = "tf.RandomUniformInt"
    shape = operand_def()
    minval = operand_def()
    maxval = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"seed": 0, "seed2": 0, "Tout": Kind.TYPE, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("Tout",)


@irdl_op_definition
class RandomStandardNormalOp(NodeOp):
    """Normally distributed random numbers.

    Example:

        %y = tf.RandomStandardNormal "n" (%x) <{dtype = f32, T = i32}>
            : (tensor<1xi32>) -> tensor<4xf32>
    """

    name = "tf.RandomStandardNormal"
    shape = operand_def()
    output = result_def()
    ATTRIBUTES: ClassVar = {"seed": 0, "seed2": 0, "dtype": Kind.TYPE, "T": Kind.TYPE}
    OUTPUTS: ClassVar = ("dtype",)


OPS = (
    PlaceholderOp,
    PlaceholderV2Op,
    PlaceholderWithDefaultOp,
    IdentityOp,
    IdentityNOp,
    SnapshotOp,
    StopGradientOp,
    PreventGradientOp,
    CheckNumericsOp,
    NoOpOp,
    AssertOp,
    PrintOp,
    PyFuncOp,
    SwitchOp,
    MergeOp,
    EnterOp,
    ExitOp,
    NextIterationOp,
    LoopCondOp,
    PartitionedCallOp,
    StatefulPartitionedCallOp,
    IfOp,
    StatelessIfOp,
    WhileOp,
    StatelessWhileOp,
    RandomUniformOp,
    RandomUniformIntOp,
    RandomStandardNormalOp,
)
