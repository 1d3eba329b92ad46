"""What the tool chain can build besides a mode: which chips have it, and how it is spelled.

`--mode W4F16` is mode F16 with weights of 4 bits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError

if TYPE_CHECKING:
    from autosplit.devices import Chip

NARROW = {
    "W4BF16": ("BF16", 4),
    "W4F16": ("F16", 4),
    "W4INT8": ("INT8", 4),
    "W8BF16": ("BF16", 8),
    "W8F16": ("F16", 8),
}
"""By spelling: what is computed in, and the bits of the weights of products of matrices."""


def split_mode(mode: str) -> tuple[str, int]:
    """The mode that something is computed in, and the bits of weights; 0 where they are the mode's own."""
    if mode == "INT4":
        raise AutosplitError(
            "mode INT4: TPU-MLIR 1.30.2 computes zeros in it for BM1688, and ends with an error for the "
            "other chips (measured); W4INT8, on BM1688, and W4F16 have weights of 4 bits"
        )
    return NARROW.get(mode, (mode, 0))


def full_mode(mode: str, build: Mapping[str, int]) -> str:
    """What `split_mode` takes apart."""
    bits = build.get("weight_bits", 0)
    return f"W{bits}{mode}" if bits else mode


def check_build(
    chip: Chip, mode: str, build: Mapping[str, int], more: Collection[str] = ()
) -> None:
    """Raises AutosplitError for what the tool chain does not do, or does wrongly, for a chip.

    `more`: what is asked for by options of their own, as `fuse-preprocess`.
    """
    cores, asymmetric = build.get("cores", 1), build.get("asymmetric", 0)
    if not 1 <= cores <= chip.cores:
        raise AutosplitError(
            f"--cores {cores}: {chip.vendor_name} has {chip.cores} ({chip.figures['cores'].source}), "
            f"expected {'1' if chip.cores == 1 else f'1 to {chip.cores}'}"
        )
    if asymmetric and mode != "INT8":
        raise AutosplitError(f"--asymmetric: is for INT8, the mode is {mode}")
    requested = {"--asymmetric": "asymmetric"} if asymmetric else {}
    requested |= {f"--{name}": name for name in more}
    if build.get("weight_bits"):
        full = full_mode(mode, build)
        requested[f"--mode {full}"] = full
    for option, name in requested.items():
        if (why := chip.no_builds.get(name)) is not None:
            modes = [*chip.modes, *(name for name in NARROW if name in chip.builds)]
            instead = f"; it has the modes {', '.join(modes)}" if name in NARROW else ""
            raise AutosplitError(f"{option}: not for {chip.vendor_name} ({why}){instead}")
