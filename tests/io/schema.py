# SPDX-License-Identifier: BSL-1.0
"""The JSON Schemas say what the writer writes and the reader reads.

schema.py PRINTER [FILE...]: PRINTER is `json_print`; each FILE is a profile or a plan that has to be valid.
"""

import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is missing")
    sys.exit(77)

docs = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
schemas = {kind: json.loads((docs / f"{kind}.schema.json").read_text()) for kind in ("profile", "plan")}
# A plan is validated without its profile, and that by its own schema.
assert schemas["plan"]["properties"]["profile"].pop("$ref") == "profile.schema.json"
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)
validators = {kind: jsonschema.Draft202012Validator(schema) for kind, schema in schemas.items()}
failures = []


def complaint(kind, document):
    """What the schema says against a document, or None."""
    parts = [(kind, document)]
    if kind == "plan" and isinstance(document, dict) and "profile" in document:
        parts.append(("profile", document["profile"]))
    for part, value in parts:
        error = jsonschema.exceptions.best_match(validators[part].iter_errors(value))
        if error:
            return f"{part} {error.json_path}: {error.message}"
    return None


def described(schema, root, path=""):
    """The path of each property of a schema; refuses one without a description."""
    if "$ref" in schema:
        schema = {**root["$defs"][schema["$ref"].removeprefix("#/$defs/")], **schema}
    for key, value in schema.get("properties", {}).items():
        if not value.get("description"):
            failures.append(f"{path}.{key}: not described")
        yield f"{path}.{key}"
        yield from described(value, root, f"{path}.{key}")
    if "items" in schema:
        yield from described(schema["items"], root, path + "[]")


def emitted(value, path=""):
    """The path of each member of a document."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield f"{path}.{key}"
            yield from emitted(member, f"{path}.{key}")
    elif isinstance(value, list):
        for element in value:
            yield from emitted(element, path + "[]")


def changed(value):
    """Every value that differs from `value` in one member: without it, or with another in its place."""
    others = (-1, 0, 1, 2.5, "x", "", True, [], {}, {"x": 1}, [0])
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            without = copy.copy(value)
            del without[key]
            yield without
            for inner in changed(value[key]):
                result = copy.copy(value)
                result[key] = inner
                yield result
        if isinstance(value, dict):
            yield from ({**value, "edges": edges} for edges in ([], [[0]], [[0, 1]], [[1, 0]], [[0, 0]], [[0, 1, 1]], [["a", 1]]))
            yield from ({**value, "children": children} for children in ([], [0], [1], [-1], [0.5], ["a"], {"x": 1}))
            yield {**value, "new": 1}
    yield from others


printer = sys.argv[1]


def verdicts(kind, documents):
    """What the reader says of each document: `read`, or why not."""
    lines = "\n".join(map(json.dumps, documents))
    said = subprocess.run([printer, "read", kind], input=lines, capture_output=True, text=True, check=True).stdout
    assert len(said.splitlines()) == len(documents)
    return said.splitlines()


# What a schema cannot say: how parts agree with each other.
beyond = ("hash of the profile", "does not agree", "do not agree", "number of", "point before", "the cuts make",
          "stands twice", "is a cycle", "to itself", "is a child of", "one root", "has other bytes", "is entered again", "is before the start", "is not 0",
          "has no layer", "which cuts express", "without a schedule", "not behind the one before it", "schedule has no microbatch", "to run together", "stands on rank", "before it",
          "which must be below", ": the order ", "the tensor-parallel degree of its stage")
cases = 0
for kind, names in {"profile": ["profile"], "plan": ["plan", "graph_plan"]}.items():
    written = set()
    for name in names:
        document = json.loads(subprocess.run([printer, name], capture_output=True, text=True, check=True).stdout)
        if said := complaint(kind, document):
            failures.append(f"the full {name}: {said}")
        unknown = {f"of {each}" for each in ("profile", "layer", "variant", "plan")}
        written |= {p for p in emitted(document) if p.split(".")[-1] not in unknown and "of layer" not in p}
        # What the reader takes, the schema allows; what the schema forbids, the reader refuses.
        profile = {"profile": document.pop("profile")} if kind == "plan" else {}  # it has had its turn
        mutants = [{**each, **profile} if isinstance(each, dict) else each for each in changed(document)]
        cases += len(mutants)
        for mutant, verdict in zip(mutants, verdicts(kind, mutants)):
            why = complaint(kind, mutant)
            if verdict == "read" and why:
                failures.append(f"{name}: read, and the schema says {why}")
            if verdict != "read" and not why and not any(each in verdict for each in beyond):
                failures.append(f"{name}: allowed by the schema, and the reader says {verdict}")
    if kind == "plan":
        written = {p for p in written if not p.startswith(".profile.")}
    properties = set(described(schemas[kind], schemas[kind]))
    failures += [f"{kind}{p}: written, and not in the schema" for p in sorted(written - properties)]
    failures += [f"{kind}{p}: in the schema, and not written" for p in sorted(properties - written)]

for file in sys.argv[2:]:
    document = json.loads(pathlib.Path(file).read_text())
    kind = "plan" if "plan" in str(document.get("schema")) else "profile"
    if document.get("schema") != schemas[kind]["properties"]["schema"]["const"]:  # it is read, and no more described
        if (said := verdicts(kind, [document])) != ["read"]:
            failures.append(f"{file}: {said}")
        continue
    if said := complaint(kind, document):
        failures.append(f"{file}: {said}")

print(*failures, f"{cases} changed documents, {len(sys.argv) - 2} files, {len(failures)} failures", sep="\n")
sys.exit(1 if failures or not cases else 0)
