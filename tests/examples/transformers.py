# SPDX-License-Identifier: BSL-1.0
"""Transformers as a user meets them: from a config.json to a plan, the terms of a time, calibration, devices, inference."""

import json
import os
import pathlib
import re
import sys
import tempfile

from program import check, fails, failures, run, stage_bytes

configs = pathlib.Path(__file__).resolve().parents[1] / "io" / "seeds" / "hugging_face_config"
small = configs / "llama-3.1-8b.json"
transformer = ("profile", "transformer")


def made(*words):
    """What it writes as JSON; what it says goes with it."""
    done = run(*words)
    check(done.returncode == 0, words, done)
    return json.loads(done.stdout or "{}"), done.stderr


def profile(*words, config=small):
    found, said = made(*transformer, "--config", config, *words)
    check(said == "", words, said)
    return found


def plan(file, *words, says=""):
    found, said = made("plan", file, *words, "--format", "json")
    check(re.fullmatch(says, said), words, said)
    return found


def too_large(needs, device, has):
    """What is said of a plan that nothing limits and that is larger than the device."""
    return rf"stagecut: \S+: a device needs up to {needs}, and {device} has {has}: nothing limits the plan, by --memory none\n"


def seconds(of, what="forward", kind=None):
    return sum(layer.get(what, 0) for layer in of["layers"] if kind in (None, layer["kind"]))


def near(a, b, share):
    return abs(a - b) <= share * abs(b)


# From config.json to a plan in one command: a mixture of experts, a large model as it was trained, one that sees.
deep = plan(configs / "deepseek-v3.json", "--devices", 16, "--microbatches", 64, "--gpu", "h100-80gb", "--expert-parallel", 64,
            "--data-parallel", 128, "--zero", 1, "--sequence", 4096, "--recompute", "full", "--memory", "80GB")
check(len(deep["stages"]) == 16 and all(stage_bytes(s) <= 80e9 for s in deep["stages"]), deep["stages"])
check(deep["profile"]["computed"]["parameters"] == 671026419200, deep["profile"]["computed"])
check(deep["profile"]["computed"]["further_parameters"] == 11610068224, deep["profile"]["computed"])
check([layer["name"] for layer in deep["profile"]["layers"]][-3:] == ["norm", "mtp.0", "output"], "no layer guesses further tokens")
large = plan(configs / "llama-3.1-405b.json", "--devices", 16, "--stages-per-rank", 8, "--schedule", "interleaved", "--microbatches", 32, "--gpu",
             "h100-80gb", "--tensor-parallel", 8, "--overlap", "bwd", "--data-parallel", 64, "--zero", 2, "--memory", "none",
             says=too_large("83.54 GiB", "h100-80gb", "74.51 GiB"))
need = "a device needs up to 83.54 GiB, and h100-80gb has 74.51 GiB: nothing limits the plan"
check(run("show", "-", stdin=json.dumps(large)).stderr == f"stagecut: standard input: {need}\n", "show says not what a device lacks")
check(f'["memory","{need}"]' in run("show", "-", "--format", "html", stdin=json.dumps(large)).stdout, "nor does the page")
check(len(large["stages"]) == 128 and large["stages_per_rank"] == 8 and large["objective"]["state"] == "optimal", large["objective"])
check(large["profile"]["computed"]["parameters"] == 405853388800, large["profile"]["computed"])
sees = plan(configs / "qwen2.5-vl-7b.json", "--devices", 4, "--microbatches", 16, "--gpu", "h100-80gb", "--memory", "80GB")
check(sees["profile"]["computed"]["parameters"] == 8292166656 and sees["profile"]["computed"]["vision_parameters"] == 676550144, sees["profile"]["computed"])
check({"vision", "projector", "decoder"} <= {layer["kind"] for layer in sees["profile"]["layers"]}, "does not see")
for each in (deep, large, sees):
    # What is minimised are the passes; the iteration ends behind the last of them, when the slowest stage is updated.
    end = each["makespan"] - each["objective"]["value"]
    check(each["objective"]["name"] == "makespan" and 0 < end <= max(s["all_reduce"] for s in each["stages"]) * (1 + 1e-9), each["objective"], end)
    layers = each["profile"]["layers"]
    check(all(near(s["all_reduce"], sum(l["update"] for l in layers[s["first"]:s["last"]]), 1e-9) for s in each["stages"]), "updates")

# The plan's figures are the simulator's and the verifier's; the end of the iteration is told in words.
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    model, cut = folder / "model.json", folder / "plan.json"
    model.write_text(json.dumps(sees["profile"]))
    cut.write_text(json.dumps(sees))
    check("15 of 15 checks hold" in run("verify", model, cut).stdout, run("verify", model, cut))
    ran, _ = made("simulate", cut, "--format", "json")
    check(ran["makespan"] == sees["makespan"], ran["makespan"], sees["makespan"])
    check(near(ran["idle"]["update"], sees["makespan"] - sees["objective"]["value"], 1e-9), ran["idle"])
    check(near(ran["work"] + sum(ran["idle"].values()), ran["makespan"], 1e-9), ran)
    share = 100 * ran["idle"]["update"] / ran["makespan"]
    check(f" % of it, {share:.2g} % after the last pass\n" in run("show", cut).stdout, share, run("show", cut).stdout)
    check(f", {share:.1f} % after the last pass\n" in run("simulate", cut).stdout, share, run("simulate", cut).stdout)
    check(re.search(r" transfers +end +in flight ", run("compare", cut, cut).stdout), run("compare", cut, cut).stdout)
    # Under a schedule that places stages otherwise, the end takes as much longer as passes do: stage 2 comes to the slower device.
    moved = json.loads(cut.read_text())
    moved |= {"devices": 2, "stages_per_rank": 2, "speeds": [1, 0.5]}
    moved["schedule"]["name"] = "interleaved"
    del moved["makespan"], moved["memory"]
    for stage, device in zip(moved["stages"], (0, 1, 0, 1)):
        stage["device"], stage["all_reduce"] = device, 1000 if device == 0 else 0
    moved["stages"][0]["all_reduce"] = 0
    cut.write_text(json.dumps(moved))
    ends = [made("simulate", cut, "--schedule", schedule, "--format", "json")[0]["idle"]["update"] for schedule in ("interleaved", "zbv")]
    check(990 < ends[0] <= 1000 and 1990 < ends[1] <= 2000, ends)

# Models that are not known, and what they are read as.
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    other = folder / "config.json"
    figures = json.loads(small.read_text()) | {"model_type": "nobodys"}
    other.write_text(json.dumps(figures))
    fails(2, f'{other}#/model_type: "nobodys" is no family that is known; the nearest that is known is ', *transformer, "--config", other)
    fails(2, f'{other}#/model_type: "nobodys" is no family that is known; the nearest that is known is ', "plan", other, "--devices", 4)
    as_llama, plain = made(*transformer, "--config", other, "--as", "llama")[0], profile()
    check(as_llama["layers"] == plain["layers"], "--as llama")
    check(plan(other, "--as", "llama", "--devices", 4)["profile"]["layers"] == plain["layers"], "plan --as llama")
    fails(2, "--as: nobody is none of afmoe, ", *transformer, "--config", other, "--as", "nobody")
    other.write_text('{"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.30.0", "sample_size": 64}')
    for words in ((), ("--gpu", "h100-80gb")):
        fails(2, f"{other}: is a configuration of diffusers, of UNet2DConditionModel: nothing is computed from these", "plan", other, "--devices", 2, *words)
    other.write_text(json.dumps(json.loads(small.read_text()) | {"quantization_config": {"quant_method": "nobodys", "bits": 4}}))
    fails(2, f"{other}: its weights are quantized (nobodys), in a way that is not known: --weights int4", *transformer, "--config", other, "--inference")
    fails(2, f"{other}: its weights are quantized (nobodys), in a way that is not known: --weights int4", "plan", other, "--devices", 2, "--inference")
    for words in (("--precision", "fp8", "--gpu", "h100-80gb", "--inference"), ()):
        check(run(*transformer, "--config", other, *words).returncode == 0, words, "quantized")
    # As its file says, or as the options say: 4 bits a weight, with a scale of each group.
    other.write_text(json.dumps(json.loads(small.read_text()) | {"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}))
    def decoder(*words):
        return profile("--inference", *words, config=other)["layers"][1]
    wide, asked, said = decoder("--weights", "none"), decoder("--weights", "int4"), decoder()
    check(asked == said and abs(said["parameters"] / wide["parameters"] - 0.26) < 0.001, said, wide)
    check(said["forward"] < 0.5 * wide["forward"] and said["activations"] == wide["activations"], said, wide)
    check(decoder("--kv", "fp8")["activations"] == said["activations"] / 2, "--kv")
    check("weights by awq of 0.5195 bytes" in run("plan", other, "--devices", 2, "--inference").stdout, "plan of awq")
    fails(2, "--weights: goes with --inference", *transformer, "--config", other, "--weights", "int4")
    fails(2, "--weights: int3 not in", *transformer, "--config", other, "--inference", "--weights", "int3")
    other.write_text(json.dumps(figures))
    del figures["num_hidden_layers"]
    other.write_text(json.dumps(figures))
    fails(2, f'{other}: "num_hidden_layers" is missing, which llama needs', *transformer, "--config", other, "--as", "llama")

    # A plan of a graph ends with the same updates as that of a chain.
    chain, graph = folder / "chain.json", folder / "graph.json"
    chain.write_text(json.dumps(profile("--data-parallel", 8)))
    for words in ((), ("--objective", "makespan")):
        graph.write_text(json.dumps(plan(chain, "--devices", 4, "--microbatches", 8, "--method", "down-sets", *words, "--memory", "200GB")))
        of = json.loads(graph.read_text())
        layers = json.loads(chain.read_text())["layers"]
        for inner in of["stages"]:
            update = sum(layer["update"] for layer in layers[inner["first"]:inner["last"]])
            check(near(inner["all_reduce"], update, 1e-9) and update > 0, words, inner, update)
        done = run("verify", chain, graph)
        check(done.returncode == 0 and "14 of 14 checks hold" in done.stdout, words, done)

    # In our own words it is the same, and can be changed.
    ours = folder / "ours.json"
    for name in ("llama-3.1-8b", "deepseek-v3", "qwen2.5-vl-7b", "gpt-oss-20b", "gemma-3-27b-it", "bert-large"):
        file = configs / f"{name}.json"
        ours.write_text(run(*transformer, "--config", file, "--format", "config").stdout)
        check(run(*transformer, "--config", ours).stdout == run(*transformer, "--config", file).stdout, name, "is another in our words")
    shared = ("--tensor-parallel", 2, "--sequence", 2048, "--recompute", "full")
    ours.write_text(run(*transformer, "--config", small, *shared, "--format", "config").stdout)
    check(made(*transformer, "--config", ours)[0] == profile(*shared) != profile(), "how it is trained goes into the figures")
    check(len(profile("--set", "layers=3")["layers"]) == 6, "--set layers")
    check(profile("--set", "training.flash=false") == profile("--flash", "off") != plain, "--set training.flash")
    check(profile("--set", "ffn=28672")["computed"]["parameters"] > plain["computed"]["parameters"], "--set ffn")
    fails(2, f"{small}#/layrs: is not known", *transformer, "--config", small, "--set", "layrs=4")

    # Options of a model are refused of what has its own figures.
    computed = folder / "profile.json"
    computed.write_text(json.dumps(plain))
    for words in (("--gpu", "h100-80gb"), ("--as", "llama"), ("--tensor-parallel", 2), ("--precision", "fp8"), ("--flash", "off"), ("--phase", "decode")):
        also = ", or with --replicate" if words[0] == "--tensor-parallel" else ""
        fails(2, f"{words[0]}: goes with a config.json{also}: {computed} has its own figures", "plan", computed, "--devices", 4, *words)

    for words in (("sweep", small, "--devices", 4, "--microbatches", 8), ("show", small), ("verify", small, computed)):
        fails(2, f"{small}: is a model's configuration, and a profile is wanted: stagecut profile transformer --config", *words)
    fails(2, f"--parameter-bytes: is of a CSV, and {small} is a config.json", "plan", small, "--devices", 4, "--parameter-bytes", 4)

    # Devices: known ones, a file, single figures.
    card = folder / "card.json"
    card.write_text('{"name": "mine", "gemm": 100e12, "bandwidth": 1e12, "memory": 48e9}')
    mine = profile("--gpu", card)
    check(mine["computed"]["device"] == "mine" and mine["computed"]["memory"] == 48000000000, mine["computed"])
    check(seconds(mine) > seconds(plain) > seconds(profile("--gpu", "h100-80gb")) > seconds(profile("--gpu", "b200-180gb")), "faster devices")
    alone = plan(small, "--gpu", card, "--devices", 4, "--memory", "none", says=too_large("67.99 GiB", "mine", "44.7 GiB"))
    check(alone["profile"]["layers"] == mine["layers"], "plan --gpu FILE")
    name = folder / "card"  # a file whatever it is called
    name.write_text(card.read_text())
    before = os.getcwd()
    os.chdir(folder)
    check(profile("--gpu", "card") == mine, "a file with a plain name")
    os.chdir(before)
    # So it is of a profile that was computed, and of one that somebody edited.
    before = folder / "computed.json"
    before.write_text(json.dumps(mine))
    plan(before, "--devices", 4, "--memory", "none", says=too_large("67.99 GiB", "mine", "44.7 GiB"))
    before.write_text(json.dumps(mine | {"computed": {"memory": "much", "device": 3}}))
    plan(before, "--devices", 4)
    fails(3, "memory: within 40.7 GiB, the 44.7 GiB of mine less a reserve of 4 GiB: --memory sets another limit", "plan", small, "--gpu", card,
          "--devices", 4)
    fails(3, "within 44 GiB, the 44.7 GiB of mine less a reserve of 717.", "plan", small, "--gpu", card, "--devices", 4, "--memory-reserve", "752MB")
    reserved = run("plan", small, "--gpu", card, "--devices", 8, "--memory-reserve", "8GB").stdout
    check("memory: within 37.25 GiB of a device, which leaves 7.451 GiB of mine free" in reserved, reserved)
    fails(2, "--memory-reserve: reserve of 55.88 GiB leaves nothing of the 44.7 GiB of mine", "plan", small, "--gpu", card, "--devices", 8, "--memory-reserve", "60GB")
    tiny = folder / "tiny.json"
    tiny.write_text(json.dumps(json.loads(card.read_text()) | {"memory": 2e9}))
    fails(2, "--memory: is missing: the usual reserve of 4 GiB leaves nothing of the 1.863 GiB of ", "plan", small, "--gpu", tiny, "--devices", 8)
    shared = run("plan", small, "--gpu", card, "--topology", "4:450GB", "--tensor-parallel", 2, "--memory", "none")
    check("; 2 GPUs share each device" in shared.stderr, shared.stderr)
    fails(2, "--memory-reserve: does not go with --memory", "plan", small, "--devices", 8, "--memory-reserve", "1GB", "--memory", "40GB")
    for option in ("--memory-buffer", "--memory-constant", "--memory-reserve"):
        fails(2, f"{option}: does not go with --memory none", "plan", small, "--devices", 8, "--memory", "none", option, "0.5" if option == "--memory-buffer" else "1GB")
    limited = run("plan", small, "--gpu", card, "--devices", 4, "--memory", "48GB")
    check(limited.stdout == "" or limited.stderr == "", limited)
    text = run("plan", small, "--gpu", "h100-80gb", "--devices", 8, "--sequence", 2048, "--microbatch", 2).stdout
    check(text.endswith("\ncomputed for h100-80gb, bf16, 2048 tokens a sample, 2 samples a microbatch\n"), text)
    check(profile("--gpu", card, "--device-memory", "40GB")["computed"]["memory"] == 40000000000, "--device-memory")
    check(seconds(profile("--gpu", card, "--gemm", 2e14)) < seconds(mine) > seconds(profile("--gpu", card, "--memory-bandwidth", 2e12)), "--gemm")
    for command in ((*transformer, "--config", small), ("plan", small, "--devices", 2)):
        fails(2, "--gpu: nonsense is none of a100-80gb, ", *command, "--gpu", "nonsense")
        fails(2, "no.json: cannot be opened", *command, "--gpu", "no.json")
    card.write_text('{"name": "mine", "gemm": 100e12, "bandwidth": 1e12, "memory": 48e9, "cores": 5}')
    fails(2, f"{card}#/cores: is not known", *transformer, "--config", small, "--gpu", card)
    card.write_text('{"gemm": 100e12, "bandwidth": 0, "memory": 48e9}')
    fails(2, f"{card}#/bandwidth: ", *transformer, "--config", small, "--gpu", card)
    fails(2, "--gpu: gemm_fp8: is 0", *transformer, "--config", small, "--gpu", "a100-80gb", "--precision", "fp8")

# The terms of each layer add up to its passes, and so do their shares.
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6}


def terms(words, layer):
    """Of every pass, its seconds, and seconds and share of each term."""
    text = run(*words, "--explain", layer).stdout
    check(text.startswith(f"{layer}\npass "), words, layer, text)
    found = {}
    for inner, name, value, unit, share in re.findall(r"^(  )?(\S.*?) {2,}([0-9.e-]+) (s|ms|us)(?: +([0-9.]+) %)?", text, re.MULTILINE):
        time = float(value) * UNITS[unit]
        if inner:
            found[here][1].append((time, float(share)))
        else:
            here = name
            found[here] = (time, [])
    return found


for name, layers, words in (("llama-3.1-8b", ("tok_embeddings", "layers.3", "norm", "output"), ("--tensor-parallel", 8, "--data-parallel", 8, "--zero", 3)),
                            ("deepseek-v3", ("layers.0", "layers.5", "mtp.0"), ("--expert-parallel", 64, "--data-parallel", 64, "--recompute", "full")),
                            ("qwen2.5-vl-7b", ("vision.patches", "layers.0"), ("--gpu", "h100-80gb", "--precision", "fp8")),
                            ("llama-3.1-8b", ("layers.3",), ("--inference", "--concurrent", 16))):
    words = (*transformer, "--config", configs / f"{name}.json", *words)
    of = {layer["name"]: layer for layer in made(*words)[0]["layers"]}
    for layer in layers:
        passes = terms(words, layer)
        check(near(passes["forward"][0], of[layer]["forward"], 1e-3), words, layer, passes)
        back = passes.get("gradient of the input", (0,))[0] + passes.get("gradient of the weights", (0,))[0]
        check(near(back, of[layer].get("backward", 0), 1e-3), words, layer, passes)
        check(near(passes.get("end of the iteration", (0,))[0], of[layer].get("update", 0), 1e-3), words, layer, passes)
        for each, (whole, inner) in passes.items():
            check(near(sum(time for time, _ in inner), whole, 1e-3), words, layer, each, inner)
            check(not inner or abs(sum(share for _, share in inner) - 100) < 0.1 * len(inner), words, layer, each, inner)
fails(2, "--explain: there is no layer layers.99", *transformer, "--config", small, "--explain", "layers.99")

# Calibration.
with tempfile.TemporaryDirectory() as folder:
    measured = pathlib.Path(folder) / "measured.json"
    split = ("--tensor-parallel", 8)
    slow = profile(*split, "--efficiency", 0.5, "--network-efficiency", 0.4)
    of = {layer["name"]: layer for layer in slow["layers"]}

    def calibrated(*words, **figures):
        measured.write_text(json.dumps(figures))
        return made(*transformer, "--config", small, *split, *words, "--calibrate", measured)

    def times(name, scale=1):
        return {"name": name, "forward": scale * of[name]["forward"], "backward": scale * of[name]["backward"]}

    # Times that were made with other efficiencies tell these. The power limit plays no part on this device.
    found, said = calibrated(layers=[times("layers.0"), times("output")])
    reached = found["computed"]["efficiency"]
    check(near(reached["gemm"], 0.5, 1e-4) and near(reached["link"], 0.4, 1e-4), reached)
    lines = said.splitlines()
    check(len(lines) == 6 and all(line.startswith("stagecut: ") for line in lines), said)
    check("measured" in lines[0] and "layers.0, forward" in lines[1] and lines[1].endswith(" %"), said)
    unknown = r" \(nothing measured depends on it\)"  # the 8 devices are of one node
    check(re.search(rf"gemm 0\.\d+, power 0\.86{unknown}, network 0\.92{unknown}, link 0\.\d+$", lines[-1]), lines[-1])
    check("\\u" not in said, "escapes in", said)
    # Of a device with a power limit, whose sustained products are not known, one number is fitted to products, and the other one stays.
    limited = profile("--gpu", "mi355x-288gb", "--efficiency", 0.6)
    measured.write_text(json.dumps({"layers": [{key: limited["layers"][3][key] for key in ("name", "forward", "backward")}]}))
    found, said = made(*transformer, "--config", small, "--gpu", "mi355x-288gb", "--calibrate", measured)
    reached = found["computed"]["efficiency"]
    check(near(reached["gemm"], 0.6, 1e-3) and reached["power"] == 0.86, reached)
    check("power 0.86 (kept: on one device it cannot be distinguished from gemm)" in said and "does not fit" not in said, said)
    # Of whole iterations, too: the plan's, cut into as many layers each.
    model = pathlib.Path(folder) / "slow.json"
    model.write_text(json.dumps(slow))
    iterations = []
    for devices, microbatches in ((4, 8), (2, 16)):
        whole = plan(model, "--devices", devices, "--microbatches", microbatches, "--method", "uniform", "--objective", "bottleneck")
        iterations.append({"devices": devices, "microbatches": microbatches, "seconds": whole["makespan"]})
    found, said = calibrated(layers=[times("layers.0")], iterations=iterations)
    reached = found["computed"]["efficiency"]
    check(near(reached["gemm"], 0.5, 1e-4) and near(reached["link"], 0.4, 1e-4), reached, said)
    check("1f1b of 8 microbatches on 4" in said, said)
    # Iterations alone measure no layer.
    iterations_only, _ = calibrated(iterations=iterations)
    check("measured" not in iterations_only["computed"] and iterations_only["computed"]["fit_error"] < 0.01, iterations_only["computed"])
    text = run(*transformer, "--config", small, *split, "--calibrate", measured, "--format", "text").stdout
    check("\ntimes computed, not measured; the constants fitted to measured iterations: 0." in text, text)
    # Milliseconds in place of seconds do not fit, which later readers of the profile are told.
    found, said = calibrated(layers=[{"name": "layers.0", "forward": 6, "backward": 7}])
    check("does not fit well" in said and found["computed"]["fit_error"] > 0.5, said)
    planned = run("plan", "-", "--devices", 2, "--memory", "none", stdin=json.dumps(found)).stdout
    check(re.search(r"\ntimes measured, the rest computed, by constants that do not fit: \d+ % off at most\n", planned), planned)
    # A profile is a list of measured times as well.
    found, _ = made(*transformer, "--config", small, *split, "--calibrate", model)
    check(all(near(a[what], b[what], 1e-9) for a, b in zip(found["layers"], slow["layers"]) for what in ("forward", "backward")), "a profile")
    check(near(found["computed"]["efficiency"]["gemm"], 0.5, 0.03), found["computed"])

    # What was measured is taken as it is, and others of its kind are as much off; those of another kind are computed.
    odd = {"name": "layers.3", "forward": 1.5 * of["layers.3"]["forward"], "backward": 1.25 * of["layers.3"]["backward"]}
    found, _ = calibrated(layers=[odd, times("layers.4"), times("output"), times("norm")])
    now = {layer["name"]: layer for layer in found["layers"]}
    check(now["layers.3"]["forward"] == odd["forward"] and near(now["layers.3"]["backward"], odd["backward"], 1e-12), now["layers.3"])
    check(now["layers.4"]["forward"] == of["layers.4"]["forward"], now["layers.4"])
    check(near(now["layers.5"]["forward"], (odd["forward"] + of["layers.4"]["forward"]) / 2, 1e-9), now["layers.5"])
    check(near(now["layers.5"]["backward"], (odd["backward"] + of["layers.4"]["backward"]) / 2, 1e-9), now["layers.5"])
    check(near(now["layers.5"]["backward_input"] + now["layers.5"]["backward_weight"], now["layers.5"]["backward"], 1e-9), now["layers.5"])
    told = run(*transformer, "--config", small, *split, "--calibrate", measured, "--explain", "layers.3").stdout
    check("\nin the profile, by measurements: forward " in told, told)

    def refused(message, text):
        measured.write_text(text)
        fails(2, f"{measured}{message}", *transformer, "--config", small, "--calibrate", measured)

    refused(": the model has no layer nobody", '{"layers": [{"name": "nobody", "forward": 1}]}')
    refused("#/layers/0/forward: ", '{"layers": [{"name": "layers.0", "forward": 0}]}')
    refused("#/layers/0: ", '{"layers": [{"name": "layers.0"}]}')
    refused(": has neither layers nor iterations", "{}")
    refused('#/iterations/0/schedule: "2f2b" is none of gpipe, ', '{"iterations": [{"devices": 2, "microbatches": 4, "schedule": "2f2b", "seconds": 1}]}')
    refused(": an iteration: schedule = interleaved, needs stages_per_rank above 1",
            '{"iterations": [{"devices": 2, "microbatches": 4, "schedule": "interleaved", "seconds": 1}]}')
    refused(": an iteration of 1f1b on 400 devices cannot be predicted", '{"iterations": [{"devices": 400, "microbatches": 4, "seconds": 1}]}')
    fails(2, "--calibrate: is for training, not for --inference", *transformer, "--config", small, "--inference", "--calibrate", measured)

# Inference: the prompt takes long, a token little; what is kept grows with the requests, and weights shrink with their numbers.
decode, prefill = profile("--inference"), profile("--inference", "--phase", "prefill")
check(profile("--inference", "--phase", "decode") == decode and decode["inference"] and prefill["inference"], "the default is decode")
check(seconds(prefill) > 20 * seconds(decode) > 0 and seconds(decode, "backward") == 0, seconds(prefill), seconds(decode))
check(seconds(decode, "update") == 0 and not any("backward" in layer for layer in decode["layers"]), "something goes back")
many = profile("--inference", "--concurrent", 16)
check(seconds(many, "activations") == 16 * seconds(decode, "activations") > 0, "--concurrent")
check(seconds(decode) < seconds(many) < 16 * seconds(decode), "requests share what is read")
check(seconds(many, "parameters") == seconds(decode, "parameters"), "requests do not take weights")
wide, narrow = (profile("--inference", "--gpu", "h100-80gb", "--precision", each) for each in ("bf16", "fp8"))
for thin, thick in zip(narrow["layers"], wide["layers"]):  # embedding, norm and head stay wide
    check(thin["parameters"] == thick["parameters"] / (2 if thin["kind"] == "decoder" else 1), thin)
check(seconds(narrow) < seconds(wide), "fp8 is not faster")
text = run(*transformer, "--config", small, "--inference", "--format", "text").stdout
check(text.startswith("llama-3.1-8b, to serve: one pass\nkind ") and "backward" not in text and " kept\n" in text, text)
check("\na token of each request: " in text and "\ntheir whole prompts: " in text, text)
served = plan(small, "--inference", "--devices", 2, "--memory", "24GB,16GB", "--device-speeds", "1,0.6", "--sequence", 4096, "--concurrent", 8)
check([s["memory"]["activations"] > 0 for s in served["stages"]] == [True, True] and served["profile"]["inference"], served["stages"])
check(sum(s["memory"]["activations"] for s in served["stages"]) == seconds(profile("--inference", "--sequence", 4096, "--concurrent", 8), "activations"),
      served["stages"])
fails(2, "--inference: is no part of the figures that --format config prints", *transformer, "--config", small, "--inference", "--format", "config")
fails(2, "--format: csv has no column for inference", *transformer, "--config", small, "--inference", "--format", "csv")
prompts = run("plan", small, "--inference", "--devices", 2, "--phase", "prefill").stdout
check("\ntime to the first token: " in prompts and "time per token" not in prompts, prompts)
check("\ntime per token: " in run("plan", small, "--inference", "--devices", 2).stdout, "decode")
# Experts whose devices have less than a token each; images came with the prompt, and a token sends none of them.
for words in ((4, 2, 1), (8, 2, 2), (8, 4, 1)):
    few, _ = made(*transformer, "--config", configs / "mixtral-8x7b.json", "--inference", "--tensor-parallel", words[0], "--expert-parallel",
                  words[1], "--concurrent", words[2])
    check(0 < seconds(few) < 1, words, few["layers"][1])
seen, _ = made(*transformer, "--config", configs / "gemma-3-4b-it.json", "--inference")
check(all(layer.get("output", 0) == 0 for layer in seen["layers"] if layer["kind"] in ("vision", "vision_embedding", "projector")), seen["layers"][0])
for command in ((*transformer, "--config", small), ("plan", small, "--devices", 2)):
    fails(2, "--concurrent: goes with --inference", *command, "--concurrent", 4)
    fails(2, "--phase: goes with --inference", *command, "--phase", "prefill")
    for words in (("--microbatch", 2), ("--recompute", "full"), ("--flash", "on"), ("--data-parallel", 2), ("--zero", 1), ("--overlap", "ub"),
                  ("--context-parallel", 2), ("--sequence-parallel", "on")):
        fails(2, f"{words[0]}: is of training, not of --inference", *command, "--inference", *words)
# What a training is computed for.
check(seconds(profile("--recompute", "full"), "backward") > seconds(plain, "backward"), "--recompute")
check(seconds(profile("--tensor-parallel", 8, "--overlap", "ub")) < seconds(profile("--tensor-parallel", 8, "--overlap", "none")), "--overlap")
check(profile("--tensor-parallel", 8, "--overlap", "recipe") == profile("--tensor-parallel", 8), "a dense recipe")
check(profile("--tensor-parallel", 8)["computed"]["overlap"] == "ub", "a dense recipe")
check(profile("--tensor-parallel", 8, "--gpu", "b200-180gb", "--precision", "nvfp4")["computed"]["overlap"] == "none", "a recipe of 4 bits")
check(seconds(profile("--context-parallel", 2), "activations") < 0.6 * seconds(plain, "activations"), "--context-parallel")
off = profile("--tensor-parallel", 8, "--sequence-parallel", "off")
check(seconds(off, "activations") > seconds(profile("--tensor-parallel", 8), "activations"), "--sequence-parallel")
check(seconds(profile("--data-parallel", 8), "update") > seconds(plain, "update"), "--data-parallel")
check(seconds(profile("--data-parallel", 8, "--zero", 1), "resident") < 0.6 * seconds(plain, "resident"), "--zero")
fails(2, "--expert-parallel: is above 1, but there are no experts", *transformer, "--config", small, "--expert-parallel", 2)
check(profile("--context-parallel", 8, "--zero", 3) != profile("--context-parallel", 8), "those that share a sample are replicas, too")
check(max(map(len, run("plan", "--help").stdout.splitlines())) <= 80 and "--gpu NAME" not in run("plan", "--help").stdout, "plan --help")
check("--gpu NAME" in run("plan", "--help-all").stdout, "plan --help-all")

# What moves the time of a mixture of experts: each option in its direction, with its term.
sparse = ("--config", configs / "qwen3-30b-a3b.json", "--gpu", "gb200-186gb", "--sequence", 4096, "--expert-parallel", 8, "--data-parallel", 8)
latent = ("--config", configs / "deepseek-v3.json", "--gpu", "gb200-186gb", "--sequence", 4096, "--expert-parallel", 64, "--data-parallel", 64)


def computed(*words):
    return made(*transformer, *words)[0]


def terms_of(*words):
    """Of the first layer with experts, the lines of each term by pass and name."""
    text = run(*transformer, *words, "--explain", "layers.5").stdout
    found, here = {}, ""
    for inner, name in re.findall(r"^(  )?(\S.*?) {2,}[0-9.e-]+ (?:s|ms|us)", text, re.MULTILINE):
        here = here if inner else name
        found.setdefault(here, []).append(name)
    return found


def iteration(of):
    return seconds(of) + seconds(of, "backward")


plain_sparse, plain_latent = computed(*sparse), computed(*latent)
for base, words in ((sparse, ("--expert-overlap", "on", "--constants", "launch=0,sync=0")), (sparse, ("--fused-experts", "on")), (sparse, ("--cuda-graphs", "full")),
                    (latent, ("--attention-fp8", "on", "--precision", "mxfp8")), (latent, ("--head-fp8", "on", "--precision", "mxfp8"))):
    rest = words[2:]
    faster, slower = computed(*base, *words), computed(*base, *rest)
    check(iteration(faster) < iteration(slower), words, iteration(faster), iteration(slower))
    check(seconds(faster, "activations") == seconds(slower, "activations"), words, "keep another number of bytes")
for words in (("--dispatcher", "alltoall"), ("--cuda-graphs", "none")):
    check(iteration(computed(*sparse, *words)) > iteration(plain_sparse), words)
# DeepEP's kernels take more multiprocessors than HybridEP's: whatever binds, it is not faster.
check(iteration(computed(*sparse, "--dispatcher", "deepep")) >= iteration(plain_sparse), "--dispatcher deepep")
check(computed(*sparse, "--dispatcher", "hybridep") == plain_sparse == computed(*sparse, "--cuda-graphs", "scoped"), "defaults")
# Only the head is faster with 8 bits in the head; the embedding and layers stay.
narrow, wide = computed(*latent, "--precision", "mxfp8", "--head-fp8", "on"), computed(*latent, "--precision", "mxfp8")
check({a["name"] for a, b in zip(narrow["layers"], wide["layers"]) if a["forward"] != b["forward"]} <= {"output", "mtp.0"}, "--head-fp8")
check(narrow["layers"][-1]["forward"] < wide["layers"][-1]["forward"], "--head-fp8")
check("sorted tokens" in terms_of(*sparse, "--dispatcher", "alltoall")["forward"] and "sorted tokens" not in terms_of(*sparse)["forward"], "sorted tokens")
check({"experts: gate, up", "experts: down", "experts: activation", "router", "scores, choice of experts", "tokens to and from experts, moved by multiprocessors"} <=
      set(terms_of(*sparse)["forward"]), terms_of(*sparse)["forward"])
check("waiting for the host" in terms_of(*sparse)["forward"] and "waiting for the host" not in terms_of(*sparse, "--constants", "launch=0,sync=0")["forward"],
      "the host")
check({"conversion to narrow numbers", "experts: conversion of tokens", "experts: conversion of activations"} <= set(terms_of(*latent, "--precision", "mxfp8")["forward"]), "conversion")
check("experts: conversion of tokens" not in terms_of(*latent)["forward"], "conversion of wide numbers")
check("experts: activation" not in terms_of(*sparse, "--fused-experts", "on")["forward"], "--fused-experts")  # but backward

# Recomputed modules take time backward and keep less; several do both more than each. `+` parts them as well as a comma.
for names in ("layernorm", "moe_act", "mla_up_proj", "core_attn", "mlp", "moe"):
    again = computed(*latent, "--recompute-modules", names)
    check(seconds(again, "activations") < seconds(plain_latent, "activations"), names)
    check(seconds(again, "backward") > seconds(plain_latent, "backward") and seconds(again) == seconds(plain_latent), names)
    check(again["computed"]["recompute_modules"] == [names], again["computed"])
    check(("recomputed modules" in terms_of(*latent, "--recompute-modules", names)["gradient of the input"]) == (names != "mlp"), names)
both, one = computed(*latent, "--recompute-modules", "moe_act,mla_up_proj"), computed(*latent, "--recompute-modules", "moe_act")
check(seconds(both, "activations") < seconds(one, "activations") and seconds(both, "backward") > seconds(one, "backward"), "two modules")
check(computed(*latent, "--recompute-modules", "mla_up_proj+moe_act") == both, "--recompute-modules A+B")
check(seconds(computed(*latent, "--recompute", "full"), "activations") < seconds(both, "activations"), "--recompute full keeps less than modules")
check("recompute_modules" not in plain_latent["computed"], "no module is told of")
# What is offloaded is not kept on the device, and its messages take time.
half, whole = (computed(*latent, "--offload", share) for share in (0.5, 1))
check(0.5 < seconds(half, "activations") / seconds(plain_latent, "activations") < 0.55, "--offload 0.5")
check(seconds(whole, "activations") < 0.1 * seconds(plain_latent, "activations"), "--offload 1")
check(iteration(whole) > iteration(half) > iteration(plain_latent), "--offload takes no time")
check("activations to and from the host" in terms_of(*latent, "--offload", 0.5)["forward"], terms_of(*latent, "--offload", 0.5))
check(computed(*latent, "--offload", 0) == plain_latent, "--offload 0")
# Moments of 2 bytes: 4 bytes a parameter less of 16, and the optimizer reads and writes less.
light = profile("--moment-bytes", 2)
check(near(seconds(plain, "resident") - seconds(light, "resident"), 4 * plain["computed"]["parameters"], 1e-9), "--moment-bytes 2")
check(seconds(light, "update") < seconds(plain, "update") and profile("--moment-bytes", 4) == plain, "--moment-bytes")
check(profile("--precision", "fp32", "--moment-bytes", 4) == profile("--precision", "fp32"), "with fp32 there is no wide copy beside the parameter")

# `plan` takes the same options, and a configuration in our own words has them.
shown = {"dispatcher": "alltoall", "cuda_graphs": "none", "expert_overlap": True, "fused_experts": True, "attention_fp8": True, "head_fp8": True, "offload": 0.25,
         "recompute_modules": ["layernorm", "moe_act"]}
asked = ("--dispatcher", "alltoall", "--cuda-graphs", "none", "--expert-overlap", "on", "--fused-experts", "on", "--attention-fp8", "on", "--head-fp8", "on",
         "--precision", "mxfp8", "--offload", 0.25, "--recompute-modules", "layernorm,moe_act", "--moment-bytes", 2, "--constants", "launch=2e-5")
whole = plan(sparse[1], *sparse[2:], *asked, "--devices", 4, "--microbatches", 16)
check({key: whole["profile"]["computed"][key] for key in shown} == shown, whole["profile"]["computed"])
check(whole["profile"]["computed"]["efficiency"]["launch"] == 2e-5, whole["profile"]["computed"])
# The messages of one of few microbatches have nothing to hide behind.
hidden = ("--expert-overlap", "on", "--constants", "launch=0,sync=0", "--devices", 4)
few, many = (plan(sparse[1], *sparse[2:], *hidden, "--microbatches", count)["profile"] for count in (2, 64))
check(iteration(few) > iteration(many), "of few microbatches as much is hidden")
with tempfile.TemporaryDirectory() as folder:
    ours = pathlib.Path(folder) / "ours.json"
    ours.write_text(run(*transformer, *sparse[:2], *sparse[4:], *asked[:-2], "--format", "config").stdout)
    check(computed("--config", ours, "--gpu", "gb200-186gb", *asked[-2:]) == computed(*sparse, *asked), "the options in our own words")

    # Constants from a file and inline are the same; what is not named stays.
    constants = pathlib.Path(folder) / "constants.json"
    constants.write_text('{"launch": 1e-5, "expert_bytes": 2, "gemm": 0.9}')
    inline = computed(*sparse, "--constants", "launch=1e-5,expert_bytes=2,gemm=0.9")
    check(computed(*sparse, "--constants", constants) == inline != plain_sparse, "--constants FILE")
    reached = inline["computed"]["efficiency"]
    check(reached == plain_sparse["computed"]["efficiency"] | {"launch": 1e-5, "expert_bytes": 2, "gemm": 0.9}, reached)
    check(computed(*sparse, "--constants", "gemm=0.9") == computed(*sparse, "--efficiency", 0.9), "--efficiency")
    for name, value in reached.items():  # each is one that is known
        check(computed(*sparse, "--constants", f"{name}={value}")["computed"]["efficiency"][name] == value, name)
    # A share that is named replaces the sustained rate that a device has.
    apart = ("--tensor-parallel", 8)
    check(seconds(profile(*apart, "--constants", "link=0.4")) == seconds(profile(*apart, "--network-efficiency", 0.4)) > seconds(profile(*apart)), "link")
    check(seconds(profile("--constants", "memory=0.4")) > seconds(plain), "memory")
    serves = ("--inference", "--constants", "memory=0.5")
    check(seconds(profile(*serves)) > seconds(profile("--inference")), "--constants of inference")
    constants.write_text('{"launch": 1e-5, "lunch": 2}')
    card = pathlib.Path(folder) / "card.json"
    card.write_text('{"name": "mine", "gemm": 100e12, "bandwidth": 1e12, "memory": 48e9}')
    for command in ((*transformer, "--config", small), ("plan", small, "--devices", 2)):
        fails(2, f"{constants}#/lunch: is not known", *command, "--constants", constants)
        fails(2, "--constants#/lunch: is not known", *command, "--constants", "lunch=2")
        fails(2, "--constants#/gemm: 5.000000 is not above 0 and at most 2", *command, "--constants", "gemm=5")
        fails(2, "--constants: gemm=fast is not NAME=NUMBER", *command, "--constants", "gemm=fast")
        fails(2, "no.json: cannot be opened", *command, "--constants", "no.json")
        fails(2, "--recompute-modules: layrnorm is none of layernorm, moe_act, mla_up_proj, core_attn, mlp, moe: did you mean layernorm?", *command,
              "--recompute-modules", "layrnorm")
        fails(2, "--recompute-modules: has moe_act, but the model has no experts", *command, "--recompute-modules", "moe_act")
        fails(2, "--recompute-modules: has mla_up_proj, but the model has no latent attention", *command, "--recompute-modules", "mla_up_proj")
        fails(2, "--offload: 1.500000 is not from 0 to 1", *command, "--offload", 1.5)
        fails(2, "--gpu: host_link: is 0: how fast activations get to the host's memory, for offload, is not known", *command, "--offload", 0.5, "--gpu", card)
        fails(2, "--moment-bytes: 0 is no whole number from 1", *command, "--moment-bytes", 0)
        fails(2, "--dispatcher: nccl not in {alltoall,deepep,hybridep}", *command, "--dispatcher", "nccl")
        fails(2, "--cuda-graphs: some not in {none,scoped,full}", *command, "--cuda-graphs", "some")
        for words in (("--recompute-modules", "mlp"), ("--dispatcher", "deepep"), ("--expert-overlap", "on"), ("--fused-experts", "on"), ("--cuda-graphs", "full"),
                      ("--attention-fp8", "on"), ("--head-fp8", "on"), ("--offload", 0.5), ("--moment-bytes", 2)):
            fails(2, f"{words[0]}: is of training, not of --inference", *command, "--inference", *words)

    # Any constant can be fitted: times that were made with others tell these.
    fails(2, "--fit-constants: goes with --calibrate", *transformer, "--config", small, "--fit-constants", "gemm")
    slow = computed(*sparse, "--constants", "gemm=0.6,launch=4e-5")
    measured = pathlib.Path(folder) / "measured.json"
    measured.write_text(json.dumps({"layers": [{key: slow["layers"][i][key] for key in ("name", "forward", "backward")} for i in (4, -1)]}))
    fails(2, "--fit-constants: lunch is none of gemm, power, ", *transformer, *sparse, "--calibrate", measured, "--fit-constants", "lunch")
    found, said = made(*transformer, *sparse, "--calibrate", measured, "--fit-constants", "gemm,launch")
    reached = found["computed"]["efficiency"]
    check(near(reached["gemm"], 0.6, 1e-3) and near(reached["launch"], 4e-5, 1e-3), reached, said)
    check(re.search(r"stagecut: gemm 0\.6\S*, launch (4e-05|3\.99\S+|4\.00\S+)\n$", said), said)
    check({k: v for k, v in reached.items() if k not in ("gemm", "launch")} ==
          {k: v for k, v in plain_sparse["computed"]["efficiency"].items() if k not in ("gemm", "launch")}, reached)

# Precisions: the narrower, the faster where products take the time; a device that lacks one is named.
times = {each: seconds(profile("--gpu", "gb200-186gb", "--precision", each)) for each in ("fp32", "bf16", "fp8", "mxfp8", "nvfp4")}
check(times["fp32"] > times["bf16"] > times["fp8"] > times["nvfp4"] and times["bf16"] > times["mxfp8"] > times["nvfp4"], times)
kept = {each: seconds(profile("--gpu", "gb200-186gb", "--precision", each), "activations") for each in ("bf16", "fp8", "mxfp8", "nvfp4")}
check(kept["bf16"] > kept["mxfp8"] > kept["fp8"] > kept["nvfp4"], kept)  # a scale for each 32 numbers is kept as well
for device, precision, bits in (("a100-80gb", "mxfp8", 8), ("h200-141gb", "nvfp4", 4), ("mi325x-256gb", "nvfp4", 4), ("mi355x-288gb", "nvfp4", 4)):
    fails(2, f"--gpu: gemm_fp{bits}: is 0: how fast {device} multiplies {bits}-bit numbers is not known", *transformer, "--config", small, "--gpu", device,
          "--precision", precision)
fails(2, "--gpu: flops_fp4: is 0: h100-80gb has no 4-bit products, and with them no scales of blocks, which mxfp8 needs: fp8 has a scale per tensor",
      *transformer, "--config", small, "--gpu", "h100-80gb", "--precision", "mxfp8")
check(seconds(profile("--gpu", "b300-288gb", "--precision", "nvfp4")) < seconds(profile("--gpu", "b200-180gb", "--precision", "nvfp4")), "b300-288gb")
check(seconds(profile("--gpu", "gb300-288gb")) < seconds(profile("--gpu", "h100-80gb")), "gb300-288gb")
check(seconds(profile("--gpu", "mi355x-288gb")) < seconds(profile("--gpu", "mi325x-256gb")) < seconds(profile("--gpu", "mi300x-192gb")), "MI3xx")
for device, memory in (("b300-288gb", 288), ("gb300-288gb", 288), ("mi325x-256gb", 256), ("mi355x-288gb", 288)):
    check(near(profile("--gpu", device)["computed"]["memory"], memory * 1e9, 0.1), device, profile("--gpu", device)["computed"]["memory"])

# What would change nothing, or contradict itself, is refused.
fails(2, "--recompute-modules: goes with one --recompute: with auto each layer chooses between none, selective and full", "plan", small, "--devices", 2,
      "--recompute", "auto", "--recompute-modules", "core_attn")
fails(2, "--overlap: has no effect without --tensor-parallel", *transformer, "--config", small, "--overlap", "ub")
fails(2, "--recompute-modules: has moe_act, but the model has no experts", *transformer, "--config", small, "--recompute-modules", "moe_act")
fails(2, "--recompute-modules: has mlp, but no layer has a feed-forward part without experts", *transformer, *sparse, "--recompute-modules", "mlp")
fails(2, "--efficiency: is set by --constants, too: gemm=0.5", *transformer, "--config", small, "--efficiency", 0.9, "--constants", "tail=0,gemm=0.5")
fails(2, "--network-efficiency: is set by --constants, too: link=0.5", *transformer, "--config", small, "--network-efficiency", 0.9, "--constants", "link=0.5")
fails(2, "--format: goes without --explain, which prints text", *transformer, "--config", small, "--explain", "layers.0", "--format", "json")
fails(2, "--gemm: gemm is 2250 FLOP/s: write 312e12 for 312 tera", *transformer, "--config", small, "--gemm", 2250)
fails(2, "--memory-bandwidth: bandwidth is 8 bytes/s: write 8e12 for 8 tera", *transformer, "--config", small, "--memory-bandwidth", 8)
with tempfile.TemporaryDirectory() as folder:
    card = pathlib.Path(folder) / "card.json"
    for name, value, says in (("link", 900, "link is 900 bytes/s: write 900e9 for 900 giga"), ("network", 50, "network is 50 bytes/s: write 50e9 for 50 giga"),
                              ("host_link", 225, "host_link is 225 bytes/s: write 63e9 for 63 giga"), ("memory", 186, "memory is 186 bytes: write 80e9 for 80 giga"),
                              ("exponentials", 5, "exponentials is 5 a second: write 5e12 for 5 tera")):
        card.write_text(json.dumps({"name": "mine", "gemm": 100e12, "bandwidth": 1e12, "memory": 48e9, "link": 450e9} | {name: value}))
        fails(2, f"--gpu: {card}: {says}", *transformer, "--config", small, "--gpu", card)
# A profile has the messages of experts hidden as with many microbatches; a configuration is planned with its own number.
hidden = run(*transformer, *sparse, "--expert-overlap", "on").stdout
for command in (("plan", "-", "--devices", 1, "--microbatches", 1, "--memory", "none"), ("sweep", "-", "--devices", 1, "--microbatches", "1,2", "--memory", "none")):
    check("standard input: messages of experts are hidden as with many microbatches; plan the configuration, which counts them\n" in
          run(*command, stdin=hidden).stderr, command)
# What the times rest on, in a line of its own: published runs of its kind on this device, or none.
rests = r"\ntimes computed, not measured; "
for words, said in (((), r"\d\d published runs of its kind on this device, the constants fitted to them: \d\.\d % off in the median, \d+ % at most\n"),
                    (("--gpu", "gb300-288gb", "--precision", "nvfp4"), r"1 published run of its kind on this device, the constants fitted to it: \d\.\d % off\n"),
                    (("--precision", "fp16"), r"\d\d published runs of its kind on this device"),
                    (("--gpu", "mi300x-192gb"), r"not validated for dense models in bf16 on mi300x-192gb\n"),
                    (("--gpu", "h200-141gb", "--precision", "fp8"), r"not validated for dense models in fp8 on h200-141gb\n"),
                    (("--constants", "gemm=0.8"), r"with other constants than those of the published runs\n"),
                    (("--inference",), r"serving is not validated\n")):
    check(re.search(rests + said, run(*transformer, "--config", small, *words, "--format", "text").stdout), words, said)
    text = run("plan", small, "--devices", 2, *words, "--memory", "none").stdout
    check(re.search(rests + said, text), words, said, text)
sparse_text = run(*transformer, *sparse, "--format", "text").stdout
check(re.search(rests + r"\d+ published runs of its kind on this device", sparse_text), sparse_text)
sparse_text = run(*transformer, *sparse[:2], "--gpu", "mi300x-192gb", "--format", "text").stdout
check(re.search(rests + "not validated for mixtures of experts in bf16 on mi300x-192gb\n", sparse_text), sparse_text)
check(re.search("; not validated for dense models in bf16 on mi300x-192gb$", plan(small, "--devices", 2, "--microbatches", 4, "--gpu", "mi300x-192gb")["predicted"]["basis"]),
      "in JSON")

print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
