"""Arguments of every kind: an error that names them, or a result; never a crash."""

import numpy as np
import stridewise as sw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SURROGATE = "\ud800"  # which UTF-8 cannot write
TEXTS = ["nchw", "nChw16c", "n c h w", "~h w n c", "n c/3 h w c%3", "k := c h w; k n", "-",
         "n", "a b", "gguf.q4_0", "(4,8):(1,4)", "@3 w:-1", "n:0 c", "", "nope(", "c/0", "é",
         "~n c", SURROGATE]
DTYPES = ["f32", "f16", "bf16", "u4", "s2", "f8", "?", "f4", "i4", "u1", "nope", None, 3,
          np.float64, np.dtype("V3"), np.dtype([("a", "f4")]), object]
EXTENTS = [0, 0, 1, 2, 3, 17, -1, 2**31, 2**62, 2**63, 2**70, True, 1.5, None, "4"]
ODD = [None, 3, "text", b"", b"12345678", [1.0], {}, object(), np.float32(3),
       np.datetime64("2026-01-01"), np.array("x"), np.array([object()])]
ERRORS = (ValueError, TypeError, IndexError, OverflowError, MemoryError, OSError)

shapes = st.one_of(
    st.lists(st.sampled_from(EXTENTS), max_size=5).map(tuple),
    st.dictionaries(st.sampled_from("nchwk"), st.sampled_from(EXTENTS), max_size=5),
    st.sampled_from(["", "2x3", "n=2,c=3", "n=", "()", None, 7, 2.5]))


@st.composite
def arrays(draw):
    if draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(ODD))
    shape = draw(st.lists(st.integers(0, 4), max_size=5))
    x = np.arange(int(np.prod(shape)), dtype="i4").reshape(shape)
    x = x.astype(draw(st.sampled_from(
        ["f4", "f8", ">f4", "u1", "?", "c8", "U3", "O", "m8[s]", "f2"])))
    for axis in range(x.ndim):
        index = [slice(None)] * x.ndim
        index[axis] = draw(st.sampled_from(
            [slice(None), slice(None, None, -1), slice(None, None, 2), slice(1, None)]))
        x = x[tuple(index)]
    x = x.transpose(draw(st.permutations(range(x.ndim))))
    if draw(st.booleans()):
        x.flags.writeable = False
    return x


def told(call):
    """Runs it; what it raises must say something, in no words of the binding."""
    try:
        return call()
    except ERRORS as error:
        assert str(error), repr(error)
        assert "incompatible function arguments" not in str(error), error
        return None


fuzzed = settings(max_examples=300, deadline=None,
                  suppress_health_check=[HealthCheck.too_slow])


@fuzzed
@given(st.sampled_from(TEXTS), shapes, st.sampled_from(DTYPES), st.data())
def test_layouts(text, shape, dtype, data):
    L = told(lambda: sw.layout(text, shape, dtype))
    if L is None:
        return
    assert eval(repr(L), {"stridewise": sw}) == L
    index = data.draw(st.lists(st.sampled_from(
        [0, 1, -1, 2**63, 1.0, None, "0", True, np.int64(1), np.array([0, 1]), [0, 2**70]]),
        max_size=5))
    told(lambda: L(*index))
    told(lambda: L.byte(*index))
    at = data.draw(st.sampled_from([0, 5, -1, 2**62, 2**70, 1.5, None, "x"]))
    for unit in ("element", "byte", "bit"):
        told(lambda: L.who(**{unit: at}))
    odd = data.draw(st.sampled_from(
        [None, 3, "c", 2**70, 2**31, -1, 1.5, b"c", "opencl", "tvm", SURROGATE]))
    told(lambda: L.draw(cells=64).svg())
    for name in ("color", "title", "label", "to", "data", "cells"):
        told(lambda: L.draw(**{"cells": 64, name: odd}).text())
    told(lambda: L.draw(cells=64).text(odd))
    told(lambda: L.emit(odd))
    told(lambda: L.emit("c", odd))
    told(lambda: L.print_as(odd))
    if L.size < 10000 and L.nbytes < 10**6:
        told(lambda: L.offsets(data.draw(st.sampled_from(["element", "bit", "x", 3]))))
        told(L.inverse)
    told(lambda: L.emit("c"))
    told(lambda: sw.layout(text, shape, tables={odd: [0, 1]}))
    told(lambda: sw.layout(text, shape, tables={"T": [odd, 1]}))
    told(lambda: sw.layout(text, shape, part=odd))
    told(lambda: L.part(data.draw(st.sampled_from(["q", "", 3]))))
    told(lambda: L.strides)


@fuzzed
@given(arrays(), st.sampled_from(TEXTS), st.sampled_from(TEXTS), shapes,
       st.sampled_from(DTYPES), arrays(), st.sampled_from([1, 2, 0, -1, 2**40, 1.5, None]))
def test_conversions(x, src, dst, shape, dtype, out, threads):
    told(lambda: sw.convert(x, src, dst))
    told(lambda: sw.convert(x, src, dst, shape=shape, dtype=dtype, threads=threads))
    before = out.copy() if isinstance(out, np.ndarray) else out
    if told(lambda: sw.convert(x, src, dst, out=out)) is None and isinstance(
            out, np.ndarray):
        assert out.tobytes() == before.tobytes()  # a refusal writes nothing
    if isinstance(x, np.ndarray) and x.flags.writeable and x.size > 1:
        held = np.arange(4 * x.size, dtype=x.dtype if x.dtype.kind in "fiu" else "f4")
        for low in (0, 1, x.size):
            before, part = held.copy(), held[low:low + x.size].reshape(x.shape)
            if told(lambda: sw.convert(part[::-1], src, dst, out=held[:x.size])) is None:
                assert held.tobytes() == before.tobytes()
            held[:] = before
    plan = told(lambda: sw.plan(src, dst, shape, dtype, keep_gaps=threads))
    if plan is not None:
        told(lambda: plan.run(x, out=out, threads=threads))


@fuzzed
@given(arrays(), arrays(), st.sampled_from([*TEXTS, None, 3]), shapes,
       st.sampled_from(DTYPES))
def test_dumps(a, b, text, shape, dtype):
    told(lambda: sw.diff(a, b))
    told(lambda: sw.diff(a, b, 3))
    told(lambda: sw.check(a, 3))
    told(lambda: sw.physical(a, text))
    told(lambda: sw.probe({3: 3}))
    told(lambda: sw.diff(a, b, text, text, shape=shape, dtype=dtype))
    for odd in (None, "x", -1, 2**70, [1]):
        told(lambda: sw.diff(a, b, rtol=odd))
        told(lambda: sw.diff(a, b, ulp=odd))
        told(lambda: sw.infer(a, b, record=odd, part_at=odd))
        told(lambda: sw.infer(a, b, dims=odd))
    told(lambda: sw.check(a, text, shape, dtype))
    told(lambda: sw.infer(a, b, dtype=dtype))
    told(lambda: sw.infer([a], [a, b]))
    told(lambda: sw.layout_of(a, text))
    told(lambda: sw.to_dlpack(a))
    L = told(lambda: sw.layout(text, shape, dtype))
    if L is not None and L.nbytes < 10**6:
        told(lambda: L.view(a))
        told(lambda: L.decode(a))
        told(lambda: L.encode(a, out=b))
        told(lambda: sw.physical(a, L))
        told(lambda: L.draw(label="value", data=a))
    if not isinstance(shape, (str, int, float)) and shape and all(
            not isinstance(e, int) or e < 20 for e in
            (shape.values() if isinstance(shape, dict) else shape)):
        told(lambda: sw.probe(shape, dtype))
