"""Arrays of JAX, in and out. Not part of ./test: JAX is large."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import stridewise as sw


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float8_e4m3fn,
                                   jnp.int8, jnp.bool_])
def test_conversions(dtype):
    x = jnp.arange(2 * 3 * 4).reshape(2, 3, 4).astype(dtype)
    y = sw.convert(x, "abc", "c a b")
    assert isinstance(y, jax.Array) and y.dtype == x.dtype
    width = f"u{x.dtype.itemsize}"
    np.testing.assert_array_equal(np.asarray(y).view(width),
                                  np.asarray(x).transpose(2, 0, 1).view(width))


def test_values_change():
    y = sw.convert(jnp.ones((2, 3)), "ab", "ba", dtype=jnp.float16)
    assert isinstance(y, jax.Array) and y.dtype == jnp.float16 and y.shape == (3, 2)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float32"])
def test_dlpack(name):
    x = np.arange(6).astype(getattr(ml_dtypes, name, name))
    y = jax.dlpack.from_dlpack(sw.to_dlpack(x))
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(y).view("u1"), x.view("u1"))


def test_types():
    assert sw.type_name(jnp.bfloat16) == "bf16"
    assert sw.layout("n", n=3, dtype=jnp.float16).dtype == "f16"
