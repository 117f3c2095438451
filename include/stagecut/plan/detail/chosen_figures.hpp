// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parts/recomputed_figures.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The figures of a layer as a plan runs it: as profiled, or as in the chosen variant.
struct chosen_figures {
  double forward = 0;
  double backward = 0;
  std::optional<double> backward_input{};
  std::optional<double> backward_weight{};
  double parameters = 0;
  std::optional<double> resident{};
  double activations = 0;
  double workspace = 0;
  double recomputed = 0;
  double output = 0;
  double update = 0;
  std::size_t ways = 1;      ///< tensor-parallel degree
  const char* unknown = "";  ///< why the figures are not known
  const char* wrong = "";    ///< why there is no such variant
};

template <class Each>
[[nodiscard]] chosen_figures copied_figures(const Each& each) {
  chosen_figures result;
  result.forward = each.forward;
  result.backward = each.backward;
  result.backward_input = each.backward_input;
  result.backward_weight = each.backward_weight;
  result.parameters = each.parameters;
  result.resident = each.resident;
  result.activations = each.activations;
  result.workspace = each.workspace;
  result.recomputed = each.recomputed;
  result.update = each.update;
  result.output = each.output;
  return result;
}

/// The figures of layer `i` of the model with the plan's choices.
[[nodiscard]] inline chosen_figures chosen_figures_of(const profile& model, const plan& made, std::size_t i) {
  const layer& each = model.layers[i];
  const layer_choice choice = i < made.choices.size() ? made.choices[i] : layer_choice{};
  chosen_figures result = detail::copied_figures(each);
  if (choice.recomputation.empty() && choice.sharding.empty()) return result;
  const bool sharded = !choice.sharding.empty();
  bool found = false;
  for (const layer_variant& variant : sharded ? each.shardings.get() : each.recomputations.get()) {
    if (found || variant.name != (sharded ? choice.sharding : choice.recomputation)) continue;
    result = detail::copied_figures(sharded ? variant : with_layer_figures(each, variant));
    result.ways = variant.tensor_parallel;
    if (!sharded && changed_figure_of(each, variant).name[0] != '\0') {
      result.wrong = "its recomputation has another forward pass, output, parameters, resident bytes or update than it";
    }
    found = true;
  }
  if (!found) result.wrong = "it has no variant of the name that was chosen";
  if (sharded && !choice.recomputation.empty()) result.unknown = "two variants were chosen at a time";
  return result;
}

/// Divides the figures among replicas that share the samples of a microbatch.
inline void share_out(chosen_figures& figures, std::size_t replicas) noexcept {
  const auto share = static_cast<double>(replicas);
  figures.forward /= share;
  figures.backward /= share;
  if (figures.backward_input) *figures.backward_input /= share;
  if (figures.backward_weight) *figures.backward_weight /= share;
  figures.activations /= share;
  figures.workspace /= share;
  figures.recomputed /= share;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
