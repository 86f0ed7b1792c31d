"""Hostile texts and headers: never a crash, always exit code 2 and one clear
error."""

import random
import struct
import time
import unittest

import numpy as np

import support
from support import run, sampled

SHAPE = ["--shape", "2x17x5x4"]
HUGE = 2 ** 62
LARGEST = 2 ** 59  # bytes of a memory: 2^62 bits


def npy(head, data=b"", version=1, length=None):
    """A .npy file with any header text, and any lie about its length."""
    head = head.encode("latin-1") if isinstance(head, str) else head
    size = len(head) if length is None else length
    prefix = struct.pack("<H" if version == 1 else "<I", size)
    return b"\x93NUMPY" + bytes([version, 0]) + prefix + head + data


def header(descr="'<f4'", order="False", shape="(2, 3)"):
    return (f"{{'descr': {descr}, 'fortran_order': {order}, "
            f"'shape': {shape}, }}\n")


class Headers(support.CliTest):

    def refuse(self, content, says=(), come_from="ab", more=()):
        self.path("in.npy").write_bytes(content)
        self.refused("convert", self.path("in.npy"), self.path("out.bin"),
                     "--from", come_from, "--to", "ba", *more,
                     says=["in.npy", *says])
        self.assertFalse(self.path("out.bin").exists())

    def test_the_good_one(self):
        # What the others are made of is fine when left alone.
        self.path("in.npy").write_bytes(npy(header(), bytes(24)))
        self.convert(self.path("in.npy"), self.path("out.bin"), "ab", "ba")

    def test_truncated(self):
        whole = npy(header(), bytes(24))
        for size in [*range(0, 14), 40, len(whole) - 25, len(whole) - 24,
                     len(whole) - 1]:
            self.refuse(whole[:size])

    def test_too_much_data(self):
        self.refuse(npy(header(), bytes(25)))
        self.refuse(npy(header(), bytes(10000)))

    def test_versions_and_lengths(self):
        for version in (0, 4, 255):
            self.refuse(npy(header(), bytes(24), version))
        for length in (0, 1, 9, 200, 65535):
            self.refuse(npy(header(), bytes(24), 1, length))
        for length in (0xffffffff, 0x7fffffff, 1 << 24):
            self.refuse(npy(header(), bytes(24), 2, length))
        self.refuse(npy(header() + " " * (2 << 20), bytes(24), 2))

    def test_shapes(self):
        for shape in ["(-1, 3)", "(2, -3)", f"({HUGE}, 4)",
                      f"({HUGE}, {HUGE})", f"({2 ** 63}, 1)",
                      f"({2 ** 64}, 3)", f"({10 ** 40}, 3)",
                      "(2, 3, 4)", "(6,)", "()", "2, 3", "[2, 3]", "(2.0, 3)",
                      "(2, 3", "(2 3)", "('2', 3)", "None", "(" * 50000,
                      "(" + "1, " * 9000 + ")", "(3, 2**1)", "(True, 6)",
                      "(1 << 4, 3)"]:
            self.refuse(npy(header(shape=shape), bytes(24), 2))

    def test_dtypes(self):
        for descr in ["'|O'", "'O'", "'<f3'", "'<f'", "'<U4'", "'|S4'", "''",
                      "'<'", "'V0'", "'|V3'", "'V99999999999999999999'",
                      "'<f400000000000000'", "'<M8[s]'", "'f4,f4'",
                      "[('x', '<f4')]", "[('x', '<f4', (2,)), ('y', '<i4')]",
                      "[" * 50000, "4", "None", "'<f4", "{'a': 1}", "'\xff'"]:
            self.refuse(npy(header(descr), bytes(24), 2))

    def test_written_by_numpy(self):
        for array in [np.zeros((2, 3), [("x", "f4"), ("y", "i2")]),
                      np.array([["a", "b"]]), np.array([[None, {}]], object)]:
            np.save(self.path("x.npy"), array, allow_pickle=True)
            self.refuse(self.path("x.npy").read_bytes())

    def test_dicts(self):
        for head in ["", "\n", "{}", "()", "{" * 50000, "{'descr': '<f4'}",
                     header()[:-3], header().replace("shape", "shap"),
                     header().replace("'shape'", "'more': 1, 'shape'"),
                     header().replace(",", ";"), header(order="0"),
                     header(order="'False'"), header(order="Maybe"),
                     header().replace(":", "\0"), "\0" * 100, "\xff" * 100,
                     header().replace("descr", "\xff\xfe"),
                     "__import__('os').abort()"]:
            self.refuse(npy(head, bytes(24), 2))

    def test_random_damage(self):
        rng = random.Random(6)
        whole = npy(header(), bytes(range(24)))
        for _ in sampled(range(200)):
            damaged = bytearray(whole)
            for _ in range(rng.randint(1, 4)):
                damaged[rng.randrange(len(whole))] = rng.randrange(256)
            self.path("in.npy").write_bytes(damaged)
            done = run("convert", self.path("in.npy"), self.path("out.bin"),
                       "--from", "ab", "--to", "ba", "--json")
            self.assertIn(done.code, (0, 2), bytes(damaged))
            self.one_object(done, [bytes(damaged)])
            if done.code == 2:
                self.clear_error(done, [bytes(damaged)])

    def test_wrong_element_size(self):
        for dtype in ("f16", "s8", "f64", "c128", "bf16"):
            self.refuse(npy(header(), bytes(24)), ["4 bytes"],
                        more=["--dtype", dtype])
        # Opaque data says nothing about itself.
        self.refuse(npy(header("'|V4'"), bytes(24)), ["--dtype"])


class Texts(support.CliTest):

    def survives(self, *args):
        """Any end but a crash, and within a second or so."""
        begin = time.monotonic()
        done = run(*args, "--json", timeout=20)
        self.assertLess(time.monotonic() - begin, 3, str(args)[:100])
        self.assertIn(done.code, (0, 1, 2),
                      f"{str(args)[:200]}\n{done.err[-300:]}")
        self.one_object(done, [str(args)[:200]])
        if done.code == 2:
            self.clear_error(done, args)
        return done

    def test_ten_thousand_characters(self):
        for text in ["n " * 5000, "n" * 10000, "(" * 10000, "|" * 10000,
                     "n" + "/2" * 5000, "n" + "%2" * 5000, "9" * 10000,
                     "n:" + "9" * 10000, "n | " * 2500, "- | " * 2500,
                     "n%2 " * 2500, "n c h w " * 1250, "(n+1) " * 1666,
                     "nChw" + "16c" * 3332, "nChw" + "2c" * 4998,
                     "okk.aligned(" + "start=1," * 1250, "a." * 5000,
                     "okk." + "x" * 10000, "@" * 10000, " " * 10000,
                     "n" + "/1" * 5000, "n:1 " * 2500]:
            for shape in ("n=3,c=3,h=3,w=3", "3x3x3x3"):
                self.survives("show", text, "--shape", shape)
        for text in ["n=1," * 2500, "1x" * 5000, "9" * 10000, "n" * 10000]:
            self.clear_error(self.survives("show", "nchw", "--shape", text))
            self.clear_error(self.survives("at", "nchw", *SHAPE, text))
            self.clear_error(self.survives("show", "nchw", *SHAPE, "--dtype",
                                           text))

    def test_many_dims(self):
        names = [f"d{k}" for k in range(1500)]
        self.survives("show", " ".join(names), "--shape",
                      ",".join(f"{name}=1" for name in names))
        self.survives("show", " ".join(names), "--shape",
                      ",".join(f"{name}=2" for name in names))

    def test_huge_extents(self):
        told = self.answer("show", "n", "--shape", f"n={LARGEST}", "--dtype",
                           "s8")
        self.assertEqual((told["size_bytes"], told["elements"]), (LARGEST, LARGEST))
        options = ["--shape", f"c={LARGEST - 3}", "--dtype", "u8"]
        told = self.answer("at", "c/8 c%8", f"c={LARGEST - 4}", *options)
        self.assertEqual(told["byte"], LARGEST - 4)
        told = self.answer("who", "c%8 c/8", "--byte", LARGEST // 8 + 5, *options)
        self.assertEqual(told["index"], {"c": 8 * 5 + 1})
        told = self.answer("who", "c/8 c%8", "--byte", LARGEST - 1, *options)
        self.assertEqual(told["kind"], "padding")

    def test_too_huge_extents(self):
        for layout, shape, dtype in [
                ("n", f"n={HUGE}", "f32"), ("n", f"n={2 ** 63}", "s8"),
                ("n", f"n={2 ** 64}", "s8"), ("n", f"n={10 ** 30}", "s8"),
                ("n c", f"n={2 ** 32},c={2 ** 32}", "s8"),
                ("n c/8 c%8", f"n={2 ** 60},c=9", "s8"),
                ("n:8 c", f"n={HUGE},c=4", "s8"),
                (f"n:{HUGE} c", "n=4,c=4", "s8"),
                (f"n:{2 ** 63} c", "n=1,c=1", "s8"),
                (f"a=n |{HUGE}B| b=c", "n=3,c=4", "s8"),
                (f"@{HUGE} n", "n=3", "f64"),
                (f"(n+{2 ** 63 - 1})/2 (n+{2 ** 63 - 1})%2", "n=3", "s8"),
                (f"n:^{2 ** 63 - 1}B c", "n=3,c=3", "s8"),
                (f"a=n |^{2 ** 63 - 1}B| b=c", "n=3,c=3", "f32"),
                ("nChw16c", f"{2 ** 31}x{2 ** 31}x2x1", "s8"),
                (f"n%{HUGE} n/{HUGE}", f"n={HUGE + 1}", "s8")]:
            self.refused("show", layout, "--shape", shape, "--dtype", dtype)
        for command in (["at", "0,0,0,0"], ["who", "--byte", "0"]):
            self.refused(command[0], "nchw", *command[1:], "--shape",
                         f"{HUGE}x4x1x1")
        self.refused("plan", "nchw", "nhwc", "--shape", f"{HUGE}x4x1x1")
        self.refused("who", "nchw", *SHAPE, "--byte", 2 ** 64)
        self.refused("at", "nchw", *SHAPE, f"0,{2 ** 64},0,0")

    def test_zero_and_negative(self):
        told = self.answer("show", "nChw8c", "--shape", "2x0x5x4")
        self.assertEqual((told["elements"], told["size_bytes"],
                          told["padding_elements"]), (0, 0, 0))
        self.refused("at", "nchw", "0,0,0,0", "--shape", "2x0x5x4")
        self.refused("who", "nchw", "--byte", "0", "--shape", "2x0x5x4")
        for shape in ("-2x17x5x4", "2x17x5x-4", "n=2,c=-17,h=5,w=4",
                      f"2x17x5x-{HUGE}", "0x-1x0x0", "2x17x5x+4",
                      "2x17x5x4.5"):
            self.refused("show", "nchw", f"--shape={shape}")
        for text in ("n/-2", "n%-2", "n/0", "n%0", "@-1 n",
                     "a=n |-4B| b=c", "a=n |0B| b=c", "(n+-1)", "(n-1)",
                     "n:^0B c"):
            self.refused("show", text, "--shape", "n=2,c=3")

    def test_the_nearest_name_is_suggested(self):
        for wrong, right in [("mace.chanel", "mace.channel"),
                             ("okk.alligned", "okk.aligned"),
                             ("mli.hw1nn", "mli.hw1n"), ("nChW16c", "nChw16c"),
                             ("MACE.channel", "mace.channel"),
                             ("mace_channel", "mace.channel"),
                             ("okk.matrx(w=3)", "okk.matrix"),
                             ("okk.aligned(strat=2)", "start"),
                             ("okk.4n(base=alined)", "aligned")]:
            self.refused("show", wrong, *SHAPE, says=f"{right}")
        self.refused("show", "nchw", *SHAPE, "--dtype", "f23", says="f32")
        self.refused("show", "nchw", "--shape", "n=1,c=2,h=3,x=4", says="x")

    def test_vendors_preconditions(self):
        for layout, shape, dtype in [
                ("mace.depthwise", "2x3x4x5", "f32"),
                ("okk.aligned(addr=64)", "2x3x4x5", "f32"),
                ("okk.compact(addr=2)", "2x3x4x5", "s8"),
                ("okk.aligned(start=64)", "2x3x4x5", "f32"),
                ("okk.aligned(start=1,addr=0)", "2x3x4x5", "f32"),
                ("okk.aligned(npus=0)", "2x3x4x5", "f32"),
                ("okk.aligned(npu_bytes=1024)", "3x64x16x16", "f32"),
                ("okk.4n", "2x3x4x5", "f32"), ("okk.2n", "2x3x4x5", "s8"),
                ("okk.matrix(w=0)", "2x40", "f32"),
                ("okk.matrix(w=41)", "2x40", "f32"),
                ("okk.matrix", "2x40", "f32"),
                ("mace.channel", "2x3x4", "f32")]:
            self.refused("show", layout, "--shape", shape, "--dtype", dtype)

    def test_different_dims(self):
        self.path("in.bin").write_bytes(bytes(480))
        for come_from, to, shape in [
                ("nchw", "oihw", "2x3x4x5"), ("nchw", "ncw", "2x3x4x5"),
                ("nchw", "n c h", "n=2,c=3,h=4,w=5"),
                ("n c h", "nchw", "n=2,c=3,h=20"), ("nchw", "abc", "2x3x4x5"),
                ("mace.channel", "mace.filter", "2x3x4x5"),
                ("nchw", "n c h q", "n=2,c=3,h=4,w=5")]:
            self.refused("plan", come_from, to, "--shape", shape)
            self.refused("convert", self.path("in.bin"), self.path("out.bin"),
                         "--from", come_from, "--to", to, "--shape", shape,
                         "--dtype", "f32")
        self.assertFalse(self.path("out.bin").exists())

    def test_garbage(self):
        rng = random.Random(8)
        pieces = ["n", "c", "h", "/", "%", "8", "16", ":", "^", "B", "|", "@",
                  "(", ")", "+", "-", "=", " ", "row", ".", "nChw", "é", "\t",
                  "\n", "\x7f", "\x01", ",", "0", "99999999999999999999"]
        for k in sampled(range(300)):
            if k % 3:
                text = "".join(rng.choices(pieces, k=rng.randint(1, 12)))
                text = text.encode()
            else:  # anything but the end of a C string
                text = bytes(rng.randrange(1, 256)
                             for _ in range(rng.randint(1, 20)))
            if text.startswith(b"-"):
                text = b" " + text  # not an option
            self.survives("show", text, "--shape", "n=2,c=3,h=4")

    def test_garbage_everywhere_else(self):
        for text in (b"\xff", "é", "\x01", "\n", "n=\xff,c=2", "日本",
                     b"\xc3("):
            for args in [["show", "nchw", "--shape", text],
                         ["show", "nchw", *SHAPE, "--dtype", text],
                         ["at", "nchw", *SHAPE, text],
                         ["who", "nchw", *SHAPE, "--coord", text],
                         ["who", "nchw", *SHAPE, "--byte", text],
                         ["convert", text, "out", "--from", "ab", "--to", "ba",
                          "--shape", "2x3", "--dtype", "u8"],
                         [text], ["show", "nchw", *SHAPE, text]]:
                self.clear_error(self.survives(*args), args)
        self.survives("list", b"\xff")


if __name__ == "__main__":
    support.main()
