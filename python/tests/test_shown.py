"""What notebooks and terminals show."""

import html
import re
import xml.etree.ElementTree

import numpy as np
import pytest
import stridewise as sw

L = sw.layout("nChw16c", (2, 17, 5, 4))
X = np.arange(2 * 17 * 5 * 4, dtype="f4").reshape(2, 17, 5, 4)


def cells(svg):
    xml.etree.ElementTree.fromstring(svg)
    return svg.count("data-kind=")


def test_a_layout_shows_its_picture():
    shown = L._repr_mimebundle_()
    assert list(shown) == ["image/svg+xml", "text/plain"]
    # An outline is kept beyond the cap.
    assert 0 < cells(shown["image/svg+xml"]) <= 2 * 256
    assert eval(shown["text/plain"], {"stridewise": sw}) == L
    assert "prefers-color-scheme: dark" in shown["image/svg+xml"]


def test_saved_notebooks_stay_small():
    large = sw.layout("nChw16c", (256, 2048, 56, 56))
    for thing in (large, sw.plan("nchw", "nhwc", (256, 2048, 56, 56)), large.draw()):
        shown = thing._repr_mimebundle_()
        assert cells(shown["image/svg+xml"]) <= 2 * 512
        assert len(shown["image/svg+xml"]) < 250_000


def test_a_conversion_shows_both_memories():
    shown = sw.plan("nchw", L)._repr_mimebundle_()
    assert "from" in shown["image/svg+xml"] and "n c/16 h w c%16" in shown["image/svg+xml"]
    assert "move" in shown["text/plain"]
    joint = sw.plan("nchw", "k := c h w; k/16 n k%16", X.shape)._repr_mimebundle_()
    assert joint["text/html"].count("<img") == 2


def test_a_diff_shows_its_findings():
    y = sw.convert(X, "nchw", L)
    y[0, 0, 0, 0, 8:] += 1000
    report = sw.diff(y, X, L, "nchw")
    for finding in report.findings:
        assert html.escape(finding) in report._repr_html_()
    assert "c=8" in report._repr_html_()
    assert "equal" in sw.diff(X, X)._repr_html_()


def test_other_reports():
    y = sw.convert(X, "nchw", L)
    y[0, 1, 2, 3, 4] = 7
    assert "not zero" in sw.check(y, L)._repr_html_()
    p = sw.probe((2, 17, 5, 4))[0]
    assert "n h w c" in sw.infer(p, sw.convert(p, "nchw", "nhwc"))._repr_html_()


def test_pages_are_in_frames():
    page = L.draw(cells=64).html()
    frame = page._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and html.unescape(
        re.search('srcdoc="(.*?)"', frame, re.S)[1]) == page
    assert page.startswith("<!doctype html>") and len(repr(page)) < 80


def test_pictures_of_values_and_of_two_memories(tmp_path):
    y = sw.convert(X, "nchw", L)
    told = L.draw(label="value", data=y, cells=128).text()
    assert " 120 " in told and "in a cell: its value" in told
    with pytest.raises(TypeError, match="data:"):
        L.draw(label="value", data=y.astype("f8"))
    with pytest.raises(ValueError, match="label"):
        L.draw(label="colour")
    path = tmp_path / "both.svg"
    sw.layout("nchw", X.shape).draw(to=L, cells=64).save(path)
    assert 0 < cells(path.read_text()) <= 4 * 128
    with pytest.raises(ValueError, match="path"):
        L.draw().save(tmp_path / "both.txt")
    with pytest.raises(sw.LayoutError):
        L.draw(color="q")
