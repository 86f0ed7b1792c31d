"""Shared by the black-box tests whose files are NumPy's."""

import numpy as np

from support import CliTest


class ArrayTest(CliTest):
    """A test whose files are made of NumPy arrays, and read as such."""

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(13)

    def codes(self, *shape, high=256):
        """Random numbers of a byte, below `high`."""
        return self.rng.integers(0, high, shape, dtype=np.uint8)

    def floats(self, *shape, dtype="f4"):
        return self.rng.standard_normal(shape).astype(dtype)

    def raw(self, name, array):
        """A file of the array's bytes in C order."""
        path = self.path(name)
        path.write_bytes(np.ascontiguousarray(array).tobytes())
        return path

    def npy(self, name, array):
        """A .npy file in C order."""
        path = self.path(name)
        np.save(path, np.ascontiguousarray(array))
        return path

    def decoded(self, file, layout, shape, dtype, *more):
        """The array that decode makes of a raw file."""
        out = self.path("decoded.npy")
        self.answer("decode", file, out, "--from", layout, "--shape", shape,
                    "--dtype", dtype, *more)
        return np.load(out)

    def converted(self, array, come_from, to, *more):
        """The bytes that convert makes of an array."""
        out = self.path("converted.bin")
        self.convert(self.npy("converted.npy", array), out, come_from, to,
                     more=more)
        return out.read_bytes()
