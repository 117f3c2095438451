// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/run_settings.hpp>

#include <cstddef>

#include <nlohmann/json.hpp>

#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL run_settings settings_of(const plan& p) {
  const auto others = nlohmann::json::parse(p.profile.unknown_fields, nullptr, false);
  const bool known = others.is_object() && others.contains("computed") && others["computed"].is_object();
  const nlohmann::json computed = known ? others["computed"] : nlohmann::json::object();
  const auto count = [&](const char* name, std::size_t otherwise) {
    constexpr std::size_t most = 1U << 20U;  // products of three of these are no more than a size holds
    const auto found = computed.find(name);
    const bool fits = found != computed.end() && found->is_number_unsigned();
    return fits && found->get<std::size_t>() <= most ? found->get<std::size_t>() : otherwise;
  };
  const bool any = !p.stages.empty();
  run_settings made;
  made.tensor = count("tensor_parallel", 1) * (any ? p.stages[0].shards : 1);
  made.context = count("context_parallel", 1);
  made.expert = count("expert_parallel", 1);
  made.data = count("data_parallel", 1) * (any ? p.stages[0].replicas : 1);
  made.zero = count("zero", 0);
  made.sequence = count("sequence", 0);
  made.samples = count("microbatch", 0);
  made.microbatches = p.schedule.microbatches;
  // Replicas that share the microbatches of one stage run fewer each.
  if (any && !p.own_microbatches && p.stages[0].replicas > 1) {
    const bool shared = made.microbatches % p.stages[0].replicas == 0;
    made.microbatches = shared ? made.microbatches / p.stages[0].replicas : 0;
  }
  const auto parameters = computed.find("parameters"), active = computed.find("active_parameters");
  made.experts = parameters != computed.end() && active != computed.end() && *active < *parameters;
  const auto parallel = computed.find("sequence_parallel");
  made.sequence_parallel = made.tensor > 1 && parallel != computed.end() && *parallel == true;
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
