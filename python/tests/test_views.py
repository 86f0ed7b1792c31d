"""Strides, views and DLPack against NumPy's own."""

import ml_dtypes
import numpy as np
import pytest
import stridewise as sw
import tvm_ffi
from hypothesis import given, settings
from hypothesis import strategies as st

X = np.arange(2 * 17 * 5 * 4, dtype="f4").reshape(2, 17, 5, 4)


@st.composite
def views(draw):
    x = X.transpose(draw(st.permutations(range(4))))
    for axis in range(4):
        step = draw(st.sampled_from([1, 1, 2, -1, -2]))
        low = draw(st.integers(0, x.shape[axis] - 1))
        index = [slice(None)] * 4
        index[axis] = slice(low, None) if draw(st.booleans()) else slice(None, None, step)
        x = x[tuple(index)]
    return x


@given(views())
@settings(max_examples=80, deadline=None)
def test_layout_of_an_array_tells_its_strides(x):
    L = sw.layout_of(x, "abcd")
    assert L.dims == ("a", "b", "c", "d") and L.shape == x.shape and L.dtype == "f32"
    addresses = np.zeros(x.shape, np.int64)
    for axis, (extent, stride) in enumerate(zip(x.shape, x.strides)):
        steps = np.arange(extent) * stride
        addresses += steps.reshape([-1 if k == axis else 1 for k in range(4)])
    np.testing.assert_array_equal(L.offsets("byte"), addresses - addresses.min())


def test_layout_of_an_array_in_the_fewest_words():
    assert sw.layout_of(X).notation == "n c h w"
    assert sw.layout_of(X.transpose(0, 2, 3, 1), "nhwc").notation == "n c h w"
    assert sw.layout_of(X[:, :, 1:], ("n", "c", "rows", "w")).dims[2] == "rows"
    assert sw.layout_of(np.zeros(())).shape == ()
    fields = np.zeros(4, [("a", "u1"), ("b", "f4")])
    assert sw.layout_of(fields["b"]).strides == (5,)
    with pytest.raises(ValueError, match="dims: 3 names for 4 axes"):
        sw.layout_of(X, "nhw")
    with pytest.raises(TypeError, match="x:.*list"):
        sw.layout_of([1, 2])


def test_layout_of_reads_back_what_view_writes():
    L = sw.layout("h:8 w", h=3, w=6)
    again = sw.layout_of(L.view(np.arange(24, dtype="f4")), "hw")
    assert again.strides == L.strides


def test_physical_is_the_array_of_the_digits():
    L = sw.layout("nChw16c", X.shape)
    y = sw.convert(X, "nchw", L)
    for memory in (y, y.ravel(), y.tobytes(), bytearray(y.tobytes())):
        p = sw.physical(memory, L)
        np.testing.assert_array_equal(p, y)
    assert np.shares_memory(sw.physical(y.ravel(), L), y)
    with pytest.raises(ValueError, match="x:.*bytes"):
        sw.physical(bytes(12), L)
    with pytest.raises(TypeError, match="x:.*f64"):
        sw.physical(y.astype("f8"), L)
    with pytest.raises(sw.LayoutError, match="bytes are all"):
        sw.physical(bytes(36), sw.layout("gguf.q4_0", n=1, k=64).part("q"))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float32",
                                  "int8"])
def test_dlpack_out_and_in(name):
    x = X.astype(getattr(ml_dtypes, name, name))
    there = tvm_ffi.from_dlpack(sw.to_dlpack(x))
    assert str(there.dtype) == name and tuple(there.shape) == x.shape
    y = sw.convert(there, "nchw", "nhwc")
    assert y.dtype == x.dtype
    width = f"u{x.itemsize}"
    np.testing.assert_array_equal(y.view(width), x.transpose(0, 2, 3, 1).view(width))


def test_dlpack_shares_memory():
    x = np.arange(6, dtype="f4")
    again = np.from_dlpack(sw.to_dlpack(x))
    assert np.shares_memory(x, again)
    x.flags.writeable = False
    for bad, said in ((x, "read-only"), (X[..., ::2], "contiguous")):
        with pytest.raises(ValueError, match=said):
            sw.to_dlpack(bad)
    with pytest.raises(TypeError, match="u4"):
        sw.to_dlpack(np.zeros(2, ml_dtypes.uint4))


def test_results_are_of_the_namespace_of_the_source():
    class Namespaced:
        """An array of another library, as far as the array API asks."""

        def __init__(self, array):
            self.array, self.dtype = array, array.dtype

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __array_namespace__(self, api_version=None):
            import types

            return types.SimpleNamespace(asarray=Namespaced)

    y = sw.convert(Namespaced(X), "nchw", "nhwc")
    assert isinstance(y, Namespaced)
    np.testing.assert_array_equal(y.array, X.transpose(0, 2, 3, 1))


@pytest.mark.parametrize("text", ["nChw16c", "~h w n c", "k := c h w; k/16 n k%16",
                                  "@80 n:400 c:20 h:4 w:1"])
def test_decode_and_encode(text):
    L = sw.layout(text, dict(zip("nchw", X.shape)))
    x = X.transpose(["nchw".index(d) for d in L.dims])
    memory = L.encode(x)
    placed = np.zeros(L.nbytes // 4, "f4")
    placed[L.offsets()] = x
    np.testing.assert_array_equal(memory.view("f4"), placed)
    for buffer in (memory, memory.tobytes(), memory.view("f4")):
        np.testing.assert_array_equal(L.decode(buffer, threads=2), x)
    assert L.encode(x, out=memory) is memory
    np.testing.assert_array_equal(L.encode(x.astype("f2")).view("f4"), memory.view("f4"))
    with pytest.raises(ValueError, match="x: has the shape"):
        L.encode(x[:1])


@pytest.mark.parametrize("dtype, held", [
    ("u4", "uint8"), ("s4", "int8"), ("u1", "uint8"), ("s2", "int8"), ("u12", "uint16"),
    ("f4", "float4_e2m1fn"), ("f6_e3m2", "float6_e3m2fn"), ("bf16", "bfloat16")])
def test_decode_types_of_few_bits(dtype, held):
    items = np.dtype(getattr(ml_dtypes, held, held))
    L = sw.layout("n k/8 ~k%8", n=3, k=24, dtype=dtype)
    bits = L.itembits
    codes = np.random.default_rng(3).integers(0, 1 << bits, (3, 24), dtype=np.uint16)
    x = codes.astype(f"u{items.itemsize}").view(items)
    if dtype[0] == "s":
        x = ((codes.astype("i2") ^ (1 << bits - 1)) - (1 << bits - 1)).astype(items)
    memory = L.encode(x)
    assert memory.nbytes == L.nbytes == (3 * 24 * bits + 7) // 8
    places = L.offsets("bit")
    first = places if places.ndim == 2 else places[..., 0]
    all_bits = np.unpackbits(memory, bitorder="little")
    for at, code in zip(first.ravel(), codes.ravel()):
        assert sum(int(all_bits[at + k]) << k for k in range(bits)) == code
    back = L.decode(memory)
    assert back.dtype == items
    np.testing.assert_array_equal(back.view(f"u{items.itemsize}"),
                                  x.view(f"u{items.itemsize}"))
