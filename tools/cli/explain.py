"""The command `explain`."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.tools.cli import applies
from autosplit.tools.cli.inputs import options_of

if TYPE_CHECKING:
    from autosplit.explain.plan import Explanation


def do_explain(args: argparse.Namespace) -> int:
    """`autosplit explain`."""
    from autosplit.folder.plans import is_compiled

    applies.check_explain(args)
    if args.rules:
        from autosplit.tools.cli import compile as int8

        return int8.show_rules(args.version, as_json=args.json)
    if args.model is None:
        raise AutosplitError("name a folder or a model, or --rules (see autosplit explain --help)")
    if args.int8 or is_compiled(args.model):
        from autosplit.tools.cli import compile as int8

        return int8.do_explain(args)

    from autosplit.tools.cli.report import show_explanation, show_op

    explanation = explanation_of(args)
    ops = explanation.find(args.op) if args.op is not None else None
    if args.json:
        print(json.dumps(explanation.to_json(ops), indent=2, ensure_ascii=False))
        return 0
    if ops is None:
        show_explanation(explanation, every_op=args.all)
        return 0
    for op in ops:
        show_op(explanation, op)
    return 0


def explanation_of(args: argparse.Namespace) -> Explanation:
    """Reads a split folder, or places and cuts a model without writing anything."""
    from autosplit.explain.plan import explain, explain_folder
    from autosplit.tools.cli.ui import Progress

    with Progress() as progress:
        if (args.model / "graph_infos.json").is_file():
            progress("reading the folder")
            return explain_folder(args.model)

        from autosplit.flows.split import split_model

        return explain(split_model(options_of(args, progress)).module)
