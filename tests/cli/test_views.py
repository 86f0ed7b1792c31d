#!/usr/bin/env python3
"""Views: windows of a memory as source and destination of convert; NumPy slices beside."""

import numpy as np

from support import CliTest, main


class Windows(CliTest):
    def setUp(self):
        super().setUp()
        self.x = np.arange(6 * 8 * 3, dtype=np.float32).reshape(6, 8, 3)
        np.save(self.path("x.npy"), self.x)
        self.x.tofile(self.path("x.bin"))

    def window(self, source, target, come_from, to, *more):
        return self.answer("convert", self.path(source), self.path(target),
                           "--from", come_from, "--to", to, *more)

    def test_crop(self):
        self.window("x.npy", "y.npy", "h w c", "c h w", "--from-window",
                    "h=1..4,w=2..7")
        self.assertTrue((np.load(self.path("y.npy")) ==
                         self.x[1:4, 2:7].transpose(2, 0, 1)).all())
        # Raw, blocked, and to the last index.
        self.window("x.bin", "y.bin", "h w c", "w/4 h c w%4", "--shape",
                    "h=6,w=8,c=3", "--dtype", "f32", "--from-window", "w=4..")
        self.assertTrue((np.fromfile(self.path("y.bin"), "f4").reshape(6, 3, 4)
                         == self.x[:, 4:].transpose(0, 2, 1)).all())
        # From an array in Fortran order.
        np.save(self.path("f.npy"), np.asfortranarray(self.x))
        self.window("f.npy", "y.npy", "h w c", "h w c", "--from-window",
                    "h=..2,c=1..2")
        self.assertTrue((np.load(self.path("y.npy")) ==
                         self.x[:2, :, 1:2]).all())

    def test_paste(self):
        patch = -np.arange(2 * 3 * 3, dtype=np.float32).reshape(3, 2, 3)
        np.save(self.path("patch.npy"), patch)  # c h w
        right = self.x.copy()
        right[4:6, 5:8] = patch.transpose(1, 2, 0)
        for name in ("x.npy", "x.bin"):
            self.window("patch.npy", name, "c h w", "h w c", "--to-window",
                        "h=4..6,w=5..8", "--shape", "h=6,w=8,c=3")
        self.assertTrue((np.load(self.path("x.npy")) == right).all())
        self.assertEqual(self.path("x.bin").read_bytes(), right.tobytes())

    def test_concat(self):
        for k in range(3):
            self.x[..., k:k + 1].tofile(self.path("one.bin"))
            self.window("one.bin", "all.npy", "h w c", "h w c", "--to-window",
                        f"c={k}..{k + 1}", "--shape", "h=6,w=8,c=3",
                        "--dtype", "f32")
        self.assertTrue((np.load(self.path("all.npy")) == self.x).all())

    def test_from_one_image_into_another(self):
        np.save(self.path("big.npy"), np.zeros((3, 20, 30), np.float32))
        self.window("x.npy", "big.npy", "h w c", "c h w", "--from-window",
                    "h=1..3,w=0..5", "--to-window", "h=10..12,w=20..25",
                    "--shape", "h=6,w=8,c=3", "--to-shape", "h=20,w=30,c=3")
        big = np.load(self.path("big.npy"))
        self.assertTrue((big[:, 10:12, 20:25] ==
                         self.x[1:3, :5].transpose(2, 0, 1)).all())
        big[:, 10:12, 20:25] = 0
        self.assertFalse(big.any())
        # A shift within extents that are alike; the array tells them.
        self.window("x.npy", "y.npy", "h w c", "h w c", "--from-window",
                    "h=1..", "--to-window", "h=..5")
        y = np.load(self.path("y.npy"))
        self.assertTrue((y[:5] == self.x[1:]).all() and not y[5].any())

    def test_sidecars_tell_of_all_of_the_memory(self):
        self.window("x.npy", "y.bin", "h w c", "w h c", "--to-window",
                    "h=0..6", "--shape", "h=10,w=8,c=3", "--sidecar")
        self.assertEqual(self.answer("decode", self.path("y.bin"),
                                     self.path("y.npy"))["shape"],
                         "h=10,w=8,c=3")
        y = np.load(self.path("y.npy"))
        # IN's extents are not OUT's: they are asked for.
        self.refused("convert", self.path("y.bin"), self.path("z.bin"), "--to",
                     "h w c", "--to-window", "h=0..10", says="--shape")
        self.window("y.bin", "z.npy", "w h c", "h w c", "--from-window",
                    "h=2..6", "--to-window", "h=..4", "--to-shape",
                    "h=4,w=8,c=3")
        self.assertTrue((np.load(self.path("z.npy")) == self.x[2:6]).all())

    def test_bytes_that_move(self):
        moved = self.window("x.npy", "y.bin", "h w c", "h w c",
                            "--from-window", "h=1..3")
        self.assertEqual((moved["bytes_read"], moved["bytes_written"]),
                         (192, 192))
        moved = self.window("y.bin", "x.bin", "h w c", "h w c", "--to-window",
                            "h=1..3", "--shape", "h=6,w=8,c=3", "--dtype",
                            "f32")
        self.assertEqual((moved["bytes_read"], moved["bytes_written"]),
                         (192, 192))

    def test_a_field_of_a_record(self):
        record = np.zeros(7, np.dtype([("id", "<u4"), ("xyz", "<f4", 3),
                                       ("flags", "u1")], align=False))
        record["xyz"] = np.arange(21).reshape(7, 3)
        record["id"] = 100 + np.arange(7)
        self.path("r.bin").write_bytes(record.tobytes())
        layout = "r { id:u32 = - ; xyz:f32 = c ; flags:u8 = - }"
        self.window("r.bin", "xyz.npy", layout, "r c", "--part", "xyz",
                    "--shape", "r=7,c=3", "--from-window", "r=2..5")
        self.assertTrue((np.load(self.path("xyz.npy")) ==
                         record["xyz"][2:5]).all())
        np.save(self.path("y.npy"), record["xyz"][:2, 1:2] + 0.5)
        self.window("y.npy", "r.bin", "r c", layout, "--part", "xyz",
                    "--shape", "r=7,c=3", "--to-window", "r=..2,c=1..2")
        record["xyz"][:2, 1:2] += 0.5
        self.assertEqual(self.path("r.bin").read_bytes(), record.tobytes())

    def test_arrays_that_are_not_what_convert_writes(self):
        patch = self.x[:2]
        np.save(self.path("patch.npy"), patch)
        for array, word in ((np.asfortranarray(self.x), "Fortran order"),
                            (self.x.astype(">f4"), "big-endian f32"),
                            (self.x.astype("<i4"), "s32"),
                            (self.x[:5], "5x8x3")):
            np.save(self.path("y.npy"), array)
            before = self.path("y.npy").read_bytes()
            self.refused("convert", self.path("patch.npy"), self.path("y.npy"),
                         "--from", "h w c", "--to", "h w c", "--to-window",
                         "h=0..2", "--shape", "h=6,w=8,c=3", says=word)
            self.assertEqual(self.path("y.npy").read_bytes(), before)

    def test_values_change_on_the_way(self):
        self.window("x.npy", "y.npy", "h w c", "h w c", "--from-window",
                    "h=2..3", "--to-dtype", "f16")
        y = np.load(self.path("y.npy"))
        self.assertEqual(y.dtype, np.float16)
        self.assertTrue((y == self.x[2:3]).all())

    def test_big_endian(self):
        np.save(self.path("b.npy"), self.x[:2].astype(">f4"))
        self.window("b.npy", "x.bin", "h w c", "h w c", "--to-window",
                    "h=3..5", "--shape", "h=6,w=8,c=3")
        self.x[3:5] = self.x[:2].copy()
        self.assertEqual(self.path("x.bin").read_bytes(), self.x.tobytes())

    def test_elements_below_a_byte(self):
        nibbles = np.arange(64, dtype=np.uint8).reshape(4, 16) % 16
        packed = nibbles[:, ::2] | nibbles[:, 1::2] << 4
        self.path("q.bin").write_bytes(packed.tobytes())
        self.window("q.bin", "q.npy", "r k", "r k", "--dtype", "u4", "--shape",
                    "r=4,k=16", "--from-window", "r=1..3,k=3..10")
        self.assertTrue((np.load(self.path("q.npy")) ==
                         nibbles[1:3, 3:10]).all())
        np.save(self.path("one.npy"), np.full((1, 3), 9, np.uint8))
        self.window("one.npy", "q.bin", "r k", "r k", "--dtype", "u4",
                    "--shape", "r=4,k=16", "--to-window", "r=2..3,k=5..8")
        nibbles[2, 5:8] = 9
        packed = nibbles[:, ::2] | nibbles[:, 1::2] << 4
        self.assertEqual(self.path("q.bin").read_bytes(), packed.tobytes())

    def test_what_is_refused(self):
        before = self.path("x.bin").read_bytes()
        args = ["convert", self.path("x.npy"), self.path("x.bin"), "--from",
                "h w c", "--to", "h w c"]
        for more, words in (
                (["--from-window", "z=0..1"], "no such dim"),
                (["--from-window", "h=0..7"], "6 indices"),
                (["--from-window", "h=3..3"], "empty"),
                (["--from-window", "h=4..2"], "empty"),
                (["--from-window", "h=0..1,h=1..2"], "already"),
                (["--from-window", "h"], "expected '='"),
                (["--from-window", "h=2"], "'..'"),
                (["--from-window", "h=-1..2"], "number"),
                (["--from-window", "h=0..99999999999999999999"], "64 bits"),
                (["--from-window", "h=0..1;"], "expected"),
                (["--to-window", "h=0..1"], "--shape"),
                (["--to-window", "h=0..1", "--shape", "h=6,w=8,c=3"], "takes 96"),
                (["--to-shape", "h=6,w=8,c=3"], "--from-window"),
                (["--from-window", ""], "empty"),
                (["--to-window", "", "--shape", "h=6,w=8,c=3"], "empty"),
                (["--from-window", "h=1..2,"], "a dim"),
                (["--from-window", "h=0..2", "--to-window", "h=0..1",
                  "--shape", "h=6,w=8,c=3"], "")):
            with self.subTest(more):
                self.refused(*args, *more, says=words)
                self.assertEqual(self.path("x.bin").read_bytes(), before)
        self.refused("convert", self.path("x.bin"), self.path("y.bin"),
                     "--from", "h!4 w h c", "--to", "h w c", "--dtype", "f32",
                     "--shape", "h=6,w=8,c=3", "--from-window", "h=1..2",
                     says="cut")


if __name__ == "__main__":
    main()
