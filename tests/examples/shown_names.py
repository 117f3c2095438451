# SPDX-License-Identifier: BSL-1.0
"""Names that would mislead a reader or a terminal: no output of the program for people holds any such character."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

from program import binary, check, failures, run_in_terminal

# Controls, directions, ends of lines, what takes no room, tags, no characters; and bytes that are no UTF-8.
classes = {
    "c0": "\x01\x1b[31m\t\n\r", "c1": "\x7f\x80\x85\x9b31m\x9f", "directions": "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e",
    "isolates": "\u2066\u2067\u2068\u2069", "lines": "\u2028\u2029", "unseen": "\u200b\u200c\u200d\u2060\u00ad\ufeff\ufe0f",
    "annotations": "\ufff9\ufffa\ufffb", "tags": "\U000e0001\U000e0041\U000e007f", "none": "\ufffe\uffff\U0001ffff"}
everything = "".join(classes.values())
misleading = set(everything) - set("[31m\n")
no_utf8 = b"\xff\xc0\x80\xed\xa0\x80"


def look(place, raw, line_feeds=True):
    """The text, which must be UTF-8 without misleading characters."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        check(False, place, "is no UTF-8:", error)
        return raw.decode(errors="replace")
    for number, line in enumerate(text.split("\n"), 1):
        found = misleading & set(line)
        check(not found, f"{place}: line {number} holds", sorted(map(ascii, found)), ascii(line))
    check(line_feeds or text.count("\n") == 1, place, "is not one line:", ascii(text))
    return text


def run(*words, status=0, stdin=b""):
    done = subprocess.run([binary, *words], input=stdin, capture_output=True)
    place = "stagecut " + " ".join(ascii(os.fsdecode(word)) for word in words)
    check(done.returncode == status, place, "ended with", done.returncode, ascii(done.stderr))
    if done.stderr:
        check(any(spelt in done.stderr for spelt in (b"\\u", b"\\U", b"\\x")), place, "does not say it:", done.stderr)
        look(place + ", standard error", done.stderr, line_feeds=False)
    return place, done.stdout


def shows(*words):
    place, raw = run(*words)
    return look(place, raw)


def model(name):
    layers = [{"name": f"{i}{name}", "kind": f"{i // 4}{name}", "forward": 1 + i % 3, "backward": 2, "parameters": 10,
               "activations": 5, "output": 1} for i in range(8)]
    return json.dumps({"schema": "stagecut-profile-2", "name": f"model {name}", "layers": layers})


with tempfile.TemporaryDirectory() as folder:
    at = lambda name: os.path.join(os.fsencode(folder), os.fsencode(name))
    for which, name in {**classes, "everything": everything}.items():
        profile, plan = at(f"{which}.json"), at(f"{which}\u202e\u009b.plan")
        pathlib.Path(os.fsdecode(profile)).write_text(model(name))
        spelt = "".join(c if c in "[31m" else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in name)
        check(spelt[-6:] in shows("show", profile), which, "is not spelt in the table of a profile")
        check(spelt[-6:] in shows("plan", profile, "--devices", "2", "--microbatches", "4"), which, "nor in that of a plan")
        run("plan", profile, "--devices", "2", "--microbatches", "4", "--format", "json", "--output", plan)
        check(json.loads(pathlib.Path(os.fsdecode(plan)).read_text())["profile"]["layers"][0]["name"] == f"0{name}",
              which, "is not kept in a file")
        shows("show", plan)
        check(spelt[-6:] in shows("simulate", plan) or which == "everything", which, "is not spelt in a title")
        shows("compare", plan, plan)
        shows("verify", profile, plan)
        shows("explain", plan)
        for command in (("simulate", plan), ("compare", plan, plan), ("simulate", plan, "--schedule", "gpipe")):
            picture = shows(*command, "--format", "svg")
            check(name not in picture, which, "stands in a picture")
            xml.dom.minidom.parseString(picture)
            trace = json.loads(shows(*command, "--format", "trace"))
            check(trace["traceEvents"], which, "has no trace")
        for each in ("pytorch", "split-module", "torchtitan", "sagemaker"):
            code = shows("show", plan, "--format", each)
            if each in ("pytorch", "split-module"):
                read = eval(code.split("\nschedule")[0].split("=", 1)[1], {"SplitPoint": type("SplitPoint", (), {"BEGINNING": 0})})
                check(any(key.endswith(name) for key in read), which, "is not read back by Python from", each)
        # Files that there are not, or that are none; words and options; names in errors.
        if "\0" not in name:
            run("show", at(name), status=2)
            run("plan", profile, "--devices", name + "\u202e", status=2)
            run("plan", profile, "--devices", "2", "--schedule", name + "\u202e", status=2)
            run("plan", profile, "--devices", "2", "--forbid-cut", name + "\u202e", status=2)
            run(name + "\u202e", status=2)
            run("simulate", plan, "--format", name + "\u202e", status=2)
        run("plan", "-", "--devices", "2", "--memory", "1B", status=3, stdin=model(name + "\u202e").encode())
        for wrong in ({"name": "a", "forward": name + "\u202e"}, {"forward": 1, "tied": [{"name": "a", name + "\u202e": 1}]}):
            file = json.dumps({"schema": "stagecut-profile-2", "layers": [wrong]}).encode()
            run("show", "-", status=2, stdin=file.replace(b'"a"', b'"a", "bytes": 1') if "tied" in wrong else file)
        run("profile", "transformer", "--preset", name + "\u202e", status=2)
        printed = run_in_terminal(90, "simulate", os.fsdecode(plan))
        look("the terminal", re.sub(r"\x1b\[[0-9;]*m|\r", "", printed).encode())
    # CSV holds any bytes.
    rows = b"".join(b"%d%s,k%s,1,2,10,5,1\n" % (i, no_utf8, no_utf8) for i in range(4))
    raw = at("bytes.csv")
    pathlib.Path(os.fsdecode(raw)).write_bytes(b"name,kind,forward,backward,parameters,activations,output\n" + rows)
    check(r"\xed\xa0\x80" in shows("plan", raw, "--devices", "2"), "no UTF-8 is not spelt")
    shows("show", raw)
    run("plan", raw, "--devices", "2", "--format", "pytorch", status=2)
    run("plan", raw, "--devices", "2", "--format", "json", status=2)
    run("show", at(no_utf8), status=2)
    run(no_utf8, status=2)
    # A name that layers are written with, and files of dry runs that there are not.
    peaks = {"head_memory": 4600, "tail_memory": 2000, "body_memories": {"stage_id": [1, 2], "memories": [1600, 2800]}}
    init = json.dumps({"pipeline_config": {"pipeline_num": 4, "num_layer": 6, "offset": [1, 0, 1, 0]}, "recompute_config": {}, "memory_usage": peaks}).encode()
    fit = ("fit", "memory", "-", "--no-constant", "--times", "1,2,3", "--format", "sapp")
    run(*fit, "--name", no_utf8, status=2, stdin=init)
    run("fit", "memory", at(no_utf8), status=2)
    run(*fit, "--logs", at(everything + ".log"), status=2, stdin=init)

print("FAILED" if failures else "no output holds what would mislead")
sys.exit(1 if failures else 0)
