"""convert and the file system: outputs appear whole or not at all, inputs are
never written, memory stays small."""

import ctypes
import os
import resource
import signal
import subprocess
import time
import unittest

import numpy as np

import support
from support import run

DATA = bytes(range(1, 25))  # 2x3x4 of bytes
TURNED = np.frombuffer(DATA, np.uint8).reshape(2, 12).T.tobytes()
OPTIONS = ["--from", "ab", "--to", "ba", "--shape", "2x12", "--dtype", "u8"]
LARGE = (4, 64, 1024, 1024)  # bytes: 256 MiB
LARGE_OPTIONS = ["--from", "nchw", "--to", "nhwc", "--dtype", "u8", "--shape",
                 "x".join(map(str, LARGE))]


class Files(support.CliTest):

    def setUp(self):
        super().setUp()
        self.source = self.path("in.bin")
        self.source.write_bytes(DATA)

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())

    def refuse(self, source, target, says=(), more=()):
        return self.refused("convert", source, target, *OPTIONS, *more,
                            says=says, timeout=10)

    def test_outputs_that_cannot_be(self):
        (self.folder / "folder").mkdir()
        os.mkfifo(self.path("fifo"))
        before = self.names()
        for target in [self.source / "out.bin", self.path("no/such/out.bin"),
                       self.path("folder"), self.path("fifo"),
                       f"{self.folder}/new/", "/proc/stridewise-out.bin",
                       "/proc/self/out.bin", "/dev/null", "/dev/full", "",
                       self.path("x" * 256), str(self.path("folder")) + "/"]:
            text = str(target)
            for more in ([], ["--keep-gaps"]):
                self.refuse(self.source, text, more=more)
        self.assertEqual(self.names(), before)
        self.assertEqual(self.source.read_bytes(), DATA)
        self.assertEqual(os.stat("/dev/null").st_rdev, os.makedev(1, 3))

    def test_inputs_that_cannot_be(self):
        os.mkfifo(self.path("fifo"))
        os.mkfifo(self.path("fifo.npy"))
        os.symlink("loop", self.path("loop"))
        for source in [self.path("missing"), self.path("missing.npy"),
                       self.folder, self.path("fifo"), self.path("fifo.npy"),
                       self.path("loop"), "/dev/null", "/dev/zero", "",
                       self.source / "in.bin", self.path("x" * 256),
                       "/proc/self/mem"]:
            error = self.refuse(source, self.path("out.bin"))
            if str(source):
                self.assertIn(os.path.basename(str(source))[:200], error)
        self.assertFalse(self.path("out.bin").exists())

    def test_sizes_that_do_not_fit(self):
        for size in (0, 1, 23, 25, 48, 10000):
            self.source.write_bytes(bytes(size))
            self.refuse(self.source, self.path("out.bin"), [str(size), "24"])
        self.source.write_bytes(DATA)
        self.refused("convert", self.source, self.path("out.bin"), "--from",
                     "ab", "--to", "ba", "--shape", "2x12", says="dtype")
        self.refused("convert", self.source, self.path("out.bin"), "--from",
                     "ab", "--to", "ba", "--dtype", "u8", says="shape")
        self.assertEqual(self.names(), ["in.bin"])

    def test_the_input_is_never_overwritten(self):
        os.symlink("in.bin", self.path("symlink.bin"))
        os.symlink("symlink.bin", self.path("symlink2.bin"))
        os.link(self.source, self.path("hardlink.bin"))
        os.symlink(self.folder, self.path("here"))
        everything = ["in.bin", "symlink.bin", "symlink2.bin", "hardlink.bin",
                      "here/in.bin", "here/../" + self.folder.name + "/in.bin"]
        for source in everything:
            for target in everything:
                self.refuse(self.folder / source, f"{self.folder}/{target}",
                            "input")
        self.assertEqual(self.source.read_bytes(), DATA)
        self.assertEqual(os.stat(self.source).st_nlink, 2)

    def test_an_existing_output_is_replaced_or_stays(self):
        target = self.path("out.bin")
        target.write_bytes(b"old")
        self.answer("convert", self.source, target, *OPTIONS)
        self.assertEqual(target.read_bytes(), TURNED)
        self.source.write_bytes(DATA[:-1])
        self.refuse(self.source, target)
        self.assertEqual(target.read_bytes(), TURNED)
        self.assertEqual(self.names(), ["in.bin", "out.bin"])

    def test_names_that_are_fine(self):
        for name in ["ü ö", "-out", "a\nb", "out.bin.npy.bin",
                     ".hidden", os.fsdecode(b"\xff\xfe")]:
            target = self.path(name)
            self.answer("convert", self.source, target, *OPTIONS)
            self.assertEqual(target.read_bytes(), TURNED, name)
            target.unlink()
        self.answer("convert", "in.bin", "out.bin", *OPTIONS, cwd=self.folder)
        self.assertEqual(self.names(), ["in.bin", "out.bin"])

    def test_the_longest_name_that_a_file_can_have(self):
        for length in (240, 255):
            target = self.path("x" * length)
            self.answer("convert", self.source, target, *OPTIONS)
            self.assertEqual(target.read_bytes(), TURNED)

    def test_who_may_read_the_output(self):
        before = os.umask(0o027)
        try:
            self.answer("convert", self.source, self.path("o"), *OPTIONS)
        finally:
            os.umask(before)
        self.assertEqual(self.path("o").stat().st_mode & 0o777, 0o640)

    def test_full_disk(self):
        disk = self.path("disk")
        disk.mkdir()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"tmpfs", os.fsencode(disk), b"tmpfs", 0,
                      b"size=1m") != 0:
            self.skipTest("mounting a small tmpfs is not permitted: "
                          + os.strerror(ctypes.get_errno()))
        try:
            self.source.write_bytes(bytes(1 << 20) + DATA)
            (disk / "old.bin").write_bytes(b"old")
            size = (1 << 20) + 24
            args = ["--from", "ab", "--to", "ba", "--shape", f"2x{size // 2}",
                    "--dtype", "u8"]
            for name in ("out.bin", "old.bin"):
                self.refused("convert", self.source, disk / name, *args,
                             says=name)
                self.refused("convert", self.source, disk / name, *args,
                             "--keep-gaps", says=name)
            self.assertEqual(os.listdir(disk), ["old.bin"])
            self.assertEqual((disk / "old.bin").read_bytes(), b"old")
            # What does fit is written there as anywhere.
            self.source.write_bytes(DATA)
            self.answer("convert", self.source, disk / "out.bin", *OPTIONS)
            self.assertEqual((disk / "out.bin").read_bytes(), TURNED)
        finally:
            libc.umount2(os.fsencode(disk), 2)


class LargeFiles(support.CliTest):

    def setUp(self):
        super().setUp()
        self.source = self.path("in.bin")
        self.target = self.path("out.bin")
        with open(self.source, "wb") as file:  # a file of holes
            file.truncate(int(np.prod(LARGE)))

    def start(self, *more, **options):
        return subprocess.Popen(
            [support.BINARY, "convert", self.source, self.target,
             *LARGE_OPTIONS, "--json", *more], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def memory(self, process):
        """Of a running process: bytes of {anonymous, mapped} memory."""
        found = {"RssAnon": 0, "RssFile": 0, "RssShmem": 0}
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                for line in file:
                    name, _, value = line.partition(":")
                    if name in found:
                        found[name] = int(value.split()[0]) * 1024
        except OSError:
            pass  # it has ended
        return found["RssAnon"], found["RssFile"] + found["RssShmem"]

    def stopped_by(self, number):
        """Ends a conversion that has moved 32 MiB or more."""
        process = self.start("--threads", "1")
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            if self.memory(process)[1] > 64 << 20:
                break
            time.sleep(0.001)
        process.send_signal(number)
        process.communicate(timeout=20)
        return process.returncode

    def test_killed_in_the_middle(self):
        self.target.write_bytes(b"old")
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            self.assertEqual(self.stopped_by(number), -number,
                             "it ended before it was stopped")
            self.assertEqual(self.target.read_bytes(), b"old")
            self.assertEqual(sorted(os.listdir(self.folder)),
                             ["in.bin", "out.bin"], "junk was left")
        self.target.unlink()
        self.assertEqual(self.stopped_by(signal.SIGKILL), -signal.SIGKILL)
        self.assertEqual(os.listdir(self.folder), ["in.bin"])

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ,
                     "an instrumented build needs memory of its own")
    def test_bounded_memory(self):
        marks = {(0, 0, 0, 0): 1, (3, 63, 1023, 1023): 2, (1, 5, 700, 3): 3,
                 (2, 40, 0, 1023): 4, (0, 63, 512, 511): 5}
        with open(self.source, "r+b") as file:
            for index, value in marks.items():
                file.seek(int(np.ravel_multi_index(index, LARGE)))
                file.write(bytes([value]))

        def limit():  # a quarter of the tensor
            resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))
        process = self.start("--threads", "1", preexec_fn=limit)
        most = 0
        while process.poll() is None:
            most = max(most, self.memory(process)[0])
            time.sleep(0.005)
        _, error = process.communicate()
        self.assertEqual(process.returncode, 0, error)
        self.assertGreater(most, 0)
        self.assertLess(most, 32 << 20)
        got = np.memmap(self.target, np.uint8, "r").reshape(
            [LARGE[k] for k in (0, 2, 3, 1)])
        self.assertEqual(np.count_nonzero(got), len(marks))
        for (n, c, h, w), value in marks.items():
            self.assertEqual(got[n, h, w, c], value)

    def test_sizes_are_checked_before_disk_is_taken(self):
        with open(self.source, "r+b") as file:
            file.truncate(1 << 50 if self.huge_files() else 1 << 40)
            size = os.fstat(file.fileno()).st_size
        done = run("convert", self.source, self.target, "--from", "ab", "--to",
                   "ba", "--shape", f"{size // 2}x2", "--dtype", "u8",
                   "--json")
        self.clear_error(done)
        self.assertEqual(os.listdir(self.folder), ["in.bin"])

    def huge_files(self):
        try:
            os.truncate(self.source, 1 << 50)
        except OSError:
            return False
        return True


if __name__ == "__main__":
    support.main()
