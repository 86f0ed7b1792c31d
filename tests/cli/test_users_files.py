#!/usr/bin/env python3
"""What people needed of files: arrays without dims, views that are written into what they
are read from, big-endian bytes. users.md says who asked, and where the other answers are.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from arrays import ArrayTest
from support import main, run


class Files(ArrayTest):
    def test_small_floats_and_a_golden_of_f32(self):
        # Two types: what the coarser one rounds by is allowed, as with f64 and f16.
        x = self.floats(1, 40, 6, 5)
        for dtype in ("f8_e4m3fn", "f8_e5m2", "f6_e2m3", "f4"):
            dump = self.path("d.bin")
            dump.write_bytes(self.converted(x, "n c h w", "nChw16c",
                                            "--to-dtype", dtype))
            for golden in ("f8", "f4"):
                told = self.answer(
                    "diff", dump, self.npy("g.npy", x.astype(golden)), "-a",
                    "nChw16c", "--dtype-a", dtype)
                self.assertTrue(told["equal"], (dtype, golden))

    def test_arrays_without_dims_in_diff_and_decode(self):
        three, four = np.float32(3), np.float32(4)
        np.save(self.path("s.npy"), three)
        np.save(self.path("t.npy"), four)
        with self.subTest("diff"):
            self.assertTrue(self.answer("diff", self.path("s.npy"),
                                        self.path("s.npy"))["equal"])
            told = self.answer("diff", self.path("s.npy"), self.path("t.npy"),
                               code=1)
            self.assertEqual(told["differences"], 1)
        with self.subTest("diff -"):
            self.assertTrue(self.answer("diff", self.path("s.npy"),
                                        self.path("s.npy"), "-a",
                                        "-")["equal"])
        with self.subTest("decode -"):
            self.answer("decode", self.path("s.npy"), self.path("o.npy"),
                        "--from", "-")
            self.assertEqual(np.load(self.path("o.npy")), 3)
        with self.subTest("infer"):
            error = self.refused("infer", self.path("s.npy"),
                                 self.path("s.npy"))
            self.assertNotIn("expected an extent", error)
        with self.subTest("raw"):
            self.path("s.bin").write_bytes(three.tobytes())
            self.convert(self.path("s.bin"), self.path("o.npy"), "-", "-",
                         dtype="f32")
            self.assertEqual(np.load(self.path("o.npy")), 3)

    def test_decode_of_an_array_needs_no_layout(self):
        x = self.floats(2, 3, 4)
        self.answer("decode", self.npy("x.npy", x), self.path("o.npy"))
        np.testing.assert_array_equal(np.load(self.path("o.npy")), x)

    def test_views_are_written_into_what_they_are_read_from(self):
        # Both are read from these files.
        parent, region = self.codes(1, 3, 40, 50), self.codes(1, 3, 20, 20)
        blocks, codes = self.codes(2, 3, 18), self.codes(2, 3, 16)
        for whole, part, window, plain, layout in (
                (parent, region, np.s_[:, :, 10:30, 5:25], "n c h w",
                 "@505 n:6000 c:2000 h:50 w"),
                (blocks, codes, np.s_[:, :, 2:], "r b j", "@2 r b:18 j")):
            with self.subTest(layout):
                file = self.raw("whole.bin", whole)
                want = whole.copy()
                want[window] = part
                self.convert(self.npy("part.npy", part), file, plain, layout,
                             more=["--keep-gaps"])
                self.assertEqual(file.read_bytes(), want.tobytes())

    def test_big_endian_dumps_are_inferred(self):
        x = self.floats(1, 40, 6, 5)
        told = self.answer("infer", self.npy("x.npy", x),
                           self.raw("d.bin", x.astype(">f4")), "--byte-order",
                           "big")
        self.assertEqual(told["expression"], "n c h w")

    def test_doctor_of_a_quantised_dump(self):
        x = self.floats(1, 40, 6, 5)
        dump = self.path("d.bin")
        dump.write_bytes(self.converted(x, "n c h w", "nChw16c", "--to-dtype",
                                        "s8", "--scale", "0.05"))
        told = self.answer("doctor", self.npy("x.npy", x), dump, "--dtype",
                           "s8")
        self.assertIn("n c/16 h w c%16", told["layout"])

    def test_numpys_big_endian_name_is_no_float_of_four_bits(self):
        self.raw("d.bin", np.arange(4, dtype=">f4"))
        done = run("decode", self.path("d.bin"), self.path("o.npy"), "--from",
                   "x", "--shape", "x=4", "--dtype", ">f4")
        self.assertNotIn("did you mean 'f4'", done.err)
        self.assertIn("--byte-order", done.err)

    def test_a_plane_in_a_frame_is_no_rotation(self):
        frame = self.codes(168, 56)
        told = self.answer("infer", self.npy("u.npy", frame[112:139, :48]),
                           self.raw("d.bin", frame), "--shape", "h=27,w=48")
        self.assertNotIn("%", told["expression"])
        # What it says of this frame holds for the next one, of more rows in the plane.
        other = self.codes(168, 56)
        got = self.decoded(self.raw("o.bin", other), told["expression"],
                           "h=40,w=48", "u8")
        np.testing.assert_array_equal(got, other[112:152, :48])


if __name__ == "__main__":
    main()
