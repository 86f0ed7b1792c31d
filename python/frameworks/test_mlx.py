"""Arrays of MLX, by the buffer protocol and DLPack. Not part of ./test."""

import mlx.core as mx
import numpy as np
import pytest
import stridewise as sw


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16, mx.int8])
def test_conversions(dtype):
    x = mx.arange(24).reshape(2, 3, 4).astype(dtype)
    y = sw.convert(x, "abc", "c a b")
    want = np.array(x.astype(mx.float32)).transpose(2, 0, 1)
    np.testing.assert_array_equal(np.asarray(y).astype("f4"), want)
