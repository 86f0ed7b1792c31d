"""Bytes that hold no element: kept in an existing output with --keep-gaps,
zero without, and never read from an input."""

import unittest

import numpy as np

import support
from model import Model
from support import DTYPE_OF_WIDTH, shape_text

LAYOUTS = [
    ("n:120 c:30 h:8 w", {"n": 2, "c": 3, "h": 3, "w": 5}),
    ("n c/8 h w c%8", {"n": 2, "c": 11, "h": 3, "w": 5}),
    ("c/16 n/16 n%16 c%16", {"n": 5, "c": 19}),
    ("@7 n c:^64B h w", {"n": 2, "c": 3, "h": 3, "w": 5}),
    ("row=n h |^256B| pixel=c/4 w | lane=c%4",
     {"n": 2, "c": 6, "h": 3, "w": 5}),
    ("npu=(c+2)%4 |4096B| n (c+2)/4:^128B h w",
     {"n": 2, "c": 5, "h": 2, "w": 3}),
    ("w:1 h:9", {"h": 4, "w": 6}),  # transposed, with a pitch
]


class Gaps(support.CliTest):

    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(7)

    def bytes(self, *shape):
        return self.random.integers(1, 256, shape, np.uint8)

    def each_case(self):
        """(layout, plain layout, values), for each layout and width; a plain
        raw file of the values is in.bin."""
        for text, shape in LAYOUTS:
            for width in DTYPE_OF_WIDTH:
                target = Model(text, shape, width)
                plain = Model(" ".join(shape), shape, width)
                values = self.bytes(target.elements, width)
                plain.scatter(values).tofile(self.path("in.bin"))
                yield target, plain, values

    def to(self, target, plain, *more, come_from="in.bin", to="out.bin"):
        return self.convert(
            self.path(come_from), self.path(to), plain.text, target.text,
            shape_text(target.shape), DTYPE_OF_WIDTH[target.width], more)

    def equals(self, name, expected, where):
        np.testing.assert_array_equal(
            np.fromfile(self.path(name), np.uint8), expected, str(where))

    def test_kept_in_an_existing_file(self):
        for target, plain, values in self.each_case():
            where = (target.text, target.width)
            old = self.bytes(target.size)
            old.tofile(self.path("out.bin"))
            self.to(target, plain, "--keep-gaps")
            self.equals("out.bin", target.scatter(values, old), where)

    def test_zero_in_an_existing_file_without_the_option(self):
        for target, plain, values in self.each_case():
            where = (target.text, target.width)
            self.bytes(target.size + 100).tofile(self.path("out.bin"))
            self.to(target, plain)
            self.equals("out.bin", target.scatter(values), where)

    def test_zero_in_a_fresh_file(self):
        for more in ([], ["--keep-gaps"]):
            for target, plain, values in self.each_case():
                self.path("out.bin").unlink(missing_ok=True)
                self.to(target, plain, *more)
                self.equals("out.bin", target.scatter(values), target.text)

    def test_never_read_from_the_input(self):
        for target, plain, values in self.each_case():
            target.scatter(values, self.bytes(target.size)).tofile(
                self.path("in.bin"))
            self.to(plain, target)
            self.equals("out.bin", plain.scatter(values), target.text)

    def test_kept_in_an_array(self):
        plain = np.arange(1, 2 * 11 * 3 + 1, dtype="f4").reshape(2, 11, 3)
        for order in "<>":  # swapped elements, but not swapped gaps
            np.save(self.path("in.npy"), plain.astype(order + "f4"))
            old = np.full((2, 2, 3, 8), 1.25, "<f4")
            np.save(self.path("out.npy"), old)
            self.convert(self.path("in.npy"), self.path("out.npy"), "ncw",
                         "nCw8c", more=["--keep-gaps"])
            expected = old.transpose(0, 1, 3, 2).reshape(2, 16, 3).copy()
            expected[:, :11] = plain
            got = np.load(self.path("out.npy"))
            np.testing.assert_array_equal(
                got.transpose(0, 1, 3, 2).reshape(2, 16, 3), expected, order)

    def test_an_existing_file_of_another_size_is_refused(self):
        target = Model(*LAYOUTS[0], 4)
        plain = Model("n c h w", LAYOUTS[0][1], 4)
        plain.scatter(self.bytes(target.elements, 4)).tofile(
            self.path("in.bin"))
        # A raw file may end with the last element, n=1,c=2,h=2,w=4: not before.
        used = 4 * (120 + 2 * 30 + 2 * 8 + 4 + 1)
        for size in (0, used - 4, target.size + 4):
            old = self.bytes(size)
            old.tofile(self.path("out.bin"))
            self.refused("convert", self.path("in.bin"), self.path("out.bin"),
                         "--from", plain.text, "--to", target.text, "--shape",
                         shape_text(target.shape), "--dtype", "f32",
                         "--keep-gaps", says="out.bin")
            self.equals("out.bin", old, "untouched")

    def test_round_trips_through_padded_layouts(self):
        shape = {"n": 2, "c": 11, "h": 3, "w": 5}
        tour = ["n c h w", "n:700 c:60 h:20 w:4", "n c/8 h w c%8",
                "row=n h |^256B| pixel=c/4 w | lane=c%4",
                "npu=(c+3)%4 |65536B| @8 n (c+3)/4:^128B h w",
                "n/4 c h w n%4", "w h c n"]
        models = [Model(text, shape, 2) for text in tour]
        values = self.bytes(models[0].elements, 2)
        models[0].scatter(values).tofile(self.path("0.bin"))
        for k, (here, there) in enumerate(zip(models, models[1:])):
            self.to(there, here, come_from=f"{k}.bin", to=f"{k + 1}.bin")
            self.equals(f"{k + 1}.bin", there.scatter(values), there.text)
            self.to(here, there, come_from=f"{k + 1}.bin", to="back.bin")
            self.equals("back.bin", here.scatter(values), here.text)


if __name__ == "__main__":
    support.main()
