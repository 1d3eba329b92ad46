"""`split` and `convert`, as the original AutoSplit documents them."""

from autosplit.api import convert, exception_wrapper, split

__all__ = ["convert", "exception_wrapper", "split"]
