// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// All ops of the ranks in a picture, by start time, and what each waits for.
class pass_list {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  explicit pass_list(const pipeline_picture& picture)
      : order_(picture.order), links_(picture.order), tolerance_(picture.run.makespan * 1e-12) {
    const std::size_t each = order_.microbatches * order_.slices;
    computed_.assign(kinds * order_.stages() * each, none);
    sent_.assign(2 * stagecut::detail::edge_count(order_) * each, none);
    work_.resize(order_.ranks()), updates_.resize(order_.ranks()), messages_.resize(order_.ranks());
    for (std::size_t r = 0; r < order_.ranks(); ++r) add(picture.run, r);
    for (auto& list : messages_) {
      std::stable_sort(list.begin(), list.end(),
                       [&](std::size_t x, std::size_t y) { return all_[x].end < all_[y].end; });
    }
  }

  /// The index of a rank's first op; its ops end before `first(rank + 1)`.
  [[nodiscard]] std::size_t first(std::size_t rank) const { return first_[rank]; }
  [[nodiscard]] const timed_op<double>& operator[](std::size_t i) const { return all_[i]; }

  /// The latest-ending prerequisite of this op; `none`: it waits for nothing. On ties, the rank's previous pass comes
  /// first, then what the pass needs, then messages that occupied a link. If a message takes time without a transfer,
  /// this is the pass that produced it. O(edges of the stage + log of the rank's passes).
  [[nodiscard]] std::size_t cause(std::size_t i) const {
    latest found(*this, all_[i].start);
    const op& what = all_[i].what;
    const std::size_t rank = order_.rank_of[what.stage];
    if (is_transfer(what.kind)) {
      const std::size_t to = order_.rank_of[other_end(what).stage];
      found.look(maker(what.kind == op_kind::send_forward, what.stage, what));
      for (const std::size_t end : {rank, to}) found.look_at_end(last(messages_[end], all_[i].start));
      for (const std::size_t end : {rank, to}) found.look_at_end(last(work_[end], all_[i].start));
      return found.pass;
    }
    found.look(last(work_[rank], all_[i].start));
    if (is_compute(what.kind)) {
      waits(what, found);
      if (partner_[i] != none) waits(all_[partner_[i]].what, found);
    } else {
      for (const std::size_t other : updates_[rank]) {
        if (other < i) found.look(other);
      }
    }
    found.look_at_end(last(messages_[rank], all_[i].start));
    return found.pass;
  }

 private:
  static constexpr std::size_t kinds = 4;  // that compute

  /// The latest-ending pass among those that end in time.
  struct latest {
    latest(const pass_list& list, double begins) : all(list), start(begins) {}
    void look(std::size_t i) {
      if (i == none || all[i].end > start + all.tolerance_) return;
      if (pass == none || all[pass].end + all.tolerance_ < all[i].end) pass = i;
    }
    /// The same for one that matters only if it ends exactly then.
    void look_at_end(std::size_t i) {
      if (i != none && start <= all[i].end + all.tolerance_) look(i);
    }
    const pass_list& all;
    double start;
    std::size_t pass = none;
  };

  [[nodiscard]] std::size_t place(std::size_t of, const op& what) const {
    return (of * order_.microbatches + what.microbatch) * order_.slices + what.slice;
  }

  void add(const simulation<double>& run, std::size_t rank) {
    const std::size_t begin = all_.size();
    const timed_ops lists[] = {of_rank(run.ops, rank), of_rank(run.updates, rank), of_rank(run.transfers, rank)};
    for (const auto& list : lists) all_.insert(all_.end(), list.begin(), list.end());
    const auto earlier = [](const auto& a, const auto& b) { return a.start < b.start; };
    std::stable_sort(all_.begin() + static_cast<std::ptrdiff_t>(begin), all_.end(), earlier);
    first_.back() = begin;
    first_.push_back(all_.size());
    partner_.resize(all_.size(), none);
    for (std::size_t i = begin; i < all_.size(); ++i) {
      const op& what = all_[i].what;
      if (is_transfer(what.kind)) {
        sent_[place(2 * links_.find(what)->edge + (what.kind == op_kind::send_forward ? 0 : 1), what)] = i;
        messages_[rank].push_back(i);
        messages_[order_.rank_of[other_end(what).stage]].push_back(i);
      } else if (is_compute(what.kind)) {
        computed_[place(static_cast<std::size_t>(what.kind) * order_.stages() + what.stage, what)] = i;
        const std::size_t before = work_[rank].empty() ? none : work_[rank].back();
        if (before != none && all_[before].what.with_next) partner_[i] = before, partner_[before] = i;
        work_[rank].push_back(i);
      } else {
        updates_[rank].push_back(i);
      }
    }
  }

  /// The last entry of a list that has ended, where all previous ones have ended too: passes of a rank, where two that run
  /// together end at one time or in order, or messages by their ends.
  [[nodiscard]] std::size_t last(const std::vector<std::size_t>& list, double until) const {
    const auto after = [&](double time, std::size_t i) { return time + tolerance_ < all_[i].end; };
    const auto at = std::upper_bound(list.begin(), list.end(), until, after);
    return at == list.begin() ? none : at[-1];
  }

  [[nodiscard]] std::size_t computed(op_kind kind, std::size_t stage, const op& what) const {
    return computed_[place(static_cast<std::size_t>(kind) * order_.stages() + stage, what)];
  }

  /// The pass of a stage that produces the input of the next stage in that direction.
  [[nodiscard]] std::size_t maker(bool forward, std::size_t stage, const op& what) const {
    if (forward) return computed(op_kind::forward, stage, what);
    const std::size_t whole = computed(op_kind::backward, stage, what);
    return whole != none ? whole : computed(op_kind::backward_input, stage, what);
  }

  /// Examines the prerequisites of a pass: from its own stage, and from messages.
  void waits(const op& what, latest& found) const {
    const bool forward = what.kind == op_kind::forward;
    if (!forward) found.look(computed(op_kind::forward, what.stage, what));
    if (what.kind == op_kind::backward_weight) return found.look(computed(op_kind::backward_input, what.stage, what));
    for (const auto& from : links_.of(what.stage, !forward)) {
      const std::size_t message = sent_[place(2 * from.edge + (forward ? 0 : 1), what)];
      found.look(message != none ? message : maker(forward, from.stage, what));
    }
  }

  const stagecut::schedule& order_;
  stagecut::detail::stage_links links_;
  double tolerance_;
  std::vector<timed_op<double>> all_;
  std::vector<std::size_t> first_{0};
  std::vector<std::size_t> partner_;                // the pass that runs together with it
  std::vector<std::vector<std::size_t>> work_;      // of every rank, its passes
  std::vector<std::vector<std::size_t>> updates_;   // of every rank, its updates
  std::vector<std::vector<std::size_t>> messages_;  // of every rank, what it sends and receives, by end
  std::vector<std::size_t> computed_;               // by kind, stage, microbatch and slice
  std::vector<std::size_t> sent_;                   // by edge, direction, microbatch and slice
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
