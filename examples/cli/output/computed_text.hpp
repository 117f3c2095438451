// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "output/screen.hpp"

/// The record of how a profile was computed: its member `computed`, or an empty object.
inline nlohmann::json computed_figures(const stagecut::profile& model) {
  auto others = nlohmann::json::parse(model.unknown_fields, nullptr, false);
  if (!others.is_object() || !others.contains("computed") || !others["computed"].is_object()) {
    return nlohmann::json::object();
  }
  return std::move(others["computed"]);
}

/// Sets a member of a plan that the library does not know; null removes it.
inline void set_member(stagecut::plan& made, const char* name, nlohmann::ordered_json value) {
  auto others = nlohmann::ordered_json::parse(made.unknown_fields, nullptr, false);
  if (!others.is_object()) others = nlohmann::ordered_json::object();
  others.erase(name);
  if (!value.is_null()) others[name] = std::move(value);
  made.unknown_fields = others.empty() ? "" : others.dump();
}

/// A figure of these, or the default; also the default if its type is wrong.
template <class Value>
Value computed_figure(const nlohmann::json& of, const char* name, Value otherwise) {
  const auto found = of.find(name);
  if (found == of.end()) return otherwise;
  const bool fits = std::is_same_v<Value, bool>   ? found->is_boolean()
                    : std::is_arithmetic_v<Value> ? found->is_number()
                                                  : found->is_string();
  return fits ? found->get<Value>() : otherwise;
}

/// The configuration of the computation, as a line of text.
inline std::string computed_text(const stagecut::profile& model) {
  const nlohmann::json of = computed_figures(model);
  const auto count = [&](const char* name) { return computed_figure<std::size_t>(of, name, 1); };
  const auto word = [&](const char* name) { return shown(computed_figure<std::string>(of, name, "?")); };
  std::string text = fmt::format("computed for {}, {}, {} tokens a {}", word("device"), word("precision"),
                                 count("sequence"), model.inference ? "request" : "sample");
  if (count("concurrent") != 1) text += fmt::format(", {} requests at once", count("concurrent"));
  if (count("microbatch") != 1) text += fmt::format(", {} samples a microbatch", count("microbatch"));
  const std::size_t share = count("tensor_parallel") * count("context_parallel");
  if (share != 1) text += fmt::format(", {} devices a stage", share);
  const auto bytes = [&](const char* name) { return computed_figure(of, name, 0.0); };
  if (bytes("weight_bytes") > 0) text += fmt::format(", weights by {} of {:.4g} bytes", word("weights"), bytes("weight_bytes"));
  if (bytes("cached_bytes") > 0) text += fmt::format(", keys and values of {:.4g} bytes", bytes("cached_bytes"));
  return text + "\n";
}

/// GPUs that share a stage, including those of its copies.
inline std::size_t gpus_of_stage(const stagecut::profile& model) {
  const nlohmann::json of = computed_figures(model);
  const auto count = [&](const char* name) { return computed_figure<std::size_t>(of, name, 1); };
  return count("tensor_parallel") * count("context_parallel") * count("data_parallel");
}

/// Whether a framework's text already contains a setting, by the name of a format.
inline bool says_setting(std::string_view format, std::string_view setting) {
  const bool usual = setting == "tensor_parallel" || setting == "data_parallel" || setting == "microbatch";
  if (format == "deepspeed") return usual || setting == "zero" || setting == "precision";
  const bool is_megatron = format == "megatron" || format == "megatron-flags";
  if (is_megatron && (setting == "precision" || setting == "overlap" || setting == "flash")) return true;
  if (is_megatron || format == "torchtitan") {
    return usual || setting == "context_parallel" || setting == "expert_parallel" || setting == "sequence_parallel";
  }
  return false;
}

/// The recomputation of a plan, if it is the same for all layers: as profiled, or as its stages are checkpointed.
inline std::string recomputed_text(const stagecut::plan& made) {
  if (made.memory.checkpoint == "always") return "full";
  if (made.memory.checkpoint == "except_last") return "full, but of the last microbatch";
  return shown(computed_figure<std::string>(computed_figures(made.profile), "recomputation", "none"));
}

/// What a prediction assumes of recomputed modules, dispatch, graphs and kernels, where it matters and a format's text does
/// not have it.
inline std::vector<std::string> settings_of_kernels(const nlohmann::json& of, std::string_view written) {
  std::vector<std::string> result;
  const auto modules = of.find("recompute_modules");
  if (modules != of.end() && modules->is_array() && written.find("--recompute-modules") == written.npos) {
    std::string text = "recomputed modules";
    for (const auto& name : *modules) text += name.is_string() ? " " + shown(name.get<std::string>()) : "";
    result.push_back(text);
  }
  if (of.contains("dispatcher")) {  // there are experts
    const auto word = [&](const char* name) { return shown(computed_figure<std::string>(of, name, "none")); };
    if (computed_figure<std::size_t>(of, "expert_parallel", 1) != 1)
      result.push_back("dispatcher " + word("dispatcher"));
    if (word("cuda_graphs") != "none") result.push_back("CUDA graphs " + word("cuda_graphs"));
  }
  for (const auto& [name, member] : {std::pair("overlap of experts' messages", "expert_overlap"),
                                     {"fused experts", "fused_experts"},
                                     {"attention with 8 bits", "attention_fp8"},
                                     {"head with 8 bits", "head_fp8"}}) {
    if (computed_figure<bool>(of, member, false)) result.emplace_back(name);
  }
  const auto offload = computed_figure<double>(of, "offload", 0.0);
  if (offload != 0) result.push_back(fmt::format("{:.3g} of the activations offloaded", offload));
  const auto state = computed_figure<double>(of, "state_bytes", 0.0);
  if (state != 0) result.push_back(fmt::format("{:.3g} bytes a parameter of optimizer state", state));
  return result;
}

/// The settings that a prediction assumes and a format does not express: a list, possibly empty.
/// @param written  the plan in the format
inline std::string unset_settings(const stagecut::plan& made, std::string_view format, std::string_view written) {
  const nlohmann::json of = computed_figures(made.profile);
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  };
  for (const auto& [name, member] : {std::pair("tensor parallel", "tensor_parallel"),
                                     {"context parallel", "context_parallel"},
                                     {"data parallel", "data_parallel"},
                                     {"expert parallel", "expert_parallel"},
                                     {"samples a microbatch", "microbatch"}}) {
    const auto value = computed_figure<std::size_t>(of, member, 1);
    if (value != 1 && !says_setting(format, member)) add(name, std::to_string(value));
  }
  // Frameworks have it off by default; the memory of layers depends on it.
  const bool shared = computed_figure<std::size_t>(of, "tensor_parallel", 1) != 1 ||
                      (!made.stages.empty() && made.stages[0].tensor_parallel != 1);
  if (shared && computed_figure<bool>(of, "sequence_parallel", false) && !says_setting(format, "sequence_parallel")) {
    add("sequence parallel", "on");
  }
  const auto overlap = computed_figure<std::string>(of, "overlap", "none");
  if (shared && overlap != "none" && !says_setting(format, "overlap")) add("overlap", shown(overlap));
  if (!computed_figure<bool>(of, "flash", true) && !says_setting(format, "flash")) add("FlashAttention", "off");
  const auto precision = computed_figure<std::string>(of, "precision", "bf16");
  const bool narrow = precision != "fp16" && precision != "fp32";
  if (precision != "bf16" && (narrow ? !format.starts_with("megatron") : !says_setting(format, "precision"))) {
    add("precision", shown(precision));
  }
  // Megatron-LM shards only the optimizer's state, torchtitan also gradients.
  const auto zero = computed_figure<std::size_t>(of, "zero", 0);
  const bool expressed = (zero == 1 && format.starts_with("megatron")) || (zero > 1 && format == "torchtitan");
  if (zero != 0 && !expressed && !says_setting(format, "zero")) add("ZeRO stage", std::to_string(zero));
  bool recomputes = false;
  for (const char* const option : {"--recompute-granularity", "recompute:", "checkpoint="}) {
    recomputes = recomputes || written.find(option) != written.npos;
  }
  if (const std::string again = recomputed_text(made); again != "none" && !recomputes) add("recomputation", again);
  for (const std::string& setting : settings_of_kernels(of, written)) text += (text.empty() ? "" : ", ") + setting;
  return text;
}

/// The same as a line of text.
inline std::string settings_text(const stagecut::plan& made, std::string_view format, std::string_view written) {
  const std::string text = unset_settings(made, format, written);
  return text.empty() ? "" : fmt::format("to be set there, too: {}\n", text);
}

/// Whether its passes process whole prompts.
inline bool computes_prompts(const stagecut::profile& model) {
  return model.inference && computed_figure<std::string>(computed_figures(model), "inference", "") == "prefill";
}
