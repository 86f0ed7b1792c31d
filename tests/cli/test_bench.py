"""`bench`: problem files, what it measures, and the three forms of its answer."""

import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

import support
from support import run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROBLEMS = ROOT / "benchmarks" / "problems"
SMALL = "f32; nchw -> nChw16c; 1x17x8x8"
QUICK = ["--rounds", "1"]


class ProblemFiles(support.CliTest):

    def file(self, content):
        path = self.path("p.txt")
        path.write_bytes(content if isinstance(content, bytes)
                         else content.encode())
        return path

    def names(self, content, *more):
        told = self.answer("bench", "--problems", self.file(content), *QUICK,
                           *more)
        return [case["name"] for case in told["cases"]]

    def refuse(self, content, *says):
        error = self.refused("bench", "--problems", self.file(content), *QUICK,
                             says=says)
        self.assertNotIn("Traceback", error)
        return error

    def test_names_comments_blanks_and_line_ends(self):
        text = (f"# two problems\r\n\r\n  one ; {SMALL}  # the first\r\n"
                f"\t;{SMALL}")
        self.assertEqual(self.names(text),
                         ["one", "f32 nchw -> nChw16c 1x17x8x8"])
        self.assertEqual(self.names(text, "--only", "on"), ["one"])

    def test_layouts_that_are_expressions(self):
        text = ("bank; s8; abcd -> npu=b%16 | a b/16:^128B c d; 4x32x8x8\n"
                "free; u16; n:700 c:30 h -> h n c; n=2,c=17,h=25\n"
                "names; f64; oihw -> mace.filter; 4x3x3x3\n")
        self.assertEqual(self.names(text), ["bank", "free", "names"])

    def test_values_that_change(self):
        told = self.answer("bench", "nchw", "nhwc", "--shape", "1x3x4x5",
                           "--to-dtype", "s8", *QUICK)["cases"]
        told += self.answer(
            "bench", "--problems",
            self.file("; f32->s8; nchw -> nhwc; 1x3x4x5\n"
                      "same; u8 -> u8; nchw -> nhwc; 1x3x4x5"),
            *QUICK)["cases"]
        for case in told[:2]:
            self.assertEqual(case["name"], "f32->s8 nchw -> nhwc 1x3x4x5")
            self.assertEqual(case["dtype"], "f32->s8")
            self.assertEqual(case["bytes"], 60 * 5 // 2)  # the mean of both sides
        self.assertEqual(told[2]["bytes"], 60)

    def test_where_and_what_is_wrong(self):
        good = f"good; {SMALL}\n"
        form = "name; dtype; src -> dst; shape"
        for line, says in [
                ("nchw", ["1 field", form]),
                ("a; f32; nchw -> nhwc", ["3 fields", form]),
                (f"a; {SMALL}; more", ["5 fields", form]),
                ("a; f32; nchw nhwc; 1x2x3x4", ["'->'", "nchw nhwc"]),
                ("a; ; nchw -> nhwc; 1x2x3x4", ["no dtype", form]),
                ("a; f32; -> nhwc; 1x2x3x4", ["no src", form]),
                ("a; f32; nchw ->; 1x2x3x4", ["no dst", form]),
                ("a; f32; nchw -> nhwc;", ["no shape", form]),
                ("a; f33; nchw -> nhwc; 1x2x3x4", ["f33", "f32"]),
                ("a; f32->; nchw -> nhwc; 1x2x3x4", []),
                ("a; f32->f33; nchw -> nhwc; 1x2x3x4", ["f33", "f32"]),
                ("a; f32->s8->u8; nchw -> nhwc; 1x2x3x4", ["s8->u8"]),
                ("a; f16->c64; nchw -> nhwc; 1x2x3x4", ["f16 to c64"]),
                ("a; f32; nchw -> nhcw; 1x2x3", ["4 dims"]),
                ("a; f32; nchw -> nChw16k; 1x2x3x4", ["did you mean"]),
                ("a; f32; nchw -> oihw; 1x2x3x4", []),
                ("a; f32; n c -> n c%4; n=2,c=9", ["c"]),
                ("a; f32; nchw -> nhwc; 0x2x3x4", ["no element"]),
                ("a; f32; nchw -> nhwc; -1x2x3x4", []),
                (f"a; f32; nchw -> nhwc; {2**40}x{2**40}x1x1", []),
                (f"a; f32; nchw -> nhwc; {'9' * 400}x1x1x1", []),
                ("a; f32; nchw -> nhwc; 1x2x3x4x5", []),
                ("\x00\x01\x02; \xff; \x1b[31m -> \x07; x", [])]:
            # All lines are read before the first one is measured.
            self.refuse(good + "# comment\n" + line + "\n" + good,
                        "p.txt:3:", *says)

    def test_files_that_are_none(self):
        self.refuse("", "p.txt", "no problem")
        self.refuse("# nothing\n\n", "no problem")
        self.refuse(bytes(range(256)) * 64, "p.txt:")
        self.refuse(b"a;" * 700_000, "at most")
        for path in [self.path("none.txt"), self.folder, "/dev/zero", "tiny"]:
            self.refused("bench", "--problems", path, *QUICK)

    def test_more_than_the_memory(self):
        error = self.refuse("big; f32; nchw -> nhwc; 70000x70000x100x1",
                            "big", "memory")
        self.assertIn("TiB", error)

    def test_options_that_exclude_each_other(self):
        self.refused("bench", "nchw", "nhwc", "--shape", "1x2x3x4",
                     "--problems", self.file(f"a; {SMALL}"))
        self.refused("bench", "nchw", "nhwc", says="--shape")
        self.refused("bench", "--problems", self.file(f"a; {SMALL}"),
                     "--to-dtype", "s8", says="--to-dtype")
        self.refused("bench", "--problems", self.file(f"a; {SMALL}"), "--only",
                     "zzz", says="zzz")


class ShippedProblems(support.CliTest):

    def test_the_same_conversions_in_three_sizes(self):
        def fields(size):
            lines = (PROBLEMS / f"{size}.txt").read_text().splitlines()
            return [[f.strip() for f in line.split(";")] for line in lines
                    if not line.startswith("#")]
        small, medium, large = map(fields, ["small", "medium", "large"])
        self.assertEqual(len(small), 57)
        self.assertEqual(len({name for name, *_ in small}), 57)
        for other in medium, large:
            self.assertEqual([f[:3] for f in other], [f[:3] for f in small])

    def test_planes_that_share_sets(self):
        told = self.answer("bench", "--problems", "planes", "--only", "f32 C4",
                           "--rounds", "1")
        self.assertEqual({case["dtype"] for case in told["cases"]}, {"f32"})
        self.assertEqual(len(told["cases"]), 2)

    def test_the_world_is_right(self):
        told = self.answer("bench", "--problems", "world", "--rounds", "1",
                           timeout=300)
        self.assertEqual(len(told["cases"]), 25)
        # Sanitizers and busy machines aside, none is far from the 0.3 GB/s that the
        # slowest is to reach.
        for case in told["cases"]:
            self.assertGreater(case["gbps"], 0, case["name"])
            self.assertTrue(7 << 20 < case["bytes"] < 13 << 20, case["name"])

    def test_corpora_are_drawn_the_same_each_time(self):
        for name in "activations", "weights", "transposes":
            kept = (PROBLEMS / f"{name}.txt").read_text()
            lines = [line.split(";") for line in kept.splitlines()
                     if not line.startswith("#")]
            self.assertEqual(len(lines), 150)
            self.assertEqual(len({line[0] for line in lines}), 150)
        folder = self.folder / "problems"
        folder.mkdir()
        drawn = folder / "corpora.py"
        drawn.write_bytes((PROBLEMS / "corpora.py").read_bytes())
        subprocess.run([sys.executable, drawn], check=True)
        for name in "activations", "weights", "transposes":
            self.assertEqual((folder / f"{name}.txt").read_text(),
                             (PROBLEMS / f"{name}.txt").read_text())

    def test_rare_ways_are_right(self):
        told = self.answer("bench", "--problems", "ways", *QUICK, timeout=300)
        self.assertEqual(len(told["cases"]), 20)

    def test_transposes_of_ttc(self):
        lines = [line for line in (PROBLEMS / "ttc.txt").read_text().splitlines()
                 if not line.startswith("#")]
        self.assertEqual(len(lines), 57)
        # All are bound before the first is measured, or named.
        self.refused("bench", "--problems", "ttc", "--only", "none of them",
                     says="none of them")

    def test_options_of_a_problem(self):
        def told(line):
            self.path("p.txt").write_text(line)
            return run("bench", "--problems", self.path("p.txt"), "--rounds",
                       "1", "--json")
        record = "a; u8; n { d:u16 = - ; q:u8 = k } -> n k; n=64,k=64"
        self.assertEqual(told(record + " | part=q  # a comment").code, 0)
        for options, words in ((" | part=x", "no part 'x'"),
                               (" | part", "part=NAME"),
                               (" | part=q | T=9999999999", "at most"),
                               ("", "no part ''")):
            done = told(record + options)
            self.assertEqual(done.code, 2, options)
            self.assertIn(words, done.err)
        paged = "p; u8; g<T> d -> g d; g=64,d=64 | T=64"
        self.assertEqual(told(paged).code, 0)

    def test_values_are_of_8_mib_of_f32(self):
        told = (PROBLEMS / "values.txt").read_text().splitlines()
        lines = [line.split(";") for line in told if not line.startswith("#")]
        self.assertEqual(len(lines), 55)
        self.assertEqual(len({dtype for _, dtype, *_ in lines}), 5)
        for *_, shape in lines:
            elements = math.prod(int(n) for n in shape.split("x"))
            self.assertTrue(7 << 20 < 4 * elements < 9 << 20, shape)

    def test_small_ones_are_right(self):
        # Each is compared with the slow reference before it is timed.
        told = self.answer("bench", "--problems", "small", *QUICK, timeout=120)
        self.assertEqual(len(told["cases"]), 57)
        for case in told["cases"]:
            self.assertTrue(180 << 10 < case["bytes"] < 300 << 10, case)

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ, "an instrumented build")
    def test_sampled_above_32_mib(self):
        # The padding of 17 channels is sampled too.
        case, = self.answer("bench", "nchw", "nChw16c", "--shape",
                            "40x17x128x128", *QUICK, timeout=120)["cases"]
        self.assertGreater(case["bytes"], 32 << 20)


class Builds(support.CliTest):
    """Another build of the program as a peer, and memory that no cache holds."""

    def test_a_build_beside_itself(self):
        for more in [], ["--cold"]:
            told = self.answer("bench", "nchw", "nChw16c", "--shape",
                               "2x17x28x28", "--ab", support.BINARY, *QUICK,
                               *more)
            case, = told["cases"]
            self.assertGreater(case["peers"]["build"]["ratio"], 0)
            self.assertEqual(told["cold"], bool(more))
            self.assertIn("build", told["peers"])

    def test_a_build_solves_what_peers_are_not_asked(self):
        path = self.path("p.txt")
        path.write_text(
            "paged; u8; g<T> d -> g d; g=64,d=64 | T=64\n"
            "part; u8; n { d:u16 = - ; q:u8 = k } -> n k; n=64,k=64 | part=q\n"
            "values; f32->s8; nchw -> nhwc; 1x3x8x8\n")
        told = self.answer("bench", "--problems", path, "--ab", support.BINARY,
                           *QUICK)
        for case in told["cases"]:
            self.assertGreater(case["peers"]["build"]["ratio"], 0, case["name"])

    def test_what_is_no_build(self):
        pair = ["bench", "nchw", "nhwc", "--shape", "1x3x4x5", *QUICK]
        self.refused(*pair, "--ab", "/etc/passwd", says="not a program")
        self.refused(*pair, "--ab", self.path("none"), says="not a program")
        self.refused(*pair, "--ab", "/bin/true", says="build")

    def test_plans_without_a_way(self):
        pair = ["bench", "nchw", "nhwc", "--shape", "1x64x28x28", *QUICK]
        told = self.answer(*pair, "--without", "transpose,stages")
        peers = told["cases"][0]["peers"]
        self.assertEqual(set(peers), {"without transpose", "without stages"})
        for peer in peers.values():
            self.assertGreater(peer["ratio"], 0)
        self.refused(*pair, "--without", "wings", says="there are transpose")

    def test_another_machine(self):
        pair = ["bench", "nchw", "nhwc", "--shape", "1x64x28x28", *QUICK]
        self.answer(*pair, "--machine", "zen3" if self.has("avx2") else
                    "portable")
        self.refused(*pair, "--machine", "abacus", says="no machine is named")

    def test_tuning(self):
        path = self.path("tuned.txt")
        problems = self.path("p.txt")
        problems.write_text("; f32; nchw -> nhwc; 1x16x14x14\n"
                            "; s8; oihw -> OIhw4i16o4i; 64x16x3x3\n")
        told = self.answer("bench", "--problems", problems, "--tune", path,
                           "--tune-seconds", "1")
        self.assertEqual(told["problems"], 2)
        self.assertGreaterEqual(told["gain"], 1)
        text = path.read_text()
        self.assertIn("# measured: ", text)
        self.assertIn("name = tuned", text)
        # It is a profile: for plans here, and by name of its file.
        plan = ["plan", "nchw", "nhwc", "--shape", "1x16x14x14"]
        self.assertEqual(self.answer(*plan, "--machine", path)["machine"],
                         "tuned")
        self.assertEqual(self.profiled(path), "tuned")
        # What is none changes nothing.
        for other in self.path("none"), problems:
            self.assertEqual(self.profiled(other), "this machine")
        self.refused("bench", "--tune", self.path("no/folder"),
                     "--problems", problems, "--tune-seconds", "1", says="no")

    def has(self, isa):
        kernels = self.answer("kernels")["kernels"]
        return any(kernel["isa"] == isa for kernel in kernels)

    def profiled(self, path):
        done = subprocess.run(
            [support.BINARY, "plan", "a b", "b a", "--shape", "a=9,b=9",
             "--explain", "--json"], capture_output=True, text=True, check=True,
            env={**os.environ, "STRIDEWISE_PROFILE": str(path)})
        return json.loads(done.stdout)["machine"]

    def test_peers_are_not_measured_cold(self):
        self.refused("bench", "nchw", "nhwc", "--shape", "1x3x4x5", *QUICK,
                     "--cold", "--against", "numpy", says="--cold")

    def test_questions_that_make_no_sense(self):
        lines = ['nonsense', '{"run": 3}', '{"problem": {}}',
                 '{"problem": {"texts": 1}}', '{"run": 1e300}',
                 '{"protocol": 1, "threads": 1}']
        done = subprocess.run([support.BINARY, "bench", "--serve"],
                              input="\n".join(lines) + "\n", text=True,
                              capture_output=True, timeout=60)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(answers), 6)
        for answer in answers[:5]:
            self.assertIn("error", answer)
        self.assertIn("version", answers[5])


class Answers(support.CliTest):

    def test_json_csv_and_svg_tell_the_same(self):
        names = ["a & b", 'q "r", s', "<tag>"]
        path = self.path("p.txt")
        path.write_text("".join(f"{name}; {SMALL}\n" for name in names))
        told = self.answer("bench", "--problems", path, *QUICK, "--against",
                           "nt,numpy,onednn", "--csv", self.path("o.csv"),
                           "--svg", self.path("o.svg"))
        cases = told["cases"]
        self.assertEqual([c["name"] for c in cases], names)
        rows = list(csv.DictReader(
            io.StringIO(self.path("o.csv").read_text(), newline="")))
        drawing = xml.parse(self.path("o.svg")).getroot()
        shown = ["".join(t.itertext()) for t in drawing.iter(
            "{http://www.w3.org/2000/svg}text")]
        self.assertEqual(len(rows), 3)
        for case, row in zip(cases, rows):
            for key in ("name", "dtype", "src", "dst", "shape", "best_peer"):
                self.assertEqual(row[key], case[key])
            for key in ("bytes", "seconds", "gbps", "memcpy_ratio", "nt_ratio",
                        "best_peer_ratio"):
                self.assertEqual(float(row[key]), case[key])
            for peer in ("numpy", "onednn"):
                self.assertEqual(float(row[f"{peer}_seconds"]),
                                 case["peers"][peer]["seconds"])
            self.assertIn(case["name"], shown)
            self.assertIn(f"{case['memcpy_ratio']:.2f}, {case['gbps']:.1f} GB/s",
                          shown)
            best = (case["memcpy_ratio"]
                    / case["peers"][case["best_peer"]]["ratio"])
            self.assertIn(f"{best:.2f}, {case['best_peer']}", shown)
        self.assertIn("prefers-color-scheme: dark",
                      self.path("o.svg").read_text())

    def test_what_follows_from_the_numbers(self):
        told = self.answer("bench", "--problems", "small", "--only", "C67",
                           *QUICK, "--against", "nt,numpy")
        for case in told["cases"]:
            self.assertAlmostEqual(
                case["gbps"], 2 * case["bytes"] / case["seconds"] / 1e9)
            self.assertAlmostEqual(case["memcpy_ratio"],
                                   case["gbps"] / case["memcpy_gbps"])
            self.assertEqual(case["best_peer_ratio"],
                             case["peers"]["numpy"]["ratio"])
        for key in ("memcpy_ratio", "nt_ratio", "best_peer_ratio"):
            values = [case[key] for case in told["cases"]]
            self.assertAlmostEqual(told["geomean"][key],
                                   math.exp(sum(map(math.log, values))
                                            / len(values)))
            self.assertEqual(told["minimum"][key], min(values))
        self.assertEqual((told["threads"], told["rounds"]), (1, 1))
        self.assertRegex(told["machine"]["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertGreater(told["machine"]["cores"], 0)

    def test_table(self):
        done = run("bench", "--problems", "small", "--only", "C67", *QUICK)
        self.assertEqual((done.code, done.err), (0, ""))
        lines = done.out.splitlines()
        self.assertIn("of memcpy", lines[0])
        self.assertEqual(len(lines), 1 + 5 + 2)
        self.assertTrue(lines[-2].startswith("geometric mean"))
        self.assertTrue(lines[-1].startswith("minimum"))

    def test_files_that_cannot_be_written(self):
        for option in ("--csv", "--svg"):
            self.refused("bench", "nchw", "nhwc", "--shape", "1x2x3x4", *QUICK,
                         option, self.path("none") / "o", says="none")

    def test_threads(self):
        told = self.answer("bench", "nchw", "nhwc", "--shape", "4x64x32x32",
                           *QUICK, "--threads", "2", "--against",
                           "nt,numpy,onednn")
        self.assertEqual(told["threads"], 2)
        case, = told["cases"]
        self.assertIn("one thread", case["peers"]["numpy"]["cannot"])
        self.assertGreater(case["peers"]["onednn"]["seconds"], 0)


if __name__ == "__main__":
    support.main()
