"""Promises of `--shape` where sizes vary: one that smaller inputs break is refused before it is relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.dialects.platform import platform_graph, shape_of
from autosplit.lowering.infer_shapes.promises import BrokenPromiseError, infer_promised
from autosplit.registry import make_context

if TYPE_CHECKING:
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.platforms import Model


def check_varying_promises(unprepared: Model, model: Model, options: SplitOptions) -> None:
    """Raises if a promised tensor has other sizes than promised when the inputs are smaller.

    `unprepared`: the model as it was read, used up here; `model`: prepared, the sizes that vary are open. The
    open sizes are halved, and the promised ones must follow as they are, or stay unknown.
    """
    smaller = smaller_shapes(model, {name: spec.shape for name, spec in options.inputs.items()})
    shapes = {**{name: spec.shape for name, spec in options.inputs.items()}, **smaller}
    try:
        unprepared.platform.prepare(unprepared, shapes, list(options.outputs))
        infer_promised(make_context(), unprepared.module, options.shapes)
    except BrokenPromiseError as error:
        where = ", ".join(f"{n!r} is {','.join(map(str, s))}" for n, s in smaller.items())
        raise AutosplitError(
            f"{options.model}: {error} where {where}, and a promise holds in every run: leave it out, as "
            "sizes that follow from the inputs' need none, or leave out --dynamic"
        ) from None
    except AutosplitError:
        # Smaller inputs need not fit the model; whether they do has nothing to do with promises.
        return


def smaller_shapes(
    model: Model, largest: Mapping[str, Sequence[int] | None]
) -> dict[str, tuple[int, ...]]:
    """Of the inputs that have open sizes: shapes with half of the largest ones there."""
    shapes: dict[str, tuple[int, ...]] = {}
    inputs = {name.removesuffix(":0"): v for name, v in platform_graph(model.module).graph_inputs()}
    for name, sizes in largest.items():
        value = inputs.get(name.removesuffix(":0"))
        declared = None if value is None else shape_of(value.type)
        if (
            sizes is None
            or declared is None
            or len(declared) != len(sizes)
            or min(declared, default=0) >= 0
        ):
            continue
        shapes[name] = tuple(
            max(1, size // 2) if own < 0 else size
            for own, size in zip(declared, sizes, strict=True)
        )
    return shapes
