# SPDX-License-Identifier: BSL-1.0
"""What the helps of the program say of its commands and options."""

import re

from program import run


def help_of(command):
    """All of the help of a command, a tuple of words from `stagecut` on."""
    brief = run(*command[1:], "--help").stdout
    return run(*command[1:], "--help-all").stdout if "--help-all" in brief else brief


def commands_of(command=("stagecut",)):
    """A command and all within it."""
    _, _, inner = help_of(command).partition("\nSubcommands:\n")
    names = re.findall(r"^  (\S+)", inner, re.MULTILINE)
    return [command] + [each for name in names for each in commands_of((*command, name))]


def options_of(help):
    """What a help says of each name of an option; its words for a value stand before a tabulator."""
    text = re.sub(r"\n {20,}", "  ", help.partition("\nSubcommands:\n")[0])  # of long ones it says that in the next line
    said = {}
    for names, value, says in re.findall(r"^  (-\S+) ?(\S.*?)?  +(\S.*)$", text, re.MULTILINE):
        for each in names.split(","):
            said[each] = f"{value}\t{says}"
    return said


def words_of(command, option):
    """The words that an option takes, as the program says of one that it does not; none: it takes others, too."""
    said = run(*command[1:], f"{option}=@").stderr
    found = re.search(r": @ not in \{(.*?)\}", said)
    return found.group(1).split(",") if found else []


def first_words(*words):
    return [line.split()[0] for line in run(*words).stdout.splitlines()]


def told_apart():
    """The words of those options of which that does not tell them, from where the program tells them."""
    formats, schedules = first_words("formats"), words_of(("stagecut", "plan"), "--schedule")
    plan = ("plan", "-", "--devices", 1)
    optimizers = run(*plan, "--optimizer", "@", stdin="1\n").stderr.partition("nor one of ")[2].partition(" (see")[0].split(", ")
    methods = run(*plan, "--method", "@", stdin="1\n").stderr.partition("is none of ")[2].partition(", type:")[0].split(", ")
    gpus = run("profile", "transformer", "--preset", "gpt2-xl", "--gpu", "@").stderr.partition("is none of ")[2].partition(", and no file")[0].split(", ")
    return {"plan --gpu": gpus, "profile transformer --gpu": gpus, "plan --format": formats, "show --format": formats, "simulate --schedule": first_words("schedules")[1:],
            "sweep --schedules": schedules, "sweep --recompute": ["none", "always"], "fit guide --recompute": ["none", "select", "comm", "both", "full"], "plan --method": methods,
            "plan --optimizer": optimizers, "sweep --optimizer": optimizers}


def known_words():
    """The words of every option that takes something: none where nothing is known of it."""
    apart, known = told_apart(), {}
    for command in commands_of():
        for name, text in options_of(help_of(command)).items():
            if not text.startswith("\t"):
                of = " ".join(command[1:])
                written = text.startswith(("FILE", "FOLDER"))  # it would be
                known[of, name] = apart.get(f"{of} {name}") or ([] if written else words_of(command, name))
    return known
