# SPDX-License-Identifier: BSL-1.0
"""No public header has numbers of less than 64 bits for layers, stages, microbatches, vertices or candidates, but for tables that
are kept small on purpose: those stand below, with what keeps numbers that do not fit away from them. `index_width.py [ROOT]`."""

import pathlib
import re
import sys

root = (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent) / "include" / "stagecut"
NO_INDEX = ["core/arithmetic.hpp", "core/error.hpp", "core/visible.hpp", "cost/axioms.hpp", "graph/minimize_load.hpp",
            "graph/plan_graph.hpp", "graph/stage_figures.hpp", "io/pictures/axis_marks.hpp", "io/pictures/data_unit.hpp",
            "sequence/minimize_variance.hpp", "testing/archetypes.hpp", "testing/counted.hpp"]
# Tables: the header that refuses what would not fit, and its words.
TASKS = ("schedule/parts/task_builder.hpp", "must be below 2^32")
ELEMENTS = ("graph/precedence.hpp", "must be below 2^32 - 1")
POINTS = ("search/cuts_within.hpp", "nor lie beyond 2^31")
SMALL = {
    **dict.fromkeys(["schedule/lanes.hpp", "schedule/longest_path.hpp", "schedule/op.hpp", "schedule/simulate.hpp",
                     "schedule/slot_program.hpp", "schedule/task_graph.hpp"], TASKS),
    **dict.fromkeys(["graph/operator_costs.hpp", "graph/operator_set.hpp", "graph/precedence.hpp"], ELEMENTS),
    **dict.fromkeys(["search/candidate_space.hpp", "search/cuts_within.hpp", "search/enumerated.hpp", "search/found.hpp",
                     "search/graph_paths.hpp", "search/path_graph.hpp", "search/paths_below.hpp", "search/cut_makespan.hpp"], POINTS),
    **dict.fromkeys(["graph/multilevel.hpp", "graph/weighted_dag.hpp"], ("graph/weighted_dag.hpp", "must be below 2^32 - 1")),
    "search/candidate_list.hpp": ("search/candidate_list.hpp", "must be from 0 to below 2^32"),
    "search/neighbourhood.hpp": ("search/neighbourhood.hpp", "must be below 2^31"),
    "search/peak_memory.hpp": ("search/peak_memory.hpp", "numeric_limits<std::uint32_t>::max()"),
    "search/product.hpp": ("search/product.hpp", "std::uint32_t"),
    "profile/layer.hpp": ("io/detail/json_layer.hpp", "is no stage: it must be below 2^32"),
}
NOT_MEANT = r'//.*|"[^"]*"|enum class \w+ : std::uint\w+|operator(\+\+|--)\(int\)|unsigned (long|char|__int128)'
wrong, seen = [], set()


def with_bodies(header):
    """The text of a header, and of the bodies that it includes, without what stands there as in a private header."""
    text = header.read_text()
    bodies = "".join((root.parent / each).read_text() for each in re.findall(r"#include <(stagecut/\S+\.ipp)>", text))
    return text + re.sub(r"^(namespace stagecut::inline STAGECUT_ABI\S*::detail) \{\n.*?^\}  // \1\n", "", bodies,
                         flags=re.MULTILINE | re.DOTALL)


for header in sorted(root.rglob("*.hpp")):
    name = header.relative_to(root).as_posix()
    if {"detail", "parts", "engine"} & {*header.parts} or header.parent.name == "source":
        continue
    for number, line in enumerate(with_bodies(header).splitlines(), 1):
        if re.search(r"\b(u?int(_fast|_least)?(8|16|32)_t|unsigned|int|short)\b", re.sub(NOT_MEANT, "", line)):
            seen.add(name)
            if name not in NO_INDEX and name not in SMALL:
                wrong.append(f"{name}:{number}: less than 64 bits: {line.strip()}")
for name, (refusal, words) in SMALL.items():
    if not (root / refusal).exists() or words not in with_bodies(root / refusal):
        wrong.append(f"{name}: {refusal} does not refuse what would not fit: {words}")
wrong += [f"{name}: is listed, and has no small numbers" for name in [*NO_INDEX, *SMALL] if name not in seen]
print("\n".join(wrong) or f"{len(seen)} headers have numbers of less than 64 bits, each for a reason")
sys.exit(bool(wrong))
