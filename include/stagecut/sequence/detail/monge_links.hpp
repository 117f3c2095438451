// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// For a Monge cost, the cheapest cuts of all suffixes of a chain into any number of stages with an additional cost per
/// stage. Of two ends, the nearer one is better from some start on, towards the front of the chain. A queue holds the
/// ends that are best somewhere. Proof: docs/chains.md, "A nearer and a farther end". O(n log n) calls of the price for
/// each run.
template <class Price>
class monge_links {
 public:
  using total_type = typename Price::total_type;

  /// The tie-break among cuts with the same cost.
  enum class prefer { smallest, fewest, most };

  monge_links(const Price& price, std::size_t items)
      : price_(price), items_(items), total_(items + 1), count_(items + 1), next_(items + 1) {}

  void run(total_type extra, prefer which) {
    which_ = which;
    queue_.clear();
    std::size_t head = 0;
    for (std::size_t first = items_; first-- > 0;) {
      offer(first + 1, first, head);
      while (head + 1 < queue_.size() && queue_[head + 1].from >= first) ++head;
      const std::size_t last = queue_[head].end;
      total_[first] = through(first, last, extra);
      count_[first] = count_[last] + 1;
      next_[first] = last;
    }
  }

  [[nodiscard]] total_type total() const { return total_[0]; }

  /// The cut found by the last run.
  [[nodiscard]] std::vector<std::size_t> points() const {
    std::vector<std::size_t> result{0};
    while (result.back() != items_) result.push_back(next_[result.back()]);
    return result;
  }

  /// The lexicographically smallest of the cheapest cuts into exactly `stages` stages, if `extra` makes one of them a
  /// cheapest cut into any number; empty if not, or if rounding hides it.
  [[nodiscard]] std::vector<std::size_t> smallest(total_type extra, std::size_t stages) {
    run(extra, prefer::fewest);
    const std::vector<std::size_t> fewest = count_;
    run(extra, prefer::most);
    std::vector<std::size_t> result{0};
    for (std::size_t last = 1; last <= items_; ++last) {
      // Any number of stages between fewest and most is possible.
      const std::size_t left = stages - result.size();
      if (last < items_ ? left == 0 || fewest[last] > left || count_[last] < left : left != 0) continue;
      if (!(through(result.back(), last, extra) == total_[result.back()])) continue;
      result.push_back(last);
    }
    if (result.back() != items_) result.clear();
    return result;
  }

 private:
  struct candidate {
    std::size_t end;
    std::size_t from;  ///< better than the previous ones in the queue for all starts up to here
  };

  [[nodiscard]] total_type through(std::size_t first, std::size_t last, total_type extra) const {
    return as_computed(as_computed(price_(0, first, last) + total_[last]) + extra);
  }

  /// Whether a stage that begins at `first` should end at `near` rather than `far`.
  [[nodiscard]] bool better(std::size_t first, std::size_t near, std::size_t far) const {
    const total_type one = as_computed(price_(0, first, near) + total_[near]);
    const total_type other = as_computed(price_(0, first, far) + total_[far]);
    if (one < other) return true;
    if (!(one == other)) return false;
    return which_ == prefer::smallest ||
           (which_ == prefer::fewest ? count_[near] <= count_[far] : count_[near] >= count_[far]);
  }

  /// Inserts a new end, the nearest, into the queue for the starts up to `first`.
  void offer(std::size_t end, std::size_t first, std::size_t head) {
    std::size_t from = first;
    while (queue_.size() > head) {
      const candidate& back = queue_.back();
      const std::size_t latest = back.from < first ? back.from : first;
      if (better(latest, end, back.end)) {
        queue_.pop_back();
        continue;
      }
      // `steps` towards the front from there on; latest + 1: nowhere.
      const std::size_t steps =
          detail::gallop(1, latest + 1, 1, [&](std::size_t d) { return better(latest - d, end, back.end); });
      if (steps > latest) return;
      from = latest - steps;
      break;
    }
    queue_.push_back({end, from});
  }

  const Price& price_;
  std::size_t items_;
  prefer which_ = prefer::smallest;
  std::vector<total_type> total_;   // of the items from here on
  std::vector<std::size_t> count_;  // number of their stages
  std::vector<std::size_t> next_;   // end of the first of these stages
  std::vector<candidate> queue_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
