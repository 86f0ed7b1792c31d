"""Several processes write one file with its sidecar, one of them in a PID namespace of its
own, while another one reads: nobody ever sees bytes of one beside words of another.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess

import numpy as np

import support
from support import BINARY, run

ROUNDS = 200
# Two of one size.
LAYOUTS = ["nChw16c", "cnhw", "nhwc"]
# Another PID namespace: all its processes have numbers that others have, too.
APART = ["unshare", "--pid", "--fork"]
if os.geteuid() != 0:
    APART.insert(1, "--map-root-user")


class Processes(support.CliTest):

    def setUp(self):
        super().setUp()
        self.array = np.arange(2720, dtype="f4").reshape(2, 17, 10, 8)
        np.save(self.path("x.npy"), self.array)
        self.whole = set()
        for layout in LAYOUTS:
            self.convert(self.path("x.npy"), self.path("dump.bin"), "nchw", layout)
            self.whole.add(self.path("dump.bin").read_bytes())
        self.path("dump.bin").unlink()

    def start(self, *args, before=(), hidden=""):
        environment = dict(os.environ)
        if hidden:
            environment |= {"LD_PRELOAD": os.environ["STRIDEWISE_HIDE"], "HIDE": hidden}
        return subprocess.Popen([*before, BINARY, *args], env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def expect_read(self, code, said, out):
        """Right, or an error that says what does not fit."""
        if code == 0:
            np.testing.assert_array_equal(np.load(out), self.array)
            out.unlink()
            return True
        self.assertEqual(code, 2, said)
        # Before the first is there, while another takes its place, or of another one's bytes.
        self.assertRegex(said, r"size_bytes|xxh128|cannot open|--from|changed|bytes of data")
        self.assertFalse(out.exists())
        return False

    def test_nothing_is_mixed(self):
        read = 0
        for number in range(ROUNDS):
            hidden = ["", "tmpfile"][number % 2]
            writers = [self.start("convert", self.path("x.npy"), self.path("dump.bin"),
                                  "--from", "nchw", "--to", layout, "--sidecar",
                                  before=APART if layout == LAYOUTS[number % 3] else (),
                                  hidden=hidden)
                       for layout in LAYOUTS]
            reader = self.start("decode", self.path("dump.bin"), self.path("between.npy"))
            for writer in writers:
                said = writer.communicate()[1].decode()
                self.assertEqual(writer.returncode, 0, said)
            said = reader.communicate()[1].decode()
            self.expect_read(reader.returncode, said, self.path("between.npy"))
            self.assertIn(self.path("dump.bin").read_bytes(), self.whole)
            done = run("decode", self.path("dump.bin"), self.path("after.npy"))
            read += self.expect_read(done.code, done.err, self.path("after.npy"))
            self.assertLessEqual({path.name for path in self.folder.iterdir()},
                                 {"x.npy", "dump.bin", "dump.json"})
        self.assertGreater(read, 0)


if __name__ == "__main__":
    support.main()
