"""Shared by the black-box tests: running the program and judging how it ends.

The binary is the one that the environment variable STRIDEWISE_BIN names.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("STRIDEWISE_BIN", "")

# NumPy dtype, name of the same type for --dtype.
DTYPES = [
    ("?", "bool"), ("i1", "s8"), ("u1", "u8"),
    ("i2", "s16"), ("u2", "u16"), ("f2", "f16"),
    ("i4", "s32"), ("u4", "u32"), ("f4", "f32"),
    ("i8", "s64"), ("u8", "u64"), ("f8", "f64"), ("c8", "c64"),
    ("c16", "c128"), ("f16", "f128"),
]
# One name of each width, for tests that only move bytes.
DTYPE_OF_WIDTH = {1: "u8", 2: "u16", 4: "f32", 8: "f64", 16: "c128"}


# The library's own tests see every case under sanitizers, where a start of the program
# takes twenty times as long.
INSTRUMENTED = "STRIDEWISE_SLOW" in os.environ


def sampled(cases, every=4):
    """All cases; of an instrumented build, each fourth one."""
    cases = list(cases)
    return cases[::every] if INSTRUMENTED else cases


class Done:
    """How a run ended: exit code, stdout and stderr."""

    def __init__(self, completed):
        self.code = completed.returncode
        self.out_bytes = completed.stdout
        self.err_bytes = completed.stderr
        self.out = completed.stdout.decode("utf-8", "replace")
        self.err = completed.stderr.decode("utf-8", "replace")


def run(*args, timeout=20, **options):
    """Runs the program; arguments may be str, bytes, numbers or paths."""
    words = [a if isinstance(a, (bytes, str)) else str(a) for a in args]
    return Done(subprocess.run([BINARY, *words], timeout=timeout,
                               stdin=subprocess.DEVNULL, capture_output=True,
                               check=False, **options))


def shape_text(shape):
    """{"n": 2, "c": 3} as --shape wants it."""
    return ",".join(f"{name}={extent}" for name, extent in shape.items())


class CliTest(unittest.TestCase):
    """A test with an empty folder, and the program's promises as checks."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="stridewise-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def path(self, name):
        return self.folder / name

    def answer(self, *args, code=0, **options):
        """The JSON object of a run with --json that must end with `code`."""
        done = run(*args, "--json", **options)
        self.assertEqual(done.code, code, f"{args}\n{done.err}")
        return self.one_object(done, args)

    def one_object(self, done, args=()):
        """stdout, which must be one JSON object and nothing else."""
        try:
            value = json.loads(done.out_bytes.decode("utf-8", "strict"))
        except ValueError as error:
            self.fail(f"{args}: stdout is not one JSON value: {error}\n"
                      f"{done.out_bytes[:300]!r}\n{done.err[-300:]}")
        self.assertIsInstance(value, dict, args)
        return value

    def clear_error(self, done, args=()):
        """Bad input: exit code 2 (never a signal) and one clear error."""
        shown = [str(a)[:80] for a in args]
        self.assertEqual(done.code, 2, f"{shown}\n{done.err[-500:]}")
        lines = done.err.rstrip("\n").split("\n")
        self.assertTrue(lines[0].strip(), f"{shown}: no error on stderr")
        # What is wrong; with a position also the text and a caret under it.
        self.assertIn(len(lines), (1, 3), f"{shown}\n{done.err[:500]}")
        if len(lines) == 3:
            self.assertEqual(lines[2].strip(), "^", shown)
        self.assertLess(max(map(len, lines)), 1000, f"{shown}: endless line")
        return done.err

    def refused(self, *args, says=(), **options):
        """A run with --json that must be refused; `says` are words of the
        error."""
        done = run(*args, "--json", **options)
        error = self.clear_error(done, args)
        self.one_object(done, args)
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word.lower(), error.lower(), args)
        return error

    def convert(self, source, target, come_from, to, shape=None, dtype=None,
                more=()):
        """Runs convert, which must succeed; its JSON object."""
        args = ["convert", source, target, "--from", come_from, "--to", to]
        if shape is not None:
            args += ["--shape", shape]
        if dtype is not None:
            args += ["--dtype", dtype]
        return self.answer(*args, *more)


def main():
    """Runs the tests of the calling file."""
    if not BINARY or not os.access(BINARY, os.X_OK):
        sys.exit(f"STRIDEWISE_BIN is not a program: '{BINARY}'")
    unittest.main()
