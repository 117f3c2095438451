// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/detail/best_hybrid.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/detail/told_stages.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/profile_options.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The recomputations of layers that a framework can express.
class target_variants {
 public:
  target_variants(const target_entry& entry, const profile& model)
      : entry_(entry), model_(model), kinds_(entry, model) {}

  /// Whether the recomputation of a layer can be chosen.
  [[nodiscard]] bool chooses(std::size_t i) const {
    return entry_.recomputed == recomputation_rule::decoders &&
           (kinds_.is_decoder(i) || model_.layers[i].kind == "mtp");
  }

  /// Whether a layer may run with it; empty: with none.
  [[nodiscard]] bool operator()(std::size_t i, std::string_view name) const {
    if (entry_.recomputed == recomputation_rule::any) return true;
    if (name.empty()) name = "none";
    if (!chooses(i)) return name == own(i);
    for (const char* const each : decoder_names) {
      if (name == each) return true;
    }
    return false;
  }

  /// Returns the chain without the other variants.
  /// @throws not_representable for a layer profiled with one that cannot be expressed
  [[nodiscard]] profile kept() const {
    profile result = model_;
    for (std::size_t i = 0; i < result.layers.size(); ++i) {
      layer& each = result.layers[i];
      if (entry_.recomputed == recomputation_rule::decoders && !chooses(i) && own(i) != "none") {
        fail(not_representable(entry_.name,
                               joined({kind_text(each), " was profiled with recomputation ", in_quotes(own(i)),
                                       ", and it recomputes decoders alone"}),
                               "model"));
      }
      std::vector<layer_variant> again;
      for (const layer_variant& variant : each.recomputations.get()) {
        if ((*this)(i, variant.name)) again.push_back(variant);
      }
      if (again.empty() && !(*this)(i, own(i))) {
        fail(not_representable(entry_.name,
                               joined({kind_text(each), " was profiled with recomputation ", in_quotes(own(i)),
                                       ", which it cannot be told"}),
                               "model"));
      }
      std::vector<layer_variant> shared;
      for (const layer_variant& variant : each.shardings.get()) {
        if ((*this)(i, variant.recomputation)) shared.push_back(variant);
      }
      each.recomputations = std::move(again);
      each.shardings = std::move(shared);
    }
    return result;
  }

  /// The requested recomputations that can be expressed; empty requests all.
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& asked) const {
    if (entry_.recomputed != recomputation_rule::decoders) return asked;
    std::vector<std::string> result;
    for (const char* const each : decoder_names) {
      bool any = asked.empty();
      for (const std::string& name : asked) any = any || name == each;
      if (any) result.emplace_back(each);
    }
    return result;
  }

  /// The degrees at which every layer with shardings of that degree has an expressible one.
  [[nodiscard]] std::vector<std::size_t> ways(const std::vector<std::size_t>& asked) const {
    std::vector<std::size_t> result;
    for (const std::size_t t : asked) {
      bool all = true;
      for (std::size_t i = 0; i < model_.layers.size() && t != 1; ++i) {
        bool any = false;
        bool told = false;
        for (const layer_variant& variant : model_.layers[i].shardings.get()) {
          if (variant.tensor_parallel != t) continue;
          any = true;
          told = told || (*this)(i, variant.recomputation);
        }
        all = all && (!any || told);
      }
      if (all) result.push_back(t);
    }
    return result;
  }

 private:
  static constexpr const char* decoder_names[] = {"none", "selective", "full"};

  [[nodiscard]] std::string own(std::size_t i) const { return own_recomputation(model_.layers[i]); }

  const target_entry& entry_;
  const profile& model_;
  target_kinds kinds_;
};

/// Rejects requested recomputations if the framework can express none of them.
/// @param told  from `target_variants::kept`
inline void check_recomputations(const target_entry& entry, const profile& told,
                                 const std::vector<std::string>& names) {
  bool any = names.empty();
  std::string list;
  for (const std::string& own : common_recomputations(told, {})) {
    for (const std::string& name : names) any = any || name == own;
    list.append(list.empty() ? "" : ", ").append(own);
  }
  if (any) return;
  fail(not_representable(entry.name,
                         joined({"no layer may be run with ", in_quotes(names.front()),
                                 ", and of what layers recompute it can be told ", list}),
                         "model"));
}

/// The request restricted to what a framework can express about devices.
[[nodiscard]] inline hybrid_plan_request told_request(const target_entry& entry, hybrid_plan_request request) {
  if (entry.devices == stage_devices::one) {
    std::string others;
    for (const target_entry& each : targets) {
      if (each.devices != stage_devices::one) others.append(others.empty() ? "" : ", ").append(each.name);
    }
    fail(not_representable(entry.name, joined({"it gives a stage one device; several have ", others}), "model"));
  }
  request.uniform = entry.devices == stage_devices::alike;
  request.choices.in_one_node = entry.devices == stage_devices::one_node;
  if (entry.devices != stage_devices::replicas) return request;
  bool alone = false;
  for (const std::size_t degree : request.choices.tensor_parallel) alone = alone || degree == 1;
  if (!alone) fail(not_representable(entry.name, "it gives a replica one device", "model"));
  request.choices.tensor_parallel = {1};
  return request;
}

/// Rejects a model for which a framework can express no plan. If layers share parameters, and the framework cannot,
/// there is one stage.
/// @throws not_representable
inline void check_told_model(const target_entry& entry, const profile& model, hybrid_plan_request& request) {
  plan_request of;
  of.target = entry.kind;
  const bool alone = entry.shared == tie_rule::one_device && !shared_obstacle(entry, model, 2).empty();
  of.devices = alone && request.pipeline.stages.value_or(1) == 1 ? 1 : 2;
  check_target_model(model, of);
  if (alone) request.pipeline.stages = 1;
}

/// The best plan of a chain that the framework of a request can express.
/// @param known  one of these; null: none
[[nodiscard]] inline outcome<plan> target_hybrid(const profile& model, const hybrid_plan_request& asked,
                                                 const plan* known) {
  const auto best = [known](const profile& chain, const hybrid_plan_request& request, told_stages* told) {
    return best_hybrid(
        chain, request, [&](const device_choices& choices) { return profile_options(chain, choices); }, known, told);
  };
  if (asked.target == framework::none) return best(model, asked, nullptr);
  const target_entry& entry = entry_of(asked.target);
  hybrid_plan_request request = told_request(entry, asked);
  check_told_model(entry, model, request);
  const target_variants variants(entry, model);
  const profile told = variants.kept();
  request.choices.tensor_parallel = variants.ways(request.choices.tensor_parallel);
  if (request.choices.tensor_parallel.empty()) {
    fail(not_representable(entry.name, "layers that several devices share recompute what it cannot be told", "model"));
  }
  check_recomputations(entry, told, asked.choices.recomputations);
  request.choices.recomputations = variants.names(asked.choices.recomputations);
  if (request.choices.recomputations.empty() && !asked.choices.recomputations.empty()) {
    fail(not_representable(entry.name, "it can be told none of the recomputations that were asked for", "model"));
  }
  told_stages stages(entry, model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (variants.chooses(i)) stages.run_alike(i);
  }
  const auto allowed = [&](std::size_t first, std::size_t last) {
    return stages(first, last) && (!asked.choices.allowed || asked.choices.allowed(first, last));
  };
  request.choices.allowed = allowed;
  outcome<plan> found = best(told, request, &stages);
  if (found) found->profile = model;
  return found;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
