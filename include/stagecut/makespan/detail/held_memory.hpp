// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What stages hold at least when their rank holds most microbatches, as sums over items: never above what the model says
/// of a stage that is allowed. See docs/makespan.md, Bounds, Domains.
class held_memory {
 public:
  /// Knows nothing if the rules are no sums of memory, there are too many stages to choose from, or there is no time.
  ///
  /// @param limit  what the limit of memory counts as
  held_memory(const schedule& order, const engine::cut_rules& rules, std::size_t items, double limit,
              engine::search_clock& clock)
      : limit_(limit),
        known_(order.ranks()),
        own_(order.stages()),
        sums_(order.stages(), std::vector<double>(items + 1)) {
    memory_rows rows(order, rules, items);
    if (!(rules.memory_limit() > 0x1p-900) || !rows.build(clock) || !rows.add_first()) return;
    for (const memory_rows::table& each : rows.tables()) fit(rules, each, items, limit / rules.memory_limit());
    for (const memory_rows::row& row : rows.rows()) {
      bool finite = true;
      for (const std::size_t t : row.tables) finite = fit_own(rows, t, items, limit / rules.memory_limit()) && finite;
      known_[row.rank] = finite ? 1 : 0;
      any_ = any_ || finite;
    }
  }

  /// Whether anything is known; of a rank.
  /// @{
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool any(std::size_t rank) const { return known_[rank] != 0; }
  /// @}
  [[nodiscard]] std::size_t ranks() const noexcept { return known_.size(); }
  /// What a rank may hold, with what sums may have been rounded up.
  [[nodiscard]] double limit() const noexcept { return limit_ * (1 + 1e-9); }
  /// What `[first, last)` holds as stage s: at least `sums(s)[last] - sums(s)[first] + own(s)`.
  /// @{
  [[nodiscard]] const std::vector<double>& sums(std::size_t s) const { return sums_[s]; }
  [[nodiscard]] double own(std::size_t s) const { return own_[s]; }
  /// @}

 private:
  /// What an item adds to the one behind it, or to the one before, is what it holds.
  void fit(const engine::cut_rules& rules, const memory_rows::table& of, std::size_t items, double scale) {
    for (std::size_t i = 0; i < items && items > 1; ++i) {
      const std::size_t first = i + 1 < items ? i : i - 1;
      const std::size_t other = i + 1 < items ? i + 1 : i - 1;
      const double both = rules.stage_memory(of.stage, first, first + 2, of.held);
      const double here = both - rules.stage_memory(of.stage, other, other + 1, of.held);
      sums_[of.stage][i + 1] = sums_[of.stage][i] + (here > 0 ? here * scale : 0);
    }
  }

  /// What is too much for some stage is taken from what it holds beside its items. False: these are no such numbers.
  [[nodiscard]] bool fit_own(const memory_rows& rows, std::size_t of, std::size_t items, double scale) {
    const std::size_t s = rows.tables()[of].stage;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first <= items; ++first) {
      rows.each_choice(s, first, [&](std::size_t last, std::size_t number) {
        const double here = rows.bytes(of, number) * scale - (sums_[s][last] - sums_[s][first]);
        least = std::min(least, here);
      });
    }
    own_[s] = least;
    return is_finite(least) && is_finite(sums_[s][items]);
  }

  double limit_;
  std::vector<char> known_;  // of ranks
  std::vector<double> own_;
  std::vector<std::vector<double>> sums_;
  bool any_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
