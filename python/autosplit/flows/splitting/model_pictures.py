"""Pictures that are given for the inputs of a model which is being split or compiled.

What is done to them is said by the user or by the model itself, and noted in `device.plan`, so that the
folder knows it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import DictionaryAttr, StringAttr

from autosplit.core.errors import AutosplitError, choice
from autosplit.dialects.platform import platform_graph, value_name
from autosplit.inputs.picture_entries import NORMALIZES, PREPROCESS
from autosplit.inputs.picture_input import PictureInput, resolve
from autosplit.inputs.preprocess import (
    Descriptions,
    Normalization,
    Preprocess,
    Preprocessing,
    descriptions,
)
from autosplit.lowering.quant.own_normalization import own_normalizations, picture_input
from autosplit.portable.names import bare

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, SSAValue

    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.specs import InputSpec
    from autosplit.inputs.values import Given, Value
    from autosplit.platforms import Model


@dataclass(frozen=True)
class Pictures:
    """What is known of the pictures that a model takes, by input."""

    preprocess: Mapping[str, Preprocess] = field(default_factory=dict[str, Preprocess])
    normalizes: Mapping[str, Normalization] = field(default_factory=dict[str, Normalization])

    @staticmethod
    def of(model: Model, lowered: ModuleOp, by_name: Descriptions, layout: str | None) -> Pictures:
        """What is given, and what the model does itself; `lowered` is its copy in ONNX.

        Raises AutosplitError for a description that fits no input.
        """
        layout = layout or model.platform.default_layout
        inputs = [item for item, _ in _inputs(model, layout)]
        return Pictures(resolve(by_name, inputs), own_normalizations(lowered, layout))

    def read(
        self,
        model: Model,
        specs: Mapping[str, InputSpec],
        layout: str | None,
        note: Callable[[str], None],
    ) -> dict[str, InputSpec]:
        """The specs with the arrays of pictures; `note` is told what was done to each."""
        items = {bare(item.name): item for item, _ in _inputs(model, layout)}
        by_name: dict[str, InputSpec] = {}
        for name, spec in specs.items():
            by_name[name] = spec
            if spec.picture is None or (item := items.get(bare(name))) is None:
                continue
            item = replace(
                item,
                described=self.preprocess.get(item.name),
                own=self.normalizes.get(item.name),
            )
            by_name[name] = replace(spec, array=item.told(spec.picture, note))
        return by_name

    def plan_entries(self) -> dict[str, Attribute]:
        """The entries of `device.plan` for it; none if nothing is known."""
        own = {name: Preprocess(a.mean, a.scale) for name, a in self.normalizes.items()}
        return {
            key: DictionaryAttr({name: StringAttr(str(value)) for name, value in entries.items()})
            for key, entries in ((PREPROCESS, self.preprocess), (NORMALIZES, own))
            if entries
        }


def sized(
    model: Model, specs: Mapping[str, InputSpec], preprocess: Descriptions, layout: str | None
) -> dict[str, InputSpec]:
    """The specs with the shapes that given pictures will have.

    Raises AutosplitError for a picture that cannot be read, and for an input that takes none.
    """
    if all(spec.picture is None for spec in specs.values()):
        return dict(specs)
    items = {bare(item.name): item for item, _ in _inputs(model, layout, inner=True)}
    by_name = {bare(name): description for name, description in preprocess.items()}
    fitted: dict[str, InputSpec] = {}
    for name, spec in specs.items():
        item = items.get(bare(name))
        if spec.picture is None or item is None:
            fitted[name] = spec
            continue
        item = replace(item, described=by_name.get(bare(name), by_name.get("")))
        try:
            shape = item.sizes(spec.picture)
        except AutosplitError as error:
            raise AutosplitError(f"--input {name}={spec.picture}: {error}") from None
        if spec.shape not in (None, shape):
            raise AutosplitError(
                f"input {name!r}: the shape {list(spec.shape or ())} is said of it, and the picture "
                f"{spec.picture} becomes one of {list(shape)}; leave one of them out"
            )
        fitted[name] = replace(spec, shape=shape)
    return fitted


def read_given(
    infos: GraphInfos | None,
    inputs: Mapping[str, Given],
    preprocess: Preprocessing,
    note: Callable[[str], None],
) -> dict[str, Value]:
    """The values for a folder's inputs, where paths are of pictures; `note` is told what was done to each.

    `preprocess`: descriptions in front of those of the folder. Names may come with or without `:0`. Raises
    AutosplitError if a path is given for what is no input, or no picture can become it: none can without a
    folder, `infos` None.
    """
    if not isinstance(cast("object", inputs), Mapping):
        raise AutosplitError(
            f"input_tensors is a {type(inputs).__name__}, expected {{name: numpy.ndarray}}"
        )
    pictures = [name for name, value in inputs.items() if isinstance(value, str | Path)]
    if not pictures:
        return cast("dict[str, Value]", {**inputs})
    if infos is None:
        raise AutosplitError(f"input {pictures[0]!r} is a picture, and the plan is of no folder")
    infos = infos.described(descriptions(preprocess))
    own_names = {bare(name): name for name in infos.inputs}
    values: dict[str, Value] = {}
    for name, value in inputs.items():
        if not isinstance(value, str | Path):
            values[name] = value
        elif bare(name) not in own_names:
            hint = choice(name, list(own_names))
            raise AutosplitError(f"{name!r} is not an input of the model{hint}")
        else:
            values[name] = infos.picture_input(own_names[bare(name)]).told(Path(value), note)
    return values


def _inputs(
    model: Model, layout: str | None, inner: bool = False
) -> list[tuple[PictureInput, SSAValue]]:
    """The inputs of a model; with `inner` also the values in it, any of which may become one."""
    graph = platform_graph(model.module)
    values = dict(graph.graph_inputs())
    if inner:
        results = (result for op in graph.body_ops() for result in op.results)
        values = {**{value_name(value): value for value in results}, **values}
    layout = layout or model.platform.default_layout
    return [(picture_input(name, value, layout), value) for name, value in values.items() if name]
