// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The stages whose backward passes run whole, for a target that finds weight gradients from those of a stage's inputs.
//
// PyTorch's I follows the gradients from the outputs of a stage to its inputs, and W starts from what I visited. So I
// never visits a layer whose own inputs have no gradient: its gradients are lost, unless it is on stage 0, whose
// backward pass runs whole. Parameters that two layers of a stage share are requested twice, which fails.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether the backward pass of a layer runs whole on every stage except stage 0.
[[nodiscard]] inline bool is_run_whole(const layer& each) noexcept;

/// For each layer i, the largest j, at most the number of layers, such that I and W of a stage `[i, j)` after stage 0
/// can be split; i if no stage that begins with it can. Empty if only layers that are on stage 0 anyway prevent
/// splitting. O(n + t) for t ties.
[[nodiscard]] inline std::vector<std::size_t> apart_until(const profile& model);

/// Why I and W of a stage's layers, or of `[first, last)`, cannot be split, in words; empty: they can.
/// @{
[[nodiscard]] inline std::string why_run_whole(const profile& model, function_ref<bool(std::size_t)> holds);
[[nodiscard]] inline std::string why_run_whole(const profile& model, std::size_t first, std::size_t last);
/// @}

/// For each stage, whether an order splits I and W.
[[nodiscard]] inline std::vector<bool> stages_apart(const schedule& order, std::size_t stages);

/// The stage whose I and W an order splits although it has to run whole, in words; empty: none.
/// @{
[[nodiscard]] inline std::string whole_obstacle(const profile& model, const cuts& at, const std::vector<bool>& apart);
[[nodiscard]] inline std::string whole_obstacle(const plan& made, const std::vector<bool>& apart);
[[nodiscard]] inline std::string whole_obstacle(const target_entry& entry, const plan& made);
/// @}

/// The stages whose backward passes the target of a request runs whole although their schedule has I and W.
enum class whole_stages : std::uint8_t {
  none,   ///< no stage
  first,  ///< stage 0, at W: PyTorch has nothing to compute for its I
  all     ///< all stages, at I
};
[[nodiscard]] inline whole_stages whole_stages_of(const plan_request& request);

/// Turns the pass into parts: a whole one at W and nothing at I, or at I and nothing at W.
inline void run_whole(planned_stage& stage, bool for_weight) noexcept;

/// Whether a stage has such parts, and at which the whole pass is; unset: other parts.
[[nodiscard]] inline std::optional<bool> whole_for_weight(const planned_stage& stage) noexcept;

/// A model whose layers run all of their backward pass at I.
[[nodiscard]] inline profile with_whole_backward(profile model);

inline bool is_run_whole(const layer& each) noexcept {
  const bool trains = each.backward > 0 && each.backward_weight.value_or(0) > 0;
  return each.whole_backward || (trains && each.backward_input && !(*each.backward_input > 0));
}

inline std::vector<std::size_t> apart_until(const profile& model) {
  const std::size_t n = model.layers.size();
  std::vector<std::size_t> until(n + 1, n);
  std::vector<std::size_t> seen;  // for each shared name, the last layer that had it
  detail::each_tie(model, [&](std::size_t i, const tied_parameters&, std::size_t name) {
    if (name == seen.size()) return seen.push_back(i);
    if (seen[name] != i) until[seen[name]] = std::min(until[seen[name]], i);
    seen[name] = i;
  });
  bool some = false;
  for (std::size_t i = n; i-- > 0;) {
    until[i] = is_run_whole(model.layers[i]) ? i : std::min(until[i], until[i + 1]);
    some = some || (i > 0 && until[i] < n);
  }
  until.resize(n);
  return some ? until : std::vector<std::size_t>();
}

inline std::string why_run_whole(const profile& model, function_ref<bool(std::size_t)> holds) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    if (!holds(i) || !is_run_whole(each)) continue;
    return joined({layer_text(model, i), each.whole_backward ? " runs its backward pass whole"
                                                             : " trains, and no gradient leaves it by its input"});
  }
  std::string text;
  std::vector<std::size_t> seen;
  detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == seen.size()) seen.push_back(model.layers.size());
    if (!holds(i) || !text.empty()) return;
    const bool again = seen[name] != model.layers.size() && seen[name] != i;
    if (again)
      text = joined({layer_text(model, seen[name]), " and ", layer_text(model, i), " share ", in_quotes(tied.name)});
    seen[name] = i;
  });
  return text;
}

inline std::string why_run_whole(const profile& model, std::size_t first, std::size_t last) {
  const auto holds = [&](std::size_t i) { return first <= i && i < last; };
  return why_run_whole(model, holds);
}

inline std::vector<bool> stages_apart(const schedule& order, std::size_t stages) {
  std::vector<bool> result(stages, false);
  for (const auto& ops : order.orders) {
    for (const auto& op : ops) {
      if (op.kind == op_kind::backward_input && op.stage < stages) result[op.stage] = true;
    }
  }
  return result;
}

inline std::string whole_obstacle(const profile& model, const cuts& at, const std::vector<bool>& apart) {
  const std::vector<std::size_t> until = apart_until(model);
  for (std::size_t s = 1; s < at.stages() && !until.empty(); ++s) {
    const std::size_t first = at[s], last = at[s + 1];
    if (!apart[s] || first == last || last <= until[first]) continue;
    return joined({"I and W of stage ", s, " cannot be run apart: ", why_run_whole(model, first, last)});
  }
  return "";
}

inline std::string whole_obstacle(const plan& made, const std::vector<bool>& apart) {
  if (made.assignment.empty()) return whole_obstacle(made.profile, made.cuts, apart);
  for (std::size_t s = 1; s < apart.size(); ++s) {
    if (!apart[s]) continue;
    const auto holds = [&](std::size_t i) { return made.assignment[i] == s; };
    const std::string why = why_run_whole(made.profile, holds);
    if (!why.empty()) return joined({"I and W of stage ", s, " cannot be run apart: ", why});
  }
  return "";
}

inline std::string whole_obstacle(const target_entry& entry, const plan& made) {
  if (!entry.weights_behind_inputs) return "";
  const std::size_t stages = made.assignment.empty() ? made.cuts.stages() : made.stages.size();
  if (!made.schedule.orders.empty()) {
    schedule order;
    order.orders = made.schedule.orders;
    return whole_obstacle(made, stages_apart(order, stages));
  }
  const schedule_entry* const named = stagecut::find_schedule(made.schedule.name);
  if (named == nullptr || !named->splits_backward) return "";
  return whole_obstacle(made, std::vector<bool>(stages, true));
}

inline whole_stages whole_stages_of(const plan_request& request) {
  if (request.target == framework::none || !entry_of(requested_kind(request)).splits_backward)
    return whole_stages::none;
  const target_entry& entry = entry_of(request.target);
  if (entry.whole_backward) return whole_stages::all;
  return entry.weights_behind_inputs ? whole_stages::first : whole_stages::none;
}

inline void run_whole(planned_stage& stage, bool for_weight) noexcept {
  stage.backward_weight = for_weight ? stage.backward : 0;
  stage.backward_input.reset();
}

inline std::optional<bool> whole_for_weight(const planned_stage& stage) noexcept {
  if (!stage.backward_weight || stage.backward_input) return std::nullopt;
  if (*stage.backward_weight == stage.backward) return true;
  return *stage.backward_weight == 0 ? std::optional(false) : std::nullopt;
}

inline profile with_whole_backward(profile model) {
  for (auto& layer : model.layers) {
    layer.backward_weight = 0;
    layer.backward_input = layer.backward;
  }
  return model;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
