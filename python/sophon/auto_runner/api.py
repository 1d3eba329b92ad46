"""What runs folders of sub-models, as the original AutoRunner has it."""

from autosplit.api import exception_wrapper, infer, infer_time, load, load_from_zip

__all__ = ["exception_wrapper", "infer", "infer_time", "load", "load_from_zip"]
