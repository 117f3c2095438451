# SPDX-License-Identifier: BSL-1.0
"""Where Boost, Eigen and nlohmann/json are missing, `<stagecut/source/all.hpp>` has the bodies of all rooms that need none of
them, and those call nothing that is left out: `without_packages.py COMPILER`. The packages of this machine are hidden by other names
for them in a copy of the headers."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

compiler = sys.argv[1]
include = pathlib.Path(__file__).resolve().parents[2] / "include"
with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    shutil.copytree(include, folder / "include")
    hidden = 0
    for header in (folder / "include").rglob("*.*pp"):
        text, count = re.subn("<(boost|Eigen|nlohmann)/", r"<missing_\1/", header.read_text())
        hidden += count
        if count:
            header.write_text(text)
    (folder / "all.cpp").write_text("#include <stagecut/source/all.hpp>\n")
    ended = subprocess.run([compiler, "-std=c++20", "-O0", "-DSTAGECUT_COMPILED", "-Iinclude", "-fPIC", "-shared", "-Wl,--no-undefined",
                            "all.cpp", "-o", "all.so"], cwd=folder, capture_output=True, text=True)
    names = subprocess.run(["nm", "-C", "all.so"], cwd=folder, capture_output=True, text=True).stdout
print(ended.stderr[-5000:] or f"{hidden} includes hidden, nothing is missing")
sys.exit(ended.returncode != 0 or hidden < 10 or "precedence::precedence" not in names)
