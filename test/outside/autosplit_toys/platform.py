"""The platform `toys`: models in ONNX's own text behind a line that says `toys`."""

from pathlib import Path

from autosplit.core.errors import AutosplitError
from autosplit.core.weights import WeightStore, digest, register
from autosplit.formats.onnx.reader import read_model
from autosplit.platforms import Model
from autosplit.platforms.onnx import OnnxPlatform

MAGIC = b"toys\n"


class ToysPlatform(OnnxPlatform):
    """What differs from ONNX: how a file is known, and read."""

    name = "toys"

    def recognises(self, head: bytes, path: Path) -> bool:
        return head.startswith(MAGIC)

    def load(
        self, path: Path, custom_ops: tuple[Path, ...] = (), params: Path | None = None
    ) -> Model:
        import onnx.parser

        data = path.read_bytes()
        try:
            proto = onnx.parser.parse_model(data.removeprefix(MAGIC).decode())
        except (UnicodeDecodeError, onnx.parser.ParseError) as e:
            raise AutosplitError(f"{path}: is not a toy: {str(e).splitlines()[0]}") from e
        store = WeightStore(path, digest(data))
        module = read_model(proto, store, path.parent)
        register(store, module)
        return Model(module, store, self, path, custom_ops)


PLATFORM = ToysPlatform()
