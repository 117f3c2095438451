// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/chosen_figures.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A stage in a check: `stage 2`.
[[nodiscard]] inline std::string stage_text(std::size_t s) { return joined({"stage ", s}); }

/// The seconds of a stage for a microbatch, computed from its layers.
struct stage_seconds {
  double forward = 0;
  double backward = 0;         ///< with recomputation
  double backward_kept = 0;    ///< without
  double backward_input = 0;   ///< the input gradient, run separately, without
  double backward_weight = 0;  ///< the weight gradient, in either
  bool splits = true;          ///< whether all layers have it
  double both = 0;             ///< passes, the mean over the microbatches
  double update = 0;           ///< at the end of an iteration
  const char* unknown = "";    ///< why these are not known
};

/// A plan, and what its checks compute from the profile for each other.
struct verified_plan {
  const profile& model;  ///< the reference figures
  const plan& made;
  std::vector<profile_edge> flow{};                ///< producer and consumer of each output
  std::vector<profile_edge> needs{};               ///< the edges that stages have to respect
  std::vector<chosen_figures> figures{};           ///< of each layer
  std::vector<std::size_t> stage_of{};             ///< of each layer; empty: not known
  std::vector<std::vector<std::size_t>> layers{};  ///< of each stage
  std::vector<stage_seconds> seconds{};            ///< of each stage
  std::vector<double> costs{};                     ///< of each stage; empty: they cannot be computed
  std::vector<planned_edge> edges{};               ///< between stages
  bool edges_hold = false;                         ///< whether the plan has the same

  [[nodiscard]] std::size_t stages() const noexcept { return made.stages.size(); }

  /// The speed of a stage's device.
  [[nodiscard]] double speed(std::size_t s) const noexcept {
    const std::size_t device = made.stages[s].device;
    return device < made.speeds.size() && made.speeds[device] > 0 ? made.speeds[device] : 1;
  }

  /// The name of a layer.
  [[nodiscard]] std::string name_of(std::size_t i) const { return detail::layer_text(model, i); }
};

/// The edges of a chain of n layers: each feeds the next.
[[nodiscard]] inline std::vector<profile_edge> chain_edges(std::size_t n) {
  std::vector<profile_edge> result;
  for (std::size_t i = 1; i < n; ++i) result.push_back({i - 1, i});
  return result;
}

/// Why no more is checked.
inline constexpr const char* no_stages = "it is not known which stages the layers stand on";

}  // namespace stagecut::inline STAGECUT_ABI::detail
