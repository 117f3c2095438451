# SPDX-License-Identifier: BSL-1.0
"""Makes the stages of a plan from the module that was profiled, and checks that they compute what the module does.

  python split.py PLAN.json --model models:toy_transformer

In Python: stages(plan, module, args) returns one module for each stage. A stage takes what the one before it returned.
"""

import argparse
import contextlib
import itertools
import sys
import warnings

import standard_profile  # noqa: F401, before torch

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import factory
from layers import trace
from plan_file import Refused, layer_names, modules_of_layers, read_plan, stage_of_layers

WAYS = ("auto", "graph", "modules", "pipeline")


def stages(plan, module, args, how="auto"):
    """One module a stage, whose parameters are those of `module`, under the same names.

    `how`: graph traces the module for `args`, the arguments of one microbatch, and cuts the graph of its operators; values that
    later stages take are handed through those between. modules puts the modules of the plan's layers in a row, for models
    that call them so. pipeline is that of torch.distributed.pipelining. auto takes modules if the module is nn.Sequential, else graph.
    """
    if how not in WAYS:
        raise Refused(f"stages are made by {', '.join(WAYS)}, not {how}")
    if how == "auto":
        how = "modules" if isinstance(module, nn.Sequential) and names_children(plan, module) else "graph"
    return {"graph": by_graph, "modules": by_modules, "pipeline": by_pipeline}[how](plan, module, args)


def names_children(plan, module):
    return sum(modules_of_layers(plan), []) == [name for name, _ in module.named_children()]


def patterns_of(plan):
    """The modules that the plan's layers are runs of."""
    names = list(dict.fromkeys(sum(modules_of_layers(plan), [])))
    return [] if names == ["all"] else names


def by_graph(plan, module, args):
    missing = set(patterns_of(plan)) - {name for name, _ in module.named_modules()}
    if missing:
        raise Refused(f"the plan is of another model: this one has no module {min(missing)}")
    traced = trace(module, args, patterns_of(plan), plan["profile"].get("profiled", {}).get("traced_by", "auto"))
    found, wanted = [layer.name for layer in traced.layers], layer_names(plan)
    if found != wanted:
        odd = next((pair for pair in zip(found + ["nothing"], wanted + ["nothing"]) if pair[0] != pair[1]), ("", ""))
        raise Refused(f"the plan is of another model: traced, it has {odd[0]} where the plan has {odd[1]}; profile it again")
    stage_of, count = stage_of_layers(plan), len(plan["stages"])
    for source, target in traced.edges:
        if stage_of[source] > stage_of[target]:
            raise Refused(f"stage {stage_of[source]} would feed stage {stage_of[target]}, which is before it: {wanted[source]}, {wanted[target]}")
    check_parameters(plan, traced)
    parts, taken = [], traced.inputs
    for stage in range(count):
        here = {number for number, each in enumerate(stage_of) if each == stage}
        before = {number for number, each in enumerate(stage_of) if each <= stage} | {-1}
        after = {number for number, each in enumerate(stage_of) if each > stage} | {len(traced.layers)}
        handed = traced.taken(after, before) if stage + 1 < count else None
        for node in handed or ():
            if any(isinstance(each, torch.SymInt) for each in getattr(node.meta.get("val"), "shape", ())):
                raise Refused(f"stage {stage} would hand on {node.name} of {wanted[traced.layer_of[node]]}, whose size depends on the data, which "
                              "PyTorch's pipelines cannot send: plan with these layers in one stage, by --keep-together A..B")
        parts.append(traced.part(here, taken, tuple(handed) if handed is not None else traced.output.args[0]))
        taken = handed
    return parts


def check_parameters(plan, traced):
    """Refuses a plan of a model of the same names and another size, or of a part of it; in another type, as on meta, it may be."""
    planned = plan["profile"]["layers"]
    tied = {each["name"]: each["bytes"] for layer in planned for each in layer.get("tied", ())}
    expected = sum(layer.get("parameters", 0) for layer in planned) + sum(tied.values())
    used = {node.target for layer in traced.layers for node in layer.nodes for node in node.all_input_nodes if node.op == "get_attr"}
    used |= {node.target for layer in traced.layers for node in layer.nodes if node.op == "call_module"}
    owned = {id(each): each for name, each in traced.module.named_parameters(remove_duplicate=False)
             if any(path in used for path in itertools.accumulate(name.split("."), "{}.{}".format))}
    found = sum(each.numel() * each.element_size() for each in owned.values())
    if expected and found and found / expected not in (0.25, 0.5, 1, 2, 4):
        raise Refused(f"the plan is of another model: its layers have {expected:,.0f} bytes of parameters, and this one {found:,d}; profile it again")


def by_modules(plan, module, args):
    stage_of, rows = stage_of_layers(plan), [[] for _ in plan["stages"]]
    for stage, names in zip(stage_of, modules_of_layers(plan)):
        for name in names:
            try:
                rows[stage].append((name, module.get_submodule(name)))
            except AttributeError as problem:
                raise Refused(f"the model has no module {name}: {problem}") from problem
    return [Row(named) for named in rows]


class Row(nn.Module):
    """Modules of a model in a row, which keep the names that they have there."""

    def __init__(self, named):
        super().__init__()
        self.rows = [each for _, each in named]
        for name, each in named:
            at = self
            *path, last = name.split(".")
            for step in path:
                if step not in at._modules:
                    at.add_module(step, nn.Module())
                at = at._modules[step]
            at.add_module(last, each)

    def forward(self, *values):
        for each in self.rows:
            values = each(*values) if isinstance(values, tuple) else each(values)
        return values


def by_pipeline(plan, module, args):
    from torch.distributed.pipelining import SplitPoint, pipeline
    stage_of, names, modules = stage_of_layers(plan), layer_names(plan), modules_of_layers(plan)
    if stage_of != sorted(stage_of):
        raise Refused("pipeline() cuts a chain; this plan has stages that are no intervals of layers: take graph")
    firsts = [stage_of.index(stage) for stage in range(1, len(plan["stages"]))]
    repeated = [names[number] for number in firsts if "@" in names[number]]
    if repeated:
        raise Refused(f"pipeline() cuts in front of the first call of a module, and the plan in front of {repeated[0]}: take graph")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = pipeline(module, tuple(args), split_spec={modules[number][0]: SplitPoint.BEGINNING for number in firsts})
    if made.num_stages != len(plan["stages"]):
        raise Refused(f"pipeline() made {made.num_stages} stages, and the plan has {len(plan['stages'])}")
    return [made.get_stage_module(stage) for stage in range(made.num_stages)]


def run_in_a_row(parts, args):
    """What the last stage returns if each takes what the one before it returned."""
    values = tuple(args)
    for part in parts:
        values = part(*values) if isinstance(values, tuple) else part(values)
    return values


class WithoutDropout(TorchDispatchMode):
    """Lets dropout keep all that it is given."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.bernoulli_.float:  # which is divided by the same share, where it stands for dropout
            return args[0].fill_(args[1] if len(args) > 1 else (kwargs or {}).get("p", 0.5))
        if function is torch.ops.aten.native_dropout.default:
            return args[0].clone(), torch.ones_like(args[0], dtype=torch.bool)
        return function(*args, **(kwargs or {}))


def keeps_order(plan):
    """Whether the stages in a row run all layers in the order of the module, so that random numbers are drawn in it, too."""
    stage_of = stage_of_layers(plan)
    return stage_of == sorted(stage_of)


def difference(parts, module, args, seed=1, dropout=True):
    """The largest difference between what the stages return and what the module does, by the same random numbers; without `dropout`,
    for stages that run layers in another order and so would draw others."""
    buffers = [(each, each.detach().clone()) for each in module.buffers()]

    def restored(work):
        torch.manual_seed(seed)
        with torch.no_grad(), contextlib.nullcontext() if dropout else WithoutDropout():
            result = work()
            for each, was in buffers:
                each.copy_(was)
        return [each for each in torch.utils._pytree.tree_leaves(result) if torch.is_tensor(each)]

    try:
        split = restored(lambda: run_in_a_row(parts, [each.clone() for each in args]))
    except (RuntimeError, TypeError) as problem:
        raise Refused(f"the stages cannot be run in a row: {str(problem).splitlines()[0]}; --how graph cuts any module") from problem
    whole = restored(lambda: module(*[each.clone() for each in args]))
    if [each.shape for each in split] != [each.shape for each in whole]:
        return float("inf")
    return max(((a.double() - b.double()).abs().max().item() for a, b in zip(split, whole) if a.numel()), default=0.0)


def main():
    parser = argparse.ArgumentParser("split.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", metavar="PLAN", help="of stagecut plan ... --format json")
    parser.add_argument("--model", required=True, metavar="MODULE:FACTORY", help="the model that was profiled")
    parser.add_argument("--args", nargs="+", metavar="SHAPE", help="arguments of one microbatch, as for profile.py")
    parser.add_argument("--set", nargs="+", action="extend", metavar="NAME=VALUE", help="keywords of the factory")
    parser.add_argument("--how", default="auto", choices=WAYS, help="how stages are made (auto)")
    options = parser.parse_args()
    plan = read_plan(options.plan)
    module, args, _ = factory.load(options.model, factory.parse_settings(options.set), options.args)
    parts = stages(plan, module, args, options.how)
    for stage, part in enumerate(parts):
        print(f"stage {stage}: {sum(each.numel() for each in part.parameters()):,d} parameters")
    found = difference(parts, module, args, dropout=keeps_order(plan))
    print(f"largest difference from the module that is not split: {found:g}")
    if found != 0:
        raise Refused("the stages compute something else than the module")


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(f"split.py: {problem}")
