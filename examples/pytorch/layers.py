# SPDX-License-Identifier: BSL-1.0
"""A module as layers: traced once, cut into runs of operators, each run with a name that a plan can refer to."""

import contextlib
import fnmatch
import io
import logging
import operator
import pathlib
import traceback
import warnings

import standard_profile  # noqa: F401, before torch

import torch
from torch import fx, nn

from calls import Links, Taken, Unlinked
from plan_file import Refused

CONTAINERS = (nn.ModuleList, nn.ModuleDict, nn.Sequential)
WAYS = ("export", "fx", "modules")


class Layer:
    """A run of operators that belong to one call of a module, in the order in which they are run."""

    def __init__(self, name, path):
        self.name, self.path, self.nodes = name, path, []

    def __repr__(self):
        return f"Layer({self.name!r}, {len(self.nodes)} operators)"


class Traced:
    """A module's graph and its layers.

    `edges` are pairs of numbers of layers, always from an earlier to a later one. `free` are the operators that depend on neither
    inputs nor parameters (masks, positions): they belong to no layer, and every part computes those that it needs.
    """

    def __init__(self, graph_module, names, way, failed=()):
        self.module, self.way, self.failed = graph_module, way, list(failed)  # why other ways did not do
        self.free = free_nodes(graph_module)
        self.layers = runs(graph_module.graph, names, self.free)
        self.layer_of = {node: number for number, layer in enumerate(self.layers) for node in layer.nodes}
        self.inputs = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
        self.output = next(node for node in graph_module.graph.nodes if node.op == "output")
        uses = {(self.layer_of[source], number) for node, number in self.layer_of.items() for source in node.all_input_nodes
                if source in self.layer_of}
        # The module returns from its last layer, which takes what earlier ones made of it.
        uses |= {(self.layer_of[source], len(self.layers) - 1) for source in self.output.all_input_nodes if source in self.layer_of}
        self.edges = sorted((source, number) for source, number in uses if source != number)

        # torch.autocast, torch.no_grad and the like make one operator of all that they hold.
        self.wrapped = sorted({str(node.target).removeprefix("wrap_with_") for node in graph_module.graph.nodes
                               if node.op == "call_function" and isinstance(node.target, torch._ops.HigherOrderOperator)})
        self.refuse_writes_through_views()

    def refuse_writes_through_views(self):
        """Cut apart, a layer writes into a copy of what it takes, which those that take the original would not see."""
        order = {node: number for number, node in enumerate(self.module.graph.nodes)}
        for node, here in self.layer_of.items():
            for target in written(node):
                base = target
                while viewed(base) is not None or (base is not target and written(base)):
                    base = viewed(base) if viewed(base) is not None else written(base)[0]
                if base is target or self.layer_of.get(target, -1) == here:  # else the original is what the layer takes, and hands on
                    continue
                for user in base.users:
                    if order[user] > order[node]:
                        later = self.layers[self.layer_of[user]].name if user in self.layer_of else "the module's result"
                        raise Refused(f"{self.layers[here].name} changes in place a part of what {later} takes, which cannot be cut: write "
                                      "x = x + y in place of x += y there, or choose --layers that keep them together")

    @property
    def is_chain(self):
        """Whether each layer takes what the one before it returned, and nothing else."""
        return self.edges == [(number, number + 1) for number in range(len(self.layers) - 1)]

    def taken(self, numbers, by=None):
        """The values, in the order of the graph, that layers take from others, from the inputs, or of what is free.

        `by` is the set of layers that they come from; the inputs are from layer -1, and the output is the layer behind the last.
        """
        inside = {node for number in numbers if number < len(self.layers) for node in self.layers[number].nodes}
        sources = {source for node in inside for source in node.all_input_nodes} - inside
        if len(self.layers) in numbers:  # the output
            sources |= set(self.output.all_input_nodes)
        return [node for node in self.module.graph.nodes if node in sources and node.op != "get_attr"
                and (node in self.free if by is None else self.layer_of.get(node, -1) in by and node not in self.free)]

    def part(self, numbers, inputs, outputs):
        """A module of these layers alone. It takes `inputs`, nodes of the whole graph, and returns `outputs`, nodes in any structure.

        Its parameters, buffers and modules are the very objects of the whole, under the same names. An input that is changed in
        place is cloned first, since autograd refuses to change a leaf.
        """
        graph, copies = fx.Graph(), {}
        nodes = [node for number in sorted(numbers) for node in self.layers[number].nodes]
        changed = changed_inputs(nodes, inputs)
        for node in inputs:
            copies[node] = graph.placeholder(node.name)
        for node in changed:
            copies[node] = graph.call_method("clone", (copies[node],))

        def copy(node):
            if node not in copies:
                if node.op != "get_attr" and node not in self.free:
                    raise AssertionError(f"a part of layers {sorted(numbers)} takes {node.name}, which is not among its inputs")
                for source in node.all_input_nodes:
                    copy(source)
                copies[node] = graph.node_copy(node, copies.__getitem__)
            return copies[node]

        for node in nodes:
            for source in node.all_input_nodes:
                copy(source)
            copies[node] = graph.node_copy(node, copies.__getitem__)
        graph.output(fx.node.map_arg(outputs, copy))
        part = fx.GraphModule(self.module, graph)
        return part.train(self.module.training)


def trace(module, args, patterns=(), way="auto", check=False):
    """Traces a module for arguments of these shapes: by torch.export, by torch.fx where that fails, and where both do by the calls of its
    modules in one run (`way`: export, fx, modules, auto).

    Layers are the modules that `patterns` (as layers.*) choose, else those of `chosen_modules`. With `check`, a graph that computes
    something else than the module, or has no gradient of a parameter that has one there, is taken for one that cannot be traced.
    """
    if way not in ("auto", *WAYS):
        raise Refused(f"a module is traced by auto, {', '.join(WAYS[:-1])} or {WAYS[-1]}, not {way}")
    reasons = []
    expected = results(module, args) if check else None
    names = matching_modules(module, patterns) if patterns else chosen_modules(module)
    for each in WAYS if way == "auto" else (way,):
        try:
            graph_module = by_modules(module, args, names, not patterns) if each == "modules" else {"export": by_export, "fx": by_fx}[each](module, args)
            last_writer(graph_module.graph)
            graph_module.graph.lint()
            graph_module.recompile()
            if check:
                same_results(expected, results(graph_module, args), module)
            break
        except Exception as problem:  # of whatever type: both tracers run the user's code
            reasons.append(f"{'' if each == 'modules' else 'torch.'}{each}: {first_line(problem)}{user_line(problem)}")
    else:
        raise Refused("the module cannot be traced: " + "; ".join(reasons))
    by = called_modules(graph_module.graph)
    return Traced(graph_module, sorted(by) if each == "modules" else called(module, names, by, bool(patterns)), each, reasons)


def called_modules(graph):
    """The names of the modules that some operator was called from."""
    found = {str(node.target) for node in graph.nodes if node.op == "call_module"}
    return found | {path.split("@")[0] for node in graph.nodes for path, _ in (node.meta.get("nn_module_stack") or {}).values()}


def called(module, names, by, asked):
    """The names of modules that are called themselves: of a list, whose operators are those of what it holds, and of any other that is
    never called, the modules below take its place. What was `asked` for is refused."""
    found = []
    for name in names:
        below = [f"{name}.{child}" for child, _ in module.get_submodule(name).named_children()]
        inside = any(each.startswith(name + ".") for each in by)
        if name in by or not inside:
            found.append(name)
        elif asked:
            raise Refused(f"{name} is never called itself, but what is in it: take --layers {name}.*")
        else:
            found += called(module, below, by, asked)
    return found


def first_line(problem):
    return str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__


def user_line(problem):
    """The innermost line of the user's that an error came from, in brackets; empty if there is none."""
    own = (str(pathlib.Path(torch.__file__).parent), str(pathlib.Path(__file__).parent), "<")
    lines = [each for each in traceback.extract_tb(problem.__traceback__) if not each.filename.startswith(own) and "/lib/python" not in each.filename]
    return f" ({lines[-1].filename}:{lines[-1].lineno})" if lines else ""


def results(module, args):
    """What a module returns, as a list of tensors, and which parameters have a gradient of it; all stays as it was."""
    buffers = [(each, each.detach().clone()) for each in module.buffers()]
    gradients = [(each, each.grad) for each in module.parameters()]
    torch.manual_seed(1)
    try:
        for each, _ in gradients:
            each.grad = None
        returned = torch.utils._pytree.tree_leaves(module(*[each.clone() if torch.is_tensor(each) else each for each in args]))
        returned = [each for each in returned if torch.is_tensor(each)]
        starts = [each.sum() for each in returned if each.requires_grad]
        with contextlib.suppress(RuntimeError):  # the layer that fails says it when it is measured
            torch.autograd.backward(starts)
        return [each.detach() for each in returned], {id(each) for each, _ in gradients if each.grad is not None}
    except Exception as problem:
        raise Refused(f"the module fails with these arguments: {first_line(problem)}{user_line(problem)}") from problem
    finally:
        with torch.no_grad():
            for each, was in buffers:
                each.copy_(was)
        for each, was in gradients:
            each.grad = was


def way_out(problem):
    """What can be done about an error of which PyTorch does not say it."""
    return "; change a copy in place of it, by clone()" if "modified by an inplace operation" in str(problem) else ""


def same_results(expected, found, module):
    """Refuses a graph that does something else than the module."""
    if any(not torch.equal(a, b) for a, b in zip(expected[0], found[0]) if not a.isnan().any()):
        raise Refused("it makes another module of this one: x += y is x = x + y there, so the old x must not be used again")
    missing = [name for name, each in module.named_parameters() if id(each) in expected[1] - found[1]]
    if missing:
        raise Refused(f"it leaves out the gradient of {missing[0]}")


def by_export(module, args):
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        before, _ = logging.root.manager.disable, logging.disable()  # where it fails, it prints all of its graph
        try:
            exported = torch.export.export(module, tuple(args), strict=False).module()
        finally:
            logging.disable(before)
    for node in list(exported.graph.nodes):
        if node.op == "call_module" and node.target == "_guards_fn":
            exported.graph.erase_node(node)
        elif node.op == "get_attr" and not node.users:
            exported.graph.erase_node(node)
    owned = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
    for node in exported.graph.nodes:  # the module's own tensors, whatever export made of them
        if node.op == "get_attr" and node.target in owned:
            path, _, name = node.target.rpartition(".")
            setattr(exported.get_submodule(path), name, owned[node.target])
    # Operators know by themselves whether they train; an exported module refuses train() and eval().
    whole = fx.GraphModule(exported, plain_signature(exported.graph))
    whole.training = module.training
    return whole


def plain_signature(graph):
    """The same graph with the usual code generation: placeholders are arguments, the output is what it is."""
    plain = fx.Graph()
    copies = {}
    result = plain.graph_copy(graph, copies)
    spec = getattr(getattr(graph._codegen, "pytree_info", None), "out_spec", None)
    if spec is not None:
        result = torch.utils._pytree.tree_unflatten(list(result), spec)
        if not isinstance(result, (fx.Node, tuple, list, dict)):
            raise Refused(f"the module returns a {type(result).__name__}; let it return tensors, or a tuple, list or dict of them")
    plain.output(result)
    return plain


def by_fx(module, args):
    traced = fx.symbolic_trace(module)
    given = len(args)
    for number, node in enumerate(node for node in list(traced.graph.nodes) if node.op == "placeholder"):
        if number >= given:  # defaults that were not given
            if not node.args:
                raise Refused(f"the argument {node.target} is missing")
            fill_in(node, node.args[0])
            traced.graph.erase_node(node)
    return traced


def by_modules(module, args, names, may_be_coarser):
    """The calls of these modules, in the order of one run, or, if the whole computes something between them, of those right below it."""
    try:
        return linked_calls(module, args, names)
    except Unlinked:
        coarser = right_below(module)
        if not may_be_coarser or set(coarser) == set(names):
            raise
        return linked_calls(module, args, coarser)


def right_below(module, path=""):
    """The names of a module's own modules; of lists, which are not called, of those in them."""
    found = []
    for name, child in module.named_children():
        is_list = isinstance(child, (nn.ModuleList, nn.ModuleDict))
        found += right_below(child, f"{path}{name}.") if is_list else [path + name]
    return found


def linked_calls(module, args, names):
    """The graph of what the modules take of each other while the whole runs once; all stays as it was."""
    links = Links(args, torch.is_tensor, lambda each: each is None or isinstance(each, (bool, int, float, str, torch.dtype, torch.device)))
    inside, hooks = [], []

    def before(name):
        def enter(_, given, named):
            inside.append(links.call(name, given, named) if not inside else None)
        return enter

    def behind(_, given, named, result):
        number = inside.pop()
        if number is not None:
            links.learn(result, number)

    buffers = [(each, each.detach().clone()) for each in module.buffers()]
    try:
        for name in names:
            each = module.get_submodule(name)
            hooks += [each.register_forward_pre_hook(before(name), with_kwargs=True), each.register_forward_hook(behind, with_kwargs=True)]
        with torch.random.fork_rng(devices=[]):
            returned = links.link(module(*args), "the result")
    finally:
        for each in hooks:
            each.remove()
        with torch.no_grad():
            for each, was in buffers:
                each.copy_(was)
    return graph_of_calls(module, links.calls, returned, len(args))


def graph_of_calls(module, calls, returned, inputs):
    """The graph module of calls that `Links` linked."""
    graph = fx.Graph()
    values = {Taken(number - inputs): graph.placeholder(f"input_{number}") for number in range(inputs)}

    def value(structure):
        if isinstance(structure, Taken):
            if structure not in values:
                whole = value(Taken(structure.call, structure.path[:-1]))
                values[structure] = graph.call_function(operator.getitem, (whole, structure.path[-1]))
            return values[structure]
        if isinstance(structure, dict):
            return {name: value(each) for name, each in structure.items()}
        return type(structure)(value(each) for each in structure) if isinstance(structure, (tuple, list)) else structure

    for number, (name, given, named) in enumerate(calls):
        values[Taken(number)] = graph.call_module(name, value(given), value(named))
    graph.output(value(returned))
    whole = fx.GraphModule(module, graph)
    whole.training = module.training
    return whole


def fill_in(node, value):
    """Puts a constant in the place of a node."""
    for user in list(node.users):
        user.args = fx.map_arg(user.args, lambda each: value if each is node else each)
        user.kwargs = fx.map_arg(user.kwargs, lambda each: value if each is node else each)


def chosen_modules(module):
    """The names of the modules that become layers: what is below lists, and below what holds lists, or more than half of all parameters.

    So a wrapper is opened, and a block of a list is not, whatever is in it, nor what has parameters of its own beside its modules.
    """
    everything = sum(each.numel() for each in module.parameters()) or 1
    names = []

    def holds_list(each):
        return any(isinstance(child, (nn.ModuleList, nn.ModuleDict)) or holds_list(child) for child in each.children())

    def open_up(path, each, in_list):
        big = 2 * sum(parameter.numel() for parameter in each.parameters()) > everything and not each._parameters
        container = isinstance(each, CONTAINERS)
        children = list(each.named_children())
        if children and (path == "" or (not in_list and (container or big or holds_list(each)))):
            for name, child in children:
                open_up(f"{path}.{name}" if path else name, child, container and len(children) > 1)
        elif path:
            names.append(path)

    open_up("", module, False)
    return names


def matching_modules(module, patterns):
    """The names of the modules that match one of the patterns, as layers.* or lm_head; `*` ends at a point."""
    names = [name for name, _ in module.named_modules() if name]
    found = []
    for pattern in patterns:
        depth = pattern.count(".")
        matches = [name for name in names if name.count(".") == depth and fnmatch.fnmatchcase(name, pattern)]
        if not matches:
            raise Refused(f"no module is called {pattern}; there are {', '.join(names[:8])}{' ...' if len(names) > 8 else ''}")
        found += matches
    return found


def runs(graph, names, free):
    """Cuts the operators, in their order, into runs of one call of a chosen module; those of none belong to the run before.

    A module that is called again, or left and entered again, makes a layer name@2. What comes in front of the first chosen module
    belongs to that one. So edges lead forward only, and the graph of layers has no cycle.
    """
    names, layers, layer_of, calls, current, early = set(names), [], {}, {}, None, []
    for node in graph.nodes:
        if node.op in ("placeholder", "get_attr", "output") or node in free:
            continue
        key = call_of(node, names)
        if node.target is operator.getitem and node.args[0] in layer_of:
            layer = layer_of[node.args[0]]  # a part of a tuple stays where that is: only tensors pass from layer to layer
        else:
            if key is not None and key != current:
                path, current = key[0], key
                calls[path] = calls.get(path, 0) + 1
                layers.append(Layer(path if calls[path] == 1 else f"{path}@{calls[path]}", path))
            layer = layers[-1] if layers else None
        if layer is None:
            early.append(node)
        else:
            layer.nodes.append(node)
            layer_of[node] = layer
    if not layers:
        if not early:
            raise Refused("the module computes nothing")
        layers.append(Layer("all", ""))
    layers[0].nodes[:0] = early
    return layers


def call_of(node, names):
    """The longest chosen name among the modules that a node was called from, and which call of it that was."""
    best = None
    stack = dict(node.meta.get("nn_module_stack") or {})
    if node.op == "call_module" and not stack:
        stack = {node.target: (node.target, None)}
    for key, (path, _) in stack.items():
        path = path.split("@")[0]
        if path in names and (best is None or len(path) >= len(best[0])):
            best = path, str(key).rpartition("@")[2] if "@" in str(key) else "0"
    return best


def written(node):
    """The nodes that an operator changes in place."""
    if node.op == "call_function" and hasattr(node.target, "_schema"):
        arguments = node.target._schema.arguments
        given = dict(zip((each.name for each in arguments), node.args)) | dict(node.kwargs)
        found = [given.get(each.name) for each in arguments if each.alias_info is not None and each.alias_info.is_write]
        return [each for each in found if isinstance(each, fx.Node)]
    in_place = node.kwargs.get("inplace") is True
    if node.op == "call_method":
        in_place = in_place or (node.target.endswith("_") and not node.target.endswith("__"))
    if node.op == "call_function":
        name = getattr(node.target, "__name__", "")  # torch.relu_, or an operator as x += y
        in_place = in_place or name in {"iadd", "imul", "isub", "itruediv"} or (name.endswith("_") and not name.endswith("__"))
    if node.op == "call_module":
        owner = node.graph.owning_module
        in_place = getattr(owner.get_submodule(node.target), "inplace", False) is True if owner is not None else False
    return [each for each in node.args[:1] if in_place and isinstance(each, fx.Node)]


def viewed(node):
    """The node that an operator returns a view of, if it does."""
    if node.op == "call_function" and hasattr(node.target, "_schema"):
        for argument, given in zip(node.target._schema.arguments, node.args):
            if argument.alias_info is not None and isinstance(given, fx.Node):
                return given
        return None
    views = {"view", "reshape", "transpose", "permute", "flatten", "squeeze", "unsqueeze", "expand", "chunk", "split", "t", "contiguous"}
    name = node.target if node.op == "call_method" else getattr(node.target, "__name__", "")
    if name in views or node.target is operator.getitem:
        return node.args[0] if node.args and isinstance(node.args[0], fx.Node) else None
    return None


def changed_inputs(nodes, inputs):
    """Which inputs the nodes change in place, themselves or through views."""
    inputs, changed = set(inputs), set()
    for node in nodes:
        for target in written(node):
            while target is not None and target not in inputs:
                following = written(target)
                target = following[0] if following else viewed(target)
            if target is not None:
                changed.add(target)
    return changed


def last_writer(graph):
    """Lets whoever comes after an operator in place take its result, so that the order is told by the edges alone.

    What is written into a buffer stays the buffer: each copy of a module has its own.
    """
    order = {node: number for number, node in enumerate(graph.nodes)}
    for node in list(graph.nodes):
        for target in written(node):
            returns = getattr(getattr(node.target, "_schema", None), "returns", None)
            if returns is not None and not (len(returns) == 1 and returns[0].alias_info is not None and returns[0].alias_info.is_write):
                continue  # what it returns is something else
            if target.op == "get_attr":
                node.replace_all_uses_with(target)
            else:
                for user in [user for user in target.users if order[user] > order[node]]:
                    user.replace_input_with(target, node)


def free_nodes(graph_module):
    """The nodes that depend on neither inputs nor parameters, and are the same each time."""
    parameters = {name for name, _ in graph_module.named_parameters(remove_duplicate=False)}
    changed = {target.target for node in graph_module.graph.nodes for target in written(node) if target.op == "get_attr"}
    free = set()
    for node in graph_module.graph.nodes:
        if node.op == "get_attr":
            if node.target not in parameters and node.target not in changed:
                free.add(node)
        elif node.op == "call_function" and not written(node) and not any(written(user) for user in node.users):
            random = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
            if not random and all(source in free for source in node.all_input_nodes):
                free.add(node)
    return free
