// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "published_run.hpp"

#include <stagecut/profile/transformer.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// Measured training runs of one vendor's recipes, from rows.csv: a run per line, with the settings that move its time.
// Figures: NVIDIA-NeMo/Megatron-Bridge, docs/performance-summary*.md, releases 26.02 to 26.08; settings: its recipes
// (src/megatron/bridge/perf_recipes, scripts/performance/configs). Each line of further.csv names its source.
namespace published {

/// A row: what ran where, and its tokens per second and device.
struct row {
  std::string model, device, precision, release;
  stagecut::transformer::architecture of{};
  stagecut::transformer::training how{};
  stagecut::transformer::device on{};
  std::size_t gpus = 1, batch = 1, ranks = 1, chunks = 1;
  bool sharded = false;  ///< fully sharded data parallelism
  bool older = false;    ///< a configuration that the vendor has replaced since
  double tokens = 0;     ///< measured

  [[nodiscard]] std::size_t sequence() const { return how.sequence; }
  [[nodiscard]] std::size_t microbatches() const { return batch / (how.microbatch * how.data_parallel); }
  [[nodiscard]] std::string name() const {
    std::ostringstream text;
    text << model << ", " << device << ", " << precision << ", " << release << ", TP " << how.tensor_parallel << " PP "
         << ranks << " CP " << how.context_parallel << " VP " << chunks << " EP " << how.expert_parallel << " b "
         << how.microbatch;
    return text.str();
  }
  /// Runs of one pair are kept in one part when constants are fitted to the others.
  [[nodiscard]] std::string pair() const { return model + " on " + device; }
  [[nodiscard]] bool dense() const { return of.experts == 0; }
};

/// The fields of a line.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> made(1);
  for (const char each : line) {
    if (each == ',') {
      made.emplace_back();
    } else if (each != '\r') {
      made.back() += each;
    }
  }
  return made;
}

/// The value of a word in one of the library's tables.
template <class Value, std::size_t n>
Value value_of(const stagecut::named<Value> (&words)[n], const std::string& word) {
  const auto* const found = stagecut::find_name(words, word);
  if (found == nullptr) throw std::runtime_error(word + " is unknown");
  return found->value;
}

/// The models, systems, precisions and graphs of the vendor's pages, by our names.
inline void translate(std::map<std::string, std::string>& at) {
  static const std::map<std::string, std::string> words = {{"DeepSeekV3", "deepseek-v3"},
                                                           {"GPT OSS 120B", "gpt-oss-120b"},
                                                           {"LLAMA3.1_405B", "llama-3.1-405b"},
                                                           {"LLAMA3_70B", "llama-3-70b"},
                                                           {"LLAMA3_8B", "llama-3-8b"},
                                                           {"Kimi_K2", "kimi-k2"},
                                                           {"Nemotron_3_Nano", "nemotron-3-nano"},
                                                           {"Nemotron_3_Super", "nemotron-3-super"},
                                                           {"Nemotron_3_5_Lightning", "nemotron-3.5-lightning"},
                                                           {"Qwen3_235B_a22B", "qwen3-235b-a22b"},
                                                           {"Qwen3_30B_a3B", "qwen3-30b-a3b"},
                                                           {"H100", "h100-80gb"},
                                                           {"B200", "b200-180gb"},
                                                           {"B300", "b300-288gb"},
                                                           {"GB200", "gb200-186gb"},
                                                           {"GB300", "gb300-288gb"},
                                                           {"BF16", "bf16"},
                                                           {"FP8-CS", "fp8"},
                                                           {"MXFP8", "mxfp8"},
                                                           {"NVFP4", "nvfp4"},
                                                           {"te", "scoped"}};
  at["device"] = at["system"];
  for (const char* const key : {"model", "device", "precision", "graphs"}) {
    if (const auto found = words.find(at[key]); found != words.end()) at[key] = found->second;
  }
  if (at["dispatcher"].empty()) at["dispatcher"] = "alltoall";
  if (at["tp_overlap"].empty()) at["tp_overlap"] = "none";
}

/// The training of a row.
inline stagecut::transformer::training training_of(std::map<std::string, std::string>& at) {
  using namespace stagecut::transformer;
  training r;
  const auto count = [&](const char* key) { return static_cast<std::size_t>(std::stoull(at[key])); };
  r.sequence = count("sequence");
  r.microbatch = count("mbs");
  r.precision = value_of(precision_names, at["precision"]);
  r.tensor_parallel = count("tp");
  r.context_parallel = count("cp");
  r.expert_parallel = count("ep");
  r.data_parallel = count("gpus") / (count("tp") * count("cp") * count("pp"));
  r.zero = count("fsdp") != 0 ? 3 : r.data_parallel * r.context_parallel > 1 ? 1 : 0;
  r.gradient_bytes = 2;
  if (at["moments_16bit"] == "1") r.state_bytes = 8;
  r.overlap = value_of(overlap_names, at["tp_overlap"]);
  r.dispatcher = value_of(dispatcher_names, at["dispatcher"]);
  r.expert_overlap = at["ep_overlap"] == "1";
  r.cuda_graphs = value_of(graph_names, at["graphs"]);
  r.fused_experts = at["fused_experts"] == "1";
  r.attention_fp8 = at["fp8_attention"] == "1";
  std::istringstream modules(at["recompute"]);
  for (std::string word; std::getline(modules, word, '+');) {
    if (word == "full") {
      r.recomputation = recomputing::full;
    } else {
      r.recompute_modules.*value_of(module_names, word) = true;
    }
  }
  r.microbatches = count("gbs") / (r.microbatch * r.data_parallel);
  return r;
}

/// What the recipes of a row set besides its columns: the head's product in 8 bits (`fp8_output_proj`); parameters kept in
/// 8 bits alone (`fp8_param_gather` with one scale per tensor, on Blackwell); offloaded activations of fully sharded runs, of
/// 20 or 40 of 80 layers.
inline void add_recipe(std::map<std::string, std::string>& at, stagecut::transformer::training& how) {
  const std::string &model = at["model"], &device = at["device"];
  const bool blackwell = device.starts_with("b") || device.starts_with("gb");
  const bool whole_gpt_oss = model == "gpt-oss-120b" && at["graphs"] == "full";
  how.head_fp8 =
      at["precision"] == "mxfp8" && (whole_gpt_oss || (model == "deepseek-v3" && device.starts_with("gb200")));
  if (at["precision"] == "fp8" && blackwell) how.parameter_bytes = 1;
  if (at["fsdp"] != "0" && model == "llama-3-70b") how.offload = device.starts_with("gb300") ? 0.25 : 0.5;
}

/// All rows of a file, with models from a folder.
inline std::vector<row> read_rows(const std::string& file, const std::string& models) {
  std::ifstream input(file);
  std::string line;
  std::getline(input, line);
  const std::vector<std::string> names = fields_of(line);
  std::vector<row> made;
  while (std::getline(input, line)) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < names.size()) throw std::runtime_error(line + " has too few fields");
    std::map<std::string, std::string> at;
    for (std::size_t i = 0; i < names.size(); ++i) at[names[i]] = fields[i];
    translate(at);
    row& next = made.emplace_back();
    next.model = at["model"];
    next.device = at["device"];
    next.precision = at["precision"];
    next.release = at["release"];
    std::ifstream config(models + "/" + next.model + ".json");
    std::ostringstream text;
    text << config.rdbuf();
    next.of = stagecut::io::read_transformer_config(text.str(), next.model).architecture;
    next.how = training_of(at);
    add_recipe(at, next.how);
    next.on = device_of(next.device);
    next.gpus = std::stoull(at["gpus"]);
    next.batch = std::stoull(at["gbs"]);
    next.ranks = std::stoull(at["pp"]);
    next.chunks = std::stoull(at["vp"]);
    next.sharded = at["fsdp"] != "0";
    next.older = at["older_configuration"] == "1";
    next.tokens = std::stod(at["measured_tokens_s_gpu"]);
  }
  return made;
}

/// The end layers of the stages: the layout of the recipes. Layers that predict further tokens come after the norm; 61
/// layers and one of these are cut into sixteen chunks of four, the last with a single layer, which fewer chunks join.
/// Otherwise all are equal, or embedding and head count as a layer each.
inline std::vector<std::size_t> layout(const row& of) {
  const std::size_t stages = of.ranks * of.chunks, layers = of.of.layers;
  std::vector<std::size_t> ends;
  if (layers == 61 && stages > 1) {
    if (16 % stages != 0) throw std::runtime_error(of.name() + " has no layout");
    for (std::size_t s = 1; s <= stages; ++s) ends.push_back(1 + 4 * (16 / stages) * s);
  } else {
    const std::size_t counted = layers % stages == 0 ? layers : layers + 2;
    if (counted % stages != 0) throw std::runtime_error(of.name() + " is not cut into equal stages");
    const std::size_t first = counted == layers ? 1 : 0;
    for (std::size_t s = 1; s <= stages; ++s) ends.push_back(first + counted / stages * s);
  }
  ends.back() = layers + 3 + of.of.mtp_layers;
  return ends;
}

/// The schedule of a row.
inline stagecut::schedule order_of(const row& of) {
  const auto kind = stagecut::find_schedule(of.chunks > 1 ? "interleaved" : "1f1b")->kind;
  return stagecut::make_schedule(kind,
                                 {.ranks = of.ranks, .stages_per_rank = of.chunks, .microbatches = of.microbatches()});
}

/// Predicted seconds of an iteration.
inline double predicted_seconds(const row& of, const stagecut::transformer::efficiencies& reached) {
  const stagecut::profile profile = stagecut::transformer::profile(of.of, of.how, of.on, reached);
  const stagecut::transformer::roofline clock(of.on, of.how.precision, reached);
  const auto group = clock.group(2, static_cast<double>(of.gpus > of.on.domain ? of.gpus : of.gpus / of.ranks));
  const double message = of.ranks == 1 ? 0 : profile.layers[1].output / clock.link_rate(group) + clock.latency(group);
  const double shown = of.chunks == 1 ? message : reached.hidden * message;
  stagecut::pass_times<double> times;
  double whole = 0, update = 0;
  std::size_t i = 0;
  for (const std::size_t end : layout(of)) {
    double forward = shown, backward = shown, late = 0;
    for (; i < end; ++i) {
      forward += profile.layers[i].forward;
      backward += profile.layers[i].backward;
      late += profile.layers[i].update;
    }
    times.forward.push_back(forward);
    times.backward.push_back(backward);
    times.all_reduce.push_back(late);
    whole += forward + backward;
    update += late;
  }
  if (of.ranks == 1) return whole * static_cast<double>(of.microbatches()) + update;
  return stagecut::simulate(order_of(of), times).makespan;
}

/// Predicted tokens per second and device.
inline double predicted_tokens(const row& of, const stagecut::transformer::efficiencies& reached) {
  return static_cast<double>(of.batch * of.sequence()) /
         (predicted_seconds(of, reached) * static_cast<double>(of.gpus));
}

/// The peak bytes of the fullest device, with 4 GB of the framework.
inline double needed_bytes(const row& of) {
  const stagecut::profile profile = stagecut::transformer::profile(of.of, of.how, of.on);
  const stagecut::schedule order = order_of(of);
  std::vector<double> resident(of.ranks, 0), workspace(of.ranks, 0), activations;
  std::size_t i = 0, stage = 0;
  for (const std::size_t end : layout(of)) {
    const std::size_t rank = order.rank_of[stage++];
    double& kept = activations.emplace_back(0);
    for (; i < end; ++i) {
      const stagecut::layer& each = profile.layers[i];
      resident[rank] += *each.resident;
      for (const auto& tied : each.tied) resident[rank] += tied.resident.value_or(0);
      kept += each.activations;
      workspace[rank] = std::max(workspace[rank], each.workspace);
    }
  }
  double most = 0;
  for (std::size_t r = 0; r < of.ranks; ++r) {
    double held = 0, peak = 0, largest = 0;
    for (const stagecut::op& op : order.orders[r]) {
      held += (op.kind == stagecut::op_kind::forward ? 1 : -1) * activations[op.stage];
      peak = std::max(peak, held);
      largest = std::max(largest, activations[op.stage]);
    }
    if (of.how.expert_overlap) peak += of.ranks == 1 ? 0.15 * peak : largest;  // a further microbatch's chunk
    most = std::max(most, resident[r] + peak + workspace[r]);
  }
  return most + 4e9;
}

}  // namespace published
