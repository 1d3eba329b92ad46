"""Options for a model and its inputs, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from autosplit.core.errors import AutosplitError
from autosplit.flows.split_arguments import parse_pin
from autosplit.inputs.preprocess import parse_options

if TYPE_CHECKING:
    from autosplit.core.printing import Show
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.folder.infos_reader import GraphInfos
    from autosplit.inputs.values import Value
    from autosplit.portable.ends import End


def options_of(args: argparse.Namespace, progress: Callable[[str], None]) -> SplitOptions:
    """The options of `split` and `explain`."""
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.custom_ops import libraries
    from autosplit.inputs.fixed import parse_fixed
    from autosplit.inputs.options import parse_input, parse_shapes, unique

    return SplitOptions(
        model=args.model,
        params=args.params,
        out=getattr(args, "out", None),
        inputs=unique([parse_input(text) for text in args.inputs]),
        outputs=args.outputs,
        target=args.target,
        mode=args.mode,
        platform=args.platform,
        layout=args.layout,
        dynamic=args.dynamic,
        batches=_numbers(getattr(args, "batches", "")),
        keep=args.keep,
        pins=[parse_pin(text) for text in args.pins],
        shapes=parse_shapes(args.shapes),
        fixed=parse_fixed(args.fixed),
        on_fallback=args.on_fallback,
        force=getattr(args, "force", False),
        probe=getattr(args, "probe", False),
        custom_ops=libraries(args.custom_ops),
        preprocess=parse_options(args.preprocess),
        progress=progress,
        show=ir_printer(args),
        note=print,
    )


def add_batches_option(parser: argparse.ArgumentParser) -> None:
    """`--batches` of split and deploy."""
    parser.add_argument(
        "--batches", metavar="N,...", default="",
        help="sub-models for so many samples at once, as in 1,4, where the model leaves the first size of "
        "its inputs open; run takes any number then",
    )  # fmt: skip


def _numbers(text: str) -> tuple[int, ...]:
    """The numbers of `--batches`."""
    try:
        return tuple(int(word) for word in text.split(",") if text)
    except ValueError:
        raise AutosplitError(f"--batches {text}: expected numbers, as in 1,4") from None


def ir_printer(args: argparse.Namespace) -> Show | None:
    """Prints the IR after each pass, if `--print-ir-after-all` is present."""
    if not getattr(args, "print_ir_after_all", False):
        return None
    from autosplit.core.printing import show_ir

    return show_ir


def feeds_for(infos: GraphInfos, texts: Sequence[str], ends: Mapping[str, End]) -> dict[str, Value]:
    """The values that the `--input` options name, seeded random ones for other inputs; lines say so.

    `ends`: the inputs that may be given as 8-bit integers.
    """
    from autosplit.inputs.options import input_specs
    from autosplit.inputs.samples import random_feeds
    from autosplit.portable.feeds import fitted

    specs = input_specs(infos.inputs, texts)
    feeds: dict[str, Value] = {}
    for name, spec in specs.items():
        if spec.picture is not None:
            feeds[name] = infos.picture_input(name).told(spec.picture, print)
        # The whole model takes these too.
        tensor, end = infos.tensors[name], ends.get(name)
        if end is not None and end.is_given(spec.array):
            feeds[name] = spec.value
        elif spec.array is not None or spec.whole is not None:
            feeds[name] = fitted(spec.value, tensor)
    drawn = random_feeds(infos, [n for n in infos.inputs if n not in feeds], "--input ", specs)
    if drawn:
        print(f"random input (seed 0): {', '.join(drawn)}")
    return feeds | drawn
