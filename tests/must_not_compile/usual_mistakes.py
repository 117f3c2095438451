# SPDX-License-Identifier: BSL-1.0
"""The usual mistakes with costs: none compiles, and the first ten lines of what the compiler says name the way out.

`usual_mistakes.py COMPILER`"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

compiler = sys.argv[1]
include = pathlib.Path(__file__).resolve().parent.parent.parent / "include"
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
    "minimize_objective": "2, total()",
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


def refused(name, header, body, named):
    text = (f"#include <vector>\n#include <stagecut/cost/prefix_sums.hpp>\n#include <stagecut/{header}.hpp>\n"
            f"#include <stagecut/sequence/minimize_total.hpp>\nusing namespace stagecut;\nint main() {{\n{body}\n}}\n")
    run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"], input=text, text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
    said = run.stderr.splitlines()[:LINES]
    if run.returncode == 0:
        return f"{name}: compiles"
    if not any(each in line for each in named for line in said):
        return "\n".join([f"{name}: none of {named} in the first {LINES} lines:", *said])
    return None


cases = [(f"{call} of {mistake}", f"sequence/{call}", f"{before}\n(void){call}({argument}, {rest});", named)
         for call, rest in PARTITIONERS.items() for mistake, (before, argument, named) in MISTAKES.items()]
cases += [(f"minimize_total without a number of stages of {mistake}", "sequence/minimize_total",
           f"{before}\n(void)minimize_total({argument});", named) for mistake, (before, argument, named) in MISTAKES.items()]
cases += [(body, "cost/objective", body, named) for body, named in OTHERS.items()]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [problem for problem in pool.map(lambda case: refused(*case), cases) if problem]
print("\n".join(problems) or f"{len(cases)} mistakes are refused, each with the way out in the first {LINES} lines")
sys.exit(1 if problems else 0)
