"""Links to the explorer, and what its page says that Python does."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import stridewise as sw

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODE = shutil.which("node") or shutil.which("nodejs")


def module(name, script, *words):
    """What a script of JavaScript prints, with all that a module of the page exports."""
    text = f"import * as page from {json.dumps((ROOT / name).as_uri())};\n{script}"
    done = subprocess.run([NODE, "--input-type=module", "-e", text, "--", *words],
                          capture_output=True, text=True, check=True)
    return done.stdout


def state_of(address):
    return json.loads(module("explorer/page/state.js", """
        console.log(JSON.stringify(page.stateOf(process.argv.at(-1))))""", address))


LAYOUTS = [
    sw.layout("nChw8c", (1, 17, 2, 3)),
    sw.layout("row=n h |128B| pixel=c/4 w | lane=c%4", n=1, c=5, h=2, w=3, dtype="f16"),
    sw.layout("g<T> x%4", {"g": 4, "x": 4}, tables={"T": [1, 0, 3, 2]}),
    sw.layout("gguf.q4_0", n=1, k=64).part("q"),
]


@pytest.mark.parametrize("L", LAYOUTS, ids=str)
def test_an_address_tells_the_layout(L):
    page, _, where = L.explorer("page.html").partition("#")
    assert page == "page.html"
    state = state_of("#" + where)
    assert state["layout"] == L._text
    assert state["dtype"] == L._dtype
    assert state["part"] == (L._part or "")
    assert not set(where) & set(" ()<>|'\"")


def test_a_conversion_and_the_page_that_the_environment_names(monkeypatch):
    A = sw.layout("nchw", (1, 17, 2, 3))
    monkeypatch.delenv("STRIDEWISE_EXPLORER", raising=False)
    assert A.explorer(to=LAYOUTS[0]).startswith("explorer.html#layout=nchw&")
    assert state_of("#" + A.explorer(to=LAYOUTS[0]).split("#")[1])["to"] == "nChw8c"
    assert "text/html" not in A._repr_mimebundle_()
    monkeypatch.setenv("STRIDEWISE_EXPLORER", "https://x/e.html?a=1&b=2")
    assert A.explorer().startswith("https://x/e.html?a=1&b=2#layout=nchw")
    for shown in (A, A.draw(color="c"), sw.plan("nchw", LAYOUTS[0])):
        html = shown._repr_mimebundle_()["text/html"]
        assert '<a href="https://x/e.html?a=1&amp;b=2#layout=nchw' in html
        assert html.startswith("<img")
    assert "colour=c" in A.draw(color="c")._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("state", [
    {"layout": "nChw8c", "shape": "n=1,c=17,h=2,w=3", "colour": "c%8", "label": "offset"},
    {"layout": "n c/4 h w c%4", "shape": "n=1,c=6,h=2,w=2", "to": "nhwc", "dtype": "f16"},
    {"layout": "gguf.q4_0", "shape": "n=1,k=64", "part": "q"},
    {"layout": "{ d:f16 = - ; q:u4 = k%16 k%32/16 }", "shape": "k=32"},
    {"layout": "g<T> x%4", "shape": "g=4,x=4", "tables": "T=1,0,3,2"},
], ids=lambda state: state["layout"])
def test_what_the_page_says_that_python_does(state, tmp_path):
    parts = '["d", "q"]' if "q:u4" in state["layout"] else "[]"
    lines = module("explorer/page/commands.js", f"""
        import {{defaults}} from {json.dumps((ROOT / "explorer/page/state.js").as_uri())};
        const state = {{...defaults, ...JSON.parse(process.argv.at(-1))}};
        console.log(page.pythonCommands(state, {parts}).join('\\n'))""", json.dumps(state))
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True)
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")
