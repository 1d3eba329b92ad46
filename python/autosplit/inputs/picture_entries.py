"""What the plan and a folder remember of the pictures that inputs take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from autosplit.inputs.preprocess import Preprocess

if TYPE_CHECKING:
    from xdsl.ir import Attribute


PREPROCESS, NORMALIZES = "preprocess", "normalizes"
"""The entries of `device.plan`, and of what is autosplit's own in graph_infos.json."""


def picture_entries(plan: Mapping[str, Attribute]) -> dict[str, Any]:
    """What graph_infos.json holds of the entries of `device.plan`."""
    from xdsl.dialects.builtin import DictionaryAttr, StringAttr

    entries: dict[str, Any] = {}
    for key in (PREPROCESS, NORMALIZES):
        entry = plan.get(key)
        texts = entry.data.items() if isinstance(entry, DictionaryAttr) else ()
        descriptions = {n: Preprocess.parse(t.data) for n, t in texts if isinstance(t, StringAttr)}
        if descriptions:
            entries[key] = {
                name: one.to_json() if key == PREPROCESS else one.affine.to_json()
                for name, one in descriptions.items()
            }
    return entries
