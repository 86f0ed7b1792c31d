#!/usr/bin/env python3
"""Blocks of GGUF against llama.cpp's own Python package (`gguf`), small floats against
`ml_dtypes`: their code decodes the same bytes.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import sys

import gguf
import ml_dtypes
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import CliTest, main, run  # noqa: E402

QUANTS = gguf.GGMLQuantizationType
IQ4 = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69,
                89, 113], dtype=np.float32)
E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6], dtype=np.float32)
F4 = np.concatenate([E2M1, -E2M1])


def times(scale, per, values):
    """Each value times the scale of its group of `per`."""
    return np.repeat(scale, per, axis=1) * values


# What each format's codes mean: (GGUF type, parts, decode). `p` has the parts as
# f32, "q" an element each, the others one for each group of columns.
FORMATS = {
    "q4_0": (QUANTS.Q4_0, "dq", lambda p: times(p["d"], 32, p["q"] - 8)),
    "q4_1": (QUANTS.Q4_1, "dmq", lambda p: times(p["d"], 32, p["q"])
             + np.repeat(p["m"], 32, axis=1)),
    "q5_0": (QUANTS.Q5_0, "dq", lambda p: times(p["d"], 32, p["q"] - 16)),
    "q5_1": (QUANTS.Q5_1, "dmq", lambda p: times(p["d"], 32, p["q"])
             + np.repeat(p["m"], 32, axis=1)),
    "q8_0": (QUANTS.Q8_0, "dq", lambda p: times(p["d"], 32, p["q"])),
    "tq2_0": (QUANTS.TQ2_0, "dq", lambda p: times(p["d"], 256, p["q"] - 1)),
    "iq4_nl": (QUANTS.IQ4_NL, "dq",
               lambda p: times(p["d"], 32, IQ4[p["q"].astype(int)])),
    "mxfp4": (QUANTS.MXFP4, ["e", "q"], lambda p: times(p["e"], 32, p["q"])),
    "q2_K": (QUANTS.Q2_K, ["d", "dmin", "sc", "m", "q"], lambda p:
             times(times(p["d"], 16, p["sc"]), 16, p["q"])
             - np.repeat(times(p["dmin"], 16, p["m"]), 16, axis=1)),
    "q3_K": (QUANTS.Q3_K, ["d", "s", "q"], lambda p:
             times(times(p["d"], 16, p["s"] - 32), 16, p["q"] - 4)),
    "q4_K": (QUANTS.Q4_K, ["d", "dmin", "sc", "m", "q"], lambda p:
             times(times(p["d"], 8, p["sc"]), 32, p["q"])
             - np.repeat(times(p["dmin"], 8, p["m"]), 32, axis=1)),
    "q5_K": (QUANTS.Q5_K, ["d", "dmin", "sc", "m", "q"], lambda p:
             times(times(p["d"], 8, p["sc"]), 32, p["q"])
             - np.repeat(times(p["dmin"], 8, p["m"]), 32, axis=1)),
    "q6_K": (QUANTS.Q6_K, ["d", "sc", "q"], lambda p:
             times(times(p["d"], 16, p["sc"]), 16, p["q"] - 32)),
    "iq4_xs": (QUANTS.IQ4_XS, ["d", "s", "q"], lambda p:
               times(times(p["d"], 8, p["s"] - 32), 32,
                     IQ4[p["q"].astype(int)])),
}
ROWS, COLUMNS = 5, 768

SMALL = {
    "f8_e4m3fn": ml_dtypes.float8_e4m3fn, "f8_e5m2": ml_dtypes.float8_e5m2,
    "f8_e4m3": ml_dtypes.float8_e4m3, "f8_e3m4": ml_dtypes.float8_e3m4,
    "f8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8_e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "e8": ml_dtypes.float8_e8m0fnu, "f6_e2m3": ml_dtypes.float6_e2m3fn,
    "f6_e3m2": ml_dtypes.float6_e3m2fn, "f4": ml_dtypes.float4_e2m1fn,
}


class Gguf(CliTest):
    def bytes_of(self, quant):
        """Blocks of any codes, whose scales are numbers."""
        random = np.random.default_rng(1)
        blocks = random.integers(
            0, 256, (ROWS, gguf.quant_shape_to_byte_shape(
                (ROWS, COLUMNS), quant)[-1]), dtype=np.uint8)
        with np.errstate(all="ignore"):
            return self.finite(blocks, quant, random)

    @staticmethod
    def finite(blocks, quant, random):
        """Other codes for the rows whose scales are no numbers: they equal nothing."""
        values = gguf.quants.dequantize(blocks, quant)
        while not np.isfinite(values).all():
            rows = ~np.isfinite(values).all(axis=1)
            blocks[rows] = random.integers(0, 256, blocks[rows].shape,
                                           dtype=np.uint8)
            blocks[rows] &= 0xbf
            values = gguf.quants.dequantize(blocks, quant)
        return blocks, values

    def part(self, name, file, part):
        out = self.path("part.npy")
        done = run("decode", file, out, "--from", f"gguf.{name}", "--shape",
                   f"n={ROWS},k={COLUMNS}", "--part", part)
        self.assertEqual(done.code, 0, done.err)
        array = np.load(out)
        if part == "e" or (part == "q" and name == "mxfp4"):
            kind = ml_dtypes.float8_e8m0fnu if part == "e" else None
            codes = array.view(np.uint8)
            array = codes.view(kind) if kind else F4[codes]
        return array.astype(np.float32)

    def test_blocks_mean_what_llama_cpp_decodes(self):
        for name, (quant, parts, decode) in FORMATS.items():
            with self.subTest(name):
                blocks, expected = self.bytes_of(quant)
                file = self.path("w.bin")
                file.write_bytes(blocks.tobytes())
                got = decode({part: self.part(name, file, part)
                              for part in parts})
                np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)

    def test_every_block_format_of_the_catalogue_is_here(self):
        entries = self.answer("list", "gguf.")["entries"]
        names = {e["name"].split(".")[1] for e in entries
                 if e["name"].startswith("gguf.")}
        # Of these gguf decodes none, or repacked ones that have tests of their own.
        others = {"q8_1", "q8_K", "nvfp4", "q8_0x4", "q4_0_4x8", "q4_0_8x8",
                  "spacemit-q4_0x16"}
        self.assertEqual(names - others, set(FORMATS))


class SmallFloats(CliTest):
    def convert(self, array, src, dst, n):
        file, out = self.path("in.npy"), self.path("out.npy")
        np.save(file, array)
        done = run("convert", file, out, "--from", "x", "--to", "x", "--shape",
                   f"x={n}", "--dtype", src, "--to-dtype", dst)
        self.assertEqual(done.code, 0, done.err)
        return np.load(out)

    def test_every_code_has_its_value(self):
        for name, kind in SMALL.items():
            with self.subTest(name):
                count = 2 ** (4 if name == "f4" else 6 if name[1] == "6" else 8)
                codes = np.arange(count, dtype=np.uint8)
                got = self.convert(codes, name, "f32", count)
                expected = codes.view(kind).astype(np.float32)
                np.testing.assert_array_equal(got, expected)

    def test_every_value_has_its_code(self):
        random = np.random.default_rng(2)
        values = np.concatenate([
            random.standard_normal(5000) * np.exp2(random.integers(-20, 20, 5000)),
            [0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, 57344, 61440,
             240, 248, 6, 7, 2.0 ** -10, 2.0 ** -9 * 1.5],
            np.arange(-64, 64) / 16]).astype(np.float32)
        for name, kind in SMALL.items():
            with self.subTest(name):
                chosen = values
                if name == "e8":  # its values have no sign
                    chosen = np.abs(values[np.isfinite(values)])
                    chosen = chosen[chosen > 0]
                if name[:2] in ("f6", "f4"):  # no NaN either
                    chosen = values[np.isfinite(values)]
                got = self.convert(chosen, "f32", name, len(chosen))
                expected = chosen.astype(kind)
                same = got.view(np.uint8) == expected.view(np.uint8)
                nan = np.isnan(expected.astype(np.float32))
                got_nan = np.isnan(got.view(np.uint8).view(kind)
                                   .astype(np.float32))
                wrong = ~(same | (nan & got_nan))
                self.assertFalse(wrong.any(), chosen[wrong][:5])


if __name__ == "__main__":
    main()
