# SPDX-License-Identifier: BSL-1.0
"""Runs a plan's order in PyTorch and compares it with what was predicted.

    torchrun --nproc-per-node 4 examples/pytorch/run.py plan.json --model models:toy_transformer
    python examples/pytorch/run.py plan.json --sleep

With torchrun on one machine or several; without it, run.py starts the ranks of the plan on this machine by itself.
The order is that of `stagecut.format(plan, "torch-csv")`, run by PyTorch's own pipeline runtime. Losses and gradients
are compared with the model run without a pipeline. With --sleep nothing is computed: each pass takes the time of the plan.
"""

import contextlib
import datetime
import inspect
import json
import logging
import math
import os
import pathlib
import signal
import socket
import sys
import tempfile
import time
import traceback
import warnings

from launch import arguments, check_plan, launch
from plan_file import Refused, is_row, read_plan, read_text, with_chain_edges, with_whole_first_stage

if __name__ == "__main__":
    if "RANK" not in os.environ:
        sys.exit(launch(__doc__))
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a page of Python's for each rank
warnings.filterwarnings("ignore", module=r"torch\..*")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch.distributed.pipelining import PipelineStage, schedules  # noqa: E402

import timeline  # noqa: E402
from planner import refusals, stagecut  # noqa: E402

LOSSES_DIFFER, GRADIENTS_DIFFER = 1e-6, 2e-6  # at most, of the loss and of the norm of all gradients
WARM_UP = 2  # steps


class Quit(Exception):
    """This rank ends; what is to be said was said, or another rank says it."""


def order_format(words):
    """The planner's format, in the words of this version of PyTorch."""
    old = words.format == "torch-comms" and not hasattr(schedules, "WAIT_SEND_F")
    return "torch-comms-2.9" if old else words.format


def prepare(words, ranks):
    """What every rank needs: the plan, the text of the order, the prediction. Rank 0 alone calls the planner."""
    plan = read_plan(words.plan)
    check_plan(words, plan, ranks)
    if words.sleep and plan.pop("messages", None):
        print("run.py: with --sleep messages take no time, so the prediction is that of the plan without its links", file=sys.stderr)
    if plan.get("edges") and not is_row(plan):
        print("run.py: PyTorch runs stages as a chain, those of the plan as well that could run side by side, and that is predicted",
              file=sys.stderr)
        plan = with_chain_edges(plan)
    options = {"schedule_text": read_text(words.schedule_file) if words.schedule_file else None, "merge_backward": words.merge_backward}
    with refusals():
        order = stagecut.format(plan, order_format(words), **options)
    predicted = timeline.predicted(with_whole_first_stage(plan), **options)
    return {"plan": plan, "order": order, "predicted": predicted}


# Ranks that speak with one voice.


def rank():
    return dist.get_rank()


def on_first(function):
    """What the function returns on rank 0, on all of them. If it fails there, they all end and rank 0 says why."""
    result = [None, None]
    if rank() == 0:
        try:
            result[0] = function()
        except Refused as error:
            result[1] = str(error)
    dist.broadcast_object_list(result, src=0)
    if result[1] is not None:
        raise Quit(result[1])
    return result[0]


def on_all(function):
    """What the function returns on this rank. If it fails on any, they all end and rank 0 says why, once."""
    result = error = None
    try:
        result = function()
    except (Refused, ImportError, AttributeError, TypeError, ValueError, OSError) as failure:
        error = str(failure) or type(failure).__name__
    errors = [None] * dist.get_world_size()
    dist.all_gather_object(errors, error)
    for one in errors:
        if one is not None:
            raise Quit(one)
    return result


# What is run.


class Waiting(torch.nn.Module):
    """A stage that computes next to nothing, differentiably."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, value):
        return value * self.weight


def tuple_of(values):
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


class Linked(torch.nn.Module):
    """A stage as the runtime calls it.

    The runtime splits one batch into microbatches, and joins the outputs of the last stage. Arguments and outputs of a model
    need no batch: so the first stage has all microbatches, and the last one returns the loss. Which is run is `microbatch`.
    """

    def __init__(self, stage, microbatches, first, loss=None):
        super().__init__()
        self.stage, self.microbatches, self.first, self.loss = stage, microbatches, first, loss
        self.microbatch = 0

    def forward(self, *values):
        if self.first:
            values = self.microbatches[self.microbatch]
        outputs = self.stage(*values)
        if self.loss is not None:
            return torch.stack([self.loss(outputs, self.microbatches[self.microbatch][0])])
        # Transfers want contiguous tensors; and the runtime detaches outputs, which must be neither views nor inputs.
        mine = {id(value) for value in values}
        outputs = tuple(one.clone(memory_format=torch.contiguous_format) if id(one) in mine or one._base is not None
                        or not one.is_contiguous() else one for one in tuple_of(outputs))
        return outputs if len(outputs) > 1 else outputs[0]


def microbatch_of(args, draw):
    """Arguments like the given ones with other values."""

    def other(one):
        if not isinstance(one, torch.Tensor):
            return one
        if one.is_floating_point() or one.is_complex():
            return torch.randn(one.shape, generator=draw, dtype=torch.promote_types(one.dtype, torch.float32)).to(one.dtype)
        if one.dtype == torch.bool or one.numel() == 0:
            return one
        low, high = int(one.min()), int(one.max())
        return torch.randint(low, high + 1, one.shape, generator=draw).to(one.dtype)

    return tuple(other(one) for one in args)


class Recorder:
    """The passes of a step, by the clock of the machine or by events of the GPU."""

    def __init__(self, device, seconds=None):
        self.cuda = device.type == "cuda"
        self.seconds = seconds  # of each pass, which it then takes
        self.spans = []

    def begin(self, step):
        self.step, self.spans = step, []
        if self.cuda:
            torch.cuda.synchronize()
        dist.barrier()
        self.zero = self.mark()
        self.clock = time.perf_counter()

    def mark(self):
        if not self.cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    @contextlib.contextmanager
    def span(self, stage, microbatch, kind):
        start = self.mark()
        yield
        if self.seconds is not None:
            time.sleep(max(0.0, start + self.seconds[stage, microbatch, kind] - time.perf_counter()))
        self.spans.append((stage, microbatch, kind, start, self.mark()))

    def passes(self):
        """The step's, on this machine's clock."""
        if self.cuda:
            torch.cuda.synchronize()
        since = (lambda mark: self.zero.elapsed_time(mark) / 1e3) if self.cuda else (lambda mark: mark - self.zero)
        return [timeline.Pass(rank(), stage, microbatch, kind, since(start), since(end))
                for stage, microbatch, kind, start, end in self.spans]


class RecordedStage(PipelineStage):
    """A stage of PyTorch's that says when its passes ran, and seeds each forward pass."""

    recorder: Recorder
    seed: int

    def _get_init_p2p_neighbors_ops(self):
        # PyTorch 2.9 sends 8 bytes where it receives 4, to connect the ranks; gloo connects them by itself, and refuses that.
        return [] if self.device.type == "cpu" else super()._get_init_p2p_neighbors_ops()

    def forward_one_chunk(self, chunk, *args, **kwargs):
        torch.manual_seed(seed_of(self.seed, self.recorder.step, self.stage_index, chunk))
        self.submod.microbatch = chunk
        with self.recorder.span(self.stage_index, chunk, "F"):
            return super().forward_one_chunk(chunk, *args, **kwargs)

    def backward_one_chunk(self, chunk, loss=None, full_backward=True, **kwargs):
        with self.recorder.span(self.stage_index, chunk, "B" if full_backward else "I"):
            super().backward_one_chunk(chunk, loss=loss, full_backward=full_backward, **kwargs)
            # Transfers want contiguous tensors.
            self.bwd_cache[chunk] = tuple(one if one is None else one.contiguous() for one in self.bwd_cache[chunk])

    def backward_weight_one_chunk(self, chunk, *args, **kwargs):
        with self.recorder.span(self.stage_index, chunk, "W"):
            return super().backward_weight_one_chunk(chunk, *args, **kwargs)


def seed_of(seed, step, stage, microbatch):
    return (((seed * 1009 + step) * 10007 + stage) * 100003 + microbatch) % 2**63


class Job:
    """The stages of a plan, as all ranks know them, and this rank's."""

    def __init__(self, words, plan, predicted, device):
        self.words, self.plan, self.device = words, plan, device
        self.ranks = [stage["device"] for stage in plan["stages"]]
        self.mine = [stage for stage, where in enumerate(self.ranks) if where == rank()]
        self.count = 1 + max(one.microbatch for one in predicted)
        torch.manual_seed(words.seed)
        stages, args, loss = self.load()
        draw = torch.Generator().manual_seed(words.seed)
        microbatches = [microbatch_of(args, draw) for _ in range(self.count)]
        last = len(stages) - 1
        self.stages = [Linked(stage, microbatches, place == 0, loss if place == last else None)
                       for place, stage in enumerate(stages)]
        self.examples, written = examples(self.stages)
        self.own_buffers = self.shared_buffers(written)
        for stage in self.stages if words.check else [self.stages[stage] for stage in self.mine]:
            stage.to(device)
        microbatches[:] = [tuple(one.to(device) if isinstance(one, torch.Tensor) else one for one in args)
                           for args in microbatches]
        self.buffers = [(one, one.detach().clone()) for stage in self.stages for one in stage.buffers()]

    def load(self):
        if self.words.sleep:
            return [Waiting() for _ in self.ranks], (torch.ones(1),), lambda output, _: output.sum()
        import factory
        import split

        module, args, loss = factory.load(self.words.model, factory.parse_settings(self.words.settings), self.words.args)
        if not any(each.requires_grad for each in module.parameters()):
            raise Refused(f"{self.words.model}: has no parameter that takes a gradient, so there is nothing to train")
        stages = split.stages(self.plan, module, args, self.words.split)
        if self.words.check and split.difference(stages, module, args, dropout=split.keeps_order(self.plan)) != 0:
            raise Refused("the stages, run in a row, compute something else than the module: see split.py")
        if len(stages) != len(self.ranks):
            raise Refused(f"the model has {len(stages)} stages and the plan {len(self.ranks)}")
        return stages, args, loss

    def reset(self):
        """As before the first step."""
        with torch.no_grad():
            for one, was in self.buffers:
                one.copy_(was)
        for stage in self.stages:
            stage.zero_grad(set_to_none=True)

    def shared_buffers(self, written):
        """Of the buffers that a pass changes those that stages of several ranks have: their names, and these ranks."""
        found = {}
        for stage, where in zip(self.stages, self.ranks):
            for name, one in stage.stage.named_buffers():
                if id(one) in written:
                    found.setdefault(id(one), (name, set()))[1].add(where)
        return [(name, sorted(ranks)) for name, ranks in found.values() if len(ranks) > 1]

    def holders(self):
        """Each parameter, and the ranks of the stages that hold it, in the same order on every rank."""
        found = {}
        for stage, where in zip(self.stages, self.ranks):
            for one in stage.parameters():
                found.setdefault(one, set()).add(where)
        return found


def examples(stages):
    """What each stage takes and returns, of one microbatch, and which buffers they change; these stay as they were."""
    buffers = [(one, one.detach().clone()) for stage in stages for one in stage.buffers()]
    values, found = (torch.zeros(1, dtype=torch.int64),), []  # the first stage is given a number: see run_steps
    for stage in stages:
        outputs = tuple_of(stage(*values))
        if not all(isinstance(one, torch.Tensor) for one in outputs):
            raise Refused("a stage returns what is no tensor")
        outputs = tuple(one.detach().requires_grad_(one.requires_grad) for one in outputs)
        found.append((values, outputs))
        values = outputs
    written = {id(one) for one, was in buffers if not torch.equal(one, was)}
    with torch.no_grad():
        for one, was in buffers:
            one.copy_(was)
    return found, written


def schedule_of(job, order, recorder):
    """PyTorch's runtime with this rank's stages and the plan's order. Gradients are averaged by `average`: PyTorch would do
    it stage by stage, so twice for a parameter that two stages of a rank share."""
    bare = [place for place, (_, outputs) in enumerate(job.examples) if not all(one.requires_grad for one in outputs)]
    if bare and "output_grads" not in inspect.signature(PipelineStage).parameters:
        raise Refused(f"stage {bare[0]} hands on a tensor that has no gradient, as a mask, which PyTorch "
                        f"{torch.__version__} cannot send; 2.15 can")
    stages = []
    for place in job.mine:
        inputs, outputs = job.examples[place]
        stage = RecordedStage(job.stages[place], place, len(job.stages), job.device, input_args=inputs, output_args=outputs)
        stage.recorder, stage.seed = recorder, job.words.seed
        stages.append(stage)
    schedule = schedules._PipelineScheduleRuntime(stages, job.count, loss_fn=lambda output, target: output.sum(),
                                                  scale_grads=False)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(order)
        file.flush()
        schedule._load_csv(file.name, format="compute_only" if job.words.format == "torch-csv" else "compute_comms")
    return schedule


def run_steps(job, schedule, recorder):
    """The passes of every measured step on this rank, and the losses of the last one."""
    numbers = torch.arange(job.count)
    steps = []
    for step in range(WARM_UP + job.words.steps):
        job.reset()
        losses = []
        recorder.begin(step)
        schedule.step(*([numbers] if 0 in job.mine else []), target=numbers, losses=losses)
        steps.append((recorder.clock, recorder.passes()))
    return steps[WARM_UP:], torch.stack(losses).detach().cpu().double() if losses else None


def fastest(job, steps):
    """The passes of the step that took the least, of all ranks, on rank 0.

    Ranks of one machine share its clock; those of several begin at the same time, when all have come to the barrier.
    """
    gathered = [None] * dist.get_world_size() if rank() == 0 else None
    dist.gather_object((socket.gethostname(), steps), gathered)
    if rank() != 0:
        return None
    same = len({host for host, _ in gathered}) == 1
    found = []
    for step in range(job.words.steps):
        zero = min(of_rank[step][0] for _, of_rank in gathered)
        passes = []
        for _, of_rank in gathered:
            clock, mine = of_rank[step]
            late = clock - zero if same else 0.0
            passes += [one._replace(start=one.start + late, end=one.end + late) for one in mine]
        found.append(sorted(passes, key=lambda one: one.start))
    return min(found, key=timeline.iteration)


# Whether it computes the same.


def average(job):
    """Sums the gradients of parameters that several ranks hold, averages all over the microbatches; how many were shared."""
    shared = 0
    for one, where in job.holders().items():
        if len(where) > 1:
            shared += 1
            gradient = torch.zeros_like(one) if one.grad is None or rank() not in where else one.grad
            dist.all_reduce(gradient)
            one.grad = gradient if rank() in where else None
        if one.grad is not None:
            one.grad.div_(job.count)
    return shared


def reference(job):
    """The losses of the stages in a row, without a pipeline; gradients are left in the parameters."""
    job.reset()
    step = WARM_UP + job.words.steps - 1
    losses = []
    for microbatch in range(job.count):
        values = ()
        for place, stage in enumerate(job.stages):
            torch.manual_seed(seed_of(job.words.seed, step, place, microbatch))
            stage.microbatch = microbatch
            values = tuple_of(stage(*values))
        values[0].sum().backward()
        losses.append(values[0].detach().sum())
    for one in job.holders():
        if one.grad is not None:
            one.grad.div_(job.count)
    return torch.stack(losses).cpu().double()


def compare(job, losses):
    """How far losses and gradients are from those without a pipeline, on rank 0."""
    shared = average(job)
    mine = {one: one.grad for one, where in job.holders().items() if min(where) == rank()}
    expected = reference(job)
    zero = torch.zeros(())
    sums = torch.zeros(2, dtype=torch.float64)
    for one, got in mine.items():
        got, wanted = (zero if grad is None else grad.detach().cpu().double() for grad in (got, one.grad))
        sums += torch.stack([(got - wanted).square().sum(), wanted.square().sum()])
    sums = [sums, losses]
    gathered = [None] * dist.get_world_size() if rank() == 0 else None
    dist.gather_object(sums, gathered)
    if rank() != 0:
        return None
    got = next(of_rank for _, of_rank in gathered if of_rank is not None)
    difference, norm = (float(sum(sums[place] for sums, _ in gathered)) ** 0.5 for place in (0, 1))
    return {
        "loss": float(got.mean()),
        "loss_difference": float(((got - expected).abs() / expected.abs().clamp(min=1e-30)).max()),
        "gradient_difference": difference / norm if norm > 0 else difference,
        "gradient_norm": norm,
        "shares_16_bits": any(len(where) > 1 and one.element_size() < 4 for one, where in job.holders().items()),
        "tied": shared,
        "own_buffers": job.own_buffers,
    }


# What is said of it.


def report_of(job, predicted, measured, compared):
    """The figures, as --json writes them."""
    took = timeline.iteration(predicted), timeline.iteration(measured)
    sides = [(name, timeline.idle(passes, job.plan["devices"]))
             for name, passes in (("predicted", predicted), ("measured", measured))]
    planned = timeline.mean_seconds(timeline.work(predicted, job.plan["stages"]))
    ran = timeline.mean_seconds({(one.stage, one.microbatch, one.kind): one.end - one.start for one in measured})
    return {
        "iteration": {"predicted": took[0], "measured": took[1], "difference": took[1] / took[0] - 1 if took[0] > 0 else None},
        "stages": [{"stage": stage, "rank": where, "predicted": planned[stage], "measured": ran[stage]}
                   for stage, where in enumerate(job.ranks)],
        "ranks": [{"rank": place, **{name: side[place] for name, side in sides}} for place in range(job.plan["devices"])],
        "check": compared,
        "schedule": "order" if job.words.schedule_file else job.plan["schedule"]["name"] or "order",
        "microbatches": job.count,
        "steps": job.words.steps,
        "format": job.words.format,
        "sleep": job.words.sleep,
        "backend": job.words.backend,
        "torch": torch.__version__,
    }


def table(rows):
    """Lines of columns, the first to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) if place == 0 else cell.rjust(width)
                               for place, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def ms(seconds):
    return f"{seconds * 1e3:.2f}"


def say(report):
    took = report["iteration"]
    print(f"{report['schedule']}, {len(report['ranks'])} ranks, {len(report['stages'])} stages, "
          f"{report['microbatches']} microbatches, {report['backend']}, torch {report['torch']}")
    print(f"iteration: predicted {ms(took['predicted'])} ms, measured {ms(took['measured'])} ms"
          + (f", {took['difference']:+.1%} of the prediction" if took["difference"] is not None else ""))
    print("\nms, predicted / measured")
    pair = lambda of, *path: " / ".join(ms(at(of[name], path)) for name in ("predicted", "measured"))  # noqa: E731
    print(table([["rank", "busy", *timeline.CAUSES.values()]] +
                [[str(of["rank"]), pair(of, "busy"), *(pair(of, "idle", cause) for cause in timeline.CAUSES)]
                 for of in report["ranks"]]))
    kinds = [kind for kind in timeline.KINDS if any(kind in of["measured"] for of in report["stages"])]
    print("\nmeasured : predicted, mean of a pass")
    print(table([["stage", "rank", *(timeline.KINDS[kind] for kind in kinds)]] +
                [[str(of["stage"]), str(of["rank"]), *(ratio(of, kind) for kind in kinds)] for of in report["stages"]]))


def at(of, path):
    for key in path:
        of = of[key]
    return of


def ratio(of, kind):
    planned, ran = of["predicted"].get(kind), of["measured"].get(kind)
    if planned is None or ran is None:
        return ""
    return f"{ms(ran)} : {ms(planned)}" + (f" = {ran / planned:.2f}" if planned > 0 else "")


def say_compared(compared):
    """Whether it computed the same; prints it."""
    if compared["tied"]:
        print(f"\ntied: {compared['tied']} parameters on several ranks; their gradients were summed over these")
    same = compared["loss_difference"] <= LOSSES_DIFFER and compared["gradient_difference"] <= GRADIENTS_DIFFER
    print(f"\nwithout a pipeline: loss {compared['loss']:.6g}, difference {compared['loss_difference']:.2g} "
          f"(limit {LOSSES_DIFFER:g}); gradients, difference {compared['gradient_difference']:.2g} of their norm "
          f"(limit {GRADIENTS_DIFFER:g}): "
          + ("the same" if same else "NOT the same"))
    if not same and compared["shares_16_bits"]:
        print("ranks share parameters of 16 bits, whose gradients they sum in another order: float32 tells whether that is all")
    if math.isnan(compared["loss"]):
        print("the loss is no number: without a pipeline as well, if the stages are right")
    for name, ranks in compared["own_buffers"]:
        print(f"ranks {', '.join(map(str, ranks))} each have a buffer {name} of their own, which their stages change"
              + ("" if same else ", which may be why: plan with the layers that use it in one stage, by --keep-together A..B"))
    return same


def write(words, report, predicted, measured):
    both = {"predicted": predicted, "measured": measured}
    texts = {words.json: lambda: json.dumps(report, indent=1) + "\n",
             words.trace: lambda: json.dumps(timeline.chrome(both)) + "\n",
             words.svg: lambda: timeline.svg(both, f"{pathlib.Path(words.plan).name}, {report['schedule']}")}
    for file, text in texts.items():
        if file:
            try:
                pathlib.Path(file).write_text(text())
            except OSError as error:
                raise Refused(f"{file}: {error.strerror}") from None


def device_of(words):
    if words.backend == "gloo":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise Refused("--backend nccl: there is no GPU that PyTorch can use; --backend gloo runs on CPUs")
    local = int(os.environ.get("LOCAL_RANK", 0))
    if local >= torch.cuda.device_count():
        raise Refused(f"--backend nccl: there are {torch.cuda.device_count()} GPUs, and more ranks on this machine")
    torch.cuda.set_device(local)
    return torch.device("cuda", local)


def run(words):
    """The exit status."""
    device = on_all(lambda: device_of(words))
    given = on_first(lambda: prepare(words, dist.get_world_size()))
    predicted = given["predicted"]
    job = on_all(lambda: Job(words, given["plan"], predicted, device))
    recorder = Recorder(device, timeline.work(predicted, given["plan"]["stages"]) if words.sleep else None)
    schedule = on_all(lambda: schedule_of(job, given["order"], recorder))
    steps, losses = run_steps(job, schedule, recorder)
    measured = fastest(job, steps)
    compared = compare(job, losses) if words.check else None
    return on_first(lambda: conclude(job, predicted, measured, compared))


def conclude(job, predicted, measured, compared):
    report = report_of(job, predicted, measured, compared)
    say(report)
    same = compared is None or say_compared(compared)
    write(job.words, report, predicted, measured)
    return 0 if same else 1


def fail():
    """Ends the process. Of several ranks that fail, the first to do so says why: the others lost their neighbours."""
    with contextlib.suppress(Exception):
        if dist.distributed_c10d._get_default_store().add("failures", 1) > 1:
            time.sleep(2)  # so that the first one's words come out before all are ended
            os._exit(1)
    print(f"run.py: rank {rank()} failed:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    os._exit(1)


def main():
    words = arguments(__doc__)
    logging.getLogger("torch").setLevel(logging.CRITICAL)  # at an error the runtime prints the whole schedule
    torch.set_num_threads(words.threads)
    dist.init_process_group("gloo" if words.backend == "gloo" or not torch.cuda.is_available() else "cpu:gloo,cuda:nccl",
                            timeout=datetime.timedelta(minutes=5))
    try:
        status = run(words)
    except Quit as error:
        if rank() == 0:
            print(f"run.py: {error}", file=sys.stderr)
        status = 2
    except Exception:
        fail()
    dist.destroy_process_group()
    return status


if __name__ == "__main__":
    sys.exit(main())
