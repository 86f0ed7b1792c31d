"""devices, and convert on the first of them: the same bytes as without."""

import numpy as np

import support


class OpenCl(support.CliTest):

    def test_devices(self):
        told = self.answer("devices")
        self.assertGreater(len(told["devices"]), 0)
        for number, device in enumerate(told["devices"]):
            self.assertEqual(device["number"], number)
            self.assertEqual(device["device"], f"opencl:{number}")
            self.assertIn(device["platform"], told["platforms"])
            self.assertGreater(device["image_width_max"], 0)
            self.assertGreater(device["image_height_max"], 0)
            self.assertGreater(device["allocation_max_bytes"], 0)
            self.assertIn("CL_HALF_FLOAT", device["formats"])
        text = support.run("devices").out
        self.assertIn("opencl:0  " + told["devices"][0]["name"], text)

    def both(self, source, come_from, to, shape, dtype, more=()):
        """Converts on the host and on the device; both outputs are equal."""
        outputs = []
        for name, device in (("host", []), ("device", ["--device", "opencl"])):
            target = self.path(name)
            told = self.convert(source, target, come_from, to, shape, dtype,
                                [*more, *device])
            outputs.append(target.read_bytes())
        self.assertNotEqual(told["device"], "cpu")
        self.assertEqual(outputs[0], outputs[1], f"{come_from} -> {to} {dtype}")
        return outputs[0]

    def test_same_bytes(self):
        noise = np.random.default_rng(1)
        source = self.path("x.bin")
        shape = "n=2,c=5,h=3,w=6"
        for come_from, to, dtype, width in [
                ("nchw", "mace.channel", "f16", 2),
                ("nhwc", "mace.height", "f32", 4),
                ("nchw", "nChw4c", "u8", 1),
                ("nhwc", "okk.aligned(npus=4,npu_bytes=4096)", "f64", 8)]:
            # Every bit pattern, NaNs too.
            source.write_bytes(noise.bytes(2 * 5 * 3 * 6 * width))
            there = self.both(source, come_from, to, shape, dtype)
            packed = self.path("packed.bin")
            packed.write_bytes(there)
            back = self.both(packed, to, come_from, shape, dtype)
            self.assertEqual(back, source.read_bytes())

    def test_values_and_numpy(self):
        source = self.path("x.npy")
        x = np.random.default_rng(2).normal(0, 1000, (2, 5, 3, 6))
        x = x.astype(np.float32)
        x[0, 0, 0, :4] = [np.nan, np.inf, 1e-7, 70000]
        np.save(source, x)
        self.both(source, "nchw", "mace.channel", None, None,
                  ["--to-dtype", "f16"])
        np.save(source, x.astype(">f4"))
        self.both(source, "nchw", "nhwc", None, None)

    def test_keeps_gaps(self):
        source = self.path("x.bin")
        source.write_bytes(bytes(range(1, 31)))
        outputs = []
        for device in ([], ["--device", "opencl:0"]):
            target = self.path("y.bin")
            target.write_bytes(b"\xee" * 48)
            self.convert(source, target, "nchw", "row=n h | pixel=c/4 w | "
                         "lane=c%4", "n=1,c=5,h=2,w=3", "u8",
                         ["--keep-gaps", *device])
            outputs.append(target.read_bytes())
        self.assertEqual(outputs[0], outputs[1])
        self.assertIn(0xee, outputs[0])

    def test_what_lies_around_stays(self):
        rng = np.random.default_rng(3)
        record = "n k/32 { d:f16 = - ; q:s8 = k%32 }"
        held, quants = rng.bytes(4 * 3 * 34), rng.bytes(4 * 96)
        source, target = self.path("q.bin"), self.path("y.bin")
        source.write_bytes(quants)
        for come_from, to, shape, more in [
                ("n k", record, "n=4,k=96", ["--part", "q"]),
                ("n k", "n k", "n=4,k=96", ["--to-window", "n=1..3,k=0..20",
                                            "--from-window", "n=0..2,k=5..25"])]:
            outputs = []
            for device in ([], ["--device", "opencl"]):
                target.write_bytes(held[:408 if "--part" in more else 384])
                self.convert(source, target, come_from, to, shape, "s8",
                             [*more, *device])
                outputs.append(target.read_bytes())
            self.assertEqual(outputs[0], outputs[1])
            self.assertEqual(outputs[1][:2], held[:2])

    def test_layouts_beyond_plain_digits(self):
        source = self.path("x.bin")
        source.write_bytes(np.random.default_rng(4).bytes(20 * 64 * 2))
        for to in ("r c%64/8^r%8 c%8", "r ~c", "f := c r; f%7 f/7"):
            self.both(source, "r c", to, "r=20,c=64", "f16")

    def test_refuses(self):
        source = self.path("x.bin")
        most = self.answer("devices")["devices"][0]["image_width_max"]
        source.write_bytes(bytes(most + 1))
        convert = ["convert", source, self.path("y.bin"), "--from", "nchw",
                   "--dtype", "u8"]
        error = self.refused(*convert, "--to", "mace.channel", "--shape",
                             f"1x1x1x{most + 1}", "--device", "opencl",
                             says=[str(most + 1), str(most), "mace.width",
                                   "buffer"])
        self.assertIn("what fits", error)
        self.assertFalse(self.path("y.bin").exists())
        plain = [*convert, "--to", "nhwc", "--shape", f"1x1x1x{most + 1}"]
        self.refused(*plain, "--device", "opencl:99", says="no OpenCL device")
        for device in ("gpu", "opencl:", "opencl:x", "opencl:-1", "OpenCL",
                       "opencl:99999999999999999999"):
            self.refused(*plain, "--device", device, says="devices")
        self.refused(*plain, "--to-dtype", "f32", "--device", "opencl",
                     says="u8")

    def test_it_says_what_held_the_tensors(self):
        np.save(self.path("x.npy"), np.arange(700, dtype=np.uint8).reshape(2, 10, 5, 7))
        for lanes, kind in ((4, "buffer to image"), (2, "buffer to buffer")):
            layout = f"row=n h | pixel=c/{lanes} w | lane=c%{lanes}"
            told = self.convert(self.path("x.npy"), self.path("o.bin"), "nchw", layout,
                                "2x10x5x7", more=["--device", "opencl"])
            self.assertEqual(told["storage"], kind)

    def test_no_elements(self):
        source = self.path("x.bin")
        source.write_bytes(b"")
        self.both(source, "nchw", "nhwc", "1x0x2x3", "f32")


if __name__ == "__main__":
    support.main()
