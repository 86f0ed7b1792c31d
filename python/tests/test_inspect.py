"""diff, check, probe and infer on arrays."""

import numpy as np
import pytest
import stridewise as sw

X = np.random.default_rng(1).normal(size=(2, 17, 5, 4)).astype("f4")


def test_diff_names_what_differs():
    y = X.copy()
    y[:, 8:16] += 1
    y[1, 3, 2, 1] = np.nan
    report = sw.diff(sw.convert(y, "nchw", "nChw16c"), X, sw.layout("nChw16c", X.shape),
                     "nchw")
    assert not report.equal and report.differences == 2 * 8 * 20 + 1
    assert report.first.index == {"n": 0, "c": 8, "h": 0, "w": 0}
    assert report.nan_a == 1 and any("8..15" in finding for finding in report.findings)
    assert sum(report.by_dim["c"]) == report.differences
    assert report.findings[0] in str(report)
    at = report.first
    assert at.byte_a == sw.layout("nChw16c", X.shape).byte(**at.index)


def test_diff_of_equal_tensors():
    assert sw.diff(X, X.copy()).equal
    assert str(sw.diff(X, sw.convert(X, "nchw", "nhwc"), "nchw", "nhwc")).startswith(
        "equal")
    assert sw.diff(X + 1e-7, X, atol=1e-5).equal
    assert sw.diff(X.transpose(1, 0, 2, 3), X.transpose(1, 0, 2, 3).copy()).equal


def test_check_finds_leaks_and_nan():
    y = sw.convert(X, "nchw", "nChw16c")
    L = sw.layout("nChw16c", X.shape)
    assert sw.check(y, L).ok and sw.check(y, L).padding == 600
    y[0, 1, 0, 0, 5] = 3
    y[1, 0, 2, 1, 7] = np.nan
    report = sw.check(y, L)
    assert report.padding_nonzero == 1 and report.nan == 1
    assert report.first_nan == {"n": 1, "c": 7, "h": 2, "w": 1}
    assert report.leaks[0].byte == y[0, :1].nbytes + 5 * 4
    assert "NaN" in str(report)


@pytest.mark.parametrize("text", ["nChw16c", "n h w c", "~h w n c", "n w c/2^w%2 h c%2"])
def test_infer_from_a_probe(text):
    shape = {"n": 2, "c": 16, "h": 5, "w": 4}
    p = sw.probe(shape)[0]
    assert np.unique(p).size == p.size
    L = sw.layout(text, shape)
    report = sw.infer(p, sw.convert(p, "n c h w", L), dims="nchw")
    assert report.unique
    found = report.layout
    logical = dict(zip(found.dims, found.shape))
    assert logical == shape
    grid = dict(zip("nchw", np.indices(p.shape, sparse=True)))
    np.testing.assert_array_equal(found(**grid), L(**grid))


def test_infer_of_few_values_nibbles_and_records():
    arrays = sw.probe({"n": 3, "k": 64}, "u4")
    assert len(arrays) > 1 and arrays[0].dtype == np.uint8
    dumps, records = [], []
    for array in arrays:
        packed = array[:, ::2] << 4 | array[:, 1::2]
        dumps.append(packed.tobytes())
        record = np.full((6, 18), 7, np.uint8)
        record[:, 2:] = packed.reshape(6, 16)
        records.append(record.tobytes())
    report = sw.infer(arrays, dumps, dims="nk", dtype="u4")
    assert report.layout.notation == "n k/2 ~k%2"
    report = sw.infer(arrays, records, dims="nk", dtype="u4", record=18)
    assert report.layout.notation == "rec=n k/32 |18B| @4 k%32/2 ~k%2"


def test_infer_says_why_not():
    report = sw.infer(np.ones((2, 3), "f4"), bytes(24))
    assert report.layout is None and report.outcome == "cannot know"
    p = sw.probe((4, 5))[0]
    report = sw.infer(p, np.random.default_rng(3).permutation(p.ravel()))
    assert report.outcome == "none fits" and report.reason in str(report)


@pytest.mark.parametrize("call, error, said", [
    (lambda: sw.diff(X, X[:1]), ValueError, "b:"),
    (lambda: sw.diff(X, 3), TypeError, "b:"),
    (lambda: sw.check(X, sw.layout("nChw16c", X.shape)), ValueError, "x:"),
    (lambda: sw.infer(X, [X, X]), ValueError, "dump"),
    (lambda: sw.infer(X, X, dims="nc"), ValueError, "dims"),
    (lambda: sw.infer(X, X, record=7), sw.LayoutError, "records of 7"),
    (lambda: sw.probe((2 ** 40, 2 ** 40)), sw.LayoutError, "overflow")])
def test_what_is_refused(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_complex_values_are_told_whole():
    report = sw.diff(np.array([1 + 1j, 2], "c8"), np.array([1 + 2j, 2], "c8"))
    assert (report.first.a, report.first.b) == ("1+1j", "1+2j")
    report = sw.diff(np.array([0.1 - 1j]), np.array([0.1 + 2j]))
    assert (report.first.a, report.first.b, report.max_abs) == ("0.1-1j", "0.1+2j", 3)


def test_files(tmp_path):
    x = np.random.default_rng(3).normal(size=(2, 17, 5, 4)).astype("f4")
    golden, dump, fortran = (tmp_path / n for n in ("g.npy", "dump.bin", "fortran.npy"))
    np.save(golden, x)
    np.save(fortran, np.asfortranarray(x))
    sw.convert(golden, "nchw", "nhwc").tofile(dump)
    np.testing.assert_array_equal(np.fromfile(dump, "f4").reshape(2, 5, 4, 17),
                                  x.transpose(0, 2, 3, 1))
    assert sw.infer(golden, dump).layout.notation == "n h w c"
    assert sw.diff(str(dump), golden, "nhwc", "nchw", dtype="f32").equal
    assert sw.diff(fortran, golden).equal
    assert sw.check(dump, "nhwc", "n=2,c=17,h=5,w=4", "f32").ok
    (tmp_path / "none.bin").write_bytes(b"")
    (tmp_path / "bad.npy").write_bytes(b"nothing")
    with pytest.raises(FileNotFoundError):
        sw.check(tmp_path / "missing.bin", "n", 3)
    with pytest.raises(ValueError, match="x: has 0 bytes"):
        sw.check(tmp_path / "none.bin", "n", 3)
    with pytest.raises(ValueError, match="x: .*bad.npy"):
        sw.check(tmp_path / "bad.npy", "n", 3)
    with pytest.raises(TypeError, match="out:"):
        sw.convert(x, "nchw", "nhwc", out=str(dump))
