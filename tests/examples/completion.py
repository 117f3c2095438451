# SPDX-License-Identifier: BSL-1.0
"""Completions in the shells themselves: all options of every help are offered, the words of options, and files."""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

from help_texts import commands_of, help_of, known_words, options_of
from program import check, fails, failures, run

# What bash does: its words end at `=`, too. Each line of the input is one to complete.
in_bash = r"""
source "$1"
while IFS= read -r line; do
  COMP_WORDS=() COMPREPLY=()
  for word in ${line//=/ = }; do COMP_WORDS+=("$word"); done
  [[ $line == *[\ =] ]] && [[ $line != *= ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _stagecut
  printf '%s\n' "${COMPREPLY[@]}" $'\1'
done
"""

in_fish = r"""
source $argv[1]
while read -l line
    complete -C $line
    printf '\1\n'
end
"""

# zsh completes in a terminal alone. What a completer adds passes `compadd`, which tells here what of it matches, and how it
# is described; Ctrl-T completes, and Ctrl-Y tells when that is over.
in_zsh = r"""
PS1= PS2= RPS1= fpath=($folder $fpath)
unsetopt beep
autoload -Uz compinit
compinit -D -u
compadd() {
  local -a found shown
  if [[ ${@[1,(i)(-|--)]} == *-[AOD]\ * ]]; then builtin compadd "$@"; return; fi
  if (( $@[(I)-d] )); then shown=("${(@P)@[${@[(i)-d]} + 1]}"); fi
  builtin compadd -A found -D shown "$@"
  (( $#found )) && print -rl -- "${found[@]}" >> $folder/heard
  (( $#shown )) && print -rl -- $'\2'${^shown} >> $folder/heard
  builtin compadd "$@"
}
offer() { _main_complete; print -r -- $'\3' >> $folder/heard }
zle -C offered complete-word offer
bindkey '^T' offered
over() { print -r -- $'\1' >> $folder/heard }
zle -N over
bindkey '^Y' over
over
"""


def ask_zsh(folder, lines):
    """What it tells of each line."""
    heard = folder / "heard"
    heard.write_text("")
    (folder / ".zshrc").write_text(in_zsh)
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 1000, 400, 0, 0))  # no question whether to list so many
    environment = {**os.environ, "ZDOTDIR": str(folder), "folder": str(folder), "TERM": "dumb"}
    shell = subprocess.Popen(["zsh", "-d", "-i"], stdin=follower, stdout=follower, stderr=follower, cwd=folder / "files",
                             env=environment, start_new_session=True)
    os.close(follower)
    def hear(sign, count):
        """Waits until it has said that so often."""
        end = time.monotonic() + 30
        while heard.read_text().count(f"{sign}\n") < count and time.monotonic() < end:
            if select.select([leader], [], [], 0.005)[0]:
                os.read(leader, 1 << 16)

    try:
        hear("\1", 1)
        for asked, line in enumerate(lines, 1):
            os.write(leader, line.encode() + b"\x14")
            hear("\3", asked)
            os.write(leader, b"\x15\x19")  # Ctrl-U: the line is empty again
            hear("\1", asked + 1)
    finally:
        shell.kill()
        shell.wait()
        os.close(leader)
    return heard.read_text().partition("\1\n")[2].replace("\3\n", "")


class Shell:
    """A shell with the program's script."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.script = folder / ("_stagecut" if name == "zsh" else f"script.{name}")
        self.script.write_text(run("completion", name).stdout)
        checked = subprocess.run([name, "-n", self.script], capture_output=True, text=True)
        check(checked.returncode == 0 and not checked.stderr, name, "does not read its script:", checked.stderr)

    def offers(self, lines):
        """What it offers at the end of each line: a list of lists."""
        text = "".join(f"{line}\n" for line in lines)
        if self.name == "zsh":
            return self.told(ask_zsh(self.folder, lines), lines)
        call = {"bash": ["bash", "--norc", "-c", in_bash, "bash", self.script],
                "fish": ["fish", "--no-config", "-c", in_fish, self.script]}[self.name]
        done = subprocess.run(call, input=text, capture_output=True, text=True, cwd=self.folder / "files", timeout=300)
        check(not done.stderr, self.name, "complains:", done.stderr[:2000])
        return self.told(done.stdout, lines)

    def told(self, text, lines):
        answers = text.split("\1\n")[:-1]
        check(len(answers) == len(lines), self.name, "answered", len(answers), "of", len(lines), "lines")
        return [[each for each in answer.splitlines() if each] for answer in answers]


def questions():
    """Lines to complete, and what has to be offered: what there is, and how it is described."""
    known, lines = known_words(), {}
    for command in commands_of():
        line, help = " ".join(command), help_of(command)
        options = options_of(help)
        for begin in ("-", "--"):
            lines[f"{line} {begin}"] = {name: text.partition("\t")[2] for name, text in options.items() if name.startswith(begin)}
        inner = re.findall(r"^  (\S+) +(.*)$", help.partition("\nSubcommands:\n")[2], re.MULTILINE)
        if inner:
            lines[f"{line} "] = dict(inner)
        elif re.search(r"^Usage: .*\b(FILE|PLAN|PROFILE)\b", help, re.MULTILINE):
            lines[f"{line} "] = dict.fromkeys(files)
        for name, text in options.items():
            kind = text.split("\t")[0].split(" ")[0]
            if not kind:
                continue
            words = files if kind in ("FILE", "FOLDER") else known[" ".join(command[1:]), name]
            lines[f"{line} {name} "] = dict.fromkeys(words)
            if words and words is not files:
                lines[f"{line} {name}={words[-1][:2]}"] = dict.fromkeys(each for each in words if each.startswith(words[-1][:2]))
    lines["stagecut completion "] = dict.fromkeys(("bash", "zsh", "fish"))
    lines["stagecut manual "] = dict.fromkeys(command[-1] for command in commands_of()[1:])
    lines["stagecut sweep --schedules 1f1b,zb-h"] = dict.fromkeys(("zb-h1", "zb-h2"))
    lines["stagecut plan --devices 4 model.json --output mod"] = {"model.json": None}
    lines["stagecut plan --output plan --obj"] = {"--objective": options_of(help_of(("stagecut", "plan")))["--objective"].partition("\t")[2]}
    lines["stagecut profile transformer --preset=llama-2-7"] = {"llama-2-70b": None, "llama-2-7b": None}
    return lines


def compare(shell, line, answer, expected):
    """Holds what is offered against what has to be, and its descriptions where the shell shows them; how many it shows."""
    if shell == "zsh":  # a description stands in a line of its own, behind the name
        described = [each[1:].split(" -- ", 1) for each in answer if each.startswith("\2") and " -- " in each]
        offered = [each.replace("\\", "").rstrip("=") for each in answer if not each.startswith("\2")]
    else:
        described = [each.split("\t", 1) for each in answer if "\t" in each]
        offered = [each.partition("\t")[0] for each in answer]
    if re.search(r"=[^ ]*$", line):
        offered = [each.rpartition("=")[2] for each in offered]
    if re.search(r",[^ ]*$", line):
        offered = [each.rpartition(",")[2] for each in offered]
    offered = set(offered)
    check(offered == set(expected), shell, f"{line!r}: not offered", sorted(set(expected) - offered), "too much", sorted(offered - set(expected)))
    shown = {name.strip(): says for name, says in described if expected.get(name.strip())}
    for name, says in shown.items():
        check(says == expected[name], shell, f"{line!r}:", name, "is described as", says)
    return len(shown)


files = ["model.json", "two words.json"]
fails(2, "SHELL: tcsh not in {bash,zsh,fish} (see stagecut completion --help)", "completion", "tcsh")
fails(2, "SHELL is required", "completion")
shells = [each for each in ("bash", "zsh", "fish") if shutil.which(each)]
if not shells:
    print("skipped: there is neither bash nor zsh nor fish")
    sys.exit(77)
asked = questions()
check(len(asked) > 150 and sum(map(len, asked.values())) > 400, len(asked), "questions")
descriptions = sum(text is not None for line, words in asked.items() if not line.endswith(" -") for text in words.values())
with tempfile.TemporaryDirectory() as name:
    for shell in shells:
        folder = pathlib.Path(name) / shell
        (folder / "files").mkdir(parents=True)
        for each in files:
            (folder / "files" / each).touch()
        program = Shell(shell, folder)
        answers = program.offers(list(asked))
        # In a terminal zsh now and then offers nothing: such lines are asked once more, in a new one.
        again = [line for line, answer in zip(asked, answers) if shell == "zsh" and not answer and asked[line]]
        later = dict(zip(again, program.offers(again)))
        answers = [later.get(line, answer) for line, answer in zip(asked, answers)]
        check(len(again) < 4, shell, "offered nothing at first:", again)
        shown = sum(compare(shell, line, answer, asked[line]) for line, answer in zip(asked, answers))
        check(shell == "bash" or shown >= descriptions, shell, "describes", shown, "of", descriptions)

print(f"{len(asked)} lines with {sum(map(len, asked.values()))} words, completed by {', '.join(shells)}: {len(failures)} failures")
sys.exit(1 if failures else 0)
