// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A user's own plan, for `simulate_recomputation`.
struct recompute_strategy {
  stagecut::cuts cuts{};               ///< the layers of every stage
  std::vector<std::size_t> choices{};  ///< for every layer, an index into the choices of its type

  /// Equal in both parts.
  friend bool operator==(const recompute_strategy&, const recompute_strategy&) = default;
};

/// The choice that all layers take.
enum class even_choice : std::uint8_t {
  fastest,  ///< the shortest backward pass: nothing is recomputed; ties: the one that keeps least
  leanest   ///< the one that keeps least; ties: the shortest backward pass
};

/// Assigns layers evenly to stages, with the same choice for all: the baseline without a planner.
///
/// @param model   the layers
/// @param stages  of all ranks together, at least 1
/// @param choice  how every layer runs
/// @return        floor(n / k) of n layers on each of k stages, one more on the first n mod k of them; with fewer
///                layers than stages the last stages are empty. Ties in both figures: the first choice
/// @throws        argument_error for no stage; invalid_input for an invalid model
///
/// Memory is not checked. O(n).
///
/// Source: the option `-naive` of SAPP's pipeline balance, which for `fastest` requires that k divides the number of
/// layers.
[[nodiscard]] STAGECUT_DECL recompute_strategy even_recomputation(const recompute_model& model, std::size_t stages,
                                                                  even_choice choice);

/// The same with the choice of that name.
///
/// @throws  as above; argument_error also for a type of layers without a choice of that name, listing those it has
[[nodiscard]] STAGECUT_DECL recompute_strategy even_recomputation(const recompute_model& model, std::size_t stages,
                                                                  std::string_view name);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/even_recomputation.ipp>
#endif
