"""The conversions and conditions of all op types, in files by subject; importing this collects them."""

from importlib import import_module
from pkgutil import iter_modules

from autosplit.lowering.convert_onnx_to_top.parts.conversion import CONVERSIONS
from autosplit.lowering.convert_onnx_to_top.parts.query import EXTRA

__all__ = ["CONVERSIONS", "EXTRA"]

for _family in iter_modules(__path__):
    import_module(f"{__name__}.{_family.name}")
