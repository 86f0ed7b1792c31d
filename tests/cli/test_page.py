"""The HTML page of `draw` in headless Chromium, by WebDriver: what a hand, a
keyboard and an eye would find."""

import struct
import tempfile
import unittest
import zlib

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import chromium
import support

# In blocks of 8 with 7 of padding; images of two rows; a gap after each row.
PAGES = {
    "blocked": ["nChw8c", "--shape", "n=1,c=9,h=2,w=3", "--with-logical",
                "--walk", "d"],
    "image": ["row=n h |128B| pixel=c/4 w | lane=c%4", "--shape",
              "n=2,c=5,h=2,w=3", "--dtype", "f16", "--with-logical"],
    "large": ["nchw", "--shape", "n=1000,c=1000,h=100,w=10"],
    "pair": ["nchw", "--to", "nhwc", "--shape", "n=1,c=4,h=2,w=3"],
    "interleaved": ["a:2 b:3", "--shape", "a=3,b=2", "--color", "a"],
    "gap": ["h:8 w", "--shape", "h=3,w=5", "--grid", "32", "--color", "h"],
}


def pixels(png):
    """(width, height, rows of RGB) of an 8-bit PNG without interlacing."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(
                ">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += 12 + size
    assert depth == 8 and colour in (2, 6) and not interlaced
    step = 3 if colour == 2 else 4
    raw = zlib.decompress(data)
    stride = width * step
    rows, before = [], bytearray(stride)
    for y in range(height):
        how, line = raw[y * (stride + 1)], bytearray(
            raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for k in range(stride):
            left = line[k - step] if k >= step else 0
            up = before[k]
            corner = before[k - step] if k >= step else 0
            if how == 1:
                line[k] = (line[k] + left) & 255
            elif how == 2:
                line[k] = (line[k] + up) & 255
            elif how == 3:
                line[k] = (line[k] + (left + up) // 2) & 255
            elif how == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left),
                              (abs(guess - up), 1, up),
                              (abs(guess - corner), 2, corner))[2]
                line[k] = (line[k] + nearest) & 255
        rows.append([tuple(line[x * step:x * step + 3]) for x in range(width)])
        before = line
    return width, height, rows


class Page(support.CliTest):

    @classmethod
    def setUpClass(cls):
        cls.pages = tempfile.TemporaryDirectory(prefix="stridewise-page-")
        for name, args in PAGES.items():
            done = support.run("draw", *args, "--out",
                               f"{cls.pages.name}/{name}.html")
            assert done.code == 0, done.err
        cls.driver = chromium.driver(cls.pages.name, "1400,1000")

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.pages.cleanup()

    def open(self, name):
        self.driver.get(f"file://{self.pages.name}/{name}.html")
        self.assertEqual(self.js("return document.documentElement.dataset"
                                 ".ready"), "yes")

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def details(self):
        return self.driver.find_element(By.ID, "details").text

    def cell(self, index=None, panel=0, byte=None):
        what = (f"[data-index='{index}']" if index is not None
                else f"[data-byte='{byte}']")
        panels = self.driver.find_elements(By.CSS_SELECTOR, "g.panel")
        return panels[panel].find_element(By.CSS_SELECTOR, f"g{what}")

    def framed(self):
        """(panel, index or byte) of the framed cells, by where frames are."""
        return self.js("""
          const found = [];
          document.querySelectorAll('g.panel').forEach((panel, number) => {
            for (const frame of panel.querySelectorAll('.overlay rect')) {
              for (const cell of panel.querySelectorAll('g[data-kind]')) {
                const rect = cell.querySelector('rect');
                if (['x', 'y'].every((n) => rect.getAttribute(n) ===
                                            frame.getAttribute(n))) {
                  found.push([number, cell.dataset.index ?? cell.dataset.byte]);
                }
              }
            }
          });
          return found;""")

    def hover(self, cell):
        ActionChains(self.driver).move_to_element(cell).perform()

    def search(self, text):
        query = self.driver.find_element(By.ID, "query")
        query.clear()
        query.send_keys(text, Keys.ENTER)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    # ----------------------------------------------------------- pointer ---

    def test_hover_links_the_memory_and_the_tensor(self):
        self.open("blocked")
        self.hover(self.cell("n=0,c=8,h=1,w=2"))
        # Block 1 of 48 places; pixel 5; lane 0.
        for fact in ("n=0,c=8,h=1,w=2", "offset: 88", "byte: 352"):
            self.assertIn(fact, self.details())
        self.assertEqual(sorted(self.framed()),
                         [[0, "n=0,c=8,h=1,w=2"], [1, "n=0,c=8,h=1,w=2"]])
        # And back: from the tensor to the memory.
        self.hover(self.cell("n=0,c=3,h=0,w=1", panel=1))
        self.assertIn("memory: offset 11, byte 44", self.details())
        self.assertEqual(len(self.framed()), 2)

    def test_hover_tells_padding_gaps_and_coordinates(self):
        self.open("blocked")
        self.hover(self.cell(byte=356))
        self.assertIn("padding", self.details())
        self.assertEqual(self.framed(), [[0, "356"]])
        self.open("gap")
        self.hover(self.cell(byte=24))
        self.assertIn("a gap", self.details())
        self.open("image")
        self.hover(self.cell("n=1,c=4,h=0,w=2"))
        self.assertIn("row=2,pixel=5,lane=0", self.details())
        self.assertIn(f"byte: {2 * 128 + 5 * 8}", self.details())

    def test_both_memories_of_a_conversion(self):
        self.open("pair")
        self.hover(self.cell("n=0,c=3,h=1,w=0"))
        self.assertIn("byte: 84", self.details())
        self.assertIn(f"to: offset {12 + 3}, byte {4 * (12 + 3)}",
                      self.details())

    # ------------------------------------------------------------ search ---

    def test_search(self):
        self.open("blocked")
        for text, index in [("n=0 c=8 h=0 w=2", "n=0,c=8,h=0,w=2"),
                            ("c=2,w=1", "n=0,c=2,h=0,w=1"),
                            ("0 1 1 0", "n=0,c=1,h=1,w=0"),
                            ("byte 0x2f", "n=0,c=3,h=0,w=1"),
                            ("byte 44", "n=0,c=3,h=0,w=1"),
                            ("offset 11", "n=0,c=3,h=0,w=1")]:
            self.search(text)
            self.assertIn(index, self.details(), text)
            self.assertEqual(self.framed(), [[0, index], [1, index]], text)
        self.open("image")
        self.search("row=3 pixel=1 lane=2")
        self.assertIn("n=1,c=2,h=1,w=1", self.details())

    def test_search_that_finds_nothing(self):
        self.open("blocked")
        for text, says in [("c=9", "9 indices"), ("k=1", "dims n, c, h, w"),
                           ("byte 99999", "beyond"), ("what", "not understood")]:
            self.search(text)
            self.assertIn(says, self.details(), text)
            self.assertEqual(self.framed(), [])

    def test_search_beyond_what_is_drawn(self):
        self.open("large")
        self.search("n=777 c=333 h=55 w=5")
        offset = ((777 * 1000 + 333) * 100 + 55) * 10 + 5
        self.assertIn(f"offset {offset}, byte {offset * 4}", self.details())
        self.assertIn("left out", self.details())
        self.search("n=0 c=0 h=0 w=7")
        self.assertEqual(self.framed(), [[0, "n=0,c=0,h=0,w=7"]])

    # ---------------------------------------------------------- keyboard ---

    def test_keyboard_alone(self):
        self.open("blocked")
        self.press("/")
        self.assertEqual(self.js("return document.activeElement.id"), "query")
        self.press("n=0 c=0 h=0 w=0", Keys.ENTER)
        self.press(Keys.ARROW_RIGHT)
        self.assertIn("n=0,c=1,h=0,w=0", self.details())
        self.press(Keys.ARROW_DOWN)
        self.assertIn("byte: 68", self.details())
        self.press(Keys.END)
        self.assertIn("byte: 380", self.details())
        self.press(Keys.HOME)
        self.assertIn("byte: 0", self.details())
        self.press(Keys.ESCAPE)
        self.assertEqual(self.framed(), [])
        # Tab reaches the other panel.
        self.press(Keys.TAB)
        self.assertEqual(self.js(
            "return document.activeElement.closest('.panel').dataset.panel"),
            "logical")

    def test_cells_have_names_for_screen_readers(self):
        self.open("blocked")
        self.assertEqual(self.cell("n=0,c=3,h=0,w=1").get_attribute(
            "aria-label"), "n=0,c=3,h=0,w=1, offset 11, byte 44")

    # -------------------------------------------------------------- walk ---

    def test_walk(self):
        self.open("blocked")
        seen = []
        for _ in range(9):
            self.press("n")
            seen.append(self.details())
        self.assertIn("n=0,c=0,h=0,w=0", seen[0])
        self.assertIn("n=0,c=7,h=0,w=0", seen[7])
        self.assertIn("[d:0] c%8", seen[7])
        self.assertIn("n=0,c=0,h=0,w=1", seen[8])
        self.assertIn("[d:1] w", seen[8])
        points = self.js("""
          return [...document.querySelectorAll('.overlay .path')].map(
              (line) => line.points.length);""")
        self.assertEqual(points, [9, 9])
        # The line runs through the middle of each cell, in memory order.
        through = self.js("""
          const [line] = document.querySelectorAll('.overlay .path');
          const at = line.points[8];
          return [at.x, at.y];""")
        middle = self.js("""
          const rect = arguments[0].querySelector('rect');
          return [+rect.getAttribute('x') + rect.getAttribute('width') / 2,
                  +rect.getAttribute('y') + rect.getAttribute('height') / 2];
          """, self.cell("n=0,c=0,h=0,w=1"))
        self.assertEqual(through, middle)
        self.press("b")
        self.assertIn("n=0,c=7,h=0,w=0", self.details())
        self.driver.find_element(By.ID, "stop").click()
        self.assertEqual(self.framed(), [])

    def notes(self, steps):
        """What the walk says at each of its first steps."""
        return self.js("""
          const notes = [];
          for (let k = 0; k < arguments[0]; ++k) {
            document.getElementById('step').click();
            notes.push(document.getElementById('details').textContent);
          }
          return notes;""", steps)

    def test_the_walk_names_only_jumps(self):
        self.open("large")
        notes = self.notes(200)
        self.assertIn("jump [a:0] w", notes[1])
        self.assertTrue(any("over what is left out" in n for n in notes))
        self.open("interleaved")
        for note in self.notes(6):
            self.assertNotIn("jump", note)

    def test_marks_of_the_walk_are_drawn(self):
        self.open("blocked")
        tags = [e.text for e in self.driver.find_elements(
            By.CSS_SELECTOR, "g.panel:first-of-type .tag text")]
        self.assertEqual(tags[:4], ["d:0", "d:1", "d:2", "d:3"])

    # --------------------------------------------------------- the looks ---

    def screenshot(self):
        return pixels(self.driver.get_screenshot_as_png())

    def corners(self):
        """Where each cell of the first panel is, its kind and its colour."""
        return self.js("""
          return [...document.querySelector('g.panel').querySelectorAll(
              'g[data-kind]')].map((cell) => {
            const rect = cell.querySelector('rect');
            const box = rect.getBoundingClientRect();
            return [cell.dataset.kind, Math.round(box.left), Math.round(box.top),
                    Math.round(box.width), Math.round(box.height),
                    getComputedStyle(rect).fill];
          });""")

    def look(self, scheme, ground):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for name in ("blocked", "gap"):
            self.open(name)
            cells = self.corners()
            width, height, rows = self.screenshot()
            colours = {}
            for kind, x, y, w, h, fill in cells:
                if x + w >= width or y + h >= height:
                    continue
                # Below the label; a jump's arrow and tag lie above it.
                inside = [rows[y + h - dy][x + dx] for dy in (5, 4, 3)
                          for dx in range(3, 12)]
                if kind == "element":
                    wanted = tuple(int(v) for v in
                                   fill[4:-1].split(","))
                    self.assertIn(wanted, inside, (name, kind, x, y))
                    colours.setdefault(wanted, 0)
                if kind == "padding":  # hatched: not one colour
                    self.assertGreater(len(set(inside)), 1, (name, x, y))
                if kind == "gap":  # blank: the ground alone
                    self.assertEqual(set(inside), {ground}, (name, x, y))
            self.assertGreater(len(colours), 2, name)

    def test_screenshot_in_the_light(self):
        self.look("light", (255, 255, 255))

    def test_screenshot_in_the_dark(self):
        self.look("dark", (13, 17, 23))

    def test_no_network_and_no_complaints(self):
        for name in PAGES:
            self.open(name)
            self.assertEqual(self.js(
                "return performance.getEntriesByType('resource').length"), 0)
        self.assertEqual([entry["message"] for entry in
                          self.driver.get_log("browser")], [])


if __name__ == "__main__":
    support.main()
