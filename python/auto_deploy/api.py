"""`split` and `convert`, as the original AutoSplit documents them; and AutoRunner's functions."""

from autosplit.api import (
    convert,
    exception_wrapper,
    infer,
    infer_time,
    load,
    load_from_zip,
    split,
)

__all__ = ["convert", "exception_wrapper", "infer", "infer_time", "load", "load_from_zip", "split"]
