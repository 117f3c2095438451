# SPDX-License-Identifier: BSL-1.0
"""`sweep` as a user meets it."""

import csv
import json
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

from program import check, fails, failures, run

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    model, table, picture = folder / "model.json", folder / "rows.csv", folder / "rows.svg"
    model.write_text(run("profile", "transformer", "--preset", "llama-2-7b", "--set", "layers=14").stdout)
    words = ("sweep", model, "--devices", "2,4", "--microbatches", "8,16", "--schedules", "1f1b,interleaved,gpipe", "--stages-per-rank", "1,2",
             "--recompute", "none,always", "--memory", "60GiB")
    done = run(*words, "--csv", table, "--svg", picture)
    check(done.returncode == 0 and done.stderr == "", done)
    rows = list(csv.DictReader(table.open(newline="")))
    check(len(rows) == 48, len(rows))
    order = [(r["devices"], r["microbatches"], r["schedule"], r["stages_per_rank"], r["checkpoint"]) for r in rows]
    expected = [(p, m, s, v, c) for p in "24" for m in ("8", "16") for s in ("1f1b", "interleaved", "gpipe") for v in "12"
                for c in ("never", "always")]
    check(order == expected, order)

    # Each row is what `plan` says of it, to the bit.
    planned = [r for r in rows if r["makespan"]]
    check(16 <= len(planned) < 32, len(planned))
    for row in planned:
        made = run("plan", model, "--devices", row["devices"], "--microbatches", row["microbatches"], "--schedule", row["schedule"],
                   "--stages-per-rank", row["stages_per_rank"], "--checkpoint", row["checkpoint"], "--memory", "60GiB", "--format", "json")
        plan = json.loads(made.stdout)
        least, bound = float(row["makespan"]), float(row["bound"])
        # `plan` searches longer: it may only be better, and what is proved holds for both. An iteration ends after its passes.
        found = plan["objective"]["value"]
        check(bound <= found * (1 + 1e-12) and found <= least * (1 + 1e-12) and found < plan["makespan"], row, plan["objective"])
        check(row["state"] != "optimal" or found == least, row, plan["objective"])
        check(float(row["per_microbatch"]) == least / int(row["microbatches"]), row)
        check(0 < float(row["memory"]) <= 60 * 2**30 and float(row["memory_bound"]) <= float(row["memory"]), row)

    # The front, by its definition.
    figures = [(float(r["per_microbatch"]), float(r["memory"])) for r in planned]
    for i, (row, own) in enumerate(zip(planned, figures)):
        beaten = any(all(a <= b for a, b in zip(each, own)) and (each != own or j < i) for j, each in enumerate(figures) if j != i)
        check((row["front"] == "1") == (not beaten), row)

    # The table has those that can be, the picture those that are.
    lines = done.stdout.splitlines()
    shaped = [r for r in rows if " does not run " not in r["why"]]
    check(lines.pop().startswith("times computed, not measured; "), done.stdout)
    check(len(lines) == 3 + len(shaped) == 27, done.stdout)
    check(sum(line.endswith(" front") for line in lines) == sum(r["front"] == "1" for r in rows), done.stdout)
    check(lines[-2].startswith(f"{len(planned)} of 48 configurations have a plan"), lines[-2])
    check(lines[-1] == "24 configurations are not supported by their schedule", lines[-1])
    check(all(len(line) <= 100 for line in lines), done.stdout)
    drawn = xml.etree.ElementTree.fromstring(picture.read_text())
    check(sum(each.tag.endswith("}circle") for each in drawn.iter()) == len(planned), "points")
    check(all(word in picture.read_text() for word in ("memory limit", ">gpipe<", "llama-2-7b")), "picture")
    # The other name of no recomputation, here and in plan, is read too.
    check(run(*(w if w != "none,always" else "never,always" for w in words)).stdout == done.stdout, "never")
    again = [run("plan", model, "--devices", 2, "--microbatches", 8, "--recompute", name).stdout for name in ("none", "never")]
    check(again[0] and again[0] == again[1], again)
    alone = run(*words, "--front").stdout.splitlines()
    check(alone[1:-3] and all(line.endswith(" front") for line in alone[1:-3]), alone)

    # A page of a computed model says for which device, and what the plans of the front process: as `plan` does.
    page = folder / "page.html"
    check(run(*words, "--html", page).stdout == done.stdout, "page")
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page.read_text(), re.S).group(1))
    check(data["figures"][0] == ["run", "computed for a100-80gb, bf16, 4096 tokens a sample"], data["figures"])
    columns = [each.strip() for each in data["table"]["columns"]]
    for row, line in zip(planned, data["table"]["rows"]):
        cells = dict(zip(columns, line))
        check((row["front"] == "1") == (cells["tokens/s"] != "-") == (cells["MFU"] != "-"), cells)
    i = next(i for i, row in enumerate(planned) if row["front"] == "1" and row["state"] == "optimal")
    row, cells = planned[i], dict(zip(columns, data["table"]["rows"][i]))
    made = json.loads(run("plan", model, "--devices", row["devices"], "--microbatches", row["microbatches"], "--schedule", row["schedule"],
                          "--stages-per-rank", row["stages_per_rank"], "--checkpoint", row["checkpoint"], "--memory", "60GiB", "--format", "json").stdout)
    rates = made["predicted"]
    check(cells["tokens/s"] == f"{rates['tokens_per_second']:.0f}" and cells["MFU"] == f"{100 * rates['mfu']:.1f} %", cells, rates)

    # Whatever threads there are, the rows are the same; without what dominates, the front is.
    for threads in (1, 2, 5):
        again = folder / f"{threads}.csv"
        check(run(*words, "--threads", threads, "--csv", again).stdout == done.stdout, threads, "threads")
        check(again.read_bytes() == table.read_bytes(), threads, "threads")
    many = ("sweep", model, "--devices", "1,2,3,4,6", "--microbatches", "12,24,36,48", "--recompute", "never,always", "--node-limit", 20)
    some, every = run(*many), run(*many, "--all")
    check(" were left out: " in some.stdout and "left out" not in every.stdout, some.stdout)
    check([l.split() for l in some.stdout.splitlines() if l.endswith(" front")] ==
          [l.split() for l in every.stdout.splitlines() if l.endswith(" front")], some.stdout, every.stdout)

    # Nothing has a plan: the table of why is written still.
    fails(3, "none of 2 configurations has a plan: ", "sweep", model, "--devices", 2, "--microbatches", "8,16", "--schedules", "1f1b",
          "--stages-per-rank", 1, "--memory", "1GiB", "--csv", table)
    check(all("a device has 1073741824 bytes" in r["why"] for r in csv.DictReader(table.open(newline=""))), table.read_text())
    # The input is no output.
    fails(2, "--csv: ", "sweep", model, "--devices", 2, "--microbatches", 8, "--csv", model)
    fails(2, "--svg: ", "sweep", model, "--devices", 2, "--microbatches", 8, "--svg", model)
    # Words that make no sense.
    sweep = ("sweep", model, "--microbatches", 8)
    fails(2, "--devices is required", *sweep)
    fails(2, "--microbatches is required", "sweep", model, "--devices", 4)
    fails(2, "--devices: 0 is no whole number from 1 to 1048576", *sweep, "--devices", "4,0")
    fails(2, "--devices: 4,x is no list of numbers: 4,8", *sweep, "--devices", "4,x")
    fails(2, "--schedules: 2f2b is none (see stagecut schedules)", *sweep, "--devices", 4, "--schedules", "1f1b,2f2b")
    fails(2, "--recompute: except_last is neither none nor always", *sweep, "--devices", 4, "--recompute", "except_last")
    fails(2, "--memory: 5 apples is no size", *sweep, "--devices", 4, "--memory", "5 apples")
    fails(2, "is the file of --csv", *sweep, "--devices", 4, "--csv", table, "--svg", table)
    fails(2, "is an input", *sweep, "--devices", 4, "--csv", model)
    fails(2, "standard input: is empty", "sweep", "-", "--microbatches", 8, "--devices", 4)
    fails(1, "could not be written", *sweep, "--devices", 4, "--svg", folder / "none" / "rows.svg")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
