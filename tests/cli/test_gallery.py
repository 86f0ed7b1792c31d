"""docs/gallery: drawn again it is the same, each cell is right by an
independent model, and the documents' own numbers are in the pictures."""

import filecmp
import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np

import support
from model import Model
from svg import Picture
from test_draw import DrawTest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GALLERY = ROOT / "docs" / "gallery"
WIDTH = {"f32": 4, "s8": 1, "s16": 2, "f16": 2, "u8": 1}

# Of the documents: figure, element, NPU, offset in the NPU in elements.
PLACES = [
    ("okk-scatter-0", "n=0,c=6", 6, 0), ("okk-scatter-0", "n=1,c=0", 0, 1),
    ("okk-scatter-1", "n=0,c=0", 1, 0), ("okk-scatter-1", "n=1,c=6", 7, 1),
    ("okk-scatter-2", "n=0,c=8", 0, 1), ("okk-scatter-2", "n=1,c=9", 1, 3),
    ("okk-scatter-3", "n=0,c=0", 7, 0), ("okk-scatter-3", "n=0,c=1", 0, 1),
    ("okk-scatter-3", "n=0,c=9", 0, 2), ("okk-scatter-3", "n=1,c=0", 7, 3),
    ("okk-stride-0", "n=0,c=0,h=0,w=3", 0, 6),
    ("okk-stride-0", "n=0,c=3,h=2,w=0", 3, 32),
    ("okk-stride-0", "n=0,c=4,h=0,w=0", 0, 56),
    ("okk-stride-0", "n=1,c=4,h=2,w=3", 0, 120 + 56 + 32 + 6),
    ("okk-stride-1", "n=0,c=0,w=9", 1, 18),
    ("okk-stride-1", "n=1,c=2,w=0", 3, 120),
    ("okk-aligned-0", "n=1,c=0,h=0,w=0", 0, 32),
    ("okk-aligned-0", "n=1,c=2,h=3,w=4", 2, 32 + 19),
    ("okk-aligned-2", "n=0,c=0,h=0,w=0", 2, 0),
    ("okk-aligned-2", "n=0,c=2,h=0,w=0", 0, 32),
    ("okk-aligned-2", "n=1,c=0,h=0,w=0", 2, 64),
    ("okk-compact-0", "n=1,c=1,h=0,w=0", 1, 20),
    ("okk-compact-2", "n=0,c=2,h=0,w=0", 0, 20),
    ("okk-compact-2", "n=1,c=0,h=0,w=0", 2, 40),
    ("okk-matrix-40", "r=1,m=0", 0, 64), ("okk-matrix-40", "r=0,m=39", 0, 39),
    ("okk-matrix-20", "r=1,m=20", 1, 32), ("okk-matrix-10", "r=0,m=39", 3, 9),
    ("okk-matrix-8", "r=0,m=32", 0, 32), ("okk-matrix-8", "r=1,m=0", 0, 64),
    ("okk-matrix-15", "r=1,m=39", 2, 32 + 9),
    ("okk-matrix-6", "r=0,m=36", 2, 32), ("okk-matrix-6", "r=1,m=39", 2, 99),
    # In words of four bytes: C stride 32, N stride 64.
    ("okk-4n", "n=4,c=0,h=0,w=0", 0, 4 * 64),
    ("okk-4n", "n=5,c=0,h=0,w=0", 0, 4 * 64 + 1),
    ("okk-4n", "n=3,c=4,h=0,w=0", 0, 4 * 32 + 3),
    ("okk-2n", "n=2,c=0,h=0,w=0", 0, 2 * 64),
    ("okk-2n", "n=1,c=4,h=0,w=0", 0, 2 * 32 + 1),
]
# Elements, padding, gaps of the legend that the documents state.
COUNTS = {
    "mkldnn-strides": (24, 0, 8),  # two after each of four rows
    "mkldnn-padded": (17 * 6, 7 * 6, 0),
    "mkldnn-nchw8c": (640, 0, 0),
    "okk-scatter-0": (14, 2, None), "okk-scatter-1": (14, 2, None),
    "okk-scatter-2": (20, 12, None),  # X-2 = 6 empty blocks a batch
    "okk-scatter-3": (20, 28, None),  # 2 * (X-1) a batch
    "okk-4n": (600, None, None), "okk-2n": (300, None, None),
}


def dims_of(entry):
    """The model's shape, from the command that draws the figure."""
    arguments = entry["arguments"]
    shape = arguments[arguments.index("--shape") + 1]
    dtype = (arguments[arguments.index("--dtype") + 1]
             if "--dtype" in arguments else "f32")
    return shape, WIDTH[dtype]


def labels(*extents, hide=()):
    """An array of the index of each element, as a cell's label says it."""
    array = np.empty(extents, object)
    for index in np.ndindex(*extents):
        array[index] = ",".join(str(x) for d, x in enumerate(index)
                                if d not in hide)
    return array


def family_labels():
    """The labels of memory, from one cell to the next."""
    blocks = []
    for b in range(2):
        quants = np.array([str(32 * b + k) for k in range(32)])
        blocks += [str(b), "", "", "", *quants.reshape(2, 16).T.ravel()]
    awq = labels(4, 16).reshape(4, 2, 8)[..., [0, 2, 4, 6, 1, 3, 5, 7]]
    pages = labels(1, 16, 4, hide=[0]).reshape(4, 4, 4)
    memory = np.empty_like(pages)
    memory[[2, 0, 3, 1]] = pages
    rows = labels(8, 32).reshape(8, 8, 4)
    swizzled = np.array([[rows[r, g ^ r] for g in range(8)] for r in range(8)])
    fractal = np.full((8, 16), "", object)  # n, then k = h w and four channels
    for n, c, h, w in np.ndindex(5, 3, 2, 2):
        fractal[n, (h * 2 + w) * 4 + c] = f"{n},{c},{h},{w}"
    fractal = fractal.reshape(8, 2, 8).swapaxes(0, 1)
    nv12 = [*labels(4, 8).ravel(), *labels(2, 4, 2).ravel()]
    mirrored = labels(3, 5, 3)[:, ::-1, ::-1]
    return {"family-q4-0": blocks, "family-awq": list(awq.ravel()),
            "family-pages": list(memory.ravel()),
            "family-swizzle-128B": list(swizzled.ravel()),
            "family-fractal": list(fractal.ravel()), "family-nv12": nv12,
            "family-mirrored": list(mirrored.ravel())}


class Gallery(DrawTest):

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(ROOT / "tools"))
        import gallery  # noqa: the tool is a program, and its list the truth
        def named(sections):
            return {entry["name"]: entry for _, figures in sections
                    for entry in figures}
        cls.plain = named(gallery.SECTIONS)
        cls.figures = named(gallery.SECTIONS + gallery.FAMILIES)

    def read(self, name):
        return Picture((GALLERY / f"{name}.svg").read_text("utf-8"))

    def test_draws_again_the_same(self):
        subprocess.run([sys.executable, ROOT / "tools" / "gallery.py",
                        support.BINARY, self.folder / "again"], check=True)
        again = {p.name for p in (self.folder / "again").iterdir()}
        self.assertEqual(again, {p.name for p in GALLERY.iterdir()})
        for name in sorted(again):
            self.assertTrue(
                filecmp.cmp(self.folder / "again" / name, GALLERY / name,
                            shallow=False),
                f"{name} differs; look at it, then renew with "
                "tools/gallery.py ./run")

    def test_the_page_shows_every_figure_once(self):
        page = (GALLERY / "README.md").read_text("utf-8")
        shown = re.findall(r"!\[[^]]*\]\(([\w-]+)\.svg\)", page)
        self.assertEqual(sorted(shown), sorted(self.figures))
        self.assertEqual(len(set(shown)), len(shown))

    def test_every_cell(self):
        for name, entry in self.plain.items():
            with self.subTest(name):
                shape, width = dims_of(entry)
                picture = self.read(name)
                panel = picture.panels[0]
                if "=" not in shape:
                    told = self.answer("show", entry["arguments"][0], "--shape",
                                       shape, "--dtype",
                                       {4: "f32", 2: "s16", 1: "s8"}[width])
                    dims = told["dims"]
                else:
                    dims = {k: int(v) for k, v in (
                        part.split("=") for part in shape.split(","))}
                self.agree(panel, Model(panel.expression, dims, width),
                           whole=not panel.elided)

    def test_every_cell_beyond_plain_digits(self):
        """The labels of all cells, in the order of memory, as NumPy lays the
        tensor out; what holds no element has an empty one."""
        for name, want in family_labels().items():
            with self.subTest(name):
                cells = sorted(self.read(name).panels[0].cells,
                               key=lambda cell: cell.offset)
                self.assertEqual([cell.offset for cell in cells],
                                 list(range(len(want))))
                self.assertEqual([cell.text or "" for cell in cells], want)
        self.assertEqual(sorted(family_labels()),
                         sorted(set(self.figures) - set(self.plain)))

    def test_small_enough_for_a_page(self):
        for name in self.figures:
            size = (GALLERY / f"{name}.svg").stat().st_size
            self.assertLess(size, 200_000, name)
            self.assertLessEqual(self.read(name).width, 1250, name)
            self.assertLessEqual(self.read(name).height, 930, name)

    def test_numbers_of_the_documents(self):
        for name, text, npu, offset in PLACES:
            index = {k: int(v) for k, v in
                     (part.split("=") for part in text.split(","))}
            picture = self.read(name)
            width = dims_of(self.figures[name])[1]
            bank = int(re.search(r"npu_bytes=(\d+)",
                                 str(self.figures[name])).group(1))
            cells = [c for c in picture.panels[0].cells if c.index is not None
                     and index.items() <= c.index.items()
                     and all(v == 0 for k, v in c.index.items()
                             if k not in index)]
            self.assertEqual([c.byte for c in cells],
                             [npu * bank + offset * width], (name, text))

    def test_counts_of_the_documents(self):
        for name, (elements, padding, gaps) in COUNTS.items():
            legend = self.read(name).legend.replace(",", "")
            self.assertIn(f"{elements} elements", legend, name)
            if padding is not None:
                self.assertIn(f"{padding} padding", legend, name)
            if gaps is not None:
                self.assertIn(f"{gaps} gap", legend, name)

    def test_addresses(self):
        picture = self.read("okk-address")
        self.assertEqual(picture.panels[0].tags, ["A=340", "B=1472", "C=2300",
                                                  "D=3088"])
        for address, npu, rest in [(340, 0, 340), (1472, 1, 448),
                                   (2300, 2, 252), (3088, 3, 16)]:
            cell = next(c for c in picture.panels[0].cells
                        if c.byte == address)
            self.assertEqual(cell.index, {"a": npu, "b": rest // 4})

    def test_values_of_the_activation(self):
        for name, offset in [
                ("mkldnn-activations", None),
                ("mkldnn-plain-nchw", lambda n, c, h, w:
                 n * 320 + c * 20 + h * 4 + w),
                ("mkldnn-plain-nhwc", lambda n, c, h, w:
                 n * 320 + h * 64 + w * 16 + c),
                ("mkldnn-plain-chwn", lambda n, c, h, w:
                 c * 40 + h * 8 + w * 2 + n),
                ("mkldnn-nchw8c", lambda n, c, h, w:
                 n * 320 + c // 8 * 160 + h * 32 + w * 8 + c % 8)]:
            for cell in self.read(name).panels[0].cells:
                if cell.kind != "element":
                    continue
                i = cell.index
                self.assertEqual(int(cell.text), i["n"] * 320 + i["c"] * 20 +
                                 i["h"] * 4 + i["w"], name)
                if offset:
                    self.assertEqual(cell.offset, offset(**i), name)

    def test_jumps_of_the_document(self):
        for tag, letter in [("nchw", "a"), ("nhwc", "b"), ("chwn", "c")]:
            for panel in self.read(f"mkldnn-plain-{tag}").panels:
                self.assertEqual(sorted(set(panel.tags)),
                                 [f"{letter}:{k}" for k in range(4)], tag)


if __name__ == "__main__":
    support.main()
