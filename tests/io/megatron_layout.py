# SPDX-License-Identifier: BSL-1.0
"""Reads the layouts that `formats_print` prints by Megatron-LM's rules, written here a second time, and compares what they say
with the plans. What was refused must break one of these rules, or put a layer where no layout can put it."""

import re
import subprocess
import sys

KINDS = {"E": "embedding", "t": "decoder", "m": "mtp", "L": "head"}


class Bad(Exception):
    pass


def demand(holds, rule):
    if not holds:
        raise Bad(rule)


def expanded(text):
    """Without commas, groups, repetitions: first the groups, then single characters."""
    text = text.replace(",", "")
    while (group := re.search(r"\(([^()]+)\)\*(\d+)", text)) is not None:
        text = text[:group.start()] + group.group(1) * int(group.group(2)) + text[group.end():]
    result, i = "", 0
    while i < len(text):
        count = re.match(r"\*(\d+)", text[i + 1:])
        result += text[i] * (int(count.group(1)) if count else 1)
        i += 1 + (count.end() if count else 0)
    return result


def validate(stages, devices):
    """The rules, for kinds of layers by stage."""
    demand(len(stages) % devices == 0, "stages by devices")
    flat = [kind for stage in stages for kind in stage]
    demand(flat.count("embedding") == 1 and flat[0] == "embedding", "one embedding, first")
    demand(flat.count("head") == 1 and flat[-1] == "head", "one loss, last")
    if "mtp" in flat:
        demand("decoder" not in flat[flat.index("mtp"):], "decoders before multi-token prediction")
        holders = [s for s, stage in enumerate(stages) if "mtp" in stage]
        demand(len(holders) == 1, "multi-token prediction on one stage")
        chunk, rank = divmod(holders[0], devices)
        last_chunk = len(stages) // devices - 1
        demand(chunk == last_chunk, "multi-token prediction in the last chunk")
        demand(rank != 0 or chunk == last_chunk, "no multi-token prediction on the first rank")


def parse(text, devices):
    """The kinds of every stage."""
    text = expanded(text)
    for letter in text:
        demand(letter == "|" or letter in KINDS, f"letter {letter}")
    stages = [[KINDS[letter] for letter in stage] for stage in text.split("|")]
    validate(stages, devices)
    return stages


def sayable(stages, devices):
    """Whether Megatron-LM can place these layers so, final norm included, which it places itself."""
    try:
        validate([[kind for kind in stage if kind != "norm"] for stage in stages], devices)
    except Bad:
        return False
    flat = [(kind, s) for s, stage in enumerate(stages) for kind in stage]
    where = {kind: s for kind, s in flat}
    order = [kind for kind, _ in flat]
    if devices == 1 and len(stages) > 1 or order[0] != "embedding" or order[-1] != "head":
        return False
    if where["embedding"] != 0 or where["head"] != len(stages) - 1:
        return False
    if "norm" in where:
        if order.count("norm") > 1 or "decoder" in order[order.index("norm"):]:
            return False
        if where["norm"] != (where["decoder"] if "mtp" in where and "decoder" in where else where["head"]):
            return False
    return True


failures = 0


def check(holds, what):
    global failures
    if not holds:
        failures += 1
        print("FAILED:", what)


# The reader itself, on documented layouts and on broken ones.
stages = parse("Et*3|(tt|)*29,m|L", 16)
flat = sum(stages, [])
check(len(stages) == 32 and flat.count("decoder") == 61 and flat.count("mtp") == 1, "32 stages, 61 decoders, 1 mtp")
check(stages[0] == ["embedding"] + ["decoder"] * 3 and stages[30] == ["mtp"] and stages[31] == ["head"], "their content")
check(parse("E||t|L", 2) == [["embedding"], [], ["decoder"], ["head"]], "an empty stage")
check(parse("Et|*3L", 4) == [["embedding", "decoder"], [], [], ["head"]], "repeated |")
check(parse("E,(t|)*2,tt,L", 3) == [["embedding", "decoder"], ["decoder"], ["decoder", "decoder", "head"]], "commas")
check(expanded("xy(ab|cd|ef)*2,pq") == "xyab|cd|efab|cd|efpq", "a group in the middle")
broken = [("Et|t|L", 2), ("tE|L", 2), ("t|L", 2), ("EEt|L", 2), ("Et|Lt", 2), ("Et|tLL", 2), ("Et|t", 2), ("Ex|L", 2), ("Et*|L", 2),
          ("Em|tL", 2), ("Et|m|m|L", 4), ("Et|m|t|L", 2), ("Etm|||L", 2), ("Et|tm||L", 2), ("E(t|L", 2)]
for text, devices in broken:
    try:
        parse(text, devices)
        check(False, f"{text} is broken, and was read")
    except Bad:
        pass

# What the program prints.
said = refused = with_mtp = with_norm = interleaved = 0
for line in subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines():
    devices, chunks, content, text = line.split("\t")
    devices, chunks = int(devices), int(chunks)
    plan = [stage.split() for stage in content.split("|")]
    check(len(plan) == devices * chunks, line)
    if text.startswith("refused: "):
        refused += 1
        check(not sayable(plan, devices), line)
        continue
    said += 1
    check(sayable(plan, devices), line)
    option = re.fullmatch(r'--pipeline-model-parallel-size (\d+) --pipeline-model-parallel-layout "([^"]*)"', text)
    if option is None:
        check(False, line)
        continue
    check(int(option.group(1)) == devices, line)
    check("*1" not in re.sub(r"\*1\d", "", option.group(2)), line)
    try:
        check(parse(option.group(2), devices) == [[kind for kind in stage if kind != "norm"] for stage in plan], line)
    except Bad as rule:
        check(False, f"{rule}: {line}")
    with_mtp += "mtp" in content
    with_norm += "norm" in content
    interleaved += chunks > 1

for count in (said, refused, with_mtp, with_norm, interleaved):
    check(count >= 100, "at least 100 plans of each sort")
print(f"{said} layouts read back ({with_mtp} with mtp, {with_norm} with norm, {interleaved} interleaved), {refused} plans refused, "
      f"{len(broken)} broken layouts, {failures} failures")
sys.exit(1 if failures else 0)
