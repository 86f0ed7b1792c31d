"""Headless Chromium for tests, by WebDriver."""

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def driver(folder, size, logs=("browser",)):
    """A browser with a window of `size` whose profile and downloads are in `folder`."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", f"--window-size={size}",
                 "--force-device-scale-factor=1", f"--user-data-dir={folder}/profile"):
        options.add_argument(word)
    options.add_experimental_option("prefs", {"download.default_directory": folder})
    options.set_capability("goog:loggingPrefs", dict.fromkeys(logs, "ALL"))
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
