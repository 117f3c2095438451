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

/// A plan of one's own, for `simulate_recomputation`.
struct recompute_strategy {
  stagecut::cuts cuts{};               ///< the layers of every stage
  std::vector<std::size_t> choices{};  ///< of every layer, by number among those of its type

  /// Equal in both parts.
  friend bool operator==(const recompute_strategy&, const recompute_strategy&) = default;
};

/// The choice that all layers take.
enum class even_choice : std::uint8_t {
  fastest,  ///< the shortest backward pass: nothing is recomputed; of equals the one that keeps least
  leanest   ///< the one that keeps least; of equals the one with the shortest backward pass
};

/// Deals layers out evenly, all of them run in one way: what one does without a planner, to compare with.
///
/// @param model   the layers
/// @param stages  of all ranks together, at least 1
/// @param choice  how every layer is run
/// @return        floor(n / k) of n layers on each of k stages, one more on the first n mod k of them; of fewer layers than
///                stages the last ones are empty. Of choices that are equal in both figures the first one
/// @throws        argument_error for no stage; invalid_input for a model that makes no sense
///
/// Memory is not looked at. O(n).
///
/// Source: the option `-naive` of SAPP's pipeline balance, which wants a number of layers that k divides for `fastest`.
[[nodiscard]] STAGECUT_DECL recompute_strategy even_recomputation(const recompute_model& model, std::size_t stages,
                                                                  even_choice choice);

/// The same with the choice of that name.
///
/// @throws  argument_error likewise, and for a type of layers that has no choice of that name, with those that it has
[[nodiscard]] STAGECUT_DECL recompute_strategy even_recomputation(const recompute_model& model, std::size_t stages,
                                                                  std::string_view name);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/even_recomputation.ipp>
#endif
