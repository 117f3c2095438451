// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How far a search through the cuts of a chain is.
struct chain_progress {
  double seconds = 0;  ///< since it began
  double share = 0;    ///< of the work that it is done with, below 1, as a guess; 0 if that is not known
};

/// How long to search, and whom to tell. What is not said stays at its default.
struct chain_limits {
  std::optional<double> time_limit{};                    ///< seconds; unset: until the answer is proved
  function_ref<bool()> stop{};                           ///< asked often; true ends the search with the best so far
  function_ref<void(const chain_progress&)> progress{};  ///< told now and then
  std::optional<std::size_t> row_limit{};                ///< of tables, the same on every machine; unset: no limit
};

namespace detail {

/// Throws `argument_error` in the name of `function` for a time limit that is no number: none would ever be reached.
STAGECUT_DECL void check_limits(std::string_view function, const chain_limits& limits);

/// Knows when a search must end, and tells how far it is.
class chain_clock {
 public:
  explicit chain_clock(const chain_limits& limits) : limits_(limits), end_(limits.time_limit, limits.stop) {}

  /// Whether a limit is reached, a share of the work being done. Cheap enough for every row of a table.
  [[nodiscard]] bool over(double share);

  /// The same, for what takes long by itself.
  [[nodiscard]] bool look(double share);

  /// Counts what takes as long as so many rows.
  void work(std::size_t rows) noexcept { rows_ += rows; }

  /// Whether a limit was reached.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

 private:
  chain_limits limits_;  // a copy: a request may be gone before the search that it began
  deadline end_;
  std::size_t asked_ = 0;
  std::size_t rows_ = 0;
  bool over_ = false;
};

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/chain_limits.ipp>
#endif
