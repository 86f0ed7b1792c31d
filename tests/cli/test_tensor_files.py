"""Tensors in files of several: .safetensors, .gguf and .npz, in every command."""
import json
import struct

import numpy as np

import support
from support import run


def safetensors(tensors, metadata=None):
    """The bytes of a file of {name: (type, array)}."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (kind, array) in tensors.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def contents(data):
    """{name: (entry, bytes)} and the metadata of such a file."""
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    body = data[8 + size:]
    return {name: (entry, body[slice(*entry["data_offsets"])])
            for name, entry in header.items()}, metadata


class Tensors(support.CliTest):

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(9)
        self.array = rng.standard_normal((2, 17, 5, 4)).astype(np.float32)
        self.other = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
        np.save(self.path("x.npy"), self.array)
        self.path("m.safetensors").write_bytes(
            safetensors({"layers.0.w": ("F32", self.array),
                         "b:i:as": ("I8", self.other)}))

    def name(self, tensor, file="m.safetensors"):
        return f"{self.path(file)}:{tensor}"

    def test_every_command_reads_them(self):
        word = self.name("layers.0.w")
        self.answer("diff", word, self.path("x.npy"))
        self.answer("diff", self.path("x.npy"), word)
        self.assertEqual(self.answer("check", word)["elements"], 680)
        self.answer("infer", self.path("x.npy"), word)
        self.convert(word, self.path("o.npy"), "nchw", "nhwc")
        np.testing.assert_array_equal(np.load(self.path("o.npy")),
                                      self.array.transpose(0, 2, 3, 1))
        self.answer("decode", word, self.path("o.npy"), "--from", "nchw")
        np.testing.assert_array_equal(np.load(self.path("o.npy")), self.array)
        # A name may have colons itself.
        self.answer("decode", self.name("b:i:as"), self.path("o.npy"),
                    "--from", "a b c")
        np.testing.assert_array_equal(np.load(self.path("o.npy")), self.other)
        done = run("draw", "n c h w", "--shape", "n=2,c=17,h=5,w=4", "--data",
                   word)
        self.assertEqual(done.code, 0, done.err)

    def test_archives(self):
        np.savez(self.path("z.npz"), a=self.array, b=self.other)
        np.savez_compressed(self.path("zc.npz"), a=self.array,
                            f=np.asfortranarray(self.array))
        for word in (self.name("a", "z.npz"), self.name("a", "zc.npz"),
                     self.name("f", "zc.npz")):
            self.answer("diff", word, self.path("x.npy"))
        listed = self.answer("ls", self.path("zc.npz"))["tensors"]
        self.assertEqual([t["name"] for t in listed], ["a", "f"])
        self.assertTrue(all(t["compressed"] for t in listed))
        self.refused("convert", self.path("x.npy"), self.name("c", "z.npz"),
                     "--from", "nchw", "--to", "nchw", says="not written")

    def test_an_index_of_shards(self):
        self.path("s1.safetensors").write_bytes(
            safetensors({"a": ("F32", self.array)}))
        self.path("s2.safetensors").write_bytes(
            safetensors({"b": ("I8", self.other)}))
        self.path("m.safetensors.index.json").write_text(json.dumps(
            {"metadata": {}, "weight_map": {"a": "s1.safetensors",
                                            "b": "s2.safetensors"}}))
        self.answer("diff", self.name("a", "m.safetensors.index.json"),
                    self.path("x.npy"))
        listed = self.answer("ls", self.path("m.safetensors.index.json"))
        self.assertEqual(len(listed["tensors"]), 2)

    def test_blocks_of_gguf(self):
        """Two rows of q4_0: a half, then nibbles j and j + 16 in byte j."""
        rng = np.random.default_rng(3)
        codes = rng.integers(0, 16, (2, 32)).astype(np.uint8)
        scales = np.array([0.5, 2], np.float16)
        blocks = b"".join(
            scale.tobytes() + bytes(row[:16] | row[16:] << 4)
            for scale, row in zip(scales, codes))
        info = (struct.pack("<Q", 1) + b"w" + struct.pack("<I", 2) +
                struct.pack("<QQ", 32, 2) + struct.pack("<IQ", 2, 0))
        head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + info
        self.path("m.gguf").write_bytes(head + bytes(-len(head) % 32) + blocks)
        listed = self.answer("ls", self.path("m.gguf"))["tensors"]
        self.assertEqual(listed[0]["stored_type"], "Q4_0")
        self.assertEqual(listed[0]["extents"], [2, 32])
        self.assertEqual(listed[0]["layout"], "gguf.q4_0")
        self.answer("decode", self.name("w", "m.gguf"), self.path("q.npy"),
                    "--part", "q")
        np.testing.assert_array_equal(np.load(self.path("q.npy")), codes)
        self.answer("decode", self.path("m.gguf"), self.path("d.npy"),
                    "--part", "d")
        np.testing.assert_array_equal(np.load(self.path("d.npy")).ravel(),
                                      scales)

    def test_one_tensor_is_written(self):
        out = self.path("o.safetensors")
        self.convert(self.path("x.npy"), f"{out}:w", "nchw", "nChw16c")
        tensors, metadata = contents(out.read_bytes())
        self.assertEqual(tensors["w"][0]["shape"], [2, 2, 5, 4, 16])
        self.assertEqual(metadata["stridewise.layout.w"], "n c/16 h w c%16")
        # The layout line is used by who reads it.
        self.answer("diff", f"{out}:w", self.path("x.npy"), "-b", "nchw")
        self.answer("check", out)
        self.answer("decode", out, self.path("back.npy"))
        np.testing.assert_array_equal(np.load(self.path("back.npy")),
                                      self.array)
        # A second one, and the first one anew with another type; all else stays.
        np.save(self.path("i.npy"), self.other)
        self.convert(self.path("i.npy"), f"{out}:b", "a b c", "c a b")
        self.convert(self.path("x.npy"), f"{out}:w", "nchw", "nhwc",
                     more=["--to-dtype", "bf16"])
        tensors, metadata = contents(out.read_bytes())
        self.assertEqual(set(tensors), {"w", "b"})
        self.assertEqual(tensors["w"][0]["dtype"], "BF16")
        self.assertEqual(tensors["b"][1],
                         self.other.transpose(2, 0, 1).tobytes())
        self.answer("diff", f"{out}:w", self.path("x.npy"), "-b", "nchw")

    def test_a_failure_leaves_the_file(self):
        before = self.path("m.safetensors").read_bytes()
        self.refused("convert", self.path("x.npy"), self.name("w"), "--from",
                     "nchw", "--to", "nchw", "--to-dtype", "s4", "--scale",
                     "-1")
        self.refused("convert", self.path("x.npy"), self.name(""), "--from",
                     "nchw", "--to", "nchw", says="name")
        self.path("bad.safetensors").write_bytes(b"\xff" * 64)
        self.refused("convert", self.path("x.npy"), self.name("w",
                     "bad.safetensors"), "--from", "nchw", "--to", "nchw")
        self.assertEqual(self.path("m.safetensors").read_bytes(), before)
        self.assertEqual(self.path("bad.safetensors").read_bytes(),
                         b"\xff" * 64)
        self.refused("probe", self.name("p"), "--shape", "n=2", says="convert")
        self.refused("convert", self.path("x.npy"), self.path("m.safetensors"),
                     "--from", "nchw", "--to", "nchw", says=":NAME")

    def test_hostile_files(self):
        for data, says in (
                (b"", "m.safetensors"),
                (struct.pack("<Q", 2 ** 62) + b"{}", "header"),
                (safetensors({"w": ("F32", self.array)})[:-4], ""),
                (struct.pack("<Q", 2) + b"{,", ""),
                (struct.pack("<Q", 2) + b"[]", "")):
            self.path("m.safetensors").write_bytes(data)
            for words in (["ls", self.path("m.safetensors")],
                          ["check", self.name("w")]):
                self.refused(*words, says=says)
        self.refused("check", self.name("w", "none.safetensors"),
                     says="none.safetensors")
        self.path("raw.bin").write_bytes(b"123")
        self.refused("ls", self.path("raw.bin"), says="raw")

    def test_names_of_any_bytes(self):
        names = ["a\nb", 'q"uote', "\u00e4", "", "w:", ":", "--json"]
        self.path("n.safetensors").write_bytes(safetensors(
            {name: ("F32", self.array) for name in names}))
        listed = self.answer("ls", self.path("n.safetensors"))["tensors"]
        self.assertEqual([t["name"] for t in listed], names)
        self.assertEqual(run("ls", self.path("n.safetensors")).out.count("\n"),
                         len(names) + 1)
        for name in names:
            self.answer("diff", self.name(name, "n.safetensors"),
                        self.path("x.npy"))


if __name__ == "__main__":
    support.main()
