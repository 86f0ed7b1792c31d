"""Layouts against NumPy's indexing, and what they are as objects of Python."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest
import stridewise as sw
from hypothesis import given, settings
from hypothesis import strategies as st


def test_the_example_of_the_documents():
    L = sw.layout("nChw16c", (2, 17, 5, 4), "f32")
    assert L.notation == "n c/16 h w c%16"
    assert (L.dims, L.shape) == (("n", "c", "h", "w"), (2, 17, 5, 4))
    assert (L.nbytes, L.padding, L.size) == (5120, 600, 680)
    assert L(1, 16, 4, 3) == L(n=1, c=16, h=4, w=3) == 1264
    assert L.byte(1, 16, 4, 3) == 1264 * 4
    assert L.who(byte=4096) == {"n": 1, "c": 16, "h": 1, "w": 0}
    nothing = L.who(byte=2500)
    assert not nothing and nothing == "padding"


@pytest.mark.parametrize("shape", [
    "2x17x5x4", (2, 17, 5, 4), [2, 17, 5, 4], np.zeros((2, 17, 5, 4)).shape,
    {"n": 2, "c": 17, "h": 5, "w": 4}, "n=2,c=17,h=5,w=4", "[2, 17, 5, 4]",
    tuple(np.array([2, 17, 5, 4]))])
def test_spellings_of_a_shape(shape):
    assert sw.layout("nChw16c", shape) == sw.layout("nChw16c", n=2, c=17, h=5, w=4)


@pytest.mark.parametrize("dtype, name", [
    ("f32", "f32"), ("float32", "f32"), (np.float32, "f32"), (np.dtype("<f2"), "f16"),
    (np.bool_, "bool"), (int, "s64"), ("bfloat16", "bf16"), ("u4", "u4"),
    ("complex64", "c64"), ("float8_e4m3fn", "f8_e4m3fn")])
def test_spellings_of_a_type(dtype, name):
    assert sw.type_name(dtype) == name
    assert sw.layout("n", n=2, dtype=dtype).dtype == name


def test_types_of_ml_dtypes():
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "int4",
                 "uint4", "float4_e2m1fn"):
        assert sw.type_name(getattr(ml_dtypes, name)) == sw.type_name(name)


def test_arrays_of_indices_broadcast():
    L = sw.layout("nChw16c", (2, 17, 5, 4))
    everything = L(*np.indices(L.shape, sparse=True))
    np.testing.assert_array_equal(everything, L.offsets())
    assert L(0, np.arange(17), 0, 0).tolist() == [
        c // 16 * 320 + c % 16 for c in range(17)]
    assert L(n=np.array([[0], [1]]), c=[0, 16], h=0, w=0).shape == (2, 2)


@given(st.permutations("nchw"), st.tuples(*[st.integers(1, 5)] * 4))
@settings(max_examples=50, deadline=None)
def test_orders_of_dims(order, extents):
    shape = dict(zip("nchw", extents))
    L = sw.layout(" ".join(order), shape)
    places = np.arange(L.size).reshape([shape[d] for d in order])
    want = places.transpose([order.index(d) for d in L.dims])
    np.testing.assert_array_equal(L.offsets(), want)
    np.testing.assert_array_equal(np.argsort(L.offsets().ravel()), L.inverse())
    assert L.strides == tuple(4 * s if e > 1 else 0 for s, e in zip(
        (s // 8 for s in want.strides), L.shape))


def test_blocks_and_padding():
    L = sw.layout("nChw8c", (2, 11, 3, 4))
    memory = np.full((2, 2, 8, 3, 4), -1)
    memory.reshape(2, 16, 3, 4)[:, :11] = np.arange(L.size).reshape(L.shape)
    np.testing.assert_array_equal(
        L.inverse(), memory.transpose(0, 1, 3, 4, 2).ravel())
    assert L.array_shape == (2, 2, 3, 4, 8)
    assert L.strides is None


def test_parts_and_bits():
    L = sw.layout("gguf.q4_0", n=3, k=64)
    assert L.parts == ("d", "q") and L.nbytes == 3 * 2 * 18
    q, d = L.part("q"), L.part("d")
    assert (q.dtype, q.itembits, d.dtype, d.shape) == ("u4", 4, "f16", (3, 2))
    offsets = q.offsets("bit")
    k = np.arange(64)
    np.testing.assert_array_equal(
        offsets[0], (k // 32 * 18 + 2 + k % 16) * 8 + k % 32 // 16 * 4)
    assert L.who(byte=0) == {"part": "d", "n": 0, "k/32": 0}
    assert q.who(byte=0) == "other"
    with pytest.raises(sw.LayoutError, match="d.*q"):
        L.part("x")


def test_tables():
    L = sw.layout("page=s/4<T> | s%4 d", s=16, d=2, tables={"T": np.array([2, 0, 3, 1])})
    rows = np.arange(32).reshape(4, 8)[[2, 0, 3, 1]].reshape(16, 2)
    np.testing.assert_array_equal(L.offsets(), rows)
    assert pickle.loads(pickle.dumps(L)) == L


def test_texts_that_tell_extents_and_types():
    L = sw.layout("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)")
    assert (L.shape, L.dtype) == ((8, 64), "u16")
    bytes_ = np.arange(8 * 64).reshape(8, 64) * 2
    np.testing.assert_array_equal(L.offsets("byte"), bytes_ ^ (bytes_ >> 7 & 7) << 4)


def test_views_share_memory():
    S = sw.layout("n:120 c:30 h:8 w", n=2, c=4, h=3, w=6)
    assert S.strides == (480, 120, 32, 4)
    buffer = np.arange(240, dtype="f4")
    view = S.view(buffer)
    np.testing.assert_array_equal(view, buffer[S.offsets()])
    view[1, 3, 2, 5] = -1
    assert buffer[S(1, 3, 2, 5)] == -1
    assert not S.view(bytes(960)).flags.writeable
    # A buffer may end with the last element.
    assert S.view(bytes(232 * 4)).shape == S.shape
    with pytest.raises(ValueError, match="buffer"):
        S.view(bytes(231 * 4))
    mirrored = sw.layout("h ~w", h=2, w=3, dtype="u8")
    assert mirrored.view(bytes(range(6))).tolist() == [[2, 1, 0], [5, 4, 3]]
    with pytest.raises(sw.LayoutError, match="no strides"):
        sw.layout("nChw8c", (1, 16, 2, 2)).view(bytes(256))


def test_equal_hashable_picklable_and_code():
    L = sw.layout("nChw16c", (2, 17, 5, 4), "f32")
    for other in (pickle.loads(pickle.dumps(L)), copy.deepcopy(L),
                  eval(repr(L), {"stridewise": sw}),
                  sw.layout("n c/16 h w c%16", n=2, c=17, h=5, w=4)):
        assert other == L and hash(other) == hash(L)
    for other in (sw.layout("nChw8c", L.shape), sw.layout("nChw16c", (2, 18, 5, 4)),
                  sw.layout("nChw16c", L.shape, "s32"), "nChw16c"):
        assert other != L
    with pytest.raises(AttributeError):
        L.notation = "x"
    with pytest.raises(TypeError, match="stridewise.layout"):
        sw.Layout()


def test_errors_show_where():
    with pytest.raises(sw.LayoutError) as error:
        sw.layout("n c/16 h v! w", n=1, c=1, h=1, w=1)
    assert isinstance(error.value, ValueError)
    assert error.value.code == "syntax" and error.value.position > 0
    assert error.value.text == "n c/16 h v! w"
    assert str(error.value).splitlines()[-1].strip() == "^"


@pytest.mark.parametrize("call, error", [
    (lambda: sw.layout(3), TypeError),
    (lambda: sw.layout("n", n=2.5), TypeError),
    (lambda: sw.layout("n", 2, n=2), TypeError),
    (lambda: sw.layout("n", n=2, dtype=[1]), TypeError),
    (lambda: sw.layout("n", n=2, dtype="f33"), sw.LayoutError),
    (lambda: sw.layout("n", n=-1), sw.LayoutError),
    (lambda: sw.layout("n m", n=2 ** 40, m=2 ** 40), sw.LayoutError),
    (lambda: sw.layout("(" * 10000), sw.LayoutError),
    (lambda: sw.layout("n", n=2)(2), IndexError),
    (lambda: sw.layout("n", n=2)(-1), IndexError),
    (lambda: sw.layout("n", n=2)(0, 0), TypeError),
    (lambda: sw.layout("n", n=2)(0.0), TypeError),
    (lambda: sw.layout("n", n=2)(m=0), TypeError),
    (lambda: sw.layout("n", n=2).who(), TypeError),
    (lambda: sw.layout("n", n=2).who(byte=8), IndexError),
    (lambda: sw.layout("n", n=2).who(byte=10 ** 30), IndexError),
    (lambda: sw.layout("n", n=2).offsets("word"), sw.LayoutError),
    (lambda: sw.layout("n", n=2).emit("fortran"), sw.LayoutError),
    (lambda: sw.layout("n", n=2).draw().save("x.gif"), ValueError)])
def test_what_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_places_between_multiples_are_no_elements_places():
    b = sw.layout("n { a:u8 = - ; b:f16 = - }", n=3).part("b")
    with pytest.raises(sw.LayoutError, match="between multiples"):
        b(0)
    assert [b.byte(n) for n in range(3)] == [1, 4, 7]
    bits = sw.layout("y x/4 { [# 2..10] = x%4 # ; [# 0..2] = x%4 # }", y=1, x=4,
                     dtype="u10")
    with pytest.raises(sw.LayoutError, match="each bit"):
        bits(0, 1)


def test_indices_of_every_width():
    L = sw.layout("n c", n=2 ** 55, c=2, dtype="u8")
    assert L(np.uint64(2 ** 53 + 1), 0) == L(2 ** 53 + 1, 0) == 2 ** 54 + 2
    for far in (np.uint64(2 ** 63), 10 ** 30, -1):
        with pytest.raises(IndexError):
            L(far, 0)
    assert L([], 0).shape == (0,)
    assert sw.layout("gguf.q4_0", n=1, k=32).padding == 0


def test_no_elements_and_no_dims():
    assert sw.layout("n c", n=0, c=3).offsets().shape == (0, 3)
    scalar = sw.layout("-", {})
    assert scalar.shape == () and scalar() == 0
    assert eval(repr(scalar), {"stridewise": sw}) == scalar


def test_pictures_and_code(tmp_path):
    L = sw.layout("nChw8c", (1, 11, 2, 3))
    bundle = L._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg") and bundle["text/plain"] == repr(L)
    drawing = L.draw(color="c%8", title="blocks")
    drawing.save(tmp_path / "p.svg")
    assert "blocks" in (tmp_path / "p.svg").read_text()
    drawing.save(tmp_path / "p.html")
    assert "<script" in (tmp_path / "p.html").read_text()
    assert "padding" in str(drawing)
    assert "layout_offset" in L.emit("c") and L.print_as("tvm") == "NCHW8c"
    small = sw.layout("n c", n=100, c=100)._repr_mimebundle_()["image/svg+xml"]
    assert len(small) < 100_000
