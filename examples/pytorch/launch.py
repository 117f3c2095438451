# SPDX-License-Identifier: BSL-1.0
"""What run.py is asked for, and its ranks where torchrun does not start them. Without torch, so errors come at once."""

import argparse
import contextlib
import os
import socket
import subprocess
import sys
import time

import planner  # noqa: F401, so that its lack is said once and not by every rank
from plan_file import Refused, check_folder, read_plan


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"run.py: {message} (see run.py --help)\n" if os.environ.get("RANK", "0") == "0" else None)


def arguments(description):
    parser = Parser("run.py", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", metavar="PLAN", help="a plan, as `stagecut plan --format json` writes it")
    parser.add_argument("--model", metavar="MODULE:FACTORY", help="makes the module and its arguments: see factory.py")
    parser.add_argument("--set", dest="settings", metavar="NAME=VALUE", nargs="+", action="extend", default=[],
                        help="an argument of the factory")
    parser.add_argument("--args", metavar="SHAPE", nargs="+", help="arguments of the module, for a factory that returns none")
    parser.add_argument("--split", default="auto", choices=("auto", "graph", "pipeline", "modules"), help="how: see split.py")
    parser.add_argument("--sleep", action="store_true", help="wait for the times of the plan; no model is needed")
    parser.add_argument("--steps", metavar="N", type=int, default=5, help="measured ones, of which the fastest is reported")
    parser.add_argument("--backend", default="gloo", choices=("gloo", "nccl"), help="gloo on CPUs, nccl on GPUs")
    parser.add_argument("--format", default="torch-csv", choices=("torch-csv", "torch-comms"), help="who orders the transfers")
    parser.add_argument("--schedule-file", "--order", metavar="FILE", help="PyTorch's CSV, in place of the plan's schedule")
    parser.add_argument("--merge-backward", action="store_true", help="run I with W behind it as one B")
    parser.add_argument("--separate-backward", action="store_true", help="I and W apart, as planned: the default")
    parser.add_argument("--trace", metavar="FILE", help="for Perfetto or chrome://tracing, predicted and measured")
    parser.add_argument("--svg", metavar="FILE", help="a picture of both")
    parser.add_argument("--json", metavar="FILE", help="the figures")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="of each process, for operators")
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    parser.add_argument("--no-check", dest="check", action="store_false",
                        help="do not compare with the model run without a pipeline")
    parser.add_argument("--check", dest="check", action="store_true", default=True, help=argparse.SUPPRESS)
    words = parser.parse_args()
    if bool(words.model) == words.sleep:
        parser.error("--model MODULE:FACTORY or --sleep is needed" if not words.sleep else "--sleep needs no --model")
    if words.steps < 1 or words.threads < 1:
        parser.error("--steps and --threads are at least 1")
    return words


def check_plan(words, plan, ranks):
    """Refuses what cannot be run here."""
    if plan.get("profile", {}).get("weights_only"):
        raise Refused(f"{words.plan}: was made of weights, not of times")
    for file in filter(None, (words.json, words.trace, words.svg)):
        check_folder(file)
    if "schedule" not in plan and not words.schedule_file:
        raise Refused(f"{words.plan}: names no schedule; plan with --microbatches and --schedule")
    if any(stage.get(many, 1) > 1 for stage in plan["stages"] for many in ("replicas", "tensor_parallel", "shards")):
        raise Refused(f"{words.plan}: has stages of several devices (replicas or tensor parallelism), which run.py does not run")
    if plan["devices"] != ranks:
        raise Refused(f"{words.plan}: is for {plan['devices']} ranks, and there are {ranks}; "
                        f"start it by: torchrun --nproc-per-node {plan['devices']}")


def launch(description):
    """Without torchrun: a process for each rank of the plan on this machine, and the status of the first that fails. Torchrun
    has a status of its own, and prints a page for every error."""
    words = arguments(description)
    try:
        plan = read_plan(words.plan)
        check_plan(words, plan, plan.get("devices"))
    except Refused as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    count = plan["devices"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = []
    for place in range(count):
        numbers = {"RANK": place, "LOCAL_RANK": place, "WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        environment = {"OMP_NUM_THREADS": str(words.threads), **os.environ,
                       **{name: str(value) for name, value in numbers.items()}}
        ranks.append(subprocess.Popen([sys.executable, *sys.argv], env=environment))
    try:
        while any(one.poll() is None for one in ranks) and not any(one.returncode for one in ranks):
            time.sleep(0.05)
        return next((one.returncode for one in ranks if one.returncode), 0)
    except KeyboardInterrupt:
        return 130
    finally:
        for one in ranks:
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                one.wait(10)  # what failed on one fails on all, soon
            one.kill()
