// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/ideals.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/detail/stage_moves.hpp>
#include <stagecut/graph/parts/linear_orders.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Searches for good partitions: cuts linear orders exactly, and derives new orders from the best partitions found,
/// after moves of single elements that may be temporarily worse: any order that goes through the stages one after the
/// other has a cut at least as good as the partition.
template <set_cost Set>
class load_search {
 public:
  using value_type = set_value_t<Set>;
  using found_type = element_stages<value_type>;

  /// @param below   which elements may not be on later stages than others; must outlive this object
  /// @param empty   the empty set
  /// @param counts  of devices
  /// @param seed    of random numbers
  load_search(const precedence& below, const Set& empty, const stage_counts& counts, std::uint64_t seed)
      : below_(below), empty_(empty), counts_(counts), random_(seed), by_position_(set_by_position(empty)) {}

  /// Cuts orders made in several ways.
  void begin(const function_ref<bool()>& stop) {
    stop_ = stop;
    try_order(depth_first(below_));
    const auto late = [&] { return !pool_.empty() && stop && stop(); };
    if (late()) return;
    try_order(breadth_first(below_));
    try_order({below_.order().begin(), below_.order().end()});
    if (late()) return;
    const precedence back = reversed(below_);
    try_reversed(depth_first(back));
    try_reversed(breadth_first(back));
    if (below_.size() <= 5000 && !late()) {
      try_order(least_cut(below_, empty_));
      try_reversed(least_cut(back, empty_));
    }
    for (std::size_t i = 0; i < 9 && !late(); ++i) try_order(random_order(below_, random_));
  }

  /// Improves one of the best partitions, or perturbs one.
  void improve() {
    if (pool_.empty()) return try_order(random_order(below_, random_));
    ++rounds_;
    found_type from = pool_[random_.below(pool_.size())];
    if (from.kinds.size() > 1) {
      stage_moves<Set> moves(below_, empty_, from, counts_, random_);
      if (rounds_ % 2 == 1) {
        for (std::size_t i = 0; i < 100; ++i) moves.step();
      } else {
        constexpr double hot[] = {0.02, 0.1, 0.5};
        moves.anneal(std::min<std::size_t>(1000 * rounds_, 100000), hot[rounds_ / 2 % 3]);
      }
      moves.write(from.stage_of);
    }
    try_order(random_order(below_, random_, from.stage_of));
  }

  /// Cuts an order.
  void try_order(const element_order& order) {
    const value_type most = std::numeric_limits<value_type>::max();
    value_type below = most;
    if (!pool_.empty()) {
      // Slightly worse than the best is kept: it may lead elsewhere.
      const value_type best = pool_[0].value;
      below = best / 32 < most - best ? best + best / 32 + (best / 32 == 0 ? 1 : 0) : most;
    }
    const engine::ideal_family family = engine::ideal_family::prefixes_of(order);
    // It ends early only if there is a partition already.
    const function_ref<bool()> never;
    if (auto found = best_within(family, below, pool_.empty() ? never : stop_)) keep(*std::move(found));
  }

  /// The best partition whose stages lie between sets of a family and that costs less than `below`.
  [[nodiscard]] std::optional<found_type> best_within(const engine::ideal_family& family, value_type below,
                                                      const function_ref<bool()>& stop) {
    std::optional<found_type> best;
    for (const std::size_t stages : numbers_of_stages()) {
      stage_counts counts = counts_;
      counts.stages = stages;
      load_program<Set> program(family, empty_, counts, below);
      if (auto found = program.run(stop)) {
        below = found->value;
        best = std::move(found);
      }
      if (program.stopped()) {
        stopped_ = true;
        break;
      }
    }
    return best;
  }

  /// The best found; null if there is none.
  [[nodiscard]] const found_type* best() const noexcept { return pool_.empty() ? nullptr : &pool_[0]; }
  /// The best ones, the best first.
  [[nodiscard]] const std::vector<found_type>& pool() const noexcept { return pool_; }
  /// Whether `best_within` was stopped.
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  /// Keeps a partition if it is one of the best.
  void keep(found_type found) {
    const auto at = std::lower_bound(pool_.begin(), pool_.end(), found,
                                     [](const found_type& a, const found_type& b) { return a.value < b.value; });
    for (auto other = at; other != pool_.end() && other->value == found.value; ++other) {
      if (other->stage_of == found.stage_of) return;
    }
    pool_.insert(at, std::move(found));
    if (pool_.size() > 12) pool_.pop_back();
  }

 private:
  /// 0 (any), unless costs depend on it.
  [[nodiscard]] std::vector<std::size_t> numbers_of_stages() const {
    if (!by_position_) return {0};
    std::vector<std::size_t> result;
    const std::size_t least = counts_.at_most ? 1 : counts_.devices;
    for (std::size_t stages = counts_.devices + counts_.cpus; stages >= least && stages > 0; --stages) {
      result.push_back(stages);
    }
    return result;
  }
  void try_reversed(element_order order) {
    std::reverse(order.begin(), order.end());
    try_order(order);
  }

  function_ref<bool()> stop_{};
  const precedence& below_;
  Set empty_;
  stage_counts counts_;
  engine::seeded random_;
  bool by_position_;
  std::vector<found_type> pool_{};  // the best first
  std::size_t rounds_ = 0;
  bool stopped_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
