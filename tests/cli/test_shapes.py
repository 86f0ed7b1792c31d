"""Which number of a shape belongs to which dim: never a guess.

SPDX-License-Identifier: Apache-2.0
"""

import re

import numpy as np

import support
from support import run


class Shapes(support.CliTest):

    def setUp(self):
        super().setUp()
        # A picture of 2 x 3 pixels and 4 channels.
        self.array = np.arange(24, dtype="u1").reshape(1, 2, 3, 4)
        self.array.tofile(self.path("nhwc.raw"))
        np.save(self.path("nhwc.npy"), self.array)
        self.want = self.array.transpose(0, 3, 1, 2).tobytes()

    def readings(self, *args):
        """The two shapes that the error of a command shows."""
        error = self.refused(*args, says="two readings")
        return re.findall(r"((?:\w+=\d+,?)+) \(", error)

    def test_the_order_of_a_tag_is_no_guess(self):
        words = ["--from", "nhwc", "--to", "nchw", "--dtype", "u8"]
        files = [self.path("nhwc.raw"), self.path("got.raw")]
        shown = self.readings("convert", *files, *words, "--shape", "1x2x3x4")
        self.assertEqual(shown, ["n=1,c=2,h=3,w=4", "n=1,h=2,w=3,c=4"])
        self.assertFalse(self.path("got.raw").exists())
        # Either one can be copied; the second is meant here.
        self.answer("convert", *files, *words, "--shape", shown[1])
        self.assertEqual(self.path("got.raw").read_bytes(), self.want)
        self.answer("convert", *files, *words, "--shape", shown[0])
        self.assertNotEqual(self.path("got.raw").read_bytes(), self.want)

    def test_texts_that_tell_extents_and_types(self):
        swizzled = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"
        shown = self.answer("show", swizzled)
        self.assertEqual(shown["dims"], {"a": 8, "b": 64})
        self.assertEqual((shown["dtype"], shown["size_bytes"]), ("u16", 1024))
        shown = self.answer("show", "bf16[16,256]{1,0:T(8,128)(2,1)}")
        self.assertEqual((shown["dtype"], shown["size_bytes"]), ("bf16", 8192))
        self.assertEqual(self.answer("at", swizzled, "3,20")["byte"], 408)
        # The memory as NumPy makes it: 16 bytes at a time, by the row's number.
        rows = np.arange(8 * 64, dtype="<u2").reshape(8, 64)
        memory = np.empty_like(rows)
        for r in range(8):
            for g in range(8):
                memory[r, (g ^ r) * 8:(g ^ r) * 8 + 8] = rows[r, g * 8:g * 8 + 8]
        memory.tofile(self.path("m.bin"))
        self.convert(self.path("m.bin"), self.path("r.npy"), swizzled, "a b",
                     None, "u16")
        np.testing.assert_array_equal(np.load(self.path("r.npy")), rows)
        self.assertTrue(self.answer(
            "diff", self.path("m.bin"), self.path("r.npy"), "--layout-a",
            swizzled, "--dtype", "u16")["equal"])
        self.assertEqual(self.answer("check", self.path("m.bin"), swizzled,
                                     "--dtype", "u16")["elements"], 512)
        self.refused("show", swizzled, "--shape", "8x32", says="b=64")
        self.refused("show", swizzled, "--dtype", "f32", says="16 bits")
        self.refused("show", "n c h w", says="--shape")

    def test_shapes_of_numbers_for_products(self):
        text = "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]"
        by_name = self.answer("show", text, "--shape", "a=16,b=8")
        self.assertEqual(self.answer("show", text, "--shape", "16x8")
                         ["expression"], by_name["expression"])
        self.refused("show", text, "--shape", "16x9", says="128 elements")

    def test_shapes_as_python_prints_them(self):
        for text in ("[2, 17, 5, 4]", "(2, 17, 5, 4)", "[2,17,5,4,]",
                     "torch.Size([2, 17, 5, 4])", "N=2,C=17,H=5,W=4",
                     "(n=2, c=17, h=5, w=4)", "(2x17x5x4)", " [ 2,17,5,4 ] "):
            shown = self.answer("show", "nChw16c", "--shape", text)
            self.assertEqual(shown["dims"], {"n": 2, "c": 17, "h": 5,
                                             "w": 4}, text)
        self.assertEqual(self.answer("show", "c/8 c%8", "--shape", "(c=9,)")
                         ["elements"], 9)
        at = self.answer("at", "nChw16c", "--shape", "[2,17,5,4]",
                         "(1, 16, 4, 3)")
        self.assertEqual(at["element_offset"], 1264)
        for text, word in (("[2,17,5,4", "']'"), ("[2,17,5,4)", "']'"),
                           ("2,17,5,4]", "','"), ("[[2,17,5,4]]", "number"),
                           ("[2,17,5,4] 3", "the end"), ("[]", "number"),
                           ("2,17,5,4,", "number"), ("(", "number"),
                           ("torch.Size([2,17]", "'])'"), ("[2,,3]", "number"),
                           ("N=2,n=2,c=17,h=5,w=4", "twice")):
            self.refused("show", "nChw16c", "--shape", text, says=word)
        # Two dims that differ in case alone are told apart.
        self.answer("show", "n N", "--shape", "n=2,N=3")

    def test_every_command_and_spelling(self):
        for layout, shape, logical, spelled in [
                ("nhwc", "1x2x3x4", "n=1,c=2,h=3,w=4", "n=1,h=2,w=3,c=4"),
                ("onednn.nhwc", "1,2,3,4", "n=1,c=2,h=3,w=4",
                 "n=1,h=2,w=3,c=4"),
                ("hwio", "3x3x64x128", "o=3,i=3,h=64,w=128",
                 "h=3,w=3,i=64,o=128"),
                ("nct", "1x1024x28", "t=1,n=1024,c=28", "n=1,c=1024,t=28"),
                ("hwc", "2x3x4", "c=2,h=3,w=4", "h=2,w=3,c=4"),
                ("mli.chw", "2x3x4", "h=2,w=3,c=4", "c=2,h=3,w=4"),
                ("chwn", "1x2x3x4", "n=1,c=2,h=3,w=4", "c=1,h=2,w=3,n=4"),
                ("ndhwc", "1x2x3x4x5", "n=1,c=2,d=3,h=4,w=5",
                 "n=1,d=2,h=3,w=4,c=5"),
                ("nhwC8c", "1x2x3x4", "n=1,c=2,h=3,w=4", "n=1,h=2,w=3,c=4"),
                ("acdb", "1x2x3x4", "a=1,b=2,c=3,d=4", "a=1,c=2,d=3,b=4"),
                ("BA16a16b", "20x30", "a=20,b=30", "b=20,a=30")]:
            for command in (["show", layout], ["draw", layout],
                            ["emit", layout], ["plan", layout, layout],
                            ["who", layout, "--byte", "0"],
                            ["check", self.path("nhwc.raw"), layout]):
                shown = self.readings(*command, "--shape", shape, "--dtype",
                                      "u8")
                self.assertEqual(shown, [logical, spelled], command)

    def test_what_is_clear_goes_on(self):
        for layout in ("nchw", "nChw8c", "mace.channel", "okk.aligned(start=2)",
                       "aBcd16b", "oihw", "goihw", "mli.hwc", "mli.hwcn",
                       "mli.hw1n", "ncdhw", "tnc"):
            dims = self.answer("list")["entries"]
            extents = {e["name"]: e["dims"] for e in dims}.get(
                layout.split("(")[0])
            count = len(extents) if extents else len(
                re.sub("[^a-z]", "", re.split("[0-9]", layout)[0].lower()))
            self.answer("show", layout, "--shape", "x".join("2345678"[:count]))
        # The first layout that spells its dims decides.
        self.answer("plan", "nchw", "nhwc", "--shape", "1x2x3x4")
        self.answer("plan", "mace.channel", "nchw", "--shape", "1x2x3x4")
        self.readings("plan", "nhwc", "nchw", "--shape", "1x2x3x4")
        self.readings("plan", "mace.channel", "nhwc", "--shape", "1x2x3x4")
        self.readings("plan", "n h w c", "nchw", "--shape", "1x2x3x4")
        # A text that spells a part of the dims does not.
        self.readings("draw", "h w c", "--to", "nhwc", "--shape", "1x2x3x4")
        self.refused("show", "n h w c", "--shape", "1x2x3x4",
                     says="n=1,h=2,w=3,c=4, if")

    def test_arrays_go_on_by_their_axes(self):
        files = [self.path("nhwc.npy"), self.path("got.npy")]
        for shape in ([], ["--shape", "1x2x3x4"], ["--shape", "1x4x2x3"],
                      ["--shape", "n=1,c=4,h=2,w=3"]):
            self.answer("convert", *files, "--from", "nhwc", "--to", "nchw",
                        *shape)
            self.assertEqual(np.load(self.path("got.npy")).tobytes(), self.want)
        self.refused("convert", *files, "--from", "nhwc", "--to", "nchw",
                     "--shape", "1x3x2x4", says="two readings")
        self.answer("check", self.path("nhwc.npy"), "nhwc", "--shape",
                    "1x2x3x4")
        np.save(self.path("nchw.npy"), self.array.transpose(0, 3, 1, 2).copy())
        told = self.answer("diff", self.path("nhwc.raw"), self.path("nchw.npy"),
                           "--layout-a", "nhwc", "--layout-b", "nchw",
                           "--shape", "1x4x2x3")
        self.assertTrue(told["equal"])
        told = self.answer("diff", self.path("nhwc.raw"), self.path("nchw.npy"),
                           "--layout-a", "nhwc", "--shape", "1x4x2x3")
        self.assertTrue(told["equal"])
        self.answer("draw", "nhwc", "--data", self.path("nhwc.npy"), "--shape",
                    "1x2x3x4")

    def test_arrays_that_contradict_their_layout(self):
        array = self.path("nhwc.npy")
        # A is the tensor itself, of c=2,h=3,w=4; B's axes say c=4,h=2,w=3.
        self.refused("diff", array, array, "--layout-b", "nhwc",
                     says="an array of 1x2x3x4")
        self.refused("check", array, "nhwc", "--shape", "n=1,c=2,h=3,w=4",
                     says="an array of 1x2x3x4")
        self.refused("convert", array, self.path("o.npy"), "--from", "nhwc",
                     "--to", "nchw", "--shape", "n=1,c=2,h=3,w=4",
                     says="an array of 1x2x3x4")

    def test_the_shape_of_a_report_is_in_logical_order(self):
        told = self.answer("convert", self.path("nhwc.npy"),
                           self.path("o.npy"), "--from", "n h w c", "--to",
                           "nchw", "--shape", "1x4x2x3")
        self.assertEqual(told["shape"], "n=1,c=4,h=2,w=3")

    def test_a_sidecars_shape_is_no_guess(self):
        self.path("nhwc.json").write_text(
            '{"layout": "nhwc", "shape": "1x2x3x4", "dtype": "u8", '
            '"file": "nhwc.raw"}')
        self.readings("decode", self.path("nhwc.raw"), self.path("got.raw"))
        self.assertFalse(self.path("got.raw").exists())

    def test_an_index_is_no_guess(self):
        args = ["at", "nhwc", "0,1,2,3", "--dtype", "u8", "--shape"]
        self.assertEqual(self.readings(*args, "n=1,h=2,w=3,c=4"),
                         ["n=0,c=1,h=2,w=3", "n=0,h=1,w=2,c=3"])
        told = self.answer("at", "nhwc", "0,3,1,2", "--dtype", "u8", "--shape",
                           "n=1,c=4,h=2,w=3")
        self.assertEqual(told["byte"], 23)

    def test_extents_are_echoed_by_name(self):
        shape = ["--shape", "n=1,h=2,w=3,c=4", "--dtype", "u8"]
        for args in (["at", "nhwc", "n=0,h=1,w=2,c=3"],
                     ["who", "nhwc", "--byte", "23"], ["show", "nhwc"]):
            self.assertIn("n=1,c=4,h=2,w=3", run(*args, *shape).out)
            self.assertEqual(self.answer(*args, *shape)["dims"],
                             {"n": 1, "c": 4, "h": 2, "w": 3})

    def test_problems_are_in_logical_order(self):
        self.readings("bench", "nhwc", "nchw", "--shape", "1x4x8x8")
        self.path("p.txt").write_text("a; f32; nhwc -> nchw; 1x4x8x8")
        told = self.answer("bench", "--problems", self.path("p.txt"),
                           "--rounds", "1")
        self.assertEqual(told["cases"][0]["bytes"], 4 * 4 * 64)
        self.path("p.txt").write_text("odd; s8; nhwc -> nchw; 1x3x5x7")
        told = self.answer("bench", "--problems", self.path("p.txt"),
                           "--rounds", "1")
        self.assertEqual(told["cases"][0]["bytes"], 3 * 5 * 7)


if __name__ == "__main__":
    support.main()
