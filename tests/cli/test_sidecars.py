"""A sidecar tells of the bytes that it was written for, and of no others.

SPDX-License-Identifier: Apache-2.0
"""

import json
import multiprocessing
import subprocess
import time

import numpy as np

import support
from support import run


def convert_often(source, target, layout, rounds):
    for _ in range(rounds):
        run("convert", source, target, "--from", "nchw", "--to", layout,
            "--sidecar")


class Sidecars(support.CliTest):

    def setUp(self):
        super().setUp()
        self.array = np.arange(680, dtype="f4").reshape(2, 17, 5, 4)
        np.save(self.path("x.npy"), self.array)

    def write(self, layout, *more, out="dump.bin"):
        return self.convert(self.path("x.npy"), self.path(out), "nchw", layout,
                            more=more)

    def sidecar(self):
        return json.loads(self.path("dump.json").read_text())

    def test_goes_with_the_bytes_that_it_describes(self):
        self.write("nChw16c", "--sidecar")
        kept = self.path("dump.json").read_text()
        self.write("nChw8c")
        self.assertFalse(self.path("dump.json").exists())
        self.refused("decode", self.path("dump.bin"), self.path("o.npy"),
                     says="--from")
        # Brought back, it is refused by all who read it.
        self.path("dump.json").write_text(kept)
        for args in (["decode", self.path("dump.bin"), self.path("o.npy")],
                     ["convert", self.path("dump.bin"), self.path("o.npy"),
                      "--to", "nchw"],
                     ["check", self.path("dump.bin")],
                     ["diff", self.path("dump.bin"), self.path("x.npy")]):
            self.refused(*args, says=["dump.json", "dump.bin", "size_bytes"])
        self.assertFalse(self.path("o.npy").exists())
        # Who says all three needs none.
        options = ["--shape", "2x17x5x4", "--dtype", "f32"]
        self.answer("check", self.path("dump.bin"), "nChw8c", *options)
        told = self.answer("diff", self.path("dump.bin"), self.path("x.npy"),
                           "--layout-a", "nChw8c", "--layout-b", "nchw",
                           *options)
        self.assertTrue(told["equal"])

    def test_other_bytes_of_the_same_size(self):
        self.write("nChw16c", "--sidecar")
        data = bytearray(self.path("dump.bin").read_bytes())
        data[100] ^= 1
        self.path("dump.bin").write_bytes(data)
        self.refused("decode", self.path("dump.bin"), self.path("o.npy"),
                     says=["dump.json", "xxh128"])

    def test_records_size_and_hash(self):
        for out in ("dump.bin", "dump.npy"):
            self.write("nChw16c", "--sidecar", out=out)
            told = self.sidecar()
            self.assertEqual(told["file"], out)
            self.assertEqual(told["size_bytes"],
                             self.path(out).stat().st_size)
            self.assertRegex(told["xxh128"], "^[0-9a-f]{32}$")
            self.path("dump.json").unlink()

    def test_what_it_says_is_read_again(self):
        record = "n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }"
        self.path("q4.bin").write_bytes(bytes(range(54)))
        self.answer("convert", self.path("q4.bin"), self.path("r.bin"), "--from", record,
                    "--to", record, "-s", "n=1,k=96", "--part", "d", "--sidecar")
        self.answer("decode", self.path("r.bin"), self.path("d.npy"), "--part", "d")
        self.assertEqual(np.load(self.path("d.npy")).shape, (1, 3))
        # A tag's letters are positions.
        self.write("aBcd16b", "--sidecar")
        self.answer("decode", self.path("dump.bin"), self.path("o.npy"))
        np.testing.assert_array_equal(np.load(self.path("o.npy")), self.array)

    def test_two_shapes_and_two_values_are_refused(self):
        self.path("t8").write_bytes(bytes(range(8)))
        self.refused("convert", self.path("t8"), self.path("p.npy"), "--from", "x", "--to",
                     "x", "-s", "x=16", "-t", "u4", "--packed", "--sidecar",
                     says="two shapes")
        self.assertFalse(self.path("p.npy").exists())
        self.path("t8.json").write_text('{"layout": "x", "shape": [8], "shape": [3], '
                                        '"dtype": "u8", "file": "t8"}')
        self.refused("decode", self.path("t8"), self.path("o.npy"), says="twice")

    def test_probe_and_links_remove_it_too(self):
        self.write("nChw16c", "--sidecar")
        self.answer("probe", self.path("dump.bin"), "--shape", "3x4")
        self.assertFalse(self.path("dump.json").exists())
        self.write("nChw16c", "--sidecar")
        self.path("link.bin").symlink_to("dump.bin")
        self.write("nChw8c", out="link.bin")
        self.assertTrue(self.path("link.bin").is_symlink())
        self.assertFalse(self.path("dump.json").exists())

    def test_json_of_others_stays_and_says_nothing(self):
        good = {"layout": "nChw16c", "shape": "n=2,c=17,h=5,w=4",
                "dtype": "f32"}
        for text in ["{}", "[1]", "", "not json", json.dumps(good),
                     json.dumps({**good, "file": 3}),
                     json.dumps({**good, "file": "other.bin"}),
                     json.dumps({"file": "dump.bin", "author": "somebody"}),
                     "[" * 100000, " " * (1 << 20) + "{}"]:
            self.path("dump.json").write_text(text)
            self.write("nChw16c")
            self.assertEqual(self.path("dump.json").read_text(), text)
            self.refused("decode", self.path("dump.bin"), self.path("o.npy"),
                         says="--from")
        # One that names the file needs no size and no hash.
        self.path("dump.json").write_text(
            json.dumps({**good, "file": "dump.bin"}))
        self.answer("decode", self.path("dump.bin"), self.path("o.npy"))
        np.testing.assert_array_equal(np.load(self.path("o.npy")), self.array)

    def test_a_header_comes_before_it(self):
        wrong = {"layout": "nchw", "shape": "n=17,c=2,h=5,w=4",
                 "dtype": "s32", "file": "x.npy"}
        self.path("x.json").write_text(json.dumps(wrong))
        self.answer("decode", self.path("x.npy"), self.path("o.npy"))
        got = np.load(self.path("o.npy"))
        self.assertEqual((got.shape, got.dtype), (self.array.shape, "<f4"))
        np.testing.assert_array_equal(got, self.array)
        # bf16 has no name in a header: there the sidecar knows more.
        np.save(self.path("x.npy"), np.arange(24, dtype="u2"))
        wrong = {"layout": "x", "shape": "x=24", "dtype": "bf16",
                 "file": "x.npy"}
        self.path("x.json").write_text(json.dumps(wrong))
        self.assertEqual(self.answer("check", self.path("x.npy"))["dtype"],
                         "bf16")

    def test_a_large_file_of_others_costs_nothing(self):
        names = {f"token{k}": k for k in range(50000)}
        self.path("dump.json").write_text(json.dumps(names))
        begin = time.monotonic()
        self.write("nChw16c")
        self.assertLess(time.monotonic() - begin, 3)

    def test_two_at_once_leave_no_lie(self):
        target = self.path("dump.bin")
        jobs = [multiprocessing.Process(target=convert_often, args=(
            self.path("x.npy"), target, layout, 25))
            for layout in ("nChw16c", "cnhw")]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        # Whoever came last: the sidecar is true, refused, or gone.
        done = run("decode", target, self.path("o.npy"))
        if done.code == 0:
            np.testing.assert_array_equal(np.load(self.path("o.npy")),
                                          self.array)
        else:
            self.clear_error(done)
        self.assertEqual([p.name for p in self.folder.iterdir()
                          if p.name.startswith(".")], [])


class Names(support.CliTest):

    def setUp(self):
        super().setUp()
        self.path("x.raw").write_bytes(bytes(range(24)))
        self.words = ["--from", "ab", "--to", "b a", "--shape", "a=4,b=6",
                      "--dtype", "u8"]

    def test_formats_that_are_not_written(self):
        for name in ("m.safetensors", "m.gguf", "m.pt", "m.pth", "m.h5",
                     "m.csv", "m.png", "m.PT", "m.npy.gz", "m.npz", "m.onnx",
                     "m.json", "m.txt", "m.tiff", "m.zip", "m.pkl"):
            for args in (["convert", self.path("x.raw"), self.path(name),
                          *self.words],
                         ["decode", self.path("x.raw"), self.path(name),
                          "--from", "ab", "--shape", "4x6", "--dtype", "u8"],
                         ["probe", self.path(name), "--shape", "4x6"]):
                self.refused(*args, says=["." + name.rsplit(".", 1)[1].lower(),
                                          "format"])
                self.assertFalse(self.path(name).exists())
        for name in ("m.bin", "m.raw", "m", "m.dat", "m.f32", "m.2", "safetensors"):
            self.answer("convert", self.path("x.raw"), self.path(name),
                        *self.words)

    def test_what_is_there_is_kept(self):
        self.path("m.safetensors").write_bytes(b"weights")
        self.refused("convert", self.path("x.raw"), self.path("m.safetensors"),
                     *self.words)
        self.assertEqual(self.path("m.safetensors").read_bytes(), b"weights")

    def test_links_to_formats(self):
        self.path("m.safetensors").write_bytes(b"weights")
        self.path("a.npy").write_bytes(b"array")
        self.path("out.bin").symlink_to("m.safetensors")
        self.path("raw.bin").symlink_to("a.npy")
        for name in ("out.bin", "raw.bin"):
            for args in (["convert", self.path("x.raw"), self.path(name),
                          *self.words],
                         ["probe", self.path(name), "--shape", "4x6"]):
                self.refused(*args)
        self.assertEqual(self.path("m.safetensors").read_bytes(), b"weights")
        self.assertEqual(self.path("a.npy").read_bytes(), b"array")

    def test_upper_case_is_an_array_too(self):
        self.answer("probe", self.path("P.NPY"), "--shape", "4x6")
        self.assertEqual(np.load(self.path("P.NPY")).shape, (4, 6))

    def test_a_file_behind_stdout_is_kept(self):
        for name in ("log.txt", "log.bin"):
            for out in (name, "//dev/stdout", "/dev/./stdout", "link"):
                self.path("link").unlink(missing_ok=True)
                self.path("link").symlink_to("/dev/stdout")
                with open(self.path(name), "w", encoding="utf-8") as log:
                    done = subprocess.run(
                        [support.BINARY, "convert", "x.raw", out, *self.words],
                        stdout=log, stderr=subprocess.PIPE, cwd=self.folder,
                        check=False)
                self.assertEqual(done.returncode, 2, out)
                self.assertEqual(self.path(name).read_bytes(), b"")

    def test_stdout_is_no_file(self):
        for name in ("-", "/dev/stdout", "/dev/stderr", "/dev/fd/1",
                     "/proc/self/fd/1"):
            for args in (["convert", self.path("x.raw"), name, *self.words],
                         ["decode", self.path("x.raw"), name, "--from", "ab",
                          "--shape", "4x6", "--dtype", "u8"],
                         ["probe", name, "--shape", "4x6"],
                         ["bench", "nchw", "nhwc", "--shape", "1x2x3x4",
                          "--rounds", "1", "--csv", name]):
                before = sorted(p.name for p in self.folder.iterdir())
                self.refused(*args, says=[name, "stdout"], cwd=self.folder)
                self.assertEqual(
                    before, sorted(p.name for p in self.folder.iterdir()))
        self.answer("convert", "x.raw", "./-", *self.words, cwd=self.folder)
        self.assertEqual(len(self.path("-").read_bytes()), 24)

    def test_replacing_gives_nobody_rights(self):
        target = self.path("tool.bin")
        for mode, left in ((0o4755, 0o755), (0o2775, 0o775), (0o7777, 0o777),
                           (0o1644, 0o644), (0o600, 0o600)):
            target.write_bytes(b"old")
            target.chmod(mode)
            self.answer("convert", self.path("x.raw"), target, *self.words)
            self.assertEqual(target.stat().st_mode & 0o7777, left)


if __name__ == "__main__":
    support.main()
