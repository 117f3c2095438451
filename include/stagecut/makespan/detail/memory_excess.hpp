// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// By how much ranks hold more than they may, where rules are sums of memory: so that a search can pass through cuts that
/// are not allowed.
class memory_excess {
 public:
  memory_excess(const schedule& order, const engine::cut_rules& rules)
      : rules_(rules), rank_of_(order.rank_of), stages_of_(engine::stages_of_ranks(order)) {
    applies_ = rules.has_rank_rules() && rules.memory_limit() > 0x1p-900;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      applies_ = applies_ && (stages_of_[r].empty() || rules.moments(r) != nullptr);
    }
  }

  /// Whether the rules are such sums.
  [[nodiscard]] bool applies() const noexcept { return applies_; }

  /// What every rank holds too much in a cut, as a share of the limit.
  void measure(view<const std::size_t> points, std::vector<double>& of_ranks) const {
    of_ranks.assign(stages_of_.size(), 0);
    for (std::size_t r = 0; r < stages_of_.size(); ++r) of_ranks[r] = of_rank(r, points);
  }
  /// The same of the ranks of the stages `[first, last)`, which have changed.
  void change(view<const std::size_t> points, std::size_t first, std::size_t last,
              std::vector<double>& of_ranks) const {
    const std::size_t end = last < first + stages_of_.size() ? last : first + stages_of_.size();
    if (end < last) return measure(points, of_ranks);
    for (std::size_t s = first; s < end; ++s) of_ranks[rank_of_[s]] = of_rank(rank_of_[s], points);
  }

 private:
  [[nodiscard]] double of_rank(std::size_t rank, view<const std::size_t> points) const {
    const auto* const moments = rules_.moments(rank);
    const double limit = rules_.memory_limit();
    double most = limit;
    for (std::size_t i = 0; moments != nullptr && i < moments->size(); ++i) {
      const double sum = engine::memory_at(rules_, stages_of_[rank], (*moments)[i], points);
      most = std::max(most, sum);
    }
    return most / limit - 1;
  }

  const engine::cut_rules& rules_;
  std::vector<std::size_t> rank_of_;
  std::vector<std::vector<std::size_t>> stages_of_;
  bool applies_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
