"""What the API functions do with exceptions: log which of them failed, and pass the exception on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger("autosplit")


def exception_wrapper(message: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that logs `message` and the error in one line, then raises the error again.

    The caller decides what an error means; nothing here ends the process.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                log.error("%s %s", message, error)
                raise

        return wrapper

    return decorate
