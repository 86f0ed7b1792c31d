"""One command for a golden and a dump: what is wrong, in order."""
import subprocess

import numpy as np

import support


class Doctor(support.CliTest):

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.golden = rng.standard_normal((1, 40, 6, 5)).astype(np.float32)
        np.save(self.path("g.npy"), self.golden)
        padded = np.zeros((1, 48, 6, 5), np.float32)
        padded[:, :40] = self.golden
        self.blocked = np.ascontiguousarray(
            padded.reshape(1, 3, 16, 6, 5).transpose(0, 1, 3, 4, 2))

    def told(self, array, code, *more):
        self.path("d.bin").write_bytes(np.ascontiguousarray(array).tobytes())
        told = self.answer("doctor", self.path("g.npy"), self.path("d.bin"),
                           *more, code=code)
        self.assertEqual(told["ok"], code == 0)
        return told

    def run_commands(self, told, codes):
        """Each command ends as the step did."""
        for command, code in zip(told["commands"], codes):
            words = command.replace("stridewise", support.BINARY, 1)
            done = subprocess.run(words, shell=True, cwd=self.path("."),
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, code, (command, done.stderr))

    def test_nothing_is_wrong(self):
        told = self.told(self.blocked, 0)
        self.assertEqual(told["layout"], "n c/16 h w c%16  (onednn.nChw16c)")
        self.run_commands(told, (0, 0, 0))
        np.testing.assert_array_equal(np.load(self.path("out.npy")),
                                      self.golden)

    def test_a_half_dump_of_a_float_golden(self):
        told = self.told(self.blocked.astype(np.float16), 0)
        self.assertEqual(told["type"], "f16, of a golden of f32")
        self.run_commands(told, (0, 0, 0))

    def test_byte_order(self):
        told = self.told(self.blocked.astype(">f4"), 1)
        self.assertEqual(told["problems"], ["big-endian"])
        self.run_commands(told, (0, 0, 0))

    def test_values(self):
        swapped = self.blocked.astype(np.float16)
        swapped[0, 0, :, :, [9, 12]] = swapped[0, 0, :, :, [12, 9]]
        # Types that are looked for one by one take their time.
        told = self.told(swapped, 1, "--dtype", "f16")
        self.assertIn("c=9 and c=12 are swapped", told["problems"])
        self.run_commands(told, (1, 0, 0))

    def test_padding(self):
        junk = self.blocked.copy()
        junk[0, 2, :, :, 10] = 7
        told = self.told(junk, 1)
        self.assertIn("30 of 240 places", told["problems"][0])
        self.run_commands(told, (0, 1, 0))

    def test_nothing_fits(self):
        noise = np.random.default_rng(1).standard_normal(1200)
        told = self.told(noise.astype(np.float32), 1, "--dtype", "f32")
        self.assertEqual(told["problems"], ["no layout found"])
        self.told(np.zeros(7, np.int8), 1)

    def test_hostile(self):
        self.path("d.bin").write_bytes(b"")
        self.answer("doctor", self.path("g.npy"), self.path("d.bin"), code=1)
        self.refused("doctor", self.path("g.npy"), self.path("none.bin"),
                     says="none.bin")
        self.refused("doctor", self.path("d.bin"), self.path("d.bin"),
                     says="--dtype")
        self.refused("doctor", self.path("g.npy"), self.path("d.bin"),
                     "--shape", "n=2,c=3", says="bytes")


if __name__ == "__main__":
    support.main()
