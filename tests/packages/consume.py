# SPDX-License-Identifier: BSL-1.0
"""README's program, header-only, and tests/forms/compiled.cpp in the compiled form, built and run in a clean folder, in one of the
ways to use the library: `consume.py WAY COMPILER BUILD`.

BUILD is the project's build folder, which has the compiled form; `deb` and `archive` take the packages below it, in packages/. What
brings sources compiles them again: those of the rooms that the program calls. Nothing is downloaded.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
way, compiler, build = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
program, expected = re.search(r"```cpp\n(#include.*?)```\n.*?```text\n(.*?)```", (root / "README.md").read_text(), re.DOTALL).groups()
LISTS = """cmake_minimum_required(VERSION 3.24)
project(mine LANGUAGES CXX)
{found}
add_executable(mine main.cpp)
target_link_libraries(mine PRIVATE {target})
if(COMPILED)
  add_executable(compiled compiled.cpp)
  target_link_libraries(compiled PRIVATE stagecut::compiled)
endif()
"""
OFF = [f"-DSTAGECUT_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
RANGE = "find_package(stagecut 0.2...<0.4 REQUIRED)"
BOTH = "find_package(stagecut 0.2...<0.4 REQUIRED COMPONENTS compiled)"
ROOMS = [room for room in ("core", "cost", "schedule") if (root / f"include/stagecut/source/{room}.hpp").exists()]
# As a new user has it: no setting of this machine reaches the builds.
environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}


def run(*words, where=None, more=None):
    ended = subprocess.run([str(word) for word in words], cwd=where, env={**environment, **(more or {})}, capture_output=True,
                           text=True)
    if ended.returncode != 0:
        sys.exit(f"{way}: {' '.join(map(str, words))}: ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def sources(folder):
    """The project as a release has it, in that folder: without what was built, and away from this checkout."""
    skipped = shutil.ignore_patterns("build", ".git", "__pycache__")
    return shutil.copytree(root, folder / "stagecut", ignore=skipped, symlinks=True)


def with_cmake(folder, found, *options, target="stagecut::stagecut", compiled=True):
    (folder / "CMakeLists.txt").write_text(LISTS.format(found=found, target=target))
    run("cmake", "--fresh", "-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCOMPILED={compiled}",
        *options, where=folder)
    run("cmake", "--build", "build", where=folder)
    if compiled:
        check_compiled(folder / "build" / "compiled")
    return run(folder / "build" / "mine")


def refusal(folder, found, prefix):
    (folder / "CMakeLists.txt").write_text(LISTS.format(found=found, target="stagecut::stagecut"))
    refused = subprocess.run(["cmake", "--fresh", "-S", folder, "-B", folder / "build", prefix], capture_output=True, text=True)
    assert refused.returncode != 0, refused.stdout
    return refused.stderr


def with_pkg_config(folder, prefix, compiled=True):
    more = {"PKG_CONFIG_LIBDIR": ":".join(str(each) for each in prefix.rglob("pkgconfig"))}

    def build(package, source, result):
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", f"{package} >= 0.1", more=more))
        run(compiler, "-std=c++20", source, *flags, "-o", result, where=folder)
        return folder / result

    if compiled:
        check_compiled(build("stagecut-compiled", "compiled.cpp", "compiled"))
    return run(build("stagecut", "main.cpp", "mine"))


def check_compiled(made):
    printed = run(made)
    assert printed == "1f1b is a schedule\n", printed


def installed(folder):
    """Installed header-only, as docs/install.md says, and moved: no file names the place where it lay first."""
    source = sources(folder)
    run("cmake", "-S", source, "-B", folder / "build-stagecut", *OFF)
    run("cmake", "--install", folder / "build-stagecut", "--prefix", folder / "first")
    there = {path.relative_to(folder / "first") for path in (folder / "first/include").rglob("*") if path.is_file()}
    assert there == {path.relative_to(source) for path in (source / "include").rglob("*") if path.is_file()}, "all headers, and no more"
    shutil.rmtree(source)
    return (folder / "first").rename(folder / "prefix")


def installed_compiled(folder):
    """What BUILD has, installed and moved likewise."""
    run("cmake", "--install", build, "--component", "library", "--prefix", folder / "second")
    return (folder / "second").rename(folder / "prefix compiled")


def folder_copied(folder):
    shutil.copytree(root / "include", folder / "include")
    (folder / "bodies.cpp").write_text("".join(f"#include <stagecut/source/{room}.hpp>\n" for room in ROOMS))
    run(compiler, "-std=c++20", "-Iinclude", "-DSTAGECUT_COMPILED", "compiled.cpp", "bodies.cpp", "-o", "compiled", where=folder)
    check_compiled(folder / "compiled")
    run(compiler, "-std=c++20", "-Iinclude", "main.cpp", "-o", "mine", where=folder)
    return run(folder / "mine")


def add_subdirectory(folder):
    sources(folder)
    return with_cmake(folder, "add_subdirectory(stagecut)", some_rooms(folder))


def some_rooms(folder):
    """An option for CMake: the compiled form of what the program calls, without optimisation."""
    (folder / "rooms.cmake").write_text(f'set(STAGECUT_COMPILED_MODULES "{";".join(ROOMS)}" CACHE STRING "")\n'
                                        'set(STAGECUT_OPTIMISATION 0 CACHE STRING "")\n')
    return f"-C{folder}/rooms.cmake"


def fetch_content(folder):
    with tarfile.open(folder / "stagecut.tar.gz", "w:gz") as archive:
        archive.add(sources(folder), "stagecut-of-a-release")
    shutil.rmtree(folder / "stagecut")
    return with_cmake(folder, f'include(FetchContent)\nFetchContent_Declare(stagecut URL "{folder}/stagecut.tar.gz" '
                      "DOWNLOAD_EXTRACT_TIMESTAMP ON)\nFetchContent_MakeAvailable(stagecut)", some_rooms(folder))


def find_package(folder):
    printed = with_cmake(folder, BOTH, f"-DCMAKE_PREFIX_PATH={installed_compiled(folder)}")
    prefix = f"-DCMAKE_PREFIX_PATH={installed(folder)}"
    assert printed == with_cmake(folder, RANGE, prefix, compiled=False)
    assert "stagecut was installed header-only" in refusal(folder, BOTH, prefix)
    return printed


def pkg_config(folder):
    printed = with_pkg_config(folder, installed(folder), compiled=False)
    assert printed == with_pkg_config(folder, installed_compiled(folder))
    return printed


def archive(folder):
    [file] = (build / "packages").glob("stagecut-*.tar.gz")
    with tarfile.open(file) as opened:
        opened.extractall(folder)
    [prefix] = folder.glob("stagecut-*")
    check_program(prefix)
    return with_cmake(folder, BOTH, f"-DCMAKE_PREFIX_PATH={prefix}")


def deb(folder):
    """Installed by dpkg into a bare folder; unpacked by it where only root could."""
    bare = folder / "bare"
    files = sorted((build / "packages").glob("*.deb"))
    if os.geteuid() == 0:
        (bare / "var/lib/dpkg/updates").mkdir(parents=True)
        (bare / "var/lib/dpkg/info").mkdir()
        for name in ("status", "available"):
            (bare / "var/lib/dpkg" / name).touch()
        run("dpkg", f"--root={bare}", "--force-depends", "--install", *files)
    else:
        for file in files:
            run("dpkg-deb", "--extract", file, bare)
    names = {run("dpkg-deb", "--field", file, "Package").strip(): file for file in files}
    assert set(names) == {"libstagecut-dev", "stagecut", "stagecut-doc"}, names
    assert "libc6" in run("dpkg-deb", "--field", names["stagecut"], "Depends")
    for name in names:
        assert (bare / "usr/share/doc" / name / "copyright").exists(), name
    check_program(bare / "usr")
    printed = with_cmake(folder, BOTH, f"-DCMAKE_PREFIX_PATH={bare}/usr")
    assert printed == with_pkg_config(folder, bare / "usr")
    return printed


def check_program(prefix):
    """The program is there, and so is what it says of its place."""
    version = re.search(r"stagecut_VERSION|PACKAGE_VERSION \"(.*?)\"", (prefix / "share/cmake/stagecut/stagecut-config-version.cmake").read_text()).group(1)
    assert run(prefix / "bin/stagecut", "--version").strip() == f"stagecut {version}"
    assert (prefix / "share/man/man1/stagecut-plan.1").exists()
    for file in ("bash-completion/completions/stagecut", "zsh/site-functions/_stagecut", "fish/vendor_completions.d/stagecut.fish"):
        assert (prefix / "share" / file).exists(), file
    cited = re.search(r"\S*plan\.schema\.json", run(prefix / "bin/stagecut", "formats")).group()
    assert pathlib.Path(cited).is_absolute() and pathlib.Path(cited).exists(), f"stagecut formats: {cited} is not there"


def vcpkg(folder):
    """By vcpkg where it is, else by the steps of its port as vcpkg runs them."""
    prefix = folder / "vcpkg"
    program = shutil.which("vcpkg") or shutil.which("vcpkg", path=os.environ.get("VCPKG_ROOT", ""))
    if program:
        run(program, "install", "stagecut[compiled,io]", f"--overlay-ports={root}/cmake/ports", f"--x-install-root={prefix}")
        [prefix] = (each for each in prefix.iterdir() if (each / "share/stagecut").is_dir())
    else:
        run("cmake", "-D", "FEATURES=compiled;io", "-D", f"INSTALLED={prefix}", "-D",
            f"OPTIONS=-DCMAKE_CXX_COMPILER={compiler};{some_rooms(folder)}", "-P", root / "tests/packages/vcpkg_steps.cmake")
    asked, there = "find_package(stagecut 0.2 CONFIG REQUIRED COMPONENTS", f"-DCMAKE_PREFIX_PATH={prefix}"
    printed = with_cmake(folder, f"{asked} io)\n{asked} compiled)", there, target="stagecut::io")
    assert printed == with_pkg_config(folder, prefix)
    if not program:  # its compiled form has some rooms alone
        assert 'the compiled form was built without "io"; it has core;' in " ".join(refusal(folder, f"{asked} compiled io)", there).split())
    return printed


def conan(folder):
    """From the cache that conan.py has filled: CONAN is the program, CONAN_HOME its home."""
    more = {"CONAN_HOME": os.environ["CONAN_HOME"]}
    version = re.search(r'"version": "(.*?)"', (root / "cmake/ports/stagecut/vcpkg.json").read_text()).group(1)
    for compiled in (True, False):
        run(os.environ["CONAN"], "install", f"--requires=stagecut/{version}", "--generator=CMakeDeps", "--generator=CMakeToolchain",
            "--settings=compiler.cppstd=20", "--settings=build_type=Debug", f"--options=stagecut/*:compiled={compiled}", "--no-remote",
            f"--output-folder={folder}/{compiled}", where=folder, more=more)
        printed = with_cmake(folder, "find_package(stagecut REQUIRED)", f"-DCMAKE_TOOLCHAIN_FILE={folder}/{compiled}/conan_toolchain.cmake",
                             "-DCMAKE_BUILD_TYPE=Debug", compiled=compiled)
    return printed


WAYS = {"conan": conan, "folder": folder_copied, "add_subdirectory": add_subdirectory, "FetchContent": fetch_content, "find_package": find_package,
        "pkg-config": pkg_config, "archive": archive, "deb": deb, "vcpkg": vcpkg}
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name).resolve()
    environment["HOME"] = name
    (folder / "main.cpp").write_text(program)
    shutil.copy(root / "tests/forms/compiled.cpp", folder)
    printed = WAYS[way](folder)
if printed != expected:
    sys.exit(f"{way}: README says\n{expected}\nand its program prints\n{printed}")
print(printed, end="")
