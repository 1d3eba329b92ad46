"""Runs bmodels through libbmrt: a program of its own, which needs the standard library only.

The runtime and the chips' emulators end the process at wrong input, print where they like and hold one chip a
process, so they get a process of their own. `runtime.bmodel.process` is the other side; compile scripts
have this text at their end.

The program reads messages from its standard input and answers on its standard output. A message is the
length of a JSON header (4 bytes, little-endian), the header, and the bytes of tensors, whose `sizes` are
in the header:

    first    {"bmodel": path, "library": path, "emulator": bool, "device": number, "scratch": folder}
             for an emulator also {"chip": name, "fill": byte} where its memories are to be filled
    answer   {"networks": [...]} (see `Runtime.networks`)
    then     {"network": name, "tensors": [{"name", "dtype", "shape"}, ...]}
    answer   {"tensors": [...], "seconds": s}

or {"error": text} in place of an answer, with "failed": true where the libraries failed, not the request.
What the libraries print goes to standard error.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import struct
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DTYPES = (
    *("float32", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "bfloat16"),
    *("int4", "uint4"),
)
"""By number of `bm_data_type_t`."""

ITEM_SIZES = {
    **{"float32": 4, "int32": 4, "uint32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2},
    **{"int8": 1, "uint8": 1},
}
"""Bytes of an element; types with less than a byte are not here."""

MOST_DIMS = 8
MAGIC = 0xFF55AAEE
HEADER = 64
"""The length of what goes before a bmodel's description."""

CHIP_FIELD, CPU_CODE_FIELD = 3, 8
"""Fields of the description's root table."""


class BmodelError(Exception):
    """Something is wrong with a bmodel or its input; in one line."""


class RuntimeFailed(BmodelError):
    """The libraries failed; what they printed says more."""


# Reading the file


def bmodel_chip(path: str) -> str:
    """The chip that a bmodel is for, in lower case, by its own header.

    Raises BmodelError for a file that is not a bmodel or is cut off, or that holds code for the host, which
    the runtime would execute.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(HEADER)
            size = os.fstat(file.fileno()).st_size
            if len(head) < HEADER or struct.unpack_from("<I", head)[0] != MAGIC:
                raise BmodelError(f"{path}: is not a bmodel: it starts with {head[:4]!r}")
            _, header, described, binary = struct.unpack_from("<4I", head)
            if header < HEADER or size < header + described + binary:
                raise BmodelError(
                    f"{path}: is cut off: it has {size} bytes and should have"
                    f" {header + described + binary}"
                )
            file.seek(header)
            data = file.read(described)
    except OSError as error:
        raise BmodelError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        root = struct.unpack_from("<I", data)[0]
        if _has_code(data, _table(data, root, CPU_CODE_FIELD)):
            raise BmodelError(
                f"{path}: holds a library to be executed on this machine (a custom CPU layer); such bmodels"
                " are not run"
            )
        where = _table(data, root, CHIP_FIELD)
        length = struct.unpack_from("<I", data, where)[0]
        chip = bytes(struct.unpack_from(f"<{min(length, 64)}s", data, where + 4)[0]).decode("ascii")
    except (struct.error, UnicodeDecodeError):
        raise BmodelError(f"{path}: its description is damaged; compile it again") from None
    return chip.lower()


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a flatbuffers table lies, or 0."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    if fields < 0:
        raise struct.error
    place = 4 + 2 * number
    if place >= struct.unpack_from("<H", data, fields)[0]:
        return 0
    offset = struct.unpack_from("<H", data, fields + place)[0]
    return table + offset if offset else 0


def _table(data: bytes, table: int, number: int) -> int:
    """Where the string or table lies to which a field points, or 0."""
    where = _field(data, table, number)
    return where + struct.unpack_from("<I", data, where)[0] if where else 0


def _has_code(data: bytes, module: int) -> bool:
    """Whether a module, which is its file's name, offset and length, is not empty."""
    where = _field(data, module, 1) if module else 0
    return bool(where and struct.unpack_from("<Q", data, where + 8)[0])


# Finding the libraries


def system_libraries() -> str:
    """The folder of the C library that this very process uses."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            path = line[73:].strip() if "/" in line else ""
            name = os.path.basename(path)
            if name.startswith(("libc.so.6", "libc-2.")):
                return os.path.dirname(path)
    raise BmodelError("this system has no glibc, which TPU-MLIR's emulators need")


def emulator_settings(
    bmodel: str, chip: str, root: str, scratch: str, fill: int | None = None
) -> dict[str, Any]:
    """The first message for a run on the emulator.

    `root` is TPU-MLIR's folder `tpu_mlir`; `scratch` a folder of the process's own, which it removes. The
    libraries find the chip's emulator by name only, so that is where the right one gets that name. `fill`: a
    byte for its memories, see `fill_memories`.
    """
    lib = os.path.join(root, "lib")
    cmodel = os.path.join(lib, f"libcmodel_{chip}.so")
    # The name may come from a file of somebody else's.
    if not chip.isalnum() or not os.path.isfile(cmodel):
        raise BmodelError(f"{root} has no emulator of {chip}: there is no lib/libcmodel_{chip}.so")
    own = os.path.join(lib, f"libbmlib_{chip}.so.0")
    common = os.path.join(lib, "libbmlib.so.0")
    os.symlink(cmodel, os.path.join(scratch, "libcmodel.so"))
    os.symlink(own if os.path.isfile(own) else common, os.path.join(scratch, "libbmlib.so.0"))
    return {
        "bmodel": bmodel,
        "library": os.path.join(lib, "libbmrt.so"),
        "emulator": True,
        "device": 0,
        "scratch": scratch,
        "chip": chip,
        "fill": fill,
    }


def emulator_environment(root: str, scratch: str) -> dict[str, str]:
    """The environment for a run on the emulator.

    TPU-MLIR brings the C library of another system, so that of this one goes before it.
    """
    lib = os.path.join(root, "lib")
    folders = [scratch, system_libraries(), lib, os.path.join(lib, "third_party")]
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("CMODEL_", "LD_"))}
    return {**kept, "LD_LIBRARY_PATH": ":".join(folders), "TPUC_ROOT": root}


# The C interface: bmruntime_interface.h and bmlib_runtime.h


class Shape(ctypes.Structure):
    """`bm_shape_t`"""

    _fields_ = [("num_dims", ctypes.c_int), ("dims", ctypes.c_int * MOST_DIMS)]


class Stage(ctypes.Structure):
    """`bm_stage_info_t`"""

    _fields_ = [
        ("inputs", ctypes.POINTER(Shape)),
        ("outputs", ctypes.POINTER(Shape)),
        ("input_memory", ctypes.c_void_p),
        ("output_memory", ctypes.c_void_p),
    ]


class NetInfo(ctypes.Structure):
    """`bm_net_info_t`"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("is_dynamic", ctypes.c_bool),
        ("input_num", ctypes.c_int),
        ("input_names", ctypes.POINTER(ctypes.c_char_p)),
        ("input_dtypes", ctypes.POINTER(ctypes.c_int)),
        ("input_scales", ctypes.POINTER(ctypes.c_float)),
        ("output_num", ctypes.c_int),
        ("output_names", ctypes.POINTER(ctypes.c_char_p)),
        ("output_dtypes", ctypes.POINTER(ctypes.c_int)),
        ("output_scales", ctypes.POINTER(ctypes.c_float)),
        ("stage_num", ctypes.c_int),
        ("stages", ctypes.POINTER(Stage)),
        ("max_input_bytes", ctypes.POINTER(ctypes.c_size_t)),
        ("max_output_bytes", ctypes.POINTER(ctypes.c_size_t)),
        ("input_zero_points", ctypes.POINTER(ctypes.c_int)),
        ("output_zero_points", ctypes.POINTER(ctypes.c_int)),
    ]


class Memory(ctypes.Structure):
    """`bm_device_mem_t`"""

    _fields_ = [
        ("address", ctypes.c_ulonglong),
        ("reserved", ctypes.c_uint),
        ("file", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("size", ctypes.c_uint),
    ]


UNITS = {"bm1684": (64, 1 << 19), "bm1684x": (64, 1 << 18), "bm1688": (32, 1 << 17)}
"""How many memories of computing units a core has, and their bytes."""

FILLED = 1 << 26
"""Bytes of the device's memory that are filled: those that are given away next."""


def fill_memories(lib: ctypes.CDLL, handle: ctypes.c_void_p, chip: str, byte: int) -> None:
    """Fills an emulator's memories, which are zeros otherwise and are anything on a chip.

    A network that reads what nobody wrote makes other numbers then. What the emulator itself keeps in its
    memories, such as its tables, stays. Raises RuntimeFailed where the memory cannot be had.
    """
    memory = Memory()
    pointer = ctypes.c_void_p
    lib.bm_malloc_device_byte.argtypes = [pointer, ctypes.POINTER(Memory), ctypes.c_uint]
    lib.bm_memcpy_s2d.argtypes = [pointer, Memory, ctypes.c_char_p]
    lib.bm_free_device.argtypes = [pointer, Memory]
    if lib.bm_malloc_device_byte(handle, ctypes.byref(memory), FILLED):
        raise RuntimeFailed("the emulator's memory cannot be filled")
    failed = lib.bm_memcpy_s2d(handle, memory, bytes([byte]) * FILLED)
    lib.bm_free_device(handle, memory)
    if failed:
        raise RuntimeFailed("the emulator's memory cannot be filled")
    unit = ctypes.CDLL("libcmodel.so").get_local_memaddr_by_node
    unit.restype, unit.argtypes = pointer, [ctypes.c_int, ctypes.c_int]
    count, size = UNITS[chip]
    for i in range(count):
        ctypes.memset(unit(0, i), byte, size)


def _common_library(settings: dict[str, Any]) -> str:
    """libbmlib, which libbmrt needs: that of the emulator, that beside libbmrt, or the system's."""
    if settings["emulator"]:
        return "libbmlib.so.0"
    folder = os.path.dirname(settings["library"])
    beside = os.path.join(folder, "libbmlib.so")
    return beside if folder and os.path.isfile(beside) else "libbmlib.so"


class Runtime:
    """libbmrt with one bmodel loaded."""

    def __init__(self, settings: dict[str, Any]):
        try:
            self.lib = ctypes.CDLL(_common_library(settings))
            self.rt = ctypes.CDLL(settings["library"])
        except OSError as error:
            raise RuntimeFailed(f"the TPU's runtime cannot be loaded: {error}") from None
        self._declare()
        handle = ctypes.c_void_p()
        device = settings["device"]
        if status := self.lib.bm_dev_request(ctypes.byref(handle), device):
            what = "the emulator" if settings["emulator"] else f"card {device}"
            raise RuntimeFailed(f"{what} cannot be opened: bm_dev_request answered {status}")
        if settings.get("fill") is not None:
            fill_memories(self.lib, handle, settings["chip"], settings["fill"])
        self.device = handle
        self.handle = self.rt.bmrt_create(handle)
        if not self.handle:
            raise RuntimeFailed("bmrt_create failed")
        if not self.rt.bmrt_load_bmodel(self.handle, os.fsencode(settings["bmodel"])):
            raise RuntimeFailed("the TPU's runtime does not load it")
        self.networks = [self._network(name) for name in self._network_names()]
        """Of each network `name`, `is_dynamic`, and `inputs` and `outputs`: name, dtype, scale, zero_point,
        and a shape for each stage in `shapes`; of dynamic networks these are the largest."""

    def _declare(self) -> None:
        pointer, text, flag = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool
        shapes = ctypes.POINTER(Shape)
        number = ctypes.c_int
        try:
            self.lib.bm_dev_request.argtypes = [pointer, number]
            self.lib.bm_dev_free.argtypes = [pointer]
            signatures: tuple[tuple[str, object, list[Any]], ...] = (
                ("bmrt_create", pointer, [pointer]),
                ("bmrt_destroy", None, [pointer]),
                ("bmrt_load_bmodel", flag, [pointer, text]),
                ("bmrt_get_network_number", number, [pointer]),
                ("bmrt_get_network_names", None, [pointer, ctypes.POINTER(ctypes.POINTER(text))]),
                ("bmrt_get_network_info", ctypes.POINTER(NetInfo), [pointer, text]),
                (
                    "bmrt_launch_data",
                    flag,
                    [pointer, text, pointer, shapes, number, pointer, shapes, number, flag],
                ),
            )
            for name, result, arguments in signatures:
                function = getattr(self.rt, name)
                function.restype, function.argtypes = result, arguments
        except AttributeError as error:
            raise RuntimeFailed(f"the TPU's runtime is of another release: {error}") from None

    def _network_names(self) -> list[str]:
        names = ctypes.POINTER(ctypes.c_char_p)()
        self.rt.bmrt_get_network_names(self.handle, ctypes.byref(names))
        texts = [os.fsdecode(names[i]) for i in range(self.rt.bmrt_get_network_number(self.handle))]
        ctypes.CDLL(None).free(ctypes.cast(names, ctypes.c_void_p))
        return texts

    def _network(self, name: str) -> dict[str, Any]:
        info = self.rt.bmrt_get_network_info(self.handle, os.fsencode(name))
        if not info:
            raise RuntimeFailed(f"the TPU's runtime knows nothing of network {name!r}")
        info = info.contents
        stages = [info.stages[i] for i in range(info.stage_num)]

        def tensors(kind: str) -> list[dict[str, Any]]:
            def of(what: str, i: int) -> Any:
                return getattr(info, f"{kind}_{what}")[i]

            return [
                {
                    "name": os.fsdecode(of("names", i)),
                    "dtype": _dtype(of("dtypes", i)),
                    "scale": of("scales", i),
                    "zero_point": of("zero_points", i),
                    "shapes": [_dims(getattr(stage, f"{kind}s")[i]) for stage in stages],
                }
                for i in range(getattr(info, f"{kind}_num"))
            ]

        return {
            "name": name,
            "is_dynamic": bool(info.is_dynamic),
            "inputs": tensors("input"),
            "outputs": tensors("output"),
        }

    def run(self, request: dict[str, Any], data: list[bytes]) -> tuple[dict[str, Any], list[Any]]:
        """Runs a network once: the header of the answer, and the outputs' bytes."""
        network = choose_network(self.networks, request.get("network"))
        feeds = [{**t, "data": data[i]} for i, t in enumerate(request["tensors"])]
        stage = check_feeds(network, feeds)
        by_name = {feed["name"]: feed for feed in feeds}
        inputs, outputs = network["inputs"], network["outputs"]
        in_shapes, out_shapes = (Shape * len(inputs))(), (Shape * len(outputs))()
        for i, tensor in enumerate(inputs):
            feed = by_name[tensor["name"]]
            in_shapes[i].num_dims = len(feed["shape"])
            for axis, size in enumerate(feed["shape"]):
                in_shapes[i].dims[axis] = size
        buffers = [ctypes.create_string_buffer(max(1, _bytes(tensor, stage))) for tensor in outputs]
        # Casts of ctypes would keep the buffers alive until the garbage collector comes.
        in_data = (ctypes.c_char_p * len(inputs))(*[by_name[t["name"]]["data"] for t in inputs])
        out_data = (ctypes.c_void_p * len(outputs))(*[ctypes.addressof(b) for b in buffers])
        start = time.perf_counter()
        worked = self.rt.bmrt_launch_data(
            self.handle,
            os.fsencode(network["name"]),
            in_data,
            in_shapes,
            len(inputs),
            out_data,
            out_shapes,
            len(outputs),
            True,
        )
        seconds = time.perf_counter() - start
        if not worked:
            raise RuntimeFailed(f"the TPU's runtime failed to run network {network['name']!r}")
        tensors: list[dict[str, Any]] = []
        results: list[Any] = []
        for i, tensor in enumerate(outputs):
            dims, buffer = _dims(out_shapes[i]), buffers[i]
            size = _count(dims) * item_size(tensor)
            if size > len(buffer):
                raise RuntimeFailed(
                    f"output {tensor['name']!r} has shape {dims}, more than it can have"
                )
            tensors.append({"name": tensor["name"], "dtype": tensor["dtype"], "shape": dims})
            results.append(memoryview(buffer)[:size])
        return {"tensors": tensors, "seconds": seconds}, results

    def close(self) -> None:
        """Gives back the memory and the device."""
        self.rt.bmrt_destroy(self.handle)
        self.lib.bm_dev_free(self.device)


def choose_network(networks: list[dict[str, Any]], name: str | None) -> dict[str, Any]:
    """The network of that name; None is the only one."""
    names = ", ".join(n["name"] for n in networks)
    if name is None and len(networks) == 1:
        return networks[0]
    if name is None:
        raise BmodelError(f"the bmodel has several networks, name one: {names}")
    for network in networks:
        if network["name"] == name:
            return network
    raise BmodelError(f"the bmodel has no network {name!r}; it has {names}")


def check_feeds(network: dict[str, Any], feeds: list[dict[str, Any]]) -> int:
    """The stage that takes these inputs. The emulator crashes where they do not fit: nothing passes here."""
    inputs: dict[str, dict[str, Any]] = {t["name"]: t for t in network["inputs"]}
    for feed in feeds:
        if feed["name"] not in inputs:
            raise BmodelError(
                f"{feed['name']!r} is not an input of the bmodel, which has {', '.join(inputs)}"
            )
    by_name = {feed["name"]: feed for feed in feeds}
    if len(by_name) != len(feeds):
        raise BmodelError("an input appears twice")
    for name, tensor in inputs.items():
        if name not in by_name:
            raise BmodelError(f"input {name!r} of the bmodel is missing")
        dtype = by_name[name]["dtype"]
        if dtype != tensor["dtype"]:
            raise BmodelError(f"input {name!r}: found dtype {dtype}, expected {tensor['dtype']}")
        if _count(by_name[name]["shape"]) * item_size(tensor) != len(by_name[name]["data"]):
            raise BmodelError(f"input {name!r}: its bytes and its shape do not agree")
    stages = range(len(network["inputs"][0]["shapes"])) if inputs else range(1)
    for stage in stages:
        if all(
            _fits(by_name[n]["shape"], t["shapes"][stage], network["is_dynamic"])
            for n, t in inputs.items()
        ):
            return stage
    for name, tensor in inputs.items():
        sizes = by_name[name]["shape"]
        if not any(_fits(sizes, shape, network["is_dynamic"]) for shape in tensor["shapes"]):
            what = "at most" if network["is_dynamic"] else "expected"
            shapes = " or ".join(str(shape) for shape in tensor["shapes"])
            raise BmodelError(f"input {name!r}: found shape {sizes}, {what} {shapes}")
    raise BmodelError("the shapes of the inputs are of different stages of the bmodel")


def _fits(shape: list[int], expected: list[int], dynamic: bool) -> bool:
    if not dynamic:
        return shape == expected
    return len(shape) == len(expected) and all(
        1 <= size <= expected[i] for i, size in enumerate(shape)
    )


def item_size(tensor: dict[str, Any]) -> int:
    """Bytes of an element."""
    if tensor["dtype"] not in ITEM_SIZES:
        raise BmodelError(f"{tensor['name']!r} has dtype {tensor['dtype']}, which cannot be passed")
    return ITEM_SIZES[tensor["dtype"]]


def _bytes(tensor: dict[str, Any], stage: int) -> int:
    return _count(tensor["shapes"][stage]) * item_size(tensor)


def _count(shape: list[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _dtype(number: int) -> str:
    return DTYPES[number] if 0 <= number < len(DTYPES) else f"type {number}"


def _dims(shape: Any) -> list[int]:
    return list(shape.dims[: shape.num_dims])


# Messages


def pack(header: dict[str, Any], tensors: list[Any]) -> list[Any]:
    """A message, in pieces of bytes."""
    text = json.dumps({**header, "sizes": [len(tensor) for tensor in tensors]}).encode()
    return [struct.pack("<I", len(text)), text, *tensors]


def unpack(receive: Callable[[int], Any]) -> tuple[dict[str, Any], list[Any]]:
    """The next message, from a function that returns the next so many bytes."""
    header = json.loads(receive(struct.unpack("<I", receive(4))[0]))
    return header, [receive(size) for size in header["sizes"]]


def _failure(error: BmodelError) -> dict[str, Any]:
    return {"error": str(error), "failed": isinstance(error, RuntimeFailed)}


def _watch(answers: int, scratch: str) -> None:
    """Ends the process when nobody is left to read the answers, also in the middle of a run."""
    poll = select.poll()
    poll.register(answers, 0)
    poll.poll()
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(1)


def main() -> None:
    """Answers messages until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    out = os.fdopen(answers, "wb")

    def receive(size: int) -> bytes:
        data = requests.read(size)
        if len(data) < size:
            # Nobody asks any more. The libraries' own clean-up may crash, and there is nothing to keep.
            os._exit(0)
        return data

    def answer(header: dict[str, Any], tensors: list[Any]) -> None:
        for piece in pack(header, tensors):
            out.write(piece)
        out.flush()

    settings, _ = unpack(receive)
    scratch = settings.get("scratch", "")
    threading.Thread(target=_watch, args=(answers, scratch), daemon=True).start()
    try:
        runtime = Runtime(settings)
        answer({"networks": runtime.networks}, [])
    except BmodelError as error:
        answer(_failure(error), [])
        os._exit(1)
    finally:
        # The libraries are loaded by now.
        shutil.rmtree(scratch, ignore_errors=True)
    while True:
        try:
            answer(*runtime.run(*unpack(receive)))
        except BmodelError as error:
            answer(_failure(error), [])


if __name__ == "__main__":
    main()
