"""`convert --fuse-preprocess`: which inputs take the bytes of pictures, and what these become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.portable.networks import RawPicture

if TYPE_CHECKING:
    from autosplit.folder.infos_reader import GraphEntry, GraphInfos


def raw_pictures(infos: GraphInfos, graph: GraphEntry, order: str) -> dict[str, RawPicture]:
    """By tensor, what a sub-model makes of pictures whose channels are in an order, `rgb` or `bgr`.

    Inputs of the model of which that is known, and which have three channels and one size.
    """
    pictures: dict[str, RawPicture] = {}
    for name in graph.inputs:
        if name not in infos.inputs:
            continue
        picture = infos.picture_input(name)
        shape = picture.shape or ()
        if picture.kind != "f" or not picture.takes_pictures or len(shape) != 4 or min(shape) < 1:
            continue
        described = picture.described is not None and picture.described.says_numbers
        if picture.frame.channels != 3 or not (
            described or (picture.own is not None and picture.own.takes_bytes)
        ):
            continue
        affine = picture.affine
        color = order if picture.described is None else picture.described.color
        pictures[name] = RawPicture(affine.mean, affine.scale, color, order, picture.frame.last)
    return pictures


def check_raw_pictures(infos: GraphInfos, graphs: Sequence[GraphEntry], order: str) -> None:
    """Raises AutosplitError if no sub-model has anything of pictures to do."""
    if infos.dynamic:
        raise AutosplitError(
            "--fuse-preprocess: is for fixed sizes, and those of this folder may vary; leave one of both out"
        )
    if any(raw_pictures(infos, graph, order) for graph in graphs):
        return
    raise AutosplitError(
        "--fuse-preprocess: no TPU sub-model takes a picture of three channels whose bytes --preprocess "
        "describes; add it, as in --preprocess mean=127.5,scale=1/128, or leave --fuse-preprocess out"
    )
