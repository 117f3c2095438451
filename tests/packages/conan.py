# SPDX-License-Identifier: BSL-1.0
"""`conan create`, with its test package: `conan.py BUILD`, into that folder; `conan.py BUILD cli` builds the program, too, which
takes some minutes more.

Conan comes from PyPI where it is not at hand; without either the test is skipped. Conan Center is asked nothing: what the
components need are packages made here, which point at the headers of this machine.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

root = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
build.mkdir(parents=True, exist_ok=True)
STUBS = {"boost": ("1.74.0", "/usr/include"), "eigen": ("3.4.0", "/usr/include/eigen3"), "nlohmann_json": ("3.11.2", "/usr/include"),
         "cli11": ("2.3.2", "/usr/include"), "fmt": ("9.1.0", "/usr/include")}
# As Conan Center calls them in CMake.
FILES = {"boost": "Boost", "cli11": "CLI11", "eigen": "Eigen3"}
TARGETS = {"boost": "Boost::headers", "cli11": "CLI11::CLI11", "eigen": "Eigen3::Eigen", "fmt": "fmt::fmt",
           "nlohmann_json": "nlohmann_json::nlohmann_json"}
STUB = """
from conan import ConanFile
class Stub(ConanFile):
    name, version, options, default_options = "{name}", "{version}", {{"header_only": [True, False]}}, {{"header_only": True}}
    def package_info(self):
        part = self.cpp_info.components["headers"]
        part.includedirs, part.libdirs, part.bindirs = ["{include}"], [], []
        part.defines = ["FMT_HEADER_ONLY"] if self.name == "fmt" else []
        self.cpp_info.set_property("cmake_file_name", {files}.get(self.name, self.name))
        part.set_property("cmake_target_name", {targets}.get(self.name, self.name + "::headers"))
"""


def conan_program():
    """The one in PATH if it is of version 2; else one from PyPI."""
    found = shutil.which("conan")
    if found and re.search(r"version 2\.", subprocess.run([found, "--version"], capture_output=True, text=True).stdout):
        return found
    place = build / "venv"
    if not (place / "bin" / "conan").exists():
        venv.create(place, with_pip=True, clear=True)
        ended = subprocess.run([place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "conan>=2.5,<3"],
                               capture_output=True, text=True)
        if ended.returncode != 0:
            print(f"skipped: there is no Conan 2, and PyPI gives none\n{ended.stderr[-500:]}")
            sys.exit(77)
    return str(place / "bin" / "conan")


conan = conan_program()
home = build / "home"
shutil.rmtree(home, ignore_errors=True)
environment = {**os.environ, "CONAN_HOME": str(home)}


def run(*words, fails=False):
    """What a command of Conan prints; it has to end well, or not to."""
    ended = subprocess.run([conan, *map(str, words)], env=environment, capture_output=True, text=True, cwd=build)
    if (ended.returncode != 0) != fails:
        sys.exit(f"conan {' '.join(map(str, words))}: ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


def expect(what, text):
    if what not in text:
        sys.exit(f"expected {what!r} in\n{text}")


def created(text):
    return re.search(r"stagecut/[^ ]*:([0-9a-f]{40})", text).group(1)


run("profile", "detect")
create = ["create", root, "--no-remote", "--settings", "compiler.cppstd=20"]
text = run(*create)
expect("cut at 3 5\n", text)
package = created(text)
for name, (version, include) in STUBS.items():
    (build / name).mkdir(exist_ok=True)
    (build / name / "conanfile.py").write_text(STUB.format(name=name, version=version, include=include, files=FILES, targets=TARGETS))
    run("create", build / name, "--no-remote")
text = run(*create, *(f"--options=&:{name}=True" for name in ("io", "graph", "fit")), "--settings", "build_type=Debug")
expect("cut at 3 5, 2 operators, link 3.0\n", text)
assert created(text) == package, "the headers are one package, whatever is asked for"
if any(pathlib.Path(each, "thrust").is_dir() for each in ("/usr/include", "/usr/local/cuda/include/cccl")):
    expect("cut at 3 5, searched 2.7\n", run(*create, "--options=&:search=True", "--settings", "build_type=Debug"))
# The compiled form, without optimisation and of the rooms that the program calls: the others take minutes.
rooms = 'tools.cmake.cmaketoolchain:extra_variables={"STAGECUT_COMPILED_MODULES": "core;cost;sequence;schedule"}'
text = run(*create, "--options=&:compiled=True", "--settings", "build_type=Debug", "--conf", rooms)
expect("cut at 3 5, compiled\n", text)
assert created(text) != package, "the compiled form is a package of its own"
consumed = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("consume.py"), "conan", "g++", build],
                          env={**environment, "CONAN": conan}, capture_output=True, text=True)
if consumed.returncode != 0:
    sys.exit(consumed.stdout + consumed.stderr)
expect("C++ standard", run("create", root, "--no-remote", "--settings", "compiler.cppstd=17", fails=True))
if sys.argv[2:] == ["cli"]:
    text = run(*create, "--options=&:cli=True", "--settings", "build_type=Debug")
    expect("share/doc/stagecut/plan.schema.json", text)
version = ".".join(re.findall(r"#define STAGECUT_VERSION_\w+ (\d+)", (root / "include/stagecut/version.hpp").read_text()))
expect(f"stagecut/{version}", run("list", "stagecut/*"))
print(f"stagecut/{version}: one package {package} for all components, another for the compiled form; refused for C++17")
