"""The base class of runners."""

from autosplit.runtime.runner import Runner

__all__ = ["Runner"]
