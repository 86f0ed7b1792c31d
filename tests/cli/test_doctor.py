"""One command for a golden and a dump: what is wrong, in order."""
import subprocess
import unittest

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
                           *more, code=code, timeout=120)
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
        self.assertIn("30 of 240 places", told["memory"])
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
        self.assertIn("takes them as equal", told["problems"][0])
        options = told["problems"][0].split(";")[1].split()[:4]
        self.assertEqual(options[:2], ["--rtol", "1e-05"])
        self.told(noisy, 0, *options)
        self.run_commands(told, (0, 0, 0, 0))

    def test_a_zero_point_is_of_its_type(self):
        """Values far from zero are no integers of 8 bits."""
        far = 1e12 + np.arange(1200).reshape(1, 40, 6, 5) % 251
        np.save(self.path("g.npy"), far)
        told = self.told((far - 1e12).astype(np.uint8), 1, "--dtype", "u8")
        # 10^12 is a multiple of 256.
        self.assertIn("wrapped around", " ".join(told["problems"]))

    @unittest.skipIf(support.INSTRUMENTED, "an instrumented build takes a minute")
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

    def test_an_order_that_may_be_a_fault(self):
        """A layout of tables, rotations or reversed dims is told beside the plainer one."""
        golden = np.random.default_rng(6).standard_normal(
            (8, 6, 5, 8)).astype(np.float32)
        np.save(self.path("g.npy"), golden)
        for dump, says in (
                (np.roll(golden, 1, 0), "n is rotated: n=0 holds n=7"),
                (golden[[0, 1, 5, 3, 4, 2, 6, 7]], "n=2 and n=5 are swapped"),
                (golden[:, ::-1], "c is in reverse order")):
            told = self.told(dump, 1)
            self.assertEqual(told["or"], f"n c h w, in which {says}")

    def test_values_that_are_all_one(self):
        for value in (3, np.nan):
            np.save(self.path("g.npy"), np.full((1, 8, 4, 4), value, "f4"))
            told = self.told(np.full(128, value, "f4"), int(value != 3))
            self.assertEqual(told["values"], "all 128 are equal")

    def test_sizes_of_every_kind(self):
        """Chance is that of other elements, whatever the size is."""
        rng = np.random.default_rng(7)
        for count in (1, 2, 6, 10, 11, 330, 902):
            golden = rng.standard_normal(count).astype(np.float32)
            np.save(self.path("g.npy"), golden)
            told = self.told(golden, 0)
            self.assertEqual(told["layout"].split()[0], "x", count)
        np.save(self.path("g.npy"), np.float32(2.5))
        told = self.told(np.float32(3.5), 1)
        self.assertEqual(told["values"], "1 of 1 differ")

    def test_scales_that_are_known(self):
        """One for each channel, of which infer alone finds nothing."""
        scales = (0.02 + 0.01 * np.arange(48)).astype(np.float32)
        codes = np.clip(np.rint(self.blocked / scales.reshape(1, 3, 1, 1, 16)),
                        -128, 127).astype(np.int8)
        np.save(self.path("s.npy"), scales[:40])
        told = self.told(codes, 0, "--scale", self.path("s.npy"),
                         "--scale-dim", "c")
        self.assertIn("nChw16c", told["layout"])
        self.run_commands(told, (0, 0, 0))
        self.refused("doctor", self.path("g.npy"), self.path("d.bin"),
                     "--scale", "0", says="scale")

    def test_elements_that_are_not_there(self):
        told = self.told(self.blocked.reshape(-1)[:-480], 1)
        self.assertEqual(told["missing"], "240 of 1200 elements are not in the dump")
        self.assertEqual(told["values"], "all others are equal")
        self.run_commands(told, (0, 0, 0))

    def test_more_than_the_tensor(self):
        framed = b"H" * 64 + self.blocked.astype(np.float16).tobytes() + b"END."
        self.path("d.bin").write_bytes(framed)
        told = self.answer("doctor", self.path("g.npy"), self.path("d.bin"),
                           code=1)
        self.assertEqual((told["start"], told["end"]),
                         ("64 bytes come before the tensor",
                          "4 bytes come after the tensor"))
        self.run_commands(told, (0, 0, 0, 0))

    def test_a_relu_that_was_forgotten(self):
        np.save(self.path("g.npy"), np.maximum(self.golden, 0))
        told = self.told(self.blocked, 1, "--dtype", "f32")
        self.assertIn("n c/16 h w c%16", told["layout"])

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
        # 2^62 elements of 4 bytes would be 0 bytes.
        self.refused("doctor", self.path("d.bin"), self.path("d.bin"),
                     "--shape", f"a={2**62}", "--reference-dtype", "f32",
                     says="bytes")
        self.refused("doctor", self.path("g.npy"), self.path("d.bin"),
                     "--dtype", "s4", says="less than a byte")


if __name__ == "__main__":
    support.main()
