// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/joint/stage_options.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How many microbatches a stage keeps at its peak.
enum class in_flight_rule : std::uint8_t {
  stages,  ///< one for each stage from it to the last one, and no more than there are: 1F1B
  replicas  ///< for each of its replicas a share of the replicas from it to the last stage, rounded up: replicas take turns
};

/// A stage of a model and how it is run.
struct hybrid_stage {
  std::size_t first = 0;         ///< the point where it begins
  std::size_t last = 0;          ///< the point where it ends
  std::size_t first_device = 0;  ///< its devices are this one and those behind, `option.devices()` of them
  stage_option option{};         ///< how it is run

  /// Equal in every part.
  friend bool operator==(const hybrid_stage&, const hybrid_stage&) = default;
};

/// A model cut into stages, with its proof.
struct hybrid_cut {
  std::vector<hybrid_stage> stages{};  ///< from the input to the output
  double cost = 0;                     ///< what was minimised
  double bound = 0;                    ///< no cut costs less; equal to `cost` if proved optimal
  std::size_t searches = 0;            ///< dynamic programs that were run
  std::size_t simulations = 0;         ///< cuts simulated

  /// How far the cost may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (cost - bound) / bound : cost > 0 ? 1 : 0; }
};

/// For what a model is cut into stages on several devices each.
struct hybrid_request {
  std::size_t devices = 1;                            ///< of the machine
  bool at_most = false;                               ///< whether fewer will do; those left out are the first ones
  std::size_t microbatches = 1;                       ///< of one iteration
  std::optional<double> memory_per_device{};          ///< bytes that no device may exceed; unset: no limit
  in_flight_rule in_flight = in_flight_rule::stages;  ///< by which memory is counted
  std::optional<std::size_t> stages{};                ///< as many and no others; unset: whatever is best
  /// A plan that is known, which `minimize_hybrid` begins with: what takes as long as its `cost` is of no use, and it is
  /// what is found if nothing takes less. It may be of other options than the model's; it is not looked at, and lives as
  /// long as the search. Null: there is none.
  const hybrid_cut* start = nullptr;
  search_limits limits{};  ///< of the search
};

}  // namespace stagecut::inline STAGECUT_ABI
