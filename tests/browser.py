# SPDX-License-Identifier: BSL-1.0
"""A headless Chromium for tests of pages. Who imports this is started anew with Debian's interpreter where selenium is that one's alone,
and ends with 77 where there is none."""

import os
import shutil
import sys

try:
    from selenium import webdriver
except ImportError:
    # Debian's package is for Debian's interpreter.
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("skipped: no selenium")
    sys.exit(77)
from selenium.webdriver.chrome.service import Service


def browser():
    options = webdriver.ChromeOptions()
    options.add_argument("--headless=new")
    options.add_argument("--hide-scrollbars")
    options.add_argument("--disable-dev-shm-usage")  # which is small in containers
    if os.getuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
