"""Tensors of files that hold several, dumps of another type, padding by its indices."""
import json

import numpy as np
import pytest

import stridewise as sw

X = np.arange(680, dtype=np.float32).reshape(2, 17, 5, 4) + 1


def safetensors(path, dtype, array):
    """One tensor "w", as the format's page says."""
    header = json.dumps({"w": {"dtype": dtype, "shape": list(array.shape),
                               "data_offsets": [0, array.nbytes]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + array.tobytes())
    return f"{path}:w"


def test_by_name(tmp_path):
    np.savez(tmp_path / "x.npz", w=X, other=X + 1)
    np.savez_compressed(tmp_path / "small.npz", w=X)
    names = [f"{tmp_path}/x.npz:w", f"{tmp_path}/small.npz:w",
             safetensors(tmp_path / "m.safetensors", "F32", X)]
    for name in names:
        y = sw.convert(name, "nchw", "nhwc")
        np.testing.assert_array_equal(y.reshape(2, 5, 4, 17), X.transpose(0, 2, 3, 1))
        assert sw.diff(name, X).equal
        assert sw.diff(name, X + 1).differences == 680
    assert sw.infer(names[0], sw.convert(X, "nchw", "nChw16c")).layout.notation == (
        "n c/16 h w c%16")


def test_a_type_that_numpy_lacks(tmp_path):
    halves = (X.view(np.uint32) >> 16).astype(np.uint16)  # whole numbers of 8 bits
    small = np.where(X < 256, X, 0).astype(np.float32)
    halves[X >= 256] = 0
    name = safetensors(tmp_path / "b.safetensors", "BF16", halves)
    report = sw.diff(name, small, "nchw", "nchw")
    assert report.equal and report.compared_as in ("f32", "f64")


def test_what_is_no_such_file(tmp_path):
    np.savez(tmp_path / "x.npz", w=X)
    with pytest.raises(sw.LayoutError, match="no tensor"):
        sw.diff(f"{tmp_path}/x.npz:v", X)
    (tmp_path / "bad.safetensors").write_bytes(b"\xff" * 20)
    with pytest.raises(sw.LayoutError, match="bad.safetensors"):
        sw.diff(f"{tmp_path}/bad.safetensors:w", X)
    with pytest.raises((OSError, sw.LayoutError)):
        sw.diff(f"{tmp_path}/none.npz:w", X)


@pytest.mark.parametrize("dtype, agreement", [
    ("f2", "equal as the dump's type"), ("f4", "equal"), ("i1", "quantised")])
def test_dumps_of_another_type(dtype, agreement):
    x = np.random.default_rng(1).standard_normal((2, 17, 5, 4)).astype(np.float32)
    dump = (np.clip(np.round(x / 0.03), -128, 127) if dtype == "i1" else x).astype(dtype)
    report = sw.infer(x, sw.convert(dump, "nchw", "nChw16c"))
    assert report.layout.notation == "n c/16 h w c%16"
    assert report.agreement == agreement
    if dtype == "i1":
        assert report.scale == pytest.approx(0.03, rel=0.01) and report.zero_point == 0


def test_a_tolerance():
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, 17, 5, 4)).astype(np.float32)
    noisy = x * (1 + 1e-6 * rng.standard_normal(x.shape)).astype(np.float32)
    dump = sw.convert(noisy, "nchw", "nhwc")
    assert sw.infer(x, dump).layout is None
    report = sw.infer(x, dump, rtol=1e-4)
    assert report.layout.notation == "n h w c"
    assert report.agreement == "within the tolerance" and report.equal < 680


def test_padding_by_its_indices():
    L = sw.layout("nChw16c", X.shape, "f32")
    memory = np.zeros(L.nbytes, np.uint8).view(np.float32)
    memory[:] = sw.convert(X, "nchw", "nChw16c").reshape(-1)
    memory[L(0, 16, 0, 0) + 1] = 7
    report = sw.check(memory, L)
    assert [s.indices for s in report.leak_sets] == [
        "c=17 of the last block, where n=0, h=0, w=0"]
    assert (report.leak_sets[0].count, report.leak_sets[0].runs) == (1, 1)
    memory[L(1, 3, 2, 0)] = np.nan
    assert report.nan_indices == "" and "n=1" in sw.check(memory, L).nan_indices
