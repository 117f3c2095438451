# SPDX-License-Identifier: BSL-1.0
"""What each layer of a traced module takes: seconds of its passes, bytes kept between them, workspace, parameters, output."""

import contextlib
import os
import statistics
import time
import weakref

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the allocator is asked through the profiler, which tells of its own starts

import standard_profile  # noqa: F401, before torch

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.distributed.pipelining._backward import stage_backward_input, stage_backward_weight
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from fused_attention import FusedAttention
from layers import first_line, user_line, way_out
from plan_file import Refused

KINDS = ("forward", "backward", "backward_input", "backward_weight")


def size_of(tensor):
    return tensor.numel() * tensor.element_size()


def tensors_of(structure):
    return [each for each in tree_leaves(structure) if torch.is_tensor(each)]


class Piece:
    """A layer by itself: its module, what it takes, what it returned, and, of the last one, the loss."""

    def __init__(self, traced, number, loss):
        others = set(range(-1, len(traced.layers))) - {number}
        last = number == len(traced.layers) - 1
        self.name, self.path = traced.layers[number].name, traced.layers[number].path
        self.inputs = traced.taken({number}, others) + traced.taken({number})
        nodes = traced.layers[number].nodes
        self.outputs = [node for node in nodes if any(traced.layer_of.get(user, None) != number for user in node.users)]
        self.result = traced.output.args[0] if last else None
        if last:  # what the module returns, the part of it that other layers made as well
            self.inputs += [node for node in traced.output.all_input_nodes if node not in nodes and node not in self.inputs and node.op != "get_attr"]
        self.module = traced.part({number}, self.inputs, (tuple(self.outputs), self.result))
        self.loss = loss if last else None
        self.parameters = [each for each in self.module.parameters() if each.requires_grad]
        self.whole_backward = False  # PyTorch cannot run I and W of it apart

    def take(self, values):
        """Fresh leaves of the values that it takes, so that its passes are its own."""
        return [values[node].detach().requires_grad_(values[node].requires_grad) for node in self.inputs]

    def run(self, inputs):
        """Its outputs, and what a backward pass starts from: of the last layer the loss alone."""
        outputs, result = self.module(*inputs)
        if self.loss is not None:
            return outputs, [loss_of(self.loss, result)]
        return outputs, [each for each in outputs if each.requires_grad]

    def gradients(self, starts):
        return None if self.loss is not None else [torch.ones_like(each) for each in starts]


def loss_of(loss, result):
    try:
        made = loss(result)
    except Exception as problem:
        raise Refused(f"the loss fails: {first_line(problem)}{user_line(problem)}; it is called with what the module returns, and its first "
                      "argument") from problem
    if not torch.is_tensor(made) or made.numel() != 1:
        raise Refused(f"the loss has to be a tensor of one number, not {f'of shape {tuple(made.shape)}' if torch.is_tensor(made) else type(made).__name__}")
    return made


class Kept:
    """Counts the storages that autograd keeps, each once, without parameters and buffers; they live as long as this."""

    def __init__(self, module):
        self.known = {each.untyped_storage()._cdata for each in [*module.parameters(), *module.buffers()]}
        self.alive, self.bytes = [], 0

    def pack(self, tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in self.known:
            self.known.add(storage._cdata)
            self.alive.append(storage)
            self.bytes += storage.nbytes()
        return tensor

    def counting(self):
        return saved_tensors_hooks(self.pack, lambda tensor: tensor)


def bytes_kept(module, args, loss):
    """What the whole module keeps from its forward to its backward pass: the sum of what `profile` says of the layers."""
    kept = Kept(module)
    with kept.counting(), FusedAttention():
        loss(module(*args), *args[:1])
    return kept.bytes


class Wall:
    """Seconds on a CPU."""

    def __call__(self, work):
        start = time.perf_counter()
        result = work()
        return time.perf_counter() - start, result

    def peak(self, work):
        """The most bytes that were allocated at once while `work` ran, beyond the larger of what was before and is behind it."""
        with torch.autograd.profiler.profile(use_kineto=True, profile_memory=True, use_cpu=True) as recorded:
            result = work()  # noqa: F841, what it returns is alive until all is counted
        events = [each for each in recorded.kineto_results.events() if each.name() == "[memory]"]
        level = most = 0
        for each in sorted(events, key=lambda each: each.start_ns()):
            level += each.nbytes()
            most = max(most, level)
        return max(0, most - max(0, level))


class Events:
    """Seconds on a GPU, between two events. Its cache holds nothing of the layer: as much as it holds is written before."""

    def __init__(self, device):
        self.device = device
        cache = torch.cuda.get_device_properties(device).L2_cache_size
        self.filler = torch.empty(2 * cache, dtype=torch.int8, device=device)

    def __call__(self, work):
        self.filler.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        result = work()
        end.record()
        torch.cuda.synchronize(self.device)
        return start.elapsed_time(end) / 1000, result

    def peak(self, work):
        torch.cuda.synchronize(self.device)
        before = torch.cuda.memory_allocated(self.device)
        torch.cuda.reset_peak_memory_stats(self.device)
        result = work()  # noqa: F841, as above
        torch.cuda.synchronize(self.device)
        after = torch.cuda.memory_allocated(self.device)
        return max(0, torch.cuda.max_memory_allocated(self.device) - max(before, after))


class Roofline(TorchDispatchMode):
    """Seconds by counting: each operator takes the time of its FLOPs or that of its bytes, whichever is more. On meta nothing is computed."""

    def __init__(self, flops, bandwidth):
        super().__init__()
        self.flops, self.bandwidth = flops, bandwidth
        self.seconds = 0.0
        self.level = self.most = 0
        self.storages = {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        made = tensors_of(result)
        if not function.is_view:
            packet = function._overloadpacket
            work = flop_registry[packet](*args, **(kwargs or {}), out_val=result) if packet in flop_registry else 0
            moved = sum(size_of(each) for each in tensors_of((args, kwargs or {})) + made)
            self.seconds += max(work / self.flops, moved / self.bandwidth)
        for each in made:
            self.allocated(each.untyped_storage())
        return result

    def allocated(self, storage):
        key = storage._cdata
        if key in self.storages:
            return

        def freed(_, size=storage.nbytes()):
            self.storages.pop(key, None)
            self.level -= size

        self.storages[key] = weakref.ref(storage, freed)
        self.level += storage.nbytes()
        self.most = max(self.most, self.level)

    def __call__(self, work):
        self.seconds = 0.0
        with self:
            result = work()
        return self.seconds, result

    def peak(self, work):
        self.level = self.most = 0
        self.storages = {}
        with self:
            result = work()  # noqa: F841, as above
        return max(0, self.most - self.level)


def values_of(traced, args):
    """The values by the nodes that hold them, to begin with: inputs, and what depends on nothing, for this trace."""
    if len(args) != len(traced.inputs):
        raise Refused(f"the module takes {len(traced.inputs)} arguments, {len(args)} are given")
    values = dict(zip(traced.inputs, args))

    def value(node):
        return values[node] if node in values else attribute(traced.module, node.target)

    with torch.no_grad():
        for node in traced.module.graph.nodes:
            if node in traced.free and node.op != "get_attr":
                arguments = torch.fx.node.map_arg((node.args, node.kwargs), value)
                values[node] = node.target(*arguments[0], **arguments[1])
    return values


def attribute(module, path):
    for name in path.split("."):
        module = getattr(module, name)
    return module


def layers_of(traced, args, loss, clock, repeats=10, progress=lambda done, of: None):
    """Measures each layer alone, all of them in turn, so that caches hold nothing of the one before, and noise is spread.

    Returns dictionaries as layers of a profile have them, with the lower and upper quartile of each time under `measured`.
    """
    state = [(each, each.detach().clone()) for each in traced.module.buffers()]
    gradients = [(each, each.grad) for each in traced.module.parameters()]
    for each, _ in gradients:  # which microbatches add to
        each.grad = torch.zeros_like(each) if each.requires_grad else None
    args = [each.detach().clone() if torch.is_tensor(each) else each for each in args]  # a slice would count what it is a part of
    try:
        with FusedAttention() if isinstance(clock, Roofline) else contextlib.nullcontext():
            return measured_layers(traced, args, loss, clock, repeats, progress)
    finally:
        with torch.no_grad():
            for each, was in state:
                each.copy_(was)
        for each, was in gradients:
            each.grad = was


def measured_layers(traced, args, loss, clock, repeats, progress):
    """As `layers_of`, which puts back what this changes."""
    values = values_of(traced, args)
    pieces = [Piece(traced, number, lambda result: loss(result, args[0])) for number in range(len(traced.layers))]
    layers = first_run(traced, pieces, values)
    rounds = 1 if isinstance(clock, Roofline) else repeats + 2
    times = [{kind: [] for kind in KINDS} for _ in pieces]
    for each in range(rounds):
        for number, piece in enumerate(pieces):
            once = named(piece, lambda: passes(piece, values, clock))
            if each >= min(2, rounds - 1):  # what comes first warms up
                for kind in KINDS:
                    times[number][kind].append(once[kind])
            progress(each * len(pieces) + number + 1, rounds * len(pieces))
    for layer, piece, seconds in zip(layers, pieces, times):
        layer.update({kind: statistics.median(seconds[kind]) for kind in KINDS})
        layer["workspace"] = workspace(piece, values, clock)
        if piece.whole_backward:
            layer["whole_backward"] = True
        if len(seconds["forward"]) > 3:
            layer["measured"] = {kind: quartiles(seconds[kind]) for kind in KINDS}
    return layers


def named(piece, work):
    """What `work` returns; what goes wrong in it is told with the layer."""
    try:
        return work()
    except RuntimeError as problem:
        raise Refused(f"layer {piece.name} fails: {first_line(problem)}{way_out(problem)}") from problem


def quartiles(values):
    return [statistics.quantiles(values, n=4)[0], statistics.quantiles(values, n=4)[2]]


def first_run(traced, pieces, values):
    """Runs the layers in a row on the very outputs of each other, which shows what each keeps and hands on."""
    kept = Kept(traced.module)
    owners = {}
    for piece in pieces:
        for name, parameter in piece.module.named_parameters():
            owners.setdefault(id(parameter), (name, parameter, []))[2].append(piece)
    layers = []
    for piece in pieces:
        before = kept.bytes
        with kept.counting():
            outputs, starts = named(piece, lambda: piece.run(piece.take(values)))
        for node, value in zip(piece.outputs, outputs):
            values[node] = value.detach().requires_grad_(value.requires_grad)
        layer = {"name": piece.name}
        layer["parameters"] = sum(size_of(parameter) for _, parameter, users in owners.values() if users == [piece])
        layer["activations"] = kept.bytes - before
        handed = outputs if piece.loss is None else starts
        layer["output"] = sum(size_of(each) for each in handed)
        tied = [{"name": name, "bytes": size_of(parameter)} for name, parameter, users in owners.values() if piece in users and len(users) > 1]
        if tied:
            layer["tied"] = tied
        if piece.path and piece.path != piece.name:
            layer["modules"] = [piece.path]
        layers.append(layer)
    return layers


def passes(piece, values, clock):
    """One forward pass and each kind of backward pass, in seconds. Gradients of parameters are added to those that are there."""
    seconds = {}
    inputs = piece.take(values)
    seconds["forward"], (_, starts) = clock(lambda: piece.run(inputs))
    if not any(each.requires_grad for each in starts):
        return {kind: seconds.get(kind, 0.0) for kind in KINDS}
    gradients = piece.gradients(starts)
    seconds["backward"], _ = clock(lambda: torch.autograd.backward(starts, gradients))
    # torch's schedules run I and W by these two. An input without a gradient leaves nothing to I.
    inputs = piece.take(values)
    _, starts = piece.run(inputs)
    starts = [each if each._base is None else each.clone() for each in starts]  # they detach outputs, and cannot detach views
    gradients = piece.gradients(starts)
    if not any(each.requires_grad for each in inputs):
        seconds["backward_input"] = 0.0
        seconds["backward_weight"], _ = clock(lambda: torch.autograd.backward(starts, gradients))
        return seconds
    try:
        seconds["backward_input"], (_, groups) = clock(lambda: stage_backward_input(starts, gradients, inputs, iter(piece.parameters)))
        seconds["backward_weight"], _ = clock(lambda: stage_backward_weight(iter(piece.parameters), groups))
    except RuntimeError:  # of several inputs with gradients, as cross attention has them, their ways to the parameters may meet
        piece.whole_backward = True
        seconds["backward_input"], seconds["backward_weight"] = seconds["backward"], 0.0
    return seconds


def workspace(piece, values, clock):
    """The most that a pass needs beside what is there before it or stays behind it."""
    inputs, made = piece.take(values), []
    forward = clock.peak(lambda: made.append(piece.run(inputs)))
    (_, starts), = made
    if not any(each.requires_grad for each in starts):
        return forward
    return max(forward, clock.peak(lambda: torch.autograd.backward(starts, piece.gradients(starts))))
