"""PyTorch's descriptions of what is quantized how, QConfig and QConfigMapping, in the terms of `quantize`.

Observers of activations name the calibrator; what is None stays in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.ao.quantization

from autosplit.core.errors import AutosplitError

CALIBRATORS = {
    "HistogramObserver": "histogram",
    "MinMaxObserver": "minmax",
    "MovingAverageMinMaxObserver": "moving-average",
}
"""By observer, the calibrator that does the same."""

quantization: Any = torch.ao.quantization
"""It has few types."""

ALPHA = "smooth_quant_alpha"
"""The attribute of a mapping that `get_smooth_quant_qconfig_mapping` made."""


@dataclass
class Chosen:
    """What is said of a model."""

    calibrator: str = ""
    symmetric: bool = False
    weight_bits: int = 0
    smooth: float | None = None
    skip_modules: list[str] = field(default_factory=list[str])
    """Paths of modules that stay in float32."""
    skip_types: list[type] = field(default_factory=list[type])

    def skips(self, path: str, module: torch.nn.Module) -> bool:
        """Whether a module stays in float32."""
        return path in self.skip_modules or any(type(module) is one for one in self.skip_types)


def is_qconfig(value: object) -> bool:
    """Whether it is one of PyTorch's descriptions."""
    return isinstance(value, quantization.QConfig | quantization.QConfigMapping)


def chosen(description: Any) -> Chosen:
    """What a description says. Raises AutosplitError for what is not done here, as dynamic quantization."""
    if isinstance(description, quantization.QConfig):
        return _of_qconfig(description)
    what = description.global_qconfig
    if what is None:
        raise AutosplitError("the QConfigMapping has no global QConfig: set one with set_global")
    choice = _of_qconfig(what)
    choice.smooth = getattr(description, ALPHA, None)
    for kind in ("module_name_regex_qconfigs", "module_name_object_type_order_qconfigs"):
        if getattr(description, kind):
            raise AutosplitError(
                f"{kind} of a QConfigMapping is not taken: name modules with set_module_name, or types with "
                "set_object_type"
            )
    _differences(description.module_name_qconfigs, what, choice.skip_modules.append)
    _differences(description.object_type_qconfigs, what, choice.skip_types.append)
    return choice


def _differences(entries: Mapping[Any, Any], usual: Any, skip: Callable[[Any], None]) -> None:
    for name, qconfig in entries.items():
        if qconfig is None:
            skip(name)
        elif qconfig != usual:
            raise AutosplitError(
                f"the QConfigMapping has an own QConfig for {name!r}: expected None, which leaves it in "
                "float32, or the global one"
            )


def _of_qconfig(qconfig: Any) -> Chosen:
    activation, weight = qconfig.activation(), qconfig.weight()
    if getattr(activation, "is_dynamic", False) or isinstance(
        activation, quantization.PlaceholderObserver
    ):
        raise AutosplitError(
            "dynamic quantization has no partitions of oneDNN: give a static QConfig, as "
            "default_static_qconfig"
        )
    name = type(activation).__name__
    if name not in CALIBRATORS:
        raise AutosplitError(
            f"the activations' observer {name} is not supported; expected {', '.join(CALIBRATORS)}"
        )
    if weight.dtype != torch.qint8 and weight.dtype != torch.int8:
        raise AutosplitError(f"weights of {weight.dtype}: expected torch.qint8")
    if activation.dtype not in (torch.quint8, torch.uint8, torch.qint8, torch.int8):
        raise AutosplitError(f"activations of {activation.dtype}: expected torch.quint8")
    reduced = bool(getattr(activation, "reduce_range", False))
    symmetric = activation.qscheme == torch.per_tensor_symmetric
    return Chosen(CALIBRATORS[name], symmetric, 7 if reduced else 0)


def default_static_qconfig() -> Any:
    """Histograms of activations in 8 bits with a zero point; weights by channel, with none."""
    return quantization.QConfig(
        activation=quantization.HistogramObserver.with_args(
            dtype=torch.quint8, qscheme=torch.per_tensor_affine
        ),
        weight=quantization.PerChannelMinMaxObserver.with_args(
            dtype=torch.qint8, qscheme=torch.per_channel_symmetric
        ),
    )


def default_static_qconfig_mapping() -> Any:
    """The same for all modules."""
    return quantization.QConfigMapping().set_global(default_static_qconfig())


def get_smooth_quant_qconfig_mapping(alpha: float = 0.5) -> Any:
    """The same, and channels are scaled between activations and weights, by SmoothQuant's `alpha`."""
    mapping = default_static_qconfig_mapping()
    setattr(mapping, ALPHA, alpha)
    return mapping
