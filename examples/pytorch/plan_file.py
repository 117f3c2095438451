# SPDX-License-Identifier: BSL-1.0
"""A plan as it stands in its file, and what is refused. Nothing here imports torch, so errors come at once."""

import json
import pathlib

import standard_profile  # noqa: F401, before torch


class Refused(Exception):
    """What the user can put right, said in one line."""


def read_plan(file):
    try:
        plan = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None
    except ValueError:
        raise Refused(f"{file}: is not JSON; `stagecut plan --format json --output FILE` writes a plan") from None
    if not isinstance(plan, dict) or not str(plan.get("schema", "")).startswith("stagecut-plan-"):
        raise Refused(f"{file}: is no plan; `stagecut plan --format json --output FILE` writes one")
    return plan


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
