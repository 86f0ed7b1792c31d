"""Tensors of two types are compared as numbers."""

import numpy as np
import pytest

import stridewise as sw


@pytest.fixture
def golden() -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.standard_normal((2, 17, 5, 4)).astype(np.float32)


def test_halves_against_floats(golden: np.ndarray) -> None:
    half = golden.astype(np.float16)
    report = sw.diff(half, golden)
    assert report.equal and report.compared_as == "f32" and report.rtol == 2.0 ** -10
    assert sw.diff(half, golden.astype(np.float64)).compared_as == "f64"
    assert not sw.diff(half, golden, rtol=0).equal
    assert sw.diff(golden, golden).rtol == 0


def test_scales(golden: np.ndarray) -> None:
    scales = np.abs(golden).max(axis=(0, 2, 3)) / 127
    codes = np.rint(golden / scales[:, None, None]).astype(np.int8)
    assert sw.diff(codes, golden, "nchw", "nchw", scale=scales, scale_dim="c").equal
    wrong = sw.diff(codes, golden, "nchw", "nchw", scale=scales * 2, scale_dim="c")
    # About 2, as rounding to steps leaves it.
    assert wrong.findings[0].endswith(" times B")
    one = np.rint(golden / 0.05).astype(np.int16)
    assert sw.diff(one, golden, "nchw", "nchw", scale=0.05).equal


@pytest.mark.parametrize("arguments", [
    {"scale_dim": "c"}, {"scale": np.ones(17)}, {"scale": np.ones((2, 2))},
    {"scale": np.ones(17), "zero_point": np.ones(3, int), "scale_dim": "c"},
    {"zero_point": 0.5}, {"scale": -1.0}, {"scale": np.ones(5), "scale_dim": "c"}])
def test_scales_that_are_none(golden: np.ndarray, arguments: dict) -> None:
    with pytest.raises((TypeError, ValueError)):
        sw.diff(np.zeros(golden.shape, np.int8), golden, "nchw", "nchw", **arguments)
