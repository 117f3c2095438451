// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/transformer_training.hpp>

#include <nlohmann/json.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The settings of a run besides its stages that reproduce the prediction. For a computed profile, its member `computed`
/// has them; a measured one has none, and then all are 1 except the plan's choices.
struct run_settings {
  std::size_t tensor = 1;          ///< tensor-parallel degree
  std::size_t context = 1;         ///< devices that share the tokens of a sample
  std::size_t expert = 1;          ///< devices that share the experts, each with whole ones
  std::size_t data = 1;            ///< replicas
  std::size_t zero = 0;            ///< the stage of ZeRO
  std::size_t sequence = 0;        ///< tokens of a sample; 0: unknown
  std::size_t samples = 0;         ///< of a microbatch; 0: unknown
  std::size_t microbatches = 0;    ///< of a replica in an iteration; 0: unknown
  bool overlaps_experts = true;    ///< whether messages of experts may overlap: false only if a prediction assumes none
  bool experts = false;            ///< whether a token uses only a part of the parameters
  bool sequence_parallel = false;  ///< whether the devices that share matrices also share norms and dropouts
  bool flash = true;               ///< whether attention is FlashAttention
  std::string precision{};         ///< `bf16`, `fp16`, `fp32`, `fp8`, `mxfp8`, `nvfp4`; empty: unknown
  std::string modules{};           ///< recomputed parts of layers, by Megatron-LM's names, a space before each
  std::string overlap{};  ///< of messages among devices that share matrices: `none`, `bwd`, `ub`; empty: unknown

  /// Samples of an iteration, of all replicas; 0: unknown.
  [[nodiscard]] std::size_t global_batch() const noexcept { return samples * microbatches * data; }
};

/// The settings for which a profile was computed.
[[nodiscard]] inline run_settings settings_of(const profile& model);

/// The settings of a plan, with the choices of its first stage.
[[nodiscard]] inline run_settings settings_of(const plan& p);

/// Why a framework cannot train with these settings; empty: no reason is known.
[[nodiscard]] inline std::string settings_obstacle(const target_entry& entry, const run_settings& run);

inline run_settings settings_of(const profile& model) {
  const auto others = nlohmann::ordered_json::parse(model.unknown_fields, nullptr, false);
  const bool known = others.is_object() && others.contains("computed") && others["computed"].is_object();
  const nlohmann::ordered_json computed = known ? others["computed"] : nlohmann::ordered_json::object();
  const auto count = [&](const char* name, std::size_t otherwise) {
    constexpr std::size_t most = 1U << 20U;  // a size holds the product of three of these
    const auto found = computed.find(name);
    const bool fits = found != computed.end() && found->is_number_unsigned();
    return fits && found->get<std::size_t>() <= most ? found->get<std::size_t>() : otherwise;
  };
  const auto word = [&](const char* name) {
    const auto found = computed.find(name);
    return found != computed.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto says = [&](const char* name, bool value) {
    const auto found = computed.find(name);
    return found != computed.end() && *found == value;
  };
  run_settings made;
  made.tensor = count("tensor_parallel", 1);
  made.context = count("context_parallel", 1);
  made.expert = count("expert_parallel", 1);
  made.data = count("data_parallel", 1);
  made.zero = count("zero", 0);
  made.sequence = count("sequence", 0);
  made.samples = count("microbatch", 0);
  const auto parameters = computed.find("parameters"), active = computed.find("active_parameters");
  made.experts = parameters != computed.end() && active != computed.end() && *active < *parameters;
  made.sequence_parallel = says("sequence_parallel", true);
  made.flash = !says("flash", false);
  made.precision = word("precision");
  made.overlap = word("overlap");
  made.overlaps_experts = !says("expert_overlap", false);
  const auto modules = computed.find("recompute_modules");
  if (modules == computed.end() || !modules->is_array()) return made;
  for (const auto& [name, field] : transformer::module_names) {
    const bool listed = std::find(modules->begin(), modules->end(), name) != modules->end();
    if (listed) made.modules.append(" ").append(name);
  }
  return made;
}

inline run_settings settings_of(const plan& p) {
  run_settings made = settings_of(p.profile);
  made.microbatches = p.schedule.microbatches;
  if (!p.stages.empty()) {
    const planned_stage& first = p.stages[0];
    made.tensor *= first.tensor_parallel;
    made.data *= first.replicas;
    // Replicas that share the microbatches of one stage run fewer each.
    if (!p.own_microbatches && first.replicas > 1) {
      const bool shared = made.microbatches % first.replicas == 0;
      made.microbatches = shared ? made.microbatches / first.replicas : 0;
    }
  }
  made.sequence_parallel = made.sequence_parallel && made.tensor > 1;
  return made;
}

inline std::string settings_obstacle(const target_entry& entry, const run_settings& run) {
  if (run.zero > entry.most_zero) {
    return stagecut::detail::joined(
        {"ZeRO stage ", run.zero, ", and its pipelines run with at most stage ", entry.most_zero});
  }
  if (entry.experts_need_sequence_parallel && run.experts && run.tensor > 1 && !run.sequence_parallel) {
    return stagecut::detail::joined({"experts with tensor parallelism, ", run.tensor,
                                     ", and without sequence parallelism, which it does not train"});
  }
  return "";
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
