#!/usr/bin/env python3
"""What people asked of a dump in public: which indices are wrong, why a file is larger
than its layout, and files that others wrote. The right answers are NumPy's.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np

from support import CliTest, main, run


class Dumps(CliTest):
    def raw(self, name, array):
        path = self.path(name)
        path.write_bytes(np.ascontiguousarray(array).tobytes())
        return path

    def zeros(self, name, size):
        path = self.path(name)
        with open(path, "wb") as file:
            file.truncate(size)
        return path

    def findings(self, file, layout, shape, dtype, *more, code=1):
        answer = self.answer("check", file, layout, "--shape", shape, "--dtype",
                             dtype, *more, code=code)
        return answer["findings"]


class Indices(Dumps):
    def memory(self):
        memory = np.zeros((2, 2, 5, 4, 16), "f4")
        memory[:, 0] = 1
        memory[:, 1, :, :, 0] = 1
        return memory

    def check(self, memory, code=1):
        file = self.raw("d.bin", memory)
        args = ["check", file, "nChw16c", "--shape", "2x17x5x4", "--dtype",
                "f32"]
        return self.answer(*args, code=code), run(*args).out

    def test_padding_of_a_block(self):
        memory = self.memory()
        memory[:, 1, 3, :, 1:] = 5
        answer, text = self.check(memory)
        indices = "c=17..31 of the last block, where h=3"
        first = memory.reshape(-1).tolist().index(5.0) * 4
        self.assertEqual(answer["leak_sets"], [
            {"indices": indices, "byte": first, "count": 120, "of": 120,
             "runs": 8}])
        self.assertIn(f"  {indices}: 120 places, from byte {first}\n", text)
        # One line of sets, not eight of bytes.
        self.assertEqual(text.count("from byte"), 1)
        self.assertEqual(answer["leak_runs"], 8)
        self.assertEqual(answer["leaks"][0]["byte"], first)
        self.assertEqual(answer["leaks"][0]["indices"],
                         "c=17..31 of the last block, where n=0, h=3, w=0")

    def test_some_places_of_a_set(self):
        memory = self.memory()
        memory[0, 1, 3, :, 1:] = 5
        memory[0, 1, 3, 2, 7] = 0
        answer, text = self.check(memory)
        told = sum(one["count"] for one in answer["leak_sets"])
        self.assertEqual(told, answer["padding_nonzero"])
        self.assertIn("c=17..31 of the last block, where n=0, h=3", text)

    def test_rows_and_gaps(self):
        memory = np.zeros((3, 4, 8), "f4")
        memory[:, :, :5] = 1
        memory[:, 2, 5:] = 9
        file = self.raw("d.bin", memory)
        answer = self.answer("check", file, "c h:8 w", "--shape", "c=3,h=4,w=5",
                             "--dtype", "f32", code=1)
        self.assertEqual([one["indices"] for one in answer["leak_sets"]],
                         ["w=5..7 in the gap after w=4, where h=2"])

    def test_nan_and_inf(self):
        memory = self.memory()
        memory[1, :, 0:4, :, 0] = np.nan
        memory[0, 0, 4, 1, 3] = np.inf
        answer, text = self.check(memory)
        self.assertEqual(answer["nan_indices"],
                         "all of n=1, c=0 and 16, h=0..3")
        self.assertEqual(answer["inf_indices"], "n=0, c=3, h=4, w=1")
        self.assertIn("32 elements are NaN: all of n=1, c=0 and 16, h=0..3\n",
                      text)
        memory[1, 0, 1, 1, 0] = 1
        answer, text = self.check(memory)
        self.assertEqual(
            answer["nan_indices"],
            "only n=1, c=0 and 16, h=0..3 (31 of its 32 elements)")
        answer, _ = self.check(self.memory(), code=0)
        self.assertIsNone(answer["nan_indices"])

    def test_blocks_of_a_paged_cache(self):
        # [blocks, heads, head/x, block, x] of which block 3 was never written.
        cache = np.ones((5, 2, 4, 16, 8), "f2")
        cache[3] = np.nan
        findings = self.findings(
            self.raw("k.bin", cache), "b h d/8 s d%8", "b=5,h=2,d=32,s=16",
            "f16")
        self.assertEqual(findings, ["1024 elements are NaN: all of b=3"])


class Sizes(Dumps):
    def test_rows_of_1984(self):
        file = self.zeros("frame.raw", 2142720)
        self.assertEqual(
            self.findings(file, "h w", "h=1080,w=1920", "u8"),
            ["2142720 bytes, but the layout takes 2073600",
             "rows of 1984 instead of 1920 (2142720 / 1080); read it by "
             "'h:1984 w'"])
        self.assertEqual(
            self.findings(file, "h:1984 w", "h=1080,w=1920", "u8", code=0), [])
        frame = np.random.default_rng(5).integers(0, 256, (1080, 1984),
                                                  dtype=np.uint8)
        out = self.path("o.npy")
        self.answer("decode", self.raw("frame.raw", frame), out, "--from",
                    "h:1984 w", "--shape", "h=1080,w=1920", "--dtype", "u8")
        np.testing.assert_array_equal(np.load(out), frame[:, :1920])

    def test_two_padded_dims(self):
        padded = np.zeros((368, 80), "f4")
        padded[:360, :70] = np.random.default_rng(6).random((360, 70))
        file = self.raw("p.bin", padded)
        findings = self.findings(file, "r c", "r=360,c=70", "f32")
        self.assertEqual(
            findings[1], "the size with r padded from 360 to 368 and c padded "
            "from 70 to 80; read it by 'r:80 c' with --skip 0")
        out = self.path("o.npy")
        self.answer("decode", file, out, "--from", "r:80 c", "--skip", 0,
                    "--shape", "r=360,c=70", "--dtype", "f32")
        np.testing.assert_array_equal(np.load(out), padded[:360, :70])

    def test_half_the_size_is_nibbles(self):
        file = self.zeros("w4.bin", 524288)
        self.assertIn("the size of another type: u4, s4, f4; read it with "
                      "--dtype u4",
                      self.findings(file, "n k", "n=1024,k=1024", "s8"))
        self.findings(file, "n k", "n=1024,k=1024", "u4", code=0)

    def test_headers_and_several(self):
        for size, words in ((4760 + 128, "--skip 128"),
                            (4760 + 12, "--skip 12"),
                            (3 * 4760, "3 of these tensors")):
            findings = self.findings(self.zeros("d.bin", size), "n c h w",
                                     "n=2,c=17,h=5,w=7", "f32")
            self.assertTrue(any(words in text for text in findings), findings)

    def test_strides_of_one_index_are_no_memory(self):
        x = np.arange(640, dtype="f4").reshape(1, 2, 40, 8)
        file = self.raw("x.bin", x)
        shape, layout = "b=1,h=2,s=40,d=8", "b:100000 h:320 s:8 d"
        self.findings(file, layout, shape, "f32", code=0)
        self.assertEqual(
            self.answer("show", "b:100000 h:320 s:8 d:1", "--shape", shape)
            ["size_bytes"], 2560)

    def test_files_that_end_with_the_last_element(self):
        rows = np.zeros((3, 8), "f4")
        rows[:, :5] = np.arange(1, 16).reshape(3, 5)
        file = self.raw("v.bin", rows.reshape(-1)[:21])
        words = (file, "h:8 w", "h=3,w=5", "f32")
        self.assertIn("read it with --short", self.findings(*words)[1])
        self.assertEqual(self.findings(*words, "--short", code=0), [])
        np.save(self.path("want.npy"), rows[:, :5].copy())
        self.assertTrue(self.answer(
            "diff", file, self.path("want.npy"), "--layout-a", "h:8 w",
            "--layout-b", "h w", "--shape", "h=3,w=5")["equal"])
        # An element less is another size.
        self.raw("v.bin", rows.reshape(-1)[:20])
        self.findings(*words, "--short")
        self.refused("diff", file, self.path("want.npy"), "--layout-a", "h:8 w",
                     "--layout-b", "h w", "--shape", "h=3,w=5", says="80 bytes")


class Files(Dumps):
    def test_arrays_without_dims(self):
        np.save(self.path("s.npy"), np.float32(3))
        for more in ([], ["--shape", "x=1"], ["x", "--shape", "x=1"], ["-"]):
            answer = self.answer("check", self.path("s.npy"), *more)
            self.assertEqual(answer["elements"], 1)
        np.save(self.path("nan.npy"), np.float32(np.nan))
        answer = self.answer("check", self.path("nan.npy"), code=1)
        self.assertEqual(answer["findings"], ["1 element is NaN"])
        out = self.path("o.npy")
        self.answer("decode", self.path("s.npy"), out, "--from", "x", "--shape",
                    "x=1")
        self.assertEqual(np.load(out).tolist(), [3])
        done = run("convert", self.path("s.npy"), out, "--from", "-", "--to",
                   "-")
        self.assertIn("one value of f32", done.out)
        self.assertEqual(np.load(out).shape, ())

    def test_what_stdout_is_told(self):
        for name in ("-", "/dev/stdout"):
            for command in ("convert", "decode"):
                np.save(self.path("x.npy"), np.ones((2, 3), "f4"))
                self.refused(command, self.path("x.npy"), name, "--from", "h w",
                             "--to", "w h", says=[name + ":"], cwd=self.folder)
                self.assertFalse(self.path("-").exists())

    def test_sidecars_of_others(self):
        array = np.arange(340, dtype="f4").reshape(1, 17, 5, 4)
        np.save(self.path("x.npy"), array)
        dump = self.path("d.bin")
        self.convert(self.path("x.npy"), dump, "nchw", "nChw16c")
        out = self.path("o.npy")
        told = {"file": "d.bin", "layout": "nChw16c", "shape": [1, 17, 5, 4],
                "dtype": "f32"}
        options = {"layout": ["--from", "nChw16c"],
                   "shape": ["--shape", "1x17x5x4"], "dtype": ["--dtype", "f32"]}
        self.path("d.json").write_text(json.dumps(told))
        self.answer("decode", dump, out)
        np.testing.assert_array_equal(np.load(out), array)
        for key, option in options.items():
            some = {k: v for k, v in told.items() if k != key}
            self.path("d.json").write_text(json.dumps(some))
            out.unlink()
            self.answer("decode", dump, out, *option)
            np.testing.assert_array_equal(np.load(out), array)
            self.refused("decode", dump, out, says=option[0])
        for shape in ([1, 17, 5.5, 4], [1, "17"], {"n": 1}, [1, -17, 5, 4]):
            self.path("d.json").write_text(json.dumps({**told, "shape": shape}))
            self.refused("decode", dump, out)
        # One key alone is JSON of somebody else.
        self.path("d.json").write_text('{"file": "d.bin", "dtype": "f32"}')
        self.refused("check", dump, says=["d.json", "layout"])

    def test_junk_in_the_padding(self):
        array = np.arange(1, 341, dtype="f4").reshape(1, 17, 5, 4)
        np.save(self.path("x.npy"), array)
        want = np.full((1, 2, 5, 4, 16), 0, "f4")
        want.view("u1")[:] = 0xCC
        channels = array.transpose(0, 2, 3, 1)
        want[:, 0] = channels[..., :16]
        want[:, 1, :, :, 0] = channels[..., 16]
        for out in ("d.bin", "d.npy"):
            for byte in ("0xCC", "204"):
                self.answer("convert", self.path("x.npy"), self.path(out),
                            "--from", "nchw", "--to", "nChw16c", "--fill", byte)
                data = self.path(out).read_bytes()
                self.assertEqual(data[-want.nbytes:], want.tobytes())
        for bad in ("256", "-1", "x", "", "0x100"):
            self.refused("convert", self.path("x.npy"), self.path("no.bin"),
                         "--from", "nchw", "--to", "nChw16c", "--fill", bad)
        for more in (["--keep-gaps"], ["--to-window", "c=0..17"]):
            self.refused("convert", self.path("x.npy"), self.path("no.bin"),
                         "--from", "nchw", "--to", "nChw16c", "--fill", 1,
                         "--shape", "1x17x5x4", *more, says=["--fill", more[0]])
        self.assertFalse(self.path("no.bin").exists())
        answer = self.answer("check", self.path("d.bin"), "nChw16c", "--shape",
                             "1x17x5x4", "--dtype", "f32", code=1)
        self.assertEqual(answer["padding_nonzero"], answer["padding"])

    def test_junk_of_bits_and_of_other_byte_orders(self):
        codes = np.arange(3, dtype="u1")
        np.save(self.path("c.npy"), codes)
        self.answer("convert", self.path("c.npy"), self.path("c.bin"), "--from",
                    "x", "--to", "x", "--dtype", "u4", "--fill", "0xff")
        self.assertEqual(self.path("c.bin").read_bytes(), b"\x10\xf2")
        big = np.arange(1, 7, dtype=">f4").reshape(2, 3)
        np.save(self.path("b.npy"), big)
        self.answer("convert", self.path("b.npy"), self.path("b.bin"), "--from",
                    "h w", "--to", "h:4 w", "--fill", 0xAB)
        got = np.fromfile(self.path("b.bin"), "<f4").reshape(2, 4)
        np.testing.assert_array_equal(got[:, :3], big)
        self.assertEqual(got[:, 3].tobytes(), b"\xab" * 8)


if __name__ == "__main__":
    main()
