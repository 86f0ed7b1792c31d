#!/usr/bin/env python3
"""Parts of a memory in files, elements below a byte and small floats, in convert.

NumPy makes each memory by its own means: joined bytes, shifts, and tables of values.
"""

import numpy as np

from support import CliTest, main, run

# Of a block of 32: the scale, then the weights.
Q8_0 = "k/32 { d:f16 = - ; q:s8 = k%32 }"


def bits_of(values, width):
    """The bits of each value, the lowest first, one after the other."""
    values = np.asarray(values).reshape(-1, 1).astype(np.uint64)
    return ((values >> np.arange(width, dtype=np.uint64)) & 1).astype(
        np.uint8).reshape(-1)


def pack(values, width):
    """The values in a stream of bits, lowest first, as bytes."""
    return np.packbits(bits_of(values, width), bitorder="little").tobytes()


class PartsInFiles(CliTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.d = rng.standard_normal(4).astype("<f2")
        self.q = rng.integers(-128, 128, (4, 32)).astype(np.int8)
        self.memory = b"".join(self.d[i].tobytes() + self.q[i].tobytes()
                               for i in range(4))
        self.path("m.bin").write_bytes(self.memory)

    def split(self, *parts, more=(), cwd=None):
        return self.answer("convert", self.path("m.bin"), "--from", Q8_0,
                           "--shape", "k=128", *parts, *more, cwd=cwd)

    def test_a_file_a_part_and_back(self):
        for ending, load in (("npy", np.load),
                             ("raw", lambda p: np.fromfile(p, np.uint8))):
            d, q = self.path(f"d.{ending}"), self.path(f"q.{ending}")
            answer = self.split("--part", f"d={d}", "--part", f"q={q}")
            self.assertEqual([p["part"] for p in answer["parts"]], ["d", "q"])
            self.assertEqual(load(d).tobytes(), self.d.tobytes())
            self.assertEqual(load(q).tobytes(), self.q.tobytes())
            self.answer("convert", self.path("o.bin"), "--to", Q8_0, "--shape",
                        "k=128", "--part", f"d={d}", "--part", f"q={q}")
            self.assertEqual(self.path("o.bin").read_bytes(), self.memory)

    def test_names_without_a_folder(self):
        self.split("--part", "d=d.npy", "--part", "q=q.raw", cwd=self.folder)
        self.assertTrue((np.load(self.path("d.npy")) == self.d).all())

    def test_one_part_alone(self):
        self.answer("convert", self.path("m.bin"), self.path("q.npy"),
                    "--from", Q8_0, "--to", "k", "--shape", "k=128", "--part",
                    "q")
        q = np.load(self.path("q.npy"))
        self.assertEqual(q.dtype, np.int8)
        self.assertTrue((q == self.q.reshape(-1)).all())

    def test_writing_a_part_keeps_the_others(self):
        new = np.arange(128, dtype=np.int8)
        np.save(self.path("new.npy"), new)
        self.path("o.bin").write_bytes(self.memory)
        self.answer("convert", self.path("new.npy"), self.path("o.bin"),
                    "--from", "k", "--to", Q8_0, "--part", "q", "--keep-gaps")
        blocks = np.frombuffer(self.path("o.bin").read_bytes(),
                               np.uint8).reshape(4, 34)
        self.assertEqual(blocks[:, :2].tobytes(), self.d.tobytes())
        self.assertEqual(blocks[:, 2:].tobytes(), new.tobytes())

    def test_the_scale_of_a_row(self):
        layout = "r { q:s8 = k ; s:f32 = - }"
        scale = np.linspace(1, 3, 3, dtype="<f4")
        q = np.arange(24, dtype=np.int8).reshape(3, 8)
        memory = b"".join(q[r].tobytes() + scale[r].tobytes()
                          for r in range(3))
        self.path("m.bin").write_bytes(memory)
        self.answer("convert", self.path("m.bin"), "--from", layout, "--shape",
                    "r=3,k=8", "--part", f"s={self.path('s.npy')}")
        s = np.load(self.path("s.npy"))
        self.assertEqual(s.reshape(-1).tolist(), scale.tolist())

    def test_targets_that_lose_something(self):
        for parts, word in (
                (("d=a.raw", "q=./a.raw"), "named twice"),
                (("d=m.bin",), "is IN"),
                (("d=./none/../m.bin",), "is IN"),
                (("d=none/a.raw",), "folder is not there"),
                (("d=.",), "is no file"),
                (("d=a.raw", "x=b.raw"), "no part 'x'"),
                (("d=a.raw", "q=b.safetensors"), "safetensors")):
            args = [a for p in parts for a in ("--part", p)]
            self.refused("convert", "m.bin", "--from", Q8_0, "--shape",
                         "k=128", *args, says=word, cwd=self.folder)
            self.assertEqual([p.name for p in self.folder.iterdir()],
                             ["m.bin"])
        self.assertEqual(self.path("m.bin").read_bytes(), self.memory)

    def test_no_elements(self):
        for layout in ("h | w!4", "h | w!4 #", "h { a:u8 = w ; b:u8 = - }"):
            self.answer("show", layout, "--shape", "h=2,w=0", "--dtype", "u8")
        self.refused("show", "@8B h | w!4", "--shape", "h=2,w=0",
                     says="step of 0")


class BelowAByte(CliTest):
    def test_packed_and_as_bytes(self):
        rng = np.random.default_rng(2)
        for width in range(1, 8):
            values = rng.integers(0, 1 << width, 24).astype(np.uint8)
            self.path("p.bin").write_bytes(pack(values, width))
            self.convert(self.path("p.bin"), self.path("v.npy"), "k", "k",
                         "k=24", f"u{width}")
            self.assertTrue((np.load(self.path("v.npy")) == values).all())
            self.convert(self.path("v.npy"), self.path("o.bin"), "k", "k",
                         "k=24", f"u{width}")
            self.assertEqual(self.path("o.bin").read_bytes(),
                             pack(values, width))

    def test_signed(self):
        values = np.arange(-8, 8, dtype=np.int8)
        self.path("p.bin").write_bytes(pack(values.astype(np.uint8) & 15, 4))
        self.convert(self.path("p.bin"), self.path("v.npy"), "k", "k", "k=16",
                     "s4")
        self.assertTrue((np.load(self.path("v.npy")) == values).all())

    def test_packed_arrays(self):
        values = np.arange(8)
        for width in (4, 10):
            np.save(self.path("p.npy"),
                    np.frombuffer(pack(values, width), np.uint8))
            self.convert(self.path("p.npy"), self.path("o.bin"), "k", "k",
                         "k=8", f"u{width}", more=["--packed"])
            self.assertEqual(self.path("o.bin").read_bytes(),
                             pack(values, width))

    def test_widths_that_are_no_power_of_two(self):
        values = np.array([0, 1, 0x123456, 0xffffff], np.uint32)
        self.path("p.bin").write_bytes(pack(values, 24))
        self.convert(self.path("p.bin"), self.path("v.npy"), "k", "k", "k=4",
                     "u24")
        self.assertTrue((np.load(self.path("v.npy")) == values).all())

    def test_high_and_low_nibbles(self):
        # The low nibbles of a block of 32, then the high ones.
        values = np.random.default_rng(3).integers(0, 16, 64).astype(np.uint8)
        blocks = values.reshape(2, 2, 16)
        self.path("p.bin").write_bytes(
            (blocks[:, 0] | blocks[:, 1] << 4).tobytes())
        self.convert(self.path("p.bin"), self.path("v.npy"),
                     "k/32 k%16 k%32/16", "k", "k=64", "u4")
        self.assertTrue((np.load(self.path("v.npy")) == values).all())

    def test_bits_of_an_element_apart(self):
        layout = "{ q[# 0..4]:u6 = k # ; q[# 4..6]:u6 = k # }"
        values = np.random.default_rng(4).integers(0, 64, 16).astype(np.uint8)
        memory = pack(values & 15, 4) + pack(values >> 4, 2)
        self.path("p.bin").write_bytes(pack(values, 6))
        self.convert(self.path("p.bin"), self.path("o.bin"), "k", layout,
                     "k=16", "u6")
        self.assertEqual(self.path("o.bin").read_bytes(), memory)
        self.convert(self.path("o.bin"), self.path("back.bin"), layout, "k",
                     "k=16", "u6")
        self.assertEqual(self.path("back.bin").read_bytes(), pack(values, 6))
        args = [layout, "--shape", "k=16", "--part", "q"]
        self.assertEqual(self.answer("at", *args, "k=3")["bits"],
                         [12, 13, 14, 15, 70, 71])
        who = self.answer("who", *args, "--bit", "71")
        self.assertEqual((who["index"], who["bit_in_element"]), ({"k": 3}, 5))

    def test_what_is_refused(self):
        self.path("p.bin").write_bytes(bytes(16))
        args = ["convert", self.path("p.bin"), self.path("o.bin"), "--from",
                "k", "--to", "k", "--shape", "k=32"]
        self.refused(*args, "--dtype", "u4", "--device", "opencl",
                     says="1, 2, 4, 8 or 16")
        self.refused(*args, "--dtype", "u0", says="dtype")
        self.refused(*args, "--dtype", "u65", says="dtype")
        self.assertFalse(self.path("o.bin").exists())


class Bounds(CliTest):
    """Texts whose cost must not grow with their numbers."""

    def test_huge_numbers(self):
        self.refused("show", "*4000000000000:0 k", "--shape", "k=3",
                     says="one place")
        for text, names in (("*4000000000000 k", "k"), ("k%6 k%4", "k"),
                            ("c+(b+3)/4 b", "bc"),
                            ("{ a = h:0 w ; b = h w }", "hw"),
                            ("g := a:3 b; g", "ab")):
            shape = ",".join(f"{name}=1000000000" for name in names)
            done = run("show", text, "--shape", shape, "--json", timeout=10)
            self.assertIn(done.code, (0, 1, 2), text)
            self.one_object(done)

    def test_one_dim_more_than_indices_can_hold(self):
        dims = [f"d{k}" for k in range(70)]
        text = "g := " + " ".join(dims) + "; g"
        done = run("show", text, "--shape", ",".join(d + "=2" for d in dims),
                   "--json", timeout=10)
        self.clear_error(done)

    def test_a_dim_shifted_by_a_biased_one(self):
        self.answer("show", "c+(b+3)/4 b", "--shape", "b=8,c=4")
        self.answer("offsets", "c+(b+3)/4 b", "--shape", "b=8,c=4", "--out",
                    self.path("o.npy"))
        b, c = np.mgrid[:8, :4]
        self.assertTrue((np.load(self.path("o.npy")) ==
                         (c + (b + 3) // 4) % 4 * 8 + b).all())


if __name__ == "__main__":
    main()
