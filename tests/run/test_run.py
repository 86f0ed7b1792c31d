"""./run: what it adds to a command, and what it shows of a build.

    test_run.py     STRIDEWISE_BIN is the program of build/release

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("STRIDEWISE_BIN", "")

# Stands for cmake: prints what ninja would, and ends as it is told.
FAKE_CMAKE = """#!/bin/sh
case $1 in
  -S) echo "configured" ;;
  *) printf '%s\\n' "$FAKE_OUTPUT"; exit "$FAKE_STATUS" ;;
esac
"""


class Run(unittest.TestCase):

    def test_adds_little_where_nothing_changed(self):
        run = [ROOT / "run", "--version"]
        # The first one may look for what has changed.
        subprocess.run(run, check=True, capture_output=True)

        def seconds(command):
            times = []
            for _ in range(15):
                begin = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True)
                times.append(time.perf_counter() - begin)
            return statistics.median(times)
        added = seconds(run) - seconds([BINARY, "--version"])
        self.assertLess(added, 0.1)

    def test_path(self):
        done = subprocess.run([ROOT / "run", "--path"], check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout, f"{ROOT}/build/release/cli/stridewise\n")


class Build(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="stridewise-run-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        fake = self.folder / "bin" / "cmake"
        fake.parent.mkdir()
        fake.write_text(FAKE_CMAKE)
        fake.chmod(0o755)

    def build(self, output, status=0):
        return subprocess.run(
            [ROOT / "tools" / "build.sh", self.folder / "out", "target"],
            capture_output=True, text=True, check=False,
            env={**os.environ, "FAKE_OUTPUT": output,
                 "FAKE_STATUS": str(status),
                 "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})

    def test_shows_how_far_it_is(self):
        done = self.build("@1 100 2.5 Building a.o\n"
                          "@10 100 10.25 Building b.o\n"
                          "@11 100 12.0 Building c.o\n"
                          "a warning: 100 %s\n"
                          "@50 100 60.0 Building d.o\n"
                          "@100 100 100.0 Linking")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.rstrip("\n").split("\n")
        self.assertEqual(lines[1:], [
            "building stridewise: 10 of 100 files, about 2 minutes left",
            "building stridewise: 50 of 100 files, about 70 seconds left"])
        self.assertTrue((self.folder / "out" / "built").exists())
        self.assertIn("a warning: 100 %s",
                      (self.folder / "out.log").read_text())

    def test_a_build_that_fails_shows_its_log(self):
        done = self.build("@1 2 9.0 Building a.o\nerror: no such thing", 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("error: no such thing", done.stderr)
        self.assertIn("out.log", done.stderr)
        self.assertFalse((self.folder / "out" / "built").exists())


if __name__ == "__main__":
    if not os.access(BINARY, os.X_OK):
        sys.exit(f"STRIDEWISE_BIN is not a program: '{BINARY}'")
    unittest.main()
