# SPDX-License-Identifier: BSL-1.0
"""Writes the types of profiles and plans, from the JSON schemas in docs: `schemas.py` prints what `stagecut/_schemas.py` has to be."""

import json
import pathlib
import sys

docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
plain = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
classes = {}  # by name: its lines

SIMULATION = '''
class Progress(TypedDict):
    """How far a search is."""

    seconds: float
    makespan: float  # of the best plan so far; 0: there is none yet
    bound: float  # no plan has less
    nodes: int


class SweepProgress(TypedDict):
    """How far a sweep is."""

    seconds: float
    done: int  # configurations that are known
    dominated: int  # of these, those that need no plan
    rows: int  # configurations


class SweepRow(TypedDict):
    """A configuration of a sweep; what is not known is None."""

    devices: int
    microbatches: int
    schedule: str
    stages_per_rank: int
    checkpoint: str
    state: str
    makespan: "float | None"
    bound: "float | None"
    per_microbatch: "float | None"
    memory: "float | None"
    memory_bound: "float | None"
    front: bool
    dominated: bool
    why: str


class Combination(TypedDict):
    """What a plan proves where its request has a part."""

    problem: str
    part: str
    proof: str
    why: str


class Check(TypedDict, total=False):
    """One claim of a plan, held against its profile."""

    check: str
    result: str
    place: str
    why: str
    plan: float
    profile: float


class Passes(TypedDict):
    """All passes of an iteration, a value each: by rank, and on each rank in its order."""

    rank: numpy.ndarray
    stage: numpy.ndarray
    microbatch: numpy.ndarray
    kind: numpy.ndarray  # of str: F, B, I or W
    start: numpy.ndarray
    end: numpy.ndarray


class Simulation(TypedDict, total=False):
    """An iteration as it will run; arrays have a value a rank."""

    schedule: str
    makespan: float
    span: float
    busy: numpy.ndarray
    blocked: numpy.ndarray
    idle: numpy.ndarray
    peak_memory: numpy.ndarray
    passes: Passes
    relative: float


Explanation = dict[str, Any]
'''


def name_of(words):
    return "".join(word.capitalize() for word in words)


def kind(schema, within, name):
    """The type of a value: texts for what Python has, classes for objects with members."""
    if "$ref" in schema:
        file, _, place = schema["$ref"].partition("#")
        if file:
            return "Profile"
        target = place.rsplit("/", 1)[-1]
        return kind(within["$defs"][target], within, [target])
    if "properties" in schema:
        made = name_of(name)
        if made not in classes:
            classes[made] = None
            members = [f'    "{member}": {json.dumps(kind(each, within, name + [member]))},' for member, each in schema["properties"].items()]
            classes[made] = [f"{made} = TypedDict(\"{made}\", {{", *members, "}, total=False)"]
        return made
    if "const" in schema or "enum" in schema:
        return "str"
    if "anyOf" in schema or "oneOf" in schema:
        kinds = {kind(each, within, name) for each in schema.get("anyOf", schema.get("oneOf"))}
        return " | ".join(sorted(kinds))
    if isinstance(schema.get("type"), list):
        return " | ".join(plain[each] for each in schema["type"])
    if schema.get("type") == "array":
        return f"list[{kind(schema['items'], within, name)}]" if "items" in schema else "list[Any]"
    return plain.get(schema.get("type"), "dict[str, Any]")


for file, name in (("profile", "Profile"), ("plan", "Plan")):
    schema = json.loads((docs / f"{file}.schema.json").read_text())
    kind(schema, schema, [name])
print("# SPDX-License-Identifier: BSL-1.0")
print('"""The types of profiles and plans, made from the JSON schemas by examples/python/schemas.py; those say what each member is."""\n')
print("from typing import Any, TypedDict\n\nimport numpy\n")
for lines in classes.values():
    print("\n".join(lines) + "\n")
sys.stdout.write(SIMULATION)
