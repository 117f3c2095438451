# SPDX-License-Identifier: BSL-1.0
"""`plan --for`: what the program says and refuses for a framework, and what it makes of nodes whose GPUs share a stage.

`targets.py BINARY`"""

import json
import pathlib
import sys
import tempfile

from program import check, failures, fails, run

llama = run("profile", "transformer", "--preset", "llama-2-70b", "--tensor-parallel", 8, "--recompute", "full").stdout
small = run("profile", "transformer", "--preset", "llama-2-7b").stdout
models = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"

# The lines, below the table, and what else they rest on; a format alone writes just the lines.
done = run("plan", "-", "--devices", 4, "--microbatches", 16, "--for", "megatron", stdin=llama)
lines = done.stdout.splitlines()
check(lines[-2].startswith("for Megatron-LM (core 0.16.1, and as well 0.20)"), done.stdout)
check(lines[-1].startswith('--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "Et*'), lines)
check(lines[-1].endswith('L" --sequence-parallel --tp-comm-overlap --bf16 --seq-length 4096 --micro-batch-size 1 --global-batch-size 16'
                         " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1"), lines[-1])
torchtitan = run("plan", "-", "--devices", 4, "--microbatches", 16, "--for", "torchtitan", stdin=llama).stdout
check(torchtitan.endswith("to be set there, too: overlap ub, recomputation full\n") and "\ntensor_parallel_degree=8\n" in torchtitan, torchtitan)
alone = run("plan", "-", "--devices", 4, "--microbatches", 16, "--format", "megatron", stdin=llama).stdout
check(alone == lines[-1] + "\n", alone)
check("to be set" not in run("plan", "-", "--devices", 4, "--microbatches", 16, "--for", "megatron", stdin=small).stdout, "nothing is to be set")

# Stages that keep their inputs alone recompute all; formats, too, tell on standard error what is to be set there.
again = ("plan", "-", "--devices", 4, "--microbatches", 16, "--checkpoint", "always")
for name in ("megatron", "megatron-flags"):
    text = run(*again, "--for", name, stdin=small).stdout
    check(text.endswith("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1\n"), text)
check("\nrecompute: [[8, 8, 8, 8]]\n" in run(*again, "--format", "sapp", stdin=small).stdout, "sapp recomputes all")
for name in ("deepspeed", "torchtitan"):
    check(run(*again, "--for", name, stdin=small).stdout.endswith("\nto be set there, too: recomputation full\n"), name)
    done = run(*again, "--format", name, stdin=small)
    check("stagecut: to be set there, too: recomputation full\n" in done.stderr and "to be set" not in done.stdout, done)
    planned = run(*again, "--for", name, "--format", "json", stdin=small).stdout
    check("to be set there, too: recomputation full\n" in run("show", "-", "--format", name, stdin=planned).stderr, name)
    check("to be set there, too: recomputation full" in run("show", "-", "--format", "html", stdin=planned).stdout, "page")
shared = run("profile", "transformer", "--preset", "llama-2-7b", "--tensor-parallel", 2, "--overlap", "ub", "--flash", "off", "--precision", "fp8", "--gpu", "h100-80gb").stdout
text = run("plan", "-", "--devices", 4, "--microbatches", 16, "--format", "megatron", stdin=shared)
check(" --sequence-parallel --tp-comm-overlap --attention-backend unfused --bf16 --fp8-format hybrid --seq-length" in text.stdout, text)
check("to be set" not in text.stderr, text)
text = run("plan", "-", "--devices", 4, "--microbatches", 16, "--format", "torchtitan", stdin=shared).stderr
check("to be set there, too: overlap ub, FlashAttention off, precision fp8\n" in text, text)
check("tensor parallel 2, " in run("plan", "-", "--devices", 4, "--format", "pytorch", "--microbatches", 8, stdin=shared).stderr, "pytorch")

# What frameworks do not train is refused before anything is searched.
for zero in (2, 3):
    sharded = run("profile", "transformer", "--preset", "llama-2-7b", "--data-parallel", 4, "--zero", zero).stdout
    for how in ("--for", "--format"):
        fails(2, f"deepspeed cannot express this plan: ZeRO stage {zero}, and its pipelines run with at most stage 1", "plan", "-", "--devices", 4,
              "--microbatches", 16, how, "deepspeed", stdin=sharded)
    planned = run("plan", "-", "--devices", 4, "--microbatches", 16, "--format", "json", stdin=sharded).stdout
    fails(2, f"ZeRO stage {zero}", "show", "-", "--format", "deepspeed", stdin=planned)
experts = ("profile", "transformer", "--preset", "mixtral-8x7b", "--tensor-parallel", 4, "--expert-parallel", 4)
fails(2, "experts with tensor parallelism, 4, and without sequence parallelism, which it does not train", "plan", "-", "--devices", 4, "--microbatches", 16,
      "--for", "megatron", stdin=run(*experts, "--sequence-parallel", "off").stdout)

# MFU is of the peak that the devices are said to have; where it is above that, a figure is wrong.
def rates(*words):
    return json.loads(run("plan", "-", "--devices", 4, "--microbatches", 64, "--format", "json", *words, stdin=small).stdout)["predicted"]


plain, fast = rates(), rates("--device-speeds", "4,4,4,4")
check(abs(fast["mfu"] - plain["mfu"]) < 1e-9 and abs(fast["tokens_per_second"] / plain["tokens_per_second"] - 4) < 1e-9, plain, fast)
check("contradict" not in plain["basis"], plain)
quick = json.loads(small)
for layer in quick["layers"]:
    for name in ("forward", "backward", "backward_weight", "backward_input"):
        if name in layer:
            layer[name] /= 10
text = run("plan", "-", "--devices", 4, "--microbatches", 64, stdin=json.dumps(quick)).stdout
check("; no GPU exceeds its peak: times and peak contradict each other\n" in text, text)

# What was not searched stands in the plan, for whoever is shown it.
again = run("profile", "transformer", "--preset", "llama-2-7b", "--recompute", "auto").stdout
for_block = ("plan", "-", "--devices", 4, "--microbatches", 8, "--recompute", "auto", "--memory", "40GiB", "--for", "megatron")
text = run(*for_block, stdin=again).stdout
scope = next(line for line in text.splitlines() if line.startswith("not searched: "))
marked = [line for line in text.splitlines() if line.endswith("  megatron cannot express it")]
check(len(marked) == 1 and marked[0].startswith("SAPP's objective"), text)
check("cannot express it" not in run(*for_block[:-2], stdin=again).stdout, "for nobody")
planned = run(*for_block, "--format", "json", stdin=again).stdout
check(scope in run("show", "-", stdin=planned).stdout.splitlines(), scope)
check(scope[14:] in run("show", "-", "--format", "html", stdin=planned).stdout, scope)
check(scope == "not searched: " + json.loads(planned)["not_searched"], scope)

# GPUs that share a stage are one device of a topology.
asked = ("plan", "-", "--microbatches", 8, "--topology", "2x2:450GB,50GB@5e-6")
check("8 GPUs share each device\n" in run(*asked, stdin=llama).stderr, "topology")
check("share each device" not in run(*asked, stdin=small).stderr, "topology")

# What contradicts, and the rule that forbids.
words = ("plan", "-", "--devices", 4)
fails(2, "--format: vllm is of another framework than --for megatron", *words, "--for", "megatron", "--format", "vllm", stdin=small)
fails(2, "it is gpipe, and it runs 1f1b, interleaved", *words, "--microbatches", 8, "--schedule", "gpipe", "--for", "megatron", stdin=small)
fails(2, "30 microbatches, and interleaved they must be a multiple of the 4 ranks, or come in groups, for example of 5", *words,
      "--microbatches", 30, "--stages-per-rank", 2, "--for", "megatron", stdin=small)
grouped = run(*words, "--microbatches", 30, "--stages-per-rank", 2, "--group", 10, "--for", "megatron", stdin=small).stdout
check(" --microbatch-group-size-per-virtual-pipeline-stage 10 " in grouped, grouped)
group = json.loads(run(*words, "--microbatches", 10, "--stages-per-rank", 2, "--for", "pytorch", "--format", "json", stdin=small).stdout)["schedule"]
check(group == {"name": "interleaved", "microbatches": 10, "group": 5}, group)
fails(2, "--microbatches: is of training, and vllm serves", *words, "--microbatches", 8, "--for", "vllm", stdin=small)
served = run(*words, "--for", "vllm", stdin=small).stdout
check("throughput: " in served and "VLLM_PP_LAYER_PARTITION=" in served, served)
towers = ("plan", models / "towers.dot", "--devices", 2, "--microbatches", 4)
fails(2, "--for: is for chains only, and this is planned as a graph", *towers, "--for", "torchtitan")
check('get_schedule_class("1F1B")' in run(*towers, "--for", "pytorch").stdout, "a graph is planned for PyTorch as stages in a row")
fails(2, "untied, it would do", *words, "--microbatches", 8, "--for", "torchgpipe",
      stdin=run("profile", "transformer", "--preset", "gpt2-xl", "--set", "tied=replicate").stdout)
few = ("embedding", *["decoder"] * 3, "head")
chain = "name,kind,forward,backward,parameters,activations,output\n" + "".join(f"l{i},{k},1,2,1,1,1\n" for i, k in enumerate(few))
fails(3, "vllm: 4 stages of at least one decoder each, and there are 3", *words, "--for", "vllm", "--inference", stdin=chain)
odd = chain.replace("l2,decoder", "l2,attention")
fails(2, 'layer "l2" of kind "attention": kinds known to it are ', *words, "--microbatches", 8, "--for", "megatron", stdin=odd)
fails(2, 'as one layer with layer "l1" of kind "decoder", before it, it would have a place', *words, "--microbatches", 8, "--for", "megatron", stdin=odd)
towered = chain.replace("l0,embedding", "v,vision,1,2,1,1,1\nl0,embedding")
first = run(*words, "--microbatches", 8, "--for", "torchtitan", stdin=towered).stdout
check('[["vision_encoder","l0"' in first, first)
fails(3, "6 stages, and at most 5 have a layer: what stands on the first stage is one", "plan", "-", "--devices", 6, "--microbatches", 8,
      "--for", "megatron", stdin=towered)

# Further tokens: one stage has them all.
further = run("profile", "transformer", "--preset", "llama-2-7b", "--set", "layers=11", "--set", "mtp_layers=3").stdout
fails(3, 'megatron: the 3 layers that guess further tokens, of kind "mtp", must stand on one stage; that leaves 14 blocks for 16 stages', "plan", "-",
      "--devices", 8, "--stages-per-rank", 2, "--microbatches", 16, "--for", "megatron", stdin=further)
check(run("plan", "-", "--devices", 8, "--stages-per-rank", 2, "--microbatches", 16, stdin=further).returncode == 0, "on ranks of their own, for nobody")

# auto tries what runs there, each once.
rows = [line.split()[0] for line in run(*words, "--microbatches", 8, "--schedule", "auto", "--for", "torchgpipe", stdin=small).stdout.splitlines()
        if line.endswith("best") or line.endswith("%") and "MFU" not in line]
check(rows == ["gpipe"], rows)

# Narrow numbers and recomputed parts, in Megatron-LM's words; names from elsewhere are not written.
moe = models.parents[1] / "tests" / "io" / "seeds" / "hugging_face_config" / "qwen3-30b-a3b.json"
planned = ("plan", moe, "--gpu", "gb200-186gb", "--devices", 4, "--microbatches", 8, "--expert-parallel", 8, "--data-parallel", 8, "--format", "megatron")
for more, said in (((), " --bf16 --seq-length"), (("--precision", "fp8"), " --bf16 --fp8-format hybrid --seq-length"),
                   (("--precision", "mxfp8"), " --bf16 --fp8-format e4m3 --fp8-recipe mxfp8 --seq-length"),
                   (("--precision", "nvfp4"), " --bf16 --fp4-format e2m1 --fp4-recipe nvfp4 --seq-length"),
                   (("--recompute-modules", "moe_act,layernorm"), " --recompute-granularity selective --recompute-modules layernorm moe_act\n"),
                   (("--recompute-modules", "moe", "--recompute", "selective"), " --recompute-granularity selective --recompute-modules core_attn moe\n")):
    done = run(*planned, *more)
    check(said in done.stdout, more, said, done)
check("recompute" not in run(*planned).stdout, run(*planned).stdout)
# What its line has not is told: what the times assume of dispatch, graphs and kernels.
check("stagecut: to be set there, too: dispatcher hybridep, CUDA graphs scoped\n" in run(*planned).stderr, run(*planned).stderr)
more = ("--dispatcher", "deepep", "--cuda-graphs", "none", "--expert-overlap", "on", "--fused-experts", "on", "--attention-fp8", "on", "--head-fp8", "on",
        "--precision", "mxfp8", "--offload", 0.25)
check("there, too: dispatcher deepep, overlap of experts' messages, fused experts, attention with 8 bits, head with 8 bits, 0.25 of the activations offloaded\n" in
      run(*planned, *more).stderr, run(*planned, *more).stderr)
for name, says in (("torchtitan", "there, too: precision mxfp8, recomputed modules mlp\n"), ("deepspeed", "there, too: precision mxfp8, recomputed modules mlp\n")):
    done = run("plan", models / "llama-2-7b.json", "--gpu", "gb200-186gb", "--precision", "mxfp8", "--recompute-modules", "mlp", "--devices", 4, "--microbatches", 8,
               "--format", name)
    check(says in done.stderr, name, done)
edited = json.loads(run("profile", "transformer", "--preset", "llama-2-7b", "--recompute-modules", "mlp").stdout)
edited["computed"]["recompute_modules"] += ["; rm", 3]
done = run("plan", "-", "--devices", 4, "--microbatches", 8, "--format", "megatron", stdin=json.dumps(edited))
check(" --recompute-modules mlp\n" in done.stdout and "rm" not in done.stdout, done)

# GPUs that share a stage are one device of the pipeline.
cluster = ("--intra", "450GB", "--inter", "50GB@5e-6", "--microbatches", 16, "--format", "json")
two = run("plan", "-", "--nodes", 2, "--gpus-per-node", 8, *cluster, stdin=llama)
check(json.loads(two.stdout)["devices"] == 2 and json.loads(two.stdout)["messages"]["links"][0]["bandwidth"] == 50e9, two)
check("links: 2 devices, 50 GB/s and 5 us between them; 8 GPUs share each device" in two.stderr, two.stderr)
four = run("plan", "-", "--nodes", 2, "--gpus-per-node", 16, *cluster, stdin=llama)
check(json.loads(four.stdout)["devices"] == 4, four)
check([link["bandwidth"] for link in json.loads(four.stdout)["messages"]["links"]] == [450e9, 50e9, 450e9], four)
fails(2, "--gpus-per-node: 8 GPUs share a stage: they must fill a node", "plan", "-", "--nodes", 2, "--gpus-per-node", 12, *cluster, stdin=llama)
fails(2, "--devices: 4 pipeline ranks of 8 GPUs each are not the 16 GPUs there are: 2 are", "plan", "-", "--devices", 4, "--nodes", 2,
      "--gpus-per-node", 8, *cluster, stdin=llama)

# What is written for PyTorch 2.15 is what was predicted, also where messages block.
with tempfile.TemporaryDirectory() as folder:
    order = pathlib.Path(folder) / "order.csv"
    for schedule, how in (("looped-bfs", "blocking"), ("looped-bfs", "stream"), ("interleaved", "blocking")):
        asked = ("simulate", "--forward", "1,1,1,1,1,1", "--backward", "1,1,1,1,1,1", "--devices", 3, "--stages-per-rank", 2, "--microbatches", 3, "--latency", 1,
                 "--transfers", how)
        order.write_text(run(*asked, "--schedule", schedule, "--format", "torch-comms").stdout)
        told, read = (json.loads(run(*asked, *words, "--format", "json").stdout)["makespan"] for words in (("--schedule", schedule), ("--schedule-file", order)))
        check(told == read, schedule, how, told, read)
print(len(failures), "failures")
sys.exit(bool(failures))
