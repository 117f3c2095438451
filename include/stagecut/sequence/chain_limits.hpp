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

/// The progress of a search over the cuts of a chain.
struct chain_progress {
  double seconds = 0;  ///< since the start
  double share = 0;    ///< estimated share of the work done, below 1; 0 if unknown
};

/// Limits and callbacks of a search.
struct chain_limits {
  std::optional<double> time_limit{};                    ///< seconds; unset: until the answer is proved
  function_ref<bool()> stop{};  ///< called often; true ends the search with the best answer so far
  function_ref<void(const chain_progress&)> progress{};  ///< called now and then
  std::optional<std::size_t> row_limit{};  ///< on rows of tables, the same on every machine; unset: no limit
};

namespace detail {

/// Throws `argument_error` in the name of `function` for a time limit that is NaN: it would never be reached.
STAGECUT_DECL void check_limits(std::string_view function, const chain_limits& limits);

/// Checks the limits of a search, and reports its progress.
class chain_clock {
 public:
  explicit chain_clock(const chain_limits& limits) : limits_(limits), end_(limits.time_limit, limits.stop) {}

  /// Whether a limit is reached, at that share of the work. Cheap enough for every row of a table.
  [[nodiscard]] bool over(double share);

  /// The same, for steps that take long.
  [[nodiscard]] bool look(double share);

  /// Counts work that takes as long as `rows` rows.
  void work(std::size_t rows) noexcept { rows_ += rows; }

  /// Whether a limit was reached.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

 private:
  chain_limits limits_;  // a copy: the request may be destroyed before the search
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
