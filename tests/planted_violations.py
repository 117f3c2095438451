# SPDX-License-Identifier: BSL-1.0
"""Each rule of rooms.py, and one of every other check of the headers' text and of the components of CMake, broken on purpose
in a copy: it must be found, and named.

`planted_violations.py COMPILER`"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
top = here.parent
HEADER = "// SPDX-License-Identifier: BSL-1.0\n#pragma once\n"
BODIES = "stagecut/schedule/detail/check_schedule.ipp"
AT_END = f"\n#if defined(STAGECUT_HEADER_ONLY)\n#include <{BODIES}>\n#endif\n"
PLANTED = [  # (file, text, what is said); a text that begins with + is added to the file, None removes it
    ("include/stagecut/makespan/bounds/deep.hpp", HEADER, "makespan has no folder bounds"),
    ("include/stagecut/makespan/detail/deep.hpp", HEADER + "#include <stagecut/io/read_profile.hpp>\n", "makespan may not include io"),
    ("include/stagecut/makespan/detail/model.hpp", HEADER + "#include <stagecut/profile/profile.hpp>\n", "makespan may not include profile"),
    ("include/stagecut/schedule/generators/deep.hpp", HEADER + "#include <stagecut/sequence/uniform_cuts.hpp>\n", "schedule may not include sequence"),
    ("include/stagecut/fit/deep.hpp", HEADER + "#include <stagecut/plan/plan.hpp>\n", "fit may not include plan"),
    ("include/stagecut/plan/deep.hpp", HEADER + "#include <stagecut/schedule/detail/deadlock.hpp>\n", "a private file of schedule"),
    ("include/stagecut/graph/detail/numbered_stages.hpp", "+\n#if defined(STAGECUT_HEADER_ONLY)\n#include <stagecut/graph/detail/contraction.ipp>\n#endif\n",
     "no public header includes stagecut/graph/detail/numbered_stages.hpp, which can hold its bodies"),
    ("examples/own_cost.cpp", "+#include <stagecut/engine/search_clock.hpp>\n", "search_clock.hpp, a detail"),
    ("include/stagecut/fit/deep.hpp", HEADER + "#include <boost/config.hpp>\n", "third-party headers of this room: ('Eigen/',)"),
    ("include/stagecut/cost/deep.hpp", HEADER + "#include <Eigen/Core>\n", "includes Eigen/Core: third-party headers of this room"),
    ("include/stagecut/io/json/inner/deep.hpp", HEADER, "io has no folder json/inner"),
    ("include/stagecut/attic/old.hpp", HEADER, "no such room"),
    ("include/other/old.hpp", HEADER, "not below stagecut/"),
    ("include/stagecut/core/notes.txt", "to do\n", "not a header"),
    ("include/stagecut/cost/unlisted.hpp", HEADER, "stagecut.hpp does not include stagecut/cost/unlisted.hpp"),
    ("include/stagecut/stagecut.hpp", "+#include <stagecut/core/detail/gallop.hpp>\n", "an umbrella has no details"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <stagecut/stagecut.hpp>\n", "a room may not include an umbrella"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <stagecut/core/gone.hpp>\n", "which does not exist"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include \"seconds_now.hpp\"\n", "not by its full path"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <ranges>\n", "not in the dependency-free rooms"),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <boost/config.hpp>\n", "third-party headers of this room"),
    ("include/stagecut/core/detail/gallop.hpp", "+#define TWICE(x) (2 * (x))\n", "defines the macro TWICE"),
    ("include/stagecut/core/detail/gallop.hpp", "+#ifdef __CUDACC__\n#endif\n", "__CUDACC__ outside"),
    ("include/stagecut/search/detail/deeper.hpp", HEADER + "#include <stagecut/search/backends_on.hpp>\n", "deeper.hpp: a chain of more than 15 headers"),
    ("include/stagecut/core/detail/ring.hpp", HEADER + "#include <stagecut/core/detail/ring.hpp>\n", "a cycle of includes: stagecut/core/detail/ring.hpp -> "),
    ("include/stagecut/core/config.hpp", "+#include <stagecut/core/cuts.hpp>\n",
     "stagecut/core/config.hpp -> stagecut/core/cuts.hpp -> "),
    ("include/stagecut/core/detail/gallop.hpp", "+#include <stagecut/plan/detail/make_plan.ipp>\n", "make_plan.ipp: is included by ['stagecut/core/"),
    ("include/stagecut/plan/detail/body.ipp", HEADER + "#include <stagecut/io/read_profile.hpp>\n", "body.ipp:3: includes stagecut/io/read_profile.hpp: plan may not"),
    ("include/stagecut/plan/detail/body.ipp", HEADER + "#include <iostream>\n", "body.ipp:3: includes iostream: not in"),
    ("include/stagecut/core/detail/open.hpp", HEADER + "namespace stagecut::inline STAGECUT_ABI {\n}\n", "headers in detail/ define only details"),
    ("include/stagecut/core/detail/open.hpp", HEADER + "namespace stagecut::inline STAGECUT_ABI::detail {\n}\nnamespace stagecut::inline STAGECUT_ABI {\n}\n",
     "headers in detail/ define only details"),
    ("include/stagecut/io/json/hidden.hpp", HEADER + "namespace stagecut::inline STAGECUT_ABI::io::detail {\n}\n", "defines only details"),
    ("include/stagecut/stagecut.hpp", None, "no umbrella"),
    ("include/stagecut/makespan/unlisted.hpp", HEADER + "namespace stagecut::inline STAGECUT_ABI {\n}\n",
     "stagecut.hpp does not include stagecut/makespan/unlisted.hpp"),
    ("examples/cli/stagecut.cpp", "+#include <stagecut/core/detail/gallop.hpp>\n", "a detail"),
    ("bench/cost/deep.cpp", "#include <stagecut/core/detail/gallop.hpp>\n", "bench/cost/deep.cpp:1: includes stagecut/core/detail/gallop.hpp, a detail"),
    ("docs/chains.md", "+See `sequence/gone.hpp`.\n", "there is no header sequence/gone.hpp"),
    ("docs/chains.md", "+```cpp\n#include <stagecut/core/detail/gallop.hpp>\n```\n", "gallop.hpp, a detail"),
    ("examples/own_cost.cpp", "+const auto text = stagecut::detail::joined();\n", "examples/own_cost.cpp:44: names a detail"),
    ("examples/cli/options/option_checks.hpp", "+inline auto read = stagecut::io::detail::read_json;\n", "names a detail"),
    ("examples/cli/options/option_checks.hpp", "+namespace io = stagecut::io;\ninline auto read = io::detail::read_json;\n", "names a detail"),
    ("examples/cli/options/option_checks.hpp", "+using namespace stagecut;\ninline auto text = detail::joined();\n", "names a detail"),
    ("bench/cost/deep.cpp", "using namespace stagecut::detail;\n", "names a detail"),
    ("bench/cost/deep.cpp", "namespace inner = stagecut::inline STAGECUT_ABI::testing::detail;\n", "names a detail"),
    ("bench/cost/deep.cpp", "namespace detail {\n}\nusing stagecut::testing::detail::check;\n", "bench/cost/deep.cpp:3: names a detail"),
    ("docs/chains.md", "+```cpp\nstagecut::detail::joined();\n```\n", "names a detail"),
    ("include/stagecut/core/loose.ipp", HEADER, "loose.ipp: bodies stand in detail/"),
    ("include/stagecut/core/detail/loose.ipp", HEADER, "one header of core has to include it at its end, not []"),
    ("include/stagecut/core/detail/loose.ipp", HEADER, "loose.ipp: stagecut/source/core.hpp does not include it"),
    ("include/stagecut/core/detail/gallop.hpp", "+" + AT_END, "one header of schedule has to include it at its end, not ['stagecut/core/"),
    ("include/stagecut/schedule/two_doors.hpp", HEADER + AT_END, "not ['stagecut/schedule/check_schedule.hpp', 'stagecut/schedule/two_doors.hpp']"),
    ("include/stagecut/schedule/detail/other.hpp", HEADER + f"#include <{BODIES}>\n", "is included by ['stagecut/schedule/detail/other.hpp']"),
    ("include/" + BODIES, HEADER + "#include <stagecut/core/cuts.hpp>\n", "does not include stagecut/schedule/check_schedule.hpp first"),
    ("include/" + BODIES, "+#include <regex>\n", "includes regex: not in"),
    ("include/stagecut/core/cuts.hpp", "+#ifdef STAGECUT_COMPILED\n#endif\n", "cuts.hpp: asks for the form"),
    ("include/stagecut/core/cuts.hpp", "+#define STAGECUT_DECL\n", "cuts.hpp: defines the macro STAGECUT_DECL"),
]


def rooms(root, script=here / "rooms.py"):
    ended = subprocess.run([sys.executable, script, root], capture_output=True, text=True)
    return ended.returncode, ended.stdout


def plant(root, name, text):
    """Writes a file; what it returns puts back what was there."""
    path = root / name
    before = path.read_text() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.unlink()
    else:
        path.write_text((before or "") + text[1:] if text.startswith("+") else text)

    def restore():
        if before is not None:
            path.write_text(before)
            return
        path.unlink()
        empty = path.parent
        while empty.parent != root and not any(empty.iterdir()):
            empty.rmdir()
            empty = empty.parent

    return restore


def batches():
    """What is planted together: in different files, and told apart by what is said."""
    rest = PLANTED
    while rest:
        batch = []
        for each in rest:
            if all(each[0] != file and each[2] not in said and said not in each[2] for file, _, said in batch):
                batch.append(each)
        yield batch
        rest = [each for each in rest if each not in batch]


def check_batch(root, batch):
    restore = [plant(root, name, text) for name, text, _ in batch]
    status, output = rooms(root)
    for put_back in reversed(restore):
        put_back()
    for name, _, said in batch:
        others = [other for _, _, other in batch if other != said]
        if status == 0 or not any(said in line and not any(other in line for other in others) for line in output.splitlines()):
            wrong.append(f"{name}: not found: {said}; rooms.py ended with {status}: {output}")


def checked(root, file, text, said, script, *words):
    """Plants a violation that another script than rooms.py looks for."""
    restore = plant(root, file, text)
    ended = subprocess.run([sys.executable, here / script, *map(str, words)], capture_output=True, text=True)
    restore()
    if ended.returncode == 0 or said not in ended.stdout:
        wrong.append(f"{script} does not say {said}: {ended.stdout}{ended.stderr}")


def components(root):
    """Configures the library alone."""
    options = [f"-DSTAGECUT_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
    ended = subprocess.run(["cmake", "--fresh", "-S", root, "-B", root / "build", f"-DCMAKE_CXX_COMPILER={sys.argv[1]}", *options],
                           capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def with_headers(script, texts, *words):
    """What a script says of a project with these headers alone."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tests").mkdir()
        for each in (script, "headers.py"):
            shutil.copy(here / each, root / "tests")
        for name, text in texts.items():
            plant(root, f"include/stagecut/{name}.hpp", HEADER + text)
        ended = subprocess.run([sys.executable, root / "tests" / script, sys.argv[1], *words], capture_output=True, text=True)
        return ended.returncode, ended.stdout


def self_contained(text):
    """Three headers, of which the outer one includes first what the middle one needs; `text` is that of the middle one."""
    return with_headers("self_contained.py", {"inner": "struct inner {};\n", "middle": text,
                                              "outer": "#include <stagecut/inner.hpp>\n#include <stagecut/middle.hpp>\n"})


def check_standards():
    """Each way to read headers refuses something that the others take, and says which way it was."""
    good = {"core/first": "inline int first(long) { return 1; }\n", "sequence/step": "inline int step(long) { return 1; }\n"}
    for name, text, said in (
            ("core/second", "inline int second() { return first(1); }\n", "FAILED: .* backwards"),
            ("joint/late", "inline int late() { return step(1); }\n", "FAILED: .* top_down"),
            ("core/good", "", "3 headers"),
            ("io/types", "#include <typeinfo>\ninline const char* types(int x) { return typeid(x).name(); }\n", "FAILED: .* -fno-rtti"),
            ("core/thrown", "inline int thrown() { throw 1; }\n", "FAILED: .*c.*20 -fno-rtti -fno-exceptions, headers free"),
            ("core/old", "#if __cplusplus > 202002L\n#error\n#endif\n", "FAILED: .*-std=c.*2b")):
        status, output = with_headers("standards.py", {**good, name: text}, "--")
        if bool(status) != said.startswith("FAILED") or not re.search(said, output):
            wrong.append(f"standards.py does not say {said} of {name}: {output}")


wrong = []
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name in ("include", "examples", "bench", "docs", "cmake"):
        shutil.copytree(top / name, root / name)
    for name in ("CMakeLists.txt", "LICENSE", "README.md"):
        shutil.copy(top / name, root)
    (root / "tests").mkdir()
    shutil.copy(here / "foreign_names.hpp", root / "tests")
    if rooms(root)[0] != 0:
        wrong.append("the copy itself is refused:\n" + rooms(root)[1])
    for batch in batches():
        check_batch(root, batch)
    status, output = rooms(root)
    if status != 0:
        wrong.append("what was planted is left in the copy:\n" + output)
    # The table itself, in a copy of the script: core above schedule.
    upside_down = root / "tests" / "rooms.py"
    upside_down.write_text((here / "rooms.py").read_text().replace('"core": ((),', '"core": (("schedule",),'))
    status, output = rooms(root, upside_down)
    if status == 0 or "the table has a cycle: cost -> core -> schedule -> core" not in output:
        wrong.append(f"a table with a cycle is not found: {output}")
    if components(root)[0] != 0:
        wrong.append("the copy itself is not configured:\n" + components(root)[1])
    (root / "include" / "stagecut" / "attic").mkdir()
    status, output = components(root)
    if status == 0 or "no component has attic" not in output:
        wrong.append(f"CMake takes a folder of headers that no component has: {output}")
    (root / "include" / "stagecut" / "attic").rmdir()
    compiler = sys.argv[1]
    detail = "include/stagecut/core/detail/"
    heavy = HEADER + "#include <algorithm>\n#include <functional>\n#include <map>\n"
    others = [  # (file, text, what is said, by which script, with which words)
        ("include/stagecut/core/heavy.hpp", heavy, "core/heavy.hpp  <-- above", "preprocessed_size.py", compiler, root, "core"),
        ("include/stagecut/core/mute.hpp", HEADER + "#include <concepts>\ninline std::size_t none(std::integral auto) { return 0; }\n",
         "core/mute.hpp -std=c++17", "language.py", compiler, root, "core"),
        ("include/stagecut/core/config.hpp", "+#include <regex>\n", "lines     of first  <-- above", "instantiations.py", compiler,
         "--root", root, "--program", "first"),
        (detail + "gallop.hpp", "+inline int unheard_of(int x) { return x; }\n", "does not list unheard_of", "foreign_names.py", "check", root),
        ("tests/foreign_names.hpp", "+X(long_gone)\n", "lists long_gone, which is gone", "foreign_names.py", "check", root),
        (detail + "gallop.hpp", "+template <class T>\nvoid call_gallop(T& x) {\n  gallop(x, x);\n}\n",
         "gallop is called without its namespace", "foreign_names.py", "check", root),
    ]
    others += [
        (detail + "loose.ipp", HEADER, "stagecut/source/core.hpp is not what", "source_headers.py", "check", root),
        ("include/stagecut/search/detail/host.ipp", HEADER + "#include <stagecut/search/best.hpp>\n", "host.ipp includes Thrust",
         "source_headers.py", "check", root),
    ]
    for each in others:
        checked(root, *each)
status, output = self_contained("#include <stagecut/inner.hpp>\ninner made();\n")
if status != 0 or "3 headers in 1 files, 0 failed" not in output:
    wrong.append(f"self_contained.py refuses headers that are: {output}")
status, output = self_contained("inner made();\n")
if status == 0 or "FAILED: stagecut/middle.hpp" not in output:
    wrong.append(f"self_contained.py does not find a header that is not: {output}")
check_standards()
print("\n".join(wrong) or f"{len(PLANTED) + len(others) + 8} planted violations are found")
sys.exit(bool(wrong))
