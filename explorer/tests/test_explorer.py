"""The explorer: what a hand, a keyboard and an eye would find, and that it shows what the
command line does."""

import pathlib
import re
import subprocess
import time
import unittest

from selenium.webdriver.common.keys import Keys

from browser import BLOCKED, ExplorerTest, address, support


class Explorer(ExplorerTest):

    # -------------------------------------------------------------- typing ---

    def test_what_is_typed_is_drawn(self):
        self.open()
        self.write("layout", "n h w c")
        self.until("return document.querySelector('#picture svg').textContent"
                   ".includes('n h w c')")
        self.assertIn("layout=n+h+w+c", self.js("""
            document.getElementById('layout').dispatchEvent(new Event('change'));
            return location.hash"""))
        self.write("shape", "n=1,c=5,h=2,w=2")
        self.until("return document.querySelectorAll('#picture g[data-kind=element]').length"
                   " === 20")

    def test_errors_have_a_caret_and_keep_the_picture(self):
        self.open()
        before = self.js("return document.querySelector('#picture svg').outerHTML.length")
        self.write("layout", "n c/ h w")
        error = self.until("return document.getElementById('layout-error').textContent")
        self.assertRegex(error, r"n c/ h w\n +\^")
        self.assertEqual(self.id("layout").get_attribute("aria-invalid"), "true")
        self.assertGreater(self.js("return document.querySelector('#picture svg').outerHTML"
                                   ".length"), before // 2)
        self.write("layout", "nchw")
        self.until("return document.getElementById('layout-error').hidden")

    def test_errors_stand_beside_their_field(self):
        self.open(address(layout="nchw", shape="n=1,c=2,h=x,w=3"))
        self.assertTrue(self.text("shape-error"))
        self.open(address(layout="nchw", to="nhw!", shape="n=1,c=2,h=2,w=3"))
        self.assertTrue(self.text("to-error"))
        self.open(address(layout="nchw"))
        self.assertTrue(self.text("shape-error"))

    def test_completion_by_keyboard(self):
        self.open()
        self.write("layout", "okk.alig")
        self.until("return document.querySelectorAll('#layout-list [role=option]').length")
        self.press(Keys.ARROW_DOWN)
        active = self.id("layout").get_attribute("aria-activedescendant")
        self.assertEqual(self.id(active).get_attribute("aria-selected"), "true")
        self.press(Keys.ENTER)
        self.assertEqual(self.id("layout").get_attribute("value"), "okk.aligned")
        self.assertEqual(self.id("layout").get_attribute("aria-expanded"), "false")
        self.write("layout", "n c")
        self.until("return [...document.querySelectorAll('#layout-list code')]"
                   ".some((code) => code.textContent === 'c/8')")
        self.press(Keys.ESCAPE)
        self.assertEqual(self.id("layout").get_attribute("aria-expanded"), "false")

    def test_sliders(self):
        self.open(address(**BLOCKED))
        self.js("""const slider = document.getElementById('extent-c');
                   slider.value = 9;
                   slider.dispatchEvent(new Event('input'));""")
        self.until("return document.getElementById('shape').value === 'n=1,c=9,h=2,w=3'")
        self.until("return location.hash.includes('c=9')")

    def test_tables_are_asked_for(self):
        self.open(address(layout="g<T> x%4", shape="g=4,x=4"))
        self.assertTrue(self.text("tables-error"))
        self.assertTrue(self.id("tables").is_displayed())
        self.write("tables", "T=1,0,3,2")
        self.until("return document.getElementById('tables-error').hidden")

    def test_controls_after_a_link_that_shows_nothing(self):
        self.open(address(layout="nchw", shape="n=x"))
        for name in ("zoom-in", "zoom-fit", "walk-play", "walk-step", "save-svg", "save-png",
                     "find-go"):
            self.id(name).click()
        self.press(Keys.ESCAPE)
        self.write("shape", "n=1,c=2,h=2,w=2")
        self.until("return document.querySelectorAll('#picture g[data-kind]').length === 8")
        self.write("shape", "n=1,c=")
        self.js("""const slider = document.getElementById('extent-h');
                   slider.value = 3;
                   slider.dispatchEvent(new Event('input'));""")
        self.until("return document.getElementById('shape').value === 'n=1,c=2,h=3,w=2'")

    # -------------------------------------------------------------- looking ---

    def test_hover_links_both_memories_with_an_arrow(self):
        self.open(address(layout="nchw", to="nChw8c", shape="n=1,c=17,h=2,w=3"))
        self.hover(self.cell("n=0,c=8,h=1,w=2"))
        for fact in ("n=0,c=8,h=1,w=2", "byte: 212", "to: offset 88, byte 352"):
            self.assertIn(fact, self.text("details"))
        self.assertEqual(self.js("return document.querySelectorAll('path.move').length"), 1)
        self.id("moves").click()
        self.assertEqual(self.js("return document.querySelectorAll('path.move-all').length"),
                         102)

    def test_find_in_layouts_of_bits_and_parts(self):
        for words, says in (
                ({"layout": "image.raw10", "shape": "y=2,x=8", "dtype": "u10",
                  "find": "y=1,x=6"}, "y=1,x=6"),
                ({"layout": "gguf.q4_0", "shape": "n=2,k=64", "part": "q",
                  "find": "n=1,k=40"}, "n=1,k=40"),
                ({"layout": "nChw16c", "shape": "n=64,c=1000,h=500,w=400",
                  "find": "byte 2000000000"}, "n=2,c="),
                (dict(BLOCKED, find="byte 353"), "byte 1 of it")):
            self.open(address(**words))
            self.assertIn(says, self.text("details"))
            self.assertEqual(self.id("details").get_attribute("class"), "", words)

    def test_what_an_error_is_about(self):
        for field, words in (("dtype", dict(BLOCKED, dtype="f99")),
                             ("to", dict(BLOCKED, to="nchw+")),
                             ("layout", dict(BLOCKED, layout="n c/ h w"))):
            self.open(address(**words))
            self.assertTrue(self.text(f"{field}-error"), words)
        self.open(address(**BLOCKED, colour="zz"))
        self.assertIn("zz", self.text("details"))
        self.assertFalse(self.id("layout-error").is_displayed())

    def test_keyboard_alone(self):
        self.open(address(**BLOCKED))
        self.js("document.querySelector('#picture [tabindex=\"0\"]').focus()")
        self.press(Keys.ARROW_RIGHT)
        self.assertIn("n=0,c=1,h=0,w=0", self.text("details"))
        self.press("n")
        self.assertIn("n=0,c=2,h=0,w=0", self.text("details"))
        self.assertIn("jump [a:0] c%8", self.text("details"))
        width = "return document.querySelector('#picture svg').clientWidth"
        before = self.js(width)
        self.press("+")
        self.assertGreater(self.js(width), before)
        self.press("/")
        self.press("c=16 w=2", Keys.ENTER)
        self.assertIn("n=0,c=16,h=0,w=2", self.text("details"))
        self.press(Keys.ESCAPE)
        self.assertIn("Point at a cell", self.text("details"))

    def test_tabs_by_keyboard_and_every_control_has_a_name(self):
        self.open(address(**BLOCKED))
        self.id("tab-about").send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.id("tab-catalogue").get_attribute("aria-selected"), "true")
        self.assertTrue(self.id("catalogue").is_displayed())
        self.assertFalse(self.id("about").is_displayed())
        nameless = self.js("""
            return [...document.querySelectorAll('input, select, button, canvas')]
              .filter((one) => one.offsetParent && !one.labels?.length &&
                      !one.getAttribute('aria-label') && !one.textContent.trim())
              .map((one) => one.outerHTML)""")
        self.assertEqual(nameless, [])
        cells = self.js("""return [...document.querySelectorAll('#picture g[data-kind]')]
            .filter((cell) => !cell.getAttribute('aria-label')).length""")
        self.assertEqual(cells, 0)

    def test_ten_thousand_million_elements(self):
        self.open(address(layout="nChw16c", shape="n=64,c=1000,h=500,w=400"))
        self.until("return !document.getElementById('map').hidden")
        self.assertIn("of 12902400000", self.text("map-text"))
        canvas = self.id("map-canvas")
        canvas.send_keys(Keys.ARROW_DOWN)
        for _ in range(10):
            canvas.send_keys("+")
        self.assertNotIn("A cell is", self.text("map-text"))
        self.assertRegex(self.text("map-text"), r"byte \d+: n=\d+,c=\d+")
        window = self.js("return location.hash.match(/map=(\\d+),1/)[1]")
        place = int(self.text("map-text").split()[1].strip(","))
        self.assertLess(abs(place - int(window)), 10_000)
        told = self.answer("who", "nChw16c", "--shape", "n=64,c=1000,h=500,w=400", "--element",
                           place)
        index = ",".join(f"{k}={v}" for k, v in told["index"].items())
        self.assertIn(index, self.text("map-text"))
        canvas.send_keys("-")
        self.assertIn("first of 8 places", self.text("map-text"))

    # ---------------------------------------------------------------- links ---

    def test_the_address_is_the_state(self):
        where = address(layout="n c/4 h w c%4", shape="n=1,c=6,h=2,w=2", dtype="f16", to="nhwc",
                        colour="c%4", tab="code")
        self.open(where)
        for name, value in (("layout", "n c/4 h w c%4"), ("to", "nhwc"), ("dtype", "f16"),
                            ("colour", "c%4")):
            self.assertEqual(self.id(name).get_attribute("value"), value)
        self.until("return document.getElementById('code-text').textContent"
                   ".includes('layout_offset')")

    def test_back_and_forward(self):
        self.open(address(**BLOCKED))
        self.id("tab-catalogue").click()
        self.until("return document.querySelectorAll('#entries button').length > 200")
        self.write("filter", "mace channel")
        self.until("return document.querySelectorAll('#entries button').length < 5")
        self.js("document.querySelector('#entries button').click()")
        self.until("return document.getElementById('layout').value === 'mace.channel'")
        self.driver.back()
        self.until("return document.getElementById('layout').value === 'nChw8c'")
        self.driver.forward()
        self.until("return document.getElementById('layout').value === 'mace.channel'")

    # -------------------------------------------------------------- answers ---

    def test_at_and_who(self):
        self.open(address(**BLOCKED, tab="ask"))
        self.id("at").send_keys("n=0,c=16,h=1,w=2", Keys.ENTER)
        self.until("return document.getElementById('answer').textContent.includes('byte 544')")
        self.id("who").send_keys("0x220", Keys.ENTER)
        self.until("return document.getElementById('answer').textContent"
                   ".includes('n=0,c=16,h=1,w=2')")
        self.id("who").send_keys("999999", Keys.ENTER)
        self.until("return document.getElementById('answer').textContent.includes('outside')")
        self.write("shape", "n=1,c=9,h=2,w=3")
        self.until("return document.getElementById('answer').textContent === ''")

    def test_plan_and_about(self):
        self.open(address(layout="nchw", to="nChw8c", shape="n=1,c=17,h=2,w=3", tab="plan"))
        self.until("return document.getElementById('plan').textContent"
                   ".includes('reads 408 bytes, writes 576')")
        self.open(address(layout="okk.aligned(npus=4)", shape="n=2,c=3,h=4,w=5"))
        about = self.until("return document.getElementById('about').textContent")
        self.assertIn("OKKernel", about)
        self.assertIn("source", about)
        self.assertIn("Where documents err", about)

    def test_commands_draw_the_same_picture(self):
        for words in (dict(BLOCKED, colour="c%8", label="offset"),
                      {"layout": "n c/4 h w c%4", "to": "nhwc", "shape": "n=1,c=6,h=2,w=2",
                       "dtype": "f16", "view": "rows"},
                      {"layout": "gguf.q4_0", "shape": "n=1,k=64", "dtype": "u4"},
                      {"layout": "hpc.sell-c-sigma", "shape": "i=8,w=4",
                       "tables": "T=1,0,3,2,5,4,7,6"}):
            self.open(address(**words, tab="commands"))
            lines = self.until("return document.querySelector('#commands pre').textContent")
            svg = self.page_svg()
            for line in lines.splitlines():
                self.assertTrue(line.startswith("stridewise "))
                done = subprocess.run(
                    line.replace("stridewise", support.BINARY, 1), shell=True, cwd=self.folder,
                    capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, line + done.stderr)
            # The picture of a conversion names the kernel, which the machine decides.
            drawn = re.sub(r"\.(sse4|avx2|avx512|vbmi)\w*", "",
                           self.path("picture.svg").read_text())
            self.assertEqual(drawn, svg, words)

    def page_svg(self):
        """What the button SVG saves."""
        saved = pathlib.Path(self.home.name) / "layout.svg"
        saved.unlink(missing_ok=True)
        self.id("save-svg").click()
        end = time.monotonic() + 10
        while not saved.exists() and time.monotonic() < end:
            time.sleep(0.02)
        return saved.read_text()

    def test_png(self):
        self.open(address(**BLOCKED))
        saved = pathlib.Path(self.home.name) / "layout.png"
        self.id("save-png").click()
        end = time.monotonic() + 10
        while not saved.exists() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(saved.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main()
