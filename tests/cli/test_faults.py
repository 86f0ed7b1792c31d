"""Every system call of a command fails once, and the command is killed before each: OUT
is old or new and whole, its sidecar true or gone, and nothing else is left.

strace makes the calls fail; a preloaded library hides what some systems have not.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import support
from support import BINARY, CliTest, run

SHAPE = "n=1,c=4,h=8,w=16"
TENSOR = ["--from", "nchw", "--to", "nhwc", "--shape", SHAPE, "--dtype", "u8"]
IN = bytes(range(256)) * 2
OLD = bytes(reversed(IN))
LIBRARY = os.environ["STRIDEWISE_HIDE"]

# What a call that can fail says, where it is not "input or output error".
ERRORS = {"mmap": "ENOMEM", "fallocate": "ENOSPC",
          "ftruncate": "ENOSPC", "write": "ENOSPC", "openat": "EACCES",
          "linkat": "EPERM", "rename": "EBUSY", "unlink": "EACCES"}
# These have no errors, or are how a process ends.
CANNOT_FAIL = {"exit_group", "geteuid", "getpid", "rt_sigreturn", "exit"}
# The names of files that a killed command may leave.
HIDDEN = re.compile(r"\.stridewise\.[0-9a-f]{16}\.new")


class Case:
    """A command in a folder that `prepare` fills, and the states that it may leave."""

    def __init__(self, name, args, prepare, outs):
        self.name, self.args, self.prepare, self.outs = name, args, prepare, outs

    def start(self, folder, hidden, *strace):
        return subprocess.run(
            ["strace", "-o", str(folder) + ".log", *strace,
             "-E", f"LD_PRELOAD={LIBRARY}", "-E", f"HIDE={hidden}",
             BINARY, *self.args], cwd=folder, timeout=60,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)


def write_input(folder):
    (folder / "in.bin").write_bytes(IN)


def write_old(folder):
    write_input(folder)
    (folder / "out.bin").write_bytes(OLD)


def write_old_with_sidecar(folder):
    write_input(folder)
    (folder / "old.bin").write_bytes(OLD)
    done = run("convert", "old.bin", "out.bin", *TENSOR, "--sidecar", cwd=folder)
    assert done.code == 0, done.err
    (folder / "old.bin").unlink()


def write_input_with_sidecar(folder):
    write_old_with_sidecar(folder)
    os.rename(folder / "out.bin", folder / "in.bin")
    text = (folder / "out.json").read_text().replace("out.bin", "in.bin")
    (folder / "in.json").write_text(text)
    (folder / "out.json").unlink()


def write_safetensors(folder):
    write_input(folder)
    done = run("convert", "in.bin", "out.safetensors:a", *TENSOR, cwd=folder)
    assert done.code == 0, done.err


def write_picture(folder):
    (folder / "out.svg").write_text("old")


CASES = [
    Case("a new file", ["convert", "in.bin", "out.bin", *TENSOR],
         write_input, ["out.bin"]),
    Case("a file and its sidecar",
         ["convert", "in.bin", "out.bin", *TENSOR, "--sidecar", "--sync"],
         write_old_with_sidecar, ["out.bin", "out.json"]),
    Case("a file that had a sidecar", ["convert", "in.bin", "out.bin", *TENSOR],
         write_old_with_sidecar, ["out.bin", "out.json"]),
    Case("a window of a file",
         ["convert", "in.bin", "out.bin", "--from", "nchw", "--to", "nchw",
          "--from-window", "c=1..3", "--to-window", "c=0..2", "--shape", SHAPE,
          "--dtype", "u8"], write_old, ["out.bin"]),
    Case("a tensor of several",
         ["convert", "in.bin", "out.safetensors:b", *TENSOR],
         write_safetensors, ["out.safetensors"]),
    Case("decode by a sidecar", ["decode", "in.bin", "out.npy"],
         write_input_with_sidecar, ["out.npy"]),
    Case("probes", ["probe", "p.npy", "--shape", "32x32", "--dtype", "u8"],
         lambda folder: None, ["p.0.npy", "p.1.npy"]),
    Case("a picture", ["draw", "nchw", "--shape", "1x2x2x2", "--out", "out.svg"],
         write_picture, ["out.svg"]),
]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def calls_of(log):
    """(name, how many-th of that name) of the calls after the program's start."""
    seen, calls, started = {}, [], False
    for line in pathlib.Path(log).read_text(errors="replace").splitlines():
        match = re.match(r"(\w+)\(", line)
        if not match:
            continue
        name = match[1]
        seen[name] = seen.get(name, 0) + 1
        started = started or "F_GETFD" in line
        if started and name not in CANNOT_FAIL:
            calls.append((name, seen[name]))
    return calls


class FaultsTest(CliTest):
    def setUp(self):
        super().setUp()
        self.number = 0

    def prepared(self, case, name):
        folder = self.path(name)
        folder.mkdir()
        case.prepare(folder)
        return folder

    def judge(self, case, before, after, found, killed):
        """What is wrong with a folder; None: nothing."""
        hidden = [name for name in found if HIDDEN.fullmatch(name)]
        if len(hidden) > (len(case.outs) if killed else 0):
            return f"left: {hidden}"
        others = {name for name in found if name not in hidden}
        if others - set(before) - set(after):
            return f"left: {sorted(others - set(before) - set(after))}"
        for name in set(before) | set(after):
            allowed = {before.get(name), after.get(name)}
            if name.endswith(".json") and name in case.outs:
                allowed.add(None)
            if found.get(name) not in allowed:
                return f"{name} is neither old nor new"
        out = case.outs[0]
        sidecar = found.get("out.json") if "out.json" in case.outs else None
        if sidecar is not None and before.get(out) != after.get(out):
            state = before if found[out] == before.get(out) else after
            if sidecar != state.get("out.json"):
                return "the sidecar is of other bytes"
        return None

    def fault(self, case, hidden, call, killed, before, after):
        """Runs the case with one fault; what is wrong, or None, and whether hidden files
        were left."""
        name, nth = call
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        case.prepare(folder)
        what = "error=" + ERRORS.get(name, "EIO")
        if name == "brk":  # fails by saying where memory ended
            what = "retval=0"
        if killed:
            what = "signal=SIGKILL"
        done = case.start(folder, hidden, "-e", "trace=" + name, "-e",
                          f"inject={name}:{what}:when={nth}")
        found = contents(folder)
        wrong = self.judge(case, before, after, found, killed)
        if not killed and wrong is None:
            if done.returncode not in (0, 2):
                wrong = f"exit code {done.returncode}"
            elif done.returncode == 0 and any(
                    found.get(out) != after.get(out) for out in case.outs):
                wrong = "exit code 0, and the old file"
            elif done.returncode == 2 and not done.stderr.strip():
                wrong = "no error was told"
        left = any(HIDDEN.fullmatch(one) for one in found)
        shutil.rmtree(folder)
        os.unlink(str(folder) + ".log")
        return wrong and f"{case.name}, {hidden}: {name} {nth} {what}: {wrong}" \
            f"\n{done.stderr[-300:]}", left

    def survives(self, case, hidden):
        self.number += 1
        before = contents(self.prepared(case, f"before{self.number}"))
        good = self.prepared(case, f"good{self.number}")
        done = case.start(good, hidden)
        self.assertEqual(done.returncode, 0, done.stderr)
        after = contents(good)
        self.assertNotEqual(before, after)
        calls = calls_of(str(good) + ".log")
        self.assertGreater(len(calls), 20)
        jobs = [(call, killed) for call in calls for killed in (False, True)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(
                lambda job: self.fault(case, hidden, *job, before, after), jobs))
        wrong = [text for text, _ in results if text]
        self.assertFalse(wrong, "\n".join(wrong[:10]))
        return sum(left for _, left in results)

    def test_nameless_files(self):
        for case in CASES:
            with self.subTest(case.name):
                # A kill between two calls, for each file that replaces one.
                self.assertLessEqual(self.survives(case, "nothing"),
                                     len(case.outs))

    def test_files_with_hidden_names(self):
        for case, hidden in zip(CASES[:4], ("tmpfile", "proc", "tmpfile", "proc")):
            with self.subTest(case.name):
                self.assertGreater(self.survives(case, hidden), 0,
                                   "nothing was hidden")

    def test_leftovers_go_with_the_next_command(self):
        write_old(self.folder)
        old = self.path(".stridewise.0123456789abcdef.new")
        new = self.path(".stridewise.fedcba9876543210.new")
        other = self.path(".stridewise.notes.txt")
        for path in (old, new, other):
            path.write_bytes(b"left")
        # Files cannot be made older than a minute; a library that says that they are is
        # simpler than waiting.
        done = run("convert", "in.bin", "out.bin", *TENSOR, cwd=self.folder,
                   env={**os.environ, "LD_PRELOAD": LIBRARY, "HIDE": "minute"})
        self.assertEqual(done.code, 0, done.err)
        self.assertFalse(old.exists() or new.exists())
        self.assertTrue(other.exists())
        # One of this minute may be in work.
        new.write_bytes(b"at work")
        done = run("convert", "in.bin", "out.bin", *TENSOR, cwd=self.folder)
        self.assertEqual(done.code, 0, done.err)
        self.assertTrue(new.exists())


if __name__ == "__main__":
    support.main()
