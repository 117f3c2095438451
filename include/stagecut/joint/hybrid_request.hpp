// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How many microbatches a stage keeps at its peak.
enum class in_flight_rule : std::uint8_t {
  stages,   ///< one for each stage from it to the last one, at most all microbatches: 1F1B
  replicas  ///< per replica: all replicas from it to the last stage divided by its own, rounded up; replicas take turns
};

/// A stage of a model and how it runs.
struct hybrid_stage {
  std::size_t first = 0;         ///< the point where it begins
  std::size_t last = 0;          ///< the point where it ends
  std::size_t first_device = 0;  ///< its devices are this one and the following, `option.devices()` in all
  stage_option option{};         ///< how it runs

  /// Equal in every part.
  friend bool operator==(const hybrid_stage&, const hybrid_stage&) = default;
};

/// A model cut into stages, with its proof.
struct hybrid_cut : solution<double> {
  std::vector<hybrid_stage> stages{};  ///< from the input to the output
};

/// The problem of cutting a model into stages on several devices each.
struct hybrid_request {
  std::size_t devices = 1;                ///< of the machine
  bool at_most = false;                   ///< whether a plan may use fewer devices; the first ones then stay idle
  std::size_t microbatches = 1;           ///< per iteration
  stagecut::memory_limit memory_limit{};  ///< bytes that no device may exceed; unset: no limit
  stagecut::in_flight_rule in_flight_rule = stagecut::in_flight_rule::stages;  ///< the rule by which memory is counted
  std::optional<std::size_t> stages{};  ///< exact number of stages; unset: the best number
  /// A known plan that `minimize_hybrid` takes as its first incumbent: only plans with a lower `value` count, and it is
  /// returned if there are none. Its options need not be the model's; it is not checked, and must outlive the search.
  /// Null: no such plan.
  const hybrid_cut* start = nullptr;
  search_options search{.time_limit = 10};  ///< of the search
};

}  // namespace stagecut::inline STAGECUT_ABI
