"""Numbers near what 32, 53 and 64 bits hold, wherever a command takes one: each
ends soon, with an answer or a clear error, and prints no size below zero.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import re
import resource

import numpy as np

import support
from support import run

SECONDS = 10  # with sanitizers; the program itself takes milliseconds
EDGES = support.sampled([0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 61,
                         2 ** 62 - 1, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64],
                        every=2)


def bound():
    """In the child: no file of more than a MiB, so that nothing fills disks."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


class Sizes(support.CliTest):

    def setUp(self):
        super().setUp()
        self.path("x.raw").write_bytes(bytes(24))
        np.save(self.path("x.npy"), np.zeros(24, "u1"))
        self.before = {p: p.read_bytes() for p in self.folder.iterdir()}

    def ends(self, *args):
        done = run(*args, timeout=SECONDS, preexec_fn=bound)
        shown = [str(a)[:60] for a in args]
        self.assertIn(done.code, (0, 1, 2), f"{shown}\n{done.err[-500:]}")
        if done.code == 2:
            self.clear_error(done, args)
        elif args[0] not in ("diff", "draw"):
            sizes = re.findall(r"-\d+ (?:bytes|B|MiB|elements|places)",
                               done.out)
            self.assertEqual(sizes, [], shown)
        return done

    def test_extents(self):
        for size, c, dtype in itertools.product(
                EDGES, (1, 3), ("u8", "f32", "c128")):
            if c == 1 or dtype != "f32":
                options = ["--shape", f"n={size},c={c}", "--dtype", dtype]
                for args in (["show", "n c"], ["at", "n c", "n=0,c=0"],
                             ["at", "n c/2 c%2", f"n={max(size - 1, 0)},c={c - 1}"],
                             ["who", "n c", "--byte", size],
                             ["who", "c n", "--element", size],
                             ["plan", "n c", "c n"],
                             ["plan", "n c", "c n/8 n%8"],
                             ["plan", "n c", "n c", "--to-dtype", "f16"],
                             ["emit", "n c"], ["emit", "n c/2 c%2", "--bits",
                                               "32"],
                             ["draw", "n c"],
                             ["draw", "n c", "--to", "c n/8 n%8"],
                             ["draw", "n c", "--out", self.path("x.svg")],
                             ["probe", self.path("p.npy")],
                             ["probe", self.path("p.bin")]):
                    self.ends(*args, *options)
                for path in self.folder.glob("p.*"):
                    path.unlink()
                self.path("x.svg").unlink(missing_ok=True)
        self.refused("probe", self.path("p.npy"), "--shape", f"n={2 ** 62}",
                     "--dtype", "f32", says="overflows")

    def test_files(self):
        for size in EDGES:
            for file in ("x.raw", "x.npy"):
                options = ["--shape", f"n={size}", "--dtype", "u8"]
                file = self.path(file)
                for args in (["convert", file, self.path("o"), "--from", "n",
                              "--to", "n"],
                             ["decode", file, self.path("o.npy"), "--from",
                              "n/8 n%8"],
                             ["check", file, "n"], ["check", file, "n/8 n%8"],
                             ["diff", file, file, "--layout-a", "n"],
                             ["infer", file, file]):
                    self.ends(*args, *options)
        for path, data in self.before.items():
            self.assertEqual(path.read_bytes(), data)

    def test_places_in_files(self):
        for size in EDGES:
            for shape in ("n=0", "n=24", "n=25", f"n={2 ** 62}"):
                for option in ("--skip", "--start"):
                    options = ["--shape", shape, "--dtype", "u8", option, size]
                    self.ends("check", self.path("x.raw"), "n", *options)
                    self.ends("decode", self.path("x.raw"), self.path("o.npy"),
                              "--from", "n", *options)
                for option in ("--skip-a", "--skip-b"):
                    self.ends("diff", self.path("x.raw"), self.path("x.raw"),
                              "--layout-a", "n", "--shape", shape, "--dtype",
                              "u8", option, size)

    def test_numbers_of_expressions(self):
        for size in EDGES:
            for shape, texts in {
                    "n=2,c=3": [f"n:{size} c", f"n/{size} c n%{size}",
                                f"@{size} n c", f"@{size}B n c",
                                f"(n+{size})/2 c (n+{size})%2",
                                f"n:^{size}B c", f"a=n |{size}B| b=c",
                                f"a=n |^{size}B| b=c", f"n c:{size}",
                                f"nC{size}c"],
                    "n=2,c=3,h=2,w=2": [
                        f"okk.aligned(start={size})",
                        f"okk.aligned(npus={size},npu_bytes={size})"],
                    "r=2,m=5": [f"okk.matrix(w={size})"]}.items():
                for text in texts:
                    options = ["--shape", shape]
                    self.ends("show", text, *options)
                    self.ends("plan", text, text, *options)
                    self.ends("emit", text, *options, "--dynamic")
                    self.ends("draw", text, *options)

    def test_options(self):
        for size in EDGES:
            for name in ("--grid", "--max-cells", "--max-columns"):
                self.ends("draw", "nChw8c", "--shape", "1x17x2x2", name, size)
            self.ends("draw", "nChw8c", "--shape", "1x17x2x2", "--mark",
                      f"here={size}")
            self.ends("convert", self.path("x.raw"), self.path("o"), "--from",
                      "n", "--to", "n", "--shape", "n=24", "--dtype", "u8",
                      "--threads", size)
            self.ends("diff", self.path("x.raw"), self.path("x.raw"),
                      "--layout-a", "n", "--shape", "n=24", "--dtype", "u8",
                      "--ulp", size, "--atol", size)
            for name in ("--rounds", "--threads", "--timeout"):
                if size in (0, 1, 2 ** 63 - 1, 2 ** 64):
                    self.ends("bench", "ab", "ba", "--shape", "4x4",
                              *(["--rounds", "1"] if name != "--rounds" else
                                []), name, 0 if size == 1 else size)
            self.ends("convert", self.path("x.raw"), self.path("o.npy"),
                      "--from", "n", "--to", "n", "--shape", "n=6", "--dtype",
                      "f32", "--to-dtype", "s8", "--zero-point", size)


if __name__ == "__main__":
    support.main()
