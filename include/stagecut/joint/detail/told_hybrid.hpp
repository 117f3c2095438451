// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/best_hybrid.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/detail/told_stages.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/profile_options.hpp>
#include <stagecut/plan/detail/target_kinds.hpp>
#include <stagecut/plan/detail/with_target.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline v0::detail {

/// A chain with those variants of its layers that a framework can be told. Where all shardings of so many ways recompute
/// something that it cannot be told, they stay: then its writer refuses the plan.
[[nodiscard]] inline profile told_variants(const target_entry& entry, const profile& model) {
  if (entry.recomputed == recomputation_rule::any) return model;
  profile result = model;
  const target_kinds kinds(entry, model);
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    layer& each = result.layers[i];
    const std::string_view own = each.recomputation.empty() ? "none" : std::string_view(each.recomputation.get());
    const bool chooses =
        entry.recomputed == recomputation_rule::decoders && (kinds.is_decoder(i) || each.kind == "mtp");
    const auto told = [&](std::string_view name) {
      if (name.empty()) name = "none";
      return chooses ? name == "none" || name == "selective" || name == "full" : name == own;
    };
    std::vector<layer_variant> again;
    for (const layer_variant& variant : each.recomputations.get()) {
      if (told(variant.name)) again.push_back(variant);
    }
    std::vector<layer_variant> shared;
    for (const layer_variant& variant : each.shardings.get()) {
      bool any = false;
      for (const layer_variant& other : each.shardings.get()) {
        any = any || (other.ways == variant.ways && told(other.recomputation));
      }
      if (!any || told(variant.recomputation)) shared.push_back(variant);
    }
    each.recomputations = std::move(again);
    each.shardings = std::move(shared);
  }
  return result;
}

/// Refuses recomputations that were asked for if a framework can be told none of them.
/// @param told  as `told_variants` made it
inline void check_recomputations(const target_entry& entry, const profile& told,
                                 const std::vector<std::string>& names) {
  bool any = names.empty();
  std::string list;
  for (const std::string& own : common_recomputations(told, {})) {
    for (const std::string& each : names) any = any || each == own;
    list.append(list.empty() ? "" : ", ").append(own);
  }
  if (any) return;
  fail(not_representable(entry.name,
                         joined({"no layer may be run with ", in_quotes(names.front()),
                                 ", and of what layers recompute it can be told ", list}),
                         "model"));
}

/// The request in what a framework can be told of devices.
[[nodiscard]] inline hybrid_plan_request told_request(const target_entry& entry, hybrid_plan_request request) {
  if (entry.devices == stage_devices::one) {
    std::string others;
    for (const target_entry& each : targets) {
      if (each.devices != stage_devices::one) others.append(others.empty() ? "" : ", ").append(each.name);
    }
    fail(not_representable(entry.name, joined({"it gives a stage one device; several have ", others}), "model"));
  }
  request.alike = entry.devices == stage_devices::alike;
  request.choices.in_one_node = entry.devices == stage_devices::one_node;
  if (entry.devices != stage_devices::replicas) return request;
  bool alone = false;
  for (const std::size_t each : request.choices.ways) alone = alone || each == 1;
  if (!alone) fail(not_representable(entry.name, "it gives a replica one device", "model"));
  request.choices.ways = {1};
  return request;
}

/// The best plan of a chain, among those that the framework of a request can be told.
[[nodiscard]] inline outcome<plan> told_hybrid(const profile& model, const hybrid_plan_request& asked) {
  const auto best = [](const profile& chain, const hybrid_plan_request& request, told_stages* told) {
    return best_hybrid(
        chain, request, [&](const device_choices& choices) { return profile_options(chain, choices); }, told);
  };
  if (asked.target == framework::none) return best(model, asked, nullptr);
  const target_entry& entry = entry_of(asked.target);
  hybrid_plan_request request = told_request(entry, asked);
  plan_request of;
  of.devices = asked.pipeline.devices;
  of.target = asked.target;
  check_target_model(model, of);
  const profile told = told_variants(entry, model);
  check_recomputations(entry, told, asked.choices.recomputations);
  told_stages stages(entry, model);
  const auto allowed = [&](std::size_t first, std::size_t last) {
    return stages(first, last) && (!asked.choices.allowed || asked.choices.allowed(first, last));
  };
  request.choices.allowed = allowed;
  outcome<plan> found = best(told, request, &stages);
  if (found) found->profile = model;
  return found;
}

}  // namespace stagecut::inline v0::detail
