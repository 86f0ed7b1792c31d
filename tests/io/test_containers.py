#!/usr/bin/env python3
"""Files of several tensors, as the programs write them whose formats they are: NumPy, and
safetensors and gguf where they are installed, which they must be where STRIDEWISE_ALL is
set. The program that STRIDEWISE_LIST names says what the library reads.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

import numpy as np

LIST = os.environ["STRIDEWISE_LIST"]
NAMES = {"?": "bool", "i1": "s8", "u1": "u8", "i2": "s16", "u2": "u16", "f2": "f16",
         "i4": "s32", "u4": "u32", "f4": "f32", "i8": "s64", "u8": "u64", "f8": "f64",
         "c8": "c64", "c16": "c128"}


def has(module):
    return "STRIDEWISE_ALL" in os.environ or importlib.util.find_spec(module) is not None


def run(*words):
    done = subprocess.run([LIST, *map(os.fspath, words)], capture_output=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def text(word):
    return "" if word == "-" else bytes.fromhex(word).decode("utf-8", "surrogateescape")


def listed(path):
    """name -> (type name, type, shape, order, layout, bytes or why not)"""
    code, out = run(path)
    assert code == 0, out
    tensors = {}
    for line in out.splitlines():
        name, type_name, kind, shape, order, layout, data = line.split(" ")
        shape = tuple(int(x) for x in shape[1:-1].split(",") if x)
        data = bytes.fromhex(data[1:]) if data[0] == "=" else text(data[1:])
        tensors[text(name)] = (text(type_name), kind, shape, order, text(layout), data)
    return tensors


def arrays():
    """Arrays of every type, order and odd shape, by names that are no plain words."""
    rng = np.random.default_rng(0)
    made = {}
    for code in NAMES:
        for order in "<>":
            made[f"{order}{code}"] = rng.integers(0, 2, (3, 5)).astype(order + code)
    made["layers.0/w:q k"] = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    made["fortran"] = np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3))
    made["one"] = np.float64(3.5)
    made["none"] = np.zeros((2, 0, 3), np.int32)
    made["Gr\u00f6\u00dfe"] = np.ones(2, np.uint8)
    made["many dims"] = np.ones((1,) * 32, np.int8)
    return made


class Temporary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Npz(Temporary):
    def check(self, path, made):
        tensors = listed(path)
        self.assertEqual(tensors.keys(), made.keys())
        for name, (type_name, kind, shape, order, layout, data) in tensors.items():
            array = np.asarray(made[name])
            self.assertEqual(type_name, array.dtype.str, name)
            self.assertEqual(kind, NAMES[array.dtype.str[1:].replace("b1", "?")], name)
            self.assertEqual(shape, array.shape, name)
            fortran = array.flags.f_contiguous and not array.flags.c_contiguous
            self.assertEqual(order[1], "f" if fortran else "c", name)
            self.assertEqual(order[0], "b" if array.dtype.str[0] == ">" else "l", name)
            self.assertEqual(data, array.tobytes("A"), name)
            self.assertEqual(layout, "", name)

    def test_stored_and_deflated(self):
        made = arrays()
        for save in np.savez, np.savez_compressed:
            path = self.folder / "a.npz"
            save(path, **made)
            self.check(path, made)

    def test_written_to_a_stream(self):
        """Sizes follow the bytes where a writer cannot go back."""
        class Stream:
            def __init__(self, file):
                self.file = file

            def write(self, data):
                return self.file.write(data)

            def flush(self):
                self.file.flush()

        made = arrays()
        path = self.folder / "a.npz"
        with open(path, "wb") as file, zipfile.ZipFile(
                Stream(file), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, array in made.items():
                with archive.open(name + ".npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asanyarray(array))
        self.check(path, made)

    def test_what_is_no_plain_array_is_listed_with_the_reason(self):
        path = self.folder / "a.npz"
        np.savez(path, good=np.arange(3), text=np.array(["a", "b"]),
                 objects=np.array([{}], object))
        with zipfile.ZipFile(path, "a", zipfile.ZIP_LZMA) as archive:
            archive.writestr("notes.txt", "no array")
            with archive.open("lzma.npy", "w") as member:
                np.lib.format.write_array(member, np.arange(3))
        tensors = listed(path)
        self.assertEqual(set(tensors), {"good", "text", "objects", "lzma"})
        self.assertEqual(tensors["good"][5], np.arange(3).tobytes())
        self.assertIn("'<U1'", tensors["text"][5])
        self.assertEqual(tensors["text"][0], "<U1")
        self.assertIn("'|O'", tensors["objects"][5])
        self.assertIn("method 14", tensors["lzma"][5])


@unittest.skipUnless(has("safetensors"), "safetensors is not installed")
class Safetensors(Temporary):
    def test_reads_what_it_writes(self):
        from safetensors.numpy import save_file
        made = {name: np.array(array, array.dtype.newbyteorder("<"), order="C")
                for name, array in ((n, np.asarray(a)) for n, a in arrays().items())
                if array.dtype.str[1:] != "c16"}
        path = self.folder / "a.safetensors"
        save_file(made, path, metadata={"stridewise.layout.fortran": "b a"})
        tensors = listed(path)
        self.assertEqual(tensors.keys(), made.keys())
        for name, (_, kind, shape, order, layout, data) in tensors.items():
            array = made[name]
            self.assertEqual(kind, NAMES[array.dtype.str[1:].replace("b1", "?")], name)
            self.assertEqual((shape, order), (array.shape, "lc"), name)
            self.assertEqual(data, array.tobytes(), name)
            self.assertEqual(layout, "b a" if name == "fortran" else "")

    def test_writes_what_it_reads(self):
        from safetensors import safe_open
        from safetensors.numpy import load_file, save_file
        made = {"a\n\"\0\\": np.arange(5, dtype=np.float32), "b": np.arange(3, dtype=np.uint8),
                "e": np.zeros((0, 4), np.float64)}
        old, new = self.folder / "a.safetensors", self.folder / "b.safetensors"
        save_file(made, old, metadata={"k": "v\u00e4"})
        for name, dtype, code, shape in (("w", "f16", "f2", "3 7"), ("b", "s64", "i8", ""),
                                         ("e", "u8", "u1", "9"), ("b", "u8", "u1", "0")):
            code_run, out = run("--edit", old, new, name, dtype, shape, "1", "y x")
            self.assertEqual((code_run, out), (0, ""))
            extents = tuple(int(x) for x in shape.split())
            size = int(np.prod(extents)) * np.dtype(code).itemsize
            made[name] = np.frombuffer(b"\1" * size, code).reshape(extents)
            loaded = load_file(new)
            self.assertEqual(loaded.keys(), made.keys())
            for key, array in made.items():
                np.testing.assert_array_equal(loaded[key], array)
                self.assertEqual(loaded[key].dtype, array.dtype)
            with safe_open(new, "np") as file:
                self.assertEqual(file.metadata()["k"], "v\u00e4")
                self.assertEqual(file.metadata()["stridewise.layout." + name], "y x")
            old, new = new, old

    def test_begins_a_file(self):
        from safetensors.numpy import load_file
        path = self.folder / "a.safetensors"
        self.assertEqual(run("--edit", "-", path, "w", "f32", "2 2", "0", ""), (0, ""))
        np.testing.assert_array_equal(load_file(path)["w"], np.zeros((2, 2), np.float32))


@unittest.skipUnless(has("gguf"), "gguf is not installed")
class Gguf(Temporary):
    # What the package gives more bytes than llama.cpp does; it is in no file.
    UNSAVED = {"Q8_1"}

    def test_every_type(self):
        import gguf
        path = self.folder / "a.gguf"
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_array("names", ["a", "bb", ""])
        writer.add_array("numbers", [1, 2, 3])
        writer.add_float32("float", 1.5)
        writer.add_bool("yes", True)
        writer.add_string("text", "x" * 1000)
        writer.add_custom_alignment(64)
        made = {}
        rng = np.random.default_rng(0)
        for kind, (block, size) in gguf.GGML_QUANT_SIZES.items():
            if kind.name in self.UNSAVED:
                continue
            data = rng.integers(0, 256, (3, 2, 2 * size), dtype=np.uint8)
            made[kind.name] = (kind, block, data)
            writer.add_tensor(kind.name, data, raw_dtype=kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        tensors = listed(path)
        self.assertEqual(tensors.keys(), made.keys())
        for name, (type_name, kind, shape, _, layout, data) in tensors.items():
            quantisation, block, values = made[name]
            self.assertEqual(type_name, quantisation.name)
            self.assertEqual(shape, (3, 2, 2 * block), name)
            self.assertEqual(data, values.tobytes(), name)
            self.assertEqual(kind == "-", block > 1, name)
            if layout:
                self.assertEqual(layout.lower(), "gguf." + name.lower())


if __name__ == "__main__":
    unittest.main()
