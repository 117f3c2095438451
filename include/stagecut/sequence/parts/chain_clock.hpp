// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Throws `argument_error` in the name of `function` for a time limit that is NaN: it would never be reached.
STAGECUT_DECL void check_limits(std::string_view function, const search_options& options);

/// Checks the limits of a search, and reports its progress.
class chain_clock {
 public:
  explicit chain_clock(const search_options& options)
      : options_(options), end_(options.time_limit, options.stop, options.ended) {}

  /// Whether a limit is reached, at that share of the work. Cheap enough for every row of a table.
  [[nodiscard]] bool over(double share);

  /// The same, for steps that take long.
  [[nodiscard]] bool look(double share);

  /// Counts work that takes as long as `rows` rows.
  void work(std::size_t rows) noexcept { rows_ += rows; }

  /// Whether a limit was reached.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

 private:
  /// Whether the limit of rows is reached, which ends the search.
  [[nodiscard]] bool spent_all();

  search_options options_;  // a copy: the request may be destroyed before the search
  deadline end_;
  std::size_t asked_ = 0;
  std::size_t rows_ = 0;
  bool over_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/chain_clock.ipp>
#endif
