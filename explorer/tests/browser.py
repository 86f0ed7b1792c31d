"""The explorer in headless Chromium, by WebDriver, for tests.

STRIDEWISE_EXPLORER names the page, STRIDEWISE_BIN the program.
"""

import os
import pathlib
import sys
import tempfile
import time
import urllib.parse

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "cli"))
import chromium
import support

PAGE = pathlib.Path(os.environ["STRIDEWISE_EXPLORER"]).resolve()
BLOCKED = {"layout": "nChw8c", "shape": "n=1,c=17,h=2,w=3"}


def address(**words):
    return "#" + urllib.parse.urlencode(words, safe=",=:/")


class ExplorerTest(support.CliTest):

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory(prefix="stridewise-explorer-")
        cls.driver = chromium.driver(cls.home.name, "1400,1100", ("browser", "performance"))

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.home.cleanup()

    def tearDown(self):
        errors = [line["message"] for line in self.driver.get_log("browser")
                  if line["level"] == "SEVERE"]
        self.assertEqual(errors, [])

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def until(self, script, *args, seconds=10):
        """Waits until a script's answer is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = self.js(script, *args)
            if answer:
                return answer
            time.sleep(0.02)
        self.fail(f"never: {script}")

    def open(self, where=""):
        self.driver.get("about:blank")
        self.driver.get(PAGE.as_uri() + where)
        ready = "return document.documentElement.dataset.ready"
        return float(self.until(ready))

    def id(self, name):
        return self.driver.find_element(By.ID, name)

    def text(self, name):
        return self.id(name).text

    def write(self, name, text):
        field = self.id(name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text if text else Keys.DELETE)

    def title(self):
        return self.js("return document.querySelector('#picture svg title, #picture svg text')"
                       ".textContent")

    def cell(self, index, panel=0):
        panels = self.driver.find_elements(By.CSS_SELECTOR, "#picture g.panel")
        return panels[panel].find_element(By.CSS_SELECTOR, f"g[data-index='{index}']")

    def hover(self, cell):
        ActionChains(self.driver).move_to_element(cell).perform()

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def drop(self, role, name, data):
        path = pathlib.Path(self.home.name) / name
        path.write_bytes(data)
        self.id("tab-files").click()
        self.until("return document.getElementById(arguments[0])", f"file-{role}")
        self.id(f"file-{role}").send_keys(str(path))
        self.until("return document.getElementById('files').textContent.includes(arguments[0])",
                   name)
