"""The pattern base class: locations of new ops, matching by type, and why patterns decline."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker

from autosplit.core.errors import AutosplitError
from autosplit.dialects import tf
from autosplit.dialects.platform import location_names, name_location
from autosplit.lowering.rewriting import (
    Pattern,
    apply_patterns,
    apply_to,
    hearing_why,
    located,
    why,
)


def named(op, name):
    op.location = name_location([name])
    return op


@pytest.fixture
def module():
    one = named(arith.ConstantOp.from_int_and_width(1, 32), "one")
    add = named(arith.AddiOp(one, one), "add")
    mul = named(arith.MuliOp(add, one), "mul")
    return ModuleOp([one, add, mul, named(test.TestOp([mul.result]), "user")])


class AddOrMul(Pattern[arith.AddiOp | arith.MuliOp]):
    """add(a, b), mul(a, b) -> sub(a, b)"""

    def rewrite(self, op: arith.AddiOp | arith.MuliOp, rewriter: PatternRewriter, /) -> None:
        why(op, lambda: "is asked")
        rewriter.replace(op, arith.SubiOp(op.lhs, op.rhs))


class MulOfAdd(Pattern[arith.MuliOp]):
    """mul(add(a, b), c) -> sub(a, c), both erased"""

    def rewrite(self, op: arith.MuliOp, rewriter: PatternRewriter, /) -> None:
        add = op.lhs.owner
        if not isinstance(add, arith.AddiOp):
            return why(op, "its operand is not a sum")
        new = arith.SubiOp(add.lhs, op.rhs)
        rewriter.replace(op, [named(arith.ConstantOp.from_int_and_width(2, 32), "own"), new])
        rewriter.erase(add)
        return None


def places(module: ModuleOp) -> list[tuple[str, tuple[str, ...]]]:
    return [(op.name, location_names(op.location)) for op in module.body.ops]


def test_new_ops_have_the_names_of_the_old(module: ModuleOp):
    assert apply_patterns(module, [AddOrMul()])
    assert places(module) == [
        ("arith.constant", ("one",)),
        ("arith.subi", ("add",)),
        ("arith.subi", ("mul",)),
        ("test.op", ("user",)),
    ]


def test_erased_ops_are_fused_in_and_own_locations_stay(module: ModuleOp):
    assert apply_patterns(module, [MulOfAdd()], recursive=False)
    assert ("arith.constant", ("own",)) in places(module)
    assert ("arith.subi", ("mul", "add")) in places(module)


def test_a_pattern_works_in_a_plain_walker(module: ModuleOp):
    assert PatternRewriteWalker(AddOrMul()).rewrite_module(module)
    assert ("arith.subi", ("add",)) in places(module)


def test_nothing_to_do(module: ModuleOp):
    assert not apply_patterns(module, [])


def test_types_come_from_the_annotation():
    assert AddOrMul.matched_types() == (arith.AddiOp, arith.MuliOp)
    assert MulOfAdd.matched_types() == (arith.MuliOp,)

    class Any_(Pattern[Operation]):
        def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None: ...

    assert Any_.matched_types() == (Operation,)


def test_a_pattern_may_say_itself_what_it_takes():
    asked: list[str] = []

    class OfType(Pattern[tf.TfOp]):
        def __init__(self, op_type: str):
            self.op_type = op_type

        def takes(self, op: Operation) -> bool:
            return isinstance(op, tf.TfOp) and op.op_type == self.op_type

        def rewrite(self, op: tf.TfOp, rewriter: PatternRewriter, /) -> None:
            asked.append(f"{self.op_type} {op.identity}")

    nodes = [tf.make_node(op_type, [], op_type.lower()) for op_type in ("Mine", "Yours", "NoOp")]
    apply_patterns(ModuleOp(nodes), [OfType("NoOp"), OfType("Mine")])
    assert sorted(asked) == ["Mine mine", "NoOp noop"]


def test_why_is_silent_until_asked(module: ModuleOp):
    one = next(iter(module.body.ops))
    module.body.block.insert_op_after(named(arith.MuliOp(one, one, i32), "plain"), one)
    apply_patterns(module, [MulOfAdd()], recursive=False)
    said: list[str] = []
    with hearing_why(said.append):
        apply_patterns(module, [MulOfAdd()], recursive=False)
        why(one, "nobody asked")
    assert said == [
        "MulOfAdd: arith.muli (plain): its operand is not a sum",
        "arith.constant (one): nobody asked",
    ]
    why(one, "nobody listens any more")


class Refuse(Pattern[Operation]):
    """Every op is a mistake."""

    def __init__(self):
        self.asked: list[str] = []

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        self.asked.append(op.name)
        raise AutosplitError(f"{op.name} is wrong")


def test_a_mistake_ends_the_walk_without_the_module_in_it(module: ModuleOp):
    pattern = Refuse()
    with pytest.raises(AutosplitError, match=r"^arith\.constant is wrong$") as caught:
        apply_patterns(module, [pattern])
    assert pattern.asked == ["arith.constant"]
    assert not getattr(caught.value, "__notes__", [])


def test_ops_can_be_asked_about_in_any_order(module: ModuleOp):
    one, add, mul, user = module.body.ops
    said: list[str] = []
    with hearing_why(said.append):
        apply_to([user, mul, add, one], [AddOrMul()])
    assert said == ["AddOrMul: arith.muli (mul): is asked", "AddOrMul: arith.addi (add): is asked"]


def test_located_names_all_sources(module: ModuleOp):
    ops = list(module.body.ops)
    new = located(arith.ConstantOp.from_int_and_width(3, 32), ops[1], ops[2])
    assert location_names(new.location) == ("add", "mul")
