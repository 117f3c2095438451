// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>

#include <string_view>

// Text of the manual pages in addition to the options' descriptions: by command.

/// The text of a page.
struct page_prose {
  std::string_view text;      // paragraphs, one per line
  std::string_view examples;  // lines: description, tab, command
};

/// All pages. The examples of the first make the files that the others read; a test runs them all.
inline constexpr stagecut::named<page_prose> manual_prose[] = {
    {"stagecut",
     {R"(Layers of a model become the stages of a pipeline, one or several on each device. From a profile, which says what every layer costs, stagecut finds the cut whose iteration ends first, under a schedule and within the memory of the devices, and proves a bound: no other cut is below it.
A plan is printed for a person, as JSON, or in the words of what trains or serves the model. What is read twice is the same everywhere: the same input gives the same plan.
A file named - is standard input.)",
      R"(Compute the profile of a known model.	stagecut profile transformer --preset llama-2-7b --output model.json
Cut it for 4 devices of 60 GiB.	stagecut plan model.json --devices 4 --microbatches 32 --memory 60GiB
Keep the plan.	stagecut plan model.json --devices 4 --microbatches 32 --format json --output plan.json
Draw what an iteration will look like.	stagecut simulate plan.json --format svg --output plan.svg
All that is known of the plan, as a page for a browser.	stagecut show plan.json --format html --output plan.html)"}},
    {"stagecut plan",
     {R"(Cuts the chain or the graph of layers in a profile into stages, and prints the plan. With --microbatches, the cut is the one whose iteration ends first; else the one whose heaviest stage is lightest. --objective chooses another criterion. Devices that differ have their own speeds and memory: --device-speeds and --memory take a list.
With --inference, or of a profile that says so, forward passes alone are planned, to serve the model: by default for throughput, with --objective time-per-token for the least time that a token takes. Memory is then the parameters and what is kept of a group of requests.
A profile with edges that is no chain is cut as a graph; --cpus, --at-most and some words of --method ask for a graph where a chain would do. --devices may be left out where the profile names a machine.
The config.json of a model, as Hugging Face has it, does for a profile: what its layers cost is computed first, as stagecut-profile-transformer(1) does, and takes the same options. --memory limits the plan, not the memory of --gpu.
Interrupt (Ctrl-C) ends the search, not its plan: the best so far is printed with its bound. A second one ends the program. A file of --output is replaced at once when it is whole.)",
      R"(As options of Megatron-LM.	stagecut plan model.json --devices 4 --microbatches 32 --format megatron
Whichever of the usual schedules ends first.	stagecut plan model.json --devices 4 --microbatches 32 --schedule auto
A fast device of 60 GiB and a slower one of 80 GiB.	stagecut plan model.json --devices 2 --device-speeds 1,0.6 --memory 60GiB,80GiB --optimizer sgd
Serve it: how soon does a token come?	stagecut plan model.json --devices 4 --inference --objective time-per-token
Two nodes of two GPUs, with slower links between them.	stagecut plan model.json --nodes 2 --gpus-per-node 2 --intra 300GB --inter 2GB@5e-6)"}},
    {"stagecut schedules synthesize",
     {R"(Makes the order in which ranks run the passes of their stages, for the times and the memory that are given: no rank ever holds more than --memory, an iteration ends as early as possible, and it is said how far from the least that may be.
Memory counts in any unit; without --keeps a microbatch keeps 1 on every stage. As torch-csv and torch-comms stage 0 runs its backward passes whole, which is what PyTorch does there.
Interrupt (Ctrl-C) ends the search, and the best order so far is printed.)",
      R"(Four stages with room for four microbatches each.	stagecut schedules synthesize --forward 8,14,18,20 --backward-input 8,14,18,20 --backward-weight 8,14,18,12 --microbatches 8 --memory 4
The same as a file for PyTorch.	stagecut schedules synthesize --forward 8,14,18,20 --backward-input 8,14,18,20 --backward-weight 8,14,18,12 --microbatches 8 --memory 4 --format torch-csv --output order.csv)"}},
    {"stagecut profile",
     {"Computes what the layers of a model cost from figures of its architecture and of a device, where nothing was "
      "measured.",
      R"(Compute the profile of a known model.	stagecut profile transformer --preset gpt2-xl --output gpt2-xl.json)"}},
    {"stagecut profile transformer",
     {R"(Computes the time and the memory of every layer of a transformer, on a device: of a known model, of the config.json that Hugging Face has of it, or of your own figures. The profile is printed for stagecut-plan(1), and may be edited; --explain prints what a time is made of, instead.
The file of --gpu is JSON with gemm, the best matrix product in FLOP/s, bandwidth and memory. That of --calibrate is JSON with what was measured: layers, objects of name, forward and backward in seconds, or iterations, objects of devices, microbatches and seconds. What fits them best, and how well, is printed on standard error.
With --inference one pass to serve the model is computed: of one token of each request, or with --phase prefill their whole prompts.)",
      R"(A model that shares each layer among 8 devices.	stagecut profile transformer --preset llama-2-70b --tensor-parallel 8 --output 70b.json
The figures of a model, to edit.	stagecut profile transformer --preset gpt2-xl --format config --output figures.json
A profile of these, with fewer layers.	stagecut profile transformer --config figures.json --set layers=12 --format csv
Why does a layer take so long?	stagecut profile transformer --config figures.json --gpu h100-80gb --explain layers.3
The plan in one step, as of any config.json.	stagecut plan figures.json --devices 4 --microbatches 16 --gpu h100-80gb
To serve 16 requests, behind 2048 tokens each.	stagecut profile transformer --preset llama-2-7b --inference --concurrent 16 --sequence 2048 --output served.json)"}},
    {"stagecut fit",
     {"Determines from runs of a model what its layers cost: the memory of the parts, what every rank needs, the "
      "parameters of a layer, its activations by what is recomputed, head and tail, from short runs; the times of its "
      "layers from traces of a profiler.",
      R"(What to measure.	stagecut fit guide --devices 4 --layers 18 --recompute select,full)"}},
    {"stagecut fit memory",
     {R"(Reads the peak memory of ranks in dry runs from files that SAPP's pipeline balance is started with, or from logs of MindSpore, and takes it apart by least squares; no part is negative. Peaks that do not determine all parts are refused, with the run to add. The layers are written as a profile, or as a file for SAPP, which stagecut-plan(1) reads as well.
--logs is given once for each run, in their order, of the files that have no memory_usage; if all have it, of all runs, and the logs count. It names a folder, whose files end in the number of their rank, as worker_3.log does; or files by commas, of ranks 0, 1 and so on, or each as RANK=FILE.
Times are read from --times, from time_config, or from the traces in the folder of profiling_config.)",
      R"(The file of a dry run on four ranks.	echo '{"pipeline_config": {"pipeline_num": 4, "num_layer": 6, "offset": [1, 0, 1, 0]}, "recompute_config": {}, "memory_usage": {"head_memory": 4600, "tail_memory": 2000, "body_memories": {"stage_id": [1, 2], "memories": [1600, 2800]}}}' > init.yaml
The memory of the parts.	stagecut fit memory init.yaml --no-constant
The layers, to be planned.	stagecut fit memory init.yaml --no-constant --times 0.1,3,3.5 --format sapp --output layers.json)"}},
    {"stagecut fit guide",
     {R"(Proposes dry runs from which stagecut-fit-memory(1) determines all parts, so that errors of the peaks grow least in these: for every rank how many layers it holds, and how many are recomputed, in SAPP's terms. With --after, runs are added to those that were made, whose file then also sets --devices and --layers.)",
      R"(As few runs as determine all, to be pasted.	stagecut fit guide --devices 8 --layers 32 --recompute select,full
Three runs, as a file.	stagecut fit guide --devices 8 --layers 32 --recompute full --runs 3 --format sapp --output guide.yaml)"}},
    {"stagecut fit times",
     {R"(Reads how long the kernels of each layer ran from traces that export_chrome_trace of PyTorch's profiler writes, or from the reports nvtx_gpu_proj_trace and nvtx_gpu_proj_sum that nsys stats writes with --format csv. A layer takes the median of its passes in all traces. The times are written for --calibrate of stagecut-profile-transformer(1), or with --into replace those of a profile. Standard error tells which kernels belong to no layer, and how layers that were not measured follow those of their kind.
A range is a layer if it has the name of a layer of --into, or if --layers names it: one * stands for a number, NAME is the layer's name, with the same number for its *, or a greater one: Block_*=layers.*+8. Ranges are those of record_function and NVTX, which may end in a pass (layers.3 backward), and the modules in traces that are recorded with_stack=True (LlamaDecoderLayer_3). Kernels that autograd launches belong to the layer whose forward pass asked for them.)",
      R"(A trace with a layer.	echo '[{"ph": "X", "cat": "user_annotation", "name": "layers.0", "pid": 1, "tid": 1, "ts": 0, "dur": 9}, {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "args": {"correlation": 1}}, {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 5, "dur": 900, "args": {"correlation": 1}}]' > trace.json
The times of its layers.	stagecut fit times trace.json --layers 'layers.*' --output measured.json
The profile with these times.	stagecut fit times trace.json --into model.json --output traced.json)"}},
    {"stagecut simulate",
     {"Runs one iteration of a plan on paper, or of stages whose times are given, under its own schedule or another, "
      "and prints when it ends, when devices idle, and what memory they hold.",
      R"(Another schedule for the same cut.	stagecut simulate plan.json --schedule gpipe
Four stages without a plan.	stagecut simulate --forward 8,14,18,20 --backward 16,28,36,40 --microbatches 8)"}},
    {"stagecut compare",
     {"Simulates several plans, and prints for each when its iteration ends, why devices idle, and what memory they "
      "need; as a picture, all on one axis.",
      R"(A plan of another schedule.	stagecut plan model.json --devices 4 --microbatches 32 --schedule gpipe --memory none --format json --output gpipe.json
Side by side, with messages at 25 GB/s.	stagecut compare plan.json gpipe.json --bandwidth 25GB)"}},
    {"stagecut explain",
     {R"(Prints what limits the iteration of a plan of a chain: why devices are idle, what the makespan waits for, stage by stage, how much shorter it is with one per cent less of a layer, of a device, of a link or with more memory, and the three changes that would help most.
Every figure is the difference of two simulations; for the price of memory, and for another cut, the plan is made anew. These searches are limited by nodes, so that the answer is the same on every machine, unless --time-limit sets seconds. Interrupt (Ctrl-C) ends them.)",
      R"(Where to begin?	stagecut explain plan.json)"}},
    {"stagecut sweep",
     {R"(Plans every combination of devices, microbatches, schedules, stages per rank and recomputation, and marks the Pareto front of time and memory: the rows that no other beats in one without being worse in the other.
Each search is limited by nodes, so that the table is the same on every machine. Interrupt (Ctrl-C) ends the sweep with what was planned by then.)",
      R"(On 2 or 4 devices of 60 GiB, all rows as CSV.	stagecut sweep model.json --devices 2,4 --microbatches 32 --memory 60GiB --csv rows.csv)"}},
    {"stagecut verify",
     {"Computes the values of a plan again, from the profile alone and by code that planner and simulator do not "
      "use. Plans that were edited, written by another program, or made from an older profile are detected.",
      R"(Hold a plan against its profile.	stagecut verify model.json plan.json)"}},
    {"stagecut show",
     {"Reads a plan or a profile in any form that is known, and prints it for a person, or writes it in another form.",
      R"(A plan as a table.	stagecut show plan.json
The same plan for DeepSpeed.	stagecut show plan.json --format deepspeed)"}},
    {"stagecut formats",
     {"Lists the values of --format of stagecut-plan(1) and stagecut-show(1), and what is written for each.",
      "List them.	stagecut formats"}},
    {"stagecut schedules",
     {"Lists the values of --schedule of stagecut-simulate(1), most of which stagecut-plan(1) takes, too; and whether "
      "each sends back whole (B), or the gradients of inputs and weights apart (I and W).",
      "List them.	stagecut schedules"}},
    {"stagecut presets",
     {"Lists the values of --preset of stagecut-profile-transformer(1), with figures of each model.",
      "List them.	stagecut presets"}},
    {"stagecut demo",
     {"Plans two models for two numbers of devices by three rules, and prints how much later the iteration ends by the "
      "simpler ones.",
      "See what the rules are worth.	stagecut demo"}},
    {"stagecut completion",
     {R"(Prints the script that completes commands, options, their values and names of files in a shell. Where it is put for one user, bash and fish find it when it is needed; for zsh, put it into a folder of fpath, before compinit is called.)",
      R"(For bash.	stagecut completion bash > ~/.local/share/bash-completion/completions/stagecut
For zsh.	stagecut completion zsh > ~/.zfunc/_stagecut
For fish.	stagecut completion fish > ~/.config/fish/completions/stagecut.fish)"}},
    {"stagecut manual",
     {"Prints the page of the program or of one of its commands in the language of man(7). The options in it are those "
      "that the program itself reads.",
      R"(Read a page that is not installed.	stagecut manual plan > plan.1 && man ./plan.1
Write all pages.	stagecut manual --all man1)"}}};
