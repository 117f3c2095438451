// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/run_settings.hpp>

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL run_settings settings_of(const profile& model) {
  const auto others = nlohmann::json::parse(model.unknown_fields, nullptr, false);
  const bool known = others.is_object() && others.contains("computed") && others["computed"].is_object();
  const nlohmann::json computed = known ? others["computed"] : nlohmann::json::object();
  const auto count = [&](const char* name, std::size_t otherwise) {
    constexpr std::size_t most = 1U << 20U;  // products of three of these are no more than a size holds
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
  return made;
}

STAGECUT_DECL run_settings settings_of(const plan& p) {
  run_settings made = settings_of(p.profile);
  made.microbatches = p.schedule.microbatches;
  if (!p.stages.empty()) {
    const planned_stage& first = p.stages[0];
    made.tensor *= first.shards;
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

STAGECUT_DECL std::string settings_obstacle(const target_entry& entry, const run_settings& run) {
  if (run.zero > entry.most_zero) {
    return joined({"ZeRO stage ", run.zero, ", and its pipelines run with at most stage ", entry.most_zero});
  }
  if (entry.experts_need_sequence_parallel && run.experts && run.tensor > 1 && !run.sequence_parallel) {
    return joined({"experts with tensor parallelism, ", run.tensor,
                   ", and without sequence parallelism, which it does not train"});
  }
  return "";
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
