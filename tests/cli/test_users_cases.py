#!/usr/bin/env python3
"""What people needed in public of layouts, sizes and views: each with the right bytes,
made by NumPy or by hand. users.md says who asked, and where the other answers are.

SPDX-License-Identifier: Apache-2.0
"""

import shlex

import numpy as np

from arrays import ArrayTest
from support import DTYPES, main, shape_text

NAMES = dict(DTYPES)


class Layouts(ArrayTest):
    def both_ways(self, array, plain, layout, memory):
        """The memory is made of the array, and the array of the memory."""
        memory = np.ascontiguousarray(memory)
        self.assertEqual(self.converted(array, plain, layout),
                         memory.tobytes(), layout)
        shape = shape_text(dict(zip(plain.split(), array.shape)))
        got = self.decoded(self.raw("memory.bin", memory), layout, shape,
                           NAMES[array.dtype.str[1:]], "--to", plain)
        np.testing.assert_array_equal(got, array, layout)

    def test_channels_last_in_groups_of_eight(self):
        for c in (3, 16, 17):
            x = self.floats(2, c, 5, 4, dtype="f2")
            memory = np.zeros((2, 5, 4, -(-c // 8) * 8), "f2")
            memory[..., :c] = x.transpose(0, 2, 3, 1)
            for layout in ("kHWC8", "nhwC8c", "n h w:^16B c", "n h w c/8 c%8"):
                self.both_ways(x, "n c h w", layout, memory)
        # What follows of the last one, read as if channels were not padded.
        told = self.answer("check", self.raw("d.bin", memory), "nhwc",
                           "--shape", "n=2,c=17,h=5,w=4", "--dtype", "f16",
                           code=1)
        self.assertEqual(told["findings"][1],
                         "the size with c padded from 17 to 24; read it by "
                         "'n h w:24 c'")

    def test_the_index_formula_of_col4_4r2_8c(self):
        # By hand: 768 of the second 32 columns, then 256, 128, 32, 16, 8 and 1.
        told = self.answer("at", "COL4_4R2_8C", "--shape", "r=20,c=70",
                           "--dtype", "s8", "r=13,c=45")
        self.assertEqual(told["byte"], 1209)
        x = self.rng.integers(-128, 128, (20, 70)).astype("i1")
        padded = np.pad(x, [(0, 4), (0, 26)])
        tiles = padded.reshape(3, 4, 2, 3, 4, 2, 4)
        memory = tiles.transpose(3, 0, 2, 4, 5, 1, 6)
        self.both_ways(x, "r c", "COL4_4R2_8C", memory)

    def test_fractal_nz_of_dims_that_are_no_multiples(self):
        for dtype, columns in (("f2", 16), ("i1", 32)):
            x = self.rng.integers(-99, 99, (1, 45, 70)).astype(dtype)
            padded = np.pad(x[0], [(0, 3), (0, -70 % columns)])
            memory = padded.reshape(3, 16, -1, columns).transpose(2, 0, 1, 3)
            for layout in ("FRACTAL_NZ", f"b c/{columns} r/16 r%16 c%{columns}"):
                self.both_ways(x, "b r c", layout, memory)

    def test_keys_behind_a_block_table(self):
        pool = self.floats(9, 2, 4, 16, 8, dtype="f2")
        tables = np.array([[5, 1, 7], [8, 0, 3]])
        # b, block, h, d/8, s%16, d%8
        keys = pool[tables].transpose(0, 2, 1, 4, 3, 5).reshape(2, 2, 48, 32)
        file = self.raw("pool.bin", pool)
        table = ["--table", "T=" + ",".join(map(str, tables.ravel()))]
        for layout in ("g := b s/16; g<T> h d/8 s%16 d%8",
                       "kv.vllm-paged-key"):
            got = self.decoded(file, layout, "b=2,h=2,s=48,d=32", "f16",
                               "--to", "b h s d", *table)
            np.testing.assert_array_equal(got, keys, layout)

    def test_memory_of_tiles_on_tpus(self):
        for text, size in (("{2,1,0:T(8,128)}", 32 << 30),
                           ("{0,2,1:T(4,128)}", 1 << 30)):
            for layout, more in (
                    (text, ["--shape", "a=8388608,b=8,c=4", "--dtype", "s32"]),
                    ("s32[8388608,8,4]" + text, [])):
                told = self.answer("show", layout, *more)
                self.assertEqual(told["size_bytes"], size, layout)
        self.assertEqual(told["padding_elements"], 0)

    def test_a_tensor_of_small_rows_in_tiles_of_32(self):
        # 10 MiB of pairs; each pair takes a tile of 2 KiB.
        for layout, dims in (
                ("tt.tile32", "n=2621440,h=1,w=2"),
                ("n h/32 w/32 h%32/16 w%32/16 h%16 w%16", "n=2621440,h=1,w=2")):
            told = self.answer("show", layout, "--shape", dims, "--dtype",
                               "bf16")
            self.assertEqual(told["elements"] * 2, 10 << 20)
            self.assertEqual(told["size_bytes"], 5368709120)

    def test_pairs_of_rows_of_an_odd_number(self):
        x = self.rng.integers(0, 65536, (45, 70)).astype("u2")
        pairs = np.pad(x, [(0, 1), (0, 0)]).reshape(23, 2, 70)
        self.both_ways(x, "k n", "k/2 n k%2", pairs.transpose(0, 2, 1))
        tiles = np.pad(x, [(0, 19), (0, 26)]).reshape(2, 16, 2, 3, 32)
        self.both_ways(x, "k n", "n/32 k/32 k%32/2 n%32 k%2",
                       tiles.transpose(3, 0, 1, 4, 2))

    def test_channels_that_begin_on_16_bytes(self):
        shape = ["--shape", "c=160,h=1,w=1", "--dtype", "f32"]
        for layout, byte in (("c:^16B h w", 48), ("ncnn.cstep", 48),
                             ("c/4:^16B h w c%4", 12), ("ncnn.pack", 12)):
            told = self.answer("at", layout, *shape, "c=3,h=0,w=0")
            self.assertEqual(told["byte"], byte, layout)
        x = self.floats(160, 1, 1)
        memory = np.zeros((160, 4), "f4")
        memory[:, 0] = x.ravel()
        got = self.decoded(self.raw("m.bin", memory), "ncnn.cstep", shape[1],
                           "f32")
        np.testing.assert_array_equal(got, x)

    def test_the_row_pitch_of_an_image(self):
        x = self.codes(2, 10, 5, 7)
        memory = np.zeros((10, 1024), "u1")
        groups = np.pad(x, [(0, 0), (0, 2), (0, 0), (0, 0)])
        lanes = groups.reshape(2, 3, 4, 5, 7).transpose(0, 3, 1, 4, 2)
        memory[:, :84] = lanes.reshape(10, 84)
        self.both_ways(x, "n c h w",
                       "row=n h |^1024B| pixel=c/4 w | lane=c%4", memory)

    def test_places_beyond_31_bits(self):
        told = self.answer("at", "n c h w", "--shape",
                           "n=1,c=1,h=65536,w=65536", "--dtype", "u8",
                           "n=0,c=0,h=32768,w=0")
        self.assertEqual(told["byte"], 1 << 31)
        shape = ["--shape", "c=864,h=1024,w=1024", "--dtype", "f32"]
        told = self.answer("at", "c h w", *shape, "c=863,h=1023,w=1023")
        self.assertEqual(told["byte"], 3623878652)
        self.assertEqual(self.answer("emit", "c h w", *shape)["bits"], 32)
        self.assertEqual(self.answer("emit", "c h w", "--shape",
                                     "c=2049,h=1024,w=1024")["bits"], 64)
        # A file of 6.6 GB, of which all but two rows are holes.
        rows = self.floats(2, 3)
        with open(self.path("sparse.bin"), "wb") as file:
            file.truncate(6600000000)
            for place, row in zip((0, 3300000000), rows):
                file.seek(place)
                file.write(row.tobytes())
        got = self.decoded(self.path("sparse.bin"), "r:825000000 c", "r=2,c=3",
                           "f32")
        np.testing.assert_array_equal(got, rows)

    def test_transposed_and_reshaped_at_once(self):
        x = self.floats(1, 24, 9, 102)
        self.convert(self.npy("x.npy", x), self.path("o.npy"), "nchw",
                     "(n h w c/4) c%4")
        np.testing.assert_array_equal(
            np.load(self.path("o.npy")),
            x.transpose(0, 2, 3, 1).reshape(5508, 4))


class Views(ArrayTest):
    def test_planes_with_strides_of_their_own(self):
        planes = [self.codes(56, 112), self.codes(28, 56), self.codes(28, 56)]
        want = [planes[0][:54, :96], planes[1][:27, :48], planes[2][:27, :48]]
        file = self.raw("f.bin", np.concatenate([p.ravel() for p in planes]))
        skip = 0
        for plane, right in zip(planes, want):
            shape = "h={},w={}".format(*right.shape)
            got = self.decoded(file, f"h:{plane.shape[1]} w", shape, "u8",
                               "--skip", skip)
            np.testing.assert_array_equal(got, right)
            skip += plane.size
        # All in one command.
        half = "(h+0+2)/2:56B w/2"
        self.answer("convert", file, "--from", "{ y:u8 = (h+0+2):112B w ; "
                    f"u:u8 = {half} ; v:u8 = {half} }}", "--shape", "h=54,w=96",
                    *[f"--part={n}={self.path(n + '.npy')}" for n in "yuv"])
        for name, right in zip("yuv", want):
            np.testing.assert_array_equal(np.load(self.path(name + ".npy")),
                                          right)
        # Where a plane that is known lies in the frame.
        told = self.answer("infer", self.npy("u.npy", want[1]), file, "--shape",
                           "h=27,w=48", timeout=120)
        words = shlex.split(told["decode"])[1:]
        words[words.index("out.npy")] = self.path("o.npy")
        self.answer(*words)
        np.testing.assert_array_equal(np.load(self.path("o.npy")), want[1])

    def test_two_planes_of_nv12(self):
        luma, chroma = self.codes(54, 112), self.codes(27, 56, 2)
        file = self.path("f.bin")
        file.write_bytes(luma.tobytes() + chroma.tobytes())
        y, uv = self.path("y.npy"), self.path("uv.npy")
        self.answer("convert", file, "--from", "nv12(pitch=112)", "--shape",
                    "h=54,w=96,c=2", "--part", f"y={y}", "--part", f"uv={uv}")
        np.testing.assert_array_equal(np.load(y), luma[:, :96])
        np.testing.assert_array_equal(np.load(uv), chroma[:, :48])

    def test_a_region_is_written_back(self):
        parent, region = self.codes(1, 3, 40, 50), self.codes(1, 3, 20, 20)
        want = parent.copy()
        want[:, :, 10:30, 5:25] = region
        source = self.npy("roi.npy", region)
        for to, more in (
                ("n c:2000 (h+10):50 (w+5)", ["--keep-gaps"]),
                ("nchw", ["--to-window", "h=10..30,w=5..25", "--shape",
                          "1x3x40x50"])):
            file = self.raw("parent.bin", parent)
            self.convert(source, file, "nchw", to, more=more)
            self.assertEqual(file.read_bytes(), want.tobytes(), to)

    def test_some_channels_of_blocks(self):
        x = self.codes(2, 8, 7, 15)
        file = self.raw("b.bin", x.transpose(0, 2, 3, 1))
        got = self.decoded(file, "n:840 (c+3)/8 h w (c+3)%8",
                           "n=2,c=5,h=7,w=15", "u8")
        np.testing.assert_array_equal(got, x[:, 3:])
        got = self.decoded(file, "nChw8c", "n=2,c=8,h=7,w=15", "u8",
                           "--from-window", "c=3..8")
        np.testing.assert_array_equal(got, x[:, 3:])

    def test_negative_strides_are_read_and_written(self):
        x = self.floats(4, 6)
        for layout, view in (("@18 h:-6 w", x[::-1]),
                             ("h:24B w:-4B", x[:, ::-1]),
                             ("numpy(-24, -4)", x[::-1, ::-1])):
            got = self.converted(x, "h w", layout, "--shape", "h=4,w=6")
            self.assertEqual(got, view.tobytes(), layout)
            got = self.decoded(self.raw("v.bin", view), layout, "h=4,w=6",
                               "f32")
            np.testing.assert_array_equal(got, x, layout)

    def test_a_broadcast_tensor(self):
        row = self.floats(5, 13)
        file = self.raw("m.bin", row)
        for layout in ("torch(0,0,13,1)", "numpy(0,0,52,4)", "a:0 b:0 c:13 d"):
            got = self.decoded(file, layout, "a=2,b=3,c=5,d=13", "f32")
            np.testing.assert_array_equal(
                got, np.broadcast_to(row, (2, 3, 5, 13)), layout)

    def test_a_view_of_dlpack(self):
        buffer = self.floats(200)
        view = np.lib.stride_tricks.as_strided(buffer[8:], (3, 4, 5),
                                               (160, 4, 24))
        file = self.raw("buffer.bin", buffer)
        for layout in ("dlpack(40,1,6)", "a:40 c:6 b", "a:40 b:1 c:6",
                       "a:160B b:4B c:24B", "numpy(160,4,24)"):
            got = self.decoded(file, layout, "a=3,b=4,c=5", "f32", "--skip", 32)
            np.testing.assert_array_equal(got, view, layout)

    def test_codes_of_blocks_with_a_scale(self):
        blocks = self.codes(2, 3, 18)
        file = self.raw("blocks.bin", blocks)
        for layout in ("@2 r b:18 j", "r b:18 (j+2)"):
            got = self.decoded(file, layout, "r=2,b=3,j=16", "u8")
            np.testing.assert_array_equal(got, blocks[:, :, 2:], layout)
        new = self.codes(2, 3, 16)
        blocks[:, :, 2:] = new
        self.convert(self.npy("new.npy", new), file, "r b j", "r b:18 (j+2)",
                     more=["--keep-gaps"])
        self.assertEqual(file.read_bytes(), blocks.tobytes())

    def test_strides_of_a_dim_of_one_index(self):
        x = self.floats(1, 17, 5, 4)
        file = self.raw("x.bin", x)
        shape = "n=1,c=17,h=5,w=4"
        for layout in ("torch(99999,20,4,1)", "torch(1,20,4,1)",
                       "torch(0,20,4,1)", "n:77 c:20 h:4 w"):
            np.testing.assert_array_equal(
                self.decoded(file, layout, shape, "f32"), x, layout)
        # Of one channel, two orders are the same memory.
        told = self.answer("infer", self.npy("y.npy", x[:, :1]),
                           self.raw("y.bin", x[:, :1]), "--shape",
                           "n=1,c=1,h=5,w=4")
        self.assertLessEqual({"onednn.nchw", "onednn.nhwc"},
                             set(told["names"]))


if __name__ == "__main__":
    main()
