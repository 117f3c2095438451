# SPDX-License-Identifier: BSL-1.0
"""Recomputes the value of a solution of an instance, without the library: docs/instances.md.

Refused carries the name of the defect; the names are stable, the text after them is not.
"""

import difflib
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1]
SETS = "chains", "schedules", "graphs", "joint"


class Refused(Exception):
    """An invalid solution or instance."""

    def __init__(self, defect, text):
        super().__init__(f"{defect}: {text}")
        self.defect = defect


def need(holds, defect, text):
    if not holds:
        raise Refused(defect, text)


def kind_of(value):
    kinds = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number", type(None): "nothing"}
    return kinds.get(type(value), type(value).__name__)


def whole(value, what, least=0):
    """A whole number; excludes 2.0 and True."""
    need(type(value) is int, "not-a-number", f"{what} is {json.dumps(value, default=str)}, no whole number")
    need(value >= least, "too-small", f"{what} is {value}, and at least {least} is wanted")
    return value


def wholes(values, what, length=None, least=0):
    need(type(values) is list, "not-a-number", f"{what} is no list of whole numbers")
    if length is not None:
        need(len(values) == length, "bad-instance", f"{what} has {len(values)} numbers, not {length}")
    return [whole(value, f"{what}[{i}]", least) for i, value in enumerate(values)]


def read_json(path, defect):
    def constant(word):
        raise Refused("not-a-number", f"{path} holds {word}")

    def once(pairs):
        need(len(dict(pairs)) == len(pairs), defect, f"{path}: a member stands twice")
        return dict(pairs)

    try:
        content = json.loads(pathlib.Path(path).read_text(), parse_constant=constant, object_pairs_hook=once)
    except OSError as problem:
        raise Refused("cannot-be-read", problem.strerror) from None
    except (RecursionError, ValueError) as problem:
        raise Refused(defect, f"{path}: {problem}") from None
    need(type(content) is dict, defect, f"{path} holds no object")
    return content


def names():
    """The names of all instances, as `chains/small`."""
    return [f"{each}/{path.stem}" for each in SETS for path in sorted((FOLDER / each).glob("*.json"))]


def did_you_mean(name):
    """A suggestion of instances with a similar name, or nothing."""
    stem = name.split("/")[-1]
    like = difflib.get_close_matches(stem, [each.split("/")[1] for each in names()], 3)
    meant = [each for each in names() if each.split("/")[1] in ([stem] if stem in like else like)]
    return f"; did you mean {' or '.join(meant)}?" if meant else ""


def load(name):
    """A shipped instance."""
    need(type(name) is str, "unknown-instance", f"\"instance\" is {json.dumps(name, default=str)}, no name")
    need(name in names(), "unknown-instance", f"there is no {json.dumps(name)}{did_you_mean(name)}")
    instance = read_json(FOLDER / f"{name}.json", "bad-instance")
    need(instance.get("schema") == "stagecut-instance-1", "bad-instance", f"{name}: its schema is not stagecut-instance-1")
    need(instance.get("name") == name, "bad-instance", f"{name} calls itself {instance.get('name')}")
    need(instance.get("problem") in problems(), "bad-instance", f"{name}: no problem \"{instance.get('problem')}\"")
    return instance


def problems():
    from checker import chains, graphs, joint, orders

    return {"chain": chains, "order": orders, "graph": graphs, "recomputation": joint.Recomputation,
            "cut-and-order": joint.CutAndOrder, "replication": joint.Replication}


def value_of(instance, solution):
    """The value of `solution`. Raises Refused."""
    need(type(solution) is dict, "no-solution", f"the solution is no object, but {kind_of(solution)}")
    try:
        return problems()[instance["problem"]].value(instance, solution)
    except KeyError as missing:
        raise Refused("bad-instance", f"{instance.get('name')} lacks {missing}") from None


def check(instance, answer):
    """The value of an answer, {"instance", "value", "solution"}; "value" is optional. Raises Refused."""
    need(answer.get("instance") == instance["name"], "wrong-instance",
         f"the answer is one of {json.dumps(answer.get('instance'), default=str)}, not of {instance['name']}")
    need("solution" in answer, "no-solution", "it has no member \"solution\"")
    value = value_of(instance, answer["solution"])
    if "value" in answer:
        claimed = whole(answer["value"], "value")
        need(claimed == value, "wrong-value", f"it is said to be worth {claimed}, and is worth {value}")
    bound = instance.get("bound")
    if bound and value < whole(bound["value"], "the bound of the instance"):
        raise Refused("better-than-bound", f"{value} is below {bound['value']}, proved by {bound['by']}: one of both is wrong, "
                                           "please tell us")
    return value
