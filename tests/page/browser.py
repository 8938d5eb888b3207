"""browser.py - a browser that is led by tests, and what they ask of it: no page may complain, or ask for anything from
elsewhere."""

import csv
import json
import os
import subprocess
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

SHOTS = os.environ.get("SALTUS_SHOTS")  # a folder
PICTURE = 1e-6  # of the size of the picture: places travel as floats


class Browser:
    def __init__(self):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000",
                     "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def show(self, address, ready="return window.saltus !== undefined"):
        """Opens a page; nothing may go wrong or ask for anything from elsewhere."""
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get(address)
        self.until(ready, "the page did not start")
        self.check_quiet(address)

    def check_quiet(self, address):
        for entry in self.driver.get_log("browser"):
            if "net::ERR_CONNECTION_" in entry["message"] and not entry["message"].startswith(address):
                continue  # the page before this one asked its server, which the test has ended
            assert entry["level"] not in ("SEVERE", "WARNING"), f"{address}: {entry['message']}"
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                assert url.startswith((address, "data:", "blob:")), f"{address} asks for {url}"

    def until(self, condition, complaint, *arguments, seconds=10):
        end = time.time() + seconds
        while time.time() < end:
            if self.js(condition, *arguments):
                return
            time.sleep(0.02)
        raise AssertionError(complaint)

    def press(self, key):
        ActionChains(self.driver).send_keys(key).perform()

    def picture(self, name):
        """Keeps what is seen, where somebody wants to look at it."""
        if not SHOTS:
            return
        time.sleep(0.3)
        self.driver.save_screenshot(f"{SHOTS}/{name}.png")

    def quit(self):
        self.driver.quit()


class Command:
    """The command that is tested."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *words, code=0):
        done = subprocess.run([self.path, *words], capture_output=True, text=True, check=False)
        assert done.returncode == code, f"saltus {' '.join(words)}: exit code {done.returncode}\n{done.stderr}"
        return done.stdout


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def close(a, b, tolerance, what):
    assert abs(a - b) <= tolerance, f"{what}: {a} differs from {b} by {a - b}"
