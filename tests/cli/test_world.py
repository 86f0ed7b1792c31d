#!/usr/bin/env python3
"""The collection of layouts that people use (tests/data/world.json): offsets, sizes,
the inverse, and where single elements lie; each was constructed without the notation.
"""

import hashlib
import json
import pathlib
import re

import numpy as np

from support import CliTest, main, run, sampled, shape_text

DATA = pathlib.Path(__file__).resolve().parent.parent / "data" / "world.json"
WORLD = json.loads(DATA.read_text())


def arguments(entry, part):
    """What names the part's tensor on the command line, and its dtype."""
    args = [entry["expression"], "--shape", shape_text(entry["shape"])]
    name = part["part"]
    if name:
        args += ["--part", name]
    typed = name and re.search(rf"\b{name}(\[[^]]*\])?:", entry["expression"])
    if not typed:
        args += ["--dtype", f"u{part['element_bits']}"]
    for table, values in (entry["tables"] or {}).items():
        args += ["--table", f"{table}={','.join(map(str, values))}"]
    return args


def in_bits(part):
    return part["offsets_are_of"].startswith("bits")


class World(CliTest):
    def each_part(self):
        for entry in sampled(WORLD):
            for part in entry["parts"]:
                yield entry, part

    def offsets(self, entry, part, *more):
        out = self.path("offsets.npy")
        answer = self.answer("offsets", *arguments(entry, part), "--unit",
                             "bit", "--out", out, *more)
        return answer, np.load(out)

    def test_offsets_and_sizes(self):
        self.assertGreaterEqual(len(WORLD), 120)
        for entry, part in self.each_part():
            with self.subTest(entry["name"], part=part["part"]):
                answer, offsets = self.offsets(entry, part)
                self.assertEqual(offsets.dtype, np.dtype("<i8"))
                self.assertEqual(answer["memory_bits"], part["memory_bits"])
                dims = list(answer["dims"]) + (["#"] if in_bits(part) else [])
                self.assertEqual(dims, part["dims"])
                self.assertEqual(list(offsets.shape), part["extents"])
                self.assertEqual(hashlib.sha256(offsets.tobytes()).hexdigest(),
                                 part["sha256_of_int64_offsets"])
                for sample in part["samples"]:
                    self.assertEqual(offsets[tuple(sample["index"])], sample["bit"])

    def test_inverse(self):
        for entry, part in self.each_part():
            with self.subTest(entry["name"], part=part["part"]):
                _, offsets = self.offsets(entry, part)
                _, inverse = self.offsets(entry, part, "--inverse")
                self.assertEqual(inverse.shape, (part["memory_bits"],))
                numbers = np.arange(offsets.size)
                self.assertTrue((inverse[offsets.reshape(-1)] == numbers).all())
                # Each number as often as its element has bits, for each copy.
                held = np.bincount(inverse[inverse >= 0])
                copies = int(np.prod([int(k) for k in re.findall(
                    r"\*(\d+)", entry["expression"])]))
                bits = 1 if in_bits(part) else part["element_bits"]
                self.assertTrue((held == bits * copies).all())
                self.assertGreaterEqual(inverse.min(), -3)

    def test_at_and_who(self):
        for entry, part in self.each_part():
            with self.subTest(entry["name"], part=part["part"]):
                args = arguments(entry, part)
                for sample in part["samples"][:3]:
                    index = dict(zip(part["dims"], sample["index"]))
                    bit = index.pop("#", 0)
                    text = ",".join(f"{d}={x}" for d, x in index.items())
                    if not text:
                        continue
                    at = self.answer("at", *args, text)
                    place = at["bits"][bit] if in_bits(part) else at["bit"]
                    self.assertEqual(place, sample["bit"])
                    who = self.answer("who", *args, "--bit", place)
                    self.assertEqual(who["kind"], "element")
                    self.assertEqual(who["index"], index)
                    self.assertEqual(who["bit_in_element"], bit)
                    self.assertEqual(who["part"], part["part"] or None)

    def test_every_layout_is_valid(self):
        for entry, part in self.each_part():
            with self.subTest(entry["name"], part=part["part"]):
                shown = self.answer("show", *arguments(entry, part))
                self.assertTrue(shown["valid"], shown.get("reason"))
                again = [shown["expression"]] + arguments(entry, part)[1:]
                self.assertEqual(self.answer("show", *again)["expression"],
                                 shown["expression"])


class Offsets(CliTest):
    def table(self, layout, shape, *more):
        self.answer("offsets", layout, "--shape", shape, "--out",
                    self.path("o.npy"), *more)
        return np.load(self.path("o.npy"))

    def test_a_gather_table(self):
        x = np.arange(2 * 17 * 5 * 4).reshape(2, 17, 5, 4)
        memory = np.pad(x, ((0, 0), (0, 15), (0, 0), (0, 0)))
        memory = memory.reshape(2, 2, 16, 5, 4).transpose(0, 1, 3, 4, 2)
        table = self.table("nChw16c", "2x17x5x4")
        self.assertTrue((memory.reshape(-1)[table] == x).all())
        inverse = self.table("nChw16c", "2x17x5x4", "--inverse")
        self.assertEqual(set(inverse[inverse < 0]), {-1})
        self.assertTrue((inverse[table.reshape(-1)] == x.reshape(-1)).all())

    def test_units(self):
        elements = self.table("h:8 w", "h=3,w=5", "--dtype", "f16")
        for unit, size in (("byte", 2), ("bit", 16)):
            table = self.table("h:8 w", "h=3,w=5", "--dtype", "f16", "--unit",
                               unit)
            self.assertTrue((table == elements * size).all())
        inverse = self.table("h:8 w", "h=3,w=5", "--dtype", "f16", "--unit",
                             "byte", "--inverse")
        self.assertEqual(inverse.tolist()[:12], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4,
                                                 -2, -2])

    def test_parts_and_gaps(self):
        layout = "p:^8B { a:u8 = t ; b:u16 = - }"
        inverse = self.table(layout, "p=2,t=3", "--part", "a", "--unit", "byte",
                             "--inverse")
        self.assertEqual(inverse.tolist(), [0, 1, 2, -3, -3, -2, -2, -2,
                                            3, 4, 5, -3, -3, -2, -2, -2])

    def test_raw_output(self):
        out = self.path("o.raw")
        self.answer("offsets", "nhwc", "--shape", "n=1,c=3,h=2,w=2", "--out",
                    out)
        self.assertEqual(np.fromfile(out, "<i8").tolist(),
                         [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11])

    def test_what_has_no_such_table(self):
        out = ["--out", self.path("o.npy")]
        self.refused("offsets", "k #", "--shape", "k=4", *out, says="bits")
        self.refused("offsets", "k", "--shape", "k=4", "--dtype", "u4",
                     "--unit", "byte", *out, says="count in bits")
        self.refused("offsets", "{ a:u8 = k ; b:u8 = k }", "--shape", "k=4",
                     *out, says=("a, b", "--part"))
        self.refused("offsets", "k", "--shape", "k=4", "--unit", "word", *out,
                     says="bit, byte or element")
        self.refused("offsets", "k<T>", "--shape", "k=4", *out,
                     says="--table T=")
        self.refused("offsets", "w", "--shape", "h=2,w=4", *out,
                     says="not covered")
        self.assertFalse(self.path("o.npy").exists())


class BadInput(CliTest):
    """A text that is wrong: what, where, what would be right."""

    def says(self, layout, shape, *words, more=()):
        self.refused("show", layout, "--shape", shape, *more, says=words)

    def test_tables(self):
        self.says("c<0,2,2>", "c=3", "not one-to-one", "entries 1 and 2")
        self.says("c<0,1>", "c=3", "2 entries", "3 values")
        self.says("c<T>", "c=3", "entries of table T are needed")
        for table, word in (("T=1,x", "no list of numbers"), ("T", "NAME="),
                            ("U=1,2", "has the tables T"),
                            ("T=missing.npy", "missing.npy"),
                            ("T=1,1,2", "not one-to-one"),
                            ("T=0,1,-2", "no list of numbers"),
                            ("T=99999999999999999999", "no list of numbers")):
            self.says("c<T>", "c=3", word, more=["--table", table])
        self.says("c", "c=3", "no tables", more=["--table", "T=1,2"])
        np.save(self.path("f.npy"), np.zeros(3, np.float32))
        self.says("c<T>", "c=3", "integers",
                  more=["--table", f"T={self.path('f.npy')}"])

    def test_a_table_from_a_file(self):
        np.save(self.path("t.npy"), np.array([2, 0, 1], np.int32))
        for dtype in ("int32", "int64", "uint8", "uint64"):
            np.save(self.path("t.npy"), np.array([2, 0, 1], dtype))
            at = self.answer("at", "c<T>", "--shape", "c=3", "--table",
                             f"T={self.path('t.npy')}", "c=0")
            self.assertEqual(at["element_offset"], 2)

    def test_twists(self):
        self.says("r c/8^r%8 c%8", "r=8,c=24", "power of two", "3 values")
        self.says("r c%32/8^r c%8", "r=16,c=32", "no more values")

    def test_slices(self):
        self.says("{ a[k 0..5] = k ; a[k 4..] = k }", "k=9", "same elements",
                  "k=4")
        self.says("{ a[k 0..3] = k ; a[k 5..] = k }", "k=9", "no part holds",
                  "k=3")
        self.says("{ a[# 0..4]:u6 = k # }", "k=9", "no part holds", "#=4")
        self.says("{ a[z 0..4] = k }", "k=9", "'z'", "no dim")

    def test_parts(self):
        layout = "n { d:f16 = - ; q:u4 = k }"
        self.says(layout, "n=2,k=8", "no part 'x'", "d, q",
                  more=["--part", "x"])
        self.says("n k", "n=2,k=8", "one tensor", more=["--part", "x"])
        self.says("n { d:f77 = - }", "n=2", "unknown dtype 'f77'")
        self.says("{ a:u4 = n ; a:u8 = k }", "n=2,k=8", "differ in type")
        self.says("n:3 { a:u8 = k ; b:u4 = k }", "n=2,k=4", "n:3B")
        self.says("x={ a = k } | n", "n=2,k=8", "last axis")

    def test_names(self):
        self.says("a := b/2; b := n; a b", "n=8", "'b'")
        self.says("a := a; a", "n=8", "'a'")
        self.says("n := k; n", "n=8,k=8", "'n' is a dim already")

    def test_sizes(self):
        huge = str(2 ** 62)
        self.says("n", f"n={huge}", "overflows")
        self.says("n { a:u64 = k }", f"n={2**40},k={2**20}", "overflows")
        self.says("*4611686018427387904 n", "n=4", "overflows")
        self.says("n:-4611686018427387904", "n=4", "overflows")
        self.says("n!1,2 k!1,2 n k", f"n={huge},k={huge}", "overflows")

    def test_ends_in_bounded_time(self):
        for text in ("(" * 10000, "n { " * 10000, "n^" * 10000 + "n",
                     "a := n; " * 3000 + "a", "n " * 50000,
                     "n!" + ",".join("1" for _ in range(50000)) + " n",
                     "".join(f"x{k} := x{k-1} x{k-1}; " for k in range(1, 60))
                     + "n",
                     "x0 := n n:0; " + "".join(
                         f"x{k} := x{k-1} x{k-1}:0; " for k in range(1, 60))
                     + "x59"):
            done = run("show", text, "--shape", "n=2", "--json", timeout=10)
            self.assertIn(done.code, (0, 1, 2), text[:40])
            self.assertLess(len(done.err), 2000)

    def test_nothing_is_written(self):
        out = self.path("o.npy")
        for layout in ("c<0,0,1>", "c^", "n!0", "{ a = c", "c:0B z"):
            self.refused("offsets", layout, "--shape", "c=3", "--out", out)
            self.assertFalse(out.exists())


class OnlyRead(CliTest):
    """Layouts that are not one-to-one have places, and no conversion to them."""

    def test_at_and_who(self):
        args = ["h:0 w", "--shape", "h=3,w=5", "--dtype", "u8"]
        self.assertEqual(self.answer("at", *args, "h=2,w=4")["byte"], 4)
        who = self.answer("who", *args, "--byte", "4")
        self.assertEqual(who["index"], {"h": 0, "w": 4})
        self.assertTrue(who["more"])
        shown = self.answer("show", *args, code=1)
        self.assertFalse(shown["valid"])
        self.assertTrue(shown["readable"])

    def test_mirrored(self):
        x = np.arange(24, dtype=np.float32).reshape(4, 6)
        x.tofile(self.path("x.bin"))
        for layout, right in (("@18 h:-6 w", x[::-1]), ("h:-6 w", x[::-1]),
                              ("~h w", x[::-1]), ("h:-24B w", x[::-1]),
                              ("h ~w", x[:, ::-1]), ("h:6 w:-1", x[:, ::-1]),
                              ("@23 h:-6 w:-1", x[::-1, ::-1])):
            self.convert(self.path("x.bin"), self.path("o.npy"), layout, "h w",
                         "h=4,w=6", "f32")
            self.assertTrue((np.load(self.path("o.npy")) == right).all(),
                            layout)
        self.refused("show", "@5 h:-6 w", "--shape", "h=4,w=6",
                     says="before the memory")

    def test_broadcast_and_windows(self):
        row = np.arange(5, dtype=np.float32)
        row.tofile(self.path("row.bin"))
        self.convert(self.path("row.bin"), self.path("o.npy"), "h:0 w", "h w",
                     "h=3,w=5", "f32")
        self.assertTrue((np.load(self.path("o.npy")) == row).all())
        self.convert(self.path("row.bin"), self.path("o.npy"), "o:1 k:1",
                     "o k", "o=3,k=3", "f32")
        windows = np.lib.stride_tricks.sliding_window_view(row, 3)
        self.assertTrue((np.load(self.path("o.npy")) == windows).all())
        windows.copy().tofile(self.path("windows.bin"))
        self.refused("convert", self.path("windows.bin"), self.path("no.bin"),
                     "--from", "o k", "--to", "o:1 k:1", "--shape", "o=3,k=3",
                     "--dtype", "f32", says="share a place")

    def test_strides_in_bytes(self):
        at = self.answer("at", "a:40B b:8B", "--shape", "a=3,b=4", "--dtype",
                         "f32", "a=2,b=3")
        self.assertEqual(at["byte"], 104)
        shown = self.answer("show", "b:100000 h:320 s:8 d:1", "--shape",
                            "b=1,h=2,s=40,d=8", "--dtype", "f32")
        self.assertEqual(shown["size_bytes"], 2560)


if __name__ == "__main__":
    main()
