# SPDX-License-Identifier: BSL-1.0
"""The manual pages: every option of every help stands in its page and nothing else, roff's readers find no fault with them,
and their examples run."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from help_texts import commands_of, help_of, known_words, options_of
from program import binary, check, fails, failures, run


def plain(text):
    """What roff prints of a text."""
    for sign, said in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ha", "^"), ("\\(ti", "~"), ("\\(ga", "`"), ("\\&", ""), ("\\e", "\\")):
        text = text.replace(sign, said)
    return re.sub(r"\\f[BIR]", "", text)


def section(page, name):
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", page, re.MULTILINE | re.DOTALL)
    check(found, name, "is missing in", page[:80])
    return found.group(1) if found else ""


def words(text):
    """All of it in one line, without macros."""
    return " ".join(plain(line) for line in text.splitlines() if not line.startswith(".")).strip()


def look(command, page):
    """Holds a page against the help; how many options it has."""
    help, name = help_of(command), "-".join(command)
    says = re.sub(r"(?<!\.)\.$", "", help.splitlines()[0])
    check(words(section(page, "NAME")) == f"{name} - {says}", name, "says another thing than help")
    check("Usage: " + words(section(page, "SYNOPSIS")) in help.splitlines(), name, "has another usage than help")
    said = options_of(help)
    written = {}
    for tag, text in re.findall(r"^\.TP\n(.*)\n((?:[^.\n].*\n)*)", section(page, "OPTIONS"), re.MULTILINE):
        names, _, value = tag.partition(r" \fI")
        for each in plain(names).split(", "):
            written[each] = f"{plain(value)}\t{words(text)}"
    check(set(said) == set(written), name, "differs in", set(said) ^ set(written))
    for each, text in said.items():
        text = text.replace(" REQUIRED\t", "\t").replace(" ...\t", "\t")
        check(written.get(each, "").startswith(text), name, each, "is not", text, "but", written.get(each))
        missing = [word for word in known.get((" ".join(command[1:]), each), []) if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", written.get(each, ""))]
        check(not missing, name, each, "does not tell of", missing)
    headings = re.findall(r"^\.SS (.*)$", page, re.MULTILINE)
    check(headings == [each for each in re.findall(r"^(\w.*):$", help, re.MULTILINE) if each not in ("Options", "Subcommands")], name, headings)
    for each in ("DESCRIPTION", "EXIT STATUS", "EXAMPLES", "FILES"):
        check(len(words(section(page, each))) > 20, name, "says nothing of", each)
    return len(said)


def lint(pages):
    """Which readers were there. A page has no date, so that it is the same whenever it is made: of that alone mandoc may speak."""
    readers = []
    if shutil.which("mandoc"):
        readers.append("mandoc")
        said = subprocess.run(["mandoc", "-T", "lint", *pages], capture_output=True, text=True).stdout.splitlines()
        said = [line for line in said if 'missing date, using "": TH' not in line]
        check(not said, "mandoc:", *said)
    if shutil.which("groff"):
        readers.append("groff")
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", *pages], capture_output=True, text=True)
        check(done.returncode == 0 and not done.stderr, "groff:", done.stderr)
    if shutil.which("man"):
        readers.append("man")
        for page in pages:
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], capture_output=True, text=True, env={**os.environ, "MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            if "has been minimized" in done.stdout:  # a stand-in of small images
                readers.remove("man")
                break
            check(done.returncode == 0 and not done.stderr and "NAME" in done.stdout, "man:", page, done.stderr)
    return readers


def run_examples(pages, folder):
    """Runs the examples of all pages in one folder, those of stagecut(1) first; how many."""
    home, programs = folder / "home", folder / "programs"
    for each in ("share/bash-completion/completions", "zfunc", "fish"):
        (folder / each).mkdir(parents=True)
    for each in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (home / each).mkdir(parents=True)
    programs.mkdir()
    (programs / "stagecut").symlink_to(binary if os.path.isabs(binary) else pathlib.Path(binary).resolve())
    environment = {**os.environ, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "MANPAGER": "cat"}
    count = 0
    for page in pages:
        for line in re.findall(r"^\.nf\n(.*)\n\.fi$", section(page.read_text(), "EXAMPLES"), re.MULTILINE):
            line = plain(line)
            if "&& man " in line and "man" not in readers:
                line = line[: line.index(" && man ")]
            done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
            large = done.stderr.endswith(": nothing limits the plan, by --memory none\n")  # than the device it is computed for
            limit = re.fullmatch("stagecut: memory: within .* less a reserve of 4 GiB\n", done.stderr)
            links = re.fullmatch("stagecut: links: .*\n", done.stderr)  # what was understood of them
            traced = re.fullmatch(r"(stagecut: (trace|model)\.json: .*\n)+", done.stderr)  # whose kernels a trace has
            check(done.returncode == 0 and (not done.stderr or large or limit or links or traced), line, "ended with", done.returncode, done.stderr)
            count += 1
    return count


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    made = folder / "man1"
    check(run("manual", "--all", made).returncode == 0, "--all")
    commands, known = commands_of(), known_words()
    names = ["-".join(command) + ".1" for command in commands]
    check(sorted(os.listdir(made)) == sorted(names), "the pages are not those of the commands:", sorted(os.listdir(made)))
    pages = [made / each for each in names]
    options = 0
    for command, path in zip(commands, pages):
        page = path.read_text()
        check(run("manual", *command[1:]).stdout == page, command, "is another page alone")
        check(page.isascii() and not re.search(r"[ \t]$", page, re.MULTILINE), command, "ends lines in blanks, or is not ASCII")
        check(not re.search(r"(?<!\\)-", page), command, "has hyphens where options and words have dashes")
        options += look(command, page)
        others = re.findall(r"^\.BR (\S+) \(1\)", section(page, "SEE ALSO"), re.MULTILINE)
        check({plain(each) for each in others} == {each[:-2] for each in names} - {path.stem}, command, "names other pages:", others)
        for each in set(re.findall(r"(stagecut[a-z-]*)\(1\)", plain(page))):
            check(each + ".1" in names, command, "cites", each)
    program = words(section(pages[0].read_text(), "EXIT STATUS"))
    check([int(each) for each in re.findall(r"\b([0-9])\b", program)] == [0, 1, 1, 2, 3, 4], program)
    version = run("--version").stdout.strip()
    check(all(path.read_text().splitlines()[1].startswith(f'.TH {path.stem.upper()} 1 "" "{version}" '.replace("-", "\\-")) for path in pages), "titles")
    readers = lint(pages)
    examples = run_examples(pages, folder)

fails(2, "COMMAND: plans is no command: did you mean plan? (see stagecut manual --help)", "manual", "plans")
fails(2, "COMMAND: transformer is no command", "manual", "transformer")
fails(2, "--all: goes without the name of a command", "manual", "plan", "--all", "pages")
check(run("manual").stdout.startswith('.\\" Made'), "without a name")

print(f"{len(pages)} pages, {options} options, {examples} examples, read by {', '.join(readers) or 'nobody'}: {len(failures)} failures")
sys.exit(1 if failures else 0)
