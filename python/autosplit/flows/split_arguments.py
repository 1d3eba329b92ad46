"""What the functions of the API are given of a split, as the options that the command line has too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from autosplit.core.errors import AutosplitError, nearest
from autosplit.core.versions import DEFAULT_VERSION
from autosplit.platforms import platform_names

if TYPE_CHECKING:
    from autosplit.flows.compile import CompileOptions
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.custom_ops import CustomOps
    from autosplit.inputs.fixed import Fixed
    from autosplit.inputs.preprocess import Preprocessing
    from autosplit.inputs.specs import InputSpec
    from autosplit.inputs.values import Given

PathLike: TypeAlias = "Path | str"
Pins: TypeAlias = "Mapping[str, str] | Sequence[str | tuple[str, str]]"
"""`cpu` or `tpu` by a regular expression over the names of ops: a mapping, pairs, or texts `RE=DEVICE`."""
Shapes: TypeAlias = "Mapping[str, Sequence[int] | str]"
"""Sizes by tensor name; for inputs also text as `--input` takes it, `1,3,48,..320:float32`."""

FALLBACKS = ("warn", "error")


def parse_pin(text: str) -> tuple[str, str]:
    """`RE=DEVICE`, divided at the last `=`."""
    pattern, equals, device = text.rpartition("=")
    if not equals or not pattern or device.lower() not in ("cpu", "tpu"):
        raise AutosplitError(f"--pin {text}: expected REGEX=cpu or REGEX=tpu")
    try:
        re.compile(pattern)
    except re.error as e:
        raise AutosplitError(f"--pin {text}: {pattern!r} is not a regular expression: {e}") from e
    return pattern, device.lower()


def pins_of(listed: Pins | None) -> list[tuple[str, str]]:
    """The pins as pairs. Raises AutosplitError for other devices, and what is not a regular expression."""
    expected = "expected {REGEX: 'cpu' or 'tpu'}"
    if not isinstance(cast("object", listed), Mapping | list | tuple | None):
        raise AutosplitError(f"pins is {listed!r}, {expected}")
    pins: list[tuple[str, str]] = []
    for item in listed.items() if isinstance(listed, Mapping) else listed or ():
        if not isinstance(cast("object", item), str | tuple | list):
            raise AutosplitError(f"pins holds {item!r}, {expected}")
        pins.append(parse_pin(item if isinstance(item, str) else "=".join(map(str, item))))
    return pins


def share_of(share: object) -> float:
    """`keep` as a number. Raises AutosplitError if it is none."""
    if isinstance(share, bool) or not isinstance(share, Real):
        raise AutosplitError(f"keep is {share!r}, expected a share from 0 to 1")
    return float(share)


def numbers_of(batches: object) -> tuple[int, ...]:
    """`batches` as numbers. Raises AutosplitError if it is something else."""
    numbers = [*cast("Iterable[object]", batches)] if isinstance(batches, Iterable) else [None]
    if any(isinstance(number, bool) or not isinstance(number, Integral) for number in numbers):
        raise AutosplitError(f"batches is {batches!r}, expected numbers, as in (1, 4)")
    return tuple(int(number) for number in cast("list[int]", numbers))


def check_platform(platform: str, *, auto: bool = False) -> None:
    """Raises AutosplitError for a framework whose models are not split, `auto` apart where that is one."""
    names = platform_names()
    if platform in names or (auto and platform == "auto"):
        return
    raise AutosplitError(
        f"platform {platform!r} is unknown{nearest(str(platform), names)}; this release splits models of "
        + ", ".join(names)
    )


def split_options(
    model: PathLike,
    save_dir: PathLike | None,
    input_tensors: Mapping[str, Given] | None,
    *,
    platform: str,
    outputs: Sequence[str] | None,
    dynamic: bool,
    layout: str | None,
    target: str,
    mode: str,
    keep: float,
    pins: Pins,
    shapes: Shapes | None,
    fixed: Fixed | None = None,
    batches: Sequence[int] = (),
    force: bool = False,
    probe: bool = False,
    on_fallback: str = "warn",
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
    params_path: PathLike | None = None,
) -> SplitOptions:
    """The options of a split. Raises AutosplitError for arguments that say nothing."""
    from autosplit.core.logs import log
    from autosplit.flows.splitting.options import SplitOptions
    from autosplit.inputs.custom_ops import libraries
    from autosplit.inputs.fixed import checked_fixed
    from autosplit.inputs.options import joined
    from autosplit.inputs.preprocess import descriptions

    check_platform(platform, auto=True)
    check_choices(layout, outputs, on_fallback)
    texts, numbers = shapes_of(shapes)
    return SplitOptions(
        model=Path(model),
        params=None if params_path is None else Path(params_path),
        out=None if save_dir is None else Path(save_dir),
        inputs=joined(dict(_specs_of(input_tensors or {})), texts),
        outputs=list(outputs or ()),
        target=str(target),
        mode=str(mode).upper(),
        platform=platform,
        layout=layout,
        dynamic=bool(dynamic),
        batches=numbers_of(batches),
        keep=share_of(keep),
        pins=pins_of(pins),
        shapes=numbers,
        fixed=checked_fixed(fixed),
        force=bool(force),
        probe=bool(probe),
        on_fallback=on_fallback,
        preprocess=descriptions(preprocess),
        custom_ops=libraries(custom_ops),
        note=log.info,
    )


def compile_options(
    model: PathLike,
    input_tensors: Mapping[str, Given] | None,
    *,
    platform: str,
    outputs: Sequence[str] | None,
    shapes: Shapes | None,
    version: str | None,
    policy: str,
    sums: str,
    rounding: str,
    preprocess: Preprocessing,
    custom_ops: CustomOps | None,
    fixed: Fixed | None = None,
    params_path: PathLike | None = None,
) -> CompileOptions:
    """The options of compiling a quantized model. Raises AutosplitError for arguments that say nothing."""
    from autosplit.flows.compile import CompileOptions
    from autosplit.inputs.custom_ops import libraries
    from autosplit.inputs.fixed import checked_fixed
    from autosplit.inputs.options import joined
    from autosplit.inputs.preprocess import descriptions
    from autosplit.inputs.specs import InputSpec

    check_platform(platform, auto=True)
    check_choices(None, outputs, "warn")
    texts, numbers = shapes_of(shapes)
    sizes = {name: InputSpec(shape) for name, shape in numbers.items()}
    return CompileOptions(
        model=Path(model),
        params=None if params_path is None else Path(params_path),
        inputs=joined(dict(_specs_of(input_tensors or {})), {**texts, **sizes}),
        outputs=list(outputs or ()),
        platform=platform,
        version=version or DEFAULT_VERSION,
        policy=policy,
        sums=sums,
        rounding=rounding,
        preprocess=descriptions(preprocess),
        fixed=checked_fixed(fixed),
        custom_ops=libraries(custom_ops),
    )


def _specs_of(arrays: object) -> Iterator[tuple[str, InputSpec]]:
    """What is given of inputs, by name: arrays or pictures. Raises AutosplitError for what is neither."""
    import numpy as np

    from autosplit.inputs.specs import InputSpec

    if not isinstance(arrays, Mapping):
        raise AutosplitError(
            f"input_tensors is a {type(arrays).__name__}, expected {{name: numpy.ndarray}}"
        )
    for name, value in cast("Mapping[str, object]", arrays).items():
        if isinstance(value, str | Path):
            yield name, InputSpec(picture=Path(value))
        elif value is None or isinstance(value, np.ndarray | list | tuple | dict):
            yield name, InputSpec.of(value)
        else:
            raise AutosplitError(
                f"input {name!r} is a {type(value).__name__}, expected a numpy.ndarray or a picture's path"
            )


def check_choices(layout: str | None, outputs: object, on_fallback: str) -> None:
    """Raises AutosplitError for what is none of the choices of an argument."""
    if layout not in ("NCHW", "NHWC", None):
        raise AutosplitError(f"layout is {layout!r}, expected 'NCHW' or 'NHWC'")
    if outputs is not None and not _are_names(outputs):
        raise AutosplitError(f"outputs is {outputs!r}, expected a list of tensor names")
    if on_fallback not in FALLBACKS:
        raise AutosplitError(f"on_fallback is {on_fallback!r}, expected 'warn' or 'error'")


def _are_names(names: object) -> bool:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        return False
    return all(isinstance(name, str) for name in cast("Iterable[object]", names))


def shapes_of(shapes: Shapes | None) -> tuple[dict[str, InputSpec], dict[str, tuple[int, ...]]]:
    """What is said of inputs as text, and the shapes that are said as numbers, both by name."""
    from autosplit.inputs.options import parse_input

    if not isinstance(cast("object", shapes), Mapping | None):
        raise AutosplitError(f"shapes is a {type(shapes).__name__}, expected {{name: sizes}}")
    texts: dict[str, InputSpec] = {}
    numbers: dict[str, tuple[int, ...]] = {}
    for name, shape in (shapes or {}).items():
        if isinstance(shape, str):
            texts[name] = parse_input(f"{name}={shape}")[1]
            continue
        given_sizes = isinstance(cast("object", shape), Iterable)
        sizes = cast("list[object]", [*shape] if given_sizes else [None])
        if any(isinstance(size, bool) or not isinstance(size, Integral) for size in sizes):
            raise AutosplitError(f"the shape of {name!r} is {shape!r}, expected sizes or a text")
        numbers[name] = tuple(int(size) for size in cast("list[int]", sizes))
        if any(size < 0 for size in numbers[name]):
            raise AutosplitError(f"the shape of {name!r} is {shape!r}: sizes are not negative")
    return texts, numbers
