#!/usr/bin/env python3
"""What people asked for in public and were refused, or given wrong bytes: each with the
right answer, made by NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from arrays import ArrayTest
from support import main, run


class Users(ArrayTest):
    def ran(self, *args):
        done = run(*args)
        self.assertEqual(done.code, 0, f"{args}\n{done.err}")
        return done

    def test_a_shape_in_the_order_of_its_tag(self):
        picture = np.arange(24, dtype=np.uint8).reshape(1, 2, 3, 4)
        file = self.raw("nhwc.raw", picture)
        out = self.path("got.raw")
        args = ["convert", file, out, "--from", "nhwc", "--to", "nchw",
                "--dtype", "u8", "--shape"]
        refused = run(*args, "1x2x3x4")
        self.clear_error(refused, args)
        self.assertIn("two readings", refused.err)
        self.ran(*args, "n=1,h=2,w=3,c=4")
        self.assertEqual(out.read_bytes(),
                         picture.transpose(0, 3, 1, 2).tobytes())

    def test_nibbles_of_awq(self):
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        codes = np.random.default_rng(3).integers(0, 16, (16, 24),
                                                  dtype=np.uint8)
        words = np.zeros((16, 3), np.uint32)
        for place, column in enumerate(order):
            words |= codes[:, column::8].astype(np.uint32) << np.uint32(4 * place)
        file = self.raw("awq.bin", words)
        got = self.decoded(file, "k n/8 n%2 n%8/2", "k=16,n=24", "u4")
        np.testing.assert_array_equal(got, codes)
        got = self.decoded(file, "awq.gemm", "k=16,n=24", "u4")
        np.testing.assert_array_equal(got, codes)
        # High nibbles first, as RKNN has them.
        row = np.array([[1, 2, 3, 4]], np.uint8)
        high = self.raw("high.bin", row[:, ::2] << 4 | row[:, 1::2])
        got = self.decoded(high, "r c/2 ~c%2", "r=1,c=4", "u4")
        np.testing.assert_array_equal(got, row)

    def test_a_field_of_a_struct(self):
        blocks = np.zeros(6, [("d", "<f2"), ("q", "u1", 16)])
        blocks["d"] = np.arange(6)
        blocks["q"] = np.random.default_rng(4).integers(0, 256, (6, 16))
        file = self.raw("blocks.bin", blocks)
        got = self.decoded(file, "@2 b:18 j", "b=6,j=16", "u8")
        np.testing.assert_array_equal(got, blocks["q"])
        got = self.decoded(file, "b { d:f16 = - ; q:u8 = j }", "b=6,j=16", "u8",
                           "--part", "d")
        np.testing.assert_array_equal(got, blocks["d"])
        # And written, without its neighbours.
        new = np.arange(96, dtype=np.uint8).reshape(6, 16)
        source = self.path("new.npy")
        np.save(source, new)
        self.ran("convert", source, file, "--from", "b j", "--to",
                 "b { d:f16 = - ; q:u8 = j }", "--part", "q", "--shape",
                 "b=6,j=16")
        blocks["q"] = new
        self.assertEqual(file.read_bytes(), blocks.tobytes())

    def test_reversed_dims(self):
        rows = np.arange(24, dtype=np.float32).reshape(4, 6)
        file = self.raw("x.bin", rows)
        for layout in ("@18 h:-6 w", "h:-6 w", "~h w", "numpy(-24, 4)"):
            with self.subTest(layout):
                got = self.decoded(file, layout, "h=4,w=6", "f32")
                np.testing.assert_array_equal(got, rows[::-1])
        kernels = np.arange(54, dtype=np.float32).reshape(2, 3, 3, 3)
        mirrored = self.raw("w.bin", kernels[:, :, ::-1, ::-1])
        got = self.decoded(mirrored, "o i ~h ~w", "o=2,i=3,h=3,w=3", "f32")
        np.testing.assert_array_equal(got, kernels)

    def test_one_row_for_all(self):
        row = np.arange(5, dtype=np.float32)
        file = self.raw("row.bin", row)
        got = self.decoded(file, "h:0 w", "h=3,w=5", "f32")
        np.testing.assert_array_equal(got, np.broadcast_to(row, (3, 5)))
        code = self.ran("emit", "h:0 w", "--shape", "h=3,w=5").out
        self.assertIn("layout_offset", code)
        rows = self.raw("rows.bin", np.ones((3, 5), np.float32))
        refused = run("convert", rows, self.path("o.bin"), "--from", "h w",
                      "--to", "h:0 w", "--shape", "h=3,w=5", "--dtype", "f32")
        self.clear_error(refused)
        self.assertIn("h=0", refused.err)

    def test_a_region_of_a_picture(self):
        parent = np.random.default_rng(5).integers(0, 256, (1, 3, 40, 50),
                                                   dtype=np.uint8)
        file = self.raw("parent.bin", parent)
        got = self.decoded(file, "@505 n:6000 c:2000 h:50 w",
                           "n=1,c=3,h=20,w=20", "u8")
        np.testing.assert_array_equal(got, parent[:, :, 10:30, 5:25])
        out = self.path("roi.npy")
        self.ran("convert", file, out, "--from", "nchw", "--to", "nchw",
                 "--shape", "1x3x40x50", "--dtype", "u8", "--from-window",
                 "h=10..30,w=5..25")
        np.testing.assert_array_equal(np.load(out), parent[:, :, 10:30, 5:25])

    def test_strides_as_others_give_them(self):
        for layout in ("a:40B b:8B", "numpy(40,8)", "a:10 b:2", "torch(10,2)"):
            told = self.answer("at", layout, "--shape", "a=3,b=4", "a=2,b=3")
            self.assertEqual(told["byte"], 104)
        # Any stride on a dim of one index.
        told = self.answer("show", "b:100000 h:320 s:8 d:1", "--shape",
                           "b=1,h=2,s=40,d=8")
        self.assertEqual(told["size_bytes"], 2560)
        # A file that ends with the last element.
        rows = np.arange(24, dtype=np.float32).reshape(3, 8)
        file = self.path("short.bin")
        file.write_bytes(rows.tobytes()[:84])
        got = self.decoded(file, "h:8 w", "h=3,w=5", "f32")
        np.testing.assert_array_equal(got, rows[:, :5])

    def test_fused_dims_and_swizzles(self):
        values = np.arange(16 * 64, dtype=np.float16).reshape(16, 64)
        memory = np.zeros(2048, np.uint8)
        for r in range(16):
            for c in range(64):
                a = r * 128 + 2 * c
                byte = a ^ (((a >> 7) & 7) << 4)
                memory[byte:byte + 2] = np.frombuffer(values[r, c].tobytes(),
                                                      np.uint8)
        file = self.raw("swizzled.bin", memory)
        told = self.answer("at", "tma.swizzle-128B", "--shape", "16x64",
                           "--dtype", "f16", "r=1,c=0")
        self.assertEqual(told["byte"], 144)
        got = self.decoded(file, "r c%64/8^r%8 c%8", "r=16,c=64", "f16")
        np.testing.assert_array_equal(got, values)
        weights = np.arange(20 * 3 * 9, dtype=np.float16).reshape(20, 3, 3, 3)
        rows = np.zeros((20, 48), np.float16)
        padded = np.pad(weights, [(0, 0), (0, 1), (0, 0), (0, 0)])
        rows[:, :36] = padded.transpose(0, 2, 3, 1).reshape(20, 36)
        blocks = np.zeros((32, 48), np.float16)
        blocks[:20] = rows
        memory = blocks.reshape(2, 16, 3, 16).transpose(2, 0, 1, 3)
        file = self.raw("fractal.bin", memory)
        got = self.decoded(file, "FRACTAL_Z_C04", "n=20,c=3,h=3,w=3", "f16")
        np.testing.assert_array_equal(got, weights)

    def test_names_that_frameworks_print(self):
        shape = ["--shape", "n=2,c=17,h=5,w=4"]
        for text, expression in [
                ("NCHW", "n c h w"), ("NHWC", "n h w c"),
                ("NCHW4c", "n c/4 h w c%4"), ("NC1HWC2", "n c/4 h w c%4"),
                ("NC1HWC0", "n c/8 h w c%8"), ("NC4HW4", "c/4 n h w c%4"),
                ("kHWC8", "n h w c/8 c%8"),
                ("b_fs_yx_fsv16", "n c/16 h w c%16")]:
            with self.subTest(text):
                told = self.answer("show", text, *shape)
                self.assertEqual(told["expression"], expression)
        for text in ("OHWI", "FRACTAL_NZ", "COL32", "{1,0:T(8,128)}",
                     "((4,8),(2,2)):((32,1),(16,8))"):
            with self.subTest(text):
                done = run("show", text, "--shape", "a=1")
                self.assertNotIn("tag", done.err)
                self.assertNotIn("unknown layout", done.err)
        for word in ("ascend", "rknn", "tensorrt", "nvidia", "ncnn", "mnn",
                     "tile", "blocked", "channels last"):
            with self.subTest(word):
                self.assertGreater(len(self.answer("list", word)["entries"]), 0)

    def test_shapes_as_python_prints_them(self):
        for shape in ("[2, 17, 5, 4]", "(2, 17, 5, 4)", "[2,17,5,4]",
                      "torch.Size([2, 17, 5, 4])", "N=2,C=17,H=5,W=4"):
            for layout in ("NCHW", "nChw16c", "mace.channel", "NC4HW4"):
                with self.subTest(shape, layout=layout):
                    told = self.answer("show", layout, "--shape", shape)
                    self.assertEqual(told["dims"],
                                     {"n": 2, "c": 17, "h": 5, "w": 4})

    def test_eight_bit_floats(self):
        codes = np.arange(16, dtype=np.uint8)
        file = self.raw("f8.bin", codes)
        for name in ("fp8", "f8_e4m3fn", "float8_e4m3fn", "f8_e5m2"):
            with self.subTest(name):
                got = self.decoded(file, "x", "x=16", name)
                self.assertEqual(got.tobytes(), codes.tobytes())


if __name__ == "__main__":
    main()
