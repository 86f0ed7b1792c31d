"""Conversions against NumPy's indexing."""

import threading

import ml_dtypes
import numpy as np
import pytest
import stridewise as sw
from hypothesis import given, settings
from hypothesis import strategies as st

X = np.random.default_rng(1).normal(size=(2, 17, 5, 4)).astype("f4")


def placed(x, L):
    """The memory of layout L, by its offsets."""
    memory = np.zeros(L.nbytes // x.itemsize, x.dtype)
    memory[L.offsets().ravel()] = x.ravel()
    return memory


@pytest.mark.parametrize("dst", ["nChw16c", "nhwc", "n c/3 h w c%3", "~h w n c",
                                 "k := c h w; k/16 n k%16", "n w c/8^w%8 h c%8"])
def test_there_and_back(dst):
    c, w = (64, 8) if "^" in dst else (17, 4)
    L = sw.layout(dst, n=2, c=c, h=5, w=w)
    x = np.arange(L.size, dtype="f4").reshape([dict(zip(L.dims, L.shape))[d]
                                               for d in "nchw"])
    L = sw.layout(dst, dict(zip("nchw", x.shape)))
    y = sw.convert(x, "nchw", L)
    logical = x.transpose(["nchw".index(d) for d in L.dims])
    np.testing.assert_array_equal(y.ravel(), placed(logical, L))
    np.testing.assert_array_equal(sw.convert(y, L, "nchw"), x)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_views_are_read_through_their_strides(data):
    order = data.draw(st.permutations(range(4)))
    slices = []
    for extent in X.shape:
        step = data.draw(st.sampled_from([1, 2, -1, -2]))
        low = data.draw(st.integers(0, extent - 1))
        high = data.draw(st.integers(low + 1, extent))
        piece = slice(low, high)
        slices.append((piece, step))
    view = X
    for axis, (piece, step) in enumerate(slices):
        index = [slice(None)] * 4
        index[axis] = piece
        view = view[tuple(index)]
        index[axis] = slice(None, None, step)
        view = view[tuple(index)]
    view = view.transpose(order)
    y = sw.convert(view, "abcd", "a b/3 c d b%3", shape=dict(zip("abcd", view.shape)))
    L = sw.layout("a b/3 c d b%3", dict(zip("abcd", view.shape)))
    np.testing.assert_array_equal(y.ravel(), placed(np.ascontiguousarray(view), L))


def test_broadcast_and_interleaved_views():
    wide = np.broadcast_to(X[:1], (3, 17, 5, 4))
    np.testing.assert_array_equal(sw.convert(wide, "nchw", "nhwc"),
                                  wide.transpose(0, 2, 3, 1))
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(20, dtype="i2"), 5)
    np.testing.assert_array_equal(
        sw.convert(windows, "a b", "b a", shape={"a": 16, "b": 5}), windows.T)


def test_values_change():
    y = sw.convert(X, "nchw", "nhwc", dtype="f16")
    assert y.dtype == np.float16
    np.testing.assert_array_equal(y, X.transpose(0, 2, 3, 1).astype("f2"))
    codes = np.arange(48, dtype="u1").reshape(4, 12) % 16
    packed = sw.convert(codes, "n k", "n k/2 ~k%2", shape={"n": 4, "k": 12}, dtype="u4")
    np.testing.assert_array_equal(packed, (codes[:, ::2] << 4 | codes[:, 1::2]).ravel())
    back = sw.convert(packed, sw.layout("n k/2 ~k%2", n=4, k=12, dtype="u4"), "n k",
                      dtype="u8")
    np.testing.assert_array_equal(back, codes)


def test_types_of_ml_dtypes():
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        x = X.astype(dtype)
        y = sw.convert(x, "nchw", "nhwc")
        assert y.dtype == dtype
        np.testing.assert_array_equal(y.view(f"u{x.itemsize}"),
                                      x.transpose(0, 2, 3, 1).view(f"u{x.itemsize}"))
    y = sw.convert(X, "nchw", "nchw", dtype="bf16")
    np.testing.assert_array_equal(y.view("u2"), X.astype(ml_dtypes.bfloat16).view("u2"))


def test_out_is_written_or_refused():
    out = np.full((2, 5, 4, 17), np.nan, "f4")
    assert sw.convert(X, "nchw", "nhwc", out=out) is out
    np.testing.assert_array_equal(out, X.transpose(0, 2, 3, 1))
    memory = bytearray(out.nbytes)
    sw.convert(X, "nchw", "nhwc", out=memory)
    assert memory == out.tobytes()
    locked = out.copy()
    locked.flags.writeable = False
    for bad, error, said in (
            (np.zeros((17, 4, 5, 2), "f4").T, ValueError, "contiguous"),
            (np.zeros(680, "f8"), TypeError, "f64"), (locked, ValueError, "read-only"),
            (np.zeros(679, "f4"), ValueError, "2716"), (3, TypeError, "int"),
            (bytes(2720), ValueError, "read-only"), ([0.0] * 680, TypeError, "list")):
        with pytest.raises(error, match=f"out.*{said}"):
            sw.convert(X, "nchw", "nhwc", out=bad)


def test_the_shape_of_an_array_is_its_layouts():
    L = sw.layout("nChw16c", X.shape)
    for call in (lambda: sw.convert(X.reshape(2, 5, 4, 17), "nchw", L),
                 lambda: sw.convert(X.reshape(2, 5, 4, 17), sw.layout("nchw", X.shape), L),
                 lambda: sw.convert(X, "nchw", "nhwc", out=np.empty((17, 2, 4, 5), "f4")),
                 lambda: sw.plan("nchw", L).run(X.reshape(5, 2, 17, 4))):
        with pytest.raises(ValueError, match="shape"):
            call()
    np.testing.assert_array_equal(sw.convert(X.ravel(), "nchw", L),
                                  sw.convert(X, "nchw", L))


def test_layouts_are_taken_as_they_are():
    a, b = sw.layout("nchw", X.shape), sw.layout("nhwc", "n=2,c=17,h=5,w=4", "f16")
    assert sw.plan(a, b).run(X).dtype == np.float16
    q = sw.layout("gguf.q4_0", n=2, k=64).part("q")
    codes = np.arange(128, dtype="u1").reshape(2, 64) % 16
    held = bytearray(b"\x55" * q.nbytes)
    sw.convert(codes, sw.layout("n k", n=2, k=64, dtype="u8"), q, out=held)
    assert held[:2] == b"\x55\x55"  # the scale
    back = sw.convert(bytes(held), q, sw.layout("n k", n=2, k=64, dtype="u8"))
    np.testing.assert_array_equal(back, codes)
    assert sw.layout(q, n=1, k=32).dtype == "u4"
    for call in (lambda: sw.convert(X, "nchw", b, dtype="f32"),
                 lambda: sw.convert(X, a, "nhwc", shape=(2, 17, 5, 4)),
                 lambda: sw.plan(a, "nhwc", n=3), lambda: sw.plan(a, b, dtype="f32"),
                 lambda: sw.plan("nchw", "nhwc", X.shape, n=2)):
        with pytest.raises(TypeError):
            call()


def test_the_last_byte_of_packed_results_is_clear():
    for _ in range(20):
        junk = [np.full(2, 255, "u1") for _ in range(50)]
        del junk
        assert sw.convert(np.array([[1, 2, 3]], "u1"), "a b", "a b",
                          dtype="u4").tolist() == [0x21, 0x03]


def test_items_of_less_than_a_byte():
    codes = np.arange(24).reshape(2, 12) % 16
    packed = sw.convert(codes.astype(ml_dtypes.uint4), "n k", "n k")
    np.testing.assert_array_equal(packed, codes.ravel()[::2] | codes.ravel()[1::2] << 4)


def test_what_has_other_formats():
    want = np.arange(6, dtype="i4").reshape(2, 3)
    np.testing.assert_array_equal(sw.convert(memoryview(want), "ab", "ba"), want.T)
    objects = np.array([object(), object()], object)
    for call in (lambda: sw.layout("h", h=2, dtype="s64").view(objects),
                 lambda: sw.convert(np.arange(2), "n", "n", out=memoryview(objects)),
                 lambda: sw.convert(np.ma.masked_array(X, X > 1), "nchw", "nhwc"),
                 lambda: sw.convert(np.ones(1, "f4"), "n", "n", out=np.float32(7)),
                 lambda: sw.layout("h", h=2).view(np.zeros(1, "f8"))):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_overlap_is_refused():
    x = np.arange(16, dtype="f4").reshape(4, 4)
    with pytest.raises(ValueError, match="overlaps"):
        sw.convert(x, "ab", "ba", out=x)


@pytest.mark.parametrize("call, error, said", [
    (lambda: sw.convert([1, 2], "n", "n"), TypeError, "x:.*list"),
    (lambda: sw.convert(np.array([None]), "n", "n"), TypeError, "x:"),
    (lambda: sw.convert(X.astype(">f4"), "nchw", "nhwc"), ValueError, "x:.*big-endian"),
    (lambda: sw.convert(X, "nChw16c", "nchw"), ValueError, "nChw16c|x:"),
    (lambda: sw.convert(X, "nchw", "ncw"), sw.LayoutError, "none of the dims"),
    (lambda: sw.convert(X, "nchw", "n:0 c h w"), sw.LayoutError, "one place"),
    (lambda: sw.convert(X, "nchw", "nhwc", threads=0), ValueError, "threads"),
    (lambda: sw.convert(X[..., 0], "nchw", "nhwc"), ValueError,
     "x: has 3 axes, .* give shape"),
    (lambda: sw.convert(bytes(4), "n", "n", shape={"n": 2}, dtype="f32"), ValueError,
     "x:.*4 bytes")])
def test_what_is_refused(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_buffers_and_other_arrays():
    class Array:
        __array_interface__ = X.__array_interface__

    want = X.transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(sw.convert(Array(), "nchw", "nhwc"), want)
    raw = sw.convert(X.tobytes(), "nchw", "nhwc", shape=X.shape, dtype="f32")
    np.testing.assert_array_equal(raw, want)
    np.testing.assert_array_equal(
        sw.convert(memoryview(X.tobytes()), sw.layout("nchw", X.shape), "nhwc"), want)


def test_no_elements():
    assert sw.convert(np.zeros((0, 3), "f4"), "ab", "ba").shape == (3, 0)


def test_plans_run_from_many_threads():
    plan = sw.plan("nchw", "nChw16c", (8, 67, 28, 28))
    x = np.random.default_rng(2).normal(size=(8, 67, 28, 28)).astype("f4")
    want = plan.run(x)
    assert "move" in str(plan) and eval(repr(plan), {"stridewise": sw}).src == plan.src
    wrong = []

    def work(threads):
        for _ in range(10):
            out = np.empty_like(want)
            plan.run(x, out=out, threads=threads)
            if not np.array_equal(out, want):
                wrong.append(threads)

    workers = [threading.Thread(target=work, args=(1 + k % 3,)) for k in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_plans_keep_gaps():
    plan = sw.plan("n", "n:2", n=3, dtype="u8", keep_gaps=True)
    out = np.full(6, 9, "u1")
    plan.run(np.array([1, 2, 3], "u1"), out=out)
    assert out.tolist() == [1, 9, 2, 9, 3, 9]
