"""Dumps with something around them, or cut: what infer says of one, the other
commands take as it is. NumPy makes the dumps.
"""

import os
import shlex
import time
import unittest

import numpy as np

import support
from support import run


def blocked(array, block):
    """n, c, h, w in blocks of channels, the last one filled up with zeros."""
    n, c, h, w = array.shape
    whole = np.zeros((n, -(-c // block) * block, h, w), array.dtype)
    whole[:, :c] = array
    return np.ascontiguousarray(
        whole.reshape(n, -1, block, h, w).transpose(0, 1, 3, 4, 2)).tobytes()


def banked(array, npus, npu_bytes, start):
    """Channels round the processors, each plane on 128 bytes."""
    n, c, h, w = array.shape
    plane = -(-h * w * array.itemsize // 128) * 128
    rounds = (c + start - 1) // npus + 1
    memory = np.zeros((npus, npu_bytes), "u1")
    for batch in range(n):
        for channel in range(c):
            npu, k = (channel + start) % npus, (channel + start) // npus
            data = np.frombuffer(array[batch, channel].tobytes(), "u1")
            at = (batch * rounds + k) * plane
            memory[npu, at:at + data.size] = data
    return memory.tobytes()


class Windows(support.CliTest):

    def setUp(self):
        super().setUp()
        self.array = np.arange(1, 681, dtype="f4").reshape(2, 17, 5, 4)
        np.save(self.path("p.npy"), self.array)
        self.memory = blocked(self.array, 16)
        self.words = ["--shape", "2x17x5x4", "--dtype", "f32"]

    def dump(self, data, name="dump.bin"):
        self.path(name).write_bytes(data)
        return self.path(name)

    def decoded(self, command):
        """The array that a command of infer makes."""
        words = shlex.split(command)
        self.assertEqual(words[:2], ["stridewise", "decode"])
        words[words.index("out.npy")] = str(self.path("out.npy"))
        done = run(*words[1:])
        self.assertEqual(done.code, 0, done.err)
        return np.load(self.path("out.npy"))

    def inferred(self, dump, reference="p.npy"):
        return self.answer("infer", self.path(reference), dump)

    def test_what_infer_prints_decodes(self):
        for data in (self.memory, b"H" * 96 + self.memory,
                     self.memory + b"T" * 40, b"abc" + self.memory + b"defgh",
                     b"H" * 100 + self.memory + b"T"):
            answer = self.inferred(self.dump(data))
            np.testing.assert_array_equal(self.decoded(answer["decode"]),
                                          self.array)
            text = run("infer", self.path("p.npy"), self.path("dump.bin")).out
            self.assertIn(f"  read it   {answer['decode']}\n", text)

    def test_a_path_for_a_shell(self):
        dump = self.dump(self.memory, "a dump's name;.bin")
        np.testing.assert_array_equal(
            self.decoded(self.inferred(dump)["decode"]), self.array)

    def test_a_dump_that_was_cut(self):
        for data in (self.memory[1027:], self.memory[:-1500],
                     self.memory[64:-700]):
            answer = self.inferred(self.dump(data))
            got = self.decoded(answer["decode"])
            there = got != 0
            np.testing.assert_array_equal(got[there], self.array[there])
            self.assertEqual(int(there.sum()), answer["present"])
        done = run("infer", self.path("p.npy"), self.path("dump.bin"))
        self.assertIn("  end       the dump lacks the last", done.out)
        done = run("decode", self.path("dump.bin"), self.path("o.npy"),
                   "--from", "nChw16c", *self.words, "--start", 64)
        self.assertIn("of 680 elements are not in", done.out)

    def test_what_is_missing_is_counted(self):
        n, c, h, w = np.indices((2, 17, 5, 4))
        at = 4 * ((((n * 2 + c // 16) * 5 + h) * 4 + w) * 16 + c % 16)
        for first, end in ((0, 3620), (1027, 5120), (64, 4420), (3001, 3999),
                           (5, 13), (0, 5119)):
            there = (at >= first) & (at + 4 <= end)
            answer = self.answer(
                "decode", self.dump(self.memory[first:end]),
                self.path("o.npy"), "--from", "nChw16c", *self.words,
                "--start", first)
            self.assertEqual(answer["missing_elements"], 680 - there.sum())
            np.testing.assert_array_equal(np.load(self.path("o.npy")),
                                          np.where(there, self.array, 0))

    def test_an_array_for_a_dump(self):
        flat = np.frombuffer(self.memory, dtype="f4")
        np.save(self.path("flat.npy"), flat)
        answer = self.inferred(self.path("flat.npy"))
        np.testing.assert_array_equal(self.decoded(answer["decode"]),
                                      self.array)
        # decode would take the dims of these for what they are.
        np.save(self.path("other.npy"), flat.reshape(2, 2, 5, 64))
        np.save(self.path("bits.npy"), flat.view("u4"))
        for reference, dump in (("p.npy", "other.npy"), ("p.npy", "bits.npy")):
            answer = self.inferred(self.path(dump), reference)
            self.assertEqual(answer["outcome"], "one fits")
            self.assertIsNone(answer["decode"])
            done = run("infer", self.path(reference), self.path(dump))
            self.assertNotIn("read it", done.out)

    def test_an_array_in_fortran_order(self):
        cube = np.arange(256, dtype="f4").reshape(4, 4, 4, 4)
        np.save(self.path("cube.npy"), cube)
        np.save(self.path("fortran.npy"), np.asfortranarray(cube))
        answer = self.inferred(self.path("fortran.npy"), "cube.npy")
        np.testing.assert_array_equal(self.decoded(answer["decode"]), cube)

    def test_what_does_not_fit_has_no_command(self):
        wrong = bytearray(self.memory)
        wrong[0:4], wrong[64:68] = wrong[64:68], wrong[0:4]
        answer = self.answer("infer", self.path("p.npy"), self.dump(wrong),
                             code=1)
        self.assertNotIn("decode", answer)
        self.assertNotIn("decode", answer["best"] or {})

    def test_the_reference_is_not_overwritten(self):
        np.save(self.path("out.npy"), self.array)
        done = run("infer", "out.npy", self.dump(self.memory),
                   cwd=self.path("."))
        self.assertIn(" decoded.npy ", done.out)

    def test_banks_with_a_header(self):
        array = np.arange(1, 4201, dtype="f4").reshape(2, 70, 6, 5)
        np.save(self.path("q.npy"), array)
        memory = banked(array, 64, 1024, 2)
        answer = self.inferred(self.dump(b"H" * 96 + memory + b"T" * 8),
                               "q.npy")
        self.assertEqual(answer["expression"],
                         "npu=(c+2)%64 |1024B| offset=n (c+2)/64:^128B h w")
        self.assertEqual(answer["start_byte"], -96)
        self.assertEqual(answer["name"],
                         "okk.aligned(npu_bytes=1024,start=2)")
        self.assertEqual(answer["names_at_base"], [])
        self.assertEqual(answer["outcome"], "one fits")
        np.testing.assert_array_equal(self.decoded(answer["decode"]), array)

    def test_banks_that_were_cut(self):
        array = np.arange(1, 601, dtype="f4").reshape(2, 10, 6, 5)
        np.save(self.path("q.npy"), array)
        memory = banked(array, 64, 1024, 2)
        answer = self.inferred(self.dump(memory[1500:]), "q.npy")
        self.assertEqual(answer["outcome"], "fits, maybe not alone")
        self.assertIn("does not show which npu comes first", answer["reason"])
        np.testing.assert_array_equal(self.decoded(answer["decode"]), array)

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ, "an instrumented build")
    def test_values_that_repeat_in_a_large_file_with_holes(self):
        array = (np.arange(240) % 50 + 1).astype("f4").reshape(2, 6, 5, 4)
        np.save(self.path("r.npy"), array)
        with open(self.path("d.bin"), "wb") as file:
            file.truncate(10 << 30)
            file.seek(5 << 30)
            file.write(array.tobytes())
        began = time.monotonic()
        self.answer("infer", self.path("r.npy"), self.path("d.bin"), code=1,
                    timeout=60)
        self.assertLess(time.monotonic() - began, 20)

    def test_diff_and_check(self):
        dump = self.dump(b"H" * 100 + self.memory + b"T" * 9)
        arguments = ["diff", dump, self.path("p.npy"), "-a", "nChw16c",
                     "-b", "nchw", "--shape", "2x17x5x4"]
        self.refused(*arguments, says=["--skip-a", "has 5229 bytes"])
        self.assertTrue(self.answer(*arguments, "--skip-a", 100)["equal"])
        self.refused(*arguments, "--skip-a", 4000, says="elements are not in")
        self.refused(*arguments, "--skip-a", 9999, says="none is left")
        wrong = bytearray(dump.read_bytes())
        wrong[100 + 64:100 + 68] = b"\0\0\0\0"
        self.dump(wrong)
        answer = self.answer(*arguments, "--skip-a", 100, code=1)
        self.assertEqual(answer["first"]["byte_a"], 164)
        # c=17 of the last block, where nothing should be.
        wrong[100 + 1280 + 4] = 1
        self.dump(wrong)
        answer = self.answer("check", dump, "nChw16c", *self.words, "--skip",
                             100, code=1)
        self.assertEqual(answer["leaks"][0]["byte"], 1384)
        answer = self.answer("check", self.dump(self.memory[1027:]), "nChw16c",
                             *self.words, "--start", 1027)
        self.assertGreater(answer["missing_elements"], 0)
        self.assertFalse(answer["size_matches"])

    def test_an_array_of_dims_has_nothing_around_it(self):
        self.refused("check", self.path("p.npy"), "--skip", 4,
                     says="of bare memory")
        np.save(self.path("flat.npy"), np.frombuffer(self.memory, dtype="f4"))
        self.refused("check", self.path("flat.npy"), "nChw16c",
                     says="--shape is needed")

    def test_hostile(self):
        dump = self.dump(self.memory)
        words = ["decode", dump, self.path("o.npy"), "--from", "nChw16c",
                 *self.words]
        for bad in (["--skip", -1], ["--skip", "x"], ["--skip", 1, "--start", 1],
                    ["--skip", 2 ** 63], ["--skip", 2 ** 63 - 1],
                    ["--start", 2 ** 63 - 1], ["--start", 5120],
                    ["--skip", 5120]):
            self.refused(*words, *bad)
            self.assertFalse(self.path("o.npy").exists())
        self.refused("decode", self.path("p.npy"), self.path("o.npy"), "--from",
                     "nchw", "--skip", 4, says="--skip")


class Messages(support.CliTest):

    def test_help_of_a_command(self):
        for command in ("diff", "check", "infer", "probe", "decode", "convert",
                        "show"):
            done = run("help", command)
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(done.out, run(command, "--help").out)
        self.assertEqual(run("help").out, run("--help").out)
        self.refused("help", "dif", says=["no command 'dif'", "'diff'"])

    def test_a_broken_sidecar(self):
        self.path("d.bin").write_bytes(bytes(16))
        for text, says in (("{", "is no JSON: parse error at line 1"),
                           ('{"layout": "x"}', 'has no "shape"'),
                           ("[]", "is no JSON object")):
            self.path("d.json").write_text(text)
            for words in (["check", self.path("d.bin")],
                          ["decode", self.path("d.bin"), self.path("o.npy")]):
                self.refused(*words, says=["d.json", says])
        self.path("d.json").unlink()
        self.refused("check", self.path("d.bin"), says="there is no sidecar")

    def test_arrays_tell_check_their_shape(self):
        array = np.ones((2, 3, 4), "f4")
        array[1, 2, 3] = np.nan
        np.save(self.path("x.npy"), array)
        for layout in ([], ["n c w"]):
            answer = self.answer("check", self.path("x.npy"), *layout, code=1)
            self.assertEqual(answer["nan"], 1)
            self.assertEqual(list(answer["first_nan"].values()), [1, 2, 3])

    def test_the_first_of_one_is_told_once(self):
        array = np.ones((2, 3, 4), "f4")
        np.save(self.path("y.npy"), array)
        array[1, 2, 3] = np.nan
        np.save(self.path("x.npy"), array)
        done = run("check", self.path("x.npy"))
        self.assertEqual(done.out, "1 element is NaN: n=1, c=2, w=3\n")
        done = run("diff", self.path("x.npy"), self.path("y.npy"))
        self.assertEqual(done.out.count("nan and 1"), 1, done.out)


if __name__ == "__main__":
    support.main()
