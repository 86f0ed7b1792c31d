"""Arrays of JAX, which come back as NumPy's. Not part of ./test: JAX is large."""

import jax.numpy as jnp
import numpy as np
import pytest
import stridewise as sw


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float8_e4m3fn,
                                   jnp.int8, jnp.bool_])
def test_conversions(dtype):
    x = jnp.arange(2 * 3 * 4).reshape(2, 3, 4).astype(dtype)
    y = sw.convert(x, "abc", "c a b")
    assert isinstance(y, np.ndarray) and y.dtype == x.dtype
    width = f"u{x.dtype.itemsize}"
    np.testing.assert_array_equal(y.view(width),
                                  np.asarray(x).transpose(2, 0, 1).view(width))


def test_types():
    assert sw.type_name(jnp.bfloat16) == "bf16"
    assert sw.layout("n", n=3, dtype=jnp.float16).dtype == "f16"
