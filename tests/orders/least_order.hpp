// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// The least makespan of all orders, by labels: for all numbers of passes that may have run, the times at which ranks are free
/// and results arrive, but those that others are nowhere later than. Messages as `latency`; bytes are whole numbers.
class least_order {
 public:
  using ticks = std::int64_t;

  least_order(const stagecut::pass_times<ticks>& times, const stagecut::transfer_times<ticks>& transfers,
              const stagecut::synthesis_request& request)
      : times_(times),
        transfers_(transfers),
        request_(request),
        stages_(times.forward.size()),
        m_(request.microbatches) {
    for (const std::size_t rank : request.rank_of) ranks_ = std::max(ranks_, rank + 1);
  }

  /// Nothing where there are more labels than that after some number of passes, or no order at all.
  [[nodiscard]] std::optional<ticks> operator()(std::size_t most_labels) const {
    std::map<counts, std::vector<label>> layer;
    layer[counts(3 * stages_)] = {label(ranks_ + 2 * stages_ * m_ + stages_)};
    std::size_t passes = 0;
    for (std::size_t s = 0; s < stages_; ++s) passes += kinds(s) * m_;
    for (std::size_t step = 0; step < passes; ++step) {
      std::map<counts, std::vector<label>> next;
      std::size_t labels = 0;
      for (const auto& [done, of_done] : layer) {
        for (std::size_t s = 0; s < stages_; ++s) {
          for (std::size_t kind = 0; kind < kinds(s); ++kind) {
            if (!can_run(done, s, kind)) continue;
            counts after = done;
            ++after[3 * s + kind];
            std::vector<label>& to = next[after];
            for (const label& each : of_done) add(to, run(each, done, s, kind));
            labels += to.size();
          }
        }
      }
      if (labels > most_labels) return std::nullopt;
      layer.swap(next);
    }
    std::optional<ticks> least;
    for (const auto& [done, of_done] : layer) {
      for (const label& each : of_done) {
        if (!least || end(each) < *least) least = end(each);
      }
    }
    return least;
  }

 private:
  using counts = std::vector<std::uint8_t>;
  using label = std::vector<ticks>;  // ranks; results of F, of I; last passes of stages

  [[nodiscard]] static ticks of(const std::vector<double>& values, std::size_t s, ticks otherwise) {
    return values.empty() ? otherwise : static_cast<ticks>(values[s]);
  }
  [[nodiscard]] std::size_t result(std::size_t s, std::size_t kind, std::size_t k) const {
    return ranks_ + (2 * s + kind) * m_ + k;
  }

  [[nodiscard]] bool apart(std::size_t s) const {
    return request_.split && (request_.whole.empty() || !request_.whole[s]);
  }
  [[nodiscard]] std::size_t kinds(std::size_t s) const { return apart(s) ? 3 : 2; }

  [[nodiscard]] bool can_run(const counts& done, std::size_t s, std::size_t kind) const {
    const std::size_t k = done[3 * s + kind];
    if (k == m_) return false;
    if (kind > 0 && done[3 * s + kind - 1] <= k) return false;
    if (kind == 0 && s > 0 && done[3 * s - 3] <= k) return false;
    if (kind == 1 && s + 1 < stages_ && done[3 * s + 4] <= k) return false;
    if (!request_.memory_limit || kind == 2) return true;
    const std::size_t rank = request_.rank_of[s];
    ticks held = 0;
    for (std::size_t t = 0; t < stages_; ++t) {
      if (request_.rank_of[t] != rank) continue;
      const ticks kept = of(request_.bytes.activations, t, 1);
      const ticks again = of(request_.bytes.recomputed, t, 0);
      const ticks late = apart(t) ? of(request_.bytes.weight_part, t, kept) + again : 0;
      held += of(request_.bytes.resident, t, 0) + kept * (done[3 * t] - done[3 * t + 1]);
      if (apart(t)) held += late * (done[3 * t + 1] - done[3 * t + 2]);
    }
    held += kind == 0 ? of(request_.bytes.activations, s, 1) : of(request_.bytes.recomputed, s, 0);
    return held <= static_cast<ticks>(request_.memory_limit.of(rank, 0));
  }

  [[nodiscard]] ticks time(std::size_t s, std::size_t kind) const {
    if (kind == 0) return times_.forward[s];
    if (kind == 2) return times_.backward_weight[s];
    return apart(s) ? times_.backward_input[s] : times_.backward[s];
  }
  [[nodiscard]] ticks message(const std::vector<ticks>& values, std::size_t boundary) const {
    if (values.empty() || request_.rank_of[boundary] == request_.rank_of[boundary + 1]) return 0;
    return values.size() == 1 ? values[0] : values[boundary];
  }

  [[nodiscard]] label run(label now, const counts& done, std::size_t s, std::size_t kind) const {
    const std::size_t k = done[3 * s + kind];
    ticks ready = 0;
    const auto take = [&](std::size_t at) { ready = std::exchange(now[at], 0); };
    if (kind == 0 && s > 0) take(result(s - 1, 0, k));
    if (kind == 1 && s + 1 < stages_) take(result(s + 1, 1, k));
    ticks& free = now[request_.rank_of[s]];
    free = std::max(free, ready) + time(s, kind);
    if (kind == 0 && s + 1 < stages_) now[result(s, 0, k)] = free + message(transfers_.forward, s);
    if (kind == 1 && s > 0) now[result(s, 1, k)] = free + message(transfers_.backward, s - 1);
    if (k + 1 == m_ && kind + 1 == kinds(s)) now[ranks_ + 2 * stages_ * m_ + s] = free;
    return now;
  }

  static void add(std::vector<label>& labels, label added) {
    const auto covers = [](const label& a, const label& b) {
      return std::equal(a.begin(), a.end(), b.begin(), [](ticks x, ticks y) { return x <= y; });
    };
    for (const label& each : labels) {
      if (covers(each, added)) return;
    }
    std::erase_if(labels, [&](const label& each) { return covers(added, each); });
    labels.push_back(std::move(added));
  }

  [[nodiscard]] ticks end(const label& now) const {
    ticks last = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::vector<std::pair<ticks, std::size_t>> ended;
      for (std::size_t s = 0; s < stages_; ++s) {
        if (request_.rank_of[s] == r) ended.emplace_back(now[ranks_ + 2 * stages_ * m_ + s], s);
      }
      std::sort(ended.begin(), ended.end());
      ticks reduced = 0;
      for (const auto& [at, s] : ended)
        reduced = std::max(reduced, at) + (times_.all_reduce.empty() ? 0 : times_.all_reduce[s]);
      last = std::max(last, std::max(now[r], reduced) + (times_.optimizer_step.empty() ? 0 : times_.optimizer_step[r]));
    }
    return last;
  }

  const stagecut::pass_times<ticks>& times_;
  const stagecut::transfer_times<ticks>& transfers_;
  const stagecut::synthesis_request& request_;
  std::size_t stages_;
  std::size_t m_;
  std::size_t ranks_ = 0;
};
