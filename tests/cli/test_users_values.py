#!/usr/bin/env python3
"""What people needed in public of values: codes of a few bits, small floats, and goldens
of another type. NumPy or a formula that stands here makes each right answer. users.md
says who asked, and where the other answers are.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from arrays import ArrayTest
from support import main

# The order in which AWQ and Marlin put eight codes into a word.
ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def words_of(codes):
    """Eight codes of the last dim in each word of 32 bits, the first one lowest."""
    shifts = 4 * np.arange(8, dtype=np.uint32)
    groups = codes.astype(np.uint32).reshape(*codes.shape[:-1], -1, 8)
    return (groups << shifts).sum(axis=-1).astype("<u4")


def e4m3fn(codes):
    """The numbers of these bytes: a sign, 4 bits of exponent, 3 of fraction."""
    exponent, fraction = codes >> 3 & 15, codes & 7
    number = np.where(exponent == 0, fraction / 8 * 2.0 ** -6,
                      (1 + fraction / 8) * 2.0 ** (exponent - 7.0))
    number[(codes & 127) == 127] = np.nan
    return np.where(codes & 128, -number, number)


def e5m2(codes):
    """The numbers of these bytes: the upper halves of halves."""
    return (codes.astype(np.uint16) << 8).view(np.float16)


def marlin_order():
    """Where 16 x 64 codes go, as the loop of Marlin's own packer says."""
    order = []
    for thread in range(32):
        rows = [2 * (thread % 4) + k for k in (0, 1, 8, 9)]
        places = [16 * row + thread // 4 + 8 * block
                  for block in (0, 1) for row in rows]
        for j in range(4):
            order += [place + 256 * j for place in places]
    return np.array(order).reshape(-1, 8)[:, ORDER].ravel()


def npy_of(descr, array):
    """The file that NumPy writes of a type that it only knows the width of."""
    head = (f"{{'descr': '{descr}', 'fortran_order': False, "
            f"'shape': {array.shape}, }}\n").encode()
    return (b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head +
            array.tobytes())


class Codes(ArrayTest):
    def test_eight_nibbles_of_a_word(self):
        # By hand: the nibbles a 0 7 a c c 8 4 are n = 0, 2, 4, 6, 1, 3, 5, 7.
        file = self.path("awq.bin")
        file.write_bytes(bytes.fromhex("0aa7cc48"))
        got = self.decoded(file, "k n/8 n%2 n%8/2", "k=1,n=8", "u4")
        self.assertEqual(got.tolist(), [[10, 12, 0, 12, 7, 8, 10, 4]])

    def test_words_along_the_rows(self):
        codes = self.codes(32, 24, high=16)
        words = words_of(codes.T).T
        file = self.raw("gptq.bin", words)
        for layout in ("k/8 n k%8", "gptq.int4"):
            got = self.decoded(file, layout, "k=32,n=24", "u4")
            np.testing.assert_array_equal(got, codes, layout)
            self.assertEqual(
                self.converted(codes, "k n", layout, "--dtype", "u4"),
                words.tobytes(), layout)

    def test_marlins_permutation(self):
        codes = self.codes(32, 128, high=16)
        tiles = codes.reshape(2, 16, 8, 16).transpose(0, 2, 1, 3)
        moved = tiles.reshape(-1, 1024)[:, marlin_order()].reshape(2, 2048)
        file = self.raw("marlin.bin", words_of(moved))
        got = self.decoded(file, "gptq.marlin", "k=32,n=128", "u4")
        np.testing.assert_array_equal(got, codes)

    def test_eight_binary_weights_of_a_byte(self):
        bits = self.codes(5, 40, high=2)
        for order, layout in (("little", "n k"), ("big", "n k/8 ~k%8")):
            packed = np.packbits(bits, axis=1, bitorder=order)
            got = self.decoded(self.raw("bits.bin", packed), layout, "n=5,k=40",
                               "u1")
            np.testing.assert_array_equal(got, bits, order)
            self.assertEqual(
                self.converted(bits, "n k", layout, "--dtype", "u1"),
                packed.tobytes(), order)


class SmallFloats(ArrayTest):
    def test_scales_of_128_by_4(self):
        codes = 90 + self.codes(200, 10, high=70)
        tiles = np.pad(codes, [(0, 56), (0, 2)]).reshape(2, 4, 32, 3, 4)
        file = self.raw("scales.bin", tiles.transpose(0, 3, 2, 1, 4))
        for layout in ("m/128 k/4 m%32 m%128/32 k%4", "sf-128x4"):
            for dtype, right in (
                    ("e8m0", 2.0 ** (codes.astype("f8") - 127)),
                    ("float8_e8m0fnu", 2.0 ** (codes.astype("f8") - 127)),
                    ("fp8", e4m3fn(codes)), ("f8_e4m3fn", e4m3fn(codes))):
                got = self.decoded(file, layout, "m=200,k=10", dtype,
                                   "--to-dtype", "f32")
                np.testing.assert_array_equal(got, right.astype("f4"), dtype)

    def test_arrays_of_types_that_numpy_lacks(self):
        codes = np.arange(256, dtype=np.uint8).reshape(16, 16)
        fours = np.tile(np.arange(-8, 8, dtype=np.int8), (16, 1))
        file, out = self.path("x.npy"), self.path("o.npy")
        for descr, dtype, array, right in (
                ("<V1", "f8_e4m3fn", codes, e4m3fn(codes)),
                ("<f1", "f8_e5m2", codes, e5m2(codes)),
                ("<f1", "u8", codes, codes),
                ("<V1", "s4", fours, fours), ("<V1", "s8", fours, fours)):
            file.write_bytes(npy_of(descr, array))
            self.convert(file, out, "a b", "b a", dtype=dtype,
                         more=["--to-dtype", "f32"])
            np.testing.assert_array_equal(np.load(out), right.T.astype("f4"),
                                          dtype)
        # bf16: the upper halves of floats.
        halves = self.floats(3, 5).view("<u4") >> 16
        file.write_bytes(npy_of("<V2", halves.astype("<u2")))
        self.convert(file, out, "a b", "b a", dtype="bf16",
                     more=["--to-dtype", "f32"])
        np.testing.assert_array_equal(np.load(out).view("<u4"),
                                      (halves << 16).T)
        self.refused("check", file, says="--dtype")

    def test_a_dump_of_fp8_and_its_golden(self):
        codes = 1 + self.codes(1, 40, 6, 5, high=125)
        channels = np.pad(codes, [(0, 0), (0, 8), (0, 0), (0, 0)])
        blocks = channels.reshape(1, 3, 16, 6, 5).transpose(0, 1, 3, 4, 2)
        dump = self.raw("d.bin", blocks)
        # Off by less than half a step.
        off = e4m3fn(codes) * (1 + self.rng.uniform(-.06, .06, codes.shape))
        words = ["-a", "nChw16c", "--dtype-a", "fp8"]
        for dtype in ("f8", "f2"):
            golden = self.npy("g.npy", off.astype(dtype))
            told = self.answer("diff", dump, golden, *words)
            self.assertEqual((told["elements"], told["rtol"]), (1200, 0.125))
        golden = self.npy("g.npy", off.astype("f4"))
        self.answer("diff", dump, golden, *words, "--rtol", 0.125, "--atol",
                    0.002)
        off[0, 17, 3, 2] = -1
        told = self.answer("diff", dump, self.npy("g.npy", off), *words, code=1)
        self.assertEqual(told["differences"], 1)
        self.assertEqual(told["first"]["index"],
                         {"n": 0, "c": 17, "h": 3, "w": 2})


if __name__ == "__main__":
    main()
