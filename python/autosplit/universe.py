"""What plain `xdsl-opt` learns of autosplit through the entry point group `xdsl.universe`."""

from xdsl.universe import Universe

from autosplit.registry import get_all_dialects, get_all_passes, get_all_targets

AUTOSPLIT_UNIVERSE = Universe(
    all_dialects=get_all_dialects(),
    all_passes=get_all_passes(),
    all_targets=get_all_targets(),
)
