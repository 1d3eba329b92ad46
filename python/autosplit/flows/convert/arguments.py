"""What the functions of the API are given of a conversion, as the options that the command line has too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from autosplit.core.errors import AutosplitError, nearest
from autosplit.devices.builds import split_mode
from autosplit.flows.converting.options import TIMEOUT, UNSET_TARGET, ConvertOptions
from autosplit.flows.quantizing.metrics import as_metric, target_of
from autosplit.inputs.custom_ops import libraries
from autosplit.inputs.preprocess import descriptions

if TYPE_CHECKING:
    from autosplit.inputs.custom_ops import CustomOps
    from autosplit.inputs.preprocess import Preprocessing

PathLike: TypeAlias = "Path | str"

AS_GIVEN = (
    "calibrator",
    "correct_biases",
    "equalize",
    "target_cosine",
    "cores",
    "fuse_preprocess",
    "io",
    "one_file",
    "optimize",
    "samples",
    "jobs",
    "compiler",
)
"""Arguments that are options as they are."""

TARGETS = ("BM1684", "BM1684X", "BM1688")


def convert_options(
    folder: PathLike,
    target: str,
    *,
    mode: str,
    data: Sequence[PathLike] | PathLike,
    samples: int,
    calibrator: str,
    correct_biases: bool | None,
    equalize: bool | None,
    table: PathLike | None,
    quantize_table: PathLike | None,
    f32: Sequence[str] | str,
    target_cosine: float,
    cores: int,
    asymmetric: bool,
    fuse_preprocess: str,
    io: str,
    one_file: bool,
    optimize: int | None,
    compare: bool,
    tolerance: Mapping[str, float] | None,
    metric: Callable[..., float] | str | None,
    target_metric: float,
    dynamic: bool,
    jobs: int | None,
    timeout: float | None,
    compiler: str = "tpu-mlir",
    preprocess: Preprocessing = None,
    custom_ops: CustomOps | None = None,
) -> ConvertOptions:
    """The options of a conversion. Raises AutosplitError for arguments that say nothing."""
    args = dict(locals())
    as_given: dict[str, Any] = {name: args[name] for name in AS_GIVEN}
    return ConvertOptions(
        folder=Path(folder),
        target=_checked_target(target, compiler),
        mode=(parts := split_mode(str(mode).upper()))[0],
        data=_texts(data),
        table=_path(table),
        quantize_table=_path(quantize_table),
        f32=_texts(f32),
        weight_bits=parts[1],
        asymmetric=bool(asymmetric),
        compare=bool(compare),
        tolerance={} if tolerance is None else dict(tolerance),
        metric=(chosen := as_metric(metric)),
        target_metric=target_of(chosen, target_metric),
        dynamic=bool(dynamic),
        timeout=TIMEOUT if timeout is None else timeout,
        custom_ops=libraries(custom_ops),
        preprocess=descriptions(preprocess),
        **as_given,
    )


def _texts(items: Sequence[PathLike] | PathLike) -> list[str]:
    return [str(item) for item in ([items] if isinstance(items, str | Path) else items)]


def _path(path: PathLike | None) -> Path | None:
    return None if path is None else Path(path)


def _checked_target(target: str, compiler: str) -> str | None:
    """The chip that is asked for; None where that is the documented default."""
    wanted = str(target).upper()
    if wanted not in (UNSET_TARGET, *TARGETS):
        raise AutosplitError(
            f"target is {target!r}{nearest(str(target), list(TARGETS))}; "
            f"expected one of {', '.join(TARGETS)}"
        )
    return wanted if compiler == "bmnet" or wanted != UNSET_TARGET else None
