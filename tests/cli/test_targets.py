"""Where a file is written to: links, owners, names that print, signals, systems that have
not all, and threads that the system refuses."""

import os
import signal
import stat
import subprocess
import time
import unittest

import support
from support import BINARY, CliTest, run

DATA = bytes(range(24))
TURNED = bytes(DATA[12 * a + b] for b in range(12) for a in range(2))
OPTIONS = ["--from", "ab", "--to", "ba", "--shape", "2x12", "--dtype", "u8"]
LARGE = ["--from", "nchw", "--to", "nhwc", "--dtype", "u8", "--shape",
         "4x64x1024x1024"]  # 256 MiB
LIBRARY = os.environ["STRIDEWISE_HIDE"]


def hiding(what):
    return {**os.environ, "LD_PRELOAD": LIBRARY, "HIDE": what}


class Targets(CliTest):
    def setUp(self):
        super().setUp()
        self.source = self.path("in.bin")
        self.source.write_bytes(DATA)
        self.target = self.path("out.bin")

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def refuse(self, target, says):
        before = self.names()
        self.refused("convert", self.source, target, *OPTIONS, says=says)
        self.assertEqual(self.names(), before)

    def as_another_user(self, target, sticky):
        """Nobody's try to write there; the folder lets everybody."""
        self.folder.chmod(0o1777 if sticky else 0o777)
        return run("convert", self.source, target, *OPTIONS,
                   preexec_fn=lambda: (os.setgroups([]), os.setgid(65534),
                                       os.setuid(65534)))

    def test_links(self):
        os.symlink("nothing", self.target)
        self.refuse(self.target, ["link to nothing", "does not exist"])
        self.assertEqual(os.readlink(self.target), "nothing")
        os.symlink("b", self.path("a"))
        os.symlink("a", self.path("b"))
        self.refuse(self.path("a"), "link")
        self.path("nothing").write_bytes(b"old")
        self.answer("convert", self.source, self.target, *OPTIONS)
        self.assertEqual(os.readlink(self.target), "nothing")
        self.assertEqual(self.path("nothing").read_bytes(), TURNED)

    def test_a_file_of_several_names(self):
        self.target.write_bytes(b"old")
        os.link(self.target, self.path("other"))
        self.refuse(self.target, ["hard link", "2 names"])
        self.assertEqual(self.path("other").read_bytes(), b"old")

    def test_a_path_through_a_file(self):
        self.refuse(self.source / "x", "in.bin")

    @unittest.skipIf(os.geteuid() != 0, "only root can be another user")
    def test_files_of_others(self):
        self.target.write_bytes(b"old")
        for mode, sticky, code in [(0o444, False, 2), (0o644, False, 2),
                                   (0o666, True, 2), (0o666, False, 0)]:
            self.target.chmod(mode)
            done = self.as_another_user(self.target, sticky)
            self.assertEqual(done.code, code, done.err)
            self.assertEqual(self.target.read_bytes(),
                             b"old" if code else TURNED)
        self.assertEqual(self.names(), ["in.bin", "out.bin"])
        status = self.target.stat()
        self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)),
                         (65534, 0o666))

    def test_characters_that_terminals_obey(self):
        for bad in ("\u009b31m", "\u0085", "\u202e", "\u2066"):
            done = run("show", "x", "-s", "x=3", "-t", f"u8{bad}")
            self.assertEqual(done.code, 2)
            self.assertNotIn(bad[0], done.err)

    def test_links_of_the_system(self):
        with open(self.target, "wb") as opened:
            name = f"/proc/self/fd/{opened.fileno()}"
            done = run("convert", self.source, name, *OPTIONS, pass_fds=[opened.fileno()])
            self.assertEqual(done.code, 2, done.err)
            self.assertIn("has open", done.err)
        self.assertEqual(self.target.read_bytes(), b"")

    def test_out_is_no_table_of_the_layout(self):
        table = self.path("T.npy")
        done = run("offsets", "x<T>", "-s", "x=3", "-t", "u8", "--out", table, "--table",
                   "T=2,0,1")
        self.assertEqual(done.code, 0, done.err)
        before = table.read_bytes()
        self.refused("offsets", "x<T>", "-s", "x=3", "-t", "u8", "--table", f"T={table}",
                     "--out", table, says="is a table")
        self.assertEqual(table.read_bytes(), before)

    def test_names_that_do_not_print(self):
        name = "x\x1b[31m\n\x07.bin"
        os.rename(self.source, self.path(name))
        for args in (["convert", name, "y\x1b[2J\n.bin", *OPTIONS],
                     ["convert", "no\x1bne", "y.bin", *OPTIONS],
                     ["probe", "p\x1b\n.npy", "--shape", "2x2"],
                     ["offsets", "ab", "--shape", "2x2", "--out", "o\x1b\n.npy"],
                     ["draw", "ab", "--shape", "2x2", "--out", "d\x1b\n.svg"],
                     ["check", name, "--layout", "ab", "--shape", "2x12",
                      "--dtype", "u8"],
                     ["diff", name, name, "--layout-a", "ab", "--layout-b",
                      "ab", "--shape", "2x12", "--dtype", "u8"],
                     ["doctor", name, name],
                     ["infer", name, name, "--shape", "2x12", "--dtype", "u8"],
                     ["ls", name]):
            done = run(*args, cwd=self.folder)
            for stream in (done.out_bytes, done.err_bytes):
                self.assertFalse(set(stream) & (set(range(32)) - {9, 10}),
                                 f"{args}: {stream}")
            # A name's end of line would forge lines.
            self.assertNotIn("\n.", done.out + done.err, args)

    def test_an_empty_name_is_told(self):
        for args in (["convert", "", self.target, *OPTIONS],
                     ["convert", self.source, "", *OPTIONS],
                     ["draw", "ab", "--shape", "2x2", "--out", ""],
                     ["probe", "", "--shape", "2x2"], ["ls", ""],
                     ["check", "", "--layout", "ab", "--shape", "2x12",
                      "--dtype", "u8"]):
            done = run(*args, cwd=self.folder)
            self.clear_error(done, args)
            self.assertNotIn("stridewise: :", done.err, args)

    def test_sync(self):
        log = self.path("log")
        for args in (["convert", "in.bin", "out.bin", *OPTIONS, "--sidecar"],
                     ["probe", "p.npy", "--shape", "2x2"],
                     ["draw", "ab", "--shape", "2x2", "--out", "x.svg"],
                     ["offsets", "ab", "--shape", "2x2", "--out", "o.npy"]):
            for more, least in ([], 0), (["--sync"], 2):
                done = subprocess.run(
                    ["strace", "-o", log, "-e", "trace=fsync", BINARY, *args,
                     *more], cwd=self.folder, capture_output=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                calls = log.read_text().count("fsync(")
                self.assertGreaterEqual(calls, least, args)
                self.assertEqual(calls > 0, bool(more), args)

    def test_threads_that_the_system_refuses(self):
        with open(self.source, "wb") as file:
            file.truncate(4 << 20)
        os.truncate(self.source, 4 << 20)
        options = ["--from", "nchw", "--to", "nhwc", "--dtype", "u8",
                   "--shape", "4x64x128x128", "-j", "8"]
        for most in range(3):
            done = run("convert", self.source, self.target, *options,
                       env=hiding(f"threads:{most}"))
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(done.err, "")


class Stopped(CliTest):
    """Where files have hidden names while they are written."""

    def setUp(self):
        super().setUp()
        self.source = self.path("in.bin")
        self.target = self.path("out.bin")
        self.target.write_bytes(b"old")
        with open(self.source, "wb") as file:
            file.truncate(256 << 20)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def start(self, *more, hidden="tmpfile"):
        """A conversion that has begun to write a hidden file."""
        process = subprocess.Popen(
            [BINARY, "convert", self.source, self.target, *LARGE, *more],
            env=hiding(hidden), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 20
        while time.monotonic() < end and process.poll() is None:
            if any(name.startswith(".stridewise.") for name in self.names()):
                break
            time.sleep(0.0005)
        return process

    def ended(self, process):
        out, err = process.communicate(timeout=60)
        self.assertEqual(self.target.read_bytes(), b"old")
        self.assertEqual(self.names(), ["in.bin", "out.bin"])
        return process.returncode, out, err

    def test_signals_leave_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP,
                       signal.SIGPIPE):
            for hidden in ("tmpfile", "proc"):
                process = self.start(hidden=hidden)
                process.send_signal(number)
                self.assertEqual(self.ended(process)[0], -number)

    def test_an_input_that_is_cut_short(self):
        process = self.start("--json")
        os.truncate(self.source, 4096)
        code, out, err = self.ended(process)
        self.assertEqual(code, 2)
        self.assertIn(b"cut short", err)
        self.assertIn(b'"error"', out)

    def test_a_limit_of_file_sizes(self):
        for args in (["convert", self.source, self.target, *LARGE],
                     ["probe", self.target, "--shape", "1024x1024"],
                     ["draw", "ab", "--shape", "64x64", "--out",
                      self.path("out.svg")]):
            done = subprocess.run(
                ["prlimit", "--fsize=1000", BINARY, *map(str, args)],
                capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(b"File too large", done.stderr)
            self.assertEqual(self.names(), ["in.bin", "out.bin"])


if __name__ == "__main__":
    support.main()
