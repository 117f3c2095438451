// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

/// Schedules of all kinds that run to their end: stages on any rank, passes in any order in which they can run,
/// backward passes whole or split.
class random_schedules {
 public:
  explicit random_schedules(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }

  /// A schedule of up to `most_slices` slices, with pairs that overlap if there is one.
  [[nodiscard]] stagecut::schedule next(std::size_t most_slices = 1) {
    make_shape(most_slices);
    const std::size_t split = up_to(2);         // the share of backward passes that is, in halves
    const bool backward_first = up_to(1) == 0;  // as 1F1B
    const bool overlap = all_.slices == 1 && up_to(1) == 0;
    while (list_ready(split), !ready_.empty()) {
      stagecut::op each = ready_[up_to(ready_.size() - 1)];
      if (backward_first && each.kind == stagecut::op_kind::forward) each = ready_[up_to(ready_.size() - 1)];
      stagecut::op second;
      if (overlap && each.kind == stagecut::op_kind::forward) {
        for (const stagecut::op& other : ready_) {
          if (other.kind != stagecut::op_kind::backward || other.microbatch == each.microbatch) continue;
          if (all_.rank_of[other.stage] != all_.rank_of[each.stage]) continue;
          each.with_next = true;
          second = other;
        }
      }
      run(each);
      if (each.with_next) run(second);
    }
    return all_;
  }

 private:
  enum progress : unsigned char { nothing, forward, backward_input, all };

  [[nodiscard]] std::size_t at(std::size_t stage, std::size_t microbatch, std::size_t slice) const {
    return (stage * all_.microbatches + microbatch) * all_.slices + slice;
  }

  void make_shape(std::size_t most_slices) {
    all_ = {};
    all_.microbatches = 1 + up_to(4);
    all_.slices = 1 + up_to(most_slices - 1);
    const std::size_t ranks = 1 + up_to(3);
    all_.orders.resize(ranks);
    for (std::size_t r = 0; r < ranks; ++r) all_.rank_of.push_back(r);
    for (std::size_t more = up_to(4); more > 0; --more) all_.rank_of.push_back(up_to(ranks - 1));
    for (std::size_t& rank : all_.rank_of) std::swap(rank, all_.rank_of[up_to(all_.stages() - 1)]);
    done_.assign(all_.stages() * all_.microbatches * all_.slices, nothing);
  }

  void list_ready(std::size_t split) {
    using stagecut::op_kind;
    ready_.clear();
    for (std::size_t s = 0; s < all_.stages(); ++s) {
      for (std::size_t k = 0; k < all_.microbatches; ++k) {
        for (std::size_t q = 0; q < all_.slices; ++q) {
          const progress done = done_[at(s, k, q)];
          if (done == nothing) {
            if ((s == 0 || done_[at(s - 1, k, q)] >= forward) && (q == 0 || done_[at(s, k, q - 1)] >= forward)) {
              ready_.push_back({op_kind::forward, s, k, q});
            }
          } else if (done == forward) {
            if (s + 1 < all_.stages() && done_[at(s + 1, k, q)] < backward_input) continue;
            if (q + 1 < all_.slices && done_[at(s, k, q + 1)] < backward_input) continue;
            const bool whole = split == 0 || (split == 1 && (s + k) % 2 == 0);
            ready_.push_back({whole ? op_kind::backward : op_kind::backward_input, s, k, q});
          } else if (done == backward_input) {
            ready_.push_back({op_kind::backward_weight, s, k, q});
          }
        }
      }
    }
  }

  void run(const stagecut::op& each) {
    all_.orders[all_.rank_of[each.stage]].push_back(each);
    progress& done = done_[at(each.stage, each.microbatch, each.slice)];
    done = each.kind == stagecut::op_kind::forward          ? forward
           : each.kind == stagecut::op_kind::backward_input ? backward_input
                                                            : all;
  }

  std::mt19937 random_;
  stagecut::schedule all_;
  std::vector<progress> done_;
  std::vector<stagecut::op> ready_;
};
