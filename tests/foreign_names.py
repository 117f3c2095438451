"""The free functions of the rooms whose templates users' types come to: `foreign_names.py write` writes them as the list
in foreign_names.hpp, `foreign_names.py check` fails unless that list holds them all, and where a header calls one of
the function templates without its namespace: argument-dependent lookup would then prefer a function of the user's.

A second argument names another tree than this one."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent).resolve()
rooms = ("core", "profile", "cost", "sequence", "schedule", "engine", "orders", "makespan", "plan", "testing")
# Of numbers and texts alone: no namespace of a user's goes with them.
plain = set(
    "as_computed checked_add each_figure fail find_parted_group from_ordered_bits greatest is_finite is_nan is_negative "
    "joined number_text ordered_bits refuse refuse_layer refuse_middle check_items add_item add_group add_groups scan_group "
    "scan_groups store load first_overflow in_doubles interleaved_one_forward_one_backward each_memory_change start_of memory_shortage "
    "check_run check_bytes few_passes longest_path memory_curve split_makespan steady_windows".split())

function = re.compile(r"^(?:\[\[[^\]\n]*\]\] +)?(?:(?:inline|constexpr|static|STAGECUT_HOST_DEVICE|STAGECUT_DECL) +)*[A-Za-z_][\w:<>, *&]*?[ &*](\w+)\(",
                      re.MULTILINE)
template = re.compile(r"^template <[^\n]*>\n(?:requires[^\n]*\n)?", re.MULTILINE)
call = re.compile(r"(?<![\w:.>~])(\w+)\(")


def without_comments(text):
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', '""', text)


sources = {path: without_comments(path.read_text())
           for room in rooms for path in sorted((root / "include" / "stagecut" / room).rglob("*.[hi]pp"))}
names, templates = set(), set()
for text in sources.values():
    names.update(each.group(1) for each in function.finditer(text))
    for each in template.finditer(text):
        head = function.match(text, each.end())
        if head:
            templates.add(head.group(1))
names -= {"alignas", "operator", "return", "requires", "if", "for", "while"}

if sys.argv[1] == "write":
    listing = root / "tests" / "foreign_names.hpp"
    head = re.match(r"(?:(?!  X\().*\n)*", listing.read_text())[0]
    rest = re.sub(r"(?:  X\(\w+\) *\\?\n)+", "", listing.read_text()[len(head):])
    listing.write_text(head + " \\\n".join("  X(%s)" % name for name in sorted(names)) + "\n" + rest)
    sys.exit()

wrong = []
listed = set(re.findall(r"X\((\w+)\)", (root / "tests" / "foreign_names.hpp").read_text()))
wrong += ["tests/foreign_names.hpp does not list %s" % name for name in sorted(names - listed)]
wrong += ["tests/foreign_names.hpp lists %s, which is gone" % name for name in sorted(listed - names)]
for path, text in sources.items():
    for number, line in enumerate(text.split("\n"), 1):
        for each in call.finditer(line):
            name, before = each.group(1), line[:each.start()]
            declared = not before or re.search(r"(?<!return )(?<!else )(?<=[\w>&*] )$", before)
            if name in templates - plain and not declared and "& %s" % name not in text:
                wrong.append("%s:%d: %s is called without its namespace" % (path.relative_to(root), number, name))
print("\n".join(wrong) or "%d functions, %d of them templates" % (len(names), len(templates)))
sys.exit(bool(wrong))
