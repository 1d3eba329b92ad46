"""Tensors of PyTorch and arrays on one memory, and how calls of modules are told apart."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from autosplit.core.errors import AutosplitError  # noqa: E402
from autosplit.flows.torch_modules.border import to_array, to_tensor  # noqa: E402
from autosplit.flows.torch_modules.calls import Caller, calls_of  # noqa: E402

FLOATS = ["float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
TYPES = [*FLOATS, "int8", "uint8", "int16", "int32", "int64", "bool", "complex64"]


def of_type(name: str) -> "torch.Tensor":
    return torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, name))


@pytest.mark.parametrize("name", TYPES)
def test_both_ways_share_the_memory(name: str):
    tensor = of_type(name)
    array = to_array(tensor)
    assert (array.dtype.name, array.shape) == (name, (2, 3))
    assert array.ctypes.data == tensor.data_ptr()
    assert np.array_equal(array.astype(np.complex64), tensor.to(torch.complex64).numpy())
    back = to_tensor(array)
    assert back.dtype == tensor.dtype
    assert back.data_ptr() == tensor.data_ptr()


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_strides_stay_as_they_are(name: str):
    image = torch.arange(120.0).reshape(2, 3, 4, 5).to(getattr(torch, name))
    for tensor in (
        image.to(memory_format=torch.channels_last),
        image.transpose(1, 3),
        image[:, :, ::2],
        image[0, 0, 0, 0],
        image[:0],
    ):
        array = to_array(tensor)
        assert array.shape == tuple(tensor.shape)
        if tensor.numel():
            assert array.strides == tuple(s * tensor.element_size() for s in tensor.stride())
        assert np.array_equal(array.astype(np.float32), tensor.float().numpy())


def test_gradients_and_flags_of_tensors():
    weight = torch.ones(3, requires_grad=True)
    assert to_array(weight).ctypes.data == weight.data_ptr()
    turned = torch.tensor([1 + 2j, 3 - 1j]).conj()
    assert np.array_equal(to_array(turned), np.array([1 - 2j, 3 + 1j], np.complex64))


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: torch.ones(3).to_sparse(), "is sparse_coo, expected a plain tensor"),
        (lambda: torch.ones(3, device="meta"), "the input 'x' is on the device meta"),
        (
            lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
            "is quantized, expected a plain",
        ),
    ],
)
def test_tensors_without_plain_memory_are_refused(make, match: str):
    with pytest.raises(AutosplitError, match=match):
        to_array(make(), "x")


def test_a_tensor_keeps_its_array_alive():
    tensor = to_tensor(np.full(1 << 16, 3, np.float32))
    assert bool((tensor == 3).all())


class Taking(torch.nn.Module):
    def forward(self, a, b=None, *, flag=False):
        return a


def keys(caller: Caller, *calls):
    return [caller.key(*caller.leaves(caller.bound(args, kwargs))) for args, kwargs in calls]


def test_calls_are_the_same_however_their_arguments_are_passed():
    x, y = torch.ones(2, 3), torch.zeros(2, 3)
    one, other, third = keys(
        Caller(Taking()), ((x, y), {}), ((), {"a": x, "b": y}), ((y,), {"b": x})
    )
    assert one == other == third


def test_calls_that_differ_in_sizes_types_or_switches_are_told_apart():
    x = torch.ones(2, 3)
    found = keys(
        Caller(Taking()),
        ((x,), {}),
        ((x.double(),), {}),
        ((x[:1],), {}),
        ((x, x), {}),
        ((x, [x, x]), {}),
        ((x,), {"flag": True}),
        ((x,), {"flag": 1}),
    )
    assert len(set(found)) == len(found)
    assert len(set(keys(Caller(Taking(), open_sizes=True), ((x,), {}), ((x[:1],), {})))) == 1


def test_arguments_that_a_module_does_not_take():
    with pytest.raises(TypeError, match="unexpected keyword"):
        Caller(Taking()).bound((torch.ones(1),), {"c": 1})
    with pytest.raises(TypeError, match="too many positional"):
        Caller(Taking()).bound((1, 2, 3), {})


def test_what_is_one_call_and_what_are_several():
    x = torch.ones(1)
    assert len(list(calls_of(x))) == 1
    assert list(calls_of((x, x))) == [((x, x), {})]
    assert list(calls_of({"a": x})) == [((), {"a": x})]
    assert list(calls_of([x, (x,), {"a": x}])) == [((x,), {}), ((x,), {}), ((), {"a": x})]
    assert list(calls_of(None)) == []
