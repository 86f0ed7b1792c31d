"""Peers of `bench`: real ones, and ones that are wrong, crash or hang."""

import os
import pathlib
import sys
import time

import support
from support import run

PEERS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "peers"
PAIR = ["bench", "nchw", "nChw16c", "--shape", "1x17x8x8", "--rounds", "1"]

GREET = 'say({"protocol": 1, "version": "1"})'
# What a peer does at each question.
SCRIPT = '''#!{python}
import json, os, signal, sys, time
def say(value):
    print(value if isinstance(value, str) else json.dumps(value), flush=True)
with open("{pids}", "a") as file:
    file.write(str(os.getpid()) + "\\n")
for line in sys.stdin:
    told = json.loads(line)
    if "protocol" in told:
        {greet}
    elif "problem" in told:
        p = told["problem"]
        {solve}
    else:
        {run}
'''
# Right by way of the digits: another path than the peers that are shipped.
RIGHT = '''
        extents = [d["extent"] for d in p["shape"]]
        names = [d["dim"] for d in p["shape"]]
        def offset(side, x):
            return side["base"] + sum(
                (x[names.index(d["dim"])] + d["bias"]) // d["div"]
                % (d["mod"] or 2**62) * d["stride"] for d in side["digits"])
        def indices(e):
            return [()] if not e else [
                (k,) + rest for k in range(e[0]) for rest in indices(e[1:])]
        width = p["element_bytes"]
        src = open(p["src"]["file"], "rb").read()
        dst = bytearray(p["dst"]["bytes"])
        for x in indices(extents):
            a, b = offset(p["src"], x) * width, offset(p["dst"], x) * width
            dst[b:b + width] = src[a:a + width]
        open(p["dst"]["file"], "r+b").write(dst)
        say({"ready": True})'''


class Peers(support.CliTest):

    def peer(self, name="fake", greet=GREET, solve=RIGHT,
             run='say({"seconds": 0.001 * told["run"]})'):
        path = self.path(name)
        path.write_text(
            SCRIPT.replace("{python}", sys.executable)
            .replace("{pids}", str(self.path("pids")))
            .replace("{greet}", greet).replace("{solve}", solve.lstrip())
            .replace("{run}", run))
        path.chmod(0o755)
        return f"{name}={path}"

    def tearDown(self):
        # None is left. (Who adopts an orphan may never ask how it ended.)
        pids = self.path("pids")
        for pid in pids.read_text().split() if pids.exists() else []:
            try:
                state = pathlib.Path(f"/proc/{pid}/stat").read_text()
            except OSError:
                continue
            self.assertEqual(state.rsplit(")", 1)[1].split()[0], "Z", state)

    def case_of(self, peer, *more, code=0, **options):
        told = self.answer(*PAIR, "--against", peer, *more, code=code,
                           **options)
        case, = told["cases"]
        return told, case

    def failed(self, peer, *says, more=()):
        """Told with exit code 2, on stderr and in the case; the rest goes on."""
        done = run(*PAIR, "--against", f"numpy,{peer}", *more, "--json")
        told = self.one_object(done)
        self.assertEqual(done.code, 2, done.err)
        case, = told["cases"]
        reason = case["peers"][peer.split("=")[0]]["error"]
        for word in says:
            self.assertIn(word, reason)
        self.assertEqual(told["error"], reason)
        self.assertEqual(done.err, f"stridewise: {reason}\n")
        self.assertEqual(case["best_peer"], "numpy")
        self.assertGreater(case["memcpy_ratio"], 0)

    def test_the_digits_are_enough(self):
        told, case = self.case_of(self.peer())
        self.assertEqual(told["peers"], {"fake": "1"})
        self.assertAlmostEqual(case["peers"]["fake"]["seconds"], 0.001)
        self.assertAlmostEqual(case["peers"]["fake"]["ratio"],
                               0.001 / case["seconds"])

    def test_shipped_peers_on_every_small_problem(self):
        told = self.answer("bench", "--problems", "small", "--rounds", "1",
                           "--against", "numpy,onednn,eigen", timeout=120)
        for case in told["cases"]:
            for peer in ("numpy", "onednn", "eigen"):
                self.assertIn("seconds", case["peers"][peer], case["name"])
        for version in told["peers"].values():
            self.assertRegex(version, r"^\d+\.\d+")

    def test_layouts_that_are_no_rectangles(self):
        told = self.answer(
            "bench", "n c/6 c%6", "n c/4 c%4", "--shape", "n=2,c=24",
            "--rounds", "1", "--against", "numpy")
        self.assertIn("rectangles",
                      told["cases"][0]["peers"]["numpy"]["cannot"])
        told = self.answer(
            "bench", "n (c+2)/4 (c+2)%4", "n c", "--shape", "n=2,c=24",
            "--rounds", "1", "--against", "numpy,onednn")
        for peer in told["cases"][0]["peers"].values():
            self.assertIn("rectangles", peer["cannot"])

    def test_wide_elements_and_tails_of_blocks_in_blocks(self):
        for dtype in ("f64", "c128", "u8", "f16"):
            told = self.answer(
                "bench", "oihw", "OIhw4i16o4i", "--shape", "21x23x3x2",
                "--dtype", dtype, "--rounds", "1", "--against",
                "numpy,onednn,eigen")
            for name, peer in told["cases"][0]["peers"].items():
                self.assertIn("seconds", peer, (name, dtype))

    def test_values_that_change(self):
        # Tags and rectangles, padding and none; each peer's own arithmetic.
        for pair in ("f32->f16", "f16->f32", "f32->bf16", "bf16->f32",
                     "f32->s8", "s8->f32", "f32->u8", "u8->f32"):
            dtype, to_dtype = pair.split("->")
            for src, dst in (("nchw", "nhwc"), ("nhwc", "nChw16c"),
                             ("nchw", "mace.channel")):
                told = self.answer(
                    "bench", src, dst, "--shape", "n=3,c=17,h=9,w=8",
                    "--dtype", dtype, "--to-dtype", to_dtype, "--rounds", "1",
                    "--against",
                    "numpy,onednn")
                for name, peer in told["cases"][0]["peers"].items():
                    key = ("cannot" if name == "numpy" and "bf16" in pair
                           else "seconds")
                    self.assertIn(key, peer, (name, pair, dst, peer))

    def test_matrices_have_one_thread_and_no_values(self):
        for more, says in [(["--threads", "2"], "one thread"),
                           (["--to-dtype", "f16"], "converts no values")]:
            told = self.answer(*PAIR, "--against", "eigen", *more)
            self.assertIn(says,
                          told["cases"][0]["peers"]["eigen"]["cannot"])

    def test_values_that_are_not_converted_are_wrong(self):
        _, case = self.case_of(self.peer(), "--to-dtype", "u8")
        self.assertIn("wrong", case["peers"]["fake"])

    def test_wrong_data_is_not_timed(self):
        for solve in [
                'say({"ready": True})',  # writes nothing
                # A single byte, in the last padding.
                RIGHT.replace("        open(", "        dst[-1] = 1\n"
                              "        open("),
                RIGHT.replace("        open(", "        dst[0] ^= 1\n"
                              "        open("),
                # Cuts the file short.
                'os.truncate(p["dst"]["file"], 3); say({"ready": True})']:
            _, case = self.case_of(self.peer(solve=solve, run="os.abort()"))
            self.assertEqual(list(case["peers"]["fake"]), ["wrong"])
            self.assertNotIn("best_peer", case)
        self.assertIn("1 case: fake (wrong)",
                      run(*PAIR, "--against",
                          self.peer(solve='say({"ready": True})')).out)

    def test_cannot(self):
        _, case = self.case_of(self.peer(solve='say({"cannot": "too odd"})'))
        self.assertEqual(case["peers"]["fake"], {"cannot": "too odd"})

    def test_crashes(self):
        self.failed(self.peer(solve="os.kill(os.getpid(), 11)"), "fake",
                    "signal 11")
        self.failed(self.peer(run="sys.exit(3)"), "exit code 3")
        self.failed(self.peer(run="raise ValueError('so it is')"),
                    "exit code 1", "so it is")
        self.failed(self.peer(run='say({"error": "out of luck"})'),
                    "fake: out of luck")

    def test_is_started_anew_for_the_next_problem(self):
        path = self.path("p.txt")
        path.write_text("a; f32; nchw -> nhwc; 1x2x3x4\n"
                        "b; f32; nchw -> nhwc; 1x2x3x5\n")
        # The first one is gone by then, and no zombie.
        run_b = """if p["name"] == "a": os.abort()
        first = open("%s").readline().strip()
        say({"zombie": 1} if os.path.exists("/proc/" + first)
            else {"seconds": 1})""" % self.path("pids")
        told = self.answer("bench", "--problems", path, "--rounds", "1",
                           "--against", self.peer(run=run_b), code=2)
        self.assertIn("error", told["cases"][0]["peers"]["fake"])
        self.assertIn("seconds", told["cases"][1]["peers"]["fake"])

    def test_hangs(self):
        # With and without its stdout open, and deaf to a friendly end.
        deaf = "signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        begin = time.monotonic()
        self.failed(self.peer(run=deaf + "time.sleep(60)"), "no answer in 1 s",
                    more=["--timeout", "1"])
        self.failed(self.peer(solve=deaf + "os.close(1); os.close(0); "
                              "time.sleep(60)"), "ended",
                    more=["--timeout", "1"])
        # A child of its own ends with it.
        self.failed(self.peer(run='''pid = os.fork()
        if pid == 0:
            with open("%s", "a") as file: file.write(str(os.getpid()) + "\\n")
            time.sleep(60)
        time.sleep(60)''' % self.path("pids")), "no answer in 1 s",
                    more=["--timeout", "1"])
        self.assertLess(time.monotonic() - begin, 20)

    def test_answers_that_are_none(self):
        for answer in ('"hello"', '"[1]"', '"{}"', '{"seconds": -1}',
                       '{"seconds": "1"}', '{"seconds": 0}', '"\\0\\xff"',
                       '"{" * 3000000'):
            self.failed(self.peer(run=f"say({answer})"), "fake")
        self.failed(self.peer(solve='say({"maybe": 1})'), "neither ready")

    def test_that_do_not_start(self):
        for greet, says in [('say({})', "no version"),
                            ('say({"error": "no library"})', "no library"),
                            ("sys.exit(7)", "exit code 7")]:
            self.refused(*PAIR, "--against", self.peer(greet=greet), says=says)
        script = self.path("none")
        script.write_text("#!/no/such/interpreter\n")
        self.refused(*PAIR, "--against", f"x={script}", says="not a program")
        script.chmod(0o755)
        self.refused(*PAIR, "--against", f"x={script}", says="x:")

    def test_that_are_not_installed(self):
        empty = {**os.environ, "STRIDEWISE_PEERS": str(self.folder)}
        for name in ("numpy", "onednn", "torch"):
            self.refused(*PAIR, "--against", name, env=empty,
                         says=[name, "tools/setup.sh bench"])
        self.refused(*PAIR, "--against", "nump", says="did you mean 'numpy'")
        self.peer("broken", greet='say({"error": "not today"})')
        self.peer("fine")
        done = run(*PAIR, "--against", "all", "--json", env=empty)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(done.err,
                         "stridewise: left out: broken: not today\n")
        told = self.one_object(done)
        self.assertEqual(list(told["peers"]), ["fine"])
        self.assertIn("nt_ratio", told["cases"][0])

    def test_a_library_that_is_missing(self):
        # An interpreter without site packages has neither.
        for name in ("numpy", "torch"):
            script = self.path(name)
            script.write_text(f"#!/bin/sh\nexec {sys.executable} -S "
                              f"{PEERS}/{name}_peer.py\n")
            script.chmod(0o755)
            self.refused(*PAIR, "--against", f"{name}={script}",
                         says=["missing"])


if __name__ == "__main__":
    support.main()
