#!/usr/bin/env python3
"""diff and check of parts, of elements below a byte, of small floats and of layouts that
are more than plain digits.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from support import CliTest, main, run

ROWS, COLUMNS = 4, 96
SHAPE = ["--shape", f"n={ROWS},k={COLUMNS}"]


def q4_0(codes, scales):
    """Blocks of 32 codes: {f16; 16 bytes, k < 16 in the low nibbles}."""
    blocks = codes.reshape(ROWS, COLUMNS // 32, 2, 16)
    packed = (blocks[:, :, 0] | blocks[:, :, 1] << 4).astype(np.uint8)
    return b"".join(scales[n, b].tobytes() + packed[n, b].tobytes()
                    for n in range(ROWS) for b in range(COLUMNS // 32))


class Compare(CliTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(1)
        self.codes = random.integers(0, 16, (ROWS, COLUMNS)).astype(np.uint8)
        self.scales = random.standard_normal((ROWS, 3)).astype(np.float16)
        self.memory = self.path("w.bin")
        self.memory.write_bytes(q4_0(self.codes, self.scales))

    def array(self, name, values):
        path = self.path(name)
        np.save(path, values)
        return path

    def diff(self, reference, part, layout, code):
        return self.answer("diff", self.memory, reference, "-a", "gguf.q4_0",
                           "-b", layout, "--part", part, *SHAPE, code=code)

    def test_parts_equal_their_arrays(self):
        codes = self.array("codes.npy", self.codes)
        self.assertEqual(self.diff(codes, "q", "n k", 0)["elements"], 384)
        scales = self.array("scales.npy", self.scales)
        self.assertEqual(self.diff(scales, "d", "n k/32", 0)["elements"], 12)
        done = run("diff", self.memory, codes, "-a", "gguf.q4_0", *SHAPE)
        self.assertIn("d, q; choose one with --part", done.err)

    def test_one_code_and_one_scale_that_differ(self):
        self.codes[1, 5] ^= 3
        told = self.diff(self.array("codes.npy", self.codes), "q", "n k", 1)
        self.assertEqual(told["differences"], 1)
        self.assertEqual(told["first"]["index"], {"n": 1, "k": 5})
        self.assertEqual(told["first"]["byte_a"], 54 + 2 + 5)
        self.assertEqual(told["first"]["b"], self.codes[1, 5])
        self.assertEqual(told["first"]["a"], self.codes[1, 5] ^ 3)
        self.scales[2, 1] += 1
        told = self.diff(self.array("scales.npy", self.scales), "d", "n k/32",
                         1)
        self.assertEqual(told["first"]["index"], {"n": 2, "k/32": 1})
        self.assertEqual(told["findings"], ["all of n=2, k/32=1"])
        self.assertEqual(list(told["by_dim"]), ["n", "k/32"])

    def test_numbers_within_a_tolerance(self):
        self.codes = np.minimum(self.codes + 1, 15).astype(np.uint8)
        codes = self.array("codes.npy", self.codes)
        self.diff(codes, "q", "n k", 1)
        self.answer("diff", self.memory, codes, "-a", "gguf.q4_0", "-b", "n k",
                    "--part", "q", *SHAPE, "--atol", 1)

    def test_layouts_of_twisted_digits(self):
        values = np.arange(16 * 64, dtype=np.float32).reshape(16, 64)
        rows = self.array("rows.npy", values)
        swizzled = self.path("swizzled.bin")
        memory = np.empty(16 * 64, np.float32)
        for r in range(16):
            for c in range(64):
                memory[r * 64 + ((c // 8) ^ (r % 8)) * 8 + c % 8] = values[r, c]
        swizzled.write_bytes(memory.tobytes())
        layout = "r c%64/8^r%8 c%8"
        shape = ["--shape", "r=16,c=64", "-t", "f32"]
        self.answer("diff", swizzled, rows, "-a", layout, "-b", "r c", *shape)
        self.answer("check", swizzled, layout, *shape)
        memory[64 + 9] += 1  # r = 1, places 8..15 hold c = 0..7
        swizzled.write_bytes(memory.tobytes())
        told = self.answer("diff", swizzled, rows, "-a", layout, "-b", "r c",
                           *shape, code=1)
        self.assertEqual(told["first"]["index"], {"r": 1, "c": 1})
        self.assertEqual(told["first"]["byte_a"], 4 * (64 + 9))

    def test_check_finds_what_small_floats_are_not_numbers(self):
        file = self.path("f8.bin")
        file.write_bytes(bytes(range(256)))
        for dtype, nan, inf in [("f8_e4m3fn", 2, 0), ("f8_e5m2", 6, 2),
                                ("f8_e4m3fnuz", 1, 0), ("e8", 1, 0)]:
            with self.subTest(dtype):
                told = self.answer("check", file, "x", "--shape", "x=256", "-t",
                                   dtype, code=1)
                self.assertEqual((told["nan"], told["inf"]), (nan, inf))

    def test_check_finds_padding_that_is_not_zero(self):
        codes = self.array("codes.npy", self.codes)
        packed = self.path("packed.bin")
        done = run("convert", codes, packed, "--from", "n k", "--to",
                   "n/3 k n%3", *SHAPE, "-t", "u4")
        self.assertEqual(done.code, 0, done.err)
        check = ["check", packed, "n/3 k n%3", *SHAPE, "-t", "u4"]
        self.assertEqual(self.answer(*check)["padding"], 768)
        memory = bytearray(packed.read_bytes())
        memory[200] ^= 0xf0
        packed.write_bytes(memory)
        told = self.answer(*check, code=1)
        self.assertEqual(told["leaks"], [{"byte": 200, "count": 1,
                                          "holds": None}])

    def test_check_finds_copies_that_differ(self):
        file = self.path("copies.bin")
        file.write_bytes(bytes(range(8)) + bytes(range(8)))
        check = ["check", file, "*2 x", "--shape", "x=8", "-t", "u8"]
        self.answer(*check)
        file.write_bytes(bytes(range(8)) + bytes([0, 1, 9, 3, 4, 5, 6, 7]))
        told = self.answer(*check, code=1)
        self.assertEqual(told["leaks"][0]["byte"], 10)
        self.assertIn("copy", told["leaks"][0]["holds"])

    def test_wrong_input_is_refused(self):
        codes = self.array("codes.npy", self.codes)
        for args, words in [
                (["diff", self.memory, codes, "-a", "gguf.q4_0", "-b", "n k",
                  "--part", "x", *SHAPE], "d, q"),
                (["check", self.memory, "gguf.q4_0", *SHAPE], "--part"),
                (["check", codes, "n k", *SHAPE, "--part", "q"], "part"),
                (["check", self.memory, "n<T> k", *SHAPE, "-t", "u4"],
                 "--table T="),
                (["diff", self.memory, codes, "-a", "gguf.q8_0", "-b", "n k",
                  "--part", "q", *SHAPE], "missing")]:
            with self.subTest(args):
                done = run(*args)
                self.clear_error(done, args)
                self.assertIn(words, done.err)


if __name__ == "__main__":
    main()
