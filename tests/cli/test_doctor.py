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
        """infer, diff, check and decode each end as the step did."""
        self.assertEqual(len(told["commands"]), len(codes))
        for command, code in zip(told["commands"], codes):
            words = command.replace("stridewise", support.BINARY, 1)
            done = subprocess.run(words, shell=True, cwd=self.path("."),
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, code, (command, done.stderr))

    def test_nothing_is_wrong(self):
        told = self.told(self.blocked, 0)
        self.assertEqual(told["layout"], "n c/16 h w c%16  (onednn.nChw16c)")
        self.run_commands(told, (0, 0, 0, 0))
        np.testing.assert_array_equal(np.load(self.path("out.npy")),
                                      self.golden)

    def test_a_half_dump_of_a_float_golden(self):
        told = self.told(self.blocked.astype(np.float16), 0)
        self.assertEqual(told["type"], "f16, of a golden of f32")
        self.run_commands(told, (0, 0, 0, 0))

    def test_byte_order(self):
        told = self.told(self.blocked.astype(">f4"), 1)
        self.assertEqual(told["problems"], ["big-endian"])
        self.run_commands(told, (0, 0, 0, 0))

    def test_values(self):
        swapped = self.blocked.astype(np.float16)
        swapped[0, 0, :, :, [9, 12]] = swapped[0, 0, :, :, [12, 9]]
        # Types that are looked for one by one take their time.
        told = self.told(swapped, 1, "--dtype", "f16")
        self.assertIn("c=9 and c=12 are swapped", told["problems"])
        self.run_commands(told, (1, 1, 0, 0))

    def test_padding(self):
        junk = self.blocked.copy()
        junk[0, 2, :, :, 10] = 7
        told = self.told(junk, 1)
        self.assertIn("30 of 240 places", told["problems"][0])
        self.run_commands(told, (0, 0, 1, 0))

    def test_quantised(self):
        codes = np.clip(np.round(self.blocked / 0.05) + 3, -128, 127)
        codes[:, 2, :, :, 8:] = 0
        told = self.told(codes.astype(np.int8), 0)
        self.assertIn("s8, of a golden of f32: scale 0.0", told["type"])
        self.assertIn("zero point 3", told["type"])
        self.run_commands(told, (0, 0, 0, 0))
        codes[0, 0, 2] = 0
        told = self.told(codes.astype(np.int8), 1)
        self.assertIn("only c=0..15, h=2", " ".join(told["problems"]))
        self.run_commands(told, (1, 1, 0, 0))

    def test_values_that_are_near(self):
        rng = np.random.default_rng(5)
        noisy = self.blocked * (1 + 1e-6 * rng.standard_normal(
            self.blocked.shape)).astype(np.float32)
        told = self.told(noisy, 1)
        self.assertIn("--rtol 1e-05 takes them as equal", told["problems"][0])
        self.told(noisy, 0, "--rtol", "1e-5", "--atol", "1e-9")

    def test_a_layout_that_is_known(self):
        told = self.told(self.blocked * np.float32(2), 1, "--layout", "nChw16c")
        self.assertIn("A is 2 times B", " ".join(told["problems"]))
        self.run_commands(told, (1, 0, 0))
        # Without its layout nothing is found: no value is that of the golden.
        told = self.told(self.blocked * np.float32(2), 1)
        self.assertIn("none found", told["layout"])
        told = self.told(self.golden * np.float32(2), 1)
        self.assertIn("in the golden's own order", told["layout"])
        self.assertIn("A is 2 times B", " ".join(told["problems"]))
        told = self.told(self.golden, 1, "--layout", "nChw16c", "--dtype", "f32")
        self.assertIn("4800 bytes, but the layout takes 5760",
                      told["problems"][0])

    def test_a_tensor_of_a_container(self):
        np.savez(self.path("all.npz"), w=self.golden, v=self.golden + 1)
        self.path("d.bin").write_bytes(self.blocked.tobytes())
        told = self.answer("doctor", f"{self.path('all.npz')}:w",
                           self.path("d.bin"))
        self.assertTrue(told["ok"])
        self.run_commands(told, (0, 0, 0, 0))

    def test_data_of_few_values(self):
        """Chance does not count: of a golden that is nearly all zero most is right."""
        golden = np.where(self.golden > 2, self.golden, 0)
        np.save(self.path("g.npy"), golden)
        other = np.random.default_rng(8).permutation(golden.reshape(-1))
        told = self.told(other, 1, "--dtype", "f32")
        self.assertIn("none found", told["layout"])

    def test_nothing_fits(self):
        noise = np.random.default_rng(1).standard_normal(1200)
        told = self.told(noise.astype(np.float32), 1, "--dtype", "f32")
        self.assertIn("none found", told["problems"][0])
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
