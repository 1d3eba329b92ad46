"""What tensors are called: by frameworks, by users who leave `:0` off, and by compilers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def bare(name: str) -> str:
    """A tensor's name without the `:0` that may be left out."""
    return name[:-2] if name.endswith(":0") else name


def match(wanted: Sequence[str], names: Sequence[str]) -> list[int] | None:
    """The place in `names` of each one that is wanted; None if they do not fit.

    Compilers change names: TPU-MLIR appends `_f32`, or the name of an op that it put behind; the vendor's
    older one called an input `_arg_<name>_<number>` and left `:0` off. All keep the order, which decides
    where a name is not found; shapes are compared in any case.
    """
    if len(wanted) != len(names):
        return None
    places = [_named(name, names) for name in wanted]
    chosen = [place for place in places if place is not None]
    if len(set(chosen)) == len(wanted):
        return chosen
    return list(range(len(names)))


def _named(name: str, names: Sequence[str]) -> int | None:
    short = bare(name)
    for candidate in (name, f"{name}_f32", short, f"{short}:0", f"{short}_f32"):
        if candidate in names:
            return names.index(candidate)
    places = [i for i, k in enumerate(names) if k.startswith(f"_arg_{short}_")]
    return places[0] if len(places) == 1 else None
