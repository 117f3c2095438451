# SPDX-License-Identifier: BSL-1.0
"""STAGECUT_INSTALL_CLI alone builds and installs the program and no headers; where what it needs is missing, configuring fails and
says what. `cli_alone.py BUILD LIBRARY` compiles in BUILD/alone, without optimisation, without Thrust, and with the compiled form that is
there: the program of a release is tested elsewhere."""

import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
DEFINES = {"STAGECUT_BUILD_TESTS": "OFF", "STAGECUT_BUILD_EXAMPLES": "OFF", "STAGECUT_BUILD_BENCH": "OFF", "STAGECUT_INSTALL": "OFF",
           "STAGECUT_INSTALL_CLI": "ON", "CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit": "ON", "STAGECUT_THRUST_INCLUDE_DIR": "",
           "CMAKE_BUILD_TYPE": "Debug", "STAGECUT_COMPILED_LIBRARY": str(pathlib.Path(sys.argv[2]).resolve())}


def cmake(*words):
    return subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True)


def check(build, prefix):
    configure = ["-S", root, "-G", "Ninja", *(f"-D{name}={value}" for name, value in DEFINES.items()), "-DSTAGECUT_PYTHON=OFF"]
    for package, needed in (("CLI11", "CLI11"), ("fmt", "fmt"), ("nlohmann_json", "nlohmann_json"), ("Boost", "Boost"), ("Eigen3", "Eigen3")):
        refused = cmake(*configure, "--fresh", "-B", prefix / "without", f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON")
        text = " ".join(refused.stderr.split())
        assert refused.returncode != 0 and f"the command-line program needs {needed}, not found" in text, refused.stderr
    for step in ([*configure, "-B", build], ["--build", build], ["--install", build, "--prefix", prefix / "installed"]):
        ended = cmake(*step)
        if ended.returncode != 0:
            sys.exit(f"cmake {' '.join(map(str, step))}\n{ended.stdout}{ended.stderr}")
    prefix /= "installed"
    printed = subprocess.run([prefix / "bin/stagecut", "formats"], capture_output=True, text=True, check=True).stdout
    assert str(prefix / "share/doc/stagecut/plan.schema.json") in printed, printed
    files = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}
    assert not any(file.startswith("include/") for file in files), files
    assert {"bin/stagecut", "share/man/man1/stagecut.1", "share/doc/stagecut/planner.md"} <= files, files
    print(f"{len(files)} files, the program and its pages")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        check(pathlib.Path(sys.argv[1]).resolve() / "alone", pathlib.Path(folder))
