"""Dumps: probe, infer, diff, check and decode, against NumPy and files that are
hostile."""

import json
import os
import resource
import subprocess
import time
import unittest

import numpy as np

import support
from support import run


def resident(pid):
    """Bytes of memory that a process has at the moment."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def in_bounded_memory(test, words, code):
    """The JSON answer of a run that may have 256 MiB of its own, and 512 MiB with
    what it maps."""
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))
    most = 0
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=limit) as process:
        while process.poll() is None:
            most = max(most, resident(process.pid))
            time.sleep(0.02)
        out, error = process.communicate()
    test.assertEqual(process.returncode, code, error)
    test.assertLess(most, 512 << 20)
    return json.loads(out)


class Infer(support.CliTest):

    def probe(self, shape, dtype="f32"):
        """The arrays of a probe, in its order."""
        for old in self.folder.glob("p.*"):
            old.unlink()
        files = self.answer("probe", self.path("p.npy"), "--shape", shape,
                            "--dtype", dtype)["files"]
        return [np.load(name) for name in files]

    def infer(self, dumps, shape, dtype="f32", code=0, reference="p.npy"):
        """The answer for these arrays as they lie in memory."""
        for old in self.folder.glob("d.*"):
            old.unlink()
        for k, dump in enumerate(dumps):
            self.path(f"d.{k}.bin").write_bytes(np.ascontiguousarray(dump)
                                                .tobytes())
        return self.answer("infer", self.path(reference), self.path("d.bin"),
                           "--shape", shape, "--dtype", dtype, code=code)

    def test_transposes_of_numpy(self):
        for dtype in ("f32", "f16", "s8", "bool", "c64", "f64"):
            arrays = self.probe("3x5x4x7", dtype)
            for order in ((0, 2, 3, 1), (3, 1, 2, 0), (1, 0, 3, 2)):
                got = self.infer([a.transpose(order) for a in arrays],
                                 "3x5x4x7", dtype)
                self.assertEqual(got["expression"],
                                 " ".join("nchw"[d] for d in order))
                self.assertEqual(len(got["fits"]), 1)
            self.assertEqual(got["elements"], 420)

    def test_views_of_numpy(self):
        probe = self.probe("4x6x5")[0]
        memory = np.zeros((4, 10, 8), "f4")
        memory[:, 2:8, 1:6] = probe
        got = self.infer([memory], "a=4,b=6,c=5")
        self.check(got, "a=4,b=6,c=5", memory, probe)
        memory = np.zeros((5, 12, 4), "f4")
        memory[:, ::2, :] = probe.transpose(2, 1, 0)
        self.check(self.infer([memory], "a=4,b=6,c=5"), "a=4,b=6,c=5", memory,
                   probe)

    def check(self, got, shape, memory, probe):
        """The expression decodes the memory to the probe."""
        self.path("m.bin").write_bytes(memory.tobytes())
        self.answer("decode", self.path("m.bin"), self.path("back.npy"),
                    "--from", got["expression"], "--shape", shape, "--dtype",
                    "f32")
        np.testing.assert_array_equal(
            np.load(self.path("back.npy")).reshape(probe.shape), probe)

    def test_names(self):
        for layout, shape, name in [
                ("nChw16c", "2x17x5x4", "onednn.nChw16c"),
                ("mace.channel", "2x17x5x4", "mace.channel"),
                ("okk.aligned(npus=64,start=2)", "2x70x14x14",
                 "okk.aligned(start=2)")]:
            self.probe(shape)
            self.convert(self.path("p.npy"), self.path("d.bin"), "nchw", layout,
                         shape)
            got = self.answer("infer", self.path("p.npy"), self.path("d.bin"),
                              "--shape", shape, "--dtype", "f32")
            self.assertEqual(got["name"], name)
            self.assertEqual(got["outcome"], "one fits")
            back = self.answer("show", got["name"], "--shape", shape)
            self.assertEqual(back["expression"], got["expression"])

    def test_the_middle_of_a_buffer(self):
        probe = self.probe("2x17x5x4")[0]
        junk = np.random.default_rng(1).integers(0, 256, 500, "u1").tobytes()
        blocked = np.zeros((2, 2, 5, 4, 16), "f4")
        padded = np.zeros((2, 32, 5, 4), "f4")
        padded[:, :17] = probe
        blocked[:] = padded.reshape(2, 2, 16, 5, 4).transpose(0, 1, 3, 4, 2)
        data = blocked.tobytes()
        self.path("d.bin").write_bytes(junk + data + junk)
        got = self.answer("infer", self.path("p.npy"), self.path("d.bin"),
                          "--shape", "2x17x5x4", "--dtype", "f32")
        self.assertEqual(got["present"], 680)
        # Cut off in front: bytes that no element is in come first.
        self.path("d.bin").write_bytes(data[1027:])
        got = self.answer("infer", self.path("p.npy"), self.path("d.bin"),
                          "--shape", "2x17x5x4", "--dtype", "f32")
        self.assertEqual(got["start_byte"], 1027)
        self.assertEqual(got["name"], "onednn.nChw16c")
        self.assertLess(got["present"], 680)
        self.assertEqual(got["present"], got["matching"])

    def test_a_dump_without_the_first_index_of_a_dim(self):
        data = self.probe("2x17x5x4")[0].tobytes()
        self.path("d.bin").write_bytes(data[1400:])
        got = self.answer("infer", self.path("p.npy"), self.path("d.bin"))
        self.assertEqual(got["name"], "onednn.nchw")
        self.assertEqual(got["start_byte"], 1400)
        self.assertEqual((got["present"], got["matching"]), (330, 330))

    def test_answers_that_are_no(self):
        probe = self.probe("2x17x5x4")[0]
        shuffled = np.random.default_rng(2).permutation(probe.reshape(-1))
        got = self.infer([shuffled], "2x17x5x4", code=1)
        self.assertIsNone(got["expression"])
        self.assertIsNone(got["name"])
        self.assertEqual(got["fits"], [])
        self.assertIn("reason", got)
        np.save(self.path("same.npy"), np.ones((2, 3), "f4"))
        got = self.infer([np.ones((3, 2), "f4")], "a=2,b=3", code=1,
                         reference="same.npy")
        self.assertEqual(got["outcome"], "cannot know")
        done = run("infer", self.path("same.npy"), self.path("d.0.bin"))
        self.assertEqual(done.code, 1)
        self.assertIn("cannot know", done.out)

    def test_hostile(self):
        np.save(self.path("r.npy"), np.arange(6, dtype="f4").reshape(2, 3))
        self.path("empty").write_bytes(b"")
        self.path("short").write_bytes(b"12345")
        good = ["--shape", "a=2,b=3", "--dtype", "f32"]
        self.refused("infer", self.path("r.npy"), self.path("empty"), *good,
                     says="0 bytes")
        self.refused("infer", self.path("r.npy"), self.path("none"), *good,
                     says="cannot open")
        self.refused("infer", self.path("empty"), self.path("short"), *good,
                     says="0 bytes")
        self.refused("infer", self.path("r.npy"), self.path("short"),
                     "--shape", "a=3,b=3", "--dtype", "f32", says="2x3")
        self.refused("infer", self.path("r.npy"), self.path("short"),
                     "--shape", "a=2,b=3", "--dtype", "f64", says="f32")
        self.refused("infer", self.path("r.npy"), *good)
        self.refused("infer", self.path("r.npy"), self.path("short"),
                     self.path("short"), *good, says="3 files")
        self.refused("probe", self.path("p.npy"), "--shape", "a=2,b", says="b")
        self.refused("probe", self.path("p.npy"), "--shape",
                     "a=4000000000,b=4000000000", says="overflow")

    def test_what_was_written_last_is_read(self):
        self.probe("2x17x5x4")
        # As a clock that has not ticked, or one that was set back.
        later = time.time() + 60
        os.utime(self.path("p.npy"), (later, later))
        self.answer("probe", self.path("p.npy"), "--shape", "2x17x5x4",
                    "--dtype", "s8")
        for k in (0, 1):
            self.convert(self.path(f"p.{k}.npy"), self.path(f"d.{k}.bin"),
                         "nchw", "nhwc", "2x17x5x4")
        words = ["infer", self.path("p.npy"), self.path("d.bin"), "--shape",
                 "2x17x5x4"]
        self.assertEqual(self.answer(*words)["dtype"], "s8")
        self.answer("probe", self.path("p.npy"), "--shape", "2x17x5x4")
        self.convert(self.path("p.npy"), self.path("d.bin"), "nchw", "nhwc",
                     "2x17x5x4")
        self.assertEqual(self.answer(*words)["dtype"], "f32")

    def test_one_that_may_not_be_alone(self):
        reference = np.random.default_rng(5).integers(0, 9, (2, 6, 5, 4), "u1")
        np.save(self.path("r.npy"), reference)
        got = self.infer([reference.transpose(0, 2, 3, 1)], "2x6x5x4", "u8",
                         reference="r.npy")
        self.assertEqual(got["outcome"], "fits, maybe not alone")
        self.assertFalse(got["unique"])
        self.assertEqual(got["expression"], "n h w c")
        self.assertIn("stridewise probe",
                      run("infer", self.path("r.npy"), self.path("d.0.bin")).out)
        probe = self.probe("2x6x5x4", "f32")
        self.assertTrue(self.infer(probe, "2x6x5x4")["unique"])

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ,
                     "an instrumented build needs memory of its own")
    def test_sparse_files(self):
        self.probe("64x64x8x8")
        memory = self.path("p.npy").read_bytes()[128:]
        with open(self.path("d.bin"), "wb") as file:
            file.truncate(3 << 30)
            file.seek(1 << 30)
            file.write(memory)
        words = [support.BINARY, "infer", self.path("p.npy"), self.path("d.bin"),
                 "--json"]
        began = time.monotonic()
        got = in_bounded_memory(self, words, code=0)
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual((got["outcome"], got["present"]), ("one fits", 1 << 18))
        self.path("d.bin").unlink()
        with open(self.path("d.bin"), "wb") as file:
            file.truncate(3 << 30)
        got = in_bounded_memory(self, words, code=1)
        self.assertIsNone(got["best"])
        # Nothing but zeros, and zeros but for one element.
        with open(self.path("r.bin"), "wb") as file:
            file.truncate(1 << 30)
        words = [support.BINARY, "infer", self.path("r.bin"), self.path("r.bin"),
                 "--shape", "x=16384,y=16384", "--dtype", "f32", "--json"]
        self.assertEqual(in_bounded_memory(self, words, 1)["outcome"],
                         "cannot know")
        with open(self.path("r.bin"), "r+b") as file:
            file.seek(4 * (16384 * 7 + 99))
            file.write(b"\x00\x00\x80\x3f")
        got = in_bounded_memory(self, words, 0)
        self.assertFalse(got["unique"])

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ, "an instrumented build")
    def test_many_elements_in_seconds(self):
        shape = "4x64x256x256"  # 2^24
        self.answer("probe", self.path("p.npy"), "--shape", shape, "--dtype",
                    "f32")
        self.convert(self.path("p.npy"), self.path("d.bin"), "nchw", "nChw16c",
                     shape)
        began = time.monotonic()
        got = self.answer("infer", self.path("p.npy"), self.path("d.bin"),
                          "--shape", shape, "--dtype", "f32", timeout=60)
        self.assertEqual(got["name"], "onednn.nChw16c")
        self.assertLess(time.monotonic() - began, 20)


class Diff(support.CliTest):

    OPTIONS = ["--shape", "2x17x5x4", "--dtype", "f32"]

    def setUp(self):
        super().setUp()
        self.array = np.random.default_rng(3).random((2, 17, 5, 4), "f4") + 1
        np.save(self.path("ref.npy"), self.array)
        self.convert(self.path("ref.npy"), self.path("a.bin"), "nchw",
                     "nChw16c", "2x17x5x4")

    def test_equal_and_not(self):
        words = ["diff", self.path("a.bin"), self.path("ref.npy"),
                 "--layout-a", "nChw16c", "--layout-b", "nchw", *self.OPTIONS]
        got = self.answer(*words)
        self.assertTrue(got["equal"])
        self.assertEqual(got["differences"], 0)
        self.assertEqual(got["summary"], "equal")
        memory = np.fromfile(self.path("a.bin"), "f4").reshape(2, 2, 5, 4, 16)
        memory[:, 0, :, :, 8:] = 0
        memory.tofile(self.path("a.bin"))
        got = self.answer(*words, code=1)
        self.assertFalse(got["equal"])
        self.assertEqual(got["differences"], 320)
        self.assertAlmostEqual(got["share"], 320 / 680)
        self.assertIn("all of c=8..15", got["summary"])
        self.assertEqual(got["first"]["index"], {"n": 0, "c": 8, "h": 0, "w": 0})
        self.assertEqual(got["first"]["byte_a"], 32)
        self.assertEqual(got["first"]["byte_b"], 8 * 20 * 4)
        self.assertEqual(got["first"]["a"], 0)
        self.assertAlmostEqual(got["max_abs"], float(self.array[:, 8:16].max()))
        self.assertEqual(set(got["by_dim"]["c"]), set(map(str, range(8, 16))))
        self.assertTrue(self.answer(*words, "--atol", "3")["equal"])
        self.assertTrue(self.answer(*words, "--rtol", "1")["equal"])
        done = run(*words)
        self.assertEqual(done.code, 1)
        self.assertIn("all of c=8..15", done.out)

    def test_arrays_need_no_option(self):
        other = self.array.copy()
        other[1, 3, 2, 1] += 1
        np.save(self.path("other.npy"), other)
        got = self.answer("diff", self.path("other.npy"), self.path("ref.npy"),
                          code=1)
        self.assertEqual(got["first"]["index"], {"n": 1, "c": 3, "h": 2, "w": 1})
        self.assertEqual(got["differences"], 1)
        # The dims are named as the other layout names them.
        self.array.transpose(0, 2, 3, 1).tofile(self.path("nhwc.bin"))
        got = self.answer("diff", self.path("other.npy"), self.path("nhwc.bin"),
                          "--layout-b", "n h w c",
                          "--shape", "n=2,c=17,h=5,w=4", code=1)
        self.assertEqual(got["differences"], 1)
        got = self.answer("diff", self.path("a.bin"), self.path("ref.npy"),
                          "--layout-a", "nChw16c", *self.OPTIONS)
        self.assertTrue(got["equal"])
        self.assertEqual(got["layout_b"], "n c h w")
        np.save(self.path("scalar.npy"), np.float32(1))
        self.assertTrue(self.answer("diff", self.path("scalar.npy"),
                                    self.path("scalar.npy"))["equal"])

    def test_hostile(self):
        self.path("empty").write_bytes(b"")
        self.path("short").write_bytes(bytes(2720))
        layouts = ["--layout-a", "nChw16c", "--layout-b", "nchw"]
        self.refused("diff", self.path("empty"), self.path("ref.npy"), *layouts,
                     *self.OPTIONS, says="empty")
        self.refused("diff", self.path("short"), self.path("ref.npy"), *layouts,
                     *self.OPTIONS, says="without padding")
        self.refused("diff", self.path("a.bin"), self.path("ref.npy"), *layouts,
                     "--shape", "2x17x5x4", "--dtype", "f64")
        self.refused("diff", self.path("a.bin"), self.path("ref.npy"),
                     *self.OPTIONS, says="layout-a")
        for option in ("--rtol", "--atol"):
            for value in ("-1", "nan", "inf", "-inf", "1e999", "x", ""):
                self.refused("diff", self.path("a.bin"), self.path("ref.npy"),
                             *layouts, *self.OPTIONS, f"{option}={value}",
                             says=[option] + ["finite"] * (value != ""))
        for value in ("-1", "nan", "1.5"):
            self.refused("diff", self.path("a.bin"), self.path("ref.npy"),
                         *layouts, *self.OPTIONS, f"--ulp={value}", says="--ulp")
        self.refused("diff", self.folder, self.path("ref.npy"), *layouts,
                     *self.OPTIONS)

    def test_long_integers_in_all_digits(self):
        a = np.array([2 ** 62 + 1, 5], "i8")
        b = np.array([2 ** 62 + 2, 5], "i8")
        a.tofile(self.path("a.bin"))
        b.tofile(self.path("b.bin"))
        words = ["diff", self.path("a.bin"), self.path("b.bin"), "--layout-a",
                 "x", "--shape", "x=2", "--dtype", "s64"]
        got = self.answer(*words, code=1)
        self.assertEqual(got["differences"], 1)
        self.assertEqual(got["first"]["a"], 2 ** 62 + 1)
        self.assertEqual(got["first"]["b"], 2 ** 62 + 2)
        self.assertEqual(got["worst"]["abs"], 1)
        self.assertEqual(got["max_abs"], 1)
        text = run(*words).out
        self.assertIn("4611686018427387905 and 4611686018427387906", text)
        self.assertIn("largest   |a-b| 1,", text)

    def test_shape_and_type_from_either_side(self):
        words = ["diff", self.path("a.bin"), self.path("ref.npy"),
                 "--layout-a", "nChw16c", "--layout-b", "nchw"]
        self.answer(*words, "--shape", "2x17x5x4")  # f32, as B's header says
        for name, shape, dtype in (("a", "2x17x5x4", "f32"),
                                   ("b", "2x17x5x4", "s32")):
            self.path(f"{name}.json").write_text(
                f'{{"layout": "nChw16c", "shape": "{shape}", '
                f'"dtype": "{dtype}", "file": "{name}.bin"}}')
        self.path("b.bin").write_bytes(self.path("a.bin").read_bytes())
        both = ["diff", self.path("a.bin"), self.path("b.bin")]
        # Two types are compared as numbers: these bits are others.
        self.assertEqual(self.answer(*both, code=1)["dtype_b"], "s32")
        self.answer(*both, "--dtype", "f32")
        self.path("b.json").write_text(
            '{"layout": "nChw16c", "shape": "n=2,c=16,h=5,w=4", '
            '"dtype": "float", "file": "b.bin"}')
        self.refused(*both, says=["shape", "c=16", "--shape"])
        self.answer(*both, "--shape", "2x17x5x4")

    def test_headers_of_arrays(self):
        layouts = ["--layout-a", "nChw16c", "--layout-b", "nchw"]
        # Orders of NumPy are read, another shape is not.
        for array in (np.asfortranarray(self.array), self.array.astype(">f4")):
            np.save(self.path("other.npy"), array)
            self.answer("diff", self.path("a.bin"), self.path("other.npy"),
                        *layouts, *self.OPTIONS)
            self.answer("check", self.path("other.npy"), "nchw", *self.OPTIONS)
        np.save(self.path("other.npy"),
                self.array.transpose(0, 2, 3, 1).copy())
        self.refused("diff", self.path("a.bin"), self.path("other.npy"),
                     *layouts, *self.OPTIONS, says="2x5x4x17")
        self.refused("check", self.path("other.npy"), "nchw", *self.OPTIONS,
                     says="2x5x4x17")
        # The digits of a layout, as convert writes them, and bare memory.
        self.convert(self.path("ref.npy"), self.path("a.npy"), "nchw",
                     "nChw16c", "2x17x5x4")
        for array in (self.array, self.array.reshape(-1)):
            np.save(self.path("other.npy"), array)
            self.answer("diff", self.path("a.npy"), self.path("other.npy"),
                        *layouts, *self.OPTIONS)
        self.answer("check", self.path("a.npy"), "nChw16c", *self.OPTIONS)

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ,
                     "an instrumented build needs memory of its own")
    def test_sparse_files_in_bounded_memory(self):
        size = 3 << 30  # bytes, of which the disk has a few
        for name in ("a.bin", "b.bin"):
            with open(self.path(name), "wb") as file:
                file.truncate(size)
        with open(self.path("b.bin"), "r+b") as file:
            file.seek(size - 4)
            file.write(b"\x00\x00\x80\x3f")

        words = [support.BINARY, "diff", self.path("a.bin"), self.path("b.bin"),
                 "--layout-a", "x", "--shape", f"x={size}", "--dtype", "u8",
                 "--json"]
        got = in_bounded_memory(self, words, code=1)
        self.assertEqual(got["differences"], 2)
        self.assertIn(f"all of x={size - 2}..{size - 1}", got["findings"])


class Check(support.CliTest):

    def setUp(self):
        super().setUp()
        self.memory = np.zeros((2, 2, 5, 4, 16), "f4")
        self.memory[:, 0] = 1
        self.memory[:, 1, :, :, 0] = 1

    def check(self, code, layout="nChw16c", more=()):
        self.memory.tofile(self.path("d.bin"))
        return self.answer("check", self.path("d.bin"), layout, "--shape",
                           "2x17x5x4", "--dtype", "f32", *more, code=code)

    def test_padding_and_places(self):
        got = self.check(0)
        self.assertEqual(got["padding_nonzero"], 0)
        self.assertEqual(got["findings"], [])
        self.memory[1, 1, 2, 3, 1:] = 5
        self.memory[0, 0, 0, 0, 3] = np.nan
        self.memory[0, 0, 0, 1, 3] = np.inf
        got = self.check(1)
        self.assertEqual(got["padding_nonzero"], 15)
        self.assertEqual((got["nan"], got["inf"]), (1, 1))
        self.assertEqual(got["first_nan"], {"n": 0, "c": 3, "h": 0, "w": 0})
        self.assertIn("the tail of c is not zero: c=17..31 of the last block",
                      got["findings"])

    def test_sizes(self):
        self.memory = self.memory[:, :, :, :, :8].copy()
        got = self.check(1)
        self.assertFalse(got["size_matches"])
        self.assertEqual((got["size_bytes"], got["expected_bytes"]),
                         (2560, 5120))
        self.assertTrue(any("f16" in text for text in got["findings"]))
        self.path("d.bin").write_bytes(b"")
        got = self.answer("check", self.path("d.bin"), "nchw", "--shape",
                          "2x17x5x4", "--dtype", "f32", code=1)
        self.assertIn("the file is empty", got["findings"])


class Decode(support.CliTest):

    def test_help_finds_dumps(self):
        for words in (["--help"], ["convert", "--help"], ["decode", "--help"]):
            self.assertIn("dump", run(*words).out)

    def test_sidecars(self):
        array = np.arange(680, dtype="f4").reshape(2, 17, 5, 4)
        np.save(self.path("x.npy"), array)
        self.convert(self.path("x.npy"), self.path("dump.bin"), "nchw",
                     "okk.aligned(npus=4,npu_bytes=8192,start=2)", "2x17x5x4",
                     more=["--sidecar"])
        self.assertTrue(self.path("dump.json").exists())
        self.answer("decode", self.path("dump.bin"), self.path("out.npy"))
        np.testing.assert_array_equal(np.load(self.path("out.npy")), array)
        self.answer("check", self.path("dump.bin"))
        self.answer("diff", self.path("dump.bin"), self.path("x.npy"),
                    "--layout-b", "n c h w")
        # Each of the three on its own.
        for told in (["--from", "okk.aligned(npus=4,npu_bytes=8192,start=2)"],
                     ["--shape", "2x17x5x4"], ["--dtype", "f32"]):
            self.answer("decode", self.path("dump.bin"), self.path("out.npy"),
                        *told)
            np.testing.assert_array_equal(np.load(self.path("out.npy")), array)
        for text in ("", "[]", "{", '{"layout": 3}', '{"layout": "nchv"}'):
            self.path("dump.json").write_text(text)
            self.refused("decode", self.path("dump.bin"), self.path("no.npy"))
        self.path("dump.json").unlink()
        self.refused("decode", self.path("dump.bin"), self.path("no.npy"),
                     says="--from")
        self.assertFalse(self.path("no.npy").exists())

    def test_a_sidecar_replaces_nothing_else(self):
        array = np.arange(680, dtype="f4").reshape(2, 17, 5, 4)
        np.save(self.path("p.npy"), array)
        words = ["--from", "nchw", "--to", "nChw16c", "--sidecar"]

        def kept(*args, says):
            before = {p: p.read_bytes() for p in self.folder.iterdir()}
            self.refused(*args, says=says)
            self.assertEqual(before,
                             {p: p.read_bytes() for p in self.folder.iterdir()})
        kept("convert", self.path("p.npy"), self.path("dump.json"), *words,
             says="is OUT")
        self.path("raw.json").write_bytes(array.tobytes())
        kept("convert", self.path("raw.json"), self.path("raw.bin"), *words,
             "--shape", "2x17x5x4", "--dtype", "f32", says="is IN")
        for text in ('{"threads": 4}', "", "[1]", '{"layout": "nchw"}'):
            self.path("config.json").write_text(text)
            kept("convert", self.path("p.npy"), self.path("config.bin"), *words,
                 says="no sidecar")
        self.answer("convert", self.path("p.npy"), self.path("q.bin"), *words)
        # Again, and the same file: that one is its own.
        self.answer("convert", self.path("p.npy"), self.path("q.bin"), *words)
        kept("decode", self.path("q.bin"), self.path("q.npy"), "--sidecar",
             says="the sidecar of q.bin")
        self.path("q.json").write_text(
            '{"layout": "nChw16c", "shape": "2x17x5x4", "dtype": "f32"}')
        kept("decode", self.path("q.bin"), self.path("q.npy"), "--sidecar",
             says="the sidecar of IN")

    def test_a_sidecar_of_another_file(self):
        np.save(self.path("p.npy"), np.ones((2, 17, 5, 4), "f4"))
        self.convert(self.path("p.npy"), self.path("p.bin"), "nchw", "nChw16c",
                     more=["--sidecar"])
        self.answer("check", self.path("p.bin"))
        # An array of which no sidecar tells is the tensor itself.
        self.answer("decode", self.path("p.npy"), self.path("o.npy"))
        self.assertEqual(self.path("o.npy").read_bytes(),
                         self.path("p.npy").read_bytes())
        self.path("p.raw").write_bytes(bytes(2720))
        self.refused("decode", self.path("p.raw"), self.path("o.npy"),
                     says=["--from", "p.json", "p.bin", "not of"])
        self.assertEqual(self.answer("check", self.path("p.npy"))["padding"], 0)


if __name__ == "__main__":
    support.main()
