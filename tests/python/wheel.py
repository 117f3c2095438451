# SPDX-License-Identifier: BSL-1.0
"""`pip install .` into a clean virtual environment, and there the tests of the module, the programs of docs/python.md, and what of
examples/pytorch needs no PyTorch: `wheel.py BUILD LIBRARY`, which compiles in BUILD/alone and links the compiled form
that is there. Skipped where the package index gives nothing."""

import pathlib
import re
import subprocess
import sys
import venv

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests" / "packages"))

import cli_alone  # noqa: E402

build = pathlib.Path(sys.argv[1]).resolve()
place = build / "environment"
python = place / "bin" / "python"


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def need(ended):
    if ended.returncode != 0:
        sys.exit(f"{' '.join(ended.args)}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


venv.create(place, with_pip=True, clear=True)
pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
fetched = run(*pip, "numpy")
if fetched.returncode != 0:
    print(f"skipped: the package index gives no NumPy\n{fetched.stderr[-500:]}")
    sys.exit(77)
# As `cli_alone` compiles the program, which is the longer part: so that it is compiled once.
defines = [f"--config-settings=cmake.define.{name}={value}" for name, value in cli_alone.DEFINES.items() if name != "CMAKE_BUILD_TYPE"]
need(run(*pip, f"--config-settings=build-dir={build / 'alone'}", "--config-settings=cmake.build-type=Debug", *defines, root))

files = need(run(python, "-m", "pip", "show", "--files", "stagecut"))
version = ".".join(re.findall(r"#define STAGECUT_VERSION_\w+ (\d+)", (root / "include/stagecut/version.hpp").read_text()))
assert f"Version: {version}\n" in files, files
assert "bin/stagecut\n" in files and "stagecut/py.typed" in files, files
assert not re.search(r"\.hpp|\.cmake|share/|include/", files), files
assert need(run(place / "bin" / "stagecut", "--version")) == f"stagecut {version}\n"

print(need(run(python, root / "tests/python/module_test.py", place / "bin" / "stagecut", cwd=build)))
print(need(run(python, root / "tests/pytorch/timeline_test.py", cwd=build)))
page = (root / "docs/python.md").read_text()
parts = re.findall(r"```python\n((?:(?!```).)*)```\n+```text\n(.*?)```", page, re.DOTALL)  # one program, and what its parts print
assert len(parts) == 6, parts
program, expected = ("".join(each) for each in zip(*parts))
printed = need(run(python, "-c", program, cwd=build))
if printed != expected:
    sys.exit(f"docs/python.md says\n{expected}\nand its program prints\n{printed}")
