"""Sizes as programs write them, `2*s77 + 1`, with numbers in the symbols' places."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping


def _floor(a: int, b: int) -> int:
    return a // b


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.FloorDiv: _floor,
    ast.Mult: lambda a, b: a * b,
    ast.Sub: lambda a, b: a - b,
}

_FUNCTIONS: Mapping[str, Callable[[int, int], int]] = {
    "CeilDiv": lambda a, b: -(-a // b),
    "CleanDiv": _floor,
    "FloorDiv": _floor,
    "Max": lambda a, b: max(a, b),
    "Min": lambda a, b: min(a, b),
    "Mod": lambda a, b: a % b,
    "PythonMod": lambda a, b: a % b,
}


def evaluate(text: str, sizes: Mapping[str, int]) -> int | None:
    """What an expression is for these sizes; None where they do not tell."""
    if text in sizes:
        return sizes[text]
    try:
        number = _value(ast.parse(text, mode="eval").body, sizes)
    except (SyntaxError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError):
        return None
    return number if number >= 0 else None


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return sizes[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, sizes)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, sizes), _value(right, sizes))
        case ast.Call(func=ast.Name(id=name), args=[left, right]):
            return _FUNCTIONS[name](_value(left, sizes), _value(right, sizes))
        case _:
            raise ValueError(ast.unparse(node))
