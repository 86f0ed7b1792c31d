"""infer of dumps whose elements are less than a byte, or a part of records: against
packings that NumPy makes."""

import unittest

import numpy as np

import support


def nibbles(codes):
    """Two codes to a byte along the last dim, the first one low."""
    codes = codes.astype(np.uint8).reshape(*codes.shape[:-1], -1, 2)
    return codes[..., 0] | codes[..., 1] << 4


def bit_stream(codes, bits):
    """Codes one after the other, lowest bit first."""
    planes = codes.reshape(-1, 1) >> np.arange(bits) & 1
    return np.packbits(planes.astype(np.uint8).ravel(), bitorder="little")


class Packed(support.CliTest):

    def probe(self, shape, dtype):
        for old in self.folder.glob("p.*"):
            old.unlink()
        files = self.answer("probe", self.path("p.npy"), "--shape", shape,
                            "--dtype", dtype)["files"]
        arrays = [np.load(name) for name in files]
        joined = np.stack([a.ravel() for a in arrays])
        self.assertEqual(np.unique(joined, axis=1).shape[1], arrays[0].size)
        return arrays

    def infer(self, dumps, shape, dtype, *more, code=0):
        for old in self.folder.glob("d.*"):
            old.unlink()
        for k, dump in enumerate(dumps):
            self.path(f"d.{k}.bin").write_bytes(dump.tobytes())
        return self.answer("infer", self.path("p.npy"), self.path("d.bin"),
                           "--shape", shape, "--dtype", dtype, *more, code=code)

    def check(self, got, arrays, dumps, shape, dtype):
        """What was found reads each dump as the array that made it."""
        self.assertEqual(got["outcome"], "one fits")
        for k, array in enumerate(arrays):
            self.answer("decode", self.path(f"d.{k}.bin"), self.path("o.npy"),
                        "--from", got["expression"], "--shape", shape,
                        "--dtype", dtype)
            np.testing.assert_array_equal(np.load(self.path("o.npy")), array)

    def found(self, pack, shape, dtype, expression, *more):
        arrays = self.probe(shape, dtype)
        dumps = [pack(array) for array in arrays]
        got = self.infer(dumps, shape, dtype, *more)
        self.check(got, arrays, dumps, shape, dtype)
        self.assertEqual(got["expression"], expression)

    def test_the_order_of_nibbles(self):
        awq = [0, 2, 4, 6, 1, 3, 5, 7]
        for pack, expression in (
                (nibbles, "n k"),
                (lambda a: nibbles(a.reshape(3, -1, 2)[..., ::-1]),
                 "n k/2 ~k%2"),
                (lambda a: nibbles(a.reshape(3, -1, 8)[..., awq]),
                 "n k/8 k%2 k%8/2"),
                (lambda a: nibbles(a.reshape(3, -1, 2, 16).swapaxes(2, 3)),
                 "n k/32 k%16 k%32/16")):
            self.found(pack, "n=3,k=96", "u4", expression)

    def test_other_widths(self):
        for dtype, mask, bits in (("s4", 15, 4), ("u2", 3, 2), ("u1", 1, 1),
                                  ("u3", 7, 3), ("f4", 15, 4), ("u6", 63, 6),
                                  ("u12", 4095, 12)):
            self.found(lambda a: bit_stream(
                (a.astype(np.int32) & mask).T.astype(np.int64), bits),
                "n=5,k=24", dtype, "k n")

    def test_quants_of_q4_0(self):
        def pack(array):
            blocks = array.reshape(-1, 2, 16)
            records = np.full((len(blocks), 18), 0x3c, np.uint8)
            records[:, 2:] = blocks[:, 0] | blocks[:, 1] << 4
            return records
        want = "rec=n k/32 |18B| @4 k%16 k%32/16"
        self.found(pack, "n=3,k=96", "u4", want, "--record", "18")
        self.found(pack, "n=3,k=96", "u4", want, "--record", "18",
                   "--part-at", "2", "--part-bytes", "16")

    def test_scales_of_records(self):
        def pack(array):
            records = np.zeros((array.size, 18), np.uint8)
            records[:, :2] = array.ravel().view(np.uint8).reshape(-1, 2)
            records[:, 2:] = 0xaa
            return records
        self.found(pack, "n=3,k=40", "f16", "rec=n k |18B| -",
                   "--record", "18", "--part-at", "0")

    def test_records_of_no_whole_elements(self):
        """q5_0: a scale of 2 bytes, 4 bytes of fifth bits, 16 of nibbles."""
        def pack(array):
            records = np.full((array.size, 22), 0xaa, np.uint8)
            records[:, 2:6] = array.reshape(-1, 1).view(np.uint8)
            return records
        arrays = self.probe("n=6,b=4", "u32")
        dumps = [pack(a) for a in arrays]
        got = self.infer(dumps, "n=6,b=4", "u32", "--record", "22")
        self.assertEqual(got["expression"], "@2B n:88B b:22B")
        self.check(got, arrays, dumps, "n=6,b=4", "u32")

    def test_words_of_elements_and_a_rest(self):
        """Ten weights of 3 bits in a word of 32."""
        def pack(array):
            words = (array.astype(np.uint32).reshape(-1, 10) <<
                     (3 * np.arange(10, dtype=np.uint32)))
            return words.sum(axis=1).astype("<u4")
        self.found(pack, "n=6,k=40", "u3", "rec=n k/10 |4B| k%10",
                   "--record", "4", "--part-bytes", "4")

    def test_the_first_record_is_of_something_else(self):
        records = np.full((5, 8), 0xaa, np.uint8)
        array = self.probe("n=2,k=4", "u8")[0]
        records[1:, :2] = array.reshape(4, 2)
        got = self.infer([records], "n=2,k=4", "u8", "--record", "8",
                         "--part-at", "0", "--part-bytes", "2")
        self.assertEqual(got["expression"], "rec=@1 n k/2 |8B| k%2")
        self.check(got, [array], [records], "n=2,k=4", "u8")

    def test_a_part_that_is_there_twice(self):
        array = self.probe("n=4,k=8", "u8")[0]
        records = np.concatenate([array, array], axis=1)
        got = self.infer([records], "n=4,k=8", "u8", "--record", "16")
        self.assertEqual(got["outcome"], "several fit")
        # Bytes between both are of both.
        self.assertEqual(got["fits"][0], "rec=n |16B| k")
        self.assertEqual(got["fits"][-1], "rec=n |16B| @8 k")

    def test_a_nibble_before_the_first(self):
        arrays = self.probe("n=3,k=5", "u4")
        dumps = [nibbles(np.concatenate([[0], a.ravel()])) for a in arrays]
        got = self.infer(dumps, "n=3,k=5", "u4")
        self.check(got, arrays, dumps, "n=3,k=5", "u4")
        # A last byte that is not full is no axis.
        arrays = self.probe("n=11,k=7", "u4")
        dumps = [nibbles(np.append(a.ravel(), 0)) for a in arrays]
        self.assertEqual(self.infer(dumps, "n=11,k=7", "u4")["expression"],
                         "n k")

    def test_few_values_in_records(self):
        """The place that is told makes one answer of values that repeat."""
        rng = np.random.default_rng(1)
        quants = rng.integers(0, 256, (4, 64), np.uint8)
        np.save(self.path("p.npy"), quants)
        records = rng.integers(0, 256, (8, 34), np.uint8)
        records[:, 2:] = quants.reshape(8, 32)
        got = self.infer([records], "n=4,k=64", "u8", "--record", "34",
                         "--part-at", "2")
        self.assertIn("rec=n k/32 |34B| @2 k%32", got["fits"])

    def test_what_is_told_must_hold(self):
        np.save(self.path("p.npy"), np.arange(64, dtype="u1"))
        self.path("d.bin").write_bytes(bytes(70))
        words = ("infer", self.path("p.npy"), self.path("d.bin"), "--dtype", "u8")
        for more, said in (
                (("--record", "34"), "records of 34 bytes"),
                (("--record", "0"), "1 byte or more"),
                (("--record", "35", "--part-at", "9"), "not within a record"),
                (("--record", "35", "--part-bytes", "36"), "not within"),
                (("--record", "14"), "the part's bytes"),
                (("--part-at", "2"), "--record"),
                (("--record", "-1"), "record")):
            self.refused(*words, *more, says=said)

    def test_values_that_do_not_fit_are_refused(self):
        np.save(self.path("p.npy"), np.arange(16, dtype="u1") * 17)
        self.path("d.bin").write_bytes(bytes(8))
        self.refused("infer", self.path("p.npy"), self.path("d.bin"),
                     "--dtype", "u4", says="0x11, which 4 bits")
        np.save(self.path("p.npy"), np.arange(-8, 8, dtype="i1"))
        got = self.answer("infer", self.path("p.npy"), self.path("d.bin"),
                          "--dtype", "s4", code=1)
        self.assertEqual(got["outcome"], "none fits")

    def test_raw_files_of_nibbles_are_refused(self):
        self.refused("probe", self.path("p.bin"), "--shape", "x=4", "--dtype",
                     "u4", says=".npy")
        self.path("r.bin").write_bytes(bytes(4))
        self.refused("infer", self.path("r.bin"), self.path("r.bin"), "--shape",
                     "x=4", "--dtype", "u4", says=".npy")
        self.refused("probe", self.path("p.npy"), "--shape", "x=4", "--dtype",
                     "u24", says="u24")


if __name__ == "__main__":
    unittest.main()
