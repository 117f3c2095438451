# SPDX-License-Identifier: BSL-1.0
"""Pages that the program writes: what stands in them, and that a browser shows them without asking anything of the network."""

import csv
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from browser import browser  # noqa: E402  (first: it finds selenium, or leaves)

from program import binary, check, fails, failures, run  # noqa: E402


def data_of(page):
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(found.group(1))


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    profile, plan, other = folder / "profile.csv", folder / "plan.json", folder / "other.json"
    layers = [(8, 16), (11, 22), (2, 4), (1, 2), (18, 36), (5, 10), (4, 8), (11, 22)]
    profile.write_text("name,forward,backward\n" + "".join(f"</script>{i},{f},{b}\n" for i, (f, b) in enumerate(layers)))
    words = ("plan", profile, "--devices", 4, "--microbatches", 8)
    plan.write_text(run(*words, "--format", "json").stdout)
    other.write_text(run(*words, "--objective", "bottleneck", "--format", "json").stdout)
    pages = {name: folder / f"{name}.html" for name in ("plan", "show", "simulate", "compare", "sweep", "order")}
    for done in (run(*words, "--format", "html", "--output", pages["plan"]),
                 run("show", plan, "--format", "html", "--output", pages["show"]),
                 run("simulate", plan, "--format", "html", "--output", pages["simulate"]),
                 run("compare", plan, other, "--format", "html", "--output", pages["compare"]),
                 run("sweep", profile, "--devices", "2,4", "--microbatches", "4,8", "--html", pages["sweep"], "--csv", folder / "rows.csv"),
                 run("schedules", "synthesize", "--forward", "10,20", "--backward", "20,40", "--microbatches", 4, "--format", "html",
                     "--output", pages["order"])):
        check(done.returncode == 0 and done.stderr == "", done.args, done.stderr)
    text = {name: page.read_text() for name, page in pages.items()}
    data = {name: data_of(each) for name, each in text.items()}
    check(text["plan"] == text["show"], "a plan that was read again shows another page")

    # The passes are those of the simulation, and each waits for what ends when it begins.
    told = json.loads(run("simulate", plan, "--format", "json").stdout)
    shown = data["simulate"]["plans"][0]
    check(shown["makespan"] == told["makespan"], shown["makespan"])
    busy = [sum(e - s for k, s, e in zip(rank["kinds"], rank["start"], rank["end"]) if k in "FBIW") for rank in shown["ranks"]]
    check(busy == told["busy"], busy)
    starts = [each for rank in shown["ranks"] for each in rank["start"]]
    ends = [each for rank in shown["ranks"] for each in rank["end"]]
    causes = [each for rank in shown["ranks"] for each in rank["causes"]]
    check(all(starts[i] == (ends[cause] if cause >= 0 else 0) for i, cause in enumerate(causes)), "causes")

    # The plan's page has all of its parts.
    whole = data["plan"]
    cuts = {row["name"].split(":")[0]: row for row in whole["cuts"]["rows"]}
    check(cuts["this plan"]["cuts"] == json.loads(plan.read_text())["cuts"], cuts)
    check(cuts["uniform"]["cuts"] == [0, 2, 4, 6, 8], cuts)
    check(cuts["bottleneck"]["cuts"] == json.loads(other.read_text())["cuts"], cuts)
    for name, file in (("this plan", plan), ("bottleneck", other)):
        makespan = json.loads(run("simulate", file, "--format", "json").stdout)["makespan"]
        check(cuts[name]["facts"].startswith(f"makespan {makespan:g}"), cuts[name], makespan)
    check([each["name"] for each in whole["cuts"]["layers"]][0] == "</script>0", whole["cuts"]["layers"][0])
    check(len(whole["prices"]) == 4 and all(each["columns"] for each in whole["prices"][:3]), whole["prices"])
    lines = {each["name"].split(":")[0]: each for each in whole["lines"]}
    check(lines["DeepSpeed"]["text"] == run("show", plan, "--format", "deepspeed").stdout.rstrip("\n"), lines["DeepSpeed"])
    check(all(("text" in each) != ("refused" in each) for each in lines.values()), lines)
    check(len(whole["plans"][0]["stages"]["rows"]) == 4, whole["plans"][0]["stages"])

    # Messages are on a plan's page as in its simulation; a cut that does not fit is told so.
    sent, tight = folder / "sent.json", folder / "tight.csv"
    tight.write_text("name,forward,backward,output,parameters_bytes,activations\n" +
                     "".join(f"{i},{f},{b},8,{10 if i < 2 else 1},0\n" for i, (f, b) in enumerate(layers)))
    for more in (("--bandwidth", 2), ("--bandwidth", 2, "--schedule", "gpipe", "--transfers", "stream"), ("--memory", "90B"),
                 ("--bandwidth", 4, "--latency", 1, "--stages-per-rank", 2, "--schedule", "interleaved")):
        sent.write_text(run("plan", tight, *words[2:], *more, "--format", "json").stdout)
        page = data_of(run("show", sent, "--format", "html").stdout)
        makespan = json.loads(run("simulate", sent, "--format", "json").stdout)["makespan"]
        check(page["plans"][0]["makespan"] == makespan, more, page["plans"][0]["makespan"], makespan)
        own = next(row for row in page["cuts"]["rows"] if row["name"] == "this plan")
        check(re.fullmatch(rf"makespan {makespan:.4g}\S* ?\S*", own["facts"]), own["facts"], makespan)
        fits = [row["name"].split(":")[0] for row in page["cuts"]["rows"] if "does not fit" not in row["facts"]]
        check(fits == (["bottleneck", "this plan"] if "--memory" in more else ["uniform", "bottleneck", "this plan"]), more, fits,
              page["cuts"]["rows"])

    swept = run("sweep", tight, "--devices", "2,4", "--microbatches", 8, "--bandwidth", 2, "--html", folder / "sent.html", "--csv", folder / "sent.csv")
    check(swept.returncode == 0, swept.stderr)
    rows = [row for row in csv.DictReader((folder / "sent.csv").open(newline="")) if row["makespan"]]
    points = data_of((folder / "sent.html").read_text())["scatter"]["points"]
    check([p["plan"]["makespan"] for p in points if p["front"]] == [float(r["makespan"]) for p, r in zip(points, rows) if p["front"]], points)

    # The other cuts are those that the program makes for the same devices and groups.
    tight.write_text("name,forward,backward,group\n" + "".join(f"{i},{f},{b},{'g' if i in (1, 2) else ''}\n" for i, (f, b) in enumerate(layers)))
    for more in (("--device-speeds", "1,1,0.5,1"), ("--devices=3",), ("--schedule", "interleaved", "--stages-per-rank", 2, "--devices=2")):
        asked = ("plan", tight, *(words[2:] if "--devices" not in str(more) or more[0] == "--device-speeds" else words[4:]), *more)
        rows = {row["name"].split(":")[0]: row["cuts"] for row in data_of(run(*asked, "--format", "html").stdout)["cuts"]["rows"]}
        for name, word in (("uniform", ("--method", "uniform")), ("bottleneck", ("--objective", "bottleneck"))):
            made = json.loads(run(*asked, *word, "--format", "json").stdout)["cuts"]
            check(rows[name] == made, more, name, rows[name], made)

    # A comparison has all plans; a sweep all rows, with the plans of the front behind them.
    check([each["makespan"] for each in data["compare"]["plans"]] ==
          [each["makespan"] for each in json.loads(run("compare", plan, other, "--format", "json").stdout)], "compare")
    rows = [row for row in csv.DictReader((folder / "rows.csv").open(newline="")) if row["makespan"]]
    points = data["sweep"]["scatter"]["points"]
    check([p["time"] for p in points] == [float(r["per_microbatch"]) for r in rows], points)
    check([p["front"] for p in points] == [r["front"] in ("1", "true", "yes") for r in rows], [r["front"] for r in rows])
    for point, row in zip(points, rows):
        check(("plan" in point) == point["front"], point["name"])
        check(not point["front"] or point["plan"]["makespan"] == float(row["makespan"]), point["name"], row)

    # What has no timeline says why.
    check("no timeline" in dict(data_of(run("plan", profile, "--devices", 4, "--format", "html").stdout)["figures"]), "no timeline")
    fails(2, "--html", "sweep", profile, "--devices", 2, "--microbatches", 4, "--html", folder / "x", "--csv", folder / "x")

    driver = browser()
    try:
        for name, page in pages.items():
            driver.get(page.as_uri())
            check(driver.execute_script("return performance.getEntriesByType('resource').length") == 0, name, "asks the network")
            check(driver.get_log("browser") == [], name, driver.get_log("browser"))
            check(driver.execute_script("return document.querySelectorAll('main section').length") > 0, name, "is empty")
            check(driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"), name, "is too wide")
        driver.get(pages["plan"].as_uri())
        shown_text = driver.execute_script("return document.body.innerText")
        for words_shown in ("Critical path", "DeepSpeed", "uniform", "makespan"):
            check(words_shown in shown_text, words_shown, "is not shown")
    finally:
        driver.quit()
    check(len(text["plan"]) - len(json.dumps(whole)) < 300e3, "too heavy", len(text["plan"]))
print(f"{binary}: pages of a plan, a simulation, an order, a comparison and a sweep")
sys.exit(bool(failures))
