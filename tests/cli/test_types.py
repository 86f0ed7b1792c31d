"""Dumps of one type and goldens of another: values, scales, byte orders."""
import numpy as np

import support
from support import run


class TwoTypes(support.CliTest):
    """The golden is f32 or f64; the dump is what a device made of it."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        self.golden = rng.standard_normal((1, 40, 6, 5)).astype(np.float32)
        np.save(self.path("g.npy"), self.golden)
        np.save(self.path("g64.npy"), self.golden.astype(np.float64))
        padded = np.zeros((1, 48, 6, 5), np.float32)
        padded[:, :40] = self.golden
        self.blocked = np.ascontiguousarray(
            padded.reshape(1, 3, 16, 6, 5).transpose(0, 1, 3, 4, 2))

    def dump(self, array, name="d.bin"):
        self.path(name).write_bytes(np.ascontiguousarray(array).tobytes())
        return self.path(name)

    def differ(self, *arguments, code=0, golden="g.npy"):
        return self.answer("diff", self.path("d.bin"), self.path(golden),
                           *arguments, code=code)

    def test_halves(self):
        self.dump(self.blocked.astype(np.float16))
        for golden in ("g.npy", "g64.npy"):
            told = self.differ("-a", "nChw16c", "--dtype-a", "f16",
                               golden=golden)
            self.assertEqual(told["elements"], 1200)
            self.assertEqual(told["rtol"], 2.0 ** -10)
            self.assertEqual(told["dtype_a"], "f16")
        # Exactly, most differ.
        told = self.differ("-a", "nChw16c", "--dtype-a", "f16", "--rtol", "0",
                           code=1)
        self.assertGreater(told["differences"], 1000)
        self.assertLess(told["max_abs"], 0.002)

    def test_brain_floats(self):
        bits = self.blocked.view(np.uint32)
        self.dump((bits >> 16).astype(np.uint16))  # cut off
        told = self.differ("-a", "nChw16c", "--dtype-a", "bf16")
        self.assertEqual(told["rtol"], 2.0 ** -7)
        told = self.differ("-a", "nChw16c", "--dtype-a", "bf16", "--rtol",
                           "1e-9", code=1)
        self.assertIn("A is B rounded toward zero to bf16",
                      told["findings"][0])

    def test_one_scale(self):
        scale = np.float32(np.abs(self.golden).max() / 127)
        self.dump(np.rint(self.golden / scale).astype(np.int8))
        words = ["-a", "nchw", "--dtype-a", "s8", "--scale", str(scale)]
        self.assertAlmostEqual(self.differ(*words)["atol"], scale, places=6)
        # Unsigned, with a zero point.
        self.dump((np.rint(self.golden / scale) + 128).astype(np.uint8))
        self.differ("-a", "nchw", "--dtype-a", "u8", "--scale", str(scale),
                    "--zero-point", "128")
        told = self.differ("-a", "nchw", "--dtype-a", "u8", "--scale",
                           str(scale), code=1)
        self.assertIn("A is B + ", told["findings"][0])

    def test_a_scale_for_each_channel(self):
        scales = np.abs(self.golden).max(axis=(0, 2, 3)) / 127
        np.save(self.path("s.npy"), scales.astype(np.float32))
        quantised = np.rint(self.golden / scales[None, :, None, None])
        self.dump(quantised.astype(np.int8))
        words = ["-a", "nchw", "--dtype-a", "s8", "--scale",
                 self.path("s.npy"), "--scale-dim", "c"]
        self.differ(*words)
        self.refused("diff", self.path("d.bin"), self.path("g.npy"), *words[:6],
                     "--scale-dim", "h", says=["40 scales", "h=6"])
        # 32 bits, as accumulators have them; and in blocks.
        padded = np.zeros((1, 48, 6, 5), np.int32)
        padded[:, :40] = quantised
        self.dump(padded.reshape(1, 3, 16, 6, 5).transpose(0, 1, 3, 4, 2))
        self.differ("-a", "nChw16c", "--dtype-a", "s32", *words[4:])
        self.differ(*words[:2], "--dtype-a", "s32", "--scale", "0.1",
                    "--scale-dim", "c", code=2)

    def test_saturation_is_named(self):
        self.dump(np.clip(np.rint(self.golden / 0.01), -128, 127)
                  .astype(np.int8))
        told = self.differ("-a", "nchw", "--dtype-a", "s8", "--scale", "0.01",
                           code=1)
        self.assertIn("A is B as s8 holds it: the nearest step from -1.28 to "
                      "1.27", told["findings"][0])

    def test_big_endian(self):
        big = self.blocked.astype(">f4")
        self.dump(big)
        told = self.differ("-a", "nChw16c", code=1)
        self.assertIn("the bytes of each element of A are in reverse order",
                      told["findings"][0])
        self.differ("-a", "nChw16c", "--byte-order", "big")
        self.answer("check", self.path("d.bin"), "nChw16c", "--shape",
                    "1x40x6x5", "--dtype", "f32", "--byte-order", "big")
        for extra in ([], ["--to-dtype", "f64"]):
            self.answer("decode", self.path("d.bin"), self.path("o.npy"),
                        "--from", "nChw16c", "--shape", "1x40x6x5", "--dtype",
                        "f32", "--byte-order", "big", *extra)
            np.testing.assert_array_equal(np.load(self.path("o.npy")),
                                          self.golden)
        # Arrays say so themselves.
        np.save(self.path("big.npy"), self.golden.astype(">f4"))
        np.save(self.path("big8.npy"), self.golden.astype(">f8"))
        self.dump(self.blocked)
        for golden in ("big.npy", "big8.npy"):
            self.differ("-a", "nChw16c", "--dtype-a", "f32", golden=golden)
        self.answer("infer", self.path("big.npy"), self.path("d.bin"))
        self.convert(self.path("big8.npy"), self.path("o.npy"), "nchw", "nhwc",
                     more=["--to-dtype", "f16"])
        np.testing.assert_array_equal(
            np.load(self.path("o.npy")),
            self.golden.astype(np.float16).transpose(0, 2, 3, 1))

    def test_arrays_in_fortran_order(self):
        np.save(self.path("f.npy"), np.asfortranarray(self.golden))
        self.dump(self.blocked)
        self.differ("-a", "nChw16c", golden="f.npy")
        self.answer("infer", self.path("f.npy"), self.path("d.bin"))

    def test_conversions_by_scales_of_a_dim(self):
        scales = (np.abs(self.golden).max(axis=(0, 2, 3)) / 127
                  ).astype(np.float32)
        points = np.arange(40, dtype=np.int32) - 20
        np.save(self.path("s.npy"), scales)
        np.save(self.path("z.npy"), points)
        more = ["--to-dtype", "s8", "--scale", self.path("s.npy"),
                "--zero-point", self.path("z.npy"), "--scale-dim", "c"]
        self.convert(self.path("g.npy"), self.path("q.npy"), "nchw", "nhwc",
                     more=more)
        c = (None, slice(None), None, None)
        expected = np.clip(np.rint(self.golden / scales[c]) + points[c], -128,
                           127).astype(np.int8)
        np.testing.assert_array_equal(np.load(self.path("q.npy")),
                                      expected.transpose(0, 2, 3, 1))
        self.convert(self.path("q.npy"), self.path("o.npy"), "nhwc", "nChw16c",
                     "n=1,c=40,h=6,w=5", more=["--to-dtype", "f32", *more[2:]])
        back = (expected.astype(np.float32) - points[c]) * scales[c]
        blocked = np.zeros((1, 48, 6, 5), np.float32)
        blocked[:, :40] = back
        np.testing.assert_array_equal(
            np.load(self.path("o.npy")),
            blocked.reshape(1, 3, 16, 6, 5).transpose(0, 1, 3, 4, 2))

    def test_hostile_scales(self):
        np.save(self.path("two.npy"), np.ones((2, 2), np.float32))
        np.save(self.path("nan.npy"), np.full(40, np.nan, np.float32))
        self.dump(np.zeros(1200, np.int8))
        words = ["diff", self.path("d.bin"), self.path("g.npy"), "-a", "nchw",
                 "--dtype-a", "s8"]
        for more, says in ((["--scale", "x"], "'x'"),
                           (["--scale", "-1"], "scale"),
                           (["--scale", "none.npy"], "none.npy"),
                           (["--scale", self.path("two.npy")], "one dim"),
                           (["--scale", self.path("nan.npy"), "--scale-dim",
                             "c"], "scale"),
                           (["--zero-point", "0.5"], "zero point"),
                           (["--zero-point", "1e99"], "zero point")):
            self.refused(*words, *[str(word) for word in more],
                         says=says.strip("'"))
        self.refused("diff", self.path("g.npy"), self.path("g64.npy"),
                     "--scale", "2", says="integers")

    def test_the_golden_tells_the_shape(self):
        self.dump(self.blocked)
        told = self.differ("--layout-a", "nChw16c", "--dtype", "f32")
        self.assertEqual(told["shape"], "n=1,c=40,h=6,w=5")
        text = run("diff", self.path("d.bin"), self.path("g.npy"), "-a",
                   "nhwc").err
        self.assertIn("bytes", text)


if __name__ == "__main__":
    support.main()
