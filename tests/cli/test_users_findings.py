#!/usr/bin/env python3
"""What people needed in public of infer and diff: the layout of real data, and the fault
of a dump in the words of the tensor. NumPy makes the dumps. users.md says who asked, and
where the other answers are.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re

import numpy as np

from arrays import ArrayTest
from support import CliTest, main


def nibbles_of(codes):
    """Two codes of the last dim in each byte, the first one low."""
    return (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8)


class RealData(ArrayTest):
    def findings(self, a, b, *more):
        """What diff says of two arrays that differ."""
        return self.answer("diff", self.npy("a.npy", a), self.npy("b.npy", b),
                           *more, code=1)["findings"]

    def inferred(self, reference, dump, shape, *more):
        return self.answer("infer", self.npy("r.npy", reference),
                           self.raw("d.bin", dump), "--shape", shape, *more,
                           timeout=120)

    def test_a_file_that_says_reorder(self):
        codes = self.codes(64, 256, high=16)
        reference = self.npy("codes.npy", codes)
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        moved = codes.reshape(64, 32, 8)[:, :, order].reshape(64, 256)
        packed = nibbles_of(moved)
        words = ["--shape", "k=64,n=256", "--dtype", "u4"]
        told = self.answer("diff", self.raw("d.bin", packed), reference, "-a",
                           "k n", *words, code=1)
        self.assertEqual(told["differences"], (moved != codes).sum())
        self.assertEqual(told["findings"][0],
                         "n is rearranged: n=1 holds n=2, n=2 holds n=4, n=3 "
                         "holds n=6, n=4 holds n=1 and so on")
        told = self.inferred(codes, packed, *words[1:])
        self.assertEqual(told["expression"], "k n/8 n%2 n%8/2")
        # Linear bytes, read as if they were in AWQ's order.
        told = self.answer("diff", self.raw("d.bin", nibbles_of(codes)),
                           reference, "-a", "awq.gemm", "-b", "k n", *words,
                           code=1)
        self.assertIn("n is rearranged: n=1 holds n=4, n=2 holds n=1",
                      told["findings"][0])

    def test_reversed_sound_is_inferred(self):
        for frames in (300, 16000):
            sound = (self.floats(2, frames) * 10000).astype("i2")
            told = self.answer("infer", self.npy("s.npy", sound),
                               self.raw("d.bin", sound[:, ::-1]), "--shape",
                               f"c=2,t={frames}")
            self.assertEqual(told["expression"], "c ~t")

    def test_long_dims_that_are_reversed(self):
        for dtype in ("i2", "f4"):
            sound = (self.floats(2, 16000) * 10000).astype(dtype)
            told = self.answer("diff", self.raw("d.bin", sound[:, ::-1]),
                               self.npy("s.npy", sound), "-a", "c t",
                               "--shape", "c=2,t=16000", code=1)
            self.assertEqual(told["findings"][0], "t is in reverse order")

    def test_swizzles_of_real_data(self):
        rows = self.floats(128, 64, dtype="f2").reshape(128, 8, 8)
        memory = rows.copy()
        for r in range(128):
            memory[r, np.arange(8) ^ r % 8] = rows[r]
        told = self.answer("infer", self.npy("r.npy", rows.reshape(128, 64)),
                           self.raw("d.bin", memory), "--shape", "r=128,c=64")
        got = self.decoded(self.path("d.bin"), told["expression"],
                           "r=128,c=64", "f16")
        np.testing.assert_array_equal(got, rows.reshape(128, 64))

    def test_fused_dims_of_real_data(self):
        w = self.floats(37, 3, 3, 3, dtype="f2")
        k = np.pad(w, [(0, 11), (0, 1), (0, 0), (0, 0)]).transpose(0, 2, 3, 1)
        blocks = np.pad(k.reshape(48, 36), [(0, 0), (0, 12)])
        memory = blocks.reshape(3, 16, 3, 16).transpose(2, 0, 1, 3)
        told = self.answer("infer", self.npy("w.npy", w),
                           self.raw("d.bin", memory), "--shape",
                           "n=37,c=3,h=3,w=3")
        got = self.decoded(self.path("d.bin"), told["expression"],
                           "n=37,c=3,h=3,w=3", "f16")
        np.testing.assert_array_equal(got, w)

    def test_rows_of_two_matrices_in_turn(self):
        w = self.floats(16, 24)
        dump = np.stack([w[:8], w[8:]], 1)
        told = self.inferred(w, dump, "n=16,k=24")
        self.assertEqual((told["expression"], told["matching"]),
                         ("n%8 n/8 k", 384))
        told = self.findings(dump.reshape(16, 24), w)
        self.assertIn("n is rearranged: n=1 holds n=8, n=2 holds n=1", told[0])

    def test_mirrored_dims(self):
        kernels = self.floats(4, 3, 3, 5)
        told = self.findings(kernels[:, :, ::-1, ::-1], kernels)
        self.assertEqual(told[0], "h and w are in reverse order")
        picture = self.codes(60, 70, 3)
        for expression, view in (("~h w c", picture[::-1]),
                                 ("h ~w c", picture[:, ::-1]),
                                 ("~h ~w c", picture[::-1, ::-1])):
            told = self.inferred(picture, view, "h=60,w=70,c=3")
            self.assertEqual(told["expression"], expression)

    def test_a_swizzle_and_fused_dims_by_a_probe(self):
        def swizzled(array):
            memory = np.zeros(2048, np.uint8)
            places = np.arange(0, 2048, 2)
            places ^= (places >> 7 & 7) << 4
            memory[places] = array.view(np.uint8).ravel()[::2]
            memory[places + 1] = array.view(np.uint8).ravel()[1::2]
            return memory

        def fractal(array):
            channels = np.pad(array, [(0, 12), (0, 1), (0, 0), (0, 0)])
            rows = channels.transpose(0, 2, 3, 1).reshape(32, 36)
            blocks = np.pad(rows, [(0, 0), (0, 12)]).reshape(2, 16, 3, 16)
            return blocks.transpose(2, 0, 1, 3)

        for shape, memory, name, places in (
                ("r=16,c=64", swizzled, "tma.swizzle-128B", {"r=1,c=0": 144}),
                ("n=20,c=3,h=3,w=3", fractal, "FRACTAL_Z_C04", {})):
            probe = self.path("p.npy")
            self.answer("probe", probe, "--shape", shape, "--dtype", "f16")
            array = np.load(probe)
            dump = self.raw("d.bin", memory(array))
            told = self.answer("infer", probe, dump, "--shape", shape,
                               timeout=120)
            self.assertEqual(told["outcome"], "one fits")
            for layout in (told["expression"], name):
                np.testing.assert_array_equal(
                    self.decoded(dump, layout, shape, "f16"), array)
                for place, byte in places.items():
                    at = self.answer("at", layout, "--shape", shape, "--dtype",
                                     "f16", place)
                    self.assertEqual(at["byte"], byte)

    def test_a_swizzle_is_another_layout(self):
        rows = self.floats(16, 64, dtype="f2")
        memory = rows.reshape(16, 8, 8).copy()
        for r in range(16):
            memory[r, np.arange(8) ^ r % 8] = rows.reshape(16, 8, 8)[r]
        told = self.findings(memory.reshape(16, 64), rows)
        self.assertIn("A has the values of B in other places: its layout is "
                      "another one (infer tells which)", told)

    def test_colours_the_other_way_round(self):
        rgb = self.floats(1, 3, 8, 9)
        bgr = np.ascontiguousarray(rgb[:, ::-1].transpose(0, 2, 3, 1))
        told = self.inferred(rgb, bgr, "n=1,c=3,h=8,w=9")
        self.assertEqual(told["expression"], "n h w ~c")
        told = self.answer("diff", self.raw("d.bin", bgr),
                           self.npy("r.npy", rgb), "-a", "nhwc", "-b", "nchw",
                           "--shape", "n=1,c=3,h=8,w=9", code=1)
        self.assertEqual(told["differences"], 144)
        self.assertEqual(told["findings"][0], "c=0 and c=2 are swapped")

    def test_nothing_is_said_of_what_has_nothing_in_common(self):
        for shape in ((64, 64), (4096,), (2, 16, 8, 9), (16, 3, 3, 3)):
            for values in (2, 3, 4, 6):
                a = self.codes(*shape, high=values)
                told = self.findings(a, self.codes(*shape, high=values))
                self.assertEqual(told, [], (shape, values))
        # Half of the indices of the only dim are no pattern.
        x = self.floats(1000)
        y = x.copy()
        y[self.rng.permutation(1000)[:517]] += 1
        self.assertEqual(self.findings(y, x), [])

    def test_one_channel_of_three_is_written(self):
        for shape in ((1, 2, 3), (40, 50, 3)):
            picture = np.zeros(shape, np.uint8)
            picture[..., 0] = 1
            told = self.findings(picture, np.ones(shape, np.uint8), "-a",
                                 "h w c", "--shape",
                                 "h={},w={},c={}".format(*shape))
            self.assertEqual(told, ["all of c=1..2"])

    def test_tensors_without_elements(self):
        empty = self.npy("e.npy", np.zeros((2, 0, 3), "f4"))
        out = self.path("o.npy")
        told = self.answer("check", empty)
        self.assertEqual((told["ok"], told["elements"]), (True, 0))
        self.assertTrue(self.answer("diff", empty, empty)["equal"])
        self.answer("decode", empty, out, "--from", "a b c")
        self.assertEqual(np.load(out).shape, (2, 0, 3))
        self.convert(empty, out, "a b c", "c a b")
        self.assertEqual(np.load(out).shape, (3, 2, 0))
        self.assertIn("without elements",
                      self.refused("infer", empty, empty))


class Table(CliTest):
    """users.md names a test for each of what people asked."""

    def test_each_test_is_there(self):
        folder = pathlib.Path(__file__).resolve().parent
        rows = [line for line in (folder / "users.md").read_text().splitlines()
                if line.startswith("|")][2:]
        self.assertGreaterEqual(len(rows), 57)
        for row in rows:
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            self.assertEqual(len(cells), 3, row)
            tests = re.findall(r"`(\w+\.py)` ((?:`\w+`(?:, )?)+)", cells[2])
            self.assertGreater(len(tests), 0, row)
            for file, names in tests:
                text = (folder / file).read_text()
                for name in re.findall(r"\w+", names):
                    self.assertIn(f"def {name}(self", text, row)


if __name__ == "__main__":
    main()
