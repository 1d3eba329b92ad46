"""torchvision's nets, of random weights, converted whole: as `torch.export` leaves them, and in core ATen."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest
from aten_nets import settled
from test_convert_aten import compare, converted, flattened, run_onnx

torch: Any = pytest.importorskip("torch")

if find_spec("torchvision") is None:
    pytest.skip("torchvision is not installed", allow_module_level=True)

pytestmark = pytest.mark.nightly

SMALL, LARGE = torch.rand(1, 3, 64, 64), torch.rand(1, 3, 224, 224)

CLASSIFIERS = {
    "convnext_tiny": SMALL,
    "densenet121": SMALL,
    "efficientnet_b0": SMALL,
    "googlenet": LARGE,
    "inception_v3": LARGE,
    "maxvit_t": LARGE,
    "mnasnet0_5": SMALL,
    "mobilenet_v2": SMALL,
    "mobilenet_v3_small": SMALL,
    "regnet_y_400mf": SMALL,
    "resnet18": SMALL,
    "shufflenet_v2_x0_5": SMALL,
    "squeezenet1_0": SMALL,
    "swin_t": SMALL,
    "swin_v2_t": SMALL,
    "vgg11_bn": SMALL,
    "vit_b_32": LARGE,
}
SEGMENTERS = ("deeplabv3_mobilenet_v3_large", "fcn_resnet50", "lraspp_mobilenet_v3_large")
DETECTORS = (
    "fasterrcnn_mobilenet_v3_large_320_fpn",
    "fcos_resnet50_fpn",
    "retinanet_resnet50_fpn",
    "ssd300_vgg16",
    "ssdlite320_mobilenet_v3_large",
)


class Detector(torch.nn.Module):
    """The backbone of a detector, and its head where it has one of its own."""

    def __init__(self, whole: Any) -> None:
        super().__init__()
        self.backbone, self.head = whole.backbone, getattr(whole, "head", None)

    def forward(self, x: Any) -> Any:
        maps = list(self.backbone(x).values())
        return maps if self.head is None else self.head(maps)


def nets() -> dict[str, tuple[Callable[[], Any], Any]]:
    """What makes each net, and its input."""
    from torchvision import models

    bare = {"weights": None, "weights_backbone": None}
    drawn = {"googlenet": {"init_weights": False}, "inception_v3": {"init_weights": False}}
    made: dict[str, tuple[Callable[[], Any], Any]] = {
        name: (lambda name=name: getattr(models, name)(weights=None, **drawn.get(name, {})), x)
        for name, x in CLASSIFIERS.items()
    }
    made |= {
        name: (lambda name=name: getattr(models.segmentation, name)(**bare), SMALL)
        for name in SEGMENTERS
    }
    return made | {
        name: (
            lambda name=name: Detector(getattr(models.detection, name)(**bare)),
            torch.rand(1, 3, 320, 320),
        )
        for name in DETECTORS
    }


@pytest.mark.parametrize("decomposed", [False, True])
@pytest.mark.parametrize("name", [*CLASSIFIERS, *SEGMENTERS, *DETECTORS])
def test_net(name: str, decomposed: bool):
    make, x = nets()[name]
    net = settled(make)
    program = torch.export.export(net, (x,), strict=False)
    module, store = converted(program.run_decompositions() if decomposed else program)
    with torch.no_grad():
        wanted = flattened(net(x))
    for got, expected in zip(run_onnx(module, store, [x]), wanted, strict=True):
        compare(got, expected)
