# SPDX-License-Identifier: BSL-1.0
"""The usual mistakes with costs, constraints and pipeline models: none compiles, and the first ten lines of what the compiler says name the way out.

`usual_mistakes.py [--apart] COMPILER [ROOM [FOLDER...]]`: those of sequence and makespan, or of another room, with these folders of
headers. All stand in one file, which takes as long as one of them, and what is said of each is told apart; a mistake of which the way
out is not found there is compiled once more by itself. With --apart each is compiled by itself alone."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import mistakes_by_room

apart = "--apart" in sys.argv
compiler, *asked = [word for word in sys.argv[1:] if word != "--apart"]
is_clang = "clang" in subprocess.run([compiler, "--version"], text=True, capture_output=True).stdout
PRECOMPILED = "all.hpp.gch"
include = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
COMMAND = [compiler, "-std=c++20", "-DSTAGECUT_COMPILED", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", f"-I{include}",
           # The compiler's own folder stays where it is: moved, the standard library does not find that of C.
           *(argument for folder in asked[1:] if folder not in ("", "/usr/include") for argument in ("-isystem", folder))]
LINES = 10

# g++ prints the type that the deleted function would return, clang the line that declares it.
SAYS_CONST = ("has_to_be_const", "// declare it operator()(first, last) const")

MISTAKES = {  # what it is: (before the call, the argument, one of these is named)
    "a vector": ("const std::vector<double> items{1, 2, 3};", "items", ("prefix_sums",)),
    "a list": ("", "{1.0, 2.0, 3.0}", ("prefix_sums",)),
    "a lambda": ("const auto f = [](std::size_t first, std::size_t last) { return last - first; };", "f",
                 ("monotone(n, f)", "monotone_n_f")),
    "an operator that is not const": (
        "struct { std::size_t size() const { return 3; } double operator()(std::size_t i, std::size_t j) { return double(j - i); } } own;",
        "own", SAYS_CONST),
    "a lambda that is not const": ("auto f = [n = 0](std::size_t first, std::size_t last) mutable { return last - first + ++n; };",
                                   "f", SAYS_CONST),
    "a number": ("", "3", ("prefix_sums",)),
}
PARTITIONERS = {  # what follows the cost
    "minimize_bottleneck": "2",
    "minimize_bottleneck_then": "2, [](const auto& within) { return minimize_total(prefix_sums{1.0, 2.0, 3.0}, 2, within); }",
    "minimize_total": "2",
    "minimize_objective": "2, total_cost()",
    "minimize_leximax": "2",
    "minimize_range": "2",
    "minimize_variance": "2",
    "block_partition": "2",
    "fewest_stages": "2.0",
}
OTHERS = {  # the program: what is named
    "(void)(monotone | isotone);": ("no_cost_constraint_or_objective_promises_both", "nothing promises both"),
    "using mine = axioms<monotone, isotone>;": ("axioms_of_one_kind",),
    "using mine = axioms<additive, hereditary>;": ("axioms_of_one_kind",),
    "(void)isotone(3, [](std::size_t, std::size_t) { return 0; });": ("only_a_cost_is_made_of_a_function", "promise what a cost can"),
    "(void)monotone(3, [n = 0](std::size_t, std::size_t) mutable { return ++n; });": ("has_to_be_const", "without `mutable`"),
}


ADDITIVE = ("minimize_range", "minimize_variance", "block_partition")
NOT_ADDITIVE = "const auto own = monotone(3, [](std::size_t first, std::size_t last) { return double(last - first); });"
CONSTRAINED = ("minimize_bottleneck", "minimize_total", "minimize_leximax", "minimize_range", "minimize_variance", "fewest_stages")
TWO = "[](std::size_t, std::size_t) { return true; }"
# What a function without a stage is taken for: g++ names the type, clang the line.
SAYS_ASKED = ("is_asked_of_stage_first_last", "// asked: (stage, first, last)")
GIVE = ("give_a_cost_as_prefix_sums_or_monotone_n_f",)
FUNCTION = "const auto f = [](std::size_t first, std::size_t last) { return double(last - first); };"
TIMES = "cut_times({1, 2, 3}, {{}})"
MADE_OF_COSTS = {  # what it is: (header, the program, one of these is named)
    "at_speeds of a vector": ("at_speeds", "at_speeds made(items, {1.0, 2.0});", GIVE),
    "at_speeds of a function": ("at_speeds", f"{FUNCTION} at_speeds made(f, {{1.0, 2.0}});", GIVE),
    "added_cuts of a vector": ("added_cuts", f"added_cuts made(items, {TIMES});", ("give_an_additive_cost",)),
    "added_cuts of a vector, with speeds": (
        "added_cuts", f"added_cuts made(items, {TIMES}, {{1.0, 2.0}});", ("give_an_additive_cost",)),
    "added_cuts of a monotone cost": ("added_cuts", f"{NOT_ADDITIVE} added_cuts made(own, {TIMES});", ("give_an_additive_cost",)),
    "overlapped_cuts of a vector": ("overlapped_cuts", f"overlapped_cuts made(items, {TIMES});", ("give_a_monotone_cost",)),
    "overlapped_cuts of a cost without a promise": (
        "overlapped_cuts", f"{NOT_ADDITIVE} const auto all = axioms<>()(3, own); overlapped_cuts made(all, {TIMES}, {{1.0}});",
        ("give_a_monotone_cost",)),
    "at_most of a function": ("at_most", f"{FUNCTION} at_most made(f, 2.0);", GIVE),
    "at_most of a vector": ("at_most", "at_most made(items, {2.0, 3.0});", GIVE),
}
PASSES = "double forward(std::size_t, std::size_t) {0} {{ return 1; }} double backward(std::size_t, std::size_t) {0} {{ return 1; }}"
SIZE = "std::size_t size() const { return 3; }"
ITEM_TIMES = "item_times own({1, 2, 3}, {1, 2, 3});"


def own_model(members):
    return f"struct {{ {SIZE} {PASSES.format('const')} {members} }} own;"


def item_model(members):
    return f"struct model : item_times {{ using item_times::item_times; {members} }}; model own({{1, 2, 3}}, {{1, 2, 3}});"


MODELS = {  # what it is: (before the call, the model, what follows the request, one of these is named)
    "a vector": ("", "items", "", ("item_times",)),
    "a cost": ("", "prefix_sums(items)", "", ("item_times",)),
    "a model that is not const": (f"struct {{ {SIZE} {PASSES.format('')} }} own;", "own", "", ("// declare its members const",
                                                                                          "have_to_be_const")),
    "a model without a backward pass": (
        f"struct {{ {SIZE} double forward(std::size_t, std::size_t) const {{ return 1; }} }} own;", "own", "",
        ("// pipeline_model: docs/makespan.md",)),
    "a number": ("", "3", "", ("// pipeline_model: docs/makespan.md",)),
    "a constraint of two": (ITEM_TIMES, "own", TWO, ("constraint_of_stage_first_last",)),
    "a heuristic that returns nothing": (
        ITEM_TIMES, "own", "[](const heuristic_call&, view<std::size_t>) {}", ("or_a_heuristic_of_task_points",)),
    "a heuristic of a vector": (
        ITEM_TIMES, "own", "[](const heuristic_call&, std::vector<std::size_t>&) { return false; }", ("or_a_heuristic_of_task_points",)),
    "a heuristic before the constraint": (
        ITEM_TIMES, "own", "[](const heuristic_call&, view<std::size_t>) { return false; }, [](std::size_t, std::size_t, std::size_t) { return true; }",
        ("behind_a_constraint_comes_a_heuristic",)),
    "a vector and a constraint of two": ("", "items", TWO, ("item_times",)),
    "backward_weight of an item alone": (
        own_model("double backward_weight(std::size_t) const { return 0; }"), "own", "", ("backward_weight(stage, item) const",)),
    "stage_forward that is not const": (
        item_model("double stage_forward(std::size_t) { return 0; }"), "own", "", ("stage_forward(stage) const",)),
    "stage_backward that says nothing": (
        item_model("void stage_backward(std::size_t) const {}"), "own", "", ("stage_backward(stage) const",)),
    "stage_backward_weight as a list": (
        item_model("std::vector<double> stage_backward_weight;"), "own", "", ("stage_backward_weight(stage) const",)),
    "sent of two": (
        own_model("double sent(std::size_t, std::size_t) const { return 0; }"), "own", "", ("sent(cut) const",)),
    "memory without a number in flight": (
        item_model("double memory(std::size_t, std::size_t, std::size_t) const { return 0; }"), "own", TWO.replace("(", "(std::size_t, ", 1),
        ("memory(stage, first, last, in_flight) const",)),
    "least_memory without a stage": (
        item_model("double least_memory(std::size_t, std::size_t, std::size_t) const { return 0; }"), "own", "",
        ("least_memory(stage, first, last, in_flight) const",)),
    "recomputed of items alone": (
        item_model("double recomputed(std::size_t, std::size_t) const { return 0; }"), "own", "",
        ("recomputed(stage, first, last) const",)),
    "recomputes that is not const": (item_model("bool recomputes() { return true; }"), "own", "", ("recomputes() const",)),
    "splits_backward as a value": (own_model("bool splits_backward = true;"), "own", "", ("splits_backward() const",)),
    "a wrong member inside with_speeds": (
        item_model("double stage_forward() const { return 0; }"), "with_speeds<model>(own, {1, 2})", "", ("stage_forward(stage) const",)),
    "a wrong member inside with_stage_times": (
        item_model("double stage_forward() const { return 0; }"), "with_stage_times<model>(own, {})", "", ("stage_forward(stage) const",)),
}


def precompile(headers, folder, others=()):
    """All headers of the mistakes, read once; without bodies, where no mistake is seen."""
    lines = ["string", "utility", "vector", *others, *(f"stagecut/{each}.hpp" for each in headers)]
    (folder / "all.hpp").write_text("".join(f"#include <{each}>\n" for each in lines))
    subprocess.run([*COMMAND, "-x", "c++-header", folder / "all.hpp", "-o", folder / PRECOMPILED], check=True)


def compiled(folder, text, types, *options):
    """What the compiler says of a file, and whether it takes it."""
    read = ["-include-pch", folder / PRECOMPILED] if is_clang else []
    run = subprocess.run([*COMMAND, "-fsyntax-only", f"-I{folder}", *read, *options, "-x", "c++", "-"], text=True,
                         input=f'#include "all.hpp"\n{types}\nusing namespace stagecut;\n{text}', stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
    return run.stderr.splitlines(), run.returncode == 0


def names_way(lines, named):
    return any(each in line for each in named for line in lines[:LINES])


def refused(folder, name, body, named, types=""):
    said, taken = compiled(folder, f"int main() {{\n{body}\n}}\n", types)
    if taken:
        return f"{name}: compiles"
    if not names_way(said, named):
        return "\n".join([f"{name}: none of {named} in the first {LINES} lines:", *said[:LINES]])
    return None


def refused_together(folder, cases, types):
    """The cases that are refused, each with its way out in the first lines that name it: what one file says that has all of them."""
    text = "".join(f'#line 1 "case_{i}"\nvoid case_{i}() {{\n{body}\n}}\n' for i, (_, body, _) in enumerate(cases))
    said = {}  # of each case, the lines of its errors
    for error in errors(compiled(folder, text, types, *(["-ferror-limit=0"] if is_clang else []))[0]):
        if places := re.findall(r"^case_(\d+):\d", "\n".join(error), re.MULTILINE):
            said.setdefault(int(places[0]), []).extend(error)
    return [case for i, case in enumerate(cases) if names_way(said.get(i, ()), case[2])]


def errors(lines):
    """The lines of each error, with what leads to it and the notes that follow."""
    found, leading = [[]], []
    for line in lines:
        if re.match(r"In file included from| +from |\S+: (In|At) |\S+:   (required|recursively|in)", line):
            leading.append(line)
            continue
        if re.match(r"\S+: (fatal )?error: ", line):
            found.append([])
        found[-1] += [*leading, line]
        leading = []
    return found[1:]


def sequence_and_makespan():
    """The mistakes with partitioners of chains: the headers, those of other libraries, what stands before main, the cases."""
    cases = [(f"{call} of {mistake}", f"sequence/{call}", f"{before}\n(void){call}({argument}, {rest});", named)
             for call, rest in PARTITIONERS.items() for mistake, (before, argument, named) in MISTAKES.items()]
    cases += [(f"minimize_total without a number of stages of {mistake}", "sequence/minimize_total",
               f"{before}\n(void)minimize_total({argument});", named) for mistake, (before, argument, named) in MISTAKES.items()]
    cases += [(body, "cost/objective", body, named) for body, named in OTHERS.items()]
    cases += [(f"{call} of a cost that is not additive", f"sequence/{call}", f"{NOT_ADDITIVE}\n(void){call}(own, {PARTITIONERS[call]});",
               ("additive_cost",)) for call in ADDITIVE]
    cases += [(f"{call} with a constraint of two", f"sequence/{call}",
               f"const prefix_sums own{{1.0, 2.0, 3.0}};\n(void){call}(own, {PARTITIONERS[call]}, {TWO});", SAYS_ASKED) for call in CONSTRAINED]
    cases += [(name, f"cost/{header}", f"const std::vector<double> items{{1, 2, 3}};\n{body}", named)
              for name, (header, body, named) in MADE_OF_COSTS.items()]
    cases += [(f"minimize_makespan of {name}", "makespan/minimize_makespan",
               f"const std::vector<double> items{{1, 2, 3}};\nmakespan_request request;\n{before}\n"
               f"(void)minimize_makespan({model}, request{rest and ', ' + rest});", named) for name, (before, model, rest, named) in MODELS.items()]
    headers = dict.fromkeys(["cost/prefix_sums", "cost/stage_times", "cost/with_speeds", "sequence/minimize_total",
                             *(case[1] for case in cases)])
    return headers, (), "", "", [(name, body, named) for name, _, body, named in cases]


def of_room(room):
    """Those with what another room has."""
    headers, others, types, values, programs = mistakes_by_room.ROOMS[room]
    # A warning about an answer that nobody reads would stand before the error.
    declares = ("simulation_workspace", "std::vector<long>")
    unread = {body: body if " own" in body or body.startswith(declares) else f"(void){body}" for body, _ in programs}
    return headers, others, types, values, [(body, f"{values}\n{unread[body]}", named) for body, named in programs]


room = asked[0] if asked else None
headers, others, types, values, cases = of_room(room) if room else sequence_and_makespan()
with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    folder = pathlib.Path(made)
    precompile(headers, folder, others)
    right = [] if apart else refused_together(folder, cases, types)
    said = pool.map(lambda case: refused(folder, *case, types), [case for case in cases if case not in right])
    problems = [problem for problem in said if problem]
    if room and not (said := refused(folder, "", values, (), types)).endswith(": compiles"):
        problems.append(f"what stands before the mistakes does not compile{said}")
print("\n".join(problems) or f"{len(cases)} mistakes are refused, each with the way out in the first {LINES} lines; "
      f"{len(right)} of them in one file")
sys.exit(1 if problems else 0)
