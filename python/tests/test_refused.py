"""What is refused leaves everything as it was; what is odd is taken for what it is."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
import stridewise as sw
from hypothesis import given, settings
from hypothesis import strategies as st

X = np.arange(48, dtype="f4").reshape(6, 8)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_out_is_right_or_untouched(data):
    """Sources and results that are windows of one buffer."""
    buffer = np.arange(96, dtype="f4")
    start, low = (data.draw(st.integers(0, 48)) for _ in range(2))
    step = data.draw(st.sampled_from([1, 2, -1]))
    x = buffer[start:start + 48].reshape(6, 8)[:, ::step]
    dst = data.draw(st.sampled_from(["b a", "a b/3 b%3", "a:9 b"]))
    L = sw.layout(dst, a=6, b=x.shape[1])
    out = buffer[low:low + L.nbytes // 4]
    want, before = sw.convert(x, "a b", L), buffer.copy()
    try:
        sw.convert(x, "a b", L, out=out)
    except ValueError as error:
        assert str(error).startswith("out:")
        np.testing.assert_array_equal(buffer, before)
    else:
        np.testing.assert_array_equal(out.ravel().view("u1"), want.ravel().view("u1"))


def test_the_tail_of_a_refused_out_stays():
    L = sw.layout("n", n=3, dtype="u4")
    u8 = sw.layout("n", n=3, dtype="u8")
    out = np.full(2, 255, "u1")
    plan = sw.plan(u8, L)
    buffer = np.full(4, 7, "u1")
    for call in (lambda: sw.convert(np.zeros(5, "u1"), u8, L, out=out),
                 lambda: plan.run(np.zeros(5, "u1"), out=out),
                 lambda: plan.run(np.zeros(3, "u1"), out=out, threads=-1),
                 lambda: L.encode(np.zeros(5, "u1"), out=out),
                 lambda: L.encode(buffer[:3], out=buffer[1:3])):
        with pytest.raises(ValueError):
            call()
    assert out.tolist() == [255, 255] and buffer.tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize("dtype, values", [
    ("int4", [-8, -6, -1, 7]), ("int2", [-2, -1, 0, 1]), ("uint4", [0, 15, 8, 1]),
    ("float4_e2m1fn", [1.0, 6.0, -1.0, 0.5]), ("float6_e2m3fn", [1.0, -7.5, 0.125, 0.0]),
    ("float6_e3m2fn", [28.0, -0.25, 1.0, 3.0])])
def test_items_of_ml_dtypes_are_their_values(dtype, values):
    x = np.array(values, getattr(ml_dtypes, dtype))
    wide = "f32" if "float" in dtype else "u8" if dtype[0] == "u" else "s8"
    np.testing.assert_array_equal(sw.convert(x, "n", "n", dtype=wide), values)
    name = sw.type_name(x.dtype)
    L = sw.layout("n", n=4, dtype=name)
    for memory in (sw.convert(x, "n", "n"), L.encode(x)):
        assert memory.nbytes == (4 * L.itembits + 7) // 8
        np.testing.assert_array_equal(L.decode(memory).astype("f4"), values)
    assert sw.diff(x, np.array(values, "f4" if "float" in dtype else f"{wide[0]}1".replace("s", "i"))).equal
    own = sw.layout_of(x)
    assert own.dtype == name and own.strides == (1,)
    np.testing.assert_array_equal(own.decode(x.view("u1")).astype("f4"), values)


def test_out_that_would_be_a_copy():
    class Copies:
        def __init__(self):
            self.array = np.zeros(3, "f4")

        def __array__(self, dtype=None, copy=None):
            return self.array.copy()

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    held = Copies()
    assert sw.convert(np.ones(3, "f4"), "n", "n", out=held) is held
    assert held.array.tolist() == [1, 1, 1]
    del Copies.__dlpack__
    with pytest.raises(TypeError, match="out:"):
        sw.convert(np.ones(3, "f4"), "n", "n", out=held)


def test_no_elements():
    assert sw.layout("~n", n=0).offsets().shape == (0,)
    assert sw.layout("~n c", n=2, c=0).offsets().shape == (2, 0)
    assert sw.layout("gguf.q4_0", n=0, k=32).part("q").offsets("bit").shape == (0, 32)


@pytest.mark.parametrize("call, said", [
    (lambda: sw.type_name(np.dtype(">f4")), "dtype: .*big-endian"),
    (lambda: sw.type_name(None), "dtype: None"),
    (lambda: sw.layout_of(X, "nn"), "dims: .*twice"),
    (lambda: sw.layout_of(X, ("a b", "c")), "dims: 'a b' is no name"),
    (lambda: sw.infer(X, X, dims="nn"), "dims: .*twice"),
    (lambda: sw.layout("n c", {"n=2,c": 3}), "shape: 'n=2,c' is no name"),
    (lambda: sw.layout("n<T>", n=2, tables={"T": [0.5, 1.7]}), "tables: 'T' .*float64"),
    (lambda: sw.layout("n", n=2, tables=[1]), "tables: expected a dict"),
    (lambda: sw.layout("n", n=2, part=3), "part: expected a str"),
    (lambda: sw.plan(3, "n", n=2), "src: expected a text"),
    (lambda: sw.Plan("n", "n"), "src: expected a Layout"),
    (lambda: sw.physical(X, "ab"), "of: expected a Layout"),
    (lambda: sw.convert(np.array(["x"]), "n", "n"), "x: an array of <U1"),
    (lambda: sw.layout("n c", n=2, c=3)(np.arange(2), np.arange(3)),
     r"n \(2,\), c \(3,\)"),
    (lambda: sw.layout("n", n=2).__delattr__("_bound"), "does not change")])
def test_errors_name_what_is_wrong(call, said):
    with pytest.raises((TypeError, ValueError, AttributeError), match=said):
        call()


def test_names_that_are_taken():
    L = sw.layout("part { a:u8 = - ; b:f16 = - }", {"part": 3})
    assert L.who(byte=1) == {"part_": "b", "part": 0}
    assert sw.layout("self n", {"self": 2, "n": 3})(self=1, n=0) == 3


def test_bytes_of_any_kind():
    held = (ctypes.c_char * 12)(*b"\0\0\x80\x3f" * 3)
    for raw in (held, memoryview(bytes(held)).cast("c")):
        np.testing.assert_array_equal(
            sw.convert(raw, "n", "n", shape={"n": 3}, dtype="f32"), [1, 1, 1])
    report = sw.diff(b"abc", b"abd")
    assert report.elements == 3 and report.first.index == {"n": 2}
    assert sw.diff(bytes(8), bytes(8), dtype="f32").elements == 2


def test_tables_are_not_kept():
    table = np.random.default_rng(0).permutation(1 << 10)
    L = sw.layout("n<T>", n=1 << 10, tables={"T": table})
    x = np.arange(1 << 10, dtype="f4")
    for _ in range(3):
        np.testing.assert_array_equal(sw.convert(x, "n", L)[table], x)


def test_numpys_spelling_of_types():
    assert sw.type_name("<f4") == "f32" and sw.type_name("f4") == "f4"
    with pytest.raises(TypeError, match="big-endian"):
        sw.type_name(">f4")


def test_plans_run_on_strided_arrays():
    plan = sw.plan("a b", "b a", a=6, b=8)
    np.testing.assert_array_equal(plan.run(np.ascontiguousarray(X.T).T), X.T)
    np.testing.assert_array_equal(plan.run(np.broadcast_to(X[0], (6, 8))),
                                  np.broadcast_to(X[0], (6, 8)).T)
    gaps = sw.plan(sw.layout("a b", a=6, b=8), sw.layout("a:9 b", a=6, b=8), keep_gaps=True)
    out = np.full(54, 7, "f4")
    gaps.run(np.asfortranarray(X), out=out)
    assert (out.reshape(6, 9)[:, 8] == 7).all()
    np.testing.assert_array_equal(out.reshape(6, 9)[:, :8], X)


def test_the_reference_tells_the_shape():
    x = np.arange(24, dtype="f4").reshape(1, 2, 3, 4)
    dump = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    assert sw.diff(dump.tobytes(), x, "nhwc", "nchw", dtype="f32").equal
    assert sw.diff(x, dump.tobytes(), "nchw", "nhwc", dtype="f32").equal


def test_shapes_before_strides():
    L = sw.layout("nChw16c", (2, 17, 5, 4))
    x = np.zeros((2, 17, 5, 4), "f4")
    with pytest.raises(ValueError, match="x: has the shape"):
        sw.convert(x[:, :16], "nchw", L)
    with pytest.raises(sw.LayoutError, match="give shape="):
        sw.convert(x, "channels_last", "nchw")
    with pytest.raises(TypeError, match="packed ones are bytes"):
        sw.layout("n", n=4, dtype="s4").decode(np.zeros(2, "i1"))
    with pytest.raises(ValueError, match="^out: the array is big-endian$"):
        sw.convert(x, "nchw", "nhwc", out=np.empty((2, 5, 4, 17), ">f4"))


def test_the_last_byte_may_be_another_parts():
    part = sw.layout("n { a:u3 = - ; b:u2 = - }", n=1).part("a")
    u8 = sw.layout("n", n=1, dtype="u8")
    for write in (lambda out: sw.convert(np.array([5], "u1"), u8, part, out=out),
                  lambda out: sw.plan(u8, part).run(np.array([5], "u1"), out=out),
                  lambda out: part.encode(np.array([5], "u1"), out=out)):
        out = np.array([0b11000], "u1")
        write(out)
        assert out.tolist() == [0b11101]
