# SPDX-License-Identifier: BSL-1.0
"""Files of different forms, versions or containers do not link, and the message says which they are: `mixtures.py COMPILER...`.
The same files in one form link and run."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

include = pathlib.Path(__file__).resolve().parents[2] / "include"
EXCHANGED = {  # what the two files exchange: (declaration, body, call)
    "argument": ("double use(const stagecut::cuts& cut)", "return static_cast<double>(cut.stages());", "use(stagecut::cuts({0, 2, 5}))"),
    "return value": ("stagecut::cuts make(int items)", "return stagecut::cuts({0, 2, static_cast<std::size_t>(items)});",
                     "static_cast<double>(make(5).stages())"),
    "vector returned": ("std::vector<stagecut::cuts> make_all(int items)",
                        "return {2, stagecut::cuts({0, static_cast<std::size_t>(items)})};", "static_cast<double>(make_all(5).size())"),
}
HEAD = "#include <stagecut/core/cuts.hpp>\n#include <cstdio>\n#include <vector>\n"
# A door, and its body in another file.
DOOR = """#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <cstdio>
int main() {
  stagecut::check_schedule(stagecut::one_forward_one_backward(3, 6));
  std::puts("2");
}
"""
LATE = "#include <stagecut/core/cuts.hpp>\n#define STAGECUT_COMPILED\n"
COMPILED = ["-DSTAGECUT_COMPILED"]
failed, checked = [], 0


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def compiled(compiler, folder, name, text, flags=(), headers=include):
    source, made = folder / f"{name}.cpp", folder / f"{name}.o"
    source.write_text(text)
    ended = run(compiler, "-std=c++20", "-O0", f"-I{headers}", *flags, "-c", source, "-o", made)
    if ended.returncode != 0:
        sys.exit(f"{name}: {ended.stderr}")
    return made


def links(what, compiler, objects, words=None):
    """They link, and the program prints 2; or they do not, and the linker names a function and all of these words."""
    global checked
    checked += 1
    program = objects[0].parent / "program"
    ended = run(compiler, *objects, "-o", program)
    if words is None:
        if ended.returncode != 0 or run(program).stdout != "2\n":
            failed.append(f"FAILED: {what}: does not link and run\n{ended.stderr}")
    elif ended.returncode == 0 or not all(re.search(rf"undefined reference.*\b{word}\b", ended.stderr) for word in words):
        failed.append(f"FAILED: {what}: links, or does not say {words}\n{ended.stderr}")


def other_version(folder):
    """The headers as of a version that breaks binaries."""
    shutil.copytree(include, folder / "include")
    config = folder / "include/stagecut/core/config.hpp"
    text, count = re.subn(r"\bv\d+_\d+", "v77_1", config.read_text())
    assert count >= 4, f"{config} does not say its version"
    config.write_text(text)
    return folder / "include"


def check_exchanged(compiler, folder, kinds):
    """Of each kind one file with all functions, and for each function one that calls it."""
    everything = HEAD + "".join(f"{declaration} {{ {body} }}\n" for declaration, body, _ in EXCHANGED.values())
    callees = {kind: compiled(compiler, folder, f"callees {kind}", everything, *how) for kind, (*how, _) in kinds.items()}
    archives = {kind: folder / f"lib{kind}.a" for kind in kinds}
    for kind, archive in archives.items():
        run("ar", "rcs", archive, callees[kind])
    for kind, (flags, headers, word) in kinds.items():
        bodies = [compiled(compiler, folder, f"core {kind}", bodies_of("core", headers), flags, headers)] if flags else []
        for what, (declaration, _, call) in EXCHANGED.items():
            text = f'{HEAD}{declaration};\nint main() {{ std::printf("%.0f\\n", {call}); }}\n'
            caller = compiled(compiler, folder, f"caller {what} {kind}", text, flags, headers)
            for other in kinds:
                words = None if other == kind else [word]
                links(f"{compiler}: {what}: {kind} with {other}", compiler, [caller, callees[other], *bodies], words)
                links(f"{compiler}: {what}: {kind} with a library, {other}", compiler, [caller, archives[other], *bodies], words)


def check(compiler, folder):
    version = re.search(r"STAGECUT_ABI (\w+)_compiled", (include / "stagecut/core/config.hpp").read_text())[1]
    # What a file is compiled with, and the name that the linker shows for it.
    check_exchanged(compiler, folder, {"header-only": ([], include, version), "compiled": (COMPILED, include, f"{version}_compiled"),
                                       "newer": ([], other_version(folder), "v77_1")})
    program = compiled(compiler, folder, "door", DOOR, COMPILED)
    rooms = [compiled(compiler, folder, room, bodies_of(room, include), COMPILED) for room in ("core", "cost", "schedule")]
    links(f"{compiler}: the compiled form with its bodies", compiler, [program, *rooms])
    links(f"{compiler}: the compiled form without its bodies", compiler, [program], [f"{version}_compiled::check_schedule"])
    debug = compiled(compiler, folder, "debug", DOOR, [*COMPILED, "-D_GLIBCXX_DEBUG"])
    links(f"{compiler}: containers of debug mode", compiler, [debug, *rooms], [f"{version}_compiled_debug::check_schedule"])
    # The first header decides: a later definition changes nothing.
    links(f"{compiler}: the form defined late", compiler, [compiled(compiler, folder, "late", LATE + DOOR)])
    source = "#include <stagecut/source/all.hpp>\n"
    for what, text, flags, words in (("header-only a source", source, [], "define STAGECUT_COMPILED"),
                                     ("a source with the form defined late", LATE + source, [], "before its first header"),
                                     ("STAGECUT_COMPILED=0", HEAD, ["-DSTAGECUT_COMPILED=0"], "leave it undefined")):
        (folder / "refused.cpp").write_text(text)
        refused = run(compiler, "-std=c++20", "-fsyntax-only", "-Wfatal-errors", f"-I{include}", *flags, folder / "refused.cpp")
        if refused.returncode == 0 or words not in refused.stderr:
            failed.append(f"FAILED: {compiler}: {what} says {refused.stderr}")


def bodies_of(room, headers):
    """The line that a source of that room is; a room that has no bodies has none."""
    return f"#include <stagecut/source/{room}.hpp>\n" if (headers / f"stagecut/source/{room}.hpp").exists() else ""


for compiler in filter(None, sys.argv[1:]):
    if not shutil.which(compiler):
        print(f"left out: there is no {compiler}")
        continue
    with tempfile.TemporaryDirectory() as place:
        check(compiler, pathlib.Path(place))
print("\n".join(failed) or f"{checked} programs: those of one form and version link and run, and no others")
sys.exit(bool(failed) or not checked)
