// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/leximax_suffixes.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The ends that `leximax_program` chose, for every stage and every first item of it, and the lists of costs of the later
/// stages, computed on request: docs/chains.md, "Leximax".
template <stage_cost Model>
class leximax_ends {
 public:
  using cost_type = cost_t<Model>;

  /// An end of a stage, as its column in `behind`, and the cost of the stage.
  struct choice {
    std::size_t column;
    cost_type cost;
  };

  leximax_ends(const Model& cost, std::size_t stages)
      : cost_(cost), stages_(stages), highest_(stages + 1, cost.size()), ends_(stages) {
    highest_[0] = 0;
    behind_.push(cost.size());
    behind_.finish();
  }
  leximax_ends(const leximax_ends&) = delete;  // users keep a reference to `behind`
  leximax_ends& operator=(const leximax_ends&) = delete;
  ~leximax_ends() = default;

  [[nodiscard]] cost_type cost(std::size_t s, std::size_t first, std::size_t last) const {
    return detail::price(cost_, s, first, last);
  }

  /// The rightmost first item of stage s.
  [[nodiscard]] std::size_t highest(std::size_t s) const { return highest_[s]; }
  /// Sets it.
  void limit(std::size_t s, std::size_t highest) { highest_[s] = highest; }

  /// The possible starts of the stage after the current one.
  [[nodiscard]] const leximax_suffixes<cost_type>& behind() const { return behind_; }

  /// Adds the choice for the next first item of stage s, from the rightmost on.
  void push(std::size_t s, const std::optional<choice>& chosen) {
    ends_[s].push_back(chosen ? behind_.item(chosen->column) : 0);
  }
  /// Completes stage s, which is then the stage behind the next.
  void finish(std::size_t s, leximax_suffixes<cost_type> here) {
    here.finish();
    older_ = std::move(behind_);
    behind_ = std::move(here);
    stage_behind_ = s;
  }

  /// The cut of all choices, once all stages are complete.
  [[nodiscard]] chain_partition<std::vector<cost_type>> best() const {
    std::vector<std::size_t> points{0};
    for (std::size_t s = 0; s < stages_; ++s) points.push_back(end_of(s, points.back()));
    std::vector<cost_type> costs;
    for (const auto& [each, times] : costs_behind(0, 0)) costs.insert(costs.end(), times, each);
    return {{costs, costs}, cuts(std::move(points))};
  }

  /// Compares two stages together with their later stages: 1 if the first has the greater list of costs, -1 if the
  /// second; and the greatest cost that one of them has more often.
  [[nodiscard]] std::pair<int, const cost_type*> compare(const choice& left, const choice& right) {
    const cost_list<cost_type>& a = costs_of(left.column);
    const cost_list<cost_type>& b = costs_of(right.column);
    return detail::compare_costs(cost_cursor(left.cost, a), cost_cursor(right.cost, b));
  }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t s, std::size_t first) const { return ends_[s][highest_[s] - first]; }

  /// The costs of the stages from that column on.
  const cost_list<cost_type>& costs_of(std::size_t column) {
    auto& costs = behind_.costs(column);
    if (costs.empty() && stage_behind_ < stages_) {
      const std::size_t first = behind_.item(column);
      const std::size_t last = end_of(stage_behind_, first);
      if (const auto* const rest = older_.known_costs(last)) {
        costs.reserve(rest->size() + 1);
        costs = *rest;
        add(costs, cost(stage_behind_, first, last));
      } else {
        costs = costs_behind(stage_behind_, first);
      }
    }
    return costs;
  }
  [[nodiscard]] cost_list<cost_type> costs_behind(std::size_t s, std::size_t first) const {
    cost_list<cost_type> costs;
    for (; s < stages_; ++s) {
      const std::size_t last = end_of(s, first);
      add(costs, cost(s, first, last));
      first = last;
    }
    return costs;
  }
  static void add(cost_list<cost_type>& costs, cost_type more) {
    const std::size_t at = detail::place_of(costs, more);
    if (at == costs.size() || costs[at].cost < more) {
      costs.insert(costs.begin() + static_cast<std::ptrdiff_t>(at), {std::move(more), 1});
    } else {
      ++costs[at].times;
    }
  }

  const Model& cost_;
  std::size_t stages_;
  std::vector<std::size_t> highest_;
  std::vector<std::vector<std::size_t>> ends_;  // [s][d]: of stage s from `highest_[s] - d` on; 0: none
  leximax_suffixes<cost_type> behind_;          // starts of the next stage
  leximax_suffixes<cost_type> older_;           // starts of the stage after the next
  std::size_t stage_behind_ = stages_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
