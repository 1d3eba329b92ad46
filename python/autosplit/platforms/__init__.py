"""The frameworks that models come from: one `Platform` object each, and finding the right one for a file.

Everything that differs between frameworks is behind the `Platform` protocol; placing, clustering, outlining,
emitting and running are written once, against it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from autosplit.core.errors import AutosplitError, nearest
from autosplit.formats.others import advice
from autosplit.registry import added, load_added

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue

    from autosplit.core.weights import WeightStore
    from autosplit.dialects.device import FuncOp
    from autosplit.dialects.platform import PlatformGraph, PlatformOp

    Array = NDArray[np.generic]


@dataclass
class Model:
    """An imported model: the module, its weights, where it came from."""

    module: ModuleOp
    store: WeightStore
    platform: Platform
    path: Path | None = None
    custom_ops: tuple[Path, ...] = ()
    """Libraries of those of its ops that its framework does not have."""
    params: Path | None = None
    """The file of its weights, where its framework keeps them apart."""
    fixed: dict[str, Array] = field(default_factory=dict[str, "Array"])
    """The inputs that were made constants, by name; the model's file still asks for them."""


@contextmanager
def errors_at(model: Model) -> Generator[None]:
    """Puts the model's path in front of what is raised."""
    try:
        yield
    except AutosplitError as error:
        if model.path is None:
            raise
        raise AutosplitError(f"{model.path}: {error}") from None


@dataclass(frozen=True)
class Measured:
    """What a run of a model shows of one tensor."""

    shape: tuple[int, ...]
    dtype: str
    """numpy's name of the dtype, such as `float32`."""


@dataclass(frozen=True)
class Measurements:
    """What one run of a model shows."""

    values: Mapping[str, Measured]
    """The tensors that were asked for, by name."""
    work: Mapping[str, int] | None = field(default_factory=dict[str, int])
    """The multiply-adds of each node that computed any, by identity, over all its executions.

    0 for one that multiplies only on other values than those that the run was made up with.
    None if there should have been a run but was none.
    """


class Executor(Protocol):
    """A loaded model or sub-model in its own framework."""

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str]) -> dict[str, Array]:
        """Computes the named tensors. Feeds and outputs go by the framework's tensor names."""
        ...


class Platform(Protocol):
    """What autosplit must know about one framework.

    A class that derives from it need not say what most platforms have in common.
    """

    name: str
    """As graph_infos.json writes it: `onnx`, `tensorflow`."""
    title: str
    """What its models are called in messages: `an ONNX model`."""
    files: ClassVar[Mapping[str, str]]
    """The files of a native sub-model: by their keys in `model_info`, how their names end.

    The model's own comes first; where the framework keeps weights apart, their file is the second.
    """
    default_layout: str
    """`NHWC` or `NCHW`."""

    def recognises(self, head: bytes, path: Path) -> bool:
        """Whether the file, of which `head` is the first 64 KiB, is of this framework."""
        ...

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        """Reads the file. Raises AutosplitError, naming file and cause, on anything wrong with it.

        `custom_ops`: libraries that the framework needs where it runs the model, or freezes it; they are
        tried first. `params`: the file of its weights, None if there is none.
        """
        ...

    def params_beside(self, path: Path) -> Path | None:
        """The file beside a model's that holds its weights; None if models hold them."""
        return None

    def weights(self, path: Path, file_digest: str = "") -> WeightStore:
        """Only the large tensors of a file, by the keys that `load` gives them.

        `file_digest`: what `load` would find as the store's, where that is known already.
        """
        ...

    def prepare(
        self,
        model: Model,
        inputs: Mapping[str, Sequence[int] | None],
        outputs: Sequence[str],
    ) -> None:
        """Fixes the graph's inputs and outputs and the inputs' shapes, in place.

        `inputs`: shapes by input name (None: as the model says); names may come with or without the
        framework's `:0`. `outputs`: names of the tensors wanted; empty means the model's own. Unknown names
        are errors with the nearest known name; so are shapes that contradict the model.
        """
        ...

    def fix(self, model: Model, name: str, array: Array) -> None:
        """Makes the graph's input `name` a constant that holds `array`, in place."""
        ...

    def convert(self, ctx: Context, module: ModuleOp, *, cleanup: bool = False) -> None:
        """Replaces the framework's ops by `onnx` ones, in place, as far as there are conversions.

        Ops that do not convert stay as they are, with the attribute `device.refused` on them. The location
        of each new op holds the names of the nodes that it stands for. Every value that the framework names
        is there afterwards, under its name; with `cleanup` there may be fewer. `lower_to_onnx` gives the
        canonical form.
        """
        ...

    def frames(self, graph: PlatformGraph) -> Mapping[Operation, str]:
        """What each op belongs to that must not be cut, by name, such as a loop that is a cycle; else empty.

        A platform may say in `frame_title` what such an op does, by default `is part of the loop`.
        """
        return {}

    def constant(self, name: str, array: Array, store: WeightStore) -> PlatformOp:
        """A constant op that is called `name` and holds `array`."""
        ...

    def crosses(self, element: Attribute) -> bool:
        """Whether arrays of an element type can be given to the framework and come back from it.

        By default those whose dtypes numpy has of its own; strings are objects.
        """
        from autosplit.core.dtypes import dtype_of

        dtype = dtype_of(element)
        return dtype is None or dtype.isbuiltin == 1

    def border(self, value: SSAValue) -> tuple[str, PlatformOp | None]:
        """How a value is called where it crosses from one sub-model to another.

        Where the framework has no input of the value's own name, the second item is an op that renames it;
        it goes behind the producer.
        """
        from autosplit.dialects.platform import value_name

        return value_name(value), None

    def standalone(self, module: ModuleOp, func: FuncOp) -> ModuleOp:
        """A copy of one outlined sub-model as a module of its own, with a graph like an imported one."""
        ...

    def emit(
        self, module: ModuleOp, func: FuncOp, store: WeightStore, folder: Path, stem: str
    ) -> dict[str, str]:
        """Writes one outlined sub-model in the native format, to files whose names begin with `stem`.

        Returns its `model_info`.
        """
        ...

    def executor(
        self,
        model_info: Mapping[str, str],
        folder: Path,
        *,
        optimize: bool = False,
        custom_ops: Sequence[Path] = (),
    ) -> Executor:
        """Loads a native model for running on the CPU, and before it the libraries `custom_ops`.

        `model_info`: its files by key, relative to `folder` or absolute.
        `optimize` lets the framework optimize the graph, which may change the last bits. Raises
        MissingExtraError if the framework is not installed.
        """
        ...

    def refusal(
        self,
        models: Sequence[Mapping[str, str]],
        folder: Path,
        custom_ops: Sequence[Path] = (),
    ) -> tuple[int, str] | None:
        """Loads native models once, each given by its `model_info`, where the framework is installed.

        Returns the place of the first that it does not take, and its reason; None if there is none.
        """
        ...

    def measure(
        self,
        model: Model,
        feeds: Mapping[str, Array],
        names: Sequence[str],
        *,
        work: bool = False,
    ) -> Measurements:
        """Runs the model in its framework, in a process of its own, and reports shapes and dtypes.

        With `work` what each node computed too.
        """
        ...


_PLATFORMS = {
    # Files are tried in this order: what loads quickly comes first.
    "onnx": "autosplit.platforms.onnx:PLATFORM",
    "caffe": "autosplit.platforms.caffe:PLATFORM",
    "mxnet": "autosplit.platforms.mxnet:PLATFORM",
    "tensorflow": "autosplit.platforms.tensorflow:PLATFORM",
    "pytorch": "autosplit.platforms.pytorch:PLATFORM",
}


_SUFFIXES = {
    ".onnx": "onnx",
    ".pb": "tensorflow",
    ".pt2": "pytorch",
}
"""The platform that files of a suffix are mostly of; their content decides."""


def get_platform(name: str) -> Platform:
    """The platform called `name`. Raises AutosplitError with the nearest name where there is none."""
    if name in _PLATFORMS:
        module, attribute = _PLATFORMS[name].split(":")
        return getattr(import_module(module), attribute)
    others = added("platforms", _PLATFORMS)
    if name in others:
        return cast("Platform", load_added(others[name]))
    names = [*_PLATFORMS, *others]
    raise AutosplitError(
        f"platform {name!r} is unknown{nearest(name, names)}; expected one of {', '.join(names)}"
    )


def detect_platform(path: Path) -> Platform:
    """The platform whose file this is, by its content.

    Raises AutosplitError for a path that is missing, a directory, empty, or of no known format.
    """
    if _is_saved_model(path):
        return get_platform("tensorflow")
    check_readable(path)
    if (platform := _recognised(path)) is not None:
        return platform
    head = _head(path)
    kinds = [get_platform(name).title for name in _PLATFORMS]
    raise AutosplitError(
        f"{path}: is neither {', '.join(kinds[:-1])} nor {kinds[-1]} "
        f"(it starts with {head[:8]!r}); name the format with --platform if it is one"
    )


def is_model(path: Path) -> bool:
    """Whether a file is a model of a known framework, by its content."""
    return _recognised(path) is not None


def _recognised(path: Path) -> Platform | None:
    head = _head(path)
    usual = _SUFFIXES.get(path.suffix.lower())
    # The most likely one first: none of the others is loaded then.
    names = sorted(platform_names(), key=lambda name: name != usual)
    return next((p for p in map(get_platform, names) if p.recognises(head, path)), None)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1 << 16)


def platform_names() -> list[str]:
    """The names of all platforms, those of other packages last."""
    return [*_PLATFORMS, *added("platforms", _PLATFORMS)]


def platform_of(module: ModuleOp) -> Platform:
    """The platform that a module says it is of, in its attribute `platform.name`."""
    from xdsl.dialects.builtin import StringAttr

    name = module.attributes.get("platform.name")
    if not isinstance(name, StringAttr):
        raise AutosplitError(
            "the module does not say which framework it is of: "
            'expected the module attribute platform.name, as in {platform.name = "onnx"}'
        )
    return get_platform(name.data)


def load_model(
    path: Path | str,
    platform: str = "auto",
    custom_ops: tuple[Path, ...] = (),
    params: Path | None = None,
) -> Model:
    """Imports a model file of any known framework.

    `custom_ops`: libraries of ops that the framework does not have; AutosplitError if one does not load.
    `params`: the file of its weights, where the framework keeps them apart; by default the one beside it.
    """
    path = Path(path)
    chosen = detect_platform(path) if platform == "auto" else get_platform(platform)
    if platform != "auto":
        check_model(path, platform)
    info = whole_files(chosen, path, params)
    weights = info.get(weights_key(chosen))
    model = chosen.load(path, custom_ops, None if weights is None else Path(weights))
    model.params = None if weights is None else Path(weights)
    return model


def named_files(platform: Platform, stem: str) -> dict[str, str]:
    """The `model_info` of a sub-model called `stem`."""
    return {key: f"{stem}{ending}" for key, ending in platform.files.items()}


def model_key(platform: Platform) -> str:
    """The key of `model_info` under which the model's own file is."""
    return next(iter(platform.files))


def weights_key(platform: Platform) -> str:
    """The key of `model_info` under which the file of the weights is; '' where models hold them."""
    return next(iter([*platform.files][1:]), "")


@dataclass(frozen=True)
class Native:
    """A sub-model in files of a framework that is known."""

    platform: Platform
    files: dict[str, str]
    """Its `model_info`, with the platform's keys."""


def native(name: str, folder: Path, model_info: Mapping[str, str]) -> Native | None:
    """How to read the files of a sub-model in a folder of the platform `name`.

    A folder of another platform, as a user's own `Splitter` writes it, may hold models of a known one, which
    are recognized by their content. None if nobody knows the files.
    """
    if name in platform_names():
        return Native(get_platform(name), dict(model_info))
    for file in model_info.values():
        path = folder / file
        if path.is_file() and (platform := _recognised(path)) is not None:
            others = {key: model_info[key] for key in platform.files if key in model_info}
            return Native(platform, {**others, model_key(platform): file})
    return None


def whole_files(platform: Platform, path: Path, params: Path | None = None) -> dict[str, str]:
    """The `model_info` of a model that is not split, with absolute paths.

    `params`: the file of its weights; by default the one beside it. Raises AutosplitError if one is given
    and is not to be read, or the framework's models hold their weights.
    """
    info = {model_key(platform): str(path.absolute())}
    key = weights_key(platform)
    if params is not None and not key:
        raise AutosplitError(
            f"{params}: {platform.title} holds its weights itself; give no file of them"
        )
    if params is not None:
        check_readable(params)
    params = params or platform.params_beside(path)
    return info if params is None else {**info, key: str(params.absolute())}


def _is_saved_model(path: Path) -> bool:
    """Whether a path is a folder with a TensorFlow SavedModel."""
    return path.is_dir() and any((path / f"saved_model.pb{end}").exists() for end in ("", "txt"))


def check_model(path: Path, platform: str) -> None:
    """Raises AutosplitError if the path cannot be a model of the platform at all."""
    if platform != "tensorflow" or not _is_saved_model(path):
        check_readable(path)


def check_readable(path: Path) -> None:
    """Raises AutosplitError if the path cannot be a model file at all."""
    if not path.exists():
        raise AutosplitError(f"{path}: there is no such file")
    if path.is_dir():
        raise AutosplitError(f"{path}: is a directory; expected a model file")
    if path.stat().st_size == 0:
        raise AutosplitError(f"{path}: the file is empty; expected a model")
    if (text := advice(path)) is not None:
        raise AutosplitError(f"{path}: {text}")
