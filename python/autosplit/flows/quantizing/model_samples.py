"""What samples are read for: the inputs of a model that has been prepared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autosplit.core.dtypes import dtype_of
from autosplit.dialects.platform import platform_graph, shape_of
from autosplit.flows.splitting.model_pictures import Pictures
from autosplit.inputs.picture_input import PictureInput
from autosplit.inputs.value_types import ValueType
from autosplit.lowering.quant.own_normalization import picture_input
from autosplit.platforms import Model


@dataclass(frozen=True)
class ModelInput:
    """An input of a model."""

    name: str
    shape: tuple[int, ...] | None
    """-1 where the model leaves a size open."""
    dtype: str | None
    value: ValueType | None = None


@dataclass(frozen=True)
class ModelInputs:
    """The inputs of a model, with what is known of pictures for them."""

    model: Model
    pictures: Pictures
    layout: str
    dynamic: bool = False

    @property
    def tensors(self) -> dict[str, ModelInput]:
        """By name, in the model's order."""
        inputs: dict[str, ModelInput] = {}
        for name, value in platform_graph(self.model.module).graph_inputs():
            dtype, shape = dtype_of(value.type), shape_of(value.type)
            sizes = None if shape is None else tuple(max(d, -1) for d in shape)
            inputs[name] = ModelInput(name, sizes, dtype.name if dtype else None)
        return inputs

    @property
    def inputs(self) -> list[str]:
        return list(self.tensors)

    def picture_input(self, name: str) -> PictureInput:
        """What has to be known of an input to read pictures for it."""
        value = dict(platform_graph(self.model.module).graph_inputs())[name]
        return replace(
            picture_input(name, value, self.layout),
            shape=self.tensors[name].shape,
            described=self.pictures.preprocess.get(name),
            own=self.pictures.normalizes.get(name),
        )
