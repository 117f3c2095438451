# SPDX-License-Identifier: BSL-1.0
"""Which versions find_package is content with: while the major version is 0 another minor one breaks, from 1 on another major one;
a range is taken as it is said."""

import pathlib
import subprocess
import sys
import tempfile

template = (pathlib.Path(__file__).resolve().parents[2] / "cmake/stagecut-config-version.cmake.in").read_text()
CASES = {  # installed: (those that find it, those that do not)
    "0.1.0": (["", "0.1", "0.1.0", "0.1...<0.3", "0.1...0.2", "0.1.0 EXACT", "0.0...0.1"],
              ["0.0", "0.2", "0.1.1", "0", "1", "0.2...<0.3", "0.0...<0.1", "0.1.1 EXACT"]),
    "0.2.3": (["0.2", "0.2.3", "0.1...<0.3", "0.2.1...0.2.3"], ["0.1", "0.2.4", "0.3", "0.1...<0.2.3", "0.1...0.2"]),
    "1.4.2": (["1", "1.0", "1.4", "1.4.2", "0.1...<2", "1.2...<1.5"], ["0.1", "1.5", "2", "1.4.3", "0.1...<1"]),
}
wrong = total = 0
for installed, (found, refused) in CASES.items():
    major, minor, _ = installed.split(".")
    text = template
    for name, value in {"PROJECT_VERSION_MAJOR": major, "PROJECT_VERSION_MINOR": minor, "PROJECT_VERSION": installed}.items():
        text = text.replace(f"@{name}@", value)
    assert "@" not in text
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "stagecut-config.cmake").write_text("")
        (place / "stagecut-config-version.cmake").write_text(text)
        for asked, expected in [*((each, True) for each in found), *((each, False) for each in refused)]:
            script = place / "ask.cmake"
            script.write_text(f'find_package(stagecut {asked} QUIET CONFIG PATHS "{folder}" NO_DEFAULT_PATH)\n'
                              "if(NOT stagecut_FOUND)\n  message(FATAL_ERROR)\nendif()\n")
            total += 1
            if (subprocess.run(["cmake", "-P", script], capture_output=True).returncode == 0) != expected:
                wrong += 1
                print(f"FAILED: {installed} is {'not ' if expected else ''}found by find_package(stagecut {asked})")
print(f"{total} requests, {wrong} wrong")
sys.exit(wrong != 0)
