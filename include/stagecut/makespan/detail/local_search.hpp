// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/detail/cut_simulator.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0::detail {

/// Makes a cut better by moving a few neighbouring cut points at a time, and sometimes a little worse on the way
/// (simulated annealing). The same moves on every machine, others each time.
class local_search {
 public:
  /// @param evaluator  what looks at many cuts at once; or none
  local_search(const schedule& order, const cut_rules& rules, cut_simulator& simulator, search_clock& clock,
               function_ref<void(view<const std::size_t>, view<double>)> evaluator)
      : order_(order), rules_(rules), simulator_(simulator), clock_(clock), evaluator_(evaluator) {}

  /// @param best      a cut that is allowed, and becomes the best that is found
  /// @param makespan  its makespan, likewise
  /// @param goal      a makespan that is not to be bettered
  /// @param tries     cuts to look at
  void operator()(std::vector<std::size_t>& best, double& makespan, double goal, std::size_t tries) {
    if (best.size() < 3) return;
    std::vector<std::size_t> now = best;
    double value = makespan;
    const double hot = 0.02 * makespan;
    std::size_t tried = 0;
    while (tried < tries && makespan > goal && !clock_.over()) {
      const double heat = hot * (1 - static_cast<double>(tried) / static_cast<double>(tries));
      candidates_.clear();
      const std::size_t wanted = evaluator_ ? batch : 1;
      for (std::size_t i = 0; i < 4 * wanted && candidates_.size() < wanted * now.size(); ++i, ++tried) propose(now);
      const std::size_t count = candidates_.size() / now.size();
      if (count == 0) continue;
      values_.resize(count);
      if (evaluator_) {
        evaluator_(candidates_, values_);
      } else {
        values_[0] = simulator_(candidates_);
      }
      std::size_t least = 0;
      for (std::size_t i = 1; i < count; ++i) least = values_[i] < values_[least] ? i : least;
      const view<const std::size_t> chosen(candidates_.data() + least * now.size(), now.size());
      const double here = evaluator_ ? simulator_(chosen) : values_[0];
      if (here <= value || here - value < heat * random()) {
        now.assign(chosen.begin(), chosen.end());
        value = here;
      }
      if (here < makespan) best = now, makespan = here;
    }
  }

 private:
  static constexpr std::size_t batch = 256;

  /// From 0 to below 1.
  double random() {
    state_ ^= state_ << 13U, state_ ^= state_ >> 7U, state_ ^= state_ << 17U;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }
  std::size_t random(std::size_t below) { return static_cast<std::size_t>(random() * static_cast<double>(below)); }

  /// Another cut behind the candidates, if it is one that is allowed.
  void propose(const std::vector<std::size_t>& now) {
    const std::size_t inner = now.size() - 2;
    moved_ = now;
    const std::size_t first = 1 + random(inner);
    const std::size_t count = 1 + random(4);
    const std::size_t by = 1 + random(2);
    const bool right = random(2) == 0;
    for (std::size_t s = first; s < first + count && s <= inner; ++s) {
      moved_[s] = right ? moved_[s] + by : moved_[s] - (by < moved_[s] ? by : moved_[s]);
    }
    const std::size_t from = first - 1;
    const std::size_t to = first + count < inner + 1 ? first + count : inner + 1;
    for (std::size_t s = from; s < to; ++s) {
      if (moved_[s] >= moved_[s + 1]) return;
    }
    for (std::size_t s = from; s < to; ++s) {
      if (!rules_.allows(s, moved_[s], moved_[s + 1])) return;
    }
    if (rules_.has_rank_rules() && !allowed_cut(order_, rules_, moved_)) return;
    candidates_.insert(candidates_.end(), moved_.begin(), moved_.end());
  }

  const schedule& order_;
  const cut_rules& rules_;
  cut_simulator& simulator_;
  search_clock& clock_;
  function_ref<void(view<const std::size_t>, view<double>)> evaluator_;
  std::uint64_t state_ = 0x9E3779B97F4A7C15U;
  std::vector<std::size_t> moved_{};
  std::vector<std::size_t> candidates_{};
  std::vector<double> values_{};
};

}  // namespace stagecut::inline v0::detail
