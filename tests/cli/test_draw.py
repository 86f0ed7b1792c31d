"""draw: every cell of an SVG against an independent model and against `who`;
what is left out; terminals; data; files; golden pictures.

    tests/cli/test_draw.py --update    renews tests/data/draw (STRIDEWISE_BIN)
"""

import os
import pathlib
import pty
import random
import re
import sys
import time
import unittest

import numpy as np

import support
from model import Model
from support import DTYPE_OF_WIDTH, run, shape_text
from svg import Picture
from test_addresses import random_layout

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "data" / "draw"

# name, arguments
PICTURES = [
    ("blocked", ["nChw8c", "--shape", "1x11x2x2", "--with-logical", "--walk",
                 "a"]),
    ("image", ["mace.channel", "--shape", "1x6x2x3", "--color", "c%4"]),
    ("banks", ["okk.aligned(npus=4,npu_bytes=1024,start=2)", "--shape",
               "2x3x2x3", "--label", "offset", "--mark", "A=2048"]),
    ("elided", ["nchw", "--shape", "64x32x16x16", "--max-cells", "300"]),
    ("conversion", ["nchw", "--to", "nChw8c", "--shape", "1x16x2x2"]),
    ("strides", ["h:8 w", "--shape", "h=3,w=5", "--label", "value", "--dtype",
                 "u8", "--grid", "8"]),
]


class DrawTest(support.CliTest):

    def draw(self, *args, **options):
        """The SVG, read back, and the answer in JSON."""
        told = self.answer("draw", *args, "--out", self.path("x.svg"),
                           **options)
        return Picture(self.path("x.svg").read_text("utf-8")), told

    def agree(self, panel, model, whole=True):
        """Each cell is what the model has at its byte; no two overlap."""
        elements = {int(byte): model.index_of(k)
                    for k, byte in enumerate(model.addresses())}
        boxes = set()
        for cell in panel.cells:
            where = f"{model.text} {model.shape} {model.width} {cell}"
            self.assertEqual(cell.byte, cell.offset * model.width, where)
            self.assertEqual(cell.index, elements.get(cell.byte), where)
            self.assertEqual(cell.kind == "element", cell.index is not None,
                             where)
            boxes.add((cell.x, cell.y))
            self.assertGreater(min(cell.width, cell.height), 0)
        self.assertEqual(len(boxes), len(panel.cells), model.text)
        rows = {}
        for cell in sorted(panel.cells, key=lambda c: (c.y, c.x)):
            last = rows.get(cell.y)
            if last is not None:
                self.assertGreaterEqual(cell.x, last.x + last.width)
            rows[cell.y] = cell
        ys = sorted({(c.y, c.height) for c in panel.cells})
        for (y, height), (below, _) in zip(ys, ys[1:]):
            self.assertGreaterEqual(below, y + height)
        if whole:
            self.assertEqual(panel.count("element"), model.elements)


class Cells(DrawTest):

    def test_every_cell_names_what_lies_there(self):
        rng = random.Random(5)
        drawn = 0
        while drawn < 40:
            model = Model(*random_layout(rng))
            if model.size == 0 or model.size // model.width > 3000:
                continue
            if not model.is_valid():
                continue
            drawn += 1
            options = ["--shape", shape_text(model.shape), "--dtype",
                       DTYPE_OF_WIDTH[model.width]]
            view = rng.choice(["auto", "rows"])
            picture, told = self.draw(
                model.text, *options, "--view", view, "--max-cells", 100000,
                "--max-columns", 3000, "--with-logical")
            self.agree(picture.panels[0], model)
            places = model.size // model.width
            self.assertEqual(told["padding"] + told["gaps"],
                             places - model.elements, model.text)
            self.assertEqual(told["padding_elements"],
                             places - model.elements)
            # The logical tensor has each index once, in the same colours.
            logical = picture.panels[1]
            self.assertEqual(len(logical.cells), model.elements)
            colours = {str(c.index): c.style for c in logical.cells}
            self.assertEqual(len(colours), model.elements)
            for cell in picture.panels[0].cells:
                if cell.kind == "element":
                    self.assertEqual(colours[str(cell.index)], cell.style)

    def test_who_says_the_same(self):
        rng = random.Random(6)
        for layout, shape, dtype in [
                ("nChw16c", "2x17x3x2", "f32"),
                ("mace.channel", "2x7x2x3", "f16"),
                ("okk.aligned(npus=4,npu_bytes=1024,start=2)", "2x3x4x5",
                 "f32"),
                ("okk.4n(npus=4,npu_bytes=4096)", "6x5x2x2", "s8"),
                ("h:8 w", "h=3,w=5", "f64"),
                ("h |^64B| w c", "h=3,w=4,c=11", "f32"),
                ("row=n h |^256B| pixel=c/4 w | lane=c%4", "n=1,c=6,h=3,w=5",
                 "f32")]:
            options = ["--shape", shape, "--dtype", dtype]
            picture, _ = self.draw(layout, *options, "--max-cells", 100000)
            for cell in rng.sample(picture.panels[0].cells, 12):
                told = self.answer("who", layout, *options, "--byte",
                                   cell.byte)
                kind = "gap" if told["gap"] else told["kind"]
                self.assertEqual(kind, cell.kind, (layout, cell))
                self.assertEqual(told["index"], cell.index, (layout, cell))

    def test_labels(self):
        layout = ["nChw8c", "--shape", "1x9x1x2"]
        for label, of in [
                ("index", lambda c: f"{c.index['c']},{c.index['w']}"),
                ("offset", lambda c: str(c.offset)),
                ("value", lambda c: str(c.index["c"] * 2 + c.index["w"]))]:
            picture, _ = self.draw(*layout, "--label", label)
            for cell in picture.panels[0].cells:
                expected = of(cell) if cell.kind == "element" else ""
                self.assertEqual(cell.text, expected, label)

    def test_place_follows_from_the_axes(self):
        # Rows: x grows with the byte in a line, y with the line.
        picture, _ = self.draw("nchw", "--shape", "1x2x5x4")
        for cell in picture.panels[0].cells:
            first = picture.panels[0].cells[0]
            self.assertEqual(cell.x, first.x + cell.byte % 64 // 4 * cell.width)
            self.assertEqual(cell.y, first.y + cell.byte // 64 * cell.height)
        # An image: a pixel a column, its lanes below each other.
        picture, _ = self.draw("mace.channel", "--shape", "2x7x3x4")
        xs = sorted({c.x for c in picture.panels[0].cells})
        ys = sorted({c.y for c in picture.panels[0].cells})
        for cell in picture.panels[0].cells:
            row, rest = divmod(cell.byte, 8 * 16)
            self.assertEqual((xs.index(cell.x), ys.index(cell.y)),
                             (rest // 16, row * 4 + rest % 16 // 4))
        # Banks: a group of columns each.
        picture, _ = self.draw("okk.compact(npus=4,npu_bytes=1024)", "--shape",
                               "1x4x2x4", "--grid", "16")
        xs = sorted({c.x for c in picture.panels[0].cells})
        for cell in picture.panels[0].cells:
            self.assertEqual(xs.index(cell.x),
                             cell.byte // 1024 * 4 + cell.byte % 16 // 4)

    def test_legend_counts_everything(self):
        picture, told = self.draw("nChw8c", "--shape", "2x17x2x2")
        self.assertIn("136 elements | 56 padding | 0 gaps", picture.legend)
        self.assertEqual((told["elements"], told["padding"], told["gaps"]),
                         (136, 56, 0))
        picture, _ = self.draw("h:8 w", "--shape", "h=3,w=5")
        self.assertIn("15 elements | 0 padding | 9 gaps", picture.legend)

    def test_gaps_of_pitches(self):
        for layout, shape in [
                ("h |^64B| w c", "h=3,w=4,c=11"),
                ("n |1024B| h |96B| w", "n=2,h=2,w=20"),
                ("row=n h |^256B| pixel=c/4 w | lane=c%4", "n=1,c=6,h=3,w=5"),
                ("row=h | pixel=w |32B| lane=c", "h=3,w=3,c=3"),
                ("@96B n c h w", "n=1,c=2,h=3,w=5")]:
            options = ["--shape", shape, "--max-cells", 10000]
            known = self.answer("show", layout, "--shape", shape)
            for view in ("auto", "rows"):
                picture, told = self.draw(layout, *options, "--view", view)
                panel = picture.panels[0]
                self.assertEqual(told["padding"] + told["gaps"],
                                 known["padding_elements"], layout)
                left = sum(count for count, _ in panel.elided)
                if left == 0:
                    self.assertEqual(panel.count("gap"), told["gaps"], layout)
                    self.assertEqual(4 * len(panel.cells),
                                     known["size_bytes"])
                for _, text in panel.elided:
                    self.assertIn("of gaps", text)
                gaps = told["gaps"]
                self.assertIn(f"| {gaps} gap{'s' * (gaps != 1)}",
                              picture.legend)

    def test_columns_left_out_are_told(self):
        # Too few rows for words that go upwards.
        picture, _ = self.draw("npu=c%64 | n c/64", "--shape", "n=2,c=64")
        self.assertEqual([text for _, text in picture.panels[0].elided],
                         ["\u2026 44 more npus \u2026"])

    def test_long_gaps_are_left_out(self):
        picture, told = self.draw("okk.aligned(npus=4)", "--shape", "2x3x4x5")
        panel = picture.panels[0]
        self.assertEqual(panel.count("element"), 120)
        self.assertEqual(told["gaps"], 4 * 131072 - 160)
        self.assertEqual([text for _, text in panel.elided],
                         ["\u2026 32,753 more rows of gaps \u2026"])
        # The end of each NPU is drawn.
        self.assertEqual(max(cell.byte for cell in panel.cells),
                         4 * 524288 - 4)

    def test_small_tensors_are_whole_beside_memory(self):
        for layout, shape in [("nchw", "1x11x3x4"), ("nhwc", "n=2,c=20,h=3,w=4"),
                              ("w", "w=300"), ("h w", "h=2,w=200")]:
            picture, told = self.draw(layout, "--shape", shape,
                                      "--with-logical", "--walk", "a")
            self.assertFalse(told["elided"], layout)
            logical = picture.panels[1]
            self.assertEqual(len(logical.cells), told["elements"])
            self.assertLess(picture.width, 1500)
            xs = {(c.x, c.y) for c in logical.cells}
            self.assertEqual(len(xs), told["elements"])

    def test_conversion(self):
        picture, told = self.draw("nchw", "--to", "nhwc", "--shape",
                                  "1x20x4x5", "--with-logical")
        self.assertEqual([p.name for p in picture.panels],
                         ["from", "to", "logical"])
        shape = {"n": 1, "c": 20, "h": 4, "w": 5}
        self.agree(picture.panels[0], Model("n c h w", shape, 4))
        self.agree(picture.panels[1], Model("n h w c", shape, 4))
        self.assertTrue(told["kernel"])
        self.assertEqual(picture.text.count('class="tile"'), 3 + 1)

    def test_marks_and_walk(self):
        picture, told = self.draw("nchw", "--shape", "8x64x16x16", "--mark",
                                  "here=70000", "--walk", "a")
        self.assertEqual(told["walk"], ["w", "h", "c", "n"])
        panel = picture.panels[0]
        self.assertIn("here", panel.tags)
        self.assertEqual([t for t in panel.tags if t != "here"],
                         ["a:0", "a:1", "a:2", "a:3"])
        self.assertIn(70000, [c.byte for c in panel.cells])


    def test_arrows_cross_no_label(self):
        walk = ["--walk", "a", "--with-logical", "--label", "value",
                "--mark", "here=0", "--mark", "there=64"]
        for args in [["nchw", "--shape", "2x16x5x4"],
                     ["nhwc", "--shape", "n=2,c=16,h=5,w=4"],
                     ["chwn", "--shape", "n=2,c=16,h=5,w=4"],
                     ["nChw8c", "--shape", "2x17x5x4"],
                     ["n h w", "--shape", "n=1000,h=10,w=10"],
                     ["mace.channel", "--shape", "2x7x3x4"],
                     ["okk.aligned(npus=4,npu_bytes=1024,start=2)", "--shape",
                      "2x5x3x4"],
                     ["OIhw4i16o4i", "--shape", "32x32x1x1"]]:
            picture, _ = self.draw(*args, *walk)
            for panel in picture.panels:
                self.assertGreater(len(panel.arrows), 0, args)
                for cell in panel.cells:
                    if not cell.text:
                        continue
                    # The font is 10 pixels high and 6.1 wide.
                    half = len(cell.text) * 6.1 / 2
                    box = (cell.text_x - half, cell.text_y - 7.5,
                           cell.text_x + half, cell.text_y)
                    for x0, y0, x1, y1 in panel.arrows + panel.tag_boxes:
                        self.assertFalse(
                            max(x0, x1) > box[0] and min(x0, x1) < box[2] and
                            max(y0, y1) > box[1] and min(y0, y1) < box[3],
                            (args, panel.name, cell, (x0, y0, x1, y1)))


class Large(DrawTest):

    def test_1e9_elements(self):
        for args in [["nChw16c", "--shape", "1000x1000x100x10"],
                     ["mace.channel", "--shape", "100x1000x100x100"],
                     ["nchw", "--to", "nhwc", "--shape", "1000x1000x100x10",
                      "--with-logical"],
                     ["w", "--shape", "w=1000000000"],
                     ["w:1 h:1000000", "--shape", "w=1000000,h=1000"],
                     ["n |1000000B| c", "--shape", "n=1000000,c=1000",
                      "--with-logical"],
                     *[["row=n h |^4096B| pixel=c/4 w | lane=c%4", "--shape",
                        "n=100,c=1000,h=100,w=100", "--view", view]
                       for view in ("rows", "image", "banks")],
                     ["okk.aligned(npu_bytes=1073741824)", "--shape",
                      "10x1000x500x200", "--with-logical"]]:
            for name in ("x.svg", "x.html"):
                begin = time.monotonic()
                told = self.answer("draw", *args, "--out", self.path(name))
                seconds = time.monotonic() - begin
                self.assertLess(self.path(name).stat().st_size, 1_000_000)
                self.assertTrue(told["elided"])
                if "STRIDEWISE_SLOW" not in os.environ:
                    self.assertLess(seconds, 1, args)

    def test_says_what_is_left_out(self):
        picture, told = self.draw("nchw", "--shape", "64x64x16x16")
        panel = picture.panels[0]
        self.assertTrue(any(re.search(r"\d+ more n\b", text)
                            for _, text in panel.elided), panel.elided)
        self.assertEqual([e["count"] for e in told["panels"][0]["left_out"]],
                         [count for count, _ in panel.elided])
        rows = len({c.y for c in panel.cells}) + sum(n for n, _ in panel.elided)
        self.assertEqual(rows, 64 * 64 * 256 * 4 // 64)
        self.assertIn("left out", picture.legend)
        self.agree(panel, Model("n c h w", {"n": 64, "c": 64, "h": 16, "w": 16},
                                4), whole=False)


class Terminal(DrawTest):

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items()
               if k not in ("NO_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG")}
        return {**env, "TERM": "xterm-256color", **more}

    def in_terminal(self, columns, *args, **more):
        """What the program writes to a terminal of its own."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.clear()
            os.environ.update(self.environment(**more))
            os.execv("/bin/sh", ["sh", "-c", f"stty cols {columns}; exec \"$@\"",
                                 "sh", support.BINARY, "draw", *args])
        text = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        return text.decode("utf-8").replace("\r\n", "\n")

    LAYOUT = ["nChw8c", "--shape", "1x17x4x4"]

    def test_colours_only_on_terminals(self):
        shown = self.in_terminal(100, *self.LAYOUT, LC_ALL="C.UTF-8")
        self.assertIn("\x1b[48;5;", shown)
        self.assertNotIn("\x1b", self.in_terminal(
            100, *self.LAYOUT, LC_ALL="C.UTF-8", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.in_terminal(
            100, *self.LAYOUT, LC_ALL="C.UTF-8", TERM="dumb"))
        done = run("draw", *self.LAYOUT, env=self.environment(LC_ALL="C.UTF-8"))
        self.assertNotIn("\x1b", done.out)
        # Without colours it is the same text.
        plain = re.sub(r"\x1b\[[\d;]*m", "", shown)
        self.assertIn("in a cell: c,h,w", plain)

    def test_fits_the_width(self):
        for columns in (40, 60, 80, 132):
            shown = self.in_terminal(columns, *self.LAYOUT, LC_ALL="C.UTF-8")
            for line in re.sub(r"\x1b\[[\d;]*m", "", shown).split("\n"):
                self.assertLessEqual(len(line), columns, line)
            done = run("draw", *self.LAYOUT,
                       env=self.environment(COLUMNS=str(columns)))
            self.assertLessEqual(max(map(len, done.out.split("\n"))), columns)

    def test_what_does_not_fit_is_told(self):
        for args in [self.LAYOUT, ["nchw", "--shape", "1x2x3x40"],
                     ["nChw16c", "--shape", "1x16x2x4", "--grid", "128"]]:
            for columns in (20, 40, 60, 80):
                done = run("draw", *args, "--label", "offset", "--json",
                           env=self.environment(COLUMNS=str(columns),
                                                LC_ALL="C"))
                told = self.one_object(done)
                body, legend = told["text"].split("\n\nin a cell:")
                rows = [line.split() for line in body.split("\n")[3:]
                        if not line.strip().startswith("...")]
                # Numbers of elements and hatching, after the ruler's number;
                # the first line is the ruler above.
                printed = sum(word.isdigit() or set(word) == {"/"}
                              for row in rows[1:] for word in row[1:])
                self.assertEqual(printed, told["cells"], told["text"])
                self.assertEqual("left out" in legend, told["elided"])
                self.assertEqual(
                    told["elided"],
                    any(panel["left_out"] for panel in told["panels"]))

    def test_a_logical_tensor_does_not_narrow_memory(self):
        for columns in (40, 80):
            env = self.environment(COLUMNS=str(columns))
            alone = self.one_object(run("draw", *self.LAYOUT, "--json",
                                        env=env))
            both = self.one_object(run("draw", *self.LAYOUT, "--with-logical",
                                       "--json", env=env))
            self.assertEqual(both["panels"][0]["columns"],
                             alone["panels"][0]["columns"])
            self.assertGreaterEqual(both["panels"][1]["columns"], 4)
            self.assertFalse(both["elided"])

    def test_jumps_stand_above_their_cells(self):
        done = run("draw", "nhwc", "--shape", "n=1,c=2,h=2,w=3", "--label", "value",
                   "--walk", "b", "--mark", "here=28",
                   env=self.environment(COLUMNS="80", LC_ALL="C"))
        lines = done.out.split("\n")
        cells = next(k for k, line in enumerate(lines)
                     if line.startswith("   0 "))
        tags = lines[cells - 1]
        for name, byte in [("b:0", 0), ("b:1", 8), ("b:2", 24), ("here", 28)]:
            at = lines[cells - 2].index(f"+{byte}")
            self.assertEqual(tags[at:at + len(name)], name)

    def test_a_conversion_names_its_kernel(self):
        args = ["nchw", "--to", "nhwc", "--shape", "1x8x2x2", "--label",
                "offset"]
        told = self.answer("draw", *args)
        self.assertIn(f"[ ] moved by one call of {told['kernel']}",
                      told["text"])
        self.assertIn("[0]", told["text"])
        shown = self.in_terminal(80, *args, LC_ALL="C.UTF-8")
        self.assertNotIn("[0]", shown)
        self.assertIn("moved by one call of", shown)

    def test_box_characters_only_in_utf8(self):
        for locale, ascii_only in [("C", True), ("C.UTF-8", False)]:
            done = run("draw", *self.LAYOUT, env=self.environment(LC_ALL=locale))
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(done.out.isascii(), ascii_only, locale)

    def test_is_the_default(self):
        self.assertEqual(run("draw", *self.LAYOUT).out,
                         run("draw", *self.LAYOUT, "--out", "-").out)
        told = self.answer("draw", *self.LAYOUT)
        self.assertEqual(told["text"], run("draw", *self.LAYOUT).out)


class Data(DrawTest):

    def test_output_never_replaces_the_data(self):
        path = self.path("x.svg")
        np.arange(16, dtype="f4").tofile(path)
        before = path.read_bytes()
        self.refused("draw", "nChw8c", "--shape", "1x9x1x1", "--data", path,
                     "--out", path, says="would replace --data")
        self.assertEqual(path.read_bytes(), before)

    def test_what_should_be_zero_is_written_in_full(self):
        np.array([0, 0, 0, -1.5e20], dtype="f4").tofile(self.path("x.raw"))
        text = run("draw", "c/2 c%2", "--shape", "c=3", "--data",
                   self.path("x.raw")).out
        self.assertIn("!-1.5e+20", text)

    def test_npy_and_raw(self):
        values = np.arange(1 * 2 * 1 * 2 * 8, dtype="f4").reshape(1, 2, 1, 2, 8)
        values[0, 1, :, :, 1:] = 0
        values[0, 1, 0, 1, 7] = 5
        np.save(self.path("x.npy"), values)
        values.tofile(self.path("x.raw"))
        values.astype(">f4").tofile(self.path("big.raw"))
        np.save(self.path("big.npy"), values.astype(">f4"))
        np.save(self.path("fortran.npy"), np.asfortranarray(values))
        for name in ("x.npy", "x.raw", "big.npy", "fortran.npy"):
            picture, told = self.draw("nChw8c", "--shape", "1x9x1x2", "--data",
                                      self.path(name), "--label", "value")
            self.assertEqual(told["nonzero_padding"], 1, name)
            for cell in picture.panels[0].cells:
                value = values.flat[cell.offset]
                self.assertEqual(float(cell.value), value, name)
                if cell.kind == "element":
                    self.assertEqual(float(cell.text), value)
                self.assertEqual(cell.style == "wrong",
                                 cell.kind == "padding" and value != 0)
        self.assertIn("1 padding not zero", picture.legend)

    def test_the_type_comes_from_the_file(self):
        np.save(self.path("x.npy"), np.arange(6, dtype="i2"))
        picture, _ = self.draw("h w", "--shape", "h=2,w=3", "--data",
                               self.path("x.npy"), "--label", "value")
        self.assertEqual([c.text for c in picture.panels[0].cells],
                         ["0", "1", "2", "3", "4", "5"])

    def test_refuses(self):
        np.save(self.path("x.npy"), np.arange(6, dtype="i2"))
        whole = self.path("x.npy").read_bytes()
        self.path("cut.npy").write_bytes(whole[:-1])
        self.path("none.npy").write_bytes(b"")
        layout = ["draw", "h w", "--shape", "h=2,w=3"]
        for more, says in [
                (["--data", self.path("cut.npy")], "promises 12 bytes"),
                (["--data", self.path("none.npy")], ".npy"),
                (["--data", self.path("x.npy"), "--dtype", "f32"], "2 bytes"),
                (["--data", self.path("missing.raw")], "missing.raw"),
                (["--data", self.folder], ""),
                (["--data", self.path("cut.npy"), "--shape", "h=2,w=4"], "")]:
            self.refused(*layout, *more, "--out", self.path("y.svg"), says=says)
            self.assertFalse(self.path("y.svg").exists())


class Files(DrawTest):

    LAYOUT = ["nChw8c", "--shape", "1x9x2x2"]

    def test_html_is_one_file(self):
        self.answer("draw", *self.LAYOUT, "--out", self.path("x.html"),
                    "--with-logical")
        text = self.path("x.html").read_text("utf-8")
        for word in ("http:", "https:", "src=", "@import", "url("):
            found = [m.start() for m in re.finditer(re.escape(word), text)]
            for at in found:
                context = text[at:at + 40]
                self.assertTrue(context.startswith("http://www.w3.org/2000/svg")
                                or context.startswith("url(#"), context)
        self.assertNotIn("{{", text)

    def test_png(self):
        told = self.answer("draw", *self.LAYOUT, "--out", self.path("x.png"))
        data = self.path("x.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(told["bytes"], len(data))
        picture, _ = self.draw(*self.LAYOUT)
        self.assertEqual(int.from_bytes(data[16:20], "big"), picture.width * 2)

    def test_png_without_its_program(self):
        error = self.refused(
            "draw", *self.LAYOUT, "--out", self.path("x.png"),
            env={**os.environ, "PATH": "/nowhere"}, says="rsvg-convert")
        self.assertIn("librsvg2-bin", error)
        self.assertFalse(self.path("x.png").exists())

    def test_svg_stands_on_its_own(self):
        picture, _ = self.draw(*self.LAYOUT)
        self.assertIn("prefers-color-scheme: dark", picture.text)
        self.assertNotIn("<script", picture.text)
        self.assertNotIn("<image", picture.text)
        self.assertEqual(picture.text.count("<style>"), 1)

    def test_hostile(self):
        good = ["draw", *self.LAYOUT]
        out = ["--out", self.path("x.svg")]
        for args, says in [
                ([*good, "--out", self.path("x.gif")], ".svg"),
                ([*good, "--out", ""], "--out"),
                ([*good, "--out", "/nowhere/x.svg"], "nowhere"),
                ([*good, *out, "--label", "indx"], "index"),
                ([*good, *out, "--view", "bank"], "banks"),
                ([*good, *out, "--color", "k"], "k"),
                ([*good, *out, "--color", "c%"], ""),
                ([*good, *out, "--grid", "7"], "whole"),
                ([*good, *out, "--grid", "0"], "--grid is at least 1"),
                ([*good, "--grid", "0"], "--grid is at least 1"),
                (["draw", "mace.channel", "--shape", "1x6x2x3", "--grid", "16",
                  *out], "for rows and banks"),
                ([*good, *out, "--max-columns", "0"], "--max-columns is at"),
                ([*good, *out, "--max-columns", "-3"], "--max-columns is at"),
                ([*good, *out, "--grid", "-64"], ""),
                ([*good, *out, "--max-cells", "0"], "cells"),
                ([*good, *out, "--max-cells", "99999999999"], "cells"),
                ([*good, *out, "--mark", "A"], "NAME=BYTE"),
                ([*good, *out, "--mark", "A=99999"], "outside"),
                ([*good, *out, "--logical", "n c h w"], "two axes"),
                ([*good, *out, "--to", "nhw"], ""),
                ([*good, *out, "--to", "h w", "--shape", "h=2,w=2"], ""),
                (["draw", "n", "--shape", "n=1,c=9", *out], "covered"),
                (["draw", "nchw", "--shape", "9999999999x9999999999x99x99",
                  *out], "")]:
            self.refused(*args, says=says)
            self.assertFalse(self.path("x.svg").exists(), args)

    def test_names_in_a_picture_are_escaped(self):
        picture, _ = self.draw(*self.LAYOUT, "--title", "<b>&\"'", "--mark",
                               "<i>=0", "--walk", "<u>")
        self.assertIn("<i>", picture.panels[0].tags)

    def test_names_may_be_any_bytes(self):
        hostile = b"a\xff\x1b[31m\xc2\x9b\x07"
        args = [*self.LAYOUT, "--title", hostile, "--mark", hostile + b"=0",
                "--walk", hostile]
        picture, told = self.draw(*args)
        self.assertIn("a\ufffd\ufffd[31m", told["title"])
        self.assertIn("a\ufffd\ufffd[31m", picture.text)
        self.answer("draw", *args, "--out", self.path("x.html"))
        for data in (self.path("x.html").read_bytes(),
                     run("draw", *args).out_bytes):
            text = data.decode("utf-8", "strict")
            for bad in "\x1b\x07\x9b":
                self.assertNotIn(bad, text)


class Golden(DrawTest):

    def drawn(self, name, args):
        # The tile of a conversion is the same on every machine.
        portable = {**os.environ, "STRIDEWISE_ISA": "portable"}
        self.answer("draw", *args, "--out", self.path(f"{name}.svg"),
                    env=portable)
        svg = self.path(f"{name}.svg").read_text("utf-8")
        text = {}
        for locale in ("C", "C.UTF-8"):
            text[locale] = run("draw", *args, env={
                **portable, "LC_ALL": locale, "COLUMNS": "80"}).out
        return {f"{name}.svg": svg, f"{name}.ascii.txt": text["C"],
                f"{name}.txt": text["C.UTF-8"]}

    def test_pictures_are_as_they_were(self):
        expected = {}
        for name, args in PICTURES:
            expected |= self.drawn(name, args)
        if "--update" in sys.argv:
            GOLDEN.mkdir(parents=True, exist_ok=True)
            for old in GOLDEN.iterdir():
                old.unlink()
            for name, text in expected.items():
                (GOLDEN / name).write_text(text, "utf-8")
        self.assertEqual({p.name for p in GOLDEN.iterdir()}, set(expected))
        for name, text in expected.items():
            self.assertEqual((GOLDEN / name).read_text("utf-8"), text,
                             f"{name} differs; look at it, then renew with "
                             "tests/cli/test_draw.py --update")


if __name__ == "__main__":
    if "--update" in sys.argv:
        unittest.main(argv=[sys.argv[0], "Golden"])
    support.main()
