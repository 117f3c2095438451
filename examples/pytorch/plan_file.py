# SPDX-License-Identifier: BSL-1.0
"""A plan as it stands in its file, and what is refused. Nothing here imports torch, so errors come at once."""

import json
import pathlib

import standard_profile  # noqa: F401, before torch


class Refused(Exception):
    """What the user can put right, said in one line."""


def read_text(file):
    try:
        return pathlib.Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"{file}: is not text in UTF-8") from None


def read_plan(file):
    text = read_text(file)
    try:
        plan = json.loads(text)
    except ValueError:
        raise Refused(f"{file}: is not JSON; `stagecut plan --format json --output FILE` writes a plan") from None
    if not isinstance(plan, dict) or not str(plan.get("schema", "")).startswith("stagecut-plan-"):
        raise Refused(f"{file}: is no plan; `stagecut plan --format json --output FILE` writes one")
    for name in ("stages", "devices", "profile"):
        if name not in plan:
            raise Refused(f"{file}: has no {name}, as the plans of `stagecut plan --format json` do")
    return plan


def check_folder(file):
    """Refuses a file that cannot be written, before anything is measured for it."""
    folder = pathlib.Path(file).parent
    if not folder.is_dir():
        raise Refused(f"{file}: there is no folder {folder}")


def is_row(plan):
    """Whether each stage feeds the next one alone, and hands on what passes it."""
    return [(edge["from"], edge["to"]) for edge in plan["edges"]] == [(stage, stage + 1) for stage in range(len(plan["stages"]) - 1)]


def with_chain_edges(plan):
    """A plan whose stages feed others than the next one, as PyTorch runs it: a chain, in which values are handed through."""
    count = len(plan["stages"])
    through = [0.0] * (count - 1)
    for edge in plan["edges"]:
        for boundary in range(edge["from"], edge["to"]):
            through[boundary] += edge["bytes"]
    return {**plan, "edges": [{"from": stage, "to": stage + 1, "bytes": sent} for stage, sent in enumerate(through)]}


def with_whole_first_stage(plan):
    """A plan as PyTorch runs it where I and W stand apart: I of stage 0 computes nothing, and its W is the whole backward pass."""
    first = dict(plan["stages"][0])
    if first.get("backward_weight") is None:
        return plan
    first.pop("backward_input", None)
    return {**plan, "stages": [{**first, "backward_weight": first["backward"]}, *plan["stages"][1:]]}


def stage_of_layers(plan):
    """The stage of every layer, in the order of the profile."""
    if "cuts" in plan:
        return [stage for stage, (first, last) in enumerate(zip(plan["cuts"], plan["cuts"][1:])) for _ in range(first, last)]
    return list(plan["assignment"])


def layer_names(plan):
    return [layer.get("name", str(number)) for number, layer in enumerate(plan["profile"]["layers"])]


def modules_of_layers(plan):
    """The names of each layer's modules in the model: its own name, if it says no others."""
    return [layer.get("modules") or [name] for layer, name in zip(plan["profile"]["layers"], layer_names(plan))]
