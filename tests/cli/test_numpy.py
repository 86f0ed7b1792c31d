"""NumPy as an independent client: it writes the inputs and checks the outputs
of convert."""

import itertools
import unittest

import numpy as np

import support
from support import DTYPES

SHAPE = {"n": 2, "c": 17, "h": 5, "w": 4}
SHAPE_TEXT = "2x17x5x4"


def values(dtype, shape):
    """Different values, as far as the type has so many."""
    count = int(np.prod(shape))
    if np.dtype(dtype).kind == "b":
        return (np.arange(count) % 3 == 0).reshape(shape)
    raw = np.arange(1, count + 1).reshape(shape).astype(dtype)
    return raw * dtype_one(dtype) if np.dtype(dtype).kind == "c" else raw


def dtype_one(dtype):
    return np.dtype(dtype).type(1 - 2j)  # both parts matter


def blocked(array, axis, block):
    """nChw8c and the like: zero-padded blocks of one dim, innermost."""
    extent = array.shape[axis]
    pad = [(0, 0)] * array.ndim
    pad[axis] = (0, -extent % block)
    array = np.pad(array, pad)
    shape = list(array.shape)
    shape[axis:axis + 1] = [shape[axis] // block, block]
    return np.moveaxis(array.reshape(shape), axis + 1, -1)


class ValuesTest(support.CliTest):
    """Values that change on the way, against NumPy's own arithmetic."""

    def changed(self, array, *arguments):
        """nhwc of an nchw array, its values changed as the arguments say."""
        np.save(self.path("x.npy"), array)
        self.convert(self.path("x.npy"), self.path("y.npy"), "nchw", "nhwc",
                     more=arguments)
        return np.load(self.path("y.npy"))

    def test_halves(self):
        rng = np.random.default_rng(1)
        x = (rng.standard_normal((2, 17, 5, 4)) * 1000).astype(np.float32)
        expected = x.transpose(0, 2, 3, 1)
        np.testing.assert_array_equal(self.changed(x, "--to-dtype", "f16"),
                                      expected.astype(np.float16))
        half = x.astype(np.float16)
        np.testing.assert_array_equal(
            self.changed(half, "--to-dtype", "f32"),
            half.transpose(0, 2, 3, 1).astype(np.float32))

    def test_quantised(self):
        rng = np.random.default_rng(2)
        x = (rng.standard_normal((2, 17, 5, 4)) * 4).astype(np.float32)
        q = np.rint(x / np.float32(0.05)) + 3
        expected = np.clip(q, -128, 127).astype(np.int8).transpose(0, 2, 3, 1)
        actual = self.changed(x, "--to-dtype", "s8", "--scale", "0.05",
                              "--zero-point", "3")
        np.testing.assert_array_equal(actual, expected)
        back = (actual.astype(np.float32) - 3) * np.float32(0.05)
        np.testing.assert_array_equal(
            self.changed(actual, "--to-dtype", "f32", "--scale", "0.05",
                         "--zero-point", "3"), back.transpose(0, 2, 3, 1))

    def test_every_pair_of_types(self):
        rng = np.random.default_rng(3)
        names = {"f16": np.float16, "f32": np.float32, "f64": np.float64,
                 "s8": np.int8, "u8": np.uint8, "s16": np.int16,
                 "u16": np.uint16, "s32": np.int32, "u32": np.uint32,
                 "s64": np.int64, "u64": np.uint64}
        x = rng.standard_normal((2, 17, 5, 4)) * 300
        for src, src_type in names.items():
            # What does not fit is clipped, as these conversions do.
            array = self.saturated(x, src_type)
            for dst, dst_type in names.items():
                np.testing.assert_array_equal(
                    self.changed(array, "--to-dtype", dst),
                    self.saturated(array, dst_type).transpose(0, 2, 3, 1),
                    f"{src} {dst}")

    @staticmethod
    def saturated(array, dtype):
        """The nearest values of another type."""
        if not np.issubdtype(dtype, np.integer):
            return array.astype(dtype)
        limits = np.iinfo(dtype)
        return np.clip(np.rint(array.astype(np.float64)), limits.min,
                       limits.max).astype(dtype)

    def test_refusals(self):
        np.save(self.path("x.npy"), np.zeros((1, 2, 3, 4), np.float32))
        for arguments, word in (
                (["--scale", "2"], "--to-dtype"),
                (["--to-dtype", "c64"], "c64"),
                (["--to-dtype", "f16", "--scale", "2"], "scale"),
                (["--to-dtype", "s8", "--scale", "0"], "scale"),
                (["--to-dtype", "s8", "--scale", "nan"], "scale"),
                (["--to-dtype", "u8", "--zero-point", "-1"], "zero point")):
            self.refused("convert", self.path("x.npy"), self.path("y.npy"),
                         "--from", "nchw", "--to", "nhwc", *arguments,
                         says=word)
            self.assertFalse(self.path("y.npy").exists())


class NumpyTest(support.CliTest):

    def through(self, array, come_from, to, shape=None, dtype=None):
        """What convert makes of an array, both ways through .npy."""
        np.save(self.path("in.npy"), array)
        self.convert(self.path("in.npy"), self.path("out.npy"), come_from, to,
                     shape, dtype)
        return np.load(self.path("out.npy"))

    def same(self, got, expected, where=""):
        self.assertEqual(got.dtype, expected.dtype, where)
        self.assertEqual(got.shape, expected.shape, where)
        np.testing.assert_array_equal(got, expected, str(where))
        self.assertTrue(got.flags.c_contiguous, where)


class Layouts(NumpyTest):

    def test_permutations(self):
        plain = values("f4", tuple(SHAPE.values()))
        for letters in itertools.permutations("nchw"):
            to = "".join(letters)
            expected = np.ascontiguousarray(
                plain.transpose(["nchw".index(c) for c in to]))
            self.same(self.through(plain, "nchw", to), expected, to)
            self.same(self.through(expected, to, "nchw"), plain, to)

    def test_two_permutations_at_once(self):
        plain = values("i2", (3, 4, 5, 6))
        source = np.ascontiguousarray(plain.transpose(1, 2, 3, 0))
        expected = np.ascontiguousarray(plain.transpose(0, 2, 3, 1))
        self.same(self.through(source, "chwn", "nhwc"), expected)
        self.same(self.through(source, "bcda", "acdb"), expected)
        self.same(self.through(source, "c h w n", "n h w c"), expected)

    def test_other_ranks(self):
        for tag, to, axes in [("ab", "ba", (1, 0)), ("ncw", "nwc", (0, 2, 1)),
                              ("oihw", "hwio", (2, 3, 1, 0)),
                              ("goihw", "hwigo", (3, 4, 2, 0, 1)),
                              ("abcdef", "fdbeca", (5, 3, 1, 4, 2, 0))]:
            array = values("u2", (3, 2, 4, 5, 2, 3)[:len(tag)])
            expected = np.ascontiguousarray(array.transpose(axes))
            self.same(self.through(array, tag, to), expected, to)

    def test_blocked_with_tail(self):
        for c in (1, 7, 8, 16, 17, 33):
            plain = values("f4", (2, c, 5, 4))
            for block in (4, 8, 16):
                to = f"nChw{block}c"
                expected = np.ascontiguousarray(blocked(plain, 1, block))
                self.same(self.through(plain, "nchw", to), expected, (to, c))
                # Rubbish in the padding must not come back.
                dirty = expected.copy()
                dirty[:, -1, ..., (c - 1) % block + 1:] = -1
                back = self.through(dirty, to, "nchw", f"2x{c}x5x4")
                self.same(back, plain, (to, c))

    def test_double_blocks(self):
        plain = values("i1", (20, 18, 3, 2))
        expected = np.pad(plain, [(0, 12), (0, 14), (0, 0), (0, 0)])
        # o/16 i/16 h w i%16/4 o%16 i%4
        expected = np.ascontiguousarray(
            expected.reshape(2, 16, 2, 4, 4, 3, 2)
            .transpose(0, 2, 5, 6, 3, 1, 4))
        for to in ("OIhw4i16o4i", "o/16 i/16 h w i%16/4 o%16 i%4"):
            self.same(self.through(plain, "oihw", to), expected, to)
        back = self.through(expected, "OIhw4i16o4i", "oihw", "20x18x3x2")
        self.same(back, plain)

    def test_mace_images(self):
        plain = values("f2", tuple(SHAPE.values()))
        # Rows, pixels and lanes as [row digits..., pixel digits..., lane].
        channel = blocked(plain, 1, 4).transpose(0, 2, 1, 3, 4)  # n h c/4 w
        height = blocked(plain, 2, 4).transpose(0, 2, 1, 3, 4)  # n h/4 c w
        width = blocked(plain, 3, 4).transpose(0, 2, 1, 3, 4)  # n h c w/4
        for to, image in [("mace.channel", channel), ("mace.height", height),
                          ("mace.width", width)]:
            image = np.ascontiguousarray(image)
            self.same(self.through(plain, "nchw", to), image, to)
            self.same(self.through(image, to, "nchw", SHAPE_TEXT), plain, to)
        nhwc = np.ascontiguousarray(plain.transpose(0, 2, 3, 1))
        self.same(self.through(nhwc, "nhwc", "mace.channel"),
                  np.ascontiguousarray(channel))

    def test_mace_filter(self):
        plain = values("f4", (6, 3, 2, 5))
        image = np.ascontiguousarray(blocked(plain, 0, 4)
                                     .transpose(0, 2, 3, 1, 4))
        self.same(self.through(plain, "oihw", "mace.filter"), image)
        self.same(self.through(plain, "oihw",
                               "row=o/4 h w | pixel=i | lane=o%4"), image)

    def test_4n_mode(self):
        # One NPU: 4 batches a word, channels on multiples of 128 bytes.
        plain = values("u1", (6, 3, 5, 7))
        words = blocked(plain, 0, 4)  # n/4 c h w n%4: 140 bytes a channel
        expected = np.zeros((2, 3, 256), np.uint8)
        expected[:, :, :140] = words.reshape(2, 3, 140)
        np.save(self.path("in.npy"), plain)
        for to, size in [("n/4 c:^128B h w n%4", 1536),
                         ("okk.4n(npus=1,npu_bytes=4096)", 1536)]:
            self.convert(self.path("in.npy"), self.path("out.bin"), "nchw", to)
            got = np.fromfile(self.path("out.bin"), np.uint8)
            np.testing.assert_array_equal(got[:size], expected.ravel(), to)
            self.assertFalse(got[size:].any(), to)
            self.convert(self.path("out.bin"), self.path("back.npy"), to,
                         "nchw", "6x3x5x7", "u8")
            self.same(np.load(self.path("back.npy")), plain, to)

    def test_strided_raw(self):
        plain = values("f4", (2, 3, 3, 5))
        expected = np.zeros((2, 4, 30), "f4")  # n:120 c:30 h:8 w
        rows = np.lib.stride_tricks.as_strided(
            expected, plain.shape, [480, 120, 32, 4])
        rows[...] = plain
        np.save(self.path("in.npy"), plain)
        told = self.convert(self.path("in.npy"), self.path("out.bin"), "nchw",
                            "n:120 c:30 h:8 w")
        got = np.fromfile(self.path("out.bin"), "f4")
        self.assertEqual(told["bytes_written"], got.nbytes)
        np.testing.assert_array_equal(got, expected.ravel()[:len(got)])
        self.assertFalse(expected.ravel()[len(got):].any())
        self.convert(self.path("out.bin"), self.path("back.npy"),
                     "n:120 c:30 h:8 w", "nchw", "n=2,c=3,h=3,w=5", "f32")
        self.same(np.load(self.path("back.npy")), plain)


class Types(NumpyTest):

    def test_types_and_byte_orders(self):
        for code, name in DTYPES:
            for order in "<>":
                dtype = np.dtype(code).newbyteorder(order)
                plain = values(code, (2, 5, 3)).astype(dtype)
                expected = np.ascontiguousarray(
                    blocked(plain, 1, 4)).astype(dtype.newbyteorder("<"))
                for given in (None, name):
                    got = self.through(plain, "ncw", "nCw4c", dtype=given)
                    self.same(got, expected, (order, code))
                back = self.through(expected.astype(dtype), "nCw4c", "ncw",
                                    "2x5x3")
                self.same(back, plain.astype(dtype.newbyteorder("<")), code)

    def test_every_bit_pattern_of_a_half(self):
        # Moved, not interpreted: signalling NaNs stay what they are.
        bits = np.arange(65536, dtype="u2").reshape(256, 256)
        got = self.through(bits.view("f2"), "ab", "ba")
        np.testing.assert_array_equal(got.view("u2"), bits.T)

    def test_bf16(self):
        # NumPy has no bf16: 2-byte data of whatever name.
        bits = np.arange(2 * 5 * 3, dtype="u2").reshape(2, 5, 3)
        expected = blocked(bits, 1, 4)
        for array in (bits, bits.view("i2"), bits.view("V2"),
                      bits.astype(">u2")):
            got = self.through(array, "ncw", "nCw4c", dtype="bf16")
            self.assertEqual(got.dtype.itemsize, 2)
            self.assertEqual(got.shape, (2, 2, 3, 4))
            np.testing.assert_array_equal(got.view("u2"), expected)
        bits.tofile(self.path("in.bin"))
        self.convert(self.path("in.bin"), self.path("out.bin"), "ncw", "nCw4c",
                     "2x5x3", "bf16")
        np.testing.assert_array_equal(np.fromfile(self.path("out.bin"), "u2"),
                                      expected.ravel())

    def test_fortran_order(self):
        for dtype in ("<f4", ">f4", "u1", ">c16"):
            plain = values(np.dtype(dtype).newbyteorder("="), (2, 17, 5, 4))
            little = np.dtype(dtype).newbyteorder("<")
            nhwc = plain.transpose(0, 2, 3, 1).astype(little, "C")
            got = self.through(np.asfortranarray(plain.astype(dtype)),
                               "nchw", "nhwc")
            self.same(got, nhwc, dtype)
            blocks = blocked(plain, 1, 8)
            fortran = np.asfortranarray(blocks.astype(dtype))
            self.assertFalse(fortran.flags.c_contiguous)
            got = self.through(fortran, "nChw8c", "nhwc", SHAPE_TEXT)
            self.same(got, nhwc, dtype)

    def test_versions(self):
        plain = values("f4", (3, 4, 5))
        expected = np.ascontiguousarray(plain.transpose(2, 0, 1))
        for version in [(1, 0), (2, 0), (3, 0)]:
            with open(self.path("in.npy"), "wb") as file:
                np.lib.format.write_array(file, plain, version)
            self.convert(self.path("in.npy"), self.path("out.npy"), "abc",
                         "cab")
            self.same(np.load(self.path("out.npy")), expected, version)

    def test_zero_extents_of_arrays(self):
        for shape in [(0,), (2, 0), (0, 3), (2, 0, 3), (0, 0, 0)]:
            array = np.zeros(shape, "f4")
            tag = "abc"[:len(shape)]
            source = " ".join(tag) if len(tag) == 1 else tag
            to = " ".join(reversed(tag))
            self.same(self.through(array, source, to), array.T, shape)
        empty = np.zeros((2, 0, 5, 4), "f4")
        got = self.through(empty, "nchw", "nChw8c")
        self.assertEqual((got.size, got.dtype), (0, np.dtype("f4")))

    def test_zero_extents_of_raw_files(self):
        self.path("in.bin").write_bytes(b"")
        told = self.convert(self.path("in.bin"), self.path("out.bin"), "nchw",
                            "nhwc", "2x0x5x4", "f32")
        self.assertEqual((told["elements"], told["bytes_written"]), (0, 0))
        self.assertEqual(self.path("out.bin").read_bytes(), b"")
        self.convert(self.path("in.bin"), self.path("out.npy"), "nchw", "nhwc",
                     "2x0x5x4", "f32")
        self.same(np.load(self.path("out.npy")), np.zeros((2, 5, 4, 0), "f4"))

    def test_headers_as_others_write_them(self):
        # Any dict literal is a header, in any order, with either quotes.
        data = np.arange(6, dtype="<i4").reshape(2, 3)
        for text in ['{"shape": (2, 3), "fortran_order": False, '
                     '"descr": "<i4"}\n',
                     "{'descr':'<i4','fortran_order':False,'shape':(2,3,)}",
                     "{ 'fortran_order' : False , 'descr' : '<i4' ,\n"
                     " 'shape' : ( 2 , 3 ) , }      \n"]:
            head = text.encode()
            self.path("in.npy").write_bytes(
                b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head
                + data.tobytes())
            self.convert(self.path("in.npy"), self.path("out.npy"), "ab", "ba")
            self.same(np.load(self.path("out.npy")), data.T.copy(), text)


if __name__ == "__main__":
    support.main()
