// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// A published baseline for uneven stages: the heuristic of Qi, Wan, Huang and Lin, Zero Bubble Pipeline Parallelism,
// ICLR 2024 (arXiv 2401.10241), section 3.1, implemented from its description there.
namespace baseline {

/// One stage per rank: pass times in ticks, and the memory of a microbatch.
struct zero_bubble_stages {
  std::vector<std::int64_t> forward{}, input{}, weight{};
  std::vector<double> kept{};  ///< from the start of F to the end of W
  std::vector<double> late{};  ///< the part of it that remains after I
  double memory = 0;           ///< per rank
  std::int64_t hop = 0;        ///< message time
  std::size_t microbatches = 0;
};

/// The open choices of the heuristic; the best combination is taken.
struct zero_bubble_switches {
  bool delay_first;  ///< one more F before the first I, if it begins in time but ends too late
  bool skip;         ///< omits an F that the next rank does not wait for, where I can begin no later
  bool fill_all;     ///< W goes into every gap, however short
};

/// Builds a schedule microbatch by microbatch, from the last rank to the first.
class zero_bubble_heuristic {
 public:
  explicit zero_bubble_heuristic(const zero_bubble_stages& of) : of_(of) {}

  /// Nothing if it gives up: a rank cannot hold one F more than the next one.
  [[nodiscard]] std::optional<stagecut::schedule> operator()(zero_bubble_switches how) {
    how_ = how;
    ranks_.assign(of_.kept.size(), {});
    if (!warm_up()) return std::nullopt;
    for (std::size_t k = 0; k < of_.microbatches; ++k) {
      for (std::size_t r = ranks_.size(); r-- > 0;) {
        if (k > 0 && !next_forward(r)) return std::nullopt;
        fill(r, input_ready(r));
        run(r, stagecut::op_kind::backward_input);
      }
    }
    stagecut::schedule made;
    made.microbatches = of_.microbatches;
    made.rank_of = stagecut::loop_placement(ranks_.size(), 1);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      while (waits(r)) run(r, stagecut::op_kind::backward_weight);
      made.orders.push_back(std::move(ranks_[r].order));
    }
    return made;
  }

 private:
  struct rank {
    std::int64_t now = 0, idle = 0;
    double held = 0;
    std::size_t weights = 0;                       // W so far
    std::vector<std::int64_t> forward{}, input{};  // ends of F and I so far
    std::vector<stagecut::op> order{};
  };

  /// Whether there is a pending W.
  [[nodiscard]] bool waits(std::size_t r) const { return ranks_[r].weights < ranks_[r].input.size(); }

  /// The arrival of the input of a rank's next F, or I.
  /// @{
  [[nodiscard]] std::int64_t forward_ready(std::size_t r) const {
    return r == 0 ? 0 : ranks_[r - 1].forward[ranks_[r].forward.size()] + of_.hop;
  }
  [[nodiscard]] std::int64_t input_ready(std::size_t r) const {
    const std::size_t k = ranks_[r].input.size();
    const std::int64_t own = ranks_[r].forward[k];
    return r + 1 == ranks_.size() ? own : std::max(own, ranks_[r + 1].input[k] + of_.hop);
  }
  /// @}

  void run(std::size_t r, stagecut::op_kind kind) {
    using enum stagecut::op_kind;
    rank& on = ranks_[r];
    const bool ahead = kind == forward;
    const std::int64_t ready = ahead ? forward_ready(r) : kind == backward_input ? input_ready(r) : on.now;
    if (!on.order.empty()) on.idle += std::max<std::int64_t>(0, ready - on.now);
    on.now = std::max(on.now, ready) + (ahead ? of_.forward : kind == backward_input ? of_.input : of_.weight)[r];
    on.held += ahead ? of_.kept[r] : kind == backward_input ? of_.late[r] - of_.kept[r] : -of_.late[r];
    const std::size_t k = ahead ? on.forward.size() : kind == backward_input ? on.input.size() : on.weights++;
    if (kind != backward_weight) (ahead ? on.forward : on.input).push_back(on.now);
    on.order.push_back({kind, r, k});
  }

  /// Puts W into the gap before a pass, if it ends in time, or if the gap would increase the longest idle time of all
  /// ranks.
  void fill(std::size_t r, std::int64_t ready) {
    std::int64_t worst = 0;
    for (const rank& each : ranks_) worst = std::max(worst, each.idle);
    while (waits(r) && ranks_[r].now < ready) {
      const std::int64_t gap = ready - ranks_[r].now;
      if (gap < of_.weight[r] && !how_.fill_all && ranks_[r].idle + gap <= worst) return;
      run(r, stagecut::op_kind::backward_weight);
    }
  }

  /// Runs F of as many microbatches as end before the first I can begin, on every rank more than on the next.
  [[nodiscard]] bool warm_up() {
    const std::size_t m = of_.microbatches;
    std::vector<std::size_t> most;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      std::size_t fit = 0;
      while (fit < m && static_cast<double>(fit + 1) * of_.kept[r] <= of_.memory) ++fit;
      if (r > 0 && most.back() < m) fit = std::min(fit, most.back() - 1);
      if (fit == 0) return false;
      most.push_back(fit);
      for (std::size_t k = 0; k < fit; ++k) run(r, stagecut::op_kind::forward);
    }
    std::int64_t ready = ranks_.back().forward[0];  // the first I
    std::size_t count = 0;
    for (std::size_t r = ranks_.size(); r-- > 0;) {
      const std::vector<std::int64_t>& ends = ranks_[r].forward;
      count = std::min(count + 1, m);
      const auto more = [&] {
        return ends[count] <= ready || (how_.delay_first && ends[count] - of_.forward[r] < ready);
      };
      while (r + 1 < ranks_.size() && count < most[r] && more()) ++count;
      ready = std::max(ready, ends[count - 1]) + of_.input[r] + of_.hop;
      most[r] = count;
    }
    ranks_.assign(most.size(), {});
    for (std::size_t r = 0; r < most.size(); ++r) {
      for (std::size_t k = 0; k < most[r]; ++k) run(r, stagecut::op_kind::forward);
    }
    return true;
  }

  /// F, before the I of a rank, or none if that is better or all have run.
  [[nodiscard]] bool next_forward(std::size_t r) {
    rank& on = ranks_[r];
    const std::size_t done = on.forward.size();
    if (done == of_.microbatches) return true;
    const bool needed = done <= on.input.size() || (r + 1 < ranks_.size() && done <= ranks_[r + 1].forward.size());
    if (!needed && how_.skip && input_ready(r) <= std::max(on.now, forward_ready(r))) return true;
    while (on.held + of_.kept[r] > of_.memory && waits(r)) run(r, stagecut::op_kind::backward_weight);
    if (on.held + of_.kept[r] > of_.memory) return !needed;
    fill(r, forward_ready(r));
    run(r, stagecut::op_kind::forward);
    return true;
  }

  const zero_bubble_stages& of_;
  zero_bubble_switches how_{};
  std::vector<rank> ranks_{};
};

}  // namespace baseline
