"""Each command: its answers in text and JSON, its keys, its exit codes."""

import json
import math
import os
import re
import resource
import subprocess
import unittest

import numpy as np

import support
from support import run

COMMANDS = ["list", "show", "at", "who", "convert", "plan", "bench"]
SHAPE = ["--shape", "2x17x5x4"]
CATALOGUE = {
    **dict.fromkeys(["mace.channel", "mace.height", "mace.width",
                     "okk.continuous", "okk.aligned", "okk.compact",
                     "okk.strided", "okk.4n", "okk.2n"], list("nchw")),
    **dict.fromkeys(["mace.filter", "mace.filter-2018", "mace.weight-height",
                     "mace.weight-width"], list("oihw")),
    "mace.depthwise": list("mihw"), "mace.argument": ["w"],
    "mace.buffer-filter": None, "mace.buffer-depthwise": None,
    "mli.hwc": list("hwc"), "mli.chw": list("hwc"), "mli.hwcn": list("hwcn"),
    "mli.hw1n": list("hwn"), "okk.matrix": list("rm"),
    "okk.2ic": list("iohw"), "onednn.TAG": None,
}


class Help(support.CliTest):

    def test_help_of_each_command(self):
        for command in [[]] + [[c] for c in COMMANDS]:
            done = run(*command, "--help")
            self.assertEqual((done.code, done.err), (0, ""), command)
            self.assertIn("Usage", done.out, command)
            self.assertIn("stridewise", done.out, command)  # an example
        whole = run("--help").out
        for command in COMMANDS:
            self.assertIn(command, whole)
        for option in ["--from", "--to", "--shape", "--dtype", "--keep-gaps"]:
            self.assertIn(option, run("convert", "--help").out)

    def test_version(self):
        done = run("--version")
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertRegex(done.out, r"^stridewise \d+\.\d+\.\d+\n$")

    @unittest.skipIf("STRIDEWISE_SLOW" in os.environ, "an instrumented build")
    def test_starts_quickly_enough_for_a_shell(self):
        # Of the processor: the machine may be busy with others.
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        best = 1.0
        for _ in range(10):
            begin = used()
            self.assertEqual(run("at", "nchw", *SHAPE, "0,0,0,0").code, 0)
            best = min(best, used() - begin)
        self.assertLess(best, 0.020)


class Errors(support.CliTest):

    def test_one_json_object_even_on_errors(self):
        for args in [["nosuch"], ["show"], ["show", "nchw"],
                     ["show", "n c%", *SHAPE], ["show", "nchw", "--bogus"],
                     ["show", "nchw", *SHAPE, "--dtype", "f33"],
                     ["show", "nchw", "--shape", "2x3"],
                     ["show", "nchw", "--shape", ""],
                     ["show", "", *SHAPE], ["show", "nosuch", *SHAPE],
                     ["at", "nchw", *SHAPE], ["at", "nchw", *SHAPE, "1,2"],
                     ["at", "nchw", *SHAPE, "0,17,0,0"],
                     ["at", "nchw", *SHAPE, "n=0,c=0,h=0"],
                     ["at", "nchw", *SHAPE, "n=0,c=0,h=0,z=0"],
                     ["at", "nchw", *SHAPE, "n=0,c=0,h=0,w=0,w=1"],
                     ["who", "nchw", *SHAPE], ["who", "nchw", *SHAPE,
                                               "--byte", "x"],
                     ["who", "nchw", *SHAPE, "--byte", "2720"],
                     ["who", "nchw", *SHAPE, "--byte", "-1"],
                     ["who", "nchw", *SHAPE, "--coord", "row=1"],
                     ["who", "nchw", *SHAPE, "--coord", "offset=680"],
                     ["plan", "nchw", *SHAPE], ["plan", "nchw", "nhwc"],
                     ["plan", "nchw", "oihw", *SHAPE], ["convert", "a"],
                     ["convert", "a", "b", "--from", "nchw"],
                     ["bench", "--rounds", "x"]]:
            error = self.refused(*args)
            plain = run(*args)
            self.clear_error(plain, args)
            self.assertEqual((plain.out, plain.err), ("", error), args)

    def test_json_may_stand_before_the_command(self):
        done = run("--json", "show", "nchw", *SHAPE)
        self.assertEqual(self.one_object(done)["elements"], 680)

    def test_caret_under_the_fault(self):
        for text, column in [("n c $ h", 4), ("n c%", 4), ("n c/0", 4),
                             ("n c:", 4), ("(n+1", 4), ("(n 1)", 3),
                             ("n | | c", 4), ("n ] c", 2), ("n c:^B", 5),
                             ("n c%16/5", 6), ("n%x", 2), ("|n", 0),
                             ("a=n | b=@ c", 10), ("n c) h", 3)]:
            done = run("show", text, "--shape", "n=2,c=3")
            self.clear_error(done, [text])
            lines = done.err.rstrip("\n").split("\n")
            self.assertEqual(len(lines), 3, done.err)
            self.assertIn(text, lines[1])
            self.assertEqual(lines[2].index("^") - lines[1].index(text),
                             column, done.err)

    def test_long_expression_shows_the_place_of_the_fault(self):
        text = "n c " * 200 + "$" + " h w" * 200
        lines = run("show", text, "--shape", "n=2").err.split("\n")
        self.assertEqual(lines[1][lines[2].index("^")], "$")


class Answers(support.CliTest):

    def test_list(self):
        told = self.answer("list")
        entries = {entry["name"]: entry for entry in told["entries"]}
        for name, dims in CATALOGUE.items():
            self.assertIn(name, entries)
            if dims is not None:
                self.assertEqual(entries[name]["dims"], dims, name)
        for entry in entries.values():
            for key in ("name", "dims", "params", "expression", "source"):
                self.assertIn(key, entry)
            self.assertTrue(entry["source"] and entry["expression"], entry)
        names = {p["name"] for p in entries["okk.aligned"]["params"]}
        self.assertLessEqual({"npus", "npu_bytes", "start", "addr"}, names)
        self.assertEqual(entries["mace.channel"]["expression"],
                         "row=n h | pixel=c/4 w | lane=c%4")
        some = self.answer("list", "okk.matrix")["entries"]
        self.assertIn("okk.matrix", [entry["name"] for entry in some])
        self.assertLess(len(some), len(entries))
        text = run("list")
        self.assertEqual(text.code, 0)
        for name in CATALOGUE:
            self.assertIn(name, text.out)

    def test_show(self):
        told = self.answer("show", "nChw8c", *SHAPE, "--dtype", "f32")
        expected = {"expression": "n c/8 h w c%8", "size_bytes": 3840,
                    "elements": 680, "padding_elements": 280, "valid": True,
                    "dims": {"n": 2, "c": 17, "h": 5, "w": 4}}
        self.assertEqual({key: told[key] for key in expected}, expected)
        self.assertEqual([(a["name"], a["extent"]) for a in told["axes"]],
                         [("offset", 960)])
        terms = [(t["axis"], t["dim"], t["bias"], t["div"], t["extent"],
                  t["stride_elements"]) for t in told["terms"]]
        self.assertEqual(terms, [("offset", "n", 0, 1, 2, 480),
                                 ("offset", "c", 0, 8, 3, 160),
                                 ("offset", "h", 0, 1, 5, 32),
                                 ("offset", "w", 0, 1, 4, 8),
                                 ("offset", "c", 0, 1, 8, 1)])
        self.assertEqual(told["terms"][4]["mod"], 8)
        text = run("show", "nChw8c", *SHAPE)
        self.assertEqual(text.code, 0)
        for word in ("n c/8 h w c%8", "3840", "680", "280"):
            self.assertIn(word, text.out)

    def test_show_axes_of_an_image(self):
        told = self.answer("show", "mace.channel", *SHAPE, "--dtype", "f16")
        self.assertEqual([(a["name"], a["extent"]) for a in told["axes"]],
                         [("row", 10), ("pixel", 20), ("lane", 4)])
        self.assertEqual(told["size_bytes"], 10 * 20 * 4 * 2)

    def test_show_of_an_invalid_layout_answers_no(self):
        told = self.answer("show", "n:2 c", "--shape", "n=2,c=3", code=1)
        self.assertFalse(told["valid"])
        # n=0,c=2 and n=1,c=0 are the only two in one place.
        self.assertRegex(told["reason"], "n=0,c=2 and n=1,c=0|"
                                         "n=1,c=0 and n=0,c=2")
        text = run("show", "n:2 c", "--shape", "n=2,c=3")
        self.assertEqual(text.code, 1)
        self.assertIn("n=1,c=0", text.out)
        self.assertNotRegex(text.out, r"-\d+ places")

    def test_at(self):
        for layout, dtype, byte, coords in [
                ("nChw8c", "f32", 4 * 952, {"offset": 952}),
                ("n c/8 h w c%8", "s8", 952, {"offset": 952}),
                ("mace.channel", "f16", 2 * (9 * 80 + 19 * 4),
                 {"row": 9, "pixel": 19, "lane": 0}),
                # NPU (16+2)%8 = 2, second row of channels, 128 bytes each.
                ("okk.aligned(npus=8,npu_bytes=4096,start=2)", "f32",
                 2 * 4096 + 4 * (96 + 2 * 32 + 19),
                 {"npu": 2, "offset": 96 + 2 * 32 + 19})]:
            options = ["--shape", "n=2,c=17,h=5,w=4", "--dtype", dtype]
            for index in ("n=1,c=16,h=4,w=3", "w=3,h=4,c=16,n=1"):
                told = self.answer("at", layout, index, *options)
                self.assertEqual(told["byte"], byte, layout)
                self.assertEqual(told["coords"], coords, layout)
            size = {"f32": 4, "s8": 1, "f16": 2}[dtype]
            self.assertEqual(told["element_offset"] * size, byte)
            text = run("at", layout, "n=1,c=16,h=4,w=3", *options)
            self.assertEqual(text.code, 0)
            self.assertRegex(text.out, rf"\b{byte}\b")

    def test_who(self):
        options = [*SHAPE, "--dtype", "f32"]
        for place in (["--byte", 3808], ["--byte", 3811],
                      ["--coord", "offset=952"]):
            told = self.answer("who", "nChw8c", *place, *options)
            self.assertEqual((told["kind"], told["index"]),
                             ("element", {"n": 1, "c": 16, "h": 4, "w": 3}))
        told = self.answer("who", "nChw8c", "--byte", 3812, *options)
        self.assertEqual(told["kind"], "padding")
        told = self.answer("who", "mace.channel", "--coord",
                           "row=9,pixel=19,lane=0", *options)
        self.assertEqual(told["index"], {"n": 1, "c": 16, "h": 4, "w": 3})
        text = run("who", "nChw8c", "--byte", 3808, *options)
        self.assertEqual(text.code, 0)
        self.assertIn("n=1,c=16,h=4,w=3", text.out)
        text = run("who", "nChw8c", "--byte", 3812, *options)
        self.assertEqual(text.code, 0)  # padding is an answer, not a "no"
        self.assertIn("padding", text.out)

    def test_plan(self):
        told = self.answer("plan", "nchw", "nhwc", *SHAPE, "--dtype", "f32")
        self.assertIsInstance(told["kernel"], str)
        counts = [loop["count"] for loop in told["loops"]]
        self.assertEqual(math.prod(counts), 680)
        text = run("plan", "nchw", "nhwc", *SHAPE)
        self.assertEqual(text.code, 0)
        self.assertIn(told["kernel"], text.out)
        # All but the bound, which is measured, is the same every time.
        again = run("plan", "nchw", "nhwc", *SHAPE).out.splitlines()
        self.assertEqual(again[:-1], text.out.splitlines()[:-1])
        self.assertIn("at best", again[-1])
        self.assertGreater(told["bound_seconds"], 0)
        self.assertEqual((told["bytes_read"], told["bytes_written"]),
                         (2720, 2720))
        self.assertFalse(told["uses_threads"])

    def test_plan_moves_each_element_once(self):
        for pair in (("nchw", "nhwc"), ("nhwc", "nchw"), ("nchw", "nChw8c"),
                     ("nChw8c", "hwnc"), ("nchw", "mace.width")):
            for shape in ("n=3,c=67,h=61,w=59", "n=1,c=3,h=225,w=225",
                          "n=16,c=130,h=7,w=7"):
                told = self.answer("plan", *pair, "--shape", shape)
                moved = sum(
                    math.prod(loop["count"] for loop in nest["loops"])
                    * nest["element_bytes"]
                    for nest in told["nests"] if nest["kind"] == "move")
                self.assertEqual(moved, told["bytes_read"])
                self.assertEqual(
                    sum(nest["bytes"] for nest in told["nests"]
                        if nest["kind"] == "move"), told["bytes_read"])

    def test_plan_for_another_machine_and_why(self):
        pair = ("plan", "nchw", "nhwc", "--shape", "8x64x56x56")
        names = re.search(r"another machine: (.*?), or a file",
                          " ".join(run("plan", "--help").out.split()))
        for name in names.group(1).split(", "):
            done = run(*pair, "--machine", name)
            if done.code != 0:  # not every build has every instruction set
                self.assertIn("this build has no kernels for", done.err)
                continue
            told = self.answer(*pair, "--machine", name)
            self.assertEqual(told["machine"], name)
            self.assertNotIn("ways", told["nests"][0])
            self.assertIn(told["nests"][0]["kernel"], told["text"])
        told = self.answer(*pair, "--explain", "--machine", "zen3")
        self.assertEqual(told["isa"], "avx2")
        ways = told["nests"][0]["ways"]
        self.assertGreater(len(ways), 2)
        prices = [way["cycles_per_byte"] for way in ways]
        self.assertEqual(prices, sorted(prices))
        self.assertIn("kernel", ways[0]["why"])
        text = run(*pair, "--explain").out
        self.assertEqual(text.count("taken"), 1)
        self.assertIn("this machine", text)

    def test_menu(self):
        menu = self.answer("kernels", "--menu")["menu"]
        names = [entry["name"] for entry in menu]
        self.assertEqual(names[0], "copy")
        self.assertIn("stages", names)
        self.assertTrue(all(entry["what"] for entry in menu))
        text = run("kernels", "--menu").out
        self.assertEqual(len(text.splitlines()), len(menu))

    def test_profiles_of_machines(self):
        pair = ("plan", "nchw", "nhwc", "--shape", "8x64x56x56")
        profile = self.path("machine.txt")
        profile.write_text("name = mine  # a comment\nlike = zen3\n"
                           "far_strips = 7\n")
        told = self.answer(*pair, "--machine", profile)
        self.assertEqual((told["machine"], told["isa"]), ("mine", "avx2"))
        self.assertIn("7 strips by turns", told["text"])
        for text, said in (("far_strip = 7", "did you mean far_strips?"),
                           ("far_strips = -1", "no value of far_strips"),
                           ("far_strips = 1e99", "no value"),
                           ("plane_cycles = nan", "no value"),
                           ("like = zen9", "no machine is named 'zen9'"),
                           ("isa = mmx", "no instruction set"),
                           ("= = =", "no profile has ''"),
                           ("near_strips = 2\nlike = zen3", "stands before"),
                           ("name = a\x1b[2Jb", "plain characters"),
                           ("without = wings", "there are transpose"),
                           ("program_run_bytes = 1048576", "no value of"),
                           ("zip_bytes = 1", "no value of"),
                           ("nothing", "no profile of a machine"),
                           ("", "no profile of a machine")):
            profile.write_text(text)
            failed = run(*pair, "--machine", profile)
            self.assertEqual(failed.code, 2, text)
            self.assertIn(said, failed.err)
            self.assertIn(str(profile), failed.err)
        # Sizes of any size are planned with.
        profile.write_text("near_stage_bytes = 1099511627776\n"
                           "far_stage_bytes = 1099511627776\nl1_ways = 1\n"
                           "program_run_bytes = 4096\nprogram_sources = 64\n"
                           "copy_bytes = 4096\ntranspose_bytes = 1024\n")
        self.answer("plan", "x y", "y x", "--shape", "x=100000000000031,y=3",
                    "--dtype", "u8", "--explain", "--machine", profile)
        profile.write_bytes(bytes(range(256)) * 1000)
        self.assertEqual(run(*pair, "--machine", profile).code, 2)
        failed = run(*pair, "--machine", "zen")
        self.assertIn("no machine is named 'zen'", failed.err)

    def test_plan_of_other_values(self):
        text = run("plan", "nchw", "nChw8c", *SHAPE, "--to-dtype", "f16")
        self.assertIn("f32 -> f16", text.out)
        told = self.answer("plan", "nchw", "nChw8c", *SHAPE, "--to-dtype",
                           "f16")
        # 24 channels of 20 places of 2 images.
        self.assertEqual((told["bytes_read"], told["bytes_written"]),
                         (2720, 2 * 24 * 20 * 2))

    def test_convert(self):
        array = np.arange(680, dtype="f4").reshape(2, 17, 5, 4)
        np.save(self.path("in.npy"), array)
        told = self.convert(self.path("in.npy"), self.path("out.npy"), "nchw",
                            "nChw8c")
        self.assertEqual((told["elements"], told["bytes_read"],
                          told["bytes_written"]), (680, 2720, 3840))
        self.assertGreaterEqual(told["seconds"], 0)
        self.assertGreaterEqual(told["gbps"], 0)
        self.assertTrue(told["plan"])
        self.assertEqual(np.load(self.path("out.npy")).shape, (2, 3, 5, 4, 8))
        text = run("convert", self.path("in.npy"), self.path("out2.npy"),
                   "--from", "nchw", "--to", "nChw8c")
        self.assertEqual((text.code, text.err), (0, ""))
        self.assertEqual(self.path("out.npy").read_bytes(),
                         self.path("out2.npy").read_bytes())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["in.npy", "out.npy", "out2.npy"])

    def test_bench(self):
        args = ["bench", "nchw", "nhwc", "--shape", "1x8x16x16", "--rounds",
                "1"]
        for more in ([], ["--against", "memcpy"]):
            case, = self.answer(*args, *more)["cases"]
            self.assertIn("nhwc", case["name"])
            for key in ("gbps", "memcpy_ratio"):
                self.assertGreater(case[key], 0)
                self.assertTrue(math.isfinite(case[key]))
        self.assertIn("nhwc", run(*args).out)

    def test_catalogue_parameters(self):
        for layout, shape, dtype, index, byte in [
                ("okk.compact(addr=2300,npu_bytes=1024,npus=4)", "1x5x1x2",
                 "f32", "0,3,0,1", 1 * 1024 + 252 + 4 * (2 + 1)),
                ("okk.matrix(npus=4,npu_bytes=4096,w=15)", "2x40", "f32",
                 "1,38", 2 * 4096 + 4 * (32 + 8)),
                ("okk.4n(npus=4,npu_bytes=4096)", "6x5x4x5", "s8", "5,4,3,2",
                 4 * (64 + 32 + 17) + 1),
                ("okk.2n(npus=4,npu_bytes=4096,base=compact)", "3x5x4x5",
                 "s16", "2,4,3,2", 4 * (40 + 20 + 17))]:
            told = self.answer("at", layout, index, "--shape", shape,
                               "--dtype", dtype)
            self.assertEqual(told["byte"], byte, layout)

    def test_answers_go_through_a_pipe_whole(self):
        shell = subprocess.run(
            ["/bin/sh", "-c", '"$0" list --json | cat', support.BINARY],
            capture_output=True, check=True)
        self.assertGreater(len(json.loads(shell.stdout)["entries"]), 20)

    def test_an_answer_that_cannot_be_written_is_an_error(self):
        np.save(self.path("x.npy"), np.arange(8, dtype="f4"))
        x = self.path("x.npy")
        shape = ["--shape", "2x2x2x1"]
        for args in [
                ["--help"], ["--version"], ["show", "--help"], ["list"],
                ["show", "nchw", *shape], ["at", "nchw", *shape, "0,0,0,0"],
                ["who", "nchw", *shape, "--byte", "0"],
                ["plan", "nchw", "nhwc", *shape], ["emit", "nchw", *shape],
                ["kernels"], ["draw", "nchw", *shape],
                ["draw", "nchw", *shape, "--out", self.path("x.svg")],
                ["convert", x, self.path("y.npy"), "--from", "a", "--to", "a"],
                ["bench", "nchw", "nhwc", *shape, "--rounds", "1"],
                ["diff", x, x, "--layout-a", "a", "--shape", "a=8"]]:
            for more in ([], ["--json"]):
                with self.subTest(args=args, more=more), \
                        open("/dev/full", "wb") as full:
                    done = subprocess.run(
                        [support.BINARY, *args, *more], stdout=full,
                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                        text=True, check=False)
                    if done.stderr.startswith("stridewise: --json needs"):
                        continue
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn("stdout", done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_closed_stdout_is_no_file_of_ours(self):
        # The number of a closed stream is that of the next file opened.
        np.save(self.path("x.npy"), np.arange(8, dtype="f4"))
        shell = subprocess.run(
            ["/bin/sh", "-c", '"$0" "$@" >&-', support.BINARY, "convert",
             self.path("x.npy"), self.path("y.npy"), "--from", "a", "--to",
             "a"], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(shell.returncode, 2)
        self.assertIn("stdout", shell.stderr)
        np.testing.assert_array_equal(np.load(self.path("y.npy")),
                                      np.arange(8, dtype="f4"))


if __name__ == "__main__":
    support.main()
