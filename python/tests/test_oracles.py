"""Layouts against the software that has them: bytes that others made."""

import gguf
import ml_dtypes
import MNN as mnn
import numpy as np
import pytest
import safetensors.numpy as safetensors_numpy
import stridewise as sw
import tensor_layouts

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("shape", [(2, 7, 3, 5), (1, 4, 2, 2), (3, 1, 1, 9), (2, 13, 4, 1)])
def test_mnn_packs_channels_by_four(shape):
    x = RANDOM.normal(size=shape).astype("f4")
    var = mnn.expr.const(x.ravel().tolist(), list(shape), mnn.expr.NCHW)
    packed = mnn.expr.convert(var, mnn.expr.NC4HW4)
    theirs = np.array(packed.read_as_tuple(), "f4")
    n, c, h, w = shape
    ours = sw.convert(x, "nchw", "c/4 n h w c%4")
    np.testing.assert_array_equal(ours.ravel(), theirs[:ours.size])


@pytest.mark.parametrize("name", ["Q8_0", "Q4_0"])
def test_gguf_codes_and_scales(name):
    """The parts of a block, by our layouts, dequantise to what gguf dequantises to."""
    kind = getattr(gguf.GGMLQuantizationType, name)
    x = RANDOM.normal(size=(4, 128)).astype("f4")
    raw = gguf.quants.quantize(x, kind)
    theirs = gguf.quants.dequantize(raw, kind)
    block = sw.layout(f"gguf.{name.lower()}", n=4, k=128)
    assert block.nbytes == raw.nbytes
    codes = block.part("q").decode(raw).astype("f4")
    scales = block.part("d").decode(raw)
    again = np.zeros_like(raw)
    block.part("d").encode(scales, out=again)
    block.part("q").encode(codes.astype("i1" if name == "Q8_0" else "u1"), out=again)
    np.testing.assert_array_equal(again, raw)
    scale = np.repeat(scales.astype("f4"), 32, axis=1)
    ours = (codes if name == "Q8_0" else codes - 8) * scale
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "bfloat16"])
def test_values_change_as_in_ml_dtypes(dtype):
    x = (RANDOM.normal(size=(16, 33)) * 4).astype("f4")
    want = x.astype(getattr(ml_dtypes, dtype))
    ours = sw.convert(x, "a b", "b a", dtype=getattr(ml_dtypes, dtype))
    width = f"u{want.itemsize}"
    np.testing.assert_array_equal(ours.view(width), want.T.view(width))


def test_safetensors_takes_what_a_conversion_leaves(tmp_path):
    x = RANDOM.normal(size=(2, 17, 5, 4)).astype("f4")
    path = tmp_path / "t.safetensors"
    safetensors_numpy.save_file({"y": sw.convert(x, "nchw", "nChw16c")}, path)
    back = safetensors_numpy.load_file(path)["y"]
    np.testing.assert_array_equal(sw.convert(back, sw.layout("nChw16c", x.shape), "nchw"), x)


@pytest.mark.parametrize("shape, stride", [
    ((4, 8), (1, 4)), ((4, 8), (8, 1)), (((2, 4), 8), ((1, 16), 2)),
    ((6, (4, 2)), (4, (1, 24)))])
def test_layouts_of_cute(shape, stride):
    theirs = tensor_layouts.Layout(shape, stride)

    def text(x):
        return str(x).replace(" ", "") if isinstance(x, tuple) else str(x)

    ours = sw.layout(f"{text(shape)}:{text(stride)}")
    rows, cols = ours.shape
    want = [[theirs(i, j) for j in range(cols)] for i in range(rows)]
    np.testing.assert_array_equal(ours.offsets(), want)
