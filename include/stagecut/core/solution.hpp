// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What a search did. A solver leaves what it does not count at 0.
struct search_statistics {
  std::size_t nodes = 0;        ///< what `search_options::node_limit` counts
  std::size_t evaluations = 0;  ///< whole solutions that were evaluated: simulations, prices of order ideals
  std::size_t searches = 0;     ///< inner searches that were run: dynamic programs, cuts for a schedule
  double seconds = 0;           ///< that the search took
  search_end ended = search_end::complete;  ///< what ended it; `complete` for a solution that is proved optimal
};

/// What every solver returns about its solution; the type of each solver adds the solution itself: `cuts` of a chain,
/// `assignment` of anything else.
template <class Value>
struct solution {
  Value value = Value();  ///< of the objective, in the unit of the model
  Value bound = Value();  ///< no solution has a smaller value; equal to `value` if the solution is proved optimal
  search_statistics statistics{};  ///< of the search

  /// How far the value may be above the optimum, as a fraction of the bound; 1 for a bound of 0 and a value above it.
  [[nodiscard]] constexpr double gap() const requires(arithmetic<Value>) {
    const auto most = static_cast<double>(value);
    const auto least = static_cast<double>(bound);
    return least > 0 ? (most - least) / least : most > least ? 1 : 0;
  }

  /// Optimal if the value is not above the bound, else feasible: the state of the outcome that holds the solution.
  [[nodiscard]] constexpr stagecut::state state() const {
    return bound < value ? stagecut::state::feasible : stagecut::state::optimal;
  }
};

/// The same for values without a default.
template <class Value>
requires(!std::default_initializable<Value>) struct solution<Value> {
  Value value;                     ///< as above
  Value bound;                     ///< as above
  search_statistics statistics{};  ///< of the search

  /// As above.
  [[nodiscard]] constexpr stagecut::state state() const {
    return bound < value ? stagecut::state::feasible : stagecut::state::optimal;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
