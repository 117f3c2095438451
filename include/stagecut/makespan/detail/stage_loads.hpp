// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/load_values.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The loads from one to another; `high < 0`: none.
struct load_range {
  double low = engine::no_ticks;
  double high = -1;

  void add(double load) {
    low = std::min(low, load);
    high = load > high ? load : high;
  }
};

/// What stages can take together with the others of their rank, within what the rank takes and holds.
class stage_loads {
 public:
  explicit stage_loads(const load_values& loads) : loads_(loads) {}

  /// Narrows the limits of the stages of a rank, and what it takes. Returns whether there can be cuts. Where there are few
  /// choices of loads for all stages, each is gone through, else each of a stage with each of the others together, whatever
  /// their limits.
  [[nodiscard]] bool narrow(std::size_t rank, load_range& takes, std::vector<load_limit>& limits) {
    const std::vector<std::size_t>& stages = loads_.stages_of(rank);
    if (stages.size() < 2) return true;
    double ways = 1;
    choices_.assign(stages.size(), {});
    found_.assign(stages.size(), {});
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (loads_.of_stage(stages[i]).empty()) return true;  // nothing is known of what the rank holds
      for (const load_values::entry& each : loads_.of_stage(stages[i])) {
        if (within(limits, group_of(stages[i]), each.load)) choices_[i].push_back(each);
      }
      ways *= static_cast<double>(choices_[i].size());
    }
    if (ways > most_ways) {
      for (std::size_t i = 0; i < stages.size(); ++i) choose_each(i, loads_.of_others(stages[i]), takes);
    } else {
      sums_ = {};
      taken_.assign(stages.size(), 0);
      choose_all(0, {0, 0}, takes);
    }
    takes = sums_;
    if (takes.high < 0) return false;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const load_values::table& all = loads_.of_stage(stages[i]);
      if (found_[i].low > all.front().load) add_limit(limits, {group_of(stages[i]), false, found_[i].low});
      if (found_[i].high < all.back().load) add_limit(limits, {group_of(stages[i]), true, found_[i].high});
    }
    return true;
  }

 private:
  static constexpr double most_ways = 20'000;

  [[nodiscard]] std::size_t group_of(std::size_t stage) const { return loads_.ranks() + stage; }

  [[nodiscard]] static bool within(const std::vector<load_limit>& limits, std::size_t group, double load) {
    for (const load_limit& each : limits) {
      if (each.group == group && (each.at_most ? load > each.load : load < each.load)) return false;
    }
    return true;
  }

  /// Chooses for the stages from the i-th on; the ones before take and hold `so_far`.
  void choose_all(std::size_t i, const load_values::entry& so_far, const load_range& takes) {
    if (so_far.load > takes.high || so_far.held > loads_.limit()) return;
    if (i == choices_.size()) {
      if (so_far.load < takes.low) return;
      for (std::size_t j = 0; j < i; ++j) found_[j].add(taken_[j]);
      return sums_.add(so_far.load);
    }
    for (const load_values::entry& each : choices_[i]) {
      taken_[i] = each.load;
      choose_all(i + 1, {so_far.load + each.load, so_far.held + each.held}, takes);
    }
  }

  void choose_each(std::size_t i, const load_values::table& others, const load_range& takes) {
    sums_ = {};
    for (const load_values::entry& each : choices_[i]) {
      const double low = takes.low - each.load;
      for (std::size_t j = detail::gallop(0, others.size(), 0, [&](std::size_t k) { return others[k].load >= low; });
           j < others.size() && others[j].load <= takes.high - each.load; ++j) {
        if (each.held + others[j].held > loads_.limit()) continue;
        found_[i].add(each.load);
        sums_.add(each.load + others[j].load);
      }
    }
  }

  const load_values& loads_;
  // Of the stages of a rank:
  std::vector<load_values::table> choices_{};
  std::vector<double> taken_{};
  std::vector<load_range> found_{};
  load_range sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
