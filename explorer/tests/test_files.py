"""The explorer: files, hostile input, limits, screens, and every preset."""

import json
import os
import pathlib
import struct
import unittest

from browser import BLOCKED, PAGE, ExplorerTest, address, support

# What the page promises: gzip's bytes of the core, and milliseconds from the first script to
# the first picture on a machine that does nothing else; CI's may do much.
MOST_CORE_BYTES = 700_000
MOST_READY_MS = 300 if "STRIDEWISE_QUIET" in os.environ else 3000
MOST_MEMORY_BYTES = 64 << 20


class Files(ExplorerTest):

    # ---------------------------------------------------------------- files ---

    def npy(self, shape, data):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
        header = header.ljust(117) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + data

    def test_a_dump_its_padding_and_its_layout(self):
        reference = [float(k + 1) for k in range(102)]
        memory = [0.0] * 144
        for c in range(17):
            for p in range(6):
                memory[(c // 8 * 6 + p) * 8 + c % 8] = reference[c * 6 + p]
        self.open(address(**BLOCKED))
        clean = struct.pack("<144f", *memory)
        self.drop("file", "clean.bin", clean)
        self.drop("reference", "ref.npy",
                  self.npy("(1, 17, 2, 3)", struct.pack("<102f", *reference)))
        self.write("dtype", "f32")
        self.button("Compare")
        self.until("return document.getElementById('files').textContent"
                   ".includes('All 102 elements are equal')")
        self.write("layout", "nchw")
        self.button("Which layout?")
        self.until("return document.querySelector('#files code')?.textContent"
                   " === 'n c/8 h w c%8'")
        self.button("Use")
        self.assertEqual(self.id("layout").get_attribute("value"), "onednn.nChw8c")
        memory[12 * 8 + 5] = 7.0
        self.drop("file", "dirty.bin", struct.pack("<144f", *memory))
        self.button("Check padding")
        self.until("return document.getElementById('files').textContent"
                   ".includes('1 of 42 places of padding are not zero')")
        self.button("Values")
        self.until("return document.getElementById('files').textContent.includes('1 2 3 4')")
        values = self.js("return document.querySelector('#picture svg').textContent")
        self.assertIn("102", values)

    def button(self, text):
        self.js("""[...document.querySelectorAll('#files button')]
                   .find((one) => one.textContent === arguments[0]).click()""", text)

    def test_a_container_and_a_file_that_lies(self):
        self.open(address(**BLOCKED))
        header = json.dumps({
            "w": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]},
            "b": {"dtype": "F32", "shape": [4], "data_offsets": [12, 28]}}).encode()
        data = struct.pack("<Q", len(header)) + header + bytes(28)
        self.drop("file", "model.safetensors", data)
        self.until("return document.getElementById('shape').value === 'd0=2,d1=3'")
        self.assertEqual(self.id("dtype").get_attribute("value"), "f16")
        self.assertEqual(self.js("return document.querySelectorAll('#files option').length"), 2)
        path = pathlib.Path(self.home.name) / "bad.npy"
        path.write_bytes(b"no array")
        self.id("file-reference").send_keys(str(path))
        self.until("return document.getElementById('notice').textContent.includes('bad.npy')")

    # -------------------------------------------------------------- hostile ---

    def test_names_like_script_tags_change_nothing(self):
        evil = "<img src=x onerror=window.hurt=1><script>window.hurt=1</script>"
        for words in ({"layout": evil, "shape": "n=1"}, dict(BLOCKED, colour=evil),
                      dict(BLOCKED, find=evil), dict(BLOCKED, to=evil),
                      dict(BLOCKED, tab=evil), dict(BLOCKED, map=evil),
                      {"layout": "a", "shape": f"a={evil}"}):
            self.open(address(**words))
            self.assertIsNone(self.js("return window.hurt ?? null"), words)
        self.open(address(**BLOCKED))
        self.drop("file", "<img src=x onerror=window.hurt=1>.bin".replace("/", ""), bytes(576))
        self.assertIsNone(self.js("return window.hurt ?? null"))
        self.assertEqual(self.js("return document.querySelectorAll('#files img').length"), 0)

    def test_sizes_that_nothing_holds(self):
        for shape in ("n=4611686018427387904", "n=99999999999999999999", "n=0", "n=-1", "n="):
            self.open(address(layout="n", shape=shape))
            shown = self.js("return !document.getElementById('shape-error').hidden ||"
                            " !document.getElementById('layout-error').hidden ||"
                            " document.querySelector('#picture svg') !== null")
            self.assertTrue(shown, shape)
        self.open(address(layout="(" * 3000, shape="n=1"))
        self.assertTrue(self.text("layout-error"))

    # ---------------------------------------------------------------- limits ---

    def test_time_memory_size_and_no_request(self):
        self.driver.get_log("performance")
        ready = min(self.open(address(**BLOCKED)) for _ in range(5))
        self.assertLess(ready, MOST_READY_MS)
        asked = []
        for line in self.driver.get_log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        self.assertIn(PAGE.as_uri(), [url.split("#")[0] for url in asked])
        others = [url for url in asked
                  if not url.startswith(("file:", "about:", "data:", "blob:"))]
        self.assertEqual(others, [])
        core = self.js("return document.documentElement.dataset.packed")
        self.assertLess(int(core), MOST_CORE_BYTES)
        memory = self.js("return document.documentElement.dataset.memory")
        self.assertLess(int(memory), MOST_MEMORY_BYTES)

    def test_narrow_screens(self):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True})
        try:
            for tab in ("about", "catalogue", "ask", "plan", "code", "commands", "files"):
                self.open(address(**BLOCKED, to="nhwc", tab=tab))
                self.until("return !document.getElementById(arguments[0]).hidden", tab)
                wide = self.js("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, 360, tab)
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_dark_screens_and_print(self):
        self.open(address(**BLOCKED))
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.js(background)
        emulate = lambda **words: self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", words)
        emulate(features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertNotEqual(self.js(background), light)
        emulate(media="print", features=[])
        self.assertFalse(self.id("tensor").is_displayed())
        self.assertTrue(self.id("picture").is_displayed())
        emulate(media="", features=[])

    def test_every_preset_is_the_picture_of_the_command_line(self):
        self.open()
        entries = [entry["name"] for entry in self.answer("list")["entries"] if entry["dims"]]
        examples = self.js("""
            const {core} = window.stridewise;
            return arguments[0].map((name) => {
              const words = core.ask('presets', {name});
              return [words, core.ask('draw', words).svg];
            });""", entries)
        self.assertGreater(len(examples), 200)
        for words, svg in examples:
            more = [option for table in words["tables"].split(";") if table
                    for option in ("--table", table)]
            done = support.run("draw", words["layout"], "--shape", words["shape"], "--dtype",
                               words["dtype"], *more, "--out", self.path("x.svg"))
            self.assertEqual(done.code, 0, done.err)
            self.assertEqual(self.path("x.svg").read_text(), svg, words)


if __name__ == "__main__":
    unittest.main()
