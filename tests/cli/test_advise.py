"""advise: what it answers, against show, plan and NumPy, and what it refuses."""

import pathlib
import re
import tomllib

import numpy as np

import support

NETWORKS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/networks"

ACME = """
vendor = "acme"
source = "guide"
[chip]
bank_axis = "bank"
banks = 8
bank_bytes = 4096
row_alignment_bytes = 64
[chip.axes]
bank = 8
[params.block]
doc = "channels side by side"
min = 1
tries = [4, 8, 16]
[[layouts]]
name = "dealt"
summary = "channels in blocks, dealt over banks"
dims = "n c h w"
expression = "bank=c/${block}%8 |4096B| offset=n c/${8*block}:^64B h w c%${block}"
params = ["block"]
"""


def shape_of(path, tensor):
    extents = tomllib.loads(path.read_text())["tensors"][tensor]["shape"]
    return ",".join(f"{d}={e}" for d, e in zip("nchw", extents.split("x")))


class Advise(support.CliTest):

    def advise(self, *args, code=0):
        return self.answer("advise", *args, code=code)

    def names(self, *args):
        return [c["layout"] for c in self.advise(*args)["candidates"]]

    def printed(self, *args, code=0):
        done = support.run(*args)
        self.assertEqual(done.code, code, done.err)
        return done

    def test_bytes_are_those_of_show(self):
        told = self.advise("--shape", "n=2,c=17,h=5,w=4", "--family", "onednn",
                           "--top", 100)
        self.assertGreater(len(told["candidates"]), 5)
        for one in told["candidates"]:
            shown = self.answer("show", one["layout"], "--shape",
                                "n=2,c=17,h=5,w=4")
            self.assertEqual(one["bytes"], shown["size_bytes"], one["layout"])
            self.assertEqual(one["waste_bytes"],
                             shown["size_bytes"] - 2 * 17 * 5 * 4 * 4)

    def test_runs_are_those_of_the_offsets(self):
        for layout in ("nhwc", "nChw16c", "n:120 c:30 h:8 w",
                       "c h w%2 n w/2", "n c h/2 w/2 h%2 w%2"):
            self.answer("offsets", layout, "--shape", "n=2,c=3,h=3,w=5",
                        "--out", self.path("o.npy"))
            places = np.sort(np.load(self.path("o.npy")), axis=None)
            told = self.advise("--shape", "n=2,c=3,h=3,w=5", "--why", layout)
            self.assertEqual(told["candidates"][0]["runs"],
                             1 + np.count_nonzero(np.diff(places) != 1), layout)
            self.path("o.npy").unlink()

    def test_the_documents_question(self):
        self.assertEqual(
            self.names("--shape", "2x40", "--family", "okk.matrix(npus=4)"),
            ["okk.matrix(npus=4,w=10)"])
        told = self.advise("--shape", "2x40", "--family", "okk.matrix(npus=4)",
                           "--why", "okk.matrix(npus=4,w=15)",
                           "--why", "okk.matrix(npus=4,w=6)")
        fifteen, six = told["candidates"]
        self.assertEqual((fifteen["bytes"], six["bytes"]), (1024, 2048))
        self.assertIn("waste: ", told["why"][0])

    def test_a_terrible_start(self):
        told = self.advise("--shape", "1x66x8x8", "--family", "okk", "--from",
                           "okk.aligned(start=63)")
        self.assertIn("terrible", told["verdict"])
        self.assertIn("okk.aligned(start=0)", told["verdict"])
        self.assertEqual(told["now"]["layout"], "okk.aligned(start=63)")
        told = self.advise("--shape", "1x66x8x8", "--family", "okk", "--from",
                           "okk.aligned")
        self.assertEqual(told["verdict"], "")

    def test_what_conversions_take(self):
        told = self.advise("--shape", "1x64x56x56", "--from", "nchw",
                           "--family", "onednn")
        for one in told["candidates"]:
            self.assertGreater(one["there"]["copies"], 0.5)
            self.assertGreaterEqual(one["back"]["bytes"], 2 * 64 * 56 * 56 * 4)

    def test_a_family_of_ones_own(self):
        path = self.path("acme.toml")
        path.write_text(ACME)
        told = self.advise("--shape", "1x32x4x4", "-t", "f16", "--family", path)
        best, = told["candidates"]
        self.assertEqual(best["layout"], "acme.dealt(block=4)")
        self.assertEqual(best["banks"]["used"], 8)
        self.assertEqual(self.names("--shape", "1x32x4x4", "--family", "acme",
                                    "--catalogue", path),
                         ["acme.dealt(block=4)"])

    def test_limits(self):
        told = self.advise("--shape", "1x512x28x56", "--family", "mace",
                           "--top", 100)
        self.assertTrue(told["fits"])
        self.assertEqual(told["candidates"][0]["layout"], "mace.channel")
        missed = {c["layout"]: c["missed"] for c in told["candidates"]}
        self.assertEqual(missed["mace.height"],
                         [{"limit": "pixel", "is": 28672, "most": 16384}])
        told = self.advise("--shape", "1x512x28x56", "--family", "mace",
                           "--limit", "pixel=100", "--limit", "row=1", code=1)
        self.assertFalse(told["fits"])
        done = self.printed("advise", "--shape", "1x512x28x56", "--family",
                           "mace", "--limit", "pixel=100", code=1)
        self.assertIn("nothing fits; the nearest is", done.out)

    def test_weights_and_vectors(self):
        base = ["--shape", "1x3x8x8", "--family", "onednn"]
        told = self.advise(*base, "--weights", "waste=3,lanes=0.25,runs=0")
        weights = {"waste": 3, "lanes": 0.25, "runs": 0, "rows": 0.5}
        scores = []
        for one in told["candidates"]:
            score = sum(weights.get(name, 1) * (cost or 0)
                        for name, cost in one["costs"].items())
            self.assertAlmostEqual(one["score"], score)
            scores.append(score)
        self.assertEqual(scores, sorted(scores))
        self.assertEqual(self.names(*base, "--vector", "w=8")[0], "nchw")

    def test_a_picture_of_the_best(self):
        for name in ("best.svg", "best.html"):
            out = self.path(name)
            self.advise("--shape", "1x24x4x4", "--family", "onednn", "--out",
                        out)
            self.assertIn("svg", out.read_text())

    def test_text_has_each_column_explained(self):
        done = self.printed("advise", "--shape", "1x24x56x56", "--family",
                           "onednn", "--from", "nchw")
        head = done.out.splitlines()[0].split()[1:]
        for column in head:
            self.assertRegex(done.out, rf"(?m)^  {column.replace('+', '.')} ")

    def test_what_entries_are_good_for(self):
        entries = {e["name"]: e for e in self.answer("list")["entries"]}
        self.assertEqual(entries["tensorrt.kCHW16"]["good_for"],
                         "side by side: 16 of c; rounds up c to 16")
        self.assertEqual(entries["torch.channels_last"]["good_for"],
                         "side by side: all of c")
        self.assertIn("deals c over 64 banks",
                      entries["okk.aligned"]["good_for"])
        self.assertGreater(sum(bool(e["good_for"]) for e in entries.values()), 140)
        rounded = [(name, dim, int(to)) for name, e in entries.items()
                   for dim, to in re.findall(r"(\w+) to (\d+)", e["good_for"])
                   if not e["good_for"].endswith("banks")]
        self.assertGreater(len(rounded), 90)
        for name, dim, to in support.sampled(rounded):
            sizes = []
            for extent in 1, to, to + 1:
                shape = {d: 1 for d in entries[name]["dims"]} | {dim: extent}
                done = support.run("show", name, "--shape",
                                   support.shape_text(shape), "--json")
                # What the vendor does not take, or that is of other types.
                if done.code == 0:
                    sizes.append(self.one_object(done)["size_bytes"])
            if len(sizes) == 3:
                self.assertTrue(sizes[0] == sizes[1] < sizes[2],
                                (name, dim, to, sizes))

    def test_networks(self):
        for name in "resnet50", "mobilenet-v2", "unet", "transformer":
            told = self.advise("--graph", NETWORKS / f"{name}.toml")
            self.assertEqual(told["gap"], 0, name)
            self.assertAlmostEqual(
                told["cost"],
                told["operations"] + told["waste"] + told["moves"])
            self.assertAlmostEqual(sum(c["cost"] for c in told["conversions"]),
                                   told["moves"])
            self.assertIn("greedy", told["against"])
            self.assertIn("all nchw", told["against"])
            for other in told["against"].values():
                self.assertLessEqual(told["cost"], other["cost"] * (1 + 1e-12))
            for move in told["conversions"]:
                shown = self.answer(
                    "plan", move["from"], move["to"], "--shape",
                    shape_of(NETWORKS / f"{name}.toml", move["tensor"]))
                self.assertIn(move["plan"].split(",")[0],
                              [nest["kernel"] for nest in shown["nests"]])

    def test_networks_that_are_none(self):
        path = self.path("n.toml")
        for text, says in [
                ("", "no operations"), ("[tensors", "n.toml:1"), ("tensors = 3", "tensors"),
                ("[tensors]\nx = 3", "x"), ("layouts = 7", "no operations"),
                ('[tensors]\nx = { shape = "1x2" }', "'x'"),
                ('[tensors]\nx = { shape = "n=-1" }', "'x'"),
                ('[tensors]\nx = { shape = "1x2x3x4", converts = 3 }', "true or"),
                ('[[operations]]\nname = "o"', "accepts no layout"),
                ('[[operations]]\nname = "o"\naccepts = 3', "must be a list"),
                ('[[operations]]\nname = "o"\naccepts = [3]', "a choice is"),
                ('[[operations]]\nname = "o"\naccepts = [{ cost = 1 }]',
                 "'layouts' is missing")]:
            path.write_text(text)
            done = support.run("advise", "--graph", path)
            self.assertEqual(done.code, 0 if says is None else 2, text)
            if says is not None:
                self.assertIn(says, self.clear_error(done, [text]), text)
        path.write_bytes(bytes(range(256)))
        self.clear_error(support.run("advise", "--graph", path))
        for path in self.path("none"), self.folder, "/dev/null":
            self.clear_error(support.run("advise", "--graph", path))

    def test_hostile(self):
        shape = ["--shape", "1x3x8x8"]
        for args, says in [
                (["--shape", "0x3x8x8", "--family", "onednn"], None),
                (["--shape", "3x7"], "name them"),
                (["--shape", ""], "--shape"),
                (["--shape", "1x3x8x8x9x9x9"], "name them"),
                ([*shape, "--family", "okkk"], "did you mean okk?"),
                ([*shape, "--family", "okk(npus=0)"], None),
                ([*shape, "--family", "okk(npus"], "')'"),
                ([*shape, "--family", "none.toml"], "No such file"),
                ([*shape, "--op", "swim"], "--op is"),
                ([*shape, "--vector", "q"], "no dim 'q'"),
                ([*shape, "--vector", "c=0"], "--vector"),
                ([*shape, "--box", "c=x"], "x"),
                ([*shape, "--box", "h=100000,w=1"], None),
                ([*shape, "--weights", "waste"], "--weights"),
                ([*shape, "--weights", "waste=-1"], "--weights"),
                ([*shape, "--weights", "waste=nan"], "--weights"),
                ([*shape, "--limit", "pixel=0"], "--limit"),
                ([*shape, "--limit", "bank_byte=4"], "did you mean bank_bytes?"),
                ([*shape, "--why", "nchw", "--why", "nhwc", "--limit", "rwo=4"], "rwo"),
                ([*shape, "--limit", "banks=1e300"], "--limit"),
                ([*shape, "--from", "nhw"], "n"),
                ([*shape, "--why", "n c h"], "w"),
                ([*shape, "--out", "best.txt"], "--out"),
                ([*shape, "--dtype", "f33"], "f33")]:
            done = support.run("advise", *args)
            self.assertIn(done.code, (0, 1) if says is None else (2,), args)
            if says is not None:
                self.clear_error(done, args)
                self.assertIn(says, done.err, args)


if __name__ == "__main__":
    support.main()
