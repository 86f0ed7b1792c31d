"""infer of real data: values that repeat, that are near, or of another type; tables; what
is said where nothing fits. Dumps are NumPy's."""

import os
import time
import unittest

import numpy as np

import support
from support import run


def int8(rng, *shape):
    """Standard normal values, quantised."""
    return np.clip(np.round(rng.standard_normal(shape) * 30), -128,
                   127).astype(np.int8)


def padded(array, *blocks):
    """With zeros up to a multiple of each block."""
    return np.pad(array, [(0, -extent % block)
                          for extent, block in zip(array.shape, blocks)])


def tiles(array):
    """32x32 tiles of 16x16 faces."""
    memory = padded(array, 32, 32)
    rows, columns = memory.shape
    return memory.reshape(rows // 32, 2, 16, columns // 32, 2,
                          16).transpose(0, 3, 1, 4, 2, 5)


def blocked(array, block=16):
    """nChw16c."""
    memory = padded(array, 1, block, 1, 1)
    n, c, h, w = memory.shape
    return memory.reshape(n, c // block, block, h, w).transpose(0, 1, 3, 4, 2)


class InferData(support.CliTest):

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(3)

    def write(self, reference, dump):
        np.save(self.path("r.npy"), np.ascontiguousarray(reference))
        data = (dump if isinstance(dump, bytes)
                else np.ascontiguousarray(dump).tobytes())
        self.path("d.bin").write_bytes(data)
        return ["infer", self.path("r.npy"), self.path("d.bin")]

    def infer(self, reference, dump, shape=None, *options, code=0):
        words = self.write(reference, dump)
        if shape:
            words += ["--shape", shape]
        return self.answer(*words, *options, code=code, timeout=120)

    def found(self, reference, dump, expression, shape=None, *options):
        got = self.infer(reference, dump, shape, *options)
        self.assertEqual(got["expression"], expression)
        return got

    # ------------------------------------------------- values that repeat ---

    def test_int8_tiles_of_faces(self):
        x = int8(self.rng, 77, 101)
        got = self.found(x, tiles(x), "r/32 c/32 r%32/16 c%32/16 r%16 c%16",
                         "r=77,c=101")
        self.assertEqual(got["name"], "onednn.AB2a2b16a16b")
        self.assertEqual(got["matching"], 7777)
        self.assertFalse(got["unique"])

    def test_garbage_in_the_padding_and_bytes_before(self):
        x = int8(self.rng, 77, 101)
        memory = self.rng.integers(-128, 128, (96, 128)).astype(np.int8)
        memory[:77, :101] = x
        self.found(x, tiles(memory), "r/32 c/32 r%32/16 c%32/16 r%16 c%16",
                   "r=77,c=101")
        data = b"h" * 33 + np.ascontiguousarray(tiles(x)).tobytes()
        got = self.found(x, data, "@33 r/32 c/32 r%32/16 c%32/16 r%16 c%16",
                         "r=77,c=101")
        self.assertEqual(got["base_bytes"], 33)

    def test_ternary_and_four_bits(self):
        for low, high in ((-1, 2), (-8, 8)):
            x = self.rng.integers(low, high, (173, 175)).astype(np.int8)
            self.found(x, tiles(x), "r/32 c/32 r%32/16 c%32/16 r%16 c%16",
                       "r=173,c=175")

    def test_packed_nibbles(self):
        x = np.clip(np.round(self.rng.standard_normal((173, 176)) * 2.5) + 8, 0,
                    15).astype(np.uint8)
        np.save(self.path("r.npy"), x)
        for layout in ("r/32 c/32 r%32/16 c%32/16 r%16 c%16", "r c/2 ~c%2"):
            self.convert(self.path("r.npy"), self.path("d.bin"), "r c", layout,
                         "r=173,c=176", "u4")
            got = self.answer("infer", self.path("r.npy"), self.path("d.bin"),
                              "--shape", "r=173,c=176", "--dtype", "u4",
                              timeout=60)
            self.assertEqual(got["expression"], layout)

    def test_cublaslt_col4(self):
        x = int8(self.rng, 77, 101)
        m = padded(x, 8, 32).reshape(10, 4, 2, 4, 4, 2, 4)
        self.found(x, m.transpose(3, 0, 2, 4, 5, 1, 6),
                   "c/32 r/8 r%2 c%32/8 c%8/4 r%8/2 c%4", "r=77,c=101")

    def test_scale_factors(self):
        x = int8(self.rng, 131, 61)
        m = padded(x, 128, 4).reshape(2, 4, 32, 16, 4)
        self.found(x, m.transpose(0, 3, 2, 1, 4),
                   "m/128 k/4 m%32 m%128/32 k%4", "m=131,k=61")

    def test_crouton(self):
        x = int8(self.rng, 1, 40, 13, 15)
        m = padded(x, 1, 32, 8, 4).reshape(1, 2, 32, 2, 8, 4, 2, 2)
        self.found(x, m.transpose(0, 3, 5, 1, 4, 6, 2, 7),
                   "n h/8 w/4 c/32 h%8 w%4/2 c%32 w%2", "n=1,c=40,h=13,w=15")

    def test_xla_tiles(self):
        x = int8(self.rng, 37, 213)
        m = padded(x, 8, 128).reshape(5, 4, 2, 2, 128)
        self.found(x, m.transpose(0, 3, 1, 4, 2), "r/8 c/128 r%8/2 c%128 r%2",
                   "r=37,c=213")

    def test_marlin(self):
        x = int8(self.rng, 80, 130)
        m = padded(x, 16, 64).reshape(5, 2, 4, 2, 3, 4, 2, 8)
        self.found(x, m.transpose(0, 4, 7, 2, 5, 3, 6, 1),
                   "k/16 n/64 n%8 k%8/2 n%64/16 k%2 n%16/8 k%16/8",
                   "k=80,n=130")

    def test_awq_order(self):
        x = int8(self.rng, 64, 256)
        m = x.reshape(64, 32, 8)[:, :, [0, 2, 4, 6, 1, 3, 5, 7]]
        self.found(x, m, "k n/8 n%2 n%8/2", "k=64,n=256")

    def test_parts_of_a_parent(self):
        parent = self.rng.integers(0, 256, (1, 3, 40, 50)).astype(np.uint8)
        roi = parent[:, :, 10:30, 5:25]
        got = self.infer(roi, parent, "n=1,c=3,h=20,w=20")
        self.assertEqual(got["matching"], 1200)
        self.decodes(got, roi, "n=1,c=3,h=20,w=20", "u8")
        frame = self.rng.integers(16, 236, (162, 198)).astype(np.uint8)
        plane = frame[:108, :192]
        got = self.infer(plane, frame, "h=108,w=192")
        self.decodes(got, plane, "h=108,w=192", "u8")

    def decodes(self, got, reference, shape, dtype):
        """The expression reads the dump as the reference."""
        self.answer("decode", self.path("d.bin"), self.path("back.npy"),
                    "--from", got["expression"], "--shape", shape, "--dtype",
                    dtype)
        np.testing.assert_array_equal(
            np.load(self.path("back.npy")).reshape(reference.shape), reference)

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ, "an instrumented build")
    def test_many_elements_in_seconds(self):
        for values in (int8(self.rng, 4096, 4096),
                       self.rng.integers(-1, 2, (4096, 4096)).astype(np.int8)):
            words = self.write(values, tiles(values))
            began = time.monotonic()
            got = self.answer(*words, "--shape", "r=4096,c=4096", timeout=120)
            self.assertEqual(got["expression"],
                             "r/32 c/32 r%32/16 c%32/16 r%16 c%16")
            self.assertLess(time.monotonic() - began, 60)

    # ------------------------------------------------------------- tables ---

    def test_colours_in_another_order(self):
        for dtype in (np.uint8, np.float32):
            x = (self.rng.standard_normal((1, 3, 60, 70)) * 40).astype(dtype)
            self.found(x, x[:, ::-1].transpose(0, 2, 3, 1), "n h w ~c")
            self.found(x, x[:, [1, 2, 0]].transpose(0, 2, 3, 1),
                       "n h w (c+2)%3")

    def test_pages(self):
        for pages in (int8(self.rng, 5, 4, 16, 32),
                      self.rng.standard_normal((5, 4, 16, 32)).astype("f4")):
            shape = "b=5,h=4,s=16,d=32"
            self.found(pages, pages[[3, 0, 4, 1, 2]], "b<1,3,4,0,2> h s d",
                       shape)
            pool = np.zeros((9, 4, 16, 32), pages.dtype)
            pool[[7, 2, 5, 0, 3]] = pages
            got = self.found(pages, pool, "b<7,2,5,0,3> h s d", shape)
            self.assertEqual(got["trailing_bytes"], pages.nbytes // 5)
            self.assertEqual(self.answer("show", got["expression"], "--shape",
                                         shape)["expression"],
                             got["expression"])

    def test_shuffled_channels(self):
        order = self.rng.permutation(24)
        table = ",".join(str(k) for k in np.argsort(order))
        for x in (int8(self.rng, 1, 24, 20, 30),
                  self.rng.standard_normal((1, 24, 20, 30)).astype("f4")):
            self.found(x, x[:, order], f"n c<{table}> h w")
            self.found(x, x[:, order].transpose(0, 2, 3, 1),
                       f"n h w c<{table}>")

    def test_a_digit_that_is_permuted(self):
        x = int8(self.rng, 64, 256)
        m = x.reshape(64, 32, 8)[:, :, [5, 2, 4, 6, 1, 3, 0, 7]]
        self.found(x, m, "k n/8 n%8<6,4,1,5,2,0,3,7>", "k=64,n=256")

    # ------------------------------------------------------------ nearest ---

    def test_the_nearest_explains_most(self):
        for shape in ((1, 3, 8, 9), (1, 5, 8, 9)):
            x = self.rng.standard_normal(shape).astype("f4")
            self.found(x, x[:, ::-1].transpose(0, 2, 3, 1), "n h w ~c")
            self.found(x, x[:, :, :, ::-1].transpose(0, 2, 3, 1), "n h ~w c")
            # Rows in random order but for the first one: no layout.
            dump = x.transpose(0, 2, 3, 1).copy()
            rest = dump[0, 1:].reshape(-1)
            dump[0, 1:] = self.rng.permutation(rest).reshape(dump[0, 1:].shape)
            got = self.infer(x, dump, code=1)
            self.assertEqual(got["best"]["expression"], "n h w c")
            self.assertGreaterEqual(got["matching"], 9 * shape[1])
            self.assertEqual(got["distinct"], x.size)
            self.assertIn("all values are distinct", got["reason"])
            self.assertIn("stridewise probe", got["reason"])

    def test_mirrored_kernels(self):
        k = self.rng.standard_normal((4, 3, 3, 3)).astype("f4")
        self.found(k, k[:, :, ::-1, ::-1], "o i ~h ~w", "o=4,i=3,h=3,w=3")

    def test_what_few_values_do_not_tell(self):
        x = int8(self.rng, 77, 101)
        got = self.infer(x, int8(self.rng, 77, 101), "r=77,c=101", code=1)
        self.assertEqual(got["distinct"], len(np.unique(x)))
        self.assertIn(f"{got['distinct']} of 7777 values are distinct, which "
                      "may be the reason", got["reason"])
        self.assertIn("stridewise probe", got["reason"])

    # -------------------------------------------------- the printed line ---

    def test_the_first_line_holds_for_the_next_shape(self):
        x = self.rng.standard_normal((45, 70)).astype("f4")
        m = padded(x, 16, 16).reshape(3, 16, 5, 16).transpose(2, 0, 1, 3)
        got = self.found(x, m, "c/16 r/16 r%16 c%16", "r=45,c=70")
        self.assertIn("--from 'c/16 r/16 r%16 c%16'", got["decode"])
        x = self.rng.standard_normal((20, 35, 3, 3)).astype("f4")
        m = padded(x, 16, 16, 1, 1).reshape(2, 16, 3, 16, 3, 3)
        self.found(x, m.transpose(2, 4, 5, 0, 1, 3),
                   "c/16 h w n/16 n%16 c%16", "n=20,c=35,h=3,w=3")
        x = self.rng.integers(0, 65536, (45, 70)).astype("u2")
        m = padded(x, 32, 32).reshape(2, 32, 3, 16, 2).transpose(0, 2, 3, 1, 4)
        self.found(x, m, "n/32 k/32 k%32/2 n%32 k%2", "n=45,k=70")
        x = self.rng.standard_normal((1, 5, 4, 23)).astype("f4")
        self.found(x, padded(x, 1, 1, 1, 16), "n c h:^64B w")

    def test_assumed_dims_are_said(self):
        x = self.rng.standard_normal((1, 17, 5, 4)).astype("f4")
        words = self.write(x.transpose(0, 2, 3, 1), blocked(x))
        self.assertIn("  assumed   the golden's dims are n, c, h, w; an NHWC "
                      "golden: --shape n=1,h=5,w=4,c=17\n", run(*words).out)
        got = self.answer(*words, "--shape", "n=1,h=5,w=4,c=17")
        self.assertEqual(got["expression"], "n c/16 h w c%16")
        self.assertNotIn("assumed", got)
        x = self.rng.standard_normal((5, 4, 3)).astype("f4")
        self.assertIn("are n, c, w; an HWC golden: --shape h=5,w=4,c=3",
                      run(*self.write(x, x)).out)

    # --------------------------------------------- other types, and near ---

    def test_a_half_dump_of_a_golden_of_floats(self):
        for dtype in ("f4", "f8"):
            x = self.rng.standard_normal((1, 40, 6, 5)).astype(dtype)
            dump = blocked(x.astype("f2"))
            got = self.found(x, dump, "n c/16 h w c%16", None, "--dump-dtype",
                             "f16")
            self.assertTrue(got["unique"])
            self.assertEqual((got["dtype"], got["equal"]), ("f16", 1200))
            self.assertIn("--dtype f16", got["decode"])
            got = self.infer(x, dump, code=1)
            self.assertIn("as f16 it would fit: --dump-dtype f16",
                          got["reason"])

    def test_values_that_are_near(self):
        x = self.rng.standard_normal((1, 40, 6, 5)).astype("f4")
        off = x * (1 + 1e-5 * self.rng.uniform(-1, 1, x.shape))
        dump = blocked(off.astype("f4"))
        got = self.found(x, dump, "n c/16 h w c%16", None, "--rtol", "1e-4")
        self.assertEqual(got["matching"], 1200)
        self.assertEqual(got["name"], "onednn.nChw16c")
        self.assertIn("--rtol", self.infer(x, dump, code=1)["reason"])
        half = blocked(x.astype("f2").astype("f4"))
        self.found(x, half, "n c/16 h w c%16", None, "--rtol", "1e-3")
        # Each is rounded after it went wrong.
        off = x * (1 + 3e-4 * self.rng.uniform(-1, 1, x.shape))
        self.found(x, blocked(off.astype("f2")), "n c/16 h w c%16", None,
                   "--dump-dtype", "f16")
        x = self.rng.standard_normal((77, 101)).astype("f4")
        off = x * (1 + 1e-3 * self.rng.uniform(-1, 1, x.shape))
        self.found(x, tiles(off.astype("f4")),
                   "r/32 c/32 r%32/16 c%32/16 r%16 c%16", "r=77,c=101",
                   "--rtol", "2e-3")

    def test_quantised_dumps_of_any_scale(self):
        x = self.rng.standard_normal((1, 40, 6, 5)).astype("f4")
        for scale, zero, low in ((0.025, 0, -128), (0.031, 3, -128),
                                 (0.01, 0, -128), (0.031, 117, 0)):
            q = np.clip(np.round(x / scale) + zero, low, low + 255)
            dtype, name = (("i1", "s8") if low else ("u1", "u8"))
            got = self.found(x, blocked(q.astype(dtype)), "n c/16 h w c%16",
                             None, "--dump-dtype", name)
            self.assertAlmostEqual(got["scale"] / scale, 1, delta=0.01)
            self.assertEqual(got["zero_point"], zero)
            self.assertEqual(got["matching"], 1200)
        x = self.rng.standard_normal((77, 101)).astype("f4")
        q = np.clip(np.round(x / 0.03), -128, 127).astype("i1")
        got = self.found(x, tiles(q), "r/32 c/32 r%32/16 c%32/16 r%16 c%16",
                         "r=77,c=101", "--dump-dtype", "s8")
        self.assertEqual(got["name"], "onednn.AB2a2b16a16b")
        done = run(*self.write(x, tiles(q)), "--shape", "r=77,c=101",
                   "--dump-dtype", "s8")
        self.assertIn("zero point 0;", done.out)

    def test_hostile(self):
        x = self.rng.standard_normal((4, 4)).astype("f4")
        words = self.write(x, x)
        self.refused(*words, "--rtol", "-1", says="a finite number of 0 or more")
        self.refused(*words, "--rtol", "nan", says="a finite number of 0 or more")
        self.refused(*words, "--dump-dtype", "f23", says="f23")
        self.refused(*words, "--dump-dtype", "u4", says="whole bytes")
        # Numbers that are none, and values that are all equal.
        for odd in (np.nan, np.inf, 0.0):
            y = np.full((8, 9), odd, "f4")
            done = run(*self.write(y, y.astype("f2")), "--dump-dtype", "f16")
            self.assertIn(done.code, (0, 1))
            done = run(*self.write(y, np.zeros((8, 9), "i1")), "--dump-dtype", "s8")
            self.assertIn(done.code, (0, 1, 2))


if __name__ == "__main__":
    unittest.main()
