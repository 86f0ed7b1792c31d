"""Tensors of torch, in and out. Not part of ./test: torch is large."""

import numpy as np
import pytest
import stridewise as sw
import torch

X = torch.arange(2 * 17 * 5 * 4, dtype=torch.float32).reshape(2, 17, 5, 4)


@pytest.mark.parametrize("dtype", [
    torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2,
    torch.int8, torch.uint8, torch.int64, torch.bool, torch.complex64])
def test_there_and_back(dtype):
    x = X.to(dtype)
    L = sw.layout("nChw16c", tuple(x.shape), dtype)
    y = sw.convert(x.permute(0, 2, 3, 1), "nhwc", L)
    assert y.dtype == dtype and tuple(y.shape) == L.array_shape
    back = sw.convert(y, L, "nchw")
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    bits = width[x.element_size()]
    assert torch.equal(back.view(bits), x.view(bits))


def test_values_change():
    assert torch.equal(sw.convert(X, "nchw", "nhwc", dtype=torch.bfloat16),
                       X.permute(0, 2, 3, 1).to(torch.bfloat16))


def test_out():
    out = torch.empty(2, 5, 4, 17)
    assert sw.convert(X, "nchw", "nhwc", out=out) is out
    assert torch.equal(out, X.permute(0, 2, 3, 1))
    for bad, error in ((torch.empty(17, 4, 5, 2).permute(3, 2, 1, 0), ValueError),
                       (torch.empty(2, 5, 4, 17, dtype=torch.float64), TypeError)):
        with pytest.raises(error, match="out"):
            sw.convert(X, "nchw", "nhwc", out=bad)


def test_gradients_are_no_hindrance():
    y = sw.convert(X.clone().requires_grad_(), "nchw", "nhwc")
    assert not y.requires_grad and torch.equal(y, X.permute(0, 2, 3, 1))


@pytest.mark.parametrize("x", [torch.complex(X, X).conj(), X.to_sparse(),
                               torch.empty(2, 2, 2, 2, device="meta")])
def test_what_is_refused(x):
    with pytest.raises(ValueError, match="x:"):
        sw.convert(x, "nchw", "nhwc")


def test_types():
    assert sw.type_name(torch.bfloat16) == "bf16"
    assert sw.layout("n", n=3, dtype=torch.uint8).dtype == "u8"
    np.testing.assert_array_equal(sw.convert(X.numpy(), "nchw", "nhwc"),
                                  X.permute(0, 2, 3, 1).numpy())


def test_layout_of():
    L = sw.layout_of(X.to(memory_format=torch.channels_last), "nchw")
    assert L.notation == "n h w c"
    assert sw.layout_of(X[:, ::2].bfloat16()).dtype == "bf16"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float8_e4m3fn, torch.float32])
def test_dlpack(dtype):
    x = X.to(dtype)
    held = sw.layout("n c h w", dict(zip("nchw", X.shape)), dtype).decode(
        x.flatten().view(torch.uint8))
    y = torch.from_dlpack(sw.to_dlpack(held))
    assert y.dtype == dtype and torch.equal(y.view(torch.uint8), x.view(torch.uint8))


def test_subclasses():
    class Named(torch.Tensor):
        pass

    x = torch.nn.Parameter(X.clone())
    for held in (x, X.clone().as_subclass(Named)):
        y = sw.convert(held, "nchw", "nhwc")
        assert isinstance(y, torch.Tensor) and torch.equal(y, X.permute(0, 2, 3, 1))
